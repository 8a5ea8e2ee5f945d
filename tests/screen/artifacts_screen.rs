//! Artifacts and the clearing of old ones on the screen: a generated home of omp in a real terminal, keys in, the screen read.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use base64::Engine as _;
use support::desk::Desk;
use support::omp_home::{self, Home, Size};

fn set_age(path: &Path, days: u64) {
    let time = SystemTime::now() - Duration::from_hours(24 * days);
    let times = fs::FileTimes::new().set_modified(time);
    fs::File::open(path).unwrap().set_times(times).unwrap();
}

/// A home whose third session's artifacts are old, and the folder with them.
fn home() -> (tempfile::TempDir, Home, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), Size::default());
    let old = home.sessions[2].with_extension("");
    fs::remove_dir_all(&old).unwrap();
    fs::create_dir(&old).unwrap();
    fs::write(old.join("0.bash.log"), "output 0").unwrap();
    fs::write(old.join("1.read.log"), [0, 159, 146, 150, 10]).unwrap();
    fs::write(
        old.join("2.bash.log"),
        "plain \u{1b}[31mred\u{1b}[0m text\nsecond line\n",
    )
    .unwrap();
    fs::write(old.join("Scout.jsonl"), "{}\n").unwrap();
    for name in ["0.bash.log", "1.read.log", "2.bash.log", "Scout.jsonl", ""] {
        set_age(&old.join(name), 45);
    }
    // A process runs in its project, and could have the newest session there.
    set_age(&home.sessions[2], 5);
    (dir, home, old)
}

fn open(home: &Home, words: &[&str]) -> Desk {
    let root = home.dir.join(".omp");
    Desk::with(|builder| {
        builder
            .env("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
            .args(args!["--omp-dir", root])
            .args(words)
    })
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Folders, what is in one, a file's text made safe, the path in the clipboard.
#[test]
fn artifacts_are_looked_into_and_copied() {
    let (_dir, home, old) = home();
    let desk = open(&home, &["artifacts"]);
    let pty = &desk.pty;
    pty.wait_for("4 folders, ");
    pty.wait_for("newest first");
    // The old one is the last.
    pty.key("G").wait_for("45 d");
    pty.wait_for("and 1 session file of subagents");
    pty.key("Enter").wait_for("4 names");
    pty.wait_for("2.bash.log");
    pty.key("Down").key("Down").key("Enter");
    pty.wait_for("red");
    let screen = pty.wait_for("Esc closes");
    let lines: Vec<String> = screen.text().lines().map(str::to_owned).collect();
    let first = lines
        .iter()
        .position(|line| line.contains("plain "))
        .unwrap();
    assert!(
        lines[first + 1].contains("second line"),
        "{}",
        screen.text()
    );
    assert!(!lines[first].contains("second"), "{}", screen.text());
    pty.key("Esc").wait_for("4 names");
    pty.key("Up").key("Enter");
    pty.wait_for("This is no text: 5 B of data");
    pty.key("Esc").wait_for("4 names");
    pty.key("Down").key("y");
    pty.wait_raw("the copy", |raw| {
        raw.windows(5).any(|bytes| bytes == b"\x1b]52;")
    });
    pty.wait_for("opied");
    let raw = pty.clipboard().pop().unwrap();
    let text = base64::engine::general_purpose::STANDARD
        .decode(raw)
        .unwrap();
    assert_eq!(
        String::from_utf8(text).unwrap(),
        old.join("2.bash.log").display().to_string()
    );
    pty.key("Esc").wait_for("newest first");
    pty.key("s").wait_for("largest first");
    pty.key("c").wait_for("Unchanged for 30 days");
    pty.key("Esc").wait_for("largest first");
    desk.leave();
}

/// The folder of this terminal's session is selected, and goes to the desktop.
#[test]
fn the_folder_of_this_terminals_session_is_opened() {
    let (_dir, home, _) = home();
    let own = home.sessions[1].with_extension("");
    let terminals = home.dir.join(".omp/agent/terminal-sessions");
    let session = home.sessions[1].display().to_string();
    fs::write(terminals.join("tmux-%7"), format!("/srv/app\n{session}\n")).unwrap();
    let (tools, told) = (home.dir.join("tools"), home.dir.join("opened"));
    let script = format!(
        "#!/bin/sh\nprintf %s \"$1\" > {0}.part\nmv {0}.part {0}\n",
        told.display()
    );
    support::tools::executable(&tools.join("xdg-open"), &script);
    let root = home.dir.join(".omp");
    let desk = Desk::with(|builder| {
        builder
            .env("TMUX_PANE", "%7")
            .env("PATH", format!("{}:/usr/bin:/bin", tools.display()))
            .args(args!["--omp-dir", root, "artifacts"])
    });
    let pty = &desk.pty;
    pty.wait_for("the session of this terminal");
    pty.key("o").wait_for("Opening");
    let deadline = Instant::now() + Duration::from_secs(20);
    while !told.exists() {
        assert!(
            Instant::now() < deadline,
            "nothing was handed to the desktop"
        );
        std::thread::park_timeout(Duration::from_millis(10));
    }
    assert_eq!(
        fs::read_to_string(&told).unwrap(),
        own.display().to_string()
    );
    desk.leave();
}

/// From home: the question has the list's numbers, no means no, yes moves, u brings back.
#[test]
fn old_artifacts_are_cleared_after_a_question_and_brought_back() {
    let (_dir, home, old) = home();
    let before = names(&old);
    let desk = open(&home, &[]);
    let pty = &desk.pty;
    pty.wait_for("Clear cache");
    pty.key("x");
    let numbers = "1 folder, 3 files, 49 B";
    pty.wait_for(numbers);
    pty.wait_for("Unchanged for 30 days");
    pty.wait_for("Session files always stay");
    pty.key("Enter").wait_for("Clear artifacts?");
    pty.wait_for(&format!("{numbers}, unchanged for 30 days."));
    pty.decline().wait_gone("Clear artifacts?");
    assert_eq!(names(&old), before);
    // Spared ones do not go.
    pty.key("Space").wait_for("[ ]");
    pty.key("c").wait_for("Nothing is to be cleared");
    pty.key("Space").wait_for("[x]");
    pty.key("Enter").wait_for("Clear artifacts?");
    pty.agree();
    pty.wait_for(&format!(
        "Moved into the trash: {numbers}. u brings it back."
    ));
    pty.wait_for("No artifacts are unchanged for 30 days");
    pty.wait_for(&format!("In the trash: {numbers}"));
    assert_eq!(names(&old), ["Scout.jsonl"]);
    pty.key("u").wait_for(&format!("Brought back: {numbers}."));
    pty.wait_for("[x]");
    assert_eq!(names(&old), before);
    // Once the trash is emptied there is nothing to bring back.
    pty.key("Enter").wait_for("Clear artifacts?");
    pty.agree().wait_for("In the trash: 1 folder");
    pty.key("E").wait_for("cannot be brought back");
    pty.agree().wait_for("Deleted from the trash: ");
    assert_eq!(names(&old), ["Scout.jsonl"]);
    pty.key("u").wait_for("The trash is empty.");
    desk.leave();
}

#[test]
fn an_empty_cache_is_a_state_and_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("nothing");
    let desk = Desk::open(args!["--omp-dir", root, "artifacts"]);
    desk.pty.wait_for("No session has artifacts");
    desk.pty.key("c").wait_for("The artifact cache is empty");
    desk.leave();
}
