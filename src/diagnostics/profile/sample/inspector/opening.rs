//! Opens the inspector of a Node that has none open, and shuts it again: only when a person said so, because it is a port in a program of others.
//!
//! Node opens it on `SIGUSR1` (<https://nodejs.org/api/process.html#signal-events>), at the port that its arguments name or 9229, for this
//! machine only. To any other program that signal is deadly, so it is looked first whether it is caught.

use base::{peers::listening, stat::status_line};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::door::{self, InspectorPort};
use crate::profile::sample::{
    prelude::*,
    target::{Runtime, read},
};

/// How long it may take until it listens.
const PATIENCE: Duration = Duration::from_secs(6);
/// How often it is looked.
const LOOK: Duration = Duration::from_millis(30);

/// What is said to a person before it is done: a paragraph each.
pub fn opening(target: &Target) -> Vec<String> {
    vec![
        format!(
            "Functions of JavaScript are seen through the inspector of {}, and it has none open.",
            target.title()
        ),
        format!(
            "SIGUSR1 makes it open one, at 127.0.0.1:{} or where its arguments say. While it is open every program of this machine that can reach that port can run code in it.",
            door::USUAL
        ),
        "It is shut again when the profile is taken.".to_owned(),
    ]
}

/// Opens it.
pub fn open(target: &Target) -> Result<InspectorPort> {
    let why_not = |why: &str| {
        Err(SampleError::Unfit(format!(
            "the inspector of {} cannot be opened: {why}",
            target.title()
        )))
    };
    if target.runtime != Runtime::Node {
        return why_not("only Node opens one while it runs; start it with --inspect");
    }
    if target.stopped {
        return why_not("it stands still; let it go on first");
    }
    // A handle first and a look after it: so it is this process, or none.
    let gone = || ProcessError::Absent(target.pid);
    let pid = i32::try_from(target.pid).ok().and_then(Pid::from_raw);
    let handle = pidfd_open(pid.ok_or_else(gone)?, PidfdFlags::empty())
        .map_err(SampleError::about("a handle of the process"))?;
    Target::look_again(target.pid, target.started)?;
    if !catches(target.pid) {
        return why_not(
            "it does not listen for SIGUSR1 (--disable-sigusr1, or it has only begun), which would end it; start it with --inspect",
        );
    }
    let before = listening(target.pid);
    pidfd_send_signal(&handle, Signal::USR1).map_err(SampleError::about("SIGUSR1"))?;
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if let Some(door) = door::find(target, &before)? {
            return Ok(door);
        }
        if !target.is_there() {
            return Err(target.has_ended().into());
        }
        std::thread::sleep(LOOK);
    }
    why_not(&format!(
        "it got SIGUSR1, and within {} s no inspector answered: it may be busy outside of JavaScript, or another program has port {}",
        PATIENCE.as_secs(),
        door::USUAL
    ))
}

/// Whether a process catches `SIGUSR1`: a bit of `SigCgt` in proc(5).
fn catches(pid: u32) -> bool {
    let status = read(format!("/proc/{pid}/status")).unwrap_or_default();
    let mask = status_line(&status, "SigCgt").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    let bit = u32::try_from(libc::SIGUSR1 - 1).unwrap_or_default();
    mask.is_some_and(|mask| mask.checked_shr(bit).unwrap_or(0) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_would_die_of_it_is_left_alone() {
        let mut child = Command::new("sleep")
            .arg("60")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut target = Target::look(child.id()).unwrap();
        let refused = open(&target).unwrap_err().to_string();
        // As if it were a Node that does not catch the signal.
        target.runtime = Runtime::Node;
        let deadly = open(&target).unwrap_err().to_string();
        target.stopped = true;
        let still = open(&target).unwrap_err().to_string();
        let lives = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(refused.contains("only Node"), "{refused}");
        assert!(deadly.contains("would end it"), "{deadly}");
        assert!(still.contains("stands still"), "{still}");
        assert!(lives);
    }
}
