//! Breakpoints that record instead of stopping, with real adapters.

use crate::support;

use std::process::Command;

use serde_json::{Value, json};
use support::run::{Runs, SHOP};
use support::{line_of, program_source, tools};

fn records(told: &[&Value]) -> Vec<(Value, Value)> {
    let row = |event: &&Value| (event["number"].clone(), event["values"].clone());
    told.iter().map(row).collect()
}

#[test]
fn a_python_program_runs_on_and_its_values_are_recorded() {
    require!(debugpy);
    let runs = Runs::with_shop();
    assert!(SHOP.lines().nth(11).unwrap().contains("result = "));
    let ran = runs.run(&["-b", "shop.py:12?x != 2 => x, self.rate, nope", "shop.py"]);
    assert_eq!(ran.code, Some(0));
    let told = ran.of("recorded");
    let seen = records(&told);
    let numbers: Vec<_> = seen
        .iter()
        .map(|(number, values)| (number, &values["x"], &values["self.rate"]))
        .collect();
    let row = |n, x| (json!(n), json!(x), json!(5));
    let wanted = [row(1, 0), row(2, 1), row(3, 3)];
    assert_eq!(
        numbers,
        wanted.iter().map(|(n, x, r)| (n, x, r)).collect::<Vec<_>>()
    );
    assert!(
        seen[0].1["nope"]["error"]
            .as_str()
            .unwrap()
            .contains("nope"),
        "{seen:?}"
    );
    let stack: Vec<_> = told[0]["stack"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["function"].as_str().unwrap())
        .collect();
    assert_eq!(stack, ["total", "main", "<module>"]);
    assert!(told[0]["thread_id"].is_i64());
    assert!(ran.of("breakpoint_hit").is_empty() && ran.of("stopped").is_empty());
    assert_eq!(ran.one("breakpoint_set")["record"], "x, self.rate, nope");
    assert_eq!(ran.printed("stdout"), "total 10\n".repeat(4));
}

/// A value that its debugger calls `size=3` has its parts in a row, in a message, and in a recording that is read later.
#[test]
fn what_has_parts_is_kept_with_them() {
    for adapter in ["lldb-dap", "gdb"] {
        match adapter {
            "gdb" => require!(gdb),
            _ => require!(lldb_dap),
        };
        let runs = Runs::new();
        let text = "fn main() {\n    let all = vec![Some(1), None];\n    let name = String::from(\"x\");\n    drop((all, name));\n}\n";
        let source = runs.file("kept.rs", text);
        let program = tools::build_rust(&source, &runs.work().join("kept"));
        let program = program.to_str().unwrap();
        let ran = runs.run(&[
            "--adapter",
            adapter,
            "-b",
            "kept.rs:4 => all, name",
            program,
        ]);
        let (_, values) = records(&ran.of("recorded")).remove(0);
        assert_eq!(values["all"]["shown"], "[Some(1), None]", "{adapter}");
        assert_eq!(values["name"], "x", "{adapter}");

        let recording = runs.work().join("kept.rec");
        let recording = recording.to_str().unwrap();
        let options = [
            "--adapter",
            adapter,
            "-b",
            "kept.rs:4",
            "--record",
            recording,
        ];
        runs.run(&[&options[..], &[program]].concat());
        let mut replay = Command::new(tools::omp_debug());
        replay.env_clear().envs(runs.home.context().env.iter());
        let told = replay
            .args(["replay", "--print", recording])
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&told.stdout);
        assert!(told.contains("all = [Some(1), None]"), "{adapter}: {told}");
    }
}

#[test]
fn a_c_program_runs_on_and_its_values_are_recorded() {
    require!(lldb_dap);
    let runs = Runs::new();
    let program = tools::c_program();
    let source = program_source("prog.c");
    let at = format!(
        "{}:{} => cost, total",
        source.display(),
        line_of(&source, "loop")
    );
    let ran = runs.run(&[
        "-a",
        "lldb-dap",
        "-b",
        &at,
        program.to_str().unwrap(),
        "stock",
    ]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let told = ran.of("recorded");
    let values: Vec<_> = records(&told)
        .into_iter()
        .map(|(_, values)| values)
        .collect();
    assert_eq!(
        values,
        [
            json!({"cost": 20, "total": 0}),
            json!({"cost": 25, "total": 20}),
            json!({"cost": 120, "total": 45})
        ]
    );
    assert_eq!(told[2]["stack"][0]["function"], "total_of");
    assert!(ran.of("breakpoint_hit").is_empty());
}
