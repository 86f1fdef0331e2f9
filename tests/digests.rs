//! Golden digests: the same bits in every profile and on every machine.
//!
//! They say nothing of right or wrong; that is what the other tests are for. They say that nothing moved.

use pennon::params::{FlagSpec, Library, Preset, RowId, Value};
use pennon::perform::{ALGORITHM, Machine, Performance};
use pennon::sim::lanes::Path;
use std::fmt::Write as _;

/// Ticks after which a preset's digest is taken: two seconds.
const TICKS: u64 = 240;

#[test]
fn every_preset_has_the_digest_that_it_had() {
    let mut table = format!("# Digest of each shipped preset at seed 1 after {TICKS} ticks from rest.\n");
    writeln!(table, "algorithm {ALGORITHM}").expect("text");
    let line = |mut preset: Preset| {
        preset.values.set(RowId::WindSeed, Value::Int(1));
        let mut performance = Performance::new(&preset).expect("a shipped preset");
        (0..TICKS).for_each(|_| performance.tick(&[]));
        format!("{} {}\n", preset.name, performance.digest())
    };
    // Side by side: under emulation each preset takes half a minute.
    std::thread::scope(|scope| {
        let presets = Library::shipped().presets;
        let lines: Vec<_> = presets.into_iter().map(|preset| scope.spawn(|| line(preset))).collect();
        lines.into_iter().for_each(|line| table.push_str(&line.join().expect("a preset flies")));
    });
    let golden = include_str!("data/digests.txt");
    assert!(
        table == golden,
        "digests moved.\n\nIf one preset's file was changed on purpose, copy its line below into \
         tests/data/digests.txt in the same commit. If the arithmetic was changed on purpose, raise ALGORITHM too: \
         every take and shot made before is then refused by name. If neither was meant, or only one profile or \
         machine differs, this is a bug: do not touch the table.\n\n{table}\ninstead of\n\n{golden}"
    );
}

/// Scenes that threads share in every way: not at all, flag by flag, and stretch by stretch of one flag.
fn scenes() -> Vec<(&'static str, Preset)> {
    let flags = |count: u16, columns, rows| {
        let mut preset = Preset::default();
        let flag = |index| FlagSpec { columns, rows, position: [0.0, f32::from(index), 0.0], ..FlagSpec::default() };
        preset.scene.flags = (0..count).map(flag).collect();
        preset.scene.solver.substeps = 4;
        preset
    };
    vec![("default", Preset::default()), ("seven small", flags(7, 20, 13)), ("one large", flags(1, 160, 64))]
}

#[test]
fn no_machine_moves_a_digest() {
    for (name, preset) in scenes() {
        let digest = |path: Path, threads: usize| {
            let mut performance = Performance::new(&preset).expect("a sound scene");
            performance.set_machine(Machine { path, threads });
            (0..12).for_each(|_| performance.tick(&[]));
            performance.digest()
        };
        let expected = digest(Path::best(), 1);
        for path in Path::available() {
            for threads in 1..=4 {
                assert_eq!(digest(path, threads), expected, "{name}: {} with {threads} threads", path.name());
            }
        }
    }
}
