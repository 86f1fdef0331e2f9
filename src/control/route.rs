//! What a message means: address and arguments to requests and answers.
//!
//! | arrives at a parameter | does |
//! |---|---|
//! | f d i h | sets it; NaN and infinities are refused |
//! | T F | 1 and 0 |
//! | N, I, no argument, "?" | asks for its value |
//! | s "0.5" | sets it; a choice also by name in any case (by index with i) |
//! | s "+", "-" or "*", then a number in the same string or as the next argument | moves or multiplies its target |
//! | r, 3 or 4 numbers, s `#RRGGBB` or `#RRGGBBAA` | sets a colour |
//!
//! So `s "-5"` moves down by five and `f -5` sets to minus five. Under `/norm` numbers are travel 0..1
//! along the row's curve, and relative moves are moves of the travel. The first argument counts, the
//! rest is reported. A value outside the range is held at its end.
//!
//! A readout (`/read/0/tip`) is only asked; a pattern asks those of the flags that fly.
//!
//! A cue is fired by T, N, I, no argument and every number but 0, and not by F and 0, so that a button
//! may send its release. An address pattern does all this at every address that it matches.

mod cue;
mod parameter;

use super::loss::Loss;
use super::osc::packet::{Argument, Message};
use super::osc::pattern::{LONGEST_PATTERN, Pattern};
use crate::live::{HostCue, Request};
use crate::params::preset::nearest;
use crate::params::table::ReadoutRow;
use crate::params::{CUES, READOUTS, RowId};
use crate::perform::{Body, Cue, Hand};
use std::collections::BTreeMap;

/// Comparisons that one packet's patterns may ask for: bytes of a pattern times addresses it is held against.
/// Four hundred patterns of ten bytes; the most hostile ones take some milliseconds.
pub const MOST_PATTERN_WORK: usize = 1 << 19;

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
    /// `/cue/gust`
    Gust,
    /// `/hand/grab`
    Grab,
    /// `/hand/move`
    Move,
    /// `/hand/release`
    Release,
    /// `/sync`
    Sync,
    /// `/read/N/…`
    Readout(About),
}

/// Cues without arguments that the host does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the cue of the same name")]
pub enum Press {
    PresetNext,
    PresetPrevious,
    Still,
}

/// A question: one value, at the address that was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Where the answer goes.
    pub address: String,
    /// What is asked for.
    pub about: About,
}

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// A row's target in plain units.
    Row(RowId),
    /// A row's target as travel 0..1.
    Travel(RowId),
    /// What a flag tells.
    Readout {
        /// Index of the flag.
        flag: usize,
        /// Index into the readout table.
        readout: usize,
    },
}

impl About {
    /// `/read/N/name`.
    fn readout(address: &str) -> Option<About> {
        let (flag, name) = address.strip_prefix("/read/")?.split_once('/')?;
        let readout = READOUTS.iter().position(|row| row.name == name)?;
        // Digits alone: parse would take a sign too.
        let digits = flag.bytes().all(|byte| byte.is_ascii_digit());
        Some(About::Readout { flag: flag.parse().ok().filter(|_| digits)?, readout })
    }
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

/// What bounds the messages of one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How many flags fly: patterns reach their readouts.
    pub flags: usize,
    /// What is left of [`MOST_PATTERN_WORK`].
    pub pattern_work: usize,
}

impl Bounds {
    /// The bounds of a packet that comes while so many flags fly.
    pub fn new(flags: usize) -> Self {
        Bounds { flags, pattern_work: MOST_PATTERN_WORK }
    }
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
    /// Its packet's patterns are more work than one packet may ask for; it was not looked at.
    pub too_much: bool,
}

/// Every address and what it stands for.
#[derive(Debug)]
pub struct Router {
    /// In table order: rows, their travel, cues; old names last.
    addresses: Vec<(String, Target)>,
    by_address: BTreeMap<String, Target>,
    /// Readouts of the first flag, for whoever mistypes one.
    readouts: Vec<String>,
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
        let readouts = READOUTS.iter().map(|row| format!("/read/0/{}", row.name)).collect();
        Router { addresses, by_address, readouts }
    }

    /// The address that an unknown one probably means.
    pub fn nearest(&self, address: &str) -> Option<&str> {
        // Longer ones are no slip of the finger, and comparing takes time.
        const LONGEST_SLIP: usize = 80;
        let short = address.len() <= LONGEST_SLIP;
        let known = self.addresses.iter().map(|(known, _)| known).chain(&self.readouts);
        short.then(|| nearest(address, known.map(String::as_str))).flatten()
    }

    /// What a message asks for, within what `bounds` leave to its packet.
    pub fn route(&self, message: &Message<'_>, bounds: &mut Bounds) -> Routed {
        let mut routed = Routed::default();
        let address = message.address;
        if address.len() > LONGEST_PATTERN {
            routed.remark(Loss::NoSuchAddress, format!("no address is longer than {LONGEST_PATTERN} bytes"));
        } else if !Pattern::is_pattern(address) {
            let readout = || About::readout(address).map(Target::Readout);
            match self.by_address.get(address).copied().or_else(readout) {
                Some(target) => routed.meet(address, target, message),
                None => routed.remark(Loss::NoSuchAddress, format!("there is no {address}")),
            }
        } else {
            match Pattern::parse(address) {
                Ok(pattern) => self.route_pattern(&pattern, message, bounds, &mut routed),
                Err(error) => routed.remark(Loss::BadPattern, format!("{address} is no pattern: {error}")),
            }
        }
        routed
    }

    fn route_pattern(&self, pattern: &Pattern, message: &Message<'_>, bounds: &mut Bounds, routed: &mut Routed) {
        let read = reads(pattern);
        let compared = self.addresses.len() + if read { bounds.flags + READOUTS.len() } else { 0 };
        match bounds.pattern_work.checked_sub(message.address.len() * compared) {
            Some(left) => bounds.pattern_work = left,
            None => {
                routed.too_much = true;
                return;
            }
        }
        let mut met: Vec<Target> = Vec::new();
        for (known, target) in &self.addresses {
            // A row that is met by its name is not met again by its old one.
            if pattern.matches(known) && !met.contains(target) {
                met.push(*target);
                routed.meet(known, *target, message);
            }
        }
        if read {
            let matches = |(_, row): &(usize, &ReadoutRow)| pattern.matches_part(3, row.name);
            let readouts: Vec<(usize, &ReadoutRow)> = READOUTS.iter().enumerate().filter(matches).collect();
            for flag in (0..bounds.flags).filter(|flag| pattern.matches_part(2, &flag.to_string())) {
                for (readout, row) in &readouts {
                    let target = Target::Readout(About::Readout { flag, readout: *readout });
                    routed.meet(&format!("/read/{flag}/{}", row.name), target, message);
                }
            }
        }
        if routed.matched == 0 {
            routed.remark(Loss::NoSuchAddress, format!("{} matches nothing", message.address));
        }
    }
}

/// Whether a pattern can match `/read/N/name`.
fn reads(pattern: &Pattern) -> bool {
    pattern.parts() == 4 && pattern.matches_part(0, "") && pattern.matches_part(1, "read")
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
        "/cue/gust" => Target::Gust,
        "/hand/grab" => Target::Grab,
        "/hand/move" => Target::Move,
        "/hand/release" => Target::Release,
        "/sync" => Target::Sync,
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
            Target::Row(row) => parameter::parameter(address, row, false, arguments),
            Target::Travel(row) => parameter::parameter(address, row, true, arguments),
            Target::Cue(cue) => cue::pressed(arguments, || Action::Request(Body::Cue(cue).into())),
            Target::Host(press) => cue::pressed(arguments, || Action::Request(Request::Host(press.cue()))),
            Target::Release => cue::pressed(arguments, || Action::Request(Body::Hand(Hand::Release).into())),
            Target::Readout(about) => parameter::readout(address, about, arguments),
            Target::Sync => cue::pressed(arguments, || Action::AskAll),
            Target::Preset => cue::preset(arguments),
            Target::WindTime => cue::wind_time(arguments),
            Target::Gust => cue::gust(arguments),
            Target::Grab => cue::grab(arguments),
            Target::Move => {
                cue::point(arguments).map(|point| Meaning::request(Body::Hand(Hand::Move(point)), point.len()))
            }
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

/// The value of a number, or of a text that is one.
fn numeric(argument: &Argument<'_>) -> Option<f64> {
    match argument {
        Argument::Text(text) => text.trim().parse().ok(),
        other => other.number(),
    }
}

#[cfg(test)]
mod tests;
