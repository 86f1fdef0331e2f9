//! Preset by value, for takes and shots: every row, exact to the bit.

use super::{LAST_PROGRAM, Preset, PresetError};
use crate::params::reference::range_text;
use crate::params::scene::{FlagSpec, MOST_FLAGS, SceneError, SolverStep};
use crate::params::table::RowId;
use crate::params::values::{Value, Values, shortest};
use serde_json::{Map, Value as Json};

pub(super) fn to_json(preset: &Preset) -> Json {
    let mut json = Map::new();
    json.insert("name".to_owned(), preset.name.clone().into());
    if !preset.about.is_empty() {
        json.insert("about".to_owned(), preset.about.clone().into());
    }
    if let Some(program) = preset.program {
        json.insert("program".to_owned(), program.into());
    }
    if let Some(picture) = &preset.picture {
        json.insert("picture".to_owned(), picture.clone().into());
    }
    json.insert("rows".to_owned(), rows_to_json(RowId::ALL.iter().map(|row| (*row, preset.get(*row)))));
    json.insert("flags".to_owned(), preset.scene.flags.iter().map(flag_to_json).collect());
    json.insert("solver".to_owned(), serde_json::to_value(&preset.scene.solver).unwrap_or_default());
    Json::Object(json)
}

fn rows_to_json(rows: impl Iterator<Item = (RowId, Value)>) -> Json {
    Json::Object(rows.map(|(row, value)| (row.row().id.to_owned(), value.to_json(row))).collect())
}

fn flag_to_json(flag: &FlagSpec) -> Json {
    let mut json = shorten(serde_json::to_value(flag).unwrap_or_default());
    if !flag.fixed.is_empty() {
        json["fixed"] = rows_to_json(flag.fixed.iter().copied());
    }
    json
}

/// Structure holds f32 only, which serde_json sees as f64: back to the shortest text of the f32.
fn shorten(json: Json) -> Json {
    match json {
        Json::Number(number) if number.is_f64() => shortest(number.as_f64().unwrap_or_default() as f32).into(),
        Json::Array(items) => items.into_iter().map(shorten).collect(),
        other => other,
    }
}

pub(super) fn from_json(json: &Json) -> Result<Preset, PresetError> {
    let Json::Object(object) = json else { return Err(wrong("preset", "is not an object")) };
    let mut preset = Preset::default();
    for (key, value) in object {
        match key.as_str() {
            "name" => preset.name = text(key, value)?,
            "about" => preset.about = text(key, value)?,
            "picture" => preset.picture = Some(text(key, value)?),
            "program" => {
                let number = value.as_u64().filter(|number| *number <= LAST_PROGRAM.into());
                preset.program = Some(number.ok_or_else(|| wrong(key, "is not a program number"))? as u8);
            }
            "rows" => {
                let mut values = Values::default();
                for (row, value) in rows_from_json(key, value)? {
                    values.set(row, value);
                }
                preset.values = values;
            }
            "flags" => preset.scene.flags = flags_from_json(value)?,
            "solver" => {
                known(key, value, &serde_json::to_value(SolverStep::default()).unwrap_or_default())?;
                preset.scene.solver = serde_json::from_value(value.clone()).map_err(|error| wrong(key, error))?;
            }
            _ => return Err(wrong(key, "is not known to this version; update pennon")),
        }
    }
    preset.scene.check()?;
    Ok(preset)
}

fn flags_from_json(json: &Json) -> Result<Vec<FlagSpec>, PresetError> {
    let flags = json.as_array().ok_or_else(|| wrong("flags", "is not a list"))?;
    if flags.len() > MOST_FLAGS {
        return Err(SceneError::too_many_flags(flags.len()).into());
    }
    let full = FlagSpec { mass: Some(1.0), drag_particles: Some([0, 0]), ..FlagSpec::default() };
    let mut all_keys = serde_json::to_value(&full).unwrap_or_default();
    all_keys["fixed"] = Json::Null;
    let mut read = Vec::new();
    for (index, json) in flags.iter().enumerate() {
        let name = format!("flags[{index}]");
        known(&name, json, &all_keys)?;
        let mut flag: FlagSpec = serde_json::from_value(json.clone()).map_err(|error| wrong(&name, error))?;
        if let Some(fixed) = json.get("fixed") {
            flag.fixed = rows_from_json(&format!("{name}.fixed"), fixed)?;
            if let Some((row, _)) = flag.fixed.iter().find(|(row, _)| !row.row().per_flag) {
                return Err(wrong(&name, format!("fixes {}, which acts on all flags", row.row().id)));
            }
        }
        read.push(flag);
    }
    Ok(read)
}

fn rows_from_json(key: &str, json: &Json) -> Result<Vec<(RowId, Value)>, PresetError> {
    let object = json.as_object().ok_or_else(|| wrong(key, "is not an object"))?;
    let mut rows = Vec::new();
    for (id, value) in object {
        let row = RowId::from_id(id).ok_or_else(|| wrong(id, "is not a row of this version; update pennon"))?;
        let plain = Value::from_json(row, value)
            .ok_or_else(|| wrong(id, format!("= {value} is not a {}", row.row().kind_name())))?;
        if row.row().accept(plain) != Some(plain) {
            return Err(wrong(id, format!("= {value} is outside {}", range_text(row.row()))));
        }
        rows.push((row, plain));
    }
    Ok(rows)
}

/// Every key of `json` is one of `all`'s.
fn known(name: &str, json: &Json, all: &Json) -> Result<(), PresetError> {
    let object = json.as_object().ok_or_else(|| wrong(name, "is not an object"))?;
    match object.keys().find(|key| all.get(key.as_str()).is_none()) {
        Some(key) => Err(wrong(&format!("{name}.{key}"), "is not known to this version; update pennon")),
        None => Ok(()),
    }
}

fn text(key: &str, json: &Json) -> Result<String, PresetError> {
    json.as_str().map(str::to_owned).ok_or_else(|| wrong(key, "is not a text"))
}

fn wrong(key: &str, what: impl ToString) -> PresetError {
    PresetError::ByValue { key: key.to_owned(), what: what.to_string() }
}
