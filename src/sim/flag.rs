//! One flag: its cut, its cloth, and the steps that a tick makes with it.
//!
//! It must not know other flags, nor what moves its settings.

use super::air::drag;
use super::air::sheet::{QuadForces, SheetLaw};
use super::cloth::{Axes, Cloth};
use super::cut::Cut;
use super::solver::{DampingOrder, LinkCompliance, Solver, SubstepLaw, decay};
use super::wind::{SampleScratch, Wind};
use crate::math;
use glam::Vec3;
use std::ops::Range;

/// Farther out than this on any axis a particle counts as lost, m. f32 still resolves 0.06 m there; nothing
/// that means to be a flag comes near.
pub const FARTHEST: f32 = 1e6;
/// Fastest that the hand moves a particle, m/s: quicker than an arm, slow enough for 16 substeps a tick.
pub const HAND_SPEED: f32 = 20.0;
/// Farthest that the hand pulls a particle from its pin, as a multiple of its rest path.
pub const HAND_REACH: f32 = 1.1;

/// What moves a flag from outside; plain units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlagSettings {
    /// Gravity along −y, m/s².
    pub gravity: f32,
    /// Decay rate of all velocity, 1/s.
    pub damping: f32,
    /// Drag of each particle, 1/s.
    pub drag: f32,
    /// The sheet law.
    pub sheet: SheetLaw,
    /// Compliances of the links, m/N.
    pub compliance: LinkCompliance,
    /// Tethers, multiple of the rest path; from 2 on they are off.
    pub tether: f32,
}

/// How a tick is cut into steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepPlan {
    /// Length of a tick, s.
    pub tick_seconds: f64,
    /// Steps of equal length in a tick; safeguards look after each.
    pub steps_per_tick: u32,
    /// Substeps in a step.
    pub substeps: u32,
    /// Sweeps in a substep.
    pub sweeps: u32,
    /// What damping scales.
    pub damping_order: DampingOrder,
    /// What happens after a failed step.
    pub on_failure: OnFailure,
}

/// What happens after a failed step; the last good positions come back in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// Velocities are halved and the flag goes on.
    Halve,
    /// The flag stands still until it is reset.
    Stop,
}

/// Why a step was rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The particle at which it was seen first.
    pub particle: usize,
    /// Its column.
    pub column: usize,
    /// Its row.
    pub row: usize,
}

/// The particle in the hand.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Held {
    particle: usize,
    target: Vec3,
}

/// One flag.
#[derive(Debug, Clone)]
pub struct Flag {
    cut: Cut,
    cloth: Cloth,
    /// The cut's, with 0 for the particle in the hand.
    inverse_mass: Vec<f32>,
    drag_particles: Range<usize>,
    held: Option<Held>,
    accepted: u64,
    rejected: u64,
    stopped: bool,
    time: f64,
    impulse: Option<f32>,
    scratch: Scratch,
}

/// Room that steps reuse, so that a tick allocates nothing after the first.
#[derive(Debug, Clone)]
struct Scratch {
    solver: Solver,
    forces: QuadForces,
    centroids: Axes,
    quad_wind: Axes,
    particle_wind: Axes,
    sample: SampleScratch,
    good: Cloth,
}

impl Flag {
    /// A flag at rest. `drag_particles` is the range that the drag acts on, cut to the grid.
    pub fn new(cut: Cut, drag_particles: Range<usize>, wind: &Wind, weightless: bool) -> Self {
        let count = cut.count();
        let quads = (cut.columns() - 1) * (cut.rows() - 1);
        let cloth = Cloth::at_rest(&cut, wind, weightless);
        let end = drag_particles.end.min(count);
        let scratch = Scratch {
            solver: Solver::new(&cut),
            forces: QuadForces::new(cut.columns(), cut.rows()),
            centroids: Axes::zeros(quads),
            quad_wind: Axes::zeros(quads),
            particle_wind: Axes::zeros(count),
            sample: SampleScratch::default(),
            good: cloth.clone(),
        };
        Flag {
            inverse_mass: cut.inverse_mass().to_vec(),
            cut,
            cloth,
            drag_particles: drag_particles.start.min(end)..end,
            held: None,
            accepted: 0,
            rejected: 0,
            stopped: false,
            time: 0.0,
            impulse: Some(0.0),
            scratch,
        }
    }

    /// Back to rest with the disturbance of `wind`, nothing in the hand, physical time 0.
    pub fn reset(&mut self, wind: &Wind, weightless: bool) {
        self.cloth = Cloth::at_rest(&self.cut, wind, weightless);
        self.inverse_mass.copy_from_slice(self.cut.inverse_mass());
        self.held = None;
        (self.accepted, self.rejected, self.stopped) = (0, 0, false);
        (self.time, self.impulse) = (0.0, Some(0.0));
    }

    /// The cut.
    pub fn cut(&self) -> &Cut {
        &self.cut
    }

    /// Positions and velocities.
    pub fn cloth(&self) -> &Cloth {
        &self.cloth
    }

    /// Physical time since the reset, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken and steps rolled back since the reset.
    pub fn steps(&self) -> (u64, u64) {
        (self.accepted, self.rejected)
    }

    /// Σ|F| of the air on the sheet in the last substep, N; `None` after a tick that was rolled back.
    pub fn impulse(&self) -> Option<f32> {
        self.impulse
    }

    /// The particle in the hand.
    pub fn held(&self) -> Option<usize> {
        self.held.map(|held| held.particle)
    }

    /// Whether a particle can be taken: it is there and free.
    pub fn is_free(&self, particle: usize) -> bool {
        self.inverse_mass.get(particle).is_some_and(|inverse| *inverse > 0.0)
    }

    /// Takes a free particle where it is. False when it is pinned or not there.
    pub fn grab(&mut self, particle: usize) -> bool {
        if !self.is_free(particle) {
            return false;
        }
        self.release();
        self.held = Some(Held { particle, target: self.cloth.position.get(particle) });
        self.inverse_mass[particle] = 0.0;
        self.cloth.velocity.set(particle, Vec3::ZERO);
        true
    }

    /// Where the held particle should go, m. What is not a place is ignored.
    pub fn move_hand(&mut self, target: Vec3) {
        if let Some(held) = self.held.as_mut().filter(|_| target.is_finite()) {
            held.target = target;
        }
    }

    /// Lets go.
    pub fn release(&mut self) {
        if let Some(held) = self.held.take() {
            self.inverse_mass[held.particle] = self.cut.inverse_mass()[held.particle];
        }
    }

    /// The free particle nearest to `point` and its distance squared, m².
    pub fn nearest_free(&self, point: Vec3) -> Option<(usize, f32)> {
        (0..self.cut.count())
            .filter(|i| self.is_free(*i))
            .map(|i| (i, (self.cloth.position.get(i) - point).length_squared()))
            .reduce(|best, next| if next.1 < best.1 { next } else { best })
    }

    /// Kinetic energy, J.
    pub fn energy(&self) -> f32 {
        let v = &self.cloth.velocity;
        let mut sum = 0.0f64;
        for (i, mass) in self.cut.mass().iter().enumerate() {
            let square = v.x[i] * v.x[i] + v.y[i] * v.y[i] + v.z[i] * v.z[i];
            sum += 0.5 * f64::from(*mass) * f64::from(square);
        }
        sum as f32
    }

    /// Largest strain of a thread.
    pub fn stretch(&self) -> f32 {
        let (columns, rows) = (self.cut.columns(), self.cut.rows());
        let [along, across] = self.cut.spacing();
        let p = &self.cloth.position;
        let square = |a: usize, b: usize| {
            let d = [p.x[b] - p.x[a], p.y[b] - p.y[a], p.z[b] - p.z[a]];
            d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
        };
        let (mut longest_along, mut longest_across) = (0.0f32, 0.0f32);
        for row in 0..rows {
            let line = row * columns;
            for i in line..line + columns - 1 {
                longest_along = math::max(longest_along, square(i, i + 1));
            }
            if row + 1 < rows {
                for i in line..line + columns {
                    longest_across = math::max(longest_across, square(i, i + columns));
                }
            }
        }
        math::max(longest_along.sqrt() / along, longest_across.sqrt() / across) - 1.0
    }

    /// One tick. The gusts are sampled once; relative wind and normals are new in every substep. A step whose
    /// result is not sound is rolled back; the first such fault is told.
    pub fn tick(&mut self, wind: &Wind, settings: &FlagSettings, plan: &StepPlan) -> Option<Fault> {
        if self.stopped {
            return None;
        }
        self.sample_wind(wind, settings);
        let step_seconds = plan.tick_seconds / f64::from(plan.steps_per_tick);
        let h = (step_seconds / f64::from(plan.substeps)) as f32;
        let mut first = None;
        for _ in 0..plan.steps_per_tick {
            self.scratch.good.position.copy_from(&self.cloth.position);
            self.scratch.good.velocity.copy_from(&self.cloth.velocity);
            for _ in 0..plan.substeps {
                self.substep(settings, plan, h);
            }
            let lost = self.cloth.position.first_outside(FARTHEST);
            let Some(particle) = lost.or_else(|| self.cloth.velocity.first_outside(f32::MAX)) else {
                self.accepted += 1;
                self.time = self.accepted as f64 * step_seconds;
                continue;
            };
            let columns = self.cut.columns();
            first = first.or(Some(Fault { particle, column: particle % columns, row: particle / columns }));
            self.roll_back(plan.on_failure);
            if self.stopped {
                break;
            }
        }
        self.impulse = match first {
            // What a rolled-back step felt is not to be shown.
            Some(_) => None,
            None if settings.sheet.is_nothing() => Some(0.0),
            None => Some(self.scratch.forces.total()),
        };
        first
    }

    fn roll_back(&mut self, on_failure: OnFailure) {
        self.rejected += 1;
        self.cloth.position.copy_from(&self.scratch.good.position);
        self.cloth.velocity.copy_from(&self.scratch.good.velocity);
        match on_failure {
            OnFailure::Halve => {
                for axis in self.cloth.velocity.axes_mut() {
                    axis.iter_mut().for_each(|v| *v *= 0.5);
                }
            }
            OnFailure::Stop => self.stopped = true,
        }
    }

    fn sample_wind(&mut self, wind: &Wind, settings: &FlagSettings) {
        let Scratch { centroids, quad_wind, particle_wind, sample, .. } = &mut self.scratch;
        if !settings.sheet.is_nothing() {
            fill_centroids(&self.cloth.position, self.cut.columns(), self.cut.rows(), centroids);
            wind.sample_many(centroids.axes(), quad_wind.axes_mut(), sample);
        }
        if settings.drag != 0.0 {
            let range = self.drag_particles.clone();
            let position = self.cloth.position.axes().map(|axis| &axis[range.clone()]);
            let out = particle_wind.axes_mut().map(|axis| &mut axis[range.clone()]);
            wind.sample_many(position, out, sample);
        }
    }

    fn substep(&mut self, settings: &FlagSettings, plan: &StepPlan, h: f32) {
        let Scratch { solver, forces, quad_wind, particle_wind, .. } = &mut self.scratch;
        let left = decay(settings.damping, h);
        let damp = |velocity: &mut Axes| {
            for axis in velocity.axes_mut() {
                axis.iter_mut().for_each(|v| *v *= left);
            }
        };
        if plan.damping_order == DampingOrder::Velocity {
            damp(&mut self.cloth.velocity);
        }
        if !settings.sheet.is_nothing() {
            let Cloth { position, velocity } = &self.cloth;
            let quads = self.cut.quad_inverse_mass();
            forces.update(position, velocity, quad_wind, quads, settings.sheet, h);
            forces.push(&mut self.cloth.velocity, &self.inverse_mass, h);
        }
        if settings.drag != 0.0 {
            let range = self.drag_particles.clone();
            let velocity = self.cloth.velocity.axes_mut().map(|axis| &mut axis[range.clone()]);
            let wind = particle_wind.axes().map(|axis| &axis[range.clone()]);
            drag::apply(velocity, wind, &self.inverse_mass[range.clone()], settings.drag, h);
        }
        let fall = h * settings.gravity;
        for (v, inverse_mass) in self.cloth.velocity.y.iter_mut().zip(&self.inverse_mass) {
            *v -= if *inverse_mass > 0.0 { fall } else { 0.0 };
        }
        if plan.damping_order == DampingOrder::Whole {
            damp(&mut self.cloth.velocity);
        }
        if let Some(held) = self.held {
            let velocity = hand_velocity(&self.cut, &self.cloth, held, h);
            self.cloth.velocity.set(held.particle, velocity);
        }
        let law = SubstepLaw { h, sweeps: plan.sweeps, compliance: settings.compliance, tether: settings.tether };
        solver.substep(&mut self.cloth, &self.cut, &self.inverse_mass, &law);
    }
}

/// The velocity that takes the held particle toward its target within a substep, at most [`HAND_SPEED`] and
/// no farther than [`HAND_REACH`] × its rest path from its pin.
fn hand_velocity(cut: &Cut, cloth: &Cloth, held: Held, h: f32) -> Vec3 {
    let mut target = held.target;
    if let Some(anchor) = cut.anchors().get(held.particle) {
        let pin = cloth.position.get(anchor.pin as usize);
        let (d, reach) = (target - pin, HAND_REACH * anchor.path);
        // By its largest part first, so that the length of an absurd way does not overflow.
        let largest = d.abs().max_element();
        let unit = d * (1.0 / math::max(largest, f32::MIN_POSITIVE));
        let length = unit.length();
        if length * largest > reach {
            target = pin + unit * (reach / length);
        }
    }
    let way = target - cloth.position.get(held.particle);
    let (length, most) = (way.length(), HAND_SPEED * h);
    let way = if length > most { way * (most / length) } else { way };
    if way.is_finite() { way * (1.0 / h) } else { Vec3::ZERO }
}

/// The mean of each quad's four corners, row by row, m.
pub fn fill_centroids(position: &Axes, columns: usize, rows: usize, out: &mut Axes) {
    let quads = columns - 1;
    for (axis, out) in position.axes().into_iter().zip(out.axes_mut()) {
        for row in 0..rows - 1 {
            let top = &axis[row * columns..(row + 1) * columns];
            let bottom = &axis[(row + 1) * columns..(row + 2) * columns];
            let out = &mut out[row * quads..(row + 1) * quads];
            for i in 0..quads {
                out[i] = (top[i] + top[i + 1] + bottom[i] + bottom[i + 1]) * 0.25;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cut::tests::pole;
    use super::super::cut::{CutSpec, Families, Mass};
    use super::super::wind::WindSettings;
    use super::*;

    const PLAN: StepPlan = StepPlan {
        tick_seconds: 1.0 / 120.0,
        steps_per_tick: 2,
        substeps: 4,
        sweeps: 1,
        damping_order: DampingOrder::Velocity,
        on_failure: OnFailure::Halve,
    };

    fn settings() -> FlagSettings {
        FlagSettings {
            gravity: 9.81,
            damping: 0.3,
            drag: 0.0,
            sheet: SheetLaw::new(1.2, 1.28, 0.02),
            compliance: LinkCompliance { stretch: 0.0, shear: 0.01, bend: 0.03 },
            tether: 1.02,
        }
    }

    fn wind(mean: Vec3) -> Wind {
        Wind::new(WindSettings { mean, ..WindSettings::default() }).expect("in reach")
    }

    fn flag(spec: CutSpec) -> Flag {
        let cut = Cut::new(spec);
        let all = 0..cut.count();
        Flag::new(cut, all, &wind(Vec3::ZERO), false)
    }

    /// Particles without links.
    const LOOSE: Families = Families { structural: false, shear: false, bend: false };

    fn small() -> Flag {
        flag(pole(8, 6, 1.6, 1.0, Mass::Areal(0.15)))
    }

    #[test]
    fn a_step_that_leaves_the_world_is_rolled_back_and_told() {
        let mut flag = small();
        let still = wind(Vec3::ZERO);
        assert_eq!(flag.tick(&still, &settings(), &PLAN), None);
        let before = flag.cloth().clone();
        let absurd = FlagSettings { gravity: 1e14, tether: 2.0, ..settings() };
        // The first free particle in number order falls out of the world.
        assert_eq!(flag.tick(&still, &absurd, &PLAN), Some(Fault { particle: 1, column: 1, row: 0 }));
        assert_eq!(flag.steps(), (2, 2));
        assert_eq!(flag.time(), 1.0 / 120.0);
        assert_eq!(flag.impulse(), None);
        assert_eq!(flag.cloth().position, before.position);
        // Two steps were rolled back: velocities are a quarter.
        assert_eq!(flag.cloth().velocity.y[20], before.velocity.y[20] * 0.25);
        // The show goes on.
        assert_eq!(flag.tick(&still, &settings(), &PLAN), None);
        assert_eq!(flag.steps(), (4, 2));
    }

    #[test]
    fn a_flag_that_stops_stands_until_it_is_reset() {
        let mut flag = small();
        let plan = StepPlan { on_failure: OnFailure::Stop, ..PLAN };
        let storm = wind(Vec3::new(f32::INFINITY, 0.0, 0.0));
        assert!(flag.tick(&storm, &settings(), &plan).is_some());
        let stands = flag.cloth().clone();
        assert_eq!(flag.tick(&wind(Vec3::ZERO), &settings(), &plan), None);
        assert_eq!((flag.cloth(), flag.time()), (&stands, 0.0));
        flag.reset(&wind(Vec3::ZERO), false);
        flag.tick(&wind(Vec3::ZERO), &settings(), &plan);
        assert_eq!(flag.steps(), (2, 0));
    }

    /// Source document: a particle has no orientation, so drag cannot tell a sheet's two attitudes apart.
    #[test]
    fn drag_is_the_same_face_on_and_edge_on() {
        let push = |fly: Vec3, hoist: Vec3| {
            let sheet = pole(12, 12, 1.1, 1.1, Mass::PerParticle(1.0));
            let mut flag = flag(CutSpec { fly, hoist, pins: vec![], families: LOOSE, ..sheet });
            let drag = FlagSettings { gravity: 0.0, drag: 0.5, sheet: SheetLaw::new(0.0, 0.0, 0.0), ..settings() };
            // Fast, so that positions in f32 resolve the way gone in a substep.
            flag.tick(&wind(Vec3::new(8000.0, 0.0, 0.0)), &drag, &PLAN);
            flag.cloth.velocity.x.iter().sum::<f32>() / 144.0
        };
        let (edge_on, face_on) = (push(Vec3::X, Vec3::NEG_Y), push(Vec3::Z, Vec3::NEG_Y));
        assert!((edge_on - face_on).abs() <= 1e-5 * face_on, "{edge_on} and {face_on}");
        // a = drag × 8000 m/s over a tick, less the little that it has caught up and lost to damping.
        let exact = 0.5 * 8000.0 / 120.0;
        assert!((face_on - exact).abs() < 5e-3 * exact, "{face_on}");
    }

    #[test]
    fn drag_keeps_to_its_particles() {
        let sheet = pole(4, 3, 0.6, 0.4, Mass::PerParticle(1.0));
        let cut = Cut::new(CutSpec { pins: vec![], families: LOOSE, ..sheet });
        let mut flag = Flag::new(cut, 8..99, &wind(Vec3::ZERO), false);
        let drag = FlagSettings { gravity: 0.0, drag: 1.0, sheet: SheetLaw::new(0.0, 0.0, 0.0), ..settings() };
        flag.tick(&wind(Vec3::new(8.0, 0.0, 0.0)), &drag, &PLAN);
        let x = &flag.cloth.velocity.x;
        assert!(x[..8].iter().all(|v| *v == 0.0) && x[8..].iter().all(|v| *v > 0.01), "{x:?}");
    }

    #[test]
    fn damping_orders_differ_by_the_documented_factor() {
        // One free fall step: h a against exp(−βh) h a.
        let fall = |damping_order| {
            let mut flag = flag(CutSpec { pins: vec![], ..pole(2, 2, 1.0, 1.0, Mass::PerParticle(1.0)) });
            let plan = StepPlan { steps_per_tick: 1, substeps: 1, tick_seconds: 1.0 / 240.0, damping_order, ..PLAN };
            let heavy = FlagSettings { damping: 100.0, sheet: SheetLaw::new(0.0, 0.0, 0.0), ..settings() };
            flag.tick(&wind(Vec3::ZERO), &heavy, &plan);
            flag.cloth.velocity.y[0]
        };
        let (velocity, whole) = (fall(DampingOrder::Velocity), fall(DampingOrder::Whole));
        assert!((velocity + 9.81 / 240.0).abs() < 1e-4, "{velocity}");
        assert!((whole / velocity - 0.659_241).abs() < 1e-3, "{whole}");
    }
}
