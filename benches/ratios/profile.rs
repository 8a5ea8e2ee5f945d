//! Goals about profiles: G17. A program that does a fixed amount of work, alone and looked at a hundred times a second, in turns.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use color_eyre::eyre::{Result, WrapErr as _, ensure, eyre};
use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::profile::sample::{RATE, Source, Tools};
use omp_debug::diagnostics::profile::take::{ProcessChoice, Request, take};
use serde::{Deserialize, Serialize};

use super::options::{Goal, Options};
use super::programs;
use super::support::{program_source, tools};
use super::table::{Bound, Measured, Row, median, say};

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[Goal {
    name: "G17",
    measure: looked_at,
}];

/// The argument that makes this program look at a process instead of measuring.
pub const LOOKER: &str = "--look-at";

/// Clock ticks a second in `/proc`.
const TICKS: f64 = 100.0;

/// What looking at a program to its end gave.
#[derive(Debug, Serialize, Deserialize)]
struct Looked {
    samples: u64,
    lost: u64,
    /// Processor time of ours and of the programs that we used.
    cpu_s: f64,
    elapsed_s: f64,
    /// Of the program itself while it was looked at.
    busy_s: f64,
}

/// Looks at a process until it ends, and prints what that took.
pub fn look(pid: &str, source: &str) -> Result<()> {
    let pid = pid
        .parse()
        .wrap_err_with(|| format!("{pid:?} is no process"))?;
    let source: Source = source.parse().map_err(|why: String| eyre!(why))?;
    let request = Request {
        duration: Some(Duration::from_mins(2)),
        with: Some(source),
        ..Request::of(ProcessChoice::Pid(pid))
    };
    let here = Tools {
        env: std::env::vars().collect(),
        folders: vec![tools::test_home().join("venv/bin")],
    };
    let never = Cancel::default();
    let mut busy = 0.0;
    let profile = take(&request, &here, &never, &never, &mut |_| {
        busy = ticks(pid, 14..16).unwrap_or(busy);
        true
    })?;
    let looked = Looked {
        samples: profile.total(),
        lost: profile.lost,
        cpu_s: ticks(std::process::id(), 14..18).unwrap_or_default(),
        elapsed_s: profile.duration.unwrap_or_default().as_secs_f64(),
        busy_s: busy,
    };
    say(&serde_json::to_string(&looked)?);
    Ok(())
}

/// The sum of these fields of `/proc/PID/stat` in seconds, counted as proc(5) does.
fn ticks(pid: u32, fields: std::ops::Range<usize>) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    let all: Vec<&str> = rest.split_ascii_whitespace().collect();
    let wanted = all.get(fields.start - 3..fields.end - 3)?;
    let sum: f64 = wanted
        .iter()
        .filter_map(|field| field.parse::<f64>().ok())
        .sum();
    Some(sum / TICKS)
}

/// A program that does a fixed amount of work and says how many seconds that took.
struct Work<'a> {
    program: &'a Path,
    words: Vec<String>,
}

impl Work<'_> {
    /// How long it takes, looked at from this source or by nobody.
    fn run(&self, source: Option<Source>) -> Result<(f64, Option<Looked>)> {
        let mut child = Command::new(self.program)
            .args(&self.words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .wrap_err_with(|| format!("cannot start {}", self.program.display()))?;
        let watching = source.map(|source| {
            Command::new(std::env::current_exe()?)
                .args([LOOKER, &child.id().to_string(), source.name()])
                .output()
        });
        let mut said = String::new();
        if let Some(mut out) = child.stdout.take() {
            out.read_to_string(&mut said)?;
        }
        child.wait()?;
        let took = said.split(' ').next().and_then(|n| n.parse().ok());
        let took = took.ok_or_else(|| eyre!("it said {said:?} instead of how long it took"))?;
        let looked = match watching {
            None => None,
            Some(output) => {
                let output = output?;
                let text = String::from_utf8_lossy(&output.stdout);
                let errors = String::from_utf8_lossy(&output.stderr);
                ensure!(output.status.success(), "it was not looked at: {errors}");
                Some(serde_json::from_str(text.trim())?)
            }
        };
        Ok((took, looked))
    }
}

fn looked_at(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let rounds = |seconds: f64| {
        if options.quick {
            seconds / 3.0
        } else {
            seconds
        }
    };
    measured.add("G17 C with native", c_program(rounds(6.0), options));
    measured.add(
        "G17 Python with py-spy",
        python_program(rounds(6.0), options),
    );
    measured.add("G17 regions", Ok(vec![region(options)]));
    measured
}

/// What it costs to record a region of our own work.
fn region(options: &Options) -> Row {
    const COUNT: u32 = 1_000_000;
    let mut each = Vec::new();
    for _ in 0..options.rounds {
        let begun = Instant::now();
        for _ in 0..COUNT {
            drop(std::hint::black_box(omp_debug::region!("bench")));
        }
        each.push(begun.elapsed().as_nanos() as f64 / f64::from(COUNT));
    }
    Row {
        goal: "G17",
        what: "a region of our own work".to_owned(),
        unit: "ns",
        ours: median(&each),
        floor: None,
        bound: Bound::Most(100.0),
    }
}

fn c_program(seconds: f64, options: &Options) -> Result<Vec<Row>> {
    let program = tools::hot_c_program();
    let work = |rounds: u64| Work {
        program: &program,
        words: vec!["rounds".to_owned(), rounds.to_string()],
    };
    rows("C", Source::Native, &sized(work, seconds)?, options)
}

fn python_program(seconds: f64, options: &Options) -> Result<Vec<Row>> {
    let python = programs::tool("python", tools::python())?;
    programs::tool("py-spy", tools::py_spy())?;
    let script = program_source("hot.py").display().to_string();
    let work = |rounds: u64| Work {
        program: &python,
        words: vec![script.clone(), "rounds".to_owned(), rounds.to_string()],
    };
    rows("Python", Source::PySpy, &sized(work, seconds)?, options)
}

/// As much work as takes about so many seconds here.
fn sized<'a>(work: impl Fn(u64) -> Work<'a>, seconds: f64) -> Result<Work<'a>> {
    let (took, _) = work(40).run(None)?;
    Ok(work((40.0 * seconds / took) as u64 + 1))
}

fn rows(what: &str, source: Source, work: &Work<'_>, options: &Options) -> Result<Vec<Row>> {
    let (mut alone, mut with, mut cpu, mut missing) = (vec![], vec![], vec![], vec![]);
    for _ in 0..options.rounds {
        alone.push(work.run(None)?.0);
        let (took, looked) = work.run(Some(source))?;
        with.push(took);
        let looked = looked.ok_or_else(|| eyre!("it was not looked at"))?;
        cpu.push(100.0 * looked.cpu_s / looked.elapsed_s);
        // Due are those of the time in which it had a processor and was looked at.
        let due = f64::from(RATE) * looked.busy_s.min(looked.elapsed_s);
        missing.push((100.0 * (1.0 - looked.samples as f64 / due)).max(0.0));
    }
    // What programs of others cost is theirs; ours is there to do better.
    let is_ours = source == Source::Native;
    let bound = |bound| if is_ours { bound } else { Bound::Told };
    let title = |rest: &str| format!("{what}, 100 Hz, {}: {rest}", source.name());
    let row = |what: String, unit, ours: f64, floor, bound| Row {
        goal: "G17",
        what,
        unit,
        ours,
        floor,
        bound,
    };
    let (native, alone) = (median(&with), median(&alone));
    Ok(vec![
        row(
            title("the program"),
            "s",
            native,
            Some(alone),
            bound(Bound::Times(1.02)),
        ),
        row(
            title("our processor"),
            "%",
            median(&cpu),
            None,
            bound(Bound::Most(3.0)),
        ),
        row(
            title("samples missing"),
            "%",
            median(&missing),
            None,
            bound(Bound::Most(2.0)),
        ),
    ])
}
