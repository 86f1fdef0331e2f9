//! The sheet law: pressure across each quad and friction along it.
//!
//! Source document: the SIMD Verlet wind, its per-quad aerodynamics. With r the wind relative to the quad's
//! mean velocity, n its unit normal from the diagonals and A half the length of their cross product,
//!
//!   F = ½ρ Cn A (n·r)|n·r| n + ½ρ Cf A |t| t,   t = r − (n·r) n,
//!
//! a quarter on each corner. The signed n·r is the flutter: a quad that turns edge-on is let go, overshoots
//! and catches the wind on its other face.

use super::super::cloth::Axes;

/// A quad whose diagonals' cross product is shorter than this has no direction, m². (source document)
const SMALLEST_CROSS: f32 = 1e-12;

/// The law's constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SheetLaw {
    /// ½ρ Cn, kg/m³.
    pub normal: f32,
    /// ½ρ Cf, kg/m³.
    pub friction: f32,
}

impl SheetLaw {
    /// From the density of the air (kg/m³) and the two coefficients.
    pub fn new(density: f32, normal_coefficient: f32, friction_coefficient: f32) -> Self {
        SheetLaw { normal: 0.5 * density * normal_coefficient, friction: 0.5 * density * friction_coefficient }
    }

    /// Whether it does nothing at all.
    pub fn is_nothing(&self) -> bool {
        self.normal == 0.0 && self.friction == 0.0
    }
}

/// Forces on the quads of a grid, N, with a border of zeros so that every particle has four quads.
#[derive(Debug, Clone)]
pub struct QuadForces {
    columns: usize,
    rows: usize,
    force: Axes,
}

impl QuadForces {
    /// No force on a grid of `columns` × `rows` particles.
    pub fn new(columns: usize, rows: usize) -> Self {
        QuadForces { columns, rows, force: Axes::zeros((columns + 1) * (rows + 1)) }
    }

    /// Works out the force on every quad. `position` (m) and `velocity` (m/s) are per particle, `wind` (m/s)
    /// and `quad_inverse_mass` (1/kg) per quad, row by row. `h` is the substep (s) of the implicit guard;
    /// 0 gives the bare law.
    pub fn update(
        &mut self,
        position: &Axes,
        velocity: &Axes,
        wind: &Axes,
        quad_inverse_mass: &[f32],
        law: SheetLaw,
        h: f32,
    ) {
        let (columns, quads) = (self.columns, self.columns - 1);
        for row in 0..self.rows - 1 {
            let top = row * columns..(row + 1) * columns;
            let bottom = (row + 1) * columns..(row + 2) * columns;
            let here = row * quads..(row + 1) * quads;
            let out = (row + 1) * (columns + 1) + 1..(row + 1) * (columns + 1) + columns;
            fn cut(axes: &Axes, range: std::ops::Range<usize>) -> [&[f32]; 3] {
                axes.axes().map(|axis| &axis[range.clone()])
            }
            quad_row(
                [cut(position, top.clone()), cut(position, bottom.clone())],
                [cut(velocity, top), cut(velocity, bottom)],
                cut(wind, here.clone()),
                &quad_inverse_mass[here],
                law,
                h,
                self.force.axes_mut().map(|axis| &mut axis[out.clone()]),
            );
        }
    }

    /// Adds `h` × force × inverse mass to each particle's velocity: a quarter of each of its quads, in the
    /// order up-left, up-right, down-left, down-right.
    pub fn push(&self, velocity: &mut Axes, inverse_mass: &[f32], h: f32) {
        let columns = self.columns;
        for (force, velocity) in self.force.axes().into_iter().zip(velocity.axes_mut()) {
            for row in 0..self.rows {
                let up = &force[row * (columns + 1)..(row + 1) * (columns + 1)];
                let down = &force[(row + 1) * (columns + 1)..(row + 2) * (columns + 1)];
                let range = row * columns..(row + 1) * columns;
                let (velocity, inverse_mass) = (&mut velocity[range.clone()], &inverse_mass[range]);
                for column in 0..columns {
                    let sum = up[column] + up[column + 1] + down[column] + down[column + 1];
                    velocity[column] += (0.25 * h) * (inverse_mass[column] * sum);
                }
            }
        }
    }

    /// Force on one particle, N: a quarter of each of its quads.
    pub fn on_particle(&self, number: usize) -> [f32; 3] {
        let (row, column) = (number / self.columns, number % self.columns);
        let first = row * (self.columns + 1) + column;
        let below = first + self.columns + 1;
        self.force.axes().map(|f| 0.25 * (f[first] + f[first + 1] + f[below] + f[below + 1]))
    }

    /// Σ|F| over the quads, N. Summed row by row in f64.
    pub fn total(&self) -> f32 {
        let [x, y, z] = self.force.axes();
        let mut sum = 0.0f64;
        for i in 0..x.len() {
            sum += f64::from((x[i] * x[i] + y[i] * y[i] + z[i] * z[i]).sqrt());
        }
        sum as f32
    }
}

/// The law on one row of quads between two rows of particles.
#[inline(always)]
fn quad_row(
    [top, bottom]: [[&[f32]; 3]; 2],
    [top_velocity, bottom_velocity]: [[&[f32]; 3]; 2],
    wind: [&[f32]; 3],
    quad_inverse_mass: &[f32],
    law: SheetLaw,
    h: f32,
    out: [&mut [f32]; 3],
) {
    let count = quad_inverse_mass.len();
    let corners = |rows: [&[f32]; 2], i: usize| [rows[0][i], rows[0][i + 1], rows[1][i], rows[1][i + 1]];
    let [out_x, out_y, out_z] = out;
    for i in 0..count {
        let (mut u, mut v, mut r) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let p = corners([&top[axis][..count + 1], &bottom[axis][..count + 1]], i);
            u[axis] = p[3] - p[0];
            v[axis] = p[2] - p[1];
            let w = corners([&top_velocity[axis][..count + 1], &bottom_velocity[axis][..count + 1]], i);
            r[axis] = wind[axis][i] - (w[0] + w[1] + w[2] + w[3]) * 0.25;
        }
        let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let length = (cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]).sqrt();
        let sound = length >= SMALLEST_CROSS;
        let inverse = 1.0 / if sound { length } else { 1.0 };
        let n = cross.map(|part| part * inverse);
        let area = 0.5 * length;
        let across = r[0] * n[0] + r[1] * n[1] + r[2] * n[2];
        let t = [r[0] - across * n[0], r[1] - across * n[1], r[2] - across * n[2]];
        let along = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt();
        // Force per relative velocity, kg/s, and the implicit step's weakening of it.
        let normal = law.normal * area * across.abs();
        let friction = law.friction * area * along;
        let normal = normal / (1.0 + normal * quad_inverse_mass[i] * h) * across;
        let friction = friction / (1.0 + friction * quad_inverse_mass[i] * h);
        let force = |axis: usize| if sound { normal * n[axis] + friction * t[axis] } else { 0.0 };
        out_x[i] = force(0);
        out_y[i] = force(1);
        out_z[i] = force(2);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::flag::fill_centroids;
    use super::super::super::wind::{SampleScratch, Wind, WindSettings};
    use super::*;
    use glam::Vec3;

    fn sheet(columns: usize, rows: usize, place: impl Fn(usize, usize) -> Vec3) -> Axes {
        let mut axes = Axes::zeros(columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                axes.set(row * columns + column, place(column, row));
            }
        }
        axes
    }

    fn uniform(count: usize, wind: Vec3) -> Axes {
        let mut axes = Axes::zeros(count);
        (0..count).for_each(|i| axes.set(i, wind));
        axes
    }

    /// Σ|F| on a resting 12 × 12 sheet in a steady wind along x.
    fn total(face_on: bool, law: SheetLaw) -> f32 {
        let position = sheet(12, 12, |column, row| {
            let (a, b) = (column as f32 * 0.1, row as f32 * 0.1);
            if face_on { Vec3::new(0.0, a, b) } else { Vec3::new(a, b, 0.0) }
        });
        let mut forces = QuadForces::new(12, 12);
        let wind = uniform(121, Vec3::new(8.0, 0.0, 0.0));
        forces.update(&position, &Axes::zeros(144), &wind, &[0.0; 121], law, 0.0);
        forces.total()
    }

    #[test]
    fn forces_equal_the_independent_ones() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../../tests/data/air.json")).expect("golden data");
        let cases = golden["cases"].as_array().expect("cases");
        assert_eq!(cases.len(), 3);
        for case in cases {
            let number = |value: &serde_json::Value| value.as_f64().expect("number");
            let vector =
                |value: &serde_json::Value| Vec3::from_array(std::array::from_fn(|i| number(&value[i]) as f32));
            let single = |key: &str| number(&case[key]) as f32;
            let (columns, rows) = (single("width") as usize, single("height") as usize);
            let list = |key: &str| {
                let list = case[key].as_array().expect(key);
                sheet(columns, rows, |column, row| vector(&list[row * columns + column]))
            };
            let (position, velocity) = (list("positions"), list("velocities"));
            let mut wind = Wind::new(WindSettings {
                mean: vector(&case["mean"]),
                turbulence: single("turbulence"),
                gust_scale: single("gust_scale"),
                gust_rate: single("gust_rate"),
                octaves: single("octaves") as usize,
                seed: single("seed") as i32,
                time_scale: 1.0,
            })
            .expect("octaves in reach");
            wind.set_time(number(&case["time"]));
            let quads = (columns - 1) * (rows - 1);
            let (mut centroids, mut at_quads) = (Axes::zeros(quads), Axes::zeros(quads));
            fill_centroids(&position, columns, rows, &mut centroids);
            wind.sample_many(centroids.axes(), at_quads.axes_mut(), &mut SampleScratch::default());
            let law = SheetLaw::new(single("density"), single("normal_coefficient"), single("friction_coefficient"));
            let mut forces = QuadForces::new(columns, rows);
            forces.update(&position, &velocity, &at_quads, &vec![0.0; at_quads.len()], law, 0.0);
            let expected = case["sheet_forces"].as_array().expect("forces");
            let largest =
                expected.iter().flat_map(|force| (0..3).map(|axis| number(&force[axis]).abs())).fold(0.0, f64::max);
            for (i, force) in expected.iter().enumerate() {
                for axis in 0..3 {
                    let error = (f64::from(forces.on_particle(i)[axis]) - number(&force[axis])).abs();
                    assert!(error <= 1e-5 * largest, "particle {i}: {error} of {largest}");
                }
            }
            let total = number(&case["sheet_force_total"]);
            assert!((f64::from(forces.total()) - total).abs() <= 1e-5 * total);
        }
    }

    #[test]
    fn face_on_and_edge_on_have_the_coefficients_ratio() {
        let law = SheetLaw::new(1.2, 1.28, 0.05);
        let ratio = total(true, law) / total(false, law);
        assert!((ratio - 25.6).abs() < 25.6 * 1e-5, "{ratio}");
        let slippery = SheetLaw::new(1.2, 1.28, 0.0);
        assert!(total(false, slippery) < 1e-6 * total(true, slippery));
        // ½ρ Cn A V²
        let exact = 0.5 * 1.2 * 1.28 * 1.21 * 64.0;
        assert!((total(true, slippery) - exact).abs() < 1e-5 * exact);
    }

    #[test]
    fn air_only_takes_energy_from_the_relative_motion() {
        let position = sheet(5, 4, |column, row| {
            let (x, y) = (column as f32 * 0.1, row as f32 * 0.1);
            Vec3::new(x, y, 0.07 * (x * 9.0 + y * 5.0).sin())
        });
        let velocity = sheet(5, 4, |column, row| Vec3::new(row as f32 - 1.0, 0.3 * column as f32, 2.0));
        for h in [0.0, 0.01] {
            let law = SheetLaw::new(1.2, 1.28, 0.05);
            let wind = uniform(12, Vec3::new(3.0, -1.0, 2.0));
            let mut forces = QuadForces::new(5, 4);
            forces.update(&position, &velocity, &wind, &[100.0; 12], law, h);
            for row in 0..3 {
                for column in 0..4 {
                    let corners = [0, 1, 5, 6].map(|step| velocity.get(row * 5 + column + step));
                    let r = Vec3::new(3.0, -1.0, 2.0) - corners.into_iter().sum::<Vec3>() * 0.25;
                    let force = forces.force.get((row + 1) * 6 + column + 1);
                    assert!(force.dot(r) >= 0.0, "{force} against {r}");
                }
            }
        }
    }

    #[test]
    fn no_setting_turns_the_relative_motion_round() {
        let position = sheet(12, 12, |column, row| Vec3::new(0.0, column as f32 * 0.1, row as f32 * 0.1));
        for (law, h) in [(SheetLaw::new(5.0, 4.0, 1.0), 1.0 / 120.0), (SheetLaw::new(1e6, 1e6, 1e6), 1.0)] {
            let mut velocity = uniform(144, Vec3::new(-20.0, 0.0, 0.0));
            let wind = uniform(121, Vec3::new(40.0, 5.0, 0.0));
            // 1 g per square metre: as light as air itself. Shared by area, as a cut does.
            let mass = |i: usize| {
                let edge = |at: usize| if at == 0 || at == 11 { 0.5 } else { 1.0 };
                1e-5 * edge(i / 12) * edge(i % 12)
            };
            let inverse: Vec<f32> = (0..144).map(|i| 1.0 / mass(i)).collect();
            let mut forces = QuadForces::new(12, 12);
            forces.update(&position, &velocity, &wind, &[1e5; 121], law, h);
            forces.push(&mut velocity, &inverse, h);
            for i in 0..144 {
                let v = velocity.get(i);
                assert!((-20.0..=40.001).contains(&v.x) && (-0.001..=5.001).contains(&v.y), "{v}");
            }
        }
    }

    #[test]
    fn a_collapsed_quad_is_no_force() {
        let mut forces = QuadForces::new(2, 2);
        let wind = uniform(1, Vec3::X);
        forces.update(&Axes::zeros(4), &Axes::zeros(4), &wind, &[1.0], SheetLaw::new(1.2, 1.28, 0.05), 0.01);
        assert_eq!(forces.total(), 0.0);
    }
}
