//! The background: one triangle over the whole picture.

use super::material;
use super::{StageFrame, StageSet};
use crate::params::RowId;
use bevy::asset::{load_internal_asset, uuid_handle};
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{MaterialPipeline, MaterialPipelineKey};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError};
use bevy::shader::ShaderRef;

const SHADER: Handle<Shader> = uuid_handle!("5a0d1b9e-6a75-4c37-9c1e-7a1f6a1c0b02");

/// Noise against bands, from end to end, over the square root of the light. A step of 8-bit sRGB is about
/// 2.2/255 of that root in linear light, and at the dark end two thirds of it: this stays within half a step.
const GRAIN: f32 = 0.66 * 2.2 / 255.0;

#[derive(Asset, AsBindGroup, TypePath, Debug, Clone)]
struct BackdropMaterial {
    #[uniform(0)]
    look: BackdropLook,
}

#[derive(ShaderType, Debug, Clone, Copy, PartialEq)]
struct BackdropLook {
    colour: Vec4,
    amount: Vec4,
    grain: Vec4,
}

impl Material for BackdropMaterial {
    fn vertex_shader() -> ShaderRef {
        SHADER.into()
    }

    fn fragment_shader() -> ShaderRef {
        SHADER.into()
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
        material::lay_out(descriptor, layout, &[Mesh::ATTRIBUTE_POSITION])
    }
}

#[derive(Component)]
struct Backdrop;

pub(super) fn build(app: &mut App) {
    load_internal_asset!(app, SHADER, "backdrop.wgsl", Shader::from_wgsl);
    app.add_plugins(MaterialPlugin::<BackdropMaterial>::default())
        .add_systems(Startup, spawn)
        .add_systems(Update, follow.in_set(StageSet::Look).run_if(resource_exists::<StageFrame>));
}

fn spawn(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut materials: ResMut<Assets<BackdropMaterial>>) {
    let mut mesh = material::mesh_of(vec![0, 1, 2]);
    // In clip space; one corner of the picture to twice the opposite ones.
    mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, vec![[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]]);
    let look = BackdropLook { colour: Vec4::ZERO, amount: Vec4::ZERO, grain: Vec4::ZERO };
    let material = materials.add(BackdropMaterial { look });
    commands.spawn((Backdrop, Mesh3d(meshes.add(mesh)), MeshMaterial3d(material), material::on_stage("backdrop")));
}

fn follow(
    frame: Res<StageFrame>,
    mut backdrop: Query<(&MeshMaterial3d<BackdropMaterial>, &mut Visibility), With<Backdrop>>,
    mut materials: ResMut<Assets<BackdropMaterial>>,
) {
    let values = frame.values();
    let colour = material::linear(values.colour(RowId::LookBackground), material::gain(&frame));
    let look = BackdropLook {
        colour,
        grain: GRAIN * colour.map(f32::sqrt),
        amount: Vec4::new(values.float(RowId::LookVignette), 0.0, 0.0, 0.0),
    };
    for (handle, mut visibility) in &mut backdrop {
        visibility.set_if_neq(Visibility::Inherited);
        if materials.get(&handle.0).is_none_or(|known| known.look != look)
            && let Some(mut material) = materials.get_mut(&handle.0)
        {
            material.look = look;
        }
    }
}
