//! The performance walked from frame to frame.

use crate::export::Rate;
use crate::live::Snapshot;
use crate::perform::Performance;
use crate::sim::digest::Digest;
use crate::stage::StageFrame;
use std::ops::Range;
use std::sync::Arc;

/// One frame of a shot before it is drawn.
#[derive(Debug, Clone)]
pub struct Still {
    /// Its number in the shot.
    pub index: u64,
    /// What is on the stage.
    pub frame: StageFrame,
    /// Digest of the earlier of its two ticks.
    pub digest: Digest,
}

/// The state after a tick.
#[derive(Debug, Clone)]
struct State {
    snapshot: Arc<Snapshot>,
    digest: Digest,
}

impl State {
    fn of(performance: &Performance) -> Self {
        State { snapshot: Arc::new(Snapshot::of(performance)), digest: performance.digest() }
    }
}

/// Walks a performance at rest to each frame of a range, in order.
#[derive(Debug)]
pub struct Stepper {
    performance: Performance,
    rate: Rate,
    frames: Range<u64>,
    /// The states after neighbouring ticks that the last frame lay between.
    behind: Option<State>,
    ahead: Option<State>,
}

impl Stepper {
    /// Frames of `performance`, which is about to do tick 0.
    pub fn new(performance: Performance, rate: Rate, frames: Range<u64>) -> Self {
        Stepper { performance, rate, frames, behind: None, ahead: None }
    }

    /// The state after `tick` ticks; earlier ones are gone.
    fn state_after(&mut self, tick: u64) -> State {
        for known in [&self.behind, &self.ahead].into_iter().flatten() {
            if known.snapshot.tick == tick {
                return known.clone();
            }
        }
        while self.performance.ticks() < tick {
            self.performance.tick(&[]);
        }
        State::of(&self.performance)
    }
}

impl Iterator for Stepper {
    type Item = Still;

    fn next(&mut self) -> Option<Still> {
        let index = self.frames.next()?;
        let place = self.rate.frame_at(index);
        let behind = self.state_after(place.tick);
        self.behind = Some(behind.clone());
        let frame = if place.blend == 0.0 {
            StageFrame::still(behind.snapshot)
        } else {
            let ahead = self.state_after(place.tick + 1);
            self.ahead = Some(ahead.clone());
            StageFrame { from: behind.snapshot, to: ahead.snapshot, blend: place.blend }
        };
        Some(Still { index, frame, digest: behind.digest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Preset;

    fn stills(rate: &str, frames: Range<u64>) -> Vec<Still> {
        let performance = Performance::new(&Preset::default()).expect("default preset");
        Stepper::new(performance, rate.parse().expect("rate"), frames).collect()
    }

    #[test]
    fn frames_stand_at_their_ticks_and_between_them() {
        let ticks = |still: &Still| (still.frame.from.tick, still.frame.to.tick, still.frame.blend);
        let film: Vec<_> = stills("24000/1001", 0..4).iter().map(ticks).collect();
        assert_eq!(film[0], (0, 0, 1.0));
        for (index, frame) in film.iter().enumerate().skip(1) {
            assert_eq!((frame.0, frame.1), (5 * index as u64, 5 * index as u64 + 1));
            assert!((frame.2 - 0.005 * index as f32).abs() < 1e-6);
        }
        let slow: Vec<_> = stills("240", 0..5).iter().map(ticks).collect();
        assert_eq!(slow, [(0, 0, 1.0), (0, 1, 0.5), (1, 1, 1.0), (1, 2, 0.5), (2, 2, 1.0)]);
    }

    #[test]
    fn a_share_is_the_same_as_the_whole() {
        let whole = stills("50", 0..8);
        let share = stills("50", 5..8);
        for (a, b) in whole[5..].iter().zip(&share) {
            assert_eq!((a.index, a.digest), (b.index, b.digest));
            let (mut left, mut right) = (Vec::new(), Vec::new());
            a.frame.positions(0, &mut left);
            b.frame.positions(0, &mut right);
            assert_eq!(left, right);
        }
        assert_ne!(whole[0].digest, whole[1].digest);
    }
}
