//! Arithmetic that gives the same bits on every machine.
//!
//! Only + − × ÷ √ on f32 and f64, and integers: IEEE 754 fixes their results. Platform functions (`sin`,
//! `exp`, …) and fused multiply-add are not used anywhere in the deterministic layers; these are.

/// The smaller of two numbers; a NaN gives the other, and of two zeros the second is given.
pub fn min(a: f32, b: f32) -> f32 {
    if a < b || b.is_nan() { a } else { b }
}

/// The larger of two numbers; a NaN gives the other, and of two zeros the second is given.
pub fn max(a: f32, b: f32) -> f32 {
    if a > b || b.is_nan() { a } else { b }
}

/// e to the x.
pub fn exp(x: f64) -> f64 {
    x.exp()
}
/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    x.ln()
}
/// Cube root.
pub fn cbrt(x: f64) -> f64 {
    x.cbrt()
}
