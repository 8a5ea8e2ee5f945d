//! Answers of adapters that are larger than anybody reads: a value of 50 MB, a stack of 100,000 frames. What is kept of them
//! has a bound, what there is in all is said, and the rest can be had.

use crate::support;

use std::fs;

use omp_debug::debugger::{Command, Reply};
use serde_json::json;
use support::bench::{Bench, evaluate};
use support::desk::{Desk, Home, pane};
use support::{procs, tools};

/// The screen with a program at its first line, in a home that knows the scripted adapter.
fn at_first_line(options: &[&str]) -> Desk {
    let home = Home::new();
    let folder = home.path().join("config/omp-debug");
    fs::create_dir_all(&folder).unwrap();
    let options = [&["--endless"], options].concat();
    let adapter = json!({"command": tools::fake_adapter(), "args": options, "connectMode": "stdio",
        "fileTypes": [".fake"]});
    let known = json!({"adapters": {"fake": adapter}});
    fs::write(folder.join("dap.json"), known.to_string()).unwrap();
    let program = home.path().join("program.fake");
    fs::write(&program, "one()\ntwo()\nthree()\n").unwrap();
    let words = args!["--adapter", "fake", "--stop-on-entry", program];
    // Without a desktop, what is too long for a terminal is copied into a file.
    let desk = Desk::at(home, |builder| {
        builder.args(words).env("SSH_CONNECTION", "here")
    });
    desk.wait_at("program.fake", 1);
    desk.wait_value("Scopes", "order", "{'id'");
    desk
}

/// The most memory that it ever had, in megabytes.
fn most(desk: &Desk) -> u64 {
    let text = procs::status(desk.pty.pid(), "VmHWM").unwrap();
    let kilobytes: u64 = text.trim_end_matches("kB").trim().parse().unwrap();
    kilobytes / 1000
}

/// What the screen needs where nothing is large.
fn usual() -> u64 {
    let desk = at_first_line(&[]);
    let usual = most(&desk);
    desk.leave_live("e");
    usual
}

#[test]
fn a_value_of_50_mb_costs_little_more_than_its_message() {
    let usual = usual();
    let desk = at_first_line(&["--big-value", "50"]);
    desk.wait_value("Scopes", "big", "xxx");
    let large = most(&desk);
    eprintln!("{usual} MB as usual, {large} MB with a value of 50 MB");
    assert!(large < usual + 200, "{large} MB, {usual} MB as usual");
    desk.leave_live("e");
}

#[test]
fn a_stack_of_100_000_frames_is_kept_to_a_bound_and_its_depth_is_said() {
    let usual = usual();
    let desk = at_first_line(&["--frames", "100000"]);
    let large = most(&desk);
    eprintln!("{usual} MB as usual, {large} MB with 100,000 frames");
    assert!(large < usual + 100, "{large} MB, {usual} MB as usual");
    desk.pty.key("2").key("End");
    // Both rows: while the other thread is not there the last one is that of the frames left, and stays chosen when it comes.
    let left = |count: &str| {
        let more = format!("{count} more frames");
        desk.pty.wait_until(&format!("{more}, worker"), |screen| {
            let rows = pane(screen, "Stack");
            let has = |what: &str| rows.iter().any(|row| row.contains(what));
            has(&more) && has("worker")
        });
    };
    left("99,000");
    // More come when they are asked for; the last row is the other thread.
    desk.pty.key("End").key("Up").key("Enter");
    desk.pty.wait_gone("99,000");
    desk.pty.key("End");
    left("98,950");
    desk.leave_live("e");
}

#[test]
fn the_whole_of_a_large_value_is_copied() {
    let desk = at_first_line(&["--big-value", "3"]);
    desk.select_scope("big");
    desk.pty.key("y").wait_for("no clipboard took it");
    let state = desk.home.path().join("state");
    let mut folders = vec![state];
    let mut sizes = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                sizes.push(fs::metadata(path).unwrap().len());
            }
        }
    }
    assert!(sizes.contains(&3_000_000), "{sizes:?}");
    desk.leave_live("e");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everyone_gets_the_beginning_of_a_large_value_and_how_long_it_is() {
    let bench = Bench::open(&["--endless", "--big-value", "3"]).await;
    let is_cut = |value: &str| {
        let end = "x… (2.86 MiB in all)";
        assert!(value.ends_with(end), "{:?}", value.get(value.len() - 60..));
        assert!(value.len() < (1 << 20) + 100, "{} bytes", value.len());
    };
    is_cut(&bench.value("big").await.unwrap());
    let scopes = Command::Scopes {
        session: None,
        frame_id: None,
    };
    let Reply::Scopes { scopes } = bench.ask(scopes).await.unwrap() else {
        panic!("no scopes");
    };
    let variables = scopes
        .scopes
        .iter()
        .flat_map(|s| s.variables.iter().flatten());
    is_cut(
        &variables
            .into_iter()
            .find(|v| v.name == "big")
            .unwrap()
            .value,
    );
    let whole = Command::Evaluate {
        session: None,
        frame_id: None,
        expression: "big".to_owned(),
        context: "clipboard".to_owned(),
    };
    let Reply::Value { value } = bench.ask(whole).await.unwrap() else {
        panic!("no value");
    };
    assert_eq!(value.result.len(), 3_000_000);
    // The scripted adapter does not say that it knows the word.
    let contexts = bench.heard("evaluate");
    assert!(contexts.iter().all(|asked| asked["context"] == "watch"));
    let Reply::Value { value } = bench.ask(evaluate("name")).await.unwrap() else {
        panic!("no value");
    };
    assert_eq!(value.result, "'Ada'");
    bench.end().await;
}
