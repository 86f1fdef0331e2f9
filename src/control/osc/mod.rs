//! Open Sound Control 1.0.
//!
//! [`packet`] takes datagrams apart without trusting them, [`pattern`] matches addresses, [`schedule`]
//! knows time tags, [`receive`] listens, its answers go out from a thread of their own, and [`heard`] tells
//! a monitor. What a message means is decided in [`super::route`].

mod answer;
pub mod heard;
pub mod packet;
pub mod pattern;
pub mod receive;
pub mod schedule;

pub use heard::{Heard, Outcome};
pub use receive::{DEFAULT_PORT, OscConfig, OscServer, OscStatus};
pub use schedule::TimePolicy;
