//! One call at work: what it knows of the core, how long it may still take, and the ways to wait.
//!
//! A turn subscribes before it sends anything, so that no stop can slip by between a request and the wait for what it brings.

use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::command::{Command, Reply};
use crate::core::{CoreHandle, Subscription};
use crate::error::{DebuggerError, Kind};
use crate::gate;
use crate::ids::SessionId;
use crate::state::{Session, State};
use crate::tool::arguments::Arguments;
use crate::tool::discretion::Discretion;
use crate::tool::table::ActionRow;
use crate::tool::text::one_line;
use dap::client::RequestError;

/// See the module.
pub(super) struct Turn {
    /// The action.
    pub row: &'static ActionRow,
    /// What the core has told up to now.
    pub state: State,
    /// What is told of values.
    pub discretion: Discretion,
    /// The session that was named.
    named: Option<SessionId>,
    core: CoreHandle,
    events: Subscription,
    began: Instant,
    patience: Duration,
}

/// How a wait ended.
pub(super) enum Waited<T> {
    /// With what was waited for.
    Found(T),
    /// The time is over.
    TimedOut,
}

impl Turn {
    pub async fn begin(
        core: &CoreHandle,
        row: &'static ActionRow,
        arguments: &Arguments,
        discretion: &Discretion,
    ) -> Result<Self, DebuggerError> {
        let (state, events) = core.subscribe().await.ok_or_else(ended)?;
        let patience = arguments.timeout();
        let named = arguments.text("session").map(|name| named(&state, name));
        Ok(Self {
            named: named.transpose()?,
            row,
            state,
            discretion: discretion.clone(),
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
    pub fn session(&self) -> Result<&Session, DebuggerError> {
        let is_meant = |s: &&Session| self.named.is_some() || s.phase.is_live();
        let session = self.meant().filter(is_meant).ok_or_else(no_session)?;
        if let Some(action) = self.row.gate {
            gate::check(session, action)?;
        }
        if let Some(noun) = self.row.noun
            && !self.row.is_offered_by(&session.capabilities)
        {
            return Err(DebuggerError::new(
                Kind::Capability,
                format!("Active adapter does not support {noun}."),
            ));
        }
        Ok(session)
    }

    /// Asks the core for something, within the time that is left; a request that is late, or that nobody waits for any more, is
    /// taken back. Whatever changed by it is known then: a core hands out the events that led to an answer before the answer.
    pub async fn ask(&mut self, command: Command) -> Result<Reply, DebuggerError> {
        let left = self.deadline().saturating_duration_since(Instant::now());
        // In whole milliseconds, as the sentence has them.
        let left = Duration::from_millis(left.as_micros().div_ceil(1_000) as u64);
        let answer = timeout_at(self.deadline(), self.core.request_within(command, left)).await;
        self.catch_up();
        answer.unwrap_or_else(|_elapsed| Err(self.overdue()))
    }

    /// As [`Self::ask`], for what makes the program run: done when it is answered, or `arrived` says that what comes of it has
    /// come. Some adapters answer only then, and to take the request back would be to meddle with the program.
    pub async fn ask_to_run(
        &mut self,
        command: Command,
        arrived: impl Fn(&State) -> bool,
    ) -> Result<(), DebuggerError> {
        let deadline = self.deadline();
        let mut answer = pin!(self.core.request(command));
        while !arrived(&self.state) {
            tokio::select! {
                biased;
                answer = &mut answer => {
                    self.catch_up();
                    return answer.map(drop);
                }
                events = self.events.next() => match events {
                    Some(events) => events.iter().for_each(|event| self.state.apply(event)),
                    None => return Err(ended()),
                },
                () = sleep_until(deadline) => return Err(self.overdue()),
            }
        }
        Ok(())
    }

    /// Notes that a session was used by what is answered without its adapter. To name another one than that in focus does not
    /// move the focus.
    pub async fn touch(&mut self, session: SessionId) -> Result<(), DebuggerError> {
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
            for event in &events {
                self.state.apply(event);
            }
        }
    }

    /// Waits until `look` finds something in what is known, at most until `deadline`.
    pub async fn until<T>(
        &mut self,
        deadline: Instant,
        look: impl Fn(&State) -> Option<T>,
    ) -> Result<Waited<T>, DebuggerError> {
        loop {
            if let Some(found) = look(&self.state) {
                return Ok(Waited::Found(found));
            }
            match timeout_at(deadline, self.events.next()).await {
                Ok(Some(events)) => {
                    for event in &events {
                        self.state.apply(event);
                    }
                }
                Ok(None) => return Err(ended()),
                Err(_elapsed) => return Ok(Waited::TimedOut),
            }
        }
    }
}

/// The session at the root of this one's tree.
pub(super) fn root_of(state: &State, id: SessionId) -> SessionId {
    state.root_of(id)
}

/// All sessions below a root, itself first.
pub(super) fn tree(state: &State, root: SessionId) -> impl Iterator<Item = &Session> {
    state
        .sessions
        .iter()
        .filter(move |s| root_of(state, s.id) == root)
}

/// The session of a name: `debug-2`, or only `2`.
fn named(state: &State, name: &str) -> Result<SessionId, DebuggerError> {
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
        DebuggerError::new(
            Kind::Usage,
            format!("There is no session {}.", one_line(name)),
        )
        .hint(hint)
    })
}

/// The sentence for actions that need a session when there is none.
pub(super) fn no_session() -> DebuggerError {
    DebuggerError::new(
        Kind::State,
        "No active debug session. Launch or attach first.",
    )
}

fn ended() -> DebuggerError {
    DebuggerError::new(Kind::State, "The debugger core has ended.")
}
