//! What holds a cloth together: links, their limits, contacts and tethers, in a fixed order.
//!
//! Small steps in extended position-based dynamics (Macklin et al. 2019): many substeps of one sweep beat
//! one step of many sweeps, in constraint error and in damping.
//!
//! The order of projection is part of the contract; layout, lanes and threads may not change it. The rows of
//! a column are cut into eight bands of equal length ([`super::grid`]; the last may be shorter). "Down the
//! bands" means: row by row of a band, all bands at once; the last rows of a band meet the next band last. In
//! a sweep:
//!
//! 1. bend links along the hoist, down the bands: rows 0→2, 1→3, … of each;
//! 2. bend links along the fly, from the hoist outward: columns 0→2, 1→3, …;
//! 3. shear links (c, r)–(c + 1, r + 1), from the hoist outward; then likewise (c, r + 1)–(c + 1, r);
//! 4. structural links along the fly, from the hoist outward: columns 0→1, 1→2, …;
//! 5. structural links along the hoist, down the bands: rows 0→1, 1→2, … of each; then once more;
//! 6. where a strain limit is set: limits along the fly, from the hoist outward; then along the hoist, down
//!    the bands;
//! 7. contacts; 8. tethers.
//!
//! Where limit sweeps follow the sweeps of a substep, each is 6 alone, and contacts and tethers of the last
//! sweep wait until they are through.
//!
//! Links along the fly go outward because a flag is held at the hoist and pulled outward: each link sees its
//! inner end already moved, and a hanging cloth stretches least. Bands let eight rows go side by side; the
//! second pass along the hoist gives back what the bands cost there, and more: the worst thread of the
//! default flag is strained by 12 to 15 % where one pass leaves 19 to 23 %, for a seventh of the work.
//!
//! A link may turn a coordinate of −0 into 0, also one that it does not move.
//!
//! The files here say what a constraint does to eight particles and to a column; `sim/wave.rs` runs them over a
//! cloth. They must not know wind or air: forces come in as velocities.

pub mod contact;
pub mod families;
pub mod limit;
pub mod link;
pub mod tether;

use super::cut::Cut;
use super::lanes::{Block, Lanes, Mask};
use crate::math;
use contact::ContactLaw;
use limit::Limit;
use link::LinkLaw;
use tether::Tethers;

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

/// What all sweeps of a tick have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepLaw {
    /// Length of a substep, s.
    pub h: f32,
    /// Compliances.
    pub compliance: LinkCompliance,
    /// Farthest a particle may be from its pin, as a multiple of its rest path; [`tether::TETHERS_OFF`] and
    /// above: no limit.
    pub tether: f32,
    /// Longest that a thread may be, as a multiple of its rest length; [`limit::LIMITS_OFF`] and above: no limit.
    pub strain_limit: f32,
    /// What the particles touch; `None` for nothing.
    pub contact: Option<ContactLaw>,
}

/// The five kinds of link of one cut in one substep.
#[derive(Debug, Clone, Copy)]
pub struct Laws<V> {
    /// Bend links along the hoist.
    pub bend_hoist: LinkLaw<V>,
    /// Bend links along the fly.
    pub bend_fly: LinkLaw<V>,
    /// Both diagonals.
    pub shear: LinkLaw<V>,
    /// Structural links along the fly.
    pub fly: LinkLaw<V>,
    /// Structural links along the hoist.
    pub hoist: LinkLaw<V>,
    /// Limit of the structural links along the fly, and along the hoist.
    pub limits: [Limit<V>; 2],
}

impl<V: Lanes> Laws<V> {
    /// For links of `spacing` (m, along the fly and along the hoist) under `law`.
    #[inline(always)]
    pub fn new([along, across]: [f32; 2], law: &SweepLaw) -> Self {
        let scaled = 1.0 / (law.h * law.h);
        let bend = law.compliance.bend * scaled;
        let stretch = law.compliance.stretch * scaled;
        let diagonal = (along * along + across * across).sqrt();
        Laws {
            bend_hoist: LinkLaw { rest: 2.0 * across, compliance: bend }.splat(),
            bend_fly: LinkLaw { rest: 2.0 * along, compliance: bend }.splat(),
            shear: LinkLaw { rest: diagonal, compliance: law.compliance.shear * scaled }.splat(),
            fly: LinkLaw { rest: along, compliance: stretch }.splat(),
            hoist: LinkLaw { rest: across, compliance: stretch }.splat(),
            limits: [Limit(V::splat(law.strain_limit * along)), Limit(V::splat(law.strain_limit * across))],
        }
    }
}

/// What the constraints of a cut need and never changes.
#[derive(Debug, Clone)]
pub struct Tables {
    /// For each block of a column the lanes that have a row one below; and two below.
    pub above: [Vec<Mask>; 2],
    /// The pins of all particles.
    pub tethers: Tethers,
}

impl Tables {
    /// Those of `cut`.
    pub fn new(cut: &Cut) -> Self {
        let grid = cut.grid();
        Tables { above: [grid.rows_above(1), grid.rows_above(2)], tethers: Tethers::new(cut) }
    }
}

/// A multiplier per link, family by family, kept over the sweeps of one substep. Empty where each link is
/// projected once, or where it does not yield: then it has no part.
#[derive(Debug, Clone, Default)]
pub struct Multipliers {
    /// Bend along the hoist and the fly, both diagonals, structural along the fly and the hoist.
    pub families: [Vec<Block>; 6],
}

impl Multipliers {
    /// None kept, with room for a grid of `count` blocks, so that keeping them later allocates nothing.
    pub fn with_room(count: usize) -> Self {
        Multipliers { families: std::array::from_fn(|_| Vec::with_capacity(count)) }
    }

    /// All at 0: a block of each family for each of `count` blocks of the grid.
    pub fn start(&mut self, count: usize) {
        for family in &mut self.families {
            family.clear();
            family.resize(count, Block::default());
        }
    }
}

/// exp(−`rate` × `h`): what is left of a velocity after `h` seconds.
pub fn decay(rate: f32, h: f32) -> f32 {
    math::exp(-f64::from(rate) * f64::from(h)) as f32
}
