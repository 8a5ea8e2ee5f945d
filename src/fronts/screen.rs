//! The screen: what it begins with, and the tour.

use std::io::{BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::sync::Arc;

use omp_debug::cli::{Cli, SseArgs, StopArgs, Subcommands};
use omp_debug::config::Config;
use omp_debug::debugger::adapters::Context;
use omp_debug::debugger::core::{Core, CoreConfig, EVAL_TIMEOUT};
use omp_debug::debugger::demo::{self, Demo, Way};
use omp_debug::debugger::link::{self, HostKind, Joined, LinkError, Note};
use omp_debug::debugger::recording::Recorder;
use omp_debug::debugger::{Command, Severity, workspace};
use omp_debug::diagnostics::logs::{Spool, refusal};
use omp_debug::diagnostics::sse::{Feed, Origin, may_be_stream};
use omp_debug::headless;
use omp_debug::headless::sse::SseError;
use omp_debug::text::redact::Redactor;
use omp_debug::text::sanitise::sanitise;
use omp_debug::tui::app::effect::RouteId;
use omp_debug::tui::app::logs::Place;
use omp_debug::tui::app::work::Begin;
use omp_debug::tui::routes::performance::ProfileBegin;
use omp_debug::tui::routes::report::ReportBegin;
use omp_debug::tui::routes::sse::Opening;
use omp_debug::tui::routes::{memory, sessions, transcript};
use omp_debug::tui::{self, TuiOptions, Whose};

use super::debug::offer;
use super::{FAILED, Failure, USAGE, layout, profile, report, resident, say, sse};
use omp_debug::tasks;

/// Every command that ends at a screen.
pub async fn screen(
    cli: &Cli,
    config: Config,
    context: Context,
    recorder: Option<Arc<Recorder>>,
) -> Result<u8, Failure> {
    install_hooks()?;
    let layout = layout(cli.global.omp_dir.as_deref(), &context);
    let mut paths = Vec::new();
    // Lives as long as the screen.
    let mut spool = None;
    let mut passing = None;
    let (route, begin) = match &cli.command {
        Some(Subcommands::Logs(args)) => {
            let conditions = args.conditions();
            let conditions = conditions.map_err(|error| Failure::new(USAGE, error))?;
            paths.clone_from(&args.paths);
            spool = Spool::take(&mut paths).map_err(|error| Failure::new(FAILED, error))?;
            let refused: Vec<_> = paths.iter().filter_map(|path| refusal(path)).collect();
            // One of several is passed over with a note.
            if refused.len() == paths.len()
                && let Some(why) = refused.first()
            {
                return Err(Failure::new(FAILED, sanitise(&why.to_string())));
            }
            (Some(RouteId::Logs), Some(Begin::new(conditions)))
        }
        Some(Subcommands::Report(args)) => {
            if let Some(file) = &args.file {
                report::may_be_opened(&context.cwd.join(file))?;
            }
            let request = report::request(args, cli.global.omp_dir.as_deref(), &context);
            let begin = ReportBegin {
                request,
                file: args.file.as_ref().map(|file| context.cwd.join(file)),
                fast: args.fast,
            };
            (Some(RouteId::Report), Some(Begin::new(begin)))
        }
        Some(Subcommands::Sse(args)) => {
            let opening = match sse::on_screen(args, &context)? {
                Some((opening, running)) => {
                    passing = Some(running);
                    Some(opening)
                }
                None => opening(args, &context)?,
            };
            (Some(RouteId::Sse), opening.map(Begin::new))
        }
        Some(Subcommands::Sessions(args)) => {
            let begin = args.session.clone().map(sessions::Asked);
            (Some(RouteId::Sessions), begin.map(Begin::new))
        }
        Some(Subcommands::Transcript(args)) => {
            let asked = transcript::Asked {
                session: args.session.clone(),
                format: args.format(),
                thinking: !args.no_thinking,
                all_branches: args.all_branches,
                show_secrets: args.show_secrets,
            };
            (Some(RouteId::Transcript), Some(Begin::new(asked)))
        }
        Some(Subcommands::Profile(args)) => {
            let begin = ProfileBegin {
                file: args.file.as_ref().map(|file| context.cwd.join(file)),
                base: args.diff.as_ref().map(|file| context.cwd.join(file)),
                take: profile::request(args)?,
            };
            (Some(RouteId::Performance), Some(Begin::new(begin)))
        }
        Some(Subcommands::Artifacts(_)) => (Some(RouteId::Artifacts), None),
        Some(Subcommands::System(_)) => (Some(RouteId::System), None),
        Some(Subcommands::Memory(args)) => {
            let asked = memory::Asked {
                pid: args.pid,
                file: args.file.clone(),
                since: args.since.clone(),
            };
            (Some(RouteId::Memory), Some(Begin::new(asked)))
        }
        _ => (None, None),
    };
    let configuration = cli.configuration()?;
    let is_configured = configuration.is_some();
    let (route, begin) = match configuration {
        // What it asks for is asked on the screen.
        Some(asked) => (Some(RouteId::Debug), Some(Begin::new(asked))),
        None => (route, begin),
    };
    let mut project = context.cwd.clone();
    let mut notices = Vec::new();
    let commands = match (&cli.command, &cli.program) {
        (Some(Subcommands::Attach(attach)), _) => {
            let opening = attach.opening(&config, &context.cwd, workspace::list_processes)?;
            opening.commands
        }
        (Some(Subcommands::Demo { yes }), _) => {
            project = demo::folder(&context);
            let demo = demo::prepare(&project).map_err(|e| Failure::new(FAILED, e))?;
            give_tour(&demo, &config, &context, *yes, &mut notices).await
        }
        (Some(Subcommands::Replay(args)), _) => vec![Command::Replay {
            path: context.cwd.join(&args.file),
            folder: None,
        }],
        _ if is_configured => cli.stops.commands(&context.cwd)?,
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
    let program = commands.iter().find_map(|command| match command {
        Command::Launch(spec) => Some(spec.program.display().to_string()),
        _ => None,
    });
    let (core, whose) = if let Some(wanted) = &cli.join {
        let joined = join(wanted, &context).await?;
        let name = joined.name();
        // What is there is seen from where its host is.
        project = joined.note.map_or(project, |note| note.cwd);
        (joined.core, Whose::Joined(name))
    } else {
        let core = Core::start(CoreConfig {
            project: Some(project.clone()),
            supervisor: std::env::current_exe().ok(),
            plain_adapters: config.plain_adapter,
            own_code: Arc::new(config.own_code.unwrap_or(true).into()),
            eval_timeout: config.eval_timeout.unwrap_or(EVAL_TIMEOUT),
            path_mappings: config.path_mappings.clone(),
            recorder,
            ..CoreConfig::new(context.clone())
        });
        let note = Note::own(HostKind::Tui, context.cwd.clone(), program);
        let offer = offer(&config, &context);
        (core, Whose::Own(Box::new((note, offer))))
    };
    if route.is_some() {
        notices.extend(
            layout
                .warnings
                .iter()
                .map(|w| (Severity::Warning, w.clone())),
        );
    }
    let logs = Place {
        paths,
        omp_logs: layout.logs.clone(),
    };
    let options = TuiOptions {
        route,
        begin,
        logs,
        omp: layout,
        whose,
        settings: config.for_the_screen(),
        project,
        state_dir: context.state_dir.clone(),
        context,
        commands,
        notices,
    };
    tasks::spawn(resident::settle(core.clone()));
    let report = tui::run(options, core)
        .await
        .map_err(|e| Failure::new(FAILED, e))?;
    drop(spool);
    drop(passing);
    if let Some(trouble) = report.trouble {
        say(&format!("omp-debug: {trouble}"));
    }
    Ok(report.code)
}

/// What the screen of streams begins with.
fn opening(args: &SseArgs, context: &Context) -> Result<Option<Opening>, Failure> {
    sse::refuse_misplaced(args)?;
    let Some(origin) = args.origin() else {
        return Ok(None);
    };
    match &origin {
        Origin::Input if std::io::stdin().is_terminal() => {
            let mut failure = Failure::new(USAGE, "sse: standard input is this terminal");
            failure.hint = Some("curl -N URL | omp-debug sse -".to_owned());
            return Err(failure);
        }
        Origin::File(path) => {
            let name = path.to_string_lossy();
            let failed = |error| Failure::new(FAILED, format!("cannot read {name:?}: {error}"));
            let is_file = std::fs::metadata(path).map_err(failed)?.is_file();
            // A bundle is compressed; a pipe says what it is when it is read.
            let is_bundle = is_file && {
                let mut magic = [0; 2];
                let mut file = std::fs::File::open(path).map_err(failed)?;
                file.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b]
            };
            if is_file && !is_bundle {
                let file = std::fs::File::open(path).map_err(failed)?;
                if !may_be_stream(file).map_err(failed)? {
                    return Err(SseError::NoEvents(format!("{name:?}")).into());
                }
            }
        }
        Origin::Input | Origin::Live(_) => {}
    }
    let redactor = Redactor::new().with_secrets(context.env.iter());
    let feed = Feed::new(origin, redactor);
    Ok(Some(Opening::new(feed, args.show_secrets)))
}

/// The core of another process: the one wanted, or the only one.
async fn join(wanted: &str, context: &Context) -> Result<Joined, LinkError> {
    let wanted = Some(wanted).filter(|wanted| !wanted.is_empty());
    link::join(&link::choose(context, wanted).await?).await
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
        Way::Recorded(why) => {
            notices.push((Severity::Warning, why));
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
