//! The person's terminal: a thread of its own edits lines, with history and completion, and between two prompts hands what is
//! typed to the program.
//!
//! It reads only when it is asked to, so what is typed ahead waits in the terminal for the next prompt. What the terminal was
//! like is put back when the editor goes, however it goes: should we be killed, by a keeper.

use std::{
    io::Write as _,
    os::fd::OwnedFd,
    sync::{Arc, atomic::AtomicBool, mpsc as threads},
};

use dap::supervise::{TerminalKeeper, TerminalUse};
use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, eventfd, poll},
    termios::{OptionalActions, Termios, tcgetattr, tcsetattr},
};
use rustyline::{
    Behavior, CompletionType, Config, Editor as Rusty, ExternalPrinter, config::BellStyle,
    error::ReadlineError, history::MemHistory,
};
use tokio::sync::mpsc;

use super::{complete::Helper, prelude::*, style::Colours};

/// Lines of history kept.
pub const KEPT: usize = 500;

/// What the thread is asked for.
enum EditorRequest {
    /// A line, behind this prompt.
    Line(String),
    /// What is typed, for the program, until the bell rings.
    Program,
}

/// What the thread has read.
#[derive(Debug)]
pub enum EditorInput {
    Line(String),
    /// Ctrl-C; what was typed is gone.
    Interrupt,
    /// Ctrl-D on an empty line, or the terminal is gone.
    End,
    /// The terminal cannot be read.
    Failed(String),
    Program(String),
}

/// The prompt: its second form has the same width, and stands for the time after the program stopped behind it.
struct Prompt {
    raw: [String; 2],
    styled: [String; 2],
    stopped: Arc<AtomicBool>,
}

impl Prompt {
    fn at(&self) -> usize {
        usize::from(self.stopped.load(Ordering::Relaxed))
    }
}

impl rustyline::Prompt for Prompt {
    fn raw(&self) -> &str {
        self.raw.get(self.at()).map_or("", String::as_str)
    }

    fn styled(&self) -> &str {
        self.styled.get(self.at()).map_or("", String::as_str)
    }
}

/// Prompt while the program runs behind it, and what it turns into when it stops: of one width.
pub const RUNNING: &str = "(running) ";
const STOPPED: &str = "(stopped) ";

/// The terminal as it was.
struct Terminal {
    before: Option<Termios>,
    keeper: Option<TerminalKeeper>,
}

impl Terminal {
    fn found() -> Self {
        let before = tcgetattr(rustix::stdio::stdin()).ok();
        // Only kill -9 would show that there is none.
        let keeper = before.as_ref().and_then(|before| {
            TerminalKeeper::start(before, TerminalUse::Lines)
                .inspect_err(|error| tracing::warn!(%error, "no keeper for the terminal"))
                .ok()
        });
        Self { before, keeper }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, before);
            // The line editor may have asked for pastes in brackets.
            let mut out = std::io::stdout();
            let _ = out.write_all(b"\x1b[?2004l");
            let _ = out.flush();
        }
        if let Some(keeper) = self.keeper.take() {
            keeper.quit();
        }
    }
}

/// The thread, and what it says.
pub struct Editor {
    asks: threads::Sender<EditorRequest>,
    typed: mpsc::UnboundedReceiver<EditorInput>,
    printer: Option<Box<dyn ExternalPrinter + Send>>,
    returned: mpsc::UnboundedReceiver<Box<dyn ExternalPrinter + Send>>,
    give_back: mpsc::UnboundedSender<Box<dyn ExternalPrinter + Send>>,
    bell: Arc<OwnedFd>,
    stopped: Arc<AtomicBool>,
    for_program: bool,
    _terminal: Terminal,
}

impl Editor {
    /// Starts the thread.
    pub fn start(look: Colours, history: &[String], helper: Helper) -> Result<Self, String> {
        let said = |e: ReadlineError| format!("the terminal cannot be used for lines: {e}");
        let config = Config::builder()
            .max_history_size(KEPT)
            .and_then(|c| c.history_ignore_dups(true))
            .map_err(said)?
            .history_ignore_space(true)
            .completion_type(CompletionType::List)
            .bell_style(BellStyle::None)
            .behavior(Behavior::Stdio)
            .build();
        let terminal = Terminal::found();
        let mut rusty: Rusty<Helper, MemHistory> =
            Rusty::with_history(config.clone(), MemHistory::with_config(&config)).map_err(said)?;
        rusty.set_helper(Some(helper));
        for line in history {
            let _ = rusty.add_history_entry(line.as_str());
        }
        let printer = rusty.create_external_printer().map_err(said)?;
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|e| format!("the terminal cannot be waited for: {e}"))?;
        let bell = Arc::new(bell);
        let stopped = Arc::new(AtomicBool::new(false));
        let (asks, asked) = threads::channel();
        let (say, typed) = mpsc::unbounded_channel();
        let (rings, seen) = (Arc::clone(&bell), Arc::clone(&stopped));
        std::thread::Builder::new()
            .name("line editor".to_owned())
            .spawn(move || work(rusty, look, &asked, &say, &rings, &seen))
            .map_err(|e| format!("no thread for the line editor: {e}"))?;
        let (give_back, returned) = mpsc::unbounded_channel();
        Ok(Self {
            asks,
            typed,
            printer: Some(Box::new(printer)),
            returned,
            give_back,
            bell,
            stopped,
            for_program: false,
            _terminal: terminal,
        })
    }

    /// Asks for a line.
    pub fn line(&mut self, prompt: String) {
        self.quiet();
        self.stopped.store(false, Ordering::Relaxed);
        let _ = self.asks.send(EditorRequest::Line(prompt));
    }

    /// Hands what is typed to the program from now on.
    pub fn program(&mut self) {
        if !self.for_program {
            self.for_program = true;
            let _ = self.asks.send(EditorRequest::Program);
        }
    }

    /// Hands nothing to the program any more.
    pub fn quiet(&mut self) {
        if self.for_program {
            self.for_program = false;
            let _ = rustix::io::write(&*self.bell, &1_u64.to_ne_bytes());
        }
    }

    /// The program that ran behind the prompt stands still.
    pub fn behind_stopped(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether something can be printed above the line that is being typed: one piece at a time.
    pub fn can_print(&mut self) -> bool {
        if let Ok(printer) = self.returned.try_recv() {
            self.printer = Some(printer);
        }
        self.printer.is_some()
    }

    /// Prints above the line that is being typed. May wait for the thread, so not here.
    pub fn print_above(&mut self, text: String) {
        if let Some(mut printer) = self.printer.take() {
            let give_back = self.give_back.clone();
            tasks::blocking(move || {
                let _ = printer.print(text);
                let _ = give_back.send(printer);
            });
        }
    }

    /// What was read next, or `None` when the last piece was printed.
    pub async fn next(&mut self) -> Option<EditorInput> {
        let busy = self.printer.is_none();
        tokio::select! {
            biased;
            typed = self.typed.recv() => {
                Some(typed.unwrap_or_else(|| EditorInput::Failed("its thread has ended".to_owned())))
            }
            printer = self.returned.recv(), if busy => {
                self.printer = printer;
                None
            }
        }
    }
}

fn work(
    mut rusty: Rusty<Helper, MemHistory>,
    look: Colours,
    asked: &threads::Receiver<EditorRequest>,
    say: &mpsc::UnboundedSender<EditorInput>,
    bell: &OwnedFd,
    stopped: &Arc<AtomicBool>,
) {
    while let Ok(ask) = asked.recv() {
        match ask {
            EditorRequest::Line(prompt) => {
                let second = if prompt == RUNNING { STOPPED } else { &prompt };
                let raw = [prompt.clone(), second.to_owned()];
                let styled = raw.clone().map(|text| look.paint(Role::Prompt, text));
                let prompt = Prompt {
                    raw,
                    styled,
                    stopped: Arc::clone(stopped),
                };
                let typed = match rusty.readline(&prompt) {
                    Ok(line) => {
                        if !line.trim().is_empty() {
                            let _ = rusty.add_history_entry(line.as_str());
                        }
                        EditorInput::Line(line)
                    }
                    Err(ReadlineError::Interrupted) => EditorInput::Interrupt,
                    Err(ReadlineError::Eof) => EditorInput::End,
                    Err(error) => EditorInput::Failed(error.to_string()),
                };
                if say.send(typed).is_err() {
                    return;
                }
            }
            EditorRequest::Program => hand_over(say, bell),
        }
    }
}

/// What a terminal takes for Ctrl-D: the end of the input, or only of what was typed of a line.
const END: char = '\u{4}';

/// What is typed, line by line, until the bell rings.
fn hand_over(say: &mpsc::UnboundedSender<EditorInput>, bell: &OwnedFd) {
    let stdin = rustix::stdio::stdin();
    let mut open = true;
    loop {
        let mut waits = vec![PollFd::new(bell, PollFlags::IN)];
        if open {
            waits.push(PollFd::from_borrowed_fd(stdin, PollFlags::IN));
        }
        match poll(&mut waits, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return,
            Ok(_) => {}
        }
        if waits.first().is_some_and(|w| !w.revents().is_empty()) {
            let _ = rustix::io::read(bell, &mut [0_u8; 8]);
            return;
        }
        let is_gone = |wait: &PollFd<'_>| wait.revents().contains(PollFlags::HUP);
        let is_gone = waits.get(1).is_some_and(is_gone);
        let mut bytes = [0_u8; 4096];
        match rustix::io::read(stdin, &mut bytes) {
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => open = false,
            Ok(0) if is_gone => open = false,
            Ok(count) => {
                let text = String::from_utf8_lossy(bytes.get(..count).unwrap_or_default());
                let mut text = text.into_owned();
                // Only Ctrl-D gives us less than a line.
                if !text.ends_with('\n') {
                    text.push(END);
                }
                if say.send(EditorInput::Program(text)).is_err() {
                    return;
                }
            }
        }
    }
}
