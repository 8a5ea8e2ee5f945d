//! A core dump of a running process, on request: `gcore` (it comes with gdb) writes it, and stops the process while it does.
//!
//! What it will cost is known before: [`plan`] says how large the file gets and how much room there is. The file appears under its name
//! when it is whole, with mode 0600, and takes no other file's place. It holds everything that the process had in memory, its secrets
//! too; so no report ever takes it in.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::process::{Pid, Signal, kill_process_group};

use super::error::MemoryError;
use super::mappings::{Kind, Mapping, read};
use super::subject::Subject;
use crate::Cancel;
use base::surroundings::on_path;
use base::text::sanitise::sanitise;

/// Between two looks at how far it is.
const LOOK: Duration = Duration::from_millis(50);
/// What a program that was asked to end is given to let go of the process.
const PATIENCE: Duration = Duration::from_secs(3);
/// Bytes of what the tool said that are looked at.
const SAID: usize = 64 << 10;

/// Why there is no core dump.
#[derive(Debug, thiserror::Error)]
pub enum CoreError {
    /// Nothing can write it.
    #[error(
        "gcore is not on PATH: it comes with gdb (apt-get install gdb, dnf install gdb-headless)"
    )]
    NoTool,
    /// A debugger holds the process.
    #[error(
        "process {pid} is held by a debugger (process {tracer}), and only one can: detach it there first"
    )]
    Traced {
        /// Its number.
        pid: u32,
        /// The debugger's number.
        tracer: u32,
    },
    /// There is too little room.
    #[error(
        "the core dump of process {pid} takes at least {needed} bytes, and {folder:?} has room for {free}"
    )]
    NoRoom {
        /// Its number.
        pid: u32,
        /// Bytes that it takes at least.
        needed: u64,
        /// Bytes that are free.
        free: u64,
        /// Where it would have been written.
        folder: PathBuf,
    },
    /// There is a file of this name.
    #[error("there is a file {0:?} already")]
    Exists(PathBuf),
    /// Something in its way in the file system.
    #[error("cannot write {0:?}: {1}")]
    Write(PathBuf, #[source] io::Error),
    /// The tool did not.
    #[error("gcore wrote nothing of process {pid}: {said}")]
    Failed {
        /// Its number.
        pid: u32,
        /// What it said last.
        said: String,
    },
    /// The process cannot be looked into.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Nobody waits for it any more; what was written is gone.
    #[error("the core dump was given up; nothing is left of it")]
    Cancelled,
}

/// What is about to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    tool: PathBuf,
    started: u64,
    /// The process.
    pub pid: u32,
    /// What it is called.
    pub name: String,
    /// Where the file will be.
    pub target: PathBuf,
    /// Bytes that are written at least: what is in memory or swapped out.
    pub at_least: u64,
    /// Bytes that are written at most: all addresses that go into it, touched or not.
    pub at_most: u64,
    /// Bytes that are free there, if that is known.
    pub free: Option<u64>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Finds out what a core dump of `subject` in `folder` would take.
pub fn plan(
    subject: &Subject,
    folder: &Path,
    env: &BTreeMap<String, String>,
    cancel: &Cancel,
) -> Result<Plan, CoreError> {
    let tool = on_path("gcore", env).ok_or(CoreError::NoTool)?;
    let who = subject.who()?;
    if let Some(tracer) = tracer(subject)? {
        return Err(CoreError::Traced {
            pid: who.pid,
            tracer,
        });
    }
    let mappings = read(subject, cancel)?;
    let (at_least, at_most) = estimate(&mappings.all);
    let free = rustix::fs::statvfs(folder)
        .ok()
        .map(|found| found.f_bavail.saturating_mul(found.f_frsize));
    if let Some(free) = free.filter(|free| *free < at_least) {
        return Err(CoreError::NoRoom {
            pid: who.pid,
            needed: at_least,
            free,
            folder: folder.to_path_buf(),
        });
    }
    let name: String = who
        .name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') {
                c
            } else {
                '_'
            }
        })
        .collect();
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    Ok(Plan {
        tool,
        started: who.started,
        pid: who.pid,
        target: folder.join(format!("core.{name}.{}.{now}", who.pid)),
        name: who.name,
        at_least,
        at_most,
        free,
    })
}

/// What goes into it by the kernel's default: what is nobody's file, and files that were changed in memory.
fn estimate(mappings: &[Mapping]) -> (u64, u64) {
    let goes_in = |mapping: &&Mapping| {
        let readable = mapping.access.text().starts_with('r');
        let figures = &mapping.figures;
        match mapping.kind {
            Kind::Heap | Kind::Stack | Kind::Anonymous => readable || figures.anonymous > 0,
            Kind::Shared => {
                readable
                    && (mapping.name.contains("(deleted)") || mapping.name.starts_with("/SYSV"))
            }
            Kind::File => figures.anonymous > 0,
            Kind::Device | Kind::Kernel => false,
        }
    };
    mappings
        .iter()
        .filter(goes_in)
        .fold((0, 0), |(least, most), mapping| {
            let figures = &mapping.figures;
            let held = figures.anonymous.max(if mapping.kind == Kind::Shared {
                figures.rss
            } else {
                0
            });
            (least + held + figures.swap, most + figures.size)
        })
}

/// The number of the process that traces this one.
fn tracer(subject: &Subject) -> Result<Option<u32>, MemoryError> {
    let status = subject.read("status")?;
    let line = status
        .split(|byte| *byte == b'\n')
        .find_map(|line| line.strip_prefix(b"TracerPid:"));
    let number = line.and_then(|line| std::str::from_utf8(line).ok()?.trim().parse().ok());
    Ok(number.filter(|pid| *pid != 0))
}

/// Writes it; `progress` is told the bytes that are there already. The process goes on afterwards, also when this is given up.
pub fn write(
    plan: &Plan,
    cancel: &Cancel,
    progress: &mut dyn FnMut(u64),
) -> Result<Written, CoreError> {
    let failed = |error| CoreError::Write(plan.target.clone(), error);
    if plan.target.symlink_metadata().is_ok() {
        return Err(CoreError::Exists(plan.target.clone()));
    }
    // The person may have thought it over for a while.
    Subject::open(plan.pid, Some(plan.started))?;
    let folder = plan.target.parent().unwrap_or_else(|| Path::new("."));
    // Nobody else can look into it, whatever mode the tool gives its file.
    let own = tempfile::Builder::new()
        .prefix(".core-")
        .permissions(std::fs::Permissions::from_mode(0o700))
        .tempdir_in(folder)
        .map_err(failed)?;
    let said = own.path().join("said");
    let log = std::fs::File::create(&said).map_err(failed)?;
    let mut child = Command::new(&plan.tool)
        .arg("-o")
        .arg(own.path().join("core"))
        .arg(plan.pid.to_string())
        .stdin(Stdio::null())
        .stdout(log.try_clone().map_err(failed)?)
        .stderr(log)
        // What it starts is ended with it.
        .process_group(0)
        .spawn()
        .map_err(|error| CoreError::Failed {
            pid: plan.pid,
            said: format!("{} cannot be started: {error}", plan.tool.display()),
        })?;
    let file = own.path().join(format!("core.{}", plan.pid));
    let size = || file.metadata().map_or(0, |metadata| metadata.len());
    loop {
        match child.try_wait() {
            Ok(Some(_status)) => break,
            Ok(None) if cancel.is_cancelled() => {
                end(&mut child);
                return Err(CoreError::Cancelled);
            }
            Ok(None) => {}
            Err(error) => {
                end(&mut child);
                return Err(failed(error));
            }
        }
        progress(size());
        std::thread::sleep(LOOK);
    }
    let bytes = size();
    if bytes == 0 {
        return Err(CoreError::Failed {
            pid: plan.pid,
            said: reason(&std::fs::read(&said).unwrap_or_default()),
        });
    }
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
    std::fs::File::open(&file)
        .and_then(|file| file.sync_all())
        .map_err(failed)?;
    let moved = renameat_with(CWD, &file, CWD, &plan.target, RenameFlags::NOREPLACE)
        .map_err(io::Error::from)
        .or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Err(error),
            // A file system that cannot promise that; a link never takes another file's place.
            _ => std::fs::hard_link(&file, &plan.target),
        });
    match moved {
        Ok(()) => Ok(Written {
            path: plan.target.clone(),
            bytes,
        }),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(CoreError::Exists(plan.target.clone()))
        }
        Err(error) => Err(failed(error)),
    }
}

/// Ends the tool and what it started: politely, so that it lets go of the process, then for good.
fn end(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let Some(group) = group else { return };
    let began = Instant::now();
    // Gone already, if there is nobody to be told.
    let _ = kill_process_group(group, Signal::TERM);
    while began.elapsed() < PATIENCE {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(LOOK);
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
}

/// The line of what it said that tells why: the last that complains, or else the last.
fn reason(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said.get(..said.len().min(SAID)).unwrap_or_default());
    let lines: Vec<&str> = said
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let complaint = lines.iter().rev().find(|line| {
        let line = line.to_ascii_lowercase();
        [
            "ptrace",
            "not permitted",
            "cannot",
            "can't",
            "unable",
            "no space",
        ]
        .iter()
        .any(|word| line.contains(word))
    });
    let line = complaint
        .or_else(|| lines.last())
        .copied()
        .unwrap_or("it said nothing");
    let mut text: String = sanitise(line).chars().take(200).collect();
    if text.contains("not permitted") {
        text.push_str(" (the kernel allows it to root, or to all of the same user after: sudo sysctl kernel.yama.ptrace_scope=0)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Figures;

    fn program(path: &Path, script: &str) {
        std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A plan for a child of ours, with another tool in gcore's place.
    fn plan_with(dir: &Path, script: &str, pid: u32) -> Plan {
        program(&dir.join("gcore"), script);
        let env = BTreeMap::from([("PATH".to_owned(), dir.display().to_string())]);
        let subject = Subject::open(pid, None).unwrap();
        plan(&subject, dir, &env, &Cancel::default()).unwrap()
    }

    struct Sleeper(Child);

    impl Sleeper {
        fn new() -> Self {
            Self(Command::new("sleep").arg("60").spawn().unwrap())
        }
    }

    impl Drop for Sleeper {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn the_file_is_there_when_it_is_whole_and_nobody_elses() {
        let (dir, child) = (tempfile::tempdir().unwrap(), Sleeper::new());
        let plan = plan_with(dir.path(), "umask 0; printf 12345 > $2.$3", child.0.id());
        assert!(
            plan.at_least > 0 && plan.at_most >= plan.at_least,
            "{plan:?}"
        );
        let written = write(&plan, &Cancel::default(), &mut |_| {}).unwrap();
        assert_eq!((written.bytes, &written.path), (5, &plan.target));
        let mode = plan.target.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let again = write(&plan, &Cancel::default(), &mut |_| {}).unwrap_err();
        assert!(matches!(again, CoreError::Exists(_)));
        let names = std::fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(names, 2, "the tool and the file");
    }

    #[test]
    fn a_refusal_is_told_and_giving_up_leaves_nothing() {
        let (dir, child) = (tempfile::tempdir().unwrap(), Sleeper::new());
        let script =
            "echo 'ptrace: Operation not permitted.'; echo 'gcore: failed to create core'; exit 1";
        let plan = plan_with(dir.path(), script, child.0.id());
        let said = write(&plan, &Cancel::default(), &mut |_| {})
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("Operation not permitted") && said.contains("ptrace_scope"),
            "{said}"
        );
        let plan = plan_with(dir.path(), "printf 1 > $2.$3; exec sleep 60", child.0.id());
        let cancel = Cancel::default();
        let began = Instant::now();
        let given_up = write(&plan, &cancel, &mut |bytes| {
            if bytes > 0 {
                cancel.cancel();
            }
        });
        assert!(matches!(given_up, Err(CoreError::Cancelled)));
        assert!(began.elapsed() < Duration::from_secs(30));
        assert!(!plan.target.exists());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_there_is_no_tool_or_no_room_for() {
        let child = Sleeper::new();
        let subject = Subject::open(child.0.id(), None).unwrap();
        let none = plan(
            &subject,
            Path::new("/tmp"),
            &BTreeMap::new(),
            &Cancel::default(),
        );
        assert!(matches!(none, Err(CoreError::NoTool)));
        let mapping = |kind, access: &str, size, anonymous| Mapping {
            kind,
            access: crate::memory::mappings::tests_access(access),
            figures: Figures {
                size,
                anonymous,
                ..Figures::default()
            },
            ..Mapping::default()
        };
        let all = [
            mapping(Kind::Heap, "rw-p", 100, 60),
            mapping(Kind::File, "r-xp", 1000, 0),
            mapping(Kind::File, "rw-p", 50, 10),
            mapping(Kind::Anonymous, "---p", 500, 0),
            mapping(Kind::Kernel, "r-xp", 8, 8),
        ];
        assert_eq!(estimate(&all), (70, 150));
    }
}
