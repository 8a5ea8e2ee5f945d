//! The debugger without a screen.

use std::io::ErrorKind;

use super::{
    adapters::{self, AdaptersCommand},
    call::{CallArgs, ServeArgs},
    cli::Cli,
    configuration,
    mirror::MirrorArgs,
    prelude::*,
    repl::ReplArgs,
    run::RunArgs,
    setup::caller,
};
use crate::{
    debugger::{
        adapters::untrusted,
        configurations,
        link::{HostKind, Note},
        tool::discretion::Discretion,
    },
    headless::{
        self,
        call::CallError,
        run::config_file::{self, SessionFile},
    },
    text::words,
};

/// `adapters`.
pub async fn adapters(what: Option<&AdaptersCommand>, context: &Context) -> Result<u8> {
    let mut text = Vec::new();
    let done = adapters::run(what, context, &mut text).await;
    // What was found out before a failure is worth reading, too.
    print(&text)?;
    done.map(|()| 0)
}

/// `serve`.
pub async fn serve(args: &ServeArgs, setup: &Setup) -> Result<u8> {
    let mut offer = offer(setup);
    if args.no_redact {
        offer.discretion = Discretion::none();
    }
    let context = &setup.context;
    let note = Note::own(HostKind::Serve, context.cwd.clone(), None);
    let core = Core::start(CoreConfig {
        max_sessions: args.max_sessions,
        idle_limit: args.idle_limit(),
        ..setup.core()?
    });
    Ok(headless::serve::run(core, context, note, offer, &mut stdout()).await?)
}

/// `mirror`.
pub async fn mirror(args: &MirrorArgs, context: &Context) -> Result<u8> {
    let to = args.join.as_deref().filter(|to| !to.is_empty());
    Ok(headless::mirror::run(context, to, args.port, &mut stdout()).await?)
}

/// `call`.
pub async fn call(args: &CallArgs, setup: &Setup) -> Result<u8> {
    let config = &setup.config;
    let enabled = config.core.debug_enabled;
    if args.list && !enabled {
        say(headless::call::OFF);
    }
    let setting = headless::call::Setting {
        context: &setup.context,
        to: args.to.as_deref(),
        enabled,
        pretty: stdout().is_terminal(),
        permission: config.permission,
    };
    let mut out = BufWriter::new(stdout());
    match headless::call::run(args.wanted(), setting, &mut stdin(), &mut out).await {
        Err(CallError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => {
            // What is left of the answer is written by nobody, and nobody reads it.
            drop(out.into_parts());
            Ok(0)
        }
        Err(CallError::Refused(error)) => Err(error.into()),
        done => done.map_err(Failure::failed),
    }
}

/// `run`.
pub async fn run(cli: &Cli, run: &RunArgs, setup: &Setup) -> Result<u8> {
    let (config, context) = (&setup.config, &setup.context);
    if run.trust {
        trust_project(context)?;
    }
    let file = match (configured(cli, context, run.trust)?, cli.session_file()) {
        (None, Some(file)) => Some(config_file::read(file, context, run.trust)?),
        (configured, _) => configured,
    };
    let options = run.options(file, config, &context.cwd)?;
    let core = CoreConfig {
        // A stop names its thread; the others are in no event.
        threads_at_stops: false,
        output_dir: None,
        ..setup.core()?
    };
    let caller = caller(config, !core.rules.is_empty());
    headless::run::run(options, core, caller)
        .await
        .map_err(Failure::usage)
}

/// Trusts the adapters and formatters that came with the project, as `--trust` says, and shows what they run.
fn trust_project(context: &Context) -> Result<()> {
    let files = untrusted::grant_all(context).map_err(Failure::usage)?;
    for file in files {
        let commands = file.commands.iter();
        let commands =
            commands.map(|command| format!("\n  {}: {}", command.name, words::join(&command.argv)));
        let all: String = commands.collect();
        say(&format!(
            "Trusted from now on: {}{all}",
            file.path.display()
        ));
    }
    Ok(())
}

/// The configuration that was asked for, as far as nobody need be asked about it.
fn configured(cli: &Cli, context: &Context, trust: bool) -> Result<Option<SessionFile>> {
    let Some(asked) = cli.configuration()? else {
        return Ok(None);
    };
    let ready = configurations::prepare_unasked(context, &asked, trust)?;
    configuration::sessions(ready).map(Some)
}

/// `repl`, and `run --interactive`.
pub async fn repl(cli: &Cli, args: &ReplArgs, setup: &Setup) -> Result<u8> {
    let (config, context) = (&setup.config, &setup.context);
    color_eyre::install().map_err(Failure::failed)?;
    if args.trust {
        trust_project(context)?;
    }
    let configured = configured(cli, context, args.trust)?;
    let options = args.options(configured, config, &context.cwd)?;
    let core = Core::start(CoreConfig {
        project: options.kept.then(|| context.cwd.clone()),
        ..setup.core()?
    });
    let core = core.acting_as(caller(config, false));
    Ok(headless::repl::run(options, core).await?)
}
