//! `logs.txt`: the ends of one day's logs, of every process, each below its name.
//!
//! omp names logs by the local day, and so the day is the local one. When there is nothing of today, as in a report about a process
//! that died before midnight, the newest day that has logs is taken.

use jiff::civil::Date;

use super::walk;
use crate::{
    omp::names::{LogFile, logs_in},
    prelude::*,
};

/// Lines of each log.
pub const LINES: usize = 1000;
/// Bytes of each log that are looked at.
const TAIL: u64 = 2 * 1024 * 1024;

/// The logs of a day.
pub struct DayLogs {
    pub day: Option<Date>,
    /// The one changed last is the last one.
    pub files: Vec<PathBuf>,
    /// Bytes that will be read at most.
    pub size: u64,
}

/// The logs of `today`, or of the last day before it that has any.
pub fn find(dir: &Path, today: Date) -> io::Result<DayLogs> {
    let mut logs: Vec<LogFile> = logs_in(dir)?
        .into_iter()
        .filter(|log| log.day <= today && !log.gzip)
        .collect();
    let day = logs.iter().map(|log| log.day).max();
    logs.retain(|log| Some(log.day) == day);
    let mut files: Vec<(SystemTime, LogFile, u64)> = logs
        .into_iter()
        .filter_map(|log| {
            let metadata = std::fs::symlink_metadata(&log.path).ok()?;
            let changed = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            metadata.is_file().then_some((changed, log, metadata.len()))
        })
        .collect();
    // Parts of one log can have been changed within one tick of the clock.
    files.sort_by_key(|file| (file.0, file.1.pid, file.1.part));
    Ok(DayLogs {
        day,
        size: files.iter().map(|file| file.2.min(TAIL)).sum(),
        files: files.into_iter().map(|file| file.1.path).collect(),
    })
}

/// One log as it stands in the member: its name, its last lines. With it, how many bytes before them are not there.
pub fn section(path: &Path, is_first: bool) -> io::Result<(Vec<u8>, u64)> {
    let (tail, from) = walk::tail(path, TAIL)?;
    let mut begin = 0;
    if from > 0 {
        // The first line began before.
        begin = memchr::memchr(b'\n', &tail).map_or(tail.len(), |at| at + 1);
    }
    let end = tail.len() - usize::from(tail.ends_with(b"\n"));
    let ends = memchr::memrchr_iter(b'\n', tail.get(..end).unwrap_or_default());
    if let Some(at) = ends.take(LINES).nth(LINES - 1) {
        begin = begin.max(at + 1);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let between = if is_first { "" } else { "\n" };
    let mut out = format!("{between}===== {name} =====\n").into_bytes();
    out.extend_from_slice(tail.get(begin..).unwrap_or_default());
    if !out.ends_with(b"\n") {
        out.push(b'\n');
    }
    Ok((out, from + begin as u64))
}
