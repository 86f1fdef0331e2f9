//! The program: reads the command line, hands files and sockets to the layers, tells what came of it.
//!
//! Exit status: 0 fine; 1 what was asked did not hold; 2 wrong use or a failed start, with one line that
//! says why.

mod bench;
mod cli;
mod files;
mod progress;

use anyhow::{Context, Result};
use cli::{Command, Form, Setup, Stop};
use pennon::export::verify;
use pennon::params::library::{self, SHIPPED};
use pennon::params::reference::{self, range_text, value_text};
use pennon::params::{Library, Preset, READOUTS, RowId};
use progress::Progress;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match cli::parse(std::env::args_os().skip(1)) {
        Ok(command) => run(command),
        Err(Stop::Text(text)) => say(&text).map(|()| true),
        Err(Stop::Wrong(line)) => Err(anyhow::anyhow!("{line}; see pennon --help")),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

/// Does it; false when what was asked did not hold.
fn run(command: Command) -> Result<bool> {
    match command {
        Command::Play(play) => {
            let (preset, library) = begin(&play.setup)?;
            stage::play(play, preset, library).map(|()| true)
        }
        Command::Capture(capture) => {
            let (preset, _) = begin(&capture.setup)?;
            stage::capture(&capture, preset).map(|()| true)
        }
        Command::Verify(path) => verify_shot(&path),
        Command::Params(form) => {
            say(&match form {
                Form::Text => params_text(),
                Form::Markdown => reference::markdown(),
                Form::Json => reference::json(),
            })?;
            Ok(true)
        }
        Command::Presets => list_presets().map(|()| true),
        Command::CheckPresets(paths) => check_presets(&paths),
        Command::Bench { json } => measure(json),
    }
}

/// The preset to begin with and the library; what was tolerated is told.
fn begin(setup: &Setup) -> Result<(Preset, Library)> {
    let (library, messages) = files::library();
    messages.iter().for_each(|message| complain(message));
    let (preset, warnings) = files::preset(setup, &library)?;
    warnings.iter().for_each(|warning| complain(&warning.to_string()));
    Ok((preset, library))
}

fn verify_shot(path: &Path) -> Result<bool> {
    let shot = files::shot(path)?;
    let mut progress = Progress::new("frame");
    let outcome = verify(&shot, |done, all| progress.tell(done, all));
    progress.end();
    match outcome {
        Ok(verified) => {
            say(&format!("{} over {} ticks: every digest is the same\n", frames(verified.frames), verified.ticks))?;
            Ok(true)
        }
        Err(error) if error.is_a_difference() => {
            complain(&error.to_string());
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

fn params_text() -> String {
    let mut out = String::new();
    for group in reference::groups() {
        out += &format!("{group}\n");
        for id in RowId::ALL.iter().copied().filter(|id| id.row().group() == group) {
            let row = id.row();
            let default = value_text(id, row.default_value());
            out += &format!("  {:<30} {:<22} {default:<9} {}\n", row.address(), range_text(row), row.doc);
        }
    }
    out += "cues and the hand\n";
    for cue in pennon::params::CUES {
        out += &format!("  {:<30} {:<22} {}\n", cue.address, cue.arguments, cue.doc);
    }
    out += "readouts\n";
    for readout in READOUTS {
        out += &format!("  {:<30} {:<22} {}\n", format!("/read/N/{}", readout.name), readout.unit, readout.doc);
    }
    out
}

fn list_presets() -> Result<()> {
    let (library, messages) = files::library();
    messages.iter().for_each(|message| complain(message));
    let mut out = String::new();
    for preset in &library.presets {
        let program = preset.program.map_or(String::new(), |number| number.to_string());
        let about = preset.about.lines().next().unwrap_or_default();
        out += &format!("{program:>3}  {:<12} {about}\n", preset.name);
    }
    if let Some(folder) = files::preset_folder() {
        out += &format!("\nYour own live in {}\n", folder.display());
    }
    say(&out)
}

fn check_presets(paths: &[PathBuf]) -> Result<bool> {
    let mut texts = Vec::new();
    let everything = paths.is_empty();
    if everything {
        texts.extend(SHIPPED.iter().map(|(name, text)| ((*name).to_owned(), (*name).to_owned(), (*text).to_owned())));
    }
    let users = if everything { files::user_presets() } else { Vec::new() };
    for path in paths.iter().chain(&users) {
        texts.push((path.display().to_string(), files::stem(path), files::preset_text(path)?));
    }
    let mut faulty = 0;
    for (shown, name, text) in &texts {
        if let Err(faults) = library::check(name, text) {
            faulty += 1;
            faults.iter().for_each(|fault| complain(&format!("{shown}: {fault}")));
        }
    }
    say(&format!("{} presets checked, {faulty} with faults\n", texts.len()))?;
    Ok(faulty == 0)
}

fn measure(json: bool) -> Result<bool> {
    let mut progress = Progress::new("measurement");
    let report = bench::measure(|done| progress.tell(done, bench::STEPS));
    progress.end();
    let report = report?;
    say(&if json { report.json()? } else { bench::table(&report) })?;
    Ok(report.same_everywhere())
}

/// `1 frame`, `2 frames`.
fn frames(count: u64) -> String {
    format!("{count} {}", if count == 1 { "frame" } else { "frames" })
}

/// To standard output. A reader that has seen enough (`| head`) is no failure.
fn say(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// One line to standard error. Where that is closed there is nobody to tell.
fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "pennon: {line}");
}

/// What needs pixels, in a build that has none.
#[cfg(not(feature = "stage"))]
mod stage {
    use super::cli;
    use anyhow::{Result, bail};
    use pennon::params::{Library, Preset};

    const WITHOUT: &str = "this pennon was built without the stage";

    pub fn play(_: cli::Play, _: Preset, _: Library) -> Result<()> {
        bail!("{WITHOUT}; for a window build it with `cargo build --release`")
    }

    pub fn capture(_: &cli::Capture, _: Preset) -> Result<()> {
        bail!("{WITHOUT}; to render build it with `cargo build --release`")
    }
}

/// What needs pixels: the window and the capture.
#[cfg(feature = "stage")]
mod stage {
    use super::{cli, complain, files, say};
    use crate::progress::Progress;
    use anyhow::{Context, Result};
    use pennon::capture::Request;
    use pennon::control::osc::{OscConfig, TimePolicy};
    use pennon::live::player::{Player, PlayerConfig};
    use pennon::params::{Library, Preset};
    use pennon::stage::WindowOptions;

    pub fn play(play: cli::Play, preset: Preset, library: Library) -> Result<()> {
        if let Err(why) = pennon::stage::display_available() {
            let out = files::free_shot_folder();
            complain(&why.to_string());
            complain(&format!("so a three-second shot goes into {}", out.display()));
            let short = cli::Capture::short(play.setup, out).context("the short shot cannot be described")?;
            return capture(&short, preset);
        }
        let player = Player::start(PlayerConfig { preset, library })?;
        let time = if play.osc_schedule { TimePolicy::Schedule } else { TimePolicy::Immediate };
        let options = WindowOptions {
            monitor: play.monitor,
            fullscreen: play.fullscreen,
            osc: play.osc.map(|address| OscConfig { address, time }),
            ..WindowOptions::default()
        };
        Ok(pennon::stage::run(player, options)?)
    }

    pub fn capture(capture: &cli::Capture, preset: Preset) -> Result<()> {
        let request = Request {
            preset,
            rate: capture.rate,
            frames: capture.frames.clone(),
            size: capture.size,
            out: capture.out.clone(),
        };
        let mut progress = Progress::new("frame");
        let outcome = pennon::capture::run(&request, &mut |done| progress.tell(done.done, done.total));
        progress.end();
        outcome?;
        let frames = request.frames.end - request.frames.start;
        say(&format!("{} and shot.json in {}\n", super::frames(frames), capture.out.display()))
    }
}
