//! The presets that a player can recall: the shipped ones, and the user's, which shadow them by name.

use super::preset::{Preset, nearest};

/// The shipped presets' names and texts, in program order.
pub static SHIPPED: &[(&str, &str)] = &[
    ("default", include_str!("../../presets/default.toml")),
    ("source", include_str!("../../presets/source.toml")),
    ("calm", include_str!("../../presets/calm.toml")),
    ("breeze", include_str!("../../presets/breeze.toml")),
    ("gale", include_str!("../../presets/gale.toml")),
    ("storm", include_str!("../../presets/storm.toml")),
    ("silk", include_str!("../../presets/silk.toml")),
    ("banner", include_str!("../../presets/banner.toml")),
];

/// Presets in the order in which "next" walks them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Library {
    /// The presets; no two have the same name.
    pub presets: Vec<Preset>,
}

impl Library {
    /// The shipped presets.
    pub fn shipped() -> Library {
        // A shipped preset that is none is caught by the tests, not by a performer.
        Library { presets: SHIPPED.iter().filter_map(|(name, text)| Some(Preset::parse(name, text).ok()?.0)).collect() }
    }

    /// This library with the user's presets, given as names and texts: one of a known name takes its place
    /// (and its program number, where it names none), others follow in the order of their names. The
    /// messages tell what was tolerated and which texts are no presets.
    pub fn with_user(mut self, mut texts: Vec<(String, String)>) -> (Library, Vec<String>) {
        texts.sort();
        let mut messages = Vec::new();
        for (name, text) in texts {
            let mut preset = match Preset::parse(&name, &text) {
                Ok((preset, warnings)) => {
                    messages.extend(warnings.iter().map(|warning| format!("preset {name}: {warning}")));
                    preset
                }
                Err(error) => {
                    messages.push(format!("preset {name} is left out: {error}"));
                    continue;
                }
            };
            match self.presets.iter_mut().find(|known| known.name == name) {
                Some(known) => {
                    preset.program = preset.program.or(known.program);
                    *known = preset;
                }
                None => self.presets.push(preset),
            }
        }
        (self, messages)
    }

    /// The preset of this name; another case will do where no name is exact.
    pub fn by_name(&self, name: &str) -> Option<&Preset> {
        let name = name.trim();
        let exact = self.presets.iter().find(|preset| preset.name == name);
        exact.or_else(|| self.presets.iter().find(|preset| preset.name.eq_ignore_ascii_case(name)))
    }

    /// The preset of this program number. Of several the last has it, so a user's preset comes before a shipped one.
    pub fn by_program(&self, program: i32) -> Option<&Preset> {
        self.presets.iter().rev().find(|preset| preset.program.is_some_and(|known| i32::from(known) == program))
    }

    /// The preset after the one of this name, the first after the last or after an unknown one.
    pub fn next(&self, name: &str) -> Option<&Preset> {
        let next = self.place(name).map_or(0, |place| (place + 1) % self.presets.len());
        self.presets.get(next)
    }

    /// The preset before the one of this name, the last before the first or before an unknown one.
    pub fn previous(&self, name: &str) -> Option<&Preset> {
        let last = self.presets.len().checked_sub(1)?;
        let previous = self.place(name).and_then(|place| place.checked_sub(1)).unwrap_or(last);
        self.presets.get(previous)
    }

    /// The name that an unknown one probably means.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.presets.iter().map(|preset| preset.name.as_str()))
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.presets.iter().position(|preset| preset.name == name)
    }
}

/// Reads a preset as `presets --check` does: anything that would be tolerated is a fault. The faults are for people.
pub fn check(name: &str, text: &str) -> Result<Preset, Vec<String>> {
    match Preset::parse(name, text) {
        Ok((preset, warnings)) if warnings.is_empty() => Ok(preset),
        Ok((_, warnings)) => Err(warnings.iter().map(ToString::to_string).collect()),
        Err(error) => Err(vec![error.to_string()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_presets_are_faultless_and_in_program_order() {
        for (program, (name, text)) in SHIPPED.iter().enumerate() {
            let preset = check(name, text).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
            assert_eq!(preset.program.map(usize::from), Some(program), "{name}");
            assert!(!preset.about.is_empty() && !preset.about.contains('\n'), "{name}: one line of comment");
            // Written again, the file is the same but for its layout.
            assert_eq!(Preset::parse(name, &preset.to_toml()), Ok((preset, vec![])), "{name}");
        }
        assert_eq!(Library::shipped().presets.len(), SHIPPED.len());
    }

    #[test]
    fn the_default_preset_is_the_table() {
        let preset = Library::shipped().presets.remove(0);
        assert_eq!((preset.values, preset.scene), Default::default());
    }

    #[test]
    fn every_preset_of_the_folder_is_shipped() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("presets");
        let files = std::fs::read_dir(folder).expect("presets/").count();
        assert_eq!(files, SHIPPED.len());
    }

    #[test]
    fn the_walk_goes_round() {
        let library = Library::shipped();
        let mut name = "default".to_owned();
        for _ in 0..SHIPPED.len() {
            let next = library.next(&name).expect("there are presets").name.clone();
            assert_eq!(library.previous(&next).map(|preset| preset.name.as_str()), Some(name.as_str()));
            name = next;
        }
        assert_eq!(name, "default");
        assert_eq!(library.next("nobody").map(|preset| preset.name.as_str()), Some("default"));
        assert_eq!(library.previous("nobody").map(|preset| preset.name.as_str()), Some("banner"));
        assert_eq!(Library::default().next("x"), None);
        assert_eq!(Library::default().previous("x"), None);
    }

    #[test]
    fn users_presets_shadow_and_bad_ones_are_told() {
        let user = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let (library, messages) = Library::shipped().with_user(vec![
            user("zephyr", "program = 4\n[wind]\nspeed = 3"),
            user("silk", "[wind]\nspeed = 6"),
            user("broken", "[wind\n"),
            user("typo", "[wind]\nsped = 6"),
        ]);
        let silk = library.by_name("Silk").expect("shadowed, not lost");
        assert_eq!(silk.values.float(crate::params::RowId::WindSpeed), 6.0);
        assert_eq!(silk.program, Some(6));
        assert_eq!(library.by_program(4).map(|preset| preset.name.as_str()), Some("zephyr"));
        assert_eq!(library.by_program(-1), None);
        assert_eq!(library.nearest("zefyr"), Some("zephyr"));
        assert_eq!(library.nearest("something else"), None);
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages[0].starts_with("preset broken is left out: line 1, column "), "{messages:?}");
        assert_eq!(
            messages[1],
            "preset typo: unknown key wind.sped (did you mean wind.speed?); it is kept and does nothing"
        );
    }
}
