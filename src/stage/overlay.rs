//! The line of state: preset, seed, tick, lag, frame rate, wind, the last message, the keys. Small, in a corner.

use super::hands::{Action, KEYS};
use super::source::StageSource;
use super::{Notice, StageCamera, StageFrame, StageSet};
use crate::live::Status;
use crate::params::RowId;
use bevy::prelude::*;
use bevy_egui::{EguiContexts, EguiGlobalSettings, EguiPlugin, EguiPrimaryContextPass, PrimaryEguiContext, egui};
use std::time::Instant;

/// A message is shown this long, s.
const MESSAGE_SECONDS: f32 = 8.0;
/// Share of a new frame's time in the shown mean.
const RATE_SMOOTHING: f64 = 0.05;

/// A message on a dark background.
const LOUD_LIGHT: egui::Color32 = egui::Color32::from_rgb(240, 205, 130);
/// A message on a light background.
const LOUD_DARK: egui::Color32 = egui::Color32::from_rgb(130, 60, 0);

/// The line of state over the picture. Needs [`super::HandsPlugin`] for the key that toggles it.
#[derive(Debug, Clone, Copy, Default)]
pub struct OverlayPlugin;

impl Plugin for OverlayPlugin {
    fn build(&self, app: &mut App) {
        if !app.is_plugin_added::<EguiPlugin>() {
            app.add_plugins(EguiPlugin::default());
        }
        // The context belongs to the stage's camera, whichever camera comes first.
        app.world_mut().resource_mut::<EguiGlobalSettings>().auto_create_primary_context = false;
        app.insert_resource(Overlay { shown: true, suppressed: false })
            .init_resource::<FrameTime>()
            .add_systems(Update, (toggle, measure).in_set(StageSet::Look))
            .add_systems(EguiPrimaryContextPass, draw);
    }
}

/// Whether the line is shown.
#[derive(Resource, Debug, Clone, Copy)]
pub(super) struct Overlay {
    pub shown: bool,
    /// Hidden for the frame of a still.
    pub suppressed: bool,
}

/// Smoothed seconds from frame to frame.
#[derive(Resource, Default)]
struct FrameTime(f64);

fn toggle(
    mut commands: Commands,
    mut actions: MessageReader<Action>,
    mut overlay: ResMut<Overlay>,
    cameras: Query<(Entity, Has<PrimaryEguiContext>), With<StageCamera>>,
) {
    if actions.read().filter(|action| **action == Action::Overlay).count() % 2 == 1 {
        overlay.shown = !overlay.shown;
    }
    for (camera, has_context) in &cameras {
        if !has_context {
            commands.entity(camera).insert(PrimaryEguiContext);
        }
    }
}

fn measure(time: Res<Time<Real>>, mut frame: ResMut<FrameTime>) {
    let now = time.delta_secs_f64();
    frame.0 = if frame.0 == 0.0 { now } else { frame.0 + RATE_SMOOTHING * (now - frame.0) };
}

fn is_light([r, g, b, _]: [f32; 4]) -> bool {
    0.3 * r + 0.59 * g + 0.11 * b > 0.5
}

/// Black or white, whichever can be read.
fn ink_on(background: [f32; 4], alpha: u8) -> egui::Color32 {
    if is_light(background) { egui::Color32::from_black_alpha(alpha) } else { egui::Color32::from_white_alpha(alpha) }
}

/// The player's last message and when it was first seen.
#[derive(Default)]
struct Heard(Option<(String, Instant)>);

impl Heard {
    fn listen(&mut self, message: Option<&String>) {
        let known = self.0.as_ref().map(|(text, _)| text);
        if message != known {
            self.0 = message.map(|text| (text.clone(), Instant::now()));
        }
    }

    fn last(&self) -> Option<(&str, f32)> {
        self.0.as_ref().map(|(text, when)| (text.as_str(), when.elapsed().as_secs_f32()))
    }
}

/// The state in one line: what plays, then how it runs.
fn line(frame: &StageFrame, status: Option<&Status>, seconds: f64) -> [String; 2] {
    let values = &frame.to.values;
    let preset = if frame.to.preset.is_empty() { "untitled" } else { &*frame.to.preset };
    let frozen = if frame.to.frozen { "  frozen" } else { "" };
    let wind = format!(
        "{preset}  seed {}   wind {:.1} m/s  heading {:.0}°  turbulence {:.2}{frozen}",
        values.int(RowId::WindSeed),
        values.float(RowId::WindSpeed),
        values.float(RowId::WindHeading),
        values.float(RowId::WindTurbulence),
    );
    let rate = if seconds > 0.0 { 1.0 / seconds } else { 0.0 };
    let mut run = format!("tick {}   ", frame.to.tick);
    if let Some(status) = status {
        run += &format!("lag {}   ", status.behind + status.lag_ticks);
        if status.inbox.dropped > 0 {
            run += &format!("dropped {}   ", status.inbox.dropped);
        }
    }
    run += &format!("{rate:.0} fps");
    [wind, run]
}

fn draw(
    mut contexts: EguiContexts,
    overlay: Res<Overlay>,
    frame: Option<Res<StageFrame>>,
    frame_time: Res<FrameTime>,
    source: Res<StageSource>,
    notice: Res<Notice>,
    mut heard: Local<Heard>,
) -> Result {
    let (true, Some(frame)) = (overlay.shown && !overlay.suppressed, frame) else { return Ok(()) };
    let ctx = contexts.ctx_mut()?;
    let status = source.status();
    heard.listen(status.as_ref().and_then(|status| status.messages.last()));
    // Of the stage's own and the player's messages the younger one.
    let message = [notice.last(), heard.last()].into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1));
    let message = message.filter(|(_, age)| *age < MESSAGE_SECONDS).map(|(text, _)| text);
    let ink = |alpha| ink_on(frame.to.values.colour(RowId::LookBackground), alpha);
    let (soft, faint) = (ink(165), ink(100));
    let loud = if is_light(frame.to.values.colour(RowId::LookBackground)) { LOUD_DARK } else { LOUD_LIGHT };
    let font = |size| egui::FontId::proportional(size);
    egui::Area::new("pennon state".into())
        .anchor(egui::Align2::LEFT_BOTTOM, egui::vec2(18.0, -14.0))
        .interactable(false)
        .show(ctx, |ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            ui.spacing_mut().item_spacing = egui::vec2(0.0, 2.0);
            if let Some(message) = message {
                ui.label(egui::RichText::new(message).font(font(13.0)).color(loud));
            }
            let [wind, run] = line(&frame, status.as_ref(), frame_time.0);
            ui.label(egui::RichText::new(wind).font(font(14.0)).color(soft));
            let keys: Vec<_> = KEYS.iter().map(|(key, does, _)| format!("{key} {does}")).collect();
            let run = format!("{run}      {}", keys.join("   "));
            ui.label(egui::RichText::new(run).font(font(11.0)).color(faint));
        });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::{Counters, Snapshot};
    use crate::params::Preset;
    use crate::perform::Performance;
    use std::sync::Arc;

    #[test]
    fn the_line_says_what_plays_and_how_it_runs() {
        let performance = Performance::new(&Preset { name: "gale".into(), ..Preset::default() }).expect("sound");
        let mut snapshot = Snapshot::of(&performance);
        snapshot.preset = "gale".into();
        snapshot.tick = 4310;
        let status = Status {
            tick: 4310,
            lag_ticks: 2,
            behind: 1,
            ticks_per_second: 120.0,
            inbox: Counters { dropped: 2, ..Counters::default() },
            messages: Vec::new(),
            running: true,
        };
        let [wind, run] = line(&StageFrame::still(Arc::new(snapshot)), Some(&status), 0.02);
        assert_eq!(wind, "gale  seed 1   wind 8.0 m/s  heading 0°  turbulence 0.15");
        assert_eq!(run, "tick 4310   lag 3   dropped 2   50 fps");
    }
}
