//! One call at work: what it knows of the core, how long it may still take, and the ways to wait.
//!
//! A turn subscribes before it sends anything, so that no stop can slip by between a request and the wait for what it brings.

use std::pin::pin;

use dap::{client::RequestError, requests::DapRequest};
use futures_util::FutureExt as _;
use tokio::time::sleep_until;

use crate::{
    core::Subscription,
    permission::Actor,
    prelude::*,
    tool::{
        Tool, arguments::Arguments, row::ActionRow, snapshot::LastSnapshots, summary::Summary,
        text::one_line,
    },
};

/// See the module.
pub struct Turn {
    /// The action.
    pub row: &'static ActionRow,
    /// What the core has told up to now.
    pub state: State,
    /// What is told of values.
    pub discretion: Discretion,
    /// What was told of stops.
    pub seen: LastSnapshots,
    /// The session that was named.
    named: Option<SessionId>,
    /// Who calls.
    actor: Actor,
    /// Whether they were seen to drive.
    drove: bool,
    core: CoreHandle,
    events: Subscription,
    /// How many calls wait for the program.
    waits: watch::Sender<usize>,
    began: Instant,
    patience: Duration,
}

impl Turn {
    pub async fn begin(
        core: &CoreHandle,
        row: &'static ActionRow,
        arguments: &Arguments,
        tool: &Tool,
    ) -> Result<Self> {
        let (state, events) = core.subscribe().await.ok_or_else(ended)?;
        let patience = arguments.timeout();
        let named = arguments.text("session").map(|name| named(&state, name));
        Ok(Self {
            named: named.transpose()?,
            row,
            state,
            discretion: tool.discretion.clone(),
            seen: tool.seen.clone(),
            waits: tool.waits.clone(),
            actor: core.actor(),
            drove: false,
            core: core.clone(),
            events,
            began: Instant::now(),
            patience,
        })
    }

    /// How long the whole call may take.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    pub fn deadline(&self) -> Instant {
        self.began + self.patience
    }

    /// The session that is meant: the one that was named, or the one in focus.
    pub fn meant(&self) -> Option<&Session> {
        match self.named {
            Some(id) => self.state.session(id),
            None => self.state.focused(),
        }
    }

    /// The session that is meant, if its phase allows the action and its adapter can do it. Nothing is sent otherwise.
    pub fn session(&self) -> Result<&Session> {
        let restarts = self.row.gate == Some(Action::Restart);
        let is_meant = |s: &&Session| self.named.is_some() || restarts || s.phase.is_live();
        let session = self.meant().filter(is_meant).ok_or_else(no_session)?;
        if let Some(action) = self.row.gate {
            gate::check(session, action)?;
        }
        if let Some(noun) = self.row.noun
            && !self.row.is_offered_by(&session.capabilities)
        {
            return Err(DebuggerError::capability(format!(
                "Active adapter does not support {noun}."
            )));
        }
        Ok(session)
    }

    /// Asks the core for something, within the time that is left; a request that is late, or that nobody waits for any more, is
    /// taken back. Whatever changed by it is known then: a core hands out the events that led to an answer before the answer.
    pub async fn ask(&mut self, command: Command) -> Result<Reply> {
        let left = self.deadline().saturating_duration_since(Instant::now());
        // In whole milliseconds, as the sentence has them.
        let left = Duration::from_millis(left.as_micros().div_ceil(1_000) as u64);
        let mut answer = pin!(self.core.request_within(command, left));
        loop {
            let answered = timeout_at(self.deadline(), &mut answer).await;
            self.catch_up();
            match answered {
                Ok(answer) => return answer,
                // The time of a person who thinks is not the call's.
                Err(_elapsed) if self.awaits_consent() => self.consented(left).await?,
                Err(_elapsed) => return Err(self.overdue()),
            }
        }
    }

    /// Asks the adapter of the session that is meant for something that it alone knows.
    pub async fn request<R: DapRequest>(
        &mut self,
        arguments: &R::Arguments,
    ) -> Result<R::Response> {
        let session = Some(self.session()?.id);
        let command = Command::request::<R>(session, arguments);
        self.ask(command).await?.answer::<R>()
    }

    /// Whether a person is asked about something that this caller wants.
    fn awaits_consent(&self) -> bool {
        let mut waiting = self.state.sharing.approvals.iter();
        waiting.any(|approval| self.actor.is_same(&approval.actor))
    }

    /// Waits until nobody is asked any more; what is left of the time begins then.
    async fn consented(&mut self, left: Duration) -> Result<()> {
        let _waiting = Waiting::new(&self.waits);
        while self.awaits_consent() {
            let events = self.events.next().await.ok_or_else(ended)?;
            self.apply(&events);
        }
        let now = Instant::now() + left;
        self.began = now.checked_sub(self.patience).unwrap_or(now);
        Ok(())
    }

    /// Takes in events.
    fn apply(&mut self, events: &[Event]) {
        for event in events {
            self.state.apply(event);
        }
        let drives =
            (self.state.sharing.driver.as_ref()).is_some_and(|driver| self.actor.is_same(driver));
        self.drove |= drives && !self.actor.is_human();
    }

    /// Whoever drove when the wait began and does no more is told at once.
    fn still_drives(&self) -> Result<()> {
        let driver = self.state.sharing.driver.as_ref();
        match driver.filter(|driver| self.drove && !self.actor.is_same(driver)) {
            Some(driver) => Err(DebuggerError::new(
                ErrorKind::NotDriver,
                format!(
                    "driver_changed: {} took control while this waited; what was asked was done.",
                    driver.to_others()
                ),
            )
            .hint(
                "look where the program is, and ask for control (request_control) before you go on",
            )),
            None => Ok(()),
        }
    }

    /// An error about another picture of the session, with the present one.
    pub fn with_snapshot(&mut self, error: DebuggerError) -> DebuggerError {
        if !matches!(error.kind, ErrorKind::Stale | ErrorKind::NotDriver) {
            return error;
        }
        self.catch_up();
        let now = self.meant().map(|s| Summary::of(&self.state, s).json());
        DebuggerError {
            snapshot: now.map(Box::new),
            ..error
        }
    }

    /// The lines of a session's snapshot, and what else there is to say.
    pub fn with_lines(&self, session: SessionId, line: &str) -> String {
        let known = self.state.session(session);
        let mut lines = known.map_or_else(Vec::new, |s| Summary::of(&self.state, s).lines());
        lines.push(line.to_owned());
        lines.join("\n")
    }

    /// As [`Self::ask`], for what makes the program run: done when it is answered, or `arrived` says that what comes of it has
    /// come. Some adapters answer only then, and to take the request back would be to meddle with the program.
    pub async fn ask_to_run(
        &mut self,
        command: Command,
        arrived: impl Fn(&State) -> bool,
    ) -> Result<()> {
        let mut deadline = self.deadline();
        let left = deadline.saturating_duration_since(Instant::now());
        let mut answer = pin!(self.core.request(command));
        let _waiting = Waiting::new(&self.waits);
        // Where somebody is asked, it is not this that the program stopped for.
        while self.awaits_consent() || !arrived(&self.state) {
            tokio::select! {
                biased;
                answer = &mut answer => {
                    self.catch_up();
                    return answer.map(drop);
                }
                events = self.events.next() => {
                    self.apply(&events.ok_or_else(ended)?);
                    self.still_drives()?;
                }
                () = sleep_until(deadline) => {
                    if !self.awaits_consent() {
                        return Err(self.overdue());
                    }
                    self.consented(left).await?;
                    deadline = self.deadline();
                }
            }
        }
        Ok(())
    }

    /// Notes that a session was used by what is answered without its adapter. To name another one than that in focus does not
    /// move the focus.
    pub async fn touch(&mut self, session: SessionId) -> Result<()> {
        if self.state.focus != Some(session) {
            return Ok(());
        }
        self.ask(Command::Focus { session }).await.map(drop)
    }

    /// The sentence for a request that was not answered in time.
    fn overdue(&self) -> DebuggerError {
        RequestError::Timeout {
            command: self.row.request.unwrap_or(self.row.name).to_owned(),
            ms: self.patience.as_millis() as u64,
        }
        .into()
    }

    /// Takes in the events that wait.
    pub fn catch_up(&mut self) {
        while let Some(Some(events)) = self.events.next().now_or_never() {
            self.apply(&events);
        }
    }

    /// Waits until `look` finds something in what is known, at most until `deadline`: none when the time is over.
    pub async fn until<T>(
        &mut self,
        deadline: Instant,
        look: impl Fn(&State) -> Option<T>,
    ) -> Result<Option<T>> {
        let _waiting = Waiting::new(&self.waits);
        loop {
            if let Some(found) = look(&self.state) {
                return Ok(Some(found));
            }
            self.still_drives()?;
            match timeout_at(deadline, self.events.next()).await {
                Ok(Some(events)) => self.apply(&events),
                Ok(None) => return Err(ended()),
                Err(_elapsed) => return Ok(None),
            }
        }
    }
}

/// A call that waits for the program, for as long as this is held.
struct Waiting(watch::Sender<usize>);

impl Waiting {
    fn new(waits: &watch::Sender<usize>) -> Self {
        waits.send_modify(|waits| *waits += 1);
        Self(waits.clone())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.send_modify(|waits| *waits = waits.saturating_sub(1));
    }
}

/// All sessions below a root, itself first.
pub fn tree(state: &State, root: SessionId) -> impl Iterator<Item = &Session> {
    state
        .sessions
        .iter()
        .filter(move |s| state.root_of(s.id) == root)
}

/// The session of a name: `debug-2`, or only `2`.
fn named(state: &State, name: &str) -> Result<SessionId> {
    let number = name.trim();
    let number = number.strip_prefix("debug-").unwrap_or(number);
    let id = number.parse().ok().map(SessionId);
    let known = id.filter(|id| state.session(*id).is_some());
    known.ok_or_else(|| {
        let all: Vec<_> = state.sessions.iter().map(|s| s.id.to_string()).collect();
        let hint = match all.as_slice() {
            [] => "launch or attach first".to_owned(),
            all => format!("there are {}", all.join(", ")),
        };
        DebuggerError::usage(format!("There is no session {}.", one_line(name))).hint(hint)
    })
}

/// The sentence for actions that need a session when there is none.
pub fn no_session() -> DebuggerError {
    DebuggerError::state(gate::NO_SESSION)
}

fn ended() -> DebuggerError {
    DebuggerError::state("The debugger core has ended.")
        .hint("start it again (the screen, or serve), and then whatever had joined it")
}
