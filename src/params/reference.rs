//! The tables for people (the README's reference) and for machines (`params --json`).

use super::table::{CUES, Kind, READOUTS, ROWS, Row, RowId};
use super::values::{Value, shortest};
use serde_json::{Value as Json, json};

/// The README holds [`markdown`] between these two lines.
pub const MARKERS: (&str, &str) = ("<!-- parameters -->", "<!-- /parameters -->");

/// The range of a row with its unit, for people: `0..40 m/s`.
pub fn range_text(row: &Row) -> String {
    let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
    match row.kind {
        Kind::Float { range, .. } => format!("{}..{}{unit}", range.min, range.max),
        Kind::Int { min, max, .. } => format!("{min}..{max}{unit}"),
        Kind::Switch { .. } => "off, on".to_owned(),
        Kind::Choice { names, .. } => names.join(", "),
        Kind::Colour { .. } => "0..1 each".to_owned(),
    }
}

/// What a row takes, for people: `a number 0..40 m/s`.
pub fn wanted_text(row: &Row) -> String {
    match row.kind {
        Kind::Float { .. } => format!("a number {}", range_text(row)),
        Kind::Int { .. } => format!("a whole number {}", range_text(row)),
        Kind::Switch { .. } => "true or false".to_owned(),
        Kind::Choice { names, .. } => format!("one of {}", names.join(", ")),
        Kind::Colour { .. } => "a colour, \"#RRGGBB\" or numbers 0..1 [r, g, b, a]".to_owned(),
    }
}

/// A value of a row as people write it: `8`, `on`, `stripes`, `#C72926`.
pub fn value_text(row: RowId, value: Value) -> String {
    match (value, row.row().kind) {
        (Value::Choice(index), Kind::Choice { names, .. }) => {
            names.get(usize::from(index)).map_or_else(|| index.to_string(), |name| (*name).to_owned())
        }
        (Value::Float(plain), _) => plain.to_string(),
        (Value::Int(whole), _) => whole.to_string(),
        (Value::Switch(on), _) => if on { "on" } else { "off" }.to_owned(),
        (Value::Choice(index), _) => index.to_string(),
        (Value::Colour(parts), _) => {
            let bytes = parts.map(|part| (part * 255.0).round() as u8);
            let shown = if bytes[3] == u8::MAX { &bytes[..3] } else { &bytes[..] };
            shown.iter().fold("#".to_owned(), |text, byte| text + &format!("{byte:02X}"))
        }
    }
}

/// The groups of the table, in its order.
pub fn groups() -> Vec<&'static str> {
    let mut groups: Vec<_> = ROWS.iter().map(Row::group).collect();
    groups.dedup();
    groups
}

/// The three tables in Markdown.
pub fn markdown() -> String {
    let mut out = String::new();
    for group in groups() {
        out += &format!(
            "\n#### {group}\n\n| address | does | range | default | curve | CC |\n|---|---|---|---|---|---|\n"
        );
        for row in RowId::ALL.iter().copied().filter(|row| row.row().group() == group) {
            let default = value_text(row, row.row().default_value());
            let row = row.row();
            let curve = match row.kind {
                Kind::Float { range, .. } => range.curve.name(),
                _ => "",
            };
            let range = match row.kind {
                Kind::Int { travels: false, .. } => "any whole number".to_owned(),
                Kind::Colour { .. } => "colour".to_owned(),
                _ => range_text(row),
            };
            let controller = row.controller.map_or(String::new(), |number| number.to_string());
            out += &line([&format!("`{}`", row.address()), row.doc, &range, &default, curve, &controller]);
        }
    }
    out += "\n#### Cues and the hand\n\n| address | arguments | does |\n|---|---|---|\n";
    for cue in CUES {
        let arguments = if cue.arguments.is_empty() { String::new() } else { format!("`{}`", cue.arguments) };
        out += &line([&format!("`{}`", cue.address), &arguments, cue.doc]);
    }
    out += "\n#### Readouts (N is the flag, from 0; sent without arguments, it answers)\n\n| address | tells | unit |\n|---|---|---|\n";
    for readout in READOUTS {
        out += &line([&format!("`/read/N/{}`", readout.name), readout.doc, readout.unit]);
    }
    out
}

fn line<const CELLS: usize>(cells: [&str; CELLS]) -> String {
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

/// The three tables in JSON, a line for each entry.
pub fn json() -> String {
    let rows = RowId::ALL.iter().map(|row| row_json(*row));
    let cues = CUES.iter().map(|cue| json!({"address": cue.address, "arguments": cue.arguments, "doc": cue.doc}));
    let readouts = READOUTS.iter().map(|readout| {
        let address = format!("/read/N/{}", readout.name);
        json!({"address": address, "name": readout.name, "unit": readout.unit, "doc": readout.doc})
    });
    let list = |entries: Vec<Json>| entries.iter().map(|entry| format!("\n{entry}")).collect::<Vec<_>>().join(",");
    let (rows, cues, readouts) = (list(rows.collect()), list(cues.collect()), list(readouts.collect()));
    format!("{{\"rows\":[{rows}\n],\"cues\":[{cues}\n],\"readouts\":[{readouts}\n]}}\n")
}

fn row_json(id: RowId) -> Json {
    let row = id.row();
    let (min, max, choices, curve) = match row.kind {
        Kind::Float { range, .. } => {
            (json!(shortest(range.min)), json!(shortest(range.max)), Json::Null, json!(range.curve.name()))
        }
        Kind::Int { min, max, .. } => (json!(min), json!(max), Json::Null, Json::Null),
        Kind::Choice { names, .. } => (Json::Null, Json::Null, json!(names), Json::Null),
        Kind::Switch { .. } | Kind::Colour { .. } => (Json::Null, Json::Null, Json::Null, Json::Null),
    };
    json!({
        "id": row.id,
        "kind": row.kind_name(),
        "address": row.address(),
        "norm": row.norm_address(),
        "doc": row.doc,
        "unit": row.unit,
        "min": min,
        "max": max,
        "choices": choices,
        "curve": curve,
        "default": row.default_value().to_json(id),
        "glide": shortest(row.glide),
        "cc": row.controller,
        "primary": row.primary,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_holds_the_tables() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        let readme = std::fs::read_to_string(path).expect("README.md").replace("\r\n", "\n");
        let between = || Some(readme.split_once(MARKERS.0)?.1.split_once(MARKERS.1)?.0.trim());
        assert!(
            between() == Some(markdown().trim()),
            "README.md is behind the tables: put what `pennon params --markdown` prints between {MARKERS:?}"
        );
    }

    #[test]
    fn json_has_the_promised_keys_in_order() {
        let json: Json = serde_json::from_str(&json()).expect("json");
        assert_eq!(json.as_object().map(|keys| keys.keys().collect::<Vec<_>>()).unwrap(), ["rows", "cues", "readouts"]);
        let rows = json["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), ROWS.len());
        let promised = "id kind address norm doc unit min max choices curve default glide cc primary";
        for row in rows {
            let keys: Vec<_> = row.as_object().expect("a row").keys().map(String::as_str).collect();
            assert_eq!(keys.join(" "), promised);
            // What is told is read again as what was meant.
            let id = RowId::from_id(row["id"].as_str().expect("an id")).expect("a row");
            assert_eq!(Value::from_json(id, &row["default"]), Some(id.row().default_value()));
        }
        assert_eq!(
            rows[0].to_string(),
            "{\"id\":\"wind.speed\",\"kind\":\"float\",\"address\":\"/wind/speed\",\"norm\":\"/norm/wind/speed\",\
             \"doc\":\"Speed of the mean wind.\",\"unit\":\"m/s\",\"min\":0.0,\"max\":40.0,\"choices\":null,\
             \"curve\":\"square\",\"default\":8.0,\"glide\":0.2,\"cc\":1,\"primary\":true}"
        );
        assert_eq!(json["readouts"][0]["address"], "/read/N/tip");
    }

    #[test]
    fn every_table_row_is_one_line_of_equal_cells() {
        let text = markdown();
        for row in ROWS {
            let lines: Vec<_> =
                text.lines().filter(|line| line.starts_with(&format!("| `{}` |", row.address()))).collect();
            assert_eq!(lines.len(), 1, "{}", row.id);
            assert_eq!(lines[0].matches(" | ").count(), 5, "{}", lines[0]);
        }
        assert!(text.contains("| `/cue/preset` | `s\\|i ?f` |"));
    }

    #[test]
    fn values_read_as_people_write_them() {
        assert_eq!(value_text(RowId::LookColourA, Value::Colour([1.0, 0.5, 0.0, 1.0])), "#FF8000");
        assert_eq!(value_text(RowId::LookColourA, Value::Colour([1.0, 0.5, 0.0, 0.0])), "#FF800000");
        assert_eq!(value_text(RowId::LookPole, Value::Switch(true)), "on");
        assert_eq!(value_text(RowId::LookPattern, Value::Choice(1)), "plain");
        assert_eq!(value_text(RowId::WindSpeed, Value::Float(12.1)), "12.1");
        assert_eq!(groups()[..3], ["wind", "air", "cloth"]);
    }
}
