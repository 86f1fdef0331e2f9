//! What was heard, for a monitor: the last messages with their sender and what became of them.

use super::packet::{Argument, Item, Message, MessageFault};
use crate::control::loss::Loss;
use crate::control::route::Remark;
use std::fmt::Write as _;
use std::net::SocketAddr;

/// Longest text of an address or of arguments that is kept for a monitor, in characters.
const LONGEST_SHOWN: usize = 120;

/// One message that was heard, for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// Who sent it.
    pub from: SocketAddr,
    /// Its address, as it came.
    pub address: String,
    /// Its arguments with their tags.
    pub arguments: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It does something; the words say at which addresses, and what was held or left over.
    Matched(String),
    /// It does nothing, and this is why.
    Refused(Loss, String),
}

impl Heard {
    /// A message for people, before it is known what becomes of it.
    pub(super) fn new(from: SocketAddr, item: &Item<'_>) -> Self {
        let (address, arguments) = match &item.message {
            Ok(message) => (shown(message.address), shown_arguments(message)),
            Err(MessageFault::UnknownTag { address, .. } | MessageFault::NotText { address }) => {
                (shown(address), String::new())
            }
        };
        Heard { from, address, arguments, outcome: Outcome::Matched(String::new()) }
    }
}

impl Outcome {
    /// What became of a message that met `matched` addresses.
    pub(super) fn of(message: &Message<'_>, remarks: &[Remark], matched: usize) -> Outcome {
        let texts = || remarks.iter().map(|remark| remark.text.as_str()).collect::<Vec<_>>().join("; ");
        match remarks.iter().filter(|remark| remark.loss.is_refusal()).map(|remark| remark.loss).next() {
            Some(Loss::NoSuchAddress) => Outcome::Refused(Loss::NoSuchAddress, String::new()),
            Some(loss) if matched <= 1 => Outcome::Refused(loss, shown(&texts())),
            _ if matched == 1 && remarks.is_empty() => Outcome::Matched(shown(message.address)),
            _ if remarks.is_empty() => Outcome::Matched(format!("{matched} addresses")),
            _ if matched == 1 => Outcome::Matched(shown(&texts())),
            _ => Outcome::Matched(format!("{matched} addresses: {}", shown(&texts()))),
        }
    }
}

fn shown_arguments(message: &Message<'_>) -> String {
    let mut text = String::new();
    for argument in &message.arguments {
        if text.len() > LONGEST_SHOWN {
            break;
        }
        let gap = if text.is_empty() { "" } else { ", " };
        // A blob or a long string is not written out before it is cut.
        let _ = match argument {
            Argument::Text(long) => write!(text, "{gap}s {:?}", shown(long)),
            other => write!(text, "{gap}{other}"),
        };
    }
    shown(&text)
}

/// The beginning of a text from outside, without anything that a terminal would obey.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(LONGEST_SHOWN).map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::osc::packet;
    use crate::control::route::{Bounds, Router};
    use rosc::{OscMessage, OscPacket, OscType};
    use std::net::{IpAddr, Ipv4Addr};

    fn hear(address: &str, args: Vec<OscType>) -> Heard {
        let message = OscPacket::Message(OscMessage { addr: address.to_owned(), args });
        let bytes = rosc::encoder::encode(&message).expect("encodes");
        let items = packet::read(&bytes).expect("a packet");
        let mut heard = Heard::new(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 1), &items[0]);
        let message = items[0].message.as_ref().expect("a message");
        let routed = Router::new().route(message, &mut Bounds::new(1));
        heard.outcome = Outcome::of(message, &routed.remarks, routed.matched);
        heard
    }

    #[test]
    fn outcomes_in_words() {
        let matched = |text: &str| Outcome::Matched(text.to_owned());
        assert_eq!(hear("/wind/speed", vec![OscType::Float(1.0)]).outcome, matched("/wind/speed"));
        assert_eq!(hear("/{wind,air}/{speed,drag}", vec![OscType::Float(1.0)]).outcome, matched("2 addresses"));
        let held = "/wind/speed: held at the end of its range";
        assert_eq!(hear("/wind/speed", vec![OscType::Float(99.0)]).outcome, matched(held));
        assert!(matches!(hear("/wind/spee", vec![]).outcome, Outcome::Refused(Loss::NoSuchAddress, _)));
        let Outcome::Refused(Loss::WrongKind, why) = hear("/wind/speed", vec!["fast".into()]).outcome else { panic!() };
        assert_eq!(why, "/wind/speed takes a number; this text is none");
        let some = hear("/look/{colour_a,sheen}", vec![OscType::Float(0.5)]).outcome;
        assert!(
            matches!(some, Outcome::Matched(text) if text.starts_with("2 addresses: /look/colour_a takes a colour"))
        );
    }

    #[test]
    fn what_is_shown_is_short_and_harmless() {
        let heard = hear(&"/\u{1b}[2J".repeat(500), vec![OscType::String("x".repeat(9_000)), OscType::Int(1)]);
        for text in [heard.address, heard.arguments] {
            assert!(text.chars().count() <= LONGEST_SHOWN && !text.contains('\u{1b}'), "{text}");
        }
        let two = hear("/a", vec![OscType::Float(0.5), OscType::String("b\n".to_owned())]);
        assert_eq!(two.arguments, "f 0.5, s \"b\u{fffd}\"");
    }
}
