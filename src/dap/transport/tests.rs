//! Transports and processes against small scripts.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use super::{output::whole_characters, *};
use crate::{
    client::{Closed, RequestError},
    process::Departure,
};

const LONG: Duration = Duration::from_mins(1);

/// A DAP server for tests: answers everything with the request's arguments; `die` ends it, `deaf` ignores the end.
const ECHO: &str = r#"
import json, os, signal, socket, sys, time
def serve(read, write):
    while True:
        length = 0
        while True:
            line = read.readline()
            if not line: return
            if not line.strip(): break
            length = int(line.split(b":")[1])
        request = json.loads(read.read(length))
        if request["command"] == "die":
            sys.stderr.write("going\nbecause told to\n"); sys.stderr.flush(); os._exit(3)
        if request["command"] == "kill": os.kill(os.getpid(), signal.SIGKILL)
        body = json.dumps({"type": "response", "seq": 0, "request_seq": request["seq"], "success": True,
            "command": request["command"], "body": request.get("arguments")}).encode()
        write.write(b"Content-Length: %d\r\n\r\n" % len(body)); write.write(body); write.flush()
mode, rest = sys.argv[1], sys.argv[2:]
if mode == "stdio":
    if rest == ["junk"]: print("hello there", flush=True)
    if rest == ["deaf"]: signal.signal(signal.SIGTERM, signal.SIG_IGN)
    serve(sys.stdin.buffer, sys.stdout.buffer)
    if rest == ["deaf"]:
        while True: time.sleep(100)
else:
    if mode == "tcp":
        server = socket.create_server(("127.0.0.1", int(rest[0])))
        sys.stdout.write("list"); sys.stdout.flush(); sys.stdout.write("ening é\n"); sys.stdout.flush()
        sys.stderr.write("warn\n"); sys.stderr.flush()
        peer = server.accept()[0]
    elif mode == "unix":
        server = socket.socket(socket.AF_UNIX); server.bind(rest[0].removeprefix("--listen=unix:")); server.listen()
        peer = server.accept()[0]
    else:
        host, port = rest[0].removeprefix("--client-addr=").split(":")
        peer = socket.create_connection((host, int(port)))
    stream = peer.makefile("rwb")
    serve(stream, stream)
    sys.stdout.write("bye\n")
"#;

fn spec(connect: ConnectMode, arguments: &[&str]) -> AdapterSpec {
    let argv = ["python3", "-c", ECHO]
        .iter()
        .chain(arguments)
        .map(ToString::to_string)
        .collect();
    AdapterSpec {
        name: "echo".into(),
        argv,
        cwd: PathBuf::from("/"),
        env: Vec::new(),
        connect,
        banner: None,
        banner_names_port: false,
        ready_timeout: LONG,
        supervisor: None,
        ptrace: false,
        attaches: false,
    }
}

fn shell(script: &str) -> AdapterSpec {
    AdapterSpec {
        argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
        ..spec(ConnectMode::Stdio, &[])
    }
}

async fn echoes(connection: &Connection) {
    let answer = connection.client.send_raw("echo", json!({"a": 1})).await;
    assert_eq!(answer.unwrap().value(), json!({"a": 1}));
}

/// Everything up to the end; the end must be the last item.
async fn rest(connection: &mut Connection) -> (Vec<Incoming>, Closed) {
    let mut items = Vec::new();
    let reading = async {
        while let Some(item) = connection.incoming.recv().await {
            items.push(item);
        }
    };
    tokio::time::timeout(LONG, reading)
        .await
        .expect("the connection does not end");
    match items.pop() {
        Some(Incoming::Closed(closed)) => (items, closed),
        other => panic!("the last item is {other:?}"),
    }
}

fn output(items: &[Incoming], from_stderr: bool) -> String {
    let text = |item: &Incoming| match item {
        Incoming::AdapterOutput { stderr, text } if *stderr == from_stderr => Some(text.clone()),
        _ => None,
    };
    items.iter().filter_map(text).collect()
}

#[tokio::test]
async fn stdio_with_a_polite_end() {
    let mut connection = connect(spec(ConnectMode::Stdio, &["stdio", "junk"]))
        .await
        .unwrap();
    echoes(&connection).await;
    assert!(
        matches!(connection.incoming.try_recv(), Ok(Incoming::Noise(text)) if text == "hello there")
    );
    let process = connection.process.take().unwrap();
    let Departure::Exited(exit) = process.shutdown(LONG).await else {
        panic!("left running")
    };
    assert_eq!(exit.code, Some(0));
    let (_, closed) = rest(&mut connection).await;
    assert_eq!(
        closed.to_string(),
        "DAP adapter exited unexpectedly (code 0)"
    );
}

#[tokio::test]
async fn a_death_names_its_code_and_last_words() {
    let mut connection = connect(spec(ConnectMode::Stdio, &["stdio"])).await.unwrap();
    let error = connection
        .client
        .send_raw("die", Value::Null)
        .await
        .unwrap_err();
    let sentence = "DAP adapter exited (code 3): going\nbecause told to";
    assert_eq!(error, RequestError::Closed(sentence.into()));
    assert_eq!(connection.client.stderr_tail(), "going\nbecause told to");
    assert_eq!(rest(&mut connection).await.1.to_string(), sentence);

    let connection = connect(spec(ConnectMode::Stdio, &["stdio"])).await.unwrap();
    let error = connection
        .client
        .send_raw("kill", Value::Null)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "DAP adapter exited unexpectedly (signal 9)"
    );
}

#[tokio::test]
async fn tcp_waits_for_the_banner_and_delivers_what_is_printed() {
    let banner = Some("listening é".to_owned());
    let mut connection = connect(AdapterSpec {
        banner,
        ..spec(ConnectMode::Tcp, &["tcp", "${port}"])
    })
    .await
    .unwrap();
    assert!(connection.address.is_some());
    echoes(&connection).await;
    connection.client.close();
    let (items, closed) = rest(&mut connection).await;
    assert_eq!(output(&items, false), "listening é\nbye\n");
    assert_eq!(output(&items, true), "warn\n");
    assert_eq!(closed.exit.and_then(|exit| exit.code), Some(0));
}

#[tokio::test]
async fn an_adapter_that_chooses_its_port_is_asked_to() {
    let script = r#"import socket, sys, time
assert sys.argv[1] == "0"
server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]
for piece in ("warming up 99\nlistening at", f" 127.0.0.1:{port // 10}", f"{port % 10}\n"):
    sys.stdout.write(piece); sys.stdout.flush(); time.sleep(0.01)
server.accept()[0].recv(1)
"#;
    let spec = AdapterSpec {
        argv: ["python3", "-c", script, "${port}"]
            .map(str::to_owned)
            .to_vec(),
        banner: Some("listening at".to_owned()),
        banner_names_port: true,
        ..spec(ConnectMode::Tcp, &[])
    };
    assert!(connect(spec).await.unwrap().address.is_some());
}

#[tokio::test]
async fn an_adapter_whose_port_was_taken_gets_another() {
    let directory = tempfile::tempdir().unwrap();
    let script = r#"import socket, sys, os
tried = os.path.join(sys.argv[2], "tried")
with open(tried, "a") as file: file.write("x")
if os.path.getsize(tried) < int(sys.argv[3]):
    sys.exit("Address already in use (os error 98)")
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
server.accept()[0].recv(1)
"#;
    let folder = directory.path().to_str().unwrap();
    let spec = |needed: &str| AdapterSpec {
        argv: ["python3", "-c", script, "${port}", folder, needed]
            .map(str::to_owned)
            .to_vec(),
        ..spec(ConnectMode::Tcp, &[])
    };
    connect(spec("3")).await.unwrap();
    // Not for ever.
    let error = connect(spec("99")).await.unwrap_err();
    assert!(error.to_string().contains("already in use"), "{error}");
    let tried = std::fs::metadata(directory.path().join("tried")).unwrap();
    assert_eq!(tried.len(), 6);
}

#[tokio::test]
async fn tcp_without_a_banner_retries() {
    let connection = connect(spec(ConnectMode::Tcp, &["tcp", "${port}"]))
        .await
        .unwrap();
    echoes(&connection).await;
}

#[tokio::test]
async fn unix_socket_and_connect_back() {
    for (mode, name) in [
        (ConnectMode::Socket, "unix"),
        (ConnectMode::ConnectBack, "back"),
    ] {
        let connection = connect(spec(mode, &[name])).await.unwrap();
        echoes(&connection).await;
        let departure = connection.process.unwrap().shutdown(LONG).await;
        assert!(
            matches!(departure, Departure::Exited(exit) if exit.code == Some(0)),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_server_that_runs_already() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mode = ConnectMode::At(Address::Port("127.0.0.1".into(), port));
    let connection = connect(spec(mode, &[])).await.unwrap();
    assert!(connection.process.is_none());
    assert_eq!(
        connection.address,
        Some(Address::Port("127.0.0.1".into(), port))
    );
    // Nobody listens there, nor can: one that is free any other test may get.
    let deaf = tokio::net::TcpSocket::new_v4().unwrap();
    deaf.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = deaf.local_addr().unwrap().port();
    let mode = ConnectMode::At(Address::Port("127.0.0.1".into(), port));
    let error = connect(AdapterSpec {
        ready_timeout: Duration::from_millis(100),
        ..spec(mode, &[])
    })
    .await
    .unwrap_err();
    assert!(
        error.to_string().starts_with(&format!(
            "cannot connect to 127.0.0.1:{port} within 100 ms: "
        )),
        "{error}"
    );
}

#[tokio::test]
async fn a_server_that_comes_later_is_reached() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = socket.local_addr().unwrap().port();
    let mode = ConnectMode::At(Address::Port("127.0.0.1".into(), port));
    let mut connecting = Box::pin(connect(spec(mode, &[])));
    let early = tokio::time::timeout(Duration::from_millis(30), &mut connecting).await;
    assert!(early.is_err(), "nobody listens");
    let listener = socket.listen(1).unwrap();
    let (connection, accepted) = tokio::join!(connecting, listener.accept());
    connection.unwrap();
    accepted.unwrap();
}

#[tokio::test]
async fn failures_to_start_say_what_is_missing() {
    let missing = AdapterSpec {
        argv: vec!["/no/such/adapter".into()],
        ..spec(ConnectMode::Stdio, &[])
    };
    let nowhere = AdapterSpec {
        cwd: "/no/such/place".into(),
        ..spec(ConnectMode::Stdio, &["stdio"])
    };
    let nothing = AdapterSpec {
        argv: Vec::new(),
        ..spec(ConnectMode::Stdio, &[])
    };
    let quick = AdapterSpec {
        connect: ConnectMode::Tcp,
        ..shell("echo no port >&2; exit 4")
    };
    let unsupervised = AdapterSpec {
        supervisor: Some("/bin/true".into()),
        argv: vec!["no-such-adapter".into()],
        ..spec(ConnectMode::Stdio, &[])
    };
    let talkative = AdapterSpec {
        connect: ConnectMode::ConnectBack,
        ..shell("echo port taken; exit 1")
    };
    let silent = AdapterSpec {
        connect: ConnectMode::Tcp,
        ready_timeout: Duration::from_millis(200),
        ..shell("exec sleep 100")
    };
    let wordless = AdapterSpec {
        banner: Some("up".into()),
        ..silent.clone()
    };
    for (spec, part) in [
        (
            talkative,
            "exited (code 1) before it could be reached; it said: port taken",
        ),
        (
            unsupervised,
            "cannot start `no-such-adapter`: No such file or directory",
        ),
        (
            missing,
            "cannot start `/no/such/adapter`: No such file or directory",
        ),
        (
            nowhere,
            "its working directory `/no/such/place` does not exist",
        ),
        (nothing, "DAP adapter echo has no command"),
        (
            quick,
            "`sh` exited (code 4) before it could be reached; it said: no port",
        ),
        (
            silent,
            "`sh` was not ready after 200 ms: it does not listen on 127.0.0.1:",
        ),
        (wordless, "it did not print `up`"),
    ] {
        let error = connect(spec).await.unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[tokio::test]
async fn the_environment_is_changed_as_told() {
    let mut told = shell("echo \"$ADDED/$HOME\" >&2; pwd >&2; cat");
    told.env = vec![("ADDED".into(), Some("x y".into())), ("HOME".into(), None)];
    let mut connection = connect(told).await.unwrap();
    connection.client.close();
    assert_eq!(rest(&mut connection).await.1.stderr, "x y/\n/");
}

#[tokio::test]
async fn one_that_will_not_leave_is_made_to() {
    let connection = connect(spec(ConnectMode::Stdio, &["stdio", "deaf"]))
        .await
        .unwrap();
    echoes(&connection).await;
    let departure = connection
        .process
        .unwrap()
        .shutdown(Duration::from_millis(10))
        .await;
    assert!(matches!(departure, Departure::Exited(exit) if exit.signal == Some(9)));
}

#[tokio::test]
async fn an_attached_debugger_is_not_killed() {
    let connection = connect(AdapterSpec {
        ptrace: true,
        attaches: false,
        ..spec(ConnectMode::Stdio, &["stdio", "deaf"])
    })
    .await
    .unwrap();
    echoes(&connection).await;
    let process = connection.process.unwrap();
    process.set_attached(true);
    let pid = process.pid();
    assert_eq!(
        process.shutdown(Duration::from_millis(10)).await,
        Departure::LeftRunning { pid }
    );
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it should still run");
}

#[tokio::test]
async fn what_the_adapter_leaves_behind_ends_with_it() {
    // The child holds the pipes: neither the stream nor the group ends by itself.
    let mut connection = connect(shell("sleep 1000 & echo $! >&2; exit 5"))
        .await
        .unwrap();
    let (_, closed) = rest(&mut connection).await;
    assert_eq!(closed.exit.and_then(|exit| exit.code), Some(5));
    let child = PathBuf::from(format!("/proc/{}", closed.stderr));
    assert!(child.exists());
    connection.process.unwrap().shutdown(LONG).await;
    gone(&child).await;
}

#[tokio::test]
async fn dropping_the_process_ends_it() {
    let connection = connect(shell("cat; exec sleep 1000")).await.unwrap();
    let process = connection.process.unwrap();
    let exited = process.exited();
    drop(process);
    let exit = tokio::time::timeout(LONG, exited).await.unwrap();
    assert_eq!(exit.signal, Some(15));
}

#[tokio::test]
async fn a_supervisor_gets_the_command_and_hears_of_our_end() {
    let directory = tempfile::tempdir().unwrap();
    let supervisor = directory.path().join("supervisor");
    // It tells what it got: its arguments, and everything on the control socket up to its end.
    let script = r#"#!/usr/bin/env python3
import os, sys
fd = int(sys.argv[sys.argv.index("--control-fd") + 1])
said = " ".join(sys.argv[1:]) + "\n"
os.write(fd, b"started 4242\n")
while byte := os.read(fd, 1):
    said += byte.decode()
    if byte == b"T": break
os.write(fd, b"left 4242\n")
sys.stderr.write(said)
"#;
    std::fs::write(&supervisor, script).unwrap();
    let executable = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(&supervisor, executable).unwrap();
    let spec = AdapterSpec {
        supervisor: Some(supervisor),
        ptrace: true,
        attaches: false,
        ..shell("unused")
    };
    let mut connection = connect(spec).await.unwrap();
    let process = connection.process.take().unwrap();
    process.set_attached(true);
    let departure = process.shutdown(Duration::from_millis(10)).await;
    assert_eq!(departure, Departure::LeftRunning { pid: 4242 });
    let stderr = rest(&mut connection).await.1.stderr;
    let (arguments, read) = stderr.split_once('\n').unwrap();
    assert!(
        arguments.starts_with("--supervise --ptrace --control-fd "),
        "{arguments}"
    );
    assert!(arguments.ends_with(" -- sh -c unused"), "{arguments}");
    assert_eq!(read, "AT");
}

#[tokio::test]
async fn a_noisy_adapter_is_drained_and_its_last_words_kept() {
    let mut connection = connect(shell(
        "head -c 4000000 /dev/zero | tr '\\0' x >&2; echo end >&2; exit 1",
    ))
    .await
    .unwrap();
    let closed = rest(&mut connection).await.1;
    assert!(closed.stderr.len() < 33 << 10);
    assert!(closed.to_string().ends_with("xend"));
    assert!(closed.to_string().len() < 5 << 10);
}

/// Waits until a process is gone or only waits to be reaped by init.
async fn gone(process: &Path) {
    let is_gone =
        || std::fs::read_to_string(process.join("stat")).map_or(true, |stat| stat.contains(") Z "));
    tokio::time::timeout(LONG, async {
        while !is_gone() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("it still runs");
}

#[test]
fn characters_are_not_split() {
    for (bytes, whole) in [
        ("aé".as_bytes(), 3),
        (b"a\xc3", 1),
        (b"a\xe2\x82", 1),
        (b"\xf0\x9f\x98", 0),
        (b"a\xff", 2),
        (b"\xffa", 2),
        (b"\xff abc\xe2\x82", 5),
    ] {
        assert_eq!(whole_characters(bytes), whole, "{bytes:?}");
    }
}

#[tokio::test]
async fn output_is_read_even_when_nobody_listens_any_more() {
    // The connection ends at once; what is printed afterwards must neither block the adapter nor break its pipe.
    let script = r#"
import signal, socket, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
host, port = sys.argv[1].removeprefix("--client-addr=").split(":")
# Not before it is known who connects.
with socket.create_connection((host, int(port))): signal.sigwait([signal.SIGUSR1])
signal.sigwait([signal.SIGUSR1])
sys.stdout.write("x" * 1000000); sys.stdout.flush()
sys.exit(7)
"#;
    let argv = ["python3", "-c", script].map(str::to_owned).to_vec();
    let talker = AdapterSpec {
        argv,
        ..spec(ConnectMode::ConnectBack, &[])
    };
    let mut connection = connect(talker).await.unwrap();
    let process = connection.process.take().unwrap();
    let pid = rustix::process::Pid::from_raw(process.pid() as i32).unwrap();
    let go = || rustix::process::kill_process(pid, rustix::process::Signal::USR1).unwrap();
    go();
    let (_, closed) = rest(&mut connection).await;
    assert_eq!(closed.reason, "DAP adapter echo closed the connection");
    go();
    let exit = tokio::time::timeout(LONG, process.exited()).await.unwrap();
    assert_eq!(exit.code, Some(7));
}

#[tokio::test]
async fn connecting_and_waiting_can_move_between_threads() {
    let asked = tasks::spawn(async {
        let connection = connect(spec(ConnectMode::Tcp, &["tcp", "${port}"])).await?;
        let reply = connection.client.send::<crate::requests::Threads>(&());
        Ok::<_, ConnectError>((tasks::spawn(reply).await.unwrap(), connection))
    });
    let (answer, _connection) = asked.await.unwrap().unwrap();
    assert!(answer.unwrap().threads.is_empty());
}

/// What an adapter is told to listen at: nobody else may enter its folder, and nobody knows it beforehand.
#[tokio::test]
async fn a_socket_lies_where_nobody_else_can_reach_or_guess_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut folders = Vec::new();
    for _ in 0..2 {
        let told = dir.path().join("told");
        let script = format!(
            "at=${{1#--listen=unix:}}; folder=${{at%/*}}; stat -c '%a %u %n' \"$folder\" > {}; exit 3",
            told.display()
        );
        let mut adapter = shell(&script);
        // What follows a script are its name and its arguments.
        adapter.argv.push("adapter".into());
        adapter.connect = ConnectMode::Socket;
        let error = connect(adapter).await.unwrap_err();
        assert!(matches!(error, ConnectError::Exited { .. }), "{error}");
        let said = std::fs::read_to_string(&told).unwrap();
        let [mode, owner, folder] = said.trim().splitn(3, ' ').collect::<Vec<_>>()[..] else {
            panic!("{said:?}")
        };
        assert_eq!(mode, "700");
        assert_eq!(owner, rustix::process::geteuid().as_raw().to_string());
        assert!(!Path::new(folder).exists(), "{folder} is left");
        folders.push(folder.to_owned());
    }
    assert_ne!(folders[0], folders[1]);
}
