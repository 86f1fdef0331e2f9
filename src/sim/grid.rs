//! Where a particle lies in memory: column by column, eight bands of rows side by side.
//!
//! A column of `rows` particles is cut into eight bands of [`Grid::blocks`] rows, one a lane: block b of a
//! column holds row b of each band. So every link of the grid, along the fly, along the hoist or across,
//! joins whole blocks lane by lane; only between the last row of a band and the first of the next does a
//! lane meet its neighbour. Lanes past the last row are ghosts: at rest, of inverse mass 0, in no force.
//!
//! The layout is not part of any contract: numbers, digests and files speak of row × columns + column. The
//! bands are, since the solver sweeps them side by side. It must not know what is stored.

use super::lanes::{LANES, Mask};

/// A band has at least this many rows, so that a link over two rows never joins a block with itself.
const SHORTEST_BAND: usize = 3;

/// The layout of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    columns: usize,
    rows: usize,
    blocks: usize,
}

/// A place in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The block, counted over the whole grid.
    pub block: usize,
    /// The lane in it.
    pub lane: usize,
}

impl Grid {
    /// A grid of `columns` × `rows` particles.
    pub fn new(columns: usize, rows: usize) -> Self {
        Grid { columns, rows, blocks: rows.div_ceil(LANES).max(SHORTEST_BAND) }
    }

    /// Particles along the fly.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Particles along the hoist.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Blocks in a column, which is also the number of rows in a band.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// All particles, ghosts not counted.
    pub fn count(&self) -> usize {
        self.columns * self.rows
    }

    /// All blocks.
    pub fn len(&self) -> usize {
        self.columns * self.blocks
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where particle `number` lies.
    pub fn slot(&self, number: usize) -> Slot {
        let (row, column) = (number / self.columns, number % self.columns);
        Slot { block: column * self.blocks + row % self.blocks, lane: row / self.blocks }
    }

    /// The particle at `slot`; `None` for a ghost.
    pub fn number(&self, slot: Slot) -> Option<usize> {
        let (column, block) = (slot.block / self.blocks, slot.block % self.blocks);
        let row = slot.lane * self.blocks + block;
        (row < self.rows).then_some(row * self.columns + column)
    }

    /// For each block of a column the lanes whose row has a row `skip` below it.
    pub fn rows_above(&self, skip: usize) -> Vec<Mask> {
        (0..self.blocks).map(|block| Mask::new(|lane| lane * self.blocks + block + skip < self.rows)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_particle_has_a_slot_of_its_own_and_back() {
        for (columns, rows) in [(2, 2), (3, 7), (5, 8), (4, 20), (3, 40), (2, 41)] {
            let grid = Grid::new(columns, rows);
            let mut seen = vec![false; grid.len() * LANES];
            for number in 0..grid.count() {
                let slot = grid.slot(number);
                assert_eq!(grid.number(slot), Some(number));
                assert!(!std::mem::replace(&mut seen[slot.block * LANES + slot.lane], true), "{number}");
            }
            let ghosts = seen.iter().filter(|seen| !**seen).count();
            assert_eq!(ghosts, grid.len() * LANES - grid.count());
        }
    }

    #[test]
    fn a_row_lies_beside_the_next_but_for_the_ends_of_bands() {
        let grid = Grid::new(2, 20);
        assert_eq!(grid.blocks(), 3);
        assert_eq!(grid.slot(0), Slot { block: 0, lane: 0 });
        assert_eq!(grid.slot(2), Slot { block: 1, lane: 0 });
        assert_eq!(grid.slot(6), Slot { block: 0, lane: 1 });
        assert_eq!(grid.slot(7), Slot { block: 3, lane: 1 });
        // Rows 0..20 in bands of three: row 19 is the second of lane 6 and has nothing below it.
        let above = grid.rows_above(1);
        assert_eq!(above[0], Mask::new(|lane| lane < 7));
        assert_eq!(above[1], Mask::new(|lane| lane < 6));
    }
}
