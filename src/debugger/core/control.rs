//! Continue, pause, steps, run to a line.
//!
//! A session counts as running from the moment the request is written, so the answer and the next `stopped` event may come in
//! either order. When the request fails and nothing else has happened, the stop is put back.

use std::sync::atomic::Ordering::Relaxed;

use super::{frames::first_thread, own_steps::wrote, prelude::*};

/// How long a program may take to stop that was told to, before that is said.
const PATIENCE: Duration = Duration::from_secs(5);
/// After the end of a connection, how long the events before it may take to be handled.
const LAST_EVENTS: Duration = Duration::from_secs(1);

/// How long a program may run backwards by a command of its debugger's own.
const LONGEST_WAY_BACK: Duration = Duration::from_hours(1);
/// After a refusal to let the program go on, how long the news of its end may take.
const LAST_REFUSAL: Duration = Duration::from_millis(200);

impl Owner {
    pub fn resume(
        &mut self,
        session: Option<SessionId>,
        thread: Option<i64>,
        how: Resume,
    ) -> Handled {
        if let Some(id) = self.recorded(session) {
            return at_once(self.go_in_recording(id, how.is_backwards()));
        }
        let (known, _) = self.allowed(session, Action::Resume)?;
        thread_or_none(known, thread)?;
        let id = known.id;
        if matches!(how, Resume::Continue) && self.show_queued_stop(id) {
            return at_once(Ok(Reply::Session { session: id }));
        }
        let (id, request) = self.try_resume(session, thread, how)?;
        let resumes = self.live(id).map(|l| l.resumes);
        let over = self.live(id).map(|l| l.over.clone());
        let stood = self.live(id).map(|l| l.stood.clone()).unwrap_or_default();
        let answer = async move {
            // Some answer when a thread has gone on, which none does where another one stops it before.
            let answer = tokio::select! {
                biased;
                answer = request => answer.map(drop),
                () = stood.cancelled() => Ok(()),
            };
            // What came before the end of the connection says whether the end is a failure; and an adapter may
            // refuse because the program has just ended, before it says so.
            let patience = match &answer {
                Err(RequestError::Closed(_)) => Some(LAST_EVENTS),
                Err(RequestError::Failed { .. }) => Some(LAST_REFUSAL),
                _ => None,
            };
            if let (Some(patience), Some(over)) = (patience, over) {
                let _ = timeout(patience, over.cancelled()).await;
            }
            answer
        };
        after(answer, move |owner, answer| {
            if let Err(error) = answer {
                // The debuggee was quicker than the answer: it is gone, which is where it was going. Not so when
                // the session ended of this very error.
                let is_gone = owner.session(id).is_none_or(|s| {
                    s.phase == Phase::Terminated && s.ended != Some(error.to_string())
                });
                if !is_gone {
                    // Nobody waits for it any more: the program may run all the same.
                    if !matches!(error, RequestError::Cancelled) {
                        owner.put_back(id, resumes);
                    }
                    return Err(error.into());
                }
            }
            Ok(Reply::Session { session: id })
        })
    }

    fn try_resume(
        &mut self,
        session: Option<SessionId>,
        thread: Option<i64>,
        how: Resume,
    ) -> Result<(SessionId, dap::client::RawReply)> {
        let (session, client) = self.allowed(session, Action::Resume)?;
        if how.is_backwards() && !session.can_go_back() {
            return Err(no_way_back(session));
        }
        let thread = thread_or_none(session, thread)?;
        let own = self
            .live(session.id)
            .and_then(|live| live.personality.reverse.as_ref())
            .filter(|_| how.is_backwards() && session.records_execution);
        let id = session.id;
        let (request, arguments, client) = if let Some(own) = own {
            // The debugger does by a command what its adapter has no request for. It is answered when the program stands still
            // again.
            let arguments = json!({
                "expression": own.command(matches!(how, Resume::Step(..)), how.by_instruction()),
                "context": "repl",
                "frameId": session.innermost_frame(thread),
            });
            ("evaluate", arguments, client.within(LONGEST_WAY_BACK))
        } else {
            let arguments = how.arguments(session, thread)?;
            (how.command(), arguments, client)
        };
        // What is asked for in others' code goes where it goes, and so does a step back.
        let native = self.live(id).is_some_and(|l| l.personality.own_filters);
        let is_own = matches!(how, Resume::Step(_, Granularity::Line))
            && !how.is_backwards()
            && self.config.own_code.load(Relaxed)
            && session.current_frame().is_none_or(|f| wrote(native, f));
        let request = client.send_raw(request, arguments);
        self.drop_evaluations(id);
        if let Some(live) = self.live_mut(id) {
            live.resumes += 1;
            live.ran_alone = false;
            live.judging_calls = 0;
            live.queued_stops.clear();
            live.stood = CancellationToken::new();
            live.resumed = Some(how);
            live.stepped = how.is_step().then_some(thread);
            live.own_step = (is_own && live.personality.launch.keeps_steps).then_some(0);
            // Steps are too many to be told of each, and few of them start a process.
            if let (Resume::Continue, Some(process)) = (how, &live.process) {
                process.look();
            }
        }
        self.phase(id, Phase::Running, how.activity());
        Ok((id, request))
    }

    /// Says that a step is not over, where another thread stopped first.
    pub fn tell_unfinished_step(&mut self, id: SessionId, at: Option<i64>) {
        let thread = self.live_mut(id).and_then(|live| live.stepped.take());
        let Some(thread) = thread.filter(|thread| at.is_some_and(|at| at != *thread)) else {
            return;
        };
        if let Some(session) = self.session(id) {
            let name = session.short_thread_name(thread);
            let text = format!("Another thread stopped before the step in {name} was over.");
            self.inform(id, text);
        }
    }

    /// A thread ended: if it was to make a step, the others run on without an end to it.
    pub fn step_lost(&mut self, id: SessionId, thread: i64) {
        let runs = |s: &Session| s.phase == Phase::Running && !s.threads.is_empty();
        if !self.session(id).is_some_and(runs) {
            return;
        }
        let Some(live) = self.live_mut(id) else {
            return;
        };
        if live.stepped.take_if(|stepped| *stepped == thread).is_none() {
            return;
        }
        live.resumed = Some(Resume::Continue);
        let activity = live.pause_asked.then_some("pausing");
        self.phase(id, Phase::Running, activity);
        self.inform(
            id,
            format!("Thread {thread} ended before its step did; the program runs on."),
        );
    }

    /// A request that resumes failed: the stop still holds, unless something has happened since.
    fn put_back(&mut self, id: SessionId, resumes: Option<u64>) {
        let unchanged = self.live(id).map(|l| l.resumes) == resumes;
        let Some(session) = self.session(id) else {
            return;
        };
        if unchanged
            && session.phase == Phase::Running
            && let Some(mut stop) = session.stop.clone()
        {
            stop.momentary = false;
            self.change(
                id,
                Change::Stopped {
                    stop: Box::new(stop),
                },
            );
        }
    }

    /// The session in which the program of one runs: with some adapters that is never the first one.
    fn program_of(&self, session: Option<SessionId>) -> Option<SessionId> {
        let id = session.or(self.hub.state.focus)?;
        let root = self.session(id).filter(|s| s.parent.is_none())?;
        let in_child = self.live(root.id)?.personality.program_in_child;
        let mut live = self.hub.state.live().filter(|_| in_child);
        live.find(|s| s.parent == Some(id)).map(|s| s.id)
    }

    pub fn pause(
        &mut self,
        session: Option<SessionId>,
        thread: Option<i64>,
        momentary: bool,
    ) -> Handled {
        if let Some(id) = self.recorded(session) {
            return at_once(self.pause_playing(id));
        }
        let session = self.program_of(session).or(session);
        if !momentary && let Some(id) = self.stay(session).or_else(|| self.pause_later(session)) {
            return at_once(Ok(Reply::Session { session: id }));
        }
        let (session, client) = self.allowed(session, Action::Pause)?;
        let (id, thread) = (session.id, thread.or_else(|| session.current_thread()));
        let mut again = None;
        let mut pauses = 0;
        if let Some(live) = self.live_mut(id) {
            live.pauses += 1;
            pauses = live.pauses;
            live.pause_is_momentary = momentary && (!live.pause_asked || live.pause_is_momentary);
            live.pause_asked = true;
            let after = live.personality.pause_again_after_ms;
            again = (after > 0).then(|| (Duration::from_millis(after), live.stops));
        }
        let activity = if momentary {
            "being looked at"
        } else {
            "pausing"
        };
        self.phase(id, Phase::Running, Some(activity));
        let asker = client.clone();
        // Without a thread yet (just launched, or an adapter that names none while running) ask for one first.
        let work = async move {
            let thread = match thread {
                Some(thread) => thread,
                None => first_thread(&ask_threads(&client).await).unwrap_or(1),
            };
            client
                .send::<Pause>(&PauseArguments { thread_id: thread })
                .await
                .map(|_| thread)
        };
        after(work, move |owner, answer| match answer {
            Ok(thread) => {
                if !momentary {
                    owner.expect_stop(id, pauses);
                }
                if let Some((after, stops)) = again {
                    owner.pause_again(id, stops, after, asker, thread);
                }
                Ok(Reply::Session { session: id })
            }
            Err(error) => {
                if let Some(live) = owner.live_mut(id) {
                    live.pause_asked = false;
                }
                if owner.is_in(id, Phase::Running) {
                    owner.phase(id, Phase::Running, None);
                }
                Err(error.into())
            }
        })
    }

    /// Keeps a pause for a program that is still to come, in a session behind the one that was started.
    fn pause_later(&mut self, session: Option<SessionId>) -> Option<SessionId> {
        let session = self.meant(session).ok()?;
        let id = session.id;
        let first = session.parent.unwrap_or(id);
        let waits = match session.phase {
            Phase::Running => first == id && !self.hub.state.live().any(|s| s.parent == Some(id)),
            Phase::Initializing | Phase::Configured => first != id,
            _ => false,
        };
        let in_child = self.live(first)?.personality.program_in_child;
        (waits && in_child).then_some(())?;
        self.live_mut(id)?.pause_owed = true;
        if self.is_in(id, Phase::Running) {
            self.phase(id, Phase::Running, Some("pausing"));
        }
        Some(id)
    }

    /// Pauses a program that has come, where somebody asked for that before.
    pub fn pause_owed(&mut self, id: SessionId) {
        let Some(session) = self.session(id) else {
            return;
        };
        let (parent, runs) = (session.parent, session.phase == Phase::Running);
        let live = self.live(id);
        let is_program = live.is_some_and(|l| parent.is_some() || !l.personality.program_in_child);
        let both = parent.into_iter().chain([id]).filter(|_| is_program);
        let owed = both.fold(false, |owed, id| {
            let live = self.live_mut(id);
            owed | live.is_some_and(|live| mem::take(&mut live.pause_owed))
        });
        if let Some(parent) = parent.filter(|_| owed)
            && self.is_in(parent, Phase::Running)
        {
            self.phase(parent, Phase::Running, None);
        }
        if owed && runs {
            let handled = self.pause(Some(id), None, false);
            let (answer, told) = oneshot::channel();
            self.answer(handled, answer);
            self.spawn(told, move |owner, told| {
                // Whoever asked was told already that it would be.
                if let Ok(Err(error)) = told {
                    owner.warn_with(id, error.what, error.hint.unwrap_or_default());
                }
            });
        }
    }

    /// Says so where the last pause that was asked for stops nothing: a program may be in what its debugger cannot interrupt.
    fn expect_stop(&self, id: SessionId, pauses: u64) {
        self.spawn(time::sleep(PATIENCE), move |owner, ()| {
            let waits = |live: &Live| live.pause_asked && live.pauses == pauses;
            if owner.live(id).is_some_and(waits) && owner.is_in(id, Phase::Running) {
                let seconds = PATIENCE.as_secs();
                owner.warn_with(
                    id,
                    format!("The program was told to stop {seconds} s ago and has not."),
                    "it may be in what its debugger cannot interrupt, as a wait for a lock: hang says what it waits for",
                );
            }
        });
    }

    /// What stands only to be looked at stays so for everyone.
    fn stay(&mut self, session: Option<SessionId>) -> Option<SessionId> {
        let session = self.meant(session).ok()?;
        let stop = session.current_stop().filter(|stop| stop.momentary)?;
        let (id, mut stop) = (session.id, Box::new(stop.clone()));
        stop.momentary = false;
        self.change(id, Change::Stopped { stop });
        Some(id)
    }

    /// Asks again for a pause that was answered and has stopped nothing, for adapters that may forget one; ever more seldom,
    /// since a program that cannot be stopped now is no lost request.
    fn pause_again(&self, id: SessionId, stops: u64, after: Duration, client: Client, thread: i64) {
        self.spawn(time::sleep(after), move |owner, ()| {
            let waits = |live: &Live| live.pause_asked && live.stops == stops;
            if !owner.live(id).is_some_and(waits) {
                return;
            }
            tracing::debug!(session = %id, "no stop after a pause: asked again");
            let asker = client.clone();
            let work = async move {
                let arguments = PauseArguments { thread_id: thread };
                asker.send::<Pause>(&arguments).await
            };
            owner.spawn(work, move |owner, answer| {
                // The first one was answered well; whoever asked has nothing more to be told.
                if answer.is_ok() {
                    owner.pause_again(id, stops, after * 2, client, thread);
                }
            });
        });
    }

    pub fn run_to(&mut self, session: Option<SessionId>, path: PathBuf, line: i64) -> Handled {
        let id = self.allowed(session, Action::Resume)?.0.id;
        let there = |site: &BreakpointSite| matches!(site, BreakpointSite::Source { path: p, line: l, .. } if *p == path && *l == line);
        if self
            .breakpoints()
            .any(|b| b.enabled && b.stops() && there(&b.site))
        {
            // There is a breakpoint already: it will stop there.
            return self.resume(Some(id), None, Resume::Continue);
        }
        let spec = BreakpointSpec {
            temporary: true,
            ..BreakpointSpec::line(path, line)
        };
        let goal = self.set_goal(spec, id);
        let placed = self.answered_by(goal);
        onward(placed, move |owner, placed| owner.run_to_goal(id, placed?))
    }

    fn run_to_goal(&mut self, id: SessionId, placed: Reply) -> Handled {
        if let Reply::Breakpoint { breakpoint } = placed {
            let answer = breakpoint.answers.get(&id);
            if answer.is_some_and(|a| !a.verified && a.adapter_id.is_none()) {
                let why = breakpoint.message().unwrap_or("there is no code");
                self.drop_temporary(id);
                return Err(DebuggerError::adapter(format!(
                    "Cannot run to {}: {why}.",
                    breakpoint.label()
                )));
            }
            if let Some(live) = self.live_mut(id) {
                live.goal = Some((breakpoint.id, "cursor"));
            }
        }
        self.resume(Some(id), None, Resume::Continue)
    }
}

/// Why a program cannot be run backwards.
fn no_way_back(session: &Session) -> DebuggerError {
    let error = lacks("running backwards");
    if session.can_record_execution {
        return error.hint("let it be recorded first: the debugger can keep what the program does");
    }
    error
}

/// The thread meant, or the sentence that there is none.
pub fn thread_or_none(session: &Session, thread: Option<i64>) -> Result<i64> {
    thread
        .or_else(|| session.current_thread())
        .ok_or_else(|| DebuggerError::state("Debugger reported no threads."))
}
