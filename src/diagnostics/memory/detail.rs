//! What belongs to a process besides its mappings: threads, open files, limits.
//!
//! Formats: `proc_pid_task(5)`, `proc_pid_fd(5)`, `proc_pid_limits(5)`. What ends while the list is made is left out of it.

use base::stat::{Stat, status_line};
use rustix::fs::{Dir, Mode, OFlags, openat, readlinkat};

use crate::{prelude::*, process::Subject};

/// Rows that a list has at most; what there is beyond is counted.
pub const MOST: usize = 10_000;

/// A list that may be cut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CutList<T> {
    pub count: usize,
    /// The first [`MOST`] of them.
    pub rows: Vec<T>,
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Thread {
    /// Its number.
    pub tid: u32,
    /// Its name, made safe.
    pub name: String,
    /// What it does: `running`, `sleeping`, `waiting for a disk`, `stopped`, `traced`, `idle`, `ended`.
    pub state: &'static str,
    /// Processor time that it took, in milliseconds.
    pub cpu_ms: u64,
}

/// An open file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OpenFile {
    /// Its number.
    pub fd: u32,
    /// What it is: `file`, `deleted file`, `device`, `pipe`, `socket`, `memory`, or the kernel's own word (`eventpoll`, `eventfd`, …).
    pub kind: String,
    /// Its path, or what the kernel calls it, made safe.
    pub target: String,
}

/// A limit of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// What is limited, as the kernel says it.
    pub name: String,
    /// What is in force; nothing = unlimited.
    pub soft: Option<u64>,
    /// What it can be raised to; nothing = unlimited.
    pub hard: Option<u64>,
    /// `bytes`, `files`, …; empty for a plain number.
    pub unit: String,
    /// How much of it is used, where that is known.
    pub used: Option<u64>,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Detail {
    /// Its threads, the busiest first.
    pub threads: CutList<Thread>,
    /// Its open files, by number.
    pub files: CutList<OpenFile>,
    /// How many open files there are of each kind.
    pub file_kinds: BTreeMap<String, usize>,
    pub limits: Vec<Limit>,
    /// How readily the kernel ends it when memory is short: 0 never, 1000 first.
    pub oom_score: Option<i64>,
    /// What was asked for about that: -1000 never to 1000 first.
    pub oom_score_adj: Option<i64>,
}

impl Detail {
    /// Reads all of it: two or three calls for each thread and each open file.
    pub fn read(subject: &Subject, cancel: &Cancel) -> Result<Self, ProcessError> {
        let threads = threads(subject, cancel)?;
        let (files, file_kinds) = files(subject, cancel)?;
        let number = |file: &'static str| {
            let text = subject.read(file).ok()?;
            std::str::from_utf8(&text).ok()?.trim().parse().ok()
        };
        let mut limits = limits(&subject.read("limits")?);
        let status = subject.read("status").unwrap_or_default();
        let status = String::from_utf8_lossy(&status);
        for limit in &mut limits {
            limit.used = match limit.name.as_str() {
                "open files" => Some(files.count as u64),
                "address space" => kilobytes(&status, "VmSize"),
                "data size" => kilobytes(&status, "VmData"),
                "stack size" => kilobytes(&status, "VmStk"),
                "locked memory" => kilobytes(&status, "VmLck"),
                "resident set" => kilobytes(&status, "VmRSS"),
                _ => None,
            };
        }
        Ok(Self {
            threads,
            files,
            file_kinds,
            limits,
            oom_score: number("oom_score"),
            oom_score_adj: number("oom_score_adj"),
        })
    }
}

/// `VmSize:   1234 kB`, in bytes.
fn kilobytes(status: &str, name: &str) -> Option<u64> {
    let value = status_line(status, name)?;
    let number: u64 = value.split_ascii_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

/// What is known of each number in a folder; of one that is gone meanwhile nothing is.
fn listed<T>(
    subject: &Subject,
    name: &'static str,
    cancel: &Cancel,
    mut row: impl FnMut(&OwnedFd, u32) -> Option<T>,
) -> Result<CutList<T>, ProcessError> {
    let refused = |errno: Errno| subject.refused(name, &errno.into());
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = openat(&subject.folder, name, flags, Mode::empty()).map_err(refused)?;
    let mut numbers: Vec<u32> = Vec::new();
    for entry in Dir::read_from(&dir).map_err(refused)? {
        let entry = entry.map_err(refused)?;
        let number = entry.file_name().to_str().ok();
        numbers.extend(number.and_then(|text| text.parse::<u32>().ok()));
    }
    numbers.sort_unstable();
    let mut rows = Vec::with_capacity(numbers.len().min(MOST));
    for number in numbers.iter().take(MOST) {
        if cancel.is_cancelled() {
            return Err(ProcessError::Cancelled);
        }
        rows.extend(row(&dir, *number));
    }
    Ok(CutList {
        count: numbers.len(),
        rows,
    })
}

fn threads(subject: &Subject, cancel: &Cancel) -> Result<CutList<Thread>, ProcessError> {
    let mut listed = listed(subject, "task", cancel, thread)?;
    let order = |thread: &Thread| (std::cmp::Reverse(thread.cpu_ms), thread.tid);
    listed.rows.sort_by_key(order);
    Ok(listed)
}

fn thread(dir: &OwnedFd, tid: u32) -> Option<Thread> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat(dir, format!("{tid}/stat"), flags, Mode::empty()).ok()?;
    let text = read_at_most(File::from(file), 1 << 16).ok()?;
    let stat = Stat::parse(&text)?;
    let state = match stat.state {
        'R' => "running",
        'S' => "sleeping",
        'D' => "waiting for a disk",
        'T' => "stopped",
        't' => "traced",
        'I' => "idle",
        'Z' | 'X' | 'x' => "ended",
        _ => "unknown",
    };
    Some(Thread {
        tid,
        name: stat.name,
        state,
        // In hundredths of a second on every Linux that there is.
        cpu_ms: (stat.user + stat.kernel) * 10,
    })
}

fn files(
    subject: &Subject,
    cancel: &Cancel,
) -> Result<(CutList<OpenFile>, BTreeMap<String, usize>), ProcessError> {
    let mut kinds = BTreeMap::new();
    let listed = listed(subject, "fd", cancel, |dir, fd| {
        // Nothing for one that was closed since the list was made.
        let target = readlinkat(dir, fd.to_string(), Vec::new()).ok()?;
        let target = sanitise(&lossy(target.as_bytes())).into_owned();
        let kind = kind_of(&target);
        *kinds.entry(kind.clone()).or_default() += 1;
        Some(OpenFile { fd, kind, target })
    })?;
    Ok((listed, kinds))
}

fn kind_of(target: &str) -> String {
    let word = |prefix: &str| target.starts_with(prefix);
    let kind = if word("socket:") {
        "socket"
    } else if word("pipe:") {
        "pipe"
    } else if word("/memfd:") || word("/dev/shm/") {
        "memory"
    } else if word("/dev/") {
        "device"
    } else if let Some(own) = target.strip_prefix("anon_inode:") {
        return own.trim_matches(['[', ']']).to_owned();
    } else if !word("/") {
        // `mnt:[4026531840]`: the kernel's namespaces.
        return target.split(':').next().unwrap_or_default().to_owned();
    } else if target.ends_with(" (deleted)") {
        "deleted file"
    } else {
        "file"
    };
    kind.to_owned()
}

/// A table with columns of fixed places; lines that are not understood are left out.
fn limits(text: &[u8]) -> Vec<Limit> {
    // Made safe field by field: it is a table of lines.
    let text = String::from_utf8_lossy(text);
    let read = |line: &str| {
        let line = line.strip_prefix("Max ")?;
        // Blanks stand within names, but only one at a time.
        let mut fields = line.split("  ").map(str::trim).filter(|f| !f.is_empty());
        let name = fields.next()?;
        let mut value = || match fields.next()? {
            "unlimited" => Some(None),
            number => number.parse().ok().map(Some),
        };
        let (soft, hard) = (value()?, value()?);
        Some(Limit {
            name: sanitise(name).into_owned(),
            soft,
            hard,
            unit: sanitise(fields.next().unwrap_or_default()).into_owned(),
            used: None,
        })
    };
    text.lines().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_files_and_limits_of_our_own() {
        let (stop, wait) = std::sync::mpsc::channel::<()>();
        let (ready, begun) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name("leaky-\u{1b}[1m".to_owned());
        let thread = thread
            .spawn(move || {
                ready.send(()).unwrap();
                let _ = wait.recv();
            })
            .unwrap();
        begun.recv().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gone");
        let file = File::create(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let (pipe, _other) = io::pipe().unwrap();
        let subject = Subject::open(std::process::id(), None).unwrap();
        let named = |detail: &Detail| {
            let mut threads = detail.threads.rows.iter();
            threads
                .find(|t| t.name.starts_with("leaky-"))
                .unwrap()
                .state
        };
        let mut detail = Detail::read(&subject, &Cancel::default()).unwrap();
        // It says that it begins, and then waits.
        while named(&detail) != "sleeping" {
            detail = Detail::read(&subject, &Cancel::default()).unwrap();
        }
        drop((file, pipe, stop));
        thread.join().unwrap();
        assert!(
            detail
                .threads
                .rows
                .iter()
                .all(|t| !t.name.contains('\u{1b}'))
        );
        let gone = path.display().to_string();
        let gone = detail
            .files
            .rows
            .iter()
            .find(|f| f.target.starts_with(&gone));
        assert_eq!(gone.unwrap().kind, "deleted file");
        assert!(detail.file_kinds["pipe"] >= 1);
        let files = detail
            .limits
            .iter()
            .find(|l| l.name == "open files")
            .unwrap();
        assert_eq!(
            (files.used, files.unit.as_str()),
            (Some(detail.files.count as u64), "files")
        );
        let space = detail
            .limits
            .iter()
            .find(|l| l.name == "address space")
            .unwrap();
        assert!(space.used.unwrap() > 1 << 20 && space.unit == "bytes");
        assert!(detail.oom_score.is_some());
    }

    #[test]
    fn targets_and_their_kinds() {
        for (target, kind) in [
            ("socket:[123]", "socket"),
            ("pipe:[1]", "pipe"),
            ("anon_inode:[eventpoll]", "eventpoll"),
            ("anon_inode:inotify", "inotify"),
            ("/dev/null", "device"),
            ("/memfd:x (deleted)", "memory"),
            ("/tmp/x (deleted)", "deleted file"),
            ("/tmp/x", "file"),
            ("mnt:[4026531840]", "mnt"),
        ] {
            assert_eq!(kind_of(target), kind, "{target}");
        }
    }

    #[test]
    fn the_table_of_limits_and_odd_lines() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \nMax cpu time              unlimited            unlimited            seconds   \nMax nice priority         0                    5                    \nMax odd                   many\n\u{1b}\n";
        let limits = limits(text.as_bytes());
        assert_eq!(limits.len(), 2);
        assert_eq!(
            (limits[0].name.as_str(), limits[0].soft),
            ("cpu time", None)
        );
        assert_eq!((limits[1].soft, limits[1].hard), (Some(0), Some(5)));
    }
}
