//! What the stage's small materials have in common.
//!
//! Own vertex layouts and shaders, no prepass, no shadows: on a software adapter the picture costs a tenth of
//! what the standard material does.

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::mesh::{Indices, MeshVertexBufferLayoutRef, PrimitiveTopology};
use bevy::prelude::*;
use bevy::render::render_resource::{RenderPipelineDescriptor, SpecializedMeshPipelineError};

use super::stage_layer;

pub(super) use bevy::mesh::{MeshVertexAttribute, VertexFormat};

/// Gives a pipeline exactly these vertex attributes, at locations 0, 1, …
pub(super) fn lay_out(
    descriptor: &mut RenderPipelineDescriptor,
    layout: &MeshVertexBufferLayoutRef,
    attributes: &[MeshVertexAttribute],
) -> Result<(), SpecializedMeshPipelineError> {
    let places: Vec<_> =
        attributes.iter().enumerate().map(|(place, attribute)| attribute.at_shader_location(place as u32)).collect();
    descriptor.vertex.buffers = vec![layout.0.get_layout(&places)?];
    Ok(())
}

/// An empty mesh that moves to the adapter as a whole each time that it is set.
pub(super) fn mesh() -> Mesh {
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
}

/// A mesh with these triangles.
pub(super) fn mesh_of(indices: Vec<u32>) -> Mesh {
    let mut mesh = mesh();
    mesh.insert_indices(Indices::U32(indices));
    mesh
}

/// What every drawn thing of the stage carries beside mesh and material. It is hidden until it has a mesh.
pub(super) fn on_stage(name: &'static str) -> impl Bundle {
    (Name::new(name), Transform::IDENTITY, Visibility::Hidden, NoFrustumCulling, stage_layer())
}

/// A colour of the table as linear light with straight alpha, times `gain`.
pub(super) fn linear(colour: [f32; 4], gain: f32) -> Vec4 {
    let [r, g, b, a] = colour;
    let linear = LinearRgba::from(Srgba::new(r, g, b, a));
    Vec4::new(linear.red * gain, linear.green * gain, linear.blue * gain, a)
}

/// What the whole picture's light is multiplied with.
pub(super) fn gain(frame: &super::StageFrame) -> f32 {
    frame.values().float(crate::params::RowId::LookExposure).exp2() * frame.light()
}

/// Unit vector toward the light, and the shade.
pub(super) fn light(frame: &super::StageFrame) -> Vec4 {
    use crate::params::RowId;
    let values = frame.values();
    let heading = values.float(RowId::LookLightHeading).to_radians();
    let height = values.float(RowId::LookLightHeight).to_radians();
    super::camera::direction(heading, height).extend(values.float(RowId::LookShade))
}
