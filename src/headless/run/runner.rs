//! The run itself: follows the core's events, prints what they mean, and decides at each stop how to go on.
//!
//! After a stop everything wanted is told; then come the steps that were asked for, or the program goes on to its next stop. A run
//! ends with its program, or for one of the reasons of [`Ending`]; [`Runner::finish`] is on every path.

use std::{collections::HashSet, pin::Pin};

use debugger::{
    Event as CoreEvent,
    tool::{discretion::Discretion, printed::Printed},
};
use futures_util::future::{OptionFuture, try_join_all};
use tokio::select;

use super::{
    events::{AdapterMessage, ChildSession, Output},
    exceptions::Thrown,
    input::Feed,
    logpoints::Pattern,
    options::Options,
    prelude::*,
    trace::Trace,
    writer::Printer,
};

type Launching = Pin<Box<dyn Future<Output = Result<Vec<Reply>>> + Send>>;

/// A function in a thread of a session, for what was seen in it.
type Function = (SessionId, Option<i64>, String, Option<String>);

/// One run.
pub struct Runner {
    pub core: CoreHandle,
    pub state: State,
    pub options: Options,
    pub seen_locals: HashMap<Function, Fields>,
    pub trace: Option<Trace>,
    pub events: Subscription,
    pub pending: VecDeque<CoreEvent>,
    pub printer: Printer,
    /// What programs printed without secrets: a name and its value may come in two pieces.
    pub hidden: Printed,
    pub launching: Option<Launching>,
    /// What is printed from then on is no program's.
    pub start_failed: bool,
    /// When the start was answered, in milliseconds.
    pub started: Option<u64>,
    pub failed: Option<DebuggerError>,
    /// What was asked for; the others of a compound are beside it.
    pub root: Option<SessionId>,
    /// Sessions that were asked for and are not there yet.
    pub expected: usize,
    /// Those that were asked for and live.
    pub roots: HashSet<SessionId>,
    /// None of those that were asked for lives any more.
    pub root_gone: bool,
    /// The core itself has ended.
    core_gone: bool,
    pub launched: Option<u64>,
    pub last_exit_code: Option<i64>,
    pub stops: VecDeque<(SessionId, StopId)>,
    pub stops_told: u32,
    /// Steps that a session is still to make, and those made since the last stop.
    pub stepping: HashMap<SessionId, (u32, u32)>,
    pub traced: bool,
    pub breakpoints_told: BTreeMap<BreakpointId, (SessionId, BreakpointState)>,
    pub logpoints: Vec<Pattern>,
    pub reckoning: Reckoning,
    /// The last exception that was told of each thread.
    pub thrown: HashMap<(SessionId, i64), Thrown>,
    /// A stop was where a test fails.
    pub test_failed: bool,
    /// A program's terminal is given what is piped into us.
    pub fed: Option<Feed>,
    /// It was said that nobody reads it.
    pub told_unread: bool,
}

impl Runner {
    pub async fn new(core: CoreHandle, options: Options, printer: Printer) -> Option<Self> {
        let (state, events) = core.subscribe().await?;
        let events = events.whole();
        let redactor = printer.redactor.as_deref().cloned();
        let hidden = redactor.map_or_else(Discretion::none, Discretion::from);
        Some(Self {
            core,
            state,
            options,
            seen_locals: HashMap::new(),
            trace: None,
            events,
            pending: VecDeque::new(),
            hidden: Printed::new(hidden),
            printer,
            launching: None,
            start_failed: false,
            started: None,
            failed: None,
            root: None,
            expected: 0,
            roots: HashSet::new(),
            root_gone: false,
            core_gone: false,
            launched: None,
            last_exit_code: None,
            stops: VecDeque::new(),
            stops_told: 0,
            stepping: HashMap::new(),
            traced: false,
            breakpoints_told: BTreeMap::new(),
            logpoints: Vec::new(),
            reckoning: Reckoning::default(),
            thrown: HashMap::new(),
            test_failed: false,
            fed: None,
            told_unread: false,
        })
    }

    /// Sets what is to be stopped at, and starts.
    pub async fn begin(&mut self, starts: Vec<Command>) -> Result<()> {
        for command in self.options.stops.clone() {
            if let Reply::Breakpoint { breakpoint } = self.core.request(command).await? {
                self.logpoints.extend(Pattern::of(&breakpoint));
            }
        }
        let starting: Vec<_> = starts
            .into_iter()
            .map(|start| self.core.request(start))
            .collect();
        self.expected = starting.len();
        self.launching = Some(Box::pin(try_join_all(starting)));
        Ok(())
    }

    /// Follows the program until the run is over.
    pub async fn drive(&mut self) -> Ending {
        loop {
            while let Some((session, stop)) = self.stops.pop_front() {
                if let Some(ending) = self.stopped(session, stop).await {
                    return ending;
                }
            }
            if let Some(error) = self.failed.take() {
                // What its compiler said is on its way.
                if self.root.is_some()
                    && let Some(Command::Launch(spec)) = self.options.starts.first()
                    && !spec.command.is_empty()
                {
                    self.until(|_| false).await;
                }
                return Ending::Failed(error);
            }
            if self.root_gone {
                // Whether it ever began is in the answer to the start.
                if let Some(launching) = self.launching.take()
                    && let Err(error) = launching.await
                {
                    return Ending::Failed(error);
                }
                return self.ended();
            }
            if !self.advance().await {
                return Ending::Ended;
            }
        }
    }

    /// Takes in the next thing that happens; false when nothing will any more.
    pub async fn advance(&mut self) -> bool {
        if let Some(event) = self.pending.pop_front() {
            self.take(event).await;
            return true;
        }
        if self.core_gone {
            return false;
        }
        select! {
            biased;
            Some(answer) = OptionFuture::from(self.launching.as_mut()) => {
                self.launching = None;
                self.failed = answer.err();
                if self.failed.is_none() {
                    self.started = Some(self.printer.tally.elapsed_ms());
                    self.tell_launched(false).await;
                }
            }
            events = self.events.next() => match events {
                Some(events) => self.pending.extend(events),
                None => self.core_gone = true,
            },
        }
        true
    }

    /// Goes on taking in what happens until `done`, or until there is nothing left to wait for.
    pub async fn until(&mut self, done: impl Fn(&Self) -> bool) {
        while !done(self) && !self.root_gone && self.failed.is_none() && self.advance().await {}
    }

    pub async fn tell(&mut self, event: Event) {
        self.printer.tell(&event).await;
    }

    /// Applies an event and tells what it means.
    async fn take(&mut self, event: CoreEvent) {
        if let EventKind::Session {
            session,
            change: Change::Output { chunks },
        } = &event.kind
        {
            // What was printed is told and not kept.
            let (session, chunks) = (*session, Arc::clone(chunks));
            return self.printed(session, &chunks).await;
        }
        self.state.apply(&event);
        match event.kind {
            EventKind::SessionStarted { session } => {
                if session.parent.is_none() {
                    self.expected = self.expected.saturating_sub(1);
                    self.roots.insert(session.id);
                }
                if self.root.is_none() && session.parent.is_none() {
                    self.root = Some(session.id);
                } else {
                    let child = child(&session);
                    self.tell(Event::ChildSessionStarted(child)).await;
                }
            }
            EventKind::BreakpointAnswered {
                breakpoint,
                session,
                answer: Some(answer),
            } => {
                self.answered(breakpoint, session, &answer).await;
            }
            EventKind::Message {
                severity,
                text,
                hint,
                ..
            } => {
                let message = AdapterMessage {
                    severity,
                    text,
                    hint,
                };
                self.tell(Event::AdapterMessage(message)).await;
            }
            EventKind::Session { session, change } => self.changed(session, change).await,
            _ => {}
        }
    }

    async fn changed(&mut self, id: SessionId, change: Change) {
        let is_root = self.root == Some(id);
        match change {
            Change::Process { .. } => self.tell_launched(self.is_own(id)).await,
            Change::Adapter { .. } => self.tell_launched(false).await,
            Change::Stopped { stop } => {
                self.tell_launched(self.is_own(id)).await;
                self.stops.push_back((id, stop.id));
            }
            Change::Terminal { .. } if self.fed.is_none() && self.types_input() => {
                self.fed = Feed::begin(self.core.clone(), id);
            }
            Change::OutputLost { bytes } => {
                let lost = Output {
                    category: "console".to_owned(),
                    lost_bytes: bytes,
                    session: self.child_name(id),
                    ..Output::default()
                };
                self.tell(Event::Output(lost)).await;
            }
            Change::Exited { exit_code } => self.last_exit_code = Some(exit_code),
            Change::Recorded { row } => self.recorded(id, &row).await,
            Change::Typed { typed } => {
                for problem in typed.problems {
                    self.tell(Event::Diagnostic(problem.into())).await;
                }
            }
            Change::Ended { .. } if !is_root => {
                let Some(ended) = self.state.session(id).map(child) else {
                    return;
                };
                self.tell(Event::ChildSessionEnded(ended)).await;
            }
            Change::Gone => {
                self.hidden.forget(id);
                self.roots.remove(&id);
                self.root_gone = self.roots.is_empty() && self.expected == 0;
            }
            _ => {}
        }
    }

    /// A text without what looks like a secret, if those are to be hidden.
    pub fn clean(&self, name: Option<&str>, text: String) -> String {
        match &self.printer.redactor {
            Some(redactor) => redactor.redact_value(name, &text).into_owned(),
            None => text,
        }
    }
}

/// A child process's session, as it is told.
pub fn child(session: &Session) -> ChildSession {
    ChildSession {
        session: session.id.to_string(),
        parent: session.parent.map(|p| p.to_string()),
        name: session.name.clone(),
        pid: session.pid,
        exit_code: session.exit_code,
        reason: session.ended.clone(),
    }
}

/// What is known of breakpoints, by their numbers.
#[derive(Debug, Default)]
pub struct Reckoning {
    /// Those that were hit.
    pub hits: BTreeSet<u64>,
    /// Conditions that were tried at a stop.
    pub tried: BTreeSet<u64>,
    /// Moves that were told.
    pub moved: BTreeSet<u64>,
}
