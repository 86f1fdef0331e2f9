//! Parameters: the table, their values, and the presets that set them.
//!
//! This layer is data about the instrument. It does not know the simulation: what a row does to the
//! cloth is decided in `perform::apply` alone. It reads and writes text that callers hand it and opens
//! no file.

pub mod library;
pub mod preset;
pub mod range;
pub mod reference;
pub mod scene;
pub mod table;
pub mod values;

pub use library::Library;
pub use preset::{Preset, PresetError, Warning};
pub use range::{Curve, Range};
pub use scene::{DampingOrder, FlagSpec, Hang, LinkFamily, OnFailure, Pins, Scene, SceneError, SolverStep};
pub use table::{CUES, Kind, READOUTS, ROWS, Row, RowId};
pub use values::{Value, Values};
