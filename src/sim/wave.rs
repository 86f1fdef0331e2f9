//! One pass over a flag as a wave that runs outward over its columns.
//!
//! A substep is forces, prediction, the solver's families one after the other, contacts, tethers, and the
//! velocity from the way gone. Done one after the other each would stream the whole cloth through the
//! cache. But a family needs of the families before it only that they are through with a few columns: so
//! they follow each other at a distance of one or two columns, and one pass does them all. Each column sees
//! exactly the order of the contract, so the bits are those of doing one after the other (a plainly written
//! reference in the tests does so).
//!
//! In the middle of a cloth all seven families work at the same time on columns that have nothing to do
//! with each other, which keeps the processor's dividers busy although each chain of links must wait for
//! itself.
//!
//! In the same way substep may follow substep: a wave may go on where the one before it is [`REACH`] columns
//! farther. That is how several threads share one flag: each keeps a stretch of fronts, so that its columns
//! stay in its own cache, and hands every wave on to the next ([`Track`]).

use super::air::drag;
use super::air::sheet::{Column, QuadAir, SheetLaw, column_forces};
use super::cloth::Particles;
use super::crew::Shared;
use super::cut::Families;
use super::grid::{Grid, Slot};
use super::lanes::{Block, Block3, Kernel, Lanes, Mask, load3};
use super::solver::contact::{ContactLaw, LaneContact, resolve};
use super::solver::families::{along_fly, along_hoist, diagonal};
use super::solver::limit::LIMITS_OFF;
use super::solver::link::Rule;
use super::solver::tether::{TETHERS_OFF, hold};
use super::solver::{Laws, Multipliers, SweepLaw, Tables};
use glam::Vec3;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many columns behind the front each part works. A part touches no column that another touches in the
/// same step, and only columns with which all parts before it are through.
mod behind {
    pub const BEND_HOIST: usize = 1;
    /// And the second column after it.
    pub const BEND_FLY: usize = 4;
    /// And the next column, as all that follow up to `FLY`.
    pub const DOWN: usize = 6;
    pub const UP: usize = 8;
    pub const FLY: usize = 10;
    pub const HOIST: usize = 11;
    pub const HOIST_AGAIN: usize = 12;
    /// And the next column.
    pub const LIMIT_FLY: usize = 14;
    pub const LIMIT_HOIST: usize = 15;
    pub const END: usize = 16;
}

/// Columns from the first that a wave still works on to its front.
pub const REACH: usize = behind::END;

/// What is the same for all passes of a tick.
#[derive(Debug, Clone, Copy)]
pub struct Wave<'a> {
    /// The layout.
    pub grid: Grid,
    /// Spacing at rest along the fly and along the hoist, m.
    pub spacing: [f32; 2],
    /// The links that there are.
    pub families: Families,
    /// How they are projected.
    pub law: SweepLaw,
    /// What follows from the cut.
    pub tables: &'a Tables,
    /// What moves the particles.
    pub push: Push<'a>,
    /// The particle in the hand.
    pub held: Option<Held>,
}

/// The forces of a substep.
#[derive(Debug, Clone, Copy)]
pub struct Push<'a> {
    /// The sheet law; `None` where it does nothing.
    pub sheet: Option<SheetPush<'a>>,
    /// Drag on particles; `None` where it does nothing.
    pub drag: Option<DragPush<'a>>,
    /// What gravity takes from v.y in a substep, m/s.
    pub fall: f32,
    /// Factor on all velocity before the forces act.
    pub before: f32,
    /// Factor on all velocity after.
    pub after: f32,
}

/// The sheet law with what it needs.
#[derive(Debug, Clone, Copy)]
pub struct SheetPush<'a> {
    /// The constants.
    pub law: SheetLaw,
    /// Wind at each quad, m/s.
    pub wind: &'a [Block3],
    /// Inverse mass of each quad, 1/kg.
    pub inverse_mass: &'a [Block],
}

/// Drag with what it needs.
#[derive(Debug, Clone, Copy)]
pub struct DragPush<'a> {
    /// Part of the way to the wind in a substep.
    pub share: f32,
    /// Wind at each particle, m/s.
    pub wind: &'a [Block3],
    /// The particles that it acts on.
    pub particles: &'a [Mask],
}

/// The particle in the hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// Where it lies in memory.
    pub slot: Slot,
    /// Where it should go, m.
    pub target: Vec3,
    /// Its pin and how far from it the hand may take it, m.
    pub pin: Option<(Vec3, f32)>,
    /// Farthest that it goes in a substep, m.
    pub most: f32,
}

/// What one pass does beside the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// It is the first of a substep: forces and prediction come first.
    pub begins: bool,
    /// It sweeps over the links; else over the limits alone.
    pub links: bool,
    /// Contacts and tethers come after them.
    pub holds: bool,
    /// It is the last of a substep: velocities come last.
    pub ends: bool,
    /// It adds up the force of the air.
    pub tells_impulse: bool,
}

/// Room for the forces between the last two columns, and what they add up to.
#[derive(Debug, Clone)]
pub struct Room {
    /// Forces on the quads left of the column.
    left: Vec<Block3>,
    /// Forces on the quads right of it.
    right: Vec<Block3>,
    /// Their sums.
    both: Vec<Block3>,
    /// Σ|F| of a pass that tells it, N. Summed column by column, row by row.
    pub impulse: f64,
}

impl Room {
    /// For a grid.
    pub fn new(grid: Grid) -> Self {
        let column = vec![Block3::default(); grid.blocks()];
        Room { left: column.clone(), right: column.clone(), both: column, impulse: 0.0 }
    }

    /// As it is before a wave's first column.
    pub fn clear(&mut self) {
        self.left.fill(Block3::default());
        self.right.fill(Block3::default());
        self.impulse = 0.0;
    }

    /// Goes on where `other` is.
    pub fn take_over(&mut self, other: &Room) {
        self.left.copy_from_slice(&other.left);
        self.right.copy_from_slice(&other.right);
        self.impulse = other.impulse;
    }
}

/// The state that waves run over.
#[derive(Debug)]
pub struct Sea<'a> {
    /// Positions and inverse masses.
    pub particles: Shared<'a, Particles>,
    /// Velocities; within a pass, where each particle was when it began.
    pub velocity: Shared<'a, Block3>,
}

/// How one wave follows another over the same cloth, in numbers of fronts that a wave is through with.
#[derive(Debug, Clone, Copy, Default)]
pub struct Track<'a> {
    /// The wave before this one.
    pub ahead: Option<&'a AtomicUsize>,
    /// This one.
    pub own: Option<&'a AtomicUsize>,
    /// Whether somebody who moves waves has panicked, and nobody need be waited for.
    pub broken: Option<&'a AtomicBool>,
}

impl Track<'_> {
    /// Waits until this wave itself has come to `front`: whoever moved it there has handed it on.
    pub fn wait_for_own(&self, front: usize) {
        self.wait(self.own, front);
    }

    /// Waits until the wave ahead is through with `columns`.
    #[inline(always)]
    fn wait_for_columns(&self, columns: usize) {
        self.wait(self.ahead, columns + REACH);
    }

    #[inline(always)]
    fn wait(&self, wave: Option<&AtomicUsize>, fronts: usize) {
        let Some(wave) = wave else { return };
        if wave.load(Ordering::Acquire) < fronts {
            self.wait_long(wave, fronts);
        }
    }

    #[cold]
    fn wait_long(&self, wave: &AtomicUsize, fronts: usize) {
        /// About as long as some columns take; then the processor is lent to whoever is waited for.
        const SPINS: u32 = 4000;
        let mut spins = 0;
        while wave.load(Ordering::Acquire) < fronts {
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                let broken = self.broken.is_some_and(|broken| broken.load(Ordering::Acquire));
                assert!(!broken, "another member of the crew panicked");
                std::thread::yield_now();
            }
        }
    }

    /// Tells that this wave is through with so many fronts.
    #[inline(always)]
    pub fn tell(&self, fronts: usize) {
        if let Some(own) = self.own {
            own.store(fronts, Ordering::Release);
        }
    }
}

/// One pass, to be run on a path.
#[derive(Debug)]
pub struct Pass<'a> {
    /// What it does.
    pub wave: &'a Wave<'a>,
    /// Beside the sweep.
    pub turn: Turn,
    /// To what.
    pub sea: &'a Sea<'a>,
    /// With which room; the impulse comes back in it.
    pub room: &'a mut Room,
    /// Multipliers, where they are kept: then no other pass may run at the same time.
    pub lambda: &'a mut Multipliers,
    /// Behind which other pass.
    pub track: Track<'a>,
    /// From which front to which; all are 0..columns + [`REACH`].
    pub fronts: Range<usize>,
}

impl Kernel for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Pass { wave, turn, sea, room, lambda, track, fronts } = self;
        let (columns, blocks) = (wave.grid.columns(), wave.grid.blocks());
        let laws = Laws::<V>::new(wave.spacing, &wave.law);
        let all = wave.families.structural && wave.families.shear && wave.families.bend;
        let fused = all && lambda.families[0].is_empty();
        let limited = wave.families.structural && wave.law.strain_limit < LIMITS_OFF;
        let contact = wave.law.contact.unwrap_or(ContactLaw::NOTHING).splat::<V>();
        let end = fronts.end;
        for front in fronts {
            let (first, past) = (front.saturating_sub(REACH), (front + 2).min(columns));
            track.wait_for_columns(past);
            let range = first * blocks..past * blocks;
            #[expect(unsafe_code, reason = "several waves run over one cloth")]
            // SAFETY: the columns `first..past` are this wave's alone, and this front is the only one that moves it.
            // The wave ahead is through with `past` columns and works on none before them; the wave behind
            // waits until this one is through with `first`.
            let (particles, velocity) = unsafe { (sea.particles.part(range.clone()), sea.velocity.part(range)) };
            let mut window = Window { first, blocks, particles, velocity };
            if turn.begins && front < columns {
                wave.begin::<V>(front, &mut window, room, turn.tells_impulse);
            }
            if !turn.links {
                // The limits alone.
            } else if fused && (behind::HOIST_AGAIN..columns + behind::BEND_HOIST).contains(&front) {
                links_together(front, &mut window, &laws, wave.tables);
            } else {
                links_apart(front, columns, &mut window, &laws, wave, lambda);
            }
            if limited {
                limits(front, columns, &mut window, &laws, wave);
            }
            if let Some(column) = front.checked_sub(behind::END) {
                wave.end::<V>(column, &mut window, &contact, turn);
            }
            // Of the last one the caller tells, once it has handed the wave on.
            if front + 1 < end {
                track.tell(front + 1);
            }
        }
    }
}

/// The columns that a wave works on.
struct Window<'a> {
    first: usize,
    blocks: usize,
    particles: &'a mut [Particles],
    velocity: &'a mut [Block3],
}

impl Window<'_> {
    #[inline(always)]
    fn column(&mut self, column: usize) -> &mut [Particles] {
        let at = (column - self.first) * self.blocks;
        &mut self.particles[at..at + self.blocks]
    }

    /// Two columns, the first before the second.
    #[inline(always)]
    fn pair(&mut self, first: usize, second: usize) -> (&mut [Particles], &mut [Particles]) {
        let (at, next) = ((first - self.first) * self.blocks, (second - self.first) * self.blocks);
        let (before, from) = self.particles.split_at_mut(next);
        (&mut before[at..at + self.blocks], &mut from[..self.blocks])
    }
}

impl Wave<'_> {
    /// Forces, then where the particles of `column` would go without links.
    #[inline(always)]
    fn begin<V: Lanes>(&self, column: usize, window: &mut Window<'_>, room: &mut Room, tells: bool) {
        let blocks = self.grid.blocks();
        let at = (column - window.first) * blocks;
        if let Some(sheet) = &self.push.sheet {
            if column + 1 < self.grid.columns() {
                let of = |column: usize| Column {
                    particles: &window.particles[column..column + blocks],
                    velocity: &window.velocity[column..column + blocks],
                };
                let (here, next) = (of(at), of(at + blocks));
                let quads = column * blocks..(column + 1) * blocks;
                let air = QuadAir {
                    wind: &sheet.wind[quads.clone()],
                    inverse_mass: &sheet.inverse_mass[quads],
                    above: &self.tables.above[0],
                    law: sheet.law,
                    left: self.push.before,
                    h: self.law.h,
                };
                column_forces::<V>(here, next, air, &mut room.right);
            } else {
                room.right.fill(Block3::default());
            }
            for block in 0..blocks {
                let (left, right) = (load3::<V>(&room.left[block]), load3::<V>(&room.right[block]));
                store3([left[0] + right[0], left[1] + right[1], left[2] + right[2]], &mut room.both[block]);
            }
            if tells {
                room.impulse += total(&room.right);
            }
            std::mem::swap(&mut room.left, &mut room.right);
        }
        self.predict::<V>(column, at, window, &room.both);
        if let Some(held) = self.held.filter(|held| held.slot.block / blocks == column) {
            let here = held.slot.block - window.first * blocks;
            held.pull(&mut window.particles[here], &window.velocity[here], self.law.h);
        }
    }

    /// Velocities after the forces, positions after the velocities. Where a particle was takes the place of
    /// its velocity.
    #[inline(always)]
    fn predict<V: Lanes>(&self, column: usize, at: usize, window: &mut Window<'_>, both: &[Block3]) {
        let blocks = self.grid.blocks();
        let h = V::splat(self.law.h);
        let quarter = V::splat(0.25 * self.law.h);
        let (before, after, fall) = (V::splat(self.push.before), V::splat(self.push.after), V::splat(self.push.fall));
        // The quads above row 0 of a band are those below the last row of the band before it.
        let mut above = load3::<V>(&both[blocks - 1]);
        for part in &mut above {
            *part = part.previous_lane();
        }
        for (block, sum) in both[..blocks].iter().enumerate() {
            let here = &mut window.particles[at + block];
            let slot = &mut window.velocity[at + block];
            let inverse_mass = V::load(&here.inverse_mass);
            let mut v = load3::<V>(slot);
            for axis in &mut v {
                *axis = *axis * before;
            }
            if self.push.sheet.is_some() {
                let below = load3::<V>(sum);
                for axis in 0..3 {
                    v[axis] = v[axis] + quarter * (inverse_mass * (above[axis] + below[axis]));
                }
                above = below;
            }
            if let Some(push) = &self.push.drag {
                let number = column * blocks + block;
                let share = V::splat(push.share).masked(&push.particles[number]).where_positive(inverse_mass);
                let wind = load3::<V>(&push.wind[number]);
                for axis in 0..3 {
                    v[axis] = drag::toward(v[axis], wind[axis], share);
                }
            }
            v[1] = v[1] - fall.where_positive(inverse_mass);
            let start = [V::load(&here.x), V::load(&here.y), V::load(&here.z)];
            (start[0] + h * (v[0] * after)).store(&mut here.x);
            (start[1] + h * (v[1] * after)).store(&mut here.y);
            (start[2] + h * (v[2] * after)).store(&mut here.z);
            store3(start, slot);
        }
    }

    /// Contacts, tethers, velocities.
    #[inline(always)]
    fn end<V: Lanes>(&self, column: usize, window: &mut Window<'_>, contact: &LaneContact<V>, turn: Turn) {
        let blocks = self.grid.blocks();
        let at = (column - window.first) * blocks;
        let (per_second, reach) = (V::splat(1.0 / self.law.h), V::splat(self.law.tether));
        let touches = self.law.contact.filter(|_| turn.holds);
        let rod = touches.is_some_and(|law| law.rod_counts(column as f32 * self.spacing[0]));
        let tethered = turn.holds && self.law.tether < TETHERS_OFF;
        for block in 0..blocks {
            let here = &mut window.particles[at + block];
            let slot = &mut window.velocity[at + block];
            let inverse_mass = V::load(&here.inverse_mass);
            let mut place = [V::load(&here.x), V::load(&here.y), V::load(&here.z)];
            let mut start = load3::<V>(slot);
            if touches.is_some() {
                let resolved = resolve(place, start, inverse_mass, contact, rod);
                (place, start) = (resolved.place, resolved.start);
            }
            if tethered && let Some((pin, path)) = self.tables.tethers.of::<V>(column, block, blocks) {
                place = hold(place, pin, reach * path, inverse_mass);
            }
            if turn.holds {
                place[0].store(&mut here.x);
                place[1].store(&mut here.y);
                place[2].store(&mut here.z);
            }
            if turn.ends {
                for axis in 0..3 {
                    start[axis] = (place[axis] - start[axis]) * per_second;
                }
            }
            store3(start, slot);
        }
    }
}

#[inline(always)]
fn store3<V: Lanes>([x, y, z]: [V; 3], to: &mut Block3) {
    x.store(&mut to.x);
    y.store(&mut to.y);
    z.store(&mut to.z);
}

/// Σ|F| of a column of quads, band by band.
fn total(forces: &[Block3]) -> f64 {
    let mut sum = 0.0;
    for lane in 0..super::lanes::LANES {
        for force in forces {
            let [x, y, z] = [force.x.0[lane], force.y.0[lane], force.z.0[lane]];
            sum += f64::from((x * x + y * y + z * z).sqrt());
        }
    }
    sum
}

impl Held {
    /// Takes the particle toward its target for one substep. `start` is where it was.
    fn pull(&self, here: &mut Particles, start: &Block3, h: f32) {
        let lane = self.slot.lane;
        let from = Vec3::new(start.x.0[lane], start.y.0[lane], start.z.0[lane]);
        let to = from + self.velocity(from, h) * h;
        (here.x.0[lane], here.y.0[lane], here.z.0[lane]) = to.into();
    }

    /// The velocity that takes it from `from` toward its target within a substep, no faster and no farther
    /// from its pin than it may.
    fn velocity(&self, from: Vec3, h: f32) -> Vec3 {
        let mut target = self.target;
        if let Some((pin, reach)) = self.pin {
            let d = target - pin;
            // By its largest part first, so that the length of an absurd way does not overflow.
            let largest = d.abs().max_element();
            let unit = d * (1.0 / crate::math::max(largest, f32::MIN_POSITIVE));
            let length = unit.length();
            if length * largest > reach {
                target = pin + unit * (reach / length);
            }
        }
        let way = target - from;
        let length = way.length();
        let way = if length > self.most { way * (self.most / length) } else { way };
        if way.is_finite() { way * (1.0 / h) } else { Vec3::ZERO }
    }
}

/// All families side by side, each on its own columns: block by block, so that no chain waits for itself.
#[inline(always)]
fn links_together<V: Lanes>(front: usize, window: &mut Window<'_>, laws: &Laws<V>, tables: &Tables) {
    let blocks = window.blocks;
    let [one, two] = &tables.above;
    let (one, two) = (&one[..blocks], &two[..blocks]);
    let start = (front - behind::HOIST_AGAIN - window.first) * blocks;
    let (hoist_again, rest) = window.particles[start..].split_at_mut(blocks);
    let (hoist, rest) = rest.split_at_mut(blocks);
    let (fly_a, rest) = rest.split_at_mut(blocks);
    let (fly_b, rest) = rest.split_at_mut(blocks);
    let (up_a, rest) = rest.split_at_mut(blocks);
    let (up_b, rest) = rest.split_at_mut(blocks);
    let (down_a, rest) = rest.split_at_mut(blocks);
    let (down_b, rest) = rest.split_at_mut(blocks);
    let (bend_a, rest) = rest.split_at_mut(blocks);
    let (_, rest) = rest.split_at_mut(blocks);
    let (bend_b, rest) = rest.split_at_mut(blocks);
    let (bend_hoist, _) = rest.split_at_mut(blocks);
    for block in 0..blocks {
        along_hoist::<V>(bend_hoist, 2, block, laws.bend_hoist, two, &mut []);
        along_fly::<V>(bend_a, bend_b, block, laws.bend_fly, &mut []);
        diagonal::<V>(down_a, down_b, block, laws.shear, one, &mut []);
        diagonal::<V>(up_b, up_a, block, laws.shear, one, &mut []);
        along_fly::<V>(fly_a, fly_b, block, laws.fly, &mut []);
        along_hoist::<V>(hoist, 1, block, laws.hoist, one, &mut []);
        along_hoist::<V>(hoist_again, 1, block, laws.hoist, one, &mut []);
    }
}

/// The same family by family, for the ends of a cloth, for cloths without some of them, and where
/// multipliers are kept.
#[inline(always)]
fn links_apart<V: Lanes>(
    front: usize,
    columns: usize,
    window: &mut Window<'_>,
    laws: &Laws<V>,
    wave: &Wave<'_>,
    lambda: &mut Multipliers,
) {
    let blocks = window.blocks;
    let [one, two] = &wave.tables.above;
    let (one, two) = (&one[..blocks], &two[..blocks]);
    let Families { structural, shear, bend } = wave.families;
    let [l_bend_hoist, l_bend_fly, l_down, l_up, l_fly, l_hoist] = &mut lambda.families;
    // The column so far behind the front, where it is on the cloth with `more` columns after it.
    let column = |behind: usize, more: usize| front.checked_sub(behind).filter(|column| column + more < columns);
    if bend && let Some(c) = column(behind::BEND_HOIST, 0) {
        hoist_column(window.column(c), 2, laws.bend_hoist, two, at(l_bend_hoist, c, blocks));
    }
    if bend && let Some(c) = column(behind::BEND_FLY, 2) {
        let (a, b) = window.pair(c, c + 2);
        let lambda = at(l_bend_fly, c, blocks);
        for block in 0..blocks {
            along_fly::<V>(a, b, block, laws.bend_fly, lambda);
        }
    }
    if shear && let Some(c) = column(behind::DOWN, 1) {
        let (a, b) = window.pair(c, c + 1);
        let lambda = at(l_down, c, blocks);
        for block in 0..blocks {
            diagonal::<V>(a, b, block, laws.shear, one, lambda);
        }
    }
    if shear && let Some(c) = column(behind::UP, 1) {
        let (a, b) = window.pair(c, c + 1);
        let lambda = at(l_up, c, blocks);
        for block in 0..blocks {
            diagonal::<V>(b, a, block, laws.shear, one, lambda);
        }
    }
    if structural && let Some(c) = column(behind::FLY, 1) {
        let (a, b) = window.pair(c, c + 1);
        let lambda = at(l_fly, c, blocks);
        for block in 0..blocks {
            along_fly::<V>(a, b, block, laws.fly, lambda);
        }
    }
    if structural && let Some(c) = column(behind::HOIST, 0) {
        hoist_column(window.column(c), 1, laws.hoist, one, at(l_hoist, c, blocks));
    }
    if structural && let Some(c) = column(behind::HOIST_AGAIN, 0) {
        hoist_column(window.column(c), 1, laws.hoist, one, at(l_hoist, c, blocks));
    }
}

/// The limits of the structural links, along the fly and along the hoist.
#[inline(always)]
fn limits<V: Lanes>(front: usize, columns: usize, window: &mut Window<'_>, laws: &Laws<V>, wave: &Wave<'_>) {
    let (blocks, [along, across]) = (window.blocks, laws.limits);
    if let Some(c) = front.checked_sub(behind::LIMIT_FLY).filter(|c| c + 1 < columns) {
        let (a, b) = window.pair(c, c + 1);
        for block in 0..blocks {
            along_fly::<V>(a, b, block, along, &mut []);
        }
    }
    if let Some(c) = front.checked_sub(behind::LIMIT_HOIST).filter(|c| *c < columns) {
        hoist_column::<V>(window.column(c), 1, across, &wave.tables.above[0], &mut []);
    }
}

#[inline(always)]
fn hoist_column<V: Lanes>(
    column: &mut [Particles],
    skip: usize,
    law: impl Rule<V>,
    above: &[Mask],
    lambda: &mut [Block],
) {
    for block in 0..column.len() {
        along_hoist::<V>(column, skip, block, law, above, lambda);
    }
}

/// A column's multipliers; none where none are kept.
#[inline(always)]
fn at(lambda: &mut [Block], column: usize, blocks: usize) -> &mut [Block] {
    lambda.get_mut(column * blocks..(column + 1) * blocks).unwrap_or_default()
}
