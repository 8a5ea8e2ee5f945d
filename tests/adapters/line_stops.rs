//! One stop a line: some debuggers stop, count and log at each location of a line, and a line of Rust has many.

use crate::support;

use support::run::{Ran, Runs};
use support::tools;

/// `println!` has three locations.
const LINES: &str = "fn double(n: u32) -> u32 { n * 2 }
fn show<T: std::fmt::Debug>(t: T) {
    println!(\"{t:?}\");
}
fn main() {
    for n in 0..3 {
        println!(\"{n} {}\", double(n));
    }
    for n in 0..2 { println!(\"{n} {}\", double(n)); }
    println!(\"end {}\", double(8));
    show(1); show(\"a\"); show(2);
    show(1.5);
    let name = String::from(\"a\");
    for n in 0..3 {
        println!(\"{n}\");
    }
    if std::env::args().len() > 1 { None::<u8>.unwrap(); }
    drop(name);
}
";

fn ran(adapter: &str, options: &[&str]) -> Ran {
    let runs = Runs::new();
    let source = runs.file("lines.rs", LINES);
    let program = tools::build_rust(&source, &runs.work().join("lines"));
    let program = program.to_str().unwrap();
    runs.run(&[&["--adapter", adapter], options, &[program]].concat())
}

fn lines(told: &Ran) -> Vec<i64> {
    let hits = told.of("breakpoint_hit");
    let line = |hit: &&serde_json::Value| hit["location"]["line"].as_i64().unwrap();
    hits.iter().map(line).collect()
}

/// `turns`: the stops at a loop of two iterations in one line, as far as the debugger tells them apart.
fn stops_once(adapter: &str, turns: usize) {
    let told = ran(adapter, &["-b", "lines.rs:7", "-b", "lines.rs:10"]);
    assert_eq!(lines(&told), [7, 7, 7, 10], "{adapter}");
    // Each iteration of a loop in one line is one more stop of it; the last one finds nothing more.
    let told = ran(adapter, &["-b", "lines.rs:9"]);
    assert_eq!(lines(&told), vec![9; turns], "{adapter}");
    // What unwinding must not come to leads nowhere, and not to what stands behind it.
    let told = ran(adapter, &["-b", "lines.rs:15"]);
    assert_eq!(lines(&told), [15, 15, 15], "{adapter}");
    // What is counted and logged is the line, too.
    let told = ran(adapter, &["-b", "lines.rs:7#2", "-b", "lines.rs:10"]);
    assert_eq!(lines(&told), [7, 10], "{adapter}");
    let told = ran(adapter, &["--logpoint", "lines.rs:7|turn {n}"]);
    assert_eq!(told.of("logpoint").len(), 3, "{adapter}");
    // A step leaves the line.
    let told = ran(adapter, &["-b", "lines.rs:10", "--steps", "1"]);
    let step = told.one("step_completed");
    assert_eq!(step["location"]["line"], 11, "{adapter}: {step:#}");
    // Each call is one, whatever type the function was made for.
    let told = ran(adapter, &["-b", "lines.rs:3"]);
    assert_eq!(lines(&told), [3, 3, 3, 3], "{adapter}");
}

#[test]
fn lldb_dap_stops_once_a_line() {
    require!(lldb_dap);
    stops_once("lldb-dap", 4);
}

#[test]
fn codelldb_stops_once_a_line() {
    require!(codelldb);
    stops_once("codelldb", 4);
}

#[test]
fn lldb_stops_once_a_line() {
    require!(lldb);
    stops_once("lldb-cli", 4);
}

#[test]
fn gdb_stops_once_a_line() {
    require!(gdb);
    stops_once("gdb", 1);
}

/// What is inlined is one function's code at many places: each is a call.
fn inlined_calls_are_told_apart(adapter: &str) {
    let runs = Runs::new();
    let text = "#include <stdio.h>
static inline __attribute__((always_inline)) void say(int n) {
  printf(\"%d\\n\", n);
}
int main(void) {
  say(1);
  say(2); say(3);
  return 0;
}
";
    let source = runs.file("inlined.c", text);
    let program = tools::build_c(&source, &runs.work().join("inlined"));
    let program = program.to_str().unwrap();
    let told = runs.run(&["--adapter", adapter, "-b", "inlined.c:3", program]);
    assert_eq!(lines(&told), [3, 3, 3], "{adapter}");
}

#[test]
fn inlined_calls_are_told_apart_under_lldb() {
    require!(lldb_dap);
    inlined_calls_are_told_apart("lldb-dap");
    require!(codelldb);
    inlined_calls_are_told_apart("codelldb");
}

/// Where several threads come to a line at the same moment, each iteration is told.
#[test]
fn threads_at_one_line_are_told_of() {
    for adapter in ["lldb-dap", "lldb-cli", "codelldb"] {
        match adapter {
            "codelldb" => require!(codelldb),
            "lldb-cli" => require!(lldb),
            _ => require!(lldb_dap),
        };
        let runs = Runs::new();
        let text = "use std::sync::Barrier;
static GATE: Barrier = Barrier::new(4);
fn work(id: usize) {
    for step in 0..3 {
        GATE.wait();
        println!(\"{id} {step}\");
    }
}
fn main() {
    let all: Vec<_> = (0..4).map(|id| std::thread::spawn(move || work(id))).collect();
    all.into_iter().for_each(|one| one.join().unwrap());
}
";
        let source = runs.file("gate.rs", text);
        let program = tools::build_rust(&source, &runs.work().join("gate"));
        let program = program.to_str().unwrap();
        let told = runs.run(&[
            "--adapter",
            adapter,
            "-b",
            "gate.rs:6",
            "-e",
            "step",
            program,
        ]);
        assert_eq!(lines(&told).len(), 12, "{adapter}");
        let seen: std::collections::BTreeSet<_> = told
            .of("breakpoint_hit")
            .iter()
            .map(|hit| hit["evaluations"]["step"]["result"].to_string())
            .collect();
        assert_eq!(seen.len(), 3, "{adapter}: {seen:?}");
        assert_eq!(told.printed("stdout").lines().count(), 12, "{adapter}");
    }
}
