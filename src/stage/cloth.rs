//! The cloth: all flags as one mesh with one material.

use super::geometry::Surface;
use super::material::{self, MeshVertexAttribute, VertexFormat};
use super::{StageFrame, StagePicture, StageSet};
use crate::params::{Hang, RowId};
use bevy::asset::{load_internal_asset, uuid_handle};
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{MaterialPipeline, MaterialPipelineKey};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError};
use bevy::shader::{ShaderDefVal, ShaderRef};

const SHADER: Handle<Shader> = uuid_handle!("5a0d1b9e-6a75-4c37-9c1e-7a1f6a1c0b01");
/// Place in the weave, curvature and aspect; see the shader.
const WEAVE: MeshVertexAttribute = MeshVertexAttribute::new("PennonWeave", 0x70656e01, VertexFormat::Float32x4);

#[derive(Asset, AsBindGroup, TypePath, Debug, Clone)]
#[bind_group_data(Pattern)]
struct ClothMaterial {
    pattern: Pattern,
    #[uniform(0)]
    look: ClothLook,
    #[texture(1)]
    #[sampler(2)]
    picture: Handle<Image>,
}

#[derive(ShaderType, Debug, Clone, Copy, PartialEq)]
struct ClothLook {
    colour_a: Vec4,
    colour_b: Vec4,
    colour_c: Vec4,
    light: Vec4,
    amount: Vec4,
}

/// Index of the pattern: each has a pipeline of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Pattern(u32);

impl From<&ClothMaterial> for Pattern {
    fn from(material: &ClothMaterial) -> Self {
        material.pattern
    }
}

impl Material for ClothMaterial {
    fn vertex_shader() -> ShaderRef {
        SHADER.into()
    }

    fn fragment_shader() -> ShaderRef {
        SHADER.into()
    }

    /// A colour with alpha makes the cloth a net: samples of a pixel are left out, and no sorting is needed.
    fn alpha_mode(&self) -> AlphaMode {
        let look = &self.look;
        let solid = [look.colour_a, look.colour_b, look.colour_c].iter().all(|colour| colour.w >= 1.0);
        if solid { AlphaMode::Opaque } else { AlphaMode::AlphaToCoverage }
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
        key: MaterialPipelineKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        if let Some(fragment) = &mut descriptor.fragment {
            fragment.shader_defs.push(ShaderDefVal::UInt("PATTERN".into(), key.bind_group_data.0));
        }
        descriptor.vertex.shader_defs.push(ShaderDefVal::UInt("PATTERN".into(), key.bind_group_data.0));
        descriptor.primitive.cull_mode = None;
        let attributes = [Mesh::ATTRIBUTE_POSITION, Mesh::ATTRIBUTE_NORMAL, Mesh::ATTRIBUTE_UV_0, WEAVE];
        material::lay_out(descriptor, layout, &attributes)
    }
}

#[derive(Component)]
struct Cloth;

pub(super) fn build(app: &mut App) {
    load_internal_asset!(app, SHADER, "cloth.wgsl", Shader::from_wgsl);
    app.add_plugins(MaterialPlugin::<ClothMaterial>::default()).add_systems(Startup, spawn).add_systems(
        Update,
        (follow_look.in_set(StageSet::Look), follow_cloth.in_set(StageSet::Mesh)).run_if(resource_exists::<StageFrame>),
    );
}

fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ClothMaterial>>,
    picture: Res<StagePicture>,
) {
    let zero = Vec4::ZERO;
    let look = ClothLook { colour_a: Vec4::ONE, colour_b: Vec4::ONE, colour_c: Vec4::ONE, light: zero, amount: zero };
    let material = materials.add(ClothMaterial { pattern: Pattern(0), look, picture: picture.image().clone() });
    commands.spawn((
        Cloth,
        Mesh3d(meshes.add(material::mesh())),
        MeshMaterial3d(material),
        material::on_stage("cloth"),
    ));
}

fn follow_look(
    frame: Res<StageFrame>,
    picture: Res<StagePicture>,
    cloth: Query<&MeshMaterial3d<ClothMaterial>, With<Cloth>>,
    mut materials: ResMut<Assets<ClothMaterial>>,
) {
    let values = frame.values();
    let gain = material::gain(&frame);
    let colour = |row| material::linear(values.colour(row), 1.0);
    let look = ClothLook {
        colour_a: colour(RowId::LookColourA),
        colour_b: colour(RowId::LookColourB),
        colour_c: colour(RowId::LookColourC),
        light: material::light(&frame),
        amount: Vec4::new(
            values.float(RowId::LookSheen),
            values.float(RowId::LookTranslucency),
            gain,
            values.float(RowId::LookRepeat),
        ),
    };
    let pattern = Pattern(picture.pattern(&values));
    for handle in &cloth {
        let known = materials.get(&handle.0);
        let same =
            |known: &ClothMaterial| known.pattern == pattern && known.look == look && known.picture == *picture.image();
        if known.is_some_and(same) {
            continue;
        }
        if let Some(mut material) = materials.get_mut(&handle.0) {
            material.pattern = pattern;
            material.look = look;
            material.picture = picture.image().clone();
        }
    }
}

/// Memory kept from frame to frame.
#[derive(Default)]
struct Workspace {
    shown: Option<StageFrame>,
    positions: Vec<[f32; 3]>,
    surface: Surface,
}

fn follow_cloth(
    frame: Res<StageFrame>,
    mut work: Local<Workspace>,
    mut cloth: Query<(&Mesh3d, &mut Visibility), With<Cloth>>,
    mut meshes: ResMut<Assets<Mesh>>,
) {
    let Ok((mesh, mut visibility)) = cloth.single_mut() else { return };
    let work = &mut *work;
    if work.shown.as_ref().is_some_and(|shown| shown.same_cloth(&frame)) {
        return;
    }
    work.shown = Some(frame.clone());
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    let (mut uvs, mut weaves, mut indices) = (Vec::<[f32; 2]>::new(), Vec::<[f32; 4]>::new(), Vec::new());
    for (index, flag) in frame.to.flags.iter().enumerate() {
        let spec = &flag.spec;
        frame.positions(index, &mut work.positions);
        let surface = &mut work.surface;
        surface.build(&work.positions, spec.columns as usize, spec.rows as usize);
        surface.indices(positions.len() as u32, &mut indices);
        let aspect = spec.length / spec.width;
        let last = |count: usize| (count.max(2) - 1) as f32;
        for row in 0..surface.rows {
            let across = row as f32 / last(surface.rows);
            for column in 0..surface.columns {
                let along = column as f32 / last(surface.columns);
                uvs.push(match spec.hang {
                    Hang::Pole => [along, across],
                    Hang::Bar => [across, along],
                });
                let hollow = surface.hollow[row * surface.columns + column] * spec.width;
                weaves.push([along * aspect, across, hollow, aspect]);
            }
        }
        positions.extend(surface.positions.iter().map(Vec3::to_array));
        normals.extend(surface.normals.iter().map(Vec3::to_array));
    }
    let drawn = if indices.is_empty() { Visibility::Hidden } else { Visibility::Inherited };
    visibility.set_if_neq(drawn);
    if indices.is_empty() {
        return;
    }
    let mut new = material::mesh_of(indices);
    new.insert_attribute(Mesh::ATTRIBUTE_POSITION, positions);
    new.insert_attribute(Mesh::ATTRIBUTE_NORMAL, normals);
    new.insert_attribute(Mesh::ATTRIBUTE_UV_0, uvs);
    new.insert_attribute(WEAVE, weaves);
    // The handle is alive, so its place in the table is too.
    let _ = meshes.insert(&mesh.0, new);
}
