//! THE function: [`Performance::tick`]. Live and offline both call it; nothing else moves the flag.

use super::apply;
use super::change::{Body, Change, Cue, Hand};
use super::glide::{Glides, wrap};
use super::morph::{Morph, is_seed};
use crate::params::{Kind, Preset, RowId, Scene, SceneError, Value, Values};
use crate::sim::digest::Digest;
use crate::sim::flag::{FARTHEST, Fault};
use crate::sim::machine::Machine;
use crate::sim::wind::Wind;
use crate::sim::world::World;
use glam::Vec3;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Host ticks in a second, always and everywhere.
pub const TICK_HERTZ: u32 = 120;
/// Length of a tick, s.
const TICK_SECONDS: f64 = 1.0 / TICK_HERTZ as f64;
/// Time in which a blackout fades out or in, s.
pub const BLACKOUT_SECONDS: f32 = 1.0;
/// Reports kept until somebody takes them; then the newest takes the place of the last.
const MOST_REPORTS: usize = 64;
/// Modulation sources from outside that are remembered.
const MOST_INPUTS: usize = 64;

/// Something that went wrong in a tick and was mended; for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The tick.
    pub tick: u64,
    /// The flag.
    pub flag: usize,
    /// One sentence.
    pub message: String,
}

/// Musical time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tempo {
    /// Beats per minute.
    pub bpm: f64,
    /// The beat at `tick`.
    pub beat: f64,
    /// The tick at which it was told.
    pub tick: u64,
}

/// What a flag tells; see the readout table for units.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Readouts {
    /// Middle of the fly edge, m.
    pub tip: [f32; 3],
    /// Σ|F| of the air on the sheet, N; `None` when withheld.
    pub impulse: Option<f32>,
    /// Largest strain of a thread.
    pub stretch: f32,
    /// Kinetic energy, J.
    pub energy: f32,
    /// Solver steps taken since the last reset.
    pub accepted: u64,
    /// Solver steps rolled back since the last reset.
    pub rejected: u64,
}

/// The instrument's whole state.
#[derive(Debug, Clone)]
pub struct Performance {
    tick: u64,
    targets: Values,
    glides: Glides,
    morph: Option<Morph>,
    scene: Arc<Scene>,
    world: World,
    /// Name, picture and what else of the preset is neither a row nor structure.
    preset: Preset,
    /// Changes for later ticks, by tick and then by arrival.
    pending: VecDeque<Change>,
    frozen: bool,
    dark: bool,
    light: f32,
    tempo: Option<Tempo>,
    inputs: BTreeMap<Arc<str>, f32>,
    generation: u64,
    reports: Vec<Report>,
    faults: Vec<(usize, Fault)>,
}

impl Performance {
    /// At rest, just reset, about to do tick 0.
    pub fn new(preset: &Preset) -> Result<Self, SceneError> {
        preset.scene.check()?;
        let values = preset.values.clone();
        let wind = Wind::new(apply::wind_settings(&values)).map_err(octaves_outside)?;
        let world = apply::build(&preset.scene, &values, wind, TICK_SECONDS);
        Ok(Performance {
            tick: 0,
            glides: Glides::new(&values),
            targets: values,
            morph: None,
            scene: Arc::new(preset.scene.clone()),
            world,
            preset: Preset { scene: Scene { flags: Vec::new(), ..Scene::default() }, ..preset.clone() },
            pending: VecDeque::new(),
            frozen: false,
            dark: false,
            light: 1.0,
            tempo: None,
            inputs: BTreeMap::new(),
            generation: 0,
            reports: Vec::new(),
            faults: Vec::new(),
        })
    }

    /// Computes on `machine` from now on. The default is one thread; no choice changes a bit.
    pub fn set_machine(&mut self, machine: Machine) {
        self.world.set_machine(machine);
    }

    /// One tick. Changes enter at its start in their order; those for a later tick wait for it, so that it
    /// makes no difference how the same changes are split between calls.
    pub fn tick(&mut self, changes: &[Change]) {
        while self.pending.front().is_some_and(|change| change.tick <= self.tick) {
            if let Some(change) = self.pending.pop_front() {
                self.enter(change.body);
            }
        }
        for change in changes {
            if change.tick <= self.tick {
                self.enter(change.body.clone());
            } else {
                let place = self.pending.partition_point(|waiting| waiting.tick <= change.tick);
                self.pending.insert(place, change.clone());
            }
        }
        if let Some(morph) = self.morph.take()
            && !morph.step(self.tick, &mut self.targets)
        {
            self.morph = Some(morph);
        }
        self.glides.step(&self.targets);
        self.apply_settings();
        let fade = 1.0 / (BLACKOUT_SECONDS * TICK_HERTZ as f32);
        self.light = (self.light + if self.dark { -fade } else { fade }).clamp(0.0, 1.0);
        // A number of octaves outside the table cannot get past it.
        let moved = self.world.tick(self.frozen, &mut self.faults);
        debug_assert!(moved.is_ok(), "{moved:?}");
        self.report_faults();
        self.tick += 1;
    }

    /// How many ticks are done, which is the number of the next.
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// Where a row is going.
    pub fn target(&self, row: RowId) -> Value {
        self.targets.get(row)
    }

    /// Where all rows are going: what "?", presets and takes speak of.
    pub fn targets(&self) -> &Values {
        &self.targets
    }

    /// What physics and picture use in this tick: targets after glide and modulation.
    pub fn values(&self) -> &Values {
        self.glides.now()
    }

    /// The structure.
    pub fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// The preset by value as it is now: targets and structure.
    pub fn preset(&self) -> Preset {
        Preset { values: self.targets.clone(), scene: (*self.scene).clone(), ..self.preset.clone() }
    }

    /// The name of the preset that was recalled last.
    pub fn preset_name(&self) -> &str {
        &self.preset.name
    }

    /// The picture on the cloth, as that preset names it.
    pub fn picture(&self) -> Option<&str> {
        self.preset.picture.as_deref()
    }

    /// The wind at this tick.
    pub fn wind(&self) -> &Wind {
        self.world.wind()
    }

    /// Number of flags.
    pub fn flag_count(&self) -> usize {
        self.world.flags().len()
    }

    /// Positions of a flag's particles in row-major order, m. An index without a flag gives none.
    pub fn copy_positions(&self, flag: usize, out: &mut Vec<[f32; 3]>) {
        out.clear();
        if let Some(flag) = self.world.flags().get(flag) {
            flag.cloth().copy_positions(out);
        }
    }

    /// The cloth holds still.
    pub fn frozen(&self) -> bool {
        self.frozen
    }

    /// 1 is the full picture, 0 is black.
    pub fn light(&self) -> f32 {
        self.light
    }

    /// The particle in the hand: flag and number.
    pub fn held(&self) -> Option<(u32, u32)> {
        let mut flags = self.world.flags().iter().enumerate();
        flags.find_map(|(index, flag)| flag.held().map(|particle| (index as u32, particle as u32)))
    }

    /// Changes when the cloth was rebuilt or reset: nothing may be interpolated across it.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Musical time, once somebody told it.
    pub fn tempo(&self) -> Option<Tempo> {
        self.tempo
    }

    /// The last value of a modulation source from outside.
    pub fn input(&self, name: &str) -> Option<f32> {
        self.inputs.get(name).copied()
    }

    /// Readouts of a flag; an index without a flag tells nothing.
    pub fn readouts(&self, flag: usize) -> Readouts {
        let Some(flag) = self.world.flags().get(flag) else { return Readouts::default() };
        let (accepted, rejected) = flag.steps();
        Readouts {
            tip: flag.cloth().position(flag.cut().tip()).to_array(),
            impulse: flag.impulse(),
            stretch: flag.stretch(self.world.machine().path),
            energy: flag.energy(),
            accepted,
            rejected,
        }
    }

    /// Canonical digest of the state.
    pub fn digest(&self) -> Digest {
        self.world.digest()
    }

    /// Reports since the last call, oldest first. Bounded: the first ones and the newest are kept.
    pub fn take_reports(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.reports)
    }

    fn enter(&mut self, body: Body) {
        match body {
            Body::Set { row, value } => self.touch(row, value),
            Body::Add { row, by } => self.relative(row, |number| number + f64::from(by)),
            Body::Scale { row, by } => self.relative(row, |number| number * f64::from(by)),
            Body::Cue(cue) => self.cue(cue),
            Body::Hand(hand) => self.hand(hand),
            Body::Recall { preset, seconds } => self.recall(&preset, seconds),
            Body::Structure(scene) => self.restructure(&scene),
            Body::Tempo { bpm, beat } if bpm.is_finite() && beat.is_finite() => {
                self.tempo = Some(Tempo { bpm, beat, tick: self.tick });
            }
            Body::Input { name, value } if value.is_finite() => {
                if self.inputs.len() < MOST_INPUTS || self.inputs.contains_key(&name) {
                    self.inputs.insert(name, value);
                }
            }
            Body::Tempo { .. } | Body::Input { .. } => {}
        }
    }

    /// Somebody sets a row: a morph lets it go.
    fn touch(&mut self, row: RowId, value: Value) {
        if self.targets.set(row, value)
            && let Some(morph) = &mut self.morph
        {
            morph.free(row);
        }
    }

    fn relative(&mut self, row: RowId, change: impl Fn(f64) -> f64) {
        let Some(number) = self.targets.get(row).number() else { return };
        let number = change(number);
        let value = match row.row().kind {
            Kind::Float { range, cyclic: true, .. } => Value::Float(wrap(number, range.min, range.max - range.min)),
            Kind::Float { .. } => Value::Float(number as f32),
            // The casts saturate; a NaN is refused by `accept` as a float.
            _ if number.is_nan() => return,
            _ => Value::Int(number.round_ties_even() as i32),
        };
        self.touch(row, value);
    }

    fn cue(&mut self, cue: Cue) {
        match cue {
            Cue::Reset => self.reset(),
            Cue::Panic => {
                if let Some(morph) = self.morph.take() {
                    morph.finish(&mut self.targets);
                }
                self.glides.arrive(&self.targets);
                self.reset();
            }
            Cue::Freeze => self.frozen = !self.frozen,
            Cue::Blackout => self.dark = !self.dark,
            Cue::SeedNext => {
                if let Value::Int(seed) = self.targets.get(RowId::WindSeed) {
                    self.touch(RowId::WindSeed, Value::Int(seed.wrapping_add(1)));
                }
            }
            Cue::WindTime(seconds) => self.world.set_wind_time(seconds),
            Cue::Gust(strength) => self.world.send_gust(strength),
        }
    }

    fn reset(&mut self) {
        // Rows that jump have their new values now, the seed among them.
        self.glides.jump(&self.targets);
        self.apply_settings();
        let reset = self.world.reset();
        debug_assert!(reset.is_ok(), "{reset:?}");
        self.generation += 1;
    }

    fn hand(&mut self, hand: Hand) {
        match hand {
            Hand::Grab { flag, particle } => self.grab(flag as usize, particle as usize),
            Hand::GrabNearest(point) => {
                let point = Vec3::from_array(point);
                let flags = self.world.flags().iter().enumerate();
                let nearest = flags
                    .filter_map(|(index, flag)| flag.nearest_free(point).map(|(i, distance)| (index, i, distance)))
                    .reduce(|best, next| if next.2 < best.2 { next } else { best });
                if let Some((flag, particle, _)) = nearest.filter(|_| point.is_finite()) {
                    self.grab(flag, particle);
                }
            }
            Hand::Move(target) => {
                for flag in self.world.flags_mut() {
                    flag.move_hand(Vec3::from_array(target));
                }
            }
            Hand::Release => self.world.flags_mut().iter_mut().for_each(|flag| flag.release()),
        }
    }

    fn grab(&mut self, flag: usize, particle: usize) {
        let taken = self.world.flags().get(flag).is_some_and(|flag| flag.is_free(particle));
        if !taken {
            let message = format!("particle {particle} of flag {flag} is pinned or not there; nothing was grabbed");
            self.report(flag, message);
            return;
        }
        for (index, other) in self.world.flags_mut().iter_mut().enumerate() {
            if index == flag { _ = other.grab(particle) } else { other.release() }
        }
    }

    fn recall(&mut self, preset: &Preset, seconds: f32) {
        if preset.scene.check().is_err() {
            self.report(
                0,
                format!("preset {} has a structure that cannot be built; nothing was recalled", preset.name),
            );
            return;
        }
        self.preset = Preset { scene: Scene { flags: Vec::new(), ..Scene::default() }, ..preset.clone() };
        let ticks = Morph::ticks_of(seconds);
        if ticks >= 1 {
            self.morph = Some(Morph::new(&self.targets, &preset.values, self.tick, ticks));
            for row in RowId::ALL.iter().copied().filter(|row| is_seed(*row)) {
                self.targets.set(row, preset.values.get(row));
            }
        } else {
            self.morph = None;
            self.targets = preset.values.clone();
            self.glides.arrive(&self.targets);
        }
        self.restructure(&preset.scene);
    }

    /// Builds another structure at once; the wind blows on.
    fn restructure(&mut self, scene: &Scene) {
        if *scene == *self.scene || scene.check().is_err() {
            return;
        }
        self.scene = Arc::new(scene.clone());
        self.apply_settings();
        let wind = self.world.wind().clone();
        self.world.become_another(apply::build(scene, self.glides.now(), wind, TICK_SECONDS));
        self.generation += 1;
    }

    fn apply_settings(&mut self) {
        let values = self.glides.now();
        let set = self.world.set_wind(apply::wind_settings(values));
        debug_assert!(set.is_ok(), "{set:?}");
        for (index, spec) in self.scene.flags.iter().enumerate() {
            self.world.set_flag(index, apply::flag_settings(values, &spec.fixed));
        }
    }

    fn report_faults(&mut self) {
        for (flag, fault) in std::mem::take(&mut self.faults) {
            let Fault { column, row, .. } = fault;
            let message = format!(
                "the particle at column {column}, row {row} of flag {flag} left the world (not a number, or beyond \
                 {FARTHEST} m); the step was rolled back"
            );
            self.report(flag, message);
        }
    }

    fn report(&mut self, flag: usize, message: String) {
        let report = Report { tick: self.tick, flag, message };
        self.reports.truncate(MOST_REPORTS - 1);
        self.reports.push(report);
    }
}

/// The table keeps octaves where the field takes them; a preset made in code could not.
fn octaves_outside(error: crate::sim::gust::OctavesError) -> SceneError {
    SceneError::Count {
        name: "wind.octaves".to_owned(),
        value: error.0 as i64,
        low: 1,
        high: crate::sim::gust::MOST_OCTAVES as i64,
    }
}
