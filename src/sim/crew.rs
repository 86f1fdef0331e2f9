//! Threads that share one job at a time.
//!
//! A crew is its caller and the workers that it keeps waiting. How many there are changes no bit: what they
//! share out is either independent (flags, blocks) or follows in a fixed order (`wave.rs`). Nothing is
//! allocated for a job. It must not know what a job does.

use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// What every member does, told its own number: 0 is the caller.
type Job<'a> = &'a (dyn Fn(usize) + Sync);

/// The caller of [`Crew::run`] and its workers.
#[derive(Debug)]
pub struct Crew {
    board: Arc<Board>,
    workers: Vec<JoinHandle<()>>,
    /// One job at a time.
    turn: Mutex<()>,
}

/// Where the workers find a job.
#[derive(Debug, Default)]
struct Board {
    notice: Mutex<Notice>,
    posted: Condvar,
    finished: Condvar,
}

#[derive(Default)]
struct Notice {
    job: Option<Job<'static>>,
    /// Counts the jobs, so that a worker takes each once.
    number: u64,
    /// Members that it is for, the caller counted.
    wanted: usize,
    /// Workers that are not through with it.
    busy: usize,
    failed: bool,
    closed: bool,
}

impl std::fmt::Debug for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Notice").field("number", &self.number).field("busy", &self.busy).finish_non_exhaustive()
    }
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, Notice> {
        self.notice.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Crew {
    /// A crew of `size`, the caller counted. Workers that the system does not give are done without.
    pub fn new(size: usize) -> Self {
        let board = Arc::new(Board::default());
        let worker = |number: usize| {
            let board = Arc::clone(&board);
            std::thread::Builder::new().name(format!("cloth {number}")).spawn(move || work(&board, number))
        };
        let workers = (1..size).map_while(|number| worker(number).ok()).collect();
        let crew = Crew { board, workers, turn: Mutex::new(()) };
        // So that every thread is there, and has what it allocates, before the first job.
        crew.run(&|_| ());
        crew
    }

    /// Members, the caller counted.
    pub fn size(&self) -> usize {
        self.workers.len() + 1
    }

    /// Every member does `job`; returns when all are through. A job must not run another one on its own crew.
    pub fn run(&self, job: Job<'_>) {
        self.run_some(self.size(), job);
    }

    /// The first `members` of the crew do `job`: see [`Crew::run`].
    pub fn run_some(&self, members: usize, job: Job<'_>) {
        let wanted = members.clamp(1, self.size());
        if wanted == 1 {
            return job(0);
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        #[expect(unsafe_code, reason = "workers outlive the borrow in the type system, but not in time")]
        // SAFETY: the borrow is on the board only until every worker is through, which is waited for below
        // before this function returns or unwinds.
        let lasting = unsafe { std::mem::transmute::<Job<'_>, Job<'static>>(job) };
        {
            let mut notice = self.board.lock();
            notice.job = Some(lasting);
            notice.number += 1;
            (notice.wanted, notice.busy) = (wanted, wanted - 1);
            self.board.posted.notify_all();
        }
        let own = catch_unwind(AssertUnwindSafe(|| job(0)));
        let mut notice = self.board.lock();
        while notice.busy > 0 {
            notice = self.board.finished.wait(notice).unwrap_or_else(PoisonError::into_inner);
        }
        notice.job = None;
        let failed = std::mem::take(&mut notice.failed);
        drop(notice);
        if let Err(panic) = own {
            resume_unwind(panic);
        }
        assert!(!failed, "a member of the crew panicked");
    }

    /// Every number below `count` is done once, by whoever is free.
    pub fn share(&self, count: usize, part: &(dyn Fn(usize) + Sync)) {
        if count <= 1 {
            // Not worth waking anybody.
            return (0..count).for_each(part);
        }
        let next = AtomicUsize::new(0);
        self.run_some(count, &|_| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return;
                }
                part(number);
            }
        });
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.board.lock().closed = true;
        self.board.posted.notify_all();
        for worker in self.workers.drain(..) {
            // A worker catches what a job throws; there is nothing to hear from it.
            let _ = worker.join();
        }
    }
}

fn work(board: &Board, number: usize) {
    let mut done = 0;
    loop {
        let mut notice = board.lock();
        while !notice.closed && notice.number == done {
            notice = board.posted.wait(notice).unwrap_or_else(PoisonError::into_inner);
        }
        if notice.closed {
            return;
        }
        done = notice.number;
        if number >= notice.wanted {
            continue;
        }
        let job = notice.job;
        drop(notice);
        let outcome = job.map_or(Ok(()), |job| catch_unwind(AssertUnwindSafe(|| job(number))));
        let mut notice = board.lock();
        notice.failed |= outcome.is_err();
        notice.busy -= 1;
        if notice.busy == 0 {
            board.finished.notify_all();
        }
    }
}

/// A slice whose parts several members change at the same time.
#[derive(Debug)]
pub(crate) struct Shared<'a, T> {
    first: *mut T,
    len: usize,
    all: PhantomData<&'a mut [T]>,
}

#[expect(unsafe_code, reason = "hands out parts of one slice to several threads")]
// SAFETY: it stands for a `&mut [T]` that is cut into disjoint parts, and `&mut [T]` is Send for T: Send.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// To share out `slice`.
    pub fn new(slice: &'a mut [T]) -> Self {
        Shared { first: slice.as_mut_ptr(), len: slice.len(), all: PhantomData }
    }

    /// A part.
    ///
    /// # Safety
    ///
    /// No other part that lives at the same time may overlap it.
    ///
    /// # Panics
    ///
    /// When the range is not in the slice.
    #[expect(unsafe_code, reason = "hands out parts of one slice to several threads")]
    #[expect(clippy::mut_from_ref, reason = "disjoint parts are the purpose")]
    #[inline(always)]
    pub unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: within the slice, and by the caller's promise disjoint from every other part.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.end - range.start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_done_once_by_any_number() {
        for size in [1, 2, 5] {
            let crew = Crew::new(size);
            assert_eq!(crew.size(), size);
            for round in 0..50 {
                let done: Vec<AtomicUsize> = (0..37).map(|_| AtomicUsize::new(0)).collect();
                crew.share(37, &|number| _ = done[number].fetch_add(round, Ordering::Relaxed));
                assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == round));
            }
        }
    }

    #[test]
    fn all_members_take_part_and_one_job_ends_before_the_next() {
        let crew = Crew::new(3);
        let seen = AtomicUsize::new(0);
        for round in 1..100 {
            crew.run(&|_| _ = seen.fetch_add(1, Ordering::Relaxed));
            assert_eq!(seen.load(Ordering::Relaxed), 3 * round);
        }
    }

    #[test]
    fn some_members_are_enough_and_two_callers_take_turns() {
        let crew = Crew::new(4);
        let (few, all) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| (0..200).for_each(|_| crew.run_some(2, &|_| _ = few.fetch_add(1, Ordering::Relaxed))));
            (0..200).for_each(|_| crew.run(&|_| _ = all.fetch_add(1, Ordering::Relaxed)));
        });
        assert_eq!((few.into_inner(), all.into_inner()), (400, 800));
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_crew_lives_on() {
        let crew = Crew::new(2);
        let fails = |who: usize| {
            catch_unwind(AssertUnwindSafe(|| crew.run(&|member| assert!(member != who, "on purpose")))).is_err()
        };
        assert!(fails(1));
        assert!(fails(0));
        assert!(!fails(9));
    }

    #[test]
    fn parts_are_where_they_belong() {
        let mut numbers = [0usize; 100];
        let shared = Shared::new(&mut numbers);
        Crew::new(2).share(10, &|part| {
            #[expect(unsafe_code, reason = "the parts are disjoint")]
            // SAFETY: ten elements each, none shared.
            let here = unsafe { shared.part(part * 10..part * 10 + 10) };
            here.iter_mut().enumerate().for_each(|(i, number)| *number = part * 10 + i);
        });
        assert!(numbers.iter().enumerate().all(|(i, number)| *number == i));
    }
}
