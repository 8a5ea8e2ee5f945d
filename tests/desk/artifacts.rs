//! `omp-debug artifacts` and `omp-debug cache` on generated homes of omp: what is listed, what goes, what never goes, and what bad
//! trees and bad moments do.

// suite: T10 asked 48 present 15

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use omp_debug::diagnostics::Cancel;
use omp_debug::diagnostics::artifacts::{self, ArtifactRoot, DeleteMode, Plan, age};
use omp_debug::diagnostics::omp::{Environment, Layout};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use support::omp_home;

const DAY: Duration = Duration::from_hours(24);

/// A home with nothing in it, and sessions as they are put there.
struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".omp/agent/sessions")).unwrap();
        Self { dir }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn sessions(&self) -> PathBuf {
        self.path().join(".omp/agent/sessions")
    }

    /// A session with this title, its file just written; gives its artifact folder, which is not there yet.
    fn session(&self, bucket: &str, name: &str, title: &str) -> PathBuf {
        let dir = self.sessions().join(bucket);
        fs::create_dir_all(&dir).unwrap();
        let lines = [
            json!({"type": "title", "v": 1, "title": title}),
            json!({"type": "session", "version": 3, "id": name, "cwd": format!("/srv/{bucket}")}),
        ];
        let text = format!("{}\n{}\n", lines[0], lines[1]);
        fs::write(dir.join(format!("{name}.jsonl")), text).unwrap();
        dir.join(name)
    }

    /// A session whose artifacts are these files, all changed so many days ago.
    fn artifacts(&self, bucket: &str, name: &str, days: u32, files: &[(&str, &[u8])]) -> PathBuf {
        let dir = self.session(bucket, name, &format!("Title of {name}"));
        fs::create_dir_all(&dir).unwrap();
        for (file, content) in files {
            let path = dir.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        age(&dir, days);
        dir
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_omp-debug"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.path())
            .env("TZ", "Europe/Berlin")
            .stdin(Stdio::null())
            .current_dir(self.path());
        command
    }

    fn json(&self, args: &[&str]) -> Value {
        let output = self.run(args);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{args:?}: {error}\n{output:?}"))
    }

    fn ground(&self) -> ArtifactRoot {
        let layout = Layout::find(&Environment {
            home: self.path().into(),
            cwd: self.path().into(),
            ..Environment::default()
        });
        ArtifactRoot {
            layout: Arc::new(layout),
            state_dir: self.path().join(".local/state/omp-debug"),
            ..ArtifactRoot::default()
        }
    }

    fn plan(&self) -> Plan {
        let scan = artifacts::scan(&self.ground(), &|_, _| (), &Cancel::default()).unwrap();
        Plan::make(&scan, 30 * DAY, age::now())
    }

    fn clear(&self, plan: &Plan, how: DeleteMode) -> artifacts::Outcome {
        artifacts::clear(plan, &self.ground(), how, &|_| (), &Cancel::default()).unwrap()
    }
}

fn set_age(path: &Path, days: u32) {
    let time = SystemTime::now() - days * DAY;
    let times = fs::FileTimes::new().set_modified(time);
    fs::File::open(path).unwrap().set_times(times).unwrap();
}

/// Makes a tree old: files first, because they make their folders young.
fn age(dir: &Path, days: u32) {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            age(&entry.path(), days);
        } else if kind.is_file() {
            set_age(&entry.path(), days);
        }
    }
    set_age(dir, days);
}

/// A tree as it is: what every path is, its content, its time.
fn tree(root: &Path) -> BTreeMap<PathBuf, (String, Vec<u8>, i64)> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![root.to_path_buf()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).unwrap().flatten() {
            let path = entry.path();
            let metadata = path.symlink_metadata().unwrap();
            let kind = metadata.file_type();
            let content = if kind.is_file() {
                fs::read(&path).unwrap()
            } else if kind.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_vec()
            } else {
                Vec::new()
            };
            // A project's folder is changed by what is in it; nobody reads its time.
            let time = if path.parent() == Some(root) {
                0
            } else {
                metadata.mtime()
            };
            let place = path.strip_prefix(root).unwrap().to_path_buf();
            found.insert(place, (format!("{kind:?}"), content, time));
            if kind.is_dir() {
                dirs.push(path);
            }
        }
    }
    found
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The trap: a project whose folder is old, because no session was begun or ended there lately, but which is used every day.
#[test]
fn the_trap_case_loses_nothing_and_undo_restores() {
    let home = Home::new();
    let old = home.artifacts(
        "-work-app",
        "2026-01-01T08-00-00-000Z_a",
        45,
        &[
            ("0.bash.log", b"output"),
            ("1.read.log", &[0, 159, 146, 150, 255]),
            ("Scout.md", b"found it"),
            ("Scout.jsonl", b"{\"type\":\"session\"}\n"),
            ("Scout/Scout.Child.jsonl", b"{}\n"),
            ("Scout/0.bash.log", b"nested"),
            ("local/deep/note.txt", b"scratch"),
        ],
    );
    let plain = home.artifacts(
        "-work-app",
        "2026-01-02T08-00-00-000Z_b",
        60,
        &[("0.grep.log", b"x")],
    );
    let young = home.artifacts(
        "-work-app",
        "2026-01-03T08-00-00-000Z_c",
        2,
        &[("0.grep.log", b"y")],
    );
    // Old at the top, young deep inside.
    let deep = home.artifacts(
        "-work-app",
        "2026-01-04T08-00-00-000Z_d",
        45,
        &[("a/b/c.log", b"z")],
    );
    set_age(&deep.join("a/b/c.log"), 1);
    home.session(
        "-work-app",
        "2026-01-05T08-00-00-000Z_e",
        "used every day, without artifacts",
    );
    set_age(&home.sessions().join("-work-app"), 90);
    let before = tree(&home.sessions());

    let listed = home.json(&["cache", "--dry-run", "--json"]);
    assert_eq!(tree(&home.sessions()), before, "a dry run changes nothing");
    assert_eq!(
        listed["totals"],
        json!({"folders": 2, "files": 6, "bytes": 6 + 5 + 8 + 6 + 7 + 1, "disk_bytes": listed["totals"]["disk_bytes"]})
    );
    assert_eq!(listed["older_than_seconds"], 30 * 86_400);
    assert_eq!(
        listed["clear"][0]["title"], "Title of 2026-01-01T08-00-00-000Z_a",
        "the largest comes first"
    );
    assert_eq!(listed["clear"][0]["session_files"], 2);
    let why: Vec<_> = listed["kept"]
        .as_array()
        .unwrap()
        .iter()
        .map(|k| &k["why"])
        .collect();
    assert_eq!(why, ["young", "young"]);

    let cleared = home.run(&["cache", "--yes"]);
    assert!(cleared.status.success(), "{cleared:?}");
    assert!(
        text(&cleared).contains("Moved into the trash: 2 folders, 6 files, 33 B."),
        "{}",
        text(&cleared)
    );
    let after = tree(&home.sessions());
    for (path, was) in &before {
        let is_session = path.extension().is_some_and(|e| e == "jsonl");
        let stays = path.components().nth(1).is_some_and(|name| {
            [&young, &deep]
                .iter()
                .any(|dir| dir.file_name() == Some(name.as_os_str()))
        });
        if is_session || stays {
            assert_eq!(after.get(path), Some(was), "{path:?}");
        }
    }
    assert!(!plain.exists() && !old.join("0.bash.log").exists() && !old.join("local").exists());
    assert!(old.join("Scout/Scout.Child.jsonl").exists());

    let undone = home.run(&["cache", "--undo"]);
    assert!(undone.status.success(), "{undone:?}");
    let unknown = home.run(&["cache", "--undo", "nosuch"]);
    assert_eq!(unknown.status.code(), Some(2), "{unknown:?}");
    let refused = String::from_utf8_lossy(&unknown.stderr);
    assert!(
        refused.contains("\"nosuch\" is not in the trash; it is empty"),
        "{refused}"
    );
    assert!(
        text(&undone).contains("Brought back: 2 folders, 6 files, 33 B."),
        "{}",
        text(&undone)
    );
    assert_eq!(
        tree(&home.sessions()),
        before,
        "byte for byte, and as old as it was"
    );
    let again = home.run(&["cache", "--undo"]);
    assert_eq!(again.status.code(), Some(4));
    assert!(
        said(&again).contains("the trash is empty"),
        "{}",
        said(&again)
    );
}

#[test]
fn nobody_to_ask_means_that_nothing_goes() {
    let home = Home::new();
    home.artifacts("-a", "s", 45, &[("0.bash.log", b"output")]);
    let before = tree(&home.sessions());
    let output = home.run(&["cache"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output).contains("To clear: 1 folder, 1 file, 6 B, unchanged for 30 days."));
    assert!(
        said(&output).contains("--yes clears what is listed"),
        "{}",
        said(&output)
    );
    assert_eq!(tree(&home.sessions()), before);
    let output = home.run(&["cache", "--older-than", "soon"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("30d, 12h, 2w"), "{}", said(&output));
}

#[test]
fn without_the_trash_it_is_gone_at_once() {
    let home = Home::new();
    let dir = home.artifacts(
        "-a",
        "s",
        45,
        &[
            ("0.bash.log", b"output"),
            ("x/y.jsonl", b"{}"),
            ("x/z.log", b"1"),
        ],
    );
    let output = home.json(&["cache", "--yes", "--no-trash", "--json"]);
    assert_eq!(output["outcome"]["cleared"]["files"], 2);
    assert_eq!(output["outcome"]["trash"], Value::Null);
    let left: Vec<_> = tree(&dir).into_keys().collect();
    assert_eq!(left, [PathBuf::from("x"), PathBuf::from("x/y.jsonl")]);
    assert!(!home.path().join(".local/state/omp-debug/trash").exists());
}

#[test]
fn the_trash_is_emptied_for_good() {
    let home = Home::new();
    let dir = home.artifacts("-a", "s", 45, &[("0.bash.log", b"output")]);
    assert!(home.run(&["cache", "--yes"]).status.success());
    assert!(!dir.exists());
    let listed = home.run(&["cache", "--dry-run"]);
    assert!(
        text(&listed).contains("In the trash: 1 folder, 1 file, 6 B."),
        "{}",
        text(&listed)
    );
    assert_eq!(
        home.run(&["cache", "--empty-trash"]).status.code(),
        Some(2),
        "it asks first"
    );
    let emptied = home.run(&["cache", "--empty-trash", "--yes"]);
    assert!(
        text(&emptied).contains("Deleted from the trash: 1 folder, 1 file, 6 B."),
        "{emptied:?}"
    );
    let trash = home.path().join(".local/state/omp-debug/trash");
    assert!(!trash.exists() || tree(&trash).is_empty());
    assert_eq!(home.run(&["cache", "--undo"]).status.code(), Some(4));
}

#[test]
fn undo_never_writes_over_what_is_there_now() {
    let home = Home::new();
    let dir = home.artifacts(
        "-a",
        "s",
        45,
        &[("0.bash.log", b"old"), ("sub/1.log", b"one")],
    );
    assert!(home.run(&["cache", "--yes"]).status.success());
    // The session was taken up again.
    fs::create_dir_all(dir.join("sub")).unwrap();
    fs::write(dir.join("0.bash.log"), b"new").unwrap();
    let undone = home.run(&["cache", "--undo"]);
    assert_eq!(undone.status.code(), Some(4));
    assert!(
        said(&undone).contains("1 file stays in the trash"),
        "{}",
        said(&undone)
    );
    assert_eq!(fs::read(dir.join("0.bash.log")).unwrap(), b"new");
    assert_eq!(fs::read(dir.join("sub/1.log")).unwrap(), b"one");
    fs::remove_file(dir.join("0.bash.log")).unwrap();
    assert!(home.run(&["cache", "--undo"]).status.success());
    assert_eq!(fs::read(dir.join("0.bash.log")).unwrap(), b"old");
}

/// Links that lead out and in circles, pipes, devices, and names that would drive a terminal.
#[test]
fn hostile_trees_harm_nothing_outside() {
    let home = Home::new();
    let outside = home.path().join("precious");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("keep.txt"), b"keep").unwrap();
    set_age(&outside.join("keep.txt"), 90);
    let dir = home.artifacts(
        "-a",
        "s",
        45,
        &[("0.bash.log", b"output"), ("bad\n\x1b[31mname.log", b"12")],
    );
    symlink(&outside, dir.join("link")).unwrap();
    symlink(".", dir.join("loop")).unwrap();
    symlink(outside.join("keep.txt"), dir.join("file-link")).unwrap();
    let pipe = Command::new("mkfifo")
        .arg(dir.join("pipe"))
        .status()
        .unwrap();
    assert!(pipe.success());
    // Only root may make devices.
    let device = Command::new("mknod")
        .arg(dir.join("null"))
        .args(["c", "1", "3"])
        .stderr(Stdio::null())
        .status();
    let device = u64::from(device.unwrap().success());
    assert!(
        dir.join("pipe")
            .symlink_metadata()
            .unwrap()
            .file_type()
            .is_fifo()
    );
    let mut name = b"\xff-not-text\x1b]0;x\x07".to_vec();
    let strange = dir
        .parent()
        .unwrap()
        .join(std::ffi::OsStr::from_bytes(&name));
    fs::create_dir_all(&strange).unwrap();
    fs::write(strange.join("1.log"), b"333").unwrap();
    name.extend(b".jsonl");
    fs::write(
        dir.parent()
            .unwrap()
            .join(std::ffi::OsStr::from_bytes(&name)),
        b"\xff\x00 not JSON \x1b[2J",
    )
    .unwrap();
    // Folders that only look like artifacts: a link with a session beside it, and a folder without one.
    let linked = home.session("-a", "linked", "a link");
    symlink(&outside, &linked).unwrap();
    fs::create_dir_all(home.sessions().join("-a/alone")).unwrap();
    symlink(&outside, home.sessions().join("-bucket-link")).unwrap();
    for made in [&strange, &dir] {
        set_age(made, 45);
    }
    set_age(&strange.join("1.log"), 45);
    for link in ["link", "loop", "file-link", "pipe", "null"] {
        let _ = Command::new("touch")
            .args(["-h", "-d", "45 days ago"])
            .arg(dir.join(link))
            .status()
            .unwrap();
    }
    set_age(&dir, 45);
    if device == 0 {
        fs::remove_file(dir.join("null")).unwrap_or_default();
        set_age(&dir, 45);
    }

    for args in [
        &["artifacts", "--print"][..],
        &["cache", "--dry-run"],
        &["cache", "--dry-run", "--json"],
    ] {
        let output = home.run(args);
        assert!(output.status.success(), "{output:?}");
        assert!(
            !output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b),
            "{output:?}"
        );
    }
    let listed = home.json(&["cache", "--dry-run", "--json"]);
    assert_eq!(listed["totals"]["folders"], 2, "{listed:#}");
    assert_eq!(listed["totals"]["files"], json!(2 + 3 + 1 + device + 1));
    assert_eq!(home.json(&["artifacts", "--json"])["other_folders"], 1);
    let before = tree(&home.sessions());
    assert!(home.run(&["cache", "--yes"]).status.success());
    assert!(home.run(&["cache", "--undo"]).status.success());
    assert_eq!(tree(&home.sessions()), before);
    let output = home.run(&["cache", "--yes", "--no-trash"]);
    assert!(output.status.success(), "{output:?}");
    assert!(!dir.exists() && !strange.exists());
    assert_eq!(fs::read(outside.join("keep.txt")).unwrap(), b"keep");
    assert!(linked.is_symlink() && home.sessions().join("-a/alone").is_dir());
}

#[test]
fn what_changed_since_it_was_listed_stays() {
    for how in [DeleteMode::Trash, DeleteMode::Delete] {
        let home = Home::new();
        let make = |name: &str| {
            home.artifacts(
                "-a",
                name,
                45,
                &[("0.bash.log", b"output"), ("x/1.log", b"1")],
            )
        };
        let [grew, more, moved, link, orphan, same] =
            ["grew", "more", "moved", "link", "orphan", "same"].map(make);
        let plan = home.plan();
        assert_eq!(plan.clear.len(), 6);
        // As long and as old as before, but not the same.
        fs::write(grew.join("x/1.log"), b"2").unwrap();
        age(&grew, 45);
        fs::write(more.join("x/2.jsonl"), b"").unwrap();
        age(&more, 45);
        fs::rename(&moved, home.path().join("moved")).unwrap();
        fs::create_dir_all(&moved).unwrap();
        fs::rename(&link, home.path().join("link")).unwrap();
        symlink(home.path().join("link"), &link).unwrap();
        fs::remove_file(orphan.with_extension("jsonl")).unwrap();
        let outcome = home.clear(&plan, how);
        assert_eq!(outcome.cleared.folders, 1, "{outcome:?}");
        let skipped: Vec<_> = outcome
            .skipped
            .iter()
            .map(|note| note.path.clone())
            .collect();
        assert_eq!(
            skipped,
            [&grew, &link, &more, &moved, &orphan].map(PathBuf::from)
        );
        assert_eq!(outcome.failed, []);
        assert!(!same.exists());
        assert_eq!(fs::read(grew.join("x/1.log")).unwrap(), b"2");
        assert!(more.join("0.bash.log").exists() && orphan.join("x/1.log").exists());
        assert!(
            home.path().join("link/x/1.log").exists() && home.path().join("moved/x/1.log").exists()
        );
    }
}

#[test]
fn live_sessions_keep_their_artifacts() {
    let home = Home::new();
    let names = ["breadcrumb", "newest", "older", "elsewhere"];
    let [breadcrumb, newest, ..] = names.map(|name| {
        let bucket = if name == "newest" || name == "older" {
            "-p"
        } else {
            "-q"
        };
        home.artifacts(bucket, name, 45, &[("0.bash.log", b"output")])
    });
    set_age(&home.sessions().join("-p/older.jsonl"), 3);
    let terminals = home.path().join(".omp/agent/terminal-sessions");
    fs::create_dir_all(&terminals).unwrap();
    let session = breadcrumb.with_extension("jsonl");
    fs::write(
        terminals.join("tmux-%3"),
        format!("/srv/-q\n{}\n", session.display()),
    )
    .unwrap();
    let clients = home
        .path()
        .join(".omp/run/daemons/0123456789abcdef/clients");
    fs::create_dir_all(&clients).unwrap();
    let client = json!({"pid": std::process::id(), "id": "x", "projectDir": "/srv/-p"});
    fs::write(clients.join("c.json"), client.to_string()).unwrap();
    let listed = home.json(&["cache", "--json", "--yes", "--no-trash"]);
    let kept: BTreeMap<_, _> = listed["kept"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kept| {
            (
                kept["path"].as_str().unwrap().to_owned(),
                kept["why"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let live = |dir: &Path| (dir.display().to_string(), "live".to_owned());
    assert_eq!(kept, BTreeMap::from([live(&breadcrumb), live(&newest)]));
    assert_eq!(listed["outcome"]["cleared"]["folders"], 2);
    assert!(breadcrumb.join("0.bash.log").exists() && newest.join("0.bash.log").exists());
    // Taken up between the list and the clear.
    let again = home.artifacts("-q", "again", 45, &[("0.bash.log", b"output")]);
    let plan = home.plan();
    assert_eq!(plan.clear.len(), 1);
    let session = again.with_extension("jsonl");
    fs::write(
        terminals.join("pts-9"),
        format!("/srv/-q\n{}\n", session.display()),
    )
    .unwrap();
    let outcome = home.clear(&plan, DeleteMode::Delete);
    assert_eq!((outcome.cleared.folders, outcome.skipped.len()), (0, 1));
    assert!(again.exists());
}

#[test]
fn two_commands_at_once_do_not_fight() {
    let home = Home::new();
    for n in 0..40 {
        home.artifacts(
            "-a",
            &format!("s{n}"),
            45,
            &[("0.bash.log", b"output"), ("a/b.log", b"x")],
        );
    }
    let before = tree(&home.sessions());
    let start = || {
        let mut command = home.command(&["cache", "--yes", "--json"]);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let both = [start(), start()].map(|child| child.wait_with_output().unwrap());
    let mut cleared = 0;
    for output in &both {
        assert!(output.status.success(), "{output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        cleared += answer["outcome"]["cleared"]["folders"]
            .as_u64()
            .unwrap_or(0);
        assert_eq!(
            answer["outcome"]["failed"].as_array().map_or(0, Vec::len),
            0
        );
    }
    assert_eq!(cleared, 40, "each folder is cleared by one of them");
    while home.run(&["cache", "--undo"]).status.success() {}
    assert_eq!(tree(&home.sessions()), before);
}

struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Folders come and go while they are measured.
#[test]
fn a_folder_that_vanishes_meanwhile_breaks_nothing() {
    let home = Home::new();
    let stays = home.artifacts("-a", "stays", 45, &[("0.bash.log", b"output")]);
    let (stop, rounds) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for n in 0..8 {
                    home.artifacts(
                        "-a",
                        &format!("s{n}"),
                        45,
                        &[("x/y/0.bash.log", b"output"), ("x/z.log", b"1")],
                    );
                }
                for n in 0..8 {
                    fs::remove_dir_all(home.sessions().join(format!("-a/s{n}"))).unwrap();
                }
                rounds.fetch_add(1, Ordering::Relaxed);
            }
        });
        // A failure must not leave the other side at work for ever.
        let _stop = StopAtEnd(&stop);
        let mut plans = 0;
        // Neither side may be through before the other has begun.
        while plans < 60 || rounds.load(Ordering::Relaxed) < 3 {
            let plan = home.plan();
            assert!(plan.clear.iter().any(|found| found.spot.path() == stays));
            plans += 1;
        }
    });
    assert!(stays.exists());
}

/// What cannot be read might be young, so all of it stays.
#[test]
fn an_unreadable_folder_is_said_and_stays() {
    const NOBODY: u32 = 65_534;
    let home = Home::new();
    let dir = home.artifacts(
        "-a",
        "s",
        45,
        &[("0.bash.log", b"output"), ("secret/1.log", b"1")],
    );
    let clear = home.artifacts("-a", "t", 45, &[("0.bash.log", b"output")]);
    let closed = fs::Permissions::from_mode(0o000);
    fs::set_permissions(dir.join("secret"), closed).unwrap();
    let mut command = home.command(&["cache", "--json", "--dry-run"]);
    if rustix::process::geteuid().is_root() {
        // Root may read everything.
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().unwrap();
    let listed: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    fs::set_permissions(dir.join("secret"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(listed["clear"][0]["path"], clear.display().to_string());
    assert_eq!(listed["kept"][0]["why"], "unreadable");
    assert_eq!(
        listed["kept"][0]["reason"],
        "\"secret\" in it may not be read or changed by this user"
    );
}

/// The list in the trash is a file that anybody may have written.
#[test]
fn a_forged_list_in_the_trash_leads_nowhere() {
    let home = Home::new();
    let victim = home.path().join("0");
    fs::create_dir_all(&victim).unwrap();
    fs::write(victim.join("file"), b"keep").unwrap();
    let trash = home.path().join(".local/state/omp-debug/trash");
    let forge = |id: &str, list: &Value| {
        fs::create_dir_all(trash.join(id)).unwrap();
        fs::write(trash.join(id).join("batch.json"), list.to_string()).unwrap();
    };
    let spot = |name: &str| json!({"place": home.sessions(), "bucket": null, "name": name});
    forge(
        "a",
        &json!({"id": "a", "time": 1, "held": [{"spot": spot("x"), "at": victim, "files": 1, "bytes": 4}]}),
    );
    forge("b", &json!({"id": "../../b", "time": 2, "held": []}));
    forge("c", &json!("rubbish"));
    fs::create_dir_all(trash.join("d/0")).unwrap();
    forge(
        "d",
        &json!({"id": "d", "time": 3, "held": [{"spot": spot("../../../escaped"), "at": trash.join("d/0"), "files": 1, "bytes": 4}]}),
    );
    let undone = home.run(&["cache", "--undo", "d"]);
    assert_eq!(undone.status.code(), Some(4), "{undone:?}");
    assert!(!home.path().join("escaped").exists() && !home.path().join(".omp/escaped").exists());
    for args in [
        &["cache", "--undo", "a"][..],
        &["cache", "--empty-trash", "--yes"],
    ] {
        assert_eq!(home.run(args).status.code(), Some(4), "{args:?}");
        assert_eq!(fs::read(victim.join("file")).unwrap(), b"keep");
    }
}

/// Number and bytes of the files in a folder that are no sessions.
fn measured(dir: &Path) -> (usize, u64) {
    let (mut files, mut bytes) = (0, 0);
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            let (more, size) = measured(&path);
            (files, bytes) = (files + more, bytes + size);
        } else if path.extension().is_none_or(|end| end != "jsonl") {
            (files, bytes) = (files + 1, bytes + entry.metadata().unwrap().len());
        }
    }
    (files, bytes)
}

#[test]
fn a_home_of_omp_is_listed_with_titles_and_sizes() {
    let dir = tempfile::tempdir().unwrap();
    let written = omp_home::write(dir.path(), omp_home::Size::default());
    let home = Home { dir };
    let listed = home.json(&["artifacts", "--json"]);
    let all = listed["artifacts"].as_array().unwrap();
    assert_eq!(all.len(), written.sessions.len());
    let (mut all_files, mut all_bytes) = (0, 0);
    for one in all {
        assert!(
            one["title"].as_str().unwrap().starts_with("Session "),
            "{one}"
        );
        let (files, bytes) = measured(Path::new(one["path"].as_str().unwrap()));
        assert_eq!(
            (&one["files"], &one["bytes"]),
            (&json!(files), &json!(bytes))
        );
        (all_files, all_bytes) = (all_files + files, all_bytes + bytes);
    }
    assert!(all_files >= 2 * all.len());
    assert_eq!(listed["totals"]["bytes"], all_bytes);
    let lines = text(&home.run(&["artifacts"]));
    let totals = format!("4 folders, {all_files} files, {all_bytes} B\n");
    assert!(lines.ends_with(&totals), "{lines}");
    // Nothing to list is no failure.
    let empty = Home::new();
    let output = empty.run(&["artifacts"]);
    assert!(
        output.status.success() && said(&output).contains("there are no artifacts in"),
        "{output:?}"
    );
    let output = empty.run(&["cache", "--yes"]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output).starts_with("Nothing to clear"), "{output:?}");
}

/// Sessions without a folder for each project, and a trash that must be beside them.
#[test]
fn a_flat_place_on_another_file_system_gets_a_trash_of_its_own() {
    let home = Home::new();
    let Ok(shared) = tempfile::tempdir_in("/dev/shm") else {
        return;
    };
    let place = shared.path().join("flat");
    fs::create_dir_all(place.join("s")).unwrap();
    fs::write(place.join("s.jsonl"), b"{}\n").unwrap();
    fs::write(place.join("s/0.bash.log"), b"output").unwrap();
    age(&place.join("s"), 45);
    let elsewhere =
        shared.path().metadata().unwrap().dev() != home.path().metadata().unwrap().dev();
    let run = |args: &[&str]| {
        home.command(args)
            .env("PI_CODING_AGENT_SESSION_DIR", &place)
            .output()
            .unwrap()
    };
    assert!(run(&["cache", "--yes"]).status.success());
    assert!(!place.join("s").exists());
    assert_eq!(shared.path().join(".omp-debug-trash").exists(), elsewhere);
    let undone = run(&["cache", "--undo"]);
    assert!(undone.status.success(), "{undone:?}");
    assert_eq!(fs::read(place.join("s/0.bash.log")).unwrap(), b"output");
    assert!(!shared.path().join(".omp-debug-trash").exists());
}

#[test]
fn the_suite_holds_what_its_head_says() {
    let source = include_str!("artifacts.rs");
    support::suite::assert_present(source, "T10", support::suite::tests_in(source));
}
