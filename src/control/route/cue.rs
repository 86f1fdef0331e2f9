//! Arguments at the address of a cue or of the hand.

use super::{Action, Meaning, Refusal, numeric};
use crate::control::loss::Loss;
use crate::control::osc::packet::Argument;
use crate::live::request::LONGEST_MORPH_SECONDS;
use crate::live::{HostCue, PresetKey, Request};
use crate::perform::{Body, Cue, Hand};

/// Latest and earliest time that `/cue/wind_time` sets, s: thirty years. Far beyond it, a phase in f64
/// would lose the parts of a turn.
pub const LONGEST_WIND_TIME_SECONDS: f64 = 1e9;

/// Longest name of a preset, in bytes: what file systems allow. Names wait in the inbox, which is bounded.
const LONGEST_NAME: usize = 255;

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

pub(super) fn pressed(arguments: &[Argument<'_>], action: impl FnOnce() -> Action) -> Result<Meaning, Refusal> {
    let (fires, used) = fires(arguments)?;
    Ok(Meaning { action: fires.then(action), used, clamped: false })
}

/// A gust of the given strength; of the mean wind's own without one. 0 is a button's release.
pub(super) fn gust(arguments: &[Argument<'_>]) -> Result<Meaning, Refusal> {
    const USUAL_STRENGTH: f64 = 1.0;
    let (fires, used) = fires(arguments)?;
    let pressed = matches!(arguments, [] | [Argument::True | Argument::Nil | Argument::Impulse, ..]);
    let strength = arguments.first().filter(|_| !pressed).and_then(numeric).unwrap_or(USUAL_STRENGTH);
    let action = Action::Request(Body::Cue(Cue::Gust(strength as f32)).into());
    Ok(Meaning { action: fires.then_some(action), used, clamped: false })
}

pub(super) fn preset(arguments: &[Argument<'_>]) -> Result<Meaning, Refusal> {
    const WANTED: &str = "needs a preset's name or program number";
    let key = match arguments {
        [Argument::False, ..] => return Ok(Meaning::nothing()),
        [] | [Argument::True | Argument::Nil | Argument::Impulse, ..] => return Err((Loss::Missing, WANTED)),
        [Argument::Text(text), ..] if text.trim() == "?" => return Err((Loss::NoValue, "is a cue and has no value")),
        [Argument::Text(name), ..] if name.len() > LONGEST_NAME => {
            return Err((Loss::WrongKind, "names a preset longer than any name"));
        }
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

pub(super) fn wind_time(arguments: &[Argument<'_>]) -> Result<Meaning, Refusal> {
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
pub(super) fn grab(arguments: &[Argument<'_>]) -> Result<Meaning, Refusal> {
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

pub(super) fn point(arguments: &[Argument<'_>]) -> Result<[f32; 3], Refusal> {
    const WANTED: &str = "needs a point of three numbers (m)";
    let [Some(x), Some(y), Some(z)] = [0, 1, 2].map(|place| arguments.get(place).map(Argument::number)) else {
        return Err((Loss::Missing, WANTED));
    };
    let (Some(x), Some(y), Some(z)) = (x, y, z) else { return Err((Loss::WrongKind, WANTED)) };
    let point = [x as f32, y as f32, z as f32];
    // A number beyond f32 becomes an infinity here and is refused with the others.
    if point.iter().all(|part| part.is_finite()) { Ok(point) } else { Err((Loss::NotFinite, WANTED)) }
}
