//! Draws the frames of a shot, one after the other, and hands them to workers that encode and write.

use super::encode::{Drawn, IN_FLIGHT, Outlet, write_all};
use super::folder::{Folder, frame_name};
use super::stepper::{Stepper, Still};
use crate::export::shot::{LARGEST_SIDE, PNG_KEYWORD, SHOT_FILE, sha256_hex};
use crate::export::{Rate, Shot, ShotHead};
use crate::params::{Preset, RowId, SceneError};
use crate::perform::{Machine, Performance};
use crate::sim::digest::ALGORITHM;
use crate::stage::{
    self, Adapter, INTERRUPTED, PennonPlugin, StageError, StageFrame, StagePicture, StageSamples, StageTarget,
};
use bevy::app::PluginsState;
use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{
    Buffer, BufferDescriptor, BufferUsages, CachedPipelineState, CommandEncoderDescriptor, Extent3d, MapMode,
    PipelineCache, PollType, TexelCopyBufferInfo, TexelCopyBufferLayout, TextureDimension, TextureFormat,
    TextureUsages,
};
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice, RenderQueue};
use bevy::render::texture::GpuImage;
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Pictures of the first frame until it must have settled: textures and pipelines arrive in the first few.
const MOST_WARM_UPS: u32 = 120;
/// Fewest pictures of the first frame: the camera learns its size in the first and follows in the second.
const FEWEST_WARM_UPS: u32 = 4;

/// A shot to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Rows and structure.
    pub preset: Preset,
    /// Frames a second.
    pub rate: Rate,
    /// Which frames of the shot: the whole is 0..count, a share is a part of it.
    pub frames: Range<u64>,
    /// Width and height, px.
    pub size: (u32, u32),
    /// The folder for the frames and `shot.json`.
    pub out: PathBuf,
}

/// How far a shot is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Frames drawn.
    pub done: u64,
    /// Frames asked for.
    pub total: u64,
}

/// Why a shot was not made.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// Nothing that can draw.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// A structure that cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A picture without area or larger than adapters promise.
    #[error("size {width}x{height} must be from 1x1 to {LARGEST_SIDE}x{LARGEST_SIDE} pixels")]
    Size {
        /// Asked for.
        width: u32,
        /// Asked for.
        height: u32,
    },
    /// No frames, or more than one shot may have.
    #[error("frames {start}..{end} must be at least one and end at {most} or before", most = Rate::MOST_FRAMES)]
    Frames {
        /// First.
        start: u64,
        /// Behind the last.
        end: u64,
    },
    /// The folder cannot be used.
    #[error("folder {path} cannot be used: {cause}", path = .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// The folder holds something else.
    #[error("folder {path} holds {file}, which is not of this shot; name a new folder", path = .path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        file: String,
    },
    /// The folder holds another shot.
    #[error(
        "folder {path} holds another shot ({holds}), not this one ({wanted}); name a new folder",
        path = .path.display()
    )]
    OtherShot {
        /// The folder.
        path: PathBuf,
        /// The shot that is there.
        holds: String,
        /// The shot that is asked for.
        wanted: String,
    },
    /// A file cannot be written.
    #[error("{path} cannot be written: {cause}", path = .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// The picture on the cloth cannot be shown.
    #[error("{0}")]
    Picture(String),
    /// The adapter did not draw.
    #[error("the adapter {adapter} does not draw: {reason}")]
    Draw {
        /// Its name.
        adapter: String,
        /// What happened.
        reason: String,
    },
    /// Stopped from outside.
    #[error("stopped before the shot was complete; nothing is kept")]
    Stopped,
}

/// Makes a shot. `progress` is called after each frame.
///
/// All frames are written or none: after an error what was written is gone, and so is a folder that was made
/// for the shot. A shot that was in the folder before is untouched until the first frame is drawn.
pub fn run(request: &Request, progress: &mut dyn FnMut(Progress)) -> Result<Shot, CaptureError> {
    let (width, height) = request.size;
    if !(1..=LARGEST_SIDE).contains(&width) || !(1..=LARGEST_SIDE).contains(&height) {
        return Err(CaptureError::Size { width, height });
    }
    let frames = request.frames.clone();
    if frames.is_empty() || frames.end > Rate::MOST_FRAMES {
        return Err(CaptureError::Frames { start: frames.start, end: frames.end });
    }
    let mut performance = Performance::new(&request.preset)?;
    performance.set_machine(Machine::whole());
    let picture_sha256 = picture_hash(&request.preset)?;
    let mut studio = Studio::open(request.size, &Adapter::find()?);
    let head = ShotHead {
        algorithm: ALGORITHM,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        preset: request.preset.clone(),
        size: request.size,
        rate: request.rate,
        adapter: studio.adapter.clone(),
        picture_sha256,
    };
    let folder = Folder::open(&request.out, &head, frames.clone())?;
    let total = frames.end - frames.start;
    let stills = Stepper::new(performance, request.rate, frames);
    let records = thread::scope(|scope| {
        let (send, coming) = sync_channel(IN_FLIGHT);
        // The performance runs ahead of the picture; it stops when nobody takes its frames any more.
        scope.spawn(move || stills.into_iter().try_for_each(|still| send.send(still)));
        write_all(
            request.rate,
            |record, rgba| {
                let texts = [(PNG_KEYWORD, head.png_text(record))];
                folder.write(&frame_name(record.index), |file| stage::write_png(file, head.size, rgba, &texts))
            },
            |outlet| draw(&mut studio, coming, &folder, &outlet, &mut |done| progress(Progress { done, total })),
        )
    })?;
    let shot = Shot { head, frames: records };
    folder.write(SHOT_FILE, |file| file.write_all(shot.to_text().as_bytes()))?;
    folder.keep();
    Ok(shot)
}

/// The hash of the picture on the cloth, where one is shown.
fn picture_hash(preset: &Preset) -> Result<Option<String>, CaptureError> {
    let Some(path) = preset.picture.as_ref().filter(|_| stage::is_picture(preset.values.choice(RowId::LookPattern)))
    else {
        return Ok(None);
    };
    let bytes = std::fs::read(path).map_err(|cause| CaptureError::Picture(format!("picture {path}: {cause}")))?;
    Ok(Some(sha256_hex(&bytes)))
}

fn draw(
    studio: &mut Studio,
    coming: Receiver<Still>,
    folder: &Folder,
    outlet: &Outlet,
    progress: &mut dyn FnMut(u64),
) -> Result<(), CaptureError> {
    for (done, still) in (1..).zip(coming) {
        if done == 1 {
            studio.warm_up(&still.frame)?;
        }
        let rgba = studio.draw(still.frame)?;
        if done == 1 {
            folder.begin()?;
        }
        if !outlet.take(Drawn { index: still.index, digest: still.digest, rgba }) {
            // The encoders say why.
            return Err(CaptureError::Stopped);
        }
        progress(done);
    }
    Ok(())
}

/// A stage without a window: one picture for each frame that is put on it.
struct Studio {
    app: App,
    target: Handle<Image>,
    buffer: Buffer,
    size: (u32, u32),
    adapter: String,
}

impl Studio {
    fn open((width, height): (u32, u32), adapter: &Adapter) -> Self {
        let mut app = App::new();
        app.add_plugins(
            DefaultPlugins
                .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() })
                .set(adapter.renderer())
                .disable::<WinitPlugin>()
                // A picture is complete when its update is: frame and number cannot come apart.
                .disable::<PipelinedRenderingPlugin>()
                .disable::<LogPlugin>(),
        );
        let mut image = Image::new_fill(
            Extent3d { width, height, depth_or_array_layers: 1 },
            TextureDimension::D2,
            &[0, 0, 0, 255],
            TextureFormat::Rgba8UnormSrgb,
            RenderAssetUsages::RENDER_WORLD,
        );
        image.texture_descriptor.usage =
            TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC | TextureUsages::TEXTURE_BINDING;
        let target = app.world_mut().resource_mut::<Assets<Image>>().add(image);
        app.insert_resource(StageTarget(RenderTarget::Image(target.clone().into())))
            // A film has time for smooth edges.
            .insert_resource(StageSamples(Msaa::Sample4))
            .add_plugins(PennonPlugin::manual());
        while app.plugins_state() == PluginsState::Adding {
            bevy::tasks::tick_global_task_pools_on_main_thread();
        }
        app.finish();
        app.cleanup();
        let buffer = app.world().resource::<RenderDevice>().create_buffer(&BufferDescriptor {
            label: Some("pennon frame"),
            size: u64::from(padded_row(width)) * u64::from(height),
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        // What draws, and not what would be found if one looked again.
        let adapter = app.world().get_resource::<RenderAdapterInfo>().map(|info| info.name.clone()).unwrap_or_default();
        Studio { app, target, buffer, size: (width, height), adapter }
    }

    fn trouble(&self, reason: impl ToString) -> CaptureError {
        CaptureError::Draw { adapter: self.adapter.clone(), reason: reason.to_string() }
    }

    /// Draws the first frame until two pictures in a row are the same and nothing is on its way any more.
    fn warm_up(&mut self, frame: &StageFrame) -> Result<(), CaptureError> {
        let mut before = Vec::new();
        for count in 1..=MOST_WARM_UPS {
            let picture = self.draw(frame.clone())?;
            if let Some(problem) = self.app.world().resource::<StagePicture>().problem() {
                return Err(CaptureError::Picture(problem.to_owned()));
            }
            if count >= FEWEST_WARM_UPS && picture == before && self.pipelines_are_ready()? {
                return Ok(());
            }
            before = picture;
        }
        Err(self.trouble("the first picture does not settle"))
    }

    fn pipelines_are_ready(&self) -> Result<bool, CaptureError> {
        let cache = self.app.sub_app(RenderApp).world().resource::<PipelineCache>();
        for pipeline in cache.pipelines() {
            if let CachedPipelineState::Err(error) = &pipeline.state {
                return Err(self.trouble(error));
            }
        }
        Ok(cache.waiting_pipelines().next().is_none())
    }

    /// One picture, opaque RGBA8 from the top.
    fn draw(&mut self, frame: StageFrame) -> Result<Vec<u8>, CaptureError> {
        self.app.insert_resource(frame);
        self.app.update();
        match self.app.should_exit() {
            None => {}
            Some(AppExit::Error(code)) if code.get() != INTERRUPTED => {
                return Err(self.trouble(format!("the renderer gave up with code {code}")));
            }
            Some(_) => return Err(CaptureError::Stopped),
        }
        let (width, height) = self.size;
        let row = padded_row(width);
        let world = self.app.sub_app(RenderApp).world();
        let device = world.resource::<RenderDevice>();
        let Some(image) = world.resource::<RenderAssets<GpuImage>>().get(&self.target) else {
            return Err(self.trouble("its picture is missing"));
        };
        let mut encoder = device.create_command_encoder(&CommandEncoderDescriptor { label: Some("pennon frame") });
        encoder.copy_texture_to_buffer(
            image.texture.as_image_copy(),
            TexelCopyBufferInfo {
                buffer: &self.buffer,
                layout: TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: Some(height) },
            },
            Extent3d { width, height, depth_or_array_layers: 1 },
        );
        world.resource::<RenderQueue>().submit([encoder.finish()]);
        let slice = self.buffer.slice(..);
        let (send, mapped) = sync_channel(1);
        slice.map_async(MapMode::Read, move |result| {
            // The receiver waits below and is gone only when polling failed.
            let _ = send.send(result);
        });
        device.poll(PollType::wait_indefinitely()).map_err(|error| self.trouble(error))?;
        match mapped.try_recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(self.trouble(error)),
            Err(error) => return Err(self.trouble(error)),
        }
        let mut rgba = Vec::with_capacity(4 * width as usize * height as usize);
        for line in slice.get_mapped_range().chunks_exact(row as usize) {
            rgba.extend_from_slice(&line[..4 * width as usize]);
        }
        self.buffer.unmap();
        // A cloth with holes leaves its alpha behind; the picture itself has none.
        rgba.iter_mut().skip(3).step_by(4).for_each(|alpha| *alpha = 255);
        Ok(rgba)
    }
}

/// Bytes of a row in a buffer that an adapter copies into.
fn padded_row(width: u32) -> u32 {
    RenderDevice::align_copy_bytes_per_row(4 * width as usize) as u32
}
