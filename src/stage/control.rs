//! The outside world for a sketch: OSC plays the flag that the stage shows.

use super::StageSource;
use crate::control::osc::{OscConfig, OscServer};
use bevy::prelude::*;

/// Hears OSC and plays the flag of a [`PennonPlugin::live`](super::PennonPlugin::live).
///
/// It is apart from `PennonPlugin`, which opens no socket. A port that is taken is told on the overlay and
/// tried again; the sketch runs on.
///
/// ```no_run
/// use pennon::live::{Player, PlayerConfig};
/// use pennon::params::{Library, Preset};
/// use pennon::stage::{ControlPlugin, PennonPlugin};
///
/// let player = Player::start(PlayerConfig { preset: Preset::default(), library: Library::shipped() })?;
/// bevy::app::App::new()
///     .add_plugins((bevy::DefaultPlugins, PennonPlugin::live(player), ControlPlugin::default()))
///     .run();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ControlPlugin {
    /// Where and how OSC is heard; by default on this machine alone, at the usual port.
    pub osc: OscConfig,
}

/// The running receiver, for its status and its last messages. Removing it stops the listening.
#[derive(Resource, Debug)]
pub struct StageOsc(pub OscServer);

impl StageOsc {
    /// Why OSC is not heard, while it is not.
    pub fn problem(&self) -> Option<String> {
        self.0.status().problem
    }
}

/// Tells a problem on the terminal too, once: the overlay may be hidden.
fn tell(osc: Option<Res<StageOsc>>, mut told: Local<Option<String>>) {
    let problem = osc.and_then(|osc| osc.problem());
    if problem != *told {
        if let Some(problem) = &problem {
            warn!("{problem}");
        }
        *told = problem;
    }
}

impl Plugin for ControlPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, tell);
    }

    /// After all plugins are built, so that it does not matter which of the two was added first.
    fn finish(&self, app: &mut App) {
        match app.world().get_resource::<StageSource>() {
            Some(StageSource::Live(player)) => {
                let server = OscServer::start(self.osc, player.clone());
                app.insert_resource(StageOsc(server));
            }
            _ => warn!("OSC is not heard: it plays a live player; add PennonPlugin::live"),
        }
    }
}
