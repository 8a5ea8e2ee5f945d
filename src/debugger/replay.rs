//! A recorded debug session, played back by something that speaks DAP: the core and the screen cannot tell it from an adapter.
//!
//! A recording is a text file (gzip is seen by its first bytes), one JSON object a line: a header, then every protocol message with its direction. What the
//! adapter said at each stop is found again by request and arguments; every way of going on leads to the next recorded stop. What
//! was not asked at the time is answered with "not recorded".

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use crate::dap::client::{Connection, Direction, Tap, connect_io};
use crate::dap::codec::{DapCodec, Item, encode_frame};

/// Stands in a recording for the folder of the program, so that a recording can be played anywhere.
const FOLDER: &str = "${folder}";
/// Bytes of a recording that are read.
const LIMIT: u64 = 64 * 1024 * 1024;
/// How a compressed recording begins.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// Requests that let the program go on.
const RESUMES: &[&str] = &[
    "continue",
    "next",
    "stepIn",
    "stepOut",
    "stepBack",
    "reverseContinue",
    "goto",
];

/// First line of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// Version of the format.
    omp_debug_recording: u32,
    /// The adapter that was recorded.
    adapter: String,
    /// The program, relative to [`FOLDER`].
    program: String,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Recorded {
    /// Who said it.
    from: From,
    /// What.
    message: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum From {
    Client,
    Adapter,
}

/// A recording that can be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The adapter that was recorded.
    pub adapter: String,
    /// The program, as an absolute path in the folder given.
    pub program: String,
    /// What `initialize` was answered.
    capabilities: Value,
    /// What happened, cut at each stop: the first part leads to the first stop, the last one to the end.
    parts: Vec<Part>,
}

/// From one moment of going on to the next.
#[derive(Clone, Debug, Default, PartialEq)]
struct Part {
    /// Events up to and including the stop (or the end).
    events: Vec<Value>,
    /// Answers of the adapter at that stop, by request and arguments.
    answers: HashMap<String, Value>,
}

impl Recording {
    /// Reads a recording; `folder` is where the program is to be thought.
    pub fn read(path: &Path, folder: &Path) -> Result<Self, String> {
        let shown = path.display();
        let unreadable = |e: io::Error| format!("{shown} cannot be read: {e}");
        let bytes = std::fs::File::open(path)
            .and_then(bounded)
            .map_err(unreadable)?;
        let bytes = match bytes.get(..2) {
            Some(GZIP) => {
                bounded(flate2::read::GzDecoder::new(bytes.as_slice())).map_err(unreadable)?
            }
            _ => bytes,
        };
        if bytes.len() as u64 > LIMIT {
            return Err(format!(
                "{shown} is larger than {LIMIT} bytes; such recordings are not opened"
            ));
        }
        let text =
            String::from_utf8(bytes).map_err(|e| format!("{shown} is not a recording: {e}"))?;
        Self::parse(&text, folder).map_err(|why| format!("{shown} is not a recording: {why}"))
    }

    /// The same from text.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let folder = folder.to_string_lossy();
        let mut lines = text.lines().filter(|l| !l.trim().is_empty()).enumerate();
        let (_, first) = lines.next().ok_or("it is empty")?;
        let header: Header =
            serde_json::from_str(first).map_err(|e| format!("its first line is no header: {e}"))?;
        if header.omp_debug_recording != 1 {
            return Err(format!(
                "its format is version {}, this program reads 1",
                header.omp_debug_recording
            ));
        }
        let mut recording = Self {
            adapter: header.adapter,
            program: format!("{folder}/{}", header.program),
            capabilities: json!({}),
            parts: vec![Part::default()],
        };
        let mut asked: HashMap<i64, String> = HashMap::new();
        for (number, line) in lines {
            let mut recorded: Recorded = serde_json::from_str(line)
                .map_err(|e| format!("line {} is no message: {e}", number + 1))?;
            fill_in(&mut recorded.message, &folder);
            recording.take(recorded, &mut asked);
        }
        if recording.parts.iter().all(|p| p.events.is_empty()) {
            return Err("nothing happens in it".to_owned());
        }
        Ok(recording)
    }

    fn take(&mut self, recorded: Recorded, asked: &mut HashMap<i64, String>) {
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
                asked.insert(number("seq"), key(&command, message.get("arguments")));
                if RESUMES.contains(&command.as_str()) {
                    self.parts.push(Part::default());
                }
            }
            (From::Adapter, "response") => {
                let command = text("command");
                if command == "initialize" {
                    self.capabilities = message.get("body").cloned().unwrap_or_default();
                } else if let (Some(key), Some(part)) =
                    (asked.remove(&number("request_seq")), self.parts.last_mut())
                {
                    part.answers.insert(key, message);
                }
            }
            (From::Adapter, "event") if text("event") != "initialized" => {
                if let Some(part) = self.parts.last_mut() {
                    part.events.push(message);
                }
            }
            _ => {}
        }
    }

    /// Stops in it.
    pub fn stops(&self) -> usize {
        self.parts
            .iter()
            .filter(|p| p.events.iter().any(|e| is_event(e, "stopped")))
            .count()
    }

    /// Someone who plays it, and a connection to them.
    pub fn play(self: Arc<Self>) -> Connection {
        let (ours, theirs) = tokio::io::duplex(256 * 1024);
        let (read, write) = tokio::io::split(ours);
        let connection = connect_io(read, write, &format!("recording of {}", self.adapter));
        tokio::spawn(async move {
            let mut player = Player {
                recording: self,
                stream: theirs,
                seq: 0,
                part: 0,
                started: None,
                over: false,
            };
            // Ends when the other side closes.
            let _ = player.run().await;
        });
        connection
    }
}

/// Plays a recording to one client.
struct Player {
    recording: Arc<Recording>,
    stream: DuplexStream,
    seq: i64,
    /// Where in the recording we are.
    part: usize,
    /// The request that started it, which is answered after the configuration.
    started: Option<Value>,
    over: bool,
}

impl Player {
    async fn run(&mut self) -> io::Result<()> {
        use tokio_util::codec::Decoder;
        let mut codec = DapCodec::client();
        let mut buffer = bytes::BytesMut::new();
        loop {
            while let Some(item) = codec.decode(&mut buffer).map_err(io::Error::other)? {
                let Item::Frame(frame) = item else {
                    continue;
                };
                let request: Value = serde_json::from_slice(&frame.bytes)?;
                self.request(request).await?;
                if self.over {
                    return self.stream.shutdown().await;
                }
            }
            if self.stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        }
    }

    async fn request(&mut self, request: Value) -> io::Result<()> {
        let command = request
            .get("command")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        match command.as_str() {
            "initialize" => {
                let body = self.recording.capabilities.clone();
                self.answer(&request, body).await?;
                self.event("initialized", json!({})).await
            }
            "launch" | "attach" => {
                self.started = Some(request);
                Ok(())
            }
            "setBreakpoints" => {
                let wished = request
                    .pointer("/arguments/breakpoints")
                    .and_then(Value::as_array);
                let placed: Vec<_> = wished
                    .into_iter()
                    .flatten()
                    .map(|b| json!({ "verified": true, "line": b.get("line") }))
                    .collect();
                self.answer(&request, json!({ "breakpoints": placed }))
                    .await
            }
            "setFunctionBreakpoints" => {
                let refused = json!({ "verified": false, "message": "not recorded" });
                let wished = request
                    .pointer("/arguments/breakpoints")
                    .and_then(Value::as_array);
                let placed = vec![refused; wished.map_or(0, Vec::len)];
                self.answer(&request, json!({ "breakpoints": placed }))
                    .await
            }
            "setExceptionBreakpoints" => self.answer(&request, json!({})).await,
            "configurationDone" => {
                self.answer(&request, json!({})).await?;
                if let Some(start) = self.started.take() {
                    self.answer(&start, json!({})).await?;
                }
                self.events_of_part().await
            }
            resume if RESUMES.contains(&resume) => {
                self.part += 1;
                self.answer(&request, json!({ "allThreadsContinued": true }))
                    .await?;
                self.events_of_part().await
            }
            "disconnect" | "terminate" => {
                self.answer(&request, json!({})).await?;
                self.over = command == "disconnect";
                if self.over {
                    Ok(())
                } else {
                    self.event("terminated", json!({})).await
                }
            }
            _ => self.look_up(&command, &request).await,
        }
    }

    async fn look_up(&mut self, command: &str, request: &Value) -> io::Result<()> {
        let found = self
            .recording
            .parts
            .get(self.part)
            .and_then(|p| p.answers.get(&key(command, request.get("arguments"))))
            .cloned();
        let seq = request.get("seq").cloned().unwrap_or_default();
        let response = match found {
            Some(mut response) => {
                if let Some(fields) = response.as_object_mut() {
                    fields.insert("request_seq".to_owned(), seq);
                }
                response
            }
            None => json!({
                "type": "response",
                "request_seq": seq,
                "success": false,
                "command": command,
                "message": "not recorded",
            }),
        };
        self.write(response).await
    }

    /// What happened until the next stop; past the last part the program has ended.
    async fn events_of_part(&mut self) -> io::Result<()> {
        let events = self
            .recording
            .parts
            .get(self.part)
            .map(|p| p.events.clone());
        let ends = |events: &[Value]| {
            events
                .iter()
                .any(|e| is_event(e, "stopped") || is_event(e, "terminated"))
        };
        let complete = events.as_deref().is_some_and(ends);
        for event in events.unwrap_or_default() {
            self.write(event).await?;
        }
        if complete {
            Ok(())
        } else {
            self.event("terminated", json!({})).await
        }
    }

    async fn answer(&mut self, request: &Value, body: Value) -> io::Result<()> {
        self.write(json!({
            "type": "response",
            "request_seq": request.get("seq"),
            "success": true,
            "command": request.get("command"),
            "body": body,
        }))
        .await
    }

    async fn event(&mut self, event: &str, body: Value) -> io::Result<()> {
        self.write(json!({ "type": "event", "event": event, "body": body }))
            .await
    }

    async fn write(&mut self, mut message: Value) -> io::Result<()> {
        self.seq += 1;
        if let Some(fields) = message.as_object_mut() {
            fields.insert("seq".to_owned(), self.seq.into());
        }
        let content = serde_json::to_vec(&message)?;
        self.stream.write_all(&encode_frame(&content)).await
    }
}

/// Takes down every message of a connection, for [`Recording::parse`] to read.
#[derive(Debug, Default)]
pub struct Recorder {
    lines: Mutex<Vec<String>>,
}

impl Recorder {
    /// What to give to a connection.
    pub fn tap(self: &Arc<Self>) -> Tap {
        let recorder = Arc::clone(self);
        Arc::new(move |tapped| {
            let from = match tapped.direction {
                Direction::Sent => "client",
                Direction::Received => "adapter",
            };
            let content = String::from_utf8_lossy(tapped.content);
            let line = format!(r#"{{"from":"{from}","message":{content}}}"#);
            recorder
                .lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(line);
        })
    }

    /// The recording's text; what lies in `folder` is named relative to it.
    pub fn text(&self, adapter: &str, program: &str, folder: &Path) -> String {
        let header = json!({ "omp_debug_recording": 1, "adapter": adapter, "program": program });
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = folder.to_string_lossy();
        let mut text = format!("{header}\n");
        for line in lines.iter() {
            text.push_str(&line.replace(folder.as_ref(), FOLDER));
            text.push('\n');
        }
        text
    }
}

/// Reads to the end, or to one byte past what is opened.
fn bounded(reader: impl io::Read) -> io::Result<Vec<u8>> {
    use io::Read as _;
    let mut bytes = Vec::new();
    reader.take(LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// How an answer is found again. Objects print with sorted keys, so equal arguments have equal keys.
fn key(command: &str, arguments: Option<&Value>) -> String {
    format!("{command} {}", arguments.unwrap_or(&Value::Null))
}

fn is_event(message: &Value, name: &str) -> bool {
    message.get("event").and_then(Value::as_str) == Some(name)
}

fn fill_in(value: &mut Value, folder: &str) {
    match value {
        Value::String(text) if text.contains(FOLDER) => *text = text.replace(FOLDER, folder),
        Value::Array(items) => items.iter_mut().for_each(|v| fill_in(v, folder)),
        Value::Object(fields) => fields.values_mut().for_each(|v| fill_in(v, folder)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"omp_debug_recording":1,"adapter":"x","program":"a.py"}
{"from":"client","message":{"seq":1,"type":"request","command":"initialize"}}
{"from":"adapter","message":{"seq":1,"type":"response","request_seq":1,"success":true,"command":"initialize","body":{"supportsSetVariable":true}}}
{"from":"adapter","message":{"seq":2,"type":"event","event":"stopped","body":{"reason":"breakpoint"}}}
{"from":"client","message":{"seq":2,"type":"request","command":"scopes","arguments":{"frameId":1}}}
{"from":"adapter","message":{"seq":3,"type":"response","request_seq":2,"success":true,"command":"scopes","body":{"scopes":[{"name":"${folder}/a.py"}]}}}
{"from":"client","message":{"seq":3,"type":"request","command":"next"}}
{"from":"adapter","message":{"seq":4,"type":"event","event":"terminated"}}
"#;

    #[test]
    fn what_was_said_at_a_stop_is_kept_with_that_stop() {
        let recording = Recording::parse(TEXT, Path::new("/f")).unwrap();
        assert_eq!((recording.stops(), recording.parts.len()), (1, 2));
        assert_eq!(recording.program, "/f/a.py");
        let answer = &recording.parts[0].answers[&key("scopes", Some(&json!({"frameId": 1})))];
        assert_eq!(
            answer.pointer("/body/scopes/0/name"),
            Some(&json!("/f/a.py"))
        );
    }

    #[test]
    fn what_is_no_recording_is_said() {
        for (text, why) in [
            ("", "empty"),
            ("{}", "no header"),
            (
                "{\"omp_debug_recording\":7,\"adapter\":\"\",\"program\":\"\"}",
                "version 7",
            ),
            (
                "{\"omp_debug_recording\":1,\"adapter\":\"\",\"program\":\"\"}\n{",
                "line 2",
            ),
            (
                "{\"omp_debug_recording\":1,\"adapter\":\"\",\"program\":\"\"}\n",
                "nothing happens",
            ),
        ] {
            let error = Recording::parse(text, Path::new("/")).unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }
}
