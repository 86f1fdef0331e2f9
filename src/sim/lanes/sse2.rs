//! Eight lanes in two SSE2 registers, which every x86-64 has.
#![expect(unsafe_code, reason = "vector instructions; twice as fast as what the compiler makes of arrays")]

use super::{Block, Lanes, Mask, Real};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

/// Lanes 0 to 3 and 4 to 7.
///
/// SAFETY of every `unsafe` in this file: SSE2 is part of x86-64; loads and stores go through references to
/// aligned blocks of eight.
#[derive(Debug, Clone, Copy)]
pub struct Pair(__m128, __m128);

macro_rules! operator {
    ($trait:ident, $method:ident, $instruction:ident) => {
        impl $trait for Pair {
            type Output = Pair;
            #[inline(always)]
            fn $method(self, other: Pair) -> Pair {
                unsafe { Pair($instruction(self.0, other.0), $instruction(self.1, other.1)) }
            }
        }
    };
}

operator!(Add, add, _mm_add_ps);
operator!(Sub, sub, _mm_sub_ps);
operator!(Mul, mul, _mm_mul_ps);
operator!(Div, div, _mm_div_ps);

impl Pair {
    /// All bits where this is greater than 0.
    #[inline(always)]
    fn positive(self) -> (__m128, __m128) {
        unsafe {
            let zero = _mm_setzero_ps();
            (_mm_cmpgt_ps(self.0, zero), _mm_cmpgt_ps(self.1, zero))
        }
    }
}

/// Lanes 1, 2, 3 of `low` and lane 0 of `high`.
#[inline(always)]
fn up(low: __m128, high: __m128) -> __m128 {
    unsafe {
        let (low, high) = (_mm_castps_si128(low), _mm_castps_si128(high));
        _mm_castsi128_ps(_mm_or_si128(_mm_srli_si128::<4>(low), _mm_slli_si128::<12>(high)))
    }
}

/// Lane 3 of `low` and lanes 0, 1, 2 of `high`.
#[inline(always)]
fn down(low: __m128, high: __m128) -> __m128 {
    unsafe {
        let (low, high) = (_mm_castps_si128(low), _mm_castps_si128(high));
        _mm_castsi128_ps(_mm_or_si128(_mm_slli_si128::<4>(high), _mm_srli_si128::<12>(low)))
    }
}

impl Real for Pair {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        unsafe { Pair(_mm_set1_ps(value), _mm_set1_ps(value)) }
    }
    #[inline(always)]
    fn root(self) -> Self {
        unsafe { Pair(_mm_sqrt_ps(self.0), _mm_sqrt_ps(self.1)) }
    }
    #[inline(always)]
    fn size(self) -> Self {
        unsafe {
            let sign = _mm_set1_ps(-0.0);
            Pair(_mm_andnot_ps(sign, self.0), _mm_andnot_ps(sign, self.1))
        }
    }
    #[inline(always)]
    fn where_positive(self, test: Self) -> Self {
        let (low, high) = test.positive();
        unsafe { Pair(_mm_and_ps(self.0, low), _mm_and_ps(self.1, high)) }
    }
}

impl Lanes for Pair {
    #[inline(always)]
    fn load(block: &Block) -> Self {
        unsafe { Pair(_mm_load_ps(block.0.as_ptr()), _mm_load_ps(block.0.as_ptr().add(4))) }
    }
    #[inline(always)]
    fn store(self, block: &mut Block) {
        unsafe {
            _mm_store_ps(block.0.as_mut_ptr(), self.0);
            _mm_store_ps(block.0.as_mut_ptr().add(4), self.1);
        }
    }
    #[inline(always)]
    fn masked(self, mask: &Mask) -> Self {
        unsafe {
            let bits = mask.0.as_ptr().cast::<f32>();
            Pair(_mm_and_ps(self.0, _mm_load_ps(bits)), _mm_and_ps(self.1, _mm_load_ps(bits.add(4))))
        }
    }
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        unsafe { Pair(_mm_min_ps(self.0, other.0), _mm_min_ps(self.1, other.1)) }
    }
    #[inline(always)]
    fn most(self, other: Self) -> Self {
        unsafe { Pair(_mm_max_ps(self.0, other.0), _mm_max_ps(self.1, other.1)) }
    }
    #[inline(always)]
    fn any_positive(self) -> bool {
        let (low, high) = self.positive();
        unsafe { _mm_movemask_ps(_mm_or_ps(low, high)) != 0 }
    }
    #[inline(always)]
    fn or_where_positive(self, test: Self, other: Self) -> Self {
        let (low, high) = test.positive();
        unsafe {
            let choose = |test, this, other| _mm_or_ps(_mm_and_ps(test, this), _mm_andnot_ps(test, other));
            Pair(choose(low, self.0, other.0), choose(high, self.1, other.1))
        }
    }
    #[inline(always)]
    fn signed_by_lowest_bit(self, parity: Self) -> Self {
        unsafe {
            let turn = |value, parity| {
                let sign = _mm_slli_epi32::<31>(_mm_castps_si128(parity));
                _mm_xor_ps(value, _mm_castsi128_ps(sign))
            };
            Pair(turn(self.0, parity.0), turn(self.1, parity.1))
        }
    }
    #[inline(always)]
    fn next_lane(self) -> Self {
        Pair(up(self.0, self.1), up(self.1, self.0))
    }
    #[inline(always)]
    fn previous_lane(self) -> Self {
        Pair(down(self.1, self.0), down(self.0, self.1))
    }
}
