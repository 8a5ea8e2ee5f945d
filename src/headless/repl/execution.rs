//! Starting, going on, ending: everything after which the program is elsewhere, and the wait for it.

use std::pin::Pin;

use base::text::words;
use debugger::{AttachSpec, Console};
use futures_util::future::{OptionFuture, try_join_all};
use tokio::time::{Instant, sleep_until};

use super::{
    announce::Progress,
    editor::{Editor, EditorInput as Read},
    prelude::*,
    session::ReplEnd,
};
use crate::codes::INTERRUPTED;

/// After a stop or an end, how long what belongs to it may take to arrive.
const SETTLE: Duration = Duration::from_secs(2);
/// What is typed this soon after a command is meant for us: later it is the program's.
const TYPED_AHEAD: Duration = Duration::from_millis(250);

/// How long a script waits for a program to stop that was told to: some never do.
const PAUSE_PATIENCE: Duration = Duration::from_secs(10);

const PAUSE: Command = Command::Pause {
    session: None,
    thread: None,
    momentary: false,
};

type Answer = Pin<Box<dyn Future<Output = Result<Reply>> + Send>>;

/// How a wait for the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Went {
    /// It stands still again.
    Stopped,
    /// It is over.
    Ended,
    /// It runs on behind the prompt.
    Behind,
}

impl Repl {
    /// `run`, `start`
    pub(super) async fn run(&mut self, typed: &ParsedCommand) -> CommandResult {
        let Some(mut spec) = self.options.launch.clone() else {
            return Err("there is no program to run: begin with omp-debug repl PROGRAM".into());
        };
        if !typed.rest.is_empty() {
            let told = |what| {
                let how = "--stdin FILE gives it a file to read, where the adapter can";
                DebuggerError::usage(what).hint(how)
            };
            spec.args = words::arguments(&typed.rest).map_err(told)?;
            if spec.command.is_empty() {
                self.options.launch = Some(spec.clone());
            } else {
                spec.command.append(&mut spec.args);
            }
        }
        self.end_live().await?;
        self.fresh();
        let mut all = vec![Command::Launch(Box::new(spec))];
        all.extend(self.options.beside.iter().cloned());
        for command in &mut all {
            if let Command::Launch(spec) = command {
                let asked = spec.stop_on_entry.unwrap_or(false);
                spec.stop_on_entry = Some(asked || typed.row.verb == Verb::Start);
            }
        }
        self.go_all(all, typed.background, None).await.map(drop)
    }

    fn fresh(&mut self) {
        self.failed = false;
        self.ended_by_us = false;
        self.sources.clear();
        self.values.clear();
        self.listing = None;
    }

    /// Ends what runs, so that something else can be started.
    async fn end_live(&mut self) -> CommandResult {
        for session in self.state.live_roots() {
            self.ended_by_us = true;
            let session = Some(session);
            self.ask(Command::Terminate { session }).await?;
        }
        self.announce(true).await;
        Ok(())
    }

    /// `restart`
    pub(super) async fn restart(&mut self, typed: &ParsedCommand) -> CommandResult {
        if self.state.focused().is_none() {
            return self.run(typed).await;
        }
        self.ended_by_us = true;
        let focused = self.state.focus;
        self.go(Command::Restart { session: focused }, typed)
            .await?;
        self.fresh();
        Ok(())
    }

    /// `attach`
    pub(super) async fn attach(&mut self, typed: &ParsedCommand) -> CommandResult {
        let base = AttachSpec {
            cwd: Some(self.options.cwd.clone()),
            adapter: self.options.launch.as_ref().and_then(|l| l.adapter.clone()),
            core: None,
            program: None,
            ..self.options.attach.clone().unwrap_or_default()
        };
        let text = typed.rest.as_str();
        let wrong =
            || format!("{text:?} is nothing to attach to: write a process id, :PORT or HOST:PORT");
        let spec = match text.rsplit_once(':') {
            Some((host, port)) => AttachSpec {
                pid: None,
                host: (!host.is_empty()).then(|| host.to_owned()),
                port: Some(port.parse().ok().filter(|p| *p > 0).ok_or_else(wrong)?),
                ..base
            },
            None => AttachSpec {
                pid: Some(text.parse().ok().filter(|p| *p > 0).ok_or_else(wrong)?),
                host: None,
                port: None,
                ..base
            },
        };
        self.attach_to(spec, Vec::new()).await
    }

    pub(super) async fn attach_to(
        &mut self,
        spec: AttachSpec,
        beside: Vec<Command>,
    ) -> CommandResult {
        self.fresh();
        // What is left of a process does not run: it stands as soon as it is there.
        let runs = spec.core.is_none();
        let limit = (!runs).then(|| Instant::now() + PAUSE_PATIENCE);
        let mut all = vec![Command::Attach(Box::new(spec))];
        all.extend(beside);
        self.go_all(all, runs, limit).await?;
        self.announce(false).await;
        if runs && self.is_running() {
            let told = "Attached; the program runs. pause or Ctrl-C stops it.";
            self.out.say(Role::Muted, told);
        }
        Ok(())
    }

    /// `kill`, `detach`
    pub(super) async fn kill(&mut self, typed: &ParsedCommand) -> CommandResult {
        self.ended_by_us = true;
        let session = None;
        let command = match typed.row.verb {
            Verb::Detach => Command::Detach { session },
            _ => Command::Terminate { session },
        };
        self.ask(command).await?;
        self.settle_end().await;
        Ok(())
    }

    /// `stdin`
    pub(super) async fn stdin(&mut self, typed: &ParsedCommand) -> CommandResult {
        let text = format!("{}\n", typed.rest);
        self.expect_echo(&text);
        self.ask(Command::WriteStdin {
            session: None,
            text,
        })
        .await?;
        Ok(())
    }

    /// `continue`, `reverse-continue`, `restart-frame`
    pub(super) async fn resume(&mut self, typed: &ParsedCommand) -> CommandResult {
        let (session, thread, frame_id) = (None, None, None);
        let command = match typed.row.verb {
            Verb::ReverseContinue => Command::ReverseContinue { session, thread },
            Verb::RestartFrame => Command::RestartFrame { session, frame_id },
            _ => Command::Continue { session, thread },
        };
        self.go(command, typed).await
    }

    /// `step`, `next`, `stepi`, `nexti`, `finish`
    pub(super) async fn step(&mut self, typed: &ParsedCommand) -> CommandResult {
        let (kind, granularity) = match typed.row.verb {
            Verb::Next => (StepKind::Over, Granularity::Line),
            Verb::Finish => (StepKind::Out, Granularity::Line),
            Verb::StepInstruction => (StepKind::In, Granularity::Instruction),
            Verb::NextInstruction => (StepKind::Over, Granularity::Instruction),
            _ => (StepKind::In, Granularity::Line),
        };
        let mut left = parse::count(&typed.rest)? as usize;
        let (mut inner, mut goal) = (0, None);
        // Debuggers step out of the innermost frame only: out of another one it takes as many steps as there are frames within it,
        // or fewer, where the debugger leaves several at once.
        if kind == StepKind::Out {
            inner = self.stack(1).await.map_or(0, |(_, inner, _)| inner);
            if inner > 0 {
                left = left.saturating_add(inner);
                goal = self.depth().await.map(|depth| depth.saturating_sub(left));
            }
        }
        while left > 0 {
            left -= 1;
            let background = typed.background && (inner == 0 || left == 0);
            let went = self.one_step(kind, granularity, background).await?;
            if went != Went::Stopped || !self.stopped_by("step") {
                break;
            }
            if let Some(goal) = goal
                && self.depth().await.is_some_and(|depth| depth <= goal)
            {
                break;
            }
        }
        Ok(())
    }

    pub(super) async fn one_step(
        &mut self,
        kind: StepKind,
        granularity: Granularity,
        background: bool,
    ) -> Result<Went> {
        let command = Command::Step {
            session: None,
            thread: None,
            kind,
            granularity,
        };
        self.go_all(vec![command], background, None).await
    }

    fn stopped_by(&self, reason: &str) -> bool {
        self.stop().is_some_and(|s| s.reason == reason)
    }

    /// `until`: a line that is named, or one further down in this function.
    pub(super) async fn until(&mut self, typed: &ParsedCommand) -> CommandResult {
        if !typed.rest.is_empty() {
            let (path, line) = self.place_of(&typed.rest).await?;
            let command = Command::RunTo {
                session: None,
                path,
                line,
            };
            return self.go(command, typed).await;
        }
        let place = |repl: &Self| -> Result<(String, i64, usize)> {
            let session = repl.stopped()?;
            let frame = session.current_frame();
            let depth = session
                .current_stop()
                .and_then(|s| s.stacks.get(&s.selected?.thread_id))
                .map_or(0, |s| s.frames.len());
            Ok(frame.map_or_else(Default::default, |f| (f.name.clone(), f.line, depth)))
        };
        let (name, line, depth) = place(self)?;
        loop {
            let went = self
                .one_step(StepKind::Over, Granularity::Line, false)
                .await?;
            if went != Went::Stopped || !self.stopped_by("step") {
                return Ok(());
            }
            let now = place(self)?;
            if now.0 != name || now.2 < depth || now.1 > line {
                return Ok(());
            }
        }
    }

    /// `pause`
    pub(super) async fn interrupt(&mut self, _: &ParsedCommand) -> CommandResult {
        self.pause().await
    }

    /// The same, and Ctrl-C at the prompt.
    pub(super) async fn pause(&mut self) -> CommandResult {
        let focused = self.state.focused();
        if focused.is_some_and(|s| s.phase == Phase::Stopped) {
            return Ok(());
        }
        let limit = Instant::now() + PAUSE_PATIENCE;
        let went = self.go_all(vec![PAUSE], false, Some(limit)).await?;
        if went != Went::Behind || Instant::now() < limit {
            return Ok(());
        }
        let seconds = PAUSE_PATIENCE.as_secs();
        Err(format!("the program has not stopped in {seconds} s and runs on: hang says what it waits for, wait waits on").into())
    }

    /// Asks for a pause while a line is being read; the stop is told above it.
    pub(super) fn pause_behind(&self) {
        if self.is_running() {
            let asked = self.core.request(PAUSE);
            tasks::spawn(async move {
                if let Err(error) = asked.await {
                    tracing::debug!(%error, "no pause");
                }
            });
        }
    }

    /// `wait`
    pub(super) async fn wait(&mut self, _: &ParsedCommand) -> CommandResult {
        if self.is_running() {
            let nothing: Answer = Box::pin(async { Ok(Reply::Done) });
            self.follow(nothing, (self.told.stop, None), false, None)
                .await?;
            if let Some(editor) = &mut self.editor {
                editor.quiet();
            }
            self.announce(true).await;
        }
        Ok(())
    }

    /// Asks for something that makes the program go, and waits for what comes of it; in the background only for the answer.
    pub(super) async fn go(&mut self, command: Command, typed: &ParsedCommand) -> CommandResult {
        self.go_all(vec![command], typed.background, None)
            .await
            .map(drop)
    }

    /// As [`Self::go`], for several at once; tells how it went.
    async fn go_all(
        &mut self,
        commands: Vec<Command>,
        background: bool,
        limit: Option<Instant>,
    ) -> Result<Went> {
        let since = self.newest_stop();
        let whose = self.state.focused().filter(|s| s.phase.is_live());
        let whose = whose.map(|session| session.id);
        let asked: Vec<_> = commands.into_iter().map(|c| self.core.request(c)).collect();
        let answer: Answer = Box::pin(async { try_join_all(asked).await.map(|_| Reply::Done) });
        let went = self.follow(answer, (since, whose), background, limit).await;
        if let Some(editor) = &mut self.editor {
            editor.quiet();
        }
        if went.is_err() {
            // The trouble says what the end of it would say again.
            let over = self.state.sessions.iter();
            let over = over.filter(|s| s.phase == Phase::Terminated).map(|s| s.id);
            self.told_ends.extend(over);
        }
        if went != Ok(Went::Behind) {
            self.announce(true).await;
        }
        if let Some(session) = self.stands_elsewhere(since, whose) {
            self.announce_stop(session).await;
        }
        went
    }

    /// The session that is meant now, when the one that was meant has ended and this one has stood still since before.
    fn stands_elsewhere(&self, since: StopId, whose: Option<SessionId>) -> Option<SessionId> {
        let whose = self.state.session(whose?)?;
        let now = self.state.focused()?;
        let stop = now.current_stop()?;
        let is_so = whose.phase == Phase::Terminated && now.id != whose.id && stop.id <= since;
        is_so.then_some(now.id)
    }

    /// A program's terminal says what it is given again, a pipe does not.
    fn expect_echo(&mut self, text: &str) {
        let launch = self.options.launch.as_ref();
        if launch.is_some_and(|l| l.console == Console::Pty) {
            self.out.expect_echo(text);
        }
    }

    async fn follow(
        &mut self,
        mut answer: Answer,
        (since, whose): (StopId, Option<SessionId>),
        background: bool,
        limit: Option<Instant>,
    ) -> Result<Went> {
        let mut answered = false;
        let mut pausing: Option<Answer> = None;
        let mut asked_to_pause = false;
        let mut ours: Option<Answer> = None;
        let mut hand_over = Some(Instant::now() + TYPED_AHEAD).filter(|_| self.editor.is_some());
        let mut deadline: Option<Instant> = None;
        loop {
            if answered && background {
                return Ok(Went::Behind);
            }
            let (progress, over) = (self.progress(since), self.no_more());
            if answered {
                if progress == Progress::Whole {
                    return Ok(Went::Stopped);
                }
                // Nothing else will happen: what is left stands still already.
                if self.stands_elsewhere(since, whose).is_some() {
                    return Ok(Went::Stopped);
                }
                if over && self.all_over() {
                    return Ok(Went::Ended);
                }
            }
            if deadline.is_none() && answered && (over || progress == Progress::Begun) {
                deadline = Some(Instant::now() + SETTLE);
            }
            // Whether its input is ours to write to is asked when it is time, and again when the program has become one.
            if self.editor.is_some() && hand_over.is_none() && ours.is_none() && self.begun {
                self.begun = false;
                let (session, text) = (None, String::new());
                ours = Some(Box::pin(
                    self.core.request(Command::WriteStdin { session, text }),
                ));
            }
            self.out.flush();
            if self.out.is_broken() {
                return Ok(Went::Behind);
            }
            tokio::select! {
                biased;
                caught = self.signals.next() => match caught {
                    INTERRUPTED if self.editor.is_some() => {
                        // The terminal wrote `^C`. A script that was read in is not gone on with.
                        self.out.line("");
                        self.waiting.clear();
                        if asked_to_pause {
                            self.out.line("It does not stop: it runs on behind the prompt.");
                            return Ok(Went::Behind);
                        }
                        asked_to_pause = true;
                        pausing = Some(Box::pin(self.core.request(PAUSE)));
                    }
                    code => {
                        self.ending = Some(ReplEnd::Code(code));
                        return Ok(Went::Behind);
                    }
                },
                reply = &mut answer, if !answered => {
                    self.drain();
                    reply?;
                    answered = true;
                }
                Some(reply) = OptionFuture::from(pausing.as_mut()) => {
                    pausing = None;
                    if let Err(error) = reply {
                        asked_to_pause = false;
                        self.tell(&error);
                    }
                }
                Some(reply) = OptionFuture::from(ours.as_mut()) => {
                    ours = None;
                    if reply.is_ok() && let Some(editor) = &mut self.editor {
                        editor.program();
                    }
                }
                events = self.events.next() => match events {
                    Some(events) => self.take(events),
                    None => return Err("The debugger core has ended.".into()),
                },
                Some(typed) = OptionFuture::from(self.editor.as_mut().map(Editor::next)) => {
                    if let Some(Read::Program(text)) = typed {
                        self.expect_echo(&text);
                        drop(self.core.request(Command::WriteStdin { session: None, text }));
                    }
                }
                Some(()) = OptionFuture::from(hand_over.map(sleep_until)) => {
                    hand_over = None;
                    self.begun = true;
                }
                Some(()) = OptionFuture::from(limit.map(sleep_until)), if progress == Progress::None => {
                    return Ok(Went::Behind);
                }
                Some(()) = OptionFuture::from(deadline.map(sleep_until)) => {
                    return Ok(if over { Went::Ended } else { Went::Stopped });
                }
            }
        }
    }

    /// No session lives any more.
    fn no_more(&self) -> bool {
        self.state.live().next().is_none()
    }

    /// After an end that was asked for: its last words.
    async fn settle_end(&mut self) {
        let deadline = Instant::now() + SETTLE;
        while self.no_more() && !self.all_over() {
            tokio::select! {
                events = self.events.next() => match events {
                    Some(events) => self.take(events),
                    None => break,
                },
                () = sleep_until(deadline) => break,
            }
        }
        self.announce(true).await;
    }
}
