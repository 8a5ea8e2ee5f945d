//! What a look at a program tells: who runs in it, where each is, what each waits for, and who never goes on.

use crate::prelude::*;

/// Who had more of a processor than this works.
pub const BUSY: f64 = 0.5;

/// One of those that run in a program: a thread, a goroutine, a task, a suspended async function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Waiter {
    /// Names it among all of them.
    pub key: String,
    /// What it is: `thread`, `goroutine`, `asyncio task`, `async function`.
    pub kind: String,
    /// Its name, for people.
    pub name: String,
    pub session: SessionId,
    /// The adapter's number for it, when it is a thread there.
    pub thread: Option<i64>,
    /// The system's number for it.
    pub lwp: Option<u32>,
    /// The part of a processor it used since the last look, from 0 to 1.
    pub cpu: Option<f64>,
    /// Whether it runs, when known: it waits otherwise.
    pub running: Option<bool>,
    /// Where it is, innermost first.
    pub frames: Vec<Frame>,
    pub wait: Option<Wait>,
}

/// One call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Frame {
    /// The function.
    pub name: String,
    /// Its file.
    pub path: Option<String>,
    pub line: i64,
    /// Whether it is the person's own code, and not a library's.
    pub own: bool,
    /// The adapter's number for it, at this stop.
    pub id: Option<i64>,
}

/// What one waits for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wait {
    /// In words: `the mutex 0x55…`.
    pub what: String,
    /// Keys of those that can end it; none when that cannot be told.
    pub holders: Vec<String>,
    /// All of them must go on for that; any of them otherwise.
    pub all: bool,
    /// Nobody can end it, ever.
    pub never: bool,
    /// It is for a lock that somebody holds.
    pub lock: bool,
    /// How it is known.
    pub how: String,
    /// It was read, not inferred.
    pub certain: bool,
}

impl Wait {
    pub(super) fn of(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            ..Self::default()
        }
    }
}

/// Those who never go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deadlock {
    /// Keys of those in the circle, each waits for the next, the last for the first; or of the one that waits for what never comes.
    pub cycle: Vec<String>,
    /// Keys of those who wait for these.
    pub behind: Vec<String>,
    /// All of it was read; something was inferred otherwise.
    pub certain: bool,
}

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hang {
    /// Of which program, in words.
    pub program: String,
    /// All of them.
    pub waiters: Vec<Waiter>,
    /// Those with equal stacks, by their places in `waiters`; most first.
    pub groups: Vec<Vec<usize>>,
    /// Who never goes on.
    pub deadlocks: Vec<Deadlock>,
    /// So many more were not looked at.
    pub left_out: usize,
    /// The debugger tells of so many, and there are more.
    pub told_at_most: Option<usize>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// Milliseconds that the program stood still for it; none when it stood anyway.
    pub stood_ms: Option<u64>,
}

impl Hang {
    /// The one of this key.
    pub fn waiter(&self, key: &str) -> Option<&Waiter> {
        self.waiters.iter().find(|waiter| waiter.key == key)
    }
}
