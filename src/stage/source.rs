//! Where the frames come from: a live player, a performance that the app owns, or the app itself.

use super::{Notice, StageFrame};
use crate::live::inbox::Inbox;
use crate::live::{HostCue, PlayerHandle, Request, Snapshot, Status};
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
    /// What waits for the next tick, however long the app's time stands still: bounded, as a live player's.
    inbox: Inbox,
    library: Library,
    /// Name of the preset that was recalled last: "next" and "previous" count from it.
    current: String,
    frame: StageFrame,
    /// Time not yet turned into ticks, in ticks.
    owed: f64,
    dropped: u64,
}

impl OwnedPlayer {
    /// Shows the performance as it is until time passes.
    pub fn new(performance: Performance) -> Self {
        let frame = StageFrame::still(Arc::new(Snapshot::of(&performance)));
        OwnedPlayer {
            inbox: Inbox::default(),
            library: Library::shipped(),
            current: performance.preset_name().to_owned(),
            performance,
            frame,
            owed: 0.0,
            dropped: 0,
        }
    }

    /// Changes for the start of the next tick, all or none. What finds no room is counted and shown.
    pub fn push(&mut self, source: Source, bodies: impl IntoIterator<Item = Body>) {
        self.inbox.push(source, bodies.into_iter().map(Request::Change).collect());
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
            let changes = self.changes();
            self.performance.tick(&changes);
        }
        if ticks > 0 {
            self.frame.from = std::mem::replace(&mut self.frame.to, Arc::new(Snapshot::of(&self.performance)));
        }
        self.frame.blend = self.owed as f32;
    }

    /// What the next tick does.
    fn changes(&mut self) -> Vec<Change> {
        let tick = self.performance.ticks();
        let mut changes = Vec::new();
        for (source, request) in self.inbox.take().requests {
            let recalled = match request {
                Request::Change(body) => {
                    if let Body::Recall { preset, .. } = &body {
                        self.current.clone_from(&preset.name);
                    }
                    changes.push(Change::new(tick, source, body));
                    continue;
                }
                Request::Host(HostCue::PresetNext) => self.library.next(&self.current),
                Request::Host(HostCue::PresetPrevious) => self.library.previous(&self.current),
                // Nothing else is put in.
                _ => None,
            };
            if let Some(preset) = recalled {
                self.current.clone_from(&preset.name);
                let body = Body::Recall { preset: Arc::new(preset.clone()), seconds: 0.0 };
                changes.push(Change::new(tick, source, body));
            }
        }
        changes
    }

    /// Recalls the shipped preset after or before the current one.
    pub fn step_preset(&mut self, source: Source, back: bool) {
        let cue = if back { HostCue::PresetPrevious } else { HostCue::PresetNext };
        self.inbox.push(source, vec![Request::Host(cue)]);
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
            inbox: self.inbox.counters(),
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
        assert_eq!(player.status().inbox.waiting, 0);
    }

    #[test]
    fn each_press_goes_one_preset_further_however_many_come_before_a_tick() {
        let mut player = OwnedPlayer::new(Performance::new(&Preset::default()).expect("default preset"));
        let names: Vec<_> = player.library.presets.iter().map(|preset| preset.name.clone()).collect();
        player.performance = Performance::new(&player.library.presets[0]).expect("shipped");
        player.current = names[0].clone();
        for back in [false, false, false, true] {
            player.step_preset(Source::Key, back);
        }
        player.advance(0.05);
        assert_eq!(player.performance().preset_name(), names[2]);
    }

    #[test]
    fn what_waits_is_bounded_while_time_stands_still() {
        let mut player = OwnedPlayer::new(Performance::new(&Preset::default()).expect("default preset"));
        for index in 0..50_000 {
            let zoom = Value::Float(1.0 + index as f32 / 50_000.0);
            player.push(Source::Mouse, [Body::Set { row: RowId::LookCameraZoom, value: zoom }]);
            player.push(Source::Key, [Body::Cue(crate::perform::Cue::Freeze)]);
            player.advance(0.0);
        }
        let counters = player.status().inbox;
        assert!(counters.waiting <= crate::live::inbox::CAPACITY as u64 + 1 && counters.dropped > 0, "{counters:?}");
    }
}
