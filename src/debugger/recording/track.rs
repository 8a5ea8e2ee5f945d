//! One session of a recording: parts, each from one moment of going on to the next, with what was said at the stop in it.

use super::format::{From, RESUMES, Recorded, is_event, key};
use crate::{adapters::Personality, prelude::*};

/// Requests that start one, or come to it.
const STARTS: &[&str] = &["launch", "attach"];
/// Requests that end a session.
const ENDS: &[&str] = &["terminate", "disconnect"];

/// One session.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    pub adapter: String,
    /// What was debugged.
    pub program: String,
    /// The session that it came out of, as [`super::Recording::track`] counts; none for one that was started by hand.
    pub parent: Option<usize>,
    /// What was debugged, as the adapter or the start that it was given names it.
    pub told_program: Option<String>,
    /// Its process, where the adapter told it.
    pub pid: Option<i64>,
    /// What `initialize` was answered.
    pub capabilities: Value,
    /// What happened, cut at each stop: the first part leads to the first stop, the last one to the end.
    pub parts: Vec<Part>,
    /// Requests that are not answered yet: how their answers are found again, whether they let the program go on, and at which part they
    /// were asked.
    asked: HashMap<i64, (String, bool, usize)>,
}

/// From one moment of going on to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// When the program was let go on, in milliseconds since the beginning of the recording; of the first part, when it began.
    pub began: Option<u64>,
    /// The line of the file that says so.
    pub line: usize,
    /// Events up to and including the stop (or the end).
    pub events: Vec<Value>,
    /// When each of them came, likewise.
    pub times: Vec<Option<u64>>,
    /// The line of each.
    pub lines: Vec<usize>,
    /// Answers of the adapter at that stop, by request and arguments.
    pub answers: BTreeMap<String, Value>,
}

impl Part {
    /// Whether the program stood still at its end.
    pub(super) fn stops(&self) -> bool {
        self.events.iter().any(|event| is_event(event, "stopped"))
    }

    /// When it came to stand still, as [`Part::began`].
    pub(super) fn stopped_at(&self) -> Option<u64> {
        let event = self.events.iter().position(|e| is_event(e, "stopped"))?;
        self.times.get(event).copied().flatten()
    }
}

impl Track {
    /// How what its adapter told is shown: as it was then.
    pub fn personality(&self) -> Personality {
        let adapter = Table::builtin().get(&self.adapter);
        adapter.map_or_else(
            |_| Personality::default(),
            |adapter| adapter.personality.for_replay(),
        )
    }

    pub fn new(adapter: String, program: String, parent: Option<usize>) -> Self {
        Self {
            adapter,
            program,
            parent,
            told_program: None,
            pid: None,
            capabilities: json!({}),
            parts: vec![Part::default()],
            asked: HashMap::new(),
        }
    }

    /// It begins at this line of the file, when as much had passed of the recording (in milliseconds) as is known.
    pub fn born(mut self, line: usize, at: Option<u64>) -> Self {
        if let Some(first) = self.parts.first_mut() {
            (first.line, first.began) = (line, at);
        }
        self
    }

    /// The next message, and its line in the file.
    pub fn take(&mut self, recorded: Recorded, line: usize) {
        let at = recorded.at;
        let message = recorded.message;
        let text = |name: &str| message.text_of(name).unwrap_or_default().to_owned();
        let number = |name: &str| message.integer_of(name).unwrap_or_default();
        match (recorded.from, text("type").as_str()) {
            (From::Client, "request") => {
                let command = text("command");
                let resumes = RESUMES.contains(&command.as_str());
                if STARTS.contains(&command.as_str()) && self.told_program.is_none() {
                    self.told_program = program(message.pointer("/arguments/program"));
                }
                // What ends a session that stands still is no part of that stop.
                let ends =
                    ENDS.contains(&command.as_str()) && self.parts.last().is_some_and(Part::stops);
                if resumes || ends {
                    self.parts.push(Part {
                        began: at,
                        line,
                        ..Part::default()
                    });
                }
                let key = key(&command, message.get("arguments"));
                let asked = (key, resumes, self.parts.len() - 1);
                self.asked.insert(number("seq"), asked);
            }
            (From::Adapter, "response") => {
                self.answered(&text("command"), number("request_seq"), message);
            }
            (From::Adapter, "event") if text("event") != "initialized" => {
                if text("event") == "process" {
                    let named = program(message.pointer("/body/name"));
                    self.told_program = named.or_else(|| self.told_program.take());
                    let pid = message.pointer("/body/systemProcessId");
                    self.pid = pid.and_then(Value::as_i64).or(self.pid);
                }
                if let Some(part) = self.parts.last_mut() {
                    part.events.push(message);
                    part.times.push(at);
                    part.lines.push(line);
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
        let Some((key, resumes, part)) = asked else {
            return;
        };
        let refused = message.get("success") == Some(&Value::Bool(false));
        if resumes && refused && self.parts.last().is_some_and(|p| p.events.is_empty()) {
            // It stayed where it was.
            let came = self.parts.pop().unwrap_or_default();
            match self.parts.last_mut() {
                Some(part) => part.answers.extend(came.answers),
                None => self.parts.push(came),
            }
        } else {
            // The program may have been let go on since it was asked.
            let part = part.min(self.parts.len().saturating_sub(1));
            if let Some(part) = self.parts.get_mut(part) {
                part.answers.insert(key, message);
            }
        }
    }

    /// What a request was answered at a part, or else at the part nearest to it, those before it first: what does not change from stop
    /// to stop, as threads' names, was not asked for at each.
    pub fn answer_near(&self, part: usize, key: &str) -> Option<&Value> {
        let (until, behind) = self.parts.split_at_checked(part + 1)?;
        let mut near = until.iter().rev().chain(behind);
        near.find_map(|part| part.answers.get(key))
    }

    /// Stops in it.
    pub fn stops(&self) -> usize {
        self.parts.iter().filter(|part| part.stops()).count()
    }
}

/// A program's name that is one.
fn program(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}
