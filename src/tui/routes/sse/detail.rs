//! One frame, one message, one request as lines to read.
//!
//! All of it is redacted before it comes here, but for a message, whose secrets may lie in pieces: [`message`] takes a redactor.

use std::fmt::Write as _;

use base::text::amount::{size, span};
use diagnostics::sse::{Assembly, Event, PartKind, Record, RecordKind, Response};
use serde_json::Value;

use super::model::{is_refused, kind_of};
use crate::{
    prelude::*,
    widgets::toned::{Tone, Toned, json},
};

/// How a frame is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// With its JSON over several lines.
    #[default]
    Pretty,
    /// As it came.
    Raw,
    /// What the response spells.
    Message,
    /// What was asked for, and the head of the answer.
    Request,
}

impl Mode {
    /// In the order of their tabs.
    pub const ALL: [Self; 4] = [Self::Pretty, Self::Raw, Self::Message, Self::Request];

    /// The name on its tab.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pretty => "Pretty",
            Self::Raw => "Raw",
            Self::Message => "Message",
            Self::Request => "Request",
        }
    }
}

/// Most characters of one part of a message that are shown: its end, which grows.
const MOST: usize = 200_000;
/// Most oddities that are told.
const ODD: usize = 20;

/// A record in full; `gap` is the time since the frame before, `number` its place in its response.
pub fn frame(record: &Record, gap: Option<i64>, number: Option<u64>, raw: bool) -> Vec<Toned> {
    let mut lines = vec![about(record, gap, number), Toned::default()];
    match &record.what {
        RecordKind::Response => lines.extend(head(&record.response)),
        RecordKind::Event(event) => {
            lines.extend(fields(event, raw));
        }
        RecordKind::Foreign(foreign) => {
            let reason = format!("Not shown as events: {}.", foreign.reason);
            lines.push(Toned::warning(&reason));
            lines.extend(trouble(&record.response));
            lines.push(Toned::default());
            match serde_json::from_str::<Value>(&foreign.text) {
                Ok(value) if !raw => lines.extend(json(&value, "", true)),
                _ => lines.extend(foreign.text.lines().map(Toned::plain)),
            }
            if let Some(length) = foreign.original_chars {
                let text = format!("… the beginning of {}", counted(length, "character"));
                lines.push(Toned::warning(&text));
            }
        }
    }
    lines
}

/// When it came and how long it is, in a line.
/// A time of day, local, to the millisecond.
pub fn clock(milliseconds: i64) -> String {
    let stamp = format_time(milliseconds);
    stamp.get(11..).unwrap_or(&stamp).to_owned()
}

fn about(record: &Record, gap: Option<i64>, number: Option<u64>) -> Toned {
    let mut line = Toned::default();
    if let Some(time) = record.time {
        line.put(&clock(time), Some(Tone::Muted)).put("  ", None);
    }
    if let Some(gap) = gap {
        let tone = if gap >= super::model::STALL {
            Tone::Warning
        } else {
            Tone::Muted
        };
        line.put(&format!("+{}", span(gap)), Some(tone))
            .put("  ", None);
    }
    if let RecordKind::Event(event) = &record.what {
        let text = format!("{}  {}", kind_of(event), size(event.raw.len() as u64));
        line.put(&text, Some(Tone::Muted));
        if !event.complete {
            let text = "  its end did not come: a client drops it";
            line.put(text, Some(Tone::Warning));
        }
        if let Some(length) = event.original_chars {
            let text = format!("  cut, it had {}", counted(length, "character"));
            line.put(&text, Some(Tone::Warning));
        }
    }
    let number = number.map_or_else(|| " ".to_owned(), |number| format!("  #{number}"));
    let of = format!("{number} of response {}", record.response.number);
    line.put(&of, Some(Tone::Muted));
    line
}

/// The lines of an event; its data over several lines unless `raw`.
fn fields(event: &Event, raw: bool) -> Vec<Toned> {
    let text = event.text();
    let mut lines = Vec::new();
    let data = event.data.as_deref().filter(|_| !raw);
    let value = data.and_then(|data| serde_json::from_str::<Value>(data).ok());
    let value = value.filter(|value| value.is_object() || value.is_array());
    let mut is_written = false;
    // Lines end with CR, LF or both.
    for line in text.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        let (name, rest) = match line.find(':') {
            Some(0) => {
                lines.push(Toned::muted(line));
                continue;
            }
            Some(at) => line.split_at(at),
            None => (line, ""),
        };
        if name == "data"
            && let Some(value) = &value
        {
            if !mem::replace(&mut is_written, true) {
                lines.extend(json(value, "data: ", false));
            }
            continue;
        }
        let mut toned = Toned::of(name, Tone::Name);
        toned.put(rest, (name == "data").then_some(Tone::Text));
        lines.push(toned);
    }
    lines
}

fn pair(name: &str, value: &str, tone: Option<Tone>) -> Toned {
    let mut line = Toned::of(name, Tone::Name);
    line.put(": ", None).put(value, tone);
    line
}

/// Headers, a line each.
fn pairs(headers: &[(String, String)]) -> impl Iterator<Item = Toned> {
    headers.iter().map(|(name, value)| pair(name, value, None))
}

/// What a refusal says about trying again.
fn trouble(response: &Response) -> Vec<Toned> {
    let mut lines = Vec::new();
    if let Some(status) = response.status.filter(|status| *status >= 400) {
        lines.push(Toned::of(&format!("Status {status}"), Tone::Error));
    }
    for (name, value) in &response.headers {
        let small = name.to_ascii_lowercase();
        if small == "retry-after" || small.contains("ratelimit") {
            lines.push(pair(name, value, None));
        }
    }
    lines
}

/// What was asked for, and the head of the answer.
pub fn head(response: &Response) -> Vec<Toned> {
    let mut lines = Vec::new();
    if let Some(request) = &response.request {
        lines.push(Toned::heading("Request"));
        lines.push(Toned::plain(request));
        lines.extend(pairs(&response.request_headers));
        if let Some(length) = response.request_bytes {
            let text = format!("with a body of {}, which is not kept", size(length));
            lines.push(Toned::muted(&text));
        }
        lines.push(Toned::muted("C copies it for curl"));
    } else {
        lines.push(Toned::muted("What was asked for is not in this recording."));
    }
    lines.push(Toned::default());
    lines.push(Toned::heading("Response"));
    let status = response.status.map(|status| status.to_string());
    let began = response.started.map(format_time);
    let first = response.first_byte.map(span);
    let known = [
        ("status", status.as_deref()),
        ("began", began.as_deref()),
        ("first byte after", first.as_deref()),
        ("provider", response.provider.as_deref()),
        ("model", response.model.as_deref()),
        ("api", response.api.as_deref()),
        ("request id", response.request_id.as_deref()),
        ("transport", response.transport.as_deref()),
    ];
    let mut is_known = false;
    for (name, value) in known {
        let Some(value) = value else { continue };
        is_known = true;
        let bad = name == "status" && is_refused(response);
        lines.push(pair(name, value, bad.then_some(Tone::Error)));
    }
    if !is_known {
        let text = "Nothing is known of it: the stream came without its head (curl -i keeps it).";
        lines.push(Toned::muted(text));
    }
    if !response.headers.is_empty() {
        lines.push(Toned::default());
        lines.push(Toned::heading("Headers"));
        lines.extend(pairs(&response.headers));
    }
    lines
}

/// The message that a response spells. Slow: to be called beside the drawing task.
pub fn message(message: &Assembly, response: &Response, redactor: Option<&Redactor>) -> Vec<Toned> {
    let hide = |text: &str| match redactor {
        Some(redactor) => redactor.redact(text).into_owned(),
        None => text.to_owned(),
    };
    let mut lines = vec![summary(message, response, &hide), timing(message)];
    let tokens = usage(message);
    if !tokens.text.is_empty() {
        lines.push(tokens);
    }
    if let Some(error) = &message.error {
        lines.push(Toned::default());
        lines.push(Toned::of(&format!("Error  {}", hide(error)), Tone::Error));
    }
    let mut before = None;
    for part in &message.parts {
        let name = part.kind.name();
        if before != Some(name) || matches!(part.kind, PartKind::Tool { .. }) {
            lines.push(Toned::default());
            lines.push(heading(&part.kind, &hide));
        }
        before = Some(name);
        let (text, gone) = end_of(&part.text);
        if gone > 0 {
            let text = format!("… {} before this", counted(gone, "character"));
            lines.push(Toned::warning(&text));
        }
        let text = hide(text);
        match &part.kind {
            PartKind::Tool { .. } => match serde_json::from_str::<Value>(&text) {
                Ok(value) if gone == 0 => lines.extend(json(&value, "", true)),
                // Its JSON is being built.
                _ => {
                    lines.extend(text.lines().map(Toned::plain));
                    if !message.finished {
                        lines.push(Toned::muted("… its arguments are not whole yet"));
                    } else if !text.trim().is_empty() {
                        lines.push(Toned::warning("its arguments are no JSON"));
                    }
                }
            },
            PartKind::Thinking => {
                lines.extend(text.lines().map(Toned::muted));
            }
            _ => lines.extend(text.lines().map(Toned::plain)),
        }
    }
    if message.parts.is_empty() && message.error.is_none() {
        lines.push(Toned::default());
        lines.push(Toned::muted(nothing(message)));
    }
    oddities(&mut lines, message, &hide);
    lines
}

/// Why there is no text.
fn nothing(message: &Assembly) -> &'static str {
    if message.shape.is_some() {
        "Nothing is said yet."
    } else if message.events > 0 {
        "These events spell no message of a kind that is known: Anthropic's, OpenAI's and Google's are."
    } else {
        "No event came."
    }
}

fn heading(kind: &PartKind, hide: &dyn Fn(&str) -> String) -> Toned {
    match kind {
        PartKind::Text => Toned::heading("Text"),
        PartKind::Thinking => Toned::heading("Thinking"),
        PartKind::Refusal => Toned::heading("Refusal"),
        PartKind::Tool { id, name } => {
            let mut line = Toned::heading("Tool ");
            let name = name
                .as_deref()
                .map_or_else(|| "without a name".to_owned(), hide);
            line.put(&name, Some(Tone::Name));
            if let Some(id) = id {
                line.put("  ", None).put(&hide(id), Some(Tone::Muted));
            }
            line
        }
        PartKind::Other(name) => Toned::heading(&hide(name)),
    }
}

/// The end of a long text, and how many characters are before it.
fn end_of(text: &str) -> (&str, usize) {
    if text.len() <= MOST {
        return (text, 0);
    }
    let from = text.ceil_char_boundary(text.len() - MOST);
    let (gone, end) = text.split_at(from);
    (end, gone.chars().count())
}

/// Who speaks and how it ended.
fn summary(message: &Assembly, response: &Response, hide: &dyn Fn(&str) -> String) -> Toned {
    let mut line = Toned::default();
    let model = message.model.as_deref().or(response.model.as_deref());
    if let Some(model) = model {
        line.put(&hide(model), Some(Tone::Name)).put("  ", None);
    }
    if let Some(shape) = message.shape {
        line.put(shape.name(), Some(Tone::Muted)).put("  ", None);
    }
    let reason = message.stop_reason.as_deref().map(hide);
    match (message.error.is_some(), message.finished, reason) {
        (true, ..) => line.put("failed", Some(Tone::Error)),
        (_, true, Some(reason)) => line.put(&format!("ended: {reason}"), Some(Tone::Success)),
        (_, true, None) => line.put("ended", Some(Tone::Success)),
        (_, false, Some(reason)) => line.put(&format!("ends: {reason}"), Some(Tone::Muted)),
        (..) if message.shape.is_some() => line.put("not ended", Some(Tone::Warning)),
        _ => line.put(&counted(message.events, "event"), Some(Tone::Muted)),
    };
    line
}

/// How fast it was.
fn timing(message: &Assembly) -> Toned {
    let timing = &message.timing;
    let mut parts = Vec::new();
    let since = |at: Option<i64>| at?.checked_sub(timing.started?).map(span);
    for (name, at) in [
        ("first event", timing.first_event),
        ("first token", timing.first_token),
        ("last", timing.last),
    ] {
        parts.extend(since(at).map(|span| format!("{name} {span}")));
    }
    if let Some(rate) = message.tokens_per_second() {
        parts.push(format!("{rate:.1} tokens/s"));
    }
    let mut line = Toned::muted(&parts.join(", "));
    if timing.stalled > 0 {
        let longest = timing.stalls.iter().map(|stall| stall.length).max();
        let many = if timing.stalled == 1 {
            "stall"
        } else {
            "stalls"
        };
        let mut text = format!("{} {many}", timing.stalled);
        if let Some(longest) = longest {
            // Writing to a String cannot fail.
            let _ = write!(text, ", the longest {}", span(longest));
        }
        let between = if parts.is_empty() { "" } else { ", " };
        line.put(between, None).put(&text, Some(Tone::Warning));
    }
    if line.text.is_empty() {
        line.put("when its events came is not known", Some(Tone::Muted));
    }
    line
}

/// Tokens.
fn usage(message: &Assembly) -> Toned {
    let usage = &message.usage;
    let mut parts = Vec::new();
    for (name, count) in [
        ("in", usage.input),
        ("out", usage.output),
        ("from cache", usage.cache_read),
        ("into cache", usage.cache_write),
        ("thinking", usage.reasoning),
    ] {
        parts.extend(count.map(|count| format!("{} {name}", thousands(count))));
    }
    if parts.is_empty() {
        return Toned::default();
    }
    Toned::muted(&format!("tokens: {}", parts.join(", ")))
}

/// What did not fit, and where the stream paused.
fn oddities(lines: &mut Vec<Toned>, message: &Assembly, hide: &dyn Fn(&str) -> String) {
    if message.odd_count == 0 {
        return;
    }
    lines.push(Toned::default());
    let title = format!("{} did not fit", counted(message.odd_count, "event"));
    lines.push(Toned::warning(&title));
    for (event, reason) in message.odd.iter().take(ODD) {
        let text = format!("event {event}: {}", hide(reason));
        lines.push(Toned::muted(&text));
    }
}
