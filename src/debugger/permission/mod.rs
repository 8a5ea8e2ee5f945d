//! Who acts on a core and what they may do: actors, permission modes, the driver, approvals, the audit.
//!
//! A person and an agent may look at one live session. Every command that reaches the core has an [`Actor`]; a [`Tier`] says what it
//! may do to the program, and the [`Mode`] (with rules) whether it is done at once, asked about at the screen, or refused. One actor at
//! a time is the driver, who alone changes how the program runs. What was asked, decided and done is in the audit.
//!
//! This file is the data, as it is in the state, in events and on the wire.
//!
//! | file | what is in it |
//! |---|---|
//! | `operation` | what each command is, for consent: its name, its tier, its words |
//! | `path` | expressions that only read a value |
//! | `decide` | mode, rules and tier: allowed, asked about, or refused |
//! | `rules` | the person's rules, from a file of theirs |
//! | `audit` | the file that keeps what was asked, decided and done |
//!
//! Who waits for what, and who drives, is the core's matter.

pub mod audit;
pub mod decide;
pub mod operation;
mod path;
pub mod rules;

pub use path::is_path;

use std::{borrow::Cow, str::FromStr};

use base::text::sanitise::sanitise;

use crate::{ids::ApprovalId, prelude::*};

/// Entries of the audit that the state keeps; the file has all of them.
pub const AUDIT_KEPT: usize = 500;

/// How much a command may do to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// It looks only.
    Read,
    /// It reads a value by a name, a part or an index: nothing is called.
    EvalSafe,
    /// It sets breakpoints, or makes the program run or stand still.
    Control,
    /// It runs code in the program, changes it, starts or ends it.
    Exec,
}

/// What a command is, for consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The name by which rules and people know it; empty for what is only a part of something else, or is judged where it is done.
    pub action: &'static str,
    /// How much it may do.
    pub tier: Tier,
    /// Whether it makes the program go on, or changes it: the driver's alone.
    pub drives: bool,
}

/// What kind of actor it is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A person at a screen or a REPL: never asked for consent, and answers approvals.
    #[default]
    Human,
    /// A script (`run`, `call`), on behalf of whoever started it.
    Script,
    /// A model's client.
    Agent,
}

/// Someone who gives commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Actor {
    pub kind: ActorKind,
    /// What it calls itself (`claude-code 2.1`), safe to show, at most 64 characters; empty for the person at the screen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Number of its connection: two that call themselves the same are not the same. 0 in the core's own process.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub connection: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Actor {
    /// Whether this is the other. In another process than the core's nobody knows the number of their connection, and has 0 for it.
    pub fn is_same(&self, other: &Self) -> bool {
        let same = self.connection == 0 || self.connection == other.connection;
        same && (self.kind, &self.name) == (other.kind, &other.name)
    }

    /// Whether it is a person, who is never asked for consent.
    pub fn is_human(&self) -> bool {
        self.kind == ActorKind::Human
    }
}

impl Actor {
    /// Longest name in characters.
    const LONGEST_NAME: usize = 64;

    /// One that calls itself so; what could not be shown in a line is made visible, and what is too long is cut.
    pub fn new(kind: ActorKind, name: &str) -> Self {
        let name: String = name.trim().chars().take(Self::LONGEST_NAME).collect();
        Self {
            kind,
            name: sanitise(&name).chars().take(Self::LONGEST_NAME).collect(),
            connection: 0,
        }
    }

    /// How others are told of it.
    pub fn to_others(&self) -> Cow<'_, str> {
        match (self.kind, self.name.as_str()) {
            (ActorKind::Human, "") => Cow::Borrowed("the person at the screen"),
            _ => Cow::Owned(self.to_string()),
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.name.as_str()) {
            (ActorKind::Human, "") => f.write_str("you"),
            (ActorKind::Script, "") => f.write_str("a script"),
            (ActorKind::Agent, "") => f.write_str("an agent"),
            (_, name) => f.write_str(name),
        }
    }
}

/// What actors that are not people may do without being asked about, from the least to the most.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Look only.
    Observe,
    /// What a rule allows.
    Rules,
    /// Look; whatever else is asked about.
    #[default]
    Ask,
    /// Look, set breakpoints, step; what runs code in the program is asked about.
    Drive,
    /// Everything; it is audited all the same.
    Auto,
}

/// The environment variable under which no front lets more be done than its mode: what an agent starts has it, and so has what that
/// starts again.
pub const PERMISSION: &str = "OMP_DEBUG_PERMISSION";

/// The names of modes: ours, omp's, and synwire's.
const MODES: [(&str, Mode); 13] = [
    ("observe", Mode::Observe),
    ("rules", Mode::Rules),
    ("ask", Mode::Ask),
    ("drive", Mode::Drive),
    ("auto", Mode::Auto),
    ("always-ask", Mode::Ask),
    ("write", Mode::Drive),
    ("yolo", Mode::Auto),
    ("default", Mode::Ask),
    ("accept-edits", Mode::Drive),
    ("plan-only", Mode::Observe),
    ("bypass-all", Mode::Auto),
    ("deny-unauthorized", Mode::Rules),
];

impl FromStr for Mode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = MODES.iter().find(|(known, _)| *known == name);
        found.map(|(_, mode)| *mode).ok_or_else(|| {
            let names = MODES.iter().map(|(name, _)| *name).joined(", ");
            format!("there are {names}")
        })
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ours = MODES.iter().find(|(_, mode)| mode == self);
        f.pad(ours.map_or("", |(name, _)| name))
    }
}

impl Tier {
    /// The word of omp, which knows two.
    pub fn word(self) -> &'static str {
        if self == Self::Read { "read" } else { "exec" }
    }
}

/// Who gives a command, and on which terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    pub actor: Actor,
    /// The most that it may do without being asked about, whatever the core's own mode allows; none = as much as that.
    pub mode: Option<Mode>,
    /// The stop that it looked at last: what would move or change the program at another one is refused as stale.
    pub expected_stop: Option<StopId>,
}

impl From<Actor> for Caller {
    fn from(actor: Actor) -> Self {
        Self {
            actor,
            ..Self::default()
        }
    }
}

impl Caller {
    /// Whether it is the person at the core's own screen, without any terms.
    pub(crate) fn is_the_person(&self) -> bool {
        *self == Self::default()
    }
}

/// How bad it may end, from the least to the worst: the scale of agents' own permission systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Nothing is changed.
    None,
    /// The program stops or goes on.
    Low,
    /// A program starts, ends, or is taken hold of.
    Medium,
    /// Data of the program are changed.
    High,
    /// Any code may run.
    Critical,
}

/// Something that waits for a person's consent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Its number.
    pub id: ApprovalId,
    /// Who asks.
    pub actor: Actor,
    /// About which session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// As the program stood when it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopId>,
    /// What is asked for, by the name of the action (`evaluate`, `write_memory`, `request_control`).
    pub action: String,
    /// How much it may do.
    pub tier: Tier,
    /// How bad it may end.
    pub risk: Risk,
    /// What it may do to the program, in one sentence.
    pub warning: String,
    /// What exactly: the expression, the bytes, the reason; safe to show, at most 2,000 characters.
    pub subject: String,
    /// Bytes of the whole subject.
    pub subject_bytes: u64,
    /// Where: `shop.py:42 total()`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// Whether the subject can be changed before it is allowed.
    pub editable: bool,
    /// SHA-256, in hex, of session, stop, action and arguments: consent to one thing is consent to nothing else.
    pub hash: String,
    /// Milliseconds since the epoch after which silence is a refusal.
    pub expires_ms: u64,
}

/// What a person says to an [`Approval`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Consent {
    Once,
    /// Do it, and the same kind of thing until the program goes on.
    ThisStop,
    /// Do it, and from now on everything of this action whose subject matches this glob.
    Always {
        /// `*` and `?` stand for any text and any character.
        pattern: String,
    },
    /// Do this instead.
    Edited {
        subject: String,
    },
    Deny {
        /// Why, for the one who asked.
        reason: Option<String>,
    },
    /// Do not, and take nothing more from this actor.
    Abort,
}

/// One line of the audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Milliseconds since the epoch.
    pub time_ms: u64,
    pub actor: Actor,
    /// What, by the name of the action.
    pub action: String,
    /// How much it may do.
    pub tier: Tier,
    /// What exactly, without secrets, cut.
    pub subject: String,
    /// About which session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// `allowed`, `asked`, `approved`, `edited`, `denied`, `expired`, `refused`, …
    pub decision: String,
    /// Why, or what came of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// See [`Approval::hash`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hash: String,
}

/// How a core is shared, as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sharing {
    /// What actors that are not people may do.
    pub mode: Mode,
    /// Who alone changes how the program runs; none until somebody does.
    pub driver: Option<Actor>,
    /// Who is there beside the person, in the order in which they came.
    pub actors: Vec<Actor>,
    /// What waits for consent, oldest first.
    pub approvals: Vec<Approval>,
    /// The last entries of the audit, oldest first.
    pub audit: VecDeque<AuditEntry>,
}

impl Sharing {
    /// Whether nobody else was ever here, so that nothing need be said of it.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Takes in a change.
    pub(crate) fn apply(&mut self, change: &SharingChange) {
        match change {
            SharingChange::Mode { mode } => self.mode = *mode,
            SharingChange::Driver { driver } => self.driver.clone_from(driver),
            SharingChange::Joined { actor } => self.actors.push(actor.clone()),
            SharingChange::Left { actor } => self.actors.retain(|known| known != actor),
            SharingChange::Asked { approval } => self.approvals.push((**approval).clone()),
            SharingChange::Settled { approval, .. } => {
                self.approvals.retain(|waiting| waiting.id != *approval);
            }
            SharingChange::Audited { entry } => {
                self.audit.push_back((**entry).clone());
                while self.audit.len() > AUDIT_KEPT {
                    self.audit.pop_front();
                }
            }
        }
    }
}

/// What changed about how a core is shared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "sharing", rename_all = "snake_case")]
pub enum SharingChange {
    /// Another mode.
    Mode { mode: Mode },
    /// Another driver, or none.
    Driver { driver: Option<Actor> },
    /// Someone came.
    Joined { actor: Actor },
    /// Someone went.
    Left { actor: Actor },
    /// A person is asked.
    Asked { approval: Box<Approval> },
    /// A person answered, or it is too late.
    Settled {
        approval: ApprovalId,
        /// What was decided, as in the audit.
        decision: String,
    },
    /// A line of the audit.
    Audited { entry: Box<AuditEntry> },
}
