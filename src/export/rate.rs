//! Exact time: fractions, frame rates, and where a frame lies between two ticks.
//!
//! Frame k of a film at num/den frames a second lies at k·den/num seconds, exactly, whatever k is; only
//! the blend between its two ticks is rounded.

use crate::perform::TICK_HERTZ;
use std::fmt;
use std::str::FromStr;

/// Highest frame rate, 1/s: far above any film, and low enough that a mistyped one is told.
pub const HIGHEST_RATE: u64 = 10_000;
/// Longest frame, s.
pub const LONGEST_FRAME: u64 = 3_600;
/// Most digits of a number that a person types for a rate or a duration: more would not stay exact.
const MOST_DIGITS: usize = 12;

/// A non-negative fraction in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fraction {
    num: u128,
    den: u128,
}

impl Fraction {
    /// num/den in lowest terms; `None` when `den` is 0.
    pub fn new(num: u128, den: u128) -> Option<Self> {
        let divisor = gcd(num, den);
        (den != 0).then(|| Fraction { num: num / divisor, den: den / divisor })
    }

    /// Numerator.
    pub fn num(self) -> u128 {
        self.num
    }

    /// Denominator, never 0.
    pub fn den(self) -> u128 {
        self.den
    }

    /// The nearest f64.
    pub fn to_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

impl fmt::Display for Fraction {
    /// Always `num/den`, a whole number as `60/1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.num, self.den)
    }
}

/// Why a text is no rate and no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RateError {
    /// Not a number.
    #[error("{text:?} is no number; write 60, 29.97 or 24000/1001")]
    NotANumber {
        /// What was written.
        text: String,
    },
    /// A rate that no film has.
    #[error("{text} frames a second is outside 1/{LONGEST_FRAME}..{HIGHEST_RATE}")]
    OutOfReach {
        /// What was written.
        text: String,
    },
    /// More frames than a shot may have.
    #[error("{frames} frames are more than {most}, the most of one shot; render it in parts")]
    TooManyFrames {
        /// How many were asked for.
        frames: u128,
        /// The most.
        most: u64,
    },
}

impl FromStr for Fraction {
    type Err = RateError;

    /// Reads `60`, `29.97` (exactly 2997/100) and `24000/1001`.
    fn from_str(text: &str) -> Result<Self, RateError> {
        let read = || match text.trim().split_once('/') {
            Some((num, den)) => Fraction::new(whole(num)?, whole(den)?),
            None => decimal(text.trim()),
        };
        read().ok_or_else(|| RateError::NotANumber { text: text.to_owned() })
    }
}

fn whole(text: &str) -> Option<u128> {
    let ok = (1..=MOST_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    ok.then(|| text.parse().ok())?
}

fn decimal(text: &str) -> Option<Fraction> {
    let (before, after) = text.split_once('.').unwrap_or((text, ""));
    if !text.contains('.') || after.is_empty() {
        return Fraction::new(whole(before)?, 1);
    }
    let den = 10u128.checked_pow(u32::try_from(after.len()).ok()?)?;
    let before = if before.is_empty() { 0 } else { whole(before)? };
    Fraction::new(before.checked_mul(den)?.checked_add(whole(after)?)?, den)
}

/// Frames a second, exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rate(Fraction);

impl Rate {
    /// The most frames of one shot: nineteen hours at 60, and a list of them that still fits into memory.
    pub const MOST_FRAMES: u64 = 1 << 22;

    /// num/den frames a second.
    pub fn new(num: u32, den: u32) -> Result<Self, RateError> {
        let text = format!("{num}/{den}");
        let fraction = Fraction::new(num.into(), den.into()).ok_or(RateError::NotANumber { text: text.clone() })?;
        Rate::checked(fraction, &text)
    }

    fn checked(rate: Fraction, text: &str) -> Result<Self, RateError> {
        let slow = rate.num * u128::from(LONGEST_FRAME) < rate.den;
        if slow || rate.num > rate.den * u128::from(HIGHEST_RATE) {
            return Err(RateError::OutOfReach { text: text.trim().to_owned() });
        }
        Ok(Rate(rate))
    }

    /// The rate as a fraction in lowest terms.
    pub fn fraction(self) -> Fraction {
        self.0
    }

    /// Where frame `index` lies, from 0.
    pub fn frame_at(self, index: u64) -> FrameTime {
        let index = u128::from(index);
        // index · den / num seconds are that many · 120 ticks. Both factors of 120·den and the 64 bits of
        // the index fit 128 bits, since a rate has at most 12 digits.
        let position = index * self.0.den * u128::from(TICK_HERTZ);
        let (tick, rest) = (position / self.0.num, position % self.0.num);
        FrameTime {
            tick: u64::try_from(tick).unwrap_or(u64::MAX),
            blend: (rest as f64 / self.0.num as f64) as f32,
            time: Fraction::new(index * self.0.den, self.0.num).unwrap_or(Fraction { num: 0, den: 1 }),
        }
    }

    /// How many frames lie at or after 0 and before `seconds`.
    pub fn frames_in(self, seconds: Fraction) -> Result<u64, RateError> {
        let (num, den) = (seconds.num.checked_mul(self.0.num), seconds.den.checked_mul(self.0.den));
        let frames = match (num, den) {
            (Some(num), Some(den)) => num.div_ceil(den),
            _ => u128::MAX,
        };
        let most = Rate::MOST_FRAMES;
        u64::try_from(frames).ok().filter(|frames| *frames <= most).ok_or(RateError::TooManyFrames { frames, most })
    }
}

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        Rate::checked(text.parse()?, text)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a frame lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameTime {
    /// The state after this many ticks is the earlier of the two between which the frame lies.
    pub tick: u64,
    /// Way from there to the state one tick later, 0..=1.
    pub blend: f32,
    /// Time of the frame, s.
    pub time: Fraction,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Rate {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn rates_are_read_exactly() {
        for (text, exact) in [
            ("60", "60/1"),
            ("29.97", "2997/100"),
            ("24000/1001", "24000/1001"),
            ("120/2", "60/1"),
            (" 25. ", "25/1"),
            (".5", "1/2"),
            ("0.1", "1/10"),
            ("10000", "10000/1"),
            ("1/3600", "1/3600"),
        ] {
            assert_eq!(rate(text).to_string(), exact, "{text}");
        }
    }

    #[test]
    fn bad_rates_say_why() {
        let told = |text: &str| text.parse::<Rate>().expect_err(text).to_string();
        for text in ["", "x", "-30", "1e3", "NaN", "inf", "1/0", "1/-2", "3/2.5", "1.2.3", "+5", ".", "0x10", "1_000"] {
            assert_eq!(told(text), format!("{text:?} is no number; write 60, 29.97 or 24000/1001"));
        }
        assert_eq!(
            told("9999999999999999999999999"),
            format!("{:?} is no number; write 60, 29.97 or 24000/1001", "9999999999999999999999999")
        );
        assert_eq!(told("0"), "0 frames a second is outside 1/3600..10000");
        assert_eq!(told("10000.1"), "10000.1 frames a second is outside 1/3600..10000");
        assert_eq!(told("1/3601"), "1/3601 frames a second is outside 1/3600..10000");
        assert!(Rate::new(1, 0).is_err());
        assert_eq!(Rate::new(48, 2), "24".parse());
    }

    #[test]
    fn frames_lie_at_exact_times() {
        let film = rate("24000/1001");
        let first = film.frame_at(0);
        assert_eq!((first.tick, first.blend, first.time.to_string()), (0, 0.0, "0/1".to_owned()));
        // 1001/24000 s are 5.005 ticks.
        let second = film.frame_at(1);
        assert_eq!((second.tick, second.time.to_string()), (5, "1001/24000".to_owned()));
        assert!((second.blend - 0.005).abs() < 1e-7);
        // 24000 frames are 1001 s.
        let whole = film.frame_at(24_000);
        assert_eq!((whole.tick, whole.blend, whole.time.to_string()), (1001 * 120, 0.0, "1001/1".to_owned()));
        for (text, ticks) in [("60", 2), ("120", 1), ("30", 4)] {
            for index in [0, 1, 7, 1_000_003] {
                let frame = rate(text).frame_at(index);
                assert_eq!((frame.tick, frame.blend), (index * ticks, 0.0), "{text} {index}");
            }
        }
        let frame = rate("240").frame_at(3);
        assert_eq!((frame.tick, frame.blend), (1, 0.5));
    }

    #[test]
    fn a_late_frame_is_as_exact_as_an_early_one() {
        // Among hundreds of millions of years of film, one second later is one second later.
        let film = rate("24000/1001");
        let late = (1u64 << 44) * 24_000;
        assert_eq!(film.frame_at(late).tick, (1u64 << 44) * 1001 * 120);
        assert_eq!(film.frame_at(late + 1).tick, (1u64 << 44) * 1001 * 120 + 5);
        assert_eq!(film.frame_at(u64::MAX).tick, u64::MAX);
    }

    #[test]
    fn a_duration_counts_the_frames_that_begin_in_it() {
        let frames = |fps: &str, seconds: &str| rate(fps).frames_in(seconds.parse().expect("seconds"));
        assert_eq!(frames("60", "4"), Ok(240));
        assert_eq!(frames("60", "0.01"), Ok(1));
        assert_eq!(frames("60", "0"), Ok(0));
        assert_eq!(frames("29.97", "1"), Ok(30));
        assert_eq!(frames("24000/1001", "1001/1000"), Ok(24));
        assert_eq!(
            frames("60", "100000").expect_err("too many").to_string(),
            "6000000 frames are more than 4194304, the most of one shot; render it in parts"
        );
    }
}
