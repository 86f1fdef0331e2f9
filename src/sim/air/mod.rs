//! What the air does to a cloth: drag on particles, pressure and friction on the sheet.
//!
//! Both laws are integrated so that no setting can turn the relative motion round within a substep: an
//! acceleration proportional to the relative velocity u with rate r changes it by −u r h/(1 + r h), the
//! implicit step, which is less than u for every r h. It must not know where the wind comes from.

pub mod drag;
pub mod sheet;
