//! A change: the only thing that moves the instrument from outside.
//!
//! Every hand, fader, network message and file becomes a list of these, and the same list gives the
//! same flag. Changes enter at the start of their tick, in the order in which they arrived.

use crate::params::{Preset, RowId, Scene, Value};
use std::sync::Arc;

/// One change at one tick.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Tick at whose start it enters. One that is already past enters at the next tick.
    pub tick: u64,
    /// Who asked. It never changes what happens.
    pub source: Source,
    /// What is asked.
    pub body: Body,
}

impl Change {
    /// A change for `tick`.
    pub fn new(tick: u64, source: Source, body: Body) -> Self {
        Change { tick, source, body }
    }

    /// Sets `row` to a plain value at `tick`, by the program that owns the performance.
    pub fn set(tick: u64, row: RowId, value: Value) -> Self {
        Change { tick, source: Source::Host, body: Body::Set { row, value } }
    }
}

/// Who asked for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Open Sound Control.
    Osc,
    /// A MIDI device.
    Midi,
    /// The computer's keyboard.
    Key,
    /// The mouse or a finger.
    Mouse,
    /// The panel.
    Panel,
    /// The page in a browser.
    Page,
    /// Sound analysis.
    Sound,
    /// The program that owns the performance.
    Host,
}

impl Source {
    /// Every source with its word in a take.
    pub const ALL: &[(Source, &str)] = &[
        (Source::Osc, "osc"),
        (Source::Midi, "midi"),
        (Source::Key, "key"),
        (Source::Mouse, "mouse"),
        (Source::Panel, "panel"),
        (Source::Page, "page"),
        (Source::Sound, "sound"),
        (Source::Host, "host"),
    ];

    /// Its word in a take.
    pub fn name(self) -> &'static str {
        Source::ALL.iter().find(|(source, _)| *source == self).map_or("host", |(_, name)| name)
    }

    /// The source with this word.
    pub fn from_name(name: &str) -> Option<Source> {
        Source::ALL.iter().find(|(_, known)| *known == name).map(|(source, _)| *source)
    }
}

/// What a change asks.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// The row's target becomes this plain value (clamped to its range).
    Set {
        /// The row.
        row: RowId,
        /// The plain value.
        value: Value,
    },
    /// The row's target moves by this much, in plain units.
    Add {
        /// The row.
        row: RowId,
        /// How far.
        by: f32,
    },
    /// The row's target is multiplied.
    Scale {
        /// The row.
        row: RowId,
        /// By this.
        by: f32,
    },
    /// Something momentary.
    Cue(Cue),
    /// The hand on the cloth.
    Hand(Hand),
    /// A preset, by value, so that a take needs no file.
    Recall {
        /// Its rows and structure.
        preset: Arc<Preset>,
        /// Time over which rows morph; another structure is built at once.
        seconds: f32,
    },
    /// Another structure; the rows stay.
    Structure(Arc<Scene>),
    /// Musical time: the beat at this tick and how fast it runs.
    Tempo {
        /// Beats per minute.
        bpm: f64,
        /// Beat at this tick.
        beat: f64,
    },
    /// A modulation source from outside, such as `sound/level`.
    Input {
        /// Its name.
        name: Arc<str>,
        /// Its value.
        value: f32,
    },
}

/// Momentary things that the performance itself does. Cues that need files or the host are resolved
/// before they get here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cue {
    /// Rest shape with its seeded disturbance, physical time 0, gust phases 0.
    Reset,
    /// Reset, and every glide, morph and modulator ends.
    Panic,
    /// Toggles: the cloth holds, the wind runs.
    Freeze,
    /// Toggles: the picture fades to or from black.
    Blackout,
    /// The next seed.
    SeedNext,
    /// Sets the gusts' own time, s.
    WindTime(f64),
    /// One gust that travels with the wind; its peak as a fraction of the mean speed.
    Gust(f32),
}

/// The hand on the cloth. World coordinates in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hand {
    /// Takes a particle (row-major number within its flag).
    Grab {
        /// Index of the flag.
        flag: u32,
        /// Number of the particle.
        particle: u32,
    },
    /// Takes the free particle nearest to this point.
    GrabNearest([f32; 3]),
    /// Where the held particle should go.
    Move([f32; 3]),
    /// Lets go.
    Release,
}
