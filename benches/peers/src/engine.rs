//! What the bench asks of an engine, and which engines there are.

use crate::scene::{SWEEPS, Scene, TICKS};
use crate::{native, ours, rapier};

/// One engine with one sheet.
pub trait Engine {
    /// Simulates one frame.
    fn frame(&mut self) -> Result<(), String>;
    /// Links that it projects in every sweep, by its own count.
    fn links(&self) -> usize;
    /// Where the particles are, m.
    fn positions(&self) -> Vec<[f32; 3]>;
}

/// Makes an engine for a scene.
type Make = Box<dyn Fn(&Scene) -> Result<Box<dyn Engine>, String>>;

/// An engine that can be measured.
pub struct Contender {
    /// Stable, for `--json`.
    pub key: &'static str,
    /// How it cuts a frame, for people.
    pub label: &'static str,
    /// Makes it.
    pub make: Make,
}

/// All engines, Pennon first, and those that are not here with the reason.
pub fn contenders() -> (Vec<Contender>, Vec<(&'static str, &'static str)>) {
    let mut all = vec![Contender {
        key: "pennon",
        label: "Pennon, 2 ticks x 8 substeps",
        make: Box::new(|scene| Ok(Box::new(ours::Pennon::new(scene)?))),
    }];
    let mut absent = Vec::new();
    match native::bullet() {
        Ok(bullet) => {
            for (key, label, steps) in [
                ("bullet_substeps", "Bullet, 16 steps x 1 iteration", SWEEPS),
                ("bullet_iterations", "Bullet, 2 steps x 8 iterations", TICKS),
            ] {
                all.push(Contender {
                    key,
                    label,
                    make: Box::new(move |scene| Ok(Box::new(native::Cloth::new(bullet, scene, steps)))),
                });
            }
        }
        Err(reason) => absent.push(("bullet", reason)),
    }
    match native::jolt() {
        Ok(jolt) => all.push(Contender {
            key: "jolt",
            label: "Jolt, 2 steps x 8 iterations",
            make: Box::new(move |scene| Ok(Box::new(native::Cloth::new(jolt, scene, TICKS)))),
        }),
        Err(reason) => absent.push(("jolt", reason)),
    }
    all.push(Contender {
        key: "rapier_cloth",
        label: "rapier-cloth, 16 steps x 1 iteration",
        make: Box::new(|scene| Ok(Box::new(rapier::Rapier::new(scene)?))),
    });
    (all, absent)
}
