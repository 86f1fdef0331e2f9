//! Pennon: a wind instrument for live visuals.

pub mod export;
pub mod math;
pub mod params;
pub mod perform;
pub mod sim;

#[cfg(feature = "stage")]
pub mod capture;
#[cfg(feature = "control")]
pub mod control;
#[cfg(feature = "control")]
pub mod live;
#[cfg(feature = "stage")]
pub mod stage;
