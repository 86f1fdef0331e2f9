//! The performance: parameters and world in one deterministic tick.
//!
//! It must not know where a change comes from, what time it is or how it is drawn. `apply` is the only
//! place where a parameter's name becomes physics.

pub mod change;
pub mod performance;

pub use change::{Body, Change, Cue, Hand, Source};
pub use performance::{Performance, Readouts, Report, TICK_HERTZ};
