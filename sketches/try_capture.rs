//! try
use pennon::capture::*;
fn main() {
    let mut preset = pennon::params::Preset::default();
    let mut out = std::path::PathBuf::from("/tmp/st/cap");
    let mut frames = 0..1;
    let mut rate = "60".parse().unwrap();
    let mut size = (1280, 720);
    for arg in std::env::args().skip(1) {
        let (id, value) = arg.split_once('=').expect("id=value");
        match id {
            "preset" => {
                preset = pennon::params::Library::shipped().by_name(value).expect("preset").clone();
                continue;
            }
            "out" => {
                out = value.into();
                continue;
            }
            "frames" => {
                let (a, b) = value.split_once("..").unwrap();
                frames = a.parse().unwrap()..b.parse().unwrap();
                continue;
            }
            "rate" => {
                rate = value.parse().unwrap();
                continue;
            }
            "size" => {
                let (a, b) = value.split_once('x').unwrap();
                size = (a.parse().unwrap(), b.parse().unwrap());
                continue;
            }
            "picture" => {
                preset.picture = Some(value.into());
                continue;
            }
            _ => {}
        }
        let row = pennon::params::RowId::from_id(id).expect("row");
        let json: serde_json::Value = serde_json::from_str(value).unwrap_or(serde_json::Value::String(value.into()));
        let value = pennon::params::Value::from_json(row, &json).expect("value");
        assert!(preset.values.set(row, value));
    }
    let r = run(&Request { preset, rate, frames, size, out }, &mut |_| {});
    match r {
        Ok(s) => eprintln!("{s:?} {:.1} ms a frame", s.elapsed.as_secs_f64() * 1e3 / s.frames as f64),
        Err(e) => {
            eprintln!("{e}");
            std::process::exit(2)
        }
    }
}
