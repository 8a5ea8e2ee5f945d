//! What handlers ask for. Effects are carried out by the loop, off the UI task; what comes of them returns as a message.

use std::path::{Path, PathBuf};

use dap::types::Source;
use debugger::{Command, DebuggerError, SessionId, Severity, adapters::trust::Untrusted};
use serde_json::{Map, Value};

use super::{Layer, msg::Tag, work::Work};

/// A screen, by its name. The table of [`routes`](crate::routes) names them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteId(pub &'static str);

/// What becomes of live sessions when we leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExitMode {
    /// What we launched ends, what we attached to goes on.
    #[default]
    End,
    /// Everything goes on.
    Detach,
}

/// What only the app can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalAction {
    /// The help overlay.
    Help,
    Palette,
    /// The message history.
    Messages,
    /// Mouse capture on or off.
    Mouse,
    /// The route before this one.
    Back,
    /// What Ctrl-C means here.
    Interrupt,
}

/// Something to be done.
pub enum Effect {
    /// Leave; asks first when a session is live.
    Quit,
    /// Leave without asking.
    QuitNow(ExitMode),
    /// Mouse reports on or off.
    Mouse(bool),
    /// Hand the terminal back to the shell until `fg`.
    Suspend,
    /// Draw everything anew, whatever the terminal shows.
    Repaint,
    /// Show a route.
    Go(RouteId),
    /// Put an overlay on top.
    Open(Box<dyn Layer>),
    /// Take the topmost overlay away.
    Close,
    /// Run an action by id, as if its key had been pressed (palette, mouse).
    Invoke(String),
    /// What only the app can do.
    Global(GlobalAction),
    /// Ask the core; the answer comes as [`super::msg::Msg::Reply`] with the same tag.
    Core {
        /// What to ask.
        command: Command,
        /// Who asks.
        tag: Tag,
    },
    /// Do an operation of the debug tool; its text comes as [`super::msg::Msg::Text`].
    Operation {
        /// Its name.
        name: &'static str,
        arguments: Map<String, Value>,
    },
    /// Show a session as it was at one of its stops (by its number), or as it is.
    Look(Option<(SessionId, u64)>),
    /// Start the bundled program of the first tour.
    Demo,
    /// Trust a file that names adapters, with exactly the content that was shown.
    Trust(Box<Untrusted>),
    /// List what can be opened below a folder: [`super::msg::Msg::Files`].
    ListFiles(PathBuf),
    /// Do something beside the drawing task; what it tells comes as [`super::msg::Msg::Progress`].
    Work(Box<Work>),
    /// Nothing that work of this name finds is wanted any more.
    EndWork(&'static str),
    /// List processes of this user: [`super::msg::Msg::Processes`].
    ListProcesses,
    /// Show a source in the debug workspace; the app goes there and passes it on as [`super::msg::Msg::ShowSource`].
    ShowSource {
        /// Which; a file needs no more than its path.
        source: Box<Source>,
        /// 1-based; none = where the cursor was.
        line: Option<i64>,
        /// 1-based; none = the line's first word.
        column: Option<i64>,
    },
    /// To the clipboard; `what` names it in the status line.
    Copy {
        /// The text. A name or a place is one line: [`sanitise`](base::text::sanitise::sanitise) it, else pasting it into a
        /// shell runs what stands behind its line ending.
        text: String,
        /// What it is: `value of total`, `42 lines of output`.
        what: String,
    },
    /// Open a file in `$VISUAL`/`$EDITOR` at a line, in this terminal.
    Edit {
        /// The file.
        path: PathBuf,
        /// 1-based.
        line: i64,
    },
    /// Install an adapter, whose installation is to be seen in this terminal.
    Install {
        /// Its name.
        adapter: String,
    },
    /// Write an escape sequence of our own making to the terminal, between two frames.
    WriteSequence(String),
    /// Hand a file or folder to the desktop.
    OpenExternally(PathBuf),
    /// A line in the status bar and in the message history.
    Notify {
        /// How much it matters.
        severity: Severity,
        /// The sentence.
        text: String,
        /// What to do about it.
        hint: Option<String>,
    },
}

impl Effect {
    /// Show a line (1-based) of a file in the debug workspace.
    pub fn show_file(path: &Path, line: Option<i64>) -> Self {
        Self::show_place(path, line, None)
    }

    /// Show a line and column (both 1-based) of a file in the debug workspace.
    pub fn show_place(path: &Path, line: Option<i64>, column: Option<i64>) -> Self {
        let source = Source {
            path: Some(path.to_string_lossy().into_owned()),
            ..Source::default()
        };
        Self::show_source(source, line, column)
    }

    /// Show a line and column (both 1-based) of a source in the debug workspace.
    pub fn show_source(source: Source, line: Option<i64>, column: Option<i64>) -> Self {
        Self::ShowSource {
            source: Box::new(source),
            line,
            column,
        }
    }

    /// A command whose reply matters only when it is an error (then it becomes a notification).
    pub fn core(command: Command) -> Self {
        Self::ask("", 0, command)
    }

    /// A question to the core; the answer comes with `owner` and `number`.
    pub fn ask(owner: &'static str, number: u64, command: Command) -> Self {
        Self::Core {
            command,
            tag: Tag(owner, number),
        }
    }

    /// What went wrong in the core, and what to do about it.
    pub fn failure(severity: Severity, error: &DebuggerError) -> Self {
        Self::Notify {
            severity,
            text: error.what.clone(),
            hint: error.hint.clone(),
        }
    }

    /// A sentence that matters so much.
    pub fn notice(severity: Severity, text: impl Into<String>) -> Self {
        Self::Notify {
            severity,
            text: text.into(),
            hint: None,
        }
    }

    /// An informative line.
    pub fn info(text: impl Into<String>) -> Self {
        Self::notice(Severity::Info, text)
    }

    /// A warning.
    pub fn warn(text: impl Into<String>) -> Self {
        Self::notice(Severity::Warning, text)
    }
}
