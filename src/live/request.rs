//! What can be asked of the player, and how it becomes changes by value.
//!
//! A [`Body`] enters a tick as it is. The other requests need the state (where a fader stands) or the
//! host (presets by name, a still); they are resolved right before their tick, in arrival order with
//! everything else, so that a take holds values and needs no file.

use super::notice::{Said, Saying};
use crate::params::{Kind, Library, Preset, RowId, Scene, Value, Values};
use crate::perform::glide::wrap;
use crate::perform::morph::{Morph, is_seed};
use crate::perform::{Body, Change, Cue, Hand, Performance, Source};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longest morph that a recall can ask for, s: an hour.
pub const LONGEST_MORPH_SECONDS: f32 = 3600.0;

/// One thing that is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// A change as it is.
    Change(Body),
    /// Moves a row's target by this much of its travel.
    NudgeTravel {
        /// The row.
        row: RowId,
        /// Travel, −1..1.
        by: f32,
    },
    /// Multiplies the travel of a row's target.
    ScaleTravel {
        /// The row.
        row: RowId,
        /// Factor.
        by: f32,
    },
    /// Takes the particle with this number, counted through all flags in order.
    GrabNumber(u32),
    /// What only the host can do.
    Host(HostCue),
}

impl From<Body> for Request {
    fn from(body: Body) -> Self {
        Request::Change(body)
    }
}

/// A cue that needs files or the host.
#[derive(Debug, Clone, PartialEq)]
pub enum HostCue {
    /// Recalls the preset after the current one, at once.
    PresetNext,
    /// Recalls the preset before the current one, at once.
    PresetPrevious,
    /// Recalls a preset.
    Preset {
        /// Which.
        key: PresetKey,
        /// Time over which rows morph, s; 0 cuts.
        seconds: f32,
    },
    /// Asks for the picture as it is now.
    Still,
}

/// How a preset is named from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PresetKey {
    /// Its name.
    Name(String),
    /// Its MIDI program number.
    Program(i32),
}

/// Why a request came to nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Refusal {
    /// There is no such preset.
    Preset(HostCue),
    /// There is no such particle; the second is the last.
    Particle(u32, u32),
    /// The structure of this name cannot be built, for this reason.
    Structure(String, String),
    /// More of this sort came and is not said.
    More(RefusalSort),
}

/// Sorts of [`Refusal`]: the first few of each are said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RefusalSort {
    Preset,
    Particle,
    Structure,
}

impl Refusal {
    fn sort(&self) -> RefusalSort {
        match self {
            Refusal::Preset(_) => RefusalSort::Preset,
            Refusal::Particle(..) => RefusalSort::Particle,
            Refusal::Structure(..) => RefusalSort::Structure,
            Refusal::More(sort) => *sort,
        }
    }

    /// One sentence. Not for the thread that keeps time: comparing names takes long.
    pub(super) fn text(&self, library: &Library) -> String {
        match self {
            Refusal::Preset(cue) => no_such_preset(cue, library),
            Refusal::Particle(number, last) => format!("there is no particle {number}; the last is {last}"),
            Refusal::Structure(name, why) => format!("the structure of \"{name}\" cannot be built: {why}"),
            Refusal::More(RefusalSort::Preset) => "more unknown presets are not said".to_owned(),
            Refusal::More(RefusalSort::Particle) => "more particles that are not there are not said".to_owned(),
            Refusal::More(RefusalSort::Structure) => "more structures that cannot be built are not said".to_owned(),
        }
    }
}

fn no_such_preset(cue: &HostCue, library: &Library) -> String {
    let asked = match cue {
        HostCue::Preset { key: PresetKey::Name(name), .. } => format!("no preset is named \"{name}\""),
        HostCue::Preset { key: PresetKey::Program(program), .. } => format!("no preset has program {program}"),
        _ => return "there are no presets".to_owned(),
    };
    if let HostCue::Preset { key: PresetKey::Name(name), .. } = cue
        && let Some(near) = library.nearest(name)
    {
        return format!("{asked}; the nearest is \"{near}\"");
    }
    let names: Vec<&str> = library.presets.iter().map(|preset| preset.name.as_str()).collect();
    format!("{asked}; there are {}", names.join(", "))
}

/// Turns requests into changes.
#[derive(Debug)]
pub(super) struct Resolver {
    library: Arc<Library>,
    /// The library's presets by name, ready to be recalled without copying one.
    presets: BTreeMap<String, Arc<Preset>>,
    /// Name of the preset that was recalled last: "next" and "previous" count from it.
    current: String,
    /// A still was asked for since the last look.
    pub(super) still: bool,
    /// What could not be done since the last look. Bounded by what is said at all.
    pub(super) refusals: Vec<Refusal>,
    said: Said<RefusalSort>,
}

impl Resolver {
    pub(super) fn new(library: Arc<Library>, current: &str) -> Self {
        let shared = |preset: &Preset| (preset.name.clone(), Arc::new(preset.clone()));
        let presets = library.presets.iter().map(shared).collect();
        let current = current.to_owned();
        Resolver { library, presets, current, still: false, refusals: Vec::new(), said: Said::default() }
    }

    /// The changes that `requests` ask for at the performance's next tick.
    pub(super) fn resolve(&mut self, performance: &Performance, requests: Vec<(Source, Request)>) -> Vec<Change> {
        let tick = performance.ticks();
        let mut changes: Vec<Change> = Vec::with_capacity(requests.len());
        let mut ahead =
            Ahead { targets: performance.targets().clone(), scene: AheadScene::Own(performance.scene().clone()) };
        for (source, request) in requests {
            let body = match request {
                Request::Change(body) => Some(body),
                Request::NudgeTravel { row, by } => ahead.travelled(row, |travel| {
                    let cyclic = matches!(row.row().kind, Kind::Float { cyclic: true, .. });
                    if cyclic { wrap(f64::from(travel) + f64::from(by), 0.0, 1.0) } else { travel + by }
                }),
                Request::ScaleTravel { row, by } => ahead.travelled(row, |travel| travel * by),
                Request::GrabNumber(number) => self.grab(ahead.scene.get(), number),
                Request::Host(cue) => self.host(cue),
            };
            if let Some(body) = body.and_then(|body| self.buildable(body)) {
                ahead.enter(&body);
                changes.push(Change::new(tick, source, body));
            }
        }
        changes
    }

    fn host(&mut self, cue: HostCue) -> Option<Body> {
        let (found, seconds) = match &cue {
            HostCue::Still => {
                self.still = true;
                return None;
            }
            HostCue::PresetNext => (self.library.next(&self.current), 0.0),
            HostCue::PresetPrevious => (self.library.previous(&self.current), 0.0),
            HostCue::Preset { key: PresetKey::Name(name), seconds } => (self.library.by_name(name), *seconds),
            HostCue::Preset { key: PresetKey::Program(program), seconds } => {
                (self.library.by_program(*program), *seconds)
            }
        };
        let Some(preset) = found.and_then(|preset| self.presets.get(&preset.name)).cloned() else {
            let key = match &cue {
                HostCue::Preset { key: PresetKey::Name(name), .. } => format!("name {name}"),
                HostCue::Preset { key: PresetKey::Program(program), .. } => format!("program {program}"),
                _ => String::new(),
            };
            self.refuse(&key, Refusal::Preset(cue));
            return None;
        };
        let seconds = if seconds.is_finite() { seconds.clamp(0.0, LONGEST_MORPH_SECONDS) } else { 0.0 };
        Some(Body::Recall { preset, seconds })
    }

    fn grab(&mut self, scene: &Scene, number: u32) -> Option<Body> {
        let mut first = 0;
        for (flag, spec) in (0..).zip(&scene.flags) {
            let particles = spec.columns * spec.rows;
            if number - first < particles {
                return Some(Body::Hand(Hand::Grab { flag, particle: number - first }));
            }
            first += particles;
        }
        self.refuse(&number.to_string(), Refusal::Particle(number, first.saturating_sub(1)));
        None
    }

    /// A structure that cannot be built never reaches the performance; a recall renames the current preset.
    fn buildable(&mut self, body: Body) -> Option<Body> {
        let (name, scene) = match &body {
            Body::Recall { preset, .. } => (preset.name.as_str(), &preset.scene),
            Body::Structure(scene) => ("", &**scene),
            _ => return Some(body),
        };
        if let Err(error) = scene.check() {
            let why = error.to_string();
            self.refuse(&format!("{name}: {why}"), Refusal::Structure(name.to_owned(), why));
            return None;
        }
        if let Body::Recall { preset, .. } = &body {
            self.current.clone_from(&preset.name);
        }
        Some(body)
    }

    fn refuse(&mut self, key: &str, refusal: Refusal) {
        match self.said.again(refusal.sort(), key) {
            Saying::Words => self.refusals.push(refusal),
            Saying::More => self.refusals.push(Refusal::More(refusal.sort())),
            Saying::Nothing => {}
        }
    }
}

/// Where the rows and the structure will be after the changes so far.
struct Ahead {
    targets: Values,
    scene: AheadScene,
}

enum AheadScene {
    Own(Arc<Scene>),
    Preset(Arc<Preset>),
}

impl AheadScene {
    fn get(&self) -> &Scene {
        match self {
            AheadScene::Own(scene) => scene,
            AheadScene::Preset(preset) => &preset.scene,
        }
    }
}

impl Ahead {
    /// A set that moves the travel of `row` from where it will be.
    fn travelled(&self, row: RowId, step: impl Fn(f32) -> f32) -> Option<Body> {
        let travel = row.row().travel(self.targets.get(row))?;
        let value = row.row().from_travel(step(travel))?;
        Some(Body::Set { row, value })
    }

    fn enter(&mut self, body: &Body) {
        match body {
            Body::Set { row, value } => {
                self.targets.set(*row, *value);
            }
            Body::Add { row, by } => self.relative(*row, |plain| plain + f64::from(*by)),
            Body::Scale { row, by } => self.relative(*row, |plain| plain * f64::from(*by)),
            Body::Recall { preset, seconds } => {
                // A morph begins with its first tick, after all changes; seeds never morph.
                let cuts = Morph::ticks_of(*seconds) == 0;
                for row in RowId::ALL.iter().copied().filter(|row| cuts || is_seed(*row)) {
                    self.targets.set(row, preset.get(row));
                }
                self.scene = AheadScene::Preset(preset.clone());
            }
            Body::Structure(scene) => self.scene = AheadScene::Own(scene.clone()),
            _ => {}
        }
    }

    fn relative(&mut self, row: RowId, step: impl Fn(f64) -> f64) {
        let value = moved(row, self.targets.get(row), step);
        self.targets.set(row, value);
    }
}

/// `value` of `row` after a relative `step` in plain units, as the performance does it: held in its range,
/// or wrapped where the range's ends are the same place.
pub(super) fn moved(row: RowId, value: Value, step: impl Fn(f64) -> f64) -> Value {
    let Some(plain) = value.number().map(step) else { return value };
    let new = match row.row().kind {
        Kind::Float { range, cyclic: true, .. } => Value::Float(wrap(plain, range.min, range.max - range.min)),
        // Whole numbers keep all their digits; the cast saturates.
        Kind::Int { .. } if !plain.is_nan() => Value::Int(plain.round_ties_even() as i32),
        _ => Value::Float(plain as f32),
    };
    row.row().accept(new).unwrap_or(value)
}

/// Whether doing `next` right after `last` changes nothing: both end at the same state.
pub(super) fn repeats(last: &Request, next: &Request) -> bool {
    use Request::{Change, Host};
    match (last, next) {
        (Change(Body::Cue(a)), Change(Body::Cue(b))) => a == b && matches!(a, Cue::Reset | Cue::Panic),
        (Change(Body::Hand(Hand::Release)), Change(Body::Hand(Hand::Release))) => true,
        // A preset names the same one both times; a walk through the library would go on.
        (Host(HostCue::Preset { .. }), Host(HostCue::Preset { .. })) => last == next,
        _ => false,
    }
}

/// What a request weighs against the cap of one tick, in plain changes.
///
/// A rebuild of the cloth, and a reset as well, takes about a millisecond, a plain set some tens of
/// nanoseconds: the cap lets four rebuilds into a tick, so that a storm of them cannot hold the clock.
pub fn weight(request: &Request) -> usize {
    match request {
        Request::Change(Body::Recall { .. } | Body::Structure(_) | Body::Cue(Cue::Reset | Cue::Panic)) => 256,
        Request::Host(HostCue::Still) => 1,
        Request::Host(_) => 256,
        // Looks at every particle.
        Request::Change(Body::Cue(_) | Body::Hand(Hand::GrabNearest(_))) => 16,
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
