//! Streams on their way to a client: what the client gets, what is recorded of it, and what stays hidden. The provider is a script
//! over plain sockets, the clients are curl and a library that others wrote.

// suite: T16 asked 130 present 20

use crate::support;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use pretty_assertions::assert_eq;
use rustix::process::Signal;
use serde_json::{Value, json};

use support::desk::free_port;
use support::procs::{self, Mark, Watchdog};
use support::provider::{Answer, Close, Provider, Step};

const LIMIT: Duration = Duration::from_mins(2);
const KEY: &str = concat!(
    "sk-ant-",
    "api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MDEyMzQ1Njc4OTA"
);

fn omp_debug(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_omp-debug"));
    command
        .args(args)
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("PATH", std::env::var_os("PATH").unwrap())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn records(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A proxy in front of a provider, and what it prints.
struct Proxy {
    child: Child,
    url: String,
    lines: BufReader<ChildStdout>,
}

impl Proxy {
    fn start(upstream: &str) -> Self {
        let mut child = omp_debug(&["sse", "proxy", "--json", "--upstream", upstream])
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        let url = line.split(' ').find(|word| word.starts_with("http://127"));
        let url = url.unwrap_or_else(|| panic!("{line}")).to_owned();
        // Nobody reads the rest, and it must not fill the pipe.
        std::thread::spawn(move || errors.read_to_end(&mut Vec::new()));
        Self { child, url, lines }
    }

    /// The next record that fits.
    fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "it ended");
            assert!(!line.contains(KEY), "{line}");
            let record = serde_json::from_str(&line).unwrap();
            if fits(&record) {
                return record;
            }
        }
    }

    fn until_kind(&mut self, kind: &str) -> Value {
        self.until(|record| record["kind"] == kind)
    }

    fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn curl(args: &[&str]) -> Output {
    Command::new("curl")
        .args(["-sSN", "--max-time", "60"])
        .args(args)
        .output()
        .unwrap()
}

/// A message in Anthropic's shape, its text in these pieces.
fn anthropic(pieces: &[&str]) -> Vec<Vec<u8>> {
    let mut events = vec![
        json!({"type": "message_start", "message": {"id": "msg_1", "model": "m", "usage": {"input_tokens": 9}}}),
    ];
    for piece in pieces {
        events.push(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}}));
    events.push(json!({"type": "message_stop"}));
    events
        .iter()
        .map(|event| {
            format!(
                "event: {}\ndata: {event}\n\n",
                event["type"].as_str().unwrap()
            )
        })
        .map(String::into_bytes)
        .collect()
}

fn message(pieces: &[&str]) -> Answer {
    let events = anthropic(pieces);
    let events: Vec<&[u8]> = events.iter().map(Vec::as_slice).collect();
    Answer::stream(&events).header("Request-Id", "req_7")
}

#[test]
fn a_client_gets_every_byte_and_the_record_has_no_key() {
    let _limit = Watchdog::new("a message through the proxy", LIMIT);
    let provider = Provider::start([("/base/v1/messages", vec![message(&["Good ", "day"])])]);
    let mut proxy = Proxy::start(&format!("claude={}/base/", provider.url()));
    let body = format!("{{\"secret\": \"{KEY}\"}}");
    let given = curl(&[
        "-i",
        "-H",
        &format!("X-Api-Key: {KEY}"),
        "-H",
        "Connection: keep-alive, X-Hop",
        "-H",
        "X-Hop: 1",
        "-d",
        &body,
        &format!("{}/v1/messages?beta=true", proxy.url),
    ]);
    assert!(given.status.success(), "{given:?}");
    let given = text(&given.stdout);
    let (head, rest) = given.split_once("\r\n\r\n").unwrap();
    assert_eq!(rest.as_bytes(), anthropic(&["Good ", "day"]).concat());
    // Headers are spelled as the server spells them, and none is added.
    assert!(head.contains("\r\nRequest-Id: req_7"), "{head}");
    assert!(!head.to_ascii_lowercase().contains("\r\ndate:"), "{head}");

    let asked = &provider.asked()[0];
    assert_eq!(asked.line, "POST /base/v1/messages?beta=true HTTP/1.1");
    assert_eq!(asked.header("x-api-key"), Some(KEY));
    assert_eq!(
        asked.header("host"),
        Some(provider.address.to_string().as_str())
    );
    assert_eq!(asked.header("x-hop"), None);
    assert_eq!(asked.body, body.as_bytes());

    let response = proxy.until_kind("response");
    assert_eq!(response["status"], 200);
    assert_eq!(
        response["request"],
        format!("POST {}/base/v1/messages?beta=true", provider.url())
    );
    assert_eq!(response["request_bytes"], body.len());
    assert_eq!(response["provider"], "claude");
    assert_eq!(response["request_id"], "req_7");
    assert!(response["first_byte_ms"].as_i64().unwrap() >= 0);
    let headers = response["request_headers"].as_array().unwrap();
    let key = headers.iter().find(|h| h[0] == "x-api-key").unwrap();
    assert!(key[1].as_str().unwrap().starts_with("[redacted:"), "{key}");
    let event = proxy.until_kind("event");
    assert_eq!(event["event"], "message_start");
    let message = proxy.until_kind("message");
    assert_eq!(message["parts"][0]["text"], "Good day");
    assert_eq!(message["usage"]["output"], 4);
}

#[test]
fn an_event_is_passed_on_and_recorded_when_it_comes() {
    let _limit = Watchdog::new("an event that another one waits for", LIMIT);
    let mut answer = Answer::stream(&[b"data: 1\n\n"]);
    answer.steps.push(Step::Gate("seen"));
    answer.steps.push(Step::Write(b"data: 2\n\n".to_vec()));
    let provider = Provider::start([("/events", vec![answer])]);
    let mut proxy = Proxy::start(&provider.url());
    let mut client = Command::new("curl")
        .args(["-sSN", &format!("{}/events", proxy.url)])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut given = client.stdout.take().unwrap();
    let mut first = [0; 9];
    given.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"data: 1\n\n");
    assert_eq!(proxy.until_kind("event")["data"], "1");
    provider.open("seen");
    let mut rest = Vec::new();
    given.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"data: 2\n\n");
    assert!(client.wait().unwrap().success());
    assert_eq!(proxy.until_kind("event")["data"], "2");
}

#[test]
fn only_the_copy_is_decoded() {
    let _limit = Watchdog::new("compressed streams", LIMIT);
    let packed = |level| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
        for event in anthropic(&["packed"]) {
            encoder.write_all(&event).unwrap();
            encoder.flush().unwrap();
        }
        encoder.finish().unwrap()
    };
    let packed = packed(flate2::Compression::fast());
    let cut: Vec<&[u8]> = packed.chunks(7).collect();
    let provider = Provider::start([
        (
            "/gzip",
            vec![Answer::stream(&cut).header("Content-Encoding", "gzip")],
        ),
        (
            "/br",
            vec![Answer::stream(&[b"\x0b\x02"]).header("Content-Encoding", "br")],
        ),
    ]);
    let mut proxy = Proxy::start(&provider.url());
    let given = curl(&[
        "-H",
        "Accept-Encoding: gzip, br",
        &format!("{}/gzip", proxy.url),
    ]);
    assert_eq!(given.stdout, packed);
    assert_eq!(
        provider.asked()[0].header("accept-encoding"),
        Some("gzip, br")
    );
    assert_eq!(proxy.until_kind("message")["parts"][0]["text"], "packed");
    let given = curl(&[&format!("{}/br", proxy.url)]);
    assert_eq!(given.stdout, b"\x0b\x02");
    let reason = proxy.until_kind("foreign")["reason"].clone();
    assert!(reason.as_str().unwrap().contains("\"br\""), "{reason}");
}

#[test]
fn an_upstream_that_dies_inside_of_an_event_is_a_record() {
    let _limit = Watchdog::new("an upstream that dies", LIMIT);
    for close in [Close::Cut, Close::Reset] {
        let mut answer = Answer::stream(&[b"data: whole\n\n"]);
        answer.steps.push(Step::Gate("seen"));
        answer.steps.push(Step::Write(b"data: ha".to_vec()));
        // A reset takes with it what was not read yet.
        answer.steps.push(Step::Gate("half seen"));
        answer.close = close;
        let provider = Provider::start([("/events", vec![answer])]);
        let mut proxy = Proxy::start(&provider.url());
        let url = format!("{}/events", proxy.url);
        let mut client = Command::new("curl")
            .args(["-sN", &url])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut given = client.stdout.take().unwrap();
        let mut whole = [0; 13];
        given.read_exact(&mut whole).unwrap();
        provider.open("seen");
        let mut half = [0; 8];
        given.read_exact(&mut half).unwrap();
        assert_eq!(&half, b"data: ha");
        provider.open("half seen");
        // The client learns that it was not all.
        assert!(!client.wait().unwrap().success());
        let half = proxy.until(|record| record["complete"] == false);
        assert_eq!(half["data"], "ha");
        let reason = proxy.until_kind("foreign")["reason"].clone();
        assert!(reason.as_str().unwrap().contains("broke off"), "{reason}");
        assert_eq!(proxy.until_kind("message")["error"], reason);
    }
}

#[test]
fn what_is_no_stream_is_told_as_it_is() {
    let _limit = Watchdog::new("answers that are no streams", LIMIT);
    let overloaded =
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#;
    let provider = Provider::start([
        (
            "/limit",
            vec![
                Answer::plain("429 Too Many Requests", "application/json", overloaded)
                    .header("Retry-After", "12"),
            ],
        ),
        (
            "/portal",
            vec![Answer::plain("200 OK", "text/html", "<html>Sign in</html>")],
        ),
    ]);
    let mut proxy = Proxy::start(&provider.url());
    let given = curl(&[&format!("{}/limit", proxy.url)]);
    assert_eq!(text(&given.stdout), overloaded);
    let response = proxy.until_kind("response");
    assert_eq!(response["status"], 429);
    let found = proxy.until_kind("foreign");
    assert_eq!(found["text"], overloaded);
    let reason = found["reason"].as_str().unwrap();
    assert!(reason.starts_with("429: it is JSON"), "{reason}");
    assert!(reason.ends_with("after 12 s"), "{reason}");
    curl(&[&format!("{}/portal", proxy.url)]);
    let found = proxy.until_kind("foreign");
    assert_eq!(found["reason"], "it is a page and no event stream");
}

#[test]
fn an_upstream_that_is_not_there_is_told_to_client_and_record() {
    let _limit = Watchdog::new("no upstream", LIMIT);
    let url = format!("http://127.0.0.1:{}", free_port());
    let mut proxy = Proxy::start(&url);
    let given = curl(&["-w", "%{http_code}", &format!("{}/v1", proxy.url)]);
    let given = text(&given.stdout);
    assert!(
        given.ends_with("502") && given.contains("refused"),
        "{given}"
    );
    let found = proxy.until_kind("foreign")["reason"].clone();
    assert!(found.as_str().unwrap().contains("refused"), "{found}");
}

#[test]
fn an_answer_without_a_body_is_whole() {
    let _limit = Watchdog::new("no body", LIMIT);
    let empty = |status| Answer {
        status,
        steps: Vec::new(),
        chunked: false,
        ..Answer::stream(&[])
    };
    let moved = empty("307 Temporary Redirect").header("Content-Length", "0");
    let provider = Provider::start([
        ("/none", vec![empty("204 No Content")]),
        ("/moved", vec![moved]),
        ("/events", vec![message(&["there"])]),
    ]);
    let mut proxy = Proxy::start(&provider.url());
    for path in ["none", "moved", "events"] {
        curl(&[&format!("{}/{path}", proxy.url)]);
    }
    proxy.until(|record| {
        let text = record.to_string();
        assert!(!text.contains("went away"), "{text}");
        record["kind"] == "message"
    });
}

#[test]
fn a_client_that_stops_reading_stops_nobody_else() {
    let _limit = Watchdog::new("a client that does not read", LIMIT);
    let most = 4000;
    let piece = format!("data: {}\n\n", "x".repeat(16 * 1024)).into_bytes();
    let mut flood = Answer::stream(&[]);
    flood.steps.push(Step::Flood(piece.clone(), most));
    flood.close = Close::Cut;
    let provider = Provider::start([
        ("/flood", vec![flood]),
        ("/events", vec![message(&["there"])]),
    ]);
    let mut proxy = Proxy::start(&provider.url());
    let mut stuck = TcpStream::connect(proxy.address()).unwrap();
    write!(
        stuck,
        "GET /flood HTTP/1.1\r\nHost: {}\r\n\r\n",
        proxy.address()
    )
    .unwrap();
    provider.wait_asked(1);
    // Its own stream is held back all the way to the provider …
    let given = curl(&[&format!("{}/events", proxy.url)]);
    // … and nobody else's.
    assert_eq!(given.stdout, anthropic(&["there"]).concat());
    let found = proxy.until(|r| r["kind"] == "message" && r["parts"][0]["text"] == "there");
    assert_eq!(found["stop_reason"], "end_turn");
    let written = provider.wait_flooded();
    assert!(
        written < most * piece.len(),
        "{written} bytes went somewhere"
    );
    drop(stuck);
    let end = proxy.until(|r| r["kind"] == "foreign");
    let reason = end["reason"].as_str().unwrap();
    assert!(
        reason.contains("client went away") || reason.contains("broke off"),
        "{reason}"
    );
}

#[test]
fn pages_and_other_names_are_refused() {
    let _limit = Watchdog::new("requests that are refused", LIMIT);
    let provider = Provider::start([("/events", vec![message(&["x"])])]);
    let proxy = Proxy::start(&format!("a={}", provider.url()));
    let status = |args: &[&str]| {
        let all = [&["-o", "/dev/null", "-w", "%{http_code}"], args].concat();
        text(&curl(&all).stdout)
    };
    let url = format!("{}/events", proxy.url);
    assert_eq!(status(&["-H", "Host: evil.example", &url]), "403");
    assert_eq!(status(&["-H", "Origin: http://evil.example", &url]), "403");
    assert_eq!(
        status(&[&format!(
            "http://{}/b/events",
            proxy.address().split('/').next().unwrap()
        )]),
        "404"
    );
    assert!(provider.asked().is_empty(), "{:?}", provider.asked());
    assert_eq!(status(&[&url]), "200");
}

/// Everything that a run left: what its command printed, what we said, and the capture.
struct Ran {
    output: Output,
    capture: String,
}

fn run(provider: &Provider, dir: &Path, argv: &[&str]) -> Ran {
    let capture = dir.join("capture.jsonl");
    let name = capture.to_str().unwrap();
    let output = omp_debug(&["sse", "run", "-o", name, "--"])
        .args(argv)
        .env("ANTHROPIC_BASE_URL", provider.url())
        .env("ANTHROPIC_API_KEY", KEY)
        .output()
        .unwrap();
    let mode = std::fs::metadata(&capture).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let capture = std::fs::read_to_string(&capture).unwrap();
    assert!(!capture.contains(KEY), "{capture}");
    assert!(!text(&output.stderr).contains(KEY), "{output:?}");
    Ran { output, capture }
}

#[test]
fn a_command_is_run_and_what_it_asks_is_recorded() {
    let _limit = Watchdog::new("sse run", LIMIT);
    let dir = tempfile::tempdir().unwrap();
    let provider = Provider::start([("/v1/messages", vec![message(&["Good ", "day"])])]);
    let script = r#"curl -sSN -H "x-api-key: $ANTHROPIC_API_KEY" -d '{}' "$ANTHROPIC_BASE_URL/v1/messages"; exit 7"#;
    let ran = run(&provider, dir.path(), &["sh", "-c", script]);
    assert_eq!(ran.output.status.code(), Some(7));
    assert_eq!(ran.output.stdout, anthropic(&["Good ", "day"]).concat());
    let said = text(&ran.output.stderr);
    assert!(said.contains("1 response, 5 events"), "{said}");
    assert_eq!(provider.asked()[0].header("x-api-key"), Some(KEY));
    let found = records(&ran.capture);
    let kinds: Vec<_> = found.iter().map(|r| r["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "response", "event", "event", "event", "event", "event", "message"
        ]
    );
    // What was written down is read as what came.
    let name = dir.path().join("capture.jsonl");
    let read = omp_debug(&["sse", "--json", name.to_str().unwrap()])
        .output()
        .unwrap();
    let again = records(&text(&read.stdout));
    assert_eq!(again[1]["raw"], found[1]["raw"]);
    assert_eq!(again[6]["parts"], found[6]["parts"]);
}

#[test]
fn a_commands_end_is_ours() {
    let _limit = Watchdog::new("commands that end", LIMIT);
    let dir = tempfile::tempdir().unwrap();
    let provider = Provider::start([]);
    let code = |argv: &[&str]| run(&provider, dir.path(), argv).output.status.code();
    assert_eq!(code(&["true"]), Some(0));
    assert_eq!(code(&["sh", "-c", "kill -KILL $$"]), Some(128 + 9));
    assert_eq!(code(&["/nonexistent/command"]), Some(127));
    let silent = run(&provider, dir.path(), &["true"]);
    let said = text(&silent.output.stderr);
    assert!(
        said.contains("asked nobody through ANTHROPIC_BASE_URL"),
        "{said}"
    );
}

#[test]
fn a_command_does_not_outlive_us() {
    let _limit = Watchdog::new("sse run that is killed", LIMIT);
    let mark = Mark::new();
    for signal in [Signal::KILL, Signal::TERM] {
        let (name, value) = mark.env();
        let mut child = omp_debug(&[
            "sse",
            "run",
            "--",
            "sh",
            "-c",
            "echo up; sleep 600 & sleep 600",
        ])
        .env(name, value)
        .spawn()
        .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "up\n");
        procs::signal(child.id(), signal);
        child.wait().unwrap();
        mark.assert_none_left(Duration::from_secs(20));
    }
}

#[test]
fn a_client_library_reads_its_stream_through_us() {
    let _limit = Watchdog::new("httpx-sse", LIMIT);
    let python = support::tools::test_home().join("venv/bin/python");
    let packages = support::tools::python_packages();
    let has = Command::new(&python)
        .args(["-c", "import httpx_sse"])
        .env("PYTHONPATH", &packages)
        .output();
    if !has.is_ok_and(|output| output.status.success()) {
        assert!(
            std::env::var_os("OMP_DEBUG_TEST_HOME").is_none(),
            "tests/setup installs httpx-sse into {packages:?}"
        );
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let provider = Provider::start([("/v1/messages", vec![message(&["Good ", "day"])])]);
    let script = r#"
import os, sys
sys.path.append(sys.argv[1])
import json, httpx
from httpx_sse import connect_sse
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"]}
with httpx.Client() as client:
    with connect_sse(client, "POST", url, headers=headers, json={}) as source:
        for event in source.iter_sse():
            print(json.dumps([event.event, event.data]))
"#;
    let ran = run(
        &provider,
        dir.path(),
        &[
            python.to_str().unwrap(),
            "-c",
            script,
            packages.to_str().unwrap(),
        ],
    );
    assert!(ran.output.status.success(), "{:?}", ran.output);
    let seen: Vec<Value> = records(&text(&ran.output.stdout));
    let recorded: Vec<Value> = records(&ran.capture)
        .iter()
        .filter(|record| record["kind"] == "event")
        .map(|record| json!([record["event"], record["data"]]))
        .collect();
    assert_eq!(seen.len(), 5);
    assert_eq!(seen, recorded);
}

#[test]
fn a_stream_that_is_asked_for_goes_on_where_it_ended() {
    let _limit = Watchdog::new("a stream that is asked for again", LIMIT);
    let provider = Provider::start([(
        "/events",
        vec![
            Answer::stream(&[b"retry: 0\nid: 41\ndata: a\n\n"]),
            Answer::stream(&[b"id\ndata: b\n\n"]),
            Answer {
                status: "204 No Content",
                steps: Vec::new(),
                chunked: false,
                ..Answer::stream(&[])
            },
        ],
    )]);
    let url = format!("{}/events", provider.url());
    let output = omp_debug(&[
        "sse",
        "--json",
        &url,
        "-H",
        &format!("Authorization: Bearer {KEY}"),
        "--last-event-id",
        "40",
    ])
    .output()
    .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(!text(&output.stdout).contains(KEY));
    let ids: Vec<_> = provider
        .asked()
        .iter()
        .map(|asked| asked.header("last-event-id").map(str::to_owned))
        .collect();
    // However little the server says, it is not asked without a pause, and the pauses grow.
    let said = text(&output.stderr);
    for wait in ["again in 500 ms after the id", "again in 1000 ms\n"] {
        assert!(said.contains(wait), "{said}");
    }
    // An empty id takes it back.
    assert_eq!(ids, [Some("40".to_owned()), Some("41".to_owned()), None]);
    assert_eq!(
        provider.asked()[0].header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    let found = records(&text(&output.stdout));
    let data: Vec<_> = found
        .iter()
        .filter(|r| r["kind"] == "event")
        .map(|r| r["data"].clone())
        .collect();
    assert_eq!(data, ["a", "b"]);
    let numbers: Vec<_> = found
        .iter()
        .filter(|r| r["kind"] == "response")
        .map(|r| r["response"].clone())
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
}

/// Nobody reads what is printed: the server waits, and we end when we are told to.
#[test]
fn a_stream_that_is_read_slowly_is_held_back_and_ends_when_it_is_to() {
    let _limit = Watchdog::new("a stream that nobody reads", LIMIT);
    let most = 4000;
    let piece = "data: {\"a\":1}\n\n".repeat(1024).into_bytes();
    for signal in [Signal::TERM, Signal::INT] {
        let mut flood = Answer::stream(&[]);
        flood.steps.push(Step::Flood(piece.clone(), most));
        flood.close = Close::Cut;
        let provider = Provider::start([("/flood", vec![flood])]);
        let url = format!("{}/flood", provider.url());
        let mut child = omp_debug(&["sse", "--print", "--once", &url])
            .spawn()
            .unwrap();
        let written = provider.wait_flooded();
        assert!(
            written < most * piece.len() / 2,
            "{written} bytes went somewhere"
        );
        procs::signal(child.id(), signal);
        let code = child.wait().unwrap().code();
        assert_eq!(code, Some(if signal == Signal::INT { 130 } else { 143 }));
    }
}

#[test]
fn a_reader_that_fails_does_not_break_the_capture() {
    let _limit = Watchdog::new("a reader that fails", LIMIT);
    let provider = Provider::start([(
        "/events",
        vec![Answer::stream(&[b"data: a\n\n", b"data: b\n\n"])],
    )]);
    let url = format!("{}/events", provider.url());
    let dir = tempfile::tempdir().unwrap();
    let capture = dir.path().join("capture.ndjson");
    let full = std::fs::File::create("/dev/full").unwrap();
    let output = omp_debug(&[
        "sse",
        "--json",
        "--once",
        &url,
        "-o",
        capture.to_str().unwrap(),
    ])
    .stdout(full)
    .output()
    .unwrap();
    assert!(!output.status.success(), "{output:?}");
    let why = text(&output.stderr);
    assert!(
        why.contains("cannot write any more: No space left"),
        "{why}"
    );
    let found = records(&std::fs::read_to_string(capture).unwrap());
    let events = found.iter().filter(|record| record["kind"] == "event");
    let data: Vec<_> = events.map(|record| record["data"].clone()).collect();
    assert_eq!(data, ["a", "b"]);
}

#[test]
fn what_is_posted_is_posted_once() {
    let _limit = Watchdog::new("a POST", LIMIT);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("request.json");
    std::fs::write(&file, r#"{"stream": true}"#).unwrap();
    let provider = Provider::start([
        ("/v1", vec![message(&["once"])]),
        (
            "/denied",
            vec![Answer::plain(
                "401 Unauthorized",
                "application/json",
                r#"{"error": "who are you"}"#,
            )],
        ),
    ]);
    let data = format!("@{}", file.display());
    let capture = dir.path().join("raw.jsonl");
    let output = omp_debug(&[
        "sse",
        &format!("{}/v1", provider.url()),
        "-d",
        &data,
        "-H",
        &format!("x-api-key: {KEY}"),
        "--raw",
        "-o",
        capture.to_str().unwrap(),
    ])
    .output()
    .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(
        text(&output.stdout).contains("event: message_stop\n"),
        "{output:?}"
    );
    // Only the capture has it, and that is said.
    assert!(!text(&output.stdout).contains(KEY));
    assert!(text(&output.stderr).contains("written to"), "{output:?}");
    assert!(std::fs::read_to_string(&capture).unwrap().contains(KEY));
    let asked = provider.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].line, "POST /v1 HTTP/1.1");
    assert_eq!(asked[0].body, br#"{"stream": true}"#);
    assert_eq!(asked[0].header("content-type"), Some("application/json"));

    let denied = omp_debug(&["sse", "--json", &format!("{}/denied", provider.url())])
        .output()
        .unwrap();
    assert_eq!(denied.status.code(), Some(4), "{denied:?}");
    assert!(
        text(&denied.stderr).contains("401: it is JSON"),
        "{denied:?}"
    );
    assert!(text(&denied.stdout).contains("who are you"), "{denied:?}");
}

#[test]
fn what_cannot_be_asked_for_is_told_without_its_secrets() {
    for (args, word) in [
        (&["sse", "http://"][..], "no address"),
        (&["sse", "http://h/", "-H", "no colon"], "Name: value"),
        (&["sse", "http://h/", "-X", "GE T"], "no method"),
        (
            &["sse", "http://h/", "-d", "@/nonexistent/file"],
            "/nonexistent/file",
        ),
        (&["sse", "-", "-X", "POST"], "--request is for addresses"),
        (
            &["sse", "proxy", "--upstream", "ftp://h"],
            "neither http:// nor https://",
        ),
        (
            &[
                "sse",
                "proxy",
                "--upstream",
                "http://a",
                "--upstream",
                "http://b",
            ],
            "two upstreams",
        ),
    ] {
        let output = omp_debug(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?} {output:?}");
        let said = text(&output.stderr);
        assert!(said.contains(word), "{args:?}: {said}");
    }
    // A port on which nobody listens.
    let url = format!("http://127.0.0.1:1/v1?key={KEY}");
    let output = omp_debug(&["sse", "--json", &url]).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(
        text(&output.stderr).contains("there was no answer"),
        "{output:?}"
    );
    assert!(!text(&output.stderr).contains(KEY) && !text(&output.stdout).contains(KEY));
    let header = format!("Authorization Bearer {KEY}");
    let output = omp_debug(&["sse", "http://h/", "-H", &header])
        .output()
        .unwrap();
    assert!(!text(&output.stderr).contains(KEY), "{output:?}");
}

#[test]
fn a_capture_is_played_as_it_came() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("capture.jsonl");
    let line = |number: u64, ms: u64| {
        json!({"kind": "event", "sequence": number, "response": 1, "time": format!("2026-01-01T00:00:00.{ms:03}Z"),
            "data": number.to_string(), "raw": format!("data: {number}\n"), "complete": true})
    };
    std::fs::write(&file, format!("{}\n{}\n", line(1, 100), line(2, 900))).unwrap();
    let name = file.to_str().unwrap();
    let began = std::time::Instant::now();
    let played = omp_debug(&["sse", "--replay", "2x", name])
        .output()
        .unwrap();
    assert!(
        began.elapsed() >= Duration::from_millis(400),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(text(&played.stdout), "data: 1\n\ndata: 2\n\n");
    let wrong = omp_debug(&["sse", "--replay", "0", name]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("no speed"), "{wrong:?}");
}

#[test]
fn the_suite_holds_what_its_head_says() {
    let source = include_str!("sse_proxy.rs");
    support::suite::assert_present(source, "T16", support::suite::tests_in(source));
}
