//! Eight lanes in one AVX2 register.
#![expect(unsafe_code, reason = "vector instructions; three times as fast as what the compiler makes of arrays")]

use super::{Block, Kernel, Lanes, Mask, Real};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

/// Runs a kernel compiled for AVX2.
#[target_feature(enable = "avx2")]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Eight>()
}

/// Eight lanes.
///
/// SAFETY of every `unsafe` in this file: the type is private to `lanes` and only [`run`] names it, which
/// is called on machines with AVX2 alone; loads and stores go through references to aligned blocks.
#[derive(Debug, Clone, Copy)]
pub struct Eight(__m256);

macro_rules! operator {
    ($trait:ident, $method:ident, $instruction:ident) => {
        impl $trait for Eight {
            type Output = Eight;
            #[inline(always)]
            fn $method(self, other: Eight) -> Eight {
                unsafe { Eight($instruction(self.0, other.0)) }
            }
        }
    };
}

operator!(Add, add, _mm256_add_ps);
operator!(Sub, sub, _mm256_sub_ps);
operator!(Mul, mul, _mm256_mul_ps);
operator!(Div, div, _mm256_div_ps);

impl Eight {
    /// All bits where this is greater than 0.
    #[inline(always)]
    fn positive(self) -> __m256 {
        unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, _mm256_setzero_ps()) }
    }
}

impl Real for Eight {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        unsafe { Eight(_mm256_set1_ps(value)) }
    }
    #[inline(always)]
    fn root(self) -> Self {
        unsafe { Eight(_mm256_sqrt_ps(self.0)) }
    }
    #[inline(always)]
    fn size(self) -> Self {
        unsafe { Eight(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)) }
    }
    #[inline(always)]
    fn where_positive(self, test: Self) -> Self {
        unsafe { Eight(_mm256_and_ps(self.0, test.positive())) }
    }
}

impl Lanes for Eight {
    #[inline(always)]
    fn load(block: &Block) -> Self {
        unsafe { Eight(_mm256_load_ps(block.0.as_ptr())) }
    }
    #[inline(always)]
    fn store(self, block: &mut Block) {
        unsafe { _mm256_store_ps(block.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn masked(self, mask: &Mask) -> Self {
        unsafe { Eight(_mm256_and_ps(self.0, _mm256_load_ps(mask.0.as_ptr().cast()))) }
    }
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        unsafe { Eight(_mm256_min_ps(self.0, other.0)) }
    }
    #[inline(always)]
    fn most(self, other: Self) -> Self {
        unsafe { Eight(_mm256_max_ps(self.0, other.0)) }
    }
    #[inline(always)]
    fn any_positive(self) -> bool {
        unsafe { _mm256_movemask_ps(self.positive()) != 0 }
    }
    #[inline(always)]
    fn or_where_positive(self, test: Self, other: Self) -> Self {
        unsafe { Eight(_mm256_blendv_ps(other.0, self.0, test.positive())) }
    }
    #[inline(always)]
    fn signed_by_lowest_bit(self, parity: Self) -> Self {
        unsafe {
            let sign = _mm256_slli_epi32::<31>(_mm256_castps_si256(parity.0));
            Eight(_mm256_xor_ps(self.0, _mm256_castsi256_ps(sign)))
        }
    }
    #[inline(always)]
    fn next_lane(self) -> Self {
        unsafe { Eight(_mm256_permutevar8x32_ps(self.0, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0))) }
    }
    #[inline(always)]
    fn previous_lane(self) -> Self {
        unsafe { Eight(_mm256_permutevar8x32_ps(self.0, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6))) }
    }
}
