//! rapier-cloth-core in the bench.
//!
//! Its mesh makes a link of every triangle's edge, in an order of its own, and a dihedral constraint of every edge
//! between two triangles; further links can be added as stitches, in any order. So that it does the same work and
//! no more, the mesh here has no two triangles with a common edge, as few as reach every particle, and all
//! other links are stitches in the scene's order.

use crate::engine::Engine;
use crate::scene::{FRAME, GRAVITY, MASS, SWEEPS, Scene};
use rapier_cloth_core::mesh::Stitch;
use rapier_cloth_core::{Cloth, ClothMaterial, ClothMesh, Solver, SolverSettings, Vec3};
use std::collections::BTreeSet;

/// Any compliance above 0 switches off the tethers that the crate adds to inextensible cloth, m/N: this one yields
/// a ten-millionth of a link under the weight of the whole sheet.
const COMPLIANCE: f32 = 1e-10;

/// A cloth of the crate.
pub struct Rapier {
    cloth: Cloth,
    solver: Solver,
    settings: SolverSettings,
    links: usize,
}

impl Rapier {
    /// The sheet that `scene` describes.
    pub fn new(scene: &Scene) -> Result<Self, String> {
        let tell = |error: rapier_cloth_core::ClothError| error.to_string();
        let positions = scene.positions.iter().map(|p| Vec3::from_array(*p)).collect();
        let mut mesh = ClothMesh::new(positions, triangles(scene.columns, scene.rows)).map_err(tell)?;
        let covered: BTreeSet<[u32; 2]> = mesh.edges().iter().map(|edge| edge.vertices).collect();
        let stitches = scene
            .links
            .iter()
            .filter(|[a, b]| !covered.contains(&[*a.min(b), *a.max(b)]))
            .map(|ends| Stitch { vertices: *ends, rest_length: scene.rest_length(*ends) })
            .collect();
        mesh.add_stitches(stitches).map_err(tell)?;
        if !mesh.hinges().is_empty() {
            return Err(format!("{} dihedral constraints more than the others have", mesh.hinges().len()));
        }
        let links = mesh.edges().len() + mesh.stitches().len();
        let area: f32 = mesh.vertex_areas().iter().sum();
        let material = ClothMaterial {
            surface_density: MASS / area,
            stretch_compliance: COMPLIANCE,
            stitch_compliance: COMPLIANCE,
            damping: scene.damping,
            ..ClothMaterial::default()
        };
        let mut cloth = Cloth::new(mesh, material).map_err(tell)?;
        for (number, inverse) in scene.inverse_masses.iter().enumerate() {
            if *inverse == 0.0 {
                cloth.pin(number as u32, cloth.positions()[number]).map_err(tell)?;
            }
        }
        let settings = SolverSettings { iterations: 1, ..SolverSettings::default() };
        Ok(Rapier { cloth, solver: Solver::new(), settings, links })
    }
}

impl Engine for Rapier {
    fn frame(&mut self) -> Result<(), String> {
        for _ in 0..SWEEPS {
            self.solver
                .step(&mut self.cloth, FRAME / SWEEPS as f32, Vec3::Y * -GRAVITY, &self.settings)
                .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn links(&self) -> usize {
        self.links
    }

    fn positions(&self) -> Vec<[f32; 3]> {
        self.cloth.positions().iter().map(|p| p.to_array()).collect()
    }
}

/// Triangles that reach every particle and have no edge in common: in every two rows, two in three columns, from
/// the free edge inward, and one or two more at the pinned edge, where their greater mass is held anyway.
fn triangles(columns: usize, rows: usize) -> Vec<[u32; 3]> {
    let mut all = Vec::new();
    for row in (0..rows).step_by(2) {
        // The lower and the upper row of a pair; an odd last row pairs with the one below it.
        let row = row.min(rows - 2);
        let a = |column: usize| (row * columns + column) as u32;
        let b = |column: usize| ((row + 1) * columns + column) as u32;
        let mut end = columns;
        while end >= 3 {
            let [c, d, e] = [end - 3, end - 2, end - 1];
            all.push([a(c), a(d), b(c)]);
            all.push([b(d), a(e), b(e)]);
            end -= 3;
        }
        match end {
            2 => all.extend([[a(0), a(1), b(0)], [a(1), b(1), b(2)]]),
            1 => all.push([a(0), a(1), b(0)]),
            _ => {}
        }
    }
    all
}
