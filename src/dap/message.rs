//! The envelope: what every message has in common.
//!
//! One pass reads the envelope; bodies stay as the text they came in, so that a protocol log can show them and whoever
//! cares can type them later. What is inside a body is left to [`crate::types`], cutting messages out of a stream
//! to [`crate::codec`].

use std::{borrow::Cow, collections::BTreeMap};

use bytes::Bytes;
use serde::{
    Deserialize, Serialize, Serializer,
    de::{DeserializeOwned, Deserializer},
};
use serde_json::{Value, value::RawValue};

use super::{
    tolerant::{Tolerant, record},
    types,
};

/// How much of a foreign text an error quotes, in characters.
const QUOTED: usize = 200;

/// How the text of a failure ends for which an adapter gave no reason.
pub const WITHOUT_REASON: &str = " without saying why";

/// A message body, as it was written.
#[derive(Clone, Debug, Default)]
pub struct Body(Option<Box<RawValue>>);

impl Body {
    /// The text of the body, `null` when there is none.
    pub fn raw(&self) -> &str {
        self.0.as_deref().map_or("null", RawValue::get)
    }

    /// Reads the body as a `T`; a type of [`crate::types`] reads an absent body as its default.
    /// The error says what is wrong, and quotes the beginning of what came instead.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, String> {
        parse_forgiving(self.raw()).map_err(|error| {
            let wanted = std::any::type_name::<T>().rsplit("::").next();
            format!(
                "the adapter's {} cannot be read: {error}; it sent {}",
                wanted.unwrap_or_default(),
                quote(self.raw())
            )
        })
    }

    /// The body as a tree; `null` when it cannot be one (nested deeper than 127 levels).
    pub fn value(&self) -> Value {
        parse_forgiving(self.raw()).unwrap_or_default()
    }

    /// A body of our own making; `null` is an absent body.
    pub fn from_value(value: &Value) -> Self {
        Self(
            serde_json::value::to_raw_value(value)
                .ok()
                .filter(|_| !value.is_null()),
        )
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw()
    }
}

impl Tolerant for Body {
    fn tolerant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok((raw.get() != "null").then_some(Self(Some(raw))))
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// One message in either direction.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A question; from an adapter it is a reverse request.
    Request(Request),
    /// The answer to a request.
    Response(Response),
    /// News.
    Event(Event),
}

/// A question of one side to the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The sender's number for this message; some adapters write 0 everywhere.
    pub seq: i64,
    /// What is asked.
    pub command: String,
    pub arguments: Body,
}

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// The sender's number for this message; some adapters write 0 everywhere.
    pub seq: i64,
    /// The `seq` of the request that this answers.
    pub request_seq: i64,
    /// Whether it worked.
    pub success: bool,
    /// The command of the request, as far as the adapter repeats it.
    pub command: String,
    /// The short reason of a failure.
    pub message: Option<String>,
    /// The result, or the structured error of a failure.
    pub body: Body,
}

/// News from the adapter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// The sender's number for this message; some adapters write 0 everywhere.
    pub seq: i64,
    /// What happened.
    pub event: String,
    /// The details.
    pub body: Body,
}

record! {
    /// Every field that any kind of message may have.
    Envelope {
        /// See [`Message`].
        seq: i64,
        /// `request`, `response` or `event`.
        kind: Option<String> = "type",
        /// See [`Request`].
        command: Option<String>,
        /// See [`Request`].
        arguments: Body,
        /// See [`Response`].
        request_seq: Option<i64> = "request_seq",
        /// See [`Response`].
        success: Option<bool>,
        /// See [`Response`].
        message: Option<String>,
        /// See [`Event`].
        event: Option<String>,
        /// See [`Response`] and [`Event`].
        body: Body,
    }

    /// The body of a failed response.
    ErrorBody {
        /// The structured reason.
        error: Option<types::Message>,
    }
}

impl Message {
    /// Reads one message from the content of one frame; the stream after one that cannot be understood can.
    pub fn parse(content: &[u8]) -> Result<Self, String> {
        // Text that is not UTF-8 comes from programs printing bytes; losing a character is better than a message.
        let text = String::from_utf8_lossy(content);
        let text = text.trim_start_matches('\u{feff}');
        let wrong = |why: &str| {
            format!(
                "a message from the adapter cannot be read: {why}; it sent {}",
                quote(text)
            )
        };
        if !text.trim_start().starts_with('{') {
            return Err(wrong("it is not a JSON object"));
        }
        let envelope: Envelope =
            parse_forgiving(text).map_err(|error| wrong(&error.to_string()))?;
        envelope.into_message().map_err(wrong)
    }
}

impl Envelope {
    fn into_message(self) -> Result<Message, &'static str> {
        let kind = match self.kind.as_deref() {
            Some(kind) => kind,
            // The fields tell the kinds apart as well as the type does.
            None if self.request_seq.is_some() => "response",
            None if self.event.is_some() => "event",
            None if self.command.is_some() => "request",
            None => return Err("it has no `type`"),
        };
        match kind {
            "request" => Ok(Message::Request(Request {
                seq: self.seq,
                command: self
                    .command
                    .filter(|command| !command.is_empty())
                    .ok_or("a request without `command`")?,
                arguments: self.arguments,
            })),
            "response" => Ok(Message::Response(Response {
                seq: self.seq,
                request_seq: self.request_seq.ok_or("a response without `request_seq`")?,
                success: self.success.unwrap_or_else(|| self.message.is_none()),
                command: self.command.unwrap_or_default(),
                message: self.message,
                body: self.body,
            })),
            "event" => Ok(Message::Event(Event {
                seq: self.seq,
                event: self
                    .event
                    .filter(|event| !event.is_empty())
                    .ok_or("an event without `event`")?,
                body: self.body,
            })),
            _ => Err("its `type` is none of request, response and event"),
        }
    }
}

impl Response {
    /// Why the request failed, in the adapter's words: `message`, the structured error, or both when they differ.
    pub fn error_text(&self) -> String {
        let short = self.message.as_deref().map(str::trim).unwrap_or_default();
        let error = self
            .body
            .parse::<ErrorBody>()
            .ok()
            .and_then(|body| body.error);
        let long = error
            .map(|error| fill_template(&error.format, error.variables.as_ref()))
            .unwrap_or_default();
        let long = long.trim();
        if long.contains(short) && !long.is_empty() {
            long.to_owned()
        } else if short.contains(long) && !short.is_empty() {
            short.to_owned()
        } else if short.is_empty() {
            format!("the adapter refused {}{WITHOUT_REASON}", self.command)
        } else {
            format!("{short}: {long}")
        }
    }
}

/// Puts `variables` into the `{name}` places of a format; places without a value stay as they are.
fn fill_template(format: &str, variables: Option<&BTreeMap<String, String>>) -> String {
    let Some(variables) = variables else {
        return format.to_owned();
    };
    let mut filled = String::with_capacity(format.len());
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let place = after
            .split_once('}')
            .and_then(|(name, tail)| Some((variables.get(name)?, tail)));
        if let Some((value, tail)) = place {
            filled.push_str(value);
            rest = tail;
        } else {
            filled.push('{');
            rest = after;
        }
    }
    filled.push_str(rest);
    filled
}

#[derive(Serialize)]
struct RequestFrame<'a, A> {
    seq: i64,
    r#type: &'static str,
    command: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a A>,
}

/// The content of a request frame; arguments that write themselves as `null` are left out.
pub(super) fn encode_request<A: Serialize>(
    seq: i64,
    command: &str,
    arguments: &A,
) -> serde_json::Result<Bytes> {
    let raw = serde_json::value::to_raw_value(arguments)?;
    let arguments = (raw.get() != "null").then_some(&raw);
    serde_json::to_vec(&RequestFrame {
        seq,
        r#type: "request",
        command,
        arguments,
    })
    .map(Bytes::from)
}

/// The content of the response frame to a reverse request.
pub(super) fn encode_response(
    seq: i64,
    request_seq: i64,
    command: &str,
    result: Result<Value, String>,
) -> Bytes {
    let mut frame = serde_json::json!({
        "seq": seq,
        "type": "response",
        "request_seq": request_seq,
        "command": command,
        "success": result.is_ok(),
    });
    match result {
        Ok(Value::Null) => {}
        Ok(body) => insert(&mut frame, "body", body),
        Err(text) => {
            // The text is no template of ours: its braces must survive a client that fills templates in.
            let error = serde_json::json!({"id": 1, "format": "{text}", "variables": {"text": &text}, "showUser": true});
            insert(&mut frame, "body", serde_json::json!({"error": error}));
            insert(&mut frame, "message", Value::String(text));
        }
    }
    Bytes::from(frame.to_string())
}

fn insert(frame: &mut Value, key: &str, value: Value) {
    if let Some(map) = frame.as_object_mut() {
        map.insert(key.to_owned(), value);
    }
}

/// Parses JSON; half surrogate pairs, which JavaScript programs can print and JSON cannot mean, become U+FFFD. From bytes, as all that
/// the debugger reads: for texts `serde_json` has a reader of its own, with which every type would be compiled once more.
fn parse_forgiving<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_slice(text.as_bytes()).or_else(|error| match repair_surrogates(text) {
        Cow::Owned(repaired) => serde_json::from_slice(repaired.as_bytes()),
        Cow::Borrowed(_) => Err(error),
    })
}

/// Replaces `\uD800`..`\uDFFF` escapes that have no partner.
fn repair_surrogates(text: &str) -> Cow<'_, str> {
    let mut repaired = String::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        repaired.push_str(before);
        repaired.push('\\');
        match (
            unit(escape),
            escape
                .get(5..)
                .and_then(|tail| unit(tail.strip_prefix('\\')?)),
        ) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => {
                let (pair, tail) = escape.split_at_checked(11).unwrap_or((escape, ""));
                repaired.push_str(pair);
                rest = tail;
            }
            (Some(0xD800..=0xDFFF), _) => {
                repaired.push_str("ufffd");
                rest = escape.get(5..).unwrap_or_default();
            }
            _ => {
                // The escaped character goes along, so that an escaped backslash does not start an escape.
                let next = escape.chars().next().map_or(0, char::len_utf8);
                let (escaped, tail) = escape.split_at_checked(next).unwrap_or((escape, ""));
                repaired.push_str(escaped);
                rest = tail;
            }
        }
    }
    repaired.push_str(rest);
    if repaired == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(repaired)
    }
}

/// The code unit of an escape that begins here, without its backslash.
fn unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix('u')?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

/// The beginning of a foreign text, for an error sentence.
pub(super) fn quote(text: &str) -> String {
    let mut characters = text.chars();
    let head: String = characters.by_ref().take(QUOTED).collect();
    let more = if characters.next().is_some() {
        "…"
    } else {
        ""
    };
    format!("`{head}{more}`")
}

#[cfg(test)]
mod tests;
