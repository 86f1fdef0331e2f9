//! A preset: rows and structure by value, read from and written to TOML, and to JSON inside takes.
//!
//! Reading is tolerant, so that a typing error never stops a show: what cannot be meant becomes a
//! [`Warning`] and what this version does not know is kept for the next save. Only text that is no
//! TOML, text of a newer schema and structure that cannot be built are errors.

mod json;
mod read;
mod warning;
mod write;

use super::scene::{Scene, SceneError};
use super::table::RowId;
use super::values::{Value, Values};

pub use warning::{Warning, nearest};

/// The schema that this version writes, and the newest that it reads.
pub const SCHEMA: i64 = 1;
/// Highest program number that MIDI can name.
pub const LAST_PROGRAM: u8 = 127;

/// Rows and structure by value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preset {
    /// Its name: the file's stem.
    pub name: String,
    /// What it is, for people: the comment at the head of its file, without the `#`.
    pub about: String,
    /// MIDI program number.
    pub program: Option<u8>,
    /// The picture on the cloth when `look.pattern` is `picture`, as the preset names it.
    pub picture: Option<String>,
    /// A value for every row; rows that the text leaves out have their defaults.
    pub values: Values,
    /// The structure.
    pub scene: Scene,
    /// What the text holds beyond what this version understands, kept for the next save.
    pub unknown: toml::Table,
}

/// Why a text is no preset.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PresetError {
    /// Not TOML.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// Written by a newer program.
    #[error("schema {found} is newer than {known}, the newest that this version reads; update pennon")]
    NewerSchema {
        /// In the text.
        found: i64,
        /// Known here.
        known: i64,
    },
    /// A structure that cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A preset by value that does not mean one exact state here.
    #[error("preset by value: {key} {what}")]
    ByValue {
        /// Where.
        key: String,
        /// What is wrong with it.
        what: String,
    },
}

impl Preset {
    /// The value of a row.
    pub fn get(&self, row: RowId) -> Value {
        self.values.get(row)
    }

    /// Reads a preset called `name`. What was tolerated comes back as warnings, in the order of the text.
    pub fn parse(name: &str, text: &str) -> Result<(Preset, Vec<Warning>), PresetError> {
        read::parse(name, text)
    }

    /// The text that [`Preset::parse`] reads back exactly: what differs from the defaults, in table
    /// order, and what this version did not understand.
    pub fn to_toml(&self) -> String {
        write::to_toml(self)
    }

    /// Everything by value, for takes and shots: [`Preset::from_json`] gives the same bits again.
    /// The unknown keys of a file stay in the file.
    pub fn to_json(&self) -> serde_json::Value {
        json::to_json(self)
    }

    /// Reads what [`Preset::to_json`] writes. It is strict, since a take must mean one exact state: a row
    /// that this version does not have, or a value that it would change, is an error. Missing rows have
    /// their defaults, so takes older than a row still play.
    pub fn from_json(json: &serde_json::Value) -> Result<Preset, PresetError> {
        json::from_json(json)
    }
}

#[cfg(test)]
mod tests;
