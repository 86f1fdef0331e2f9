//! Contacts: what is inside the pole or bar, or below the ground, is moved out of it.
//!
//! A rod with round ends lies along the hoist. A particle inside it goes to its surface the nearest way, one
//! below the ground straight up. The way along the surface is then shortened by friction in position form:
//! by at most the friction coefficient times the depth (Macklin, Müller, Chentanez, Kim 2014, *Unified
//! particle physics*, equation 24, one coefficient), so that it can stop a particle and never turn it round.
//! Where the particle was at the start of the substep is moved out likewise (their section 4.4): otherwise a
//! rod that grows or a floor that rises would throw the cloth.
//!
//! Particles are points: a pole thinner than the grid can pass between them. It must not know other flags.

use super::super::cut::Cut;
use super::super::lanes::Lanes;
use crate::math;

/// Closer to the axis than this a particle has no direction from it, m: what rounding leaves of its way there
/// points anywhere, along the axis too.
const CLOSEST: f32 = 1e-4;
/// The rod counts for particles whose rest distance from its axis is at least this many radii.
///
/// The hoist is pinned to the axis itself. Nearer ones would be held off the axis by the rod and on it by
/// their links. From 2.43 on, a particle at its tether of 1.02 × its rest path that the rod moves out is no
/// farther from its pin than √(1.02² + 1/2.43²) = 1.1 × its rest path.
const ROOM: f32 = 2.5;
/// A bar, and the upper end of a pole, goes this far beyond the hoist, as a share of the hoist.
const BEYOND: f32 = 0.05;
/// The lower end of a pole goes this far, as a share of the hoist: to where the drawn one has faded away.
const BELOW: f32 = 0.97;
/// The box around the rod is larger by this factor: many times what rounding can take from it.
const BOX_MARGIN: f32 = 1.001;

/// What is asked of contacts; plain units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSettings {
    /// Radius of the pole or bar, m; 0 for none.
    pub pole: f32,
    /// Height of the ground, m; −∞ for none.
    pub ground: f32,
    /// Friction coefficient of both.
    pub friction: f32,
}

impl ContactSettings {
    /// Nothing to touch.
    pub const NONE: ContactSettings = ContactSettings { pole: 0.0, ground: f32::NEG_INFINITY, friction: 0.0 };
}

/// What the particles of one cut can touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactLaw {
    /// Middle of the rod's axis, m.
    middle: [f32; 3],
    /// Its direction, unit.
    axis: [f32; 3],
    /// Half the length of its axis, m.
    half: f32,
    /// Its radius, m; 0 for none.
    radius: f32,
    /// The way out for a particle on the axis, unit.
    out: [f32; 3],
    /// How far the rod goes from its middle along x, y, z, m.
    reach: [f32; 3],
    /// Height of the ground, m; −∞ for none.
    ground: f32,
    /// Friction coefficient.
    friction: f32,
}

impl ContactLaw {
    /// Nothing to touch.
    pub const NOTHING: ContactLaw = ContactLaw {
        middle: [0.0; 3],
        axis: [0.0; 3],
        half: 0.0,
        radius: 0.0,
        out: [0.0; 3],
        reach: [0.0; 3],
        ground: f32::NEG_INFINITY,
        friction: 0.0,
    };

    /// For the flag of `cut`. The ground is never higher than its lowest pin, which would hold the cloth
    /// below it. What is not a number counts as nothing.
    pub fn new(settings: ContactSettings, cut: &Cut) -> Self {
        let spec = cut.spec();
        let radius = if settings.pole > 0.0 { settings.pole } else { 0.0 };
        // A pole goes on below its flag and a bar does not; what leans is between.
        let foot = BEYOND + (BELOW - BEYOND) * spec.hoist.y.abs();
        let (first, last) = if spec.hoist.y > 0.0 { (foot, BEYOND) } else { (BEYOND, foot) };
        let middle = spec.position + spec.hoist * (0.5 * (last - first) * spec.width);
        let half = 0.5 * (1.0 + first + last) * spec.width;
        let axis = spec.hoist.to_array();
        ContactLaw {
            middle: middle.to_array(),
            axis,
            half,
            radius,
            out: spec.fly.to_array(),
            reach: axis.map(|part| (half * part.abs() + radius) * BOX_MARGIN),
            ground: math::min(math::max(settings.ground, f32::NEG_INFINITY), cut.lowest_pin()),
            friction: if settings.friction > 0.0 { settings.friction } else { 0.0 },
        }
    }

    /// Whether there is nothing to touch.
    pub fn is_nothing(&self) -> bool {
        self.radius == 0.0 && self.ground == f32::NEG_INFINITY
    }

    /// Whether the rod counts for particles that lie `rest_distance` (m) from its axis at rest. Those nearer
    /// than 2.5 radii pass through it: their links hold them on pins inside.
    pub fn rod_counts(&self, rest_distance: f32) -> bool {
        self.radius > 0.0 && rest_distance >= ROOM * self.radius
    }

    /// The same in every lane.
    #[inline(always)]
    pub fn splat<V: Lanes>(&self) -> LaneContact<V> {
        LaneContact {
            middle: splat3(self.middle),
            axis: splat3(self.axis),
            half: V::splat(self.half),
            radius: V::splat(self.radius),
            out: splat3(self.out),
            reach: splat3(self.reach),
            ground: V::splat(self.ground),
            friction: V::splat(self.friction),
        }
    }
}

/// [`ContactLaw`] in registers.
#[derive(Debug, Clone, Copy)]
pub struct LaneContact<V> {
    middle: [V; 3],
    axis: [V; 3],
    half: V,
    radius: V,
    out: [V; 3],
    reach: [V; 3],
    ground: V,
    friction: V,
}

/// What contacts make of eight particles.
#[derive(Debug, Clone, Copy)]
pub struct Resolved<V> {
    /// Where they are, m: outside.
    pub place: [V; 3],
    /// Where they were at the start of the substep, m, outside too where they touch. Velocity is the way
    /// from here.
    pub start: [V; 3],
}

/// Moves particles out of the rod, unless `rod` is false, and then out of the ground. `place` is where the
/// projections have put them, `start` where they were at the start of the substep.
///
/// What touches nothing and what has inverse mass 0 keeps its bits. What is not a number stays so.
#[inline(always)]
pub fn resolve<V: Lanes>(
    place: [V; 3],
    start: [V; 3],
    inverse_mass: V,
    law: &LaneContact<V>,
    rod: bool,
) -> Resolved<V> {
    let mut resolved = Resolved { place, start };
    // Hardly any block touches anything: two cheap tests, the same that decide lane by lane.
    if rod && law.room_in_box(from(place, law.middle)).where_positive(inverse_mass).any_positive() {
        resolved = off_rod(resolved, inverse_mass, law);
    }
    let depth = (law.ground - resolved.place[1]).where_positive(inverse_mass);
    if depth.any_positive() {
        resolved = off_ground(resolved, depth, law);
    }
    resolved
}

impl<V: Lanes> LaneContact<V> {
    /// Positive inside the box around the rod; `from_middle` is the way from its middle.
    #[inline(always)]
    fn room_in_box(&self, from_middle: [V; 3]) -> V {
        let [x, y, z] = from_middle;
        let [x, y, z] = [self.reach[0] - x.size(), self.reach[1] - y.size(), self.reach[2] - z.size()];
        x.least(y).least(z)
    }

    /// How to leave the rod at `place`.
    #[inline(always)]
    fn way_out(&self, place: [V; 3]) -> WayOut<V> {
        let from_middle = from(place, self.middle);
        let lowest = V::splat(0.0) - self.half;
        let along = dot(from_middle, self.axis).most(lowest).least(self.half);
        let d = [
            from_middle[0] - self.axis[0] * along,
            from_middle[1] - self.axis[1] * along,
            from_middle[2] - self.axis[2] * along,
        ];
        let distance = dot(d, d).root();
        let depth = (self.radius - distance).where_positive(self.room_in_box(from_middle));
        let inverse = V::splat(1.0) / distance;
        let outward = [d[0] * inverse, d[1] * inverse, d[2] * inverse];
        let straight = [outward[0] * depth, outward[1] * depth, outward[2] * depth];
        let from_axis =
            [self.out[0] * self.radius - d[0], self.out[1] * self.radius - d[1], self.out[2] * self.radius - d[2]];
        let has_direction = distance - V::splat(CLOSEST);
        WayOut {
            outward: choose(outward, has_direction, self.out),
            push: choose(straight, has_direction, from_axis),
            depth,
        }
    }
}

/// How a particle leaves the rod.
struct WayOut<V> {
    /// Away from the axis, unit.
    outward: [V; 3],
    /// To the surface, m.
    push: [V; 3],
    /// How far inside, m; positive only inside.
    depth: V,
}

#[inline(always)]
fn off_rod<V: Lanes>(now: Resolved<V>, inverse_mass: V, law: &LaneContact<V>) -> Resolved<V> {
    let one = V::splat(1.0);
    let (end, begin) = (law.way_out(now.place), law.way_out(now.start));
    let depth = end.depth.where_positive(inverse_mass);
    let place = moved(now.place, end.push, one);
    let start = choose(moved(now.start, begin.push, one), begin.depth, now.start);
    let way = from(place, start);
    let straight = dot(way, end.outward);
    let slide = moved(way, end.outward, V::splat(0.0) - straight);
    let place = rub(place, slide, depth, law.friction);
    Resolved { place: choose(place, depth, now.place), start: choose(start, depth, now.start) }
}

#[inline(always)]
fn off_ground<V: Lanes>(now: Resolved<V>, depth: V, law: &LaneContact<V>) -> Resolved<V> {
    let place = [now.place[0], law.ground, now.place[2]];
    let start = [now.start[0], now.start[1].most(law.ground), now.start[2]];
    let slide = [place[0] - start[0], V::splat(0.0), place[2] - start[2]];
    let place = rub(place, slide, depth, law.friction);
    Resolved { place: choose(place, depth, now.place), start: choose(start, depth, now.start) }
}

/// Takes from the way along the surface what friction takes, at most all of it.
#[inline(always)]
fn rub<V: Lanes>(place: [V; 3], slide: [V; 3], depth: V, friction: V) -> [V; 3] {
    let length = dot(slide, slide).root();
    let share = ((friction * depth).least(length) / length).where_positive(length);
    moved(place, slide, V::splat(0.0) - share)
}

/// `place` moved by `way` × `amount`.
#[inline(always)]
fn moved<V: Lanes>(place: [V; 3], way: [V; 3], amount: V) -> [V; 3] {
    [place[0] + way[0] * amount, place[1] + way[1] * amount, place[2] + way[2] * amount]
}

/// `this` where `test` > 0, else `other`.
#[inline(always)]
fn choose<V: Lanes>(this: [V; 3], test: V, other: [V; 3]) -> [V; 3] {
    [
        this[0].or_where_positive(test, other[0]),
        this[1].or_where_positive(test, other[1]),
        this[2].or_where_positive(test, other[2]),
    ]
}

#[inline(always)]
fn from<V: Lanes>(place: [V; 3], origin: [V; 3]) -> [V; 3] {
    [place[0] - origin[0], place[1] - origin[1], place[2] - origin[2]]
}

#[inline(always)]
fn dot<V: Lanes>(a: [V; 3], b: [V; 3]) -> V {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn splat3<V: Lanes>(v: [f32; 3]) -> [V; 3] {
    [V::splat(v[0]), V::splat(v[1]), V::splat(v[2])]
}

#[cfg(test)]
pub(in super::super) mod tests {
    use super::super::super::cut::tests::pole;
    use super::super::super::cut::{CutSpec, Mass};
    use super::super::super::lanes::{Block, Kernel, LANES, Path};
    use super::*;
    use glam::Vec3;

    type Vector = [f32; 3];

    fn sum(a: Vector, b: Vector, share: f32) -> Vector {
        [a[0] + b[0] * share, a[1] + b[1] * share, a[2] + b[2] * share]
    }

    fn product(a: Vector, b: Vector) -> f32 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    /// Contacts of one particle written down plainly: its place and its start.
    pub fn plain(mut place: Vector, mut start: Vector, w: f32, law: &ContactLaw, rod: bool) -> (Vector, Vector) {
        let way_out = |place: Vector| {
            let from = [0, 1, 2].map(|k| place[k] - law.middle[k]);
            if (0..3).any(|k| from[k].abs() >= law.reach[k]) {
                return None;
            }
            let along = product(from, law.axis);
            let along = if along < -law.half { -law.half } else { along };
            let along = if along > law.half { law.half } else { along };
            let d = [0, 1, 2].map(|k| from[k] - law.axis[k] * along);
            let distance = product(d, d).sqrt();
            let depth = law.radius - distance;
            let outward = if distance > 1e-4 { d.map(|part| part * (1.0 / distance)) } else { law.out };
            let straight = outward.map(|part| part * depth);
            let from_axis = [0, 1, 2].map(|k| law.out[k] * law.radius - d[k]);
            (depth > 0.0).then_some((depth, outward, if distance > 1e-4 { straight } else { from_axis }))
        };
        let rub = |place: Vector, slide: Vector, depth: f32| {
            let length = product(slide, slide).sqrt();
            let grip = law.friction * depth;
            if length > 0.0 {
                sum(place, slide, -((if grip < length { grip } else { length }) / length))
            } else {
                place
            }
        };
        if w > 0.0
            && rod
            && let Some((depth, outward, push)) = way_out(place)
        {
            place = sum(place, push, 1.0);
            if let Some((_, _, push)) = way_out(start) {
                start = sum(start, push, 1.0);
            }
            let way = [0, 1, 2].map(|k| place[k] - start[k]);
            place = rub(place, sum(way, outward, -product(way, outward)), depth);
        }
        if w > 0.0 && place[1] < law.ground {
            let depth = law.ground - place[1];
            place[1] = law.ground;
            start[1] = if start[1] > law.ground { start[1] } else { law.ground };
            place = rub(place, [place[0] - start[0], 0.0, place[2] - start[2]], depth);
        }
        (place, start)
    }

    /// A particle before and after: place, start, inverse mass.
    #[derive(Debug, Clone, Copy, PartialEq)]
    struct Case {
        place: Vector,
        start: Vector,
        w: f32,
    }

    struct Eight<'a> {
        cases: &'a [Case],
        law: &'a ContactLaw,
        rod: bool,
    }

    impl Kernel for Eight<'_> {
        type Output = Vec<(Vector, Vector)>;
        #[inline(always)]
        fn run<V: Lanes>(self) -> Self::Output {
            let law = self.law.splat::<V>();
            let mut all = Vec::new();
            for cases in self.cases.chunks(LANES) {
                let mut blocks = [Block::default(); 7];
                for (lane, case) in cases.iter().enumerate() {
                    for k in 0..3 {
                        (blocks[k].0[lane], blocks[3 + k].0[lane]) = (case.place[k], case.start[k]);
                    }
                    blocks[6].0[lane] = case.w;
                }
                let place = [V::load(&blocks[0]), V::load(&blocks[1]), V::load(&blocks[2])];
                let start = [V::load(&blocks[3]), V::load(&blocks[4]), V::load(&blocks[5])];
                let resolved = resolve(place, start, V::load(&blocks[6]), &law, self.rod);
                for k in 0..3 {
                    resolved.place[k].store(&mut blocks[k]);
                    resolved.start[k].store(&mut blocks[3 + k]);
                }
                for lane in 0..cases.len() {
                    let of = |first: usize| [0, 1, 2].map(|k| blocks[first + k].0[lane]);
                    all.push((of(0), of(3)));
                }
            }
            all
        }
    }

    /// Pseudo-random numbers in −1..1 (xorshift).
    struct Dice(u32);

    impl Dice {
        fn roll(&mut self) -> f32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 17;
            self.0 ^= self.0 << 5;
            self.0 as f32 / u32::MAX as f32 * 2.0 - 1.0
        }

        /// Around the rod and the ground of a flag whose hoist is 1 m, some on the axis itself.
        fn cases(&mut self, law: &ContactLaw, count: usize) -> Vec<Case> {
            let case = |i: usize| {
                let along = self.roll() * law.half * 1.1;
                let near = [0; 3].map(|_| if i.is_multiple_of(17) { 0.0 } else { self.roll() * 1.5 * law.radius });
                let place = sum(sum(law.middle, law.axis, along), near, 1.0);
                let start = sum(place, [0; 3].map(|_| self.roll()), 0.02);
                let w = if i.is_multiple_of(5) { 0.0 } else { 100.0 };
                Case { place, start, w }
            };
            (0..count).map(case).collect()
        }
    }

    fn laws() -> Vec<ContactLaw> {
        let upright = pole(9, 5, 1.6, 1.0, Mass::Areal(0.15));
        let bar = CutSpec { fly: Vec3::NEG_Y, hoist: Vec3::X, position: Vec3::new(0.3, 2.0, -0.7), ..upright.clone() };
        let hoist = Vec3::new(0.48, 0.6, 0.64);
        let leaning = CutSpec { hoist, fly: hoist.any_orthonormal_vector(), pins: vec![], ..upright.clone() };
        let mut laws = Vec::new();
        for (spec, ground) in [(&upright, -0.6), (&bar, 1.995), (&leaning, -0.1), (&upright, f32::NEG_INFINITY)] {
            for friction in [0.0, 0.3, 1.0] {
                laws.push(ContactLaw::new(ContactSettings { pole: 0.02, ground, friction }, &Cut::new(spec.clone())));
            }
        }
        laws
    }

    fn distance(law: &ContactLaw, place: Vector) -> f64 {
        let [place, middle, axis] = [place, law.middle, law.axis].map(|v| v.map(f64::from));
        let from = [0, 1, 2].map(|k| place[k] - middle[k]);
        let half = f64::from(law.half);
        let along = (0..3).map(|k| from[k] * axis[k]).sum::<f64>().clamp(-half, half);
        (0..3).map(|k| (from[k] - axis[k] * along).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn every_path_has_the_bits_of_the_plain_way() {
        let mut dice = Dice(7);
        let bits = |(place, start): (Vector, Vector)| [place, start].map(|v| v.map(f32::to_bits));
        for law in laws() {
            let cases = dice.cases(&law, 2000);
            let touched = cases.iter().filter(|c| plain(c.place, c.start, c.w, &law, true).0 != c.place).count();
            assert!((200..1800).contains(&touched), "{touched} of 2000 touch");
            for path in Path::available() {
                for rod in [true, false] {
                    let ours = path.run(Eight { cases: &cases, law: &law, rod });
                    for (case, ours) in cases.iter().zip(ours) {
                        let plain = plain(case.place, case.start, case.w, &law, rod);
                        assert_eq!(bits(ours), bits(plain), "{}: {case:?} {law:?} {ours:?} {plain:?}", path.name());
                    }
                }
            }
        }
    }

    #[test]
    fn none_ends_inside_and_what_does_not_touch_keeps_its_bits() {
        let mut dice = Dice(11);
        for law in laws() {
            for case in dice.cases(&law, 2000) {
                let (place, start) = plain(case.place, case.start, case.w, &law, true);
                let inside = |place: Vector| distance(&law, place) < f64::from(law.radius) || place[1] < law.ground;
                if case.w == 0.0 || !inside(case.place) {
                    let bits = |v: [Vector; 2]| v.map(|v| v.map(f32::to_bits));
                    assert_eq!(bits([place, start]), bits([case.place, case.start]), "{case:?}");
                    continue;
                }
                assert!(place[1] >= law.ground);
                // The ground comes last: what it lifts it may lift into a bar. So the rod by itself.
                let airy = ContactLaw { ground: f32::NEG_INFINITY, ..law };
                let (off, off_start) = plain(case.place, case.start, case.w, &airy, true);
                let short = |place| f64::from(law.radius) - distance(&law, place);
                // Coordinates around 2 m are rounded to 1.2e-7 m.
                assert!(short(off) < 5e-7, "{} inside after {case:?}", short(off));
                assert!(short(off_start) < 5e-7 || off == case.place, "{} inside after {case:?}", short(off_start));
                assert!(off[1] < law.ground || (off, off_start) == (place, start), "{case:?}");
            }
        }
    }

    #[test]
    fn friction_takes_from_the_way_along_the_surface_and_never_turns_it() {
        let settings = |friction| ContactSettings { pole: 0.02, ground: -0.7, friction };
        let cut = Cut::new(pole(9, 5, 1.6, 1.0, Mass::Areal(0.15)));
        let law = |friction| ContactLaw::new(settings(friction), &cut);
        let go = |start: Vector, place: Vector, friction| plain(place, start, 1.0, &law(friction), true).0;
        // 1 mm into the ground, 4 mm along it.
        let (start, place) = ([0.5, -0.7, 0.2], [0.504, -0.701, 0.2]);
        assert_eq!(go(start, place, 0.0), [0.504, -0.7, 0.2]);
        let rubbed = go(start, place, 0.5);
        assert!((rubbed[0] - 0.5035).abs() < 1e-6 && rubbed[1] == -0.7, "{rubbed:?}");
        // Deep enough to be held: it stays where it was.
        let held = go(start, [0.504, -0.71, 0.2], 0.5);
        assert!((held[0] - 0.5).abs() < 1e-7, "{held:?}");
        // 1 mm into the rod from the front, 4 mm down it.
        let (start, place) = ([0.0, 0.1, 0.02], [0.0, 0.096, 0.019]);
        assert_eq!(go(start, place, 0.0), [0.0, 0.096, 0.02]);
        let rubbed = go(start, place, 0.5);
        assert!((rubbed[1] - 0.0965).abs() < 1e-6 && (rubbed[2] - 0.02).abs() < 1e-7, "{rubbed:?}");
        let held = go(start, [0.0, 0.096, 0.01], 0.5);
        assert!((held[1] - 0.1).abs() < 1e-7, "{held:?}");
        // Whatever it is and wherever it goes, along the surface it is the same way, or none.
        let mut dice = Dice(3);
        for law in laws() {
            for case in dice.cases(&law, 500) {
                let free = ContactLaw { friction: 0.0, ground: f32::NEG_INFINITY, ..law };
                let grip = ContactLaw { ground: f32::NEG_INFINITY, ..law };
                let (slid, start) = plain(case.place, case.start, case.w, &free, true);
                let (rubbed, _) = plain(case.place, case.start, case.w, &grip, true);
                let taken = sum(slid, rubbed, -1.0);
                let way = sum(slid, start, -1.0);
                let (size, whole) = (product(taken, taken).sqrt(), product(way, way).sqrt());
                assert!(size <= whole * 1.0001 + 5e-7, "{size} of {whole}: {case:?}");
                assert!(product(taken, way) >= -1e-9, "{case:?}");
                let depth = law.radius - distance(&law, case.place) as f32;
                assert!(size <= law.friction * depth.max(0.0) + 5e-7, "{size} at {depth}");
            }
        }
    }

    #[test]
    fn a_rising_floor_and_a_growing_pole_do_not_throw() {
        let cut = Cut::new(pole(9, 5, 1.6, 1.0, Mass::Areal(0.15)));
        let law = ContactLaw::new(ContactSettings { pole: 0.1, ground: -0.7, friction: 0.3 }, &cut);
        for resting in [[0.5, -0.75, 0.1], [0.03, 0.2, 0.04], [0.0, 0.2, 0.0]] {
            let (place, start) = plain(resting, resting, 1.0, &law, true);
            assert_ne!(place, resting);
            assert_eq!(place, start, "velocity is the way from the start");
        }
        // From the axis the way out is along the fly.
        assert_eq!(plain([0.0, 0.2, 0.0], [0.0, 0.2, 0.0], 1.0, &law, true).0, [0.1, 0.2, 0.0]);
    }

    #[test]
    fn what_slides_on_the_ground_stops_after_v_squared_over_two_mu_g() {
        let cut = Cut::new(CutSpec { pins: vec![], ..pole(9, 5, 1.6, 1.0, Mass::Areal(0.15)) });
        let law = ContactLaw::new(ContactSettings { pole: 0.0, ground: 0.0, friction: 0.4 }, &cut);
        let h = 1.0f32 / 1920.0;
        let (mut place, mut velocity) = ([0.0f32; 3], [1.5f32, 0.0, 2.0]);
        for _ in 0..4000 {
            velocity[1] -= 9.81 * h;
            let (end, start) = plain(sum(place, velocity, h), place, 1.0, &law, true);
            velocity = sum(end, start, -1.0).map(|part| part / h);
            place = end;
        }
        let way = f64::from(place[0]).hypot(f64::from(place[2]));
        let exact = 2.5f64.powi(2) / (2.0 * 0.4 * 9.81);
        assert!((way / exact - 1.0).abs() < 2e-3, "{way} m instead of {exact} m");
        assert_eq!(velocity, [0.0; 3]);
    }

    #[test]
    fn the_law_follows_cut_and_settings() {
        let flag = pole(9, 5, 1.6, 2.0, Mass::Areal(0.15));
        let law = |settings| ContactLaw::new(settings, &Cut::new(flag.clone()));
        assert!(law(ContactSettings::NONE).is_nothing());
        let absurd = ContactSettings { pole: f32::NAN, ground: f32::NAN, friction: f32::NAN };
        assert!(law(absurd).is_nothing());
        assert!(!law(ContactSettings { ground: -5.0, ..ContactSettings::NONE }).is_nothing());
        let law = law(ContactSettings { pole: 0.02, ground: 3.0, friction: 0.3 });
        assert!(!law.is_nothing());
        // Never above the lower end of the pinned hoist.
        assert_eq!(law.ground, -1.0);
        // From a little above the upper end to far below the lower one.
        let (top, bottom) = (law.middle[1] + law.half, law.middle[1] - law.half);
        assert!((top - 1.1).abs() < 1e-6 && (bottom + 2.94).abs() < 1e-6, "{bottom} to {top}");
        let bar = CutSpec { fly: Vec3::NEG_Y, hoist: Vec3::X, ..flag.clone() };
        let bar = ContactLaw::new(ContactSettings { pole: 0.02, ..ContactSettings::NONE }, &Cut::new(bar));
        assert!(bar.middle == [0.0; 3] && (bar.half - 1.1).abs() < 1e-6, "{bar:?}");
        assert!(law.rod_counts(0.05) && !law.rod_counts(0.049) && !law.rod_counts(0.0));
        assert!(!ContactLaw { radius: 0.0, ..law }.rod_counts(1.0));
    }

    /// The reason of [`ROOM`]: a particle pushed out from its tether's end stays within 1.1 × its rest path.
    #[test]
    fn a_tethered_particle_that_the_rod_moves_stays_within_its_reach() {
        let spec = pole(9, 5, 8.0 * 0.05, 1.0, Mass::Areal(0.15));
        let law = ContactLaw::new(ContactSettings { pole: 0.02, ..ContactSettings::NONE }, &Cut::new(spec));
        let path = 0.05;
        assert!(law.rod_counts(path));
        for step in 0..=1000 {
            let (sin, cos) = (step as f32 * 0.001 * std::f32::consts::PI).sin_cos();
            let place = [1.02 * path * sin, 1.02 * path * cos, 0.0];
            let (end, _) = plain(place, place, 1.0, &law, true);
            assert!(product(end, end).sqrt() <= 1.1 * path, "{end:?}");
        }
    }

    #[test]
    fn what_is_not_a_number_stays_so_and_nobody_elses() {
        let law = laws()[1];
        let good = Case { place: [0.01, 0.1, 0.0], start: [0.03, 0.1, 0.0], w: 1.0 };
        let mut cases = [good; LANES];
        cases[1].place = [f32::NAN; 3];
        cases[2].place[0] = f32::INFINITY;
        cases[3].start = [f32::NAN; 3];
        cases[4].w = f32::NAN;
        for path in Path::available() {
            let all = path.run(Eight { cases: &cases, law: &law, rod: true });
            assert!(all[1].0.iter().all(|x| x.is_nan()) && all[2].0[0] == f32::INFINITY);
            assert_eq!(all[4].0, good.place);
            for lane in [0, 5, 6, 7] {
                assert_eq!(all[lane], plain(good.place, good.start, 1.0, &law, true));
            }
        }
    }
}
