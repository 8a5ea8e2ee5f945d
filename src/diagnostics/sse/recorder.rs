//! Makes records of what a source gives: one place for redacting, keeping and putting together, whoever shows it.
//!
//! Several responses may come at once. Everything is redacted before it is kept; who wants secrets leaves the redactor out.

use super::{
    assemble::Assembly,
    decode::Decoder,
    item::Item,
    live::{End, Wire},
    record::{Event, Foreign, Record, Response},
    ring::{Dropped, Ring},
    seam::Seam,
    source::Source,
};
use crate::prelude::*;

/// Most responses of a recording that go on at once.
const OPEN: usize = 64;

/// What there is to tell.
#[derive(Clone, Debug)]
pub enum RecorderEvent {
    /// A record; the ring has it, too.
    Record(Arc<Record>),
    /// What the response with this number spells; it is over.
    Message(u64, Box<Assembly>),
    /// What a recording does not hold.
    Dropped(Dropped),
    /// A word besides.
    Note(String),
}

/// Makes records.
#[derive(Debug)]
pub struct Recorder {
    /// The newest records.
    pub ring: Ring,
    redactor: Option<Redactor>,
    messages: bool,
    open: BTreeMap<u64, Open>,
}

/// A response that is not over.
#[derive(Debug)]
struct Open {
    response: Arc<Response>,
    message: Assembly,
    seam: Seam,
    /// What reads its bytes; nothing where whoever feeds us does, or once they cannot be read any more.
    body: Option<(Decoder, Source)>,
}

impl Open {
    fn new(response: Arc<Response>) -> Self {
        Self {
            message: Assembly::new(response.started),
            response,
            seam: Seam::default(),
            body: None,
        }
    }
}

impl Recorder {
    /// Takes secrets out, unless there is no redactor. `messages`: whether to put together what the responses spell.
    pub fn new(redactor: Option<Redactor>, messages: bool) -> Self {
        Self {
            ring: Ring::default(),
            redactor,
            messages,
            open: BTreeMap::new(),
        }
    }

    /// What passed over a wire.
    pub fn wire(&mut self, wire: Wire, sink: &mut dyn FnMut(RecorderEvent)) {
        match wire {
            Wire::Begin {
                exchange,
                response,
                time,
            } => {
                let content_type = response.content_type();
                let decoder = Decoder::of(response.header("content-encoding").unwrap_or(""));
                self.begin(exchange, *response, Some(time), sink);
                let body = match decoder {
                    Ok(decoder) => Some((decoder, Source::of_body(content_type))),
                    Err(unknown) => {
                        self.remark(exchange, unknown, Some(time), sink);
                        None
                    }
                };
                if let Some(open) = self.open.get_mut(&exchange) {
                    open.body = body;
                }
            }
            Wire::Bytes {
                exchange,
                bytes,
                time,
            } => self.bytes(exchange, &bytes, time, sink),
            Wire::Lost { exchange, bytes } => {
                self.end_body(exchange, None, sink);
                let reason = format!(
                    "{} passed without being recorded: more came than could be written down",
                    amount::count(bytes, "byte", "bytes")
                );
                self.remark(exchange, reason, None, sink);
            }
            Wire::End {
                exchange,
                end,
                time,
            } => {
                self.end_body(exchange, Some(time), sink);
                let reason = match end {
                    End::Whole => None,
                    End::Broken(why) => Some(format!("the response broke off: {why}")),
                    End::Left => Some("the client went away before the end".to_owned()),
                };
                if let Some(reason) = reason.filter(|_| self.open.contains_key(&exchange)) {
                    self.remark(exchange, reason, Some(time), sink);
                }
                self.end(exchange, sink);
            }
            Wire::Note(text) => {
                let text = match &self.redactor {
                    Some(redactor) => redactor.redact(&text).into_owned(),
                    None => text,
                };
                sink(RecorderEvent::Note(text));
            }
        }
    }

    /// Says in the stream's place what happened to it.
    fn remark(
        &mut self,
        exchange: u64,
        reason: String,
        time: Option<i64>,
        sink: &mut dyn FnMut(RecorderEvent),
    ) {
        let what = Item::Foreign(Foreign::new("", reason));
        self.item(exchange, what, time, sink);
    }

    fn bytes(
        &mut self,
        exchange: u64,
        bytes: &[u8],
        time: i64,
        sink: &mut dyn FnMut(RecorderEvent),
    ) {
        let Some(open) = self.open.get_mut(&exchange) else {
            return;
        };
        let Some((mut decoder, mut source)) = open.body.take() else {
            return;
        };
        let outcome = decoder.push(bytes, &mut |bytes| {
            source.push(bytes, Some(time), &mut |item| {
                self.item(exchange, item, Some(time), sink);
            });
        });
        match outcome {
            Ok(()) => {
                if let Some(open) = self.open.get_mut(&exchange) {
                    open.body = Some((decoder, source));
                }
            }
            Err(error) => {
                source.finish(Some(time), &mut |item| {
                    self.item(exchange, item, Some(time), sink);
                });
                let reason = format!("its body cannot be decoded: {error}");
                self.remark(exchange, reason, Some(time), sink);
            }
        }
    }

    /// Nothing more of this piece of the body comes: what has no end yet is handed out.
    fn end_body(&mut self, exchange: u64, time: Option<i64>, sink: &mut dyn FnMut(RecorderEvent)) {
        let Some(open) = self.open.get_mut(&exchange) else {
            return;
        };
        let Some((_, source)) = &mut open.body else {
            return;
        };
        let mut source = std::mem::take(source);
        source.finish(time, &mut |item| self.item(exchange, item, time, sink));
    }

    /// What a source handed out, and when it came; responses begin and end by themselves.
    pub fn item(
        &mut self,
        exchange: u64,
        item: Item,
        time: Option<i64>,
        sink: &mut dyn FnMut(RecorderEvent),
    ) {
        match item {
            Item::Response(response) => {
                // Not every recording tells when a response is over.
                if self.open.len() >= OPEN
                    && let Some(oldest) = self.open.keys().next().copied()
                {
                    self.end(oldest, sink);
                }
                self.begin(exchange, response, time, sink);
            }
            Item::Event(event, time) => {
                let redactor = self.redactor.clone();
                let messages = self.messages;
                // Read once for both that look into it.
                let json = event.json();
                let open = self.opened(exchange);
                if messages {
                    open.message.push_read(&event, json.as_ref(), time);
                }
                let Some(redactor) = redactor else {
                    let response = Arc::clone(&open.response);
                    self.ring.resume(&response);
                    sink(RecorderEvent::Record(self.ring.event(event, time)));
                    return;
                };
                let value = json.as_ref().and_then(|json| json.as_ref().ok());
                self.through(exchange, &redactor, sink, |seam, tell| {
                    seam.push(event, value, time, &redactor, tell);
                });
            }
            Item::Foreign(mut foreign) => {
                self.settle_one(exchange, sink);
                let response = Arc::clone(&self.opened(exchange).response);
                if !foreign.text.is_empty() {
                    with_status(&mut foreign, &response);
                }
                if let Some(redactor) = &self.redactor {
                    foreign.redact(redactor);
                }
                self.ring.resume(&response);
                sink(RecorderEvent::Record(self.ring.foreign(foreign, time)));
            }
            Item::Dropped(dropped) => sink(RecorderEvent::Dropped(dropped)),
            Item::Note(text) => sink(RecorderEvent::Note(text)),
            // Whoever reads a recording tells the exchange by it.
            Item::Of(_) => {}
            // It is told once nothing more of its response comes.
            Item::Assembled => self.end(exchange, sink),
        }
    }

    /// Whether there are events that are not told because they may end in the middle of a secret.
    pub fn is_waiting(&self) -> bool {
        self.open.values().any(|open| open.seam.is_waiting())
    }

    /// Nothing came for a while: events that wait are told, without what may be the beginning of a secret.
    pub fn settle(&mut self, sink: &mut dyn FnMut(RecorderEvent)) {
        let waiting = self.open.iter().filter(|(_, open)| open.seam.is_waiting());
        let waiting: Vec<u64> = waiting.map(|(exchange, _)| *exchange).collect();
        for exchange in waiting {
            self.settle_one(exchange, sink);
        }
    }

    fn settle_one(&mut self, exchange: u64, sink: &mut dyn FnMut(RecorderEvent)) {
        if let Some(redactor) = self.redactor.clone() {
            self.through(exchange, &redactor, sink, |seam, tell| {
                seam.settle(&redactor, tell);
            });
        }
    }

    /// Keeps and tells what the seam of an exchange gives free.
    fn through(
        &mut self,
        exchange: u64,
        redactor: &Redactor,
        sink: &mut dyn FnMut(RecorderEvent),
        feed: impl FnOnce(&mut Seam, &mut dyn FnMut(Event, Option<i64>)),
    ) {
        let Some(open) = self.open.get_mut(&exchange) else {
            return;
        };
        let response = Arc::clone(&open.response);
        let mut seam = std::mem::take(&mut open.seam);
        feed(&mut seam, &mut |mut event, time| {
            event.redact(redactor);
            self.ring.resume(&response);
            sink(RecorderEvent::Record(self.ring.event(event, time)));
        });
        if let Some(open) = self.open.get_mut(&exchange) {
            open.seam = seam;
        }
    }

    /// Nothing more comes: what every response spells until now.
    pub fn finish(&mut self, sink: &mut dyn FnMut(RecorderEvent)) {
        let open: Vec<u64> = self.open.keys().copied().collect();
        for exchange in open {
            self.end_body(exchange, None, sink);
            self.end(exchange, sink);
        }
    }

    fn begin(
        &mut self,
        exchange: u64,
        mut response: Response,
        time: Option<i64>,
        sink: &mut dyn FnMut(RecorderEvent),
    ) {
        self.end(exchange, sink);
        if let Some(redactor) = &self.redactor {
            response.redact(redactor);
        }
        let record = self.ring.begin(response, time);
        let open = Open::new(Arc::clone(&record.response));
        self.open.insert(exchange, open);
        sink(RecorderEvent::Record(record));
    }

    /// The response of this exchange; one that nobody told of, if there is none.
    fn opened(&mut self, exchange: u64) -> &mut Open {
        let ring = &mut self.ring;
        let opened = self.open.entry(exchange);
        opened.or_insert_with(|| Open::new(ring.unannounced()))
    }

    fn end(&mut self, exchange: u64, sink: &mut dyn FnMut(RecorderEvent)) {
        self.settle_one(exchange, sink);
        let Some(open) = self.open.remove(&exchange) else {
            return;
        };
        let mut message = open.message;
        let says = message.shape.is_some() || message.error.is_some() || message.odd_count > 0;
        if !(self.messages && says) {
            return;
        }
        if let Some(redactor) = &self.redactor {
            message.redact(redactor);
        }
        sink(RecorderEvent::Message(
            open.response.number,
            Box::new(message),
        ));
    }
}

/// Adds to why a body is no stream what its head says about it.
fn with_status(what: &mut Foreign, response: &Response) {
    let Some(status) = response
        .status
        .filter(|status| !(200..300).contains(status))
    else {
        return;
    };
    let after = response
        .header("retry-after")
        .map(|after| format!("; it asks to come back after {after}"))
        .unwrap_or_default();
    what.reason = format!("{status}: {}{after}", what.reason);
}
