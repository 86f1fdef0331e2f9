//! A nannou sketch that owns a performance and draws it in its own way.
//!
//! No plugin: the sketch ticks the performance itself, a hundred and twenty times a second, and draws the
//! threads of the cloth as lines with `Draw`, brighter where they move faster. The arrow keys play the wind.
//!
//!     cargo run --release --example own_drawing

use nannou::prelude::*;
use pennon::params::{FlagSpec, Preset, RowId, Scene};
use pennon::perform::{Body, Change, Performance, Source, TICK_HERTZ};

/// Pixels of a metre.
const SCALE: f32 = 480.0;
/// Most ticks in one frame; a slow machine shows a slow flag.
const MOST_TICKS: u32 = TICK_HERTZ / 10;
/// Wind for a press of an arrow key, m/s.
const GUST: f32 = 2.0;

fn main() {
    nannou::app(model).update(update).run();
}

struct Model {
    flag: Performance,
    /// Time that is not yet turned into ticks, in ticks.
    owed: f32,
    now: Vec<[f32; 3]>,
    before: Vec<[f32; 3]>,
    frames: u32,
}

fn model(app: &App) -> Model {
    app.new_window::<Model>().primary().size(1280, 720).title("own_drawing").view(view).build();
    // A coarse cloth: its threads are what is seen.
    let spec = FlagSpec { columns: 40, rows: 25, ..FlagSpec::default() };
    let preset = Preset { scene: Scene { flags: vec![spec], ..Scene::default() }, ..Preset::default() };
    let flag = Performance::new(&preset).expect("the scene above is sound");
    Model { flag, owed: 0.0, now: Vec::new(), before: Vec::new(), frames: 0 }
}

fn update(app: &App, model: &mut Model) {
    // Changes enter at the start of a tick; nothing else moves the flag.
    let keys = app.keys();
    let by = match (keys.just_pressed(KeyCode::ArrowUp), keys.just_pressed(KeyCode::ArrowDown)) {
        (true, false) => GUST,
        (false, true) => -GUST,
        _ => 0.0,
    };
    let louder = Change::new(model.flag.ticks(), Source::Key, Body::Add { row: RowId::WindSpeed, by });
    let mut changes = if by == 0.0 { vec![] } else { vec![louder] };

    model.owed = (model.owed + app.time_delta() * TICK_HERTZ as f32).min(MOST_TICKS as f32);
    while model.owed >= 1.0 {
        model.owed -= 1.0;
        std::mem::swap(&mut model.now, &mut model.before);
        model.flag.tick(&std::mem::take(&mut changes));
        model.flag.copy_positions(0, &mut model.now);
    }
    model.frames += 1;
    if frames_to_run().is_some_and(|frames| model.frames >= frames) {
        app.quit();
    }
}

fn view(app: &App, model: &Model) {
    let draw = app.draw();
    draw.background().color(Color::srgb(0.05, 0.055, 0.075));
    if model.now.len() != model.before.len() || model.now.is_empty() {
        return;
    }
    let spec = &model.flag.scene().flags[0];
    let (columns, rows) = (spec.columns as usize, spec.rows as usize);
    // Seen from a little above: what comes toward the viewer moves down.
    let place = |[x, y, z]: [f32; 3]| vec2((x - 0.8) * SCALE, (y - 0.35 * z) * SCALE);
    for row in 0..rows {
        let thread = (0..columns).map(|column| {
            let index = row * columns + column;
            let (now, before) = (Vec3::from(model.now[index]), Vec3::from(model.before[index]));
            let speed = now.distance(before) * TICK_HERTZ as f32;
            let glow = (0.12 + 0.11 * speed).min(1.0);
            let warm = row as f32 / rows as f32;
            (place(model.now[index]), Color::srgba(0.55 + 0.45 * warm, 0.85 - 0.3 * warm, 1.0 - 0.6 * warm, glow))
        });
        draw.polyline().weight(1.6).points_colored(thread);
    }
}

/// The tests let a sketch run for a while and then end by itself.
fn frames_to_run() -> Option<u32> {
    std::env::var("PENNON_SKETCH_FRAMES").ok()?.parse().ok()
}
