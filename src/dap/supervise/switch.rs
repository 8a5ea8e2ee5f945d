//! A dead man's switch: the kernel kills what is below a supervisor when the supervisor itself is killed.
//!
//! When all our processes are killed at one moment, nobody is left to clean up. So a supervisor holds pipes whose reading ends
//! send KILL to the process groups below it as soon as nobody can write any more (`O_ASYNC`, `F_SETSIG`, `F_SETOWN`). It
//! holds the only writing ends, too: however it dies, the kernel closes them.
//!
//! A reading end must be open still when its writing end is closed. Some kernels close the descriptors of a dead process from
//! the lowest number, others from the highest: one pipe has its writing end below all reading ends, one above.

use std::{
    collections::HashSet,
    io,
    os::fd::{AsRawFd as _, OwnedFd},
};

use rustix::{
    fs::{Mode, OFlags, open},
    io::fcntl_dupfd_cloexec,
    pipe::{PipeFlags, pipe_with},
    process::{Pid, Resource, getpgid, getpgrp, getrlimit},
};

use super::tree::Process;

/// `fcntl`'s word for which signal is sent; libc has it for some systems only.
const F_SETSIG: i32 = 10;
/// The upper writing end has this number, or the highest that may be had.
const UPPER: i32 = 1000;

pub struct Switch {
    // Fields are dropped in this order, and without reading ends nothing happens.
    armed: Vec<OwnedFd>,
    writing: [OwnedFd; 2],
}

impl Switch {
    pub fn new() -> io::Result<Self> {
        let most = getrlimit(Resource::Nofile).current;
        let most = most.and_then(|most| i32::try_from(most).ok());
        let upper = most.map_or(UPPER, |most| UPPER.min(most - 1));
        let (_, lower) = pipe_with(PipeFlags::CLOEXEC)?;
        let (_, above) = pipe_with(PipeFlags::CLOEXEC)?;
        Ok(Self {
            armed: Vec::new(),
            writing: [lower, fcntl_dupfd_cloexec(above, upper)?],
        })
    }

    /// Our death is the end of the groups of `doomed` from now on, and of nobody else's; what they fork later is meant as well.
    pub fn arm(&mut self, doomed: &[Process]) {
        let own = getpgrp();
        let [lower, upper] = &self.writing;
        let above = lower.as_raw_fd() + 1;
        let mut armed = Vec::new();
        let mut known = HashSet::new();
        for process in doomed {
            let of = || getpgid(Pid::from_raw(process.pid)).ok();
            // Our own group would hold strangers.
            let Some(group) = of().filter(|group| *group != own && !known.contains(group)) else {
                continue;
            };
            let (Ok(one), Ok(other)) = (reading(lower, above, group), reading(upper, above, group))
            else {
                continue;
            };
            // The kernel holds on to this very group now; was it theirs then?
            if process.is_there() && of() == Some(group) {
                armed.extend([one, other]);
                known.insert(group);
            }
        }
        // Those armed before are let go of only now: there is no moment without.
        self.armed = armed;
    }

    pub fn disarm(&mut self) {
        self.armed.clear();
    }
}

/// One more reading end of the pipe of `writing`: when nobody writes any more, `group` gets KILL.
fn reading(writing: &OwnedFd, above: i32, group: Pid) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", writing.as_raw_fd());
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = open(path, flags, Mode::empty())?;
    let reading = fcntl_dupfd_cloexec(opened, above)?;
    set(&reading, libc::F_SETOWN, -group.as_raw_nonzero().get())?;
    set(&reading, F_SETSIG, libc::SIGKILL)?;
    set(&reading, libc::F_SETFL, libc::O_ASYNC | libc::O_NONBLOCK)?;
    Ok(reading)
}

fn set(fd: &OwnedFd, what: i32, value: i32) -> io::Result<()> {
    #[expect(
        unsafe_code,
        reason = "rustix does not set the owner and the signal of a descriptor"
    )]
    // SAFETY: these commands take an integer and touch no memory of ours.
    let done = unsafe { libc::fcntl(fd.as_raw_fd(), what, value) };
    if done == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
