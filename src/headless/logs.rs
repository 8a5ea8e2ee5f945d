//! `omp-debug logs`: entries as lines or as JSON, in the order of time, the newest last.
//!
//! Reading, merging and filtering is done in `diagnostics::logs`; parsing the command line is left to `cli`.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use base::text::json::printable;
use base::text::sanitise::sanitise;
use base::text::width::{pad, truncate_start, width};
use diagnostics::Cancel;
use diagnostics::logs::{
    self, Entry, Filter, FilterError, Level, Log, SourceError, format_time, parse_since,
};
use diagnostics::omp::log_files;

/// Entries that are read and written at once.
const PAGE: usize = 1024;
/// Cells for the name of an entry's file, at most.
const NAME: usize = 24;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Files and folders; none means omp's own logs.
    pub paths: Vec<PathBuf>,
    /// JSON instead of lines.
    pub json: bool,
    /// Processes; none means all.
    pub pids: Vec<u32>,
    /// The mildest level.
    pub level: Option<Level>,
    /// A regular expression.
    pub grep: Option<String>,
    /// A time, as a person writes it.
    pub since: Option<String>,
    /// How many, from the newest.
    pub limit: Option<usize>,
    /// Only their number.
    pub count: bool,
}

/// Why the command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum LogsError {
    /// `--grep`.
    #[error("--grep {0}")]
    Grep(#[from] FilterError),
    /// `--since`.
    #[error(
        "--since {0:?} is no time: write 2026-08-21T14:03, 2026-08-21, 14:03, or how long ago: 90s, 10m, 2h, 3d"
    )]
    Since(String),
    /// Reading failed in the middle.
    #[error(transparent)]
    Read(#[from] SourceError),
    /// None of the files could be read.
    #[error("none of the logs can be read")]
    Nothing,
    /// Some of the files that were named could not be read; the rest was told, and why was said.
    #[error("{0} of {1} logs cannot be read")]
    Some(usize, usize),
    /// The only file could not be read: why.
    #[error("{0}")]
    Unreadable(String),
    /// Writing failed.
    #[error("cannot write the answer: {0}")]
    Write(#[from] std::io::Error),
}

impl LogsError {
    /// Whether the command line is to blame.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Grep(_) | Self::Since(_))
    }
}

/// Writes what is asked for to `out`, and what a person should know besides to `warn`.
pub fn run(
    wanted: &Wanted,
    omp_logs: &Path,
    out: &mut dyn Write,
    warn: &mut dyn FnMut(&str),
) -> Result<(), LogsError> {
    let filter = filter(wanted)?;
    let files = log_files::find(&wanted.paths, omp_logs, warn);
    let asked = files.len();
    let mut log = Log::new(files);
    let mut out = BufWriter::new(out);
    let written = write(wanted, &mut log, &filter, &mut out).and_then(|()| Ok(out.flush()?));
    let named = |path: &Path| wanted.paths.iter().any(|named| named == path);
    let mut notes = log.take_notes();
    if asked == 1
        && log.unreadable() == 1
        && written.is_ok()
        && let Some(why) = notes.pop()
    {
        return Err(LogsError::Unreadable(sanitise(&why).into_owned()));
    }
    for note in &notes {
        warn(&sanitise(note));
    }
    match written {
        // The reader has seen enough.
        Err(LogsError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Ok(()) if log.unreadable() == asked && (asked > 0 || !wanted.paths.is_empty()) => {
            Err(LogsError::Nothing)
        }
        // A sum without one of the files that were named is not what was asked for.
        Ok(()) => match log.failed().filter(|path| named(path)).count() {
            0 => Ok(()),
            missing => Err(LogsError::Some(missing, asked)),
        },
        other => other,
    }
}

fn filter(wanted: &Wanted) -> Result<Filter, LogsError> {
    let since = wanted
        .since
        .as_ref()
        .map(|text| {
            parse_since(text, &jiff::Zoned::now()).ok_or_else(|| LogsError::Since(text.clone()))
        })
        .transpose()?;
    let filter = Filter::default()
        .pids(&wanted.pids)
        .level(wanted.level)
        .since(since);
    Ok(match &wanted.grep {
        Some(pattern) => filter.grep(pattern)?,
        None => filter,
    })
}

fn write(
    wanted: &Wanted,
    log: &mut Log,
    filter: &Filter,
    out: &mut dyn Write,
) -> Result<(), LogsError> {
    let cancel = Cancel::default();
    if wanted.count {
        writeln!(out, "{}", logs::count(log, filter, &cancel)?)?;
        return Ok(());
    }
    let mut cursor = log.start();
    if let Some(limit) = wanted.limit {
        cursor = log.end();
        let mut left = limit;
        while left > 0 {
            let page = log.before(&cursor, left.min(PAGE), filter, u64::MAX, &cancel)?;
            left -= page.entries.len().min(left);
            cursor = page.before;
            if page.reached_end {
                break;
            }
        }
    }
    let names: Vec<String> = log
        .files()
        .map(|file| {
            if file.path.starts_with("/dev/fd") {
                logs::name_of(&file.path)
            } else {
                file.path.display().to_string()
            }
        })
        .collect();
    let short = log.names();
    let widest = short.iter().map(|name| width(&sanitise(name))).max();
    let column = widest.unwrap_or(0).min(NAME);
    let mut left = wanted.limit.unwrap_or(usize::MAX);
    while left > 0 {
        let page = log.after(&cursor, left.min(PAGE), filter, u64::MAX, &cancel)?;
        for entry in &page.entries {
            if wanted.json {
                let file = names.get(entry.source).map_or("", String::as_str);
                writeln!(out, "{}", printable(&record(entry, file).to_string()))?;
            } else {
                let name = short.get(entry.source);
                print(entry, name.map(|name| (name.as_str(), column)), out)?;
            }
        }
        left -= page.entries.len().min(left);
        cursor = page.after;
        if page.reached_end {
            break;
        }
    }
    Ok(())
}

fn record(entry: &Entry, file: &str) -> Value {
    let (members, more) = entry.parts();
    let mut record = Map::new();
    let time = entry
        .time
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    let time = time.map(|time| time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string());
    record.insert("timestamp".to_owned(), json!(time));
    record.insert("level".to_owned(), json!(entry.level.map(Level::name)));
    record.insert("pid".to_owned(), json!(entry.pid));
    record.insert("message".to_owned(), json!(entry.message));
    record.insert("file".to_owned(), json!(file));
    record.insert("offset".to_owned(), json!(entry.offset));
    if !members.is_empty() {
        record.insert("fields".to_owned(), Value::Object(members));
    }
    if !more.trim().is_empty() {
        record.insert("more".to_owned(), json!(more));
    }
    if entry.cut {
        record.insert("length".to_owned(), json!(entry.length));
    }
    Value::Object(record)
}

/// `name` is what its file is called, and how many cells there are for that.
fn print(entry: &Entry, name: Option<(&str, usize)>, out: &mut dyn Write) -> std::io::Result<()> {
    let (_, more) = entry.parts();
    let mut lines = entry.said().lines();
    let time = entry.time.map_or_else(String::new, format_time);
    let level = entry.level.map_or("", Level::name).to_ascii_uppercase();
    let pid = entry.pid.map_or_else(String::new, |pid| pid.to_string());
    write!(out, "{time:23} {level:5} {pid:>7}  ")?;
    if let Some((name, cells)) = name {
        let name = sanitise(name);
        write!(out, "{}  ", pad(&truncate_start(&name, cells).0, cells))?;
    }
    let first = sanitise(lines.next().unwrap_or_default());
    write!(out, "{first}{}", entry.fields())?;
    if entry.cut {
        write!(out, " … ({} bytes)", entry.length)?;
    }
    writeln!(out)?;
    for line in lines.chain(more.lines()) {
        writeln!(out, "    {}", sanitise(line))?;
    }
    Ok(())
}
