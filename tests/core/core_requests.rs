//! The core and one adapter, which keeps a log of what it hears: what is sent, what is not, and what is made of the answers.

use crate::support;

use std::time::Duration;

use omp_debug::dap::types::Source;
use omp_debug::debugger::{
    Breakpoint, BreakpointSite, BreakpointSpec, Command, ErrorKind, Granularity, LaunchSpec,
    OUTDATED, Phase, Reply, StepKind,
};
use omp_debug::regions;
use serde_json::{Value, json};
use support::bench::{Bench, PATIENCE, data, function, instruction};
use support::core::{Desk, Home};
use support::trace::Script;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breakpoints_of_the_machine_are_sent_as_lists_and_go_with_their_process() {
    let mut bench = Bench::open(&["--endless"]).await;
    let first = bench
        .set(BreakpointSpec::at(BreakpointSite::Instruction {
            reference: " 0x1000 ".to_owned(),
            offset: Some(4),
        }))
        .await
        .unwrap();
    let answer = &first.answers[&bench.session];
    assert_eq!((answer.adapter_id, answer.verified), (Some(9200), true));
    let second = BreakpointSpec {
        condition: Some("i > 1".to_owned()),
        ..BreakpointSpec::at(instruction("0x2000"))
    };
    bench.set(second).await.unwrap();
    bench.set(BreakpointSpec::at(data("total"))).await.unwrap();
    bench
        .ask(Command::RemoveBreakpoint { id: first.id })
        .await
        .unwrap();
    assert_eq!(
        bench.heard("setInstructionBreakpoints"),
        [
            json!({"breakpoints": [{"instructionReference": "0x1000", "offset": 4}]}),
            json!({"breakpoints": [{"instructionReference": "0x1000", "offset": 4},
                {"instructionReference": "0x2000", "condition": "i > 1"}]}),
            json!({"breakpoints": [{"instructionReference": "0x2000", "condition": "i > 1"}]}),
        ]
    );
    assert_eq!(
        bench.heard("setDataBreakpoints"),
        [json!({"breakpoints": [{"dataId": "total"}]})]
    );
    let line = BreakpointSpec::line(&bench.program, 5);
    bench.set(line).await.unwrap();
    bench
        .ask(Command::Terminate { session: None })
        .await
        .unwrap();
    let session = bench.session;
    bench.desk.gone(session, PATIENCE).await.unwrap();
    bench.launch().await;
    let left: Vec<_> = bench
        .desk
        .state
        .breakpoints
        .iter()
        .map(Breakpoint::label)
        .collect();
    assert_eq!(left, ["program.fake:5"]);
    assert_eq!(bench.heard("setInstructionBreakpoints").len(), 3);
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_adapter_cannot_stop_at_is_refused_without_a_frame() {
    let capabilities = json!({"supportsInstructionBreakpoints": false,
        "supportsDataBreakpoints": false, "supportsFunctionBreakpoints": false});
    let bench = Bench::open(&["--capabilities", &capabilities.to_string()]).await;
    for (site, sentence) in [
        (
            instruction("0x1000"),
            "Active adapter does not support instruction breakpoints.",
        ),
        (
            data("total"),
            "Active adapter does not support data breakpoints.",
        ),
    ] {
        let error = bench.set(BreakpointSpec::at(site)).await.unwrap_err();
        assert_eq!(
            (error.kind, error.what.as_str()),
            (ErrorKind::Capability, sentence)
        );
    }
    for site in [instruction(" "), data("")] {
        let error = bench.set(BreakpointSpec::at(site)).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage, "{error}");
    }
    // A function stays a wish, for an adapter that can.
    let function = BreakpointSite::Function {
        name: "total".to_owned(),
    };
    let wish = bench.set(BreakpointSpec::at(function)).await.unwrap();
    assert_eq!(
        wish.message(),
        Some("Active adapter does not support function breakpoints.")
    );
    for command in [
        "setInstructionBreakpoints",
        "setDataBreakpoints",
        "setFunctionBreakpoints",
    ] {
        assert_eq!(bench.heard(command), [] as [Value; 0], "{command}");
    }
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_place_in_memory_needs_a_process() {
    let home = Home::new();
    let desk = Desk::open(home.config(PATIENCE)).await;
    for site in [instruction("0x1000"), data("total")] {
        let command = Command::SetBreakpoint(BreakpointSpec::at(site));
        let error = desk
            .ask("it", PATIENCE, command)
            .await
            .unwrap()
            .unwrap_err();
        assert_eq!(error.kind, ErrorKind::State);
        assert_eq!(
            error.what,
            "No active debug session. Launch or attach first."
        );
    }
    desk.ask("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap()
        .unwrap();
}

/// The list of a source or of functions is sent whole each time, with what each of them is to hold.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_left_of_a_list_is_sent_again() {
    let bench = Bench::open(&["--endless"]).await;
    let path = bench.program.clone();
    let conditional = BreakpointSpec {
        condition: Some("i > 1".to_owned()),
        ..bench.line(3)
    };
    let first = bench.set(conditional).await.unwrap();
    let again = BreakpointSpec {
        condition: Some("i > 2".to_owned()),
        ..bench.line(3)
    };
    let same = bench.set(again).await.unwrap();
    assert_eq!(
        same.id, first.id,
        "a second one at a line changes the first"
    );
    bench.set(bench.line(5)).await.unwrap();
    let named = bench.set(function("line_4")).await.unwrap();
    let other = BreakpointSpec {
        condition: Some("i > 7".to_owned()),
        ..function("line_6")
    };
    bench.set(other).await.unwrap();
    for id in [first.id, named.id] {
        bench.ask(Command::RemoveBreakpoint { id }).await.unwrap();
    }
    let sent: Vec<_> = bench
        .heard("setBreakpoints")
        .into_iter()
        .filter(|arguments| arguments["source"]["path"] == path.to_str().unwrap())
        .map(|mut arguments| arguments["breakpoints"].take())
        .collect();
    assert_eq!(
        sent,
        [
            json!([{"line": 3, "condition": "i > 1"}]),
            json!([{"line": 3, "condition": "i > 2"}]),
            json!([{"line": 3, "condition": "i > 2"}, {"line": 5}]),
            json!([{"line": 5}]),
        ]
    );
    let sent: Vec<_> = bench
        .heard("setFunctionBreakpoints")
        .into_iter()
        .map(|mut arguments| arguments["breakpoints"].take())
        .collect();
    let six = json!({"name": "line_6", "condition": "i > 7"});
    assert_eq!(
        sent,
        [
            json!([{"name": "line_4"}]),
            json!([{"name": "line_4"}, six]),
            json!([six]),
        ]
    );
    bench.end().await;
}

/// Whoever has opened a file in a session that is over still asks for it as of that one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_that_was_changed_is_said_to_be_so_after_a_restart_too() {
    let mut bench = Bench::open(&[]).await;
    let first = bench.session;
    let terminate = Command::Terminate {
        session: Some(first),
    };
    bench.ask(terminate).await.unwrap();
    bench.goes().await;
    bench.launch().await;
    let read = Command::Source {
        session: Some(first),
        source: Box::new(Source {
            path: Some(bench.program.display().to_string()),
            ..Source::default()
        }),
    };
    let note = async |bench: &Bench| match bench.ask(read.clone()).await.unwrap() {
        Reply::Source { note, .. } => note,
        other => panic!("a source gave {other:?}"),
    };
    assert_eq!(note(&bench).await, None);
    let file = std::fs::File::options().write(true).open(&bench.program);
    let later = std::time::SystemTime::now() + Duration::from_mins(1);
    file.unwrap().set_modified(later).unwrap();
    assert_eq!(note(&bench).await.as_deref(), Some(OUTDATED));
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_without_threads_is_no_error_of_ours_and_is_said() {
    let script = Script::new()
        .handshake(&json!({"supportsConfigurationDoneRequest": true}))
        .respond(&Value::Null)
        .expect("configurationDone", &Value::Null)
        .respond(&Value::Null)
        .event("stopped", &json!({"reason": "pause"}))
        .expect("threads", &Value::Null)
        .respond(&json!({"threads": []}))
        .expect("disconnect", &Value::Null)
        .respond(&Value::Null)
        .eof();
    let home = Home::new();
    let script = script.write(home.path()).display().to_string();
    home.fake_adapters(&[("fake", "stdio", vec!["--script".to_owned(), script])]);
    let mut desk = Desk::open(home.config(PATIENCE)).await;
    let spec = LaunchSpec {
        program: home.file("work/program.fake", "step()\n"),
        adapter: Some("fake".to_owned()),
        stop_on_entry: Some(false),
        ..LaunchSpec::default()
    };
    let session = desk.launch(PATIENCE, spec).await.unwrap();
    let sentence = "Debugger reported no threads.";
    desk.until("the trouble", PATIENCE, |desk| {
        let told = |event: &omp_debug::debugger::Event| format!("{event:?}").contains(sentence);
        desk.history.iter().any(told).then_some(())
    })
    .await
    .unwrap();
    let (thread, kind) = (None, StepKind::Over);
    let step = Command::Step {
        session: Some(session),
        thread,
        kind,
        granularity: Granularity::Line,
    };
    let error = desk
        .ask("a step", PATIENCE, step)
        .await
        .unwrap()
        .unwrap_err();
    assert_eq!(
        (error.kind, error.what.as_str()),
        (ErrorKind::State, sentence)
    );
    desk.must("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_order_of_the_handshake_leads_to_the_first_stop() {
    for (when, answer) in [
        ("before", "after"),
        ("between", "before"),
        ("after-launch", "after"),
        ("after-launch", "before"),
        ("twice", "after"),
    ] {
        let bench = Bench::open(&["--initialized", when, "--launch-answer", answer]).await;
        assert_eq!(bench.heard("configurationDone").len(), 1, "{when} {answer}");
        assert_eq!(bench.heard("launch").len(), 1, "{when} {answer}");
        bench.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_adapter_is_told_who_asks() {
    let bench = Bench::open(&[]).await;
    let told = &bench.heard("initialize")[0];
    for (name, wanted) in [
        ("clientID", json!("omp-debug")),
        ("adapterID", json!("fake")),
        ("pathFormat", json!("path")),
        ("linesStartAt1", json!(true)),
        ("columnsStartAt1", json!(true)),
        ("supportsVariableType", json!(true)),
        ("supportsVariablePaging", json!(true)),
        ("supportsRunInTerminalRequest", json!(true)),
    ] {
        assert_eq!(told[name], wanted, "{name} in {told}");
    }
    bench.end().await;
}

/// Adapters need not number functions: ours tell two of them apart.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn functions_without_numbers_are_told_apart() {
    let verified = json!({"verified": true});
    let script = Script::new()
        .handshake(
            &json!({"supportsConfigurationDoneRequest": true, "supportsFunctionBreakpoints": true}),
        )
        .respond(&Value::Null)
        .expect(
            "setFunctionBreakpoints",
            &json!({"breakpoints": [{"name": "one"}, {"name": "two"}]}),
        )
        .respond(&json!({"breakpoints": [verified, verified]}))
        .expect("configurationDone", &Value::Null)
        .respond(&Value::Null)
        .expect(
            "setFunctionBreakpoints",
            &json!({"breakpoints": [{"name": "two"}]}),
        )
        .respond(&json!({"breakpoints": [verified]}))
        .expect("disconnect", &Value::Null)
        .respond(&Value::Null)
        .eof();
    let home = Home::new();
    let script = script.write(home.path()).display().to_string();
    home.fake_adapters(&[("fake", "stdio", vec!["--script".to_owned(), script])]);
    let mut desk = Desk::open(home.config(PATIENCE)).await;
    for name in ["one", "two"] {
        let set = Command::SetBreakpoint(function(name));
        desk.must("a function", PATIENCE, set).await.unwrap();
    }
    let spec = LaunchSpec {
        program: home.file("work/program.fake", "step()\n"),
        adapter: Some("fake".to_owned()),
        stop_on_entry: Some(false),
        ..LaunchSpec::default()
    };
    let session = desk.launch(PATIENCE, spec).await.unwrap();
    desk.phase(session, Phase::Running, PATIENCE).await.unwrap();
    let ids: Vec<_> = desk.state.breakpoints.iter().map(|b| b.id).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1], "{ids:?}");
    for breakpoint in &desk.state.breakpoints {
        let answer = &breakpoint.answers[&session];
        assert_eq!((answer.adapter_id, answer.verified), (None, true));
    }
    let remove = Command::RemoveBreakpoint { id: ids[0] };
    desk.must("remove", PATIENCE, remove).await.unwrap();
    desk.must("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_of_a_session_is_told_by_phase_and_by_request() {
    let mut bench = Bench::open(&["--endless"]).await;
    bench.resume(Some(StepKind::Over)).await;
    bench.next_stop().await;
    let reply = bench.ask(Command::Spent { session: None }).await.unwrap();
    let Reply::Spent { spent } = reply else {
        panic!("{reply:?}");
    };
    assert!(spent.starting_us > 0 && spent.running_us > 0, "{spent:?}");
    assert!(spent.stopped_us > 0, "{spent:?}");
    let names: Vec<&str> = spent.requests.iter().map(|r| r.command.as_str()).collect();
    for command in ["initialize", "launch", "next"] {
        assert!(names.contains(&command), "{names:?}");
    }
    assert!(spent.requests.is_sorted_by(|a, b| a.total_us >= b.total_us));
    assert!(
        spent
            .requests
            .iter()
            .all(|r| r.count > 0 && r.longest_us <= r.total_us)
    );
    let own = regions::ended_within(Duration::from_mins(1));
    assert!(
        own.iter().any(|region| region.path == ["request", "next"]),
        "{own:?}"
    );
    bench.end().await;
}

fn data_info(name: &str, mode: Option<&str>) -> Command {
    Command::DataBreakpointInfo {
        session: None,
        container: None,
        frame_id: Some(7),
        name: name.to_owned(),
        bytes: None,
        mode: mode.map(str::to_owned),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_is_asked_for_again_when_it_is_to_be_watched_in_another_mode() {
    let capabilities = json!({"breakpointModes": [
        {"mode": "hardware", "label": "Hardware", "appliesTo": ["data"]},
        {"mode": "software", "label": "Software", "appliesTo": ["data", "source"]},
    ]});
    let mut bench = Bench::open(&["--capabilities", &capabilities.to_string()]).await;
    let in_mode = |id: &str, mode: &str| BreakpointSpec {
        mode: Some(mode.to_owned()),
        ..BreakpointSpec::at(data(id))
    };
    // The protocol has the mode in the question: of data that was never asked for it cannot be chosen.
    let error = bench.set(in_mode("total", "hardware")).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage, "{error}");
    assert!(
        error.what.contains("\"total\" was not asked for"),
        "{error}"
    );
    bench.ask(data_info("total", None)).await.unwrap();
    let error = bench.set(in_mode("total", "fast")).await.unwrap_err();
    let why = "\"fast\" is no mode of this adapter's data breakpoints: it has hardware, software.";
    assert_eq!(
        (error.kind, error.what.as_str()),
        (ErrorKind::Capability, why)
    );
    let set = bench.set(in_mode("total", "hw")).await.unwrap();
    assert_eq!(set.mode.as_deref(), Some("hw"));
    let asked = bench.heard("dataBreakpointInfo");
    let modes: Vec<_> = asked.iter().map(|a| (&a["name"], &a["mode"])).collect();
    let total = json!("total");
    let (none, hardware) = (json!(null), json!("hardware"));
    assert_eq!(modes, [(&total, &none), (&total, &hardware)]);
    assert_eq!(
        bench.heard("setDataBreakpoints"),
        [json!({"breakpoints": [{"dataId": "total"}]})]
    );
    // It has its mode now: a condition is no reason to ask again, and neither is the same mode by another word.
    let changed = BreakpointSpec {
        id: Some(set.id),
        condition: Some("i > 1".to_owned()),
        ..in_mode("total", "hw")
    };
    bench.set(changed).await.unwrap();
    bench
        .ask(data_info("price", Some("software")))
        .await
        .unwrap();
    bench.set(in_mode("price", "sw")).await.unwrap();
    assert_eq!(bench.heard("dataBreakpointInfo").len(), 3);
    // At another stop the question means something else.
    bench.ask(data_info("i", None)).await.unwrap();
    bench.resume(Some(StepKind::Over)).await;
    bench.next_stop().await;
    let error = bench.set(in_mode("i", "hardware")).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Stale, "{error}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_without_an_answer_is_told_of_and_given_up_where_the_adapter_can() {
    for cancels in [true, false] {
        let can = json!({"supportsCancelRequest": cancels}).to_string();
        let mut bench = Bench::open(&["--capabilities", &can]).await;
        let session = bench.session;
        let expression = if cancels { "sleep 60000" } else { "sleep 6000" };
        let evaluate = bench.desk.core.request(Command::Evaluate {
            session: None,
            frame_id: None,
            expression: expression.to_owned(),
            context: "repl".to_owned(),
        });
        let asked = omp_debug::tasks::spawn(evaluate);
        let waiting = |desk: &Desk| desk.session(session).pending.first().cloned();
        let request = bench
            .desk
            .until("it is late", PATIENCE, waiting)
            .await
            .unwrap();
        assert_eq!(request.command, "evaluate");
        let cancel = Command::CancelRequest {
            session: None,
            request: request.seq,
        };
        let told = bench.ask(cancel.clone()).await;
        if cancels {
            told.unwrap();
            assert_eq!(asked.await.unwrap().unwrap_err().kind, ErrorKind::Cancelled);
            // It reads in order: what it answered later it heard later.
            bench.value("i").await.unwrap();
            let heard = bench.heard("cancel");
            assert_eq!(heard, [json!({"requestId": request.seq})]);
        } else {
            let error = told.unwrap_err();
            assert_eq!(error.kind, ErrorKind::Capability);
            let why = "cannot be asked to give up \"evaluate\"";
            assert!(error.what.contains(why), "{error}");
            assert!(bench.heard("cancel").is_empty());
            asked.await.unwrap().unwrap();
        }
        let none = |desk: &Desk| desk.session(session).pending.is_empty().then_some(());
        bench
            .desk
            .until("nothing is late", PATIENCE, none)
            .await
            .unwrap();
        assert_eq!(bench.ask(cancel).await.unwrap_err().kind, ErrorKind::State);
        bench.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expression_that_comes_before_the_stack_is_evaluated_in_its_innermost_frame() {
    let mut bench = Bench::open(&["--slow", "stackTrace=1500"]).await;
    let session = bench.session;
    let first = bench.desk.session(session).stop_id();
    bench.resume(Some(StepKind::Over)).await;
    let stands = |desk: &Desk| {
        let stop = desk.session(session).current_stop()?;
        (Some(stop.id) != first).then_some(())
    };
    bench
        .desk
        .until("it stands", PATIENCE, stands)
        .await
        .unwrap();
    bench.value("i").await.unwrap();
    let known = |desk: &Desk| desk.session(session).frame_id();
    let frame = bench.desk.until("its frame", PATIENCE, known).await;
    let asked = bench.heard("evaluate").pop().unwrap();
    assert_eq!(asked["frameId"].as_i64(), Some(frame.unwrap()));
    bench.end().await;
}

/// debugpy answers when a thread has gone on, which none does where another one stops before that: whoever waited for the answer, and
/// went on only then, would have waited for themselves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_to_go_on_is_done_at_the_next_stop_whether_it_is_answered_or_not() {
    let mut bench = Bench::open(&["--slow", "continue=3600000"]).await;
    let line = bench.line(3);
    bench.set(line).await.unwrap();
    for pass in ["0", "1", "2"] {
        bench.resume(None).await;
        let (reason, line, i) = bench.next_stop().await;
        assert_eq!((reason.as_str(), line, i.as_str()), ("breakpoint", 3, pass));
    }
    bench.end().await;
}
