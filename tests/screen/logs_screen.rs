//! Logs on the screen: a generated home of omp in a real terminal, keys in, the screen read.

use crate::support;

use std::fs;
use std::io::Write as _;

use base64::Engine as _;
use support::desk::Desk;
use support::omp_home::{self, Home, Size};

fn open(size: Size) -> (tempfile::TempDir, Home, Desk) {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), size);
    let root = home.dir.join(".omp");
    let desk = Desk::with(|builder| {
        builder
            .env("TZ", "Europe/Berlin")
            .env("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
            .args(args!["--omp-dir", root, "logs"])
    });
    desk.pty.wait_for("following");
    (dir, home, desk)
}

/// Filter by process, load older entries, search, mark, copy.
#[test]
fn one_process_its_older_entries_a_range_in_the_clipboard() {
    let (_dir, home, desk) = open(Size::default());
    let pty = &desk.pty;
    // The newest entry, whichever process wrote it.
    let newest = home.entries.last().unwrap();
    pty.wait_for(&newest.message);
    pty.wait_for("50 loaded");

    pty.key("C-p");
    pty.wait_for("120 entries");
    // The newest process is the one of the entry under the cursor.
    pty.key("Esc");
    pty.wait_gone("Processes");
    pty.key("p");
    pty.wait_for(&format!("Only [{}]", newest.pid));
    let of_pid: Vec<_> = home
        .entries
        .iter()
        .filter(|e| e.pid == newest.pid)
        .collect();
    pty.wait_for("hidden, x shows all");
    pty.wait_for("50 loaded");
    pty.key("C-o");
    pty.wait_for("100 loaded");

    // The search goes to the newest match, and counts in all of the log.
    let wanted = of_pid[of_pid.len() - 30];
    pty.key("/").type_text(&wanted.message).key("Enter");
    pty.wait_for("entr");
    pty.key("S-Down");
    pty.wait_for("2 marked");
    pty.key("y");
    pty.wait_for("2 log entries");
    let raw = pty.clipboard().pop().unwrap();
    let text = base64::engine::general_purpose::STANDARD
        .decode(raw)
        .unwrap();
    let text = String::from_utf8(text).unwrap();
    let messages: Vec<String> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .map(|entry| entry["message"].as_str().unwrap().to_owned())
        .collect();
    let next = of_pid[of_pid.len() - 29];
    assert_eq!(messages, [wanted.message.clone(), next.message.clone()]);
}

/// What stands on the screen is what is searched: words for known messages, levels, fields; the day of the cursor is always seen.
#[test]
fn what_is_on_the_screen_is_found_and_the_day_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.log");
    let mut lines: Vec<String> = (0..200)
        .map(|row| {
            let day = 20 + row / 100;
            format!(
                r#"{{"timestamp":"2026-08-{day}T10:{:02}:00Z","level":"info","pid":{},"message":"session saved","entries":{row}}}"#,
                row % 60,
                4100 + row % 3,
            )
        })
        .collect();
    lines[40] = r#"{"timestamp":"2026-08-20T10:40:00Z","level":"error","pid":4100,"message":"ui.loop-blocked","blockedMs":416,"phase":"render"}"#.to_owned();
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let desk = Desk::with(|builder| {
        builder
            .env("TZ", "UTC")
            .env("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
            .args(args!["logs", path])
    });
    let pty = &desk.pty;
    // Fields stand behind the message.
    pty.wait_for("session saved entries=199");
    pty.wait_for("2026-08-21  50 loaded");
    pty.key("/");
    pty.wait_for("text /");
    pty.type_text("blockedMs=416").key("Enter");
    pty.wait_for("ui.loop-blocked blockedMs=416 phase=");
    pty.wait_for("1 entry");
    pty.wait_for("2026-08-20  50 loaded");
    pty.key("Esc").wait_gone("Esc done");
    pty.key("/").type_text("ERROR").key("Enter");
    pty.wait_for("/ERROR 1 entry");
    pty.key("Esc").wait_gone("Esc done");
    // From the top there is nothing before the cursor: it is said which key looks behind it.
    pty.key("g").wait_for("entries=0");
    pty.key("/").type_text("entries=77").key("Enter");
    pty.wait_for("There is no match before this: n looks behind it.");
    pty.key("n");
    pty.wait_for("session saved entries=77");
    pty.key("Esc").wait_gone("Esc done");
    pty.key("f");
    pty.wait_for("text only");
    pty.type_text("entries=58").key("Enter");
    pty.wait_for("199 hidden");
    desk.leave();
}

/// What a search leads to is the match itself, however far from what is loaded it stands.
#[test]
fn the_way_to_a_match_ends_at_the_match_in_a_long_log() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long.log");
    let error = [700, 2500];
    let lines: Vec<String> = (0..5000)
        .map(|row| {
            let level = if error.contains(&row) { "ERROR" } else { "INFO" };
            let (hour, minute, second) = (10 + row / 3600, row / 60 % 60, row % 60);
            format!("2026-08-21T{hour}:{minute:02}:{second:02} {level} row {row:05} of some text that is long enough to fill blocks\n")
        })
        .collect();
    fs::write(&path, lines.concat()).unwrap();
    let desk = Desk::with(|builder| {
        builder
            .env("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
            .args(args!["logs", path])
    });
    let pty = &desk.pty;
    pty.wait_for("row 04999");
    let goes_to = |row: usize| {
        let name = format!("row {row:05} of");
        pty.wait_for(&name);
        let copies = pty.clipboard().len();
        pty.key("y");
        let text = base64::engine::general_purpose::STANDARD
            .decode(pty.wait_copied(copies))
            .unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(&name), "{text:?} instead of {name}");
    };
    pty.key("E");
    goes_to(2500);
    pty.key("E");
    goes_to(700);
    pty.key("e");
    goes_to(2500);
    for row in [4000, 1234, 0] {
        pty.key("End");
        pty.wait_for("row 04999");
        pty.key("/")
            .type_text(&format!("row {row:05}"))
            .key("Enter");
        goes_to(row);
    }
    pty.key("/").type_text("7 of some").key("Enter");
    pty.key("Home");
    pty.wait_for("row 00000");
    for row in [7, 17, 27] {
        pty.key("n");
        goes_to(row);
    }
}

/// Another process writes, the view is left behind, and the file is rotated.
#[test]
fn what_another_process_writes_is_followed_across_a_rotation() {
    let (_dir, home, desk) = open(Size::default());
    let pty = &desk.pty;
    let log = fs::read_dir(&home.logs)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().contains("2026-08-21.4100.log"))
        .max()
        .unwrap();
    let line = |message: &str| {
        format!(
            "{{\"timestamp\":\"2026-08-21T23:00:00.000+02:00\",\"level\":\"warn\",\"pid\":4100,\"message\":\"{message}\"}}\n"
        )
    };
    let append = |message: &str| {
        let mut file = fs::File::options()
            .create(true)
            .append(true)
            .open(&log)
            .unwrap();
        file.write_all(line(message).as_bytes()).unwrap();
    };
    append("first of another process");
    pty.wait_for("first of another process");
    pty.key("Up");
    pty.wait_for("paused, End follows");
    append("second, not in sight");
    pty.wait_for("1 new, End follows");
    pty.key("End");
    pty.wait_for("second, not in sight");
    fs::rename(&log, log.with_extension("old")).unwrap();
    append("after the rotation");
    pty.wait_for("after the rotation");
    pty.wait_for("following");
}

/// Filters are listed, hidden entries counted, and each filter is switched by itself; the strip says from when to when.
#[test]
fn filters_are_switched_one_by_one_and_what_they_hide_is_counted() {
    let (_dir, home, desk) = open(Size::default());
    let pty = &desk.pty;
    pty.wait_for("08-19 10:00");
    let shown =
        |keep: &dyn Fn(&omp_home::Written) -> bool| home.entries.iter().filter(|e| keep(e)).count();
    let all = home.entries.len() + omp_home::OLDER;
    let info = |e: &omp_home::Written| e.level != "debug";
    pty.key("l");
    pty.wait_for("Only [info and worse]");
    let hidden = all - omp_home::OLDER - shown(&info);
    pty.wait_for(&format!("{hidden} hidden"));
    pty.key("h").type_text("loop-blocked").key("Enter");
    pty.wait_for("2[not \"loop-blocked\"]");
    let both = |e: &omp_home::Written| info(e) && !e.message.contains("loop-blocked");
    let hidden = all - omp_home::OLDER - shown(&both);
    pty.wait_for(&format!("{hidden} hidden"));
    pty.key("1");
    let one = |e: &omp_home::Written| !e.message.contains("loop-blocked");
    let hidden = all - omp_home::OLDER - shown(&one);
    pty.wait_for(&format!("{hidden} hidden"));
    pty.key("F");
    pty.wait_for("[ ] [info and worse]");
    pty.key("d").key("d");
    pty.wait_gone("Only ");
    // A time is gone to.
    pty.key("t").type_text("2026-08-20T10:01:00").key("Enter");
    pty.wait_for("10:01:00.0");
    pty.wait_for("paused, End follows");
    // Crashes and refused requests are opened in place.
    pty.key("o");
    pty.wait_for("refused request");
    pty.wait_for("process 4100");
    pty.key("Enter");
    pty.wait_for("Esc closes");
    pty.key("Esc");
    pty.wait_for("paused, End follows");
}

/// What another program writes to a pipe is shown as it comes, and keys still work.
#[test]
fn a_pipe_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let mark = support::procs::Mark::new();
    let home = support::desk::Home::new();
    let script = format!(
        "cat '{}' | '{}' logs -",
        pipe.display(),
        support::tools::omp_debug().display()
    );
    let mut pty = home
        .builder_of("sh", &mark)
        .args(args!["-c", script])
        .spawn();
    let mut writer = fs::File::options().write(true).open(&pipe).unwrap();
    writeln!(writer, "2026-08-21 10:00:00 INFO first of the pipe").unwrap();
    pty.wait_for("first of the pipe");
    pty.wait_for("standard input");
    writeln!(writer, "2026-08-21 10:00:01 WARN second of the pipe").unwrap();
    pty.wait_for("second of the pipe");
    pty.key("e");
    pty.wait_for("There is no error");
    drop(writer);
    pty.key("q");
    pty.expect_exit(0);
    mark.assert_none_left(support::desk::FAREWELL);
}
