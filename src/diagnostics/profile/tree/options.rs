//! What goes into a tree.

use crate::profile::prelude::*;

/// What V8 calls the time in which nothing ran.
pub const IDLE: &str = "(idle)";

/// What goes into a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only this thread.
    pub thread: Option<ThreadId>,
    /// With the time in which nothing ran.
    pub idle: bool,
    /// With the threads of a debugger inside of the program, see [`Profile::debuggers`]. One that is asked for by name is there anyway.
    pub debuggers: bool,
    /// Only samples of this part of the time, in nanoseconds since the beginning.
    pub between: Option<(u64, u64)>,
}

impl Options {
    /// Which samples are of threads that are left out as a debugger's.
    pub(super) fn debuggers_of(&self, profile: &Profile) -> impl Fn(&Sample) -> bool + use<> {
        let threads = if self.debuggers || self.thread.is_some() {
            Vec::new()
        } else {
            profile.debuggers()
        };
        move |sample| slots::at(&threads, sample.thread.0)
    }
}
