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
    pub key: String,
    /// How it cuts a frame, for people.
    pub label: String,
    /// Makes it.
    pub make: Make,
}

/// All engines, Pennon first, and those that are not here with the reason.
pub fn contenders() -> (Vec<Contender>, Vec<(&'static str, &'static str)>) {
    let mut all: Vec<Contender> = ours::paths()
        .into_iter()
        .enumerate()
        // Peers are compiled for AVX2 or for SSE2; a path below the plainest of them is no match for any.
        .filter(|(number, path)| *number == 0 || *path == "sse2")
        .map(|(number, path)| Contender {
            key: if number == 0 { "pennon".to_owned() } else { format!("pennon_{path}") },
            label: format!("Pennon {path}, 2 ticks x 8 substeps"),
            make: Box::new(move |scene| Ok(Box::new(ours::Pennon::new(scene, number)?))),
        })
        .collect();
    let mut absent = Vec::new();
    match native::bullet() {
        Ok(bullet) => {
            for (key, label, steps) in [
                ("bullet_substeps", "Bullet, 16 steps x 1 iteration", SWEEPS),
                ("bullet_iterations", "Bullet, 2 steps x 8 iterations", TICKS),
            ] {
                all.push(Contender {
                    key: key.to_owned(),
                    label: label.to_owned(),
                    make: Box::new(move |scene| Ok(Box::new(native::Cloth::new(bullet, scene, steps)))),
                });
            }
        }
        Err(reason) => absent.push(("bullet", reason)),
    }
    match native::jolt() {
        Ok(jolt) => all.push(Contender {
            key: "jolt".to_owned(),
            label: "Jolt, 2 steps x 8 iterations".to_owned(),
            make: Box::new(move |scene| Ok(Box::new(native::Cloth::new(jolt, scene, TICKS)))),
        }),
        Err(reason) => absent.push(("jolt", reason)),
    }
    all.push(Contender {
        key: "rapier_cloth".to_owned(),
        label: "rapier-cloth, 16 steps x 1 iteration".to_owned(),
        make: Box::new(|scene| Ok(Box::new(rapier::Rapier::new(scene)?))),
    });
    (all, absent)
}
