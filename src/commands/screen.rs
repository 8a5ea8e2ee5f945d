//! The screen: what it begins with, and the tour.

use super::{
    adapters::{self, AdaptersCommand},
    cli::{Cli, Subcommands},
    desk::{ask, can_ask},
    launch::StopArgs,
    prelude::*,
    resident,
};
use crate::{
    debugger::{
        Severity,
        demo::{self, Demo, TourMode},
        link::{self, HostKind, Note},
        runners::discover::{self, Runnable},
    },
    tui::{self, TuiOptions, Whose, routes::debug::starting::OfProject},
};

/// Every command that ends at a screen.
pub async fn screen(cli: &Cli, setup: Setup, again: fn(&[OsString]) -> Result<u8>) -> Result<u8> {
    let (config, context) = (&setup.config, &setup.context);
    if cli.program.as_deref() == Some(Path::new(".")) && !stdout().is_terminal() {
        let found = discover::list(context, &[]);
        let line =
            |one: &Runnable| format!("{}  {}:{}\n", one.title(), one.file.display(), one.line);
        let text: String = found.iter().map(line).collect();
        return print(sanitise_block(&text).as_bytes());
    }
    // Coloured panic reports, printed only once the terminal is the shell's again.
    color_eyre::install().map_err(Failure::failed)?;
    tui::term::guard::install_panic_hook();
    let desk = cli.on_desk(context, again);
    let layout = desk.layout();
    let mut opened = match cli.desk() {
        Some(command) => command.route(&desk)?,
        None => Route::default(),
    };
    let configuration = cli.configuration()?;
    let is_configured = configuration.is_some();
    if let Some(asked) = configuration {
        // What it asks for is asked on the screen.
        opened = Route::to(RouteId::DEBUG).begin(asked);
    }
    let mut project = context.cwd.clone();
    let mut notices = Vec::new();
    let commands = match (&cli.command, &cli.program) {
        (Some(Subcommands::Attach(attach)), _) => attach.opening(config, &context.cwd)?,
        (Some(Subcommands::Demo { yes }), _) => {
            project = demo::folder(context);
            let demo = demo::prepare(&project).map_err(Failure::failed)?;
            give_tour(&demo, config, context, *yes, &mut notices).await
        }
        _ if is_configured => cli.stops.commands(&context.cwd)?,
        (_, Some(program)) if program == Path::new(".") => {
            opened = Route::to(RouteId::DEBUG).begin(OfProject);
            cli.stops.commands(&context.cwd)?
        }
        (_, Some(program)) => cli.launch_opening(program, config, &context.cwd)?,
        _ => std::mem::take(&mut opened.commands),
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
        let wanted = Some(wanted.as_str()).filter(|wanted| !wanted.is_empty());
        let joined = link::join(&link::choose(context, wanted).await?).await?;
        let name = joined.name();
        // What is there is seen from where its host is.
        project = joined.note.map_or(project, |note| note.cwd);
        if let Some(mode) = config.permission {
            let set = joined.core.request(Command::SetMode { mode }).await;
            set.map_err(Failure::failed)?;
        }
        (joined.core, Whose::Joined(name))
    } else {
        let core = Core::start(CoreConfig {
            project: Some(project.clone()),
            ..setup.core()?
        });
        let note = Note::own(HostKind::Tui, context.cwd.clone(), program);
        (core, Whose::Own(Box::new((note, offer(&setup)))))
    };
    if opened.id.is_some() {
        notices.extend(
            layout
                .warnings
                .iter()
                .map(|w| (Severity::Warning, w.clone())),
        );
    }
    let options = TuiOptions {
        route: opened.id,
        begin: opened.begin,
        omp: layout,
        whose,
        settings: setup.config.screen,
        project,
        state_dir: context.state_dir.clone(),
        context: setup.context,
        commands,
        notices,
    };
    tasks::spawn(resident::settle(core.clone()));
    // Over a connection, its greeting has said so.
    let _here = core.present(true);
    let report = tui::run(options, core).await.map_err(Failure::failed)?;
    drop(opened.kept);
    if let Some(trouble) = report.trouble {
        warn(&trouble);
    }
    Ok(report.code)
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
        TourMode::Live => false,
        TourMode::Recorded(why) => {
            notices.push((Severity::Warning, why));
            true
        }
        TourMode::WithoutAdapter(why) => match install_for_tour(demo, context, yes, &why).await {
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
        if !can_ask() {
            return Err(format!("{why}."));
        }
        say(why);
        let question = format!(
            "Install {} into {}? Without it a recording is shown. [Y/n] ",
            demo.adapter,
            context.data_dir.display()
        );
        if !matches!(ask(&question).as_deref(), Some("" | "y" | "yes")) {
            return Err(format!("{} is not installed.", demo.adapter));
        }
    }
    let install = AdaptersCommand::Install {
        name: demo.adapter.clone(),
        yes: true,
    };
    adapters::run(Some(&install), context, &mut std::io::stderr())
        .await
        .map_err(|error| format!("{}.", error.text))
}
