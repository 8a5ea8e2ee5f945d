//! Who is to be looked at, checked before anything is started: whether it is there, still the same, ours, and what runs in it.
//!
//! Everything is read from `/proc`, whose formats are in proc(5). How it is sampled then is decided in [`super::choose`].

use base::stat::Stat;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, geteuid, pidfd_open},
};

use crate::{prelude::*, process::Subject};

/// Bytes of a file of `/proc` that are read at most.
const LARGEST: u64 = 8 * 1024 * 1024;

/// What runs a program, as far as it decides who can see its functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Runtime {
    /// Machine code.
    #[default]
    Native,
    /// `CPython`.
    Python,
    Node,
    Deno,
    /// Bun, and omp that runs on it.
    Bun,
}

/// A debugger or tracer of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracer {
    /// Its process.
    pub pid: u32,
    /// What it is called.
    pub name: String,
}

/// Why a process stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A debugger stopped it.
    Debugger,
    /// A signal stopped it, as Ctrl-Z does.
    Signal,
}

/// A process that can be looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Its number.
    pub pid: u32,
    /// When it was started, in clock ticks since the machine was: with the number it names one process for ever.
    pub started: u64,
    /// What it is called; without control characters.
    pub name: String,
    /// What runs it.
    pub runtime: Runtime,
    /// The process that traces it, if one does: nothing else can attach as well.
    pub tracer: Option<Tracer>,
    /// It stands still, by a signal or a debugger.
    pub stopped: bool,
}

/// The text of a file of `/proc`, which may hold any bytes.
pub fn read(path: impl AsRef<Path>) -> io::Result<String> {
    let bytes = read_at_most(File::open(path)?, LARGEST)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl Target {
    /// Looks at a process.
    pub fn look(pid: u32) -> Result<Self, ProcessError> {
        Self::of(&Subject::open(pid, None)?)
    }

    /// The process that was meant: of this number, and started then.
    pub fn look_again(pid: u32, started: u64) -> Result<Self, ProcessError> {
        Self::of(&Subject::open(pid, Some(started))?)
    }

    fn of(subject: &Subject) -> Result<Self, ProcessError> {
        let stat = subject.stat()?;
        let (pid, name) = (subject.pid, stat.name);
        let own = geteuid();
        if let Some(uid) = subject.user()
            && !own.is_root()
            && uid != own.as_raw()
        {
            let own = own.as_raw();
            return Err(ProcessError::Unfit(format!(
                "{name} ({pid}) belongs to user {uid} and you are user {own}: only its owner and the administrator may look into it (sudo omp-debug profile --pid {pid})"
            )));
        }
        let tracer = base::threads::tracer(pid.into())
            .map(|tracer| tracer.as_raw_nonzero().get().unsigned_abs());
        Ok(Self {
            pid,
            started: stat.started,
            runtime: runtime(pid),
            tracer: tracer.map(|pid| Tracer {
                pid,
                name: Stat::of(pid).map_or_else(|| "a process".to_owned(), |stat| stat.name),
            }),
            stopped: matches!(stat.state, 'T' | 't'),
            name,
        })
    }

    /// Whether it is still there, and the same.
    pub fn is_there(&self) -> bool {
        Stat::of(self.pid).is_some_and(|stat| stat.started == self.started && !stat.is_dead())
    }

    /// Whether it ends within this time. What samples it hears of its end before others can see that it is gone.
    pub fn ends_within(&self, patience: Duration) -> bool {
        let number = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        let handle = number.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        // Looked at once the handle is had: it is of that process, then, and of none that got its number.
        if let (true, Some(handle)) = (self.is_there(), handle) {
            let mut ends = [PollFd::new(&handle, PollFlags::IN)];
            // What goes wrong here, such as a signal, is found by looking again.
            let _ = poll(&mut ends, Timespec::try_from(patience).ok().as_ref());
        }
        !self.is_there()
    }

    /// Why it stands still just now, as far as the system knows: a debugger inside of it stops its threads in a way that looks like waiting.
    pub fn standing(&self) -> Option<Standing> {
        match Stat::of(self.pid)?.state {
            't' => Some(Standing::Debugger),
            'T' => Some(Standing::Signal),
            _ => None,
        }
    }

    /// The process by name and number.
    pub fn title(&self) -> String {
        format!("{} ({})", self.name, self.pid)
    }

    /// Said of it when it ends while it is looked at.
    pub(super) fn has_ended(&self) -> ProcessError {
        ProcessError::Unfit(format!("{} has ended", self.title()))
    }

    /// Its threads, in the order of their numbers.
    pub fn threads(&self) -> Vec<u32> {
        numbers_in(format!("/proc/{}/task", self.pid))
    }

    /// It has this thread.
    pub fn check_thread(&self, thread: u32) -> Result<(), ProcessError> {
        const SHOWN: usize = 12;
        let threads = self.threads();
        if threads.contains(&thread) {
            return Ok(());
        }
        let mut have: Vec<String> = threads.iter().take(SHOWN).map(u32::to_string).collect();
        if threads.len() > SHOWN {
            have.push(format!("{} more", threads.len() - SHOWN));
        }
        Err(ProcessError::Unfit(format!(
            "{} has no thread {thread}; it has {}",
            self.title(),
            have.join(", ")
        )))
    }

    /// All that it started and that was started by those, now.
    pub fn descendants(&self) -> Vec<u32> {
        let parents: Vec<(u32, u32)> = numbers_in("/proc")
            .into_iter()
            .filter_map(|pid| Some((pid, Stat::of(pid)?.parent)))
            .collect();
        let mut found = vec![self.pid];
        let mut next = 0;
        while let Some(parent) = found.get(next).copied() {
            next += 1;
            let children = parents.iter().filter(|(_, of)| *of == parent);
            for (child, _) in children {
                if !found.contains(child) {
                    found.push(*child);
                }
            }
        }
        found.remove(0);
        found
    }
}

/// The entries of a folder that are numbers.
pub fn numbers_in(folder: impl AsRef<Path>) -> Vec<u32> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut numbers: Vec<u32> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    numbers
}

/// By the name of its program, or by the library that a program has in itself.
fn runtime(pid: u32) -> Runtime {
    let exe: PathBuf = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    let name = exe.file_name().unwrap_or_default().to_string_lossy();
    match name.trim_end_matches(" (deleted)") {
        "node" | "nodejs" => Runtime::Node,
        "deno" => Runtime::Deno,
        // The last: what npm installs.
        "bun" | "omp" | "bun.exe" => Runtime::Bun,
        name if name.starts_with("python") || name.starts_with("pypy") => Runtime::Python,
        _ => {
            let maps = read(format!("/proc/{pid}/maps")).unwrap_or_default();
            if maps.contains("/libpython3") || maps.contains("/libpython2") {
                Runtime::Python
            } else {
                Runtime::Native
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    #[test]
    fn ourselves_and_nobody() {
        let own = Target::look(std::process::id()).unwrap();
        assert!(own.is_there() && !own.stopped);
        assert_eq!(own.runtime, Runtime::Native);
        assert!(own.check_thread(own.pid).is_ok());
        let error = own.check_thread(1).unwrap_err().to_string();
        assert!(error.contains("has no thread 1; it has "), "{error}");
        for pid in [0, 4_194_305, u32::MAX] {
            assert_eq!(Target::look(pid), Err(ProcessError::Absent(pid)));
        }
    }

    #[test]
    fn another_process_of_the_same_number_is_not_the_one_that_was_meant() {
        let own = Target::look(std::process::id()).unwrap();
        assert!(Target::look_again(own.pid, own.started).is_ok());
        let error = Target::look_again(own.pid, own.started + 1).unwrap_err();
        assert!(error.to_string().contains("is another one by now"));
        let other = Target {
            started: own.started + 1,
            ..own
        };
        assert!(!other.is_there());
    }

    #[test]
    fn a_zombie_and_one_that_stands_still_and_a_child() {
        let mut child = Command::new("sh")
            .args(["-c", "kill -STOP $$; exit 0"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let pid = child.id();
        let waits = Instant::now();
        while !Target::look(pid).is_ok_and(|target| target.stopped) {
            assert!(waits.elapsed() < Duration::from_secs(20));
            std::thread::yield_now();
        }
        let own = Target::look(std::process::id()).unwrap();
        assert!(own.descendants().contains(&pid));
        let stopped = Target::look(pid).unwrap();
        let number = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::kill_process(number, rustix::process::Signal::CONT).unwrap();
        while stopped.is_there() {
            assert!(waits.elapsed() < Duration::from_secs(20));
            std::thread::yield_now();
        }
        let zombie = Target::look(pid).unwrap_err();
        child.wait().unwrap();
        assert!(
            zombie.to_string().contains("is a zombie") && zombie.to_string().contains("parent"),
            "{zombie}"
        );
        assert_eq!(Target::look(pid), Err(ProcessError::Absent(pid)));
    }
}
