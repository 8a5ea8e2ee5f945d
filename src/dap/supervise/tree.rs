//! Who descends from this process, and who traces whom, as `/proc` tells it.
//!
//! One pass over `/proc/PID/stat` and no `children` files: those need a kernel option that many
//! kernels (containers, small virtual machines) are built without.

use std::{collections::HashSet, fs, io};

use base::{stat::Stat, threads::tracer};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// A process, named so that a later process with the same number is not mistaken for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Process {
    pub pid: i32,
    /// Clock ticks from boot to its start (`/proc/PID/stat` field 22).
    started: u64,
}

impl Process {
    /// Sends a signal to this very process; false when it is gone or may not be signalled.
    pub fn signal(self, signal: Signal) -> bool {
        let Some(pid) = Pid::from_raw(self.pid) else {
            return false;
        };
        match pidfd_open(pid, PidfdFlags::empty()) {
            // The descriptor pins a process; only then is it safe to ask whether it is ours.
            Ok(pidfd) => self.is_there() && pidfd_send_signal(&pidfd, signal).is_ok(),
            Err(rustix::io::Errno::NOSYS) => self.is_there() && kill_process(pid, signal).is_ok(),
            Err(_) => false,
        }
    }

    /// Whether the number still belongs to this process.
    pub fn is_there(self) -> bool {
        read_stat(self.pid).is_some_and(|stat| stat.started == self.started)
    }

    /// Whether a debugger traces it.
    pub fn is_traced(self) -> bool {
        tracer(self.pid.into()).is_some()
    }

    /// Whether a debugger holds it still.
    pub fn is_stopped(self) -> bool {
        read_stat(self.pid).is_some_and(|stat| stat.state == 't')
    }
}

fn read_stat(pid: i32) -> Option<Stat> {
    Stat::of(pid.try_into().ok()?)
}

fn numbers() -> io::Result<impl Iterator<Item = i32>> {
    Ok(fs::read_dir("/proc")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok()))
}

/// Every process below `root`, the deepest first, so that a debuggee is ended before the adapter
/// that would otherwise react to its end.
pub fn descendants(root: i32) -> io::Result<Vec<Process>> {
    let mut rest: Vec<(Process, i32)> = numbers()?
        .filter_map(|pid| {
            let stat = read_stat(pid)?;
            let started = stat.started;
            Some((Process { pid, started }, stat.parent.cast_signed()))
        })
        .collect();
    let mut found: Vec<Process> = Vec::new();
    let mut generation = HashSet::from([root]);
    while !generation.is_empty() {
        let (children, others): (Vec<_>, Vec<_>) = rest
            .into_iter()
            .partition(|(_, parent)| generation.contains(parent));
        rest = others;
        generation = children.iter().map(|(process, _)| process.pid).collect();
        found.extend(children.into_iter().map(|(process, _)| process));
    }
    found.reverse();
    Ok(found)
}

/// What the processes below an adapter have left when they ended: its supervisor takes such in.
pub fn left_beside(adapter: u32) -> Vec<(Pid, String)> {
    let Some(supervisor) = Stat::of(adapter).map(|stat| stat.parent) else {
        return Vec::new();
    };
    let left = |pid: i32| {
        let stat = read_stat(pid)?;
        let is_adapter = pid.cast_unsigned() == adapter;
        let is_left = stat.parent == supervisor && !is_adapter && !stat.is_dead();
        Some((Pid::from_raw(pid)?, stat.name)).filter(|_| is_left)
    };
    numbers().map_or_else(|_| Vec::new(), |all| all.filter_map(left).collect())
}

/// Kills the process of this number if it descends from this one; what we launched does, by its supervisor.
pub fn kill_own(pid: i32) -> bool {
    let own = std::process::id().cast_signed();
    descendant(pid, own).is_some_and(|process| process.signal(Signal::KILL))
}

/// Whether the process of this number descends from this one: a number that an adapter tells may be one of another machine's.
pub fn is_own(pid: i32) -> bool {
    descendant(pid, std::process::id().cast_signed()).is_some()
}

/// The process of this number, where it descends from `root`; found from below, by a few files however many processes there are.
fn descendant(pid: i32, root: i32) -> Option<Process> {
    /// Parents that change while they are read could lead in a circle.
    const DEEPEST: usize = 64;
    let first = read_stat(pid)?;
    let mut parent = first.parent.cast_signed();
    for _ in 0..DEEPEST {
        if parent == root {
            let started = first.started;
            return Some(Process { pid, started });
        }
        parent = read_stat(parent)?.parent.cast_signed();
    }
    None
}

/// Those of `tree` that trace a process outside of it: ending one of them hard leaves breakpoint
/// bytes in a program that is not ours to end.
pub fn tracers_of_strangers(tree: &[Process]) -> HashSet<i32> {
    let own: HashSet<i32> = tree.iter().map(|process| process.pid).collect();
    let Ok(all) = numbers() else {
        return HashSet::new();
    };
    all.filter(|pid| !own.contains(pid))
        .filter_map(|pid| Some(tracer(pid.into())?.as_raw_nonzero().get()))
        .filter(|tracer| own.contains(tracer))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_found_below_us_and_a_stranger_is_not_signalled() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let own = std::process::id().cast_signed();
        let pid = child.id().cast_signed();
        let found = descendants(own).unwrap();
        let process = *found.iter().find(|process| process.pid == pid).unwrap();
        let reused = Process {
            started: process.started + 1,
            ..process
        };
        assert!(
            !reused.signal(Signal::KILL),
            "another process by that number"
        );
        assert_eq!(descendant(pid, own), Some(process));
        assert_eq!(descendant(1, own), None);
        assert_eq!(descendant(own, own), None);
        assert!(kill_own(pid));
        child.wait().unwrap();
        assert!(!process.signal(Signal::KILL), "it is gone");
    }
}
