//! One wind.
use glam::Vec3;

/// One wind: a mean velocity and a gust field.
#[derive(Debug, Clone, Default)]
pub struct Wind {
    mean: Vec3,
}

impl Wind {
    /// The wind velocity at a point now, m/s.
    pub fn sample(&self, point: Vec3) -> Vec3 {
        let _ = point;
        self.mean
    }
    /// The mean velocity, m/s.
    pub fn mean(&self) -> Vec3 {
        self.mean
    }
    /// stub
    pub fn steady(mean: Vec3) -> Self {
        Wind { mean }
    }
}
