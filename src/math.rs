//! Arithmetic that gives the same bits on every machine.
//!
//! IEEE 754 fixes + − × ÷ √ to the last bit; it does not fix `sin`, `exp` and their kin, and a fused
//! multiply-add rounds once where two operations round twice. So the deterministic layers use none of
//! these from the platform: they use this file. It must not know anything else.

/// From this many half turns on an f32 resolves less than a quarter of one, and [`sin_half_turns`] is noise; below it
/// the reduction is exact.
pub const HALF_TURNS_REACH: f32 = 2_097_152.0;
/// Adding and taking away 1.5 · 2²³ rounds an f32 to the nearest whole number, and leaves its parity in the lowest bit
/// of the sum.
pub const ROUND: f32 = 12_582_912.0;
/// sin πr ≈ k r (c₀ + r² (c₁ + r² (c₂ + r² (c₃ + r²)))), minimax on ±½; its own error is 3.4e-9. k can be folded into
/// an amplitude.
pub const SINE: [f32; 4] = [40.683_598, -66.921_76, 33.022_884, -7.744_68];
/// k of [`SINE`].
pub const SINE_SCALE: f32 = 0.077_220_13;

/// Sine of `turns` half turns: sin(π · `turns`). Worst error against the real sine of the same f32: 2e-7 for up to
/// [`HALF_TURNS_REACH`] (measured in this file's tests).
///
/// Half turns, because the way to the nearest whole number is exact in f32; radians would need π in four parts. The
/// gusts do the same in lanes.
#[inline(always)]
pub fn sin_half_turns(turns: f32) -> f32 {
    let shifted = turns + ROUND;
    let rest = turns - (shifted - ROUND);
    let square = rest * rest;
    let polynomial = SINE[0] + square * (SINE[1] + square * (SINE[2] + square * (SINE[3] + square)));
    let sine = (rest * SINE_SCALE) * polynomial;
    // Each half turn changes the sign.
    f32::from_bits(sine.to_bits() ^ (shifted.to_bits() << 31))
}

/// The smaller of two numbers. A NaN gives the other one; of two equal numbers (0 and −0) the second is given.
#[inline(always)]
pub fn min(a: f32, b: f32) -> f32 {
    if a < b || b.is_nan() { a } else { b }
}

/// The larger of two numbers. A NaN gives the other one; of two equal numbers (0 and −0) the second is given.
#[inline(always)]
pub fn max(a: f32, b: f32) -> f32 {
    if a > b || b.is_nan() { a } else { b }
}

/// Sine and cosine of `x` radians, within 4e-16 for |x| ≤ 1000.
///
/// Reduction to ±π/4 by two parts of π/2, then the kernels of fdlibm (Sun Microsystems, 1993).
pub fn sin_cos(x: f64) -> (f64, f64) {
    /// π/2 to 33 bits, and what is left.
    const HALF_PI: [f64; 2] = [1.570_796_326_734_125_6, 6.077_100_506_506_192e-11];
    let quarters = (x * std::f64::consts::FRAC_2_PI).round_ties_even();
    let rest = (x - quarters * HALF_PI[0]) - quarters * HALF_PI[1];
    let square = rest * rest;
    let sine = rest + rest * square * polynomial(square, &SIN64);
    let cosine = 1.0 - 0.5 * square + square * square * polynomial(square, &COS64);
    match (quarters as i64).rem_euclid(4) {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

const SIN64: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];
const COS64: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// ln 2 in two parts; the first has zeros enough to make small multiples exact.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];

/// e to the `x`, within one unit in the last place. Saturates to 0 and to infinity. (fdlibm)
pub fn exp(x: f64) -> f64 {
    const P: [f64; 5] = [
        1.666_666_666_666_660_2e-1,
        -2.777_777_777_701_559_3e-3,
        6.613_756_321_437_934e-5,
        -1.653_390_220_546_525_2e-6,
        4.138_136_797_057_238_5e-8,
    ];
    if x.is_nan() {
        return x;
    }
    if x > 709.0 {
        return f64::INFINITY;
    }
    if x < -708.0 {
        return 0.0;
    }
    let power = (x * std::f64::consts::LOG2_E).round_ties_even();
    let high = x - power * LN_2[0];
    let low = power * LN_2[1];
    let rest = high - low;
    let square = rest * rest;
    let c = rest - square * polynomial(square, &P);
    let mantissa = 1.0 - ((low - (rest * c) / (2.0 - c)) - high);
    mantissa * f64::from_bits(((power as i64 + 1023) as u64) << 52)
}

/// Natural logarithm, within one unit in the last place; −∞ at 0, NaN below. (fdlibm)
pub fn ln(x: f64) -> f64 {
    const L: [f64; 7] = [
        6.666_666_666_666_735e-1,
        3.999_999_999_940_942e-1,
        2.857_142_874_366_239e-1,
        2.222_219_843_214_978_4e-1,
        1.818_357_216_161_805e-1,
        1.531_383_769_920_937_3e-1,
        1.479_819_860_511_658_6e-1,
    ];
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return x;
    }
    // A subnormal is scaled up by 2⁵⁴ first.
    let (x, lift) = if x < f64::MIN_POSITIVE { (x * 18_014_398_509_481_984.0, 54) } else { (x, 0) };
    let bits = x.to_bits();
    let mut power = (bits >> 52) as i64 - 1023 - lift;
    let mut mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        power += 1;
    }
    let power = power as f64;
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let square = s * s;
    let tail = square * polynomial(square, &L);
    let half = 0.5 * f * f;
    power * LN_2[0] - ((half - (s * (half + tail) + power * LN_2[1])) - f)
}

/// Cube root of a number that is not negative, within 1e-15 of its size; negative numbers mirror.
pub fn cbrt(x: f64) -> f64 {
    let size = x.abs();
    if size == 0.0 || !size.is_finite() {
        return x;
    }
    let guess = exp(ln(size) / 3.0);
    // One step of Newton's method takes the rounding of exp and ln out.
    let root = guess - (guess * guess * guess - size) / (3.0 * guess * guess);
    if x < 0.0 { -root } else { root }
}

/// c₀ + c₁ x + c₂ x² + …, from the highest down.
#[inline(always)]
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| c + x * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_error_over_the_phases_in_use() {
        for reach in [0.5, 10.0, 1000.0, HALF_TURNS_REACH] {
            let mut worst = 0.0f64;
            for step in 0..=2_000_000u32 {
                let turns = reach * (step as f32 / 1_000_000.0 - 1.0);
                // Whole turns taken off exactly, so that the platform's sine sees a small angle.
                let exact = (f64::from(turns) % 2.0 * std::f64::consts::PI).sin();
                worst = worst.max((f64::from(sin_half_turns(turns)) - exact).abs());
            }
            assert!(worst <= 2e-7, "{worst} within ±{reach}");
        }
        for (turns, sine) in
            [(0.0, 0.0f32), (1.0, 0.0), (-3.0, 0.0), (0.5, 1.0), (1.5, -1.0), (-0.5, -1.0), (100.5, 1.0)]
        {
            assert!((sin_half_turns(turns) - sine).abs() <= 2e-7, "{turns}");
        }
    }

    #[test]
    fn f64_functions_agree_with_published_ones() {
        let close = |a: f64, b: f64, what: &str, x: f64| {
            assert!((a - b).abs() <= 4e-16 * (1.0 + b.abs()), "{what}({x}) = {a}, not {b}");
        };
        for step in -20_000..=20_000 {
            let x = f64::from(step) * 0.05;
            let (sine, cosine) = sin_cos(x);
            assert!((sine - x.sin()).abs() <= 4e-16 && (cosine - x.cos()).abs() <= 4e-16, "{x}: {sine} {cosine}");
            let x = f64::from(step) * 0.000_71;
            close(exp(x), x.exp(), "exp", x);
            close(cbrt(x), x.cbrt(), "cbrt", x);
            if x > 0.0 {
                close(ln(x), x.ln(), "ln", x);
            }
        }
        // The damping factors that the source documents print.
        assert!((exp(-100.0 / 240.0) - 0.659_241).abs() < 5e-7 && (exp(-0.35 / 120.0) - 0.997_088).abs() < 5e-7);
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-800.0), 0.0);
        assert_eq!(exp(800.0), f64::INFINITY);
        assert_eq!(ln(1.0), 0.0);
        assert!(ln(-1.0).is_nan() && exp(f64::NAN).is_nan());
        assert!((ln(1e-310) - 1e-310f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn min_and_max_are_defined_for_zeros_and_nan() {
        for (a, b) in [(0.0f32, -0.0f32), (-0.0, 0.0)] {
            assert_eq!(min(a, b).to_bits(), b.to_bits());
            assert_eq!(max(a, b).to_bits(), b.to_bits());
        }
        assert_eq!(min(f32::NAN, 1.0), 1.0);
        assert_eq!(max(1.0, f32::NAN), 1.0);
        assert!(min(f32::NAN, f32::NAN).is_nan());
    }
}
