//! The sheet law: pressure across each quad and friction along it.
//!
//! Source document: the SIMD Verlet wind, its per-quad aerodynamics. With r the wind relative to the quad's
//! mean velocity, n its unit normal from the diagonals and A half the length of their cross product,
//!
//!   F = ½ρ Cn A (n·r)|n·r| n + ½ρ Cf A |t| t,   t = r − (n·r) n,
//!
//! a quarter on each corner. The signed n·r is the flutter: a quad that turns edge-on is let go, overshoots
//! and catches the wind on its other face.
//!
//! [`quad_force`] is the one formula; [`column_forces`] applies it to the quads between two columns.

use super::super::cloth::Particles;
use super::super::lanes::{Block, Block3, Lanes, Mask, Real, load3};

/// A quad whose diagonals' cross product is no longer than this has no direction, m². (source document)
const SMALLEST_CROSS: f32 = 1e-12;

/// The law's constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SheetLaw {
    /// ½ρ Cn, kg/m³.
    pub normal: f32,
    /// ½ρ Cf, kg/m³.
    pub friction: f32,
}

impl SheetLaw {
    /// From the density of the air (kg/m³) and the two coefficients.
    pub fn new(density: f32, normal_coefficient: f32, friction_coefficient: f32) -> Self {
        SheetLaw { normal: 0.5 * density * normal_coefficient, friction: 0.5 * density * friction_coefficient }
    }

    /// Whether it does nothing at all.
    pub fn is_nothing(&self) -> bool {
        self.normal == 0.0 && self.friction == 0.0
    }
}

/// The force on a quad, N. Its diagonals `u` and `v` (m) go from corner (c, r) to (c + 1, r + 1) and from
/// (c + 1, r) to (c, r + 1); `wind` (m/s) is relative to it. `guard` is inverse mass × substep (s/kg) of the
/// implicit step; 0 gives the bare law.
#[inline(always)]
pub fn quad_force<R: Real>(u: [R; 3], v: [R; 3], wind: [R; 3], law: SheetLaw, guard: R) -> [R; 3] {
    let one = R::splat(1.0);
    let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = (cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]).root();
    // Without a direction: no normal and no area, so no force.
    let sound = length - R::splat(SMALLEST_CROSS);
    let inverse = (one / length).where_positive(sound);
    let area = R::splat(0.5) * length.where_positive(sound);
    let n = [cross[0] * inverse, cross[1] * inverse, cross[2] * inverse];
    let across = wind[0] * n[0] + wind[1] * n[1] + wind[2] * n[2];
    let t = [wind[0] - across * n[0], wind[1] - across * n[1], wind[2] - across * n[2]];
    let along = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).root();
    // Force per relative velocity, kg/s, and the implicit step's weakening of it.
    let normal = R::splat(law.normal) * area * across.size();
    let friction = R::splat(law.friction) * area * along;
    let normal = normal / (one + normal * guard) * across;
    let friction = friction / (one + friction * guard);
    [normal * n[0] + friction * t[0], normal * n[1] + friction * t[1], normal * n[2] + friction * t[2]]
}

/// Positions and velocities of a column.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// Blocks of particles.
    pub particles: &'a [Particles],
    /// Their velocities, m/s.
    pub velocity: &'a [Block3],
}

/// What the quads between two columns meet.
#[derive(Debug, Clone, Copy)]
pub struct QuadAir<'a> {
    /// Wind at each quad, m/s.
    pub wind: &'a [Block3],
    /// Inverse mass of each quad, 1/kg.
    pub inverse_mass: &'a [Block],
    /// The lanes that have a row below, which are those that have a quad.
    pub above: &'a [Mask],
    /// The constants.
    pub law: SheetLaw,
    /// What is left of the velocities when the air meets them.
    pub left: f32,
    /// Substep of the implicit guard, s.
    pub h: f32,
}

/// Works out the force on every quad between two columns, N; 0 where there is none.
#[inline(always)]
pub fn column_forces<V: Lanes>(here: Column<'_>, next: Column<'_>, air: QuadAir<'_>, forces: &mut [Block3]) {
    let (quarter, h) = (V::splat(0.25 * air.left), V::splat(air.h));
    let mut top = Edge::<V>::load(here, next, 0);
    for block in 0..forces.len() {
        let bottom = if block + 1 < forces.len() {
            Edge::load(here, next, block + 1)
        } else {
            Edge::load(here, next, 0).next_lane()
        };
        let (mut u, mut v, mut wind) = (top.here, top.here, load3::<V>(&air.wind[block]));
        for axis in 0..3 {
            u[axis] = bottom.next[axis] - top.here[axis];
            v[axis] = bottom.here[axis] - top.next[axis];
            wind[axis] = wind[axis] - (top.velocity[axis] + bottom.velocity[axis]) * quarter;
        }
        let guard = V::load(&air.inverse_mass[block]) * h;
        let [x, y, z] = quad_force(u, v, wind, air.law, guard);
        let (mask, out) = (&air.above[block], &mut forces[block]);
        x.masked(mask).store(&mut out.x);
        y.masked(mask).store(&mut out.y);
        z.masked(mask).store(&mut out.z);
        top = bottom;
    }
}

/// One row of two columns: both positions and the sum of both velocities.
#[derive(Clone, Copy)]
struct Edge<V> {
    here: [V; 3],
    next: [V; 3],
    velocity: [V; 3],
}

impl<V: Lanes> Edge<V> {
    #[inline(always)]
    fn load(here: Column<'_>, next: Column<'_>, block: usize) -> Self {
        let (a, b) = (&here.particles[block], &next.particles[block]);
        let (v, w) = (load3::<V>(&here.velocity[block]), load3::<V>(&next.velocity[block]));
        Edge {
            here: [V::load(&a.x), V::load(&a.y), V::load(&a.z)],
            next: [V::load(&b.x), V::load(&b.y), V::load(&b.z)],
            velocity: [v[0] + w[0], v[1] + w[1], v[2] + w[2]],
        }
    }

    #[inline(always)]
    fn next_lane(self) -> Self {
        Edge { here: turn(self.here), next: turn(self.next), velocity: turn(self.velocity) }
    }
}

#[inline(always)]
fn turn<V: Lanes>([x, y, z]: [V; 3]) -> [V; 3] {
    [x.next_lane(), y.next_lane(), z.next_lane()]
}
