//! What is read, answered, copied, saved.

use base::locks::lock;
use diagnostics::{
    sse::{
        Assembly, Batch, Dropped, Feed, Origin, Record, RecordKind, Stop, Streamed, export,
        recorded,
    },
    whole::NotWritten,
};

use super::{
    DetailKind, MessageLines, Opening, Spelled, SseRoute,
    detail::{self, Mode},
    model::{Frame, kind, response_of},
};
use crate::prelude::*;

/// Names of what is done beside the drawing task.
const READ: &str = "sse.read";
const FIND: &str = "sse.find";
const OPEN: &str = "sse.open";
const SAVE: &str = "sse.save";
const WRITE: &str = "sse.write";
pub const REPLAY: &str = "sse.replay";
/// Remarks that are kept.
const NOTES: usize = 20;

/// Knows the secrets in our own environment.
fn own_redactor() -> Redactor {
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Redactor::new().with_secrets(variables)
}

/// Asks which file is to be opened.
pub fn ask_for_a_file(cx: &Cx) {
    let hint = "a capture, raw-sse.txt, a HAR file, a report bundle";
    cx.ask_for_file("Open a stream", hint, "", |path| {
        let look = move |_: &Teller| (std::fs::metadata(&path).map(drop), path);
        Effect::finding(
            OPEN,
            look,
            |s: &mut SseRoute, (there, path), cx| match there {
                Ok(()) => s.open_file(path, cx),
                Err(error) => cx.warn(format!("cannot read {:?}: {error}", path.to_string_lossy())),
            },
        )
    });
}

impl SseRoute {
    // Reading.

    /// Nothing runs any more; what is kept stays.
    pub(super) fn rest(&mut self, cx: &Cx) {
        self.stop = None;
        self.writing = None;
        for name in [READ, FIND, WRITE, REPLAY] {
            cx.end_work(name);
        }
        if let Some(replay) = &mut self.replay {
            replay.paused = true;
        }
    }

    /// Reads what is open, or looks for what could be.
    pub(super) fn start(&mut self, cx: &Cx) {
        let Some((_, feed)) = &self.source else {
            let folder = cx.view.omp.reports.clone();
            cx.work(FIND, move |teller| {
                let mut notes = Vec::new();
                let found = recorded(&folder, &mut |note| notes.push(note));
                teller.call(|s: &mut Self, _| {
                    let at = s.sources.selected().unwrap_or(0);
                    s.sources.select((!found.is_empty()).then_some(at));
                    s.recorded = Some(found);
                    s.notes = notes;
                });
            });
            return;
        };
        let (stop, stopped) = match Stop::pair() {
            Ok(pair) => pair,
            Err(error) => {
                self.failed = Some(format!("cannot begin to read: {error}"));
                return;
            }
        };
        self.stop = Some(stop);
        self.failed = None;
        self.reading = true;
        let feed = Arc::clone(feed);
        cx.work(READ, move |teller| {
            let mut feed = lock(&feed);
            let done = feed.run(&stopped, &mut |batch| {
                teller.call(move |s: &mut Self, cx| {
                    s.batch(&batch);
                    s.refresh(cx);
                })
            });
            if let Err(error) = done {
                teller.call(move |s: &mut Self, _| {
                    s.failed = Some(error);
                    s.reading = false;
                });
            }
        });
    }

    /// Shows another stream.
    pub(super) fn open(&mut self, opening: Opening, cx: &Cx) {
        self.rest(cx);
        *self = Self {
            shown: self.shown,
            recorded: self.recorded.take(),
            redactor: opening.redactor,
            secrets: opening.secrets,
            source: Some((opening.origin, opening.feed)),
            mode: self.mode,
            sources: mem::take(&mut self.sources),
            ..Self::default()
        };
        if self.shown {
            self.start(cx);
        }
    }

    pub(super) fn open_file(&mut self, path: PathBuf, cx: &Cx) {
        let feed = Feed::new(Origin::File(path), own_redactor());
        self.open(Opening::new(feed, false), cx);
    }

    pub(super) fn reload(&mut self, cx: &Cx) {
        let Some((origin, _)) = &self.source else {
            return;
        };
        if !matches!(origin, Origin::File(_)) {
            return cx.info("What has passed cannot be read again.");
        }
        let feed = Feed::new(origin.clone(), self.redactor.clone());
        self.open(Opening::new(feed, self.secrets), cx);
    }

    pub(super) fn close(&mut self, cx: &Cx) {
        let origin = self.source.as_ref().map(|(origin, _)| origin);
        if matches!(origin, Some(Origin::Input | Origin::Live(_))) {
            return cx.warn("What comes goes on being kept here.");
        }
        self.rest(cx);
        *self = Self {
            shown: self.shown,
            mode: self.mode,
            ..Self::default()
        };
        self.start(cx);
    }

    // Answers.

    pub(super) fn batch(&mut self, batch: &Batch) {
        let selected = self.selected().map(Frame::sequence);
        let change = self.model.take(batch);
        self.reading = false;
        self.notes.extend(batch.notes.iter().cloned());
        let old = self.notes.len().saturating_sub(NOTES);
        self.notes.drain(..old);
        if let Some(search) = &mut self.search {
            if change.anew {
                search.found.clear();
            }
            let found = &mut search.found;
            while found.pop_front_if(|seq| *seq < batch.first).is_some() {}
        }
        self.search_in_last(change.added);
        if self.paused || self.replay.is_some() {
            if change.anew {
                self.select_frame(selected);
            } else {
                self.fresh += batch.records.len() as u64;
                self.let_go(change.gone);
            }
            return;
        }
        let newest = self.newest();
        if !self.together && newest.is_some() && self.model.filter.stream != newest {
            self.filter_stream(newest);
        }
        self.select_last();
    }

    /// Rows at the beginning are gone: what is looked at stays where it is.
    fn let_go(&mut self, gone: usize) {
        if gone == 0 {
            return;
        }
        let by = isize::try_from(gone).unwrap_or(isize::MAX);
        let row = self.list.selected().map(|row| row.saturating_sub(gone));
        self.list.select(row);
        self.list.scroll_by(-by, self.model.rows());
    }

    // One thing in full.

    /// The response that is looked at.
    pub(super) fn stream(&self) -> Option<&Streamed> {
        let number = match self.model.filter.stream {
            Some(number) => number,
            None => self.selected()?.stream(),
        };
        self.model.stream(number)
    }

    fn spelled(&self) -> Option<Spelled> {
        let stream = self.stream().filter(|_| self.mode == Mode::Message)?;
        let message = lock(&stream.message);
        Some(Spelled {
            stream: stream.response.number,
            events: message.events,
            secrets: self.secrets,
            until: self.replay.map(|replay| replay.at),
        })
    }

    /// Has the message written that is to be shown, unless that is under way.
    pub(super) fn refresh(&mut self, cx: &Cx) {
        let Some(wanted) = self.spelled() else { return };
        let is_there = self.written.as_ref().is_some_and(|w| w.of == wanted);
        let is_coming = self.writing.is_some_and(|w| w.stream == wanted.stream);
        let Some(stream) = self.stream().filter(|_| !is_there && !is_coming) else {
            return;
        };
        let (message, response) = (Arc::clone(&stream.message), Arc::clone(&stream.response));
        let redactor = (!self.secrets).then(|| self.redactor.clone());
        let replayed = wanted.until.map(|until| {
            let frames = self.model.frames.iter();
            let frames = frames.take_while(|frame| frame.sequence() <= until);
            let frames = frames.filter(|frame| frame.stream() == wanted.stream);
            frames
                .map(|frame| Arc::clone(frame.shown(true)))
                .collect::<Vec<_>>()
        });
        self.writing = Some(wanted);
        cx.work(WRITE, move |teller| {
            let (message, of) = if let Some(records) = replayed {
                (assembled(&records), wanted)
            } else {
                let message = lock(&message);
                let events = message.events;
                (message.clone(), Spelled { events, ..wanted })
            };
            let lines = detail::message(&message, &response, redactor.as_ref());
            teller.call(move |s: &mut Self, cx| {
                s.writing = None;
                s.written = Some(MessageLines { of, lines });
                s.refresh(cx);
            });
        });
    }

    /// Puts into the view what is to be seen in full now. Called when it is drawn: what is not seen costs nothing.
    pub(super) fn settle_detail(&mut self) {
        let number = self.stream().map(|stream| stream.response.number);
        let wanted = match self.mode {
            Mode::Message => {
                let written = self.written.as_ref().map(|written| written.of);
                let written = written.filter(|of| Some(of.stream) == number);
                written.map(DetailKind::Message)
            }
            Mode::Request => number.map(|number| DetailKind::Head(number, self.secrets)),
            mode => self
                .selected()
                .map(|frame| DetailKind::Frame(frame.sequence(), mode == Mode::Raw, self.secrets)),
        };
        let wanted = wanted.unwrap_or(DetailKind::Nothing);
        if self.in_full == Some(wanted) {
            return;
        }
        let lines = match wanted {
            DetailKind::Message(_) => self.written.as_ref().map(|written| written.lines.clone()),
            DetailKind::Head(number, secrets) => {
                let stream = self.model.stream(number);
                stream.map(|stream| detail::head(response_of(stream, secrets)))
            }
            DetailKind::Frame(sequence, raw, secrets) => {
                let frame = self.model.by_sequence(sequence);
                frame.map(|frame| detail::frame(frame.shown(secrets), frame.gap, frame.number, raw))
            }
            DetailKind::Nothing => None,
        };
        let grows = match (self.in_full, wanted) {
            (Some(DetailKind::Message(old)), DetailKind::Message(new)) => old.stream == new.stream,
            _ => false,
        };
        self.detail.set_toned(lines.unwrap_or_default());
        if !grows {
            self.detail.home();
        }
        if let Some(search) = &self.search {
            // The expression was accepted before.
            let Needle {
                text,
                is_expression,
            } = &search.needle;
            let _ = self.detail.search(text, *is_expression);
        } else if matches!(wanted, DetailKind::Message(_)) && !self.paused && grows {
            self.detail.end();
        }
        self.in_full = Some(wanted);
    }

    // Secrets.

    pub(super) fn ask_for_secrets(&mut self, cx: &Cx) {
        if self.secrets {
            return self.show_secrets(false, cx);
        }
        self.asked = true;
        cx.confirm("Show secrets?", vec![
                "Keys, tokens and cookies of this stream stand on the screen then, for everybody who sees it."
                    .to_owned(),
                "What is copied or saved stays without them.".to_owned(),
            ], "show them", vec![Effect::Invoke("sse.secrets-now".to_owned())]);
    }

    pub(super) fn show_secrets(&mut self, secrets: bool, cx: &Cx) {
        self.asked = false;
        self.secrets = secrets;
        self.search_again();
        self.refresh(cx);
    }

    // Taking something away. None of it has secrets, whatever the screen shows.

    pub(super) fn copy(&mut self, cx: &Cx) {
        if matches!(self.mode, Mode::Message | Mode::Request) {
            self.settle_detail();
            let text = self.redactor.redact(&self.detail.text()).into_owned();
            let what = if self.mode == Mode::Message {
                "the message"
            } else {
                "request and response head"
            };
            return cx.copy(text, what);
        }
        let Some(frame) = self.selected() else { return };
        let record = &frame.kept.record;
        let text = sanitise_block(record.text().trim_end_matches(['\n', '\r']));
        let what = format!("frame {} ({})", record.sequence, kind(record));
        cx.copy(text, what);
    }

    pub(super) fn copy_response(&mut self, cx: &Cx) {
        let Some(number) = self.stream().map(|s| s.response.number) else {
            return;
        };
        let records = self.model.records(Some(number), false);
        cx.copy(
            raw_text(&records, Dropped::default()),
            format!("{} of response {number}", counted(records.len(), "record")),
        );
    }

    pub(super) fn copy_curl(&mut self, cx: &Cx) {
        if let Some(text) = self.stream().and_then(|s| s.response.to_curl()) {
            let body = if text.contains("@BODY") {
                " (what was sent is not recorded: put it into a file named BODY)"
            } else {
                ""
            };
            cx.copy(
                sanitise_block(&text),
                format!("the request for curl, without secrets{body}"),
            );
        }
    }

    pub(super) fn save(&mut self, cx: &Cx) {
        let records = self.model.records(None, false);
        let streams: Vec<Streamed> = self.model.streams.iter().cloned().collect();
        let (dropped, redactor) = (self.model.dropped, self.redactor.clone());
        let name = jiff::Zoned::now().strftime("sse-%Y%m%d-%H%M%S.ndjson");
        let save = move |_: &Teller, path: &Path, force: bool| -> Result<_, NotWritten> {
            let redacted = |stream: &Streamed| {
                let mut message = lock(&stream.message).clone();
                message.redact(&redactor);
                (stream.response.number, message)
            };
            let messages: Vec<(u64, Assembly)> = streams.iter().map(redacted).collect();
            let bytes = export(path, force, dropped, &records, &messages)?;
            Ok(format!(
                "Saved {} as {}, {}.",
                counted(records.len(), "record"),
                path.display(),
                amount::size(bytes)
            ))
        };
        let saving = Saving::new(SAVE, save, |_: &mut Self, _| {});
        cx.save_as("Save without secrets as", name.to_string(), saving);
    }
}

/// A message out of what is kept of its frames.
fn assembled(records: &[Arc<Record>]) -> Assembly {
    let started = records.first().and_then(|record| record.response.started);
    let mut message = Assembly::new(started);
    for record in records {
        if let RecordKind::Event(event) = &record.what {
            message.push(event, record.time);
        }
    }
    message
}

/// Records as omp writes `raw-sse.txt`.
pub fn raw_text(records: &[Arc<Record>], dropped: Dropped) -> String {
    let mut text = String::new();
    if dropped.records > 0 {
        let Dropped { records, chars } = dropped;
        text = format!(": omp-debug-dropped records={records} chars={chars}\n\n");
    }
    for record in records {
        text.push_str(&sanitise_block(
            record.text().trim_end_matches(['\n', '\r']),
        ));
        text.push_str("\n\n");
    }
    text
}
