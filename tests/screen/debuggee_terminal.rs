//! A debuggee that talks with a person through the terminal pane: real adapters, keys in, the screen read.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::desk::{Desk, pane};
use support::pty::Pty;
use support::tools;

/// What it prints stands nowhere in its source, which is on the screen as well.
const PYTHON: &str = "\
import os, sys
size = os.get_terminal_size()
print('terminal', sys.stdin.isatty(), size.columns, size.lines, os.environ['TERM'])
name = input('\\x1b[1;32mYour %s?\\x1b[0m ' % 'name')
greeting = 'Hello ' + name
print(greeting, '\\x1b]0;stolen\\x07\\x1b]52;c;aGFja2Vk\\x07\\x1b[?1049h\\x1b[?1049l.')
input('More? ')
size = os.get_terminal_size()
print('now', size.columns, size.lines)
input('Bye? ')
";

const C: &str = r#"#include <stdio.h>
#include <string.h>
int main(void) {
    char name[64] = "";
    printf("Your name? ");
    fflush(stdout);
    if (!fgets(name, sizeof name, stdin)) return 3;
    name[strcspn(name, "\r\n")] = 0;
    unsigned length = strlen(name);
    printf("Hello %s, %u letters\n", name, length);
    printf("More? ");
    fflush(stdout);
    fgets(name, sizeof name, stdin);
    return 0;
}
"#;

/// Waits until the terminal pane shows a text.
fn wait_terminal(pty: &Pty, text: &str) -> String {
    let screen = pty.wait_until(&format!("{text:?} in the terminal"), |screen| {
        pane(screen, "Terminal")
            .iter()
            .any(|row| row.contains(text))
    });
    pane(&screen, "Terminal").join("\n")
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_python_program_asks_in_its_terminal() {
    require!(debugpy);
    let folder = tempfile::tempdir().unwrap();
    let program = write(folder.path(), "ask.py", PYTHON);
    let mut desk = Desk::open(args![
        "--console",
        "pty",
        "-b",
        "ask.py:6",
        "--cwd",
        folder.path(),
        program
    ]);
    let pty = &desk.pty;
    let shown = wait_terminal(pty, "Your name?");
    assert!(
        shown.contains("terminal True") && shown.contains("xterm-256color"),
        "{shown}"
    );
    let screen = pty.screen();
    assert_ne!(
        screen.style_of("Your name?"),
        screen.style_of("terminal True"),
        "colours are shown"
    );
    // Keys that mean something to the debugger mean nothing to it here.
    pty.key("8");
    pty.wait_for("Ctrl-] leaves");
    pty.type_text("Bqn\u{7f}\u{7f}ob");
    wait_terminal(pty, "Your name? Bob");
    pty.key("Enter");
    desk.wait_at("ask.py", 6);
    pty.key("C-]");
    desk.wait_value("Scopes", "greeting", "'Hello Bob'");
    let before = size_told(&wait_terminal(pty, "terminal True"), "terminal True ");
    // The window becomes smaller while the program stands still.
    pty.resize(120, 40);
    pty.key("F5");
    let shown = wait_terminal(pty, "More?");
    assert!(shown.contains("Hello Bob ."), "{shown}");
    assert!(!pty.titles().iter().any(|title| title.contains("stolen")));
    assert!(
        pty.clipboard().is_empty(),
        "a program has no way to the clipboard"
    );
    // The program is told of the window's new size.
    pty.key("8").wait_for("Ctrl-] leaves");
    pty.key("Enter");
    let after = size_told(&wait_terminal(pty, "now "), "now ");
    assert!(
        after.0 < before.0 && after.1 < before.1,
        "{before:?} {after:?}"
    );
    pty.key("Enter");
    desk.wait_header("ended");
    pty.wait_for("exit code 0");
    desk.pty.key("C-]").key("q");
    desk.pty.expect_exit(0);
}

/// Columns and lines behind a word.
fn size_told(shown: &str, behind: &str) -> (u32, u32) {
    let (_, rest) = shown.split_once(behind).unwrap();
    let mut numbers = rest.split_whitespace().map(|word| word.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

#[test]
fn a_c_program_asks_in_its_terminal() {
    require!(lldb_dap);
    asks_in_its_terminal("lldb-dap");
}

/// GDB asks for no terminal to be opened: it is given one.
#[test]
fn a_c_program_asks_in_its_terminal_under_gdb() {
    require!(gdb);
    asks_in_its_terminal("gdb");
}

fn asks_in_its_terminal(adapter: &str) {
    let folder = tempfile::tempdir().unwrap();
    let source = write(folder.path(), "ask.c", C);
    let program = folder.path().join("ask");
    let mut compiler = Command::new("cc");
    compiler.args(["-g", "-O0", "-o"]).args([&program, &source]);
    assert!(compiler.status().unwrap().success());
    let mut desk = Desk::open(args![
        "--adapter",
        adapter,
        "--console",
        "pty",
        "-b",
        "ask.c:10",
        "--cwd",
        folder.path(),
        program
    ]);
    let pty = &desk.pty;
    wait_terminal(pty, "Your name?");
    pty.key("8").wait_for("Ctrl-] leaves");
    pty.type_text("Ada").key("Enter");
    desk.wait_at("ask.c", 10);
    pty.key("C-]");
    desk.wait_value("Scopes", "length", "3");
    pty.key("F5");
    let shown = wait_terminal(pty, "More?");
    assert!(shown.contains("Hello Ada, 3 letters"), "{shown}");
    // End of input is a key, too.
    pty.key("8").wait_for("Ctrl-] leaves");
    pty.key("C-d");
    desk.wait_header("ended");
    desk.pty.key("C-]").key("q");
    desk.pty.expect_exit(0);
}

/// In a window of its own: what `$TERMINAL` names runs the program.
#[test]
fn a_terminal_program_of_ones_own_is_opened() {
    require!(debugpy);
    let folder = tempfile::tempdir().unwrap();
    let program = write(folder.path(), "out.py", "print('outside')\ninput()\n");
    let window = write(
        folder.path(),
        "window",
        "#!/bin/sh\necho \"$@\" > opened\nshift\nexec script -qec \"$(printf \"'%s' \" \"$@\")\" typescript < /dev/null\n",
    );
    let status = Command::new("chmod").arg("+x").arg(&window).status();
    assert!(status.unwrap().success());
    let desk = Desk::with(|builder| {
        builder
            .args(args!["--console", "external", "-b", "out.py:2", program])
            .cwd(folder.path())
            .env("TERMINAL", &window)
    });
    desk.wait_at("out.py", 2);
    let opened = fs::read_to_string(folder.path().join("opened")).unwrap();
    assert!(
        opened.starts_with("-e ") && opened.contains("out.py"),
        "{opened}"
    );
    desk.leave_live("Enter");
}

/// The program of js-debug runs in a child session; the terminal is its parent's.
#[test]
fn a_node_program_asks_in_its_parents_terminal() {
    require!(js_debug);
    require!(node);
    let folder = tempfile::tempdir().unwrap();
    let program = write(
        folder.path(),
        "ask.js",
        "const rl = require('readline').createInterface({input: process.stdin, output: process.stdout});\nrl.question('What is it? ', (answer) => {\n  const got = 'got ' + answer;\n  console.log(got, process.stdout.isTTY);\n  rl.close();\n});\n",
    );
    let desk = Desk::with(|builder| {
        builder
            .args(args!["--console", "pty", "-b", "ask.js:4", program])
            .cwd(folder.path())
            .env("XDG_DATA_HOME", tools::test_home().join("share"))
    });
    let pty = &desk.pty;
    wait_terminal(pty, "What is it?");
    pty.key("8").wait_for("Ctrl-] leaves");
    pty.type_text("forty").key("Enter");
    desk.wait_at("ask.js", 4);
    pty.key("C-]");
    desk.wait_value("Scopes", "got", "'got forty'");
    pty.key("F5");
    wait_terminal(pty, "got forty true");
    desk.wait_header("ended");
    desk.leave();
}
