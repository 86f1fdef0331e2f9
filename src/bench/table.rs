//! The report for people: aligned, at most 80 columns.

use super::report::{Digests, Hung, Part, PathFigures, Report, Ticks};

/// A frame's time at 60 frames a second, ms.
const REAL_TIME: f64 = 1000.0 / 60.0;

/// One figure of a path.
type Figure = fn(&PathFigures) -> f64;

/// All of it.
pub fn table(report: &Report) -> String {
    [head(report), kernels(report), projections(report), parts(report), ticks(report), stretch(report), digests(report)]
        .join("\n")
}

fn head(report: &Report) -> String {
    let Report { version, algorithm, machine, frame, seconds, .. } = report;
    let cores = if machine.cores == 1 { "core" } else { "cores" };
    let mut out = format!("pennon {version}, algorithm {algorithm}\n{}\n", machine.processor);
    out += &format!("{} {cores}; paths {}\n\n", machine.cores, machine.paths.join(", "));
    if !report.optimised {
        out += "NOT COMPILED FOR SPEED: no time below means anything. Use --release.\n\n";
    }
    out += &format!(
        "Times are the least of many, what is compared taken in turns ({seconds:.0} s in all).\n\
         One thread and {}, where nothing else is said. A frame is 1/60 s: {} ticks of\n\
         {} substeps, one sweep each, of a flag of 1.6 m in the default wind.\n\
         A projection brings one link to its length; ÷ divider is its time over the least\n\
         that its root and its division take.\n",
        machine.path, frame.ticks, frame.substeps
    );
    out
}

fn kernels(report: &Report) -> String {
    let mut out = format!("{:<40}", "by path");
    report.kernels.iter().for_each(|figures| out += &format!("{:>10}", figures.path));
    out += "\n";
    let frame = format!("frame of {}, ms", grid(report.parts.columns, report.parts.rows));
    let lines: [(&str, Figure); 4] = [
        ("divider: a root, then a division, ns", |path| path.divider_ns),
        ("gust sample, 3 octaves (9 sines), ns", |path| path.gust_9_ns),
        ("gust sample, 4 octaves (12 sines), ns", |path| path.gust_12_ns),
        (&frame, |path| path.frame_ms),
    ];
    for (name, figure) in lines {
        out += &format!("  {name:<38}");
        report.kernels.iter().for_each(|path| out += &format!("{:>10}", digits(figure(path))));
        out += "\n";
    }
    out
}

fn projections(report: &Report) -> String {
    let mut out = format!(
        "{:<16}{:>10}{:>13}{:>12}{:>12}{:>14}\n",
        "a projection", "links", "projections", "sweep, ns", "÷ divider", "substep, ns"
    );
    for row in &report.projections {
        out += &format!(
            "  {:<14}{:>10}{:>13}{:>12}{:>12}{:>14}\n",
            grid(row.columns, row.rows),
            thousands(row.links),
            thousands(row.projections),
            digits(row.sweep_ns),
            digits(row.sweep_to_divider),
            digits(row.substep_ns)
        );
    }
    out
}

fn parts(report: &Report) -> String {
    let parts = &report.parts;
    let name = format!("a frame of {}", grid(parts.columns, parts.rows));
    let mut out = format!("{name:<30}{:>10}{:>10}{:>14}\n", "ms", "share", "each, ns");
    for part in &parts.parts {
        let Part { ms, of, each_ns, .. } = part;
        let share = unsigned_zero(format!("{:.0} %", 100.0 * ms / parts.frame_ms));
        out +=
            &format!("  {:<28}{:>10}{share:>10}{:>14} a {of}\n", part_name(part.part), digits(*ms), digits(*each_ns));
    }
    out += &format!("  {:<28}{:>10}\n", "all", digits(parts.frame_ms));
    out
}

fn part_name(part: &str) -> &str {
    match part {
        "links" => "links",
        "sheet" => "sheet law",
        "gusts" => "gusts, once a tick",
        "drag" => "drag, with its gusts",
        "tethers" => "tethers",
        _ => "prediction, velocity, checks",
    }
}

fn ticks(report: &Report) -> String {
    let mut out = format!(
        "{:<18}{:>8}{:>11}{:>10}{:>12}{:>11}{:>10}\n",
        "whole ticks", "threads", "ms a tick", "median", "ms a frame", "real time", "speed-up"
    );
    let mut last = String::new();
    for row in &report.ticks {
        let Ticks { columns, rows, threads, .. } = *row;
        let name =
            if row.flags == 1 { grid(columns, rows) } else { format!("{} of {}", row.flags, grid(columns, rows)) };
        let shown = if name == last { "" } else { &name };
        out += &format!(
            "  {shown:<16}{threads:>8}{:>11}{:>10}{:>12}{:>10}×{:>9}×\n",
            digits(row.tick_ms),
            digits(row.tick_median_ms),
            digits(row.frame_ms),
            digits(REAL_TIME / row.frame_ms),
            format!("{:.2}", row.speed_up),
        );
        last = name;
    }
    out
}

fn stretch(report: &Report) -> String {
    let stretch = &report.stretch;
    let name = format!("hung {}, 1 g, {:.0} s", grid(stretch.columns, stretch.rows), stretch.seconds);
    let mut out = format!("{name:<30}{:>14}{:>14}{:>12}\n", "length", "worst thread", "ms a frame");
    let line = |name: &str, hung: &Hung, end: &str| {
        let percent = |value: f64| format!("{value:+.3} %");
        let (length, worst) = (percent(hung.length_percent), percent(hung.worst_percent));
        format!("  {name:<28}{length:>14}{worst:>14}{:>12}{end}\n", digits(hung.frame_ms))
    };
    out += &line("without tethers", &stretch.free, "");
    let with = format!("tethers at {}", stretch.tethered.tether);
    out += &line(&with, &stretch.tethered, &format!("  {:.2}×", stretch.time_ratio));
    out
}

fn digests(report: &Report) -> String {
    let mut out = String::new();
    for Digests { scene, ticks, equal, ways } in &report.digests {
        if !equal {
            out += &format!("  {scene} after {ticks} ticks:\n");
            for way in ways {
                let threads = if way.threads == 1 { "thread" } else { "threads" };
                out += &format!("    {:<10}{:>3} {:<9}{}\n", way.path, way.threads, threads, way.digest);
            }
        }
    }
    match out.as_str() {
        "" => "the same bits on every path and number of threads: yes\n".to_owned(),
        differences => format!("the same bits on every path and number of threads: NO\n{differences}"),
    }
}

fn grid(columns: u32, rows: u32) -> String {
    format!("{columns}×{rows}")
}

/// Three digits that count.
fn digits(value: f64) -> String {
    let size = value.abs();
    let places = if size < 9.995 { 2 + usize::from(size < 0.9995) } else { usize::from(size < 99.95) };
    unsigned_zero(format!("{value:.places$}"))
}

/// A little less than nothing, as a difference can be, is shown as nothing.
fn unsigned_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(size) if !size.contains(|digit: char| ('1'..='9').contains(&digit)) => size.to_owned(),
        _ => text,
    }
}

/// `978 882`.
fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}
