//! The server of agents: how soon it answers, what it takes while nothing happens, and what an answer about a stop costs.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use color_eyre::eyre::{Result, ensure, eyre};
use serde_json::{Value, json};

use super::job::{self, Task};
use super::options::{Goal, Options};
use super::programs::{self, Adapter};
use super::support::tools;
use super::table::{Bound, Measured, Row, median};

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[Goal {
    name: "MCP",
    measure: server,
}];

/// Stops that are looked at.
const STOPS: usize = 20;
/// What was done at the start has settled by then.
const SETTLED: Duration = Duration::from_secs(2);

pub(super) struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl Drop for Client {
    fn drop(&mut self) {
        // It has ended already when all is well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    pub(super) fn start(path: &std::ffi::OsStr) -> Result<Self> {
        let home = programs::folder()?.join("headless");
        std::fs::create_dir_all(&home)?;
        let mut command = Command::new(tools::omp_debug());
        job::isolate(&mut command, &home);
        let mut child = command
            .env("PATH", path)
            .env("XDG_RUNTIME_DIR", &home)
            .args(["mcp", "--permission", "auto"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let gone = || eyre!("no pipe");
        Ok(Self {
            input: child.stdin.take().ok_or_else(gone)?,
            output: BufReader::new(child.stdout.take().ok_or_else(gone)?),
            child,
            id: 0,
        })
    }

    /// The result, and how many bytes there were of it.
    fn ask(&mut self, method: &str, params: &Value) -> Result<(Value, usize)> {
        self.id += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        writeln!(self.input, "{message}")?;
        loop {
            let mut line = String::new();
            ensure!(
                self.output.read_line(&mut line)? > 0,
                "the server has ended"
            );
            let mut said: Value = serde_json::from_str(&line)?;
            if said.get("id").and_then(Value::as_u64) == Some(self.id) {
                let result = said.get_mut("result").map(Value::take);
                return Ok((result.ok_or_else(|| eyre!("{line}"))?, line.len()));
            }
        }
    }

    pub(super) fn greet(&mut self) -> Result<()> {
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
        self.ask("initialize", &hello)?;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        Ok(writeln!(self.input, "{ready}")?)
    }

    /// Milliseconds and bytes of a call.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(f64, f64)> {
        let began = Instant::now();
        let (result, size) =
            self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let failed = result.get("isError").and_then(Value::as_bool);
        ensure!(failed != Some(true), "{tool}: {result}");
        Ok((began.elapsed().as_secs_f64() * 1000.0, size as f64))
    }

    /// Megabytes that are resident now.
    pub(super) fn resident(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        Ok(kilobytes.ok_or_else(|| eyre!("no VmRSS"))? / 1024.0)
    }
}

fn server(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let row = |what: &str, unit, ours, bound| Row {
        goal: "MCP",
        what: what.to_owned(),
        unit,
        ours,
        floor: None,
        bound,
    };
    measured.add(
        "MCP server",
        (|| {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let (mut first, mut idle) = (Vec::new(), Vec::new());
            for _ in 0..options.rounds {
                // A machine that has rested takes ten milliseconds to start any program: that is not ours.
                Client::start(&path)?.greet()?;
                let began = Instant::now();
                let mut client = Client::start(&path)?;
                client.greet()?;
                first.push(began.elapsed().as_secs_f64() * 1000.0);
                client.ask("tools/list", &json!({}))?;
                std::thread::sleep(SETTLED);
                idle.push(client.resident()?);
            }
            Ok(vec![
                row(
                    "from nothing to the answer to initialize",
                    "ms",
                    median(&first),
                    Bound::Most(10.0),
                ),
                row(
                    "memory while nothing happens",
                    "MB",
                    median(&idle),
                    Bound::Most(14.0),
                ),
            ])
        })(),
    );
    for adapter in [Adapter::Debugpy, Adapter::Lldb] {
        let title = adapter.title();
        measured.add(
            &format!("MCP {title}"),
            (|| {
                let job = adapter.job(Task::Steps, STOPS)?;
                let mut client = Client::start(&job.path()?)?;
                client.greet()?;
                client.call(
                    "debug_set_breakpoint",
                    &json!({"file": job.source, "line": job.line}),
                )?;
                client.call(
                    "debug_launch",
                    &json!({"program": job.program, "args": job.args, "adapter": job.adapter}),
                )?;
                let (mut looks, mut sizes, mut steps) = (Vec::new(), Vec::new(), Vec::new());
                for _ in 0..STOPS {
                    steps.push(client.call("debug_step_over", &json!({}))?.0);
                    let (took, size) = client.call("debug_snapshot", &json!({}))?;
                    looks.push(took);
                    sizes.push(size / 1024.0);
                }
                client.call("debug_terminate", &json!({}))?;
                Ok(vec![
                    row(
                        &format!("{title}: all of a stop in one answer"),
                        "ms",
                        median(&looks),
                        Bound::Most(15.0),
                    ),
                    row(
                        &format!("{title}: the size of that answer"),
                        "KiB",
                        median(&sizes),
                        Bound::Most(8.0),
                    ),
                    row(
                        &format!("{title}: a step, and where it came to"),
                        "ms",
                        median(&steps),
                        Bound::Told,
                    ),
                ])
            })(),
        );
    }
    measured
}
