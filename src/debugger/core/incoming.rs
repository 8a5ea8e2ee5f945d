//! What adapters send unasked: events, reverse requests, output of their own, and their end.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::actor::{Actor, FromAdapter, Sent};
use crate::dap::client::{Closed, Incoming, RequestError};
use crate::dap::message::{Event as DapEvent, Request as DapRequest};
use crate::dap::requests::{
    Evaluate, EvaluateArguments, ExceptionInfo, ExceptionInfoArguments, ExceptionInfoResponse,
};
use crate::dap::types::{
    BreakpointEvent, CapabilitiesEvent, ContinuedEvent, ExitedEvent, InvalidatedAreas,
    InvalidatedEvent, LoadedSourceEvent, ModuleEvent, OutputEvent, ProcessEvent, ProgressEndEvent,
    ProgressStartEvent, ProgressUpdateEvent, StoppedEvent, ThreadEvent,
};
use crate::debugger::breakpoint::Breakpoint;
use crate::debugger::event::{Change, Severity};
use crate::debugger::ids::{BreakpointId, SessionId};
use crate::debugger::output::OutputChunk;
use crate::debugger::state::{Phase, Progress, StartKind, Stop, Thread};

/// After the end of a connection, how long answers that came before it may take to be handled.
const LAST_ANSWERS: Duration = Duration::from_millis(200);

impl Actor {
    pub(super) fn incoming(&mut self, batch: FromAdapter) {
        let FromAdapter {
            session,
            generation,
            what,
        } = batch;
        let current = |actor: &Self| {
            actor
                .live
                .get(&session)
                .is_some_and(|l| l.generation == generation)
        };
        if !current(self) {
            return;
        }
        let items = match what {
            Sent::Printed { stderr, text } => {
                return self.printed(session, vec![printed(stderr, text)]);
            }
            Sent::Messages(items) => items,
        };
        let Some(personality) = self.live.get(&session).map(|l| Arc::clone(&l.personality)) else {
            return;
        };
        // Most adapters' own streams are for their makers; some carry what the program prints, between lines of their own.
        let carries_output = personality.output_on_adapter_stdio;
        let mut output = Vec::new();
        for item in items {
            if !current(self) {
                return;
            }
            match item {
                Incoming::Event(event) if event.event == "output" => {
                    self.output_event(session, &event, &mut output);
                }
                Incoming::AdapterOutput { stderr, text } if carries_output => {
                    self.exit_in_words(session, &text);
                    output.push(printed(stderr, personality.without_noise(&text)));
                }
                other => {
                    self.printed(session, std::mem::take(&mut output));
                    match other {
                        Incoming::Event(event) => self.event(session, &event),
                        Incoming::Request(request) => self.reverse_request(session, &request),
                        Incoming::Noise(text) => self.say(
                            Some(session),
                            Severity::Warning,
                            format!("The adapter wrote something that is not the protocol: {text}"),
                            None,
                        ),
                        Incoming::Closed(closed) => self.closed(session, &closed),
                        Incoming::AdapterOutput { .. } => {}
                    }
                }
            }
        }
        self.printed(session, output);
    }

    /// Some adapters tell the exit code in words only.
    fn exit_in_words(&mut self, session: SessionId, text: &str) {
        let known = self.session(session).is_none_or(|s| s.exit_code.is_some());
        let Some(live) = self.live.get(&session).filter(|_| !known) else {
            return;
        };
        if let Some(exit_code) = live.personality.exit_code_in(text) {
            self.change(session, Change::Exited { exit_code });
        }
    }

    fn output_event(
        &mut self,
        session: SessionId,
        event: &DapEvent,
        output: &mut Vec<OutputChunk>,
    ) {
        let Some(personality) = self.live.get(&session).map(|l| Arc::clone(&l.personality)) else {
            return;
        };
        match event.body.parse::<OutputEvent>() {
            // Meant for the adapter's makers, not for the person who debugs.
            Ok(body) if body.category.as_deref() == Some("telemetry") => {}
            Ok(body) => {
                if self.is_crash_report(session, &body.output) {
                    return;
                }
                self.exit_in_words(session, &body.output);
                let text = personality.without_noise(&body.output);
                if text.is_empty() && !body.output.is_empty() {
                    return;
                }
                output.push(OutputChunk {
                    category: body.category.unwrap_or_else(|| "console".to_owned()),
                    text,
                    group: body.group,
                    variables_reference: body.variables_reference.filter(|r| *r > 0),
                    source: body.source.map(Box::new),
                    line: body.line,
                    lost_before: 0,
                });
            }
            Err(error) => self.odd(session, &event.event, &error.to_string()),
        }
    }

    /// After the end of the session, an adapter may crash and say so where the program's output was.
    fn is_crash_report(&mut self, session: SessionId, text: &str) -> bool {
        let ended = self
            .session(session)
            .is_some_and(|s| s.phase == Phase::Terminated);
        let Some(live) = self.live.get_mut(&session).filter(|_| ended) else {
            return false;
        };
        let personality = Arc::clone(&live.personality);
        if !live.muted
            && personality
                .crash_report
                .iter()
                .any(|begins| begins.is_match(text))
        {
            live.muted = true;
            self.say(
                Some(session),
                Severity::Info,
                "The adapter crashed while it left; the program was not affected.",
                None,
            );
            return true;
        }
        live.muted
    }

    /// Makes output known, and keeps all of it in the session's file.
    fn printed(&mut self, session: SessionId, chunks: Vec<OutputChunk>) {
        if chunks.is_empty() {
            return;
        }
        let kept = self
            .live
            .get_mut(&session)
            .and_then(|l| l.spill.as_mut())
            .map(|spill| spill.write(&chunks));
        match kept {
            Some(Ok(Some(path))) => self.change(session, Change::OutputFile { path }),
            Some(Err(error)) => self.say(
                Some(session),
                Severity::Warning,
                format!("Output is not kept in a file: {error}."),
                None,
            ),
            Some(Ok(None)) | None => {}
        }
        self.change(
            session,
            Change::Output {
                chunks: Arc::new(chunks),
            },
        );
    }

    fn odd(&mut self, session: SessionId, event: &str, why: &str) {
        self.say(
            Some(session),
            Severity::Warning,
            format!("An event `{event}` of the adapter could not be read: {why}"),
            None,
        );
    }

    fn event(&mut self, id: SessionId, event: &DapEvent) {
        macro_rules! body {
            ($kind:ty) => {
                match event.body.parse::<$kind>() {
                    Ok(body) => body,
                    Err(error) => return self.odd(id, &event.event, &error.to_string()),
                }
            };
        }
        match event.event.as_str() {
            "initialized" => self.on_initialized(id),
            "stopped" => self.stopped(id, body!(StoppedEvent)),
            "continued" => self.continued(id, &body!(ContinuedEvent)),
            "exited" => self.exited(id, body!(ExitedEvent).exit_code),
            "terminated" => self.terminated(id),
            "thread" => {
                let body = body!(ThreadEvent);
                if body.reason == "exited" {
                    self.change(
                        id,
                        Change::ThreadExited {
                            thread_id: body.thread_id,
                        },
                    );
                } else {
                    self.change(
                        id,
                        Change::ThreadStarted {
                            thread: Thread {
                                id: body.thread_id,
                                name: format!("thread {}", body.thread_id),
                                stopped: false,
                            },
                        },
                    );
                }
            }
            "breakpoint" => {
                let body = body!(BreakpointEvent);
                self.breakpoint_news(id, &body.reason, body.breakpoint);
            }
            "module" => {
                let body = body!(ModuleEvent);
                self.change(
                    id,
                    Change::Module {
                        reason: body.reason,
                        module: Box::new(body.module),
                    },
                );
            }
            "loadedSource" => {
                let body = body!(LoadedSourceEvent);
                self.change(
                    id,
                    Change::Source {
                        reason: body.reason,
                        source: Box::new(body.source),
                    },
                );
            }
            "process" => {
                let body = body!(ProcessEvent);
                self.change(
                    id,
                    Change::Process {
                        pid: body.system_process_id,
                        name: Some(body.name),
                    },
                );
            }
            "capabilities" => self.more_capabilities(id, &body!(CapabilitiesEvent)),
            "invalidated" => self.invalidated(id, &body!(InvalidatedEvent)),
            "memory" => self.reload_frame(id),
            "progressStart" => {
                let body = body!(ProgressStartEvent);
                self.change(
                    id,
                    Change::Progress {
                        progress: Progress {
                            id: body.progress_id,
                            title: body.title,
                            message: body.message,
                            percentage: body.percentage,
                            cancellable: body.cancellable.unwrap_or(false),
                        },
                    },
                );
            }
            "progressUpdate" => {
                let body = body!(ProgressUpdateEvent);
                let known = self
                    .session(id)
                    .and_then(|s| s.progress.iter().find(|p| p.id == body.progress_id))
                    .cloned();
                if let Some(known) = known {
                    self.change(
                        id,
                        Change::Progress {
                            progress: Progress {
                                message: body.message.or(known.message),
                                percentage: body.percentage.or(known.percentage),
                                ..known
                            },
                        },
                    );
                }
            }
            "progressEnd" => {
                let body = body!(ProgressEndEvent);
                self.change(
                    id,
                    Change::ProgressEnded {
                        id: body.progress_id,
                    },
                );
            }
            other => {
                let child = self
                    .live
                    .get(&id)
                    .is_some_and(|l| l.personality.children.events.iter().any(|e| e == other));
                if child {
                    self.child_announced(id, "attach", event.body.value());
                }
            }
        }
    }

    fn more_capabilities(&mut self, id: SessionId, more: &CapabilitiesEvent) {
        let Some(session) = self.session(id) else {
            return;
        };
        let mut capabilities = (*session.capabilities).clone();
        capabilities.merge(&more.capabilities);
        self.change(
            id,
            Change::Capabilities {
                capabilities: Arc::new(capabilities),
            },
        );
    }

    fn stopped(&mut self, id: SessionId, body: StoppedEvent) {
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        live.stops += 1;
        let first = live.stops == 1;
        let mut reason = body.reason;
        let personality = Arc::clone(&live.personality);
        let is_pause =
            personality.is_pause(&reason, body.description.as_deref(), body.text.as_deref());
        let asked = std::mem::take(&mut live.pause_asked);
        if asked && is_pause {
            "pause".clone_into(&mut reason);
        }
        // Only a stop of the adapter's own making is passed over: never a breakpoint, and never a crash.
        let unasked = first
            && !asked
            && (is_pause || matches!(reason.as_str(), "" | "attach" | "entry" | "step"))
            && match live.kind {
                StartKind::Attach => personality.attach_extra_stop,
                StartKind::Launch => personality.launch_extra_stop && !live.wants_entry,
            };
        let entry_step = personality
            .launch
            .entry_step
            .clone()
            .filter(|_| first && live.wants_entry && !reason.contains("breakpoint"));
        let onward = entry_step.or_else(|| unasked.then(|| "continue".to_owned()));
        if let (Some(onward), Some(client)) = (onward, &live.client) {
            let thread = body.thread_id.unwrap_or(0);
            drop(client.send_raw(
                &onward,
                serde_json::json!({ "threadId": thread }),
                self.config.request_timeout,
            ));
            return;
        }
        let at_entry = live.entry_function.take().is_some();
        if at_entry && first && reason.contains("breakpoint") {
            "entry".clone_into(&mut reason);
        }
        let hits = body.hit_breakpoint_ids.unwrap_or_default();
        if let Some(goal) = live.run_to.take()
            && reason.contains("breakpoint")
            && reached(
                goal,
                &hits,
                &live.by_adapter_id,
                &self.hub.state.breakpoints,
            )
        {
            "cursor".clone_into(&mut reason);
        }
        let already = self.session(id).is_some_and(|s| s.phase == Phase::Stopped);
        if already && body.preserve_focus_hint == Some(true) {
            // One more thread stands still; the person stays where they are.
            if let Some(thread) = body.thread_id {
                self.mark_stopped(id, thread);
            }
            return;
        }
        let stop = Stop {
            id: self.next_stop(),
            thread_id: body.thread_id,
            reason,
            description: body.description,
            text: body.text,
            all_threads_stopped: body.all_threads_stopped.unwrap_or(false),
            hit_breakpoint_ids: hits,
            ..Stop::default()
        };
        let (stop_id, thread, exception) = (stop.id, stop.thread_id, stop.reason == "exception");
        let nameless = stop.reason == "signal" && stop.description.is_none() && stop.text.is_none();
        self.change(
            id,
            Change::Stopped {
                stop: Box::new(stop),
            },
        );
        self.load_stop(id, stop_id, thread);
        if exception {
            self.ask_exception(id, stop_id, thread);
        }
        if nameless {
            self.ask_signal(id, stop_id);
        }
        self.drop_temporary();
        if at_entry {
            self.resend(&[super::breakpoints::Which::Functions], |_| {});
        }
        // The session that stopped is where the person looks, unless they already look at another stop.
        let focus_is_stopped = self
            .hub
            .state
            .focused()
            .is_some_and(|s| s.id != id && s.phase == Phase::Stopped);
        if !focus_is_stopped && self.hub.state.focus != Some(id) {
            self.hub
                .publish(crate::debugger::event::EventKind::Focus { session: Some(id) });
        }
    }

    fn mark_stopped(&mut self, id: SessionId, thread: i64) {
        let Some(session) = self.session(id) else {
            return;
        };
        let mut threads = session.threads.clone();
        for t in threads.iter_mut().filter(|t| t.id == thread) {
            t.stopped = true;
        }
        self.change(id, Change::Threads { threads });
    }

    /// Asked only after an exception: some adapters print a traceback into the program's output otherwise, or fail.
    fn ask_exception(
        &self,
        id: SessionId,
        stop: crate::debugger::ids::StopId,
        thread: Option<i64>,
    ) {
        let able = self
            .session(id)
            .is_some_and(|s| s.capabilities.supports_exception_info_request);
        let client = self
            .live
            .get(&id)
            .and_then(|l| l.client.clone())
            .filter(|_| able);
        let (Some(client), Some(thread_id)) = (client, thread) else {
            return;
        };
        let answer = client.send::<ExceptionInfo>(
            &ExceptionInfoArguments { thread_id },
            self.config.request_timeout,
        );
        self.spawn(answer, move |actor, answer| {
            if let Ok(exception) = answer {
                actor.change(
                    id,
                    Change::Exception {
                        stop,
                        exception: Box::new(exception),
                    },
                );
            }
        });
    }

    /// Asks for the signal of a stop whose adapter does not name it.
    fn ask_signal(&self, id: SessionId, stop: crate::debugger::ids::StopId) {
        let Some((client, expression)) = self
            .live
            .get(&id)
            .and_then(|l| Some((l.client.clone()?, l.personality.signal_expression.clone()?)))
        else {
            return;
        };
        let answer = client.send::<Evaluate>(
            &EvaluateArguments {
                expression,
                context: Some("watch".to_owned()),
                ..EvaluateArguments::default()
            },
            self.config.request_timeout,
        );
        self.spawn(answer, move |actor, answer| {
            let number = answer.ok().and_then(|r| r.result.trim().parse().ok());
            if let Some((name, meaning)) = number.and_then(signal) {
                actor.change(
                    id,
                    Change::Exception {
                        stop,
                        exception: Box::new(ExceptionInfoResponse {
                            exception_id: name.to_owned(),
                            description: Some(meaning.to_owned()),
                            ..ExceptionInfoResponse::default()
                        }),
                    },
                );
            }
        });
    }

    fn continued(&mut self, id: SessionId, body: &ContinuedEvent) {
        let Some(session) = self.session(id) else {
            return;
        };
        // An absent flag means all threads (the protocol's default for adapters of old).
        let all = body.all_threads_continued.unwrap_or(true);
        let ours = session.stop.as_ref().and_then(|s| s.thread_id);
        if session.phase == Phase::Stopped && (all || body.thread_id == ours) {
            let activity = session.activity.clone();
            self.phase(id, Phase::Running, activity.as_deref());
        } else {
            self.change(
                id,
                Change::Continued {
                    thread_id: body.thread_id,
                    all_threads: all,
                },
            );
        }
    }

    fn invalidated(&mut self, id: SessionId, body: &InvalidatedEvent) {
        let Some((stop, thread)) = self
            .session(id)
            .and_then(|s| s.current_stop().map(|stop| (stop.id, s.current_thread())))
        else {
            return;
        };
        let areas = body.areas.clone().unwrap_or_default();
        let hit = |area: &InvalidatedAreas| {
            areas.is_empty() || areas.contains(area) || areas.contains(&InvalidatedAreas::All)
        };
        if hit(&InvalidatedAreas::Stacks) || hit(&InvalidatedAreas::Threads) {
            self.load_stop(id, stop, thread);
        } else if hit(&InvalidatedAreas::Variables) {
            self.reload_frame(id);
        }
    }

    fn reverse_request(&mut self, id: SessionId, request: &DapRequest) {
        let Some(client) = self.live.get(&id).and_then(|l| l.client.clone()) else {
            return;
        };
        match request.command.as_str() {
            "runInTerminal" => self.run_in_terminal(id, request),
            "startDebugging" => {
                let arguments = request.arguments.value();
                let kind = arguments
                    .get("request")
                    .and_then(|r| r.as_str())
                    .unwrap_or("attach")
                    .to_owned();
                let configuration = arguments.get("configuration").cloned();
                match configuration {
                    Some(configuration) if configuration.is_object() => {
                        client.respond(request, Ok(serde_json::json!({})));
                        self.child_announced(id, &kind, configuration);
                    }
                    _ => client.respond(
                        request,
                        Err("startDebugging needs a `configuration` object".to_owned()),
                    ),
                }
            }
            other => client.respond(
                request,
                Err(format!("this client does not know the request `{other}`")),
            ),
        }
    }

    fn closed(&mut self, id: SessionId, closed: &Closed) {
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        if live.accelerated && !live.handshake.capabilities_known && !live.ending {
            // Whoever waits for the answer to `initialize` tries the plain way.
            return;
        }
        live.drained.cancel();
        let is_program = live.personality.adapter_is_program;
        if is_program && let Some(code) = closed.exit.as_ref().and_then(|e| e.code) {
            self.change(
                id,
                Change::Exited {
                    exit_code: i64::from(code),
                },
            );
        }
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        if live.ending {
            // Whoever waits for the program to end need not wait any longer.
            live.over.cancel();
            return;
        }
        if live.handshake.complete {
            return self.connection_over(id, closed);
        }
        // Answers that came before the end are still on their way to us: a program may be quicker than they are.
        let (closed, generation) = (closed.clone(), live.generation);
        self.spawn(tokio::time::sleep(LAST_ANSWERS), move |actor, ()| {
            let known = actor.live.get(&id);
            if known.is_some_and(|l| l.generation == generation && !l.ending) {
                actor.connection_over(id, &closed);
            }
        });
    }

    /// The adapter is gone, and everything it said is known.
    fn connection_over(&mut self, id: SessionId, closed: &Closed) {
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        if !live.handshake.complete {
            let error = super::start::failure(RequestError::Closed(closed.to_string()));
            return self.fail_start(id, error);
        }
        live.ending = true;
        let terminated = self
            .session(id)
            .is_some_and(|s| s.phase == Phase::Terminated);
        if !terminated {
            // Without `terminated`, the end of the connection is the end of the session: good if the program was seen to
            // exit (or is the adapter's own process), a surprise otherwise.
            let exit = self.session(id).and_then(|s| s.exit_code);
            let why = match exit {
                Some(code) => format!("The program ended with exit code {code}."),
                None => closed.to_string(),
            };
            self.ended(id, &why);
        }
        self.disconnect(id, true);
    }
}

/// Whether a stop at a breakpoint is the end of a run to a line: that one was hit and no other. Where the adapter does
/// not say which it was, only if there is no other.
fn reached(
    goal: BreakpointId,
    hits: &[i64],
    by_adapter_id: &HashMap<i64, BreakpointId>,
    breakpoints: &[Breakpoint],
) -> bool {
    if hits.is_empty() {
        return breakpoints
            .iter()
            .all(|b| b.id == goal || !b.enabled || b.log_message.is_some());
    }
    hits.iter().all(|hit| by_adapter_id.get(hit) == Some(&goal))
}

/// A signal's name and meaning, by its number on this machine.
fn signal(number: i32) -> Option<(&'static str, &'static str)> {
    Some(match number {
        libc::SIGHUP => ("SIGHUP", "hangup"),
        libc::SIGINT => ("SIGINT", "interrupt"),
        libc::SIGQUIT => ("SIGQUIT", "quit"),
        libc::SIGILL => ("SIGILL", "illegal instruction"),
        libc::SIGTRAP => ("SIGTRAP", "trap"),
        libc::SIGABRT => ("SIGABRT", "aborted"),
        libc::SIGBUS => ("SIGBUS", "bus error"),
        libc::SIGFPE => ("SIGFPE", "arithmetic exception"),
        libc::SIGUSR1 => ("SIGUSR1", "user-defined signal 1"),
        libc::SIGSEGV => ("SIGSEGV", "segmentation fault"),
        libc::SIGUSR2 => ("SIGUSR2", "user-defined signal 2"),
        libc::SIGPIPE => ("SIGPIPE", "broken pipe"),
        libc::SIGALRM => ("SIGALRM", "alarm clock"),
        libc::SIGTERM => ("SIGTERM", "terminated"),
        libc::SIGCHLD => ("SIGCHLD", "child status changed"),
        libc::SIGSTOP => ("SIGSTOP", "stopped"),
        libc::SIGTSTP => ("SIGTSTP", "stopped at the terminal"),
        libc::SIGSYS => ("SIGSYS", "bad system call"),
        _ => return None,
    })
}

fn printed(stderr: bool, text: String) -> OutputChunk {
    OutputChunk {
        category: if stderr { "stderr" } else { "stdout" }.to_owned(),
        text,
        ..OutputChunk::default()
    }
}
