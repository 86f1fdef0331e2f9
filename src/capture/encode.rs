//! Workers that turn drawn frames into files while the next ones are drawn.

use super::render::CaptureError;
use crate::export::{FrameRecord, Rate};
use crate::sim::digest::Digest;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Frames that wait between two workers: a bound on memory.
pub(super) const IN_FLIGHT: usize = 3;
/// Workers that encode. Two keep up with any adapter.
const ENCODERS: usize = 2;

/// A drawn frame on its way to its file.
pub(super) struct Drawn {
    pub index: u64,
    pub digest: Digest,
    pub rgba: Vec<u8>,
}

/// Where drawn frames go.
pub(super) struct Outlet<'a> {
    send: SyncSender<Drawn>,
    failed: &'a AtomicBool,
}

impl Outlet<'_> {
    /// Hands a frame over. False when one before it was not written: there is no use in drawing more.
    pub fn take(&self, frame: Drawn) -> bool {
        !self.failed.load(Ordering::Relaxed) && self.send.send(frame).is_ok()
    }
}

/// Lets `draw` hand frames over and has `write` write each; the records are in the order of the frames.
///
/// The first frame that cannot be written ends it, and its error counts before that of `draw`.
pub(super) fn write_all(
    rate: Rate,
    write: impl Fn(&FrameRecord, &[u8]) -> Result<(), CaptureError> + Sync,
    draw: impl FnOnce(Outlet) -> Result<(), CaptureError>,
) -> Result<Vec<FrameRecord>, CaptureError> {
    let failed = AtomicBool::new(false);
    let (send, drawn) = sync_channel(IN_FLIGHT);
    // The encoders alone hold the receiver: when the last of them has gone, a frame finds no taker.
    let drawn = Arc::new(Mutex::new(drawn));
    let encode = |drawn: Arc<Mutex<Receiver<Drawn>>>| {
        let mut records = Vec::new();
        loop {
            let next = drawn.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(Drawn { index, digest, rgba }) = next else { return Ok(records) };
            let record = FrameRecord::new(rate, index, digest, &rgba);
            if let Err(error) = write(&record, &rgba) {
                failed.store(true, Ordering::Relaxed);
                return Err(error);
            }
            records.push(record);
        }
    };
    thread::scope(|scope| {
        let encode = &encode;
        let encoders: Vec<_> = (0..ENCODERS)
            .map(|_| {
                let drawn = drawn.clone();
                scope.spawn(move || encode(drawn))
            })
            .collect();
        drop(drawn);
        let result = draw(Outlet { send, failed: &failed });
        let mut records = Vec::new();
        let mut first = None;
        for encoder in encoders {
            match encoder.join() {
                Ok(Ok(written)) => records.extend(written),
                Ok(Err(error)) => first = first.or(Some(error)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        if let Some(error) = first {
            return Err(error);
        }
        result?;
        records.sort_by_key(|record: &FrameRecord| record.index);
        Ok(records)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::atomic::AtomicU64;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    fn frame(index: u64) -> Drawn {
        Drawn { index, digest: Digest(index), rgba: vec![0; 4] }
    }

    /// Far longer than the work takes: what has not come by then hangs.
    const PATIENCE: Duration = Duration::from_secs(30);

    #[test]
    fn frames_come_back_in_order() {
        let rate = "60".parse().expect("rate");
        let draw = |outlet: Outlet| {
            assert!((0..40).all(|index| outlet.take(frame(index))));
            Ok(())
        };
        let records = write_all(rate, |_, _| Ok(()), draw).expect("all are written");
        assert!(records.iter().map(|record| record.index).eq(0..40));
    }

    #[test]
    fn a_full_disk_ends_the_shot_and_does_not_hang_it() {
        let (tell, told) = channel();
        thread::spawn(move || {
            let offered = AtomicU64::new(0);
            let write = |record: &FrameRecord, _: &[u8]| match record.index {
                0..10 => Ok(()),
                index => {
                    let path = format!("frame-{index}").into();
                    Err(CaptureError::Write { path, cause: io::Error::from(io::ErrorKind::StorageFull) })
                }
            };
            let draw = |outlet: Outlet| {
                for index in 0..10_000 {
                    offered.store(index, Ordering::Relaxed);
                    if !outlet.take(frame(index)) {
                        return Err(CaptureError::Stopped);
                    }
                }
                Ok(())
            };
            let result = write_all("60".parse().expect("rate"), write, draw);
            let _ = tell.send((result, offered.into_inner()));
        });
        let (result, offered) = told.recv_timeout(PATIENCE).expect("it hangs");
        assert!(matches!(&result, Err(CaptureError::Write { .. })), "{result:?}");
        // Two failed, and no more than the queue holds came after them.
        assert!(offered <= 10 + (ENCODERS + IN_FLIGHT) as u64 + 1, "{offered}");
    }
}
