//! Simulates a shot again and compares every digest: no pixel is looked at.

use super::rate::{Fraction, Rate};
use super::shot::Shot;
use crate::params::SceneError;
use crate::perform::{ALGORITHM, Digest, Machine, Performance};

/// What held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Frames compared.
    pub frames: u64,
    /// Ticks simulated.
    pub ticks: u64,
}

/// What did not hold, or could not be tried.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum VerifyError {
    /// Made by another arithmetic: its digests cannot come out again.
    #[error(
        "the shot was made by algorithm {found}, this version has algorithm {ALGORITHM}; verify it with pennon {version}"
    )]
    OtherAlgorithm {
        /// In the shot.
        found: u32,
        /// The version that made it.
        version: String,
    },
    /// A structure that cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Nothing to compare.
    #[error("the shot lists no frames; there is nothing to compare")]
    NoFrames,
    /// A frame that no shot reaches.
    #[error("frame {index} is beyond the {most} of a shot", most = Rate::MOST_FRAMES)]
    TooFar {
        /// The frame.
        index: u64,
    },
    /// A frame that lies elsewhere than its shot's rate says.
    #[error(
        "frame {index} is written at tick {tick} and {time} s; its rate and place say tick {expected_tick} and {expected_time} s"
    )]
    Misplaced {
        /// The frame.
        index: u64,
        /// As written.
        tick: u64,
        /// As written.
        time: Fraction,
        /// By the rate.
        expected_tick: u64,
        /// By the rate.
        expected_time: Fraction,
    },
    /// A frame that is not after the one before it.
    #[error("frame {index} is written after frame {before}; frames must be in order")]
    OutOfOrder {
        /// The frame.
        index: u64,
        /// The one before it.
        before: u64,
    },
    /// The first frame whose state comes out differently.
    #[error(
        "frame {index} (tick {tick}, {time} s) differs first: its digest is written as {written} and comes out as {found}"
    )]
    Differs {
        /// The frame.
        index: u64,
        /// Its tick.
        tick: u64,
        /// Its time, s.
        time: Fraction,
        /// As written.
        written: Digest,
        /// As simulated.
        found: Digest,
    },
}

impl VerifyError {
    /// True when the shot was tried and did not hold; false when it could not be tried.
    pub fn is_a_difference(&self) -> bool {
        use VerifyError::{NoFrames, OtherAlgorithm, Scene, TooFar};
        !matches!(self, OtherAlgorithm { .. } | Scene(_) | NoFrames | TooFar { .. })
    }
}

/// Simulates `shot` again and compares the digest of every frame. `progress` hears of frames done, of all.
pub fn verify(shot: &Shot, mut progress: impl FnMut(u64, u64)) -> Result<Verified, VerifyError> {
    let head = &shot.head;
    if head.algorithm != ALGORITHM {
        return Err(VerifyError::OtherAlgorithm { found: head.algorithm, version: head.version.clone() });
    }
    // Before the long part, so that a damaged list is told at once.
    if shot.frames.is_empty() {
        return Err(VerifyError::NoFrames);
    }
    if let Some(frame) = shot.frames.iter().find(|frame| frame.index >= Rate::MOST_FRAMES) {
        return Err(VerifyError::TooFar { index: frame.index });
    }
    for pair in shot.frames.windows(2) {
        if pair[1].index <= pair[0].index {
            return Err(VerifyError::OutOfOrder { index: pair[1].index, before: pair[0].index });
        }
    }
    for frame in &shot.frames {
        let place = head.rate.frame_at(frame.index);
        if (frame.tick, frame.time) != (place.tick, place.time) {
            return Err(VerifyError::Misplaced {
                index: frame.index,
                tick: frame.tick,
                time: frame.time,
                expected_tick: place.tick,
                expected_time: place.time,
            });
        }
    }
    let mut performance = Performance::new(&head.preset)?;
    performance.set_machine(Machine::whole());
    let all = shot.frames.len() as u64;
    for (done, frame) in (1..).zip(&shot.frames) {
        while performance.ticks() < frame.tick {
            performance.tick(&[]);
        }
        let found = performance.digest();
        if found != frame.digest {
            return Err(VerifyError::Differs {
                index: frame.index,
                tick: frame.tick,
                time: frame.time,
                written: frame.digest,
                found,
            });
        }
        progress(done, all);
    }
    Ok(Verified { frames: all, ticks: performance.ticks() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::shot::{FrameRecord, ShotHead};
    use crate::params::{FlagSpec, Preset, RowId, Scene, Value};

    fn shot() -> Shot {
        let flag = FlagSpec { columns: 6, rows: 4, ..FlagSpec::default() };
        let mut preset = Preset { scene: Scene { flags: vec![flag], ..Scene::default() }, ..Preset::default() };
        assert!(preset.values.set(RowId::WindTurbulence, Value::Float(0.4)));
        let rate = "50".parse().expect("a rate");
        let mut performance = Performance::new(&preset).expect("a small scene");
        let mut frames = Vec::new();
        for index in 0..20 {
            while performance.ticks() < rate_tick(rate, index) {
                performance.tick(&[]);
            }
            frames.push(FrameRecord::new(rate, index, performance.digest(), &[]));
        }
        let (version, adapter) = ("0.1.0".to_owned(), "none".to_owned());
        let head =
            ShotHead { algorithm: ALGORITHM, version, preset, size: (8, 8), rate, adapter, picture_sha256: None };
        Shot { head, frames }
    }

    fn rate_tick(rate: crate::export::rate::Rate, index: u64) -> u64 {
        rate.frame_at(index).tick
    }

    #[test]
    fn a_shot_and_each_share_of_it_hold() {
        let mut shot = shot();
        let mut heard = Vec::new();
        let verified = verify(&shot, |done, all| heard.push((done, all)));
        assert_eq!(verified, Ok(Verified { frames: 20, ticks: 45 }));
        assert_eq!((heard.len(), heard.last()), (20, Some(&(20, 20))));
        shot.frames.drain(..7);
        assert_eq!(verify(&shot, |_, _| {}).map(|verified| verified.frames), Ok(13));
    }

    #[test]
    fn the_first_difference_is_named() {
        let mut shot = shot();
        shot.frames[13].digest = Digest(0xff);
        shot.frames[17].digest = Digest(0xff);
        let error = verify(&shot, |_, _| {}).expect_err("must differ");
        assert!(error.is_a_difference());
        let told = error.to_string();
        assert!(
            told.starts_with(
                "frame 13 (tick 31, 13/50 s) differs first: its digest is written as 00000000000000ff and"
            ),
            "{told}"
        );
    }

    #[test]
    fn what_cannot_hold_is_told_before_simulating() {
        let told = |change: fn(&mut Shot)| {
            let mut shot = shot();
            change(&mut shot);
            verify(&shot, |_, _| panic!("simulated")).expect_err("must be refused")
        };
        let other = told(|shot| shot.head.algorithm += 1);
        assert!(!other.is_a_difference() && other.to_string().contains("verify it with pennon 0.1.0"), "{other}");
        assert!(matches!(told(|shot| shot.frames[2].tick += 1), VerifyError::Misplaced { index: 2, .. }));
        assert!(matches!(told(|shot| shot.frames.swap(3, 4)), VerifyError::OutOfOrder { index: 3, before: 4 }));
        assert!(matches!(told(|shot| shot.head.preset.scene.flags.clear()), VerifyError::Scene(_)));
    }

    #[test]
    fn a_list_that_is_empty_or_endless_is_not_tried() {
        let mut empty = shot();
        empty.frames.clear();
        assert_eq!(verify(&empty, |_, _| {}), Err(VerifyError::NoFrames));
        let mut endless = shot();
        endless.frames.last_mut().expect("frames").index = Rate::MOST_FRAMES;
        let error = verify(&endless, |_, _| {}).expect_err("endless");
        assert_eq!(error.to_string(), "frame 4194304 is beyond the 4194304 of a shot");
        assert!(!error.is_a_difference());
    }
}
