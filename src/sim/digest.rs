//! The canonical digest of a state.
//!
//! The first 64 bits of the SHA-256 of the raw little-endian bits: flags in order, particles in row-major
//! order, x y z vx vy vz of each (f32), then each flag's physical time and each gust sine's phase (f64).
//! A layout does not move it; a change of arithmetic does. It must not know what the numbers mean.

use super::cloth::Cloth;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The number of the arithmetic: two states can be compared only when theirs is the same. It moves with
/// every change that moves a digest.
pub const ALGORITHM: u32 = 2;

/// 64 bits that two equal states share; printed as 16 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub u64);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl std::str::FromStr for Digest {
    type Err = std::num::ParseIntError;

    /// 16 hex digits.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Digest)
    }
}

/// The bytes of one cloth, as the digest takes them.
pub fn cloth_bytes(cloth: &Cloth) -> impl Iterator<Item = [u8; 24]> + '_ {
    (0..cloth.grid().count()).map(|number| {
        let (p, v) = (cloth.position(number), cloth.velocity(number));
        let mut bytes = [0; 24];
        for (slot, value) in bytes.chunks_exact_mut(4).zip([p.x, p.y, p.z, v.x, v.y, v.z]) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        bytes
    })
}

/// The digest of these cloths, physical times (s) and phases (rad).
pub fn digest<'a>(
    cloths: impl Iterator<Item = &'a Cloth>,
    times: impl Iterator<Item = f64>,
    phases: impl Iterator<Item = f64>,
) -> Digest {
    let mut hash = Sha256::new();
    for cloth in cloths {
        cloth_bytes(cloth).for_each(|bytes| hash.update(bytes));
    }
    times.chain(phases).for_each(|value| hash.update(value.to_le_bytes()));
    let all = hash.finalize();
    Digest(all.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::super::cut::tests::pole;
    use super::super::cut::{Cut, Mass};
    use super::super::wind::{Wind, WindSettings};
    use super::*;
    use glam::Vec3;

    /// Of nothing at all: the first half of the published SHA-256 of the empty text.
    #[test]
    fn it_is_sha_256() {
        let none = digest(std::iter::empty(), std::iter::empty(), std::iter::empty());
        assert_eq!(none.to_string(), "e3b0c44298fc1c14");
        assert_eq!("e3b0c44298fc1c14".parse(), Ok(none));
    }

    #[test]
    fn every_bit_counts_and_order_is_row_major() {
        let cut = Cut::new(pole(2, 2, 1.0, 1.0, Mass::Areal(0.1)));
        let wind = Wind::new(WindSettings::default()).expect("in reach");
        let mut cloth = Cloth::at_rest(&cut, &wind, false);
        let of = |cloth: &Cloth| digest(std::iter::once(cloth), [0.5].into_iter(), [1.0].into_iter());
        let before = of(&cloth);
        cloth.set_velocity(1, Vec3::new(0.0, 0.0, -0.0));
        assert_ne!(of(&cloth), before);
        cloth.set_position(0, Vec3::new(1.0, 2.0, 3.0));
        cloth.set_position(1, Vec3::new(4.0, 0.0, 0.0));
        let bytes: Vec<u8> = cloth_bytes(&cloth).flatten().collect();
        assert_eq!(bytes[4..8], 2.0f32.to_le_bytes());
        assert_eq!(bytes[24..28], 4.0f32.to_le_bytes());
    }
}
