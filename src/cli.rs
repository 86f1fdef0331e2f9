//! The command line: words to a plain [`Command`], and nothing done.
//!
//! The flags that set rows come from the parameter table. Where a word can be mistyped, the error says
//! what was probably meant.

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches};
use pennon::export::shot::LARGEST_SIDE;
use pennon::export::{Fraction, Rate};
use pennon::params::preset::nearest;
use pennon::params::reference::{range_text, value_text, wanted_text};
use pennon::params::{Kind, RowId, Value};
use std::net::SocketAddr;
use std::ops::Range;
use std::path::PathBuf;

/// Where OSC is heard unless asked otherwise: this machine only.
const OSC_ADDRESS: &str = "127.0.0.1:9000";
/// Frames a second of a shot unless asked otherwise.
const FPS: &str = "60";
/// Size of a shot's pictures unless asked otherwise, px.
const SIZE: &str = "1280x720";
/// Length of a shot unless asked otherwise, s.
const SECONDS: &str = "4";

const EXAMPLES: &str = "\
Examples:
  pennon --preset gale                                fly the flag in a window
  oscsend localhost 9000 /wind/speed f 25             play its wind
  pennon capture --preset gale --seed 7 --out gale    the same pictures every time
  pennon verify gale                                  prove it

Every row of the parameter table is a flag too; --help shows them all.";

/// What was asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Fly the flag in a window.
    Play(Play),
    /// Render a shot.
    Capture(Capture),
    /// Simulate a shot again.
    Verify(PathBuf),
    /// Show the parameter table.
    Params(Form),
    /// List the presets.
    Presets,
    /// Check these presets strictly; all when there are none.
    CheckPresets(Vec<PathBuf>),
    /// Measure how fast this machine is.
    Bench {
        /// For programs.
        json: bool,
    },
}

/// What flies: a preset and rows on top of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Setup {
    /// A preset's name, or a file when it ends in `.toml`.
    pub preset: Option<String>,
    /// Rows set by flags, each inside its range.
    pub rows: Vec<(RowId, Value)>,
}

/// How to fly it live.
#[derive(Debug, Clone, PartialEq)]
pub struct Play {
    /// What flies.
    pub setup: Setup,
    /// Where OSC is heard; `None` for nowhere.
    pub osc: Option<SocketAddr>,
    /// Bundles wait for the time of their tag; else they are done when they come.
    pub osc_schedule: bool,
    /// Name or number of the monitor for fullscreen.
    pub monitor: Option<String>,
    /// Begin in fullscreen.
    pub fullscreen: bool,
}

/// A shot to render.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    /// What flies.
    pub setup: Setup,
    /// Frames a second.
    pub rate: Rate,
    /// The frames, a share of the shot.
    pub frames: Range<u64>,
    /// Width and height, px.
    pub size: (u32, u32),
    /// The folder.
    pub out: PathBuf,
}

impl Capture {
    /// The short shot that stands in for a window where there is no display.
    #[cfg_attr(not(feature = "stage"), expect(dead_code, reason = "only the stage renders"))]
    pub fn short(setup: Setup, out: PathBuf) -> Option<Capture> {
        let rate: Rate = FPS.parse().ok()?;
        let frames = 0..rate.frames_in("3".parse().ok()?).ok()?;
        Some(Capture { setup, rate, frames, size: size(SIZE).ok()?, out })
    }
}

/// A form of the parameter table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For a terminal.
    Text,
    /// For the README.
    Markdown,
    /// For programs.
    Json,
}

/// Why there is no command.
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// A text was asked for: help or the version.
    Text(String),
    /// Wrong use, in one line.
    Wrong(String),
}

/// Reads the words after the program's name.
pub fn parse(words: impl IntoIterator<Item = std::ffi::OsString>) -> Result<Command, Stop> {
    let words = std::iter::once("pennon".into()).chain(words);
    let matches = program().try_get_matches_from(words).map_err(|error| stop(&error))?;
    match matches.subcommand() {
        None => Ok(Command::Play(play(&matches))),
        Some(("play", matches)) => Ok(Command::Play(play(matches))),
        Some(("capture", matches)) => capture(matches).map(Command::Capture).map_err(Stop::Wrong),
        Some(("verify", matches)) => Ok(Command::Verify(one(matches, "shot").unwrap_or_default())),
        Some(("params", matches)) => {
            Ok(Command::Params(match (matches.get_flag("markdown"), matches.get_flag("json")) {
                (true, _) => Form::Markdown,
                (_, true) => Form::Json,
                _ => Form::Text,
            }))
        }
        Some(("presets", matches)) => Ok(match matches.get_many::<PathBuf>("check") {
            Some(files) => Command::CheckPresets(files.cloned().collect()),
            None => Command::Presets,
        }),
        Some(("bench", matches)) => Ok(Command::Bench { json: matches.get_flag("json") }),
        Some((other, _)) => Err(Stop::Wrong(format!("there is no command {other}"))),
    }
}

fn program() -> clap::Command {
    let play_words = || setup_flags().into_iter().chain(play_flags());
    let command = |name: &'static str, about: &'static str| clap::Command::new(name).about(about);
    clap::Command::new("pennon")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A wind instrument: a flag flutters in a seeded wind, and you play the wind.")
        .after_help(EXAMPLES)
        .args_conflicts_with_subcommands(true)
        .disable_help_subcommand(true)
        .max_term_width(110)
        .args(play_words())
        .subcommand(command("play", "Fly the flag in a window (what pennon does without a command)").args(play_words()))
        .subcommand(
            command("capture", "Render a shot: PNGs and shot.json, the same every time")
                .args(setup_flags())
                .args(capture_flags()),
        )
        .subcommand(
            command("verify", "Simulate a shot again and compare every digest").arg(
                Arg::new("shot")
                    .value_name("SHOT")
                    .required(true)
                    .value_parser(clap::value_parser!(PathBuf))
                    .help("The shot's folder, or its shot.json"),
            ),
        )
        .subcommand(command("params", "Show the parameter table").args([
            Arg::new("markdown").long("markdown").action(ArgAction::SetTrue).help("As in the README"),
            Arg::new("json").long("json").action(ArgAction::SetTrue).conflicts_with("markdown").help("For programs"),
        ]))
        .subcommand(
            command("presets", "List the presets").arg(
                Arg::new("check")
                    .long("check")
                    .value_name("FILE")
                    .num_args(0..)
                    .value_parser(clap::value_parser!(PathBuf))
                    .help("Check these strictly (all of them without a FILE)"),
            ),
        )
        .subcommand(
            command("bench", "Measure how fast the core is here, and that every way to compute gives the same bits")
                .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("For programs")),
        )
}

fn setup_flags() -> Vec<Arg> {
    let preset = Arg::new("preset").long("preset").value_name("NAME|FILE").help("Preset to begin with");
    std::iter::once(preset).chain(RowId::ALL.iter().map(|row| row_flag(*row))).collect()
}

fn row_flag(id: RowId) -> Arg {
    let row = id.row();
    let value_name = match row.kind {
        Kind::Float { .. } if !row.unit.is_empty() => row.unit.to_owned(),
        Kind::Float { .. } | Kind::Int { .. } => "number".to_owned(),
        Kind::Switch { .. } => "on|off".to_owned(),
        Kind::Choice { .. } => "name".to_owned(),
        Kind::Colour { .. } => "#RRGGBB".to_owned(),
    };
    let flag = Arg::new(row.id)
        .long(row.flag())
        .value_name(value_name)
        .allow_negative_numbers(true)
        .value_parser(ValueParser::new(move |text: &str| row_value(id, text)));
    if id == RowId::WindSeed {
        // The one row that everybody types has a short name and stands among the common flags.
        return flag.long("seed").alias(row.flag()).help("Seed of the gusts: the same seed, the same gusts");
    }
    let default = value_text(id, row.default_value());
    let range = match row.kind {
        Kind::Colour { .. } => default,
        _ => format!("{}; {default}", range_text(row)),
    };
    flag.hide_short_help(true).help_heading(row.group()).help(format!("{} [{range}]", row.doc))
}

/// A row's value as people type it. A number outside the range is an error here: whoever types it is
/// there to read that.
fn row_value(id: RowId, text: &str) -> Result<Value, String> {
    let row = id.row();
    let json = match (row.kind, text.trim().to_ascii_lowercase().as_str()) {
        (Kind::Switch { .. }, "on" | "true" | "yes" | "1") => true.into(),
        (Kind::Switch { .. }, "off" | "false" | "no" | "0") => false.into(),
        (Kind::Float { .. } | Kind::Int { .. }, number) => number.parse::<f64>().map_or("".into(), Into::into),
        (Kind::Choice { .. }, number) if number.parse::<u8>().is_ok() => number.parse::<u8>().unwrap_or(0).into(),
        _ => serde_json::Value::from(text),
    };
    let wanted = match row.kind {
        Kind::Switch { .. } => "on or off".to_owned(),
        Kind::Colour { .. } => "a colour like #C72926".to_owned(),
        _ => wanted_text(row),
    };
    let read = Value::from_json(id, &json).filter(|value| row.accept(*value) == Some(*value));
    // A whole number beyond i32 must not saturate to its end.
    let exact = match (read, json.as_f64()) {
        (Some(Value::Int(whole)), Some(number)) => f64::from(whole) == number,
        _ => true,
    };
    read.filter(|_| exact).ok_or_else(|| match row.kind {
        Kind::Choice { names, .. } => match nearest(text, names.iter().copied()) {
            Some(name) => format!("it must be {wanted} (did you mean {name}?)"),
            None => format!("it must be {wanted}"),
        },
        _ => format!("it must be {wanted}"),
    })
}

fn play_flags() -> [Arg; 5] {
    [
        Arg::new("osc")
            .long("osc")
            .value_name("ADDRESS:PORT")
            .default_value(OSC_ADDRESS)
            .value_parser(osc_address)
            .help("Where OSC is heard"),
        Arg::new("no-osc").long("no-osc").action(ArgAction::SetTrue).conflicts_with("osc").help("Hear no OSC"),
        Arg::new("osc-time")
            .long("osc-time")
            .value_name("WHEN")
            .default_value("immediate")
            .value_parser(["immediate", "schedule"])
            .help("When OSC bundles are done: when they come, or at the time of their tag"),
        Arg::new("fullscreen").long("fullscreen").action(ArgAction::SetTrue).help("Begin in fullscreen"),
        Arg::new("monitor")
            .long("monitor")
            .value_name("NAME")
            .help("Monitor for fullscreen: part of its name, or its number from 0"),
    ]
}

fn capture_flags() -> [Arg; 5] {
    [
        Arg::new("out")
            .long("out")
            .value_name("DIR")
            .required(true)
            .value_parser(clap::value_parser!(PathBuf))
            .help("Folder for the pictures and shot.json"),
        Arg::new("seconds")
            .long("seconds")
            .value_name("SECONDS")
            .value_parser(|text: &str| text.parse::<Fraction>().map_err(|error| error.to_string()))
            .help(format!("Length of the shot [{SECONDS}]")),
        Arg::new("fps")
            .long("fps")
            .value_name("RATE")
            .default_value(FPS)
            .value_parser(|text: &str| text.parse::<Rate>().map_err(|error| error.to_string()))
            .help("Frames a second: 60, 29.97, 24000/1001"),
        Arg::new("size").long("size").value_name("WxH").default_value(SIZE).value_parser(size).help("Size, in pixels"),
        Arg::new("frames")
            .long("frames")
            .value_name("A..B")
            .value_parser(frames)
            .help("A share of the shot: frames A up to, not with, B"),
    ]
}

fn play(matches: &ArgMatches) -> Play {
    Play {
        setup: setup(matches),
        osc: if matches.get_flag("no-osc") { None } else { one(matches, "osc") },
        osc_schedule: matches.get_one::<String>("osc-time").is_some_and(|when| when == "schedule"),
        monitor: one(matches, "monitor"),
        fullscreen: matches.get_flag("fullscreen"),
    }
}

fn setup(matches: &ArgMatches) -> Setup {
    let rows = RowId::ALL.iter().filter_map(|row| Some((*row, one(matches, row.row().id)?)));
    Setup { preset: one(matches, "preset"), rows: rows.collect() }
}

fn capture(matches: &ArgMatches) -> Result<Capture, String> {
    let rate: Rate = one(matches, "fps").ok_or("--fps is missing")?;
    let seconds: Option<Fraction> = one(matches, "seconds");
    let share: Option<Range<u64>> = one(matches, "frames");
    let all = |seconds: Fraction| rate.frames_in(seconds).map_err(|error| format!("--seconds: {error}"));
    let frames = match (seconds, share) {
        (None, Some(share)) if share.end <= Rate::MOST_FRAMES => share,
        (None, Some(share)) => {
            return Err(format!("--frames: {} is beyond the {} of a shot", share.end, Rate::MOST_FRAMES));
        }
        (seconds, share) => {
            let all = all(seconds.map_or_else(|| SECONDS.parse().map_err(|_| "--seconds is missing"), Ok)?)?;
            let share = share.unwrap_or(0..all);
            if share.end > all {
                return Err(format!("--frames: {}..{} reaches beyond the shot's {all} frames", share.start, share.end));
            }
            share
        }
    };
    if frames.is_empty() {
        return Err("--seconds: a shot of 0 frames; make it longer".to_owned());
    }
    Ok(Capture {
        setup: setup(matches),
        rate,
        frames,
        size: one(matches, "size").ok_or("--size is missing")?,
        out: one(matches, "out").ok_or("--out is missing")?,
    })
}

fn one<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Option<T> {
    matches.get_one::<T>(id).cloned()
}

fn osc_address(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.trim().replace("localhost", "127.0.0.1");
    numeric.parse().map_err(|_| format!("write an address and a port, like {OSC_ADDRESS} or 0.0.0.0:9000"))
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| text.trim().parse().ok().filter(|side| (1..=LARGEST_SIDE).contains(side));
    let read = || {
        let (width, height) = text.split_once(['x', 'X', '×'])?;
        Some((side(width)?, side(height)?))
    };
    read().ok_or_else(|| format!("write width x height in pixels, each 1..{LARGEST_SIDE}, like {SIZE}"))
}

fn frames(text: &str) -> Result<Range<u64>, String> {
    let read = || {
        let (from, to) = text.split_once("..")?;
        Some(from.trim().parse().ok()?..to.trim().parse().ok()?)
    };
    read()
        .filter(|range| !range.is_empty())
        .ok_or_else(|| "write the first frame and the one after the last, like 0..120".to_owned())
}

/// clap's many lines as one: what is wrong, and its tips.
fn stop(error: &clap::Error) -> Stop {
    let text = error.render().to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Stop::Text(text);
    }
    let joined = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = text.split("\n\n");
    let first = joined(parts.next().unwrap_or_default());
    let mut line = first.strip_prefix("error: ").unwrap_or(&first).to_owned();
    for tip in parts.flat_map(str::lines).map(joined) {
        if let Some(tip) = tip.strip_prefix("tip: ") {
            line = format!("{line}; {tip}");
        }
    }
    Stop::Wrong(line)
}

#[cfg(test)]
mod tests;
