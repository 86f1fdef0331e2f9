//! Where the frames come from: a live player, a performance that the app owns, or the app itself.

use super::{Notice, StageFrame};
use crate::live::Snapshot;
use crate::perform::{Body, Change, Performance, Source, TICK_HERTZ};
use bevy::prelude::*;
use std::sync::Arc;

/// Most ticks that an owned performance catches up in one frame: a quarter of a second. What is beyond is
/// dropped, so that a slow machine shows a slow flag and not a frozen one.
const MOST_TICKS_A_FRAME: u32 = TICK_HERTZ / 4;

/// What the stage asks of the program around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostCue {
    /// Recalls the next preset.
    PresetNext,
    /// Recalls the previous preset.
    PresetPrevious,
}

/// How a source is doing, for the line of state.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Status {
    /// Ticks that the flag is behind its clock.
    pub lag_ticks: u64,
    /// Ticks given up for good, and changes that found no room.
    pub dropped: u64,
    /// Ticks done in the last second.
    pub ticks_per_second: f32,
    /// What people should know, oldest first.
    pub messages: Vec<String>,
    /// Stills asked for from outside since the start.
    pub stills: u64,
}

/// A player that keeps its own time. The stage looks and asks; it never waits.
pub trait FrameSource: Send + Sync + 'static {
    /// The latest two ticks and how far between them the clock is.
    fn frame(&self) -> (Arc<Snapshot>, Arc<Snapshot>, f32);
    /// One bundle of changes for the next tick: all or none.
    fn push(&self, source: Source, bodies: Vec<Body>);
    /// Something that needs the host.
    fn cue(&self, source: Source, cue: HostCue);
    /// How it is doing.
    fn status(&self) -> Status;
}

/// Where [`StageFrame`] comes from.
#[derive(Resource)]
pub enum StageSource {
    /// Somebody else keeps the time.
    Live(Arc<dyn FrameSource>),
    /// The app owns the performance; it follows the app's time.
    Owned(Box<OwnedPlayer>),
    /// The app sets [`StageFrame`] itself.
    Manual,
}

impl StageSource {
    /// A source that owns and steps a performance.
    pub fn owned(performance: Performance) -> Self {
        StageSource::Owned(Box::new(OwnedPlayer::new(performance)))
    }

    /// Hands over one bundle of changes. A manual stage has nobody to hand it to.
    pub fn push(&mut self, source: Source, bodies: Vec<Body>) {
        match self {
            StageSource::Live(live) => live.push(source, bodies),
            StageSource::Owned(player) => player.push(source, bodies),
            StageSource::Manual => {}
        }
    }

    /// Asks the host; says why when there is none.
    pub fn cue(&mut self, source: Source, cue: HostCue) -> Result<(), &'static str> {
        match self {
            StageSource::Live(live) => {
                live.cue(source, cue);
                Ok(())
            }
            _ => Err("there is no list of presets here"),
        }
    }

    /// How the source is doing.
    pub fn status(&self) -> Status {
        match self {
            StageSource::Live(live) => live.status(),
            StageSource::Owned(player) => player.status(),
            StageSource::Manual => Status::default(),
        }
    }
}

/// A performance in step with a clock that somebody passes in.
#[derive(Debug)]
pub struct OwnedPlayer {
    performance: Performance,
    pending: Vec<(Source, Body)>,
    frame: StageFrame,
    /// Time not yet turned into ticks, in ticks.
    owed: f64,
    dropped: u64,
}

impl OwnedPlayer {
    /// Shows the performance as it is until time passes.
    pub fn new(performance: Performance) -> Self {
        let frame = StageFrame::still(Arc::new(Snapshot::of(&performance)));
        OwnedPlayer { performance, pending: Vec::new(), frame, owed: 0.0, dropped: 0 }
    }

    /// Changes for the start of the next tick.
    pub fn push(&mut self, source: Source, bodies: impl IntoIterator<Item = Body>) {
        self.pending.extend(bodies.into_iter().map(|body| (source, body)));
    }

    /// Lets `seconds` pass.
    pub fn advance(&mut self, seconds: f64) {
        self.owed += seconds.max(0.0) * f64::from(TICK_HERTZ);
        let due = self.owed.floor();
        let ticks = due.min(f64::from(MOST_TICKS_A_FRAME)) as u32;
        self.dropped += (due - f64::from(ticks)) as u64;
        self.owed -= due;
        for tick in 0..ticks {
            if tick + 1 == ticks && ticks > 1 {
                self.frame.to = Arc::new(Snapshot::of(&self.performance));
            }
            let now = self.performance.ticks();
            let change = |(source, body)| Change::new(now, source, body);
            let changes: Vec<_> = self.pending.drain(..).map(change).collect();
            self.performance.tick(&changes);
        }
        if ticks > 0 {
            self.frame.from = std::mem::replace(&mut self.frame.to, Arc::new(Snapshot::of(&self.performance)));
        }
        self.frame.blend = self.owed as f32;
    }

    /// The two latest ticks.
    pub fn frame(&self) -> &StageFrame {
        &self.frame
    }

    /// The performance.
    pub fn performance(&self) -> &Performance {
        &self.performance
    }

    fn status(&self) -> Status {
        Status { dropped: self.dropped, ticks_per_second: TICK_HERTZ as f32, ..Status::default() }
    }
}

/// Brings [`StageFrame`] up to date.
pub(super) fn advance(
    mut commands: Commands,
    time: Res<Time>,
    mut source: ResMut<StageSource>,
    frame: Option<ResMut<StageFrame>>,
    notice: Option<ResMut<Notice>>,
) {
    let next = match &mut *source {
        StageSource::Live(live) => {
            let (from, to, blend) = live.frame();
            StageFrame { from, to, blend }
        }
        StageSource::Owned(player) => {
            player.advance(time.delta_secs_f64());
            if let Some(mut notice) = notice {
                for report in player.performance.take_reports() {
                    notice.say(report.message);
                }
            }
            player.frame.clone()
        }
        StageSource::Manual => return,
    };
    match frame {
        Some(mut frame) => *frame = next,
        None => commands.insert_resource(next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Preset, RowId, Value};

    #[test]
    fn ticks_follow_time_whatever_the_frames_and_a_long_pause_is_dropped() {
        let player = || OwnedPlayer::new(Performance::new(&Preset::default()).expect("default preset"));
        let (mut smooth, mut rough) = (player(), player());
        for _ in 0..120 {
            smooth.advance(1.0 / 240.0);
        }
        for _ in 0..4 {
            rough.advance(0.125);
        }
        assert_eq!(smooth.performance().ticks(), 60);
        assert_eq!(rough.performance().ticks(), 60);
        assert_eq!(smooth.performance().digest(), rough.performance().digest());
        assert_eq!(rough.frame().to.tick, 60);
        assert_eq!(rough.frame().from.tick, 59);
        assert_eq!(rough.status().dropped, 0);
        rough.advance(10.0);
        assert_eq!(rough.performance().ticks(), 60 + u64::from(MOST_TICKS_A_FRAME));
        assert_eq!(rough.status().dropped, 1200 - u64::from(MOST_TICKS_A_FRAME));
        assert!(rough.frame().blend < 1.0);
    }

    #[test]
    fn changes_enter_at_the_next_tick_once() {
        let mut player = OwnedPlayer::new(Performance::new(&Preset::default()).expect("default preset"));
        player.push(Source::Mouse, [Body::Set { row: RowId::LookCameraZoom, value: Value::Float(2.0) }]);
        player.advance(0.001);
        assert_eq!(player.performance().target(RowId::LookCameraZoom), Value::Float(1.0));
        player.advance(0.01);
        assert_eq!(player.performance().target(RowId::LookCameraZoom), Value::Float(2.0));
        assert!(player.pending.is_empty());
    }
}
