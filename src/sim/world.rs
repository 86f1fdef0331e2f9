//! All flags in one wind, moved tick by tick.

use super::digest::{Digest, digest};
use super::flag::{Fault, Flag, FlagSettings, StepPlan};
use super::gust::OctavesError;
use super::wind::{Wind, WindSettings};

/// All flags in one wind.
#[derive(Debug, Clone)]
pub struct World {
    wind: Wind,
    flags: Vec<Flag>,
    settings: Vec<FlagSettings>,
    plan: StepPlan,
}

impl World {
    /// These flags, each with its settings, in this wind.
    pub fn new(wind: Wind, flags: Vec<(Flag, FlagSettings)>, plan: StepPlan) -> Self {
        let (flags, settings) = flags.into_iter().unzip();
        World { wind, flags, settings, plan }
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
        for (index, (flag, settings)) in self.flags.iter_mut().zip(&self.settings).enumerate() {
            faults.extend(flag.tick(&self.wind, settings, &self.plan).map(|fault| (index, fault)));
        }
        Ok(())
    }

    /// The canonical digest of the state.
    pub fn digest(&self) -> Digest {
        let cloths = self.flags.iter().map(Flag::cloth);
        digest(cloths, self.flags.iter().map(Flag::time), self.wind.phases())
    }
}
