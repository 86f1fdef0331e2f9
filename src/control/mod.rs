//! The outside world in and out: OSC.
//!
//! It must not know the window, nor what a parameter does to the cloth; it reads the table and pushes
//! requests to the player.
