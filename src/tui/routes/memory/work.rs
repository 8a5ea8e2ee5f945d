//! What takes longer than a key may: listing processes, sampling, marking, reading heap files, writing.

use debugger::workspace;
use diagnostics::{
    memory::{ProcessError, Subject, growth::Mark, heap, text::Report},
    system::{processes::look_up, text::bytes},
    whole::NotWritten,
};
use jiff::Timestamp;

use super::{LIST, MARK, MemoryRoute, WATCH, chooser::Chooser};
use crate::prelude::*;

pub const HEAP: &str = "memory.heap";
pub const OLDER: &str = "memory.heap-older";
pub const EXPORT: &str = "memory.export";

/// Between two samples.
const EVERY: Duration = Duration::from_secs(1);
/// Between two readings of everything, which cost more.
const REPORT: Duration = Duration::from_secs(2);
/// A reading that took long is not made again before this many times as long has passed: at most a twentieth of a processor.
const SPARE: u32 = 20;

fn redactor(teller: &Teller) -> Redactor {
    Redactor::new().with_secrets(teller.context().env.iter())
}

/// Lists processes, the ones with most memory first.
pub fn list() -> Effect {
    Effect::work(LIST, |teller| {
        let listed = workspace::list_processes();
        let ours: HashSet<u32> = listed.iter().filter(|p| p.ours).map(|p| p.pid).collect();
        let mut pids: Vec<u32> = listed.iter().map(|p| p.pid).collect();
        pids.push(std::process::id());
        let mut found = look_up(&pids, &redactor(teller));
        found.sort_by_key(|process| (std::cmp::Reverse(process.memory), process.pid));
        teller.call(move |chooser: &mut Chooser, cx| chooser.list(found, &ours, &cx.view.state));
    })
}

/// Samples a process until it ends or nobody looks.
pub fn watch(pid: u32, started: Option<u64>) -> Effect {
    Effect::work(WATCH, move |teller| {
        if let Err(error) = sample(teller, pid, started) {
            teller.call(move |s: &mut MemoryRoute, _| {
                if let Some(process) = s.model.process_mut() {
                    process.ended = Some(error.to_string());
                }
            });
        }
    })
}

fn sample(teller: &Teller, pid: u32, started: Option<u64>) -> Result<(), ProcessError> {
    let redactor = redactor(teller);
    let cancel = teller.cancel();
    let mut subject = Subject::open(pid, started)?;
    let mut next_report = Instant::now();
    loop {
        let began = Instant::now();
        let (sample, at) = (subject.sample(cancel)?, Timestamp::now().as_millisecond());
        let goes_on = teller.call(move |s: &mut MemoryRoute, _| {
            if let Some(process) = s.model.process_mut() {
                process.sample(at, sample);
            }
        });
        if !goes_on {
            return Ok(());
        }
        if began >= next_report {
            let mut report = Report::take(&mut subject, cancel)?;
            report.redact(&redactor);
            next_report = began + REPORT.max(began.elapsed() * SPARE);
            let report = Box::new(report);
            let goes_on = teller.call(|s: &mut MemoryRoute, _| {
                if let Some(process) = s.model.process_mut() {
                    process.started = Some(report.process.started);
                    process.report = Some(report);
                    s.model.changed();
                }
            });
            if !goes_on {
                return Ok(());
            }
        }
        std::thread::sleep(EVERY.saturating_sub(began.elapsed()));
    }
}

/// Reads all mappings now.
pub fn mark(pid: u32, started: Option<u64>) -> Effect {
    let take = move |teller: &Teller| {
        let redactor = redactor(teller);
        let taken = Subject::open(pid, started)
            .and_then(|subject| Mark::take(&subject, teller.cancel()))
            .map(|mut mark| {
                for group in &mut mark.groups {
                    group.name = redactor.redact(&group.name).into_owned();
                }
                mark
            });
        taken.map_err(|error| error.to_string())
    };
    Effect::finding(MARK, take, MemoryRoute::marked)
}

/// Reads a heap file; `older` = to compare the shown one with.
pub fn open(path: PathBuf, older: bool) -> Effect {
    let read = move |teller: &Teller| {
        let context = teller.context();
        let path = context.cwd.join(path);
        let progress = if older {
            teller.progress(|s: &mut MemoryRoute, done, all| {
                let percent = percent(done, all);
                s.busy = Some(format!("reading the older file: {percent} %"));
            })
        } else {
            teller.progress(MemoryRoute::reading)
        };
        let done = heap::open(&path, teller.cancel(), &progress);
        let mut heap = done.map_err(|error| error.to_string())?;
        heap.redact(&redactor(teller));
        Ok(Box::new(heap))
    };
    if older {
        Effect::finding(OLDER, read, MemoryRoute::opened_older)
    } else {
        Effect::finding(HEAP, read, MemoryRoute::opened)
    }
}

/// Writes it as JSON.
pub fn saving(
    export: impl Fn(&Path, bool) -> Result<u64, NotWritten> + Send + 'static,
) -> Saving<MemoryRoute> {
    let save = move |_: &Teller, path: &Path, force: bool| -> Result<_, NotWritten> {
        let size = export(path, force)?;
        Ok(format!("Written: {} ({}).", path.display(), bytes(size)))
    };
    Saving::new(EXPORT, save, |_, _| {})
}

/// For tests: one reading of a process, as watching tells it.
#[cfg(test)]
pub fn look(pid: u32) -> (diagnostics::memory::Sample, Box<Report>) {
    let mut subject = Subject::open(pid, None).unwrap();
    let sample = subject.sample(&Cancel::default()).unwrap();
    let report = Report::take(&mut subject, &Cancel::default()).unwrap();
    (sample, Box::new(report))
}
