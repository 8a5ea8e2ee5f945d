//! The core below the source and beside the usual way: what is sent for it, what comes of it, what is refused.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop at once and say where"
)]

mod support;

use omp_debug::dap::types::Source;
use omp_debug::debugger::{Command, Kind, LaunchSpec, Reply};
use serde_json::{Value, json};
use support::bench::{Bench, PATIENCE};
use support::core::{Desk, Home};
use support::trace::Script;

fn source(bench: &Bench) -> Box<Source> {
    Box::new(Source {
        path: Some(bench.program.display().to_string()),
        ..Source::default()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_jump_is_asked_for_and_then_done() {
    let mut bench = Bench::open(&["--endless"]).await;
    let command = Command::GotoTargets {
        session: None,
        source: source(&bench),
        line: 7,
    };
    let Reply::GotoTargets { targets } = bench.ask(command).await.unwrap() else {
        panic!("no targets")
    };
    assert_eq!((targets.len(), targets[0].line), (1, 7));
    let command = Command::Goto {
        session: None,
        thread: None,
        target: targets[0].id,
    };
    bench.ask(command).await.unwrap();
    let (reason, line, _) = bench.next_stop().await;
    assert_eq!((reason.as_str(), line), ("goto", 7));
    assert_eq!(bench.heard("goto"), [json!({"threadId": 1, "targetId": 7})]);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_breakpoints_can_be_is_told() {
    let bench = Bench::open(&["--endless"]).await;
    let command = Command::BreakpointLocations {
        session: None,
        source: source(&bench),
        line: 2,
        end_line: 4,
    };
    let Reply::BreakpointLocations { locations } = bench.ask(command).await.unwrap() else {
        panic!("no places")
    };
    let lines: Vec<i64> = locations.iter().map(|l| l.line).collect();
    assert_eq!(lines, [2, 3, 4]);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_thread_runs_alone_and_values_are_written_otherwise_while_that_is_wanted() {
    let capabilities = json!({"supportsSingleThreadExecutionRequests": true,
        "supportsValueFormattingOptions": true, "supportsSteppingGranularity": true});
    let mut bench = Bench::open(&["--endless", "--capabilities", &capabilities.to_string()]).await;
    let session = None;
    bench
        .ask(Command::SingleThread { session, on: true })
        .await
        .unwrap();
    bench
        .resume(Some(omp_debug::debugger::StepKind::Over))
        .await;
    bench.next_stop().await;
    bench
        .ask(Command::SingleThread { session, on: false })
        .await
        .unwrap();
    bench
        .resume(Some(omp_debug::debugger::StepKind::Over))
        .await;
    bench.next_stop().await;
    assert_eq!(
        bench.heard("next"),
        [
            json!({"threadId": 1, "singleThread": true}),
            json!({"threadId": 1})
        ]
    );
    let before = bench.heard("variables").len();
    bench
        .ask(Command::ValueFormat { session, hex: true })
        .await
        .unwrap();
    bench.value("i").await.unwrap();
    let id = bench.session;
    bench
        .desk
        .until("the format", PATIENCE, |desk| {
            desk.state.session(id)?.hex.then_some(())
        })
        .await
        .unwrap();
    let asked = bench.hears_more("variables", before).await;
    assert_eq!(asked.last().unwrap()["format"], json!({"hex": true}));
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_that_changes_is_told_whoever_changed_it() {
    let capabilities = json!({"supportsWriteMemoryRequest": true});
    let mut bench = Bench::open(&["--endless", "--capabilities", &capabilities.to_string()]).await;
    let write = Command::WriteMemory {
        session: None,
        memory_reference: "0x1000".to_owned(),
        offset: Some(4),
        data: "AQI=".to_owned(),
        allow_partial: None,
    };
    bench.ask(write).await.unwrap();
    // Once for the write, once for the adapter's event.
    let id = bench.session;
    bench
        .desk
        .until("both changes", PATIENCE, |desk| {
            (desk.state.session(id)?.memory_changes == 2).then_some(())
        })
        .await
        .unwrap();
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_lacking_is_refused_without_a_frame_and_what_is_claimed_wrongly_is_told() {
    let claimed = json!({"supportsStepInTargetsRequest": true, "supportsRestartFrame": true});
    let bench = Bench::open(&["--endless", "--capabilities", &claimed.to_string()]).await;
    let (session, thread, frame_id) = (None, None, None);
    for command in [
        Command::TerminateThreads {
            session,
            threads: vec![1],
        },
        Command::SingleThread { session, on: true },
        Command::ValueFormat { session, hex: true },
        Command::RecordExecution { session, on: true },
        Command::ReverseContinue { session, thread },
        Command::DataBreakpointInfo {
            session,
            container: None,
            frame_id,
            name: "0x1000".to_owned(),
            bytes: Some(4),
        },
    ] {
        let what = format!("{command:?}");
        let error = bench.ask(command).await.expect_err(&what);
        assert_eq!(error.kind, Kind::Capability, "{what}: {error}");
        assert!(
            error.what.starts_with("Active adapter does not support"),
            "{error}"
        );
    }
    for command in ["terminateThreads", "reverseContinue", "dataBreakpointInfo"] {
        assert_eq!(bench.heard(command), [] as [Value; 0], "{command}");
    }
    let asked = Command::StepInTargets { session, frame_id };
    let error = bench.ask(asked).await.unwrap_err();
    assert!(error.what.contains("unknown request"), "{error}");
    // It failed, so the stop still holds.
    let asked = Command::RestartFrame { session, frame_id };
    let error = bench.ask(asked).await.unwrap_err();
    assert!(error.what.contains("unknown request"), "{error}");
    assert!(bench.value("i").await.is_ok());
    bench.end().await;
}

/// A launch that fails makes what follows it fail as well; what is told is why the launch did.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_error_of_the_launch_is_told_and_not_what_failed_because_of_it() {
    let refusal = json!({"seq": 90, "type": "response", "request_seq": 2, "success": false,
        "command": "launch", "message": "no such program"})
    .to_string();
    let script = Script::new()
        .handshake(&json!({"supportsConfigurationDoneRequest": true}))
        .expect("configurationDone", &Value::Null)
        .fail("nothing was launched")
        .raw(&format!(
            "Content-Length: {}\r\n\r\n{refusal}",
            refusal.len()
        ))
        .eof();
    let home = Home::new();
    let script = script.write(home.path()).display().to_string();
    home.fake_adapters(&[("fake", "stdio", vec!["--script".to_owned(), script])]);
    let mut desk = Desk::open(home.config(PATIENCE)).await;
    let spec = LaunchSpec {
        program: home.file("work/program.fake", "step()\n"),
        adapter: Some("fake".to_owned()),
        ..LaunchSpec::default()
    };
    let launch = Command::Launch(Box::new(spec));
    let error = desk.ask("launch", PATIENCE, launch).await.unwrap();
    let error = error.unwrap_err();
    assert!(error.what.contains("no such program"), "{error:?}");
    desk.must("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap();
}
