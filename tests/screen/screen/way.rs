//! From the command line to the exit code: breakpoints, steps, values, watches, conditions, log points.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::support::desk::{Desk, pane};
use crate::support::{line_of, program_source, tools};

/// One program and what its language makes of the same shop.
struct Sample {
    /// Command line up to the program's own arguments.
    command: Vec<OsString>,
    source: PathBuf,
    /// A place in the stack is shown with these names.
    total_of: &'static str,
    price_of: &'static str,
    /// An expression of the third round.
    condition: &'static str,
    /// What is printed at the end, with the changed total.
    printed: &'static str,
    log_message: &'static str,
    logged: &'static str,
}

impl Sample {
    fn file(&self) -> &str {
        self.source.file_name().unwrap().to_str().unwrap()
    }

    fn line(&self, mark: &str) -> u32 {
        line_of(&self.source, mark)
    }

    fn whole_way(&self) {
        let file = self.file();
        let desk = Desk::open(&self.command);
        let pty = &desk.pty;
        pty.wait_until("the program's first line", |screen| {
            screen.row(0).contains("stopped: entry") && screen.row(1).contains(file)
        });

        // A breakpoint by keys, and what is there when it is hit.
        let call = self.line("loop-call");
        desk.break_at(file, call);
        pty.key("F5");
        let screen = desk.wait_at(file, call);
        assert!(screen.row(0).contains(self.total_of), "{}", screen.row(0));
        desk.wait_value("Scopes", "total", "0");

        // Steps.
        pty.key("F11");
        pty.wait_until("a step in", |screen| screen.row(0).contains(self.price_of));
        pty.key("S-F11");
        let header = pty
            .wait_until("a step out", |screen| {
                let header = screen.row(0);
                header.contains("stopped") && header.contains(self.total_of)
            })
            .row(0);
        // Some adapters go back to the call's line, others behind it.
        if header.contains(&format!("{file}:{call} ")) {
            pty.key("F10");
        }
        let summed = self.line("loop");
        desk.wait_at(file, summed);
        desk.wait_value("Scopes", "cost", "20");

        // A value that is changed, and watched.
        desk.wait_value("Scopes", "total", "0");
        desk.select_scope("total");
        pty.key("i");
        desk.answer("New value of `total`", "1000");
        desk.wait_value("Scopes", "total", "1000");
        // The word at the cursor is proposed.
        pty.key("w").wait_for("An expression to evaluate");
        pty.key("Enter").wait_gone("An expression to evaluate");
        desk.wait_value("Watches", "total", "1000");
        pty.key("4").key("a");
        desk.answer("An expression", "total + 7");
        desk.wait_value("Watches", "total + 7", "1007");

        // A condition, typed into the editor.
        desk.go_to_line(call);
        pty.key("F9");
        pty.wait_until("no breakpoint", |screen| {
            pane(screen, "Breakpoints")
                .iter()
                .all(|row| !row.contains(&format!("{file}:{call}")))
        });
        desk.go_to_line(summed);
        pty.key("B").wait_for("Stops only when");
        pty.type_text(self.condition).key("Enter");
        desk.wait_breakpoint(file, summed);
        pty.wait_until("the condition in the breakpoints pane", |screen| {
            pane(screen, "Breakpoints")
                .iter()
                .any(|row| row.contains(self.condition))
        });
        // A log point further on.
        desk.go_to_line(self.line("total"));
        pty.key("B").wait_for("Stops only when");
        pty.key("Tab")
            .key("Tab")
            .wait_for("Prints this and goes on");
        pty.type_text(self.log_message).key("Enter");
        desk.wait_breakpoint(file, self.line("total"));
        pty.key("F5");
        desk.wait_value("Scopes", "cost", "120");
        desk.wait_at(file, summed);
        desk.wait_value("Watches", "total", "1045");

        // To the end.
        pty.key("F5");
        desk.wait_header("ended: exit code 0");
        desk.wait_output(self.logged);
        desk.wait_output(self.printed);
        desk.leave();
    }
}

#[test]
fn python_with_debugpy() {
    require!(debugpy);
    let program = tools::python_program();
    Sample {
        command: args![program].into(),
        source: program,
        total_of: "total_of",
        price_of: "price_of",
        condition: "cost == 120",
        printed: "total 1165",
        log_message: "sum is {total}",
        logged: "sum is 1165",
    }
    .whole_way();
}

#[test]
fn c_with_lldb_dap() {
    require!(lldb_dap);
    Sample {
        command: args!["--adapter", "lldb-dap", tools::c_program()].into(),
        source: program_source("prog.c"),
        total_of: "total_of",
        price_of: "price_of",
        condition: "cost == 120",
        printed: "total 1165",
        log_message: "sum is {total}",
        logged: "sum is 1165",
    }
    .whole_way();
}

#[test]
fn c_with_lldbs_command_line() {
    require!(lldb);
    Sample {
        command: args!["--backend", "lldb-cli", tools::c_program()].into(),
        source: program_source("prog.c"),
        total_of: "total_of",
        price_of: "price_of",
        condition: "cost == 120",
        printed: "total 1165",
        log_message: "sum is {total}",
        logged: "sum is 1165",
    }
    .whole_way();
}

#[test]
fn rust_with_lldb_dap() {
    require!(lldb_dap);
    Sample {
        command: args!["--adapter", "lldb-dap", tools::rust_program()].into(),
        source: program_source("prog.rs"),
        total_of: "total_of",
        price_of: "price_of",
        condition: "cost == 120",
        printed: "total 1165",
        log_message: "sum is {total}",
        logged: "sum is 1165",
    }
    .whole_way();
}

#[test]
fn go_with_dlv() {
    require!(dlv);
    let go = require!(go);
    Sample {
        command: args![tools::go_program(&go)].into(),
        source: program_source("prog/main.go"),
        total_of: "totalOf",
        price_of: "priceOf",
        condition: "cost == 120",
        printed: "total 1165",
        log_message: "sum is {total}",
        logged: "sum is 1165",
    }
    .whole_way();
}
