//! The stage's camera entity: where it draws, and that it stands where the rows say.

use super::camera::View;
use super::{StageFrame, StageSet, stage_layer};
use bevy::camera::{ClearColorConfig, RenderTarget};
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::light::cluster::ClusterConfig;
use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;
use bevy::render::view::{Msaa, NoIndirectDrawing};
use bevy::window::{PrimaryWindow, WindowRef};
use wgpu::DeviceType;

/// Farthest that things are drawn, in distances of what is looked at.
const FAR: f32 = 200.0;

/// Draws on this target instead of the primary window. Insert it before the first frame.
#[derive(Resource, Debug, Clone)]
pub struct StageTarget(pub RenderTarget);

/// How the edges of the cloth are smoothed. Insert it before the first frame; without it the adapter decides.
///
/// Four samples cost a software adapter more than half of its frame, so it gets one; another camera on the
/// same target must have as many, and the stage follows it.
#[derive(Resource, Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageSamples(pub Msaa);

/// Marks the stage's camera.
#[derive(Component, Debug, Clone, Copy, Default)]
pub struct StageCamera;

/// The view of the current frame, for picking and for a sketch's own drawing in the scene.
#[derive(Resource, Debug, Clone, Copy)]
pub struct StageView(pub View);

pub(super) fn build(app: &mut App) {
    app.add_systems(Update, (spawn, follow).chain().in_set(StageSet::Look));
}

/// Behind whatever else is drawn on the same target.
const ORDER: isize = -1;

fn spawn(
    mut commands: Commands,
    target: Option<Res<StageTarget>>,
    cameras: Query<(), With<StageCamera>>,
    windows: Query<(), With<PrimaryWindow>>,
    samples: Option<Res<StageSamples>>,
    others: Query<&Msaa, (With<Camera>, Without<StageCamera>)>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    if !cameras.is_empty() || (target.is_none() && windows.is_empty()) {
        return;
    }
    let software = adapter.is_some_and(|adapter| adapter.device_type == DeviceType::Cpu);
    let by_adapter = if software { Msaa::Off } else { Msaa::Sample4 };
    let msaa = samples.map(|samples| samples.0).or(others.iter().next().copied()).unwrap_or(by_adapter);
    let target = target.map_or(RenderTarget::Window(WindowRef::Primary), |target| target.0.clone());
    commands.spawn((
        StageCamera,
        Name::new("stage camera"),
        Camera3d::default(),
        Camera { order: ORDER, clear_color: ClearColorConfig::Custom(Color::BLACK), ..default() },
        target,
        Projection::Perspective(PerspectiveProjection::default()),
        msaa,
        // No curve and no noise: colours arrive as they are.
        Tonemapping::None,
        DebandDither::Disabled,
        // There are no lamps to sort and a handful of things to draw.
        (ClusterConfig::Single, NoIndirectDrawing),
        stage_layer(),
    ));
}

fn follow(
    mut commands: Commands,
    frame: Option<Res<StageFrame>>,
    mut cameras: Query<(&Camera, &mut Transform, &mut Projection), With<StageCamera>>,
) {
    let (Some(frame), Ok((camera, mut transform, mut projection))) = (frame, cameras.single_mut()) else { return };
    // Before the target is known there is nothing to frame.
    let Some(size) = camera.physical_target_size().filter(|size| size.x > 0 && size.y > 0) else { return };
    let aspect = size.x as f32 / size.y as f32;
    let view = View::frame(&frame.values(), frame.to.flags.iter().map(|flag| &*flag.spec), aspect);
    *transform = Transform::from_translation(view.eye).looking_at(view.target, Vec3::Y);
    *projection = Projection::Perspective(PerspectiveProjection {
        fov: view.field,
        aspect_ratio: aspect,
        near: view.near,
        far: FAR * view.eye.distance(view.target),
        ..default()
    });
    commands.insert_resource(StageView(view));
}
