//! Files of the program: the user's presets, a preset by name or path, a shot.

use crate::cli::Setup;
use anyhow::{Context, Result, bail};
use pennon::export::Shot;
use pennon::export::shot::SHOT_FILE;
use pennon::params::{Library, Preset, Warning};
use std::fs;
use std::path::{Path, PathBuf};

/// Largest text that is read as a preset, bytes: far above any that a person writes.
const LARGEST_PRESET: u64 = 1 << 20;

/// The folder of the user's presets, where there is such a place.
pub fn preset_folder() -> Option<PathBuf> {
    Some(dirs::config_dir()?.join("pennon").join("presets"))
}

/// The shipped presets and the user's, and what is to be said about the user's.
pub fn library() -> (Library, Vec<String>) {
    let mut texts = Vec::new();
    let mut messages = Vec::new();
    let paths = user_presets();
    for path in &paths {
        match preset_text(path) {
            Ok(text) => texts.push((stem(path), text)),
            Err(error) => messages.push(format!("{error:#}")),
        }
    }
    let (mut library, more) = Library::shipped().with_user(texts);
    messages.extend(more);
    // Shipped presets name no picture, so one of a user's name with a picture is the user's.
    for path in &paths {
        let name = stem(path);
        library.presets.iter_mut().filter(|preset| preset.name == name).for_each(|preset| find_picture(preset, path));
    }
    (library, messages)
}

/// The files of the user's presets in order.
pub fn user_presets() -> Vec<PathBuf> {
    let entries = preset_folder().and_then(|folder| fs::read_dir(folder).ok());
    let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    paths.sort();
    paths
}

/// A preset's name: its file's stem.
pub fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// The text of a preset.
pub fn preset_text(path: &Path) -> Result<String> {
    let shown = path.display();
    let size = fs::metadata(path).with_context(|| format!("cannot read {shown}"))?.len();
    if size > LARGEST_PRESET {
        bail!("{shown} has {size} bytes; a preset has at most {LARGEST_PRESET}");
    }
    fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))
}

/// A picture lies where its preset's `file` says, seen from that file's own folder.
fn find_picture(preset: &mut Preset, file: &Path) {
    if let (Some(picture), Some(folder)) = (&mut preset.picture, file.parent()) {
        *picture = folder.join(&*picture).to_string_lossy().into_owned();
    }
}

/// The preset that `setup` asks for with its rows on top, and what was tolerated.
pub fn preset(setup: &Setup, library: &Library) -> Result<(Preset, Vec<Warning>)> {
    let name = setup.preset.as_deref().unwrap_or("default");
    let path = Path::new(name);
    let (mut preset, warnings) = if path.extension().is_some_and(|end| end == "toml") {
        let (mut preset, warnings) =
            Preset::parse(&stem(path), &preset_text(path)?).with_context(|| name.to_owned())?;
        find_picture(&mut preset, path);
        (preset, warnings)
    } else if let Some(preset) = library.by_name(name) {
        (preset.clone(), Vec::new())
    } else {
        let hint = match library.nearest(name) {
            Some(nearest) => format!("did you mean {nearest}?"),
            None => "`pennon presets` lists them; a file's name must end in .toml".to_owned(),
        };
        bail!("there is no preset {name}; {hint}");
    };
    for (row, value) in &setup.rows {
        preset.values.set(*row, *value);
    }
    Ok((preset, warnings))
}

/// The shot in a folder or a `shot.json`.
pub fn shot(path: &Path) -> Result<Shot> {
    let file = if path.is_dir() { path.join(SHOT_FILE) } else { path.to_owned() };
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    Shot::parse(&text).with_context(|| file.display().to_string())
}

/// The first `pennon-shot-N` that is not there yet.
#[cfg(feature = "stage")]
pub fn free_shot_folder() -> PathBuf {
    let folders = (1u32..).map(|number| PathBuf::from(format!("pennon-shot-{number}")));
    folders.into_iter().find(|folder| !folder.exists()).unwrap_or_else(|| "pennon-shot".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_lies_beside_its_preset() {
        let found = |picture: &str| {
            let mut preset = Preset { picture: Some(picture.to_owned()), ..Preset::default() };
            find_picture(&mut preset, &Path::new("show").join("banner.toml"));
            PathBuf::from(preset.picture.expect("named"))
        };
        assert_eq!(found("logo.png"), Path::new("show").join("logo.png"));
        let absolute = std::env::temp_dir().join("logo.png");
        assert_eq!(found(&absolute.to_string_lossy()), absolute);
    }
}
