//! The whiskers: the wind itself, as one mesh of soft lines beneath or behind the flags.

use super::camera::Extent;
use super::material::{self, MeshVertexAttribute, VertexFormat};
use super::{StageFrame, StageSet};
use crate::params::table::PLANES;
use crate::params::{RowId, Values};
use crate::sim::whiskers::WhiskerGrid;
use bevy::asset::{load_internal_asset, uuid_handle};
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{MaterialPipeline, MaterialPipelineKey};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError};
use bevy::shader::ShaderRef;

const SHADER: Handle<Shader> = uuid_handle!("5a0d1b9e-6a75-4c37-9c1e-7a1f6a1c0b03");
/// The other end of the whisker.
const OTHER: MeshVertexAttribute = MeshVertexAttribute::new("PennonOther", 0x70656e02, VertexFormat::Float32x3);
/// Side, place along and strength; see the shader.
const PLACE: MeshVertexAttribute = MeshVertexAttribute::new("PennonPlace", 0x70656e03, VertexFormat::Float32x3);

/// The top grid lies this share of the flags' height below their lower edge.
const BELOW: f32 = 0.30;
/// Natural size over the flags' own: the top grid's length and depth in lengths of the longer side.
const TOP_SIZE: Vec2 = Vec2::new(2.3, 1.9);
/// Natural size of the front grid in the flags' width and height.
const FRONT_SIZE: Vec2 = Vec2::new(1.9, 1.9);
/// Height of the picture that `whiskers.thickness` speaks of, px.
const REFERENCE_HEIGHT: f32 = 720.0;
/// Whiskers within this share of the half grid from its border fade out.
const BORDER: f32 = 0.5;
/// What is left of a whisker on one border of the grid.
const FAINTEST: f32 = 0.2;

#[derive(Asset, AsBindGroup, TypePath, Debug, Clone)]
struct WhiskerMaterial {
    #[uniform(0)]
    look: WhiskerLook,
}

#[derive(ShaderType, Debug, Clone, Copy, PartialEq)]
struct WhiskerLook {
    colour: Vec4,
    amount: Vec4,
}

impl Material for WhiskerMaterial {
    fn vertex_shader() -> ShaderRef {
        SHADER.into()
    }

    fn fragment_shader() -> ShaderRef {
        SHADER.into()
    }

    fn alpha_mode(&self) -> AlphaMode {
        AlphaMode::Blend
    }

    /// Drawn before the pole, which is the only other thing with alpha.
    fn depth_bias(&self) -> f32 {
        -1000.0
    }

    fn enable_prepass() -> bool {
        false
    }

    fn enable_shadows() -> bool {
        false
    }

    fn specialize(
        _: &MaterialPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        layout: &MeshVertexBufferLayoutRef,
        _: MaterialPipelineKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        descriptor.primitive.cull_mode = None;
        material::lay_out(descriptor, layout, &[Mesh::ATTRIBUTE_POSITION, OTHER, PLACE])
    }
}

#[derive(Component)]
struct Whiskers;

pub(super) fn build(app: &mut App) {
    load_internal_asset!(app, SHADER, "whiskers.wgsl", Shader::from_wgsl);
    app.add_plugins(MaterialPlugin::<WhiskerMaterial>::default()).add_systems(Startup, spawn).add_systems(
        Update,
        (follow_look.in_set(StageSet::Look), follow_wind.in_set(StageSet::Mesh)).run_if(resource_exists::<StageFrame>),
    );
}

fn spawn(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut materials: ResMut<Assets<WhiskerMaterial>>) {
    let look = WhiskerLook { colour: Vec4::ZERO, amount: Vec4::ZERO };
    let material = materials.add(WhiskerMaterial { look });
    commands.spawn((
        Whiskers,
        Mesh3d(meshes.add(material::mesh())),
        MeshMaterial3d(material),
        material::on_stage("whiskers"),
    ));
}

fn follow_look(
    frame: Res<StageFrame>,
    camera: Query<&Camera, With<super::StageCamera>>,
    whiskers: Query<&MeshMaterial3d<WhiskerMaterial>, With<Whiskers>>,
    mut materials: ResMut<Assets<WhiskerMaterial>>,
) {
    let values = frame.values();
    let height =
        camera.single().ok().and_then(Camera::physical_target_size).map_or(REFERENCE_HEIGHT, |size| size.y as f32);
    let mut colour = material::linear(values.colour(RowId::WhiskersColour), material::gain(&frame));
    colour.w *= values.float(RowId::WhiskersOpacity);
    let half = 0.5 * values.float(RowId::WhiskersThickness) * height / REFERENCE_HEIGHT;
    let behind = if lies(&values) { 0.0 } else { 1.0 };
    let look = WhiskerLook { colour, amount: Vec4::new(half, behind, 0.0, 0.0) };
    for handle in &whiskers {
        if materials.get(&handle.0).is_none_or(|known| known.look != look)
            && let Some(mut material) = materials.get_mut(&handle.0)
        {
            material.look = look;
        }
    }
}

/// Whether the grid lies beneath the flags instead of standing behind them.
fn lies(values: &Values) -> bool {
    PLANES.get(usize::from(values.choice(RowId::WhiskersPlane))) == Some(&"top")
}

/// The grid of a frame: its corners follow the flags at rest and the rows.
fn grid_of(frame: &StageFrame) -> Option<WhiskerGrid> {
    let values = frame.values();
    let cloth = Extent::of_cloth(frame.to.flags.iter().map(|flag| &*flag.spec))?;
    let (middle, size) = (cloth.middle(), cloth.size());
    let extent = values.float(RowId::WhiskersExtent);
    let (middle, half) = if lies(&values) {
        let side = size.x.max(size.y).max(size.z);
        let middle = Vec3::new(middle.x, cloth.low.y - BELOW * size.y, middle.z);
        (middle, Vec3::new(0.5 * TOP_SIZE.x * side, 0.0, 0.5 * TOP_SIZE.y * side))
    } else {
        let half = 0.5 * size * FRONT_SIZE.extend(0.0);
        (middle, half)
    };
    Some(WhiskerGrid {
        from: middle - half * extent,
        to: middle + half * extent,
        columns: values.int(RowId::WhiskersColumns).max(1) as u32,
        rows: values.int(RowId::WhiskersRows).max(1) as u32,
        scale: values.float(RowId::WhiskersScale),
    })
}

/// 1 inside the grid, falling toward its border, so that the field has no edge.
fn strength(grid: &WhiskerGrid, root: Vec3) -> f32 {
    let half = 0.5 * (grid.to - grid.from);
    let from = (root - 0.5 * (grid.from + grid.to)).abs();
    let mut strength = 1.0;
    for axis in 0..3 {
        if half[axis] > 1e-6 {
            let inward = ((1.0 - from[axis] / half[axis]) / BORDER).clamp(0.0, 1.0);
            strength *= FAINTEST + (1.0 - FAINTEST) * inward * inward * (3.0 - 2.0 * inward);
        }
    }
    strength
}

/// The whiskers between the two ticks. Where one of them has still air somewhere, the later one is shown.
fn sample(frame: &StageFrame, grid: &WhiskerGrid, segments: &mut Vec<[Vec3; 2]>) {
    grid.segments(&frame.to.wind, segments);
    let Some(blend) = frame.between() else { return };
    let mut earlier = Vec::new();
    grid.segments(&frame.from.wind, &mut earlier);
    if earlier.len() == segments.len() {
        for (segment, earlier) in segments.iter_mut().zip(&earlier) {
            segment[1] = earlier[1].lerp(segment[1], blend);
        }
    }
}

fn follow_wind(
    frame: Res<StageFrame>,
    mut segments: Local<Vec<[Vec3; 2]>>,
    mut whiskers: Query<(&Mesh3d, &mut Visibility), With<Whiskers>>,
    mut meshes: ResMut<Assets<Mesh>>,
) {
    let Ok((mesh, mut visibility)) = whiskers.single_mut() else { return };
    segments.clear();
    let values = frame.values();
    let grid = grid_of(&frame).filter(|_| values.switch(RowId::WhiskersVisible));
    if let Some(grid) = &grid {
        sample(&frame, grid, &mut segments);
    }
    let drawn = if segments.is_empty() { Visibility::Hidden } else { Visibility::Inherited };
    visibility.set_if_neq(drawn);
    let (Some(grid), false) = (grid, segments.is_empty()) else { return };
    let (mut here, mut there, mut places, mut indices) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for [root, tip] in segments.iter() {
        let first = here.len() as u32;
        let strength = strength(&grid, *root);
        for (end, other, along) in [(root, tip, 0.0), (tip, root, 1.0)] {
            for side in [-1.0, 1.0] {
                here.push(end.to_array());
                there.push(other.to_array());
                places.push([side, along, strength]);
            }
        }
        indices.extend([first, first + 1, first + 2, first + 2, first + 1, first + 3]);
    }
    let mut new = material::mesh_of(indices);
    new.insert_attribute(Mesh::ATTRIBUTE_POSITION, here);
    new.insert_attribute(OTHER, there);
    new.insert_attribute(PLACE, places);
    let _ = meshes.insert(&mesh.0, new);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Snapshot;
    use crate::params::{Preset, Value};
    use crate::perform::Performance;
    use std::sync::Arc;

    fn grid(plane: &str, extent: f32) -> WhiskerGrid {
        let mut preset = Preset::default();
        let plane = PLANES.iter().position(|name| *name == plane).expect("a plane") as u8;
        preset.values.set(RowId::WhiskersPlane, Value::Choice(plane));
        preset.values.set(RowId::WhiskersExtent, Value::Float(extent));
        let performance = Performance::new(&preset).expect("default preset");
        grid_of(&StageFrame::still(Arc::new(Snapshot::of(&performance)))).expect("a flag")
    }

    #[test]
    fn the_top_grid_lies_below_the_flag_and_the_front_grid_stands_behind_it() {
        let top = grid("top", 1.0);
        assert_eq!(top.from.y, top.to.y);
        assert!(top.from.y < -0.5 && top.from.x < 0.0 && top.to.x > 1.6 && top.to.z > top.from.z);
        let front = grid("front", 1.0);
        assert_eq!((front.from.z, front.to.z), (0.0, 0.0));
        assert!(front.from.y < -0.5 && front.to.y > 0.5);
        let twice = grid("front", 2.0);
        assert!(((twice.to - twice.from) - 2.0 * (front.to - front.from)).length() < 1e-5);
        assert_eq!((front.columns, front.rows), (14, 10));
    }

    #[test]
    fn whiskers_lie_between_the_ticks() {
        let mut performance = Performance::new(&Preset::default()).expect("default preset");
        let from = Arc::new(Snapshot::of(&performance));
        (0..12).for_each(|_| performance.tick(&[]));
        let mut frame = StageFrame { from, to: Arc::new(Snapshot::of(&performance)), blend: 0.0 };
        let grid = grid("top", 1.0);
        let mut at = |blend| {
            frame.blend = blend;
            let mut segments = Vec::new();
            sample(&frame, &grid, &mut segments);
            segments[0]
        };
        let ([root, start], [_, middle], [_, end]) = (at(0.0), at(0.25), at(1.0));
        assert_eq!(root, grid.from);
        assert_ne!(start, end);
        assert!((middle - start.lerp(end, 0.25)).length() < 1e-6);
    }

    #[test]
    fn the_field_fades_toward_its_border() {
        let top = grid("top", 1.0);
        let middle = 0.5 * (top.from + top.to);
        assert_eq!(strength(&top, middle), 1.0);
        assert!((strength(&top, top.from) - FAINTEST * FAINTEST).abs() < 1e-6);
    }
}
