//! Breakpoints as the user wants them, and what each session's adapter made of them.
//!
//! The wish and the answer are kept apart: a wish outlives sessions (and is saved per project), an answer belongs to one
//! session and dies with it. Sending them to adapters is `core/`'s business.

use dap::types::DataBreakpointAccessType;
use serde_with_macros::skip_serializing_none;

use super::{anchor::Anchor, permission::Actor, record::Record};
use crate::prelude::*;

/// Where and when the program should stop (or print).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BreakpointSite {
    /// A line of a source file; `column` is 1-based when given.
    Source {
        /// Absolute path of the source file.
        path: PathBuf,
        /// 1-based line as the user set it.
        line: i64,
        /// 1-based column, for adapters that can tell statements of one line apart.
        column: Option<i64>,
    },
    /// The entry of a function, by the name the language gives it.
    Function {
        /// Function name, e.g. `main.main`, `shop::total`.
        name: String,
    },
    /// A machine instruction. True of one process only, so it is not kept with the project.
    Instruction {
        /// The adapter's name for it, mostly its address (`0x5555…`).
        reference: String,
        /// Bytes from there.
        offset: Option<i64>,
    },
    /// Data that is read or changed. True of one process only, so it is not kept with the project.
    Data {
        /// The adapter's name for it, from `dataBreakpointInfo`.
        data_id: String,
        /// What makes it stop; `None` = the adapter's default, mostly a write.
        access: Option<DataBreakpointAccessType>,
        /// What was asked for, in a person's words: a variable, an expression.
        name: Option<String>,
    },
}

impl BreakpointSite {
    /// Whether it means anything to the next process of the same program: addresses do not.
    pub fn outlives_process(&self) -> bool {
        matches!(self, Self::Source { .. } | Self::Function { .. })
    }

    /// The source file that it is in.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Source { path, .. } => Some(path),
            _ => None,
        }
    }

    /// What the line reads that it is at.
    pub fn anchor(&self) -> Option<Anchor> {
        match self {
            Self::Source { path, line, .. } => Anchor::of(path, *line),
            _ => None,
        }
    }

    /// Whether it is at the function that a frame names so, with or without parameters behind it, or without its class before it.
    pub fn is_function(&self, frame: &str) -> bool {
        let Self::Function { name } = self else {
            return false;
        };
        let rest = frame.strip_prefix(name.as_str());
        let class = name.strip_suffix(frame);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
            || !frame.is_empty() && class.is_some_and(|class| class.ends_with('.'))
    }
}

/// As written in lists: a path with its line, `name()`, an address, the data's id.
impl fmt::Display for BreakpointSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source { path, line, .. } => write!(f, "{}:{line}", path.display()),
            Self::Function { name } => write!(f, "{name}()"),
            Self::Instruction {
                reference,
                offset: None | Some(0),
            } => f.write_str(reference),
            Self::Instruction {
                reference,
                offset: Some(offset),
            } => write!(f, "{reference}{offset:+}"),
            Self::Data { data_id, name, .. } => f.write_str(name.as_ref().unwrap_or(data_id)),
        }
    }
}

/// One breakpoint of the user's: site, refinements, and the answers of the sessions that were told of it.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoint {
    /// Our own id, stable for the life of the core.
    pub id: BreakpointId,
    pub site: BreakpointSite,
    /// Stop only when this expression of the debuggee's language is true.
    pub condition: Option<String>,
    /// Stop on the n-th hit: a number, or what the adapter understands (`>= 3`, `% 2`).
    pub hit_condition: Option<String>,
    /// Print this (with `{expressions}`) and do not stop.
    pub log_message: Option<String>,
    /// Record this and do not stop.
    pub record: Option<Record>,
    /// How the adapter is to make it (`hardware`), as it was written: see [`super::modes`].
    pub mode: Option<String>,
    /// A disabled breakpoint is kept and shown, and no adapter knows of it.
    pub enabled: bool,
    /// Removed by itself at the first stop (run to cursor, the program's own entry).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub temporary: bool,
    /// The session whose process it is true of, or alone meant, and with which it goes; none for those of all sessions.
    pub session: Option<SessionId>,
    /// It was given for this run of ours, and is not kept with the project.
    pub passing: Option<Passing>,
    /// Who set or last changed it, where that was not the person.
    pub by: Option<Actor>,
    /// Why nothing stopped at it in the last run that had it in place, where that is worth saying.
    pub never_hit: Option<String>,
    /// What its line read when it was set there. Nobody else's business, so that it is in no event.
    #[serde(skip)]
    pub anchor: Option<Anchor>,
    /// What each live session's adapter answered.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "super::keyed::deserialize"
    )]
    pub answers: BTreeMap<SessionId, BreakpointAnswer>,
}

/// Of a breakpoint that is not kept with the project.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passing {
    /// What the project keeps at its place.
    pub instead_of: Option<Box<Breakpoint>>,
}

/// What one adapter said of one breakpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakpointAnswer {
    /// The adapter's id, the key of later `breakpoint` events; some adapters give none.
    pub adapter_id: Option<i64>,
    /// False while pending.
    pub verified: bool,
    /// Line at which it really sits, when it was moved.
    pub line: Option<i64>,
    /// The adapter's remark, mostly why it is not verified.
    pub message: Option<String>,
    /// It is in another language's file, of which the adapter was not told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub foreign: bool,
}

/// How a breakpoint is to be drawn: one word for all sessions together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreakpointStatus {
    /// No live session knows of it yet.
    Pending,
    /// At least one live session has it in place.
    Verified,
    /// Every live session that answered could not place it.
    Unverified,
    /// Switched off by the user.
    Disabled,
}

impl Breakpoint {
    /// An enabled breakpoint without refinements.
    pub fn new(id: BreakpointId, site: BreakpointSite) -> Self {
        Self {
            id,
            site,
            condition: None,
            hit_condition: None,
            log_message: None,
            record: None,
            mode: None,
            enabled: true,
            temporary: false,
            session: None,
            passing: None,
            by: None,
            never_hit: None,
            anchor: None,
            answers: BTreeMap::new(),
        }
    }

    /// Whether the program stands still at it, and does not print or record something and go on.
    pub fn stops(&self) -> bool {
        self.log_message.is_none() && self.record.is_none()
    }

    /// Whether it stops at each hit, whatever holds.
    pub fn is_plain(&self) -> bool {
        self.stops() && self.condition.is_none() && self.hit_condition.is_none()
    }

    /// The state to draw, over all sessions.
    pub fn status(&self) -> BreakpointStatus {
        if !self.enabled {
            BreakpointStatus::Disabled
        } else if self.answers.is_empty() {
            BreakpointStatus::Pending
        } else if self.answers.values().any(|a| a.verified) {
            BreakpointStatus::Verified
        } else {
            BreakpointStatus::Unverified
        }
    }

    /// The line to draw it at: where an adapter moved it, else where it was set. `None` for function breakpoints.
    pub fn shown_line(&self) -> Option<i64> {
        match &self.site {
            BreakpointSite::Source { line, .. } => self
                .answers
                .values()
                .find(|a| a.verified)
                .and_then(|a| a.line)
                .or(Some(*line)),
            BreakpointSite::Function { .. }
            | BreakpointSite::Instruction { .. }
            | BreakpointSite::Data { .. } => None,
        }
    }

    /// The line that was asked for and the one where it is, where an adapter put it elsewhere.
    pub fn moved(&self) -> Option<(i64, i64)> {
        match &self.site {
            BreakpointSite::Source { line, .. } => {
                let real = self.shown_line().filter(|real| real != line)?;
                Some((*line, real))
            }
            _ => None,
        }
    }

    /// The remark of the first adapter that made one.
    pub fn message(&self) -> Option<&str> {
        self.answers.values().find_map(|a| a.message.as_deref())
    }

    /// `file.py:12` or the function's name, for lists and sentences.
    pub fn label(&self) -> String {
        match &self.site {
            BreakpointSite::Source { path, line, .. } => {
                let name = path
                    .file_name()
                    .map_or_else(|| path.to_string_lossy(), |n| n.to_string_lossy());
                format!("{name}:{line}")
            }
            site => site.to_string(),
        }
    }
}

/// Which breakpoints an adapter put elsewhere, as far as a person was told.
#[derive(Clone, Debug, Default)]
pub struct Moves(BTreeMap<BreakpointId, (i64, i64)>);

impl Moves {
    /// A sentence for each that was moved since this was last asked. One that stays where it was moved to is not told again, in
    /// the next session neither.
    pub fn news(&mut self, breakpoints: &[Breakpoint]) -> Vec<String> {
        self.0
            .retain(|id, _| breakpoints.iter().any(|b| b.id == *id));
        let mut told = Vec::new();
        for breakpoint in breakpoints.iter().filter(|b| b.enabled && !b.temporary) {
            let Some(moved) = breakpoint.moved() else {
                continue;
            };
            if self.0.insert(breakpoint.id, moved) != Some(moved) {
                told.push(format!(
                    "{} has no code: its breakpoint is at line {}.",
                    breakpoint.label(),
                    moved.1
                ));
            }
        }
        told
    }
}

/// A breakpoint to make, or to change when one is already at its site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakpointSpec {
    /// Change this one, wherever it is.
    pub id: Option<BreakpointId>,
    pub site: BreakpointSite,
    /// See [`Breakpoint::condition`].
    pub condition: Option<String>,
    /// See [`Breakpoint::hit_condition`].
    pub hit_condition: Option<String>,
    /// See [`Breakpoint::log_message`].
    pub log_message: Option<String>,
    /// See [`Breakpoint::record`].
    pub record: Option<Record>,
    /// See [`Breakpoint::mode`].
    pub mode: Option<String>,
    /// See [`Breakpoint::enabled`].
    pub enabled: bool,
    /// See [`Breakpoint::temporary`].
    pub temporary: bool,
    /// Not kept with the project: see [`Breakpoint::passing`].
    #[serde(default)]
    pub for_this_run: bool,
}

impl BreakpointSpec {
    /// A plain one at a line.
    pub fn line(path: impl Into<PathBuf>, line: i64) -> Self {
        Self::at(BreakpointSite::Source {
            path: path.into(),
            line,
            column: None,
        })
    }

    /// A plain one anywhere.
    pub fn at(site: BreakpointSite) -> Self {
        Self {
            id: None,
            site,
            condition: None,
            hit_condition: None,
            log_message: None,
            record: None,
            mode: None,
            enabled: true,
            temporary: false,
            for_this_run: false,
        }
    }

    /// The same, not kept with the project.
    #[must_use]
    pub fn for_this_run(self) -> Self {
        Self {
            for_this_run: true,
            ..self
        }
    }

    /// What would turn `breakpoint` into itself: for editing, after which it is kept.
    pub fn of(breakpoint: &Breakpoint) -> Self {
        Self {
            id: Some(breakpoint.id),
            site: breakpoint.site.clone(),
            condition: breakpoint.condition.clone(),
            hit_condition: breakpoint.hit_condition.clone(),
            log_message: breakpoint.log_message.clone(),
            record: breakpoint.record.clone(),
            mode: breakpoint.mode.clone(),
            enabled: breakpoint.enabled,
            temporary: breakpoint.temporary,
            for_this_run: false,
        }
    }
}

/// One exception filter of an adapter that the user switched on, or off.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionFilter {
    /// The adapter's filter id (`raised`, `uncaught`, `cpp_throw`), or an exception type where the adapter takes
    /// conditions on types.
    pub filter: String,
    /// Expression or type list that narrows it, for filters that support one.
    pub condition: Option<String>,
    /// How the adapter is to make it, as it was written: see [`super::modes`].
    pub mode: Option<String>,
    /// It was on offer when the choice was made, and is off: filters that no choice names are those of other adapters.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off: bool,
    /// It is the name of a type that somebody wrote beside the filters on offer, and not one of another adapter's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_type: bool,
}

impl ExceptionFilter {
    /// A filter by its id, without refinements.
    pub fn named(filter: impl Into<String>) -> Self {
        Self {
            filter: filter.into(),
            ..Self::default()
        }
    }
}
