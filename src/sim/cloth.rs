//! The state of a cloth: positions and velocities as structure of arrays.
//!
//! Every array is row-major by particle number, which is the order of the digest. It must not know forces
//! or constraints.

use super::cut::Cut;
use super::wind::Wind;
use glam::Vec3;

/// Three arrays of equal length: x, y and z.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axes {
    /// x of each element.
    pub x: Vec<f32>,
    /// y of each element.
    pub y: Vec<f32>,
    /// z of each element.
    pub z: Vec<f32>,
}

impl Axes {
    /// `count` zeros on each axis.
    pub fn zeros(count: usize) -> Self {
        Axes { x: vec![0.0; count], y: vec![0.0; count], z: vec![0.0; count] }
    }

    /// The three arrays.
    pub fn axes(&self) -> [&[f32]; 3] {
        [&self.x, &self.y, &self.z]
    }

    /// The three arrays, to write.
    pub fn axes_mut(&mut self) -> [&mut [f32]; 3] {
        [&mut self.x, &mut self.y, &mut self.z]
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// One element.
    pub fn get(&self, index: usize) -> Vec3 {
        Vec3::new(self.x[index], self.y[index], self.z[index])
    }

    /// Sets one element.
    pub fn set(&mut self, index: usize, value: Vec3) {
        self.x[index] = value.x;
        self.y[index] = value.y;
        self.z[index] = value.z;
    }

    /// Copies all of `other`, which has the same length.
    pub fn copy_from(&mut self, other: &Axes) {
        for (to, from) in self.axes_mut().into_iter().zip(other.axes()) {
            to.copy_from_slice(from);
        }
    }

    /// The first element that is not finite or lies farther out than `reach` on any axis.
    pub fn first_outside(&self, reach: f32) -> Option<usize> {
        // `<=` is false for NaN, so one comparison finds both. The fold has no exit, so that it is fast.
        let inside = |axis: &[f32]| axis.iter().fold(true, |all, value| all & (value.abs() <= reach));
        if self.axes().into_iter().all(inside) {
            return None;
        }
        (0..self.len()).find(|&i| !self.axes().into_iter().all(|axis| axis[i].abs() <= reach))
    }
}

/// Amplitude of the disturbance at reset, m: an exactly flat sheet in a steady wind stays flat for ever.
const DISTURBANCE: f32 = 0.001;
/// Amplitude at zero gravity, as a part of the fly: nothing else breaks the symmetry there.
const DISTURBANCE_WEIGHTLESS: f32 = 0.01;
/// Waves of the disturbance along the fly, at its lowest frequency.
const DISTURBANCE_WAVES: f32 = 6.0;

/// Positions (m) and velocities (m/s) of one cloth.
#[derive(Debug, Clone, PartialEq)]
pub struct Cloth {
    /// Positions, m.
    pub position: Axes,
    /// Velocities, m/s.
    pub velocity: Axes,
}

impl Cloth {
    /// The cut at rest, disturbed across its plane by the seeded shape of `wind`; pins stay in their place.
    pub fn at_rest(cut: &Cut, wind: &Wind, weightless: bool) -> Self {
        let count = cut.count();
        let mut position = Axes::zeros(count);
        let length = cut.spec().length;
        let amplitude = if weightless { DISTURBANCE_WEIGHTLESS * length } else { DISTURBANCE };
        for number in 0..count {
            let rest = cut.rest(number);
            if cut.inverse_mass()[number] == 0.0 {
                position.set(number, rest);
                continue;
            }
            let local = (rest - cut.spec().position) * (DISTURBANCE_WAVES / length);
            let shape = wind.shape(local.to_array());
            position.set(number, rest + cut.normal() * (amplitude * shape));
        }
        Cloth { position, velocity: Axes::zeros(count) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cut::tests::pole;
    use super::super::cut::{Cut, Mass};
    use super::super::wind::WindSettings;
    use super::*;

    #[test]
    fn the_disturbance_is_seeded_small_and_across() {
        let cut = Cut::new(pole(16, 10, 1.6, 1.0, Mass::Areal(0.15)));
        let wind = |seed| Wind::new(WindSettings { seed, ..WindSettings::default() }).expect("in reach");
        let (one, two) = (Cloth::at_rest(&cut, &wind(1), false), Cloth::at_rest(&cut, &wind(2), false));
        assert_ne!(one, two);
        assert_eq!(one, Cloth::at_rest(&cut, &wind(1), false));
        let largest = one.position.z.iter().fold(0.0f32, |most, z| most.max(z.abs()));
        assert!(largest > 0.0003 && largest <= 0.001, "{largest}");
        assert_eq!(one.position.z[0], 0.0);
        for number in 0..cut.count() {
            assert_eq!(one.position.get(number).truncate(), cut.rest(number).truncate());
        }
        let weightless = Cloth::at_rest(&cut, &wind(1), true);
        let largest = weightless.position.z.iter().fold(0.0f32, |most, z| most.max(z.abs()));
        assert!(largest > 0.004 && largest <= 0.016, "{largest}");
    }

    #[test]
    fn what_lies_outside_is_found() {
        let mut axes = Axes::zeros(20);
        assert_eq!(axes.first_outside(10.0), None);
        axes.y[7] = -11.0;
        assert_eq!(axes.first_outside(10.0), Some(7));
        axes.x[3] = f32::NAN;
        assert_eq!(axes.first_outside(10.0), Some(3));
        axes.z[0] = f32::NEG_INFINITY;
        assert_eq!(axes.first_outside(10.0), Some(0));
    }
}
