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
        if columns * rows <= REFINED_UP_TO {
            self.refine();
            self.measure_normals();
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

    /// Doubles the grid: a point between two is where a Catmull-Rom curve through four passes.
    fn refine(&mut self) {
        let (columns, rows) = (self.columns, self.rows);
        let wide = 2 * columns - 1;
        let mut places = Vec::with_capacity(wide * rows);
        let mut hollow = Vec::with_capacity(wide * rows);
        for row in 0..rows {
            let line = row * columns..(row + 1) * columns;
            double(&self.positions[line.clone()], 1, columns, &mut places);
            double_linear(&self.hollow[line], &mut hollow);
        }
        self.positions.clear();
        self.hollow.clear();
        for row in 0..2 * rows - 1 {
            for column in 0..wide {
                let at = |row: usize| row * wide + column;
                let low = row / 2;
                if row % 2 == 0 {
                    self.positions.push(places[at(low)]);
                    self.hollow.push(hollow[at(low)]);
                } else {
                    let before = low.saturating_sub(1);
                    let after = (low + 2).min(rows - 1);
                    let [a, b, c, d] = [before, low, low + 1, after].map(|row| places[at(row)]);
                    self.positions.push(between(a, b, c, d));
                    self.hollow.push(0.5 * (hollow[at(low)] + hollow[at(low + 1)]));
                }
            }
        }
        (self.columns, self.rows) = (wide, 2 * rows - 1);
    }
}

/// Half way between `b` and `c` on the Catmull-Rom curve through four points.
fn between(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Vec3 {
    0.5625 * (b + c) - 0.0625 * (a + d)
}

fn double(line: &[Vec3], stride: usize, count: usize, out: &mut Vec<Vec3>) {
    for index in 0..count {
        out.push(line[index * stride]);
        if index + 1 < count {
            let before = index.saturating_sub(1);
            let after = (index + 2).min(count - 1);
            let [a, b, c, d] = [before, index, index + 1, after].map(|index| line[index * stride]);
            out.push(between(a, b, c, d));
        }
    }
}

fn double_linear(line: &[f32], out: &mut Vec<f32>) {
    for (index, value) in line.iter().enumerate() {
        out.push(*value);
        if let Some(next) = line.get(index + 1) {
            out.push(0.5 * (value + next));
        }
    }
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
            for column in 4..surface.columns - 4 {
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
