//! What people and machines get wrong: each is answered by a clear sentence, and the screen stays usable.

use crate::support;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::desk::{Desk, pane};
use support::{line_of, tools};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn write(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path
}

/// The screen still takes keys: help opens and closes, and `q` leaves.
fn still_usable(desk: Desk) {
    desk.pty.key("?").wait_for("Help");
    desk.pty.key("Esc").wait_gone("Help");
    desk.leave();
}

#[test]
fn a_program_that_does_not_exist() {
    let folder = folder();
    let mut desk = Desk::with(|builder| builder.args(["nothing.py"]).cwd(folder.path()));
    desk.pty.expect_exit(2);
    desk.pty.wait_for("there is no file \"nothing.py\"");
    assert!(!desk.pty.ever_set(1049), "the screen was taken for nothing");
    desk.pty.wait_restored();
}

#[test]
fn a_program_that_is_a_directory() {
    let folder = folder();
    let desk = Desk::open(args!["--adapter", "debugpy", folder.path()]);
    desk.pty.wait_for("is a directory");
    still_usable(desk);
}

#[test]
fn a_program_that_is_not_executable() {
    require!(lldb_dap);
    let folder = folder();
    let program = folder.path().join("program");
    tools::copy(&tools::c_program(), &program);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    let desk = Desk::open(args!["--adapter", "lldb-dap", program]);
    desk.pty.wait_for("is not executable; run: chmod +x");
    still_usable(desk);
}

#[test]
fn a_program_without_debug_information() {
    require!(lldb_dap);
    let folder = folder();
    let program = folder.path().join("program");
    let mut strip = Command::new("strip");
    strip.arg("-o").arg(&program).arg(tools::c_program());
    assert!(strip.status().unwrap().success());
    let desk = Desk::open(args!["--adapter", "lldb-dap", program, "--", "exit", "3"]);
    desk.pty.wait_for("has no debug information");
    // It runs all the same.
    desk.pty.wait_until("a stop or the end", |screen| {
        let header = screen.row(0);
        header.contains("stopped") || header.contains("ended: exit code 3")
    });
    if desk.pty.screen().row(0).contains("stopped") {
        desk.pty.key("F5");
        desk.wait_header("ended: exit code 3");
    }
    still_usable(desk);
}

#[test]
fn no_adapter_anywhere() {
    let folder = folder();
    let program = write(&folder, "main.go", "package main\n\nfunc main() {}\n");
    let desk = Desk::with(|builder| builder.args([program]).env("PATH", folder.path()));
    desk.pty
        .wait_for("The debug adapter dlv is not here. Run: omp-debug adapters install dlv");
    // What is missing, in full.
    desk.pty.key("M").wait_for("Delve, the Go debugger");
    desk.pty.key("Esc").wait_gone("Delve, the Go debugger");
    // It is installed from here; there is no Go to do so with, and that stays until it was read.
    desk.pty.wait_for("i installs dlv");
    desk.pty
        .key("i")
        .wait_for("Enter goes back to the debugger.");
    desk.pty.key("Enter").wait_for("dlv is not installed.");
    still_usable(desk);
}

#[test]
fn a_breakpoint_on_a_line_without_code_and_an_expression_that_fails() {
    require!(lldb_dap);
    let desk = Desk::open(args!["--adapter", "lldb-dap", tools::c_program()]);
    desk.wait_header("stopped: entry");
    let source = support::program_source("prog.c");
    // The blank line behind this function: lldb moves to the next line that has code.
    let blank = line_of(&source, "total") + 2;
    let next = format!("prog.c:{}", blank + 2);
    desk.go_to_line(blank);
    desk.pty.key("F9");
    desk.pty.wait_until("where the breakpoint went", |screen| {
        pane(screen, "Breakpoints")
            .iter()
            .any(|row| row.contains(&next))
    });
    desk.pty.key("4").key("a");
    desk.answer("An expression", "no_such_name + 1");
    desk.pty
        .wait_until("that the watch has no value", |screen| {
            pane(screen, "Watches")
                .iter()
                .any(|row| row.contains("no_such_name + 1") && row.contains("✗ use of undeclared"))
        });
    // The whole of it, where there is room.
    desk.pty.key("p").wait_for("'no_such_name'");
    desk.pty.key("Esc").wait_gone("'no_such_name'");
    desk.wait_header("stopped");
    desk.leave_live("e");
}

/// Lines of a megabyte, and bytes that are no UTF-8.
#[test]
fn sources_that_are_hard_to_show() {
    require!(debugpy);
    let folder = folder();
    let mut code = b"# -*- coding: latin-1 -*-\n# caf\xe9 \x1b[2J\n".to_vec();
    code.extend(b"value = 1\ntext = '");
    code.extend(vec![b'x'; 1 << 20]);
    code.extend(b"'\nprint('end', len(text))\n");
    let program = write(&folder, "hard.py", code);
    let desk = Desk::open(args!["-b", format!("{}:5", program.display()), program]);
    desk.wait_at("hard.py", 5);
    desk.wait_value("Scopes", "value", "1");
    // The scopes may have their x before the source is there.
    let screen = desk.pty.wait_for("not UTF-8");
    // The emulator drops the sign for what is no text; the control character is a sign as well.
    assert!(screen.contains(" ␛[2J"), "{}", screen.text());
    desk.pty.wait_for("xxxxxxxxxxxxxxxxxxxx");
    // To the end of the long line and back.
    desk.go_to_line(4);
    desk.pty.key("End").wait_for("─ 4:10485");
    desk.pty.key("Home").wait_for("─ 4:1 ");
    desk.pty.key("F5");
    desk.wait_output("end 1048576");
    desk.wait_header("ended: exit code 0");
    desk.leave();
}

#[test]
fn a_source_that_changes_or_goes_away_while_it_is_debugged() {
    require!(debugpy);
    let folder = folder();
    let program = write(
        &folder,
        "shop.py",
        "a = 1\nb = 2\nc = 3\nprint(a + b + c)\n",
    );
    let desk = Desk::open(args![program]);
    desk.wait_header("stopped: entry");
    desk.pty.wait_for("a = 1");
    fs::write(&program, "a = 1\nb = 20\nc = 3\nprint(a + b + c)\n").unwrap();
    // Read anew at the next stop, by itself.
    desk.pty.key("F10").wait_for("b = 20");
    desk.wait_at("shop.py", 2);
    desk.pty
        .wait_for("changed since the start: R starts it again");
    fs::remove_file(&program).unwrap();
    desk.pty.key("r").wait_for("shop.py");
    // The program itself goes on in what was read at its start.
    desk.pty.key("F10");
    desk.wait_at("shop.py", 3);
    desk.pty.key("F5");
    desk.wait_output("6");
    desk.wait_header("ended: exit code 0");
    desk.leave();
}

#[test]
fn a_terminal_of_twenty_by_five() {
    require!(debugpy);
    let program = tools::python_program();
    let arguments = args![program, "--", "exit", "0"];
    let mut desk = Desk::with(|builder| builder.args(arguments).size(20, 5));
    desk.pty.wait_until("where it stands", |screen| {
        screen.text().contains("inventory.py:1")
    });
    desk.pty.key("F5");
    desk.pty.wait_for("exit code 0");
    desk.pty.key("q");
    desk.expect_gone(0);
}

/// The folder of a program can be gone before we start.
#[test]
fn a_working_folder_that_does_not_exist() {
    let mut desk = Desk::open(args!["--cwd", Path::new("/nowhere/at/all"), "demo"]);
    desk.pty.expect_exit(2);
    desk.pty.wait_for("\"/nowhere/at/all\"");
}

/// What is named on the command line and is not what the command takes ends it with a sentence, before there is a screen.
#[test]
fn a_file_of_another_kind_opens_no_screen() {
    let folder = folder();
    let binary = write(&folder, "binary.log", b"\x7fELF\x02\0\0\0");
    let program = write(&folder, "prog.py", "x = 1\n\ny = 2\n");
    let absent = folder.path().join("nosuch.tar.gz");
    for (arguments, said) in [
        (args!["logs", binary], "is no log"),
        (args!["sse", program], "no event stream in"),
        (args!["report", program], "is no report"),
        (args!["report", absent], "cannot be read"),
    ] {
        let mut desk = Desk::open(arguments);
        desk.pty.expect_exit(4);
        desk.pty.wait_for(said);
        assert!(!desk.pty.ever_set(1049), "the screen was taken for nothing");
    }
}
