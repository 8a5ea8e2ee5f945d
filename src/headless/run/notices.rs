//! What is told as it happens: that the program runs, what it prints, what adapters make of breakpoints.

use debugger::{
    BreakpointAnswer, BreakpointId, BreakpointSite, Console, Outcome, OutputChunk, SessionId,
    data::parts::cell, pending_breakpoints,
};
use serde_json::json;

use super::{
    events::{Output, ProcessLaunched, Recorded},
    input,
    logpoints::place,
    prelude::*,
};

/// Output that is told in one event.
const OUTPUT_PIECE: usize = 64 * 1024;

impl Runner {
    pub(super) fn child_name(&self, id: SessionId) -> Option<String> {
        (self.root != Some(id)).then(|| id.to_string())
    }

    /// Whether it is the first program's session, or one of a process that this started; others were started beside it.
    pub(super) fn is_own(&self, id: SessionId) -> bool {
        self.root == Some(self.state.root_of(id))
    }

    /// Says that the program runs. Once; `now`: even when its process is not known.
    pub(super) async fn tell_launched(&mut self, now: bool) {
        let root = self.root.and_then(|id| self.state.session(id));
        let begins = self.launched.is_none() && !self.start_failed;
        let Some(root) = root.filter(|_| begins) else {
            return;
        };
        // The number of a process that is attached to is known before anybody has got hold of it.
        let stands = self
            .state
            .sessions
            .iter()
            .any(|s| s.current_stop().is_some());
        if root.kind == StartKind::Attach && self.launching.is_some() && !stands {
            return;
        }
        let mut own = self.state.sessions.iter().filter(|s| self.is_own(s.id));
        let known = own.find(|s| s.pid.is_some());
        // One that we start ourselves is known before its adapter.
        let is_early = root.adapter.is_empty() && root.phase != Phase::Terminated;
        if is_early || known.is_none() && !now {
            return;
        }
        let event = ProcessLaunched {
            pid: known.and_then(|s| s.pid),
            name: known.and_then(|s| s.process_name.clone()),
            adapter: root.adapter.clone(),
            attached: root.kind == StartKind::Attach,
        };
        let now = self.printer.tally.elapsed_ms();
        self.launched = Some(self.started.unwrap_or(now));
        self.tell(Event::ProcessLaunched(event)).await;
        self.tell_unread().await;
    }

    /// Whether what is piped into us may be typed into a terminal: no file was named for it.
    pub(super) fn types_input(&self) -> bool {
        let mut starts = self.options.starts.iter();
        starts.any(|command| matches!(command, Command::Launch(spec) if spec.stdin.is_none()))
    }

    /// Says that the program does not get what is piped into us, once there is something.
    pub(super) async fn tell_unread(&mut self) {
        let mut starts = self.options.starts.iter();
        let has_terminal = starts.any(
            |command| matches!(command, Command::Launch(spec) if spec.console == Console::Pty),
        );
        let is_read = self.fed.is_some() || has_terminal || !self.types_input();
        if !is_read && !self.told_unread && input::is_unread() {
            self.told_unread = true;
            let text = "The program does not read what is piped into run.";
            let hint = "--stdin - gives it to the program; --console pty types it into a terminal";
            self.warn(text.to_owned(), hint).await;
        }
    }

    pub(super) async fn printed(&mut self, session: SessionId, chunks: &[OutputChunk]) {
        if let Some(fed) = &self.fed {
            fed.heard(chunks);
        }
        let mut waiting: Option<Output> = None;
        for chunk in chunks {
            if chunk.text.is_empty() && chunk.lost_before == 0 {
                continue;
            }
            if self.launched.is_none() && matches!(chunk.category.as_str(), "stdout" | "stderr") {
                // Before the program runs it is a compiler that prints, for example.
                let phase = self.state.session(session).map(|s| s.phase);
                let begun = matches!(phase, Some(Phase::Running | Phase::Stopped));
                self.tell_launched(begun && self.is_own(session)).await;
            }
            let logged = self.logpoints.iter().find_map(|l| l.take(chunk));
            if let Some(mut logged) = logged {
                if let Some(before) = waiting.take() {
                    self.tell_output(session, before).await;
                }
                logged.session = self.child_name(session);
                self.reckoning.hits.insert(logged.id);
                logged.message = self.clean(None, logged.message);
                self.tell(Event::Logpoint(logged)).await;
                continue;
            }
            match &mut waiting {
                Some(w)
                    if w.category == chunk.category
                        && chunk.lost_before == 0
                        && w.text.len() + chunk.text.len() <= OUTPUT_PIECE =>
                {
                    w.text.push_str(&chunk.text);
                }
                _ => {
                    let next = Output {
                        category: chunk.category.clone(),
                        text: chunk.text.clone(),
                        lost_bytes: chunk.lost_before,
                        session: self.child_name(session),
                    };
                    if let Some(before) = waiting.replace(next) {
                        self.tell_output(session, before).await;
                    }
                }
            }
        }
        if let Some(last) = waiting {
            self.tell_output(session, last).await;
        }
    }

    async fn tell_output(&mut self, session: SessionId, mut output: Output) {
        if self.options.output_events {
            let Output { category, text, .. } = &output;
            output.text = self.hidden.at_once(session, category, text);
            if !output.text.is_empty() || output.lost_bytes > 0 {
                self.tell(Event::Output(output)).await;
            }
        }
    }

    /// A breakpoint recorded something.
    pub(super) async fn recorded(&mut self, session: SessionId, row: &debugger::records::Recorded) {
        self.reckoning.hits.insert(row.breakpoint.0);
        let values = row.values.iter().map(|(name, value)| match value {
            Outcome::Value(text) => (name.clone(), cell(&self.clean(Some(name), text.clone()))),
            Outcome::Error(why) => (
                name.clone(),
                json!({ "error": self.clean(None, why.clone()) }),
            ),
        });
        let told = Recorded {
            id: row.breakpoint.0,
            number: row.number,
            time: row.at as f64 / 1e6,
            thread_id: row.thread_id,
            thread: row.thread.clone(),
            values: values.collect(),
            stack: row.stack.to_vec(),
            skipped: row.skipped,
            session: self.child_name(session),
        };
        self.tell(Event::Recorded(Box::new(told))).await;
    }

    /// An adapter said what it made of a breakpoint.
    pub(super) async fn answered(
        &mut self,
        id: BreakpointId,
        session: SessionId,
        answer: &BreakpointAnswer,
    ) {
        if self.is_for_failures(id) {
            return;
        }
        let Some(state) = self.breakpoint_state(id, session, answer) else {
            return;
        };
        let event = match self.breakpoints_told.get(&id) {
            None => Event::BreakpointSet,
            Some((who, told)) => {
                let news = told.verified != state.verified
                    || told.line != state.line
                    || told.message != state.message;
                // One session has it: what others say does not take that back.
                let worse = told.verified && !state.verified && *who != session;
                if !news || worse {
                    return;
                }
                Event::BreakpointChanged
            }
        };
        self.breakpoints_told.insert(id, (session, state.clone()));
        self.tell(event(state.clone())).await;
        self.warn_moved(&state).await;
    }

    fn breakpoint_state(
        &self,
        id: BreakpointId,
        session: SessionId,
        answer: &BreakpointAnswer,
    ) -> Option<BreakpointState> {
        let breakpoint = self.state.breakpoint(id)?;
        let (file, line) = place(&breakpoint.site).unzip();
        let function = match &breakpoint.site {
            BreakpointSite::Function { name } => Some(name.clone()),
            _ => None,
        };
        let known = self.state.session(session);
        let actual = answer.line.filter(|_| answer.verified && line.is_some());
        Some(BreakpointState {
            id: id.0,
            file,
            line: actual.or(line),
            requested_line: line.filter(|line| actual.is_some_and(|actual| actual != *line)),
            function,
            verified: answer.verified,
            condition: breakpoint.condition.clone(),
            hit_condition: breakpoint.hit_condition.clone(),
            log_message: breakpoint.log_message.clone(),
            record: breakpoint.record.as_ref().map(ToString::to_string),
            message: answer.message.clone(),
            diagnosis: known
                .filter(|_| !answer.verified)
                .map(|s| pending_breakpoints::why(breakpoint, s, answer.message.as_deref())),
            session: self.child_name(session),
        })
    }
}
