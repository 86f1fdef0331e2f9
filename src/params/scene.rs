//! Structure: what a preset builds, as opposed to what a fader moves.
//!
//! A scene is one or more flags in one wind and the solver's settings. Recalling another structure
//! rebuilds the cloth; everything else about a preset is rows of the table.

use super::table::RowId;
use super::values::Value;
use serde::{Deserialize, Serialize};

/// Most particles of all flags together: a bound on memory, ten times what runs in real time.
pub const MOST_PARTICLES: usize = 1 << 21;
/// As many rows are kept in memory at least, and always a multiple of eight; see `sim/grid.rs`.
const FEWEST_ROWS: u32 = 24;
/// Most particles along one side of a grid.
pub const MOST_PER_SIDE: u32 = 4096;
/// Most flags in one wind.
pub const MOST_FLAGS: usize = 1024;
const NUMBER_OF_FLAGS: &str = "number of flags";
/// Longest side of a flag in metres: beyond it f32 leaves less than a tenth of a millimetre.
pub const LONGEST_SIDE: f32 = 1000.0;
/// Shortest side of a flag in metres: the disturbance at reset is a tenth of it.
pub const SHORTEST_SIDE: f32 = 0.01;
/// Lightest and heaviest cloth, kg/m²: a tenth of the lightest silk, and a sheet of lead.
pub const AREAL_DENSITIES: [f32; 2] = [1e-3, 1e3];
/// Lightest and heaviest particle, kg: f32 keeps seven digits of every inverse mass between.
pub const PARTICLE_MASSES: [f32; 2] = [1e-6, 1e6];
/// Most pins × particles where pins are a list: each particle looks for its nearest pin when a flag is built.
pub const MOST_PIN_SEARCHES: i64 = 1 << 26;
/// Most solver steps × substeps × sweeps (of all kinds) in one tick: a bound on the time that a preset can ask for.
pub const MOST_SWEEPS_PER_TICK: u32 = 4096;

/// Everything that a rebuild needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// The flags, in the order of the digest.
    pub flags: Vec<FlagSpec>,
    /// How a tick is cut into steps.
    pub solver: SolverStep,
}

impl Default for Scene {
    fn default() -> Self {
        Scene { flags: vec![FlagSpec::default()], solver: SolverStep::default() }
    }
}

/// One flag: grid, size, mass, pins. Lengths in metres.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FlagSpec {
    /// Particles along the fly, hoist included. Particle (column, row) has number row × columns + column.
    pub columns: u32,
    /// Particles along the hoist. Row 0 is the top (at a pole) or the left end (at a bar).
    pub rows: u32,
    /// Length along the fly, m.
    pub length: f32,
    /// Length along the hoist, m.
    pub width: f32,
    /// Mass per area, kg/m²; each particle gets its share of the area.
    pub areal_density: f32,
    /// Mass of every particle, kg, instead of [`FlagSpec::areal_density`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<f32>,
    /// What the hoist is.
    pub hang: Hang,
    /// Middle of the hoist in the world, m.
    pub position: [f32; 3],
    /// Particles that do not move.
    pub pins: Pins,
    /// The families of links that hold the cloth together.
    pub links: Vec<LinkFamily>,
    /// Particles that the drag acts on, from..to by number, `to` excluded; all when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drag_particles: Option<[u32; 2]>,
    /// Rows that this flag fixes for itself; live changes of them pass it by.
    #[serde(skip)]
    pub fixed: Vec<(RowId, Value)>,
}

impl Default for FlagSpec {
    fn default() -> Self {
        FlagSpec {
            columns: 64,
            rows: 40,
            length: 1.6,
            width: 1.0,
            areal_density: 0.15,
            mass: None,
            hang: Hang::Pole,
            position: [0.0; 3],
            pins: Pins::Hoist,
            links: vec![LinkFamily::Structural, LinkFamily::Shear, LinkFamily::Bend],
            drag_particles: None,
            fixed: Vec::new(),
        }
    }
}

/// What a flag hangs from, which is how its grid stands at rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hang {
    /// A vertical hoist: the fly runs along +x, rows downward.
    Pole,
    /// A horizontal hoist along x: the fly runs downward, rows along +x.
    Bar,
}

/// Which particles do not move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pins {
    /// The whole hoist column.
    Hoist,
    /// The two ends of the hoist.
    Corners,
    /// These, as [column, row].
    #[serde(untagged)]
    List(Vec<[u32; 2]>),
}

/// A family of links. Structural links are the threads, shear links the diagonals, bend links skip one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "named by the type's own documentation")]
pub enum LinkFamily {
    Structural,
    Shear,
    Bend,
}

/// How a tick is cut into steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SolverStep {
    /// Solver steps in one tick, each of equal length; safeguards look after each.
    pub steps_per_tick: u32,
    /// Substeps in a step.
    pub substeps: u32,
    /// Sweeps over all constraints in a substep; above 1 the multipliers are kept.
    pub sweeps: u32,
    /// Sweeps over the strain limits alone after those, where a limit is set.
    pub limit_sweeps: u32,
    /// What damping scales.
    pub damping_order: DampingOrder,
    /// What happens after a step that failed its checks.
    pub on_failure: OnFailure,
}

impl Default for SolverStep {
    fn default() -> Self {
        SolverStep {
            steps_per_tick: 1,
            substeps: 16,
            sweeps: 1,
            limit_sweeps: 0,
            damping_order: DampingOrder::Velocity,
            on_failure: OnFailure::Halve,
        }
    }
}

/// What damping scales in a substep of length h with decay rate β.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DampingOrder {
    /// v* = exp(−βh) v + h a: a resting load stays whole up to O(h²).
    Velocity,
    /// v* = exp(−βh) (v + h a): the sources' order; it weakens a resting load by exp(−βh).
    Whole,
}

/// What happens after a step that failed its checks: the last good positions always come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// Velocities are halved and the show goes on.
    Halve,
    /// The flag stands still until it is reset.
    Stop,
}

/// Why a structure cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// A count outside its bounds.
    #[error("{name} = {value} is outside {low}..={high}")]
    Count {
        /// The key.
        name: String,
        /// What was asked.
        value: i64,
        /// Lowest.
        low: i64,
        /// Highest.
        high: i64,
    },
    /// A length or a mass that is not a positive number in reach.
    #[error("{name} = {value} must lie between {low} and {high}")]
    Size {
        /// The key.
        name: String,
        /// What was asked.
        value: f32,
        /// Lowest.
        low: f32,
        /// Highest.
        high: f32,
    },
    /// A place that is not a number in reach.
    #[error("{name} = {value} must lie between −{high} and {high}")]
    Place {
        /// The key.
        name: String,
        /// What was asked.
        value: f32,
        /// Highest magnitude.
        high: f32,
    },
    /// A pin or a range of particles that the grid does not have.
    #[error("{name} names {what}, but the grid has {columns} columns and {rows} rows")]
    NoSuchParticle {
        /// The key.
        name: String,
        /// What it names.
        what: String,
        /// Columns of the grid.
        columns: u32,
        /// Rows of the grid.
        rows: u32,
    },
}

impl SceneError {
    /// For readers that refuse a list before they build it.
    pub(super) fn too_many_flags(flags: usize) -> Self {
        SceneError::Count { name: NUMBER_OF_FLAGS.to_owned(), value: flags as i64, low: 1, high: MOST_FLAGS as i64 }
    }
}

impl Scene {
    /// Checks every bound; the first broken one is the error.
    pub fn check(&self) -> Result<(), SceneError> {
        count(NUMBER_OF_FLAGS, self.flags.len() as i64, 1, MOST_FLAGS as i64)?;
        let mut particles = 0;
        for (index, flag) in self.flags.iter().enumerate() {
            flag.check(index)?;
            particles += i64::from(flag.columns) * i64::from(flag.rows.next_multiple_of(8).max(FEWEST_ROWS));
        }
        count(
            "particles of all flags (their rows rounded up to eights, at least 24)",
            particles,
            4,
            MOST_PARTICLES as i64,
        )?;
        let solver = &self.solver;
        let most = i64::from(MOST_SWEEPS_PER_TICK);
        count("solver.steps_per_tick", solver.steps_per_tick.into(), 1, most)?;
        count("solver.substeps", solver.substeps.into(), 1, most)?;
        count("solver.sweeps", solver.sweeps.into(), 1, most)?;
        count("solver.limit_sweeps", solver.limit_sweeps.into(), 0, most)?;
        // Each factor is within its bound above, so the product fits.
        let each = i64::from(solver.sweeps) + i64::from(solver.limit_sweeps);
        let sweeps = i64::from(solver.steps_per_tick) * i64::from(solver.substeps) * each;
        count("sweeps in a tick", sweeps, 1, most)
    }
}

impl FlagSpec {
    fn check(&self, index: usize) -> Result<(), SceneError> {
        let name = |key: &str| format!("flag[{index}].{key}");
        count(&name("columns"), self.columns.into(), 2, MOST_PER_SIDE.into())?;
        count(&name("rows"), self.rows.into(), 2, MOST_PER_SIDE.into())?;
        size(&name("length"), self.length, [SHORTEST_SIDE, LONGEST_SIDE])?;
        size(&name("width"), self.width, [SHORTEST_SIDE, LONGEST_SIDE])?;
        size(&name("areal_density"), self.areal_density, AREAL_DENSITIES)?;
        if let Some(mass) = self.mass {
            size(&name("mass"), mass, PARTICLE_MASSES)?;
        }
        for value in self.position {
            if value.is_nan() || value.abs() > LONGEST_SIDE {
                return Err(SceneError::Place { name: name("position"), value, high: LONGEST_SIDE });
            }
        }
        let no_such = |key: &str, what: String| SceneError::NoSuchParticle {
            name: name(key),
            what,
            columns: self.columns,
            rows: self.rows,
        };
        if let Pins::List(pins) = &self.pins {
            let searches = pins.len() as i64 * i64::from(self.columns) * i64::from(self.rows);
            count(&name("pins × particles"), searches, 0, MOST_PIN_SEARCHES)?;
        }
        if let Pins::List(pins) = &self.pins
            && let Some(pin) = pins.iter().find(|[column, row]| *column >= self.columns || *row >= self.rows)
        {
            return Err(no_such("pins", format!("column {}, row {}", pin[0], pin[1])));
        }
        if let Some([from, to]) = self.drag_particles
            && (from > to || to > self.columns * self.rows)
        {
            return Err(no_such("drag_particles", format!("{from}..{to}")));
        }
        Ok(())
    }
}

fn count(name: &str, value: i64, low: i64, high: i64) -> Result<(), SceneError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(SceneError::Count { name: name.to_owned(), value, low, high })
}

fn size(name: &str, value: f32, [low, high]: [f32; 2]) -> Result<(), SceneError> {
    if value >= low && value <= high {
        return Ok(());
    }
    Err(SceneError::Size { name: name.to_owned(), value, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_scene_is_sound() {
        let scene = Scene::default();
        assert_eq!(scene.check(), Ok(()));
    }

    #[test]
    fn each_bound_names_its_key_and_value() {
        let broken = |change: fn(&mut FlagSpec)| {
            let mut scene = Scene::default();
            change(&mut scene.flags[0]);
            scene.check().expect_err("must be refused").to_string()
        };
        assert_eq!(broken(|flag| flag.columns = 1), "flag[0].columns = 1 is outside 2..=4096");
        assert_eq!(broken(|flag| flag.length = f32::NAN), "flag[0].length = NaN must lie between 0.01 and 1000");
        assert_eq!(broken(|flag| flag.position[1] = 2e3), "flag[0].position = 2000 must lie between −1000 and 1000");
        assert_eq!(
            broken(|flag| flag.pins = Pins::List(vec![[0, 0], [64, 3]])),
            "flag[0].pins names column 64, row 3, but the grid has 64 columns and 40 rows"
        );
        assert_eq!(
            broken(|flag| flag.pins = Pins::List(vec![[0, 0]; 30_000])),
            "flag[0].pins × particles = 76800000 is outside 0..=67108864"
        );
        assert_eq!(broken(|flag| flag.mass = Some(0.0)), "flag[0].mass = 0 must lie between 0.000001 and 1000000");
        assert!(broken(|flag| flag.drag_particles = Some([5, 4])).contains("drag_particles names 5..4"));
        let solver = SolverStep { substeps: 4096, sweeps: 2, ..SolverStep::default() };
        let scene = Scene { solver, ..Scene::default() };
        assert_eq!(
            scene.check().expect_err("too much work").to_string(),
            "sweeps in a tick = 8192 is outside 1..=4096"
        );
    }
}
