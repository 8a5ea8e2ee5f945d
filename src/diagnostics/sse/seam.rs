//! Takes out secrets that come in several events: half in one delta, half in the next.
//!
//! The texts that deltas spell are redacted as texts, and each event gets its part back. An event whose text may end in the middle of a
//! secret waits for the next ones, and those behind it wait with it, so that their order stays.

use std::fmt::Arguments;

use base::text::redact::Pieces;

use crate::sse::prelude::*;

/// Most texts of one response that are followed at once.
const TEXTS: usize = 256;

/// The events of one response.
#[derive(Debug, Default)]
pub struct Seam {
    texts: HashMap<String, Pieces>,
    waiting: VecDeque<WaitingEvent>,
}

#[derive(Debug)]
struct WaitingEvent {
    event: Event,
    time: Option<i64>,
    deltas: Vec<Delta>,
}

/// A piece of a text in an event.
#[derive(Debug)]
struct Delta {
    /// Which text it belongs to.
    text: String,
    piece: String,
    /// What is left of it, once that is known.
    clean: Option<String>,
}

impl Seam {
    /// Takes an event and its data, if they are JSON.
    pub fn push(
        &mut self,
        event: Event,
        data: Option<&Value>,
        time: Option<i64>,
        redactor: &Redactor,
    ) {
        let mut pieces: Vec<(String, String)> = Vec::new();
        if let Some(data) = data {
            each_delta(data, &mut |text, _, piece| {
                pieces.push((text.to_string(), piece.to_owned()));
            });
        }
        let delta = |(text, piece): &(String, String)| Delta {
            text: text.clone(),
            piece: piece.clone(),
            clean: None,
        };
        self.waiting.push_back(WaitingEvent {
            event,
            time,
            deltas: pieces.iter().map(delta).collect(),
        });
        for (text, piece) in pieces {
            if self.texts.len() >= TEXTS && !self.texts.contains_key(&text) {
                self.settle();
            }
            let known = self.texts.entry(text.clone());
            let decided = known.or_insert_with(|| redactor.pieces()).push(&piece);
            self.fill(&text, decided);
        }
    }

    /// Whether an event waits.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Nothing came for a while, or nothing will: all that wait are decided.
    pub fn settle(&mut self) {
        let texts: Vec<String> = self.texts.keys().cloned().collect();
        for text in texts {
            let decided = self.texts.get_mut(&text).map(Pieces::settle);
            self.fill(&text, decided.unwrap_or_default());
        }
        if self.texts.len() >= TEXTS {
            self.texts.clear();
        }
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

    /// Hands out the next event, if it is decided.
    pub fn next(&mut self, redactor: &Redactor) -> Option<(Event, Option<i64>)> {
        let is_decided = |delta: &Delta| delta.clean.is_some();
        let decided = |first: &mut WaitingEvent| first.deltas.iter().all(is_decided);
        let mut next = self.waiting.pop_front_if(decided)?;
        let is_left = |delta: &Delta| delta.clean.as_ref() == Some(&delta.piece);
        if !next.deltas.iter().all(is_left) {
            replace(&mut next.event, &next.deltas, redactor);
        }
        Some((next.event, next.time))
    }
}

/// Puts what is left of the pieces where they were.
fn replace(event: &mut Event, deltas: &[Delta], redactor: &Redactor) {
    let Some(Ok(mut value)) = event.json() else {
        return;
    };
    let mut places = Vec::with_capacity(deltas.len());
    each_delta(&value, &mut |_, pointer, _| {
        places.push(pointer.to_string());
    });
    for (pointer, delta) in places.iter().zip(deltas) {
        if let (Some(slot), Some(clean)) = (value.pointer_mut(pointer), &delta.clean) {
            *slot = Value::String(clean.clone());
        }
    }
    event.set_data(value.to_string(), redactor);
}

/// The pieces of texts in an event, by the shapes of the interfaces that are known: to which text each belongs, its JSON pointer,
/// and what it says. Names and pointers are spelled by whoever wants them: most events have one piece.
fn each_delta(value: &Value, found: &mut dyn FnMut(Arguments<'_>, Arguments<'_>, &str)) {
    let mut tell = |piece: Option<&Value>, text: Arguments<'_>, place: Arguments<'_>| {
        if let Some(piece) = piece.and_then(Value::as_str) {
            found(text, place, piece);
        }
    };
    // Anthropic's, and OpenAI's responses, where the delta is the text.
    if let Some(delta) = value.get("delta") {
        let kind = text(value, "type").unwrap_or("");
        let output = number(value, "output_index").unwrap_or(0);
        let index = number(value, "index")
            .or_else(|| number(value, "content_index"))
            .unwrap_or(0);
        let whose = format_args!("{kind} {output} {index}");
        tell(Some(delta), whose, format_args!("/delta"));
        for name in ["text", "thinking", "partial_json"] {
            let place = format_args!("/delta/{name}");
            tell(delta.get(name), format_args!("{whose} {name}"), place);
        }
    }
    for (at, choice) in list(value.get("choices")) {
        let index = number(choice, "index").unwrap_or(at as u64);
        let place = format_args!("/choices/{at}/text");
        tell(choice.get("text"), format_args!("{index} text"), place);
        let Some(delta) = choice.get("delta") else {
            continue;
        };
        for name in ["content", "reasoning_content", "reasoning", "refusal"] {
            let place = format_args!("/choices/{at}/delta/{name}");
            tell(delta.get(name), format_args!("{index} {name}"), place);
        }
        for (call_at, call) in list(delta.get("tool_calls")) {
            let called = number(call, "index").unwrap_or(call_at as u64);
            tell(
                call.pointer("/function/arguments"),
                format_args!("{index} call {called}"),
                format_args!("/choices/{at}/delta/tool_calls/{call_at}/function/arguments"),
            );
        }
    }
    for (outer, value) in [("", Some(value)), ("/response", value.get("response"))] {
        for (at, candidate) in list(value.and_then(|value| value.get("candidates"))) {
            for (part_at, part) in list(candidate.pointer("/content/parts")) {
                let thought = part.get("thought").map_or("", |_| " thought");
                tell(
                    part.get("text"),
                    format_args!("{at} part{thought}"),
                    format_args!("{outer}/candidates/{at}/content/parts/{part_at}/text"),
                );
            }
        }
    }
}

fn list(value: Option<&Value>) -> impl Iterator<Item = (usize, &Value)> {
    value
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
}
