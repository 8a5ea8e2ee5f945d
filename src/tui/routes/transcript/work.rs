//! What the route asks for: which session is meant, a preview, a file, the clipboard.

use std::io::{self, Write};

use base::text::amount::size;
use diagnostics::{
    omp::Layout,
    sessions::{Finder, Summary, list::variables},
    transcript::{self, Format, Options, Report, SaveError, TranscriptError},
    whole::NotWritten,
};

use crate::kit::prelude::*;

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
/// Time between two words about how far it is.
const PATIENCE: Duration = Duration::from_millis(100);

/// What is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Markdown or text.
    pub format: Format,
    /// With what the model thought.
    pub thinking: bool,
    /// With the branches that were left.
    pub all_branches: bool,
    /// With the secrets.
    pub show_secrets: bool,
}

impl Choice {
    fn options(self, omp: &Layout) -> Options {
        Options {
            format: self.format,
            thinking: self.thinking,
            all_branches: self.all_branches,
            redactor: (!self.show_secrets).then(|| Redactor::new().with_secrets(variables())),
            blobs: omp.blobs.clone(),
        }
    }
}

/// The session that is meant.
pub type Meant = Result<Box<Summary>, String>;

/// Of a preview.
#[derive(Clone, Debug)]
pub enum Previewed {
    /// So many percent are read.
    Percent(u64),
    /// The beginning of the transcript, and what is to be said of all of it.
    Done(String, Box<Report>),
    /// There is none.
    Failed(String),
}

/// Of a file.
#[derive(Clone, Debug)]
pub enum Saved {
    /// So many percent are read.
    Percent(u64),
    /// It is there.
    Done(PathBuf, Box<Report>),
    /// Something has that name.
    Exists(PathBuf),
    /// It is not there.
    Failed(String),
}

/// The text for the clipboard, or why there is none.
pub type Copied = Result<String, String>;

/// Finds the session that a word means; without one that of this terminal, else the newest.
pub fn find(omp: Arc<Layout>, word: Option<String>) -> Effect {
    Effect::work(FIND, move |teller| {
        let found = Finder::of_terminal(&omp, &variables()).find(word.as_deref());
        let found: Meant = found
            .map(|path| Box::new(Summary::read(&path)))
            .map_err(|error| error.to_string());
        teller.tell(found);
    })
}

/// A summary of a session that is known by its path.
pub fn meant(path: PathBuf) -> Effect {
    Effect::work(FIND, move |teller| {
        let found: Meant = Ok(Box::new(Summary::read(&path)));
        teller.tell(found);
    })
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

fn percent(teller: &Teller, tell: impl Fn(&Teller, u64) -> bool) -> impl FnMut(u64, u64) {
    let mut since = Instant::now();
    move |done, all| {
        if since.elapsed() > PATIENCE {
            since = Instant::now();
            tell(teller, done * 100 / all.max(1));
        }
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
        let mut progress = percent(teller, |teller, n| teller.tell(Previewed::Percent(n)));
        let done = transcript::write(&path, &options, &mut out, teller.cancel(), &mut progress);
        let told = match done {
            Ok(report) => Previewed::Done(out.text(), Box::new(report)),
            Err(TranscriptError::Cancelled) => return,
            Err(error) => Previewed::Failed(error.to_string()),
        };
        drop(progress);
        teller.tell(told);
    })
}

/// Writes the transcript into a file.
pub fn save(
    omp: Arc<Layout>,
    path: PathBuf,
    choice: Choice,
    target: PathBuf,
    force: bool,
) -> Effect {
    Effect::work(SAVE, move |teller| {
        let options = choice.options(&omp);
        let mut progress = percent(teller, |teller, n| teller.tell(Saved::Percent(n)));
        let done = transcript::save(&target, &path, force, |out| {
            transcript::write(&path, &options, out, teller.cancel(), &mut progress)
        });
        drop(progress);
        teller.tell(match done {
            Ok(report) => Saved::Done(target, Box::new(report)),
            Err(SaveError::File(NotWritten::Exists { path, .. })) => Saved::Exists(path),
            Err(error) => Saved::Failed(error.to_string()),
        });
    })
}

/// Writes the transcript into memory, for the clipboard.
pub fn copy(omp: Arc<Layout>, path: PathBuf, choice: Choice) -> Effect {
    Effect::work(COPY, move |teller| {
        let mut out = Beginning {
            most: COPIED,
            strict: true,
            ..Beginning::default()
        };
        let options = choice.options(&omp);
        let done = transcript::write(&path, &options, &mut out, teller.cancel(), &mut |_, _| {});
        let told: Copied = match done {
            Ok(_) => Ok(out.text()),
            Err(TranscriptError::Write(error)) if error.kind() == io::ErrorKind::FileTooLarge => {
                Err(format!(
                    "The transcript has more than {}, too much for a clipboard: w writes it to a file.",
                    size(COPIED as u64)
                ))
            }
            Err(error) => Err(error.to_string()),
        };
        teller.tell(told);
    })
}
