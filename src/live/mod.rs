//! The thread that keeps time: requests in, snapshots out.
//!
//! It owns the performance and the wall clock. It must not know where a request comes from (sockets and
//! devices live above) nor how a snapshot is drawn.
//!
//! [`inbox`] holds what waits, [`request`] says what can be asked and turns it into changes by value,
//! [`player`] does the ticks, [`notice`] keeps what people should read.

pub mod inbox;
pub mod notice;
pub mod player;
pub mod request;
pub mod snapshot;

pub use inbox::Counters;
pub use player::{Player, PlayerConfig, PlayerError, PlayerHandle, Status};
pub use request::{HostCue, PresetKey, Request};
pub use snapshot::{FlagView, Snapshot};
