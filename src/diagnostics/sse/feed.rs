//! A source as a screen wants it: read while somebody looks, kept within limits, told in batches, without secrets unless they are
//! asked for.
//!
//! A feed lives on while nobody looks: then nothing is read, and who looks again is told first what is kept. What is a file is read
//! on as it grows; what is a pipe waits in the pipe meanwhile.

mod origin;

use std::io::PipeReader;

use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::OFlags,
};

use super::{
    bundle,
    follow::{Follow, Piece},
    recorder::{OPEN, Recorder, RecorderEvent, StoredRecord, Streamed},
    ring::Limits,
    source::Source,
};
use crate::sse::prelude::*;

pub use origin::{Origin, Stop, Stopped};

/// What is read at once.
const BLOCK: usize = 64 * 1024;
/// Records that are told at once, at most.
const BATCH: usize = 2000;
/// What is kept of a file, which is all there and can be read again.
const OF_FILES: Limits = Limits {
    records: 10_000,
    chars: 8_000_000,
};
/// Most bytes of an unfinished frame that are shown.
const PARTIAL: usize = 64 * 1024;

/// What happened since the last batch.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Everything that is kept follows: what was told before is void.
    pub anew: bool,
    /// New records, in their order.
    pub records: Vec<StoredRecord>,
    /// New responses.
    pub streams: Vec<Streamed>,
    /// What there is of a frame whose end has not come.
    pub partial: Option<Event>,
    /// The oldest record that is kept has this number.
    pub first: u64,
    /// The oldest response that is kept has this number.
    pub first_stream: u64,
    /// Frames that came, kept or not.
    pub total_events: u64,
    /// What is not kept any more.
    pub dropped: Dropped,
    /// What the recording says that it does not hold.
    pub missing: Dropped,
    /// Whether nothing more can come.
    pub ended: bool,
    /// What a person should know.
    pub notes: Vec<String>,
}

#[derive(Debug, Default)]
enum Reader {
    /// Not opened yet.
    #[default]
    Closed,
    File(Follow),
    Pipe(File),
    Input,
    /// There is no more.
    Ended,
}

/// A source and what is kept of it.
#[derive(Debug, Default)]
pub struct Feed {
    origin: Origin,
    redactor: Redactor,
    reader: Reader,
    source: Source,
    recorder: Recorder,
    /// What its records were before they were redacted.
    plain: HashMap<u64, Arc<Record>>,
    streams: VecDeque<Streamed>,
    missing: Dropped,
    /// All that was there was understood as a whole: if it grows, it is read anew.
    whole: bool,
    /// What was told last of the unfinished frame.
    partial: Option<Event>,
    next: Batch,
}

type Sink<'s> = &'s mut dyn FnMut(Batch) -> bool;

pub fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

impl Feed {
    /// Nothing is read yet.
    pub fn new(origin: Origin, redactor: Redactor) -> Self {
        Self {
            recorder: Recorder::for_screen(
                redactor.clone(),
                match origin {
                    Origin::File(_) => OF_FILES,
                    Origin::Input | Origin::Live(_) => Limits::default(),
                },
            ),
            origin,
            redactor,
            ..Self::default()
        }
    }

    /// What passes, as a capture that comes through this pipe. It says itself when things came.
    pub fn live(name: String, pipe: PipeReader, redactor: Redactor) -> Self {
        Self {
            reader: Reader::Pipe(File::from(OwnedFd::from(pipe))),
            ..Self::new(Origin::Live(name), redactor)
        }
    }

    /// Says this to whoever looks.
    pub fn note(&mut self, text: String) {
        self.next.notes.push(text);
    }

    /// Where it comes from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What takes the secrets out.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Tells what is kept, then reads until it is stopped or there is no more. `sink` gives false when nobody listens any more.
    pub fn run(&mut self, stopped: &Stopped, sink: Sink<'_>) -> Result<(), String> {
        if matches!(self.reader, Reader::Closed) {
            self.reader = open(&self.origin).map_err(|error| self.origin.failed(&error))?;
            if let Origin::File(path) = &self.origin
                && matches!(self.reader, Reader::Ended)
            {
                let bytes = bundle::content(path);
                let bytes = bytes.map_err(|error| self.origin.failed(&error))?;
                self.take(&bytes, None);
                self.finish(None);
            }
            if matches!(self.reader, Reader::Pipe(_) | Reader::Input) {
                self.recorder.began = Some(now());
            }
        }
        self.next = self.everything();
        // What is in a file is there at once: an empty screen before it would only flicker.
        let is_first = matches!(self.reader, Reader::File(_)) && self.next.records.is_empty();
        if !is_first && !self.flush(sink) {
            return Ok(());
        }
        // Taken out, so that reading can change the rest.
        let mut reader = std::mem::replace(&mut self.reader, Reader::Ended);
        let has_ended = match &mut reader {
            Reader::File(follow) => self.follow(follow, stopped, sink).map(|()| false),
            Reader::Pipe(file) => self.pipe(file.as_fd(), stopped, sink),
            Reader::Input => self.pipe(io::stdin().as_fd(), stopped, sink),
            Reader::Closed | Reader::Ended => Ok(true),
        };
        match has_ended {
            Ok(true) => Ok(()),
            Ok(false) => {
                self.reader = reader;
                Ok(())
            }
            Err(error) => {
                // What came until then is worth reading.
                self.finish(None);
                self.flush(sink);
                Err(self.origin.failed(&error))
            }
        }
    }

    /// Goes on until it is stopped or the file cannot be followed any more.
    fn follow(&mut self, follow: &mut Follow, stopped: &Stopped, sink: Sink<'_>) -> io::Result<()> {
        loop {
            let mut listened = true;
            let read = follow.read(&mut |piece| {
                match piece {
                    Piece::Old(bytes) => self.take(bytes, None),
                    Piece::New(bytes) => self.take(bytes, Some(now())),
                    Piece::Anew => {
                        self.finish(None);
                        self.next.notes.push("the file begins anew".to_owned());
                    }
                }
                if self.next.records.len() >= BATCH {
                    listened = self.flush(sink);
                }
                if listened {
                    Ok(())
                } else {
                    Err(io::ErrorKind::Interrupted.into())
                }
            });
            if !listened {
                return Ok(());
            }
            read?;
            if self.source.waits_for_its_end() {
                self.finish(None);
                self.whole = true;
            }
            if !self.flush(sink) {
                return Ok(());
            }
            if follow.wait(stopped.as_fd())? {
                return Ok(());
            }
            if self.whole
                && let Origin::File(path) = &self.origin
            {
                *follow = Follow::open(path)?;
                self.forget();
            }
        }
    }

    /// Goes on until it is stopped (false) or ends.
    fn pipe(
        &mut self,
        from: BorrowedFd<'_>,
        stopped: &Stopped,
        sink: Sink<'_>,
    ) -> io::Result<bool> {
        let mut buffer = vec![0; BLOCK];
        loop {
            let mut watched = [
                PollFd::new(&from, PollFlags::IN),
                PollFd::new(stopped, PollFlags::empty()),
            ];
            match poll(&mut watched, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let [input, stop] = watched;
            if stop.revents().intersects(PollFlags::HUP | PollFlags::ERR) {
                return Ok(false);
            }
            if input.revents().is_empty() {
                continue;
            }
            match rustix::io::read(from, &mut buffer) {
                Ok(0) => {
                    self.finish(Some(now()));
                    self.next.ended = true;
                    self.flush(sink);
                    return Ok(true);
                }
                Ok(read) => {
                    self.take(buffer.get(..read).unwrap_or_default(), Some(now()));
                    if !self.flush(sink) {
                        return Ok(false);
                    }
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn take(&mut self, bytes: &[u8], time: Option<i64>) {
        let recorder = &mut self.recorder;
        self.source
            .push(bytes, time, &mut |item| recorder.item(item, time));
        self.hear();
    }

    fn finish(&mut self, time: Option<i64>) {
        let recorder = &mut self.recorder;
        self.source
            .finish(time, &mut |item| recorder.item(item, time));
        self.hear();
    }

    /// Everything from the beginning.
    fn forget(&mut self) {
        let (origin, redactor) = (self.origin.clone(), self.redactor.clone());
        *self = Self::new(origin, redactor);
        self.next.anew = true;
    }

    fn hear(&mut self) {
        for told in self.recorder.take() {
            match told {
                RecorderEvent::Begin(stream) => {
                    self.streams.push_back(stream.clone());
                    if self.streams.len() > OPEN {
                        self.streams.pop_front();
                    }
                    self.next.streams.push(stream);
                }
                RecorderEvent::Record(kept) => {
                    if let Some(plain) = &kept.plain {
                        self.plain.insert(plain.sequence, Arc::clone(plain));
                    }
                    self.next.records.push(kept);
                }
                RecorderEvent::Dropped(dropped) => {
                    self.missing.records += dropped.records;
                    self.missing.chars += dropped.chars;
                }
                RecorderEvent::Note(text) => {
                    self.note(sanitise(&self.redactor.redact(&text)).into_owned());
                }
                RecorderEvent::Message(..) => {}
            }
        }
    }

    /// All that is kept, as a batch.
    fn everything(&mut self) -> Batch {
        let records = self.recorder.ring.records().map(|record| StoredRecord {
            record: Arc::clone(record),
            plain: self.plain.get(&record.sequence).cloned(),
        });
        Batch {
            anew: true,
            records: records.collect(),
            streams: self.streams.iter().cloned().collect(),
            ended: matches!(self.reader, Reader::Ended),
            notes: std::mem::take(&mut self.next.notes),
            ..Batch::default()
        }
    }

    fn flush(&mut self, sink: Sink<'_>) -> bool {
        // Nothing more comes for now.
        self.recorder.settle();
        self.hear();
        let mut batch = std::mem::take(&mut self.next);
        let partial = self.source.peek(PARTIAL).map(|mut event| {
            event.redact(&self.redactor);
            event
        });
        let is_news = batch.anew
            || batch.ended
            || partial != self.partial
            || !(batch.records.is_empty() && batch.streams.is_empty() && batch.notes.is_empty());
        if !is_news {
            // Something else in the folder changed.
            return true;
        }
        self.partial.clone_from(&partial);
        batch.partial = partial;
        let ring = &self.recorder.ring;
        batch.first = ring.records().next().map_or(1, |r| r.sequence);
        batch.first_stream = self.streams.front().map_or(1, |s| s.response.number);
        batch.total_events = ring.total_events;
        batch.dropped = ring.dropped;
        batch.missing = self.missing;
        // What came and went in the same moment.
        batch
            .records
            .retain(|kept| kept.record.sequence >= batch.first);
        if !batch.records.is_empty() {
            let first = batch.first;
            self.plain.retain(|sequence, _| *sequence >= first);
        }
        sink(batch)
    }
}

fn open(origin: &Origin) -> io::Result<Reader> {
    let Origin::File(path) = origin else {
        return Ok(Reader::Input);
    };
    let meta = std::fs::metadata(path)?;
    if meta.is_file() {
        if bundle::is_compressed(path)? {
            return Ok(Reader::Ended);
        }
        return Ok(Reader::File(Follow::open(path)?));
    }
    if meta.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // A pipe without a writer must not hold us here.
    let opened = rustix::fs::open(
        path,
        OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC,
        rustix::fs::Mode::empty(),
    )?;
    Ok(Reader::Pipe(File::from(opened)))
}
