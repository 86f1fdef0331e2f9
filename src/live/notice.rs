//! Lines for people: each said once, then counted.

use std::collections::VecDeque;

/// Lines kept; the oldest leaves first.
const MOST_NOTICES: usize = 50;
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

#[cfg(test)]
mod tests {
    use super::*;

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
