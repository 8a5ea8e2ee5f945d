//! How sessions end: by the program, by us, or by an adapter that goes away.
//!
//! The polite order is to close our end and wait. A launched debuggee is ended with its session; one that was attached to is
//! left running, and a debugger that holds it is never killed hard. A second request to terminate cuts the waiting short.

use std::time::Duration;

use super::actor::Actor;
use super::live::{Answer, Live, Origin};
use super::stops::is_deadly;
use crate::dap::client::{Connection, RequestError};
use crate::dap::process::Departure;
use crate::dap::requests::{Disconnect, DisconnectArguments, Terminate, TerminateArguments};
use crate::debugger::command::Reply;
use crate::debugger::error::{DebuggerError, Kind};
use crate::debugger::event::{Change, EventKind, Severity};
use crate::debugger::exit;
use crate::debugger::gate::{self, Action};
use crate::debugger::ids::SessionId;
use crate::debugger::state::{Phase, StartKind};
use crate::tasks;

/// After `terminate`, how long the program may take to end by itself.
const TERMINATE_GRACE: Duration = Duration::from_secs(2);
/// After an unanswered `disconnect`, how long the adapter may take to leave because its input ended.
const DEAF_GRACE: Duration = Duration::from_millis(500);
/// After the end of the adapter's process, how long its last output and the end of its connection may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// After `exited` without `terminated`, how long the latter may take.
const TERMINATED_GRACE: Duration = Duration::from_secs(1);

impl Actor {
    pub(super) fn terminate(&mut self, session: Option<SessionId>, reply: Answer) {
        let id = match self
            .meant(session)
            .and_then(|s| gate::check(s.phase, Action::Terminate).map(|()| s.id))
        {
            Ok(id) => id,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let able = self
            .session(id)
            .is_some_and(|s| s.capabilities.supports_terminate_request);
        let Some(live) = self.live.get_mut(&id) else {
            let _ = reply.send(Ok(Reply::Done));
            return;
        };
        live.enders.push(reply);
        if live.ending {
            // Asked twice: no more waiting.
            live.force.cancel();
            return;
        }
        live.ending = true;
        for other in self.end_with(id) {
            // Nobody waits for those.
            self.terminate(Some(other), tokio::sync::oneshot::channel().0);
        }
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        if let Some(starter) = live.starter.take() {
            let _ = starter.send(Err(DebuggerError::new(
                Kind::Cancelled,
                "The start was taken back.",
            )));
        }
        let polite = able && live.kind == StartKind::Launch && live.handshake.complete;
        let Some(client) = live.client.clone().filter(|_| polite) else {
            let end = live.kind == StartKind::Launch;
            return self.disconnect(id, end);
        };
        let (over, force) = (live.over.clone(), live.force.clone());
        self.phase(
            id,
            self.session(id).map_or(Phase::Running, |s| s.phase),
            Some("ending the program"),
        );
        drop(client.send::<Terminate>(&TerminateArguments::default(), TERMINATE_GRACE));
        self.spawn(
            async move {
                // The answer says only that it was heard; the end is the `terminated` event, which cancels `over`.
                tokio::select! {
                    () = tokio::time::sleep(TERMINATE_GRACE) => {}
                    () = force.cancelled() => {}
                    () = over.cancelled() => {}
                }
            },
            move |actor, ()| actor.disconnect(id, true),
        );
    }

    pub(super) fn detach(&mut self, session: Option<SessionId>, reply: Answer) {
        let id = match self
            .meant(session)
            .and_then(|s| gate::check(s.phase, Action::Detach).map(|()| s.id))
        {
            Ok(id) => id,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let Some(live) = self.live.get_mut(&id) else {
            let _ = reply.send(Ok(Reply::Done));
            return;
        };
        if live.kind == StartKind::Launch && live.personality.ends_what_it_launched && !live.ending
        {
            let adapter = self
                .session(id)
                .map(|s| s.adapter.clone())
                .unwrap_or_default();
            let _ = reply.send(Err(DebuggerError::new(
                Kind::Capability,
                format!("The adapter {adapter} cannot leave a program that it started: it ends with the session."),
            )
            .hint("start the program yourself and attach to it, or terminate")));
            return;
        }
        live.enders.push(reply);
        if live.ending {
            live.force.cancel();
            return;
        }
        live.ending = true;
        // From here on it is one we came to: nothing of ours ends it.
        live.kind = StartKind::Attach;
        if let Some(process) = &live.process {
            process.set_detached();
        }
        self.disconnect(id, false);
    }

    pub(super) fn restart(&mut self, session: Option<SessionId>, reply: Answer) {
        let id = match self
            .meant(session)
            .and_then(|s| gate::check(s.phase, Action::Restart).map(|()| s.id))
        {
            Ok(id) => id,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let id = self.root_of(id);
        let Some(origin) = self.origins.get(&id).cloned() else {
            let _ = reply.send(Err(DebuggerError::new(
                Kind::Usage,
                format!("{id} cannot be started again."),
            )));
            return;
        };
        if !self.live.contains_key(&id) {
            return self.begin(origin, reply);
        }
        // Once the old one is gone, the new one begins.
        let (ended, gone) = tokio::sync::oneshot::channel();
        self.terminate(Some(id), ended);
        self.spawn(gone, move |actor, _| actor.begin(origin, reply));
    }

    fn begin(&mut self, origin: Origin, reply: Answer) {
        match origin {
            Origin::Launch(spec) => self.launch(spec, reply),
            Origin::Attach(spec) => self.attach(spec, reply),
            Origin::Replay(recording) => self.replay_recording(recording, reply),
            Origin::Child(_) => {
                let _ = reply.send(Err(DebuggerError::new(
                    Kind::Usage,
                    "A child session is started by its parent: restart that one.",
                )));
            }
        }
    }

    pub(super) fn root_of(&self, mut id: SessionId) -> SessionId {
        while let Some(parent) = self.session(id).and_then(|s| s.parent) {
            id = parent;
        }
        id
    }

    pub(super) fn shutdown(&mut self, reply: Answer) {
        match &mut self.shutting_down {
            Some(waiting) => waiting.push(reply),
            None => self.shutting_down = Some(vec![reply]),
        }
        let all: Vec<_> = self
            .live
            .values()
            .map(|l| (l.id, l.kind, l.ending))
            .collect();
        for (id, kind, ending) in all {
            if let Some(live) = self.live.get_mut(&id) {
                live.ending = true;
            }
            if !ending {
                self.disconnect(id, kind == StartKind::Launch);
            }
        }
    }

    /// The `exited` event: the code is known, the end is near.
    pub(super) fn exited(&mut self, id: SessionId, mut exit_code: i64) {
        // An adapter that knows no code for a death by signal says 0; a shell would say this.
        let signal = self.live.get(&id).and_then(|live| live.signal);
        if let Some(number) = signal.filter(|n| exit_code == 0 && is_deadly(*n)) {
            exit_code = 128 + i64::from(number);
        }
        self.change(id, Change::Exited { exit_code });
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        live.exit_seen = true;
        let over = live.over.clone();
        self.spawn(
            async move {
                tokio::select! {
                    () = tokio::time::sleep(TERMINATED_GRACE) => true,
                    () = over.cancelled() => false,
                }
            },
            move |actor, expired| {
                if expired {
                    actor.terminated(id);
                }
            },
        );
    }

    /// The `terminated` event, or what counts as one: the debuggee is gone or let go.
    pub(super) fn terminated(&mut self, id: SessionId) {
        let Some(live) = self.live.get(&id) else {
            return;
        };
        if live.over.is_cancelled() {
            return;
        }
        if !live.handshake.complete && live.starter.is_some() {
            // The real reason is the answer to `launch`, which is on its way; an adapter that owes it is closed by its
            // deadline.
            let over = live.over.clone();
            self.spawn(
                async move {
                    tokio::select! {
                        () = tokio::time::sleep(TERMINATED_GRACE) => true,
                        () = over.cancelled() => false,
                    }
                },
                move |actor, expired| {
                    if expired {
                        let stderr = actor.stderr_of(id);
                        actor.fail_start(
                            id,
                            DebuggerError::new(
                                Kind::Adapter,
                                format!("The debug session ended before the program ran.{stderr}"),
                            ),
                        );
                        // It did run and was too quick for the handshake.
                        actor.end_by_program(id);
                    }
                },
            );
            return;
        }
        self.end_by_program(id);
    }

    fn end_by_program(&mut self, id: SessionId) {
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        let drain = live.personality.drain_after_terminated();
        let (asked, kind) = (live.ending, live.kind);
        live.ending = true;
        let in_words = !live.personality.exit_code_patterns.is_empty();
        live.ended_by_program = Some(asked);
        // Output may still follow, and with some adapters the exit code.
        let known = self.session(id).is_some_and(|s| s.exit_code.is_some());
        if known {
            self.ended_by_program(id, asked);
        }
        self.spawn(tokio::time::sleep(drain), move |actor, ()| {
            // An adapter that tells the code in words may do so with its last ones.
            if known || !in_words {
                actor.ended_by_program(id, asked);
            }
            actor.disconnect(id, kind == StartKind::Launch);
        });
    }

    fn ended_by_program(&mut self, id: SessionId, asked: bool) {
        let launched = self
            .live
            .get(&id)
            .is_some_and(|l| l.kind == StartKind::Launch);
        let why = match self.session(id).and_then(|s| s.exit_code) {
            // What a killed program's exit code is depends on the adapter and says nothing.
            _ if asked && launched => "The program was ended.".to_owned(),
            Some(code) => format!("The program ended with {}.", exit::words(code)),
            None if asked => "Let go of the program; it runs on.".to_owned(),
            None => "The program ended.".to_owned(),
        };
        self.ended(id, &why);
    }

    /// Says that the session is over. Once.
    pub(super) fn ended(&mut self, id: SessionId, why: &str) {
        if let Some(live) = self.live.get(&id) {
            live.over.cancel();
        }
        self.change(
            id,
            Change::Ended {
                why: why.to_owned(),
            },
        );
        self.refocus(id);
    }

    /// Where the person looks, and what is meant when nothing is named, is never a session that is over while another one lives:
    /// first of its own tree, and one that stands still before one that runs.
    fn refocus(&mut self, ended: SessionId) {
        let state = &self.hub.state;
        if state.focus != Some(ended) {
            return;
        }
        let root = self.root_of(ended);
        let rank = |s: &&crate::debugger::state::Session| {
            (self.root_of(s.id) != root, s.phase != Phase::Stopped)
        };
        if let Some(other) = state.live().min_by_key(rank).map(|s| s.id) {
            self.hub.publish(EventKind::Focus {
                session: Some(other),
            });
        }
    }

    /// Says goodbye to the adapter, waits for it to go, and forgets it.
    pub(super) fn disconnect(&mut self, id: SessionId, terminate: bool) {
        let children: Vec<_> = self
            .hub
            .state
            .sessions
            .iter()
            .filter(|s| s.parent == Some(id) && self.live.contains_key(&s.id))
            .map(|s| s.id)
            .collect();
        for child in children {
            if let Some(live) = self.live.get_mut(&child) {
                live.ending = true;
            }
            self.disconnect(child, terminate);
        }
        let Some(live) = self.live.get_mut(&id) else {
            return;
        };
        if std::mem::replace(&mut live.disconnecting, true) {
            return;
        }
        live.over.cancel();
        // What would keep the program from running on: breakpoints, and then the stop.
        let mut letting_go = Vec::new();
        if !terminate && live.personality.stays_halted {
            letting_go.extend(live.sources_sent.iter().map(|path| {
                (
                    "setBreakpoints",
                    serde_json::json!({"source": {"path": path}, "breakpoints": []}),
                )
            }));
            let stopped = self
                .hub
                .state
                .session(id)
                .filter(|s| s.phase == Phase::Stopped);
            if let Some(thread) = stopped.and_then(crate::debugger::Session::current_thread) {
                letting_go.push(("continue", serde_json::json!({"threadId": thread})));
            }
        }
        let grace = live.grace();
        let exit_grace = live.personality.exit_after_disconnect().min(grace);
        let client = live.client.clone();
        let process = live.process.take();
        let debuggee = live.debuggee.take();
        let (force, drained) = (live.force.clone(), live.drained.clone());
        let capable = live.handshake.capabilities_known;
        self.spawn(
            async move {
                let mut exit_grace = exit_grace;
                if let Some(client) = client {
                    if capable && !client.is_closed() {
                        // Answered in order, so that only the goodbye need be waited for.
                        for (command, arguments) in letting_go {
                            drop(client.send_raw(command, arguments, grace));
                        }
                        let answer = client.send::<Disconnect>(
                            &DisconnectArguments {
                                terminate_debuggee: Some(terminate),
                                ..DisconnectArguments::default()
                            },
                            grace,
                        );
                        tokio::select! {
                            answer = answer => {
                                if matches!(answer, Err(RequestError::Timeout { .. })) {
                                    // One that does not listen may still see its input end.
                                    exit_grace = exit_grace.min(DEAF_GRACE);
                                }
                            }
                            () = force.cancelled() => {}
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
                    let _ = tokio::time::timeout(LAST_WORDS, drained.cancelled()).await;
                    if let Departure::LeftRunning { pid } = departure {
                        return Some(pid);
                    }
                }
                None
            },
            move |actor, left: Option<u32>| {
                if let Some(pid) = left {
                    actor.left_running(id, pid);
                }
                actor.run_after(id, terminate);
            },
        );
    }

    /// The adapter would not leave, and ending it would end what it is attached to: a person has to know of it.
    fn left_running(&mut self, id: SessionId, pid: u32) {
        let adapter = self
            .session(id)
            .map(|s| s.adapter.clone())
            .unwrap_or_default();
        self.say(
            Some(id),
            Severity::Warning,
            format!(
                "The adapter {adapter} (pid {pid}) does not leave the program; it was left running."
            ),
            Some(format!(
                "`kill {pid}` ends it, and perhaps the program with it"
            )),
        );
    }

    pub(super) fn gone(&mut self, id: SessionId, terminate: bool) {
        let why = match (self.live.get(&id).map(|l| l.kind), terminate) {
            (Some(StartKind::Launch), true) => "The program was ended.",
            _ => "Let go of the program; it runs on.",
        };
        match self.live.get(&id).and_then(|l| l.ended_by_program) {
            Some(asked) => self.ended_by_program(id, asked),
            None => self.ended(id, why),
        }
        self.change(id, Change::Gone);
        self.drop_owned(id);
        let Some(live) = self.live.remove(&id) else {
            return;
        };
        self.refocus(id);
        for ender in live.enders {
            let _ = ender.send(Ok(Reply::Done));
        }
        if let Some(starter) = live.starter {
            let _ = starter.send(Err(DebuggerError::new(
                Kind::Cancelled,
                "The session ended while it was starting.",
            )));
        }
    }
}

/// Lets go of a connection that nobody wants any more.
pub(super) fn let_go(connection: Connection) {
    connection.client.close();
    if let Some(process) = connection.process {
        tasks::spawn(process.shutdown(Duration::ZERO));
    }
}

/// Lets go of a session's adapter so that it can be started in another way.
pub(super) fn let_go_of(live: &mut Live) {
    if let Some(client) = live.client.take() {
        client.close();
    }
    if let Some(process) = live.process.take() {
        tasks::spawn(process.shutdown(Duration::ZERO));
    }
    live.handshake = super::live::Handshake::default();
    live.accelerated = false;
}

/// Nobody holds the core any more: our end is closed, which ends what was launched and frees what was attached to. The
/// supervisor sees to the rest.
pub(super) fn abandon(live: &mut Live) {
    live.over.cancel();
    let_go_of(live);
    if live.kind == StartKind::Launch
        && let Some(debuggee) = live.debuggee.take()
    {
        debuggee.end();
    }
}
