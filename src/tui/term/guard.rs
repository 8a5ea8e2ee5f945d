//! One owner of the terminal's state.
//!
//! Raw mode, alternate screen, cursor, mouse, bracketed paste, focus reports and keyboard flags are switched on here and
//! nowhere else, and switched off in one place that may be called any number of times from anywhere: [`TerminalGuard`]'s drop,
//! the panic hook, a signal's handler in the loop. The settings found at entry are put back exactly.
//!
//! Leaves to others: drawing ([`super::screen`]), reading keys ([`super::input`]) and in which order a hand-over to another
//! program happens ([`super::hand_over`]).

use std::{
    fs::File,
    io,
    os::fd::{AsFd, OwnedFd},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, ThreadId},
    time::Duration,
};

use base::locks::lock;
use rustix::{
    event::{PollFd, PollFlags, Timespec},
    process,
    termios::{self, OptionalActions, QueueSelector, Termios},
};

/// Alternate screen, no cursor, bracketed paste, focus reports.
const ENTER: &str = "\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h\x1b[?1004h";
/// Presses, releases, drags and the wheel, in the form without a column limit. Not bare motion: it would wake an idle program
/// for every move of the hand.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l";
/// Kitty keyboard protocol: "disambiguate escape codes" on the alternate screen's own stack.
const KITTY_ON: &str = "\x1b[>1u";
const KITTY_OFF: &str = "\x1b[<1u";
/// Everything off that any of the above switched on, in an order in which each still reaches the screen it belongs to. Ends
/// a synchronized update first: a frame may have been cut short.
const LEAVE: &str = concat!(
    "\x1b[?2026l\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1004l\x1b[?2004l",
    "\x1b[0m\x1b[?1049l\x1b[?25h"
);
/// How long a terminal that takes no output may hold up our leaving.
const LEAVE_PATIENCE: Duration = Duration::from_millis(500);

/// The guard whose terminal is this process's own, for the panic hook.
static CURRENT: Mutex<Option<Arc<Tty>>> = Mutex::new(None);

/// Why the terminal could not be taken or given back.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// Nothing to draw on.
    #[error(
        "{0} is not a terminal: start the screen from a terminal, or use a subcommand that prints text"
    )]
    NotATerminal(&'static str),
    /// The system refused.
    #[error("the terminal could not be {what}: {source}")]
    Refused {
        /// A participle: "read", "switched to raw mode".
        what: &'static str,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Stopping would stop for ever.
    #[error("there is no shell to return to: nothing would continue the program after Ctrl-Z")]
    NoShell,
    /// The program that the terminal was lent to could not be awaited.
    #[error("the program that had the terminal could not be awaited: {0}")]
    Lent(String),
}

/// Which modes to switch on beyond the usual ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Mouse reports. Without them the terminal's own selection works.
    pub mouse: bool,
    /// The kitty keyboard protocol, for terminals known to speak it.
    pub kitty_keyboard: bool,
}

/// The terminal and what was done to it. Shared with the frame writer, which must not write once it has been left.
#[derive(Debug)]
pub(super) struct Tty {
    keys: OwnedFd,
    screen: OwnedFd,
    found: Mutex<Termios>,
    inside: AtomicBool,
    mouse: AtomicBool,
    kitty_keyboard: bool,
    owner: ThreadId,
}

/// Holds the terminal; dropping it gives the terminal back.
#[derive(Debug)]
pub struct TerminalGuard {
    tty: Arc<Tty>,
}

impl TerminalGuard {
    /// Takes this process's terminal. The calling thread counts as the one that draws (see [`install_panic_hook`]).
    pub fn enter(options: Options) -> Result<Self, TerminalError> {
        let screen = io::stdout();
        if !termios::isatty(&screen) {
            return Err(TerminalError::NotATerminal("standard output"));
        }
        let screen = screen
            .as_fd()
            .try_clone_to_owned()
            .map_err(refused("opened"))?;
        let keys = io::stdin();
        let keys = if termios::isatty(&keys) {
            keys.as_fd()
                .try_clone_to_owned()
                .map_err(refused("opened"))?
        } else {
            // Keys come from the terminal even when standard input is a pipe, as in `cmd | omp-debug`.
            File::options()
                .read(true)
                .write(true)
                .open("/dev/tty")
                .map_err(|_no_tty| TerminalError::NotATerminal("standard input"))?
                .into()
        };
        let guard = Self::enter_on(keys, screen, options)?;
        *lock(&CURRENT) = Some(Arc::clone(&guard.tty));
        Ok(guard)
    }

    /// Takes the terminal behind two descriptors.
    pub fn enter_on(
        keys: OwnedFd,
        screen: OwnedFd,
        options: Options,
    ) -> Result<Self, TerminalError> {
        // Before anything is changed: whoever restores must not restore a half-changed state.
        let found = termios::tcgetattr(&keys).map_err(|e| refused("read")(e.into()))?;
        let tty = Arc::new(Tty {
            keys,
            screen,
            found: Mutex::new(found),
            inside: AtomicBool::new(false),
            mouse: AtomicBool::new(options.mouse),
            kitty_keyboard: options.kitty_keyboard,
            owner: thread::current().id(),
        });
        let guard = Self { tty };
        guard.tty.enter()?;
        Ok(guard)
    }

    /// Gives the terminal back; again and again does nothing.
    pub fn leave(&self) {
        self.tty.leave();
    }

    /// Takes the terminal again after [`Self::leave`]; the settings to be restored stay those of the first entry.
    pub fn enter_again(&self) -> Result<(), TerminalError> {
        self.tty.enter()
    }

    /// Switches every mode on once more, for a terminal that someone else has changed: after SIGCONT, or when a program wrote
    /// to it behind our back. Draw everything afterwards.
    pub fn reassert(&self) -> Result<(), TerminalError> {
        if self.is_inside() {
            self.tty.enter()
        } else {
            Ok(())
        }
    }

    /// Whether we hold the terminal.
    pub fn is_inside(&self) -> bool {
        self.tty.inside.load(Ordering::SeqCst)
    }

    /// Switches mouse reports on or off, so that the terminal's own selection can be used.
    pub fn set_mouse(&self, on: bool) -> Result<(), TerminalError> {
        self.tty.mouse.store(on, Ordering::SeqCst);
        if !self.is_inside() {
            return Ok(());
        }
        self.tty
            .write(if on { MOUSE_ON } else { MOUSE_OFF }.as_bytes(), None)
            .map_err(refused("written to"))
    }

    /// Throws away what was typed and not read.
    pub fn discard_typed(&self) {
        let _ = termios::tcflush(&self.tty.keys, QueueSelector::IFlush);
    }

    /// Stops this process and its group as Ctrl-Z in a shell does, and returns when someone continues it. The terminal must
    /// have been left. What a person changed with stty(1) meanwhile is what will be restored at the end.
    pub fn stop_until_continued(&self) -> Result<(), TerminalError> {
        if is_orphaned() {
            return Err(TerminalError::NoShell);
        }
        stop_group().map_err(refused("given to the shell"))?;
        if let Ok(modes) = termios::tcgetattr(&self.tty.keys) {
            *lock(&self.tty.found) = modes;
        }
        Ok(())
    }

    pub(super) fn tty(&self) -> Arc<Tty> {
        Arc::clone(&self.tty)
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        self.tty.leave();
        let mut current = lock(&CURRENT);
        if current
            .as_ref()
            .is_some_and(|tty| Arc::ptr_eq(tty, &self.tty))
        {
            *current = None;
        }
    }
}

/// Makes a panic of the drawing thread give the terminal back before the hooks installed earlier print their report.
///
/// A panic on any other thread is one failed task, whose owner learns of it; the program goes on, so the screen stays and the
/// report goes to the log.
pub fn install_panic_hook() {
    let earlier = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let current = lock(&CURRENT).clone();
        match current {
            Some(tty)
                if tty.inside.load(Ordering::SeqCst) && tty.owner != thread::current().id() =>
            {
                let backtrace = std::backtrace::Backtrace::capture();
                tracing::error!(panic = %info, %backtrace, "a background task panicked");
            }
            Some(tty) => {
                tty.leave();
                earlier(info);
            }
            None => earlier(info),
        }
    }));
}

impl Tty {
    fn enter(&self) -> Result<(), TerminalError> {
        let mut raw = lock(&self.found).clone();
        raw.make_raw();
        termios::tcsetattr(&self.keys, OptionalActions::Now, &raw)
            .map_err(|e| refused("switched to raw mode")(e.into()))?;
        // From here on there is something to undo, even if the next write fails half-way.
        let again = self.inside.swap(true, Ordering::SeqCst);
        let mut sequence = String::new();
        if again && self.kitty_keyboard {
            // The flags are a stack, and leaving takes one entry off.
            sequence.push_str(KITTY_OFF);
        }
        sequence.push_str(ENTER);
        if self.mouse.load(Ordering::SeqCst) {
            sequence.push_str(MOUSE_ON);
        }
        if self.kitty_keyboard {
            sequence.push_str(KITTY_ON);
        }
        self.write(sequence.as_bytes(), None)
            .map_err(refused("written to"))
    }

    fn leave(&self) {
        if self.inside.swap(false, Ordering::SeqCst) {
            self.restore();
        }
    }

    fn restore(&self) {
        if self.kitty_keyboard {
            let _ = self.write(KITTY_OFF.as_bytes(), Some(LEAVE_PATIENCE));
        }
        let _ = self.write(LEAVE.as_bytes(), Some(LEAVE_PATIENCE));
        // In the background the settings belong to the shell, and changing them would stop us.
        if termios::tcgetpgrp(&self.keys).is_ok_and(|group| group != process::getpgrp()) {
            return;
        }
        // Mouse reports on their way would be typed into the shell.
        let _ = termios::tcflush(&self.keys, QueueSelector::IFlush);
        let _ = termios::tcsetattr(&self.keys, OptionalActions::Now, &lock(&self.found));
    }

    /// What frames are written to.
    pub(super) const fn screen(&self) -> &OwnedFd {
        &self.screen
    }

    /// Whether writing still means anything.
    pub(super) fn is_inside(&self) -> bool {
        self.inside.load(Ordering::SeqCst)
    }

    /// Writes all of `bytes`, also to a terminal that another process made non-blocking. With `patience`, gives up when the
    /// terminal takes nothing for that long.
    pub(super) fn write(&self, mut bytes: &[u8], patience: Option<Duration>) -> io::Result<()> {
        while !bytes.is_empty() {
            if patience.is_some() {
                self.await_room(patience)?;
            }
            match rustix::io::write(&self.screen, bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => self.await_room(patience)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn await_room(&self, patience: Option<Duration>) -> io::Result<()> {
        let limit = patience.and_then(|limit| Timespec::try_from(limit).ok());
        let mut waiting = [PollFd::new(&self.screen, PollFlags::OUT)];
        match rustix::event::poll(&mut waiting, limit.as_ref()) {
            Ok(0) => Err(io::ErrorKind::TimedOut.into()),
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether our process group has nobody who would continue it: it contains the session's leader.
fn is_orphaned() -> bool {
    process::getsid(None).map_or(true, |session| session == process::getpgrp())
}

/// Sends SIGTSTP to the others of our process group and stops this process.
#[expect(unsafe_code, reason = "rustix has neither sigaction nor raise")]
fn stop_group() -> io::Result<()> {
    // A handler for SIGTSTP is installed, which would take the copy meant to stop us for a new request. While it is ignored
    // our copy is thrown away at the moment it is sent. SIGSTOP to ourselves cannot be caught, and raise() makes it take
    // effect before it returns, which a signal to the whole process does not promise.
    //
    // SAFETY: both actions are valid for reads and writes for the whole call, a zeroed sigaction is a valid value, and SIG_IGN
    // runs no code of ours; raise() has no memory effects.
    unsafe {
        let mut ours: libc::sigaction = std::mem::zeroed();
        let mut ignore: libc::sigaction = std::mem::zeroed();
        ignore.sa_sigaction = libc::SIG_IGN;
        if libc::sigaction(libc::SIGTSTP, &raw const ignore, &raw mut ours) != 0 {
            return Err(io::Error::last_os_error());
        }
        let others = process::kill_current_process_group(process::Signal::TSTP);
        let restored = libc::sigaction(libc::SIGTSTP, &raw const ours, std::ptr::null_mut());
        if restored != 0 {
            return Err(io::Error::last_os_error());
        }
        others?;
        if libc::raise(libc::SIGSTOP) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

fn refused(what: &'static str) -> impl FnOnce(io::Error) -> TerminalError {
    move |source| TerminalError::Refused { what, source }
}

#[cfg(test)]
pub(crate) mod tests;
