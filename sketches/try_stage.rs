//! try
use bevy::prelude::*;
use pennon::stage::*;
fn main() {
    let mut preset = pennon::params::Preset::default();
    for arg in std::env::args().skip(1) {
        if let Some(name) = arg.strip_prefix("preset=") {
            preset = pennon::params::library::Library::shipped().by_name(name).expect("preset").clone();
            continue;
        }
        let (id, value) = arg.split_once('=').expect("id=value");
        let row = pennon::params::RowId::from_id(id).expect("row");
        let json: serde_json::Value = serde_json::from_str(value).unwrap_or(serde_json::Value::String(value.into()));
        let value = pennon::params::Value::from_json(row, &json).expect("value");
        assert!(preset.values.set(row, value));
    }
    let p = pennon::perform::Performance::new(&preset).unwrap();
    App::new()
        .add_plugins((
            DefaultPlugins
                .set(WindowPlugin {
                    primary_window: Some(Window { resolution: (1280, 720).into(), ..default() }),
                    ..default()
                })
                .set(bevy::render::RenderPlugin { synchronous_pipeline_compilation: true, ..default() }),
            nannou::NannouPlugin,
            PennonPlugin::owned(p),
            HandsPlugin,
            OverlayPlugin,
        ))
        .insert_resource(bevy::winit::WinitSettings {
            focused_mode: bevy::winit::UpdateMode::Continuous,
            unfocused_mode: bevy::winit::UpdateMode::Continuous,
        })
        .run();
}
