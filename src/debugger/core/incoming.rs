//! What adapters send unasked: events, reverse requests, and their end. Output is in `printed`, stops are in `stops`.

use base::region;
use dap::{
    client::{Closed, Incoming},
    message::{Event as DapEvent, Request as DapRequest},
    types::{
        BreakpointEvent, CapabilitiesEvent, ContinuedEvent, ExitedEvent, InvalidatedEvent,
        LoadedSourceEvent, MemoryEvent, ModuleEvent, ProcessEvent, ProgressEndEvent,
        ProgressStartEvent, ProgressUpdateEvent, TerminatedEvent, ThreadEvent,
    },
};

use super::{
    prelude::*,
    printed::{printed, spoken},
    refusals::start_failed,
};
use crate::{
    recording::{CHILD, LIFE, PLAYED},
    state::Progress,
};

/// Messages of an adapter taken in one go.
const BATCH: usize = 512;
/// After the end of a connection, how long answers that came before it may take to be handled.
const LAST_ANSWERS: Duration = Duration::from_millis(200);

impl Owner {
    pub fn incoming(&mut self, batch: FromAdapter) {
        let FromAdapter {
            session,
            generation,
            what,
        } = batch;
        let current = |owner: &Self| {
            owner
                .live(session)
                .is_some_and(|l| l.generation == generation)
        };
        let what = match what {
            Sent::Task(text) => return self.printed(session, vec![spoken(text)]),
            Sent::TasksRun(labels) => return self.tasks_run(session, &labels),
            Sent::Doing(doing) => return self.builds(session, &doing),
            what => what,
        };
        if !current(self) {
            return;
        }
        let items = match what {
            Sent::Printed(chunk) => return self.printed(session, vec![*chunk]),
            Sent::Late(waiting) => return self.late(session, &waiting),
            Sent::Task(_) | Sent::Doing(_) | Sent::TasksRun(_) => return,
            Sent::Messages(items) => items,
        };
        let Some(personality) = self.personality(session) else {
            return;
        };
        // Most adapters' own streams are for their makers; some carry what the program prints, between lines of their own.
        let carries_output = personality.output_on_adapter_stdio;
        let _region = region!("events of an adapter");
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
                    self.printed(session, mem::take(&mut output));
                    match other {
                        Incoming::Event(event) => self.event(session, &event),
                        Incoming::Request(request) => self.reverse_request(session, &request),
                        Incoming::Noise(text) if personality.between_frames.fit(&text) => {}
                        // Of an adapter that ends with its program, the header of a message that never came.
                        Incoming::Noise(text)
                            if text.starts_with("Content-Length")
                                && self.is_in(session, Phase::Terminated) => {}
                        Incoming::Noise(text) => self.warn(
                            session,
                            format!("The adapter wrote something that is not the protocol: {text}"),
                        ),
                        Incoming::Answered(seq) => self.answered(session, seq),
                        Incoming::Closed(closed) => self.closed(session, &closed),
                        Incoming::AdapterOutput { .. } => {}
                    }
                }
            }
        }
        self.printed(session, output);
    }

    pub fn unreadable_event(&mut self, session: SessionId, event: &str, why: &str) {
        self.warn(
            session,
            format!("An event `{event}` of the adapter could not be read: {why}"),
        );
    }

    pub fn event(&mut self, id: SessionId, event: &DapEvent) {
        macro_rules! body {
            ($kind:ty) => {
                match event.body.parse::<$kind>() {
                    Ok(body) => body,
                    Err(error) => {
                        return self.unreadable_event(id, &event.event, &error.to_string())
                    }
                }
            };
        }
        let change = match event.event.as_str() {
            "initialized" => return self.on_initialized(id),
            "stopped" => return self.stopped(id, body!(StoppedEvent)),
            "continued" => return self.continued(id, &body!(ContinuedEvent)),
            "exited" => return self.exited(id, body!(ExitedEvent).exit_code),
            "terminated" => {
                let restart = event.body.parse::<TerminatedEvent>().ok();
                if let Some(restart) = restart.and_then(|body| body.restart)
                    && restart != false
                {
                    self.change(id, Change::RestartAsked { restart });
                }
                return self.terminated(id);
            }
            "thread" => {
                let ThreadEvent { reason, thread_id } = body!(ThreadEvent);
                if reason == "exited" {
                    self.change(id, Change::ThreadExited { thread_id });
                    return self.step_lost(id, thread_id);
                }
                Change::ThreadStarted {
                    thread: Thread {
                        id: thread_id,
                        name: format!("thread {thread_id}"),
                        stopped: false,
                    },
                }
            }
            "breakpoint" => {
                let body = body!(BreakpointEvent);
                return self.breakpoint_news(id, &body.reason, body.breakpoint);
            }
            "module" => {
                let body = body!(ModuleEvent);
                Change::Module {
                    reason: body.reason,
                    module: Box::new(body.module),
                }
            }
            "loadedSource" => {
                let body = body!(LoadedSourceEvent);
                Change::Source {
                    reason: body.reason,
                    source: Box::new(body.source),
                }
            }
            "process" => {
                let body = body!(ProcessEvent);
                if let Some(pid) = body.system_process_id {
                    self.watch_process(id, pid);
                }
                Change::Process {
                    pid: body.system_process_id,
                    name: Some(body.name),
                }
            }
            "capabilities" => return self.more_capabilities(id, &body!(CapabilitiesEvent)),
            "invalidated" => return self.invalidated(id, &body!(InvalidatedEvent)),
            "memory" => {
                let body = body!(MemoryEvent);
                return self.memory_changed(id, body.memory_reference, body.offset, body.count);
            }
            "progressStart" => {
                let body = body!(ProgressStartEvent);
                Change::Progress {
                    progress: Progress {
                        id: body.progress_id,
                        title: body.title,
                        message: body.message,
                        percentage: body.percentage,
                        cancellable: body.cancellable.unwrap_or(false),
                    },
                }
            }
            "progressUpdate" => {
                let body = body!(ProgressUpdateEvent);
                let progress = self.session(id).map(|s| s.progress.iter());
                let known = progress.and_then(|mut all| all.find(|p| p.id == body.progress_id));
                let Some(known) = known.cloned() else { return };
                Change::Progress {
                    progress: Progress {
                        message: body.message.or(known.message),
                        percentage: body.percentage.or(known.percentage),
                        ..known
                    },
                }
            }
            "progressEnd" => Change::ProgressEnded {
                id: body!(ProgressEndEvent).progress_id,
            },
            PLAYED => {
                // Of an adapter that says so by itself nothing is a recording.
                let _ = self.play(Some(id), 0);
                return;
            }
            LIFE => {
                let lives = event.body.value().get("lives").and_then(Value::as_bool);
                return self.recorded_life(id, lives == Some(true));
            }
            CHILD => {
                let track = event.body.value().get("track").and_then(Value::as_u64);
                return self.recorded_child(id, track);
            }
            other => {
                let child = self
                    .live(id)
                    .is_some_and(|l| l.personality.children.events.iter().any(|e| e == other));
                if child {
                    self.child_told(id, event.body.value());
                }
                return;
            }
        };
        self.change(id, change);
    }

    fn more_capabilities(&mut self, id: SessionId, more: &CapabilitiesEvent) {
        let (Some(session), Some(live)) = (self.session(id), self.live(id)) else {
            return;
        };
        let mut capabilities = (*session.capabilities).clone();
        capabilities.merge(&more.capabilities);
        let capabilities = live
            .personality
            .with_our_defaults(capabilities, live.runtimes());
        self.change(
            id,
            Change::Capabilities {
                capabilities: Arc::new(capabilities),
            },
        );
    }

    fn reverse_request(&mut self, id: SessionId, request: &DapRequest) {
        let Some(client) = self.client(id) else {
            return;
        };
        match request.command.as_str() {
            "runInTerminal" => self.run_in_terminal(id, request),
            "startDebugging" => self.start_debugging(id, request),
            other => client.respond(
                request,
                Err(format!("this client does not know the request `{other}`")),
            ),
        }
    }

    fn closed(&mut self, id: SessionId, closed: &Closed) {
        let Some(live) = self.live_mut(id) else {
            return;
        };
        if live.plan.accelerated && !live.handshake.capabilities_known && !live.ending {
            // Whoever waits for the answer to `initialize` tries the plain way.
            return;
        }
        live.drained.cancel();
        let is_program = live.personality.adapter_is_program;
        if is_program && let Some(code) = closed.exit.as_ref().and_then(|e| e.code) {
            self.exit_code(id, i64::from(code));
        }
        let Some(live) = self.live_mut(id) else {
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
        self.spawn(time::sleep(LAST_ANSWERS), move |owner, ()| {
            let known = owner.live(id);
            if known.is_some_and(|l| l.generation == generation && !l.ending) {
                owner.connection_over(id, &closed);
            }
        });
    }

    /// The adapter is gone, and everything it said is known.
    fn connection_over(&mut self, id: SessionId, closed: &Closed) {
        let Some(live) = self.live_mut(id) else {
            return;
        };
        if !live.handshake.complete {
            let error = start_failed(RequestError::Closed(closed.to_string()));
            return self.fail_start(id, error);
        }
        live.ending = true;
        let terminated = self.is_in(id, Phase::Terminated);
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
        self.release(id);
    }
}

/// Hands on what an adapter sends, as much at a time as there is.
pub fn listen(
    mut incoming: mpsc::Receiver<Incoming>,
    owner: mpsc::Sender<FromAdapter>,
    session: SessionId,
    generation: u32,
) {
    tasks::spawn(async move {
        loop {
            let mut items = Vec::new();
            if incoming.recv_many(&mut items, BATCH).await == 0 {
                return;
            }
            let batch = FromAdapter {
                session,
                generation,
                what: Sent::Messages(items),
            };
            if owner.send(batch).await.is_err() {
                return;
            }
        }
    });
}
