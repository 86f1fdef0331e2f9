//! What is measured: flags made in code, the same for `pennon bench` and `cargo bench`.
//!
//! It must not know how they are measured.

use pennon::params::{FlagSpec, Hang, Preset, RowId, Scene, SceneError, SolverStep, Value};
use pennon::perform::Performance;
use pennon::sim::machine::Machine;

/// A grid: particles along the fly and along the hoist.
pub type Grid = [u32; 2];

/// The grids from small to large, each with four times the links of the one before.
pub const GRIDS: [Grid; 5] = [[32, 20], [64, 40], [128, 80], [256, 160], [512, 320]];
/// The grid that is looked at closely.
pub const MIDDLE: Grid = GRIDS[2];
/// The grid of each flag in the wall.
pub const WALL_GRID: Grid = GRIDS[0];
/// Flags of the wall along each of its sides.
pub const WALL_SIDE: u32 = 10;
/// Ticks in a frame of 1/60 s.
pub const FRAME_TICKS: u32 = 2;
/// Substeps in a tick, one sweep each: sixteen sweeps in a frame, as other engines are asked for.
pub const SUBSTEPS: u32 = 8;
/// Length along the fly and along the hoist, m.
const SIZE: [f32; 2] = [1.6, 1.0];
/// Mass of each flag, kg.
const MASS: f32 = 0.2;
/// Middle of a flag in the wall to the middle of the next, m: room to fly.
const WALL_STEP: [f32; 2] = [2.0, 1.2];

/// What a row is set to.
pub type Set = (RowId, f32);

/// No air at all.
pub const NO_AIR: [Set; 3] = [(RowId::AirDrag, 0.0), (RowId::WindTurbulence, 0.0), (RowId::AirDensity, 0.0)];
/// Tethers off.
pub const NO_TETHERS: Set = (RowId::LinkTether, 2.0);

/// Neither limits nor a pole: the work on which other engines are compared.
const BARE: [Set; 2] = [(RowId::LinkStrainLimit, 2.0), (RowId::ContactPole, 0.0)];

/// One flag at a pole in the wind of the default preset.
pub fn flying(grid: Grid) -> Preset {
    preset(vec![flag(grid)])
}

/// A hundred small flags in the same wind.
pub fn wall() -> Preset {
    let place = |index: u32, axis: usize| index as f32 * WALL_STEP[axis];
    let flags = (0..WALL_SIDE * WALL_SIDE).map(|index| {
        let position = [place(index % WALL_SIDE, 0), place(index / WALL_SIDE, 1), 0.0];
        FlagSpec { position, ..flag(WALL_GRID) }
    });
    preset(flags.collect())
}

/// The cloth of one flag that hangs from a bar along its length, no air around it, links without give: what it
/// stretches is what the sweeps leave of its weight.
///
/// Damping is large against its swinging, which takes √(1.6 m / g) ≈ 0.4 s, and nothing against a substep.
pub fn hung(grid: Grid) -> Preset {
    let mut preset = preset(vec![FlagSpec { hang: Hang::Bar, ..flag(grid) }]);
    set(&mut preset, &NO_AIR);
    set(&mut preset, &[(RowId::LinkShearCompliance, 0.0), (RowId::LinkBendCompliance, 0.0)]);
    set(&mut preset, &[(RowId::ClothDamping, 3.0)]);
    preset
}

/// Sets rows.
fn set(preset: &mut Preset, rows: &[Set]) {
    for (row, value) in rows {
        preset.values.set(*row, Value::Float(*value));
    }
}

/// The same with rows set.
pub fn with(preset: &Preset, rows: &[Set]) -> Preset {
    let mut preset = preset.clone();
    set(&mut preset, rows);
    preset
}

/// The same cloth with no link in it.
pub fn without_links(preset: &Preset) -> Preset {
    let mut preset = preset.clone();
    preset.scene.flags.iter_mut().for_each(|flag| flag.links.clear());
    preset
}

/// Links of a grid: threads, diagonals and, along each thread, every second particle.
pub fn links(grid: Grid) -> u64 {
    let [w, h] = grid.map(u64::from);
    let (threads, diagonals) = ((w - 1) * h + w * (h - 1), 2 * (w - 1) * (h - 1));
    threads + diagonals + (w - 2) * h + w * (h - 2)
}

/// Projections in a sweep over a grid: its links, those along the hoist's threads twice. See the order in
/// [`pennon::sim::solver`].
pub fn projections(grid: Grid) -> u64 {
    let [w, h] = grid.map(u64::from);
    links(grid) + w * (h - 1)
}

/// Quads of a grid.
pub fn quads(grid: Grid) -> u64 {
    let [w, h] = grid.map(u64::from);
    (w - 1) * (h - 1)
}

/// Particles of a grid.
pub fn particles(grid: Grid) -> u64 {
    u64::from(grid[0]) * u64::from(grid[1])
}

/// At rest, to be computed on `machine`.
pub fn performance(preset: &Preset, machine: Machine) -> Result<Performance, SceneError> {
    let mut performance = Performance::new(preset)?;
    performance.set_machine(machine);
    Ok(performance)
}

fn preset(flags: Vec<FlagSpec>) -> Preset {
    let solver = SolverStep { steps_per_tick: 1, substeps: SUBSTEPS, sweeps: 1, ..SolverStep::default() };
    let mut preset = Preset { scene: Scene { flags, solver }, ..Preset::default() };
    set(&mut preset, &BARE);
    preset
}

fn flag([columns, rows]: Grid) -> FlagSpec {
    let [length, width] = SIZE;
    FlagSpec { columns, rows, length, width, areal_density: MASS / (length * width), ..FlagSpec::default() }
}
