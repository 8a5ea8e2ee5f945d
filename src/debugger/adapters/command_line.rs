//! What a debugger's own command line does that its adapter has no requests for, as data.

use crate::{pattern::Pattern, prelude::*};

/// Commands of a debugger's own command line; what is shown stands behind each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shows {
    /// Before the letters of a format, a blank and an expression.
    pub format: String,
    /// Before an expression or a type: the type, with its fields.
    pub type_parts: String,
    /// Before a function: where it is.
    pub place: String,
    /// A line and its file in that answer.
    pub place_is: Pattern,
}

/// Commands of a debugger's own command line that keep what the program does and run it backwards.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// Begins to keep what the program does.
    pub keep: String,
    /// Forgets it, and keeps no more.
    pub forget: String,
    /// One line back, over calls.
    pub step: String,
    /// One instruction back, over calls.
    pub step_instruction: String,
    /// Back to the breakpoint before, or to where keeping began.
    pub run: String,
    /// Tells whether it keeps what happens now, or plays what it kept.
    pub state: String,
    /// What is in its answer while it keeps.
    pub keeping: String,
}

impl Reverse {
    /// The command for a step, or for running on.
    pub fn command(&self, step: bool, instruction: bool) -> &str {
        match (step, instruction) {
            (true, false) => &self.step,
            (true, true) => &self.step_instruction,
            (false, _) => &self.run,
        }
    }

    /// Whether a command typed by a person makes it be kept, or not any more; `None`: it does neither.
    pub fn keeps(&self, typed: &str) -> Option<bool> {
        let same = |command: &str| typed.split_whitespace().eq(command.split_whitespace());
        if same(&self.keep) {
            Some(true)
        } else {
            same(&self.forget).then_some(false)
        }
    }
}
