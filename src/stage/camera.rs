//! Where the camera stands: a function of the camera rows, the flags at rest and the shape of the picture.
//!
//! It has no state of its own. Orbit and zoom change the rows, so a fader, a take and a hand on the mouse
//! are the same thing, and a capture frames what the window framed.

use crate::params::{FlagSpec, Hang, RowId, Values};
use glam::Vec3;

/// Share of the picture's half width and height that the flags may fill at zoom 1; the rest is margin.
const FILL: f32 = 0.84;
/// The pole stands out over the flag's upper edge by this share of the hoist, finial included.
pub(crate) const POLE_ABOVE: f32 = 0.10;
/// The framed part of the pole below the flag's lower edge, as a share of the hoist; the rest fades away.
pub(crate) const POLE_BELOW: f32 = 0.22;
/// Nearest and farthest that things are drawn, as shares of the camera's distance.
const NEAR_SHARE: f32 = 0.02;

/// An upright box, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Least corner.
    pub low: Vec3,
    /// Greatest corner.
    pub high: Vec3,
}

impl Extent {
    /// The flags at rest, without pole.
    pub fn of_cloth<'a>(specs: impl IntoIterator<Item = &'a FlagSpec>) -> Option<Extent> {
        specs.into_iter().map(at_rest).reduce(Extent::join)
    }

    /// The flags at rest with what is framed of their poles.
    pub fn of_scene<'a>(specs: impl IntoIterator<Item = &'a FlagSpec>) -> Option<Extent> {
        let with_pole = |spec: &FlagSpec| {
            let mut extent = at_rest(spec);
            if spec.hang == Hang::Pole {
                extent.high.y += POLE_ABOVE * spec.width;
                extent.low.y -= POLE_BELOW * spec.width;
            }
            extent
        };
        specs.into_iter().map(with_pole).reduce(Extent::join)
    }

    /// The middle.
    pub fn middle(self) -> Vec3 {
        0.5 * (self.low + self.high)
    }

    /// Lengths of the edges.
    pub fn size(self) -> Vec3 {
        self.high - self.low
    }

    fn join(self, other: Extent) -> Extent {
        Extent { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// The middle of the hoist is the flag's position; the fly runs along +x from a pole and down from a bar.
fn at_rest(spec: &FlagSpec) -> Extent {
    let place = Vec3::from_array(spec.position);
    let half = 0.5 * spec.width;
    match spec.hang {
        Hang::Pole => Extent { low: place - Vec3::Y * half, high: place + Vec3::new(spec.length, half, 0.0) },
        Hang::Bar => Extent { low: place - Vec3::new(half, spec.length, 0.0), high: place + Vec3::X * half },
    }
}

/// A camera: where it stands and what it sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// Where it stands, m.
    pub eye: Vec3,
    /// What it looks at, m.
    pub target: Vec3,
    /// Vertical field of view, rad.
    pub field: f32,
    /// Nearest distance drawn, m.
    pub near: f32,
    /// Width over height of the picture.
    pub aspect: f32,
}

impl View {
    /// Frames flags with these specs in a picture of this aspect.
    pub fn frame<'a>(values: &Values, specs: impl Iterator<Item = &'a FlagSpec> + Clone, aspect: f32) -> View {
        let extent = Extent::of_scene(specs.clone()).unwrap_or(Extent { low: -Vec3::ONE, high: Vec3::ONE });
        let heading = values.float(RowId::LookCameraHeading).to_radians();
        let height = values.float(RowId::LookCameraHeight).to_radians();
        let field = values.float(RowId::LookCameraLens).to_radians();
        let away = direction(heading, height);
        let (right, up) = (right_of(heading), away.cross(right_of(heading)));
        let half = 0.5 * extent.size();
        let tan_up = (0.5 * field).tan() * FILL;
        let tan_right = tan_up * aspect.max(0.01);
        // The nearest distance from which all eight corners fit.
        let mut distance: f32 = 0.0;
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let corner = half * Vec3::new(sign(0), sign(1), sign(2));
            let toward = corner.dot(away);
            distance = distance.max(toward + corner.dot(right).abs() / tan_right);
            distance = distance.max(toward + corner.dot(up).abs() / tan_up);
        }
        let distance = (distance / values.float(RowId::LookCameraZoom)).max(1e-3);
        let picture = 2.0 * distance * (0.5 * field).tan();
        let shift = right * values.float(RowId::LookCameraAcross) + up * values.float(RowId::LookCameraUp);
        let target = extent.middle() + lean(values, specs) + shift * picture;
        View { eye: target + away * distance, target, field, near: NEAR_SHARE * distance, aspect }
    }

    /// The unit vector through a place in the picture: x −1..1 from left to right, y −1..1 upward.
    pub fn ray(&self, x: f32, y: f32) -> Vec3 {
        let forward = (self.target - self.eye).normalize_or(Vec3::NEG_Z);
        let right = forward.cross(Vec3::Y).normalize_or(Vec3::X);
        let up = right.cross(forward);
        let tan = (0.5 * self.field).tan();
        (forward + right * (x * tan * self.aspect) + up * (y * tan)).normalize()
    }
}

/// A flag on a pole follows the wind round it; the camera looks at where it has gone, and its size in the
/// picture stays what it is at rest.
fn lean<'a>(values: &Values, specs: impl Iterator<Item = &'a FlagSpec>) -> Vec3 {
    let (mut reach, mut count) = (0.0, 0.0);
    for spec in specs {
        count += 1.0;
        if spec.hang == Hang::Pole {
            reach += 0.5 * spec.length;
        }
    }
    let (sin, cos) = values.float(RowId::WindHeading).to_radians().sin_cos();
    // Heading turns by the right hand about +y, so 90 degrees is −z.
    Vec3::new(cos - 1.0, 0.0, -sin) * (reach / f32::max(count, 1.0))
}

/// The direction in which a camera or a light stands: heading 0 toward the viewer (+z), 90 to the right (+x).
pub fn direction(heading: f32, height: f32) -> Vec3 {
    let (sin, cos) = heading.sin_cos();
    let (up, flat) = height.sin_cos();
    Vec3::new(sin * flat, up, cos * flat)
}

fn right_of(heading: f32) -> Vec3 {
    let (sin, cos) = heading.sin_cos();
    Vec3::new(cos, 0.0, -sin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Value;

    fn in_picture(view: &View, place: Vec3) -> (f32, f32) {
        let forward = (view.target - view.eye).normalize();
        let right = forward.cross(Vec3::Y).normalize();
        let up = right.cross(forward);
        let to = place - view.eye;
        let tan = (0.5 * view.field).tan();
        let depth = to.dot(forward);
        (to.dot(right) / (depth * tan * view.aspect), to.dot(up) / (depth * tan))
    }

    #[test]
    fn every_flag_is_framed_from_everywhere_and_one_side_touches_the_margin() {
        let bar = FlagSpec { hang: Hang::Bar, length: 2.2, position: [3.0, 1.0, -1.0], ..FlagSpec::default() };
        for specs in [vec![FlagSpec::default()], vec![bar.clone()], vec![FlagSpec::default(), bar]] {
            for aspect in [0.4, 1.0, 16.0 / 9.0, 4.0] {
                for (heading, height) in [(-14.0, 8.0), (90.0, 0.0), (135.0, 89.0), (-70.0, -60.0)] {
                    let mut values = Values::default();
                    values.set(RowId::LookCameraHeading, Value::Float(heading));
                    values.set(RowId::LookCameraHeight, Value::Float(height));
                    let view = View::frame(&values, specs.iter(), aspect);
                    let extent = Extent::of_scene(&specs).expect("flags");
                    let mut most: f32 = 0.0;
                    for corner in 0..8 {
                        let pick = |bit: u32| (corner >> bit & 1) as f32;
                        let place = extent.low + extent.size() * Vec3::new(pick(0), pick(1), pick(2));
                        let (x, y) = in_picture(&view, place);
                        most = most.max(x.abs()).max(y.abs());
                    }
                    assert!((most - FILL).abs() < 1e-3, "{most} at {aspect}, {heading}, {height}");
                }
            }
        }
    }

    #[test]
    fn zoom_is_size_and_the_ray_through_the_middle_meets_the_target() {
        let spec = FlagSpec::default();
        let mut values = Values::default();
        let one = View::frame(&values, [&spec].into_iter(), 1.5);
        values.set(RowId::LookCameraZoom, Value::Float(2.0));
        let two = View::frame(&values, [&spec].into_iter(), 1.5);
        assert!((one.eye.distance(one.target) / two.eye.distance(two.target) - 2.0).abs() < 1e-4);
        let toward = (one.target - one.eye).normalize();
        assert!(one.ray(0.0, 0.0).distance(toward) < 1e-6);
        let (x, y) = in_picture(&one, one.eye + 3.0 * one.ray(0.4, -0.7));
        assert!((x - 0.4).abs() < 1e-4 && (y + 0.7).abs() < 1e-4, "{x} {y}");
    }

    #[test]
    fn the_camera_looks_where_the_wind_carries_the_flag() {
        let spec = FlagSpec::default();
        let mut values = Values::default();
        let ahead = View::frame(&values, [&spec].into_iter(), 1.5);
        values.set(RowId::WindHeading, Value::Float(180.0));
        let back = View::frame(&values, [&spec].into_iter(), 1.5);
        assert!((back.target.x + ahead.target.x).abs() < 1e-4, "{} {}", back.target.x, ahead.target.x);
        assert!((back.eye.distance(back.target) - ahead.eye.distance(ahead.target)).abs() < 1e-4);
    }

    #[test]
    fn the_view_moves_by_heights_of_the_picture() {
        let spec = FlagSpec::default();
        let mut values = Values::default();
        let middle = View::frame(&values, [&spec].into_iter(), 1.5).target;
        values.set(RowId::LookCameraAcross, Value::Float(0.25));
        values.set(RowId::LookCameraUp, Value::Float(-0.5));
        // In half heights: what was in the middle is now left and at the upper edge.
        let (x, y) = in_picture(&View::frame(&values, [&spec].into_iter(), 1.5), middle);
        assert!((x * 1.5 + 0.5).abs() < 1e-4 && (y - 1.0).abs() < 1e-4, "{x} {y}");
    }

    #[test]
    fn headings_of_camera_and_light_are_as_documented() {
        assert!(direction(0.0, 0.0).distance(Vec3::Z) < 1e-6);
        assert!(direction(std::f32::consts::FRAC_PI_2, 0.0).distance(Vec3::X) < 1e-6);
        assert!(direction(1.0, std::f32::consts::FRAC_PI_2).distance(Vec3::Y) < 1e-6);
    }
}
