//! One flag: its cut, its cloth, and the steps that a tick makes with it.
//!
//! It must not know other flags, nor what moves its settings.

use super::air::drag;
use super::air::sheet::SheetLaw;
use super::cloth::{Cloth, Particles, sound};
use super::crew::{Crew, Shared};
use super::cut::Cut;
use super::grid::Grid;
use super::lanes::{Block, Block3, Kernel, Lanes, Mask, Path};
use super::solver::contact::{ContactLaw, ContactSettings};
use super::solver::limit::LIMITS_OFF;
use super::solver::{DampingOrder, LinkCompliance, Multipliers, SweepLaw, Tables, decay};
use super::wave::{self, DragPush, Pass, Push, REACH, Room, Sea, SheetPush, Track, Turn, Wave};
use super::wind::Wind;
use crate::math;
use glam::Vec3;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Farther out than this on any axis a particle counts as lost, m. f32 still resolves 0.06 m there; nothing
/// that means to be a flag comes near.
pub const FARTHEST: f32 = 1e6;
/// Fastest that the hand moves a particle, m/s: quicker than an arm, slow enough for 16 substeps a tick.
pub const HAND_SPEED: f32 = 20.0;
/// Farthest that the hand pulls a particle from its pin where no strain limit says so, as a multiple of its rest path.
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
    /// Longest that a thread may be, multiple of its rest length; from 2 on there is no limit.
    pub strain_limit: f32,
    /// The pole or bar and the ground.
    pub contact: ContactSettings,
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
    /// Sweeps over the strain limits alone after those, where there are any.
    pub limit_sweeps: u32,
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

/// Blocks that one member of a crew samples, copies or checks at a time: some microseconds of work.
const PART: usize = 512;
/// From this many blocks on a crew shares the substeps of one flag; below it handing over costs more. A flag whose
/// multipliers are kept (several sweeps, or threads that yield) is one member's alone: they follow a substep.
const SHARED_FROM: usize = 1024;

/// Columns of a stretch that one member keeps: several times what a wave reaches over.
const SHORTEST_STRETCH: usize = 3 * REACH;

/// One flag.
#[derive(Debug, Clone)]
pub struct Flag {
    cut: Cut,
    cloth: Cloth,
    /// Where the drag acts.
    drag_particles: Vec<Mask>,
    held: Option<Held>,
    accepted: u64,
    rejected: u64,
    stopped: bool,
    time: f64,
    impulse: Option<f32>,
    scratch: Scratch,
}

/// Room that ticks reuse, so that a tick allocates nothing after the first.
#[derive(Debug, Clone)]
struct Scratch {
    tables: Tables,
    /// Centroids of quads, then places of particles, m.
    places: Vec<Block3>,
    quad_wind: Vec<Block3>,
    particle_wind: Vec<Block3>,
    good: Cloth,
    room: Room,
    lambda: Multipliers,
    relay: Relay,
}

/// What the members of a crew that share a flag tell and hand each other.
#[derive(Debug, Default)]
struct Relay {
    /// Fronts that each pass of a step is through with.
    progress: Vec<AtomicUsize>,
    /// Each member's own room.
    rooms: Vec<Mutex<Room>>,
    /// Where each member's stretch ends.
    hands: Vec<Mutex<Room>>,
    /// A member panicked.
    broken: AtomicBool,
}

impl Relay {
    fn prepare(&mut self, members: usize, passes: usize, grid: Grid) {
        self.progress.resize_with(passes, AtomicUsize::default);
        self.progress.iter_mut().for_each(|fronts| *fronts.get_mut() = 0);
        *self.broken.get_mut() = false;
        for rooms in [&mut self.rooms, &mut self.hands] {
            rooms.resize_with(members, || Mutex::new(Room::new(grid)));
        }
    }
}

impl Clone for Relay {
    /// Nothing of it outlives a step.
    fn clone(&self) -> Self {
        Relay::default()
    }
}

/// How many members of a crew share a flag of this grid.
fn members_of(crew: &Crew, grid: Grid) -> usize {
    crew.size().min(grid.columns() / SHORTEST_STRETCH).max(1)
}

/// Tells the others when its member panics: they would wait for its waves for ever.
struct Breakage<'a>(&'a AtomicBool);

impl Drop for Breakage<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Release);
        }
    }
}

/// A room whose member panicked is as good as any.
fn lock(room: &Mutex<Room>) -> MutexGuard<'_, Room> {
    room.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Flag {
    /// A flag at rest. `drag_particles` is the range that the drag acts on, cut to the grid.
    pub fn new(cut: Cut, drag_particles: Range<usize>, wind: &Wind, weightless: bool) -> Self {
        let grid = cut.grid();
        let cloth = Cloth::at_rest(&cut, wind, weightless);
        let acts = |block: usize, lane: usize| {
            grid.number(super::grid::Slot { block, lane }).is_some_and(|number| drag_particles.contains(&number))
        };
        let scratch = Scratch {
            tables: Tables::new(&cut),
            places: vec![Block3::default(); grid.len()],
            quad_wind: vec![Block3::default(); grid.len()],
            particle_wind: vec![Block3::default(); grid.len()],
            good: cloth.clone(),
            room: Room::new(grid),
            lambda: Multipliers::with_room(grid.len()),
            relay: Relay::default(),
        };
        Flag {
            drag_particles: (0..grid.len()).map(|block| Mask::new(|lane| acts(block, lane))).collect(),
            cut,
            cloth,
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
        particle < self.cut.count() && self.cloth.inverse_mass(particle) > 0.0
    }

    /// Takes a free particle where it is. False when it is pinned or not there.
    pub fn grab(&mut self, particle: usize) -> bool {
        if !self.is_free(particle) {
            return false;
        }
        self.release();
        self.held = Some(Held { particle, target: self.cloth.position(particle) });
        self.cloth.set_inverse_mass(particle, 0.0);
        self.cloth.set_velocity(particle, Vec3::ZERO);
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
            self.cloth.set_inverse_mass(held.particle, self.cut.inverse_mass(held.particle));
        }
    }

    /// The free particle nearest to `point` and its distance squared, m².
    pub fn nearest_free(&self, point: Vec3) -> Option<(usize, f32)> {
        (0..self.cut.count())
            .filter(|i| self.is_free(*i))
            .map(|i| (i, (self.cloth.position(i) - point).length_squared()))
            .reduce(|best, next| if next.1 < best.1 { next } else { best })
    }

    /// Kinetic energy, J.
    pub fn energy(&self) -> f32 {
        let mut sum = 0.0f64;
        for (i, mass) in self.cut.mass().iter().enumerate() {
            let v = self.cloth.velocity(i);
            sum += 0.5 * f64::from(*mass) * f64::from(v.x * v.x + v.y * v.y + v.z * v.z);
        }
        sum as f32
    }

    /// Largest strain of a thread.
    pub fn stretch(&self, path: Path) -> f32 {
        let [along, across] = self.cut.spacing();
        let [longest_along, longest_across] =
            path.run(Longest { cloth: &self.cloth, above: &self.scratch.tables.above[0] });
        math::max(longest_along / along, longest_across / across) - 1.0
    }

    /// One tick. The gusts are sampled once; relative wind and normals are new in every substep. A step whose
    /// result is not sound is rolled back; the first such fault is told. `path` and `crew` change no bit.
    pub fn tick(
        &mut self,
        wind: &Wind,
        settings: &FlagSettings,
        plan: &StepPlan,
        path: Path,
        crew: &Crew,
    ) -> Option<Fault> {
        if self.stopped {
            return None;
        }
        self.sample_wind(wind, settings, path, crew);
        let step_seconds = plan.tick_seconds / f64::from(plan.steps_per_tick);
        let h = (step_seconds / f64::from(plan.substeps)) as f32;
        let mut first = None;
        for _ in 0..plan.steps_per_tick {
            self.scratch.good.particles.copy_from_slice(&self.cloth.particles);
            self.scratch.good.velocity.copy_from_slice(&self.cloth.velocity);
            let impulse = self.step(settings, plan, h, path, crew);
            if self.is_sound(crew) {
                self.accepted += 1;
                self.time = self.accepted as f64 * step_seconds;
                self.impulse = Some(impulse as f32);
                continue;
            }
            let particle = self.cloth.first_outside(FARTHEST).unwrap_or_default();
            let columns = self.cut.columns();
            first = first.or(Some(Fault { particle, column: particle % columns, row: particle / columns }));
            self.roll_back(plan.on_failure);
            if self.stopped {
                break;
            }
        }
        if first.is_some() {
            // What a rolled-back step felt is not to be shown.
            self.impulse = None;
        }
        first
    }

    fn roll_back(&mut self, on_failure: OnFailure) {
        self.rejected += 1;
        self.cloth.particles.copy_from_slice(&self.scratch.good.particles);
        self.cloth.velocity.copy_from_slice(&self.scratch.good.velocity);
        match on_failure {
            OnFailure::Halve => {
                for block in &mut self.cloth.velocity {
                    for axis in [&mut block.x, &mut block.y, &mut block.z] {
                        axis.0.iter_mut().for_each(|v| *v *= 0.5);
                    }
                }
            }
            OnFailure::Stop => self.stopped = true,
        }
    }

    fn is_sound(&self, crew: &Crew) -> bool {
        let Cloth { particles, velocity, .. } = &self.cloth;
        let unsound = AtomicUsize::new(0);
        crew.share(particles.len().div_ceil(PART), &|part| {
            let range = part * PART..((part + 1) * PART).min(particles.len());
            let mut all = true;
            for (particles, velocity) in particles[range.clone()].iter().zip(&velocity[range]) {
                all &= sound(particles, velocity, FARTHEST);
            }
            unsound.fetch_add(usize::from(!all), Ordering::Relaxed);
        });
        unsound.into_inner() == 0
    }

    fn sample_wind(&mut self, wind: &Wind, settings: &FlagSettings, path: Path, crew: &Crew) {
        let Scratch { places, quad_wind, particle_wind, .. } = &mut self.scratch;
        let (grid, particles) = (self.cut.grid(), &self.cloth.particles);
        let wind = wind.now();
        let mut sample = |out: &mut [Block3], place: &(dyn Fn(usize, &mut [Block3]) + Sync)| {
            let (places, out) = (Shared::new(places), Shared::new(out));
            let columns = (PART / grid.blocks()).max(1);
            crew.share(grid.columns().div_ceil(columns), &|part| {
                let first = part * columns;
                let range = first * grid.blocks()..((first + columns) * grid.blocks()).min(grid.len());
                #[expect(unsafe_code, reason = "members of a crew write different blocks")]
                // SAFETY: the ranges of different parts are disjoint.
                let (places, out) = unsafe { (places.part(range.clone()), out.part(range)) };
                place(first, places);
                wind.sample_blocks(path, places, out);
            });
        };
        if !settings.sheet.is_nothing() {
            sample(quad_wind, &|first, out| path.run(Centroids { grid, particles, first, out }));
        }
        if settings.drag != 0.0 {
            sample(particle_wind, &|first, out| {
                for (out, here) in out.iter_mut().zip(&particles[first * grid.blocks()..]) {
                    *out = Block3 { x: here.x, y: here.y, z: here.z };
                }
            });
        }
    }

    /// One step; what the air did to the sheet in its last substep, N.
    fn step(&mut self, settings: &FlagSettings, plan: &StepPlan, h: f32, path: Path, crew: &Crew) -> f64 {
        let grid = self.cut.grid();
        let Scratch { tables, quad_wind, particle_wind, room, lambda, relay, .. } = &mut self.scratch;
        let sheet = SheetPush { law: settings.sheet, wind: quad_wind, inverse_mass: self.cut.quad_inverse_mass() };
        let share = drag::share(settings.drag, h);
        let drag = DragPush { share, wind: particle_wind, particles: &self.drag_particles };
        let left = decay(settings.damping, h);
        let [before, after] = match plan.damping_order {
            DampingOrder::Velocity => [left, 1.0],
            DampingOrder::Whole => [1.0, left],
        };
        let wave = Wave {
            grid,
            spacing: self.cut.spacing(),
            families: self.cut.spec().families,
            law: SweepLaw {
                h,
                compliance: settings.compliance,
                tether: settings.tether,
                strain_limit: settings.strain_limit,
                contact: Some(ContactLaw::new(settings.contact, &self.cut)).filter(|law| !law.is_nothing()),
            },
            tables,
            push: Push {
                sheet: (!settings.sheet.is_nothing()).then_some(sheet),
                drag: (settings.drag != 0.0).then_some(drag),
                fall: h * settings.gravity,
                before,
                after,
            },
            held: self.held.map(|held| held.in_memory(&self.cut, settings.strain_limit, h)),
        };
        // Multipliers have a part where a link that yields is projected more than once; the threads along the
        // hoist are, in every sweep.
        let kept = plan.sweeps > 1 || settings.compliance.stretch > 0.0;
        let alone = kept || crew.size() == 1 || grid.len() < SHARED_FROM;
        let members = if alone { 1 } else { members_of(crew, grid) };
        if crew.size() > 1 && grid.len() >= SHARED_FROM {
            // For the most that rows can ask for later, so that no fader makes a tick allocate.
            relay.prepare(members_of(crew, grid), (plan.substeps * (plan.sweeps + plan.limit_sweeps)) as usize, grid);
        }
        let limit_sweeps = if settings.strain_limit < LIMITS_OFF { plan.limit_sweeps } else { 0 };
        let [sweeps, all] = [plan.sweeps, plan.sweeps + limit_sweeps].map(|count| count as usize);
        let passes = plan.substeps as usize * all;
        let turn = |pass: usize| {
            let (number, last) = (pass % all, pass % all + 1 == all);
            let links = number < sweeps;
            Turn {
                begins: number == 0,
                links,
                // Contacts and tethers of the last sweep wait for the limit sweeps.
                holds: last || (links && number + 1 < sweeps),
                ends: last,
                tells_impulse: pass / all + 1 == plan.substeps as usize,
            }
        };
        let sea =
            Sea { particles: Shared::new(&mut self.cloth.particles), velocity: Shared::new(&mut self.cloth.velocity) };
        let sea = &sea;
        let all_fronts = grid.columns() + REACH;
        if members == 1 {
            for pass in 0..passes {
                let turn = turn(pass);
                if turn.begins {
                    lambda.start(if kept { grid.len() } else { 0 });
                    room.clear();
                }
                path.run(Pass { wave: &wave, turn, sea, room, lambda, track: Track::default(), fronts: 0..all_fronts });
            }
            return room.impulse;
        }
        let (relay, impulse) = (&*relay, AtomicU64::new(0));
        // Each member keeps a stretch of fronts, and hands every wave on to the next.
        let stretch = |member: usize| all_fronts * member / members..all_fronts * (member + 1) / members;
        crew.run_some(members, &|member| {
            let _guard = Breakage(&relay.broken);
            let mut room = lock(&relay.rooms[member]);
            let mut none = Multipliers::default();
            for pass in 0..passes {
                let ahead = pass.checked_sub(1).map(|before| &relay.progress[before]);
                let track = Track { ahead, own: Some(&relay.progress[pass]), broken: Some(&relay.broken) };
                let (turn, fronts) = (turn(pass), stretch(member));
                if turn.begins {
                    room.clear();
                }
                if let Some(before) = member.checked_sub(1) {
                    track.wait_for_own(fronts.start);
                    if turn.begins {
                        room.take_over(&lock(&relay.hands[before]));
                    }
                }
                let end = fronts.end;
                path.run(Pass { wave: &wave, turn, sea, room: &mut room, lambda: &mut none, track, fronts });
                if turn.begins {
                    // The next member took the wave before this one over long ago: the last fronts here waited for that.
                    lock(&relay.hands[member]).take_over(&room);
                }
                track.tell(end);
                if end == all_fronts && turn.begins && turn.tells_impulse {
                    impulse.store(room.impulse.to_bits(), Ordering::Relaxed);
                }
            }
        });
        f64::from_bits(impulse.into_inner())
    }
}

impl Held {
    fn in_memory(self, cut: &Cut, strain_limit: f32, h: f32) -> wave::Held {
        let reach = if strain_limit < LIMITS_OFF { strain_limit } else { HAND_REACH };
        let pin = cut.anchors().get(self.particle);
        wave::Held {
            slot: cut.grid().slot(self.particle),
            target: self.target,
            pin: pin.map(|anchor| (cut.rest(anchor.pin as usize), reach * anchor.path)),
            most: HAND_SPEED * h,
        }
    }
}

/// The mean of each quad's four corners, from column `first` on, as many as there is room for, m. Where there is no
/// quad it is some place on the cloth.
struct Centroids<'a> {
    grid: Grid,
    particles: &'a [Particles],
    first: usize,
    out: &'a mut [Block3],
}

impl Kernel for Centroids<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let blocks = self.grid.blocks();
        let quarter = V::splat(0.25);
        for (number, out) in self.out.iter_mut().enumerate() {
            let (column, block) = (self.first + number / blocks, number % blocks);
            let next = (column + 1).min(self.grid.columns() - 1);
            let (mut sum, mut below) =
                (edge::<V>(self.particles, column * blocks + block, next * blocks + block), [quarter; 3]);
            if block + 1 < blocks {
                below = edge::<V>(self.particles, column * blocks + block + 1, next * blocks + block + 1);
            } else {
                let first = edge::<V>(self.particles, column * blocks, next * blocks);
                for axis in 0..3 {
                    below[axis] = first[axis].next_lane();
                }
            }
            for axis in 0..3 {
                sum[axis] = (sum[axis] + below[axis]) * quarter;
            }
            sum[0].store(&mut out.x);
            sum[1].store(&mut out.y);
            sum[2].store(&mut out.z);
        }
    }
}

/// Sum of two blocks' positions.
#[inline(always)]
fn edge<V: Lanes>(particles: &[Particles], a: usize, b: usize) -> [V; 3] {
    let (a, b) = (&particles[a], &particles[b]);
    [V::load(&a.x) + V::load(&b.x), V::load(&a.y) + V::load(&b.y), V::load(&a.z) + V::load(&b.z)]
}

/// The longest thread along the fly and along the hoist, m.
struct Longest<'a> {
    cloth: &'a Cloth,
    above: &'a [Mask],
}

impl Kernel for Longest<'_> {
    type Output = [f32; 2];

    #[inline(always)]
    fn run<V: Lanes>(self) -> [f32; 2] {
        let (grid, particles) = (self.cloth.grid(), &self.cloth.particles);
        let blocks = grid.blocks();
        let (mut along, mut across) = (V::splat(0.0), V::splat(0.0));
        for column in 0..grid.columns() {
            for block in 0..blocks {
                let here = place::<V>(&particles[column * blocks + block]);
                if column + 1 < grid.columns() {
                    let next = place::<V>(&particles[(column + 1) * blocks + block]);
                    along = along.most(square(here, next));
                }
                let mut below = place::<V>(&particles[column * blocks + (block + 1) % blocks]);
                if block + 1 == blocks {
                    below = [below[0].next_lane(), below[1].next_lane(), below[2].next_lane()];
                }
                across = across.most(square(here, below).masked(&self.above[block]));
            }
        }
        let mut longest = [Block::default(); 2];
        along.root().store(&mut longest[0]);
        across.root().store(&mut longest[1]);
        longest.map(|block| block.0.into_iter().fold(0.0, math::max))
    }
}

#[inline(always)]
fn place<V: Lanes>(from: &Particles) -> [V; 3] {
    [V::load(&from.x), V::load(&from.y), V::load(&from.z)]
}

#[inline(always)]
fn square<V: Lanes>(a: [V; 3], b: [V; 3]) -> V {
    let d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
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
        limit_sweeps: 0,
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
            strain_limit: LIMITS_OFF,
            contact: ContactSettings::NONE,
        }
    }

    /// One tick, whichever way.
    fn tick(flag: &mut Flag, wind: &Wind, settings: &FlagSettings, plan: &StepPlan) -> Option<Fault> {
        flag.tick(wind, settings, plan, Path::best(), &Crew::new(1))
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
        assert_eq!(tick(&mut flag, &still, &settings(), &PLAN), None);
        let before = flag.cloth().clone();
        let absurd = FlagSettings { gravity: 1e14, tether: 2.0, ..settings() };
        // The first free particle in number order falls out of the world.
        assert_eq!(tick(&mut flag, &still, &absurd, &PLAN), Some(Fault { particle: 1, column: 1, row: 0 }));
        assert_eq!(flag.steps(), (2, 2));
        assert_eq!(flag.time(), 1.0 / 120.0);
        assert_eq!(flag.impulse(), None);
        assert_eq!(flag.cloth().particles, before.particles);
        // Two steps were rolled back: velocities are a quarter.
        assert_eq!(flag.cloth().velocity(20), before.velocity(20) * 0.25);
        // The show goes on.
        assert_eq!(tick(&mut flag, &still, &settings(), &PLAN), None);
        assert_eq!(flag.steps(), (4, 2));
    }

    #[test]
    fn a_flag_that_stops_stands_until_it_is_reset() {
        let mut flag = small();
        let plan = StepPlan { on_failure: OnFailure::Stop, ..PLAN };
        let storm = wind(Vec3::new(f32::INFINITY, 0.0, 0.0));
        assert!(tick(&mut flag, &storm, &settings(), &plan).is_some());
        let stands = flag.cloth().clone();
        assert_eq!(tick(&mut flag, &wind(Vec3::ZERO), &settings(), &plan), None);
        assert_eq!((flag.cloth(), flag.time()), (&stands, 0.0));
        flag.reset(&wind(Vec3::ZERO), false);
        tick(&mut flag, &wind(Vec3::ZERO), &settings(), &plan);
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
            tick(&mut flag, &wind(Vec3::new(8000.0, 0.0, 0.0)), &drag, &PLAN);
            (0..144).map(|i| flag.cloth.velocity(i).x).sum::<f32>() / 144.0
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
        tick(&mut flag, &wind(Vec3::new(8.0, 0.0, 0.0)), &drag, &PLAN);
        let x = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(|i| flag.cloth.velocity(i).x);
        assert!(x[..8].iter().all(|v| *v == 0.0) && x[8..].iter().all(|v| *v > 0.01), "{x:?}");
    }

    #[test]
    fn damping_orders_differ_by_the_documented_factor() {
        // One free fall step: h a against exp(−βh) h a.
        let fall = |damping_order| {
            let mut flag = flag(CutSpec { pins: vec![], ..pole(2, 2, 1.0, 1.0, Mass::PerParticle(1.0)) });
            let plan = StepPlan { steps_per_tick: 1, substeps: 1, tick_seconds: 1.0 / 240.0, damping_order, ..PLAN };
            let heavy = FlagSettings { damping: 100.0, sheet: SheetLaw::new(0.0, 0.0, 0.0), ..settings() };
            tick(&mut flag, &wind(Vec3::ZERO), &heavy, &plan);
            flag.cloth.velocity(0).y
        };
        let (velocity, whole) = (fall(DampingOrder::Velocity), fall(DampingOrder::Whole));
        assert!((velocity + 9.81 / 240.0).abs() < 1e-4, "{velocity}");
        assert!((whole / velocity - 0.659_241).abs() < 1e-3, "{whole}");
    }
}
