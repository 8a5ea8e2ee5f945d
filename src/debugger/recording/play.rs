//! Plays one session of a recording: speaks DAP to one client, as the adapter did that was recorded.
//!
//! All sessions of a recording go by one clock (`timeline`): every way of going on leads to the next stop that any of them had, every way
//! back to the one before, and each tells of itself what happened until then. What the adapter said at a stop is found again by
//! request and arguments; what was not asked at the time is answered with "not recorded". Played at speed, it goes on by itself as the
//! programs did, and stands as long as it was looked at, within bounds.

use dap::{
    client::{Connection, connect_io},
    codec::DapCodec,
    message::Request,
    server::{Frames, Out},
};
use futures_util::future::OptionFuture;
use tokio::time::sleep_until;

use super::{
    format::{BACKWARDS, RESUMES, is_event, key},
    playback::Playback,
    seen,
    timeline::{MomentKind, Now, has_passed},
    track::Part,
};
use crate::prelude::*;

/// The event by which the player of the first session tells which others there are. Its body has the number of one in `track`.
pub const CHILD: &str = "omp_debug_child";
/// The event by which a player says whether there is a living program in its session now: its body has that in `lives`, and comes when a
/// session begins, and when time goes back to before its beginning or its end.
pub const LIFE: &str = "omp_debug_life";
/// The event by which the player of the first session says that it cannot go on by itself any more.
pub const PLAYED: &str = "omp_debug_played";
/// Why there is no going back.
const FIRST: &str = "this is the first stop of the recording";

impl Playback {
    /// Someone who plays it, and a connection to them.
    pub fn play(self) -> Connection {
        let (ours, theirs) = tokio::io::duplex(256 * 1024);
        let (read, write) = tokio::io::split(ours);
        let connection = connect_io(read, write, &self.name());
        self.at.store(0, Ordering::Relaxed);
        let (read, write) = tokio::io::split(theirs);
        let requests = Frames::new(read, DapCodec::client());
        tasks::spawn(async move {
            let mut player = Player {
                now: self.clock.now.subscribe(),
                tempo: self.clock.tempo.subscribe(),
                playback: self,
                out: Out::over(write),
                told: 0,
                furthest: 0,
                part: 0,
                life: Life::default(),
                started: None,
                begun: false,
                due: None,
                is_out: false,
                over: false,
            };
            player.run(requests).await;
        });
        connection
    }
}

/// What a session is like at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Life {
    /// The part at whose stop it stands.
    stands: Option<usize>,
    has_begun: bool,
    /// Its program has exited.
    has_exited: bool,
    /// It is over.
    has_ended: bool,
}

/// Plays a session to one client.
struct Player {
    playback: Playback,
    now: watch::Receiver<Now>,
    tempo: watch::Receiver<u32>,
    out: Out,
    /// How many of the session's own moments were told.
    told: usize,
    /// How many have ever been: what was printed and loaded until there is told once.
    furthest: usize,
    /// The part of the session that the last of them is in.
    part: usize,
    life: Life,
    /// The request that started it, which is answered after the configuration.
    started: Option<Request>,
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
    Asked(Option<Request>),
    Now,
    Tempo,
    Due,
}

impl Player {
    /// Ends when the other side closes.
    async fn run(&mut self, mut requests: Frames<impl AsyncRead + Unpin>) {
        while !self.over {
            if mem::take(&mut self.is_out) {
                self.out.event(PLAYED, json!({})).await;
            }
            let due = self.due;
            let woken = tokio::select! {
                request = requests.request() => Woken::Asked(request),
                // The senders are ours as well, so that they never end.
                _ = self.now.changed() => Woken::Now,
                _ = self.tempo.changed() => Woken::Tempo,
                Some(()) = OptionFuture::from(due.map(sleep_until)) => Woken::Due,
            };
            match woken {
                Woken::Asked(Some(request)) => self.request(request).await,
                Woken::Asked(None) => return,
                Woken::Now => self.follow().await,
                Woken::Tempo => {
                    self.tempo.mark_unchanged();
                    self.plan();
                }
                Woken::Due => {
                    self.playback.tick();
                    self.follow().await;
                }
            }
        }
    }

    fn current(&self) -> Option<&Part> {
        self.playback.track().parts.get(self.part)
    }

    async fn request(&mut self, request: Request) {
        match request.command.as_str() {
            "initialize" => {
                let body = self.capabilities();
                self.answer(&request, body).await;
                self.out.event("initialized", json!({})).await;
            }
            "launch" | "attach" => self.started = Some(request),
            "setBreakpoints" | "setFunctionBreakpoints" => {
                let recalled = self.recalled(&request);
                if recalled.is_some() {
                    return self.answer_again(&request, recalled).await;
                }
                let arguments = request.arguments.value();
                let wished = arguments.get("breakpoints").and_then(Value::as_array);
                let placed = wished
                    .into_iter()
                    .flatten()
                    .map(|_| json!({ "verified": false, "message": "not recorded" }));
                let placed: Vec<_> = placed.collect();
                self.answer(&request, json!({ "breakpoints": placed }))
                    .await;
            }
            "setExceptionBreakpoints" => self.answer(&request, json!({})).await,
            "configurationDone" => {
                self.answer(&request, json!({})).await;
                if let Some(start) = self.started.take() {
                    self.answer(&start, json!({})).await;
                }
                self.begin().await;
            }
            back if BACKWARDS.contains(&back) => {
                if self.playback.back() {
                    self.answer(&request, json!({})).await;
                    self.follow().await;
                } else {
                    self.refuse(&request, FIRST).await;
                }
            }
            resume if resume == "pause" || RESUMES.contains(&resume) => {
                self.playback.forward();
                self.answer(&request, json!({ "allThreadsContinued": true }))
                    .await;
                self.follow().await;
            }
            "disconnect" | "terminate" => {
                self.due = None;
                self.answer(&request, json!({})).await;
                self.over = request.command == "disconnect";
                if !self.over {
                    self.out.event("terminated", json!({})).await;
                }
            }
            _ => self.look_up(&request).await,
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

    /// What the same request was answered whenever it was asked.
    fn recalled(&self, request: &Request) -> Option<Value> {
        let key = key_of(request);
        let mut parts = self.playback.track().parts.iter();
        parts.find_map(|part| part.answers.get(&key)).cloned()
    }

    async fn look_up(&self, request: &Request) {
        let key = key_of(request);
        let found = match request.command.as_str() {
            "threads" => self.playback.track().answer_near(self.part, &key),
            _ => self.current().and_then(|part| part.answers.get(&key)),
        };
        let found = found
            .cloned()
            .or_else(|| self.first_parts(request))
            .or_else(|| self.same_expression(request));
        self.answer_again(request, found).await;
    }

    /// All parts of a value, or as many as are asked for, where they were asked for in another way: for its line, say.
    fn first_parts(&self, request: &Request) -> Option<Value> {
        let asked = request.arguments.value();
        let first = |of: &Value| of.integer_of("start").unwrap_or(0) == 0;
        if request.command != "variables" || !first(&asked) {
            return None;
        }
        let fits = |(told, answer): &(Value, &Value)| {
            let came = answer.pointer("/body/variables").and_then(Value::as_array);
            let came = came.map_or(0, |came| came.len() as i64);
            let whole = told.integer_of("count").is_none_or(|count| came < count);
            let same = |name| told.get(name) == asked.get(name);
            first(told) && same("variablesReference") && same("filter") && whole
        };
        let mut answers = seen::asked(self.current()?, "variables");
        answers.find(fits).map(|(_, answer)| answer.clone())
    }

    /// What an expression was answered in the same frame, asked for in another place: as a watch, or by `-e`.
    fn same_expression(&self, request: &Request) -> Option<Value> {
        if request.command != "evaluate" {
            return None;
        }
        let asked = request.arguments.value();
        let fits = |(told, _): &(Value, &Value)| {
            let same = |name| told.get(name) == asked.get(name);
            same("expression") && same("frameId")
        };
        let mut answers = seen::asked(self.current()?, "evaluate");
        answers.find(fits).map(|(_, answer)| answer.clone())
    }

    async fn answer_again(&self, request: &Request, found: Option<Value>) {
        let Some(mut response) = found else {
            return self.refuse(request, "not recorded").await;
        };
        if let Some(fields) = response.as_object_mut() {
            fields.put("request_seq", request.seq);
        }
        self.out.message(response).await;
    }

    async fn refuse(&self, request: &Request, why: &str) {
        let refused = Err(why.to_owned());
        self.out
            .answer(request.seq, &request.command, refused)
            .await;
    }

    /// The program runs: the first session takes all others with it. By hand it is at the first stop at once.
    async fn begin(&mut self) {
        self.begun = true;
        if self.playback.track == 0 {
            for track in 1..=self.playback.recording.children.len() {
                self.out.event(CHILD, json!({ "track": track })).await;
            }
            self.life.has_begun = true;
            if self.playback.speed() == 0 && self.playback.now() == Now::default() {
                self.playback.forward();
            }
        }
        self.follow().await;
    }

    /// Tells what happened until now.
    async fn follow(&mut self) {
        let now = *self.now.borrow_and_update();
        if !self.begun {
            return;
        }
        let own = self
            .playback
            .recording
            .score
            .of_track
            .get(self.playback.track);
        let goal = own.map_or(0, |own| own.partition_point(|moment| *moment < now.passed));
        if goal < self.told {
            self.back_to(goal, now).await;
        }
        while self.told < goal {
            self.tell().await;
        }
        if now.over && !self.life.has_ended {
            self.life = Life {
                stands: None,
                has_begun: true,
                has_exited: true,
                has_ended: true,
            };
            self.out.event("terminated", json!({})).await;
        }
        self.plan();
    }

    /// One of the session's own moments: its part, and what it is.
    fn moment(&self, own: usize) -> Option<(usize, MomentKind)> {
        let score = &self.playback.recording.score;
        let index = score.of_track.get(self.playback.track)?.get(own)?;
        let moment = score.moments.get(*index)?;
        Some((moment.part, moment.what))
    }

    fn event_of(&self, part: usize, event: usize) -> Option<&Value> {
        self.playback.track().parts.get(part)?.events.get(event)
    }

    /// Tells the next thing that happened. Where we have been already only what the session is like is told.
    async fn tell(&mut self) {
        let Some((part, what)) = self.moment(self.told) else {
            self.told += 1;
            return;
        };
        self.part = part;
        let is_new = self.told >= self.furthest;
        self.told += 1;
        self.furthest = self.furthest.max(self.told);
        match what {
            MomentKind::Born => {
                self.life.has_begun = true;
                self.out.event(LIFE, json!({ "lives": true })).await;
            }
            MomentKind::Goes => {
                if self.life.stands.take().is_some() {
                    self.goes_on().await;
                }
            }
            MomentKind::Event(event) => {
                let Some(event) = self.event_of(part, event).cloned() else {
                    return;
                };
                let is = |name| is_event(&event, name);
                let decides = ["stopped", "continued", "exited", "terminated"];
                if is("stopped") {
                    self.life.stands = Some(part);
                    self.arrive();
                } else if is("exited") || is("terminated") {
                    self.life.has_exited = true;
                    self.life.has_ended |= is("terminated");
                } else if is("continued") {
                    self.life.stands = None;
                }
                if is_new || decides.into_iter().any(is) {
                    self.out.message(event).await;
                }
            }
        }
    }

    /// Time went back: tells what is otherwise than it was a moment ago.
    async fn back_to(&mut self, goal: usize, now: Now) {
        let was = mem::take(&mut self.life);
        self.told = goal;
        self.part = goal
            .checked_sub(1)
            .and_then(|last| self.moment(last))
            .map_or(0, |(part, _)| part);
        let (track, score) = (self.playback.track, &self.playback.recording.score);
        self.life.has_begun = track == 0 || goal > 0;
        self.life.has_ended = has_passed(&score.ended, track, now.passed);
        self.life.has_exited = self.life.has_ended || has_passed(&score.exited, track, now.passed);
        let mut stopped = None;
        for own in (0..goal).rev() {
            let Some((part, what)) = self.moment(own) else {
                continue;
            };
            let event = match what {
                MomentKind::Born | MomentKind::Goes => break,
                MomentKind::Event(event) => self.event_of(part, event),
            };
            let is = |name| event.is_some_and(|event| is_event(event, name));
            if ["continued", "exited", "terminated"].into_iter().any(is) {
                break;
            }
            if is("stopped") {
                stopped = event.cloned().map(|event| (part, event));
                break;
            }
        }
        self.life.stands = stopped.as_ref().map(|(part, _)| *part);
        self.arrive();
        let revives =
            was.has_ended && !self.life.has_ended || was.has_exited && !self.life.has_exited;
        if revives || was.has_begun != self.life.has_begun {
            self.out
                .event(LIFE, json!({ "lives": self.life.has_begun }))
                .await;
        }
        match stopped {
            Some((_, stopped)) if was.stands != self.life.stands || revives => {
                self.out.message(stopped).await;
            }
            None if was.stands.is_some() && self.life.has_begun => self.goes_on().await,
            _ => {}
        }
    }

    async fn goes_on(&self) {
        let body = json!({ "threadId": 0, "allThreadsContinued": true });
        self.out.event("continued", body).await;
    }

    /// Counts the stops of its own that have come.
    fn arrive(&self) {
        let parts = self.playback.track().parts.iter();
        let before = parts.take(self.part).filter(|part| part.stops()).count();
        let here = before + usize::from(self.life.stands.is_some());
        self.playback.at.store(here, Ordering::Relaxed);
    }

    /// When the next thing happens by itself: the player of the first session sees to it for all.
    fn plan(&mut self) {
        self.due = None;
        if self.playback.track > 0 || !self.begun || self.playback.speed() == 0 {
            return;
        }
        match self.playback.due() {
            Some(wait) => self.due = Some(Instant::now() + wait),
            None => self.is_out = self.playback.at_end(),
        }
    }

    async fn answer(&self, request: &Request, body: Value) {
        self.out
            .answer(request.seq, &request.command, Ok(body))
            .await;
    }
}

/// As the recording's answers are found.
fn key_of(request: &Request) -> String {
    key(&request.command, Some(&request.arguments.value()))
}

#[cfg(test)]
mod tests;
