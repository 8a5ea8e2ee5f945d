//! What is kept of a stream: responses and their events.

use super::{
    parser::{Frame, Parser},
    trim,
};
use crate::prelude::*;

/// An answer over HTTP, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// Counts the responses of one source, from 1.
    #[serde(skip)]
    pub number: u64,
    /// When the request was sent or the response began, in milliseconds since 1970.
    #[serde(skip)]
    pub started: Option<i64>,
    /// Milliseconds from the request to the first byte.
    #[serde(rename = "first_byte_ms")]
    pub first_byte: Option<i64>,
    /// What was asked for: the method and the URL.
    pub request: Option<String>,
    /// The request's headers, in their order, where they are known.
    #[serde(default)]
    pub request_headers: Vec<(String, String)>,
    /// How many bytes of a body the request had when the response began, where that is known.
    pub request_bytes: Option<u64>,
    pub status: Option<u16>,
    /// The headers, in their order.
    pub headers: Vec<(String, String)>,
    /// Who answered, by omp's name.
    pub provider: Option<String>,
    /// The model that was asked.
    pub model: Option<String>,
    /// The interface that was spoken, by omp's name.
    pub api: Option<String>,
    /// The provider's name for the request.
    pub request_id: Option<String>,
    /// What carried it, by omp's name.
    pub transport: Option<String>,
}

impl Response {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The media type without its parameters, in small letters.
    pub fn content_type(&self) -> Option<String> {
        let value = self.header("content-type")?;
        let bare = value.split(';').next().unwrap_or(value);
        Some(bare.trim().to_ascii_lowercase())
    }

    /// As omp writes it into `raw-sse.txt`: one comment.
    pub fn to_comment(&self) -> String {
        let mut line = ": omp-response".to_owned();
        let time = crate::logs::stamp(self.started);
        let status = self.status.map(|status| status.to_string());
        for (name, value) in [
            ("ts", &time),
            ("status", &status),
            ("provider", &self.provider),
            ("model", &self.model),
            ("api", &self.api),
            ("requestId", &self.request_id),
            ("transport", &self.transport),
        ] {
            if let Some(value) = value {
                // Writing to a String cannot fail.
                let _ = write!(line, " {name}={value}");
            }
        }
        line
    }
}

/// One frame of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its bytes with the ends of its lines, without the empty line behind it.
    #[serde(skip)]
    pub raw: Vec<u8>,
    /// The `event` field.
    pub event: Option<String>,
    /// All `data` fields, joined; without it the frame is no event (a comment, a lone id).
    pub data: Option<String>,
    /// The `id` field.
    pub id: Option<String>,
    /// What a client would send as `Last-Event-ID` afterwards.
    #[serde(default)]
    pub last_id: String,
    /// The `retry` field, in milliseconds.
    pub retry: Option<u64>,
    /// Whether its end came; clients drop it otherwise.
    pub complete: bool,
    /// Its length in characters, when not all of them are here.
    pub original_chars: Option<u64>,
}

impl Event {
    /// All events of a stream that is there as a whole.
    pub(super) fn all_of(stream: &[u8], sink: &mut dyn FnMut(Self)) {
        let mut parser = Parser::default();
        parser.push(stream, &mut |frame| sink(Self::of(frame)));
        parser.finish(&mut |frame| sink(Self::of(frame)));
    }

    /// Keeps a frame.
    pub fn of(frame: Frame<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let told = trim::told(frame.raw);
        Self {
            raw: frame.raw.to_vec(),
            event: frame.event.map(text),
            data: frame.data.map(text),
            id: frame.id.map(text),
            last_id: text(frame.last_id),
            retry: frame.retry,
            complete: frame.complete,
            original_chars: told.or_else(|| frame.cut_from.map(|length| length as u64)),
        }
    }

    /// Leaves out what is too much, if it is longer than an event may be.
    pub fn trim(&mut self) {
        let Some((text, length)) = trim::event(&self.text()) else {
            return;
        };
        // What the frame said stays, only its data is what is left of it.
        let mut parser = Parser::default();
        parser.push(text.as_bytes(), &mut |_| {});
        let mut data = None;
        parser.finish(&mut |frame| {
            data = frame.data.map(|d| String::from_utf8_lossy(d).into_owned());
        });
        self.data = data;
        self.raw = text.into_bytes();
        self.original_chars = Some(self.original_chars.unwrap_or(length).max(length));
    }

    /// Its lines as text.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.raw)
    }

    /// Its data read as JSON; nothing when there are none, or none that could be any.
    pub fn json(&self) -> Option<serde_json::Result<Value>> {
        let data = self.data.as_deref()?.trim();
        (!data.is_empty() && data != "[DONE]").then(|| serde_json::from_str(data))
    }

    /// The type as a client sees it.
    pub fn event_type(&self) -> &str {
        match self.event.as_deref() {
            Some("") | None => "message",
            Some(name) => name,
        }
    }
}

/// Something that stands where a stream was expected: an error's JSON, a page, a line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreign {
    /// What it says.
    pub text: String,
    /// Why it is no event.
    pub reason: String,
    /// Its length in characters, when not all of them are here.
    pub original_chars: Option<u64>,
}

impl Foreign {
    /// All of something, and why it is foreign.
    pub(super) fn new(text: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            reason: reason.into(),
            original_chars: None,
        }
    }

    /// Leaves out what is too much, if it is longer than an event may be.
    pub fn trim(&mut self) {
        if let Some((text, length)) = trim::foreign(&self.text) {
            self.text = text;
            self.original_chars = Some(self.original_chars.unwrap_or(length).max(length));
        }
    }
}

/// What a record holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// The response begins.
    Response,
    /// A frame.
    Event(Event),
    /// What is none.
    Foreign(Foreign),
}

/// One of the things that came, numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Counts all records, from 1.
    pub sequence: u64,
    /// When it came, in milliseconds since 1970, where that is known.
    pub time: Option<i64>,
    /// What it belongs to.
    pub response: Arc<Response>,
    /// What came.
    pub what: RecordKind,
}

impl Record {
    /// Its lines, as they stand in `raw-sse.txt`.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.what {
            RecordKind::Response => Cow::Owned(self.response.to_comment()),
            RecordKind::Event(event) => event.text(),
            RecordKind::Foreign(foreign) => Cow::Borrowed(&foreign.text),
        }
    }

    /// What it counts for: UTF-16 units, one for each end of a line, and one for the record.
    pub fn chars(&self) -> usize {
        trim::chars(&self.text()) + 1
    }
}
