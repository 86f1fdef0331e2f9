//! The outside world in and out: OSC.
//!
//! It must not know the window, nor what a parameter does to the cloth; it reads the table and pushes
//! requests to the player. [`route`] decides what a message means, [`loss`] counts what comes to
//! nothing, [`osc`] speaks the protocol.

pub mod loss;
pub mod osc;
pub mod route;
