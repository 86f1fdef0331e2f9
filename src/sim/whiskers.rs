//! The wind as lines on a grid.
//!
//! Source document: the SIMD Verlet wind, its lines of wind: the grid runs corner to corner, columns
//! step along x, rows step along y and z together.

use super::lanes::{Block3, LANES, Path};
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
        let wind = wind.now();
        let count = self.columns * self.rows;
        for first in (0..count).step_by(LANES) {
            let start = |index: u32| {
                let (along_row, along_column) =
                    (fraction(index / self.columns, self.rows), fraction(index % self.columns, self.columns));
                self.from + span * Vec3::new(along_column, along_row, along_row)
            };
            let (mut places, mut velocities) = (Block3::default(), Block3::default());
            for lane in 0..LANES {
                let place = start((first + lane as u32).min(count - 1));
                (places.x.0[lane], places.y.0[lane], places.z.0[lane]) = place.into();
            }
            wind.sample_blocks(Path::best(), &[places], std::slice::from_mut(&mut velocities));
            for index in first..(first + LANES as u32).min(count) {
                let lane = (index - first) as usize;
                let velocity = Vec3::new(velocities.x.0[lane], velocities.y.0[lane], velocities.z.0[lane]);
                if velocity.length() >= SLOWEST_DRAWN {
                    let start = start(index);
                    out.push([start, start + velocity * self.scale]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::wind::WindSettings;
    use super::*;

    #[test]
    fn segments_equal_the_independent_ones() {
        let golden: serde_json::Value =
            serde_json::from_str(include_str!("../../tests/data/air.json")).expect("golden data");
        let cases = golden["cases"].as_array().expect("cases");
        assert_eq!(cases.len(), 3);
        for case in cases {
            let number = |value: &serde_json::Value| value.as_f64().expect("number");
            let vector =
                |value: &serde_json::Value| Vec3::from_array(std::array::from_fn(|i| number(&value[i]) as f32));
            let mut wind = Wind::new(WindSettings {
                mean: vector(&case["mean"]),
                turbulence: number(&case["turbulence"]) as f32,
                gust_scale: number(&case["gust_scale"]) as f32,
                gust_rate: number(&case["gust_rate"]) as f32,
                octaves: number(&case["octaves"]) as usize,
                seed: number(&case["seed"]) as i32,
                time_scale: 1.0,
            })
            .expect("octaves in reach");
            wind.set_time(number(&case["time"]));
            let told = &case["whiskers"];
            let grid = WhiskerGrid {
                from: vector(&told["corner0"]),
                to: vector(&told["corner1"]),
                columns: number(&told["columns"]) as u32,
                rows: number(&told["rows"]) as u32,
                scale: number(&told["scale"]) as f32,
            };
            let mut segments = Vec::new();
            grid.segments(&wind, &mut segments);
            let expected = told["segments"].as_array().expect("segments");
            assert_eq!(segments.len(), expected.len());
            for (ours, theirs) in segments.iter().zip(expected) {
                for (end, place) in ours.iter().enumerate() {
                    assert!((*place - vector(&theirs[end])).length() < 2e-6, "{place} against {}", theirs[end]);
                }
            }
        }
    }

    #[test]
    fn a_single_column_or_row_stands_in_the_middle_and_still_air_has_no_whiskers() {
        let steady = |mean| Wind::new(WindSettings { mean, ..WindSettings::default() }).expect("in reach");
        let to = Vec3::new(2.0, 1.0, 4.0);
        let grid = WhiskerGrid { from: Vec3::ZERO, to, columns: 1, rows: 1, scale: 0.5 };
        let mut segments = Vec::new();
        grid.segments(&steady(Vec3::new(8.0, 0.0, 0.0)), &mut segments);
        assert_eq!(segments, [[to * 0.5, to * 0.5 + Vec3::new(4.0, 0.0, 0.0)]]);
        grid.segments(&steady(Vec3::ZERO), &mut segments);
        assert!(segments.is_empty());
    }
}
