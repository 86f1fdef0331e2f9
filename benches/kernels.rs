//! `cargo bench --no-default-features`: the core's kernels with criterion, for comparing one change with the next.
//!
//! The same scenes and kernels as `pennon bench`, which tells where this machine stands.

#[path = "../src/bench/kernels.rs"]
mod kernels;
#[path = "../src/bench/scenes.rs"]
mod scenes;

use criterion::{BenchmarkId, Criterion, Throughput};
use kernels::{Divider, Gusts};
use pennon::params::{Preset, RowId};
use pennon::perform::Performance;
use pennon::sim::lanes::Path;
use pennon::sim::machine::Machine;
use scenes::{FRAME_TICKS, GRIDS, MIDDLE, NO_AIR, NO_TETHERS, SUBSTEPS, WALL_GRID};
use std::time::Duration;

/// Ticks before a scene is measured, so that its flags fly: ten frames.
const WARM_UP: u32 = 10 * FRAME_TICKS;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .configure_from_args();
    alone(&mut criterion);
    links(&mut criterion);
    parts(&mut criterion);
    ticks(&mut criterion);
    criterion.final_summary();
}

/// The divider's bound and gust samples on each path; a piece is one root and division, or one sample.
fn alone(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("divider");
    let mut divider = Divider::new();
    group.throughput(Throughput::Elements(Divider::COUNT as u64));
    for path in Path::available() {
        group.bench_function(path.name(), |bencher| bencher.iter(|| divider.run(path)));
    }
    group.finish();
    let mut group = criterion.benchmark_group("gusts");
    group.throughput(Throughput::Elements(Gusts::COUNT as u64));
    for octaves in [3, 4] {
        let mut gusts = Gusts::new(octaves).expect("octaves in reach");
        for path in Path::available() {
            let id = BenchmarkId::new(format!("{} sines", 3 * octaves), path.name());
            group.bench_function(id, |bencher| bencher.iter(|| gusts.run(path)));
        }
    }
    group.finish();
}

/// Substeps with no air, with links and without, by grid; a piece is a projection.
fn links(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("links");
    for grid in GRIDS {
        let bare = scenes::with(&scenes::with(&scenes::flying(grid), &NO_AIR), &[NO_TETHERS]);
        group.throughput(Throughput::Elements(scenes::projections(grid) * u64::from(SUBSTEPS)));
        for (name, preset) in [("substep", &bare), ("without links", &scenes::without_links(&bare))] {
            let mut performance = flown(preset, Machine::single());
            let id = BenchmarkId::new(name, label(grid));
            group.bench_function(id, |bencher| bencher.iter(|| performance.tick(&[])));
        }
    }
    group.finish();
}

/// A tick of the middle grid with ever less in it, and of a cloth that hangs; a piece is a quad, or a particle, in
/// one substep.
fn parts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parts");
    let steady = scenes::with(&scenes::flying(MIDDLE), &[(RowId::AirDrag, 0.0), (RowId::WindTurbulence, 0.0)]);
    let bare = scenes::with(&steady, &NO_AIR);
    let hung = scenes::hung(MIDDLE);
    let (quads, particles) = (scenes::quads(MIDDLE), scenes::particles(MIDDLE));
    for (name, count, preset) in [
        ("sheet law", quads, &steady),
        ("no air", quads, &bare),
        ("hung, tethers", particles, &hung),
        ("hung, no tethers", particles, &scenes::with(&hung, &[NO_TETHERS])),
    ] {
        let mut performance = flown(preset, Machine::single());
        group.throughput(Throughput::Elements(count * u64::from(SUBSTEPS)));
        group.bench_function(name, |bencher| bencher.iter(|| performance.tick(&[])));
    }
    group.finish();
}

/// Whole ticks by scene, on one thread and on all.
fn ticks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tick");
    let mut presets: Vec<(String, Preset)> = GRIDS.iter().map(|grid| (label(*grid), scenes::flying(*grid))).collect();
    presets.push((format!("wall of {}", label(WALL_GRID)), scenes::wall()));
    for (name, preset) in presets {
        for (threads, machine) in [("one thread", Machine::single()), ("all threads", Machine::whole())] {
            let mut performance = flown(&preset, machine);
            let id = BenchmarkId::new(threads, &name);
            group.bench_function(id, |bencher| bencher.iter(|| performance.tick(&[])));
        }
    }
    group.finish();
}

fn flown(preset: &Preset, machine: Machine) -> Performance {
    let mut performance = scenes::performance(preset, machine).expect("a scene that can be built");
    (0..WARM_UP).for_each(|_| performance.tick(&[]));
    performance
}

fn label([columns, rows]: scenes::Grid) -> String {
    format!("{columns}x{rows}")
}
