//! What is known of whether the program runs.

/// No stop of lldb's has this number.
const UNTOLD: i64 = -1;

/// What is known of the program.
#[derive(Debug, Default)]
pub struct ProgramRun {
    pub phase: Phase,
    /// lldb's number of the stop that was told last.
    pub told: i64,
    pub pausing: bool,
    /// Reason and description of the last stop, when it was a failure.
    pub failure: Option<(String, String)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    NotStarted,
    Running,
    Stopped,
    Over,
}

impl ProgramRun {
    /// The program goes on.
    pub fn goes(&mut self) {
        self.phase = Phase::Running;
        self.failure = None;
    }

    /// The program stands, and the core need not be told.
    pub fn stands(&mut self, stop: i64) {
        (self.phase, self.told) = (Phase::Stopped, stop);
    }

    /// The program stands, and the core does not know yet.
    pub fn is_to_be_told(&mut self) {
        (self.phase, self.told) = (Phase::Running, UNTOLD);
    }

    /// The core takes the program for running, and does not know of this stop.
    pub fn is_new(&self, stop: i64) -> bool {
        self.phase == Phase::Running && stop != self.told
    }

    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }
}
