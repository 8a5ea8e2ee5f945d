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

fn text(folder: &Path, words: &[&str]) -> String {
    String::from_utf8(run(&mut ours(folder, words)).stdout).unwrap()
}

fn profile(folder: &Path, file: &str) -> Value {
    let json = text(folder, &["profile", file, "--format", "json"]);
    serde_json::from_str(&json).unwrap()
}

/// Bytes that a function held by itself, and with what it called.
fn held(profile: &Value, name: &str) -> (u64, u64) {
    let mut rows = profile["functions"].as_array().unwrap().iter();
    let row = rows.find(|row| row["name"] == name);
    let row = row.unwrap_or_else(|| panic!("{name} in {profile:#}"));
    let bytes = |which: &str| row[which].as_u64().unwrap();
    (bytes("own"), bytes("total"))
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
    let whole = profile(folder, "whole.zst");
    assert_eq!(held(&whole, "keep_large"), (100 * LARGE, 100 * LARGE));
    assert_eq!(held(&whole, "branch"), (0, 100 * (LARGE + SMALL)));
    let table = text(folder, &["profile", "whole.zst", "--print"]);
    assert!(
        table.contains("# Heap Profile") && table.contains("6.25 MiB"),
        "{table}"
    );
    // What heaptrack's own program counts is what we count.
    let said = run(Command::new("heaptrack_print")
        .args(["-f", "whole.zst"])
        .current_dir(folder));
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let of = |what: &str| said.lines().find_map(|line| line.strip_prefix(what));
    let calls = of("calls to allocation functions: ").unwrap();
    let calls = calls.split(' ').next().unwrap();
    assert!(
        table.contains(&format!(" {calls} allocations, ")),
        "{calls}: {table}"
    );
    assert_eq!(
        format!("{:.2}M", whole["total"].as_u64().unwrap() as f64 / 1e6),
        of("peak heap memory consumption: ").unwrap()
    );

    let svg = text(folder, &["profile", "whole.zst", "--format", "svg"]);
    assert!(
        svg.contains("whole.zst (bytes)") && svg.contains("6,553,600 bytes"),
        "{svg}"
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
    let again = profile(folder, "heaptrack.zst");
    assert_eq!(held(&again, "keep_large"), held(&whole, "keep_large"));
}

#[test]
fn heap_profiles_on_the_screen() {
    let recording = support::root().join("tests/profiles/heaptrack.zst");
    let desk = Desk::open(args!["profile", recording]);
    desk.pty.wait_for("keep_large");
    desk.pty.wait_for("6.67 MiB");
    desk.pty
        .wait_for("bytes that were held when most were held");
    desk.leave();
}
