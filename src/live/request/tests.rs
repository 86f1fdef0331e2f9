//! What is asked becomes changes by value, and what cannot be is said.

use super::*;
use crate::params::FlagSpec;

fn preset(name: &str, program: u8, speed: f32) -> Preset {
    let mut values = Values::default();
    values.set(RowId::WindSpeed, Value::Float(speed));
    Preset { name: name.to_owned(), program: Some(program), values, ..Preset::default() }
}

fn resolver() -> Resolver {
    let presets = vec![preset("calm", 1, 1.5), preset("gale", 2, 15.0), preset("storm", 3, 26.0)];
    Resolver::new(Arc::new(Library { presets }), "calm")
}

fn resolve(resolver: &mut Resolver, requests: &[Request]) -> Vec<Body> {
    let performance = Performance::new(&preset("calm", 1, 8.0)).expect("sound");
    let requests = requests.iter().map(|request| (Source::Osc, request.clone())).collect();
    resolver.resolve(&performance, requests).into_iter().map(|change| change.body).collect()
}

fn recalled(bodies: &[Body]) -> Vec<&str> {
    let mut names = Vec::new();
    for body in bodies {
        if let Body::Recall { preset, .. } = body {
            names.push(preset.name.as_str());
        }
    }
    names
}

#[test]
fn presets_are_recalled_by_value_in_arrival_order() {
    let mut resolver = resolver();
    let next = Request::Host(HostCue::PresetNext);
    let set = Request::Change(Body::Set { row: RowId::AirDrag, value: Value::Float(1.0) });
    let bodies = resolve(&mut resolver, &[next.clone(), set.clone(), next.clone(), next]);
    assert_eq!(recalled(&bodies), ["gale", "storm", "calm"], "the second counts from the first");
    assert_eq!(Request::Change(bodies[1].clone()), set);
    let previous = resolve(&mut resolver, &[Request::Host(HostCue::PresetPrevious)]);
    assert_eq!(recalled(&previous), ["storm"]);
    let program = HostCue::Preset { key: PresetKey::Program(2), seconds: 1e9 };
    let bodies = resolve(&mut resolver, &[Request::Host(program)]);
    assert!(matches!(&bodies[..], [Body::Recall { seconds, .. }] if *seconds == LONGEST_MORPH_SECONDS));
}

#[test]
fn unknown_presets_and_particles_leave_the_state_and_say_why() {
    let mut resolver = resolver();
    let unknown = |key| Request::Host(HostCue::Preset { key, seconds: 0.0 });
    let asked = [
        unknown(PresetKey::Name("gail".to_owned())),
        unknown(PresetKey::Name("something else".to_owned())),
        unknown(PresetKey::Program(9)),
        Request::GrabNumber(64 * 40),
        Request::Change(Body::Structure(Arc::new(Scene { flags: Vec::new(), ..Scene::default() }))),
    ];
    assert_eq!(resolve(&mut resolver, &asked), []);
    let said: Vec<String> = resolver.refusals.iter().map(|refusal| refusal.text(&resolver.library)).collect();
    let said = said.join("\n");
    for part in [
        "\"gail\"; the nearest is \"gale\"",
        "else\"; there are calm, gale, storm",
        "program 9",
        "particle 2560; the last is 2559",
        "flags",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
}

#[test]
fn a_particle_number_counts_through_all_flags() {
    let mut resolver = resolver();
    let flag = FlagSpec { columns: 3, rows: 2, ..FlagSpec::default() };
    let scene = Scene { flags: vec![flag.clone(), flag], ..Scene::default() };
    let asked = [Request::Change(Body::Structure(Arc::new(scene))), Request::GrabNumber(7)];
    let bodies = resolve(&mut resolver, &asked);
    assert_eq!(bodies[1], Body::Hand(Hand::Grab { flag: 1, particle: 1 }));
}

#[test]
fn travel_moves_from_where_the_row_will_be() {
    let mut resolver = resolver();
    let row = RowId::WindSpeed;
    let set = |value| Request::Change(Body::Set { row, value: Value::Float(value) });
    // Square curve over 0..40: 10 is half the travel.
    let nudged = resolve(&mut resolver, &[set(10.0), Request::NudgeTravel { row, by: 0.25 }]);
    assert_eq!(nudged[1], Body::Set { row, value: Value::Float(22.5) });
    let twice = [set(10.0), Request::NudgeTravel { row, by: 0.25 }, Request::NudgeTravel { row, by: 0.5 }];
    assert_eq!(resolve(&mut resolver, &twice)[2], Body::Set { row, value: Value::Float(40.0) });
    let added = [set(2.0), Request::Change(Body::Add { row, by: 8.0 }), Request::ScaleTravel { row, by: 2.0 }];
    assert_eq!(resolve(&mut resolver, &added)[2], Body::Set { row, value: Value::Float(40.0) });
    // Past the end of a turn it goes on from the other end.
    let heading = RowId::WindHeading;
    let turned = [
        Request::Change(Body::Set { row: heading, value: Value::Float(170.0) }),
        Request::Change(Body::Add { row: heading, by: 20.0 }),
        Request::NudgeTravel { row: heading, by: -0.25 },
    ];
    let Body::Set { value: Value::Float(angle), .. } = resolve(&mut resolver, &turned)[2] else { panic!() };
    assert!((angle - 100.0).abs() < 1e-3, "{angle}");
}

#[test]
fn a_flood_of_refusals_says_four_of_a_sort() {
    let mut resolver = resolver();
    let mut asked: Vec<Request> = (0..500).map(|number| Request::GrabNumber(64 * 40 + number)).collect();
    let unknown = |name: String| Request::Host(HostCue::Preset { key: PresetKey::Name(name), seconds: 0.0 });
    asked.extend((0..500).map(|number| unknown(format!("gale{}", number % 3))));
    assert_eq!(resolve(&mut resolver, &asked), []);
    let of = |sort| resolver.refusals.iter().filter(|refusal| refusal.sort() == sort).count();
    assert_eq!((of(RefusalSort::Particle), of(RefusalSort::Preset)), (5, 3), "{:?}", resolver.refusals);
    assert_eq!(resolver.refusals[4], Refusal::More(RefusalSort::Particle));
}

#[test]
fn a_morph_has_moved_nothing_yet() {
    let mut resolver = resolver();
    let row = RowId::WindSpeed;
    let recall = |seconds| Request::Host(HostCue::Preset { key: PresetKey::Name("gale".to_owned()), seconds });
    let nudge = Request::NudgeTravel { row, by: 0.25 };
    let set = Request::Change(Body::Set { row, value: Value::Float(10.0) });
    // Square curve over 0..40: from 10 at half the travel, and from gale's 15.
    let bodies = resolve(&mut resolver, &[set.clone(), recall(10.0), nudge.clone()]);
    assert_eq!(bodies[2], Body::Set { row, value: Value::Float(22.5) });
    let bodies = resolve(&mut resolver, &[set, recall(0.0), nudge]);
    let travel = row.row().travel(Value::Float(15.0)).expect("it travels") + 0.25;
    assert_eq!(bodies[2], Body::Set { row, value: row.row().from_travel(travel).expect("it travels") });
}

#[test]
fn what_is_foreseen_is_what_the_performance_does() {
    let row = RowId::WindHeading;
    let steps = [170.0, 20.0, 725.5, -1e7, 350.0, -3.25];
    let mut performance = Performance::new(&preset("calm", 1, 8.0)).expect("sound");
    let mut foreseen = performance.target(row);
    for by in steps {
        performance.tick(&[Change::new(0, Source::Osc, Body::Add { row, by })]);
        foreseen = moved(row, foreseen, |plain| plain + f64::from(by));
        assert_eq!(performance.target(row), foreseen, "after {by}");
    }
    performance
        .tick(&[Change::set(0, row, Value::Float(0.0)), Change::new(0, Source::Osc, Body::Add { row, by: 725.5 })]);
    assert_eq!(performance.target(row), Value::Float(5.5), "two turns and a bit");
    performance.tick(&[Change::new(0, Source::Osc, Body::Scale { row, by: f32::NAN })]);
    assert_eq!(performance.target(row), Value::Float(5.5), "a NaN is refused");
}

#[test]
fn a_still_is_for_the_host_alone() {
    let mut resolver = resolver();
    let asked = [Request::Host(HostCue::Still), Request::Change(Body::Cue(Cue::Reset))];
    assert_eq!(resolve(&mut resolver, &asked), [Body::Cue(Cue::Reset)]);
    assert!(resolver.still);
}
