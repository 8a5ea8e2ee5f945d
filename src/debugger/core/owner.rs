//! What the owner has, and what everything that it does goes through. Its loop is in `commands`.

use std::pin::Pin;

use dap::client::{Incoming, UnansweredRequest};

use super::{
    guard::Guard, hub::Hub, live::Gathering, prelude::*, refusals::no_session, seen::SeenTree,
    shared::Runs, taps::Taps,
};
use crate::{demo, project::Project};

/// Batches from adapters that may wait; past that, adapters are slowed.
const WAITING_BATCHES: usize = 64;

/// What reaches the owner ahead of what adapters send.
pub enum Control {
    /// Someone asks for something.
    Command {
        command: Box<Command>,
        terms: Option<Terms>,
        /// Who; none = the person.
        by: Option<Arc<Asker>>,
        reply: Answer,
    },
    /// Whether someone may do an action that only looks.
    May {
        by: Arc<Asker>,
        action: &'static str,
        reply: oneshot::Sender<Result<()>>,
    },
    /// Someone came.
    Here { actor: Actor, answers: bool },
    /// Someone went.
    Gone { actor: Actor, answers: bool },
    /// Someone wants to follow.
    Subscribe {
        reply: oneshot::Sender<(State, Subscription)>,
    },
    /// Slow work is done, and this is what is to be made of it.
    Then(Then),
}

/// What the owner does with what came of slow work.
type Then = Box<dyn FnOnce(&mut Owner) + Send>;

/// What one session's adapter sent, or the debuggee that runs on a terminal of ours.
pub struct FromAdapter {
    pub session: SessionId,
    /// Which connection of the session: a start that is tried again leaves an older one behind.
    pub generation: u32,
    pub what: Sent,
}

/// See [`FromAdapter`].
pub enum Sent {
    /// Protocol messages and their surroundings, in order.
    Messages(Vec<Incoming>),
    /// What the debuggee wrote to a pipe or terminal of ours.
    Printed(Box<OutputChunk>),
    /// What a task printed that runs before a session or after it, whatever connection there is by then.
    Task(String),
    /// What a step of a start is at.
    Doing(String),
    /// Tasks with these labels run.
    TasksRun(Vec<String>),
    /// These requests wait long for their answers, and no others do.
    Late(Vec<UnansweredRequest>),
}

/// The owner.
pub struct Owner {
    pub config: Arc<CoreConfig>,
    pub hub: Hub,
    pub live: HashMap<SessionId, Live>,
    /// How each session was asked for, to be able to ask again once it has ended.
    pub origins: HashMap<SessionId, Origin>,
    pub gatherings: Vec<Gathering>,
    /// Tasks of sessions that were started together.
    pub runs: Vec<(Together, Runs)>,
    /// What was seen at the stops of each session.
    pub histories: HashMap<SessionId, History>,
    /// What breakpoints recorded in each session.
    pub records: HashMap<SessionId, Records>,
    /// Which breakpoints were hit in each tree of sessions, under its root.
    pub seen: HashMap<SessionId, SeenTree>,
    /// What listens to the connections.
    pub taps: Arc<Taps>,
    pub project: Option<Project>,
    /// Weak, so that the core ends with the last handle.
    pub control: mpsc::WeakUnboundedSender<Control>,
    pub adapters: mpsc::Sender<FromAdapter>,
    pub from_adapters: Option<mpsc::Receiver<FromAdapter>>,
    ids: u64,
    sessions_made: u64,
    /// Rows and columns of terminals that debuggees are started in.
    pub terminal_size: (u16, u16),
    /// What the one wants whose command is being done.
    pub terms: Option<Terms>,
    /// Who that is; none = the person.
    pub by: Option<Arc<Asker>>,
    /// What others may do, and what they asked.
    pub guard: Guard,
    /// Set by `Shutdown`: who is told once everything is gone.
    pub shutting_down: Option<Vec<Answer>>,
    /// Sets of breakpoints whose reason for never having been in place is being looked for: it is still to be told.
    pub explaining: usize,
}

impl Owner {
    pub fn new(config: CoreConfig, control: mpsc::WeakUnboundedSender<Control>) -> Self {
        let (adapters, from_adapters) = mpsc::channel(WAITING_BATCHES);
        let redactor = Redactor::new()
            .with_secrets(config.context.env.iter())
            .learning();
        let guard = Guard::new(&config, redactor.clone());
        let taps = Taps::new(config.recorder.clone(), redactor);
        let mut hub = Hub::default();
        hub.state.sharing.mode = config.permission;
        Self {
            taps: Arc::new(taps),
            config: Arc::new(config),
            hub,
            live: HashMap::new(),
            origins: HashMap::new(),
            gatherings: Vec::new(),
            runs: Vec::new(),
            histories: HashMap::new(),
            records: HashMap::new(),
            seen: HashMap::new(),
            project: None,
            control,
            adapters,
            from_adapters: Some(from_adapters),
            ids: 0,
            sessions_made: 0,
            terminal_size: super::terminal::SIZE,
            terms: None,
            by: None,
            guard,
            shutting_down: None,
            explaining: 0,
        }
    }

    /// Takes in what was kept with the project.
    pub async fn restore(&mut self, unkept: mpsc::UnboundedSender<String>) {
        let Some(path) = self.config.project.clone() else {
            return;
        };
        let state_dir = &self.config.context.state_dir;
        let (mut project, mut saved) = Project::open(state_dir, path.clone(), unkept).await;
        // The tour can be taken from any project, but its breakpoints are not that project's.
        let tour = demo::folder(&self.config.context);
        if path != tour {
            saved.breakpoints.retain(|breakpoint| {
                !matches!(&breakpoint.site, BreakpointSite::Source { path, .. } if path.starts_with(&tour))
            });
        }
        for breakpoint in saved.breakpoints {
            self.hub.publish(EventKind::BreakpointSet {
                breakpoint: Box::new(breakpoint),
            });
        }
        if saved.exception_filters.is_some() {
            self.hub.publish(EventKind::ExceptionFilters {
                filters: saved.exception_filters,
            });
        }
        for watch in saved.watches {
            self.hub.publish(EventKind::WatchSet { watch });
        }
        for (key, values) in saved.memory {
            self.hub.publish(EventKind::Memory { key, values });
        }
        if let Some(trouble) = saved.trouble {
            self.warn(None, trouble);
        }
        project.restored(self.hub.kept_at);
        self.project = Some(project);
    }

    /// Runs slow work elsewhere; `then` is called by the owner with what came of it.
    pub fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
        then: impl FnOnce(&mut Self, T) + Send + 'static,
    ) {
        // What is the same for all work is compiled once.
        self.spawn_boxed(Box::pin(async move {
            let result = work.await;
            Box::new(move |owner: &mut Self| then(owner, result)) as Then
        }));
    }

    fn spawn_boxed(&self, work: Pin<Box<dyn Future<Output = Then> + Send>>) {
        let Some(control) = self.control.upgrade() else {
            return;
        };
        // Work in progress does not keep the core alive.
        let weak = control.downgrade();
        drop(control);
        let (terms, by) = (self.terms.clone(), self.by.clone());
        tasks::spawn(async move {
            let then = work.await;
            if let Some(control) = weak.upgrade() {
                let _ = control.send(Control::Then(Box::new(move |owner| {
                    owner.on_behalf(by, terms, then);
                })));
            }
        });
    }

    /// Calls back after a while, unless the session is over before.
    pub fn unless_over(
        &self,
        id: SessionId,
        pause: Duration,
        then: impl FnOnce(&mut Self) + Send + 'static,
    ) {
        let over = self.live(id).map(|l| l.over.clone());
        let over = over.unwrap_or_default();
        let waits = async move { timeout(pause, over.cancelled()).await };
        self.spawn(waits, |owner, ended| {
            if ended.is_err() {
                then(owner);
            }
        });
    }

    /// Whether its program is gone, or let go.
    pub fn has_ended(&self, id: SessionId) -> bool {
        let session = self.session(id);
        session.is_none_or(|session| session.phase == Phase::Terminated)
    }

    pub fn next_session(&mut self) -> SessionId {
        self.sessions_made += 1;
        SessionId(self.sessions_made)
    }

    pub fn next_stop(&mut self) -> StopId {
        self.ids += 1;
        StopId(self.ids)
    }

    pub fn next_breakpoint(&self) -> BreakpointId {
        let known = self.breakpoints();
        BreakpointId(known.map(|b| b.id.0).max().unwrap_or(0) + 1)
    }

    /// Tells people what is not as it should be.
    pub fn warn(&mut self, session: impl Into<Option<SessionId>>, text: impl Into<String>) {
        self.say(session.into(), Severity::Warning, text, None);
    }

    /// The same, with what to do about it.
    pub fn warn_with(
        &mut self,
        session: SessionId,
        text: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let hint = Some(hint.into());
        self.say(Some(session), Severity::Warning, text, hint);
    }

    /// Tells people what is good to know.
    pub fn inform(&mut self, session: impl Into<Option<SessionId>>, text: impl Into<String>) {
        self.say(session.into(), Severity::Info, text, None);
    }

    /// Tells people something.
    pub fn say(
        &mut self,
        session: Option<SessionId>,
        severity: Severity,
        text: impl Into<String>,
        hint: Option<String>,
    ) {
        self.hub.publish(EventKind::Message {
            session,
            severity,
            text: text.into(),
            hint,
        });
    }

    pub fn session(&self, id: SessionId) -> Option<&Session> {
        self.hub.state.session(id)
    }

    /// The session at the top of the tree that a session is in.
    pub fn root_of(&self, id: SessionId) -> SessionId {
        self.hub.state.root_of(id)
    }

    /// The stop that a session stands at.
    pub fn current_stop(&self, id: SessionId) -> Option<&Stop> {
        self.session(id)?.current_stop()
    }

    pub fn is_in(&self, id: SessionId, phase: Phase) -> bool {
        self.session(id).is_some_and(|s| s.phase == phase)
    }

    pub fn breakpoints(&self) -> impl Iterator<Item = &Breakpoint> {
        self.hub.state.breakpoints.iter()
    }

    /// What the owner knows of a session beside that, while it has an adapter or is on its way to one.
    pub fn live(&self, id: SessionId) -> Option<&Live> {
        self.live.get(&id)
    }

    pub fn live_mut(&mut self, id: SessionId) -> Option<&mut Live> {
        self.live.get_mut(&id)
    }

    /// What speaks with a session's adapter, once there is one.
    pub fn client(&self, id: SessionId) -> Option<Client> {
        self.live(id)?.client.clone()
    }

    /// The session a command means.
    pub fn meant(&self, session: Option<SessionId>) -> Result<&Session> {
        match session {
            Some(id) => self
                .session(id)
                .ok_or_else(|| DebuggerError::usage(format!("There is no session {id}."))),
            None => self.hub.state.focused().ok_or_else(no_session),
        }
    }

    /// The session a command means, if its phase allows the action.
    pub fn checked(&self, session: Option<SessionId>, action: Action) -> Result<&Session> {
        let session = self.meant(session)?;
        gate::check(session, action)?;
        Ok(session)
    }

    /// The same, with its adapter's client.
    pub fn allowed(
        &self,
        session: Option<SessionId>,
        action: Action,
    ) -> Result<(&Session, Client)> {
        let session = self.checked(session, action)?;
        let client = self
            .client(session.id)
            .ok_or_else(|| DebuggerError::state("The session has no adapter yet."))?;
        Ok((session, self.on_terms(client)))
    }

    /// Sets the phase and what is under way.
    pub fn phase(&mut self, session: SessionId, phase: Phase, activity: Option<&str>) {
        // What is left of a program does not run, and a large dump takes its time.
        let is_read = phase == Phase::Running && self.is_core(session);
        let activity = activity.or_else(|| is_read.then_some("reading the core dump"));
        self.change(
            session,
            Change::Phase {
                phase,
                activity: activity.map(str::to_owned),
            },
        );
    }
}
