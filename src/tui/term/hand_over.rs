//! Lends the terminal to another program, or to the shell.
//!
//! The order matters and is here once: stop reading keys, leave the screen, run, throw away what was typed, take the screen
//! again, draw everything, read keys. Leaves to others: which program, and whether now is a good time.

use std::io;

use base::tasks;

use super::{
    guard::{TerminalError, TerminalGuard},
    input::InputSource,
    screen::Screen,
    signals::Signals,
};

/// What has to stand aside while another program has the terminal.
#[derive(Debug)]
pub struct Terminal<'a> {
    /// Owner of the modes.
    pub guard: &'a TerminalGuard,
    /// Canvas; knows nothing of what the other program drew.
    pub screen: &'a mut Screen,
    /// Reader of keys.
    pub input: &'a mut InputSource,
    /// Ctrl-C for the other program reaches us as well.
    pub signals: &'a mut Signals,
}

impl Terminal<'_> {
    /// Runs `program` (blocking, on a thread of its own) with the terminal as it was before we came, and returns what it
    /// returned. The screen is taken back whatever happens.
    pub async fn lend<R: Send + 'static>(
        &mut self,
        program: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, TerminalError> {
        self.input.pause().await;
        self.guard.leave();
        let done = tasks::blocking(program).await;
        self.take_back().await?;
        done.map_err(|error| TerminalError::Lent(error.to_string()))
    }

    /// Ctrl-Z: gives the terminal to the shell and stops until someone continues us.
    pub async fn suspend(&mut self) -> Result<(), TerminalError> {
        self.input.pause().await;
        self.guard.leave();
        let stopped = self.guard.stop_until_continued();
        self.take_back().await?;
        stopped
    }

    async fn take_back(&mut self) -> Result<(), TerminalError> {
        self.guard.discard_typed();
        self.guard.enter_again()?;
        self.signals.forget_keyboard();
        let cleared = self.screen.clear();
        self.input.resume().await;
        cleared.map_err(|source: io::Error| TerminalError::Refused {
            what: "cleared",
            source,
        })
    }
}
