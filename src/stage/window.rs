//! The flag in a window of its own.

use super::hands::Action;
use super::{ControlPlugin, HandsPlugin, Notice, OverlayPlugin, PennonPlugin, StageSet, still};
use crate::control::osc::OscConfig;
use crate::live::PlayerHandle;
use bevy::log::LogPlugin;
use bevy::log::tracing::{Event, Subscriber};
use bevy::log::tracing_subscriber::fmt::format::Writer;
use bevy::log::tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, Layer};
use bevy::log::tracing_subscriber::registry::LookupSpan;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::settings::{Backends, RenderCreation, WgpuSettings};
use bevy::window::{CursorOptions, Monitor, MonitorSelection, PresentMode, PrimaryWindow, WindowMode};
use bevy::winit::{UpdateMode, WinitSettings};
use std::fmt;
use std::time::Instant;
use wgpu::{Instance, InstanceDescriptor, RequestAdapterOptions};

/// A second Esc within this time ends a fullscreen show, s.
const QUIT_SECONDS: f32 = 3.0;
/// Bevy's exit code after Ctrl-C in the terminal: an ordinary end of a show.
pub(crate) const INTERRUPTED: u8 = 130;
/// Smallest window, px.
const SMALLEST: f32 = 160.0;

/// How the window starts.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowOptions {
    /// Monitor for fullscreen: part of its name in any case, or its number from 0.
    pub monitor: Option<String>,
    /// Starts in fullscreen.
    pub fullscreen: bool,
    /// Title.
    pub title: String,
    /// Size in logical pixels.
    pub size: (u32, u32),
    /// Where and how OSC is heard; `None` hears none.
    pub osc: Option<OscConfig>,
}

impl Default for WindowOptions {
    fn default() -> Self {
        WindowOptions { monitor: None, fullscreen: false, title: "Pennon".to_owned(), size: (1280, 720), osc: None }
    }
}

/// Why there is no window.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    /// No display to open a window on.
    #[error("no display: {reason}; `pennon capture` renders without one")]
    NoDisplay {
        /// What was looked for.
        reason: String,
    },
    /// Nothing that can draw.
    #[error(
        "no graphics adapter: {reason}; install a Vulkan, Metal or Direct3D 12 driver (on Debian without a GPU: mesa-vulkan-drivers)"
    )]
    NoAdapter {
        /// What the system said.
        reason: String,
    },
    /// The window ended with an error.
    #[error("the window ended with code {code}")]
    Ended {
        /// The exit code.
        code: u8,
    },
}

/// Whether a window can be opened, and why not.
///
/// On Linux the window library ends the program when there is no display, so it is looked for here first.
pub fn display_available() -> Result<(), StageError> {
    #[cfg(all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android"))))]
    return unix::display_available().map_err(|reason| StageError::NoDisplay { reason });
    #[cfg(not(all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android")))))]
    Ok(())
}

/// That there is an adapter, and behind what.
#[derive(Debug, Clone)]
pub struct Adapter {
    backends: Backends,
}

impl Adapter {
    /// Looks for one behind Vulkan, Metal or Direct3D 12, or behind what `WGPU_BACKEND` names. OpenGL is not
    /// tried by itself: its drivers lack what the renderer needs, and that shows only after the window is open.
    pub fn find() -> Result<Adapter, StageError> {
        let chosen = std::env::var_os("WGPU_BACKEND").and(WgpuSettings::default().backends);
        let backends = chosen.unwrap_or(Backends::PRIMARY);
        let descriptor = InstanceDescriptor { backends, ..InstanceDescriptor::new_without_display_handle() };
        let instance = Instance::new(descriptor);
        match bevy::tasks::block_on(instance.request_adapter(&RequestAdapterOptions::default())) {
            Ok(_) => Ok(Adapter { backends }),
            Err(error) => Err(StageError::NoAdapter { reason: brief(&error.to_string()) }),
        }
    }

    /// The renderer behind these. It compiles before it draws, so that no first frame is empty.
    pub fn renderer(&self) -> RenderPlugin {
        let settings = WgpuSettings { backends: Some(self.backends), ..default() };
        RenderPlugin {
            render_creation: RenderCreation::Automatic(Box::new(settings)),
            synchronous_pipeline_compilation: true,
            ..default()
        }
    }
}

/// The reasons without the interfaces that this system does not have.
fn brief(reason: &str) -> String {
    let absent = |part: &&str| part.ends_with("not requested") || part.ends_with("not compiled in");
    let parts = reason.split([';', ',']).map(str::trim).filter(|part| !absent(part));
    parts.collect::<Vec<_>>().join(", ")
}

/// Opens the window and stays until it is closed. Must be called on the main thread.
///
/// Without nannou's plugin: nothing here draws with it, and with nannou 0.20 a window's memory grows by some
/// 5 kB a frame, which a show of hours would feel.
pub fn run(player: PlayerHandle, options: WindowOptions) -> Result<(), StageError> {
    display_available()?;
    let adapter = Adapter::find()?;
    let window = Window {
        title: options.title.clone(),
        resolution: options.size.into(),
        present_mode: PresentMode::Fifo,
        resize_constraints: WindowResizeConstraints { min_width: SMALLEST, min_height: SMALLEST, ..default() },
        ..default()
    };
    let mut app = App::new();
    if let Some(osc) = options.osc {
        app.add_plugins(ControlPlugin { osc });
    }
    let exit = app
        .add_plugins((
            DefaultPlugins
                .set(WindowPlugin { primary_window: Some(window), ..default() })
                .set(adapter.renderer())
                .set(quiet_log()),
            PennonPlugin::live(player),
            HandsPlugin,
            OverlayPlugin,
        ))
        // A window that is not looked at is still on the projector.
        .insert_resource(WinitSettings { focused_mode: UpdateMode::Continuous, unfocused_mode: UpdateMode::Continuous })
        .insert_resource(Screen { monitor: options.monitor, asked: options.fullscreen, ..default() })
        .add_plugins(still::build)
        .add_systems(Update, (fullscreen, quit).after(StageSet::Hands))
        .run();
    match exit {
        AppExit::Success => Ok(()),
        AppExit::Error(code) if code.get() == INTERRUPTED => Ok(()),
        AppExit::Error(code) => Err(StageError::Ended { code: code.get() }),
    }
}

/// The program's own lines in the form of all its others; of the libraries only errors: a software adapter
/// is no news.
pub(crate) fn quiet_log() -> LogPlugin {
    LogPlugin {
        filter: "error,pennon=info,bevy_render::renderer=error,wgpu=error,naga=error".to_owned(),
        fmt_layer: |_| Some(Box::new(Layer::default().with_writer(std::io::stderr).event_format(PlainLines))),
        ..default()
    }
}

/// `pennon: what happened`, without time, colour or module.
struct PlainLines;

impl<S, N> FormatEvent<S, N> for PlainLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        write!(writer, "pennon: ")?;
        context.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

/// Which monitor, and whether fullscreen is asked for.
#[derive(Resource, Debug, Default)]
struct Screen {
    monitor: Option<String>,
    asked: bool,
    quit_asked: Option<Instant>,
}

fn fullscreen(
    mut actions: MessageReader<Action>,
    mut screen: ResMut<Screen>,
    monitors: Query<(Entity, &Monitor)>,
    mut windows: Query<(&mut Window, &mut CursorOptions), With<PrimaryWindow>>,
    mut notice: ResMut<Notice>,
) {
    let Ok((mut window, mut cursor)) = windows.single_mut() else { return };
    if actions.read().filter(|action| **action == Action::Fullscreen).count() % 2 == 1 {
        if window.mode == WindowMode::Windowed {
            screen.asked = true;
        } else {
            window.mode = WindowMode::Windowed;
            cursor.visible = true;
        }
    }
    // Monitors are known a little after the window opens.
    if !screen.asked || monitors.is_empty() {
        return;
    }
    screen.asked = false;
    let mut known: Vec<_> = monitors.iter().map(|(entity, monitor)| (entity, monitor.clone())).collect();
    known.sort_by_key(|(_, monitor)| (monitor.physical_position.x, monitor.physical_position.y));
    let names: Vec<_> = known.iter().map(|(_, monitor)| monitor.name.clone().unwrap_or_default()).collect();
    let selection = match screen.monitor.as_deref() {
        None => MonitorSelection::Current,
        Some(wanted) => match choose(&names, wanted) {
            Some(index) => MonitorSelection::Entity(known[index].0),
            None => {
                notice.say(format!("no monitor {wanted}; there are {}", names.join(", ")));
                MonitorSelection::Current
            }
        },
    };
    window.mode = WindowMode::BorderlessFullscreen(selection);
    cursor.visible = false;
}

/// The monitor that is meant: by whole name, by part of a name, by number.
fn choose(names: &[String], wanted: &str) -> Option<usize> {
    let wanted = wanted.trim().to_lowercase();
    let exact = names.iter().position(|name| name.to_lowercase() == wanted);
    let number = || wanted.parse().ok().filter(|index| *index < names.len());
    let part = || names.iter().position(|name| !wanted.is_empty() && name.to_lowercase().contains(&wanted));
    exact.or_else(number).or_else(part)
}

fn quit(
    mut actions: MessageReader<Action>,
    mut screen: ResMut<Screen>,
    windows: Query<&Window, With<PrimaryWindow>>,
    mut notice: ResMut<Notice>,
    mut exit: MessageWriter<AppExit>,
) {
    for _ in actions.read().filter(|action| **action == Action::Quit) {
        let windowed = windows.single().is_ok_and(|window| window.mode == WindowMode::Windowed);
        let again = screen.quit_asked.is_some_and(|when| when.elapsed().as_secs_f32() < QUIT_SECONDS);
        if windowed || again {
            exit.write(AppExit::Success);
        } else {
            screen.quit_asked = Some(Instant::now());
            notice.say("Esc again to quit");
        }
    }
}

#[cfg(all(unix, not(any(target_os = "macos", target_os = "ios", target_os = "android"))))]
mod unix {
    use std::net::{TcpStream, ToSocketAddrs};
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::UnixStream;
    use std::path::Path;
    use std::time::Duration;

    /// Longest wait for an X server on another machine, for each of its addresses.
    const REMOTE_PATIENCE: Duration = Duration::from_secs(3);

    /// A compositor or X server that answers.
    pub fn display_available() -> Result<(), String> {
        look(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    /// The same for any environment. The window library takes Wayland where a variable names it, and ends the
    /// program when that does not answer, whatever DISPLAY says; so such a variable is told with the way out.
    pub fn look(set: impl Fn(&str) -> Option<String>) -> Result<(), String> {
        let socket = set("WAYLAND_SOCKET").map(|name| ("WAYLAND_SOCKET", socket_is_open(&name), name));
        // A socket that is handed over counts before a name.
        let display = || {
            let name = set("WAYLAND_DISPLAY")?;
            Some(("WAYLAND_DISPLAY", wayland_answers(&name, set("XDG_RUNTIME_DIR")), name))
        };
        let wayland = match socket.or_else(display) {
            Some((_, Ok(()), _)) => return Ok(()),
            Some((variable, Err(why), name)) => Some((variable, format!("{variable}={name} does not answer ({why})"))),
            None => None,
        };
        let x = set("DISPLAY").map(|name| (x_answers(&name), name));
        match (wayland, x) {
            (None, None) => Err("neither WAYLAND_DISPLAY nor DISPLAY is set".to_owned()),
            (None, Some((Ok(()), _))) => Ok(()),
            (None, Some((Err(why), name))) => Err(format!("DISPLAY={name} does not answer ({why})")),
            (Some((_, stale)), None) => Err(stale),
            (Some((variable, stale)), Some((Ok(()), name))) => {
                Err(format!("{stale}; unset {variable} to use DISPLAY={name}, which does"))
            }
            (Some((_, stale)), Some((Err(why), name))) => Err(format!("{stale}, DISPLAY={name} neither ({why})")),
        }
    }

    fn wayland_answers(name: &str, folder: Option<String>) -> Result<(), String> {
        let name = Path::new(name);
        let socket = match folder {
            _ if name.is_absolute() => name.to_owned(),
            Some(folder) => Path::new(&folder).join(name),
            None => return Err("XDG_RUNTIME_DIR is not set".to_owned()),
        };
        UnixStream::connect(socket).map(drop).map_err(|error| error.to_string())
    }

    /// The number of a socket that the parent left open.
    fn socket_is_open(number: &str) -> Result<(), String> {
        let number: u32 = number.parse().map_err(|_| "it is no number")?;
        match std::fs::metadata(format!("/dev/fd/{number}")) {
            Ok(found) if found.file_type().is_socket() => Ok(()),
            Ok(_) => Err("it is no socket".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// `[host]:number[.screen]`; without a host the server listens on a socket in /tmp.
    fn x_answers(display: &str) -> Result<(), String> {
        let (host, number) = display.rsplit_once(':').ok_or("it has no colon")?;
        let number = number.split('.').next().unwrap_or_default();
        let number: u16 = number.parse().map_err(|_| "it has no number")?;
        if host.is_empty() || host == "unix" {
            let path = format!("/tmp/.X11-unix/X{number}");
            return match UnixStream::connect(&path) {
                Ok(_) => Ok(()),
                Err(_) if abstract_answers(&path) => Ok(()),
                Err(error) => Err(error.to_string()),
            };
        }
        let port = 6000u16.checked_add(number).ok_or("its number is too large")?;
        let mut why = "its host has no address".to_owned();
        for address in (host, port).to_socket_addrs().map_err(|error| error.to_string())? {
            match TcpStream::connect_timeout(&address, REMOTE_PATIENCE) {
                Ok(_) => return Ok(()),
                Err(error) => why = error.to_string(),
            }
        }
        Err(why)
    }

    #[cfg(target_os = "linux")]
    fn abstract_answers(path: &str) -> bool {
        use std::os::linux::net::SocketAddrExt;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(path);
        address.is_ok_and(|address| UnixStream::connect_addr(&address).is_ok())
    }

    #[cfg(not(target_os = "linux"))]
    fn abstract_answers(_: &str) -> bool {
        false
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn a_display_that_is_not_there_is_named() {
            assert!(super::x_answers("nonsense").is_err_and(|why| why == "it has no colon"));
            assert!(super::x_answers(":x").is_err_and(|why| why == "it has no number"));
            assert!(super::x_answers(":59999.0").is_err());
        }

        #[test]
        fn a_stale_compositor_is_named_with_the_way_out() {
            let server = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
            let number = server.local_addr().expect("an address").port().checked_sub(6000);
            let x = format!("127.0.0.1:{}", number.expect("ports of their own lie higher"));
            let look = |wayland: (&str, &str), x: &str| {
                super::look(|name| match name {
                    "DISPLAY" => Some(x.to_owned()).filter(|x| !x.is_empty()),
                    "XDG_RUNTIME_DIR" => Some("/nowhere".to_owned()),
                    _ => (name == wayland.0).then(|| wayland.1.to_owned()),
                })
            };
            assert_eq!(look(("", ""), &x), Ok(()));
            let error = look(("WAYLAND_DISPLAY", "wayland-9"), &x).expect_err("stale");
            assert!(error.starts_with("WAYLAND_DISPLAY=wayland-9 does not answer ("), "{error}");
            assert!(error.ends_with(&format!("; unset WAYLAND_DISPLAY to use DISPLAY={x}, which does")), "{error}");
            let error = look(("WAYLAND_SOCKET", "99999"), &x).expect_err("stale");
            assert!(error.contains("unset WAYLAND_SOCKET"), "{error}");
            let error = look(("WAYLAND_DISPLAY", "wayland-9"), "").expect_err("stale");
            assert!(!error.contains("unset"), "{error}");
            let error = look(("", ""), "").expect_err("nothing is set");
            assert_eq!(error, "neither WAYLAND_DISPLAY nor DISPLAY is set");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_what_was_tried() {
        let told = "No suitable graphics adapter found; noop not requested, vulkan found no adapters, gl not requested";
        assert_eq!(brief(told), "No suitable graphics adapter found, vulkan found no adapters");
    }

    #[test]
    fn monitors_are_chosen_by_name_part_or_number() {
        let names = ["eDP-1", "HDMI-A-1", "HDMI-A-12"].map(str::to_owned);
        assert_eq!(choose(&names, "hdmi-a-12"), Some(2));
        assert_eq!(choose(&names, "HDMI"), Some(1));
        assert_eq!(choose(&names, "0"), Some(0));
        assert_eq!(choose(&names, "DP-7"), None);
        assert_eq!(choose(&names, ""), None);
    }
}
