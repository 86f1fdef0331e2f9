//! Drag on particles: a = drag · (wind − v), whichever way the cloth faces.
//!
//! Source document: the SIMD Verlet wind, where it is a force on particles of mass 1. Here it is an
//! acceleration, so that it means the same on every grid.

/// Brings velocities toward the wind over `h` seconds at `drag` per second. All slices have one length;
/// particles whose `inverse_mass` is 0 keep their velocity.
pub fn apply(velocity: [&mut [f32]; 3], wind: [&[f32]; 3], inverse_mass: &[f32], drag: f32, h: f32) {
    // The implicit step: at most all of the difference.
    let share = drag * h / (1.0 + drag * h);
    for (axis, wind) in velocity.into_iter().zip(wind) {
        for ((v, wind), inverse_mass) in axis.iter_mut().zip(wind).zip(inverse_mass) {
            let change = share * (wind - *v);
            *v += if *inverse_mass > 0.0 { change } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_drag_changes_nothing_and_no_drag_overshoots() {
        for drag in [0.0f32, 0.05, 4.0, 1e6, 1e30] {
            let mut v = [[-3.0f32], [1.0], [0.0]];
            let [x, y, z] = &mut v;
            apply([x, y, z], [&[8.0], &[0.0], &[0.0]], &[2.0], drag, 1.0 / 1920.0);
            assert!(v[0][0] >= -3.0 && v[0][0] <= 8.0 && v[1][0] >= 0.0, "{drag}: {v:?}");
            if drag == 0.0 {
                assert_eq!(v, [[-3.0], [1.0], [0.0]]);
            }
        }
    }

    #[test]
    fn small_steps_follow_the_exponential() {
        let (mut v, mut still) = ([[0.0f32], [0.0], [0.0]], [[1.0f32], [0.0], [0.0]]);
        for _ in 0..1920 {
            let [x, y, z] = &mut v;
            apply([x, y, z], [&[8.0], &[0.0], &[0.0]], &[2.0], 0.5, 1.0 / 1920.0);
            let [x, y, z] = &mut still;
            apply([x, y, z], [&[8.0], &[0.0], &[0.0]], &[0.0], 0.5, 1.0 / 1920.0);
        }
        let exact = 8.0 * (1.0 - (-0.5f32).exp());
        assert!((v[0][0] - exact).abs() < 1e-3, "{}", v[0][0]);
        assert_eq!(still[0][0], 1.0);
    }
}
