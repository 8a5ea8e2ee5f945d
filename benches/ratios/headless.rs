//! Goals about the fronts without a screen: G9. `run` as a process of its own beside the raw client on the same path, and a
//! `call` beside the time it may take.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use color_eyre::eyre::{Result, WrapErr as _, ensure, eyre};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::job::{self, Figures, Job, Task};
use super::options::{Goal, Options};
use super::programs::{self, Adapter, tool};
use super::support::{self, tools};
use super::table::{Bound, Measured, Row, median};
use super::terminal::Terminal;
use super::worker::peak_mb;

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[
    Goal {
        name: "G9",
        measure: runs,
    },
    Goal {
        name: "G9",
        measure: flood,
    },
    Goal {
        name: "G9",
        measure: calls,
    },
    Goal {
        name: "SELF",
        measure: ourselves,
    },
];

/// Steps of the job.
const STEPS: usize = 20;

/// A run that was read to its end.
struct Run {
    /// From the start of the process to its first line.
    first_ms: f64,
    /// … to the stop: stack and locals are in its line.
    stop_ms: f64,
    /// … to the last line of what was asked for.
    total_ms: f64,
    /// How many such lines there were.
    count: usize,
    /// Most memory that was resident when that line came (`VmHWM`).
    peak_mb: f64,
}

fn end(child: &Child) {
    if let Some(pid) = Pid::from_raw(child.id().cast_signed()) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

fn omp_debug(home: &Path) -> Command {
    let mut command = Command::new(tools::omp_debug());
    job::isolate(&mut command, home);
    command.env("XDG_RUNTIME_DIR", home);
    command
}

/// Runs a job and counts what `wanted` counts of its lines, until there are as many as the job asks for.
fn run(job: &Job, options: &[&str], wanted: fn(&str) -> usize) -> Result<Run> {
    let home = programs::folder()?.join("headless");
    std::fs::create_dir_all(&home)?;
    let mut command = omp_debug(&home);
    command
        .env("PATH", job.path()?)
        .current_dir(&job.cwd)
        .args(["run", "--adapter", &job.adapter])
        .args(options);
    if job.line > 0 {
        let place = format!("{}:{}", job.source.display(), job.line);
        command.args(["--breakpoint", &place]);
    }
    command.arg(&job.program).arg("--").args(&job.args);
    let began = Instant::now();
    let elapsed = || began.elapsed().as_secs_f64() * 1000.0;
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .wrap_err("cannot start omp-debug")?;
    let output = child.stdout.take().ok_or_else(|| eyre!("no output"))?;
    let mut lines = BufReader::with_capacity(1 << 18, output);
    let mut line = String::new();
    let mut run = Run {
        first_ms: 0.0,
        stop_ms: 0.0,
        total_ms: 0.0,
        count: 0,
        peak_mb: 0.0,
    };
    while {
        line.clear();
        lines.read_line(&mut line)? > 0
    } {
        if run.first_ms == 0.0 {
            run.first_ms = elapsed();
        }
        let more = wanted(&line);
        if more > 0 && run.count < job.count {
            if run.count == 0 {
                run.stop_ms = elapsed();
            }
            run.count += more;
            if run.count >= job.count {
                run.total_ms = elapsed();
                run.peak_mb = peak_mb(child.id())?;
                end(&child);
            }
        }
    }
    child.wait()?;
    ensure!(
        run.count >= job.count,
        "{} of {} came; the last line: {line}",
        run.count,
        job.count
    );
    Ok(run)
}

/// Whether an event is a stop or a step: a step may end at the breakpoint.
fn stops_of(line: &str) -> usize {
    let told = |kind: &str| line.starts_with(&format!("{{\"type\":\"{kind}\""));
    usize::from(told("step_completed") || told("breakpoint_hit"))
}

/// Lines of the program's that an event tells of.
fn printed_of(line: &str) -> usize {
    if !line.starts_with("{\"type\":\"output\",\"category\":\"stdout\"") {
        return 0;
    }
    serde_json::from_str::<Value>(line).map_or(0, |event| {
        let text = event
            .get("text")
            .and_then(Value::as_str)
            .unwrap_or_default();
        memchr::memchr_iter(b'\n', text.as_bytes()).count()
    })
}

fn runs(options: &Options) -> Measured {
    let mut measured = Measured::default();
    for adapter in [Adapter::Debugpy, Adapter::Lldb] {
        let title = adapter.title();
        let rows = adapter.job(Task::Steps, STEPS).and_then(|job| {
            let job = Job { pause_ms: 0, ..job };
            // The floor goes the way that ours goes.
            let mut floor_job = job.clone();
            if adapter == Adapter::Debugpy {
                let launcher =
                    std::fs::read_to_string(support::root().join("assets/debugpy_launcher.py"))?;
                let python = floor_job.argv.first().cloned().unwrap_or_default();
                floor_job.argv = vec![python, "-c".into(), launcher, "debugpy.adapter".into()];
            }
            let python = tool("python3", tools::debugpy().or_else(tools::python))?;
            let (mut ours, mut floor) = (Vec::new(), Vec::new());
            let asked = ["--steps", "20", "--capture-each-step"];
            // The stop itself is one of those that are counted.
            let job = Job {
                count: STEPS + 1,
                ..job
            };
            for round in 0..options.rounds {
                if round % 2 == 0 {
                    floor.push(floor_job.floor(&python)?);
                }
                ours.push(run(&job, &asked, stops_of)?);
                if round % 2 == 1 {
                    floor.push(floor_job.floor(&python)?);
                }
            }
            let of = |figure: fn(&Run) -> f64| median(&ours.iter().map(figure).collect::<Vec<_>>());
            let least =
                |figure: fn(&Figures) -> f64| median(&floor.iter().map(figure).collect::<Vec<_>>());
            Ok(vec![
                Row {
                    goal: "G9",
                    what: format!("{title}: run to stack and locals"),
                    unit: "ms",
                    ours: of(|r| r.stop_ms),
                    floor: Some(least(|f| f.state_ms)),
                    bound: Bound::Times(1.03),
                },
                // Ours opens what stands inside of the locals at each step as well, which the floor leaves closed.
                Row {
                    goal: "G9",
                    what: format!("{title}: {STEPS} steps more, with what is inside the locals"),
                    unit: "ms",
                    ours: of(|r| r.total_ms),
                    floor: Some(least(|f| f.total_ms)),
                    bound: Bound::Told,
                },
                Row {
                    goal: "G9",
                    what: format!("{title}: process start to first line"),
                    unit: "ms",
                    ours: of(|r| r.first_ms),
                    floor: None,
                    bound: Bound::Most(10.0),
                },
                Row {
                    goal: "G9",
                    what: format!("{title}: run, memory"),
                    unit: "MB",
                    ours: of(|r| r.peak_mb),
                    floor: None,
                    bound: Bound::Most(12.0),
                },
            ])
        });
        measured.add(&format!("G9 {title}"), rows);
    }
    measured
}

/// Where the screen asks whether it is to be drawn.
const PLACE: &str = "tui::app::App::take_dirty";
/// What the floor prints once it is there.
const THERE: &str = "it-is-there";

/// omp-debug in its own debugger, in a terminal: from the start of ours to a stop with stack and locals. The floor is the debugger alone.
fn ourselves(options: &Options) -> Measured {
    let mut measured = Measured::default();
    for adapter in [Adapter::Gdb, Adapter::Lldb] {
        let title = adapter.title();
        let rows = adapter.job(Task::Steps, 1).and_then(|job| {
            let job = Job {
                program: programs::ourselves()?,
                args: Vec::new(),
                line: 0,
                ..job
            };
            let place = format!("fn:{PLACE}");
            let asked = ["--console", "pty", "--max-stops", "1", "-b", &place];
            let (mut ours, mut floor) = (Vec::new(), Vec::new());
            for _ in 0..options.rounds.min(3) {
                ours.push(run(&job, &asked, stops_of)?.stop_ms);
                floor.push(alone(adapter, &job.program)?);
            }
            Ok(vec![Row {
                goal: "SELF",
                what: format!("{title}: omp-debug's own build, from nothing to stack and locals"),
                unit: "ms",
                ours: median(&ours),
                floor: Some(median(&floor)),
                bound: Bound::Times(1.5),
            }])
        });
        measured.add(&format!("SELF {title}"), rows);
    }
    measured
}

/// A debugger at its own prompt, told to do the same.
fn alone(adapter: Adapter, program: &Path) -> Result<f64> {
    let (tool, before, each, list) = match adapter {
        Adapter::Gdb => (
            tool("gdb", tools::gdb())?,
            &["-q", "-nx", "-batch"][..],
            "-ex",
            [
                format!("break {PLACE}"),
                "run".to_owned(),
                "backtrace".to_owned(),
                "info locals".to_owned(),
                format!("echo \\n{THERE}\\n"),
            ],
        ),
        _ => (
            tool("lldb", tools::lldb())?,
            &["--no-lldbinit", "--batch"][..],
            "-o",
            [
                format!("breakpoint set -n {PLACE}"),
                "run".to_owned(),
                "bt".to_owned(),
                "frame variable".to_owned(),
                format!("script print('{THERE}')"),
            ],
        ),
    };
    let home = programs::folder()?.join("headless");
    let mut command = Command::new(tool);
    job::isolate(&mut command, &home);
    command.env("XDG_RUNTIME_DIR", &home).args(before);
    for line in list {
        command.args([each, &line]);
    }
    command.arg(program);
    let mut terminal = Terminal::start(command, 160, 45)?;
    let at = terminal.wait(THERE, true)?;
    Ok(at.as_secs_f64() * 1000.0)
}

fn flood(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let count = if options.quick { 200_000 } else { 1_000_000 };
    let rows = Adapter::Lldb.job(Task::Flood, count).and_then(|job| {
        let python = tool("python3", tools::debugpy().or_else(tools::python))?;
        let (mut ours, mut floor) = (Vec::new(), Vec::new());
        for _ in 0..options.rounds {
            floor.push(job.floor(&python)?.flood_ms);
            ours.push(run(&job, &["--timeout", "10m"], printed_of)?);
        }
        let of = |figure: fn(&Run) -> f64| median(&ours.iter().map(figure).collect::<Vec<_>>());
        Ok(vec![
            Row {
                goal: "G9",
                what: format!("lldb-dap: {count} lines as NDJSON"),
                unit: "ms",
                ours: of(|r| r.total_ms),
                floor: Some(median(&floor)),
                bound: Bound::Times(1.05),
            },
            Row {
                goal: "G9",
                what: format!("lldb-dap: {count} lines as NDJSON, memory"),
                unit: "MB",
                ours: of(|r| r.peak_mb),
                floor: None,
                bound: Bound::Most(32.0),
            },
        ])
    });
    measured.add("G9 flood", rows);
    measured
}

/// A `serve` that is ended with its guard.
struct Host {
    process: Child,
    socket: String,
}

impl Drop for Host {
    fn drop(&mut self) {
        end(&self.process);
        let _ = self.process.wait();
    }
}

fn calls(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let rows = Adapter::Lldb.job(Task::Steps, 1).and_then(|job| {
        let home = programs::folder()?.join("headless");
        std::fs::create_dir_all(&home)?;
        let mut process = omp_debug(&home)
            .env("PATH", job.path()?)
            .current_dir(&job.cwd)
            .arg("serve")
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().ok_or_else(|| eyre!("no output"))?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let told: Value =
            serde_json::from_str(&line).wrap_err_with(|| format!("serve said {line:?}"))?;
        let socket = told
            .get("socket")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        let host = Host { process, socket };
        let call = |words: &[String]| -> Result<f64> {
            let began = Instant::now();
            let output = omp_debug(&home)
                .args(["call", "--to", &host.socket])
                .args(words)
                .output()?;
            let took = began.elapsed().as_secs_f64() * 1000.0;
            ensure!(
                output.status.success(),
                "{words:?}: {}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            Ok(took)
        };
        let launch = serde_json::json!({"program": job.program, "adapter": job.adapter});
        call(&["launch".to_owned(), launch.to_string()])?;
        let mut times = Vec::new();
        for _ in 0..options.rounds * 10 {
            times.push(call(&["threads".to_owned()])?);
        }
        Ok(vec![Row {
            goal: "G9",
            what: "call threads, the whole process".to_owned(),
            unit: "ms",
            ours: median(&times),
            floor: None,
            bound: Bound::Most(5.0),
        }])
    });
    measured.add("G9 call", rows);
    measured
}
