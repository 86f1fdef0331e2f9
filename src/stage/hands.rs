//! Mouse and keys as changes: orbit, zoom, a hand on the cloth, cues.
//!
//! Nothing here has an effect of its own on flag or camera: a drag is rows and `/hand/…`, as from a phone.

use super::pick;
use super::source::StageSource;
use super::{StageFrame, StageSet, StageView};
use crate::params::{RowId, Value};
use crate::perform::{Body, Cue, Hand, Source};
use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::input::mouse::{MouseScrollUnit, MouseWheel};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;
use std::collections::VecDeque;
use std::time::Instant;

/// Degrees of orbit for a drag over the whole height of the window.
const ORBIT_DEGREES: f32 = 200.0;
/// Zoom of one notch of the wheel.
const ZOOM_NOTCH: f32 = 1.1;
/// Pixels of a touch pad that count as one notch.
const PIXELS_A_NOTCH: f32 = 40.0;
/// Notices kept; older ones are forgotten.
const MOST_NOTICES: usize = 8;

/// What a key does.
#[derive(Message, Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// Something of the performance.
    Cue(Cue),
    /// Recalls the next preset.
    PresetNext,
    /// Recalls the previous preset.
    PresetPrevious,
    /// To fullscreen and back.
    Fullscreen,
    /// Writes the picture to a PNG.
    Still,
    /// Shows or hides the line of state.
    Overlay,
    /// Ends the program.
    Quit,
}

/// The keys: as they are typed, as they are shown, what they do. Letters go by the layout of the keyboard.
pub const KEYS: &[(&str, &str, Action)] = &[
    ("R", "reset", Action::Cue(Cue::Reset)),
    ("Space", "freeze", Action::Cue(Cue::Freeze)),
    ("P", "panic", Action::Cue(Cue::Panic)),
    ("N", "next preset", Action::PresetNext),
    ("B", "previous", Action::PresetPrevious),
    ("S", "next seed", Action::Cue(Cue::SeedNext)),
    ("C", "still", Action::Still),
    ("F", "fullscreen", Action::Fullscreen),
    ("H", "hide", Action::Overlay),
    ("Esc", "quit", Action::Quit),
];

/// What people should know, newest last.
#[derive(Resource, Debug, Default)]
pub struct Notice {
    said: VecDeque<(Instant, String)>,
}

impl Notice {
    /// Says one sentence.
    pub fn say(&mut self, text: impl Into<String>) {
        let text = text.into();
        info!("{text}");
        self.said.push_back((Instant::now(), text));
        if self.said.len() > MOST_NOTICES {
            self.said.pop_front();
        }
    }

    /// The last sentence and its age in seconds.
    pub fn last(&self) -> Option<(&str, f32)> {
        self.said.back().map(|(when, text)| (text.as_str(), when.elapsed().as_secs_f32()))
    }
}

/// Mouse and keys for the stage. Left drag on the cloth holds it, elsewhere it orbits as the right button
/// does, the wheel zooms; the keys are [`KEYS`].
///
/// Sketches leave it out or add it beside [`super::PennonPlugin`]. The keys that concern the window do
/// something only in [`super::run()`].
#[derive(Debug, Clone, Copy, Default)]
pub struct HandsPlugin;

impl Plugin for HandsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Notice>()
            .add_message::<Action>()
            .add_systems(Update, (keys, mouse.run_if(resource_exists::<StageFrame>)).chain().in_set(StageSet::Hands));
    }
}

fn action_of(key: &Key) -> Option<Action> {
    let typed = match key {
        Key::Character(text) => text.to_uppercase(),
        Key::Space => "Space".to_owned(),
        Key::Escape => "Esc".to_owned(),
        _ => return None,
    };
    KEYS.iter().find(|(name, ..)| *name == typed).map(|(.., action)| *action)
}

fn keys(
    mut typed: MessageReader<KeyboardInput>,
    egui: Option<Res<EguiWantsInput>>,
    mut source: ResMut<StageSource>,
    mut actions: MessageWriter<Action>,
) {
    let typing = egui.is_some_and(|egui| egui.wants_any_keyboard_input());
    for event in typed.read() {
        if typing || event.repeat || event.state != ButtonState::Pressed {
            continue;
        }
        let Some(action) = action_of(&event.logical_key) else { continue };
        match action {
            Action::Cue(cue) => source.push(Source::Key, vec![Body::Cue(cue)]),
            Action::PresetNext => source.step_preset(Source::Key, false),
            Action::PresetPrevious => source.step_preset(Source::Key, true),
            _ => {}
        }
        actions.write(action);
    }
}

/// A heading turned by some degrees, −180..180.
fn turned(heading: f32, by: f32) -> f32 {
    (heading + by + 180.0).rem_euclid(360.0) - 180.0
}

/// What a button that is down does.
#[derive(Default, Clone, Copy, PartialEq)]
enum Drag {
    #[default]
    None,
    /// Turns the camera; the heading so far, deg, since only an absolute one goes on round after 180.
    Orbit(f32),
    /// Holds the cloth; the place gives the depth of the drag.
    Cloth(Vec3),
}

#[derive(Default)]
struct Pointer {
    drag: Drag,
    last: Option<Vec2>,
}

#[expect(clippy::too_many_arguments, reason = "a system takes what it reads")]
fn mouse(
    buttons: Res<ButtonInput<MouseButton>>,
    mut wheel: MessageReader<MouseWheel>,
    windows: Query<&Window, With<PrimaryWindow>>,
    frame: Res<StageFrame>,
    view: Option<Res<StageView>>,
    egui: Option<Res<EguiWantsInput>>,
    mut source: ResMut<StageSource>,
    mut pointer: Local<Pointer>,
) {
    let notches: f32 = wheel
        .read()
        .map(|turn| match turn.unit {
            MouseScrollUnit::Line => turn.y,
            MouseScrollUnit::Pixel => turn.y / PIXELS_A_NOTCH,
        })
        .sum();
    let (Ok(window), Some(view)) = (windows.single(), view) else { return };
    let cursor = window.cursor_position();
    let elsewhere = egui.is_some_and(|egui| egui.wants_any_pointer_input());
    let down = buttons.pressed(MouseButton::Left) || buttons.pressed(MouseButton::Right);
    if !down && pointer.drag != Drag::None {
        if matches!(pointer.drag, Drag::Cloth(_)) {
            source.push(Source::Mouse, vec![Body::Hand(Hand::Release)]);
        }
        pointer.drag = Drag::None;
    }
    let size = window.size();
    let ray = cursor.filter(|_| size.min_element() > 0.0).map(|cursor| {
        let place = cursor / size * 2.0 - 1.0;
        view.0.ray(place.x, -place.y)
    });
    let eye = view.0.eye;
    if !elsewhere && pointer.drag == Drag::None {
        let heading = source.target(RowId::LookCameraHeading).and_then(Value::number).unwrap_or(0.0) as f32;
        if buttons.just_pressed(MouseButton::Right) {
            pointer.drag = Drag::Orbit(heading);
        } else if let (true, Some(ray)) = (buttons.just_pressed(MouseButton::Left), ray) {
            let flags = &frame.to.flags;
            let hit = pick::cloth_under(flags, eye, ray);
            let held = hit.and_then(|hit| pick::place_of(flags, hit.flag, hit.particle).map(|place| (hit, place)));
            pointer.drag = match held {
                Some((hit, place)) => {
                    let grab = Hand::Grab { flag: hit.flag, particle: hit.particle };
                    source.push(Source::Mouse, vec![Body::Hand(grab)]);
                    Drag::Cloth(place)
                }
                None => Drag::Orbit(heading),
            };
        }
        pointer.last = cursor;
    }
    let moved = match (cursor, pointer.last) {
        (Some(now), Some(last)) => now - last,
        _ => Vec2::ZERO,
    };
    if moved != Vec2::ZERO {
        match pointer.drag {
            Drag::Orbit(heading) => {
                let degrees = moved * (ORBIT_DEGREES / size.y.max(1.0));
                let heading = turned(heading, -degrees.x);
                pointer.drag = Drag::Orbit(heading);
                source.push(
                    Source::Mouse,
                    vec![
                        Body::Set { row: RowId::LookCameraHeading, value: Value::Float(heading) },
                        Body::Add { row: RowId::LookCameraHeight, by: degrees.y },
                    ],
                );
            }
            Drag::Cloth(held) => {
                if let Some(ray) = ray {
                    let forward = (view.0.target - eye).normalize_or(Vec3::NEG_Z);
                    let place = pick::drag_to(held, eye, ray, forward);
                    source.push(Source::Mouse, vec![Body::Hand(Hand::Move(place.to_array()))]);
                }
            }
            Drag::None => {}
        }
    }
    if cursor.is_some() {
        pointer.last = cursor;
    }
    if notches != 0.0 && !elsewhere {
        source.push(Source::Mouse, vec![Body::Scale { row: RowId::LookCameraZoom, by: ZOOM_NOTCH.powf(notches) }]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_found_in_either_case_and_once() {
        for (name, _, action) in KEYS {
            let key = match *name {
                "Space" => Key::Space,
                "Esc" => Key::Escape,
                letter => Key::Character(letter.to_lowercase().into()),
            };
            assert_eq!(action_of(&key), Some(*action), "{name}");
            assert_eq!(KEYS.iter().filter(|(other, ..)| other == name).count(), 1, "{name}");
        }
        assert_eq!(action_of(&Key::Character("q".into())), None);
        assert_eq!(action_of(&Key::Tab), None);
    }

    #[test]
    fn an_orbit_goes_all_the_way_round() {
        assert_eq!(turned(170.0, 20.0), -170.0);
        assert_eq!(turned(-170.0, -20.0), 170.0);
        assert_eq!(turned(10.0, -725.0), 5.0);
    }

    #[test]
    fn notices_are_bounded_and_the_last_is_shown() {
        let mut notice = Notice::default();
        for index in 0..100 {
            notice.say(format!("{index}"));
        }
        assert_eq!(notice.said.len(), MOST_NOTICES);
        assert_eq!(notice.last().map(|(text, _)| text), Some("99"));
    }
}
