//! `omp-debug mirror`: editors that look at a session which others drive. The editors are a DAP client of the tests' own, and what
//! reached the adapter is read from its log.

use crate::support;

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command as Process, Stdio};
use std::time::Instant;

use omp_debug::debugger::link::{self, Host, HostKind, Hosting, Note, SocketFolder};
use omp_debug::debugger::{BreakpointSpec, Command, StepKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use serde_json::{Value, json};
use support::bench::{Bench, PATIENCE};
use support::client::Client;
use support::{procs, tools};

const KEY: &str = concat!(
    "sk-ant-",
    "api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MDEyMzQ1Njc4OTA"
);
const READ_ONLY: &str = "This is a read-only view of ";
const STALE: &str = "The program has moved on";

/// A core with a stopped program, its socket, and a mirror of it.
struct Mirrored {
    bench: Bench,
    host: Option<Host>,
    mirror: Child,
    out: BufReader<ChildStdout>,
    port: u16,
    token: String,
}

impl Mirrored {
    async fn open(options: &[&str]) -> Self {
        let mut bench = Bench::with(options, |config| config.max_sessions = 2).await;
        // What is loaded last at a stop.
        bench.hears_more("threads", 0).await;
        let context = bench.home.context();
        let place = SocketFolder::make(&context).unwrap();
        let note = Note::own(HostKind::Serve, context.cwd.clone(), None);
        let hosting = Hosting::new(place, note);
        let host = link::serve(bench.desk.core.clone(), hosting).await.unwrap();
        let mut mirror = Process::new(tools::omp_debug())
            .args(["mirror", "--join"])
            .arg(host.path())
            .env_clear()
            .envs(&*context.env)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(mirror.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).expect("one line of JSON");
        assert_eq!(said["host"], "127.0.0.1");
        assert_eq!(said["debugger"], std::process::id());
        Self {
            bench,
            host: Some(host),
            mirror,
            out,
            port: said["port"].as_u64().unwrap().try_into().unwrap(),
            token: said["token"].as_str().unwrap().to_owned(),
        }
    }

    fn connect(&self) -> Editor {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        let write = stream.try_clone().unwrap();
        Editor(Client::new(stream, write))
    }

    /// An editor that has shown the token and is ready, but has not said so.
    fn attach(&self) -> Editor {
        let mut editor = self.connect();
        let able = editor.0.ask("initialize", &json!({"adapterID": "any"}));
        assert_eq!(able["supportsConfigurationDoneRequest"], true);
        editor.0.ask("attach", &json!({"token": self.token}));
        editor.0.event("initialized");
        editor
    }

    /// An editor that was told where the program stands.
    fn look(&self) -> (Editor, Value) {
        let mut editor = self.attach();
        editor.0.ask("configurationDone", &Value::Null);
        let stopped = editor.0.event("stopped");
        (editor, stopped)
    }

    /// Everything that the adapter has heard.
    fn heard(&self) -> String {
        std::fs::read_to_string(self.bench.home.path().join("log")).unwrap()
    }

    /// Waits for the mirror's end; it has printed nothing but its first line.
    fn ends(&mut self) -> Option<i32> {
        assert!(procs::wait_exit(self.mirror.id(), PATIENCE), "it lives on");
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        self.mirror.wait().unwrap().code()
    }
}

impl Drop for Mirrored {
    fn drop(&mut self) {
        // It has ended already when all is well.
        let _ = self.mirror.kill();
        let _ = self.mirror.wait();
    }
}

struct Editor(Client<TcpStream, TcpStream>);

impl Editor {
    fn stack(&mut self) -> Vec<Value> {
        let stack = self
            .0
            .ask("stackTrace", &json!({"threadId": 1, "levels": 20}));
        stack["stackFrames"].as_array().unwrap().clone()
    }

    fn scopes(&mut self, frame: &Value) -> Vec<Value> {
        let scopes = self.0.ask("scopes", &json!({"frameId": frame["id"]}));
        scopes["scopes"].as_array().unwrap().clone()
    }

    fn variables(&mut self, of: &Value) -> Vec<Value> {
        let arguments = json!({"variablesReference": of["variablesReference"]});
        let variables = self.0.ask("variables", &arguments);
        variables["variables"].as_array().unwrap().clone()
    }

    /// Waits until the connection is ended by the other side, which says nothing more.
    fn is_let_go(&mut self) {
        let read = self.0.input.read(&mut [0]);
        let gone = read.as_ref().map_or_else(
            |error| error.kind() == ErrorKind::ConnectionReset,
            |count| *count == 0,
        );
        assert!(gone, "{read:?}");
    }
}

fn named<'v>(variables: &'v [Value], name: &str) -> &'v Value {
    let found = variables.iter().find(|variable| variable["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} among {variables:#?}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_editor_that_comes_late_sees_where_the_program_stands() {
    let mut all = Mirrored::open(&[]).await;
    all.bench.set(all.bench.line(4)).await.unwrap();
    all.bench.resume(None).await;
    assert_eq!(all.bench.next_stop().await.1, 4);
    let asked = all.bench.heard("stackTrace").len();

    let mut editor = all.attach();
    let source = json!({"path": all.bench.program});
    let wanted = json!({"source": source, "breakpoints": [{"line": 4}, {"line": 7}]});
    let told = editor.0.ask("setBreakpoints", &wanted);
    assert_eq!(told["breakpoints"][0], json!({"verified": true, "line": 4}));
    assert_eq!(told["breakpoints"][1]["verified"], false);
    let why = told["breakpoints"][1]["message"].as_str().unwrap();
    assert!(why.contains("Breakpoints are set in serve (pid "), "{why}");
    let functions = json!({"breakpoints": [{"name": "line_2"}]});
    let told = editor.0.ask("setFunctionBreakpoints", &functions);
    assert_eq!(told["breakpoints"][0]["verified"], false);
    editor
        .0
        .ask("setExceptionBreakpoints", &json!({"filters": ["raised"]}));
    editor.0.ask("configurationDone", &Value::Null);

    let stopped = editor.0.event("stopped");
    assert_eq!(stopped["reason"], "breakpoint");
    assert_eq!(
        (&stopped["threadId"], &stopped["allThreadsStopped"]),
        (&json!(1), &json!(true))
    );
    assert!(
        editor.0.event("output")["output"]
            .as_str()
            .unwrap()
            .starts_with("started ")
    );
    let threads = editor.0.ask("threads", &Value::Null);
    assert_eq!(
        threads["threads"],
        json!([{"id": 1, "name": "MainThread"}, {"id": 2, "name": "worker"}])
    );
    let stack = editor.stack();
    assert_eq!(stack.len(), 3);
    assert_eq!(
        (&stack[0]["name"], &stack[0]["line"]),
        (&json!("total"), &json!(4))
    );
    assert_eq!(stack[0]["source"]["path"], json!(all.bench.program));
    let second = editor.0.ask(
        "stackTrace",
        &json!({"threadId": 1, "startFrame": 1, "levels": 1}),
    );
    assert_eq!(
        second["stackFrames"],
        json!([stack[1]]),
        "the same frame has the same number"
    );
    assert_eq!(second["totalFrames"], 3);
    assert_eq!(
        all.bench.heard("stackTrace").len(),
        asked,
        "the core knew it"
    );
    let scopes = editor.scopes(&stack[0]);
    let locals = editor.variables(&scopes[0]);
    assert_eq!(named(&locals, "line")["value"], "4");
    let items = named(&locals, "items");
    let page = json!({"variablesReference": items["variablesReference"], "filter": "indexed", "start": 99_998, "count": 2});
    let page = editor.0.ask("variables", &page);
    assert_eq!(page["variables"][1]["name"], "[99999]");
    // Frames that nobody has selected, and threads that nobody has looked at.
    let outer = editor.scopes(&stack[2]);
    assert!(!editor.variables(&outer[0]).is_empty());
    let worker = editor
        .0
        .ask("stackTrace", &json!({"threadId": 2, "levels": 20}));
    assert!(!worker["stackFrames"].as_array().unwrap().is_empty());
    // A name is looked at, anything else is not.
    let hover = |expression: &str| json!({"expression": expression, "context": "hover", "frameId": stack[0]["id"]});
    assert_eq!(editor.0.ask("evaluate", &hover("line"))["result"], "4");
    let asked = all.bench.heard("evaluate").len();
    assert!(
        editor
            .0
            .refused("evaluate", &hover("line + 1"))
            .starts_with(READ_ONLY)
    );
    assert_eq!(all.bench.heard("evaluate").len(), asked);
    assert!(
        editor
            .0
            .refused("exceptionInfo", &json!({"threadId": 1}))
            .contains("exception")
    );
    assert!(
        editor
            .0
            .refused(
                "source",
                &json!({"source": {"path": "/etc/passwd"}, "sourceReference": 0})
            )
            .contains("no such source")
    );
    // The person's own choice of a frame is still among those that are there.
    let session = all.bench.desk.session(all.bench.session);
    assert!(session.current_frame().is_some());
    editor
        .0
        .ask("disconnect", &json!({"terminateDebuggee": true}));
    editor.is_let_go();
    assert!(all.bench.heard("disconnect").is_empty() && all.bench.heard("terminate").is_empty());
}

/// The core gives ten thousand frames and no more: an editor that wants others does not make it ask for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_frames_are_fetched_as_far_as_there_are_any() {
    let all = Mirrored::open(&["--frames", "12000"]).await;
    let (mut editor, _) = all.look();
    let asked = all.bench.heard("stackTrace").len();
    for (start, levels, count) in [
        (0, 20, 20),
        (0, 20_000, 10_000),
        (9_990, 50, 10),
        (20_000, 1, 0),
    ] {
        let wanted = json!({"threadId": 1, "startFrame": start, "levels": levels});
        let stack = editor.0.ask("stackTrace", &wanted);
        assert_eq!(
            stack["stackFrames"].as_array().unwrap().len(),
            count,
            "{wanted}"
        );
    }
    assert!(all.bench.heard("stackTrace").len() <= asked + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_is_told_and_what_was_shown_before_is_refused() {
    let mut all = Mirrored::open(&[]).await;
    let (mut editor, stopped) = all.look();
    assert_eq!(stopped["reason"], "entry");
    let before = editor.stack();
    let scopes = editor.scopes(&before[0]);
    let locals = editor.variables(&scopes[0]);

    let threads = all.bench.heard("threads").len();
    all.bench.resume(Some(StepKind::Over)).await;
    let continued = editor.0.event("continued");
    assert_eq!(continued["allThreadsContinued"], true);
    let stopped = editor.0.event("stopped");
    assert_eq!(
        (&stopped["reason"], &stopped["threadId"]),
        (&json!("step"), &json!(1))
    );
    all.bench.hears_more("threads", threads).await;
    let asked = all.heard();
    let frame = json!({"frameId": before[0]["id"]});
    assert!(editor.0.refused("scopes", &frame).starts_with(STALE));
    for old in [&scopes[0], named(&locals, "items")] {
        let old = json!({"variablesReference": old["variablesReference"]});
        assert!(editor.0.refused("variables", &old).starts_with(STALE));
    }
    let hover = json!({"expression": "line", "context": "hover", "frameId": before[0]["id"]});
    assert!(editor.0.refused("evaluate", &hover).starts_with(STALE));
    assert_eq!(all.heard(), asked, "the adapter was asked nothing");

    let after = editor.stack();
    assert_eq!(
        after[0]["line"].as_i64().unwrap(),
        before[0]["line"].as_i64().unwrap() + 1
    );
    let numbers = |frames: &[Value]| {
        frames
            .iter()
            .map(|f| f["id"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    assert!(
        numbers(&after)
            .iter()
            .all(|id| !numbers(&before).contains(id))
    );
    let scopes = editor.scopes(&after[0]);
    assert_eq!(named(&editor.variables(&scopes[0]), "line")["value"], "2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_changes_anything_reaches_the_adapter() {
    let all = Mirrored::open(&[]).await;
    let (mut editor, _) = all.look();
    let frame = editor.stack()[0].clone();
    let locals = editor.scopes(&frame)[0]["variablesReference"].clone();
    let before = all.heard();
    let on_thread = json!({"threadId": 1});
    let evaluated =
        |context: &str| json!({"expression": "line", "context": context, "frameId": frame["id"]});
    for (command, arguments) in [
        ("continue", on_thread.clone()),
        ("next", on_thread.clone()),
        ("stepIn", on_thread.clone()),
        ("stepOut", on_thread.clone()),
        ("stepBack", on_thread.clone()),
        ("reverseContinue", on_thread.clone()),
        ("pause", on_thread),
        ("goto", json!({"threadId": 1, "targetId": 3})),
        ("restartFrame", json!({"frameId": frame["id"]})),
        (
            "setVariable",
            json!({"variablesReference": locals, "name": "line", "value": "9"}),
        ),
        (
            "setExpression",
            json!({"expression": "line", "value": "9", "frameId": frame["id"]}),
        ),
        (
            "writeMemory",
            json!({"memoryReference": "0x1000", "data": "AA=="}),
        ),
        ("evaluate", evaluated("repl")),
        ("evaluate", evaluated("watch")),
        (
            "evaluate",
            json!({"expression": "f()", "context": "hover", "frameId": frame["id"]}),
        ),
        ("terminateThreads", json!({"threadIds": [1]})),
        ("restart", json!({})),
        ("terminate", json!({})),
        ("attach", json!({"token": all.token})),
        (
            "readMemory",
            json!({"memoryReference": "0x1000", "count": 1}),
        ),
        ("nonsense", json!({})),
    ] {
        let why = editor.0.refused(command, &arguments);
        let pid = format!("(pid {})", std::process::id());
        assert!(
            why.starts_with(READ_ONLY) && why.contains(&pid),
            "{command}: {why}"
        );
        assert!(why.ends_with(": drive it there."), "{command}: {why}");
    }
    let wanted = json!({"source": {"path": all.bench.program}, "breakpoints": [{"line": 5}]});
    editor.0.ask("setBreakpoints", &wanted);
    editor.0.ask(
        "disconnect",
        &json!({"terminateDebuggee": true, "restart": true}),
    );
    editor.is_let_go();
    assert_eq!(all.heard(), before, "not one byte more");
    assert!(all.bench.desk.state.breakpoints.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_does_not_know_the_token_is_told_nothing() {
    let all = Mirrored::open(&[]).await;
    assert!(all.token.len() >= 32, "{}", all.token);
    for token in [
        json!(""),
        Value::Null,
        json!(7),
        json!(all.token[1..]),
        json!(format!("{}0", all.token)),
        json!("0".repeat(all.token.len())),
    ] {
        let mut editor = all.connect();
        editor.0.ask("initialize", &json!({"adapterID": "any"}));
        for command in [
            "threads",
            "configurationDone",
            "setBreakpoints",
            "continue",
            "stackTrace",
        ] {
            let why = editor.0.refused(command, &json!({"token": all.token}));
            assert!(
                why.contains("must be `attach` with the `token`"),
                "{command}: {why}"
            );
        }
        let why = editor.0.refused("attach", &json!({"token": token}));
        assert!(why.contains("is not the one"), "{why}");
        editor.is_let_go();
        assert!(editor.0.events.is_empty(), "{:?}", editor.0.events);
    }
    let mut editor = all.connect();
    editor.0.ask("disconnect", &Value::Null);
    editor.is_let_go();
    // A page in a browser cannot say anything either: its requests are no messages.
    let message = json!({"seq": 1, "type": "request", "command": "attach", "arguments": {"token": all.token}}).to_string();
    let length = message.len();
    for request in [
        format!("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n{message}"),
        "Content-Length: 99999999\r\n\r\n".to_owned(),
        "Content-Length: 2\r\n\r\n[]".to_owned(),
    ] {
        let mut editor = all.connect();
        editor
            .0
            .output
            .as_mut()
            .unwrap()
            .write_all(request.as_bytes())
            .unwrap();
        editor.is_let_go();
    }
    // `launch` is what some editors call it.
    let mut editor = all.connect();
    editor.0.ask("launch", &json!({"token": all.token}));
    editor.0.event("initialized");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_look_at_once_and_one_that_goes_leaves_the_others() {
    let all = Mirrored::open(&[]).await;
    let mut editors: Vec<Editor> = (0..16).map(|_| all.look().0).collect();
    all.connect().is_let_go();
    let frames: Vec<Value> = editors
        .iter_mut()
        .map(|editor| editor.stack()[0].clone())
        .collect();
    assert!(frames.iter().all(|frame| frame["line"] == 1));
    let mut gone = editors.pop().unwrap();
    gone.0.ask("disconnect", &Value::Null);
    gone.is_let_go();
    all.bench.resume(Some(StepKind::Over)).await;
    for editor in &mut editors {
        editor.0.event("continued");
        assert_eq!(editor.0.event("stopped")["reason"], "step");
        assert_eq!(editor.stack()[0]["line"], 2);
    }
}

/// Its own buffers and the system's are filled by what it asks for and does not read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_editor_that_never_reads_loses_its_connection_and_nothing_else() {
    let all = Mirrored::open(&["--list", "20000"]).await;
    let (mut deaf, _) = all.look();
    let (mut other, _) = all.look();
    let frame = deaf.stack()[0].clone();
    let scopes = deaf.scopes(&frame);
    let locals = deaf.variables(&scopes[0]);
    let all_items = json!({"variablesReference": named(&locals, "items")["variablesReference"]});
    for _ in 0..8 {
        deaf.0.send("variables", &all_items);
    }
    // The system tells it when it says something more.
    let more = json!({"seq": 99, "type": "request", "command": "threads"}).to_string();
    let more = format!("Content-Length: {}\r\n\r\n{more}", more.len());
    let mut socket = deaf.0.output.take().unwrap();
    let deadline = Instant::now() + 3 * PATIENCE;
    let tick = Timespec {
        tv_sec: 0,
        tv_nsec: 100_000_000,
    };
    while poll(&mut [PollFd::new(&socket, PollFlags::empty())], Some(&tick)) == Ok(0) {
        assert!(Instant::now() < deadline, "it is still connected");
        // One that fails has been let go, which the system says at once.
        let _ = socket.write_all(more.as_bytes());
        assert_eq!(other.stack()[0]["line"], 1);
    }
    all.bench.resume(Some(StepKind::Over)).await;
    other.0.event("continued");
    assert_eq!(other.0.event("stopped")["reason"], "step");
    assert_eq!(other.stack()[0]["line"], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_is_told_and_the_mirror_ends_with_the_core() {
    let mut all = Mirrored::open(&["--loops", "1", "--exit-code", "3"]).await;
    let (mut editor, _) = all.look();
    all.bench.resume(None).await;
    editor.0.event("continued");
    assert_eq!(editor.0.event("exited")["exitCode"], 3);
    editor.0.event("terminated");
    // The next session is shown as well.
    all.bench.launch().await;
    assert_eq!(editor.0.event("stopped")["reason"], "entry");
    assert_eq!(editor.stack()[0]["line"], 1);
    all.host.take();
    editor.0.event("terminated");
    editor.is_let_go();
    assert_eq!(all.ends(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_ends_the_mirror_and_not_the_core() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut all = Mirrored::open(&[]).await;
        let (mut editor, _) = all.look();
        let stranger = all.connect();
        procs::signal(all.mirror.id(), signal);
        editor.0.event("terminated");
        editor.is_let_go();
        assert_eq!(all.ends(), Some(code));
        drop(stranger);
        all.bench.resume(Some(StepKind::Over)).await;
        assert_eq!(all.bench.next_stop().await.1, 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_focus_is_followed_and_secrets_stay_behind() {
    let mut all = Mirrored::open(&[]).await;
    let first = all.bench.session;
    let spec = BreakpointSpec {
        log_message: Some(format!("api key {KEY} at {{line}}")),
        ..all.bench.line(3)
    };
    all.bench.set(spec).await.unwrap();
    all.bench.set(all.bench.line(5)).await.unwrap();
    let (mut editor, _) = all.look();
    all.bench.resume(None).await;
    assert_eq!(editor.0.event("stopped")["reason"], "breakpoint");
    let printed = editor
        .0
        .events
        .iter()
        .filter(|event| event["event"] == "output");
    let printed: String = printed
        .map(|event| event["body"]["output"].as_str().unwrap())
        .collect();
    assert!(
        printed.contains("api key [redacted:") && printed.contains("at 3"),
        "{printed}"
    );
    assert!(!printed.contains("Zm9v"), "{printed}");
    let (mut late, _) = all.look();
    let printed = format!("{:?}", late.0.events);
    assert!(
        printed.contains("[redacted:") && !printed.contains("Zm9v"),
        "{printed}"
    );
    late.0.ask("disconnect", &Value::Null);

    let old = editor.stack()[0].clone();
    editor.0.events.clear();
    all.bench.launch().await;
    editor.0.event("continued");
    assert_eq!(editor.0.event("stopped")["reason"], "entry");
    let frame = json!({"frameId": old["id"]});
    assert!(editor.0.refused("scopes", &frame).starts_with(STALE));
    assert_eq!(editor.stack()[0]["line"], 1);
    let focus = Command::Focus { session: first };
    all.bench.ask(focus).await.unwrap();
    editor.0.event("continued");
    assert_eq!(editor.0.event("stopped")["reason"], "breakpoint");
    assert_eq!(editor.stack()[0]["line"], 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_listens_on_this_machine_alone_and_not_where_somebody_else_does() {
    let all = Mirrored::open(&[]).await;
    assert!(TcpStream::connect(("127.0.0.2", all.port)).is_err());
    let context = all.bench.home.context();
    let again = Process::new(tools::omp_debug())
        .args(["mirror", "--port", &all.port.to_string(), "--join"])
        .arg(all.host.as_ref().unwrap().path())
        .env_clear()
        .envs(&*context.env)
        .output()
        .unwrap();
    let why = String::from_utf8(again.stderr).unwrap();
    assert_eq!(again.status.code(), Some(2), "{why}");
    assert!(
        why.contains(&format!(
            "port {} of this machine cannot be listened at",
            all.port
        )),
        "{why}"
    );
    assert!(again.stdout.is_empty());
    all.look();
}

#[test]
fn what_is_not_there_cannot_be_mirrored() {
    let home = support::core::Home::new();
    let context = home.context();
    let mirror = |words: &[&str]| {
        let mut command = Process::new(tools::omp_debug());
        let command = command
            .arg("mirror")
            .args(words)
            .env_clear()
            .envs(&*context.env);
        let output = command
            .env_remove("XDG_RUNTIME_DIR")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.stdout.is_empty());
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    for (words, said) in [
        (&["--join", "1"][..], "no debugger \"1\" is running"),
        (&["--to", "/nowhere.sock"], "no omp-debug listens at"),
    ] {
        let (code, why) = mirror(words);
        assert_eq!(code, Some(2), "{why}");
        assert!(why.contains(said), "{why}");
    }
}
