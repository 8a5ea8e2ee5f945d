//! Heap profiles that real tools wrote of programs that allocate known amounts: what we say of them is what the programs did.

use crate::support;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use support::desk::Desk;
use support::tools;

/// Bytes of the blocks of `allocates.c`.
const LARGE: u64 = 64 << 10;
const SMALL: u64 = 1 << 10;
const PASSING: u64 = 256 << 10;

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output
}

/// omp-debug at home in a folder, with the tools of the test home.
fn ours(folder: &Path, words: &[&str]) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let venv = tools::test_home().join("venv/bin");
    let path = std::env::join_paths([venv].into_iter().chain(std::env::split_paths(&path)));
    let mut command = Command::new(tools::omp_debug());
    command.args(words).current_dir(folder);
    command.env("HOME", folder).env("PATH", path.unwrap());
    command
}

fn json(folder: &Path, words: &[&str]) -> Value {
    let output = run(&mut ours(folder, words));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(folder: &Path, words: &[&str]) -> String {
    String::from_utf8(run(&mut ours(folder, words)).stdout).unwrap()
}

fn function<'v>(heap: &'v Value, list: &str, name: &str) -> &'v Value {
    let rows = heap[list].as_array().unwrap();
    let found = rows.iter().find(|row| row["name"] == name);
    found.unwrap_or_else(|| panic!("{name} in {heap:#}"))
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn heaptracks_own_recording() {
    let heaptrack = require!(heaptrack);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let record = |options: &[&str]| {
        run(Command::new(&heaptrack)
            .args(options)
            .arg(tools::allocating_program())
            .current_dir(folder));
    };
    record(&["-o", "whole"]);
    let heap = json(folder, &["memory", "whole.zst", "--json"]);
    assert_eq!(heap["format"], "heaptrack");
    let large = function(&heap, "classes", "keep_large");
    assert_eq!(
        (number(&large["count"]), number(&large["shallow"])),
        (100, 100 * LARGE)
    );
    assert_eq!(number(&large["more"]["leaked"]), 50 * LARGE);
    let passing = &function(&heap, "classes", "pass_by")["more"];
    assert_eq!(
        (number(&passing["calls"]), number(&passing["temporary"])),
        (300, 300)
    );
    assert_eq!(number(&passing["allocated"]), 300 * PASSING);
    let branch = function(&heap, "classes", "branch");
    assert_eq!(
        (number(&branch["shallow"]), number(&branch["retained"])),
        (0, 100 * (LARGE + SMALL))
    );
    // What heaptrack's own program counts is what we count.
    let said = run(Command::new("heaptrack_print")
        .args(["-f", "whole.zst"])
        .current_dir(folder));
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let calls = said
        .lines()
        .find_map(|line| line.strip_prefix("calls to allocation functions: "));
    let calls = calls.unwrap().split(' ').next().unwrap().to_owned();
    assert_eq!(number(&heap["more"]["calls"]).to_string(), calls);
    let peak = said
        .lines()
        .find_map(|line| line.strip_prefix("peak heap memory consumption: "));
    assert_eq!(
        format!("{:.2}M", number(&heap["total"]) as f64 / 1e6),
        peak.unwrap()
    );

    let svg = text(folder, &["profile", "whole.zst", "--format", "svg"]);
    assert!(
        svg.contains("whole.zst (bytes)") && svg.contains("6,553,600 bytes"),
        "{svg}"
    );
    let table = text(folder, &["profile", "whole.zst", "--print"]);
    assert!(
        table.contains("# Heap Profile") && table.contains("6.25 MiB"),
        "{table}"
    );

    // Without names, it says what gives it names; and that can be done as it is said.
    record(&["--raw", "-o", "raw"]);
    let refused = ours(folder, &["profile", "raw.raw.zst", "--print"])
        .output()
        .unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(
        !refused.status.success() && said.contains("raw recording"),
        "{said}"
    );
    if !Path::new("/usr/lib/heaptrack/libexec/heaptrack_interpret").exists() {
        return;
    }
    let (_, command) = said.split_once("no names: ").unwrap();
    let (command, _) = command.split_once(" makes what").unwrap();
    run(Command::new("sh")
        .args(["-c", &command.replace("FILE", "raw.raw.zst")])
        .current_dir(folder));
    let again = json(folder, &["memory", "heaptrack.zst", "--json"]);
    assert_eq!(
        function(&again, "classes", "keep_large")["shallow"],
        large["shallow"]
    );
}

#[test]
fn heap_profiles_on_the_screen() {
    let recording = support::root().join("tests/profiles/heaptrack.zst");
    let desk = Desk::open(args!["memory", recording, "--since", recording]);
    let pty = &desk.pty;
    pty.wait_for("Nothing is different");
    pty.wait_for("heaptrack recording: 6.7MB held");
    pty.key("Tab").wait_for("keep_large");
    pty.wait_for("Leaked");
    pty.key("Tab").wait_for("alloc.c");
    pty.key("Tab").wait_for("called by branch < main");
    desk.leave();

    let desk = Desk::open(args!["profile", recording]);
    desk.pty.wait_for("keep_large");
    desk.pty.wait_for("6.67 MiB");
    desk.pty
        .wait_for("bytes that were held when most were held");
    desk.leave();
}
