//! What `/proc/PID/stat` says of a process, and `/proc/PID/task/TID/stat` of a thread: see `proc_pid_stat(5)`. And which file is at an
//! address of it: `proc_pid_maps(5)`.

use std::{
    fs::{File, read_to_string},
    io::Read as _,
    path::Path,
    time::{Duration, SystemTime},
};

use rustix::{
    param::clock_ticks_per_second,
    time::{ClockId, clock_gettime},
};

use crate::text::sanitise::{lossy, sanitise};

/// A line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    pub name: String,
    pub state: char,
    pub parent: u32,
    pub flags: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// Clock ticks in its own code and in the kernel.
    pub user: u64,
    pub kernel: u64,
    pub threads: u64,
    pub started: u64,
    /// Bytes of addresses.
    pub size: u64,
    /// The address of its arguments; 0 where it is not ours to know.
    pub arguments: u64,
}

impl Stat {
    /// Of a process, where the system tells.
    pub fn of(pid: u32) -> Option<Self> {
        Self::read(format!("/proc/{pid}/stat"))
    }

    /// What such a file says. The kernel writes it whole into what is large enough, and all of the system's are read at times: the four
    /// system calls more of [`std::fs::read`] count.
    pub fn read(path: impl AsRef<Path>) -> Option<Self> {
        let mut text = [0; 1024];
        let length = File::open(path).ok()?.read(&mut text).ok()?;
        Self::parse(text.get(..length)?)
    }

    /// Reads it; the name stands in brackets and may hold any bytes, brackets too.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let open = memchr::memchr(b'(', text)?;
        let close = memchr::memrchr(b')', text)?;
        let name = lossy(text.get(open + 1..close)?);
        let rest = std::str::from_utf8(text.get(close + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // Numbered from 3, the state, as the manual does.
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        Some(Self {
            name: sanitise(&name).into_owned(),
            state: fields.first()?.chars().next()?,
            parent: u32::try_from(number(4)?).ok()?,
            flags: number(9)?,
            minor_faults: number(10)?,
            major_faults: number(12)?,
            user: number(14)?,
            kernel: number(15)?,
            threads: number(20)?,
            started: number(22)?,
            size: number(23)?,
            arguments: number(48).unwrap_or_default(),
        })
    }

    /// Whether it is a thread of the kernel itself: `PF_KTHREAD` of its `sched.h`.
    pub fn is_of_kernel(&self) -> bool {
        self.flags & 0x0020_0000 != 0
    }

    /// Whether it has ended, and is only not taken note of yet.
    pub fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }
}

/// The line of `/proc/PID/status` that begins with this word and a colon.
pub fn status_line<'t>(status: &'t str, name: &str) -> Option<&'t str> {
    status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        .map(str::trim)
}

/// Whose a process is: its effective user.
pub fn user(pid: u32) -> Option<u32> {
    let status = read_to_string(format!("/proc/{pid}/status")).ok()?;
    let ids = status_line(&status, "Uid")?;
    ids.split_whitespace().nth(1)?.parse().ok()
}

/// When a process began, to a hundredth of a second or what else a tick is.
pub fn began(pid: u32) -> Option<SystemTime> {
    let ticks = clock_ticks_per_second().max(1);
    let since_boot = Stat::of(pid)?.started.checked_mul(1000)? / ticks;
    let up = Duration::try_from(clock_gettime(ClockId::Boottime)).ok()?;
    let age = up.checked_sub(Duration::from_millis(since_boot))?;
    SystemTime::now().checked_sub(age)
}

/// Whether it has a program of its own, and not what its parent had in memory when it was forked: its arguments are elsewhere. Not so where
/// that is not ours to know.
pub fn is_spawned(pid: u32) -> bool {
    let own = Stat::of(pid);
    let parent = own.as_ref().and_then(|own| Stat::of(own.parent));
    let both = own
        .zip(parent)
        .map(|(own, parent)| (own.arguments, parent.arguments));
    both.is_some_and(|(own, parent)| own != parent && own != 0 && parent != 0)
}

/// The file that is mapped at an address of a process, and the address of its beginning.
pub fn mapped_file(pid: i64, address: u64) -> Option<(File, u64)> {
    let maps = read_to_string(format!("/proc/{pid}/maps")).ok()?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let parts = maps.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let start = number(words.next()?.split('-').next()?)?;
        let offset = number(words.nth(1)?)?;
        // What a file has no bytes for comes behind it, and has no path.
        let path = line.get(line.find(" /")?..)?.trim();
        (start <= address).then_some((start, offset, path))
    });
    let parts: Vec<_> = parts.collect();
    let (.., path) = parts.last()?;
    let is_first = |part: &&(u64, u64, &str)| part.1 == 0 && part.2 == *path;
    let (start, ..) = parts.iter().rev().find(is_first)?;
    let file = File::open(format!("/proc/{pid}/root{path}")).ok()?;
    Some((file, *start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_brackets_and_blanks() {
        let line = b"7 (a) b (\x1b[m\xff) S 1 7 7 0 -1 4194304 9 0 0 0 12 3 0 0 20 0 4 0 8831 1 2";
        let stat = Stat::parse(line).unwrap();
        assert!(!stat.name.contains('\u{1b}'), "{stat:?}");
        assert!(stat.name.starts_with("a) b ("), "{stat:?}");
        assert_eq!((stat.state, stat.parent, stat.started), ('S', 1, 8831));
        assert_eq!((stat.user, stat.kernel), (12, 3));
        for cut in [
            "",
            "7",
            "7 (a",
            "7 (a)",
            "7 (a) S",
            "7 (a) S one 7",
            "7 (a) S 1 7 7 0 -1",
        ] {
            assert_eq!(Stat::parse(cut.as_bytes()), None, "{cut}");
        }
    }

    #[test]
    fn when_and_whose_a_process_is() {
        let own = std::process::id();
        let age = began(own).unwrap().elapsed().unwrap_or_default();
        assert!(age < Duration::from_hours(1), "{age:?}");
        assert_eq!(user(own), Some(rustix::process::geteuid().as_raw()));
        assert_eq!((began(u32::MAX), user(u32::MAX)), (None, None));
        assert!(is_spawned(own) && !is_spawned(u32::MAX));
    }
}
