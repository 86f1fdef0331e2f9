//! The work that every engine is given: a pinned sheet of particles and its distance links.
//!
//! Particle (column, row) has number row × columns + column; column 0 is pinned.

use std::ops::Range;

/// Length along the columns, m.
pub const LENGTH: f32 = 1.6;
/// Length along the rows, m.
pub const WIDTH: f32 = 1.0;
/// Of the whole sheet, kg.
pub const MASS: f32 = 0.2;
/// Along −y, m/s².
pub const GRAVITY: f32 = 9.81;
/// A frame, s.
pub const FRAME: f32 = 1.0 / 60.0;
/// Ticks in a frame, for engines that have them.
pub const TICKS: u32 = 2;
/// Projections of every link in a frame.
pub const SWEEPS: u32 = 16;
/// Of a hanging sheet, 1/s: it comes to rest within seconds. Where it comes to rest does not depend on it.
const HUNG_DAMPING: f32 = 4.0;

/// How the sheet lies before it is let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pose {
    /// Level, the pinned edge along z: it swings down. This is what is timed.
    Level,
    /// Hanging from the pinned edge, at its rest length. This is what is left to stretch.
    Hung,
}

/// The order in which peers get the links; those that have an order of their own take that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Twelve colours: each family of links in two halves that share no particle.
    Colours,
    /// Pennon's order: family by family, each from the pinned edge outward.
    Fibre,
}

/// A sheet and its links.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Particles from the pinned edge outward.
    pub columns: usize,
    /// Particles along the pinned edge.
    pub rows: usize,
    /// How it lies.
    pub pose: Pose,
    /// Decay rate of all velocity, 1/s.
    pub damping: f32,
    /// Where each particle starts, m.
    pub positions: Vec<[f32; 3]>,
    /// 1/kg; 0 is pinned. Mass goes by area: half at an edge, a quarter at a corner.
    pub inverse_masses: Vec<f32>,
    /// Two particles of each link, in the order of projection.
    pub links: Vec<[u32; 2]>,
}

impl Scene {
    /// A sheet of `columns` × `rows` particles.
    pub fn new(columns: usize, rows: usize, pose: Pose, order: Order) -> Self {
        let count = columns * rows;
        let [along, across] = [LENGTH / (columns - 1) as f32, WIDTH / (rows - 1) as f32];
        let place = |number: usize| {
            let x = along * (number % columns) as f32;
            let y = across * (number / columns) as f32 - 0.5 * WIDTH;
            match pose {
                Pose::Level => [x, 0.0, y],
                Pose::Hung => [y, -x, 0.0],
            }
        };
        let share = |at: usize, count: usize| if at == 0 || at + 1 == count { 0.5 } else { 1.0 };
        let quad = MASS / ((columns - 1) * (rows - 1)) as f32;
        let inverse_mass = |number: usize| match number % columns {
            0 => 0.0,
            column => 1.0 / (quad * share(column, columns) * share(number / columns, rows)),
        };
        Scene {
            columns,
            rows,
            pose,
            damping: if pose == Pose::Hung { HUNG_DAMPING } else { 0.0 },
            positions: (0..count).map(place).collect(),
            inverse_masses: (0..count).map(inverse_mass).collect(),
            links: links(columns, rows, order),
        }
    }

    /// The distance of two particles at rest, m.
    pub fn rest_length(&self, ends: [u32; 2]) -> f32 {
        let [a, b] = ends.map(|end| self.positions[end as usize]);
        let square = (0..3).map(|axis| (b[axis] - a[axis]) * (b[axis] - a[axis])).sum::<f32>();
        square.sqrt()
    }

    /// Mean stretch of the threads from the pinned edge outward, in per cent.
    pub fn stretch_percent(&self, positions: &[[f32; 3]]) -> f64 {
        let mut sum = 0.0;
        for row in 0..self.rows {
            for i in row * self.columns..(row + 1) * self.columns - 1 {
                let [a, b] = [positions[i], positions[i + 1]].map(|p| p.map(f64::from));
                let square = (0..3).map(|axis| (b[axis] - a[axis]) * (b[axis] - a[axis])).sum::<f64>();
                sum += square.sqrt();
            }
        }
        let rest = f64::from(LENGTH) * self.rows as f64;
        (sum / rest - 1.0) * 100.0
    }

    /// The middle of the free edge.
    pub fn tip(&self) -> usize {
        self.rows / 2 * self.columns + self.columns - 1
    }
}

/// One family of links: from every particle of a window of the grid to the one `step` further.
struct Family {
    columns: Range<usize>,
    rows: Range<usize>,
    /// Columns and rows to the other end.
    step: [isize; 2],
}

fn links(columns: usize, rows: usize, order: Order) -> Vec<[u32; 2]> {
    // Bend, shear, then the threads: the families in Pennon's order.
    let families = [
        Family { columns: 0..columns, rows: 0..rows - 2, step: [0, 2] },
        Family { columns: 0..columns - 2, rows: 0..rows, step: [2, 0] },
        Family { columns: 0..columns - 1, rows: 0..rows - 1, step: [1, 1] },
        Family { columns: 0..columns - 1, rows: 1..rows, step: [1, -1] },
        Family { columns: 0..columns - 1, rows: 0..rows, step: [1, 0] },
        Family { columns: 0..columns, rows: 0..rows - 1, step: [0, 1] },
    ];
    let mut links = Vec::new();
    for family in families {
        let by_rows = family.step[0] == 0;
        let [outer, inner] = if by_rows { [&family.rows, &family.columns] } else { [&family.columns, &family.rows] };
        let length = family.step[usize::from(by_rows)].unsigned_abs();
        let mut push = |outer: usize| {
            for inner in inner.clone() {
                let [column, row] = if by_rows { [inner, outer] } else { [outer, inner] };
                let other = |at: usize, step: isize| at.wrapping_add_signed(step);
                let end = other(row, family.step[1]) * columns + other(column, family.step[0]);
                links.push([(row * columns + column) as u32, end as u32]);
            }
        };
        match order {
            Order::Fibre => outer.clone().for_each(push),
            Order::Colours => {
                for colour in 0..2 {
                    outer.clone().filter(|at| at / length % 2 == colour).for_each(&mut push);
                }
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn links_are_as_many_as_the_families_have_and_none_is_double() {
        for order in [Order::Colours, Order::Fibre] {
            let scene = Scene::new(32, 20, Pose::Level, order);
            assert_eq!(scene.links.len(), 3582);
            let different: BTreeSet<_> = scene.links.iter().map(|[a, b]| [a.min(b), a.max(b)]).collect();
            assert_eq!(different.len(), 3582);
            let longest = scene.links.iter().map(|ends| scene.rest_length(*ends)).fold(0.0, f32::max);
            assert!(longest <= 2.01 * WIDTH / 19.0, "{longest}");
        }
    }

    #[test]
    fn twelve_colours_share_no_particle() {
        let scene = Scene::new(9, 7, Pose::Level, Order::Colours);
        // A new colour begins where a particle comes again; there are never more than twelve.
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        let mut colours = 1;
        for [a, b] in &scene.links {
            if seen.contains(a) || seen.contains(b) {
                seen.clear();
                colours += 1;
            }
            seen.extend([a, b]);
        }
        assert!(colours <= 12, "{colours}");
    }

    #[test]
    fn the_mass_of_the_free_particles_and_the_pinned_edge_is_the_whole() {
        let scene = Scene::new(9, 5, Pose::Hung, Order::Colours);
        let free: f32 =
            scene.inverse_masses.iter().filter(|inverse| **inverse > 0.0).map(|inverse| 1.0 / inverse).sum();
        // The pinned column holds half the area of its quads.
        assert!((free - MASS * (1.0 - 0.5 / 8.0)).abs() < 1e-6, "{free}");
        assert!(scene.stretch_percent(&scene.positions).abs() < 1e-4);
    }
}
