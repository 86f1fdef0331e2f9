//! One substep after another: predict, project, take the velocity from the way gone.
//!
//! Small steps in extended position-based dynamics (Macklin et al. 2019): many substeps of one sweep beat
//! one step of many sweeps, in constraint error and in damping.
//!
//! The order of projection is part of the contract; a faster layout may not change it. In a sweep:
//!
//! 1. bend links along the hoist: rows 0→2, 1→3, …, then along the fly from the hoist outward: columns
//!    0→2, 1→3, …
//! 2. shear links from the hoist outward: between columns c and c + 1 first every diagonal (c, r)–(c + 1,
//!    r + 1), then every (c, r + 1)–(c + 1, r).
//! 3. structural links along the fly, from the hoist outward: columns 0→1, 1→2, …
//! 4. structural links along the hoist, from row 0: rows 0→1, 1→2, …
//! 5. tethers.
//!
//! Links between the same two rows or columns share no particle, so their order is free. It must not know
//! wind or air: forces come in as velocities.

pub mod link;

use super::cloth::{Axes, Cloth};
use super::cut::Cut;
use crate::math;
use link::{Ends, LinkLaw, project_run};

/// At this multiple of the rest path the tethers are off.
pub const TETHERS_OFF: f32 = 2.0;

/// What damping scales in a substep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DampingOrder {
    /// v* = exp(−βh) v + h a.
    #[default]
    Velocity,
    /// v* = exp(−βh) (v + h a), the sources' order.
    Whole,
}

/// Compliances of the link families, m/N.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinkCompliance {
    /// Structural links.
    pub stretch: f32,
    /// Shear links.
    pub shear: f32,
    /// Bend links.
    pub bend: f32,
}

/// A substep's constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SubstepLaw {
    /// Length, s.
    pub h: f32,
    /// Sweeps over all constraints, at least 1.
    pub sweeps: u32,
    /// Compliances.
    pub compliance: LinkCompliance,
    /// Farthest a particle may be from its pin, as a multiple of its rest path; [`TETHERS_OFF`] and above: no limit.
    pub tether: f32,
}

/// Scratch of the solver for one cut: the transposed state, and multipliers where sweeps are repeated.
#[derive(Debug, Clone)]
pub struct Solver {
    start: Axes,
    /// Positions and inverse masses column by column: particle (column, row) at column × rows + row.
    turned: Axes,
    turned_inverse_mass: Vec<f32>,
    lambda: Multipliers,
}

/// A multiplier per link, family by family, kept over the sweeps of one substep; empty for a single sweep.
#[derive(Debug, Clone, Default)]
struct Multipliers {
    bend_hoist: Vec<f32>,
    bend_fly: Vec<f32>,
    shear: [Vec<f32>; 2],
    fly: Vec<f32>,
    hoist: Vec<f32>,
}

impl Multipliers {
    fn start(&mut self, count: usize) {
        let Multipliers { bend_hoist, bend_fly, shear: [shear_a, shear_b], fly, hoist } = self;
        for family in [bend_hoist, bend_fly, shear_a, shear_b, fly, hoist] {
            family.clear();
            family.resize(count, 0.0);
        }
    }
}

impl Solver {
    /// Scratch for `cut`.
    pub fn new(cut: &Cut) -> Self {
        let count = cut.count();
        Solver {
            start: Axes::zeros(count),
            turned: Axes::zeros(count),
            turned_inverse_mass: vec![0.0; count],
            lambda: Multipliers::default(),
        }
    }

    /// Moves the cloth by its velocities for one substep and projects its constraints. `inverse_mass` is the
    /// cut's, or 0 for a particle that is moved from outside; that one goes where its velocity says.
    pub fn substep(&mut self, cloth: &mut Cloth, cut: &Cut, inverse_mass: &[f32], law: &SubstepLaw) {
        self.start.copy_from(&cloth.position);
        for (position, velocity) in cloth.position.axes_mut().into_iter().zip(cloth.velocity.axes()) {
            for (x, v) in position.iter_mut().zip(velocity) {
                *x += law.h * v;
            }
        }
        let repeated = law.sweeps > 1;
        self.lambda.start(if repeated { cut.count() } else { 0 });
        transpose(inverse_mass, cut.columns(), cut.rows(), &mut self.turned_inverse_mass);
        for _ in 0..law.sweeps {
            self.sweep(&mut cloth.position, cut, inverse_mass, law);
        }
        let per_second = 1.0 / law.h;
        for axis in 0..3 {
            let velocity = &mut cloth.velocity.axes_mut()[axis][..];
            let (position, start) = (cloth.position.axes()[axis], self.start.axes()[axis]);
            for ((v, x), start) in velocity.iter_mut().zip(position).zip(start) {
                *v = (x - start) * per_second;
            }
        }
    }

    fn sweep(&mut self, position: &mut Axes, cut: &Cut, inverse_mass: &[f32], law: &SubstepLaw) {
        let (columns, rows) = (cut.columns(), cut.rows());
        let [along, across] = cut.spacing();
        let families = cut.spec().families;
        let scaled = |compliance: f32| compliance / (law.h * law.h);
        let stretch = |rest: f32| LinkLaw { rest, compliance: scaled(law.compliance.stretch) };
        let bend = |rest: f32| LinkLaw { rest: 2.0 * rest, compliance: scaled(law.compliance.bend) };
        if families.bend {
            let lambda = &mut self.lambda.bend_hoist;
            lines(position, inverse_mass, columns, rows, 2, bend(across), lambda);
        }
        if families.bend || families.shear || families.structural {
            for (turned, axis) in self.turned.axes_mut().into_iter().zip(position.axes()) {
                transpose(axis, columns, rows, turned);
            }
            let turned_mass = &self.turned_inverse_mass;
            if families.bend {
                let lambda = &mut self.lambda.bend_fly;
                lines(&mut self.turned, turned_mass, rows, columns, 2, bend(along), lambda);
            }
            if families.shear {
                let rest = (along * along + across * across).sqrt();
                let law = LinkLaw { rest, compliance: scaled(law.compliance.shear) };
                diagonals(&mut self.turned, turned_mass, rows, columns, law, &mut self.lambda.shear);
            }
            if families.structural {
                let lambda = &mut self.lambda.fly;
                lines(&mut self.turned, turned_mass, rows, columns, 1, stretch(along), lambda);
            }
            for (axis, turned) in position.axes_mut().into_iter().zip(self.turned.axes()) {
                transpose(turned, rows, columns, axis);
            }
        }
        if families.structural {
            let lambda = &mut self.lambda.hoist;
            lines(position, inverse_mass, columns, rows, 1, stretch(across), lambda);
        }
        if law.tether < TETHERS_OFF {
            tethers(position, cut, inverse_mass, law.tether);
        }
    }
}

/// Projects the links between line k and line k + `skip` for every k in order; a line is `width` particles
/// in a row of memory.
fn lines(
    position: &mut Axes,
    inverse_mass: &[f32],
    width: usize,
    count: usize,
    skip: usize,
    law: LinkLaw,
    lambda: &mut [f32],
) {
    for line in 0..count.saturating_sub(skip) {
        let (first, second) = (line * width, (line + skip) * width);
        join(position, inverse_mass, first, second, width, law, lambda);
    }
}

/// Projects both diagonals between line k and line k + 1 for every k in order.
fn diagonals(
    position: &mut Axes,
    inverse_mass: &[f32],
    width: usize,
    count: usize,
    law: LinkLaw,
    lambda: &mut [Vec<f32>; 2],
) {
    for line in 0..count - 1 {
        let (first, second) = (line * width, (line + 1) * width);
        join(position, inverse_mass, first, second + 1, width - 1, law, &mut lambda[0]);
        join(position, inverse_mass, first + 1, second, width - 1, law, &mut lambda[1]);
    }
}

/// Projects `count` links: particle `first` + i with particle `second` + i. The two runs do not overlap.
fn join(
    position: &mut Axes,
    inverse_mass: &[f32],
    first: usize,
    second: usize,
    count: usize,
    law: LinkLaw,
    lambda: &mut [f32],
) {
    let mut ends = position.axes_mut().map(|axis| {
        let (before, from) = axis.split_at_mut(second);
        (&mut before[first..first + count], &mut from[..count])
    });
    let [(ax, bx), (ay, by), (az, bz)] = &mut ends;
    let lambda = if lambda.is_empty() { lambda } else { &mut lambda[first..first + count] };
    project_run(
        Ends { position: [ax, ay, az], inverse_mass: &inverse_mass[first..first + count] },
        Ends { position: [bx, by, bz], inverse_mass: &inverse_mass[second..second + count] },
        law,
        lambda,
    );
}

/// Brings every free particle back to `tether` × its rest path from its pin.
fn tethers(position: &mut Axes, cut: &Cut, inverse_mass: &[f32], tether: f32) {
    for (number, anchor) in cut.anchors().iter().enumerate() {
        if inverse_mass[number] == 0.0 {
            continue;
        }
        let pin = anchor.pin as usize;
        let reach = tether * anchor.path;
        let d = [
            position.x[number] - position.x[pin],
            position.y[number] - position.y[pin],
            position.z[number] - position.z[pin],
        ];
        let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if square > reach * reach {
            let share = reach / square.sqrt();
            position.x[number] = position.x[pin] + d[0] * share;
            position.y[number] = position.y[pin] + d[1] * share;
            position.z[number] = position.z[pin] + d[2] * share;
        }
    }
}

/// exp(−`rate` × `h`): what is left of a velocity after `h` seconds.
pub fn decay(rate: f32, h: f32) -> f32 {
    math::exp(-f64::from(rate) * f64::from(h)) as f32
}

/// Side of the square blocks in which [`transpose`] goes, so that both sides stay in the cache.
const BLOCK: usize = 8;

/// `from` is `rows` lines of `columns`; `to` becomes `columns` lines of `rows`.
fn transpose(from: &[f32], columns: usize, rows: usize, to: &mut [f32]) {
    let (from, to) = (&from[..columns * rows], &mut to[..columns * rows]);
    for row_block in (0..rows).step_by(BLOCK) {
        let row_end = (row_block + BLOCK).min(rows);
        for column in 0..columns {
            for row in row_block..row_end {
                to[column * rows + row] = from[row * columns + column];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cut::tests::pole;
    use super::super::cut::{CutSpec, Families, Mass};
    use super::super::wind::{Wind, WindSettings};
    use super::*;
    use glam::Vec3;

    fn law(h: f32, sweeps: u32) -> SubstepLaw {
        let compliance = LinkCompliance { stretch: 0.0, shear: 0.01, bend: 0.03 };
        SubstepLaw { h, sweeps, compliance, tether: 1.02 }
    }

    fn disturbed(cut: &Cut) -> Cloth {
        let wind = Wind::new(WindSettings::default()).expect("in reach");
        let mut cloth = Cloth::at_rest(cut, &wind, true);
        for (i, v) in cloth.velocity.x.iter_mut().enumerate() {
            *v = if cut.inverse_mass()[i] > 0.0 { (i as f32 * 0.37).sin() * 3.0 } else { 0.0 };
        }
        cloth
    }

    /// The contract's order written out link by link, on (column, row), without layout or lanes.
    fn plain_substep(cloth: &mut Cloth, cut: &Cut, law: &SubstepLaw) {
        let (columns, rows) = (cut.columns(), cut.rows());
        let [along, across] = cut.spacing();
        let mut links: Vec<(usize, usize, f32, f32)> = Vec::new();
        let at = |column: usize, row: usize| row * columns + column;
        let scaled = |compliance: f32| compliance / (law.h * law.h);
        let (bend, shear, stretch) =
            (scaled(law.compliance.bend), scaled(law.compliance.shear), scaled(law.compliance.stretch));
        let families = cut.spec().families;
        if families.bend {
            for row in 0..rows.saturating_sub(2) {
                (0..columns).for_each(|c| links.push((at(c, row), at(c, row + 2), 2.0 * across, bend)));
            }
            for c in 0..columns.saturating_sub(2) {
                (0..rows).for_each(|row| links.push((at(c, row), at(c + 2, row), 2.0 * along, bend)));
            }
        }
        if families.shear {
            let rest = (along * along + across * across).sqrt();
            for c in 0..columns - 1 {
                (0..rows - 1).for_each(|row| links.push((at(c, row), at(c + 1, row + 1), rest, shear)));
                (0..rows - 1).for_each(|row| links.push((at(c, row + 1), at(c + 1, row), rest, shear)));
            }
        }
        if families.structural {
            for c in 0..columns - 1 {
                (0..rows).for_each(|row| links.push((at(c, row), at(c + 1, row), along, stretch)));
            }
            for row in 0..rows - 1 {
                (0..columns).for_each(|c| links.push((at(c, row), at(c, row + 1), across, stretch)));
            }
        }
        let start = cloth.position.clone();
        for i in 0..cut.count() {
            let p = &mut cloth.position;
            p.x[i] += law.h * cloth.velocity.x[i];
            p.y[i] += law.h * cloth.velocity.y[i];
            p.z[i] += law.h * cloth.velocity.z[i];
        }
        let mut lambda = vec![0.0f32; links.len()];
        let w = cut.inverse_mass();
        for _ in 0..law.sweeps {
            for ((a, b, rest, compliance), lambda) in links.iter().zip(&mut lambda) {
                let (pa, pb) = (cloth.position.get(*a), cloth.position.get(*b));
                let d = [pb.x - pa.x, pb.y - pa.y, pb.z - pa.z];
                let asked = link::project(d, w[*a] + w[*b], *rest, *compliance, *lambda);
                *lambda += asked.delta_lambda;
                let d = Vec3::from_array(d);
                cloth.position.set(*a, pa + d * (w[*a] * asked.pull));
                cloth.position.set(*b, pb - d * (w[*b] * asked.pull));
            }
            tethers(&mut cloth.position, cut, w, law.tether);
        }
        for i in 0..cut.count() {
            let moved = cloth.position.get(i) - start.get(i);
            cloth.velocity.set(i, moved * (1.0 / law.h));
        }
    }

    #[test]
    fn the_layout_gives_the_bits_of_the_contracts_order() {
        for (columns, rows, sweeps) in [(2, 2, 1), (3, 2, 2), (17, 11, 1), (9, 20, 3), (33, 8, 1)] {
            let cut = Cut::new(pole(columns, rows, 1.6, 1.0, Mass::Areal(0.15)));
            let (mut fast, mut plain) = (disturbed(&cut), disturbed(&cut));
            let mut solver = Solver::new(&cut);
            let law = law(1.0 / 1920.0, sweeps);
            for _ in 0..5 {
                solver.substep(&mut fast, &cut, cut.inverse_mass(), &law);
                plain_substep(&mut plain, &cut, &law);
            }
            assert_eq!(fast, plain, "{columns} × {rows}, {sweeps} sweeps");
        }
    }

    #[test]
    fn pins_stay_and_tethers_hold() {
        let cut = Cut::new(pole(20, 12, 1.6, 1.0, Mass::Areal(0.15)));
        let mut cloth = disturbed(&cut);
        let mut solver = Solver::new(&cut);
        cloth.velocity.y.iter_mut().zip(cut.inverse_mass()).for_each(|(v, w)| *v = if *w > 0.0 { -50.0 } else { 0.0 });
        for _ in 0..200 {
            solver.substep(&mut cloth, &cut, cut.inverse_mass(), &law(1.0 / 1920.0, 1));
            for (number, anchor) in cut.anchors().iter().enumerate() {
                let distance = (cloth.position.get(number) - cloth.position.get(anchor.pin as usize)).length();
                assert!(distance <= 1.02 * anchor.path * 1.000_01 + 1e-6, "{number}: {distance}");
            }
        }
        for row in 0..12 {
            assert_eq!(cloth.position.get(row * 20), cut.rest(row * 20));
        }
    }

    /// A chain of two: the upper end pinned, the lower hangs. XPBD's static extension is α m g.
    #[test]
    fn a_loaded_link_extends_by_its_compliance() {
        let spec = CutSpec {
            pins: vec![0, 1],
            families: Families { structural: true, shear: false, bend: false },
            ..pole(2, 2, 0.1, 0.1, Mass::PerParticle(0.02))
        };
        let cut = Cut::new(spec);
        let wind = Wind::new(WindSettings::default()).expect("in reach");
        let mut cloth = Cloth::at_rest(&cut, &wind, false);
        let mut solver = Solver::new(&cut);
        let h = 1.0 / 1920.0;
        let law = SubstepLaw {
            h,
            sweeps: 1,
            compliance: LinkCompliance { stretch: 0.05, ..LinkCompliance::default() },
            tether: TETHERS_OFF,
        };
        for _ in 0..20_000 {
            for (v, w) in cloth.velocity.y.iter_mut().zip(cut.inverse_mass()) {
                *v = if *w > 0.0 { decay(20.0, h) * *v - h * 9.81 } else { 0.0 };
            }
            solver.substep(&mut cloth, &cut, cut.inverse_mass(), &law);
        }
        let extension = cloth.position.y[0] - cloth.position.y[2] - 0.1;
        let exact = 0.05 * 0.02 * 9.81;
        assert!((extension - exact).abs() < 0.005 * exact, "{extension} against {exact}");
    }
}
