//! The newest records, within omp's limits.
//!
//! What comes is counted before it is decided what is kept, so that a reader can tell how much is missing.

use super::record::RecordKind;
use crate::sse::prelude::*;

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most records.
    pub records: usize,
    /// Most characters of all of them, in UTF-16 units.
    pub chars: usize,
}

impl Default for Limits {
    /// Those of omp.
    fn default() -> Self {
        Self {
            records: 1000,
            chars: 512_000,
        }
    }
}

/// What is not kept any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    pub records: u64,
    /// How many characters they had.
    pub chars: u64,
}

/// Keeps the newest records of any number of responses.
#[derive(Debug, Default)]
pub struct Ring {
    limits: Limits,
    records: VecDeque<(Arc<Record>, usize)>,
    chars: usize,
    /// What is not kept any more.
    pub dropped: Dropped,
    sequence: u64,
    responses: u64,
    /// How many frames came, kept or not.
    pub total_events: u64,
    current: Option<Arc<Response>>,
}

impl Ring {
    /// With room for more or less than omp keeps.
    pub fn with_limits(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// A response begins; what comes next belongs to it. Its number is given here.
    pub fn begin(&mut self, mut response: Response, time: Option<i64>) -> Arc<Record> {
        self.responses += 1;
        response.number = self.responses;
        self.current = Some(Arc::new(response));
        self.keep(time, RecordKind::Response)
    }

    /// A response of which nobody told when it began.
    pub fn unannounced(&mut self) -> Arc<Response> {
        self.responses += 1;
        let response = Arc::new(Response {
            number: self.responses,
            ..Response::default()
        });
        self.resume(&response);
        response
    }

    /// What comes next belongs to a response that began before: of several that come at once.
    pub fn resume(&mut self, response: &Arc<Response>) {
        self.current = Some(Arc::clone(response));
    }

    /// A frame came. One that is too long is trimmed.
    pub fn event(&mut self, mut event: Event, time: Option<i64>) -> Arc<Record> {
        self.total_events += 1;
        event.trim();
        self.keep(time, RecordKind::Event(event))
    }

    /// Something came that is no event.
    pub fn foreign(&mut self, mut foreign: Foreign, time: Option<i64>) -> Arc<Record> {
        foreign.trim();
        self.keep(time, RecordKind::Foreign(foreign))
    }

    fn keep(&mut self, time: Option<i64>, what: RecordKind) -> Arc<Record> {
        let response = match &self.current {
            Some(response) => Arc::clone(response),
            None => self.unannounced(),
        };
        self.sequence += 1;
        let record = Arc::new(Record {
            sequence: self.sequence,
            time,
            response,
            what,
        });
        let chars = record.chars();
        self.chars += chars;
        self.records.push_back((Arc::clone(&record), chars));
        while self.records.len() > self.limits.records || self.chars > self.limits.chars {
            let Some((_, gone)) = self.records.pop_front() else {
                break;
            };
            self.chars -= gone;
            self.dropped.records += 1;
            self.dropped.chars += gone as u64;
        }
        record
    }

    /// What is kept, oldest first.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = &Arc<Record>> + ExactSizeIterator {
        self.records.iter().map(|(record, _)| record)
    }
}
