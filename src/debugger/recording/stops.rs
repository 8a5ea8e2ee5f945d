//! The stops of a recording, for scripts: where the program stood, and what of its state was asked for at the time.

use serde::Serialize;
use serde_json::Value;

use super::{
    Recording, is_event,
    track::{Part, Track},
};

/// One stop. Whatever was not asked for when it happened is missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stop {
    /// From 1, in its session.
    pub number: usize,
    /// Its session, from 1; nothing where there is one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<usize>,
    /// From 1, among the stops of all sessions; nothing where there is one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
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
    /// From 1: the first one, then the others in the order they began.
    #[serde(rename = "session")]
    pub number: usize,
    /// The session that it came out of; nothing for one that was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    pub adapter: String,
    /// What it was called on the screen.
    pub name: String,
    /// What was debugged: as its adapter or its start named it, or else as it was called.
    pub program: String,
    /// Its process, where the adapter told it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i64>,
    /// When it began, in milliseconds since the beginning of the recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began_ms: Option<u64>,
    pub stops: usize,
}

/// How a session ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ending {
    /// What its program printed behind its last stop.
    pub output: String,
    /// Whether its end is in the recording at all.
    pub ended: bool,
    /// When that was, in milliseconds since the beginning of the recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<u64>,
    /// The exit code, where the adapter told it: many do not of child processes.
    pub exit_code: Option<i64>,
}

impl Recording {
    /// The sessions that are played: the first one, all that came out of it, and those that were started beside it.
    pub fn sessions(&self) -> Vec<Session> {
        self.tracks()
            .enumerate()
            .map(|(at, track)| Session {
                number: at + 1,
                parent: track.parent.map(|parent| parent + 1),
                adapter: track.adapter.clone(),
                name: match track.program.rsplit(['/', '\\']).next() {
                    Some(name) if !name.is_empty() => name.to_owned(),
                    _ => track.program.clone(),
                },
                program: match &track.told_program {
                    Some(program) if track.parent.is_some() => program.clone(),
                    _ => track.program.clone(),
                },
                pid: track.pid,
                began_ms: self.score.birth_of(at).filter(|_| at > 0),
                stops: track.stops(),
            })
            .collect()
    }

    /// The stops of all its sessions, in the order they happened. Output behind a session's last stop is in none of them; see
    /// [`Recording::ending`].
    pub fn told(&self) -> Vec<Stop> {
        let mut of_tracks: Vec<Vec<Option<Stop>>> = self
            .tracks()
            .map(|track| of_track(track).into_iter().map(Some).collect())
            .collect();
        let many = !self.children.is_empty();
        let places = self.places().iter().enumerate();
        places
            .filter_map(|(at, place)| {
                let own = of_tracks.get_mut(place.track)?;
                let stop = own.get_mut(place.number.checked_sub(1)?)?.take()?;
                Some(Stop {
                    session: many.then_some(place.track + 1),
                    place: many.then_some(at + 1),
                    at_ms: self.score.time_of(place),
                    ..stop
                })
            })
            .collect()
    }

    /// How a session (from 1) ended.
    pub fn ending(&self, session: usize) -> Ending {
        let Some(track) = self.track(session.saturating_sub(1)) else {
            return Ending::default();
        };
        let last = track.parts.iter().rposition(Part::stops);
        let rest = track.parts.get(last.map_or(0, |at| at + 1)..);
        let told = track
            .parts
            .iter()
            .flat_map(|part| part.events.iter().zip(&part.times));
        let mut ending = Ending {
            output: rest.into_iter().flatten().map(printed).collect(),
            ..Ending::default()
        };
        for (event, at) in told {
            if is_event(event, "exited") {
                let code = event.pointer("/body/exitCode").and_then(Value::as_i64);
                ending.exit_code = code.or(ending.exit_code);
            }
            if is_event(event, "exited") || is_event(event, "terminated") {
                (ending.ended, ending.ended_ms) = (true, *at);
            }
        }
        ending
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
        at_ms: part.stopped_at(),
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
