//! What reaches the app besides keys: everything that happened elsewhere, in batches.

use std::{path::PathBuf, sync::Arc};

use dap::types::Source;
use debugger::{
    DebuggerError, Event, Reply, Severity,
    adapters::trust::Untrusted,
    workspace::{FileEntry, Process},
};
use tokio::sync::mpsc;

use super::{
    effect::{RouteId, Tag},
    work::{Begin, Told},
};
use crate::term::decode::Answer;

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
    /// Another route is shown now.
    Shown(RouteId),
    /// That route is shown no longer.
    Hidden(RouteId),
    /// What a route's work found; never of work that was asked for again since.
    Told(Told),
    /// What the command line said of the first route.
    Begin(Begin),
    /// Processes of this user.
    Processes(Vec<Process>),
    /// A source is to be shown (from [`super::effect::Effect::ShowSource`]).
    ShowSource {
        source: Box<Source>,
        /// 1-based; none = where the cursor was.
        line: Option<i64>,
        /// 1-based; none = the line's first word.
        column: Option<i64>,
    },
    /// Something drawn beside the drawing task (the colours of a source) is ready: draw it. From [`Waker::wake`].
    Ready,
    /// The terminal answered a question.
    Answer(Answer),
    /// Text is on its way to the clipboard; `sequence` is what the terminal must be told for that.
    Copied {
        /// Where it went, in one sentence.
        text: String,
        /// An escape sequence of our own making.
        sequence: Option<String>,
    },
    /// Something done elsewhere has a sentence to say; the app shows it.
    Notice {
        /// How much it matters.
        severity: Severity,
        /// The sentence.
        text: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// What an operation of the debug tool told; the app shows it.
    Text {
        /// The operation.
        title: &'static str,
        text: String,
    },
    /// Files of this project that name adapters and wait for the person's trust.
    Untrusted(Vec<Untrusted>),
    /// The core has ended: nothing more will come of it.
    CoreEnded,
    /// The screen was resized, or the theme changed: forget what layout taught.
    Relayout,
    /// The screen is ours again after an editor had it: files may be others than they were.
    Edited,
}

impl Msg {
    /// Something to be said, without a hint.
    pub fn notice(severity: Severity, text: impl Into<String>) -> Self {
        Self::Notice {
            severity,
            text: text.into(),
            hint: None,
        }
    }
}

/// Lets what works beside the drawing task ask for a frame. The default one wakes nobody.
#[derive(Clone, Debug, Default)]
pub struct Waker(Option<mpsc::Sender<Msg>>);

impl Waker {
    /// Wakes the loop that reads from `messages`.
    pub fn new(messages: mpsc::Sender<Msg>) -> Self {
        Self(Some(messages))
    }

    /// Asks for a frame; never waits.
    pub fn wake(&self) {
        if let Some(messages) = &self.0 {
            // A full queue draws a frame by itself.
            let _ = messages.try_send(Msg::Ready);
        }
    }
}
