//! Open Sound Control 1.0.
//!
//! [`packet`] takes datagrams apart without trusting them, [`pattern`] matches addresses, [`schedule`]
//! knows time tags, [`receive`] listens and its answers come from the same socket. What a message means
//! is decided in [`super::route`].

mod answer;
pub mod packet;
pub mod pattern;
pub mod receive;
pub mod schedule;

pub use receive::{DEFAULT_PORT, Heard, OscConfig, OscServer, OscStatus, Outcome};
pub use schedule::TimePolicy;
