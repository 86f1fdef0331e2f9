//! The measurement: engines in turn, many short blocks each, the median of the blocks.

use crate::engine::{Contender, Engine};
use crate::scene::{FRAME, Order, Pose, SWEEPS, Scene};
use std::time::Instant;

/// How long and how often.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Turns that every engine has on a grid.
    pub rounds: usize,
    /// Shortest block of frames, s: so long that the clock and a switch of engines do not count.
    pub block: f64,
    /// Frames before the first block.
    pub warm_up: usize,
    /// Seconds that the sheet hangs before its stretch is read.
    pub hang: f32,
    /// Seconds over which the stretch is averaged.
    pub read: f32,
}

/// What an engine reached on a grid.
#[derive(Debug, Clone)]
pub struct Row {
    /// `Contender::key`.
    pub key: String,
    /// `Contender::label`.
    pub label: String,
    /// The grid.
    pub grid: [usize; 2],
    /// Links by the engine's own count.
    pub links: usize,
    /// Median over the blocks, ms; the fault of an engine that failed.
    pub frame: Result<Timing, String>,
    /// Hanging; the fault of an engine that failed.
    pub stretch: Result<Stretch, String>,
}

/// Times of a frame.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// Median of the blocks, ms.
    pub milliseconds: f64,
    /// Fastest block, ms.
    pub fastest: f64,
    /// Median over the rounds of this block by Pennon's in the same round.
    pub ratio: f64,
    /// Where the middle of the free edge is at the end, m.
    pub tip: [f32; 3],
}

impl Timing {
    /// Nanoseconds for the projection of one link.
    pub fn nanoseconds_per_projection(&self, links: usize) -> f64 {
        self.milliseconds * 1e6 / (links as f64 * f64::from(SWEEPS))
    }
}

/// How far a hanging sheet is stretched.
#[derive(Debug, Clone, Copy)]
pub struct Stretch {
    /// Mean along the threads from the pinned edge, %.
    pub percent: f64,
    /// From the least to the greatest frame read, %: how much it still moves.
    pub swing: f64,
    /// Where the middle of the free edge hangs, m.
    pub tip: [f32; 3],
}

/// One grid: every engine's times, then its stretch. `tell` hears what is going on.
pub fn grid(contenders: &[Contender], grid: [usize; 2], order: Order, plan: &Plan, tell: &dyn Fn(&str)) -> Vec<Row> {
    let [columns, rows] = grid;
    let level = Scene::new(columns, rows, Pose::Level, order);
    let mut runners: Vec<Runner> = contenders.iter().map(|contender| Runner::new(contender, &level, plan)).collect();
    tell("frames");
    for round in 0..plan.rounds {
        // There and back, so that no engine always follows the same one.
        match round % 2 {
            0 => runners.iter_mut().for_each(Runner::block),
            _ => runners.iter_mut().rev().for_each(Runner::block),
        }
    }
    let base = runners.first().map(|pennon| pennon.blocks.clone()).unwrap_or_default();
    let mut table: Vec<Row> = runners.into_iter().map(|runner| runner.row(&level, &base)).collect();
    let hung = Scene::new(columns, rows, Pose::Hung, order);
    for (row, contender) in table.iter_mut().zip(contenders) {
        tell(&row.label);
        row.stretch = stretch(contender, &hung, plan);
    }
    table
}

/// An engine while it is timed.
struct Runner<'a> {
    contender: &'a Contender,
    engine: Option<Box<dyn Engine>>,
    fault: Option<String>,
    frames: usize,
    /// ms a frame, a block each.
    blocks: Vec<f64>,
}

impl<'a> Runner<'a> {
    fn new(contender: &'a Contender, scene: &Scene, plan: &Plan) -> Self {
        let mut runner = Runner { contender, engine: None, fault: None, frames: 1, blocks: Vec::new() };
        match (contender.make)(scene) {
            Ok(engine) => runner.engine = Some(engine),
            Err(fault) => runner.fault = Some(fault),
        }
        let began = Instant::now();
        let mut warmed = 0;
        while warmed < plan.warm_up && began.elapsed().as_secs_f64() < plan.block {
            runner.frame();
            warmed += 1;
        }
        let frame = began.elapsed().as_secs_f64() / warmed.max(1) as f64;
        runner.frames = (plan.block / frame).ceil().clamp(1.0, 10_000.0) as usize;
        runner
    }

    fn frame(&mut self) {
        if let (Some(engine), None) = (&mut self.engine, &self.fault)
            && let Err(fault) = engine.frame()
        {
            self.fault = Some(fault);
        }
    }

    fn block(&mut self) {
        let began = Instant::now();
        for _ in 0..self.frames {
            self.frame();
        }
        self.blocks.push(began.elapsed().as_secs_f64() * 1e3 / self.frames as f64);
    }

    fn row(self, scene: &Scene, base: &[f64]) -> Row {
        let links = self.engine.as_ref().map_or(0, |engine| engine.links());
        let tip = self.engine.as_ref().map(|engine| sound(&engine.positions()).map(|p| p[scene.tip()]));
        let ratios: Vec<f64> = self.blocks.iter().zip(base).map(|(own, base)| own / base).collect();
        let frame = match (self.fault, tip) {
            (Some(fault), _) | (None, Some(Err(fault))) => Err(fault),
            (None, None) => Err("it was not made".to_owned()),
            (None, Some(Ok(tip))) => Ok(Timing {
                milliseconds: median(&self.blocks),
                fastest: self.blocks.iter().copied().fold(f64::INFINITY, f64::min),
                ratio: median(&ratios),
                tip,
            }),
        };
        let grid = [scene.columns, scene.rows];
        Row {
            key: self.contender.key.clone(),
            label: self.contender.label.clone(),
            grid,
            links,
            frame,
            stretch: Err("it did not hang".to_owned()),
        }
    }
}

fn stretch(contender: &Contender, scene: &Scene, plan: &Plan) -> Result<Stretch, String> {
    let mut engine = (contender.make)(scene)?;
    let frames = |seconds: f32| (seconds / FRAME).round() as usize;
    for _ in 0..frames(plan.hang) {
        engine.frame()?;
    }
    let mut read = Vec::new();
    for _ in 0..frames(plan.read).max(1) {
        engine.frame()?;
        read.push(scene.stretch_percent(sound(&engine.positions())?));
    }
    let [least, greatest] = read
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[least, greatest], now| [least.min(*now), greatest.max(*now)]);
    Ok(Stretch {
        percent: read.iter().sum::<f64>() / read.len() as f64,
        swing: greatest - least,
        tip: engine.positions()[scene.tip()],
    })
}

/// The positions, if they are numbers.
fn sound(positions: &[[f32; 3]]) -> Result<&[[f32; 3]], String> {
    match positions.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        None => Ok(positions),
        Some(particle) => Err(format!("not finite at particle {particle}")),
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sorted[middle],
        _ => 0.5 * (sorted[middle - 1] + sorted[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn what_is_not_a_number_is_told() {
        assert!(sound(&[[0.0; 3]]).is_ok());
        assert_eq!(sound(&[[0.0; 3], [0.0, f32::NAN, 0.0]]), Err("not finite at particle 1".to_owned()));
    }

    #[test]
    fn every_engine_has_the_scene_s_links_and_hangs() {
        let plan = Plan { rounds: 1, block: 0.0, warm_up: 1, hang: 1.0, read: 0.1 };
        let (contenders, _) = crate::engine::contenders();
        for order in [Order::Colours, Order::Fibre] {
            for row in grid(&contenders, [32, 20], order, &plan, &|_| ()) {
                assert_eq!(row.links, 3582, "{}", row.label);
                assert!(row.frame.is_ok(), "{}: {:?}", row.label, row.frame);
                let hung = row.stretch.expect(&row.label);
                // It carries its weight: longer than at rest, and not fallen.
                assert!(hung.percent > 0.0 && hung.percent < 20.0, "{}: {hung:?}", row.label);
                assert!(hung.tip[1] < -1.59 && hung.tip[1] > -2.0, "{}: {hung:?}", row.label);
            }
        }
    }
}
