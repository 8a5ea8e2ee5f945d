//! `omp-debug logs` on generated homes of omp and on logs of other shapes: what is printed, in which order, and what bad files do.

use crate::support;

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use pretty_assertions::assert_eq;
use serde_json::Value;
use support::omp_home::{self, Home, OLDER, Size};

fn logs(home: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_omp-debug"))
        .arg("logs")
        .args(args)
        .env_clear()
        .env("HOME", home)
        .env("TZ", "Europe/Berlin")
        .current_dir(home)
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn records(output: &Output) -> Vec<Value> {
    text(output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn home(size: Size) -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), size);
    (dir, home)
}

fn messages(records: &[Value]) -> Vec<String> {
    records
        .iter()
        .map(|r| r["message"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_process_and_day_in_the_order_of_time() {
    let (_dir, home) = home(Size::default());
    let found = records(&logs(&home.dir, &["--json"]));
    assert_eq!(found.len(), home.entries.len() + OLDER);
    for (number, record) in found.iter().take(20).enumerate() {
        assert_eq!(
            record["message"],
            format!("archived {number}"),
            "the compressed archive comes first"
        );
    }
    for (record, written) in found[OLDER..].iter().zip(&home.entries) {
        let time: jiff::Timestamp = record["timestamp"].as_str().unwrap().parse().unwrap();
        assert_eq!(
            (
                time.as_millisecond(),
                &record["level"],
                &record["pid"],
                &record["message"]
            ),
            (
                written.time,
                &written.level.into(),
                &written.pid.into(),
                &written.message.as_str().into()
            ),
        );
        assert_eq!(
            record["more"].as_str(),
            written.more,
            "what is not JSON stays with its entry"
        );
    }
    let blocked = found
        .iter()
        .find(|r| r["fields"]["phase"] == "render")
        .unwrap();
    assert!(blocked["fields"]["blockedMs"].as_u64().unwrap() >= 250);
    assert_eq!(
        blocked["fields"].as_object().unwrap().len(),
        2,
        "what has a column is not said twice"
    );
}

#[test]
fn filters_hold_together_and_count_the_same() {
    let (_dir, home) = home(Size::default());
    let count = |args: &[&str]| -> usize {
        text(&logs(&home.dir, &[args, &["--count"]].concat()))
            .trim()
            .parse()
            .unwrap()
    };
    let shown = |args: &[&str]| records(&logs(&home.dir, &[args, &["--json"]].concat())).len();
    let expected =
        |keep: &dyn Fn(&omp_home::Written) -> bool| home.entries.iter().filter(|e| keep(e)).count();
    let bad = |e: &omp_home::Written| ["warn", "error"].contains(&e.level);
    for (args, wanted) in [
        (vec!["--pid", "4101"], expected(&|e| e.pid == 4101)),
        (
            vec!["--pid", "4101", "--pid", "4200"],
            expected(&|e| e.pid == 4101 || e.pid == 4200),
        ),
        (vec!["--level", "warn"], expected(&bad)),
        (
            vec!["--level", "WARNING", "--pid", "4102"],
            expected(&|e| e.pid == 4102 && bad(e)),
        ),
        (
            vec!["--grep", "loop-blocked"],
            expected(&|e| e.message.contains("loop-blocked")),
        ),
        (
            vec!["--grep", "frame (3|4)\"", "--level", "debug"],
            expected(&|e| e.message == "render frame 3" || e.message == "render frame 4"),
        ),
        (
            vec!["--grep", "Segmentation"],
            expected(&|e| e.more.is_some()),
        ),
        (
            vec!["--since", "2026-08-21T10:01:00+02:00"],
            expected(&|e| e.time >= 1_787_299_260_000),
        ),
        (vec!["--pid", "1"], 0),
        (vec![], home.entries.len() + OLDER),
    ] {
        assert_eq!((count(&args), shown(&args)), (wanted, wanted), "{args:?}");
    }
}

#[test]
fn a_limit_keeps_the_newest() {
    let (_dir, home) = home(Size {
        entries: 300,
        ..Size::default()
    });
    let all = messages(&records(&logs(&home.dir, &["--json"])));
    for limit in [0, 1, 5, 50, 256, 257, 700, 100_000] {
        let found = messages(&records(&logs(
            &home.dir,
            &["--json", "--limit", &limit.to_string()],
        )));
        assert_eq!(
            found,
            all[all.len().saturating_sub(limit)..],
            "--limit {limit}"
        );
    }
    // Older days are gone back to when the newest has none.
    for (pid, wanted) in [("9999", 0), ("4100", 3), ("4200", 3), ("77", 3)] {
        let found = records(&logs(&home.dir, &["--json", "--limit", "3", "--pid", pid]));
        assert_eq!(found.len(), wanted, "process {pid}");
    }
}

#[test]
fn lines_for_people() {
    let (_dir, home) = home(Size {
        days: 1,
        processes: 1,
        entries: 40,
        part: 100,
        sessions: 0,
    });
    let out = text(&logs(&home.dir, &["--print", "--limit", "2"]));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 4, "{out}");
    assert!(lines[0].starts_with("2026-08-21 10:00:38.000 "), "{out}");
    assert!(lines[1].starts_with("2026-08-21 10:00:39.000 "), "{out}");
    assert!(lines[1].contains("   4100  "), "{out}");
    assert_eq!(lines[2], "    panic: Segmentation fault at address 0x10");
    assert_eq!(lines[3], "        at frame (native:1)");
    assert_eq!(
        out,
        text(&logs(&home.dir, &["--limit", "2"])),
        "without a screen it is the same"
    );
}

#[test]
fn other_shapes() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        fs::write(dir.path().join(name), content).unwrap();
        name.to_owned()
    };
    let pino = file(
        "pino.log",
        "{\"level\":30,\"time\":1700000000000,\"pid\":7,\"msg\":\"one\"}\n{\"level\":50,\"time\":1700000002000,\"pid\":7,\"msg\":\"three\"}\n",
    );
    let plain = file(
        "app.log",
        "2023-11-14 23:13:21,500 WARNING two\nTraceback (most recent call last):\n  boom\n2023-11-14 23:13:23,500 INFO four\n",
    );
    let found = records(&logs(dir.path(), &["--json", &pino, &plain]));
    let said: Vec<&str> = found
        .iter()
        .map(|r| {
            r["message"]
                .as_str()
                .unwrap()
                .lines()
                .next()
                .unwrap()
                .rsplit(' ')
                .next()
                .unwrap()
        })
        .collect();
    assert_eq!(said, ["one", "two", "three", "four"]);
    assert_eq!(found[1]["level"], "warn");
    assert!(
        found[1]["message"]
            .as_str()
            .unwrap()
            .ends_with("(most recent call last):\n  boom"),
        "{}",
        found[1]
    );
    assert_eq!(found[2]["level"], "error");
    let notes = file("notes.log", "first\n  more of it\nsecond\n\nthird");
    assert_eq!(text(&logs(dir.path(), &["--count", &notes])).trim(), "3");
    assert_eq!(
        text(&logs(dir.path(), &["--count", "."])).trim(),
        "7",
        "a folder is all of its logs"
    );
}

#[test]
fn a_plain_line_tells_its_time_and_level_once_and_its_file_where_there_are_several() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    write(
        "web.log",
        "2026-11-22 19:39:37,132 INFO worker-2: sent\n  twice\n",
    );
    write("db.log", "2026-11-22 19:39:38,000 [ERROR] no room\n");
    let alone = text(&logs(dir.path(), &["--print", "web.log"]));
    assert_eq!(
        alone,
        format!(
            "2026-11-22 19:39:37.132 INFO  {:7}  worker-2: sent\n      twice\n",
            ""
        )
    );
    let both = text(&logs(dir.path(), &["--print", "web.log", "db.log"]));
    let lines: Vec<&str> = both.lines().collect();
    assert!(lines[0].ends_with("  web  worker-2: sent"), "{both}");
    assert!(lines[2].ends_with("  db   no room"), "{both}");
    let found = records(&logs(dir.path(), &["--json", "web.log", "db.log"]));
    assert_eq!(found[1]["file"], "db.log");
    assert_eq!(
        found[1]["message"], "2026-11-22 19:39:38,000 [ERROR] no room",
        "for programs the line is whole"
    );
}

/// `logs` of a pipe that nobody closes: what is written to it, and the lines that it prints.
struct Piped {
    child: Child,
    told: Lines<BufReader<ChildStdout>>,
}

impl Piped {
    fn start(home: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_omp-debug"))
            .arg("logs")
            .args(args)
            .arg("-")
            .env_clear()
            .env("HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let told = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, told }
    }

    fn write(&mut self, text: &str) {
        let to = self.child.stdin.as_mut().unwrap();
        to.write_all(text.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        self.told.next().unwrap().unwrap()
    }

    /// The rest, once nothing more comes.
    fn end(mut self) -> Vec<String> {
        drop(self.child.stdin.take());
        let rest = self.told.map(Result::unwrap).collect();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

#[test]
fn a_pipe_is_printed_as_it_comes() {
    let dir = tempfile::tempdir().unwrap();
    let mut pipe = Piped::start(dir.path(), &["--json", "--level", "warn"]);
    for word in ["first", "second"] {
        pipe.write(&format!(
            "2026-08-21T14:00:00Z INFO quiet\n2026-08-21T14:00:01Z ERROR {word}\n  at x\n"
        ));
        let record: Value = serde_json::from_str(&pipe.line()).unwrap();
        let told = record["message"].as_str().unwrap();
        assert!(told.contains(word) && told.ends_with("at x"), "{told}");
    }
    pipe.write("2026-08-21T14:00:02Z WARN last");
    let rest = pipe.end();
    assert!(rest.len() == 1 && rest[0].contains("last"), "{rest:?}");
}

#[test]
fn an_entry_of_a_pipe_that_grows_is_not_printed_twice() {
    let dir = tempfile::tempdir().unwrap();
    let mut pipe = Piped::start(dir.path(), &["--print"]);
    pipe.write("2026-08-21T14:00:00Z ERROR boom\n");
    assert!(pipe.line().ends_with("boom"));
    pipe.write("  at x\n");
    assert_eq!(pipe.line().trim(), "at x");
    assert!(pipe.end().is_empty());
}

/// What `text` given on standard input is read as.
fn piped(dir: &Path, args: &[&str], text: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_omp-debug"))
        .arg("logs")
        .args(args)
        .env_clear()
        .env("HOME", dir)
        .env("TZ", "Europe/Berlin")
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn standard_input_is_a_log_like_any_other() {
    let dir = tempfile::tempdir().unwrap();
    let text = b"2026-08-21 10:00:01 INFO two\n2026-08-21 10:00:00 ERROR one\n2026-08-21 10:00:03 INFO four\n";
    fs::write(dir.path().join("a.log"), "2026-08-21 10:00:02 INFO three\n").unwrap();
    let found = records(&piped(dir.path(), &["--json", "-", "a.log"], text));
    let said: Vec<String> = messages(&found)
        .iter()
        .map(|m| m.rsplit(' ').next().unwrap().to_owned())
        .collect();
    assert_eq!(said, ["one", "two", "three", "four"]);
    assert_eq!(found[0]["file"], "standard input");
    assert_eq!(found[2]["file"], "a.log");
    let last = piped(dir.path(), &["--print", "--limit", "1", "-"], text);
    assert!(self::text(&last).contains("four"));
    let bad = piped(dir.path(), &["--count", "--level", "error", "-"], text);
    assert_eq!(self::text(&bad).trim(), "1");
    let nothing = piped(dir.path(), &["--count", "-"], b"");
    assert_eq!(self::text(&nothing).trim(), "0");
}

/// Python's usual format, in which a stack stands at the beginning of its lines.
#[test]
fn a_level_takes_the_lines_that_belong_to_an_entry_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let text = b"starting\nDEBUG:app:sent\nwith a body\nERROR:app:failed\nTraceback (most recent call last):\n  File \"a.py\"\nValueError: 3\nINFO:app:done\nbye\n";
    let found = records(&piped(
        dir.path(),
        &["--json", "--level", "warn", "-"],
        text,
    ));
    assert_eq!(
        messages(&found),
        [
            "starting",
            "ERROR:app:failed",
            "Traceback (most recent call last):\n  File \"a.py\"",
            "ValueError: 3"
        ]
    );
    let plain = piped(dir.path(), &["--count", "--level", "fatal", "-"], b"a\nb\n");
    assert_eq!(self::text(&plain).trim(), "2");
}

#[test]
fn lines_of_other_programs_have_their_times_and_levels() {
    let dir = tempfile::tempdir().unwrap();
    let lines = [
        "\x1b[32m2026-08-21T10:00:00+02:00\x1b[0m \x1b[31mERROR\x1b[0m coloured",
        "<27>1 2026-08-21T08:00:01Z host app 12 - - syslog",
        "[2026-08-21 10:00:02.000] [warn] brackets",
        "10.0.0.1 - - [21/Aug/2026:10:00:03 +0200] \"GET / HTTP/1.1\" 200 5",
        "[Fri Aug 21 10:00:04.000001 2026] [core:notice] [pid 77] apache",
    ];
    for (number, line) in lines.iter().enumerate() {
        fs::write(dir.path().join("one.log"), format!("{line}\n")).unwrap();
        let found = records(&logs(dir.path(), &["--json", "one.log"]));
        assert_eq!(
            found[0]["timestamp"],
            format!("2026-08-21T08:00:0{number}.000Z"),
            "{line}"
        );
        let level = ["error", "error", "warn", "", "info"][number];
        assert_eq!(
            found[0]["level"].as_str().unwrap_or_default(),
            level,
            "{line}"
        );
        let message = found[0]["message"].as_str().unwrap();
        assert!(!message.contains("[32m"), "{message}");
    }
}

#[test]
fn a_line_of_a_hundred_megabytes_costs_no_more_than_its_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long.log");
    let good = "{\"timestamp\":\"2026-08-21T10:00:00Z\",\"pid\":1,\"message\":\"good\"}\n";
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(good.as_bytes()).unwrap();
    let block = "x".repeat(1 << 20);
    file.write_all(b"{\"message\":\"").unwrap();
    for _ in 0..100 {
        file.write_all(block.as_bytes()).unwrap();
    }
    file.write_all(b"\"}\n").unwrap();
    file.write_all(good.as_bytes()).unwrap();
    drop(file);
    let found = records(&logs(dir.path(), &["--json", "long.log"]));
    assert_eq!(found.len(), 3);
    assert!(found[1]["length"].as_u64().unwrap() > 100 << 20);
    assert!(found[1]["message"].as_str().unwrap().len() <= 64 << 10);
    let last = records(&logs(dir.path(), &["--json", "--limit", "3", "long.log"]));
    assert_eq!(last, found, "the same from the other end");
}

#[test]
fn wrong_words_are_named() {
    let (_dir, home) = home(Size {
        days: 1,
        processes: 1,
        entries: 1,
        part: 10,
        sessions: 0,
    });
    for (args, code, said) in [
        (
            vec!["--grep", "a(b"],
            2,
            "--grep \"a(b\" is no regular expression: unclosed group",
        ),
        (vec!["--since", "soon"], 2, "--since \"soon\" is no time"),
        (vec!["--level", "loud"], 2, "\"loud\" is no level"),
        (vec!["/nowhere.log"], 4, "cannot read \"/nowhere.log\""),
        (vec!["/dev/null"], 4, "is a pipe or device, not a file"),
    ] {
        let output = logs(&home.dir, &args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.contains(said), "{args:?}: {error}");
    }
    let empty = tempfile::tempdir().unwrap();
    let output = logs(empty.path(), &[]);
    assert!(
        output.status.success() && output.stdout.is_empty(),
        "no logs are no failure"
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("omp has no logs in"));
    let elsewhere = logs(
        empty.path(),
        &[
            "--omp-dir",
            home.dir.join(".omp").to_str().unwrap(),
            "--count",
        ],
    );
    assert_eq!(text(&elsewhere).trim(), (1 + OLDER).to_string());
}

/// What is told of the files that can be read, where some cannot.
fn told(output: &Output) -> Vec<String> {
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let records: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    messages(&records)
}

/// Who searches types what is on the screen or in print: it is found like what stands in the file, and hidden like it.
#[test]
fn what_is_shown_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let lines = [
        r#"{"timestamp":"2026-08-21T10:00:00Z","level":"info","pid":1,"message":"session saved","entries":58,"path":"/a b"}"#,
        r#"{"timestamp":"2026-08-21T10:00:01Z","level":"error","pid":1,"message":"it said \"no\""}"#,
        r#"{"timestamp":"2026-08-21T10:00:02Z","level":"warn","pid":1,"message":"ui.loop-blocked","blockedMs":416,"phase":"render"}"#,
        r#"{"time":1787306403000,"level":50,"pid":1,"msg":"of another program","entries":580}"#,
    ];
    // Far more of others, in which nothing is found.
    let other = r#"{"timestamp":"2026-08-21T09:00:00Z","level":"debug","pid":1,"message":"nothing of note","n":7}"#;
    let text = [vec![other; 4000], lines.to_vec()].concat().join("\n") + "\n";
    fs::write(dir.path().join("a.log"), &text).unwrap();
    for (pattern, count) in [
        ("entries=58", 2),
        ("entries=58 ", 1),
        ("entries=\\d+", 2),
        ("path=\"/a b\"", 1),
        ("ERROR", 2),
        ("^ERROR$", 2),
        ("said \"no\"", 1),
        ("blocked", 1),
        ("(?i)PHASE=\"Render\"", 1),
        ("Ms=4.* phase", 1),
        ("blockedMs=416", 1),
        ("entries\":58", 2),
        ("entries=59", 0),
    ] {
        let found = logs(dir.path(), &["--count", "--grep", pattern, "a.log"]);
        assert_eq!(text_of(&found), count.to_string(), "{pattern}");
        let found = logs(
            dir.path(),
            &["--json", "--limit", "9", "--grep", pattern, "a.log"],
        );
        assert_eq!(records(&found).len(), count, "{pattern}");
    }
}

/// Letters are told apart by case, unlike on the screen.
#[test]
fn an_expression_is_taken_as_it_stands() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.log"), "Disk full\ndisk full\n").unwrap();
    for (pattern, count) in [("disk", "1"), ("Disk", "1"), ("(?i)disk", "2")] {
        let found = logs(dir.path(), &["--count", "--grep", pattern, "a.log"]);
        assert_eq!(text_of(&found), count, "{pattern}");
    }
}

fn text_of(output: &Output) -> String {
    text(output).trim().to_owned()
}

#[test]
fn bad_files_harm_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let good = "{\"timestamp\":\"2026-08-21T10:00:00Z\",\"level\":\"info\",\"pid\":1,\"message\":\"good\"}\n";
    fs::write(at("good.log"), good).unwrap();

    // Hostile escapes are made visible.
    fs::write(
        at("hostile.log"),
        "\x1b]52;c;aGk=\x07\x1b[2J evil\u{202e}txt\n",
    )
    .unwrap();
    for args in [
        vec!["--print", "hostile.log"],
        vec!["--json", "hostile.log"],
    ] {
        let out = text(&logs(dir.path(), &args));
        assert!(
            !out.contains('\x1b') && !out.contains('\u{202e}') && out.contains("evil"),
            "{out:?}"
        );
    }

    // A line without end: only its beginning is shown, and found is what stands at its end.
    let mut long = "x".repeat(3 << 20);
    long.push_str(" needle-at-the-end\nnext\n");
    fs::write(at("long.log"), &long).unwrap();
    let found = records(&logs(dir.path(), &["--json", "long.log"]));
    assert_eq!(found.len(), 2);
    assert_eq!(
        found[0]["length"].as_u64().unwrap() as usize,
        long.find('\n').unwrap() + 1
    );
    assert_eq!(found[1]["message"], "next");
    assert_eq!(
        text(&logs(
            dir.path(),
            &["--count", "--grep", "needle-at-the-end", "long.log"]
        ))
        .trim(),
        "1"
    );
    let last = records(&logs(dir.path(), &["--json", "--limit", "2", "long.log"]));
    assert_eq!(last, found, "the same from the other end");

    // Binary, broken compression, wrong members.
    fs::write(
        at("binary.log"),
        (0..200_000_u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect::<Vec<u8>>(),
    )
    .unwrap();
    let alone = logs(dir.path(), &["--print", "binary.log"]);
    assert_eq!(alone.status.code(), Some(4), "{alone:?}");
    assert!(alone.stdout.is_empty(), "{alone:?}");
    let said = String::from_utf8_lossy(&alone.stderr);
    assert!(said.contains("\"binary.log\" is no log"), "{said}");
    // The others are told, and that one is missing is seen by a script, too.
    let among = logs(dir.path(), &["--json", "binary.log", "good.log"]);
    assert_eq!(told(&among), ["good"]);
    let count = logs(dir.path(), &["--count", "good.log", "missing.log"]);
    assert_eq!(
        (count.status.code(), &*count.stdout),
        (Some(4), &b"1\n"[..])
    );
    let said = String::from_utf8_lossy(&count.stderr);
    assert!(
        said.contains("missing.log") && said.contains("1 of 2 logs cannot be read"),
        "{said}"
    );
    let said = String::from_utf8_lossy(&among.stderr);
    assert!(said.contains("\"binary.log\" is no log"), "{said}");
    fs::write(
        at("broken.log.gz"),
        [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3, 4],
    )
    .unwrap();
    let output = logs(dir.path(), &["--json", "broken.log.gz", "good.log"]);
    assert_eq!(told(&output), ["good"]);
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("is broken after 0 unpacked bytes"),
        "{output:?}"
    );
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packed.write_all(good.repeat(3).as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let cut = packed.len() - good.len() - 20;
    fs::write(at("cut.log.gz"), &packed[..cut]).unwrap();
    for with in [
        &["--json", "cut.log.gz"][..],
        &["--json", "cut.log.gz", "good.log"],
    ] {
        let output = logs(dir.path(), with);
        assert_eq!(told(&output)[0], "good");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("\"cut.log.gz\" is broken after"), "{said}");
    }
    fs::write(at("odd.log"), format!("{{\"timestamp\":\"x\",\"level\":5,\"pid\":\"12\",\"message\":null}}\n{{\"pid\":12\n{good}")).unwrap();
    assert_eq!(
        text(&logs(dir.path(), &["--count", "--pid", "12", "odd.log"])).trim(),
        "1",
        "a process may be written as text, half an object says nothing"
    );
    assert_eq!(text(&logs(dir.path(), &["--count", "odd.log"])).trim(), "3");

    // What is no file is left alone, also in a folder.
    rustix::fs::mknodat(
        rustix::fs::CWD,
        at("pipe.log"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    std::os::unix::fs::symlink("loop.log", at("loop.log")).unwrap();
    fs::write(at("new\nline.log"), good).unwrap();
    let output = logs(
        dir.path(),
        &["--json", "pipe.log", "loop.log", "new\nline.log"],
    );
    assert_eq!(told(&output), ["good"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("is a pipe or device") && error.contains("loop.log"),
        "{error}"
    );
    assert!(
        text(&logs(dir.path(), &["--count", "."]))
            .trim()
            .parse::<u64>()
            .unwrap()
            > 5
    );

    // Clocks jump: the order of a file stays its own, also when it is read from the end.
    let line = |hour: u32, message: &str| {
        good.replace("10:00:00", &format!("{hour:02}:00:00"))
            .replace("good", message)
    };
    fs::write(
        at("jump.log"),
        [line(12, "a"), line(9, "b"), line(13, "c")].concat(),
    )
    .unwrap();
    assert_eq!(
        messages(&records(&logs(dir.path(), &["--json", "jump.log"]))),
        ["a", "b", "c"]
    );
    let last = logs(dir.path(), &["--json", "--limit", "2", "jump.log"]);
    assert_eq!(messages(&records(&last)), ["b", "c"]);
}
