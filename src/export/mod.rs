//! What can be told of a shot without a pixel: its description, its digests.
//!
//! It must not know windows, clocks or the file system: it reads and writes through what callers hand in.
