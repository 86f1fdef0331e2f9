//! What is measured alone: the divider's bound and the gusts, on any path.
//!
//! It must not know how they are measured.

use glam::Vec3;
use pennon::sim::gust::OctavesError;
use pennon::sim::lanes::{Block, Block3, Kernel, LANES, Lanes, Path};
use pennon::sim::wind::{Wind, WindSettings};
use std::hint::black_box;

/// Blocks that the divider reads and as many that it writes: 16 KiB, so that they lie in any first-level cache.
const DIVIDER_BLOCKS: usize = 256;
/// Blocks of a gust run, 1,024 points: 24 KiB with what comes of them.
const GUST_BLOCKS: usize = 128;

/// The work that no exact projection can do without: a square root and then a division by it.
///
/// A processor has one divider for both, so that a projection takes at least this long, whatever else of it is
/// done beside. The links of a run do not wait for each other; only the throughput counts.
#[derive(Debug)]
pub struct Divider {
    squares: Vec<Block>,
    pulls: Vec<Block>,
}

impl Divider {
    /// Roots and divisions of a run.
    pub const COUNT: usize = DIVIDER_BLOCKS * LANES;

    /// Lengths of many sizes.
    pub fn new() -> Self {
        let square = |number: usize| 0.5 + number as f32 / Divider::COUNT as f32;
        let block = |index: usize| Block(std::array::from_fn(|lane| square(index * LANES + lane)));
        let squares = (0..DIVIDER_BLOCKS).map(block).collect();
        Divider { squares, pulls: vec![Block::default(); DIVIDER_BLOCKS] }
    }

    /// Does all of it once.
    pub fn run(&mut self, path: Path) {
        path.run(DividerRun { squares: black_box(&self.squares), pulls: &mut self.pulls });
        black_box(&mut self.pulls);
    }
}

struct DividerRun<'a> {
    squares: &'a [Block],
    pulls: &'a mut [Block],
}

impl Kernel for DividerRun<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        // A rest length that is none of the lengths, so that no quotient is a special one.
        let rest = V::splat(0.7);
        for (square, pull) in self.squares.iter().zip(self.pulls) {
            (rest / V::load(square).root()).store(pull);
        }
    }
}

/// Samples of one wind.
#[derive(Debug)]
pub struct Gusts {
    wind: Wind,
    points: Vec<Block3>,
    velocities: Vec<Block3>,
}

impl Gusts {
    /// Samples of a run.
    pub const COUNT: usize = GUST_BLOCKS * LANES;

    /// The default preset's wind with this many octaves, three sines each.
    pub fn new(octaves: usize) -> Result<Self, OctavesError> {
        let mean = Vec3::new(8.0, 0.0, 0.0);
        let gusts =
            WindSettings { turbulence: 0.15, gust_scale: 1.0, gust_rate: 4.0, octaves, ..WindSettings::default() };
        let mut wind = Wind::new(WindSettings { mean, ..gusts })?;
        wind.set_time(3.0);
        // All over a flag: many times along it while once across it.
        let axis = |block: usize, step: f32, size: f32| {
            Block(std::array::from_fn(|lane| ((block * LANES + lane) as f32 * step).fract() * size))
        };
        let points = (0..GUST_BLOCKS).map(|block| Block3 {
            x: axis(block, 1.0 / 32.0, 1.6),
            y: axis(block, 1.0 / Gusts::COUNT as f32, 1.0),
            z: axis(block, 0.017, 0.3),
        });
        Ok(Gusts { wind, points: points.collect(), velocities: vec![Block3::default(); GUST_BLOCKS] })
    }

    /// Takes all of them once.
    pub fn run(&mut self, path: Path) {
        self.wind.now().sample_blocks(path, black_box(&self.points), &mut self.velocities);
        black_box(&mut self.velocities);
    }
}
