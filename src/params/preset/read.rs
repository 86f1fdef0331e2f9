//! Text to preset, tolerantly.

use super::warning::{Warning, nearest};
use super::{LAST_PROGRAM, Preset, PresetError, SCHEMA};
use crate::params::reference::{range_text, wanted_text};
use crate::params::scene::{FlagSpec, MOST_FLAGS, Scene, SceneError, SolverStep};
use crate::params::table::{Kind, ROWS, RowId};
use crate::params::values::{Value, shortest};
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Value as Toml;

/// Longest piece of a value that a warning repeats, in characters.
const QUOTED: usize = 40;

pub(super) fn parse(name: &str, text: &str) -> Result<(Preset, Vec<Warning>), PresetError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document: toml::Table = text.parse().map_err(|error| syntax(text, &error))?;
    let mut reader = Reader {
        preset: Preset { name: name.to_owned(), about: about(text), ..Preset::default() },
        warnings: Vec::new(),
    };
    reader.schema(document.get("schema"))?;
    for (key, value) in document {
        reader.top(key, value)?;
    }
    reader.preset.scene.check()?;
    Ok((reader.preset, reader.warnings))
}

fn syntax(text: &str, error: &toml::de::Error) -> PresetError {
    let at = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    PresetError::Syntax {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        message: error.message().trim().replace('\n', "; "),
    }
}

/// The comment at the head of the file.
fn about(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#'));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect::<Vec<_>>().join("\n")
}

struct Reader {
    preset: Preset,
    warnings: Vec<Warning>,
}

impl Reader {
    fn schema(&mut self, value: Option<&Toml>) -> Result<(), PresetError> {
        match value {
            None | Some(Toml::Integer(SCHEMA)) => {}
            Some(Toml::Integer(found)) if *found > SCHEMA => {
                return Err(PresetError::NewerSchema { found: *found, known: SCHEMA });
            }
            Some(other) => self.wrong("schema", other, format!("{SCHEMA}"), format!("{SCHEMA}")),
        }
        Ok(())
    }

    fn top(&mut self, key: String, value: Toml) -> Result<(), PresetError> {
        match (key.as_str(), value) {
            ("schema", _) => {}
            ("program", value) => self.program(value),
            ("solver", Toml::Table(table)) => {
                let mut kept = toml::Table::new();
                let solver = std::mem::take(&mut self.preset.scene.solver);
                self.preset.scene.solver = self.structure("solver", solver, table, &mut kept)?;
                self.keep("solver", kept);
            }
            ("flag", Toml::Table(table)) => self.flags(vec![Toml::Table(table)])?,
            ("flag", Toml::Array(flags)) if flags.iter().all(Toml::is_table) => self.flags(flags)?,
            ("solver" | "flag", value) => {
                self.wrong(&key, &value, "a table".to_owned(), "its default".to_owned());
                self.preset.unknown.insert(key, value);
            }
            (group, value) if is_group(group) => self.group(group, value),
            (_, value) => {
                let groups = ROWS.iter().map(|row| row.group()).chain(["schema", "program", "flag", "solver"]);
                let nearest = nearest(&key, groups).map(str::to_owned);
                self.warnings.push(Warning::UnknownKey { key: key.clone(), nearest });
                self.preset.unknown.insert(key, value);
            }
        }
        Ok(())
    }

    fn program(&mut self, value: Toml) {
        match value.as_integer().and_then(|number| u8::try_from(number).ok()) {
            Some(number) if number <= LAST_PROGRAM => self.preset.program = Some(number),
            _ => {
                let wanted = format!("a program number 0..{LAST_PROGRAM}");
                self.wrong("program", &value, wanted, "none".to_owned());
                self.preset.unknown.insert("program".to_owned(), value);
            }
        }
    }

    fn group(&mut self, group: &str, value: Toml) {
        let Toml::Table(table) = value else {
            self.wrong(group, &value, "a table".to_owned(), "its default".to_owned());
            self.preset.unknown.insert(group.to_owned(), value);
            return;
        };
        let mut kept = toml::Table::new();
        for (key, value) in table {
            let path = format!("{group}.{key}");
            match (RowId::from_id(&path), &value) {
                (Some(row), _) => match self.row(row, &path, &value) {
                    Some(plain) => {
                        self.preset.values.set(row, plain);
                    }
                    None => {
                        kept.insert(key, value);
                    }
                },
                (None, Toml::String(file)) if path == "look.picture" => self.preset.picture = Some(file.clone()),
                (None, _) if path == "look.picture" => {
                    self.wrong(&path, &value, "the name of a PNG file".to_owned(), "no picture".to_owned());
                    kept.insert(key, value);
                }
                (None, _) => {
                    let nearest = nearest_row(&path, &key);
                    self.warnings.push(Warning::UnknownKey { key: path, nearest });
                    kept.insert(key, value);
                }
            }
        }
        self.keep(group, kept);
    }

    /// The value of a row inside its range; `None`, with a warning, when it cannot be meant.
    fn row(&mut self, row: RowId, path: &str, text: &Toml) -> Option<Value> {
        let bounds = match row.row().kind {
            Kind::Float { range, .. } => Some((shortest(range.min), shortest(range.max))),
            Kind::Int { min, max, .. } => Some((f64::from(min), f64::from(max))),
            _ => None,
        };
        // Numbers are held inside the range before they become narrower, so that 1e300 is a number, too.
        if let (Some((low, high)), Some(number)) = (bounds, number(text))
            && number.is_finite()
            && !(low..=high).contains(&number)
        {
            let used = row.row().accept(Value::Float(if number < low { low } else { high } as f32))?;
            // An end of i32 does not fit an f32: ends of whole numbers are taken as they are.
            let used = match row.row().kind {
                Kind::Int { min, max, .. } => Value::Int(if number < low { min } else { max }),
                _ => used,
            };
            self.out_of_range(path, text, row, used);
            return Some(used);
        }
        let json = serde_json::to_value(text).unwrap_or_default();
        let read = Value::from_json(row, &json).and_then(|value| Some((value, row.row().accept(value)?)));
        match read {
            Some((value, used)) => {
                if value != used {
                    self.out_of_range(path, text, row, used);
                }
                Some(used)
            }
            None => {
                self.wrong(path, text, wanted_text(row.row()), row.row().default_value().to_json(row).to_string());
                None
            }
        }
    }

    fn flags(&mut self, flags: Vec<Toml>) -> Result<(), PresetError> {
        // Before any of them is built, so that a text cannot ask for more than a scene may hold.
        if flags.len() > MOST_FLAGS {
            return Err(SceneError::too_many_flags(flags.len()).into());
        }
        self.preset.scene.flags.clear();
        let mut all_kept = Vec::new();
        for (index, flag) in flags.into_iter().enumerate() {
            let Toml::Table(table) = flag else { continue };
            let prefix = format!("flag[{index}]");
            let (mut own, mut kept) = (toml::Table::new(), toml::Table::new());
            let mut fixed = Vec::new();
            for (key, value) in table {
                match value {
                    Toml::Table(rows) if is_group(&key) => {
                        let rest = self.fixed_rows(&prefix, &key, rows, &mut fixed);
                        if !rest.is_empty() {
                            kept.insert(key, Toml::Table(rest));
                        }
                    }
                    value => {
                        own.insert(key, value);
                    }
                }
            }
            let mut spec = self.structure(&prefix, FlagSpec::default(), own, &mut kept)?;
            fixed.sort_by_key(|(row, _)| *row);
            spec.fixed = fixed;
            self.preset.scene.flags.push(spec);
            all_kept.push(Toml::Table(kept));
        }
        if all_kept.iter().any(|kept| kept.as_table().is_some_and(|table| !table.is_empty())) {
            self.preset.unknown.insert("flag".to_owned(), Toml::Array(all_kept));
        }
        Ok(())
    }

    /// Rows that a flag fixes for itself; gives back what was not understood.
    fn fixed_rows(
        &mut self,
        prefix: &str,
        group: &str,
        rows: toml::Table,
        fixed: &mut Vec<(RowId, Value)>,
    ) -> toml::Table {
        let mut kept = toml::Table::new();
        for (key, value) in rows {
            let id = format!("{group}.{key}");
            let path = format!("{prefix}.{id}");
            let plain = match RowId::from_id(&id) {
                Some(row) if row.row().per_flag => self.row(row, &path, &value).map(|plain| (row, plain)),
                Some(row) => {
                    self.warnings.push(Warning::NotPerFlag { key: path, row: row.row().id.to_owned() });
                    None
                }
                None => {
                    let nearest = nearest_row(&id, &key).map(|name| format!("{prefix}.{name}"));
                    self.warnings.push(Warning::UnknownKey { key: path, nearest });
                    None
                }
            };
            match plain {
                // An old name and the new one may both be there: the last in the text stands.
                Some((row, plain)) => {
                    fixed.retain(|(known, _)| *known != row);
                    fixed.push((row, plain));
                }
                None => {
                    kept.insert(key, value);
                }
            }
        }
        kept
    }

    /// Lays the keys of `table` over `base`, one by one, so that a bad one costs only itself.
    fn structure<T: Known>(
        &mut self,
        prefix: &str,
        base: T,
        table: toml::Table,
        kept: &mut toml::Table,
    ) -> Result<T, PresetError> {
        let known = T::known_keys();
        let mut spec = base;
        for (key, value) in table {
            let path = format!("{prefix}.{key}");
            if !known.contains(&key) {
                let nearest = nearest(&key, known.iter().map(String::as_str)).map(|name| format!("{prefix}.{name}"));
                self.warnings.push(Warning::UnknownKey { key: path, nearest });
                kept.insert(key, value);
                continue;
            }
            let Ok(mut whole) = toml::Table::try_from(&spec) else { continue };
            let used = whole.get(&key).map_or("none".to_owned(), quote);
            whole.insert(key.clone(), value.clone());
            match whole.try_into() {
                Ok(read) => spec = read,
                Err(error) => {
                    if let (Some(count), Some(error)) = (value.as_integer(), T::count_error(&key, &value)) {
                        return Err(match error {
                            SceneError::Count { low, high, .. } => {
                                SceneError::Count { name: path, value: count, low, high }
                            }
                            other => other,
                        }
                        .into());
                    }
                    let what = error.message().lines().next().unwrap_or_default();
                    let wanted = what.split_once("expected ").map_or(what, |(_, wanted)| wanted).to_owned();
                    self.wrong(&path, &value, wanted, used);
                    kept.insert(key, value);
                }
            }
        }
        Ok(spec)
    }

    fn keep(&mut self, group: &str, kept: toml::Table) {
        if !kept.is_empty() {
            self.preset.unknown.insert(group.to_owned(), Toml::Table(kept));
        }
    }

    fn wrong(&mut self, key: &str, value: &Toml, wanted: String, used: String) {
        self.warnings.push(Warning::WrongKind { key: key.to_owned(), value: quote(value), wanted, used });
    }

    fn out_of_range(&mut self, path: &str, text: &Toml, row: RowId, used: Value) {
        self.warnings.push(Warning::OutOfRange {
            key: path.to_owned(),
            value: quote(text),
            range: range_text(row.row()),
            used: used.to_json(row).to_string(),
        });
    }
}

/// Structure that a preset sets key by key.
trait Known: Default + Serialize + DeserializeOwned {
    /// Every key, those that are absent by default included.
    fn known_keys() -> Vec<String>;
    /// A default scene with this part in it.
    fn in_scene(self) -> Scene;

    /// How a scene refuses a whole number that does not even fit its type.
    fn count_error(key: &str, value: &Toml) -> Option<SceneError> {
        let nearest = u32::try_from(value.as_integer()?.max(0)).unwrap_or(u32::MAX);
        let mut whole = toml::Table::try_from(Self::default()).ok()?;
        whole.insert(key.to_owned(), Toml::Integer(nearest.into()));
        whole.try_into::<Self>().ok()?.in_scene().check().err()
    }
}

impl Known for FlagSpec {
    fn known_keys() -> Vec<String> {
        let full = FlagSpec { mass: Some(1.0), drag_particles: Some([0, 0]), ..FlagSpec::default() };
        keys(&full)
    }

    fn in_scene(self) -> Scene {
        Scene { flags: vec![self], ..Scene::default() }
    }
}

impl Known for SolverStep {
    fn known_keys() -> Vec<String> {
        keys(&SolverStep::default())
    }

    fn in_scene(self) -> Scene {
        Scene { solver: self, ..Scene::default() }
    }
}

fn keys(value: &impl Serialize) -> Vec<String> {
    toml::Table::try_from(value).map(|table| table.keys().cloned().collect()).unwrap_or_default()
}

fn is_group(name: &str) -> bool {
    ROWS.iter().any(|row| row.group() == name || row.aliases.iter().any(|old| old.split('.').next() == Some(name)))
}

/// The row that an unknown `group.name` probably means: the same name in another group before a
/// mistyped one, since `wind.drag` is not meant to be `wind.speed`.
fn nearest_row(path: &str, name: &str) -> Option<String> {
    let elsewhere = ROWS.iter().find(|row| row.name() == name).map(|row| row.id);
    let ids = ROWS.iter().map(|row| row.id).chain(["look.picture"]);
    elsewhere.or_else(|| nearest(path, ids)).map(str::to_owned)
}

fn number(text: &Toml) -> Option<f64> {
    match text {
        Toml::Integer(whole) => Some(*whole as f64),
        Toml::Float(plain) => Some(*plain),
        _ => None,
    }
}

fn quote(value: &Toml) -> String {
    let text = match value {
        Toml::Table(_) => "{…}".to_owned(),
        // As people write it: the other form has three hundred digits for 1e300.
        Toml::Float(plain) => format!("{plain:?}"),
        other => other.to_string().replace('\n', " "),
    };
    if text.chars().count() <= QUOTED {
        return text;
    }
    text.chars().take(QUOTED).chain(['…']).collect()
}
