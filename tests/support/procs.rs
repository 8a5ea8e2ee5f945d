//! Which processes a test has left: by descent, and by a mark in their environment that
//! double-forked and re-parented ones keep too.

use std::fs;
use std::io::Write as _;
use std::os::fd::AsFd;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

const VARIABLE: &str = "OMP_DEBUG_TEST_MARK";

/// A process that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    /// `R`, `S`, `T`, `Z`, …
    pub state: char,
    pub command: String,
}

fn numbers() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").unwrap();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Every process that can be seen.
pub fn all() -> Vec<Process> {
    numbers().filter_map(look_up).collect()
}

pub fn look_up(pid: u32) -> Option<Process> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    Some(Process {
        pid,
        parent,
        state,
        command: command.trim_end().to_owned(),
    })
}

/// How much processor time these have had so far, in ticks (proc(5): `utime`, `stime`).
pub fn ticks(processes: &[Process]) -> u64 {
    let of = |process: &Process| {
        let stat = fs::read_to_string(format!("/proc/{}/stat", process.pid)).ok()?;
        let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
    };
    processes.iter().filter_map(of).sum()
}

/// The address that a debug server was told to connect to, and the secret in its environment, which its user alone can read.
pub fn debug_server(pid: u32) -> Option<(String, String)> {
    let read = |name| fs::read_to_string(format!("/proc/{pid}/{name}")).ok();
    let words = read("cmdline")?;
    let mut words = words.split('\0').skip_while(|word| *word != "--connect");
    let address = words.nth(1)?.to_owned();
    let environment = read("environ")?;
    let mut variables = environment.split('\0');
    let secret = variables.find_map(|variable| variable.split_once("--adapter-access-token "))?;
    Some((address, secret.1.to_owned()))
}

/// Whether a process runs (a zombie does not).
pub fn is_alive(pid: u32) -> bool {
    look_up(pid).is_some_and(|process| !matches!(process.state, 'Z' | 'X'))
}

/// Everything below `root`, zombies left out.
pub fn descendants(root: u32) -> Vec<Process> {
    let mut rest = all();
    let mut found: Vec<Process> = Vec::new();
    let mut generation = vec![root];
    while !generation.is_empty() {
        let (children, others): (Vec<_>, Vec<_>) = rest
            .into_iter()
            .partition(|process| generation.contains(&process.parent));
        rest = others;
        generation = children.iter().map(|process| process.pid).collect();
        found.extend(children.into_iter().filter(|process| process.state != 'Z'));
    }
    found
}

/// A line of `/proc/PID/status`, for example `TracerPid` or `VmRSS`.
pub fn status(pid: u32, name: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_start_matches(':').trim().to_owned())
}

pub fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).unwrap();
    // It may be gone already, which is what most signals are sent for.
    let _ = kill_process(pid, signal);
}

/// The supervisors below `root`.
pub fn supervisors(root: u32) -> Vec<Process> {
    let mut found = descendants(root);
    found.retain(|process| process.command.contains(" --supervise "));
    found
}

/// How many groups the kernel ends when it ends this supervisor: two pipes' reading ends for each, beside two writing ends.
pub fn armed(supervisor: u32) -> usize {
    let fds = fs::read_dir(format!("/proc/{supervisor}/fd")).unwrap();
    let links = fds.filter_map(|fd| fs::read_link(fd.ok()?.path()).ok());
    let pipes = links.filter(|link| link.to_string_lossy().starts_with("pipe:"));
    pipes.count().saturating_sub(2) / 2
}

/// Waits until the kernel would end every group below a supervisor with it.
pub fn wait_armed(supervisor: u32, patience: Duration) {
    let mut seen = 0;
    wait_until("no switch for each group", supervisor, patience, || {
        let below = descendants(supervisor);
        let of = |pid: u32| rustix::process::getpgid(Pid::from_raw(pid.cast_signed())).ok();
        let groups: std::collections::HashSet<_> = below.iter().filter_map(|p| of(p.pid)).collect();
        // While it is armed anew there are two for a group: it must be seen some times in a row.
        let is_so = !groups.is_empty() && armed(supervisor) == groups.len();
        seen = if is_so { seen + 1 } else { 0 };
        seen == 4
    });
}

/// Waits for something about a process that says nothing when it changes.
pub fn wait_until(what: &str, pid: u32, patience: Duration, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + patience;
    while !is_so() {
        let family = descendants(pid);
        assert!(Instant::now() < deadline, "{what}: {family:#?}");
        let ended = wait_exit(pid, Duration::from_millis(20));
        assert!(!ended, "{what}: {pid} has ended");
    }
}

/// Waits for a process to end; false when it has not.
pub fn wait_exit(pid: u32, patience: Duration) -> bool {
    let pid = Pid::from_raw(pid.cast_signed()).unwrap();
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(pidfd) => wait_readable(&pidfd, patience),
        Err(_) => true,
    }
}

/// Waits for something to read, or for its end; false when neither came.
pub fn wait_readable(from: &impl AsFd, patience: Duration) -> bool {
    let deadline = Instant::now() + patience;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut fds = [PollFd::new(from, PollFlags::IN)];
        match poll(&mut fds, Some(&Timespec::try_from(left).unwrap())) {
            Ok(0) => return false,
            Ok(_) => return true,
            Err(_) => {}
        }
    }
}

/// A mark that a test's processes carry. Dropping it kills those that are left.
pub struct Mark(String);

impl Default for Mark {
    fn default() -> Self {
        Self::new()
    }
}

impl Mark {
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().rand_bytes(16).tempdir().unwrap();
        let name = folder.path().file_name().unwrap().to_string_lossy();
        Self(format!("{}-{name}", std::process::id()))
    }

    /// The environment variable to start the test's program with.
    pub fn env(&self) -> (&'static str, &str) {
        (VARIABLE, &self.0)
    }

    /// Who carries the mark and runs. Hundreds of tests ask some times each: of a process that does not carry it nothing else is read.
    pub fn processes(&self) -> Vec<Process> {
        let wanted = format!("{VARIABLE}={}", self.0);
        let marked = |pid: &u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|byte| *byte == 0)
                .any(|entry| entry == wanted.as_bytes())
        };
        numbers().filter(marked).filter_map(look_up).collect()
    }

    /// Fails when any marked process is left after `patience`, and kills it.
    pub fn assert_none_left(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        loop {
            let left = self.processes();
            let Some(first) = left.first() else {
                return;
            };
            if !wait_exit(
                first.pid,
                deadline.saturating_duration_since(Instant::now()),
            ) {
                self.kill_all();
                panic!("processes are left after {patience:?}: {left:#?}");
            }
        }
    }

    pub fn kill_all(&self) {
        // More than once: one of them may have been forking.
        for _ in 0..3 {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            for process in left {
                signal(process.pid, Signal::KILL);
            }
        }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.kill_all();
    }
}

/// Ends what a test waits for when it takes longer than it may.
pub struct Watchdog(Option<Sender<()>>);

impl Watchdog {
    /// Ends the whole test process: nothing else ends a test that waits inside of it.
    pub fn new(what: &str, limit: Duration) -> Self {
        Self::start(what, None, limit)
    }

    /// Ends a process that the test started and all below it, so that the test goes on, fails, and tells what it had read.
    pub fn of(child: &Child, limit: Duration) -> Self {
        Self::start("a process", Some(child.id()), limit)
    }

    fn start(what: &str, process: Option<u32>, limit: Duration) -> Self {
        /// For a test whose process was ended to end.
        const AFTERWARDS: Duration = Duration::from_secs(30);
        let (sender, receiver) = channel::<()>();
        let test = std::thread::current();
        let what = format!("{}: {what}", test.name().unwrap_or("a test"));
        let is_late = move |limit| receiver.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        std::thread::spawn(move || {
            if !is_late(limit) {
                return;
            }
            say(&format!("{what} has not ended after {limit:?}"));
            if let Some(root) = process {
                let below = descendants(root);
                // Before them: it might go on without them.
                signal(root, Signal::KILL);
                end(below);
                if !is_late(AFTERWARDS) {
                    return;
                }
            }
            end(descendants(std::process::id()));
            std::process::abort();
        });
        Self(Some(sender))
    }
}

/// Not `println`: what a test prints is kept until its end, which may be now. On standard output, where results are looked for.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "watchdog: {line}");
}

fn end(processes: Vec<Process>) {
    for process in processes {
        say(&format!("  left: {process:?}"));
        signal(process.pid, Signal::KILL);
    }
}

/// What a command printed, which is ended after `limit`.
pub fn output(command: &mut Command, limit: Duration) -> Output {
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().unwrap();
    let _dog = Watchdog::of(&child, limit);
    child.wait_with_output().unwrap()
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.0.take();
    }
}
