//! The gust field: a small closed-form spectrum, the same for a seed on every machine.
//!
//! Source document: the SIMD Verlet wind, its turbulence. Three independent scalar fields over space and
//! time, each a sum of sines whose directions, frequencies and phases are hashed from the seed. Every
//! octave doubles the frequency and halves the amplitude; the sum is normalised to −1..1.
//!
//! It must not know the mean wind: that is [`super::wind`].

use super::lanes::{Block, Block3, Kernel, Lanes, Path};
use crate::math;
use std::f64::consts::{PI, TAU};

/// Most octaves that a field can have.
pub const MOST_OCTAVES: usize = 16;
/// Sines of the largest field: three components.
const MOST_SINES: usize = 3 * MOST_OCTAVES;
/// Shorter than this a hashed direction counts as none, and x stands in. (source document)
const SHORTEST_DIRECTION: f32 = 1e-6;
/// π as the source document writes it for its phases; part of the field's identity.
const PHASE_REACH: f32 = std::f32::consts::PI;

/// Why there is no such field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("octaves must be in 1..={MOST_OCTAVES}, got {0}")]
pub struct OctavesError(pub usize);

/// The field's coefficients. Sine k belongs to component k / octaves and octave k % octaves.
#[derive(Debug, Clone, PartialEq)]
pub struct GustField {
    seed: i32,
    octaves: usize,
    direction: [[f32; MOST_SINES]; 3],
    omega: [f32; MOST_SINES],
    phase: [f32; MOST_SINES],
    amplitude: [f32; MOST_SINES],
    normalisation: f32,
}

impl GustField {
    /// The field of `seed` with 1 to [`MOST_OCTAVES`] octaves.
    pub fn new(seed: i32, octaves: usize) -> Result<Self, OctavesError> {
        if !(1..=MOST_OCTAVES).contains(&octaves) {
            return Err(OctavesError(octaves));
        }
        let mut field = GustField {
            seed,
            octaves,
            direction: [[0.0; MOST_SINES]; 3],
            omega: [0.0; MOST_SINES],
            phase: [0.0; MOST_SINES],
            amplitude: [0.0; MOST_SINES],
            normalisation: 0.0,
        };
        for k in 0..3 * octaves {
            let octave = k % octaves;
            let unit = |salt: i32| hash_unit(seed, k as i32, salt);
            let (mut x, mut y, mut z) = (unit(0), unit(1), unit(2));
            let mut length = (x * x + y * y + z * z).sqrt();
            if length < SHORTEST_DIRECTION {
                (x, y, z, length) = (1.0, 0.0, 0.0, 1.0);
            }
            let frequency = (1u32 << octave) as f32 * (0.75 + 0.5 * (unit(3) * 0.5 + 0.5));
            field.direction[0][k] = x / length * frequency;
            field.direction[1][k] = y / length * frequency;
            field.direction[2][k] = z / length * frequency;
            field.omega[k] = frequency * (0.6 + 0.8 * (unit(4) * 0.5 + 0.5));
            field.phase[k] = unit(5) * PHASE_REACH;
            field.amplitude[k] = 1.0 / (1u32 << octave) as f32;
        }
        let sum = field.amplitude[..octaves].iter().fold(0.0, |sum, amplitude| sum + amplitude);
        field.normalisation = 1.0 / sum;
        Ok(field)
    }

    /// The seed.
    pub fn seed(&self) -> i32 {
        self.seed
    }

    /// The number of octaves.
    pub fn octaves(&self) -> usize {
        self.octaves
    }

    /// The number of sines: three components of as many octaves.
    pub fn sines(&self) -> usize {
        3 * self.octaves
    }

    /// The sines as they are at the clock's time, ready to be sampled at positions in m with `scale` in 1/m.
    pub fn at(&self, clock: &GustClock, scale: f32) -> Gusts {
        let mut gusts =
            Gusts { sines: [Sine::default(); MOST_SINES], octaves: self.octaves, normalisation: self.normalisation };
        for (k, sine) in gusts.sines[..self.sines()].iter_mut().enumerate() {
            *sine = self.sine(k, clock, scale);
        }
        gusts
    }

    fn sine(&self, k: usize, clock: &GustClock, scale: f32) -> Sine {
        let half_turns = |radians: f64| (radians / PI) as f32;
        let per_metre = |axis: usize| half_turns(f64::from(self.direction[axis][k]) * f64::from(scale));
        // The sum is wrapped in f64, so that f32 carries no more than half a turn of it.
        let mut phase = clock.phases[k] + f64::from(self.phase[k]);
        if phase > PI {
            phase -= TAU;
        }
        Sine {
            x: per_metre(0),
            y: per_metre(1),
            z: per_metre(2),
            phase: half_turns(phase),
            amplitude: self.amplitude[k] * math::SINE_SCALE,
        }
    }
}

/// A field at one time, in half turns.
#[derive(Debug, Clone, Copy)]
pub struct Gusts {
    sines: [Sine; MOST_SINES],
    octaves: usize,
    normalisation: f32,
}

/// One sine: half turns per metre along each axis, half turns at the origin, amplitude × the sine's own scale.
#[derive(Debug, Clone, Copy, Default)]
struct Sine {
    x: f32,
    y: f32,
    z: f32,
    phase: f32,
    amplitude: f32,
}

impl Gusts {
    /// Adds `gain` times the three components of the field, each in −1..1, at eight points a block (m).
    pub fn add(&self, path: Path, gain: f32, position: &[Block3], out: &mut [Block3]) {
        path.run(Add { gusts: self, gain, position, out });
    }

    /// All three components at one point (m).
    pub fn sample(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let mut place = Block3::default();
        (place.x.0[0], place.y.0[0], place.z.0[0]) = (x, y, z);
        let mut out = Block3::default();
        self.add(Path::best(), 1.0, &[place], std::slice::from_mut(&mut out));
        [out.x.0[0], out.y.0[0], out.z.0[0]]
    }
}

struct Add<'a> {
    gusts: &'a Gusts,
    gain: f32,
    position: &'a [Block3],
    out: &'a mut [Block3],
}

impl Kernel for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Gusts { sines, octaves, normalisation } = self.gusts;
        let sines = &sines[..(3 * octaves).min(MOST_SINES)];
        let (normalisation, gain) = (V::splat(*normalisation), V::splat(self.gain));
        // All phases of a block first, then all sines: each pass is a short chain, so that more of them are under
        // way at once (a quarter faster than one pass).
        let mut rests = [Block::default(); MOST_SINES];
        for (place, out) in self.position.iter().zip(self.out) {
            let place = [V::load(&place.x), V::load(&place.y), V::load(&place.z)];
            for (sine, rest) in sines.iter().zip(&mut rests) {
                sine.rest(place).store(rest);
            }
            let components = sines.chunks_exact(*octaves).zip(rests.chunks_exact(*octaves));
            for ((sines, rests), out) in components.zip([&mut out.x, &mut out.y, &mut out.z]) {
                let mut sum = V::splat(0.0);
                for (sine, rest) in sines.iter().zip(rests) {
                    sum = sum + sine.height(V::load(rest));
                }
                // Rounding may carry a sum of full amplitudes just past 1.
                let gust = (sum * normalisation).most(V::splat(-1.0)).least(V::splat(1.0));
                (V::load(out) + gain * gust).store(out);
            }
        }
    }
}

/// [`math::sin_half_turns`] in lanes, in two parts.
impl Sine {
    /// The way to the nearest whole number of half turns at eight places (m), with the sign of the sine there.
    #[inline(always)]
    fn rest<V: Lanes>(&self, [x, y, z]: [V; 3]) -> V {
        let turns = V::splat(self.x) * x + V::splat(self.y) * y + V::splat(self.z) * z + V::splat(self.phase);
        let shifted = turns + V::splat(math::ROUND);
        let rest = turns - (shifted - V::splat(math::ROUND));
        rest.signed_by_lowest_bit(shifted)
    }

    /// Amplitude × sine.
    #[inline(always)]
    fn height<V: Lanes>(&self, rest: V) -> V {
        let [c0, c1, c2, c3] = math::SINE;
        let square = rest * rest;
        let inner = V::splat(c2) + square * (V::splat(c3) + square);
        (rest * V::splat(self.amplitude)) * (V::splat(c0) + square * (V::splat(c1) + square * inner))
    }
}

/// The gusts' own time: one phase per sine, in f64 and wrapped to 0..2π.
///
/// Turning the rate never jumps the field, and the millionth second is as smooth as the first. At a
/// constant rate a phase equals the source document's omega × rate × time.
#[derive(Debug, Clone, PartialEq)]
pub struct GustClock {
    phases: [f64; MOST_SINES],
}

impl Default for GustClock {
    fn default() -> Self {
        GustClock { phases: [0.0; MOST_SINES] }
    }
}

impl GustClock {
    /// Moves every phase of `field` by omega × `radians`, where `radians` is rate × time scale × seconds.
    pub fn advance(&mut self, field: &GustField, radians: f64) {
        for (phase, omega) in self.phases.iter_mut().zip(&field.omega[..field.sines()]) {
            *phase = wrap(*phase + f64::from(*omega) * radians);
        }
    }

    /// Sets every phase of `field` to omega × `radians`, where `radians` is rate × time.
    pub fn set(&mut self, field: &GustField, radians: f64) {
        *self = GustClock::default();
        self.advance(field, radians);
    }

    /// The phases of `field`, 0..2π.
    pub fn phases(&self, field: &GustField) -> &[f64] {
        &self.phases[..field.sines()]
    }
}

/// `phase` brought into 0..2π.
fn wrap(phase: f64) -> f64 {
    if (0.0..TAU).contains(&phase) {
        return phase;
    }
    let wrapped = phase - (phase / TAU).floor() * TAU;
    // Rounding can land on the far edge, and a phase without end has no place on the circle.
    if (0.0..TAU).contains(&wrapped) { wrapped } else { 0.0 }
}

/// A stable number in −1..1 from the seed and two integers; integers only, so it is exact everywhere.
fn hash_unit(seed: i32, a: i32, b: i32) -> f32 {
    const SEED: i32 = 0x9E37_79B1_u32 as i32;
    const A: i32 = 0x85EB_CA6B_u32 as i32;
    const B: i32 = 0xC2B2_AE35_u32 as i32;
    let mut h = (seed.wrapping_mul(SEED) ^ a.wrapping_mul(A) ^ b.wrapping_mul(B)) as u32;
    h ^= h >> 15;
    h = h.wrapping_mul(0x2545_F491);
    h ^= h >> 13;
    (h & 0x00FF_FFFF) as f32 / 8_388_608.0 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn golden() -> serde_json::Value {
        serde_json::from_str(include_str!("../../tests/data/gust.json")).expect("golden data")
    }

    fn bits(value: &serde_json::Value) -> u32 {
        let text = value.as_str().expect("hex");
        u32::from_str_radix(text.trim_start_matches("0x"), 16).expect("hex")
    }

    fn fields() -> Vec<(GustField, serde_json::Value)> {
        let cases = golden()["cases"].as_array().expect("cases").clone();
        cases
            .into_iter()
            .map(|case| {
                let seed = case["seed"].as_i64().expect("seed") as i32;
                let octaves = case["octaves"].as_u64().expect("octaves") as usize;
                (GustField::new(seed, octaves).expect("octaves in reach"), case)
            })
            .collect()
    }

    #[test]
    fn coefficients_equal_the_independent_ones_to_the_bit() {
        assert_eq!(fields().len(), 9);
        for (field, case) in fields() {
            let table = &case["coefficients_f32_bits"];
            let columns = [
                ("dirX", &field.direction[0]),
                ("dirY", &field.direction[1]),
                ("dirZ", &field.direction[2]),
                ("omega", &field.omega),
                ("phase", &field.phase),
                ("amplitude", &field.amplitude),
            ];
            for (name, ours) in columns {
                let theirs = table[name].as_array().expect(name);
                assert_eq!(theirs.len(), field.sines());
                for (k, value) in theirs.iter().enumerate() {
                    assert_eq!(ours[k].to_bits(), bits(value), "seed {} {name}[{k}]", field.seed);
                }
            }
            assert_eq!(field.normalisation.to_bits(), bits(&case["normalisation_f32_bits"]));
        }
    }

    #[test]
    fn samples_equal_the_f64_formula() {
        let mut worst = 0.0f64;
        for (field, case) in fields() {
            for sample in case["samples"].as_array().expect("samples") {
                let number = |key: &str| sample[key].as_f64().expect(key);
                let mut clock = GustClock::default();
                clock.set(&field, number("t"));
                let ours = field.at(&clock, 1.0).sample(["x", "y", "z"].map(|axis| number(axis) as f32));
                for (component, value) in ours.iter().enumerate() {
                    let theirs = sample["f64"][component].as_f64().expect("f64");
                    worst = worst.max((f64::from(*value) - theirs).abs());
                }
            }
        }
        assert!(worst <= 2e-6, "{worst}");
    }

    /// The lanes against the plain sum with the plain sine, bit for bit, on every path.
    #[test]
    fn every_path_has_the_bits_of_the_plain_sum() {
        let field = GustField::new(7, 5).expect("in reach");
        let mut clock = GustClock::default();
        clock.set(&field, 3.7);
        let (gusts, gain) = (field.at(&clock, 1.3), 0.7f32);
        let mut places = vec![Block3::default(); 20];
        for (i, place) in places.iter_mut().enumerate() {
            for (axis, block) in [&mut place.x, &mut place.y, &mut place.z].into_iter().enumerate() {
                block.0 = std::array::from_fn(|lane| ((i * 8 + lane) as f32 * 0.37 + axis as f32).sin() * 40.0);
            }
        }
        for path in Path::available() {
            let mut out = vec![Block3::default(); 20];
            gusts.add(path, gain, &places, &mut out);
            for (place, out) in places.iter().zip(&out) {
                for (component, block) in [&out.x, &out.y, &out.z].into_iter().enumerate() {
                    for lane in 0..8 {
                        let mut sum = 0.0f32;
                        for sine in &gusts.sines[component * 5..component * 5 + 5] {
                            let [x, y, z] = [place.x.0[lane], place.y.0[lane], place.z.0[lane]];
                            let turns = sine.x * x + sine.y * y + sine.z * z + sine.phase;
                            // Amplitudes are powers of two: they scale the sine exactly.
                            sum += sine.amplitude / math::SINE_SCALE * math::sin_half_turns(turns);
                        }
                        let gust = 0.0 + gain * (sum * gusts.normalisation).clamp(-1.0, 1.0);
                        assert_eq!(block.0[lane].to_bits(), gust.to_bits(), "{}", path.name());
                    }
                }
            }
        }
    }

    #[test]
    fn samples_stay_in_the_unit_for_every_number_of_octaves() {
        for octaves in 1..=MOST_OCTAVES {
            let field = GustField::new(octaves as i32 * 77 - 400, octaves).expect("in reach");
            let mut clock = GustClock::default();
            for step in 0..5000 {
                clock.advance(&field, 0.37);
                let at = step as f32 * 0.613;
                for value in field.at(&clock, 1.0).sample([at, 7.0 - at * 0.4, at * 0.2]) {
                    assert!((-1.0..=1.0).contains(&value), "{octaves} octaves: {value}");
                }
            }
        }
    }

    #[test]
    fn too_many_or_no_octaves_are_refused() {
        let error = GustField::new(1, 17).expect_err("17").to_string();
        assert_eq!(error, "octaves must be in 1..=16, got 17");
        assert!(GustField::new(1, 0).is_err());
    }

    /// A day of ticks is 10,368,000; thirty of them are run tick by tick.
    #[test]
    fn after_thirty_days_the_clock_is_exact_and_smooth() {
        const TICKS: u64 = 30 * 86_400 * 120;
        let field = GustField::new(1, 1).expect("one octave");
        let radians = 4.0 / 120.0;
        let mut clock = GustClock::default();
        let mut last = 0.0;
        for _ in 0..TICKS {
            last = clock.phases[0];
            clock.advance(&field, radians);
        }
        // omega × rate × t modulo a turn, in integers: the step of f64 is exact as a fraction of 2^-60.
        let step = f64::from(field.omega[0]) * radians;
        let unit = 2f64.powi(-60);
        let total = (step / unit) as u128 * u128::from(TICKS);
        // 2π to 100 bits.
        let turn = 0x64_87ED_5110_B461_1A62_6331_45C0_u128;
        let exact = ((total << 40) % turn) as f64 * unit * 2f64.powi(-40);
        let error = (clock.phases[0] - exact).abs();
        assert!(error < 1e-6 || TAU - error < 1e-6, "{} against {exact}", clock.phases[0]);
        let moved = wrap(clock.phases[0] - last);
        assert!((moved - step).abs() < 1e-12, "{moved} against {step}");
    }

    #[test]
    fn setting_the_time_replays_a_gust_to_the_bit() {
        let field = GustField::new(9, 4).expect("in reach");
        let run = || {
            let mut clock = GustClock::default();
            clock.set(&field, 12.5);
            let mut bits = Vec::new();
            for _ in 0..500 {
                clock.advance(&field, 4.0 / 120.0);
                bits.extend(field.at(&clock, 1.0).sample([0.3, 0.1, 0.2]).map(f32::to_bits));
            }
            bits
        };
        assert_eq!(run(), run());
        let (mut forward, start) = (GustClock::default(), GustClock::default());
        forward.advance(&field, 2.0);
        forward.advance(&field, -2.0);
        for (a, b) in forward.phases(&field).iter().zip(start.phases(&field)) {
            assert!((a - b).abs() < 1e-12 || (a - b).abs() > TAU - 1e-12, "{a} {b}");
        }
        let mut lost = GustClock::default();
        lost.advance(&field, f64::INFINITY);
        assert!(lost.phases(&field).iter().all(|phase| *phase == 0.0));
    }
}
