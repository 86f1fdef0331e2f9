//! The stage: the flag as a picture, in a nannou or Bevy app, in a window or on an image.
//!
//! It must not know devices or protocols, and no files but the picture on the cloth and the stills that it
//! writes; [`ControlPlugin`] alone starts the listening for a sketch. It never moves the flag: it shows
//! snapshots, and a hand on mouse or keyboard becomes changes like any other.
//!
//! [`PennonPlugin`] draws and steps a flag and is all that a sketch needs. [`HandsPlugin`] adds mouse and
//! keys, [`OverlayPlugin`] the line of state; [`run()`] puts them together in a window.
//!
//! A frame runs through [`StageSet`] in one chain. All that is drawn comes from one resource,
//! [`StageFrame`]; whoever sets it decides what is seen.
//!
//! Colours: pattern colours are sRGB and reach the target without a tone curve. A colour of the pattern in
//! neutral light (`look.shade` 0, `look.exposure` 0) is that same colour in the PNG, to the bit.

use crate::live::{PlayerHandle, Snapshot};
use crate::params::{Kind, RowId, Value, Values};
use crate::perform::Performance;
use crate::perform::glide::{shortest_way, wrap};
use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;
use std::sync::{Arc, Mutex};

mod backdrop;
pub mod camera;
mod cloth;
mod control;
pub mod geometry;
mod hands;
mod material;
mod overlay;
pub mod pick;
mod picture;
mod pole;
mod source;
mod still;
mod view;
mod whiskers;
mod window;

pub use control::{ControlPlugin, StageOsc};
pub use hands::{Action, HandsPlugin, KEYS, Notice};
pub use overlay::OverlayPlugin;
pub(crate) use picture::is_picture;
pub use picture::{PictureError, StagePicture};
pub use source::{OwnedPlayer, StageSource};
pub use still::{StillError, write_png};
pub use view::{StageCamera, StageSamples, StageTarget, StageView};
pub(crate) use window::INTERRUPTED;
pub use window::{Adapter, StageError, WindowOptions, display_available, run};

/// Everything of the stage is drawn on this layer, so that it and a sketch's own entities (layer 0) do not
/// appear in each other's cameras. Put an entity on this layer to have the stage's camera draw it.
pub const STAGE_LAYER: usize = 27;

pub(crate) fn stage_layer() -> RenderLayers {
    RenderLayers::layer(STAGE_LAYER)
}

/// The stages of a frame, in this order, all in [`Update`].
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StageSet {
    /// Mouse and keys become changes.
    Hands,
    /// The flag is stepped or the latest snapshots are taken: [`StageFrame`] is new after this.
    Advance,
    /// Camera, light, colours and picture follow the frame's values.
    Look,
    /// Cloth, whiskers and pole follow the frame's positions.
    Mesh,
}

/// What is on the stage: two neighbouring ticks and how far between them the picture stands.
#[derive(Resource, Debug, Clone)]
pub struct StageFrame {
    /// The earlier tick.
    pub from: Arc<Snapshot>,
    /// The later tick; structure, switches and choices are its.
    pub to: Arc<Snapshot>,
    /// 0 shows `from`, 1 shows `to`.
    pub blend: f32,
}

impl StageFrame {
    /// One tick as it is.
    pub fn still(snapshot: Arc<Snapshot>) -> Self {
        StageFrame { from: snapshot.clone(), to: snapshot, blend: 1.0 }
    }

    /// How far between the two ticks the picture stands; `None` where there is nothing to blend: at the
    /// later tick, and across a rebuild or a reset.
    fn between(&self) -> Option<f32> {
        let blend = self.blend.max(0.0);
        (self.from.generation == self.to.generation && blend < 1.0).then_some(blend)
    }

    /// The values between the two ticks: numbers and colours are blended, angles the short way round.
    pub fn values(&self) -> Values {
        let mut values = self.to.values.clone();
        let Some(blend) = self.between() else { return values };
        for row in RowId::ALL.iter().copied() {
            let between = match (self.from.values.get(row), self.to.values.get(row), row.row().kind) {
                (Value::Float(a), Value::Float(b), Kind::Float { range, cyclic: true, .. }) if a != b => {
                    let turn = range.max - range.min;
                    Value::Float(wrap(f64::from(a + shortest_way(b - a, turn) * blend), range.min, turn))
                }
                (Value::Float(a), Value::Float(b), _) if a != b => Value::Float(a + (b - a) * blend),
                (Value::Colour(a), Value::Colour(b), _) if a != b => {
                    Value::Colour([0, 1, 2, 3].map(|i| a[i] + (b[i] - a[i]) * blend))
                }
                _ => continue,
            };
            values.set(row, between);
        }
        values
    }

    /// The light between the two ticks: 1 is the full picture, 0 is black.
    pub fn light(&self) -> f32 {
        let (from, to) = (self.from.light, self.to.light);
        self.between().map_or(to, |blend| from + (to - from) * blend).clamp(0.0, 1.0)
    }

    /// Places of a flag's particles between the two ticks. Across a rebuild or a reset nothing is blended.
    pub fn positions(&self, flag: usize, out: &mut Vec<[f32; 3]>) {
        out.clear();
        let Some(to) = self.to.flags.get(flag) else { return };
        let from = self.from.flags.get(flag).filter(|from| from.positions.len() == to.positions.len());
        match (from, self.between()) {
            (Some(from), Some(blend)) => {
                let between = |(a, b): (&[f32; 3], &[f32; 3])| [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * blend);
                out.extend(from.positions.iter().zip(&to.positions).map(between));
            }
            _ => out.extend_from_slice(&to.positions),
        }
    }

    /// Whether another frame shows the same cloth, so that its mesh need not be built again.
    fn same_cloth(&self, other: &StageFrame) -> bool {
        Arc::ptr_eq(&self.from, &other.from) && Arc::ptr_eq(&self.to, &other.to) && self.blend == other.blend
    }
}

/// Draws a flag, and steps it unless somebody else does.
///
/// It draws on the primary window behind whatever else is drawn there, or where a [`StageTarget`] resource
/// says. Add it to `nannou::app(model)` or to a Bevy `App` after `DefaultPlugins`; nannou is not needed.
pub struct PennonPlugin {
    // A plugin is built through a shared reference, and the source moves into the app.
    source: Mutex<Option<StageSource>>,
}

impl Default for PennonPlugin {
    /// The default flag in the default wind.
    fn default() -> Self {
        let performance = Performance::new(&crate::params::Preset::default());
        Self::with(performance.map_or(StageSource::Manual, StageSource::owned))
    }
}

impl PennonPlugin {
    /// Draws what a live player plays, and hands it what mouse and keys ask.
    pub fn live(player: PlayerHandle) -> Self {
        Self::with(StageSource::Live(player))
    }

    /// Owns the performance and steps it by the app's time.
    pub fn owned(performance: Performance) -> Self {
        Self::with(StageSource::owned(performance))
    }

    /// Steps nothing: the app sets [`StageFrame`] itself.
    pub fn manual() -> Self {
        Self::with(StageSource::Manual)
    }

    fn with(source: StageSource) -> Self {
        PennonPlugin { source: Mutex::new(Some(source)) }
    }
}

impl Plugin for PennonPlugin {
    fn build(&self, app: &mut App) {
        let taken = self.source.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        let chain = (StageSet::Hands, StageSet::Advance, StageSet::Look, StageSet::Mesh).chain();
        app.insert_resource(taken.unwrap_or(StageSource::Manual))
            .configure_sets(Update, chain)
            .add_systems(Update, source::advance.in_set(StageSet::Advance));
        view::build(app);
        picture::build(app);
        backdrop::build(app);
        whiskers::build(app);
        pole::build(app);
        cloth::build(app);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Preset;

    fn ticks(count: u64) -> Arc<Snapshot> {
        let mut performance = Performance::new(&Preset::default()).expect("default preset");
        for _ in 0..count {
            performance.tick(&[]);
        }
        Arc::new(Snapshot::of(&performance))
    }

    #[test]
    fn values_lie_between_the_ticks_and_angles_go_the_short_way() {
        let at = |speed: f32, heading: f32, blue: f32, columns: i32| {
            let mut snapshot = (*ticks(0)).clone();
            snapshot.values.set(RowId::WindSpeed, Value::Float(speed));
            snapshot.values.set(RowId::LookCameraHeading, Value::Float(heading));
            snapshot.values.set(RowId::LookBackground, Value::Colour([0.0, 0.0, blue, 1.0]));
            snapshot.values.set(RowId::WhiskersColumns, Value::Int(columns));
            snapshot.light = speed / 16.0;
            Arc::new(snapshot)
        };
        let mut frame = StageFrame { from: at(8.0, 178.0, 0.0, 4), to: at(16.0, -174.0, 1.0, 8), blend: 0.25 };
        let values = frame.values();
        assert_eq!(values.float(RowId::WindSpeed), 10.0);
        assert_eq!(values.float(RowId::LookCameraHeading).abs(), 180.0);
        assert_eq!(values.colour(RowId::LookBackground)[2], 0.25);
        assert_eq!(values.int(RowId::WhiskersColumns), 8);
        assert_eq!(frame.light(), 0.625);
        frame.blend = 0.0;
        assert_eq!(frame.values().float(RowId::WindSpeed), 8.0);
        frame.blend = 1.0;
        assert_eq!(frame.values(), frame.to.values);
    }

    #[test]
    fn a_frame_lies_between_its_ticks_and_never_across_a_reset() {
        let (from, to) = (ticks(30), ticks(31));
        let mut frame = StageFrame { from: from.clone(), to: to.clone(), blend: 0.25 };
        let mut places = Vec::new();
        frame.positions(0, &mut places);
        let last = places.len() - 1;
        let (a, b) = (from.flags[0].positions[last], to.flags[0].positions[last]);
        assert_ne!(a, b);
        for axis in 0..3 {
            assert!((places[last][axis] - (0.75 * a[axis] + 0.25 * b[axis])).abs() < 1e-6);
        }
        let mut other = (*from).clone();
        other.generation += 1;
        frame.from = Arc::new(other);
        frame.positions(0, &mut places);
        assert_eq!(places, to.flags[0].positions);
        frame.positions(7, &mut places);
        assert!(places.is_empty());
    }
}
