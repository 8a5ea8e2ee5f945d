//! What reaches the app besides keys: everything that happened elsewhere, in batches.

use std::{any::Any, path::PathBuf, sync::Arc};

use dap::types::Source;
use debugger::{
    DebuggerError, Event, Reply, Severity,
    adapters::trust::Untrusted,
    workspace::{FileEntry, Process},
};
use tokio::sync::mpsc;

use crate::term::decode::Answer;

/// Names the asker of a reply: a surface's own word and a number of its choosing (a generation, so that only the newest
/// answer is taken).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(pub &'static str, pub u64);

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
    /// For the route that is shown from now on, and for no other.
    Shown,
    /// For the one that is shown no longer.
    Hidden,
    /// What a route's work found; never of work that was asked for again since.
    Progress(WorkProgress),
    /// What the command line said of the first route.
    Begin(Begin),
    /// Processes of this user.
    Processes(Vec<Process>),
    /// A source is to be shown (from [`super::effect::Effect::ShowSource`]); one that names nothing is the one in view.
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
    /// An adapter was installed: what could not start without it can.
    Installed,
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

/// What was told by work, as [`Msg::Progress`].
pub struct WorkProgress {
    pub(super) name: &'static str,
    pub(super) number: u64,
    pub(super) what: Box<dyn Any + Send>,
}

/// How a route begins when the command line says so; each route knows its own type.
pub struct Begin(Box<dyn Any + Send>);

impl Begin {
    /// For the route that takes a `T`.
    pub fn new<T: Any + Send>(what: T) -> Self {
        Self(Box::new(what))
    }

    /// What was asked for, if it is of this type.
    pub fn of<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
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
