//! Time tags: when a bundle is due, and what waits for its time.

use super::packet::IMMEDIATELY;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Farthest time ahead that is waited for. Senders schedule against jitter, some tens of milliseconds;
/// a tag beyond this means that two clocks disagree.
pub const HORIZON: Duration = Duration::from_secs(2);
/// Requests that may wait for their time: as many as the player's inbox holds.
pub const MOST_WAITING: usize = crate::live::inbox::CAPACITY;

/// Seconds from 1900, where time tags start, to 1970.
const EPOCH_SECONDS: u64 = 2_208_988_800;

/// What a time tag does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimePolicy {
    /// Nothing: every bundle is done when it comes.
    #[default]
    Immediate,
    /// A bundle waits for its time within [`HORIZON`]; a late one is done at once; one beyond is dropped.
    Schedule,
}

/// What to do with a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// At once.
    Now,
    /// After this time.
    In(Duration),
    /// Never: it is beyond the horizon.
    Beyond,
}

impl TimePolicy {
    /// What to do with a bundle of this time tag when it is `now`, as a time tag too.
    pub fn due(self, tag: u64, now: u64) -> Due {
        if self == TimePolicy::Immediate || tag == IMMEDIATELY {
            return Due::Now;
        }
        // The difference is right across 2036, where the tag's seconds start again from 0.
        let ahead = tag.wrapping_sub(now) as i64;
        let Ok(ahead) = u64::try_from(ahead) else { return Due::Now };
        let nanos = (u128::from(ahead) * 1_000_000_000) >> 32;
        let wait = Duration::from_nanos(nanos as u64);
        if wait > HORIZON { Due::Beyond } else { Due::In(wait) }
    }
}

/// The time tag of now, by the system's clock.
pub fn time_tag_now() -> u64 {
    time_tag(SystemTime::now())
}

fn time_tag(time: SystemTime) -> u64 {
    let now = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = now.as_secs().wrapping_add(EPOCH_SECONDS) << 32;
    seconds | ((u64::from(now.subsec_nanos()) << 32) / 1_000_000_000)
}

/// Bundles that wait for their time, bounded.
#[derive(Debug)]
pub struct Schedule<T> {
    waiting: BinaryHeap<Reverse<Waiting<T>>>,
    size: usize,
    arrivals: u64,
}

#[derive(Debug)]
struct Waiting<T> {
    due: Instant,
    arrival: u64,
    size: usize,
    what: T,
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Schedule { waiting: BinaryHeap::new(), size: 0, arrivals: 0 }
    }
}

impl<T> Schedule<T> {
    /// Lets `what`, which counts as `size` requests, wait until `due`. False when too much waits.
    pub fn add(&mut self, due: Instant, size: usize, what: T) -> bool {
        // Something without requests (a question) takes its place too.
        let size = size.max(1);
        if self.size + size > MOST_WAITING {
            return false;
        }
        self.size += size;
        self.arrivals += 1;
        self.waiting.push(Reverse(Waiting { due, arrival: self.arrivals, size, what }));
        true
    }

    /// When the next one is due.
    pub fn next(&self) -> Option<Instant> {
        self.waiting.peek().map(|Reverse(waiting)| waiting.due)
    }

    /// The next one that is due at `now`, earliest first, in arrival order where times are equal.
    pub fn take(&mut self, now: Instant) -> Option<T> {
        if self.next()? > now {
            return None;
        }
        let Reverse(waiting) = self.waiting.pop()?;
        self.size -= waiting.size;
        Some(waiting.what)
    }
}

impl<T> PartialEq for Waiting<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Waiting<T> {}

impl<T> PartialOrd for Waiting<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Waiting<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.due, self.arrival).cmp(&(other.due, other.arrival))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1 << 32;

    #[test]
    fn tags_by_policy() {
        let now = 4_000_000_000 * SECOND;
        for tag in [IMMEDIATELY, now, now - SECOND, now + SECOND, now + 100 * SECOND, 0, u64::MAX] {
            assert_eq!(TimePolicy::Immediate.due(tag, now), Due::Now);
        }
        let due = |tag| TimePolicy::Schedule.due(tag, now);
        assert_eq!(due(IMMEDIATELY), Due::Now);
        assert_eq!(due(now - 1), Due::Now, "late counts as now");
        assert_eq!(due(now), Due::In(Duration::ZERO));
        assert_eq!(due(now + SECOND / 2), Due::In(Duration::from_millis(500)));
        assert_eq!(due(now + 2 * SECOND), Due::In(HORIZON));
        assert_eq!(due(now + 2 * SECOND + SECOND / 1000), Due::Beyond);
        assert_eq!(due(now + 1000 * SECOND), Due::Beyond);
        // Across the end of the era.
        assert_eq!(
            TimePolicy::Schedule.due(SECOND / 4, u64::MAX - SECOND / 4 + 1),
            Due::In(Duration::from_millis(500))
        );
    }

    #[test]
    fn the_clock_counts_from_1900() {
        let at = |millis| time_tag(UNIX_EPOCH + Duration::from_millis(millis));
        assert_eq!(at(0), EPOCH_SECONDS << 32);
        assert_eq!(at(1_704_067_200_500), (3_913_056_000 << 32) | 1 << 31, "half a second into 2024");
        assert_eq!(at(2_085_978_496_000), 0, "the era ends in 2036");
        assert_eq!(time_tag(UNIX_EPOCH - Duration::from_secs(1)), EPOCH_SECONDS << 32, "a clock before all");
    }

    #[test]
    fn earliest_first_then_by_arrival_and_bounded() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut schedule = Schedule::default();
        for (due, name) in [(20, "c"), (10, "a"), (20, "d"), (10, "b")] {
            assert!(schedule.add(at(due), 1, name));
        }
        assert_eq!(schedule.next(), Some(at(10)));
        assert_eq!(schedule.take(at(9)), None);
        let order: Vec<&str> = std::iter::from_fn(|| schedule.take(at(20))).collect();
        assert_eq!(order, ["a", "b", "c", "d"]);
        assert!(schedule.add(at(0), MOST_WAITING - 1, "e"));
        assert!(!schedule.add(at(0), 2, "f"));
        assert!(schedule.add(at(0), 0, "g"));
        assert!(!schedule.add(at(0), 0, "h"), "nothing is free");
        schedule.take(at(0));
        assert!(schedule.add(at(0), 5, "i"));
    }
}
