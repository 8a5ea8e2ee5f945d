//! Streams of providers on the screen: captures in a real terminal, keys in, screen and clipboard read.

use crate::support;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use base64::Engine as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use support::desk::{Desk, Home, free_port};
use support::omp_home::{self, Size};
use support::procs::Mark;
use support::provider::{Answer, Provider, Step};
use support::tools;

const KEY: &str = concat!(
    "sk-ant-",
    "api03-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MDEyMzQ1Njc4OTA"
);

fn frame(data: &Value) -> String {
    let kind = data["type"].as_str().unwrap();
    format!("event: {kind}\ndata: {data}\n\n")
}

fn delta(text: &str) -> String {
    let delta = json!({"type": "text_delta", "text": text});
    frame(&json!({"type": "content_block_delta", "index": 0, "delta": delta}))
}

/// An answer as `curl -i` writes it, with a key in a header and one in what is said.
fn answer(pieces: &[&str]) -> String {
    let mut text = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-api-key: {KEY}\r\nrequest-id: req_7\r\n\r\n"
    );
    let start = json!({"id": "msg_1", "model": "claude-test-9", "usage": {"input_tokens": 9}});
    text.push_str(&frame(&json!({"type": "message_start", "message": start})));
    for piece in pieces {
        text.push_str(&delta(piece));
    }
    text.push_str(&delta(&format!(" the key is {KEY} indeed")));
    let end = json!({"stop_reason": "end_turn"});
    let usage = json!({"output_tokens": 31});
    text.push_str(&frame(
        &json!({"type": "message_delta", "delta": end, "usage": usage}),
    ));
    text.push_str(&frame(&json!({"type": "message_stop"})));
    text
}

fn open(file: &Path) -> Desk {
    let desk = Desk::with(|builder| {
        builder
            .env("TZ", "Europe/Berlin")
            .env("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
            .args(args!["sse", file])
    });
    desk.pty.wait_for("following");
    desk
}

fn copied(desk: &Desk) -> String {
    let raw = desk.pty.clipboard().pop().unwrap();
    let text = base64::engine::general_purpose::STANDARD
        .decode(raw)
        .unwrap();
    String::from_utf8(text).unwrap()
}

/// Open, move, search, read in every view, copy: the key is nowhere, until it is asked for.
#[test]
fn a_capture_is_read_searched_and_copied_without_its_keys() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("answer.txt");
    fs::write(&file, answer(&["Good ", "morning"])).unwrap();
    let desk = open(&file);
    let pty = &desk.pty;
    pty.wait_for("claude-test-9");
    pty.wait_for("message_stop");

    pty.key("/").type_text("morning").key("Enter");
    pty.wait_for("1 frame");
    pty.wait_for("\"text\": \"morning\"");
    pty.key("y");
    pty.wait_for("content_block_delta)");
    assert_eq!(copied(&desk), delta("morning").trim_end());

    pty.key("t");
    pty.wait_for("Good morning the key is");
    pty.wait_for("31 out");
    pty.wait_for("end_turn");
    pty.key("C-c");
    pty.wait_for("7 records");
    let all = copied(&desk);
    assert!(all.starts_with(": omp-response"), "{all}");
    assert_eq!(all.matches("data: ").count(), 6, "{all}");
    assert!(!all.contains(KEY), "{all}");
    pty.key("v");
    pty.wait_for("x-api-key");
    let raw = pty.raw();
    assert!(
        memchr::memmem::find(&raw, KEY.as_bytes()).is_none(),
        "the key was on the screen"
    );

    // Saved, for nobody else, without keys, and readable again.
    let saved = dir.path().join("saved.ndjson");
    pty.key("s");
    pty.wait_for("Save without secrets as");
    pty.key("C-u")
        .type_text(saved.to_str().unwrap())
        .key("Enter");
    pty.wait_for("Saved 7 records");
    let text = fs::read_to_string(&saved).unwrap();
    assert!(!text.contains(KEY), "{text}");
    let mode = fs::metadata(&saved).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let kinds: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(kinds.len(), 8, "the message as well");

    // On one line.
    pty.key("z");
    pty.key("S").wait_for("Show secrets?");
    pty.agree();
    pty.wait_for(KEY);
    desk.leave();
}

/// Another process writes: it is followed, and what is read stays where it is.
#[test]
fn what_another_process_writes_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("live.sse");
    fs::write(&file, delta("first")).unwrap();
    let desk = open(&file);
    let pty = &desk.pty;
    let append = |text: &str| {
        let mut out = fs::File::options().append(true).open(&file).unwrap();
        out.write_all(text.as_bytes()).unwrap();
    };
    pty.wait_for("\"first\"");
    append(&delta("second"));
    pty.wait_for("\"second\"");
    pty.key("Up");
    pty.wait_for("paused, End follows");
    append(&format!("{}{}", delta("third"), delta("fourth")));
    pty.wait_for("2 new, End follows");
    pty.key("End");
    pty.wait_for("following");
    pty.wait_for("\"fourth\"");
    // A frame whose end has not come is seen as what it is.
    append("event: late\ndata: {\"half");
    pty.wait_for("its end is awaited");
    append("\":1}\n\n");
    pty.wait_gone("its end is awaited");
    pty.wait_for("late");
    desk.leave();
}

/// Two responses came at once: each has its own frames, also of what is written while somebody looks.
#[test]
fn frames_of_two_responses_in_turns_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("both.jsonl");
    let begin = |response: u64, model: &str| {
        json!({
            "kind": "response", "sequence": response, "response": response, "time": "2026-11-22T22:31:22.000Z",
            "status": 200, "model": model, "headers": [["content-type", "text/event-stream"]],
        })
    };
    let event = |response: u64, text: &str| {
        let data = json!({"choices": [{"index": 0, "delta": {"content": text}}]}).to_string();
        json!({
            "kind": "event", "sequence": 3, "response": response, "time": "2026-11-22T22:31:23.000Z",
            "data": data, "raw": format!("data: {data}\n"), "complete": true,
        })
    };
    let lines = |values: &[Value]| {
        let lines = values.iter().map(|value| format!("{value}\n"));
        lines.collect::<String>()
    };
    let first = [
        begin(1, "first-model"),
        begin(2, "second-model"),
        event(1, "one "),
        event(2, "uno "),
        event(1, "two"),
    ];
    fs::write(&file, lines(&first)).unwrap();
    let desk = open(&file);
    let pty = &desk.pty;
    let frames = |model: &str, count: &str| {
        pty.wait_until(&format!("{count} frames of {model}"), |screen| {
            let text = screen.text();
            let mut rows = text.lines().filter(|line| line.contains(model));
            rows.any(|row| row.split_whitespace().any(|word| word == count))
        });
    };
    frames("first-model", "2");
    frames("second-model", "1");
    let mut out = fs::File::options().append(true).open(&file).unwrap();
    let more = [event(2, "dos "), event(1, " three"), event(2, "tres ")];
    out.write_all(lines(&more).as_bytes()).unwrap();
    frames("first-model", "3");
    frames("second-model", "3");
    // The message under the cursor is that of its own frames.
    pty.key("v").key("v");
    pty.wait_for("uno dos tres");
    desk.leave();
}

/// Recordings say more than was kept of them, and far more than fits is let go.
#[test]
fn what_is_not_kept_is_counted_and_a_kind_can_be_hidden() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("many.sse");
    let mut text = ": omp-debug-dropped records=12 chars=3456\n\n".to_owned();
    for n in 0..10_400 {
        let kind = if n % 2 == 0 { "ping" } else { "delta" };
        writeln!(text, "event: {kind}\ndata: {{\"n\":{n}}}\n").unwrap();
    }
    fs::write(&file, text).unwrap();
    let desk = open(&file);
    let pty = &desk.pty;
    pty.wait_for("10,000 of 10,401 kept");
    pty.wait_for("401 older records");
    pty.wait_for("lacks 12 older records with 3,456 characters");
    pty.key("f").wait_for("Kinds of events");
    pty.key("Down").key("Space").key("Enter");
    pty.wait_for("5,000 hidden");
    pty.key("x");
    pty.wait_gone("hidden");
    desk.leave();
}

/// What is no stream is shown as what it is.
#[test]
fn a_refusal_is_shown_with_its_status() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("refused.txt");
    let body =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let head =
        "HTTP/1.1 529 Overloaded\r\ncontent-type: application/json\r\nretry-after: 7\r\n\r\n";
    fs::write(&file, format!("{head}{body}")).unwrap();
    let desk = open(&file);
    let pty = &desk.pty;
    pty.wait_for("529");
    pty.wait_for("no event stream");
    pty.wait_for("overloaded_error");
    pty.wait_for("retry-after: 7");
    desk.leave();
}

/// The streams that omp left in a bundle are offered, read, and replayed.
#[test]
fn omps_bundles_are_offered_and_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), Size::default());
    let root = home.dir.join(".omp");
    let reports = root.join("reports");
    fs::create_dir_all(&reports).unwrap();
    let text = format!(
        ": omp-response ts=2026-08-21T12:00:00.000Z status=200 provider=anthropic model=claude-x\n\n{}{}",
        delta("from the"),
        delta("bundle")
    );
    let file = fs::File::create(reports.join("omp-report-2026-08-21T12-00-00-000Z.tar.gz"));
    let mut tar = tar::Builder::new(GzEncoder::new(file.unwrap(), Compression::fast()));
    for (name, text) in [("system.json", "{}"), ("raw-sse.txt", text.as_str())] {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap();
    let desk = Desk::with(|builder| builder.args(args!["--omp-dir", root, "sse"]));
    let pty = &desk.pty;
    pty.wait_for("omp-report-2026-08-21T12-00-00-000Z.tar.gz");
    pty.key("Enter");
    pty.wait_for("claude-x");
    pty.wait_for("\"bundle\"");
    pty.key("R");
    // Times are not known: it goes on by itself all the same.
    pty.wait_for("1x, Space");
    pty.wait_for("\"bundle\"");
    pty.key("Esc");
    pty.wait_gone("1x, Space");
    desk.leave();
}

/// A pipe: keys come from the terminal, the stream from elsewhere.
#[test]
fn a_pipe_is_read_while_keys_come_from_the_terminal() {
    let (home, mark) = (Home::new(), Mark::new());
    let stream = format!(": hello\n\n{}", delta("through a pipe"));
    let file = home.path().join("stream");
    fs::write(&file, stream).unwrap();
    let pty = home
        .builder_of("sh", &mark)
        .args([
            "-c",
            "cat \"$1\" | \"$0\" sse -",
            tools::omp_debug().to_str().unwrap(),
            file.to_str().unwrap(),
        ])
        .spawn();
    pty.wait_for("through a pipe");
    pty.wait_for("ended");
    pty.key("Up");
    pty.key("q");
    let mut pty = pty;
    pty.expect_exit(0);
}

/// An answer whose second half comes when the test says so.
fn halves() -> Answer {
    let start = json!({"id": "msg_1", "model": "claude-test-9", "usage": {"input_tokens": 9}});
    let start = frame(&json!({"type": "message_start", "message": start}));
    let end = json!({"stop_reason": "end_turn"});
    let end = frame(
        &json!({"type": "message_delta", "delta": end, "usage": json!({"output_tokens": 31})}),
    );
    let write = |text: String| Step::Write(text.into_bytes());
    Answer {
        steps: vec![
            write(start + &delta("Good ")),
            Step::Gate("more"),
            write(delta(&format!("morning {KEY}"))),
            Step::Gate("end"),
            write(end + &frame(&json!({"type": "message_stop"}))),
        ],
        ..Answer::stream(&[])
    }
}

/// The message grows on the screen while the provider writes it, at both sizes, and without its key.
fn grows(columns: u16, rows: u16) {
    let provider = Provider::start([("/v1/messages", vec![halves()])]);
    let url = format!("{}/v1/messages", provider.url());
    let desk = Desk::with(|builder| {
        builder
            .size(columns, rows)
            .args(args!["sse", "--once", "-X", "POST", "-d", "{}", url])
    });
    let pty = &desk.pty;
    pty.wait_for("Raw SSE");
    pty.wait_for("claude-test-9");
    pty.key("t");
    let screen = pty.wait_for("Good");
    assert!(!screen.contains("morning"), "{}", screen.text());
    provider.open("more");
    let screen = pty.wait_for("Good morning");
    assert!(!screen.contains("end_turn"), "{}", screen.text());
    provider.open("end");
    pty.wait_for("end_turn");
    pty.wait_for("ended");
    let raw = pty.raw();
    assert!(memchr::memmem::find(&raw, KEY.as_bytes()).is_none());
    // It has passed, and is not asked for again.
    pty.key("r").wait_for("cannot be read again");
    assert_eq!(provider.asked().len(), 1);
    desk.leave();
}

#[test]
fn an_address_is_shown_live_on_a_wide_screen() {
    grows(160, 45);
}

#[test]
fn an_address_is_shown_live_on_a_narrow_screen() {
    grows(80, 24);
}

/// The option prints, in a terminal too.
#[test]
fn an_address_is_printed_when_that_is_asked_for() {
    let provider = Provider::start([("/events", vec![Answer::stream(&[b"data: one\n\n"])])]);
    let url = format!("{}/events", provider.url());
    let mut desk = Desk::open(args!["sse", "--print", "--once", url]);
    desk.pty.wait_for("data: one");
    desk.pty.expect_exit(0);
    assert!(!desk.pty.ever_set(1049));
}

/// What stops an address from answering is said on the screen, and what is wrong with the options before it.
#[test]
fn an_address_that_does_not_answer_is_a_state() {
    let url = format!("http://127.0.0.1:{}/events", free_port());
    let desk = Desk::open(args!["sse", "--once", url]);
    desk.pty.wait_for("refused");
    desk.leave();
    let mut desk = Desk::open(args!["sse", "-X", "POST", "stream.txt"]);
    desk.pty.wait_for("--request is for addresses");
    desk.pty.expect_exit(2);
}

/// A proxy's screen says where it is, and shows what clients ask and are answered through it.
#[test]
fn what_passes_a_proxy_is_shown_live() {
    let provider = Provider::start([("/v1/messages", vec![halves()])]);
    let desk = Desk::open(args!["sse", "proxy", "--upstream", provider.url()]);
    let pty = &desk.pty;
    let screen = pty.wait_for("leads to");
    let (column, row) = screen.find("http://127").unwrap();
    let text = screen.row(row);
    let url = text.chars().skip(column.into()).collect::<String>();
    let url = url.split([' ', ',']).next().unwrap().to_owned();
    let client = std::process::Command::new("curl")
        .args(["-sSN", "--max-time", "60", "-d", "{}"])
        .arg(format!("{url}/v1/messages"))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    pty.key("t");
    let screen = pty.wait_for("Good");
    assert!(!screen.contains("morning"), "{}", screen.text());
    provider.open("more");
    pty.wait_for("Good morning");
    // Nobody looks: it goes on all the same, and is there when somebody does.
    pty.key("Esc").wait_gone("Good morning");
    provider.open("end");
    let answer = client.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&answer.stdout).contains(KEY));
    pty.key("r").wait_for("Good morning");
    pty.wait_for("end_turn");
    let raw = pty.raw();
    assert!(memchr::memmem::find(&raw, KEY.as_bytes()).is_none());
    desk.leave();
}
