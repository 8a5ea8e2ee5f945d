//! One piece of debugging, described once and done twice: by the floor (`benches/floor/dapraw.py`) and by ours
//! (`worker`), each in a process of its own, so that neither's memory or threads are in the other's figures.

use std::path::{Path, PathBuf};
use std::process::Command;

use color_eyre::eyre::{Result, WrapErr as _, bail, eyre};
use serde::{Deserialize, Serialize};

use omp_debug::debugger::adapters::CONNECT;

use super::support;

/// The argument that makes this program do a job instead of the benchmarks.
pub const WORKER: &str = "--worker";

/// What is to be done once the program was launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// To the stack and locals of the first stop; then `count` steps with the same.
    Steps,
    /// To the end of a program that prints `count` lines through the adapter.
    Flood,
    /// The same through a pipe of ours (`runInTerminal`). Only ours: its floor is the program itself.
    Pipe,
    /// To the first stop; then the first 100 elements of the local `numbers`.
    Page,
    /// To the end of a program whose `count` children are debugged each.
    Tree,
}

/// A job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub task: Task,
    /// Name in omp-debug's adapter table.
    pub adapter: String,
    /// The adapter's command line, for the floor.
    pub argv: Vec<String>,
    /// The adapter says on its standard output where to connect to.
    pub banner: bool,
    /// Launch arguments that the adapter wants besides program, args and cwd, for the floor.
    pub launch: serde_json::Map<String, serde_json::Value>,
    pub program: PathBuf,
    pub args: Vec<String>,
    pub cwd: PathBuf,
    pub source: PathBuf,
    /// Line of the breakpoint; 0 = none.
    pub line: u32,
    pub count: usize,
    /// Before each step and page: nobody presses the next key sooner, and what a client asks for once stack and locals
    /// are there must not be in the way of it.
    pub pause_ms: u64,
    /// Of how many locals it is asked what they show, at every stop; for ours.
    pub previews: usize,
    /// `OMP_DEBUG_CONNECT`, for ours.
    pub way: Option<String>,
    /// Where all that is said is recorded, for ours.
    pub recording: Option<PathBuf>,
}

/// What was measured; a task fills those that it has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    /// From the launch to stack and locals in hand.
    pub state_ms: f64,
    /// From the launch to the state after the last step. Only the floor's.
    pub total_ms: f64,
    pub step_p50_ms: f64,
    pub step_p95_ms: f64,
    /// From the step to what all locals that were asked for show; of a stop that was over before, nothing.
    pub previews_p50_ms: f64,
    /// How many came: floor and ours must have got the same.
    pub frames: usize,
    pub variables: usize,
    pub page_ms: f64,
    pub page: usize,
    /// From the launch (`Flood`) or the adapter's `initialized` (`Pipe`) to the last line.
    pub flood_ms: f64,
    pub lines: usize,
    /// From the launch to the exit of the program, all of whose children had been connected.
    pub tree_ms: f64,
    pub children: usize,
    /// A command's way to the core and back meanwhile.
    pub reply_p95_ms: f64,
    /// Most memory that was resident (`VmHWM`).
    pub peak_mb: f64,
}

impl Job {
    /// The floor's figures.
    pub fn floor(&self, python: &Path) -> Result<Figures> {
        let client = support::root().join("benches/floor/dapraw.py");
        let mut command = Command::new(python);
        command
            .arg("-IB")
            .arg(client)
            .arg(serde_json::to_string(self)?);
        figures("the floor", command)
    }

    /// Ours.
    pub fn ours(&self, home: &Path) -> Result<Figures> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(WORKER).arg(serde_json::to_string(self)?);
        command.env("PATH", self.path()?);
        match &self.way {
            Some(way) => command.env(CONNECT, way),
            None => command.env_remove(CONNECT),
        };
        isolate(&mut command, home);
        figures("omp-debug", command)
    }

    /// PATH with the very adapter that the floor uses in front.
    pub fn path(&self) -> Result<std::ffi::OsString> {
        let adapter = self.argv.first().map(Path::new);
        let folder = adapter
            .and_then(Path::parent)
            .ok_or_else(|| eyre!("{:?} is not an absolute path", self.argv))?;
        let rest = std::env::var_os("PATH").unwrap_or_default();
        Ok(std::env::join_paths(
            std::iter::once(folder.to_owned()).chain(std::env::split_paths(&rest)),
        )?)
    }
}

/// Keeps the settings and remembered breakpoints of whoever runs this out of it.
pub fn isolate(command: &mut Command, home: &Path) {
    for name in [
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
    ] {
        command.env(name, home.join(name));
    }
}

fn figures(who: &str, mut command: Command) -> Result<Figures> {
    let output = command
        .output()
        .wrap_err_with(|| format!("cannot start {who}"))?;
    let (text, trouble) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    if !output.status.success() {
        let last = trouble.lines().rfind(|line| !line.trim().is_empty());
        bail!(
            "{who} failed ({}): {}",
            output.status,
            last.unwrap_or("it said nothing")
        );
    }
    serde_json::from_str(text.trim()).wrap_err_with(|| format!("{who} answered {text:?}"))
}
