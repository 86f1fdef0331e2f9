//! Answers to questions, from the socket that heard them.
//!
//! A thread of its own sends them, so that neither a slow network nor a wait for the state delays what
//! comes in. A question is answered once everything that was asked before it is done: whoever sets a
//! row and then asks for it hears what was set.

use crate::control::route::{About, Question};
use crate::live::PlayerHandle;
use crate::params::{Kind, READOUTS, RowId, Value};
use crate::perform::Readouts;
use rosc::{OscMessage, OscPacket, OscType};
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Packets whose questions may wait: a burst from several peers. With [`MOST_QUESTIONS`] it bounds memory.
const MOST_WAITING: usize = 64;
/// Questions that one packet may ask: every address of the table three times over.
pub(super) const MOST_QUESTIONS: usize = 512;
/// How long a question waits for what was asked before it. The player takes a tick for that; one that
/// stands still is answered with what it last knew.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the wait looks: a fraction of a tick.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// What one packet asks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Asked {
    /// Single rows, in order.
    pub(super) questions: Vec<Question>,
    /// All targets, once, after those.
    pub(super) all: bool,
}

impl Asked {
    pub(super) fn is_empty(&self) -> bool {
        self.questions.is_empty() && !self.all
    }
}

/// The thread that answers. Dropping it stops and joins it.
#[derive(Debug)]
pub(super) struct Answers {
    asked: Option<SyncSender<(SocketAddr, u64, Asked)>>,
    thread: Option<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
    unsent: Arc<AtomicU64>,
}

impl Answers {
    /// Answers through `socket`.
    pub(super) fn start(socket: &UdpSocket, player: &PlayerHandle) -> std::io::Result<Answers> {
        let socket = socket.try_clone()?;
        let player = player.clone();
        let (asked, questions) = sync_channel(MOST_WAITING);
        let stop = Arc::new(AtomicBool::new(false));
        let unsent = Arc::new(AtomicU64::new(0));
        let (of_thread, unsent_of_thread) = (stop.clone(), unsent.clone());
        let thread = thread::Builder::new()
            .name("pennon-osc-out".to_owned())
            .spawn(move || answer(&socket, &player, &questions, &of_thread, &unsent_of_thread))?;
        Ok(Answers { asked: Some(asked), thread: Some(thread), stop, unsent })
    }

    /// Lets `peer` have its answers once everything before `ticket` is done. False when too much waits.
    pub(super) fn ask(&self, peer: SocketAddr, ticket: u64, asked: Asked) -> bool {
        self.asked.as_ref().is_some_and(|sender| sender.try_send((peer, ticket, asked)).is_ok())
    }

    /// Answers that the system would not send since the last call.
    pub(super) fn take_unsent(&self) -> u64 {
        self.unsent.swap(0, Ordering::Relaxed)
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.asked = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(
    socket: &UdpSocket,
    player: &PlayerHandle,
    questions: &Receiver<(SocketAddr, u64, Asked)>,
    stop: &AtomicBool,
    unsent: &AtomicU64,
) {
    // Ends when the other half is dropped.
    while let Ok((peer, ticket, asked)) = questions.recv() {
        let start = Instant::now();
        while !player.applied(ticket) && start.elapsed() < PATIENCE && !stop.load(Ordering::Relaxed) {
            thread::sleep(LOOK_EVERY);
        }
        let targets = player.targets();
        let (_, snapshot, _) = player.frame();
        let single = asked.questions.iter().map(|one| (one.address.clone(), one.about));
        let all = RowId::ALL.iter().filter(|_| asked.all).map(|row| (row.row().address(), About::Row(*row)));
        for (address, about) in single.chain(all) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let told = match about {
                About::Row(row) => value(row, targets.get(row)),
                About::Travel(row) => row.row().travel(targets.get(row)).map(|travel| vec![OscType::Float(travel)]),
                About::Readout { flag, readout } => snapshot.flags.get(flag).map(|flag| tell(&flag.readouts, readout)),
            };
            let sent = told.and_then(|told| message(address, told)).is_some_and(|bytes| {
                // A peer that has gone is no fault of ours: the system tells at a later send.
                socket.send_to(&bytes, peer).is_ok() || socket.send_to(&bytes, peer).is_ok()
            });
            if !sent {
                unsent.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// A row's value: f, i, T or F, a choice by its name, a colour as four numbers.
///
/// Each of these sets the row to the same value when it is sent back.
fn value(row: RowId, value: Value) -> Option<Vec<OscType>> {
    Some(match (value, row.row().kind) {
        (Value::Float(plain), _) => vec![OscType::Float(plain)],
        (Value::Int(whole), _) => vec![OscType::Int(whole)],
        (Value::Switch(on), _) => vec![OscType::Bool(on)],
        (Value::Choice(index), Kind::Choice { names, .. }) => {
            vec![OscType::String((*names.get(usize::from(index))?).to_owned())]
        }
        (Value::Choice(index), _) => vec![OscType::Int(i32::from(index))],
        (Value::Colour(parts), _) => parts.map(OscType::Float).to_vec(),
    })
}

/// A readout by its index in the table; what is withheld is N.
fn tell(readouts: &Readouts, readout: usize) -> Vec<OscType> {
    // Counts saturate at the largest i: a year of steps is less.
    let count = |steps: u64| OscType::Int(i32::try_from(steps).unwrap_or(i32::MAX));
    match READOUTS.get(readout).map_or("", |row| row.name) {
        "tip" => readouts.tip.map(OscType::Float).to_vec(),
        "impulse" => vec![readouts.impulse.map_or(OscType::Nil, OscType::Float)],
        "stretch" => vec![OscType::Float(readouts.stretch)],
        "energy" => vec![OscType::Float(readouts.energy)],
        "accepted" => vec![count(readouts.accepted)],
        "rejected" => vec![count(readouts.rejected)],
        _ => vec![OscType::Nil],
    }
}

fn message(address: String, args: Vec<OscType>) -> Option<Vec<u8>> {
    rosc::encoder::encode(&OscPacket::Message(OscMessage { addr: address, args })).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::osc::packet;
    use crate::control::route::{Action, Bounds, Router};
    use crate::live::Request;
    use crate::perform::Body;

    /// What is answered, sent back, is the same value again.
    #[test]
    fn answers_are_understood_by_their_asker() {
        let router = Router::new();
        for row in RowId::ALL {
            let value = row.row().default_value();
            let told = super::value(*row, value).expect("every default has a form");
            let bytes = message(row.row().address(), told).expect("encodes");
            let items = packet::read(&bytes).expect("a packet");
            let routed = router.route(items[0].message.as_ref().expect("a message"), &mut Bounds::new(1));
            assert_eq!(routed.remarks, [], "{}", row.row().id);
            assert_eq!(routed.actions, [Action::Request(Request::Change(Body::Set { row: *row, value }))]);
        }
    }

    #[test]
    fn the_bytes_of_an_answer() {
        let of = |row, value| message("/a".to_owned(), super::value(row, value).expect("a form")).expect("encodes");
        assert_eq!(of(RowId::WindSpeed, Value::Float(25.0)), b"/a\0\0,f\0\0\x41\xc8\0\0");
        assert_eq!(of(RowId::WindSeed, Value::Int(-1)), b"/a\0\0,i\0\0\xff\xff\xff\xff");
        assert_eq!(of(RowId::LookPole, Value::Switch(false)), b"/a\0\0,F\0\0");
        assert_eq!(of(RowId::LookPattern, Value::Choice(4)), b"/a\0\0,s\0\0sun\0");
        assert_eq!(of(RowId::LookColourA, Value::Colour([0.0; 4]))[..8], *b"/a\0\0,fff");
    }

    #[test]
    fn every_readout_has_its_words() {
        let readouts = Readouts { tip: [1.0, 2.0, 3.0], impulse: None, accepted: u64::MAX, ..Readouts::default() };
        for (index, row) in READOUTS.iter().enumerate() {
            let told = tell(&readouts, index);
            match row.name {
                "tip" => assert_eq!(told, [1.0, 2.0, 3.0].map(OscType::Float)),
                "impulse" => assert_eq!(told, [OscType::Nil], "withheld"),
                "accepted" => assert_eq!(told, [OscType::Int(i32::MAX)]),
                name => assert_ne!(told, [OscType::Nil], "{name}"),
            }
        }
    }
}
