//! Makes records of what a source gives: one place for redacting, keeping and putting together, whoever shows it.
//!
//! Several responses may come at once. Everything is redacted before it is kept; who wants secrets leaves the redactor out, and a
//! screen that may be asked for them has them kept beside what is shown.

use super::{
    decode::Decoder,
    live::{ResponseEnd, Wire},
    record::RecordKind,
    ring::{Limits, Ring},
    seam::Seam,
    source::Source,
};
use crate::sse::prelude::*;

/// Most responses of a recording that go on at once.
pub const OPEN: usize = 500;
/// How the remark begins of a response that has no end.
const BROKE_OFF: &str = "the response broke off";

/// A record, and the same with its secrets when it has any and they are kept.
#[derive(Clone, Debug)]
pub struct StoredRecord {
    /// What may be shown.
    pub record: Arc<Record>,
    /// What came.
    pub plain: Option<Arc<Record>>,
}

/// A response and the message it spells, with its secrets: whoever shows it redacts it.
#[derive(Clone, Debug)]
pub struct Streamed {
    /// What may be shown.
    pub response: Arc<Response>,
    /// What came.
    pub plain: Option<Arc<Response>>,
    /// Grows as events come.
    pub message: Arc<Mutex<Assembly>>,
}

/// What there is to tell.
#[derive(Clone, Debug)]
pub enum RecorderEvent {
    /// A response begins, for a screen; its record follows.
    Begin(Streamed),
    /// A record; the ring has it, too.
    Record(StoredRecord),
    /// What the response with this number spells; it is over.
    Message(u64, Box<Assembly>),
    /// What a recording does not hold.
    Dropped(Dropped),
    /// A word besides.
    Note(String),
}

/// Makes records.
#[derive(Debug, Default)]
pub struct Recorder {
    /// The newest records.
    pub ring: Ring,
    redactor: Option<Redactor>,
    /// Whether messages are told when their responses are over.
    messages: bool,
    /// Whether a screen is told of every response, and what came is kept as well.
    for_screen: bool,
    /// When the first response was asked for, if things come as they happen and nobody has answered yet.
    pub began: Option<i64>,
    /// The number that a recording gives the response that what comes next belongs to; 0 where there is one at a time.
    at: u64,
    open: BTreeMap<u64, Open>,
}

/// A response that is not over.
#[derive(Debug)]
struct Open {
    stream: Streamed,
    /// Takes out secrets that come in several events.
    seam: Seam,
    /// What the events in the seam were, if that is kept.
    waiting: VecDeque<Event>,
    /// What reads its bytes; nothing where whoever feeds us does, or once they cannot be read any more.
    body: Option<(Decoder, Source)>,
}

impl Open {
    fn new(response: Arc<Response>, plain: Option<Arc<Response>>) -> Self {
        let message = Assembly::new(response.started);
        Self {
            stream: Streamed {
                message: Arc::new(Mutex::new(message)),
                response,
                plain,
            },
            seam: Seam::default(),
            waiting: VecDeque::new(),
            body: None,
        }
    }
}

impl Recorder {
    /// Takes secrets out, unless there is no redactor. `messages`: whether to put together what the responses spell.
    pub fn new(redactor: Option<Redactor>, messages: bool) -> Self {
        Self {
            redactor,
            messages,
            ..Self::default()
        }
    }

    /// For a screen, which may be asked for the secrets.
    pub fn for_screen(redactor: Redactor, limits: Limits) -> Self {
        Self {
            ring: Ring::with_limits(limits),
            redactor: Some(redactor),
            for_screen: true,
            ..Self::default()
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
                    ResponseEnd::Whole => None,
                    ResponseEnd::Broken(why) => Some(format!("{BROKE_OFF}: {why}")),
                    ResponseEnd::Left => Some("the client went away before the end".to_owned()),
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
        self.item_of(exchange, what, time, sink);
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
                self.item_of(exchange, item, Some(time), sink);
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
                    self.item_of(exchange, item, Some(time), sink);
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
        source.finish(time, &mut |item| self.item_of(exchange, item, time, sink));
    }

    /// What a source handed out, and when it came; responses begin and end by themselves.
    pub fn item(&mut self, item: Item, time: Option<i64>, sink: &mut dyn FnMut(RecorderEvent)) {
        match &item {
            Item::Of(number) => self.at = *number,
            Item::Response(response) => self.at = response.number,
            _ => {}
        }
        self.item_of(self.at, item, time, sink);
    }

    fn item_of(
        &mut self,
        exchange: u64,
        item: Item,
        time: Option<i64>,
        sink: &mut dyn FnMut(RecorderEvent),
    ) {
        match item {
            Item::Response(response) => {
                self.make_room(sink);
                self.begin(exchange, response, time, sink);
            }
            Item::Event(event, time) => {
                self.begin_unless_begun(exchange, time, sink);
                let Some(open) = self.open.get_mut(&exchange) else {
                    return;
                };
                // Read once for both that look into it.
                let json = event.json();
                if self.messages || self.for_screen {
                    lock(&open.stream.message).push_read(&event, json.as_ref(), time);
                }
                let Some(redactor) = self.redactor.clone() else {
                    self.ring.resume(&open.stream.response);
                    let record = self.ring.event(event, time);
                    sink(RecorderEvent::Record(self.kept(exchange, record, None)));
                    return;
                };
                if self.for_screen {
                    open.waiting.push_back(event.clone());
                }
                let value = json.as_ref().and_then(|json| json.as_ref().ok());
                self.through(exchange, &redactor, sink, |seam, tell| {
                    seam.push(event, value, time, &redactor, tell);
                });
            }
            Item::Foreign(mut foreign) => {
                self.begin_unless_begun(exchange, time, sink);
                self.settle_one(exchange, sink);
                let Some(open) = self.open.get(&exchange) else {
                    return;
                };
                if (self.messages || self.for_screen) && foreign.reason.starts_with(BROKE_OFF) {
                    lock(&open.stream.message).fail(&foreign.reason);
                }
                let response = &open.stream.response;
                if !foreign.text.is_empty() {
                    with_status(&mut foreign, response);
                }
                let came = self.for_screen.then(|| foreign.clone());
                if let Some(redactor) = &self.redactor {
                    foreign.redact(redactor);
                }
                let plain = came.filter(|came| *came != foreign).map(|mut came| {
                    came.trim();
                    RecordKind::Foreign(came)
                });
                self.ring.resume(response);
                let record = self.ring.foreign(foreign, time);
                sink(RecorderEvent::Record(self.kept(exchange, record, plain)));
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
        let response = Arc::clone(&open.stream.response);
        let mut seam = std::mem::take(&mut open.seam);
        feed(&mut seam, &mut |mut event, time| {
            event.redact(redactor);
            let open = self.open.get_mut(&exchange);
            let came = open.and_then(|open| open.waiting.pop_front());
            let plain = came.filter(|came| *came != event).map(|mut came| {
                came.trim();
                RecordKind::Event(came)
            });
            self.ring.resume(&response);
            let record = self.ring.event(event, time);
            sink(RecorderEvent::Record(self.kept(exchange, record, plain)));
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
        // Only the first one was waited for from the beginning.
        if let (Some(began), Some(time)) = (self.began.take(), time) {
            response.started = Some(began);
            response.first_byte = Some(time - began);
        }
        let came = self.for_screen.then(|| response.clone());
        if let Some(redactor) = &self.redactor {
            response.redact(redactor);
        }
        let came = came.filter(|came| *came != response);
        let record = self.ring.begin(response, time);
        let number = record.response.number;
        let plain = came.map(|came| Arc::new(Response { number, ..came }));
        let differs = plain.is_some();
        let open = Open::new(Arc::clone(&record.response), plain);
        if self.for_screen {
            sink(RecorderEvent::Begin(open.stream.clone()));
        }
        self.open.insert(exchange, open);
        let kept = self.kept(exchange, record, differs.then_some(RecordKind::Response));
        sink(RecorderEvent::Record(kept));
    }

    /// What comes without a head is a response, too, which is told of where somebody looks or waited for it.
    /// Not every recording tells when a response is over: the oldest one ends where there are too many.
    fn make_room(&mut self, sink: &mut dyn FnMut(RecorderEvent)) {
        if self.open.len() >= OPEN
            && let Some(oldest) = self.open.keys().next().copied()
        {
            self.end(oldest, sink);
        }
    }

    fn begin_unless_begun(
        &mut self,
        exchange: u64,
        time: Option<i64>,
        sink: &mut dyn FnMut(RecorderEvent),
    ) {
        if self.open.contains_key(&exchange) {
            return;
        }
        self.make_room(sink);
        if self.for_screen || self.began.is_some() {
            return self.begin(exchange, Response::default(), time, sink);
        }
        let open = Open::new(self.ring.unannounced(), None);
        self.open.insert(exchange, open);
    }

    /// A record with what came in its place.
    fn kept(&self, exchange: u64, record: Arc<Record>, plain: Option<RecordKind>) -> StoredRecord {
        let plain = plain.map(|what| {
            let open = self.open.get(&exchange);
            let response = open.and_then(|open| open.stream.plain.as_ref());
            Arc::new(Record {
                response: Arc::clone(response.unwrap_or(&record.response)),
                what,
                ..*record
            })
        });
        StoredRecord { record, plain }
    }

    fn end(&mut self, exchange: u64, sink: &mut dyn FnMut(RecorderEvent)) {
        self.settle_one(exchange, sink);
        let Some(open) = self.open.remove(&exchange) else {
            return;
        };
        if !self.messages {
            return;
        }
        let mut message = std::mem::take(&mut *lock(&open.stream.message));
        let says = message.shape.is_some() || message.error.is_some() || message.odd_count > 0;
        if !says {
            return;
        }
        if let Some(redactor) = &self.redactor {
            message.redact(redactor);
        }
        sink(RecorderEvent::Message(
            open.stream.response.number,
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
    // A recording may say so already.
    let status = format!("{status}: ");
    if what.reason.starts_with(&status) {
        return;
    }
    let after = response
        .header("retry-after")
        .map(|after| {
            // Seconds, or a date (RFC 9110, section 10.2.3).
            let unit = after.parse::<u64>().map_or("", |_| " s");
            format!("; it asks to come back after {after}{unit}")
        })
        .unwrap_or_default();
    what.reason = format!("{status}{}{after}", what.reason);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_that_nothing_announced_and_nothing_ends_are_no_more_than_may_be_open() {
        for mut recorder in [
            Recorder::new(None, true),
            Recorder::for_screen(Redactor::new(), Limits::default()),
        ] {
            for number in 0..OPEN as u64 + 9 {
                recorder.item(Item::Of(number), None, &mut |_| {});
                let foreign = Item::Foreign(Foreign::new("x", "it is no stream"));
                recorder.item(foreign, None, &mut |_| {});
            }
            assert_eq!(recorder.open.len(), OPEN);
        }
    }
}
