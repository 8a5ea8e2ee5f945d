//! The events of a core as one JSON object each, for those who follow it (`call --follow`) and for hooks.
//!
//! Each has `type`, `seq` and its session; `stopped`, `output`, `terminated` and `exited` have the fields that hooks look for at the top.
//! Secrets are hidden, unless the host says that they may be told.

use super::printed::Printed;
use crate::prelude::*;

/// What must be remembered from one event to the next.
pub struct Feed {
    discretion: Discretion,
    /// Number of the last event.
    seq: u64,
    /// Sessions whose adapters asked for a new start.
    restarts: HashMap<SessionId, Value>,
    /// What is watched: a value may be a secret by its expression.
    watches: HashMap<WatchId, String>,
    /// What was printed and is not told yet.
    printed: Printed,
}

impl Feed {
    /// Nothing was told so far.
    pub fn new(discretion: Discretion) -> Self {
        Self {
            printed: Printed::new(discretion.clone()),
            discretion,
            seq: 0,
            restarts: HashMap::new(),
            watches: HashMap::new(),
        }
    }

    /// The state that events follow on, fit to be told.
    pub fn snapshot(&mut self, mut state: State) -> Result<Value, serde_json::Error> {
        self.seq = state.seq;
        self.watches = state
            .watches
            .iter()
            .map(|watch| (watch.id, watch.expression.clone()))
            .collect();
        for stop in state.sessions.iter_mut().filter_map(|s| s.stop.as_mut()) {
            for (watch, value) in &mut stop.watches {
                self.hide_watched(*watch, value);
            }
        }
        let mut value = serde_json::to_value(&state)?;
        for session in members(&mut value, "sessions") {
            let Some(mut stream) = self.discretion.stream() else {
                break;
            };
            // One after the other: a key may be several lines long.
            for line in session
                .get_mut("output")
                .into_iter()
                .flat_map(|o| members(o, "lines"))
            {
                if let Some(Value::String(text)) = line.get_mut("text") {
                    text.push('\n');
                    let told = stream.push(text);
                    told.trim_end_matches('\n').clone_into(text);
                }
            }
        }
        self.discretion.json(&mut value);
        Ok(value)
    }

    fn hide_watched(&self, watch: WatchId, value: &mut WatchValue) {
        if let Outcome::Value(text) = &mut value.result {
            let expression = self.watches.get(&watch).map_or("", String::as_str);
            *text = self.discretion.value(expression, mem::take(text));
        }
    }

    /// The lines of an event: one, or as many as there are pieces of output in it.
    pub fn lines(&mut self, event: &Event) -> Result<Vec<Map<String, Value>>, serde_json::Error> {
        // What was printed before is told before, with a number from before.
        let mut lines = match &event.kind {
            EventKind::Session { session, change } if !matches!(change, Change::Output { .. }) => {
                self.settled(Some(*session))
            }
            _ => Vec::new(),
        };
        self.seq = event.seq;
        let EventKind::Session { session, change } = &event.kind else {
            match &event.kind {
                EventKind::WatchSet { watch } => {
                    self.watches.insert(watch.id, watch.expression.clone());
                }
                EventKind::WatchRemoved { watch } => {
                    self.watches.remove(watch);
                }
                _ => {}
            }
            return Ok(vec![self.fit(plain(event)?)]);
        };
        let session = *session;
        if let Change::Output { chunks } = change {
            let told = chunks
                .iter()
                .filter_map(|chunk| self.printed(session, chunk));
            return Ok(told.collect());
        }
        if matches!(change, Change::Gone) {
            self.printed.forget(session);
        }
        let told = self.change(session, change)?;
        lines.push(self.fit(told));
        Ok(lines)
    }

    /// A piece of output as far as it can be told.
    fn printed(&mut self, session: SessionId, chunk: &OutputChunk) -> Option<Map<String, Value>> {
        let text = self.printed.push(session, &chunk.category, &chunk.text);
        if text.is_empty() && chunk.lost_before == 0 {
            return None;
        }
        let mut fields = json!({"category": chunk.category, "output": text});
        if chunk.lost_before > 0
            && let Some(fields) = fields.as_object_mut()
        {
            fields.put("lost_before", chunk.lost_before);
        }
        Some(self.line(session, "output", fields))
    }

    /// The ends of lines that are not over yet.
    pub fn settled(&mut self, only: Option<SessionId>) -> Vec<Map<String, Value>> {
        let ends = self.printed.settled(only).into_iter();
        ends.map(|(session, category, text)| {
            let fields = json!({"category": category, "output": text});
            self.line(session, "output", fields)
        })
        .collect()
    }

    fn line(&self, session: SessionId, kind: &str, fields: Value) -> Map<String, Value> {
        let mut line = Map::new();
        line.put("type", kind);
        line.put("seq", self.seq);
        line.put("session", session.0);
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        line
    }

    fn fit(&self, line: Map<String, Value>) -> Map<String, Value> {
        let mut value = Value::Object(line);
        self.discretion.json(&mut value);
        match value {
            Value::Object(line) => line,
            _ => Map::new(),
        }
    }

    /// The line of a change that is no output.
    fn change(
        &mut self,
        session: SessionId,
        change: &Change,
    ) -> Result<Map<String, Value>, serde_json::Error> {
        Ok(match change {
            Change::Stopped { stop } => self.line(
                session,
                "stopped",
                json!({
                    "reason": stop.reason,
                    "thread_id": stop.thread_id,
                    "all_threads_stopped": stop.all_threads_stopped,
                    "stop": stop.id,
                    "description": stop.description,
                    "text": stop.text,
                    "hit_breakpoint_ids": stop.hit_breakpoint_ids,
                }),
            ),
            Change::Exited { exit_code } => {
                self.line(session, "exited", json!({"exit_code": exit_code}))
            }
            Change::RestartAsked { restart } => {
                self.restarts.insert(session, restart.clone());
                self.line(session, "restart_asked", json!({"restart": restart}))
            }
            Change::Ended { why } => {
                let restart = self.restarts.remove(&session);
                self.line(
                    session,
                    "terminated",
                    json!({"restart": restart, "why": why}),
                )
            }
            Change::Watch { stop, watch, value } => {
                let mut value = value.clone();
                self.hide_watched(*watch, &mut value);
                let fields = json!({"stop": stop, "watch": watch, "value": value});
                self.line(session, "watch", fields)
            }
            other => {
                let (name, fields) = tagged(other)?;
                self.line(session, &name, fields.into())
            }
        })
    }
}

/// The elements of a list that an object holds.
fn members<'v>(value: &'v mut Value, list: &str) -> impl Iterator<Item = &'v mut Value> {
    value
        .get_mut(list)
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
}

/// An event that is about no session in particular, as it is.
fn plain(event: &Event) -> Result<Map<String, Value>, serde_json::Error> {
    let (kind, fields) = tagged(&event.kind)?;
    let mut line = Map::new();
    line.put("type", kind);
    line.put("seq", event.seq);
    line.extend(fields);
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Stop, Watch};

    fn told(changes: Vec<Change>) -> Vec<Value> {
        let mut feed = Feed::new(Discretion::default());
        let mut lines = Vec::new();
        for (index, change) in changes.into_iter().enumerate() {
            let event = Event {
                seq: index as u64 + 1,
                kind: EventKind::Session {
                    session: SessionId(3),
                    change,
                },
            };
            lines.extend(feed.lines(&event).unwrap().into_iter().map(Value::Object));
        }
        lines.extend(feed.settled(None).into_iter().map(Value::Object));
        lines
    }

    #[test]
    fn hooks_find_their_fields_at_the_top() {
        let chunk = |category: &str, text: &str| OutputChunk {
            category: category.into(),
            text: text.into(),
            ..OutputChunk::default()
        };
        let lines = told(vec![
            Change::Stopped {
                stop: Box::new(Stop {
                    reason: "breakpoint".into(),
                    thread_id: Some(9),
                    all_threads_stopped: true,
                    ..Stop::default()
                }),
            },
            Change::Output {
                chunks: Arc::new(vec![chunk("stdout", "a\n"), chunk("stderr", "b")]),
            },
            Change::Exited { exit_code: 4 },
            Change::RestartAsked {
                restart: json!({"port": 1}),
            },
            Change::Ended {
                why: "It ended.".into(),
            },
            Change::Ended {
                why: "It ended.".into(),
            },
            Change::Phase {
                phase: Phase::Running,
                activity: None,
            },
        ]);
        let has = |line: &Value, fields: Value| {
            for (name, value) in fields.as_object().unwrap() {
                assert_eq!(&line[name], value, "{name} in {line}");
            }
        };
        has(
            &lines[0],
            json!({"type": "stopped", "seq": 1, "session": 3, "reason": "breakpoint", "thread_id": 9, "all_threads_stopped": true}),
        );
        has(
            &lines[1],
            json!({"type": "output", "seq": 2, "category": "stdout", "output": "a\n"}),
        );
        has(
            &lines[2],
            json!({"type": "output", "seq": 2, "category": "stderr", "output": "b"}),
        );
        has(&lines[3], json!({"type": "exited", "exit_code": 4}));
        has(
            &lines[5],
            json!({"type": "terminated", "restart": {"port": 1}}),
        );
        has(&lines[6], json!({"type": "terminated", "restart": null}));
        has(&lines[7], json!({"type": "phase", "phase": "running"}));
    }

    #[test]
    fn secrets_are_hidden_however_the_output_is_cut() {
        let print = |text: &str| Change::Output {
            chunks: Arc::new(vec![OutputChunk {
                category: "stdout".into(),
                text: text.into(),
                ..OutputChunk::default()
            }]),
        };
        let lines = told(vec![
            print("user=ada pass"),
            print("word=wolf-ho"),
            print("und-77\nName? "),
        ]);
        let all: String = lines.iter().filter_map(|l| l["output"].as_str()).collect();
        assert!(
            all.starts_with("user=ada password=[redacted:") && all.ends_with("]\nName? "),
            "{all}"
        );
    }

    #[test]
    fn the_snapshot_hides_what_was_printed_and_what_is_watched() {
        let watch = Watch {
            id: WatchId(1),
            expression: "user.password".into(),
            aside: None,
        };
        let value = |text: &str| WatchValue {
            result: Outcome::Value(text.into()),
            ..WatchValue::default()
        };
        let mut session = Session {
            id: SessionId(3),
            stop: Some(Stop {
                watches: [(watch.id, value("'wolf-hound-77'"))].into(),
                ..Stop::default()
            }),
            ..Session::default()
        };
        let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----\nplain\n";
        session.output.push(&OutputChunk {
            category: "stdout".into(),
            text: key.into(),
            ..OutputChunk::default()
        });
        let state = State {
            sessions: vec![session],
            watches: vec![watch],
            ..State::default()
        };
        let mut feed = Feed::new(Discretion::default());
        let told = feed.snapshot(state.clone()).unwrap().to_string();
        assert!(!told.contains("wolf") && !told.contains("MIIE"), "{told}");
        assert!(told.contains("plain"), "{told}");
        let mut feed = Feed::new(Discretion::none());
        let told = feed.snapshot(state).unwrap().to_string();
        assert!(told.contains("wolf") && told.contains("MIIE"), "{told}");
    }

    #[test]
    fn what_is_about_no_session_is_told_as_it_is() {
        let event = Event {
            seq: 5,
            kind: EventKind::WatchSet {
                watch: Watch {
                    id: WatchId(1),
                    expression: "x".into(),
                    aside: None,
                },
            },
        };
        assert_eq!(
            Value::Object(plain(&event).unwrap()),
            json!({"type": "watch_set", "seq": 5, "watch": {"id": 1, "expression": "x"}})
        );
    }
}
