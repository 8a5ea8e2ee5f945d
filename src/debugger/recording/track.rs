//! One session of a recording: parts, each from one moment of going on to the next, with what was said at the stop in it.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{From, RESUMES, Recorded, is_event, key};

/// Requests that end a session.
const ENDS: &[&str] = &["terminate", "disconnect"];

/// One session.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Track {
    /// Its adapter.
    pub(super) adapter: String,
    /// What was debugged.
    pub(super) program: String,
    /// The session that it came out of, as [`super::Recording::track`] counts; none for the first.
    pub(super) parent: Option<usize>,
    /// What `initialize` was answered.
    pub(super) capabilities: Value,
    /// What happened, cut at each stop: the first part leads to the first stop, the last one to the end.
    pub(super) parts: Vec<Part>,
    /// Requests that are not answered yet: how their answers are found again, and whether they let the program go on.
    asked: HashMap<i64, (String, bool)>,
}

/// From one moment of going on to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Part {
    /// When the program was let go on, in milliseconds since the beginning of the recording.
    pub(super) began: Option<u64>,
    /// Events up to and including the stop (or the end).
    pub(super) events: Vec<Value>,
    /// When each of them came, likewise.
    pub(super) times: Vec<Option<u64>>,
    /// When the last of them came, likewise.
    pub(super) at: Option<u64>,
    /// Sessions that came out of this one: after how many of the events, and which.
    pub(super) children: Vec<(usize, usize)>,
    /// Answers of the adapter at that stop, by request and arguments.
    pub(super) answers: HashMap<String, Value>,
}

impl Part {
    /// Whether the program stood still at its end.
    pub(super) fn stops(&self) -> bool {
        self.events.iter().any(|event| is_event(event, "stopped"))
    }
}

impl Track {
    pub(super) fn new(adapter: String, program: String, parent: Option<usize>) -> Self {
        Self {
            adapter,
            program,
            parent,
            capabilities: json!({}),
            parts: vec![Part::default()],
            asked: HashMap::new(),
        }
    }

    /// Another session comes out of this one now.
    pub(super) fn bear(&mut self, child: usize) {
        if let Some(part) = self.parts.last_mut() {
            part.children.push((part.events.len(), child));
        }
    }

    /// The next message.
    pub(super) fn take(&mut self, recorded: Recorded) {
        let at = recorded.at;
        let message = recorded.message;
        let text = |name: &str| {
            message
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let number = |name: &str| {
            message
                .get(name)
                .and_then(Value::as_i64)
                .unwrap_or_default()
        };
        match (recorded.from, text("type").as_str()) {
            (From::Client, "request") => {
                let command = text("command");
                let resumes = RESUMES.contains(&command.as_str());
                let key = key(&command, message.get("arguments"));
                self.asked.insert(number("seq"), (key, resumes));
                // What ends a session that stands still is no part of that stop.
                let ends =
                    ENDS.contains(&command.as_str()) && self.parts.last().is_some_and(Part::stops);
                if resumes || ends {
                    self.parts.push(Part {
                        began: at,
                        ..Part::default()
                    });
                }
            }
            (From::Adapter, "response") => {
                self.answered(&text("command"), number("request_seq"), message);
            }
            (From::Adapter, "event") if text("event") != "initialized" => {
                if let Some(part) = self.parts.last_mut() {
                    part.events.push(message);
                    part.times.push(at);
                    part.at = at.or(part.at);
                }
            }
            _ => {}
        }
    }

    fn answered(&mut self, command: &str, request: i64, message: Value) {
        let asked = self.asked.remove(&request);
        if command == "initialize" {
            self.capabilities = message.get("body").cloned().unwrap_or_default();
            return;
        }
        let Some((key, resumes)) = asked else { return };
        let refused = message.get("success") == Some(&Value::Bool(false));
        if resumes && refused && self.parts.last().is_some_and(|p| p.events.is_empty()) {
            // It stayed where it was.
            let came = self.parts.pop().unwrap_or_default();
            match self.parts.last_mut() {
                Some(part) => {
                    part.answers.extend(came.answers);
                    let after = part.events.len();
                    let born = came.children.into_iter().map(|(_, child)| (after, child));
                    part.children.extend(born);
                }
                None => self.parts.push(came),
            }
        } else if let Some(part) = self.parts.last_mut() {
            part.answers.insert(key, message);
        }
    }

    /// Whether anything happens in it.
    pub(super) fn has_events(&self) -> bool {
        self.parts.iter().any(|part| !part.events.is_empty())
    }

    /// Stops in it.
    pub(super) fn stops(&self) -> usize {
        self.parts.iter().filter(|part| part.stops()).count()
    }
}
