//! Recordings of trees: one time for all sessions in them, whatever each of them does, and however the file was mutilated.

use crate::support;

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use support::desk::{Desk, Home, pane};
use support::procs::Mark;
use support::pty::Screen;
use support::{line_of, program_source, tools};

/// Opens a recording where there is nothing of what was recorded.
fn replay(file: &Path) -> Desk {
    Desk::with(|builder| builder.env("PATH", "/nowhere").args(args!["replay", file]))
}

fn replayed(file: &Path, how: &str) -> String {
    let output = Command::new(tools::omp_debug())
        .args(["replay", how])
        .arg(file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Records a program that runs to its end, stopping at marks in its own text.
fn recorded(dir: &Path, program: &Path, marks: &[&str], arguments: &[&str]) -> PathBuf {
    let file = dir.join("tree.rec");
    let home = Home::new();
    let mark = Mark::new();
    let mut command = Command::new(tools::omp_debug());
    command.arg("--record").arg(&file).arg("run");
    for name in marks {
        let at = format!("{}:{}", program.display(), line_of(program, name));
        command.args(["-b", &at]);
    }
    if let Some(script) = tools::js_debug() {
        command.env("JS_DEBUG_DAP_SERVER", script);
    }
    let output = command
        .arg(program)
        .arg("--")
        .args(arguments)
        .envs(home.variables(&mark))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    file
}

/// What the stack says of a session: the word at the end of its row.
fn doing(screen: &Screen, session: &str) -> Option<String> {
    let rows = pane(screen, "Stack");
    let row = rows.iter().find(|row| row.contains(session))?;
    let word = row.trim_end().rsplit("  ").next()?;
    Some(word.trim().to_owned())
}

/// Waits until a session is in the header, stands there, and the others do what is said of them.
fn wait_for(desk: &Desk, session: &str, place: &str, others: &[(&str, &str)]) {
    desk.pty
        .wait_until(&format!("{session} at {place}"), |screen| {
            let header = screen.row(0);
            let way = header.split("  ").find(|part| part.contains("debug-"));
            let last = way.and_then(|way| way.trim().split(" › ").last());
            last.is_some_and(|last| last.split(' ').next() == Some(session))
                && header.contains(place)
                && others
                    .iter()
                    .all(|(other, does)| doing(screen, other).as_deref() == Some(does))
        });
}

/// Whether a session was told to be over before the last stop of all.
fn ended_before_last_stop(file: &Path, session: u64) -> bool {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(file).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let told = lines(&text);
    let last = |event: &str, of: Option<u64>| {
        told.iter().rposition(|line| {
            line["message"]["event"] == event && (of.is_none() || line["session"].as_u64() == of)
        })
    };
    last("terminated", Some(session)) < last("stopped", None)
}

/// The whole of it with a parent and its child: forwards, backwards, listed, looked back at, and what a child that has ended is like.
#[test]
fn all_sessions_of_a_recording_have_one_time() {
    require!(debugpy);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tree.rec");
    let program = program_source("tree.py");
    let at = |mark: &str| format!("{}:{}", program.display(), line_of(&program, mark));
    let place =
        |mark: &str, function: &str| format!("tree.py:{} in {function}()", line_of(&program, mark));
    let (visit, back) = (place("visit", "visit"), place("back", "grow"));

    // As it was: parent, child, child, parent. Threads have their names.
    let words = args![
        "--record",
        file,
        "-b",
        at("visit"),
        "-b",
        at("back"),
        program,
        "--",
        "fork",
        "2"
    ];
    let desk = Desk::open(words);
    for (session, place) in [
        ("debug-1", &visit),
        ("debug-2", &visit),
        ("debug-2", &back),
        ("debug-1", &back),
    ] {
        // While there is one session nothing is said of sessions.
        desk.pty.wait_until(session, |screen| {
            let header = screen.row(0);
            header.contains(place) && header.contains("› debug-2") == (session == "debug-2")
        });
        desk.pty.wait_for("MainThread");
        desk.pty.key("F5");
    }
    desk.wait_header("ended: exit code 0");
    desk.leave();

    // The adapter may tell of the child's end after what its parent does at it: then it is seen so.
    let gone = if ended_before_last_stop(&file, 2) {
        "ended"
    } else {
        "running"
    };
    let desk = replay(&file);
    let pty = &desk.pty;
    wait_for(&desk, "debug-1", &visit, &[("debug-2", "not started")]);
    desk.wait_value("Scopes", "level", "2");
    pty.key("F5");
    wait_for(&desk, "debug-2", &visit, &[("debug-1", "running")]);
    desk.wait_value("Scopes", "level", "1");
    pty.wait_for("MainThread");
    // Back to before the child began, and forward again.
    pty.key("S-F10");
    wait_for(&desk, "debug-1", &visit, &[("debug-2", "not started")]);
    pty.key("F5").key("F5");
    wait_for(&desk, "debug-2", &back, &[("debug-1", "running")]);
    pty.key("F5");
    wait_for(&desk, "debug-1", &back, &[("debug-2", gone)]);
    // Back to before the child's end.
    pty.key("S-F10");
    wait_for(&desk, "debug-2", &back, &[("debug-1", "running")]);
    pty.wait_for("MainThread");
    pty.key("F5");
    wait_for(&desk, "debug-1", &back, &[("debug-2", gone)]);

    // The list has the stops of both, and leads from one to the other.
    pty.key("T");
    pty.wait_until("all stops, and whose they are", |screen| {
        let rows = pane(screen, "Stops");
        let stops = rows.iter().filter(|row| row.contains("tree.py:"));
        let whose: Vec<bool> = stops.map(|row| row.contains("debug-2")).collect();
        whose == [false, true, true, false]
    });
    pty.key("Home").key("Down").key("Enter");
    desk.wait_header("looking back: stop 2 of 4");
    wait_for(&desk, "debug-2", &visit, &[("debug-1", "running")]);
    pty.key("{");
    desk.wait_header("looking back: stop 1 of 4");
    wait_for(&desk, "debug-1", &visit, &[("debug-2", "not started")]);
    desk.wait_value("Scopes", "level", "2");
    pty.key("Backspace").wait_gone("looking back");
    wait_for(&desk, "debug-1", &back, &[("debug-2", gone)]);

    // A child that has ended is no reason to begin anew.
    pty.key("P").wait_for("Sessions");
    pty.type_text("debug-2").key("Enter");
    desk.pty.wait_until("the child that has ended", |screen| {
        let header = screen.row(0);
        header.contains("debug-1 › debug-2") && header.contains(gone)
    });
    pty.key("F5");
    desk.wait_header("ended: exit code 0");
    pty.key("6");
    desk.wait_output("level 1 exited with 0");
    assert_eq!(doing(&pty.screen(), "debug-2").as_deref(), Some("ended"));
    // Where all have ended it is.
    pty.key("F5");
    wait_for(&desk, "debug-3", &visit, &[("debug-4", "not started")]);
    pty.key("F");
    desk.wait_header("ended: exit code 0");
    desk.leave();

    let told = lines(&replayed(&file, "--json"));
    let child = &told[1];
    assert_eq!(child["session"], 2);
    assert_eq!(child["program"], program.to_str().unwrap());
    assert!(child["name"].as_str().unwrap().starts_with("Subprocess"));
    let stops: Vec<_> = told.iter().filter(|line| line["type"] == "stop").collect();
    let order: Vec<_> = stops
        .iter()
        .map(|stop| (stop["place"].as_u64(), stop["session"].as_u64()))
        .collect();
    let expected = [1, 2, 2, 1].into_iter().zip(1..);
    let expected: Vec<_> = expected.map(|(s, at)| (Some(at), Some(s))).collect();
    assert_eq!(order, expected);
    let end = told.iter().find(|line| line["type"] == "session_end");
    let end = end.unwrap();
    // Its adapter tells no code, and the screen had none.
    assert_eq!(
        (&end["ended"], &end["exit_code"]),
        (&json!(true), &Value::Null)
    );
    assert!(
        end["ended_ms"].as_u64() > stops[2]["at_ms"].as_u64(),
        "{end}"
    );
    let text = replayed(&file, "--print");
    assert!(text.contains("session 2: ended at "), "{text}");
    assert!(text.contains("session 1: exit code 0 at "), "{text}");
}

/// The program is in no session that was started: it plays all the same.
#[test]
fn a_cluster_of_node_is_played() {
    require!(node);
    require!(js_debug);
    let dir = tempfile::tempdir().unwrap();
    let program = program_source("cluster.js");
    let file = recorded(dir.path(), &program, &["share", "end"], &[]);
    let told = lines(&replayed(&file, "--json"));
    let stops: Vec<_> = told
        .iter()
        .filter(|line| line["type"] == "stop")
        .map(|stop| format!("debug-{}", stop["session"]))
        .collect();
    assert_eq!(stops.len(), 3, "{told:#?}");
    let ended = |line: &&Value| line["type"] == "session_end" && line["ended"] == true;
    assert_eq!(told.iter().filter(ended).count(), 3);

    let desk = replay(&file);
    let share = format!("cluster.js:{} in share()", line_of(&program, "share"));
    let end = format!("cluster.js:{}", line_of(&program, "end"));
    wait_for(&desk, &stops[0], &share, &[("debug-1", "running")]);
    desk.pty.key("F5");
    wait_for(&desk, &stops[1], &share, &[("debug-1", "running")]);
    desk.pty.key("F5");
    // The adapter may tell of a worker's end after what the cluster does at it.
    wait_for(&desk, &stops[2], &end, &[]);
    desk.pty.key("S-F10").key("S-F10");
    wait_for(&desk, &stops[0], &share, &[(&stops[2], "running")]);
    // By itself it goes through all of them to the end.
    desk.pty.key("F");
    desk.wait_header("ended");
    desk.wait_output("together 300");
    desk.leave();
}

/// A line of a session that stops (and goes on) at a time.
fn stop(text: &mut String, session: u64, at: u64) {
    let event = json!({"seq": 1, "type": "event", "event": "stopped",
        "body": {"reason": "breakpoint", "threadId": 1}});
    let goes = json!({"seq": 1, "type": "request", "command": "continue"});
    for (from, message) in [("adapter", event), ("client", goes)] {
        let mut line = json!({"from": from, "at": at, "message": message});
        if session > 1 {
            line["session"] = session.into();
        }
        writeln!(text, "{line}").unwrap();
    }
}

fn says(text: &mut String, session: u64, at: u64, event: &str, body: &Value) {
    let mut line = json!({"from": "adapter", "at": at,
        "message": {"seq": 1, "type": "event", "event": event, "body": body}});
    if session > 1 {
        line["session"] = session.into();
    }
    writeln!(text, "{line}").unwrap();
}

fn begins(text: &mut String, session: u64, parent: Option<u64>) {
    let line = json!({"session": session, "adapter": "x", "program": format!("child {session}"), "parent": parent});
    writeln!(text, "{line}").unwrap();
}

const HEADER: &str =
    "{\"omp_debug_recording\":1,\"adapter\":\"x\",\"program\":\"a.py\",\"session\":1}\n";

/// Programs that were started side by side have no parent; they are played by the same time, and quit together.
#[test]
fn programs_that_were_started_side_by_side_are_played_together() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("both.rec");
    let mut text = HEADER.to_owned();
    stop(&mut text, 1, 10);
    begins(&mut text, 2, None);
    stop(&mut text, 2, 20);
    says(&mut text, 1, 25, "exited", &json!({"exitCode": 7}));
    says(&mut text, 1, 25, "terminated", &json!({}));
    stop(&mut text, 2, 30);
    std::fs::write(&file, text).unwrap();
    let desk = replay(&file);
    wait_for(&desk, "debug-1", "stopped", &[("debug-2", "not started")]);
    desk.pty.key("F5");
    wait_for(&desk, "debug-2", "stopped", &[("debug-1", "running")]);
    desk.pty.key("F5");
    wait_for(
        &desk,
        "debug-2",
        "stopped",
        &[("debug-1", "ended: exit code 7")],
    );
    // Time goes back to before an end, and forward to it again.
    desk.pty.key("S-F10");
    wait_for(&desk, "debug-2", "stopped", &[("debug-1", "running")]);
    desk.pty.key("F5").key("F5");
    desk.pty.wait_until("the end of both", |screen| {
        doing(screen, "debug-2").as_deref() == Some("ended")
            && doing(screen, "debug-1").as_deref() == Some("ended: exit code 7")
    });
    desk.pty.key("F5");
    wait_for(&desk, "debug-3", "stopped", &[("debug-4", "not started")]);
    desk.leave_live("Enter");
}

/// A file that was cut or edited: what is in it is played, what is missing is counted and said.
#[test]
fn what_is_missing_of_a_tree_is_counted_and_said() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("cut.rec");
    let mut text = HEADER.to_owned();
    stop(&mut text, 1, 5000);
    // Its beginning is missing.
    stop(&mut text, 40, 5001);
    begins(&mut text, 2, Some(77));
    // One is the other's parent, which has not begun: a circle.
    begins(&mut text, 3, Some(4));
    begins(&mut text, 4, Some(3));
    begins(&mut text, 4, Some(4));
    stop(&mut text, 4, 10);
    stop(&mut text, 1, 5010);
    std::fs::write(&file, &text).unwrap();
    let told = lines(&replayed(&file, "--json"));
    let parents: Vec<_> = told
        .iter()
        .filter(|line| line["type"] == "session")
        .map(|line| line["parent"].as_u64())
        .collect();
    assert_eq!(parents, [None, Some(1), Some(1), Some(3)]);
    let said = replayed(&file, "--print");
    for missing in [
        "for their beginning is not in the file: 1.",
        "Messages of sessions that are not played: 2.",
        "whose parent is not in the file, shown below the first one: 2.",
        "which is passed over: 1.",
        "is before that of the line ahead of them: 2;",
    ] {
        assert!(said.contains(missing), "{missing:?} in {said}");
    }
    let desk = replay(&file);
    desk.pty.wait_for("The recording is not whole");
    wait_for(&desk, "debug-1", "stopped", &[]);
    desk.pty.key("F5");
    wait_for(&desk, "debug-4", "stopped", &[("debug-1", "running")]);
    desk.pty.key("F5");
    wait_for(&desk, "debug-1", "stopped", &[("debug-4", "running")]);
    desk.pty.key("F5");
    desk.wait_header("The recording ends here");
    desk.leave();
}

/// Ten thousand children: as many are played as can be looked at.
#[test]
fn ten_thousand_children_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("many.rec");
    let mut text = HEADER.to_owned();
    stop(&mut text, 1, 1);
    for child in 2..10_002 {
        begins(&mut text, child, Some(child - 1));
        stop(&mut text, child, child);
        says(&mut text, child, child, "terminated", &json!({}));
    }
    says(&mut text, 1, 20_000, "terminated", &json!({}));
    std::fs::write(&file, &text).unwrap();
    let said = replayed(&file, "--print");
    assert!(
        said.contains("256 beside the first already: 9744."),
        "{said}"
    );
    let desk = replay(&file);
    wait_for(&desk, "debug-1", "stopped", &[]);
    desk.pty.key("F5");
    wait_for(&desk, "debug-2", "stopped", &[]);
    desk.pty.key("F5");
    wait_for(&desk, "debug-3", "stopped", &[]);
    desk.pty.key("S-F10");
    wait_for(&desk, "debug-2", "stopped", &[]);
    desk.pty.key("+").key("+").key("+");
    desk.wait_header("debug-1  ");
    desk.wait_header("ended");
    desk.leave();
}
