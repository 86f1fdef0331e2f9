//! Glide: rows follow their targets with one pole on the tick.
//!
//! y += (x − y)(1 − exp(−h/τ)) with the row's time constant τ; τ = 0 jumps. Angles go the short way. It
//! must not know what a row does.

use super::performance::TICK_HERTZ;
use crate::math;
use crate::params::{Kind, ROWS, RowId, Value, Values};

/// The gliding values of all rows.
#[derive(Debug, Clone)]
pub struct Glides {
    now: Values,
    /// Share of the way that a row goes in a tick; 1 jumps.
    shares: Vec<f32>,
}

impl Glides {
    /// Everything where it is going.
    pub fn new(targets: &Values) -> Self {
        let tick = 1.0 / f64::from(TICK_HERTZ);
        let shares = ROWS.iter().map(|row| match row.glide {
            0.0 => 1.0,
            seconds => (1.0 - math::exp(-tick / f64::from(seconds))) as f32,
        });
        Glides { now: targets.clone(), shares: shares.collect() }
    }

    /// The values of this tick.
    pub fn now(&self) -> &Values {
        &self.now
    }

    /// Every row arrives.
    pub fn arrive(&mut self, targets: &Values) {
        for row in RowId::ALL {
            self.now.set(*row, targets.get(*row));
        }
    }

    /// Rows without glide arrive.
    pub fn jump(&mut self, targets: &Values) {
        for row in RowId::ALL {
            if self.shares[*row as usize] == 1.0 {
                self.now.set(*row, targets.get(*row));
            }
        }
    }

    /// One tick toward the targets.
    pub fn step(&mut self, targets: &Values) {
        for row in RowId::ALL {
            let (now, target) = (self.now.get(*row), targets.get(*row));
            if now == target {
                continue;
            }
            let share = self.shares[*row as usize];
            let next = match (now, target, row.row().kind) {
                _ if share == 1.0 => target,
                (Value::Float(y), Value::Float(x), Kind::Float { range, cyclic, .. }) => {
                    let turn = range.max - range.min;
                    let way = if cyclic { shortest_way(x - y, turn) } else { x - y };
                    let next = y + way * share;
                    if next == y {
                        // Closer than f32 can go: arrived.
                        target
                    } else if cyclic {
                        Value::Float(wrap(f64::from(next), range.min, turn))
                    } else {
                        Value::Float(next)
                    }
                }
                (Value::Colour(y), Value::Colour(x), _) => {
                    let next = std::array::from_fn(|i| y[i] + (x[i] - y[i]) * share);
                    if next == y { target } else { Value::Colour(next) }
                }
                _ => target,
            };
            self.now.set(*row, next);
        }
    }
}

/// `way` along a circle of `turn`, at most half of it.
pub fn shortest_way(way: f32, turn: f32) -> f32 {
    let half = 0.5 * turn;
    if way > half {
        way - turn
    } else if way < -half {
        way + turn
    } else {
        way
    }
}

/// `angle` brought back by whole turns into one `turn` from `start`, its far end left out; one that is there
/// already stays to the bit. What is not finite gives NaN.
///
/// Only `floor` rounds, which is exact everywhere: the result is the same bits on every machine. Up to 2⁴⁰
/// turns nothing is lost; beyond, where a turn is hardly more than the last digit, it is still inside.
pub fn wrap(angle: f64, start: f32, turn: f32) -> f32 {
    let (low, span) = (f64::from(start), f64::from(turn));
    if !angle.is_finite() {
        return f32::NAN;
    }
    let mut inside = angle - low;
    // Once, but for numbers so large that the product rounds; each time takes some fifty bits off.
    while !(0.0..span).contains(&inside) {
        let less = inside - (inside / span).floor() * span;
        // Just below the start: the last digit cannot tell it from a whole turn.
        inside = if less == span || less == inside || !less.is_finite() { 0.0 } else { less };
    }
    let angle = if inside == angle - low { angle } else { low + inside };
    // A number just below the end may become the end as an f32.
    let wrapped = angle as f32;
    if wrapped >= start + turn { start } else { wrapped }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_time_constant_goes_two_thirds_of_the_way_and_arrives() {
        let mut glides = Glides::new(&Values::default());
        let mut targets = Values::default();
        targets.set(RowId::WindSpeed, Value::Float(18.0));
        targets.set(RowId::WindSeed, Value::Int(9));
        let ticks = (RowId::WindSpeed.row().glide * TICK_HERTZ as f32).round() as u32;
        (0..ticks).for_each(|_| glides.step(&targets));
        // From 8 to 18: 10 (1 − 1/e).
        let speed = glides.now().float(RowId::WindSpeed);
        assert!((speed - (8.0 + 10.0 * (1.0 - (-1.0f32).exp()))).abs() < 1e-3, "{speed}");
        assert_eq!(glides.now().int(RowId::WindSeed), 9);
        (0..10_000).for_each(|_| glides.step(&targets));
        assert_eq!(glides.now(), &targets);
    }

    #[test]
    fn angles_go_the_short_way() {
        let mut targets = Values::default();
        targets.set(RowId::WindHeading, Value::Float(170.0));
        let mut glides = Glides::new(&targets);
        targets.set(RowId::WindHeading, Value::Float(-170.0));
        for _ in 0..2000 {
            glides.step(&targets);
            let heading = glides.now().float(RowId::WindHeading);
            assert!(heading.abs() >= 169.99, "{heading}");
        }
        assert_eq!(glides.now().float(RowId::WindHeading), -170.0);
    }

    #[test]
    fn any_number_of_turns_is_undone() {
        for turns in [-1_000_000_007, -3, -2, -1, 0, 1, 2, 3, 400, 1_000_000_007_i64] {
            for angle in [-180.0, -0.5, 0.0, 90.25, 179.5] {
                assert_eq!(wrap(angle + 360.0 * turns as f64, -180.0, 360.0), angle as f32, "{turns} turns");
            }
        }
        assert_eq!(wrap(180.0, -180.0, 360.0), -180.0, "the two ends are one place");
        assert_eq!(wrap(1.0, 0.0, 1.0), 0.0);
        assert_eq!(wrap(-0.0, -180.0, 360.0).to_bits(), (-0.0f32).to_bits(), "what is inside stays");
        for angle in [1e16, -1e16, 1e300, -1e300, f64::MAX, f64::MIN, -1e-300, 179.999_999_999, -180.000_000_000_1] {
            for (start, turn) in [(-180.0, 360.0), (0.0, 1.0), (0.1, 0.3)] {
                let wrapped = wrap(angle, start, turn);
                assert!((start..start + turn).contains(&wrapped), "{angle} gives {wrapped}");
            }
        }
        for angle in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(wrap(angle, -180.0, 360.0).is_nan());
        }
    }
}
