//! The folder of a shot: whole files or none, and nothing left behind when a shot fails.

use super::render::CaptureError;
use crate::export::shot::SHOT_FILE;
use crate::export::{Shot, ShotHead};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Beginning of the name of a file that is still being written.
const PARTIAL: &str = ".pennon-partial-";

/// Name of a frame's picture.
pub fn frame_name(index: u64) -> String {
    format!("frame-{index:06}.png")
}

/// A shot's folder while the shot is made. Unless it is kept, what was written goes away again.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Folders that were made for it, innermost first.
    made: Vec<PathBuf>,
    frames: Range<u64>,
    /// Files that this run wrote.
    written: Mutex<Vec<PathBuf>>,
    kept: bool,
}

impl Folder {
    /// Opens or makes the folder. One that holds anything but files of this same shot is refused, and
    /// nothing in it is touched before [`Folder::begin`].
    pub fn open(path: &Path, head: &ShotHead, frames: Range<u64>) -> Result<Folder, CaptureError> {
        let mut folder =
            Folder { path: path.to_owned(), made: Vec::new(), frames, written: Mutex::default(), kept: false };
        folder.check(head)?;
        let missing = path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        folder.made = missing.map(Path::to_owned).collect();
        fs::create_dir_all(path).map_err(|cause| folder.error(cause))?;
        // A folder that cannot take a file is told before the first frame is drawn.
        let probe = path.join(format!("{PARTIAL}probe"));
        fs::File::create(&probe).and_then(|_| fs::remove_file(&probe)).map_err(|cause| folder.error(cause))?;
        Ok(folder)
    }

    /// The first frame is drawn: from here on an older description is wrong.
    pub fn begin(&self) -> Result<(), CaptureError> {
        match fs::remove_file(self.path.join(SHOT_FILE)) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(self.error(cause)),
            _ => Ok(()),
        }
    }

    fn error(&self, cause: io::Error) -> CaptureError {
        CaptureError::Folder { path: self.path.clone(), cause }
    }

    fn check(&self, head: &ShotHead) -> Result<(), CaptureError> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(self.error(cause)),
        };
        for entry in entries {
            let name = entry.map_err(|cause| self.error(cause))?.file_name();
            let name = name.to_string_lossy();
            let number = name.strip_prefix("frame-").and_then(|rest| rest.strip_suffix(".png")?.parse::<u64>().ok());
            let own = number.is_some_and(|index| self.frames.contains(&index) && frame_name(index) == name);
            if !own && name != SHOT_FILE && !name.starts_with(PARTIAL) {
                return Err(CaptureError::Foreign { path: self.path.clone(), file: name.into_owned() });
            }
        }
        self.check_description(head)
    }

    /// A description that is already there must be of the same shot.
    fn check_description(&self, head: &ShotHead) -> Result<(), CaptureError> {
        let text = match fs::read_to_string(self.path.join(SHOT_FILE)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(self.error(cause)),
        };
        let Ok(old) = Shot::parse(&text) else {
            return Err(CaptureError::Foreign { path: self.path.clone(), file: SHOT_FILE.to_owned() });
        };
        if old.head.same_shot(head) {
            return Ok(());
        }
        let (mut holds, mut wanted) = (old.head.in_words(), head.in_words());
        if holds == wanted {
            holds += " with other parameters";
            wanted += " as asked for now";
        }
        Err(CaptureError::OtherShot { path: self.path.clone(), holds, wanted })
    }

    /// Writes a whole file beside its name and then gives it its name.
    pub fn write(
        &self,
        name: &str,
        write: impl FnOnce(&mut io::BufWriter<fs::File>) -> io::Result<()>,
    ) -> Result<(), CaptureError> {
        let partial = self.path.join(format!("{PARTIAL}{name}"));
        let whole = || {
            let mut file = io::BufWriter::new(fs::File::create(&partial)?);
            write(&mut file)?;
            file.into_inner().map_err(io::IntoInnerError::into_error)?;
            let path = self.path.join(name);
            fs::rename(&partial, &path)?;
            self.written.lock().unwrap_or_else(PoisonError::into_inner).push(path);
            Ok(())
        };
        whole().map_err(|cause| {
            let _ = fs::remove_file(&partial);
            CaptureError::Write { path: self.path.join(name), cause }
        })
    }

    /// The shot is complete.
    pub fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        // Best effort: what cannot be removed does no harm without its description.
        for path in self.written.get_mut().unwrap_or_else(PoisonError::into_inner) {
            let _ = fs::remove_file(path);
        }
        if let Ok(entries) = fs::read_dir(&self.path) {
            for entry in entries.flatten() {
                if entry.file_name().to_string_lossy().starts_with(PARTIAL) {
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
        for folder in &self.made {
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Preset, RowId, Value};
    use crate::scratch::Scratch;
    use std::io::Write;

    fn head() -> ShotHead {
        ShotHead {
            algorithm: 1,
            version: "0.1.0".to_owned(),
            preset: Preset { name: "gale".to_owned(), ..Preset::default() },
            size: (8, 8),
            rate: "60".parse().expect("rate"),
            adapter: "none".to_owned(),
            picture_sha256: None,
        }
    }

    fn open(path: &Path) -> Result<Folder, CaptureError> {
        Folder::open(path, &head(), 0..2)
    }

    fn description(head: ShotHead) -> String {
        Shot { head, frames: vec![] }.to_text()
    }

    #[test]
    fn a_failed_shot_leaves_nothing_and_a_kept_one_everything() {
        let scratch = Scratch::new();
        let base = scratch.path().join("base");
        let out = base.join("deep").join("shot");
        let folder = open(&out).expect("opens");
        folder.write(&frame_name(0), |file| file.write_all(b"x")).expect("writes");
        drop(folder);
        assert!(!base.exists());

        let folder = open(&out).expect("opens");
        folder.write(&frame_name(1), |file| file.write_all(b"x")).expect("writes");
        let failed = folder.write(&frame_name(0), |_| Err(io::Error::other("full")));
        assert!(failed.is_err_and(|error| error.to_string().contains("frame-000000.png")));
        folder.keep();
        let names: Vec<_> = fs::read_dir(&out).expect("kept").flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(names, ["frame-000001.png"]);
    }

    #[test]
    fn an_older_shot_is_whole_until_the_first_frame_and_no_frame_of_a_failed_run_stays() {
        let scratch = Scratch::new();
        let text = description(head());
        let shot = scratch.file(SHOT_FILE, &text);
        let frames = [0, 1].map(|index| scratch.file(&frame_name(index), "old"));
        drop(open(scratch.path()).expect("opens"));
        assert_eq!(fs::read_to_string(&shot).expect("there"), text);
        assert!(frames.iter().all(|frame| frame.exists()));

        let folder = open(scratch.path()).expect("opens");
        folder.begin().expect("begins");
        folder.write(&frame_name(0), |file| file.write_all(b"new")).expect("writes");
        drop(folder);
        assert_eq!([&shot, &frames[0], &frames[1]].map(|path| path.exists()), [false, false, true]);
    }

    #[test]
    fn another_shot_is_named_and_not_touched() {
        let scratch = Scratch::new();
        let mut other = head();
        other.preset.values.set(RowId::WindSeed, Value::Int(7));
        let shot = scratch.file(SHOT_FILE, &description(other));
        let error = open(scratch.path()).expect_err("another shot").to_string();
        assert!(error.contains("\"gale\", seed 7") && error.contains("\"gale\", seed 1"), "{error}");
        assert!(shot.exists());

        let mut other = head();
        other.preset.values.set(RowId::WindSpeed, Value::Float(3.0));
        scratch.file(SHOT_FILE, &description(other));
        let error = open(scratch.path()).expect_err("another shot").to_string();
        assert!(error.contains("with other parameters"), "{error}");
    }

    #[test]
    fn only_files_of_the_same_shot_are_written_over() {
        let scratch = Scratch::new();
        let own = description(head());
        for (name, text, welcome) in [
            ("frame-000001.png", "", true),
            (SHOT_FILE, &*own, true),
            (SHOT_FILE, "{}", false),
            ("frame-000002.png", "", false),
            ("frame-1.png", "", false),
            ("holiday.jpg", "", false),
        ] {
            let file = scratch.file(name, text);
            match open(scratch.path()) {
                Ok(folder) => {
                    assert!(welcome, "{name}");
                    folder.keep();
                }
                Err(error) => assert!(!welcome && error.to_string().contains(name), "{name}: {error}"),
            }
            fs::remove_file(file).expect("not touched");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let scratch = Scratch::new();
        let file = scratch.file("file", "");
        let error = open(&file.join("shot")).expect_err("a file is no folder").to_string();
        assert!(error.contains("shot"), "{error}");
    }
}
