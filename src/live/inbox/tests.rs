//! Merging must not be heard: what the inbox gives equals what was pushed, done in order.

use super::*;
use crate::params::Values;
use crate::perform::Cue;

fn set(row: RowId, value: f32) -> Request {
    Request::Change(Body::Set { row, value: Value::Float(value) })
}

fn add(row: RowId, by: f32) -> Request {
    Request::Change(Body::Add { row, by })
}

fn scale(row: RowId, by: f32) -> Request {
    Request::Change(Body::Scale { row, by })
}

fn cue() -> Request {
    Request::Change(Body::Cue(Cue::Reset))
}

fn hand(x: f32) -> Request {
    Request::Change(Body::Hand(Hand::Move([x, 0.0, 0.0])))
}

fn all(inbox: &mut Inbox) -> Vec<Request> {
    let mut out = Vec::new();
    while inbox.size > 0 {
        out.extend(inbox.take().requests.into_iter().map(|(_, request)| request));
    }
    out
}

const SPEED: RowId = RowId::WindSpeed;
const DRAG: RowId = RowId::AirDrag;

#[test]
fn sets_collapse_between_edges_only() {
    let mut inbox = Inbox::default();
    for request in [set(SPEED, 1.0), set(DRAG, 1.0), set(SPEED, 2.0), cue(), set(SPEED, 3.0), set(SPEED, 4.0)] {
        assert!(inbox.push(Source::Osc, vec![request]));
    }
    inbox.push(Source::Osc, vec![set(SPEED, 5.0), set(SPEED, 6.0)]);
    inbox.push(Source::Midi, vec![set(SPEED, 7.0)]);
    let expected =
        [set(SPEED, 2.0), set(DRAG, 1.0), cue(), set(SPEED, 4.0), set(SPEED, 5.0), set(SPEED, 6.0), set(SPEED, 7.0)];
    assert_eq!(inbox.counters(), Counters { received: 9, coalesced: 2, dropped: 0, waiting: 7 });
    assert_eq!(all(&mut inbox), expected);
    // What was taken is not merged into.
    inbox.push(Source::Osc, vec![set(SPEED, 8.0)]);
    assert_eq!(all(&mut inbox), [set(SPEED, 8.0)]);
}

#[test]
fn moves_add_up_in_one_direction_and_factors_multiply() {
    let mut inbox = Inbox::default();
    let pushed = [add(SPEED, 1.0), add(SPEED, 2.0), add(SPEED, -1.0), scale(DRAG, 2.0), scale(DRAG, 3.0)];
    for request in pushed.into_iter().chain([scale(DRAG, 0.5), set(DRAG, 1.0), set(DRAG, 2.0)]) {
        inbox.push(Source::Osc, vec![request]);
    }
    // Rows with steps round after each move.
    inbox.push(Source::Osc, vec![add(RowId::WindOctaves, 0.4)]);
    inbox.push(Source::Osc, vec![add(RowId::WindOctaves, 0.4)]);
    let expected = [
        add(SPEED, 3.0),
        add(SPEED, -1.0),
        scale(DRAG, 6.0),
        scale(DRAG, 0.5),
        set(DRAG, 2.0),
        add(RowId::WindOctaves, 0.4),
        add(RowId::WindOctaves, 0.4),
    ];
    assert_eq!(all(&mut inbox), expected);
}

#[test]
fn a_relative_move_keeps_its_sender_and_a_set_the_last_one() {
    let mut inbox = Inbox::default();
    for (source, request) in [
        (Source::Osc, add(SPEED, 1.0)),
        (Source::Midi, add(SPEED, 1.0)),
        (Source::Osc, set(DRAG, 1.0)),
        (Source::Midi, set(DRAG, 2.0)),
    ] {
        inbox.push(source, vec![request]);
    }
    let taken = inbox.take().requests;
    let expected = [(Source::Osc, add(SPEED, 1.0)), (Source::Midi, add(SPEED, 1.0)), (Source::Midi, set(DRAG, 2.0))];
    assert_eq!(taken, expected);
}

#[test]
fn hand_moves_merge_when_adjacent_and_inputs_by_name() {
    let mut inbox = Inbox::default();
    let input = |name: &str, value| Request::Change(Body::Input { name: name.into(), value });
    for request in [hand(1.0), hand(2.0), cue(), hand(3.0), input("a", 0.1), input("b", 0.2), input("a", 0.3)] {
        inbox.push(Source::Osc, vec![request]);
    }
    assert_eq!(all(&mut inbox), [hand(2.0), cue(), hand(3.0), input("a", 0.3), input("b", 0.2)]);
}

#[test]
fn a_tick_takes_whole_bundles_up_to_its_cap() {
    let mut inbox = Inbox::default();
    let bundle = |count: usize| (0..count).map(|step| set(SPEED, step as f32)).collect::<Vec<_>>();
    inbox.push(Source::Osc, bundle(MOST_PER_TICK - 1));
    inbox.push(Source::Osc, bundle(2));
    inbox.push(Source::Osc, bundle(MOST_PER_TICK + 5));
    let sizes: Vec<(usize, u64)> = (0..4)
        .map(|_| {
            let taken = inbox.take();
            (taken.requests.len(), taken.through)
        })
        .collect();
    assert_eq!(sizes, [(MOST_PER_TICK - 1, 1), (2, 2), (MOST_PER_TICK + 5, 3), (0, 3)]);
    for _ in 0..9 {
        inbox.push(Source::Osc, vec![Request::Host(super::super::HostCue::PresetNext)]);
    }
    assert_eq!(inbox.take().requests.len(), 4, "rebuilds weigh more");
}

#[test]
fn when_full_the_last_set_of_each_row_still_holds() {
    let mut inbox = Inbox::default();
    for _ in 0..2 * CAPACITY {
        inbox.push(Source::Osc, vec![cue()]);
    }
    assert_eq!(inbox.counters().dropped, CAPACITY as u64);
    for round in 0..100 {
        for row in RowId::ALL {
            assert!(inbox.push(Source::Osc, vec![add(*row, 1.0)]) || round > 0);
            let value = row.row().default_value();
            assert!(inbox.push(Source::Osc, vec![Request::Change(Body::Set { row: *row, value })]));
        }
        assert!(!inbox.push(Source::Osc, vec![cue()]));
        assert!(!inbox.push(Source::Osc, vec![set(SPEED, 1.0), set(DRAG, 1.0)]));
        assert!(!inbox.push(Source::Osc, vec![Request::GrabNumber(1)]));
    }
    assert_eq!(inbox.counters().waiting, (CAPACITY + ROWS.len()) as u64, "bounded");
    inbox.push(Source::Osc, vec![set(SPEED, 3.0)]);
    inbox.push(Source::Osc, vec![add(SPEED, 2.0)]);
    let out = all(&mut inbox);
    assert_eq!(out.iter().filter(|request| **request == set(SPEED, 5.0)).count(), 1);
    assert!(!inbox.push(Source::Osc, vec![cue(); CAPACITY + 1]), "what can never fit is dropped at once");
}

#[test]
fn what_will_be_refused_spoils_nothing() {
    let mut inbox = Inbox::default();
    let colour = Request::Change(Body::Set { row: DRAG, value: Value::Colour([0.5; 4]) });
    let pushed =
        [set(SPEED, 1.0), set(SPEED, f32::NAN), add(SPEED, 1.0), add(SPEED, f32::INFINITY), set(DRAG, 1.0), colour];
    for request in pushed.clone() {
        inbox.push(Source::Host, vec![request]);
    }
    // Compared as text, since a NaN is not itself.
    assert_eq!(format!("{:?}", all(&mut inbox)), format!("{pushed:?}"));
}

/// What the performance does with these, as far as merging is concerned.
fn naive(values: &mut Values, request: &Request) {
    match request {
        Request::Change(Body::Set { row, value }) => {
            values.set(*row, *value);
        }
        Request::Change(Body::Add { row, by }) => {
            let value = moved(*row, values.get(*row), |plain| plain + f64::from(*by));
            values.set(*row, value);
        }
        Request::Change(Body::Scale { row, by }) => {
            let value = moved(*row, values.get(*row), |plain| plain * f64::from(*by));
            values.set(*row, value);
        }
        Request::NudgeTravel { row, by } | Request::ScaleTravel { row, by } => {
            let Some(travel) = row.row().travel(values.get(*row)) else { return };
            let relative = matches!(request, Request::NudgeTravel { .. });
            let travel = if relative { travel + by } else { travel * by };
            if let Some(value) = row.row().from_travel(travel) {
                values.set(*row, value);
            }
        }
        _ => {}
    }
}

/// A small generator (SplitMix64), so that a failing seed can be run again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn real(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.below(1 << 20) as f32 / (1 << 20) as f32)
    }

    fn request(&mut self) -> Request {
        const SOME: [RowId; 6] = [
            SPEED,
            RowId::WindHeading,
            RowId::WindGustScale,
            RowId::WindOctaves,
            RowId::LookPattern,
            RowId::WhiskersVisible,
        ];
        let row = SOME[self.below(SOME.len() as u64) as usize];
        match self.below(12) {
            0..=3 => set(row, self.real(-200.0, 200.0)),
            4..=6 => add(row, self.real(-20.0, 20.0)),
            7..=8 => scale(row, self.real(-0.5, 2.0)),
            9 => Request::NudgeTravel { row, by: self.real(-0.4, 0.4) },
            10 => Request::ScaleTravel { row, by: self.real(0.0, 2.0) },
            _ => cue(),
        }
    }
}

#[test]
fn merged_equals_done_in_order() {
    for seed in 0..2_000 {
        let mut dice = Dice(seed);
        let mut inbox = Inbox::default();
        let mut wanted = Values::default();
        let mut got = Values::default();
        for _ in 0..40 {
            let bundle: Vec<Request> = (0..1 + dice.below(6).saturating_sub(3)).map(|_| dice.request()).collect();
            bundle.iter().for_each(|request| naive(&mut wanted, request));
            assert!(inbox.push(Source::Osc, bundle));
            if dice.below(10) == 0 {
                inbox.take().requests.iter().for_each(|(_, request)| naive(&mut got, request));
            }
        }
        assert!(inbox.counters().coalesced > 0 || seed > 0);
        all(&mut inbox).iter().for_each(|request| naive(&mut got, request));
        for row in RowId::ALL {
            match (wanted.get(*row), got.get(*row)) {
                (Value::Float(a), Value::Float(b)) => {
                    // The two ends of a turn are one place.
                    let around = if *row == RowId::WindHeading { 360.0 } else { 0.0 };
                    let b = if (a - b).abs() > 180.0 { b + (a - b).signum() * around } else { b };
                    assert!((a - b).abs() <= 1e-4 * (1.0 + a.abs()), "seed {seed}: {} {a} {b}", row.row().id);
                }
                (a, b) => assert_eq!(a, b, "seed {seed}: {}", row.row().id),
            }
        }
    }
}
