//! A preset: rows and structure by value, read from and written to TOML.

use super::scene::{Scene, SceneError};
use super::table::RowId;
use super::values::{Value, Values};

/// Rows and structure by value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preset {
    /// Its name: the file's stem.
    pub name: String,
    /// MIDI program number.
    pub program: Option<u8>,
    /// The picture on the cloth when `look.pattern` is `picture`, as the preset names it.
    pub picture: Option<String>,
    /// A value for every row; rows that the text leaves out have their defaults.
    pub values: Values,
    /// The structure.
    pub scene: Scene,
    /// What the text holds beyond what this version knows, kept for the next save.
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
}

impl Preset {
    /// The value of a row.
    pub fn get(&self, row: RowId) -> Value {
        self.values.get(row)
    }
}

/// Presets by name and by program number, in the order in which "next" walks through them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Library {
    /// The presets.
    pub presets: Vec<Preset>,
}

impl Library {
    /// The preset with this name.
    pub fn by_name(&self, name: &str) -> Option<&Preset> {
        self.presets.iter().find(|preset| preset.name == name)
    }

    /// The preset with this MIDI program number.
    pub fn by_program(&self, program: i32) -> Option<&Preset> {
        self.presets.iter().find(|preset| preset.program.map(i32::from) == Some(program))
    }

    /// The preset after the one with this name; the first when there is none.
    pub fn next(&self, name: &str) -> &Preset {
        let next = self.presets.iter().position(|preset| preset.name == name).map_or(0, |place| place + 1);
        &self.presets[next % self.presets.len()]
    }

    /// The preset before the one with this name; the last when there is none.
    pub fn previous(&self, name: &str) -> &Preset {
        let place = self.presets.iter().position(|preset| preset.name == name).unwrap_or(0);
        &self.presets[(place + self.presets.len() - 1) % self.presets.len()]
    }
}
