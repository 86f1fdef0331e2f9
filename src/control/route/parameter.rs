//! Arguments at the address of a row.

use super::{About, Action, Meaning, Question, Refusal, numeric};
use crate::control::loss::Loss;
use crate::control::osc::packet::Argument;
use crate::live::Request;
use crate::params::values::{choice_by_name, colour_from_hex};
use crate::params::{Kind, RowId, Value};
use crate::perform::Body;

/// What the arguments ask of a row, in plain units or as travel.
pub(super) fn parameter(
    address: &str,
    row: RowId,
    travel: bool,
    arguments: &[Argument<'_>],
) -> Result<Meaning, Refusal> {
    if let Some(used) = question(arguments) {
        return Ok(ask(address, if travel { About::Travel(row) } else { About::Row(row) }, used));
    }
    let colour = matches!(row.row().kind, Kind::Colour { .. });
    match arguments {
        _ if colour => self::colour(row, arguments),
        [Argument::Text(text), rest @ ..] => self::text(row, travel, text.trim(), rest),
        [Argument::True, ..] => number(row, travel, 1.0, 1),
        [Argument::False, ..] => number(row, travel, 0.0, 1),
        [first, ..] => match first.number() {
            Some(value) => number(row, travel, value, 1),
            None => Err((Loss::WrongKind, "takes a number, not this")),
        },
        [] => Err((Loss::Missing, "takes a number")),
    }
}

/// A readout answers and takes nothing.
pub(super) fn readout(address: &str, about: About, arguments: &[Argument<'_>]) -> Result<Meaning, Refusal> {
    let used = question(arguments).ok_or((Loss::WrongKind, "is a readout: it is asked, not set"))?;
    Ok(ask(address, about, used))
}

/// How many arguments a question uses; `None` when this is none.
fn question(arguments: &[Argument<'_>]) -> Option<usize> {
    match arguments {
        [] => Some(0),
        [Argument::Nil | Argument::Impulse, ..] => Some(1),
        [Argument::Text(text), ..] if text.trim() == "?" => Some(1),
        _ => None,
    }
}

fn ask(address: &str, about: About, used: usize) -> Meaning {
    Meaning::of(Action::Ask(Question { address: address.to_owned(), about }), used)
}

/// Sets a row (not a colour) to a number.
fn number(row: RowId, travel: bool, value: f64, used: usize) -> Result<Meaning, Refusal> {
    if !value.is_finite() {
        return Err((Loss::NotFinite, "takes finite numbers only"));
    }
    let (low, high) = match row.row().kind {
        _ if travel => (0.0, 1.0),
        Kind::Float { range, .. } => (f64::from(range.min), f64::from(range.max)),
        Kind::Int { min, max, .. } => (f64::from(min), f64::from(max)),
        Kind::Choice { names, .. } => (0.0, (names.len() - 1) as f64),
        Kind::Switch { .. } | Kind::Colour { .. } => (0.0, 1.0),
    };
    let held = value.clamp(low, high);
    let plain = match row.row().kind {
        _ if travel => row.row().from_travel(held as f32),
        // Whole numbers keep all their digits: seeds have more than an f32 holds.
        Kind::Int { .. } => row.row().accept(Value::Int(held.round_ties_even() as i32)),
        _ => row.row().accept(Value::Float(held as f32)),
    };
    let value_of_row = plain.ok_or((Loss::WrongKind, "takes no number"))?;
    let set = Meaning::request(Body::Set { row, value: value_of_row }, used);
    Ok(Meaning { clamped: held != value, ..set })
}

fn text(row: RowId, travel: bool, text: &str, rest: &[Argument<'_>]) -> Result<Meaning, Refusal> {
    if let (Kind::Choice { names, .. }, false) = (row.row().kind, travel)
        && let Some(index) = choice_by_name(names, text)
    {
        return Ok(Meaning::request(Body::Set { row, value: Value::Choice(index) }, 1));
    }
    let Some(sign @ ('+' | '-' | '*')) = text.chars().next() else {
        let value = text.parse().map_err(|_| unknown_text(row))?;
        return number(row, travel, value, 1);
    };
    let inside = text[1..].trim();
    let (by, used) = match (inside, rest) {
        ("", []) => return Err((Loss::Missing, "needs a number after the sign")),
        ("", [next, ..]) => (numeric(next).ok_or((Loss::WrongKind, "needs a number after the sign"))?, 2),
        _ => (inside.parse::<f64>().map_err(|_| unknown_text(row))?, 1),
    };
    if !by.is_finite() {
        return Err((Loss::NotFinite, "takes finite numbers only"));
    }
    if matches!(row.row().kind, Kind::Switch { .. }) {
        return Err((Loss::WrongKind, "is on or off and has no relative change"));
    }
    let by = (if sign == '-' { -by } else { by }).clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32;
    let request = match (sign, travel) {
        ('*', false) => Request::Change(Body::Scale { row, by }),
        ('*', true) => Request::ScaleTravel { row, by },
        (_, false) => Request::Change(Body::Add { row, by }),
        (_, true) => Request::NudgeTravel { row, by },
    };
    Ok(Meaning::request(request, used))
}

fn unknown_text(row: RowId) -> Refusal {
    match row.row().kind {
        Kind::Choice { .. } => (Loss::WrongKind, "has no such name"),
        _ => (Loss::WrongKind, "takes a number; this text is none"),
    }
}

fn colour(row: RowId, arguments: &[Argument<'_>]) -> Result<Meaning, Refusal> {
    const WANTED: &str = "takes a colour: r, three or four numbers 0..1, or \"#RRGGBB[AA]\"";
    let (parts, used) = match arguments {
        [Argument::Colour(bytes), ..] => (bytes.map(|byte| f64::from(byte) / 255.0), 1),
        [Argument::Text(text), ..] => {
            let parts = colour_from_hex(text).ok_or((Loss::WrongKind, WANTED))?;
            (parts.map(f64::from), 1)
        }
        _ => {
            let numbers: Vec<f64> = arguments.iter().take(4).map_while(Argument::number).collect();
            match numbers[..] {
                [red, green, blue] => ([red, green, blue, 1.0], 3),
                [red, green, blue, alpha] => ([red, green, blue, alpha], 4),
                [] => return Err((Loss::WrongKind, WANTED)),
                _ => return Err((Loss::Missing, WANTED)),
            }
        }
    };
    if !parts.iter().all(|part| part.is_finite()) {
        return Err((Loss::NotFinite, "takes finite numbers only"));
    }
    let held = parts.map(|part| part.clamp(0.0, 1.0));
    let set = Meaning::request(Body::Set { row, value: Value::Colour(held.map(|part| part as f32)) }, used);
    Ok(Meaning { clamped: held != parts, ..set })
}
