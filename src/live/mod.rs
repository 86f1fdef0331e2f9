//! The thread that keeps time: changes in, snapshots out.
//!
//! It owns the performance and the wall clock. It must not know where a change comes from (sockets and
//! devices live above) nor how a snapshot is drawn.

pub mod snapshot;

pub use snapshot::{FlagView, Snapshot};
