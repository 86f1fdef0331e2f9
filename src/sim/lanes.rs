//! Eight numbers side by side, with the same bits whatever the processor offers.
//!
//! A kernel is written once, over the trait [`Lanes`], and run on a [`Path`]: AVX2 where it is there, SSE2
//! on every x86-64, plain arrays elsewhere. Each lane does exactly the scalar operation (no fused
//! multiply-add, no approximation, no sum across lanes), so that a path is a matter of speed alone.
//!
//! [`Real`] is what a single number offers too: a formula over it can be checked in f64. It must not know
//! what the numbers mean.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;

use std::ops::{Add, Div, Mul, Sub};

/// Numbers in a block.
pub const LANES: usize = 8;

/// Eight numbers in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Block(pub [f32; LANES]);

/// Eight vectors in memory: x, y and z.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(32))]
#[expect(missing_docs, reason = "named by the type's own documentation")]
pub struct Block3 {
    pub x: Block,
    pub y: Block,
    pub z: Block,
}

/// Eight masks in memory: all bits set where a lane counts, none where it does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Mask(pub [u32; LANES]);

impl Mask {
    /// The lanes for which `counts` holds.
    pub fn new(counts: impl Fn(usize) -> bool) -> Self {
        Mask(std::array::from_fn(|lane| if counts(lane) { u32::MAX } else { 0 }))
    }
}

/// The arithmetic of a formula: one f32 or f64, or eight f32 side by side.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// `value` in every lane.
    fn splat(value: f32) -> Self;
    /// Square root, correctly rounded.
    fn root(self) -> Self;
    /// The size without the sign.
    fn size(self) -> Self;
    /// This where `test` > 0, else 0; a NaN in `test` gives 0.
    fn where_positive(self, test: Self) -> Self;
}

impl Real for f32 {
    #[inline(always)]
    fn splat(value: f32) -> f32 {
        value
    }
    #[inline(always)]
    fn root(self) -> f32 {
        self.sqrt()
    }
    #[inline(always)]
    fn size(self) -> f32 {
        self.abs()
    }
    #[inline(always)]
    fn where_positive(self, test: f32) -> f32 {
        if test > 0.0 { self } else { 0.0 }
    }
}

impl Real for f64 {
    #[inline(always)]
    fn splat(value: f32) -> f64 {
        value.into()
    }
    #[inline(always)]
    fn root(self) -> f64 {
        self.sqrt()
    }
    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }
    #[inline(always)]
    fn where_positive(self, test: f64) -> f64 {
        if test > 0.0 { self } else { 0.0 }
    }
}

/// Eight f32 in registers.
pub trait Lanes: Real {
    /// Reads a block.
    fn load(block: &Block) -> Self;
    /// Writes a block.
    fn store(self, block: &mut Block);
    /// This in the lanes of `mask`, else 0.
    fn masked(self, mask: &Mask) -> Self;
    /// The smaller: `self` where it is less than `other`, else `other`.
    fn least(self, other: Self) -> Self;
    /// The larger: `self` where it is greater than `other`, else `other`.
    fn most(self, other: Self) -> Self;
    /// Whether any lane is greater than 0.
    fn any_positive(self) -> bool;
    /// This where `test` > 0, else `other`; a NaN in `test` gives `other`.
    fn or_where_positive(self, test: Self, other: Self) -> Self;
    /// The sign turned in the lanes where the lowest bit of `parity` is set.
    fn signed_by_lowest_bit(self, parity: Self) -> Self;
    /// Lane l gets what was in lane l + 1, the last what was in the first.
    fn next_lane(self) -> Self;
    /// Lane l gets what was in lane l − 1, the first what was in the last.
    fn previous_lane(self) -> Self;
}

/// Eight vectors into registers.
#[inline(always)]
pub fn load3<V: Lanes>(from: &Block3) -> [V; 3] {
    [V::load(&from.x), V::load(&from.y), V::load(&from.z)]
}

/// A piece of work that can be done on any path. `run` must be `#[inline(always)]`, and so must all that it
/// calls with lanes (closures too, so they are better left out): only then is it compiled for the path.
pub trait Kernel {
    /// What comes of it.
    type Output;
    /// Does it.
    fn run<V: Lanes>(self) -> Self::Output;
}

/// A way to compute that this machine has. It changes no bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Sse2,
    Portable,
}

impl Path {
    /// All paths of this machine, the best first.
    pub fn available() -> Vec<Path> {
        let mut paths = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                paths.push(Path(Kind::Avx2));
            }
            paths.push(Path(Kind::Sse2));
        }
        paths.push(Path(Kind::Portable));
        paths
    }

    /// The best path of this machine.
    pub fn best() -> Path {
        #[cfg(target_arch = "x86_64")]
        return Path(if is_x86_feature_detected!("avx2") { Kind::Avx2 } else { Kind::Sse2 });
        #[cfg(not(target_arch = "x86_64"))]
        return Path(Kind::Portable);
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Sse2 => "sse2",
            Kind::Portable => "portable",
        }
    }

    /// Does a piece of work on this path.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "calls what needs AVX2")]
            // SAFETY: this path is only ever made after AVX2 was found.
            Kind::Avx2 => unsafe { avx2::run(kernel) },
            #[cfg(target_arch = "x86_64")]
            Kind::Sse2 => kernel.run::<sse2::Pair>(),
            Kind::Portable => kernel.run::<portable::Plain>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Block = Block([1.5, -2.0, 0.0, -0.0, 3.0e38, 1.0e-40, f32::NAN, f32::INFINITY]);
    const B: Block = Block([0.3, -2.0, -0.0, 0.0, 3.0e38, 7.0, 1.0, f32::NEG_INFINITY]);

    /// Every operation once; the results as bits, all NaNs as one.
    struct All;

    impl Kernel for All {
        type Output = Vec<[u32; LANES]>;
        #[inline(always)]
        fn run<V: Lanes>(self) -> Self::Output {
            let (a, b) = (V::load(&A), V::load(&B));
            let mask = Mask::new(|lane| lane % 3 == 0);
            let results = [
                a + b,
                a - b,
                a * b,
                a / b,
                a.root(),
                b.where_positive(a),
                a.masked(&mask),
                a.least(b),
                a.most(b),
                a.size(),
                a.or_where_positive(b, V::splat(9.0)),
                a.signed_by_lowest_bit(V::load(&Block([1, 2, 3, 4, 5, 6, 7, 8].map(f32::from_bits)))),
                a.next_lane(),
                a.previous_lane(),
            ];
            let mut bits = Vec::new();
            for result in results {
                let mut block = Block::default();
                result.store(&mut block);
                bits.push(block.0.map(|value| if value.is_nan() { u32::MAX } else { value.to_bits() }));
            }
            bits
        }
    }

    fn one_by_one(f: impl Fn(f32, f32, usize) -> f32) -> [u32; LANES] {
        std::array::from_fn(|lane| {
            let value = f(A.0[lane], B.0[lane], lane);
            if value.is_nan() { u32::MAX } else { value.to_bits() }
        })
    }

    #[test]
    fn every_path_does_the_scalar_operation_in_each_lane() {
        let expected = vec![
            one_by_one(|a, b, _| a + b),
            one_by_one(|a, b, _| a - b),
            one_by_one(|a, b, _| a * b),
            one_by_one(|a, b, _| a / b),
            one_by_one(|a, _, _| a.sqrt()),
            one_by_one(|a, b, _| if a > 0.0 { b } else { 0.0 }),
            one_by_one(|a, _, lane| if lane % 3 == 0 { a } else { 0.0 }),
            one_by_one(|a, b, _| if a < b { a } else { b }),
            one_by_one(|a, b, _| if a > b { a } else { b }),
            one_by_one(|a, _, _| a.abs()),
            one_by_one(|a, b, _| if b > 0.0 { a } else { 9.0 }),
            one_by_one(|a, _, lane| if lane % 2 == 0 { -a } else { a }),
            one_by_one(|_, _, lane| A.0[(lane + 1) % LANES]),
            one_by_one(|_, _, lane| A.0[(lane + LANES - 1) % LANES]),
        ];
        let paths = Path::available();
        assert!(paths.contains(&Path::best()) && paths[0] == Path::best());
        for path in paths {
            for (index, (ours, theirs)) in path.run(All).iter().zip(&expected).enumerate() {
                assert_eq!(ours, theirs, "{} operation {index}", path.name());
            }
        }
    }
}
