//! What is written down of a shot: `shot.json` and the text in each of its pictures.
//!
//! It says by value everything that makes the frames, and nothing about when, where and by whom they
//! were made: two equal runs write the same bytes.

use super::rate::{Fraction, Rate, RateError};
use crate::params::{Preset, PresetError, RowId};
use crate::perform::Digest;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest as _, Sha256};

/// The form of `shot.json` that this version writes, and the newest that it reads.
pub const SHOT_FORM: u64 = 1;
/// Name of the description in a shot's folder.
pub const SHOT_FILE: &str = "shot.json";
/// Keyword of the text in a picture.
pub const PNG_KEYWORD: &str = "pennon";
/// Colour space of the pictures.
pub const COLOUR_SPACE: &str = "sRGB";
/// Largest width and height of a picture, px: what every graphics adapter promises.
pub const LARGEST_SIDE: u32 = 8192;

/// What all frames of a shot have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct ShotHead {
    /// Number of the arithmetic that moved the flag.
    pub algorithm: u32,
    /// Version of the program, for people.
    pub version: String,
    /// Rows and structure at tick 0, by value; the seed is its row `wind.seed`.
    pub preset: Preset,
    /// Width and height, px.
    pub size: (u32, u32),
    /// Frames a second.
    pub rate: Rate,
    /// Name of the graphics adapter: another one may round its colours differently.
    pub adapter: String,
    /// SHA-256 of the file of the picture on the cloth, where one is shown: 64 hexadecimal digits. The
    /// preset names the file alone, without its folder.
    pub picture_sha256: Option<String>,
}

/// One frame of a shot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameRecord {
    /// Its number in the shot, from 0.
    pub index: u64,
    /// Its time, s.
    pub time: Fraction,
    /// The state after this many ticks is the earlier of the two between which it lies.
    pub tick: u64,
    /// Digest of that state.
    pub digest: Digest,
    /// SHA-256 of the RGBA8 pixels, rows from the top: 64 hexadecimal digits.
    pub sha256: String,
}

/// A shot as `shot.json` tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    /// What the frames have in common.
    pub head: ShotHead,
    /// The frames in order; a share of a shot has a part of them.
    pub frames: Vec<FrameRecord>,
}

/// Why a text is no shot.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ShotError {
    /// Not JSON.
    #[error("shot.json is no JSON: {0}")]
    Syntax(String),
    /// Written by a newer program.
    #[error("shot.json has form {found}, this version reads up to {SHOT_FORM}; update pennon")]
    NewerForm {
        /// In the text.
        found: u64,
    },
    /// A key that is missing or cannot be meant.
    #[error("shot.json: {key} must be {wanted}")]
    Key {
        /// Its name.
        key: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// Not the size of a picture.
    #[error("shot.json: size must be two whole numbers 1..={LARGEST_SIDE}")]
    Size,
    /// Its preset is none.
    #[error("shot.json: {0}")]
    Preset(#[from] PresetError),
    /// Its rate is none.
    #[error("shot.json: rate: {0}")]
    Rate(#[from] RateError),
}

impl ShotHead {
    /// The seed of the gust field.
    pub fn seed(&self) -> i32 {
        self.preset.values.int(RowId::WindSeed)
    }

    fn to_json(&self) -> Map<String, Json> {
        let mut json = Map::new();
        json.insert("pennon_shot".to_owned(), SHOT_FORM.into());
        json.insert("algorithm".to_owned(), self.algorithm.into());
        json.insert("version".to_owned(), self.version.clone().into());
        json.insert("seed".to_owned(), self.seed().into());
        json.insert("size".to_owned(), json!([self.size.0, self.size.1]));
        json.insert("rate".to_owned(), self.rate.to_string().into());
        json.insert("colour_space".to_owned(), COLOUR_SPACE.into());
        json.insert("adapter".to_owned(), self.adapter.clone().into());
        let mut preset = self.preset.to_json();
        if let Some(picture) = &self.preset.picture {
            preset["picture"] = file_name(picture).into();
        }
        json.insert("preset".to_owned(), preset);
        if let Some(hash) = &self.picture_sha256 {
            json.insert("picture_sha256".to_owned(), hash.clone().into());
        }
        json
    }

    /// Whether another head describes the same pictures, wherever and by whichever version they are made.
    pub fn same_shot(&self, other: &ShotHead) -> bool {
        let by_value = |head: &ShotHead| head.to_json().remove("preset");
        by_value(self) == by_value(other) && self.size == other.size && self.rate == other.rate
    }

    /// The shot in a few words.
    pub fn in_words(&self) -> String {
        let name = if self.preset.name.is_empty() { "untitled" } else { &self.preset.name };
        let (width, height) = self.size;
        format!("\"{name}\", seed {}, {width}x{height}, {} frames a second", self.seed(), self.rate)
    }

    /// Reads the head out of a shot or out of a picture's text.
    pub fn from_json(json: &Json) -> Result<ShotHead, ShotError> {
        let form = key(json, "pennon_shot", "a whole number", Json::as_u64)?;
        if form > SHOT_FORM {
            return Err(ShotError::NewerForm { found: form });
        }
        let number = |json: &Json| u32::try_from(json.as_u64()?).ok();
        let side = |json: &Json| number(json).filter(|side| (1..=LARGEST_SIDE).contains(side));
        let size = |json: &Json| match json.as_array()?.as_slice() {
            [width, height] => Some((side(width)?, side(height)?)),
            _ => None,
        };
        let head = ShotHead {
            algorithm: key(json, "algorithm", "a whole number", number)?,
            version: key(json, "version", "a text", text)?,
            preset: Preset::from_json(json.get("preset").unwrap_or(&Json::Null))?,
            size: json.get("size").and_then(size).ok_or(ShotError::Size)?,
            rate: key(json, "rate", "a fraction like \"60/1\"", text)?.parse()?,
            adapter: key(json, "adapter", "a text", text)?,
            picture_sha256: match json.get("picture_sha256") {
                Some(_) => Some(key(json, "picture_sha256", "64 hexadecimal digits", |json| hex(json, 64))?),
                None => None,
            },
        };
        // Said twice for people; the preset's is the one that counts.
        if json.get("seed").and_then(Json::as_i64) != Some(head.seed().into()) {
            return Err(ShotError::Key { key: "seed".to_owned(), wanted: "the preset's wind.seed" });
        }
        Ok(head)
    }

    /// The text that a picture of this shot carries under [`PNG_KEYWORD`], in ASCII: the head, and where
    /// the picture belongs in the shot. Which frames a run was asked for does not change it.
    pub fn png_text(&self, frame: &FrameRecord) -> String {
        let mut json = self.to_json();
        let mut place = frame.to_json();
        place.remove("sha256");
        json.insert("frame".to_owned(), Json::Object(place));
        ascii(&Json::Object(json).to_string())
    }
}

impl FrameRecord {
    /// What is known of frame `index` without its picture. `performance` has done exactly the ticks
    /// of [`Rate::frame_at`].
    pub fn new(rate: Rate, index: u64, digest: Digest, rgba: &[u8]) -> Self {
        let place = rate.frame_at(index);
        FrameRecord { index, time: place.time, tick: place.tick, digest, sha256: sha256_hex(rgba) }
    }

    fn to_json(&self) -> Map<String, Json> {
        let mut json = Map::new();
        json.insert("index".to_owned(), self.index.into());
        json.insert("time".to_owned(), self.time.to_string().into());
        json.insert("tick".to_owned(), self.tick.into());
        json.insert("digest".to_owned(), self.digest.to_string().into());
        json.insert("sha256".to_owned(), self.sha256.clone().into());
        json
    }

    fn from_json(json: &Json) -> Result<FrameRecord, ShotError> {
        Ok(FrameRecord {
            index: key(json, "index", "a whole number", Json::as_u64)?,
            time: key(json, "time", "a fraction like \"1/60\"", fraction)?,
            tick: key(json, "tick", "a whole number", Json::as_u64)?,
            digest: key(json, "digest", "16 hexadecimal digits", |json| hex(json, 16)?.parse().ok())?,
            sha256: key(json, "sha256", "64 hexadecimal digits", |json| hex(json, 64))?,
        })
    }
}

impl Shot {
    /// The text of `shot.json`: a line for each key and for each frame.
    pub fn to_text(&self) -> String {
        let mut out = String::from("{\n");
        for (key, value) in self.head.to_json() {
            out += &format!("  {}: {value},\n", Json::from(key));
        }
        out += "  \"frames\": [";
        for (place, frame) in self.frames.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            out += &format!("{comma}\n    {}", Json::Object(frame.to_json()));
        }
        out + "\n  ]\n}\n"
    }

    /// Reads what [`Shot::to_text`] writes. Keys that it does not know are let be.
    pub fn parse(text: &str) -> Result<Shot, ShotError> {
        let json: Json = serde_json::from_str(text).map_err(|error| ShotError::Syntax(error.to_string()))?;
        let head = ShotHead::from_json(&json)?;
        let frames = json.get("frames").and_then(Json::as_array);
        let frames = frames.ok_or(ShotError::Key { key: "frames".to_owned(), wanted: "a list" })?;
        let read = |(place, frame)| {
            FrameRecord::from_json(frame).map_err(|error| match error {
                ShotError::Key { key, wanted } => ShotError::Key { key: format!("frames[{place}].{key}"), wanted },
                other => other,
            })
        };
        let frames = frames.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok(Shot { head, frames })
    }
}

/// SHA-256 as 64 hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn key<T>(
    json: &Json,
    name: &str,
    wanted: &'static str,
    read: impl FnOnce(&Json) -> Option<T>,
) -> Result<T, ShotError> {
    json.get(name).and_then(read).ok_or_else(|| ShotError::Key { key: name.to_owned(), wanted })
}

fn text(json: &Json) -> Option<String> {
    json.as_str().map(str::to_owned)
}

fn hex(json: &Json, digits: usize) -> Option<String> {
    text(json).filter(|hex| hex.len() == digits && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The last part of a path: where the file lies is nobody's affair.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn fraction(json: &Json) -> Option<Fraction> {
    let (num, den) = json.as_str()?.split_once('/')?;
    Fraction::new(num.parse().ok()?, den.parse().ok()?)
}

/// JSON with everything beyond ASCII escaped, since a PNG's plain text chunk holds Latin-1 only.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for part in json.chars() {
        if part.is_ascii() {
            out.push(part);
        } else {
            out.extend(part.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Library, Value};

    fn shot() -> Shot {
        let mut preset = Library::shipped().by_name("silk").expect("shipped").clone();
        preset.picture = Some("größe 😀.png".to_owned());
        assert!(preset.values.set(RowId::WindSeed, Value::Int(-7)));
        let rate = "24000/1001".parse().expect("a rate");
        let head = ShotHead {
            algorithm: 3,
            version: "0.1.0".to_owned(),
            preset,
            size: (1280, 720),
            rate,
            adapter: "llvmpipe (LLVM 15.0.6, 256 bits)".to_owned(),
            picture_sha256: Some(sha256_hex(b"a picture")),
        };
        let record = |index| FrameRecord::new(rate, index, Digest(index), &[index as u8; 8]);
        Shot { head, frames: (3..6).map(record).collect() }
    }

    #[test]
    fn the_text_comes_back_and_is_the_same_again() {
        let shot = shot();
        let text = shot.to_text();
        let back = Shot::parse(&text).expect("own text");
        assert_eq!(back, shot);
        assert_eq!(back.to_text(), text);
        assert!(text.contains("\"seed\": -7,") && text.contains("\"rate\": \"24000/1001\","), "{text}");
        assert!(text.contains("    {\"index\":3,\"time\":\"1001/8000\",\"tick\":15,\"digest\":\"0000000000000003\""));
        let empty = Shot { frames: vec![], ..shot };
        assert_eq!(Shot::parse(&empty.to_text()), Ok(empty));
    }

    #[test]
    fn a_picture_knows_its_head_and_place_and_not_its_share() {
        let shot = shot();
        let text = shot.head.png_text(&shot.frames[1]);
        assert!(text.is_ascii());
        let json: Json = serde_json::from_str(&text).expect("json");
        assert_eq!(ShotHead::from_json(&json), Ok(shot.head));
        assert_eq!(
            json["frame"].to_string(),
            "{\"index\":4,\"time\":\"1001/6000\",\"tick\":20,\"digest\":\"0000000000000004\"}"
        );
        assert_eq!(json.get("frames"), None);
    }

    #[test]
    fn the_folder_of_a_picture_is_never_written() {
        let plain = shot();
        let mut shot = plain.clone();
        shot.head.preset.picture = Some("/home/somebody/größe 😀.png".to_owned());
        assert_eq!(shot.to_text(), plain.to_text());
        assert!(shot.head.same_shot(&plain.head));
        shot.head.preset.values.set(RowId::WindSeed, Value::Int(8));
        assert!(!shot.head.same_shot(&plain.head));
        assert_eq!(shot.head.in_words(), "\"silk\", seed 8, 1280x720, 24000/1001 frames a second");
    }

    #[test]
    fn a_damaged_text_says_where() {
        let text = shot().to_text();
        let told = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            Shot::parse(&text.replacen(from, to, 1)).expect_err("must be refused").to_string()
        };
        assert_eq!(
            told("\"pennon_shot\": 1", "\"pennon_shot\": 9"),
            "shot.json has form 9, this version reads up to 1; update pennon"
        );
        assert_eq!(told("[1280,720]", "[0,720]"), "shot.json: size must be two whole numbers 1..=8192");
        assert_eq!(told("\"seed\": -7", "\"seed\": 7"), "shot.json: seed must be the preset's wind.seed");
        assert_eq!(told("\"tick\":20", "\"tick\":-1"), "shot.json: frames[1].tick must be a whole number");
        assert_eq!(told("000004", "00000x"), "shot.json: frames[1].digest must be 16 hexadecimal digits");
        assert_eq!(told("1001/8000", "1/0"), "shot.json: frames[0].time must be a fraction like \"1/60\"");
        assert!(told("picture_sha256\": \"", "picture_sha256\": \"x").contains("picture_sha256 must be 64"));
        assert!(told("24000/1001", "0/1").contains("rate: 0/1 frames a second"));
        assert!(told("\"wind.speed\":5.0", "\"wind.sped\":5.0").contains("wind.sped is not a row"));
        assert!(told("{", "[").starts_with("shot.json is no JSON: "));
    }

    #[test]
    fn hashes_are_the_known_ones() {
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
