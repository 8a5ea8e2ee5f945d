//! What the owner knows of a session beyond its [`Session`]: the adapter behind it, and what is
//! still owed to whom.

use std::net::SocketAddr;

use dap::{
    message::Request as DapRequest, process::AdapterProcess, types::Breakpoint as AdapterBreakpoint,
};
use tokio::time::Instant;

use super::{evaluations::Evaluations, prelude::*, spill::Spill, terminal::Debuggee};
use crate::{recording::Playback, runners::Start, servers::ServerTree};

/// How a session was asked for, to be able to ask again.
#[derive(Clone, Debug)]
pub enum Origin {
    Launch(LaunchSpec),
    Attach(AttachSpec),
    /// A recording, played back.
    Replay(Playback),
    /// A child, announced by its parent's adapter: where to connect, and what to say there.
    Child(Box<ChildSpec>),
}

impl Default for Origin {
    fn default() -> Self {
        Self::Launch(LaunchSpec::default())
    }
}

/// Sessions that belong together, while what is run before all of them runs.
pub struct Gathering {
    pub together: Together,
    pub waiting: Vec<(SessionId, Origin)>,
}

/// How to reach and start a child.
#[derive(Clone, Debug)]
pub struct ChildSpec {
    pub resolved: Arc<Resolved>,
    pub address: Address,
    pub request: StartRequest,
    pub configuration: Value,
    /// What tells it from other children of its parent; empty where nothing does.
    pub identity: Vec<Value>,
    /// Where its debug server came to us, when that is how it is reached.
    pub family: Option<Arc<ServerTree>>,
    /// As with its parent: see [`Plan::foreign_types`].
    pub foreign_types: BTreeSet<String>,
}

/// A `startDebugging` that is not answered yet.
pub struct PendingChild {
    pub client: Client,
    pub request: DapRequest,
}

impl PendingChild {
    /// The child's session is there.
    pub fn grant(self) {
        self.client.respond(&self.request, Ok(json!({})));
    }

    /// There will be none, and why.
    pub fn refuse(self, why: &str) {
        self.client.respond(&self.request, Err(why.to_owned()));
    }
}

/// Hits that we have counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Hits {
    pub site: BreakpointSite,
    pub rule: String,
    pub count: u64,
}

impl Hits {
    pub fn none(wish: &Breakpoint, rule: &str) -> Self {
        Self {
            site: wish.site.clone(),
            rule: rule.to_owned(),
            count: 0,
        }
    }
}

/// A goodbye that waits for those of children.
#[derive(Clone, Copy, Debug)]
pub enum Goodbye {
    /// The program is asked to end first, where the adapter can do that.
    Politely,
    /// The adapter is told to go, with the debuggee or without it.
    Now { terminate: bool },
}

/// The six points of the handshake that may come in any order.
#[derive(Debug, Default)]
pub struct Handshake {
    /// The answer to `initialize` is here.
    pub capabilities_known: bool,
    /// `launch` or `attach` was sent.
    pub start_sent: bool,
    /// … and answered well.
    pub start_answered: bool,
    /// The `initialized` event came.
    pub initialized: bool,
    /// Breakpoints and `configurationDone` are on their way.
    pub configuring: bool,
    /// `configurationDone` was answered.
    pub configured: bool,
    /// The session counts as started: the asker was told.
    pub complete: bool,
}

/// A session with an adapter, or on its way to one.
#[derive(Default)]
pub struct Live {
    pub id: SessionId,
    pub kind: StartKind,
    /// Sources changed after this do not match the program.
    pub started: Option<SystemTime>,
    /// When someone last asked something of it.
    pub used: Option<Instant>,
    pub origin: Origin,
    /// What the adapter was started with.
    pub plan: Plan,
    /// The adapter's habits; those of one that keeps to the protocol until it is known.
    pub personality: Arc<Personality>,
    pub client: Option<Client>,
    pub process: Option<AdapterProcess>,
    /// The signal of the last stop, where the adapter was asked for it.
    pub signal: Option<i32>,
    /// The same, where it stands in the words of the stop.
    pub signal_in_words: Option<i32>,
    /// Where the adapter listens, so that children can be reached.
    pub address: Option<Address>,
    pub handshake: Handshake,
    /// Who waits for the start to be over.
    pub starter: Option<Answer>,
    /// Counts connections: a start that is tried again leaves an older one behind.
    pub generation: u32,
    /// Adapter's breakpoint ids to ours.
    pub by_adapter_id: HashMap<i64, BreakpointId>,
    /// Where its breakpoints are in memory, by its ids; those of ours that are not alone there.
    pub addresses: HashMap<i64, String>,
    pub shared: BTreeSet<BreakpointId>,
    /// The adapter's breakpoints that are filters', as far as it gives their numbers.
    pub filter_breakpoints: BTreeSet<i64>,
    /// Filters are on whose numbers it does not give.
    pub nameless_filters: bool,
    /// News of breakpoints whose id is not known yet: it may come before the answer that tells the id.
    pub early_news: BTreeMap<i64, AdapterBreakpoint>,
    /// Lists that were sent to the adapter, to send an empty one when the last breakpoint of one is gone.
    pub lists_sent: Vec<Which>,
    /// Functions that the adapter did not find or may take for another one, and what the program calls them.
    pub found: BTreeMap<String, BTreeSet<String>>,
    /// Hits of breakpoints that we count, and what they are counted for: another site or rule begins anew.
    pub hits: HashMap<BreakpointId, Hits>,
    /// Stops of which it is not known yet whether anyone is to see them.
    pub judging: usize,
    /// Threads that stand at a breakpoint which turned out not to be meant; they go on when nothing is under judgement.
    pub held_threads: Vec<i64>,
    /// The innermost frame of the last stop under judgement, its thread, and which breakpoints are there, where its number stays.
    pub judged_at: Option<(Option<i64>, Vec<BreakpointId>, StackFrame)>,
    /// Other threads' stops at breakpoints, told together with the one that is shown: each is shown before the program goes on.
    pub queued_stops: VecDeque<StoppedEvent>,
    /// The stop that is shown came with `preserveFocusHint`: the adapter will name another thread to look at.
    pub shown_unfocused: bool,
    /// How the program was last let go; none when it has only been started.
    pub resumed: Option<Resume>,
    /// The thread that it was a step of.
    pub stepped: Option<i64>,
    /// How often that step has gone on, where it keeps to the person's own code and its debugger cannot.
    pub own_step: Option<u32>,
    /// The stop of which it was said why the program came to it.
    pub cause_told: Option<StopId>,
    /// The stop whose exception the adapter was asked for, since its stack does not tell.
    pub exception_asked: Option<StopId>,
    /// The temporary breakpoint that the program is on its way to, and what a stop there is called.
    pub goal: Option<(BreakpointId, &'static str)>,
    /// What a command runs after this.
    pub next: VecDeque<Start>,
    /// Also when this fails.
    pub goes_on: bool,
    /// Tasks that go on while it lives.
    pub background: Vec<Arc<Background>>,
    /// At which stop it was said last that the program does not read what is typed.
    pub warned: Option<StopId>,
    /// The debuggee, when it runs on a pipe or terminal of ours.
    pub debuggee: Option<Debuggee>,
    pub spill: Option<Spill>,
    /// The adapter reports a crash of its own: what still comes is not the program's.
    pub muted: bool,
    /// The last line was left out, and its end has not come yet.
    pub cut_noise: bool,
    /// A `pause` was asked for and no stop came since.
    pub pause_asked: bool,
    /// How often one was.
    pub pauses: u64,
    /// One was asked for before there was a program to stop.
    pub pause_owed: bool,
    /// It was asked for to look at the program, and by nobody else.
    pub pause_is_momentary: bool,
    /// The session is being ended by us: nothing that happens from now on is a surprise.
    pub ending: bool,
    /// Those who wait for the adapter to be gone.
    pub enders: Vec<Answer>,
    /// The adapter's request for this session, to be answered once there is a connection.
    pub asked: Option<PendingChild>,
    /// Its program has ended; it goes when its children are gone.
    pub lingers: bool,
    /// What is said when its children are gone.
    pub goodbye: Option<Goodbye>,
    /// Where its runtime accepted a debug connection that is still to be hurried (`answer_at_once`).
    pub hesitates: Option<SocketAddr>,
    /// Children of its program that are not debugged.
    pub passed_over: u64,
    /// Their number will be told soon.
    pub counting: bool,
    /// The goodbye is under way.
    pub disconnecting: bool,
    /// Cancelled by the stop that the goodbye waits for.
    pub halted: Option<CancellationToken>,
    /// Cancelled when the one who waits for the end is tired of waiting.
    pub force: CancellationToken,
    /// Cancelled when the connection has ended and all that came over it was handled.
    pub drained: CancellationToken,
    /// Its program has ended, and what that has left is waited for.
    pub left: bool,
    /// The program ended, when that was seen; and whether it had been asked to.
    pub ended_by_program: Option<bool>,
    /// Cancelled when the session is over: ends its timers.
    pub over: CancellationToken,
    /// Number of stops so far.
    pub stops: u64,
    /// Cancelled when everyone sees the next stop: the last request that resumes is done, whether it was answered or not.
    pub stood: CancellationToken,
    /// At the last stop it was soon known what its values show.
    pub has_quick_previews: bool,
    /// How a stop of the adapter's own is left once the session is configured: the request, and the thread.
    pub left_by: Option<(String, i64)>,
    /// The threads of the present stop have yet to be asked for.
    pub threads_owed: bool,
    /// How data was asked for, and at which stop, by the adapter's id of it.
    pub data_asked: HashMap<String, (StopId, DataBreakpointInfoArguments)>,
    /// What is evaluated, and what waits for that.
    pub evaluations: Evaluations,
    /// Loads of a frame that are under way: nothing is evaluated meanwhile.
    pub loading: u32,
    /// The adapter said that the program runs, without having been asked to let it run.
    pub ran_alone: bool,
    /// Functions that run for what is evaluated of a stop that nobody sees yet, each of which ends with a stop.
    pub judging_calls: u32,
    /// The last request that resumes, so that its failure puts the stop back only if nothing happened since.
    pub resumes: u64,
}

impl Live {
    pub fn new(id: SessionId, kind: StartKind, origin: Origin) -> Self {
        Self {
            id,
            kind,
            started: Some(SystemTime::now()),
            used: Some(Instant::now()),
            origin,
            ..Self::default()
        }
    }

    /// Whether its start is an `attach`: a child is mostly come to, however its parent was started.
    pub fn attaches(&self) -> bool {
        match &self.origin {
            Origin::Child(child) => child.request == StartRequest::Attach,
            _ => self.kind == StartKind::Attach,
        }
    }

    /// The process that the adapter comes into by another's program, which traces it until it is done.
    pub fn entered(&self) -> Option<i64> {
        self.personality.attach.pid_helper.as_ref()?;
        match &self.origin {
            Origin::Attach(spec) => spec.pid.map(i64::from),
            _ => None,
        }
    }

    /// Languages and tools whose runtime the program has, where that is known.
    pub fn runtimes(&self) -> Option<&[&'static str]> {
        let image = self.plan.image.as_ref();
        image.map(|image| image.runtimes.as_slice())
    }

    /// Whether its start compiles the program.
    pub fn builds_program(&self) -> bool {
        self.kind == StartKind::Launch && self.personality.builds_program
    }

    /// How long the adapter may take to leave by itself. A debugger that holds a process it attached to gets longer:
    /// it has to lift its breakpoints first.
    pub fn grace(&self) -> Duration {
        match self.kind {
            StartKind::Launch => Duration::from_secs(2),
            StartKind::Attach => Duration::from_secs(5),
        }
    }
}
