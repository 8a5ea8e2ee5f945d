//! Conversations for the fake adapter: strict scripts to follow, and the log of what it received.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A strict conversation, step by step; the fake adapter's `script.rs` describes its lines.
#[derive(Default)]
pub struct Script(String);

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    fn line(mut self, line: &str) -> Self {
        assert!(!line.contains('\n'), "a script step is one line: {line:?}");
        self.0.push_str(line);
        self.0.push('\n');
        self
    }

    /// The next request must be `command`, and its arguments hold at least `arguments`.
    pub fn expect(self, command: &str, arguments: &Value) -> Self {
        self.line(&format!("< {command} {arguments}"))
    }

    /// Answers the request before.
    pub fn respond(self, body: &Value) -> Self {
        self.line(&format!("> response {body}"))
    }

    /// Fails the request before.
    pub fn fail(self, message: &str) -> Self {
        self.line(&format!("> failure {}", Value::from(message)))
    }

    pub fn event(self, event: &str, body: &Value) -> Self {
        self.line(&format!("> event {event} {body}"))
    }

    /// Sends a reverse request, and waits for its answer.
    pub fn ask(self, command: &str, arguments: &Value) -> Self {
        self.line(&format!("> request {command} {arguments}"))
            .line(&format!("< response {command}"))
    }

    /// Sends bytes as they are.
    pub fn raw(self, bytes: &str) -> Self {
        self.line(&format!("> raw {}", Value::from(bytes)))
    }

    pub fn exit(self, code: i32) -> Self {
        self.line(&format!("! exit {code}"))
    }

    /// Waits for the client to close its end.
    pub fn eof(self) -> Self {
        self.line("! eof")
    }

    /// The usual beginning, up to a running program.
    pub fn handshake(self, capabilities: &Value) -> Self {
        self.expect("initialize", &Value::Null)
            .respond(capabilities)
            .expect("launch", &Value::Null)
            .event("initialized", &Value::Null)
    }

    /// Writes the script into `folder`, for `--script`.
    pub fn write(&self, folder: &Path) -> PathBuf {
        let path = folder.join("conversation.script");
        std::fs::write(&path, &self.0).unwrap();
        path
    }
}

/// The frames a fake adapter received (`--log FILE`), in order.
pub fn received(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    // What has no end yet is being written.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The commands of the requests it received.
pub fn commands(log: &Path) -> Vec<String> {
    received(log)
        .iter()
        .filter(|frame| frame["type"] == "request")
        .map(|frame| frame["command"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The arguments of each request with this command.
pub fn arguments(log: &Path, command: &str) -> Vec<Value> {
    received(log)
        .into_iter()
        .filter(|frame| frame["type"] == "request" && frame["command"] == command)
        .map(|mut frame| frame["arguments"].take())
        .collect()
}
