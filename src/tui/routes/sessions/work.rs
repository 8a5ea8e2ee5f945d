//! What the route asks for: each piece of work, and what it tells.

use std::fs::File;

use base::{files::read_at_most, surroundings::variables, text::amount::size};
use diagnostics::{
    artifacts::text_of,
    omp::Layout,
    sessions::{
        Entry, Finder, Reader, Summary,
        beside::SessionFiles,
        search::{self, Hit, Needle},
    },
    transcript::{self, Format, Options},
};

use super::{SessionsRoute, list::Searched, open::Open};
use crate::prelude::*;

/// Finds all sessions.
pub const LIST: &str = "sessions.list";
/// Reads one.
pub const OPEN: &str = "sessions.open";
/// Reads an entry or a file in full.
pub const FULL: &str = "sessions.full";
/// Searches.
pub const SEARCH: &str = "sessions.search";
/// Gives a session to the transcript route.
pub const TRANSCRIPT: &str = "transcript.open";

/// Entries told at once.
const BATCH: usize = 2_000;
/// Time after which what was read is told.
const PATIENCE: Duration = Duration::from_millis(60);
/// Time between looks at a session that grows.
const TICK: Duration = Duration::from_millis(300);
/// Bytes of a text that are shown; the rest is for the transcript or an editor.
const SHOWN: usize = 2 * 1024 * 1024;

/// Finds all sessions, or first the one with this name.
pub fn list(omp: Arc<Layout>, named: Option<String>) -> Effect {
    Effect::work(LIST, move |teller| {
        let finder = Finder::of_terminal(&omp, &variables());
        if let Some(word) = named {
            let found = finder.find(Some(&word));
            let found = found.map(|path| Summary::read(&path));
            teller.call(|s: &mut SessionsRoute, cx| s.named(found, cx));
        }
        let mut notes = Vec::new();
        let files = finder.files(&mut notes);
        let count = files.len();
        let goes_on = teller.call(move |s: &mut SessionsRoute, _| {
            s.listing.files = count;
            s.listing.notes = notes;
        });
        if !goes_on {
            return;
        }
        finder.summaries(&files, teller.cancel(), |some| {
            teller.call(|s: &mut SessionsRoute, _| s.listing.learn(some))
        });
        teller.call(|s: &mut SessionsRoute, _| s.listing.done = true);
    })
}

impl Open {
    /// Reads a session from a byte on and, if wanted, what lies beside it; of a live one, what is appended as well.
    pub fn reading(&self, from: u64, beside: bool) -> Effect {
        let (path, live) = (self.path(), self.summary.live);
        Effect::work(OPEN, move |teller| {
            let Some(mut at) = read(&path, from, teller) else {
                return;
            };
            if beside {
                let beside = SessionFiles::of(&path);
                let goes_on = tell(teller, |open| {
                    open.beside = Some(beside);
                    for list in open
                        .lists
                        .iter_mut()
                        .filter(|list| list.selected().is_none())
                    {
                        list.select(Some(0));
                    }
                });
                if !goes_on {
                    return;
                }
            }
            while live && !teller.cancel().is_cancelled() {
                std::thread::park_timeout(TICK);
                let Ok(metadata) = std::fs::metadata(&path) else {
                    continue;
                };
                if metadata.len() < at {
                    teller.call(|s: &mut SessionsRoute, cx| {
                        if let Some(open) = s.open.last_mut() {
                            *open = Self::new(open.summary.clone(), None);
                            cx.emit(open.reading(0, true));
                        }
                    });
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
}

/// Has the session that is open take something in; false when that is of no use any more.
fn tell(teller: &Teller, what: impl FnOnce(&mut Open) + Send + 'static) -> bool {
    teller.call(|s: &mut SessionsRoute, _| {
        if let Some(open) = s.open.last_mut() {
            what(open);
        }
    })
}

/// Reads what there is; gives where the next line begins, or nothing when that is of no use any more.
fn read(path: &Path, from: u64, teller: &Teller) -> Option<u64> {
    let failed = |error: String| {
        tell(teller, |open| {
            (open.failed, open.done) = (Some(error), true);
        });
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
            let lines = mem::take(&mut items);
            let read = (reader.offset(), reader.size());
            if !tell(teller, move |open| open.learn(lines, read, done)) {
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
        let text = cut(text.unwrap_or_else(|error| error.to_string()));
        teller.call(move |s: &mut SessionsRoute, _| s.show_full("Entry".to_owned(), &text));
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
        teller.call(move |s: &mut SessionsRoute, _| s.show_full(title, &text));
    })
}

fn head(path: &Path) -> std::io::Result<String> {
    let metadata = std::fs::symlink_metadata(path)?;
    if !metadata.is_file() {
        return Ok("This is no regular file.".to_owned());
    }
    let bytes = read_at_most(File::open(path)?, SHOWN as u64)?;
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
        let all = paths.len();
        let told = |done, hits, unreadable| {
            let searched = Searched {
                hits,
                files: (done, all),
                unreadable,
            };
            teller.call(move |s: &mut SessionsRoute, cx| s.searched(searched, cx))
        };
        let mut goes_on = told(0, Vec::new(), false);
        for (done, path) in paths.iter().enumerate() {
            if !goes_on {
                return;
            }
            let (mut hits, mut since) = (Vec::new(), Instant::now());
            let mut tell = |hit: Hit| {
                hits.push(hit);
                if since.elapsed() < PATIENCE {
                    return true;
                }
                since = Instant::now();
                told(done, mem::take(&mut hits), false)
            };
            let unreadable = search::one(path, &needle, teller.cancel(), &mut tell).is_err();
            goes_on = told(done + 1, hits, unreadable);
        }
    })
}
