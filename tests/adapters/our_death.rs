//! Our death with real adapters: a launched program goes with us, an attached one lives on freed.

use crate::support;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::procs::{self, Mark, Watchdog};
use support::{line_of, program_source, tools};

const PATIENCE: Duration = Duration::from_secs(20);

/// Plays omp-debug over the standard streams or a socket that the adapter connects to: begins a
/// session, prints `up` when its program runs or is stopped, and waits to be killed.
const CLIENT: &str = r#"
import json, signal, socket, subprocess, sys
supervisor, flags, request, source, line, *argv = sys.argv[1:]
ours, theirs = socket.socketpair()
server = None
if "CLIENT_ADDR" in argv[-1]:
    server = socket.create_server(("127.0.0.1", 0))
    argv[-1] = argv[-1].replace("CLIENT_ADDR", "127.0.0.1:%d" % server.getsockname()[1])
adapter = subprocess.Popen([supervisor, "--supervise", *flags.split(), "--control-fd", str(theirs.fileno()), "--", *argv],
    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL if server else subprocess.PIPE, pass_fds=[theirs.fileno()])
theirs.close()
if server:
    stream = server.accept()[0].makefile("rwb"); reader = writer = stream
else:
    reader, writer = adapter.stdout, adapter.stdin
seq = 0
def send(command, arguments):
    global seq; seq += 1
    body = json.dumps({"seq": seq, "type": "request", "command": command, "arguments": arguments}).encode()
    writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body); writer.flush()
    return seq
seen = []
def wait(wanted):
    while not any(wanted(message) for message in seen):
        length = None
        while True:
            header = reader.readline()
            if not header: sys.exit("the adapter ended: %s" % seen[-3:])
            if header == b"\r\n" and length is not None: break
            if header.lower().startswith(b"content-length:"): length = int(header.split(b":")[1])
        message = json.loads(reader.read(length))
        if message.get("success") is False: sys.exit("refused: %s" % message)
        seen.append(message)
def answered(number): return lambda message: message.get("request_seq") == number
def happened(name): return lambda message: message.get("event") == name
wait(answered(send("initialize", {"adapterID": "test", "pathFormat": "path", "linesStartAt1": True})))
request = json.loads(request)
begun = send(request["request"], request)
ours.send(b"A" if request["request"] == "attach" else b"L")
wait(happened("initialized"))
wait(answered(send("setBreakpoints", {"source": {"path": source}, "breakpoints": [{"line": int(line)}]})))
done = send("configurationDone", {})
wait(answered(done)); wait(answered(begun))
# A breakpoint that is hit is inserted for certain: the state in which a hard end does harm.
wait(happened("stopped"))
print("up", flush=True)
while True: signal.pause()
"#;

struct Debugger {
    name: &'static str,
    argv: Vec<String>,
    ptrace: bool,
    program: Vec<String>,
    source: PathBuf,
    /// What the adapter calls the program's number in `attach`.
    pid_key: &'static str,
    extra: Value,
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn gdb(gdb: &Path) -> Debugger {
    Debugger {
        name: "gdb",
        argv: ["-q", "-nx", "-i", "dap"]
            .iter()
            .fold(vec![text(gdb)], with),
        ptrace: true,
        program: vec![text(&tools::c_program())],
        source: program_source("prog.c"),
        pid_key: "pid",
        extra: json!({}),
    }
}

fn lldb(lldb_dap: &Path) -> Debugger {
    Debugger {
        name: "lldb-dap",
        argv: vec![text(lldb_dap)],
        ..gdb(lldb_dap)
    }
}

fn delve(dlv: &Path, go: &Path) -> Debugger {
    Debugger {
        name: "dlv",
        argv: ["dap", "--client-addr=CLIENT_ADDR"]
            .iter()
            .fold(vec![text(dlv)], with),
        ptrace: true,
        program: vec![text(&tools::go_program(go))],
        source: program_source("prog/main.go"),
        pid_key: "processId",
        extra: json!({"mode": "local"}),
    }
}

/// Attaching by number needs a gdb on PATH; debugpy injects itself with it, and an old one does harm (`pid_helper` of the adapters).
fn debugpy(python: &Path) -> Debugger {
    Debugger {
        name: "debugpy",
        argv: ["-m", "debugpy.adapter"]
            .iter()
            .fold(vec![text(python)], with),
        ptrace: false,
        program: vec![text(python), text(&tools::python_program())],
        source: tools::python_program(),
        pid_key: "processId",
        extra: json!({"console": "internalConsole"}),
    }
}

fn with(mut words: Vec<String>, word: &&str) -> Vec<String> {
    words.push((*word).to_owned());
    words
}

impl Debugger {
    /// A client in a session that is stopped at the counting line.
    fn session(&self, mark: &Mark, mut request: Value) -> Child {
        for (key, value) in self.extra.as_object().unwrap() {
            request[key] = value.clone();
        }
        if request["request"] == "launch" && self.name == "dlv" {
            request["mode"] = json!("exec");
        }
        let (name, value) = mark.env();
        let gdb = tools::gdb().and_then(|gdb| Some(gdb.parent()?.to_path_buf()));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = gdb.into_iter().chain(std::env::split_paths(&path));
        let mut client = Command::new(tools::python().expect("python3"))
            .env("PATH", std::env::join_paths(folders).unwrap())
            .args(["-c", CLIENT])
            .arg(tools::supervisor())
            .arg(if self.ptrace { "--ptrace" } else { "" })
            .arg(request.to_string())
            .arg(&self.source)
            .arg(line_of(&self.source, "count").to_string())
            .args(&self.argv)
            .env(name, value)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(client.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "up\n", "{}: no session", self.name);
        client
    }

    fn launched_goes_with_us(&self) {
        let _dog = Watchdog::new(self.name, Duration::from_mins(2));
        let folder = tempfile::tempdir().unwrap();
        let counter = folder.path().join("counter");
        let mark = Mark::new();
        let request = json!({"request": "launch", "program": self.program.last(),
            "args": ["count", counter]});
        let mut client = self.session(&mark, request);
        let started = mark.processes().len();
        assert!(
            started >= 4,
            "client, supervisor, adapter, program: {:#?}",
            mark.processes()
        );
        client.kill().unwrap();
        client.wait().unwrap();
        mark.assert_none_left(PATIENCE);
    }

    fn attached_lives_on(&self) {
        let _dog = Watchdog::new(self.name, Duration::from_mins(2));
        let folder = tempfile::tempdir().unwrap();
        let counter = folder.path().join("counter");
        let mut program = Command::new(&self.program[0])
            .args(&self.program[1..])
            .arg("count")
            .arg(&counter)
            .spawn()
            .unwrap();
        let pid = program.id();
        wait_for_more(pid, &counter, 0);
        let mark = Mark::new();
        let request = json!({"request": "attach", self.pid_key: pid, "program": self.program[0]});
        let mut client = self.session(&mark, request);
        let traced = procs::status(pid, "TracerPid").as_deref() != Some("0");
        assert_eq!(traced, self.ptrace, "{}", self.name);
        client.kill().unwrap();
        client.wait().unwrap();
        mark.assert_none_left(PATIENCE);
        let before = count(&counter);
        wait_for_more(pid, &counter, before + 2);
        assert_eq!(
            procs::status(pid, "TracerPid").as_deref(),
            Some("0"),
            "{}",
            self.name
        );
        program.kill().unwrap();
        program.wait().unwrap();
    }
}

fn count(counter: &Path) -> u64 {
    // The program may be about to write it.
    let text = std::fs::read_to_string(counter).unwrap_or_default();
    text.parse().unwrap_or(0)
}

/// Waits until the program has counted past `number`.
fn wait_for_more(pid: u32, counter: &Path, number: u64) {
    let deadline = Instant::now() + PATIENCE;
    while count(counter) <= number {
        assert!(Instant::now() < deadline, "the program does not run on");
        // The file says nothing when it changes; the program's end would be a change as well.
        let ended = procs::wait_exit(pid, Duration::from_millis(20));
        assert!(!ended, "the program has died");
    }
}

#[test]
fn gdb_launched_goes_with_us() {
    gdb(&require!(gdb)).launched_goes_with_us();
}

#[test]
fn gdb_attached_lives_on() {
    gdb(&require!(gdb)).attached_lives_on();
}

#[test]
fn lldb_launched_goes_with_us() {
    lldb(&require!(lldb_dap)).launched_goes_with_us();
}

#[test]
fn lldb_attached_lives_on() {
    lldb(&require!(lldb_dap)).attached_lives_on();
}

#[test]
fn delve_launched_goes_with_us() {
    delve(&require!(dlv), &require!(go)).launched_goes_with_us();
}

#[test]
fn delve_attached_lives_on() {
    delve(&require!(dlv), &require!(go)).attached_lives_on();
}

#[test]
fn debugpy_launched_goes_with_us() {
    debugpy(&require!(debugpy)).launched_goes_with_us();
}

#[test]
fn debugpy_attached_lives_on() {
    let python = require!(debugpy);
    require!(gdb);
    debugpy(&python).attached_lives_on();
}
