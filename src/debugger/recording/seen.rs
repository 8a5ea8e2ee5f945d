//! The stops of a recorded session in the form that a debugger keeps of those it sees itself.

use dap::{
    requests::{
        ExceptionInfoResponse, ScopesResponse, StackTraceResponse, ThreadsResponse,
        VariablesResponse,
    },
    types::{OutputEvent, StoppedEvent},
};
use serde::de::DeserializeOwned;

use super::{
    format::{is_event, key},
    track::{Part, Track},
};
use crate::{
    command::{Page, VariablesFilter},
    history::{Pages, RecordedStop, StopSnapshot, own_scopes},
    prelude::*,
    state::{FrameRef, ScopeVariables},
};

impl Track {
    /// Its stops in order; `id` gives each a number that no other stop has.
    pub fn seen(&self, mut id: impl FnMut() -> StopId) -> Vec<RecordedStop> {
        let mut stops = Vec::new();
        let (mut output, mut printed) = (Vec::new(), 0);
        for (at, part) in self.parts.iter().enumerate() {
            let chunks: Vec<OutputChunk> = chunks(part).collect();
            printed += chunks.iter().map(|c| c.text.len() as u64).sum::<u64>();
            output.extend(chunks);
            let Some(stopped) = part.events.iter().rfind(|e| is_event(e, "stopped")) else {
                continue;
            };
            let stop = Stop {
                id: id(),
                ..stop(part, stopped)
            };
            stops.push(RecordedStop {
                seen: StopSnapshot {
                    number: stops.len() as u64 + 1,
                    at: part.stopped_at(),
                    threads: self.threads(at, &stop),
                    stop,
                    output_at: printed,
                },
                pages: pages(part),
                output: mem::take(&mut output),
            });
        }
        stops
    }

    fn threads(&self, part: usize, stop: &Stop) -> Vec<Thread> {
        let told = self
            .answer_near(part, &key("threads", None))
            .or_else(|| self.answer_near(part, &key("threads", Some(&json!({})))));
        let told = told.and_then(body::<ThreadsResponse>);
        let told = told.map(|answer| answer.threads).unwrap_or_default();
        let stands = |id| stop.all_threads_stopped || stop.thread_id == Some(id);
        let threads = told.into_iter().map(|thread| Thread {
            stopped: stands(thread.id),
            id: thread.id,
            name: thread.name,
        });
        threads.collect()
    }
}

/// What was printed.
pub fn chunks(part: &Part) -> impl Iterator<Item = OutputChunk> {
    part.events.iter().filter_map(chunk)
}

/// What the session printed, as the core makes it of an event.
fn chunk(event: &Value) -> Option<OutputChunk> {
    if !is_event(event, "output") {
        return None;
    }
    let body: OutputEvent = body(event)?;
    if body.category.as_deref() == Some("telemetry") {
        return None;
    }
    Some(OutputChunk {
        category: body.category.unwrap_or_else(|| "console".to_owned()),
        text: body.output,
        group: body.group,
        source: body.source.map(Box::new),
        line: body.line,
        ..OutputChunk::default()
    })
}

/// The answers to a request, each with the arguments that it was asked with.
pub fn asked<'a>(part: &'a Part, command: &'a str) -> impl Iterator<Item = (Value, &'a Value)> {
    part.answers.iter().filter_map(move |(key, answer)| {
        let arguments = key.strip_prefix(command)?.strip_prefix(' ')?;
        Some((serde_json::from_slice(arguments.as_bytes()).ok()?, answer))
    })
}

/// The body of a message, where it is what the protocol says.
fn body<T: DeserializeOwned>(message: &Value) -> Option<T> {
    serde_json::from_value(message.get("body")?.clone()).ok()
}

fn stop(part: &Part, stopped: &Value) -> Stop {
    let body: StoppedEvent = body(stopped).unwrap_or_default();
    let frames = frames(part);
    let stacks = stacks(part, &frames);
    let thread = body.thread_id.or_else(|| stacks.keys().next().copied());
    // The frame that was looked into; of several the innermost.
    let looked_into = thread.and_then(|thread_id| {
        let mut of_thread = stacks.get(&thread_id)?.frames.iter();
        let frame = of_thread.find(|frame| frames.contains_key(&frame.id))?;
        Some(FrameRef {
            thread_id,
            frame_id: frame.id,
        })
    });
    let innermost = thread.and_then(|thread_id| {
        Some(FrameRef {
            thread_id,
            frame_id: stacks.get(&thread_id)?.frames.first()?.id,
        })
    });
    let exception = asked(part, "exceptionInfo")
        .find_map(|(_, answer)| self::body::<ExceptionInfoResponse>(answer));
    Stop {
        thread_id: body.thread_id,
        reason: body.reason,
        description: body.description,
        text: body.text,
        all_threads_stopped: body.all_threads_stopped.unwrap_or(false),
        hit_breakpoint_ids: body.hit_breakpoint_ids.unwrap_or_default(),
        exception: exception.map(Box::new),
        selected: looked_into.or(innermost),
        stacks,
        frames,
        ..Stop::default()
    }
}

/// The stacks that were asked for, each as far as it was read from its innermost frame. An adapter may number frames anew each time: those
/// that were looked into count.
fn stacks(part: &Part, looked_into: &BTreeMap<i64, FrameScopes>) -> BTreeMap<i64, Stack> {
    let worth = |frames: &[StackFrame]| {
        let is_known = frames.iter().any(|f| looked_into.contains_key(&f.id));
        (is_known, frames.len())
    };
    let mut stacks: BTreeMap<i64, Stack> = BTreeMap::new();
    for (arguments, answer) in asked(part, "stackTrace") {
        let from_first = arguments.integer_of("startFrame").unwrap_or(0) == 0;
        let answer: Option<StackTraceResponse> = body(answer).filter(|_| from_first);
        let (Some(thread), Some(answer)) = (arguments.integer_of("threadId"), answer) else {
            continue;
        };
        let known = stacks.entry(thread).or_default();
        if worth(&answer.stack_frames) >= worth(&known.frames) {
            *known = Stack {
                total: answer.total_frames,
                frames: answer.stack_frames,
                // There is nobody who could tell of more.
                complete: true,
            };
        }
    }
    stacks
}

/// The scopes that were asked for, with the variables that were asked for in those that are a frame's own.
fn frames(part: &Part) -> BTreeMap<i64, FrameScopes> {
    let mut frames = BTreeMap::new();
    for (arguments, answer) in asked(part, "scopes") {
        let answer: Option<ScopesResponse> = body(answer);
        let (Some(frame), Some(answer)) = (arguments.integer_of("frameId"), answer) else {
            continue;
        };
        let own = own_scopes(&answer.scopes);
        let scopes = answer.scopes.into_iter().zip(own);
        let scopes = scopes.map(|(scope, own)| ScopeVariables {
            variables: variables(part, scope.variables_reference).filter(|_| own),
            trouble: None,
            scope,
        });
        frames.insert(
            frame,
            FrameScopes {
                scopes: scopes.collect(),
                trouble: None,
            },
        );
    }
    frames
}

/// The rows under a reference, as far as they were asked for without a filter.
fn variables(part: &Part, reference: i64) -> Option<Vec<Variable>> {
    let whole = asked(part, "variables").filter(|(arguments, _)| {
        arguments.integer_of("variablesReference") == Some(reference)
            && arguments.get("filter").is_none_or(Value::is_null)
    });
    let first = whole.min_by_key(|(arguments, _)| arguments.integer_of("start").unwrap_or(0));
    let answer: VariablesResponse = body(first?.1)?;
    Some(answer.variables)
}

fn pages(part: &Part) -> Pages {
    let mut pages = Pages::default();
    for (arguments, answer) in asked(part, "variables") {
        let answer: Option<VariablesResponse> = body(answer);
        let reference = arguments.integer_of("variablesReference");
        let (Some(reference), Some(answer)) = (reference, answer) else {
            continue;
        };
        let filter = match arguments.text_of("filter") {
            Some("indexed") => Some(VariablesFilter::Indexed),
            Some("named") => Some(VariablesFilter::Named),
            _ => None,
        };
        let page = filter.map(|filter| Page {
            filter,
            start: arguments.integer_of("start").unwrap_or(0),
            count: arguments.integer_of("count").unwrap_or(0),
        });
        pages.keep(reference, page, &answer.variables);
    }
    pages
}
