//! How far a long job is: one line, rewritten in place on a terminal, now and then elsewhere.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// Between two lines in a file or a pipe.
const BETWEEN_LINES: Duration = Duration::from_secs(5);
/// Between two rewritings on a terminal: as often as an eye can follow.
const BETWEEN_REWRITES: Duration = Duration::from_millis(100);

/// Writes to standard error.
pub struct Progress {
    what: &'static str,
    started: Instant,
    told: Option<Instant>,
    /// What was done when the first was told, and when that was: the start of the job is no measure of its pace.
    first: Option<(u64, Instant)>,
    terminal: bool,
}

impl Progress {
    /// For a job that goes through things called `what`.
    pub fn new(what: &'static str) -> Self {
        Progress { what, started: Instant::now(), told: None, first: None, terminal: stderr().is_terminal() }
    }

    /// Tells that `done` of `all` are done, if it is time to.
    pub fn tell(&mut self, done: u64, all: u64) {
        let (first, began) = *self.first.get_or_insert_with(|| (done, Instant::now()));
        let pause = if self.terminal { BETWEEN_REWRITES } else { BETWEEN_LINES };
        let since = self.told.unwrap_or(self.started);
        let due = since.elapsed() >= pause || (self.terminal && done == all);
        if !due {
            return;
        }
        self.told = Some(Instant::now());
        let line = line(self.what, done, all, done.saturating_sub(first), began.elapsed());
        let (before, after) = if self.terminal { ("\r", "\x1b[K") } else { ("", "\n") };
        // Nobody to read it is no reason to stop.
        let _ = write!(stderr(), "{before}{line}{after}");
        let _ = stderr().flush();
    }

    /// Leaves the line.
    pub fn end(&self) {
        if self.terminal && self.told.is_some() {
            let _ = writeln!(stderr());
        }
    }
}

/// `timed` of the `done` took `elapsed`; the rest will take as long each.
fn line(what: &str, done: u64, all: u64, timed: u64, elapsed: Duration) -> String {
    if done >= all || timed == 0 {
        return format!("{what} {done} of {all}");
    }
    let left = elapsed.as_secs_f64() / timed as f64 * (all - done) as f64;
    format!("{what} {done} of {all}, {} left", seconds_text(left))
}

fn seconds_text(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_pace() {
        let after = |seconds| Duration::from_secs(seconds);
        assert_eq!(line("frame", 60, 240, 60, after(20)), "frame 60 of 240, 1 min 00 s left");
        // The first 100 were there already.
        assert_eq!(line("frame", 110, 120, 10, after(5)), "frame 110 of 120, 5 s left");
        assert_eq!(line("frame", 1, 7201, 1, after(1)), "frame 1 of 7201, 2 h 00 min left");
        assert_eq!(line("frame", 240, 240, 240, after(80)), "frame 240 of 240");
        assert_eq!(line("frame", 0, 240, 0, after(1)), "frame 0 of 240");
    }
}
