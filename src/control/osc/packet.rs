//! Takes a datagram apart: bundles into messages, messages into address and arguments.
//!
//! Written against OSC 1.0 and against hostile senders: nothing here recurses deeper than
//! [`DEEPEST_BUNDLE`], reads outside its slice or allocates more than the datagram's size allows.
//!
//! Two sorts of fault are told apart. A fault in the framing (sizes, terminators, something left over)
//! means that no boundary in the datagram can be trusted: all of it is refused, as a bundle is all or
//! nothing. A message that is framed well but cannot be understood (a type tag that is unknown, bytes
//! that are no text) is discarded alone.

/// Largest payload of a UDP datagram over IPv4, in bytes.
pub const LONGEST_PACKET: usize = 65_507;
/// Bundles within bundles. OSC programs send one or two levels; each level costs a stack frame.
pub const DEEPEST_BUNDLE: usize = 8;
/// Messages in one datagram; as many as there may be changes waiting.
pub const MOST_MESSAGES: usize = 4096;
/// Arguments of a message that are kept; the rest is checked and counted. Nothing takes more than four.
pub const MOST_ARGUMENTS: usize = 16;

/// The time tag that means "now".
pub const IMMEDIATELY: u64 = 1;

const BUNDLE: &[u8] = b"#bundle\0";
/// Bytes of a bundle's head: its name and its time tag.
const BUNDLE_HEAD: usize = 16;
/// Everything in OSC is a multiple of this many bytes.
const ALIGNMENT: usize = 4;

/// One argument. Brackets of arrays are dropped: an array counts as its elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Argument<'a> {
    /// i
    Int(i32),
    /// f
    Float(f32),
    /// s and S
    Text(&'a str),
    /// b
    Blob(&'a [u8]),
    /// h
    Long(i64),
    /// t
    Time(u64),
    /// d
    Double(f64),
    /// c, as its number
    Char(u32),
    /// r: red, green, blue, alpha
    Colour([u8; 4]),
    /// m: port, status, two data bytes
    Midi([u8; 4]),
    /// T
    True,
    /// F
    False,
    /// N
    Nil,
    /// I
    Impulse,
}

impl Argument<'_> {
    /// The value of the numeric kinds.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Argument::Int(whole) => Some(f64::from(whole)),
            Argument::Float(real) => Some(f64::from(real)),
            Argument::Long(whole) => Some(whole as f64),
            Argument::Double(real) => Some(real),
            _ => None,
        }
    }
}

impl std::fmt::Display for Argument<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Argument::Int(whole) => write!(out, "i {whole}"),
            Argument::Float(real) => write!(out, "f {real}"),
            Argument::Text(text) => write!(out, "s {text:?}"),
            Argument::Blob(bytes) => write!(out, "b {} bytes", bytes.len()),
            Argument::Long(whole) => write!(out, "h {whole}"),
            Argument::Time(tag) => write!(out, "t {tag:016x}"),
            Argument::Double(real) => write!(out, "d {real}"),
            Argument::Char(number) => write!(out, "c {:?}", char::from_u32(*number).unwrap_or('\u{fffd}')),
            Argument::Colour([red, green, blue, alpha]) => {
                write!(out, "r #{red:02x}{green:02x}{blue:02x}{alpha:02x}")
            }
            Argument::Midi([port, status, one, two]) => write!(out, "m {port} {status:02x} {one:02x} {two:02x}"),
            Argument::True => out.write_str("T"),
            Argument::False => out.write_str("F"),
            Argument::Nil => out.write_str("N"),
            Argument::Impulse => out.write_str("I"),
        }
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message<'a> {
    /// Its address or address pattern, from the slash on.
    pub address: &'a str,
    /// The first [`MOST_ARGUMENTS`] arguments.
    pub arguments: Vec<Argument<'a>>,
    /// How many there are.
    pub argument_count: usize,
}

/// One message of a datagram, or what can be said about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Item<'a> {
    /// When it is due: the latest tag of the bundles around it; [`IMMEDIATELY`] outside of bundles.
    pub time: u64,
    /// The message.
    pub message: Result<Message<'a>, MessageFault>,
}

/// Why a message is discarded while its neighbours are kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessageFault {
    /// A type tag that OSC 1.0 does not have: where the next argument starts is unknown.
    #[error("{address} has the unknown type tag '{tag}'")]
    UnknownTag {
        /// Its address.
        address: String,
        /// The tag.
        tag: char,
    },
    /// An address or a string that is not text.
    #[error("{address} holds bytes that are no UTF-8 text")]
    NotText {
        /// Its address, as far as it can be shown.
        address: String,
    },
}

/// Why a datagram is refused whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PacketFault {
    /// Too long, empty or not a multiple of four.
    #[error("a packet of {0} bytes; OSC packets are 4 to {LONGEST_PACKET} bytes long, in fours")]
    Length(usize),
    /// Neither a message nor a bundle.
    #[error("a packet element that starts with neither '/' nor '#bundle'")]
    Neither,
    /// A bundle element whose size cannot be.
    #[error("a bundle element of {size} bytes where {left} are left")]
    Element {
        /// What it says.
        size: u32,
        /// What is there.
        left: usize,
    },
    /// Bundles too deep.
    #[error("bundles nested deeper than {DEEPEST_BUNDLE}")]
    TooDeep,
    /// Too many messages.
    #[error("more than {MOST_MESSAGES} messages in a packet")]
    TooMany,
    /// A message that ends before its text or its arguments do.
    #[error("a message that ends too early")]
    Truncated,
    /// Bytes after the last argument.
    #[error("a message with {0} bytes after its last argument")]
    Remainder(usize),
    /// Array brackets that do not pair.
    #[error("a message whose array brackets do not pair")]
    Brackets,
}

/// Takes a datagram apart, in order.
pub fn read(packet: &[u8]) -> Result<Vec<Item<'_>>, PacketFault> {
    if packet.is_empty() || packet.len() > LONGEST_PACKET || !packet.len().is_multiple_of(ALIGNMENT) {
        return Err(PacketFault::Length(packet.len()));
    }
    let mut items = Vec::new();
    read_element(packet, IMMEDIATELY, 0, &mut items)?;
    Ok(items)
}

fn read_element<'a>(
    element: &'a [u8],
    around: u64,
    depth: usize,
    items: &mut Vec<Item<'a>>,
) -> Result<(), PacketFault> {
    match element.first() {
        Some(b'/') => {
            if items.len() == MOST_MESSAGES {
                return Err(PacketFault::TooMany);
            }
            items.push(Item { time: around, message: read_message(element)? });
            Ok(())
        }
        Some(b'#') if element.starts_with(BUNDLE) => read_bundle(element, around, depth, items),
        _ => Err(PacketFault::Neither),
    }
}

fn read_bundle<'a>(bundle: &'a [u8], around: u64, depth: usize, items: &mut Vec<Item<'a>>) -> Result<(), PacketFault> {
    if depth == DEEPEST_BUNDLE {
        return Err(PacketFault::TooDeep);
    }
    let (head, mut rest) = bundle.split_at_checked(BUNDLE_HEAD).ok_or(PacketFault::Truncated)?;
    let tag = head.last_chunk().map_or(IMMEDIATELY, |bytes| u64::from_be_bytes(*bytes));
    // A bundle inside another is never due before it; the tag for "now" is the smallest of all.
    let time = tag.max(around);
    while !rest.is_empty() {
        let (size, after) = rest.split_first_chunk().ok_or(PacketFault::Truncated)?;
        let size = u32::from_be_bytes(*size);
        let fault = PacketFault::Element { size, left: after.len() };
        let length = usize::try_from(size).map_err(|_| fault.clone())?;
        if length == 0 || !length.is_multiple_of(ALIGNMENT) {
            return Err(fault);
        }
        let (element, after) = after.split_at_checked(length).ok_or(fault)?;
        read_element(element, time, depth + 1, items)?;
        rest = after;
    }
    Ok(())
}

fn read_message(message: &[u8]) -> Result<Result<Message<'_>, MessageFault>, PacketFault> {
    let mut rest = message;
    let address = take_string(&mut rest)?;
    let Ok(address) = std::str::from_utf8(address) else {
        return Ok(Err(MessageFault::NotText { address: String::from_utf8_lossy(address).into_owned() }));
    };
    // Old senders leave the type tags out; what follows then cannot be told, and counts as nothing.
    if rest.first() != Some(&b',') {
        return Ok(Ok(Message { address, arguments: Vec::new(), argument_count: 0 }));
    }
    let tags = take_string(&mut rest)?.get(1..).unwrap_or_default();
    if let Some(tag) = tags.iter().find(|tag| !b"ifsbhtdScrmTFNI[]".contains(tag)) {
        let tag = if tag.is_ascii_graphic() { char::from(*tag) } else { char::REPLACEMENT_CHARACTER };
        return Ok(Err(MessageFault::UnknownTag { address: address.to_owned(), tag }));
    }
    let mut arguments = Vec::with_capacity(tags.len().min(MOST_ARGUMENTS));
    let mut argument_count = 0;
    let mut open = 0usize;
    let mut text = true;
    for tag in tags {
        match tag {
            b'[' => open += 1,
            b']' => open = open.checked_sub(1).ok_or(PacketFault::Brackets)?,
            _ => {
                let argument = take_argument(*tag, &mut rest)?;
                argument_count += 1;
                text &= argument.is_some();
                if let (Some(argument), true) = (argument, arguments.len() < MOST_ARGUMENTS) {
                    arguments.push(argument);
                }
            }
        }
    }
    if open > 0 {
        return Err(PacketFault::Brackets);
    }
    if !rest.is_empty() {
        return Err(PacketFault::Remainder(rest.len()));
    }
    if !text {
        return Ok(Err(MessageFault::NotText { address: address.to_owned() }));
    }
    Ok(Ok(Message { address, arguments, argument_count }))
}

/// The next argument; `None` when it is a string that is no text.
fn take_argument<'a>(tag: u8, rest: &mut &'a [u8]) -> Result<Option<Argument<'a>>, PacketFault> {
    Ok(Some(match tag {
        b'i' => Argument::Int(i32::from_be_bytes(take(rest)?)),
        b'f' => Argument::Float(f32::from_be_bytes(take(rest)?)),
        b's' | b'S' => match std::str::from_utf8(take_string(rest)?) {
            Ok(text) => Argument::Text(text),
            Err(_) => return Ok(None),
        },
        b'b' => Argument::Blob(take_blob(rest)?),
        b'h' => Argument::Long(i64::from_be_bytes(take(rest)?)),
        b't' => Argument::Time(u64::from_be_bytes(take(rest)?)),
        b'd' => Argument::Double(f64::from_be_bytes(take(rest)?)),
        b'c' => Argument::Char(u32::from_be_bytes(take(rest)?)),
        b'r' => Argument::Colour(take(rest)?),
        b'm' => Argument::Midi(take(rest)?),
        b'T' => Argument::True,
        b'F' => Argument::False,
        b'I' => Argument::Impulse,
        _ => Argument::Nil,
    }))
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], PacketFault> {
    let (bytes, after) = rest.split_first_chunk().ok_or(PacketFault::Truncated)?;
    *rest = after;
    Ok(*bytes)
}

/// A string up to its zero byte; the padding behind it may hold anything.
fn take_string<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], PacketFault> {
    let end = rest.iter().position(|byte| *byte == 0).ok_or(PacketFault::Truncated)?;
    let (padded, after) = rest.split_at_checked((end + 1).next_multiple_of(ALIGNMENT)).ok_or(PacketFault::Truncated)?;
    *rest = after;
    Ok(&padded[..end])
}

fn take_blob<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], PacketFault> {
    let size = usize::try_from(u32::from_be_bytes(take(rest)?)).map_err(|_| PacketFault::Truncated)?;
    // A size near the end of the number line must not wrap when it is rounded up.
    if size > rest.len() {
        return Err(PacketFault::Truncated);
    }
    let (padded, after) = rest.split_at_checked(size.next_multiple_of(ALIGNMENT)).ok_or(PacketFault::Truncated)?;
    *rest = after;
    Ok(&padded[..size])
}

#[cfg(test)]
mod tests;
