//! `serve` and `call`, as scripts use them: real processes, a real adapter, and a screen that someone looks at.

use crate::support;

/// Parts of their own.
mod hangs;
mod mirrored;
mod screens;
mod told;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};
use support::desk::{Counter, FAREWELL, Home};
use support::procs::{self, Mark, Watchdog};
use support::{line_of, tools};

/// How long a test may take before everything it started is killed.
const LIMIT: Duration = Duration::from_mins(2);

/// A home, and everything that is started in it.
struct Place {
    home: Home,
    mark: Mark,
    _dog: Watchdog,
}

impl Place {
    fn new() -> Self {
        Self {
            home: Home::new(),
            mark: Mark::new(),
            _dog: Watchdog::new("omp-debug", LIMIT),
        }
    }

    fn command(&self, words: &[&str]) -> Command {
        command(&self.home, &self.mark, words)
    }

    fn serve(&self, words: &[&str]) -> Served {
        Self::served(self.command(&["serve"]).args(words))
    }

    fn served(command: &mut Command) -> Served {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).expect("one line of JSON");
        assert_eq!(said["pid"], child.id());
        Served {
            child,
            out,
            socket: said["socket"].as_str().unwrap().to_owned(),
        }
    }

    fn call(&self, words: &[&str]) -> Called {
        let mut all = vec!["call"];
        all.extend(words);
        Called::of(self.command(&all).output().unwrap())
    }

    /// A call that works.
    fn done(&self, words: &[&str]) -> Value {
        self.call(words).done()
    }
}

fn command(home: &Home, mark: &Mark, words: &[&str]) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [tools::test_home().join("venv/bin")].into_iter();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap();
    let (name, value) = mark.env();
    let folder = |name: &str| home.path().join(name);
    let mut command = Command::new(tools::omp_debug());
    command
        .args(words)
        .current_dir(home.path())
        .env("PATH", path)
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", folder("config"))
        .env("XDG_STATE_HOME", folder("state"))
        .env("XDG_DATA_HOME", folder("data"))
        .env_remove("XDG_RUNTIME_DIR")
        .env(name, value)
        .stdin(Stdio::null());
    command
}

/// A `serve` that runs.
struct Served {
    child: Child,
    out: BufReader<ChildStdout>,
    socket: String,
}

impl Served {
    /// Ends it by a signal; it has printed nothing but its first line.
    fn end(mut self, signal: Signal, code: i32) {
        procs::signal(self.child.id(), signal);
        let mut rest = String::new();
        self.out.read_line(&mut rest).unwrap();
        assert_eq!(rest, "");
        assert_eq!(self.child.wait().unwrap().code(), Some(code));
        assert!(!Path::new(&self.socket).exists(), "the socket is removed");
    }
}

/// What a `call` printed.
struct Called {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Called {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {:?} {:?}", self.stdout, self.stderr))
    }

    fn done(&self) -> Value {
        let value = self.json();
        assert_eq!(self.code, Some(0), "{value:#}");
        assert_eq!(value["success"], true, "{value:#}");
        assert_eq!(self.stdout.lines().count(), 1, "one line for programs");
        value
    }

    /// A refusal with this exit code, and its sentence.
    fn refused(&self, code: i32) -> String {
        let value = self.json();
        assert_eq!(self.code, Some(code), "{value:#}");
        assert_eq!(value["success"], false);
        value["error"]["what"].as_str().unwrap().to_owned()
    }
}

#[test]
fn a_program_is_debugged_by_calls_alone() {
    require!(debugpy);
    let place = Place::new();
    let program = tools::python_program();
    let program = program.to_str().unwrap();
    let host = place.serve(&[]);
    assert!(
        place
            .call(&["threads"])
            .refused(2)
            .contains("No active debug session")
    );

    let target = format!("program={program}");
    let launched = place.done(&["launch", &target, "adapter=debugpy", "args=stock"]);
    assert_eq!(launched["snapshot"]["status"], "stopped", "{launched:#}");
    let line = line_of(Path::new(program), "loop");
    let at = format!("line={line}");
    let set = place.done(&["set_breakpoint", &format!("file={program}"), &at]);
    assert!(
        set["text"].as_str().unwrap().contains(&line.to_string()),
        "{set:#}"
    );
    let stopped = place.done(&["continue"]);
    assert_eq!(stopped["snapshot"]["line"], line, "{stopped:#}");
    assert_eq!(stopped["snapshot"]["stopReason"], "breakpoint");

    let stack = place.call(&["stack_trace", "--text"]);
    assert!(
        stack.stdout.contains("total_of") && stack.stdout.contains("stock"),
        "{}",
        stack.stdout
    );
    let scopes = place.done(&["scopes"]);
    let reference = find(&scopes["details"], "variablesReference").expect("a scope to open");
    let variables = place.done(&["variables", &json!({"variable_ref": reference}).to_string()]);
    let text = variables["text"].as_str().unwrap();
    assert!(text.contains("cost") && text.contains("20"), "{text}");

    // What happened since an earlier call is told, and only that.
    let seq = stopped["events_since"]["seq"].as_u64().unwrap().to_string();
    let after = place.done(&["step_over", "--since", &seq]);
    assert_eq!(after["events_since"]["since"].to_string(), seq);
    let lines = after["events_since"]["lines"].to_string();
    assert!(lines.contains("step"), "{lines}");

    let ended = place.done(&["terminate"]);
    assert_eq!(ended["snapshot"]["status"], "terminated", "{ended:#}");
    host.end(Signal::TERM, 128 + 15);
    place.mark.assert_none_left(FAREWELL);
}

/// The first number with this name, however deep.
fn find(value: &Value, name: &str) -> Option<u64> {
    match value {
        Value::Object(fields) => fields
            .get(name)
            .and_then(Value::as_u64)
            .or_else(|| fields.values().find_map(|value| find(value, name))),
        Value::Array(list) => list.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}

#[test]
fn calls_of_two_clients_are_done_one_after_the_other() {
    require!(debugpy);
    let place = Place::new();
    let program = tools::python_program();
    let host = place.serve(&[]);
    let target = format!("program={}", program.display());
    place.done(&["launch", &target, "adapter=debugpy", "args=stock"]);
    let evaluate = |expression: &str| {
        let word = format!("expression={expression}");
        place
            .command(&["call", "evaluate", &word, "--text"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    // Each adds its letter, waits, and adds it again: were two at work at a time, letters would mix.
    let work = |letter: char| {
        evaluate(&format!(
            "[(log.append('{letter}'), __import__('time').sleep(0.05), log.append('{letter}')) \
             for log in [globals().setdefault('log', [])]]"
        ))
    };
    let children: Vec<Child> = "abcd".chars().map(work).collect();
    for child in children {
        let called = Called::of(child.wait_with_output().unwrap());
        assert_eq!(called.code, Some(0), "{}{}", called.stdout, called.stderr);
    }
    let log = evaluate("''.join(log)").wait_with_output().unwrap();
    let log = String::from_utf8(log.stdout).unwrap();
    let letters: Vec<char> = log.chars().filter(|c| "abcd".contains(*c)).collect();
    let letters: Vec<char> = letters[letters.len() - 8..].to_vec();
    assert!(letters.chunks(2).all(|pair| pair[0] == pair[1]), "{log}");
    host.end(Signal::INT, 128 + 2);
    place.mark.assert_none_left(FAREWELL);
}

#[test]
fn one_host_is_found_and_of_several_all_are_named() {
    let place = Place::new();
    let none = place.call(&["sessions"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("omp-debug serve"), "{}", none.stderr);

    let first = place.serve(&[]);
    place.done(&["sessions"]);
    let second = place.serve(&["--max-sessions", "2"]);
    let several = place.call(&["sessions"]);
    assert_eq!(several.code, Some(2));
    for host in [&first, &second] {
        assert!(
            several.stderr.contains(&host.child.id().to_string()),
            "{}",
            several.stderr
        );
    }
    assert!(several.stderr.contains("--to PID") && several.stderr.contains("nothing yet"));
    place.done(&["sessions", "--to", &first.child.id().to_string()]);
    place.done(&["sessions", "--to", &second.socket]);
    let other = place.call(&["sessions", "--to", "1"]);
    assert_eq!(other.code, Some(2));
    assert!(
        other.stderr.contains("no debugger \"1\" is running"),
        "{}",
        other.stderr
    );

    // One that was killed leaves a socket, which is in nobody's way.
    procs::signal(first.child.id(), Signal::KILL);
    assert!(procs::wait_exit(first.child.id(), FAREWELL));
    assert!(Path::new(&first.socket).exists());
    place.done(&["sessions"]);
    assert!(
        !Path::new(&first.socket).exists(),
        "stale sockets are removed"
    );
    let mut first = first;
    first.child.wait().unwrap();
    second.end(Signal::HUP, 128 + 1);
}

#[test]
fn what_is_written_in_a_wrong_way_is_said_before_anybody_is_asked() {
    let place = Place::new();
    for (words, says) in [
        (&["flyy"][..], "flyy"),
        (&["threads", "{\"a\": }"], "line 1 column 7"),
        (&["threads", "word"], "neither JSON in braces nor key=value"),
    ] {
        let called = place.call(words);
        assert_eq!(called.code, Some(2), "{words:?}");
        assert!(called.stderr.contains(says), "{}", called.stderr);
        assert_eq!(called.stdout, "");
    }
    let list = place.call(&["--list"]);
    let rows = list.stdout.lines().count();
    for further in ["\nhang ", "\nsnapshot ", "\nrelease_control "] {
        assert!(list.stdout.contains(further), "{}", list.stdout);
    }
    let schema = place.call(&["--schema", "evaluate"]).json();
    assert_eq!(schema["required"], json!(["expression"]));
    let all = place.call(&["--schema", "--all"]).json();
    assert_eq!(all.as_object().unwrap().len(), rows);

    let host = place.serve(&[]);
    let refused = place
        .call(&["set_breakpoint", "file=a.py", "line=three"])
        .refused(2);
    assert!(refused.contains("\"three\""), "{refused}");
    let mut child = place
        .command(&["call", "evaluate", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"expression\": \"1\"}").unwrap();
    drop(input);
    let called = Called::of(child.wait_with_output().unwrap());
    assert!(called.refused(2).contains("No active debug session"));
    host.end(Signal::TERM, 128 + 15);
}

#[test]
fn events_are_followed_as_lines_until_the_host_ends() {
    require!(debugpy);
    let place = Place::new();
    let program = tools::python_program();
    let mut host = place.serve(&[]);
    let mut child = place
        .command(&["call", "--follow"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Option<Value> {
        let line = lines.next()?.unwrap();
        assert!(
            line.chars().all(|c| !c.is_control() && c != '\u{202e}'),
            "{line:?}"
        );
        Some(serde_json::from_str(&line).unwrap())
    };
    let snapshot = next().unwrap();
    assert_eq!(snapshot["type"], "snapshot");
    let mut seq = snapshot["seq"].as_u64().unwrap();
    let target = format!("program={}", program.display());
    place.done(&["launch", &target, "adapter=debugpy", "args=exit", "args=3"]);
    place.done(&["continue"]);
    let mut seen: Vec<Value> = Vec::new();
    while seen.last().is_none_or(|event| event["type"] != "gone") {
        let event = next().expect("the end of the session");
        let number = event["seq"].as_u64().unwrap();
        assert!(number >= seq, "events are in order: {number} after {seq}");
        seq = number;
        seen.push(event);
    }
    let of = |kind: &str| seen.iter().find(|event| event["type"] == kind).unwrap();
    assert_eq!(of("stopped")["reason"], "entry", "{}", of("stopped"));
    assert!(
        of("stopped")["thread_id"].is_i64() && of("stopped")["all_threads_stopped"].is_boolean()
    );
    assert_eq!(of("exited")["exit_code"], 3);
    assert!(
        of("terminated")
            .as_object()
            .unwrap()
            .contains_key("restart")
    );
    let mut late = place
        .command(&["call", "--follow", "--since", "1"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(late.stdout.take().unwrap()).lines();
    let mut line = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    let (noted, snapshot) = (line(), line());
    assert_eq!(
        (&noted["type"], &noted["since"]),
        (&json!("since"), &json!(1))
    );
    assert!(
        noted["lines"]
            .to_string()
            .contains("debug-1 exited with code 3"),
        "{noted}"
    );
    assert_eq!(snapshot["type"], "snapshot");

    procs::signal(host.child.id(), Signal::KILL);
    host.child.wait().unwrap();
    while next().is_some() {}
    assert!(child.wait().unwrap().success(), "it ends with the host");
    late.wait().unwrap();
    place.mark.assert_none_left(FAREWELL);
}

#[test]
fn a_call_whose_host_is_killed_says_so() {
    require!(debugpy);
    let place = Place::new();
    let program = tools::python_program();
    let mut host = place.serve(&[]);
    let target = format!("program={}", program.display());
    let counter = place.home.path().join("counter");
    let file = format!("args={}", counter.display());
    place.done(&["launch", &target, "adapter=debugpy", "args=count", &file]);
    let mut follow = place
        .command(&["call", "--follow"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    let waiting = place
        .command(&["call", "continue"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It is under way when the program runs.
    let runs = |line: &str| line.contains("\"type\":\"phase\"") && line.contains("\"running\"");
    assert!(lines.by_ref().any(|line| runs(&line.unwrap())));
    procs::signal(host.child.id(), Signal::KILL);
    host.child.wait().unwrap();
    let called = Called::of(waiting.wait_with_output().unwrap());
    assert_eq!(called.code, Some(4), "{}", called.stderr);
    assert!(called.stderr.contains("was lost"), "{}", called.stderr);
    follow.wait().unwrap();
    place.mark.assert_none_left(FAREWELL);
}

#[test]
fn what_was_attached_to_outlives_the_host() {
    let python = require!(debugpy);
    let place = Place::new();
    let program = tools::python_program();
    let counter = Counter::start(&python, &[program.into_os_string()]);
    let host = place.serve(&[]);
    place.done(&[
        "attach",
        &format!("pid={}", counter.pid()),
        "adapter=debugpy",
    ]);
    host.end(Signal::TERM, 128 + 15);
    place.mark.assert_none_left(FAREWELL);
    counter.wait_more(1);
}

/// Not a claim but a look: what a call costs beside its own process.
#[test]
fn a_call_is_answered_at_once() {
    require!(debugpy);
    let place = Place::new();
    let host = place.serve(&[]);
    let target = format!("program={}", tools::python_program().display());
    place.done(&["launch", &target, "adapter=debugpy", "args=stock"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        use omp_debug::debugger::link::{Call, Connection};
        let socket = Path::new(&host.socket);
        let mut times = Vec::new();
        for _ in 0..50 {
            let begin = Instant::now();
            let mut connection = Connection::open(socket).await.unwrap();
            let call = Call {
                action: "threads".into(),
                ..Call::default()
            };
            let result = connection.call(call).await.unwrap().unwrap();
            times.push(begin.elapsed());
            assert_eq!(result["success"], true);
        }
        times.sort();
        eprintln!(
            "connect and threads: median {:?}, slowest {:?}",
            times[25], times[49]
        );
    });
    host.end(Signal::TERM, 128 + 15);
    place.mark.assert_none_left(FAREWELL);
}
