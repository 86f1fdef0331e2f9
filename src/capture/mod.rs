//! Shots drawn offline: every frame of a seeded performance as a PNG, without a display or a clock.
//!
//! It must not know windows, sockets, devices or a clock. The same request gives the same bytes on the same machine:
//! frames lie at exact rational times, and no date, host or path is written.
//!
//! `render` draws, `encode` makes files of it beside, `folder` writes whole files or none, `stepper` walks the performance to each frame.

mod encode;
mod folder;
mod render;
mod stepper;

pub use render::{CaptureError, Progress, Request, run};
