//! What a message means: address and arguments to requests and answers.
//!
//! | arrives at a parameter | does |
//! |---|---|
//! | f d i h | sets it; NaN and infinities are refused |
//! | T F | 1 and 0 |
//! | N, I, no argument, "?" | asks for its value |
//! | s "0.5" | sets it; a choice also by name in any case (by index with i) |
//! | s "+", "-" or "*", then a number in the same string or as the next argument | moves or multiplies its target |
//! | r, 3 or 4 numbers, s "#RRGGBB[AA]" | sets a colour |
//!
//! So `s "-5"` moves down by five and `f -5` sets to minus five. Under `/norm` numbers are travel 0..1
//! along the row's curve, and relative moves are moves of the travel. The first argument counts, the
//! rest is reported. A value outside the range is held at its end.
//!
//! A cue is fired by T, N, I, no argument and every number but 0, and not by F and 0, so that a button
//! may send its release. An address pattern does all this at every address that it matches.

use super::loss::Loss;
use super::osc::packet::{Argument, Message};
use super::osc::pattern::{LONGEST_PATTERN, Pattern};
use crate::live::request::LONGEST_MORPH_SECONDS;
use crate::live::{HostCue, PresetKey, Request};
use crate::params::preset::nearest;
use crate::params::values::{choice_by_name, colour_from_hex};
use crate::params::{CUES, Kind, RowId, Value};
use crate::perform::{Body, Cue, Hand};
use std::collections::BTreeMap;

/// Asks for all targets; no cue, since it never enters a tick.
pub const SYNC: &str = "/sync";
/// Latest and earliest time that `/cue/wind_time` sets, s: thirty years. Far beyond it, a phase in f64
/// would lose the parts of a turn.
pub const LONGEST_WIND_TIME_SECONDS: f64 = 1e9;

/// What an address stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// A row in plain units.
    Row(RowId),
    /// A row as travel 0..1.
    Travel(RowId),
    /// A cue without arguments, done by the performance.
    Cue(Cue),
    /// A cue without arguments, done by the host.
    Host(Press),
    /// `/cue/preset`
    Preset,
    /// `/cue/wind_time`
    WindTime,
    /// `/hand/grab`
    Grab,
    /// `/hand/move`
    Move,
    /// `/hand/release`
    Release,
    /// `/sync`
    Sync,
}

/// Cues without arguments that the host does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the cue of the same name")]
pub enum Press {
    PresetNext,
    PresetPrevious,
    Still,
}

/// A question: the value of one row, at the address that was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Where the answer goes.
    pub address: String,
    /// The row.
    pub row: RowId,
    /// Whether its travel is meant.
    pub travel: bool,
}

/// What a message asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Something for the player.
    Request(Request),
    /// A value for the sender.
    Ask(Question),
    /// All targets for the sender.
    AskAll,
}

/// Something about a message that its sender may not have meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Remark {
    /// Which sort.
    pub loss: Loss,
    /// One sentence.
    pub text: String,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Routed {
    /// What to do, in order.
    pub actions: Vec<Action>,
    /// What was lost.
    pub remarks: Vec<Remark>,
    /// How many addresses it met.
    pub matched: usize,
}

/// Every address and what it stands for.
#[derive(Debug)]
pub struct Router {
    /// In table order: rows, their travel, cues; old names last.
    addresses: Vec<(String, Target)>,
    by_address: BTreeMap<String, Target>,
}

impl Default for Router {
    fn default() -> Self {
        Router::new()
    }
}

impl Router {
    /// A router of the whole table.
    pub fn new() -> Self {
        let rows = || RowId::ALL.iter().copied();
        let mut addresses: Vec<(String, Target)> = rows().map(|row| (row.row().address(), Target::Row(row))).collect();
        addresses.extend(rows().filter_map(|row| Some((row.row().norm_address()?, Target::Travel(row)))));
        addresses.extend(CUES.iter().filter_map(|cue| Some((cue.address.to_owned(), cue_target(cue.address)?))));
        addresses.push((SYNC.to_owned(), Target::Sync));
        for row in rows() {
            for alias in row.row().aliases {
                let address = format!("/{}", alias.replace('.', "/"));
                if row.row().travels() {
                    addresses.push((format!("/norm{address}"), Target::Travel(row)));
                }
                addresses.push((address, Target::Row(row)));
            }
        }
        let by_address = addresses.iter().cloned().collect();
        Router { addresses, by_address }
    }

    /// The address that an unknown one probably means.
    pub fn nearest(&self, address: &str) -> Option<&str> {
        // Longer ones are no slip of the finger, and comparing takes time.
        const LONGEST_SLIP: usize = 80;
        let short = address.len() <= LONGEST_SLIP;
        short.then(|| nearest(address, self.addresses.iter().map(|(known, _)| known.as_str()))).flatten()
    }

    /// What a message asks for.
    pub fn route(&self, message: &Message<'_>) -> Routed {
        let mut routed = Routed::default();
        let address = message.address;
        if address.len() > LONGEST_PATTERN {
            routed.remark(Loss::NoSuchAddress, format!("no address is longer than {LONGEST_PATTERN} bytes"));
        } else if !Pattern::is_pattern(address) {
            match self.by_address.get(address) {
                Some(target) => routed.meet(address, *target, message),
                None => routed.remark(Loss::NoSuchAddress, format!("there is no {address}")),
            }
        } else {
            match Pattern::parse(address) {
                Ok(pattern) => self.route_pattern(&pattern, message, &mut routed),
                Err(error) => routed.remark(Loss::BadPattern, format!("{address} is no pattern: {error}")),
            }
        }
        routed
    }

    fn route_pattern(&self, pattern: &Pattern, message: &Message<'_>, routed: &mut Routed) {
        let mut met: Vec<Target> = Vec::new();
        for (known, target) in &self.addresses {
            // A row that is met by its name is not met again by its old one.
            if pattern.matches(known) && !met.contains(target) {
                met.push(*target);
                routed.meet(known, *target, message);
            }
        }
        if met.is_empty() {
            routed.remark(Loss::NoSuchAddress, format!("{} matches nothing", message.address));
        }
    }
}

/// What a cue's address stands for.
fn cue_target(address: &str) -> Option<Target> {
    Some(match address {
        "/cue/reset" => Target::Cue(Cue::Reset),
        "/cue/panic" => Target::Cue(Cue::Panic),
        "/cue/freeze" => Target::Cue(Cue::Freeze),
        "/cue/blackout" => Target::Cue(Cue::Blackout),
        "/cue/seed_next" => Target::Cue(Cue::SeedNext),
        "/cue/preset" => Target::Preset,
        "/cue/preset_next" => Target::Host(Press::PresetNext),
        "/cue/preset_previous" => Target::Host(Press::PresetPrevious),
        "/cue/still" => Target::Host(Press::Still),
        "/cue/wind_time" => Target::WindTime,
        "/hand/grab" => Target::Grab,
        "/hand/move" => Target::Move,
        "/hand/release" => Target::Release,
        _ => return None,
    })
}

/// What one message does at one address.
#[derive(Debug, PartialEq)]
struct Meaning {
    action: Option<Action>,
    /// Arguments that it used.
    used: usize,
    clamped: bool,
}

impl Meaning {
    fn of(action: Action, used: usize) -> Self {
        Meaning { action: Some(action), used, clamped: false }
    }

    fn request(request: impl Into<Request>, used: usize) -> Self {
        Meaning::of(Action::Request(request.into()), used)
    }

    /// A release or a false: understood, and nothing to do.
    fn nothing() -> Self {
        Meaning { action: None, used: 1, clamped: false }
    }
}

/// Why it does nothing.
type Refusal = (Loss, &'static str);

impl Routed {
    fn remark(&mut self, loss: Loss, text: String) {
        self.remarks.push(Remark { loss, text });
    }

    fn meet(&mut self, address: &str, target: Target, message: &Message<'_>) {
        self.matched += 1;
        let arguments = &message.arguments[..];
        let meaning = match target {
            Target::Row(row) => parameter(address, row, false, arguments),
            Target::Travel(row) => parameter(address, row, true, arguments),
            Target::Cue(cue) => pressed(arguments, || Action::Request(Body::Cue(cue).into())),
            Target::Host(press) => pressed(arguments, || Action::Request(Request::Host(press.cue()))),
            Target::Release => pressed(arguments, || Action::Request(Body::Hand(Hand::Release).into())),
            Target::Sync => pressed(arguments, || Action::AskAll),
            Target::Preset => preset(arguments),
            Target::WindTime => wind_time(arguments),
            Target::Grab => grab(arguments),
            Target::Move => point(arguments).map(|point| Meaning::request(Body::Hand(Hand::Move(point)), point.len())),
        };
        match meaning {
            Ok(Meaning { action, used, clamped }) => {
                self.actions.extend(action);
                if clamped {
                    self.remark(Loss::Clamped, format!("{address}: held at the end of its range"));
                }
                if message.argument_count > used {
                    self.remark(Loss::Surplus, format!("{address} takes fewer arguments; the first count"));
                }
            }
            Err((loss, why)) => self.remark(loss, format!("{address} {why}")),
        }
    }
}

impl Press {
    fn cue(self) -> HostCue {
        match self {
            Press::PresetNext => HostCue::PresetNext,
            Press::PresetPrevious => HostCue::PresetPrevious,
            Press::Still => HostCue::Still,
        }
    }
}

fn parameter(address: &str, row: RowId, travel: bool, arguments: &[Argument<'_>]) -> Result<Meaning, Refusal> {
    let ask = |used| Ok(Meaning::of(Action::Ask(Question { address: address.to_owned(), row, travel }), used));
    let colour = matches!(row.row().kind, Kind::Colour { .. });
    match arguments {
        [] => ask(0),
        [Argument::Nil | Argument::Impulse, ..] => ask(1),
        [Argument::Text(text), ..] if text.trim() == "?" => ask(1),
        _ if colour => self::colour(row, arguments),
        [Argument::Text(text), rest @ ..] => self::text(row, travel, text.trim(), rest),
        [Argument::True, ..] => number(row, travel, 1.0, 1),
        [Argument::False, ..] => number(row, travel, 0.0, 1),
        [first, ..] => match first.number() {
            Some(value) => number(row, travel, value, 1),
            None => Err((Loss::WrongKind, "takes a number, not this")),
        },
    }
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

/// Whether a cue is fired, and how many arguments said so.
fn fires(arguments: &[Argument<'_>]) -> Result<(bool, usize), Refusal> {
    match arguments {
        [] => Ok((true, 0)),
        [Argument::True | Argument::Nil | Argument::Impulse, ..] => Ok((true, 1)),
        [Argument::False, ..] => Ok((false, 1)),
        [Argument::Text(text), ..] if text.trim() == "?" => Err((Loss::NoValue, "is a cue and has no value")),
        [first, ..] => match numeric(first) {
            Some(value) if value.is_finite() => Ok((value != 0.0, 1)),
            Some(_) => Err((Loss::NotFinite, "takes finite numbers only")),
            None => Err((Loss::WrongKind, "is a cue; this does not fire it")),
        },
    }
}

fn pressed(arguments: &[Argument<'_>], action: impl FnOnce() -> Action) -> Result<Meaning, Refusal> {
    let (fires, used) = fires(arguments)?;
    Ok(Meaning { action: fires.then(action), used, clamped: false })
}

fn preset(arguments: &[Argument<'_>]) -> Result<Meaning, Refusal> {
    const WANTED: &str = "needs a preset's name or program number";
    let key = match arguments {
        [Argument::False, ..] => return Ok(Meaning::nothing()),
        [] | [Argument::True | Argument::Nil | Argument::Impulse, ..] => return Err((Loss::Missing, WANTED)),
        [Argument::Text(text), ..] if text.trim() == "?" => return Err((Loss::NoValue, "is a cue and has no value")),
        [Argument::Text(name), ..] => PresetKey::Name((*name).to_owned()),
        [first, ..] => match first.number() {
            Some(program) if !program.is_finite() => return Err((Loss::NotFinite, "takes finite numbers only")),
            Some(program) if program.fract() == 0.0 => PresetKey::Program(program as i32),
            _ => return Err((Loss::WrongKind, WANTED)),
        },
    };
    let (seconds, used) = match arguments.get(1) {
        None => (0.0, 1),
        Some(argument) => match argument.number() {
            Some(seconds) if seconds.is_finite() => (seconds, 2),
            Some(_) => return Err((Loss::NotFinite, "takes finite seconds only")),
            None => return Err((Loss::WrongKind, "takes seconds as its second argument")),
        },
    };
    let held = seconds.clamp(0.0, f64::from(LONGEST_MORPH_SECONDS));
    let recall = Meaning::request(Request::Host(HostCue::Preset { key, seconds: held as f32 }), used);
    Ok(Meaning { clamped: held != seconds, ..recall })
}

fn wind_time(arguments: &[Argument<'_>]) -> Result<Meaning, Refusal> {
    const WANTED: &str = "needs a time in seconds";
    let seconds = match arguments {
        [Argument::False, ..] => return Ok(Meaning::nothing()),
        [] | [Argument::True | Argument::Nil | Argument::Impulse, ..] => return Err((Loss::Missing, WANTED)),
        [Argument::Text(text), ..] if text.trim() == "?" => return Err((Loss::NoValue, "is a cue and has no value")),
        [first, ..] => numeric(first).ok_or((Loss::WrongKind, WANTED))?,
    };
    if !seconds.is_finite() {
        return Err((Loss::NotFinite, "takes finite seconds only"));
    }
    let held = seconds.clamp(-LONGEST_WIND_TIME_SECONDS, LONGEST_WIND_TIME_SECONDS);
    Ok(Meaning { clamped: held != seconds, ..Meaning::request(Body::Cue(Cue::WindTime(held)), 1) })
}

/// Three numbers are a point, whatever their tags; one is a particle.
fn grab(arguments: &[Argument<'_>]) -> Result<Meaning, Refusal> {
    const WANTED: &str = "needs a particle's number or a point of three numbers (m)";
    match arguments {
        [Argument::False, ..] => Ok(Meaning::nothing()),
        [first] => match first.number() {
            Some(number) if !number.is_finite() => Err((Loss::NotFinite, "takes finite numbers only")),
            Some(number) if number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) => {
                Ok(Meaning::request(Request::GrabNumber(number as u32), 1))
            }
            _ => Err((Loss::WrongKind, WANTED)),
        },
        _ => {
            let point = point(arguments).map_err(|(loss, _)| (loss, WANTED))?;
            Ok(Meaning::request(Body::Hand(Hand::GrabNearest(point)), point.len()))
        }
    }
}

fn point(arguments: &[Argument<'_>]) -> Result<[f32; 3], Refusal> {
    const WANTED: &str = "needs a point of three numbers (m)";
    let [Some(x), Some(y), Some(z)] = [0, 1, 2].map(|place| arguments.get(place).map(Argument::number)) else {
        return Err((Loss::Missing, WANTED));
    };
    let (Some(x), Some(y), Some(z)) = (x, y, z) else { return Err((Loss::WrongKind, WANTED)) };
    let point = [x as f32, y as f32, z as f32];
    // A number beyond f32 becomes an infinity here and is refused with the others.
    if point.iter().all(|part| part.is_finite()) { Ok(point) } else { Err((Loss::NotFinite, WANTED)) }
}

/// The value of a number, or of a text that is one.
fn numeric(argument: &Argument<'_>) -> Option<f64> {
    match argument {
        Argument::Text(text) => text.trim().parse().ok(),
        other => other.number(),
    }
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;
