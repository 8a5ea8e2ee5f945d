//! What is read: pages of the open log, what is appended to it, counts of all of it. Every answer costs a bounded piece of reading; who
//! wants more asks again from where it ended.

use std::{sync::mpsc, thread};

use base::locks::lock;
use diagnostics::{
    logs::{
        BUDGET, Cursor, Effort, Ends, Entry, Filter, Follow, Log, PAGE, SourceError, count, summary,
    },
    omp::{incidents::Incident, log_files},
};

use super::{
    LogsRoute, Seek,
    model::{OpenLog, Opened},
};
use crate::prelude::*;

/// Follows the open log.
pub const WATCH: &str = "logs.watch";
/// Reads a page of it.
pub const READ: &str = "logs.read";
/// A log that was named.
pub const ASKED: &str = "logs.asked";
/// Counts entries.
pub const COUNT: &str = "logs.count";
const PIDS: &str = "logs.pids";
const INDEX: &str = "logs.index";
pub const INCIDENTS: &str = "logs.incidents";
/// All that ends when nobody looks any more.
pub const ALL: [&str; 6] = [WATCH, READ, COUNT, PIDS, INDEX, INCIDENTS];

/// How often an open log is looked at for what was appended.
const TICK: Duration = Duration::from_millis(250);

/// Where the logs are.
struct LogSource {
    /// Files and folders that were named; none = omp's own.
    paths: Vec<PathBuf>,
    omp_logs: PathBuf,
}

impl LogSource {
    fn log(&self) -> Log {
        Log::new(log_files::find(&self.paths, &self.omp_logs, &mut |_| {}))
    }
}

impl LogsRoute {
    fn place(&self, cx: &Cx) -> LogSource {
        LogSource {
            paths: self.paths.clone(),
            omp_logs: cx.view.omp.logs.clone(),
        }
    }

    /// The newest page, read anew, and from then on what is appended.
    pub(super) fn reload(&mut self, cx: &Cx) {
        cx.end_work(READ);
        (self.paused, self.fresh, self.hidden) = (false, 0, None);
        (self.seek, self.failed, self.reading) = (None, None, true);
        self.opening = true;
        let (place, filter, open) = (self.place(cx), self.filter.clone(), Arc::clone(&self.log));
        cx.work(WATCH, move |teller| watch(teller, place, &filter, &open));
    }

    /// Has something of the open log read, and then something done with it.
    pub(super) fn read<T: Send + 'static>(
        &mut self,
        cx: &Cx,
        read: impl FnOnce(&mut Log, &Filter, &Cancel) -> Result<T, SourceError> + Send + 'static,
        then: impl FnOnce(&mut Self, T, &Cx) + Send + 'static,
    ) {
        self.reading = true;
        let (open, filter) = (Arc::clone(&self.log), self.filter.clone());
        cx.work(READ, move |teller| {
            let mut open = lock(&open);
            // Else it is being opened, which tells by itself.
            let Some(log) = &mut *open else { return };
            let read = read(log, &filter, teller.cancel());
            // A file may have been opened for this page.
            let notes = log.take_notes();
            teller.call(move |s: &mut Self, cx| {
                s.reading = false;
                for note in notes {
                    cx.warn(note);
                }
                match read {
                    Ok(read) => then(s, read, cx),
                    Err(error) => s.fail(&error),
                }
            });
        });
    }

    pub(super) fn read_before(&mut self, from: Cursor, cx: &Cx) {
        self.read(
            cx,
            move |log, filter, cancel| log.before(&from, PAGE, filter, BUDGET, cancel),
            Self::came_before,
        );
    }

    /// Shows the entries around a time.
    pub(super) fn go_to(&mut self, time: i64, cx: &Cx) {
        (self.seek, self.paused) = (None, true);
        self.read(
            cx,
            move |log, filter, cancel| log.around_time(time, filter, cancel),
            |s, window, _| s.show_window(window),
        );
    }

    /// Looks on for an entry of another sort from there; none = there is no more to look at.
    pub(super) fn seek_from(&mut self, from: Option<Cursor>, seek: Seek, cx: &Cx) {
        let Some(from) = from else {
            return super::search::no_more(&seek, cx);
        };
        let (back, wanted) = (seek.back, seek.wanted.clone());
        self.seek = Some(seek);
        self.read(
            cx,
            move |log, filter, cancel| log.around_next(&from, back, &wanted, filter, cancel),
            |s, found, cx| match (found, s.seek.take()) {
                (Ok(window), _) => s.show_window(window),
                (Err(rest), Some(seek)) => s.seek_from(rest, seek, cx),
                (Err(_), None) => {}
            },
        );
    }

    /// How many entries are shown, how many there are, and how many of those shown are searched for.
    pub(super) fn count(&self, cx: &Cx) {
        let wanted = self.search.as_ref().map(|search| search.wanted.clone());
        if wanted.is_none() && self.filter.is_empty() {
            return;
        }
        let (place, filter) = (self.place(cx), self.filter.clone());
        cx.work(COUNT, move |teller| {
            let wanted = wanted.as_ref();
            let counted = counts(&mut place.log(), &filter, wanted, teller.cancel());
            // What cannot be read is told by the pages.
            if let Ok((shown, all, found)) = counted {
                teller.call(move |s: &mut Self, _| s.counted(shown, all, found));
            }
        });
    }

    /// How many entries each process has.
    pub(super) fn count_processes(&self, cx: &Cx) {
        let place = self.place(cx);
        cx.work(PIDS, move |teller| {
            if let Ok(found) = summary(&mut place.log(), Effort::All, teller.cancel()) {
                teller.call(|s: &mut Self, _| s.count_pids(found.pids));
            }
        });
    }

    /// What is in the log at which time; archives are left alone.
    pub(super) fn index(&self, cx: &Cx) {
        let place = self.place(cx);
        cx.work(INDEX, move |teller| {
            if let Ok(found) = summary(&mut place.log(), Effort::Background, teller.cancel()) {
                teller.call(|s: &mut Self, _| s.times = found.times);
            }
        });
    }

    /// The refused request that a text names, or all crashes and refused requests.
    pub(super) fn find_incidents(text: String, cx: &Cx) {
        let logs = cx.view.omp.logs.clone();
        cx.work(INCIDENTS, move |teller| {
            if let Some(incident) = Incident::named_in(&text, &logs) {
                read_incident(incident, teller);
            } else {
                let all = Incident::all(&logs);
                teller.call(|_: &mut Self, cx| Self::list_incidents(all, cx));
            }
        });
    }
}

/// How many entries are shown, how many there are, and how many are wanted.
/// Reads an incident, and has it shown.
pub fn read_incident(incident: Incident, teller: &Teller) {
    let text = incident.read();
    teller.call(move |s: &mut LogsRoute, cx| s.show_incident(&incident, text, cx));
}

fn counts(
    log: &mut Log,
    filter: &Filter,
    wanted: Option<&Filter>,
    cancel: &Cancel,
) -> Result<(u64, u64, Option<u64>), SourceError> {
    let shown = count(log, filter, cancel)?;
    let all = if filter.is_empty() {
        shown
    } else {
        count(log, &Filter::default(), cancel)?
    };
    let found = wanted.map(|wanted| count(log, wanted, cancel));
    Ok((shown, all, found.transpose()?))
}

/// Opens the log, and tells what is appended for as long as somebody wants to know.
fn watch(teller: &Teller, place: LogSource, filter: &Filter, open: &OpenLog) {
    let cancel = teller.cancel();
    let mut notes = Vec::new();
    let found = log_files::find(&place.paths, &place.omp_logs, &mut |note| {
        notes.push(note.to_owned());
    });
    let mut log = Log::new(found.clone());
    // Before the page: what is appended while it is read comes again as new, and is known by its place.
    let ends = Ends::now(&log);
    let page = log.before(&log.end(), PAGE, filter, BUDGET, cancel);
    notes.extend(log.take_notes());
    let files = log.files().map(|file| file.path.clone()).collect();
    let names = log.names();
    {
        let mut open = lock(open);
        if cancel.is_cancelled() {
            return;
        }
        *open = Some(log);
    }
    teller.call(move |s: &mut LogsRoute, cx| match page {
        Ok(page) => s.opened(
            Opened {
                page,
                files,
                names,
                notes,
            },
            cx,
        ),
        Err(error) => s.fail(&error),
    });
    let mut follow = Follow::from_ends(&Log::new(found), &ends, cancel);
    if place.paths.is_empty() {
        follow = follow.with_folder(place.omp_logs, log_files::by_name);
    }
    let mut under_way: Option<mpsc::Receiver<()>> = None;
    while !cancel.is_cancelled() {
        let batch = follow.tick(cancel);
        let more = batch.more;
        if !batch.entries.is_empty() || !batch.notes.is_empty() {
            let (taken, taking) = mpsc::channel();
            let (entries, notes): (Vec<Entry>, _) = (batch.entries, batch.notes);
            let goes_on = teller.call(move |s: &mut LogsRoute, cx| {
                s.appended(entries, notes, cx);
                drop(taken);
            });
            if !goes_on {
                return;
            }
            // At most two batches are under way, however fast a log grows. The channel closes once one was taken in, or dropped.
            if let Some(before) = under_way.replace(taking) {
                let _ = before.recv();
            }
        }
        // A batch that is not the last one is followed by the next at once.
        if !more {
            thread::sleep(TICK);
        }
    }
}
