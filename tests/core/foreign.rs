//! Other users of this machine: the ports and sockets of a session are open to its own user alone. Another user is played by a process
//! with another user's number, which only root can start.

use crate::support;

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use omp_debug::dap::transport::{AdapterSpec, ConnectMode, connect};
use omp_debug::peers;
use support::procs;
use support::run::Runs;
use support::tools;

/// `nobody`.
const STRANGER: u32 = 65534;

/// Whether another user can be played.
fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        eprintln!("skipped: only root can act as another user");
    }
    is_root
}

/// What this Python prints when another user runs it.
fn stranger(code: &str, argument: &str) -> String {
    let output = Command::new("python3")
        .args(["-I", "-c", code, argument])
        .current_dir("/")
        .stdin(Stdio::null())
        .uid(STRANGER)
        .gid(STRANGER)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The arguments of a process.
fn arguments(pid: u32) -> Vec<String> {
    let text = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = text.split(|byte| *byte == 0);
    words
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

/// A pipe that a program waits at.
fn gate(runs: &Runs) -> PathBuf {
    let gate = runs.work().join("gate");
    assert!(
        Command::new("mkfifo")
            .arg(&gate)
            .status()
            .unwrap()
            .success()
    );
    gate
}

/// What comes to the port that debug servers come to, with their secret, which stands in their arguments.
const POSES: &str = r#"
import json, socket, sys
address, token = sys.argv[1].rsplit(" ", 1)
host, port = address.split(":")
try:
    s = socket.create_connection((host, int(port)), 30)
    s.settimeout(30)
    said = s.recv(4096)
except ConnectionError:
    said = b""
print(len(said))
"#;

#[test]
fn who_comes_to_our_port_as_another_user_is_turned_away_and_told_of() {
    require!(debugpy);
    if !is_root() {
        return;
    }
    let runs = Runs::new();
    let gate = gate(&runs);
    let program = runs.file(
        "waits.py",
        "import sys\nprint('ready', flush=True)\nopen(sys.argv[1]).read()\nprint('done')\n",
    );
    let mut running = runs.start(&[program.to_str().unwrap(), "--", gate.to_str().unwrap()]);
    running.until("output");
    let pid = running.child.id();
    let below = procs::descendants(pid);
    let (address, secret) = below
        .iter()
        .find_map(|process| procs::debug_server(process.pid))
        .expect("a debug server");
    for process in &below {
        let words = arguments(process.pid).join(" ");
        assert!(!words.contains(&secret), "everybody reads {words:?}");
    }
    // Suppose that somebody else has it all the same.
    let known = format!("{address} {secret}");
    for _ in 0..3 {
        assert_eq!(
            stranger(POSES, &known),
            "0",
            "nothing is said to another user"
        );
    }
    fs::write(&gate, "").unwrap();
    let ran = running.finish_checked();
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let text = ran
        .events
        .iter()
        .map(ToString::to_string)
        .collect::<String>();
    assert_eq!(
        text.matches("A program of another user").count(),
        1,
        "{ran:#?}"
    );
    assert!(text.contains("done"), "{ran:#?}");
}

/// The administrator debugs programs of others: theirs is let in, and lives on.
#[test]
fn a_program_of_another_user_is_attached_to() {
    require!(debugpy);
    require!(gdb);
    let packages = tools::test_home();
    let may_read = "import os, sys; print(os.access(sys.argv[1], os.R_OK | os.X_OK))";
    if !is_root() || stranger(may_read, packages.to_str().unwrap()) != "True" {
        eprintln!("skipped: debugpy is where no other user can read it");
        return;
    }
    let runs = Runs::new();
    let code = "import time\ncount = 0\nwhile True:\n    count += 1\n    time.sleep(0.02)\n";
    let script = runs.file("counts.py", code);
    let mut theirs = Command::new("python3")
        .arg("-c")
        .arg("import sys; sys.argv[0] = sys.argv[1]; exec(compile(sys.stdin.read(), sys.argv[1], 'exec'))")
        .arg(&script)
        .stdin(fs::File::open(&script).unwrap())
        .stdout(Stdio::null())
        .uid(STRANGER)
        .gid(STRANGER)
        .current_dir("/")
        .spawn()
        .unwrap();
    let pid = theirs.id().to_string();
    let place = format!("{}:4", script.display());
    let ran = runs.run(&[
        "--attach",
        "--pid",
        &pid,
        "-b",
        &place,
        "--max-stops",
        "1",
        "-t",
        "90s",
    ]);
    let lives = theirs.try_wait().unwrap().is_none();
    theirs.kill().unwrap();
    theirs.wait().unwrap();
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert_eq!(ran.one("breakpoint_hit")["location"]["line"], 4, "{ran:#?}");
    assert_eq!(
        ran.printed("stdout"),
        "",
        "the debugger's own words are not the program's"
    );
    assert!(lives, "it was ended");
}

#[test]
fn no_other_user_reaches_the_server_of_an_adapter_that_obeys_everybody() {
    require!(js_debug);
    if !is_root() {
        return;
    }
    let runs = Runs::new();
    let gate = gate(&runs);
    let program = runs.file(
        "waits.js",
        "const { spawn } = require('child_process');
if (process.argv[2]) {
  const child = spawn(process.execPath, [__filename], { stdio: 'pipe' });
  child.stdout.once('data', () => {
    console.log('ready');
    require('fs').readFileSync(process.argv[2]);
    console.log('done');
    child.stdin.end();
  });
} else {
  console.log('up');
  process.stdin.resume();
}
",
    );
    let mut running = runs.start(&[program.to_str().unwrap(), "--", gate.to_str().unwrap()]);
    while !running.until("output").to_string().contains("ready") {}
    let below = procs::descendants(running.child.id());
    let socket = below
        .iter()
        .flat_map(|process| arguments(process.pid))
        .find(|word| word.ends_with("/dap.sock"))
        .expect("an adapter with a socket");
    let code = r"
import sys, urllib.error, urllib.request
try:
    print(urllib.request.urlopen('http://' + sys.argv[1] + '/json/list').read())
except urllib.error.HTTPError as error:
    print(error.code)
";
    let mut inspectors = 0;
    for process in &below {
        let ports = peers::listening(process.pid);
        let is_adapter = arguments(process.pid).contains(&socket);
        assert!(!is_adapter || ports.is_empty(), "{ports:?}");
        for port in ports {
            // Without the path that it would tell there, nobody gets a word in.
            assert_eq!(stranger(code, &port.to_string()), "404");
            inspectors += 1;
        }
    }
    assert_eq!(inspectors, 2, "of the program and of its child");
    let folder = Path::new(&socket).parent().unwrap();
    assert_eq!(
        fs::metadata(folder).unwrap().permissions().mode() & 0o777,
        0o700
    );
    let code = r"
import socket, sys
try:
    socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print('connected')
except PermissionError:
    print('refused')
";
    assert_eq!(stranger(code, &socket), "refused");
    fs::write(&gate, "").unwrap();
    let ran = running.finish_checked();
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(!folder.exists(), "{} is left", folder.display());
}

/// An adapter in Python; `become()` makes the process another user's.
fn adapter(code: &str, connect: ConnectMode) -> AdapterSpec {
    let before = "import os, socket, sys\ndef become(): os.setgroups([]); os.setgid(65534); os.setuid(65534)\n";
    let argv = ["python3", "-I", "-c", &format!("{before}{code}"), "${port}"];
    AdapterSpec {
        name: "test".to_owned(),
        argv: argv.map(str::to_owned).to_vec(),
        cwd: "/".into(),
        env: Vec::new(),
        connect,
        banner: Some("ready".to_owned()),
        banner_names_port: false,
        ready_timeout: Duration::from_secs(5),
        supervisor: None,
        ptrace: false,
        attaches: false,
    }
}

#[tokio::test]
async fn nothing_is_said_to_a_port_that_another_user_listens_on() {
    if !is_root() {
        return;
    }
    let code = "
become()
server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
print('ready', flush=True)
while True: server.accept()[0].recv(1)
";
    let error = connect(adapter(code, ConnectMode::Tcp)).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("a program of another user"), "{text}");
}

#[tokio::test]
async fn an_adapter_that_another_user_came_to_first_is_ended() {
    if !is_root() {
        return;
    }
    let code = "
server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
up, tell = os.pipe()
if os.fork() == 0:
    become()
    stream = socket.socket()
    stream.connect(server.getsockname())
    os.write(tell, b'.')
    server.close()
    stream.recv(1)
    os._exit(0)
os.read(up, 1)
print('ready', flush=True)
first = server.accept()[0]
second = server.accept()[0]
first.recv(1)
";
    let error = connect(adapter(code, ConnectMode::Tcp)).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("which was ended"), "{text}");
}

#[tokio::test]
async fn the_other_ends_of_connections_are_told_apart() {
    if !is_root() {
        return;
    }
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let code = "
import socket, sys
host, port = sys.argv[1].split(':')
s = socket.create_connection((host, int(port)))
s.recv(1)
";
    let theirs = omp_debug::tasks::blocking(move || stranger(code, &address.to_string()));
    let (stream, _) = listener.accept().await.unwrap();
    assert_eq!(peers::who(&stream), peers::Peer::Foreign);
    let ours = tokio::net::TcpStream::connect(address).await.unwrap();
    assert_eq!(peers::reached(&ours), peers::Reached::Shared);
    drop(stream);
    theirs.await.unwrap();
}
