//! `omp-debug sse` on streams, recordings and what is neither: what is printed, when, and what stays hidden.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const KEY: &str = concat!(
    "sk-ant-",
    "api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MDEyMzQ1Njc4OTA"
);

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_omp-debug"));
    command
        .arg("sse")
        .args(args)
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("DB_PASSWORD", "correct-horse-battery")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs it to its end with this on standard input.
fn sse(args: &[&str], input: &[u8]) -> Output {
    let mut child = command(args).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // Not everything is read to its end.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn records(output: &Output) -> Vec<Value> {
    text(output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn of_kind<'r>(records: &'r [Value], kind: &str) -> Vec<&'r Value> {
    records.iter().filter(|r| r["kind"] == kind).collect()
}

fn error(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A message in Anthropic's shape, its text in these pieces.
fn anthropic(pieces: &[&str]) -> String {
    let mut events = vec![
        json!({"type": "message_start", "message": {"id": "msg_1", "model": "m", "usage": {"input_tokens": 9}}}),
    ];
    for piece in pieces {
        events.push(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}}));
    let mut text = String::new();
    for event in events {
        let name = event.get("type").and_then(Value::as_str).unwrap();
        write!(text, "event: {name}\ndata: {event}\n\n").unwrap();
    }
    text
}

fn write(dir: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn frames_of_a_pipe_and_the_message_they_spell() {
    let stream = format!(
        ": hello\n\nretry: 5\r\nid: 7\r\n{}data: cut off",
        anthropic(&["Good ", "day"])
    );
    let found = records(&sse(&["--json", "-"], stream.as_bytes()));
    let kinds: Vec<_> = found.iter().map(|r| r["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "response", "event", "event", "event", "event", "event", "event", "message"
        ]
    );
    assert!(found[0]["first_byte_ms"].as_i64().unwrap() >= 0);
    assert!(found[0]["time"].as_str().unwrap().ends_with('Z'));
    assert_eq!(
        (&found[1]["raw"], &found[1]["data"]),
        (&json!(": hello\n"), &Value::Null)
    );
    let start = &found[2];
    assert_eq!(start["event"], "message_start");
    assert_eq!((&start["id"], &start["retry"]), (&json!("7"), &json!(5)));
    assert!(
        start["raw"]
            .as_str()
            .unwrap()
            .starts_with("retry: 5\r\nid: 7\r\nevent: message_start\ndata: {")
    );
    assert_eq!(
        (&start["complete"], &start["truncated"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        (&found[6]["complete"], &found[6]["data"]),
        (&json!(false), &json!("cut off"))
    );
    let message = &found[7];
    assert_eq!(
        (&message["shape"], &message["model"]),
        (&json!("anthropic"), &json!("m"))
    );
    assert_eq!(
        message["parts"],
        json!([{"kind": "text", "text": "Good day"}])
    );
    assert_eq!(
        (&message["usage"]["input"], &message["usage"]["output"]),
        (&json!(9), &json!(4))
    );
    assert_eq!(message["stop_reason"], "end_turn");
    assert_eq!(
        (&message["odd_count"], &message["odd"][0]["event"]),
        (&json!(1), &json!(6))
    );
    assert!(message["first_token_ms"].as_i64().unwrap() >= 0);
}

#[test]
fn a_capture_read_again_says_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let stream = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{}",
        anthropic(&["a", "b"])
    );
    let first = text(&sse(&["--json", "-"], stream.as_bytes()));
    let again = text(&sse(
        &["--json", &write(dir.path(), "capture.jsonl", &first)],
        b"",
    ));
    assert_eq!(again, first);
    // The text form, too.
    let raw = text(&sse(&["-"], stream.as_bytes()));
    assert!(
        raw.starts_with(": omp-response ts=")
            && raw.contains(" status=200\n\nevent: message_start\ndata: {"),
        "{raw}"
    );
    let from_text = text(&sse(&[&write(dir.path(), "raw-sse.txt", &raw)], b""));
    assert_eq!(from_text, raw);
}

#[test]
fn a_bundle_s_recording_holds_several_responses() {
    let dir = tempfile::tempdir().unwrap();
    let recording = format!(
        ": omp-debug-dropped records=2 chars=70\n\n: omp-response ts=2026-08-21T14:03:22.118Z status=200 provider=anthropic model=m api=anthropic-messages requestId=req_1 transport=http\n\n{}: omp-response status=529 model=m\n\nevent: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}}}\n\n",
        anthropic(&["one"]),
    );
    let found = records(&sse(
        &["--json", &write(dir.path(), "raw-sse.txt", recording)],
        b"",
    ));
    assert_eq!(
        found[0],
        json!({"kind": "dropped", "records": 2, "chars": 70})
    );
    let responses = of_kind(&found, "response");
    assert_eq!(responses.len(), 2);
    assert_eq!(responses[0]["time"], "2026-08-21T14:03:22.118Z");
    assert_eq!(
        (&responses[0]["provider"], &responses[0]["request_id"]),
        (&json!("anthropic"), &json!("req_1"))
    );
    assert_eq!(responses[1]["status"], 529);
    let messages = of_kind(&found, "message");
    assert_eq!(
        (&messages[0]["response"], &messages[0]["parts"][0]["text"]),
        (&json!(1), &json!("one"))
    );
    assert_eq!(
        (&messages[1]["response"], &messages[1]["error"]),
        (&json!(2), &json!("overloaded_error: Overloaded"))
    );
    assert!(
        of_kind(&found, "event").iter().all(|e| e["time"].is_null()),
        "when they came is not known"
    );
}

#[test]
fn secrets_are_hidden_by_name_by_look_by_value_and_across_deltas() {
    let (front, back) = KEY.split_at(20);
    let stream = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nset-cookie: sid=0123456789abcdef0123\r\n\r\n{}data: {{\"api_key\":\"hunter2-hunter2\"}}\n\nid: {KEY}\ndata: pass correct-horse-battery\n\n",
        anthropic(&["the key ", front, back, " is it ", KEY]),
    );
    for args in [&["--json", "-"][..], &["-"]] {
        let shown = text(&sse(args, stream.as_bytes()));
        for secret in [
            KEY,
            "hunter2-hunter2",
            "correct-horse-battery",
            "0123456789abcdef0123",
        ] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
        assert!(shown.contains("[redacted:") && shown.contains("input_tokens"));
    }
    let found = records(&sse(&["--json", "-"], stream.as_bytes()));
    let says = of_kind(&found, "message")[0]["parts"][0]["text"]
        .as_str()
        .unwrap();
    assert!(
        says.starts_with("the key [redacted:") && !says.contains(back),
        "{says}"
    );
    // … and no event has a half of it either.
    let lines = text(&sse(&["--json", "-"], stream.as_bytes()));
    assert!(!lines.contains(front) && !lines.contains(back), "{lines}");
    let deltas: Vec<Value> = of_kind(&found, "event")
        .iter()
        .filter(|event| event["event"] == "content_block_delta")
        .map(|event| serde_json::from_str(event["data"].as_str().unwrap()).unwrap())
        .collect();
    let pieces: Vec<&str> = deltas
        .iter()
        .map(|delta| delta["delta"]["text"].as_str().unwrap())
        .collect();
    assert!(pieces[1].starts_with("[redacted:"), "{pieces:?}");
    assert_eq!(
        (pieces[0], pieces[2], pieces[3]),
        ("the key ", "", " is it ")
    );
    let open = sse(&["--json", "--show-secrets", "-"], stream.as_bytes());
    assert!(text(&open).contains(KEY));
    assert!(String::from_utf8_lossy(&open.stderr).contains("keys and tokens are shown"));
}

#[test]
fn a_key_at_the_cut_of_a_long_event_is_hidden_before_it_is_cut() {
    // The cut falls into the key.
    let padding = 31_900 - "data: ".len() - 12;
    let stream = format!(
        "data: {} {KEY} {}\n\n",
        "x".repeat(padding),
        "y".repeat(60_000)
    );
    let found = records(&sse(&["--json", "-"], stream.as_bytes()));
    let event = of_kind(&found, "event")[0];
    assert_eq!(event["truncated"], true);
    let raw = event["raw"].as_str().unwrap();
    assert!(raw.contains("\n: omp-debug-truncated originalChars="));
    assert!(!raw.contains("sk-ant"), "half of the key is shown");
}

#[test]
fn what_would_drive_a_terminal_is_escaped() {
    let stream = b"event: \x1b]52;c;aGk=\x07\ndata: \x9b2J \xe2\x80\xae \xff \x00\n\n";
    let json = text(&sse(&["--json", "-"], stream));
    let plain = text(&sse(&["-"], stream));
    for shown in [&json, &plain] {
        assert!(
            shown
                .chars()
                .all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}')),
            "{shown:?}"
        );
    }
    let found: Value = serde_json::from_str(json.lines().nth(1).unwrap()).unwrap();
    assert_eq!(
        found["event"], "\u{1b}]52;c;aGk=\u{7}",
        "JSON says all of it"
    );
}

#[test]
fn errors_and_pages_are_told_with_their_status() {
    let answer = "HTTP/2 429 \r\ncontent-type: application/json\r\nretry-after: 7\r\n\r\n{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}";
    let found = records(&sse(&["--json", "-"], answer.as_bytes()));
    assert_eq!((found.len(), &found[0]["status"]), (2, &json!(429)));
    assert_eq!(found[0]["headers"][1], json!(["retry-after", "7"]));
    assert_eq!(
        (&found[1]["kind"], &found[1]["reason"]),
        (
            &json!("foreign"),
            &json!("429: it is JSON and no event stream; it asks to come back after 7 s")
        )
    );
    assert!(found[1]["text"].as_str().unwrap().contains("slow down"));
    let page = records(&sse(&["--json", "-"], b"<html>sign in</html>"));
    assert_eq!(page[1]["reason"], "it is a page and no event stream");
}

#[test]
fn what_cannot_be_read_is_refused_with_words() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("no\u{1b}such");
    let words = error(&sse(&["--json", missing.to_str().unwrap()], b""), 4);
    assert!(
        words.contains("cannot read") && !words.contains('\u{1b}'),
        "{words}"
    );
    let words = error(&sse(&[dir.path().to_str().unwrap()], b""), 4);
    assert!(words.contains("cannot read"), "{words}");
    let words = error(&sse(&["--follow", "-"], b""), 2);
    assert!(words.contains("--follow is for files"), "{words}");
    assert_eq!(text(&sse(&["--json", "-"], b"")), "");
}

#[test]
fn what_has_nothing_of_a_stream_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let program = "import sys\n\ndef main():\n    print('data: x')\n\nmain()\n";
    let program = write(dir.path(), "prog.py", program);
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\ndata: x\0\n\n".to_vec();
    bytes.resize(3 << 20, 7);
    let binary = write(dir.path(), "binary", bytes);
    for file in [program, binary] {
        for form in ["--json", "--print"] {
            let words = error(&sse(&[form, &file], b""), 4);
            assert!(
                words.contains(&format!("no event stream in \"{file}\"")),
                "{words}"
            );
        }
    }
    let words = error(&sse(&["--json", "-"], b"hello\n\nthere\n\n"), 4);
    assert!(
        words.contains("no event stream in standard input"),
        "{words}"
    );
    // What comes before the first event of a pipe is told with it.
    let found = records(&sse(&["--json", "-"], b"hello\n\ndata: 1\n\n"));
    assert_eq!(of_kind(&found, "event").len(), 2, "{found:?}");
    let found = records(&sse(&["--json", "-"], b": ping\n\n"));
    assert_eq!(
        of_kind(&found, "event").len(),
        1,
        "a comment is of a stream: {found:?}"
    );
}

/// A running one, whose records are read as they come.
struct Live {
    child: Child,
    out: Option<BufReader<ChildStdout>>,
}

impl Live {
    fn new(args: &[&str]) -> Self {
        let mut child = command(args).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            out: Some(out),
        }
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.out.as_mut().unwrap().read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "it ended: {:?}", self.child.wait());
        serde_json::from_str(&line).unwrap()
    }

    fn next_data(&mut self) -> String {
        let record = self.next();
        let data = record.get("data").and_then(Value::as_str);
        data.unwrap().to_owned()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn records_are_told_as_soon_as_they_are_whole() {
    let mut live = Live::new(&["--json", "-"]);
    let mut input = live.child.stdin.take().unwrap();
    input.write_all(b"data: 1\r\n\r").unwrap();
    assert_eq!(live.next()["kind"], "response");
    assert_eq!(live.next_data(), "1");
    input.write_all(b"\ndata: 2\n").unwrap();
    input.write_all(b"\n").unwrap();
    let second = live.next();
    assert_eq!(second["data"], "2");
    assert!(second["time"].is_string());
    drop(input);
    assert!(live.child.wait().unwrap().success());
}

#[test]
fn a_file_is_followed_across_growth_truncation_and_replacement() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), "stream.txt", "data: old\n\ndata: ha");
    let append = |text: &str| {
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    let mut live = Live::new(&["--json", "--follow", &path]);
    let old = live.next();
    assert_eq!((&old["data"], &old["time"]), (&json!("old"), &Value::Null));
    append("lf\n\n");
    let grown = live.next();
    assert_eq!(grown["data"], "half");
    assert!(grown["time"].is_string());
    fs::write(&path, "data: cut\n\n").unwrap();
    assert_eq!(live.next_data(), "cut");
    append("data: more\n\n");
    assert_eq!(live.next_data(), "more");
    let other = write(dir.path(), "other", "data: new\n\n");
    fs::rename(other, &path).unwrap();
    assert_eq!(live.next_data(), "new");
    append("data: newer\n\n");
    assert_eq!(live.next_data(), "newer");
    // Nobody reads any more: it ends by itself, although nothing is written.
    live.out = None;
    assert!(live.child.wait().unwrap().success());
}

/// Events of two responses that come in turns, as a recording of both has them.
fn in_turns() -> (String, String) {
    let event = |response: u64, data: &Value| {
        json!({
            "kind": "event", "sequence": 1, "response": response, "time": "2026-11-22T22:31:23.000Z", "event": null,
            "data": data.to_string(), "id": null, "last_id": "", "retry": null,
            "raw": format!("data: {data}\n"), "complete": true, "truncated": false, "original_chars": null,
        })
    };
    let begin = |response: u64| {
        json!({
            "kind": "response", "sequence": 1, "response": response, "time": "2026-11-22T22:31:22.000Z",
            "status": 200, "headers": [["content-type", "text/event-stream"]],
        })
    };
    let chat =
        |text: &str| json!({"model": "gpt", "choices": [{"index": 0, "delta": {"content": text}}]});
    let part = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    let first = [
        begin(1),
        begin(2),
        event(1, &chat("Hel ")),
        event(
            2,
            &json!({"type": "message_start", "message": {"id": "m", "model": "claude"}}),
        ),
        // The key comes in two pieces, with a piece of another response between them.
        event(1, &chat(KEY.split_at(20).0)),
        event(2, &part("good ")),
        event(1, &chat(KEY.split_at(20).1)),
    ];
    let rest = [
        event(2, &part("day")),
        event(1, &chat(" there")),
        json!({"kind": "message", "response": 1}),
        event(2, &part("!")),
    ];
    let lines = |values: &[Value]| {
        values
            .iter()
            .fold(String::new(), |all, v| format!("{all}{v}\n"))
    };
    (lines(&first), lines(&rest))
}

#[test]
fn events_of_a_recording_go_to_their_own_response() {
    let dir = tempfile::tempdir().unwrap();
    let (first, rest) = in_turns();
    let file = write(dir.path(), "both.jsonl", format!("{first}{rest}"));
    let found = records(&sse(&["--json", &file], b""));
    let of = |response: u64| {
        let own = of_kind(&found, "event").into_iter();
        own.filter(|r| r["response"] == response).count()
    };
    assert_eq!((of(1), of(2)), (4, 4), "{found:#?}");
    let messages = of_kind(&found, "message");
    let said: Vec<_> = messages
        .iter()
        .map(|m| {
            (
                &m["response"],
                &m["events"],
                &m["odd_count"],
                &m["parts"][0]["text"],
            )
        })
        .collect();
    assert_eq!(said.len(), 2, "{found:#?}");
    assert_eq!(
        said[1],
        (&json!(2), &json!(4), &json!(0), &json!("good day!"))
    );
    assert_eq!(
        (said[0].0, said[0].1, said[0].2),
        (&json!(1), &json!(4), &json!(0))
    );
    let all = format!("{found:?}");
    let (begin, end) = KEY.split_at(20);
    assert!(!all.contains(begin) && !all.contains(end), "{all}");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = sse(
        &["proxy", "--port", &port, "--upstream", "http://127.0.0.1:9"],
        b"",
    );
    let said = error(&output, 4);
    assert!(
        said.contains(&format!("cannot listen on port {port}: ")),
        "{said}"
    );
}
