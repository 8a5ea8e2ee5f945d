//! The end of sessions that we ask for: terminate, detach, shutdown, and the goodbye to adapters.
//!
//! The polite order is to close our end and wait. A launched debuggee is ended with its session; one that was attached to is
//! left running, and a debugger that holds it is never killed hard. In a tree the children go first, and a parent's own
//! goodbye follows when they are gone or have had their time. A second request to terminate cuts all waiting short. What
//! happens when a program ends by itself is in `end`.

use base::threads::untraced;
use dap::{process::Departure, supervise::kill_own};

use super::{
    live::{Goodbye, Handshake},
    prelude::*,
};
use crate::runners::problems;

/// After `terminate`, how long the program may take to end by itself.
const TERMINATE_GRACE: Duration = Duration::from_secs(2);
/// After an unanswered `disconnect`, how long the adapter may take to leave because its input ended.
const DEAF_GRACE: Duration = Duration::from_millis(500);
/// How long a request must have waited for its adapter to count as one that does not answer, and how long quitting waits.
const LONG: Duration = Duration::from_secs(1);
/// After the end of the adapter's process, how long its last output and the end of its connection may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(500);

impl Owner {
    pub fn terminate(&mut self, session: Option<SessionId>) -> Handled {
        self.end(session, true)
    }

    /// Ends a session; with it those that are to end when it does, where it does not begin again.
    pub fn end(&mut self, session: Option<SessionId>, for_good: bool) -> Handled {
        let session = self.meant(session)?;
        let session = self.only_child_of(session).unwrap_or(session);
        let id = session.id;
        // One whose program has ended can be ended with the children it waits for.
        let live = self.live(id);
        let waits = live.is_some_and(|l| l.ended_by_program.is_some())
            && !self.live_children(id).is_empty();
        if !waits {
            gate::check(session, Action::Terminate)?;
        }
        let Some(live) = self.live_mut(id) else {
            return at_its_end(id);
        };
        if live.ending && (live.goodbye.is_some() || !waits) {
            // Asked twice: no more waiting.
            self.hurry(id);
            return at_its_end(id);
        }
        live.ending = true;
        if let Some(starter) = live.starter.take() {
            let _ = starter.send(Err(taken_back()));
        }
        self.kill_where_it_stands(id);
        let others = for_good.then(|| self.end_with(id));
        for other in others.into_iter().flatten() {
            // Nobody waits for those.
            let handled = self.terminate(Some(other));
            self.unanswered(handled);
        }
        self.part(id, Goodbye::Politely);
        at_its_end(id)
    }

    /// The parent of a session that is its whole program: with that it is over, and nobody is to see it run on by itself.
    fn only_child_of(&self, session: &Session) -> Option<&Session> {
        let parent = session.parent?;
        let is_program = self.live(parent)?.personality.program_in_child;
        let alone = self.live_children(parent) == [session.id];
        self.session(parent).filter(|_| is_program && alone)
    }

    /// Kills a program of ours, and what it started, if one of them stands at a stop and its adapter would let it run on first.
    fn kill_where_it_stands(&self, id: SessionId) {
        let root = self.live(self.root_of(id));
        let Some(live) = root.filter(|live| live.kind == StartKind::Launch) else {
            return;
        };
        let unless = live.personality.kill_at_stop_unless.as_deref();
        if unless.is_none_or(|key| live.plan.arguments.get(key).is_some()) {
            return;
        }
        let mut family = vec![id];
        let mut next = 0;
        while let Some(id) = family.get(next) {
            family.extend(self.live_children(*id));
            next += 1;
        }
        let family: Vec<_> = family.iter().filter_map(|id| self.session(*id)).collect();
        if family.iter().all(|session| session.phase != Phase::Stopped) {
            return;
        }
        for pid in family.iter().filter_map(|session| session.pid) {
            // A number that an adapter tells may be any.
            if let Ok(pid) = pid.try_into() {
                kill_own(pid);
            }
        }
    }

    /// Cuts the waiting short, of a session and of all below it.
    fn hurry(&mut self, id: SessionId) {
        for child in self.live_children(id) {
            self.hurry(child);
        }
        if let Some(live) = self.live(id) {
            live.force.cancel();
        }
        self.take_leave(id);
    }

    /// Ends a session after its children.
    fn part(&mut self, id: SessionId, how: Goodbye) {
        let children = self.live_children(id);
        if children.is_empty() {
            return self.leave(id, how);
        }
        let Some(live) = self.live_mut(id) else {
            return;
        };
        live.lingers = false;
        let waiting = live.goodbye.replace(how).is_some();
        let (grace, force) = (live.grace(), live.force.clone());
        for child in children {
            if let Some(live) = self.live_mut(child) {
                live.ending = true;
            }
            self.part(child, how);
        }
        if waiting {
            return;
        }
        self.busy(id, "ending its children");
        self.spawn(timeout(grace, force.cancelled_owned()), move |owner, _| {
            owner.take_leave(id);
        });
    }

    /// Says what the end of a session waits for, in whatever phase it is.
    pub fn busy(&mut self, id: SessionId, with: &str) {
        let phase = self.session(id).map_or(Phase::Running, |s| s.phase);
        self.phase(id, phase, Some(with));
    }

    /// Says the goodbye that had to wait for children, if there is one.
    fn take_leave(&mut self, id: SessionId) {
        let how = self.live_mut(id).and_then(|l| l.goodbye.take());
        if let Some(how) = how {
            self.leave(id, how);
        }
    }

    /// Ends a session whose children are gone.
    fn leave(&mut self, id: SessionId, how: Goodbye) {
        let able = self
            .session(id)
            .is_some_and(|s| s.capabilities.supports_terminate_request);
        let Some(live) = self.live_mut(id) else {
            return;
        };
        let end = match how {
            Goodbye::Politely => live.kind == StartKind::Launch,
            Goodbye::Now { terminate } => return self.say_goodbye(id, terminate),
        };
        let polite = able && end && live.handshake.complete && live.ended_by_program.is_none();
        let Some(client) = live.client.clone().filter(|_| polite) else {
            return self.say_goodbye(id, end);
        };
        let (over, force) = (live.over.clone(), live.force.clone());
        self.busy(id, "ending the program");
        drop(
            client
                .within(TERMINATE_GRACE)
                .send::<Terminate>(&TerminateArguments::default()),
        );
        self.spawn(
            async move {
                // The answer says only that it was heard; the end is the `terminated` event, which cancels `over`.
                tokio::select! {
                    () = time::sleep(TERMINATE_GRACE) => {}
                    () = force.cancelled() => {}
                    () = over.cancelled() => {}
                }
            },
            move |owner, ()| owner.disconnect(id, true),
        );
    }

    pub fn detach(&mut self, session: Option<SessionId>) -> Handled {
        let session = self.checked(session, Action::Detach)?;
        let (id, adapter) = (session.id, &session.adapter);
        let ends = |live: &Live| {
            live.kind == StartKind::Launch && live.personality.ends_what_it_launched && !live.ending
        };
        if self.live(id).is_some_and(ends) {
            return Err(DebuggerError::capability(format!("The adapter {adapter} cannot leave a program that it started: it ends with the session."),
            )
            .hint("start the program yourself and attach to it, or terminate"));
        }
        match self.live_mut(id) {
            Some(live) if live.ending => self.hurry(id),
            Some(live) => {
                live.ending = true;
                // From here on it is one we came to: nothing of ours ends it.
                live.kind = StartKind::Attach;
                if let Some(process) = &live.process {
                    process.set_detached();
                }
                self.disconnect(id, false);
            }
            None => {}
        }
        at_its_end(id)
    }

    pub fn shutdown(&mut self, reply: Answer) {
        match &mut self.shutting_down {
            Some(waiting) => waiting.push(reply),
            None => self.shutting_down = Some(vec![reply]),
        }
        // What is still to be told is worth a moment, whatever it reads.
        if self.explaining > 0 {
            self.spawn(time::sleep(LONG), |owner, ()| owner.explaining = 0);
        }
        // Those below go with their roots.
        let roots: Vec<_> = self
            .live
            .values()
            .filter(|l| {
                let parent = self.session(l.id).and_then(|s| s.parent);
                parent.is_none_or(|parent| !self.live.contains_key(&parent))
            })
            .filter(|l| !l.ending || l.lingers)
            .map(|l| (l.id, l.kind))
            .collect();
        for (id, kind) in roots {
            if let Some(live) = self.live_mut(id) {
                live.ending = true;
            }
            let launched = kind == StartKind::Launch;
            self.kill_where_it_stands(id);
            self.disconnect(id, launched);
            if launched {
                // Nothing of it is worth more waiting; a program that was attached to must be freed in peace.
                self.spawn(time::sleep(LONG), move |owner, ()| owner.hurry(id));
            }
        }
    }

    /// Says goodbye to the adapter of a session, after those of its children.
    pub fn disconnect(&mut self, id: SessionId, terminate: bool) {
        if let Some(live) = self.live(id) {
            live.over.cancel();
        }
        self.part(id, Goodbye::Now { terminate });
    }

    /// Says goodbye to the adapter, waits for it to go, and forgets it.
    fn say_goodbye(&mut self, id: SessionId, terminate: bool) {
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        if mem::replace(&mut live.disconnecting, true) {
            return;
        }
        (live.goodbye, live.lingers) = (None, false);
        live.over.cancel();
        let session = self.hub.state.session(id);
        let thread = session.and_then(Session::current_thread).unwrap_or(1);
        let runs = session.is_some_and(|session| session.phase == Phase::Running);
        let is_dump = session.is_some_and(|session| session.post_mortem);
        let (letting_go, halts) = if terminate {
            (Vec::new(), false)
        } else {
            parting(live, thread, is_dump)
        };
        live.halted = (halts && runs).then(Default::default);
        let halted = live.halted.clone();
        // One that leaves a request alone will leave this one alone, too.
        let deaf = live.client.as_ref().is_some_and(|c| c.has_waited(LONG));
        let grace = if deaf && terminate {
            DEAF_GRACE
        } else {
            live.grace()
        };
        let exit_grace = live.personality.exit_after_disconnect_ms.unwrap_or(2000);
        let exit_grace = Duration::from_millis(exit_grace).min(grace);
        let client = live.client.as_ref().map(|c| c.within(grace));
        let process = live.process.take();
        let debuggee = live.debuggee.take();
        let (force, drained) = (live.force.clone(), live.drained.clone());
        let capable = live.handshake.capabilities_known;
        let entered = live.entered().filter(|_| !live.handshake.start_answered);
        self.spawn(
            async move {
                let mut exit_grace = exit_grace;
                if let Some(pid) = entered {
                    if let Some(client) = client.as_ref().filter(|_| capable) {
                        // The program stands in a call that ends with this word, and never without.
                        drop(client.send::<ConfigurationDone>(&Default::default()));
                    }
                    let traced = timeout(grace, untraced(pid));
                    force.run_until_cancelled(traced).await;
                }
                if let Some(client) = client {
                    if capable && !client.is_closed() {
                        if let Some(halted) = halted {
                            let pause = PauseArguments { thread_id: thread };
                            drop(client.send::<Pause>(&pause));
                            let halts = timeout(grace.min(TERMINATE_GRACE), halted.cancelled());
                            force.run_until_cancelled(halts).await;
                        }
                        // Answered in order, so that only the goodbye need be waited for.
                        for (command, arguments) in letting_go {
                            drop(client.send_raw(command, arguments));
                        }
                        let answer = client.send::<Disconnect>(&DisconnectArguments {
                            terminate_debuggee: Some(terminate),
                            ..DisconnectArguments::default()
                        });
                        let answer = force.run_until_cancelled(answer).await;
                        if matches!(answer, Some(Err(RequestError::Timeout { .. }))) {
                            // One that does not listen may still see its input end.
                            exit_grace = exit_grace.min(DEAF_GRACE);
                        }
                    }
                    client.close();
                }
                if let Some(debuggee) = debuggee
                    && terminate
                {
                    debuggee.end();
                }
                if let Some(process) = process {
                    let grace = if force.is_cancelled() {
                        Duration::ZERO
                    } else {
                        exit_grace
                    };
                    let departure = process.shutdown(grace).await;
                    // What it said last comes before its end.
                    let _ = timeout(LAST_WORDS, drained.cancelled()).await;
                    if let Departure::LeftRunning { pid } = departure {
                        return Some(pid);
                    }
                }
                None
            },
            move |owner, left: Option<u32>| {
                if let Some(pid) = left {
                    owner.left_running(id, pid);
                }
                owner.run_after(id, terminate);
            },
        );
    }

    /// The adapter would not leave, and ending it would end what it is attached to: a person has to know of it.
    fn left_running(&mut self, id: SessionId, pid: u32) {
        let adapter = self
            .session(id)
            .map(|s| s.adapter.clone())
            .unwrap_or_default();
        self.warn_with(
            id,
            format!(
                "The adapter {adapter} (pid {pid}) does not leave the program; it was left running."
            ),
            format!("`kill {pid}` ends it, and perhaps the program with it"),
        );
    }

    /// What became of a program that is not ours to end.
    pub fn was_let_go(&self, id: SessionId) -> &'static str {
        if self.session(id).is_some_and(|session| session.post_mortem) {
            "The core dump was closed."
        } else {
            "Let go of the program; it runs on."
        }
    }

    pub fn gone(&mut self, id: SessionId, terminate: bool) {
        let why = match (self.live(id).map(|l| l.kind), terminate) {
            (Some(StartKind::Launch), true) => "The program was ended.",
            _ => self.was_let_go(id),
        };
        match self.live(id).and_then(|l| l.ended_by_program) {
            Some(asked) => self.ended_by_program(id, asked),
            None => self.ended(id, why),
        }
        // On this task: behind `Gone` nothing can be told of the session any more.
        let failed = self.session(id);
        let failed = failed.filter(|one| one.typed.is_some() && one.exit_code != Some(0));
        let unread = failed.map(|one| problems::unread(&one.output.text(), &one.cwd));
        self.tell_problems(id, unread.unwrap_or_default());
        self.begin_next(id);
        self.change(id, Change::Gone);
        self.taps.forget(id);
        // What was true of this process alone goes with it.
        self.remove_those(|breakpoint| breakpoint.session == Some(id));
        let Some(live) = self.live.remove(&id) else {
            return;
        };
        self.refocus(id);
        if let Some(asked) = live.asked {
            asked.refuse("the session ended while it was starting");
        }
        for ender in live.enders {
            let _ = ender.send(Ok(Reply::Done));
        }
        if let Some(starter) = live.starter {
            let _ = starter.send(Err(DebuggerError::new(
                ErrorKind::Cancelled,
                "The session ended while it was starting.",
            )));
        }
        self.child_gone(id);
    }

    /// A parent that waited for its children goes when the last of them is gone.
    fn child_gone(&mut self, child: SessionId) {
        self.forget_old_children();
        let Some(parent) = self.session(child).and_then(|s| s.parent) else {
            return;
        };
        if !self.live_children(parent).is_empty() {
            return;
        }
        match self.live(parent) {
            Some(live) if live.goodbye.is_some() => self.take_leave(parent),
            Some(live) if live.lingers => self.disconnect(parent, live.kind == StartKind::Launch),
            _ => {}
        }
    }

    /// Nobody holds the core any more: our end is closed, which ends what was launched and frees what was attached to. The
    /// supervisor sees to the rest.
    pub fn abandon(&mut self) {
        for live in self.live.values_mut() {
            live.over.cancel();
            let_go_of(live);
            if live.kind == StartKind::Launch
                && let Some(debuggee) = live.debuggee.take()
            {
                debuggee.end();
            }
        }
    }
}

/// What lets a program go that was attached to, before the goodbye; and whether it must stand for that.
fn parting(live: &Live, thread: i64, is_dump: bool) -> (Vec<(&'static str, Value)>, bool) {
    let stays_halted = live.personality.stays_halted && !is_dump;
    // What would keep it from running on: breakpoints, and then the stop.
    let breakpoints = live.lists_sent.iter().filter_map(|list| match list {
        Which::File(path) if stays_halted => {
            let none = json!({"source": {"path": path}, "breakpoints": []});
            Some(("setBreakpoints", none))
        }
        Which::Functions if stays_halted => {
            Some(("setFunctionBreakpoints", json!({"breakpoints": []})))
        }
        // LLDB leaves them in the processor, and the program would die of the next change.
        Which::Data => Some(("setDataBreakpoints", json!({"breakpoints": []}))),
        _ => None,
    });
    let mut requests: Vec<_> = breakpoints.collect();
    // To change them it would halt a program that runs, and be left before that runs on.
    let mut halts = stays_halted && !requests.is_empty();
    if stays_halted {
        // Also where it is thought to run: it may have stopped meanwhile, and the signal that a debugger halts it by, still on its
        // way, would end it once nobody traces it.
        requests.push(("continue", json!({"threadId": thread})));
    }
    let by = live.personality.leaves_server_by.as_ref();
    if let Some((_, command)) = by.filter(|(key, _)| live.plan.arguments.get(key).is_some()) {
        halts = true;
        requests.push((
            "evaluate",
            json!({"expression": command, "context": "repl"}),
        ));
    }
    (requests, halts)
}

/// Answers when a session is gone; one that is gone already keeps nobody waiting.
fn at_its_end(id: SessionId) -> Handled {
    held(move |owner, ender| match owner.live_mut(id) {
        Some(live) => live.enders.push(ender),
        None => {
            let _ = ender.send(Ok(Reply::Done));
        }
    })
}

/// Lets go of a connection that nobody wants any more.
pub fn let_go(connection: Connection) {
    connection.client.close();
    if let Some(process) = connection.process {
        tasks::spawn(process.shutdown(Duration::ZERO));
    }
}

/// Lets go of a session's adapter so that it can be started in another way.
pub fn let_go_of(live: &mut Live) {
    if let Some(client) = live.client.take() {
        client.close();
    }
    if let Some(process) = live.process.take() {
        tasks::spawn(process.shutdown(Duration::ZERO));
    }
    live.handshake = Handshake::default();
    live.plan.accelerated = false;
}
