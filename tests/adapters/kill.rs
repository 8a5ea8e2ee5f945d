//! What is left when omp-debug ends in a hard way, or is stopped by the shell: the programs it started are
//! gone, those it looked into run on, and the terminal is as it was.

use crate::support;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;
use support::desk::{Counter, Desk, FAREWELL, Home, count_in};
use support::procs::{self, Mark, Watchdog};
use support::{line_of, program_source, tools};

/// A debugger and its program that counts.
struct Case {
    adapter: &'static str,
    program: PathBuf,
    source: PathBuf,
    /// What a program that is attached to is started with.
    command: Vec<OsString>,
    traces: bool,
}

fn debugpy(python: &Path) -> Case {
    let program = tools::python_program();
    Case {
        adapter: "debugpy",
        command: args![python, program].into(),
        source: program.clone(),
        program,
        traces: false,
    }
}

fn lldb() -> Case {
    let program = tools::c_program();
    Case {
        adapter: "lldb-dap",
        command: args![program].into(),
        program,
        source: program_source("prog.c"),
        traces: true,
    }
}

fn lldb_command_line() -> Case {
    Case {
        adapter: "lldb-cli",
        ..lldb()
    }
}

fn delve(go: &Path) -> Case {
    let program = tools::go_program(go);
    Case {
        adapter: "dlv",
        command: args![program].into(),
        program,
        source: program_source("prog/main.go"),
        traces: true,
    }
}

impl Case {
    fn breakpoint(&self) -> String {
        format!(
            "{}:{}",
            self.source.display(),
            line_of(&self.source, "count")
        )
    }

    fn wait_stopped(&self, desk: &Desk) {
        let file = self.source.file_name().unwrap().to_str().unwrap();
        desk.wait_at(file, line_of(&self.source, "count"));
        desk.wait_header("stopped: breakpoint");
    }

    /// A session of a program that was started here and is stopped; the folder holds its counter.
    fn launched(&self) -> (Desk, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let counter = folder.path().join("counter");
        let desk = Desk::open(args![
            "--adapter",
            self.adapter,
            "-b",
            self.breakpoint(),
            self.program,
            "--",
            "count",
            counter
        ]);
        self.wait_stopped(&desk);
        (desk, folder)
    }

    fn launched_dies_with_us(&self) {
        let (mut desk, _folder) = self.launched();
        let everyone = desk.mark.processes();
        assert!(
            everyone.len() >= 3,
            "we, an adapter, a program: {everyone:#?}"
        );
        desk.pty.signal(Signal::KILL);
        desk.pty.wait_exit();
        desk.mark.assert_none_left(FAREWELL);
        desk.pty.wait_restored();
    }

    fn attached_lives_on(&self) {
        let counter = Counter::start(Path::new(&self.command[0]), &self.command[1..]);
        let mut desk = Desk::open(args![
            "attach",
            "--adapter",
            self.adapter,
            "--pid",
            counter.pid().to_string(),
            "-b",
            self.breakpoint()
        ]);
        self.wait_stopped(&desk);
        assert_eq!(counter.is_traced(), self.traces);
        desk.pty.signal(Signal::KILL);
        desk.pty.wait_exit();
        desk.mark.assert_none_left(FAREWELL);
        desk.pty.wait_restored();
        counter.assert_free();
    }

    /// At a stop a debugger that traces does not look.
    fn end_from_outside_is_seen(&self) {
        let (desk, folder) = self.launched();
        let counts = format!("count {}", folder.path().join("counter").display());
        let all = desk.mark.processes().into_iter();
        let programs = all.filter(|process| process.command.ends_with(&counts));
        let program = programs.max_by_key(|process| process.pid).unwrap();
        procs::signal(program.pid, Signal::KILL);
        desk.wait_header("ended");
        desk.leave();
    }

    fn signal_ends_us(&self, signal: Signal, code: i32) {
        let (mut desk, _folder) = self.launched();
        desk.pty.signal(signal);
        desk.expect_gone(code);
    }
}

#[test]
fn debugpy_launched_dies_with_us() {
    debugpy(&require!(debugpy)).launched_dies_with_us();
}

#[test]
fn debugpy_attached_lives_on() {
    let python = require!(debugpy);
    // debugpy comes into a running Python by gdb.
    require!(gdb);
    debugpy(&python).attached_lives_on();
}

#[test]
fn lldb_launched_dies_with_us() {
    require!(lldb_dap);
    lldb().launched_dies_with_us();
}

#[test]
fn lldb_attached_lives_on() {
    require!(lldb_dap);
    lldb().attached_lives_on();
}

#[test]
fn lldb_command_line_launched_dies_with_us() {
    require!(lldb);
    lldb_command_line().launched_dies_with_us();
}

#[test]
fn lldb_command_line_attached_lives_on() {
    require!(lldb);
    lldb_command_line().attached_lives_on();
}

#[test]
fn delve_launched_dies_with_us() {
    require!(dlv);
    delve(&require!(go)).launched_dies_with_us();
}

#[test]
fn delve_attached_lives_on() {
    require!(dlv);
    delve(&require!(go)).attached_lives_on();
}

#[test]
fn a_program_that_something_else_ends_at_a_stop_has_ended() {
    require!(gdb);
    let gdb = Case {
        adapter: "gdb",
        ..lldb()
    };
    gdb.end_from_outside_is_seen();
    require!(lldb_dap);
    lldb().end_from_outside_is_seen();
    debugpy(&require!(debugpy)).end_from_outside_is_seen();
}

#[test]
fn sigterm_ends_us_in_order() {
    debugpy(&require!(debugpy)).signal_ends_us(Signal::TERM, 143);
    require!(lldb_dap);
    lldb().signal_ends_us(Signal::TERM, 143);
}

#[test]
fn sighup_ends_us_in_order() {
    require!(dlv);
    delve(&require!(go)).signal_ends_us(Signal::HUP, 129);
}

#[test]
fn a_terminal_that_goes_away_takes_everything_with_it() {
    let (mut desk, _folder) = debugpy(&require!(debugpy)).launched();
    desk.pty.hang_up();
    desk.pty.wait_exit();
    desk.mark.assert_none_left(FAREWELL);
}

#[test]
fn ctrl_c_at_home_says_how_to_leave() {
    // With a theme the terminal is not asked for its background: who reads the answer also takes what
    // is typed before it.
    let desk = Desk::open(args!["--theme", "dark", "--cwd", program_source("")]);
    desk.pty.wait_for("take the tour");
    desk.pty.key("C-c").wait_for("Press q to quit");
    desk.leave();
}

/// Stopped by the shell while a session is live, and back again.
#[test]
fn the_shell_stops_and_resumes_us() {
    let python = require!(debugpy);
    let case = debugpy(&python);
    let (home, mark) = (Home::new(), Mark::new());
    let _dog = Watchdog::new("a shell", Duration::from_mins(1));
    let folder = tempfile::tempdir().unwrap();
    let counter = folder.path().join("counter");
    let mut shell = home
        .builder_of("bash", &mark)
        .args(["--norc", "--noprofile", "-i"])
        .env("PS1", "ready> ")
        .spawn();
    shell.wait_for("ready>");
    let command = format!(
        "'{}' -b '{}' '{}' -- count '{}'\n",
        tools::omp_debug().display(),
        case.breakpoint(),
        case.program.display(),
        counter.display()
    );
    shell.type_text(&command);
    shell.wait_until("a stop", |screen| {
        screen.row(0).contains("stopped: breakpoint")
    });
    let inside = shell.line_discipline();

    shell.key("C-z");
    shell.wait_until("the shell", |screen| {
        !screen.is_alternate() && screen.contains("Stopped")
    });
    // The shell works as ever, our program stands still and is not lost.
    shell.type_text("echo $((6 * 7))\n").wait_for("42");
    let number = count_in(&counter);
    shell.type_text("fg\n");
    shell.wait_until("the screen again", |screen| {
        screen.is_alternate() && screen.row(0).contains("stopped: breakpoint")
    });
    shell.wait_line_discipline(&inside);
    shell.key("F5");
    support::desk::wait_more(shell.pid(), &counter, number);
    shell.wait_until("a stop", |screen| {
        screen.row(0).contains("stopped: breakpoint")
    });
    shell.key("q").wait_for("Quit?");
    shell.key("e");
    // The prompt is there when everything typed before has been thrown away.
    shell.wait_until("the shell", |screen| {
        !screen.is_alternate() && screen.text().matches("ready>").count() == 4
    });
    shell.type_text("echo code $?\n").wait_for("code 0");
    shell.type_text("exit\n");
    shell.expect_exit(0);
    mark.assert_none_left(FAREWELL);
}
