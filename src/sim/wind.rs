//! One wind: a mean velocity with gusts on top, in its own time.
//!
//! Source document: the SIMD Verlet wind. It must not know what the wind blows on.

use super::gust::{GustClock, GustField, OctavesError};
use glam::Vec3;

/// Time over which another seed or number of octaves takes over, s: short enough to play, long enough
/// that no frame shows a jump.
pub const FADE_SECONDS: f32 = 1.0;

/// What moves the wind from outside; plain units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindSettings {
    /// Mean velocity, m/s.
    pub mean: Vec3,
    /// Gusts as a fraction of the mean speed; 0 is a steady stream.
    pub turbulence: f32,
    /// Spatial frequency of the gusts, 1/m.
    pub gust_scale: f32,
    /// Rate of the gusts at the base octave, rad/s.
    pub gust_rate: f32,
    /// Speed of the gusts' time.
    pub time_scale: f32,
    /// Octaves of the gust field, 1 to 16.
    pub octaves: usize,
    /// Seed of the gust field.
    pub seed: i32,
}

impl Default for WindSettings {
    /// Still air with the source document's gusts.
    fn default() -> Self {
        WindSettings {
            mean: Vec3::ZERO,
            turbulence: 0.0,
            gust_scale: 0.35,
            gust_rate: 1.6,
            time_scale: 1.0,
            octaves: 3,
            seed: 1,
        }
    }
}

/// One wind.
#[derive(Debug, Clone)]
pub struct Wind {
    settings: WindSettings,
    current: Gusts,
    /// The field that takes over, and how much of it is heard: 0..1.
    next: Option<(Gusts, f32)>,
}

/// A field with its clock.
#[derive(Debug, Clone)]
struct Gusts {
    field: GustField,
    clock: GustClock,
}

impl Gusts {
    fn new(settings: &WindSettings) -> Result<Self, OctavesError> {
        let field = GustField::new(settings.seed, settings.octaves)?;
        Ok(Gusts { field, clock: GustClock::default() })
    }

    fn is(&self, settings: &WindSettings) -> bool {
        self.field.seed() == settings.seed && self.field.octaves() == settings.octaves
    }
}

impl Wind {
    /// A wind at gust time 0.
    pub fn new(settings: WindSettings) -> Result<Self, OctavesError> {
        Ok(Wind { settings, current: Gusts::new(&settings)?, next: None })
    }

    /// Its settings.
    pub fn settings(&self) -> &WindSettings {
        &self.settings
    }

    /// Takes new settings. Another seed or number of octaves fades over in [`FADE_SECONDS`] of ticks; one
    /// that comes during a fade waits for its end.
    pub fn set(&mut self, settings: WindSettings) -> Result<(), OctavesError> {
        self.settings = settings;
        if self.next.is_none() && !self.current.is(&settings) {
            self.next = Some((Gusts::new(&settings)?, 0.0));
        }
        Ok(())
    }

    /// Moves the gusts' time by one tick of `seconds`.
    pub fn advance(&mut self, seconds: f64) -> Result<(), OctavesError> {
        let radians = f64::from(self.settings.gust_rate) * f64::from(self.settings.time_scale) * seconds;
        self.current.clock.advance(&self.current.field, radians);
        if let Some((mut gusts, share)) = self.next.take() {
            gusts.clock.advance(&gusts.field, radians);
            let share = share + seconds as f32 / FADE_SECONDS;
            if share < 1.0 {
                self.next = Some((gusts, share));
            } else {
                self.current = gusts;
                self.set(self.settings)?;
            }
        }
        Ok(())
    }

    /// Sets the gusts' time in seconds, at the present rate: a gust replays to the bit.
    pub fn set_time(&mut self, seconds: f64) {
        let radians = f64::from(self.settings.gust_rate) * seconds;
        self.current.clock.set(&self.current.field, radians);
        if let Some((gusts, _)) = &mut self.next {
            gusts.clock.set(&gusts.field, radians);
        }
    }

    /// Gust phases 0, and the field that the settings name, with no fade.
    pub fn reset(&mut self) -> Result<(), OctavesError> {
        *self = Wind::new(self.settings)?;
        Ok(())
    }

    /// The mean velocity, m/s.
    pub fn mean(&self) -> Vec3 {
        self.settings.mean
    }

    /// The phases of each gust sine, for the digest: the field that is heard, then the one that takes over.
    pub fn phases(&self) -> impl Iterator<Item = f64> + '_ {
        let next = self.next.iter().flat_map(|(gusts, _)| gusts.clock.phases(&gusts.field));
        self.current.clock.phases(&self.current.field).iter().chain(next).copied()
    }

    /// The gust field alone at rest-frame `position` (m), component 2, −1..1: a smooth seeded shape.
    pub(super) fn shape(&self, position: [f32; 3]) -> f32 {
        self.current.field.sample(&GustClock::default(), position)[2]
    }

    /// The wind velocity at a point now, m/s.
    pub fn sample(&self, point: Vec3) -> Vec3 {
        let position = point.to_array();
        let mut out = [[0.0]; 3];
        let [x, y, z] = &mut out;
        let mut scratch = SampleScratch::default();
        self.sample_many(position.each_ref().map(std::slice::from_ref), [x, y, z], &mut scratch);
        Vec3::new(out[0][0], out[1][0], out[2][0])
    }

    /// The wind velocity at many points now, m/s. All slices have one length; the bits are those of
    /// [`Wind::sample`].
    pub fn sample_many(&self, position: [&[f32]; 3], out: [&mut [f32]; 3], scratch: &mut SampleScratch) {
        let [x, y, z] = out;
        for (axis, mean) in [&mut *x, &mut *y, &mut *z].into_iter().zip(self.settings.mean.to_array()) {
            axis.fill(mean);
        }
        let mean = self.settings.mean;
        let speed = (mean.x * mean.x + mean.y * mean.y + mean.z * mean.z).sqrt();
        let gain = self.settings.turbulence * speed;
        if gain == 0.0 {
            return;
        }
        let scale = self.settings.gust_scale;
        for (scaled, axis) in scratch.0.iter_mut().zip(position) {
            scaled.clear();
            scaled.extend(axis.iter().map(|value| value * scale));
        }
        let scaled = [&scratch.0[0][..], &scratch.0[1][..], &scratch.0[2][..]];
        let Gusts { field, clock } = &self.current;
        match &self.next {
            None => field.add_samples(clock, gain, scaled, [x, y, z]),
            Some((next, share)) => {
                // Smoothstep: no kink where the fade begins and ends.
                let share = share * share * (3.0 - 2.0 * share);
                field.add_samples(clock, gain * (1.0 - share), scaled, [&mut *x, &mut *y, &mut *z]);
                next.field.add_samples(&next.clock, gain * share, scaled, [x, y, z]);
            }
        }
    }
}

/// Room for scaled positions, kept between calls so that sampling allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct SampleScratch([Vec<f32>; 3]);

#[cfg(test)]
mod tests {
    use super::*;

    fn gusty(seed: i32) -> WindSettings {
        WindSettings { mean: Vec3::new(8.0, 0.0, 0.0), turbulence: 0.4, seed, ..WindSettings::default() }
    }

    #[test]
    fn wind_equals_the_independent_values() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../tests/data/air.json")).expect("golden data");
        for case in golden["cases"].as_array().expect("cases") {
            let number = |value: &serde_json::Value| value.as_f64().expect("number");
            let vector =
                |value: &serde_json::Value| Vec3::from_array(std::array::from_fn(|i| number(&value[i]) as f32));
            let mut wind = Wind::new(WindSettings {
                mean: vector(&case["mean"]),
                turbulence: number(&case["turbulence"]) as f32,
                gust_scale: number(&case["gust_scale"]) as f32,
                gust_rate: number(&case["gust_rate"]) as f32,
                octaves: number(&case["octaves"]) as usize,
                seed: number(&case["seed"]) as i32,
                time_scale: 1.0,
            })
            .expect("octaves in reach");
            wind.set_time(number(&case["time"]));
            let positions = case["positions"].as_array().expect("positions");
            for (position, expected) in positions.iter().zip(case["wind_at_positions"].as_array().expect("wind")) {
                let ours = wind.sample(vector(position));
                for axis in 0..3 {
                    let error = (f64::from(ours[axis]) - number(&expected[axis])).abs();
                    assert!(error < 2e-5, "{ours} against {expected}");
                }
            }
        }
    }

    #[test]
    fn no_turbulence_is_a_steady_stream() {
        let mut wind = Wind::new(WindSettings { turbulence: 0.0, ..gusty(3) }).expect("in reach");
        for step in 0..100 {
            wind.advance(1.0 / 120.0).expect("in reach");
            assert_eq!(wind.sample(Vec3::splat(step as f32)), Vec3::new(8.0, 0.0, 0.0));
        }
        let still = Wind::new(WindSettings { mean: Vec3::ZERO, ..gusty(3) }).expect("in reach");
        assert_eq!(still.sample(Vec3::ONE), Vec3::ZERO);
    }

    #[test]
    fn another_seed_fades_over_without_a_jump_and_arrives() {
        let mut wind = Wind::new(gusty(1)).expect("in reach");
        let point = Vec3::new(0.4, 0.2, 0.1);
        let (mut last, mut largest) = (wind.sample(point), 0.0f32);
        for tick in 0..360 {
            if tick == 60 {
                wind.set(gusty(2)).expect("in reach");
            }
            if tick == 100 {
                // During the fade: waits for its end, then fades too.
                wind.set(gusty(3)).expect("in reach");
            }
            wind.advance(1.0 / 120.0).expect("in reach");
            let now = wind.sample(point);
            largest = largest.max((now - last).length());
            last = now;
        }
        assert!(largest < 0.2, "{largest} m/s in one tick");
        assert!(wind.current.is(&gusty(3)) && wind.next.is_none());
    }

    #[test]
    fn setting_the_time_replays_and_reset_is_a_new_wind() {
        let mut wind = Wind::new(gusty(5)).expect("in reach");
        let run = |wind: &mut Wind| {
            wind.set_time(3.0);
            (0..50).map(|_| (wind.advance(1.0 / 120.0), wind.sample(Vec3::ONE))).collect::<Vec<_>>()
        };
        let first = run(&mut wind);
        assert_eq!(first, run(&mut wind));
        wind.reset().expect("in reach");
        let fresh = Wind::new(gusty(5)).expect("in reach");
        assert_eq!(wind.sample(Vec3::ONE), fresh.sample(Vec3::ONE));
        assert_eq!(wind.phases().collect::<Vec<_>>(), vec![0.0; 9]);
    }
}
