//! A session that is kept, and opened again where nothing of it is left: the same screens at the same stops.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop at once and say where"
)]

#[macro_use]
mod support;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::desk::{Desk, FAREWELL, Home, pane};
use support::procs::Mark;
use support::pty::Screen;
use support::{line_of, tools};

/// What a person sees of a stop.
fn seen(screen: &Screen) -> [Vec<String>; 3] {
    ["tests/programs/inventory.py", "Stack", "Scopes"].map(|title| pane(screen, title))
}

fn replayed(file: &Path, how: &str) -> (Option<i32>, String) {
    let output = Command::new(tools::omp_debug())
        .args(["replay", how])
        .arg(file)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), text)
}

#[test]
fn a_session_is_kept_and_seen_again_stop_by_stop() {
    require!(debugpy);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("kept.rec");
    let program = tools::python_program();
    let name = program.file_name().unwrap().to_str().unwrap().to_owned();
    let (call, summed) = (line_of(&program, "loop-call"), line_of(&program, "loop"));

    let desk = Desk::open(args!["--record", file, program]);
    let pty = &desk.pty;
    pty.wait_until("the program's first line", |screen| {
        screen.row(0).contains("stopped: entry") && screen.row(1).contains(&name)
    });
    desk.break_at(&name, call);
    pty.key("F5");
    desk.wait_at(&name, call);
    let first = seen(&desk.wait_value("Scopes", "total", "0"));
    pty.key("F10");
    desk.wait_at(&name, summed);
    let second = seen(&desk.wait_value("Scopes", "cost", "20"));
    assert!(second.iter().all(|pane| pane.len() > 3), "{second:?}");
    desk.leave_live("Enter");

    let (code, text) = replayed(&file, "--json");
    assert_eq!(code, Some(0));
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let end = lines.last().unwrap();
    assert_eq!((&end["type"], &end["stops"]), (&"end".into(), &3.into()));
    assert_eq!(lines[1]["reason"], "breakpoint");
    assert_eq!(lines[1]["stack"][0]["line"], call);
    let locals = lines[1]["scopes"][0]["variables"].as_array().unwrap();
    assert!(
        locals
            .iter()
            .any(|v| v["name"] == "total" && v["value"] == "0"),
        "{locals:?}"
    );
    let (code, text) = replayed(&file, "--print");
    assert_eq!(code, Some(0));
    assert!(text.contains("#2") && text.contains("cost = 20"), "{text}");

    // Nothing of Python is needed any more.
    let desk = Desk::with(|builder| builder.env("PATH", "/nowhere").args(args!["replay", file]));
    let pty = &desk.pty;
    desk.wait_header("recording of debugpy");
    desk.wait_header("stopped: entry");
    // Breakpoints are the project's, and there is none in this home yet.
    desk.break_at(&name, call);
    let again = |expected: &[Vec<String>; 3]| {
        pty.wait_until("the same screen", |screen| seen(screen) == *expected);
    };
    pty.key("F5");
    desk.wait_at(&name, call);
    again(&first);
    pty.key("F5");
    desk.wait_at(&name, summed);
    again(&second);
    pty.key("S-F10");
    desk.wait_at(&name, call);
    again(&first);
    // Before the first stop there is none.
    pty.key("S-F9");
    desk.wait_header("stopped: entry");
    pty.key("S-F9");
    pty.wait_for("first stop of the recording");
    // What nobody asked then is not known now.
    pty.key("4").key("a");
    desk.answer("An expression", "1 + 1");
    pty.wait_for("not recorded");
    pty.key("F5");
    desk.wait_at(&name, call);
    pty.key("F5");
    desk.wait_at(&name, summed);
    pty.key("F5");
    desk.wait_header("ended");
    desk.leave();
}

/// A variable asks for the protocol's trace where no command line can be changed: each session in a file of its own.
#[test]
fn a_variable_keeps_every_session_in_a_folder() {
    require!(debugpy);
    let dir = tempfile::tempdir().unwrap();
    let kept = dir.path().join("kept");
    std::fs::create_dir(&kept).unwrap();
    let home = Home::new();
    let mark = Mark::new();
    let run = |words: &[&OsStr]| {
        let output = Command::new(tools::omp_debug())
            .args(words)
            .envs(home.variables(&mark))
            .env("OMP_DEBUG_RECORD", &kept)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
    };
    let files = || -> Vec<_> {
        let entries = std::fs::read_dir(&kept).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    // Where nothing is debugged, nothing is kept, and nothing is complained of.
    run(&["system", "--json"].map(OsStr::new));
    assert_eq!(files(), Vec::<PathBuf>::new());
    let program = tools::python_program();
    for _ in 0..2 {
        run(&["run".as_ref(), program.as_os_str()]);
    }
    let files = files();
    assert_eq!(files.len(), 2, "{files:?}");
    for file in files {
        let (code, text) = replayed(&file, "--json");
        assert_eq!(code, Some(0));
        assert!(text.contains("\"type\":\"end\""), "{text}");
    }
    mark.assert_none_left(FAREWELL);
}

#[test]
fn a_recording_never_overwrites_and_is_refused_where_nothing_is_debugged() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("there.rec");
    std::fs::write(&file, "mine").unwrap();
    for (words, why) in [
        (vec!["run", "x.py"], "name another one"),
        (vec!["system", "--json"], "nothing is debugged here"),
    ] {
        let output = Command::new(tools::omp_debug())
            .arg("--record")
            .arg(&file)
            .args(&words)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(why), "{words:?}: {said}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    let (code, _) = replayed(&file, "--json");
    assert_eq!(code, Some(4), "no recording");
}
