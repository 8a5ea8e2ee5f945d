//! Goals about memory: one sample of a process beside reading the same file, and a heap snapshot beside `jq empty`.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use color_eyre::eyre::{Result, WrapErr as _, ensure};
use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::memory::Subject;

use super::options::{Goal, Options};
use super::programs;
use super::support::tools;
use super::table::{Bound, Measured, Row, median};

/// In the order in which they are printed.
pub const GOALS: &[Goal] = &[
    Goal {
        name: "sample",
        measure: samples,
    },
    Goal {
        name: "heap",
        measure: heaps,
    },
];

fn samples(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let rows = (|| {
        // Ourselves, with something to count: the kernel's part grows with what is mapped.
        let held = vec![1_u8; 64 << 20];
        let pid = std::process::id();
        let file = format!("/proc/{pid}/smaps_rollup");
        let mut subject = Subject::open(pid, None)?;
        let cancel = Cancel::default();
        let (mut ours, mut floor, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..options.rounds * 20 {
            let began = Instant::now();
            let sample = subject.sample(&cancel)?;
            let own = began.elapsed().as_secs_f64() * 1e6;
            ensure!(
                sample.figures.uss as usize > held.len(),
                "the sample misses what is held"
            );
            let began = Instant::now();
            let text = std::fs::read(&file)?;
            let least = began.elapsed().as_secs_f64() * 1e6;
            ours.push(own);
            floor.push(least);
            beyond.push((own - least).max(0.0));
            ensure!(!text.is_empty(), "{file} is empty");
        }
        Ok(vec![
            Row {
                goal: "sample",
                what: "memory: one sample; reading smaps_rollup".to_owned(),
                unit: "us",
                ours: median(&ours),
                floor: Some(median(&floor)),
                bound: Bound::Times(1.5),
            },
            Row {
                goal: "sample",
                what: "memory: one sample without the kernel's counting".to_owned(),
                unit: "us",
                ours: median(&beyond),
                floor: None,
                bound: Bound::Most(1000.0),
            },
        ])
    })();
    measured.add("memory: samples", rows);
    measured
}

/// Objects of a snapshot with about 108 bytes for each.
fn write(path: &Path, nodes: u64) -> Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    let mut text = String::new();
    let names = nodes / 8;
    // A step that comes by everywhere, so that edges lead far away as they do in real heaps.
    let far = |at: u64, step: u64| at.wrapping_mul(2_654_435_761).wrapping_add(step) % nodes;
    write!(
        out,
        r#"{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic"],"string","number","number","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"]}},"node_count":{nodes},"edge_count":{}}},"nodes":["#,
        nodes * 4
    )?;
    for at in 0..nodes {
        let (comma, kind) = if at == 0 { ("", 9) } else { (",", 1 + at % 5) };
        let (name, id, size) = (far(at, 7) % names, at * 2 + 1, 16 + at % 200);
        text.clear();
        writeln!(text, "{comma}{kind},{name},{id},{size},4,0,0")?;
        out.write_all(text.as_bytes())?;
    }
    write!(out, "],\"edges\":[")?;
    for at in 0..nodes {
        let links = [at * 2 + 1, at * 2 + 2, far(at, 3), far(at, 5) % 1000];
        for (index, to) in links.into_iter().enumerate() {
            let comma = if at + index as u64 == 0 { "" } else { "," };
            let (name, to) = (far(at, 11) % names, to.min(nodes - 1) * 7);
            text.clear();
            writeln!(text, "{comma}2,{name},{to}")?;
            out.write_all(text.as_bytes())?;
        }
    }
    write!(out, "],\"strings\":[\"\"")?;
    for at in 1..names {
        write!(out, ",\n\"the name of a property {at}\"")?;
    }
    writeln!(out, "]}}")?;
    out.flush()?;
    Ok(())
}

/// Seconds and the most resident bytes of a command, by GNU time.
pub fn measure(command: &mut Command) -> Result<(f64, f64)> {
    let began = Instant::now();
    let output = command
        .stdin(Stdio::null())
        .output()
        .wrap_err_with(|| format!("cannot start {command:?}"))?;
    let took = began.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {said}");
    let kilobytes = said
        .lines()
        .rev()
        .find_map(|line| line.trim().parse::<f64>().ok());
    Ok((took, kilobytes.unwrap_or(f64::NAN) * 1024.0))
}

fn heaps(options: &Options) -> Measured {
    let mut measured = Measured::default();
    let rows = (|| {
        let path = programs::folder()?.join("bench.heapsnapshot");
        write(&path, if options.quick { 1_500_000 } else { 4_600_000 })?;
        let size = std::fs::metadata(&path)?.len() as f64;
        let (mut ours, mut floor, mut memory) = (Vec::new(), Vec::new(), Vec::new());
        // Seconds each: three of them say enough.
        for _ in 0..options.rounds.min(3) {
            let mut command = Command::new("/usr/bin/time");
            command.args(["-f", "%M"]).arg(tools::omp_debug());
            command.args(["memory", "--print"]).arg(&path);
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
                goal: "heap",
                what: format!("heap snapshot of {megabytes:.0} MB: open; jq empty"),
                unit: "s",
                ours: median(&ours),
                floor: Some(median(&floor)),
                bound: Bound::Times(2.0),
            },
            Row {
                goal: "heap",
                what: format!("heap snapshot of {megabytes:.0} MB: memory; the file"),
                unit: "MB",
                ours: median(&memory) / f64::from(1 << 20),
                floor: Some(megabytes),
                bound: Bound::Times(1.0),
            },
        ])
    })();
    measured.add("heap snapshots", rows);
    measured
}
