//! Goals about profiles that are opened: a large file beside `jq empty`, and the keys of a flame view of a million stacks.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use color_eyre::eyre::Result;

use super::memory::measure;
use super::options::{Goal, Options};
use super::programs;
use super::screen::{FRAME_GAP, ours, press};
use super::support::tools;
use super::table::{Bound, Measured, Row, median, percentile};
use super::terminal::Terminal;

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[
    Goal {
        name: "opened",
        measure: opened,
    },
    Goal {
        name: "flame",
        measure: flame,
    },
];

/// Calls of the tree that a recording has.
const NODES: u64 = 300_000;
/// Stacks of the flame view: a tree of two calls each, so deep.
const DEEP: u32 = 20;
/// How long reading a million stacks may take.
const READ: Duration = Duration::from_mins(2);

/// A number that looks like none in particular.
fn mixed(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

/// A recording of V8 with so many samples.
fn write_cpuprofile(path: &Path, samples: u64) -> Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    write!(out, "{{\"nodes\":[")?;
    for id in 1..=NODES {
        let comma = if id == 1 { "" } else { "," };
        let function = mixed(id) % 5000;
        write!(
            out,
            r#"{comma}{{"id":{id},"callFrame":{{"functionName":"function{function}","scriptId":"{}","url":"file:///home/somebody/project/src/module{}.js","lineNumber":{},"columnNumber":{}}},"hitCount":1"#,
            function % 300,
            function % 300,
            function % 997,
            id % 80
        )?;
        let children = (id * 2..=id * 2 + 1).filter(|child| *child <= NODES);
        let children: Vec<String> = children.map(|child| child.to_string()).collect();
        if !children.is_empty() {
            write!(out, ",\"children\":[{}]", children.join(","))?;
        }
        write!(out, "}}")?;
    }
    write!(
        out,
        "],\"startTime\":1000,\"endTime\":{},\"samples\":[",
        1000 + samples * 120
    )?;
    let mut text = String::new();
    for (list, end) in [(true, "],\"timeDeltas\":["), (false, "]}")] {
        for at in 0..samples {
            text.clear();
            let comma = if at == 0 { "" } else { "," };
            let number = if list {
                // A function is met for some samples, then another.
                mixed(at / 7) % NODES + 1
            } else {
                100 + mixed(at) % 41
            };
            write!(text, "{comma}{number}")?;
            out.write_all(text.as_bytes())?;
        }
        out.write_all(end.as_bytes())?;
    }
    out.flush()?;
    Ok(())
}

fn opened(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let rows = (|| {
        let path = programs::folder()?.join("bench.cpuprofile");
        write_cpuprofile(&path, if options.quick { 2_000_000 } else { 14_000_000 })?;
        let size = std::fs::metadata(&path)?.len() as f64;
        let (mut ours, mut floor, mut memory) = (Vec::new(), Vec::new(), Vec::new());
        // Seconds each: three of them say enough.
        for _ in 0..options.rounds.min(3) {
            let mut command = Command::new("/usr/bin/time");
            command.args(["-f", "%M"]).arg(tools::omp_debug());
            command.args(["profile", "--print"]).arg(&path);
            let (took, most) = measure(&mut command)?;
            ours.push(took);
            memory.push(most);
            let mut command = Command::new("/usr/bin/time");
            command.args(["-f", "%M", "jq", "empty"]).arg(&path);
            floor.push(measure(&mut command)?.0);
        }
        std::fs::remove_file(&path)?;
        let megabytes = size / f64::from(1 << 20);
        Ok(vec![
            Row {
                goal: "opened",
                what: format!(".cpuprofile of {megabytes:.0} MB: open; jq empty"),
                unit: "s",
                ours: median(&ours),
                floor: Some(median(&floor)),
                bound: Bound::Times(2.0),
            },
            Row {
                goal: "opened",
                what: format!(".cpuprofile of {megabytes:.0} MB: memory; the file"),
                unit: "MB",
                ours: median(&memory) / f64::from(1 << 20),
                floor: Some(megabytes),
                bound: Bound::Times(1.5),
            },
        ])
    })();
    measured.add(".cpuprofile", rows);
    measured
}

/// A stack for each leaf of a tree.
fn write_folded(path: &Path, deep: u32) -> Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    let mut text = String::new();
    for leaf in 0..1_u64 << deep {
        text.clear();
        text.push_str("main");
        for level in 1..=deep {
            // What leaves have in common they share; below, each goes its own way.
            let call = (1 << level) | leaf >> (deep - level);
            write!(text, ";fn_{}", mixed(call) % 5000)?;
        }
        writeln!(text, " {}", 1 + mixed(leaf) % 100)?;
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    Ok(())
}

fn flame(options: &Options) -> Measured {
    let mut measured = Measured::default();
    measured.add("flame view", keys(options));
    measured
}

fn keys(options: &Options) -> Result<Vec<Row>> {
    let path = programs::folder()?.join("bench.folded");
    let deep = if options.quick { DEEP - 3 } else { DEEP };
    write_folded(&path, deep)?;
    let name = path.to_string_lossy().into_owned();
    let mut terminal = ours(&["profile", &name], None)?;
    let begun = terminal.now();
    while !terminal.screen().contains("all 100.0 %") {
        terminal.settle(FRAME_GAP, Duration::from_secs(1))?;
        color_eyre::eyre::ensure!(
            terminal.now().saturating_sub(begun) < READ,
            "it was not read in time:\n{}",
            terminal.screen()
        );
    }
    terminal.settle(FRAME_GAP * 8, Duration::from_secs(1))?;
    let times = if options.quick { 20 } else { 60 };
    let row = |what: &str, took: &[f64]| Row {
        goal: "flame",
        what: format!("flame view of {} stacks: {what}, p95", 1_u64 << deep),
        unit: "ms",
        ours: percentile(took, 0.95),
        floor: None,
        bound: Bound::Most(16.0),
    };
    let mut rows = Vec::new();
    let mut go = |terminal: &mut Terminal, what: &str, keys: &[&[u8]]| -> Result<()> {
        rows.push(row(what, &press(terminal, keys, times, FRAME_GAP)?));
        Ok(())
    };
    go(&mut terminal, "move", &[b"j", b"j", b"j", b"k", b"k", b"k"])?;
    press(&mut terminal, &[b"j"], 2, FRAME_GAP)?;
    // With a key right behind it, Esc would be Alt: each waits for its frame.
    go(&mut terminal, "zoom", &[b"\r", b"\x1b"])?;
    press(&mut terminal, &[b"/"], 1, FRAME_GAP)?;
    go(
        &mut terminal,
        "search",
        &[b"f", b"n", b"_", b"4", b"\x7f", b"\x7f", b"\x7f", b"\x7f"],
    )?;
    press(&mut terminal, &[b"\x1b"], 1, FRAME_GAP)?;
    press(&mut terminal, &[b"\t"], 2, FRAME_GAP)?;
    go(&mut terminal, "sort", &[b"S"])?;
    drop(terminal);
    std::fs::remove_file(&path)?;
    Ok(rows)
}
