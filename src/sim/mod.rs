//! The simulation: gusts, wind, air, cloth, solver.
//!
//! SI units; x along the wind at heading 0, y up, z toward the viewer. It must not know parameters by
//! name, presets, clocks, windows, sockets or files, and no thread but its own pool.
//!
//! Top down: a [`world::World`] is one [`wind::Wind`] and its flags. A [`flag::Flag`] is a [`cut::Cut`], a
//! [`cloth::Cloth`] in that cut, the [`air`] on it and the [`solver`] that holds it together.

pub mod air;
pub mod cloth;
pub mod cut;
pub mod digest;
pub mod flag;
pub mod gust;
pub mod lanes;
pub mod machine;
pub mod solver;
pub mod whiskers;
pub mod wind;
pub mod world;
