//! From a session to all that runs in it. A program that runs is stopped for it and let go on, unless its language can be asked as it runs.

use std::collections::HashSet;

use base::{
    text::sanitise::sanitise,
    threads::{self, FUTEX, Task},
};
use tokio::time::{Instant, sleep, timeout_at};

use super::{
    go,
    kernel::Samples,
    look::{FRAMES, HangScan, local_pid},
    native,
    report::{BUSY, Frame, Hang, Waiter},
    script,
};
use crate::{core::is_own, prelude::*};

/// Threads that are looked at, or what there is in their stead, unless somebody says otherwise.
pub const MOST: usize = 1024;
/// The time for all of it.
const TIME: Duration = Duration::from_secs(10);
/// What of it is kept for what is asked when their frames are known.
const AFTERWARDS: Duration = Duration::from_secs(4);
/// Frames of so many are asked for together.
const TOGETHER: usize = 64;

/// How long a program is watched that nobody looked at before.
pub const WATCHED: Duration = Duration::from_millis(60);

/// Looks at the program that a session belongs to, and leaves it running or standing as it was.
pub async fn look(
    core: &CoreHandle,
    session: SessionId,
    most: usize,
    samples: Samples,
) -> Result<Hang> {
    let gone = || DebuggerError::state("The debugger core has ended.");
    let (state, events) = core.subscribe().await.ok_or_else(gone)?;
    let mut look = HangScan {
        core: core.clone(),
        events,
        state,
        most,
        deadline: Instant::now() + TIME,
        samples,
        sources: HashMap::new(),
    };
    let root = look.state.root_of(session);
    look.program_is_there(root).await?;
    let state = &look.state;
    let is_parent = |id| state.sessions.iter().any(|s| s.parent == Some(id));
    // A session that only stands for its children has no threads of its own.
    let members = state.sessions.iter().filter(|s| {
        state.root_of(s.id) == root
            && gate::check(s, Action::List).is_ok()
            && !(is_parent(s.id) && s.threads.is_empty())
    });
    let members: Vec<_> = members.map(|s| s.id).collect();
    let mut hang = Hang::default();
    if let Some(session) = look.state.session(session) {
        gate::check(session, Action::List)?;
        let target = session.target.rsplit('/').next().unwrap_or_default();
        let pid = session.pid.filter(|_| !target.starts_with("pid "));
        let pid = pid.map(|pid| format!(" (pid {pid})"));
        hang.program = format!("{target}{}", pid.unwrap_or_default());
    }
    for id in &members {
        let stop = look.state.session(*id).and_then(Session::current_stop);
        if let Some(stop) = stop.filter(|stop| stop.reason == "exception") {
            // A runtime that sees for itself that nobody can go on says so by it.
            let said = [stop.text.as_deref(), stop.description.as_deref()];
            let said = said.into_iter().flatten().find(|said| !said.is_empty());
            let said = sanitise(said.unwrap_or("an exception"));
            hang.notes.push(format!("It has stopped at {said}"));
        }
        match look.one(*id, &mut hang).await {
            Err(error) if members.len() == 1 => return Err(error),
            Err(error) => hang.notes.push(format!("{id}: {error}")),
            Ok(()) => {}
        }
    }
    hang.sort();
    Ok(hang)
}

impl HangScan {
    /// Where the program is in a child of the session, that comes a moment after the answer to the attach.
    async fn program_is_there(&mut self, root: SessionId) -> Result<()> {
        let adapter = self.state.session(root).map(|s| s.adapter.clone());
        let table = Table::builtin();
        let adapter = adapter.and_then(|name| table.get(&name).ok());
        if !adapter.is_some_and(|adapter| adapter.personality.program_in_child) {
            return Ok(());
        }
        let has_begun = |s: &Session| {
            let begins = matches!(
                s.phase,
                Phase::NotStarted | Phase::Initializing | Phase::Configured
            );
            !begins
        };
        let waits = |state: &State| {
            let mut sessions = state.sessions.iter();
            let lives = state.session(root).is_some_and(|s| s.phase.is_live());
            lives && !sessions.any(|s| s.parent == Some(root) && has_begun(s))
        };
        while waits(&self.state) {
            let Ok(Some(events)) = timeout_at(self.deadline, self.events.next()).await else {
                let what = "The debugger did not reach the program in time.";
                return Err(DebuggerError::timeout(what));
            };
            self.take(&events);
        }
        Ok(())
    }

    async fn one(&mut self, id: SessionId, hang: &mut Hang) -> Result<()> {
        let Some(session) = self.state.session(id) else {
            return Ok(());
        };
        let table = Table::builtin();
        let languages = table
            .get(&session.adapter)
            .map(|adapter| adapter.languages.clone());
        let languages = languages.unwrap_or_default();
        // What is left of a program stands still, once its adapter has said so.
        let runs = session.phase == Phase::Running && !session.post_mortem;
        let pid = local_pid(session);
        if let Some(pid) = pid.filter(|pid| runs && !self.samples.is_known(*pid)) {
            self.samples.look(pid);
            sleep(WATCHED).await;
        }
        let before = pid.map(threads::tasks).unwrap_or_default();
        let shares = pid
            .map(|pid| self.samples.since(pid, &before, runs))
            .unwrap_or_default();
        let asking = Instant::now();
        let (mut goes_on, told) = (runs, hang.notes.len());
        let mut waiters = if let Some(waiters) = script::ask(self, id, &languages, hang).await {
            waiters
        } else {
            let stopped = self.stop(id, runs).await;
            // Why it was not asked itself says more than that it did not stop.
            let hint = hang
                .notes
                .get(told..)
                .and_then(|notes| notes.last())
                .cloned();
            stopped.map_err(|error| hint.into_iter().fold(error, DebuggerError::hint))?;
            let is_go = languages.iter().any(|language| language == "go");
            let seen = self.threads(id, pid, is_go, hang).await;
            // A stop for somebody else's look is theirs to end.
            if runs && self.stands_for_us(id) {
                let (session, thread) = (Some(id), None);
                self.ask(Command::Continue { session, thread }).await?;
            } else if runs {
                let stop = self.state.session(id).and_then(Session::current_stop);
                let reason = stop.map_or("", |stop| &stop.reason);
                let stands =
                    format!("Something else stopped it meanwhile ({reason}): it stays stopped.");
                hang.notes.push(stands);
                goes_on = false;
            }
            let seen = seen?;
            hang.notes.extend(script::unseen(&seen, pid));
            seen
        };
        hang.stood_ms = goes_on.then(|| asking.elapsed().as_millis() as u64);
        for waiter in &mut waiters {
            waiter.session = id;
            let Some(lwp) = waiter.lwp else { continue };
            waiter.cpu = shares.get(&lwp).copied();
            let works = waiter.cpu.is_some_and(|share| share > BUSY);
            waiter.running = before.get(&lwp).map(|task| runs && task.runs || works);
            // Who works does not wait, whatever its functions are called.
            waiter.wait = waiter.wait.take().filter(|_| !works);
        }
        if let Some(pid) = pid {
            self.samples.look(pid);
        }
        hang.waiters.append(&mut waiters);
        Ok(())
    }

    fn stands_for_us(&self, id: SessionId) -> bool {
        let stop = self.state.session(id).and_then(Session::current_stop);
        stop.is_some_and(|stop| stop.momentary)
    }

    /// Stops it if it runs, for as long as the look takes.
    async fn stop(&mut self, id: SessionId, asks: bool) -> Result<()> {
        let pause = |momentary| Command::Pause {
            session: Some(id),
            thread: None,
            momentary,
        };
        let mut paused = Ok(Reply::Done);
        if asks {
            paused = self.ask(pause(true)).await;
        }
        let runs = |state: &State| state.session(id).is_some_and(|s| s.phase == Phase::Running);
        if runs(&self.state) {
            // It may have been stopped meanwhile by whatever else, and that is as good.
            paused?;
        }
        while runs(&self.state) {
            let Ok(Some(events)) = timeout_at(self.deadline, self.events.next()).await else {
                // Whenever it stops now, nobody is there to let it go on.
                self.ask(pause(false)).await?;
                let what = "The program did not stop to be looked at.";
                return Err(DebuggerError::timeout(what));
            };
            self.take(&events);
        }
        Ok(())
    }

    /// Threads with their frames, and what they wait for.
    async fn threads(
        &mut self,
        id: SessionId,
        pid: Option<i64>,
        is_go: bool,
        hang: &mut Hang,
    ) -> Result<Vec<Waiter>> {
        self.ask(Command::Threads { session: Some(id) }).await?;
        let Some(session) = self.state.session(id) else {
            return Ok(Vec::new());
        };
        let all = AllThreads::of(session, pid);
        if session.has_more_threads() {
            hang.told_at_most = Some(all.threads.len());
        }
        let mut asked: BTreeSet<i64> = BTreeSet::new();
        let (mut waiters, mut read_in_all) = (Vec::new(), 0);
        let mut next: Vec<&Thread> = all.threads.iter().take(self.most).collect();
        // Whoever is waited for is read as well, and whom that one waits for.
        while !next.is_empty() {
            let kept = if asked.is_empty() {
                AFTERWARDS
            } else {
                AFTERWARDS / 2
            };
            asked.extend(next.iter().map(|thread| thread.id));
            let mut read = self.read(id, &next, &all, kept).await;
            read_in_all += read.len();
            if is_go {
                go::waits(self, id, &mut read).await;
            } else {
                native::waits(self, id, &mut read, &all).await;
            }
            waiters.append(&mut read);
            let holders = waiters.iter().filter_map(|w: &Waiter| w.wait.as_ref());
            let holders: HashSet<_> = holders.flat_map(|wait| &wait.holders).collect();
            let is_next = |t: &&Thread| !asked.contains(&t.id) && holders.contains(&key_of(id, t));
            next = all.threads.iter().filter(is_next).collect();
        }
        hang.left_out += all.threads.len().saturating_sub(read_in_all);
        Ok(waiters)
    }

    /// Where threads are, as far as there is more time than is kept.
    async fn read(
        &mut self,
        id: SessionId,
        threads: &[&Thread],
        all: &AllThreads,
        kept: Duration,
    ) -> Vec<Waiter> {
        let ask = |thread: &&Thread| Command::StackTrace {
            session: Some(id),
            thread: Some(thread.id),
            levels: FRAMES as i64,
        };
        let mut read = 0;
        for some in threads.chunks(TOGETHER) {
            if read > 0 && self.left() < kept {
                break;
            }
            self.many(some.iter().map(ask).collect()).await;
            read += some.len();
        }
        let stop = self.state.session(id).and_then(Session::current_stop);
        let stacks = stop.map(|stop| &stop.stacks);
        let waiters = threads.iter().take(read).map(|thread| {
            let stack = stacks.and_then(|stacks| stacks.get(&thread.id));
            let frames = stack.into_iter().flat_map(|stack| &stack.frames);
            let frames = frames.take(FRAMES).map(|f| {
                let subtle = matches!(f.presentation_hint.as_deref(), Some("subtle" | "label"));
                Frame {
                    name: f.name.clone(),
                    line: f.line,
                    own: !subtle && is_own(f),
                    path: f.path().map(str::to_owned),
                    id: Some(f.id),
                }
            });
            Waiter {
                key: key_of(id, thread),
                kind: "thread".to_owned(),
                name: name_of(thread).to_owned(),
                thread: Some(thread.id),
                lwp: all.lwps.get(&thread.id).copied(),
                frames: frames.collect(),
                ..Waiter::default()
            }
        });
        waiters.collect()
    }
}

/// All threads of a session, whether they are looked at or not.
pub struct AllThreads {
    /// Those first that are looked at first.
    threads: Vec<Thread>,
    /// The system's numbers for them.
    lwps: HashMap<i64, u32>,
    /// What the system says of them.
    pub tasks: BTreeMap<u32, Task>,
    /// Whoever has another number than these has ended.
    is_whole: bool,
}

impl AllThreads {
    fn of(session: &Session, pid: Option<i64>) -> Self {
        let tasks = pid.map(threads::tasks).unwrap_or_default();
        let mut all = session.threads.clone();
        // Nobody is meant by a name that several have.
        let mut named = HashMap::new();
        for (lwp, task) in &tasks {
            let known = named.entry(&*task.name);
            known.and_modify(|lwp| *lwp = None).or_insert(Some(*lwp));
        }
        let lwps = all.iter().map(|t| Some((t.id, lwp_of(t, &tasks, &named)?)));
        let lwps: HashMap<_, _> = lwps.flatten().collect();
        let is_whole = match pid {
            Some(pid) => (1..threads::MOST).contains(&tasks.len()) && threads::has_our_numbers(pid),
            None => session.post_mortem && lwps.len() == all.len(),
        };
        let stop = session.current_stop().and_then(|stop| stop.thread_id);
        let is_meant = |t: &Thread| [session.current_thread(), stop].contains(&Some(t.id));
        // A deadlock is of those who wait for a lock.
        let locks = |task: &Task| task.runs || matches!(task.call, Some([FUTEX, ..]));
        let locks = |t: &Thread| {
            lwps.get(&t.id)
                .and_then(|lwp| tasks.get(lwp))
                .is_some_and(locks)
        };
        all.sort_by_cached_key(|t| (!is_meant(t), !locks(t), t.id));
        Self {
            threads: all,
            lwps,
            tasks,
            is_whole,
        }
    }

    /// The keys of all, by the system's numbers.
    pub fn keys(&self, id: SessionId) -> HashMap<u32, String> {
        let keyed = |t: &Thread| Some((*self.lwps.get(&t.id)?, key_of(id, t)));
        self.threads.iter().filter_map(keyed).collect()
    }

    /// Whether it is sure that a thread has ended.
    pub fn has_ended(&self, lwp: u32) -> bool {
        self.is_whole && !self.tasks.contains_key(&lwp) && !self.lwps.values().any(|l| *l == lwp)
    }
}

fn key_of(id: SessionId, thread: &Thread) -> String {
    format!("{id} thread {}", thread.id)
}

/// A thread's name, without what an adapter says around it.
fn name_of(thread: &Thread) -> &str {
    let quoted = thread
        .name
        .split_once("tid=")
        .and_then(|(_, rest)| rest.split('"').nth(1));
    quoted.unwrap_or(&thread.name)
}

/// The system's number of a thread: said in its name, or its number here, or that of the only one with its name.
fn lwp_of(
    thread: &Thread,
    tasks: &BTreeMap<u32, Task>,
    named: &HashMap<&str, Option<u32>>,
) -> Option<u32> {
    let said = ["#", "tid=", "LWP "].into_iter().find_map(|mark| {
        let digits = thread.name.rsplit_once(mark)?.1;
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        digits.get(..end)?.parse().ok()
    });
    let own = || {
        u32::try_from(thread.id)
            .ok()
            .filter(|id| tasks.contains_key(id))
    };
    let only = || named.get(&*thread.name).copied().flatten();
    said.or_else(own).or_else(only)
}
