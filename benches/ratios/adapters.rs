//! Goals about debugging: ours is the core as a library, the floor a client that does nothing else.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use color_eyre::eyre::{Result, bail, ensure, eyre};

use super::job::{Figures, Job, Task};
use super::options::{Goal, Options};
use super::programs::{self, Adapter, tool};
use super::support::{self, tools};
use super::table::{Bound, Measured, Row, median};

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[
    Goal {
        name: "G6",
        measure: python_launch,
    },
    Goal {
        name: "TREE",
        measure: tree,
    },
    Goal {
        name: "REC",
        measure: recorded,
    },
    Goal {
        name: "G8",
        measure: native,
    },
    Goal {
        name: "G10",
        measure: flood,
    },
    Goal {
        name: "G11",
        measure: pipe,
    },
    Goal {
        name: "LIST",
        measure: list,
    },
    Goal {
        name: "VALUES",
        measure: values,
    },
];

/// Figures of every round.
#[derive(Default)]
struct Rounds {
    ours: Vec<Figures>,
    floor: Vec<Figures>,
}

impl Rounds {
    /// Both sides take turns, and take turns at being first.
    fn of(options: &Options, job: &Job) -> Result<Self> {
        let python = tool("python3", tools::debugpy().or_else(tools::python))?;
        let home = programs::folder()?.join("home");
        let mut rounds = Self::default();
        for round in 0..options.rounds {
            if round % 2 == 0 {
                rounds.floor.push(job.floor(&python)?);
                rounds.ours.push(job.ours(&home)?);
            } else {
                rounds.ours.push(job.ours(&home)?);
                rounds.floor.push(job.floor(&python)?);
            }
        }
        Ok(rounds)
    }

    fn ours(&self, figure: impl Fn(&Figures) -> f64) -> f64 {
        median(&self.ours.iter().map(figure).collect::<Vec<_>>())
    }

    fn floor(&self, figure: impl Fn(&Figures) -> f64) -> f64 {
        median(&self.floor.iter().map(figure).collect::<Vec<_>>())
    }

    fn row(
        &self,
        goal: &'static str,
        what: String,
        bound: Bound,
        figure: impl Fn(&Figures) -> f64,
    ) -> Row {
        Row {
            goal,
            what,
            unit: "ms",
            ours: self.ours(&figure),
            floor: Some(self.floor(&figure)),
            bound,
        }
    }

    /// Floor and ours must have got the same, or their times mean nothing.
    fn same(&self, what: &str, figure: impl Fn(&Figures) -> usize) -> Result<()> {
        let mut all = self.floor.iter().chain(&self.ours).map(figure);
        let first = all.next().unwrap_or(0);
        ensure!(first > 0, "the floor got no {what}");
        match all.find(|other| *other != first) {
            Some(other) => bail!(
                "one side got {first} {what}, the other {other}: their times cannot be compared"
            ),
            None => Ok(()),
        }
    }
}

fn steps(options: &Options, adapter: Adapter) -> Result<Rounds> {
    let count = if options.quick { 30 } else { 100 };
    let rounds = Rounds::of(options, &adapter.job(Task::Steps, count)?)?;
    rounds.same("frames", |f| f.frames)?;
    rounds.same("variables", |f| f.variables)?;
    Ok(rounds)
}

/// G6 and G7: the floor is the adapter as it is, whose every message waits 44 ms for an acknowledgement.
fn python_launch(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let rows = steps(options, Adapter::Debugpy).map(|rounds| {
        let what = |text: &str| format!("debugpy: {text}");
        vec![
            rounds.row(
                "G6",
                what("launch to stack and locals"),
                Bound::Times(0.75),
                |f| f.state_ms,
            ),
            rounds.row(
                "G7",
                what("step with stack and locals, p50"),
                Bound::Most(6.0),
                |f| f.step_p50_ms,
            ),
            rounds.row(
                "G7",
                what("step with stack and locals, p95"),
                Bound::Most(10.0),
                |f| f.step_p95_ms,
            ),
        ]
    });
    measured.add("G6 debugpy", rows);
    measured
}

fn native(options: &Options) -> Measured {
    let mut measured = Measured::default();
    for adapter in [Adapter::Lldb, Adapter::Gdb, Adapter::Delve] {
        let title = adapter.title();
        let rows = steps(options, adapter).map(|rounds| {
            let what = |text: &str| format!("{title}: {text}");
            vec![
                rounds.row(
                    "G8",
                    what("launch to stack and locals"),
                    Bound::Times(1.05),
                    |f| f.state_ms,
                ),
                rounds.row(
                    "G8",
                    what("step with stack and locals, p50"),
                    Bound::Times(1.05),
                    |f| f.step_p50_ms,
                ),
                rounds.row(
                    "G8",
                    what("step with stack and locals, p95"),
                    Bound::Told,
                    |f| f.step_p95_ms,
                ),
            ]
        });
        measured.add(&format!("G8 {title}"), rows);
    }
    measured
}

/// The floor is a client that does nothing but connect to each child, through the adapter. Without one in between we are to be faster.
fn tree(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let count = if options.quick { 30 } else { 100 };
    for (way, named, times) in [
        ("stdio", "through the adapter", 1.1),
        ("servers", "with their servers coming to us", 1.0),
    ] {
        let rows = Adapter::Debugpy.job(Task::Tree, count).and_then(|job| {
            let job = Job {
                way: Some(way.to_owned()),
                ..job
            };
            let rounds = Rounds::of(options, &job)?;
            rounds.same("children", |f| f.children)?;
            let what = format!("debugpy: {count} forks {named}");
            Ok(vec![
                rounds.row("TREE", what, Bound::Times(times), |f| f.tree_ms),
            ])
        });
        measured.add(&format!("TREE {way}"), rows);
    }
    measured
}

/// What a recording costs: the floor is ours without one.
fn recorded(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let count = if options.quick { 30 } else { 100 };
    let rows = Adapter::Debugpy.job(Task::Steps, count).and_then(|job| {
        let folder = programs::folder()?;
        let home = folder.join("home");
        let mut rounds = Rounds::default();
        for round in 0..options.rounds {
            let file = folder.join(format!("steps-{}-{round}.rec", std::process::id()));
            let with = Job {
                recording: Some(file.clone()),
                ..job.clone()
            };
            if round % 2 == 0 {
                rounds.floor.push(job.ours(&home)?);
                rounds.ours.push(with.ours(&home)?);
            } else {
                rounds.ours.push(with.ours(&home)?);
                rounds.floor.push(job.ours(&home)?);
            }
            std::fs::remove_file(file)?;
        }
        let what = "debugpy: step while all is recorded, p50".to_owned();
        Ok(vec![
            rounds.row("REC", what, Bound::Times(1.02), |f| f.step_p50_ms),
        ])
    });
    measured.add("REC debugpy", rows);
    measured
}

/// Lines of a flood.
fn lines(options: &Options) -> usize {
    if options.quick { 200_000 } else { 1_000_000 }
}

fn flood(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let count = lines(options);
    let rows = Adapter::Lldb.job(Task::Flood, count).and_then(|job| {
        let rounds = Rounds::of(options, &job)?;
        rounds.same("lines", |f| f.lines)?;
        let what = |text: &str| format!("lldb-dap: {count} lines as events{text}");
        Ok(vec![
            rounds.row("G10", what(""), Bound::Times(1.02), |f| f.flood_ms),
            Row {
                goal: "G10",
                what: what(", memory"),
                unit: "MB",
                ours: rounds.ours(|f| f.peak_mb),
                floor: None,
                bound: Bound::Most(32.0),
            },
            Row {
                goal: "G10",
                what: "a command's answer meanwhile, p95".to_owned(),
                unit: "ms",
                ours: rounds.ours(|f| f.reply_p95_ms),
                floor: None,
                bound: Bound::Most(16.0),
            },
        ])
    });
    measured.add("G10 lldb-dap", rows);
    measured
}

fn pipe(options: &Options) -> Measured {
    let mut measured = Measured::default();
    // Fewer would be over before the debugger has let go of the program's start.
    let count = 1_000_000;
    let rows = Adapter::Lldb.job(Task::Pipe, count).and_then(|job| {
        let home = programs::folder()?.join("home");
        let (mut ours, mut floor) = (Vec::new(), Vec::new());
        for _ in 0..options.rounds {
            floor.push(native_pipe(&job.program, count)?);
            let figures = job.ours(&home)?;
            ensure!(
                figures.lines == count,
                "{} of {count} lines came through the pipe",
                figures.lines
            );
            ours.push(figures.flood_ms);
        }
        Ok(vec![Row {
            goal: "G11",
            what: format!("lldb-dap: {count} lines through a pipe"),
            unit: "ms",
            ours: median(&ours),
            floor: Some(median(&floor)),
            bound: Bound::Times(3.0),
        }])
    });
    measured.add("G11 lldb-dap", rows);
    measured
}

/// The program alone, into a pipe that is read as fast as can be.
fn native_pipe(program: &Path, count: usize) -> Result<f64> {
    let began = Instant::now();
    let mut child = Command::new(program)
        .arg("flood")
        .arg(count.to_string())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut output = child
        .stdout
        .take()
        .ok_or_else(|| eyre!("the program has no output"))?;
    let mut buffer = vec![0; 64 * 1024];
    let mut lines = 0;
    loop {
        let length = output.read(&mut buffer)?;
        if length == 0 {
            break;
        }
        lines += memchr::memchr_iter(b'\n', buffer.get(..length).unwrap_or_default()).count();
    }
    child.wait()?;
    ensure!(
        lines == count,
        "the program alone printed {lines} of {count} lines"
    );
    Ok(began.elapsed().as_secs_f64() * 1000.0)
}

fn list(options: &Options) -> Measured {
    let mut measured = Measured::default();
    // debugpy does not page.
    for adapter in [Adapter::Lldb, Adapter::Gdb, Adapter::Delve] {
        let title = adapter.title();
        let rows = adapter.job(Task::Page, 0).and_then(|job| {
            let rounds = Rounds::of(options, &job)?;
            rounds.same("elements", |f| f.page)?;
            let what = format!("{title}: first 100 of 100,000 elements");
            Ok(vec![
                rounds.row("LIST", what, Bound::Times(1.2), |f| f.page_ms),
            ])
        });
        measured.add(&format!("LIST {title}"), rows);
    }
    measured
}

/// Steps through values: of fewer, the slowest twentieth would be one or two.
const STEPS: usize = 100;
/// Locals that a screen of 45 lines shows at a time.
const ROWS: usize = 30;

/// What it costs to find out what locals show: the floor is ours without it. A person looks at a stop before the next step, so it has
/// begun by then, and what is on its way is in the way.
fn values(options: &Options) -> Measured {
    let mut measured = Measured::default();
    for adapter in [Adapter::Gdb, Adapter::Lldb, Adapter::CodeLldb] {
        for (language, program, source) in programs::values() {
            let title = format!("{}, {language}", adapter.title());
            let rows = adapter.job(Task::Steps, STEPS).and_then(|job| {
                let without = Job {
                    args: Vec::new(),
                    line: support::line_of(&source, "rounds"),
                    program,
                    source,
                    pause_ms: 100,
                    ..job
                };
                let with = Job {
                    previews: ROWS,
                    ..without.clone()
                };
                let home = programs::folder()?.join("home");
                let mut rounds = Rounds::default();
                for round in 0..options.rounds.min(3) {
                    if round % 2 == 0 {
                        rounds.floor.push(without.ours(&home)?);
                        rounds.ours.push(with.ours(&home)?);
                    } else {
                        rounds.ours.push(with.ours(&home)?);
                        rounds.floor.push(without.ours(&home)?);
                    }
                }
                rounds.same("variables", |f| f.variables)?;
                let what = |text: &str| format!("{title}: {text}");
                let bound = Bound::Times(1.15);
                Ok(vec![
                    rounds.row(
                        "VALUES",
                        what("step while values are looked into, p50"),
                        bound,
                        |f| f.step_p50_ms,
                    ),
                    rounds.row(
                        "VALUES",
                        what("step while values are looked into, p95"),
                        bound,
                        |f| f.step_p95_ms,
                    ),
                    Row {
                        goal: "VALUES",
                        what: what("step to what the locals show, p50"),
                        unit: "ms",
                        ours: rounds.ours(|f| f.previews_p50_ms),
                        floor: None,
                        bound: Bound::Told,
                    },
                ])
            });
            measured.add(&format!("VALUES {title}"), rows);
        }
    }
    measured
}
