//! Recordings: our own, one JSON object a line, and HAR files.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    assemble::{Part, Shape},
    record::RecordKind,
};
use crate::{logs::stamp, members, sse::prelude::*};

fn parse_time(value: &Value, name: &str) -> Option<i64> {
    let text = members::text(value, name)?;
    Some(text.parse::<jiff::Timestamp>().ok()?.as_millisecond())
}

fn text(value: &Value, name: &str) -> Option<String> {
    members::text(value, name).map(str::to_owned)
}

impl Record {
    /// As one line of a capture.
    pub fn to_json(&self) -> Value {
        let response = &self.response;
        let (kind, time, mut line, more) = match &self.what {
            RecordKind::Response => (
                "response",
                response.started,
                json!(**response),
                json!({"content_type": response.content_type()}),
            ),
            RecordKind::Event(event) => (
                "event",
                self.time,
                json!(event),
                json!({"raw": event.text(), "truncated": event.original_chars.is_some()}),
            ),
            RecordKind::Foreign(foreign) => (
                "foreign",
                self.time,
                json!(foreign),
                json!({"truncated": foreign.original_chars.is_some()}),
            ),
        };
        let about = json!({
            "kind": kind,
            "sequence": self.sequence,
            "response": response.number,
            "time": stamp(time),
        });
        for more in [about, more] {
            if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
                line.extend(more);
            }
        }
        line
    }
}

impl Dropped {
    /// As one line of a capture.
    pub fn to_json(self) -> Value {
        json!({"kind": "dropped", "records": self.records, "chars": self.chars})
    }
}

impl Assembly {
    /// As one line of a capture.
    pub fn to_json(&self, response: u64) -> Value {
        let parts: Vec<Value> = self.parts.iter().map(part).collect();
        let since = |at: Option<i64>| at?.checked_sub(self.timing.started?);
        json!({
            "kind": "message",
            "response": response,
            "shape": self.shape.map(Shape::name),
            "id": self.id,
            "model": self.model,
            "parts": parts,
            "usage": self.usage,
            "stop_reason": self.stop_reason,
            "error": self.error,
            "finished": self.finished,
            "events": self.events,
            "first_event_ms": since(self.timing.first_event),
            "first_token_ms": since(self.timing.first_token),
            "last_ms": since(self.timing.last),
            "tokens_per_second": self.tokens_per_second(),
            "stalls": self.timing.stalls,
            "stalled": self.timing.stalled,
            "odd": self.odd.iter().map(|(event, reason)| json!({
                "event": event,
                "reason": reason,
            })).collect::<Vec<_>>(),
            "odd_count": self.odd_count,
        })
    }
}

fn part(part: &Part) -> Value {
    let PartKind::Tool { id, name } = &part.kind else {
        return json!({"kind": part.kind.name(), "text": part.text});
    };
    let (arguments, trouble) = match part.arguments() {
        Ok(arguments) => (arguments, None),
        Err(why) => (Value::Null, Some(why)),
    };
    json!({
        "kind": "tool",
        "id": id,
        "name": name,
        "text": part.text,
        "arguments": arguments,
        "not_json": trouble,
    })
}

/// Whether a line is one of a capture.
pub fn is_line(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|value| {
        let kind = members::text(&value, "kind");
        value.get("response").is_some_and(Value::is_u64)
            && matches!(kind, Some("response" | "event" | "foreign" | "message"))
            || matches!(kind, Some("dropped" | "note"))
            || super::import::is_pair(&value)
    })
}

/// A line of a capture, ours or another's. What the message was is put together anew, so it is not read.
pub fn line(line: &[u8], sink: &mut impl FnMut(Item)) {
    match serde_json::from_slice::<Value>(line) {
        Ok(value) if super::import::is_pair(&value) => super::import::pair(&value, sink),
        Ok(value) => {
            // Several responses may have come at once: each record names its own.
            if let Some(response) = number(&value, "response") {
                sink(Item::Of(response));
            }
            let read = read(value);
            sink(read.unwrap_or_else(|why| {
                unreadable(line, &format!("it is no record of a capture: {why}"))
            }));
        }
        Err(error) => sink(unreadable(
            line,
            &format!("it is no line of a capture: {error}"),
        )),
    }
}

fn unreadable(line: &[u8], reason: &str) -> Item {
    Item::Foreign(Foreign::new(String::from_utf8_lossy(line), reason))
}

/// A line of ours.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Response(Response),
    Event(Event),
    Foreign(Foreign),
    Dropped(Dropped),
    Note { text: String },
    Message,
}

fn read(value: Value) -> Result<Item, String> {
    let time = parse_time(&value, "time");
    let number = number(&value, "response");
    let raw = text(&value, "raw");
    let missing = |name: &str| format!("missing field `{name}`");
    Ok(
        match serde_json::from_value(value).map_err(|error| error.to_string())? {
            Line::Response(response) => Item::Response(Response {
                number: number.ok_or_else(|| missing("response"))?,
                started: time,
                ..response
            }),
            Line::Event(event) => {
                let raw = raw.ok_or_else(|| missing("raw"))?.into_bytes();
                Item::Event(Event { raw, ..event }, time)
            }
            Line::Foreign(foreign) => Item::Foreign(foreign),
            Line::Dropped(dropped) => Item::Dropped(dropped),
            Line::Note { text } => Item::Note(text),
            Line::Message => Item::Assembled,
        },
    )
}

/// The event streams of a HAR file; whether it is one.
pub fn har(value: &Value, sink: &mut impl FnMut(Item)) -> bool {
    let entries = value.get("log").and_then(|log| log.get("entries"));
    let Some(entries) = entries.and_then(Value::as_array) else {
        return false;
    };
    for entry in entries {
        let answer = member(entry, "response");
        let content = member(answer, "content");
        let mut response = Response {
            started: parse_time(entry, "startedDateTime"),
            first_byte: first_byte(entry),
            request: request(entry),
            request_headers: entry.get("request").map(headers).unwrap_or_default(),
            status: number(answer, "status").and_then(|status| status.try_into().ok()),
            headers: headers(answer),
            ..Response::default()
        };
        if response.content_type().is_none()
            && let Some(kind) = text(content, "mimeType")
        {
            response.headers.push(("content-type".to_owned(), kind));
        }
        if response.content_type().as_deref() != Some("text/event-stream") {
            continue;
        }
        sink(Item::Response(response));
        let body = text(content, "text").unwrap_or_default();
        let is_base64 = members::text(content, "encoding") == Some("base64");
        let bytes = if is_base64 {
            match STANDARD.decode(body.trim()) {
                Ok(bytes) => bytes,
                Err(error) => {
                    sink(unreadable(
                        body.as_bytes(),
                        &format!("its base64 is broken: {error}"),
                    ));
                    continue;
                }
            }
        } else {
            body.into_bytes()
        };
        Event::all_of(&bytes, &mut |event| sink(Item::Event(event, None)));
    }
    true
}

fn request(entry: &Value) -> Option<String> {
    let request = entry.get("request")?;
    let (method, url) = (text(request, "method")?, text(request, "url")?);
    Some(format!("{method} {url}"))
}

fn headers(answer: &Value) -> Vec<(String, String)> {
    items(answer, "headers")
        .filter_map(|header| Some((text(header, "name")?, text(header, "value")?)))
        .collect()
}

/// What passed before the answer began: HAR writes -1 for what did not happen.
fn first_byte(entry: &Value) -> Option<i64> {
    let timings = entry.get("timings")?;
    let wait = timings.get("wait")?.as_f64().filter(|ms| *ms >= 0.0)?;
    let before = ["blocked", "dns", "connect", "send"];
    let before = before
        .iter()
        .filter_map(|name| timings.get(*name)?.as_f64())
        .filter(|ms| *ms > 0.0);
    Some((before.sum::<f64>() + wait) as i64)
}
