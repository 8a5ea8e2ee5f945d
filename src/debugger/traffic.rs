//! The last messages between us and adapters, for a log of the protocol.
//!
//! A [`Ring`] copies each message as it passes, which is all that it costs while nobody reads (no parsing, no redaction), and
//! keeps [`MOST_BYTES`] of them; what was dropped is counted. Only when somebody reads, messages are taken apart and secrets taken out,
//! by the same redactor as in recordings.

use std::time::Instant;

use dap::client::{Direction, Tapped};

use crate::prelude::*;

/// Bytes of messages kept.
pub const MOST_BYTES: usize = 2 * 1024 * 1024;
/// Messages kept.
pub const MOST_MESSAGES: usize = 4000;
/// Bytes kept of one message; of a larger one there is only the beginning.
const MOST_OF_ONE: usize = 256 * 1024;

/// One message as it passed.
#[derive(Clone, Debug)]
pub struct Message {
    /// From 1, over all sessions.
    pub number: u64,
    pub session: u64,
    /// When it passed.
    pub at: Instant,
    /// Which way.
    pub direction: Direction,
    /// Its content, or the beginning of it.
    pub content: Bytes,
    /// Bytes it had.
    pub length: usize,
}

/// One message as it is shown: without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passed {
    /// From 1, over all sessions.
    pub number: u64,
    pub session: SessionId,
    /// When, in microseconds since the core began.
    pub at_us: u64,
    /// From us to the adapter.
    pub sent: bool,
    /// `request`, `response`, `event`; empty for what is no message.
    pub kind: String,
    /// The command or the event.
    pub name: String,
    /// Its number at its sender.
    pub seq: i64,
    /// The request that it answers.
    pub request_seq: Option<i64>,
    /// Whether what was asked was done.
    pub success: Option<bool>,
    /// Bytes it had.
    pub length: u64,
    /// Its JSON on one line.
    pub text: String,
}

/// What was read of a ring.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// In order.
    pub messages: Vec<Passed>,
    /// Messages that came and are no longer kept, in all.
    pub dropped: u64,
}

/// The last messages of all sessions.
#[derive(Debug)]
pub struct Ring {
    began: Instant,
    held: Mutex<MessageBuffer>,
}

#[derive(Debug, Default)]
struct MessageBuffer {
    messages: VecDeque<Message>,
    bytes: usize,
    dropped: u64,
}

impl Default for Ring {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            held: Mutex::default(),
        }
    }
}

impl Ring {
    /// Takes a copy: a part of a frame would keep all of the buffer it was read into.
    pub fn push(&self, session: u64, tapped: Tapped<'_>) {
        let length = tapped.content.len();
        let kept = tapped.content.get(..length.min(MOST_OF_ONE));
        let content = Bytes::copy_from_slice(kept.unwrap_or_default());
        let mut held = lock(&self.held);
        held.bytes += content.len();
        let number = held.dropped + held.messages.len() as u64 + 1;
        held.messages.push_back(Message {
            number,
            session,
            at: tapped.at,
            direction: tapped.direction,
            content,
            length,
        });
        while (held.bytes > MOST_BYTES || held.messages.len() > MOST_MESSAGES)
            && let Some(oldest) = held.messages.pop_front()
        {
            held.bytes = held.bytes.saturating_sub(oldest.content.len());
            held.dropped += 1;
        }
    }

    /// The messages of a session from its last stop on, the event of the stop included; none when it is not kept.
    pub fn since_stop(&self, session: u64) -> Vec<Message> {
        let held = lock(&self.held);
        let own = || held.messages.iter().filter(|m| m.session == session);
        let stop = own().rfind(|message| is_stop(message)).map(|m| m.number);
        let Some(stop) = stop else { return Vec::new() };
        own().filter(|m| m.number >= stop).cloned().collect()
    }

    /// At most `most` messages behind number `after`, of one session or of all. May take long: not for a task that others wait
    /// for.
    pub fn read(
        &self,
        session: Option<SessionId>,
        after: u64,
        most: usize,
        redactor: &Redactor,
    ) -> Traffic {
        let (messages, dropped) = {
            let held = lock(&self.held);
            let wanted = held.messages.iter().filter(|message| {
                message.number > after && session.is_none_or(|s| s.0 == message.session)
            });
            let messages: Vec<Message> = wanted.take(most).cloned().collect();
            (messages, held.dropped)
        };
        Traffic {
            messages: messages
                .iter()
                .map(|message| self.shown(message, redactor))
                .collect(),
            dropped,
        }
    }

    fn shown(&self, message: &Message, redactor: &Redactor) -> Passed {
        let at = message.at.saturating_duration_since(self.began);
        let mut passed = Passed {
            number: message.number,
            session: SessionId(message.session),
            at_us: u64::try_from(at.as_micros()).unwrap_or(u64::MAX),
            sent: message.direction == Direction::Sent,
            length: message.length as u64,
            ..Passed::default()
        };
        if let Ok(mut value) = serde_json::from_slice::<Value>(&message.content) {
            let text = |name: &str| value.text_of(name);
            let number = |name: &str| value.integer_of(name);
            let name = text("command").or_else(|| text("event"));
            text("type")
                .unwrap_or_default()
                .clone_into(&mut passed.kind);
            name.unwrap_or_default().clone_into(&mut passed.name);
            passed.seq = number("seq").unwrap_or_default();
            passed.request_seq = number("request_seq");
            passed.success = value.get("success").and_then(Value::as_bool);
            redactor.redact_json(&mut value);
            passed.text = value.to_string();
        } else {
            let text = String::from_utf8_lossy(&message.content);
            passed.text = redactor.redact(&text).into_owned();
        }
        passed
    }
}

fn is_stop(message: &Message) -> bool {
    let names_it = memchr::memmem::find(&message.content, b"\"stopped\"").is_some();
    names_it
        && message.direction == Direction::Received
        && serde_json::from_slice::<Value>(&message.content)
            .is_ok_and(|value| value.text_of("event") == Some("stopped"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(ring: &Ring, session: u64, direction: Direction, text: &str) {
        let content = Bytes::copy_from_slice(text.as_bytes());
        let tapped = Tapped {
            direction,
            at: Instant::now(),
            content: &content,
        };
        ring.push(session, tapped);
    }

    const ASKED: &str = r#"{"seq":3,"type":"request","command":"evaluate","arguments":{"expression":"password=hunter2222"}}"#;
    const ANSWERED: &str =
        r#"{"seq":9,"type":"response","request_seq":3,"success":false,"command":"evaluate"}"#;

    #[test]
    fn what_is_read_has_its_envelope_and_no_secret() {
        let ring = Ring::default();
        push(&ring, 1, Direction::Sent, ASKED);
        push(&ring, 2, Direction::Received, ANSWERED);
        push(&ring, 1, Direction::Received, "{ no json");
        let redactor = Redactor::new();
        let read = ring.read(None, 0, 10, &redactor);
        assert_eq!((read.messages.len(), read.dropped), (3, 0));
        let asked = &read.messages[0];
        assert_eq!(
            (asked.kind.as_str(), asked.name.as_str(), asked.seq),
            ("request", "evaluate", 3)
        );
        assert!(
            asked.sent && !asked.text.contains("hunter2222"),
            "{asked:?}"
        );
        let answered = &read.messages[1];
        assert_eq!(
            (answered.request_seq, answered.success),
            (Some(3), Some(false))
        );
        assert_eq!(
            (
                read.messages[2].kind.as_str(),
                read.messages[2].text.as_str()
            ),
            ("", "{ no json")
        );
        let later = ring.read(Some(SessionId(1)), 1, 10, &redactor);
        assert_eq!(later.messages, read.messages[2..]);
    }

    #[test]
    fn the_oldest_go_and_are_counted() {
        let ring = Ring::default();
        for _ in 0..MOST_MESSAGES + 7 {
            push(&ring, 1, Direction::Sent, ASKED);
        }
        let read = ring.read(None, 0, usize::MAX, &Redactor::new());
        assert_eq!((read.messages.len(), read.dropped), (MOST_MESSAGES, 7));
        assert_eq!(read.messages[0].number, 8);
        let large = "x".repeat(MOST_BYTES / 4);
        for _ in 0..20 {
            push(&ring, 1, Direction::Received, &large);
        }
        let held: usize = lock(&ring.held)
            .messages
            .iter()
            .map(|m| m.content.len())
            .sum();
        assert!(held <= MOST_BYTES, "{held}");
        assert_eq!(lock(&ring.held).bytes, held);
    }

    #[test]
    fn the_last_stop_of_a_session_is_found_with_what_was_said_at_it() {
        let ring = Ring::default();
        let stop = r#"{"seq":7,"type":"event","event":"stopped","body":{"reason":"step"}}"#;
        push(&ring, 1, Direction::Received, stop);
        push(&ring, 1, Direction::Sent, ASKED);
        push(&ring, 1, Direction::Received, stop);
        push(&ring, 2, Direction::Received, stop);
        push(
            &ring,
            1,
            Direction::Sent,
            r#"{"seq":4,"type":"request","command":"\"stopped\""}"#,
        );
        let numbers: Vec<u64> = ring.since_stop(1).iter().map(|m| m.number).collect();
        assert_eq!(numbers, [3, 5]);
        assert!(ring.since_stop(3).is_empty());
    }
}
