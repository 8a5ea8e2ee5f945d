//! A session written down for people: Markdown or plain text, at full length, without secrets, safe to print.
//!
//! The branch in force is followed from the root to the newest entry; what is left out is counted and said at the end. The file is
//! read twice, first for what follows what and then for what is written, and never held. [`save()`] puts the result into a file
//! that is there as a whole or not at all.

mod options;
mod render;
mod save;
mod sink;

use render::Page;
use sink::Sink;

use super::{
    Cancel,
    sessions::{
        Entry, LineKind, Session,
        body::Body,
        lines_not_understood, read_all,
        reader::{Reader, value_at},
    },
};
use crate::{SafeText, prelude::*};

pub use options::{Format, Options, Report};
pub use save::{TranscriptError, save};

/// Refuses a file of which no line is an entry of a session.
pub fn is_session(path: &Path, session: &Session) -> Result<(), TranscriptError> {
    if !session.tree.entries.is_empty() {
        return Ok(());
    }
    let bad = match session.malformed {
        0 => String::new(),
        n => format!(": {}", lines_not_understood(n)),
    };
    Err(TranscriptError::Empty(path.to_path_buf(), bad))
}

/// Writes the transcript of a session. `progress` is told how many bytes of the file were read, of how many.
pub fn write(
    path: &Path,
    options: &Options,
    out: &mut dyn Write,
    cancel: &Cancel,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report, TranscriptError> {
    let mut session = read_all(path, cancel, &mut |read, size| progress(read, size * 2))?;
    if cancel.is_cancelled() {
        return Err(TranscriptError::Cancelled);
    }
    is_session(path, &session)?;
    let mut report = Report {
        malformed: session.malformed,
        unknown: session
            .totals
            .unknown()
            .map(|(name, count)| (name.to_owned(), count))
            .collect(),
        ..Report::default()
    };
    let wanted: Option<HashSet<usize>> =
        (!options.all_branches).then(|| session.tree.active().into_iter().collect());
    // What a session says of itself may be as long as anything in it.
    session.about.title = session
        .about
        .title
        .take()
        .map(|title| SafeText::from(title.replace('\n', " ").as_str()));
    let redactor = options.redactor.as_ref().map(Redactor::counting_anew);
    let mut sink = Sink::new(out, redactor.as_ref());
    let page = Page::new(options, redactor.as_ref());
    page.begin(path, &session, &mut sink)?;
    let mut reader = Reader::open(path, 0)?;
    let (size, tree) = (reader.size(), &session.tree);
    let mut look = |offset: u64, _: &[u8]| {
        let index = tree.at_offset(offset);
        index.is_some_and(|index| wanted.as_ref().is_none_or(|w| w.contains(&index)))
    };
    let mut before = None;
    while let Some(raw) = reader.next_raw_if(&mut look)? {
        if cancel.is_cancelled() {
            return Err(TranscriptError::Cancelled);
        }
        progress(size + reader.offset(), size * 2);
        let Some(index) = tree.at_offset(raw.offset) else {
            continue;
        };
        let Some(entry) = tree.entries.get(index) else {
            continue;
        };
        let Some(Ok(value)) = raw.json else {
            report.elsewhere += u64::from(entry.kind != LineKind::Start);
            continue;
        };
        if entry.kind == LineKind::Start {
            report.starts += 1;
            before = Some(index);
            continue;
        }
        let parent = tree.parent(index);
        if options.all_branches && before.is_some() && parent != before {
            let to = parent.and_then(|parent| tree.entries.get(parent));
            page.goes_back(to, &mut sink)?;
        }
        let body = Body::read(&value, entry.kind);
        report.thoughts += page.entry(entry, body, &mut sink)?;
        report.entries += 1;
        before = Some(index);
    }
    sink.settle()?;
    report.secrets = redactor.as_ref().map(Redactor::report).unwrap_or_default();
    page.end(&report, &mut sink)?;
    report.bytes = sink.finish()?;
    Ok(report)
}

/// One entry as plain text, for a screen: with its thoughts, and with the secrets unless `options` take them out.
pub fn entry(path: &Path, entry: &Entry, options: &Options) -> Result<String, TranscriptError> {
    let value = value_at(path, entry.offset)?;
    let mut text = Vec::new();
    let mut sink = Sink::new(&mut text, options.redactor.as_ref());
    let page = Page::new(options, options.redactor.as_ref());
    page.entry(entry, Body::read(&value, entry.kind), &mut sink)?;
    sink.finish()?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
