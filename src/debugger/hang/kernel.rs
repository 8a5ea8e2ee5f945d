//! What the kernel says of threads of a process on this machine: how long each ran (`schedstat`), whether it runs now, which system call it
//! is in (`proc_pid_stat(5)`, `proc_pid_syscall(5)`). Where there is no `/proc`, or it may not be read, nothing is known.

use std::{
    fs,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use base::text::sanitise::sanitise;

use crate::prelude::*;

/// Threads of which it is asked.
const MOST: usize = 4096;

/// One thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    pub(super) name: String,
    pub(super) runs: bool,
    /// Nanoseconds on a processor, or waiting for one.
    ran: u64,
    /// The system call's number, and its first arguments.
    pub(super) call: Option<[u64; 4]>,
}

/// All threads of a process, by their numbers.
pub(super) fn tasks(pid: i64) -> BTreeMap<u32, Task> {
    let folder = fs::read_dir(format!("/proc/{pid}/task"));
    let entries = folder.into_iter().flatten().flatten().take(MOST);
    let tasks = entries.filter_map(|entry| {
        let lwp = entry.file_name().to_str()?.parse().ok()?;
        let read = |name: &str| fs::read_to_string(entry.path().join(name)).ok();
        let (stat, call) = (read("stat")?, read("syscall"));
        let (front, back) = stat.rsplit_once(')')?;
        let name = front.split_once('(')?.1;
        let fields: Vec<&str> = back.split_ascii_whitespace().collect();
        // In ticks, of which there are a hundred in a second on every system that has no schedstat.
        let ticks = |at: usize| fields.get(at).and_then(|f| f.parse::<u64>().ok());
        let ticks = ticks(11).unwrap_or(0) + ticks(12).unwrap_or(0);
        // The second number is how long it would have run, had there been a processor for it.
        let ran = read("schedstat").and_then(|text| {
            let mut numbers = text.split(' ').map(|n| n.parse::<u64>().ok());
            numbers.next()??.checked_add(numbers.next()??)
        });
        let numbers = call
            .as_deref()
            .unwrap_or_default()
            .split_whitespace()
            .map(number);
        let numbers: Option<Vec<u64>> = numbers.take(4).collect();
        Some((
            lwp,
            Task {
                name: sanitise(name).into_owned(),
                runs: fields.first() == Some(&"R"),
                ran: ran.unwrap_or(ticks * 10_000_000),
                call: numbers.and_then(|numbers| numbers.try_into().ok()),
            },
        ))
    });
    tasks.collect()
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// When processes were last looked at, by whomever here.
static SAMPLES: LazyLock<Mutex<HashMap<i64, Sample>>> = LazyLock::new(Mutex::default);

fn samples() -> MutexGuard<'static, HashMap<i64, Sample>> {
    SAMPLES.lock().unwrap_or_else(PoisonError::into_inner)
}

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

/// Looks at a process, so that a later look can tell what happened since.
pub fn sample(pid: i64) {
    let tasks = tasks(pid);
    let shares = since(pid, &tasks, true);
    let ran = tasks.into_iter().map(|(lwp, task)| (lwp, task.ran));
    let sample = Sample {
        at: Instant::now(),
        ran: ran.collect(),
        shares,
    };
    let mut known = samples();
    if known.len() > MOST_SAMPLES {
        known.clear();
    }
    known.insert(pid, sample);
}

/// Whether there is an earlier look that is old enough.
pub(super) fn is_known(pid: i64) -> bool {
    samples()
        .get(&pid)
        .is_some_and(|sample| sample.at.elapsed() >= SHORTEST)
}

/// What threads did since the last look; of a process that stands still, what they did before that one.
pub(super) fn since(pid: i64, tasks: &BTreeMap<u32, Task>, runs: bool) -> Shares {
    let known = samples();
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
