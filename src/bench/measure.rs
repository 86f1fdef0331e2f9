//! Measures, section by section.

use super::clock::{Clock, Timing, time};
use super::facts;
use super::kernels::{Divider, Gusts};
use super::report::{
    Digests, FramePlan, Hung, Part, Parts, PathFigures, Projection, Report, Stretch, Ticks, Way, figure,
};
use super::scenes::{self, FRAME_TICKS, GRIDS, Grid, MIDDLE, NO_AIR, NO_TETHERS, SUBSTEPS, WALL_GRID, WALL_SIDE};
use anyhow::Result;
use pennon::params::{Preset, RowId};
use pennon::perform::{ALGORITHM, Performance, TICK_HERTZ};
use pennon::sim::lanes::Path;
use pennon::sim::machine::{MOST_THREADS, Machine};
use std::time::Duration;

/// After this everything is measured as seldom as possible: the whole is to stay under 50 s.
const MOST_TIME: Duration = Duration::from_secs(40);
/// Given to single kernels, each.
const KERNEL_SHARE: Duration = Duration::from_millis(700);
/// Given to a frame on every path.
const PATHS_SHARE: Duration = Duration::from_millis(1500);
/// Given to the links of one grid.
const PROJECTION_SHARE: Duration = Duration::from_millis(1000);
/// Given to the parts of a frame.
const PARTS_SHARE: Duration = Duration::from_secs(4);
/// Given to one scene with every number of threads.
const TICKS_SHARE: Duration = Duration::from_millis(1800);
/// Simulated before the clock starts, so that a flag flies, in particle ticks: 60 ticks up to the middle grid.
const WARMED_UP: u64 = 60 * 128 * 80;
/// Most of those ticks.
const MOST_WARM_UP: u64 = 60;
/// Simulated until the hanging cloth is at rest, s: then its length moves by less than a thousandth of a percent.
const SETTLING: u32 = 4;
/// The tethers of the hanging cloth, as a multiple of the rest path: no particle is farther than it was cut.
const TETHER: f32 = 1.0;
/// Ticks of the default preset in each way: a second.
const DIGEST_TICKS: u64 = TICK_HERTZ as u64;

/// Sections that [`measure`] counts.
pub const STEPS: u64 = 5 + GRIDS.len() as u64 + SCENES as u64;
/// Scenes whose whole ticks are measured: the grids and the wall.
const SCENES: usize = GRIDS.len() + 1;

/// Measures everything. `tell` hears how many of [`STEPS`] are done.
pub fn measure(mut tell: impl FnMut(u64)) -> Result<Report> {
    let clock = Clock::start(MOST_TIME);
    let mut done = 0;
    let mut step = || {
        tell(done);
        done += 1;
    };
    step();
    let kernels = kernels(&clock, &mut step)?;
    let divider = kernels.first().map_or(f64::NAN, |best| best.divider_ns);
    let mut projections = Vec::new();
    for grid in GRIDS {
        step();
        projections.push(projection(&clock, grid, divider)?);
    }
    step();
    let parts = parts(&clock, MIDDLE)?;
    step();
    let stretch = stretch(MIDDLE)?;
    let (mut ticks, mut digests) = (Vec::new(), Vec::new());
    for scene in 0..SCENES {
        step();
        let (figures, digest) = ticks_of(&clock, scene)?;
        ticks.extend(figures);
        digests.push(digest);
    }
    step();
    digests.insert(0, default_digests()?);
    step();
    Ok(Report {
        pennon_bench: 1,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        algorithm: ALGORITHM,
        optimised: !cfg!(debug_assertions),
        seconds: figure(clock.seconds()),
        machine: facts::machine(),
        frame: FramePlan { ticks: FRAME_TICKS, substeps: SUBSTEPS },
        kernels,
        projections,
        parts,
        ticks,
        stretch,
        digests,
    })
}

/// Kernels and a whole frame on every path.
fn kernels(clock: &Clock, step: &mut impl FnMut()) -> Result<Vec<PathFigures>> {
    let mut paths = Path::available();
    let mut divider = Divider::new();
    let dividers = clock.in_turns(KERNEL_SHARE, &mut paths, |path| divider.run(*path));
    let mut gusts = Vec::new();
    for octaves in [3, 4] {
        let mut samples = Gusts::new(octaves)?;
        gusts.push(clock.in_turns(KERNEL_SHARE, &mut paths, |path| samples.run(*path)));
    }
    step();
    let mut flags = Vec::new();
    for path in &paths {
        flags.push(warmed_up(&scenes::flying(MIDDLE), Machine { path: *path, threads: 1 })?);
    }
    let ticks = clock.in_turns(PATHS_SHARE, &mut flags, tick);
    let each_ns = |timing: Timing, count: usize| figure(timing.least * 1e9 / count as f64);
    let figures = paths.iter().enumerate().map(|(index, path)| PathFigures {
        path: path.name().to_owned(),
        divider_ns: each_ns(dividers[index], Divider::COUNT),
        gust_9_ns: each_ns(gusts[0][index], Gusts::COUNT),
        gust_12_ns: each_ns(gusts[1][index], Gusts::COUNT),
        frame_ms: figure(frame_ms(ticks[index])),
    });
    Ok(figures.collect())
}

/// A cloth with no air and no tethers against the same with no links.
fn projection(clock: &Clock, grid: Grid, divider: f64) -> Result<Projection> {
    let bare = scenes::with(&scenes::with(&scenes::flying(grid), &NO_AIR), &[NO_TETHERS]);
    let loose = scenes::without_links(&bare);
    let mut pair = [warmed_up(&bare, Machine::single())?, warmed_up(&loose, Machine::single())?];
    let ticks = clock.in_turns(PROJECTION_SHARE, &mut pair, tick);
    let projections = scenes::projections(grid);
    let each_ns = |seconds: f64| seconds * 1e9 / (f64::from(SUBSTEPS) * projections as f64);
    let sweep_ns = figure(each_ns(ticks[0].least - ticks[1].least));
    let [columns, rows] = grid;
    Ok(Projection {
        columns,
        rows,
        links: scenes::links(grid),
        projections,
        sweep_ns,
        sweep_to_divider: figure(sweep_ns / divider),
        substep_ns: figure(each_ns(ticks[0].least)),
    })
}

/// A frame from which one part after the other is taken away.
fn parts(clock: &Clock, grid: Grid) -> Result<Parts> {
    let mut preset = scenes::flying(grid);
    let mut flags = vec![warmed_up(&preset, Machine::single())?];
    for row in [(RowId::AirDrag, 0.0), (RowId::WindTurbulence, 0.0), (RowId::AirDensity, 0.0), NO_TETHERS] {
        preset = scenes::with(&preset, &[row]);
        flags.push(warmed_up(&preset, Machine::single())?);
    }
    flags.push(warmed_up(&scenes::without_links(&preset), Machine::single())?);
    let ticks = clock.in_turns(PARTS_SHARE, &mut flags, tick);
    let frames: Vec<f64> = ticks.into_iter().map(frame_ms).collect();
    let substeps = u64::from(FRAME_TICKS * SUBSTEPS);
    let (particles, quads) = (scenes::particles(grid), scenes::quads(grid));
    let part = |part, without: usize, of, count: u64| {
        let ms = frames[without - 1] - frames.get(without).copied().unwrap_or_default();
        Part { part, ms: figure(ms), of, count, each_ns: figure(ms * 1e6 / count as f64) }
    };
    let [columns, rows] = grid;
    Ok(Parts {
        columns,
        rows,
        frame_ms: figure(frames[0]),
        parts: vec![
            part("links", 5, "projection", scenes::projections(grid) * substeps),
            part("sheet", 3, "quad", quads * substeps),
            part("gusts", 2, "quad", quads * u64::from(FRAME_TICKS)),
            part("drag", 1, "particle", particles * substeps),
            part("tethers", 4, "particle", particles * substeps),
            part("rest", 6, "particle", particles * substeps),
        ],
    })
}

/// Whole ticks of a grid, or of the wall after the last, with every number of threads.
fn ticks_of(clock: &Clock, scene: usize) -> Result<(Vec<Ticks>, Digests)> {
    let (preset, grid, flags) = match GRIDS.get(scene) {
        Some(grid) => (scenes::flying(*grid), *grid, 1),
        None => (scenes::wall(), WALL_GRID, (WALL_SIDE * WALL_SIDE) as usize),
    };
    let counts = thread_counts(facts::machine().cores);
    let mut performances = Vec::new();
    for threads in &counts {
        performances.push(warmed_up(&preset, Machine { threads: *threads, ..Machine::single() })?);
    }
    let timings = clock.in_turns(TICKS_SHARE, &mut performances, tick);
    let figures = counts.iter().zip(&timings);
    let figures = figures.map(|(threads, timing)| Ticks::new(flags, grid, *threads, *timing, timings[0], FRAME_TICKS));
    let ways = counts.iter().zip(&performances);
    let ways = ways.map(|(threads, performance)| way(Path::best(), *threads, performance)).collect();
    let name = match flags {
        1 => format!("{}×{}", grid[0], grid[1]),
        _ => format!("{flags} of {}×{}", grid[0], grid[1]),
    };
    Ok((figures.collect(), Digests::new(name, performances[0].ticks(), ways)))
}

/// A cloth that hangs, with and without tethers, frame by frame in turns until both are at rest.
fn stretch(grid: Grid) -> Result<Stretch> {
    let free = scenes::with(&scenes::hung(grid), &[NO_TETHERS]);
    let tethered = scenes::with(&scenes::hung(grid), &[(RowId::LinkTether, TETHER)]);
    let mut pair = [scenes::performance(&free, Machine::single())?, scenes::performance(&tethered, Machine::single())?];
    let mut samples = [Vec::new(), Vec::new()];
    for _ in 0..SETTLING * TICK_HERTZ / FRAME_TICKS {
        for (performance, samples) in pair.iter_mut().zip(&mut samples) {
            samples.push(time(|| (0..FRAME_TICKS).for_each(|_| performance.tick(&[]))));
        }
    }
    let [free_time, tethered_time] = samples.map(Timing::of);
    let hung = |performance: &Performance, timing: Timing| {
        let flag = &performance.scene().flags[0];
        let fallen = f64::from(flag.position[1] - performance.readouts(0).tip[1]);
        Hung {
            tether: figure(performance.values().float(RowId::LinkTether).into()),
            length_percent: figure((fallen / f64::from(flag.length) - 1.0) * 100.0),
            worst_percent: figure(f64::from(performance.readouts(0).stretch) * 100.0),
            frame_ms: figure(timing.least * 1e3),
        }
    };
    let [columns, rows] = grid;
    Ok(Stretch {
        columns,
        rows,
        seconds: SETTLING.into(),
        free: hung(&pair[0], free_time),
        tethered: hung(&pair[1], tethered_time),
        time_ratio: figure(tethered_time.least / free_time.least),
    })
}

/// The default preset on every path with every number of threads.
fn default_digests() -> Result<Digests> {
    let preset = Preset::default();
    let mut ways = Vec::new();
    for path in Path::available() {
        for threads in thread_counts(facts::machine().cores) {
            let mut performance = scenes::performance(&preset, Machine { path, threads })?;
            (0..DIGEST_TICKS).for_each(|_| performance.tick(&[]));
            ways.push(way(path, threads, &performance));
        }
    }
    Ok(Digests::new("default preset".to_owned(), DIGEST_TICKS, ways))
}

fn way(path: Path, threads: usize, performance: &Performance) -> Way {
    Way { path: path.name().to_owned(), threads, digest: performance.digest().to_string() }
}

/// In full flight.
fn warmed_up(preset: &Preset, machine: Machine) -> Result<Performance> {
    let mut performance = scenes::performance(preset, machine)?;
    let particles: u64 = preset.scene.flags.iter().map(|flag| scenes::particles([flag.columns, flag.rows])).sum();
    (0..(WARMED_UP / particles).min(MOST_WARM_UP)).for_each(|_| performance.tick(&[]));
    Ok(performance)
}

fn tick(performance: &mut Performance) {
    performance.tick(&[]);
}

/// A frame of such ticks, ms.
fn frame_ms(tick: Timing) -> f64 {
    tick.least * 1e3 * f64::from(FRAME_TICKS)
}

/// 1, 2, 4 … and all cores, as many as one performance uses.
fn thread_counts(cores: usize) -> Vec<usize> {
    let most = cores.clamp(1, MOST_THREADS);
    let mut counts: Vec<usize> =
        std::iter::successors(Some(1), |count| Some(count * 2)).take_while(|count| *count < most).collect();
    counts.push(most);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_double_up_to_all_cores() {
        assert_eq!(thread_counts(1), [1]);
        assert_eq!(thread_counts(2), [1, 2]);
        assert_eq!(thread_counts(6), [1, 2, 4, 6]);
        assert_eq!(thread_counts(64), [1, 2, 4, 8, 16]);
    }

    /// The counts that other engines are measured at.
    #[test]
    fn the_grids_have_the_links_that_others_have() {
        assert_eq!(GRIDS.map(scenes::links), [3_582, 14_842, 60_402, 243_682, 978_882]);
    }

    #[test]
    fn every_scene_can_be_built_and_its_ticks_are_frames_of_sixteen_sweeps() {
        for preset in [scenes::flying(MIDDLE), scenes::wall(), scenes::hung(WALL_GRID)] {
            let solver = &preset.scene.solver;
            assert_eq!(solver.steps_per_tick * solver.substeps * solver.sweeps * FRAME_TICKS, 16);
            assert_eq!(preset.scene.check(), Ok(()));
        }
        assert_eq!(scenes::wall().scene.flags.len(), 100);
        assert!(scenes::without_links(&scenes::wall()).scene.flags.iter().all(|flag| flag.links.is_empty()));
    }
}
