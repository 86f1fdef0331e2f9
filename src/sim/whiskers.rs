//! The wind as lines on a grid.
//!
//! Source document: the SIMD Verlet wind, its lines of wind: the grid runs corner to corner, columns
//! step along x, rows step along y and z together.

use super::wind::Wind;
use glam::Vec3;

/// Slower than this the wind has no direction to draw, m/s.
pub const SLOWEST_DRAWN: f32 = 1e-6;

/// A grid of whiskers between two corners, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WhiskerGrid {
    /// Corner of column 0, row 0.
    pub from: Vec3,
    /// Corner of the last column and row.
    pub to: Vec3,
    /// Columns, at least 1; a single one stands in the middle.
    pub columns: u32,
    /// Rows, at least 1; a single one stands in the middle.
    pub rows: u32,
    /// Seconds of the wind's travel that a whisker shows.
    pub scale: f32,
}

impl WhiskerGrid {
    /// Start and end of each whisker, row by row; still air has none.
    pub fn segments(&self, wind: &Wind, out: &mut Vec<[Vec3; 2]>) {
        out.clear();
        let fraction = |index: u32, count: u32| {
            if count <= 1 { 0.5 } else { index as f32 / (count - 1) as f32 }
        };
        let span = self.to - self.from;
        for row in 0..self.rows {
            let along_row = fraction(row, self.rows);
            for column in 0..self.columns {
                let along_column = fraction(column, self.columns);
                let start = self.from + span * Vec3::new(along_column, along_row, along_row);
                let velocity = wind.sample(start);
                if velocity.length() < SLOWEST_DRAWN {
                    continue;
                }
                out.push([start, start + velocity * self.scale]);
            }
        }
    }
}
