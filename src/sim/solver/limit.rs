//! Strain limits: no thread is longer than a multiple of its rest length.
//!
//! A link (see [`super::link`]) that only pulls, and without compliance: C = |d| − longest, while positive.
//! One projection gives a thread its longest length; its neighbours' projections can take that away again.

use super::super::lanes::{Block, Lanes, Mask, Real};
use super::link::{Ends, Rule, between, draw, pull};

/// At this multiple of the rest length there is no limit.
pub const LIMITS_OFF: f32 = 2.0;

/// The pull that shortens a link along `d` = second end − first end (m) to `longest` (m): the first end moves by
/// its inverse mass times this times d, the second by minus that. `inverse_mass` is w₁ + w₂ (1/kg).
///
/// 0 for a link that is short enough, between two pins, or not a number.
#[inline(always)]
pub fn limit<R: Real>(d: [R; 3], inverse_mass: R, longest: R) -> R {
    let square = square(d);
    let pull = pull(square, square.root(), longest, inverse_mass);
    // Just beyond the limit rounding could make it a push.
    pull.where_positive(pull).where_positive(square - longest * longest)
}

#[inline(always)]
fn square<R: Real>(d: [R; 3]) -> R {
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}

/// The longest that links may be, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit<R>(pub R);

impl<V: Lanes> Rule<V> for Limit<V> {
    #[inline(always)]
    fn apply(self, a: &mut Ends<V>, b: &mut Ends<V>, mask: Option<&Mask>, _: Option<&mut Block>) {
        let d = between(a, b);
        // Most links are short enough, and then neither root nor division is needed.
        if !(square(d) - self.0 * self.0).any_positive() {
            return;
        }
        let pull = limit(d, a.inverse_mass + b.inverse_mass, self.0);
        let pull = if let Some(mask) = mask { pull.masked(mask) } else { pull };
        let (mut from, mut to) = (*a, *b);
        draw(&mut from, &mut to, d, pull);
        // What is not pulled keeps its bits, −0 too: they may not depend on the links beside it.
        for axis in 0..3 {
            a.place[axis] = from.place[axis].or_where_positive(pull, a.place[axis]);
            b.place[axis] = to.place[axis].or_where_positive(pull, b.place[axis]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::lanes::{Kernel, LANES, Path};
    use super::super::link::{LinkLaw, project_first};
    use super::*;

    #[test]
    fn one_projection_gives_the_longest_length() {
        for i in 0..500 {
            let part = |k: f32| 0.3 * f64::from((i as f32 * 0.7 + k).sin());
            let d = [part(0.0), part(1.0), part(2.0)];
            let (first, second, longest) = (3.0, 0.5 * f64::from(i % 3), 0.1 + 0.001 * f64::from(i % 50));
            let pull = limit(d, first + second, longest);
            // Each end moves by its own share, along d.
            let after = d.map(|part| part - second * pull * part - first * pull * part);
            let (before, after) = (square(d).sqrt(), square(after).sqrt());
            if before > longest {
                assert!((after - longest).abs() <= 1e-15, "{before} became {after} instead of {longest}");
            } else {
                assert_eq!(pull, 0.0, "{before} is short enough for {longest}");
            }
        }
    }

    #[test]
    fn a_too_long_link_is_pulled_like_a_stiff_one_of_that_length() {
        let d = [0.3f32, -0.2, 0.1];
        let stiff = project_first(d, 7.0, LinkLaw { rest: 0.35, compliance: 0.0 });
        assert_eq!(limit(d, 7.0, 0.35).to_bits(), stiff.to_bits());
    }

    #[test]
    fn what_cannot_be_shortened_is_left() {
        for (d, inverse_mass) in [
            ([0.0; 3], 2.0),
            ([0.5, 0.0, 0.0], 0.0),
            ([f32::NAN, 0.0, 0.0], 2.0),
            ([f32::INFINITY, 0.0, 0.0], 2.0),
            ([0.5, 0.0, 0.0], f32::NAN),
        ] {
            assert_eq!(limit(d, inverse_mass, 0.1), 0.0, "{d:?}, {inverse_mass}");
        }
    }

    /// The rule on eight links along x of which `long` are too long: x of the first ends and of the second, and y
    /// of the first, which is −0 before.
    struct Apply<'a> {
        long: &'a [usize],
        mask: Option<Mask>,
    }

    impl Kernel for Apply<'_> {
        type Output = [[f32; LANES]; 3];
        #[inline(always)]
        fn run<V: Lanes>(self) -> Self::Output {
            let mut x = Block([0.1; LANES]);
            self.long.iter().for_each(|lane| x.0[*lane] = 0.13);
            let zero = V::splat(0.0);
            let mut a = Ends { place: [zero, V::splat(-0.0), zero], inverse_mass: V::splat(1.0) };
            let mut b = Ends { place: [V::load(&x), zero, zero], inverse_mass: V::splat(3.0) };
            Limit(V::splat(0.11)).apply(&mut a, &mut b, self.mask.as_ref(), None);
            let mut out = [Block::default(); 3];
            a.place[0].store(&mut out[0]);
            b.place[0].store(&mut out[1]);
            a.place[1].store(&mut out[2]);
            out.map(|block| block.0)
        }
    }

    #[test]
    fn only_too_long_links_move_and_only_where_the_mask_lets_them() {
        for path in Path::available() {
            assert_eq!(path.run(Apply { long: &[], mask: None })[..2], [[0.0; LANES], [0.1; LANES]]);
            let [a, b, flat] = path.run(Apply { long: &[2, 5], mask: Some(Mask::new(|lane| lane != 5)) });
            for lane in 0..LANES {
                if lane == 2 {
                    let pull = limit([0.13f32, 0.0, 0.0], 4.0, 0.11);
                    assert_eq!([a[2], b[2]], [pull * 0.13, 0.13 - 3.0 * pull * 0.13]);
                    assert!((b[2] - a[2] - 0.11).abs() < 2e-8 && (a[2] - 0.005).abs() < 1e-8, "{a:?} {b:?}");
                } else {
                    assert_eq!([a[lane], b[lane]], [0.0, if lane == 5 { 0.13 } else { 0.1 }], "{lane}");
                    assert!(flat[lane].is_sign_negative(), "{lane} of {}", path.name());
                }
            }
        }
    }
}
