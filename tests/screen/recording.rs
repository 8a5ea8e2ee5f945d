//! A session that is kept, and opened again where nothing of it is left: the same screens at the same stops.

use crate::support;

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;
use support::desk::{Desk, FAREWELL, Home, pane, value_in};
use support::procs::{self, Mark};
use support::pty::Screen;
use support::{line_of, program_source, tools};

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

/// What is in a recording that is still written, as far as it can be unpacked.
fn kept_until_now(file: &Path) -> String {
    let mut bytes = Vec::new();
    let mut packed = flate2::read::GzDecoder::new(File::open(file).unwrap());
    // Its end is not there yet.
    let _ = packed.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a person sees of a stop when everything about it has come: the answer to a question that is asked last comes last.
fn settled(desk: &Desk, stop: u32) -> [Vec<String>; 3] {
    desk.pty.key("e");
    desk.answer("Evaluate", &format!("'settled %d' % {stop}"));
    desk.pty.wait_for(&format!("'settled {stop}'"));
    seen(&desk.pty.key("Esc").wait_gone("settled"))
}

/// Ends omp-debug at once, and with it everything that it started.
///
/// What is on the screen is on its way into the file: what was asked last, when the stop had [`settled`], is waited for there.
fn kill_everything(mut desk: Desk, file: &Path, stop: u32) {
    let last = format!("'settled {stop}'");
    let deadline = Instant::now() + FAREWELL;
    while !kept_until_now(file).contains(&last) {
        assert!(Instant::now() < deadline, "{}", kept_until_now(file));
        // The file says nothing when it grows; the writer's end would be a change as well.
        let ended = procs::wait_exit(desk.pty.pid(), Duration::from_millis(20));
        assert!(!ended, "the writer has died");
    }
    desk.pty.signal(Signal::KILL);
    desk.pty.wait_exit();
    desk.mark.assert_none_left(FAREWELL);
}

#[test]
fn a_session_is_kept_and_seen_again_stop_by_stop_when_everything_was_killed() {
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
    desk.wait_value("Scopes", "total", "0");
    let first = settled(&desk, 2);
    pty.key("F10");
    desk.wait_at(&name, summed);
    desk.wait_value("Scopes", "cost", "20");
    let second = settled(&desk, 3);
    assert!(second.iter().all(|pane| pane.len() > 3), "{second:?}");
    kill_everything(desk, &file, 3);

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
    // The breakpoints are those of the recording: there is none in this home.
    pty.wait_until("the breakpoint", |screen| {
        let rows = pane(screen, "Breakpoints");
        rows.iter()
            .any(|row| row.contains(&format!("{name}:{call}")))
    });
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
    // By itself it goes to the last stop in it, pausing and going on when it is told to.
    pty.key("F");
    desk.wait_header("played at 1x");
    pty.key("F6").wait_gone("played at");
    pty.key("+");
    desk.wait_at(&name, summed);
    pty.wait_gone("played at");
    again(&second);
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

/// Opens the inventory at its first line, and steps from the call in its loop to the line behind it.
fn in_the_loop(arguments: &[&str]) -> (Desk, String, u32, u32) {
    let program = tools::python_program();
    let name = program.file_name().unwrap().to_str().unwrap().to_owned();
    let (call, summed) = (line_of(&program, "loop-call"), line_of(&program, "loop"));
    let words = arguments
        .iter()
        .map(Into::into)
        .chain([program.into_os_string()]);
    let desk = Desk::open(words.collect::<Vec<std::ffi::OsString>>());
    desk.pty.wait_until("the program's first line", |screen| {
        screen.row(0).contains("stopped: entry") && screen.row(1).contains(&name)
    });
    desk.break_at(&name, call);
    desk.pty.key("F5");
    desk.wait_at(&name, call);
    desk.wait_value("Scopes", "total", "0");
    (desk, name, call, summed)
}

#[test]
fn one_looks_back_at_stops_of_a_session_that_lives() {
    require!(debugpy);
    let (desk, name, call, summed) = in_the_loop(&[]);
    let pty = &desk.pty;
    // What is opened is kept as well.
    desk.select_scope("item");
    pty.key("Enter");
    let first = seen(&desk.wait_value("Scopes", "len()", "4"));
    pty.key("F10");
    desk.wait_at(&name, summed);
    desk.wait_value("Scopes", "cost", "20");
    pty.key("F10").wait_until("the loop's head", |screen| {
        value_in(screen, "Scopes", "total").is_some_and(|total| total.starts_with("20"))
    });
    let present = seen(&desk.wait_value("Scopes", "'price'", "2"));

    pty.key("T");
    let screen = pty.wait_until("what changed at each stop", |screen| {
        let rows = pane(screen, "Stops");
        rows.iter().any(|row| row.contains("cost = 20"))
            && rows.iter().any(|row| row.contains("total 0 -> 20"))
    });
    assert_eq!(
        pane(&screen, "Stops")
            .iter()
            .filter(|row| row.contains(&name))
            .count(),
        4
    );
    pty.key("{");
    desk.wait_header("looking back: stop 3 of 4");
    desk.wait_at(&name, summed);
    pty.key("{");
    desk.wait_header("looking back: stop 2 of 4");
    desk.wait_at(&name, call);
    let same = |what: &[Vec<String>; 3]| {
        let what = what.clone();
        move |screen: &Screen| {
            let now = seen(screen);
            let trimmed = |rows: &[String]| -> Vec<String> {
                // What is marked as changed, and which row has the cursor, is of now.
                rows.iter().map(|row| row.replace('*', " ")).collect()
            };
            // The source is where the header says; what is beside its lines may have been on its way.
            let (now, then) = (now.iter().skip(1), what.iter().skip(1));
            now.zip(then).all(|(a, b)| trimmed(a) == trimmed(b))
        }
    };
    pty.wait_until("the panes as of then", same(&first));
    // What nobody asked then is not asked now.
    desk.select_scope("items");
    pty.key("Enter").wait_for("not recorded");
    pty.key("e");
    desk.answer("Evaluate", "1 + 1");
    pty.wait_for("not recorded");
    pty.key("Esc").wait_gone("1 + 1");
    pty.key("3").key("Left");
    pty.key("}");
    desk.wait_header("looking back: stop 3 of 4");
    pty.key("Backspace");
    desk.wait_header("stopped");
    pty.wait_until("the present", |screen| {
        !screen.row(0).contains("looking back")
            && value_in(screen, "Scopes", "total").is_some_and(|total| total.starts_with("20"))
    });
    assert_eq!(seen(&pty.screen())[1], present[1]);
    // Stepping from a look back steps from the present.
    pty.key("{");
    desk.wait_header("looking back: stop 3 of 4");
    pty.key("F10");
    desk.wait_at(&name, call);
    pty.wait_gone("looking back");
    desk.leave_live("Enter");
}

#[test]
fn what_is_said_is_logged_and_recorded_from_a_key_on() {
    require!(debugpy);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("key.rec");
    let (desk, name, _, summed) = in_the_loop(&[]);
    let pty = &desk.pty;
    pty.key("V");
    pty.wait_until("messages", |screen| {
        let rows = pane(screen, "Protocol");
        rows.iter()
            .any(|row| row.contains("<- variables") && (row.contains(" ms") || row.contains(" us")))
    });
    pty.key("/").type_text("INITIALIZE");
    pty.wait_until("only those", |screen| {
        let rows = pane(screen, "Protocol");
        rows.first()
            .is_some_and(|row| row.contains("-> initialize"))
            && rows.iter().all(|row| !row.contains("variables  "))
    });
    pty.key("Enter").key("Home").key("Enter");
    pty.wait_for("\"adapterID\": ");
    pty.key("Esc").wait_gone("\"adapterID\": ");
    pty.wait_for("Esc shows all");
    pty.key("Esc").wait_gone("Esc shows all");

    pty.key("Q");
    desk.answer("Record into", file.to_str().unwrap());
    desk.wait_header("recording");
    pty.key("F10");
    desk.wait_at(&name, summed);
    desk.wait_value("Scopes", "cost", "20");
    pty.key("Q").wait_for("messages recorded");
    pty.wait_until("no recording in the header", |screen| {
        !screen.row(0).contains("recording")
    });
    desk.leave_live("Enter");

    // The stop where it began is in it, with what was known of it.
    let (code, text) = replayed(&file, "--print");
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("2 stops") && text.contains("total = 0"),
        "{text}"
    );
    assert!(text.contains("#2") && text.contains("cost = 20"), "{text}");

    // All its stops can be looked at from the beginning, and it goes on by itself when it is told to.
    let desk = Desk::with(|builder| builder.env("PATH", "/nowhere").args(args!["replay", file]));
    let pty = &desk.pty;
    desk.wait_header("stopped");
    pty.key("}");
    desk.wait_header("looking back: stop 2 of 2");
    desk.wait_value("Scopes", "cost", "20");
    pty.key("Backspace").wait_gone("looking back");
    pty.key("S-F10");
    pty.wait_for("first stop of the recording");
    pty.key("+");
    // It comes to the second stop by itself, and stays at what is the last.
    desk.wait_at(&name, summed);
    pty.wait_gone("played at");
    pty.key("F5");
    desk.wait_header("ended");
    desk.leave();
}

/// A script gets the stops of the program and of its child, each with its session.
fn every_session_is_told(file: &Path) {
    let (code, text) = replayed(file, "--json");
    assert_eq!(code, Some(0));
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |kind: &str| -> Vec<&Value> { lines.iter().filter(|l| l["type"] == kind).collect() };
    let family: Vec<_> = of("session")
        .iter()
        .map(|s| (s["session"].as_u64(), s["parent"].as_u64()))
        .collect();
    assert!(
        family.starts_with(&[(Some(1), None), (Some(2), Some(1))]),
        "{text}"
    );
    let level = |stop: &Value| {
        let variables = stop["scopes"][0]["variables"].as_array().unwrap();
        let level = variables.iter().find(|v| v["name"] == "level").unwrap();
        level["value"].as_str().unwrap().to_owned()
    };
    let stops: Vec<_> = of("stop")
        .iter()
        .map(|stop| (stop["session"].as_u64().unwrap(), level(stop)))
        .collect();
    assert_eq!(stops, [(1, "2".to_owned()), (2, "1".to_owned())], "{text}");
    assert_eq!(of("session_end").len(), family.len() - 1);
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["type"], &last["session"]),
        (&"end".into(), &1.into())
    );
    assert_eq!(last["other_sessions"], 0, "all of them are told");
}

#[test]
fn a_tree_is_played_as_a_tree() {
    require!(debugpy);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tree.rec");
    let program = program_source("tree.py");
    let place = format!("tree.py:{} in visit()", line_of(&program, "visit"));
    let at = format!("{}:{}", program.display(), line_of(&program, "visit"));
    let desk = Desk::open(args![
        "--record", file, "-b", at, program, "--", "fork", "2"
    ]);
    desk.wait_header(&place);
    desk.wait_value("Scopes", "level", "2");
    desk.pty.key("F5");
    let child = |screen: &Screen| {
        let header = screen.row(0);
        header.contains("debug-1 › debug-2") && header.contains(&place)
    };
    desk.pty.wait_until("a stop in the child", child);
    desk.wait_value("Scopes", "level", "1");
    let first = settled(&desk, 2);
    kill_everything(desk, &file, 2);
    every_session_is_told(&file);

    let desk = Desk::with(|builder| builder.env("PATH", "/nowhere").args(args!["replay", file]));
    desk.wait_header("recording of debugpy");
    desk.wait_header(&place);
    desk.wait_value("Scopes", "level", "2");
    desk.pty.key("F5");
    desk.pty.wait_until("the recorded stop in the child", child);
    let again = seen(&desk.wait_value("Scopes", "level", "1"));
    assert_eq!(again[2], first[2]);
    desk.leave_live("Enter");
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
