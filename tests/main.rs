//! The integration tests, one module each, in one binary.

// What flying looks like, in figures, and the sources' own measurement of sustained motion.
mod flying;
// Each layer imports only layers below it.
mod layers;
// The one tick: splits, resets, hands, recalls, corners.
mod performance;
// The program from outside: what it prints, and its exit status.
mod program;
