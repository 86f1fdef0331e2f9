//! The pole with its finial, or the bar: one mesh for all flags, rebuilt when the structure changes.

use super::camera::{POLE_ABOVE, POLE_BELOW};
use super::material;
use super::{StageFrame, StageSet};
use crate::params::{FlagSpec, Hang, RowId};
use crate::perform::apply;
use bevy::asset::{load_internal_asset, uuid_handle};
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{MaterialPipeline, MaterialPipelineKey};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError};
use bevy::shader::ShaderRef;
use std::f32::consts::{PI, TAU};
use std::sync::Arc;

const SHADER: Handle<Shader> = uuid_handle!("5a0d1b9e-6a75-4c37-9c1e-7a1f6a1c0b04");

/// Radius of the thinnest pole that is drawn, as a share of the hoist.
const THINNEST: f32 = 0.004;
/// Radius of the finial in radii of the pole.
const FINIAL: f32 = 2.1;
/// A pole runs this many hoists below what is framed, fading away.
const FADE_BELOW: f32 = 0.75;
/// Sides of the rod.
const SIDES: u32 = 20;
/// sRGB of the rod.
const ROD: [f32; 4] = [0.62, 0.63, 0.66, 1.0];
/// sRGB of the finial: old brass.
const BRASS: [f32; 4] = [0.80, 0.64, 0.34, 1.0];

#[derive(Asset, AsBindGroup, TypePath, Debug, Clone)]
struct PoleMaterial {
    #[uniform(0)]
    look: PoleLook,
}

#[derive(ShaderType, Debug, Clone, Copy, PartialEq)]
struct PoleLook {
    light: Vec4,
    amount: Vec4,
}

impl Material for PoleMaterial {
    fn vertex_shader() -> ShaderRef {
        SHADER.into()
    }

    fn fragment_shader() -> ShaderRef {
        SHADER.into()
    }

    fn alpha_mode(&self) -> AlphaMode {
        AlphaMode::Blend
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
        // Rod and finial overlap; only what is nearest may be blended.
        if let Some(depth) = &mut descriptor.depth_stencil {
            depth.depth_write_enabled = Some(true);
        }
        let attributes = [Mesh::ATTRIBUTE_POSITION, Mesh::ATTRIBUTE_NORMAL, Mesh::ATTRIBUTE_COLOR];
        material::lay_out(descriptor, layout, &attributes)
    }
}

#[derive(Component)]
struct Pole;

pub(super) fn build(app: &mut App) {
    load_internal_asset!(app, SHADER, "pole.wgsl", Shader::from_wgsl);
    app.add_plugins(MaterialPlugin::<PoleMaterial>::default()).add_systems(Startup, spawn).add_systems(
        Update,
        (follow_look.in_set(StageSet::Look), follow_structure.in_set(StageSet::Mesh))
            .run_if(resource_exists::<StageFrame>),
    );
}

fn spawn(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut materials: ResMut<Assets<PoleMaterial>>) {
    let look = PoleLook { light: Vec4::ZERO, amount: Vec4::ZERO };
    let material = materials.add(PoleMaterial { look });
    commands.spawn((Pole, Mesh3d(meshes.add(material::mesh())), MeshMaterial3d(material), material::on_stage("pole")));
}

fn follow_look(
    frame: Res<StageFrame>,
    pole: Query<&MeshMaterial3d<PoleMaterial>, With<Pole>>,
    mut materials: ResMut<Assets<PoleMaterial>>,
) {
    let light = material::light(&frame);
    let look = PoleLook {
        light: light.truncate().extend(material::gain(&frame)),
        // A pole in flat light is a paper strip: it keeps half of its shape.
        amount: Vec4::new(0.5 + 0.5 * light.w, 0.0, 0.0, 0.0),
    };
    for handle in &pole {
        if materials.get(&handle.0).is_none_or(|known| known.look != look)
            && let Some(mut material) = materials.get_mut(&handle.0)
        {
            material.look = look;
        }
    }
}

fn follow_structure(
    frame: Res<StageFrame>,
    mut built_for: Local<Vec<(Arc<FlagSpec>, f32)>>,
    mut pole: Query<(&Mesh3d, &mut Visibility), With<Pole>>,
    mut meshes: ResMut<Assets<Mesh>>,
) {
    let Ok((mesh, mut visibility)) = pole.single_mut() else { return };
    let shown = frame.to.values.switch(RowId::LookPole) && !frame.to.flags.is_empty();
    visibility.set_if_neq(if shown { Visibility::Inherited } else { Visibility::Hidden });
    let flags = &frame.to.flags;
    let radius = |spec: &FlagSpec| apply::flag_settings(&frame.to.values, &spec.fixed).contact.pole;
    let known = flags.len() == built_for.len()
        && flags.iter().zip(built_for.iter()).all(|(flag, (spec, built))| {
            (Arc::ptr_eq(&flag.spec, spec) || *flag.spec == **spec) && radius(&flag.spec) == *built
        });
    if known || flags.is_empty() {
        return;
    }
    *built_for = flags.iter().map(|flag| (flag.spec.clone(), radius(&flag.spec))).collect();
    let mut shape = Shape::default();
    for (spec, radius) in built_for.iter() {
        shape.flag(spec, *radius);
    }
    let _ = meshes.insert(&mesh.0, shape.mesh());
}

#[derive(Default)]
struct Shape {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    colours: Vec<[f32; 4]>,
    indices: Vec<u32>,
}

impl Shape {
    /// The pole or bar of one flag. `radius` in metres; thinner than can be seen, it is drawn at its thinnest.
    fn flag(&mut self, spec: &FlagSpec, radius: f32) {
        let place = Vec3::from_array(spec.position);
        let half = 0.5 * spec.width;
        let radius = radius.max(THINNEST * spec.width);
        match spec.hang {
            Hang::Pole => {
                let top = place + Vec3::Y * (half + POLE_ABOVE * spec.width - 2.0 * FINIAL * radius);
                let framed = place - Vec3::Y * (half + POLE_BELOW * spec.width);
                let bottom = framed - Vec3::Y * (FADE_BELOW * spec.width);
                // Behind the cloth's edge, so that the hoist is seen from the front.
                let back = Vec3::new(-radius * 0.6, 0.0, 0.0);
                self.rod(top + back, framed + back, radius, 1.0, 1.0);
                self.rod(framed + back, bottom + back, radius, 1.0, 0.0);
                self.ball(top + back + Vec3::Y * (FINIAL * radius * 0.8), FINIAL * radius);
            }
            Hang::Bar => {
                let out = Vec3::X * (half + 0.05 * spec.width);
                let up = Vec3::Y * radius * 0.6;
                self.rod(place + up - out, place + up + out, radius, 1.0, 1.0);
                self.ball(place + up - out, 1.5 * radius);
                self.ball(place + up + out, 1.5 * radius);
            }
        }
    }

    fn rod(&mut self, from: Vec3, to: Vec3, radius: f32, alpha_from: f32, alpha_to: f32) {
        let first = self.positions.len() as u32;
        let axis = (to - from).normalize_or(Vec3::NEG_Y);
        let side = axis.any_orthonormal_vector();
        let other = axis.cross(side);
        for turn in 0..=SIDES {
            let angle = TAU * turn as f32 / SIDES as f32;
            let normal = side * angle.cos() + other * angle.sin();
            for (end, alpha) in [(from, alpha_from), (to, alpha_to)] {
                self.positions.push((end + normal * radius).to_array());
                self.normals.push(normal.to_array());
                self.colours.push(material::linear(ROD, 1.0).truncate().extend(alpha).to_array());
            }
        }
        for turn in 0..SIDES {
            let at = first + 2 * turn;
            self.indices.extend([at, at + 2, at + 1, at + 2, at + 3, at + 1]);
        }
    }

    fn ball(&mut self, middle: Vec3, radius: f32) {
        const RINGS: u32 = 14;
        let first = self.positions.len() as u32;
        for ring in 0..=RINGS {
            let (out, up) = (PI * ring as f32 / RINGS as f32).sin_cos();
            for turn in 0..=SIDES {
                let (sin, cos) = (TAU * turn as f32 / SIDES as f32).sin_cos();
                let normal = Vec3::new(out * sin, up, out * cos);
                self.positions.push((middle + normal * radius).to_array());
                self.normals.push(normal.to_array());
                self.colours.push(material::linear(BRASS, 1.0).to_array());
            }
        }
        for ring in 0..RINGS {
            for turn in 0..SIDES {
                let at = first + ring * (SIDES + 1) + turn;
                let below = at + SIDES + 1;
                self.indices.extend([at, below, below + 1, at, below + 1, at + 1]);
            }
        }
    }

    fn mesh(self) -> Mesh {
        let mut mesh = material::mesh_of(self.indices);
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, self.positions);
        mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, self.normals);
        mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, self.colours);
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_triangle_faces_outward() {
        for hang in [Hang::Pole, Hang::Bar] {
            let mut shape = Shape::default();
            shape.flag(&FlagSpec { hang, ..FlagSpec::default() }, 0.013);
            for triangle in shape.indices.chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|corner| Vec3::from_array(shape.positions[triangle[corner] as usize]));
                let outward: Vec3 =
                    triangle.iter().map(|corner| Vec3::from_array(shape.normals[*corner as usize])).sum();
                // At the ends of a ball some have no area.
                assert!((b - a).cross(c - a).dot(outward) > -1e-9, "{hang:?}: {a} {b} {c}");
            }
        }
    }
}
