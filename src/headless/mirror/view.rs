//! What an editor is told: answers from the state or from the core, and the events between two states.

use serde::Deserialize as _;

use super::ids::{Ids, ReferenceTarget};
use crate::prelude::*;
use dap::{message::Request, types::Source};
use debugger::{
    BreakpointStatus, Page, VariablesFilter,
    permission::{Tier, operation},
    tool::{discretion::Discretion, printed::Printed},
};

/// Frames of an editor that wants all of them.
const MOST_FRAMES: i64 = 1000;
/// Beyond these, the core gives none.
const DEEPEST: i64 = 10_000;
const STALE: &str = "The program has moved on since that was shown.";

/// The session that is shown, and where it stands.
pub(super) type At = (Option<SessionId>, Option<StopId>);
/// An event's name and its body.
pub(super) type NamedEvent = (&'static str, Value);

/// What is done with a request.
pub(super) enum Step {
    Answer(Value),
    /// The core is asked.
    Ask(Command),
}

/// One editor's picture of the state.
#[derive(Default)]
pub(super) struct View {
    /// Whose sessions these are.
    host: String,
    discretion: Discretion,
    ids: Ids,
    printed: Printed,
    /// What it was told last.
    pub(super) at: At,
    threads: BTreeSet<i64>,
    /// Something is debugged.
    lives: bool,
}

impl View {
    pub(super) fn new(host: String, discretion: Discretion) -> Self {
        Self {
            host,
            printed: Printed::new(discretion.clone()),
            discretion,
            ..Self::default()
        }
    }

    /// A message with numbers of our own, without secrets and without what is not there.
    pub(super) fn fit(&mut self, mut message: Value) -> Value {
        self.renumber(&mut message);
        self.discretion.json(&mut message);
        message
    }

    fn renumber(&mut self, value: &mut Value) {
        if let Value::Array(all) = value {
            for one in all {
                self.renumber(one);
            }
            return;
        }
        let Value::Object(fields) = value else { return };
        fields.retain(|_, value| !value.is_null());
        let session = self.at.0.unwrap_or_default();
        for (name, value) in fields {
            let held: fn(SessionId, i64) -> ReferenceTarget = match name.as_str() {
                "variablesReference" => |_, number| ReferenceTarget::Parts(number),
                "sourceReference" => ReferenceTarget::Source,
                _ => {
                    self.renumber(value);
                    continue;
                }
            };
            if let Some(number) = value.as_i64().filter(|number| *number > 0) {
                *value = self.ids.give(held(session, number)).into();
            }
        }
    }

    /// What is done with a request.
    pub(super) fn begin(&mut self, state: &State, request: &Request) -> Result<Step, String> {
        use Step::{Answer, Ask};
        let arguments = request.arguments.value();
        let number = |name: &str| arguments.get(name).and_then(Value::as_i64);
        let text = |name: &str| {
            arguments
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let held = |name: &str| number(name).and_then(|id| self.ids.get(id)).ok_or(STALE);
        let frame = || match held("frameId")? {
            ReferenceTarget::Frame(frame) => Ok(frame),
            _ => Err(STALE),
        };
        // Of a stop that the editor was not told of there is nothing to ask.
        let stop = || {
            let stop = state
                .focused()
                .and_then(shown)
                .filter(|_| self.at.1.is_some());
            stop.ok_or("The program does not stand still.")
        };
        let refusal = || format!("This is a read-only view of {}: drive it there.", self.host);
        let session = state.focus;
        Ok(match request.command.as_str() {
            "setBreakpoints"
            | "setFunctionBreakpoints"
            | "setInstructionBreakpoints"
            | "setDataBreakpoints" => Answer(self.breakpoints(state, &arguments)),
            "setExceptionBreakpoints" | "cancel" => Answer(Value::Null),
            "threads" => {
                let threads = state
                    .focused()
                    .into_iter()
                    .flat_map(|session| &session.threads);
                let threads = threads.map(|thread| json!({"id": thread.id, "name": thread.name}));
                Answer(json!({"threads": threads.collect::<Vec<_>>()}))
            }
            "stackTrace" => {
                let (stop, thread) = (stop()?, number("threadId"));
                let start = number("startFrame").unwrap_or_default().max(0);
                let levels = number("levels").filter(|levels| *levels > 0);
                let levels = start.saturating_add(levels.unwrap_or(MOST_FRAMES));
                let levels = levels.min(DEEPEST);
                let stack = thread.and_then(|thread| stop.stacks.get(&thread));
                let count = |all: &[_]| all.len() as i64;
                match stack.filter(|stack| stack.complete || count(&stack.frames) >= levels) {
                    Some(stack) => {
                        let frames = stack.frames.iter().zip(0..);
                        let frames = frames.filter(|(_, index)| (start..levels).contains(index));
                        let mut frames: Vec<_> = frames.map(|(frame, _)| frame.clone()).collect();
                        for frame in &mut frames {
                            frame.id = self.ids.give(ReferenceTarget::Frame(frame.id));
                        }
                        let all = stack.complete.then(|| count(&stack.frames));
                        let total = stack.total.or(all);
                        Answer(json!({"stackFrames": frames, "totalFrames": total}))
                    }
                    None => Ask(Command::StackTrace {
                        session,
                        thread,
                        levels,
                    }),
                }
            }
            "scopes" => {
                let frame = frame()?;
                match stop()?.frames.get(&frame) {
                    Some(known) => {
                        if let Some(trouble) = &known.trouble {
                            return Err(trouble.clone());
                        }
                        let scopes = known.scopes.iter().map(|known| &known.scope);
                        Answer(json!({"scopes": scopes.collect::<Vec<_>>()}))
                    }
                    None => Ask(Command::Scopes {
                        session,
                        frame_id: Some(frame),
                    }),
                }
            }
            "variables" => {
                let ReferenceTarget::Parts(reference) = held("variablesReference")? else {
                    return Err(STALE.to_owned());
                };
                let filter = arguments.get("filter");
                let filter = filter.and_then(|filter| VariablesFilter::deserialize(filter).ok());
                let page = filter.map(|filter| Page {
                    filter,
                    start: number("start").unwrap_or_default(),
                    count: number("count").unwrap_or_default(),
                });
                Ask(Command::Variables {
                    session,
                    stop: stop()?.id,
                    reference,
                    page,
                })
            }
            "evaluate" => {
                stop()?;
                let command = Command::Evaluate {
                    session,
                    frame_id: Some(frame()?),
                    expression: text("expression").to_owned(),
                    context: text("context").to_owned(),
                };
                if operation::of(&command, state, |_| None).tier > Tier::EvalSafe {
                    return Err(refusal());
                }
                Ask(command)
            }
            "exceptionInfo" => {
                let known = stop()?.exception.as_ref();
                let known = known.ok_or("Nothing is known of an exception.")?;
                Answer(json!(known))
            }
            "source" => {
                // Not by a path: files are the editor's own to read, as far as it may.
                let Ok(ReferenceTarget::Source(session, reference)) = held("sourceReference")
                else {
                    return Err("There is no such source.".to_owned());
                };
                let source = Source {
                    source_reference: Some(reference),
                    ..Source::default()
                };
                Ask(Command::Source {
                    session: Some(session),
                    source: Box::new(source),
                })
            }
            _ => return Err(refusal()),
        })
    }

    /// The answer to a request that the core was asked about when the editor saw `at`, where it is not in the state now.
    pub(super) fn finish(
        &self,
        request: &Request,
        at: At,
        reply: Result<Reply>,
    ) -> Result<Value, String> {
        match reply.map_err(|error| error.what)? {
            Reply::Source { content, .. } => Ok(json!({"content": content})),
            _ if at != self.at => Err(STALE.to_owned()),
            Reply::Variables { mut variables } => {
                for variable in &mut variables {
                    let shown = variable.shown().to_owned();
                    variable.value = self.discretion.value(&variable.name, shown);
                    variable.preview = None;
                }
                Ok(json!({"variables": variables}))
            }
            Reply::Value { value } => {
                let arguments = request.arguments.value();
                let of = arguments.get("expression").and_then(Value::as_str);
                let shown = value.shown().to_owned();
                Ok(json!({
                    "result": self.discretion.value(of.unwrap_or_default(), shown),
                    "type": value.type_name,
                    "variablesReference": value.variables_reference,
                    "namedVariables": value.named_variables,
                    "indexedVariables": value.indexed_variables,
                }))
            }
            other => Err(format!("The debugger answered with {other:?}.")),
        }
    }

    /// Those that the editor has, as far as they are there, too.
    fn breakpoints(&self, state: &State, arguments: &Value) -> Value {
        let path = arguments.pointer("/source/path").and_then(Value::as_str);
        let path = path.map(Path::new);
        let there = state.breakpoints.iter().filter(|known| {
            let file = known.site.file();
            file.is_some() && file == path && known.status() == BreakpointStatus::Verified
        });
        let there: Vec<_> = there.map(Breakpoint::shown_line).collect();
        let wanted = arguments.get("breakpoints").and_then(Value::as_array);
        let told = wanted.into_iter().flatten().map(|wanted| {
            let line = wanted.get("line").and_then(Value::as_i64);
            let verified = there.contains(&line);
            let message = format!("Breakpoints are set in {}, not here.", self.host);
            let message = (!verified).then_some(message);
            json!({"verified": verified, "line": line, "message": message})
        });
        json!({"breakpoints": told.collect::<Vec<_>>()})
    }

    /// What is new in the state, after an event that it has taken in.
    pub(super) fn news(&mut self, state: &State, event: Option<&EventKind>) -> Vec<NamedEvent> {
        let mut news = Vec::new();
        let mut afresh = false;
        if let Some(EventKind::Session { session, change }) = event
            && state.focus == Some(*session)
        {
            match change {
                Change::Output { chunks } => {
                    for chunk in chunks.iter() {
                        news.extend(lost(chunk.lost_before));
                        news.extend(self.output(*session, &chunk.category, &chunk.text));
                    }
                }
                Change::OutputLost { bytes } => news.extend(lost(*bytes)),
                // What was known of the stop is no longer true, or not all.
                Change::Exception { .. } => afresh = true,
                _ => {}
            }
        }
        let session = state.focused();
        let stop = session.and_then(shown);
        let at = (state.focus, stop.map(|stop| stop.id));
        let before = std::mem::replace(&mut self.at, at);
        if before != at {
            afresh = true;
            let body = json!({"threadId": self.threads.first(), "allThreadsContinued": true});
            news.extend(before.1.map(|_| ("continued", body)));
        }
        let threads = session.into_iter().flat_map(|session| &session.threads);
        let threads = threads.map(|thread| thread.id).collect();
        let stopped = session.and_then(Session::current_thread);
        for id in self.threads.symmetric_difference(&threads) {
            let is_new = threads.contains(id);
            let reason = if is_new { "started" } else { "exited" };
            news.push(("thread", json!({"reason": reason, "threadId": id})));
            // An editor may not take in that a thread stopped which it has never heard of.
            afresh |= stopped == Some(*id);
        }
        self.threads = threads;
        if afresh {
            self.ids.drop_stop();
            let body = |stop: &Stop| {
                json!({
                    "reason": stop.reason,
                    "description": stop.description,
                    "threadId": stopped,
                    "text": stop.text,
                    "allThreadsStopped": stop.all_threads_stopped,
                })
            };
            news.extend(stop.map(|stop| ("stopped", body(stop))));
        }
        let lives = state.live().next().is_some();
        if std::mem::replace(&mut self.lives, lives) && !lives {
            let code = before.0.and_then(|id| state.session(id)?.exit_code);
            news.extend(code.map(|code| ("exited", json!({"exitCode": code}))));
            news.push(("terminated", Value::Null));
        }
        news
    }

    /// All that there is to know, for one who was told nothing yet.
    pub(super) fn greeting(&mut self, state: &State) -> Vec<NamedEvent> {
        let mut news = Vec::new();
        if let Some(session) = state.focused() {
            for line in session.output.lines() {
                let end = if line.ended { "\n" } else { "" };
                let text = format!("{}{end}", line.text);
                news.extend(self.output(session.id, &line.category, &text));
            }
        }
        news.extend(self.news(state, None));
        news
    }

    fn output(&mut self, session: SessionId, category: &str, text: &str) -> Option<NamedEvent> {
        output(category, &self.printed.push(session, category, text))
    }

    /// The ends of lines that are not over yet.
    pub(super) fn settled(&mut self) -> Vec<NamedEvent> {
        let ends = self.printed.settled(None).into_iter();
        ends.filter_map(|(_, category, text)| output(&category, &text))
            .collect()
    }
}

/// The stop, once its stack is there or cannot be had: the editor asks for it at once.
fn shown(session: &Session) -> Option<&Stop> {
    let stop = session.current_stop();
    stop.filter(|stop| !stop.stacks.is_empty() || stop.trouble.is_some())
}

fn output(category: &str, text: &str) -> Option<NamedEvent> {
    let body = || json!({"category": category, "output": text});
    (!text.is_empty()).then(|| ("output", body()))
}

/// Output that was too much to pass on.
fn lost(bytes: u64) -> Option<NamedEvent> {
    let text = format!("({bytes} bytes of output came too fast and are missing here)\n");
    output("console", &text).filter(|_| bytes > 0)
}
