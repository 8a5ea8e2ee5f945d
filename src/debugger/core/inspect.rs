//! Looking at a stopped program: stacks, scopes, variables, watches, evaluation, sources; and changing its values.
//!
//! Requests that do not depend on each other go out together. What is loaded for everyone (the stack, the selected frame's
//! locals, watch values) comes as events stamped with the stop it is true of; what one asker wants (children of a variable, an
//! evaluation) is the reply.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::future::join_all;

use super::actor::Actor;
use super::complete::Asked;
use super::control::thread_or_none;
use super::live::Answer;
use crate::dap::client::{Client, RequestError};
use crate::dap::requests::{
    Completions, CompletionsArguments, Evaluate, EvaluateArguments, EvaluateResponse, Scopes,
    ScopesArguments, ScopesResponse, SetExpression, SetExpressionArguments, SetVariable,
    SetVariableArguments, SourceArguments, SourceRequest, StackTrace, StackTraceArguments,
    StackTraceResponse, Threads, ThreadsResponse, Variables, VariablesArguments, VariablesResponse,
};
use crate::dap::types::{Scope, Source, StackFrame};
use crate::debugger::adapters::Personality;
use crate::debugger::command::{Evaluated, Page, Reply, VariablesFilter};
use crate::debugger::error::{DebuggerError, Kind};
use crate::debugger::event::Change;
use crate::debugger::gate::Action;
use crate::debugger::ids::{SessionId, StopId, WatchId};
use crate::debugger::state::{
    FrameRef, FrameScopes, Outcome, ScopeVariables, Session, Stack, Thread, WatchValue,
};

/// Frames asked for at a stop; more come on demand.
const FIRST_FRAMES: i64 = 20;
/// Elements of a scope asked for at once, where a scope can be paged at all.
const FIRST_PAGE: i64 = 100;
/// Bytes of a source file that are read.
const SOURCE_LIMIT: u64 = 64 * 1024 * 1024;

impl Actor {
    /// Loads what everyone wants to see at a stop: the stack, the threads, the innermost frame.
    pub(super) fn load_stop(&mut self, id: SessionId, stop: StopId, thread: Option<i64>) {
        let Some(client) = self.live.get(&id).and_then(|l| l.client.clone()) else {
            return;
        };
        let timeout = self.config.request_timeout;
        let Some(thread) = thread else {
            // The adapter did not say which thread: ask which there are, and take the first.
            let answer = client.send::<Threads>(&Default::default(), timeout);
            return self.spawn(answer, move |actor, answer| {
                let first = answer
                    .as_ref()
                    .ok()
                    .and_then(|r| r.threads.first().map(|t| t.id));
                actor.threads_loaded(id, stop, answer);
                match first {
                    Some(thread) => actor.load_stack(id, stop, thread, FIRST_FRAMES),
                    None => actor.change(
                        id,
                        Change::StopTrouble {
                            stop,
                            trouble: "Debugger reported no threads.".to_owned(),
                        },
                    ),
                }
            });
        };
        if let Some(live) = self.live.get_mut(&id) {
            live.threads_owed = true;
        }
        self.load_stack(id, stop, thread, FIRST_FRAMES);
    }

    /// Asks for the threads of a stop once its stack and locals are there or cannot be had: adapters answer one request
    /// after the other, and the list of threads is what a person misses least.
    fn load_owed_threads(&mut self, id: SessionId) {
        let Some(stop) = self
            .session(id)
            .and_then(|s| s.current_stop())
            .map(|s| s.id)
        else {
            return;
        };
        let Some(live) = self.live.get_mut(&id).filter(|l| l.threads_owed) else {
            return;
        };
        live.threads_owed = false;
        let Some(client) = live.client.clone() else {
            return;
        };
        let threads = client.send::<Threads>(&Default::default(), self.config.request_timeout);
        self.spawn(threads, move |actor, answer| {
            actor.threads_loaded(id, stop, answer);
        });
    }

    fn load_stack(&self, id: SessionId, stop: StopId, thread_id: i64, levels: i64) {
        let Some(client) = self.live.get(&id).and_then(|l| l.client.clone()) else {
            return;
        };
        let answer = client.send::<StackTrace>(
            &stack_arguments(thread_id, levels),
            self.config.request_timeout,
        );
        self.spawn(answer, move |actor, answer| match answer {
            Ok(response) => actor.stack_loaded(id, stop, thread_id, levels, response),
            Err(error) => {
                actor.change(
                    id,
                    Change::StopTrouble {
                        stop,
                        trouble: format!("The stack could not be read: {error}"),
                    },
                );
                actor.load_owed_threads(id);
            }
        });
    }

    fn stack_loaded(
        &mut self,
        id: SessionId,
        stop: StopId,
        thread_id: i64,
        levels: i64,
        response: StackTraceResponse,
    ) {
        let Some(session) = self.session(id) else {
            return;
        };
        let Some(now) = session.current_stop().filter(|s| s.id == stop) else {
            return;
        };
        let unwind =
            matches!(now.reason.as_str(), "exception" | "pause") || now.reason.contains("signal");
        let select = match now.selected {
            Some(selected) if selected.thread_id == thread_id => {
                // A reload: keep the place if it is still there.
                response
                    .stack_frames
                    .iter()
                    .any(|f| f.id == selected.frame_id)
                    .then_some(selected.frame_id)
            }
            Some(_) | None => None,
        };
        let first_selection = now.selected.is_none_or(|s| s.thread_id == thread_id);
        let frame = select.or_else(|| pick_frame(&response.stack_frames, unwind));
        let stack = Stack {
            complete: (response.stack_frames.len() as i64) < levels
                || response
                    .total_frames
                    .is_some_and(|t| t <= response.stack_frames.len() as i64),
            total: response.total_frames,
            frames: response.stack_frames,
        };
        self.change(
            id,
            Change::Stack {
                stop,
                thread_id,
                stack,
            },
        );
        if first_selection && let Some(frame_id) = frame {
            self.inspect(
                id,
                stop,
                FrameRef {
                    thread_id,
                    frame_id,
                },
            );
        } else {
            self.load_owed_threads(id);
        }
    }

    fn threads_loaded(
        &mut self,
        id: SessionId,
        stop: StopId,
        answer: Result<ThreadsResponse, RequestError>,
    ) {
        let (Ok(response), Some(session)) = (answer, self.session(id)) else {
            return;
        };
        let standing = session.current_stop().filter(|s| s.id == stop);
        let all = standing.is_some_and(|s| s.all_threads_stopped);
        let one = standing.and_then(|s| s.thread_id);
        let threads = response
            .threads
            .into_iter()
            .map(|t| Thread {
                stopped: standing.is_some()
                    && (all
                        || one == Some(t.id)
                        || session
                            .threads
                            .iter()
                            .any(|old| old.id == t.id && old.stopped)),
                id: t.id,
                name: t.name,
            })
            .collect();
        self.change(id, Change::Threads { threads });
    }

    /// Selects a frame and loads its scopes, first variables and the watches in it.
    fn inspect(&mut self, id: SessionId, stop: StopId, frame: FrameRef) {
        self.change(id, Change::Selected { stop, frame });
        self.load_frame(id, stop, frame.frame_id);
        self.load_watches(id, stop, frame.frame_id);
    }

    fn load_frame(&self, id: SessionId, stop: StopId, frame_id: i64) {
        let Some(client) = self.live.get(&id).and_then(|l| l.client.clone()) else {
            return;
        };
        let scopes =
            client.send::<Scopes>(&ScopesArguments { frame_id }, self.config.request_timeout);
        self.spawn(scopes, move |actor, scopes| {
            actor.scopes_loaded(id, stop, frame_id, scopes, None);
        });
    }

    /// The scopes of a frame are here: their variables are asked for, all at once. By the owner and nobody else: what would
    /// reach the adapter behind a request that resumes the program makes some remember frames that are no more.
    fn scopes_loaded(
        &self,
        id: SessionId,
        stop: StopId,
        frame_id: i64,
        scopes: Result<ScopesResponse, RequestError>,
        reply: Option<Answer>,
    ) {
        let current = self
            .session(id)
            .and_then(Session::current_stop)
            .is_some_and(|s| s.id == stop);
        let client = self.live.get(&id).and_then(|l| l.client.clone());
        let (true, Some(client)) = (current, client) else {
            if let Some(reply) = reply {
                let _ = reply.send(Err(stale()));
            }
            return;
        };
        let (scopes, trouble) = match scopes {
            Ok(response) => (response.scopes, None),
            Err(error) => (
                Vec::new(),
                Some(format!("The scopes could not be read: {error}")),
            ),
        };
        let loading = variables_of(&client, scopes, self.config.request_timeout);
        self.spawn(join_all(loading), move |actor, scopes| {
            let scopes = FrameScopes { scopes, trouble };
            actor.change(
                id,
                Change::Frame {
                    stop,
                    frame_id,
                    scopes: scopes.clone(),
                },
            );
            actor.load_owed_threads(id);
            if let Some(reply) = reply {
                let _ = reply.send(match &scopes.trouble {
                    Some(trouble) => Err(DebuggerError::new(Kind::Adapter, trouble.clone())),
                    None => Ok(Reply::Scopes { scopes }),
                });
            }
        });
    }

    fn load_watches(&self, id: SessionId, stop: StopId, frame_id: i64) {
        let Some((client, personality)) = self.client_and_personality(id) else {
            return;
        };
        for watch in self.hub.state.watches.clone() {
            let answer = client.send::<Evaluate>(
                &EvaluateArguments {
                    expression: watch.expression,
                    frame_id: Some(frame_id),
                    context: Some(personality.evaluate_context("watch").to_owned()),
                    ..EvaluateArguments::default()
                },
                self.config.request_timeout,
            );
            let personality = Arc::clone(&personality);
            self.spawn(answer, move |actor, answer| {
                let value = watch_value(answer, &personality);
                actor.watch_loaded(id, stop, watch.id, value);
            });
        }
    }

    fn watch_loaded(&mut self, id: SessionId, stop: StopId, watch: WatchId, value: WatchValue) {
        self.change(id, Change::Watch { stop, watch, value });
    }

    fn client_and_personality(&self, id: SessionId) -> Option<(Client, Arc<Personality>)> {
        let live = self.live.get(&id)?;
        Some((live.client.clone()?, Arc::clone(&live.personality)))
    }

    /// Values may have changed: what was loaded for the selected frame is loaded again.
    pub(super) fn reload_frame(&self, id: SessionId) {
        let Some((stop, frame)) = self
            .session(id)
            .and_then(|s| s.current_stop())
            .and_then(|s| Some((s.id, s.selected?)))
        else {
            return;
        };
        self.load_frame(id, stop, frame.frame_id);
        self.load_watches(id, stop, frame.frame_id);
    }

    /// After a watch was added or changed.
    pub(super) fn refresh_watches(&self) {
        let stopped: Vec<_> = self
            .hub
            .state
            .live()
            .filter_map(|s| {
                let stop = s.current_stop()?;
                Some((s.id, stop.id, stop.selected?.frame_id))
            })
            .collect();
        for (id, stop, frame_id) in stopped {
            self.load_watches(id, stop, frame_id);
        }
    }

    pub(super) fn stack_trace(
        &self,
        session: Option<SessionId>,
        thread: Option<i64>,
        levels: i64,
        reply: Answer,
    ) {
        let asked = self
            .allowed(session, Action::Inspect)
            .and_then(|(session, client)| {
                let stop = stop_of(session)?;
                Ok((session.id, stop, thread_or_none(session, thread)?, client))
            });
        let (id, stop, thread_id, client) = match asked {
            Ok(asked) => asked,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let levels = levels.clamp(1, 10_000);
        let answer = client.send::<StackTrace>(
            &stack_arguments(thread_id, levels),
            self.config.request_timeout,
        );
        self.spawn(answer, move |actor, answer| {
            let result = match answer {
                Ok(response) => {
                    let stack = Stack {
                        complete: (response.stack_frames.len() as i64) < levels
                            || response
                                .total_frames
                                .is_some_and(|t| t <= response.stack_frames.len() as i64),
                        total: response.total_frames,
                        frames: response.stack_frames,
                    };
                    actor.change(
                        id,
                        Change::Stack {
                            stop,
                            thread_id,
                            stack,
                        },
                    );
                    Ok(Reply::Done)
                }
                Err(error) => Err(error.into()),
            };
            let _ = reply.send(result);
        });
    }

    pub(super) fn threads(&self, session: Option<SessionId>, reply: Answer) {
        let (id, stop, client) = match self.allowed(session, Action::List) {
            Ok((session, client)) => (
                session.id,
                session.current_stop().map(|s| s.id).unwrap_or_default(),
                client,
            ),
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let answer = client.send::<Threads>(&Default::default(), self.config.request_timeout);
        self.spawn(answer, move |actor, answer| {
            let result = match &answer {
                Ok(_) => Ok(Reply::Done),
                Err(error) => Err(error.clone().into()),
            };
            actor.threads_loaded(id, stop, answer);
            let _ = reply.send(result);
        });
    }

    pub(super) fn select_frame(
        &mut self,
        session: Option<SessionId>,
        thread: i64,
        frame_id: Option<i64>,
        reply: Answer,
    ) {
        let asked = self
            .allowed(session, Action::Inspect)
            .and_then(|(session, client)| {
                let stop = session
                    .current_stop()
                    .ok_or_else(|| DebuggerError::new(Kind::State, "No thread is stopped."))?;
                let known = stop.stacks.get(&thread).is_some_and(|s| {
                    frame_id.is_none_or(|wanted| s.frames.iter().any(|f| f.id == wanted))
                        && !s.frames.is_empty()
                });
                let frame =
                    frame_id.or_else(|| stop.stacks.get(&thread)?.frames.first().map(|f| f.id));
                Ok((
                    session.id,
                    stop.id,
                    known.then_some(frame).flatten(),
                    client,
                ))
            });
        match asked {
            Ok((id, stop, Some(frame_id), _)) => {
                self.inspect(
                    id,
                    stop,
                    FrameRef {
                        thread_id: thread,
                        frame_id,
                    },
                );
                let _ = reply.send(Ok(Reply::Done));
            }
            Ok((id, stop, None, client)) if frame_id.is_none() => {
                // A thread whose stack was not loaded yet.
                let answer = client.send::<StackTrace>(
                    &stack_arguments(thread, FIRST_FRAMES),
                    self.config.request_timeout,
                );
                self.spawn(answer, move |actor, answer| {
                    let result = match answer {
                        Ok(response) => {
                            let frame = pick_frame(&response.stack_frames, true);
                            if let Some(frame_id) = frame {
                                actor.change(
                                    id,
                                    Change::Selected {
                                        stop,
                                        frame: FrameRef {
                                            thread_id: thread,
                                            frame_id,
                                        },
                                    },
                                );
                            }
                            actor.stack_loaded(id, stop, thread, FIRST_FRAMES, response);
                            Ok(Reply::Done)
                        }
                        Err(error) => Err(error.into()),
                    };
                    let _ = reply.send(result);
                });
            }
            Ok((_, _, None, _)) => {
                let _ = reply.send(Err(stale()));
            }
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }

    pub(super) fn scopes(&self, session: Option<SessionId>, frame_id: Option<i64>, reply: Answer) {
        let asked = self
            .allowed(session, Action::Inspect)
            .and_then(|(session, client)| {
                let frame =
                    frame_id.or_else(|| session.current_stop()?.selected.map(|f| f.frame_id));
                let frame = frame.ok_or_else(|| {
                    DebuggerError::new(
                        Kind::State,
                        "No active stack frame. Run stack_trace first or supply frame_id.",
                    )
                })?;
                Ok((session.id, stop_of(session)?, frame, client))
            });
        let (id, stop, frame_id, client) = match asked {
            Ok(asked) => asked,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let scopes =
            client.send::<Scopes>(&ScopesArguments { frame_id }, self.config.request_timeout);
        self.spawn(scopes, move |actor, scopes| {
            actor.scopes_loaded(id, stop, frame_id, scopes, Some(reply));
        });
    }

    pub(super) fn variables(
        &self,
        session: Option<SessionId>,
        stop: StopId,
        reference: i64,
        page: Option<Page>,
        reply: Answer,
    ) {
        let asked = self
            .allowed(session, Action::Inspect)
            .and_then(|(session, client)| {
                if stop_of(session)? == stop {
                    Ok(client)
                } else {
                    Err(stale())
                }
            });
        let client = match asked {
            Ok(client) => client,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let arguments = VariablesArguments {
            variables_reference: reference,
            filter: page.map(|p| filter_word(p.filter).to_owned()),
            start: page.map(|p| p.start),
            count: page.map(|p| p.count),
            format: None,
        };
        let answer = client.send::<Variables>(&arguments, self.config.request_timeout);
        // Nothing of the state changes: the answer goes straight to the asker.
        tokio::spawn(async move {
            let _ = reply.send(match answer.await {
                Ok(response) => Ok(Reply::Variables {
                    variables: response.variables,
                }),
                Err(error) => Err(error.into()),
            });
        });
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one command")]
    pub(super) fn set_variable(
        &self,
        session: Option<SessionId>,
        stop: StopId,
        container: i64,
        name: String,
        evaluate_name: Option<String>,
        value: String,
        reply: Answer,
    ) {
        let asked = self
            .allowed(session, Action::Modify)
            .and_then(|(session, client)| {
                if stop_of(session)? != stop {
                    return Err(stale());
                }
                let can = &session.capabilities;
                let frame = session
                    .current_stop()
                    .and_then(|s| s.selected)
                    .map(|f| f.frame_id);
                // What a watch or an evaluation gave has no container: it can only be assigned to as an expression.
                let by_name = can.supports_set_variable && container > 0;
                let by_expression = can.supports_set_expression && evaluate_name.is_some();
                if !(by_name || by_expression) {
                    return Err(DebuggerError::new(
                        Kind::Capability,
                        "Active adapter does not support changing variables.",
                    )
                    .hint("try an assignment at the prompt"));
                }
                Ok((session.id, by_name, frame, client))
            });
        let (id, by_name, frame_id, client) = match asked {
            Ok(asked) => asked,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let timeout = self.config.request_timeout;
        let work = async move {
            if by_name {
                let arguments = SetVariableArguments {
                    variables_reference: container,
                    name,
                    value,
                    format: None,
                };
                client
                    .send::<SetVariable>(&arguments, timeout)
                    .await
                    .map(|r| Evaluated {
                        result: r.value,
                        type_name: r.type_,
                        variables_reference: r.variables_reference.unwrap_or(0),
                        named_variables: r.named_variables,
                        indexed_variables: r.indexed_variables,
                        memory_reference: r.memory_reference,
                        stop: Some(stop),
                    })
            } else {
                let arguments = SetExpressionArguments {
                    expression: evaluate_name.unwrap_or(name),
                    value,
                    frame_id,
                    format: None,
                };
                client
                    .send::<SetExpression>(&arguments, timeout)
                    .await
                    .map(|r| Evaluated {
                        result: r.value,
                        type_name: r.type_,
                        variables_reference: r.variables_reference.unwrap_or(0),
                        named_variables: r.named_variables,
                        indexed_variables: r.indexed_variables,
                        memory_reference: r.memory_reference,
                        stop: Some(stop),
                    })
            }
        };
        self.spawn(work, move |actor, result| {
            let result = match result {
                Ok(value) => {
                    actor.reload_frame(id);
                    Ok(Reply::Value { value })
                }
                Err(error) => Err(error.into()),
            };
            let _ = reply.send(result);
        });
    }

    pub(super) fn evaluate(
        &self,
        session: Option<SessionId>,
        frame_id: Option<i64>,
        expression: &str,
        context: &str,
        reply: Answer,
    ) {
        let asked = self
            .allowed(session, Action::Inspect)
            .map(|(session, client)| {
                let stop = session.current_stop();
                let frame = frame_id.or_else(|| stop?.selected.map(|f| f.frame_id));
                (session.id, stop.map(|s| s.id), frame, client)
            });
        let (id, stop, frame_id, client) = match asked {
            Ok(asked) => asked,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let Some((_, personality)) = self.client_and_personality(id) else {
            return;
        };
        let changes = context == "repl";
        // Who types a command where expressions are taken is told the way to the command line.
        let adapter = self.session(id).map(|s| s.adapter.clone());
        let offers = adapter
            .filter(|_| changes && personality.repl_is_command)
            .filter(|_| !expression.trim_start().starts_with('!'));
        let (context, expression) = if changes {
            personality.typed(expression)
        } else {
            (personality.evaluate_context(context), expression)
        };
        let answer = client.send::<Evaluate>(
            &EvaluateArguments {
                expression: expression.to_owned(),
                frame_id,
                context: Some(context.to_owned()),
                ..EvaluateArguments::default()
            },
            self.config.request_timeout,
        );
        self.spawn(answer, move |actor, answer| {
            let result = match answer {
                Ok(r) if personality.is_error_result(&r.result) => {
                    Err(failed(&r.result, &personality, offers))
                }
                Ok(r) => Ok(Reply::Value {
                    value: Evaluated {
                        result: r.result,
                        type_name: r.type_,
                        variables_reference: r.variables_reference,
                        named_variables: r.named_variables,
                        indexed_variables: r.indexed_variables,
                        memory_reference: r.memory_reference,
                        stop,
                    },
                }),
                Err(RequestError::Failed { text, .. }) => Err(failed(&text, &personality, offers)),
                Err(error) => Err(error.into()),
            };
            if changes && result.is_ok() {
                // What was typed may have changed anything.
                actor.reload_frame(id);
            }
            let _ = reply.send(result);
        });
    }

    pub(super) fn completions(
        &self,
        session: Option<SessionId>,
        frame_id: Option<i64>,
        text: &str,
        column: usize,
        reply: Answer,
    ) {
        let asked = self
            .allowed(session, Action::Inspect)
            .and_then(|(session, client)| {
                if !session.capabilities.supports_completions_request {
                    return Err(DebuggerError::new(
                        Kind::Capability,
                        "Active adapter does not support completions.",
                    ));
                }
                let frame =
                    frame_id.or_else(|| session.current_stop()?.selected.map(|f| f.frame_id));
                Ok((session.id, frame, client))
            });
        let (id, frame_id, client) = match asked {
            Ok(asked) => asked,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let Some((_, personality)) = self.client_and_personality(id) else {
            return;
        };
        let asked = Asked::new(&personality, text, column);
        let arguments = CompletionsArguments {
            frame_id,
            text: asked.text.clone(),
            column: asked.column,
            line: Some(1),
        };
        let answer = client.send::<Completions>(&arguments, self.config.request_timeout);
        tokio::spawn(async move {
            let _ = reply.send(match answer.await {
                Ok(response) => Ok(Reply::Completions {
                    items: response
                        .targets
                        .into_iter()
                        .filter_map(|item| asked.told(item))
                        .collect(),
                }),
                Err(error) => Err(error.into()),
            });
        });
    }

    pub(super) fn source(&self, session: Option<SessionId>, source: Source, reply: Answer) {
        let session = session
            .or(self.hub.state.focus)
            .and_then(|id| self.session(id));
        let base = session.map_or_else(|| self.config.context.cwd.clone(), |s| s.cwd.clone());
        let since = session
            .and_then(|s| self.live.get(&s.id))
            .map(|l| l.started);
        let by_reference = source.reference().and_then(|reference| {
            let client = session.and_then(|s| self.live.get(&s.id))?.client.clone()?;
            Some((reference, client))
        });
        let timeout = self.config.request_timeout;
        tokio::spawn(async move {
            let result = match (by_reference, source.path.clone()) {
                (Some((source_reference, client)), _) => {
                    let arguments = SourceArguments {
                        source: Some(source),
                        source_reference,
                    };
                    match client.send::<SourceRequest>(&arguments, timeout).await {
                        Ok(response) => Ok(Reply::Source {
                            content: response.content,
                            mime_type: response.mime_type,
                            note: Some("from the adapter, not from a file".to_owned()),
                        }),
                        Err(error) => Err(error.into()),
                    }
                }
                (None, Some(path)) => {
                    let path = base.join(path);
                    tokio::task::spawn_blocking(move || read_source(&path, since))
                        .await
                        .unwrap_or_else(|e| Err(DebuggerError::new(Kind::Usage, e.to_string())))
                }
                (None, None) => Err(DebuggerError::new(
                    Kind::Usage,
                    format!(
                        "There is no file for `{}`, and its adapter has no text of it.",
                        source.name.as_deref().unwrap_or("this source")
                    ),
                )),
            };
            let _ = reply.send(result);
        });
    }
}

/// Asks for the variables of those scopes that are the frame's own: sent now, awaited by whoever takes the futures.
fn variables_of(
    client: &Client,
    scopes: Vec<Scope>,
    timeout: std::time::Duration,
) -> Vec<impl Future<Output = ScopeVariables> + Send + use<>> {
    let wanted = locals_of(&scopes);
    scopes
        .into_iter()
        .zip(wanted)
        .map(|(scope, wanted)| {
            let answer = wanted.then(|| {
                let page = scope.indexed_variables.is_some_and(|n| n > FIRST_PAGE);
                client.send::<Variables>(
                    &VariablesArguments {
                        variables_reference: scope.variables_reference,
                        start: page.then_some(0),
                        count: page.then_some(FIRST_PAGE),
                        ..VariablesArguments::default()
                    },
                    timeout,
                )
            });
            async move {
                let (variables, trouble) = match answer {
                    None => (None, None),
                    Some(answer) => match answer.await {
                        Ok(VariablesResponse { variables }) => (Some(variables), None),
                        Err(error) => (None, Some(error.to_string())),
                    },
                };
                ScopeVariables {
                    scope,
                    variables,
                    trouble,
                }
            }
        })
        .collect()
}

/// Which scopes are the frame's own: those that say so, or else the first.
fn locals_of(scopes: &[Scope]) -> Vec<bool> {
    let own = |s: &Scope| {
        !s.expensive
            && s.variables_reference != 0
            && (matches!(s.presentation_hint.as_deref(), Some("locals" | "arguments"))
                || matches!(s.name.as_str(), "Locals" | "Local" | "Arguments"))
    };
    let found: Vec<bool> = scopes.iter().map(own).collect();
    if found.contains(&true) {
        return found;
    }
    scopes
        .iter()
        .enumerate()
        .map(|(i, s)| i == 0 && !s.expensive && s.variables_reference != 0)
        .collect()
}

/// The frame to show: the innermost; when the program did not stop where it is, the innermost with a source.
fn pick_frame(frames: &[StackFrame], unwind: bool) -> Option<i64> {
    let usable = |f: &&StackFrame| {
        !matches!(f.presentation_hint.as_deref(), Some("label" | "subtle"))
            && f.source.as_ref().is_some_and(|s| {
                s.reference().is_some() || s.path.as_ref().is_some_and(|p| Path::new(p).exists())
            })
    };
    frames
        .iter()
        .find(|f| f.presentation_hint.as_deref() != Some("label"))
        .filter(|f| !unwind || usable(f))
        .or_else(|| frames.iter().find(usable))
        .or_else(|| frames.first())
        .map(|f| f.id)
}

fn stack_arguments(thread_id: i64, levels: i64) -> StackTraceArguments {
    StackTraceArguments {
        thread_id,
        start_frame: Some(0),
        levels: Some(levels),
        format: None,
    }
}

fn watch_value(
    answer: Result<EvaluateResponse, RequestError>,
    personality: &Personality,
) -> WatchValue {
    match answer {
        Ok(r) if personality.is_error_result(&r.result) => WatchValue {
            result: Outcome::Error(personality.evaluation_error(&r.result).0),
            ..WatchValue::default()
        },
        Ok(r) => WatchValue {
            result: Outcome::Value(r.result),
            type_name: r.type_,
            variables_reference: r.variables_reference,
        },
        Err(error) => WatchValue {
            result: Outcome::Error(personality.evaluation_error(&error.to_string()).0),
            ..WatchValue::default()
        },
    }
}

/// A failed evaluation; `commands_of` names the adapter whose own command line could have been meant.
fn failed(text: &str, personality: &Personality, commands_of: Option<String>) -> DebuggerError {
    let (what, details) = personality.evaluation_error(text);
    DebuggerError {
        details,
        hint: commands_of.map(|adapter| format!("! runs {adapter}'s own commands")),
        ..DebuggerError::new(Kind::Adapter, what)
    }
}

fn filter_word(filter: VariablesFilter) -> &'static str {
    match filter {
        VariablesFilter::Indexed => "indexed",
        VariablesFilter::Named => "named",
    }
}

fn stop_of(session: &Session) -> Result<StopId, DebuggerError> {
    session
        .current_stop()
        .map(|s| s.id)
        .ok_or_else(|| DebuggerError::new(Kind::State, "No thread is stopped."))
}

fn stale() -> DebuggerError {
    DebuggerError::new(
        Kind::Stale,
        "The program has moved on since that was shown.",
    )
    .hint("look at the present stop")
}

fn read_source(path: &PathBuf, since: Option<SystemTime>) -> Result<Reply, DebuggerError> {
    let trouble = |what: String| DebuggerError::new(Kind::Usage, what);
    let shown = path.display();
    let meta =
        std::fs::metadata(path).map_err(|e| trouble(format!("{shown} cannot be read: {e}.")))?;
    if !meta.is_file() {
        return Err(trouble(format!("{shown} is not a file.")));
    }
    if meta.len() > SOURCE_LIMIT {
        return Err(trouble(format!(
            "{shown} has {} MiB; sources of more than {} MiB are not opened.",
            meta.len() >> 20,
            SOURCE_LIMIT >> 20
        )));
    }
    let bytes =
        std::fs::read(path).map_err(|e| trouble(format!("{shown} cannot be read: {e}.")))?;
    let mut notes = Vec::new();
    if let (Some(since), Ok(modified)) = (since, meta.modified())
        && modified > since
    {
        notes.push("edited since the session began: lines may not match the program");
    }
    let content = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(bad) => {
            notes.push("not UTF-8: bytes that are no text are shown as \u{fffd}");
            String::from_utf8_lossy(bad.as_bytes()).into_owned()
        }
    };
    Ok(Reply::Source {
        content,
        mime_type: None,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    })
}
