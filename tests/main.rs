//! The integration tests, one module each, in one binary.

// Each layer imports only layers below it.
mod layers;
// The program from outside: what it prints, and its exit status.
mod program;
// A folder of a test's own.
#[cfg(feature = "stage")]
mod scratch;
// The picture: shots on the adapter that is there, and the sketches in a window.
#[cfg(feature = "stage")]
mod stage;
