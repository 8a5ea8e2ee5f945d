//! Who is let in at the ports where we listen: a program of this machine that means us, and no page that a browser shows. What is
//! right is judged here, by lists of our own.
//!
//! There are two such ports: the proxy of event streams, which passes requests on, and the listener where the debug servers of
//! programs come, who have to show a secret and never speak HTTP.

// suite: T8 asked 160 present 160

use crate::support;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use support::procs::{self, Watchdog};
use support::provider::{Answer, Provider};
use support::run::Runs;
use support::suite::assert_present;
use support::tools;

const LIMIT: Duration = Duration::from_mins(3);
const KEY: &str = concat!(
    "sk-ant-",
    "api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MDEyMzQ1Njc4OTA"
);
const METHODS: [&str; 8] = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT",
];

/// The names under which a listener of ours may be asked for.
fn our_names(port: u16) -> [String; 4] {
    ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"].map(|name| format!("{name}:{port}"))
}

fn hosts(port: u16) -> Vec<String> {
    let other = port ^ 1;
    let strange = [
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        format!("127.0.0.1:{other}"),
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("localhost.:{port}"),
        format!("127.0.0.1:+{port}"),
        format!("127.0.0.1:0{port}"),
        format!("127.1:{port}"),
        format!("2130706433:{port}"),
        format!("0.0.0.0:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("ada@127.0.0.1:{port}"),
        String::new(),
    ];
    our_names(port).into_iter().chain(strange).collect()
}

fn origins(port: u16) -> Vec<Option<String>> {
    let told = [
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        format!("http://[::1]:{port}"),
        format!("https://127.0.0.1:{port}"),
        "http://127.0.0.1".to_owned(),
        "http://evil.example".to_owned(),
        format!("http://127.0.0.1:{port}.evil.example"),
        "null".to_owned(),
    ];
    std::iter::once(None)
        .chain(told.into_iter().map(Some))
        .collect()
}

/// A third of all pairs: each host with three origins, and each origin with every third host.
fn pairs(port: u16) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for (row, host) in hosts(port).into_iter().enumerate() {
        for (column, origin) in origins(port).into_iter().enumerate() {
            // Of both lists the first four are ours: they meet each other and the strange ones.
            if (row + column) % 3 == 0 {
                found.push((host.clone(), origin));
            }
        }
    }
    found
}

fn is_welcome(port: u16, host: &str, origin: Option<&str>) -> bool {
    let names = our_names(port);
    let is_ours = |host: &str| names.iter().any(|name| name == host);
    let own_page = |origin: &str| origin.strip_prefix("http://").is_some_and(is_ours);
    is_ours(host) && origin.is_none_or(own_page)
}

fn request(method: &str, target: &str, headers: &[(&str, &str)]) -> String {
    let mut text = format!("{method} {target} HTTP/1.1\r\n");
    for (name, value) in headers {
        for part in [*name, ": ", *value, "\r\n"] {
            text.push_str(part);
        }
    }
    text + "Connection: close\r\nContent-Length: 0\r\n\r\n"
}

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream
}

/// The head of the answer to a request.
fn head(port: u16, request: &str) -> String {
    let mut stream = connect(port);
    stream.write_all(request.as_bytes()).unwrap();
    let lines = BufReader::new(stream).lines().map(Result::unwrap);
    lines
        .take_while(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
        .to_ascii_lowercase()
}

fn status(head: &str) -> u16 {
    let word = head.split(' ').nth(1);
    word.and_then(|word| word.parse().ok())
        .unwrap_or_else(|| panic!("{head}"))
}

/// What is ended with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already when all is well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// How many cases were held against the proxy.
fn proxy() -> usize {
    let provider = Provider::start([("/events", vec![Answer::stream(&[b"data: x\n\n"])])]);
    let child = Command::new(tools::omp_debug())
        .args(["sse", "proxy", "--json", "--upstream", &provider.url()])
        .env_clear()
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut server = Server(child);
    let child = &mut server.0;
    let mut records = child.stdout.take().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let url = line.split("http://127.0.0.1:").nth(1);
    let digits = url.map(|url| url.split(|c: char| !c.is_ascii_digit()).next().unwrap());
    let port: u16 = digits.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
    let told = std::thread::spawn(move || {
        let mut all = String::new();
        records.read_to_string(&mut all).unwrap();
        all
    });
    let notes = std::thread::spawn(move || {
        let mut all = String::new();
        said.read_to_string(&mut all).unwrap();
        all
    });
    let ours = format!("127.0.0.1:{port}");
    let (mut cases, mut passed) = (0, 0);

    for (host, origin) in pairs(port) {
        let mut headers = vec![("Host", host.as_str())];
        headers.extend(origin.as_deref().map(|origin| ("Origin", origin)));
        let welcome = is_welcome(port, &host, origin.as_deref());
        let method = if cases % 2 == 0 { "POST" } else { "GET" };
        let head = head(port, &request(method, "/events", &headers));
        let expected = if welcome { 200 } else { 403 };
        assert_eq!(status(&head), expected, "{host:?} {origin:?}: {head}");
        passed += usize::from(welcome);
        assert_eq!(provider.asked().len(), passed, "{host:?} {origin:?}");
        cases += 1;
    }
    assert!(passed > 4 && passed < cases / 2, "{passed} of {cases}");

    // A key is passed on and opens no door.
    let bearer = format!("Bearer {KEY}");
    let cookie = format!("session={KEY}");
    let keys = [
        ("x-api-key", KEY),
        ("api-key", KEY),
        ("x-goog-api-key", KEY),
        ("authorization", bearer.as_str()),
        ("cookie", cookie.as_str()),
        ("", KEY),
    ];
    for (name, value) in keys {
        for host in [ours.as_str(), "evil.example"] {
            let mut headers = vec![("Host", host)];
            let mut target = "/events".to_owned();
            if name.is_empty() {
                target.push_str("?key=");
                target.push_str(value);
            } else {
                headers.push((name, value));
            }
            let head = head(port, &request("POST", &target, &headers));
            let welcome = host == ours;
            let expected = if welcome { 200 } else { 403 };
            assert_eq!(status(&head), expected, "{name} at {host}: {head}");
            passed += usize::from(welcome);
            let asked = provider.asked();
            assert_eq!(asked.len(), passed, "{name} at {host}");
            let last = asked.last().unwrap();
            if welcome && name.is_empty() {
                assert!(last.line.contains(value), "{}", last.line);
            } else if welcome {
                assert_eq!(last.header(name), Some(value));
            }
            cases += 1;
        }
    }

    for method in METHODS {
        let page = [("Host", ours.as_str()), ("Origin", "http://evil.example")];
        let target = if method == "CONNECT" {
            &ours
        } else {
            "/events"
        };
        let refused = head(port, &request(method, target, &page));
        assert!(
            (400..500).contains(&status(&refused)),
            "{method}: {refused}"
        );
        assert!(!refused.contains("access-control-"), "{method}: {refused}");
        assert_eq!(provider.asked().len(), passed, "{method} of a page");
        let given = head(port, &request(method, target, &page[..1]));
        if method == "CONNECT" {
            assert_eq!(status(&given), 400, "{given}");
        } else {
            passed += 1;
            assert_eq!(status(&given), 200, "{method}: {given}");
            // What was a question stays one.
            let asked = provider.asked();
            assert_eq!(
                asked.last().unwrap().line,
                format!("{method} /events HTTP/1.1")
            );
        }
        assert_eq!(provider.asked().len(), passed, "{method}");
        cases += 1;
    }
    procs::signal(child.id(), Signal::TERM);
    child.wait().unwrap();
    for text in [told.join().unwrap(), notes.join().unwrap()] {
        assert!(!text.contains(KEY), "{text}");
    }
    cases
}

/// The next message of whoever is at the other end; `None` when it has let us go.
fn message(stream: &mut BufReader<TcpStream>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        // It may close with what it did not read.
        if stream.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        length = line.trim().rsplit(' ').next()?.parse().unwrap();
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}

/// What whoever speaks HTTP is told by the listener for debug servers: no more than its first question.
fn assert_no_door(port: u16, token: &str, request: &str) {
    let mut stream = connect(port);
    stream.write_all(request.as_bytes()).unwrap();
    let _ = stream.shutdown(Shutdown::Write);
    let mut given = Vec::new();
    // It may close with what it did not read.
    let _ = stream.read_to_end(&mut given);
    let given = String::from_utf8(given).unwrap();
    assert!(
        !given.contains("HTTP/") && !given.contains(token),
        "{given}"
    );
    let questions = given.matches("\"command\":").count();
    assert!(questions <= 1, "{request:?} was let in: {given}");
}

/// Whether a secret is asked for, shown, and then more is asked.
fn is_let_in(port: u16, success: bool, body: &Value) -> bool {
    let mut stream = BufReader::new(connect(port));
    let question = message(&mut stream).unwrap();
    assert_eq!(question["type"], "request");
    let answer = json!({"seq": 1, "type": "response", "request_seq": question["seq"],
        "command": question["command"], "success": success, "body": body})
    .to_string();
    write!(
        stream.get_mut(),
        "Content-Length: {}\r\n\r\n{answer}",
        answer.len()
    )
    .unwrap();
    message(&mut stream).is_some()
}

/// How many cases were held against the listener for debug servers.
fn debug_servers() -> usize {
    let runs = Runs::new();
    let program = "import time\nwhile True:\n    print('on', flush=True)\n    time.sleep(0.05)\n";
    runs.file("goes_on.py", program);
    let mut running = runs.start(&["goes_on.py"]);
    let pid = running.until("process_launched")["pid"].as_u64().unwrap();
    running.until("output");
    let (address, token) = procs::debug_server(u32::try_from(pid).unwrap()).unwrap();
    let (address, token) = (address.as_str(), token.as_str());
    let port: u16 = address.rsplit(':').next().unwrap().parse().unwrap();
    assert!(address.starts_with("127.0.0.1:") && token.len() >= 32);
    let mut cases = 0;

    for (host, origin) in pairs(port) {
        let mut headers = vec![("Host", host.as_str())];
        headers.extend(origin.as_deref().map(|origin| ("Origin", origin)));
        assert_no_door(port, token, &request("POST", "/", &headers));
        cases += 1;
    }
    for method in METHODS {
        let ours = our_names(port);
        assert_no_door(port, token, &request(method, "/", &[("Host", &ours[0])]));
        cases += 1;
    }
    let shown = |secret: Value| json!({"clientAccessToken": secret});
    let longer = format!("{token}0");
    let other = |c: char| if c == '0' { '1' } else { '0' };
    let (first, last) = (&token[..1], &token[token.len() - 1..]);
    let first = other(first.parse().unwrap()).to_string() + &token[1..];
    let last = token[..token.len() - 1].to_owned() + &other(last.parse().unwrap()).to_string();
    let table = [
        (true, shown(json!(token)), true),
        (false, shown(json!(token)), false),
        (true, shown(json!("")), false),
        (true, shown(json!("guess")), false),
        (true, shown(json!(&token[1..])), false),
        (true, shown(json!(longer)), false),
        (true, shown(json!(first)), false),
        (true, shown(json!(last)), false),
        (true, shown(Value::Null), false),
        (true, shown(json!([token])), false),
        (true, json!({"debugServerAccessToken": token}), false),
        (true, json!({}), false),
    ];
    for (success, body, expected) in table {
        assert_eq!(
            is_let_in(port, success, &body),
            expected,
            "{success} {body}"
        );
        cases += 1;
    }

    // The program of ours was not disturbed.
    running.until("output");
    procs::signal(running.child.id(), Signal::INT);
    let ran = running.finish_checked();
    assert_eq!(ran.code, Some(130), "{ran:#?}");
    assert!(ran.of("child_session_started").is_empty(), "{ran:#?}");
    cases
}

#[test]
fn who_does_not_mean_us_is_not_let_in() {
    let _limit = Watchdog::new("the doors", LIMIT);
    require!(debugpy);
    let cases = proxy() + debug_servers();
    assert_present(include_str!("hosts.rs"), "T8", cases);
}
