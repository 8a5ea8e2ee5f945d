//! Sessions of the core: how many there may be, which one is meant, how long one may take or stay, and how its end is known.

use crate::support;

use std::time::Duration;

use omp_debug::debugger::permission::Caller;
use omp_debug::debugger::tool::Tool;
use omp_debug::debugger::{
    AttachSpec, BreakpointSpec, Command, CoreConfig, ErrorKind, LaunchSpec, Phase, Reply, SessionId,
};
use serde_json::{Value, json};
use support::bench::{Bench, PATIENCE, evaluate, hears};
use support::core::{Desk, Home};
use support::tools;
use support::trace::{self, Script};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_many_programs_at_once_as_are_wanted() {
    let two = |config: &mut CoreConfig| config.max_sessions = 2;
    let mut bench = Bench::with(&["--endless"], two).await;
    let first = bench.session;
    bench.launch().await;
    let phases = [first, bench.session].map(|id| bench.desk.session(id).phase);
    assert_eq!(phases, [Phase::Stopped, Phase::Stopped]);
    let third = LaunchSpec {
        program: bench.program.clone(),
        adapter: Some("fake".to_owned()),
        ..LaunchSpec::default()
    };
    let error = bench
        .ask(Command::Launch(Box::new(third)))
        .await
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::State);
    assert!(error.what.contains("still active"), "{error}");
    bench.end().await;
}

/// A file that was edited meanwhile has its lines elsewhere: the next start has the breakpoints where they are now, and says so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breakpoints_go_with_their_lines_when_a_program_is_started_again() {
    let mut bench = Bench::open(&["--endless"]).await;
    let lines = ["first()", "second()", "third()", "fourth()"];
    let write = |lines: &[&str]| std::fs::write(&bench.program, lines.join("\n")).unwrap();
    write(&lines);
    let condition = Some("ready".to_owned());
    let second = BreakpointSpec {
        condition: condition.clone(),
        ..bench.line(2)
    };
    let second = bench.set(second).await.unwrap();
    let gone = bench.set(bench.line(3)).await.unwrap();
    let fourth = bench.set(bench.line(4)).await.unwrap();
    write(&["new()", "newer()", "first()", "  second()", "fourth()"]);
    // The program that runs has the lines that were.
    let other = bench.set(bench.line(1)).await.unwrap();
    let at = |bench: &Bench, id| {
        let known = &bench.desk.state.breakpoints;
        let known = known.iter().find(|known| known.id == id).unwrap();
        (known.shown_line().unwrap(), known.condition.clone())
    };
    let restart = Command::Restart {
        session: Some(bench.session),
    };
    let Reply::Session { session } = bench.ask(restart).await.unwrap() else {
        panic!("no session");
    };
    let stands = bench.desk.stop(session, None, PATIENCE).await;
    stands.unwrap();
    assert_eq!(at(&bench, second.id), (4, condition));
    assert_eq!(at(&bench, gone.id), (3, None));
    assert_eq!(at(&bench, fourth.id), (5, None));
    assert_eq!(at(&bench, other.id), (1, None));
    let sent = bench.heard("setBreakpoints").pop().unwrap();
    let sent = sent["breakpoints"].as_array().unwrap();
    let mut sent: Vec<_> = sent.iter().map(|at| at["line"].as_i64().unwrap()).collect();
    sent.sort_unstable();
    assert_eq!(sent, [1, 3, 4, 5]);
    let told: Vec<_> = bench.desk.messages().collect();
    let moved = "The breakpoint program.fake:2 is at line 4 now: its file was changed.";
    assert!(told.contains(&moved), "{told:?}");
    let gone = "Breakpoints whose lines are gone from their files stay at their line numbers: program.fake:3.";
    assert!(told.contains(&gone), "{told:?}");
    bench.end().await;
}

/// Two come to one line: what is said of it is kept with the line that is there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_breakpoint_whose_line_is_gone_gives_way_to_one_whose_line_is_there() {
    let mut bench = Bench::open(&["--endless"]).await;
    let write = |text: &str| std::fs::write(&bench.program, text).unwrap();
    write("first()\nsecond()\nthird()\n");
    let second = BreakpointSpec {
        hit_condition: Some("3".to_owned()),
        ..bench.line(2)
    };
    let second = bench.set(second).await.unwrap();
    bench.set(bench.line(3)).await.unwrap();
    write("new()\nfirst()\nsecond()\n");
    let restart = Command::Restart {
        session: Some(bench.session),
    };
    let Reply::Session { session } = bench.ask(restart).await.unwrap() else {
        panic!("no session");
    };
    bench.desk.stop(session, None, PATIENCE).await.unwrap();
    let left = &bench.desk.state.breakpoints;
    let left: Vec<_> = left
        .iter()
        .map(|b| (b.id, b.hit_condition.as_deref()))
        .collect();
    assert_eq!(left, [(second.id, Some("3"))]);
    let told: Vec<_> = bench.desk.messages().collect();
    let moved = "The breakpoint program.fake:2 is at line 3 now: its file was changed. There was another breakpoint at that line; one of the two is kept.";
    assert!(told.contains(&moved), "{told:?}");
    bench.end().await;
}

/// A breakpoint's list as a session of the tool sees it, in its text.
async fn told(tool: &Tool, action: &str, arguments: Value) -> String {
    let done = tool
        .call(
            &Caller::default(),
            action,
            arguments.as_object().unwrap(),
            None,
        )
        .await;
    done.unwrap_or_else(|error| panic!("{action}: {error}"))
        .text
}

/// Of two programs one ends: what is said next means the other, and names choose between them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_sessions_the_live_one_is_meant_and_names_choose() {
    let two = |config: &mut CoreConfig| config.max_sessions = 2;
    let mut bench = Bench::with(&["--endless"], two).await;
    let first = bench.session;
    bench.launch().await;
    let second = bench.session;
    let tool = Tool::open(bench.desk.core.clone()).await.unwrap();
    let by = |id: SessionId| json!({"session": id.to_string()});
    // A name chooses, and the focus stays where it was.
    for id in [first, second] {
        let text = told(&tool, "output", by(id)).await;
        let threads = told(&tool, "threads", by(id)).await;
        assert!(!threads.is_empty() && !text.is_empty());
        let stepped = told(&tool, "step_over", by(id)).await;
        assert!(stepped.starts_with(&format!("Session {id}\n")), "{stepped}");
    }
    let stepped = told(&tool, "step_over", json!({})).await;
    assert!(
        stepped.starts_with(&format!("Session {second}\n")),
        "{stepped}"
    );
    let none = tool
        .call(
            &Caller::default(),
            "threads",
            json!({"session": "debug-9"}).as_object().unwrap(),
            None,
        )
        .await;
    let none = none.unwrap_err();
    assert_eq!(none.error, "There is no session debug-9.");
    assert_eq!(none.hint, Some(format!("there are {first}, {second}")));

    // The one in focus ends: the other is meant, and `terminate` of the ended one ends nothing.
    bench.ask(Command::Focus { session: second }).await.unwrap();
    told(&tool, "terminate", json!({})).await;
    bench.goes().await;
    assert_eq!(bench.desk.state.focus, Some(first));
    let nothing = told(&tool, "terminate", by(second)).await;
    assert!(
        nothing.ends_with("No debug session to terminate."),
        "{nothing}"
    );
    let stepped = told(&tool, "step_over", json!({})).await;
    assert!(
        stepped.starts_with(&format!("Session {first}\n")),
        "{stepped}"
    );
    bench.end().await;
}

#[test]
fn without_settings_it_is_as_agreed() {
    let config = CoreConfig::new(Home::new().context());
    assert_eq!(config.request_timeout, Duration::from_secs(30));
    assert_eq!(config.max_sessions, 1);
    assert_eq!(omp_debug::debugger::Output::DEFAULT_BOUND, 131_072);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_with_a_deadline_of_its_own_is_taken_back_when_late() {
    let bench = Bench::open(&[]).await;
    let late = bench
        .desk
        .core
        .request_within(evaluate("sleep 60000"), Duration::from_millis(150));
    let error = late.await.unwrap_err();
    assert_eq!(
        (error.kind, error.what.as_str()),
        (
            ErrorKind::Timeout,
            "DAP request evaluate timed out after 150ms"
        )
    );
    hears(&bench, "cancel").await;
    // The session stays, and others have the usual time.
    assert_eq!(bench.value("1 + 1").await.unwrap(), "2");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_that_nobody_waits_for_is_taken_back() {
    let bench = Bench::open(&[]).await;
    let asked = bench
        .desk
        .core
        .request_within(evaluate("sleep 60000"), Duration::from_mins(1));
    hears(&bench, "evaluate").await;
    drop(asked);
    hears(&bench, "cancel").await;
    let frames = trace::received(&bench.home.path().join("log"));
    let evaluation = frames.iter().find(|frame| frame["command"] == "evaluate");
    assert_eq!(
        bench.heard("cancel"),
        [json!({"requestId": evaluation.unwrap()["seq"]})]
    );
    assert_eq!(bench.desk.session(bench.session).phase, Phase::Stopped);
    assert_eq!(bench.value("1 + 1").await.unwrap(), "2");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_that_never_comes_is_named() {
    let script = Script::new()
        .expect("initialize", &Value::Null)
        .respond(&json!({}))
        .expect("launch", &Value::Null)
        .expect("disconnect", &Value::Null)
        .respond(&Value::Null)
        .eof();
    let home = Home::new();
    let script = script.write(home.path()).display().to_string();
    home.fake_adapters(&[("fake", "stdio", vec!["--script".to_owned(), script])]);
    let program = home.file("work/program.fake", "step()\n");
    let desk = Desk::open(home.config(PATIENCE)).await;
    let launch = Command::Launch(Box::new(LaunchSpec {
        program,
        adapter: Some("fake".to_owned()),
        stop_on_entry: Some(true),
        ..LaunchSpec::default()
    }));
    let limit = Duration::from_millis(300);
    let error = desk.core.request_within(launch, limit).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    let either = [
        "DAP event initialized timed out after 300ms",
        "DAP request launch timed out after 300ms",
    ];
    assert!(either.contains(&error.what.as_str()), "{error}");
    desk.ask("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap()
        .unwrap();
}

/// A debugger may stop a program for itself while it is being loaded. It goes on when its configuration is done: a `continue` too many
/// would be kept, and carry it past the next stop.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stops_of_the_adapters_own_making_are_passed_over() {
    let own = json!({"reason": "breakpoint", "description": "temporary bp", "threadId": 1});
    let script = Script::new()
        .expect("initialize", &Value::Null)
        .respond(&json!({"supportsConfigurationDoneRequest": true}))
        .expect("launch", &Value::Null)
        .raw("out # No sourcefile available\n")
        .event("stopped", &own)
        .event("initialized", &Value::Null)
        .respond(&Value::Null)
        .expect("configurationDone", &Value::Null)
        .respond(&Value::Null)
        .event("stopped", &json!({"reason": "breakpoint", "threadId": 1}))
        .expect("stackTrace", &Value::Null)
        .respond(&json!({"stackFrames": [], "totalFrames": 0}))
        .expect("threads", &Value::Null)
        .respond(&json!({"threads": [{"id": 1, "name": "main"}]}))
        .expect("disconnect", &Value::Null)
        .respond(&Value::Null)
        .eof();
    let home = Home::new();
    let script = script.write(home.path()).display().to_string();
    let (mark, value) = home.mark.env();
    let fake = json!({"command": tools::fake_adapter(), "args": ["--script", script],
        "env": {mark: value}, "personality": {"own_stops": ["^breakpoint: temporary bp"], "between_frames": ["^out "]}});
    home.file(
        "config/omp-debug/dap.json",
        &json!({"adapters": {"fake": fake}}).to_string(),
    );
    let mut desk = Desk::open(home.config(PATIENCE)).await;
    let spec = LaunchSpec {
        program: home.file("work/program.fake", "step()\n"),
        adapter: Some("fake".to_owned()),
        stop_on_entry: Some(false),
        ..LaunchSpec::default()
    };
    let session = desk.launch(PATIENCE, spec).await.unwrap();
    desk.phase(session, Phase::Stopped, PATIENCE).await.unwrap();
    let stop = desk.session(session).stop.clone().unwrap();
    assert_eq!((stop.id.0, stop.reason.as_str()), (1, "breakpoint"));
    // As far as this the adapter's script went as it is written.
    let known = |desk: &Desk| (desk.session(session).threads.first()?.name == "main").then_some(());
    desk.until("the threads", PATIENCE, known).await.unwrap();
    // Nor is a person warned of words that it is known for.
    let odd = desk
        .messages()
        .find(|text| text.contains("not the protocol"));
    assert_eq!(odd, None);
    desk.must("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap();
}

/// An adapter that dies while nobody asks anything is noticed by its end: there is no heartbeat that could be late.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_death_of_an_idle_adapter_is_known_at_once() {
    let mut bench = Bench::open(&[]).await;
    let pid = bench.desk.session(bench.session).pid.unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let began = std::time::Instant::now();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    bench.goes().await;
    let took = began.elapsed();
    assert!(took < Duration::from_secs(10), "it took {took:?}");
    let ended = bench.desk.session(bench.session).ended.clone().unwrap();
    assert!(ended.contains("signal 9"), "{ended}");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_nobody_uses_is_ended_where_that_is_wanted() {
    let limit = Duration::from_secs(2);
    let mut bench = Bench::with(&["--endless"], |config| config.idle_limit = Some(limit)).await;
    let session = bench.session;
    let first = bench.desk.session(session).last_used;
    let used = std::time::Instant::now();
    assert_eq!(bench.value("1 + 1").await.unwrap(), "2");
    bench.goes().await;
    assert!(
        used.elapsed() >= limit,
        "it ended after {:?}",
        used.elapsed()
    );
    assert!(bench.desk.session(session).last_used > first);
    let why = format!("{session} was ended: nobody used it for 2 s.");
    assert!(bench.desk.messages().any(|text| text == why));
    bench.end().await;
}

/// How a session is parted with whose start the adapter refused: the arguments of `disconnect`.
async fn parting(request: &str, start: impl FnOnce(std::path::PathBuf) -> Command) -> Vec<Value> {
    let script = Script::new()
        .expect("initialize", &Value::Null)
        .respond(&json!({}))
        .expect(request, &Value::Null)
        .fail("not permitted")
        .expect("disconnect", &Value::Null)
        .respond(&Value::Null)
        .eof();
    let home = Home::new();
    let log = home.path().join("log");
    let options = [
        "--script".to_owned(),
        script.write(home.path()).display().to_string(),
        "--log".to_owned(),
        log.display().to_string(),
    ];
    home.fake_adapters(&[("fake", "stdio", options.into())]);
    let program = home.file("work/program.fake", "step()\n");
    let mut desk = Desk::open(home.config(PATIENCE)).await;
    let refused = desk.ask(request, PATIENCE, start(program)).await.unwrap();
    let error = refused.unwrap_err();
    assert!(error.what.contains("not permitted"), "{error}");
    let first = |desk: &Desk| desk.state.sessions.first().map(|s| s.id);
    let id = desk.until("a session", PATIENCE, first).await.unwrap();
    desk.gone(id, PATIENCE).await.unwrap();
    desk.ask("shutdown", PATIENCE, Command::Shutdown)
        .await
        .unwrap()
        .unwrap();
    trace::arguments(&log, "disconnect")
}

/// What could not be attached to ran before we came, and runs on; what was launched ends with the start that failed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_attach_that_fails_ends_nothing() {
    let mut sleeper = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .unwrap();
    let adapter = Some("fake".to_owned());
    let attach = AttachSpec {
        pid: Some(sleeper.id()),
        adapter: adapter.clone(),
        ..AttachSpec::default()
    };
    let parted = parting("attach", |_| Command::Attach(Box::new(attach))).await;
    let is_alive = sleeper.try_wait().unwrap().is_none();
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    assert_eq!(parted, [json!({"terminateDebuggee": false})]);
    assert!(is_alive, "the program was ended");
    let launch = |program| {
        Command::Launch(Box::new(LaunchSpec {
            program,
            adapter,
            ..LaunchSpec::default()
        }))
    };
    let parted = parting("launch", launch).await;
    assert_eq!(parted, [json!({"terminateDebuggee": true})]);
}
