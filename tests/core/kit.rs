//! The kit itself: a fake adapter that is wrong would make every test that trusts it worthless.

use crate::support;

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use support::client::Client;
use support::procs::{self, Watchdog};
use support::{line_of, program_source, pty, root, tools, trace};

const LIMIT: Duration = Duration::from_mins(1);

struct Fake {
    child: Child,
    client: Client<Box<dyn Read>, ChildStdin>,
}

impl Fake {
    fn start(options: &[&str]) -> Self {
        let mut child = Command::new(tools::fake_adapter())
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output: Box<dyn Read> = Box::new(child.stdout.take().unwrap());
        let client = Client::new(output, child.stdin.take().unwrap());
        Self { child, client }
    }

    /// Everything on stderr, once the adapter has ended.
    fn errors(&mut self) -> String {
        let mut text = String::new();
        let stderr = self.child.stderr.as_mut().unwrap();
        stderr.read_to_string(&mut text).unwrap();
        text
    }

    fn code(&mut self) -> Option<i32> {
        let pid = self.child.id();
        assert!(
            procs::wait_exit(pid, Duration::from_secs(10)),
            "it lives on"
        );
        self.child.wait().unwrap().code()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program(folder: &Path) -> String {
    let path = folder.join("prog.py");
    std::fs::write(&path, "# shop\none()\n\ntwo()\nthree()\n").unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_session_runs_from_breakpoint_to_end_in_every_order_of_the_handshake() {
    let _dog = Watchdog::new("handshakes", LIMIT);
    let folder = tempfile::tempdir().unwrap();
    let path = program(folder.path());
    for initialized in ["before", "between", "after-launch", "twice"] {
        for answer in ["before", "after"] {
            let options = ["--initialized", initialized, "--launch-answer", answer];
            let mut fake = Fake::start(&options);
            let client = &mut fake.client;
            let launch = client.begin(&json!({"program": path}));
            let source = json!({"path": path});
            let wanted = json!([{"line": 3}, {"line": 99}, {"line": 5, "hitCondition": "2"}]);
            let body = json!({"source": source, "breakpoints": wanted});
            let set = client.ask("setBreakpoints", &body);
            assert_eq!(set["breakpoints"][0]["line"], 4, "moved to where code is");
            assert_eq!(set["breakpoints"][1]["verified"], false);
            client.run(launch);
            let mut stops = Vec::new();
            for _ in 0..4 {
                let stopped = client.event("stopped");
                assert_eq!(stopped["reason"], "breakpoint");
                stops.push(client.top()["line"].as_u64().unwrap());
                client.ask("continue", &json!({"threadId": 1}));
            }
            assert_eq!(stops, [4, 4, 5, 4], "{options:?}");
            assert_eq!(client.event("exited")["exitCode"], 0);
            client.event("terminated");
            client.ask("disconnect", &Value::Null);
            assert_eq!(fake.code(), Some(0));
        }
    }
}

#[test]
fn a_stopped_program_can_be_asked_and_changed() {
    let _dog = Watchdog::new("asked", LIMIT);
    let folder = tempfile::tempdir().unwrap();
    let path = program(folder.path());
    let mut fake = Fake::start(&[]);
    let client = &mut fake.client;
    let launch = client.begin(&json!({"program": path, "stopOnEntry": true}));
    client.run(launch);
    assert_eq!(client.event("stopped")["reason"], "entry");
    assert_eq!(
        client.ask("threads", &Value::Null)["threads"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let frame = client.top();
    assert_eq!(frame["line"], 2);
    let scopes = client.ask("scopes", &json!({"frameId": frame["id"]}));
    let locals = scopes["scopes"][0]["variablesReference"].clone();
    let variables = client.ask("variables", &json!({"variablesReference": locals}));
    let named = |variables: &Value, name: &str| {
        let all = variables["variables"].as_array().unwrap();
        all.iter()
            .find(|variable| variable["name"] == name)
            .unwrap()
            .clone()
    };
    let items = named(&variables, "items");
    assert_eq!(items["indexedVariables"], 100_000);
    let page = json!({"variablesReference": items["variablesReference"], "filter": "indexed",
        "start": 99_998, "count": 50});
    let page = client.ask("variables", &page);
    assert_eq!(page["variables"].as_array().unwrap().len(), 2);
    assert_eq!(page["variables"][1]["name"], "[99999]");
    let change = json!({"variablesReference": locals, "name": "price", "value": "99"});
    client.ask("setVariable", &change);
    let variables = client.ask("variables", &json!({"variablesReference": locals}));
    assert_eq!(named(&variables, "price")["value"], "99");
    let evaluated = client.ask("evaluate", &json!({"expression": "line + 40"}));
    assert_eq!(evaluated["result"], "42");
    let error = client.refused("evaluate", &json!({"expression": "nobody"}));
    assert_eq!(error, "NameError: name 'nobody' is not defined");
    // A slow answer is overtaken, and cancelled.
    let slow = client.send("evaluate", &json!({"expression": "sleep 60000"}));
    client.ask("threads", &Value::Null);
    client.ask("cancel", &json!({"requestId": slow}));
    let cancelled = client
        .events
        .iter()
        .find(|message| message["request_seq"] == slow);
    assert_eq!(cancelled.unwrap()["message"], "cancelled");
    client.ask("next", &json!({"threadId": 1}));
    assert_eq!(client.event("stopped")["reason"], "step");
    assert_eq!(client.top()["line"], 4);
    let stale = client.refused("variables", &json!({"variablesReference": locals}));
    assert!(stale.contains("unknown"), "{stale}");
    let unknown = client.refused("frobnicate", &Value::Null);
    assert!(unknown.contains("frobnicate"));
    client.output = None;
    assert_eq!(fake.code(), Some(0), "it ends when its input closes");
}

#[test]
fn an_endless_program_is_paused() {
    let _dog = Watchdog::new("endless", LIMIT);
    let mut fake = Fake::start(&["--endless", "--breakpoints", "pending"]);
    let client = &mut fake.client;
    let launch = client.begin(&json!({}));
    let source = json!({"path": "/nowhere/fake.py"});
    let wanted = json!({"source": source, "breakpoints": [{"line": 7, "condition": "i == 1"}]});
    let set = client.ask("setBreakpoints", &wanted);
    assert_eq!(set["breakpoints"][0]["verified"], false);
    client.run(launch);
    assert_eq!(client.event("breakpoint")["breakpoint"]["verified"], true);
    client.event("stopped");
    assert_eq!(
        client.ask("evaluate", &json!({"expression": "i"}))["result"],
        "1"
    );
    client.ask("continue", &json!({"threadId": 1}));
    assert!(
        client
            .refused("stackTrace", &json!({"threadId": 1}))
            .contains("running")
    );
    client.ask("pause", &json!({"threadId": 1}));
    assert_eq!(client.event("stopped")["reason"], "pause");
    client.ask("terminate", &Value::Null);
    client.event("terminated");
}

#[test]
fn every_fault_shows_in_every_state() {
    let _dog = Watchdog::new("faults", Duration::from_mins(5));
    // What a client sees that goes on as if nothing had happened, up to the end of the session.
    for state in ["spawned", "initializing", "evaluating", "terminated"] {
        for (fault, code) in [
            ("exit0", Some(0)),
            ("exit1", Some(1)),
            ("sigkill", None),
            ("segv", None),
        ] {
            let mut fake = Fake::start(&["--fault", &format!("{fault}@{state}")]);
            converse(&mut fake);
            assert_eq!(fake.code(), code, "{fault}@{state}");
        }
    }
    for state in [
        "launching",
        "awaiting-initialized",
        "configuring",
        "running",
        "stopped",
    ] {
        let mut fake = Fake::start(&["--fault", &format!("cut-frame@{state}")]);
        converse(&mut fake);
        assert_eq!(fake.code(), Some(0), "cut-frame@{state}");
    }
    for (option, expected) in [
        ("wrong-seq@evaluating", 1),
        ("double-response@evaluating", 2),
        ("empty-failure@evaluating", 1),
        ("bad-reverse@stopping", 1),
        ("event-storm@stepping", 1),
        ("junk@disconnecting", 1),
        ("stderr-flood@initializing", 1),
    ] {
        let mut fake = Fake::start(&["--fault", option]);
        let stderr = fake.child.stderr.take().unwrap();
        let flood =
            std::thread::spawn(move || std::io::copy(&mut { stderr }, &mut std::io::sink()));
        let seen = converse(&mut fake);
        let answers = seen
            .iter()
            .filter(|message| message["command"] == "evaluate")
            .count();
        assert_eq!(answers, expected, "{option}");
        match option {
            "wrong-seq@evaluating" => assert!(
                seen.iter()
                    .any(|m| m["command"] == "evaluate" && m["request_seq"].as_i64() > Some(1000))
            ),
            "empty-failure@evaluating" => assert!(seen.iter().any(|m| m["command"] == "evaluate"
                && m["success"] == false
                && m["message"].is_null())),
            "event-storm@stepping" => {
                let storm = seen.iter().filter(|m| m["event"] == "output").count();
                assert!(storm >= 100_000, "{storm}");
            }
            "bad-reverse@stopping" => {
                let requests = seen.iter().filter(|m| m["type"] == "request").count();
                assert_eq!(requests, 3);
            }
            _ => {}
        }
        drop(fake);
        let flooded = flood.join().unwrap().unwrap();
        assert_eq!(
            flooded == 64 << 20,
            option == "stderr-flood@initializing",
            "{flooded}"
        );
    }
}

/// Sends a whole session at once, and gives everything that came back until the end or nonsense.
fn converse(fake: &mut Fake) -> Vec<Value> {
    let output = fake.client.output.take().unwrap();
    let writer = std::thread::spawn(move || {
        let mut output = output;
        let commands = [
            ("initialize", json!({})),
            ("launch", json!({"stopOnEntry": true})),
            (
                "setBreakpoints",
                json!({"source": {"path": "/nowhere/fake.py"}, "breakpoints": []}),
            ),
            ("configurationDone", Value::Null),
            ("evaluate", json!({"expression": "i"})),
            ("next", json!({"threadId": 1})),
            ("pause", json!({"threadId": 1})),
            ("continue", json!({"threadId": 1})),
            ("disconnect", Value::Null),
        ];
        for (seq, (command, arguments)) in (1..).zip(commands) {
            let message =
                json!({"seq": seq, "type": "request", "command": command, "arguments": arguments});
            let body = message.to_string();
            // An adapter that is gone ends the writing.
            if write!(output, "Content-Length: {}\r\n\r\n{body}", body.len()).is_err() {
                return;
            }
        }
    });
    let mut seen = Vec::new();
    while let Some(message) = fake.client.receive() {
        seen.push(message);
    }
    writer.join().unwrap();
    seen
}

#[test]
fn answers_may_be_late_and_the_client_may_be_asked() {
    let _dog = Watchdog::new("late answers", LIMIT);
    let options = [
        "--fault",
        "late-response@evaluating",
        "--late-ms",
        "30",
        "--run-in-terminal",
    ];
    let mut fake = Fake::start(&options);
    let client = &mut fake.client;
    let launch = client.begin(&json!({"stopOnEntry": true}));
    client.ask("configurationDone", &Value::Null);
    client.write(&json!({"type": "response", "command": "runInTerminal", "success": true}));
    client.answer_to(launch);
    client.event("stopped");
    let late = client.send("evaluate", &json!({"expression": "i"}));
    client.ask("threads", &Value::Null);
    assert!(
        client
            .events
            .iter()
            .all(|message| message["request_seq"] != late)
    );
    assert_eq!(client.answer_to(late)["body"]["result"], "0");
}

#[test]
fn frames_may_be_too_long_or_no_json_and_the_adapter_may_stop() {
    let _dog = Watchdog::new("bad frames", LIMIT);
    let mut fake = Fake::start(&["--fault", "over-cap@spawned"]);
    let mut line = String::new();
    fake.client.input.read_line(&mut line).unwrap();
    assert_eq!(line, "Content-Length: 4294967296\r\n");

    let mut fake = Fake::start(&["--fault", "bad-json@spawned"]);
    assert_eq!(fake.client.receive(), None, "a whole frame, and not JSON");
    fake.client.ask("initialize", &json!({}));

    let mut fake = Fake::start(&["--fault", "sigstop@initializing"]);
    fake.client.send("initialize", &json!({}));
    let pid = rustix::process::Pid::from_child(&fake.child);
    let options = rustix::process::WaitOptions::UNTRACED;
    let (_, status) = rustix::process::waitpid(Some(pid), options)
        .unwrap()
        .unwrap();
    assert!(status.stopped());
    procs::signal(
        pid.as_raw_nonzero().get().unsigned_abs(),
        rustix::process::Signal::CONT,
    );
    assert!(fake.client.receive().is_some(), "it goes on");
}

#[test]
fn closed_streams_are_closed() {
    let _dog = Watchdog::new("closed streams", LIMIT);
    let mut fake = Fake::start(&["--fault", "close-stdout@launching"]);
    fake.client.ask("initialize", &json!({}));
    fake.client.send("launch", &json!({}));
    assert_eq!(fake.client.receive(), None);
    assert!(procs::is_alive(fake.child.id()));
    fake.client.output = None;
    assert_eq!(fake.code(), Some(0));

    let mut fake = Fake::start(&["--fault", "close-stdin@launching"]);
    fake.client.ask("initialize", &json!({}));
    fake.client.send("launch", &json!({}));
    let mut output = fake.client.output.take().unwrap();
    while output.write_all(&[b' '; 4096]).is_ok() {}
    assert!(procs::is_alive(fake.child.id()));
    // Its only sign that we are gone is now the closed end of what it writes to.
    drop(std::mem::replace(&mut fake.client, Client::nowhere()));
    assert_eq!(fake.code(), Some(0));
}

#[test]
fn sockets_serve_several_conversations_and_end_with_the_last() {
    let _dog = Watchdog::new("sockets", LIMIT);
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut child = Command::new(tools::fake_adapter())
        .args([
            "--listen",
            "0",
            "--children",
            "1",
            "--log",
            log.to_str().unwrap(),
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut banner = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut banner).unwrap();
    let address = banner.trim().strip_prefix("listening on ").unwrap();
    let connect = || {
        let stream = TcpStream::connect(address).unwrap();
        Client::new(stream.try_clone().unwrap(), stream)
    };
    let mut parent = connect();
    let launch = parent.begin(&json!({"stopOnEntry": true}));
    parent.run(launch);
    parent.event("stopped");
    let asked = parent
        .events
        .iter()
        .find(|message| message["command"] == "startDebugging");
    let configuration = asked.unwrap()["arguments"]["configuration"].clone();
    assert_eq!(configuration["name"], "child 1");
    let mut son = connect();
    son.begin(&configuration);
    drop(parent);
    son.ask("threads", &Value::Null);
    assert!(procs::is_alive(child.id()));
    drop(son);
    assert!(procs::wait_exit(child.id(), Duration::from_secs(10)));
    child.wait().unwrap();
    let commands = trace::commands(&log);
    assert_eq!(commands[..2], ["initialize", "launch"]);
    assert_eq!(trace::arguments(&log, "launch").len(), 2);
}

#[test]
fn a_script_is_strict() {
    let _dog = Watchdog::new("scripts", LIMIT);
    let folder = tempfile::tempdir().unwrap();
    let script = trace::Script::new()
        .handshake(&json!({"supportsConfigurationDoneRequest": true}))
        .expect("evaluate", &json!({"expression": "1"}))
        .respond(&json!({"result": "1"}))
        .ask("runInTerminal", &json!({"args": ["x"]}))
        .eof()
        .write(folder.path());
    let script = script.to_str().unwrap();
    let mut fake = Fake::start(&["--script", script]);
    let client = &mut fake.client;
    client.begin(&json!({}));
    assert_eq!(
        client.ask("evaluate", &json!({"expression": "1", "context": "repl"}))["result"],
        "1"
    );
    assert_eq!(client.receive().unwrap()["command"], "runInTerminal");
    client
        .write(&json!({"seq": 9, "type": "response", "command": "runInTerminal", "success": true}));
    client.output = None;
    assert_eq!(fake.code(), Some(0));

    let mut fake = Fake::start(&["--script", script]);
    fake.client.begin(&json!({}));
    fake.client.send("evaluate", &json!({"expression": "2"}));
    let errors = fake.errors();
    assert!(errors.contains("script line 5"), "{errors}");
    assert_eq!(fake.code(), Some(97));
}

#[test]
fn sample_programs_run_and_carry_their_marks() {
    let _dog = Watchdog::new("programs", Duration::from_mins(5));
    let marks = [
        "price", "loop", "call", "print", "read", "count", "worker", "join", "main",
    ];
    for source in ["inventory.py", "prog.c", "prog.rs", "prog/main.go"] {
        let source = program_source(source);
        let lines: Vec<_> = marks.iter().map(|mark| line_of(&source, mark)).collect();
        assert!(lines.iter().all(|line| *line > 1), "{source:?}: {lines:?}");
    }
    let mut programs = vec![vec![tools::c_program()], vec![tools::rust_program()]];
    if let Some(go) = tools::required("go", tools::go()) {
        programs.push(vec![tools::go_program(&go)]);
    }
    if let Some(python) = tools::required("python", tools::python()) {
        programs.push(vec![python, tools::python_program()]);
    }
    for program in programs {
        let run = |arguments: &[&str]| {
            let mut command = Command::new(&program[0]);
            command.args(&program[1..]).args(arguments);
            command.stdin(Stdio::null()).output().unwrap()
        };
        let stock = run(&[]);
        let text = String::from_utf8_lossy(&stock.stdout);
        assert!(text.contains("total 165"), "{program:?}: {text}");
        assert_eq!(run(&["exit", "7"]).status.code(), Some(7));
        assert_eq!(run(&["print", "3"]).stdout, b"line 0\nline 1\nline 2\n");
    }
}

#[test]
fn the_demo_prints_a_wrong_total_and_its_breakpoint_is_found() {
    let folder = root().join("assets/demo");
    let python = tools::python().unwrap();
    let output = Command::new(python)
        .arg(folder.join("checkout.py"))
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("240.35") && text.contains("215.05"), "{text}");
    let demo = std::fs::read_to_string(folder.join("demo.toml")).unwrap();
    let demo: toml::Table = demo.parse().unwrap();
    let breakpoint = &demo["breakpoints"][0];
    let source =
        std::fs::read_to_string(folder.join(breakpoint["file"].as_str().unwrap())).unwrap();
    let marker = breakpoint["marker"].as_str().unwrap();
    assert_eq!(source.matches(marker).count(), 1);
}

#[test]
fn a_terminal_shows_types_and_answers() {
    let _dog = Watchdog::new("terminal", LIMIT);
    let script = r"stty raw -echo; printf '\033[?1049h\033[?25l\033[31;1mhot\033[0m \033]11;?\033\\'
        answer=$(dd bs=1 count=25 2>/dev/null | tr -d '\033\\'); printf '%s\r\nkey:' ${answer#*]}
        dd bs=1 count=5 2>/dev/null | od -An -c; printf '\r\nsize '; stty size; printf done
        dd bs=1 count=1 >/dev/null 2>&1; stty sane; printf '\033[?25h\033[?1049lbye\n'; exit 4";
    let mut pty = pty::Builder::new("sh")
        .args(["-c", script])
        .size(60, 12)
        .background(pty::Background::Light)
        .spawn();
    let screen = pty.wait_for("11;rgb:ffff/ffff/ffff");
    let hot = screen.style_of("hot");
    assert!(
        hot.bold && hot.foreground == vt100::Color::Idx(1),
        "{hot:?}"
    );
    assert_eq!((screen.is_alternate(), screen.cursor()), (true, None));
    assert!(!pty.not_restored().is_empty());
    pty.wait_for("key:");
    pty.resize(50, 10);
    pty.key("F10");
    let screen = pty.wait_for("done");
    assert!(screen.contains("033   [   2   1   ~"), "{}", screen.text());
    assert!(screen.contains("size 10 50"), "{}", screen.text());
    pty.key("q");
    pty.expect_exit(4);
    pty.wait_for("bye");
    assert!(pty.ever_set(1049));
}
