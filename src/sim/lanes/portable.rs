//! Eight lanes as a plain array, for every processor.

use super::{Block, LANES, Lanes, Mask, Real};
use std::ops::{Add, Div, Mul, Sub};

/// Eight lanes.
#[derive(Debug, Clone, Copy)]
pub struct Plain([f32; LANES]);

macro_rules! operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for Plain {
            type Output = Plain;
            #[inline(always)]
            fn $method(mut self, other: Plain) -> Plain {
                for (this, other) in self.0.iter_mut().zip(other.0) {
                    *this $operator other;
                }
                self
            }
        }
    };
}

operator!(Add, add, +=);
operator!(Sub, sub, -=);
operator!(Mul, mul, *=);
operator!(Div, div, /=);

impl Plain {
    #[inline(always)]
    fn each(mut self, other: Plain, f: impl Fn(f32, f32) -> f32) -> Plain {
        for (this, other) in self.0.iter_mut().zip(other.0) {
            *this = f(*this, other);
        }
        self
    }
}

impl Real for Plain {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Plain([value; LANES])
    }
    #[inline(always)]
    fn root(mut self) -> Self {
        for this in &mut self.0 {
            *this = this.sqrt();
        }
        self
    }
    #[inline(always)]
    fn size(mut self) -> Self {
        for this in &mut self.0 {
            *this = this.abs();
        }
        self
    }
    #[inline(always)]
    fn where_positive(self, test: Self) -> Self {
        self.each(test, f32::where_positive)
    }
}

impl Lanes for Plain {
    #[inline(always)]
    fn load(block: &Block) -> Self {
        Plain(block.0)
    }
    #[inline(always)]
    fn store(self, block: &mut Block) {
        block.0 = self.0;
    }
    #[inline(always)]
    fn masked(mut self, mask: &Mask) -> Self {
        for (this, mask) in self.0.iter_mut().zip(mask.0) {
            *this = f32::from_bits(this.to_bits() & mask);
        }
        self
    }
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        self.each(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn most(self, other: Self) -> Self {
        self.each(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn any_positive(self) -> bool {
        self.0.iter().fold(false, |any, value| any | (*value > 0.0))
    }
    #[inline(always)]
    fn or_where_positive(mut self, test: Self, other: Self) -> Self {
        for lane in 0..LANES {
            self.0[lane] = if test.0[lane] > 0.0 { self.0[lane] } else { other.0[lane] };
        }
        self
    }
    #[inline(always)]
    fn signed_by_lowest_bit(self, parity: Self) -> Self {
        self.each(parity, |this, parity| f32::from_bits(this.to_bits() ^ (parity.to_bits() << 31)))
    }
    #[inline(always)]
    fn next_lane(mut self) -> Self {
        self.0.rotate_left(1);
        self
    }
    #[inline(always)]
    fn previous_lane(mut self) -> Self {
        self.0.rotate_right(1);
        self
    }
}
