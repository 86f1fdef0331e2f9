//! A nannou sketch with a flag in it.
//!
//! The plugin draws the flag behind whatever the sketch draws with `Draw`, and steps it by the app's time.
//! Here the sketch hangs a ring of moons around it; a click makes the next gust field.
//!
//!     cargo run --release --example nannou_flag

use bevy::prelude::{ButtonInput, Plugin, Update};
use nannou::prelude::*;
use pennon::perform::{Body, Cue, Source};
use pennon::stage::{PennonPlugin, StageSource};

fn main() {
    nannou::app(model).add_plugin(PennonPlugin::default()).add_plugin(NextSeedOnClick).update(update).run();
}

struct Model {
    frames: u32,
}

fn model(app: &App) -> Model {
    app.new_window::<Model>().primary().size(1280, 720).title("nannou_flag").view(view).build();
    Model { frames: 0 }
}

fn update(app: &App, model: &mut Model) {
    model.frames += 1;
    if frames_to_run().is_some_and(|frames| model.frames >= frames) {
        app.quit();
    }
}

/// Draws on top of the flag, in nannou's own coordinates: pixels from the middle of the window.
fn view(app: &App, _model: &Model) {
    let draw = app.draw();
    let count = 36;
    for index in 0..count {
        let turn = index as f32 / count as f32;
        let angle = TAU * turn + 0.1 * app.time();
        let place = vec2(angle.cos() * 560.0, angle.sin() * 310.0);
        let breath = 0.5 + 0.5 * (app.time() * 1.5 + TAU * turn * 3.0).sin();
        draw.ellipse().xy(place).radius(2.0 + 4.0 * breath).color(Color::srgba(0.98, 0.84, 0.55, 0.25 + 0.5 * breath));
    }
}

/// What happens to the flag goes through its source, as a change like any other.
struct NextSeedOnClick;

impl Plugin for NextSeedOnClick {
    fn build(&self, app: &mut bevy::app::App) {
        app.add_systems(Update, |mouse: Res<ButtonInput<MouseButton>>, mut flag: ResMut<StageSource>| {
            if mouse.just_pressed(MouseButton::Left) {
                flag.push(Source::Mouse, vec![Body::Cue(Cue::SeedNext)]);
            }
        });
    }
}

/// The tests let a sketch run for a while and then end by itself.
fn frames_to_run() -> Option<u32> {
    std::env::var("PENNON_SKETCH_FRAMES").ok()?.parse().ok()
}
