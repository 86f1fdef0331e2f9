//! Which particle is under the pointer, and where a dragged one should go.

use crate::live::FlagView;
use glam::Vec3;

/// A particle under the pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Index of the flag.
    pub flag: u32,
    /// Row-major number of the particle nearest to where the ray meets the cloth.
    pub particle: u32,
    /// Distance from the eye to the cloth along the ray, m.
    pub distance: f32,
}

/// The nearest place where a ray (unit direction) meets a cloth.
pub fn cloth_under(flags: &[FlagView], eye: Vec3, ray: Vec3) -> Option<Hit> {
    let mut nearest: Option<Hit> = None;
    for (index, flag) in flags.iter().enumerate() {
        let (columns, rows) = (flag.spec.columns as usize, flag.spec.rows as usize);
        if columns < 2 || rows < 2 || flag.positions.len() != columns * rows {
            continue;
        }
        let at = |particle: usize| Vec3::from_array(flag.positions[particle]);
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let here = row * columns + column;
                let corners = [here, here + 1, here + columns, here + columns + 1];
                let [a, b, c, d] = corners.map(at);
                let met = meet(eye, ray, [a, c, d]).or_else(|| meet(eye, ray, [a, d, b]));
                let Some(distance) = met else { continue };
                if nearest.is_some_and(|hit| hit.distance <= distance) {
                    continue;
                }
                let place = eye + ray * distance;
                let away = |particle: &usize| at(*particle).distance_squared(place);
                let closest = corners.into_iter().min_by(|a, b| away(a).total_cmp(&away(b)));
                nearest = Some(Hit { flag: index as u32, particle: closest.unwrap_or(here) as u32, distance });
            }
        }
    }
    nearest
}

/// Where the ray meets the plane through `held` that faces the camera.
pub fn drag_to(held: Vec3, eye: Vec3, ray: Vec3, forward: Vec3) -> Vec3 {
    let along = ray.dot(forward);
    if along < 1e-3 { held } else { eye + ray * ((held - eye).dot(forward) / along) }
}

/// Distance to a triangle along a ray, from either side.
fn meet(eye: Vec3, ray: Vec3, [a, b, c]: [Vec3; 3]) -> Option<f32> {
    let (ab, ac) = (b - a, c - a);
    let p = ray.cross(ac);
    let determinant = ab.dot(p);
    // Seen edge-on, the triangle has no inside.
    if determinant.abs() < 1e-12 {
        return None;
    }
    let from = eye - a;
    let u = from.dot(p) / determinant;
    let q = from.cross(ab);
    let v = ray.dot(q) / determinant;
    let distance = ac.dot(q) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0).then_some(distance)
}

/// The place of a particle in a snapshot's flags.
pub fn place_of(flags: &[FlagView], flag: u32, particle: u32) -> Option<Vec3> {
    flags.get(flag as usize)?.positions.get(particle as usize).map(|place| Vec3::from_array(*place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::FlagSpec;
    use crate::perform::Readouts;
    use std::sync::Arc;

    fn flag_at(z: f32) -> FlagView {
        let spec = FlagSpec { columns: 5, rows: 3, ..FlagSpec::default() };
        let positions = (0..15).map(|i| [(i % 5) as f32, 1.0 - (i / 5) as f32, z]).collect();
        FlagView { spec: Arc::new(spec), positions, readouts: Readouts::default() }
    }

    #[test]
    fn the_front_flag_and_the_nearest_particle_win() {
        let flags = [flag_at(0.0), flag_at(1.0)];
        let eye = Vec3::new(2.0, 0.0, 10.0);
        let toward = |place: Vec3| (place - eye).normalize();
        let hit = cloth_under(&flags, eye, toward(Vec3::new(3.2, -0.9, 1.0))).expect("a hit");
        assert_eq!((hit.flag, hit.particle), (1, 2 * 5 + 3));
        assert_eq!(place_of(&flags, hit.flag, hit.particle), Some(Vec3::new(3.0, -1.0, 1.0)));
        // From behind, the other one is nearer.
        let behind = Vec3::new(2.0, 0.0, -10.0);
        let hit = cloth_under(&flags, behind, (Vec3::new(0.1, 0.9, 0.0) - behind).normalize()).expect("a hit");
        assert_eq!((hit.flag, hit.particle), (0, 0));
        assert_eq!(cloth_under(&flags, eye, toward(Vec3::new(9.0, 0.0, 0.0))), None);
        assert_eq!(cloth_under(&flags, eye, Vec3::Z), None);
    }

    #[test]
    fn dragging_keeps_the_depth() {
        let eye = Vec3::new(0.0, 0.0, 5.0);
        let ray = Vec3::new(0.3, -0.2, -1.0).normalize();
        let place = drag_to(Vec3::new(1.0, 1.0, 1.0), eye, ray, Vec3::NEG_Z);
        assert!(place.distance(Vec3::new(1.2, -0.8, 1.0)) < 1e-5, "{place}");
        assert_eq!(drag_to(Vec3::ONE, eye, Vec3::Z, Vec3::NEG_Z), Vec3::ONE);
    }
}
