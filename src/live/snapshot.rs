//! What the picture needs of one tick, by value.

use crate::params::{FlagSpec, Values};
use crate::perform::{Performance, Readouts};
use crate::sim::wind::Wind;
use std::sync::Arc;

/// The state after a tick, as the picture needs it.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Ticks done.
    pub tick: u64,
    /// The flags in order.
    pub flags: Vec<FlagView>,
    /// Values of all rows after glide and modulation.
    pub values: Values,
    /// The wind at this tick; sampling it is how whiskers are drawn.
    pub wind: Wind,
    /// The cloth holds still.
    pub frozen: bool,
    /// 1 is the full picture, 0 is black.
    pub light: f32,
    /// The particle in the hand: flag and row-major number.
    pub held: Option<(u32, u32)>,
    /// Differs between two snapshots when the cloth was rebuilt or reset between them: no interpolation.
    pub generation: u64,
    /// The preset's name and its picture, as last recalled.
    pub preset: Arc<str>,
    /// The picture on the cloth, as the preset names it.
    pub picture: Option<Arc<str>>,
}

/// One flag in a snapshot.
#[derive(Debug, Clone)]
pub struct FlagView {
    /// Its structure.
    pub spec: Arc<FlagSpec>,
    /// Positions in row-major order (row × columns + column), m.
    pub positions: Vec<[f32; 3]>,
    /// What it tells.
    pub readouts: Readouts,
}

impl Snapshot {
    /// Copies what the picture needs out of a performance.
    pub fn of(performance: &Performance) -> Self {
        let flags = (0..performance.flag_count())
            .map(|flag| {
                let mut positions = Vec::new();
                performance.copy_positions(flag, &mut positions);
                FlagView {
                    spec: Arc::new(performance.scene().flags[flag].clone()),
                    positions,
                    readouts: performance.readouts(flag),
                }
            })
            .collect();
        Snapshot {
            tick: performance.ticks(),
            flags,
            values: performance.values().clone(),
            wind: performance.wind().clone(),
            frozen: performance.frozen(),
            light: performance.light(),
            held: performance.held(),
            generation: performance.generation(),
            preset: performance.preset_name().into(),
            picture: performance.picture().map(Into::into),
        }
    }
}
