//! Time taken by work done again and again.
//!
//! Things that are compared take turns, so that a slow moment of the machine strikes all of them; the least
//! time is what the work costs, the median tells how quiet the machine was.

use std::time::{Duration, Instant};

/// Shortest stretch of work that is timed at once: long against the clock's own step and call.
const SHORTEST_SAMPLE: f64 = 2e-3;
/// Fewest samples, while there is time.
const FEWEST_ROUNDS: usize = 3;

/// Times of one piece of work, s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// The least.
    pub least: f64,
    /// The one in the middle.
    pub median: f64,
}

impl Timing {
    /// Of these times, at least one.
    pub fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_unstable_by(f64::total_cmp);
        let at = |index: usize| samples.get(index).copied().unwrap_or_default();
        Timing { least: at(0), median: at(samples.len() / 2) }
    }
}

/// The time that a measurement has.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    began: Instant,
    most: Duration,
}

impl Clock {
    /// Starts; after `most` every piece of work is done as seldom as possible.
    pub fn start(most: Duration) -> Self {
        Clock { began: Instant::now(), most }
    }

    /// Since the start, s.
    pub fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Lets `things` take turns at `work` for about `share`; the time of one `work` of each. All of them do it
    /// equally often.
    pub fn in_turns<T>(&self, share: Duration, things: &mut [T], mut work: impl FnMut(&mut T)) -> Vec<Timing> {
        let began = Instant::now();
        // Once to wake everything up, once to see how long it is.
        let mut once = 0.0;
        for _ in 0..2 {
            for (index, thing) in things.iter_mut().enumerate() {
                let seconds = time(|| work(thing));
                once = if index == 0 { seconds } else { once };
            }
        }
        let repeats = (SHORTEST_SAMPLE / once.max(1e-9)).ceil().clamp(1.0, 1e6) as usize;
        let mut samples = vec![Vec::new(); things.len()];
        for round in 0.. {
            let fewest = if self.began.elapsed() < self.most { FEWEST_ROUNDS } else { 1 };
            if round >= fewest && (began.elapsed() >= share || self.began.elapsed() >= self.most) {
                break;
            }
            for (thing, samples) in things.iter_mut().zip(&mut samples) {
                samples.push(time(|| (0..repeats).for_each(|_| work(thing))) / repeats as f64);
            }
        }
        samples.into_iter().map(Timing::of).collect()
    }
}

/// How long `work` takes, s.
pub fn time(work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_and_the_middle() {
        assert_eq!(Timing::of(vec![3.0, 1.0, 9.0, 2.0, 4.0]), Timing { least: 1.0, median: 3.0 });
        assert_eq!(Timing::of(vec![5.0]), Timing { least: 5.0, median: 5.0 });
    }

    #[test]
    fn all_do_the_work_equally_often_even_with_no_time_left() {
        let mut counts = [0u64; 3];
        for most in [Duration::ZERO, Duration::from_secs(60)] {
            let before = counts[0];
            let timings = Clock::start(most).in_turns(Duration::ZERO, &mut counts, |count| *count += 1);
            assert_eq!(timings.len(), 3);
            assert!(counts[0] >= before + 3 && counts.iter().all(|count| *count == counts[0]), "{counts:?}");
        }
    }
}
