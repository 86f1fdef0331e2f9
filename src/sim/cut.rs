//! The cut of a flag: grid, size, mass, pins, and what follows from them once.
//!
//! Particle (column, row) has number row × columns + column. Column 0 is the hoist; columns run along the
//! fly. A cut never changes; another one is another flag.

use super::grid::Grid;
use super::lanes::Block;
use glam::Vec3;

/// Which families of links hold a cloth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Families {
    /// The threads, between neighbours.
    pub structural: bool,
    /// The diagonals.
    pub shear: bool,
    /// Between every second particle along a thread.
    pub bend: bool,
}

/// How the mass of a flag is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mass {
    /// kg/m²; each particle gets its share of the area.
    Areal(f32),
    /// kg for every particle.
    PerParticle(f32),
}

/// What is asked of a cut. Lengths in metres.
#[derive(Debug, Clone, PartialEq)]
pub struct CutSpec {
    /// Particles along the fly, at least 2.
    pub columns: usize,
    /// Particles along the hoist, at least 2.
    pub rows: usize,
    /// Length along the fly.
    pub length: f32,
    /// Length along the hoist.
    pub width: f32,
    /// Its mass.
    pub mass: Mass,
    /// Middle of the hoist.
    pub position: Vec3,
    /// Direction of the fly at rest, unit.
    pub fly: Vec3,
    /// Direction from row 0 to the last row at rest, unit.
    pub hoist: Vec3,
    /// Numbers of the particles that do not move.
    pub pins: Vec<usize>,
    /// The links.
    pub families: Families,
}

/// The nearest pin of a particle and how far it lies at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anchor {
    /// Number of the pin.
    pub pin: u32,
    /// Distance at rest, m.
    pub path: f32,
}

/// A cut and what follows from it.
#[derive(Debug, Clone)]
pub struct Cut {
    spec: CutSpec,
    /// Spacing at rest along the fly and along the hoist, m.
    spacing: [f32; 2],
    /// Inverse mass of each particle, 1/kg; 0 for pins.
    inverse_mass: Vec<f32>,
    /// Mass of each particle, kg, pins included.
    mass: Vec<f32>,
    /// For each quad the inverse of its own mass, 1/kg: what its corners feel when all quads move together. At the
    /// slot of its corner of lowest column and row; 0 where there is no quad.
    quad_inverse_mass: Vec<Block>,
    /// For each particle its nearest pin; empty without pins.
    anchors: Vec<Anchor>,
    /// Height of the lowest pin, m; ∞ without pins.
    lowest_pin: f32,
}

impl Cut {
    /// Works out masses, pins and paths.
    pub fn new(spec: CutSpec) -> Self {
        let (columns, rows) = (spec.columns.max(2), spec.rows.max(2));
        let spec = CutSpec { columns, rows, ..spec };
        let spacing = [spec.length / (columns - 1) as f32, spec.width / (rows - 1) as f32];
        // How many of its four quads a particle has.
        let quads = |number: usize| {
            let (row, column) = (number / columns, number % columns);
            let sides = |at: usize, count: usize| if at == 0 || at + 1 == count { 1.0 } else { 2.0 };
            sides(row, rows) * sides(column, columns)
        };
        let count = columns * rows;
        let mass: Vec<f32> = (0..count)
            .map(|number| match spec.mass {
                Mass::Areal(density) => density * spacing[0] * spacing[1] * (quads(number) * 0.25),
                Mass::PerParticle(mass) => mass,
            })
            .collect();
        let mut inverse_mass: Vec<f32> = mass.iter().map(|mass| 1.0 / mass).collect();
        let grid = Grid::new(columns, rows);
        let mut quad_inverse_mass = vec![Block::default(); grid.len()];
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let first = row * columns + column;
                let share = |number: usize| inverse_mass[number] * (quads(number) * 0.25);
                let corners = [first, first + 1, first + columns, first + columns + 1].map(share);
                let slot = grid.slot(first);
                quad_inverse_mass[slot.block].0[slot.lane] = corners.into_iter().fold(0.0, crate::math::max);
            }
        }
        for pin in &spec.pins {
            if let Some(inverse) = inverse_mass.get_mut(*pin) {
                *inverse = 0.0;
            }
        }
        let anchors = anchors(&spec, spacing);
        let mut cut = Cut { spec, spacing, inverse_mass, mass, quad_inverse_mass, anchors, lowest_pin: f32::INFINITY };
        let pins = cut.spec.pins.iter().filter(|pin| **pin < count);
        cut.lowest_pin = pins.map(|pin| cut.rest(*pin).y).fold(f32::INFINITY, crate::math::min);
        cut
    }

    /// What was asked.
    pub fn spec(&self) -> &CutSpec {
        &self.spec
    }

    /// Particles along the fly.
    pub fn columns(&self) -> usize {
        self.spec.columns
    }

    /// Particles along the hoist.
    pub fn rows(&self) -> usize {
        self.spec.rows
    }

    /// All particles.
    pub fn count(&self) -> usize {
        self.spec.columns * self.spec.rows
    }

    /// Spacing at rest along the fly and along the hoist, m.
    pub fn spacing(&self) -> [f32; 2] {
        self.spacing
    }

    /// The layout of its particles.
    pub fn grid(&self) -> Grid {
        Grid::new(self.spec.columns, self.spec.rows)
    }

    /// Inverse mass of a particle, 1/kg; 0 for pins.
    pub fn inverse_mass(&self, number: usize) -> f32 {
        self.inverse_mass[number]
    }

    /// Masses, kg, pins included.
    pub fn mass(&self) -> &[f32] {
        &self.mass
    }

    /// Inverse mass of each quad, 1/kg, at the slot of its corner of lowest column and row; 0 where there is none.
    pub fn quad_inverse_mass(&self) -> &[Block] {
        &self.quad_inverse_mass
    }

    /// For each particle its nearest pin, the lower number at a tie; empty without pins.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// Height of the lowest pin, m; ∞ without pins.
    pub fn lowest_pin(&self) -> f32 {
        self.lowest_pin
    }

    /// Where a particle lies at rest, m.
    pub fn rest(&self, number: usize) -> Vec3 {
        let (row, column) = (number / self.spec.columns, number % self.spec.columns);
        let along = self.spacing[0] * column as f32;
        let across = self.spacing[1] * row as f32 - 0.5 * self.spec.width;
        self.spec.position + self.spec.fly * along + self.spec.hoist * across
    }

    /// The direction across the cloth at rest, unit.
    pub fn normal(&self) -> Vec3 {
        self.spec.fly.cross(-self.spec.hoist)
    }

    /// The particle in the middle of the fly edge.
    pub fn tip(&self) -> usize {
        (self.spec.rows / 2) * self.spec.columns + self.spec.columns - 1
    }
}

fn anchors(spec: &CutSpec, spacing: [f32; 2]) -> Vec<Anchor> {
    let mut pins: Vec<usize> = spec.pins.iter().copied().filter(|pin| *pin < spec.columns * spec.rows).collect();
    pins.sort_unstable();
    pins.dedup();
    let place =
        |number: usize| [(number % spec.columns) as f32 * spacing[0], (number / spec.columns) as f32 * spacing[1]];
    // A pinned hoist column is by far the usual case: the pin of the own row is the nearest.
    let hoist = pins.len() == spec.rows && pins.iter().all(|pin| pin % spec.columns == 0);
    (0..spec.columns * spec.rows)
        .filter_map(|number| {
            let [x, y] = place(number);
            if hoist {
                return Some(Anchor { pin: (number - number % spec.columns) as u32, path: x });
            }
            pins.iter()
                .map(|pin| {
                    let [pin_x, pin_y] = place(*pin);
                    let path = ((x - pin_x) * (x - pin_x) + (y - pin_y) * (y - pin_y)).sqrt();
                    Anchor { pin: *pin as u32, path }
                })
                .reduce(|best, anchor| if anchor.path < best.path { anchor } else { best })
        })
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A flag at a pole, the hoist pinned.
    pub fn pole(columns: usize, rows: usize, length: f32, width: f32, mass: Mass) -> CutSpec {
        CutSpec {
            columns,
            rows,
            length,
            width,
            mass,
            position: Vec3::ZERO,
            fly: Vec3::X,
            hoist: -Vec3::Y,
            pins: (0..rows).map(|row| row * columns).collect(),
            families: Families { structural: true, shear: true, bend: true },
        }
    }

    #[test]
    fn mass_is_shared_by_area_and_sums_to_the_whole() {
        let cut = Cut::new(pole(9, 5, 1.6, 1.0, Mass::Areal(0.15)));
        let total: f32 = cut.mass().iter().sum();
        assert!((total - 0.24).abs() < 1e-6, "{total}");
        // A corner has a quarter of an inner particle's mass.
        assert!((cut.mass()[0] * 4.0 - cut.mass()[10]).abs() < 1e-9);
        assert_eq!(cut.inverse_mass(9), 0.0);
        // Shared by area, every quad has the mass of its own area.
        let quad = 0.15 * 0.2 * 0.25;
        let inverses = cut.quad_inverse_mass().iter().flat_map(|block| block.0);
        let there: Vec<f32> = inverses.filter(|inverse| *inverse != 0.0).collect();
        assert_eq!(there.len(), 8 * 4);
        for inverse in there {
            assert!((inverse * quad - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn rest_shape_and_normal_of_pole_and_bar() {
        let cut = Cut::new(pole(3, 3, 2.0, 1.0, Mass::PerParticle(1.0)));
        assert_eq!(cut.rest(0), Vec3::new(0.0, 0.5, 0.0));
        assert_eq!(cut.rest(8), Vec3::new(2.0, -0.5, 0.0));
        assert_eq!(cut.normal(), Vec3::Z);
        assert_eq!(cut.tip(), 5);
        let bar = CutSpec { fly: -Vec3::Y, hoist: Vec3::X, ..pole(3, 3, 2.0, 1.0, Mass::PerParticle(1.0)) };
        let bar = Cut::new(bar);
        assert_eq!(bar.rest(8), Vec3::new(0.5, -2.0, 0.0));
    }

    #[test]
    fn anchors_are_the_nearest_pins() {
        let cut = Cut::new(pole(4, 3, 3.0, 2.0, Mass::PerParticle(1.0)));
        assert_eq!(cut.anchors()[6], Anchor { pin: 4, path: 2.0 });
        let corners = CutSpec { pins: vec![8, 0], ..pole(4, 3, 3.0, 2.0, Mass::PerParticle(1.0)) };
        let cut = Cut::new(corners);
        // The middle row is as far from both: the lower number.
        assert_eq!(cut.anchors()[5], Anchor { pin: 0, path: 2f32.sqrt() });
        assert_eq!(cut.lowest_pin(), -1.0);
        assert_eq!(cut.anchors()[11], Anchor { pin: 8, path: 3.0 });
        let free = CutSpec { pins: vec![], ..pole(4, 3, 3.0, 2.0, Mass::PerParticle(1.0)) };
        let cut = Cut::new(free);
        assert!(cut.anchors().is_empty() && cut.lowest_pin() == f32::INFINITY);
    }
}
