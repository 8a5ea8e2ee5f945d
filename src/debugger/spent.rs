//! Where the wall time of a session went: starting, the program running, the program standing still, and the adapter's answers.
//!
//! The times are those of the core that has the session; a front end asks for them with [`super::Command::Spent`]. What the program itself
//! did while it ran is a profiler's business.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::state::Phase;
use crate::dap::client::{Wait, Waits};

/// What a session's time was spent on, in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Until the program ran for the first time.
    pub starting_us: u64,
    /// The program ran.
    pub running_us: u64,
    /// The program stood still.
    pub stopped_us: u64,
    /// The adapter's answers, those that took most together first. They overlap with each other and with the times above.
    pub requests: Vec<Answered>,
}

/// What the answers to one command took, in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The command, as it is called on the wire.
    pub command: String,
    /// How many came.
    pub count: u64,
    /// All of them together.
    pub total_us: u64,
    /// The one that took longest.
    pub longest_us: u64,
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Adds up the phases of one session.
#[derive(Debug, Default)]
pub(super) struct Clock {
    phase: Phase,
    since: Option<Instant>,
    starting: Duration,
    running: Duration,
    stopped: Duration,
    /// Of each connection: a start that is tried again has more than one.
    waits: Vec<Waits>,
}

impl Clock {
    /// The session is in this phase from `now` on.
    pub(super) fn enter(&mut self, phase: Phase, now: Instant) {
        if let (Some(since), Some(time)) = (self.since, self.time()) {
            *time += now.saturating_duration_since(since);
        }
        self.phase = phase;
        self.since = Some(now);
    }

    fn time(&mut self) -> Option<&mut Duration> {
        match self.phase {
            Phase::Initializing | Phase::Configured => Some(&mut self.starting),
            Phase::Running => Some(&mut self.running),
            Phase::Stopped => Some(&mut self.stopped),
            Phase::NotStarted | Phase::Terminated => None,
        }
    }

    /// Its adapter's answers count from now on.
    pub(super) fn listen(&mut self, waits: Waits) {
        self.waits.push(waits);
    }

    /// All of it until now.
    pub(super) fn spent(&mut self, now: Instant) -> Spent {
        self.enter(self.phase, now);
        let mut all: BTreeMap<&'static str, Wait> = BTreeMap::new();
        for (command, wait) in self.waits.iter().flat_map(Waits::by_command) {
            let sum = all.entry(command).or_default();
            sum.count += wait.count;
            sum.total += wait.total;
            sum.longest = sum.longest.max(wait.longest);
        }
        let mut requests: Vec<Answered> = all
            .into_iter()
            .map(|(command, wait)| Answered {
                command: command.to_owned(),
                count: wait.count,
                total_us: microseconds(wait.total),
                longest_us: microseconds(wait.longest),
            })
            .collect();
        requests.sort_by_key(|answered| std::cmp::Reverse(answered.total_us));
        Spent {
            starting_us: microseconds(self.starting),
            running_us: microseconds(self.running),
            stopped_us: microseconds(self.stopped),
            requests,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_its_own_time_and_the_present_one_goes_on() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut clock = Clock::default();
        clock.enter(Phase::Initializing, at(0));
        clock.enter(Phase::Configured, at(30));
        clock.enter(Phase::Running, at(50));
        clock.enter(Phase::Stopped, at(150));
        let spent = clock.spent(at(160));
        assert_eq!(
            (spent.starting_us, spent.running_us, spent.stopped_us),
            (50_000, 100_000, 10_000)
        );
        clock.enter(Phase::Running, at(170));
        clock.enter(Phase::Terminated, at(180));
        let spent = clock.spent(at(9_000));
        assert_eq!(
            (spent.starting_us, spent.running_us, spent.stopped_us),
            (50_000, 110_000, 20_000)
        );
        assert!(spent.requests.is_empty());
    }
}
