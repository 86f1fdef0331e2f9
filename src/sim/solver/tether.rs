//! Tethers: no particle goes farther from its pin than a multiple of its rest path.
//!
//! Long range attachments (Kim, Chentanez, Müller 2012), the nearest pin only.

use super::super::cut::Cut;
use super::super::lanes::{Block, Block3, Lanes, load3};

/// At this multiple of the rest path the tethers are off.
pub const TETHERS_OFF: f32 = 2.0;

/// Where each particle's pin is and how far away it lies at rest; pins never move.
#[derive(Debug, Clone)]
pub struct Tethers {
    /// By block of a column where all columns share them, else by block of the grid; none without pins.
    pins: Vec<Block3>,
    /// In blocks likewise. A ghost's is 0, and it lies on its pin.
    paths: Vec<Block>,
    /// Where all columns share the pins: path of each column, m.
    column_paths: Vec<f32>,
}

impl Tethers {
    /// Those of `cut`.
    pub fn new(cut: &Cut) -> Self {
        let grid = cut.grid();
        let mut tethers = Tethers { pins: Vec::new(), paths: Vec::new(), column_paths: Vec::new() };
        let anchors = cut.anchors();
        if anchors.is_empty() {
            return tethers;
        }
        // The hoist is pinned: a particle's pin is the first of its row.
        let shared = anchors.iter().enumerate().all(|(i, anchor)| anchor.pin as usize == i - i % grid.columns());
        let columns = if shared { 1 } else { grid.columns() };
        tethers.pins = vec![Block3::default(); columns * grid.blocks()];
        tethers.paths = vec![Block::default(); if shared { 0 } else { grid.len() }];
        for (number, anchor) in anchors.iter().enumerate() {
            let slot = grid.slot(number);
            if let Some(pin) = tethers.pins.get_mut(slot.block) {
                let place = cut.rest(anchor.pin as usize);
                (pin.x.0[slot.lane], pin.y.0[slot.lane], pin.z.0[slot.lane]) = place.into();
            }
            if let Some(path) = tethers.paths.get_mut(slot.block) {
                path.0[slot.lane] = anchor.path;
            }
        }
        if shared {
            tethers.column_paths.extend(anchors[..grid.columns()].iter().map(|anchor| anchor.path));
        }
        tethers
    }

    /// Pin and path of block `block` of column `column`; `None` without pins.
    #[inline(always)]
    pub fn of<V: Lanes>(&self, column: usize, block: usize, blocks: usize) -> Option<([V; 3], V)> {
        if let Some(path) = self.column_paths.get(column) {
            return self.pins.get(block).map(|pin| (load3(pin), V::splat(*path)));
        }
        let at = column * blocks + block;
        Some((load3(self.pins.get(at)?), V::load(self.paths.get(at)?)))
    }
}

/// Brings what is farther than `reach` from `pin` back to it, where `inverse_mass` > 0.
#[inline(always)]
pub fn hold<V: Lanes>(place: [V; 3], pin: [V; 3], reach: V, inverse_mass: V) -> [V; 3] {
    let d = [place[0] - pin[0], place[1] - pin[1], place[2] - pin[2]];
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let beyond = (square - reach * reach).where_positive(inverse_mass);
    if !beyond.any_positive() {
        return place;
    }
    let share = reach / square.root();
    [
        (pin[0] + d[0] * share).or_where_positive(beyond, place[0]),
        (pin[1] + d[1] * share).or_where_positive(beyond, place[1]),
        (pin[2] + d[2] * share).or_where_positive(beyond, place[2]),
    ]
}
