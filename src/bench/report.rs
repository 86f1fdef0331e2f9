//! What came of a measurement. `pennon bench --json` prints it as it stands here: a field is a key.
//!
//! Times are the least of many runs unless a name says median, on one thread and the best path unless a field
//! beside them says otherwise. A frame is 1/60 s. A key never changes its meaning; new ones may be added.

use super::clock::Timing;
use serde::Serialize;

/// Everything.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The keys' number: it rises when one of them goes.
    pub pennon_bench: u32,
    /// The program's version.
    pub version: String,
    /// The number of its arithmetic.
    pub algorithm: u32,
    /// Whether the program was compiled for speed; if not, no time means anything.
    pub optimised: bool,
    /// How long the measurement took, s.
    pub seconds: f64,
    /// Where it was made.
    pub machine: MachineFacts,
    /// Ticks in a frame and substeps in a tick, one sweep each.
    pub frame: FramePlan,
    /// What single kernels take, by path, the best first.
    pub kernels: Vec<PathFigures>,
    /// What projections take, by grid.
    pub projections: Vec<Projection>,
    /// Where the time of a frame goes.
    pub parts: Parts,
    /// Whole ticks, by scene and threads.
    pub ticks: Vec<Ticks>,
    /// How far a cloth stretches under its own weight.
    pub stretch: Stretch,
    /// Whether every path and number of threads gave the same bits, by scene.
    pub digests: Vec<Digests>,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MachineFacts {
    /// Name of the processor, or its architecture where the system does not tell.
    pub processor: String,
    /// Architecture.
    pub architecture: String,
    /// Cores that the program may use.
    pub cores: usize,
    /// The best path.
    pub path: String,
    /// All paths, the best first.
    pub paths: Vec<String>,
}

/// What a frame is here.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FramePlan {
    /// Ticks.
    pub ticks: u32,
    /// Substeps in each.
    pub substeps: u32,
}

/// Kernels on one path.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PathFigures {
    /// The path.
    pub path: String,
    /// The divider's bound, ns: one dependent root and division.
    pub divider_ns: f64,
    /// One gust sample of 3 octaves, 9 sines, ns.
    pub gust_9_ns: f64,
    /// One gust sample of 4 octaves, 12 sines, ns.
    pub gust_12_ns: f64,
    /// A whole frame of one flag on the middle grid, ms.
    pub frame_ms: f64,
}

/// Links of one grid with no air.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Projection {
    /// Particles along the fly.
    pub columns: u32,
    /// Particles along the hoist.
    pub rows: u32,
    /// Links.
    pub links: u64,
    /// Projections in a sweep: some links are projected twice.
    pub projections: u64,
    /// One projection of a sweep, ns: a substep with links less one without.
    pub sweep_ns: f64,
    /// `sweep_ns` as a multiple of the divider's bound.
    pub sweep_to_divider: f64,
    /// The whole substep, no tethers in it, shared out over its projections, ns.
    pub substep_ns: f64,
}

/// Where the time of a frame goes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parts {
    /// Particles along the fly.
    pub columns: u32,
    /// Particles along the hoist.
    pub rows: u32,
    /// The whole frame, ms.
    pub frame_ms: f64,
    /// What each part adds to a frame without it; they sum to the whole.
    pub parts: Vec<Part>,
}

/// One part of a frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// Its name: `links`, `sheet`, `gusts`, `drag` (with its gusts), `tethers`, `rest`.
    pub part: &'static str,
    /// In a frame, ms.
    pub ms: f64,
    /// What it goes through: `projection`, `quad` or `particle`.
    pub of: &'static str,
    /// How many times in a frame.
    pub count: u64,
    /// Each time, ns.
    pub each_ns: f64,
}

/// Whole ticks of one scene.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ticks {
    /// Flags.
    pub flags: usize,
    /// Particles along the fly of each.
    pub columns: u32,
    /// Particles along the hoist of each.
    pub rows: u32,
    /// Threads.
    pub threads: usize,
    /// One tick, ms.
    pub tick_ms: f64,
    /// The tick in the middle, ms.
    pub tick_median_ms: f64,
    /// One frame, ms.
    pub frame_ms: f64,
    /// Least time of one thread over this.
    pub speed_up: f64,
}

/// A cloth that hangs along its length under 1 g.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stretch {
    /// Particles along the length.
    pub columns: u32,
    /// Particles along the bar.
    pub rows: u32,
    /// Time given to settle, s.
    pub seconds: f64,
    /// Without tethers.
    pub free: Hung,
    /// With tethers.
    pub tethered: Hung,
    /// Least time of a frame with tethers over without, measured in turns.
    pub time_ratio: f64,
}

/// How it hangs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hung {
    /// Tethers, as a multiple of the rest path; 2 is without.
    pub tether: f64,
    /// Strain of its whole length, in the middle of the hem, %.
    pub length_percent: f64,
    /// Strain of the thread that is stretched most, %.
    pub worst_percent: f64,
    /// One frame, ms.
    pub frame_ms: f64,
}

/// One scene computed in many ways.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Digests {
    /// The scene.
    pub scene: String,
    /// Ticks from rest.
    pub ticks: u64,
    /// Whether all are equal.
    pub equal: bool,
    /// The ways.
    pub ways: Vec<Way>,
}

/// A way to compute and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Way {
    /// The path.
    pub path: String,
    /// Threads.
    pub threads: usize,
    /// The digest.
    pub digest: String,
}

impl Report {
    /// Whether every path and number of threads gave the same bits.
    pub fn same_everywhere(&self) -> bool {
        self.digests.iter().all(|digests| digests.equal)
    }

    /// For programs.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

impl Digests {
    /// Of one scene after as many ticks.
    pub fn new(scene: String, ticks: u64, ways: Vec<Way>) -> Self {
        let equal = ways.iter().all(|way| way.digest == ways[0].digest);
        Digests { scene, ticks, equal, ways }
    }
}

impl Ticks {
    /// From the time of a tick and that of one thread.
    pub fn new(
        flags: usize,
        [columns, rows]: [u32; 2],
        threads: usize,
        tick: Timing,
        single: Timing,
        frame: u32,
    ) -> Self {
        let [tick_ms, tick_median_ms] = [tick.least, tick.median].map(|seconds| figure(seconds * 1e3));
        let frame_ms = figure(tick.least * 1e3 * f64::from(frame));
        let speed_up = figure(single.least / tick.least);
        Ticks { flags, columns, rows, threads, tick_ms, tick_median_ms, frame_ms, speed_up }
    }
}

/// Four digits: no clock tells more.
pub fn figure(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
