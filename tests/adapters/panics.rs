//! A failing test of Rust, understood where it stops.

use crate::support;

use omp_debug::debugger::{Command, Granularity, LaunchSpec, Phase, StepKind, Stop};
use support::core::{Desk, Home};
use support::{bench::PATIENCE, tools};

const SUITE: &str = r#"
#[test]
fn a_fails() {
    let words = vec!["one".to_owned(), "two".to_owned()];
    assert_eq!(words, ["one", "three"], "of {} words", words.len());
}
#[test]
fn b_fails() {
    panic!("as it is");
}
#[test]
fn c_goes_on() {
    let goes_on = true;
    while goes_on {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
"#;

/// Why it stopped, in words.
async fn told(desk: &mut Desk, stop: &Stop) -> String {
    let told = |desk: &Desk| {
        let session = desk.state.sessions.iter().find(|s| s.stop.is_some())?;
        let now = session.current_stop().filter(|now| now.id == stop.id)?;
        now.exception.as_ref()?.description.clone()
    };
    desk.until("a reason", PATIENCE, told).await.unwrap()
}

/// The tests of a file run one after the other, in threads of their own; what they print is kept until all are over.
async fn assert_suite(adapter: &str) {
    let home = Home::new();
    let source = home.file("work/suite.rs", SUITE);
    let program = tools::build_rust_tests(&source, &home.path().join("work/suite"));
    let mut desk = Desk::open(home.config_with_codelldb(PATIENCE)).await;
    let spec = LaunchSpec {
        program,
        args: vec!["--test-threads=1".to_owned()],
        adapter: Some(adapter.to_owned()),
        stop_on_entry: Some(false),
        ..LaunchSpec::default()
    };
    let session = desk.launch(PATIENCE, spec).await.unwrap();
    let first = desk.stop(session, None, PATIENCE).await.unwrap();
    assert_eq!(
        told(&mut desk, &first).await,
        "assertion `left == right` failed: of 2 words\n  left: [\"one\", \"two\"]\n right: [\"one\", \"three\"]"
    );
    // Nothing of this thread is left for the step to end at.
    let step = |kind| Command::Step {
        session: None,
        thread: None,
        kind,
        granularity: Granularity::Line,
    };
    desk.must("a step", PATIENCE, step(StepKind::Over))
        .await
        .unwrap();
    let second = desk.stop(session, Some(&first), PATIENCE).await.unwrap();
    assert_eq!(told(&mut desk, &second).await, "as it is");
    desk.must("a step", PATIENCE, step(StepKind::Out))
        .await
        .unwrap();
    desk.phase(session, Phase::Running, PATIENCE).await.unwrap();
    // LLDB's adapters say at the next stop what ended.
    if adapter == "gdb" {
        let ended = |desk: &Desk| {
            let said = desk.messages();
            said.filter(|said| said.contains("ended before its step"))
                .count()
        };
        let both = |desk: &Desk| (ended(desk) == 2).then_some(());
        desk.until("the end of the threads", PATIENCE, both)
            .await
            .unwrap();
        assert_eq!(desk.session(session).activity, None);
        // What the debugger says of threads is none of the program's lines.
        for line in ["test a_fails ... FAILED", "test b_fails ... FAILED"] {
            let printed = |desk: &Desk| {
                let printed = desk.printed(session, "stdout");
                printed.lines().any(|it| it == line).then_some(())
            };
            desk.until(line, PATIENCE, printed).await.unwrap();
        }
        let said = |desk: &Desk| {
            let said = desk.printed(session, "console");
            said.contains(" exited]").then_some(())
        };
        desk.until("the debugger's words", PATIENCE, said)
            .await
            .unwrap();
    } else {
        // They call it a step, too, when a pause meets a thread one instruction from its breakpoint.
        let both_over = |desk: &Desk| {
            let printed = desk.printed(session, "stdout");
            printed.contains("test c_goes_on").then_some(())
        };
        desk.until("the last test", PATIENCE, both_over)
            .await
            .unwrap();
    }
    let pause = Command::Pause {
        session: None,
        thread: None,
        momentary: false,
    };
    desk.must("a pause", PATIENCE, pause).await.unwrap();
    let third = desk.stop(session, Some(&second), PATIENCE).await.unwrap();
    assert_eq!(third.reason, "pause");
    desk.must("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap();
    home.mark.assert_none_left(PATIENCE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_test_are_told_and_left_with_gdb() {
    require!(gdb);
    assert_suite("gdb").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_test_are_told_and_left_with_lldb_dap() {
    require!(lldb_dap);
    assert_suite("lldb-dap").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_test_are_told_and_left_with_codelldb() {
    require!(codelldb);
    assert_suite("codelldb").await;
}
