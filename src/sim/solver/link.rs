//! Distance links by XPBD.
//!
//! Macklin, Müller, Chentanez 2016, *XPBD*, equations 17 and 18. A link has C = |d| − rest; with the scaled
//! compliance a = α/h², Δλ = (−C − aλ)/(w₁ + w₂ + a) and Δx = w ∇C Δλ. λ is negative where a link pulls.
//!
//! [`project`] is the one formula; `join` applies it to eight links side by side.

use super::super::cloth::Particles;
use super::super::lanes::{Block, Lanes, Mask, Real};

/// What all links of a family have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkLaw<R> {
    /// Rest length, m.
    pub rest: R,
    /// Scaled compliance α/h², 1/kg.
    pub compliance: R,
}

impl LinkLaw<f32> {
    /// The same in every lane.
    #[inline(always)]
    pub fn splat<V: Lanes>(self) -> LinkLaw<V> {
        LinkLaw { rest: V::splat(self.rest), compliance: V::splat(self.compliance) }
    }
}

/// What a projection asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Projection<R> {
    /// Change of the multiplier, kg·m (N·s² of a substep).
    pub delta_lambda: R,
    /// The first end moves by its inverse mass times this times d, the second by minus that.
    pub pull: R,
}

/// One projection of the link along `d` = second end − first end (m). `inverse_mass` is w₁ + w₂ (1/kg),
/// `lambda` the multiplier so far.
///
/// Two ends in one place have no direction, two pins no way to move: nothing happens.
#[inline(always)]
pub fn project<R: Real>(d: [R; 3], inverse_mass: R, law: LinkLaw<R>, lambda: R) -> Projection<R> {
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let length = square.root();
    let pull = pull(square, length, law.rest - law.compliance * lambda, inverse_mass + law.compliance);
    Projection { delta_lambda: R::splat(0.0) - pull * length, pull }
}

/// The pull of a first projection, where the multiplier is 0: the bits of [`project`], with less work.
#[inline(always)]
pub fn project_first<R: Real>(d: [R; 3], inverse_mass: R, law: LinkLaw<R>) -> R {
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    pull(square, square.root(), law.rest, inverse_mass + law.compliance)
}

/// −Δλ/|d| = (|d| − rest)/(stiffness |d|), as (|d|² − rest |d|) · 1/(stiffness |d|²): the division does not wait
/// for the root.
#[inline(always)]
pub(super) fn pull<R: Real>(square: R, length: R, rest: R, stiffness: R) -> R {
    let denominator = stiffness * square;
    let inverse = (R::splat(1.0) / denominator).where_positive(denominator);
    (square - rest * length) * inverse
}

/// Eight ends of links in registers.
#[derive(Debug, Clone, Copy)]
pub struct Ends<V> {
    /// Positions, m.
    pub place: [V; 3],
    /// Inverse masses, 1/kg.
    pub inverse_mass: V,
}

impl<V: Lanes> Ends<V> {
    #[inline(always)]
    pub(super) fn load(from: &Particles) -> Self {
        let place = [V::load(&from.x), V::load(&from.y), V::load(&from.z)];
        Ends { place, inverse_mass: V::load(&from.inverse_mass) }
    }

    #[inline(always)]
    pub(super) fn store(self, to: &mut Particles) {
        let [x, y, z] = self.place;
        x.store(&mut to.x);
        y.store(&mut to.y);
        z.store(&mut to.z);
    }

    /// Those of the next band: lane l gets what was in lane l + 1.
    #[inline(always)]
    fn next_lane(self) -> Self {
        let [x, y, z] = self.place;
        let place = [x.next_lane(), y.next_lane(), z.next_lane()];
        Ends { place, inverse_mass: self.inverse_mass.next_lane() }
    }

    /// Back from where [`Ends::next_lane`] took them; the inverse masses are not needed any more.
    #[inline(always)]
    fn back(self) -> Self {
        let [x, y, z] = self.place;
        Ends { place: [x.previous_lane(), y.previous_lane(), z.previous_lane()], ..self }
    }
}

/// From `a` to `b`.
#[inline(always)]
pub(super) fn between<V: Lanes>(a: &Ends<V>, b: &Ends<V>) -> [V; 3] {
    [b.place[0] - a.place[0], b.place[1] - a.place[1], b.place[2] - a.place[2]]
}

/// Moves both ends by `pull` along `d`.
#[inline(always)]
pub(super) fn draw<V: Lanes>(a: &mut Ends<V>, b: &mut Ends<V>, d: [V; 3], pull: V) {
    let (a_pull, b_pull) = (a.inverse_mass * pull, b.inverse_mass * pull);
    a.place = [a.place[0] + a_pull * d[0], a.place[1] + a_pull * d[1], a.place[2] + a_pull * d[2]];
    b.place = [b.place[0] - b_pull * d[0], b.place[1] - b_pull * d[1], b.place[2] - b_pull * d[2]];
}

/// What is done to a pair of blocks, link by link and lane by lane.
pub trait Rule<V: Lanes>: Copy {
    /// Moves the ends of eight links; `lambda` holds their multipliers where they are kept.
    fn apply(self, a: &mut Ends<V>, b: &mut Ends<V>, mask: Option<&Mask>, lambda: Option<&mut Block>);
}

impl<V: Lanes> Rule<V> for LinkLaw<V> {
    #[inline(always)]
    fn apply(self, a: &mut Ends<V>, b: &mut Ends<V>, mask: Option<&Mask>, lambda: Option<&mut Block>) {
        let d = between(a, b);
        let inverse_mass = a.inverse_mass + b.inverse_mass;
        let pull = if let Some(lambda) = lambda {
            let so_far = V::load(lambda);
            let asked = project(d, inverse_mass, self, so_far);
            (so_far + asked.delta_lambda).store(lambda);
            asked.pull
        } else {
            project_first(d, inverse_mass, self)
        };
        let pull = if let Some(mask) = mask { pull.masked(mask) } else { pull };
        draw(a, b, d, pull);
    }
}

/// Projects eight links: lane l of `a` with lane l of `b`, where `mask` lets it.
#[inline(always)]
pub(super) fn join<V: Lanes>(
    a: &mut Particles,
    b: &mut Particles,
    rule: impl Rule<V>,
    mask: Option<&Mask>,
    lambda: Option<&mut Block>,
) {
    let (mut from, mut to) = (Ends::load(a), Ends::load(b));
    rule.apply(&mut from, &mut to, mask, lambda);
    from.store(a);
    to.store(b);
}

/// The same across the ends of bands: lane l of `a` with lane l + 1 of `b`.
#[inline(always)]
pub(super) fn join_bands<V: Lanes>(
    a: &mut Particles,
    b: &mut Particles,
    rule: impl Rule<V>,
    mask: &Mask,
    lambda: Option<&mut Block>,
) {
    let (mut from, mut to) = (Ends::load(a), Ends::load(b).next_lane());
    rule.apply(&mut from, &mut to, Some(mask), lambda);
    from.store(a);
    to.back().store(b);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two points of the sail's document: k = 1e7 N/m, h = 1/240 s, 0.02 kg each, 1 mm too long.
    #[test]
    fn the_two_point_vector_in_f64() {
        let compliance = 1e-7 * 240.0 * 240.0;
        let inverse_mass = 100.0;
        assert!((compliance - 0.005_76f64).abs() < 1e-15);
        let rest = 0.1;
        let asked = project([rest + 0.001, 0.0, 0.0], inverse_mass, LinkLaw { rest, compliance }, 0.0);
        // From the formula itself: Δλ = −e/(w₁ + w₂ + a).
        let exact = -0.001 / 100.005_76;
        assert!((asked.delta_lambda - exact).abs() < 1e-17);
        assert!((asked.delta_lambda - -9.999_424_03e-6).abs() < 1e-14);
        let move_each = 50.0 * asked.pull * (rest + 0.001);
        assert!((move_each - 4.999_712_02e-4).abs() < 1e-12, "{move_each}");
        assert!((0.001 - 2.0 * move_each - 5.759_668_2e-8).abs() < 1e-12);
    }

    #[test]
    fn the_two_point_vector_in_f32() {
        let rest = 0.1f32;
        let law = LinkLaw { rest, compliance: 1e-7f32 * 240.0 * 240.0 };
        let start = rest + 0.001;
        let asked = project([start, 0.0, 0.0], 100.0, law, 0.0);
        let relative = |ours: f32, exact: f64| ((f64::from(ours) - exact) / exact).abs();
        // The asked extension itself is rounded: 0.101 − 0.1 in f32.
        let extension = f64::from(start) - f64::from(rest);
        assert!(relative(asked.delta_lambda, -9.999_424_03e-6 * extension / 0.001) <= 1e-5, "{asked:?}");
        assert!(relative(asked.delta_lambda, -9.999_424_03e-6) <= 1e-5, "{asked:?}");
        let (from, to) = (50.0 * asked.pull * start, start - 50.0 * asked.pull * start);
        assert!(relative(from, 4.999_712_02e-4) <= 1e-5, "{from}");
        // The other end lies at 0.1 m, where f32 resolves 7e-9 m: its move is that much coarser.
        assert!((f64::from(start - to) - 4.999_712_02e-4).abs() <= 8e-9, "{}", start - to);
        let remaining = f64::from(to) - f64::from(from) - f64::from(rest);
        assert!((remaining - 5.759_668_2e-8).abs() <= 3e-8, "{remaining}");
    }

    #[test]
    fn degenerate_links_do_nothing() {
        let law = LinkLaw { rest: 0.1f32, compliance: 0.0 };
        let asked = project([0.0f32; 3], 2.0, law, 0.0);
        assert_eq!((asked.pull, asked.delta_lambda), (0.0, 0.0));
        let asked = project([0.2f32, 0.0, 0.0], 0.0, law, 0.0);
        assert_eq!((asked.pull, asked.delta_lambda), (0.0, 0.0));
    }

    #[test]
    fn a_first_projection_is_one_with_multiplier_zero() {
        let law = LinkLaw { rest: 0.5f32, compliance: 0.25 };
        for i in 0..200 {
            let d = [0.0, 1.0, 2.0].map(|k| (i as f32 * 0.7 + k).sin());
            assert_eq!(project(d, 3.0, law, 0.0).pull.to_bits(), project_first(d, 3.0, law).to_bits());
        }
    }
}
