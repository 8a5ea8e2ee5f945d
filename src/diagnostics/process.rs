//! One process, held by its folder below `/proc`.
//!
//! The folder is opened once: when the process ends, what is asked through it fails, even if another process gets the number. So no
//! reading is ever of the wrong process. What is read here is small and of known size.

use base::stat::{Stat, status_line};
use rustix::fs::{Mode, OFlags, open, openat};

use crate::prelude::*;

/// Where the kernel shows processes.
pub const PROC: &str = "/proc";
/// The largest of the small files that is read.
const LARGEST: u64 = 1 << 20;
/// Characters of a command line that are kept.
const LONGEST: usize = 400;

/// Why a process cannot be looked into.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// Nobody has this number.
    #[error("there is no process {0}: `ps -e` shows those there are")]
    Absent(u32),
    /// It was there when it was chosen.
    #[error("process {0} has ended")]
    Ended(u32),
    /// It has ended, and its parent has not asked how.
    #[error(
        "process {pid} ({name}) is a zombie: it has ended, there is nothing left to look at, and it waits for its parent {parent} to notice"
    )]
    Zombie {
        /// Its number.
        pid: u32,
        name: String,
        /// Its parent's number.
        parent: u32,
    },
    /// The number is another process's by now.
    #[error(
        "process {pid} is another one by now ({name}): the one that was chosen has ended, and its number was given again"
    )]
    Reused {
        /// The number.
        pid: u32,
        /// Who has it now.
        name: String,
    },
    /// The kernel does not count.
    #[error(
        "this kernel shows neither smaps_rollup nor smaps of process {0} (it was built without CONFIG_PROC_PAGE_MONITOR)"
    )]
    Uncounted(u32),
    /// There is nothing to look into, we may not, or what the kernel says is not understood; a sentence.
    #[error("{0}")]
    Unfit(String),
    /// Nobody waits for it any more.
    #[error("it was given up")]
    Cancelled,
}

impl ProcessError {
    /// Whether the process is not there (any more): nothing that trying again would change.
    pub fn is_end(&self) -> bool {
        matches!(
            self,
            Self::Absent(_) | Self::Ended(_) | Self::Zombie { .. } | Self::Reused { .. }
        )
    }
}

/// A process that is looked at.
#[derive(Debug)]
pub struct Subject {
    pub(crate) folder: OwnedFd,
    /// Its number.
    pub pid: u32,
    /// When it was started: see [`ProcessIdentity::started`].
    pub started: u64,
    /// Its folder.
    pub path: PathBuf,
    /// Whether the kernel has no `smaps_rollup` (before 4.14): every mapping is added up then.
    pub adds_up: bool,
}

/// Who it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProcessIdentity {
    /// Its number.
    pub pid: u32,
    /// What it is called, made safe.
    pub name: String,
    /// Its command line, made safe; secrets are in it as they are.
    pub command: String,
    /// Its parent's number.
    pub parent: u32,
    /// When it was started: clock ticks since the machine was. With the number, this names a process for ever.
    pub started: u64,
}

impl Subject {
    /// The process of this number; with `started`, only if it is the one that was started then.
    pub fn open(pid: u32, started: Option<u64>) -> Result<Self, ProcessError> {
        Self::open_in(Path::new(PROC), pid, started)
    }

    /// The same below another folder than `/proc`.
    pub fn open_in(proc: &Path, pid: u32, started: Option<u64>) -> Result<Self, ProcessError> {
        let path = proc.join(pid.to_string());
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = open(&path, flags, Mode::empty()).map_err(|errno| match errno {
            Errno::NOENT | Errno::SRCH
                if !proc.join("self").exists() && proc == Path::new(PROC) =>
            {
                ProcessError::Unfit(format!(
                    "cannot look into processes: {} is no folder of Linux's process file system",
                    proc.display()
                ))
            }
            Errno::NOENT | Errno::SRCH | Errno::NOTDIR => ProcessError::Absent(pid),
            errno => unreadable(pid, "its folder", &errno.into()),
        })?;
        let mut subject = Self {
            folder,
            pid,
            started: 0,
            path,
            adds_up: false,
        };
        let stat = subject.stat().map_err(|error| match error {
            ProcessError::Ended(pid) => ProcessError::Absent(pid),
            other => other,
        })?;
        if started.is_some_and(|started| started != stat.started) {
            return Err(ProcessError::Reused {
                pid,
                name: stat.name,
            });
        }
        subject.started = stat.started;
        Ok(subject)
    }

    /// Who it is.
    pub fn who(&self) -> Result<ProcessIdentity, ProcessError> {
        let stat = self.stat()?;
        // Another user's command line can be read; one that cannot is none.
        let command = self.read("cmdline").unwrap_or_default();
        let words: Vec<_> = command
            .split(|byte| *byte == 0)
            .filter(|word| !word.is_empty())
            .map(lossy)
            .collect();
        let command = beginning(&words.join(" "), LONGEST);
        Ok(ProcessIdentity {
            pid: self.pid,
            name: stat.name,
            command: sanitise(&command).into_owned(),
            parent: stat.parent,
            started: stat.started,
        })
    }

    /// After a file was empty: whether there is nothing to be read any more.
    pub(crate) fn check(&self) -> Result<(), ProcessError> {
        self.ended_or(&self.stat()?)
    }

    pub(crate) fn ended_or(&self, before: &Stat) -> Result<(), ProcessError> {
        let now = self.stat()?;
        if before.size == 0 || now.size == 0 {
            return Err(ProcessError::Ended(self.pid));
        }
        Ok(())
    }

    /// Its `stat`; an error for what has no memory.
    pub(crate) fn stat(&self) -> Result<Stat, ProcessError> {
        let text = self.read("stat")?;
        let stat = Stat::parse(&text).ok_or_else(|| self.unexpected("stat", &text))?;
        match stat.state {
            'Z' => Err(ProcessError::Zombie {
                pid: self.pid,
                name: stat.name,
                parent: stat.parent,
            }),
            'X' | 'x' => Err(ProcessError::Ended(self.pid)),
            _ if stat.is_of_kernel() => Err(ProcessError::Unfit(format!(
                "process {} ({}) is a thread of the kernel: it has no program and no memory of its own",
                self.pid, stat.name
            ))),
            _ => Ok(stat),
        }
    }

    /// A small file of its.
    pub(crate) fn read(&self, file: &'static str) -> Result<Vec<u8>, ProcessError> {
        read_at_most(self.open_file(file)?, LARGEST).map_err(|error| self.refused(file, &error))
    }

    pub(crate) fn open_file(&self, file: &'static str) -> Result<File, ProcessError> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        openat(&self.folder, file, flags, Mode::empty())
            .map(File::from)
            .map_err(|errno| self.refused(file, &errno.into()))
    }

    /// What an error of the kernel's means here.
    pub(crate) fn refused(&self, file: &'static str, error: &io::Error) -> ProcessError {
        let pid = self.pid;
        match Errno::from_io_error(error) {
            Some(Errno::NOENT) if file.starts_with("smaps") && self.read("stat").is_ok() => {
                ProcessError::Uncounted(pid)
            }
            Some(Errno::NOENT | Errno::SRCH) => ProcessError::Ended(pid),
            Some(Errno::ACCESS | Errno::PERM) => match self.user() {
                Some(user) if user != rustix::process::geteuid().as_raw() => {
                    ProcessError::Unfit(format!(
                        "process {pid} belongs to {}, and only that user and root may look into it: sudo omp-debug memory --pid {pid}",
                        user_name(user)
                    ))
                }
                _ => ProcessError::Unfit(format!(
                    "process {pid} is closed even to its own user (it has changed its user or its capabilities): sudo omp-debug memory --pid {pid}"
                )),
            },
            _ => unreadable(pid, file, error),
        }
    }

    pub(crate) fn unexpected(&self, file: &'static str, line: &[u8]) -> ProcessError {
        let line = lossy(line.get(..80).unwrap_or(line));
        ProcessError::Unfit(format!(
            "{file} of process {} says {line:?}, which is not understood",
            self.pid
        ))
    }

    /// Whose it is: the effective user. The folder of one that is closed belongs to root, so its `status` is asked.
    pub(crate) fn user(&self) -> Option<u32> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = openat(&self.folder, "status", flags, Mode::empty()).ok()?;
        let text = read_at_most(File::from(file), LARGEST).ok()?;
        let text = String::from_utf8(text).ok()?;
        let ids = status_line(&text, "Uid")?;
        ids.split_whitespace().nth(1)?.parse().ok()
    }
}

fn unreadable(pid: u32, file: &str, error: &io::Error) -> ProcessError {
    ProcessError::Unfit(format!("cannot read {file} of process {pid}: {error}"))
}

/// The name of a user, if this machine's own list has it.
fn user_name(user: u32) -> String {
    let list = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let wanted = user.to_string();
    let name = list.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == wanted).then_some(name)
    });
    match name {
        Some(name) => sanitise(name).into_owned(),
        None => format!("uid {user}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Figures, Sample};
    use std::fs;

    /// A folder as the kernel would show it.
    fn shown(stat: &str, rollup: Option<&str>) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join("7");
        fs::create_dir(&own).unwrap();
        fs::write(own.join("stat"), stat).unwrap();
        if let Some(text) = rollup {
            fs::write(own.join("smaps_rollup"), text).unwrap();
        }
        dir
    }

    fn stat(state: char, flags: u64) -> String {
        format!(
            "7 (a) b) {state} 1 7 7 0 -1 {flags} 100 0 3 0 1 2 0 0 20 0 4 0 4711 {} 5 18446744073709551615",
            64 << 20
        )
    }

    fn sample(dir: &Path) -> Result<Sample, ProcessError> {
        Subject::open_in(dir, 7, None)?.sample(&Cancel::default())
    }

    #[test]
    fn our_own_process_is_counted() {
        let held = vec![1_u8; 32 << 20];
        let mut subject = Subject::open(std::process::id(), None).unwrap();
        let sample = subject.sample(&Cancel::default()).unwrap();
        let figures = sample.figures;
        assert!(held.iter().all(|byte| *byte == 1));
        assert!(figures.own() >= 32 << 20, "{figures:?}");
        assert!(figures.rss >= figures.uss && figures.rss >= figures.pss);
        assert!(figures.size > figures.rss && sample.threads > 0);
        let who = subject.who().unwrap();
        assert_eq!(
            (who.pid, who.started),
            (std::process::id(), subject.started)
        );
        let again = Subject::open(std::process::id(), Some(who.started)).unwrap();
        assert_eq!(again.started, who.started);
        let other = Subject::open(std::process::id(), Some(who.started + 1)).unwrap_err();
        assert!(matches!(other, ProcessError::Reused { .. }), "{other}");
    }

    #[test]
    fn figures_of_a_rollup() {
        let rollup = "5-7 ---p 0 00:00 0 [rollup]\nRss:      16 kB\nPss:  9 kB\nPss_Dirty: 4 kB\nShared_Clean: 6 kB\nShared_Dirty: 1 kB\nPrivate_Clean: 2 kB\nPrivate_Dirty: 7 kB\nAnonymous: 7 kB\nSwap: 3 kB\nSwapPss: 2 kB\nLocked: 1 kB\nNew_Field: x\n";
        let dir = shown(&stat('S', 0), Some(rollup));
        let sample = sample(dir.path()).unwrap();
        let wanted = Figures {
            size: 64 << 20,
            rss: 16 << 10,
            pss: 9 << 10,
            uss: 9 << 10,
            shared: 7 << 10,
            anonymous: 7 << 10,
            swap: 3 << 10,
            swap_pss: 2 << 10,
            locked: 1 << 10,
        };
        assert_eq!(sample.figures, wanted);
        assert_eq!(wanted.own(), 11 << 10);
        assert_eq!(
            (sample.threads, sample.minor_faults, sample.major_faults),
            (4, 100, 3)
        );
    }

    #[test]
    fn what_has_no_memory_says_so() {
        let dir = shown(&stat('Z', 0), None);
        let said = sample(dir.path()).unwrap_err().to_string();
        assert!(
            said.contains("7 (a) b) is a zombie") && said.contains("parent 1"),
            "{said}"
        );
        let dir = shown(&stat('S', 0x0020_0000), None);
        assert!(
            sample(dir.path())
                .unwrap_err()
                .to_string()
                .contains("kernel")
        );
        let dir = shown(&stat('S', 0), None);
        assert!(matches!(
            sample(dir.path()),
            Err(ProcessError::Uncounted(7))
        ));
        let dir = shown("7 (a", Some(""));
        assert!(sample(dir.path()).unwrap_err().to_string().contains("7 (a"));
        let dir = shown(&stat('S', 0), Some("Rss: lots\n"));
        assert!(
            sample(dir.path())
                .unwrap_err()
                .to_string()
                .contains("not understood")
        );
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(sample(dir.path()), Err(ProcessError::Absent(7))));
    }

    #[test]
    fn without_a_rollup_the_mappings_are_added_up() {
        let dir = shown(&stat('S', 0), None);
        let smaps = "1000-3000 rw-p 0 00:00 0\nSize: 8 kB\nRss: 8 kB\nPrivate_Dirty: 8 kB\n4000-5000 r--p 0 08:01 9 /lib/x\nRss: 4 kB\nShared_Clean: 4 kB\n";
        fs::write(dir.path().join("7/smaps"), smaps).unwrap();
        let sample = sample(dir.path()).unwrap();
        assert_eq!(
            (sample.figures.rss, sample.figures.uss),
            (12 << 10, 8 << 10)
        );
        assert_eq!(sample.figures.size, 64 << 20);
    }

    #[test]
    fn one_that_ended_is_not_mistaken_for_its_successor() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let mut subject = Subject::open(child.id(), None).unwrap();
        subject.sample(&Cancel::default()).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let error = subject.sample(&Cancel::default()).unwrap_err();
        assert!(error.is_end(), "{error}");
        assert!(matches!(error, ProcessError::Ended(_)), "{error:?}");
    }
}
