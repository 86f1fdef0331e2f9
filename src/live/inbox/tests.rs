//! Merging must not be heard: what the inbox gives equals what was pushed, done in order.

use super::*;
use crate::live::request::Resolver;
use crate::live::{HostCue, PresetKey};
use crate::params::{Library, Preset};
use crate::perform::{Cue, Performance};

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
    Request::Change(Body::Cue(Cue::Freeze))
}

fn reset() -> Request {
    Request::Change(Body::Cue(Cue::Reset))
}

fn recall(name: &str) -> Request {
    Request::Host(HostCue::Preset { key: PresetKey::Name(name.to_owned()), seconds: 0.0 })
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
        inbox.push(Source::Osc, vec![Request::Host(HostCue::PresetNext)]);
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

/// A real performance of a small flag, with what turns requests into its changes.
struct Stage {
    performance: Performance,
    resolver: Resolver,
}

impl Stage {
    fn new() -> Self {
        let mut preset = Preset { name: "first".to_owned(), ..Preset::default() };
        (preset.scene.flags[0].columns, preset.scene.flags[0].rows) = (2, 2);
        let mut second = Preset { name: "second".to_owned(), ..preset.clone() };
        second.values.set(RowId::WindHeading, Value::Float(-135.0));
        second.values.set(SPEED, Value::Float(33.0));
        let performance = Performance::new(&preset).expect("sound");
        let resolver = Resolver::new(Arc::new(Library { presets: vec![preset, second] }), "first");
        Stage { performance, resolver }
    }

    /// One tick with these.
    fn play(&mut self, requests: Vec<(Source, Request)>) {
        let changes = self.resolver.resolve(&self.performance, requests);
        self.performance.tick(&changes);
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
        match self.below(24) {
            0..=4 => set(row, self.real(-200.0, 200.0)),
            5..=9 => add(row, self.real(-20.0, 20.0)),
            // Up to two turns of an angle at once, so that several add up to more.
            10..=13 => add(row, self.real(-720.0, 720.0)),
            14..=18 => scale(row, self.real(-0.5, 2.0)),
            19..=20 => Request::NudgeTravel { row, by: self.real(-0.4, 0.4) },
            21 => Request::ScaleTravel { row, by: self.real(0.0, 2.0) },
            22 => recall(["first", "second"][self.below(2) as usize]),
            _ => [cue(), reset()][self.below(2) as usize].clone(),
        }
    }
}

#[test]
fn merged_equals_done_in_order() {
    let mut coalesced = 0;
    for seed in 0..400 {
        let mut dice = Dice(seed);
        let mut inbox = Inbox::default();
        let (mut wanted, mut got) = (Stage::new(), Stage::new());
        for _ in 0..40 {
            let bundle: Vec<Request> = (0..1 + dice.below(6).saturating_sub(4)).map(|_| dice.request()).collect();
            wanted.play(bundle.iter().map(|request| (Source::Osc, request.clone())).collect());
            assert!(inbox.push(Source::Osc, bundle));
            if dice.below(10) == 0 {
                got.play(inbox.take().requests);
            }
        }
        coalesced += inbox.counters().coalesced;
        while inbox.size > 0 {
            got.play(inbox.take().requests);
        }
        assert_eq!(wanted.performance.frozen(), got.performance.frozen());
        assert_eq!(wanted.performance.preset_name(), got.performance.preset_name());
        for row in RowId::ALL {
            match (wanted.performance.target(*row), got.performance.target(*row)) {
                (Value::Float(a), Value::Float(b)) => {
                    // The two ends of a turn are one place.
                    let around = if *row == RowId::WindHeading { 360.0 } else { 0.0 };
                    let b = if (a - b).abs() > 180.0 { b + (a - b).signum() * around } else { b };
                    assert!((a - b).abs() <= 2e-4 * (1.0 + a.abs()), "seed {seed}: {} {a} {b}", row.row().id);
                }
                (a, b) => assert_eq!(a, b, "seed {seed}: {}", row.row().id),
            }
        }
    }
    assert!(coalesced > 200, "{coalesced}");
}

#[test]
fn an_angle_turns_on_past_a_turn_when_its_moves_add_up() {
    let heading = RowId::WindHeading;
    let mut inbox = Inbox::default();
    for _ in 0..20 {
        inbox.push(Source::Osc, vec![add(heading, 45.0)]);
    }
    let mut stage = Stage::new();
    let start = stage.performance.target(heading).number().expect("a number");
    stage.play(inbox.take().requests);
    // 900 degrees are two turns and a half.
    let end = stage.performance.target(heading).number().expect("a number");
    assert_eq!((end - start).abs(), 180.0, "{start} to {end}");
}

#[test]
fn an_edge_that_repeats_the_last_is_one() {
    let mut inbox = Inbox::default();
    let next = || Request::Host(HostCue::PresetNext);
    for request in [reset(), reset(), reset(), recall("a"), recall("a"), recall("b"), next(), next(), cue(), cue()] {
        assert!(inbox.push(Source::Osc, vec![request]));
    }
    inbox.push(Source::Osc, vec![reset(), reset(), set(SPEED, 1.0), reset()]);
    inbox.push(Source::Osc, vec![reset()]);
    let expected = [reset(), recall("a"), recall("b"), next(), next(), cue(), cue(), reset(), set(SPEED, 1.0), reset()];
    assert_eq!(inbox.counters(), Counters { received: 15, coalesced: 5, dropped: 0, waiting: 10 });
    assert_eq!(all(&mut inbox), expected);
    // Done twice it is done once, to the bit.
    let mut stages = [Stage::new(), Stage::new()];
    for (times, stage) in (1..).zip(&mut stages) {
        (0..50).for_each(|_| stage.play(vec![]));
        for request in [reset(), recall("second"), Request::Change(Body::Cue(Cue::Panic))] {
            stage.play(vec![(Source::Osc, request); times]);
        }
        stage.play(vec![]);
    }
    let [once, twice] = stages.map(|stage| (stage.performance.digest(), stage.performance.targets().clone()));
    assert_eq!(once, twice);
}

#[test]
fn a_bundle_too_heavy_for_a_tick_is_dropped_whole() {
    let mut inbox = Inbox::default();
    let rebuilds = |count: usize| (0..count).map(|step| recall(["first", "second"][step % 2])).collect::<Vec<_>>();
    let most = HEAVIEST_BUNDLE / weight(&recall("first"));
    assert!(most < 20, "they take a millisecond each");
    assert!(inbox.push(Source::Osc, rebuilds(most)));
    assert!(!inbox.push(Source::Osc, rebuilds(most + 1)));
    assert!(!inbox.push(Source::Osc, vec![reset(); 4090]));
    assert_eq!(inbox.counters().dropped, most as u64 + 1 + 4090);
    assert_eq!(inbox.counters().waiting, most as u64);
    assert!(inbox.push(Source::Osc, (0..CAPACITY - most).map(|step| set(SPEED, step as f32)).collect()));
}
