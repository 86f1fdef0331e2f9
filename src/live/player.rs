//! The thread that owns the performance and keeps the wall clock.
//!
//! Tick k is due k/120 s after the start, as an exact multiple and not as a sum of sleeps, so the clock
//! does not drift. A tick that comes late is made up for; a debt above [`MOST_BEHIND`] is written off,
//! counted and shown. Requests enter at the start of the next tick; a snapshot is published after each.

use super::inbox::{Counters, Inbox};
use super::notice::Notices;
use super::request::{HostCue, Refusal, Request, Resolver};
use super::snapshot::Snapshot;
use crate::params::{Library, Preset, RowId, SceneError, Value, Values};
use crate::perform::{Body, Machine, Performance, Source, TICK_HERTZ};
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Largest debt in ticks that is made up for: a tenth of a second. A longer stall would fast-forward
/// the flag visibly; it is skipped instead.
pub const MOST_BEHIND: u64 = 12;
/// Window over which the rate of ticks is measured: short enough to follow, long enough to stand still.
const RATE_WINDOW: Duration = Duration::from_secs(1);

/// What a player starts with.
#[derive(Debug, Clone)]
pub struct PlayerConfig {
    /// What flies first.
    pub preset: Preset,
    /// What can be recalled by name and number.
    pub library: Library,
}

/// Why a player does not start.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// The structure cannot be built.
    #[error("the preset \"{name}\" cannot be built: {error}")]
    Scene {
        /// The preset.
        name: String,
        /// What is wrong with it.
        error: SceneError,
    },
    /// The system gives no thread.
    #[error("the system gives no thread to keep time: {0}")]
    Thread(std::io::Error),
}

/// How the player does.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Ticks done.
    pub tick: u64,
    /// Ticks written off since the start because they came too late.
    pub lag_ticks: u64,
    /// Ticks that are due and not done; 0 or 1 when on time.
    pub behind: u64,
    /// Ticks in the last second; 0 until one has passed. For a panel.
    pub ticks_per_second: f32,
    /// What passed the inbox.
    pub inbox: Counters,
    /// The last lines for people, latest last.
    pub messages: Vec<String>,
    /// False once the thread has stopped.
    pub running: bool,
}

/// Starts players.
#[derive(Debug)]
pub struct Player;

impl Player {
    /// Starts the thread. It runs until the last handle is dropped.
    pub fn start(config: PlayerConfig) -> Result<PlayerHandle, PlayerError> {
        let PlayerConfig { preset, library } = config;
        let mut performance =
            Performance::new(&preset).map_err(|error| PlayerError::Scene { name: preset.name.clone(), error })?;
        performance.set_machine(Machine::whole());
        let snapshot = Arc::new(Snapshot::of(&performance));
        let library = Arc::new(library);
        let shared = Arc::new(Shared {
            origin: Instant::now(),
            stop: AtomicBool::new(false),
            running: AtomicBool::new(true),
            still: AtomicBool::new(false),
            done: AtomicU64::new(0),
            lag: AtomicU64::new(0),
            rate: AtomicU32::new(0f32.to_bits()),
            applied: AtomicU64::new(0),
            inbox: Mutex::new(Inbox::default()),
            library: library.clone(),
            refused: Mutex::new(Vec::new()),
            notices: Mutex::new(Notices::default()),
            published: Mutex::new(Published {
                older: snapshot.clone(),
                newer: snapshot,
                due: 0,
                targets: Arc::new(performance.targets().clone()),
            }),
        });
        let resolver = Resolver::new(library, &preset.name);
        let of_thread = shared.clone();
        let thread = thread::Builder::new()
            .name("pennon-player".to_owned())
            .spawn(move || run(&of_thread, performance, resolver))
            .map_err(PlayerError::Thread)?;
        Ok(PlayerHandle { inner: Arc::new(Inner { shared, thread: Some(thread) }) })
    }
}

/// The way in and out of a running player. Cheap to clone; the last one to go stops the thread.
#[derive(Debug, Clone)]
pub struct PlayerHandle {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The thread catches its own panics and has said so.
            let _ = thread.join();
        }
    }
}

#[derive(Debug)]
struct Shared {
    origin: Instant,
    stop: AtomicBool,
    running: AtomicBool,
    still: AtomicBool,
    /// Ticks of the wall clock that are done or written off.
    done: AtomicU64,
    lag: AtomicU64,
    /// Bits of an f32.
    rate: AtomicU32,
    /// Pushes up to this number are in the published state.
    applied: AtomicU64,
    inbox: Mutex<Inbox>,
    library: Arc<Library>,
    /// What is not in words yet: finding them takes longer than a tick may. The resolver bounds it.
    refused: Mutex<Vec<Refusal>>,
    notices: Mutex<Notices>,
    published: Mutex<Published>,
}

#[derive(Debug)]
struct Published {
    older: Arc<Snapshot>,
    newer: Arc<Snapshot>,
    /// Tick of the wall clock at which `newer` was due.
    due: u64,
    targets: Arc<Values>,
}

impl PlayerHandle {
    /// The latest two snapshots and how far to go from the first to the second now, 0..1.
    ///
    /// The picture runs one tick behind the performance, so that there is always something to go to.
    pub fn frame(&self) -> (Arc<Snapshot>, Arc<Snapshot>, f32) {
        let shared = &self.inner.shared;
        let published = lock(&shared.published);
        let since = shared.origin.elapsed().as_secs_f64() * f64::from(TICK_HERTZ) - published.due as f64;
        (published.older.clone(), published.newer.clone(), since.clamp(0.0, 1.0) as f32)
    }

    /// Asks for changes, all in one tick or none. False when they were dropped because too much waits.
    pub fn push(&self, source: Source, bodies: Vec<Body>) -> bool {
        self.request(source, bodies.into_iter().map(Request::Change).collect())
    }

    /// Asks for something that needs files or the host.
    pub fn host_cue(&self, source: Source, cue: HostCue) -> bool {
        self.request(source, vec![Request::Host(cue)])
    }

    /// Asks for anything, all in one tick or none. False when it was dropped because too much waits.
    pub fn request(&self, source: Source, requests: Vec<Request>) -> bool {
        lock(&self.inner.shared.inbox).push(source, requests)
    }

    /// A ticket for everything that was asked so far; see [`PlayerHandle::applied`].
    pub fn ticket(&self) -> u64 {
        lock(&self.inner.shared.inbox).serial()
    }

    /// Whether everything before `ticket` shows in [`PlayerHandle::target`] and in the latest snapshot.
    pub fn applied(&self, ticket: u64) -> bool {
        self.inner.shared.applied.load(Ordering::Acquire) >= ticket
    }

    /// Where a row is going, as of the last tick.
    pub fn target(&self, row: RowId) -> Value {
        lock(&self.inner.shared.published).targets.get(row)
    }

    /// Where all rows are going, as of the last tick.
    pub fn targets(&self) -> Arc<Values> {
        lock(&self.inner.shared.published).targets.clone()
    }

    /// True once after a still was asked for.
    pub fn still_requested(&self) -> bool {
        self.inner.shared.still.swap(false, Ordering::Relaxed)
    }

    /// Adds a line for people; one that is already there is counted.
    pub fn notice(&self, line: impl AsRef<str>) {
        lock(&self.inner.shared.notices).add(line.as_ref());
    }

    /// How the player does.
    pub fn status(&self) -> Status {
        let shared = &self.inner.shared;
        let refused = std::mem::take(&mut *lock(&shared.refused));
        refused.iter().for_each(|refusal| self.notice(refusal.text(&shared.library)));
        let tick = lock(&shared.published).newer.tick;
        let due = ticks_due(shared.origin.elapsed());
        Status {
            tick,
            lag_ticks: shared.lag.load(Ordering::Relaxed),
            behind: due.saturating_sub(shared.done.load(Ordering::Relaxed)),
            ticks_per_second: f32::from_bits(shared.rate.load(Ordering::Relaxed)),
            inbox: lock(&shared.inbox).counters(),
            messages: lock(&shared.notices).lines(),
            running: shared.running.load(Ordering::Relaxed),
        }
    }
}

/// A panic elsewhere while a lock was held leaves counters and whole values behind, nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many ticks are due `elapsed` after the start.
fn ticks_due(elapsed: Duration) -> u64 {
    (elapsed.as_nanos() * u128::from(TICK_HERTZ) / 1_000_000_000) as u64
}

/// When tick `number` of the wall clock is due, after the start; never before [`ticks_due`] counts it.
fn due_after(number: u64) -> Duration {
    let nanos = (u128::from(number) * 1_000_000_000).div_ceil(u128::from(TICK_HERTZ));
    Duration::from_nanos(nanos as u64)
}

/// Ticks to do now and ticks to write off, when `due` are due and `done` are done.
fn catch_up(due: u64, done: u64) -> (u64, u64) {
    let behind = due.saturating_sub(done);
    (behind.min(MOST_BEHIND), behind.saturating_sub(MOST_BEHIND))
}

fn run(shared: &Shared, performance: Performance, resolver: Resolver) {
    let result = catch_unwind(AssertUnwindSafe(|| keep_time(shared, performance, resolver)));
    shared.running.store(false, Ordering::Relaxed);
    if result.is_err() {
        lock(&shared.notices).add("the flag stopped because of a fault in the program; please start it again");
    }
}

fn keep_time(shared: &Shared, mut performance: Performance, mut resolver: Resolver) {
    if flushes_denormals() {
        lock(&shared.notices).add(
            "this machine rounds tiny numbers to zero on the thread that keeps time; takes may not verify elsewhere",
        );
    }
    let mut done = 0;
    let mut window = (Instant::now(), performance.ticks());
    while !shared.stop.load(Ordering::Relaxed) {
        let (now, lost) = catch_up(ticks_due(shared.origin.elapsed()), done);
        done += lost;
        shared.lag.fetch_add(lost, Ordering::Relaxed);
        shared.done.store(done, Ordering::Relaxed);
        if now > 0 {
            done += 1;
            one_tick(shared, &mut performance, &mut resolver, done);
        }
        let elapsed = window.0.elapsed();
        if elapsed >= RATE_WINDOW {
            let rate = (performance.ticks() - window.1) as f64 / elapsed.as_secs_f64();
            shared.rate.store((rate as f32).to_bits(), Ordering::Relaxed);
            window = (Instant::now(), performance.ticks());
        }
        let next = due_after(done + 1);
        if let Some(rest) = next.checked_sub(shared.origin.elapsed()) {
            thread::park_timeout(rest);
        }
    }
}

/// One tick: takes what waits, does it, publishes the state.
fn one_tick(shared: &Shared, performance: &mut Performance, resolver: &mut Resolver, due: u64) {
    let taken = lock(&shared.inbox).take();
    let changes = resolver.resolve(performance, taken.requests);
    performance.tick(&changes);
    let snapshot = Arc::new(Snapshot::of(performance));
    let targets = Arc::new(performance.targets().clone());
    {
        let mut published = lock(&shared.published);
        published.older = std::mem::replace(&mut published.newer, snapshot);
        published.due = due;
        published.targets = targets;
    }
    shared.done.store(due, Ordering::Relaxed);
    shared.applied.store(taken.through, Ordering::Release);
    if std::mem::take(&mut resolver.still) {
        shared.still.store(true, Ordering::Relaxed);
    }
    if !resolver.refusals.is_empty() {
        lock(&shared.refused).append(&mut resolver.refusals);
    }
    let reports = performance.take_reports();
    if !reports.is_empty() {
        let mut notices = lock(&shared.notices);
        reports.iter().for_each(|report| notices.add(&format!("flag {}: {}", report.flag, report.message)));
    }
}

/// Whether arithmetic on this thread rounds denormal operands or results to zero, as audio hosts ask
/// the processor to do. It would change the flag's bits.
fn flushes_denormals() -> bool {
    let result = black_box(f32::MIN_POSITIVE) * black_box(0.5);
    let operand = black_box(f32::from_bits(1)) * black_box(1e30);
    result == 0.0 || operand == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perform::Cue;

    fn start() -> PlayerHandle {
        let preset = Preset { name: "first".to_owned(), ..Preset::default() };
        let second = Preset { name: "second".to_owned(), ..Preset::default() };
        let library = Library { presets: vec![preset.clone(), second] };
        Player::start(PlayerConfig { preset, library }).expect("starts")
    }

    /// Waits for a condition; only a broken player takes longer than a minute.
    fn wait(what: &str, condition: impl Fn() -> bool) {
        let start = Instant::now();
        while !condition() {
            assert!(start.elapsed() < Duration::from_secs(60), "{what}");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn ticks_are_due_at_exact_multiples() {
        for number in [0, 1, 2, 119, 120, 121, 1_000_003, 120 * 86_400 * 365] {
            assert_eq!(ticks_due(due_after(number)), number);
            assert_eq!(ticks_due(due_after(number + 1) - Duration::from_nanos(1)), number);
        }
        assert_eq!(due_after(120 * 86_400 * 365), Duration::from_secs(86_400 * 365), "no drift in a year");
    }

    #[test]
    fn a_debt_is_bounded_and_what_is_written_off_is_counted() {
        assert_eq!(catch_up(10, 10), (0, 0));
        assert_eq!(catch_up(13, 10), (3, 0));
        assert_eq!(catch_up(10 + MOST_BEHIND, 10), (MOST_BEHIND, 0));
        assert_eq!(catch_up(1010, 10), (MOST_BEHIND, 1000 - MOST_BEHIND));
        assert_eq!(catch_up(5, 10), (0, 0));
    }

    #[test]
    fn denormals_are_kept_here() {
        assert!(!flushes_denormals());
    }

    #[test]
    fn changes_reach_the_state_and_snapshots_are_neighbours() {
        let player = start();
        let (older, newer, blend) = player.frame();
        assert!(newer.tick <= older.tick + 1 && (0.0..=1.0).contains(&blend));
        let set = Body::Set { row: RowId::WindSpeed, value: Value::Float(25.0) };
        assert!(player.push(Source::Osc, vec![set]));
        let ticket = player.ticket();
        wait("the change is done", || player.applied(ticket));
        assert_eq!(player.target(RowId::WindSpeed), Value::Float(25.0));
        let (older, newer, _) = player.frame();
        assert_eq!(newer.tick, older.tick + 1);
        let status = player.status();
        assert!(status.running && status.tick > 0);
        assert_eq!(status.inbox.received, 1);
    }

    #[test]
    fn stills_refusals_and_notices_come_out() {
        let player = start();
        player.host_cue(Source::Key, HostCue::Still);
        player.host_cue(Source::Key, HostCue::Preset { key: super::super::PresetKey::Program(99), seconds: 0.0 });
        player.push(Source::Key, vec![Body::Cue(Cue::Freeze)]);
        let ticket = player.ticket();
        wait("done", || player.applied(ticket));
        wait("the still comes", || player.still_requested());
        assert!(!player.still_requested(), "once");
        player.notice("hello");
        player.notice("hello");
        wait("said", || player.status().messages.iter().any(|line| line.contains("program 99")));
        assert!(player.status().messages.contains(&"hello (×2)".to_owned()));
    }

    #[test]
    fn the_rate_of_ticks_is_told() {
        let player = start();
        wait("a second", || player.status().ticks_per_second > 0.0);
        // However slow the machine is, it does not tick faster than it should for long.
        assert!(player.status().ticks_per_second < 2.0 * TICK_HERTZ as f32);
    }

    #[test]
    fn the_last_handle_stops_the_thread() {
        let player = start();
        let shared = player.inner.shared.clone();
        let second = player.clone();
        drop(player);
        assert!(shared.running.load(Ordering::Relaxed));
        drop(second);
        assert!(!shared.running.load(Ordering::Relaxed));
    }

    #[test]
    fn a_structure_that_cannot_be_built_is_named() {
        let mut preset = Preset { name: "odd".to_owned(), ..Preset::default() };
        preset.scene.flags.clear();
        let error = Player::start(PlayerConfig { preset, library: Library::default() }).expect_err("no flags");
        assert!(error.to_string().contains("\"odd\""));
    }
}
