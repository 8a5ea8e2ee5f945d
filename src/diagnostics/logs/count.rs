//! Going through whole files with all processors: how many entries are wanted, how many lines and entries of each process there are.

use std::thread;

use base::region;

use super::{
    filter::Filter,
    histogram::Histogram,
    page::Log,
    quick::{Minute, quick},
    record::Level,
    shape::Shape,
    source::{Source, SourceError},
    unit::{self, LARGE, Unit},
};
use crate::prelude::*;

/// Smaller parts are not worth a thread.
const PART: u64 = 8 * 1024 * 1024;
/// More threads read no faster.
const THREADS: u64 = 8;

/// How many entries of a log are wanted.
pub fn count(log: &mut Log, filter: &Filter, cancel: &Cancel) -> Result<u64, SourceError> {
    let _region = region!("logs.count");
    let mut total = 0;
    for number in 0..log.files().count() {
        let Some((source, path)) = opened(log, number, cancel) else {
            continue;
        };
        if filter.excludes(source) {
            continue;
        }
        let parts = in_parts(source, false, cancel, |unit, sum: &mut u64| {
            let wanted = filter.select(source, unit)?;
            // A blank entry is none.
            *sum += wanted
                .into_iter()
                .filter(|(s, e)| !blank(unit, *s, *e))
                .count() as u64;
            Ok(())
        });
        total += parts
            .map_err(|error| SourceError::Io(path, error))?
            .iter()
            .sum::<u64>();
    }
    Ok(total)
}

/// What is in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub lines: u64,
    /// Entries of each process.
    pub pids: BTreeMap<u32, u64>,
    /// Entries of each level.
    pub levels: BTreeMap<Level, u64>,
    /// Entries by time.
    pub times: Histogram,
}

impl Summary {
    fn merge(&mut self, part: Tally) {
        self.lines += part.lines;
        for (pid, count) in part.pids.into_iter().chain(part.more_pids) {
            *self.pids.entry(pid).or_default() += count;
        }
        for (level, count) in Level::ALL.into_iter().zip(part.levels) {
            if count > 0 {
                *self.levels.entry(level).or_default() += count;
            }
        }
        self.times.merge(part.times);
    }
}

/// A part of a summary, made to be counted up fast.
#[derive(Default)]
struct Tally {
    lines: u64,
    /// A log has few processes as a rule.
    pids: Vec<(u32, u64)>,
    more_pids: BTreeMap<u32, u64>,
    levels: [u64; Level::ALL.len()],
    times: Histogram,
    minute: Minute,
}

/// Processes that are looked for one after the other.
const FEW: usize = 32;

impl Tally {
    fn add(&mut self, time: Option<i64>, level: Option<Level>, pid: Option<u32>) {
        if let Some(pid) = pid {
            if let Some((_, count)) = self.pids.iter_mut().find(|(known, _)| *known == pid) {
                *count += 1;
            } else if self.pids.len() < FEW {
                self.pids.push((pid, 1));
            } else {
                *self.more_pids.entry(pid).or_default() += 1;
            }
        }
        if let Some(level) = level {
            slots::add(&mut self.levels, level as usize, 1);
        }
        if let Some(time) = time {
            self.times.add(time, level);
        }
    }
}

/// Which files of a log are summed up, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// All of them.
    All,
    /// Those that need not be unpacked, at lower priority: somebody works with the log meanwhile.
    Background,
}

/// Counts lines, processes, levels and times. Lines as omp writes them are known by their beginning: whether the rest of one is sound
/// JSON is not looked at.
pub fn summary(log: &mut Log, effort: Effort, cancel: &Cancel) -> Result<Summary, SourceError> {
    let mut total = Summary::default();
    let in_background = effort == Effort::Background;
    for number in 0..log.files().count() {
        let file = log.files().nth(number);
        let is_packed = file.is_some_and(|file| file.path.extension().is_some_and(|e| e == "gz"));
        if in_background && is_packed {
            continue;
        }
        let Some((source, path)) = opened(log, number, cancel) else {
            continue;
        };
        let parts = in_parts(source, in_background, cancel, |unit, sum: &mut Tally| {
            let is_json = source.shape == Shape::Json;
            let lines = unit.each_line(source, |start, first, end| {
                let line = unit.bytes.get(start..first).unwrap_or_default();
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                if is_json && let Some(quick) = quick(line, &mut sum.minute) {
                    sum.add(quick.time, quick.level, source.pid.or(quick.pid));
                } else {
                    let entry = unit.bytes.get(start..end).unwrap_or_default();
                    let head = source.shape.head(entry);
                    sum.add(head.time, head.level, source.pid.or(head.pid));
                }
            });
            sum.lines += lines;
            Ok(())
        });
        for part in parts.map_err(|error| SourceError::Io(path, error))? {
            total.merge(part);
        }
    }
    Ok(total)
}

fn opened<'a>(log: &'a mut Log, number: usize, cancel: &Cancel) -> Option<(&'a Source, PathBuf)> {
    let path = log.files().nth(number)?.path.clone();
    log.open(number, cancel).map(|source| (&*source, path))
}

fn blank(unit: &Unit, start: usize, end: usize) -> bool {
    unit.bytes
        .get(start..end)
        .is_none_or(|bytes| bytes.trim_ascii().is_empty())
}

/// Shares a file among the processors; each part begins where an entry does.
fn in_parts<T: Default + Send>(
    source: &Source,
    in_background: bool,
    cancel: &Cancel,
    each: impl Fn(&Unit, &mut T) -> io::Result<()> + Sync,
) -> io::Result<Vec<T>> {
    let length = source.length()?;
    let processors = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let parts = processors.min(THREADS).min(length / PART).max(1);
    let borders = (0..=parts)
        .map(|part| {
            if part == parts {
                Ok(length)
            } else {
                unit::align(source, length / parts * part, length)
            }
        })
        .collect::<io::Result<Vec<u64>>>()?;
    let go_through = |from: u64, to: u64| -> io::Result<T> {
        if in_background {
            // It is of this thread alone. Where it is refused the work is done all the same.
            let _ = rustix::process::nice(10);
        }
        let mut sum = T::default();
        let mut at = from;
        let mut buffer = Vec::new();
        while !cancel.is_cancelled() {
            let Some(unit) = unit::after_in(buffer, source, at, to, LARGE, cancel)? else {
                break;
            };
            each(&unit, &mut sum)?;
            at = unit.end();
            buffer = unit.bytes;
        }
        Ok(sum)
    };
    thread::scope(|scope| {
        let go_through = &go_through;
        let running: Vec<_> = borders
            .array_windows()
            .map(|[from, to]| scope.spawn(move || go_through(*from, *to)))
            .collect();
        running
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|_| Err(io::Error::other("a reader broke down")))
            })
            .collect()
    })
}
