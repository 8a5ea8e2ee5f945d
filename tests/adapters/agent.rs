//! A scripted agent finds the faults of `tests/agent/programs` through `omp-debug mcp`; what it took is in the book.

use crate::support;

use std::process::{Command, Stdio};
use std::time::Duration;

use support::core::Home;
use support::procs;
use support::{root, tools};

const LIMIT: Duration = Duration::from_mins(3);

/// Lets it find those of a language, and holds the book to the calls that it needed.
fn finds(language: &str, ways: &[&str], names: &[&str]) {
    let python = tools::python().expect("python3 runs the agent");
    let home = Home::new();
    let mut command = Command::new(python);
    let (mark, value) = home.mark.env();
    command
        .arg(root().join("tests/agent/agent.py"))
        .arg("--markdown")
        .arg("--binary")
        .arg(tools::omp_debug())
        .args(names.iter().flat_map(|name| ["--only", name]))
        .args(ways.iter().flat_map(|way| ["--way", way]))
        .env("OMP_DEBUG_TEST_HOME", tools::test_home())
        .env(mark, value)
        .current_dir(home.path());
    let output = procs::output(command.stdin(Stdio::null()), LIMIT);
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{errors}");
    let book = std::fs::read_to_string(root().join("docs/agents.md")).unwrap();
    for name in names {
        // Bytes and seconds depend on the machine, calls do not.
        let row = told
            .lines()
            .find(|line| line.starts_with(&format!("| {name} | {language} | ")))
            .unwrap_or_else(|| panic!("no row of {name} in {told}"));
        let calls: Vec<_> = row.split('|').skip(1).take(3).collect();
        let calls = format!("|{}|", calls.join("|"));
        assert!(book.contains(&calls), "docs/agents.md has no row {calls}");
    }
    home.mark.assert_none_left(Duration::from_secs(10));
}

/// Over standard streams and HTTP, in both revisions of the protocol; consent is asked through the SDK.
#[test]
fn the_official_sdk_lists_the_tools_and_uses_them() {
    let python = require!(debugpy);
    let home = Home::new();
    let program = home.file("work/value.py", "value = 21\nprint(value)\nprint('end')\n");
    let run = home.path().join("run");
    std::fs::create_dir_all(&run).unwrap();
    let mut command = Command::new(python);
    command
        .arg(root().join("tests/agent/sdk.py"))
        .args([tools::omp_debug(), &program])
        .env_clear()
        .envs(home.context().env.iter())
        .env("XDG_DATA_HOME", tools::test_home().join("share"))
        .env("XDG_RUNTIME_DIR", run)
        .env("PYTHONPATH", tools::python_packages())
        .current_dir(home.path());
    let output = procs::output(command.stdin(Stdio::null()), LIMIT);
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{errors}");
    for line in [
        "stdio legacy 2025-11-25 ",
        "http legacy 2025-11-25 ",
        "stdio 2026-07-28 2026-07-28 ",
        "http 2026-07-28 2026-07-28 ",
        "stdio auto 2026-07-28 ",
        "http auto 2026-07-28 ",
    ] {
        assert!(told.contains(line), "{told}{errors}");
    }
    home.mark.assert_none_left(Duration::from_secs(10));
}

#[test]
fn faults_of_python_programs_are_found_in_three_ways() {
    require!(debugpy);
    finds(
        "Python",
        &["mcp", "prints", "run"],
        &["fees", "tags", "shipping"],
    );
}

#[test]
fn faults_of_c_programs_are_found_through_the_tools() {
    require!(gdb);
    finds("C", &["mcp"], &["sensor", "queue"]);
    finds("C++", &["mcp"], &["orders"]);
}

#[test]
fn faults_of_go_programs_are_found_through_the_tools() {
    require!(go);
    require!(dlv);
    finds("Go", &["mcp"], &["crews", "timeouts", "stock"]);
}

#[test]
fn faults_of_javascript_programs_are_found_through_the_tools() {
    require!(node);
    require!(js_debug);
    finds("JavaScript", &["mcp"], &["account", "prices", "members"]);
}
