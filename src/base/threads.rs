//! Threads of a process on this machine, as the kernel knows them: how long each ran (`schedstat`), whether it runs now, which system call it
//! is in (`proc_pid_stat(5)`, `proc_pid_syscall(5)`), and whether a debugger holds them. Where there is no `/proc`, or it may not be read, nothing is known.

use std::{collections::BTreeMap, fs};

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::{Interest, unix::AsyncFd};

use crate::stat::{Stat, status_line};

/// Threads of which it is asked.
pub const MOST: usize = 4096;

/// `futex` among the system calls.
pub const FUTEX: u64 = if cfg!(target_arch = "aarch64") {
    98
} else {
    202
};

/// One thread.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// Its name, fit to be shown.
    pub name: String,
    /// It is on a processor, or could be.
    pub runs: bool,
    /// Nanoseconds on a processor, or waiting for one.
    pub ran: u64,
    /// The system call's number, and its first arguments.
    pub call: Option<[u64; 4]>,
}

/// All threads of a process, by their numbers.
pub fn tasks(pid: i64) -> BTreeMap<u32, Task> {
    let folder = fs::read_dir(format!("/proc/{pid}/task"));
    let entries = folder.into_iter().flatten().flatten().take(MOST);
    let tasks = entries.filter_map(|entry| {
        let lwp = entry.file_name().to_str()?.parse().ok()?;
        let read = |name: &str| fs::read_to_string(entry.path().join(name)).ok();
        let stat = Stat::read(entry.path().join("stat"))?;
        let call = read("syscall");
        // In ticks, of which there are a hundred in a second on every system that has no schedstat.
        let ticks = stat.user + stat.kernel;
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
                name: stat.name,
                runs: stat.state == 'R',
                ran: ran.unwrap_or(ticks * 10_000_000),
                call: numbers.and_then(|numbers| numbers.try_into().ok()),
            },
        ))
    });
    tasks.collect()
}

/// Whether threads of a process know themselves by the numbers that we know them by: in a container they have others.
pub fn has_our_numbers(pid: i64) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status_line(&status, "NSpid").is_some_and(|numbers| numbers.split_whitespace().count() == 1)
}

/// Resolves when the debugger that traces this process has ended; at once where there is none, or where that cannot be known.
pub async fn untraced(pid: i64) {
    while let Some(tracer) = tracer(pid) {
        // With its end it has let go.
        if !ended(tracer).await {
            return;
        }
    }
}

/// Resolves when a process has ended; at once, with `false`, where that cannot be known. Never while a debugger keeps threads of it that it
/// traces: the kernel says so when the last one is gone.
pub async fn ended(pid: Pid) -> bool {
    let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) else {
        return false;
    };
    #[expect(unsafe_code, reason = "the runtime has no safe form for a descriptor")]
    // SAFETY: an owned descriptor is open, and the same one, for as long as it is owned.
    let pidfd = unsafe { AsyncFd::register_with_interest(pidfd, Interest::READABLE) };
    match pidfd {
        Ok(pidfd) => pidfd.readable().await.is_ok(),
        Err(_) => false,
    }
}

/// The process that traces this one; nothing where there is none, or where that cannot be known.
pub fn tracer(pid: i64) -> Option<Pid> {
    let field = |pid: i64, name: &str| -> Option<i64> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        status_line(&status, name)?.parse().ok()
    };
    // The kernel names the thread that traces; delve traces from one that is not its first.
    let thread = field(pid, "TracerPid").filter(|thread| *thread != 0)?;
    Pid::from_raw(field(thread, "Tgid").unwrap_or(thread).try_into().ok()?)
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
