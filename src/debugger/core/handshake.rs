//! From a connection to a debuggee that runs: the handshake and the configuration.
//!
//! One order works on every adapter tried: `initialize` and its answer; `launch` or `attach` sent but not awaited; the
//! `initialized` event, which may come before, between or after those, once or twice; all `set…` requests;
//! `configurationDone`; then both answers. Waiting for `initialized` before `launch`, or for the answer to `launch` before
//! configuring, each deadlocks on several.

use std::net::ToSocketAddrs as _;

use base::{
    peers, stat,
    threads::{self, untraced},
};
use dap::client::RawReply;
use futures_util::future::join;

use super::{incoming::listen, overdue, prelude::*, refusals::start_failed, shutdown};
use crate::adapters::asset;

/// How much longer a start may take that compiles the program first.
const BUILD_PATIENCE: u32 = 10;
/// How long what is evaluated before the program's first line may take; without an answer the program begins as well.
const PREPARING: Duration = Duration::from_secs(2);
/// After the answer to an attach, how long what brought the adapter into the program may take to leave it.
const ENTERING: Duration = Duration::from_secs(5);
/// After a failed `configurationDone`, how long the real reason (the failed `launch`) may take to arrive.
const LAUNCH_ERROR_GRACE: Duration = Duration::from_millis(300);

impl Owner {
    pub fn connected(&mut self, id: SessionId, connection: Connection, mut plan: Plan) {
        let Some(live) = self.live.get_mut(&id) else {
            shutdown::let_go(connection);
            return;
        };
        let Connection {
            client,
            incoming,
            process,
            address,
        } = connection;
        let (terminal, entry_line) = (plan.terminal.take(), plan.entry_line.take());
        let (name, warnings) = (plan.name.clone(), mem::take(&mut plan.warnings));
        let elsewhere = mem::take(&mut plan.elsewhere);
        let resolved = plan.resolved.as_ref();
        let because = resolved.and_then(|found| found.because.clone());
        if let Some(resolved) = resolved {
            live.personality = Arc::new(resolved.adapter.personality.clone());
        }
        let own = Arc::clone(&live.personality);
        let ends_what_it_launched = live.kind == StartKind::Launch && own.ends_what_it_launched;
        let main = plan.main.clone();
        live.found
            .extend(main.map(|name| ("main".to_owned(), BTreeSet::from([name]))));
        live.plan = plan;
        if let Some(asked) = live.asked.take() {
            asked.grant();
        }
        let client = client.within(self.config.request_timeout);
        self.hub.clock(live.id).listen(client.waits());
        live.client = Some(client.clone());
        live.address = address;
        if let Some(process) = &process {
            process.set_attached(live.kind == StartKind::Attach);
        }
        live.process = process;
        let generation = live.generation;
        let adapters = self.adapters.clone();
        overdue::watch(
            &client,
            adapters.clone(),
            id,
            generation,
            self.config.overdue,
        );
        listen(incoming, adapters, id, generation);
        if let Some(Err(error)) = terminal.map(|opened| self.hold_terminal(id, opened)) {
            let text = format!("The program's terminal cannot be read: {error}");
            self.warn(id, text);
        }
        // Behind a recording nothing runs that could be left.
        let recorded = matches!(self.origins.get(&id), Some(Origin::Replay(_)));
        let adapter = Change::Adapter {
            name: name.clone(),
            ends_with_session: recorded || ends_what_it_launched,
        };
        self.change(id, adapter);
        if own.repl_is_command {
            self.change(id, Change::ConsoleCommands);
        }
        if own.data.is_some() {
            self.change(id, Change::ReadsByCode);
        }
        if own.reverse.is_some() {
            self.change(id, Change::CanRecordExecution);
        }
        if own.program_in_child && self.session(id).is_some_and(|s| s.parent.is_none()) {
            self.change(id, Change::ProgramInChild);
        }
        if let Some((path, line)) = entry_line {
            // The adapter moves it to the next line with code; gone at the first stop.
            let site = BreakpointSite::Source {
                path,
                line,
                column: None,
            };
            let breakpoint = Breakpoint {
                temporary: true,
                ..Breakpoint::new(self.next_breakpoint(), site)
            };
            if let Some(live) = self.live_mut(id) {
                live.goal = Some((breakpoint.id, "entry"));
            }
            self.hub.publish(EventKind::BreakpointSet {
                breakpoint: Box::new(breakpoint),
            });
        }
        for (breakpoint, path) in elsewhere {
            self.move_to_file(id, breakpoint, path);
        }
        if let Some(because) = because {
            self.inform(id, because);
        }
        for warning in warnings {
            self.warn(id, warning);
        }
        let initialize = self
            .in_time(&client)
            .send::<Initialize>(&initialize_arguments(&name, own.children.start_debugging));
        self.spawn(initialize, move |owner, answer| {
            owner.initialize_answered(id, generation, answer);
        });
    }

    fn initialize_answered(
        &mut self,
        id: SessionId,
        generation: u32,
        answer: Result<Capabilities, RequestError>,
    ) {
        let Some(live) = self.live_mut(id).filter(|l| l.generation == generation) else {
            return;
        };
        let capabilities = match answer {
            Ok(capabilities) => capabilities,
            Err(error) => {
                let resolved = live.plan.resolved.as_ref();
                let plain_exists = resolved.is_some_and(|r| r.plain_argv.is_some());
                if live.plan.accelerated && plain_exists && !live.ending {
                    shutdown::let_go_of(live);
                    let origin = live.origin.clone();
                    self.inform(id, format!("The adapter did not start in the fast way ({error}); it is started plainly."));
                    return self.prepare(id, origin, true);
                }
                return self.fail_start(id, start_failed(error));
            }
        };
        live.handshake.capabilities_known = true;
        let capabilities = live
            .personality
            .with_our_defaults(capabilities, live.runtimes());
        if let Some(client) = &live.client {
            client.set_can_cancel(capabilities.supports_cancel_request);
        }
        let needed = capabilities.supports_configuration_done_request;
        self.change(
            id,
            Change::Capabilities {
                capabilities: Arc::new(capabilities),
            },
        );
        self.change(id, Change::NeedsConfigurationDone { needed });
        let builds = self.live(id).is_some_and(Live::builds_program);
        let attaches = self.session(id).filter(|s| s.kind == StartKind::Attach);
        let activity = match attaches {
            Some(session) => attaching_to(session),
            None if builds => "building and starting the program".to_owned(),
            None => "starting the program".to_owned(),
        };
        self.phase(id, Phase::Initializing, Some(&activity));
        self.send_start(id);
        self.configure_when_ready(id);
    }

    fn send_start(&mut self, id: SessionId) {
        let builds = self.live(id).is_some_and(Live::builds_program);
        let factor = if builds { BUILD_PATIENCE } else { 1 };
        let deadline = self.patience(self.config.request_timeout * 2 * factor);
        let Some(live) = self.live_mut(id) else {
            return;
        };
        let (Some(client), generation) = (live.client.clone(), live.generation) else {
            return;
        };
        live.handshake.start_sent = true;
        let entered = live.entered();
        if live.plan.skip_request {
            live.handshake.start_answered = true;
        } else {
            let arguments = live.plan.arguments.clone();
            let answer = client
                .within(deadline)
                .send_raw(live.plan.request.command(), arguments);
            let answer = async move {
                let answer = answer.await;
                if let (Ok(_), Some(pid)) = (&answer, entered) {
                    // Until then a thread of the program is in a call that is not its own.
                    let _ = timeout(ENTERING, untraced(pid)).await;
                }
                answer
            };
            self.spawn(answer, move |owner, answer| match answer {
                Ok(_) => {
                    if let Some(pid) = entered {
                        owner.config.samples.disturbed(pid);
                    }
                    if let Some(live) = owner.live_mut(id).filter(|l| l.generation == generation) {
                        live.handshake.start_answered = true;
                        owner.complete_when_ready(id);
                    }
                }
                Err(error) => owner.fail_start(id, start_failed(error)),
            });
        }
        // Nothing hangs for ever on an adapter that never says `initialized`.
        let entering = entered.map_or(Duration::ZERO, |_| ENTERING);
        self.unless_over(id, deadline.saturating_add(entering), move |owner| {
            owner.start_overdue(id, generation, deadline);
        });
    }

    fn start_overdue(&mut self, id: SessionId, generation: u32, deadline: Duration) {
        let Some(live) = self.live_mut(id).filter(|l| l.generation == generation) else {
            return;
        };
        if live.handshake.complete {
            return;
        }
        if !live.handshake.initialized && live.handshake.start_answered {
            // The program runs, the adapter just never said that it may be configured.
            live.handshake.initialized = true;
            return self.configure_when_ready(id);
        }
        let late = match (live.handshake.initialized, live.handshake.start_answered) {
            (false, _) => "event initialized",
            (true, true) => "request configurationDone",
            (true, false) if live.attaches() => "request attach",
            (true, false) => "request launch",
        };
        let adapter = self
            .session(id)
            .map(|s| s.adapter.clone())
            .unwrap_or_default();
        let stderr = self.stderr_of(id);
        self.fail_start(
            id,
            DebuggerError {
                details: Some(format!("The adapter {adapter} owes it still.{stderr}")),
                ..DebuggerError::timeout(format!(
                    "DAP {late} timed out after {}ms",
                    deadline.as_millis()
                ))
                .hint("try again with --plain-adapter, or look at `omp-debug adapters doctor`")
            },
        );
    }

    /// What the adapter last wrote to stderr, as an addition to a sentence.
    pub fn stderr_of(&self, id: SessionId) -> String {
        let tail = self
            .live(id)
            .and_then(|l| l.client.as_ref())
            .map(Client::stderr_tail)
            .unwrap_or_default();
        let tail = tail.trim();
        if tail.is_empty() {
            String::new()
        } else {
            format!(" Its last words: {tail}")
        }
    }

    /// `initialized` came (again, perhaps).
    pub fn on_initialized(&mut self, id: SessionId) {
        if let Some(live) = self.live_mut(id) {
            live.handshake.initialized = true;
        }
        self.configure_when_ready(id);
    }

    /// Sends breakpoints and `configurationDone` once everything before them has happened, in whatever order.
    fn configure_when_ready(&mut self, id: SessionId) {
        let Some(live) = self.live_mut(id) else {
            return;
        };
        let h = &mut live.handshake;
        if !(h.capabilities_known && h.start_sent && h.initialized) || h.configuring || live.ending
        {
            return;
        }
        h.configuring = true;
        let generation = live.generation;
        self.prepare_adapter(id);
        let prepared = timeout(PREPARING, join_all(self.prepare_program(id)));
        self.phase(id, Phase::Configured, Some("setting breakpoints"));
        let sent = self.send_breakpoints(id, &Which::All);
        self.spawn(
            join(join_all(sent), prepared),
            move |owner, (answers, _)| {
                owner.take_answers(id, answers, true);
                owner.look_for_functions(vec![id], move |owner| {
                    owner.configuration_done(id, generation);
                });
            },
        );
    }

    /// Sends what an adapter is to be told beyond the protocol. One that does not know it stays as it is.
    fn prepare_adapter(&self, id: SessionId) {
        let live = self.live(id);
        let live = live.filter(|l| !matches!(l.origin, Origin::Replay(_)));
        let Some((live, client)) = live.and_then(|live| Some((live, live.client.as_ref()?))) else {
            return;
        };
        for (command, arguments) in &live.personality.at_configuration {
            drop(client.send_raw(command, arguments.clone()));
        }
    }

    /// Sends what is to be evaluated in the program before its first line, or before we look at one that runs. It is answered before what
    /// is asked later; one that fails leaves everything as the adapter has it. The program begins when it is done: what it prints or comes
    /// to meanwhile would be the adapter's.
    fn prepare_program(&self, id: SessionId) -> Vec<RawReply> {
        let live = self.live(id);
        let live = live.filter(|l| !matches!(l.origin, Origin::Replay(_)));
        let Some((live, client)) = live.and_then(|live| Some((live, live.client.as_ref()?))) else {
            return Vec::new();
        };
        let own = &live.personality;
        let tests = self.typed(id).is_some_and(|typed| typed.exceptions);
        let tests = own.at_start_of_tests.as_ref().filter(|_| tests);
        let (code, tests) = match live.kind {
            StartKind::Launch => (&own.at_start, tests),
            StartKind::Attach => (&own.at_attach, None),
        };
        let sent = code.iter().chain(tests).map(|code| {
            let expression = asset(code).unwrap_or_else(|| code.clone());
            let arguments = json!({"expression": expression, "context": "repl"});
            client.send_raw("evaluate", arguments)
        });
        sent.collect()
    }

    fn configuration_done(&mut self, id: SessionId, generation: u32) {
        let Some(live) = self.live(id).filter(|l| l.generation == generation) else {
            return;
        };
        let needed = self.session(id).is_some_and(|s| s.needs_configuration_done);
        let Some(client) = live.client.clone().filter(|_| needed) else {
            return self.configured(id);
        };
        let answer = self
            .in_time(&client)
            .send::<ConfigurationDone>(&Default::default());
        self.change(id, Change::NeedsConfigurationDone { needed: false });
        self.spawn(
            async move {
                let answer = answer.await;
                if answer.is_err() {
                    time::sleep(LAUNCH_ERROR_GRACE).await;
                }
                answer
            },
            move |owner, answer| match answer {
                Ok(_) => owner.configured(id),
                Err(error) => owner.fail_start(id, start_failed(error)),
            },
        );
    }

    fn configured(&mut self, id: SessionId) {
        let Some(live) = self.live_mut(id) else {
            return;
        };
        live.handshake.configured = true;
        let left_by = live.left_by.take();
        if self.is_in(id, Phase::Configured) {
            let unborn = self.playback(id).is_some_and(|played| !played.has_begun());
            let phase = if unborn {
                Phase::NotStarted
            } else {
                Phase::Running
            };
            self.phase(id, phase, None);
        }
        if let Some((request, thread)) = left_by {
            self.go_onward(id, &request, thread);
        }
        self.complete_when_ready(id);
    }

    fn complete_when_ready(&mut self, id: SessionId) {
        let Some(live) = self.live_mut(id) else {
            return;
        };
        let h = &mut live.handshake;
        if h.complete || !(h.configured && h.start_answered) {
            return;
        }
        h.complete = true;
        if let Some(starter) = live.starter.take() {
            let _ = starter.send(Ok(Reply::Session { session: id }));
        }
        self.pause_owed(id);
        self.find_hesitating(id);
        if self.is_core(id) {
            self.stand_dead(id);
        }
    }

    /// Finds the debug connection of a runtime that is to be hurried. Nothing of a program that we started has run: it is the only one
    /// that listens. Of another its address is known where that was attached to.
    fn find_hesitating(&self, id: SessionId) {
        let Some((live, session)) = self.live(id).zip(self.session(id)) else {
            return;
        };
        if !live.personality.children.tcp_nodelay {
            return;
        }
        let parent = session.parent.and_then(|parent| self.origins.get(&parent));
        let launched = session.pid.filter(|_| live.kind == StartKind::Launch);
        let pid = launched.and_then(|pid| u32::try_from(pid).ok());
        let attached = match parent {
            Some(Origin::Attach(attach)) => {
                let host = attach.host.as_deref().unwrap_or("127.0.0.1");
                attach.port.map(|port| (host.to_owned(), port))
            }
            _ => None,
        };
        let look = tasks::blocking(move || {
            let own = pid.and_then(|pid| peers::listening(pid).first().copied());
            let named = || attached?.to_socket_addrs().ok()?.next();
            own.or_else(named)
        });
        self.spawn(look, move |owner, found| {
            if let (Some(live), Ok(found)) = (owner.live_mut(id), found) {
                live.hesitates = found;
            }
        });
    }

    /// Has its runtime answer at once from the first stop on: js-debug confuses the pause of a start that comes before the answer to what
    /// it asked last with one of the program.
    pub fn answer_at_once(&mut self, id: SessionId) {
        let at = self.live_mut(id).and_then(|live| live.hesitates.take());
        if let Some(at) = at {
            // Nobody waits for it.
            drop(tasks::blocking(move || peers::send_at_once(at)));
        }
    }

    /// The start failed: the first reason wins, its follow-ups find nobody to tell.
    pub fn fail_start(&mut self, id: SessionId, error: DebuggerError) {
        let error = match self.origins.get(&id) {
            Some(Origin::Attach(spec)) => or_not_allowed(spec, or_nobody_listens(spec, error)),
            _ => error,
        };
        let Some(live) = self.live_mut(id) else {
            return;
        };
        if live.handshake.complete {
            return;
        }
        let starter = live.starter.take();
        if starter.is_none() && live.ending {
            return;
        }
        live.ending = true;
        let launched = live.kind == StartKind::Launch;
        let asked = live.asked.take();
        // Some sentences end with what to do.
        let hint = error.hint.as_ref();
        let remedy = hint
            .filter(|_| {
                ![" To do: ", " Run: "]
                    .iter()
                    .any(|says| error.what.contains(says))
            })
            .map(|hint| format!(" To do: {hint}."));
        let mut why = format!("The start failed: {error}");
        if let Some(remedy) = remedy {
            if !why.ends_with(['.', '!', '?']) {
                why.push('.');
            }
            why.push_str(&remedy);
        }
        let is_child = self.session(id).is_some_and(|s| s.parent.is_some());
        if is_child {
            self.child_failed(id, &error.to_string());
        }
        if let Some(asked) = asked {
            asked.refuse(&error.to_string());
        }
        self.change(id, Change::StartFailed);
        self.ended(id, &why);
        // Whoever has the answer knows by then that nothing runs.
        if let Some(starter) = starter {
            let _ = starter.send(Err(error));
        }
        // What ran before we came to it runs on: a child, and what could not be attached to.
        self.disconnect(id, launched && !is_child);
    }
}

/// That nobody listens, where that is so: each adapter says it in its own words, one as if the program had ended.
fn or_nobody_listens(spec: &AttachSpec, error: DebuggerError) -> DebuggerError {
    let host = spec.host.as_deref().unwrap_or("127.0.0.1");
    let failed = matches!(error.kind, ErrorKind::Adapter | ErrorKind::Timeout);
    let port = spec
        .port
        .filter(|port| failed && peers::nobody_listens(host, *port));
    let Some(port) = port else { return error };
    let (said, more) = error.what.split_once('\n').unwrap_or((&error.what, ""));
    DebuggerError {
        what: format!("nobody listens on {host}:{port}: {said}"),
        details: (!more.is_empty()).then(|| error.what.clone()).or(error.details),
        ..error
    }
    .hint(format!(
        "start the program so that it listens, as by `python -m debugpy --listen {port} --wait-for-client FILE` or `node --inspect-brk={port} FILE`"
    ))
}

/// With what may help where the system does not let a debugger into a process.
fn or_not_allowed(spec: &AttachSpec, error: DebuggerError) -> DebuggerError {
    let Some(pid) = spec.pid.filter(|_| error.hint.is_none()) else {
        return error;
    };
    let own = rustix::process::geteuid();
    let stranger = stat::user(pid).filter(|user| !own.is_root() && *user != own.as_raw());
    let refused = ["not permitted", "not allowed", "ermission denied"];
    // Not all of them say so.
    if stranger.is_none() && !refused.iter().any(|says| error.what.contains(says)) {
        return error;
    }
    let hint = if let Some(tracer) = threads::tracer(pid.into()) {
        let tracer = tracer.as_raw_nonzero();
        format!("process {tracer} traces it already, and a program can have one debugger at a time")
    } else if let Some(user) = stranger {
        format!("the process belongs to user {user}: run omp-debug as that user, or with sudo")
    } else {
        "the kernel may let you debug only what you start from here (kernel.yama.ptrace_scope): run omp-debug with sudo, or allow it by `sudo sysctl kernel.yama.ptrace_scope=0`"
            .to_owned()
    };
    error.hint(hint)
}

/// What goes on while a program is come to that runs already.
pub fn attaching_to(session: &Session) -> String {
    format!("attaching to {}", session.target)
}

fn initialize_arguments(name: &str, children: bool) -> InitializeArguments {
    InitializeArguments {
        client_id: Some("omp-debug".to_owned()),
        client_name: Some("omp-debug".to_owned()),
        adapter_id: name.to_owned(),
        locale: Some("en-US".to_owned()),
        lines_start_at1: Some(true),
        columns_start_at1: Some(true),
        path_format: Some("path".to_owned()),
        supports_variable_type: Some(true),
        supports_variable_paging: Some(true),
        supports_run_in_terminal_request: Some(true),
        supports_memory_references: Some(true),
        supports_progress_reporting: Some(true),
        supports_invalidated_event: Some(true),
        supports_memory_event: Some(true),
        supports_start_debugging_request: Some(children),
        supports_ansi_styling: Some(true),
        ..InitializeArguments::default()
    }
}
