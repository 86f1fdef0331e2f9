//! The type table, cell by cell.

use super::cue::LONGEST_WIND_TIME_SECONDS;
use super::*;
use crate::live::PresetKey;
use crate::params::{Kind, ROWS, Value};
use Argument::{Blob, Char, Colour, Double, False, Float, Impulse, Int, Long, Midi, Nil, Text, Time, True};

fn route(address: &str, arguments: &[Argument<'_>]) -> Routed {
    let message = Message { address, arguments: arguments.to_vec(), argument_count: arguments.len() };
    Router::new().route(&message, &mut Bounds::new(1))
}

/// What it does, and the sorts of its remarks.
fn does(address: &str, arguments: &[Argument<'_>]) -> (Vec<Action>, Vec<Loss>) {
    let routed = route(address, arguments);
    (routed.actions, routed.remarks.iter().map(|remark| remark.loss).collect())
}

fn set(row: RowId, value: Value) -> Action {
    Action::Request(Body::Set { row, value }.into())
}

fn change(body: Body) -> Action {
    Action::Request(body.into())
}

fn ask(address: &str, row: RowId, travel: bool) -> Action {
    let about = if travel { About::Travel(row) } else { About::Row(row) };
    Action::Ask(Question { address: address.to_owned(), about })
}

fn speed(value: f32) -> Action {
    set(RowId::WindSpeed, Value::Float(value))
}

#[track_caller]
fn check(address: &str, arguments: &[Argument<'_>], action: Action, losses: &[Loss]) {
    assert_eq!(does(address, arguments), (vec![action], losses.to_vec()), "{address} {arguments:?}");
}

#[track_caller]
fn refused(address: &str, arguments: &[Argument<'_>], loss: Loss) {
    assert_eq!(does(address, arguments), (vec![], vec![loss]), "{address} {arguments:?}");
}

#[test]
fn every_number_is_cast() {
    for argument in [Float(12.0), Double(12.0), Int(12), Long(12), Text("12"), Text(" 12.0 "), Text("1.2e1")] {
        check("/wind/speed", &[argument], speed(12.0), &[]);
        check("/wind/seed", &[argument], set(RowId::WindSeed, Value::Int(12)), &[]);
        check("/whiskers/columns", &[argument], set(RowId::WhiskersColumns, Value::Int(12)), &[]);
    }
    check("/wind/speed", &[Text("0.5")], speed(0.5), &[]);
    for argument in [Float(2.0), Double(1.6), Int(2), Long(2), Text("2"), Text("checks"), Text("CHECKS")] {
        check("/look/pattern", &[argument], set(RowId::LookPattern, Value::Choice(2)), &[]);
    }
    for (argument, on) in [(Float(1.0), true), (Int(0), false), (Double(0.4), false), (Text("1"), true)] {
        check("/look/pole", &[argument], set(RowId::LookPole, Value::Switch(on)), &[]);
    }
    // Whole numbers keep all digits where a float would not.
    check("/wind/seed", &[Int(16_777_217)], set(RowId::WindSeed, Value::Int(16_777_217)), &[]);
    check("/wind/seed", &[Double(-16_777_217.0)], set(RowId::WindSeed, Value::Int(-16_777_217)), &[]);
    check("/wind/seed", &[Int(i32::MIN)], set(RowId::WindSeed, Value::Int(i32::MIN)), &[]);
    check("/wind/octaves", &[Float(2.6)], set(RowId::WindOctaves, Value::Int(3)), &[]);
}

#[test]
fn what_is_not_finite_is_refused() {
    for argument in [Float(f32::NAN), Float(f32::INFINITY), Double(f64::NAN), Double(f64::NEG_INFINITY), Text("nan")] {
        for address in ["/wind/speed", "/norm/wind/speed", "/wind/seed", "/look/pole", "/look/pattern", "/cue/reset"] {
            refused(address, &[argument], Loss::NotFinite);
        }
    }
    refused("/wind/speed", &[Text("+inf")], Loss::NotFinite);
    refused("/wind/speed", &[Text("*"), Float(f32::NAN)], Loss::NotFinite);
    refused("/look/colour_a", &[Float(0.0), Float(f32::NAN), Float(0.0)], Loss::NotFinite);
    refused("/cue/wind_time", &[Double(f64::NAN)], Loss::NotFinite);
    refused("/cue/preset", &[Text("gale"), Float(f32::INFINITY)], Loss::NotFinite);
    refused("/cue/preset", &[Float(f32::NAN)], Loss::NotFinite);
    refused("/hand/move", &[Float(0.0), Float(f32::NAN), Float(0.0)], Loss::NotFinite);
    refused("/hand/move", &[Double(1e300), Float(0.0), Float(0.0)], Loss::NotFinite);
    refused("/hand/grab", &[Float(0.0), Float(f32::INFINITY), Float(0.0)], Loss::NotFinite);
    refused("/hand/grab", &[Float(f32::NAN)], Loss::NotFinite);
}

#[test]
fn true_and_false_are_one_and_zero() {
    check("/wind/speed", &[True], speed(1.0), &[]);
    check("/wind/speed", &[False], speed(0.0), &[]);
    check("/norm/wind/speed", &[True], speed(40.0), &[]);
    check("/look/pole", &[True], set(RowId::LookPole, Value::Switch(true)), &[]);
    check("/look/pole", &[False], set(RowId::LookPole, Value::Switch(false)), &[]);
    check("/look/pattern", &[True], set(RowId::LookPattern, Value::Choice(1)), &[]);
    refused("/look/colour_a", &[True], Loss::WrongKind);
}

#[test]
fn questions_at_every_kind_of_row() {
    for row in RowId::ALL {
        let address = row.row().address();
        for arguments in [&[][..], &[Nil], &[Impulse], &[Text("?")], &[Text(" ? ")]] {
            check(&address, arguments, ask(&address, *row, false), &[]);
            if let Some(norm) = row.row().norm_address() {
                check(&norm, arguments, ask(&norm, *row, true), &[]);
            }
        }
    }
}

#[test]
fn relative_moves() {
    let add = |by| change(Body::Add { row: RowId::WindSpeed, by });
    let scale = |by| change(Body::Scale { row: RowId::WindSpeed, by });
    for (text, wanted) in [
        ("+5", add(5.0)),
        ("+ 5", add(5.0)),
        ("-0.5", add(-0.5)),
        ("+-2", add(-2.0)),
        ("*2", scale(2.0)),
        ("* .5", scale(0.5)),
    ] {
        check("/wind/speed", &[Text(text)], wanted, &[]);
    }
    for argument in [Float(5.0), Int(5), Double(5.0), Long(5), Text("5")] {
        check("/wind/speed", &[Text("+"), argument], add(5.0), &[]);
        check("/wind/speed", &[Text("-"), argument], add(-5.0), &[]);
        check("/wind/speed", &[Text("*"), argument], scale(5.0), &[]);
    }
    check("/wind/speed", &[Text("+"), Int(5), Int(6)], add(5.0), &[Loss::Surplus]);
    check("/wind/speed", &[Text("+5"), Int(6)], add(5.0), &[Loss::Surplus]);
    check("/wind/speed", &[Text("+1e300")], add(f32::MAX), &[]);
    check("/wind/octaves", &[Text("+1")], change(Body::Add { row: RowId::WindOctaves, by: 1.0 }), &[]);
    check("/look/pattern", &[Text("+1")], change(Body::Add { row: RowId::LookPattern, by: 1.0 }), &[]);
    let row = RowId::WindSpeed;
    check("/norm/wind/speed", &[Text("+0.1")], Action::Request(Request::NudgeTravel { row, by: 0.1 }), &[]);
    check("/norm/wind/speed", &[Text("-"), Float(0.1)], Action::Request(Request::NudgeTravel { row, by: -0.1 }), &[]);
    check("/norm/wind/speed", &[Text("*0.5")], Action::Request(Request::ScaleTravel { row, by: 0.5 }), &[]);
    refused("/wind/speed", &[Text("+")], Loss::Missing);
    refused("/wind/speed", &[Text("+"), True], Loss::WrongKind);
    refused("/wind/speed", &[Text("+x")], Loss::WrongKind);
    refused("/look/pole", &[Text("+1")], Loss::WrongKind);
    refused("/look/colour_a", &[Text("+1")], Loss::WrongKind);
}

#[test]
fn colours() {
    let colour = |parts| set(RowId::LookColourA, Value::Colour(parts));
    let red = colour([1.0, 0.0, 0.0, 1.0]);
    let half = 128.0 / 255.0;
    check("/look/colour_a", &[Colour([255, 0, 0, 255])], red.clone(), &[]);
    check("/look/colour_a", &[Text("#ff0000")], red.clone(), &[]);
    check("/look/colour_a", &[Text("#FF000080")], colour([1.0, 0.0, 0.0, half]), &[]);
    check("/look/colour_a", &[Float(1.0), Float(0.0), Float(0.0)], red.clone(), &[]);
    check("/look/colour_a", &[Int(1), Double(0.0), Long(0)], red.clone(), &[]);
    check("/look/colour_a", &[Float(1.0), Float(0.0), Float(0.0), Float(0.5)], colour([1.0, 0.0, 0.0, 0.5]), &[]);
    let five = [Float(1.0), Float(0.0), Float(0.0), Float(1.0), Float(9.0)];
    check("/look/colour_a", &five, red.clone(), &[Loss::Surplus]);
    check("/look/colour_a", &[Float(1.0), Float(0.0), Float(0.0), True], red.clone(), &[Loss::Surplus]);
    check("/look/colour_a", &[Colour([255, 0, 0, 255]), Int(1)], red.clone(), &[Loss::Surplus]);
    check("/look/colour_a", &[Float(2.0), Float(-1.0), Float(0.0)], red, &[Loss::Clamped]);
    refused("/look/colour_a", &[Float(1.0)], Loss::Missing);
    refused("/look/colour_a", &[Float(1.0), Float(1.0)], Loss::Missing);
    refused("/look/colour_a", &[Text("#ff00")], Loss::WrongKind);
    refused("/look/colour_a", &[Text("red")], Loss::WrongKind);
    refused("/wind/speed", &[Colour([255, 0, 0, 255])], Loss::WrongKind);
    refused("/norm/look/colour_a", &[Colour([255, 0, 0, 255])], Loss::NoSuchAddress);
}

#[test]
fn out_of_range_is_held_and_counted() {
    check("/wind/speed", &[Float(50.0)], speed(40.0), &[Loss::Clamped]);
    check("/wind/speed", &[Float(-1.0)], speed(0.0), &[Loss::Clamped]);
    check("/wind/speed", &[Double(1e300)], speed(40.0), &[Loss::Clamped]);
    check("/wind/octaves", &[Int(99)], set(RowId::WindOctaves, Value::Int(8)), &[Loss::Clamped]);
    check("/wind/seed", &[Long(i64::MAX)], set(RowId::WindSeed, Value::Int(i32::MAX)), &[Loss::Clamped]);
    check("/look/pattern", &[Int(99)], set(RowId::LookPattern, Value::Choice(7)), &[Loss::Clamped]);
    check("/look/pattern", &[Int(-1)], set(RowId::LookPattern, Value::Choice(0)), &[Loss::Clamped]);
    check("/norm/wind/speed", &[Float(1.5)], speed(40.0), &[Loss::Clamped]);
    check("/look/pole", &[Int(7)], set(RowId::LookPole, Value::Switch(true)), &[Loss::Clamped]);
    check("/wind/speed", &[Float(50.0), Int(1)], speed(40.0), &[Loss::Clamped, Loss::Surplus]);
    for row in ROWS {
        let (actions, losses) = does(&row.address(), &[Double(1e30)]);
        match row.kind {
            Kind::Colour { .. } => assert_eq!(losses, [Loss::Missing]),
            _ => assert_eq!((actions.len(), losses), (1, vec![Loss::Clamped]), "{}", row.id),
        }
    }
}

#[test]
fn travel_runs_along_the_curve() {
    check("/norm/wind/speed", &[Float(0.5)], speed(10.0), &[]);
    check("/norm/wind/speed", &[Text("0.5")], speed(10.0), &[]);
    check("/norm/look/pattern", &[Float(1.0)], set(RowId::LookPattern, Value::Choice(7)), &[]);
    check("/norm/look/pole", &[Int(1)], set(RowId::LookPole, Value::Switch(true)), &[]);
    refused("/norm/look/pattern", &[Text("sun")], Loss::WrongKind);
    refused("/norm/wind/seed", &[Float(0.5)], Loss::NoSuchAddress);
}

#[test]
fn what_means_nothing_is_refused() {
    for argument in [Blob(&[1, 2]), Time(1), Char(53), Midi([1, 2, 3, 4]), Text("fast"), Text("")] {
        for address in
            ["/wind/speed", "/wind/octaves", "/look/pole", "/look/pattern", "/look/colour_a", "/norm/air/drag"]
        {
            refused(address, &[argument], Loss::WrongKind);
        }
        refused("/cue/reset", &[argument], Loss::WrongKind);
    }
    refused("/look/pattern", &[Text("tartan")], Loss::WrongKind);
}

#[test]
fn several_arguments_the_first_counts() {
    check("/wind/speed", &[Float(3.0), Float(4.0)], speed(3.0), &[Loss::Surplus]);
    check("/wind/speed", &[Nil, Float(4.0)], ask("/wind/speed", RowId::WindSpeed, false), &[Loss::Surplus]);
    check("/cue/reset", &[True, Float(4.0)], change(Body::Cue(Cue::Reset)), &[Loss::Surplus]);
    let message = Message { address: "/wind/speed", arguments: vec![Float(3.0)], argument_count: 900 };
    assert_eq!(Router::new().route(&message, &mut Bounds::new(1)).remarks.len(), 1, "reported once");
}

#[test]
fn every_cue_is_known_and_pressed_like_a_button() {
    let router = Router::new();
    for cue in CUES {
        assert!(router.by_address.contains_key(cue.address), "{} is not routed", cue.address);
    }
    let presses = [
        ("/cue/reset", change(Body::Cue(Cue::Reset))),
        ("/cue/panic", change(Body::Cue(Cue::Panic))),
        ("/cue/freeze", change(Body::Cue(Cue::Freeze))),
        ("/cue/blackout", change(Body::Cue(Cue::Blackout))),
        ("/cue/seed_next", change(Body::Cue(Cue::SeedNext))),
        ("/cue/preset_next", Action::Request(Request::Host(HostCue::PresetNext))),
        ("/cue/preset_previous", Action::Request(Request::Host(HostCue::PresetPrevious))),
        ("/cue/still", Action::Request(Request::Host(HostCue::Still))),
        ("/hand/release", change(Body::Hand(Hand::Release))),
        ("/sync", Action::AskAll),
    ];
    for (address, action) in presses {
        for arguments in
            [&[][..], &[True], &[Nil], &[Impulse], &[Float(1.0)], &[Int(-3)], &[Double(0.1)], &[Long(1)], &[Text("1")]]
        {
            check(address, arguments, action.clone(), &[]);
        }
        for argument in [False, Float(0.0), Float(-0.0), Int(0), Double(0.0), Long(0), Text("0")] {
            assert_eq!(does(address, &[argument]), (vec![], vec![]), "{address} {argument:?}");
        }
        refused(address, &[Text("?")], Loss::NoValue);
        refused(address, &[Text("go")], Loss::WrongKind);
        refused(address, &[Colour([1; 4])], Loss::WrongKind);
    }
}

#[test]
fn cues_with_arguments() {
    let recall = |key, seconds| Action::Request(Request::Host(HostCue::Preset { key, seconds }));
    let gale = || PresetKey::Name("gale".to_owned());
    check("/cue/preset", &[Text("gale")], recall(gale(), 0.0), &[]);
    check("/cue/preset", &[Text("gale"), Float(2.5)], recall(gale(), 2.5), &[]);
    check("/cue/preset", &[Text("gale"), Int(2), Int(3)], recall(gale(), 2.0), &[Loss::Surplus]);
    check("/cue/preset", &[Text("gale"), Float(-1.0)], recall(gale(), 0.0), &[Loss::Clamped]);
    check("/cue/preset", &[Int(3)], recall(PresetKey::Program(3), 0.0), &[]);
    check("/cue/preset", &[Float(3.0), Double(1.0)], recall(PresetKey::Program(3), 1.0), &[]);
    refused("/cue/preset", &[Float(3.5)], Loss::WrongKind);
    refused("/cue/preset", &[Text("gale"), Text("x")], Loss::WrongKind);
    refused("/cue/preset", &[Text(&"x".repeat(60_000))], Loss::WrongKind);
    refused("/cue/preset", &[Text("?")], Loss::NoValue);
    for arguments in [&[][..], &[True], &[Nil], &[Impulse]] {
        refused("/cue/preset", arguments, Loss::Missing);
        refused("/cue/wind_time", arguments, Loss::Missing);
    }
    for address in ["/cue/preset", "/cue/wind_time", "/hand/grab"] {
        assert_eq!(does(address, &[False]), (vec![], vec![]));
    }
    let time = |seconds| change(Body::Cue(Cue::WindTime(seconds)));
    check("/cue/wind_time", &[Double(12.25)], time(12.25), &[]);
    check("/cue/wind_time", &[Int(0)], time(0.0), &[]);
    check("/cue/wind_time", &[Text("-3")], time(-3.0), &[]);
    check("/cue/wind_time", &[Double(1e300)], time(LONGEST_WIND_TIME_SECONDS), &[Loss::Clamped]);
    refused("/cue/wind_time", &[Blob(&[])], Loss::WrongKind);
}

#[test]
fn the_hand() {
    let grab = |number| Action::Request(Request::GrabNumber(number));
    check("/hand/grab", &[Int(63)], grab(63), &[]);
    check("/hand/grab", &[Float(63.0)], grab(63), &[]);
    let point = [Float(1.0), Double(2.0), Int(3)];
    check("/hand/grab", &point, change(Body::Hand(Hand::GrabNearest([1.0, 2.0, 3.0]))), &[]);
    check("/hand/move", &point, change(Body::Hand(Hand::Move([1.0, 2.0, 3.0]))), &[]);
    let four = [Float(1.0), Float(2.0), Float(3.0), Float(4.0)];
    check("/hand/move", &four, change(Body::Hand(Hand::Move([1.0, 2.0, 3.0]))), &[Loss::Surplus]);
    refused("/hand/grab", &[Int(-1)], Loss::WrongKind);
    refused("/hand/grab", &[Float(0.5)], Loss::WrongKind);
    refused("/hand/grab", &[Float(0.5), Float(0.5)], Loss::Missing);
    refused("/hand/grab", &[], Loss::Missing);
    refused("/hand/move", &[], Loss::Missing);
    refused("/hand/move", &[Float(1.0), Float(2.0), True], Loss::WrongKind);
}

#[test]
fn patterns_reach_every_match() {
    let wind = ROWS.iter().filter(|row| row.group() == "wind").count();
    let asked = route("/wind/*", &[]);
    assert_eq!((asked.actions.len(), asked.matched), (wind, wind));
    assert_eq!(asked.actions[0], ask("/wind/speed", RowId::WindSpeed, false), "answered at its own address");
    let (actions, losses) = does("/{wind,air}/{speed,drag}", &[Float(1.0)]);
    assert_eq!(actions, [speed(1.0), set(RowId::AirDrag, Value::Float(1.0))]);
    assert_eq!(losses, []);
    let cues = route("/cue/[rf]*", &[]);
    assert_eq!(cues.actions, [change(Body::Cue(Cue::Reset)), change(Body::Cue(Cue::Freeze))]);
    assert_eq!(route("/hand/r*", &[]).actions, [change(Body::Hand(Hand::Release))]);
    assert_eq!(does("/norm/wind/speed*", &[Float(0.5)]).0, [speed(10.0)]);
    // One that fits some of the matches only: each says for itself.
    let (actions, losses) = does("/look/{colour_a,sheen}", &[Float(0.5)]);
    assert_eq!((actions.len(), losses), (1, vec![Loss::Missing]));
    assert_eq!(route("/*", &[]).actions, [Action::AskAll]);
    refused("/nothing/*", &[], Loss::NoSuchAddress);
    refused("/wind[", &[], Loss::BadPattern);
    assert_eq!(route("/*/*", &[]).matched, ROWS.len() + CUES.len() - 1, "all but /sync");
}

#[test]
fn an_unknown_address_has_a_nearest() {
    let router = Router::new();
    refused("/wind/sped", &[Float(1.0)], Loss::NoSuchAddress);
    assert_eq!(router.nearest("/wind/sped"), Some("/wind/speed"));
    assert_eq!(router.nearest("/Cue/Reset"), Some("/cue/reset"));
    assert_eq!(router.nearest("/read/0/tpi"), Some("/read/0/tip"));
    assert_eq!(router.nearest("/something/else/entirely"), None);
    assert_eq!(router.nearest(&"/x".repeat(30_000)), None);
    refused(&"/x".repeat(30_000), &[], Loss::NoSuchAddress);
    refused("/wind/speed/", &[], Loss::NoSuchAddress);
    refused("/", &[], Loss::NoSuchAddress);
}

#[test]
fn a_readout_is_asked_and_never_set() {
    let tip = About::Readout { flag: 12, readout: 0 };
    let question = Action::Ask(Question { address: "/read/12/tip".to_owned(), about: tip });
    assert_eq!(route("/read/12/tip", &[]).actions, std::slice::from_ref(&question));
    assert_eq!(route("/read/12/tip", &[Text("?")]).actions, [question]);
    let set = route("/read/0/energy", &[Float(1.0)]);
    assert_eq!((set.actions.len(), set.remarks[0].loss), (0, Loss::WrongKind));
    for address in ["/read/0/mood", "/read//tip", "/read/+1/tip", "/read/0", "/read/99999999999999999999/tip"] {
        assert_eq!(route(address, &[]).remarks[0].loss, Loss::NoSuchAddress, "{address}");
    }
}

#[test]
fn a_gust_has_its_strength() {
    let gust = |strength| change(Body::Cue(Cue::Gust(strength)));
    check("/cue/gust", &[Float(0.5)], gust(0.5), &[]);
    check("/cue/gust", &[Text("-1")], gust(-1.0), &[]);
    for arguments in [&[][..], &[True], &[Impulse]] {
        check("/cue/gust", arguments, gust(1.0), &[]);
    }
    for arguments in [&[False][..], &[Float(0.0)]] {
        assert_eq!(does("/cue/gust", arguments), (vec![], vec![]));
    }
    refused("/cue/gust", &[Float(f32::NAN)], Loss::NotFinite);
}

#[test]
fn patterns_reach_the_readouts_of_the_flags_that_fly() {
    let router = Router::new();
    let asked = |address: &str, flags| {
        let message = Message { address, arguments: vec![], argument_count: 0 };
        let routed = router.route(&message, &mut Bounds::new(flags));
        let asked = routed.actions.iter().filter_map(|action| match action {
            Action::Ask(Question { address, about: About::Readout { .. } }) => Some(address.clone()),
            _ => None,
        });
        asked.collect::<Vec<_>>()
    };
    let all = READOUTS.iter().map(|row| format!("/read/0/{}", row.name)).collect::<Vec<_>>();
    assert_eq!(asked("/read/0/*", 1), all);
    assert_eq!(asked("/*/*/*", 1), all);
    assert_eq!(asked("/read/*/tip", 3), ["/read/0/tip", "/read/1/tip", "/read/2/tip"]);
    assert_eq!(asked("/r*/1[01]/{tip,energy}", 12).len(), 4);
    assert_eq!(asked("/read/[12]/tip", 1), [""; 0], "no such flag");
    refused("/read/[12]/tip", &[], Loss::NoSuchAddress);
    refused("/read/*", &[], Loss::NoSuchAddress);
    assert_eq!(route("/read/*/tip", &[Float(1.0)]).remarks[0].loss, Loss::WrongKind, "asked, not set");
}

#[test]
fn the_work_of_patterns_is_bounded() {
    let router = Router::new();
    let mut bounds = Bounds::new(1);
    let hostile = format!("/{}x/*", "{,a}".repeat(250));
    let message = Message { address: &hostile, arguments: vec![], argument_count: 0 };
    let looked_at = (0..1000).filter(|_| !router.route(&message, &mut bounds).too_much).count();
    assert!((1..20).contains(&looked_at), "{looked_at}");
    // What a surface asks for is far below.
    let mut bounds = Bounds::new(1);
    let message = Message { address: "/wind/*", arguments: vec![], argument_count: 0 };
    assert!((0..400).all(|_| !router.route(&message, &mut bounds).too_much));
    // An address without wildcards is no such work.
    bounds.pattern_work = 0;
    let message = Message { address: "/wind/speed", arguments: vec![], argument_count: 0 };
    assert_eq!(router.route(&message, &mut bounds).matched, 1);
}
