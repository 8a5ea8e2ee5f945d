//! What the route asks for: each piece of work, and what it tells.

use std::{fs::File, io::Read as _};

use base::text::amount::size;
use diagnostics::{
    artifacts::text_of,
    omp::Layout,
    sessions::{
        Entry, Finder, Item, Reader, Summary,
        beside::Beside,
        list::variables,
        search::{self, Hit, Needle},
    },
    transcript::{self, Format, Options},
};

use crate::kit::prelude::*;

/// Finds all sessions.
pub const LIST: &str = "sessions.list";
/// Reads one.
pub const OPEN: &str = "sessions.open";
/// Reads an entry or a file in full.
pub const FULL: &str = "sessions.full";
/// Searches.
pub const SEARCH: &str = "sessions.search";
/// Gives a session to the transcript route, which reads it as a path.
pub const TRANSCRIPT: &str = "transcript.open";

/// Entries told at once.
const BATCH: usize = 2_000;
/// Time after which what was read is told.
const PATIENCE: Duration = Duration::from_millis(60);
/// Time between looks at a session that grows.
const TICK: Duration = Duration::from_millis(300);
/// Bytes of a text that are shown; the rest is for the transcript or an editor.
const SHOWN: usize = 2 * 1024 * 1024;

/// Of the list.
#[derive(Clone, Debug)]
pub enum Listed {
    /// So many files; what could not be listed.
    Files(usize, Vec<String>),
    /// A head and a tail of some of them, the newest first.
    Some(Vec<Summary>),
    /// That was all.
    Done,
    /// A session that was named on the command line, or why there is none.
    Named(Result<Box<Summary>, String>),
}

/// Of a session.
#[derive(Clone, Debug)]
pub enum Opened {
    /// The next lines; where the next one begins, the file's size, whether that was all for now.
    Lines(Vec<Item>, u64, u64, bool),
    /// What lies beside it.
    Beside(Box<Beside>),
    /// The file is another one than before: read it anew.
    Replaced,
    /// It cannot be read.
    Failed(String),
}

/// A text in full: of what, and the text or why there is none.
#[derive(Clone, Debug)]
pub struct Full {
    /// Its title.
    pub title: String,
    /// The text.
    pub text: String,
}

/// Of a search.
#[derive(Clone, Debug)]
pub enum Searched {
    /// Entries that have it.
    Hits(Vec<Hit>),
    /// So many files are done, of how many; what could not be read.
    Files(usize, usize, Option<String>),
    /// That was all.
    Done,
}

/// Finds all sessions, or first the one with this name.
pub fn list(omp: Arc<Layout>, named: Option<String>) -> Effect {
    Effect::work(LIST, move |teller| {
        let finder = Finder::of_terminal(&omp, &variables());
        if let Some(word) = named {
            let found = finder.find(Some(&word));
            let found = found.map(|path| Box::new(Summary::read(&path)));
            teller.tell(Listed::Named(found.map_err(|error| error.to_string())));
        }
        let mut notes = Vec::new();
        let files = finder.files(&mut notes);
        if !teller.tell(Listed::Files(files.len(), notes)) {
            return;
        }
        finder.summaries(&files, teller.cancel(), |some| {
            teller.tell(Listed::Some(some))
        });
        teller.tell(Listed::Done);
    })
}

/// Reads a session from a byte on and, if wanted, what lies beside it; of a live one, what is appended as well.
pub fn open(path: PathBuf, from: u64, live: bool, beside: bool) -> Effect {
    Effect::work(OPEN, move |teller| {
        let Some(mut at) = read(&path, from, teller) else {
            return;
        };
        if beside && !teller.tell(Opened::Beside(Box::new(Beside::of(&path)))) {
            return;
        }
        while live && !teller.cancel().is_cancelled() {
            std::thread::park_timeout(TICK);
            let Ok(metadata) = std::fs::metadata(&path) else {
                continue;
            };
            if metadata.len() < at {
                teller.tell(Opened::Replaced);
                return;
            }
            if metadata.len() > at {
                match read(&path, at, teller) {
                    Some(now) => at = now,
                    None => return,
                }
            }
        }
    })
}

/// Reads what there is; gives where the next line begins, or nothing when that is of no use any more.
fn read(path: &Path, from: u64, teller: &Teller) -> Option<u64> {
    let failed = |error: String| {
        teller.tell(Opened::Failed(error));
        None
    };
    let mut reader = match Reader::open(path, from) {
        Ok(reader) => reader,
        Err(error) => return failed(error.to_string()),
    };
    let (mut items, mut since) = (Vec::new(), Instant::now());
    loop {
        let item = match reader.next_item() {
            Ok(item) => item,
            Err(error) => return failed(error.to_string()),
        };
        if teller.cancel().is_cancelled() {
            return None;
        }
        let done = item.is_none();
        items.extend(item);
        if done && items.is_empty() && from > 0 {
            return Some(reader.offset());
        }
        if done || items.len() >= BATCH || since.elapsed() > PATIENCE {
            let lines = std::mem::take(&mut items);
            if !teller.tell(Opened::Lines(lines, reader.offset(), reader.size(), done)) {
                return None;
            }
            since = Instant::now();
        }
        if done {
            return Some(reader.offset());
        }
    }
}

/// An entry in full.
pub fn entry(path: PathBuf, entry: Entry, blobs: PathBuf) -> Effect {
    Effect::work(FULL, move |teller| {
        let options = Options {
            format: Format::Text,
            thinking: true,
            all_branches: true,
            redactor: None,
            blobs,
        };
        let text = transcript::entry(&path, &entry, &options);
        teller.tell(Full {
            title: "Entry".to_owned(),
            text: cut(text.unwrap_or_else(|error| error.to_string())),
        });
    })
}

fn cut(mut text: String) -> String {
    if text.len() > SHOWN {
        let whole = text.len() as u64;
        text.truncate(text.floor_char_boundary(SHOWN));
        text = format!("{text}\n… {} altogether", size(whole));
    }
    text
}

/// The beginning of a file beside a session.
pub fn file(path: PathBuf, title: String) -> Effect {
    Effect::work(FULL, move |teller| {
        let text = head(&path)
            .unwrap_or_else(|error| format!("{} cannot be read: {error}", path.display()));
        teller.tell(Full { title, text });
    })
}

fn head(path: &Path) -> std::io::Result<String> {
    let metadata = std::fs::symlink_metadata(path)?;
    if !metadata.is_file() {
        return Ok("This is no regular file.".to_owned());
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(SHOWN as u64)
        .read_to_end(&mut bytes)?;
    let mut text = match text_of(&bytes, metadata.len()) {
        Ok(text) => text,
        Err(why) => return Ok(format!("{why}. o opens it with the desktop.")),
    };
    if metadata.len() > SHOWN as u64 {
        let all = size(metadata.len());
        text = format!(
            "{text}
… {all} altogether; o opens it with the desktop"
        );
    }
    Ok(text)
}

/// Searches these sessions, or all there are.
pub fn search(omp: Arc<Layout>, paths: Option<Vec<PathBuf>>, needle: Needle) -> Effect {
    Effect::work(SEARCH, move |teller| {
        let paths = paths.unwrap_or_else(|| {
            let files = Finder::new(&omp, None).files(&mut Vec::new());
            files.into_iter().map(|file| file.path).collect()
        });
        for (number, path) in paths.iter().enumerate() {
            let (mut hits, mut since) = (Vec::new(), Instant::now());
            let mut tell = |hit: Hit| {
                hits.push(hit);
                if since.elapsed() < PATIENCE {
                    return true;
                }
                since = Instant::now();
                teller.tell(Searched::Hits(std::mem::take(&mut hits)))
            };
            let cancel: &Cancel = teller.cancel();
            let trouble = search::one(path, &needle, cancel, &mut tell);
            let trouble = trouble.err().map(|error| error.to_string());
            if !hits.is_empty() && !teller.tell(Searched::Hits(hits)) {
                return;
            }
            if !teller.tell(Searched::Files(number + 1, paths.len(), trouble)) {
                return;
            }
        }
        teller.tell(Searched::Done);
    })
}

/// Gives a session to the transcript route.
pub fn transcript_of(path: PathBuf) -> Effect {
    Effect::work(TRANSCRIPT, move |teller| {
        teller.tell(path);
    })
}
