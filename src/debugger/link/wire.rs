//! What goes over the socket: one JSON object a line.
//!
//! | client | host |
//! |---|---|
//! | `{"hello":{"protocol":4,"actor":{"kind":"agent","name":"…"},…}}`, first | `{"hello":{…}}`, first |
//! | `{"id":1,"command":{"pause":{…}}}`, with `"within_ms":5000` by someone with a deadline, `"expected_stop":7` by one who looked there | `{"id":1,"reply":{…}}` or `{"id":1,"error":{…}}` |
//! | `{"id":2,"call":{"action":"threads","arguments":{},"since":17}}` | `{"id":2,"result":{…}}` or `{"id":2,"error":{…}}` |
//! | `{"subscribe":{}}` | `{"state":{…}}`, then `{"event":{"seq":18,"kind":{…}}}` for all that follows |
//! | `{"cancel":2}` | `{"id":2,"error":{"kind":"cancelled",…}}` |
//! | anything else | `{"error":{…}}`, which says what was wrong |
//!
//! Before the host ends the connection it says why: `{"ended":"…"}`.

use base::text::{beginning, sanitise};
use serde_with_macros::skip_serializing_none;
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError};

use crate::{
    permission::{Actor, ActorKind, Caller, Mode},
    prelude::*,
};

/// Changes when an older peer could misread a line.
pub const PROTOCOL: u32 = 4;
/// Bytes of a line that a host takes: commands are small, but memory may be written in one.
pub const LONGEST_REQUEST: usize = 4 * 1024 * 1024;
/// Bytes of a line that a client takes: a state may hold much.
pub const LONGEST_ANSWER: usize = 256 * 1024 * 1024;
/// Characters of a line quoted back.
const QUOTED: usize = 200;

/// The first line in either direction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hello {
    /// See [`PROTOCOL`].
    pub protocol: u32,
    /// Which omp-debug speaks.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// Of a host: secrets in its programs' values may be told to anyone.
    pub tells_secrets: bool,
    /// Of a client: who it is.
    #[serde(flatten)]
    pub guest: Guest,
}

/// Who comes to a host. Its connection's number is the host's to give.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Guest {
    pub actor: Actor,
    /// The most that it wants to be allowed; the host's own mode may be lower, and then holds.
    pub mode: Option<Mode>,
    /// A person sits there who can answer what waits for consent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub answers: bool,
}

impl Guest {
    /// A person at a screen.
    pub fn person() -> Self {
        Self {
            answers: true,
            ..Self::default()
        }
    }

    /// What a person typed, or wrote into a script.
    pub fn script(mode: Option<Mode>) -> Self {
        Self {
            actor: Actor::new(ActorKind::Script, ""),
            mode,
            answers: false,
        }
    }

    /// A model's client.
    pub fn agent(name: &str, mode: Option<Mode>) -> Self {
        Self {
            actor: Actor::new(ActorKind::Agent, name),
            mode,
            answers: false,
        }
    }

    /// As its host takes it.
    pub(super) fn taken_in(&self, connection: u64) -> Caller {
        Caller {
            actor: Actor {
                connection,
                ..Actor::new(self.actor.kind, &self.actor.name)
            },
            mode: self.mode,
            expected_stop: None,
        }
    }
}

impl Hello {
    /// Ours.
    pub(super) fn own() -> Self {
        Self {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            tells_secrets: false,
            guest: Guest::default(),
        }
    }
}

/// One action of the debug tool, run by the host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Call {
    /// Its name.
    pub action: String,
    pub arguments: Map<String, Value>,
    /// Tell what happened after the event with this number; none = since the call began.
    pub since: Option<u64>,
    /// The stop that the caller looked at; what would move the program from another one is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_stop: Option<StopId>,
}

/// A client's line, as it is written.
#[skip_serializing_none]
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequestLine {
    pub id: Option<u64>,
    pub hello: Option<Hello>,
    pub command: Option<Box<Command>>,
    pub within_ms: Option<u64>,
    pub expected_stop: Option<StopId>,
    pub call: Option<Call>,
    pub subscribe: Option<Subscribe>,
    pub cancel: Option<u64>,
}

/// No choices yet.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subscribe {}

/// A line that cannot be meant.
#[derive(Debug)]
pub struct Refused {
    /// Of the request, when it could be read.
    pub id: Option<u64>,
    pub error: DebuggerError,
}

impl RequestLine {
    /// Reads a client's line: it asks for one thing, with a number where that is to be answered.
    pub fn read(line: &[u8]) -> Result<Self, Refused> {
        let refuse = |id, what: String| {
            Refused {
            id,
            error: DebuggerError::usage(format!("{what} In: {}", quote(line)))
                .hint("each line is one JSON object with `hello`, `command`, `call`, `subscribe` or `cancel`"),
        }
        };
        let read: Self = serde_json::from_slice(line).map_err(|error| {
            #[derive(Deserialize)]
            struct Id {
                id: Option<u64>,
            }
            let id = serde_json::from_slice::<Id>(line).ok().and_then(|l| l.id);
            refuse(id, format!("This is not a request: {error}."))
        })?;
        let held: Vec<&str> = [
            ("hello", read.hello.is_some()),
            ("command", read.command.is_some()),
            ("call", read.call.is_some()),
            ("subscribe", read.subscribe.is_some()),
            ("cancel", read.cancel.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, is_there)| is_there.then_some(name))
        .collect();
        let [asked] = held.as_slice() else {
            let found = if held.is_empty() {
                "nothing".to_owned()
            } else {
                held.join(" and ")
            };
            return Err(refuse(
                read.id,
                format!("A request asks for one thing, this one for {found}."),
            ));
        };
        if read.id.is_none() && matches!(*asked, "command" | "call") {
            return Err(refuse(None, "A request needs an `id`.".to_owned()));
        }
        Ok(read)
    }
}

/// What a host says of itself.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostMessage<'a> {
    Hello(&'a Hello),
    State(&'a State),
    Event(&'a Event),
    Error(&'a DebuggerError),
    Ended(&'a str),
}

/// What a host answers.
#[derive(Debug, Serialize)]
pub struct Answer {
    pub id: u64,
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// See [`Answer`].
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Reply(Reply),
    Result(Value),
    Error(DebuggerError),
}

/// A host's line, as it is read. Fields that we do not know are a newer host's, and left alone.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct HostLine {
    pub id: Option<u64>,
    pub hello: Option<Hello>,
    pub reply: Option<Reply>,
    pub result: Option<Value>,
    pub error: Option<DebuggerError>,
    pub state: Option<Box<State>>,
    pub event: Option<Box<Event>>,
    pub ended: Option<String>,
}

/// A line as bytes, its end included.
pub fn line(what: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    Ok(line)
}

/// Splits what is read into lines; no more than `longest` bytes are held.
pub fn codec(longest: usize) -> AnyDelimiterCodec {
    AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), b"\n".to_vec(), longest)
}

/// Why no line could be had, in one sentence.
pub fn unreadable(error: &AnyDelimiterCodecError, longest: usize) -> String {
    match error {
        AnyDelimiterCodecError::MaxChunkLengthExceeded => {
            format!("A line is longer than {longest} bytes; the connection ends here.")
        }
        AnyDelimiterCodecError::Io(error) => format!("The connection cannot be read: {error}."),
    }
}

/// The beginning of a foreign line, fit to be shown.
pub fn quote(line: &[u8]) -> String {
    beginning(&sanitise::lossy(line), QUOTED)
}
