//! What threads of a process did since somebody looked at them last.

use std::time::Instant;

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
    /// What it did since was not its own.
    disturbed: bool,
}

impl Sample {
    /// Whether only what was seen before this look says what the process does.
    fn stands(&self, runs: bool) -> bool {
        let elapsed = self.at.elapsed();
        self.disturbed && elapsed < ENTERED || !runs && elapsed < LONGEST
    }
}

/// The part of a processor that threads had, or wanted, between two looks.
type Shares = HashMap<u32, f64>;

/// Below this the count says nothing.
const SHORTEST: Duration = Duration::from_millis(30);
/// Above this it is no news of a process that stands still.
const LONGEST: Duration = Duration::from_secs(5);
/// The same of one that a debugger was brought into meanwhile, which takes its time.
const ENTERED: Duration = Duration::from_mins(1);

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
            disturbed: false,
        };
        let mut known = lock(&self.0);
        if known.len() > MOST_SAMPLES {
            known.clear();
        }
        known.insert(pid, sample);
    }

    /// A process did since the last look what is not its own: what it did before that one counts.
    pub(crate) fn disturbed(&self, pid: i64) {
        if let Some(sample) = lock(&self.0).get_mut(&pid) {
            sample.disturbed = true;
        }
    }

    /// Whether there is an earlier look that is old enough.
    pub(super) fn is_known(&self, pid: i64) -> bool {
        let sample = lock(&self.0);
        let is_old = |sample: &Sample| {
            if sample.disturbed {
                sample.stands(true)
            } else {
                sample.at.elapsed() >= SHORTEST
            }
        };
        sample.get(&pid).is_some_and(is_old)
    }

    /// What threads did since the last look; of a process that stands still, what they did before that one.
    pub(super) fn since(&self, pid: i64, tasks: &BTreeMap<u32, Task>, runs: bool) -> Shares {
        let known = lock(&self.0);
        let Some(sample) = known.get(&pid) else {
            return Shares::new();
        };
        if sample.stands(runs) {
            return sample.shares.clone();
        }
        let elapsed = sample.at.elapsed();
        let shares = tasks.iter().filter_map(|(lwp, task)| {
            let used = task.ran.saturating_sub(*sample.ran.get(lwp)?) as f64;
            Some((*lwp, (used / elapsed.as_nanos() as f64).min(1.0)))
        });
        shares.filter(|_| runs && elapsed >= SHORTEST).collect()
    }
}
