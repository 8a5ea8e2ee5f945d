//! A recorded session as lines: its stops in order, then how it ended.

use std::io::{self, Write};

use serde_json::json;

use crate::debugger::recording::{Recording, Stop};
use crate::text::sanitise::{sanitise, sanitise_block};

/// One object a line: a `stop` each, then an `end`.
pub fn json(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    let stops = recording.told();
    for stop in &stops {
        let mut line = serde_json::to_value(stop)?;
        if let Some(fields) = line.as_object_mut() {
            fields.insert("type".to_owned(), "stop".into());
        }
        writeln!(out, "{line}")?;
    }
    let (output, exit_code) = recording.ending();
    let end = json!({
        "type": "end",
        "adapter": recording.adapter,
        "program": recording.program,
        "started_ms": recording.started,
        "stops": stops.len(),
        "messages": recording.messages,
        "other_sessions": recording.others,
        "output": output,
        "exit_code": exit_code,
        "notes": recording.notes,
    });
    writeln!(out, "{end}")
}

/// For people.
pub fn print(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{} under {}: {} stops in {} messages",
        sanitise(&recording.program),
        sanitise(&recording.adapter),
        recording.stops(),
        recording.messages
    )?;
    for stop in recording.told() {
        one(&stop, out)?;
    }
    let (output, exit_code) = recording.ending();
    printed(&output, out)?;
    match exit_code {
        Some(code) => writeln!(out, "\nexit code {code}")?,
        None => writeln!(out, "\nits end is not recorded")?,
    }
    if recording.others > 0 {
        let others = recording.others;
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

fn one(stop: &Stop, out: &mut impl Write) -> io::Result<()> {
    printed(&stop.output, out)?;
    let at = stop
        .at_ms
        .map(|ms| format!(" at {}.{:03} s", ms / 1000, ms % 1000))
        .unwrap_or_default();
    let why = stop
        .description
        .as_ref()
        .filter(|description| **description != stop.reason)
        .map(|description| format!(": {}", sanitise(description)))
        .unwrap_or_default();
    writeln!(
        out,
        "\n#{}{at} {}{why}",
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
