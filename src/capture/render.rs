//! Draws the frames of a shot, one after the other, and hands them to workers that encode and write.

use super::folder::{Folder, frame_name};
use super::stepper::{Stepper, Still};
use crate::export::shot::{LARGEST_SIDE, PNG_KEYWORD, SHOT_FILE};
use crate::export::{FrameRecord, Rate, Shot, ShotHead};
use crate::params::{Preset, SceneError};
use crate::perform::Performance;
use crate::sim::digest::{ALGORITHM, Digest};
use crate::stage::{self, PennonPlugin, StageError, StageFrame, StagePicture, StageSamples, StageTarget};
use bevy::app::PluginsState;
use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{
    Buffer, BufferDescriptor, BufferUsages, CachedPipelineState, CommandEncoderDescriptor, Extent3d, MapMode,
    PipelineCache, PollType, TexelCopyBufferInfo, TexelCopyBufferLayout, TextureDimension, TextureFormat,
    TextureUsages,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::texture::GpuImage;
use bevy::render::{RenderApp, RenderPlugin};
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Frames that wait between the performance, the picture and the file: a bound on memory.
const IN_FLIGHT: usize = 3;
/// Workers that encode. Two keep up with any adapter that this was tried on.
const ENCODERS: usize = 2;
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
    /// Time since the first frame was begun.
    pub elapsed: Duration,
    /// Time left at this pace; `None` before the first frame.
    pub left: Option<Duration>,
}

/// A shot that is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Frames written.
    pub frames: u64,
    /// Its folder.
    pub out: PathBuf,
    /// The adapter that drew.
    pub adapter: String,
    /// Time for all frames.
    pub elapsed: Duration,
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
    #[error("folder {path} cannot be used: {source}", path = .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder holds something else.
    #[error("folder {path} holds {file}, which is not of this shot; name a new folder", path = .path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        file: String,
    },
    /// A file cannot be written.
    #[error("{path} cannot be written: {source}", path = .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
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
/// All frames are written or none: after an error a folder that was made for the shot is gone.
pub fn run(request: &Request, progress: &mut dyn FnMut(Progress)) -> Result<Summary, CaptureError> {
    let (width, height) = request.size;
    if !(1..=LARGEST_SIDE).contains(&width) || !(1..=LARGEST_SIDE).contains(&height) {
        return Err(CaptureError::Size { width, height });
    }
    let frames = request.frames.clone();
    if frames.is_empty() || frames.end > Rate::MOST_FRAMES {
        return Err(CaptureError::Frames { start: frames.start, end: frames.end });
    }
    let performance = Performance::new(&request.preset)?;
    let adapter = stage::adapter_name()?;
    let folder = Folder::open(&request.out, frames.clone())?;
    let head = ShotHead {
        algorithm: ALGORITHM,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        preset: request.preset.clone(),
        size: request.size,
        rate: request.rate,
        adapter: adapter.clone(),
    };
    let stills = Stepper::new(performance, request.rate, frames);
    let started = Instant::now();
    let records = draw_all(request, &head, stills, &folder, progress)?;
    let count = records.len() as u64;
    let text = Shot { head, frames: records }.to_text();
    folder.write(SHOT_FILE, |file| file.write_all(text.as_bytes()))?;
    folder.keep();
    Ok(Summary { frames: count, out: request.out.clone(), adapter, elapsed: started.elapsed() })
}

/// A drawn frame on its way to its file.
struct Drawn {
    index: u64,
    digest: Digest,
    rgba: Vec<u8>,
}

fn draw_all(
    request: &Request,
    head: &ShotHead,
    stills: Stepper,
    folder: &Folder,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<FrameRecord>, CaptureError> {
    let (send_drawn, drawn) = sync_channel::<Drawn>(IN_FLIGHT);
    let (send_still, coming) = sync_channel::<Still>(IN_FLIGHT);
    let drawn = Mutex::new(drawn);
    thread::scope(|scope| {
        // The performance runs ahead of the picture; it stops when nobody takes its frames any more.
        scope.spawn(move || stills.into_iter().try_for_each(|still| send_still.send(still)));
        let encoders: Vec<_> = (0..ENCODERS).map(|_| scope.spawn(|| encode(&drawn, head, folder))).collect();
        let result = draw(request, head, coming, send_drawn, progress);
        let mut records = Vec::new();
        let mut failed = None;
        for encoder in encoders {
            match encoder.join() {
                Ok(Ok(written)) => records.extend(written),
                Ok(Err(error)) => failed = Some(error),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        // An encoder that failed is the cause of a picture that found no taker.
        match (failed, result) {
            (Some(error), _) | (None, Err(error)) => Err(error),
            (None, Ok(())) => {
                records.sort_by_key(|record: &FrameRecord| record.index);
                Ok(records)
            }
        }
    })
}

fn encode(drawn: &Mutex<Receiver<Drawn>>, head: &ShotHead, folder: &Folder) -> Result<Vec<FrameRecord>, CaptureError> {
    let mut records = Vec::new();
    loop {
        let next = drawn.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Drawn { index, digest, rgba }) = next else { return Ok(records) };
        let record = FrameRecord::new(head.rate, index, digest, &rgba);
        let texts = [(PNG_KEYWORD, head.png_text(&record))];
        folder.write(&frame_name(index), |file| stage::write_png(file, head.size, &rgba, &texts))?;
        records.push(record);
    }
}

fn draw(
    request: &Request,
    head: &ShotHead,
    coming: Receiver<Still>,
    send_drawn: SyncSender<Drawn>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), CaptureError> {
    let total = request.frames.end - request.frames.start;
    let mut studio = Studio::open(request.size, &head.adapter);
    let mut started = Instant::now();
    for (done, still) in (1..).zip(coming) {
        if done == 1 {
            studio.warm_up(&still.frame)?;
            started = Instant::now();
        }
        let rgba = studio.draw(still.frame)?;
        if send_drawn.send(Drawn { index: still.index, digest: still.digest, rgba }).is_err() {
            // The encoders say why.
            return Err(CaptureError::Stopped);
        }
        let elapsed = started.elapsed();
        let left = elapsed.mul_f64((total - done) as f64 / done as f64);
        progress(Progress { done, total, elapsed, left: Some(left) });
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
    fn open((width, height): (u32, u32), adapter: &str) -> Self {
        let mut app = App::new();
        app.add_plugins(
            DefaultPlugins
                .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() })
                // No frame before everything that it needs is there.
                .set(RenderPlugin { synchronous_pipeline_compilation: true, ..default() })
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
        Studio { app, target, buffer, size: (width, height), adapter: adapter.to_owned() }
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
        if self.app.should_exit().is_some() {
            return Err(CaptureError::Stopped);
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
