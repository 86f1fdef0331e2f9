//! The integration tests, one module each, in one binary.

// Each layer imports only layers below it.
mod layers;
// The program from outside: what it prints, and its exit status.
mod program;
