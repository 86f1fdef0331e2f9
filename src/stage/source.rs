//! Where the frames come from: a live player, a performance that the app owns, or the app itself.

use super::{Notice, StageFrame};
use crate::live::{Counters, HostCue, PlayerHandle, Snapshot, Status};
use crate::params::{Library, RowId, Value};
use crate::perform::{Body, Change, Performance, Source, TICK_HERTZ};
use bevy::prelude::*;
use std::sync::Arc;

/// Most ticks that an owned performance catches up in one frame: a quarter of a second. What is beyond is
/// dropped, so that a slow machine shows a slow flag and not a frozen one.
const MOST_TICKS_A_FRAME: u32 = TICK_HERTZ / 4;

/// Where [`StageFrame`] comes from.
#[derive(Resource)]
pub enum StageSource {
    /// A player keeps the time on its own thread.
    Live(PlayerHandle),
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
            // What finds no room is counted there and shown.
            StageSource::Live(live) => _ = live.push(source, bodies),
            StageSource::Owned(player) => player.push(source, bodies),
            StageSource::Manual => {}
        }
    }

    /// Asks for the next preset, or with `back` for the previous one.
    pub fn step_preset(&mut self, source: Source, back: bool) {
        match self {
            StageSource::Live(live) => {
                let cue = if back { HostCue::PresetPrevious } else { HostCue::PresetNext };
                live.host_cue(source, cue);
            }
            StageSource::Owned(player) => player.step_preset(source, back),
            StageSource::Manual => {}
        }
    }

    /// Where a row is going; `None` on a manual stage.
    pub fn target(&self, row: RowId) -> Option<Value> {
        match self {
            StageSource::Live(live) => Some(live.target(row)),
            StageSource::Owned(player) => Some(player.performance().target(row)),
            StageSource::Manual => None,
        }
    }

    /// How the source is doing; nothing of a manual one is known.
    pub fn status(&self) -> Option<Status> {
        match self {
            StageSource::Live(live) => Some(live.status()),
            StageSource::Owned(player) => Some(player.status()),
            StageSource::Manual => None,
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

    /// Recalls the shipped preset after or before the current one.
    pub fn step_preset(&mut self, source: Source, back: bool) {
        let library = Library::shipped();
        let current = &*self.frame.to.preset;
        let found = if back { library.previous(current) } else { library.next(current) };
        if let Some(preset) = found.cloned() {
            self.push(source, [Body::Recall { preset: Arc::new(preset), seconds: 0.0 }]);
        }
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
        Status {
            tick: self.performance.ticks(),
            lag_ticks: self.dropped,
            behind: 0,
            ticks_per_second: TICK_HERTZ as f32,
            inbox: Counters::default(),
            messages: Vec::new(),
            running: true,
        }
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
    use crate::params::Preset;

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
        assert_eq!(rough.status().lag_ticks, 0);
        rough.advance(10.0);
        assert_eq!(rough.performance().ticks(), 60 + u64::from(MOST_TICKS_A_FRAME));
        assert_eq!(rough.status().lag_ticks, 1200 - u64::from(MOST_TICKS_A_FRAME));
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
