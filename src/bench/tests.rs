//! The report's shape, with made-up figures.

use super::clock::Timing;
use super::report::*;
use super::table;
use std::collections::BTreeSet;

fn way(path: &str, threads: usize, digest: &str) -> Way {
    Way { path: path.into(), threads, digest: digest.into() }
}

fn made_up() -> Report {
    let path = |path: &str, factor: f64| PathFigures {
        path: path.into(),
        divider_ns: 0.25 * factor,
        gust_9_ns: 3.5 * factor,
        gust_12_ns: 4.5 * factor,
        frame_ms: 1.25 * factor,
    };
    let projection = |[columns, rows]: [u32; 2], links, sweep_ns| Projection {
        columns,
        rows,
        links,
        projections: links + links / 6,
        sweep_ns,
        sweep_to_divider: 4.0 * sweep_ns,
        substep_ns: 1.5 * sweep_ns,
    };
    let part = |part, ms, of, count| Part { part, ms, of, count, each_ns: figure(ms * 1e6 / count as f64) };
    let time = |milliseconds: f64| Timing { least: milliseconds / 1e3, median: milliseconds * 1.5e-3 };
    let ticks =
        |flags, grid, threads, tick: f64, single: f64| Ticks::new(flags, grid, threads, time(tick), time(single), 2);
    let hung = |tether, length_percent, frame_ms| Hung {
        tether,
        length_percent,
        worst_percent: 3.0 * length_percent,
        frame_ms,
    };
    Report {
        pennon_bench: 1,
        version: "9.8.7".into(),
        algorithm: 5,
        optimised: true,
        seconds: 33.3,
        machine: MachineFacts {
            processor: "A Processor at 2 GHz".into(),
            architecture: "x86_64".into(),
            cores: 2,
            path: "avx2".into(),
            paths: vec!["avx2".into(), "portable".into()],
        },
        frame: FramePlan { ticks: 2, substeps: 8 },
        kernels: vec![path("avx2", 1.0), path("portable", 2.0)],
        projections: vec![projection([32, 20], 3_582, 0.5), projection([512, 320], 978_882, 30.0)],
        parts: Parts {
            columns: 128,
            rows: 80,
            frame_ms: 1.25,
            parts: vec![
                part("links", 0.5, "projection", 1_128_224),
                part("sheet", 0.25, "quad", 160_528),
                part("gusts", 0.125, "quad", 20_066),
                part("drag", 0.125, "particle", 163_840),
                part("tethers", -0.0004, "particle", 163_840),
                part("rest", 0.2504, "particle", 163_840),
            ],
        },
        ticks: vec![
            ticks(1, [32, 20], 1, 0.0371, 0.0371),
            ticks(1, [512, 320], 1, 10.0, 10.0),
            ticks(1, [512, 320], 16, 1.25, 10.0),
            ticks(100, [32, 20], 1, 400.0, 400.0),
        ],
        stretch: Stretch {
            columns: 128,
            rows: 80,
            seconds: 4.0,
            free: hung(2.0, 0.9, 0.75),
            tethered: hung(1.0, 0.01, 0.84),
            time_ratio: 1.12,
        },
        digests: vec![Digests::new(
            "default preset".into(),
            120,
            vec![way("avx2", 1, "0123"), way("portable", 2, "0123")],
        )],
    }
}

#[test]
fn the_table_is_aligned_and_fits_eighty_columns() {
    let expected = "\
pennon 9.8.7, algorithm 5
A Processor at 2 GHz
2 cores; paths avx2, portable

Times are the least of many, what is compared taken in turns (33 s in all).
One thread and avx2, where nothing else is said. A frame is 1/60 s: 2 ticks of
8 substeps, one sweep each, of a flag of 1.6 m in the default wind.
A projection brings one link to its length; ÷ divider is its time over the least
that its root and its division take.

by path                                       avx2  portable
  divider: a root, then a division, ns       0.250     0.500
  gust sample, 3 octaves (9 sines), ns        3.50      7.00
  gust sample, 4 octaves (12 sines), ns       4.50      9.00
  frame of 128×80, ms                         1.25      2.50

a projection         links  projections   sweep, ns   ÷ divider   substep, ns
  32×20              3 582        4 179       0.500        2.00         0.750
  512×320          978 882    1 142 029        30.0         120          45.0

a frame of 128×80                     ms     share      each, ns
  links                            0.500      40 %         0.443 a projection
  sheet law                        0.250      20 %          1.56 a quad
  gusts, once a tick               0.125      10 %          6.23 a quad
  drag, with its gusts             0.125      10 %         0.763 a particle
  tethers                          0.000       0 %        -0.002 a particle
  prediction, velocity, checks     0.250      20 %          1.53 a particle
  all                               1.25

whole ticks        threads  ms a tick    median  ms a frame  real time  speed-up
  32×20                  1      0.037     0.056       0.074       225×     1.00×
  512×320                1       10.0      15.0        20.0     0.833×     1.00×
                        16       1.25      1.88        2.50      6.67×     8.00×
  100 of 32×20           1        400       600         800     0.021×     1.00×

hung 128×80, 1 g, 4 s                 length  worst thread  ms a frame
  without tethers                   +0.900 %      +2.700 %       0.750
  tethers at 1                      +0.010 %      +0.030 %       0.840  1.12×

the same bits on every path and number of threads: yes
";
    let table = table(&made_up());
    assert_eq!(table, expected, "\n{table}");
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn differing_bits_are_shown_and_fail() {
    let mut report = made_up();
    assert!(report.same_everywhere());
    report.digests.push(Digests::new("32×20".into(), 99, vec![way("avx2", 1, "ab12"), way("sse2", 12, "ab13")]));
    assert!(!report.same_everywhere());
    assert!(table(&report).ends_with(
        "\
the same bits on every path and number of threads: NO
  32×20 after 99 ticks:
    avx2        1 thread   ab12
    sse2       12 threads  ab13
"
    ));
}

#[test]
fn a_build_that_is_not_for_speed_says_so() {
    let slow = Report { optimised: false, ..made_up() };
    assert!(table(&slow).contains("NOT COMPILED FOR SPEED"));
    assert!(!table(&made_up()).contains("NOT COMPILED FOR SPEED"));
}

/// Every key's path, `[]` for the elements of a list.
fn keys(value: &serde_json::Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                keys(value, &path, found);
            }
        }
        serde_json::Value::Array(list) if !list.is_empty() => {
            list.iter().for_each(|value| keys(value, &format!("{path}[]"), found));
        }
        _ => _ = found.insert(path.to_owned()),
    }
}

#[test]
fn the_keys_are_the_ones_that_programs_read() {
    let expected: BTreeSet<String> = "
        pennon_bench version algorithm optimised seconds
        machine.processor machine.architecture machine.cores machine.path machine.paths[]
        frame.ticks frame.substeps
        kernels[].path kernels[].divider_ns kernels[].gust_9_ns kernels[].gust_12_ns kernels[].frame_ms
        projections[].columns projections[].rows projections[].links projections[].projections
        projections[].sweep_ns projections[].sweep_to_divider projections[].substep_ns
        parts.columns parts.rows parts.frame_ms
        parts.parts[].part parts.parts[].ms parts.parts[].of parts.parts[].count parts.parts[].each_ns
        ticks[].flags ticks[].columns ticks[].rows ticks[].threads
        ticks[].tick_ms ticks[].tick_median_ms ticks[].frame_ms ticks[].speed_up
        stretch.columns stretch.rows stretch.seconds stretch.time_ratio
        stretch.free.tether stretch.free.length_percent stretch.free.worst_percent stretch.free.frame_ms
        stretch.tethered.tether stretch.tethered.length_percent stretch.tethered.worst_percent
        stretch.tethered.frame_ms
        digests[].scene digests[].ticks digests[].equal
        digests[].ways[].path digests[].ways[].threads digests[].ways[].digest"
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let text = made_up().json().expect("numbers and text");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut found = BTreeSet::new();
    keys(&json, "", &mut found);
    assert_eq!(found, expected);
    // The figures are numbers as they are in the report.
    assert_eq!(json["ticks"][2]["speed_up"], 8.0);
    assert_eq!(json["projections"][1]["links"], 978_882);
}
