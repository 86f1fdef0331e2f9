//! Preset to text: what differs from the defaults.

use super::{Preset, SCHEMA};
use crate::params::scene::{FlagSpec, Scene, SolverStep};
use crate::params::table::{ROWS, RowId};
use crate::params::values::{Value, shortest};
use serde::Serialize;
use toml::{Table, Value as Toml};

pub(super) fn to_toml(preset: &Preset) -> String {
    let mut document = Table::new();
    document.insert("schema".to_owned(), Toml::Integer(SCHEMA));
    if let Some(program) = preset.program {
        document.insert("program".to_owned(), Toml::Integer(program.into()));
    }
    for row in RowId::ALL.iter().copied() {
        let value = preset.get(row);
        if !same(value, row.row().default_value()) {
            put_row(&mut document, row, value);
        }
    }
    if let Some(picture) = &preset.picture {
        put(&mut document, "look", "picture", picture.clone().into());
    }
    let solver = difference(&preset.scene.solver, &SolverStep::default());
    if !solver.is_empty() {
        document.insert("solver".to_owned(), Toml::Table(solver));
    }
    // With kept keys of a flag goes the whole list, so that they add no flag to the scene.
    if preset.scene.flags != Scene::default().flags || preset.unknown.get("flag").is_some_and(is_tables) {
        let flags = preset.scene.flags.iter().map(|flag| Toml::Table(flag_table(flag))).collect();
        document.insert("flag".to_owned(), Toml::Array(flags));
    }
    merge(&mut document, &preset.unknown);
    let body = toml::to_string(&sorted(document)).unwrap_or_default();
    format!("{}{body}", head(&preset.about))
}

/// The comment at the head of the file. Control characters would break it.
fn head(about: &str) -> String {
    let clean = |line: &str| line.replace(|part: char| part.is_control() && part != '\t', " ");
    about.lines().map(|line| format!("# {}", clean(line)).trim_end().to_owned() + "\n").collect()
}

fn flag_table(flag: &FlagSpec) -> Table {
    let mut table = difference(flag, &FlagSpec::default());
    for (row, value) in &flag.fixed {
        put_row(&mut table, *row, *value);
    }
    table
}

/// Equal to the bit: −0 and 0 are two values in a file, too.
fn same(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Colour(a), Value::Colour(b)) => a.map(f32::to_bits) == b.map(f32::to_bits),
        _ => a == b,
    }
}

fn put_row(table: &mut Table, row: RowId, value: Value) {
    if let Ok(text) = Toml::try_from(value.to_json(row)) {
        put(table, row.row().group(), row.row().name(), text);
    }
}

fn put(document: &mut Table, group: &str, key: &str, value: Toml) {
    if let Some(Toml::Table(table)) = document.get_mut(group) {
        table.insert(key.to_owned(), value);
    } else {
        let table = Table::from_iter([(key.to_owned(), value)]);
        document.insert(group.to_owned(), Toml::Table(table));
    }
}

/// The keys of `value` that are not as in `default`, floats in their shortest form.
fn difference<T: Serialize>(value: &T, default: &T) -> Table {
    let whole = Table::try_from(value).unwrap_or_default();
    let rest = Table::try_from(default).unwrap_or_default();
    whole
        .into_iter()
        .filter(|(key, value)| rest.get(key).is_none_or(|default| value.to_string() != default.to_string()))
        .map(|(key, value)| (key, shorten(value)))
        .collect()
}

/// Structure holds f32 only, which a text format sees as f64: back to the shortest text of the f32.
fn shorten(value: Toml) -> Toml {
    match value {
        Toml::Float(plain) => Toml::Float(shortest(plain as f32)),
        Toml::Array(items) => Toml::Array(items.into_iter().map(shorten).collect()),
        Toml::Table(table) => Toml::Table(table.into_iter().map(|(key, value)| (key, shorten(value))).collect()),
        other => other,
    }
}

/// Adds what is in `unknown` and not in `table`; what this version wrote stands.
fn merge(table: &mut Table, unknown: &Table) {
    for (key, value) in unknown {
        match (table.get_mut(key), value) {
            (Some(Toml::Table(known)), Toml::Table(more)) => merge(known, more),
            (Some(Toml::Array(known)), Toml::Array(more)) => {
                for (known, more) in known.iter_mut().zip(more) {
                    if let (Toml::Table(known), Toml::Table(more)) = (known, more) {
                        merge(known, more);
                    }
                }
            }
            (Some(_), _) => {}
            (None, _) => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Groups in the order of the table, whatever they came from.
fn sorted(document: Table) -> Table {
    let place = |key: &str| match key {
        "schema" => (0, 0),
        "program" => (0, 1),
        "solver" => (2, 0),
        "flag" => (2, 1),
        _ => ROWS.iter().position(|row| row.group() == key).map_or((3, 0), |index| (1, index)),
    };
    let mut entries: Vec<_> = document.into_iter().collect();
    entries.sort_by_key(|(key, value)| (value.is_table() || is_tables(value), place(key)));
    entries.into_iter().collect()
}

fn is_tables(value: &Toml) -> bool {
    value.as_array().is_some_and(|items| items.first().is_some_and(Toml::is_table))
}
