//! The cloth's surface from its particles: a finer grid, smooth normals and how much each place is folded.
//!
//! Plain arithmetic on slices, without Bevy, so that a sketch can use it for its own drawing too.

use glam::Vec3;

/// Grids up to this many particles are drawn at twice their resolution; larger ones are fine enough.
const REFINED_UP_TO: usize = 12_000;

/// One flag's surface, row by row (row × columns + column).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surface {
    /// Points along the fly.
    pub columns: usize,
    /// Points along the hoist.
    pub rows: usize,
    /// Places, m.
    pub positions: Vec<Vec3>,
    /// Unit normals, weighted by area; toward the viewer (+z) on a flag at rest.
    pub normals: Vec<Vec3>,
    /// Signed curvature, 1/m: positive where the side of the normal is hollow.
    pub hollow: Vec<f32>,
}

impl Surface {
    /// Builds the surface of a grid, reusing this one's memory. `positions` holds rows × columns places.
    pub fn build(&mut self, positions: &[[f32; 3]], columns: usize, rows: usize) {
        self.positions.clear();
        if columns < 2 || rows < 2 || positions.len() != columns * rows {
            (self.columns, self.rows) = (0, 0);
            self.normals.clear();
            self.hollow.clear();
            return;
        }
        self.positions.extend(positions.iter().map(|place| Vec3::from_array(*place)));
        (self.columns, self.rows) = (columns, rows);
        self.measure_normals();
        self.measure_hollow();
        soften(&mut self.hollow, columns, 2, 0.0);
        soften(&mut self.normals, columns, 1, Vec3::ZERO);
        if columns * rows <= REFINED_UP_TO {
            self.refine();
        }
        for normal in &mut self.normals {
            *normal = normal.normalize_or(Vec3::Z);
        }
    }

    /// Two triangles a cell, each counter-clockwise seen from the side of the normal.
    pub fn indices(&self, first: u32, out: &mut Vec<u32>) {
        let columns = self.columns as u32;
        for row in 0..self.rows.saturating_sub(1) as u32 {
            for column in 0..columns.saturating_sub(1) {
                let here = first + row * columns + column;
                let below = here + columns;
                out.extend([here, below, below + 1, here, below + 1, here + 1]);
            }
        }
    }

    fn at(&self, column: usize, row: usize) -> Vec3 {
        self.positions[row * self.columns + column]
    }

    /// The sum of the cross products of the four cells around a point is the area-weighted normal.
    fn measure_normals(&mut self) {
        let (columns, rows) = (self.columns, self.rows);
        self.normals.clear();
        self.normals.resize(columns * rows, Vec3::ZERO);
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let here = row * columns + column;
                let below = here + columns;
                let p = &self.positions;
                let (a, b, c, d) = (p[here], p[here + 1], p[below], p[below + 1]);
                // The diagonals' cross product is twice the cell's area vector.
                let area = (d - a).cross(b - c);
                for corner in [here, here + 1, below, below + 1] {
                    self.normals[corner] += area;
                }
            }
        }
        for normal in &mut self.normals {
            *normal = normal.normalize_or(Vec3::Z);
        }
    }

    /// Mean curvature from second differences along both threads.
    fn measure_hollow(&mut self) {
        let (columns, rows) = (self.columns, self.rows);
        self.hollow.clear();
        for row in 0..rows {
            for column in 0..columns {
                let here = row * columns + column;
                let (place, normal) = (self.positions[here], self.normals[here]);
                let mut hollow = 0.0;
                let mut along = |before: Option<Vec3>, after: Option<Vec3>| {
                    if let (Some(before), Some(after)) = (before, after) {
                        let step2 = 0.5 * ((after - place).length_squared() + (before - place).length_squared());
                        if step2 > f32::MIN_POSITIVE {
                            hollow += (before + after - 2.0 * place).dot(normal) / step2;
                        }
                    }
                };
                let inner = |index: usize, count: usize| index > 0 && index + 1 < count;
                if inner(column, columns) {
                    along(Some(self.at(column - 1, row)), Some(self.at(column + 1, row)));
                }
                if inner(row, rows) {
                    along(Some(self.at(column, row - 1)), Some(self.at(column, row + 1)));
                }
                self.hollow.push(hollow);
            }
        }
    }

    /// Doubles the grid. Places lie on Catmull-Rom curves through the known ones, so that an outline has no
    /// corners; what only shades is half way between its neighbours.
    fn refine(&mut self) {
        let (columns, rows) = (self.columns, self.rows);
        let curve = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| between(a, b, c, d);
        self.positions = double(&self.positions, columns, curve);
        self.normals = double(&self.normals, columns, |_, b, c, _| b + c);
        self.hollow = double(&self.hollow, columns, |_, b, c, _| 0.5 * (b + c));
        (self.columns, self.rows) = (2 * columns - 1, 2 * rows - 1);
    }
}

/// Twice the resolution both ways; `between` makes a value from the two before and the two after it.
fn double<T: Copy>(values: &[T], columns: usize, between: impl Fn(T, T, T, T) -> T) -> Vec<T> {
    let wide = 2 * columns - 1;
    let mut lines = Vec::with_capacity(2 * wide * values.len() / columns);
    for line in values.chunks_exact(columns) {
        for index in 0..columns {
            lines.push(line[index]);
            if index + 1 < columns {
                let [a, b, c, d] = around(index, columns).map(|index| line[index]);
                lines.push(between(a, b, c, d));
            }
        }
    }
    let rows = values.len() / columns;
    let mut out = Vec::with_capacity(2 * lines.len());
    for row in 0..rows {
        out.extend_from_slice(&lines[row * wide..(row + 1) * wide]);
        if row + 1 < rows {
            let [a, b, c, d] = around(row, rows).map(|row| row * wide);
            out.extend((0..wide).map(|i| between(lines[a + i], lines[b + i], lines[c + i], lines[d + i])));
        }
    }
    out
}

/// The two before and the two after the gap behind `index`; at an end its last one stands in.
fn around(index: usize, count: usize) -> [usize; 4] {
    [index.saturating_sub(1), index, index + 1, (index + 2).min(count - 1)]
}

/// Weighs each value with its neighbours 1:2:1 along both threads, so that the shading shows folds and not
/// the solver's jitter from particle to particle. Ends keep their own value.
fn soften<T>(values: &mut [T], columns: usize, passes: usize, zero: T)
where
    T: Copy + std::ops::Add<Output = T> + std::ops::Mul<f32, Output = T>,
{
    let rows = values.len() / columns;
    let mut old = vec![zero; columns.max(rows)];
    for _ in 0..passes {
        for row in 0..rows {
            let line = &mut values[row * columns..(row + 1) * columns];
            old[..columns].copy_from_slice(line);
            for i in 1..columns - 1 {
                line[i] = old[i] * 0.5 + (old[i - 1] + old[i + 1]) * 0.25;
            }
        }
        for column in 0..columns {
            for row in 0..rows {
                old[row] = values[row * columns + column];
            }
            for row in 1..rows - 1 {
                values[row * columns + column] = old[row] * 0.5 + (old[row - 1] + old[row + 1]) * 0.25;
            }
        }
    }
}

/// Half way between `b` and `c` on the Catmull-Rom curve through four points.
fn between(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Vec3 {
    0.5625 * (b + c) - 0.0625 * (a + d)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sheet bent to a cylinder of this radius about the vertical, hollow toward the viewer.
    fn cylinder(radius: f32, columns: usize, rows: usize) -> Vec<[f32; 3]> {
        let mut places = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let turn = (column as f32 / (columns - 1) as f32 - 0.5) * 1.5;
                places.push([radius * turn.sin(), -0.02 * row as f32, radius * (1.0 - turn.cos())]);
            }
        }
        places
    }

    #[test]
    fn a_flat_flag_looks_at_the_viewer_and_is_not_hollow() {
        let places: Vec<_> = (0..12).map(|i| [(i % 4) as f32, -((i / 4) as f32), 0.0]).collect();
        let mut surface = Surface::default();
        surface.build(&places, 4, 3);
        assert_eq!((surface.columns, surface.rows), (7, 5));
        assert!(surface.normals.iter().all(|normal| normal.distance(Vec3::Z) < 1e-6));
        assert!(surface.hollow.iter().all(|hollow| hollow.abs() < 1e-6));
        // The corners stay where they are, and lines stay straight.
        assert_eq!(surface.positions[0], Vec3::ZERO);
        assert_eq!(surface.positions[34], Vec3::new(3.0, -2.0, 0.0));
        assert!((surface.positions[3].x - 1.5).abs() < 1e-6);
        let mut indices = Vec::new();
        surface.indices(0, &mut indices);
        assert_eq!(indices.len(), 6 * 4 * 6);
        for triangle in indices.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|corner| surface.positions[triangle[corner] as usize]);
            assert!((b - a).cross(c - a).z > 0.0, "clockwise");
        }
    }

    #[test]
    fn normals_and_curvature_of_a_cylinder() {
        let radius = 0.5;
        let mut surface = Surface::default();
        surface.build(&cylinder(radius, 65, 9), 65, 9);
        for row in 0..surface.rows {
            for column in 8..surface.columns - 8 {
                let here = row * surface.columns + column;
                let place = surface.positions[here];
                let wanted = Vec3::new(-place.x, 0.0, radius - place.z) / radius;
                assert!(surface.normals[here].distance(wanted) < 2e-3, "column {column}");
                assert!((surface.hollow[here] * radius - 1.0).abs() < 0.02, "{}", surface.hollow[here]);
                // The refined points lie on the cylinder, not on its chords.
                let out = (place.x.powi(2) + (radius - place.z).powi(2)).sqrt();
                assert!((out - radius).abs() < 2e-6, "{out}");
            }
        }
    }

    #[test]
    fn a_wrong_count_or_a_point_of_cloth_draws_nothing_and_breaks_nothing() {
        let mut surface = Surface::default();
        surface.build(&[[0.0; 3]; 5], 2, 3);
        assert_eq!((surface.columns, surface.positions.len()), (0, 0));
        surface.build(&[[0.0; 3]; 4], 2, 2);
        assert!(surface.normals.iter().all(|normal| *normal == Vec3::Z));
        assert!(surface.hollow.iter().all(|hollow| *hollow == 0.0));
    }
}
