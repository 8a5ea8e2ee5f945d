//! One stop a line: some debuggers stop at each place where code of a line begins, and a line of Rust has many.

use crate::support;

use support::run::{Ran, Runs};
use support::{line_of, program_source, tools};

/// `println!` begins at three places, as its arguments do.
const LINES: &str = "fn double(n: u32) -> u32 { n * 2 }
fn main() {
    for n in 0..3 {
        println!(\"{n} {}\", double(n));
    }
    for n in 0..2 { println!(\"{n} {}\", double(n)); }
    println!(\"end {}\", double(8));
    std::process::exit(0);
}
";

fn ran(adapter: &str, options: &[&str]) -> Ran {
    let runs = Runs::new();
    let source = runs.file("lines.rs", LINES);
    let program = tools::build_rust(&source, &runs.work().join("lines"));
    let program = program.to_str().unwrap();
    runs.run(&[&["--adapter", adapter], options, &[program]].concat())
}

fn stops_once(adapter: &str) {
    let told = ran(adapter, &["-b", "lines.rs:4", "-b", "lines.rs:7"]);
    let lines: Vec<_> = told
        .of("breakpoint_hit")
        .iter()
        .map(|hit| hit["location"]["line"].as_i64().unwrap())
        .collect();
    assert_eq!(lines, [4, 4, 4, 7], "{adapter}");

    // A turn of a loop in one line is one more stop of it.
    let told = ran(adapter, &["-b", "lines.rs:6"]);
    let hits = told.of("breakpoint_hit").len();
    assert!((1..=4).contains(&hits), "{adapter}: {hits}");

    let told = ran(adapter, &["-b", "lines.rs:4#2"]);
    let hit = told.one("breakpoint_hit");
    assert_eq!(hit["locals"]["n"]["value"], 1, "{adapter}: {hit:#}");

    let told = ran(adapter, &["-l", "lines.rs:4|n is {n}"]);
    let logged = told.of("logpoint");
    let logged: Vec<_> = logged
        .iter()
        .map(|l| l["message"].as_str().unwrap())
        .collect();
    assert_eq!(logged, ["n is 0", "n is 1", "n is 2"], "{adapter}");
}

#[test]
fn lldb_dap_stops_once_a_line() {
    require!(lldb_dap);
    stops_once("lldb-dap");
}

#[test]
fn codelldb_stops_once_a_line() {
    require!(codelldb);
    stops_once("codelldb");
}

#[test]
fn gdb_stops_once_a_line() {
    require!(gdb);
    stops_once("gdb");
}

/// Each thread is at its own place of the line.
fn threads_stop_for_themselves(adapter: &str) {
    let source = program_source("prog.rs");
    let at = format!("{}:{}", source.display(), line_of(&source, "worker"));
    let program = tools::rust_program();
    let arguments = ["--adapter", adapter, "-l", &format!("{at}|step {{step}}")];
    let told = Runs::new().run(&[&arguments, &[program.to_str().unwrap(), "threads"][..]].concat());
    let logged = told.of("logpoint");
    let mut logged: Vec<_> = logged
        .iter()
        .map(|l| l["message"].as_str().unwrap())
        .collect();
    logged.sort_unstable();
    assert_eq!(
        logged,
        ["0", "0", "1", "1", "2", "2"].map(|n| format!("step {n}")),
        "{adapter}"
    );
}

#[test]
fn threads_under_lldb_dap_stop_for_themselves() {
    require!(lldb_dap);
    threads_stop_for_themselves("lldb-dap");
}

#[test]
fn threads_under_codelldb_stop_for_themselves() {
    require!(codelldb);
    threads_stop_for_themselves("codelldb");
}
