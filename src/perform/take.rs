//! A take's lines: what was played, as text that replays to the bit.
//!
//! One JSON object a line: a head, then changes, a digest now and then, and an end. Ticks are absolute.
//! Numbers are the shortest text that reads back to the same float. It must not know files.

use super::change::{Body, Change, Cue, Hand, Source};
use super::{ALGORITHM, Digest, TICK_HERTZ};
use crate::params::values::shortest;
use crate::params::{Preset, RowId, Scene, Value};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// The version of the lines' form.
pub const FORM: u64 = 1;

/// The first line of a take.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// Arithmetic that the digests belong to.
    pub algorithm: u32,
    /// Version of the program that wrote it.
    pub version: String,
    /// The tick at which it begins.
    pub tick: u64,
    /// Rows and structure by value.
    pub preset: Preset,
    /// The state at that tick; without it, at rest and just reset.
    pub start: Option<Json>,
}

impl Head {
    /// The head of a take by this program.
    pub fn new(tick: u64, preset: Preset) -> Self {
        Head { algorithm: ALGORITHM, version: env!("CARGO_PKG_VERSION").to_owned(), tick, preset, start: None }
    }
}

/// Any other line.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// A change.
    Change(Change),
    /// The digest after all changes before tick `tick`.
    Digest {
        /// The tick.
        tick: u64,
        /// The digest.
        digest: Digest,
    },
    /// The end: nothing is played from `tick` on.
    End {
        /// The tick.
        tick: u64,
        /// The digest.
        digest: Digest,
    },
}

/// Why a line cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TakeError {
    /// Not JSON: a line that was cut off, for instance.
    #[error("not a line of a take: {0}")]
    Json(String),
    /// Something is missing or is not what it should be.
    #[error("{key} {what} in {line}")]
    Key {
        /// The key.
        key: &'static str,
        /// What is wrong with it.
        what: &'static str,
        /// The line, shortened.
        line: String,
    },
    /// Written by a newer program.
    #[error("a take of form {found}; this version reads form {FORM}; update pennon")]
    NewerForm {
        /// In the text.
        found: u64,
    },
    /// Made for another tick rate.
    #[error("a take at {found} ticks a second; this version plays {TICK_HERTZ}")]
    TickRate {
        /// In the text.
        found: u64,
    },
    /// A preset or structure by value that cannot be used.
    #[error(transparent)]
    Preset(#[from] crate::params::PresetError),
}

/// Longest part of a line that an error shows, in characters.
const SHOWN: usize = 80;

/// The head as a line, without its end of line.
pub fn write_head(head: &Head) -> String {
    let mut line = json!({
        "pennon_take": FORM,
        "algorithm": head.algorithm,
        "version": head.version,
        "tick_hertz": TICK_HERTZ,
        "tick": head.tick,
        "preset": head.preset.to_json(),
    });
    if let Some(start) = &head.start {
        line["start"] = start.clone();
    }
    line.to_string()
}

/// Reads what [`write_head`] writes.
pub fn read_head(text: &str) -> Result<Head, TakeError> {
    let line = Reader::new(text)?;
    let form = line.u64("pennon_take")?;
    if form != FORM {
        return Err(TakeError::NewerForm { found: form });
    }
    let hertz = line.u64("tick_hertz")?;
    if hertz != u64::from(TICK_HERTZ) {
        return Err(TakeError::TickRate { found: hertz });
    }
    let algorithm = u32::try_from(line.u64("algorithm")?).map_err(|_| line.wrong("algorithm", "is too large"))?;
    Ok(Head {
        algorithm,
        version: line.text("version")?.to_owned(),
        tick: line.u64("tick")?,
        preset: Preset::from_json(line.get("preset")?)?,
        start: line.json.get("start").cloned(),
    })
}

/// A line, without its end of line.
pub fn write_line(line: &Line) -> String {
    match line {
        Line::Digest { tick, digest } => json!({"t": tick, "digest": digest.to_string()}),
        Line::End { tick, digest } => json!({"t": tick, "end": true, "digest": digest.to_string()}),
        Line::Change(change) => {
            let mut object = Map::new();
            object.insert("t".to_owned(), change.tick.into());
            object.insert("from".to_owned(), change.source.name().into());
            write_body(&change.body, &mut |key, value| {
                object.insert(key.to_owned(), value);
            });
            Json::Object(object)
        }
    }
    .to_string()
}

fn write_body(body: &Body, put: &mut dyn FnMut(&str, Json)) {
    let place = |point: [f32; 3]| Json::from(point.map(shortest).to_vec());
    match body {
        Body::Set { row, value } => {
            put("set", row.row().address().into());
            put("to", value.to_json(*row));
        }
        Body::Add { row, by } => {
            put("add", row.row().address().into());
            put("by", shortest(*by).into());
        }
        Body::Scale { row, by } => {
            put("scale", row.row().address().into());
            put("by", shortest(*by).into());
        }
        Body::Cue(cue) => {
            put("cue", cue_address(*cue).into());
            match cue {
                Cue::WindTime(seconds) => put("args", json!([seconds])),
                Cue::Gust(strength) => put("args", json!([shortest(*strength)])),
                _ => {}
            }
        }
        Body::Hand(Hand::Grab { flag, particle }) => {
            put("hand", "grab".into());
            put("flag", (*flag).into());
            put("particle", (*particle).into());
        }
        Body::Hand(Hand::GrabNearest(point)) => {
            put("hand", "grab".into());
            put("near", place(*point));
        }
        Body::Hand(Hand::Move(point)) => {
            put("hand", "move".into());
            put("at", place(*point));
        }
        Body::Hand(Hand::Release) => put("hand", "release".into()),
        Body::Recall { preset, seconds } => {
            put("recall", preset.to_json());
            put("seconds", shortest(*seconds).into());
        }
        Body::Structure(scene) => put("structure", scene_to_json(scene)),
        Body::Tempo { bpm, beat } => {
            put("tempo", (*bpm).into());
            put("beat", (*beat).into());
        }
        Body::Input { name, value } => {
            put("input", name.as_ref().into());
            put("to", shortest(*value).into());
        }
    }
}

/// Reads what [`write_line`] writes.
pub fn read_line(text: &str) -> Result<Line, TakeError> {
    let line = Reader::new(text)?;
    let tick = line.u64("t")?;
    if line.has("digest") {
        let digest = line.text("digest")?;
        let digest = digest.parse().map_err(|_| line.wrong("digest", "is not 16 hex digits"))?;
        return Ok(if line.has("end") { Line::End { tick, digest } } else { Line::Digest { tick, digest } });
    }
    let source = match line.json.get("from") {
        None => Source::Host,
        Some(_) => Source::from_name(line.text("from")?).ok_or_else(|| line.wrong("from", "is no known source"))?,
    };
    Ok(Line::Change(Change { tick, source, body: read_body(&line)? }))
}

fn read_body(line: &Reader<'_>) -> Result<Body, TakeError> {
    if line.has("set") {
        let row = line.row("set")?;
        // Strict: a take means one exact state.
        let value = Value::from_json(row, line.get("to")?).filter(|value| row.row().accept(*value) == Some(*value));
        return Ok(Body::Set { row, value: value.ok_or_else(|| line.wrong("to", "is no value of that parameter"))? });
    }
    if line.has("add") {
        return Ok(Body::Add { row: line.row("add")?, by: line.f32("by")? });
    }
    if line.has("scale") {
        return Ok(Body::Scale { row: line.row("scale")?, by: line.f32("by")? });
    }
    if line.has("cue") {
        let argument = line.json.get("args").and_then(|args| args.get(0)).and_then(Json::as_f64);
        let cue = CUES.iter().find(|(_, address)| line.text("cue") == Ok(*address)).map(|(cue, _)| *cue);
        return match (cue, argument) {
            (Some(Cue::WindTime(_)), Some(seconds)) => Ok(Body::Cue(Cue::WindTime(seconds))),
            (Some(Cue::Gust(_)), Some(strength)) => Ok(Body::Cue(Cue::Gust(strength as f32))),
            (Some(Cue::WindTime(_) | Cue::Gust(_)), None) => Err(line.wrong("args", "is missing")),
            (Some(cue), _) => Ok(Body::Cue(cue)),
            (None, _) => Err(line.wrong("cue", "is no known cue")),
        };
    }
    if line.has("hand") {
        return Ok(Body::Hand(match line.text("hand")? {
            "grab" if line.has("near") => Hand::GrabNearest(line.place("near")?),
            "grab" => Hand::Grab { flag: line.u32("flag")?, particle: line.u32("particle")? },
            "move" => Hand::Move(line.place("at")?),
            "release" => Hand::Release,
            _ => return Err(line.wrong("hand", "is neither grab, move nor release")),
        }));
    }
    if line.has("recall") {
        let preset = Arc::new(Preset::from_json(line.get("recall")?)?);
        return Ok(Body::Recall { preset, seconds: line.f32("seconds")? });
    }
    if line.has("structure") {
        return Ok(Body::Structure(Arc::new(Preset::from_json(line.get("structure")?)?.scene)));
    }
    if line.has("tempo") {
        return Ok(Body::Tempo { bpm: line.f64("tempo")?, beat: line.f64("beat")? });
    }
    if line.has("input") {
        return Ok(Body::Input { name: line.text("input")?.into(), value: line.f32("to")? });
    }
    Err(line.wrong("set, add, scale, cue, hand, recall, structure, tempo or input", "is missing"))
}

/// The cues and their addresses.
const CUES: &[(Cue, &str)] = &[
    (Cue::Reset, "/cue/reset"),
    (Cue::Panic, "/cue/panic"),
    (Cue::Freeze, "/cue/freeze"),
    (Cue::Blackout, "/cue/blackout"),
    (Cue::SeedNext, "/cue/seed_next"),
    (Cue::WindTime(0.0), "/cue/wind_time"),
    (Cue::Gust(0.0), "/cue/gust"),
];

fn cue_address(cue: Cue) -> &'static str {
    let same = |known: &Cue| std::mem::discriminant(known) == std::mem::discriminant(&cue);
    CUES.iter().find(|(known, _)| same(known)).map_or("", |(_, address)| address)
}

/// Flags and solver, the part of a preset by value that is structure.
fn scene_to_json(scene: &Scene) -> Json {
    let mut json = Preset { scene: scene.clone(), ..Preset::default() }.to_json();
    if let Json::Object(object) = &mut json {
        object.retain(|key, _| key == "flags" || key == "solver");
    }
    json
}

/// One line being read; its errors show it.
struct Reader<'a> {
    text: &'a str,
    json: Json,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Result<Self, TakeError> {
        let json: Json = serde_json::from_str(text).map_err(|error| TakeError::Json(error.to_string()))?;
        Ok(Reader { text, json })
    }

    fn wrong(&self, key: &'static str, what: &'static str) -> TakeError {
        let mut line: String = self.text.chars().take(SHOWN).collect();
        if line.len() < self.text.len() {
            line.push('…');
        }
        TakeError::Key { key, what, line }
    }

    fn has(&self, key: &str) -> bool {
        self.json.get(key).is_some()
    }

    fn get(&self, key: &'static str) -> Result<&Json, TakeError> {
        self.json.get(key).ok_or_else(|| self.wrong(key, "is missing"))
    }

    fn text(&self, key: &'static str) -> Result<&str, TakeError> {
        self.get(key)?.as_str().ok_or_else(|| self.wrong(key, "is not a text"))
    }

    fn u64(&self, key: &'static str) -> Result<u64, TakeError> {
        self.get(key)?.as_u64().ok_or_else(|| self.wrong(key, "is not a whole number"))
    }

    fn u32(&self, key: &'static str) -> Result<u32, TakeError> {
        u32::try_from(self.u64(key)?).map_err(|_| self.wrong(key, "is too large"))
    }

    fn f64(&self, key: &'static str) -> Result<f64, TakeError> {
        self.get(key)?.as_f64().ok_or_else(|| self.wrong(key, "is not a number"))
    }

    fn f32(&self, key: &'static str) -> Result<f32, TakeError> {
        let number = self.f64(key)? as f32;
        if number.is_finite() { Ok(number) } else { Err(self.wrong(key, "is too large")) }
    }

    fn row(&self, key: &'static str) -> Result<RowId, TakeError> {
        RowId::from_address(self.text(key)?).ok_or_else(|| self.wrong(key, "is no parameter of this version"))
    }

    fn place(&self, key: &'static str) -> Result<[f32; 3], TakeError> {
        let list = self.get(key)?.as_array().filter(|list| list.len() == 3);
        let list = list.ok_or_else(|| self.wrong(key, "is not three numbers"))?;
        let mut place = [0.0; 3];
        for (slot, number) in place.iter_mut().zip(list) {
            *slot = number.as_f64().ok_or_else(|| self.wrong(key, "is not three numbers"))? as f32;
        }
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies() -> Vec<Body> {
        let row = RowId::WindSpeed;
        let mut preset = Preset { name: "mine".to_owned(), ..Preset::default() };
        preset.values.set(RowId::WindSpeed, Value::Float(12.1));
        preset.scene.flags[0].columns = 9;
        let scene = preset.scene.clone();
        let mut bodies = vec![
            Body::Set { row, value: Value::Float(f32::from_bits(0x3f9d_70a4)) },
            Body::Set { row: RowId::WindSeed, value: Value::Int(i32::MIN) },
            Body::Set { row: RowId::LookPattern, value: Value::Choice(3) },
            Body::Set { row: RowId::LookPole, value: Value::Switch(false) },
            Body::Set { row: RowId::LookColourA, value: Value::Colour([0.1, 1.0 / 3.0, 0.0, 0.7]) },
            Body::Add { row, by: -0.1 },
            Body::Scale { row, by: 1e-20 },
            Body::Hand(Hand::Grab { flag: 2, particle: 63 }),
            Body::Hand(Hand::GrabNearest([0.1, -2.5e-7, 3.0])),
            Body::Hand(Hand::Move([1e6, 0.3, -0.7])),
            Body::Hand(Hand::Release),
            Body::Recall { preset: Arc::new(preset), seconds: 2.2 },
            Body::Structure(Arc::new(scene)),
            Body::Tempo { bpm: 128.1, beat: 1.0 / 3.0 },
            Body::Input { name: "sound/level".into(), value: 0.4 },
        ];
        bodies.extend(CUES.iter().map(|(cue, _)| Body::Cue(*cue)));
        bodies.push(Body::Cue(Cue::WindTime(12.000_000_1)));
        bodies.push(Body::Cue(Cue::Gust(0.8)));
        bodies
    }

    #[test]
    fn every_line_reads_back_to_itself() {
        for (i, body) in bodies().into_iter().enumerate() {
            let source = Source::ALL[i % Source::ALL.len()].0;
            let line = Line::Change(Change { tick: 4310 + i as u64, source, body });
            let text = write_line(&line);
            assert!(!text.contains('\n'));
            assert_eq!(read_line(&text).as_ref(), Ok(&line), "{text}");
        }
        for line in [Line::Digest { tick: 5, digest: Digest(0x9f2c) }, Line::End { tick: u64::MAX, digest: Digest(7) }]
        {
            assert_eq!(read_line(&write_line(&line)), Ok(line));
        }
    }

    #[test]
    fn every_cue_has_its_address_in_the_table() {
        for (_, address) in CUES {
            assert!(crate::params::CUES.iter().any(|row| row.address == *address), "{address}");
        }
    }

    #[test]
    fn lines_have_the_documented_form() {
        let line = |tick, source, body| write_line(&Line::Change(Change { tick, source, body }));
        let set = Body::Set { row: RowId::WindSpeed, value: Value::Float(12.5) };
        assert_eq!(line(4362, Source::Osc, set), r#"{"t":4362,"from":"osc","set":"/wind/speed","to":12.5}"#);
        let add = Body::Add { row: RowId::WindSpeed, by: 1.0 };
        assert_eq!(line(4371, Source::Osc, add), r#"{"t":4371,"from":"osc","add":"/wind/speed","by":1.0}"#);
        let text = line(4370, Source::Midi, Body::Cue(Cue::Gust(0.8)));
        assert_eq!(text, r#"{"t":4370,"from":"midi","cue":"/cue/gust","args":[0.8]}"#);
        let grab = Body::Hand(Hand::Grab { flag: 0, particle: 63 });
        let text = line(4375, Source::Mouse, grab);
        assert_eq!(text, r#"{"t":4375,"from":"mouse","hand":"grab","flag":0,"particle":63}"#);
        let text = write_line(&Line::End { tick: 40_000, digest: Digest(0x9f2c) });
        assert_eq!(text, r#"{"t":40000,"end":true,"digest":"0000000000009f2c"}"#);
        assert_eq!(read_line(r#"{"t":1,"tempo":120.0,"beat":16.5}"#), {
            let body = Body::Tempo { bpm: 120.0, beat: 16.5 };
            Ok(Line::Change(Change { tick: 1, source: Source::Host, body }))
        });
    }

    #[test]
    fn the_head_reads_back_and_names_what_it_cannot_play() {
        let mut head = Head::new(4310, Preset { name: "gale".to_owned(), ..Preset::default() });
        head.start = Some(json!({"gust_phases": [0.1, 2.0]}));
        let text = write_head(&head);
        assert_eq!(read_head(&text), Ok(head));
        let other = text.replace("\"tick_hertz\":120", "\"tick_hertz\":60");
        assert_eq!(
            read_head(&other).expect_err("60").to_string(),
            "a take at 60 ticks a second; this version plays 120"
        );
        let newer = text.replace("\"pennon_take\":1", "\"pennon_take\":2");
        assert!(read_head(&newer).expect_err("2").to_string().contains("form 2"));
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said() {
        let error = |text: &str| read_line(text).expect_err("wrong").to_string();
        assert!(error(r#"{"t":1,"set":"/wind/sp"#).starts_with("not a line of a take: EOF"));
        assert_eq!(
            error(r#"{"t":1,"set":"/wind/sped","to":1}"#),
            r#"set is no parameter of this version in {"t":1,"set":"/wind/sped","to":1}"#
        );
        assert!(error(r#"{"t":1,"set":"/wind/speed","to":41}"#).starts_with("to is no value of that parameter"));
        assert!(error(r#"{"t":1,"set":"/wind/speed"}"#).starts_with("to is missing"));
        assert!(error(r#"{"t":1,"cue":"/cue/wind_time"}"#).starts_with("args is missing"));
        assert!(error(r#"{"t":-1}"#).starts_with("t is not a whole number"));
        assert!(error(r#"{"t":1,"from":"moon","tempo":1}"#).starts_with("from is no known source"));
        assert!(error(r#"{"t":1,"hand":"move","at":[1,2]}"#).starts_with("at is not three numbers"));
    }
}
