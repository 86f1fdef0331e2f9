//! How a plain value (m/s, rad/s, …) and its normalised travel 0..1 belong together.
//!
//! Every reader of a parameter's travel (OSC `/norm`, MIDI, a panel's slider) goes through [`Range`],
//! so a fader, a phone and a preset agree on what "half way" means.

use crate::math;

/// How travel is spread over a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// Equal travel, equal change.
    Linear,
    /// plain = min + span · travel²: finer near the lower end.
    Square,
    /// plain = min + span · travel³: finer still.
    Cubic,
    /// Equal travel, equal ratio. Needs 0 < min.
    Log,
}

impl Curve {
    /// The word used in the reference and in `params --json`.
    pub const fn name(self) -> &'static str {
        match self {
            Curve::Linear => "linear",
            Curve::Square => "square",
            Curve::Cubic => "cubic",
            Curve::Log => "log",
        }
    }
}

/// The closed interval of a float row, with its curve. Plain units of the row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Lowest plain value.
    pub min: f32,
    /// Highest plain value.
    pub max: f32,
    /// How travel is spread between them.
    pub curve: Curve,
}

impl Range {
    /// A range; the table's tests check that it is sound.
    pub const fn new(min: f32, max: f32, curve: Curve) -> Self {
        Range { min, max, curve }
    }

    /// The plain value at `travel` (clamped to 0..1). The ends are met exactly.
    pub fn plain(self, travel: f32) -> f32 {
        // `max` first, so that a NaN becomes 0.
        let travel = math::min(math::max(travel, 0.0), 1.0);
        if travel == 0.0 {
            return self.min;
        }
        if travel == 1.0 {
            return self.max;
        }
        let span = self.max - self.min;
        let plain = match self.curve {
            Curve::Linear => self.min + span * travel,
            Curve::Square => self.min + span * travel * travel,
            Curve::Cubic => self.min + span * travel * travel * travel,
            Curve::Log => {
                let low = math::ln(f64::from(self.min));
                let high = math::ln(f64::from(self.max));
                math::exp(low + (high - low) * f64::from(travel)) as f32
            }
        };
        self.clamp(plain)
    }

    /// The travel 0..1 of `plain` (clamped to the range).
    pub fn travel(self, plain: f32) -> f32 {
        let plain = self.clamp(plain);
        let linear = (plain - self.min) / (self.max - self.min);
        match self.curve {
            Curve::Linear => linear,
            Curve::Square => linear.sqrt(),
            Curve::Cubic => math::cbrt(f64::from(linear)) as f32,
            Curve::Log => {
                let low = math::ln(f64::from(self.min));
                let high = math::ln(f64::from(self.max));
                ((math::ln(f64::from(plain)) - low) / (high - low)) as f32
            }
        }
    }

    /// `plain` held inside the range. NaN becomes the minimum.
    pub fn clamp(self, plain: f32) -> f32 {
        math::min(math::max(plain, self.min), self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_met_and_travel_returns() {
        let ranges = [
            Range::new(0.0, 40.0, Curve::Square),
            Range::new(0.05, 4.0, Curve::Log),
            Range::new(0.0, 100.0, Curve::Cubic),
            Range::new(-180.0, 180.0, Curve::Linear),
        ];
        for range in ranges {
            assert_eq!(range.plain(0.0), range.min);
            assert_eq!(range.plain(1.0), range.max);
            assert_eq!(range.travel(range.min), 0.0);
            assert!((range.travel(range.max) - 1.0).abs() < 1e-6);
            for step in 0..=1000 {
                let travel = step as f32 / 1000.0;
                assert!((range.travel(range.plain(travel)) - travel).abs() < 1e-4, "{range:?} at {travel}");
            }
        }
    }

    #[test]
    fn published_points_of_the_curves() {
        assert_eq!(Range::new(0.0, 40.0, Curve::Square).plain(0.5), 10.0);
        assert_eq!(Range::new(0.0, 4.0, Curve::Cubic).plain(0.5), 0.5);
        // Half way of a log range is the geometric mean.
        let log = Range::new(0.05, 4.0, Curve::Log).plain(0.5);
        assert!((log - 0.2f32.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn hostile_values_land_inside() {
        let range = Range::new(0.05, 4.0, Curve::Log);
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e38] {
            assert!((range.min..=range.max).contains(&range.plain(value)), "{value}");
            assert!((range.min..=range.max).contains(&range.clamp(value)), "{value}");
        }
    }
}
