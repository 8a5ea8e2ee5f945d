//! G15: a report of 478 MiB of artifacts beside `tar czf` of the same folder: time, size, memory.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use color_eyre::eyre::{Result, WrapErr as _, ensure};

use super::job;
use super::options::{Goal, Options};
use super::programs;
use super::support::tools;
use super::table::{Bound, Measured, Row, median};
use super::worker::peak_mb;

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[Goal {
    name: "G15",
    measure: reports,
}];

/// Random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let at = self.next() as usize % words.len().max(1);
        words.get(at).copied().unwrap_or_default()
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count.div_ceil(8))
            .flat_map(|_| self.next().to_le_bytes())
            .take(count)
            .collect()
    }
}

/// Lines as omp's transcripts and tools' outputs have them, without secrets.
fn text(dice: &mut Dice, bytes: usize) -> Vec<u8> {
    const LEVELS: &[&str] = &["debug", "info", "warn", "error"];
    const MESSAGES: &[&str] = &[
        "tool call finished",
        "ui.loop-blocked",
        "cache miss, reading from disk",
        "agent turn ended with provider error",
        "wrote session entry",
        "request body prepared",
    ];
    let mut out = Vec::with_capacity(bytes + 512);
    let mut time = 1_787_300_000_000 + dice.next() % 1_000_000;
    while out.len() < bytes {
        time += dice.next() % 400;
        let (level, message) = (dice.of(LEVELS), dice.of(MESSAGES));
        let (a, b) = (dice.next() % 100_000, dice.next());
        let _ = writeln!(
            out,
            "{{\"timestamp\":{time},\"level\":\"{level}\",\"pid\":{},\"message\":\"{message}\",\"durationMs\":{a},\"id\":\"{b:016x}\",\"path\":\"/home/ada/work/app/src/module{}.ts\",\"usage\":{{\"input_tokens\":{},\"output_tokens\":{}}}}}",
            60_000 + a % 9,
            a % 300,
            a * 3,
            a % 4096,
        );
    }
    out.truncate(bytes);
    out
}

/// A session with artifacts: transcripts, small outputs, random bytes, half-empty ones.
fn generate(session: &Path, share: usize) -> Result<()> {
    let folder = session.with_extension("");
    if folder.join("done").exists() {
        return Ok(());
    }
    let mut dice = Dice(42);
    let file = |name: String, bytes: Vec<u8>| -> Result<()> {
        let path = folder.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(fs::write(path, bytes)?)
    };
    for n in 0..60 / share {
        file(
            format!("{n:03}/transcript.jsonl"),
            text(&mut dice, 5_000_000),
        )?;
    }
    for n in 0..5_000 / share {
        file(
            format!("{:03}/out/{n}.txt", n % 60),
            text(&mut dice, 20_000),
        )?;
    }
    for n in 0..(6 / share).max(1) {
        file(format!("{n:03}/heap.bin"), dice.bytes(10_000_000))?;
    }
    for n in 0..(4 / share).max(1) {
        let mut bytes = Vec::new();
        for _ in 0..2441 {
            bytes.extend(dice.bytes(512));
            bytes.resize(bytes.len() + 3584, 0);
        }
        file(format!("{n:03}/core.bin"), bytes)?;
    }
    fs::write(session, "{\"type\":\"session\",\"version\":3}\n")?;
    fs::write(folder.join("done"), "")?;
    Ok(())
}

/// Seconds, and megabytes at most.
fn timed(command: &mut Command) -> Result<(f64, f64)> {
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .wrap_err_with(|| format!("cannot start {command:?}"))?;
    let mut peak = 0.0_f64;
    let status = loop {
        // A process that is gone has no memory any more.
        peak = peak.max(peak_mb(child.id()).unwrap_or(0.0));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok((began.elapsed().as_secs_f64(), peak))
}

fn size(path: &Path) -> Result<f64> {
    Ok(fs::metadata(path)?.len() as f64 / 1e6)
}

fn reports(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("reports", rows(options));
    measured
}

fn rows(options: &Options) -> Result<Vec<Row>> {
    let share = if options.quick { 10 } else { 1 };
    let home = programs::folder()?.join(format!("report-{share}"));
    fs::create_dir_all(&home)?;
    let session = home.join("session.jsonl");
    generate(&session, share)?;
    let ours = |name: &str, more: &[&str]| -> Result<(f64, f64, f64)> {
        let target: PathBuf = home.join(name);
        let mut command = Command::new(tools::omp_debug());
        job::isolate(&mut command, &home);
        command
            .args(["report", "--yes", "--force", "--no-logs", "--session"])
            .arg(&session)
            .arg("-o")
            .arg(&target)
            .args(more);
        let (seconds, peak) = timed(&mut command)?;
        Ok((seconds, peak, size(&target)?))
    };
    let floor = home.join("floor.tar.gz");
    let (mut tar, mut small, mut fast) = (Vec::new(), Vec::new(), Vec::new());
    let (mut small_mb, mut fast_mb, mut peak) = (0.0, 0.0, 0.0_f64);
    for _ in 0..options.rounds {
        let mut command = Command::new("tar");
        command
            .arg("czf")
            .arg(&floor)
            .arg("-C")
            .arg(&home)
            .arg("session");
        tar.push(timed(&mut command)?.0);
        let (seconds, memory, bytes) = ours("small.tar.gz", &[])?;
        (small_mb, peak) = (bytes, peak.max(memory));
        small.push(seconds);
        let (seconds, memory, bytes) = ours("fast.tar.gz", &["--fast"])?;
        (fast_mb, peak) = (bytes, peak.max(memory));
        fast.push(seconds);
    }
    let (tar, floor_mb) = (median(&tar), size(&floor)?);
    let row = |what: &str, unit, ours, floor, bound| Row {
        goal: "G15",
        what: what.to_owned(),
        unit,
        ours,
        floor,
        bound,
    };
    Ok(vec![
        row(
            "report, against tar czf",
            "s",
            median(&small),
            Some(tar),
            Bound::Times(0.25),
        ),
        row(
            "report --fast, against tar czf",
            "s",
            median(&fast),
            Some(tar),
            Bound::Times(0.10),
        ),
        row(
            "size of it",
            "MB",
            small_mb,
            Some(floor_mb),
            Bound::Times(1.02),
        ),
        row(
            "size of it, --fast",
            "MB",
            fast_mb,
            Some(floor_mb),
            Bound::Times(1.12),
        ),
        row("most memory", "MB", peak, None, Bound::Most(64.0)),
    ])
}
