//! `pennon bench`: how fast the core is on this machine, and whether it computes the same bits in every way.
//!
//! It has a clock, so it is no part of the core; it measures through what every host can call. A section of the
//! report is measured in one place, named in [`report`] and printed by [`table`].

mod clock;
mod facts;
mod kernels;
mod measure;
mod report;
mod scenes;
mod table;

pub use measure::{STEPS, measure};
pub use table::table;

#[cfg(test)]
mod tests;
