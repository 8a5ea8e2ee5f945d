//! What is shown: the frames that are kept, the responses they belong to, and which of them are rows.

use base::locks::lock;
use diagnostics::sse::{
    Batch, Dropped, Event, Record, RecordKind, Response, StoredRecord, Streamed,
};

use crate::prelude::*;

/// A pause that is worth a mark, in milliseconds.
pub const STALL: i64 = 3000;

/// A record as a row.
#[derive(Debug)]
pub struct Frame {
    /// What came.
    pub kept: StoredRecord,
    /// Milliseconds since the frame before it in its response, where both times are known.
    pub gap: Option<i64>,
    /// Its length as it is kept.
    pub bytes: usize,
    /// Which of its response it is, from 1; none where it is the head, or where some that came before it were not seen.
    pub number: Option<u64>,
}

impl Frame {
    /// The record as it may be shown.
    pub fn shown(&self, secrets: bool) -> &Arc<Record> {
        match &self.kept.plain {
            Some(plain) if secrets => plain,
            _ => &self.kept.record,
        }
    }

    /// Its number.
    pub fn sequence(&self) -> u64 {
        self.kept.record.sequence
    }

    /// Whether it came after a pause.
    pub fn is_stalled(&self) -> bool {
        self.gap.is_some_and(|gap| gap >= STALL)
    }

    /// The number of its response.
    pub fn stream(&self) -> u64 {
        self.kept.record.response.number
    }
}

/// What a record is, in a word: an event's type, or why it is none.
pub fn kind(record: &Record) -> &str {
    match &record.what {
        RecordKind::Response => "response",
        RecordKind::Foreign(_) => "no stream",
        RecordKind::Event(event) => kind_of(event),
    }
}

/// The same of an event.
pub fn kind_of(event: &Event) -> &str {
    if event.data.is_some() {
        event.event_type()
    } else if event.raw.starts_with(b":") {
        "comment"
    } else {
        "no data"
    }
}

/// Whether its status is that of an error.
pub fn is_refused(response: &Response) -> bool {
    response.status.is_some_and(|status| status >= 400)
}

/// A response as it is shown.
pub fn response_of(stream: &Streamed, secrets: bool) -> &Response {
    match &stream.plain {
        Some(plain) if secrets => plain,
        _ => &stream.response,
    }
}

/// Whether a record tells of something that went wrong.
pub fn is_bad(record: &Record) -> bool {
    match &record.what {
        RecordKind::Response => is_refused(&record.response),
        RecordKind::Foreign(_) => true,
        RecordKind::Event(event) => event.event_type() == "error" || !event.complete,
    }
}

/// Which frames are rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this response alone; none = of all of them, as they came.
    pub stream: Option<u64>,
    /// Kinds that are not shown.
    pub hidden: BTreeSet<String>,
}

impl Filter {
    /// Whether it is of a response that is shown.
    fn is_of(&self, frame: &Frame) -> bool {
        self.stream.is_none_or(|stream| stream == frame.stream())
    }

    fn takes(&self, frame: &Frame) -> bool {
        self.is_of(frame) && !(self.hidden.contains(kind(&frame.kept.record)))
    }
}

/// What taking in a batch did to the rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Change {
    /// Rows that are gone at the beginning.
    pub gone: usize,
    /// Rows that came at the end.
    pub added: usize,
    /// Whether all rows were made anew.
    pub anew: bool,
}

/// Frames, responses, rows.
#[derive(Debug, Default)]
pub struct Model {
    pub frames: VecDeque<Frame>,
    pub streams: VecDeque<Streamed>,
    rows: VecDeque<u64>,
    /// The times of the last frames of responses, for gaps.
    last: HashMap<u64, i64>,
    /// How many frames came of responses, for their numbers, and the sequence of the newest.
    came: HashMap<u64, u64>,
    newest: u64,
    /// Whether some were gone before they were told.
    has_gap: bool,
    /// Where responses begin: rows that are no frames.
    heads: VecDeque<u64>,
    pub filter: Filter,
    /// Frames after a pause or that tell of trouble; true = a pause.
    notable: VecDeque<(u64, bool)>,
    /// Whether any event has an id.
    pub has_ids: bool,
    /// Whether any frame has a time: a plain file tells none.
    pub has_times: bool,
    /// While a capture is replayed, the last frame that has come.
    until: Option<u64>,
    /// What there is of a frame whose end has not come.
    pub partial: Option<Event>,
    /// Frames that came, kept or not.
    pub total_events: u64,
    /// What is not kept any more.
    pub dropped: Dropped,
    /// What the recording does not hold.
    pub missing: Dropped,
    /// Whether nothing more can come.
    pub ended: bool,
}

impl Model {
    /// Takes in what happened.
    pub fn take(&mut self, batch: &Batch) -> Change {
        let mut change = Change::default();
        if batch.anew {
            let filter = mem::take(&mut self.filter);
            let until = self.until;
            *self = Self {
                filter,
                until,
                ..Self::default()
            };
            change.anew = true;
        }
        self.streams.extend(batch.streams.iter().cloned());
        let is_gone = |s: &mut Streamed| s.response.number < batch.first_stream;
        while let Some(gone) = self.streams.pop_front_if(is_gone) {
            self.last.remove(&gone.response.number);
        }
        let first = batch.first;
        while self.frames.pop_front_if(|f| f.sequence() < first).is_some() {}
        while self.notable.pop_front_if(|n| n.0 < first).is_some() {}
        while self.heads.pop_front_if(|head| *head < first).is_some() {}
        while self.rows.pop_front_if(|row| *row < first).is_some() {
            change.gone += 1;
        }
        for kept in &batch.records {
            let frame = self.frame(kept);
            if self.filter.takes(&frame) && self.has_come(frame.sequence()) {
                self.rows.push_back(frame.sequence());
                change.added += 1;
            }
            let stalled = frame.is_stalled();
            if stalled || is_bad(&kept.record) {
                self.notable.push_back((frame.sequence(), stalled));
            }
            if let RecordKind::Event(event) = &kept.record.what {
                self.has_ids |= event.id.is_some();
            }
            let is_head = matches!(kept.record.what, RecordKind::Response);
            self.has_times |= !is_head && kept.record.time.is_some();
            self.frames.push_back(frame);
        }
        self.partial.clone_from(&batch.partial);
        self.total_events = batch.total_events;
        self.dropped = batch.dropped;
        self.missing = batch.missing;
        self.ended = batch.ended;
        change
    }

    fn frame(&mut self, kept: &StoredRecord) -> Frame {
        let record = &kept.record;
        let stream = record.response.number;
        let gap = match (&record.what, record.time) {
            (RecordKind::Event(_) | RecordKind::Foreign(_), Some(time)) => {
                let begun = record.response.started.map(|started| {
                    let first_byte = record.response.first_byte.unwrap_or(0);
                    started.saturating_add(first_byte)
                });
                let before = self.last.insert(stream, time).or(begun);
                before.map(|before| time.saturating_sub(before).max(0))
            }
            _ => None,
        };
        self.has_gap |= record.sequence != self.newest + 1;
        self.newest = record.sequence;
        let is_head = matches!(record.what, RecordKind::Response);
        if is_head {
            self.heads.push_back(record.sequence);
        }
        let came = self.came.entry(stream).or_default();
        *came += u64::from(!is_head);
        let number = (!is_head && !self.has_gap).then_some(*came);
        let bytes = match &record.what {
            RecordKind::Response => 0,
            RecordKind::Event(event) => event.raw.len(),
            RecordKind::Foreign(foreign) => foreign.text.len(),
        };
        Frame {
            kept: kept.clone(),
            gap,
            bytes,
            number,
        }
    }

    fn has_come(&self, sequence: u64) -> bool {
        self.until.is_none_or(|until| sequence <= until)
    }

    fn lay_out(&mut self) {
        let rows = self
            .frames
            .iter()
            .filter(|frame| self.filter.takes(frame) && self.has_come(frame.sequence()))
            .map(Frame::sequence);
        self.rows = rows.collect();
    }

    /// Makes others rows.
    pub fn set_filter(&mut self, filter: Filter) {
        if filter != self.filter {
            self.filter = filter;
            self.lay_out();
        }
    }

    /// Shows only what had come by then; none = everything.
    pub fn set_until(&mut self, until: Option<u64>) {
        match (self.until, until) {
            // A step of a replay costs what it adds.
            (Some(old), Some(new)) if new >= old => {
                let from = self.index_of(old + 1);
                let added: Vec<u64> = self
                    .frames
                    .range(from..)
                    .take_while(|frame| frame.sequence() <= new)
                    .filter(|frame| self.filter.takes(frame))
                    .map(Frame::sequence)
                    .collect();
                self.rows.extend(added);
                self.until = until;
            }
            (old, new) if old == new => {}
            _ => {
                self.until = until;
                self.lay_out();
            }
        }
    }

    /// Where a frame of this number is or would be.
    fn index_of(&self, sequence: u64) -> usize {
        let first = self.frames.front().map_or(sequence, Frame::sequence);
        usize::try_from(sequence.saturating_sub(first))
            .unwrap_or(usize::MAX)
            .min(self.frames.len())
    }

    /// How many frames are kept, and how many of them are rows, without the heads of responses.
    pub fn counts(&self) -> (usize, usize) {
        let heads = self.heads.iter();
        let shown = heads.filter(|head| self.is_row(**head).is_some()).count();
        let kept = self.frames.len().saturating_sub(self.heads.len());
        (kept, self.rows.len().saturating_sub(shown))
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The frame in a row.
    pub fn at(&self, row: usize) -> Option<&Frame> {
        self.by_sequence(*self.rows.get(row)?)
    }

    /// The frame of this number.
    pub fn by_sequence(&self, sequence: u64) -> Option<&Frame> {
        self.frames
            .get(self.index_of(sequence))
            .filter(|frame| frame.sequence() == sequence)
    }

    /// The row of a frame, or the one before where it would be.
    pub fn row_of(&self, sequence: u64) -> Option<usize> {
        let at = self.rows.partition_point(|row| *row <= sequence);
        (!self.rows.is_empty()).then(|| at.saturating_sub(1))
    }

    /// Whether a frame is a row.
    pub fn is_row(&self, sequence: u64) -> Option<usize> {
        self.rows.binary_search(&sequence).ok()
    }

    /// Rows after a pause or that tell of trouble, the newest ones; true = a pause.
    pub fn notable(&self, most: usize) -> impl Iterator<Item = (usize, bool)> {
        let notable = self.notable.iter().rev().take(most);
        notable.filter_map(|(sequence, stalled)| Some((self.is_row(*sequence)?, *stalled)))
    }

    /// Frames that are kept and hidden by their kind.
    pub fn hidden(&self) -> usize {
        if self.filter.hidden.is_empty() {
            return 0;
        }
        self.frames
            .iter()
            .filter(|frame| self.filter.is_of(frame))
            .filter(|frame| self.has_come(frame.sequence()))
            .count()
            .saturating_sub(self.rows.len())
    }

    /// The kinds of the frames of the response shown, or of all, with their numbers.
    pub fn kinds(&self) -> BTreeMap<String, usize> {
        let mut kinds = BTreeMap::new();
        for frame in self.frames.iter().filter(|frame| self.filter.is_of(frame)) {
            let kind = kind(&frame.kept.record).to_owned();
            *kinds.entry(kind).or_default() += 1;
        }
        kinds
    }

    /// The response of this number.
    pub fn stream(&self, number: u64) -> Option<&Streamed> {
        let first = self.streams.front()?.response.number;
        let index = usize::try_from(number.checked_sub(first)?).ok()?;
        self.streams.get(index)
    }

    /// The nearest row after `from` (or before) that is wanted, around the end.
    pub fn find(
        &self,
        from: Option<usize>,
        back: bool,
        mut wanted: impl FnMut(&Frame) -> bool,
    ) -> Option<usize> {
        let len = self.rows.len();
        let from = from.unwrap_or_else(|| if back { 0 } else { len.saturating_sub(1) });
        around(len, from, back).find(|row| self.at(*row).is_some_and(&mut wanted))
    }

    /// Frames from `from` on that have come by now and belong to the response shown.
    pub fn from(&self, sequence: u64) -> impl Iterator<Item = &Frame> {
        self.frames
            .range(self.index_of(sequence)..)
            .filter(|frame| self.filter.takes(frame))
    }

    /// Records as they may be written anywhere: of one response, or of all.
    pub fn records(&self, stream: Option<u64>, secrets: bool) -> Vec<Arc<Record>> {
        self.frames
            .iter()
            .filter(|frame| stream.is_none_or(|stream| stream == frame.stream()))
            .map(|frame| Arc::clone(frame.shown(secrets)))
            .collect()
    }
}

/// Whether a frame has what is searched.
pub fn matches(record: &Record, regex: &Regex) -> bool {
    match &record.what {
        RecordKind::Response => regex.is_match(&response_line(&record.response)),
        RecordKind::Foreign(foreign) => regex.is_match(&foreign.text),
        RecordKind::Event(event) => match std::str::from_utf8(&event.raw) {
            Ok(text) => regex.is_match(text),
            Err(_) => regex.is_match(&String::from_utf8_lossy(&event.raw)),
        },
    }
}

/// Who answered, in a line: `200 anthropic claude-x`.
pub fn response_line(response: &Response) -> String {
    let status = response.status.map(|status| status.to_string());
    let parts = [
        status.as_deref(),
        response.provider.as_deref(),
        response.model.as_deref(),
        response.request.as_deref(),
        response.request_id.as_deref(),
    ];
    joined(parts.into_iter().flatten(), "  ")
}

/// A short look at a message, for a row of the list of responses.
#[derive(Debug, Default)]
pub struct Glance {
    /// Frames until now.
    pub events: u64,
    /// Milliseconds to the first byte.
    pub first_byte: Option<i64>,
    /// The model that answers.
    pub model: Option<String>,
    /// Whether it ended as it should.
    pub finished: bool,
    /// Whether it told an error.
    pub failed: bool,
    /// Pauses.
    pub stalled: u64,
}

impl Glance {
    /// At a response.
    pub fn at(stream: &Streamed, redactor: &Redactor) -> Self {
        let message = lock(&stream.message);
        let response = &stream.response;
        let since = |at: Option<i64>| at?.checked_sub(message.timing.started?);
        Self {
            events: message.events,
            first_byte: response
                .first_byte
                .or_else(|| since(message.timing.first_event)),
            model: response.model.clone().or_else(|| {
                let model = message.model.as_deref()?;
                Some(redactor.redact(model).into_owned())
            }),
            finished: message.finished,
            failed: message.error.is_some() || is_refused(response),
            stalled: message.timing.stalled,
        }
    }
}

#[cfg(test)]
pub mod tests;
