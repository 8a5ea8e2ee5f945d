//! The debugger without a screen.

use std::io::IsTerminal as _;
use std::sync::Arc;

use omp_debug::cli::configuration;
use omp_debug::cli::repl::ReplArgs;
use omp_debug::cli::run::RunArgs;
use omp_debug::cli::{AdaptersCommand, CallArgs, Cli, ServeArgs, UsageError};
use omp_debug::config::Config;
use omp_debug::debugger::adapters::{Context, trust};
use omp_debug::debugger::core::{Core, CoreConfig, EVAL_TIMEOUT};
use omp_debug::debugger::link::{HostKind, Note, Offer};
use omp_debug::debugger::recording::Recorder;
use omp_debug::debugger::tool::discretion::Discretion;
use omp_debug::debugger::{configurations, workspace};
use omp_debug::headless;
use omp_debug::headless::run::config_file::SessionFile;
use omp_debug::headless::run::options::OptionsError;
use omp_debug::text::sanitise::sanitise;
use omp_debug::text::words;

use super::{ADAPTER_MISSING, DENIED, FAILED, Failure, USAGE, print, say};

/// `adapters`.
pub async fn adapters(what: Option<&AdaptersCommand>, context: &Context) -> Result<u8, Failure> {
    use headless::adapters::Command as Wanted;
    let (command, json) = match what {
        None => (Wanted::List, false),
        Some(AdaptersCommand::List { json }) => (Wanted::List, *json),
        Some(AdaptersCommand::Doctor { json }) => (Wanted::Doctor, *json),
        Some(AdaptersCommand::Install { name, yes }) => (
            Wanted::Install {
                name: name.clone(),
                yes: *yes,
            },
            false,
        ),
    };
    let mut text = Vec::new();
    let done = headless::adapters::run(&command, context, json, &mut text).await;
    // What was found out before a failure is worth reading, too.
    print(&text)?;
    done.map(|()| 0).map_err(|error| Failure {
        code: ADAPTER_MISSING,
        text: error.to_string(),
        hint: error.hint(),
    })
}

/// How the debug tool is offered to those who call.
pub(super) fn offer(config: &Config, context: &Context) -> Offer {
    Offer {
        enabled: config.debug_enabled != Some(false),
        discretion: if config.debug_redact == Some(false) {
            Discretion::none()
        } else {
            Discretion::knowing(context.env.iter())
        },
    }
}

/// `serve`.
pub async fn serve(
    args: &ServeArgs,
    config: &Config,
    context: Context,
    recorder: Option<Arc<Recorder>>,
) -> Result<u8, Failure> {
    let mut offer = offer(config, &context);
    if args.no_redact {
        offer.discretion = Discretion::none();
    }
    let note = Note::own(HostKind::Serve, context.cwd.clone(), None);
    let core = Core::start(CoreConfig {
        supervisor: std::env::current_exe().ok(),
        plain_adapters: config.plain_adapter,
        own_code: Arc::new(config.own_code.unwrap_or(true).into()),
        eval_timeout: config.eval_timeout.unwrap_or(EVAL_TIMEOUT),
        path_mappings: config.path_mappings.clone(),
        max_sessions: args.max_sessions,
        idle_limit: args.idle_limit(),
        recorder,
        ..CoreConfig::new(context.clone())
    });
    headless::serve::run(core, &context, note, offer, &mut std::io::stdout())
        .await
        .map_err(|error| Failure::new(FAILED, error))
}

/// `call`.
pub async fn call(args: &CallArgs, config: &Config, context: &Context) -> Result<u8, Failure> {
    let enabled = config.debug_enabled != Some(false);
    if args.list && !enabled {
        say(headless::call::OFF);
    }
    let setting = headless::call::Setting {
        context,
        to: args.to.as_deref(),
        enabled,
        pretty: std::io::stdout().is_terminal(),
    };
    let mut out = std::io::BufWriter::new(std::io::stdout());
    match headless::call::run(args.wanted(), setting, &mut std::io::stdin(), &mut out).await {
        Err(error) if error.is_closed_pipe() => {
            // What is left of the answer is written by nobody.
            drop(out.into_parts());
            Ok(0)
        }
        Err(error) => {
            let code = if error.is_usage() { USAGE } else { FAILED };
            Err(Failure::new(code, error))
        }
        Ok(code) => Ok(code),
    }
}

/// `run`.
pub async fn run(
    cli: &Cli,
    run: &RunArgs,
    config: Config,
    context: Context,
    recorder: Option<Arc<Recorder>>,
) -> Result<u8, Failure> {
    if run.trust {
        trust_project(&context)?;
    }
    let read = |file| headless::run::config_file::read(file, &context, run.trust);
    let options = configured(cli, &context, run.trust)
        .and_then(|configured| match (configured, cli.session_file()) {
            (None, Some(file)) => match read(file) {
                Ok(session) => Ok(Some(session)),
                Err(error) => Err(OptionsError::from(error).into()),
            },
            (configured, _) => Ok(configured),
        })
        .and_then(|file| run.options(file, &config, &context.cwd, workspace::list_processes));
    let options = options.map_err(refused)?;
    let core = CoreConfig {
        supervisor: std::env::current_exe().ok(),
        plain_adapters: config.plain_adapter,
        own_code: Arc::new(config.own_code.unwrap_or(true).into()),
        eval_timeout: config.eval_timeout.unwrap_or(EVAL_TIMEOUT),
        path_mappings: config.path_mappings.clone(),
        // A stop names its thread; the others are in no event.
        threads_at_stops: false,
        recorder,
        output_dir: None,
        ..CoreConfig::new(context)
    };
    headless::run::run(options, core)
        .await
        .map_err(|e| Failure::new(USAGE, e))
}

/// Trusts the adapters and formatters that came with the project, as `--trust` says, and shows what they run.
fn trust_project(context: &Context) -> Result<(), Failure> {
    let files = trust::grant_all(context).map_err(|error| Failure::new(USAGE, error))?;
    for file in files {
        let commands = file.commands.iter();
        let commands =
            commands.map(|command| format!("\n  {}: {}", command.name, words::join(&command.argv)));
        let all: String = commands.collect();
        say(&sanitise(&format!(
            "Trusted from now on: {}{all}",
            file.path.display()
        )));
    }
    Ok(())
}

fn refused(error: UsageError) -> Failure {
    let code = if error.is_denied() { DENIED } else { USAGE };
    Failure::new(code, error)
}

/// The configuration that was asked for, as far as nobody need be asked about it.
fn configured(
    cli: &Cli,
    context: &Context,
    trust: bool,
) -> Result<Option<SessionFile>, UsageError> {
    let Some(asked) = cli.configuration()? else {
        return Ok(None);
    };
    let ready = configurations::prepare_unasked(context, &asked, trust)?;
    configuration::sessions(ready).map(Some)
}

/// `repl`, and `run --interactive`.
pub async fn repl(
    cli: &Cli,
    args: &ReplArgs,
    config: &Config,
    context: Context,
    recorder: Option<Arc<Recorder>>,
) -> Result<u8, Failure> {
    color_eyre::install().map_err(|e| Failure::new(FAILED, e))?;
    if args.trust {
        trust_project(&context)?;
    }
    let configured = configured(cli, &context, args.trust).map_err(refused)?;
    let options = args.options(configured, config, &context.cwd, workspace::list_processes)?;
    let core = Core::start(CoreConfig {
        recorder,
        project: options.kept.then(|| context.cwd.clone()),
        supervisor: std::env::current_exe().ok(),
        plain_adapters: config.plain_adapter,
        own_code: Arc::new(config.own_code.unwrap_or(true).into()),
        eval_timeout: config.eval_timeout.unwrap_or(EVAL_TIMEOUT),
        path_mappings: config.path_mappings.clone(),
        ..CoreConfig::new(context)
    });
    Ok(headless::repl::run(options, core).await)
}
