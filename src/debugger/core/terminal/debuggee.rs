//! A debuggee that runs on a pipe or terminal of ours.

use std::{os::fd::OwnedFd, sync::mpsc::SyncSender};

use rustix::process::{Signal, kill_process_group};

use crate::core::prelude::*;

/// A debuggee that we started for its adapter.
pub(in crate::core) struct Debuggee {
    /// Its process group, where we started it.
    pub group: Option<Pid>,
    pub stdin: Option<SyncSender<PendingInput>>,
    /// Our end of its terminal.
    pub terminal: Option<Arc<OwnedFd>>,
    /// The other end, where the debugger gives it to the program: what reads the terminal ends with it.
    pub _theirs: Option<OwnedFd>,
    /// Up to which byte of what it printed questions were answered.
    pub answered: u64,
}

/// Input on its way, and who waits for it to be taken.
pub type PendingInput = (String, Option<Answer>);

impl Debuggee {
    /// Ends the process group: politely is what the adapter was for.
    pub fn end(&self) {
        // Gone already is the usual case.
        let _ = self
            .group
            .map(|group| kill_process_group(group, Signal::KILL));
    }
}
