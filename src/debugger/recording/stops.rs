//! The stops of a recording, for scripts: where the program stood, and what of its state was asked for at the time.

use serde::Serialize;
use serde_json::Value;

use super::track::{Part, Track};
use super::{Recording, is_event};

/// One stop. Whatever was not asked for when it happened is missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stop {
    /// From 1, in its session.
    pub number: usize,
    /// Its session, from 1; nothing where there is one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<usize>,
    /// When, in milliseconds since the beginning of the recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<u64>,
    /// Why, in the adapter's word.
    pub reason: String,
    /// The adapter's sentence about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Which thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<i64>,
    /// Its stack, the innermost frame first.
    pub stack: Vec<Frame>,
    /// The variables of its innermost frame that was looked into.
    pub scopes: Vec<Scope>,
    /// What the program printed since the stop before.
    pub output: String,
}

/// A frame of a stack.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Frame {
    /// The function.
    pub name: String,
    /// Its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// From 1.
    pub line: i64,
    #[serde(skip)]
    id: i64,
}

/// Variables that belong together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scope {
    /// What they are called.
    pub name: String,
    /// Nothing when they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Vec<Variable>>,
}

/// A variable.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value as the adapter wrote it.
    pub value: String,
    /// Its type, if the adapter told it.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// A session in a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Session {
    /// From 1: the first one, then those that came out of it, in the order they began.
    #[serde(rename = "session")]
    pub number: usize,
    /// The session that it came out of; nothing for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Its adapter.
    pub adapter: String,
    /// What was debugged.
    pub program: String,
    /// Stops in it.
    pub stops: usize,
}

impl Recording {
    /// The sessions that are played: the first one, and all that came out of it.
    pub fn sessions(&self) -> Vec<Session> {
        let tracks = std::iter::once(&self.root).chain(&self.children);
        tracks
            .enumerate()
            .map(|(at, track)| Session {
                number: at + 1,
                parent: track.parent.map(|parent| parent + 1),
                adapter: track.adapter.clone(),
                program: track.program.clone(),
                stops: track.stops(),
            })
            .collect()
    }

    /// The stops of all its sessions, in the order they happened. Output behind a session's last stop is in none of them; see
    /// [`Recording::ending`].
    pub fn told(&self) -> Vec<Stop> {
        let tracks = std::iter::once(&self.root).chain(&self.children);
        let many = !self.children.is_empty();
        let mut all: Vec<Stop> = tracks
            .enumerate()
            .flat_map(|(at, track)| {
                let stops = of_track(track).into_iter();
                stops.map(move |stop| Stop {
                    session: many.then_some(at + 1),
                    ..stop
                })
            })
            .collect();
        // Of one without times its sessions follow each other.
        if all.iter().all(|stop| stop.at_ms.is_some()) {
            all.sort_by_key(|stop| stop.at_ms);
        }
        all
    }

    /// What the program of a session (from 1) printed behind its last stop, and its exit code.
    pub fn ending(&self, session: usize) -> (String, Option<i64>) {
        let Some(track) = self.track(session.saturating_sub(1)) else {
            return (String::new(), None);
        };
        let last = track.parts.iter().rposition(Part::stops);
        let rest = track.parts.get(last.map_or(0, |at| at + 1)..);
        let output = rest.into_iter().flatten().map(printed).collect();
        let events = track.parts.iter().flat_map(|part| &part.events);
        let code = events
            .filter(|event| is_event(event, "exited"))
            .find_map(|event| event.pointer("/body/exitCode")?.as_i64());
        (output, code)
    }
}

fn of_track(track: &Track) -> Vec<Stop> {
    let mut stops: Vec<Stop> = Vec::new();
    let mut output = String::new();
    for part in &track.parts {
        output.push_str(&printed(part));
        let Some(stopped) = part.events.iter().rfind(|e| is_event(e, "stopped")) else {
            continue;
        };
        let mut stop = stop(part, stopped);
        stop.number = stops.len() + 1;
        stop.output = std::mem::take(&mut output);
        stops.push(stop);
    }
    stops
}

fn text(value: &Value, pointer: &str) -> Option<String> {
    Some(value.pointer(pointer)?.as_str()?.to_owned())
}

fn number(value: &Value, pointer: &str) -> Option<i64> {
    value.pointer(pointer)?.as_i64()
}

/// What the program wrote; telemetry and the like is no output.
fn printed(part: &Part) -> String {
    let is_program = |event: &&Value| {
        let category = event.pointer("/body/category").and_then(Value::as_str);
        is_event(event, "output") && matches!(category, Some("stdout" | "stderr"))
    };
    let pieces = part.events.iter().filter(is_program);
    pieces
        .filter_map(|event| event.pointer("/body/output")?.as_str())
        .collect()
}

fn list<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// The answers to a request at a stop, with what was asked.
pub(super) fn asked<'a>(
    part: &'a Part,
    command: &'a str,
) -> impl Iterator<Item = (Value, &'a Value)> {
    part.answers.iter().filter_map(move |(key, answer)| {
        let arguments = key.strip_prefix(command)?.strip_prefix(' ')?;
        Some((serde_json::from_str(arguments).ok()?, answer))
    })
}

fn stop(part: &Part, stopped: &Value) -> Stop {
    let thread_id = number(stopped, "/body/threadId");
    let stacks = asked(part, "stackTrace").filter(|(arguments, _)| {
        thread_id.is_none() || number(arguments, "/threadId") == thread_id
    });
    // The same stack may have been asked for in pages.
    let first = stacks.min_by_key(|(arguments, _)| number(arguments, "/startFrame").unwrap_or(0));
    let stack: Vec<Frame> = first
        .iter()
        .flat_map(|(_, answer)| list(answer, "/body/stackFrames"))
        .map(|frame| Frame {
            name: text(frame, "/name").unwrap_or_default(),
            file: text(frame, "/source/path").or_else(|| text(frame, "/source/name")),
            line: number(frame, "/line").unwrap_or(0),
            id: number(frame, "/id").unwrap_or(-1),
        })
        .collect();
    let looked_into = stack.iter().find_map(|frame| {
        asked(part, "scopes").find(|(of, _)| number(of, "/frameId") == Some(frame.id))
    });
    let scopes = looked_into
        .iter()
        .flat_map(|(_, answer)| list(answer, "/body/scopes"))
        .map(|scope| Scope {
            name: text(scope, "/name").unwrap_or_default(),
            variables: number(scope, "/variablesReference")
                .and_then(|reference| variables(part, reference)),
        })
        .collect();
    Stop {
        at_ms: part.at,
        reason: text(stopped, "/body/reason").unwrap_or_default(),
        description: text(stopped, "/body/description").or_else(|| text(stopped, "/body/text")),
        thread_id,
        stack,
        scopes,
        ..Stop::default()
    }
}

fn variables(part: &Part, reference: i64) -> Option<Vec<Variable>> {
    let mut pages: Vec<(i64, &Value)> = asked(part, "variables")
        .filter(|(of, _)| number(of, "/variablesReference") == Some(reference))
        .map(|(of, answer)| (number(&of, "/start").unwrap_or(0), answer))
        .collect();
    pages.sort_by_key(|(start, _)| *start);
    let is_known = !pages.is_empty();
    let found = pages
        .into_iter()
        .flat_map(|(_, answer)| list(answer, "/body/variables"))
        .map(|variable| Variable {
            name: text(variable, "/name").unwrap_or_default(),
            value: text(variable, "/value").unwrap_or_default(),
            kind: text(variable, "/type").filter(|kind| !kind.is_empty()),
        })
        .collect();
    is_known.then_some(found)
}
