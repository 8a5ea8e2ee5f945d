//! What a head and a tail of a session's file tell: as much work for a large file as for a small one.

use std::{fs::Metadata, io::Cursor, time::UNIX_EPOCH};

use flate2::read::MultiGzDecoder;

use super::{
    entry::{Entry, LineKind},
    lines::Lines,
    reader::{is_gzip, open},
};
use crate::{SafeText, prelude::*};

/// Bytes of the head: the title, the header, mostly the first question.
const HEAD: u64 = 16 * 1024;
/// Bytes of the tail that are read first, and when no line ends there.
const TAILS: [u64; 2] = [32 * 1024, 512 * 1024];

/// How a session stands, by its last entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// The model has answered.
    Complete,
    /// The process ended by itself; why.
    Ended(String),
    /// The process was ended by a signal or crashed; why.
    Killed(String),
    /// The last answer failed; why.
    Failed(String),
    /// The person stopped the last answer.
    Aborted,
    /// The last answer was too long for the model.
    Cut,
    /// A question without an answer.
    Pending,
    /// In the middle of using tools.
    Interrupted,
    /// Nothing that is read says so.
    #[default]
    Unknown,
}

impl Status {
    /// One word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Ended(_) => "ended",
            Self::Killed(_) => "killed",
            Self::Failed(_) => "failed",
            Self::Aborted => "aborted",
            Self::Cut => "cut",
            Self::Pending => "pending",
            Self::Interrupted => "interrupted",
            Self::Unknown => "unknown",
        }
    }

    /// Why, if the file says so; foreign text.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Ended(why) | Self::Killed(why) | Self::Failed(why) => {
                Some(why).filter(|why| !why.is_empty()).map(String::as_str)
            }
            _ => None,
        }
    }

    /// Whether something went wrong.
    pub fn is_bad(&self) -> bool {
        matches!(self, Self::Killed(_) | Self::Failed(_))
    }
}

/// A session in a list. All text is foreign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Its file.
    pub path: PathBuf,
    /// Its id, from the header or else from the file's name.
    pub id: String,
    pub title: Option<SafeText>,
    /// The first line of the first question, when it is in the head.
    pub prompt: Option<SafeText>,
    /// Where omp ran.
    pub cwd: Option<String>,
    /// The format's version.
    pub version: Option<u64>,
    /// The session from which this one was made.
    pub parent: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub started: Option<i64>,
    /// When its file changed, in milliseconds since 1970.
    pub changed: i64,
    /// Bytes of its file.
    pub size: u64,
    /// The model of the last answer that is in the tail.
    pub model: Option<String>,
    /// How it stands.
    pub status: Status,
    /// omp has put it away, compressed.
    pub archived: bool,
    /// A running omp process works on it, as far as can be told.
    pub live: bool,
    /// It is the session of this terminal.
    pub here: bool,
    /// Why nothing more is known.
    pub trouble: Option<String>,
}

/// What a session is called that has neither a title nor a question.
pub const NO_TITLE: &str = "(no title)";

impl Summary {
    /// What to call it: its title, else its first question.
    pub fn name(&self) -> &str {
        self.title
            .as_deref()
            .or(self.prompt.as_deref())
            .unwrap_or(NO_TITLE)
    }

    /// Of a file; what is wrong with it is in [`Summary::trouble`].
    pub fn read(path: &Path) -> Self {
        let mut summary = Self {
            path: path.to_path_buf(),
            id: id_of(path).to_owned(),
            archived: is_gzip(path),
            ..Self::default()
        };
        if let Err(error) = summary.fill() {
            summary.trouble = Some(error);
        }
        summary
    }

    /// Of how a file begins.
    pub fn of_head(bytes: &[u8]) -> Self {
        let mut summary = Self::default();
        summary.head(bytes);
        summary
    }

    fn fill(&mut self) -> Result<(), String> {
        let (mut file, metadata) = open(&self.path).map_err(|error| error.to_string())?;
        self.size = metadata.len();
        self.changed = changed(&metadata);
        let path = self.path.display().to_string();
        let wanted = |error: io::Error| format!("{path} cannot be read: {error}");
        if self.archived {
            let head = read_at_most(MultiGzDecoder::new(file), HEAD).map_err(wanted)?;
            self.head(&head);
            return Ok(());
        }
        let head = read_at_most(&file, HEAD).map_err(wanted)?;
        for length in TAILS {
            let from = self.size.saturating_sub(length);
            file.seek(SeekFrom::Start(from)).map_err(wanted)?;
            let tail = read_at_most(&file, length).map_err(wanted)?;
            let whole = match from {
                0 => Some(tail.as_slice()),
                // The first line is a piece of one.
                _ => memchr::memchr(b'\n', &tail).and_then(|at| tail.get(at + 1..)),
            };
            let whole = whole.unwrap_or_default();
            if self.tail(whole) || from == 0 {
                break;
            }
        }
        self.head(&head);
        Ok(())
    }

    fn head(&mut self, bytes: &[u8]) {
        let mut known = false;
        for entry in entries(bytes) {
            if let Some(about) = &entry.about {
                known = true;
                self.title = self.title.take().or_else(|| about.title.clone());
                self.cwd = self.cwd.take().or_else(|| about.cwd.clone());
                self.parent = self.parent.take().or_else(|| about.parent.clone());
                self.version = self.version.or(about.version);
                if let Some(id) = &about.id {
                    self.id.clone_from(id);
                }
                if entry.kind == LineKind::Header {
                    self.started = entry.time;
                }
            }
            known |= entry.kind != LineKind::Unknown;
            if let Some(question) = entry.first_question() {
                self.prompt = Some(question);
                break;
            }
        }
        if !known {
            self.trouble = Some(if bytes.is_empty() {
                "the file is empty".to_owned()
            } else {
                "the file does not begin like a session".to_owned()
            });
        }
    }

    /// Whether the tail says how the session stands.
    fn tail(&mut self, bytes: &[u8]) -> bool {
        let mut exit = None;
        let read: Vec<Entry> = entries(bytes).collect();
        for entry in read.iter().rev() {
            exit = exit.or_else(|| entry.exit.clone());
            let status = match entry.kind {
                LineKind::User | LineKind::Developer => Status::Pending,
                LineKind::Result => Status::Interrupted,
                LineKind::Assistant => match entry.stop.as_deref() {
                    Some("toolUse") => Status::Interrupted,
                    Some("aborted") => Status::Aborted,
                    Some("length") => Status::Cut,
                    _ if entry.failed => Status::Failed(entry.shown_head().to_string()),
                    _ => Status::Complete,
                },
                _ => continue,
            };
            self.status = status;
            break;
        }
        if let Some(exit) = exit {
            self.status = match exit.kind.as_str() {
                // Ending normally says nothing of an answer that failed.
                "normal" if self.status.is_bad() => self.status.clone(),
                "normal" | "process_exit" => Status::Ended(exit.reason),
                _ => Status::Killed(exit.reason),
            };
        }
        let models = read.iter().rev().filter_map(|entry| entry.usage.as_ref());
        self.model = models
            .map(|spent| spent.0.clone())
            .find(|model| !model.is_empty());
        self.status != Status::Unknown
    }
}

/// When a file changed, in milliseconds since 1970.
pub(super) fn changed(metadata: &Metadata) -> i64 {
    let time = metadata.modified().ok();
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_millis() as i64)
}

/// The name of a session's file without its ending; nothing for that of another file.
pub(super) fn stem_of(name: &str) -> Option<&str> {
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    plain.strip_suffix(".jsonl")
}

/// The part of a name that is the id: `<time>_<id>.jsonl`; of other names all of it.
pub fn id_of(path: &Path) -> &str {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let stem = stem_of(name).unwrap_or_else(|| name.strip_suffix(".gz").unwrap_or(name));
    match stem.split_once('_') {
        Some((time, id)) if time.starts_with(|c: char| c.is_ascii_digit()) => id,
        _ => stem,
    }
}

/// The lines of a piece of a file that are entries.
fn entries(bytes: &[u8]) -> impl Iterator<Item = Entry> {
    let mut lines = Lines::new(Cursor::new(bytes.to_vec()), 0);
    std::iter::from_fn(move || {
        loop {
            let line = lines.next().ok().flatten()?;
            let value = line
                .text
                .and_then(|text| serde_json::from_slice::<Value>(text).ok());
            if let Some(value) = value.filter(Value::is_object) {
                return Some(Entry::read(&value, line.offset, line.length));
            }
        }
    })
}
