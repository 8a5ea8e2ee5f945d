//! The conversation with an inspector: JSON messages over a web socket, each with a limit of time and size.
//!
//! Whoever answers is foreign: it may answer never, a byte at a time, with too much, or with what makes no sense. What is asked and what the
//! answers mean is left to [`super`]; the protocol is <https://chromedevtools.github.io/devtools-protocol/v8/>.

use std::net::TcpStream;

use serde_json::value::RawValue;
use tungstenite::{HandshakeError, Message, Utf8Bytes, WebSocket, protocol::WebSocketConfig};

use super::door::InspectorPort;
use crate::prelude::*;

/// Bytes of one message that are taken: a second of a very deep program is some megabytes.
const LARGEST: usize = 256 << 20;
/// How long it may take until words can be exchanged.
const GREETING: Duration = Duration::from_secs(5);
/// How long a word may take to leave.
const SENDING: Duration = Duration::from_secs(2);

/// Why there is no more to hear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Over {
    /// The other side has gone.
    Closed,
    /// A sentence.
    Broken(String),
}

/// What was said to us. Its parts are kept as they are written until somebody knows what they mean.
#[derive(Deserialize)]
pub struct InspectorMessage<'a> {
    /// The question that is answered.
    pub id: Option<u64>,
    /// What happened.
    pub method: Option<String>,
    /// More about what happened.
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
    /// The answer.
    #[serde(borrow)]
    pub result: Option<&'a RawValue>,
    /// Why there is none.
    pub error: Option<Fault>,
}

/// Why a question has no answer.
#[derive(Deserialize)]
pub struct Fault {
    #[serde(default)]
    message: String,
}

impl Fault {
    /// In its own words, without control characters and not too many.
    pub fn text(&self) -> String {
        short(&self.message)
    }
}

/// The beginning of foreign text.
fn short(text: &str) -> String {
    beginning(&sanitise(text), 200)
}

/// Reads a message; the error quotes it.
pub fn parse(text: &str) -> Result<InspectorMessage<'_>, Over> {
    serde_json::from_str(text).map_err(|error| {
        let head = beginning(&short(text), 60);
        Over::Broken(format!("it said {head:?}, which is no message: {error}"))
    })
}

/// A stream that gives up at a moment, however slowly its bytes come.
struct Until {
    stream: TcpStream,
    at: Instant,
}

impl Read for Until {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.at.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(into)
    }
}

impl Write for Until {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// A conversation.
pub struct Talk {
    socket: WebSocket<Until>,
    asked: u64,
}

impl Talk {
    /// Begins one; the error is a sentence.
    pub fn begin(door: &InspectorPort) -> Result<Self, String> {
        let at = Instant::now() + GREETING;
        let begun = || -> io::Result<Until> {
            let stream = TcpStream::connect_timeout(&door.address, GREETING)?;
            stream.set_write_timeout(Some(SENDING))?;
            stream.set_nodelay(true)?;
            Ok(Until { stream, at })
        };
        let stream =
            begun().map_err(|error| format!("{} does not answer: {error}", door.address))?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(LARGEST))
            .max_frame_size(Some(LARGEST))
            .write_buffer_size(0);
        let url = format!("ws://{}{}", door.address, door.path);
        match tungstenite::client::client_with_config(url.as_str(), stream, Some(config)) {
            Ok((socket, _)) => Ok(Self { socket, asked: 0 }),
            Err(HandshakeError::Interrupted(_)) => Err(format!(
                "{} did not answer within {} s",
                door.address,
                GREETING.as_secs()
            )),
            Err(HandshakeError::Failure(error)) => Err(format!(
                "{} does not speak as an inspector does: {}",
                door.address,
                short(&error.to_string())
            )),
        }
    }

    /// The number of a question that is about to be asked.
    pub fn number(&mut self) -> u64 {
        self.asked += 1;
        self.asked
    }

    /// Says something.
    pub fn say(&mut self, text: String) -> Result<(), Over> {
        self.socket
            .send(Message::text(text))
            .map_err(|error| over(&error))
    }

    /// What is said next, until that moment; nothing when that is over.
    pub fn hear(&mut self, until: Instant) -> Result<Option<Utf8Bytes>, Over> {
        self.socket.get_mut().at = until;
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Ok(Some(text)),
                Ok(Message::Close(_)) => return Err(Over::Closed),
                Ok(_) => {}
                Err(tungstenite::Error::Io(error))
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) =>
                {
                    return Ok(None);
                }
                Err(error) => return Err(over(&error)),
            }
            if Instant::now() >= until {
                return Ok(None);
            }
        }
    }

    /// Ends it in order.
    pub fn end(mut self) {
        const GOODBYE: Duration = Duration::from_millis(300);
        let until = Instant::now() + GOODBYE;
        // It may have gone already.
        if self.socket.close(None).is_ok() {
            while let Ok(Some(_)) = self.hear(until) {}
        }
    }
}

fn over(error: &tungstenite::Error) -> Over {
    use tungstenite::Error;
    use tungstenite::error::ProtocolError;
    match error {
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Io(_)
        | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => Over::Closed,
        Error::Capacity(_) => Over::Broken(format!(
            "it sent more than {} at once: look for a shorter time, or less often",
            amount::size(LARGEST as u64)
        )),
        other => Over::Broken(format!(
            "what it sends makes no sense: {}",
            short(&other.to_string())
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_and_nonsense_is_quoted() {
        let said = parse(r#"{"id":3,"result":{"a":[1]}}"#).ok().unwrap();
        assert_eq!(
            (said.id, said.result.unwrap().get()),
            (Some(3), r#"{"a":[1]}"#)
        );
        let said = parse(r#"{"method":"X.y","params":{}}"#).ok().unwrap();
        assert_eq!(said.method.as_deref(), Some("X.y"));
        let said = parse(r#"{"id":1,"error":{"code":-1,"message":"no \u001b[31m"}}"#)
            .ok()
            .unwrap();
        let text = said.error.unwrap().text();
        assert!(
            text.starts_with("no ") && !text.contains('\u{1b}'),
            "{text}"
        );
        for odd in ["", "7", "{\"id\":-1}", "hello \u{1b}[2J there"] {
            let Err(Over::Broken(why)) = parse(odd) else {
                panic!("{odd:?} is read");
            };
            assert!(
                why.contains("which is no message") && !why.contains('\u{1b}'),
                "{why}"
            );
        }
    }
}
