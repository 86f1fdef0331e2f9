//! Words that people type, and what they are told.

use super::*;
use pennon::params::ROWS;

fn read(words: &str) -> Result<Command, Stop> {
    parse(words.split_whitespace().map(Into::into))
}

fn setup_of(words: &str) -> Setup {
    match read(words) {
        Ok(Command::Play(play)) => play.setup,
        other => panic!("{words}: {other:?}"),
    }
}

fn wrong(words: &str) -> String {
    match read(words) {
        Err(Stop::Wrong(line)) => line,
        other => panic!("{words}: {other:?}"),
    }
}

fn text(words: &str) -> String {
    match read(words) {
        Err(Stop::Text(text)) => text,
        other => panic!("{words}: {other:?}"),
    }
}

#[test]
fn nothing_flies_the_default_with_osc_on_this_machine() {
    let play = Play {
        setup: Setup::default(),
        osc: Some("127.0.0.1:9000".parse().expect("an address")),
        osc_schedule: false,
        monitor: None,
        fullscreen: false,
    };
    assert_eq!(read(""), Ok(Command::Play(play.clone())));
    assert_eq!(read("play"), Ok(Command::Play(play.clone())));
    assert_eq!(read("--no-osc --fullscreen --monitor HDMI-1"), {
        Ok(Command::Play(Play { osc: None, fullscreen: true, monitor: Some("HDMI-1".into()), ..play.clone() }))
    });
    assert_eq!(read("--osc-time schedule"), Ok(Command::Play(Play { osc_schedule: true, ..play.clone() })));
    assert!(read("--osc-time later").is_err());
    assert_eq!(read("--osc localhost:7000"), {
        Ok(Command::Play(Play { osc: Some("127.0.0.1:7000".parse().expect("an address")), ..play }))
    });
}

#[test]
fn every_row_is_a_flag_and_takes_its_own_default() {
    for row in RowId::ALL.iter().copied() {
        let default = row.row().default_value();
        let words = format!("--{} {}", row.row().flag(), value_text(row, default));
        let setup = setup_of(&words);
        match (setup.rows.as_slice(), default) {
            // A colour's text has 8 bits a part.
            ([(found, Value::Colour(found_parts))], Value::Colour(parts)) => {
                assert!(*found == row && found_parts.iter().zip(parts).all(|(a, b)| (a - b).abs() <= 0.5 / 255.0))
            }
            (rows, default) => assert_eq!(rows, [(row, default)], "{words}"),
        }
    }
}

#[test]
fn values_are_read_as_people_type_them() {
    let setup = setup_of(
        "--preset gale --seed -7 --wind-heading -80 --wind-time-scale=-1.5e0 --look-pole off --look-pattern Checks \
         --look-colour-a #ff0000 --whiskers-plane 0",
    );
    assert_eq!(setup.preset.as_deref(), Some("gale"));
    assert_eq!(
        setup.rows,
        [
            (RowId::WindHeading, Value::Float(-80.0)),
            (RowId::WindSeed, Value::Int(-7)),
            (RowId::WindTimeScale, Value::Float(-1.5)),
            (RowId::WhiskersPlane, Value::Choice(0)),
            (RowId::LookPattern, Value::Choice(2)),
            (RowId::LookColourA, Value::Colour([1.0, 0.0, 0.0, 1.0])),
            (RowId::LookPole, Value::Switch(false)),
        ]
    );
    assert_eq!(setup_of("--wind-seed 5"), setup_of("--seed 5"));
}

#[test]
fn a_shot_is_exact() {
    let capture = |words: &str| match read(words) {
        Ok(Command::Capture(capture)) => capture,
        other => panic!("{words}: {other:?}"),
    };
    let shot = capture("capture --preset gale --seed 7 --seconds 4 --fps 24000/1001 --size 640x360 --out d");
    assert_eq!((shot.frames, shot.size, shot.rate.to_string()), (0..96, (640, 360), "24000/1001".to_owned()));
    assert_eq!(shot.setup.rows, [(RowId::WindSeed, Value::Int(7))]);
    assert_eq!(capture("capture --out d").frames, 0..240);
    assert_eq!(capture("capture --out d --frames 500..501").frames, 500..501);
    assert_eq!(capture("capture --out d --seconds 1 --frames 30..60").frames, 30..60);
}

#[test]
fn wrong_words_get_one_line_with_the_way_out() {
    for (words, told) in [
        ("--wind-sped 3", "unexpected argument '--wind-sped' found; a similar argument exists: '--wind-speed'"),
        ("zzz", "unrecognized subcommand 'zzz'"),
        ("captur --out d", "unrecognized subcommand 'captur'; a similar subcommand exists: 'capture'"),
        ("--wind-speed 50", "invalid value '50' for '--wind-speed <m/s>': it must be a number 0..40 m/s"),
        ("--wind-speed nan", "invalid value 'nan' for '--wind-speed <m/s>': it must be a number 0..40 m/s"),
        ("--wind-octaves 2.5", "invalid value '2.5' for '--wind-octaves <number>': it must be a whole number 1..8"),
        ("--look-pole maybe", "invalid value 'maybe' for '--look-pole <on|off>': it must be on or off"),
        (
            "--look-colour-a red",
            "invalid value 'red' for '--look-colour-a <#RRGGBB>': it must be a colour like #C72926",
        ),
        ("capture", "the following required arguments were not provided: --out <DIR>"),
        ("capture --out d --fps 0", "invalid value '0' for '--fps <RATE>': 0 frames a second is outside 1/3600..10000"),
        (
            "capture --out d --size 0x9",
            "invalid value '0x9' for '--size <WxH>': write width x height in pixels, each 1..8192, like 1280x720",
        ),
        (
            "capture --out d --frames 9..9",
            "invalid value '9..9' for '--frames <A..B>': write the first frame and the one after the last, like 0..120",
        ),
        ("capture --out d --seconds 1 --frames 30..61", "--frames: 30..61 reaches beyond the shot's 60 frames"),
        ("capture --out d --seconds 0", "--seconds: a shot of 0 frames; make it longer"),
        (
            "--osc 9000",
            "invalid value '9000' for '--osc <ADDRESS:PORT>': write an address and a port, like 127.0.0.1:9000 or 0.0.0.0:9000",
        ),
    ] {
        assert_eq!(wrong(words), told, "{words}");
    }
    assert!(wrong("--look-pattern cheks").ends_with("(did you mean checks?)"));
    assert!(wrong("--seed 5000000000").contains("it must be a whole number"));
    assert!(wrong("--wind-speed 3 capture --out d").contains("cannot be used with"));
}

#[test]
fn short_help_is_short_and_long_help_has_every_row() {
    let short = text("-h");
    assert!(short.lines().count() < 40, "{short}");
    assert!(short.contains("--seed") && !short.contains("--wind-speed"), "{short}");
    let long = text("--help");
    for row in ROWS {
        assert!(long.contains(&format!("--{}", row.flag())) || row.id == "wind.seed", "{}", row.id);
    }
    assert!(text("capture --help").contains("--link-tether"));
    assert_eq!(text("--version"), format!("pennon {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_other_commands() {
    assert_eq!(read("verify some/shot"), Ok(Command::Verify("some/shot".into())));
    assert_eq!(read("params"), Ok(Command::Params(Form::Text)));
    assert_eq!(read("params --markdown"), Ok(Command::Params(Form::Markdown)));
    assert_eq!(read("params --json"), Ok(Command::Params(Form::Json)));
    assert!(wrong("params --json --markdown").contains("cannot be used with"));
    assert_eq!(read("presets"), Ok(Command::Presets));
    assert_eq!(read("presets --check"), Ok(Command::CheckPresets(vec![])));
    assert_eq!(read("presets --check a b"), Ok(Command::CheckPresets(vec!["a".into(), "b".into()])));
    assert_eq!(read("bench"), Ok(Command::Bench { json: false }));
    assert_eq!(read("bench --json"), Ok(Command::Bench { json: true }));
    assert!(text("-h").contains("bench") && text("bench --help").contains("--json"));
}
