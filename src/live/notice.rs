//! Lines for people: each said once, then counted.

use std::collections::{BTreeMap, VecDeque};

/// Lines kept; the oldest leaves first.
const MOST_NOTICES: usize = 50;
/// Faults of one sort that are said in words; of more only that there are more, so that a flood of one sort
/// cannot push everything else out.
pub const MOST_SAID: usize = 4;
/// Longest line, in characters: what a hostile sender can put on the screen.
const LONGEST_NOTICE: usize = 300;

/// The last lines, without repetitions.
#[derive(Debug, Default)]
pub struct Notices {
    lines: VecDeque<(String, u64)>,
}

impl Notices {
    /// Adds a line. One that is already there is counted and becomes the latest.
    pub fn add(&mut self, line: &str) {
        let line: String = line
            .chars()
            .take(LONGEST_NOTICE)
            .map(|letter| if letter.is_control() { '\u{fffd}' } else { letter })
            .collect();
        let known = self.lines.iter().position(|(text, _)| *text == line);
        let entry = match known.and_then(|place| self.lines.remove(place)) {
            Some((text, count)) => (text, count.saturating_add(1)),
            None => (line, 1),
        };
        if self.lines.len() == MOST_NOTICES {
            self.lines.pop_front();
        }
        self.lines.push_back(entry);
    }

    /// The lines, latest last, with how often they were said.
    pub fn lines(&self) -> Vec<String> {
        let show = |(text, count): &(String, u64)| match count {
            1 => text.clone(),
            count => format!("{text} (×{count})"),
        };
        self.lines.iter().map(show).collect()
    }
}

/// Which faults were said already, by sort.
#[derive(Debug)]
pub struct Said<Sort>(BTreeMap<Sort, Vec<String>>);

/// What to say of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saying {
    /// The fault in words.
    Words,
    /// That more of this sort is not said.
    More,
    /// Nothing.
    Nothing,
}

impl<Sort> Default for Said<Sort> {
    fn default() -> Self {
        Said(BTreeMap::new())
    }
}

impl<Sort: Ord> Said<Sort> {
    /// What to say of the fault that `key` names among those of its sort. Cheap, unlike finding the words.
    pub fn again(&mut self, sort: Sort, key: &str) -> Saying {
        let said = self.0.entry(sort).or_default();
        if said.len() > MOST_SAID || said.iter().any(|known| known == key) {
            return Saying::Nothing;
        }
        said.push(key.to_owned());
        if said.len() > MOST_SAID { Saying::More } else { Saying::Words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_one_sort_is_said_four_times() {
        let mut said = Said::default();
        assert_eq!(said.again("particle", "0"), Saying::Words);
        assert_eq!(said.again("particle", "0"), Saying::Nothing, "once each");
        let sayings: Vec<Saying> = (1..1000).map(|number| said.again("particle", &number.to_string())).collect();
        assert_eq!(sayings[..MOST_SAID], [Saying::Words, Saying::Words, Saying::Words, Saying::More]);
        assert!(sayings[MOST_SAID..].iter().all(|saying| *saying == Saying::Nothing));
        assert_eq!(said.again("preset", "0"), Saying::Words, "another sort has its own");
        assert_eq!(said.0["particle"].len(), MOST_SAID + 1, "bounded");
    }

    #[test]
    fn says_once_counts_and_stays_small() {
        let mut notices = Notices::default();
        notices.add("a");
        notices.add("b");
        notices.add("a");
        assert_eq!(notices.lines(), ["b", "a (×2)"]);
        for number in 0..1000 {
            notices.add(&format!("line {number}"));
        }
        assert_eq!(notices.lines().len(), MOST_NOTICES);
        assert_eq!(notices.lines().last().map(String::as_str), Some("line 999"));
        notices.add(&"\u{1b}é".repeat(10_000));
        let last = notices.lines().pop().expect("a line");
        assert_eq!(last.chars().count(), LONGEST_NOTICE);
        assert!(!last.contains('\u{1b}'));
    }
}
