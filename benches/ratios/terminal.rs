//! A program in a pseudo terminal, and the time of everything it wrote.
//!
//! The tests' terminal draws while it reads; here nothing stands between a byte and its time. What was on the screen when is found
//! out afterwards, by playing the bytes to an emulator. A terminal's answers to questions are given at once.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use color_eyre::eyre::{Result, WrapErr as _, bail, ensure, eyre};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::support::procs;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a terminal is asked, and what it answers.
const ANSWERS: [(&[u8], &[u8]); 5] = [
    (b"\x1b]10;?", b"\x1b]10;rgb:d4d4/d4d4/d4d4\x1b\\"),
    (b"\x1b]11;?", b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"),
    (b"\x1b[?u", b"\x1b[?0u"),
    (b"\x1b[6n", b"\x1b[1;1R"),
    (b"\x1b[c", b"\x1b[?62;22c"),
];

/// The program, its terminal, and what came from it.
pub struct Terminal {
    master: OwnedFd,
    child: Child,
    began: Instant,
    columns: u16,
    rows: u16,
    /// What was written, with the time since the start.
    written: Vec<(Duration, Vec<u8>)>,
    /// Where the emulator is, so that a look goes on from the last one.
    seen: usize,
    emulator: vt100::Parser,
}

impl Terminal {
    /// Starts a program on a terminal of this size.
    pub fn start(mut command: Command, columns: u16, rows: u16) -> Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).wrap_err("cannot open a pseudo terminal")?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size)?;
        let terminal = ioctl_tiocgptpeer(&master, flags)?;
        command
            .env("TERM", "xterm-256color")
            .env("COLORTERM", "truecolor")
            .env("LANG", "C.UTF-8");
        for name in ["LC_ALL", "NO_COLOR", "TMUX", "SSH_CONNECTION", "SSH_TTY"] {
            command.env_remove(name);
        }
        command
            .stdin(terminal.try_clone()?)
            .stdout(terminal.try_clone()?)
            .stderr(terminal);
        let own_terminal = || {
            rustix::process::setsid()?;
            rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
            Ok(())
        };
        #[expect(unsafe_code, reason = "a session is made between fork and exec")]
        // SAFETY: two system calls that are async-signal-safe, and no memory is touched.
        unsafe {
            command.pre_exec(own_terminal);
        }
        let began = Instant::now();
        let child = command
            .spawn()
            .wrap_err_with(|| format!("cannot start {}", command.get_program().display()))?;
        Ok(Self {
            master,
            child,
            began,
            columns,
            rows,
            written: Vec::new(),
            seen: 0,
            emulator: vt100::Parser::new(rows, columns, 0),
        })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Time since the start.
    pub fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Types; gives the time it was done at.
    pub fn send(&self, keys: &[u8]) -> Result<Duration> {
        let at = self.now();
        let mut rest = keys;
        while !rest.is_empty() {
            let length = rustix::io::write(&self.master, rest)?;
            rest = rest.get(length..).unwrap_or_default();
        }
        Ok(at)
    }

    /// Reads once, waiting for at most this long; whether anything came.
    fn read(&mut self, limit: Duration) -> Result<bool> {
        let limit = Timespec {
            tv_sec: i64::try_from(limit.as_secs())?,
            tv_nsec: i64::from(limit.subsec_nanos()),
        };
        let mut fds = [PollFd::new(&self.master, PollFlags::IN)];
        if poll(&mut fds, Some(&limit))? == 0 {
            return Ok(false);
        }
        let mut buffer = vec![0; 64 * 1024];
        let length = match rustix::io::read(&self.master, &mut buffer) {
            // EIO: nobody has the terminal open any more.
            Ok(0) | Err(rustix::io::Errno::IO) => {
                bail!("the program ended; the screen:\n{}", self.screen())
            }
            Ok(length) => length,
            Err(error) => return Err(error.into()),
        };
        let at = self.now();
        buffer.truncate(length);
        let mut answers: Vec<_> = ANSWERS
            .iter()
            .filter_map(|(question, answer)| {
                Some((memchr::memmem::find(&buffer, question)?, *answer))
            })
            .collect();
        // In the order of the questions: the last one asked is often only there to end the wait for the others.
        answers.sort_by_key(|(position, _)| *position);
        for (_, answer) in answers {
            self.send(answer)?;
        }
        self.written.push((at, buffer));
        Ok(true)
    }

    /// Reads until nothing came for `gap`; the time of the last byte, or `None` when nothing came within `limit` at all.
    pub fn settle(&mut self, gap: Duration, limit: Duration) -> Result<Option<Duration>> {
        if !self.read(limit)? {
            return Ok(None);
        }
        let deadline = Instant::now() + PATIENCE;
        while self.read(gap)? {
            ensure!(
                Instant::now() < deadline,
                "the screen does not come to rest:\n{}",
                self.screen()
            );
        }
        Ok(self.written.last().map(|(at, _)| *at))
    }

    /// Reads until `text` is on the screen (or off it); the time of the write that did it.
    pub fn wait(&mut self, text: &str, there: bool) -> Result<Duration> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            while let Some((at, bytes)) = self.written.get(self.seen) {
                self.emulator.process(bytes);
                self.seen += 1;
                if self.shows(text) == there {
                    return Ok(*at);
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.read(left)? {
                let (wish, size) = (
                    if there { "" } else { "the end of " },
                    format!("{}x{}", self.columns, self.rows),
                );
                bail!(
                    "waited for {wish}{text:?} in vain; the screen ({size}):\n{}",
                    self.screen()
                );
            }
        }
    }

    fn shows(&self, text: &str) -> bool {
        self.emulator
            .screen()
            .rows(0, self.columns)
            .any(|row| row.contains(text))
    }

    /// What is on the screen now.
    pub fn screen(&mut self) -> String {
        for (_, bytes) in self.written.iter().skip(self.seen) {
            self.emulator.process(bytes);
        }
        self.seen = self.written.len();
        self.emulator.screen().contents()
    }

    /// What the program's process says of itself in `/proc/PID/status`, in MB.
    pub fn memory(&self, field: &str) -> Result<f64> {
        let value = procs::status(self.pid(), field)
            .ok_or_else(|| eyre!("no {field} of process {}", self.pid()))?;
        let kib: f64 = value
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .parse()?;
        Ok(kib / 1024.0)
    }

    /// What the program does in this time while nobody does anything: processor time in percent, and wake-ups a second.
    /// Its supervisors count as well: they are the same program.
    pub fn idle(&mut self, time: Duration) -> Result<(f64, f64)> {
        let before = self.activity()?;
        let began = Instant::now();
        while let Some(left) = time.checked_sub(began.elapsed()) {
            self.read(left)?;
        }
        let after = self.activity()?;
        let seconds = began.elapsed().as_secs_f64();
        // Those that ended in between are left out: what they did before cannot be told from what they did since.
        let (mut ran, mut woken) = (0.0, 0.0);
        for (thread, now) in after {
            let then = before.get(&thread).copied().unwrap_or_default();
            (ran, woken) = (ran + now.0 - then.0, woken + now.1 - then.1);
        }
        Ok((ran / seconds * 100.0, woken / seconds))
    }

    /// Seconds on a processor and wake-ups so far, of each thread.
    fn activity(&self) -> Result<HashMap<PathBuf, (f64, f64)>> {
        let program = |pid: u32| std::fs::read_link(format!("/proc/{pid}/exe")).ok();
        let ours = program(self.pid());
        let below = procs::descendants(self.pid())
            .into_iter()
            .map(|process| process.pid);
        let mut threads = HashMap::new();
        for pid in std::iter::once(self.pid())
            .chain(below)
            .filter(|pid| program(*pid) == ours)
        {
            for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
                let thread = thread?.path();
                let ran = std::fs::read_to_string(thread.join("schedstat"))?;
                let ran: f64 = ran.split_whitespace().next().unwrap_or_default().parse()?;
                let status = std::fs::read_to_string(thread.join("status"))?;
                let woken = status
                    .lines()
                    .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
                let woken: f64 = woken.unwrap_or_default().trim().parse()?;
                threads.insert(thread, (ran / 1e9, woken));
            }
        }
        Ok(threads)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command line.
pub fn command<A: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = A>,
) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}
