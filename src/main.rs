//! Entry point: supervisors first, then arguments, settings, one front end, and its end as an exit code.

use std::ffi::OsString;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use omp_debug::cli::{AdaptersCommand, Cli, StopArgs, Subcommands, UsageError};
use omp_debug::config::Config;
use omp_debug::dap::supervise;
use omp_debug::debugger::adapters::Context;
use omp_debug::debugger::core::{Core, CoreConfig};
use omp_debug::debugger::demo::{self, Demo, Way};
use omp_debug::debugger::{Command, Severity, workspace};
use omp_debug::headless;
use omp_debug::tui::{self, TuiOptions};

/// Exit code for a command line or a settings file that cannot be used.
const USAGE: u8 = 2;
/// Exit code for a missing adapter.
const ADAPTER_MISSING: u8 = 3;
/// Exit code for everything else that did not work.
const FAILED: u8 = 4;

/// Why we end before the screen, and with which code.
struct Failure {
    code: u8,
    text: String,
    hint: Option<String>,
}

impl Failure {
    fn new(code: u8, error: impl std::fmt::Display) -> Self {
        Self {
            code,
            text: error.to_string(),
            hint: None,
        }
    }
}

impl From<UsageError> for Failure {
    fn from(error: UsageError) -> Self {
        Self::new(USAGE, error)
    }
}

fn main() -> ExitCode {
    // A supervisor is one thread and little memory: before anything else is set up.
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if supervise::is_request(&arguments) {
        return supervise::main(&arguments);
    }
    let cli = Cli::parse();
    match start(&cli) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            say(&format!("omp-debug: {}", failure.text));
            if let Some(hint) = failure.hint {
                say(&format!("  {hint}"));
            }
            ExitCode::from(failure.code)
        }
    }
}

/// To standard error, where nobody may be listening any more.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn start(cli: &Cli) -> Result<u8, Failure> {
    cli.check()?;
    match &cli.command {
        Some(Subcommands::Completions { shell }) => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "omp-debug", &mut text);
            return print(&text);
        }
        Some(Subcommands::Man) => {
            let mut text = Vec::new();
            clap_mangen::Man::new(Cli::command())
                .render(&mut text)
                .map_err(|e| Failure::new(FAILED, e))?;
            return print(&text);
        }
        _ => {}
    }
    if let Some(dir) = &cli.global.cwd {
        std::env::set_current_dir(dir).map_err(|e| UsageError::Cwd(dir.clone(), e.to_string()))?;
    }
    let context = Context::from_process().map_err(|e| Failure::new(USAGE, e))?;
    let variable = |name: &str| context.var(name).map(str::to_owned);
    let wanted = cli.global.config.as_deref();
    let mut config = Config::load(wanted, variable).map_err(|e| Failure::new(USAGE, e))?;
    cli.overrule(&mut config);
    let _log = log(cli, &context)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| Failure::new(FAILED, format!("no threads could be started: {e}")))?;
    let code = runtime.block_on(async {
        match &cli.command {
            Some(Subcommands::Adapters { what }) => adapters_command(what.as_ref(), &context).await,
            _ => screen(cli, config, context).await,
        }
    });
    // Jobs that hang (a dead network file system under a listing) must not keep us.
    runtime.shutdown_background();
    code
}

fn print(text: &[u8]) -> Result<u8, Failure> {
    match std::io::stdout().write_all(text) {
        // `omp-debug man | head` is not an error.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(FAILED, error))
        }
        _ => Ok(0),
    }
}

async fn adapters_command(
    what: Option<&AdaptersCommand>,
    context: &Context,
) -> Result<u8, Failure> {
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

async fn screen(cli: &Cli, config: Config, context: Context) -> Result<u8, Failure> {
    install_hooks()?;
    let mut project = context.cwd.clone();
    let mut notices = Vec::new();
    let commands = match (&cli.command, &cli.program) {
        (Some(Subcommands::Attach(attach)), _) => {
            attach
                .opening(&config, &context.cwd, workspace::list_processes)?
                .commands
        }
        (Some(Subcommands::Demo { yes }), _) => {
            project = demo::folder(&context);
            let demo = demo::prepare(&project).map_err(|e| Failure::new(FAILED, e))?;
            give_tour(&demo, &config, &context, *yes, &mut notices).await
        }
        (_, Some(program)) => cli.launch_opening(program, &config, &context.cwd)?.commands,
        _ => Vec::new(),
    };
    for file in StopArgs::missing_files(&commands) {
        notices.push((
            Severity::Warning,
            format!(
                "There is no file {} here; its breakpoint waits for a program that knows it.",
                file.display()
            ),
        ));
    }
    let core = Core::start(CoreConfig {
        project: Some(project.clone()),
        supervisor: std::env::current_exe().ok(),
        plain_adapters: config.plain_adapter,
        ..CoreConfig::new(context.clone())
    });
    let options = TuiOptions {
        config,
        project,
        state_dir: context.state_dir.clone(),
        context,
        commands,
        notices,
    };
    let report = tui::run(options, core)
        .await
        .map_err(|e| Failure::new(FAILED, e))?;
    if let Some(trouble) = report.trouble {
        say(&format!("omp-debug: {trouble}"));
    }
    Ok(report.code)
}

/// Coloured panic reports, printed only once the terminal is the shell's again.
fn install_hooks() -> Result<(), Failure> {
    color_eyre::install().map_err(|e| Failure::new(FAILED, e))?;
    tui::term::guard::install_panic_hook();
    Ok(())
}

/// How the tour is given: live, with its adapter installed first if the person likes, or as a recording.
async fn give_tour(
    demo: &Demo,
    config: &Config,
    context: &Context,
    yes: bool,
    notices: &mut Vec<(Severity, String)>,
) -> Vec<Command> {
    notices.push((Severity::Info, demo.story.clone()));
    let recorded = match demo.way(context, config.adapter.as_deref()) {
        Way::Live => false,
        Way::Recorded => {
            notices.push((Severity::Warning, demo::RECORDED.to_owned()));
            true
        }
        Way::WithoutAdapter(why) => match install_for_tour(demo, context, yes, &why).await {
            Ok(()) => false,
            Err(why) => {
                notices.push((
                    Severity::Warning,
                    format!(
                        "This is a recording: {why} Every step goes to the next recorded stop."
                    ),
                ));
                true
            }
        },
    };
    demo.commands(true, recorded)
}

/// Offers to install the tour's adapter: the only command that does so by itself.
async fn install_for_tour(
    demo: &Demo,
    context: &Context,
    yes: bool,
    why: &str,
) -> Result<(), String> {
    if !yes {
        if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
            return Err(format!("{why}."));
        }
        say(why);
        let question = format!(
            "Install {} into {}? Without it a recording is shown. [Y/n] ",
            demo.adapter,
            context.data_dir.display()
        );
        let _ = std::io::stderr().write_all(question.as_bytes());
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer);
        if read.is_err() || !matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes") {
            return Err(format!("{} is not installed.", demo.adapter));
        }
    }
    let install = headless::adapters::Command::Install {
        name: demo.adapter.clone(),
        yes: true,
    };
    headless::adapters::run(&install, context, false, &mut std::io::stderr())
        .await
        .map_err(|error| format!("{error}."))
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
        0 => "omp_debug=info",
        1 => "omp_debug=debug",
        _ => "trace",
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
    let file = std::fs::File::options()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(unusable)?;
    let (writer, guard) = tracing_appender::non_blocking(file);
    tracing_subscriber::fmt()
        .with_writer(writer)
        .with_ansi(false)
        .with_env_filter(tracing_subscriber::EnvFilter::new(level))
        .init();
    Ok(Some(guard))
}
