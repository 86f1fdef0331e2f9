//! The walker against what OSC allows, and against what it does not.

use super::*;
use rosc::{OscBundle, OscColor, OscMessage, OscMidiMessage, OscPacket, OscTime, OscType};

fn string(text: &str) -> Vec<u8> {
    rosc::encoder::encode_string(text)
}

fn message(address: &str, tags: &str, data: &[u8]) -> Vec<u8> {
    [string(address), string(tags), data.to_vec()].concat()
}

fn bundle(time: u64, elements: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = [BUNDLE, &time.to_be_bytes()].concat();
    for element in elements {
        bytes.extend((element.len() as u32).to_be_bytes());
        bytes.extend(element);
    }
    bytes
}

fn one(bytes: &[u8]) -> Message<'_> {
    let mut items = read(bytes).expect("a packet");
    assert_eq!(items.len(), 1);
    items.remove(0).message.expect("a message")
}

#[test]
fn every_tag_is_read() {
    let data = [
        &7i32.to_be_bytes()[..],
        &1.5f32.to_be_bytes(),
        b"text\0\0\0\0",
        &[0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0],
        &(-3i64).to_be_bytes(),
        &99u64.to_be_bytes(),
        &2.5f64.to_be_bytes(),
        b"sym\0",
        &65u32.to_be_bytes(),
        &[1, 2, 3, 4],
        &[5, 6, 7, 8],
        &8i32.to_be_bytes(),
    ]
    .concat();
    let bytes = message("/a", ",ifsbhtdScrm[TF[NIi]]", &data);
    let read = one(&bytes);
    let wanted = [
        Argument::Int(7),
        Argument::Float(1.5),
        Argument::Text("text"),
        Argument::Blob(&[1, 2, 3, 4, 5]),
        Argument::Long(-3),
        Argument::Time(99),
        Argument::Double(2.5),
        Argument::Text("sym"),
        Argument::Char(65),
        Argument::Colour([1, 2, 3, 4]),
        Argument::Midi([5, 6, 7, 8]),
        Argument::True,
        Argument::False,
        Argument::Nil,
        Argument::Impulse,
        Argument::Int(8),
    ];
    assert_eq!(read.arguments, wanted);
    assert_eq!(read.argument_count, wanted.len());
    // What is not kept is counted and still checked.
    let many = message("/a", &format!(",{}", "T".repeat(1000)), &[]);
    assert_eq!((one(&many).arguments.len(), one(&many).argument_count), (MOST_ARGUMENTS, 1000));
    let many = message("/a", &format!(",{}", "i".repeat(20)), &[0; 76]);
    assert_eq!(read_fault(&many), PacketFault::Truncated);
}

fn read_fault(bytes: &[u8]) -> PacketFault {
    read(bytes).expect_err("must be refused")
}

#[test]
fn no_type_tags_are_no_arguments() {
    assert_eq!(one(b"/a\0\0").argument_count, 0);
    assert_eq!(one(b"/a\0\0,\0\0\0").argument_count, 0);
    assert_eq!(one(b"/a\0\0\x3f\x80\0\0").argument_count, 0, "an old sender's float without a tag");
}

#[test]
fn an_unknown_tag_or_bad_text_costs_one_message() {
    let good = message("/b", ",i", &[0, 0, 0, 1]);
    let unknown = message("/a", ",iQ", &[0, 0, 0, 1, 9, 9, 9, 9]);
    let no_text = message("/c", ",s", &[0xff, 0xfe, 0, 0]);
    let no_address = [b"/\xff\0\0,\0\0\0".to_vec()].concat();
    let bytes = bundle(IMMEDIATELY, &[unknown, good, no_text, no_address]);
    let items = read(&bytes).expect("the bundle is kept");
    assert_eq!(items[0].message, Err(MessageFault::UnknownTag { address: "/a".to_owned(), tag: 'Q' }));
    assert_eq!(items[1].message.as_ref().map(|message| message.address), Ok("/b"));
    assert_eq!(items[2].message, Err(MessageFault::NotText { address: "/c".to_owned() }));
    assert!(matches!(items[3].message, Err(MessageFault::NotText { .. })));
}

#[test]
fn faults_in_the_framing_refuse_all_of_it() {
    let good = message("/b", ",i", &[0, 0, 0, 1]);
    assert_eq!(read_fault(b""), PacketFault::Length(0));
    assert_eq!(read_fault(b"/a\0"), PacketFault::Length(3));
    assert_eq!(read_fault(&vec![0; 65_508]), PacketFault::Length(65_508));
    assert_eq!(read_fault(b"abc\0"), PacketFault::Neither);
    assert_eq!(read_fault(b"#bundlf\0\0\0\0\0\0\0\0\x01"), PacketFault::Neither);
    assert_eq!(read_fault(b"#bundle\0\0\0\0\0"), PacketFault::Truncated);
    assert_eq!(read_fault(b"/abc"), PacketFault::Truncated);
    assert_eq!(read_fault(&message("/a", ",ii", &[0; 4])), PacketFault::Truncated);
    assert_eq!(read_fault(&message("/a", ",b", &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])), PacketFault::Truncated);
    assert_eq!(read_fault(&message("/a", ",b", &[0, 0, 0, 5, 0, 0, 0, 0])), PacketFault::Truncated);
    assert_eq!(read_fault(&message("/a", ",i", &[0; 8])), PacketFault::Remainder(4));
    for tags in [",[i", ",i]", ",]["] {
        assert_eq!(read_fault(&message("/a", tags, if tags == ",][" { &[] } else { &[0; 4] })), PacketFault::Brackets);
    }
    for size in [0u32, 3, 16, 0x8000_0000, u32::MAX] {
        let bytes =
            [bundle(IMMEDIATELY, std::slice::from_ref(&good)), size.to_be_bytes().to_vec(), vec![b'/'; 8]].concat();
        assert_eq!(read_fault(&bytes), PacketFault::Element { size, left: 8 }, "and the good message with it");
    }
    let many: Vec<Vec<u8>> = vec![b"/a\0\0".to_vec(); MOST_MESSAGES];
    assert_eq!(read(&bundle(IMMEDIATELY, &many)).map(|items| items.len()), Ok(MOST_MESSAGES));
    let many: Vec<Vec<u8>> = vec![b"/a\0\0".to_vec(); MOST_MESSAGES + 1];
    assert_eq!(read_fault(&bundle(IMMEDIATELY, &many)), PacketFault::TooMany);
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| (0..depth).fold(b"/a\0\0".to_vec(), |inner, _| bundle(IMMEDIATELY, &[inner]));
    assert_eq!(read(&nested(DEEPEST_BUNDLE)).map(|items| items.len()), Ok(1));
    assert_eq!(read_fault(&nested(DEEPEST_BUNDLE + 1)), PacketFault::TooDeep);
    // The largest that fits into a datagram.
    let bomb = nested((LONGEST_PACKET - 4) / 20);
    assert!(bomb.len() > 65_000);
    assert_eq!(read_fault(&bomb), PacketFault::TooDeep);
    // The same without sound sizes: heads only.
    let heads = BUNDLE.repeat(8_000);
    assert!(read(&heads).is_err());
}

#[test]
fn a_bundle_is_due_no_earlier_than_the_one_around_it() {
    let inner = |time| bundle(time, &[b"/a\0\0".to_vec()]);
    let bytes = bundle(500, &[inner(IMMEDIATELY), inner(400), inner(600), b"/b\0\0".to_vec()]);
    let times: Vec<u64> = read(&bytes).expect("sound").iter().map(|item| item.time).collect();
    assert_eq!(times, [500, 500, 600, 500]);
    let alone = read(b"/a\0\0").expect("sound");
    assert_eq!(alone[0].time, IMMEDIATELY);
}

#[test]
fn truncation_at_every_byte_is_refused_or_is_a_shorter_packet() {
    let whole = bundle(
        IMMEDIATELY,
        &[
            message("/wind/speed", ",f", &25f32.to_be_bytes()),
            bundle(7, &[message("/look/pattern", ",sb", &[string("sun"), vec![0, 0, 0, 2, 1, 2, 0, 0]].concat())]),
            message("/cue/reset", ",", &[]),
        ],
    );
    assert_eq!(read(&whole).map(|items| items.len()), Ok(3));
    let mut ends = Vec::new();
    for length in 0..whole.len() {
        if let Ok(items) = read(&whole[..length]) {
            assert!(items.iter().all(|item| item.message.is_ok()), "no half message at {length}");
            ends.push((length, items.len()));
        }
    }
    // Only cuts between the elements of the outer bundle leave a sound one.
    assert_eq!(ends, [(16, 0), (40, 1), (96, 2)]);
    for length in 1..40 {
        let single = message("/wind/speed", ",fs", &[25f32.to_be_bytes().to_vec(), string("abcde")].concat());
        assert_eq!(read(single.get(..length).unwrap_or(&single)).is_ok(), length == 12 || length >= single.len());
    }
}

#[test]
fn agrees_with_another_implementation() {
    let arguments = vec![
        OscType::Int(-5),
        OscType::Float(0.25),
        OscType::String("häß".to_owned()),
        OscType::Blob(vec![1, 2, 3]),
        OscType::Long(i64::MIN),
        OscType::Time(OscTime { seconds: 3, fractional: 4 }),
        OscType::Double(-1e300),
        OscType::Char('x'),
        OscType::Color(OscColor { red: 1, green: 2, blue: 3, alpha: 4 }),
        OscType::Midi(OscMidiMessage { port: 1, status: 2, data1: 3, data2: 4 }),
        OscType::Bool(true),
        OscType::Bool(false),
        OscType::Nil,
        OscType::Inf,
    ];
    let message = OscPacket::Message(OscMessage { addr: "/look/colour_a".to_owned(), args: arguments.clone() });
    let packet =
        OscPacket::Bundle(OscBundle { timetag: OscTime { seconds: 0, fractional: 1 }, content: vec![message] });
    let bytes = rosc::encoder::encode(&packet).expect("encodes");
    let shown: Vec<String> = one(&bytes).arguments.iter().map(ToString::to_string).collect();
    let wanted = [
        "i -5",
        "f 0.25",
        "s \"häß\"",
        "b 3 bytes",
        "h -9223372036854775808",
        "t 0000000300000004",
        &format!("d {}", -1e300),
        "c 'x'",
        "r #01020304",
        "m 1 02 03 04",
        "T",
        "F",
        "N",
        "I",
    ];
    assert_eq!(shown, wanted);
}

/// Random bytes, and sound packets with a few bytes changed: never a panic, never more than was there.
#[test]
fn random_packets() {
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut dice = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % end
    };
    let seed = bundle(
        IMMEDIATELY,
        &[
            message("/wind/speed", ",f", &25f32.to_be_bytes()),
            bundle(7, &[message("/a", ",[sb]i", &[string("sun"), vec![0, 0, 0, 1, 1, 0, 0, 0], vec![0; 4]].concat())]),
            message("/cue/reset", ",TN", &[]),
        ],
    );
    let (mut sound, mut refused) = (0, 0);
    for round in 0..200_000 {
        let bytes: Vec<u8> = if round % 2 == 0 {
            let mut bytes: Vec<u8> = (0..4 * dice(24)).map(|_| dice(256) as u8).collect();
            if let Some(first) = bytes.first_mut() {
                *first = b'/';
            }
            bytes
        } else {
            let mut bytes = seed.clone();
            for _ in 0..1 + dice(4) {
                let place = dice(bytes.len());
                bytes[place] = [0, 1, 4, 0xff, b',', b'/', b'[', b'i', dice(256) as u8][dice(9)];
            }
            bytes
        };
        match read(&bytes) {
            Ok(items) => {
                sound += 1;
                assert!(items.len() <= bytes.len() / 4);
            }
            Err(_) => refused += 1,
        }
    }
    assert!(sound > 10_000 && refused > 10_000, "{sound} sound, {refused} refused");
}
