//! What the machine gives: the path of the arithmetic and a number of threads. Neither changes a bit.

use super::lanes::Path;

/// Most threads that one performance uses: beyond it a tick is too short to be shared.
pub const MOST_THREADS: usize = 16;

/// How to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// The path of the arithmetic.
    pub path: Path,
    /// Threads that share the work of a tick, at least 1.
    pub threads: usize,
}

impl Machine {
    /// The best path and one thread.
    pub fn single() -> Self {
        Machine { path: Path::best(), threads: 1 }
    }

    /// The best path and as many threads as the machine has cores, at most [`MOST_THREADS`].
    pub fn whole() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Machine { threads: cores.min(MOST_THREADS), ..Machine::single() }
    }
}
