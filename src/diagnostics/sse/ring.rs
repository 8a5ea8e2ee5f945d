//! The newest records, within omp's limits.
//!
//! What comes is counted before it is decided what is kept, so that a reader can tell how much is missing. Whoever listens is told of
//! every record; one who fails is not told any more, and the capture goes on.

use std::{
    fmt::Write as _,
    panic::{AssertUnwindSafe, catch_unwind},
};

use super::record::{Event, Foreign, Record, Response, What};
use crate::prelude::*;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    pub records: u64,
    /// How many characters they had.
    pub chars: u64,
}

/// Names a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenerId(u64);

type Listener = Box<dyn FnMut(&Arc<Record>) -> Result<(), String> + Send>;

/// Keeps the newest records of any number of responses.
#[derive(Default)]
pub struct Ring {
    limits: Limits,
    records: VecDeque<(Arc<Record>, usize)>,
    chars: usize,
    dropped: Dropped,
    sequence: u64,
    responses: u64,
    total_events: u64,
    current: Option<Arc<Response>>,
    listeners: Vec<(ListenerId, Listener)>,
    listened: u64,
    failures: Vec<String>,
}

impl std::fmt::Debug for Ring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ring")
            .field("records", &self.records.len())
            .field("chars", &self.chars)
            .field("dropped", &self.dropped)
            .finish_non_exhaustive()
    }
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
        self.keep(time, What::Response)
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
        self.keep(time, What::Event(event))
    }

    /// Something came that is no event.
    pub fn foreign(&mut self, mut foreign: Foreign, time: Option<i64>) -> Arc<Record> {
        foreign.trim();
        self.keep(time, What::Foreign(foreign))
    }

    fn keep(&mut self, time: Option<i64>, what: What) -> Arc<Record> {
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
        self.tell(&record);
        record
    }

    fn tell(&mut self, record: &Arc<Record>) {
        let failures = &mut self.failures;
        self.listeners.retain_mut(|(_, listener)| {
            match catch_unwind(AssertUnwindSafe(|| listener(record))) {
                Ok(Ok(())) => true,
                Ok(Err(why)) => {
                    failures.push(why);
                    false
                }
                Err(_) => {
                    failures.push("it panicked".to_owned());
                    false
                }
            }
        });
    }

    /// Tells of every record from now on.
    pub fn listen(
        &mut self,
        listener: impl FnMut(&Arc<Record>) -> Result<(), String> + Send + 'static,
    ) -> ListenerId {
        self.listened += 1;
        let id = ListenerId(self.listened);
        self.listeners.push((id, Box::new(listener)));
        id
    }

    /// Tells no more.
    pub fn unlisten(&mut self, id: ListenerId) {
        self.listeners.retain(|(known, _)| *known != id);
    }

    /// Why listeners were not told any more, since this was asked last.
    pub fn take_failures(&mut self) -> Vec<String> {
        std::mem::take(&mut self.failures)
    }

    /// What is kept, oldest first.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = &Arc<Record>> + ExactSizeIterator {
        self.records.iter().map(|(record, _)| record)
    }

    /// How many frames came, kept or not.
    pub fn total_events(&self) -> u64 {
        self.total_events
    }

    /// What is not kept any more.
    pub fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// Everything as omp writes `raw-sse.txt`.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.chars + 80);
        if self.dropped.records > 0 {
            let Dropped { records, chars } = self.dropped;
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                ": omp-debug-dropped records={records} chars={chars}\n"
            );
        }
        for record in self.records() {
            let lines = record.text();
            text.push_str(lines.trim_end_matches(['\n', '\r']));
            text.push_str("\n\n");
        }
        text
    }
}
