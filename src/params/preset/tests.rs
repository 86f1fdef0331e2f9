//! What is tolerated and how it is told; what a save keeps; what by value means.

use super::*;
use crate::params::scene::{FlagSpec, Hang, LinkFamily, Pins, SolverStep};
use crate::params::table::{Kind, ROWS};

fn parse(text: &str) -> (Preset, Vec<String>) {
    let (preset, warnings) = Preset::parse("test", text).expect("a preset");
    (preset, warnings.iter().map(ToString::to_string).collect())
}

fn error(text: &str) -> String {
    Preset::parse("test", text).expect_err("no preset").to_string()
}

/// A preset with every row and every part of the structure away from its default.
fn everything(step: u32) -> Preset {
    let mut preset = Preset { name: "all".into(), about: "All of it.\n\n Twice.".into(), ..Preset::default() };
    preset.program = Some(99);
    preset.picture = Some("a \"b\"\\ü.png".into());
    for (index, row) in RowId::ALL.iter().enumerate() {
        let share = ((index as u32 + step) * 37 % 97) as f32 / 96.0;
        let value = match row.row().kind {
            Kind::Float { range, .. } => Value::Float(range.plain(share)),
            Kind::Int { min, max, .. } => Value::Int(if step.is_multiple_of(2) { min } else { max }),
            Kind::Switch { default } => Value::Switch(!default),
            Kind::Choice { names, .. } => Value::Choice((step as usize % names.len()) as u8),
            Kind::Colour { .. } => Value::Colour([share, 1.0 - share, 1.0 / 3.0, 0.1]),
        };
        assert!(preset.values.set(*row, value));
    }
    let flag = FlagSpec {
        columns: 9,
        rows: 7,
        length: 0.1,
        width: 1.0 / 3.0,
        areal_density: 1.1e-3,
        mass: Some(0.3),
        hang: Hang::Bar,
        position: [-1.5, 0.1, 1e-20],
        pins: Pins::List(vec![[0, 0], [8, 6]]),
        links: vec![LinkFamily::Bend],
        drag_particles: Some([3, 63]),
        fixed: vec![(RowId::AirDrag, Value::Float(0.7)), (RowId::LinkTether, Value::Float(1.1))],
    };
    preset.scene.flags = vec![FlagSpec::default(), flag];
    preset.scene.solver =
        SolverStep { steps_per_tick: 2, substeps: 24, sweeps: 3, limit_sweeps: 4, ..SolverStep::default() };
    preset
}

#[test]
fn an_empty_text_is_the_default() {
    assert_eq!(parse(""), (Preset { name: "test".into(), ..Preset::default() }, vec![]));
    assert_eq!(Preset::default().to_toml(), "schema = 1\n");
}

#[test]
fn toml_and_json_return_every_bit() {
    for step in 0..97 {
        let preset = everything(step);
        let text = preset.to_toml();
        let (back, warnings) = Preset::parse("all", &text).expect("own text");
        assert_eq!(warnings, vec![], "{text}");
        assert_eq!(back, preset, "{text}");
        assert_eq!(back.to_toml(), text);
        let json = preset.to_json().to_string();
        let back = Preset::from_json(&serde_json::from_str(&json).expect("own json")).expect("own preset");
        assert_eq!(back, preset, "{json}");
        assert_eq!(back.to_json().to_string(), json);
    }
}

#[test]
fn the_text_is_short_and_in_table_order() {
    let text = "[look]\npole = false\npicture = \"x.png\"\n[wind]\nturbulence = 0.1\nspeed = 12.1\n[cloth]\ngravity = 9.81\n\
                [solver]\nsubsteps = 32\n[[flag]]\nlength = 3\nlink.bend_compliance = 0.1\n";
    let written = parse(&format!("# A thing.\n#\n#  Indented.\nprogram = 3\n{text}")).0.to_toml();
    assert_eq!(
        written,
        "# A thing.\n#\n#  Indented.\nschema = 1\nprogram = 3\n\n[wind]\nspeed = 12.1\nturbulence = 0.1\n\n\
         [look]\npole = false\npicture = \"x.png\"\n\n[solver]\nsubsteps = 32\n\n[[flag]]\nlength = 3.0\n\n\
         [flag.link]\nbend_compliance = 0.1\n"
    );
}

#[test]
fn unknown_keys_are_told_with_the_nearest_name_and_kept() {
    let text = "future = [1, 2]\n[wind]\nsped = 1\nspeed = 9\ndrag = 2\n[wnid]\nspeed = 3\n[solver]\nsubstep = 5\n\
                [[flag]]\n[[flag]]\ncolums = 5\nrows = 30\n[flag.air]\ndensty = 1\n[flag.wind]\nspeed = 3\n";
    let (preset, warnings) = parse(text);
    let ending = "it is kept and does nothing";
    assert_eq!(
        warnings,
        [
            format!("unknown key future; {ending}"),
            format!("unknown key wind.sped (did you mean wind.speed?); {ending}"),
            format!("unknown key wind.drag (did you mean air.drag?); {ending}"),
            format!("unknown key wnid (did you mean wind?); {ending}"),
            format!("unknown key solver.substep (did you mean solver.substeps?); {ending}"),
            format!("unknown key flag[1].air.densty (did you mean flag[1].air.density?); {ending}"),
            format!("flag[1].wind.speed cannot be fixed for one flag; wind.speed acts on all of them; {ending}"),
            format!("unknown key flag[1].colums (did you mean flag[1].columns?); {ending}"),
        ]
    );
    assert_eq!(preset.scene.flags.len(), 2);
    assert_eq!(preset.scene.flags[1].rows, 30);
    let written = preset.to_toml();
    let (back, again) = parse(&written);
    assert_eq!(back, preset, "{written}");
    assert_eq!(again.len(), warnings.len(), "{written}");
    for kept in ["future = [1, 2]", "sped = 1", "drag = 2", "[wnid]", "substep = 5", "colums = 5", "densty = 1"] {
        assert!(written.contains(kept), "{kept} is lost in\n{written}");
    }
}

#[test]
fn kept_keys_add_no_flag_and_no_row() {
    let (mut preset, _) = parse("[wind]\nspeed = \"fast\"\n[[flag]]\nx = 1\n[[flag]]\nx = 2\n");
    preset.scene = Scene::default();
    preset.values.set(RowId::WindSpeed, Value::Float(3.0));
    let (back, _) = parse(&preset.to_toml());
    assert_eq!(back.scene, Scene::default());
    assert_eq!(back.values, preset.values);
}

#[test]
fn out_of_range_is_clamped_with_value_and_range() {
    let (preset, warnings) = parse(
        "[wind]\nspeed = 50\nturbulence = -1e300\nseed = 5000000000\noctaves = 9\n[look]\ncolour_a = [2, 0, 0, 1]\n\
         [[flag]]\n[flag.link]\ntether = 0.5\n",
    );
    assert_eq!(
        warnings,
        [
            "wind.speed = 50 is outside 0..40 m/s; 40.0 is used",
            "wind.turbulence = -1e300 is outside 0..2; 0.0 is used",
            "wind.seed = 5000000000 is outside -2147483648..2147483647; 2147483647 is used",
            "wind.octaves = 9 is outside 1..8; 8 is used",
            "look.colour_a = [2, 0, 0, 1] is outside 0..1 each; [1.0,0.0,0.0,1.0] is used",
            "flag[0].link.tether = 0.5 is outside 1..2 x rest path; 1.0 is used",
        ]
    );
    assert_eq!(preset.values.float(RowId::WindSpeed), 40.0);
    assert_eq!(preset.scene.flags[0].fixed, [(RowId::LinkTether, Value::Float(1.0))]);
}

#[test]
fn a_wrong_kind_costs_only_itself_and_is_kept() {
    let text = "schema = \"one\"\nprogram = 200\nair = 3\n[wind]\nspeed = \"fast\"\noctaves = 2.5\nheading = 5\ngust_rate = nan\n\
                [look]\npattern = \"tartan\"\npole = 2\ncolour_a = \"red\"\npicture = 3\n\
                [solver]\nsubsteps = 24\non_failure = \"explode\"\n[[flag]]\nlength = \"long\"\nrows = 20\nhang = \"tree\"\n";
    let (preset, warnings) = parse(text);
    assert_eq!(warnings.len(), 13, "{warnings:#?}");
    for told in [
        "program = 200 must be a program number 0..127; none is used",
        "wind.speed = \"fast\" must be a number 0..40 m/s; 8.0 is used",
        "wind.octaves = 2.5 must be a whole number 1..8; 4 is used",
        "wind.gust_rate = NaN must be a number 0..12 rad/s; 4.0 is used",
        "look.pole = 2 must be true or false; true is used",
    ] {
        assert!(warnings.iter().any(|warning| warning == told), "{told} is missing in {warnings:#?}");
    }
    assert!(warnings.iter().any(|told| told.starts_with("look.pattern = \"tartan\" must be one of stripes, plain,")));
    assert!(warnings.iter().any(|told| told.starts_with("flag[0].hang = \"tree\" must be ")), "{warnings:#?}");
    assert_eq!(preset.values.float(RowId::WindHeading), 5.0);
    assert_eq!(preset.scene.solver.substeps, 24);
    assert_eq!((preset.scene.flags[0].rows, preset.scene.flags[0].length), (20, FlagSpec::default().length));
    let written = preset.to_toml();
    for kept in ["\"fast\"", "\"tartan\"", "\"explode\"", "\"tree\"", "\"long\"", "air = 3"] {
        assert!(written.contains(kept), "{kept} is lost in\n{written}");
    }
}

#[test]
fn bad_syntax_names_line_and_column_in_characters() {
    let told = error("schema = 1\n[wind]\nspeed = \n");
    assert!(told.starts_with("line 3, column 9: "), "{told}");
    let told = error("ü = \"ü\" x\n");
    assert!(told.starts_with("line 1, column 9: "), "{told}");
    let told = error("[wind]\nspeed = 1\nspeed = 2\n");
    assert!(told.starts_with("line 3, column 1: ") && !told.contains('\n'), "{told}");
}

#[test]
fn newer_schemas_and_impossible_structures_are_refused() {
    assert_eq!(
        error("schema = 7\n[anything]\n"),
        "schema 7 is newer than 1, the newest that this version reads; update pennon"
    );
    assert_eq!(error("[[flag]]\ncolumns = 1\n"), "flag[0].columns = 1 is outside 2..=4096");
    assert_eq!(error("[[flag]]\ncolumns = -3\n"), "flag[0].columns = -3 is outside 2..=4096");
    assert_eq!(error("[solver]\nsubsteps = 99999999999\n"), "solver.substeps = 99999999999 is outside 1..=4096");
    assert_eq!(error("[[flag]]\nlength = nan\n"), "flag[0].length = NaN must lie between 0.01 and 1000");
    assert_eq!(error("flag = []\n"), "number of flags = 0 is outside 1..=1024");
    let many = "[[flag]]\n".repeat(1025);
    assert_eq!(error(&many), "number of flags = 1025 is outside 1..=1024");
}

#[test]
fn hostile_texts_are_refused_or_read_and_never_panic() {
    let deep = format!("x = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(error(&deep).starts_with("line 1, column "));
    for text in ["\0", "\u{feff}[wind]\nspeed = 1979-05-27T07:32:00Z", "[wind]\n\"\" = 1", "[[wind]]", "# é\r\n#x"] {
        let _ = Preset::parse("x", text);
    }
    let hostile = Preset { about: "a\rb\0c\n\u{7f}".into(), ..Preset::default() };
    assert_eq!(parse(&hostile.to_toml()).1, Vec::<String>::new());
}

#[test]
fn by_value_is_strict() {
    let told = |change: fn(&mut serde_json::Value)| {
        let mut json = Preset::default().to_json();
        change(&mut json);
        Preset::from_json(&json).expect_err("must be refused").to_string()
    };
    let row = "preset by value: ";
    assert_eq!(
        told(|json| json["rows"]["wind.sped"] = 1.into()),
        format!("{row}wind.sped is not a row of this version; update pennon")
    );
    assert_eq!(
        told(|json| json["rows"]["wind.speed"] = 41.into()),
        format!("{row}wind.speed = 41 is outside 0..40 m/s")
    );
    assert_eq!(told(|json| json["rows"]["wind.speed"] = "x".into()), format!("{row}wind.speed = \"x\" is not a float"));
    assert!(told(|json| json["flags"][0]["colums"] = 3.into()).contains("flags[0].colums is not known"));
    assert!(told(|json| json["flags"][0]["columns"] = 1.into()).contains("flag[0].columns = 1 is outside"));
    assert!(told(|json| json["solver"]["x"] = 1.into()).contains("solver.x is not known"));
    assert!(told(|json| *json = 1.into()).contains("is not an object"));
    // A row younger than the take has its default.
    let mut json = Preset::default().to_json();
    json["rows"].as_object_mut().expect("rows").remove("wind.speed");
    assert_eq!(Preset::from_json(&json), Ok(Preset::default()));
    assert_eq!(json["rows"].as_object().map(|rows| rows.len()), Some(ROWS.len() - 1));
}
