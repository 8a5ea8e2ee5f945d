//! Tools and sample programs: found as the tests find theirs, built once per run into a folder of the target directory.

use std::path::{Path, PathBuf};
use std::process::Command;

use color_eyre::eyre::{Result, WrapErr as _, bail, eyre};
use serde_json::{Map, Value, json};

use super::job::{Job, Task};
use super::support::{self, tools};

/// A tool by name, or the sentence that says it is missing.
pub fn tool(name: &str, found: Option<PathBuf>) -> Result<PathBuf> {
    found.ok_or_else(|| eyre!("{name} is missing: run tests/setup, or put it on PATH"))
}

/// Where built programs and our own files go.
pub fn folder() -> Result<PathBuf> {
    let bench = std::env::current_exe()?;
    let profile = bench.parent().and_then(Path::parent);
    let folder = profile
        .ok_or_else(|| eyre!("{} is in no folder", bench.display()))?
        .join("ratios");
    std::fs::create_dir_all(&folder)
        .wrap_err_with(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

fn source(name: &str) -> PathBuf {
    support::root().join("benches/programs").join(name)
}

fn build(name: &str, command: impl FnOnce(&Path) -> Command) -> Result<PathBuf> {
    let program = folder()?.join(name);
    let mut command = command(&program);
    let output = command
        .output()
        .wrap_err_with(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!(
            "{command:?} failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(program)
}

/// `work.c` with debug information.
pub fn c() -> Result<PathBuf> {
    build("work-c", |program| {
        let mut command = Command::new("cc");
        command
            .args(["-g", "-O0", "-o"])
            .arg(program)
            .arg(source("work.c"));
        command
    })
}

fn go() -> Result<PathBuf> {
    let go = tool("go", tools::go())?;
    build("work-go", |program| {
        let mut command = Command::new(go);
        command.current_dir(source("work"));
        command
            .args(["build", "-gcflags=all=-N -l", "-o"])
            .arg(program)
            .arg(".");
        command
    })
}

/// The floor's program of this package: `least`.
pub fn least() -> Result<PathBuf> {
    let bench = std::env::current_exe()?;
    let profile = bench
        .parent()
        .and_then(Path::parent)
        .ok_or_else(|| eyre!("{} is in no folder", bench.display()))?;
    let target = profile
        .parent()
        .ok_or_else(|| eyre!("{} is in no folder", profile.display()))?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(support::root())
        .args(["build", "--quiet", "--example", "least", "--target-dir"])
        .arg(target);
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let output = cargo.output().wrap_err("cannot start cargo")?;
    if !output.status.success() {
        bail!(
            "cannot build the example `least`: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(profile.join("examples/least"))
}

/// The adapters that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adapter {
    Lldb,
    Gdb,
    CodeLldb,
    Delve,
    Debugpy,
}

/// Programs whose locals are values of all kinds, by their language, with their sources.
pub fn values() -> [(&'static str, PathBuf, PathBuf); 2] {
    [
        (
            "C++",
            tools::cpp_values(),
            support::program_source("values.cpp"),
        ),
        (
            "Rust",
            tools::rust_values(),
            support::program_source("values.rs"),
        ),
    ]
}

/// omp-debug itself, built to be debugged.
pub fn ourselves() -> Result<PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(support::root())
        .args(["build", "--quiet", "--profile", "debugging"]);
    let output = cargo.output().wrap_err("cannot start cargo")?;
    if !output.status.success() {
        bail!(
            "cannot build omp-debug: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let bench = std::env::current_exe()?;
    let target = bench.ancestors().nth(3);
    let target = target.ok_or_else(|| eyre!("{} is in no folder", bench.display()))?;
    Ok(target.join("debugging/omp-debug"))
}

impl Adapter {
    pub fn title(self) -> &'static str {
        match self {
            Self::Lldb => "lldb-dap",
            Self::Gdb => "gdb",
            Self::CodeLldb => "codelldb",
            Self::Delve => "dlv",
            Self::Debugpy => "debugpy",
        }
    }

    /// A job for this adapter, with its own sample program.
    pub fn job(self, task: Task, count: usize) -> Result<Job> {
        let name = self.title();
        let (tool, rest, program, source) = match self {
            Self::Lldb => (
                tool(name, tools::lldb_dap())?,
                vec![],
                c()?,
                source("work.c"),
            ),
            Self::Gdb => (
                tool(name, tools::gdb())?,
                vec!["-q", "-nx", "-i", "dap"],
                c()?,
                source("work.c"),
            ),
            Self::CodeLldb => (
                tool(name, tools::codelldb())?,
                vec![],
                c()?,
                source("work.c"),
            ),
            Self::Delve => {
                let arguments = vec!["dap", "--listen=127.0.0.1:0"];
                (
                    tool(name, tools::dlv())?,
                    arguments,
                    go()?,
                    source("work/main.go"),
                )
            }
            Self::Debugpy => {
                let script = if task == Task::Tree {
                    support::program_source("tree.py")
                } else {
                    source("work.py")
                };
                (
                    tool(name, tools::debugpy())?,
                    vec!["-m", "debugpy.adapter"],
                    script.clone(),
                    script,
                )
            }
        };
        let launch = match self {
            Self::Lldb | Self::Gdb | Self::CodeLldb => Map::new(),
            Self::Delve => object(json!({"mode": "exec"})),
            Self::Debugpy => object(json!({
                "type": "python", "console": "internalConsole", "justMyCode": true, "python": [tool],
            })),
        };
        let (args, mark) = match task {
            Task::Steps if self == Self::Debugpy => (vec![], Some("loop")),
            Task::Steps => (vec!["steps".to_owned()], Some("loop")),
            Task::Tree => (vec!["many".to_owned(), count.to_string()], None),
            Task::Page => (vec!["list".to_owned()], Some("list")),
            Task::Flood | Task::Pipe => (vec!["flood".to_owned(), count.to_string()], None),
        };
        let words = std::iter::once(tool.to_string_lossy().into_owned())
            .chain(rest.into_iter().map(str::to_owned));
        Ok(Job {
            task,
            adapter: name.to_owned(),
            argv: words.collect(),
            banner: self == Self::Delve,
            launch,
            cwd: folder()?,
            line: mark.map_or(0, |mark| support::line_of(&source, mark)),
            program,
            args,
            source,
            count,
            pause_ms: 10,
            previews: 0,
            way: None,
            recording: None,
        })
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
