//! Sessions and transcripts on the screen: a generated home of omp in a real terminal, keys in, the screen read.

use crate::support;

use std::fs;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use serde_json::json;
use support::desk::Desk;
use support::omp_home::sessions::{KEPT, LEFT, SECRET, id};
use support::omp_home::{self, Home, Size};
use support::pty::Builder;
use support::tools;

fn open(words: &[&str]) -> (tempfile::TempDir, Home, Desk) {
    open_in(words, |builder, _| {
        builder.env("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
    })
}

/// What `settings` are given besides is a folder of the test's own.
fn open_in(
    words: &[&str],
    settings: impl FnOnce(Builder, &Path) -> Builder,
) -> (tempfile::TempDir, Home, Desk) {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), Size::default());
    let root = home.dir.join(".omp");
    let cwd = home.dir.clone();
    let desk = Desk::with(|builder| {
        settings(builder, dir.path())
            .env("TZ", "Europe/Berlin")
            .args(args!["--omp-dir", root, "--cwd", cwd])
            .args(words)
    });
    (dir, home, desk)
}

/// The list, one session with its branch, an entry in full, what it took, a subagent, an artifact.
#[test]
fn a_session_is_opened_unfolded_and_searched() {
    let (_dir, home, desk) = open(&["sessions"]);
    let pty = &desk.pty;
    pty.wait_for("Session 0");
    pty.key("f").type_text("srv").key("Enter");
    pty.wait_for("2 of 4");
    pty.wait_gone("work/app");
    pty.key("Enter");
    pty.wait_for(KEPT);
    pty.wait_for("another branch, 2 entries");
    pty.wait_for("2.5 s");
    pty.wait_for("future_thing");

    pty.key("/").type_text("mutex").key("Enter");
    // What is found in a branch that is folded is shown.
    pty.wait_for(LEFT);
    pty.wait_for("1 of 1");
    pty.key("Enter");
    pty.wait_for("Model · 2026-08-21 10:00:13");
    pty.key("Esc");
    pty.wait_gone("Model · 2026-08-21 10:00:13");

    pty.key("Tab");
    pty.wait_for("altogether, 2.5 s the longest");
    // What is longer than a row goes on in the next one.
    pty.resize(60, 30);
    pty.wait_until("the file's name to its end", |screen| {
        let lines = screen.text();
        let lines = lines.lines().map(|line| line.trim_matches(['│', ' ']));
        let text: String = lines.collect();
        let files = home.sessions.iter();
        files
            .into_iter()
            .any(|file| text.contains(&file.display().to_string()))
    });
    pty.resize(120, 40);
    pty.key("Tab");
    pty.wait_for("Explore.Deep");
    // The first one is selected.
    pty.key("Enter");
    pty.wait_for("Find the queue");
    pty.wait_for("The queue has no bound.");
    pty.key("Esc");
    pty.wait_for("Explore.Deep");
    pty.key("Tab");
    pty.wait_for("output of bash");
    pty.key("Enter");
    pty.wait_for("total 0");
    pty.key("]");
    pty.wait_for("This is no text: 5 B of data");
    pty.key("Esc").key("Esc");
    pty.wait_for("2 of 4");

    // All sessions.
    pty.key("Esc");
    pty.wait_gone("Only srv");
    pty.key("/").type_text("without locks").key("Enter");
    pty.wait_for("4 sessions searched");
    pty.wait_for("4 entries");
    pty.key("Enter");
    pty.wait_for(KEPT);
    pty.wait_for("1 of 1");
}

/// A desktop of Wayland is asked by its own program.
#[test]
fn a_transcript_is_copied_by_wl_copy() {
    let (dir, _home, desk) = open_in(&["sessions", &id(0, 0)], |builder, folder| {
        let bin = folder.join("bin");
        tools::executable(
            &bin.join("wl-copy"),
            "#!/bin/sh\n[ \"$*\" = '--type text/plain' ] && cat > \"$0.text\"\n",
        );
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        builder
            .env("WAYLAND_DISPLAY", "wayland-1")
            .env("PATH", path)
    });
    let pty = &desk.pty;
    pty.wait_for(KEPT);
    pty.key("t");
    pty.wait_for("secrets are hidden; 2 entries");
    pty.key("y");
    pty.wait_for("to the clipboard");
    let copied = fs::read_to_string(dir.path().join("bin/wl-copy.text")).unwrap();
    assert!(
        copied.contains(KEPT) && !copied.contains(SECRET),
        "{copied}"
    );
    assert!(pty.clipboard().is_empty());
}

/// The transcript goes to the clipboard and into a file, whole and without the secret.
#[test]
fn a_transcript_is_copied_and_written() {
    let (_dir, home, desk) = open(&["sessions", &id(0, 0)]);
    let pty = &desk.pty;
    pty.wait_for(KEPT);
    pty.key("t");
    pty.wait_for("secrets are hidden; 2 entries of other branches are left out");
    pty.key("y");
    pty.wait_for("The transcript:");
    let raw = pty.clipboard().pop().unwrap();
    let copied = base64::engine::general_purpose::STANDARD
        .decode(raw)
        .unwrap();
    let copied = String::from_utf8(copied).unwrap();
    assert!(
        copied.contains(KEPT) && !copied.contains(SECRET),
        "{copied}"
    );

    pty.key("b");
    pty.wait_for("all branches");
    pty.wait_until("the whole transcript", |screen| {
        screen.contains(" entries;") && !screen.contains("left out")
    });
    pty.key("w");
    pty.wait_for("Write the transcript to");
    pty.key("Enter");
    pty.wait_for("Written to");
    let target = home.dir.join("transcript-019000000000.md");
    let written = fs::read_to_string(&target).unwrap();
    assert!(written.contains(LEFT) && !written.contains(SECRET));
    fs::write(&target, "older").unwrap();
    pty.key("w");
    pty.wait_for("Write the transcript to");
    pty.key("Enter");
    pty.wait_for("Replace the file?");
    pty.decline().wait_gone("Replace the file?");
    assert_eq!(fs::read_to_string(&target).unwrap(), "older");
}

/// What a running omp appends to its session comes by itself.
#[test]
fn a_live_session_is_marked_and_followed() {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), Size::default());
    let root = home.dir.join(".omp");
    let mut omp = Command::new("sleep")
        .arg0("omp")
        .arg("300")
        .spawn()
        .unwrap();
    let clients = root.join("run/daemons/0123456789abcdef/clients");
    let client = json!({"pid": omp.id(), "id": "y", "projectDir": "/srv/app"});
    fs::write(clients.join("live.json"), client.to_string()).unwrap();
    let file = home.sessions.last().unwrap();
    let say = |id: &str, parent: &str, text: &str| {
        let line = json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-08-21T09:00:00.000Z",
            "message": {"role": "user", "content": text}});
        let mut file = fs::File::options().append(true).open(file).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    };
    say("n1", "a000000e", "go on, please");
    // Files of one moment have one time; this one is the newest.
    let newest = fs::File::options().append(true).open(file).unwrap();
    newest
        .set_modified(SystemTime::now() + Duration::from_mins(1))
        .unwrap();
    let desk = Desk::with(|builder| builder.args(args!["--omp-dir", root, "sessions"]));
    let pty = &desk.pty;
    pty.wait_for("live");
    pty.key("g").key("Enter");
    pty.wait_for("go on, please");
    pty.key("End");
    say("n2", "n1", "written while it is shown");
    pty.wait_for("written while it is shown");
    omp.kill().unwrap();
    omp.wait().unwrap();
}
