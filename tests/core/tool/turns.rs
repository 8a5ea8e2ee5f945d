//! Long runs, children, calls at the same time, calls that are taken back.

use serde_json::json;

use omp_debug::debugger::permission::Caller;
use omp_debug::debugger::tool::ToolResult;
use omp_debug::debugger::{ErrorKind, Phase};

use super::bench::{Bench, LIMIT, at, stands_at};
use crate::support::procs::Watchdog;
use crate::support::tools;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hits_are_counted_and_a_long_run_is_no_error() {
    let _python = require!(debugpy);
    let _watchdog = Watchdog::new("a long run", LIMIT);
    let bench = Bench::open().await;
    let program = tools::python_program();
    let (mut place, line) = at(&program, "loop");
    place["hit_condition"] = json!("3");
    let set = bench.call("set_breakpoint", place).await;
    assert_eq!(
        set.text,
        format!(
            "Breakpoints for {}:\n- line {line}: pending after 3",
            program.display()
        )
    );
    let third = bench
        .call("launch", json!({"program": program, "adapter": "debugpy"}))
        .await;
    stands_at(&third, &program, "loop");
    assert_eq!(bench.value("cost").await, "120");
    let ended = bench.call("terminate", json!({})).await;
    assert!(
        ended.text.ends_with("\nDebug session debug-1 terminated."),
        "{}",
        ended.text
    );
    assert_eq!(ended.snapshot.unwrap()["status"], "terminated");
    let (place, _) = at(&program, "loop");
    bench.call("remove_breakpoint", place).await;

    let count = bench.home.path().join("count");
    let entry = bench
        .call(
            "launch",
            json!({"program": program, "args": ["count", count]}),
        )
        .await;
    assert_eq!(
        entry.details["state"], "stopped",
        "without a breakpoint it stops at its entry: {}",
        entry.text
    );
    let running = bench.call("continue", json!({"timeout": 1})).await;
    assert_eq!(running.details["state"], "running");
    assert_eq!(running.details["timedOut"], true);
    assert!(
        running
            .text
            .ends_with("\nProgram is still running after 5 s."),
        "{}",
        running.text
    );
    // What needs no adapter is use all the same.
    let used = |result: &ToolResult| {
        result.snapshot.as_ref().unwrap()["lastUsedAt"]
            .as_u64()
            .unwrap()
    };
    assert!(used(&bench.call("output", json!({})).await) > used(&running));
    let refused = bench.refused("stack_trace", json!({})).await;
    assert_eq!(
        (refused.kind, refused.error.as_str()),
        (ErrorKind::State, "No thread is stopped.")
    );
    let paused = bench.call("pause", json!({})).await;
    assert_eq!(paused.details["state"], "stopped");
    let again = bench.call("pause", json!({})).await;
    assert_eq!(
        again.text, paused.text,
        "the stop that is there is told again"
    );
    assert_eq!(again.events_since.lines, Vec::<String>::new());
    bench.call("step_in", json!({})).await;
    bench.call("terminate", json!({})).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_ends_a_wait_does_not_wait_behind_it() {
    let _python = require!(debugpy);
    let _watchdog = Watchdog::new("a pause beside a wait", LIMIT);
    let bench = Bench::open().await;
    let program = tools::python_program();
    let count = bench.home.path().join("count");
    let launch = json!({"program": program, "args": ["count", count]});
    bench.call("launch", launch).await;
    let (waited, (known, paused)) =
        tokio::join!(bench.call("continue", json!({"timeout": 300})), async {
            bench.until(|phase| *phase == Phase::Running).await;
            (
                bench.call("sessions", json!({})).await,
                bench.call("pause", json!({})).await,
            )
        });
    assert!(known.text.contains("debug-1: running"), "{}", known.text);
    assert_eq!(paused.details["state"], "stopped");
    assert_eq!(waited.details["state"], "stopped");

    // What is not there is refused, and changes nothing.
    let filters = json!({"filters": ["raised"]});
    bench.call("set_exception_breakpoints", filters).await;
    let typo = json!({"filters": ["typo"]});
    let refused = bench.refused("set_exception_breakpoints", typo).await;
    assert!(refused.hint.unwrap().contains("raised"));
    let all = bench.call("breakpoints", json!({})).await.text;
    assert!(all.ends_with("Stops at exceptions: raised."), "{all}");
    let refused = bench.refused("thread_stack", json!({"thread": 77})).await;
    assert_eq!(refused.error, "There is no thread 77.");
    let typo = json!({"name": "totl", "value": "99"});
    let set = bench.call("set_variable", typo).await.text;
    assert!(set.contains("There was no such variable"), "{set}");

    // The one that has ended is meant, where there is no other.
    bench.call("terminate", json!({})).await;
    bench.call("restart", json!({})).await;
    bench.call("terminate", json!({})).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_wait_for_each_other_and_can_be_dropped() {
    let _python = require!(debugpy);
    let _watchdog = Watchdog::new("calls in turn", LIMIT);
    let bench = Bench::open().await;
    let program = tools::python_program();
    let count = bench.home.path().join("count");
    bench
        .call(
            "launch",
            json!({"program": program, "args": ["count", count]}),
        )
        .await;
    let (person, nothing) = (Caller::default(), serde_json::Map::new());
    {
        let waiting = bench.tool.call(&person, "continue", &nothing, None);
        // Taken back once the program runs: it runs on.
        let runs = bench.until(|phase| *phase == Phase::Running);
        tokio::select! {
            result = waiting => panic!("it ended: {result:?}"),
            () = runs => {}
        }
    }
    let (place, _) = at(&program, "count");
    bench.call("set_breakpoint", place).await;
    // A pause on its way while the program comes to a breakpoint would be a second stop, after the next `continue`.
    bench.until(|phase| *phase == Phase::Stopped).await;
    let paused = bench.call("pause", json!({})).await;
    assert_eq!(paused.details["state"], "stopped");
    let (first, second, third) = tokio::join!(
        bench.tool.call(&person, "continue", &nothing, None),
        bench.tool.call(&person, "step_over", &nothing, None),
        bench.tool.call(&person, "stack_trace", &nothing, None)
    );
    stands_at(&first.unwrap(), &program, "count");
    let stepped = second.unwrap();
    assert_eq!(stepped.details["state"], "stopped");
    let line = &stepped.snapshot.unwrap()["line"];
    assert_eq!(third.unwrap().details["stackFrames"][0]["line"], *line);
    bench.call("terminate", json!({})).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_stops_is_the_one_spoken_of() {
    let _python = require!(debugpy);
    let _watchdog = Watchdog::new("a child that stops", LIMIT);
    let bench = Bench::open().await;
    let program = tools::python_program();
    let (place, _) = at(&program, "loop");
    bench.call("set_breakpoint", place).await;
    let child = bench
        .call("launch", json!({"program": program, "args": ["child"]}))
        .await;
    stands_at(&child, &program, "loop");
    let snapshot = child.snapshot.unwrap();
    assert_eq!(snapshot["parentId"], "debug-1", "{snapshot}");
    let sessions = bench.call("sessions", json!({})).await;
    let root = &sessions.details["sessions"][0];
    assert_eq!(
        (&root["id"], &root["status"]),
        (&json!("debug-1"), &json!("running"))
    );
    assert_eq!(root["childIds"], json!([snapshot["id"]]));
    // Both processes' threads, each with its session.
    let threads = bench.call("threads", json!({})).await;
    let of = |session: &str| {
        let all = threads.details["threads"].as_array().unwrap();
        all.iter().filter(|t| t["sessionId"] == session).count()
    };
    assert!(
        of("debug-1") > 0 && of(snapshot["id"].as_str().unwrap()) > 0,
        "{}",
        threads.text
    );
    assert!(
        threads.text.contains("MainThread [debug-1]"),
        "{}",
        threads.text
    );
    assert_eq!(bench.value("cost").await, "20");
    let second = bench.refused("launch", json!({"program": program})).await;
    assert!(
        second
            .error
            .starts_with("Debug session debug-1 is still active."),
        "{second:?}"
    );
    let ended = bench.call("terminate", json!({})).await;
    assert!(
        ended.text.ends_with("\nDebug session debug-1 terminated."),
        "{}",
        ended.text
    );
    let sessions = bench.call("sessions", json!({})).await;
    for session in sessions.details["sessions"].as_array().unwrap() {
        assert_eq!(session["status"], "terminated", "{}", sessions.text);
    }
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_value_can_drive_a_terminal() {
    let _python = require!(debugpy);
    let _watchdog = Watchdog::new("hostile values", LIMIT);
    let bench = Bench::open().await;
    let program = tools::python_program();
    let (place, _) = at(&program, "call");
    bench.call("set_breakpoint", place).await;
    bench.call("launch", json!({"program": program})).await;
    // What a hostile program could print, made by the program itself.
    let hostile = json!({"expression": "print(escapes) or escapes"});
    let value = bench.call("evaluate", hostile).await;
    bench
        .call(
            "evaluate",
            json!({"expression": "__import__('sys').stdout.flush()"}),
        )
        .await;
    let output = bench.call("output", json!({})).await;
    let shown = [
        value.text,
        output.text,
        serde_json::to_string(&output.details).unwrap(),
    ];
    for text in &shown {
        let bad = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!text.contains(bad), "{text:?}");
    }
    assert!(
        shown[1].contains("␛[31mred␛[0m␇ \\u{202e}right to left"),
        "{}",
        shown[1]
    );
    bench.call("terminate", json!({})).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_a_program_worked_means_nothing_once_it_has_ended() {
    let _watchdog = Watchdog::new("relative paths", LIMIT);
    let (bench, program) = super::slow::open(&[]).await;
    let elsewhere = bench.home.path().join("work/elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let start = json!({"program": program, "adapter": "fake", "cwd": elsewhere});
    bench.call("launch", start).await;
    let place = json!({"file": "program.fake", "line": 3});
    let heading = |path: &std::path::Path| format!("Breakpoints for {}:\n", path.display());
    let lives = bench.call("set_breakpoint", place.clone()).await;
    let below = heading(&elsewhere.join("program.fake"));
    assert!(lives.text.starts_with(&below), "{}", lives.text);
    bench.call("terminate", json!({})).await;
    let ended = bench.call("set_breakpoint", place).await;
    let own = heading(&program);
    assert!(ended.text.starts_with(&own), "{}", ended.text);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_chose_exceptions_does_not_stop_at_the_first_line() {
    let _watchdog = Watchdog::new("exceptions", LIMIT);
    let (bench, program) = super::slow::open(&[]).await;
    let start = json!({"program": program, "adapter": "fake"});
    let entry = bench.call("launch", start.clone()).await;
    assert_eq!(entry.details["state"], "stopped", "{}", entry.text);
    bench.call("terminate", json!({})).await;
    let chosen = json!({"filters": ["raised"]});
    bench.call("set_exception_breakpoints", chosen).await;
    let ran = bench.call("launch", start).await;
    assert_eq!(ran.details["state"], "terminated", "{}", ran.text);
    bench.close().await;
}
