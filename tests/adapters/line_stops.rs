//! One stop a line: some debuggers stop, count and log at each location of a line, and a line of Rust has many.

use crate::support;

use std::process::Command;

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

/// GDB takes the first place of a line, which at a function's end may be where only a panic comes by: each way to the end stops, once.
#[test]
fn gdb_stops_wherever_a_function_of_rust_ends() {
    require!(gdb);
    let runs = Runs::new();
    let text = "fn work(n: usize) -> usize {
    let (a, b) = (vec![n; 2], vec![n; 3]);
    let text = format!(\"{n}\");
    if n == 1 {
        return a.len();
    }
    a.len() + b.len() + text.len()
}
fn main() {
    let all: usize = (0..4).map(work).sum();
    assert_eq!(all, 20);
}
";
    let source = runs.file("ends.rs", text);
    let program = tools::build_rust(&source, &runs.work().join("ends"));
    let program = program.to_str().unwrap();
    for (at, stops) in [
        ("ends.rs:8", 4),
        ("ends.rs:8?n == 2", 1),
        ("ends.rs:8#3", 1),
    ] {
        let told = runs.run(&["--adapter", "gdb", "-b", at, program]);
        assert_eq!(lines(&told), vec![8; stops], "{at}");
    }
    let told = runs.run(&[
        "--adapter",
        "gdb",
        "--logpoint",
        "ends.rs:8|n is {n}",
        program,
    ]);
    assert_eq!(told.of("logpoint").len(), 4);
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

/// The place of a condition may come with a library, long after the breakpoint.
#[test]
fn a_condition_in_a_library_that_is_loaded_later_stops() {
    for adapter in ["gdb", "lldb-dap"] {
        match adapter {
            "gdb" => require!(gdb),
            _ => require!(lldb_dap),
        };
        let runs = Runs::new();
        let twice = runs.file(
            "twice.c",
            "int twice(int v) {\n  int t = v * 2;\n  return t;\n}\n",
        );
        let library = runs.work().join("twice.so");
        let flags = ["-g", "-shared", "-fPIC", "-o"];
        let built = Command::new("cc")
            .args(flags)
            .args([&library, &twice])
            .status();
        assert!(built.unwrap().success());
        let text = "#include <dlfcn.h>
int main(int count, char **words) {
  int (*twice)(int) = dlsym(dlopen(words[1], RTLD_NOW), \"twice\");
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += twice(i);
  return sum != 12;
}
";
        let program = tools::build_c(&runs.file("host.c", text), &runs.work().join("host"));
        let (program, library) = (program.to_str().unwrap(), library.to_str().unwrap());
        let wanted = ["-b", "twice.c:3?v == 2", "-b", "fn:twice?v == 3"];
        let told = runs.run(
            &[
                &["--adapter", adapter][..],
                &wanted,
                &[program, "--", library],
            ]
            .concat(),
        );
        assert_eq!(lines(&told), [3, 2], "{adapter}: {told:#?}");
        assert_eq!(told.one("process_exited")["exit_code"], 0, "{adapter}");
    }
}

/// One address has a line's and a function's breakpoint.
const TOUCH: &str = "static int table[8];
static void touch(int i)
{
    table[i % 8] = i;
}
int main(void)
{
    for (int i = 0; i < 8; i++) touch(i);
    return table[0];
}
";

/// The breakpoint and `i` of each stop.
fn touched(adapter: &str, options: &[&str]) -> (Vec<(i64, i64)>, Ran) {
    let runs = Runs::new();
    let source = runs.file("touch.c", TOUCH);
    let program = tools::build_c(&source, &runs.work().join("touch"));
    let program = program.to_str().unwrap();
    let told = runs.run(&[&["--adapter", adapter], options, &[program]].concat());
    let hits = told.of("breakpoint_hit");
    let hit = |hit: &&serde_json::Value| {
        let value = hit["locals"]["i"]["value"].as_i64().unwrap();
        (hit["id"].as_i64().unwrap(), value)
    };
    (hits.iter().map(hit).collect(), told)
}

fn several_at_one_address(adapter: &str) {
    for (options, wanted) in [
        (
            ["-b", "touch.c:4?i==3", "-b", "fn:touch?i==5"],
            &[(1, 3), (2, 5)][..],
        ),
        (["-b", "touch.c:4#3", "-b", "fn:touch#5"], &[(1, 2), (2, 4)]),
        (["-b", "fn:touch#2", "-b", "touch.c:4#2"], &[(1, 1)]),
        (
            ["-b", "touch.c:4#3", "-b", "fn:touch?i >= 6"],
            &[(1, 2), (2, 6), (2, 7)],
        ),
    ] {
        let (stops, _) = touched(adapter, &options);
        assert_eq!(stops, wanted, "{adapter}: {options:?}");
    }
    let (stops, _) = touched(adapter, &["-b", "touch.c:4?i==3", "-b", "fn:touch"]);
    let values: Vec<_> = stops.iter().map(|(_, value)| *value).collect();
    assert_eq!(values, (0..8).collect::<Vec<_>>(), "{adapter}");
    let is_first = |(id, value): &&(i64, i64)| *id == 1 && *value != 3;
    assert_eq!(stops.iter().find(is_first), None, "{adapter}");
    let logs = ["-l", "touch.c:4|at {i}", "-b", "fn:touch?i >= 6"];
    let (stops, told) = touched(adapter, &logs);
    let values: Vec<_> = stops.iter().map(|(_, value)| *value).collect();
    assert_eq!(values, [6, 7], "{adapter}");
    assert_eq!(told.of("logpoint").len(), 8, "{adapter}");
}

#[test]
fn lldb_dap_tells_breakpoints_at_one_address_apart() {
    require!(lldb_dap);
    several_at_one_address("lldb-dap");
}

#[test]
fn codelldb_tells_breakpoints_at_one_address_apart() {
    require!(codelldb);
    several_at_one_address("codelldb");
}

#[test]
fn lldb_tells_breakpoints_at_one_address_apart() {
    require!(lldb);
    several_at_one_address("lldb-cli");
}

#[test]
fn gdb_tells_breakpoints_at_one_address_apart() {
    require!(gdb);
    several_at_one_address("gdb");
}
