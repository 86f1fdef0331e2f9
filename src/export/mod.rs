//! What can be told of a shot without a pixel: its description, its digests.
//!
//! It must not know windows, clocks or the file system: it reads and writes through what callers hand in.

pub mod rate;
pub mod shot;
pub mod verify;

pub use rate::{Fraction, FrameTime, Rate, RateError};
pub use shot::{FrameRecord, Shot, ShotError, ShotHead};
pub use verify::{Verified, VerifyError, verify};
