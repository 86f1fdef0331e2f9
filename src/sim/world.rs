//! All flags in one wind, moved tick by tick.

use super::crew::{Crew, Shared};
use super::digest::{Digest, digest};
use super::flag::{Fault, Flag, FlagSettings, StepPlan};
use super::gust::OctavesError;
use super::machine::{MOST_THREADS, Machine};
use super::wind::{Wind, WindSettings};
use std::sync::Arc;

/// All flags in one wind.
#[derive(Debug, Clone)]
pub struct World {
    wind: Wind,
    flags: Vec<Flag>,
    settings: Vec<FlagSettings>,
    plan: StepPlan,
    machine: Machine,
    /// Shared with worlds that were cloned from this one.
    crew: Arc<Crew>,
    /// The crew of a flag that shares its tick with nobody.
    alone: Arc<Crew>,
    /// What went wrong with each flag in this tick.
    faults: Vec<Option<Fault>>,
}

impl World {
    /// These flags, each with its settings, in this wind.
    pub fn new(wind: Wind, flags: Vec<(Flag, FlagSettings)>, plan: StepPlan) -> Self {
        let (flags, settings): (Vec<_>, Vec<_>) = flags.into_iter().unzip();
        let alone = Arc::new(Crew::new(1));
        let (machine, crew, faults) = (Machine::single(), Arc::clone(&alone), vec![None; flags.len()]);
        World { wind, flags, settings, plan, machine, crew, alone, faults }
    }

    /// Computes on `machine` from now on; no bit changes.
    pub fn set_machine(&mut self, machine: Machine) {
        self.machine = Machine { threads: machine.threads.clamp(1, MOST_THREADS), ..machine };
        if self.crew.size() != self.machine.threads {
            self.crew = Arc::new(Crew::new(self.machine.threads));
        }
    }

    /// On what it computes.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// Becomes `other`, a world just built, on the same machine with the same crew.
    pub fn become_another(&mut self, other: World) {
        *self = World { machine: self.machine, crew: Arc::clone(&self.crew), ..other };
    }

    /// The wind.
    pub fn wind(&self) -> &Wind {
        &self.wind
    }

    /// The flags in order.
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// The flags, to put a hand on them.
    pub fn flags_mut(&mut self) -> &mut [Flag] {
        &mut self.flags
    }

    /// How a tick is cut into steps.
    pub fn plan(&self) -> &StepPlan {
        &self.plan
    }

    /// New settings of the wind.
    pub fn set_wind(&mut self, settings: WindSettings) -> Result<(), OctavesError> {
        self.wind.set(settings)
    }

    /// New settings of one flag.
    pub fn set_flag(&mut self, flag: usize, settings: FlagSettings) {
        if let Some(slot) = self.settings.get_mut(flag) {
            *slot = settings;
        }
    }

    /// Sets the gusts' time, s.
    pub fn set_wind_time(&mut self, seconds: f64) {
        self.wind.set_time(seconds);
    }

    /// Sends one gust with the wind: see [`Wind::send_gust`].
    pub fn send_gust(&mut self, strength: f32) {
        self.wind.send_gust(strength);
    }

    /// Every flag at rest, gust phases 0.
    pub fn reset(&mut self) -> Result<(), OctavesError> {
        self.wind.reset()?;
        for (flag, settings) in self.flags.iter_mut().zip(&self.settings) {
            flag.reset(&self.wind, settings.gravity == 0.0);
        }
        Ok(())
    }

    /// One tick: the wind moves on, then, unless `frozen`, every flag. Faults are pushed with their flag.
    pub fn tick(&mut self, frozen: bool, faults: &mut Vec<(usize, Fault)>) -> Result<(), OctavesError> {
        self.wind.advance(self.plan.tick_seconds)?;
        if frozen {
            return Ok(());
        }
        let World { wind, flags, settings, plan, machine, crew, alone, faults: found } = self;
        let (wind, path) = (&*wind, machine.path);
        if flags.len() < crew.size() {
            // Few flags: all hands on each in turn.
            for ((flag, settings), found) in flags.iter_mut().zip(&*settings).zip(&mut *found) {
                *found = flag.tick(wind, settings, plan, path, crew);
            }
        } else {
            let count = flags.len();
            let (flags, slots) = (Shared::new(flags), Shared::new(found));
            crew.share(count, &|index| {
                #[expect(unsafe_code, reason = "members of a crew move different flags")]
                // SAFETY: each index is done once.
                let (flag, found) =
                    unsafe { (&mut flags.part(index..index + 1)[0], &mut slots.part(index..index + 1)[0]) };
                *found = flag.tick(wind, &settings[index], plan, path, alone);
            });
        }
        faults.extend(found.iter().enumerate().filter_map(|(index, fault)| fault.map(|fault| (index, fault))));
        Ok(())
    }

    /// The canonical digest of the state.
    pub fn digest(&self) -> Digest {
        let cloths = self.flags.iter().map(Flag::cloth);
        digest(cloths, self.flags.iter().map(Flag::time), self.wind.phases())
    }
}
