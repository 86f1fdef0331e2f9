//! The folder of a shot: whole files or none, and nothing left behind when a shot fails.

use super::render::CaptureError;
use crate::export::shot::SHOT_FILE;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

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
    kept: bool,
}

impl Folder {
    /// Opens or makes the folder. One that holds anything but files of this same shot is refused.
    pub fn open(path: &Path, frames: Range<u64>) -> Result<Folder, CaptureError> {
        let mut folder = Folder { path: path.to_owned(), made: Vec::new(), frames, kept: false };
        folder.check()?;
        let missing = path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let made: Vec<_> = missing.map(Path::to_owned).collect();
        fs::create_dir_all(path).map_err(|cause| folder.error(cause))?;
        folder.made = made;
        // A folder that cannot take a file is told before the first frame is drawn.
        folder.write("probe", |_| Ok(()))?;
        fs::remove_file(path.join("probe")).map_err(|cause| folder.error(cause))?;
        // From here on the old description is wrong.
        match fs::remove_file(path.join(SHOT_FILE)) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(folder.error(cause)),
            _ => Ok(folder),
        }
    }

    fn error(&self, cause: io::Error) -> CaptureError {
        CaptureError::Folder { path: self.path.clone(), cause }
    }

    fn check(&self) -> Result<(), CaptureError> {
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
        Ok(())
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
            fs::rename(&partial, self.path.join(name))
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
        if let Ok(entries) = fs::read_dir(&self.path) {
            for entry in entries.flatten() {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let started = name.starts_with(PARTIAL);
                if started || (!self.made.is_empty() && (name.starts_with("frame-") || name == SHOT_FILE)) {
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
    use std::io::Write;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("pennon-folder-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn a_failed_shot_leaves_nothing_and_a_kept_one_everything() {
        let base = scratch("fails");
        let out = base.join("deep").join("shot");
        let folder = Folder::open(&out, 0..2).expect("opens");
        folder.write(&frame_name(0), |file| file.write_all(b"x")).expect("writes");
        drop(folder);
        assert!(!base.exists());

        let folder = Folder::open(&out, 0..2).expect("opens");
        folder.write(&frame_name(1), |file| file.write_all(b"x")).expect("writes");
        let failed = folder.write(&frame_name(0), |_| Err(io::Error::other("full")));
        assert!(failed.is_err_and(|error| error.to_string().contains("frame-000000.png")));
        folder.keep();
        let names: Vec<_> = fs::read_dir(&out).expect("kept").flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(names, ["frame-000001.png"]);
        fs::remove_dir_all(&base).expect("tidy");
    }

    #[test]
    fn only_files_of_the_same_shot_are_written_over() {
        let out = scratch("foreign");
        fs::create_dir_all(&out).expect("folder");
        for (name, welcome) in [
            ("frame-000001.png", true),
            ("shot.json", true),
            ("frame-000002.png", false),
            ("frame-1.png", false),
            ("holiday.jpg", false),
        ] {
            fs::write(out.join(name), b"").expect("file");
            let opened = Folder::open(&out, 0..2);
            match opened {
                Ok(folder) => {
                    assert!(welcome, "{name}");
                    folder.keep();
                }
                Err(error) => assert!(!welcome && error.to_string().contains(name), "{name}: {error}"),
            }
            let _ = fs::remove_file(out.join(name));
        }
        fs::remove_dir_all(&out).expect("tidy");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let file = scratch("file");
        fs::write(&file, b"").expect("file");
        let error = Folder::open(&file.join("shot"), 0..1).expect_err("a file is no folder").to_string();
        assert!(error.contains("shot"), "{error}");
        fs::remove_file(&file).expect("tidy");
    }
}
