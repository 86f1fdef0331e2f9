//! No tick allocates after the first: what plays live must never wait for memory.
//!
//! A binary of its own, without the test harness: the allocator that counts is the whole program's, and the
//! harness has a thread that allocates when it likes.

use pennon::params::{Kind, Library, Preset, RowId, Value};
use pennon::perform::{Body, Change, Cue, Hand, Performance, Source};
use pennon::sim::machine::Machine;
use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// The system's allocator; while it listens it counts, whichever thread asks.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static LISTENS: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);
/// Where the first of them was.
static PLACE: Mutex<Option<Backtrace>> = Mutex::new(None);

fn note(bytes: usize) {
    // A backtrace allocates too: nothing is heard while one is made.
    if LISTENS.swap(false, SeqCst) {
        BYTES.fetch_add(bytes, SeqCst);
        if ALLOCATIONS.fetch_add(1, SeqCst) == 0 {
            *PLACE.lock().expect("whole") = Some(Backtrace::force_capture());
        }
        LISTENS.store(true, SeqCst);
    }
}

#[expect(unsafe_code, reason = "the trait is unsafe; every call goes on to the system's allocator as it came")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What `work` allocates: how often, and how many bytes.
fn allocations(work: impl FnOnce()) -> (usize, usize) {
    ALLOCATIONS.store(0, SeqCst);
    BYTES.store(0, SeqCst);
    LISTENS.store(true, SeqCst);
    work();
    LISTENS.store(false, SeqCst);
    (ALLOCATIONS.load(SeqCst), BYTES.load(SeqCst))
}

/// Ticks of each preset: the first seed's fade (one second) ends in them, and the next one's is under way.
const TICKS: u64 = 180;

/// What is played at `tick`: every row that is a number moves in every tick, and all that is momentary comes once,
/// except what builds the cloth anew.
fn played(tick: u64) -> Vec<Change> {
    let change = |body| Change::new(tick, Source::Osc, body);
    // Threads that yield are computed another way: half the time they do not.
    let stiff = |row: RowId| row == RowId::LinkStretchCompliance && tick < TICKS / 2;
    let moving = |row: &RowId| matches!(row.row().kind, Kind::Float { .. }) && !stiff(*row);
    let mut changes: Vec<Change> = Vec::new();
    for (index, row) in RowId::ALL.iter().copied().filter(moving).enumerate() {
        // Up and down over the middle of the travel, no two rows together.
        let travel = 0.3 + 0.4 * ((tick + 7 * index as u64) % 60).abs_diff(30) as f32 / 30.0;
        let value = row.row().from_travel(travel).expect("a float row has a travel");
        changes.push(change(Body::Set { row, value }));
    }
    changes.push(change(Body::Add { row: RowId::WindHeading, by: 1.5 }));
    changes.push(change(Body::Scale { row: RowId::AirDrag, by: 1.01 }));
    changes.push(change(Body::Input { name: "sound/level".into(), value: tick as f32 / TICKS as f32 }));
    changes.push(change(Body::Tempo { bpm: 120.0, beat: tick as f64 / 60.0 }));
    changes.extend(
        match tick {
            // More gusts than can be on their way at once.
            5..20 => Some(Body::Cue(Cue::Gust(0.5))),
            20 => Some(Body::Cue(Cue::SeedNext)),
            30 => Some(Body::Set { row: RowId::WindOctaves, value: Value::Int(7) }),
            40 => Some(Body::Hand(Hand::GrabNearest([1.0, 0.4, 0.1]))),
            41..60 => Some(Body::Hand(Hand::Move([0.8, 0.6, 0.3]))),
            60 => Some(Body::Hand(Hand::Release)),
            70 => Some(Body::Cue(Cue::WindTime(3.5))),
            80 | 85 => Some(Body::Cue(Cue::Freeze)),
            90 | 95 => Some(Body::Cue(Cue::Blackout)),
            _ => None,
        }
        .map(change),
    );
    changes
}

/// The first tick may allocate; it also begins a morph that ends within the others.
fn opening(preset: &Preset) -> Vec<Change> {
    let mut other = preset.clone();
    other.values = Preset::default().values;
    other.values.set(RowId::LookColourA, Value::Colour([0.1, 0.9, 0.4, 1.0]));
    other.values.set(RowId::LookPattern, Value::Choice(2));
    let recall = Body::Recall { preset: Arc::new(other), seconds: 1.0 };
    let mut changes = vec![Change::new(0, Source::Osc, recall)];
    changes.extend(played(0));
    changes
}

/// A flag for each of two threads.
fn two_flags() -> Preset {
    let mut preset = Preset::default();
    let mut second = preset.scene.flags[0].clone();
    second.position = [0.0, 0.0, -1.0];
    preset.scene.flags.push(second);
    preset
}

/// A flag so large that threads share it, as long as its own threads do not yield.
fn one_large_flag() -> Preset {
    let mut preset = Preset::default();
    let flag = &mut preset.scene.flags[0];
    (flag.columns, flag.rows) = (256, 160);
    flag.fixed = vec![(RowId::LinkStretchCompliance, Value::Float(0.0))];
    preset.scene.solver.substeps = 4;
    preset
}

/// Plays on `preset`; only the first tick, in which every thread has a part, may allocate.
fn fly(preset: &Preset, threads: usize) {
    let mut performance = Performance::new(preset).expect("a shipped preset");
    performance.set_machine(Machine { threads, ..Machine::single() });
    performance.tick(&opening(preset));
    for tick in 1..TICKS {
        let changes = played(tick);
        let asked = allocations(|| performance.tick(&changes));
        assert!(
            asked == (0, 0),
            "tick {tick} of {} on {threads} threads allocates {} times, {} bytes in all; the first one:\n{}",
            preset.name,
            asked.0,
            asked.1,
            PLACE.lock().expect("whole").as_ref().expect("noted")
        );
    }
    assert_eq!(performance.take_reports(), [], "{} flies", preset.name);
}

#[expect(clippy::print_stdout, reason = "it speaks like the harness that it does without")]
fn main() {
    // The counting itself: one allocation is one, with its bytes.
    assert_eq!(allocations(|| drop(std::hint::black_box(Vec::<u8>::with_capacity(12)))), (1, 12));

    Library::shipped().presets.iter().for_each(|preset| fly(preset, 1));
    fly(&two_flags(), 2);
    fly(&one_large_flag(), 2);
    println!("test no_tick_after_the_first_allocates ... ok");
}
