//! What waits for the next tick: bounded, in order, whole.
//!
//! Between two edges (a cue, a bundle, the hand, a recall, a structure, a tempo) requests to different
//! rows do not touch each other, so a row's consecutive requests merge where that gives the same result
//! as doing them in order: absolute sets collapse to the last; moves in the same direction add up;
//! factors on the same side of one multiply. A move up and a move down stay apart, because a range's end
//! may lie between them.
//!
//! An edge that does nothing right after the one that waits last (a second reset) is merged into it.
//!
//! When the inbox is full, a row's request merges into the one that waits since the last edge wherever the
//! two can be told as one, ends of the range or not; a move that can only be told as two (a nudge of the
//! travel after a set) is dropped, as are edges and bundles, whole and counted. So it never holds more
//! than [`CAPACITY`] requests and one for each row.

use super::request::{Request, moved, repeats, weight};
use crate::params::{Kind, ROWS, RowId, Value};
use crate::perform::{Body, Hand, Source};
use std::collections::VecDeque;
use std::sync::Arc;

/// Requests that may wait, bundles counted by their content. A full packet of short messages holds about
/// as many; at 120 ticks a second none waits longer than five ticks.
pub const CAPACITY: usize = 4096;
/// Requests that one tick takes, as weighed by [`weight`]: 120,000 plain ones a second, in well under a
/// millisecond a tick. A bundle is done in one tick even when it weighs more, up to [`HEAVIEST_BUNDLE`].
pub const MOST_PER_TICK: usize = 1024;
/// Heaviest bundle that is taken at all, as weighed by [`weight`]: a packet full of plain requests, or
/// sixteen rebuilds of the cloth, which hold the clock for two ticks or three.
pub const HEAVIEST_BUNDLE: usize = 4 * MOST_PER_TICK;

/// What passed the inbox, in requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Everything that was pushed.
    pub received: u64,
    /// Merged into one that waited already.
    pub coalesced: u64,
    /// Lost because the inbox was full or a bundle too heavy.
    pub dropped: u64,
    /// Waiting now.
    pub waiting: u64,
}

/// Requests in arrival order.
#[derive(Debug)]
pub struct Inbox {
    entries: VecDeque<Entry>,
    /// Requests in `entries`.
    size: usize,
    /// Number of `entries[0]`; entries are numbered from the start, for ever.
    first: u64,
    /// Number of the first entry after the last edge.
    segment: u64,
    /// Number of the last entry that concerns a row alone; stale when before `segment`.
    last_of_row: Vec<u64>,
    /// The same for modulation inputs.
    last_of_input: Vec<(Arc<str>, u64)>,
    /// Counts pushes.
    serial: u64,
    counters: Counters,
}

#[derive(Debug)]
struct Entry {
    serial: u64,
    source: Source,
    what: What,
}

#[derive(Debug)]
enum What {
    One(Request),
    Bundle(Vec<Request>),
}

/// What one tick takes.
#[derive(Debug)]
pub struct Taken {
    /// In arrival order.
    pub requests: Vec<(Source, Request)>,
    /// Every push up to this number is in this tick or in one before.
    pub through: u64,
}

impl Default for Inbox {
    fn default() -> Self {
        Inbox {
            entries: VecDeque::new(),
            size: 0,
            first: 1,
            segment: 1,
            last_of_row: vec![0; ROWS.len()],
            last_of_input: Vec::new(),
            serial: 0,
            counters: Counters::default(),
        }
    }
}

impl Inbox {
    /// Adds a bundle (or a single request), whole or not at all. False when it was dropped.
    pub fn push(&mut self, source: Source, mut requests: Vec<Request>) -> bool {
        let count = requests.len();
        if count == 0 {
            return true;
        }
        self.serial += 1;
        self.counters.received += count as u64;
        if requests.iter().map(weight).sum::<usize>() > HEAVIEST_BUNDLE {
            self.counters.dropped += count as u64;
            return false;
        }
        requests.dedup_by(|next, last| repeats(last, next));
        self.counters.coalesced += (count - requests.len()) as u64;
        let count = requests.len();
        let single = if count == 1 { requests.pop() } else { None };
        let kept = match single {
            Some(request) => self.push_one(source, request),
            None => self.push_edge(source, What::Bundle(requests), count),
        };
        if !kept {
            self.counters.dropped += count as u64;
        }
        kept
    }

    /// Takes what the next tick does: up to [`MOST_PER_TICK`], bundles whole.
    pub fn take(&mut self) -> Taken {
        let mut requests = Vec::new();
        let mut weighed = 0;
        while let Some(entry) = self.entries.front() {
            let heavy = entry.what.requests().iter().map(weight).sum::<usize>();
            if weighed > 0 && weighed + heavy > MOST_PER_TICK {
                break;
            }
            weighed += heavy;
            let Some(entry) = self.entries.pop_front() else { break };
            self.first += 1;
            let source = entry.source;
            match entry.what {
                What::One(request) => requests.push((source, request)),
                What::Bundle(bundle) => requests.extend(bundle.into_iter().map(|request| (source, request))),
            }
        }
        self.size -= requests.len();
        let through = self.entries.front().map_or(self.serial, |entry| entry.serial - 1);
        Taken { requests, through }
    }

    /// Number of the last push.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// What passed.
    pub fn counters(&self) -> Counters {
        Counters { waiting: self.size as u64, ..self.counters }
    }

    fn push_one(&mut self, source: Source, request: Request) -> bool {
        match &request {
            Request::Change(Body::Input { name, .. }) => {
                let name = name.clone();
                self.push_input(source, name, request)
            }
            Request::Change(Body::Hand(Hand::Move(_))) => self.push_move(source, request),
            _ => match row_of(&request) {
                Some(row) => self.push_row(source, row, request),
                None => self.push_edge(source, What::One(request), 1),
            },
        }
    }

    fn push_row(&mut self, source: Source, row: RowId, request: Request) -> bool {
        let full = self.is_full();
        let number = self.last_of_row[row as usize];
        if let Some(waiting) = self.in_segment(number) {
            // A take says who moved a row relatively, so only sets may change hands.
            let one_hand = waiting.source == source || matches!(request, Request::Change(Body::Set { .. }));
            let merged = match &waiting.what {
                What::One(older) if one_hand || full => merge(row, older, &request, full),
                _ => None,
            };
            if let Some(merged) = merged {
                waiting.what = What::One(merged);
                waiting.source = source;
                self.counters.coalesced += 1;
                return true;
            }
            if full {
                return false;
            }
        }
        // Past the capacity only a row's first request since the last edge gets here.
        let number = self.append(source, What::One(request), 1);
        self.last_of_row[row as usize] = number;
        true
    }

    fn push_input(&mut self, source: Source, name: Arc<str>, request: Request) -> bool {
        let segment = self.segment.max(self.first);
        self.last_of_input.retain(|(_, number)| *number >= segment);
        let known = self.last_of_input.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
        if let Some(waiting) = known.and_then(|number| self.in_segment(number)) {
            waiting.what = What::One(request);
            waiting.source = source;
            self.counters.coalesced += 1;
            return true;
        }
        if self.is_full() {
            return false;
        }
        let number = self.append(source, What::One(request), 1);
        self.last_of_input.push((name, number));
        true
    }

    fn push_move(&mut self, source: Source, request: Request) -> bool {
        if let Some(Entry { source: from, what: What::One(Request::Change(Body::Hand(Hand::Move(_)))), .. }) =
            self.entries.back()
            && *from == source
            && let Some(waiting) = self.entries.back_mut()
        {
            waiting.what = What::One(request);
            self.counters.coalesced += 1;
            return true;
        }
        self.push_edge(source, What::One(request), 1)
    }

    fn push_edge(&mut self, source: Source, what: What, count: usize) -> bool {
        if let (Some(Entry { what: last, .. }), What::One(next)) = (self.entries.back(), &what)
            && last.requests().last().is_some_and(|last| repeats(last, next))
        {
            self.counters.coalesced += 1;
            return true;
        }
        if self.size + count > CAPACITY {
            return false;
        }
        self.segment = self.append(source, what, count) + 1;
        true
    }

    fn append(&mut self, source: Source, what: What, count: usize) -> u64 {
        self.entries.push_back(Entry { serial: self.serial, source, what });
        self.size += count;
        self.first + self.entries.len() as u64 - 1
    }

    fn in_segment(&mut self, number: u64) -> Option<&mut Entry> {
        if number < self.segment.max(self.first) {
            return None;
        }
        self.entries.get_mut((number - self.first) as usize)
    }

    fn is_full(&self) -> bool {
        self.size >= CAPACITY
    }
}

impl What {
    fn requests(&self) -> &[Request] {
        match self {
            What::One(request) => std::slice::from_ref(request),
            What::Bundle(requests) => requests,
        }
    }
}

/// The one row that a request concerns and nothing else.
fn row_of(request: &Request) -> Option<RowId> {
    match request {
        Request::Change(Body::Set { row, .. } | Body::Add { row, .. } | Body::Scale { row, .. })
        | Request::NudgeTravel { row, .. }
        | Request::ScaleTravel { row, .. } => Some(*row),
        _ => None,
    }
}

/// One request that does what `older` and then `newer` do to `row`.
///
/// Unless `forced` the result is the same up to rounding; forced, it may differ where an end of the
/// range lies between the two.
fn merge(row: RowId, older: &Request, newer: &Request, forced: bool) -> Option<Request> {
    // Kinds with steps round after every move, so their moves cannot be added up beforehand.
    let smooth = matches!(row.row().kind, Kind::Float { .. });
    let summed = |a: f32, b: f32| {
        let ok = (forced || (smooth && (a >= 0.0) == (b >= 0.0))) && a.is_finite() && b.is_finite();
        ok.then(|| (a + b).clamp(f32::MIN, f32::MAX))
    };
    let multiplied = |a: f32, b: f32| {
        // A turn that wraps between two factors is not the turn of their product.
        let growing = a >= 1.0 && b >= 1.0 && !matches!(row.row().kind, Kind::Float { cyclic: true, .. });
        let same_side = growing || ((0.0..=1.0).contains(&a) && (0.0..=1.0).contains(&b));
        let ok = (forced || (smooth && same_side)) && a.is_finite() && b.is_finite();
        ok.then(|| (a * b).clamp(f32::MIN, f32::MAX))
    };
    // A set that the row will refuse must not take the place of one that it accepts.
    let acceptable = |value: Value| row.row().accept(value).is_some();
    use Request::{Change, NudgeTravel, ScaleTravel};
    Some(match (older, newer) {
        (Change(Body::Set { .. }), Change(Body::Set { value, .. })) if acceptable(*value) => newer.clone(),
        (Change(Body::Add { by: a, .. }), Change(Body::Add { by: b, .. })) => {
            Change(Body::Add { row, by: summed(*a, *b)? })
        }
        (Change(Body::Scale { by: a, .. }), Change(Body::Scale { by: b, .. })) => {
            Change(Body::Scale { row, by: multiplied(*a, *b)? })
        }
        (NudgeTravel { by: a, .. }, NudgeTravel { by: b, .. }) => NudgeTravel { row, by: summed(*a, *b)? },
        (ScaleTravel { by: a, .. }, ScaleTravel { by: b, .. }) => ScaleTravel { row, by: multiplied(*a, *b)? },
        (_, Change(Body::Set { value, .. })) if forced && acceptable(*value) => newer.clone(),
        (Change(Body::Set { value, .. }), Change(Body::Add { by, .. })) if forced => {
            Change(Body::Set { row, value: moved(row, *value, |plain| plain + f64::from(*by)) })
        }
        (Change(Body::Set { value, .. }), Change(Body::Scale { by, .. })) if forced => {
            Change(Body::Set { row, value: moved(row, *value, |plain| plain * f64::from(*by)) })
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
