//! What reading a preset tolerated, and the nearest name for a mistyped one.

/// Something in a preset that was read in spite of itself.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Warning {
    /// A key that this version does not know. It is kept for the next save.
    #[error("unknown key {key}{}; it is kept and does nothing", hint(nearest))]
    UnknownKey {
        /// Full path of the key.
        key: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// A number outside its range.
    #[error("{key} = {value} is outside {range}; {used} is used")]
    OutOfRange {
        /// Full path of the key.
        key: String,
        /// What the text says.
        value: String,
        /// The range, with its unit.
        range: String,
        /// What is used instead.
        used: String,
    },
    /// A value that cannot be meant here. It is kept for the next save.
    #[error("{key} = {value} must be {wanted}; {used} is used")]
    WrongKind {
        /// Full path of the key.
        key: String,
        /// What the text says.
        value: String,
        /// What can be meant.
        wanted: String,
        /// What is used instead.
        used: String,
    },
    /// A row in a `[[flag]]` table that acts on all flags alike.
    #[error("{key} cannot be fixed for one flag; {row} acts on all of them; it is kept and does nothing")]
    NotPerFlag {
        /// Full path of the key.
        key: String,
        /// The row.
        row: String,
    },
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |name| format!(" (did you mean {name}?)"))
}

/// The candidate that `name` is most likely a mistyping of: at most a third of its characters differ
/// (two in short names), swapped neighbours counting once.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (name.chars().count() / 3).max(2);
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
