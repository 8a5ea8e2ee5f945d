//! What is to be started for a launch, an attach or a child, and what is to be said to it.
//!
//! Reads the adapter table, folders and the head of the program, off the owner's task. The handshake that follows is in
//! `handshake`.

use std::sync::atomic::Ordering::Relaxed;

use dap::transport::{self, AdapterSpec, ConnectMode};

use super::{
    prelude::*,
    taps::Taps,
    terminal::{SIZE, TERM, open_terminal},
};
use crate::{
    adapters::{self, LaunchRequest, ServerLaunch, Target},
    exceptions::GTEST_BREAKS,
    lldb_cli, pending_breakpoints, reachability,
    servers::{self, InTerminal},
};

/// How long the debug server of a program may take to come to us.
const SERVER_COMES: Duration = Duration::from_secs(10);

/// A server that somebody else started: connecting to it is tried until it works, or the time is up.
#[derive(Clone, Debug)]
pub struct Tries {
    /// Host and port.
    pub address: String,
    /// How long it is tried.
    pub limit: Duration,
}

/// What the owner is asked meanwhile.
pub struct Asks {
    /// Is told which server is waited for.
    pub tries: oneshot::Sender<Tries>,
    /// Has terminals for programs.
    pub terminals: oneshot::Sender<InTerminal>,
}

/// What is to be started, and what is to be said to it.
struct StartPlan {
    spec: AdapterSpec,
    plan: Plan,
    /// How the program is started without an adapter, where that can be.
    alone: Option<ServerLaunch>,
}

pub async fn prepare(
    config: Arc<CoreConfig>,
    taps: Arc<Taps>,
    whose: SessionOwner,
    origin: Origin,
    stops: Vec<Breakpoint>,
    plain: bool,
    asks: Asks,
) -> Result<(Connection, Plan)> {
    if let Origin::Replay(playback) = origin {
        let script = Plan {
            name: playback.name(),
            arguments: json!({}),
            ..Plan::default()
        };
        let connection = playback.play();
        connection.client.set_tap(Some(taps.log(whose.id)));
        return Ok((connection, script));
    }
    let plain = plain || config.settings.plain_adapter;
    // Reads the adapter table, folders and the program's head; of a child all is known.
    let wanted = if matches!(origin, Origin::Child(_)) {
        Ok(wanted(&config, &origin, &stops, plain))
    } else {
        let origin = origin.clone();
        tasks::blocking(move || wanted(&config, &origin, &stops, plain)).await
    };
    let StartPlan {
        spec,
        plan: mut script,
        alone,
    } = wanted.map_err(|e| {
        DebuggerError::adapter(format!("The adapter could not be looked up: {e}."))
    })??;
    if let ConnectMode::At(Address::Port(host, port)) = &spec.connect {
        // Nobody listens any more when the start was taken back.
        let _ = asks.tries.send(Tries {
            address: format!("{host}:{port}"),
            limit: spec.ready_timeout,
        });
    }
    let tap = Some(taps.listen(&whose, &script.name));
    if let Some(launch) = alone {
        let without = AdapterSpec {
            ready_timeout: SERVER_COMES,
            ..spec.clone()
        };
        let unfit = launch.servers.unfit.clone();
        match servers::connect(without, launch, asks.terminals, tap.clone()).await {
            Ok((connection, family)) => {
                script.family = Some(family);
                script.accelerated = true;
                return Ok((connection, script));
            }
            Err(why) if unfit.said.fit(&why) => {
                let what = format!("The program could not be started under the debugger: {why}");
                return Err(DebuggerError::adapter(what).hint(unfit.hint));
            }
            Err(why) => script.warnings.push(format!(
                "The program could not be debugged without its adapter, which is started instead: {why}"
            )),
        }
    } else if let (Origin::Child(_), Some(family)) = (&origin, &script.family) {
        let connection = servers::join(family, &script.arguments, &script.name, tap);
        return Ok((connection, script));
    }
    let connection = if spec.connect == ConnectMode::LldbCommandLine {
        lldb_cli::connect(spec, tap).await
    } else {
        let connection = transport::connect_tapped(spec, tap).await;
        connection.in_words()
    };
    let connection = connection
        .map_err(|why| DebuggerError::adapter(why).hint("see `omp-debug adapters doctor`"))?;
    Ok((connection, script))
}

fn wanted(
    config: &CoreConfig,
    origin: &Origin,
    stops: &[Breakpoint],
    plain: bool,
) -> Result<StartPlan> {
    match origin {
        Origin::Launch(spec) => wanted_launch(config, spec, stops, plain || spec.plain_adapter),
        Origin::Attach(spec) => wanted_attach(config, spec, stops, plain || spec.plain_adapter),
        Origin::Replay(_) => Err(DebuggerError::usage("A recording needs no adapter.")),
        Origin::Child(child) => {
            let mut spec = adapter_spec(config, &child.resolved, Vec::new());
            spec.connect = ConnectMode::At(child.address.clone());
            Ok(StartPlan {
                spec,
                plan: Plan {
                    name: child.resolved.adapter.name.clone(),
                    request: child.request,
                    arguments: child.configuration.clone(),
                    resolved: Some(Arc::clone(&child.resolved)),
                    foreign_types: child.foreign_types.clone(),
                    family: child.family.clone(),
                    ..Plan::default()
                },
                alone: None,
            })
        }
    }
}

fn wanted_launch(
    config: &CoreConfig,
    spec: &LaunchSpec,
    stops: &[Breakpoint],
    plain: bool,
) -> Result<StartPlan> {
    let context = &config.context;
    let (table, warnings) = Table::load(context);
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
                    Some(Err(missing)) => missing,
                    _ => error.into(),
                },
            );
        }
    };
    // Without a program the adapter knows by its own arguments what it starts.
    let named = !spec.program.as_os_str().is_empty();
    let facts = if named {
        adapters::check_program(&spec.program, &resolved.adapter)?
    } else {
        adapters::inspect(&spec.program)
    };
    let folder = spec.cwd.as_deref().map(|cwd| context.absolute(cwd));
    if let Some(folder) = folder.filter(|folder| named && !folder.is_dir()) {
        let folder = folder.display();
        let what = format!("The folder that the program is to start in does not exist: {folder}.");
        return Err(DebuggerError::usage(what).hint("correct its cwd"));
    }
    if spec.adapter.is_none()
        && let Ok(Some(backend)) = adapters::Backend::wanted(context)
    {
        warnings.extend(backend.unused_by(&resolved.adapter));
    }
    let foreign_types = table.foreign_types(&resolved.adapter);
    // Without a breakpoint that could be reached, the first screen is to show source.
    let wants_entry = spec.stop_on_entry.unwrap_or_else(|| {
        !reachability::stops(stops, &spec.program, &resolved.adapter.file_types)
    });
    let main = adapters::entry_function(&resolved, &facts).map(str::to_owned);
    let entry_function = main.clone().filter(|_| wants_entry);
    let shape = &resolved.adapter.personality.launch;
    let script_entry = shape
        .script_entry
        .then(|| adapters::script_entry(&spec.program))
        .flatten();
    let program = Some(spec.program.as_path());
    let extra = with_overrides(&resolved, script_entry, program, stops, &spec.extra);
    let elsewhere = stops.iter().filter_map(|stop| {
        let meant = pending_breakpoints::meant(stop, &context.cwd, &spec.program);
        Some((stop.id, meant?))
    });
    let elsewhere = elsewhere.collect();
    let entry_line = shape
        .entry_line
        .then_some(1)
        .or_else(|| script_entry.map(|entry| entry.line))
        .filter(|_| wants_entry);
    warnings.extend(facts.warnings.iter().cloned());
    // Where the adapter cannot read a file for the program, we start the program and give it the file.
    let stdin_by_us = spec.stdin.is_some() && shape.stdin_key.is_none() && shape.console.is_some();
    let own_code = config.own_code.load(Relaxed);
    // A terminal that the adapter does not ask us for is to be given to it.
    let asks = |keys: &adapters::ConsoleKey| keys.terminal != keys.internal;
    let opens_none = spec.console == Console::Pty && !shape.console.as_ref().is_some_and(asks);
    let mut env: BTreeMap<_, _> = spec.env.iter().cloned().collect();
    if opens_none {
        env.entry("TERM".to_owned())
            .or_insert_with(|| Some(TERM.to_owned()));
    }
    let image = facts.image.as_ref();
    if image.is_some_and(|image| image.runtimes.contains(&"gtest")) {
        env.entry(GTEST_BREAKS.to_owned())
            .or_insert_with(|| Some("1".to_owned()));
    }
    let request = LaunchRequest {
        program: spec.program.clone(),
        args: spec.args.clone(),
        cwd: spec.cwd.clone().unwrap_or_else(|| context.cwd.clone()),
        env,
        stop_on_entry: wants_entry && entry_function.is_none() && entry_line.is_none(),
        console: match spec.console {
            Console::Internal if stdin_by_us => Console::Pipe,
            console => console,
        },
        stdin: spec.stdin.clone().filter(|_| !stdin_by_us),
        path_mappings: config.settings.path_mappings.clone(),
        just_my_code: (!own_code).then_some(false),
        extra,
    };
    warnings.extend(adapters::unmapped(
        &resolved.adapter,
        shape.path_mappings_key.as_ref(),
        &config.settings.path_mappings,
    ));
    let mut arguments = adapters::launch_arguments(&resolved, &request)?;
    let exit_report = shape.exit_report.as_ref().and_then(|report| {
        let inherited = context.env.get(&report.variable).map(String::as_str);
        let asked = report.ask(&mut arguments, &shape.env_key, inherited);
        asked.unwrap_or_else(|error| {
            warnings.push(format!("The exit code will not be known: {error}."));
            None
        })
    });
    if resolved.adapter.assumes_args && !spec.args.is_empty() {
        warnings.push(format!(
            "{} is given the program's arguments as \"{}\", which is a guess: if they do not arrive, or to be rid of this, say how it calls them in its entry, as \"personality\": {{\"launch\": {{\"args_key\": \"arguments\"}}}}.",
            resolved.adapter.name, shape.args_key
        ));
    }
    let fast = resolved.plain_argv.is_some() && !plain;
    let mut argv = resolved.command_line(plain, &spec.program, &spec.args);
    warnings.extend(adapters::add_support(
        &resolved.adapter,
        &facts,
        context,
        &mut argv,
        &mut arguments,
    ));
    if own_code {
        adapters::add_own_code(&resolved.adapter, &mut argv, &mut arguments);
    }
    if spec.console == Console::Internal {
        adapters::add_lines(&resolved.adapter, &facts, &mut argv);
    }
    let told = adapters::add_project(&resolved.adapter, context, &mut argv, &mut arguments);
    warnings.extend(told.iter().map(ToString::to_string));
    let terminal = if opens_none {
        let opened = open_terminal(SIZE, config.echo)
            .map_err(|error| DebuggerError::program(format!("No pseudo-terminal: {error}.")))?;
        let adapter = &resolved.adapter;
        let is_given = adapters::add_terminal(adapter, &opened.name, &mut argv, &mut arguments);
        if !is_given {
            let name = &adapter.name;
            warnings.push(format!(
                "{name} cannot give the program a terminal: it runs without one."
            ));
        }
        is_given.then_some(opened)
    } else {
        None
    };
    let alone = resolved.without_adapter(&arguments).filter(|_| !plain);
    let mut spec_of_adapter = adapter_spec(config, &resolved, argv);
    spec_of_adapter
        .env
        .extend(adapters::adapter_env(&resolved, &request));
    Ok(StartPlan {
        spec: spec_of_adapter,
        plan: Plan {
            name: resolved.adapter.name.clone(),
            request: shape.request,
            arguments,
            accelerated: fast,
            wants_entry,
            entry_function,
            main: main.filter(|name| name != "main"),
            is_module: script_entry.is_some_and(|entry| entry.is_module),
            entry_line: entry_line.map(|line| (spec.program.clone(), line)),
            elsewhere,
            resolved: Some(resolved),
            warnings,
            foreign_types,
            image: facts.image,
            exit_report,
            terminal,
            ..Plan::default()
        },
        alone,
    })
}

/// The arguments in the adapter's own words, with those that it takes for such a program, or for these files with breakpoints.
fn with_overrides(
    resolved: &Resolved,
    entry: Option<adapters::ScriptEntry>,
    program: Option<&Path>,
    stops: &[Breakpoint],
    extra: &Map<String, Value>,
) -> Map<String, Value> {
    let with_breakpoints = stops.iter().filter_map(|stop| match &stop.site {
        BreakpointSite::Source { path, .. } => Some(path.as_path()),
        _ => None,
    });
    let program = program.map(|program| resolved.context.absolute(program));
    let program = program.as_deref();
    let files: Vec<_> = with_breakpoints.collect();
    let overrides = &resolved.adapter.personality.launch.overrides;
    let first = overrides
        .iter()
        .find(|one| one.are_for(entry, program, &files));
    let mut all = first.map(|first| first.of(program)).unwrap_or_default();
    all.extend(extra.clone());
    all
}

fn wanted_attach(
    config: &CoreConfig,
    spec: &AttachSpec,
    stops: &[Breakpoint],
    plain: bool,
) -> Result<StartPlan> {
    let context = &config.context;
    let (table, warnings) = Table::load(context);
    let target = match (&spec.core, spec.pid, spec.port) {
        (Some(core), _, _) => Target::Core {
            core: core.clone(),
            program: spec.program.clone(),
        },
        (None, Some(pid), _) => Target::AttachPid(pid),
        (None, None, Some(port)) => Target::AttachPort {
            host: spec.host.clone().unwrap_or_else(|| "127.0.0.1".to_owned()),
            port,
        },
        (None, None, None) => Target::AttachConfigured,
    };
    let resolved = Arc::new(adapters::select(
        &table,
        context,
        &target,
        spec.adapter.as_deref(),
    )?);
    let own_code = config.own_code.load(Relaxed);
    let mut warnings: Vec<_> = warnings.iter().map(ToString::to_string).collect();
    warnings.extend(adapters::unmapped(
        &resolved.adapter,
        resolved
            .adapter
            .personality
            .attach
            .path_mappings_key
            .as_ref(),
        &config.settings.path_mappings,
    ));
    let spec = &AttachSpec {
        extra: with_overrides(&resolved, None, None, stops, &spec.extra),
        ..spec.clone()
    };
    let mut arguments =
        adapters::attach_arguments(&resolved, spec, own_code, &config.settings.path_mappings)?;
    let command = adapters::attach_command(&resolved, spec);
    let fast = resolved.plain_argv.is_some() && !plain;
    let mut argv = resolved.words(plain).to_vec();
    if own_code {
        adapters::add_own_code(&resolved.adapter, &mut argv, &mut arguments);
    }
    let told = adapters::add_project(&resolved.adapter, context, &mut argv, &mut arguments);
    warnings.extend(told.iter().map(ToString::to_string));
    if let Some(core) = &spec.core {
        warnings.extend(adapters::of_dump(core, spec.program.as_deref()));
    }
    warnings.extend(spec.pid.and_then(adapters::stopped_by_signal));
    let facts = match (&spec.program, spec.pid) {
        (Some(program), _) => Some(adapters::inspect(program)),
        (None, pid) => pid.and_then(adapters::of_process),
    };
    if let Some(facts) = &facts {
        let adapter = &resolved.adapter;
        if adapter.native_rank.is_some() {
            warnings.extend(facts.warnings.iter().cloned());
        }
        let told = adapters::add_support(adapter, facts, context, &mut argv, &mut arguments);
        warnings.extend(told);
    }
    let name = facts
        .as_ref()
        .and_then(|facts| facts.interpreter.as_deref());
    if let Some((pid, name)) = spec.pid.zip(name) {
        let by_port =
            |a: &&Arc<Adapter>| a.attach_listener.fit(name) && a.name != resolved.adapter.name;
        let other = table.iter().find(by_port);
        let told = other.and_then(|other| {
            let how = other.made_to_listen.as_ref()?;
            let how = how.replace("${pid}", &pid.to_string());
            let (own, other) = (&resolved.adapter.name, &other.name);
            let what = format!("{own} sees the machine code of {name}. What {name} runs is debugged by {other}, by a port");
            Some((what, how, own))
        });
        match told {
            // Why it hangs the machine code says as well.
            Some((what, how, own)) if spec.adapter.is_none() && !spec.stay => {
                let hint = format!(
                    "{how}; then attach to that. The adapter {own} is taken where it is named"
                );
                return Err(DebuggerError::new(ErrorKind::Program, format!("{what}.")).hint(hint));
            }
            told => warnings
                .extend(told.map(|(what, how, _)| format!("{what}: {how}; then attach to that."))),
        }
    }
    let mut adapter = adapter_spec(config, &resolved, argv);
    if spec.pid.is_some() {
        let path = adapters::attach_env(&resolved, &table, context)?;
        adapter.env.extend(path);
    }
    Ok(StartPlan {
        spec: AdapterSpec {
            attaches: true,
            ..adapter
        },
        plan: Plan {
            name: resolved.adapter.name.clone(),
            request: command.unwrap_or(StartRequest::Attach),
            skip_request: command.is_none(),
            arguments,
            accelerated: fast,
            wants_entry: spec.stay,
            foreign_types: table.foreign_types(&resolved.adapter),
            image: facts.and_then(|facts| facts.image),
            resolved: Some(resolved),
            warnings,
            ..Plan::default()
        },
        alone: None,
    })
}

/// How the adapter is started.
fn adapter_spec(config: &CoreConfig, resolved: &Resolved, argv: Vec<String>) -> AdapterSpec {
    let adapter = &resolved.adapter;
    let limit = config.settings.eval_timeout.as_secs_f64();
    let variables = adapter.personality.eval_timeout_env.iter();
    let patience = variables.map(|(name, part)| (name.clone(), Some((limit * part).to_string())));
    AdapterSpec {
        name: adapter.name.clone(),
        argv,
        cwd: config.context.cwd.clone(),
        env: resolved.env.iter().cloned().chain(patience).collect(),
        connect: resolved.connect.clone(),
        banner: adapter.personality.banner.clone(),
        banner_names_port: adapter.personality.banner_names_port,
        ready_timeout: Duration::from_secs(10),
        supervisor: config.supervisor.clone(),
        ptrace: adapter.personality.ptrace,
        attaches: false,
    }
}
