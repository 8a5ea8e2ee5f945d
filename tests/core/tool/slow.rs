//! What takes too long.

use std::time::{Duration, Instant};

use omp_debug::debugger::tool::Tool;
use omp_debug::debugger::{Core, ErrorKind, Phase};
use serde_json::json;

use super::bench::{Bench, LIMIT};
use crate::support::core::Home;
use crate::support::procs::{self, Watchdog};
use crate::support::trace;

/// A bench whose only adapter is the fake one, and its program.
pub async fn open(options: &[&str]) -> (Bench, std::path::PathBuf) {
    let home = Home::new();
    let log = home.path().join("log").display().to_string();
    let mut all = vec!["--log".to_owned(), log];
    all.extend(options.iter().map(|option| (*option).to_owned()));
    home.fake_adapters(&[("fake", "stdio", all)]);
    let program = home.file("work/program.fake", &"step()\n".repeat(10));
    let core = Core::start(home.config(Duration::from_mins(1)));
    let tool = Tool::open(core.clone()).await.unwrap();
    (Bench { home, core, tool }, program)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_without_an_answer_ends_in_time_and_the_session_lives() {
    let _watchdog = Watchdog::new("a slow request", LIMIT);
    let (bench, program) = open(&["--slow", "evaluate=120000"]).await;
    bench
        .call("launch", json!({"program": program, "adapter": "fake"}))
        .await;
    let began = Instant::now();
    let late = bench
        .refused("evaluate", json!({"expression": "1", "timeout": 0}))
        .await;
    assert_eq!(
        (late.kind, late.error.as_str()),
        (
            ErrorKind::Timeout,
            "DAP request evaluate timed out after 5000ms"
        )
    );
    assert!(
        (5.0..10.0).contains(&began.elapsed().as_secs_f64()),
        "{:?}",
        began.elapsed()
    );
    let list = bench.call("sessions", json!({})).await;
    assert!(list.text.starts_with("debug-1: stopped\n"), "{}", list.text);
    // Who takes it back does not wait for the adapter to be told; a step that is quicker than that takes it back as well.
    let log = bench.home.path().join("log");
    let told = || trace::commands(&log).iter().any(|sent| sent == "cancel");
    procs::wait_until("it is given up", std::process::id(), LIMIT, told);
    let steps = bench.call("step_over", json!({})).await;
    assert_eq!(steps.details["state"], "stopped", "{}", steps.text);
    // Requests reach the adapter in order, so the one before the step is there by now.
    let sent = trace::commands(&log);
    let at = |wanted: &str| sent.iter().position(|command| command == wanted);
    assert!(
        at("evaluate") < at("cancel") && at("cancel") < at("next"),
        "{sent:?}"
    );
    bench.call("terminate", json!({})).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_adapter_that_answers_only_at_the_next_stop_is_running_meanwhile() {
    let _watchdog = Watchdog::new("a continue without an answer", LIMIT);
    let (bench, program) = open(&["--endless", "--slow", "continue=120000"]).await;
    bench
        .call("launch", json!({"program": program, "adapter": "fake"}))
        .await;
    let place = json!({"file": program, "line": 5});
    bench.call("set_breakpoint", place.clone()).await;
    // A stop is told when it comes, and not when the request that led to it is answered.
    let began = Instant::now();
    let stopped = bench.call("continue", json!({})).await;
    assert_eq!(stopped.snapshot.unwrap()["line"], 5, "{}", stopped.text);
    assert!(
        began.elapsed().as_secs_f64() < 10.0,
        "{:?}",
        began.elapsed()
    );

    bench.call("remove_breakpoint", place).await;
    let running = bench.call("continue", json!({"timeout": 5})).await;
    assert_eq!(running.details["state"], "running", "{}", running.text);
    assert_eq!(running.details["timedOut"], true);
    bench.call("pause", json!({})).await;
    let sent = trace::commands(&bench.home.path().join("log"));
    assert!(!sent.iter().any(|command| command == "cancel"), "{sent:?}");
    bench.call("terminate", json!({})).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_does_not_stop_is_left_running_after_five_seconds() {
    let _watchdog = Watchdog::new("no first stop", LIMIT);
    let (bench, program) = open(&["--endless"]).await;
    // A breakpoint that is never reached, so that the launch does not stop at the program's entry.
    bench
        .call("set_breakpoint", json!({"function": "never"}))
        .await;
    let began = Instant::now();
    let launched = bench
        .call("launch", json!({"program": program, "adapter": "fake"}))
        .await;
    let seconds = began.elapsed().as_secs_f64();
    assert!((5.0..15.0).contains(&seconds), "{seconds} s");
    assert_eq!(
        (&launched.details["state"], &launched.details["timedOut"]),
        (&json!("running"), &json!(false))
    );
    assert!(
        launched.text.ends_with("\nProgram is running."),
        "{}",
        launched.text
    );
    let paused = bench.call("pause", json!({})).await;
    assert_eq!(paused.details["state"], "stopped");
    let log = bench.home.path().join("log");
    let sent = trace::commands(&log);
    let order: Vec<_> = sent
        .iter()
        .filter(|c| ["launch", "configurationDone", "pause"].contains(&c.as_str()))
        .collect();
    assert_eq!(order, ["launch", "configurationDone", "pause"]);
    bench.call("terminate", json!({})).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_launch_that_does_not_come_up_is_taken_back() {
    let _watchdog = Watchdog::new("a launch that hangs", LIMIT);
    let (bench, program) = open(&["--slow", "initialize=120000"]).await;
    let launch = json!({"program": program, "adapter": "fake", "timeout": 5});
    let meanwhile = async {
        bench.until(|phase| *phase == Phase::Initializing).await;
        bench.call("sessions", json!({})).await.text
    };
    let (late, list) = tokio::join!(bench.refused("launch", launch), meanwhile);
    assert!(list.starts_with("debug-1: launching\n"), "{list}");
    assert_eq!(
        (late.kind, late.error.as_str()),
        (
            ErrorKind::Timeout,
            "DAP request launch timed out after 5000ms"
        )
    );
    let hint = late.hint.unwrap();
    assert!(hint.contains("terminate"), "{hint}");
    // Nobody waits for it any more: it ends by itself.
    bench.until(|phase| *phase == Phase::Terminated).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_without_a_stack_is_a_stop_and_has_no_frame() {
    let _watchdog = Watchdog::new("a stop without a stack", LIMIT);
    let (bench, _program) = open(&["--slow", "stackTrace=120000"]).await;
    // Without `cwd` a relative program is below the folder where we work.
    let stop = bench
        .call(
            "launch",
            json!({"program": "program.fake", "adapter": "fake"}),
        )
        .await;
    assert_eq!(stop.details["state"], "stopped", "{}", stop.text);
    assert!(!stop.text.contains("\nLocation: "), "{}", stop.text);
    let table = [
        (
            "scopes",
            json!({}),
            "No active stack frame. Run stack_trace first or supply frame_id.",
        ),
        (
            "disassemble",
            json!({"instruction_count": 1}),
            "disassemble requires memory_reference unless the current stop location has an instruction pointer reference",
        ),
    ];
    for (action, arguments, sentence) in table {
        let error = bench.refused(action, arguments).await;
        assert_eq!(
            (error.kind, error.error.as_str()),
            (ErrorKind::State, sentence)
        );
    }
    bench.call("terminate", json!({})).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_adapter_that_never_listens_is_given_up_after_ten_seconds() {
    let _watchdog = Watchdog::new("an adapter that never listens", LIMIT);
    let home = Home::new();
    let (mark, value) = home.mark.env();
    let mute = json!({"command": "sh", "args": ["-c", "exec sleep 600"], "connectMode": "socket",
        "env": {mark: value}});
    home.file(
        "config/omp-debug/dap.json",
        &json!({"adapters": {"mute": mute}}).to_string(),
    );
    let program = home.file("work/program.mute", "");
    let core = Core::start(home.config(Duration::from_mins(1)));
    let tool = Tool::open(core.clone()).await.unwrap();
    let bench = Bench { home, core, tool };
    let began = Instant::now();
    let error = bench
        .refused("launch", json!({"program": program, "adapter": "mute"}))
        .await;
    // Clocks of timers and of tests need not agree to the millisecond.
    let seconds = began.elapsed().as_secs_f64();
    assert!((9.5..15.0).contains(&seconds), "{seconds} s");
    assert!(
        error.error.contains("was not ready after 10000 ms"),
        "{error:?}"
    );
    bench.close().await;
}
