//! Frames of shots on the adapter that is there, a software one included. Without any adapter they fail.

use crate::scratch::Scratch;
use pennon::capture::{CaptureError, Request, run};
use pennon::export::Shot;
use pennon::export::shot::sha256_hex;
use pennon::params::table::PATTERNS;
use pennon::params::{Preset, RowId, Value};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;

fn request(preset: Preset, frames: Range<u64>, out: &Path) -> Request {
    let rate = "24000/1001".parse().expect("a rate");
    Request { preset, rate, frames, size: (160, 90), out: out.to_owned() }
}

fn shoot(preset: Preset, frames: Range<u64>, out: &Path) {
    run(&request(preset, frames, out), &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
}

/// The pixels of a frame, three bytes each.
fn pixels(out: &Path, index: u64) -> Vec<[u8; 3]> {
    let bytes = fs::read(out.join(format!("frame-{index:06}.png"))).expect("a frame");
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("pixels");
    pixels.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

/// Flat light, a flat background and nothing but the cloth: what is drawn is the pattern's colours.
fn neutral() -> Preset {
    let mut preset = Preset::default();
    for (row, value) in [
        (RowId::LookShade, Value::Float(0.0)),
        (RowId::LookVignette, Value::Float(0.0)),
        (RowId::LookPole, Value::Switch(false)),
        (RowId::WhiskersVisible, Value::Switch(false)),
    ] {
        assert!(preset.values.set(row, value));
    }
    preset
}

fn colour(bytes: [u8; 3]) -> Value {
    let [r, g, b] = bytes.map(|byte| f32::from(byte) / 255.0);
    Value::Colour([r, g, b, 1.0])
}

#[test]
fn the_same_shot_twice_is_the_same_to_the_byte_and_says_what_it_holds() {
    let scratch = Scratch::new();
    let (one, two) = (scratch.path().join("one"), scratch.path().join("two"));
    let mut seen = Vec::new();
    run(&request(Preset::default(), 3..7, &one), &mut |progress| seen.push((progress.done, progress.total)))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(seen, [(1, 4), (2, 4), (3, 4), (4, 4)]);
    shoot(Preset::default(), 3..7, &two);
    let mut names: Vec<_> = fs::read_dir(&one).expect("folder").flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    assert_eq!(names, ["frame-000003.png", "frame-000004.png", "frame-000005.png", "frame-000006.png", "shot.json"]);
    assert_eq!(fs::read_dir(&two).expect("folder").count(), names.len());
    for name in names {
        let same = fs::read(one.join(&name)).expect("file") == fs::read(two.join(&name)).expect("file");
        assert!(same, "{} differs", name.display());
    }
    // Into the same folder again; another shot is refused and touches nothing.
    shoot(Preset::default(), 3..7, &two);
    let mut other = request(Preset::default(), 3..7, &two);
    other.size = (80, 45);
    let error = run(&other, &mut |_| {}).expect_err("another shot");
    assert!(matches!(error, CaptureError::OtherShot { .. }), "{error}");
    assert!(two.join("shot.json").exists());

    let shot = Shot::parse(&fs::read_to_string(one.join("shot.json")).expect("text")).expect("a shot");
    assert_eq!(shot.head.preset, Preset::default());
    for record in &shot.frames {
        let rgba: Vec<u8> = pixels(&one, record.index).iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
        assert_eq!(sha256_hex(&rgba), record.sha256);
    }
    // Each frame is its own: the flag moves from the first on.
    let hashes: BTreeSet<_> = shot.frames.iter().map(|record| &record.sha256).collect();
    assert_eq!(hashes.len(), 4);
    // A share draws what the whole draws.
    let share = scratch.path().join("share");
    shoot(Preset::default(), 5..6, &share);
    assert_eq!(pixels(&share, 5), pixels(&one, 5));
}

#[test]
fn a_colour_of_the_pattern_arrives_to_the_bit() {
    let scratch = Scratch::new();
    let (cloth, behind) = ([200, 30, 40], [25, 27, 33]);
    let mut preset = neutral();
    preset.values.set(RowId::LookPattern, Value::Choice(1));
    preset.values.set(RowId::LookColourA, colour(cloth));
    preset.values.set(RowId::LookBackground, colour(behind));
    shoot(preset.clone(), 12..13, &scratch.path().join("flat"));
    let picture = pixels(&scratch.path().join("flat"), 12);
    let count =
        |wanted: [u8; 3]| picture.iter().filter(|pixel| **pixel == wanted).count() as f32 / picture.len() as f32;
    let (on, off) = (count(cloth), count(behind));
    assert!(on > 0.15, "{on} of the picture is cloth");
    assert!(off > 0.4, "{off} of the picture is background");
    // All else is an edge between the two.
    assert!(on + off > 0.95, "{on} + {off}");

    // One stop is twice the light: 0.5 in linear light is 188 in sRGB, 1.0 is 255.
    let brighter = scratch.path().join("brighter");
    preset.values.set(RowId::LookColourA, colour([188, 188, 188]));
    preset.values.set(RowId::LookExposure, Value::Float(1.0));
    shoot(preset, 12..13, &brighter);
    let most = pixels(&brighter, 12).into_iter().filter(|pixel| pixel.iter().all(|part| *part >= 254)).count();
    assert!(most as f32 > 0.15 * picture.len() as f32, "{most} pixels");
}

#[test]
fn every_pattern_is_drawn_and_none_is_another() {
    let scratch = Scratch::new();
    let mut seen = BTreeSet::new();
    for (index, name) in PATTERNS.iter().enumerate() {
        let mut preset = neutral();
        preset.values.set(RowId::LookPattern, Value::Choice(index as u8));
        if *name == "picture" {
            let file = scratch.path().join("two.png");
            let mut encoder = png::Encoder::new(fs::File::create(&file).expect("file"), 2, 1);
            encoder.set_color(png::ColorType::Rgb);
            let mut writer = encoder.write_header().expect("header");
            writer.write_image_data(&[0, 255, 0, 0, 0, 255]).expect("pixels");
            writer.finish().expect("end");
            preset.picture = Some(file.to_string_lossy().into_owned());
        }
        let out = scratch.path().join(name);
        shoot(preset, 12..13, &out);
        let picture = pixels(&out, 12);
        if *name == "picture" {
            // What it was is told, and not where it lay.
            let text = fs::read_to_string(out.join("shot.json")).expect("text");
            let shot = Shot::parse(&text).expect("a shot");
            let file = fs::read(scratch.path().join("two.png")).expect("file");
            assert_eq!(shot.head.picture_sha256, Some(sha256_hex(&file)));
            assert_eq!(shot.head.preset.picture.as_deref(), Some("two.png"));
            // The picture's left half is at the hoist.
            let (left, right) = (picture[45 * 160 + 45], picture[45 * 160 + 95]);
            assert!(left[1] > 200 && left[1] > 2 * left[2].min(127), "{left:?}");
            assert!(right[2] > 200 && right[2] > 2 * right[1].min(127), "{right:?}");
        }
        assert!(seen.insert(picture), "{name} looks like another");
    }
}

#[test]
fn a_shot_that_cannot_be_made_says_why_and_leaves_nothing() {
    let scratch = Scratch::new();
    let out = scratch.path().join("shot");
    let failed = |request: &Request| run(request, &mut |_| {}).expect_err("must fail");

    let mut preset = Preset::default();
    preset.values.set(RowId::LookPattern, Value::Choice(PATTERNS.len() as u8 - 1));
    preset.picture = Some("no-such-picture.png".to_owned());
    let error = failed(&request(preset, 0..2, &out));
    assert!(matches!(&error, CaptureError::Picture(why) if why.contains("no-such-picture.png")), "{error}");

    let mut wrong = request(Preset::default(), 0..2, &out);
    wrong.size = (0, 90);
    assert_eq!(failed(&wrong).to_string(), "size 0x90 must be from 1x1 to 8192x8192 pixels");
    assert!(matches!(failed(&request(Preset::default(), 2..2, &out)), CaptureError::Frames { .. }));
    assert!(!out.exists());
}

/// Longest that a sketch may take for its few frames, far above what a software adapter needs.
#[cfg(target_os = "linux")]
const SKETCH_SECONDS: u64 = 180;

/// An X display: the one that is there, or one of its own that goes away with it.
#[cfg(target_os = "linux")]
struct Display {
    name: String,
    server: Option<std::process::Child>,
}

#[cfg(target_os = "linux")]
impl Display {
    fn new() -> Self {
        use std::io::Read;
        use std::process::{Command, Stdio};

        if let Some(name) = std::env::var("DISPLAY").ok().filter(|name| !name.is_empty()) {
            return Display { name, server: None };
        }
        // The X server picks a free number and tells it.
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "640x360x24"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("this test needs a display: set DISPLAY or install Xvfb (package xvfb)");
        let mut told = server.stdout.take().expect("piped");
        let mut display = Display { name: ":".to_owned(), server: Some(server) };
        let mut byte = [0];
        while told.read(&mut byte).is_ok_and(|count| count == 1) && byte != *b"\n" {
            display.name.push(char::from(byte[0]));
        }
        assert!(display.name.len() > 1, "Xvfb did not start; set DISPLAY to a display for this test");
        display
    }
}

#[cfg(target_os = "linux")]
impl Drop for Display {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

/// The sketches in a window: each runs for some frames and ends by itself.
#[cfg(target_os = "linux")]
#[test]
fn the_sketches_fly() {
    use std::process::Command;
    use std::time::{Duration, Instant};

    let display = Display::new();
    let scratch = Scratch::new();
    let folder = std::env::current_exe().expect("a path");
    let folder = folder.parent().and_then(Path::parent).expect("target folder").join("examples");
    for name in ["nannou_flag", "bevy_flag", "own_drawing"] {
        let sketch = folder.join(name);
        // Into a file: a pipe that nobody empties would stop it.
        let told = scratch.file(name, "");
        let file = fs::File::create(&told).expect("file");
        let mut running = Command::new(&sketch)
            .env("PENNON_SKETCH_FRAMES", "12")
            .env("DISPLAY", &display.name)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .stdout(file.try_clone().expect("file"))
            .stderr(file)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; build it with `cargo build --examples`", sketch.display()));
        let started = Instant::now();
        let status = loop {
            match running.try_wait().expect("a status") {
                Some(status) => break Some(status),
                None if started.elapsed() > Duration::from_secs(SKETCH_SECONDS) => {
                    let _ = running.kill();
                    let _ = running.wait();
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(50)),
            }
        };
        let said = fs::read_to_string(&told).expect("text");
        let status = status.unwrap_or_else(|| panic!("{name} did not end within {SKETCH_SECONDS} s\n{said}"));
        assert!(status.success(), "{name}: {status}\n{said}");
        assert!(!said.contains("ERROR") && !said.contains("panicked"), "{name}:\n{said}");
    }
}
