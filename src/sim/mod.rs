//! The simulation: gusts, wind, air, cloth, solver.
//!
//! SI units; x along the wind at heading 0, y up, z toward the viewer. It must not know parameters by
//! name, presets, clocks, windows, sockets or files, and no thread but its own pool.
//!
//! Top down: a [`world::World`] is one [`wind::Wind`] and its flags. A [`flag::Flag`] is a [`cut::Cut`], a
//! [`cloth::Cloth`] in that cut, the [`air`] on it and the [`solver`] that holds it together; a `wave` runs
//! them over the cloth, written once for [`lanes`] of eight and laid out for them by a [`grid`]. A
//! [`machine`] tells how fast, and changes no bit.

pub mod air;
pub mod cloth;
pub mod crew;
pub mod cut;
pub mod digest;
pub mod flag;
pub mod grid;
pub mod gust;
pub mod lanes;
pub mod machine;
#[cfg(test)]
mod plain;
pub mod solver;
mod wave;
pub mod whiskers;
pub mod wind;
pub mod world;
