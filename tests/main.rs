//! The integration tests, one module each, in one binary.

// Golden digests: the same bits in every profile and on every machine.
mod digests;
// What flying looks like, in figures, and the source's own measurement of sustained motion. Ten minutes of
// flag: only in the optimised profile.
#[cfg(not(debug_assertions))]
mod flying;
// Each layer imports only layers below it.
mod layers;
// The one tick: splits, resets, hands, recalls, corners.
mod performance;
// The program from outside: what it prints, and its exit status.
mod program;
// A folder of a test's own.
mod scratch;
// The picture: shots on the adapter that is there, and the sketches in a window.
#[cfg(feature = "stage")]
mod stage;
