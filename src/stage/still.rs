//! Pictures as PNG files, and the still of the window.

use super::hands::Action;
use super::overlay::Overlay;
use super::source::StageSource;
use super::{Notice, StageSet};
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most stills in one folder; the search for a free name ends there.
const MOST_STILLS: u32 = 100_000;
/// Least time between two stills: whatever asks for them, encoding keeps up and a disk does not fill at once.
const BETWEEN_STILLS: Duration = Duration::from_millis(500);

/// Why a picture was not written.
#[derive(Debug, thiserror::Error)]
pub enum StillError {
    /// The file cannot be written.
    #[error("{path} cannot be written: {cause}", path = .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// There is no free name left.
    #[error("{folder} already holds {MOST_STILLS} stills; move some away", folder = .folder.display())]
    Full {
        /// The folder.
        folder: PathBuf,
    },
}

/// Writes opaque RGBA8 pixels as an RGB PNG with text chunks in ASCII.
///
/// The same pixels and texts give the same bytes.
pub fn write_png(file: impl Write, size: (u32, u32), rgba: &[u8], texts: &[(&str, String)]) -> io::Result<()> {
    let mut encoder = png::Encoder::new(file, size.0, size.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    for (key, text) in texts {
        encoder.add_text_chunk((*key).to_owned(), text.clone())?;
    }
    let rgb: Vec<u8> = rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(())
}

/// What a worker tells when a still is written or not.
#[derive(Resource)]
struct Written {
    tell: Sender<String>,
    told: Mutex<Receiver<String>>,
}

/// A still on its way: the line of state is hidden for one frame, the next is taken, then the line is back.
#[derive(Default, Debug, Clone, Copy, PartialEq)]
enum Step {
    #[default]
    Nothing,
    Hide,
    Take,
    Show,
}

/// Where a still is, and whether another is to follow.
#[derive(Resource, Default, Debug)]
struct Wanted {
    step: Step,
    next: bool,
    /// When the last one began.
    last: Option<Instant>,
}

impl Wanted {
    /// What this frame does. A still that is asked for while one is on its way, or too soon after it,
    /// follows when it may.
    fn frame(&mut self, asked: bool, may: bool) -> Step {
        self.next |= asked;
        if may && matches!(self.step, Step::Nothing | Step::Show) && std::mem::take(&mut self.next) {
            self.step = Step::Hide;
        }
        let now = self.step;
        self.step = match now {
            Step::Hide => Step::Take,
            Step::Take => Step::Show,
            Step::Show | Step::Nothing => Step::Nothing,
        };
        now
    }
}

pub(super) fn build(app: &mut App) {
    let (tell, told) = channel();
    app.insert_resource(Written { tell, told: Mutex::new(told) })
        .init_resource::<Wanted>()
        .add_systems(Update, follow.after(StageSet::Mesh));
}

fn follow(
    mut commands: Commands,
    mut actions: MessageReader<Action>,
    source: Res<StageSource>,
    written: Res<Written>,
    mut wanted: ResMut<Wanted>,
    mut overlay: Option<ResMut<Overlay>>,
    mut notice: ResMut<Notice>,
) {
    // However many were asked for since the last frame, there is one picture to take.
    let mut asked = actions.read().filter(|action| **action == Action::Still).count() > 0;
    if let StageSource::Live(live) = &*source {
        asked |= live.still_requested();
    }
    for text in written.told.lock().unwrap_or_else(PoisonError::into_inner).try_iter() {
        notice.say(text);
    }
    let may = wanted.last.is_none_or(|last| last.elapsed() >= BETWEEN_STILLS);
    let now = wanted.frame(asked, may);
    if now == Step::Hide {
        wanted.last = Some(Instant::now());
    }
    if let Some(overlay) = &mut overlay {
        overlay.suppressed = matches!(now, Step::Hide | Step::Take);
    }
    if now == Step::Take {
        let tell = written.tell.clone();
        commands.spawn(Screenshot::primary_window()).observe(move |shot: On<ScreenshotCaptured>| {
            let (image, tell) = (shot.image.clone(), tell.clone());
            // Encoding takes longer than a frame.
            std::thread::spawn(move || {
                // Nobody listens any more when the window has closed; the file is written all the same.
                let _ = tell.send(match write_still(image) {
                    Ok(path) => format!("wrote {}", path.display()),
                    Err(error) => error.to_string(),
                });
            });
        });
    }
}

fn write_still(image: Image) -> Result<PathBuf, StillError> {
    let folder = PathBuf::from(".");
    let Ok(picture) = image.try_into_dynamic() else {
        let cause = io::Error::other("the window's picture has a format that is not known");
        return Err(StillError::Write { path: folder, cause });
    };
    let pixels = picture.to_rgba8();
    let size = pixels.dimensions();
    for number in 1..=MOST_STILLS {
        let path = folder.join(format!("pennon-still-{number}.png"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return write_into(file, path, size, pixels.as_raw()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(cause) => return Err(StillError::Write { path, cause }),
        }
    }
    Err(StillError::Full { folder })
}

fn write_into(file: File, path: PathBuf, size: (u32, u32), rgba: &[u8]) -> Result<PathBuf, StillError> {
    let mut file = BufWriter::new(file);
    match write_png(&mut file, size, rgba, &[]).and_then(|()| file.flush()) {
        Ok(()) => Ok(path),
        Err(cause) => Err(StillError::Write { path, cause }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_still_that_is_asked_for_during_another_follows_it() {
        let mut wanted = Wanted::default();
        let asked = [true, true, true, false, false, false, false, false];
        let steps = asked.map(|asked| wanted.frame(asked, true));
        use Step::{Hide, Nothing, Show, Take};
        // Two more were asked for and there is one more to take: the picture is as young for both.
        assert_eq!(steps, [Hide, Take, Hide, Take, Show, Nothing, Nothing, Nothing]);
        // Too soon: it waits, and is not forgotten.
        assert_eq!(
            [(true, false), (false, false), (false, true)].map(|(asked, may)| wanted.frame(asked, may)),
            [Nothing, Nothing, Hide]
        );
    }

    #[test]
    fn a_png_holds_its_pixels_and_texts_and_repeats_to_the_byte() {
        let rgba: Vec<u8> = (0..4 * 6).map(|i| if i % 4 == 3 { 255 } else { (i * 7) as u8 }).collect();
        let texts = [("pennon", "{\"name\":\"silk\"}".to_owned())];
        let write = || {
            let mut bytes = Vec::new();
            write_png(&mut bytes, (3, 2), &rgba, &texts).expect("encodes");
            bytes
        };
        let bytes = write();
        assert_eq!(bytes, write());
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().expect("a PNG");
        let mut back = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut back).expect("pixels");
        let rgb: Vec<u8> = rgba.chunks(4).flat_map(|p| p[..3].to_vec()).collect();
        assert_eq!(back, rgb);
        let text = &reader.info().uncompressed_latin1_text[0];
        assert_eq!((text.keyword.as_str(), text.text.as_str()), (texts[0].0, texts[0].1.as_str()));
    }
}
