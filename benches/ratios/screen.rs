//! Goals about the screen: the release binary in a terminal of 200 by 50, beside the least ratatui program in the same.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use color_eyre::eyre::{Result, ensure, eyre};

use super::frames;
use super::job::{self, Job, Task};
use super::naive;
use super::options::{Goal, Options};
use super::paper;
use super::programs::{self, Adapter, tool};
use super::support::tools;
use super::table::{Bound, Measured, Row, median, percentile};
use super::terminal::{Terminal, command};

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[
    Goal {
        name: "G13",
        measure: start_and_idle,
    },
    Goal {
        name: "G14",
        measure: keys_and_frames,
    },
    Goal {
        name: "PIXELS",
        measure: pixels,
    },
];

const COLUMNS: u16 = 200;
const ROWS: u16 = 50;
/// On the home screen, drawn in its first frame.
const HOME: &str = "What would you like to look into?";
/// In the help overlay only.
const HELP: &str = "Help";
/// A local of the sample programs: on the screen once a stop is.
const LOCAL: &str = "ratio";
const F10: &[u8] = b"\x1b[21~";
/// After this long without a byte a frame is over. A key that is held down comes as often, and both sides may take
/// longer over keys that come faster than frames do.
pub const FRAME_GAP: Duration = Duration::from_millis(25);
/// After this long without a byte a step is.
const STEP_GAP: Duration = Duration::from_millis(60);
/// How long a key may take to show.
const LIMIT: Duration = Duration::from_millis(500);

fn least() -> Result<Terminal> {
    Terminal::start(command(programs::least()?, [""; 0]), COLUMNS, ROWS)
}

/// omp-debug, in a project of its own with nothing remembered.
pub fn ours(arguments: &[&str], path: Option<&Job>) -> Result<Terminal> {
    let folder = programs::folder()?;
    let project = folder.join("project");
    std::fs::create_dir_all(&project)?;
    let mut command: Command = command(tools::omp_debug(), arguments);
    command.current_dir(project);
    job::isolate(&mut command, &folder.join("screen"));
    if let Some(job) = path {
        command.env("PATH", job.path()?);
    }
    Terminal::start(command, COLUMNS, ROWS)
}

/// omp-debug with the job's program stopped at the job's breakpoint.
fn stopped(job: &Job) -> Result<Terminal> {
    let mut terminal = started(job)?;
    terminal.wait(LOCAL, true)?;
    terminal.settle(STEP_GAP * 4, LIMIT)?;
    Ok(terminal)
}

fn started(job: &Job) -> Result<Terminal> {
    let text = |path: &PathBuf| path.to_string_lossy().into_owned();
    let mut arguments = vec!["--adapter".to_owned(), job.adapter.clone()];
    if job.line == 0 {
        arguments.push("--no-stop-on-entry".to_owned());
    } else {
        arguments.extend([
            "-b".to_owned(),
            format!("{}:{}", text(&job.source), job.line),
        ]);
    }
    arguments.extend([text(&job.program), "--".to_owned()]);
    arguments.extend(job.args.iter().cloned());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    ours(&arguments, Some(job))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn start_and_idle(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("G13 first paint", first_paint(options));
    measured.add("G13 home", idle(options, "home", home, 10.0));
    let session = Adapter::Lldb.job(Task::Steps, 0);
    measured.add(
        "G13 session",
        session.and_then(|job| idle(options, "stopped session", || stopped(&job), 25.0)),
    );
    measured
}

fn home() -> Result<Terminal> {
    let mut terminal = ours(&[], None)?;
    terminal.wait(HOME, true)?;
    terminal.settle(STEP_GAP * 4, LIMIT)?;
    Ok(terminal)
}

fn first_paint(options: &Options) -> Result<Vec<Row>> {
    let (mut mine, mut floor) = (Vec::new(), Vec::new());
    // The first start of each reads its file from disk.
    for _ in 0..=options.rounds {
        floor.push(milliseconds(least()?.wait("count 0", true)?));
        mine.push(milliseconds(ours(&[], None)?.wait(HOME, true)?));
    }
    Ok(vec![Row {
        goal: "G13",
        what: "start to first paint".to_owned(),
        unit: "ms",
        ours: median(mine.get(1..).unwrap_or_default()),
        floor: Some(median(floor.get(1..).unwrap_or_default())),
        bound: Bound::Times(1.5),
    }])
}

fn idle(
    options: &Options,
    place: &str,
    start: impl Fn() -> Result<Terminal>,
    memory: f64,
) -> Result<Vec<Row>> {
    let mut terminal = start()?;
    let time = Duration::from_secs(if options.quick { 3 } else { 10 });
    // What is loaded after the first frame (colours of the source, say) is work, and not idling.
    terminal.idle(Duration::from_secs(1))?;
    let (processor, wakeups) = terminal.idle(time)?;
    let row = |what: &str, unit, ours, most| Row {
        goal: "G13",
        what: format!("{place}: {what}"),
        unit,
        ours,
        floor: None,
        bound: Bound::Most(most),
    };
    Ok(vec![
        row("processor time while idle", "%", processor, 0.05),
        row("wake-ups a second while idle", "", wakeups, 0.2),
        row("resident memory", "MB", terminal.memory("VmRSS")?, memory),
    ])
}

/// Presses each key in turn and waits for its frame to end; how long each took.
pub fn press(
    terminal: &mut Terminal,
    keys: &[&[u8]],
    times: usize,
    gap: Duration,
) -> Result<Vec<f64>> {
    let mut took = Vec::with_capacity(times);
    for key in keys.iter().cycle().take(times) {
        let pressed = terminal.send(key)?;
        if let Some(shown) = terminal.settle(gap, LIMIT)? {
            took.push(milliseconds(shown.saturating_sub(pressed)));
        }
    }
    let shown = took.len();
    ensure!(
        shown * 10 >= times * 9,
        "{shown} of {times} keys changed the screen:\n{}",
        terminal.screen()
    );
    Ok(took)
}

fn keys_and_frames(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("G14 keys", keys(options));
    measured.add("G14 frames", full_change(options));
    measured
}

fn keys(options: &Options) -> Result<Vec<Row>> {
    let (mut mine, mut floor) = (home()?, least()?);
    floor.wait("count 0", true)?;
    floor.settle(STEP_GAP, LIMIT)?;
    let times = if options.quick { 20 } else { 50 };
    let (mut took, mut least) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        least.extend(press(&mut floor, &[b"x"], times, FRAME_GAP)?);
        took.extend(press(&mut mine, &[b"j", b"k"], times, FRAME_GAP)?);
    }
    let row = |what: &str, share, bound| Row {
        goal: "G14",
        what: format!("key to screen, {what}"),
        unit: "ms",
        ours: percentile(&took, share),
        floor: Some(percentile(&least, share)),
        bound,
    };
    Ok(vec![
        row("p50", 0.5, Bound::Told),
        row("p95", 0.95, Bound::Times(1.3)),
    ])
}

/// Drawing alone, in this process.
fn full_change(options: &Options) -> Result<Vec<Row>> {
    let lines = naive::text(5000);
    let count = if options.quick { 100 } else { 300 };
    let (mut mine, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        floor.extend(naive::frames(
            &mut naive::nowhere(COLUMNS, ROWS)?,
            &lines,
            count,
        )?);
        mine.extend(frames::frames(
            &mut paper::paper(COLUMNS, ROWS)?,
            &lines,
            count,
        )?);
    }
    let row = |what: &str, share, bound| Row {
        goal: "G14",
        what: format!("frame with everything changed, {what}"),
        unit: "us",
        ours: percentile(&mine, share),
        floor: Some(percentile(&floor, share)),
        bound,
    };
    Ok(vec![
        row("p50", 0.5, Bound::Times(0.6)),
        row("p95", 0.95, Bound::Told),
    ])
}

fn pixels(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("G8 lldb-dap to the pixels", steps_shown(options));
    measured.add("G10 lldb-dap to the pixels", flood_shown(options));
    measured
}

/// From the key to the last byte of the frame with the new state.
fn steps_shown(options: &Options) -> Result<Vec<Row>> {
    let python = tool("python3", tools::debugpy().or_else(tools::python))?;
    let count = if options.quick { 20 } else { 50 };
    let job = Adapter::Lldb.job(Task::Steps, count)?;
    let (mut mine, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        floor.push(job.floor(&python)?.step_p50_ms);
        let mut terminal = stopped(&job)?;
        mine.push(median(&press(&mut terminal, &[F10], count, STEP_GAP)?));
    }
    Ok(vec![Row {
        goal: "G8",
        what: "lldb-dap: step to the pixels, p50".to_owned(),
        unit: "ms",
        ours: median(&mine),
        floor: Some(median(&floor)),
        bound: Bound::Times(1.25),
    }])
}

/// Opens and closes help while output floods.
fn flood_shown(options: &Options) -> Result<Vec<Row>> {
    let count = if options.quick { 200_000 } else { 1_000_000 };
    let job = Adapter::Lldb.job(Task::Flood, count)?;
    let mut terminal = started(&job)?;
    terminal.wait("brown fox", true)?;
    let mut took = Vec::new();
    for round in 0..40 {
        let there = round % 2 == 0;
        let pressed = terminal.send(if there { b"?" } else { b"\x1b" })?;
        took.push(milliseconds(
            terminal.wait(HELP, there)?.saturating_sub(pressed),
        ));
    }
    let last = format!("line {:07}", count - 1);
    let end = terminal.wait(&last, true);
    end.map_err(|error| eyre!("the last line never came: {error}"))?;
    let row = |what: &str, unit, ours, most| Row {
        goal: "G10",
        what: format!("lldb-dap, flood on the screen: {what}"),
        unit,
        ours,
        floor: None,
        bound: Bound::Most(most),
    };
    Ok(vec![
        row("key, p95", "ms", percentile(&took, 0.95), 16.0),
        row("memory", "MB", terminal.memory("VmHWM")?, 32.0),
    ])
}
