//! Open Sound Control 1.0.
//!
//! [`packet`] takes datagrams apart without trusting them, [`pattern`] matches addresses, [`schedule`]
//! knows time tags, [`receive`] listens, [`answer`] replies. What a message means is decided in
//! [`super::route`].

pub mod packet;
pub mod pattern;
pub mod schedule;
