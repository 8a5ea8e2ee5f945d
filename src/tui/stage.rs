//! The real stage: the terminal that the loop draws on and listens to.
//!
//! Also lends the terminal to an editor or the shell, and keeps the keeper informed, which restores the terminal should we
//! be killed.

use std::{
    io::{self, Write as _},
    path::Path,
    process::{Command, ExitStatus},
    thread::JoinHandle,
};

use dap::supervise::{TerminalKeeper, TerminalUse};
use debugger::Severity;
use ratatui::Frame;

use super::{
    action::{effect::Effect, msg::Msg},
    app::{AppEvent, editor, run::Stage},
    term::{
        guard::TerminalGuard, hand_over::Terminal, input::InputSource, screen::Screen,
        signals::Signals,
    },
};

/// What is there once the first frame is drawn.
struct Ears {
    input: InputSource,
    signals: Signals,
}

/// The terminal.
pub struct TerminalStage {
    guard: TerminalGuard,
    screen: Screen,
    ears: Option<Ears>,
    keeper: Keeper,
    /// The terminal's settings from before we came.
    found: Option<rustix::termios::Termios>,
}

impl TerminalStage {
    /// A stage on the terminal that `guard` holds. `found` are its settings from before that.
    pub fn new(guard: TerminalGuard, found: Option<rustix::termios::Termios>) -> io::Result<Self> {
        let screen = Screen::new(&guard)?;
        Ok(Self {
            guard,
            screen,
            ears: None,
            keeper: Keeper::default(),
            found,
        })
    }

    /// Begins to listen, and starts what takes time and is not seen.
    pub fn listen(&mut self) -> io::Result<()> {
        self.ears = Some(Ears {
            signals: Signals::take()?,
            input: InputSource::start(),
        });
        if let Some(found) = self.found.clone() {
            self.keeper.start(found);
        }
        Ok(())
    }

    /// Asks the terminal something; the answer comes as an input.
    pub fn ask(&mut self, question: &str) -> io::Result<()> {
        self.screen.write_sequence(question)
    }

    /// Gives the terminal back for good.
    pub fn leave(&mut self) {
        self.ears = None;
        self.guard.leave();
        if let Some(keeper) = self.keeper.take() {
            keeper.quit();
        }
    }

    async fn edit(&mut self, argv: Vec<std::ffi::OsString>) -> Result<ExitStatus, String> {
        self.lend(move || {
            let mut argv = argv.into_iter();
            let program = argv.next().unwrap_or_default();
            Command::new(program).args(argv).status()
        })
        .await
    }

    /// Whether an adapter was installed. What went wrong stays on the terminal until it was read.
    async fn install(&mut self, adapter: &str) -> Result<bool, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.args(["adapters", "install", adapter]);
        self.lend(move || {
            let is_done = command.status()?.success();
            if !is_done {
                io::stderr().write_all(b"\nEnter goes back to the debugger. ")?;
                io::stdin().read_line(&mut String::new())?;
            }
            Ok(is_done)
        })
        .await
    }

    async fn lend<R: Send + 'static>(
        &mut self,
        run: impl FnOnce() -> io::Result<R> + Send + 'static,
    ) -> Result<R, String> {
        let lent = self.given_away(async |terminal| terminal.lend(run).await);
        let lent = lent.await.ok_or("the terminal is not ours yet")?;
        let done = lent.map_err(|error| error.to_string())?;
        done.map_err(|error| error.to_string())
    }

    async fn suspend(&mut self) -> Option<Msg> {
        let stopped = self.given_away(async |terminal| terminal.suspend().await);
        let stopped = stopped.await?;
        Some(stopped.map_or_else(|error| trouble(error.to_string()), |()| Msg::Relayout))
    }

    /// Gives the terminal away, and has the keeper wait meanwhile; nothing while the terminal is not ours.
    async fn given_away<R>(&mut self, work: impl AsyncFnOnce(&mut Terminal<'_>) -> R) -> Option<R> {
        let ears = self.ears.as_mut()?;
        let mut terminal = Terminal {
            guard: &self.guard,
            screen: &mut self.screen,
            input: &mut ears.input,
            signals: &mut ears.signals,
        };
        if let Some(keeper) = self.keeper.get() {
            keeper.pause();
        }
        let done = work(&mut terminal).await;
        if let Some(keeper) = self.keeper.get() {
            keeper.resume();
        }
        Some(done)
    }
}

/// The keeper, which another thread starts: a process of our size takes milliseconds to begin, and keys come meanwhile.
#[derive(Default)]
struct Keeper {
    starting: Option<JoinHandle<io::Result<TerminalKeeper>>>,
    there: Option<TerminalKeeper>,
}

impl Keeper {
    fn start(&mut self, found: rustix::termios::Termios) {
        let thread = std::thread::Builder::new().name("keeper".to_owned());
        match thread.spawn(move || TerminalKeeper::start(&found, TerminalUse::Screen)) {
            Ok(starting) => self.starting = Some(starting),
            Err(error) => without(&error),
        }
    }

    /// The keeper, as soon as it is there; nothing when there is none.
    fn get(&mut self) -> Option<&TerminalKeeper> {
        if let Some(starting) = self.starting.take() {
            match starting.join() {
                Ok(Ok(keeper)) => self.there = Some(keeper),
                Ok(Err(error)) => without(&error),
                Err(_) => without(&io::Error::other("its thread broke down")),
            }
        }
        self.there.as_ref()
    }

    fn take(&mut self) -> Option<TerminalKeeper> {
        self.get();
        self.there.take()
    }
}

/// Only kill -9 would show the difference.
fn without(error: &io::Error) {
    tracing::warn!(%error, "no keeper for the terminal");
}

fn trouble(text: String) -> Msg {
    Msg::notice(Severity::Error, text)
}

impl Stage for TerminalStage {
    async fn next(&mut self) -> AppEvent {
        match &mut self.ears {
            Some(ears) => tokio::select! {
                biased;
                signal = ears.signals.next() => AppEvent::Signal(signal),
                input = ears.input.next() => AppEvent::Input(input),
            },
            None => std::future::pending().await,
        }
    }

    fn try_next(&mut self) -> Option<AppEvent> {
        self.ears.as_mut()?.input.try_next().map(AppEvent::Input)
    }

    fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        // What becomes of the terminal then is tested; releases do not look.
        debug_assert!(
            std::env::var_os("OMP_DEBUG_PANIC_IF").is_none_or(|file| !Path::new(&file).exists()),
            "the file of OMP_DEBUG_PANIC_IF is there"
        );
        self.screen.draw(draw)
    }

    async fn perform(&mut self, effect: Effect) -> (Option<Effect>, Option<Msg>) {
        let msg = match effect {
            Effect::Suspend => self.suspend().await,
            Effect::Repaint => {
                // Someone else may have changed the modes while we were stopped.
                let again = self.guard.reassert().map_err(|e| e.to_string());
                let cleared = again.and_then(|()| self.screen.clear().map_err(|e| e.to_string()));
                Some(cleared.map_or_else(trouble, |()| Msg::Relayout))
            }
            Effect::Mouse(on) => self
                .guard
                .set_mouse(on)
                .err()
                .map(|error| trouble(error.to_string())),
            Effect::WriteSequence(sequence) => {
                self.screen.write_sequence(&sequence).err().map(|error| {
                    trouble(format!(
                        "The terminal could not be told what to copy: {error}"
                    ))
                })
            }
            Effect::Edit { path, line } => {
                let argv = editor::command(|name| std::env::var(name).ok(), &path, line);
                let shown = argv
                    .first()
                    .map(|p| p.to_string_lossy().into_owned())
                    .unwrap_or_default();
                let done = self.edit(argv).await;
                Some(match done {
                    Ok(status) if status.success() => Msg::Edited,
                    Ok(status) => trouble(format!("The editor {shown:?} ended with {status}.")),
                    Err(error) => Msg::Notice {
                        severity: Severity::Error,
                        text: format!("The editor {shown:?} could not be run: {error}"),
                        hint: Some("set $VISUAL or $EDITOR to one that is installed".to_owned()),
                    },
                })
            }
            Effect::Install { adapter } => Some(match self.install(&adapter).await {
                Ok(true) => Msg::Installed,
                Ok(false) => trouble(format!("{adapter} is not installed.")),
                Err(why) => trouble(format!("{adapter} could not be installed: {why}")),
            }),
            other => return (Some(other), None),
        };
        (None, msg)
    }
}
