//! An adapter that announces children as no good adapter would, or as older ones did.

use std::path::PathBuf;

use omp_debug::debugger::{
    Command, CoreConfig, DebuggerError, LaunchSpec, Phase, Reply, SessionId, Stop,
};
use serde_json::{Value, json};

use super::grove::{Grove, PATIENCE, children};
use crate::support::core::Desk;
use crate::support::tools;
use crate::support::trace::{self, Script};

/// A core with the fake adapter, which listens as debugpy's does.
struct Fake {
    grove: Grove,
    log: PathBuf,
}

impl Fake {
    async fn open(what: &str, options: &[&str]) -> Self {
        Self::with(what, options, |_| {}).await
    }

    async fn with(what: &str, options: &[&str], change: impl FnOnce(&mut CoreConfig)) -> Self {
        let mut grove = Grove::with(what, "tree.py", change).await;
        let log = grove.home.path().join("log");
        let mut args = vec!["--listen", "${port}", "--log", log.to_str().unwrap()];
        args.extend(options);
        let (mark, value) = grove.home.mark.env();
        let fake = json!({"command": tools::fake_adapter(), "args": args, "connectMode": "tcp",
            "env": {mark: value}, "personality": {"children": {"start_debugging": true,
                "events": ["ptvsd_subprocess", "debugpyAttach"],
                "identity_keys": ["subProcessId", "processId"],
                "pid_keys": ["subProcessId", "processId"]}}});
        grove.home.file(
            "config/omp-debug/dap.json",
            &json!({"adapters": {"fake": fake}}).to_string(),
        );
        grove.program = grove.home.file("work/program.fake", &"step()\n".repeat(10));
        Self { grove, log }
    }

    async fn launch(&mut self) -> SessionId {
        let spec = LaunchSpec {
            program: self.grove.program.clone(),
            adapter: Some("fake".to_owned()),
            stop_on_entry: Some(false),
            ..LaunchSpec::default()
        };
        self.grove.desk.launch(PATIENCE, spec).await.unwrap()
    }

    async fn until<T>(&mut self, what: &str, condition: impl Fn(&Desk) -> Option<T>) -> T {
        self.grove
            .desk
            .until(what, PATIENCE, condition)
            .await
            .unwrap()
    }

    /// How often `startDebugging` was granted and refused; waits until all `count` were answered.
    async fn answers(&self, count: usize) -> (usize, usize) {
        let log = self.log.clone();
        let answered = omp_debug::tasks::blocking(move || {
            let deadline = std::time::Instant::now() + PATIENCE;
            loop {
                let all = trace::received(&log);
                let answers = all.iter().filter(|f| f["command"] == "startDebugging");
                let answers: Vec<_> = answers.map(|f| f["success"] == true).collect();
                if answers.len() >= count {
                    let granted = answers.iter().filter(|well| **well).count();
                    return (granted, answers.len() - granted);
                }
                assert!(
                    std::time::Instant::now() < deadline,
                    "{} answers",
                    answers.len()
                );
                // The log is a file: nothing tells of a new line.
                std::thread::park_timeout(std::time::Duration::from_millis(20));
            }
        });
        answered.await.unwrap()
    }

    fn attaches(&self) -> Vec<Value> {
        trace::arguments(&self.log, "attach")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_children_are_bounded_and_counted() {
    let options = [
        "--children",
        "10000",
        "--child-number",
        "subProcessId",
        "--endless",
    ];
    let mut fake = Fake::open("ten thousand children", &options).await;
    let root = fake.launch().await;
    fake.until("the number of those passed over", |desk| {
        (desk.state.session(root)?.children_passed_over == 10_000 - 256).then_some(())
    })
    .await;
    let running = |desk: &Desk| {
        let live = desk.state.live().filter(|s| s.phase == Phase::Running);
        (live.count() == 257).then_some(())
    };
    fake.until("all to run", running).await;
    assert_eq!(fake.answers(10_000).await, (256, 10_000 - 256));
    let said = fake.grove.messages();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("there are 256 at a time at most"),
        "{said:?}"
    );
    fake.grove.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_is_announced_again_is_no_other() {
    let options = [
        "--children",
        "3",
        "--child-config",
        r#"{"subProcessId": 7}"#,
        "--endless",
    ];
    let mut fake = Fake::open("a child announced again", &options).await;
    let root = fake.launch().await;
    assert_eq!(fake.answers(3).await, (3, 0));
    let child = fake.grove.child(root, 0).await;
    fake.grove
        .desk
        .phase(child, Phase::Running, PATIENCE)
        .await
        .unwrap();
    assert_eq!(children(&fake.grove.desk, root), [child]);
    assert_eq!(fake.attaches().len(), 1);
    assert_eq!(fake.grove.desk.session(root).children_passed_over, 0);
    fake.grove.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_nobody_listens_there_is_no_child_and_the_parent_runs_on() {
    let options = [
        "--children",
        "1",
        "--child-config",
        r#"{"connect": {"port": 1}}"#,
        "--endless",
    ];
    let mut fake = Fake::open("a child nobody can reach", &options).await;
    let root = fake.launch().await;
    let child = fake.grove.child(root, 0).await;
    fake.grove.gone(child).await;
    let why = fake.grove.desk.session(child).ended.clone().unwrap();
    assert!(why.contains("127.0.0.1:1"), "{why}");
    assert_eq!(fake.answers(1).await, (0, 1));
    assert_eq!(fake.grove.phase(root), Phase::Running);
    assert_eq!(fake.grove.desk.state.focus, Some(root));
    let said = fake.grove.messages();
    assert!(
        said.len() == 1 && said[0].starts_with("The child process child 1 is not debugged: "),
        "{said:?}"
    );
    fake.grove.end().await;
}

/// One that is connected and then never answers is given up, and its parent is not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_never_answers_is_given_up() {
    let options = ["--children", "1", "--slow", "attach=60000", "--endless"];
    let quick = |config: &mut CoreConfig| {
        config.request_timeout = std::time::Duration::from_millis(1500);
    };
    let mut fake = Fake::with("a child that never answers", &options, quick).await;
    let root = fake.launch().await;
    let child = fake.grove.child(root, 0).await;
    fake.grove.gone(child).await;
    let why = fake.grove.desk.session(child).ended.clone().unwrap();
    assert!(why.contains("attach timed out"), "{why}");
    assert_eq!(fake.grove.phase(root), Phase::Running);
    // It ran before we came, and runs on.
    let goodbyes = trace::arguments(&fake.log, "disconnect");
    assert_eq!(goodbyes[0]["terminateDebuggee"], false, "{goodbyes:?}");
    fake.grove.end().await;
}

/// debugpy's answer for a child that is gone by the time one comes for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_is_gone_already_ends_quietly() {
    let options = [
        "--children",
        "3",
        "--child-number",
        "subProcessId",
        "--child-gone",
        "--endless",
    ];
    let mut fake = Fake::open("children that are gone", &options).await;
    let root = fake.launch().await;
    for index in 0..3 {
        let child = fake.grove.child(root, index).await;
        fake.grove.gone(child).await;
        let known = fake.grove.desk.session(child);
        assert_eq!(known.ended.as_deref(), Some("The program ended."));
    }
    assert_eq!(fake.grove.phase(root), Phase::Running);
    assert_eq!(fake.grove.desk.state.focus, Some(root));
    assert_eq!(fake.grove.messages(), Vec::<String>::new());
    fake.grove.end().await;
}

/// Children of children, who each stop; ended from the leaves to the root, as their adapter hears it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tree_ends_from_its_leaves() {
    let options = ["--children", "2", "--child-depth", "2", "--endless"];
    let mut fake = Fake::open("a tree", &options).await;
    let spec = omp_debug::debugger::BreakpointSpec::line(&fake.grove.program, 3);
    fake.grove.must(Command::SetBreakpoint(spec)).await;
    let root = fake.launch().await;
    let all_stand = |desk: &Desk| {
        let stopped = desk
            .state
            .sessions
            .iter()
            .filter(|s| s.current_stop().is_some());
        (stopped.count() == 7).then_some(())
    };
    fake.until("seven stops", all_stand).await;
    // The first stop has the focus, the others took it from nobody.
    let first = fake
        .grove
        .desk
        .history
        .iter()
        .find_map(|event| match &event.kind {
            omp_debug::debugger::EventKind::Session {
                session,
                change: omp_debug::debugger::Change::Stopped { .. },
            } => Some(*session),
            _ => None,
        });
    assert_eq!(fake.grove.desk.state.focus, first);
    let session = Some(root);
    fake.grove.must(Command::Terminate { session }).await;
    let received = trace::received(&fake.log);
    let level = |connection: &Value| {
        let attach = received
            .iter()
            .find(|f| f["connection"] == *connection && f["command"] == "attach");
        attach.map_or(0, |f| f["arguments"]["level"].as_u64().unwrap())
    };
    let goodbyes: Vec<_> = received
        .iter()
        .filter(|f| f["command"] == "disconnect")
        .map(|f| level(&f["connection"]))
        .collect();
    assert_eq!(goodbyes.len(), 7, "{goodbyes:?}");
    assert_eq!(goodbyes.last(), Some(&0), "{goodbyes:?}");
    for (at, parents) in goodbyes
        .iter()
        .enumerate()
        .filter(|(_, l)| **l == 1)
        .map(|(at, _)| at)
        .zip(1..)
    {
        let leaves = goodbyes[..at].iter().filter(|l| **l == 2).count();
        assert!(leaves >= 2 * parents, "{goodbyes:?}");
    }
    fake.grove.end().await;
}

/// A run to a line is one session's: its siblings do not stop there, nor does their stop put an end to it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_to_a_line_is_one_sessions() {
    let options = ["--children", "1", "--endless"];
    let mut fake = Fake::open("a run to a line", &options).await;
    let program = fake.grove.program.clone();
    let line = |line| omp_debug::debugger::BreakpointSpec::line(&program, line);
    fake.grove.must(Command::SetBreakpoint(line(3))).await;
    let root = fake.launch().await;
    let child = fake.grove.child(root, 0).await;
    for session in [root, child] {
        fake.grove.desk.stop(session, None, PATIENCE).await.unwrap();
    }
    let at = |desk: &Desk, session| Some(desk.state.session(session)?.current_frame()?.line);
    let session = Some(root);
    let path = program.clone();
    fake.grove
        .must(Command::RunTo {
            session,
            path,
            line: 6,
        })
        .await;
    fake.until("the root at its goal", |desk| {
        (at(desk, root) == Some(6)).then_some(())
    })
    .await;
    let stop = fake.grove.desk.session(root).current_stop().unwrap();
    assert_eq!(stop.reason, "cursor");
    // A breakpoint in the way of the next one ends it, and that is told.
    let run = Command::RunTo {
        session,
        path: program.clone(),
        line: 6,
    };
    fake.grove.must(run).await;
    fake.until("the root at the breakpoint", |desk| {
        let is_there = at(desk, root) == Some(3);
        let missed = "The cursor's line was not reached: ";
        (is_there && desk.messages().any(|said| said.starts_with(missed))).then_some(())
    })
    .await;
    // The child passes that line, to its breakpoint in the next pass.
    let before = fake.grove.desk.session(child).stop.clone();
    fake.grove.go_on(child).await;
    fake.grove
        .desk
        .stop(child, before.as_ref(), PATIENCE)
        .await
        .unwrap();
    assert_eq!(at(&fake.grove.desk, child), Some(3));
    let told = trace::received(&fake.log);
    let lists = told.iter().filter(|f| f["command"] == "setBreakpoints");
    let with_goal = lists.filter(|f| {
        f["arguments"]["lines"]
            .as_array()
            .unwrap()
            .contains(&json!(6))
    });
    let heard: Vec<_> = with_goal.map(|f| f["connection"].clone()).collect();
    assert_eq!(
        heard,
        [json!(0), json!(0)],
        "the child's adapter never hears of it"
    );
    fake.grove.end().await;
}

/// A program that has ended, and its two children, which run on.
async fn ended_parent(change: impl FnOnce(&mut CoreConfig)) -> (Fake, SessionId, Vec<SessionId>) {
    let options = [
        "--children",
        "2",
        "--child-endless",
        "--slow",
        "configurationDone=50",
    ];
    let mut fake = Fake::with("a parent that ends first", &options, change).await;
    let root = fake.launch().await;
    let mut sons = Vec::new();
    for index in 0..2 {
        let child = fake.grove.child(root, index).await;
        fake.grove
            .desk
            .phase(child, Phase::Running, PATIENCE)
            .await
            .unwrap();
        sons.push(child);
    }
    fake.grove
        .desk
        .phase(root, Phase::Terminated, PATIENCE)
        .await
        .unwrap();
    fake.until("the focus on a child", |desk| {
        desk.state.focus.filter(|focus| sons.contains(focus))
    })
    .await;
    assert_eq!(fake.grove.desk.state.live_roots(), [root]);
    assert_eq!(fake.grove.order_of_going(), []);
    (fake, root, sons)
}

impl Fake {
    /// Asks for the same program once more.
    fn second(&self) -> impl Future<Output = Result<Reply, DebuggerError>> + 'static {
        self.grove
            .desk
            .core
            .request(Command::Launch(Box::new(LaunchSpec {
                program: self.grove.program.clone(),
                adapter: Some("fake".to_owned()),
                ..LaunchSpec::default()
            })))
    }
}

/// A program that has ended while its children run stays in its place until they have: their adapter is its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ended_parent_waits_for_its_children() {
    for by_the_root in [true, false] {
        let (mut fake, root, sons) = ended_parent(|_| {}).await;
        // All of it is one program, until all of it is over.
        let why = fake.second().await.unwrap_err().what;
        assert!(
            why.starts_with(&format!("Debug session {root} is still active.")),
            "{why}"
        );
        // It ends when it is asked to, or with the last child.
        let ended = if by_the_root {
            vec![root]
        } else {
            sons.clone()
        };
        for session in ended.into_iter().map(Some) {
            fake.grove.must(Command::Terminate { session }).await;
        }
        fake.grove.gone(root).await;
        let went = fake.grove.order_of_going();
        assert_eq!((went.len(), went.last()), (3, Some(&root)), "{went:?}");
        fake.grove.end().await;
    }
}

/// What is started while the last children of the program before are about to end begins once they have.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_waits_for_the_last_children() {
    let (mut fake, _, sons) = ended_parent(|config| config.overdue = PATIENCE).await;
    let second = fake.second();
    for session in sons.into_iter().map(Some) {
        fake.grove.must(Command::Terminate { session }).await;
    }
    let started = second.await.unwrap();
    assert!(matches!(started, Reply::Session { .. }), "{started:?}");
    fake.grove.end().await;
}

/// The announcement of debugpy's beginnings: host, port and number beside each other; what it told goes back unchanged.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn older_announcements_are_understood() {
    let by_event = [
        "--children",
        "2",
        "--child-event",
        "ptvsd_subprocess",
        "--endless",
    ];
    let numbered = [
        "--child-number",
        "processId",
        "--child-config",
        r#"{"port": ${port}}"#,
    ];
    let options: Vec<_> = by_event.into_iter().chain(numbered).collect();
    let mut fake = Fake::open("an older announcement", &options).await;
    let root = fake.launch().await;
    for number in 1..=2_i64 {
        let child = fake.grove.child(root, number as usize - 1).await;
        fake.grove
            .desk
            .phase(child, Phase::Running, PATIENCE)
            .await
            .unwrap();
    }
    let attaches = fake.attaches();
    let numbers: Vec<_> = attaches.iter().map(|a| a["processId"].clone()).collect();
    assert!(
        numbers.contains(&json!(1)) && numbers.contains(&json!(2)),
        "{attaches:?}"
    );
    fake.grove.end().await;
}

/// The oldest: it tells what the root was started with, and the port.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_oldest_announcement_is_understood() {
    let config = r#"{"port": ${port}, "processId": 42, "parentProcessId": 41,
        "rootStartRequest": {"command": "launch",
            "arguments": {"request": "launch", "type": "python", "justMyCode": true, "level": 1}}}"#;
    let options = [
        "--children",
        "1",
        "--child-event",
        "ptvsd_subprocess",
        "--child-config",
        config,
        "--endless",
    ];
    let mut fake = Fake::open("the oldest announcement", &options).await;
    let root = fake.launch().await;
    let child = fake.grove.child(root, 0).await;
    fake.grove
        .desk
        .phase(child, Phase::Running, PATIENCE)
        .await
        .unwrap();
    let attach = &fake.attaches()[0];
    assert_eq!(
        (&attach["request"], &attach["type"], &attach["processId"]),
        (&json!("attach"), &json!("python"), &json!(42)),
        "{attach}"
    );
    assert_eq!(fake.grove.desk.session(child).name, "Child process 42");
    fake.grove.end().await;
}

/// `continue` refused because the program has just ended is no failure.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_ends_while_it_is_let_go_on_is_no_failure() {
    let script = Script::new()
        .handshake(&json!({"supportsConfigurationDoneRequest": true}))
        .respond(&Value::Null)
        .expect("configurationDone", &Value::Null)
        .respond(&Value::Null)
        .event("stopped", &json!({"reason": "pause", "threadId": 1}))
        .expect("stackTrace", &Value::Null)
        .respond(&json!({"stackFrames": []}))
        .expect("threads", &Value::Null)
        .respond(&json!({"threads": [{"id": 1, "name": "main"}]}))
        .expect("continue", &Value::Null)
        .fail("the debuggee is gone")
        .event("exited", &json!({"exitCode": 0}))
        .event("terminated", &Value::Null)
        .expect("disconnect", &Value::Null)
        .respond(&Value::Null)
        .eof();
    let mut grove = Grove::open("a quick end", "tree.py").await;
    let path = script.write(grove.home.path()).display().to_string();
    grove
        .home
        .fake_adapters(&[("fake", "stdio", vec!["--script".to_owned(), path])]);
    grove.program = grove.home.file("work/program.fake", "step()\n");
    let spec = LaunchSpec {
        program: grove.program.clone(),
        adapter: Some("fake".to_owned()),
        stop_on_entry: Some(false),
        ..LaunchSpec::default()
    };
    let session = grove.desk.launch(PATIENCE, spec).await.unwrap();
    let threads = |desk: &Desk| {
        let known = desk.state.session(session)?;
        let stop: &Stop = known.current_stop()?;
        (!known.threads.is_empty() && !stop.stacks.is_empty()).then_some(())
    };
    grove
        .desk
        .until("a stop with threads", PATIENCE, threads)
        .await
        .unwrap();
    grove.go_on(session).await;
    grove.gone(session).await;
    let ended = grove.desk.session(session).ended.clone();
    assert_eq!(
        ended.as_deref(),
        Some("The program ended with exit code 0.")
    );
    grove.end().await;
}
