//! How sessions end by themselves, and begin again: by the program, or by an adapter that goes away.
//!
//! A session whose program has ended stays while children of that program are debugged: the adapter behind it may be theirs
//! as well, and a process that replaces itself lives on as its own child. The end that we ask for is in `shutdown`.

use std::fmt::Write as _;

use base::threads;
use dap::supervise::is_own;
use rustix::process::Pid;

use super::{adapter_stops::is_deadly, prelude::*};
use crate::{
    adapters::{Reported, SignalExits},
    exit,
};

/// After `exited` without `terminated`, how long the latter may take.
const TERMINATED_GRACE: Duration = Duration::from_secs(1);
/// After the end of its process, how long an adapter may take to say so.
const PROCESS_GRACE: Duration = Duration::from_secs(2);
/// What a session does that waits for what its program has left.
const RUNS_ON: &str = "ended, what it started runs on";
/// How many processes that a program has left are told by name.
const LEFT_NAMED: usize = 3;
/// What a program is ended by: SIGKILL or SIGTERM.
const BY_US: [i64; 2] = [9, 15];

impl Owner {
    pub fn restart(&mut self, session: Option<SessionId>) -> Handled {
        let id = self.checked(session, Action::Restart)?.id;
        if self.begins_later(id) {
            return at_once(self.go_in_recording(id, false));
        }
        let id = self.root_of(id);
        let Some(origin) = self.origins.get(&id).cloned() else {
            return Err(DebuggerError::usage(format!(
                "{id} cannot be started again."
            )));
        };
        if !self.live.contains_key(&id) {
            return self.begin(origin);
        }
        // Once the old one is gone, the new one begins.
        let mut all = self.recorded_roots(id);
        all.retain(|other| *other != id && self.live.contains_key(other));
        all.push(id);
        let mut gone = Vec::with_capacity(all.len());
        for root in all {
            let handled = self.end(Some(root), false);
            gone.push(self.answered_by(handled));
        }
        let gone = join_all(gone);
        onward(gone, |owner, _| owner.begin(origin))
    }

    fn begin(&mut self, origin: Origin) -> Handled {
        match origin {
            Origin::Launch(spec) => self.launch(spec),
            Origin::Attach(spec) => self.attach(spec),
            Origin::Replay(playback) => self.replay_recording(playback.again()),
            Origin::Child(_) => Err(DebuggerError::usage(
                "A child session is started by its parent: restart that one.",
            )),
        }
    }

    /// Sees the end of the program's process, which an adapter may not: while it holds the program at a stop, or while what the program
    /// has started holds its output.
    pub fn watch_process(&self, id: SessionId, pid: i64) {
        let Ok(number) = i32::try_from(pid) else {
            return;
        };
        let attached = match self.origins.get(&id) {
            Some(Origin::Attach(spec)) => spec.pid.map(i64::from) == Some(pid),
            _ => false,
        };
        let process = Pid::from_raw(number).filter(|_| attached || is_own(number));
        let Some((process, live)) = process.zip(self.live(id)) else {
            return;
        };
        let over = live.over.clone();
        let ended = over.run_until_cancelled_owned(threads::ended(process));
        self.spawn(ended, move |owner, ended| {
            if ended == Some(true) {
                owner.unless_over(id, PROCESS_GRACE, move |owner| owner.process_ended(id, pid));
            }
        });
    }

    fn process_ended(&mut self, id: SessionId, pid: i64) {
        match self.session(id).filter(|session| session.pid == Some(pid)) {
            Some(session) if session.phase == Phase::Stopped => {
                if let Some(live) = self.live_mut(id) {
                    // What its debugger still says of an exit code is made up.
                    (live.ending, live.ended_by_program) = (true, Some(true));
                }
                self.killed(id);
                self.release(id);
            }
            // The adapter has said so.
            Some(_) if self.live(id).is_some_and(|live| live.left) => {}
            Some(_) => self.busy(id, "ended, its output is still open"),
            None => {}
        }
    }

    /// The `exited` event: the code is known, the end is near.
    pub fn exited(&mut self, id: SessionId, mut exit_code: i64) {
        if let Some(live) = self.live(id) {
            let died_of = match live.personality.signal_exits {
                SignalExits::Zero => live.signal.filter(|n| exit_code == 0 && is_deadly(*n)),
                SignalExits::Number => {
                    let named = live.signal_in_words;
                    named.filter(|number| i64::from(*number) == exit_code)
                }
                SignalExits::Shell => None,
            };
            exit_code = died_of.map_or(exit_code, |number| 128 + i64::from(number));
        }
        self.exit_code(id, exit_code);
        // A recorded one ends when it did.
        if self.live.contains_key(&id) && self.playback(id).is_none() {
            self.unless_over(id, TERMINATED_GRACE, move |owner| owner.terminated(id));
        }
    }

    /// An exit code that an adapter tells. Of a program that we killed or let go its number says nothing: it runs on, had none of its
    /// own, or tells of the signal that ended it for us.
    pub fn exit_code(&mut self, id: SessionId, exit_code: i64) {
        let made_up = self.live(id).is_some_and(|live| {
            let asked = live.ended_by_program.unwrap_or(live.ending);
            let is_number = matches!(live.personality.signal_exits, SignalExits::Number);
            let mut by_us = BY_US.iter();
            asked
                && (live.disconnecting
                    || exit_code == 0
                    || by_us.any(|n| exit_code == 128 + n || is_number && exit_code == *n))
        });
        if !made_up {
            self.change(id, Change::Exited { exit_code });
        }
    }

    /// The `terminated` event, or what counts as one: the debuggee is gone or let go.
    pub fn terminated(&mut self, id: SessionId) {
        if self.ends_in_recording(id) {
            return;
        }
        let Some(live) = self.live(id) else {
            return;
        };
        if live.over.is_cancelled() {
            return;
        }
        if !live.handshake.complete && live.starter.is_some() {
            // The real reason is the answer to `launch`, which is on its way; an adapter that owes it is closed by its
            // deadline.
            self.unless_over(id, TERMINATED_GRACE, move |owner| {
                // It did run and was too quick for the handshake.
                let stderr = owner.stderr_of(id);
                owner.fail_start(
                    id,
                    DebuggerError::adapter(format!(
                        "The debug session ended before the program ran.{stderr}"
                    )),
                );
                owner.end_by_program(id);
            });
            return;
        }
        self.end_by_program(id);
    }

    /// The program has ended. What it has left would be ended with its adapter: the session goes on until that has ended, too, or until
    /// somebody ends the session.
    fn end_by_program(&mut self, id: SessionId) {
        let Some(live) = self.live_mut(id) else {
            return;
        };
        let launched = live.kind == StartKind::Launch && !live.ending;
        match live.process.as_ref().filter(|_| launched) {
            // It is looked for, or waited for.
            Some(_) if live.left => {}
            Some(process) => {
                live.left = true;
                let left = process.left();
                self.spawn(left, move |owner, left| owner.wait_for_left(id, left));
            }
            None => self.over_by_program(id),
        }
    }

    fn wait_for_left(&mut self, id: SessionId, mut left: Vec<(Pid, String)>) {
        // What is debugged has a session of its own.
        let debugged: Vec<_> = self.hub.state.live().filter_map(|s| s.pid).collect();
        left.retain(|(pid, _)| !debugged.contains(&pid.as_raw_nonzero().get().into()));
        let Some(live) = self.live_mut(id) else {
            return;
        };
        if left.is_empty() || live.ending {
            return self.over_by_program(id);
        }
        let over = live.over.clone();
        let named = left.iter().take(LEFT_NAMED);
        let named = named.map(|(pid, name)| format!("{name} (pid {})", pid.as_raw_nonzero()));
        let mut named = named.joined(", ");
        if let Some(more) = left.len().checked_sub(LEFT_NAMED).filter(|more| *more > 0) {
            let _ = write!(named, " and {more} more");
        }
        let known = self.session(id).and_then(|s| s.activity.as_deref()) == Some(RUNS_ON);
        self.busy(id, RUNS_ON);
        // What comes of those again is no news.
        if !known {
            let told = "The program has ended. What it started runs on until this session ends";
            self.inform(id, format!("{told}: {named}."));
        }
        let ended = join_all(left.into_iter().map(|(pid, _)| threads::ended(pid)));
        let ended = over.run_until_cancelled_owned(ended);
        self.spawn(ended, move |owner, ended| {
            let Some(live) = owner.live_mut(id).filter(|live| !live.over.is_cancelled()) else {
                return;
            };
            if ended.is_some_and(|all| all.into_iter().all(|ended| ended)) {
                // Those may have left others.
                live.left = false;
                return owner.end_by_program(id);
            }
            owner.over_by_program(id);
        });
    }

    fn over_by_program(&mut self, id: SessionId) {
        let Some(live) = self.live_mut(id) else {
            return;
        };
        let drain = Duration::from_millis(live.personality.drain_after_terminated_ms.unwrap_or(50));
        let asked = live.ending;
        live.ending = true;
        let in_words = !live.personality.exit_code_patterns.is_empty();
        live.ended_by_program = Some(asked);
        let told = live.plan.exit_report.as_ref().and_then(Reported::code);
        let died_of = live.signal.filter(|n| !asked && is_deadly(*n));
        let told = told.or_else(|| Some(128 + i64::from(died_of?)));
        if let Some(exit_code) = told
            && self.session(id).is_some_and(|s| s.exit_code.is_none())
        {
            self.change(id, Change::Exited { exit_code });
        }
        // Output may still follow, and with some adapters the exit code.
        let known = self.session(id).is_some_and(|s| s.exit_code.is_some());
        if known {
            self.ended_by_program(id, asked);
        }
        self.spawn(time::sleep(drain), move |owner, ()| {
            // An adapter that tells the code in words may do so with its last ones.
            if known || !in_words {
                owner.ended_by_program(id, asked);
            }
            owner.release(id);
        });
    }

    /// Lets a session go whose own part is over, or holds it until its children are gone.
    pub fn release(&mut self, id: SessionId) {
        let children = !self.live_children(id).is_empty() && self.shutting_down.is_none();
        let Some(live) = self.live_mut(id) else {
            return;
        };
        // A goodbye that is due follows those of the children anyway.
        if live.goodbye.is_some() {
            return;
        }
        if children && !live.disconnecting {
            live.lingers = true;
            return;
        }
        let terminate = live.kind == StartKind::Launch;
        self.disconnect(id, terminate);
    }

    pub fn ended_by_program(&mut self, id: SessionId, asked: bool) {
        let launched = self.live(id).is_some_and(|l| l.kind == StartKind::Launch);
        let why = match self.session(id).and_then(|s| s.exit_code) {
            // What a killed program's exit code is depends on the adapter and says nothing.
            _ if asked && launched => "The program was ended.".to_owned(),
            Some(code) => format!("The program ended with {}.", exit::words(code)),
            None if self.is_cut_short(id) => {
                "The recording ends here; how the program ended is not in it.".to_owned()
            }
            None if asked => self.was_let_go(id).to_owned(),
            None => "The program ended.".to_owned(),
        };
        if !asked {
            self.tell_never_hit(id);
        }
        let session = self.session(id);
        if session.is_some_and(|s| !asked && s.exit_code.is_none() && s.phase == Phase::Stopped) {
            return self.killed(id);
        }
        self.ended(id, &why);
    }

    /// Its program was killed while it was stopped, by somebody else. Who looked at it now sees another one, and is told why.
    fn killed(&mut self, id: SessionId) {
        let looked_at = self.hub.state.focus == Some(id);
        self.ended(id, "Killed while it was stopped.");
        let looked_at = looked_at && self.hub.state.focus != Some(id);
        let root = self.root_of(id);
        let by_us = root != id && self.live(root).is_some_and(|live| live.ending);
        let name = self.session(id).map(|session| session.name.clone());
        if let Some(name) = name.filter(|_| looked_at && !by_us) {
            self.warn(
                id,
                format!("{name}, which you looked at, was killed while it was stopped."),
            );
        }
    }

    /// Says that the session is over. Once.
    pub fn ended(&mut self, id: SessionId, why: &str) {
        if let Some(live) = self.live(id) {
            live.over.cancel();
        }
        self.keep_placed(id);
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
    pub fn refocus(&mut self, ended: SessionId) {
        let state = &self.hub.state;
        if state.focus != Some(ended) {
            return;
        }
        let root = state.root_of(ended);
        let rank = |s: &&Session| (state.root_of(s.id) != root, s.phase != Phase::Stopped);
        // When all is over, it is the program that was started: what it printed is there.
        let other = state.live().min_by_key(rank).map(|s| s.id);
        if let Some(other) = other.or_else(|| (root != ended).then_some(root)) {
            self.hub.focus(other);
        }
    }
}
