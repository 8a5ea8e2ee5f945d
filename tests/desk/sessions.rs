//! `omp-debug sessions` and `omp-debug transcript` on generated homes of omp and on files that are none: what is printed, what is
//! written where, and what bad files do.

use crate::support;

use std::collections::HashSet;
use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::sessions::read_all;
use omp_debug::diagnostics::sessions::tree::Row;
use omp_debug::diagnostics::sessions::{Status, Summary};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use support::omp_home::sessions::{BLOB, KEPT, LEFT, LONG, SECRET, id, title_slot};
use support::omp_home::{self, Home, Size};

fn omp_debug(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_omp-debug"));
    command
        .args(args)
        .env_clear()
        .env("HOME", home)
        .env("TZ", "Europe/Berlin")
        .current_dir(home);
    command
}

fn run(home: &Path, args: &[&str]) -> Output {
    omp_debug(home, args).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn records(output: &Output) -> Vec<Value> {
    let lines = text(output);
    let records = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    records.collect()
}

fn home() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), Size::default());
    (dir, home)
}

fn append(path: &Path, line: &str) {
    let mut file = fs::File::options().append(true).open(path).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

fn said(id: &str, parent: Option<&str>, role: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-08-21T09:00:00.000Z",
        "message": {"role": role, "content": text}})
}

fn file_of(dir: &Path, lines: &[Value]) -> PathBuf {
    let path = dir.join("one.jsonl");
    let lines: Vec<_> = lines.iter().map(|line| format!("{line}\n")).collect();
    let lines = lines.concat();
    fs::write(&path, lines).unwrap();
    path
}

#[test]
fn sessions_of_all_projects_are_listed_newest_first() {
    let (_dir, home) = home();
    // The one that changed last is the first, whatever its name. Files of one moment have one time, so it is said.
    let line = said("z", Some("a000000e"), "user", "one more");
    append(&home.sessions[0], &format!("{line}\n"));
    let file = fs::File::options()
        .append(true)
        .open(&home.sessions[0])
        .unwrap();
    file.set_modified(SystemTime::now() + Duration::from_mins(1))
        .unwrap();
    let found = records(&run(&home.dir, &["sessions", "--json"]));
    assert_eq!(found.len(), home.sessions.len());
    assert_eq!(found[0]["id"], id(0, 0));
    assert_eq!(found[0]["title"], "Session 0");
    assert_eq!(found[0]["prompt"], "Why does the queue of part 0 fill up?");
    assert_eq!(found[0]["status"], "pending");
    assert_eq!(found[0]["started"], "2026-08-21T08:00:00.000Z");
    assert_eq!(found[0]["model"], "anthropic/claude-x");
    let ended: Vec<&Value> = found.iter().filter(|s| s["status"] == "ended").collect();
    assert_eq!(ended.len(), 1, "{found:?}");
    assert_eq!(ended[0]["reason"], "quit");
    let failed: Vec<&Value> = found.iter().filter(|s| s["status"] == "failed").collect();
    assert_eq!(failed.len(), 2);
    assert_eq!(failed[0]["reason"], "overloaded, try again");
    let projects: HashSet<&str> = found.iter().map(|s| s["cwd"].as_str().unwrap()).collect();
    assert_eq!(projects.len(), 2);
    assert_eq!(
        records(&run(&home.dir, &["sessions", "--json", "--limit", "1"])).len(),
        1
    );
    let lines = text(&run(&home.dir, &["sessions", "--print"]));
    assert!(
        lines.lines().next().unwrap().contains("Session 0"),
        "{lines}"
    );
}

#[test]
fn the_session_of_this_terminal_is_known_and_a_prefix_must_be_of_one() {
    let (_dir, home) = home();
    let terminals = home.dir.join(".omp/agent/terminal-sessions");
    let own = &home.sessions[1];
    fs::write(
        terminals.join("tmux-%7"),
        format!("/p\n{}\n", own.display()),
    )
    .unwrap();
    let output = omp_debug(&home.dir, &["sessions", "--json"])
        .env("TMUX_PANE", "%7")
        .output()
        .unwrap();
    let here: Vec<Value> = records(&output)
        .into_iter()
        .filter(|s| s["this_terminal"] == true)
        .collect();
    assert_eq!(here.len(), 1);
    assert_eq!(here[0]["id"], id(0, 1));
    let output = omp_debug(&home.dir, &["transcript"])
        .env("TMUX_PANE", "%7")
        .output()
        .unwrap();
    assert!(
        text(&output).contains(&id(0, 1)),
        "without a word it is this terminal's"
    );

    let one = records(&run(&home.dir, &["sessions", &id(1, 0), "--json"]));
    assert_eq!(one[0]["id"], id(1, 0));
    let by_path = records(&run(
        &home.dir,
        &["sessions", own.to_str().unwrap(), "--json"],
    ));
    assert_eq!(by_path[0]["id"], id(0, 1));
    let several = run(&home.dir, &["transcript", "01900000"]);
    assert_eq!(several.status.code(), Some(2));
    let said = errors(&several);
    assert!(
        said.contains("2 sessions") && said.contains(&id(0, 0)) && said.contains(&id(0, 1)),
        "{said}"
    );
    let none = run(&home.dir, &["transcript", "feed"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(errors(&none).contains("begins with \"feed\""));
    let empty = tempfile::tempdir().unwrap();
    let nothing = run(empty.path(), &["transcript", "latest"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(errors(&nothing).contains("--omp-dir"), "{nothing:?}");
}

#[test]
fn one_session_says_what_it_took() {
    let (_dir, home) = home();
    let found = records(&run(&home.dir, &["sessions", &id(0, 0), "--json"])).remove(0);
    assert_eq!(found["usage"]["input"], 4600);
    assert_eq!(found["usage"]["output"], 140);
    assert!((found["usage"]["cost"].as_f64().unwrap() - 0.1).abs() < 1e-9);
    assert_eq!(found["models"]["anthropic/claude-x"]["answers"], 4);
    let bash = json!({"calls": 1, "failed": 0, "answered": 1, "timed": 1, "total_ms": 2500, "longest_ms": 2500});
    assert_eq!(found["tools"]["bash"], bash);
    assert_eq!(found["tools"]["read"]["failed"], 1);
    assert_eq!(
        found["tools"]["read"]["timed"], 0,
        "no start was noted, so nobody knows"
    );
    assert_eq!(found["branches"], 1);
    assert_eq!(found["unknown_types"], json!(["future_thing"]));
    assert_eq!(
        found["exit"],
        json!({"reason": "quit", "kind": "normal", "pending_tool_calls": 0})
    );
    let agents: Vec<(&str, u64)> = found["subagents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| {
            (
                agent["id"].as_str().unwrap(),
                agent["depth"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        agents,
        [("Explore", 0), ("Explore.Deep", 1), ("__advisor", 0)]
    );
    assert_eq!(found["subagents"][0]["task"], "Find the queue");
    let artifacts: Vec<&str> = found["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["sort"].as_str().unwrap())
        .collect();
    assert_eq!(
        artifacts,
        [
            "output of bash",
            "output of read",
            "an agent's result",
            "an agent's changes"
        ]
    );
    let lines = text(&run(&home.dir, &["sessions", &id(0, 0), "--print"]));
    assert!(
        lines.contains("future_thing: 1 entry of a type that is not known"),
        "{lines}"
    );
    assert!(lines.contains("bash: 1 call, 2.5 s altogether"), "{lines}");
}

#[test]
fn a_transcript_has_all_of_the_branch_in_force_and_no_secret() {
    let (_dir, home) = home();
    let target = home.dir.join("talk.md");
    let args = ["transcript", &id(0, 0), "-o", "talk.md"];
    let output = run(&home.dir, &args);
    assert!(output.status.success(), "{output:?}");
    let told = errors(&output);
    assert!(
        told.contains("10 entries") && told.contains("2 secrets are hidden"),
        "{told}"
    );
    assert!(
        told.contains("2 entries of other branches are left out"),
        "{told}"
    );
    let written = fs::read_to_string(&target).unwrap();
    assert_eq!(
        fs::metadata(&target).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(!written.contains(SECRET));
    assert!(
        written.contains(KEPT) && !written.contains(LEFT),
        "{written}"
    );
    assert!(
        written.contains(&"x".repeat(LONG)),
        "a long line is not cut"
    );
    assert!(written.contains("\n\ttab kept\n"));
    assert!(written.contains("> The consumer may be slow."));
    assert!(written.contains("image/png, 2.00 KiB") && written.contains(BLOB));
    assert!(written.contains("Unknown entry: future_thing") && written.contains("\"tomorrow\""));
    assert!(
        written.contains("Result of bash · 2026-08-21 10:00:05 · 2.5 s"),
        "{written}"
    );
    assert!(written.contains("End of the process"));

    // Nothing is replaced unless that is said, and nothing half stays.
    fs::write(&target, "mine").unwrap();
    let refused = run(&home.dir, &args);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("--force"));
    assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    let forced = run(
        &home.dir,
        &[
            "transcript",
            &id(0, 0),
            "-o",
            "talk.md",
            "--force",
            "--all-branches",
            "--no-thinking",
        ],
    );
    assert!(forced.status.success(), "{forced:?}");
    let written = fs::read_to_string(&target).unwrap();
    assert!(written.contains(LEFT) && written.contains("another branch: back to"));
    assert!(!written.contains("consumer may be slow"));
    let own = home.sessions[0].to_str().unwrap();
    let over = run(&home.dir, &["transcript", own, "-o", own, "--force"]);
    assert_eq!(over.status.code(), Some(2), "a session is never replaced");
    let nowhere = run(&home.dir, &["transcript", own, "-o", "no/such/talk.md"]);
    assert_eq!(nowhere.status.code(), Some(4));
    let left: Vec<_> = fs::read_dir(&home.dir)
        .unwrap()
        .flatten()
        .map(|e| e.file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");

    let plain = text(&run(
        &home.dir,
        &[
            "transcript",
            &id(0, 0),
            "--format",
            "text",
            "--show-secrets",
        ],
    ));
    assert!(
        plain.contains(SECRET) && plain.contains("── Person · 2026-08-21 10:00:01"),
        "{plain}"
    );
}

#[test]
fn what_was_said_is_found_in_all_sessions_and_in_one() {
    let (_dir, home) = home();
    let hits = records(&run(
        &home.dir,
        &["sessions", "--json", "--grep", "bounded queue"],
    ));
    assert_eq!(hits.len(), home.sessions.len());
    assert_eq!(hits[0]["entry"], "a000000b");
    assert_eq!(hits[0]["excerpt"], KEPT);
    let one = records(&run(
        &home.dir,
        &["sessions", &id(0, 1), "--json", "--grep", "part \\d"],
    ));
    assert_eq!(one.len(), 1);
    assert_eq!(
        records(&run(
            &home.dir,
            &["sessions", "--json", "--grep", "queue", "--limit", "3"]
        ))
        .len(),
        3
    );
    let wrong = run(&home.dir, &["sessions", "--grep", "("]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
}

/// A limit keeps the newest, which stand at a session's end.
#[test]
fn a_limited_search_tells_the_newest() {
    let (dir, home) = home();
    let lines: Vec<_> = (0..9)
        .map(|n| said(&format!("e{n}"), None, "user", &format!("question {n}")))
        .collect();
    let file = file_of(dir.path(), &lines);
    let file = file.to_str().unwrap();
    let ids = |limit: &[&str]| -> Vec<String> {
        let found = run(
            &home.dir,
            &[&["sessions", file, "--json", "--grep", "question"], limit].concat(),
        );
        let found = records(&found);
        let ids = found
            .iter()
            .map(|hit| hit["entry"].as_str().unwrap().to_owned());
        ids.collect()
    };
    assert_eq!(ids(&["--limit", "2"]), ["e7", "e8"]);
    assert_eq!(ids(&["--limit", "0"]), [""; 0]);
    assert_eq!(ids(&[]).len(), 9);
}

/// A file that says nothing of a session is refused, as the transcript of it is.
#[test]
fn what_is_no_session_is_refused() {
    let (dir, home) = home();
    let file = dir.path().join("w.c");
    fs::write(&file, "int main(void) { return 0; }\n").unwrap();
    let file = file.to_str().unwrap();
    for args in [vec!["sessions", file], vec!["sessions", file, "--json"]] {
        let output = run(&home.dir, &args);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        let said = errors(&output);
        assert!(
            said.contains("holds no entry of a session: 1 line is not understood"),
            "{said}"
        );
    }
}

#[test]
fn bad_lines_are_counted_and_hostile_text_is_harmless() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.jsonl");
    let hostile = said("a", None, "user", "\u{1b}]0;owned\u{7}\u{202e}hidden");
    let mut bytes = title_slot("T\u{1b}[31m").into_bytes();
    bytes.extend(b"not json\n\xff\xfe\n[1,2]\n\n");
    bytes.extend(format!("{hostile}\r\n").bytes());
    // A ring of parents, a parent that is not there, members of other types.
    bytes.extend(
        format!(
            "{}\n{}\n",
            said("b", Some("c"), "user", "b"),
            said("c", Some("b"), "user", "c")
        )
        .bytes(),
    );
    bytes.extend(b"{\"type\":7,\"id\":[],\"message\":\"x\",\"timestamp\":{}}\n");
    bytes.extend(b"{\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"usage\":\"many\",\"content\":[3,null,{\"type\":\"new_block\",\"x\":1}]}}\n");
    bytes.extend(b"{\"type\":\"message\",\"id\":\"half");
    fs::write(&path, bytes).unwrap();
    let file = path.to_str().unwrap();
    let found = records(&run(dir.path(), &["sessions", file, "--json"])).remove(0);
    assert_eq!(
        found["malformed"], 3,
        "the last line is still being written"
    );
    assert_eq!(found["entries"], 5);
    assert_eq!(found["orphans"], 1);
    let output = run(dir.path(), &["transcript", file, "--all-branches"]);
    let written = text(&output);
    assert!(errors(&output).contains("3 lines are not understood"));
    assert!(!written.contains(['\u{1b}', '\u{7}', '\u{202e}']));
    assert!(
        written.contains("new_block"),
        "an unknown block is named: {written}"
    );
    assert!(!text(&run(dir.path(), &["sessions", file, "--print"])).contains('\u{1b}'));

    let empty = dir.path().join("empty.jsonl");
    fs::write(&empty, "").unwrap();
    let none = run(dir.path(), &["transcript", empty.to_str().unwrap()]);
    assert_eq!(none.status.code(), Some(4));
    assert!(errors(&none).contains("holds no entry"));
    let folder = run(dir.path(), &["transcript", "./"]);
    assert_eq!(folder.status.code(), Some(2));
    assert!(errors(&folder).contains("no regular file"), "{folder:?}");
}

#[test]
fn pipes_links_and_folders_in_the_way_are_passed_by() {
    let (_dir, home) = home();
    let sessions = home.dir.join(".omp/agent/sessions");
    let bucket = sessions.join("-work-app");
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        bucket.join("pipe.jsonl"),
        rustix::fs::Mode::RUSR,
    )
    .unwrap();
    std::os::unix::fs::symlink(&sessions, bucket.join("loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", bucket.join("dangling.jsonl")).unwrap();
    fs::create_dir(bucket.join("folder.jsonl")).unwrap();
    fs::write(bucket.join("binary\nname.jsonl"), [0_u8; 5000]).unwrap();
    let found = records(&run(&home.dir, &["sessions", "--json"]));
    assert_eq!(found.len(), home.sessions.len() + 1, "{found:?}");
    let binary = found.iter().find(|s| s["trouble"].is_string()).unwrap();
    assert_eq!(binary["trouble"], "the file does not begin like a session");
    // As it is: JSON has an escape for it, and a script opens the file by this name.
    assert!(
        binary["path"]
            .as_str()
            .unwrap()
            .ends_with("/binary\nname.jsonl")
    );
}

#[test]
fn a_huge_session_is_listed_by_its_head_and_its_tail() {
    let dir = tempfile::tempdir().unwrap();
    let path = file_of(
        dir.path(),
        &[
            json!({"type": "session", "version": 3, "id": "huge", "cwd": "/p"}),
            said("a", None, "user", "first"),
        ],
    );
    let mut file = fs::File::options().write(true).open(&path).unwrap();
    // A hole as large as this takes no room, and minutes to read.
    file.seek(SeekFrom::Start(200 << 30)).unwrap();
    let end = json!({"type": "message", "id": "b", "parentId": "a", "message": {"role": "assistant", "stopReason": "length", "content": "x"}});
    file.write_all(format!("\n{end}\n").as_bytes()).unwrap();
    let summary = Summary::read(&path);
    assert_eq!(summary.trouble, None);
    assert_eq!(
        (summary.id.as_str(), summary.prompt.as_deref()),
        ("huge", Some("first"))
    );
    assert_eq!(summary.status, Status::Cut);
}

#[test]
fn the_oldest_format_is_one_chain_and_branches_of_branches_unfold() {
    let dir = tempfile::tempdir().unwrap();
    let old = |role: &str, text: &str| json!({"type": "message", "message": {"role": role, "content": text}});
    let path = file_of(
        dir.path(),
        &[
            json!({"type": "session", "id": "old"}),
            old("user", "a"),
            old("assistant", "b"),
            old("user", "c"),
        ],
    );
    let session = read_all(&path, &Cancel::default(), &mut |_, _| {}).unwrap();
    assert_eq!(session.about.version, Some(1));
    assert_eq!(session.tree.active(), [0, 1, 2]);

    let entries = [
        said("a", None, "user", "root"),
        said("b", Some("a"), "assistant", "left"),
        said("c", Some("b"), "user", "left within left"),
        said("d", Some("b"), "user", "left, further"),
        said("e", Some("a"), "assistant", "in force"),
    ];
    let session = read_all(
        &file_of(dir.path(), &entries),
        &Cancel::default(),
        &mut |_, _| {},
    )
    .unwrap();
    let tree = &session.tree;
    assert_eq!((tree.active(), tree.branches()), (vec![0, 4], 2));
    let folded = tree.rows(&HashSet::new());
    let branch = Row::Branch {
        first: 1,
        depth: 0,
        entries: 3,
        open: false,
    };
    assert_eq!(
        folded,
        [
            Row::Entry { index: 0, depth: 0 },
            branch,
            Row::Entry { index: 4, depth: 0 }
        ]
    );
    let folds: HashSet<usize> = tree.folds_of(2).into_iter().collect();
    assert_eq!(folds, HashSet::from([1, 2]));
    let rows = tree.rows(&folds);
    let order: Vec<(usize, usize)> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Entry { index, depth } => Some((*index, *depth)),
            Row::Branch { .. } => None,
        })
        .collect();
    assert_eq!(order, [(0, 0), (1, 1), (2, 2), (3, 1), (4, 0)]);
}
