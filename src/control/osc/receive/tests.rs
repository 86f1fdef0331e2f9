//! A real socket, a real player: loopback on a free port, waiting for states and never for times.

use super::*;
use crate::live::notice::MOST_SAID;
use crate::live::{Player, PlayerConfig};
use crate::params::{Library, Preset, ROWS, RowId, Value};
use rosc::{OscBundle, OscMessage, OscPacket, OscTime, OscType};

/// Only a broken receiver takes this long.
const PATIENCE: Duration = Duration::from_secs(60);

struct Stage {
    server: OscServer,
    player: PlayerHandle,
    socket: UdpSocket,
}

fn any_port() -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)
}

fn stage(time: TimePolicy) -> Stage {
    let mut preset = Preset { name: "first".to_owned(), program: Some(1), ..Preset::default() };
    // A small flag: what is tested is the way to it.
    (preset.scene.flags[0].columns, preset.scene.flags[0].rows) = (4, 3);
    let mut second = Preset { name: "second".to_owned(), program: Some(2), ..preset.clone() };
    second.values.set(RowId::WindSpeed, Value::Float(33.0));
    let library = Library { presets: vec![preset.clone(), second] };
    let player = Player::start(PlayerConfig { preset, library }).expect("starts");
    let server = OscServer::start(OscConfig { address: any_port(), time }, player.clone());
    let socket = UdpSocket::bind(any_port()).expect("a free port");
    socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    wait("listening", || server.status().listening.is_some());
    socket.connect(server.status().listening.expect("listens")).expect("connects");
    Stage { server, player, socket }
}

fn wait(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

fn message(address: &str, args: Vec<OscType>) -> OscPacket {
    OscPacket::Message(OscMessage { addr: address.to_owned(), args })
}

fn bundle(tag: u64, content: Vec<OscPacket>) -> OscPacket {
    let timetag = OscTime { seconds: (tag >> 32) as u32, fractional: tag as u32 };
    OscPacket::Bundle(OscBundle { timetag, content })
}

fn speed(value: f32) -> OscPacket {
    message("/wind/speed", vec![OscType::Float(value)])
}

impl Stage {
    fn send(&self, packet: &OscPacket) {
        self.socket.send(&rosc::encoder::encode(packet).expect("encodes")).expect("sends");
    }

    fn send_bytes(&self, bytes: &[u8]) {
        self.socket.send(bytes).expect("sends");
    }

    fn speed(&self) -> f32 {
        self.player.targets().float(RowId::WindSpeed)
    }

    fn answer(&self) -> OscMessage {
        let mut buffer = [0; 2048];
        let length = self.socket.recv(&mut buffer).expect("an answer");
        match rosc::decoder::decode_udp(&buffer[..length]).expect("OSC").1 {
            OscPacket::Message(message) => message,
            OscPacket::Bundle(_) => panic!("a bundle"),
        }
    }

    fn losses(&self, loss: Loss) -> u64 {
        self.server.status().losses.of(loss)
    }

    fn said(&self, part: &str) -> usize {
        self.player.status().messages.iter().filter(|line| line.contains(part)).count()
    }
}

#[test]
fn a_message_reaches_the_state() {
    let stage = stage(TimePolicy::Immediate);
    stage.send(&speed(25.0));
    wait("the speed", || stage.speed() == 25.0);
    stage.send(&message("/norm/wind/speed", vec![OscType::Float(0.5)]));
    wait("the travel", || stage.speed() == 10.0);
    stage.send(&message("/wind/speed", vec!["+2.5".into()]));
    wait("the move", || stage.speed() == 12.5);
    stage.send(&message("/cue/preset", vec!["second".into(), OscType::Float(0.0)]));
    wait("the preset", || stage.player.status().inbox.received == 4);
    let heard = stage.server.recent();
    assert_eq!(heard.len(), 4);
    assert_eq!(heard[0].arguments, "f 25");
    assert_eq!(heard[0].outcome, Outcome::Matched("/wind/speed".to_owned()));
    assert_eq!(heard[0].from, stage.socket.local_addr().expect("bound"));
}

#[test]
fn questions_are_answered_to_their_sender_at_their_address() {
    let stage = stage(TimePolicy::Immediate);
    // Set and ask in one breath: the answer knows of the set.
    stage.send(&bundle(IMMEDIATELY, vec![speed(25.0), message("/wind/speed", vec!["?".into()])]));
    assert_eq!(stage.answer(), OscMessage { addr: "/wind/speed".to_owned(), args: vec![OscType::Float(25.0)] });
    stage.send(&speed(10.0));
    stage.send(&message("/norm/wind/speed", vec![]));
    assert_eq!(stage.answer(), OscMessage { addr: "/norm/wind/speed".to_owned(), args: vec![OscType::Float(0.5)] });
    stage.send(&message("/look/{pattern,pole,colour_b}", vec![OscType::Nil]));
    let answers: Vec<OscMessage> = (0..3).map(|_| stage.answer()).collect();
    let addresses: Vec<&str> = answers.iter().map(|answer| answer.addr.as_str()).collect();
    assert_eq!(addresses, ["/look/pattern", "/look/colour_b", "/look/pole"]);
    assert_eq!(answers[0].args, [OscType::String("stripes".to_owned())]);
    assert_eq!(answers[1].args.len(), 4);
    assert_eq!(answers[2].args, [OscType::Bool(true)]);
    stage.send(&message("/sync", vec![]));
    let all: Vec<String> = ROWS.iter().map(|_| stage.answer().addr).collect();
    assert_eq!(all, ROWS.iter().map(crate::params::Row::address).collect::<Vec<_>>());
    // Somebody else asks: the answer goes there.
    let other = UdpSocket::bind(any_port()).expect("a free port");
    other.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let question = rosc::encoder::encode(&message("/wind/speed", vec![])).expect("encodes");
    other.send_to(&question, stage.socket.peer_addr().expect("connected")).expect("sends");
    let (_, from) = other.recv_from(&mut [0; 256]).expect("an answer");
    assert_eq!(from, stage.socket.peer_addr().expect("connected"), "from the socket that heard");
}

#[test]
fn a_bundle_is_never_seen_in_part() {
    let stage = stage(TimePolicy::Immediate);
    /// Stops the watcher also when the test fails, which would wait for it.
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let stopping = Stop(&stop);
        let watched = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let targets = stage.player.targets();
                let pair = (targets.float(RowId::WindSpeed), targets.float(RowId::AirDensity));
                assert!(pair.0 == pair.1 || pair == (8.0, 1.2), "{pair:?}");
            }
        });
        for round in 1..=400 {
            let value = 1.0 + round as f32 / 100.0;
            let density = message("/air/density", vec![OscType::Float(value)]);
            let nested = bundle(77, vec![density]);
            stage.send(&bundle(1 << 40, vec![speed(0.5), speed(value), nested]));
            // So that no datagram is lost on the way.
            wait("heard", || stage.server.status().packets == round);
            if round % 20 == 0 {
                wait("done", || stage.speed() == value);
            }
        }
        drop(stopping);
        watched.join().expect("no part was seen");
    });
}

#[test]
fn an_unknown_tag_costs_its_message_and_a_broken_packet_all_of_it() {
    let stage = stage(TimePolicy::Immediate);
    let element = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat();
    let good = |value| element(&rosc::encoder::encode(&speed(value)).expect("encodes"));
    let head = b"#bundle\0\0\0\0\0\0\0\0\x01";
    stage.send_bytes(&[&head[..], &element(b"/a\0\0,Q\0\0"), &good(11.0)].concat());
    wait("the neighbour", || stage.speed() == 11.0);
    assert_eq!(stage.losses(Loss::UnknownTag), 1);
    stage.send_bytes(&[&head[..], &good(12.0), &[0, 0, 0, 99]].concat());
    stage.send_bytes(&head.repeat(3000));
    stage.send(&speed(13.0));
    wait("the next", || stage.speed() == 13.0);
    assert_eq!(stage.losses(Loss::Packet), 2);
    assert_eq!(stage.said("bundle element of"), 2, "each in its own words");
    assert_eq!(stage.player.status().inbox.received, 2, "12 never came in");
}

#[test]
fn patterns_ask_the_readouts_of_the_flag() {
    let stage = stage(TimePolicy::Immediate);
    stage.send(&message("/read/*/*", vec![]));
    let told: Vec<String> = crate::params::READOUTS.iter().map(|_| stage.answer().addr).collect();
    assert_eq!(told[0], "/read/0/tip");
    assert!(told.iter().all(|address| address.starts_with("/read/0/")), "{told:?}");
}

#[test]
fn the_address_is_the_one_that_the_command_line_tells() {
    let address = OscConfig::default().address;
    assert!(include_str!("../../../cli.rs").contains(&format!("\"{address}\"")), "{address}");
}

#[test]
fn each_fault_is_said_once_and_counted() {
    let stage = stage(TimePolicy::Immediate);
    for round in 1..=100 {
        stage.send(&message("/wind/sped", vec![OscType::Float(1.0)]));
        stage.send(&speed(f32::NAN));
        stage.send(&message("/wind/speed", vec![OscType::Float(99.0), OscType::Int(1)]));
        // So that no datagram is lost on the way.
        wait("heard", || stage.server.status().messages == 3 * round);
    }
    wait("all counted", || stage.losses(Loss::Surplus) == 100);
    let losses = stage.server.status().losses;
    for loss in [Loss::NoSuchAddress, Loss::NotFinite, Loss::Clamped, Loss::Surplus] {
        assert_eq!(losses.of(loss), 100, "{}", loss.name());
    }
    assert_eq!(losses.refused(), 200);
    let lines = stage.player.status().messages;
    assert_eq!(lines.iter().filter(|line| line.contains("OSC")).count(), 3, "{lines:?}");
    assert_eq!(stage.said("there is no /wind/sped; the nearest is /wind/speed"), 1);
    let recent = stage.server.recent();
    assert_eq!(recent.len(), MOST_RECENT);
    let near = |heard: &Heard| matches!(&heard.outcome, Outcome::Refused(Loss::NoSuchAddress, why) if why.ends_with("/wind/speed"));
    assert!(recent.iter().any(near));
    // A flood of different faults of one sort stays small too.
    for number in 0..100 {
        stage.send(&message(&format!("/nowhere/{number}"), vec![]));
    }
    wait("the end of words", || stage.said("counted only") == 1);
    assert!(stage.said("/nowhere") < MOST_SAID);
}

#[test]
fn too_much_in_one_packet_is_refused_whole() {
    let stage = stage(TimePolicy::Immediate);
    let everything = message("/{wind,air,look}/*", vec![OscType::Float(0.1)]);
    let mut content = vec![speed(3.0)];
    content.extend(vec![everything; 1000]);
    stage.send(&bundle(IMMEDIATELY, content));
    wait("refused", || stage.losses(Loss::TooMany) == 1);
    let questions = vec![message("/*/*", vec!["?".into()]); 1000];
    stage.send(&bundle(IMMEDIATELY, questions));
    wait("refused", || stage.losses(Loss::TooMany) == 2);
    // Storms of rebuilds, alternating so that none repeats the one before, and of resets.
    let preset = |name: &str| message("/cue/preset", vec![name.into()]);
    stage.send(&bundle(IMMEDIATELY, (0..1000).map(|step| preset(["first", "second"][step % 2])).collect()));
    wait("refused", || stage.losses(Loss::TooMany) == 3);
    stage.send(&bundle(IMMEDIATELY, vec![message("/cue/reset", vec![]); 1500]));
    wait("refused", || stage.losses(Loss::TooMany) == 4);
    let hostile = message(&format!("/{}x/*", "{,a}".repeat(240)), vec![]);
    stage.send(&bundle(IMMEDIATELY, vec![hostile; 60]));
    wait("refused", || stage.losses(Loss::TooMany) == 5);
    assert_eq!(stage.player.status().inbox.received, 0);
    assert_eq!(stage.speed(), 8.0);
    assert_eq!(stage.said("a packet asks for more than"), 1, "said once");
}

#[test]
fn time_tags_are_kept_when_asked_to() {
    let stage = stage(TimePolicy::Schedule);
    const SECOND: u64 = 1 << 32;
    let now = time_tag_now();
    stage.send(&bundle(now - 100 * SECOND, vec![speed(1.0)]));
    wait("the late one", || stage.speed() == 1.0);
    stage.send(&bundle(now + 3600 * SECOND, vec![speed(2.0)]));
    wait("dropped", || stage.losses(Loss::BeyondHorizon) == 1);
    let due = time_tag_now() + SECOND / 4;
    stage.send(&bundle(due, vec![speed(3.0), message("/wind/speed", vec![])]));
    wait("the later one", || stage.speed() == 3.0);
    assert!(time_tag_now() >= due, "not before its time");
    assert_eq!(stage.answer().args, [OscType::Float(3.0)], "asked when it was due");
    // A later bundle in an earlier one keeps its own time.
    let due = time_tag_now() + SECOND / 4;
    stage.send(&bundle(IMMEDIATELY, vec![speed(4.0), bundle(due, vec![speed(5.0)])]));
    wait("the inner one", || stage.speed() == 5.0);
    assert!(time_tag_now() >= due);
    // What waits is bounded: two of these are too much, however slowly they come.
    let plain = message("/{wind,air,look}/*", vec![OscType::Float(0.1)]);
    let each = ROWS.iter().filter(|row| ["wind", "air", "look"].contains(&row.group())).count();
    let some = crate::live::inbox::CAPACITY * 3 / 4 / each;
    wait("full", || {
        stage.send(&bundle(time_tag_now() + 2 * SECOND - SECOND / 8, vec![plain.clone(); some]));
        stage.losses(Loss::ScheduleFull) > 0
    });
    assert_eq!(stage.losses(Loss::TooMany), 0);
}

#[test]
fn a_taken_port_is_said_and_tried_again() {
    let holder = UdpSocket::bind(any_port()).expect("a free port");
    let taken = holder.local_addr().expect("bound");
    let player =
        Player::start(PlayerConfig { preset: Preset::default(), library: Library::default() }).expect("starts");
    let server = OscServer::start(taken, player.clone());
    wait("a problem", || server.status().problem.is_some());
    let problem = server.status().problem.expect("said");
    assert!(problem.contains(&taken.to_string()) && problem.contains("another program has this port"), "{problem}");
    assert_eq!(server.status().listening, None);
    assert!(player.status().messages.contains(&problem), "said once");
    let tick = player.status().tick;
    wait("the flag flies on", || player.status().tick > tick);
    drop(holder);
    wait("it has the port", || server.status().listening == Some(taken));
    assert_eq!(server.status().problem, None);
    // While it listens nobody else gets the port, and when it is gone everybody does.
    assert!(UdpSocket::bind(taken).is_err(), "the port is not shared");
    drop(server);
    // Another program may have it for a moment.
    wait("the port is free", || UdpSocket::bind(taken).is_ok());
}

#[test]
fn random_datagrams_change_nothing_that_holds() {
    let stage = stage(TimePolicy::Schedule);
    let mut state = 7u64;
    let mut dice = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    let sound =
        rosc::encoder::encode(&bundle(5, vec![speed(f32::NAN), message("/[*{", vec!["x".into()])])).expect("encodes");
    for round in 0..5_000u64 {
        let mut bytes = sound.clone();
        // The first four letters of the address stay broken: no hit by chance.
        for _ in 0..1 + dice(5) {
            let place = dice(bytes.len());
            bytes[place] = [0, 0xff, dice(256) as u8][dice(3)];
        }
        bytes.truncate(if dice(4) == 0 { dice(bytes.len()) } else { bytes.len() });
        stage.send_bytes(&bytes);
        if round % 50 == 0 {
            stage.send(&message("/air/density", vec![OscType::Float(2.5)]));
            wait("still listening", || stage.player.targets().float(RowId::AirDensity) == 2.5);
            stage.send(&message("/air/density", vec![OscType::Float(1.5)]));
            wait("still listening", || stage.player.targets().float(RowId::AirDensity) == 1.5);
        }
    }
    assert_eq!(stage.said("fault in the program"), 0);
    assert!(stage.server.status().losses.refused() > 1_000);
}
