//! Address patterns of OSC 1.0.
//!
//! A pattern and an address match part by part between slashes; no wildcard crosses a slash. In a part,
//! `?` is one character, `*` any run of them (none too), `[a-z]` one of a list, which a leading `!`
//! turns round, and `{foo,bar}` one of some words, taken literally.
//!
//! Matching walks all readings of a part at once, as a set of places in the address: the time is
//! proportional to pattern × address whatever the pattern is, so that no pattern can stall the receiver.

/// Longest address or pattern, in bytes: far above any address of the table, with room for a list of
/// words. It bounds the work that one message can ask for.
pub const LONGEST_PATTERN: usize = 1024;
/// Longest part of an address that patterns can match: places in it are bits of a u128.
const LONGEST_PART: usize = 127;

/// A pattern, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    parts: Vec<Vec<Token>>,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    One(char),
    Any,
    Run,
    List { ranges: Vec<(char, char)>, negated: bool },
    Words(Vec<String>),
}

/// Why a text is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Too long to be meant.
    #[error("it is longer than {LONGEST_PATTERN} bytes")]
    TooLong,
    /// `[` without `]`, or `{` without `}`, before the next slash.
    #[error("its '{0}' is not closed before the next '/'")]
    Open(char),
    /// `]` or `}` that closes nothing.
    #[error("its '{0}' closes nothing")]
    Close(char),
}

impl Pattern {
    /// Whether an address holds any character that makes it a pattern.
    pub fn is_pattern(address: &str) -> bool {
        address.bytes().any(|byte| b"?*[]{}".contains(&byte))
    }

    /// Takes a pattern apart.
    pub fn parse(pattern: &str) -> Result<Pattern, PatternError> {
        if pattern.len() > LONGEST_PATTERN {
            return Err(PatternError::TooLong);
        }
        let parts = pattern.split('/').map(parse_part).collect::<Result<_, _>>()?;
        Ok(Pattern { parts })
    }

    /// How many parts between slashes it has; a leading slash comes after an empty one.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Whether its part of this number matches.
    pub fn matches_part(&self, number: usize, part: &str) -> bool {
        self.parts.get(number).is_some_and(|tokens| part_matches(tokens, part))
    }

    /// Whether the address matches, whole.
    pub fn matches(&self, address: &str) -> bool {
        let mut parts = address.split('/');
        let all = self.parts.iter().all(|tokens| parts.next().is_some_and(|part| part_matches(tokens, part)));
        all && parts.next().is_none()
    }
}

fn parse_part(part: &str) -> Result<Vec<Token>, PatternError> {
    let mut tokens = Vec::new();
    let mut rest = part;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let token = match letter {
            '?' => Token::Any,
            '*' if tokens.last() == Some(&Token::Run) => continue,
            '*' => Token::Run,
            '[' => parse_list(take_until(&mut rest, ']').ok_or(PatternError::Open('['))?),
            '{' => {
                let words = take_until(&mut rest, '}').ok_or(PatternError::Open('{'))?;
                Token::Words(words.split(',').map(str::to_owned).collect())
            }
            ']' | '}' => return Err(PatternError::Close(letter)),
            literal => Token::One(literal),
        };
        tokens.push(token);
    }
    Ok(tokens)
}

fn take_until<'a>(rest: &mut &'a str, end: char) -> Option<&'a str> {
    let (inside, after) = rest.split_once(end)?;
    *rest = after;
    Some(inside)
}

/// A `-` between two characters spans them, in either order; at an end it is itself.
fn parse_list(list: &str) -> Token {
    let (negated, list) = match list.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, list),
    };
    let letters: Vec<char> = list.chars().collect();
    let mut ranges = Vec::new();
    let mut place = 0;
    while let Some(first) = letters.get(place) {
        let last = match letters.get(place + 1..place + 3) {
            Some(['-', last]) => *last,
            _ => *first,
        };
        place += if matches!(letters.get(place + 1..place + 3), Some(['-', _])) { 3 } else { 1 };
        ranges.push((*first.min(&last), *first.max(&last)));
    }
    Token::List { ranges, negated }
}

fn part_matches(tokens: &[Token], part: &str) -> bool {
    // Addresses of the table are ASCII: a byte is a character.
    if part.len() > LONGEST_PART || !part.is_ascii() {
        return false;
    }
    let letters = part.as_bytes();
    // Bit k: the tokens so far can match the first k characters.
    let mut places: u128 = 1;
    for token in tokens {
        places = match token {
            Token::One(literal) => step(places, letters, |letter| letter == *literal),
            Token::Any => step(places, letters, |_| true),
            Token::List { ranges, negated } => step(places, letters, |letter| {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&letter)) != *negated
            }),
            Token::Run => from_lowest_on(places, letters.len()),
            Token::Words(words) => {
                words.iter().fold(0, |reached, word| reached | after_word(places, letters, word.as_bytes()))
            }
        };
        if places == 0 {
            return false;
        }
    }
    places >> letters.len() & 1 == 1
}

fn step(places: u128, letters: &[u8], accepts: impl Fn(char) -> bool) -> u128 {
    let at = |place: usize| places >> place & 1 == 1 && accepts(char::from(letters[place]));
    (0..letters.len()).filter(|place| at(*place)).fold(0, |reached, place| reached | 1 << (place + 1))
}

fn from_lowest_on(places: u128, length: usize) -> u128 {
    let up_to_length = u128::MAX >> (LONGEST_PART - length);
    up_to_length & (u128::MAX << places.trailing_zeros())
}

fn after_word(places: u128, letters: &[u8], word: &[u8]) -> u128 {
    let at = |place: usize| places >> place & 1 == 1 && letters[place..].starts_with(word);
    (0..=letters.len()).filter(|place| at(*place)).fold(0, |reached, place| reached | 1 << (place + word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{CUES, ROWS};

    fn matches(pattern: &str, address: &str) -> bool {
        Pattern::parse(pattern).expect("a pattern").matches(address)
    }

    #[test]
    fn the_rules_of_osc_1_0() {
        #[rustfmt::skip]
        let table: &[(&str, &str, bool)] = &[
            ("/foo", "/foo", true), ("/foo", "/fo", false), ("/foo", "/fooo", false), ("/foo", "/foo/bar", false),
            // ? is exactly one character
            ("/fo?", "/foo", true), ("/fo?", "/fo", false), ("/fo?", "/fooo", false), ("/foo?bar", "/foo/bar", false),
            // * is any run, none too
            ("/foo*", "/foo", true), ("/foo*", "/foobar", true), ("/*", "/foo", true), ("/*", "/foo/bar", false),
            ("/*/bar", "/foo/bar", true), ("/*/*", "/foo/bar", true), ("/*/*", "/foo", false), ("/*o*o*", "/foo", true),
            ("/*o*o*o*", "/foo", false), ("/**", "/foo", true), ("/f*o", "/fo", true), ("/f*", "/of", false),
            ("/wind*", "/wind/speed", false), ("/*", "/", true),
            // [] is one of a list
            ("/foo[0-9]", "/foo1", true), ("/foo[0-9]", "/foo12", false), ("/foo[0-9]", "/foo", false),
            ("/foo[abc]", "/foob", true), ("/foo[abc]", "/food", false), ("/foo[a-cx]", "/foox", true),
            ("/foo[c-a]", "/foob", true), ("/foo[a-]", "/foo-", true), ("/foo[-a]", "/foo-", true),
            ("/foo[a-]", "/foob", false), ("/foo[]", "/foo", false), ("/foo[a-c-e]", "/foo-", true),
            // ! negates when it leads
            ("/[!z]", "/a", true), ("/[!z]", "/z", false), ("/[!z]oo/bar", "/foo/bar", true), ("/foo[!z]bar", "/foo/bar", false),
            ("/[!z]", "//", false), ("/[!a-y]", "/z", true), ("/[!a-y]", "/b", false), ("/[a!]", "/!", true), ("/[!!]", "/!", false),
            ("/[!]", "/a", true), ("/[!z]", "/", false),
            // {} is one of some words
            ("/{foo,bar}", "/foo", true), ("/{foo,bar}", "/bar", true), ("/{foo,bar}", "/baz", false), ("/{foo,bar}", "/foobar", false),
            ("/{fo,foo}", "/foo", true), ("/{fo,foo}o", "/foo", true), ("/{fo,foo}o", "/fooo", true), ("/x{,y}", "/x", true),
            ("/x{,y}", "/xy", true), ("/x{}", "/x", true), ("/{a*,b}", "/ab", false), ("/{[a],b}", "/a", false),
            // mixtures
            ("/{wind,air}/*", "/air/drag", true), ("/w?nd/[s-t]*", "/wind/speed", true), ("/w?nd/[s-t]*", "/wind/heading", false),
            ("/*{ed,ng}", "/speed", true), ("/*{ed,ng}x", "/speed", false),
        ];
        for (pattern, address, wanted) in table {
            assert_eq!(matches(pattern, address), *wanted, "{pattern} on {address}");
        }
    }

    #[test]
    fn faults_are_named() {
        assert_eq!(Pattern::parse("/foo["), Err(PatternError::Open('[')));
        assert_eq!(Pattern::parse("/[a/b]"), Err(PatternError::Open('[')), "no list crosses a slash");
        assert_eq!(Pattern::parse("/{a/b}"), Err(PatternError::Open('{')));
        assert_eq!(Pattern::parse("/a]"), Err(PatternError::Close(']')));
        assert_eq!(Pattern::parse("/a}"), Err(PatternError::Close('}')));
        assert_eq!(Pattern::parse(&"/a".repeat(LONGEST_PATTERN)), Err(PatternError::TooLong));
        for address in ["/a?", "/*", "/[", "/]", "/{", "/}"] {
            assert!(Pattern::is_pattern(address));
        }
        assert!(!Pattern::is_pattern("/wind/gust_scale"));
    }

    /// A pattern that backtracking would try in more ways than there are atoms.
    #[test]
    fn hostile_patterns_end() {
        let address = format!("/{}", "a".repeat(LONGEST_PART));
        for part in ["*a", "{,a}", "{a,aa,}", "*?", "[!b]*", "*{a,aa}"] {
            let pattern = format!("/{}b", part.repeat((LONGEST_PATTERN - 2) / part.len()));
            assert!(!matches(&pattern, &address), "{part}");
        }
        assert!(matches("/*a", &address));
        assert!(!matches("/*", &format!("{address}a")), "longer parts never match");
    }

    #[test]
    fn every_address_of_the_table_can_be_matched() {
        let rows = ROWS.iter().flat_map(|row| std::iter::once(row.address()).chain(row.norm_address()));
        for address in rows.chain(CUES.iter().map(|cue| cue.address.to_owned())) {
            assert!(matches(&address.replace(|letter: char| letter.is_ascii_alphanumeric(), "?"), &address));
            assert!(address.is_ascii() && !Pattern::is_pattern(&address));
        }
    }

    /// The definition, with backtracking.
    fn slow(tokens: &[Token], part: &str) -> bool {
        let Some((token, rest)) = tokens.split_first() else { return part.is_empty() };
        match token {
            Token::Run => (0..=part.len()).any(|skip| slow(rest, &part[skip..])),
            Token::Words(words) => {
                words.iter().any(|word| part.strip_prefix(word.as_str()).is_some_and(|after| slow(rest, after)))
            }
            _ => part.chars().next().is_some_and(|letter| {
                let fits = match token {
                    Token::One(literal) => letter == *literal,
                    Token::List { ranges, negated } => {
                        ranges.iter().any(|(low, high)| (*low..=*high).contains(&letter)) != *negated
                    }
                    _ => true,
                };
                fits && slow(rest, &part[1..])
            }),
        }
    }

    #[test]
    fn equals_the_definition_on_many_small_cases() {
        let pieces = ["a", "b", "?", "*", "[ab]", "[!a]", "{a,bb}", "{,ab}"];
        let mut state = 1u64;
        let mut dice = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % end
        };
        let mut hits = 0;
        for _ in 0..50_000 {
            let pattern: String = (0..dice(6)).map(|_| pieces[dice(pieces.len())]).collect();
            let part: String = (0..dice(6)).map(|_| ["a", "b", "c"][dice(3)]).collect();
            let tokens = parse_part(&pattern).expect("sound");
            let wanted = slow(&tokens, &part);
            hits += usize::from(wanted);
            assert_eq!(part_matches(&tokens, &part), wanted, "{pattern} on {part}");
        }
        assert!(hits > 1000, "{hits} matches among them");
    }
}
