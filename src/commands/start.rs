//! From a command line that was understood to the front that does it, and its end as an exit code.

use std::{pin::Pin, sync::Mutex};

use super::{
    cli::{Cli, Subcommands},
    debug,
    grammar::{command, parse},
    mcp,
    prelude::*,
    recording, screen,
    setup::runtime,
};
use crate::{
    debugger::{
        adapters::Backend,
        permission::{Mode, PERMISSION},
        previews,
    },
    files::{self, Watched},
};

/// Does what a command line says; the exit code.
pub fn start(cli: &Cli) -> Result<u8> {
    cli.check()?;
    match &cli.command {
        Some(Subcommands::Completions { shell }) => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut command(), "omp-debug", &mut text);
            return print(&text);
        }
        Some(Subcommands::Man) => {
            let mut text = Vec::new();
            let page = clap_mangen::Man::new(command());
            page.render(&mut text).map_err(Failure::failed)?;
            return print(&text);
        }
        _ => {}
    }
    if let Some(dir) = &cli.global.cwd {
        std::env::set_current_dir(dir).map_err(|why| {
            let dir = dir.to_string_lossy();
            Failure::usage(format!(
                "--cwd {dir:?} is not a folder that can be entered: {why}"
            ))
        })?;
    }
    if let Some(Subcommands::AgentGuide(args)) = &cli.command {
        return args.run();
    }
    let mut context = Context::from_process().map_err(Failure::usage)?;
    files::keep_folder_private(&context.state_dir);
    files::sweep(&context.state_dir);
    let recording = recording::begin(cli, &context)?;
    let printed = cli
        .desk()
        .filter(|command| !(command.is_for_the_screen() && stdout().is_terminal()));
    if let Some(command) = printed.filter(|command| !command.reads_settings()) {
        return answer(command, cli, &context);
    }
    context.backend = cli.global.backend;
    context.backend = Backend::wanted(&context).map_err(Failure::usage)?;
    let asked = cli.configuration()?;
    let wanted = cli
        .global
        .config
        .as_deref()
        .filter(|_| cli.session_file().is_none() && asked.is_none());
    let mut config = Config::load(wanted, &context.config_dir).map_err(Failure::usage)?;
    config
        .screen
        .warnings
        .extend(context.without_folders().map(str::to_owned));
    cli.overrule(&mut config);
    if let Some(most) = context.env.get(PERMISSION) {
        let most: Mode = most
            .parse()
            .map_err(|why| Failure::usage(format!("{PERMISSION} is {most:?}: {why}")))?;
        config.permission = config.permission.or(Some(most)).min(Some(most));
    }
    previews::set_own(std::mem::take(&mut config.previews));
    // The screen and the events of a run tell them in their own way.
    let is_text = match &cli.command {
        Some(Subcommands::Run(run)) => run.interactive,
        None | Some(Subcommands::Attach(_) | Subcommands::Demo { .. }) => false,
        Some(_) => printed.is_some() || cli.desk().is_none(),
    };
    if is_text {
        config
            .screen
            .warnings
            .iter()
            .for_each(|warning| say(warning));
    }
    log(cli, &context)?;
    if let Some(command) = printed {
        return answer(command, cli, &context);
    }
    let setup = Setup {
        config,
        context,
        recorder: recording.as_ref().map(|begun| Arc::clone(&begun.recorder)),
    };
    let runtime = runtime()?;
    // In a box: the runtime has several loops that poll it, and each would get a copy of all that the future does.
    let work: Pin<Box<dyn Future<Output = Result<u8>>>> = Box::pin(async {
        match &cli.command {
            Some(Subcommands::Adapters { what }) => {
                debug::adapters(what.as_ref(), &setup.context).await
            }
            Some(Subcommands::Call(args)) => debug::call(args, &setup).await,
            Some(Subcommands::Hang(args)) => args.run(&setup).await,
            Some(Subcommands::Mirror(args)) => debug::mirror(args, &setup.context).await,
            Some(Subcommands::Serve(args)) => debug::serve(args, &setup).await,
            Some(Subcommands::Mcp(args)) => mcp::serve(args, &setup).await,
            Some(Subcommands::Run(run)) if run.interactive => {
                let args = run.by_hand(cli.session_file())?;
                debug::repl(cli, &args, &setup).await
            }
            Some(Subcommands::Run(run)) => debug::run(cli, run, &setup).await,
            Some(Subcommands::Repl(repl)) => debug::repl(cli, repl, &setup).await,
            _ => screen::screen(cli, setup, again).await,
        }
    });
    let code = runtime.block_on(work);
    // Jobs that hang (a dead network file system under a listing) must not keep us.
    runtime.shutdown_background();
    recording::end(recording.as_ref());
    code
}

/// Does what words say that stand behind another command's.
pub fn again(words: &[OsString]) -> Result<u8> {
    let words = std::iter::once("omp-debug".into()).chain(words.iter().cloned());
    let cli = parse(&words.collect::<Vec<_>>()).map_err(Failure::usage)?;
    start(&cli)
}

/// The answer of a command of the desk, without a screen.
fn answer(command: &dyn DeskCommand, cli: &Cli, context: &Context) -> Result<u8> {
    match command.run(&cli.on_desk(context, again)) {
        Err(Failure { code: 0, .. }) => Ok(0),
        done => done,
    }
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
fn log(cli: &Cli, context: &Context) -> Result<()> {
    let path: PathBuf = match &cli.global.log_file {
        Some(path) => path.clone(),
        None if cli.global.verbose > 0 => context.state_dir.join("omp-debug.log"),
        None => return Ok(()),
    };
    let level = match cli.global.verbose {
        0 => ours_at("info"),
        1 => ours_at("debug"),
        _ => "trace".to_owned(),
    };
    let unusable = |e: std::io::Error| {
        Failure::usage(format!(
            "the log file {} cannot be written: {e}",
            path.display()
        ))
    };
    if let Some(folder) = path.parent() {
        files::make_folder(folder).map_err(unusable)?;
    }
    let file = files::open(&path, true).map_err(unusable)?;
    // The screen writes here, too.
    files::never_wait(&file).map_err(unusable)?;
    tracing_subscriber::fmt()
        .with_writer(Mutex::new(Watched::new(file, "the log file")))
        .with_ansi(false)
        .with_env_filter(tracing_subscriber::EnvFilter::new(level))
        .init();
    Ok(())
}
