//! Entry point: supervisors first, then arguments, settings, one front end, and its end as an exit code.

mod fronts;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;

use fronts::{
    DENIED, FAILED, Failure, USAGE, artifacts, debug, desk, print, profile, recording, report, say,
    screen, sse,
};
use omp_debug::cli::{Cli, Subcommands, UsageError};
use omp_debug::config::Config;
use omp_debug::dap::supervise;
use omp_debug::debugger::adapters::{Backend, Context};
use omp_debug::debugger::previews;
use omp_debug::files::{self, Watched};

fn main() -> ExitCode {
    // A supervisor is one thread and little memory: before anything else is set up.
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if supervise::is_request(&arguments) {
        return supervise::main(&arguments);
    }
    let words: Vec<OsString> = std::env::args_os().collect();
    let cli = match omp_debug::cli::parse(&words) {
        Ok(cli) => cli,
        // Help and version come this way as well, with their own exit code.
        Err(error) => {
            if error.use_stderr() && omp_debug::cli::asks_for_events(&words) {
                refuse(USAGE, &error.to_string());
            }
            error.exit()
        }
    };
    let code = match start(&cli) {
        Ok(code) => {
            // What had no end of its line has not been written yet.
            let _ = Watched::stdout().flush();
            code
        }
        Err(failure) => {
            if cli.prints_events() {
                refuse(failure.code, &failure.text);
            }
            say(&format!("omp-debug: {}", failure.text));
            if let Some(hint) = failure.hint {
                say(&format!("  {hint}"));
            }
            failure.code
        }
    };
    ExitCode::from(fronts::reckon(code))
}

/// Says on the event stream, too, why there is no run: nothing that fails here has printed an event.
fn refuse(code: u8, why: &str) {
    let kind = if code == DENIED { "denied" } else { "usage" };
    // Of a usage error the sentence, not the page.
    let why = why.split("\n\n").next().unwrap_or_default();
    let why = why.strip_prefix("error: ").unwrap_or(why);
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        runtime.block_on(omp_debug::headless::run::refuse(kind, why, code));
    }
}

fn start(cli: &Cli) -> Result<u8, Failure> {
    cli.check()?;
    match &cli.command {
        Some(Subcommands::Completions { shell }) => {
            let mut text = Vec::new();
            clap_complete::generate(
                *shell,
                &mut omp_debug::cli::command(),
                "omp-debug",
                &mut text,
            );
            return print(&text);
        }
        Some(Subcommands::Man) => {
            let mut text = Vec::new();
            clap_mangen::Man::new(omp_debug::cli::command())
                .render(&mut text)
                .map_err(|e| Failure::new(FAILED, e))?;
            return print(&text);
        }
        _ => {}
    }
    if let Some(dir) = &cli.global.cwd {
        std::env::set_current_dir(dir).map_err(|e| UsageError::Cwd(dir.clone(), e.to_string()))?;
    }
    let mut context = Context::from_process().map_err(|e| Failure::new(USAGE, e))?;
    files::sweep(&context.state_dir);
    let recording = recording::begin(cli, &context)?;
    if let Some(Subcommands::Logs(args)) = &cli.command
        && !(args.is_for_the_screen() && std::io::stdout().is_terminal())
    {
        return desk::logs(args, cli.global.omp_dir.as_deref(), &context);
    }
    if let Some(Subcommands::Sse(args)) = &cli.command
        && !(args.is_for_the_screen() && std::io::stdout().is_terminal())
    {
        return sse::sse(args, &context);
    }
    if let Some(Subcommands::Sessions(args)) = &cli.command
        && !(args.is_for_the_screen() && std::io::stdout().is_terminal())
    {
        return desk::sessions(args, cli.global.omp_dir.as_deref(), &context);
    }
    if let Some(Subcommands::Transcript(args)) = &cli.command
        && !(args.is_for_the_screen() && std::io::stdout().is_terminal())
    {
        return desk::transcript(args, cli.global.omp_dir.as_deref(), &context);
    }
    if let Some(Subcommands::Memory(args)) = &cli.command
        && !(args.is_for_the_screen() && std::io::stdout().is_terminal())
    {
        return desk::memory(args, &context);
    }
    if let Some(Subcommands::Artifacts(args)) = &cli.command
        && !(args.is_for_the_screen() && std::io::stdout().is_terminal())
    {
        return artifacts::list(args, cli.global.omp_dir.as_deref(), &context);
    }
    if let Some(Subcommands::Cache(args)) = &cli.command {
        return artifacts::cache(args, cli.global.omp_dir.as_deref(), &context);
    }
    if let Some(Subcommands::Report(args)) = &cli.command
        && !(args.is_for_the_screen() && std::io::stdout().is_terminal())
    {
        return report::report(args, cli.global.omp_dir.as_deref(), &context);
    }
    if let Some(Subcommands::Replay(args)) = &cli.command
        && !(args.is_for_the_screen() && std::io::stdout().is_terminal())
    {
        return recording::replay(args, &context);
    }
    if let Some(Subcommands::Profile(args)) = &cli.command
        && !(args.is_for_the_screen() && std::io::stdout().is_terminal())
    {
        return profile::profile(args, &context, &mut || {
            let words = std::iter::once("omp-debug".into()).chain(args.command.iter().cloned());
            match omp_debug::cli::parse(&words.collect::<Vec<OsString>>()) {
                Ok(cli) => start(&cli),
                Err(error) => Err(Failure::new(USAGE, error)),
            }
        });
    }
    context.backend = cli.global.backend;
    context.backend = Backend::wanted(&context).map_err(|e| Failure::new(USAGE, e))?;
    let asked = cli.configuration()?;
    let wanted = cli
        .global
        .config
        .as_deref()
        .filter(|_| cli.session_file().is_none() && asked.is_none());
    let mut config =
        Config::load(wanted, &context.config_dir).map_err(|e| Failure::new(USAGE, e))?;
    config
        .warnings
        .extend(context.without_folders().map(str::to_owned));
    cli.overrule(&mut config);
    previews::set_own(std::mem::take(&mut config.previews));
    // The screen and the events of a run tell them in their own way.
    let is_text = match &cli.command {
        Some(Subcommands::Run(run)) => run.interactive,
        Some(Subcommands::System(args)) => {
            !(args.is_for_the_screen() && std::io::stdout().is_terminal())
        }
        Some(
            Subcommands::Adapters { .. }
            | Subcommands::Call(_)
            | Subcommands::Serve(_)
            | Subcommands::Repl(_),
        ) => true,
        _ => false,
    };
    if is_text {
        config.warnings.iter().for_each(|warning| say(warning));
    }
    let _log = log(cli, &context)?;
    let recorder = recording.as_ref().map(|begun| Arc::clone(&begun.recorder));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| Failure::new(FAILED, format!("no threads could be started: {e}")))?;
    // In a box: the runtime has several loops that poll it, and each would get a copy of all that the future does.
    let work: Pin<Box<dyn Future<Output = Result<u8, Failure>>>> = Box::pin(async {
        match &cli.command {
            Some(Subcommands::Adapters { what }) => debug::adapters(what.as_ref(), &context).await,
            Some(Subcommands::Call(args)) => debug::call(args, &config, &context).await,
            Some(Subcommands::Serve(args)) => debug::serve(args, &config, context, recorder).await,
            Some(Subcommands::Run(run)) if run.interactive => {
                let args = run.by_hand(cli.session_file())?;
                debug::repl(cli, &args, &config, context, recorder).await
            }
            Some(Subcommands::Run(run)) => debug::run(cli, run, config, context, recorder).await,
            Some(Subcommands::Repl(repl)) => {
                debug::repl(cli, repl, &config, context, recorder).await
            }
            Some(Subcommands::System(args)) if is_text => {
                desk::system(*args, cli.global.omp_dir.as_deref(), &context).await
            }
            _ => screen::screen(cli, config, context, recorder).await,
        }
    });
    let code = runtime.block_on(work);
    // Jobs that hang (a dead network file system under a listing) must not keep us.
    runtime.shutdown_background();
    recording::end(recording.as_ref());
    code
}

/// Our own crates, by the names that their lines in the log begin with.
const OURS: [&str; 7] = [
    "omp_debug",
    "base",
    "dap",
    "debugger",
    "diagnostics",
    "headless",
    "tui",
];

/// What is asked of the log: so much of what is ours, and nothing of what libraries say.
fn ours_at(level: &str) -> String {
    OURS.map(|name| format!("{name}={level}")).join(",")
}

/// Our own log: to a file, and only when asked for.
fn log(
    cli: &Cli,
    context: &Context,
) -> Result<Option<tracing_appender::non_blocking::WorkerGuard>, Failure> {
    let path: PathBuf = match &cli.global.log_file {
        Some(path) => path.clone(),
        None if cli.global.verbose > 0 => context.state_dir.join("omp-debug.log"),
        None => return Ok(None),
    };
    let level = match cli.global.verbose {
        0 => ours_at("info"),
        1 => ours_at("debug"),
        _ => "trace".to_owned(),
    };
    let unusable = |e: std::io::Error| {
        Failure::new(
            USAGE,
            format!("the log file {} cannot be written: {e}", path.display()),
        )
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(unusable)?;
    }
    let file = files::open(&path, true).map_err(unusable)?;
    let (writer, guard) = tracing_appender::non_blocking(Watched::new(file, "the log file"));
    tracing_subscriber::fmt()
        .with_writer(writer)
        .with_ansi(false)
        .with_env_filter(tracing_subscriber::EnvFilter::new(level))
        .init();
    Ok(Some(guard))
}
