//! The core below the source and beside the usual way: what is sent for it, what comes of it, what is refused.

use crate::support;

use omp_debug::dap::requests::{
    BreakpointLocations, BreakpointLocationsArguments, Goto, GotoArguments, GotoTargets,
    GotoTargetsArguments, Locations, LocationsArguments, LocationsResponse, StepInTargets,
    StepInTargetsArguments, TerminateThreads, TerminateThreadsArguments,
};
use omp_debug::dap::types::Source;
use omp_debug::debugger::{
    BreakpointSpec, Command, ErrorKind, ExceptionFilter, LaunchSpec, Phase, Reply, StopId,
};
use serde_json::{Value, json};
use support::bench::{Bench, PATIENCE, evaluate, function, instruction};
use support::core::{Desk, Home};
use support::trace::Script;

fn source(bench: &Bench) -> Source {
    Source {
        path: Some(bench.program.display().to_string()),
        ..Source::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_jump_is_asked_for_and_then_done() {
    let mut bench = Bench::open(&["--endless"]).await;
    let asked = GotoTargetsArguments {
        source: source(&bench),
        line: 7,
        column: None,
    };
    let targets = bench.request::<GotoTargets>(&asked).await.unwrap().targets;
    assert_eq!((targets.len(), targets[0].line), (1, 7));
    let to = GotoArguments {
        thread_id: 1,
        target_id: targets[0].id,
    };
    bench.request::<Goto>(&to).await.unwrap();
    let (reason, line, _) = bench.next_stop().await;
    assert_eq!((reason.as_str(), line), ("goto", 7));
    assert_eq!(bench.heard("goto"), [json!({"threadId": 1, "targetId": 7})]);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_breakpoints_can_be_is_told() {
    let bench = Bench::open(&["--endless"]).await;
    let asked = BreakpointLocationsArguments {
        source: source(&bench),
        line: 2,
        end_line: Some(4),
        ..BreakpointLocationsArguments::default()
    };
    let locations = bench.request::<BreakpointLocations>(&asked).await.unwrap();
    let lines: Vec<i64> = locations.breakpoints.iter().map(|l| l.line).collect();
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
        Command::request::<TerminateThreads>(
            session,
            &TerminateThreadsArguments {
                thread_ids: Some(vec![1]),
            },
        ),
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
            mode: None,
        },
    ] {
        let what = format!("{command:?}");
        let error = bench.ask(command).await.expect_err(&what);
        assert_eq!(error.kind, ErrorKind::Capability, "{what}: {error}");
        assert!(
            error.what.starts_with("Active adapter does not support"),
            "{error}"
        );
    }
    for command in ["terminateThreads", "reverseContinue", "dataBreakpointInfo"] {
        assert_eq!(bench.heard(command), [] as [Value; 0], "{command}");
    }
    let asked = StepInTargetsArguments { frame_id: 1 };
    let error = bench.request::<StepInTargets>(&asked).await.unwrap_err();
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

async fn located(
    bench: &Bench,
    stop: Option<StopId>,
    location_reference: i64,
) -> Result<LocationsResponse, ErrorKind> {
    let asked = LocationsArguments { location_reference };
    let command = Command::request_at::<Locations>(None, stop, &asked);
    let reply = bench.ask(command).await.map_err(|error| error.kind)?;
    Ok(reply.answer::<Locations>().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_something_is_declared_is_asked_for_by_its_reference() {
    let mut bench = Bench::open(&["--endless", "--locations"]).await;
    let Ok(Reply::Value { value }) = bench.ask(evaluate("order")).await else {
        panic!("no value")
    };
    assert_eq!(value.declared, Some(7001));
    let location = located(&bench, value.stop, 7001).await.unwrap();
    let program = bench.program.display().to_string();
    assert_eq!(location.source.path, Some(program));
    assert_eq!(
        (location.line, location.column, location.end_line),
        (5, Some(3), Some(6))
    );
    // What was printed keeps its reference, whatever the program does meanwhile.
    let output = &bench.desk.session(bench.session).output;
    assert_eq!(output.lines()[0].location, Some(7004));
    let before = value.stop;
    bench
        .resume(Some(omp_debug::debugger::StepKind::Over))
        .await;
    bench.next_stop().await;
    let asked = bench.heard("locations").len();
    assert_eq!(located(&bench, before, 7001).await, Err(ErrorKind::Stale));
    assert_eq!(bench.heard("locations").len(), asked, "nothing was sent");
    assert_eq!(located(&bench, None, 1).await, Err(ErrorKind::Adapter));
    bench.resume(None).await;
    let id = bench.session;
    bench
        .desk
        .phase(id, Phase::Running, PATIENCE)
        .await
        .unwrap();
    let location = located(&bench, None, 7004).await.unwrap();
    assert_eq!(location.line, 4);
    bench.end().await;
}

/// What an adapter with two kinds of breakpoints says of them.
fn two_modes() -> String {
    let every = ["source", "instruction", "data", "exception"];
    json!({"supportsExceptionFilterOptions": true, "breakpointModes": [
        {"mode": "hardware", "label": "Hardware", "appliesTo": every},
        {"mode": "software", "label": "Software", "appliesTo": ["source"]},
    ]})
    .to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn modes_are_sent_where_they_apply_and_refused_elsewhere() {
    let bench = Bench::open(&["--endless", "--capabilities", &two_modes()]).await;
    let in_mode = |spec: BreakpointSpec, mode: &str| BreakpointSpec {
        mode: Some(mode.to_owned()),
        ..spec
    };
    // Letters of a mode are enough; the adapter is told its own name of it.
    bench.set(in_mode(bench.line(3), "sw")).await.unwrap();
    let place = BreakpointSpec::at(instruction("0x1000"));
    bench.set(in_mode(place.clone(), "Hardware")).await.unwrap();
    let lines = bench.heard("setBreakpoints");
    assert_eq!(lines.last().unwrap()["breakpoints"][0]["mode"], "software");
    let addresses = bench.heard("setInstructionBreakpoints");
    assert_eq!(
        addresses.last().unwrap()["breakpoints"][0]["mode"],
        "hardware"
    );
    let info = |mode: &str| Command::DataBreakpointInfo {
        session: None,
        container: None,
        frame_id: None,
        name: "price".to_owned(),
        bytes: None,
        mode: Some(mode.to_owned()),
    };
    bench.ask(info("hw")).await.unwrap();
    assert_eq!(bench.heard("dataBreakpointInfo")[0]["mode"], "hardware");
    let filter = |mode: &str| ExceptionFilter {
        mode: Some(mode.to_owned()),
        ..ExceptionFilter::named("raised")
    };
    let filters = Some(vec![filter("hw"), ExceptionFilter::named("uncaught")]);
    bench
        .ask(Command::SetExceptionFilters { filters })
        .await
        .unwrap();
    assert_eq!(
        bench.heard("setExceptionBreakpoints").last().unwrap(),
        &json!({"filters": ["uncaught"],
            "filterOptions": [{"filterId": "raised", "mode": "hardware"}]})
    );
    // What the adapter does not have is said, and nothing is sent.
    let before = bench.heard("setInstructionBreakpoints").len();
    let error = bench.set(in_mode(place, "software")).await.unwrap_err();
    assert_eq!(
        error.what,
        "\"software\" is no mode of this adapter's instruction breakpoints: it has hardware."
    );
    assert_eq!(bench.heard("setInstructionBreakpoints").len(), before);
    let error = bench.ask(info("software")).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Capability);
    let error = bench.set(in_mode(function("line_3"), "hw")).await;
    assert!(error.unwrap_err().what.contains("a function has no mode"));
    bench.end().await;
}
