//! Whether the program runs: asked for whenever lldb gives a reason to, told once for each stop, each end.

use super::{Adapter, Outcome, arguments::arguments, placed::BreakpointKind, run::Phase};
use crate::prelude::*;

/// lldb stops a program for itself: while it is loaded, to step off a breakpoint. Seen in between, it stands for no reason.
/// How often it is looked at again before that is believed, and after how long.
const NO_REASON_LOOKS: u32 = 20;
const NO_REASON_PAUSE: Duration = Duration::from_millis(10);

/// What the helper says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct State {
    #[serde(rename = "state")]
    name: String,
    stop: i64,
    exit: i64,
    why: Option<String>,
    thread: i64,
    reason: String,
    description: Option<String>,
    hit: Vec<i64>,
    /// Other threads that stand at breakpoints, with the breakpoints.
    others: Vec<(i64, Vec<i64>)>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct StepArguments {
    thread_id: Option<i64>,
    granularity: Option<String>,
}

impl Adapter {
    /// Looks at the program, and tells what the core does not know yet.
    pub async fn look(&mut self) {
        if self.run.is_over() || self.run.phase == Phase::NotStarted {
            return;
        }
        let mut looks = NO_REASON_LOOKS;
        let state = loop {
            let Ok(told) = self.ask("state", json!({})).await else {
                return;
            };
            let Ok(state) = State::deserialize(&told) else {
                return;
            };
            let is_odd = state.reason == "none" && self.run.is_new(state.stop);
            if !is_odd || looks == 0 {
                break state;
            }
            looks -= 1;
            time::sleep(NO_REASON_PAUSE).await;
        };
        match state.name.as_str() {
            "stopped" | "crashed" | "suspended" if self.run.is_new(state.stop) => {
                self.stopped(state).await;
            }
            "exited" => self.ended(state.exit, state.why.as_deref()).await,
            "detached" | "unloaded" | "invalid" => self.left().await,
            _ => {}
        }
    }

    /// After a command somebody typed: it may have let the program go on.
    pub async fn look_after_typed(&mut self, printed: &str) {
        let resumed = printed
            .lines()
            .any(|line| line.starts_with("Process ") && line.trim_end().ends_with(" resuming"));
        if resumed && self.run.phase == Phase::Stopped {
            self.run.goes();
            self.wire
                .event("continued", json!({ "allThreadsContinued": true }))
                .await;
        }
        self.look().await;
    }

    async fn stopped(&mut self, state: State) {
        self.run.stands(state.stop);
        let pausing = mem::take(&mut self.run.pausing);
        let description = state.description.unwrap_or_default();
        let reason = match (state.reason.as_str(), pausing) {
            ("breakpoint", _) => self.reason_of(&state.hit),
            ("signal" | "other", true) => "pause",
            ("signal" | "exception", _) => "exception",
            ("step", _) => "step",
            ("data breakpoint", _) => "data breakpoint",
            _ => "entry",
        };
        if reason == "exception" {
            self.run.failure = Some((state.reason, description.clone()));
        }
        let body = json!({
            "reason": reason,
            "description": description,
            "text": (reason == "exception").then_some(&description),
            "threadId": state.thread,
            "allThreadsStopped": true,
            "hitBreakpointIds": state.hit,
        });
        self.wire.event("stopped", body).await;
        for (thread, hit) in &state.others {
            let body = json!({
                "reason": self.reason_of(hit),
                "threadId": thread,
                "preserveFocusHint": true,
                "allThreadsStopped": true,
                "hitBreakpointIds": hit,
            });
            self.wire.event("stopped", body).await;
        }
        self.tell_placed().await;
    }

    fn reason_of(&self, hit: &[i64]) -> &'static str {
        let mut kinds = hit.iter().filter_map(|id| self.breakpoints.kind(*id));
        kinds
            .next_back()
            .map_or("breakpoint", BreakpointKind::reason)
    }

    async fn ended(&mut self, code: i64, why: Option<&str>) {
        self.run.phase = Phase::Over;
        if let Some(streams) = self.streams.take() {
            streams.finish().await;
        }
        if let Some(why) = why.filter(|why| !why.is_empty()) {
            let body =
                json!({ "category": "console", "output": format!("The program ended: {why}\n") });
            self.wire.event("output", body).await;
        }
        self.wire.event("exited", json!({ "exitCode": code })).await;
        self.wire.event("terminated", json!({})).await;
    }

    /// The program is not lldb's any more.
    async fn left(&mut self) {
        self.run.phase = Phase::Over;
        self.wire.event("terminated", json!({})).await;
    }

    /// lldb is gone: the core sees the connection's end; what it said last is worth a line.
    pub async fn lldb_ended(&self, said: &str) {
        if !self.run.is_over() {
            let body = json!({ "category": "console", "output": format!("lldb has ended. It said last:\n{said}\n") });
            self.wire.event("output", body).await;
        }
    }

    /// One command that lets the program go on.
    pub async fn resume(&mut self, line: &str, body: Value) -> Outcome {
        let before = (self.run.phase, self.run.told);
        self.run.goes();
        match self.lldb.command(line).await {
            Ok(_) => Ok(body),
            Err(error) => {
                (self.run.phase, self.run.told) = before;
                Err(error.to_string())
            }
        }
    }

    pub async fn step(&mut self, how: &str, given: &Value) -> Outcome {
        let given: StepArguments = arguments(given)?;
        let by_instruction = given.granularity.as_deref() == Some("instruction");
        let command = match (how, by_instruction) {
            ("next", false) => "thread step-over",
            ("next", true) => "thread step-inst-over",
            ("stepIn", false) => "thread step-in",
            ("stepIn", true) => "thread step-inst",
            _ => "thread step-out",
        };
        let line = given.thread_id.map_or_else(
            || command.to_owned(),
            |thread| format!("{command} {thread}"),
        );
        self.resume(&line, json!({})).await
    }

    pub async fn pause(&mut self) -> Outcome {
        if self.run.phase == Phase::Running {
            self.run.pausing = true;
            self.lldb.command("process interrupt").await?;
        }
        Ok(json!({}))
    }

    pub fn exception_info(&self) -> Outcome {
        let (id, description) = self
            .run
            .failure
            .clone()
            .ok_or("the program did not stop for a failure")?;
        Ok(json!({ "exceptionId": id, "description": description, "breakMode": "always" }))
    }
}
