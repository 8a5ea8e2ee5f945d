//! What the route asks for: which session is meant, a preview, a file, the clipboard.

use std::io::{self, Write};

use base::{surroundings::variables, text::amount::size};
use diagnostics::{
    omp::Layout,
    sessions::{Finder, Summary},
    transcript::{self, TranscriptError},
    whole::NotWritten,
};

use super::{TranscriptRoute, choice::Choice};
use crate::prelude::*;

/// Which session is meant.
pub const FIND: &str = "transcript.find";
/// What the transcript looks like.
pub const PREVIEW: &str = "transcript.preview";
/// Into a file.
pub const SAVE: &str = "transcript.save";
/// Into the clipboard.
pub const COPY: &str = "transcript.copy";

/// Bytes of the preview.
const SHOWN: usize = 1024 * 1024;
/// Bytes that are handed to the clipboard at most.
const COPIED: usize = 16 * 1024 * 1024;

/// Finds the session that a word means; without one that of this terminal, else the newest.
pub fn find(omp: Arc<Layout>, word: Option<String>) -> Effect {
    let find = move |_: &Teller| {
        let found = Finder::of_terminal(&omp, &variables()).find(word.as_deref());
        found.map(|path| Summary::read(&path))
    };
    Effect::finding(FIND, find, TranscriptRoute::found)
}

/// A summary of a session that is known by its path.
pub fn meant(path: PathBuf) -> Effect {
    let read = move |_: &Teller| Ok(Summary::read(&path));
    Effect::finding(FIND, read, TranscriptRoute::found)
}

/// Keeps the beginning of what is written, and counts the rest.
#[derive(Default)]
struct Beginning {
    kept: Vec<u8>,
    most: usize,
    /// More than that is an error.
    strict: bool,
}

impl Write for Beginning {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.most.saturating_sub(self.kept.len());
        if self.strict && bytes.len() > room {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.kept.extend(bytes.iter().take(room));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Beginning {
    fn text(self) -> String {
        let text = String::from_utf8_lossy(&self.kept);
        text.trim_end_matches('\u{fffd}').to_owned()
    }
}

/// Writes the transcript to nowhere, and shows how it begins.
pub fn preview(omp: Arc<Layout>, path: PathBuf, choice: Choice) -> Effect {
    Effect::work(PREVIEW, move |teller| {
        let mut out = Beginning {
            most: SHOWN,
            ..Beginning::default()
        };
        let options = choice.options(&omp);
        let mut progress = teller.progress(|s: &mut TranscriptRoute, done, all| {
            s.percent = Some(percent(done, all));
        });
        let done = transcript::write(&path, &options, &mut out, teller.cancel(), &mut progress);
        let made = match done {
            Ok(report) => Ok((out.text(), report)),
            Err(TranscriptError::Cancelled) => return,
            Err(error) => Err(error.to_string()),
        };
        teller.call(|s: &mut TranscriptRoute, _| s.previewed(made));
    })
}

/// Writes it into a file.
pub fn saving(omp: Arc<Layout>, path: PathBuf, choice: Choice) -> Saving<TranscriptRoute> {
    let save = move |teller: &Teller, target: &Path, force: bool| -> Result<_, NotWritten> {
        let options = choice.options(&omp);
        let mut progress = teller.progress(|s: &mut TranscriptRoute, done, all| {
            s.busy = Some(format!("writing {} %, Esc stops", percent(done, all)));
        });
        let report = transcript::save(target, &path, force, |out| {
            transcript::write(&path, &options, out, teller.cancel(), &mut progress)
        })?;
        let said = report.sentences().join("; ");
        Ok(format!("Written to {}: {said}.", target.display()))
    };
    Saving::new(SAVE, save, |s, _| s.busy = None)
}

/// Writes the transcript into memory, for the clipboard.
pub fn copy(omp: Arc<Layout>, path: PathBuf, choice: Choice) -> Effect {
    let write = move |teller: &Teller| {
        let mut out = Beginning {
            most: COPIED,
            strict: true,
            ..Beginning::default()
        };
        let options = choice.options(&omp);
        let done = transcript::write(&path, &options, &mut out, teller.cancel(), &mut |_, _| {});
        match done {
            Ok(_) => Ok(out.text()),
            Err(TranscriptError::Write(error)) if error.kind() == io::ErrorKind::FileTooLarge => {
                Err(format!(
                    "The transcript has more than {}, too much for a clipboard: w writes it to a file.",
                    size(COPIED as u64)
                ))
            }
            Err(error) => Err(error.to_string()),
        }
    };
    Effect::finding(COPY, write, TranscriptRoute::copied)
}
