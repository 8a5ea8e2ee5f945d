//! A recording as lines: the stops of its sessions in order, then how they ended.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use base::text::sanitise::{sanitise, sanitise_block};
use debugger::recording::{Ending, Recording, Session, Stop};

/// One object a line: where there are several sessions, a `session` each; a `stop` each, in the order they happened; a `session_end` for
/// each session but the first; then an `end`, which is that of the first.
pub fn json(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    let sessions = recording.sessions();
    let many = sessions.len() > 1;
    if many {
        for session in &sessions {
            writeln!(out, "{}", typed("session", session)?)?;
        }
    }
    for stop in &recording.told() {
        writeln!(out, "{}", typed("stop", stop)?)?;
    }
    for session in sessions.iter().skip(1) {
        let mut end = typed("session_end", &recording.ending(session.number))?;
        if let Some(fields) = end.as_object_mut() {
            fields.insert("session".to_owned(), session.number.into());
            fields.insert("stops".to_owned(), session.stops.into());
        }
        writeln!(out, "{end}")?;
    }
    let mut end = typed("end", &recording.ending(1))?;
    let of_all = json!({
        "adapter": recording.adapter,
        "program": recording.program,
        "started_ms": recording.started,
        "stops": recording.stops(),
        "messages": recording.messages,
        "other_sessions": unplayed(recording),
        "notes": recording.notes,
    });
    if let (Some(fields), Value::Object(of_all)) = (end.as_object_mut(), of_all) {
        fields.extend(of_all);
        if many {
            fields.insert("session".to_owned(), 1.into());
        }
    }
    writeln!(out, "{end}")
}

/// An object that says what it is.
fn typed(kind: &str, what: &impl Serialize) -> serde_json::Result<Value> {
    let mut line = serde_json::to_value(what)?;
    if let Some(fields) = line.as_object_mut() {
        fields.insert("type".to_owned(), kind.into());
    }
    Ok(line)
}

/// Sessions in the file that are not played: those past the most that are, and those whose beginning is missing.
fn unplayed(recording: &Recording) -> usize {
    let played = recording.sessions().len().saturating_sub(1);
    recording.others.saturating_sub(played)
}

/// For people.
pub fn print(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
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
                sanitise(&variable.value)
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
