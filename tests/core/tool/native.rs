//! Below the source: data, instructions, memory, and a process that runs already.

use std::process::{Child, Stdio};

use omp_debug::debugger::{ErrorKind, Phase};
use serde_json::json;

use super::bench::{Bench, LIMIT, at, stands_at};
use crate::support::procs::Watchdog;
use crate::support::{program_source, tools};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_and_instructions_in_lldb() {
    let _lldb = require!(lldb_dap);
    let _watchdog = Watchdog::new("data in lldb", LIMIT);
    let bench = Bench::open().await;
    let (program, source) = (tools::c_program(), program_source("prog.c"));
    let (place, _) = at(&source, "loop-call");
    bench.call("set_breakpoint", place.clone()).await;
    let stop = bench
        .call("launch", json!({"program": program, "adapter": "lldb-dap"}))
        .await;
    stands_at(&stop, &source, "loop-call");
    let pointer = stop.snapshot.as_ref().unwrap()["instructionPointerReference"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        stop.text
            .contains(&format!("\nInstruction pointer: {pointer}\n")),
        "{}",
        stop.text
    );
    bench.call("remove_breakpoint", place).await;

    let code = bench
        .call("disassemble", json!({"instruction_count": 4}))
        .await;
    let instructions = code.details["disassembly"].as_array().unwrap();
    assert_eq!(instructions.len(), 4);
    assert!(
        code.text.starts_with(&format!(
            "Disassembly:\n{}",
            instructions[0]["address"].as_str().unwrap()
        )),
        "{}",
        code.text
    );

    let locals = bench.locals().await;
    let info = bench
        .call(
            "data_breakpoint_info",
            json!({"name": "total", "scope_id": locals}),
        )
        .await;
    let id = info.details["dataBreakpointInfo"]["dataId"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        info.text
            .contains(&format!("\nData ID: {id}\nAccess types: ")),
        "{}",
        info.text
    );
    let set = bench
        .call(
            "set_data_breakpoint",
            json!({"data_id": id, "access_type": "write"}),
        )
        .await;
    assert_eq!(set.details["dataBreakpoints"][0]["dataId"], id.as_str());
    assert!(
        set.text
            .starts_with(&format!("Data breakpoints:\n- {id}: verified (write)")),
        "{}",
        set.text
    );
    let changed = bench.call("continue", json!({})).await;
    assert_eq!(changed.details["state"], "stopped", "{}", changed.text);
    assert_eq!(bench.value("total").await, "20");
    let removed = bench
        .call("remove_data_breakpoint", json!({"data_id": id}))
        .await;
    assert_eq!(removed.text, "Data breakpoints:\n(none)");

    let modules = bench.call("modules", json!({})).await;
    assert!(modules.text.contains("prog-c"), "{}", modules.text);
    // What is no expression is a command of the debugger's; a name alone only when that is said.
    let version = bench
        .call("evaluate", json!({"expression": "!version"}))
        .await;
    assert!(version.text.contains("lldb version"), "{}", version.text);

    bench
        .lacks(
            "read_memory",
            json!({"memory_reference": pointer, "count": 4}),
            "memory reads",
        )
        .await;
    bench
        .lacks(
            "write_memory",
            json!({"memory_reference": pointer, "data": "AQ=="}),
            "memory writes",
        )
        .await;
    bench
        .lacks(
            "set_instruction_breakpoint",
            json!({"instruction_reference": pointer}),
            "instruction breakpoints",
        )
        .await;
    let over = bench.call("continue", json!({})).await;
    assert_eq!(over.details["state"], "terminated", "{}", over.text);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_and_instruction_breakpoints_in_gdb() {
    let _gdb = require!(gdb);
    let _watchdog = Watchdog::new("memory in gdb", LIMIT);
    let bench = Bench::open().await;
    let (program, source) = (tools::c_program(), program_source("prog.c"));
    let (place, _) = at(&source, "price");
    bench.call("set_breakpoint", place.clone()).await;
    let stop = bench
        .call("launch", json!({"program": program, "adapter": "gdb"}))
        .await;
    stands_at(&stop, &source, "price");
    bench.call("remove_breakpoint", place).await;

    // An element is called by its number.
    let row = bench
        .call("evaluate", json!({"expression": "numbers"}))
        .await;
    let reference = &row.details["evaluation"]["variablesReference"];
    bench
        .call("variables", json!({"variable_ref": reference}))
        .await;
    let change = json!({"variable_ref": reference, "name": "7", "value": "77"});
    let set = bench.call("set_variable", change).await;
    assert_eq!(bench.value("numbers[7]").await, "77", "{}", set.text);

    let address = bench.value("&numbers[1]").await;
    let address = address
        .split_whitespace()
        .find(|word| word.starts_with("0x"))
        .unwrap()
        .to_owned();
    let memory = json!({"memory_reference": address, "count": 20, "offset": -4});
    let before = bench.call("read_memory", memory.clone()).await;
    assert_eq!(
        before.details["memoryData"].as_str().unwrap().len(),
        28,
        "{}",
        before.text
    );
    assert_eq!(before.details["unreadableBytes"], 0);
    let from = before.details["memoryAddress"].as_str().unwrap();
    assert!(from.starts_with("0x"), "{from}");
    assert!(
        before
            .text
            .lines()
            .nth(1)
            .unwrap()
            .ends_with("01 00 00 00 02 00 00 00 03 00 00 00  |................|"),
        "{}",
        before.text
    );
    let written = bench
        .call(
            "write_memory",
            json!({"memory_reference": address, "data": "QUJDRA=="}),
        )
        .await;
    assert_eq!(written.text, "Memory write completed.\nBytes written: 4");
    assert_eq!(written.details["bytesWritten"], 4);
    let after = bench.call("read_memory", memory).await;
    assert!(
        after
            .text
            .lines()
            .nth(1)
            .unwrap()
            .ends_with("41 42 43 44 02 00 00 00 03 00 00 00  |....ABCD........|"),
        "{}",
        after.text
    );
    assert_eq!(bench.value("numbers[1]").await, "1145258561");
    let bad = bench
        .refused(
            "write_memory",
            json!({"memory_reference": address, "data": "not base64"}),
        )
        .await;
    assert_eq!(bad.kind, ErrorKind::Usage);
    assert!(
        bad.error
            .starts_with("data of write_memory is not base64: "),
        "{}",
        bad.error
    );

    let code = bench
        .call(
            "disassemble",
            json!({"instruction_count": 6, "resolve_symbols": true}),
        )
        .await;
    let third = code.details["disassembly"][2]["address"]
        .as_str()
        .unwrap()
        .to_owned();
    let reference = json!({"instruction_reference": third});
    let set = bench
        .call("set_instruction_breakpoint", reference.clone())
        .await;
    assert_eq!(
        set.details["instructionBreakpoints"][0]["instructionReference"],
        third.as_str()
    );
    assert!(
        set.text
            .starts_with(&format!("Instruction breakpoints:\n- {third}: ")),
        "{}",
        set.text
    );
    let stop = bench.call("continue", json!({})).await;
    assert_eq!(stop.details["state"], "stopped", "{}", stop.text);
    let here = stop.snapshot.as_ref().unwrap()["instructionPointerReference"]
        .as_str()
        .unwrap()
        .to_owned();
    let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    assert_eq!(number(&here), number(&third));
    let removed = bench.call("remove_instruction_breakpoint", reference).await;
    assert_eq!(removed.text, "Instruction breakpoints:\n(none)");

    let sources = bench.call("loaded_sources", json!({})).await;
    assert!(
        sources.text.contains("prog.c"),
        "{} sources",
        sources.text.lines().count()
    );
    let listed = sources.details["sources"].as_array().unwrap();
    assert!(listed.iter().any(|source| source["name"] == "prog.c"));
    let modules = bench
        .call("modules", json!({"start_module": 0, "module_count": 1}))
        .await;
    assert_eq!(
        modules.details["modules"].as_array().unwrap().len(),
        1,
        "{}",
        modules.text
    );
    // A name is never taken for the short form of a command, least of all of `kill`.
    let name = bench.refused("evaluate", json!({"expression": "k"})).await;
    assert!(name.error.contains("\"k\""), "{name:?}");
    assert!(name.hint.unwrap().starts_with("!k runs it"));
    // Neither an expression nor a command: both are told.
    let wrong = bench
        .refused(
            "evaluate",
            json!({"expression": "nothing_of_this_kind at all"}),
        )
        .await;
    assert!(wrong.error.contains("nothing_of_this_kind"), "{wrong:?}");
    assert!(
        wrong
            .hint
            .unwrap()
            .starts_with("as a command of the debugger's: ")
    );
    let raw = bench
        .call("evaluate", json!({"expression": "info line"}))
        .await;
    assert!(raw.text.contains("prog.c"), "{}", raw.text);
    // What is in no memory cannot be watched.
    for (name, can) in [("price", true), ("price + 1", false)] {
        let info = bench.call("data_breakpoint_info", json!({"name": name}));
        let info = info.await.details["dataBreakpointInfo"].clone();
        assert_eq!(info["dataId"].is_string(), can, "{info}");
    }
    let over = bench.call("continue", json!({})).await;
    assert_eq!(over.details["state"], "terminated", "{}", over.text);
    bench.close().await;
}

/// A debugger knows the lines of what was compiled: a breakpoint goes with its line when that is built again, and not before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breakpoints_go_with_their_lines_once_the_program_is_built_again() {
    let _gdb = require!(gdb);
    let _watchdog = Watchdog::new("lines of what is built again", LIMIT);
    let bench = Bench::open().await;
    let text = "int twice(int n) {\n  return n * 2;\n}\nint main(void) { return twice(4) - 8; }\n";
    let source = bench.home.file("work/twice.c", text);
    let program = source.with_extension("");
    let build = || {
        let mut build = std::process::Command::new("cc");
        build.args(["-g", "-O0", "-o"]).arg(&program).arg(&source);
        assert!(build.status().unwrap().success());
    };
    let stands_at = async |line: i64| {
        bench.until(|phase| *phase == Phase::Stopped).await;
        let seen = bench.call("snapshot", json!({})).await;
        assert_eq!(seen.snapshot.unwrap()["line"], line, "{}", seen.text);
    };
    build();
    let place = json!({"file": source, "line": 2});
    bench.call("set_breakpoint", place).await;
    let launch = json!({"program": program, "adapter": "gdb"});
    bench.call("launch", launch).await;
    stands_at(2).await;
    std::fs::write(&source, format!("// new\n\n{text}")).unwrap();
    bench.call("restart", json!({})).await;
    stands_at(2).await;
    build();
    bench.call("restart", json!({})).await;
    stands_at(4).await;
    bench.close().await;
}

/// A process that is ended with the test, also when that fails.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attach_by_process_id() {
    let _lldb = require!(lldb_dap);
    let _watchdog = Watchdog::new("attach by process id", LIMIT);
    let bench = Bench::open().await;
    let count = bench.home.path().join("count");
    let child = std::process::Command::new(tools::c_program())
        .arg("count")
        .arg(&count)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut child = Ended(child);
    let none = bench.refused("attach", json!({"pid": 0})).await;
    assert_eq!(
        none.error,
        "pid of attach must be an integer from 1 to 2147483647, not 0"
    );
    let attached = bench
        .call(
            "attach",
            json!({"pid": child.0.id(), "adapter": "lldb-dap"}),
        )
        .await;
    assert_eq!(attached.details["adapter"], "lldb-dap");
    assert_eq!(attached.snapshot.as_ref().unwrap()["pid"], child.0.id());
    if attached.details["state"] == "running" {
        let paused = bench.call("pause", json!({})).await;
        assert_eq!(paused.details["state"], "stopped");
    }
    let stack = bench.call("stack_trace", json!({})).await;
    assert!(
        stack.text.contains(" count @ ") || stack.text.contains(" main @ "),
        "{}",
        stack.text
    );
    bench.call("terminate", json!({})).await;
    assert!(child.0.try_wait().unwrap().is_none(), "it runs on");
    bench.close().await;
}
