//! `omp-debug replay`: a recorded session on the screen, or as lines: its stops in order, then how its sessions ended.

use std::io;

use serde::Serialize;
use serde_json::json;

use super::prelude::*;
use crate::debugger::recording::{self, Ending, Recording, Session, Stop};

/// `replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// What --record wrote
    pub file: PathBuf,
    /// No screen: the stops as JSON, one a line
    #[arg(long)]
    pub json: bool,
    /// No screen: the stops for people
    #[arg(long, conflicts_with = "json")]
    pub print: bool,
}

impl DeskCommand for ReplayArgs {
    fn is_for_the_screen(&self) -> bool {
        !self.json && !self.print
    }

    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        let path = desk.path(&self.file);
        let folder = path.parent().map(PathBuf::from).unwrap_or_default();
        let recording = recording::open(&path, &folder, desk.context).map_err(Failure::failed)?;
        let mut text = Vec::new();
        let written = if self.json {
            json(&recording, &mut text)
        } else {
            print(&recording, &mut text)
        };
        written.map_err(Failure::failed)?;
        super::setup::print(&text)
    }

    fn route(&self, desk: &Desk<'_>) -> Result<Route> {
        Ok(Route {
            commands: vec![Command::Replay {
                path: desk.path(&self.file),
                folder: None,
            }],
            ..Route::default()
        })
    }
}

/// One object a line: where there are several sessions, a `session` each; a `stop` each, in the order they happened; a `session_end` for
/// each session but the first; then an `end`, which is that of the first.
fn json(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    let sessions = recording.sessions();
    let many = sessions.len() > 1;
    if many {
        for session in &sessions {
            write_line(out, &typed("session", session)?)?;
        }
    }
    for stop in &recording.told() {
        write_line(out, &typed("stop", stop)?)?;
    }
    for session in sessions.iter().skip(1) {
        let end = typed("session_end", &recording.ending(session.number))?;
        let whose = json!({"session": session.number, "stops": session.stops});
        write_line(out, &with_members(&end, whose)?)?;
    }
    let end = typed("end", &recording.ending(1))?;
    let of_all = json!({
        "adapter": recording.adapter,
        "program": recording.program,
        "started_ms": recording.started,
        "stops": recording.stops(),
        "messages": recording.messages,
        "other_sessions": unplayed(recording),
        "notes": recording.notes,
    });
    let whose = if many {
        json!({"session": 1})
    } else {
        Value::Null
    };
    let end = with_members(&with_members(&end, of_all)?, whose)?;
    write_line(out, &end)
}

/// An object that says what it is.
fn typed(kind: &str, what: &impl Serialize) -> serde_json::Result<Value> {
    with_members(what, json!({"type": kind}))
}

/// Sessions in the file that are not played: those past the most that are, and those whose beginning is missing.
fn unplayed(recording: &Recording) -> usize {
    let played = recording.sessions().len().saturating_sub(1);
    recording.others.saturating_sub(played)
}

/// For people.
fn print(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{} under {}: {} stops in {} messages",
        sanitise(&recording.program),
        sanitise(&recording.adapter),
        recording.sessions().iter().map(|s| s.stops).sum::<usize>(),
        recording.messages
    )?;
    let sessions = recording.sessions();
    for session in sessions.iter().filter(|_| sessions.len() > 1) {
        begun(session, out)?;
    }
    for stop in recording.told() {
        one(&stop, out)?;
    }
    for session in &sessions {
        let ending = recording.ending(session.number);
        printed(&ending.output, out)?;
        let whose = match sessions.len() {
            1 => String::new(),
            _ => format!("session {}: ", session.number),
        };
        writeln!(out, "\n{whose}{}", ended(&ending))?;
    }
    let others = unplayed(recording);
    if others > 0 {
        writeln!(
            out,
            "{others} other sessions are in the file, and not shown"
        )?;
    }
    for note in &recording.notes {
        writeln!(out, "{}", sanitise(note))?;
    }
    Ok(())
}

/// `session 2, of session 1, from 0.806 s: Subprocess 4711, /p/tree.py`.
fn begun(session: &Session, out: &mut impl Write) -> io::Result<()> {
    let parent = session.parent;
    let of = parent.map_or_else(String::new, |parent| format!(", of session {parent}"));
    let from = session
        .began_ms
        .map_or_else(String::new, |ms| format!(", from {}", seconds(ms)));
    let named = if session.program.ends_with(&session.name) {
        sanitise(&session.program).into_owned()
    } else {
        format!(
            "{}, {}",
            sanitise(&session.name),
            sanitise(&session.program)
        )
    };
    writeln!(out, "session {}{of}{from}: {named}", session.number)
}

/// How a session ended, as its screen said it.
fn ended(ending: &Ending) -> String {
    let at = ending
        .ended_ms
        .map_or_else(String::new, |ms| format!(" at {}", seconds(ms)));
    match (ending.exit_code, ending.ended) {
        (Some(code), _) => format!("exit code {code}{at}"),
        (None, true) => format!("ended{at}; its adapter told no exit code"),
        (None, false) => "its end is not recorded".to_owned(),
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03} s", ms / 1000, ms % 1000)
}

fn one(stop: &Stop, out: &mut impl Write) -> io::Result<()> {
    printed(&stop.output, out)?;
    let whose = stop
        .session
        .map_or_else(String::new, |session| format!("session {session} "));
    let at = stop
        .at_ms
        .map(|ms| format!(" at {}", seconds(ms)))
        .unwrap_or_default();
    let why = stop
        .description
        .as_ref()
        .filter(|description| **description != stop.reason)
        .map(|description| format!(": {}", sanitise(description)))
        .unwrap_or_default();
    writeln!(
        out,
        "\n{whose}#{}{at} {}{why}",
        stop.number,
        sanitise(&stop.reason)
    )?;
    if stop.stack.is_empty() {
        writeln!(out, "  its stack is not recorded")?;
    }
    for frame in &stop.stack {
        let file = frame.file.as_deref().unwrap_or("?");
        writeln!(
            out,
            "  {} {}:{}",
            sanitise(&frame.name),
            sanitise(file),
            frame.line
        )?;
    }
    for scope in &stop.scopes {
        // What was never opened is nothing worth a line.
        let Some(variables) = &scope.variables else {
            continue;
        };
        writeln!(out, "  {}", sanitise(&scope.name))?;
        for variable in variables {
            writeln!(
                out,
                "    {} = {}",
                sanitise(&variable.name),
                sanitise(variable.preview.as_ref().unwrap_or(&variable.value))
            )?;
        }
    }
    Ok(())
}

fn printed(output: &str, out: &mut impl Write) -> io::Result<()> {
    for line in sanitise_block(output).lines() {
        writeln!(out, "  | {line}")?;
    }
    Ok(())
}
