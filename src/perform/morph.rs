//! A morph: rows travel from where they are to a preset's values over some seconds.
//!
//! Floats go straight (log rows in the log), angles the short way, colours through OKLab (Ottosson 2020);
//! choices, switches and whole numbers change at the half. Seeds never morph. A row that somebody touches
//! is free of the morph.

use super::glide::{shortest_way, wrap};
use super::performance::TICK_HERTZ;
use crate::math;
use crate::params::{Curve, Kind, Range, RowId, Value, Values};

/// A morph on its way.
#[derive(Debug, Clone)]
pub struct Morph {
    rows: Vec<(RowId, Value, Value)>,
    start: u64,
    ticks: u64,
}

impl Morph {
    /// From `from` to `to`, beginning with tick `start` and there after `ticks` ticks (at least 1).
    pub fn new(from: &Values, to: &Values, start: u64, ticks: u64) -> Self {
        let differs = |row: &RowId| from.get(*row) != to.get(*row) && !is_seed(*row);
        let rows = RowId::ALL.iter().copied().filter(differs).map(|row| (row, from.get(row), to.get(row)));
        Morph { rows: rows.collect(), start, ticks: ticks.max(1) }
    }

    /// How many ticks a recall over `seconds` takes; with 0 it cuts.
    pub fn ticks_of(seconds: f32) -> u64 {
        // The cast saturates; a negative time or none is a cut.
        (f64::from(seconds) * f64::from(TICK_HERTZ)).round_ties_even() as u64
    }

    /// Somebody touched `row`: the morph lets it go.
    pub fn free(&mut self, row: RowId) {
        self.rows.retain(|(id, _, _)| *id != row);
    }

    /// Sets the targets of tick `tick`. True when the morph has arrived.
    pub fn step(&self, tick: u64, targets: &mut Values) -> bool {
        let done = tick.saturating_sub(self.start) + 1;
        let share = if done >= self.ticks { 1.0 } else { done as f64 / self.ticks as f64 };
        for (row, from, to) in &self.rows {
            targets.set(*row, between(*row, *from, *to, share));
        }
        done >= self.ticks
    }

    /// Sets the targets where the morph was going.
    pub fn finish(&self, targets: &mut Values) {
        for (row, _, to) in &self.rows {
            targets.set(*row, *to);
        }
    }
}

/// Whether a row has no way between two values that would mean anything.
pub fn is_seed(row: RowId) -> bool {
    matches!(row.row().kind, Kind::Int { travels: false, .. })
}

/// The value of `row` at `share` 0..1 of the way.
fn between(row: RowId, from: Value, to: Value, share: f64) -> Value {
    if share >= 1.0 {
        return to;
    }
    match (from, to, row.row().kind) {
        (Value::Float(a), Value::Float(b), Kind::Float { range, cyclic, .. }) => {
            Value::Float(float_between(range, cyclic, a, b, share))
        }
        (Value::Colour(a), Value::Colour(b), _) => Value::Colour(colour_between(a, b, share)),
        _ if share < 0.5 => from,
        _ => to,
    }
}

fn float_between(range: Range, cyclic: bool, a: f32, b: f32, share: f64) -> f32 {
    if cyclic {
        let turn = range.max - range.min;
        let way = shortest_way(b - a, turn) * share as f32;
        return wrap(f64::from(a + way), range.min, turn);
    }
    if range.curve == Curve::Log {
        let (low, high) = (math::ln(f64::from(a)), math::ln(f64::from(b)));
        return math::exp(low + (high - low) * share) as f32;
    }
    (f64::from(a) + (f64::from(b) - f64::from(a)) * share) as f32
}

fn colour_between(a: [f32; 4], b: [f32; 4], share: f64) -> [f32; 4] {
    let (lab_a, lab_b) = (oklab(a), oklab(b));
    let lab = std::array::from_fn(|i| lab_a[i] + (lab_b[i] - lab_a[i]) * share);
    let [red, green, blue] = srgb(lab);
    let alpha = f64::from(a[3]) + (f64::from(b[3]) - f64::from(a[3])) * share;
    [red, green, blue, alpha as f32]
}

/// x to the p for x ≥ 0.
fn power(x: f64, p: f64) -> f64 {
    if x <= 0.0 { 0.0 } else { math::exp(p * math::ln(x)) }
}

/// Ottosson 2020, *A perceptual color space for image processing*, from sRGB (IEC 61966-2-1).
fn oklab(colour: [f32; 4]) -> [f64; 3] {
    let linear = |part: f32| {
        let part = f64::from(part);
        if part <= 0.040_45 { part / 12.92 } else { power((part + 0.055) / 1.055, 2.4) }
    };
    let [r, g, b] = [linear(colour[0]), linear(colour[1]), linear(colour[2])];
    let l = math::cbrt(0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b);
    let m = math::cbrt(0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b);
    let s = math::cbrt(0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b);
    [
        0.210_454_255_3 * l + 0.793_617_785 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766 * s,
    ]
}

fn srgb([lightness, a, b]: [f64; 3]) -> [f32; 3] {
    let cube = |x: f64| x * x * x;
    let l = cube(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
    let m = cube(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
    let s = cube(lightness - 0.089_484_177_5 * a - 1.291_485_548 * b);
    let linear = [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s,
    ];
    linear.map(|part| {
        let encoded = if part <= 0.003_130_8 { 12.92 * part } else { 1.055 * power(part, 1.0 / 2.4) - 0.055 };
        (encoded as f32).clamp(0.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(rows: &[(RowId, Value)]) -> Values {
        let mut values = Values::default();
        rows.iter().for_each(|(row, value)| assert!(values.set(*row, *value)));
        values
    }

    #[test]
    fn each_kind_takes_its_own_way() {
        let from = values(&[
            (RowId::WindSpeed, Value::Float(4.0)),
            (RowId::WindGustScale, Value::Float(0.25)),
            (RowId::WindHeading, Value::Float(170.0)),
            (RowId::LookColourA, Value::Colour([0.0, 0.0, 0.0, 1.0])),
        ]);
        let to = values(&[
            (RowId::WindSpeed, Value::Float(12.0)),
            (RowId::WindGustScale, Value::Float(4.0)),
            (RowId::WindHeading, Value::Float(-170.0)),
            (RowId::LookColourA, Value::Colour([1.0, 1.0, 1.0, 0.0])),
            (RowId::LookPattern, Value::Choice(2)),
            (RowId::WindSeed, Value::Int(9)),
        ]);
        let morph = Morph::new(&from, &to, 100, 240);
        let mut now = from.clone();
        assert!(!morph.step(218, &mut now));
        assert_eq!(now.choice(RowId::LookPattern), 0);
        assert!(!morph.step(219, &mut now));
        assert_eq!(now.float(RowId::WindSpeed), 8.0);
        assert!((now.float(RowId::WindGustScale) - 1.0).abs() < 1e-6);
        assert_eq!(now.float(RowId::WindHeading).abs(), 180.0);
        assert_eq!(now.choice(RowId::LookPattern), 2);
        assert_eq!(now.int(RowId::WindSeed), 1);
        // OKLab lightness 0.5 of grey is sRGB 0.3884 (L = cbrt(Y), Y = 0.125).
        let [red, green, blue, alpha] = now.colour(RowId::LookColourA);
        for part in [red, green, blue] {
            assert!((part - 0.388_57).abs() < 2e-4, "{part}");
        }
        assert_eq!(alpha, 0.5);
        assert!(morph.step(339, &mut now));
        let mut arrived = to.clone();
        arrived.set(RowId::WindSeed, Value::Int(1));
        assert_eq!(now, arrived);
    }

    #[test]
    fn a_touched_row_is_free() {
        let to = values(&[(RowId::WindSpeed, Value::Float(20.0)), (RowId::AirDrag, Value::Float(2.0))]);
        let mut morph = Morph::new(&Values::default(), &to, 0, 10);
        morph.free(RowId::WindSpeed);
        let mut now = Values::default();
        morph.finish(&mut now);
        assert_eq!((now.float(RowId::WindSpeed), now.float(RowId::AirDrag)), (8.0, 2.0));
    }

    #[test]
    fn colours_come_back_from_oklab() {
        for colour in [[0.78, 0.16, 0.15, 1.0], [0.0, 1.0, 0.0, 1.0], [0.2, 0.3, 0.9, 1.0]] {
            for (there, back) in colour.iter().zip(srgb(oklab(colour))) {
                assert!((there - back).abs() < 1e-5, "{colour:?}");
            }
        }
    }
}
