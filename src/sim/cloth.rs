//! The state of a cloth: positions, inverse masses and velocities, in the layout of its [`Grid`].
//!
//! Readers from outside ask by particle number, row × columns + column, which is the order of the digest.
//! It must not know forces or constraints.

use super::cut::Cut;
use super::grid::Grid;
use super::lanes::{Block, Block3};
use super::wind::Wind;
use glam::Vec3;

/// Amplitude of the disturbance at reset, m: an exactly flat sheet in a steady wind stays flat for ever.
const DISTURBANCE: f32 = 0.001;
/// Amplitude at zero gravity, as a part of the fly: nothing else breaks the symmetry there.
const DISTURBANCE_WEIGHTLESS: f32 = 0.01;
/// Waves of the disturbance along the fly, at its lowest frequency.
const DISTURBANCE_WAVES: f32 = 6.0;

/// Eight particles: positions (m) and inverse masses (1/kg; 0 for what is not moved by forces).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Particles {
    /// Positions, x.
    pub x: Block,
    /// Positions, y.
    pub y: Block,
    /// Positions, z.
    pub z: Block,
    /// Inverse masses.
    pub inverse_mass: Block,
}

/// One cloth.
#[derive(Debug, Clone, PartialEq)]
pub struct Cloth {
    grid: Grid,
    /// In the order of the grid's blocks.
    pub particles: Vec<Particles>,
    /// Velocities, m/s, in the same order.
    pub velocity: Vec<Block3>,
}

impl Cloth {
    /// The cut at rest, disturbed across its plane by the seeded shape of `wind`; pins stay in their place.
    pub fn at_rest(cut: &Cut, wind: &Wind, weightless: bool) -> Self {
        let grid = cut.grid();
        let (particles, velocity) = (vec![Particles::default(); grid.len()], vec![Block3::default(); grid.len()]);
        let mut cloth = Cloth { grid, particles, velocity };
        let length = cut.spec().length;
        let amplitude = if weightless { DISTURBANCE_WEIGHTLESS * length } else { DISTURBANCE };
        let shape = wind.shape();
        for number in 0..grid.count() {
            let (rest, inverse_mass) = (cut.rest(number), cut.inverse_mass(number));
            cloth.set_inverse_mass(number, inverse_mass);
            let local = (rest - cut.spec().position) * (DISTURBANCE_WAVES / length);
            let away = if inverse_mass == 0.0 { 0.0 } else { amplitude * shape.sample(local.to_array())[2] };
            cloth.set_position(number, rest + cut.normal() * away);
        }
        cloth
    }

    /// Its layout.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Position of a particle, m.
    pub fn position(&self, number: usize) -> Vec3 {
        let slot = self.grid.slot(number);
        let here = &self.particles[slot.block];
        Vec3::new(here.x.0[slot.lane], here.y.0[slot.lane], here.z.0[slot.lane])
    }

    /// Sets the position of a particle, m.
    pub fn set_position(&mut self, number: usize, place: Vec3) {
        let slot = self.grid.slot(number);
        let here = &mut self.particles[slot.block];
        (here.x.0[slot.lane], here.y.0[slot.lane], here.z.0[slot.lane]) = place.into();
    }

    /// Velocity of a particle, m/s.
    pub fn velocity(&self, number: usize) -> Vec3 {
        let slot = self.grid.slot(number);
        let here = &self.velocity[slot.block];
        Vec3::new(here.x.0[slot.lane], here.y.0[slot.lane], here.z.0[slot.lane])
    }

    /// Sets the velocity of a particle, m/s.
    pub fn set_velocity(&mut self, number: usize, velocity: Vec3) {
        let slot = self.grid.slot(number);
        let here = &mut self.velocity[slot.block];
        (here.x.0[slot.lane], here.y.0[slot.lane], here.z.0[slot.lane]) = velocity.into();
    }

    /// Inverse mass of a particle, 1/kg.
    pub fn inverse_mass(&self, number: usize) -> f32 {
        let slot = self.grid.slot(number);
        self.particles[slot.block].inverse_mass.0[slot.lane]
    }

    /// Sets the inverse mass of a particle, 1/kg.
    pub fn set_inverse_mass(&mut self, number: usize, inverse_mass: f32) {
        let slot = self.grid.slot(number);
        self.particles[slot.block].inverse_mass.0[slot.lane] = inverse_mass;
    }

    /// Appends all positions in the order of their numbers, m.
    pub fn copy_positions(&self, out: &mut Vec<[f32; 3]>) {
        let (columns, rows, blocks) = (self.grid.columns(), self.grid.rows(), self.grid.blocks());
        out.reserve(self.grid.count());
        for row in 0..rows {
            let (block, lane) = (row % blocks, row / blocks);
            for column in 0..columns {
                let here = &self.particles[column * blocks + block];
                out.push([here.x.0[lane], here.y.0[lane], here.z.0[lane]]);
            }
        }
    }

    /// The first particle, column by column, that is not finite, lies farther out than `reach` (m) on any axis, or
    /// has no finite velocity.
    pub fn first_outside(&self, reach: f32) -> Option<usize> {
        if self.particles.iter().zip(&self.velocity).all(|(particles, velocity)| sound(particles, velocity, reach)) {
            return None;
        }
        let inside = |place: Vec3, reach: f32| place.to_array().into_iter().all(|value| value.abs() <= reach);
        let (columns, rows) = (self.grid.columns(), self.grid.rows());
        let numbers = (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
        let mut outside = numbers
            .filter(|number| !inside(self.position(*number), reach) || !inside(self.velocity(*number), f32::MAX));
        outside.next()
    }
}

/// Whether eight particles lie within `reach` on every axis and have finite velocities. `<=` is false for
/// NaN, so that one comparison finds both; no early exit, so that it is fast.
#[inline]
pub(super) fn sound(particles: &Particles, velocity: &Block3, reach: f32) -> bool {
    let within = |block: &Block, reach: f32| block.0.iter().fold(true, |all, value| all & (value.abs() <= reach));
    within(&particles.x, reach)
        & within(&particles.y, reach)
        & within(&particles.z, reach)
        & within(&velocity.x, f32::MAX)
        & within(&velocity.y, f32::MAX)
        & within(&velocity.z, f32::MAX)
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
        let largest = |cloth: &Cloth| (0..160).map(|i| cloth.position(i).z.abs()).fold(0.0f32, f32::max);
        assert!(largest(&one) > 0.0003 && largest(&one) <= 0.001, "{}", largest(&one));
        assert_eq!(one.position(0).z, 0.0);
        for number in 0..cut.count() {
            assert_eq!(one.position(number).truncate(), cut.rest(number).truncate());
        }
        let weightless = Cloth::at_rest(&cut, &wind(1), true);
        assert!(largest(&weightless) > 0.004 && largest(&weightless) <= 0.016, "{}", largest(&weightless));
    }

    #[test]
    fn positions_come_in_the_order_of_their_numbers() {
        let cut = Cut::new(pole(5, 11, 1.6, 1.0, Mass::Areal(0.15)));
        let wind = Wind::new(WindSettings::default()).expect("in reach");
        let cloth = Cloth::at_rest(&cut, &wind, false);
        let mut all = Vec::new();
        cloth.copy_positions(&mut all);
        let expected: Vec<[f32; 3]> = (0..55).map(|number| cloth.position(number).to_array()).collect();
        assert_eq!(all, expected);
    }

    #[test]
    fn what_lies_outside_is_found() {
        let cut = Cut::new(pole(4, 5, 1.6, 1.0, Mass::Areal(0.15)));
        let wind = Wind::new(WindSettings::default()).expect("in reach");
        let mut cloth = Cloth::at_rest(&cut, &wind, false);
        assert_eq!(cloth.first_outside(10.0), None);
        cloth.set_position(7, Vec3::new(0.0, -11.0, 0.0));
        assert_eq!(cloth.first_outside(10.0), Some(7));
        cloth.set_position(2, Vec3::new(f32::NAN, 0.0, 0.0));
        assert_eq!(cloth.first_outside(10.0), Some(2));
        cloth.set_velocity(0, Vec3::new(0.0, 0.0, f32::NEG_INFINITY));
        assert_eq!(cloth.first_outside(10.0), Some(0));
    }
}
