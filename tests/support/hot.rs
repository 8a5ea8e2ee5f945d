//! Programs whose functions take 70, 20 and 10 percent of the time, and what perf and py-spy say of them beside us.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use omp_debug::diagnostics::profile::Profile;
use tempfile::TempDir;

use super::procs::wait_until;

/// The functions, and what each takes in percent.
pub const SHARES: [(&str, f64); 3] = [("seventy", 70.0), ("twenty", 20.0), ("ten", 10.0)];

/// How long a program may take to have run for a second.
const PATIENCE: Duration = Duration::from_mins(1);

/// A program that is gone when this is.
pub struct Running(pub Child);

impl Running {
    pub fn start(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null());
        Self(command.spawn().expect("the program starts"))
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Seconds in which it gets a processor for so long, as far as the machine's other work lets that be told: samplers see what runs, and a
    /// program that has to wait half of the time is seen half as often.
    pub fn seconds_of(&self, processor: f64) -> f64 {
        let mut share = 1.0;
        wait_until("it has run for a while", self.pid(), PATIENCE, || {
            let (ran, waited) = self.times();
            share = ran / (ran + waited);
            ran + waited > 1.0
        });
        processor / share.max(0.2)
    }

    /// Seconds that it ran and that it waited for a processor, by the kernel's count (proc(5)).
    fn times(&self) -> (f64, f64) {
        let told = std::fs::read_to_string(format!("/proc/{}/schedstat", self.pid()));
        let told = told.expect("the kernel's count of its time");
        let mut nanoseconds = told
            .split(' ')
            .map(|word| word.parse().unwrap_or(0.0) / 1e9);
        let mut next = || nanoseconds.next().unwrap_or(0.0);
        (next(), next())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// One of the programs, for so many seconds.
pub fn hot(program: &Path, seconds: &str) -> Command {
    let mut command = Command::new(program);
    command.arg(seconds);
    command
}

/// `hot::seventy`, `hot::seventy::h0123` and `seventy (hot.py:12)` are `seventy`.
pub fn is(frame: &str, name: &str) -> bool {
    let frame = frame.split(" (").next().unwrap_or(frame);
    frame.split("::").any(|part| part == name)
}

/// The share of each of [`SHARES`] with all that was inlined into it, in percent. None of them calls another.
pub fn shares(profile: &Profile) -> [f64; 3] {
    let total = profile.total() as f64;
    SHARES.map(|(name, _)| {
        let of_it = profile.samples.iter().filter(|sample| {
            let mut frames = profile.frames_of(sample.stack);
            frames.any(|id| profile.frame(id).is_some_and(|frame| is(&frame.name, name)))
        });
        of_it.map(|sample| sample.weight as f64).sum::<f64>() * 100.0 / total
    })
}

/// Another profiler that looks at the same process at the same time.
pub struct Beside {
    child: Child,
    folder: TempDir,
    perf: Option<std::path::PathBuf>,
}

impl Beside {
    /// perf, for so many seconds.
    pub fn perf(perf: &Path, pid: u32, seconds: f64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut record = Command::new(perf);
        record
            .args(["record", "-q", "-g", "-e", "cpu-clock:u", "-F", "997", "-p"])
            .arg(pid.to_string())
            .arg("-o")
            .arg(folder.path().join("out"))
            .args(["--", "sleep", &seconds.to_string()]);
        Self {
            child: quiet(&mut record),
            folder,
            perf: Some(perf.to_owned()),
        }
    }

    /// py-spy, for so many seconds.
    pub fn py_spy(py_spy: &Path, pid: u32, seconds: f64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut record = Command::new(py_spy);
        record
            .args(["record", "-r", "400", "-f", "raw", "-d"])
            .arg(seconds.to_string())
            .arg("-o")
            .arg(folder.path().join("out"))
            .args(["--pid", &pid.to_string()]);
        Self {
            child: quiet(&mut record),
            folder,
            perf: None,
        }
    }

    /// What it saw until its time was over: samples, and the shares in percent. Read from its own text, not by our readers.
    pub fn ended(mut self) -> (u64, [f64; 3]) {
        self.child.wait().expect("the profiler ends");
        let out = self.folder.path().join("out");
        let stacks: Vec<(Vec<String>, u64)> = match &self.perf {
            Some(perf) => perf_stacks(perf, &out),
            None => folded_stacks(&std::fs::read_to_string(&out).expect("what py-spy wrote")),
        };
        let total: u64 = stacks.iter().map(|(_, count)| count).sum();
        let parts = SHARES.map(|(name, _)| {
            let of_it = stacks
                .iter()
                .filter(|(frames, _)| frames.iter().any(|frame| is(frame, name)));
            of_it.map(|(_, count)| count).sum::<u64>() as f64 * 100.0 / total as f64
        });
        (total, parts)
    }
}

/// A stack is a paragraph, a frame a line of it: its address and what it is called.
fn perf_stacks(perf: &Path, data: &Path) -> Vec<(Vec<String>, u64)> {
    let script = Command::new(perf)
        .args(["script", "-F", "ip,sym", "-i"])
        .arg(data)
        .output()
        .expect("perf script runs");
    let text = String::from_utf8_lossy(&script.stdout);
    let paragraphs = text.split("\n\n").filter(|part| !part.trim().is_empty());
    let frame = |line: &str| Some(line.trim().split_once(' ')?.1.to_owned());
    paragraphs
        .map(|part| (part.lines().filter_map(frame).collect(), 1))
        .collect()
}

fn folded_stacks(text: &str) -> Vec<(Vec<String>, u64)> {
    let stack = |line: &str| {
        let (frames, count) = line.rsplit_once(' ')?;
        let frames = frames.split(';').map(str::to_owned).collect();
        Some((frames, count.parse().ok()?))
    };
    text.lines().filter_map(stack).collect()
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn quiet(command: &mut Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the profiler starts")
}
