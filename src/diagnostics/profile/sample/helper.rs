//! Programs of others that are started to look at a process: found, asked to end, and never left behind.
//!
//! A helper is started with `setpriv --pdeathsig` where that is there, so that it ends even when we are killed. What it says is kept, bounded,
//! for the sentence that says why it failed.

use std::{
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    process::{Child, Command, ExitStatus, Stdio},
    thread::JoinHandle,
};

use base::surroundings::on_path;
use rustix::process::{Pid, Signal, kill_process};

use super::sampler::Tools;
use crate::profile::sample::prelude::*;

/// Bytes of what a helper says that are kept.
const KEPT: usize = 16 * 1024;
/// How often it is looked whether a helper has ended.
const LOOK: Duration = Duration::from_millis(5);

impl Tools {
    /// The program of this name: of PATH, else of the folders that we manage.
    pub(super) fn find(&self, name: &str) -> Option<PathBuf> {
        on_path(name, &self.env).or_else(|| {
            let folders = std::env::join_paths(&self.folders).ok()?;
            let path = folders.to_str()?.to_owned();
            on_path(name, &[("PATH".to_owned(), path)].into())
        })
    }

    /// The same; the error says how to get it.
    pub(super) fn need(&self, name: &str, missing: &str) -> Result<PathBuf> {
        let missing = || SampleError::Failed(missing.to_owned());
        self.find(name).ok_or_else(missing)
    }

    /// A command that runs this program with our environment, and ends with us where that can be had.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = match on_path("setpriv", &self.env) {
            Some(setpriv) => {
                let mut command = Command::new(setpriv);
                command.args(["--pdeathsig", "KILL", "--"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.env_clear().envs(&self.env).env("LC_ALL", "C");
        // Of its own group: what a terminal sends to ours on Ctrl-C is not for it.
        command.stdin(Stdio::null()).process_group(0);
        command
    }
}

/// A helper that runs.
pub struct Helper {
    name: &'static str,
    child: Child,
    said: Arc<Mutex<Vec<u8>>>,
    listeners: Vec<JoinHandle<()>>,
}

impl Helper {
    /// Starts it; all that it writes is listened to.
    pub fn start(name: &'static str, command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| SampleError::failed(name, format!("it cannot be started: {error}")))?;
        let said = Arc::new(Mutex::new(Vec::new()));
        let output = child.stdout.take().map(|o| listen(o, Arc::clone(&said)));
        let errors = child.stderr.take().map(|e| listen(e, Arc::clone(&said)));
        Ok(Self {
            name,
            child,
            said,
            listeners: output.into_iter().chain(errors).collect(),
        })
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Asks it to end in order.
    pub fn interrupt(&mut self) {
        if self.ended().is_none()
            && let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
        {
            // It may end in this very moment, which is what is wanted.
            let _ = kill_process(pid, Signal::INT);
        }
    }

    /// Waits for its end; kills it when that takes too long.
    pub fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.ended() {
                for listener in self.listeners.drain(..) {
                    let _ = listener.join();
                }
                return Some(status);
            }
            if begun.elapsed() >= patience {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return None;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// All that it said so far, without control characters.
    pub fn said(&self) -> String {
        let said = lock(&self.said);
        let text = String::from_utf8_lossy(&said);
        let lines = text.lines().map(|line| sanitise(line.trim()).into_owned());
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        lines.join("\n")
    }

    /// The sentence for a helper that failed.
    pub fn failed(&self, status: Option<ExitStatus>) -> SampleError {
        let how = match status {
            None => "it did not end when it was asked to".to_owned(),
            Some(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("it ended with code {code}"),
                (None, Some(signal)) => format!("signal {signal} ended it"),
                (None, None) => "it ended".to_owned(),
            },
        };
        let said = self.said();
        let before = said.lines().count().saturating_sub(3);
        let tail: Vec<&str> = said.lines().skip(before).collect();
        let why = if tail.is_empty() {
            how
        } else {
            format!("{how}: {}", tail.join(" / "))
        };
        SampleError::failed(self.name, why)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        if self.ended().is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Keeps the end of what is said, which says why; a loop of warnings may come before it. It is read on so that nobody has to wait.
fn listen(mut from: impl Read + Send + 'static, kept: Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut block = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut block) {
            let mut kept = lock(&kept);
            kept.extend_from_slice(block.get(..count).unwrap_or_default());
            let cut = kept.len().saturating_sub(KEPT);
            kept.drain(..cut);
        }
    })
}
