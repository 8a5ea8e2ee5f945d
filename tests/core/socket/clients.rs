//! Clients that do not do as clients do, and hosts that do not do as hosts do.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use omp_debug::debugger::link::Hosting;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{ANOTHER, CaseHome, Client, can_be_another, is_an_answer, procs, set_mode};

/// A few lines of Python as another user, who gets at everything here that is opened for them.
fn as_another(ground: &CaseHome, script: &str, socket: &Path) -> Child {
    set_mode(ground.home.path(), 0o755);
    let mut command = ground.command("/usr/bin/python3");
    command.args(["-c", script]).arg(socket);
    let command = command.current_dir("/").uid(ANOTHER).gid(ANOTHER);
    command.stdin(Stdio::piped()).spawn().unwrap()
}

/// Modes keep others away; where those were opened, who they are does.
pub fn of_another_user(ground: &CaseHome) {
    if !can_be_another() {
        return;
    }
    let served = ground.serve().unwrap();
    let script = "
import socket, sys
s = socket.socket(socket.AF_UNIX)
try:
    s.connect(sys.argv[1])
    s.settimeout(20)
    print(s.makefile().read(), end='')
except OSError as error:
    print(type(error).__name__)
";
    let says = |ground: &CaseHome| {
        let output = as_another(ground, script, &served.socket).wait_with_output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    assert_eq!(says(ground), "PermissionError\n");
    set_mode(&ground.run(), 0o755);
    set_mode(&ground.folder(), 0o755);
    assert_eq!(says(ground), "PermissionError\n");
    set_mode(&served.socket, 0o666);
    let said: Value = serde_json::from_str(&says(ground)).unwrap();
    let why = format!("This debugger belongs to user 0, and you are user {ANOTHER}.");
    assert_eq!(said, json!({"ended": why}));
    Client::agent(&served.socket, "own").is_served();
    served.end();
}

/// It is told nothing: not even a hello.
pub fn host_of_another_user(ground: &CaseHome) {
    if !can_be_another() {
        return;
    }
    set_mode(&ground.run(), 0o777);
    let socket = ground.run().join("theirs.sock");
    let script = "
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
print('listens', flush=True)
print(s.accept()[0].recv(100))
";
    let mut theirs = as_another(ground, script, &socket);
    let mut out = BufReader::new(theirs.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "listens\n");
    let said = ground.reaches_nobody(&["--to", socket.to_str().unwrap()]);
    let says = format!("belongs to user {ANOTHER}, not to you (0): it is not asked anything");
    assert!(said.contains(&says), "{said}");
    line.clear();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "b''\n");
    assert!(theirs.wait().unwrap().success());
}

/// It has a place among the clients, but not for ever.
pub fn silent(ground: &CaseHome) {
    let hosting = Hosting {
        patience: Duration::from_millis(300),
        ..ground.hosting()
    };
    let (_core, host) = ground.host(hosting);
    let mut silent = Client::of(host.path());
    let mut half = Client::of(host.path());
    half.write.write_all(b"{\"hello\":{\"protocol\":4").unwrap();
    let mut other = Client::agent(host.path(), "other");
    other.is_served();
    for client in [&mut silent, &mut half] {
        assert!(client.line().unwrap()["hello"].is_object());
        let last = client.line().expect("it is told why");
        assert!(
            last["ended"].as_str().unwrap().contains("`hello`"),
            "{last}"
        );
        assert_eq!(client.line(), None);
    }
    // Whoever said hello may be silent for as long as they like.
    other.is_served();
}

pub fn long_hello(ground: &CaseHome) {
    let served = ground.serve().unwrap();
    let mut client = Client::of(&served.socket);
    let mut write = client.write.try_clone().unwrap();
    let flood = std::thread::spawn(move || {
        write.write_all(b"{\"hello\":{\"version\":\"").unwrap();
        let piece = vec![b'x'; 1 << 16];
        // The host reads no more and closes: then writing fails.
        let pieces = (0..1_000).take_while(|_| write.write_all(&piece).is_ok());
        pieces.count() * piece.len()
    });
    assert!(client.line().unwrap()["hello"].is_object());
    // Closed with bytes of ours unread, its reason may be lost on the way.
    if let Some(last) = client.line() {
        let last = last["ended"].as_str().unwrap().to_owned();
        assert!(last.contains("longer than 4194304 bytes"), "{last}");
    }
    let taken = flood.join().unwrap();
    assert!(taken < 8 << 20, "{taken} bytes were taken");
    Client::agent(&served.socket, "other").is_served();
    served.end();
}

pub fn no_text(ground: &CaseHome) {
    let served = ground.serve().unwrap();
    for line in [
        &b"\xff\xfe\x00\n"[..],
        b"{\"hello\":{\"protocol\":4,\"version\":\"\xc3\"}}\n",
        b"\x00\n",
        b"\n",
    ] {
        let mut client = Client::of(&served.socket);
        client.write.write_all(line).unwrap();
        assert!(client.line().unwrap()["hello"].is_object());
        let last = client.line().unwrap();
        let last = last["ended"].as_str().unwrap();
        assert!(last.contains("This is not a request"), "{last:?}");
        assert!(
            !last.contains(|c: char| c.is_control() && c != '\n'),
            "{last:?}"
        );
        assert_eq!(client.line(), None);
    }
    Client::agent(&served.socket, "other").is_served();
    served.end();
}

/// Each is answered once, or the client is told that it is too much; others are answered meanwhile.
pub fn ten_thousand(ground: &CaseHome) {
    const MANY: u64 = 10_000;
    let served = ground.serve().unwrap();
    let mut client = Client::agent(&served.socket, "hasty");
    let mut write = client.write.try_clone().unwrap();
    let flood = std::thread::spawn(move || {
        let line = |id| format!("{}\n", json!({"id": id, "command": {"threads": {}}}));
        let lines: String = (1..=MANY).map(line).collect();
        // It may be closed meanwhile.
        let _ = write.write_all(lines.as_bytes());
    });
    let mut other = Client::agent(&served.socket, "other");
    other.is_served();
    let (mut answered, mut told) = (HashSet::new(), None);
    while answered.len() < MANY as usize
        && let Some(line) = client.line()
    {
        if let Some(why) = line["ended"].as_str() {
            told = Some(why.to_owned());
        } else {
            is_an_answer(&line);
            assert!(answered.insert(line["id"].as_u64()), "twice: {line}");
        }
    }
    flood.join().unwrap();
    if answered.len() < MANY as usize {
        // Closed with requests of ours unread, its reason may be lost on the way.
        let told = told.unwrap_or_else(|| "256 requests wait".to_owned());
        assert!(told.contains("256 requests wait"), "{told}");
    }
    other.is_served();
    served.end();
}

pub fn too_many(ground: &CaseHome) {
    let served = ground.serve().unwrap();
    let name = |number: usize| format!("number {number}");
    let mut all: Vec<_> = (0..64)
        .map(|number| Client::agent(&served.socket, &name(number)))
        .collect();
    all.iter_mut().for_each(Client::is_served);
    let mut more = Client::of(&served.socket);
    let last = more.line().unwrap();
    let says = "64 clients are connected, which is as many as are served at a time.";
    assert_eq!(last, json!({"ended": says}));
    // One that goes makes room.
    let mut first = all.remove(0);
    first.say(&json!({"subscribe": {}}));
    all[0].say(&json!({"subscribe": {}}));
    all[0].until("state", |line| line["state"].is_object());
    drop(first);
    all[0].until("leaving", |line| {
        line["event"]["kind"]["sharing"]["change"]["sharing"] == "left"
    });
    all.iter_mut().for_each(Client::is_served);
    let mut next = Client::of(&served.socket);
    while next.line().unwrap()["hello"].is_null() {
        // The place is free once the host has seen that its client is gone.
        next = Client::of(&served.socket);
    }
    drop(next);
    served.end();
}

pub fn dead_driver(ground: &CaseHome) {
    let served = ground.serve().unwrap();
    let mut second = Client::agent(&served.socket, "second");
    second.say(&json!({"subscribe": {}}));
    second.until("state", |line| line["state"].is_object());
    let request = json!({"request_control": {"reason": "to step"}});
    // One that closes, one that is killed.
    let mut first = Client::agent(&served.socket, "first");
    assert!(first.ask(&request)["reply"] == "done");
    let refused = second.ask(&request);
    assert_eq!(refused["error"]["kind"], "denied", "{refused}");
    drop(first);
    second.until("free", is_free);
    let script = "
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
lines = s.makefile('rw')
lines.readline()
lines.write('{\"hello\":{\"protocol\":4,\"actor\":{\"kind\":\"agent\",\"name\":\"third\"}}}\\n')
lines.write('{\"id\":1,\"command\":{\"request_control\":{\"reason\":\"\"}}}\\n')
lines.flush()
print(lines.readline(), flush=True)
sys.stdin.read()
";
    let mut command = ground.command("/usr/bin/python3");
    command.args(["-c", script]).arg(&served.socket);
    let mut third = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let mut out = BufReader::new(third.stdout.take().unwrap());
    out.read_line(&mut said).unwrap();
    assert!(said.contains("done"), "{said}");
    third.kill().unwrap();
    third.wait().unwrap();
    second.until("free", is_free);
    assert!(second.ask(&request)["reply"] == "done");
    served.end();
}

/// Nobody drives any more.
fn is_free(line: &Value) -> bool {
    let change = &line["event"]["kind"]["sharing"]["change"];
    change["sharing"] == "driver" && change["driver"].is_null()
}

/// Calls of a client that is gone are not begun, and hold up nobody.
pub fn dead_in_a_call(ground: &CaseHome) {
    let served = ground.serve().unwrap();
    let mut client = Client::agent(&served.socket, "first");
    for id in 0..50 {
        client.say(&json!({"id": id, "call": {"action": "sessions"}}));
    }
    drop(client);
    ground.reaches(&[]);
    let mut other = Client::agent(&served.socket, "other");
    let answer = other.ask(&json!({"request_control": {"reason": ""}}));
    assert!(answer["reply"] == "done", "{answer}");
    served.end();
}

/// It takes connections and says nothing; it is there again when it goes on.
pub fn suspended(ground: &CaseHome) {
    let served = ground.serve().unwrap();
    procs::signal(served.child.id(), Signal::STOP);
    let said = ground.reaches_nobody(&[]);
    assert!(said.contains("does not answer: is it suspended?"), "{said}");
    assert!(served.socket.exists());
    procs::signal(served.child.id(), Signal::CONT);
    ground.reaches(&[]);
    let mut rest = String::new();
    let mut client = Client::agent(&served.socket, "last");
    client.is_served();
    served.end();
    client.read.read_to_string(&mut rest).unwrap();
    assert!(
        rest.contains("The debugger has ended.") || rest.is_empty(),
        "{rest}"
    );
}
