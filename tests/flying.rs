//! What flying looks like, as figures: the shipped presets against the criterion that they were made for.
//!
//! Sixty seconds after five, at 60 Hz; the tip is the middle of the fly edge. Spectra are of the tip's three
//! axes together under a Hann window.

use pennon::params::{Library, Preset, RowId, Value};
use pennon::perform::{Performance, TICK_HERTZ};
use std::f64::consts::TAU;

/// Seconds before the measurement: the flag has left its rest shape behind.
const TRANSIENT: u64 = 5;
/// Seconds measured.
const SECONDS: u64 = 60;
/// Frames a second.
const FRAME_HERTZ: u64 = 60;

/// Figures of one preset at one seed.
#[derive(Debug, Default)]
struct Figures {
    /// Rms of the tip's motion above 1 Hz, as a part of the length.
    swing: f64,
    /// Part of the tip's energy above 1 Hz.
    above_1: f64,
    /// Part of the tip's energy above 0.2 × speed / length: the slow sway of long cloth left out.
    above_slow: f64,
    /// Rms of the tip above that frequency, as a part of the length.
    swing_slow: f64,
    /// Part of the tip's energy above 8 Hz.
    above_8: f64,
    /// Part of the tip's energy in the strongest line (5 bins of the window).
    line: f64,
    /// Mean angle between neighbouring cells along the fly, degrees.
    crease: f64,
    /// Mean change of that angle from cell to cell over its mean.
    noise: f64,
    /// How far the mean tip hangs below the hoist's middle, degrees.
    droop: f64,
    /// Mean strain of all threads.
    strain_mean: f64,
    /// Mean over frames of the worst thread.
    strain_frame: f64,
    /// The worst thread ever.
    strain_worst: f64,
}

fn measure(preset: &Preset, seed: i32) -> Figures {
    let mut preset = preset.clone();
    preset.values.set(RowId::WindSeed, Value::Int(seed));
    let spec = preset.scene.flags[0].clone();
    let (columns, rows) = (spec.columns as usize, spec.rows as usize);
    let spacing = [spec.length / (columns - 1) as f32, spec.width / (rows - 1) as f32].map(f64::from);
    let mut performance = Performance::new(&preset).expect("a shipped preset");
    let mut figures = Figures::default();
    let (mut tips, mut p) = (Vec::new(), Vec::new());
    let per_frame = u64::from(TICK_HERTZ) / FRAME_HERTZ;
    let (mut angles, mut changes, mut cells, mut pairs, mut links) = (0.0, 0.0, 0u64, 0u64, 0u64);
    for frame in 0..(TRANSIENT + SECONDS) * FRAME_HERTZ {
        (0..per_frame).for_each(|_| performance.tick(&[]));
        if frame < TRANSIENT * FRAME_HERTZ {
            continue;
        }
        performance.copy_positions(0, &mut p);
        tips.push(performance.readouts(0).tip.map(f64::from));
        let side =
            |a: usize, b: usize| -> [f64; 3] { std::array::from_fn(|k| f64::from(p[b][k]) - f64::from(p[a][k])) };
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let mut frame_worst = 0.0f64;
        let mut strain = |a: usize, b: usize, rest: f64| {
            let strain = dot(side(a, b), side(a, b)).sqrt() / rest - 1.0;
            frame_worst = frame_worst.max(strain);
            figures.strain_mean += strain.abs();
            links += 1;
        };
        for row in 0..rows {
            for column in 0..columns {
                let i = row * columns + column;
                if column + 1 < columns {
                    strain(i, i + 1, spacing[0]);
                }
                if row + 1 < rows {
                    strain(i, i + columns, spacing[1]);
                }
            }
            let mut last: Option<[f64; 3]> = None;
            for column in 1..columns - 1 {
                let i = row * columns + column;
                let (u, v) = (side(i - 1, i), side(i, i + 1));
                let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
                let sine = dot(cross, cross).sqrt();
                let angle = sine.atan2(dot(u, v));
                // The bend as a vector, so that a change of its direction counts.
                let bend = if sine > 0.0 { cross.map(|c| c / sine * angle) } else { [0.0; 3] };
                angles += angle;
                cells += 1;
                if let Some(last) = last {
                    let d: [f64; 3] = std::array::from_fn(|k| bend[k] - last[k]);
                    changes += dot(d, d).sqrt();
                    pairs += 1;
                }
                last = Some(bend);
            }
        }
        figures.strain_frame += frame_worst;
        figures.strain_worst = figures.strain_worst.max(frame_worst);
    }
    figures.strain_mean /= links as f64;
    figures.strain_frame /= (SECONDS * FRAME_HERTZ) as f64;
    figures.crease = (angles / cells as f64).to_degrees();
    figures.noise = (changes / pairs as f64) / (angles / cells as f64);
    let count = tips.len() as f64;
    let mean: [f64; 3] = std::array::from_fn(|k| tips.iter().map(|tip| tip[k]).sum::<f64>() / count);
    let away = (mean[0] * mean[0] + mean[2] * mean[2]).sqrt();
    figures.droop = (-mean[1]).atan2(away).to_degrees();
    spectrum(&tips, mean, &preset, &mut figures);
    figures
}

/// Energies of the tip by frequency, by a plain Fourier sum.
fn spectrum(tips: &[[f64; 3]], mean: [f64; 3], preset: &Preset, figures: &mut Figures) {
    let count = tips.len();
    let table: Vec<(f64, f64)> = (0..count).map(|i| (TAU * i as f64 / count as f64).sin_cos()).collect();
    let window = |i: usize| 0.5 - 0.5 * table[i].1;
    let mut power = vec![0.0f64; count / 2];
    for axis in 0..3 {
        let signal: Vec<f64> = tips.iter().enumerate().map(|(i, tip)| (tip[axis] - mean[axis]) * window(i)).collect();
        for (bin, power) in power.iter_mut().enumerate().skip(1) {
            let (mut re, mut im) = (0.0, 0.0);
            let mut phase = 0;
            for value in &signal {
                re += value * table[phase].1;
                im += value * table[phase].0;
                phase = (phase + bin) % count;
            }
            *power += re * re + im * im;
        }
    }
    let total: f64 = power.iter().sum();
    let hertz = |bin: usize| bin as f64 * FRAME_HERTZ as f64 / count as f64;
    let above = |limit: f64| {
        let part: f64 = power.iter().enumerate().filter(|(bin, _)| hertz(*bin) > limit).map(|(_, p)| p).sum();
        part / total
    };
    let variance: f64 = (0..3).map(|k| tips.iter().map(|t| (t[k] - mean[k]).powi(2)).sum::<f64>() / count as f64).sum();
    let length = f64::from(preset.scene.flags[0].length);
    let slow = 0.2 * f64::from(preset.values.float(RowId::WindSpeed)) / length;
    figures.above_1 = above(1.0);
    figures.above_8 = above(8.0);
    figures.above_slow = above(slow);
    figures.swing = (variance * figures.above_1).sqrt() / length;
    figures.swing_slow = (variance * figures.above_slow).sqrt() / length;
    figures.line = power.windows(5).map(|bins| bins.iter().sum::<f64>()).fold(0.0, f64::max) / total;
}

#[test]
fn figures_of_all_presets() {
    for preset in &Library::shipped().presets {
        for seed in 1..=1 {
            let started = std::time::Instant::now();
            let f = measure(preset, seed);
            eprintln!(
                "{:8} {seed}: swing {:5.1} % (slow {:4.1}) >1Hz {:3.0}% >slow {:3.0}% >8Hz {:4.1}% line {:3.0}% crease {:4.1} noise {:4.2} droop {:5.1} strain {:5.2}/{:5.1}/{:5.1} {:.1?}",
                preset.name,
                f.swing * 100.,
                f.swing_slow * 100.,
                f.above_1 * 100.,
                f.above_slow * 100.,
                f.above_8 * 100.,
                f.line * 100.,
                f.crease,
                f.noise,
                f.droop,
                f.strain_mean * 100.,
                f.strain_frame * 100.,
                f.strain_worst * 100.,
                started.elapsed()
            );
        }
    }
}
