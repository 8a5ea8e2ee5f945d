//! Takes out secrets that come in several events: half in one delta, half in the next.
//!
//! The texts that deltas spell are redacted as texts, and each event gets its part back. An event whose text may end in the middle of a
//! secret waits for the next ones, and those behind it wait with it, so that their order stays.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;

use serde_json::Value;

use crate::text::redact::{Pieces, Redactor};

use super::record::Event;

/// Most texts of one response that are followed at once.
const TEXTS: usize = 256;

/// The events of one response.
#[derive(Debug, Default)]
pub(super) struct Seam {
    texts: HashMap<String, Pieces>,
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    event: Event,
    time: Option<i64>,
    deltas: Vec<Delta>,
}

/// A piece of a text in an event.
#[derive(Debug)]
struct Delta {
    /// Which text it belongs to.
    text: String,
    /// Where in the event's JSON it is.
    pointer: String,
    piece: String,
    /// What is left of it, once that is known.
    clean: Option<String>,
}

impl Seam {
    /// Takes an event, and hands out those that are decided.
    pub(super) fn push(
        &mut self,
        event: Event,
        time: Option<i64>,
        redactor: &Redactor,
        sink: &mut dyn FnMut(Event, Option<i64>),
    ) {
        let deltas = event.data.as_deref().map(deltas).unwrap_or_default();
        if deltas.is_empty() && self.waiting.is_empty() {
            sink(event, time);
            return;
        }
        let pieces: Vec<(String, String)> = deltas
            .iter()
            .map(|delta| (delta.text.clone(), delta.piece.clone()))
            .collect();
        self.waiting.push_back(Waiting {
            event,
            time,
            deltas,
        });
        for (text, piece) in pieces {
            if self.texts.len() >= TEXTS && !self.texts.contains_key(&text) {
                self.settle(redactor, sink);
            }
            let pieces = self
                .texts
                .entry(text.clone())
                .or_insert_with(|| redactor.pieces());
            let decided = pieces.push(&piece);
            self.fill(&text, decided);
        }
        self.release(redactor, sink);
    }

    /// Whether an event waits.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Nothing came for a while, or nothing will: hands out all that wait.
    pub(super) fn settle(&mut self, redactor: &Redactor, sink: &mut dyn FnMut(Event, Option<i64>)) {
        let texts: Vec<String> = self.texts.keys().cloned().collect();
        for text in texts {
            let decided = self.texts.get_mut(&text).map(Pieces::settle);
            self.fill(&text, decided.unwrap_or_default());
        }
        if self.texts.len() >= TEXTS {
            self.texts.clear();
        }
        self.release(redactor, sink);
    }

    /// Pieces are decided in the order in which they came.
    fn fill(&mut self, text: &str, decided: Vec<String>) {
        let mut open = self
            .waiting
            .iter_mut()
            .flat_map(|waiting| &mut waiting.deltas)
            .filter(|delta| delta.text == text && delta.clean.is_none());
        for clean in decided {
            if let Some(delta) = open.next() {
                delta.clean = Some(clean);
            }
        }
    }

    fn release(&mut self, redactor: &Redactor, sink: &mut dyn FnMut(Event, Option<i64>)) {
        while let Some(first) = self.waiting.front() {
            if first.deltas.iter().any(|delta| delta.clean.is_none()) {
                return;
            }
            let Some(Waiting {
                mut event,
                time,
                deltas,
            }) = self.waiting.pop_front()
            else {
                return;
            };
            if deltas
                .iter()
                .any(|delta| delta.clean.as_ref() != Some(&delta.piece))
            {
                replace(&mut event, &deltas, redactor);
            }
            sink(event, time);
        }
    }
}

/// Puts what is left of the pieces where they were.
fn replace(event: &mut Event, deltas: &[Delta], redactor: &Redactor) {
    let Some(Ok(mut value)) = event.data.as_deref().map(serde_json::from_str::<Value>) else {
        return;
    };
    for delta in deltas {
        if let (Some(slot), Some(clean)) = (value.pointer_mut(&delta.pointer), &delta.clean) {
            *slot = Value::String(clean.clone());
        }
    }
    event.set_data(value.to_string(), redactor);
}

/// The pieces of texts in an event, by the shapes of the interfaces that are known.
fn deltas(data: &str) -> Vec<Delta> {
    // Most that is no delta is seen to be none before it is read.
    if !["delta", "choices", "candidates"]
        .iter()
        .any(|name| data.contains(name))
    {
        return Vec::new();
    }
    let Ok(value) = serde_json::from_str::<Value>(data) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut add = |pointer: String, text: String| {
        if let Some(piece) = value.pointer(&pointer).and_then(Value::as_str) {
            found.push(Delta {
                text,
                piece: piece.to_owned(),
                pointer,
                clean: None,
            });
        }
    };
    let number = |pointer: &str, otherwise: usize| {
        let told = value.pointer(pointer).and_then(Value::as_u64);
        told.unwrap_or(otherwise as u64)
    };
    let length = |pointer: &str| {
        let list = value.pointer(pointer).and_then(Value::as_array);
        list.map_or(0, Vec::len)
    };
    // Anthropic's, and OpenAI's responses, where the delta is the text.
    let kind = value.get("type").and_then(Value::as_str).unwrap_or("");
    let place = format!(
        "{kind} {} {}",
        number("/output_index", 0),
        number("/index", number("/content_index", 0) as usize)
    );
    add("/delta".to_owned(), place.clone());
    for member in ["text", "thinking", "partial_json"] {
        add(format!("/delta/{member}"), format!("{place} {member}"));
    }
    for at in 0..length("/choices") {
        let choice = format!("/choices/{at}");
        let index = number(&format!("{choice}/index"), at);
        add(format!("{choice}/text"), format!("{index} text"));
        for member in ["content", "reasoning_content", "reasoning", "refusal"] {
            add(
                format!("{choice}/delta/{member}"),
                format!("{index} {member}"),
            );
        }
        for call in 0..length(&format!("{choice}/delta/tool_calls")) {
            let call_at = format!("{choice}/delta/tool_calls/{call}");
            let place = number(&format!("{call_at}/index"), call);
            let arguments = format!("{call_at}/function/arguments");
            add(arguments, format!("{index} call {place}"));
        }
    }
    for outer in ["", "/response"] {
        for at in 0..length(&format!("{outer}/candidates")) {
            let parts = format!("{outer}/candidates/{at}/content/parts");
            for part in 0..length(&parts) {
                let mut text = format!("{at} part");
                let thought = value.pointer(&format!("{parts}/{part}/thought"));
                if thought.is_some() {
                    // Writing to a String cannot fail.
                    let _ = write!(text, " thought");
                }
                add(format!("{parts}/{part}/text"), text);
            }
        }
    }
    found
}
