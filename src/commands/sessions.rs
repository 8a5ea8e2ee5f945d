//! `omp-debug sessions`: sessions of omp, one of them, or what is said in them, as lines or as JSON.
//!
//! Finding, reading and searching is done in `diagnostics::sessions`, drawing in `tui::routes::sessions`.

use std::collections::VecDeque;

use super::prelude::*;
use crate::{
    diagnostics::{
        logs::{format_time, stamp},
        sessions::{
            Finder, Session, Summary,
            beside::SessionFiles,
            read_all,
            search::{self, Hit, Needle},
        },
        transcript,
    },
    text::amount::size,
    tui::routes::sessions::SessionTarget,
};

/// `sessions`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omp-debug sessions --print --limit 10      the newest ten, of all projects
  omp-debug sessions latest --json           what the newest one took: models, tools, subagents
  omp-debug sessions --grep 'disk full'      every entry of every session that says so")]
pub struct SessionsArgs {
    /// One session instead of all: its file, its id or how that begins, or `latest`
    pub session: Option<String>,
    /// One JSON object for each session, or for each entry found
    #[arg(long, conflicts_with = "print")]
    pub json: bool,
    /// One line for each session, or for each entry found
    #[arg(long)]
    pub print: bool,
    /// Every entry in whose text this regular expression is found
    #[arg(long, value_name = "RE")]
    pub grep: Option<String>,
    /// Only so many, the newest ones
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

impl DeskCommand for SessionsArgs {
    fn is_for_the_screen(&self) -> bool {
        !(self.json || self.print || self.grep.is_some() || self.limit.is_some())
    }

    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        let layout = desk.layout_with_warnings();
        let finder = Finder::of_terminal(&layout, &desk.context.env);
        let mut out = BufWriter::new(stdout());
        match (&self.grep, &self.session) {
            (Some(pattern), _) => grep(self, pattern, &finder, &mut out),
            (None, Some(word)) => {
                let path = finder.find(Some(word)).map_err(Failure::usage)?;
                one(self.json, &path, &mut out)
            }
            (None, None) => list(self, &finder, &mut out),
        }?;
        out.flush()?;
        Ok(0)
    }

    fn route(&self, _: &Desk<'_>) -> Result<Route> {
        let route = Route::to(RouteId::SESSIONS);
        Ok(match self.session.clone() {
            Some(session) => route.begin(SessionTarget(session)),
            None => route,
        })
    }
}

/// A time for people, to the minute.
fn when(time: i64) -> String {
    let text = format_time(time);
    text.get(..16).unwrap_or(&text).to_owned()
}

fn list(args: &SessionsArgs, finder: &Finder, out: &mut dyn Write) -> Result<()> {
    let mut notes = Vec::new();
    let mut files = finder.files(&mut notes);
    warn_of(&notes);
    if files.is_empty() && !args.json {
        warn("there are no sessions of omp here");
    }
    files.truncate(args.limit.unwrap_or(usize::MAX));
    let mut done = Ok(());
    finder.summaries(&files, &Cancel::default(), |summaries| {
        for summary in summaries {
            done = if args.json {
                write_line(out, &record(&summary))
            } else {
                print(&summary, out)
            };
            if done.is_err() {
                return false;
            }
        }
        true
    });
    Ok(done?)
}

fn record(summary: &Summary) -> Value {
    json!({
        "id": &summary.id,
        "title": summary.title.as_deref(),
        "prompt": summary.prompt.as_deref(),
        "cwd": summary.cwd.as_deref(),
        "started": stamp(summary.started),
        "changed": stamp(Some(summary.changed)),
        "size": summary.size,
        "version": summary.version,
        "model": summary.model.as_deref(),
        "status": summary.status.word(),
        "reason": summary.status.why(),
        "live": summary.live,
        "this_terminal": summary.here,
        "archived": summary.archived,
        "parent": summary.parent.as_deref(),
        "path": &summary.path.display().to_string(),
        "trouble": summary.trouble.as_deref(),
    })
}

fn print(summary: &Summary, out: &mut dyn Write) -> std::io::Result<()> {
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
    )
}

fn one(json: bool, path: &Path, out: &mut dyn Write) -> Result<()> {
    let session = read_all(path, &Cancel::default(), &mut |_, _| {}).map_err(Failure::failed)?;
    transcript::is_session(path, &session).map_err(Failure::failed)?;
    let summary = Summary::read(path);
    let beside = SessionFiles::of(path);
    if json {
        write_line(out, &whole(&summary, &session, &beside)?)?;
    } else {
        describe(&summary, &session, &beside, out)?;
    }
    Ok(())
}

fn whole(summary: &Summary, session: &Session, beside: &SessionFiles) -> serde_json::Result<Value> {
    let totals = &session.totals;
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
                "task": agent.summary.prompt.as_deref(), "size": agent.summary.size, "has_result": agent.result.is_some(),
                "path": &agent.summary.path.display().to_string()})
        })
        .collect();
    let artifacts: Vec<Value> = beside
        .artifacts
        .iter()
        .map(|a| json!({"name": &a.name, "sort": &a.sort, "size": a.size}))
        .collect();
    let more = json!({
        "entries": session.tree.entries.len(),
        "branches": session.tree.branches(),
        "orphans": session.tree.orphans,
        "malformed": session.malformed,
        "unknown_types": unknown,
        "kinds": kinds,
        "usage": totals.usage,
        "models": totals.models,
        "tools": totals.tools,
        "errors": totals.errors,
        "exit": exit,
        "subagents": agents,
        "artifacts": artifacts,
    });
    with_members(&record(summary), more)
}

fn describe(
    summary: &Summary,
    session: &Session,
    beside: &SessionFiles,
    out: &mut dyn Write,
) -> Result<()> {
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

fn grep(args: &SessionsArgs, pattern: &str, finder: &Finder, out: &mut dyn Write) -> Result<()> {
    let needle =
        Needle::new(pattern, true).map_err(|error| Failure::usage(format!("--grep {error}")))?;
    let mut notes = Vec::new();
    let files = match &args.session {
        Some(word) => vec![finder.find(Some(word)).map_err(Failure::usage)?],
        None => finder
            .files(&mut notes)
            .into_iter()
            .map(|file| file.path)
            .collect(),
    };
    warn_of(&notes);
    let mut left = args.limit.unwrap_or(usize::MAX);
    for path in files {
        if left == 0 {
            break;
        }
        // Of a limit the newest are wanted, which stand at a file's end: they are told in the file's order.
        let (mut held, mut count, mut done) = (VecDeque::new(), 0, Ok(()));
        let mut tell = |hit: Hit| {
            count += 1;
            if args.limit.is_none() {
                done = found(args.json, &hit, out);
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
            found(args.json, hit, out)?;
        }
    }
    Ok(())
}

fn found(json: bool, hit: &Hit, out: &mut dyn Write) -> std::io::Result<()> {
    if json {
        let record = json!({
            "path": &hit.path.display().to_string(),
            "entry": hit.id.as_deref(),
            "offset": hit.offset,
            "type": &hit.name,
            "timestamp": stamp(hit.time),
            "excerpt": &hit.excerpt,
        });
        return write_line(out, &record);
    }
    writeln!(
        out,
        "{}  {}  {}  {}",
        hit.time.map(when).unwrap_or_default(),
        sanitise(crate::diagnostics::sessions::summary::id_of(&hit.path)),
        sanitise(&hit.name),
        sanitise(&hit.excerpt)
    )
}
