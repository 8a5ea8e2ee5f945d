//! Goals about logs: G1 to G5, and a log that is being written. A log of our own making, the same every time, beside the tools that people
//! read logs with: less, ripgrep, wc, jq (`apt-get install less ripgrep jq`).

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use color_eyre::eyre::{Result, WrapErr as _, ensure, eyre};
use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::logs::{Effort, Log, LogPath, summary};

use super::job;
use super::options::{Goal, Options};
use super::programs;
use super::support::tools;
use super::table::{Bound, Measured, Row, median, percentile};
use super::terminal::{Terminal, command};

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[
    Goal {
        name: "G1",
        measure: opening,
    },
    Goal {
        name: "G2",
        measure: memory,
    },
    Goal {
        name: "G3",
        measure: searching,
    },
    Goal {
        name: "G4",
        measure: one_process,
    },
    Goal {
        name: "G5",
        measure: index,
    },
    Goal {
        name: "TAIL",
        measure: tail,
    },
];

const COLUMNS: u16 = 200;
const ROWS: u16 = 60;
const MIB: u64 = 1024 * 1024;
/// In the last entry.
const LAST: &str = "LAST-LINE-MARK";
/// Once, nine tenths from the beginning.
const NEEDLE: &str = "NEEDLE-7f3a9c1d";
/// A process of which one entry in a thousand is.
const RARE: u32 = 66601;
/// In its last entry.
const LAST_RARE: &str = "LAST-RARE-MARK";
const SHORT_GAP: Duration = Duration::from_millis(25);
const LIMIT: Duration = Duration::from_millis(500);

/// The size that the goals are about; a tenth of it when it has to be quick.
fn large(options: &Options) -> u64 {
    if options.quick { 100 * MIB } else { 1024 * MIB }
}

/// A log of this size, made once.
fn log(size: u64) -> Result<PathBuf> {
    let folder = programs::folder()?.join("logs");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}m.log", size / MIB));
    if !path.exists() {
        let unfinished = path.with_extension("unfinished");
        generate(&unfinished, size).wrap_err("cannot make a log")?;
        fs::rename(&unfinished, &path)?;
    }
    // In the page cache, as it is for all who read it.
    std::io::copy(&mut File::open(&path)?, &mut std::io::sink())?;
    Ok(path)
}

/// Numbers that look like chance and are the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// Lines as omp writes them, of nine processes, a few of many kilobytes, a few that are no JSON.
fn generate(path: &Path, size: u64) -> Result<()> {
    const PIDS: [u32; 8] = [12345, 12399, 20417, 20418, 31001, 40960, 51234, 65001];
    const LEVELS: [&str; 8] = [
        "info", "debug", "info", "debug", "info", "warn", "debug", "error",
    ];
    const WORDS: [&str; 16] = [
        "session", "request", "response", "provider", "stream", "token", "tool", "edit", "cache",
        "flush", "render", "frame", "config", "model", "prompt", "usage",
    ];
    const ODD: [&str; 5] = [
        r#"{"timestamp":"2026-11-20T10:11:12.345Z","level":"info","pid":66601"#,
        "panic: plain text",
        r#"{"timestamp":"x","level":5,"pid":"12x45","message":null}"#,
        "\u{1b}[31mred text\u{1b}[0m",
        r#"[1,2,{"pid":66601,"x":1}]"#,
    ];
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut chance = Chance(42);
    let (mut written, mut needle) = (0, false);
    // All of it within a day.
    let step = (86_000_000 * 200 / size).max(1);
    let mut ms = 0;
    let mut line = String::new();
    let mut one = |out: &mut BufWriter<File>,
                   chance: &mut Chance,
                   ms: u64,
                   pid: u32,
                   mark: &str| {
        use std::fmt::Write as _;
        line.clear();
        let (seconds, rest) = (ms / 1000 % 86_400, ms % 1000);
        write!(
            line,
            r#"{{"timestamp":"2026-11-20T{:02}:{:02}:{:02}.{rest:03}Z","level":"{}","pid":{pid},"message":""#,
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60,
            LEVELS.get(chance.below(8) as usize).unwrap_or(&"info"),
        )?;
        let words = match chance.below(700) {
            0 => 300 + chance.below(6000),
            _ => 3 + chance.below(20),
        };
        for _ in 0..words {
            let word = WORDS.get(chance.below(16) as usize).unwrap_or(&"word");
            write!(line, "{word} ")?;
        }
        write!(line, r#"{mark}","n":{}}}"#, chance.below(1_000_000))?;
        line.push('\n');
        out.write_all(line.as_bytes())?;
        Ok::<u64, color_eyre::eyre::Report>(line.len() as u64)
    };
    while written < size.saturating_sub(64 * 1024) {
        ms += chance.below(2 * step + 1);
        let pid = if chance.below(1000) == 0 {
            RARE
        } else {
            let skewed = chance.below(8).min(chance.below(8));
            *PIDS.get(skewed as usize).unwrap_or(&1)
        };
        if chance.below(2000) == 0 {
            let odd = ODD.get(chance.below(5) as usize).unwrap_or(&"");
            out.write_all(odd.as_bytes())?;
            out.write_all(b"\n")?;
            written += odd.len() as u64 + 1;
        }
        let mark = if !needle && written > size / 10 * 9 {
            needle = true;
            NEEDLE
        } else {
            ""
        };
        written += one(&mut out, &mut chance, ms, pid, mark)?;
    }
    one(&mut out, &mut chance, 86_399_000, RARE, LAST_RARE)?;
    for _ in 0..100 {
        one(&mut out, &mut chance, 86_399_500, 12345, "")?;
    }
    one(&mut out, &mut chance, 86_399_999, 12345, LAST)?;
    out.flush()?;
    Ok(())
}

/// omp-debug with a home of its own.
fn ours(arguments: &[&str], log: &Path) -> Result<Command> {
    let mut command: Command = command(tools::omp_debug(), ["logs"]);
    command.args(arguments).arg(log);
    job::isolate(&mut command, &programs::folder()?.join("screen"));
    Ok(command)
}

fn on_screen(command: Command) -> Result<Terminal> {
    Terminal::start(command, COLUMNS, ROWS)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Runs a command to its end; gives what it printed and how long it took, in milliseconds.
fn run(command: &mut Command) -> Result<(String, f64)> {
    let began = Instant::now();
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .wrap_err_with(|| format!("cannot start {}", command.get_program().display()))?;
    let took = milliseconds(began.elapsed());
    Ok((
        String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        took,
    ))
}

fn other(program: &str, arguments: &[&str], log: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments.iter().map(OsString::from)).arg(log);
    command
}

/// Both take turns; the first turn, which reads the programs from disk, does not count. Both must print the same.
fn compare(
    options: &Options,
    mut mine: Command,
    mut floor: Command,
    same: bool,
) -> Result<(f64, f64)> {
    let (mut took, mut least) = (Vec::new(), Vec::new());
    for round in 0..=options.rounds {
        let (answer, time) = run(&mut floor)?;
        let (ours, our_time) = run(&mut mine)?;
        ensure!(
            !same || ours == answer,
            "{:?} printed {ours:?}, {:?} {answer:?}",
            mine.get_program(),
            floor.get_program()
        );
        if round > 0 {
            took.push(our_time);
            least.push(time);
        }
    }
    Ok((median(&took), median(&least)))
}

fn row(goal: &'static str, what: &str, unit: &'static str, ours: f64, bound: Bound) -> Row {
    Row {
        goal,
        what: what.to_owned(),
        unit,
        ours,
        floor: None,
        bound,
    }
}

fn opening(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("G1 last page", last_page(options));
    measured
}

fn last_page(options: &Options) -> Result<Vec<Row>> {
    let (small, large) = (log(100 * MIB)?, log(large(options))?);
    let open = |log: &Path| -> Result<f64> {
        let mut terminal = on_screen(ours(&[], log)?)?;
        Ok(milliseconds(terminal.wait(LAST, true)?))
    };
    let (mut first, mut mine, mut floor) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=options.rounds {
        let mut less = on_screen(other("less", &["+G"], &large))?;
        let (least, small, large) = (
            milliseconds(less.wait(LAST, true)?),
            open(&small)?,
            open(&large)?,
        );
        if round > 0 {
            floor.push(least);
            first.push(small);
            mine.push(large);
        }
    }
    Ok(vec![
        Row {
            floor: Some(median(&floor)),
            ..row(
                "G1",
                "last page on screen, beside less +G",
                "ms",
                median(&mine),
                Bound::Times(1.5),
            )
        },
        Row {
            floor: Some(median(&first)),
            ..row(
                "G1",
                "the same beside a log of 100 MiB",
                "ms",
                median(&mine),
                Bound::Times(1.15),
            )
        },
    ])
}

fn memory(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("G2 memory", most_memory(options));
    measured
}

/// Opened, searched from end to beginning, filtered, counted.
fn most_memory(options: &Options) -> Result<Vec<Row>> {
    let log = log(large(options))?;
    let mut terminal = on_screen(ours(&[], &log)?)?;
    terminal.wait(LAST, true)?;
    let opened = terminal.memory("VmHWM")?;
    terminal.send(format!("/{NEEDLE}\r").as_bytes())?;
    terminal.wait("1 entry", true)?;
    terminal.send(b"P")?;
    terminal.wait("Processes", true)?;
    terminal.wait("counting", false)?;
    terminal.send(b"\x1b")?;
    terminal.wait("Processes", false)?;
    terminal.send(format!("f{LAST_RARE}\r").as_bytes())?;
    terminal.wait("hidden", true)?;
    let searched = terminal.memory("VmHWM")?;
    Ok(vec![
        row("G2", "peak memory, opened", "MB", opened, Bound::Most(24.0)),
        row(
            "G2",
            "peak memory, after search and filter",
            "MB",
            searched,
            Bound::Most(24.0),
        ),
    ])
}

fn searching(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("G3 rare text", rare_text(options));
    measured
}

fn rare_text(options: &Options) -> Result<Vec<Row>> {
    let log = log(large(options))?;
    let mut rows = Vec::new();
    for (what, pattern, bound) in [
        (
            "rare text, beside rg --no-mmap",
            NEEDLE.to_owned(),
            Bound::Times(1.0),
        ),
        (
            "the same in any case",
            format!("(?i){}", NEEDLE.to_lowercase()),
            Bound::Times(1.0),
        ),
    ] {
        let (took, floor) = compare(
            options,
            ours(&["--count", "--grep", &pattern], &log)?,
            other("rg", &["--no-mmap", "-c", &pattern], &log),
            true,
        )?;
        rows.push(Row {
            floor: Some(floor),
            ..row("G3", what, "ms", took, bound)
        });
    }
    Ok(rows)
}

fn one_process(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("G4 beside rg", process_counted(options));
    measured.add("G4 beside jq", beside_jq(options));
    measured.add("G4 first hits", first_hits(options));
    measured
}

fn process_counted(options: &Options) -> Result<Vec<Row>> {
    let log = log(large(options))?;
    let text = format!("\"pid\":{RARE},");
    let pid = RARE.to_string();
    // Text is found in lines that are no JSON as well: the answers differ.
    let (took, floor) = compare(
        options,
        ours(&["--count", "--pid", &pid], &log)?,
        other("rg", &["-c", &text], &log),
        false,
    )?;
    Ok(vec![Row {
        floor: Some(floor),
        ..row(
            "G4",
            "one process, beside rg for text",
            "ms",
            took,
            Bound::Times(1.3),
        )
    }])
}

/// On a tenth: jq takes long.
fn beside_jq(options: &Options) -> Result<Vec<Row>> {
    let log = log(100 * MIB)?;
    let program =
        format!("[inputs | fromjson? | select(type == \"object\" and .pid == {RARE})] | length");
    let pid = RARE.to_string();
    let options = &Options {
        rounds: 1,
        ..options.clone()
    };
    let (took, floor) = compare(
        options,
        ours(&["--count", "--pid", &pid], &log)?,
        other("jq", &["-nR", &program], &log),
        true,
    )?;
    Ok(vec![Row {
        floor: Some(floor),
        ..row(
            "G4",
            "one process in 100 MiB, beside jq",
            "ms",
            took,
            Bound::Times(1.0 / 80.0),
        )
    }])
}

fn first_hits(options: &Options) -> Result<Vec<Row>> {
    let log = log(large(options))?;
    let pid = RARE.to_string();
    let mut took = Vec::new();
    for round in 0..=options.rounds {
        let mut terminal = on_screen(ours(&["--pid", &pid], &log)?)?;
        let time = milliseconds(terminal.wait(LAST_RARE, true)?);
        if round > 0 {
            took.push(time);
        }
    }
    Ok(vec![row(
        "G4",
        "one process: start to first page",
        "ms",
        median(&took),
        Bound::Most(30.0),
    )])
}

fn index(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("G5 index", indexed(options));
    measured.add("G5 keys", keys_meanwhile(options));
    measured
}

/// In this process: the screen makes it in the background, and nobody is told when it is there.
fn indexed(options: &Options) -> Result<Vec<Row>> {
    let log = log(large(options))?;
    let (mut took, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        let (_, time) = run(&mut other("wc", &["-l"], &log))?;
        floor.push(time);
        let began = Instant::now();
        let found = summary(
            &mut Log::new([LogPath::from(&*log)]),
            Effort::All,
            &Cancel::default(),
        )?;
        took.push(milliseconds(began.elapsed()));
        ensure!(found.pids.contains_key(&RARE), "the index is incomplete");
    }
    Ok(vec![Row {
        floor: Some(median(&floor)),
        ..row(
            "G5",
            "lines, processes, levels, times, beside wc -l",
            "ms",
            median(&took),
            Bound::Times(2.5),
        )
    }])
}

/// Right after the first page came, while the index is made.
fn keys_meanwhile(options: &Options) -> Result<Vec<Row>> {
    let log = log(large(options))?;
    let mut took = Vec::new();
    for _ in 0..options.rounds {
        let mut terminal = on_screen(ours(&[], &log)?)?;
        terminal.wait(LAST, true)?;
        for _ in 0..5 {
            for key in [b"k", b"j"] {
                let pressed = terminal.send(key)?;
                if let Some(shown) = terminal.settle(SHORT_GAP, LIMIT)? {
                    took.push(milliseconds(shown.saturating_sub(pressed)));
                }
            }
        }
    }
    Ok(vec![row(
        "G5",
        "key to screen while the index is made, p95",
        "ms",
        percentile(&took, 0.95),
        Bound::Most(5.0),
    )])
}

fn tail(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("tail", followed(options));
    measured
}

/// 100,000 lines a second for some seconds while keys are pressed; the last line must come to the screen.
fn followed(options: &Options) -> Result<Vec<Row>> {
    const BURST: u64 = 10_000;
    let path = programs::folder()?.join("tail.log");
    fs::write(&path, "")?;
    let mut terminal = on_screen(ours(&[], &path)?)?;
    terminal.wait("following", true)?;
    let bursts: u64 = if options.quick { 20 } else { 50 };
    let target = path.clone();
    let writer = std::thread::spawn(move || -> Result<()> {
        let mut out = BufWriter::with_capacity(1 << 20, File::options().append(true).open(target)?);
        let began = Instant::now();
        for burst in 0..bursts {
            for n in 0..BURST {
                let ms = burst * 100 + n / 100;
                let mark = burst * BURST + n;
                writeln!(
                    out,
                    r#"{{"timestamp":"2026-11-20T10:00:{:02}.{:03}Z","level":"info","pid":7,"message":"tail line {mark:08} with some words behind it"}}"#,
                    ms / 1000,
                    ms % 1000
                )?;
            }
            out.flush()?;
            let due = began + Duration::from_millis(100) * u32::try_from(burst + 1)?;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        Ok(())
    });
    let mut took = Vec::new();
    for round in 0..30 {
        let there = round % 2 == 0;
        let pressed = terminal.send(if there { b"?" } else { b"\x1b" })?;
        let shown = terminal.wait("Help", there)?;
        took.push(milliseconds(shown.saturating_sub(pressed)));
    }
    writer
        .join()
        .map_err(|_panic| eyre!("the writer broke down"))??;
    terminal.send(b"G")?;
    terminal.wait(&format!("tail line {:08}", bursts * BURST - 1), true)?;
    let memory = terminal.memory("VmHWM")?;
    Ok(vec![
        row(
            "TAIL",
            "100,000 lines a second: key to screen, p95",
            "ms",
            percentile(&took, 0.95),
            Bound::Most(16.0),
        ),
        row(
            "TAIL",
            "the same: peak memory",
            "MB",
            memory,
            Bound::Most(24.0),
        ),
    ])
}
