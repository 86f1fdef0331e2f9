//! The one tick: the same changes give the same flag, however they arrive, and nothing breaks it.

use pennon::params::{Kind, Pins, Preset, RowId, Scene, Value};
use pennon::perform::{Body, Change, Cue, Digest, Hand, Performance, Source, TICK_HERTZ};
use std::sync::Arc;

/// A flag small enough for thousands of ticks.
fn small() -> Preset {
    let mut preset = Preset::default();
    let flag = &mut preset.scene.flags[0];
    (flag.columns, flag.rows) = (12, 8);
    (flag.length, flag.width) = (1.6, 1.0);
    preset.scene.solver.substeps = 8;
    preset
}

fn change(tick: u64, body: Body) -> Change {
    Change::new(tick, Source::Osc, body)
}

fn set(tick: u64, row: RowId, value: f32) -> Change {
    change(tick, Body::Set { row, value: Value::Float(value) })
}

fn cue(tick: u64, cue: Cue) -> Change {
    change(tick, Body::Cue(cue))
}

fn run(performance: &mut Performance, ticks: u64) -> Digest {
    (0..ticks).for_each(|_| performance.tick(&[]));
    performance.digest()
}

/// Something of everything that can be played.
fn a_set() -> Vec<Change> {
    let mut other = small();
    other.scene.flags[0].columns = 9;
    other.values.set(RowId::WindSpeed, Value::Float(14.0));
    let mut two = small().scene;
    two.flags.push(two.flags[0].clone());
    two.flags[1].position = [0.0, 0.0, -1.0];
    two.flags[1].fixed = vec![(RowId::LinkBendCompliance, Value::Float(0.3))];
    vec![
        set(10, RowId::WindSpeed, 12.0),
        set(10, RowId::WindSpeed, 17.0),
        change(11, Body::Add { row: RowId::WindHeading, by: 170.0 }),
        change(30, Body::Add { row: RowId::WindHeading, by: 40.0 }),
        change(40, Body::Scale { row: RowId::AirDrag, by: 3.0 }),
        cue(50, Cue::SeedNext),
        change(60, Body::Hand(Hand::GrabNearest([1.6, 0.5, 0.0]))),
        change(70, Body::Hand(Hand::Move([1.0, 1.5, 0.4]))),
        change(110, Body::Hand(Hand::Release)),
        cue(120, Cue::Freeze),
        cue(130, Cue::Freeze),
        change(140, Body::Recall { preset: Arc::new(other), seconds: 0.5 }),
        set(160, RowId::WindTurbulence, 0.9),
        cue(170, Cue::WindTime(3.5)),
        change(220, Body::Structure(Arc::new(two))),
        set(221, RowId::LinkBendCompliance, 0.001),
        cue(240, Cue::Blackout),
        change(250, Body::Tempo { bpm: 120.0, beat: 4.0 }),
        change(250, Body::Input { name: "sound/level".into(), value: 0.5 }),
    ]
}

#[test]
fn the_same_changes_split_in_any_way_give_the_same_flag() {
    let changes = a_set();
    // Each at its own tick.
    let mut live = Performance::new(&small()).expect("sound");
    for tick in 0..300 {
        let due: Vec<Change> = changes.iter().filter(|change| change.tick == tick).cloned().collect();
        live.tick(&due);
    }
    // All before the first tick.
    let mut offline = Performance::new(&small()).expect("sound");
    offline.tick(&changes);
    let all = run(&mut offline, 299);
    assert_eq!(live.digest(), all);
    // In pieces of five, each given as early as its first change allows.
    let mut pieces = Performance::new(&small()).expect("sound");
    let mut waiting: Vec<&[Change]> = changes.chunks(5).rev().collect();
    for tick in 0..300 {
        let due = waiting.pop_if(|piece| piece[0].tick <= tick + 3);
        pieces.tick(due.unwrap_or(&[]));
    }
    assert_eq!(pieces.digest(), all);
    assert_eq!(offline.flag_count(), 2);
    assert_eq!(offline.input("sound/level"), Some(0.5));
    // And they do something.
    let mut still = Performance::new(&small()).expect("sound");
    assert_ne!(run(&mut still, 300), all);
}

#[test]
fn after_a_reset_it_is_as_new() {
    let mut fresh = Performance::new(&small()).expect("sound");
    let expected = run(&mut fresh, 100);
    let mut played = Performance::new(&small()).expect("sound");
    run(&mut played, 77);
    played.tick(&[cue(0, Cue::Reset)]);
    assert_eq!(run(&mut played, 99), expected);
    // Another seed at the same tick is the seed of the disturbance and of the gusts, without a fade.
    let mut seeded = small();
    seeded.values.set(RowId::WindSeed, Value::Int(5));
    let expected = run(&mut Performance::new(&seeded).expect("sound"), 50);
    played.tick(&[change(0, Body::Set { row: RowId::WindSeed, value: Value::Int(5) }), cue(0, Cue::Reset)]);
    assert_eq!(run(&mut played, 49), expected);
}

#[test]
fn panic_ends_glides_and_morphs_where_they_were_going() {
    let mut target = small();
    target.values.set(RowId::WindSpeed, Value::Float(20.0));
    let expected = run(&mut Performance::new(&target).expect("sound"), 40);
    let mut played = Performance::new(&small()).expect("sound");
    run(&mut played, 20);
    played.tick(&[change(0, Body::Recall { preset: Arc::new(target), seconds: 60.0 })]);
    played.tick(&[cue(0, Cue::Panic)]);
    assert_eq!(run(&mut played, 39), expected);
}

#[test]
fn freeze_holds_the_cloth_while_the_wind_runs() {
    let mut performance = Performance::new(&small()).expect("sound");
    run(&mut performance, 60);
    performance.tick(&[cue(0, Cue::Freeze)]);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    performance.copy_positions(0, &mut before);
    let digest = performance.digest();
    assert_ne!(run(&mut performance, 10), digest, "the gust phases move on");
    performance.copy_positions(0, &mut after);
    assert_eq!(before, after);
    performance.tick(&[cue(0, Cue::Freeze)]);
    performance.copy_positions(0, &mut after);
    assert_ne!(before, after);
}

#[test]
fn a_blackout_fades_in_a_second_and_back() {
    let mut performance = Performance::new(&small()).expect("sound");
    performance.tick(&[cue(0, Cue::Blackout)]);
    run(&mut performance, u64::from(TICK_HERTZ) / 2 - 1);
    assert!((performance.light() - 0.5).abs() < 1e-4);
    run(&mut performance, u64::from(TICK_HERTZ));
    assert_eq!(performance.light(), 0.0);
    performance.tick(&[cue(0, Cue::Blackout)]);
    run(&mut performance, u64::from(TICK_HERTZ));
    assert_eq!(performance.light(), 1.0);
}

#[test]
fn the_hand_holds_moves_and_lets_go() {
    let mut performance = Performance::new(&small()).expect("sound");
    performance.tick(&[change(0, Body::Hand(Hand::GrabNearest([1.6, 0.5, 0.0])))]);
    assert_eq!(performance.held(), Some((0, 11)));
    performance.tick(&[change(0, Body::Hand(Hand::Move([1.2, 0.9, 0.3])))]);
    run(&mut performance, 120);
    let mut positions = Vec::new();
    performance.copy_positions(0, &mut positions);
    for (axis, expected) in [1.2, 0.9, 0.3].into_iter().enumerate() {
        assert!((positions[11][axis] - expected).abs() < 1e-4, "{:?}", positions[11]);
    }
    // An absurd place: no farther than 1.1 × the rest path from its pin, and nothing breaks.
    for place in [[1e6, 0.0, 0.0], [f32::NAN; 3], [f32::INFINITY, 0.0, 0.0], [1e38, -1e38, 1e38], [1e20, 0.0, 0.0]] {
        performance.tick(&[change(0, Body::Hand(Hand::Move(place)))]);
        run(&mut performance, 120);
        performance.copy_positions(0, &mut positions);
        let pin = positions[0];
        let way = [0, 1, 2].map(|k| positions[11][k] - pin[k]);
        let distance = way.iter().map(|part| part * part).sum::<f32>().sqrt();
        assert!(distance <= 1.1 * 1.6 * 1.0001, "{place:?}: {distance}");
        // As far as that in the direction that was asked, when it is one.
        if place[0].is_finite() {
            let size = place.iter().fold(0.0f32, |most, part| most.max(part.abs()));
            let toward = place.map(|part| part / size);
            let length = toward.iter().map(|part| part * part).sum::<f32>().sqrt();
            let along = (0..3).map(|k| way[k] * toward[k]).sum::<f32>() / length;
            assert!(along > 1.1 * 1.6 * 0.99, "{place:?}: {way:?}");
        }
    }
    assert_eq!(performance.readouts(0).rejected, 0);
    performance.tick(&[change(0, Body::Hand(Hand::Release))]);
    assert_eq!(performance.held(), None);
    // Pins cannot be taken, nor what is not there.
    performance.tick(&[change(0, Body::Hand(Hand::Grab { flag: 0, particle: 12 }))]);
    assert_eq!(performance.held(), None);
    let reports = performance.take_reports();
    assert_eq!(reports[0].message, "particle 12 of flag 0 is pinned or not there; nothing was grabbed");
    let mut two = small();
    two.scene.flags.push(two.scene.flags[0].clone());
    let mut performance = Performance::new(&two).expect("sound");
    performance.tick(&[change(0, Body::Hand(Hand::Grab { flag: 1, particle: 5 }))]);
    assert_eq!(performance.held(), Some((1, 5)));
    performance.tick(&[change(0, Body::Hand(Hand::Grab { flag: 7, particle: u32::MAX }))]);
    assert_eq!(performance.held(), Some((1, 5)));
}

#[test]
fn a_recalled_structure_is_built_at_once_and_rows_morph() {
    let mut other = small();
    other.name = "other".to_owned();
    other.scene.flags[0].rows = 5;
    other.values.set(RowId::WindSpeed, Value::Float(16.0));
    let mut performance = Performance::new(&small()).expect("sound");
    run(&mut performance, 10);
    let generation = performance.generation();
    performance.tick(&[change(0, Body::Recall { preset: Arc::new(other), seconds: 1.0 })]);
    assert_ne!(performance.generation(), generation);
    assert_eq!((performance.scene().flags[0].rows, performance.preset_name()), (5, "other"));
    run(&mut performance, 59);
    assert_eq!(performance.target(RowId::WindSpeed), Value::Float(12.0));
    run(&mut performance, 60);
    assert_eq!(performance.target(RowId::WindSpeed), Value::Float(16.0));
    // A structure that cannot be built changes nothing.
    let mut broken = small();
    broken.scene.flags[0].columns = 1;
    performance.tick(&[change(0, Body::Recall { preset: Arc::new(broken), seconds: 0.0 })]);
    assert_eq!(performance.preset_name(), "other");
    assert!(performance.take_reports()[0].message.contains("cannot be built"));
}

#[test]
fn grids_of_every_shape_and_pin_stay_finite() {
    for (columns, rows, pins) in [
        (2, 2, Pins::Hoist),
        (2, 9, Pins::Corners),
        (9, 2, Pins::List(vec![[4, 0], [8, 1]])),
        (5, 5, Pins::List(vec![])),
        (3, 3, Pins::List((0..9).map(|i| [i % 3, i / 3]).collect())),
    ] {
        let mut preset = small();
        let flag = &mut preset.scene.flags[0];
        (flag.columns, flag.rows, flag.pins) = (columns, rows, pins.clone());
        let mut performance = Performance::new(&preset).expect("sound");
        let mut before = Vec::new();
        performance.copy_positions(0, &mut before);
        run(&mut performance, 240);
        let mut after = Vec::new();
        performance.copy_positions(0, &mut after);
        assert!(after.iter().flatten().all(|x| x.is_finite()), "{columns} × {rows} {pins:?}");
        assert_eq!(performance.readouts(0).rejected, 0);
        if let Pins::List(list) = &pins {
            for [column, row] in list {
                let i = (row * columns + column) as usize;
                assert_eq!(before[i], after[i], "a pin moved");
            }
        }
    }
}

/// With tethers no particle of a grid of 7 × 5 is farther from the hoist than 1.1 × its rest path, whatever blows.
fn held_by_tethers(positions: &[[f32; 3]], spacing: f32, rows: &[(RowId, Value)]) {
    for (number, place) in positions.iter().enumerate() {
        let (pin, column) = (positions[number - number % 7], (number % 7) as f32);
        let away = (0..3).map(|k| (place[k] - pin[k]).powi(2)).sum::<f32>().sqrt();
        assert!(away <= 1.1 * spacing * column * 1.000_01, "{number} is {away} m away: {rows:?}");
    }
}

/// Runs 2,000 ticks on a small grid with these rows; the flag must stay in the world.
fn survives(rows: &[(RowId, Value)]) {
    let mut preset = small();
    (preset.scene.flags[0].columns, preset.scene.flags[0].rows) = (7, 5);
    preset.scene.solver.substeps = 4;
    for (row, value) in rows {
        assert!(preset.values.set(*row, *value));
    }
    let mut performance = Performance::new(&preset).expect("sound");
    let mut positions = Vec::new();
    for _ in 0..200 {
        run(&mut performance, 10);
        performance.copy_positions(0, &mut positions);
        if preset.values.float(RowId::LinkTether) <= 1.1 {
            held_by_tethers(&positions, preset.scene.flags[0].length / 6.0, rows);
        }
    }
    assert!(positions.iter().flatten().all(|x| x.abs() <= 1e3), "{rows:?}: {:?}", positions.last());
    let readouts = performance.readouts(0);
    assert_eq!((readouts.accepted, readouts.rejected), (2000, 0), "{rows:?}");
    assert!(
        readouts.impulse.is_some_and(f32::is_finite) && readouts.energy.is_finite() && readouts.stretch.is_finite()
    );
}

/// The two ends of a row.
fn ends(row: RowId) -> [Value; 2] {
    match row.row().kind {
        Kind::Float { range, .. } => [Value::Float(range.min), Value::Float(range.max)],
        Kind::Int { min, max, .. } => [Value::Int(min), Value::Int(max)],
        _ => panic!("{} has no ends", row.row().id),
    }
}

#[test]
fn all_corners_of_the_forcing_rows_stay_in_the_world() {
    let rows = [
        RowId::WindSpeed,
        RowId::WindTurbulence,
        RowId::WindGustScale,
        RowId::WindGustRate,
        RowId::AirDrag,
        RowId::AirDensity,
        RowId::AirNormalCoefficient,
    ];
    for corner in 0..1u32 << rows.len() {
        let values: Vec<_> =
            rows.iter().enumerate().map(|(i, row)| (*row, ends(*row)[(corner >> i & 1) as usize])).collect();
        survives(&values);
    }
}

#[test]
fn every_pair_of_ends_of_the_other_rows_stays_in_the_world() {
    let forcing = ["wind.speed", "wind.turbulence", "wind.gust_scale", "wind.gust_rate", "air.drag", "air.density"];
    let rows: Vec<RowId> = RowId::ALL
        .iter()
        .copied()
        .filter(|row| ["wind", "air", "cloth", "link", "contact"].contains(&row.row().group()))
        .filter(|row| !forcing.contains(&row.row().id) && row.row().id != "air.normal_coefficient")
        .collect();
    // Case k gives row i the end at bit k of i + 1: any two rows differ in a bit somewhere. With each case
    // and its mirror, and all low and all high, every pair of ends of any two rows occurs.
    let bits = usize::BITS - rows.len().leading_zeros();
    let mut cases: Vec<Vec<usize>> = vec![vec![0; rows.len()], vec![1; rows.len()]];
    for bit in 0..bits {
        let case: Vec<usize> = (0..rows.len()).map(|i| (i + 1) >> bit & 1).collect();
        cases.push(case.iter().map(|end| 1 - end).collect());
        cases.push(case);
    }
    for a in 0..rows.len() {
        for b in 0..a {
            for pair in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                assert!(cases.iter().any(|case| [case[a], case[b]] == pair), "{pair:?} of {a} and {b} is not covered");
            }
        }
    }
    for case in cases {
        let values: Vec<_> = rows.iter().zip(&case).map(|(row, end)| (*row, ends(*row)[*end])).collect();
        survives(&values);
        // And in a storm.
        let storm = [(RowId::WindSpeed, Value::Float(40.0)), (RowId::WindTurbulence, Value::Float(2.0))];
        survives(&values.into_iter().chain(storm).collect::<Vec<_>>());
    }
}

#[test]
fn scenes_out_of_reach_are_refused_by_name() {
    let mut preset = small();
    preset.scene = Scene { flags: Vec::new(), ..Scene::default() };
    let error = Performance::new(&preset).expect_err("no flag").to_string();
    assert_eq!(error, "number of flags = 0 is outside 1..=1024");
}
