//! A whole session with a Python program.

use omp_debug::debugger::ErrorKind;
use omp_debug::debugger::permission::Caller;
use serde_json::json;

use super::bench::{Bench, LIMIT, at, stands_at};
use crate::support::procs::Watchdog;
use crate::support::tools;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_python_story() {
    let _python = require!(debugpy);
    let _watchdog = Watchdog::new("a python story", LIMIT);
    let bench = Bench::open().await;
    let program = tools::python_program();

    let nothing = bench.call("terminate", json!({})).await;
    assert_eq!(nothing.text, "No debug session to terminate.");
    assert_eq!(
        bench.call("sessions", json!({})).await.details["sessions"],
        json!([])
    );
    let none = bench.refused("stack_trace", json!({})).await;
    assert_eq!(
        none.error,
        "No active debug session. Launch or attach first."
    );

    let (place, line) = at(&program, "loop");
    let set = bench.call("set_breakpoint", place.clone()).await;
    assert_eq!(
        set.text,
        format!(
            "Breakpoints for {}:\n- line {line}: pending",
            program.display()
        )
    );
    assert_eq!(set.details["breakpoints"][0]["verified"], false);

    // A relative program is below `cwd`.
    let folder = program.parent().unwrap();
    let name = program.file_name().unwrap().to_str().unwrap();
    let launched = bench
        .call(
            "launch",
            json!({"program": name, "cwd": folder, "args": ["stock"]}),
        )
        .await;
    stands_at(&launched, &program, "loop");
    assert_eq!(launched.details["adapter"], "debugpy");
    let snapshot = launched.snapshot.as_ref().unwrap();
    assert_eq!(snapshot["id"], "debug-1");
    assert_eq!(snapshot["program"], program.to_str().unwrap());
    assert_eq!(snapshot["cwd"], folder.to_str().unwrap());
    assert_eq!(snapshot["stopReason"], "breakpoint");
    assert_eq!(snapshot["frameName"], "total_of");
    assert_eq!(snapshot["needsConfigurationDone"], false);
    let happened = launched.events_since.lines.join("\n");
    assert!(
        happened.contains("debug-1 started: ") && happened.contains("debug-1 stopped: breakpoint"),
        "{happened}"
    );

    let second = bench
        .refused("launch", json!({"program": name, "cwd": folder}))
        .await;
    assert_eq!(
        second.error,
        "Debug session debug-1 is still active. Terminate it before launching another."
    );

    let threads = bench.call("threads", json!({})).await;
    assert_eq!(threads.details["threads"][0]["name"], "MainThread");
    assert!(
        threads.text.starts_with("Threads:\n- ") && threads.text.ends_with(": MainThread"),
        "{}",
        threads.text
    );

    let stack = bench.call("stack_trace", json!({"levels": 2})).await;
    let frames = stack.details["stackFrames"].as_array().unwrap();
    assert_eq!(frames.len(), 2);
    let first = format!(
        "- #{} total_of @ {}:{line}:",
        frames[0]["id"],
        program.display()
    );
    assert!(stack.text.contains(&first), "{}", stack.text);
    assert!(stack.text.ends_with("ask with levels)"), "{}", stack.text);
    let all = bench.call("stack_trace", json!({})).await;
    assert!(
        all.details["stackFrames"].as_array().unwrap().len() > 3,
        "{}",
        all.text
    );

    let locals = bench.locals().await;
    let variables = bench.call("variables", json!({"scope_id": locals})).await;
    assert!(
        variables.text.contains("- cost = 20 (int)"),
        "{}",
        variables.text
    );
    let item = variables.details["variables"]
        .as_array()
        .unwrap()
        .iter()
        .find(|v| v["name"] == "item")
        .unwrap();
    let reference = item["variablesReference"].as_i64().unwrap();
    assert!(
        variables
            .text
            .contains(&format!(" (dict) [ref={reference}]")),
        "{}",
        variables.text
    );
    // The variable wins over the scope.
    let parts = bench
        .call(
            "variables",
            json!({"variable_ref": reference, "scope_id": locals}),
        )
        .await;
    assert!(parts.text.contains("'bolt'"), "{}", parts.text);

    let sum = bench
        .call("evaluate", json!({"expression": "cost + 1"}))
        .await;
    assert_eq!(sum.text, "Result: 21\nType: int");
    assert_eq!(sum.details["evaluation"]["result"], "21");
    let outer = frames[1]["id"].as_i64().unwrap();
    let outer = bench
        .call(
            "evaluate",
            json!({"expression": "len(items)", "frame_id": outer, "context": "watch"}),
        )
        .await;
    assert_eq!(outer.details["evaluation"]["result"], "3");
    let wrong = bench
        .refused("evaluate", json!({"expression": "nowhere"}))
        .await;
    assert!(
        wrong.error.contains("nowhere"),
        "the adapter's own words: {wrong:?}"
    );

    bench.call("remove_breakpoint", place.clone()).await;
    let again = bench.call("remove_breakpoint", place.clone()).await;
    assert!(
        again
            .text
            .ends_with(&format!("(none)\nThere was no breakpoint at line {line}.")),
        "{}",
        again.text
    );

    let function = bench
        .call(
            "set_breakpoint",
            json!({"function": "price_of", "condition": "quantity == 3"}),
        )
        .await;
    assert_eq!(
        function.details["functionBreakpoints"][0]["condition"],
        "quantity == 3"
    );
    assert!(
        function
            .text
            .starts_with("Function breakpoints:\n- price_of: verified if quantity == 3"),
        "{}",
        function.text
    );
    let stop = bench.call("continue", json!({})).await;
    assert_eq!(
        stop.snapshot.as_ref().unwrap()["stopReason"],
        "function breakpoint",
        "{}",
        stop.text
    );
    assert_eq!(bench.value("quantity").await, "3");
    bench
        .call("remove_breakpoint", json!({"function": "price_of"}))
        .await;
    for mark in ["price", "price-return"] {
        stands_at(&bench.call("step_over", json!({})).await, &program, mark);
    }
    bench.call("step_out", json!({})).await;

    let modules = bench.call("modules", json!({})).await;
    assert!(modules.text.starts_with("ID"), "{}", modules.text);
    let custom = bench
        .call("custom_request", json!({"command": "debugpySystemInfo"}))
        .await;
    assert!(
        custom.details["customBody"]["python"].is_object(),
        "{}",
        custom.text
    );
    assert!(
        custom
            .text
            .starts_with("debugpySystemInfo response:\n{\n  \""),
        "{}",
        custom.text
    );

    bench
        .lacks("loaded_sources", json!({}), "loaded sources")
        .await;
    bench
        .lacks(
            "disassemble",
            json!({"instruction_count": 1}),
            "disassembly",
        )
        .await;
    bench
        .lacks(
            "read_memory",
            json!({"memory_reference": "0", "count": 1}),
            "memory reads",
        )
        .await;
    bench
        .lacks(
            "write_memory",
            json!({"memory_reference": "0", "data": "AQ=="}),
            "memory writes",
        )
        .await;
    let reference = json!({"instruction_reference": "0"});
    bench
        .lacks(
            "set_instruction_breakpoint",
            reference.clone(),
            "instruction breakpoints",
        )
        .await;
    bench
        .lacks(
            "remove_instruction_breakpoint",
            reference,
            "instruction breakpoints",
        )
        .await;
    bench
        .lacks(
            "data_breakpoint_info",
            json!({"name": "cost"}),
            "data breakpoints",
        )
        .await;
    bench
        .lacks(
            "set_data_breakpoint",
            json!({"data_id": "cost"}),
            "data breakpoints",
        )
        .await;
    bench
        .lacks(
            "remove_data_breakpoint",
            json!({"data_id": "cost"}),
            "data breakpoints",
        )
        .await;

    let seen = bench.call("sessions", json!({})).await.events_since.seq;
    let over = bench.call("continue", json!({})).await;
    assert_eq!(over.details["state"], "terminated");
    assert_eq!(over.snapshot.as_ref().unwrap()["exitCode"], 0);
    assert!(
        over.text.contains("\nStatus: terminated\n"),
        "{}",
        over.text
    );
    assert!(
        over.text
            .ends_with("\nExit code: 0\nProgram terminated with exit code 0."),
        "{}",
        over.text
    );
    let output = bench
        .tool
        .call(
            &Caller::default(),
            "output",
            &serde_json::Map::new(),
            Some(seen),
        )
        .await
        .unwrap();
    assert!(output.text.contains("total 165"), "{}", output.text);
    let entries = output.details["output"].as_array().unwrap();
    let printed = entries
        .iter()
        .find(|e| e["text"].as_str().unwrap().contains("total 165"))
        .unwrap();
    assert_eq!(printed["category"], "stdout");
    let happened = output.events_since.lines.join("\n");
    assert!(
        happened.contains("debug-1 exited with code 0") && happened.contains("debug-1 ended: "),
        "{happened}"
    );
    let list = bench.call("sessions", json!({})).await;
    assert!(
        list.text
            .starts_with("debug-1: terminated\n  adapter=debugpy\n  cwd="),
        "{}",
        list.text
    );
    let ended = bench.call("terminate", json!({})).await;
    assert!(
        ended.text.ends_with("\nNo debug session to terminate."),
        "{}",
        ended.text
    );
    let late = bench.refused("continue", json!({})).await;
    assert_eq!(
        (late.kind, late.error.as_str()),
        (
            ErrorKind::State,
            "No active debug session. Launch or attach first."
        )
    );
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_exception_is_told() {
    let _python = require!(debugpy);
    let _watchdog = Watchdog::new("an exception", LIMIT);
    let bench = Bench::open().await;
    let program = tools::python_program();
    bench
        .call("launch", json!({"program": program, "args": ["uncaught"]}))
        .await;
    let stop = bench.call("continue", json!({})).await;
    stands_at(&stop, &program, "raise-uncaught");
    assert!(
        stop.text.contains("\nStop reason: exception\n"),
        "{}",
        stop.text
    );
    let last = stop.text.lines().last().unwrap();
    assert!(
        last.contains("(exception: ") && last.contains("ValueError"),
        "{last}"
    );
    let over = bench.call("continue", json!({})).await;
    assert!(
        over.text
            .ends_with("\nExit code: 1\nProgram terminated with exit code 1."),
        "{}",
        over.text
    );
    bench.close().await;
}
