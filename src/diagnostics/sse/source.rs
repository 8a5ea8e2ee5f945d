//! Finds out what bytes are, and reads them: a bare stream, one behind the head of an HTTP response (`curl -i`), omp's `raw-sse.txt`,
//! what `omp-debug sse --json` printed, a HAR file, claude-trace's pairs, mitmproxy's flows, or something that is no stream at all.

use super::{
    capture, import,
    parser::{Frame, Parser},
};
use crate::sse::prelude::*;

/// Most bytes of a document, and of a line of a capture, that are kept.
const DOCUMENT: usize = 64 * 1024 * 1024;
/// Most bytes of the first line that is looked at to find out whether it is one of a capture.
const FIRST_LINE: usize = 2 * 1024 * 1024;
/// Most bytes of a head.
const SNIFF: usize = 64 * 1024;

/// After so many bytes without anything that tells, a source is no stream.
pub const UNTELLING: u64 = 1024 * 1024;

/// Whether what is read here may be a stream: nothing came yet, or something that tells within the first [`UNTELLING`] bytes.
pub fn may_be_stream(from: impl Read) -> io::Result<bool> {
    let bytes = read_at_most(from, UNTELLING)?;
    let (mut came, mut tells) = (false, false);
    let mut look = |item: Item| {
        came = true;
        tells |= item.is_telling();
    };
    let mut source = Source::default();
    source.push(&bytes, None, &mut look);
    if (bytes.len() as u64) < UNTELLING {
        source.finish(None, &mut look);
    } else if let Some(event) = source.peek(bytes.len()) {
        look(Item::Event(event, None));
    }
    Ok(tells || !came)
}

#[derive(Debug)]
enum State {
    /// Not enough is known yet.
    Begin(Vec<u8>),
    Stream(Parser),
    /// Lines of our own JSON; the unfinished one.
    Capture(Vec<u8>),
    /// Read to its end first.
    Document {
        held: Vec<u8>,
        length: usize,
    },
}

/// Reads one source.
#[derive(Debug)]
pub struct Source {
    state: State,
    /// What the head of the response said it is.
    content_type: Option<String>,
    /// Somebody else's answer, and not a recording: what it holds is never taken for more than that.
    is_body: bool,
}

impl Default for Source {
    fn default() -> Self {
        Self {
            state: State::Begin(Vec::new()),
            content_type: None,
            is_body: false,
        }
    }
}

impl Source {
    /// Reads the body of a response whose head was read already.
    pub fn of_body(content_type: Option<String>) -> Self {
        Self {
            content_type,
            is_body: true,
            ..Self::default()
        }
    }

    /// Takes what came `now`, in milliseconds since 1970; without it times are not known.
    pub fn push(&mut self, bytes: &[u8], now: Option<i64>, sink: &mut impl FnMut(Item)) {
        let is_body = self.is_body;
        match &mut self.state {
            State::Begin(held) => {
                held.extend_from_slice(bytes);
                self.decide(false, now, sink);
            }
            State::Stream(parser) => {
                parser.push(bytes, &mut |frame| sink(item(frame, now, is_body)));
            }
            State::Capture(held) => {
                held.extend_from_slice(bytes);
                let searched = held.len() - bytes.len();
                let last = memchr::memrchr(b'\n', bytes).map(|at| searched + at + 1);
                let Some(end) = last else {
                    // A line that never ends.
                    if held.len() > DOCUMENT {
                        capture::line(held, sink);
                        held.clear();
                    }
                    return;
                };
                let lines = held.get(..end).unwrap_or_default().split(|b| *b == b'\n');
                for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
                    capture::line(line, sink);
                }
                held.drain(..end);
            }
            State::Document { held, length } => {
                *length += bytes.len();
                let room = DOCUMENT.saturating_sub(held.len());
                held.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
            }
        }
    }

    /// What there is of a frame whose end has not come, if it is no longer than `most` bytes.
    pub fn peek(&self, most: usize) -> Option<Event> {
        let State::Stream(parser) = &self.state else {
            return None;
        };
        let mut found = None;
        parser.peek(most, &mut |frame| found = Some(Event::of(frame)));
        found
    }

    /// Whether something came that is understood only once all of it is here.
    pub fn waits_for_its_end(&self) -> bool {
        match &self.state {
            State::Begin(held) | State::Capture(held) => !held.trim_ascii().is_empty(),
            State::Document { .. } => true,
            State::Stream(_) => false,
        }
    }

    /// The source is over.
    pub fn finish(&mut self, now: Option<i64>, sink: &mut impl FnMut(Item)) {
        if matches!(self.state, State::Begin(_)) {
            self.decide(true, now, sink);
        }
        let is_body = self.is_body;
        match std::mem::take(self).state {
            State::Begin(_) => {}
            State::Stream(mut parser) => {
                parser.finish(&mut |frame| sink(item(frame, now, is_body)));
            }
            State::Capture(held) => {
                if !held.trim_ascii().is_empty() {
                    capture::line(&held, sink);
                }
            }
            State::Document { held, length } => document(&held, length, is_body, sink),
        }
    }

    /// Goes on with what was held, once it is clear what it is.
    fn decide(&mut self, at_end: bool, now: Option<i64>, sink: &mut impl FnMut(Item)) {
        loop {
            let State::Begin(held) = &mut self.state else {
                return;
            };
            let start = held.strip_prefix(b"\xef\xbb\xbf").unwrap_or(held);
            let start = start.trim_ascii_start();
            let may_wait = !at_end && held.len() < SNIFF;
            if !self.is_body && (start.len() < 5 && b"HTTP/".starts_with(start)) && may_wait {
                return;
            }
            if !self.is_body && start.starts_with(b"HTTP/") {
                match head(start) {
                    Some((response, length)) => {
                        self.content_type = response.content_type();
                        *held = start.get(length..).unwrap_or_default().to_vec();
                        sink(Item::Response(Response {
                            started: now,
                            ..response
                        }));
                        continue;
                    }
                    None if may_wait => return,
                    None => {}
                }
            }
            let is_stream = self.content_type.as_deref() == Some("text/event-stream");
            let state = match start.first() {
                _ if is_stream => State::Stream(Parser::default()),
                None if self.content_type.is_some() => return,
                Some(b'{') if self.content_type.is_none() && !self.is_body => {
                    let end = memchr::memchr(b'\n', start);
                    if end.is_none() && !at_end && held.len() < FIRST_LINE {
                        return;
                    }
                    let line = start.get(..end.unwrap_or(start.len())).unwrap_or_default();
                    if capture::is_line(line) {
                        State::Capture(Vec::new())
                    } else {
                        empty_document()
                    }
                }
                Some(b'{' | b'[' | b'<') => empty_document(),
                // Up to twelve bytes tell whether there is a length.
                Some(b'0'..=b'9') if !self.is_body && start.len() < 13 && may_wait => return,
                Some(b'0'..=b'9')
                    if !self.is_body
                        && self.content_type.is_none()
                        && import::may_be_flows(start) =>
                {
                    empty_document()
                }
                _ if self.content_type.is_some() => empty_document(),
                _ => State::Stream(Parser::default()),
            };
            let held = std::mem::take(held);
            self.state = state;
            self.push(&held, now, sink);
            return;
        }
    }
}

fn empty_document() -> State {
    State::Document {
        held: Vec::new(),
        length: 0,
    }
}

/// A frame, or what omp wrote as a comment.
fn item(frame: Frame<'_>, now: Option<i64>, is_body: bool) -> Item {
    if !is_body
        && frame.data.is_none()
        && frame.raw.starts_with(b": omp-")
        && let Some(told) = comment(&String::from_utf8_lossy(frame.raw))
    {
        return told;
    }
    Item::Event(Event::of(frame), now)
}

/// `: omp-response ts=… status=…`, `: omp-debug-dropped records=… chars=…`.
fn comment(line: &str) -> Option<Item> {
    let line = line.trim_end();
    if line.contains(['\n', '\r']) {
        return None;
    }
    if let Some(rest) = line.strip_prefix(": omp-debug-dropped ") {
        let mut dropped = Dropped::default();
        for (name, value) in members(rest, &["records", "chars"]) {
            let slot = match name {
                "records" => &mut dropped.records,
                _ => &mut dropped.chars,
            };
            *slot = value.parse().ok()?;
        }
        return Some(Item::Dropped(dropped));
    }
    let rest = line.strip_prefix(": omp-response")?;
    let mut response = Response::default();
    let names = [
        "ts",
        "status",
        "provider",
        "model",
        "api",
        "requestId",
        "transport",
    ];
    for (name, value) in members(rest, &names) {
        let slot = match name {
            "ts" => {
                let time = value.parse::<jiff::Timestamp>().ok();
                response.started = time.map(jiff::Timestamp::as_millisecond);
                continue;
            }
            "status" => {
                response.status = value.parse().ok();
                continue;
            }
            "provider" => &mut response.provider,
            "model" => &mut response.model,
            "api" => &mut response.api,
            "requestId" => &mut response.request_id,
            _ => &mut response.transport,
        };
        *slot = Some(value);
    }
    Some(Item::Response(response))
}

/// `name=value` words; a word without a known name belongs to the value before it.
fn members<'t>(text: &str, names: &[&'t str]) -> Vec<(&'t str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for word in text.split(' ') {
        let member = word.split_once('=').and_then(|(name, value)| {
            let name = names.iter().find(|known| **known == name)?;
            Some((*name, value.to_owned()))
        });
        match (member, found.last_mut()) {
            (Some(member), _) => found.push(member),
            (None, Some((_, value))) => {
                value.push(' ');
                value.push_str(word);
            }
            (None, None) => {}
        }
    }
    found
}

/// The head of a response and its length.
fn head(bytes: &[u8]) -> Option<(Response, usize)> {
    let ends = [&b"\r\n\r\n"[..], b"\n\n"];
    let length = ends
        .iter()
        .filter_map(|end| Some(memchr::memmem::find(bytes, end)? + end.len()))
        .min()?;
    let text = String::from_utf8_lossy(bytes.get(..length)?);
    let mut lines = text.lines();
    let status = lines.next()?.split_ascii_whitespace().nth(1)?.parse().ok();
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    let response = Response {
        status,
        headers,
        ..Response::default()
    };
    Some((response, length))
}

fn document(held: &[u8], length: usize, is_body: bool, sink: &mut impl FnMut(Item)) {
    if held.trim_ascii().is_empty() {
        return;
    }
    if !is_body && length == held.len() && import::may_be_flows(held) {
        if import::flows(held, sink) {
            return;
        }
        // It only looked like flows.
        let mut parser = Parser::default();
        parser.push(held, &mut |frame| sink(item(frame, None, false)));
        parser.finish(&mut |frame| sink(item(frame, None, false)));
        return;
    }
    let is_json = match serde_json::from_slice(held) {
        Ok(value) if length == held.len() => {
            if !is_body && capture::har(&value, sink) {
                return;
            }
            true
        }
        _ => false,
    };
    let reason = if length > held.len() {
        format!("it is no event stream and longer than {DOCUMENT} bytes")
    } else if is_json {
        "it is JSON and no event stream".to_owned()
    } else if held.trim_ascii_start().starts_with(b"<") {
        "it is a page and no event stream".to_owned()
    } else {
        "it is no event stream".to_owned()
    };
    sink(Item::Foreign(Foreign {
        text: String::from_utf8_lossy(held).into_owned(),
        reason,
        original_chars: (length > held.len()).then_some(length as u64),
    }));
}
