//! Whoever listens on a port is known before an adapter is chosen for it: by its process where that can be seen, and it is not
//! disturbed then; by what it answers where it cannot.

use crate::support;

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use support::desk::{count_in, free_port, wait_debugpy, wait_listening};
use support::run::{Ran, Runs};
use support::{line_of, procs, program_source, tools};

/// What is ended with the test.
struct Server(Child);

impl Server {
    fn start(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::null()).spawn().unwrap())
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended with its client.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A Node that counts with its inspector open, and the inspector's port.
fn node(runs: &Runs, node: &Path) -> (Server, u16) {
    let script =
        "let number = 0;\nfunction count() {\n  number += 1;\n}\nsetInterval(count, 20);\n";
    let script = runs.file("count.js", script);
    let mut command = Command::new(node);
    command.arg("--inspect=127.0.0.1:0").arg(script);
    let mut server = Server::start(command.stderr(Stdio::piped()));
    let mut lines = BufReader::new(server.0.stderr.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    // Nobody reads the rest, and it must not fill the pipe.
    std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
    let port = line.split(['/', ':']).find_map(|word| word.parse().ok());
    (server, port.unwrap_or_else(|| panic!("{line}")))
}

/// A Python that waits for its debugger, and the port where it does.
fn python(runs: &Runs, python: &Path) -> (Server, u16) {
    let port = free_port();
    let mut command = Command::new(python);
    command
        .args(["-m", "debugpy", "--listen"])
        .arg(format!("127.0.0.1:{port}"))
        .arg("--wait-for-client")
        .arg(tools::python_program())
        .arg("count")
        .arg(runs.work().join("count"))
        .stderr(Stdio::null());
    let server = Server::start(&mut command);
    wait_debugpy(port);
    (server, port)
}

/// A way to a port as ssh makes one: whose process tells nothing of what is at its end.
fn tunnel(to: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let pass = |mut from: TcpStream, mut to: TcpStream| {
        std::thread::spawn(move || {
            // Either end may go away at any moment.
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
    };
    std::thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let Ok(far) = TcpStream::connect(("127.0.0.1", to)) else {
                return;
            };
            pass(near.try_clone().unwrap(), far.try_clone().unwrap());
            pass(far, near);
        }
    });
    port
}

/// Attaches to a port and stops once at `place`: what was said of the choice.
fn attached(runs: &Runs, port: u16, place: &str) -> Ran {
    let port = port.to_string();
    let args = ["--attach", "--port", &port, "-b", place, "-t", "90s"];
    let ran = runs.run(&[&args[..], &["--max-stops", "1"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let stop = ran.one("breakpoint_hit");
    let function = stop["location"]["function"].as_str().unwrap();
    assert!(function.contains("count"), "{function}");
    ran
}

/// Fails unless the run told this, as what is good to know.
fn assert_told(ran: &Ran, told: &str) {
    let is_it = |event: &serde_json::Value| event["severity"] == "info" && event["text"] == told;
    assert!(ran.events.iter().any(is_it), "{told}: {ran:#?}");
}

fn place(source: &Path) -> String {
    format!("{}:{}", source.display(), line_of(source, "count"))
}

#[test]
fn an_inspector_is_known_by_its_process() {
    let program = require!(node);
    require!(js_debug);
    let runs = Runs::new();
    let (server, port) = node(&runs, &program);
    let ran = attached(&runs, port, "count.js:3");
    let pid = server.pid();
    let told = format!("node (process {pid}) listens on port {port}: js-debug-adapter is used.");
    assert_told(&ran, &told);
    assert!(procs::is_alive(pid), "it was ended");
}

/// Nobody means the machine code of Node by its process.
#[test]
fn a_process_that_has_an_inspector_to_open_is_refused_with_the_way() {
    let program = require!(node);
    require!(gdb);
    let runs = Runs::new();
    let server = Server::start(Command::new(&program).args(["-e", "setInterval(() => {}, 1000)"]));
    let pid = server.pid().to_string();
    let ran = runs.run(&["--attach", "--pid", &pid]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    let why = ran.one("error")["message"].to_string() + &ran.one("error")["hint"].to_string();
    assert!(why.contains(&format!("kill -USR1 {pid}")), "{why}");
}

/// A program that waits for its debugger, with a name that is in those of js-debug's own scripts.
#[test]
fn a_program_with_a_short_name_begins_when_it_is_attached_to() {
    let program = require!(node);
    require!(js_debug);
    let (runs, port) = (Runs::new(), free_port());
    let script = runs.file(
        "a.js",
        "let n = 1;\nfunction count() {\n  n += 1;\n}\ncount();\n",
    );
    let mut command = Command::new(&program);
    command.arg(format!("--inspect-brk=127.0.0.1:{port}"));
    let _server = Server::start(command.arg(script).stderr(Stdio::null()));
    wait_listening(port);
    let port = port.to_string();
    let ran = runs.run(&["--attach", "--port", &port, "-b", "a.js:3", "-t", "60s"]);
    assert_eq!(ran.one("breakpoint_hit")["location"]["line"], 3, "{ran:#?}");
}

#[test]
fn an_inspector_behind_a_tunnel_is_known_by_its_answer() {
    let program = require!(node);
    require!(js_debug);
    let runs = Runs::new();
    let (server, port) = node(&runs, &program);
    let port = tunnel(port);
    let ran = attached(&runs, port, "count.js:3");
    let version = Command::new(&program).arg("--version").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let told = format!(
        "node.js/{} answers on port {port}: js-debug-adapter is used.",
        version.trim()
    );
    assert_told(&ran, &told);
    assert!(procs::is_alive(server.pid()), "it was ended");
}

/// Not all that Python listens with is a debugger.
#[test]
fn a_server_of_web_pages_is_no_debugger() {
    let (runs, port) = (Runs::new(), free_port());
    let mut command = Command::new("python3");
    command.args([
        "-m",
        "http.server",
        "--bind",
        "127.0.0.1",
        &port.to_string(),
    ]);
    command
        .current_dir(runs.work())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _server = Server::start(&mut command);
    wait_listening(port);
    let ran = runs.run(&["--attach", "--port", &port.to_string(), "-t", "60s"]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    let why = ran.one("error")["message"].to_string();
    assert!(why.contains("answers HTTP, and is no debugger"), "{why}");
}

/// Some programs are packed with a loader of their own, which is what the kernel knows of them.
#[test]
fn a_server_that_a_loader_started_is_known_by_its_program() {
    let server = require!(gdbserver);
    require!(gdb);
    let (runs, port) = (Runs::new(), free_port());
    let source = runs.file(
        "waits.c",
        "#include <unistd.h>\nint main(void) { pause(); }\n",
    );
    let program = runs.work().join("waits");
    let built = Command::new("cc")
        .arg("-g")
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .status();
    assert!(built.unwrap().success());
    let mut command = Command::new(&server);
    command
        .arg(format!("127.0.0.1:{port}"))
        .arg(&program)
        .stderr(Stdio::null());
    let _server = Server::start(&mut command);
    wait_listening(port);
    let port = port.to_string();
    let place = format!("{}:2", source.display());
    let ran = runs.run(&[
        "--attach",
        "--port",
        &port,
        "-b",
        &place,
        "-t",
        "60s",
        "--max-stops",
        "1",
    ]);
    let told = |event: &serde_json::Value| {
        let text = event["text"].as_str().unwrap_or_default();
        text.starts_with("gdbserver (process ") && text.ends_with(": gdb is used.")
    };
    assert!(ran.events.iter().any(told), "{ran:#?}");
    // The server started it, and is left by it; we only came to it.
    let is_it = |process: &procs::Process| process.command == program.to_str().unwrap();
    let left = procs::all().into_iter().find(is_it);
    procs::signal(
        left.expect("it was ended").pid,
        rustix::process::Signal::KILL,
    );
}

#[test]
fn a_port_beside_a_program_starts_nothing() {
    let runs = Runs::new();
    for program in [&["--program", "true"][..], &["true"]] {
        let ran = runs.run(&[&["--port", "1"], program].concat());
        assert_eq!(ran.code, Some(2), "{ran:#?}");
        let why = ran.one("error")["message"].to_string();
        assert!(why.contains("--attach"), "{why}");
    }
}

#[test]
fn an_inspector_is_not_taken_for_another_when_its_adapter_is_missing() {
    let program = require!(node);
    let runs = Runs::new();
    let (server, port) = node(&runs, &program);
    let mut command = runs.command(&["--attach", "--port", &port.to_string(), "-t", "90s"]);
    let ran = runs.finish(command.env("XDG_DATA_HOME", runs.work()));
    assert_eq!(ran.code, Some(3), "{ran:#?}");
    let error = ran.one("error")["message"].as_str().unwrap();
    assert!(error.contains("js-debug-adapter"), "{error}");
    assert!(procs::is_alive(server.pid()), "it was ended");
}

#[test]
fn debugpy_is_known_by_its_process() {
    let program = require!(debugpy);
    let runs = Runs::new();
    let (_server, port) = python(&runs, &program);
    let ran = attached(&runs, port, &place(&tools::python_program()));
    let told = format!(" listens on port {port}: debugpy is used.");
    let said = format!("{:?}", ran.events);
    assert!(said.contains(&told), "{said}");
}

/// Each adapter has its own words for it, and some wait ten seconds first: all are asked at once.
#[test]
fn that_nobody_listens_is_said_for_every_adapter() {
    require!(js_debug);
    require!(lldb_dap);
    require!(debugpy);
    let none = std::thread::scope(|scope| {
        let asked = ["js-debug-adapter", "lldb-dap", "debugpy"].map(|adapter| {
            scope.spawn(move || {
                let (runs, port) = (Runs::new(), free_port());
                let to = [
                    "--attach",
                    "--port",
                    &port.to_string(),
                    "--adapter",
                    adapter,
                ];
                let ran = runs.run(&[&to[..], &["-t", "90s"]].concat());
                let error = ran.one("error");
                let said = error["message"].as_str().unwrap().to_owned();
                let start = format!("nobody listens on 127.0.0.1:{port}: ");
                assert!(said.starts_with(&start) && !said.contains('\n'), "{said}");
                let hint = error["hint"].as_str().unwrap();
                assert!(hint.contains(&format!("--listen {port} ")), "{hint}");
                said
            })
        });
        asked.map(|said| said.join().unwrap())
    });
    assert!(none[0].contains("debuggable target"), "{none:?}");
    assert!(none[2].contains("Connection refused"), "{none:?}");
}

/// It speaks first. After a question that it does not understand it would serve nobody any more.
#[test]
fn debugpy_behind_a_tunnel_is_not_asked_what_it_does_not_understand() {
    let program = require!(debugpy);
    let runs = Runs::new();
    let (_server, port) = python(&runs, &program);
    attached(&runs, tunnel(port), &place(&tools::python_program()));
}

/// It ends with its first client: nobody knocked before.
#[test]
fn delve_is_known_by_its_process() {
    let (dlv, go) = (require!(dlv), require!(go));
    let (runs, port) = (Runs::new(), free_port());
    let mut command = Command::new(dlv);
    command
        .args(["exec", "--headless"])
        .arg(format!("--listen=127.0.0.1:{port}"))
        .arg(tools::go_program(&go))
        .args(["--", "count"])
        .arg(runs.work().join("count"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let server = Server::start(&mut command);
    wait_listening(port);
    let ran = attached(&runs, port, &place(&program_source("prog/main.go")));
    let pid = server.pid();
    let told = format!("dlv (process {pid}) listens on port {port}: dlv is used.");
    assert_told(&ran, &told);
}

/// It takes one client.
#[test]
fn a_server_of_lldb_is_known_by_its_process() {
    let server = require!(lldb_server);
    require!(lldb_dap);
    let (runs, port) = (Runs::new(), free_port());
    let mut program = Command::new(tools::c_program());
    let count = runs.work().join("count");
    let counter = Server::start(program.arg("count").arg(&count));
    // It is past its loader: what is attached to before that may be seen without a program.
    procs::wait_until(
        "it does not count",
        counter.pid(),
        Duration::from_secs(20),
        || count_in(&count) > 0,
    );
    let mut command = Command::new(server);
    command
        .args(["gdbserver", &format!("127.0.0.1:{port}"), "--attach"])
        .arg(counter.pid().to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let server = Server::start(&mut command);
    wait_listening(port);
    let ran = attached(&runs, port, &place(&program_source("prog.c")));
    let pid = server.pid();
    let told = format!("lldb-server (process {pid}) listens on port {port}: lldb-dap is used.");
    assert_told(&ran, &told);
}
