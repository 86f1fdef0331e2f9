//! The table for people and for machines.

use super::table::{Kind, Row};

/// The range of a row with its unit, for people: `0..40 m/s`.
pub fn range_text(row: &Row) -> String {
    let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
    match row.kind {
        Kind::Float { range, .. } => format!("{}..{}{unit}", range.min, range.max),
        Kind::Int { min, max, .. } => format!("{min}..{max}{unit}"),
        Kind::Switch { .. } => "off, on".to_owned(),
        Kind::Choice { names, .. } => names.join(", "),
        Kind::Colour { .. } => "0..1 each".to_owned(),
    }
}
