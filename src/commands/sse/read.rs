//! A source that has an end, or is followed: what came over an event stream, as lines or as JSON, while it comes.
//!
//! Reading and putting together is done in `diagnostics::sse`.

use std::{
    io::{self, Read, Stdout},
    os::fd::AsFd as _,
};

use super::{
    args::SseArgs,
    out::{BLOCK, Form, Sheet},
};
use crate::{
    commands::prelude::*,
    diagnostics::sse::{Follow, Item, Piece, Recorder, Replay, Source, UNTELLING},
};

/// A source that cannot be read.
pub fn unreadable(source: &Path, error: &io::Error) -> Failure {
    let source = source.to_string_lossy();
    Failure::failed(format!("cannot read {source:?}: {error}"))
}

/// One without anything that a stream has.
pub fn no_events(source: &str) -> Failure {
    Failure::failed(format!(
        "no event stream in {source}: none of its lines is a field of an event or a comment"
    ))
}

/// Reads the source to its end and writes what it says, without secrets if there is a redactor.
pub fn run(source: &Path, args: &SseArgs, redactor: Option<Redactor>) -> Result<()> {
    if redactor.is_none() {
        warn("keys and tokens are shown as they are");
    }
    if source == Path::new("-") {
        if args.follow {
            return Err(Failure::usage(
                "standard input is read until it ends: --follow is for files",
            ));
        }
        let told = &mut Reading::new(args, redactor, Some(now()));
        return read(&mut stdin(), source, told);
    }
    let unreadable = |error| unreadable(source, &error);
    // Pipes and devices give what comes, as standard input does.
    let is_file = std::fs::metadata(source).map_err(unreadable)?.is_file();
    if is_file && args.follow {
        return follow(source, &mut Reading::new(args, redactor, None));
    }
    let mut file = std::fs::File::open(source).map_err(unreadable)?;
    let began = (!is_file).then(now);
    read(&mut file, source, &mut Reading::new(args, redactor, began))
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

fn read(from: &mut dyn Read, name: &Path, told: &mut Reading) -> Result<()> {
    let mut buffer = vec![0; BLOCK];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                let time = told.is_live.then(now);
                told.take(buffer.get(..read).unwrap_or_default(), time)?;
                if told.read > UNTELLING {
                    told.look_ahead();
                    told.is_stream(name)?;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                // What came until then is worth reading.
                told.finish()?;
                return Err(unreadable(name, &error));
            }
        }
    }
    told.finish()?;
    told.is_stream(name)
}

fn follow(path: &Path, told: &mut Reading) -> Result<()> {
    let unreadable = |error| unreadable(path, &error);
    let mut file = Follow::open(path).map_err(unreadable)?;
    loop {
        let mut failure = None;
        let read = file.read(&mut |piece| {
            let done = match piece {
                Piece::Old(bytes) => told.take(bytes, None),
                Piece::New(bytes) => told.take(bytes, Some(now())),
                Piece::Anew => {
                    let name = path.display().to_string();
                    warn(&format!("{name:?} begins anew"));
                    told.finish()
                }
            };
            done.map_err(|error| {
                failure = Some(error);
                io::ErrorKind::Other.into()
            })
        });
        match (failure, read) {
            (Some(failure), _) => return Err(failure),
            (None, read) => read.map_err(unreadable)?,
        }
        if file.wait(told.out.as_fd()).map_err(unreadable)? {
            return Ok(());
        }
    }
}

/// What is told of one source.
struct Reading {
    out: Stdout,
    source: Source,
    recorder: Recorder,
    sheet: Sheet,
    /// Whether things come as they happen.
    is_live: bool,
    /// Bytes that came.
    read: u64,
    /// Whether a frame or anything else was found, and whether that was part of a stream: before it nothing is written.
    found: (bool, bool),
    /// When the first record was told, and when the others are due.
    replay: Option<(Instant, Replay)>,
}

impl Reading {
    fn new(args: &SseArgs, redactor: Option<Redactor>, began: Option<i64>) -> Self {
        let form = if args.json { Form::Json } else { Form::Text };
        let replay = args.replay.clone().map(|replay| (Instant::now(), replay));
        let mut recorder = Recorder::new(redactor, args.json);
        recorder.began = began;
        Self {
            recorder,
            sheet: Sheet::new(form),
            out: stdout(),
            source: Source::default(),
            is_live: began.is_some(),
            read: 0,
            found: (false, false),
            replay,
        }
    }

    fn take(&mut self, bytes: &[u8], time: Option<i64>) -> Result<()> {
        self.read += bytes.len() as u64;
        let mut items = Vec::new();
        self.source.push(bytes, time, &mut |item| items.push(item));
        self.items(items, time)
    }

    fn finish(&mut self) -> Result<()> {
        let time = self.is_live.then(now);
        let mut items = Vec::new();
        self.source.finish(time, &mut |item| items.push(item));
        self.items(items, time)?;
        self.recorder.finish();
        self.flush()
    }

    /// Takes what has no end yet for what it is until now: some sources give nothing else.
    fn look_ahead(&mut self) {
        let unfinished = if self.found.0 {
            None
        } else {
            self.source.peek(usize::MAX)
        };
        if let Some(event) = unfinished {
            self.found = (true, Item::Event(event, None).is_telling());
        }
    }

    /// Refuses what has been nothing so far that a stream has.
    fn is_stream(&self, name: &Path) -> Result<()> {
        match self.found {
            (true, false) if name == Path::new("-") => Err(no_events("standard input")),
            (true, false) => Err(no_events(&format!("{:?}", name.to_string_lossy()))),
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.hear();
        if !self.found.1 {
            return Ok(());
        }
        Ok(self.sheet.write_to(&mut self.out)?)
    }

    fn hear(&mut self) {
        for told in self.recorder.take() {
            self.sheet.told(&told);
        }
    }

    fn items(&mut self, items: Vec<Item>, time: Option<i64>) -> Result<()> {
        for item in items {
            self.found = (true, self.found.1 || item.is_telling());
            if let Some((began, replay)) = &mut self.replay {
                let due = *began + replay.due(time_of(&item));
                let wait = due.saturating_duration_since(Instant::now());
                if !wait.is_zero() {
                    self.flush()?;
                    std::thread::sleep(wait);
                }
            }
            self.recorder.item(item, time);
            self.hear();
            if self.sheet.is_full() {
                self.flush()?;
            }
        }
        self.flush()
    }
}

/// When it came, as far as the recording tells.
fn time_of(item: &Item) -> Option<i64> {
    match item {
        Item::Response(response) => {
            let started = response.started?;
            Some(started + response.first_byte.unwrap_or(0))
        }
        Item::Event(_, time) => *time,
        Item::Of(_) | Item::Foreign(_) | Item::Dropped(_) | Item::Note(_) | Item::Assembled => None,
    }
}
