//! `omp-debug sessions`: sessions of omp, one of them, or what is said in them, as lines or as JSON.
//!
//! Finding, reading and searching is done in `diagnostics::sessions`; parsing the command line is left to `cli`.

use std::collections::VecDeque;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use base::text::amount::size;
use base::text::json::printable;
use base::text::sanitise::sanitise;
use diagnostics::Cancel;
use diagnostics::logs::format_time;
use diagnostics::sessions::beside::Beside;
use diagnostics::sessions::reader::{ReadError, read_all};
use diagnostics::sessions::search::{self, Hit, Needle};
use diagnostics::sessions::totals::Usage;
use diagnostics::sessions::{FindError, Finder, Session, Summary};
use diagnostics::transcript::{self, TranscriptError};

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// One session.
    pub session: Option<String>,
    /// JSON instead of lines.
    pub json: bool,
    /// A regular expression.
    pub grep: Option<String>,
    /// How many, from the newest.
    pub limit: Option<usize>,
}

/// Why the command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum SessionsError {
    /// SESSION.
    #[error(transparent)]
    Find(#[from] FindError),
    /// `--grep`.
    #[error("--grep {0}")]
    Grep(String),
    /// Reading failed.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file says nothing that a session says.
    #[error(transparent)]
    Empty(#[from] TranscriptError),
    /// Writing failed.
    #[error("cannot write the answer: {0}")]
    Write(#[from] std::io::Error),
}

impl SessionsError {
    /// Whether the command line is to blame.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Find(_) | Self::Grep(_))
    }
}

/// Writes what is asked for to `out`, and what a person should know besides to `warn`.
pub fn run(
    wanted: &Wanted,
    finder: &Finder,
    out: &mut dyn Write,
    warn: &mut dyn FnMut(&str),
) -> Result<(), SessionsError> {
    let mut out = BufWriter::new(out);
    let written = match (&wanted.grep, &wanted.session) {
        (Some(pattern), _) => grep(wanted, pattern, finder, &mut out, warn),
        (None, Some(word)) => one(wanted, &finder.find(Some(word))?, &mut out),
        (None, None) => list(wanted, finder, &mut out, warn),
    };
    match written.and_then(|()| Ok(out.flush()?)) {
        // The reader has seen enough.
        Err(SessionsError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            Ok(())
        }
        other => other,
    }
}

fn line(out: &mut dyn Write, value: &Value) -> Result<(), SessionsError> {
    Ok(writeln!(out, "{}", printable(&value.to_string()))?)
}

/// A foreign text, or nothing.
fn clean(text: Option<&str>) -> Value {
    json!(text)
}

/// A time as JSON: UTC to the millisecond.
fn stamp(time: Option<i64>) -> Value {
    let time = time.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    json!(time.map(|time| time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()))
}

/// A time for people, to the minute.
fn when(time: i64) -> String {
    let text = format_time(time);
    text.get(..16).unwrap_or(&text).to_owned()
}

fn list(
    wanted: &Wanted,
    finder: &Finder,
    out: &mut dyn Write,
    warn: &mut dyn FnMut(&str),
) -> Result<(), SessionsError> {
    let mut notes = Vec::new();
    let mut files = finder.files(&mut notes);
    for note in &notes {
        warn(&sanitise(note));
    }
    if files.is_empty() && !wanted.json {
        warn("there are no sessions of omp here");
    }
    files.truncate(wanted.limit.unwrap_or(usize::MAX));
    let mut done = Ok(());
    finder.summaries(&files, &Cancel::default(), |summaries| {
        for summary in summaries {
            done = if wanted.json {
                line(out, &record(&summary))
            } else {
                print(&summary, out)
            };
            if done.is_err() {
                return false;
            }
        }
        true
    });
    done
}

fn record(summary: &Summary) -> Value {
    json!({
        "id": &summary.id,
        "title": clean(summary.title.as_deref()),
        "prompt": clean(summary.prompt.as_deref()),
        "cwd": clean(summary.cwd.as_deref()),
        "started": stamp(summary.started),
        "changed": stamp(Some(summary.changed)),
        "size": summary.size,
        "version": summary.version,
        "model": clean(summary.model.as_deref()),
        "status": summary.status.word(),
        "reason": clean(summary.status.why()),
        "live": summary.live,
        "this_terminal": summary.here,
        "archived": summary.archived,
        "parent": clean(summary.parent.as_deref()),
        "path": &summary.path.display().to_string(),
        "trouble": clean(summary.trouble.as_deref()),
    })
}

fn print(summary: &Summary, out: &mut dyn Write) -> Result<(), SessionsError> {
    let mark = match (summary.here, summary.live, summary.archived) {
        (true, _, _) => "here",
        (_, true, _) => "live",
        (_, _, true) => "gz",
        _ => "",
    };
    let status = match &summary.trouble {
        Some(_) => "unreadable",
        None => summary.status.word(),
    };
    writeln!(
        out,
        "{}  {:36}  {mark:4}  {status:11}  {:>10}  {}  {}",
        when(summary.changed),
        sanitise(&summary.id),
        size(summary.size),
        sanitise(summary.cwd.as_deref().unwrap_or("?")),
        sanitise(summary.trouble.as_deref().unwrap_or_else(|| summary.name())),
    )?;
    Ok(())
}

fn usage(usage: &Usage) -> Value {
    json!({
        "answers": usage.answers,
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "total": usage.total,
        "cost": usage.cost,
    })
}

fn one(wanted: &Wanted, path: &Path, out: &mut dyn Write) -> Result<(), SessionsError> {
    let session = read_all(path, &Cancel::default())?;
    transcript::is_session(path, &session)?;
    let summary = Summary::read(path);
    let beside = Beside::of(path);
    if wanted.json {
        line(out, &whole(&summary, &session, &beside))
    } else {
        describe(&summary, &session, &beside, out)
    }
}

fn whole(summary: &Summary, session: &Session, beside: &Beside) -> Value {
    let totals = &session.totals;
    let mut record = record(summary);
    let tools: serde_json::Map<String, Value> = totals
        .tools
        .iter()
        .map(|(name, tool)| {
            let told = json!({"calls": tool.calls, "failed": tool.failed, "answered": tool.answered, "timed": tool.timed,
                "total_ms": tool.total, "longest_ms": tool.longest});
            (name.clone(), told)
        })
        .collect();
    let models: serde_json::Map<String, Value> = totals
        .models
        .iter()
        .map(|(name, spent)| (name.clone(), usage(spent)))
        .collect();
    let kinds: serde_json::Map<String, Value> = totals
        .kinds
        .iter()
        .map(|((_, name), count)| (name.clone(), json!(count)))
        .collect();
    let unknown: Vec<_> = totals.unknown().map(|(name, _)| sanitise(name)).collect();
    let exit = totals.exit.as_ref().map(|exit| {
        json!({"reason": &exit.reason, "kind": &exit.kind, "pending_tool_calls": exit.pending})
    });
    let agents: Vec<Value> = beside
        .agents
        .iter()
        .map(|agent| {
            json!({"id": &agent.id, "depth": agent.depth, "advisor": agent.advisor, "status": agent.summary.status.word(),
                "task": clean(agent.summary.prompt.as_deref()), "size": agent.summary.size, "has_result": agent.result.is_some(),
                "path": &agent.summary.path.display().to_string()})
        })
        .collect();
    let artifacts: Vec<Value> = beside
        .artifacts
        .iter()
        .map(|a| json!({"name": &a.name, "sort": &a.sort, "size": a.size}))
        .collect();
    let more = json!({
        "entries": session.tree.entries().len(),
        "branches": session.tree.branches(),
        "orphans": session.tree.orphans(),
        "malformed": session.malformed,
        "unknown_types": unknown,
        "kinds": kinds,
        "usage": usage(&totals.usage),
        "models": models,
        "tools": tools,
        "errors": totals.errors,
        "exit": exit,
        "subagents": agents,
        "artifacts": artifacts,
    });
    if let (Some(record), Value::Object(more)) = (record.as_object_mut(), more) {
        record.extend(more);
    }
    record
}

fn describe(
    summary: &Summary,
    session: &Session,
    beside: &Beside,
    out: &mut dyn Write,
) -> Result<(), SessionsError> {
    writeln!(out, "{}", sanitise(summary.name()))?;
    for fact in session.facts(summary) {
        writeln!(out, "  {:12} {}", fact.0, sanitise(&fact.1))?;
    }
    for agent in &beside.agents {
        writeln!(
            out,
            "  subagent     {}{}  {}  {}",
            "  ".repeat(agent.depth),
            sanitise(&agent.id),
            agent.summary.status.word(),
            sanitise(agent.summary.prompt.as_deref().unwrap_or_default())
        )?;
    }
    for artifact in &beside.artifacts {
        let (name, sort) = (sanitise(&artifact.name), sanitise(&artifact.sort));
        writeln!(
            out,
            "  artifact     {name}  {sort}  {}",
            size(artifact.size)
        )?;
    }
    for note in &beside.notes {
        writeln!(out, "  note         {}", sanitise(note))?;
    }
    Ok(())
}

fn grep(
    wanted: &Wanted,
    pattern: &str,
    finder: &Finder,
    out: &mut dyn Write,
    warn: &mut dyn FnMut(&str),
) -> Result<(), SessionsError> {
    let needle = Needle::new(pattern, true).map_err(SessionsError::Grep)?;
    let mut notes = Vec::new();
    let files = match &wanted.session {
        Some(word) => vec![finder.find(Some(word))?],
        None => finder
            .files(&mut notes)
            .into_iter()
            .map(|file| file.path)
            .collect(),
    };
    for note in &notes {
        warn(&sanitise(note));
    }
    let mut left = wanted.limit.unwrap_or(usize::MAX);
    for path in files {
        if left == 0 {
            break;
        }
        // Of a limit the newest are wanted, which stand at a file's end: they are told in the file's order.
        let (mut held, mut count, mut done) = (VecDeque::new(), 0, Ok(()));
        let mut tell = |hit: Hit| {
            count += 1;
            if wanted.limit.is_none() {
                done = found(wanted.json, &hit, out);
                return done.is_ok();
            }
            if held.len() == left {
                held.pop_front();
            }
            held.push_back(hit);
            true
        };
        if let Err(error) = search::one(&path, &needle, &Cancel::default(), &mut tell) {
            warn(&sanitise(&error.to_string()));
        }
        done?;
        left = left.saturating_sub(count);
        for hit in &held {
            found(wanted.json, hit, out)?;
        }
    }
    Ok(())
}

fn found(json: bool, hit: &Hit, out: &mut dyn Write) -> Result<(), SessionsError> {
    if json {
        let record = json!({
            "path": &hit.path.display().to_string(),
            "entry": clean(hit.id.as_deref()),
            "offset": hit.offset,
            "type": &hit.name,
            "timestamp": stamp(hit.time),
            "excerpt": &hit.excerpt,
        });
        return line(out, &record);
    }
    writeln!(
        out,
        "{}  {}  {}  {}",
        hit.time.map(when).unwrap_or_default(),
        sanitise(diagnostics::sessions::summary::id_of(&hit.path)),
        sanitise(&hit.name),
        sanitise(&hit.excerpt)
    )?;
    Ok(())
}
