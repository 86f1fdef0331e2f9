//! Pictures as PNG files, and the still of the window.

use super::hands::Action;
use super::overlay::Overlay;
use super::source::StageSource;
use super::{Notice, StageSet};
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// Most stills in one folder; the search for a free name ends there.
const MOST_STILLS: u32 = 100_000;

/// Why a picture was not written.
#[derive(Debug, thiserror::Error)]
pub enum StillError {
    /// The file cannot be written.
    #[error("{path} cannot be written: {source}", path = .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The encoder refused.
    #[error("{path} cannot be encoded: {source}", path = .path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// Why.
        source: png::EncodingError,
    },
    /// There is no free name left.
    #[error("{folder} already holds {MOST_STILLS} stills; move some away", folder = .folder.display())]
    Full {
        /// The folder.
        folder: PathBuf,
    },
}

/// Writes opaque RGBA8 pixels as an RGB PNG with text chunks (Latin-1 keys, any text).
///
/// The same pixels and texts give the same bytes. `out` is the file's path in errors.
pub fn write_png(
    file: impl Write,
    out: &Path,
    size: (u32, u32),
    rgba: &[u8],
    texts: &[(&str, String)],
) -> Result<(), StillError> {
    let encode = |source| StillError::Encode { path: out.to_owned(), source };
    let mut encoder = png::Encoder::new(file, size.0, size.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    for (key, text) in texts {
        encoder.add_itxt_chunk((*key).to_owned(), text.clone()).map_err(encode)?;
    }
    let rgb: Vec<u8> = rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut writer = encoder.write_header().map_err(encode)?;
    writer.write_image_data(&rgb).map_err(encode)?;
    writer.finish().map_err(encode)
}

/// What a worker tells when a still is written or not.
#[derive(Resource)]
struct Written {
    tell: Sender<String>,
    told: Mutex<Receiver<String>>,
}

/// A still on its way: the overlay is hidden for one frame, then the picture is taken.
#[derive(Resource, Default)]
struct Wanted {
    stills: u32,
    hidden: bool,
    seen_from_outside: Option<u64>,
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
    wanted.stills += actions.read().filter(|action| **action == Action::Still).count() as u32;
    if let StageSource::Live(live) = &*source {
        let asked = live.status().stills;
        let seen = wanted.seen_from_outside.replace(asked).unwrap_or(asked);
        // However many were asked for since the last frame, there is one picture to take.
        wanted.stills += u32::from(asked > seen);
    }
    for text in written.told.lock().unwrap_or_else(PoisonError::into_inner).try_iter() {
        notice.say(text);
    }
    if wanted.hidden {
        wanted.hidden = false;
        wanted.stills = 0;
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
        if let Some(overlay) = &mut overlay {
            overlay.suppressed = false;
        }
    } else if wanted.stills > 0 {
        wanted.hidden = true;
        if let Some(overlay) = &mut overlay {
            overlay.suppressed = true;
        }
    }
}

fn write_still(image: Image) -> Result<PathBuf, StillError> {
    let folder = PathBuf::from(".");
    let Ok(picture) = image.try_into_dynamic() else {
        let source = std::io::Error::other("the window's picture has a format that is not known");
        return Err(StillError::Write { path: folder, source });
    };
    let pixels = picture.to_rgba8();
    let size = pixels.dimensions();
    for number in 1..=MOST_STILLS {
        let path = folder.join(format!("pennon-still-{number}.png"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return write_into(file, path, size, pixels.as_raw()),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(StillError::Write { path, source }),
        }
    }
    Err(StillError::Full { folder })
}

fn write_into(file: File, path: PathBuf, size: (u32, u32), rgba: &[u8]) -> Result<PathBuf, StillError> {
    let mut file = BufWriter::new(file);
    write_png(&mut file, &path, size, rgba, &[])?;
    file.flush().map_err(|source| StillError::Write { path: path.clone(), source })?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_holds_its_pixels_and_texts_and_repeats_to_the_byte() {
        let rgba: Vec<u8> = (0..4 * 6).map(|i| if i % 4 == 3 { 255 } else { (i * 7) as u8 }).collect();
        let texts = [("pennon", "{\"name\":\"Fähnchen\"}".to_owned())];
        let write = || {
            let mut bytes = Vec::new();
            write_png(&mut bytes, Path::new("x.png"), (3, 2), &rgba, &texts).expect("encodes");
            bytes
        };
        let bytes = write();
        assert_eq!(bytes, write());
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().expect("a PNG");
        let mut back = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut back).expect("pixels");
        let rgb: Vec<u8> = rgba.chunks(4).flat_map(|p| p[..3].to_vec()).collect();
        assert_eq!(back, rgb);
        let text = &reader.info().utf8_text[0];
        assert_eq!(text.keyword, "pennon");
        assert_eq!(text.get_text().expect("text"), texts[0].1);
    }
}
