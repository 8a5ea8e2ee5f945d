//! From a launch or attach to a debuggee that runs: adapter, handshake, configuration.
//!
//! One order works on every adapter tried: `initialize` and its answer; `launch` or `attach` sent but not awaited; the
//! `initialized` event, which may come before, between or after those, once or twice; all `set…` requests;
//! `configurationDone`; then both answers. Waiting for `initialized` before `launch`, or for the answer to `launch` before
//! configuring, each deadlocks on several.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::actor::{Actor, BATCH, FromAdapter, Sent};
use super::breakpoints::{self, Which};
use super::live::{Answer, ChildSpec, Live, Origin};
use super::spill::Spill;
use super::{CoreConfig, end};
use crate::dap::client::Connection;
use crate::dap::client::RequestError;
use crate::dap::requests::{ConfigurationDone, Initialize, InitializeArguments};
use crate::dap::transport::{self, AdapterSpec, ConnectMode};
use crate::dap::types::Capabilities;
use crate::debugger::adapters::{
    self, AttachRequest, LaunchRequest, Resolved, StartRequest, Target,
};
use crate::debugger::breakpoint::{Breakpoint, BreakpointSite};
use crate::debugger::command::{AttachSpec, Console, LaunchSpec, Reply};
use crate::debugger::error::{DebuggerError, Kind};
use crate::debugger::event::{Change, EventKind, Severity};
use crate::debugger::ids::SessionId;
use crate::debugger::reach;
use crate::debugger::replay::Recording;
use crate::debugger::state::{Phase, Session, StartKind};

/// After a failed `configurationDone`, how long the real reason (the failed `launch`) may take to arrive.
const LAUNCH_ERROR_GRACE: Duration = Duration::from_millis(300);

/// Child sessions that may live at a time: a fork bomb must not become ours.
const MAX_CHILDREN: usize = 64;

/// What is to be said to an adapter once there is a connection to one.
struct Plan {
    /// The adapter's name, or what stands in for one.
    name: String,
    /// The adapter as found; a recording has none.
    resolved: Option<Arc<Resolved>>,
    request: StartRequest,
    skip_request: bool,
    arguments: Value,
    accelerated: bool,
    /// Stop at the program's entry.
    wants_entry: bool,
    entry_function: Option<String>,
    /// The program's own source, when its first line is where it begins.
    entry_line: Option<PathBuf>,
    /// Things a person should know, none of which is in the way.
    warnings: Vec<String>,
    /// Extensions of source files that the program cannot come from.
    foreign_types: BTreeSet<String>,
}

impl Actor {
    pub(super) fn launch(&mut self, spec: LaunchSpec, reply: Answer) {
        let cwd = self.directory(spec.cwd.as_deref());
        let program = breakpoints::normal(&cwd, &spec.program);
        let session = Session {
            name: file_name(&program),
            kind: StartKind::Launch,
            target: program.to_string_lossy().into_owned(),
            cwd: cwd.clone(),
            exception_filters: spec.exception_filters.clone(),
            ..Session::default()
        };
        let spec = LaunchSpec {
            program,
            cwd: Some(cwd),
            ..spec
        };
        self.start(session, Origin::Launch(spec), reply);
    }

    pub(super) fn attach(&mut self, spec: AttachSpec, reply: Answer) {
        let cwd = self.directory(spec.cwd.as_deref());
        let target = match (spec.pid, spec.port) {
            (Some(pid), _) => format!("pid {pid}"),
            (None, Some(port)) => format!("{}:{port}", spec.host.as_deref().unwrap_or("127.0.0.1")),
            (None, None) if spec.adapter.is_some() => "attach".to_owned(),
            (None, None) => {
                let _ = reply.send(Err(DebuggerError::new(
                    Kind::Usage,
                    "attach requires pid or port",
                )
                .hint("give a process id, or the port of a debug server")));
                return;
            }
        };
        let session = Session {
            name: target.clone(),
            kind: StartKind::Attach,
            pid: spec.pid.map(i64::from),
            target,
            cwd: cwd.clone(),
            exception_filters: spec.exception_filters.clone(),
            ..Session::default()
        };
        let spec = AttachSpec {
            cwd: Some(cwd),
            ..spec
        };
        self.start(session, Origin::Attach(spec), reply);
    }

    /// Opens a recording, off this task.
    pub(super) fn replay(&self, path: &Path, folder: Option<PathBuf>, reply: Answer) {
        let path = absolute(path, &self.config.context.cwd);
        let folder = folder
            .or_else(|| path.parent().map(Path::to_owned))
            .unwrap_or_default();
        let read = tokio::task::spawn_blocking(move || Recording::read(&path, &folder));
        self.spawn(read, move |actor, read| match read {
            Ok(Ok(recording)) => actor.replay_recording(Arc::new(recording), reply),
            Ok(Err(why)) => {
                let _ = reply.send(Err(DebuggerError::new(Kind::Usage, why)));
            }
            Err(error) => {
                let _ = reply.send(Err(DebuggerError::new(Kind::Usage, error.to_string())));
            }
        });
    }

    pub(super) fn replay_recording(&mut self, recording: Arc<Recording>, reply: Answer) {
        let program = PathBuf::from(&recording.program);
        let session = Session {
            name: file_name(&program),
            kind: StartKind::Launch,
            target: recording.program.clone(),
            cwd: program.parent().map(Path::to_owned).unwrap_or_default(),
            ..Session::default()
        };
        self.start(session, Origin::Replay(recording), reply);
    }

    fn directory(&self, cwd: Option<&Path>) -> PathBuf {
        cwd.map_or_else(
            || self.config.context.cwd.clone(),
            |d| absolute(d, &self.config.context.cwd),
        )
    }

    /// Makes the session, and goes for its adapter.
    fn start(&mut self, session: Session, origin: Origin, reply: Answer) {
        if self.shutting_down.is_some() {
            let _ = reply.send(Err(DebuggerError::new(
                Kind::State,
                "The debugger core is ending.",
            )));
            return;
        }
        let roots: Vec<_> = self
            .hub
            .state
            .live()
            .filter(|s| s.parent.is_none())
            .map(|s| s.id)
            .collect();
        if let Some(first) = roots.first()
            && roots.len() >= self.config.max_sessions
        {
            let _ = reply.send(Err(DebuggerError::new(
                Kind::State,
                format!(
                    "Debug session {first} is still active. Terminate it before launching another."
                ),
            )));
            return;
        }
        // What earlier sessions left is kept until a new one begins.
        let ended: Vec<_> = self
            .hub
            .state
            .sessions
            .iter()
            .filter(|s| !s.phase.is_live() && !self.live.contains_key(&s.id))
            .map(|s| s.id)
            .collect();
        for old in ended {
            self.origins.remove(&old);
            self.hub.publish(EventKind::SessionCleared { session: old });
        }
        let id = self.open(session, origin, Some(reply));
        self.hub.publish(EventKind::Focus { session: Some(id) });
    }

    /// A session of any kind begins.
    fn open(&mut self, mut session: Session, origin: Origin, starter: Option<Answer>) -> SessionId {
        let id = self.next_session();
        session.id = id;
        session.phase = Phase::Initializing;
        session.activity = Some("starting the adapter".to_owned());
        let mut live = Live::new(id, session.kind, origin.clone());
        live.starter = starter;
        live.spill = self
            .config
            .output_dir
            .as_ref()
            .map(|dir| Spill::new(dir, format!("{}-{id}.log", std::process::id())));
        self.live.insert(id, live);
        self.origins.insert(id, origin.clone());
        self.hub.publish(EventKind::SessionStarted {
            session: Box::new(session),
        });
        self.prepare(id, origin, false);
        id
    }

    /// An adapter announced a child of its debuggee: a session of its own, on a connection of its own.
    pub(super) fn child_announced(
        &mut self,
        parent: SessionId,
        request: &str,
        configuration: Value,
    ) {
        let children = self.hub.state.live().filter(|s| s.parent.is_some()).count();
        if children >= MAX_CHILDREN {
            return self.say(
                Some(parent),
                Severity::Warning,
                format!("A child process is not debugged: {MAX_CHILDREN} are already."),
                None,
            );
        }
        let Some((live, session)) = self.live.get(&parent).zip(self.session(parent)) else {
            return;
        };
        let told = configuration.get("connect").and_then(|c| {
            let host = c.get("host").and_then(Value::as_str).unwrap_or("127.0.0.1");
            let port = c
                .get("port")
                .and_then(Value::as_u64)
                .and_then(|p| u16::try_from(p).ok())?;
            Some((host.to_owned(), port))
        });
        let (Some(address), Some(resolved)) =
            (told.or_else(|| live.address.clone()), live.resolved.clone())
        else {
            return self.say(
                Some(parent),
                Severity::Warning,
                "A child process is not debugged: its adapter does not say where to connect.",
                None,
            );
        };
        let name = configuration
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or("child")
            .to_owned();
        let child = Session {
            parent: Some(parent),
            target: name.clone(),
            name,
            kind: session.kind,
            cwd: session.cwd.clone(),
            exception_filters: session.exception_filters.clone(),
            ..Session::default()
        };
        let origin = Origin::Child(Box::new(ChildSpec {
            resolved,
            address,
            request: if request == "launch" {
                StartRequest::Launch
            } else {
                StartRequest::Attach
            },
            configuration,
        }));
        self.open(child, origin, None);
    }

    /// Finds and starts the adapter, off this task.
    fn prepare(&mut self, id: SessionId, origin: Origin, plain: bool) {
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        live.generation += 1;
        let config = Arc::clone(&self.config);
        let over = live.over.clone();
        let sites = self
            .hub
            .state
            .breakpoints
            .iter()
            .filter(|b| b.enabled && b.log_message.is_none())
            .map(|b| b.site.clone())
            .collect();
        self.spawn(
            async move {
                tokio::select! {
                    ready = prepare(config, origin, sites, plain) => ready,
                    () = over.cancelled() => Err(DebuggerError::new(Kind::Cancelled, "The start was taken back.")),
                }
            },
            move |actor, ready| match ready {
                Ok((connection, script)) => actor.connected(id, connection, script),
                Err(error) => actor.fail_start(id, error),
            },
        );
    }

    fn connected(&mut self, id: SessionId, connection: Connection, script: Plan) {
        let Some(live) = self.live.get_mut(&id) else {
            end::let_go(connection);
            return;
        };
        let Plan {
            name,
            resolved,
            request,
            skip_request,
            arguments,
            accelerated,
            wants_entry,
            entry_function,
            entry_line,
            warnings,
            foreign_types,
        } = script;
        let Connection {
            client,
            mut incoming,
            process,
            address,
        } = connection;
        if let Some(resolved) = &resolved {
            live.personality = Arc::new(resolved.adapter.personality.clone());
        }
        let children = live.personality.children.start_debugging;
        let console_commands = live.personality.repl_is_command;
        live.resolved = resolved;
        live.client = Some(client.clone());
        live.address = address;
        live.accelerated = accelerated;
        live.wants_entry = wants_entry;
        live.foreign_types = foreign_types;
        live.entry_function = entry_function;
        if let Some(process) = &process {
            process.set_attached(live.kind == StartKind::Attach);
        }
        live.process = process;
        let generation = live.generation;
        let adapters = self.adapters.clone();
        tokio::spawn(async move {
            loop {
                let mut items = Vec::new();
                if incoming.recv_many(&mut items, BATCH).await == 0 {
                    return;
                }
                let batch = FromAdapter {
                    session: id,
                    generation,
                    what: Sent::Messages(items),
                };
                if adapters.send(batch).await.is_err() {
                    return;
                }
            }
        });
        self.change(id, Change::Adapter { name: name.clone() });
        if console_commands {
            self.change(id, Change::ConsoleCommands);
        }
        if let Some(path) = entry_line {
            // The adapter moves it to the first line with code; gone at the first stop.
            let breakpoint = Breakpoint {
                temporary: true,
                ..Breakpoint::new(
                    self.next_breakpoint(),
                    BreakpointSite::Source {
                        path,
                        line: 1,
                        column: None,
                    },
                )
            };
            self.hub.publish(EventKind::BreakpointSet {
                breakpoint: Box::new(breakpoint),
            });
        }
        for warning in warnings {
            self.say(Some(id), Severity::Warning, warning, None);
        }
        let initialize = client.send::<Initialize>(
            &initialize_arguments(&name, children),
            self.config.request_timeout,
        );
        self.spawn(initialize, move |actor, answer| {
            actor.initialize_answered(id, generation, answer, request, skip_request, arguments);
        });
    }

    fn initialize_answered(
        &mut self,
        id: SessionId,
        generation: u32,
        answer: Result<Capabilities, RequestError>,
        request: StartRequest,
        skip_request: bool,
        arguments: Value,
    ) {
        let Some(live) = self
            .live
            .get_mut(&id)
            .filter(|l| l.generation == generation)
        else {
            return;
        };
        let capabilities = match answer {
            Ok(capabilities) => capabilities,
            Err(error) => {
                let plain_exists = live
                    .resolved
                    .as_ref()
                    .is_some_and(|r| r.plain_argv.is_some());
                if live.accelerated && plain_exists && !live.ending {
                    end::let_go_of(live);
                    let origin = live.origin.clone();
                    self.say(
                        Some(id),
                        Severity::Info,
                        format!("The adapter did not start in the fast way ({error}); it is started plainly."),
                        None,
                    );
                    return self.prepare(id, origin, true);
                }
                return self.fail_start(id, failure(error));
            }
        };
        live.handshake.capabilities_known = true;
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
        self.phase(id, Phase::Initializing, Some("starting the program"));
        self.send_start(id, request, skip_request, arguments);
        self.configure_when_ready(id);
    }

    fn send_start(
        &mut self,
        id: SessionId,
        request: StartRequest,
        skip_request: bool,
        arguments: Value,
    ) {
        let deadline = self.config.request_timeout * 2;
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        let (Some(client), generation) = (live.client.clone(), live.generation) else {
            return;
        };
        live.handshake.start_sent = true;
        if skip_request {
            live.handshake.start_answered = true;
        } else {
            let answer = client.send_raw(request.command(), arguments, deadline);
            self.spawn(answer, move |actor, answer| match answer {
                Ok(_) => {
                    if let Some(live) = actor
                        .live
                        .get_mut(&id)
                        .filter(|l| l.generation == generation)
                    {
                        live.handshake.start_answered = true;
                        actor.complete_when_ready(id);
                    }
                }
                Err(error) => actor.fail_start(id, failure(error)),
            });
        }
        // Nothing hangs for ever on an adapter that never says `initialized`.
        let over = self
            .live
            .get(&id)
            .map(|l| l.over.clone())
            .unwrap_or_default();
        self.spawn(
            async move {
                tokio::select! {
                    () = tokio::time::sleep(deadline) => true,
                    () = over.cancelled() => false,
                }
            },
            move |actor, expired| {
                if expired {
                    actor.start_overdue(id, generation, deadline);
                }
            },
        );
    }

    fn start_overdue(&mut self, id: SessionId, generation: u32, deadline: Duration) {
        let Some(live) = self
            .live
            .get_mut(&id)
            .filter(|l| l.generation == generation)
        else {
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
        let what = if live.handshake.initialized {
            "answer the start of the program"
        } else {
            "send the `initialized` event"
        };
        let adapter = self
            .session(id)
            .map(|s| s.adapter.clone())
            .unwrap_or_default();
        let stderr = self.stderr_of(id);
        self.fail_start(
            id,
            DebuggerError::new(
                Kind::Timeout,
                format!(
                    "The adapter {adapter} did not {what} within {} s.{stderr}",
                    deadline.as_secs()
                ),
            )
            .hint("try again with --plain-adapter, or look at `omp-debug adapters doctor`"),
        );
    }

    /// What the adapter last wrote to stderr, as an addition to a sentence.
    pub(super) fn stderr_of(&self, id: SessionId) -> String {
        let tail = self
            .live
            .get(&id)
            .and_then(|l| l.client.as_ref())
            .map(crate::dap::client::Client::stderr_tail)
            .unwrap_or_default();
        let tail = tail.trim();
        if tail.is_empty() {
            String::new()
        } else {
            format!(" Its last words: {tail}")
        }
    }

    /// `initialized` came (again, perhaps).
    pub(super) fn on_initialized(&mut self, id: SessionId) {
        if let Some(live) = self.live.get_mut(&id) {
            live.handshake.initialized = true;
        }
        self.configure_when_ready(id);
    }

    /// Sends breakpoints and `configurationDone` once everything before them has happened, in whatever order.
    fn configure_when_ready(&mut self, id: SessionId) {
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        let h = &mut live.handshake;
        if !(h.capabilities_known && h.start_sent && h.initialized) || h.configuring || live.ending
        {
            return;
        }
        h.configuring = true;
        let generation = live.generation;
        self.phase(id, Phase::Configured, Some("setting breakpoints"));
        let sent = self.send_breakpoints(id, &Which::All);
        self.spawn(breakpoints::answers(sent), move |actor, answers| {
            actor.take_answers(id, answers, true);
            actor.configuration_done(id, generation);
        });
    }

    fn configuration_done(&mut self, id: SessionId, generation: u32) {
        let Some(live) = self.live.get(&id).filter(|l| l.generation == generation) else {
            return;
        };
        let needed = self.session(id).is_some_and(|s| s.needs_configuration_done);
        let Some(client) = live.client.clone().filter(|_| needed) else {
            return self.configured(id);
        };
        let answer =
            client.send::<ConfigurationDone>(&Default::default(), self.config.request_timeout);
        self.change(id, Change::NeedsConfigurationDone { needed: false });
        self.spawn(
            async move {
                let answer = answer.await;
                if answer.is_err() {
                    tokio::time::sleep(LAUNCH_ERROR_GRACE).await;
                }
                answer
            },
            move |actor, answer| match answer {
                Ok(_) => actor.configured(id),
                Err(error) => actor.fail_start(id, failure(error)),
            },
        );
    }

    fn configured(&mut self, id: SessionId) {
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        live.handshake.configured = true;
        if self
            .session(id)
            .is_some_and(|s| s.phase == Phase::Configured)
        {
            self.phase(id, Phase::Running, None);
        }
        self.complete_when_ready(id);
    }

    fn complete_when_ready(&mut self, id: SessionId) {
        let Some(live) = self.live.get_mut(&id) else {
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
    }

    /// The start failed: the first reason wins, its follow-ups find nobody to tell.
    pub(super) fn fail_start(&mut self, id: SessionId, error: DebuggerError) {
        let Some(live) = self.live.get_mut(&id) else {
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
        let why = format!("The start failed: {error}");
        if let Some(starter) = starter {
            let _ = starter.send(Err(error));
        }
        self.ended(id, &why);
        self.disconnect(id, true);
    }
}

async fn prepare(
    config: Arc<CoreConfig>,
    origin: Origin,
    sites: Vec<BreakpointSite>,
    plain: bool,
) -> Result<(Connection, Plan), DebuggerError> {
    if let Origin::Replay(recording) = origin {
        let script = Plan {
            name: format!("recording of {}", recording.adapter),
            resolved: None,
            request: StartRequest::Launch,
            skip_request: false,
            arguments: serde_json::json!({}),
            accelerated: false,
            wants_entry: false,
            entry_function: None,
            entry_line: None,
            warnings: Vec::new(),
            foreign_types: BTreeSet::new(),
        };
        return Ok((recording.play(), script));
    }
    let plain = plain || config.plain_adapters;
    let tap = config.tap.clone();
    // Reads the adapter table, folders and the program's head.
    let wanted = tokio::task::spawn_blocking(move || wanted(&config, &origin, &sites, plain)).await;
    let Wanted { spec, plan: script } = wanted.map_err(|e| {
        DebuggerError::new(
            Kind::Adapter,
            format!("The adapter could not be looked up: {e}."),
        )
    })??;
    let connection = transport::connect_tapped(spec, tap.map(|t| t.0))
        .await
        .map_err(|e| {
            DebuggerError::new(Kind::Adapter, e.to_string()).hint("see `omp-debug adapters doctor`")
        })?;
    Ok((connection, script))
}

/// What is to be started, and what is to be said to it.
struct Wanted {
    spec: AdapterSpec,
    plan: Plan,
}

fn wanted(
    config: &CoreConfig,
    origin: &Origin,
    sites: &[BreakpointSite],
    plain: bool,
) -> Result<Wanted, DebuggerError> {
    match origin {
        Origin::Launch(spec) => wanted_launch(config, spec, sites, plain || spec.plain_adapter),
        Origin::Attach(spec) => wanted_attach(config, spec, plain || spec.plain_adapter),
        Origin::Replay(_) => Err(DebuggerError::new(
            Kind::Usage,
            "A recording needs no adapter.",
        )),
        Origin::Child(child) => {
            let (host, port) = child.address.clone();
            let (table, _) = adapters::Table::load(&config.context);
            let mut spec = adapter_spec(config, &child.resolved, Vec::new());
            spec.connect = ConnectMode::Remote { host, port };
            Ok(Wanted {
                spec,
                plan: Plan {
                    name: child.resolved.adapter.name.clone(),
                    request: child.request,
                    skip_request: false,
                    arguments: child.configuration.clone(),
                    accelerated: false,
                    wants_entry: false,
                    entry_function: None,
                    entry_line: None,
                    resolved: Some(Arc::clone(&child.resolved)),
                    warnings: Vec::new(),
                    foreign_types: table.foreign_types(&child.resolved.adapter),
                },
            })
        }
    }
}

fn wanted_launch(
    config: &CoreConfig,
    spec: &LaunchSpec,
    sites: &[BreakpointSite],
    plain: bool,
) -> Result<Wanted, DebuggerError> {
    let context = &config.context;
    let (table, warnings) = adapters::Table::load(context);
    let mut warnings: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    let target = Target::Launch {
        program: spec.program.clone(),
    };
    let resolved = match adapters::select(&table, context, &target, spec.adapter.as_deref()) {
        Ok(resolved) => Arc::new(resolved),
        // A program that is not there is the better reason.
        Err(error) if spec.program.exists() => return Err(error.into()),
        Err(error) => {
            return Err(
                match table
                    .iter()
                    .next()
                    .map(|any| adapters::check_program(&spec.program, any))
                {
                    Some(Err(missing)) => missing.into(),
                    _ => error.into(),
                },
            );
        }
    };
    let facts = adapters::check_program(&spec.program, &resolved.adapter)?;
    let foreign_types = table.foreign_types(&resolved.adapter);
    // Without a breakpoint that could be reached, the first screen is to show source.
    let wants_entry = spec
        .stop_on_entry
        .unwrap_or_else(|| !reach::any(sites, &spec.program, &resolved.adapter.file_types));
    let entry_function = adapters::entry_function(&resolved, &facts)
        .filter(|_| wants_entry)
        .map(str::to_owned);
    let entry_line = wants_entry && resolved.adapter.personality.launch.entry_line;
    warnings.extend(facts.warnings.iter().cloned());
    // Where the adapter cannot read a file for the program, we start the program and give it the file.
    let shape = &resolved.adapter.personality.launch;
    let stdin_by_us = spec.stdin.is_some() && shape.stdin_key.is_none() && shape.console.is_some();
    let request = LaunchRequest {
        program: spec.program.clone(),
        args: spec.args.clone(),
        cwd: spec.cwd.clone().unwrap_or_else(|| context.cwd.clone()),
        env: spec.env.iter().cloned().collect(),
        stop_on_entry: wants_entry && entry_function.is_none() && !entry_line,
        console: match spec.console {
            Console::Internal if !stdin_by_us => adapters::Console::Internal,
            Console::Internal | Console::Pipe | Console::Pty => adapters::Console::Terminal,
        },
        stdin: spec.stdin.clone().filter(|_| !stdin_by_us),
        extra: spec.extra.clone(),
        ..LaunchRequest::default()
    };
    let arguments = adapters::launch_arguments(&resolved, &request)?;
    let fast = resolved.plain_argv.is_some() && !plain;
    let argv = if plain {
        resolved.plain_command_line(&spec.program, &spec.args)
    } else {
        None
    };
    let mut argv = argv.unwrap_or_else(|| resolved.command_line(&spec.program, &spec.args));
    argv.extend(adapters::support_arguments(
        &resolved.adapter,
        &facts,
        context,
    ));
    let mut spec_of_adapter = adapter_spec(config, &resolved, argv);
    spec_of_adapter.env = adapters::adapter_env(&resolved, &request);
    Ok(Wanted {
        spec: spec_of_adapter,
        plan: Plan {
            name: resolved.adapter.name.clone(),
            request: adapters::launch_command(&resolved),
            skip_request: false,
            arguments,
            accelerated: fast,
            wants_entry,
            entry_function,
            entry_line: entry_line.then(|| spec.program.clone()),
            resolved: Some(resolved),
            warnings,
            foreign_types,
        },
    })
}

fn wanted_attach(
    config: &CoreConfig,
    spec: &AttachSpec,
    plain: bool,
) -> Result<Wanted, DebuggerError> {
    let context = &config.context;
    let (table, warnings) = adapters::Table::load(context);
    let host = spec.host.clone().unwrap_or_else(|| "127.0.0.1".to_owned());
    let target = match (spec.pid, spec.port) {
        (Some(pid), _) => Target::AttachPid(pid),
        (None, Some(port)) => Target::AttachPort {
            host: host.clone(),
            port,
        },
        (None, None) => Target::AttachConfigured,
    };
    let resolved = Arc::new(adapters::select(
        &table,
        context,
        &target,
        spec.adapter.as_deref(),
    )?);
    let request = AttachRequest {
        pid: spec.pid,
        host: spec.port.map(|_| host),
        port: spec.port,
        cwd: spec.cwd.clone().unwrap_or_else(|| context.cwd.clone()),
        extra: spec.extra.clone(),
        ..AttachRequest::default()
    };
    let arguments = adapters::attach_arguments(&resolved, &request)?;
    let command = adapters::attach_command(&resolved, &request);
    let fast = resolved.plain_argv.is_some() && !plain;
    let argv = match &resolved.plain_argv {
        Some(argv) if plain => argv.clone(),
        _ => resolved.argv.clone(),
    };
    Ok(Wanted {
        spec: AdapterSpec {
            attaches: true,
            ..adapter_spec(config, &resolved, argv)
        },
        plan: Plan {
            name: resolved.adapter.name.clone(),
            request: command.unwrap_or(StartRequest::Attach),
            skip_request: command.is_none(),
            arguments,
            accelerated: fast,
            wants_entry: false,
            entry_function: None,
            entry_line: None,
            foreign_types: table.foreign_types(&resolved.adapter),
            resolved: Some(resolved),
            warnings: warnings.iter().map(ToString::to_string).collect(),
        },
    })
}

/// How the adapter is started.
fn adapter_spec(config: &CoreConfig, resolved: &Resolved, argv: Vec<String>) -> AdapterSpec {
    let adapter = &resolved.adapter;
    AdapterSpec {
        name: adapter.name.clone(),
        argv,
        cwd: config.context.cwd.clone(),
        env: resolved.env.clone(),
        connect: match &resolved.connect {
            adapters::ConnectMode::Stdio => ConnectMode::Stdio,
            adapters::ConnectMode::Tcp => ConnectMode::Tcp,
            adapters::ConnectMode::Socket => ConnectMode::Socket,
            adapters::ConnectMode::ConnectBack => ConnectMode::ConnectBack,
            adapters::ConnectMode::Remote { host, port } => ConnectMode::Remote {
                host: host.clone(),
                port: *port,
            },
        },
        banner: adapter.personality.banner.clone(),
        ready_timeout: Duration::from_secs(10),
        supervisor: config.supervisor.clone(),
        ptrace: adapter.personality.ptrace,
        attaches: false,
    }
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

/// Why a session did not start, when its adapter did not do its part.
pub(super) fn failure(error: RequestError) -> DebuggerError {
    let gone = matches!(error, RequestError::Closed(_));
    let error = DebuggerError::from(error);
    if gone {
        error.hint("see `omp-debug adapters doctor`, or try --plain-adapter")
    } else {
        error
    }
}

fn absolute(path: &Path, base: &Path) -> PathBuf {
    let joined = base.join(path);
    std::path::absolute(&joined).unwrap_or(joined)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.to_string_lossy(), |n| n.to_string_lossy())
        .into_owned()
}
