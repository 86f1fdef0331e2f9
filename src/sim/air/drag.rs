//! Drag on particles: a = drag · (wind − v), whichever way the cloth faces.
//!
//! Source document: the SIMD Verlet wind, where it is a force on particles of mass 1. Here it is an
//! acceleration, so that it means the same on every grid.

use super::super::lanes::Real;

/// The part of the way to the wind's velocity that a particle goes in `h` seconds at `drag` per second: the
/// implicit step, at most all of it.
pub fn share(drag: f32, h: f32) -> f32 {
    drag * h / (1.0 + drag * h)
}

/// The velocity (m/s) after drag took its `share` of the way to the `wind`.
#[inline(always)]
pub fn toward<R: Real>(velocity: R, wind: R, share: R) -> R {
    velocity + share * (wind - velocity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_drag_changes_nothing_and_no_drag_overshoots() {
        for drag in [0.0f32, 0.05, 4.0, 1e6, 1e30] {
            let share = share(drag, 1.0 / 1920.0);
            let v = [-3.0f32, 1.0].map(|v| toward(v, 8.0, share));
            assert!(v.iter().all(|v| *v >= -3.0 && *v <= 8.0), "{drag}: {v:?}");
            if drag == 0.0 {
                assert_eq!(v, [-3.0, 1.0]);
            }
        }
    }

    #[test]
    fn small_steps_follow_the_exponential() {
        let mut v = 0.0f32;
        for _ in 0..1920 {
            v = toward(v, 8.0, share(0.5, 1.0 / 1920.0));
        }
        let exact = 8.0 * (1.0 - (-0.5f32).exp());
        assert!((v - exact).abs() < 1e-3, "{v}");
    }
}
