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

impl Plugin for ControlPlugin {
    fn build(&self, _: &mut App) {}

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
