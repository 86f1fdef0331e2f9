//! Pennon in the bench. All use of Pennon is here.

use crate::engine::Engine;
use crate::scene::{FRAME, GRAVITY, LENGTH, MASS, Pose, SWEEPS, Scene, TICKS, WIDTH};
use glam::Vec3;
use pennon::sim::air::sheet::SheetLaw;
use pennon::sim::crew::Crew;
use pennon::sim::cut::{Cut, CutSpec, Families, Mass};
use pennon::sim::flag::{Flag, FlagSettings, OnFailure, StepPlan};
use pennon::sim::lanes::Path;
use pennon::sim::solver::contact::ContactSettings;
use pennon::sim::solver::limit::LIMITS_OFF;
use pennon::sim::solver::tether::TETHERS_OFF;
use pennon::sim::solver::{DampingOrder, LinkCompliance};
use pennon::sim::wind::{Wind, WindSettings};

/// A flag without air.
pub struct Pennon {
    flag: Flag,
    wind: Wind,
    settings: FlagSettings,
    path: Path,
    /// The caller alone.
    crew: Crew,
    links: usize,
}

const STILL: FlagSettings = FlagSettings {
    gravity: GRAVITY,
    damping: 0.0,
    drag: 0.0,
    sheet: SheetLaw { normal: 0.0, friction: 0.0 },
    compliance: LinkCompliance { stretch: 0.0, shear: 0.0, bend: 0.0 },
    tether: TETHERS_OFF,
    strain_limit: LIMITS_OFF,
    contact: ContactSettings::NONE,
};

const PLAN: StepPlan = StepPlan {
    tick_seconds: FRAME as f64 / TICKS as f64,
    steps_per_tick: 1,
    substeps: SWEEPS / TICKS,
    sweeps: 1,
    damping_order: DampingOrder::Velocity,
    on_failure: OnFailure::Stop,
};

/// The names of the paths of Pennon's arithmetic here, the one that it chooses first.
pub fn paths() -> Vec<&'static str> {
    Path::available().into_iter().map(Path::name).collect()
}

impl Pennon {
    /// The flag that `scene` describes, on the path of that number.
    pub fn new(scene: &Scene, path: usize) -> Result<Self, String> {
        let [fly, hoist] = match scene.pose {
            Pose::Level => [Vec3::X, Vec3::Z],
            Pose::Hung => [-Vec3::Y, Vec3::X],
        };
        let cut = Cut::new(CutSpec {
            columns: scene.columns,
            rows: scene.rows,
            length: LENGTH,
            width: WIDTH,
            mass: Mass::Areal(MASS / (LENGTH * WIDTH)),
            position: Vec3::ZERO,
            fly,
            hoist,
            pins: (0..scene.rows).map(|row| row * scene.columns).collect(),
            families: Families { structural: true, shear: true, bend: true },
        });
        let wind = Wind::new(WindSettings::default()).map_err(|error| error.to_string())?;
        let flag = Flag::new(cut, 0..0, &wind, false);
        // Pennon's links follow from the grid; they are the scene's, family by family.
        let path = Path::available().get(path).copied().unwrap_or_else(Path::best);
        let settings = FlagSettings { damping: scene.damping, ..STILL };
        Ok(Pennon { flag, wind, settings, path, crew: Crew::new(1), links: scene.links.len() })
    }
}

impl Engine for Pennon {
    fn frame(&mut self) -> Result<(), String> {
        for _ in 0..TICKS {
            if let Some(fault) = self.flag.tick(&self.wind, &self.settings, &PLAN, self.path, &self.crew) {
                return Err(format!("rolled back at column {}, row {}", fault.column, fault.row));
            }
        }
        Ok(())
    }

    fn links(&self) -> usize {
        self.links
    }

    fn positions(&self) -> Vec<[f32; 3]> {
        (0..self.flag.cut().count()).map(|i| self.flag.cloth().position(i).to_array()).collect()
    }
}
