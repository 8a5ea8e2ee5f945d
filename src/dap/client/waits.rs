//! How long an adapter took to answer, by command; each answer is a region of our work profile as well.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use base::{
    locks::lock,
    regions::{self, Label},
};

use crate::requests::COMMANDS;

/// What the answers to one command took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wait {
    /// How many came.
    pub count: u64,
    /// All of them together.
    pub total: Duration,
    /// The one that took longest.
    pub longest: Duration,
}

/// The answers of a connection so far; it outlives the connection.
#[derive(Clone, Debug, Default)]
pub struct Waits(Arc<Mutex<BTreeMap<&'static str, Wait>>>);

impl Waits {
    /// An answer to a command that was sent then.
    pub(super) fn answered(&self, command: &str, asked: Instant) {
        let known = COMMANDS.iter().find(|known| **known == command);
        let command = known.copied().unwrap_or("other");
        regions::note(&[Label::of("request"), Label::of(command)], asked);
        let took = asked.elapsed();
        let mut waits = lock(&self.0);
        let wait = waits.entry(command).or_default();
        wait.count += 1;
        wait.total += took;
        wait.longest = wait.longest.max(took);
    }

    /// By command; those that are not in the protocol together as `other`.
    pub fn by_command(&self) -> BTreeMap<&'static str, Wait> {
        lock(&self.0).clone()
    }
}
