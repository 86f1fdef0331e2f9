//! Listens for OSC over UDP, on a thread of its own.
//!
//! Nothing that arrives can stop it: every fault is counted by its sort, the first of each are said in
//! words, and the last messages are kept for whoever looks. A port that is taken is tried again every
//! second while the program runs on.

use super::answer::{Answers, Asked, MOST_QUESTIONS};
use super::heard::{Heard, Outcome, shown};
use super::packet::{self, IMMEDIATELY, Item, LONGEST_PACKET};
use super::pattern::Pattern;
use super::schedule::{Due, Schedule, TimePolicy, time_tag_now};
use crate::control::loss::{Loss, Losses};
use crate::control::route::{Action, Bounds, Remark, Routed, Router};
use crate::live::inbox::HEAVIEST_BUNDLE;
use crate::live::notice::{Said, Saying};
use crate::live::request::weight;
use crate::live::{PlayerHandle, Request};
use crate::perform::Source;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// UDP port unless another is asked for.
pub const DEFAULT_PORT: u16 = 9000;
/// Messages kept for a monitor.
pub const MOST_RECENT: usize = 50;

/// Room for the largest datagram, so that none is cut.
const BUFFER_BYTES: usize = 65_536;
const _: () = assert!(BUFFER_BYTES > LONGEST_PACKET);
/// How long one wait for a datagram lasts at most: how soon a stop is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
/// How long a taken port is left alone.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How long a send may take before it is given up; only the answering thread waits.
const SEND_PATIENCE: Duration = Duration::from_millis(100);
/// Receive errors in a row after which the socket is opened anew (an interface that went away).
const MOST_ERRORS: u32 = 50;

/// Where and how to listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OscConfig {
    /// Address and port. Port 0 takes a free one.
    pub address: SocketAddr,
    /// What time tags do.
    pub time: TimePolicy,
}

impl Default for OscConfig {
    /// This machine only: whoever can reach the port plays the instrument.
    fn default() -> Self {
        SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), DEFAULT_PORT).into()
    }
}

impl From<SocketAddr> for OscConfig {
    fn from(address: SocketAddr) -> Self {
        OscConfig { address, time: TimePolicy::default() }
    }
}

/// How the receiver does.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OscStatus {
    /// Where it listens, with the port that it really has; `None` while it cannot.
    pub listening: Option<SocketAddr>,
    /// Why it cannot.
    pub problem: Option<String>,
    /// Datagrams that came.
    pub packets: u64,
    /// Messages in them.
    pub messages: u64,
    /// What came to nothing, by sort.
    pub losses: Losses,
}

/// A running receiver. Dropping it stops and joins its threads.
#[derive(Debug)]
pub struct OscServer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    stop: AtomicBool,
    state: Mutex<State>,
    router: Router,
}

#[derive(Debug, Default)]
struct State {
    status: OscStatus,
    recent: VecDeque<Heard>,
}

impl OscServer {
    /// Listens, or keeps trying to: see [`OscStatus::problem`].
    pub fn start(config: impl Into<OscConfig>, player: PlayerHandle) -> OscServer {
        let shared = Arc::new(Shared {
            stop: AtomicBool::new(false),
            state: Mutex::new(State::default()),
            router: Router::new(),
        });
        let receiver = Receiver {
            config: config.into(),
            player: player.clone(),
            shared: shared.clone(),
            schedule: Schedule::default(),
            said: Said::default(),
        };
        let thread = thread::Builder::new().name("pennon-osc-in".to_owned()).spawn(move || receiver.run());
        let thread = match thread {
            Ok(thread) => Some(thread),
            Err(error) => {
                let problem = format!("OSC: the system gives no thread: {error}");
                player.notice(&problem);
                shared.state().status.problem = Some(problem);
                None
            }
        };
        OscServer { shared, thread }
    }

    /// How it does, for a panel.
    pub fn status(&self) -> OscStatus {
        self.shared.state().status.clone()
    }

    /// The last [`MOST_RECENT`] messages, latest last, for a panel.
    pub fn recent(&self) -> Vec<Heard> {
        let mut recent: Vec<Heard> = self.shared.state().recent.iter().cloned().collect();
        for heard in &mut recent {
            // Looked up here, since comparing with the whole table takes longer than all the rest of a message.
            if let Outcome::Refused(Loss::NoSuchAddress, why) = &mut heard.outcome {
                *why = self.shared.unknown(&heard.address);
            }
        }
        recent
    }
}

impl Drop for OscServer {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn unknown(&self, address: &str) -> String {
        match self.router.nearest(address) {
            _ if Pattern::is_pattern(address) => format!("{} matches nothing", shown(address)),
            Some(near) => format!("there is no {}; the nearest is {near}", shown(address)),
            None => format!("there is no {}", shown(address)),
        }
    }
}

/// What happens at one time: the part of a packet with the same time tag.
#[derive(Debug, Default)]
struct Delivery {
    requests: Vec<Request>,
    asked: Asked,
    /// For the monitor; forgotten when the delivery has to wait.
    heard: Vec<Heard>,
}

struct Receiver {
    config: OscConfig,
    player: PlayerHandle,
    shared: Arc<Shared>,
    schedule: Schedule<(SocketAddr, Delivery)>,
    said: Said<Loss>,
}

impl Receiver {
    fn run(mut self) {
        while !self.shared.stopped() {
            match self.open() {
                Ok((socket, answers)) => self.listen(&socket, &answers),
                Err(error) => {
                    self.cannot_listen(&error);
                    thread::park_timeout(RETRY_AFTER);
                }
            }
        }
    }

    /// Plain `bind`: a second program on the port is an error and not a silent sharing of messages.
    fn open(&mut self) -> io::Result<(UdpSocket, Answers)> {
        let socket = UdpSocket::bind(self.config.address)?;
        socket.set_read_timeout(Some(LONGEST_WAIT))?;
        socket.set_write_timeout(Some(SEND_PATIENCE))?;
        let answers = Answers::start(&socket, &self.player)?;
        let address = socket.local_addr()?;
        let mut state = self.shared.state();
        state.status.listening = Some(address);
        if state.status.problem.take().is_some() {
            self.player.notice(format!("OSC: listening on {address} now"));
        }
        Ok((socket, answers))
    }

    fn cannot_listen(&mut self, error: &io::Error) {
        let why = match error.kind() {
            ErrorKind::AddrInUse => "another program has this port".to_owned(),
            ErrorKind::PermissionDenied => "the system does not allow this port".to_owned(),
            ErrorKind::AddrNotAvailable => "this machine does not have this address".to_owned(),
            _ => error.to_string(),
        };
        let problem = format!(
            "OSC: cannot listen on {}: {why}; trying again every second, --osc chooses another",
            self.config.address
        );
        let mut state = self.shared.state();
        state.status.listening = None;
        if state.status.problem.as_ref() != Some(&problem) {
            self.player.notice(&problem);
            state.status.problem = Some(problem);
        }
    }

    fn listen(&mut self, socket: &UdpSocket, answers: &Answers) {
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut errors = 0;
        let mut wait = LONGEST_WAIT;
        while !self.shared.stopped() {
            let wanted = self.next_wait();
            if wanted != wait && socket.set_read_timeout(Some(wanted)).is_ok() {
                wait = wanted;
            }
            match socket.recv_from(&mut buffer) {
                Ok((length, from)) => {
                    errors = 0;
                    self.guarded(|receiver| receiver.packet(from, &buffer[..length], answers));
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                // The system reports here that an answer found nobody.
                Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::Interrupted) => {}
                Err(error) => {
                    errors += 1;
                    if errors >= MOST_ERRORS {
                        self.cannot_listen(&error);
                        return;
                    }
                    thread::park_timeout(LONGEST_WAIT / 10);
                }
            }
            self.guarded(|receiver| receiver.deliver_due(answers));
            for _ in 0..answers.take_unsent() {
                self.lose(Loss::Unanswered, None, || "an answer could not be sent".to_owned());
            }
        }
    }

    /// A fault in this program must not end the show either.
    fn guarded(&mut self, work: impl FnOnce(&mut Self)) {
        if catch_unwind(AssertUnwindSafe(|| work(self))).is_err() {
            self.player.notice("OSC: a packet was lost through a fault in the program");
        }
    }

    fn next_wait(&self) -> Duration {
        let until = self.schedule.next().map(|due| due.saturating_duration_since(Instant::now()));
        // Zero would mean for ever.
        until.map_or(LONGEST_WAIT, |until| until.clamp(Duration::from_millis(1), LONGEST_WAIT))
    }

    fn packet(&mut self, from: SocketAddr, bytes: &[u8], answers: &Answers) {
        self.shared.state().status.packets += 1;
        let items = match packet::read(bytes) {
            Ok(items) => items,
            Err(fault) => {
                self.lose(Loss::Packet, Some(from), || fault.to_string());
                self.remember(vec![Heard {
                    from,
                    address: format!("packet of {} bytes", bytes.len()),
                    arguments: String::new(),
                    outcome: Outcome::Refused(Loss::Packet, fault.to_string()),
                }]);
                return;
            }
        };
        self.shared.state().status.messages += items.len() as u64;
        let Some(deliveries) = self.route(from, &items) else {
            let why = || {
                format!(
                    "a packet asks for more than {HEAVIEST_BUNDLE} changes (a preset or a reset counts as many), \
                 {MOST_QUESTIONS} answers, or for too many patterns"
                )
            };
            self.lose(Loss::TooMany, Some(from), why);
            let refused = |heard: Heard| Heard { outcome: Outcome::Refused(Loss::TooMany, why()), ..heard };
            self.remember(items.last().map(|item| refused(Heard::new(from, item))).into_iter().collect());
            return;
        };
        let now = time_tag_now();
        for (tag, delivery) in deliveries {
            match self.config.time.due(tag, now) {
                Due::Now => self.deliver(from, delivery, answers),
                Due::In(wait) => self.postpone(from, delivery, Instant::now() + wait),
                Due::Beyond => self.drop_delivery(from, delivery, Loss::BeyondHorizon),
            }
        }
    }

    /// Sorts a packet's messages by the time at which they are due; `None` when it asks for too much.
    fn route(&mut self, from: SocketAddr, items: &[Item<'_>]) -> Option<BTreeMap<u64, Delivery>> {
        let mut deliveries: BTreeMap<u64, Delivery> = BTreeMap::new();
        let mut bounds = Bounds::new(self.player.frame().1.flags.len());
        let (mut weighs, mut questions) = (0, 0);
        for item in items {
            // Without a schedule a packet is one bundle, whatever its tags say.
            let tag = if self.config.time == TimePolicy::Immediate { IMMEDIATELY } else { item.time };
            let delivery = deliveries.entry(tag).or_default();
            let mut heard = Heard::new(from, item);
            match &item.message {
                Ok(message) => {
                    let routed = self.shared.router.route(message, &mut bounds);
                    let Routed { actions, remarks, matched, too_much } = routed;
                    for action in actions {
                        match action {
                            Action::Request(request) => {
                                weighs += weight(&request);
                                delivery.requests.push(request);
                            }
                            Action::Ask(question) => {
                                questions += 1;
                                delivery.asked.questions.push(question);
                            }
                            Action::AskAll => delivery.asked.all = true,
                        }
                    }
                    if too_much || weighs > HEAVIEST_BUNDLE || questions > MOST_QUESTIONS {
                        return None;
                    }
                    heard.outcome = Outcome::of(message, &remarks, matched);
                    for remark in remarks {
                        self.remark(from, message.address, remark);
                    }
                }
                Err(fault) => {
                    let loss = match fault {
                        packet::MessageFault::UnknownTag { .. } => Loss::UnknownTag,
                        packet::MessageFault::NotText { .. } => Loss::NotText,
                    };
                    self.lose(loss, Some(from), || fault.to_string());
                    heard.outcome = Outcome::Refused(loss, fault.to_string());
                }
            }
            if delivery.heard.len() == MOST_RECENT {
                delivery.heard.remove(0);
            }
            delivery.heard.push(heard);
        }
        Some(deliveries)
    }

    fn deliver(&mut self, from: SocketAddr, mut delivery: Delivery, answers: &Answers) {
        let requests = std::mem::take(&mut delivery.requests);
        if !requests.is_empty() && !self.player.request(Source::Osc, requests) {
            self.drop_delivery(from, delivery, Loss::InboxFull);
            return;
        }
        self.remember(delivery.heard);
        if !delivery.asked.is_empty() && !answers.ask(from, self.player.ticket(), delivery.asked) {
            self.lose(Loss::Unanswered, Some(from), || "too many questions wait for their answer".to_owned());
        }
    }

    fn postpone(&mut self, from: SocketAddr, mut delivery: Delivery, due: Instant) {
        let heard = std::mem::take(&mut delivery.heard);
        let size = delivery.requests.len() + delivery.asked.questions.len();
        if self.schedule.add(due, size, (from, delivery)) {
            self.remember(heard);
        } else {
            self.drop_delivery(from, Delivery { heard, ..Delivery::default() }, Loss::ScheduleFull);
        }
    }

    fn deliver_due(&mut self, answers: &Answers) {
        let now = Instant::now();
        while let Some((from, delivery)) = self.schedule.take(now) {
            self.deliver(from, delivery, answers);
        }
    }

    fn drop_delivery(&mut self, from: SocketAddr, mut delivery: Delivery, loss: Loss) {
        self.lose(loss, Some(from), || format!("a packet was dropped: {}", loss.name()));
        for heard in &mut delivery.heard {
            heard.outcome = Outcome::Refused(loss, loss.name().to_owned());
        }
        self.remember(delivery.heard);
    }

    fn remark(&mut self, from: SocketAddr, address: &str, remark: Remark) {
        match remark.loss {
            // A fader that is pushed past its end is no news; the count and the monitor tell.
            Loss::Clamped => self.shared.state().status.losses.count(Loss::Clamped),
            // Named by its address, since the words take longer to find than all the rest of a message.
            Loss::NoSuchAddress => {
                let shared = self.shared.clone();
                self.lose_named(Loss::NoSuchAddress, Some(from), &shown(address), || shared.unknown(address));
            }
            loss => self.lose(loss, Some(from), || remark.text),
        }
    }

    /// Counts a loss, and says it in words the first time.
    fn lose(&mut self, loss: Loss, from: Option<SocketAddr>, text: impl FnOnce() -> String) {
        let text = text();
        self.lose_named(loss, from, &text.clone(), || text);
    }

    /// The same, without asking for words that are not said.
    fn lose_named(&mut self, loss: Loss, from: Option<SocketAddr>, name: &str, text: impl FnOnce() -> String) {
        self.shared.state().status.losses.count(loss);
        let sender = from.map_or_else(String::new, |from| format!(" from {}", from.ip()));
        match self.said.again(loss, &format!("{sender} {name}")) {
            Saying::Words => self.player.notice(format!("OSC{sender}: {}", text())),
            Saying::More => self.player.notice(format!("OSC: more of \"{}\" is counted only", loss.name())),
            Saying::Nothing => {}
        }
    }

    fn remember(&self, heard: Vec<Heard>) {
        let mut state = self.shared.state();
        for one in heard {
            if state.recent.len() == MOST_RECENT {
                state.recent.pop_front();
            }
            state.recent.push_back(one);
        }
    }
}

#[cfg(test)]
mod tests;
