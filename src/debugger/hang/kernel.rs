//! What threads of a process did since somebody looked at them last.

use std::{sync::Mutex, time::Instant};

use base::threads::{Task, tasks};

use crate::prelude::*;

/// When processes were last looked at through a core.
#[derive(Clone, Debug, Default)]
pub struct Samples(Arc<Mutex<HashMap<i64, Sample>>>);

/// A moment, and of each thread how long it had run by then.
#[derive(Debug)]
struct Sample {
    at: Instant,
    ran: HashMap<u32, u64>,
    /// What each did between the look before and this one.
    shares: Shares,
}

/// The part of a processor that threads had, or wanted, between two looks.
type Shares = HashMap<u32, f64>;

/// Below this the count says nothing.
const SHORTEST: Duration = Duration::from_millis(30);
/// Above this it is no news of a process that stands still.
const LONGEST: Duration = Duration::from_secs(5);

/// Processes that are remembered.
const MOST_SAMPLES: usize = 64;

impl Samples {
    /// Looks at a process, so that a later look can tell what happened since.
    pub fn look(&self, pid: i64) {
        let tasks = tasks(pid);
        let shares = self.since(pid, &tasks, true);
        let ran = tasks.into_iter().map(|(lwp, task)| (lwp, task.ran));
        let sample = Sample {
            at: Instant::now(),
            ran: ran.collect(),
            shares,
        };
        let mut known = lock(&self.0);
        if known.len() > MOST_SAMPLES {
            known.clear();
        }
        known.insert(pid, sample);
    }

    /// Forgets looks at a process that did since what is not its own.
    pub(crate) fn forget(&self, pid: i64) {
        lock(&self.0).remove(&pid);
    }

    /// Whether there is an earlier look that is old enough.
    pub(super) fn is_known(&self, pid: i64) -> bool {
        let sample = lock(&self.0);
        sample
            .get(&pid)
            .is_some_and(|sample| sample.at.elapsed() >= SHORTEST)
    }

    /// What threads did since the last look; of a process that stands still, what they did before that one.
    pub(super) fn since(&self, pid: i64, tasks: &BTreeMap<u32, Task>, runs: bool) -> Shares {
        let known = lock(&self.0);
        let Some(sample) = known.get(&pid) else {
            return Shares::new();
        };
        let elapsed = sample.at.elapsed();
        if !runs && elapsed < LONGEST {
            return sample.shares.clone();
        }
        let shares = tasks.iter().filter_map(|(lwp, task)| {
            let used = task.ran.saturating_sub(*sample.ran.get(lwp)?) as f64;
            Some((*lwp, (used / elapsed.as_nanos() as f64).min(1.0)))
        });
        shares.filter(|_| runs && elapsed >= SHORTEST).collect()
    }
}
