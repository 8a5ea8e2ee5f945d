//! Sessions as omp writes them: a title slot, a tree with a branch that was left, tool calls with their results, usage, pictures,
//! subagents, artifacts, entries of a type that is new, and what a person should not share.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::LAST_DAY;

/// Stands in the result of a tool, and in a tool's arguments.
pub const SECRET: &str = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
/// The text of the picture's file is its name.
pub const BLOB: &str = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9";
/// Bytes of the picture.
pub const BLOB_SIZE: usize = 2048;
/// Said on the branch that is in force.
pub const KEPT: &str = "Use a bounded queue.";
/// Said on the branch that was left.
pub const LEFT: &str = "Use a mutex.";
/// A line of a result that is longer than any screen.
pub const LONG: usize = 3000;

/// The id of a session of one of the two projects.
pub fn id(project: usize, n: u32) -> String {
    format!("0190000{project}-0000-7000-8000-{n:012}")
}

/// Two projects with so many sessions each.
pub fn write(root: &Path, home: &Path, sessions: u32) -> Vec<PathBuf> {
    let blobs = root.join("agent/blobs");
    fs::create_dir_all(&blobs).unwrap();
    fs::write(blobs.join(format!("{BLOB}.png")), vec![7; BLOB_SIZE]).unwrap();
    let mut written = Vec::new();
    let projects = [
        ("-work-app", home.join("work/app")),
        ("--srv-app--", PathBuf::from("/srv/app")),
    ];
    for (project, (bucket, cwd)) in projects.iter().enumerate() {
        let dir = root.join("agent/sessions").join(bucket);
        fs::create_dir_all(&dir).unwrap();
        for n in 0..sessions {
            let id = id(project, n);
            let stem = format!("2026-08-{LAST_DAY}T08-{:02}-00-000Z_{id}", n % 60);
            let file = dir.join(format!("{stem}.jsonl"));
            fs::write(&file, session(&id, n, cwd)).unwrap();
            beside(&dir.join(stem), cwd);
            written.push(file);
        }
    }
    written
}

/// The slot that omp rewrites in place: 256 bytes with the line's end.
pub fn title_slot(title: &str) -> String {
    let begin = format!(
        r#"{{"type":"title","v":1,"title":{},"updatedAt":"2026-08-21T08:00:00.000Z","pad":""#,
        json!(title)
    );
    let pad = 256 - begin.len() - 3;
    format!("{begin}{}\"}}\n", " ".repeat(pad))
}

fn message(id: &str, parent: Option<&str>, second: u32, message: &Value) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": format!("2026-08-21T08:00:{second:02}.000Z"), "message": message})
}

fn at(second: u32, ms: i64) -> i64 {
    1_787_299_200_000 + i64::from(second) * 1000 + ms
}

fn usage(input: u64, output: u64, cost: f64) -> Value {
    json!({"input": input, "output": output, "cacheRead": 100, "cacheWrite": 20, "totalTokens": input + output + 120,
        "cost": {"input": cost / 2.0, "output": cost / 2.0, "cacheRead": 0, "cacheWrite": 0, "total": cost}})
}

fn answer(content: &Value, stop: &str, usage: &Value) -> Value {
    json!({"role": "assistant", "content": content, "api": "anthropic-messages", "provider": "anthropic", "model": "claude-x",
        "usage": usage, "stopReason": stop, "duration": 1500, "ttft": 300})
}

fn session(id: &str, n: u32, cwd: &Path) -> String {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let long = "x".repeat(LONG);
    let output = format!("total 3\nOPENAI_API_KEY={SECRET}\n{long}\n\ttab kept\n");
    let mut lines = title_slot(&format!("Session {n}"));
    let custom = |id: &str, parent: &str, second: u32, name: &str, data: Value| {
        json!({"type": "custom", "id": id, "parentId": parent, "timestamp": format!("2026-08-21T08:00:{second:02}.000Z"),
            "customType": name, "data": data})
    };
    let mut entries = vec![
        json!({"type": "session", "version": 3, "id": id, "timestamp": "2026-08-21T08:00:00.000Z", "cwd": cwd, "titleSource": "auto"}),
        message(
            "a0000001",
            None,
            1,
            &json!({"role": "user", "content": text(&format!("Why does the queue of part {n} fill up?"))}),
        ),
        json!({"type": "model_change", "id": "a0000002", "parentId": "a0000001", "timestamp": "2026-08-21T08:00:01.500Z",
            "model": "anthropic/claude-x", "role": "main"}),
        message(
            "a0000003",
            Some("a0000002"),
            3,
            &answer(
                &json!([
                    {"type": "thinking", "thinking": "The consumer may be slow."},
                    {"type": "text", "text": "I look at the files first."},
                    {"type": "toolCall", "id": "t1", "name": "bash", "intent": "list the files", "arguments": {"command": "ls", "env": {"API_TOKEN": SECRET}}},
                ]),
                "toolUse",
                &usage(1000, 50, 0.01),
            ),
        ),
        custom(
            "a0000004",
            "a0000003",
            3,
            "tool_execution_start",
            json!({"toolCallId": "t1", "toolName": "bash", "startedAt": at(3, 100), "intent": "list the files"}),
        ),
        message(
            "a0000005",
            Some("a0000004"),
            6,
            &json!({"role": "toolResult", "toolCallId": "t1", "toolName": "bash",
            "content": text(&output), "isError": false, "timestamp": at(5, 600)}),
        ),
        message(
            "a0000006",
            Some("a0000005"),
            8,
            &answer(
                &json!([
                    {"type": "toolCall", "id": "t2", "name": "read", "arguments": {"path": "shot.png"}},
                ]),
                "toolUse",
                &usage(1100, 20, 0.02),
            ),
        ),
        message(
            "a0000007",
            Some("a0000006"),
            9,
            &json!({"role": "toolResult", "toolCallId": "t2", "toolName": "read", "isError": true,
            "content": [{"type": "text", "text": "no such file"}, {"type": "image", "mimeType": "image/png", "data": format!("blob:sha256:{BLOB}")}],
            "timestamp": at(9, 0)}),
        ),
        message(
            "a0000008",
            Some("a0000007"),
            11,
            &json!({"role": "user", "content": "What should I do?"}),
        ),
        message(
            "a0000009",
            Some("a0000008"),
            13,
            &answer(&text(LEFT), "stop", &usage(1200, 30, 0.03)),
        ),
        // The person went back and asked in another way.
        message(
            "a000000a",
            Some("a0000007"),
            20,
            &json!({"role": "user", "content": text("What should I do without locks?")}),
        ),
        message(
            "a000000b",
            Some("a000000a"),
            23,
            &answer(
                &text(&format!("{KEPT}\n\n```rust\nlet q = bounded(8);\n```")),
                "stop",
                &usage(1300, 40, 0.04),
            ),
        ),
        json!({"type": "future_thing", "id": "a000000c", "parentId": "a000000b", "timestamp": "2026-08-21T08:00:24.000Z", "payload": {"of": "tomorrow"}}),
    ];
    if n % 3 == 1 {
        entries.push(message(
            "a000000d",
            Some("a000000c"),
            25,
            &json!({"role": "assistant", "content": [], "provider": "anthropic", "model": "claude-x", "stopReason": "error",
                "errorMessage": "overloaded, try again", "errorStatus": 529, "usage": usage(0, 0, 0.0)}),
        ));
    }
    let last = if n % 3 == 1 { "a000000d" } else { "a000000c" };
    entries.push(custom(
        "a000000e",
        last,
        30,
        "session_exit",
        json!({"reason": "quit", "kind": "normal", "recordedAt": at(30, 0)}),
    ));
    for entry in entries {
        lines.push_str(&entry.to_string());
        lines.push('\n');
    }
    lines
}

fn beside(dir: &Path, cwd: &Path) {
    fs::create_dir_all(dir.join("Explore")).unwrap();
    fs::write(dir.join("0.bash.log"), "total 0\n").unwrap();
    fs::write(dir.join("1.read.log"), [0_u8, 159, 146, 150, 255]).unwrap();
    fs::write(
        dir.join("Explore.md"),
        "# Found\n\nThe queue has no bound.\n",
    )
    .unwrap();
    fs::write(dir.join("Explore.patch"), "--- a\n+++ b\n").unwrap();
    fs::write(
        dir.join("Explore.jsonl"),
        agent("Explore", "Find the queue", cwd),
    )
    .unwrap();
    let deep = dir.join("Explore/Explore.Deep.jsonl");
    fs::write(deep, agent("Deep", "Read the queue's tests", cwd)).unwrap();
    fs::write(dir.join("__advisor.jsonl"), agent("advisor", "Watch", cwd)).unwrap();
}

fn agent(name: &str, task: &str, cwd: &Path) -> String {
    let entries = [
        json!({"type": "session", "version": 3, "id": format!("agent-{name}"), "timestamp": "2026-08-21T08:00:04.000Z", "cwd": cwd}),
        json!({"type": "session_init", "id": "b0000001", "parentId": null, "timestamp": "2026-08-21T08:00:04.000Z",
            "systemPrompt": "You explore.", "task": task, "tools": ["read"], "agent": name}),
        message(
            "b0000002",
            Some("b0000001"),
            5,
            &answer(
                &json!([{"type": "text", "text": "The queue has no bound."}]),
                "stop",
                &usage(10, 5, 0.001),
            ),
        ),
    ];
    entries.iter().fold(String::new(), |mut text, entry| {
        writeln!(text, "{entry}").unwrap();
        text
    })
}
