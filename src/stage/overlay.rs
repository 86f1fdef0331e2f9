//! The line of state: preset, seed, tick, lag, frame rate, wind, the last message, the keys. Small, in a corner.

use super::hands::{Action, KEYS};
use super::source::StageSource;
use super::{Notice, StageCamera, StageFrame, StageOsc, StageSet};
use crate::live::Status;
use crate::params::RowId;
use bevy::prelude::*;
use bevy_egui::{EguiContexts, EguiGlobalSettings, EguiPlugin, EguiPrimaryContextPass, PrimaryEguiContext, egui};
use std::time::Instant;

/// A message is shown this long, s.
const MESSAGE_SECONDS: f32 = 8.0;
/// Share of a new frame's time in the shown mean.
const RATE_SMOOTHING: f64 = 0.05;

/// Behind the text, so that it can be read whatever it crosses; on a dark picture it is hardly seen.
const BACKING: egui::Color32 = egui::Color32::from_black_alpha(150);
/// What plays.
const SOFT: egui::Color32 = egui::Color32::from_gray(225);
/// How it runs, and the keys.
const FAINT: egui::Color32 = egui::Color32::from_gray(185);
/// A message.
const LOUD: egui::Color32 = egui::Color32::from_rgb(240, 205, 130);
/// Ticks that may be due without a word: one is, whenever the picture is drawn just before it.
const ON_TIME: u64 = 1;

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
            .init_resource::<Notice>()
            .add_message::<Action>()
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
    let values = frame.values();
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
        // Late is now, lost ticks and dropped requests are since the start.
        for (word, count, quiet) in
            [("late", status.behind, ON_TIME), ("lost", status.lag_ticks, 0), ("dropped", status.inbox.dropped, 0)]
        {
            if count > quiet {
                run += &format!("{word} {count}   ");
            }
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
    (osc, notice): (Option<Res<StageOsc>>, Res<Notice>),
    mut heard: Local<Heard>,
) -> Result {
    let (true, Some(frame)) = (overlay.shown && !overlay.suppressed, frame) else { return Ok(()) };
    let ctx = contexts.ctx_mut()?;
    let status = source.status();
    heard.listen(status.as_ref().and_then(|status| status.messages.last()));
    // Of the stage's own and the player's messages the younger one.
    let message = [notice.last(), heard.last()].into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1));
    let message = message.filter(|(_, age)| *age < MESSAGE_SECONDS).map(|(text, _)| text);
    let font = |size| egui::FontId::proportional(size);
    egui::Area::new("pennon state".into())
        .anchor(egui::Align2::LEFT_BOTTOM, egui::vec2(10.0, -9.0))
        .interactable(false)
        .show(ctx, |ui| {
            egui::Frame::NONE.fill(BACKING).corner_radius(4.0).inner_margin(egui::vec2(8.0, 5.0)).show(ui, |ui| {
                ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
                ui.spacing_mut().item_spacing = egui::vec2(0.0, 2.0);
                // What is wrong stays as long as it is.
                let problem = osc.and_then(|osc| osc.problem());
                for message in
                    problem.as_deref().into_iter().chain(message.filter(|text| Some(*text) != problem.as_deref()))
                {
                    ui.label(egui::RichText::new(message).font(font(13.0)).color(LOUD));
                }
                let [wind, run] = line(&frame, status.as_ref(), frame_time.0);
                ui.label(egui::RichText::new(wind).font(font(14.0)).color(SOFT));
                let keys: Vec<_> = KEYS.iter().map(|(key, does, _)| format!("{key} {does}")).collect();
                let run = format!("{run}      {}", keys.join("   "));
                ui.label(egui::RichText::new(run).font(font(11.0)).color(FAINT));
            });
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
        let mut status = Status {
            tick: 4310,
            lag_ticks: 2,
            behind: 1,
            ticks_per_second: 120.0,
            inbox: Counters { dropped: 2, ..Counters::default() },
            messages: Vec::new(),
            running: true,
        };
        let frame = StageFrame::still(Arc::new(snapshot));
        let [wind, run] = line(&frame, Some(&status), 0.02);
        assert_eq!(wind, "gale  seed 1   wind 8.0 m/s  heading 0°  turbulence 0.15");
        assert_eq!(run, "tick 4310   lost 2   dropped 2   50 fps");
        (status.behind, status.lag_ticks, status.inbox.dropped) = (5, 0, 0);
        assert_eq!(line(&frame, Some(&status), 0.02)[1], "tick 4310   late 5   50 fps");
    }
}
