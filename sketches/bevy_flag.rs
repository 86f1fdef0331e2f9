//! A plain Bevy app with a flag in it, and a thing of its own in the flag's scene.
//!
//! Whatever is on the stage's layer is drawn by the stage's camera. Here a small bright ball follows the
//! middle of the fly edge, read from the frame that is on the stage.
//!
//!     cargo run --release --example bevy_flag

use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;
use pennon::params::{Library, RowId, Value};
use pennon::perform::Performance;
use pennon::stage::{HandsPlugin, PennonPlugin, STAGE_LAYER, StageFrame, StageSet};

fn main() -> AppExit {
    let mut preset = Library::shipped().by_name("breeze").cloned().unwrap_or_default();
    preset.values.set(RowId::LookPattern, Value::Choice(5));
    let performance = match Performance::new(&preset) {
        Ok(performance) => performance,
        Err(error) => {
            error!("{error}");
            return AppExit::error();
        }
    };
    App::new()
        .add_plugins((DefaultPlugins, PennonPlugin::owned(performance), HandsPlugin))
        .add_systems(Startup, tie_a_ball)
        // After the flag has moved in this frame.
        .add_systems(Update, (follow_the_tip.after(StageSet::Advance), end_after_frames))
        .run()
}

#[derive(Component)]
struct Ball;

fn tie_a_ball(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let glow = StandardMaterial { base_color: Color::srgb(1.0, 0.86, 0.5), unlit: true, ..default() };
    commands.spawn((
        Ball,
        Mesh3d(meshes.add(Sphere::new(0.03))),
        MeshMaterial3d(materials.add(glow)),
        RenderLayers::layer(STAGE_LAYER),
    ));
}

fn follow_the_tip(frame: Option<Res<StageFrame>>, mut balls: Query<&mut Transform, With<Ball>>) {
    let Some(frame) = frame else { return };
    for mut ball in &mut balls {
        ball.translation = Vec3::from_array(frame.to.flags[0].readouts.tip);
    }
}

/// The tests let a sketch run for a while and then end by itself.
fn end_after_frames(mut frames: Local<u32>, mut exit: MessageWriter<AppExit>) {
    *frames += 1;
    let wanted: Option<u32> = std::env::var("PENNON_SKETCH_FRAMES").ok().and_then(|text| text.parse().ok());
    if wanted.is_some_and(|wanted| *frames >= wanted) {
        exit.write(AppExit::Success);
    }
}
