//! The stops of a recording, for scripts: where the program stood, and what of its state was asked for at the time.

use serde_with_macros::skip_serializing_none;

use super::{format::is_event, read::Recording, seen::chunks, track::Part};
use crate::{
    adapters::Personality,
    history::{Pages, RecordedStop},
    prelude::*,
    previews::{self, Known, Pointers, preview},
    state::ScopeVariables,
};

/// One stop. Whatever was not asked for when it happened is missing.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stop {
    /// From 1, in its session.
    pub number: usize,
    /// Its session, from 1; nothing where there is one only.
    pub session: Option<usize>,
    /// From 1, among the stops of all sessions; nothing where there is one only.
    pub place: Option<usize>,
    /// When, in milliseconds since the beginning of the recording.
    pub at_ms: Option<u64>,
    /// Why, in the adapter's word.
    pub reason: String,
    /// The adapter's sentence about it.
    pub description: Option<String>,
    /// Which thread.
    pub thread_id: Option<i64>,
    /// Its stack, the innermost frame first.
    pub stack: Vec<Frame>,
    /// The variables of its innermost frame that was looked into.
    pub scopes: Vec<Scope>,
    /// What the program printed since the stop before.
    pub output: String,
}

/// A frame of a stack.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Frame {
    /// The function.
    pub name: String,
    /// Its source.
    pub file: Option<String>,
    /// From 1.
    pub line: i64,
}

/// Variables that belong together.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scope {
    /// What they are called.
    pub name: String,
    /// Nothing when they were not asked for.
    pub variables: Option<Vec<Variable>>,
}

/// A variable.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Variable {
    pub name: String,
    /// Its value as the adapter wrote it.
    pub value: String,
    /// What it showed in one line, where that says more.
    #[serde(skip)]
    pub preview: Option<String>,
    /// Its type, if the adapter told it.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// A session in a recording.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Session {
    /// From 1: the first one, then the others in the order they began.
    #[serde(rename = "session")]
    pub number: usize,
    /// The session that it came out of; nothing for one that was started.
    pub parent: Option<usize>,
    pub adapter: String,
    /// What it was called on the screen.
    pub name: String,
    /// What was debugged: as its adapter or its start named it, or else as it was called.
    pub program: String,
    /// Its process, where the adapter told it.
    pub pid: Option<i64>,
    /// When it began, in milliseconds since the beginning of the recording.
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
        let mut of_tracks: Vec<Vec<Option<RecordedStop>>> = self
            .tracks()
            .map(|track| track.seen(StopId::default).into_iter().map(Some).collect())
            .collect();
        let many = !self.children.is_empty();
        let places = self.places().iter().enumerate();
        places
            .filter_map(|(at, place)| {
                let own = of_tracks.get_mut(place.track)?;
                let stop = own.get_mut(place.number.checked_sub(1)?)?.take()?;
                let personality = self.track(place.track)?.personality();
                Some(Stop {
                    session: many.then_some(place.track + 1),
                    place: many.then_some(at + 1),
                    at_ms: self.score.time_of(place),
                    ..written(stop, &personality)
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
            output: printed(
                &rest
                    .into_iter()
                    .flatten()
                    .flat_map(chunks)
                    .collect::<Vec<_>>(),
            ),
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

/// What the debugger itself would keep of a stop, for scripts.
fn written(recorded: RecordedStop, personality: &Personality) -> Stop {
    let RecordedStop {
        seen,
        pages,
        output,
    } = recorded;
    let stop = seen.stop;
    let stack = stop.selected.and_then(|at| stop.stacks.get(&at.thread_id));
    let scopes = stop.selected.and_then(|at| stop.frames.get(&at.frame_id));
    let variables = |scope: &ScopeVariables| {
        let reference = scope.scope.variables_reference;
        let own = scope.variables.as_deref().map(<[_]>::to_vec);
        let all = own.or_else(|| pages.all(reference))?;
        let shown = |variable: &dap::types::Variable| Variable {
            preview: shown(variable, &pages, personality),
            ..Variable::of(variable)
        };
        Some(all.iter().map(shown).collect())
    };
    Stop {
        number: seen.number as usize,
        thread_id: stop.thread_id,
        stack: stack
            .into_iter()
            .flat_map(|stack| &stack.frames)
            .map(Frame::of)
            .collect(),
        scopes: scopes
            .into_iter()
            .flat_map(|frame| &frame.scopes)
            .map(|scope| Scope {
                name: scope.scope.name.clone(),
                variables: variables(scope),
            })
            .collect(),
        output: printed(&output),
        description: stop.description.or(stop.text),
        reason: stop.reason,
        ..Stop::default()
    }
}

/// What a value showed, where the parts that this takes were asked for.
fn shown(
    variable: &dap::types::Variable,
    pages: &Pages,
    personality: &Personality,
) -> Option<String> {
    if !personality.previews {
        return None;
    }
    let mut known = Known::new();
    loop {
        let shown = preview(&previews::Part::from(variable), &known, Pointers::Addresses)?;
        if shown.lacks.is_empty() {
            return Some(shown.text);
        }
        for reference in shown.lacks {
            known.insert(reference, previews::Part::parts_of(&pages.all(reference)?));
        }
    }
}

impl Frame {
    fn of(frame: &StackFrame) -> Self {
        Self {
            name: frame.name.clone(),
            file: frame.file().map(str::to_owned),
            line: frame.line,
        }
    }
}

impl Variable {
    fn of(variable: &dap::types::Variable) -> Self {
        Self {
            name: variable.name.clone(),
            value: variable.value.clone(),
            kind: variable.type_.clone().filter(|kind| !kind.is_empty()),
            preview: None,
        }
    }
}

/// What the program itself printed.
fn printed(chunks: &[OutputChunk]) -> String {
    let of_program = |chunk: &&OutputChunk| matches!(&*chunk.category, "stdout" | "stderr");
    let texts = chunks.iter().filter(of_program);
    texts.map(|chunk| chunk.text.as_str()).collect()
}
