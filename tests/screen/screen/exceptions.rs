//! Programs that go wrong: the debugger stops where they do and says why.

use std::{path::Path, process::Command};

use crate::support::desk::{Desk, pane};
use crate::support::{line_of, program_source, tools};

/// Runs on from the program's first line; it stops by itself where it goes wrong.
fn open_and_run(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> Desk {
    let desk = Desk::open(arguments);
    desk.wait_header("stopped");
    desk.pty.key("F5");
    desk
}

fn line(source: &Path, mark: &str) -> u32 {
    line_of(source, mark)
}

/// Whether this machine has the component rust-src.
fn is_library_here() -> bool {
    let rustc = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = String::from_utf8(rustc.unwrap().stdout).unwrap();
    Path::new(sysroot.trim())
        .join("lib/rustlib/src/rust/library/std")
        .exists()
}

#[test]
fn python_stops_at_an_uncaught_exception() {
    require!(debugpy);
    let program = tools::python_program();
    let desk = open_and_run(args![program, "--", "uncaught"]);
    desk.wait_at("inventory.py", line(&program, "raise-uncaught"));
    desk.wait_header("exception");
    desk.wait_header("no such shelf: 1");
    desk.leave_live("e");
}

#[test]
fn python_stops_at_a_raised_one_when_its_filter_is_on() {
    require!(debugpy);
    let program = tools::python_program();
    let desk = Desk::open(args![program, "--", "caught"]);
    desk.wait_header("stopped");
    desk.pty.key("C-e").key("Space");
    desk.pty.wait_until("the filter to be on", |screen| {
        pane(screen, "Breakpoints")
            .iter()
            .any(|row| row.contains("[x] Raised"))
    });
    desk.pty.key("F5");
    desk.wait_at("inventory.py", line(&program, "raise-caught"));
    desk.wait_header("missing");
    desk.pty.key("F5");
    desk.wait_header("ended: exit code 0");
    desk.wait_output("caught KeyError");
    desk.leave();
}

#[test]
fn a_type_that_was_given_is_listed_and_can_be_switched_off() {
    require!(debugpy);
    let program = tools::python_program();
    let given = args!["--break-on-exception", "KeyError"];
    let desk = Desk::open(given.into_iter().chain(args![program, "--", "caught"]));
    desk.wait_header("stopped");
    let is_listed = |screen: &crate::support::pty::Screen| {
        let rows = pane(screen, "Breakpoints");
        rows.iter().any(|row| row.contains("[x] KeyError"))
    };
    desk.pty
        .wait_until("the type among the filters", |s| is_listed(s));
    desk.pty.key("C-e");
    desk.pty.key("Down").key("Down").key("Down").key("Space");
    desk.pty.wait_until("the type to be off", |s| !is_listed(s));
    desk.pty.key("F5");
    desk.wait_header("ended: exit code 0");
    desk.leave();
}

#[test]
fn c_stops_at_a_segmentation_fault() {
    require!(lldb_dap);
    let source = program_source("prog.c");
    let desk = open_and_run(args![
        "--adapter",
        "lldb-dap",
        tools::c_program(),
        "--",
        "crash"
    ]);
    desk.wait_at("prog.c", line(&source, "crash"));
    desk.wait_header("SIGSEGV");
    desk.wait_value("Scopes", "nowhere", "null");
    desk.leave_live("e");
}

#[test]
fn rust_stops_at_a_panic_by_a_function_breakpoint() {
    require!(lldb_dap);
    let source = program_source("prog.rs");
    let desk = Desk::open(args![
        "--adapter",
        "lldb-dap",
        "--env",
        "RUST_BACKTRACE=0",
        tools::rust_program(),
        "--",
        "uncaught"
    ]);
    desk.wait_header("stopped");
    desk.pty.key("C-b");
    desk.answer("Breakpoint at a function", "rust_panic");
    desk.pty.wait_until("the breakpoint", |screen| {
        pane(screen, "Breakpoints")
            .iter()
            .any(|row| row.contains("rust_panic"))
    });
    desk.pty.key("F5");
    // Where the library's source is not here, the nearest frame that has one is shown.
    if is_library_here() {
        desk.wait_header("panicking.rs:");
    } else {
        desk.wait_at("prog.rs", line(&source, "raise-uncaught"));
    }
    desk.pty.wait_until("the panic's own frame", |screen| {
        pane(screen, "Stack")
            .iter()
            .any(|row| row.contains("rust_panic"))
    });
    desk.wait_output("no such shelf: 1");
    desk.pty.key("F5");
    desk.wait_header("ended: exit code 101");
    desk.leave();
}

#[test]
fn go_stops_at_a_panic() {
    require!(dlv);
    let go = require!(go);
    let source = program_source("prog/main.go");
    let desk = open_and_run(args![tools::go_program(&go), "--", "uncaught"]);
    let there = format!("main.go:{}", line(&source, "raise-uncaught"));
    desk.pty.wait_until("the panicking frame", |screen| {
        pane(screen, "Stack").iter().any(|row| row.contains(&there))
    });
    desk.wait_header("no such shelf: 1");
    desk.leave_live("e");
}
