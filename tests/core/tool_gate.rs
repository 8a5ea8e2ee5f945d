//! Each of the 28 actions of the debug tool in each of the 6 phases: what is refused, and what is answered from what is known,
//! reaches no adapter; it keeps a log of what it hears.

// suite: T13 asked 168 present 153

use crate::support;

use std::time::Duration;

use omp_debug::debugger::permission::Caller;
use omp_debug::debugger::tool::{ACTIONS, ActionRow, Tool};
use omp_debug::debugger::{Command, ErrorKind, Phase};
use serde_json::{Value, json};
use support::core::Home;
use support::phases::stay;
use support::procs::Watchdog;
use support::trace;

const PATIENCE: Duration = Duration::from_secs(20);

/// Rows are phases, columns the actions in the order of the table.
///
/// `-` refused, `.` answered without the adapter, `+` sent, `?` sent but not tried here, because it would end the phase.
const TABLE: [(Phase, &str); 6] = [
    (Phase::NotStarted, "??..----------------------.."),
    (Phase::Initializing, "--..---------------------.?."),
    (Phase::Configured, "--??---------------------.?."),
    (Phase::Running, "--++++-++----?--+-----+++.?."),
    (Phase::Stopped, "--+++++++????.+.+++++++++.?."),
    (Phase::Terminated, "??..---------------------..."),
];

/// Arguments that the action accepts, and the request it would become.
fn sample(row: &ActionRow, home: &Home, variables: i64) -> (Value, &'static str) {
    let program = home.path().join("work/program.fake");
    let arguments = match row.name {
        "launch" => json!({"program": program, "adapter": "fake"}),
        "attach" => json!({"port": 9, "adapter": "fake"}),
        "set_breakpoint" | "remove_breakpoint" => json!({"file": program, "line": 3}),
        "set_instruction_breakpoint" | "remove_instruction_breakpoint" => {
            json!({"instruction_reference": "0x1000"})
        }
        "data_breakpoint_info" => json!({"name": "total"}),
        "set_data_breakpoint" | "remove_data_breakpoint" => json!({"data_id": "total"}),
        "evaluate" => json!({"expression": "1"}),
        "variables" => json!({"scope_id": variables}),
        "disassemble" => json!({"instruction_count": 2}),
        "read_memory" => json!({"memory_reference": "0x1000", "count": 4}),
        "write_memory" => json!({"memory_reference": "0x1000", "data": "AQ=="}),
        "custom_request" => json!({"command": "gotoTargets", "arguments": {"line": 2}}),
        _ => json!({}),
    };
    let request = match row.name {
        "launch" | "attach" => "initialize",
        "custom_request" => "gotoTargets",
        _ => row.request.unwrap_or("none"),
    };
    (arguments, request)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_actions_write_no_byte() {
    let _watchdog = Watchdog::new("the gate of the tool", Duration::from_mins(3));
    let (mut refused, mut sent) = (0, 0);
    for (phase, cells) in TABLE {
        assert_eq!(cells.len(), ACTIONS.len());
        let home = Home::new();
        let able = ["--capabilities", r#"{"supportsWriteMemoryRequest":true}"#];
        let desk = stay(&home, phase, &able)
            .await
            .unwrap_or_else(|why| panic!("{phase:?}: {why}"));
        let tool = Tool::open(desk.core.clone()).await.unwrap();
        let log = home.path().join("log");
        let heard = |wanted: &str| {
            let all = trace::commands(&log);
            all.iter().filter(|command| *command == wanted).count()
        };
        let mut silent = Vec::new();
        let mut variables = 1;
        for (row, cell) in ACTIONS.iter().zip(cells.chars()) {
            let what = format!("{phase:?}: {}", row.name);
            let (arguments, request) = sample(row, &home, variables);
            let before = heard(request);
            if cell == '?' {
                continue;
            }
            let answer = tool
                .call(
                    &Caller::default(),
                    row.name,
                    arguments.as_object().unwrap(),
                    None,
                )
                .await;
            match (cell, answer) {
                ('-', Err(error)) => {
                    assert_eq!(error.kind, ErrorKind::State, "{what}: {error}");
                    assert!(error.error.ends_with('.'), "{what}: {error}");
                    let slot = "Debug session debug-1 is still active. Terminate it before launching another.";
                    match (phase, row.name) {
                        (Phase::NotStarted, _) => {
                            assert_eq!(
                                error.error, "No active debug session. Launch or attach first.",
                                "{what}"
                            );
                        }
                        (_, "launch" | "attach") => assert_eq!(error.error, slot, "{what}"),
                        _ => {}
                    }
                    refused += 1;
                    silent.push((what, request, before));
                }
                ('.', Ok(_)) => silent.push((what, request, before)),
                ('+', Ok(result)) => {
                    assert!(heard(request) > before, "{what}: {request} was not sent");
                    if row.name == "scopes" {
                        variables = result.details["scopes"][0]["variablesReference"]
                            .as_i64()
                            .unwrap();
                    }
                    sent += 1;
                }
                (_, answer) => panic!("{what} should be {cell}: {answer:?}"),
            }
        }
        let then = |request: &str, before: usize| (before, heard(request));
        // What was sent on purpose by later actions is not what a silent one wrote.
        let purposely: Vec<_> = ACTIONS
            .iter()
            .zip(cells.chars())
            .filter(|(_, cell)| *cell == '+')
            .map(|(row, _)| sample(row, &home, variables).1)
            .collect();
        for (what, request, before) in silent {
            if !purposely.contains(&request) {
                let (before, after) = then(request, before);
                assert_eq!(after, before, "{what}: {request} was sent");
            }
        }
        drop(tool);
        desk.ask("shutdown", PATIENCE, Command::Shutdown)
            .await
            .unwrap()
            .unwrap();
        home.mark.assert_none_left(PATIENCE);
    }
    assert!(refused > 90 && sent > 20, "{refused} refused, {sent} sent");
}

/// Cells with a question mark are left out.
#[test]
fn the_suite_holds_what_its_head_says() {
    let source = include_str!("tool_gate.rs");
    let cells = TABLE.iter().flat_map(|(_, cells)| cells.chars());
    let tried = cells.filter(|cell| *cell != '?').count();
    support::suite::assert_present(source, "T13", tried);
}
