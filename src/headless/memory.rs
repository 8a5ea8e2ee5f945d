//! `omp-debug memory`: what a process holds, or what is in a heap file, as text or as JSON.
//!
//! Reading is done in `diagnostics::memory`; parsing the command line is left to `cli`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value, json};

use base::text::json::printable;
use base::text::redact::Redactor;
use diagnostics::Cancel;
use diagnostics::memory::growth::{Growth, Mark};
use diagnostics::memory::heap::{self, HeapError};
use diagnostics::memory::text::{self, Report, sample_line};
use diagnostics::memory::{MemoryError, SCHEMA_VERSION, Sample, Subject, utc};

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// A process.
    pub pid: Option<u32>,
    /// Or a heap file.
    pub file: Option<PathBuf>,
    /// An older heap file that `file` is compared with.
    pub since: Option<PathBuf>,
    /// JSON, not text.
    pub json: bool,
    /// One line a sample, this often.
    pub watch: Option<Duration>,
    /// So many of them.
    pub count: Option<u64>,
}

/// Why the command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Nothing was asked for.
    #[error(
        "say whose memory: a process (omp-debug memory --pid N) or a heap file (omp-debug memory FILE)"
    )]
    Nothing,
    /// Of the process.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Of the file.
    #[error("{0}")]
    Heap(String),
    /// It could not be made into JSON.
    #[error("cannot write the answer as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Writing failed.
    #[error("cannot write the answer: {0}")]
    Write(#[from] std::io::Error),
}

impl From<HeapError> for RunError {
    fn from(error: HeapError) -> Self {
        Self::Heap(error.to_string())
    }
}

impl RunError {
    /// Whether the command line is to blame.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// Writes what was asked for.
pub fn run(wanted: &Wanted, redactor: &Redactor, out: &mut dyn Write) -> Result<(), RunError> {
    let done = match (&wanted.file, wanted.pid, wanted.watch) {
        (Some(file), ..) => heap_file(file, wanted, redactor, out),
        (None, Some(pid), Some(every)) => watch(pid, every, wanted, redactor, out),
        (None, Some(pid), None) => process(pid, wanted.json, redactor, out),
        (None, None, _) => Err(RunError::Nothing),
    };
    match done {
        // The reader has seen enough.
        Err(RunError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn process(pid: u32, json: bool, redactor: &Redactor, out: &mut dyn Write) -> Result<(), RunError> {
    let mut subject = Subject::open(pid, None)?;
    let mut report = Report::take(&mut subject, &Cancel::default())?;
    report.redact(redactor);
    if json {
        let text = serde_json::to_string_pretty(&report)?;
        writeln!(out, "{}", printable(&text))?;
    } else {
        out.write_all(text::write(&report).as_bytes())?;
    }
    Ok(())
}

fn line(out: &mut dyn Write, value: &Value) -> Result<(), RunError> {
    let text = value.to_string();
    writeln!(out, "{}", printable(&text))?;
    // Somebody may be reading along.
    out.flush()?;
    Ok(())
}

fn sample_json(pid: u32, taken: Timestamp, sample: &Sample) -> Result<Value, RunError> {
    let mut value = serde_json::to_value(sample)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("type".to_owned(), json!("sample"));
        fields.insert("schema_version".to_owned(), json!(SCHEMA_VERSION));
        fields.insert("timestamp".to_owned(), json!(utc(taken)));
        fields.insert("pid".to_owned(), json!(pid));
    }
    Ok(value)
}

fn watch(
    pid: u32,
    every: Duration,
    wanted: &Wanted,
    redactor: &Redactor,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let cancel = Cancel::default();
    let mut subject = Subject::open(pid, None)?;
    let begin = wanted
        .count
        .map(|_| Mark::take(&subject, &cancel))
        .transpose()?;
    let mut taken = 0;
    let mut due = Instant::now();
    loop {
        let sample = match subject.sample(&cancel) {
            Ok(sample) => sample,
            // That it ends is how watching ends; that it was never there is an error.
            Err(error) if taken > 0 && error.is_end() => return ended(&error, wanted, out),
            Err(error) => return Err(error.into()),
        };
        let now = Timestamp::now();
        if wanted.json {
            line(out, &sample_json(pid, now, &sample)?)?;
        } else {
            writeln!(out, "{}", sample_line(now, &sample))?;
            out.flush()?;
        }
        taken += 1;
        if wanted.count.is_some_and(|count| taken >= count) {
            break;
        }
        // By the clock, not by the pause: samples do not drift.
        due += every;
        let now = Instant::now();
        match due.checked_duration_since(now) {
            Some(pause) => std::thread::sleep(pause),
            None => due = now,
        }
    }
    let Some(begin) = begin else { return Ok(()) };
    let end = match Mark::take(&subject, &cancel) {
        Ok(end) => end,
        Err(error) if error.is_end() => return ended(&error, wanted, out),
        Err(error) => return Err(error.into()),
    };
    let mut growth = Growth::between(&begin, &end);
    for row in &mut growth.rows {
        row.name = redactor.redact(&row.name).into_owned();
    }
    if wanted.json {
        let mut value = serde_json::to_value(&growth)?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("type".to_owned(), json!("growth"));
            fields.insert("timestamp".to_owned(), json!(utc(end.taken)));
            fields.insert("pid".to_owned(), json!(pid));
        }
        line(out, &value)
    } else {
        write!(out, "\n{}", text::write_growth(&growth))?;
        Ok(())
    }
}

fn ended(error: &MemoryError, wanted: &Wanted, out: &mut dyn Write) -> Result<(), RunError> {
    if wanted.json {
        let now = utc(Timestamp::now());
        let told = json!({"type": "ended", "timestamp": now, "pid": wanted.pid, "reason": error.to_string()});
        return line(out, &told);
    }
    writeln!(out, "{error}")?;
    Ok(())
}

fn heap_file(
    file: &Path,
    wanted: &Wanted,
    redactor: &Redactor,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let open = |path: &Path| {
        let mut heap = heap::open(path, &Cancel::default(), &mut |_, _| {})?;
        heap.redact(redactor);
        Ok::<_, HeapError>(heap)
    };
    let before = wanted.since.as_deref().map(open).transpose()?;
    let after = open(file)?;
    if let Some(before) = &before {
        heap::comparable(before, &after).map_err(RunError::Heap)?;
    }
    let differences = before.as_ref().map(|before| heap::compare(before, &after));
    if wanted.json {
        let mut value = serde_json::to_value(&after)?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("schema_version".to_owned(), json!(SCHEMA_VERSION));
            fields.insert("since".to_owned(), json!(wanted.since));
            fields.insert(
                "differences".to_owned(),
                serde_json::to_value(&differences)?,
            );
        }
        let text = serde_json::to_string_pretty(&value)?;
        writeln!(out, "{}", printable(&text))?;
        return Ok(());
    }
    let text = match (&before, &differences) {
        (Some(before), Some(rows)) => heap::text::write_differences(before, &after, rows),
        _ => heap::text::write(&after),
    };
    out.write_all(text.as_bytes())?;
    Ok(())
}
