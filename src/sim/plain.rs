//! A tick of a flag written down plainly: particle by particle, link by link, in the contract's order.
//!
//! No layout, no lanes, no waves, no threads, but for the wind, the anchors and the masses of quads, which have tests of
//! their own. The tests hold the fast way against it bit for bit, on every path and with any crew.

use super::cut::Cut;
use super::flag::{FlagSettings, StepPlan};
use super::solver::contact::{self, ContactLaw};
use super::solver::{DampingOrder, decay};
use super::wind::Wind;
use glam::Vec3;

type Vector = [f32; 3];

/// Positions, velocities and inverse masses in the order of particle numbers.
#[derive(Debug, Clone, PartialEq)]
struct Plain {
    columns: usize,
    rows: usize,
    position: Vec<Vector>,
    velocity: Vec<Vector>,
    inverse_mass: Vec<f32>,
}

/// A particle in the hand and where it should go.
type Hand = Option<(usize, Vec3)>;

fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Plain {
    fn at(&self, column: usize, row: usize) -> usize {
        row * self.columns + column
    }

    /// The rows r, r + skip that links along the hoist join, in the contract's order: down eight bands at once.
    fn down_the_bands(&self, skip: usize) -> Vec<(usize, usize)> {
        let band = self.rows.div_ceil(8).max(3);
        let mut pairs = Vec::new();
        for step in 0..band {
            for row in (step..self.rows).step_by(band) {
                if row + skip < self.rows {
                    pairs.push((row, row + skip));
                }
            }
        }
        pairs
    }

    /// All links of a sweep in order: two ends, rest length, compliance (m/N), family.
    fn links(&self, cut: &Cut, settings: &FlagSettings) -> Vec<(usize, usize, f32, f32, usize)> {
        let [along, across] = cut.spacing();
        let families = cut.spec().families;
        let (columns, rows) = (self.columns, self.rows);
        let mut links = Vec::new();
        if families.bend {
            let compliance = settings.compliance.bend;
            for column in 0..columns {
                for (a, b) in self.down_the_bands(2) {
                    links.push((self.at(column, a), self.at(column, b), 2.0 * across, compliance, 0));
                }
            }
            for column in 0..columns.saturating_sub(2) {
                for row in 0..rows {
                    links.push((self.at(column, row), self.at(column + 2, row), 2.0 * along, compliance, 1));
                }
            }
        }
        if families.shear {
            let (rest, compliance) = ((along * along + across * across).sqrt(), settings.compliance.shear);
            for column in 0..columns - 1 {
                for row in 0..rows - 1 {
                    links.push((self.at(column, row), self.at(column + 1, row + 1), rest, compliance, 2));
                }
            }
            for column in 0..columns - 1 {
                for row in 0..rows - 1 {
                    links.push((self.at(column, row + 1), self.at(column + 1, row), rest, compliance, 3));
                }
            }
        }
        if families.structural {
            let compliance = settings.compliance.stretch;
            for column in 0..columns - 1 {
                for row in 0..rows {
                    links.push((self.at(column, row), self.at(column + 1, row), along, compliance, 4));
                }
            }
            for _ in 0..2 {
                for column in 0..columns {
                    for (a, b) in self.down_the_bands(1) {
                        links.push((self.at(column, a), self.at(column, b), across, compliance, 5));
                    }
                }
            }
        }
        links
    }

    fn tick(&mut self, cut: &Cut, wind: &Wind, settings: &FlagSettings, plan: &StepPlan, hand: Hand) {
        let quads: Vec<(usize, usize)> =
            (0..self.columns - 1).flat_map(|column| (0..self.rows - 1).map(move |row| (column, row))).collect();
        let quad_wind: Vec<Vector> = quads
            .iter()
            .map(|(column, row)| {
                let [a, b, c, d] = self.corners(*column, *row).map(|corner| self.position[corner]);
                let mean = |axis: usize| ((a[axis] + b[axis]) + (c[axis] + d[axis])) * 0.25;
                wind.sample(Vec3::new(mean(0), mean(1), mean(2))).to_array()
            })
            .collect();
        let particle_wind: Vec<Vector> =
            self.position.iter().map(|place| wind.sample(Vec3::from_array(*place)).to_array()).collect();
        let h = (plan.tick_seconds / f64::from(plan.steps_per_tick) / f64::from(plan.substeps)) as f32;
        for _ in 0..plan.steps_per_tick * plan.substeps {
            self.push(cut, settings, plan, h, &quads, &quad_wind, &particle_wind);
            let start = self.position.clone();
            for (place, velocity) in self.position.iter_mut().zip(&self.velocity) {
                for axis in 0..3 {
                    place[axis] += h * velocity[axis];
                }
            }
            if let Some((particle, target)) = hand {
                let way = target - Vec3::from_array(start[particle]);
                assert!(way.length() <= 20.0 * h, "this reference knows only a slow hand");
                self.position[particle] = (Vec3::from_array(start[particle]) + way * (1.0 / h) * h).to_array();
            }
            let links = self.links(cut, settings);
            let mut lambda = vec![0.0f32; links.len()];
            let mut start = start;
            let limited = settings.strain_limit < 2.0;
            for sweep in 0..plan.sweeps {
                self.sweep(&links, &mut lambda, h, settings.compliance.stretch > 0.0 || plan.sweeps > 1);
                if limited {
                    self.limits(&links, settings.strain_limit);
                }
                if sweep + 1 < plan.sweeps {
                    self.contacts(cut, settings, &mut start);
                    self.tethers(cut, settings.tether);
                }
            }
            for _ in 0..if limited { plan.limit_sweeps } else { 0 } {
                self.limits(&links, settings.strain_limit);
            }
            self.contacts(cut, settings, &mut start);
            self.tethers(cut, settings.tether);
            for (velocity, (place, start)) in self.velocity.iter_mut().zip(self.position.iter().zip(&start)) {
                for axis in 0..3 {
                    velocity[axis] = (place[axis] - start[axis]) * (1.0 / h);
                }
            }
        }
    }

    /// (column, row), (column + 1, row), then both a row below.
    fn corners(&self, column: usize, row: usize) -> [usize; 4] {
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(right, down)| self.at(column + right, row + down))
    }

    #[expect(clippy::too_many_arguments, reason = "a reference states everything that it uses")]
    fn push(
        &mut self,
        cut: &Cut,
        settings: &FlagSettings,
        plan: &StepPlan,
        h: f32,
        quads: &[(usize, usize)],
        quad_wind: &[Vector],
        particle_wind: &[Vector],
    ) {
        let left = decay(settings.damping, h);
        let (before, after) = if plan.damping_order == DampingOrder::Velocity { (left, 1.0) } else { (1.0, left) };
        // The forces of the quads around a particle, summed left with right, then above with below.
        let mut rows_above = vec![[[0.0f32; 3]; 2]; cut.count()];
        let mut rows_below = rows_above.clone();
        let grid = cut.grid();
        for ((column, row), wind) in quads.iter().zip(quad_wind) {
            let corners = self.corners(*column, *row);
            let p = corners.map(|corner| self.position[corner]);
            let v = corners.map(|corner| self.velocity[corner]);
            let quarter = 0.25 * before;
            let mean = [0, 1, 2].map(|k| ((v[0][k] + v[1][k]) + (v[2][k] + v[3][k])) * quarter);
            let slot = grid.slot(corners[0]);
            let inverse_mass = cut.quad_inverse_mass()[slot.block].0[slot.lane];
            let force = quad_force(sub(p[3], p[0]), sub(p[2], p[1]), sub(*wind, mean), settings, inverse_mass * h);
            rows_below[corners[0]][1] = force;
            rows_below[corners[1]][0] = force;
            rows_above[corners[2]][1] = force;
            rows_above[corners[3]][0] = force;
        }
        let share = settings.drag * h / (1.0 + settings.drag * h);
        for i in 0..cut.count() {
            let w = self.inverse_mass[i];
            for axis in 0..3 {
                let above = rows_above[i][0][axis] + rows_above[i][1][axis];
                let below = rows_below[i][0][axis] + rows_below[i][1][axis];
                let mut v = self.velocity[i][axis] * before;
                v += (0.25 * h) * (w * (above + below));
                v += (if w > 0.0 { share } else { 0.0 }) * (particle_wind[i][axis] - v);
                if axis == 1 && w > 0.0 {
                    v -= h * settings.gravity;
                }
                self.velocity[i][axis] = v * after;
            }
        }
    }

    fn sweep(&mut self, links: &[(usize, usize, f32, f32, usize)], lambda: &mut [f32], h: f32, kept: bool) {
        // The second pass along the hoist goes on with the multipliers of the first.
        let first = links.iter().position(|link| link.4 == 5).unwrap_or(links.len());
        let again = first + (links.len() - first) / 2;
        for (i, (a, b, rest, compliance, _)) in links.iter().enumerate() {
            let own = if i < again { i } else { i - again + first };
            let d = sub(self.position[*b], self.position[*a]);
            let square = dot(d, d);
            let length = square.sqrt();
            let (wa, wb) = (self.inverse_mass[*a], self.inverse_mass[*b]);
            let scaled = compliance * (1.0 / (h * h));
            let so_far = if kept { lambda[own] } else { 0.0 };
            let denominator = (wa + wb + scaled) * square;
            let inverse = if denominator > 0.0 { 1.0 / denominator } else { 0.0 };
            let pull = (square - (rest - scaled * so_far) * length) * inverse;
            lambda[own] = so_far + (0.0 - pull * length);
            self.draw(*a, *b, d, pull);
        }
    }

    /// Moves both ends of a link along `d`, each by its inverse mass × `pull`.
    fn draw(&mut self, a: usize, b: usize, d: Vector, pull: f32) {
        let (wa, wb) = (self.inverse_mass[a], self.inverse_mass[b]);
        for (axis, d) in d.into_iter().enumerate() {
            self.position[a][axis] += wa * pull * d;
            self.position[b][axis] -= wb * pull * d;
        }
    }

    /// The structural links once more, each only where it is too long.
    fn limits(&mut self, links: &[(usize, usize, f32, f32, usize)], strain_limit: f32) {
        let threads = links.iter().filter(|link| link.4 >= 4);
        let count = threads.clone().filter(|link| link.4 == 5).count();
        let all = threads.clone().count();
        for (a, b, rest, ..) in threads.take(all - count / 2) {
            let longest = strain_limit * rest;
            let d = sub(self.position[*b], self.position[*a]);
            let square = dot(d, d);
            let (wa, wb) = (self.inverse_mass[*a], self.inverse_mass[*b]);
            let denominator = (wa + wb) * square;
            if square > longest * longest && denominator > 0.0 {
                let pull = (square - longest * square.sqrt()) * (1.0 / denominator);
                if pull > 0.0 {
                    self.draw(*a, *b, d, pull);
                }
            }
        }
    }

    fn contacts(&mut self, cut: &Cut, settings: &FlagSettings, start: &mut [Vector]) {
        let law = ContactLaw::new(settings.contact, cut);
        if law.is_nothing() {
            return;
        }
        for (i, start) in start.iter_mut().enumerate() {
            let rod = law.rod_counts((i % self.columns) as f32 * cut.spacing()[0]);
            let place = &mut self.position[i];
            (*place, *start) = contact::tests::plain(*place, *start, self.inverse_mass[i], &law, rod);
        }
    }

    fn tethers(&mut self, cut: &Cut, tether: f32) {
        if tether >= 2.0 {
            return;
        }
        for (i, anchor) in cut.anchors().iter().enumerate() {
            let pin = cut.rest(anchor.pin as usize).to_array();
            let d = sub(self.position[i], pin);
            let (square, reach) = (dot(d, d), tether * anchor.path);
            if self.inverse_mass[i] > 0.0 && square > reach * reach {
                let share = reach / square.sqrt();
                for axis in 0..3 {
                    self.position[i][axis] = pin[axis] + d[axis] * share;
                }
            }
        }
    }
}

fn quad_force(u: Vector, v: Vector, r: Vector, settings: &FlagSettings, guard: f32) -> Vector {
    let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = dot(cross, cross).sqrt();
    if length <= 1e-12 {
        return [0.0; 3];
    }
    let inverse = 1.0 / length;
    let n = cross.map(|part| part * inverse);
    let area = 0.5 * length;
    let across = dot(r, n);
    let t = [r[0] - across * n[0], r[1] - across * n[1], r[2] - across * n[2]];
    let normal = settings.sheet.normal * area * across.abs();
    let friction = settings.sheet.friction * area * dot(t, t).sqrt();
    let normal = normal / (1.0 + normal * guard) * across;
    let friction = friction / (1.0 + friction * guard);
    [0, 1, 2].map(|axis| normal * n[axis] + friction * t[axis])
}

mod tests {
    use super::super::air::sheet::SheetLaw;
    use super::super::crew::Crew;
    use super::super::cut::tests::pole;
    use super::super::cut::{CutSpec, Families, Mass};
    use super::super::flag::{Flag, OnFailure};
    use super::super::lanes::Path;
    use super::super::solver::LinkCompliance;
    use super::super::solver::contact::ContactSettings;
    use super::super::solver::limit::LIMITS_OFF;
    use super::super::wave::REACH;
    use super::super::wind::WindSettings;
    use super::*;

    fn settings() -> FlagSettings {
        FlagSettings {
            gravity: 9.81,
            damping: 0.3,
            drag: 0.05,
            sheet: SheetLaw::new(1.2, 1.28, 0.02),
            compliance: LinkCompliance { stretch: 0.0, shear: 0.01, bend: 0.03 },
            tether: 1.02,
            strain_limit: LIMITS_OFF,
            contact: ContactSettings::NONE,
        }
    }

    const PLAN: StepPlan = StepPlan {
        tick_seconds: 1.0 / 120.0,
        steps_per_tick: 1,
        substeps: 4,
        sweeps: 1,
        limit_sweeps: 0,
        damping_order: DampingOrder::Velocity,
        on_failure: OnFailure::Halve,
    };

    fn gusty() -> Wind {
        let mean = Vec3::new(12.0, 1.0, 3.0);
        Wind::new(WindSettings { mean, turbulence: 0.4, octaves: 4, ..WindSettings::default() }).expect("in reach")
    }

    /// Ticks in which a flag is held against the reference; positions and velocities must be the same bits.
    fn compare(name: &str, spec: CutSpec, settings: &FlagSettings, plan: &StepPlan, hold: Option<usize>) {
        let cut = Cut::new(spec);
        let ticks = 6;
        let run = |path: Path, crew: &Crew| {
            let mut wind = gusty();
            let mut flag = Flag::new(cut.clone(), 0..cut.count(), &wind, false);
            let mut target = Vec3::ZERO;
            if let Some(particle) = hold {
                assert!(flag.grab(particle));
                target = flag.cloth().position(particle);
            }
            for tick in 0..ticks {
                wind.advance(plan.tick_seconds).expect("in reach");
                flag.move_hand(target + Vec3::new(0.0, 0.001 * tick as f32, 0.002));
                assert_eq!(flag.tick(&wind, settings, plan, path, crew), None);
            }
            flag
        };
        let mut wind = gusty();
        let rest = Flag::new(cut.clone(), 0..cut.count(), &wind, false);
        let all = |f: &dyn Fn(usize) -> Vec3| (0..cut.count()).map(|i| f(i).to_array()).collect::<Vec<_>>();
        let mut plain = Plain {
            columns: cut.columns(),
            rows: cut.rows(),
            position: all(&|i| rest.cloth().position(i)),
            velocity: all(&|i| rest.cloth().velocity(i)),
            inverse_mass: (0..cut.count()).map(|i| if hold == Some(i) { 0.0 } else { cut.inverse_mass(i) }).collect(),
        };
        let target = hold.map(|particle| (particle, rest.cloth().position(particle)));
        for tick in 0..ticks {
            wind.advance(plan.tick_seconds).expect("in reach");
            let hand = target.map(|(i, place)| (i, place + Vec3::new(0.0, 0.001 * tick as f32, 0.002)));
            plain.tick(&cut, &wind, settings, plan, hand);
        }
        let impulse = run(Path::best(), &Crew::new(1)).impulse().map(f32::to_bits);
        for path in Path::available() {
            for crew in [1, 2, 3].map(Crew::new) {
                let flag = run(path, &crew);
                assert_eq!(flag.impulse().map(f32::to_bits), impulse, "impulse of {name}");
                let bits = |vectors: &[Vector]| vectors.iter().map(|v| v.map(f32::to_bits)).collect::<Vec<_>>();
                let what = format!("{name}, {} with {}", path.name(), crew.size());
                let (position, velocity) = (all(&|i| flag.cloth().position(i)), all(&|i| flag.cloth().velocity(i)));
                let first = bits(&position).iter().zip(bits(&plain.position)).position(|(a, b)| *a != b);
                assert_eq!(first, None, "position in {what}");
                assert_eq!(bits(&velocity), bits(&plain.velocity), "velocity in {what}");
            }
        }
    }

    fn grid(columns: usize, rows: usize) -> CutSpec {
        pole(columns, rows, 1.6, 1.0, Mass::Areal(0.15))
    }

    #[test]
    fn grids_of_every_kind_have_the_bits_of_the_plain_way() {
        for (columns, rows) in [(2, 2), (3, 2), (2, 9), (17, 11), (14, 23), (33, 8), (40, 40), (29, 3)] {
            compare(&format!("{columns} × {rows}"), grid(columns, rows), &settings(), &PLAN, None);
        }
    }

    /// Large enough for a crew to share its substeps.
    #[test]
    fn a_large_flag_has_the_bits_of_the_plain_way() {
        let contact = ContactSettings { pole: 0.013, ground: -0.503, friction: 0.4 };
        let settings = FlagSettings { contact, strain_limit: 1.001, ..settings() };
        let plan = StepPlan { substeps: 5, limit_sweeps: 1, ..PLAN };
        compare("large", grid(3 * 3 * REACH + 5, 70), &settings, &plan, Some(1234));
    }

    #[test]
    fn every_way_to_step_has_the_bits_of_the_plain_way() {
        let spec = grid(21, 13);
        compare("sweeps", spec.clone(), &settings(), &StepPlan { sweeps: 3, ..PLAN }, None);
        compare("steps", spec.clone(), &settings(), &StepPlan { steps_per_tick: 2, ..PLAN }, None);
        let whole = StepPlan { damping_order: DampingOrder::Whole, ..PLAN };
        compare("damping", spec.clone(), &FlagSettings { damping: 40.0, ..settings() }, &whole, None);
        let soft = LinkCompliance { stretch: 0.02, ..settings().compliance };
        compare("soft", spec.clone(), &FlagSettings { compliance: soft, ..settings() }, &PLAN, None);
        compare("no tether", spec.clone(), &FlagSettings { tether: 2.0, ..settings() }, &PLAN, None);
        compare("tight tether", spec.clone(), &FlagSettings { tether: 1.0, ..settings() }, &PLAN, None);
        compare("drag", spec.clone(), &FlagSettings { drag: 3.0, ..settings() }, &PLAN, None);
        let touching = FlagSettings {
            contact: ContactSettings { pole: 0.08, ground: -0.503, friction: 0.4 },
            gravity: 20.0,
            ..settings()
        };
        compare("contact", spec.clone(), &touching, &PLAN, None);
        compare("contact and sweeps", spec.clone(), &touching, &StepPlan { sweeps: 2, ..PLAN }, None);
        let limited = FlagSettings { strain_limit: 1.0005, ..touching };
        compare("limit", spec.clone(), &limited, &PLAN, None);
        compare("limit sweeps", spec.clone(), &limited, &StepPlan { sweeps: 2, limit_sweeps: 3, ..PLAN }, None);
        compare("hand", spec.clone(), &settings(), &PLAN, Some(200));
        compare("corners", CutSpec { pins: vec![0, 12 * 21], ..spec.clone() }, &settings(), &PLAN, None);
        compare("list of pins", CutSpec { pins: vec![0, 7, 100], ..spec.clone() }, &settings(), &PLAN, None);
        compare("no pins", CutSpec { pins: vec![], ..spec.clone() }, &settings(), &PLAN, None);
        for (structural, shear, bend) in
            [(true, true, false), (true, false, true), (false, true, true), (false, false, false)]
        {
            let families = Families { structural, shear, bend };
            compare("families", CutSpec { families, ..spec.clone() }, &settings(), &PLAN, None);
        }
    }
}
