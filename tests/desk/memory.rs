//! `omp-debug memory` without a screen and on one: real programs that leak, end and refuse, and heap files that a real runtime wrote.

use crate::support;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::Value;
use support::desk::Desk;
use support::{procs, tools};

/// A program that keeps as much as it is told to.
struct Leak {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Leak {
    fn start() -> Self {
        let mut child = Command::new(tools::leaking_program())
            .arg("--token=correct-horse-battery-staple")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut leak = Self {
            child,
            input,
            output,
        };
        assert_eq!(leak.answer(), "ready");
        leak
    }

    fn pid(&self) -> String {
        self.child.id().to_string()
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// Keeps so many kilobytes more; gives the bytes that it says it has taken in all.
    fn keep(&mut self, kilobytes: u64) -> u64 {
        writeln!(self.input, "{kilobytes}").unwrap();
        self.answer().parse().unwrap()
    }

    fn end(&mut self) {
        writeln!(self.input, "exit").unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Leak {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn memory(arguments: &[&str]) -> Command {
    let mut command = Command::new(tools::omp_debug());
    command
        .arg("memory")
        .args(arguments)
        .env("DB_PASSWORD", "correct-horse-battery-staple")
        .stdin(Stdio::null());
    command
}

fn output(arguments: &[&str]) -> Output {
    memory(arguments).output().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = output(arguments);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refused(arguments: &[&str]) -> String {
    let output = output(arguments);
    assert!(!output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn is_near(told: f64, said: f64) -> bool {
    (told - said).abs() <= said * 0.05
}

/// Growth between the first and the last sample is what the program says it leaked.
#[test]
fn growth_is_what_the_program_says_it_leaked() {
    let mut leak = Leak::start();
    leak.keep(500);
    let mut watch = memory(&[
        "--pid",
        &leak.pid(),
        "--watch",
        "0.2",
        "--count",
        "8",
        "--json",
    ])
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let mut next = || -> Option<Value> {
        let line = lines.next()?.unwrap();
        Some(serde_json::from_str(&line).unwrap())
    };
    let first = next().unwrap();
    let said = leak.keep(30_000) - (500 << 10);
    let mut rest = Vec::new();
    while let Some(line) = next() {
        rest.push(line);
    }
    assert!(watch.wait().unwrap().success());
    assert_eq!(first["type"], "sample");
    assert_eq!(rest.len(), 8, "seven samples and the growth: {rest:?}");
    let growth = rest.pop().unwrap();
    assert_eq!(growth["type"], "growth");
    let own = growth["total"]["own"].as_f64().unwrap();
    assert!(is_near(own, said as f64), "{own} of {said}: {growth:#}");
    let uss = |sample: &Value| sample["uss"].as_f64().unwrap();
    let sampled = uss(rest.last().unwrap()) - uss(&first);
    assert!(is_near(sampled, said as f64), "{sampled} of {said}");
    let groups: f64 = growth["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["kind"] == "heap" || row["kind"] == "anonymous")
        .map(|row| row["change"]["own"].as_f64().unwrap())
        .sum();
    assert!(is_near(groups, said as f64), "{groups} of {said}");
}

#[test]
fn a_process_as_text_and_as_json_without_its_secrets() {
    let mut leak = Leak::start();
    leak.keep(8000);
    let report = json(&["--pid", &leak.pid(), "--json"]);
    assert_eq!(report["schema_version"], 1);
    assert!(report["sample"]["uss"].as_u64().unwrap() > 8000 << 10);
    let pid = u64::from(leak.child.id());
    assert_eq!(report["process"]["pid"].as_u64(), Some(pid));
    for list in ["groups", "mappings", "limits"] {
        assert!(!report[list].as_array().unwrap().is_empty(), "{list}");
    }
    assert_eq!(report["threads"]["count"], 1);
    assert!(report["file_kinds"]["pipe"].as_u64().unwrap() >= 2);
    let sum: u64 = report["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| group["uss"].as_u64().unwrap())
        .sum();
    assert!(is_near(
        sum as f64,
        report["sample"]["uss"].as_f64().unwrap()
    ));
    let text = String::from_utf8(output(&["--pid", &leak.pid(), "--print"]).stdout).unwrap();
    for wanted in [
        "leak-c",
        "heap",
        "anonymous",
        "libc.so",
        "Threads: 1",
        "open files: ",
    ] {
        assert!(text.contains(wanted), "{wanted} in\n{text}");
    }
    assert!(!text.contains("correct-horse") && !report.to_string().contains("correct-horse"));
}

#[test]
fn one_that_exits_while_it_is_watched_ends_the_watching() {
    let mut leak = Leak::start();
    let mut watch = memory(&["--pid", &leak.pid(), "--watch", "0.05"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains("RSS ") && first.contains("USS "), "{first}");
    leak.end();
    let last = lines.map(Result::unwrap).last().unwrap();
    assert!(last.contains("ended") || last.contains("zombie"), "{last}");
    assert!(watch.wait().unwrap().success());
}

#[test]
fn what_cannot_be_looked_into_says_why() {
    let mut leak = Leak::start();
    let pid = leak.pid();
    // Dead, and we have not asked how.
    writeln!(leak.input, "exit").unwrap();
    let mut rest = String::new();
    leak.output.read_to_string(&mut rest).unwrap();
    let mut said = refused(&["--pid", &pid, "--json"]);
    while !said.contains("zombie") {
        said = refused(&["--pid", &pid, "--json"]);
    }
    assert!(
        said.contains(&format!("its parent {}", std::process::id())),
        "{said}"
    );
    leak.child.wait().unwrap();
    assert!(refused(&["--pid", &pid, "--print"]).contains("there is no process"));
    assert!(refused(&["--print"]).contains("--pid N"));
    assert!(refused(&["--pid", "1", "--watch", "0"]).contains("between 0.01"));
    if procs::status(2, "Name").as_deref() == Some("kthreadd") {
        assert!(refused(&["--pid", "2", "--print"]).contains("thread of the kernel"));
    }
}

/// Needs to be root, to be somebody else then.
#[test]
fn another_users_process_is_named_as_such() {
    let leak = Leak::start();
    let others = tempfile::tempdir().unwrap();
    fs::set_permissions(others.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = others.path().join("omp-debug");
    tools::copy(tools::omp_debug(), &program);
    let output = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(&program)
        .args(["memory", "--print", "--pid", &leak.pid()])
        .env("HOME", others.path())
        .current_dir("/")
        .output();
    let Ok(output) = output else {
        return eprintln!("left out: setpriv is not here");
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("setresuid") || said.contains("setgroups") || said.contains("setresgid") {
        return eprintln!("left out: only root can become somebody else");
    }
    assert!(
        said.contains("belongs to root") && said.contains("sudo omp-debug"),
        "{said}"
    );
}

const MAKER: &str = r#"
const v8 = require("v8");
class Leaky { constructor(n) { this.text = "leaked " + n; this.buffer = new Array(200).fill(n); } }
class Keeper { constructor() { this.all = []; } }
globalThis.keeper = new Keeper();
for (let n = 0; n < 1000; n++) keeper.all.push(new Leaky(n));
v8.writeHeapSnapshot(process.argv.at(-2));
for (let n = 0; n < 500; n++) keeper.all.push(new Leaky(n));
v8.writeHeapSnapshot(process.argv.at(-1));
"#;

/// Two snapshots of a program that makes known objects.
fn snapshots(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let node = tools::required("node", tools::node())?;
    let (old, new) = (
        folder.join("old.heapsnapshot"),
        folder.join("new.heapsnapshot"),
    );
    let made = Command::new(node)
        .args(["-e", MAKER, "--"])
        .args([&old, &new])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    Some((old, new))
}

fn class<'v>(heap: &'v Value, list: &str, name: &str) -> &'v Value {
    let rows = heap[list].as_array().unwrap();
    let found = rows.iter().find(|row| row["name"] == name);
    found.unwrap_or_else(|| panic!("{name} in {rows:#?}"))
}

#[test]
fn a_heap_snapshot_of_node_by_constructor_and_what_came_since() {
    let folder = tempfile::tempdir().unwrap();
    let Some((old, new)) = snapshots(folder.path()) else {
        return;
    };
    let (old, new) = (old.to_str().unwrap(), new.to_str().unwrap());
    let heap = json(&[old, "--json"]);
    assert_eq!(heap["format"], "v8_snapshot");
    let leaky = class(&heap, "classes", "Leaky");
    assert_eq!(leaky["count"], 1000);
    // Each holds an array of 200 numbers.
    let retained = leaky["retained"].as_u64().unwrap();
    assert!(retained > 1000 * 200 * 4, "{leaky}");
    let keeper = class(&heap, "classes", "Keeper");
    assert_eq!(keeper["count"], 1);
    assert!(keeper["retained"].as_u64().unwrap() > retained, "{keeper}");
    let largest = heap["largest"].as_array().unwrap();
    let object = largest
        .iter()
        .find(|object| object["class"] == "Keeper")
        .unwrap();
    assert!(object["id"].as_u64().unwrap() > 0, "{object}");
    let later = json(&[new, "--since", old, "--json"]);
    assert_eq!(class(&later, "differences", "Leaky")["count"], 500);
    let text = String::from_utf8(output(&[new, "--since", old, "--print"]).stdout).unwrap();
    let row = text
        .lines()
        .find(|line| line.starts_with("Leaky "))
        .unwrap();
    assert!(row.contains("+500"), "{row}");

    // What was cut short is no heap.
    let bytes = fs::read(old).unwrap();
    let cut = folder.path().join("cut.heapsnapshot");
    for (part, end) in [("nodes", bytes.len() / 8), ("strings", bytes.len() - 100)] {
        fs::write(&cut, &bytes[..end]).unwrap();
        let said = refused(&[cut.to_str().unwrap(), "--print"]);
        assert!(said.contains("cut short") && said.contains(part), "{said}");
    }
    fs::write(&cut, "").unwrap();
    let said = refused(&[cut.to_str().unwrap(), "--print"]);
    assert!(said.contains("is empty (0 bytes)"), "{said}");
    let said = refused(&[tools::omp_debug().to_str().unwrap(), "--print"]);
    assert!(said.contains("none of the heap files"), "{said}");
}

#[test]
fn a_heap_snapshot_on_the_screen() {
    let folder = tempfile::tempdir().unwrap();
    let Some((old, new)) = snapshots(folder.path()) else {
        return;
    };
    let desk = Desk::open(args!["memory", new, "--since", old]);
    let pty = &desk.pty;
    let screen = pty.wait_for("+500");
    assert!(screen.text().contains("Leaky"), "{}", screen.text());
    pty.wait_for("V8 heap snapshot");
    pty.key("Tab").wait_for("Retained");
    pty.wait_for("(system)");
    pty.key("Tab").wait_for("held by");
    desk.leave();
}

/// What stands behind a word on the screen, as megabytes: `+29.3MB`.
fn megabytes(text: &str, behind: &str) -> f64 {
    let (_, rest) = text.split_once(behind).unwrap();
    let number = rest.trim_start().trim_start_matches('+');
    let (number, _) = number.split_once("MB").unwrap();
    number.parse().unwrap()
}

/// The story of a leak: a mark, some work, another mark, and the table says how much and where.
#[test]
fn a_leak_is_seen_between_two_marks() {
    let mut leak = Leak::start();
    leak.keep(500);
    let desk = Desk::open(["memory"]);
    let pty = &desk.pty;
    pty.wait_for("Whose memory?");
    pty.type_text(&leak.pid());
    pty.wait_for(&format!("› {}", leak.pid()));
    // Among all there are it may be too far down.
    pty.wait_for("leak-c");
    pty.key("Enter").wait_for("every second");
    pty.wait_for("libc.so");
    pty.key("m").wait_for("to now");
    let said = leak.keep(40_000) - (500 << 10);
    pty.key("m").wait_for("to mark B");
    let screen = pty.screen().text();
    let told = megabytes(&screen, "USS + swap ");
    let said = said as f64 / f64::from(1 << 20);
    assert!(is_near(told, said), "{told} of {said}:\n{screen}");
    assert!(screen.contains("heap"), "{screen}");
    // It ends while it is looked at.
    leak.end();
    pty.wait_until("the end", |screen| {
        let text = screen.text();
        text.contains("has ended") || text.contains("is a zombie")
    });
    pty.wait_for("to mark B");
    desk.leave();
}

#[test]
fn what_is_shown_is_exported_and_copied() {
    let leak = Leak::start();
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::with(|builder| {
        builder
            .cwd(folder.path())
            .env("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
            .args(["memory", "--pid", &leak.pid()])
    });
    let pty = &desk.pty;
    pty.wait_for("libc.so");
    pty.key("e").wait_for("Write it as JSON into");
    pty.wait_for(".json");
    pty.key("Enter").wait_for("Written: ");
    let file = fs::read_dir(folder.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let report: Value = serde_json::from_slice(&fs::read(file.path()).unwrap()).unwrap();
    assert_eq!(
        report["process"]["pid"].as_u64(),
        Some(u64::from(leak.child.id()))
    );
    pty.key("y");
    pty.wait_raw("the copy", |raw| {
        raw.windows(5).any(|bytes| bytes == b"\x1b]52;")
    });
    desk.leave();
}

/// What was found goes along in a report, under its own name; what is empty does not.
#[test]
fn a_report_takes_memory_and_heap_files_along() {
    let folder = tempfile::tempdir().unwrap();
    let Some((old, _)) = snapshots(folder.path()) else {
        return;
    };
    let leak = Leak::start();
    let told = output(&["--pid", &leak.pid(), "--json"]).stdout;
    fs::write(folder.path().join("memory.4711.json"), told).unwrap();
    fs::write(folder.path().join("empty.heapsnapshot"), "").unwrap();
    let report = |name: &str, add: &[&Path]| {
        let mut command = Command::new(tools::omp_debug());
        command
            .current_dir(folder.path())
            .args(["report", "--yes", "-o", name])
            .env("HOME", folder.path())
            .env("DB_PASSWORD", "correct-horse-battery-staple");
        for file in add {
            command.arg("--add").arg(file);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let member = |member: &str| {
            let output = Command::new("tar")
                .args(["xzOf", name, member])
                .current_dir(folder.path())
                .output();
            output.unwrap().stdout
        };
        let manifest: Value = serde_json::from_slice(&member("manifest.json")).unwrap();
        (
            manifest.to_string(),
            member("memory.json"),
            member("heap.heapsnapshot"),
        )
    };
    let (manifest, memory, heap) = report("a.tar.gz", &[Path::new("memory.4711.json"), &old]);
    assert!(manifest.contains("memory.json") && manifest.contains("heap.heapsnapshot"));
    let memory: Value = serde_json::from_slice(&memory).unwrap();
    assert_eq!(
        memory["process"]["pid"].as_u64(),
        Some(u64::from(leak.child.id()))
    );
    assert!(!memory.to_string().contains("correct-horse"));
    assert!(heap.starts_with(b"{\"snapshot\""));
    let (manifest, _, heap) = report("b.tar.gz", &[Path::new("empty.heapsnapshot")]);
    assert!(manifest.contains("is empty (0 bytes)"), "{manifest}");
    assert!(heap.is_empty());
}
