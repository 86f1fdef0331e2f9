//! One wind: a mean velocity with gusts on top, in its own time.
//!
//! Source document: the SIMD Verlet wind. It must not know what the wind blows on.

use super::gust::{self, GustClock, GustField, OctavesError};
use super::lanes::{Block3, Kernel, Lanes, Path};
use crate::math;
use glam::Vec3;

/// Time over which another seed or number of octaves takes over, s: short enough to play, long enough
/// that no frame shows a jump.
pub const FADE_SECONDS: f32 = 1.0;

/// Half the length of a travelling gust along the wind, m: about a flag.
const TRAVELLER_HALF_LENGTH: f32 = 1.5;
/// Where a travelling gust starts and where it is forgotten, m along the wind from the origin: it begins
/// upwind of a flag there, and its end is far behind any wall of them.
const TRAVELLER_WAY: [f64; 2] = [-4.0, 100.0];
/// Travelling gusts at once; one more takes the place of the oldest.
const MOST_TRAVELLERS: usize = 8;
/// Least and largest peak of a travelling gust, as a fraction of the mean speed: −1 is a full lull.
pub const TRAVELLER_STRENGTHS: [f32; 2] = [-1.0, 4.0];

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
    /// The field that takes over, and how much of it is heard: 0..1. It begins at its own time 0, so that
    /// what is to come depends on nothing but what a digest and a take's start hold.
    next: Option<(Gusts, f32)>,
    travellers: Travellers,
}

/// One gust on its way with the wind.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Traveller {
    /// Where its middle is, m along the wind from the origin.
    way: f64,
    /// Its peak, as a fraction of the mean speed.
    strength: f32,
}

/// The gusts on their way, oldest first; room for the most of them, so that sending one allocates nothing.
#[derive(Debug, Clone, Default)]
struct Travellers {
    gusts: [Traveller; MOST_TRAVELLERS],
    count: usize,
}

impl Travellers {
    fn all(&self) -> &[Traveller] {
        &self.gusts[..self.count]
    }

    /// One more takes the place of the oldest.
    fn send(&mut self, gust: Traveller) {
        if self.count == MOST_TRAVELLERS {
            self.gusts.rotate_left(1);
            self.count -= 1;
        }
        self.gusts[self.count] = gust;
        self.count += 1;
    }

    /// Moves all by `way`, m, and forgets those that are far away.
    fn advance(&mut self, way: f64) {
        let mut kept = 0;
        for i in 0..self.count {
            let gust = Traveller { way: self.gusts[i].way + way, ..self.gusts[i] };
            if gust.way < TRAVELLER_WAY[1] {
                self.gusts[kept] = gust;
                kept += 1;
            }
        }
        self.count = kept;
    }
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
        Ok(Wind { settings, current: Gusts::new(&settings)?, next: None, travellers: Travellers::default() })
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
        self.travellers.advance(f64::from(self.speed()) * seconds);
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

    /// Sends one gust on its way: a swell of the mean wind that travels with it, along the wind from upwind
    /// of the origin. Its peak is `strength` times the mean speed, held within [`TRAVELLER_STRENGTHS`].
    pub fn send_gust(&mut self, strength: f32) {
        if !strength.is_finite() {
            return;
        }
        let [least, largest] = TRAVELLER_STRENGTHS;
        let strength = math::min(math::max(strength, least), largest);
        self.travellers.send(Traveller { way: TRAVELLER_WAY[0], strength });
    }

    /// Gust phases 0, no gust on its way, and the field that the settings name, with no fade.
    pub fn reset(&mut self) -> Result<(), OctavesError> {
        *self = Wind::new(self.settings)?;
        Ok(())
    }

    /// Speed of the mean wind, m/s.
    fn speed(&self) -> f32 {
        let mean = self.settings.mean;
        (mean.x * mean.x + mean.y * mean.y + mean.z * mean.z).sqrt()
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

    /// The gust field alone at its time 0: a smooth seeded shape.
    pub(super) fn shape(&self) -> gust::Gusts {
        self.current.field.at(&GustClock::default(), 1.0)
    }

    /// The wind velocity at a point now, m/s.
    pub fn sample(&self, point: Vec3) -> Vec3 {
        let mut place = Block3::default();
        (place.x.0[0], place.y.0[0], place.z.0[0]) = point.into();
        let mut out = Block3::default();
        self.now().sample_blocks(Path::best(), &[place], std::slice::from_mut(&mut out));
        Vec3::new(out.x.0[0], out.y.0[0], out.z.0[0])
    }

    /// The wind as it is now, to be sampled at many points.
    pub fn now(&self) -> WindNow<'_> {
        let WindSettings { mean, turbulence, gust_scale, .. } = self.settings;
        let speed = self.speed();
        let gain = turbulence * speed;
        let at = |gusts: &Gusts, share: f32| (gusts.field.at(&gusts.clock, gust_scale), gain * share);
        let gusts = if gain == 0.0 {
            [None, None]
        } else if let Some((next, share)) = &self.next {
            // Smoothstep: no kink where the fade begins and ends.
            let share = share * share * (3.0 - 2.0 * share);
            [Some(at(&self.current, 1.0 - share)), Some(at(next, share))]
        } else {
            [Some(at(&self.current, 1.0)), None]
        };
        WindNow { mean, speed, travellers: self.travellers.all(), gusts }
    }
}

/// A wind at one time.
#[derive(Debug, Clone)]
pub struct WindNow<'a> {
    mean: Vec3,
    speed: f32,
    travellers: &'a [Traveller],
    /// The field that is heard and the one that takes over, each with its gain in m/s.
    gusts: [Option<(gust::Gusts, f32)>; 2],
}

impl WindNow<'_> {
    /// The wind velocity at eight points (m) a block, m/s. Both slices have one length; the bits are those of
    /// [`Wind::sample`] on every path.
    pub fn sample_blocks(&self, path: Path, position: &[Block3], out: &mut [Block3]) {
        for out in &mut *out {
            for (axis, mean) in [&mut out.x, &mut out.y, &mut out.z].into_iter().zip(self.mean.to_array()) {
                axis.0.fill(mean);
            }
        }
        if self.speed == 0.0 {
            return;
        }
        for gust in self.travellers {
            path.run(AddTraveller { gust: *gust, mean: self.mean, speed: self.speed, position, out });
        }
        for (gusts, gain) in self.gusts.iter().flatten() {
            gusts.add(path, *gain, position, out);
        }
    }
}

/// Adds a travelling gust: mean × strength × (1 − q²)², where q is −1 and 1 at its ends.
struct AddTraveller<'a> {
    gust: Traveller,
    mean: Vec3,
    speed: f32,
    position: &'a [Block3],
    out: &'a mut [Block3],
}

impl Kernel for AddTraveller<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let [x, y, z] = self.mean.to_array();
        let to = [V::splat(x / self.speed), V::splat(y / self.speed), V::splat(z / self.speed)];
        let mean = [V::splat(x), V::splat(y), V::splat(z)];
        let (middle, half_length) = (V::splat(self.gust.way as f32), V::splat(TRAVELLER_HALF_LENGTH));
        let (strength, one) = (V::splat(self.gust.strength), V::splat(1.0));
        for (place, out) in self.position.iter().zip(self.out) {
            let along = V::load(&place.x) * to[0] + V::load(&place.y) * to[1] + V::load(&place.z) * to[2];
            let q = (along - middle) / half_length;
            let inside = (one - q * q).most(V::splat(0.0));
            let swell = strength * (inside * inside);
            (V::load(&out.x) + mean[0] * swell).store(&mut out.x);
            (V::load(&out.y) + mean[1] * swell).store(&mut out.y);
            (V::load(&out.z) + mean[2] * swell).store(&mut out.z);
        }
    }
}

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
    fn a_gust_travels_with_the_wind_and_is_over() {
        let mean = Vec3::new(6.0, 0.0, 8.0);
        let mut wind = Wind::new(WindSettings { mean, ..WindSettings::default() }).expect("in reach");
        wind.send_gust(0.5);
        // Ten metres a second, from four metres upwind: at the origin after 0.4 s.
        (0..48).for_each(|_| wind.advance(1.0 / 120.0).expect("in reach"));
        assert!((wind.sample(Vec3::ZERO) - mean * 1.5).length() < 1e-4);
        // Half its half length away: (1 − ¼)² of the peak. Beside it as ahead of it, and nothing beyond.
        let along = mean / 10.0;
        assert!((wind.sample(along * 0.75) - mean * (1.0 + 0.5 * 0.5625)).length() < 1e-4);
        assert_eq!(wind.sample(along * 1.6), mean);
        assert_eq!(wind.sample(Vec3::new(0.0, 5.0, 0.0)), wind.sample(Vec3::ZERO));
        (0..1300).for_each(|_| wind.advance(1.0 / 120.0).expect("in reach"));
        assert_eq!(wind.travellers.all(), []);
        (0..20).for_each(|_| wind.send_gust(f32::MAX));
        wind.send_gust(f32::NAN);
        wind.send_gust(0.5);
        let strengths: Vec<f32> = wind.travellers.all().iter().map(|gust| gust.strength).collect();
        assert_eq!(strengths, [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 0.5]);
        wind.reset().expect("in reach");
        assert_eq!(wind.travellers.all(), []);
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
