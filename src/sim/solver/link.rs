//! Distance links by XPBD.
//!
//! Macklin, Müller, Chentanez 2016, *XPBD*, equations 17 and 18. A link has C = |d| − rest; with the scaled
//! compliance a = α/h², Δλ = (−C − aλ)/(w₁ + w₂ + a) and Δx = w ∇C Δλ. λ is negative where a link pulls.
//!
//! [`project`] is the one formula. [`project_run`] applies it to a run of links that share no particle, so
//! that their order does not matter and the loop becomes SIMD code with the same bits at every width.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The arithmetic that a projection needs, in f32 for the show and in f64 for checks.
pub trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// 0.
    const ZERO: Self;
    /// Shorter than this a link has no direction, m.
    const SHORTEST: Self;
    /// Square root, correctly rounded.
    fn root(self) -> Self;
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
    /// Its square is still a normal number.
    const SHORTEST: f32 = 1e-18;
    #[inline(always)]
    fn root(self) -> f32 {
        self.sqrt()
    }
}

impl Real for f64 {
    const ZERO: f64 = 0.0;
    const SHORTEST: f64 = 1e-150;
    #[inline(always)]
    fn root(self) -> f64 {
        self.sqrt()
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
/// `compliance` a = α/h² (1/kg), `lambda` the multiplier so far.
///
/// Two ends in one place have no direction, two pins no way to move: nothing happens.
#[inline(always)]
pub fn project<R: Real>(d: [R; 3], inverse_mass: R, rest: R, compliance: R, lambda: R) -> Projection<R> {
    let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).root();
    let stiffness = inverse_mass + compliance;
    // One division: −Δλ / |d|.
    let pull = (length - rest + compliance * lambda) / (stiffness * length);
    let sound = length > R::SHORTEST && inverse_mass > R::ZERO;
    let pull = if sound { pull } else { R::ZERO };
    Projection { delta_lambda: -(pull * length), pull }
}

/// One end of each link of a run: positions (m) and inverse masses (1/kg), all of one length.
#[derive(Debug)]
pub struct Ends<'a> {
    /// x, y, z.
    pub position: [&'a mut [f32]; 3],
    /// Inverse masses.
    pub inverse_mass: &'a [f32],
}

/// What all links of a run have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkLaw {
    /// Rest length, m.
    pub rest: f32,
    /// Scaled compliance α/h², 1/kg.
    pub compliance: f32,
}

/// Links that are loaded, projected and stored together. The bits do not depend on it.
const LANES: usize = 8;

/// Projects a run of links once: link i joins element i of `first` with element i of `second`, and no
/// particle is in two of them. `lambda` holds a multiplier per link; leave it empty for a single sweep,
/// where every multiplier starts at 0 and none is read again.
#[inline(always)]
pub fn project_run(first: Ends<'_>, second: Ends<'_>, law: LinkLaw, lambda: &mut [f32]) {
    if lambda.is_empty() {
        run::<false>(first, second, law, lambda);
    } else {
        run::<true>(first, second, law, lambda);
    }
}

#[inline(always)]
fn run<const KEEP: bool>(first: Ends<'_>, second: Ends<'_>, law: LinkLaw, lambda: &mut [f32]) {
    let ([ax, ay, az], aw) = (first.position, first.inverse_mass);
    let ([bx, by, bz], bw) = (second.position, second.inverse_mass);
    let (ax, ax_rest) = ax.as_chunks_mut::<LANES>();
    let (ay, ay_rest) = ay.as_chunks_mut::<LANES>();
    let (az, az_rest) = az.as_chunks_mut::<LANES>();
    let (bx, bx_rest) = bx.as_chunks_mut::<LANES>();
    let (by, by_rest) = by.as_chunks_mut::<LANES>();
    let (bz, bz_rest) = bz.as_chunks_mut::<LANES>();
    let (aw, aw_rest) = aw.as_chunks::<LANES>();
    let (bw, bw_rest) = bw.as_chunks::<LANES>();
    let (kept, kept_rest) = lambda.as_chunks_mut::<LANES>();
    for k in 0..ax.len() {
        let a = [&mut ax[k], &mut ay[k], &mut az[k]];
        let b = [&mut bx[k], &mut by[k], &mut bz[k]];
        let kept = if KEEP { &mut kept[k] } else { &mut [0.0; LANES] };
        lanes(a, &aw[k], b, &bw[k], law, kept);
    }
    for k in 0..ax_rest.len() {
        let mut a = [[ax_rest[k]], [ay_rest[k]], [az_rest[k]]];
        let mut b = [[bx_rest[k]], [by_rest[k]], [bz_rest[k]]];
        let mut kept = [if KEEP { kept_rest[k] } else { 0.0 }];
        lanes(a.each_mut(), &[aw_rest[k]], b.each_mut(), &[bw_rest[k]], law, &mut kept);
        ([ax_rest[k], ay_rest[k], az_rest[k]], [bx_rest[k], by_rest[k], bz_rest[k]]) = (a.map(|[v]| v), b.map(|[v]| v));
        if KEEP {
            [kept_rest[k]] = kept;
        }
    }
}

/// Projects `L` links side by side.
#[inline(always)]
fn lanes<const L: usize>(
    a: [&mut [f32; L]; 3],
    a_inverse_mass: &[f32; L],
    b: [&mut [f32; L]; 3],
    b_inverse_mass: &[f32; L],
    law: LinkLaw,
    lambda: &mut [f32; L],
) {
    // Copies first: the compiler need not fear that a store changes what is still to be loaded.
    let [mut ax, mut ay, mut az] = [*a[0], *a[1], *a[2]];
    let [mut bx, mut by, mut bz] = [*b[0], *b[1], *b[2]];
    for l in 0..L {
        let d = [bx[l] - ax[l], by[l] - ay[l], bz[l] - az[l]];
        let (aw, bw) = (a_inverse_mass[l], b_inverse_mass[l]);
        let projection = project(d, aw + bw, law.rest, law.compliance, lambda[l]);
        lambda[l] += projection.delta_lambda;
        let (a_pull, b_pull) = (aw * projection.pull, bw * projection.pull);
        ax[l] += a_pull * d[0];
        ay[l] += a_pull * d[1];
        az[l] += a_pull * d[2];
        bx[l] -= b_pull * d[0];
        by[l] -= b_pull * d[1];
        bz[l] -= b_pull * d[2];
    }
    [*a[0], *a[1], *a[2]] = [ax, ay, az];
    [*b[0], *b[1], *b[2]] = [bx, by, bz];
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
        let asked = project([rest + 0.001, 0.0, 0.0], inverse_mass, rest, compliance, 0.0);
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
        let compliance = 1e-7f32 * 240.0 * 240.0;
        let (mut ax, mut ay, mut az) = ([0.0f32], [0.0f32], [0.0f32]);
        let (mut bx, mut by, mut bz) = ([rest + 0.001], [0.0f32], [0.0f32]);
        let start = bx[0];
        let mut lambda = [0.0f32];
        let first = Ends { position: [&mut ax, &mut ay, &mut az], inverse_mass: &[50.0] };
        let second = Ends { position: [&mut bx, &mut by, &mut bz], inverse_mass: &[50.0] };
        project_run(first, second, LinkLaw { rest, compliance }, &mut lambda);
        let relative = |ours: f32, exact: f64| ((f64::from(ours) - exact) / exact).abs();
        // The asked extension itself is rounded: 0.101 − 0.1 in f32.
        let extension = f64::from(start) - f64::from(rest);
        assert!(relative(lambda[0], -9.999_424_03e-6 * extension / 0.001) <= 1e-5, "{}", lambda[0]);
        assert!(relative(lambda[0], -9.999_424_03e-6) <= 1e-5, "{}", lambda[0]);
        assert!(relative(ax[0], 4.999_712_02e-4) <= 1e-5, "{}", ax[0]);
        // The other end lies at 0.1 m, where f32 resolves 7e-9 m: its move is that much coarser.
        assert!((f64::from(start - bx[0]) - 4.999_712_02e-4).abs() <= 8e-9, "{}", start - bx[0]);
        let remaining = f64::from(bx[0]) - f64::from(ax[0]) - f64::from(rest);
        assert!((remaining - 5.759_668_2e-8).abs() <= 3e-8, "{remaining}");
    }

    #[test]
    fn degenerate_links_do_nothing() {
        let asked = project([0.0f32; 3], 2.0, 0.1, 0.0, 0.0);
        assert_eq!((asked.pull, asked.delta_lambda), (0.0, 0.0));
        let asked = project([0.2f32, 0.0, 0.0], 0.0, 0.1, 0.0, 0.0);
        assert_eq!((asked.pull, asked.delta_lambda), (0.0, 0.0));
    }

    #[test]
    fn a_run_equals_its_links_one_by_one() {
        let count = 21;
        let wave = |i: usize, k: f32| (i as f32 * 0.7 + k).sin();
        let coordinates = |k: f32| (0..count).map(|i| wave(i, k)).collect::<Vec<f32>>();
        let mut a = [coordinates(0.0), coordinates(1.0), coordinates(2.0)];
        let mut b = [coordinates(3.0), coordinates(4.0), coordinates(5.0)];
        let (aw, bw) = (vec![3.0; count], (0..count).map(|i| (i % 3) as f32).collect::<Vec<_>>());
        let mut lambda = coordinates(6.0);
        let law = LinkLaw { rest: 0.5, compliance: 0.25 };
        let (start_a, start_b, start_lambda) = (a.clone(), b.clone(), lambda.clone());
        let [ax, ay, az] = &mut a;
        let [bx, by, bz] = &mut b;
        let first = Ends { position: [ax, ay, az], inverse_mass: &aw };
        let second = Ends { position: [bx, by, bz], inverse_mass: &bw };
        project_run(first, second, law, &mut lambda);
        for i in 0..count {
            let d: [f32; 3] = std::array::from_fn(|k| start_b[k][i] - start_a[k][i]);
            let asked = project(d, aw[i] + bw[i], law.rest, law.compliance, start_lambda[i]);
            for k in 0..3 {
                assert_eq!(a[k][i].to_bits(), (start_a[k][i] + aw[i] * asked.pull * d[k]).to_bits());
                assert_eq!(b[k][i].to_bits(), (start_b[k][i] - bw[i] * asked.pull * d[k]).to_bits());
            }
            assert_eq!(lambda[i].to_bits(), (start_lambda[i] + asked.delta_lambda).to_bits());
        }
    }
}
