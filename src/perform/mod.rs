//! The performance: parameters and world in one deterministic tick.
//!
//! It must not know where a change comes from, what time it is or how it is drawn. [`apply`] is the only
//! place where a parameter's name becomes physics. [`take`] turns changes into lines of text and back; who
//! writes and reads them is not its business.

pub mod apply;
pub mod change;
pub mod glide;
pub mod morph;
pub mod performance;
pub mod take;

pub use crate::sim::digest::{ALGORITHM, Digest};
pub use crate::sim::machine::Machine;
pub use change::{Body, Change, Cue, Hand, Source};
pub use performance::{Performance, Readouts, Report, TICK_HERTZ, Tempo};
