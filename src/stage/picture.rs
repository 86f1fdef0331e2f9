//! The picture on the cloth: a PNG that the preset names.
//!
//! A file that cannot be read never stops the show: stripes are drawn and the reason is told once.

use super::{Notice, StageFrame, StageSet};
use crate::export::shot::LARGEST_SIDE;
use crate::params::{RowId, Values, table::PATTERNS};
use bevy::asset::RenderAssetUsages;
use bevy::image::{ImageAddressMode, ImageFilterMode, ImageSampler, ImageSamplerDescriptor};
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a picture is not on the cloth.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The file cannot be opened.
    #[error("picture {path}: {cause}; stripes are shown", path = .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// It is no PNG that can be read.
    #[error("picture {path} is not a readable PNG ({cause}); stripes are shown", path = .path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: png::DecodingError,
    },
    /// It is too large for a texture.
    #[error("picture {path} is {width}×{height} pixels and at most {LARGEST_SIDE} a side fit; stripes are shown", path = .path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// The pattern asks for a picture and the preset names none.
    #[error("look.pattern is picture, but no picture is named; stripes are shown")]
    Unnamed,
}

/// The picture on the cloth.
#[derive(Resource, Debug)]
pub struct StagePicture {
    image: Handle<Image>,
    loaded: Option<Arc<str>>,
    tried: Option<Option<Arc<str>>>,
    problem: Option<String>,
}

impl StagePicture {
    /// The texture; a white pixel until a picture is loaded.
    pub fn image(&self) -> &Handle<Image> {
        &self.image
    }

    /// Why the picture that is asked for is not shown.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Index of the pattern that is drawn: stripes stand in for a picture that is not there.
    pub(super) fn pattern(&self, values: &Values) -> u32 {
        let pattern = values.choice(RowId::LookPattern);
        if is_picture(pattern) && self.loaded.is_none() { 0 } else { pattern.into() }
    }
}

/// Whether the pattern is the picture.
pub(crate) fn is_picture(pattern: u8) -> bool {
    PATTERNS.get(usize::from(pattern)) == Some(&"picture")
}

pub(super) fn build(app: &mut App) {
    let white = Image::new_fill(
        Extent3d { width: 1, height: 1, depth_or_array_layers: 1 },
        TextureDimension::D2,
        &[255; 4],
        TextureFormat::Rgba8UnormSrgb,
        RenderAssetUsages::RENDER_WORLD,
    );
    let image = app.world_mut().resource_mut::<Assets<Image>>().add(white);
    app.insert_resource(StagePicture { image, loaded: None, tried: None, problem: None })
        .init_resource::<Notice>()
        .add_systems(Update, follow.in_set(StageSet::Look).run_if(resource_exists::<StageFrame>));
}

/// Loads the picture when the pattern first needs it and when the preset names another.
fn follow(
    frame: Res<StageFrame>,
    mut picture: ResMut<StagePicture>,
    mut images: ResMut<Assets<Image>>,
    mut notice: ResMut<Notice>,
) {
    let named = &frame.to.picture;
    if !is_picture(frame.to.values.choice(RowId::LookPattern)) || picture.tried.as_ref() == Some(named) {
        return;
    }
    picture.tried = Some(named.clone());
    let read = match named {
        Some(name) => read(Path::new(&**name)),
        None => Err(PictureError::Unnamed),
    };
    match read {
        Ok(image) => {
            picture.image = images.add(image);
            picture.loaded = named.clone();
            picture.problem = None;
        }
        Err(error) => {
            picture.loaded = None;
            picture.problem = Some(error.to_string());
            notice.say(error.to_string());
        }
    }
}

fn read(path: &Path) -> Result<Image, PictureError> {
    let open = |cause| PictureError::Open { path: path.to_owned(), cause };
    let decode = |cause| PictureError::Decode { path: path.to_owned(), cause };
    let mut decoder = png::Decoder::new(BufReader::new(File::open(path).map_err(open)?));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(decode)?;
    let (width, height) = reader.info().size();
    if width.max(height) > LARGEST_SIDE {
        return Err(PictureError::Size { path: path.to_owned(), width, height });
    }
    let mut raw = vec![0; reader.output_buffer_size().unwrap_or(0)];
    let info = reader.next_frame(&mut raw).map_err(decode)?;
    let raw = &raw[..info.buffer_size()];
    let mut pixels: Vec<u8> = Vec::with_capacity(4 * width as usize * height as usize);
    match info.color_type {
        png::ColorType::Rgba => pixels.extend_from_slice(raw),
        png::ColorType::Rgb => pixels.extend(raw.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255])),
        png::ColorType::GrayscaleAlpha => pixels.extend(raw.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]])),
        png::ColorType::Grayscale | png::ColorType::Indexed => {
            pixels.extend(raw.iter().flat_map(|p| [*p, *p, *p, 255]))
        }
    }
    let mut image = Image::new(
        Extent3d { width, height, depth_or_array_layers: 1 },
        TextureDimension::D2,
        pixels,
        TextureFormat::Rgba8UnormSrgb,
        RenderAssetUsages::RENDER_WORLD,
    );
    image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: ImageAddressMode::ClampToEdge,
        address_mode_v: ImageAddressMode::ClampToEdge,
        mag_filter: ImageFilterMode::Linear,
        min_filter: ImageFilterMode::Linear,
        ..default()
    });
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_grey_png_becomes_rgba_and_a_bad_file_says_why() {
        let scratch = Scratch::new();
        let good = scratch.path().join("grey.png");
        let mut encoder = png::Encoder::new(File::create(&good).expect("file"), 2, 1);
        encoder.set_color(png::ColorType::Grayscale);
        let mut writer = encoder.write_header().expect("header");
        writer.write_image_data(&[7, 200]).expect("pixels");
        writer.finish().expect("end");
        let image = read(&good).expect("a good picture");
        assert_eq!(image.data.as_deref(), Some(&[7, 7, 7, 255, 200, 200, 200, 255][..]));

        let bad = scratch.file("bad.png", "not a picture");
        let error = read(&bad).expect_err("no picture").to_string();
        assert!(error.contains("bad.png is not a readable PNG") && error.contains("stripes"), "{error}");
        let error = read(&scratch.path().join("missing.png")).expect_err("no file").to_string();
        assert!(error.contains("missing.png"), "{error}");
    }
}
