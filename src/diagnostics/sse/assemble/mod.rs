//! What the events of one response spell: text, thinking, calls of tools as their JSON grows, usage, the end's reason, and its timing.
//!
//! The shapes of four interfaces are known, each in a file of its own; which one it is shows in the events themselves. What does not
//! fit is counted, told with its reason, and stops nothing.

mod anthropic;
mod chat;
mod google;
mod responses;

use crate::sse::prelude::*;

/// A pause that is worth a mark, in milliseconds.
const STALL: i64 = 3000;
/// Most parts of a message, and most bytes of all of them.
const PARTS: usize = 1024;
const BYTES: usize = 32 * 1024 * 1024;
/// Most oddities and stalls that are told; all are counted.
const TOLD: usize = 50;

base::kinds! {
    /// An interface of a provider.
    pub enum Shape {
        /// Anthropic's messages.
        Anthropic = "anthropic",
        /// `OpenAI`'s chat completions, which many others speak.
        Chat = "openai-completions",
        /// `OpenAI`'s responses.
        Responses = "openai-responses",
        /// Google's `generateContent`.
        Google = "google",
    }
    /// A name for scripts.
    pub fn name(self) -> &'static str;
}

impl Shape {
    /// Whose event this is.
    fn of(value: &Value) -> Option<Self> {
        let kind = text(value, "type").unwrap_or("");
        if kind.starts_with("response.") {
            return Some(Self::Responses);
        }
        if kind.starts_with("message_") || kind.starts_with("content_block_") {
            return Some(Self::Anthropic);
        }
        if value.get("choices").is_some_and(Value::is_array) {
            return Some(Self::Chat);
        }
        let inner = value.get("response").unwrap_or(value);
        ["candidates", "usageMetadata", "promptFeedback"]
            .iter()
            .any(|name| inner.get(name).is_some())
            .then_some(Self::Google)
    }
}

/// What a part of a message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// What is said.
    Text,
    /// What is thought.
    Thinking,
    /// Why nothing is said.
    Refusal,
    /// A call of a tool; the part's text is the JSON of its arguments.
    Tool {
        /// The provider's name for the call.
        id: Option<String>,
        /// The tool.
        name: Option<String>,
    },
    /// Something else, by the provider's name for it.
    Other(String),
}

impl PartKind {
    /// A name for scripts.
    pub fn name(&self) -> &str {
        match self {
            Self::Text => "text",
            Self::Thinking => "thinking",
            Self::Refusal => "refusal",
            Self::Tool { .. } => "tool",
            Self::Other(name) => name,
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Tool { .. }, Self::Tool { .. })) || self == other
    }
}

/// Where in the message a part stands: the choice or output, and the place in it.
type PartPlace = (u64, u64);

/// A piece of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub kind: PartKind,
    /// What it says until now.
    pub text: String,
    place: PartPlace,
}

impl Part {
    /// A tool's arguments, once they are whole.
    pub fn arguments(&self) -> Result<Value, String> {
        if self.text.trim().is_empty() {
            return Ok(Value::Object(serde_json::Map::new()));
        }
        serde_json::from_str(&self.text).map_err(|error| error.to_string())
    }
}

/// Tokens, as far as they were told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Read.
    pub input: Option<u64>,
    /// Written.
    pub output: Option<u64>,
    pub cache_read: Option<u64>,
    /// Written into a cache.
    pub cache_write: Option<u64>,
    /// Thought.
    pub reasoning: Option<u64>,
}

/// No JSON pointer: an interface that does not tell a number.
const NOWHERE: &str = "-";

impl Usage {
    /// Takes what is told now, in the order of the members; `places` are JSON pointers into `value`.
    fn learn(&mut self, value: &Value, places: [&str; 5]) {
        let slots = [
            &mut self.input,
            &mut self.output,
            &mut self.cache_read,
            &mut self.cache_write,
            &mut self.reasoning,
        ];
        for (slot, place) in slots.into_iter().zip(places) {
            let told = value.pointer(place).and_then(Value::as_u64);
            *slot = told.or(*slot);
        }
    }
}

/// A pause inside of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stall {
    /// The event that ended it, counted from 1 in its response.
    pub event: u64,
    /// How long, in milliseconds.
    #[serde(rename = "ms")]
    pub length: i64,
}

/// When things came, in milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// When the response began.
    pub started: Option<i64>,
    /// The first frame.
    pub first_event: Option<i64>,
    /// The first piece of text, thinking or a call.
    pub first_token: Option<i64>,
    /// The last frame.
    pub last: Option<i64>,
    /// Pauses, the first ones.
    pub stalls: Vec<Stall>,
    pub stalled: u64,
}

/// One response, put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembly {
    /// Whose it is, once that is seen.
    pub shape: Option<Shape>,
    /// The provider's name for it.
    pub id: Option<String>,
    /// The model that answers.
    pub model: Option<String>,
    /// What it says.
    pub parts: Vec<Part>,
    /// Tokens.
    pub usage: Usage,
    /// Why it ended, in the provider's word.
    pub stop_reason: Option<String>,
    /// An error that the provider told, or why there is no more of it.
    pub error: Option<String>,
    /// Whether the provider said that this is all.
    pub finished: bool,
    /// When things came.
    pub timing: Timing,
    /// Events until now.
    pub events: u64,
    /// What did not fit, with the number of the event; the first ones.
    pub odd: Vec<(u64, String)>,
    /// How many did not fit.
    pub odd_count: u64,
    bytes: usize,
    full: bool,
}

impl Assembly {
    /// Of a response that began then.
    pub fn new(started: Option<i64>) -> Self {
        Self {
            timing: Timing {
                started,
                ..Timing::default()
            },
            ..Self::default()
        }
    }

    /// It ends here, and not as it should, if the provider did not say so already.
    pub fn fail(&mut self, why: &str) {
        if !self.finished {
            self.error.get_or_insert_with(|| why.to_owned());
        }
    }

    /// The next frame, and when it came.
    pub fn push(&mut self, event: &Event, time: Option<i64>) {
        self.push_read(event, event.json().as_ref(), time);
    }

    /// The same for a frame whose data were read already.
    pub(super) fn push_read(
        &mut self,
        event: &Event,
        json: Option<&serde_json::Result<Value>>,
        time: Option<i64>,
    ) {
        self.events += 1;
        self.mark(time);
        let Some(data) = event.data.as_deref() else {
            return;
        };
        if !event.complete {
            self.unexpected("the stream ended inside of it");
            return;
        }
        let data = data.trim();
        if data == "[DONE]" {
            self.finished = true;
            return;
        }
        let value = match json {
            Some(Ok(value)) => value,
            // Other streams than those of models have data of any sort.
            None => return,
            Some(Err(_)) if self.shape.is_none() => return,
            Some(Err(error)) => {
                self.unexpected(&format!("its data is no JSON: {error}"));
                return;
            }
        };
        let before = self.bytes;
        self.take(event.event_type(), value);
        if self.bytes > before && self.timing.first_token.is_none() {
            self.timing.first_token = time;
        }
    }

    fn take(&mut self, event: &str, value: &Value) {
        if self.shape.is_none() {
            self.shape = Shape::of(value);
        }
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            self.error = Some(error_text(error));
            return;
        }
        match self.shape {
            Some(Shape::Anthropic) => anthropic::take(self, value),
            Some(Shape::Chat) => chat::take(self, value),
            Some(Shape::Responses) => responses::take(self, value),
            Some(Shape::Google) => google::take(self, value),
            None if event == "error" => self.error = Some(error_text(value)),
            None => {}
        }
    }

    fn mark(&mut self, time: Option<i64>) {
        let Some(time) = time else { return };
        let timing = &mut self.timing;
        timing.first_event.get_or_insert(time);
        if let Some(last) = timing.last
            && time - last >= STALL
        {
            timing.stalled += 1;
            if timing.stalls.len() < TOLD {
                timing.stalls.push(Stall {
                    event: self.events,
                    length: time - last,
                });
            }
        }
        timing.last = Some(time);
    }

    /// Tokens in a second, from the first one to the end, when both are told.
    pub fn tokens_per_second(&self) -> Option<f64> {
        let span = self.timing.last? - self.timing.first_token?;
        let output = self.usage.output?;
        (span > 0).then(|| output as f64 * 1000.0 / span as f64)
    }

    fn unexpected(&mut self, reason: &str) {
        self.odd_count += 1;
        if self.odd.len() < TOLD {
            self.odd.push((self.events, reason.to_owned()));
        }
    }

    /// The part that stands there; a new one if there is none.
    fn part(&mut self, place: PartPlace, kind: PartKind) -> Option<&mut Part> {
        let found = self
            .parts
            .iter()
            .rposition(|part| part.place == place && part.kind.is_like(&kind));
        let at = match found {
            Some(at) => at,
            None if self.parts.len() < PARTS => {
                self.parts.push(Part {
                    kind,
                    text: String::new(),
                    place,
                });
                self.parts.len() - 1
            }
            None => {
                self.unexpected(&format!("the message has more than {PARTS} parts"));
                return None;
            }
        };
        self.parts.get_mut(at)
    }

    /// The part that stands there, whatever it is.
    fn kind_at(&self, place: PartPlace) -> Option<PartKind> {
        let part = self.parts.iter().rev().find(|part| part.place == place)?;
        Some(part.kind.clone())
    }

    /// More text of a part.
    fn add(&mut self, place: PartPlace, kind: PartKind, text: &str) {
        if self.bytes + text.len() > BYTES {
            if !self.full {
                self.full = true;
                self.unexpected(&format!("the message is longer than {BYTES} bytes"));
            }
            return;
        }
        if let Some(part) = self.part(place, kind) {
            part.text.push_str(text);
            self.bytes += text.len();
        }
    }

    /// What a call is named by, as soon as that is told.
    fn name_tool(&mut self, place: PartPlace, id: Option<&str>, name: Option<&str>) {
        if let Some(part) = self.part(place, tool())
            && let PartKind::Tool {
                id: known_id,
                name: known_name,
            } = &mut part.kind
        {
            for (known, told) in [(known_id, id), (known_name, name)] {
                if let Some(told) = told.filter(|told| !told.is_empty()) {
                    *known = Some(told.to_owned());
                }
            }
        }
    }

    fn identify(&mut self, value: &Value, id: &str, model: &str) {
        for (known, name) in [(&mut self.id, id), (&mut self.model, model)] {
            if let Some(told) = text(value, name) {
                *known = Some(told.to_owned());
            }
        }
    }
}

/// A new call without names.
fn tool() -> PartKind {
    PartKind::Tool {
        id: None,
        name: None,
    }
}

/// `overloaded_error: Overloaded`.
fn error_text(error: &Value) -> String {
    let message = text(error, "message");
    let kind = ["type", "code", "status"]
        .iter()
        .find_map(|name| text(error, name));
    match (kind, message) {
        (Some(kind), Some(message)) => format!("{kind}: {message}"),
        (None, Some(message)) => message.to_owned(),
        _ => error
            .as_str()
            .map_or_else(|| error.to_string(), str::to_owned),
    }
}
