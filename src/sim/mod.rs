//! The simulation: gusts, wind, air, cloth, solver.
//!
//! SI units; x along the wind at heading 0, y up, z toward the viewer. It must not know parameters by
//! name, presets, clocks, windows, sockets or files, and no thread but its own pool.

pub mod whiskers;
pub mod wind;
