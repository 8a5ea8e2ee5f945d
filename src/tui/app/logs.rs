//! Reads logs for the screen, beside the drawing task: pages, searches, counts, and what is appended.
//!
//! What is asked carries a number of the asker's choosing and so does the answer: what was asked before the newest change of mind is
//! dropped by the asker. Every answer costs a bounded piece of reading; who wants more asks again from where it ended.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use base::tasks;
use diagnostics::{
    Cancel,
    logs::{
        Cursor, Effort, Ends, Entry, Filter, Follow, Log, LogPath, Page, SourceError, Summary,
        count, summary,
    },
    omp::{incidents::Incident, log_files},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task::JoinHandle,
    time::MissedTickBehavior,
};

use super::msg::Msg;

pub use super::log_terms::{Conditions, LogTest, Needle, Term};

/// Entries that are read at once.
pub const PAGE: usize = 50;
/// Bytes that are read for one answer.
const BUDGET: u64 = 32 * 1024 * 1024;
/// Batches of what was appended that are read and not yet taken in.
const TURNS: usize = 2;
/// How often an open log is looked at for what was appended.
const TICK: Duration = Duration::from_millis(250);

/// Where the logs are.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Files and folders that were named; none = omp's own.
    pub paths: Vec<PathBuf>,
    /// omp's logs.
    pub omp_logs: PathBuf,
}

impl Place {
    fn log(&self) -> Log {
        Log::new(log_files::find(&self.paths, &self.omp_logs, &mut |_| {}))
    }

    /// Where new files of the log appear.
    fn folder(&self) -> Option<PathBuf> {
        self.paths.is_empty().then(|| self.omp_logs.clone())
    }
}

/// What the route asks for.
#[derive(Debug)]
pub struct Ask {
    /// The asker's number.
    pub id: u64,
    /// Which entries are shown.
    pub filter: Filter,
    /// What about them.
    pub what: What,
}

/// See [`Ask`].
#[derive(Debug)]
pub enum What {
    /// The newest page, read anew, and from then on what is appended.
    Open,
    /// The page before.
    Older(Cursor),
    /// The page behind.
    Newer(Cursor),
    /// The oldest page.
    First,
    /// The next entry of another sort, and what stands around it.
    Find {
        from: Cursor,
        /// Towards the beginning.
        back: bool,
        wanted: Filter,
    },
    /// How many entries are shown, how many there are, and how many of those shown have a text.
    Count(Option<Filter>),
    /// The entries around a time.
    At(i64),
    /// How many entries each process has.
    Pids,
    /// The refused request that a text names, or all crashes and refused requests.
    Incidents(String),
    /// What one of them says.
    Incident(Incident),
    /// What is in the log at which time; archives are left alone.
    Index,
    /// Nobody looks any more.
    Close,
}

/// Held by what was read until the screen has taken it in: only so much is under way at once, however fast a log grows.
#[derive(Clone, Debug)]
pub struct Turn {
    _permit: Arc<OwnedSemaphorePermit>,
}

impl Turn {
    async fn wait(turns: &Arc<Semaphore>) -> Option<Self> {
        let permit = Arc::clone(turns).acquire_owned().await.ok()?;
        Some(Self {
            _permit: Arc::new(permit),
        })
    }

    /// One that nobody waits for.
    #[cfg(test)]
    pub(crate) fn free() -> Self {
        let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        Self {
            _permit: Arc::new(permit),
        }
    }
}

/// What was read of an open log.
#[derive(Clone, Debug)]
pub enum Read {
    /// The log was opened.
    Opened(Opened),
    /// The page before.
    Older(Page),
    /// The page behind.
    Newer(Page),
    /// The oldest page.
    First(Page),
    /// An entry that was searched, with its neighbours.
    Found(Window),
    /// Not found so far: from there on nothing was looked at yet; none = there is no more.
    NotFound(Option<Cursor>),
    /// Reading failed.
    Failed(String),
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Told {
    /// What the asker of that number asked for, and what a reader should know besides: files that are broken or cannot be read.
    Read(u64, Read, Vec<String>),
    /// What was appended, whatever is filtered: entries and sentences about what happened. The turn is over when it was taken in.
    New(Vec<Entry>, Vec<String>, Turn),
    /// Entries shown, entries in all, entries with the text.
    Counted(u64, u64, u64, Option<u64>),
    /// Entries of each process.
    Pids(BTreeMap<u32, u64>),
    /// Crashes and refused requests, the newest first.
    Incidents(Vec<Incident>),
    /// What one of them says, or why it does not.
    Incident(Incident, Result<String, String>),
    /// What is in the log.
    Indexed(Box<Summary>),
}

impl Told {
    /// Whether somebody looks at the screen for it: what comes by itself has time until the next frame.
    pub fn is_waited_for(&self) -> bool {
        match self {
            Self::Read(..) | Self::Incidents(_) | Self::Incident(..) => true,
            Self::New(..) | Self::Counted(..) | Self::Pids(_) | Self::Indexed(_) => false,
        }
    }
}

/// An open log.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The newest page.
    pub page: Page,
    /// Its files by their numbers.
    pub files: Vec<PathBuf>,
    /// Short names of them, where entries do not tell otherwise whose they are.
    pub names: Vec<String>,
    /// What a reader should know: nothing there, files that cannot be read.
    pub notes: Vec<String>,
}

/// Entries around one that was searched.
#[derive(Clone, Debug)]
pub struct Window {
    /// Oldest first.
    pub entries: Vec<Entry>,
    /// Which of them it is.
    pub at: usize,
    /// Before them.
    pub before: Cursor,
    /// Behind them.
    pub after: Cursor,
    /// Whether they begin where the log does, and end where it does.
    pub reached: (bool, bool),
}

impl Window {
    fn around(at: usize, older: Page, newer: Page) -> Self {
        let mut entries = older.entries;
        entries.extend(newer.entries);
        Self {
            entries,
            at,
            before: older.before,
            after: newer.after,
            reached: (older.reached_end, newer.reached_end),
        }
    }
}

/// The open log; pages of it are read one after the other.
type Shared = Arc<Mutex<Option<Log>>>;

/// Carries out what the route asks for.
pub struct Reader {
    place: Place,
    messages: mpsc::Sender<Msg>,
    log: Shared,
    page: Cancel,
    counting: Cancel,
    indexing: Cancel,
    watch: Option<JoinHandle<()>>,
}

impl Reader {
    /// Nothing is read yet.
    pub fn new(place: Place, messages: mpsc::Sender<Msg>) -> Self {
        Self {
            place,
            messages,
            log: Arc::default(),
            page: Cancel::default(),
            counting: Cancel::default(),
            indexing: Cancel::default(),
            watch: None,
        }
    }

    /// Starts what is asked for; what it makes needless ends.
    pub fn start(&mut self, ask: Ask) {
        let Ask { id, filter, what } = ask;
        match what {
            What::Open => self.open(id, filter),
            What::Close => self.close(),
            What::Count(text) => {
                let place = self.place.clone();
                self.counted(move |cancel| {
                    let mut log = place.log();
                    let shown = count(&mut log, &filter, cancel)?;
                    let all = if filter.is_empty() {
                        shown
                    } else {
                        count(&mut log, &Filter::default(), cancel)?
                    };
                    let found = match text {
                        Some(text) => Some(count(&mut log, &text, cancel)?),
                        None => None,
                    };
                    Ok(Told::Counted(id, shown, all, found))
                });
            }
            What::Pids => {
                let place = self.place.clone();
                self.counted(move |cancel| {
                    let mut log = place.log();
                    Ok(Told::Pids(summary(&mut log, Effort::All, cancel)?.pids))
                });
            }
            What::Incidents(text) => {
                let logs = self.place.omp_logs.clone();
                self.spawn(Cancel::default(), move |_| {
                    let named = Incident::named_in(&text, &logs);
                    Some(match named {
                        Some(incident) => {
                            let text = incident.read();
                            Told::Incident(incident, text)
                        }
                        None => Told::Incidents(Incident::all(&logs)),
                    })
                });
            }
            What::Incident(incident) => self.spawn(Cancel::default(), move |_| {
                let text = incident.read();
                Some(Told::Incident(incident, text))
            }),
            What::Index => {
                let place = self.place.clone();
                let cancel = renewed(&mut self.indexing);
                self.spawn(cancel, move |cancel| {
                    let found = summary(&mut place.log(), Effort::Background, cancel);
                    // What cannot be read is told by the pages.
                    found.ok().map(|found| Told::Indexed(Box::new(found)))
                });
            }
            page => {
                let log = Arc::clone(&self.log);
                self.paged(id, move |cancel| {
                    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
                    match &mut *log {
                        Some(log) => {
                            let read = read(log, page, &filter, cancel)?;
                            // A file may have been opened for this page.
                            Ok((read, log.take_notes()))
                        }
                        None => Ok((Read::NotFound(None), Vec::new())),
                    }
                });
            }
        }
    }

    fn open(&mut self, id: u64, filter: Filter) {
        self.end_watch();
        let (cancel, shared) = (renewed(&mut self.page), Arc::clone(&self.log));
        let (place, folder) = (self.place.clone(), self.place.folder());
        let messages = self.messages.clone();
        self.watch = Some(tasks::spawn(async move {
            let opened = tasks::blocking(move || open(id, &place, &filter, &shared, &cancel)).await;
            let Ok((told, files, ends)) = opened else {
                return;
            };
            if messages.send(Msg::Logs(Box::new(told))).await.is_err() {
                return;
            }
            watch(files, folder, ends, messages).await;
        }));
    }

    fn close(&mut self) {
        for work in [&self.page, &self.counting, &self.indexing] {
            work.cancel();
        }
        self.end_watch();
    }

    fn end_watch(&mut self) {
        if let Some(old) = self.watch.take() {
            old.abort();
        }
    }

    /// A page, of which only the newest that was asked for matters.
    fn paged(
        &mut self,
        id: u64,
        work: impl FnOnce(&Cancel) -> Result<(Read, Vec<String>), SourceError> + Send + 'static,
    ) {
        let cancel = renewed(&mut self.page);
        self.spawn(cancel, move |cancel| {
            let failed = |error: SourceError| (Read::Failed(error.to_string()), Vec::new());
            let (read, notes) = work(cancel).unwrap_or_else(failed);
            Some(Told::Read(id, read, notes))
        });
    }

    fn counted(
        &mut self,
        work: impl FnOnce(&Cancel) -> Result<Told, SourceError> + Send + 'static,
    ) {
        let cancel = renewed(&mut self.counting);
        // What cannot be read is told by the pages.
        self.spawn(cancel, move |cancel| work(cancel).ok());
    }

    fn spawn(&self, cancel: Cancel, work: impl FnOnce(&Cancel) -> Option<Told> + Send + 'static) {
        let messages = self.messages.clone();
        tasks::spawn(async move {
            let done = tasks::blocking(move || work(&cancel).filter(|_| !cancel.is_cancelled()));
            if let Ok(Some(told)) = done.await {
                // Without a loop nobody is left to tell.
                let _ = messages.send(Msg::Logs(Box::new(told))).await;
            }
        });
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.close();
    }
}

fn open(
    id: u64,
    place: &Place,
    filter: &Filter,
    shared: &Shared,
    cancel: &Cancel,
) -> (Told, Vec<LogPath>, Ends) {
    let mut notes = Vec::new();
    let found = log_files::find(&place.paths, &place.omp_logs, &mut |note| {
        notes.push(note.to_owned());
    });
    let mut log = Log::new(found.clone());
    // Before the page: what is appended while it is read comes again as new, and is known by its place.
    let ends = Ends::now(&log);
    let read = match log.before(&log.end(), PAGE, filter, BUDGET, cancel) {
        Ok(page) => {
            notes.extend(log.take_notes());
            let files = log.files().map(|file| file.path.clone()).collect();
            let names = log.names();
            let opened = Opened {
                page,
                files,
                names,
                notes,
            };
            Read::Opened(opened)
        }
        Err(error) => Read::Failed(error.to_string()),
    };
    *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(log);
    (Told::Read(id, read, Vec::new()), found, ends)
}

fn read(log: &mut Log, what: What, filter: &Filter, cancel: &Cancel) -> Result<Read, SourceError> {
    Ok(match what {
        What::Older(from) => Read::Older(log.before(&from, PAGE, filter, BUDGET, cancel)?),
        What::Newer(from) => Read::Newer(log.after(&from, PAGE, filter, BUDGET, cancel)?),
        What::First => Read::First(log.after(&log.start(), PAGE, filter, BUDGET, cancel)?),
        What::At(time) => {
            let here = log.at(time, cancel)?;
            let [older, newer] = around(log, &here, filter, cancel)?;
            let last = (older.entries.len() + newer.entries.len()).saturating_sub(1);
            Read::Found(Window::around(older.entries.len().min(last), older, newer))
        }
        What::Find { from, back, wanted } => {
            let page = if back {
                log.before(&from, 1, &wanted, BUDGET, cancel)?
            } else {
                log.after(&from, 1, &wanted, BUDGET, cancel)?
            };
            let rest = if back { page.before } else { page.after };
            let Some(found) = page.entries.first() else {
                return Ok(Read::NotFound((!page.reached_end).then_some(rest)));
            };
            let here = log.beside(found, &rest, cancel)?;
            let [older, newer] = around(log, &here, filter, cancel)?;
            let is_it =
                |entry: &Entry| (entry.source, entry.offset) == (found.source, found.offset);
            // Near it the file may be out of order.
            let at = older.entries.iter().chain(&newer.entries).position(is_it);
            let at = at.unwrap_or(older.entries.len());
            Read::Found(Window::around(at, older, newer))
        }
        _ => Read::NotFound(None),
    })
}

/// Half a page to each side of a place.
fn around(
    log: &mut Log,
    here: &Cursor,
    filter: &Filter,
    cancel: &Cancel,
) -> Result<[Page; 2], SourceError> {
    let older = log.before(here, PAGE / 2, filter, BUDGET, cancel)?;
    let newer = log.after(here, PAGE / 2, filter, BUDGET, cancel)?;
    Ok([older, newer])
}

/// Ends the older work and gives what ends the new one.
fn renewed(work: &mut Cancel) -> Cancel {
    work.cancel();
    *work = Cancel::default();
    work.clone()
}

/// Tells what is appended until the task is ended.
async fn watch(
    files: Vec<LogPath>,
    folder: Option<PathBuf>,
    ends: Ends,
    messages: mpsc::Sender<Msg>,
) {
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let begun = tasks::blocking(move || {
        let follow = Follow::from_ends(&Log::new(files), &ends, &stop);
        match folder {
            Some(folder) => follow.with_folder(folder, log_files::by_name),
            None => follow,
        }
    });
    let Ok(mut follow) = begun.await else {
        return;
    };
    let turns = Arc::new(Semaphore::new(TURNS));
    let mut clock = tokio::time::interval(TICK);
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        clock.tick().await;
        let Some(turn) = Turn::wait(&turns).await else {
            return;
        };
        // A batch that is not the last one is followed by the next at once.
        let looked = tasks::blocking({
            let cancel = cancel.clone();
            move || {
                let batch = follow.tick(&cancel);
                (follow, batch)
            }
        });
        let Ok((back, batch)) = looked.await else {
            return;
        };
        follow = back;
        if batch.more {
            clock.reset_immediately();
        }
        if !batch.entries.is_empty() || !batch.notes.is_empty() {
            let told = Msg::Logs(Box::new(Told::New(batch.entries, batch.notes, turn)));
            if messages.send(told).await.is_err() {
                return;
            }
        }
    }
}
