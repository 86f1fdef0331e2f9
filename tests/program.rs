//! Runs the program as a person does.

use crate::scratch::Scratch;
use pennon::export::{FrameRecord, Shot, ShotHead};
use pennon::params::{FlagSpec, Preset, Scene};
use pennon::perform::{ALGORITHM, Performance};
use std::path::Path;
use std::process::Command;

/// Exit status, standard output, standard error. The user's own presets stay out of it: `home` stands
/// for the home folder.
fn pennon(home: &Path, words: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pennon"))
        .args(words)
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join(".config"))
        .output()
        .expect("the program");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("a status"), text(output.stdout), text(output.stderr))
}

fn shot() -> Shot {
    let flag = FlagSpec { columns: 8, rows: 5, ..FlagSpec::default() };
    let preset = Preset { scene: Scene { flags: vec![flag], ..Scene::default() }, ..Preset::default() };
    let rate = "24000/1001".parse().expect("a rate");
    let mut performance = Performance::new(&preset).expect("a small scene");
    let mut frames = Vec::new();
    for index in 0..12 {
        while performance.ticks() < rate_tick(rate, index) {
            performance.tick(&[]);
        }
        frames.push(FrameRecord::new(rate, index, performance.digest(), &[]));
    }
    let (version, adapter) = ("0.1.0".to_owned(), "none".to_owned());
    let head = ShotHead { algorithm: ALGORITHM, version, preset, size: (8, 8), rate, adapter, picture_sha256: None };
    Shot { head, frames }
}

fn rate_tick(rate: pennon::export::Rate, index: u64) -> u64 {
    rate.frame_at(index).tick
}

#[test]
fn a_shot_is_verified_and_the_first_difference_named() {
    let home = Scratch::new();
    let mut shot = shot();
    let file = home.file("shot/shot.json", &shot.to_text());
    let (file, folder) = (file.to_str().expect("text"), home.path().join("shot"));
    for path in [file, folder.to_str().expect("text")] {
        let (status, out, err) = pennon(home.path(), &["verify", path]);
        assert_eq!((status, err.as_str()), (0, ""), "{out}");
        assert_eq!(out, "12 frames over 55 ticks: every digest is the same\n");
    }

    shot.frames[7].digest.0 ^= 1;
    shot.frames[9].digest.0 ^= 1;
    home.file("shot/shot.json", &shot.to_text());
    let (status, out, err) = pennon(home.path(), &["verify", file]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.starts_with("pennon: frame 7 (tick 35, 7007/24000 s) differs first: "), "{err}");

    shot.head.algorithm += 1;
    home.file("shot/shot.json", &shot.to_text());
    let (status, _, err) = pennon(home.path(), &["verify", file]);
    assert_eq!(status, 2);
    assert!(err.contains("was made by algorithm"), "{err}");

    let (status, _, err) = pennon(home.path(), &["verify", home.path().join("nothing").to_str().expect("text")]);
    assert_eq!((status, err.lines().count()), (2, 1));
    assert!(err.starts_with("pennon: cannot read "), "{err}");
}

#[test]
fn presets_are_listed_and_checked_strictly() {
    let home = Scratch::new();
    let (status, out, err) = pennon(home.path(), &["presets"]);
    assert_eq!((status, err.as_str()), (0, ""));
    for name in ["default", "source", "calm", "breeze", "gale", "storm", "silk", "banner"] {
        assert!(out.lines().any(|line| line.split_whitespace().nth(1) == Some(name)), "{name}: {out}");
    }
    assert_eq!(
        pennon(home.path(), &["presets", "--check"]),
        (0, "8 presets checked, 0 with faults\n".into(), "".into())
    );

    let good = home.file("good.toml", "[wind]\nspeed = 3\n");
    let bad = home.file("bad.toml", "[wind]\nspeed = 300\nsped = 2\n");
    let (good, bad) = (good.to_str().expect("text"), bad.to_str().expect("text"));
    let (status, out, err) = pennon(home.path(), &["presets", "--check", good, bad]);
    assert_eq!((status, out.as_str()), (1, "2 presets checked, 1 with faults\n"));
    assert_eq!(
        err,
        format!(
            "pennon: {bad}: wind.speed = 300 is outside 0..40 m/s; 40.0 is used\n\
             pennon: {bad}: unknown key wind.sped (did you mean wind.speed?); it is kept and does nothing\n"
        )
    );
    let (status, _, err) = pennon(home.path(), &["presets", "--check", "no such file"]);
    assert_eq!((status, err.lines().count()), (2, 1), "{err}");
}

// Where the configuration folder lies is the system's affair elsewhere.
#[cfg(target_os = "linux")]
#[test]
fn the_users_presets_shadow_the_shipped_ones() {
    let home = Scratch::new();
    home.file(".config/pennon/presets/gale.toml", "# My own gale.\n[wind]\nspeed = 17\n");
    home.file(".config/pennon/presets/broken.toml", "[wind\n");
    let (status, out, err) = pennon(home.path(), &["presets"]);
    assert_eq!(status, 0);
    assert!(out.contains("  4  gale         My own gale.\n") && !out.contains("Fifteen"), "{out}");
    assert!(err.starts_with("pennon: preset broken is left out: line 1, column "), "{err}");
    assert_eq!(pennon(home.path(), &["presets", "--check"]).0, 1);
}

#[test]
fn the_table_is_printed_in_three_forms() {
    let home = Scratch::new();
    let print = |form: &[&str]| {
        let (status, out, err) = pennon(home.path(), form);
        assert_eq!((status, err.as_str()), (0, ""));
        out
    };
    assert_eq!(print(&["params", "--json"]), pennon::params::reference::json());
    assert_eq!(print(&["params", "--markdown"]), pennon::params::reference::markdown());
    assert!(print(&["params"]).contains("/wind/gust_rate"));
}

#[test]
fn wrong_use_is_one_line_and_status_2() {
    let home = Scratch::new();
    for words in [
        &["--wind-sped", "3"][..],
        &["--preset", "galle"],
        &["--preset", "nowhere.toml"],
        &["capture"],
        &["capture", "--out", "x", "--fps", "0"],
        &["verify"],
        &["no-such-command"],
    ] {
        let (status, out, err) = pennon(home.path(), words);
        assert_eq!((status, out.as_str(), err.lines().count()), (2, "", 1), "{words:?}: {err}");
        assert!(err.starts_with("pennon: "), "{err}");
    }
    let (_, _, err) = pennon(home.path(), &["--preset", "galle"]);
    assert_eq!(err, "pennon: there is no preset galle; did you mean gale?\n");
}

// The whole of what a build without the stage answers.
#[cfg(not(feature = "stage"))]
#[test]
fn without_the_stage_it_says_so() {
    let home = Scratch::new();
    for words in [&[][..], &["play"], &["capture", "--out", "x"]] {
        let (status, _, err) = pennon(home.path(), words);
        assert_eq!(status, 2);
        assert!(err.starts_with("pennon: this pennon was built without the stage; "), "{err}");
    }
}
