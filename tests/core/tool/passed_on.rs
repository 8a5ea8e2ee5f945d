//! What is asked of the tool reaches the adapter under the protocol's names, as it was said.

use serde_json::{Value, json};

use super::bench::LIMIT;
use super::slow::open;
use crate::support::procs::Watchdog;
use crate::support::trace;

/// What the adapter hears holds this.
fn holds(heard: &Value, wanted: &Value) -> bool {
    match (heard, wanted) {
        (Value::Object(heard), Value::Object(wanted)) => wanted
            .iter()
            .all(|(name, value)| heard.get(name).is_some_and(|heard| holds(heard, value))),
        (Value::Array(heard), Value::Array(wanted)) => {
            heard.len() == wanted.len() && heard.iter().zip(wanted).all(|(h, w)| holds(h, w))
        }
        _ => heard == wanted,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_parameter_reaches_the_adapter() {
    let _watchdog = Watchdog::new("parameters", LIMIT);
    let able = r#"{"supportsWriteMemoryRequest":true}"#;
    let (bench, program) = open(&["--capabilities", able]).await;
    bench
        .call(
            "launch",
            json!({"program": program, "adapter": "fake", "args": ["a b", "--c"]}),
        )
        .await;
    let scope = bench.locals().await;
    let stack = bench.call("stack_trace", json!({})).await;
    let frame = stack.details["stackFrames"][0]["id"].clone();
    let table = [
        (
            "evaluate",
            json!({"expression": "1"}),
            "evaluate",
            json!({"expression": "1", "context": "repl", "frameId": frame}),
        ),
        (
            "evaluate",
            json!({"expression": "2", "context": "of its own"}),
            "evaluate",
            json!({"expression": "2", "context": "of its own", "frameId": frame}),
        ),
        (
            "disassemble",
            json!({"memory_reference": "0x1000", "offset": 8, "instruction_offset": -2,
                "instruction_count": 3, "resolve_symbols": true}),
            "disassemble",
            json!({"memoryReference": "0x1000", "offset": 8, "instructionOffset": -2,
                "instructionCount": 3, "resolveSymbols": true}),
        ),
        (
            "read_memory",
            json!({"memory_reference": "0x1000", "offset": 4, "count": 16}),
            "readMemory",
            json!({"memoryReference": "0x1000", "offset": 4, "count": 16}),
        ),
        (
            "write_memory",
            json!({"memory_reference": "0x1000", "offset": 2, "allow_partial": true, "data": "AQ=="}),
            "writeMemory",
            json!({"memoryReference": "0x1000", "offset": 2, "allowPartial": true, "data": "AQ=="}),
        ),
        (
            "modules",
            json!({"start_module": 1, "module_count": 2}),
            "modules",
            json!({"startModule": 1, "moduleCount": 2}),
        ),
        (
            "data_breakpoint_info",
            json!({"name": "total", "scope_id": scope}),
            "dataBreakpointInfo",
            json!({"name": "total", "variablesReference": scope}),
        ),
        (
            "data_breakpoint_info",
            json!({"name": "total", "frame_id": frame}),
            "dataBreakpointInfo",
            json!({"name": "total", "frameId": frame}),
        ),
        (
            "set_data_breakpoint",
            json!({"data_id": "total", "access_type": "readWrite", "condition": "i > 1", "hit_condition": ">= 2"}),
            "setDataBreakpoints",
            json!({"breakpoints": [{"dataId": "total", "accessType": "readWrite",
                "condition": "i > 1", "hitCondition": ">= 2"}]}),
        ),
        (
            "set_instruction_breakpoint",
            json!({"instruction_reference": "0x1000", "offset": 4, "condition": "i > 1", "hit_condition": ">= 2"}),
            "setInstructionBreakpoints",
            json!({"breakpoints": [{"instructionReference": "0x1000", "offset": 4,
                "condition": "i > 1", "hitCondition": ">= 2"}]}),
        ),
        (
            "set_breakpoint",
            json!({"file": "program.fake", "line": 4, "condition": "i > 1"}),
            "setBreakpoints",
            json!({"source": {"path": program}, "breakpoints": [{"line": 4, "condition": "i > 1"}]}),
        ),
        (
            "custom_request",
            json!({"command": "gotoTargets", "arguments": {"line": 2, "odd": [1, {}]}}),
            "gotoTargets",
            json!({"line": 2, "odd": [1, {}]}),
        ),
    ];
    let log = bench.home.path().join("log");
    for (action, arguments, request, wanted) in table {
        bench.call(action, arguments).await;
        let heard = trace::arguments(&log, request);
        let last = heard.last().unwrap_or(&Value::Null);
        assert!(holds(last, &wanted), "{action}: {wanted} is not in {last}");
    }
    let launch = &trace::arguments(&log, "launch")[0];
    assert_eq!(launch["args"], json!(["a b", "--c"]));
    bench.call("terminate", json!({})).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_adapter_cannot_do_is_said_and_not_sent() {
    let _watchdog = Watchdog::new("what is lacking", LIMIT);
    let unable = json!({"supportsDisassembleRequest": false, "supportsReadMemoryRequest": false,
        "supportsWriteMemoryRequest": false, "supportsModulesRequest": false,
        "supportsLoadedSourcesRequest": false, "supportsInstructionBreakpoints": false,
        "supportsDataBreakpoints": false});
    let (bench, program) = open(&["--capabilities", &unable.to_string()]).await;
    bench
        .call("launch", json!({"program": program, "adapter": "fake"}))
        .await;
    let instruction = json!({"instruction_reference": "0x1000"});
    let data = json!({"data_id": "total"});
    let table = [
        (
            "disassemble",
            json!({"instruction_count": 1}),
            "disassembly",
        ),
        (
            "read_memory",
            json!({"memory_reference": "0x1000", "count": 1}),
            "memory reads",
        ),
        (
            "write_memory",
            json!({"memory_reference": "0x1000", "data": "AQ=="}),
            "memory writes",
        ),
        ("modules", json!({}), "module introspection"),
        ("loaded_sources", json!({}), "loaded sources"),
        (
            "set_instruction_breakpoint",
            instruction.clone(),
            "instruction breakpoints",
        ),
        (
            "remove_instruction_breakpoint",
            instruction,
            "instruction breakpoints",
        ),
        (
            "data_breakpoint_info",
            json!({"name": "total"}),
            "data breakpoints",
        ),
        ("set_data_breakpoint", data.clone(), "data breakpoints"),
        ("remove_data_breakpoint", data, "data breakpoints"),
    ];
    for (action, arguments, noun) in table {
        bench.lacks(action, arguments, noun).await;
    }
    let heard = trace::commands(&bench.home.path().join("log"));
    for request in [
        "disassemble",
        "readMemory",
        "writeMemory",
        "modules",
        "loadedSources",
        "setInstructionBreakpoints",
        "dataBreakpointInfo",
        "setDataBreakpoints",
    ] {
        assert!(!heard.iter().any(|command| command == request), "{heard:?}");
    }
    bench.call("terminate", json!({})).await;
    bench.close().await;
}
