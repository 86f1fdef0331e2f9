//! The families of links as what they do to one column, or to two.
//!
//! Within a family the order is the contract's; see [`super`]. A column is the grid's blocks of it.

use super::super::cloth::Particles;
use super::super::lanes::{Block, Lanes, Mask};
use super::link::{Rule, join, join_bands};

/// Block `at` of an array of multipliers, where they are kept.
#[inline(always)]
fn of(lambda: &mut [Block], at: usize) -> Option<&mut Block> {
    lambda.get_mut(at)
}

/// Block `block` of the links along the hoist over `skip` rows.
#[inline(always)]
pub fn along_hoist<V: Lanes>(
    column: &mut [Particles],
    skip: usize,
    block: usize,
    rule: impl Rule<V>,
    above: &[Mask],
    lambda: &mut [Block],
) {
    let blocks = column.len();
    let lambda = of(lambda, block);
    if block + skip < blocks {
        let (to, from) = column.split_at_mut(block + skip);
        join(&mut to[block], &mut from[0], rule, Some(&above[block]), lambda);
    } else {
        let (to, from) = column.split_at_mut(block);
        join_bands(&mut from[0], &mut to[block + skip - blocks], rule, &above[block], lambda);
    }
}

/// Block `block` of the links along the fly between two columns.
#[inline(always)]
pub fn along_fly<V: Lanes>(
    first: &mut [Particles],
    second: &mut [Particles],
    block: usize,
    rule: impl Rule<V>,
    lambda: &mut [Block],
) {
    // Both ends of a link of ghosts have inverse mass 0: no mask is needed.
    join(&mut first[block], &mut second[block], rule, None, of(lambda, block));
}

/// Block `block` of the diagonals from row r of `first` to row r + 1 of `second`.
#[inline(always)]
pub fn diagonal<V: Lanes>(
    first: &mut [Particles],
    second: &mut [Particles],
    block: usize,
    rule: impl Rule<V>,
    above: &[Mask],
    lambda: &mut [Block],
) {
    let lambda = of(lambda, block);
    if block + 1 < second.len() {
        join(&mut first[block], &mut second[block + 1], rule, Some(&above[block]), lambda);
    } else {
        join_bands(&mut first[block], &mut second[0], rule, &above[block], lambda);
    }
}
