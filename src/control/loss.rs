//! What can be wrong with a message, as a fixed list: each is counted, none stops the show.

/// One sort of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// A packet whose framing is broken.
    Packet,
    /// A type tag that OSC does not have.
    UnknownTag,
    /// Bytes that are no text.
    NotText,
    /// No parameter or cue has this address.
    NoSuchAddress,
    /// A pattern that is none.
    BadPattern,
    /// NaN or infinity.
    NotFinite,
    /// An argument of a kind that means nothing here.
    WrongKind,
    /// Too few arguments.
    Missing,
    /// A question to something that has no value.
    NoValue,
    /// More requests in a packet than can ever wait.
    TooMany,
    /// The player's inbox was full.
    InboxFull,
    /// A time tag too far ahead.
    BeyondHorizon,
    /// Too much waits for its time.
    ScheduleFull,
    /// Too many questions wait for their answer, or an answer could not be sent.
    Unanswered,
    /// More arguments than are used; the message works.
    Surplus,
    /// A value outside its range; it is held at the end, and the message works.
    Clamped,
}

/// How often each [`Loss`] happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Losses([u64; Loss::ALL.len()]);

impl Loss {
    /// Every sort with its words.
    pub const ALL: &[(Loss, &str)] = &[
        (Loss::Packet, "broken packet"),
        (Loss::UnknownTag, "unknown type tag"),
        (Loss::NotText, "not text"),
        (Loss::NoSuchAddress, "no such address"),
        (Loss::BadPattern, "bad pattern"),
        (Loss::NotFinite, "not a finite number"),
        (Loss::WrongKind, "wrong kind of argument"),
        (Loss::Missing, "missing argument"),
        (Loss::NoValue, "has no value"),
        (Loss::TooMany, "too many changes in a packet"),
        (Loss::InboxFull, "inbox full"),
        (Loss::BeyondHorizon, "time tag beyond the horizon"),
        (Loss::ScheduleFull, "too much scheduled"),
        (Loss::Unanswered, "unanswered question"),
        (Loss::Surplus, "surplus arguments"),
        (Loss::Clamped, "out of range"),
    ];

    /// Its words.
    pub fn name(self) -> &'static str {
        Loss::ALL[self as usize].1
    }

    /// Whether the message came to nothing.
    pub fn is_refusal(self) -> bool {
        !matches!(self, Loss::Surplus | Loss::Clamped)
    }
}

impl Losses {
    /// Counts one.
    pub fn count(&mut self, loss: Loss) {
        self.0[loss as usize] += 1;
    }

    /// How often.
    pub fn of(&self, loss: Loss) -> u64 {
        self.0[loss as usize]
    }

    /// Everything that came to nothing.
    pub fn refused(&self) -> u64 {
        Loss::ALL.iter().filter(|(loss, _)| loss.is_refusal()).map(|(loss, _)| self.of(*loss)).sum()
    }

    /// Those that happened, with how often.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, u64)> + '_ {
        Loss::ALL.iter().map(|(loss, _)| (*loss, self.of(*loss))).filter(|(_, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_the_order_of_the_numbers() {
        for (place, (loss, name)) in Loss::ALL.iter().enumerate() {
            assert_eq!(*loss as usize, place);
            assert_eq!(loss.name(), *name);
        }
        let mut losses = Losses::default();
        losses.count(Loss::Clamped);
        losses.count(Loss::NotFinite);
        losses.count(Loss::NotFinite);
        assert_eq!(losses.refused(), 2);
        assert_eq!(losses.iter().collect::<Vec<_>>(), [(Loss::NotFinite, 2), (Loss::Clamped, 1)]);
    }
}
