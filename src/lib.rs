//! Pennon: a wind instrument for live visuals.
//!
//! A flag flutters in a seeded gust field, and a performer plays that wind. The same seed, preset and
//! changes give the same flag, to the bit, on every machine; a film of it is the same film at another size.
//!
//! # Layers
//!
//! A layer imports only layers below it, and a test proves it.
//!
//! | layer | is | must not know |
//! |---|---|---|
//! | `main`, sketches | hosts: they compose | logic of their own |
//! | `capture` | frames of a shot, drawn offline | a wall clock |
//! | `stage` | nannou and Bevy: window, cloth, whiskers, hands | protocols, devices |
//! | `control` | OSC: the outside world in and out | the picture, physics |
//! | `live` | the thread that keeps time: requests in, snapshots out | where a request comes from |
//! | [`export`] | what can be told of a shot without a pixel | windows, clocks, files |
//! | [`perform`] | parameters and world in one deterministic tick; changes; a take's lines | where a change comes from |
//! | [`params`], [`sim`] | the parameter table and presets; gusts, wind, air, cloth, solver | each other |
//! | [`math`] | arithmetic with the same bits everywhere | anything |
//!
//! Without features the crate is the deterministic core: `math` to `export`. The feature `control` adds `live`
//! and `control`, `stage` (the default) the rest.
//!
//! # Time
//!
//! The tick is 1/120 s, always and everywhere: [`perform::Performance::tick`] is the one function that moves
//! the flag, live and offline. A tick is cut into steps, a step into substeps, a substep into sweeps. The tick
//! index always advances; a step that fails its checks is rolled back, counted and told. Pictures lie between
//! two ticks and interpolate.
//!
//! # The same bits
//!
//! The core uses + − × ÷ √ on f32 and f64, integers, and [`math`]; no platform sine, no fused multiply-add, no
//! hash map's order, no wall clock. The order of projection is written down in [`sim::solver`], the digest of a
//! state in [`sim::digest`]. Quantities are SI; x runs along the wind at heading 0, y up, z toward the viewer.

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

// The integration tests' own.
#[cfg(all(test, feature = "stage"))]
#[path = "../tests/scratch.rs"]
mod scratch;

/// The README's sketch compiles.
#[cfg(all(doctest, feature = "stage"))]
#[doc = include_str!("../README.md")]
struct Readme;
