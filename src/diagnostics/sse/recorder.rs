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
    /// What nobody has taken yet.
    told: Vec<RecorderEvent>,
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

    /// What there is to tell since it was last taken.
    pub fn take(&mut self) -> Vec<RecorderEvent> {
        std::mem::take(&mut self.told)
    }

    /// What passed over a wire.
    pub fn wire(&mut self, wire: Wire) {
        match wire {
            Wire::Begin {
                exchange,
                response,
                time,
            } => {
                let content_type = response.content_type();
                let decoder = Decoder::of(response.header("content-encoding").unwrap_or(""));
                self.begin(exchange, *response, Some(time));
                let body = match decoder {
                    Ok(decoder) => Some((decoder, Source::of_body(content_type))),
                    Err(unknown) => {
                        self.remark(exchange, unknown, Some(time));
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
            } => self.bytes(exchange, &bytes, time),
            Wire::Lost { exchange, bytes } => {
                self.end_body(exchange, None);
                let reason = format!(
                    "{} passed without being recorded: more came than could be written down",
                    amount::count(bytes, "byte", "bytes")
                );
                self.remark(exchange, reason, None);
            }
            Wire::End {
                exchange,
                end,
                time,
            } => {
                self.end_body(exchange, Some(time));
                let reason = match end {
                    ResponseEnd::Whole => None,
                    ResponseEnd::Broken(why) => Some(format!("{BROKE_OFF}: {why}")),
                    ResponseEnd::Left => Some("the client went away before the end".to_owned()),
                };
                if let Some(reason) = reason.filter(|_| self.open.contains_key(&exchange)) {
                    self.remark(exchange, reason, Some(time));
                }
                self.end(exchange);
            }
            Wire::Note(text) => {
                let text = match &self.redactor {
                    Some(redactor) => redactor.redact(&text).into_owned(),
                    None => text,
                };
                self.told.push(RecorderEvent::Note(text));
            }
        }
    }

    /// Says in the stream's place what happened to it.
    fn remark(&mut self, exchange: u64, reason: String, time: Option<i64>) {
        let what = Item::Foreign(Foreign::new("", reason));
        self.item_of(exchange, what, time);
    }

    fn bytes(&mut self, exchange: u64, bytes: &[u8], time: i64) {
        let Some(open) = self.open.get_mut(&exchange) else {
            return;
        };
        let Some((mut decoder, mut source)) = open.body.take() else {
            return;
        };
        let outcome = decoder.push(bytes, &mut |bytes| {
            source.push(bytes, Some(time), &mut |item| {
                self.item_of(exchange, item, Some(time));
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
                    self.item_of(exchange, item, Some(time));
                });
                let reason = format!("its body cannot be decoded: {error}");
                self.remark(exchange, reason, Some(time));
            }
        }
    }

    /// Nothing more of this piece of the body comes: what has no end yet is handed out.
    fn end_body(&mut self, exchange: u64, time: Option<i64>) {
        let Some(open) = self.open.get_mut(&exchange) else {
            return;
        };
        let Some((_, source)) = &mut open.body else {
            return;
        };
        let mut source = std::mem::take(source);
        source.finish(time, &mut |item| self.item_of(exchange, item, time));
    }

    /// What a source handed out, and when it came; responses begin and end by themselves.
    pub fn item(&mut self, item: Item, time: Option<i64>) {
        match &item {
            Item::Of(number) => self.at = *number,
            Item::Response(response) => self.at = response.number,
            _ => {}
        }
        self.item_of(self.at, item, time);
    }

    fn item_of(&mut self, exchange: u64, item: Item, time: Option<i64>) {
        match item {
            Item::Response(response) => {
                self.make_room();
                self.begin(exchange, response, time);
            }
            Item::Event(event, time) => {
                self.begin_unless_begun(exchange, time);
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
                    self.tell(exchange, record, None);
                    return;
                };
                if self.for_screen {
                    open.waiting.push_back(event.clone());
                }
                let value = json.as_ref().and_then(|json| json.as_ref().ok());
                open.seam.push(event, value, time, &redactor);
                self.release(exchange, &redactor);
            }
            Item::Foreign(mut foreign) => {
                self.begin_unless_begun(exchange, time);
                self.settle_one(exchange);
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
                self.tell(exchange, record, plain);
            }
            Item::Dropped(dropped) => self.told.push(RecorderEvent::Dropped(dropped)),
            Item::Note(text) => self.told.push(RecorderEvent::Note(text)),
            // Whoever reads a recording tells the exchange by it.
            Item::Of(_) => {}
            // It is told once nothing more of its response comes.
            Item::Assembled => self.end(exchange),
        }
    }

    /// Whether there are events that are not told because they may end in the middle of a secret.
    pub fn is_waiting(&self) -> bool {
        self.open.values().any(|open| open.seam.is_waiting())
    }

    /// Nothing came for a while: events that wait are told, without what may be the beginning of a secret.
    pub fn settle(&mut self) {
        let waiting = self.open.iter().filter(|(_, open)| open.seam.is_waiting());
        let waiting: Vec<u64> = waiting.map(|(exchange, _)| *exchange).collect();
        for exchange in waiting {
            self.settle_one(exchange);
        }
    }

    fn settle_one(&mut self, exchange: u64) {
        if let (Some(redactor), Some(open)) = (self.redactor.clone(), self.open.get_mut(&exchange))
        {
            open.seam.settle();
            self.release(exchange, &redactor);
        }
    }

    /// Keeps and tells what the seam of an exchange has decided.
    fn release(&mut self, exchange: u64, redactor: &Redactor) {
        while let Some(open) = self.open.get_mut(&exchange)
            && let Some((mut event, time)) = open.seam.next(redactor)
        {
            event.redact(redactor);
            let came = open.waiting.pop_front();
            let plain = came.filter(|came| *came != event).map(|mut came| {
                came.trim();
                RecordKind::Event(came)
            });
            self.ring.resume(&open.stream.response);
            let record = self.ring.event(event, time);
            self.tell(exchange, record, plain);
        }
    }

    /// Nothing more comes: what every response spells until now.
    pub fn finish(&mut self) {
        let open: Vec<u64> = self.open.keys().copied().collect();
        for exchange in open {
            self.end_body(exchange, None);
            self.end(exchange);
        }
    }

    fn begin(&mut self, exchange: u64, mut response: Response, time: Option<i64>) {
        self.end(exchange);
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
            self.told.push(RecorderEvent::Begin(open.stream.clone()));
        }
        self.open.insert(exchange, open);
        self.tell(exchange, record, differs.then_some(RecordKind::Response));
    }

    /// What comes without a head is a response, too, which is told of where somebody looks or waited for it.
    /// Not every recording tells when a response is over: the oldest one ends where there are too many.
    fn make_room(&mut self) {
        if self.open.len() >= OPEN
            && let Some(oldest) = self.open.keys().next().copied()
        {
            self.end(oldest);
        }
    }

    fn begin_unless_begun(&mut self, exchange: u64, time: Option<i64>) {
        if self.open.contains_key(&exchange) {
            return;
        }
        self.make_room();
        if self.for_screen || self.began.is_some() {
            return self.begin(exchange, Response::default(), time);
        }
        let open = Open::new(self.ring.unannounced(), None);
        self.open.insert(exchange, open);
    }

    /// Tells a record with what came in its place.
    fn tell(&mut self, exchange: u64, record: Arc<Record>, plain: Option<RecordKind>) {
        let plain = plain.map(|what| {
            let open = self.open.get(&exchange);
            let response = open.and_then(|open| open.stream.plain.as_ref());
            Arc::new(Record {
                response: Arc::clone(response.unwrap_or(&record.response)),
                what,
                ..*record
            })
        });
        let stored = StoredRecord { record, plain };
        self.told.push(RecorderEvent::Record(stored));
    }

    fn end(&mut self, exchange: u64) {
        self.settle_one(exchange);
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
        self.told.push(RecorderEvent::Message(
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
                recorder.item(Item::Of(number), None);
                let foreign = Item::Foreign(Foreign::new("x", "it is no stream"));
                recorder.item(foreign, None);
            }
            assert_eq!(recorder.open.len(), OPEN);
        }
    }
}
