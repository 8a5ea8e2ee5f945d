//! Plays one session of a recording: speaks DAP to one client, as the adapter did that was recorded.
//!
//! Every way of going on leads to the next recorded stop, every way back to the one before. What the adapter said at a stop is found again by
//! request and arguments; what was not asked at the time is answered with "not recorded". Played at speed, it goes on by itself as the
//! program did, and stands as long as it was looked at, though never longer than [`LONGEST`].

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::watch;
use tokio::time::Instant;

use super::track::{Part, Track};
use super::{BACKWARDS, RESUMES, Recording, is_event, key};
use crate::dap::client::{Connection, connect_io};
use crate::dap::codec::{DapCodec, Item, encode_frame};
use crate::debugger::history::RecordedStop;
use crate::debugger::ids::StopId;
use crate::tasks;

/// The event by which a player says that a session comes out of the one it plays. Its body has the number of it in `track`.
pub const CHILD: &str = "omp_debug_child";
/// The event by which the player of the first session says that it cannot go on by itself any more.
pub const PLAYED: &str = "omp_debug_played";
/// The longest that nothing happens while it is played at speed 1; longer pauses are shortened to this.
const LONGEST: Duration = Duration::from_secs(3);
/// How long a stop lasts in a recording without times.
const USUAL: Duration = Duration::from_secs(1);

/// One session of a recording, to be played.
#[derive(Clone, Debug)]
pub struct Playback {
    recording: Arc<Recording>,
    track: usize,
    /// How fast all sessions of the recording go on by themselves; 0 = not at all.
    tempo: Arc<watch::Sender<u32>>,
    /// The stop this one is at, from 1; 0 before the first.
    at: Arc<AtomicUsize>,
}

impl Playback {
    /// The first session of a recording, from its beginning.
    pub fn new(recording: Arc<Recording>) -> Self {
        Self {
            recording,
            track: 0,
            tempo: Arc::new(watch::Sender::new(0)),
            at: Arc::default(),
        }
    }

    /// The same from its beginning.
    #[must_use]
    pub fn again(&self) -> Self {
        Self::new(Arc::clone(&self.recording))
    }

    /// A session that came out of this one; none when there is no such.
    pub fn child(&self, track: usize) -> Option<Self> {
        let parent = self.recording.track(track)?.parent?;
        (parent == self.track).then(|| Self {
            recording: Arc::clone(&self.recording),
            track,
            tempo: Arc::clone(&self.tempo),
            at: Arc::default(),
        })
    }

    fn track(&self) -> &Track {
        self.recording
            .track(self.track)
            .unwrap_or(&self.recording.root)
    }

    /// What is played, for people.
    pub fn name(&self) -> String {
        format!("recording of {}", self.track().adapter)
    }

    /// What was debugged.
    pub fn program(&self) -> &str {
        &self.track().program
    }

    /// At which of its stops it is, from 1.
    pub fn at(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.at)
    }

    /// All its stops; `id` gives each a number that no other stop has.
    pub fn stops(&self, id: impl FnMut() -> StopId) -> Vec<RecordedStop> {
        self.track().seen(id)
    }

    /// How fast all sessions of the recording go on by themselves: 1 = as it was, 0 = not at all.
    pub fn set_speed(&self, speed: u32) {
        self.tempo.send_replace(speed);
    }

    /// How fast it goes on by itself.
    pub fn speed(&self) -> u32 {
        *self.tempo.borrow()
    }

    /// Someone who plays it, and a connection to them.
    pub fn play(self) -> Connection {
        let (ours, theirs) = tokio::io::duplex(256 * 1024);
        let (read, write) = tokio::io::split(ours);
        let connection = connect_io(read, write, &self.name());
        self.at.store(0, Ordering::Relaxed);
        tasks::spawn(async move {
            let mut player = Player {
                tempo: self.tempo.subscribe(),
                playback: self,
                stream: theirs,
                seq: 0,
                part: 0,
                told: None,
                furthest: 0,
                started: None,
                begun: false,
                due: None,
                is_out: false,
                over: false,
            };
            // Ends when the other side closes.
            let _ = player.run().await;
        });
        connection
    }
}

/// Plays a session to one client.
struct Player {
    playback: Playback,
    tempo: watch::Receiver<u32>,
    stream: DuplexStream,
    seq: i64,
    /// Where in the recording we are.
    part: usize,
    /// How many events of the part were told; none before anything runs, and when all are.
    told: Option<usize>,
    /// How far we have been: what was printed and loaded until there is told once.
    furthest: usize,
    /// The request that started it, which is answered after the configuration.
    started: Option<Value>,
    /// The configuration is over.
    begun: bool,
    /// When it goes on by itself.
    due: Option<Instant>,
    /// It was to go on by itself, and there is nothing more.
    is_out: bool,
    over: bool,
}

/// What a player wakes up for.
enum Woken {
    Read(io::Result<usize>),
    Tempo,
    Due,
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
            if std::mem::take(&mut self.is_out) {
                self.event(PLAYED, json!({})).await?;
            }
            let due = self.due;
            let woken = tokio::select! {
                read = self.stream.read_buf(&mut buffer) => Woken::Read(read),
                // The sender is ours as well, so that it never ends.
                _ = self.tempo.changed() => Woken::Tempo,
                () = until(due) => Woken::Due,
            };
            match woken {
                Woken::Read(read) => {
                    if read? == 0 {
                        return Ok(());
                    }
                }
                Woken::Tempo => self.tempo_changed().await?,
                Woken::Due => self.go_on().await?,
            }
        }
    }

    fn current(&self) -> Option<&Part> {
        self.playback.track().parts.get(self.part)
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
                self.begun = true;
                self.begin_part().await
            }
            "pause" => {
                self.answer(&request, json!({})).await?;
                self.finish_part().await
            }
            back if BACKWARDS.contains(&back) => self.back(&request).await,
            resume if RESUMES.contains(&resume) => {
                self.finish_part().await?;
                self.part += 1;
                self.answer(&request, json!({ "allThreadsContinued": true }))
                    .await?;
                self.begin_part().await
            }
            "disconnect" | "terminate" => {
                self.due = None;
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
        let mut body = self.playback.track().capabilities.clone();
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
        self.finish_part().await?;
        let parts = &self.playback.track().parts;
        let before = parts.get(..self.part).unwrap_or_default();
        let Some(part) = before.iter().rposition(Part::stops) else {
            return self
                .refuse(request, "this is the first stop of the recording")
                .await;
        };
        self.part = part;
        self.answer(request, json!({})).await?;
        self.begin_part().await
    }

    /// What the same request was answered whenever it was asked.
    fn recalled(&self, request: &Value) -> Option<Value> {
        let command = request.get("command").and_then(Value::as_str)?;
        let key = key(command, request.get("arguments"));
        let mut parts = self.playback.track().parts.iter();
        parts.find_map(|part| part.answers.get(&key)).cloned()
    }

    async fn look_up(&mut self, command: &str, request: &Value) -> io::Result<()> {
        let found = self
            .current()
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

    /// The program runs towards the end of the part: by hand it is there at once.
    async fn begin_part(&mut self) -> io::Result<()> {
        self.told = Some(0);
        if self.playback.speed() == 0 {
            self.finish_part().await
        } else {
            self.plan();
            Ok(())
        }
    }

    /// What is still to be told of what happened until the next stop; past the last part the program has ended.
    async fn finish_part(&mut self) -> io::Result<()> {
        while self.told.is_some() {
            self.tell().await?;
        }
        self.plan();
        Ok(())
    }

    /// Tells the next thing that happened. Where we have been already only the stop is told.
    async fn tell(&mut self) -> io::Result<()> {
        let Some(told) = self.told else { return Ok(()) };
        let is_new = self.part >= self.furthest;
        let Some(part) = self.current() else {
            self.told = None;
            return self.event("terminated", json!({})).await;
        };
        let ends = |event: &Value| is_event(event, "stopped") || is_event(event, "terminated");
        let decides = |event: &Value| ends(event) || is_event(event, "exited");
        let born = part.children.iter().filter(|(after, _)| *after == told);
        let born: Vec<usize> = born.map(|(_, child)| *child).collect();
        let next = part.events.get(told).cloned();
        let is_complete = part.events.iter().any(ends);
        if is_new {
            for track in born {
                self.event(CHILD, json!({ "track": track })).await?;
            }
        }
        match next {
            Some(event) if is_new || decides(&event) => {
                if is_event(&event, "stopped") {
                    self.arrive();
                }
                self.told = Some(told + 1);
                self.write(event).await
            }
            Some(_) => {
                self.told = Some(told + 1);
                Ok(())
            }
            None => {
                self.told = None;
                self.furthest = self.furthest.max(self.part + 1);
                if is_complete {
                    Ok(())
                } else {
                    self.event("terminated", json!({})).await
                }
            }
        }
    }

    /// The next stop is reached.
    fn arrive(&self) {
        let parts = self.playback.track().parts.iter();
        let stops = parts.take(self.part + 1).filter(|part| part.stops());
        self.playback.at.store(stops.count(), Ordering::Relaxed);
    }

    async fn tempo_changed(&mut self) -> io::Result<()> {
        self.tempo.mark_unchanged();
        if self.playback.speed() == 0 && self.told.is_some() {
            return self.finish_part().await;
        }
        self.plan();
        Ok(())
    }

    /// When the next thing happens by itself.
    fn plan(&mut self) {
        let speed = self.playback.speed();
        let parts = &self.playback.track().parts;
        let wait = match (self.told, self.current()) {
            _ if speed == 0 || !self.begun => None,
            (Some(told), Some(part)) => {
                let time = |at: usize| part.times.get(at).copied().flatten();
                let before = match told.checked_sub(1) {
                    Some(before) => time(before),
                    None => part.began,
                };
                let wait = time(told).zip(before);
                Some(wait.map_or(Duration::ZERO, |(to, from)| between(from, to)))
            }
            (Some(_), None) => Some(Duration::ZERO),
            // It stands, and there is more.
            (None, Some(part)) if part.stops() => {
                let next = parts.get(self.part + 1);
                let times = next.and_then(|next| next.began).zip(part.at);
                next.map(|_| times.map_or(USUAL, |(to, from)| between(from, to)))
            }
            (None, _) => None,
        };
        self.is_out = wait.is_none() && speed > 0 && self.begun && self.playback.track == 0;
        self.due = wait.map(|wait| Instant::now() + wait.min(LONGEST) / speed.max(1));
    }

    /// It is time for the next thing.
    async fn go_on(&mut self) -> io::Result<()> {
        if self.told.is_none() {
            let body = json!({ "threadId": 0, "allThreadsContinued": true });
            self.event("continued", body).await?;
            self.part += 1;
            self.told = Some(0);
        } else {
            self.tell().await?;
        }
        self.plan();
        Ok(())
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

fn between(from: u64, to: u64) -> Duration {
    Duration::from_millis(to.saturating_sub(from))
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
