//! Programs that run already: by their process number, and by the port of a debug server.

use std::ffi::OsString;
use std::path::Path;

use crate::support::desk::{Counter, Desk, free_port, wait_listening};
use crate::support::{line_of, program_source, tools};

/// A debugger in the folder of `source`, so that the file picker offers it.
fn open(arguments: &[OsString], source: &Path) -> Desk {
    let folder = source.parent().unwrap();
    Desk::with(|builder| builder.args(arguments).cwd(folder))
}

/// Opens the source by its name, sets a breakpoint where the program counts, and waits for it to be hit.
fn stop_while_counting(desk: &Desk, source: &Path) {
    let file = source.file_name().unwrap().to_str().unwrap();
    desk.pty.key("o").wait_for("Show a source");
    desk.pty.type_text(file);
    desk.pty.wait_until("the file first in the list", |screen| {
        let typed = format!("› {file}");
        screen
            .find(&typed)
            .is_some_and(|(_, row)| screen.row(row + 1).contains(file))
    });
    desk.pty.key("Enter").wait_gone("Show a source");
    let line = line_of(source, "count");
    desk.break_at(file, line);
    desk.wait_at(file, line);
}

/// Looks into a running program, and lets go of it: it runs on.
fn by_pid(options: &[OsString], counter: &Counter, source: &Path) {
    let mut arguments = args!["attach", "--pid", counter.pid().to_string()].to_vec();
    arguments.extend(options.iter().cloned());
    let desk = open(&arguments, source);
    desk.wait_header("running");
    stop_while_counting(&desk, source);
    desk.leave_live("Enter");
    counter.assert_free();
}

#[test]
fn python_by_pid() {
    let python = require!(debugpy);
    require!(gdb);
    let program = tools::python_program();
    let counter = Counter::start(&python, &args![program]);
    by_pid(&[], &counter, &program);
}

#[test]
fn c_by_pid() {
    require!(lldb_dap);
    let counter = Counter::start(&tools::c_program(), &[]);
    by_pid(
        &args!["--adapter", "lldb-dap"],
        &counter,
        &program_source("prog.c"),
    );
}

#[test]
fn go_by_pid() {
    require!(dlv);
    let counter = Counter::start(&tools::go_program(&require!(go)), &[]);
    by_pid(&[], &counter, &program_source("prog/main.go"));
}

/// Looks into a program through the server that holds it.
fn by_port(options: &[OsString], counter: &Counter, port: u16, source: &Path) {
    wait_listening(port);
    let mut arguments = args!["attach", "--port", port.to_string()].to_vec();
    arguments.extend(options.iter().cloned());
    let desk = open(&arguments, source);
    desk.pty.wait_until("a session", |screen| {
        let header = screen.row(0);
        header.contains("running") || header.contains("stopped")
    });
    stop_while_counting(&desk, source);
    let number = counter.number();
    desk.pty.key("F5");
    counter.wait_more(number);
    desk.leave_live("Enter");
}

#[test]
fn python_by_port() {
    let python = require!(debugpy);
    let (program, port) = (tools::python_program(), free_port());
    let listen = format!("127.0.0.1:{port}");
    let counter = Counter::start(
        &python,
        &args!["-m", "debugpy", "--listen", listen, program],
    );
    by_port(&args!["--adapter", "debugpy"], &counter, port, &program);
    counter.assert_free();
}

#[test]
fn go_by_port() {
    let (dlv, go, port) = (require!(dlv), require!(go), free_port());
    let listen = format!("--listen=127.0.0.1:{port}");
    let server = args![
        "exec",
        "--headless",
        "--accept-multiclient",
        "--continue",
        listen,
        tools::go_program(&go),
        "--"
    ];
    let counter = Counter::start(&dlv, &server);
    by_port(
        &args!["--adapter", "dlv"],
        &counter,
        port,
        &program_source("prog/main.go"),
    );
    // The server stays, for the next debugger.
    assert!(counter.is_alive());
}

#[test]
fn c_by_port() {
    require!(lldb_dap);
    let (server, port) = (require!(lldb_server), free_port());
    let listen = format!("127.0.0.1:{port}");
    // Not one that the server begins: LLDB loses such a program now and then while it loads its libraries.
    let counter = Counter::start(&tools::c_program(), &[]);
    let number = counter.pid().to_string();
    let mut server = std::process::Command::new(server)
        .args(["gdbserver", "--attach", &number, &listen])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let options = args!["--adapter", "lldb-dap"];
    by_port(&options, &counter, port, &program_source("prog.c"));
    // It ends with its only client.
    server.wait().unwrap();
    counter.assert_free();
}
