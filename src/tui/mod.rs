//! The screen.
//!
//! [`run`] puts the pieces together: the terminal's guard, the app, the loop, the core's events.
//!
//! Each folder uses those that stand below it here, and none above.
//!
//! | folder | what is in it |
//! |---|---|
//! | [`app`] | state and loop: routes, overlays, focus, effects carried out; what a command means while a past stop is shown |
//! | [`routes`] | the screens, a folder each (its own page lists them, and the panes of the debugger's), and the table of those of the desk |
//! | [`overlays`] | what lies over any of them: the palette, help, messages, the question before one leaves |
//! | [`kit`] | what all of these are made of: rows of actions, lists with filter and search (the browser), pickers, fields, questions (deaf to keys that were typed ahead), scrolling, the mouse |
//! | [`action`] | one table of all actions and their keys; what a surface is, which gets keys and draws, what it asks for and is told |
//! | [`widgets`] | what is drawn from plain data: panels, popups, tabs, inputs, texts, charts, syntax colours |
//! | [`theme`], [`term`] | colours and symbols; the terminal itself: its guard, what it can do, the clipboard |

// Two steps a row of the longest table of actions.
#![recursion_limit = "256"]

pub mod action;
pub mod app;
#[cfg(test)]
#[path = "../base/text/foreign.rs"]
mod foreign;
pub mod kit;
pub mod overlays;
pub mod routes;
pub mod term;
pub mod theme;
pub mod widgets;

mod stage;

// What nearly every screen imports as a whole, and what the debug workspace's files do.
pub(crate) use {kit::prelude, routes::debug::prelude as debug_prelude};

use std::{
    path::PathBuf,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use base::tasks;
use debugger::{
    Command, Severity,
    adapters::Context,
    core::CoreHandle,
    demo,
    link::{self, Host, Hosting, Note, Offer},
};
use diagnostics::{artifacts::ArtifactRoot, omp::Layout};
use tokio::sync::mpsc;

use self::{
    action::{
        Section,
        effect::{Effect, ExitMode, RouteId},
        keymap::{Binding, Keymap},
        msg::{Msg, Waker},
    },
    app::{
        App, AppEvent, World,
        jobs::Jobs,
        run::{Stage as _, forward},
    },
    routes::home,
    stage::TerminalStage,
    term::{
        capabilities::{self, Background, Capabilities, ColourChoice, Wishes},
        clipboard::{Clipboard, CopyPlace},
        guard::{Options, TerminalError, TerminalGuard},
    },
    theme::{Symbols, Theme, ThemeName},
};

/// Messages that may wait for the loop. Producers wait beyond that, so a flood is slowed where it begins.
const QUEUE: usize = 256;
/// How long sessions may take to end after we have left the screen. Adapters are ended by force well before that.
const SHUTDOWN: Duration = Duration::from_secs(15);

/// How the screen begins.
pub struct TuiOptions {
    /// Settings, overruled by options.
    pub settings: Settings,
    /// The project's folder.
    pub project: PathBuf,
    /// Folder for the clipboard's last resort.
    pub state_dir: PathBuf,
    /// Where the tour finds its adapter and its folder.
    pub context: Context,
    /// The first screen; none = the selector, or the workspace when there is something to debug.
    pub route: Option<RouteId>,
    /// How the first screen begins, for the one whose type it is.
    pub begin: Option<action::msg::Begin>,
    /// Where omp keeps its files.
    pub omp: Layout,
    /// What the core is asked for, in this order; empty = show the selector.
    pub commands: Vec<Command>,
    /// Whose core it is.
    pub whose: Whose,
    /// Sentences to begin with.
    pub notices: Vec<(Severity, String)>,
}

base::settings! {
    /// What the settings file says of the screen; its reader is not ours to know.
    pub struct Settings, entry {
        "theme" "\"auto\"" "auto (ask the terminal for its background), dark, light or mono"
            => theme: Option<ThemeName> = None, match entry.text() { Ok("auto") => Ok(None), _ => entry.parsed().map(Some) };
        "color" "\"auto\"" "auto (by the terminal and NO_COLOR), always or never"
            => colour: ColourChoice = ColourChoice::Auto, entry.one_of("auto, always or never");
        "ascii" "false" "draw with ASCII characters only; without this the locale decides"
            => ascii: Option<bool> = None, entry.flag().map(Some);
        "mouse" "true" "click, scroll and drag; with false the terminal's own selection works (`m` changes it)"
            => mouse: bool = true, entry.flag();
    }
    /// `[keys]`: keys by action id.
    keys: Vec<Binding>;
    /// The file they were read from.
    file: Option<PathBuf>;
    /// Sentences about lines that were left out, each with file and line.
    warnings: Vec<String>;
}

/// Whose core is shown.
#[derive(Clone, Debug)]
pub enum Whose {
    /// This process's: others can find it by the note, and what they are offered.
    Own(Box<(Note, Offer)>),
    /// Another's, by its name: it is there before and after us.
    Joined(String),
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitReport {
    pub code: u8,
    /// What to print now that the terminal is the shell's again.
    pub trouble: Option<String>,
}

/// Why the screen could not be shown, or no longer.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// The terminal.
    #[error(transparent)]
    Terminal(#[from] TerminalError),
    /// Drawing or listening.
    #[error("the terminal can no longer be drawn on: {0}")]
    Io(#[from] std::io::Error),
}

/// The tables of everything on the screen, the app's own last.
pub fn sections() -> Vec<Section> {
    let mut sections = app::screens::sections();
    sections.extend(overlays::sections());
    sections.push(Section::of::<app::global::Modal>());
    sections.push(Section::of::<app::global::Global>());
    sections
}

/// Shows the screen until someone leaves it; the sessions are over then, or let go of, and the terminal is as it was.
pub async fn run(options: TuiOptions, core: CoreHandle) -> Result<ExitReport, TuiError> {
    let TuiOptions {
        settings,
        project,
        state_dir,
        context,
        route,
        begin,
        omp,
        commands,
        whose,
        mut notices,
    } = options;
    notices.extend(
        settings
            .warnings
            .iter()
            .map(|w| (Severity::Warning, w.clone())),
    );
    // One line shows the last of them only.
    if let count @ 2.. = settings.warnings.len() {
        let text = format!("{count} settings cannot be used; the messages say which and why.");
        notices.push((Severity::Warning, text));
    }
    let keymap = keymap(&settings, &mut notices);
    let wishes = wishes(&settings);
    // The terminal is asked for its background only after the first frame: an answer may take a while.
    let looks = Capabilities::detect(wishes, environment);
    let (messages, mut inbox) = mpsc::channel(QUEUE);
    let omp = Arc::new(omp);
    let world = World {
        lens: None,
        state: Rc::default(),
        theme: Theme::choose(settings.theme, &looks).into(),
        symbols: Symbols::choose(&looks),
        project: project.into(),
        artifact_root: ArtifactRoot::here(Arc::clone(&omp), &state_dir, context.env.clone()).into(),
        omp,
        host: match &whose {
            Whose::Own(_) => None,
            Whose::Joined(name) => Some(name.clone()),
        },
    };
    let is_own = world.host.is_none();
    let route = route.unwrap_or(if commands.is_empty() && is_own {
        RouteId::HOME
    } else {
        RouteId::DEBUG
    });
    let mouse = settings.mouse;
    // Before the guard changes them.
    let found = rustix::termios::tcgetattr(std::io::stdin())
        .or_else(|_| rustix::termios::tcgetattr(std::io::stdout()))
        .ok();
    let guard = TerminalGuard::enter(Options {
        mouse,
        kitty_keyboard: looks.kitty_keyboard,
    })?;
    let mut app = App::new(world, keymap, route, mouse, &Waker::new(messages.clone()));
    let notes = notices
        .into_iter()
        .map(|(severity, text)| Effect::Notify {
            severity,
            text,
            hint: None,
        })
        .collect();
    let mut early = app.absorb(notes);
    if let Some(begin) = begin {
        early.extend(app.update(AppEvent::Msg(Msg::Begin(begin)), Instant::now()));
    }
    let mut stage = TerminalStage::new(guard, found)?;
    stage.draw(|frame| app.draw(frame))?;

    stage.listen()?;
    // The answer comes among the keys, whenever it likes: nothing waits for it.
    if wishes.background.is_none() && capabilities::may_ask_background(looks, environment) {
        app.await_background(looks);
        stage.ask(capabilities::ASK_BACKGROUND)?;
    }

    let clipboard = Clipboard::new(CopyPlace::from(&looks), state_dir);
    let demo_dir = demo::folder(&context);
    // After the first frame, and beside everything else.
    let shared = match whose {
        Whose::Own(share) => {
            let hosting = host(core.clone(), context.clone(), *share, messages.clone());
            Some(tasks::spawn(hosting))
        }
        Whose::Joined(_) => None,
    };
    let mut jobs = Jobs::new(core.clone(), messages.clone(), clipboard, context);
    if let Some((state, events)) = core.subscribe().await {
        let started = commands.iter().find_map(|command| match command {
            // The tour is on the first page anyway.
            Command::Launch(spec) if !spec.program.starts_with(&demo_dir) => {
                home::model::remember(&state, spec)
            }
            _ => None,
        });
        early.extend(started.map(Effect::core));
        early.extend(app.join(state));
        tasks::spawn(forward(events, messages));
    } else {
        let _ = messages.send(Msg::CoreEnded).await;
    }
    if is_own {
        jobs.look_for_untrusted();
    }
    jobs.start_in_order(commands);
    let exit = app::run::run(&mut app, &mut stage, &mut jobs, &mut inbox, early).await;
    stage.leave();
    // Events that nobody takes any more must not hold the core up.
    drop(inbox);
    let exit = exit?;
    let mut trouble = exit.trouble;
    if let Err(sentence) = shut_down(&core, &app, exit.mode).await {
        trouble = Some(trouble.map_or_else(|| sentence.clone(), |t| format!("{t}\n{sentence}")));
    }
    // Those who joined have been told that the core ended; now the socket goes.
    if let Some(shared) = shared {
        drop(shared.await);
    }
    Ok(ExitReport {
        code: exit.code,
        trouble,
    })
}

fn environment(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

fn wishes(settings: &Settings) -> Wishes {
    Wishes {
        colour: match settings.theme {
            Some(ThemeName::Mono) => ColourChoice::Never,
            _ => settings.colour,
        },
        ascii: settings.ascii,
        background: settings.theme.map(|theme| match theme {
            ThemeName::Light => Background::Light,
            ThemeName::Dark | ThemeName::Mono => Background::Dark,
        }),
    }
}

fn keymap(settings: &Settings, notices: &mut Vec<(Severity, String)>) -> Keymap {
    if settings.keys.is_empty() {
        return Keymap::default();
    }
    let (keymap, troubles) = Keymap::new(&settings.keys, &sections());
    let file = settings
        .file
        .as_ref()
        .map(|f| f.display().to_string())
        .unwrap_or_default();
    notices.extend(
        troubles
            .into_iter()
            .map(|(line, sentence)| (Severity::Warning, format!("{file}:{line}: {sentence}"))),
    );
    keymap
}

/// Lets other processes of this user look at the sessions, and move them. The screen works without.
async fn host(
    core: CoreHandle,
    context: Context,
    (note, offer): (Note, Offer),
    messages: mpsc::Sender<Msg>,
) -> Option<Host> {
    let made = match link::SocketFolder::make(&context) {
        Ok(place) => {
            let hosting = Hosting {
                offer,
                ..Hosting::new(place, note)
            };
            link::serve(core, hosting).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(host) => Some(host),
        Err(error) => {
            let text = format!("This session cannot be joined: {error}");
            let notice = Msg::notice(Severity::Warning, text);
            // Without a loop nobody is left to tell.
            let _ = messages.send(notice).await;
            None
        }
    }
}

/// Ends or lets go of what is live, then ends the core; one that was joined goes on with all it has.
async fn shut_down(core: &CoreHandle, app: &App, farewell: ExitMode) -> Result<(), String> {
    let work = async {
        let mut troubles = Vec::new();
        if farewell == ExitMode::Detach {
            // What cannot be left ends with the core, as the question said.
            for session in app.state().live().filter(|s| !s.ends_with_session) {
                let detach = Command::Detach {
                    session: Some(session.id),
                };
                if let Err(error) = core.request(detach).await {
                    troubles.push(format!(
                        "{} could not be left running: {error}",
                        session.name
                    ));
                }
            }
        }
        if let Err(error) = core.request(Command::Shutdown).await {
            tracing::debug!(%error, "the core was gone already");
        }
        if troubles.is_empty() {
            Ok(())
        } else {
            Err(troubles.join("\n"))
        }
    };
    tokio::time::timeout(SHUTDOWN, work)
        .await
        .unwrap_or_else(|_elapsed| {
            Err(format!(
                "the debugger did not end its sessions within {} s; their supervisors end what is left",
                SHUTDOWN.as_secs()
            ))
        })
}
