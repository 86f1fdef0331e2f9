//! What is printed: an aligned table, or JSON with stable keys.

use crate::measure::Row;
use crate::scene::{FRAME, GRAVITY, LENGTH, MASS, Order, SWEEPS, WIDTH};
use serde_json::{Value, json};

const HEAD: [&str; 9] = [
    "grid",
    "engine, one thread",
    "links",
    "ms/frame",
    "fastest",
    "ns/link",
    "x Pennon",
    "stretch %",
    "tip hangs at (m)",
];

/// The table for people.
pub fn table(rows: &[Row], absent: &[(&str, &str)], order: Order) -> String {
    let mut cells: Vec<[String; 9]> = vec![HEAD.map(str::to_owned)];
    let mut notes = Vec::new();
    for row in rows {
        let mut line = [const { String::new() }; 9];
        line[0] = format!("{}x{}", row.grid[0], row.grid[1]);
        line[1] = row.label.clone();
        line[2] = row.links.to_string();
        match &row.frame {
            Ok(timing) => {
                line[3] = format!("{:.3}", timing.milliseconds);
                line[4] = format!("{:.3}", timing.fastest);
                line[5] = format!("{:.2}", timing.nanoseconds_per_projection(row.links));
                line[6] = format!("{:.1}", timing.ratio);
            }
            Err(fault) => {
                line[3] = "failed".to_owned();
                notes.push(format!("{} {}, swinging: {fault}", line[0], row.label));
            }
        }
        line[7] = match &row.stretch {
            Ok(stretch) => {
                line[8] = place(stretch.tip);
                format!("{:.2} +-{:.2}", stretch.percent, 0.5 * stretch.swing)
            }
            Err(fault) => {
                notes.push(format!("{} {}, hanging: {fault}", line[0], row.label));
                "failed".to_owned()
            }
        };
        cells.push(line);
    }
    let widths: Vec<usize> =
        (0..HEAD.len()).map(|column| cells.iter().map(|line| line[column].len()).max().unwrap_or_default()).collect();
    let mut text = String::new();
    let mut grid = String::new();
    for (number, line) in cells.iter().enumerate() {
        if number > 0 && line[0] != grid {
            text.push('\n');
            grid.clone_from(&line[0]);
        }
        for (column, cell) in line.iter().enumerate() {
            let width = widths[column];
            let padded = if column < 2 { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
            text.push_str(&padded);
            text.push_str(if column + 1 < line.len() { "  " } else { "\n" });
        }
    }
    text.push('\n');
    for (name, reason) in absent {
        text.push_str(&format!("{name} is not here: {reason}\n"));
    }
    for note in notes {
        text.push_str(&note);
        text.push('\n');
    }
    text.push_str(&format!("links given to peers in {} order; {}\n", word(order), processor()));
    text
}

/// The same for programs.
pub fn json(rows: &[Row], absent: &[(&str, &str)], order: Order) -> Value {
    let results: Vec<Value> = rows
        .iter()
        .map(|row| {
            let timing = row.frame.as_ref().ok();
            let hung = row.stretch.as_ref().ok();
            json!({
                "engine": row.key,
                "label": row.label,
                "columns": row.grid[0],
                "rows": row.grid[1],
                "links": row.links,
                "milliseconds_per_frame": timing.map(|timing| timing.milliseconds),
                "milliseconds_per_frame_fastest": timing.map(|timing| timing.fastest),
                "nanoseconds_per_projection": timing.map(|timing| timing.nanoseconds_per_projection(row.links)),
                "ratio_to_pennon": timing.map(|timing| timing.ratio),
                "swinging_tip": timing.map(|timing| timing.tip),
                "fault": row.frame.as_ref().err(),
                "stretch_percent": hung.map(|hung| hung.percent),
                "stretch_swing_percent": hung.map(|hung| hung.swing),
                "hanging_tip": hung.map(|hung| hung.tip),
                "hanging_fault": row.stretch.as_ref().err(),
            })
        })
        .collect();
    let absent: Vec<Value> =
        absent.iter().map(|(engine, reason)| json!({"engine": engine, "reason": reason})).collect();
    json!({
        "bench": "pennon-peers",
        "processor": processor(),
        "threads": 1,
        "order": word(order),
        "frame_seconds": FRAME,
        "sweeps_per_frame": SWEEPS,
        "length_metres": LENGTH,
        "width_metres": WIDTH,
        "mass_kilograms": MASS,
        "gravity": GRAVITY,
        "results": results,
        "absent": absent,
    })
}

fn place([x, y, z]: [f32; 3]) -> String {
    format!("{x:.2} {y:.2} {z:.2}")
}

fn word(order: Order) -> &'static str {
    match order {
        Order::Colours => "colours",
        Order::Fibre => "fibre",
    }
}

/// The name of the processor, where the system tells it.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    name.unwrap_or(std::env::consts::ARCH).trim().to_owned()
}
