//! What reaches the app besides keys: everything that happened elsewhere, in batches.

use std::path::PathBuf;
use std::sync::Arc;

use super::effect::Tag;
use crate::dap::types::Source;
use crate::debugger::workspace::{FileEntry, Process};
use crate::debugger::{DebuggerError, Event, Reply, Severity};
use crate::tui::widgets::syntax::Highlighted;

/// A message. Surfaces get all of them and take what is theirs.
pub enum Msg {
    /// Core events that were just applied to the state.
    Events(Arc<Vec<Event>>),
    /// The answer to [`super::effect::Effect::Core`].
    Reply {
        /// Who asked.
        tag: Tag,
        /// The answer.
        result: Result<Reply, DebuggerError>,
    },
    /// Files below a folder.
    Files {
        /// The folder.
        root: PathBuf,
        /// What is there, or why it cannot be listed.
        result: Result<Vec<FileEntry>, String>,
    },
    /// Processes of this user.
    Processes(Vec<Process>),
    /// A source is to be shown (from [`super::effect::Effect::ShowSource`]).
    ShowSource {
        /// Which.
        source: Box<Source>,
        /// 1-based; none = where the cursor was.
        line: Option<i64>,
    },
    /// Colours for a source came (from the syntax worker).
    Highlighted(Highlighted),
    /// Something done elsewhere has a sentence to say; the app shows it.
    Notice {
        /// How much it matters.
        severity: Severity,
        /// The sentence.
        text: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// The core has ended: nothing more will come of it.
    CoreEnded,
    /// The screen was resized, or the theme changed: forget what layout taught.
    Relayout,
}
