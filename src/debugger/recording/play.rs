//! Plays a recording: speaks DAP to one client, as the adapter did that was recorded.
//!
//! Every way of going on leads to the next recorded stop, every way back to the one before. What the adapter said at a stop is found again by
//! request and arguments; what was not asked at the time is answered with "not recorded".

use std::io;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::read::Part;
use super::{BACKWARDS, RESUMES, Recording, is_event, key};
use crate::dap::client::{Connection, connect_io};
use crate::dap::codec::{DapCodec, Item, encode_frame};
use crate::tasks;

impl Recording {
    /// Someone who plays it, and a connection to them.
    pub fn play(self: Arc<Self>) -> Connection {
        let (ours, theirs) = tokio::io::duplex(256 * 1024);
        let (read, write) = tokio::io::split(ours);
        let connection = connect_io(read, write, &format!("recording of {}", self.adapter));
        tasks::spawn(async move {
            let mut player = Player {
                recording: self,
                stream: theirs,
                seq: 0,
                part: 0,
                furthest: 0,
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
    /// How far we have been: what was printed and loaded until there is told once.
    furthest: usize,
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
                let body = self.capabilities();
                self.answer(&request, body).await?;
                self.event("initialized", json!({})).await
            }
            "launch" | "attach" => {
                self.started = Some(request);
                Ok(())
            }
            "setBreakpoints" if self.recalled(&request).is_none() => {
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
            "setFunctionBreakpoints" if self.recalled(&request).is_none() => {
                let refused = json!({ "verified": false, "message": "not recorded" });
                let wished = request
                    .pointer("/arguments/breakpoints")
                    .and_then(Value::as_array);
                let placed = vec![refused; wished.map_or(0, Vec::len)];
                self.answer(&request, json!({ "breakpoints": placed }))
                    .await
            }
            "setBreakpoints" | "setFunctionBreakpoints" => {
                let recalled = self.recalled(&request);
                self.answer_again(&request, recalled).await
            }
            "setExceptionBreakpoints" => self.answer(&request, json!({})).await,
            "configurationDone" => {
                self.answer(&request, json!({})).await?;
                if let Some(start) = self.started.take() {
                    self.answer(&start, json!({})).await?;
                }
                self.events_of_part().await
            }
            back if BACKWARDS.contains(&back) => self.back(&request).await,
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

    /// What the adapter could, without what a recording cannot and with what it can.
    fn capabilities(&self) -> Value {
        let mut body = self.recording.capabilities.clone();
        if let Some(fields) = body.as_object_mut() {
            for (name, has) in [
                ("supportsConfigurationDoneRequest", true),
                ("supportsStepBack", true),
                ("supportsRestartRequest", false),
                ("supportsRestartFrame", false),
            ] {
                fields.insert(name.to_owned(), has.into());
            }
        }
        body
    }

    /// To the stop before this one.
    async fn back(&mut self, request: &Value) -> io::Result<()> {
        let before = self.recording.parts.get(..self.part).unwrap_or_default();
        let Some(part) = before.iter().rposition(Part::stops) else {
            return self
                .refuse(request, "this is the first stop of the recording")
                .await;
        };
        self.part = part;
        self.answer(request, json!({})).await?;
        self.events_of_part().await
    }

    /// What the same request was answered whenever it was asked.
    fn recalled(&self, request: &Value) -> Option<Value> {
        let command = request.get("command").and_then(Value::as_str)?;
        let key = key(command, request.get("arguments"));
        let mut parts = self.recording.parts.iter();
        parts.find_map(|part| part.answers.get(&key)).cloned()
    }

    async fn look_up(&mut self, command: &str, request: &Value) -> io::Result<()> {
        let found = self
            .recording
            .parts
            .get(self.part)
            .and_then(|p| p.answers.get(&key(command, request.get("arguments"))))
            .cloned();
        self.answer_again(request, found).await
    }

    async fn answer_again(&mut self, request: &Value, found: Option<Value>) -> io::Result<()> {
        let Some(mut response) = found else {
            return self.refuse(request, "not recorded").await;
        };
        if let Some(fields) = response.as_object_mut() {
            let seq = request.get("seq").cloned().unwrap_or_default();
            fields.insert("request_seq".to_owned(), seq);
        }
        self.write(response).await
    }

    async fn refuse(&mut self, request: &Value, why: &str) -> io::Result<()> {
        self.write(json!({
            "type": "response",
            "request_seq": request.get("seq"),
            "success": false,
            "command": request.get("command"),
            "message": why,
        }))
        .await
    }

    /// What happened until the next stop; past the last part the program has ended. Where we have been already only the stop is told.
    async fn events_of_part(&mut self) -> io::Result<()> {
        let is_new = self.part >= self.furthest;
        self.furthest = self.furthest.max(self.part + 1);
        let decides = |event: &Value| {
            ["stopped", "terminated", "exited"]
                .iter()
                .any(|name| is_event(event, name))
        };
        let part = self.recording.parts.get(self.part);
        let events: Vec<Value> = part
            .map(|part| &part.events)
            .into_iter()
            .flatten()
            .filter(|event| is_new || decides(event))
            .cloned()
            .collect();
        let complete = events
            .iter()
            .any(|event| is_event(event, "stopped") || is_event(event, "terminated"));
        for event in events {
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
