//! THE function: [`Performance::tick`].

use super::change::{Body, Change};
use crate::params::{Preset, RowId, Scene, SceneError, Value, Values};
use crate::sim::wind::Wind;
use glam::Vec3;

/// Host ticks in a second, always and everywhere.
pub const TICK_HERTZ: u32 = 120;

/// Number of the arithmetic: it moves whenever the same changes give other bits.
pub const ALGORITHM: u32 = 1;

/// Something that went wrong in a tick and was mended; for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The tick.
    pub tick: u64,
    /// The flag.
    pub flag: usize,
    /// One sentence.
    pub message: String,
}

/// The instrument's whole state.
#[derive(Debug, Clone)]
pub struct Performance {
    tick: u64,
    values: Values,
    scene: Scene,
    wind: Wind,
}

impl Performance {
    /// At rest, just reset, about to do tick 0.
    pub fn new(preset: &Preset) -> Result<Self, SceneError> {
        preset.scene.check()?;
        Ok(Performance {
            tick: 0,
            values: preset.values.clone(),
            scene: preset.scene.clone(),
            wind: Wind::steady(Vec3::new(8.0, 0.0, 0.0)),
        })
    }
    /// One tick.
    pub fn tick(&mut self, changes: &[Change]) {
        for change in changes {
            if let Body::Set { row, value } = &change.body {
                self.values.set(*row, *value);
            }
        }
        self.tick += 1;
    }
    /// How many ticks are done, which is the number of the next.
    pub fn ticks(&self) -> u64 {
        self.tick
    }
    /// Where a row is going.
    pub fn target(&self, row: RowId) -> Value {
        self.values.get(row)
    }
    /// Where all rows are going: what "?", presets and takes speak of.
    pub fn targets(&self) -> &Values {
        &self.values
    }
    /// What physics and picture use in this tick: targets after glide and modulation.
    pub fn values(&self) -> &Values {
        &self.values
    }
    /// The structure.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }
    /// The preset by value as it is now (targets and structure).
    pub fn preset(&self) -> Preset {
        Preset { values: self.values.clone(), scene: self.scene.clone(), ..Preset::default() }
    }
    /// The wind at this tick.
    pub fn wind(&self) -> &Wind {
        &self.wind
    }
    /// Number of flags.
    pub fn flag_count(&self) -> usize {
        self.scene.flags.len()
    }
    /// Positions of a flag's particles in row-major order, m.
    pub fn copy_positions(&self, flag: usize, out: &mut Vec<[f32; 3]>) {
        let spec = &self.scene.flags[flag];
        out.clear();
        for row in 0..spec.rows {
            for column in 0..spec.columns {
                let x = spec.length * column as f32 / (spec.columns - 1) as f32;
                let y = spec.width * (0.5 - row as f32 / (spec.rows - 1) as f32);
                let t = self.tick as f32 / 120.0;
                out.push([x, y, 0.15 * x * (x * 5.0 - 9.0 * t + y).sin()]);
            }
        }
    }
    /// The cloth holds still.
    pub fn frozen(&self) -> bool {
        false
    }
    /// 1 is the full picture, 0 is black.
    pub fn light(&self) -> f32 {
        1.0
    }
    /// The particle in the hand: flag and number.
    pub fn held(&self) -> Option<(u32, u32)> {
        None
    }
    /// Changes when the cloth was rebuilt or reset: nothing may be interpolated across it.
    pub fn generation(&self) -> u64 {
        0
    }
    /// Readouts of a flag.
    pub fn readouts(&self, flag: usize) -> Readouts {
        let _ = flag;
        Readouts::default()
    }
    /// Canonical 64-bit digest of the state.
    pub fn digest(&self) -> u64 {
        self.tick
    }
    /// Reports since the last call, oldest first (bounded).
    pub fn take_reports(&mut self) -> Vec<Report> {
        Vec::new()
    }
}

/// What a flag tells; see the readout table for units.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Readouts {
    /// Middle of the fly edge, m.
    pub tip: [f32; 3],
    /// Σ|F| of the air on the sheet, N; `None` when withheld.
    pub impulse: Option<f32>,
    /// Largest strain of a structural link.
    pub stretch: f32,
    /// Kinetic energy, J.
    pub energy: f32,
    /// Solver steps taken since the last reset.
    pub accepted: u64,
    /// Solver steps rolled back since the last reset.
    pub rejected: u64,
}
