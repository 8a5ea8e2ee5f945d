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
pub(super) enum Origin {
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
pub(super) struct Gathering {
    pub(super) together: Together,
    pub(super) waiting: Vec<(SessionId, Origin)>,
}

/// How to reach and start a child.
#[derive(Clone, Debug)]
pub(super) struct ChildSpec {
    pub(super) resolved: Arc<Resolved>,
    pub(super) address: Address,
    pub(super) request: StartRequest,
    pub(super) configuration: Value,
    /// What tells it from other children of its parent; empty where nothing does.
    pub(super) identity: Vec<Value>,
    /// Where its debug server came to us, when that is how it is reached.
    pub(super) family: Option<Arc<ServerTree>>,
    /// As with its parent: see [`Plan::foreign_types`].
    pub(super) foreign_types: BTreeSet<String>,
}

/// A `startDebugging` that is not answered yet.
pub(super) struct PendingChild {
    pub(super) client: Client,
    pub(super) request: DapRequest,
}

impl PendingChild {
    /// The child's session is there.
    pub(super) fn grant(self) {
        self.client.respond(&self.request, Ok(json!({})));
    }

    /// There will be none, and why.
    pub(super) fn refuse(self, why: &str) {
        self.client.respond(&self.request, Err(why.to_owned()));
    }
}

/// Hits that we have counted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hits {
    pub(super) site: BreakpointSite,
    pub(super) rule: String,
    pub(super) count: u64,
}

impl Hits {
    pub(super) fn none(wish: &Breakpoint, rule: &str) -> Self {
        Self {
            site: wish.site.clone(),
            rule: rule.to_owned(),
            count: 0,
        }
    }
}

/// A goodbye that waits for those of children.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goodbye {
    /// The program is asked to end first, where the adapter can do that.
    Politely,
    /// The adapter is told to go, with the debuggee or without it.
    Now { terminate: bool },
}

/// The six points of the handshake that may come in any order.
#[derive(Debug, Default)]
pub(super) struct Handshake {
    /// The answer to `initialize` is here.
    pub(super) capabilities_known: bool,
    /// `launch` or `attach` was sent.
    pub(super) start_sent: bool,
    /// … and answered well.
    pub(super) start_answered: bool,
    /// The `initialized` event came.
    pub(super) initialized: bool,
    /// Breakpoints and `configurationDone` are on their way.
    pub(super) configuring: bool,
    /// `configurationDone` was answered.
    pub(super) configured: bool,
    /// The session counts as started: the asker was told.
    pub(super) complete: bool,
}

/// A session with an adapter, or on its way to one.
#[derive(Default)]
pub(super) struct Live {
    pub(super) id: SessionId,
    pub(super) kind: StartKind,
    /// Sources changed after this do not match the program.
    pub(super) started: Option<SystemTime>,
    /// When someone last asked something of it.
    pub(super) used: Option<Instant>,
    pub(super) origin: Origin,
    /// What the adapter was started with.
    pub(super) plan: Plan,
    /// The adapter's habits; those of one that keeps to the protocol until it is known.
    pub(super) personality: Arc<Personality>,
    pub(super) client: Option<Client>,
    pub(super) process: Option<AdapterProcess>,
    /// The signal of the last stop, where the adapter was asked for it.
    pub(super) signal: Option<i32>,
    /// The same, where it stands in the words of the stop.
    pub(super) signal_in_words: Option<i32>,
    /// Where the adapter listens, so that children can be reached.
    pub(super) address: Option<Address>,
    pub(super) handshake: Handshake,
    /// Who waits for the start to be over.
    pub(super) starter: Option<Answer>,
    /// Counts connections: a start that is tried again leaves an older one behind.
    pub(super) generation: u32,
    /// Adapter's breakpoint ids to ours.
    pub(super) by_adapter_id: HashMap<i64, BreakpointId>,
    /// Where its breakpoints are in memory, by its ids; those of ours that are not alone there.
    pub(super) addresses: HashMap<i64, String>,
    pub(super) shared: BTreeSet<BreakpointId>,
    /// The adapter's breakpoints that are filters', as far as it gives their numbers.
    pub(super) filter_breakpoints: BTreeSet<i64>,
    /// Filters are on whose numbers it does not give.
    pub(super) nameless_filters: bool,
    /// News of breakpoints whose id is not known yet: it may come before the answer that tells the id.
    pub(super) early_news: BTreeMap<i64, AdapterBreakpoint>,
    /// Lists that were sent to the adapter, to send an empty one when the last breakpoint of one is gone.
    pub(super) lists_sent: Vec<Which>,
    /// Functions that the adapter did not find or may take for another one, and what the program calls them.
    pub(super) found: BTreeMap<String, BTreeSet<String>>,
    /// Hits of breakpoints that we count, and what they are counted for: another site or rule begins anew.
    pub(super) hits: HashMap<BreakpointId, Hits>,
    /// Stops of which it is not known yet whether anyone is to see them.
    pub(super) judging: usize,
    /// Threads that stand at a breakpoint which turned out not to be meant; they go on when nothing is under judgement.
    pub(super) held_threads: Vec<i64>,
    /// The innermost frame of the last stop under judgement, its thread, and which breakpoints are there, where its number stays.
    pub(super) judged_at: Option<(Option<i64>, Vec<BreakpointId>, StackFrame)>,
    /// Other threads' stops at breakpoints, told together with the one that is shown: each is shown before the program goes on.
    pub(super) queued_stops: VecDeque<StoppedEvent>,
    /// The stop that is shown came with `preserveFocusHint`: the adapter will name another thread to look at.
    pub(super) shown_unfocused: bool,
    /// How the program was last let go; none when it has only been started.
    pub(super) resumed: Option<Resume>,
    /// The thread that it was a step of.
    pub(super) stepped: Option<i64>,
    /// How often that step has gone on, where it keeps to the person's own code and its debugger cannot.
    pub(super) own_step: Option<u32>,
    /// The stop of which it was said why the program came to it.
    pub(super) cause_told: Option<StopId>,
    /// The stop whose exception the adapter was asked for, since its stack does not tell.
    pub(super) exception_asked: Option<StopId>,
    /// The temporary breakpoint that the program is on its way to, and what a stop there is called.
    pub(super) goal: Option<(BreakpointId, &'static str)>,
    /// What a command runs after this.
    pub(super) next: VecDeque<Start>,
    /// Also when this fails.
    pub(super) goes_on: bool,
    /// Tasks that go on while it lives.
    pub(super) background: Vec<Arc<Background>>,
    /// At which stop it was said last that the program does not read what is typed.
    pub(super) warned: Option<StopId>,
    /// The debuggee, when it runs on a pipe or terminal of ours.
    pub(super) debuggee: Option<Debuggee>,
    pub(super) spill: Option<Spill>,
    /// The adapter reports a crash of its own: what still comes is not the program's.
    pub(super) muted: bool,
    /// The last line was left out, and its end has not come yet.
    pub(super) cut_noise: bool,
    /// A `pause` was asked for and no stop came since.
    pub(super) pause_asked: bool,
    /// How often one was.
    pub(super) pauses: u64,
    /// One was asked for before there was a program to stop.
    pub(super) pause_owed: bool,
    /// It was asked for to look at the program, and by nobody else.
    pub(super) pause_is_momentary: bool,
    /// The session is being ended by us: nothing that happens from now on is a surprise.
    pub(super) ending: bool,
    /// Those who wait for the adapter to be gone.
    pub(super) enders: Vec<Answer>,
    /// The adapter's request for this session, to be answered once there is a connection.
    pub(super) asked: Option<PendingChild>,
    /// Its program has ended; it goes when its children are gone.
    pub(super) lingers: bool,
    /// What is said when its children are gone.
    pub(super) goodbye: Option<Goodbye>,
    /// Where its runtime accepted a debug connection that is still to be hurried (`answer_at_once`).
    pub(super) hesitates: Option<SocketAddr>,
    /// Children of its program that are not debugged.
    pub(super) passed_over: u64,
    /// Their number will be told soon.
    pub(super) counting: bool,
    /// The goodbye is under way.
    pub(super) disconnecting: bool,
    /// Cancelled by the stop that the goodbye waits for.
    pub(super) halted: Option<CancellationToken>,
    /// Cancelled when the one who waits for the end is tired of waiting.
    pub(super) force: CancellationToken,
    /// Cancelled when the connection has ended and all that came over it was handled.
    pub(super) drained: CancellationToken,
    /// Its program has ended, and what that has left is waited for.
    pub(super) left: bool,
    /// The program ended, when that was seen; and whether it had been asked to.
    pub(super) ended_by_program: Option<bool>,
    /// Cancelled when the session is over: ends its timers.
    pub(super) over: CancellationToken,
    /// Number of stops so far.
    pub(super) stops: u64,
    /// Cancelled when everyone sees the next stop: the last request that resumes is done, whether it was answered or not.
    pub(super) stood: CancellationToken,
    /// At the last stop it was soon known what its values show.
    pub(super) has_quick_previews: bool,
    /// How a stop of the adapter's own is left once the session is configured: the request, and the thread.
    pub(super) left_by: Option<(String, i64)>,
    /// The threads of the present stop have yet to be asked for.
    pub(super) threads_owed: bool,
    /// How data was asked for, and at which stop, by the adapter's id of it.
    pub(super) data_asked: HashMap<String, (StopId, DataBreakpointInfoArguments)>,
    /// What is evaluated, and what waits for that.
    pub(super) evaluations: Evaluations,
    /// Loads of a frame that are under way: nothing is evaluated meanwhile.
    pub(super) loading: u32,
    /// The adapter said that the program runs, without having been asked to let it run.
    pub(super) ran_alone: bool,
    /// Functions that run for what is evaluated of a stop that nobody sees yet, each of which ends with a stop.
    pub(super) judging_calls: u32,
    /// The last request that resumes, so that its failure puts the stop back only if nothing happened since.
    pub(super) resumes: u64,
}

impl Live {
    pub(super) fn new(id: SessionId, kind: StartKind, origin: Origin) -> Self {
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
    pub(super) fn attaches(&self) -> bool {
        match &self.origin {
            Origin::Child(child) => child.request == StartRequest::Attach,
            _ => self.kind == StartKind::Attach,
        }
    }

    /// The process that the adapter comes into by another's program, which traces it until it is done.
    pub(super) fn entered(&self) -> Option<i64> {
        self.personality.attach.pid_helper.as_ref()?;
        match &self.origin {
            Origin::Attach(spec) => spec.pid.map(i64::from),
            _ => None,
        }
    }

    /// Languages and tools whose runtime the program has, where that is known.
    pub(super) fn runtimes(&self) -> Option<&[&'static str]> {
        let image = self.plan.image.as_ref();
        image.map(|image| image.runtimes.as_slice())
    }

    /// Whether its start compiles the program.
    pub(super) fn builds_program(&self) -> bool {
        self.kind == StartKind::Launch && self.personality.builds_program
    }

    /// How long the adapter may take to leave by itself. A debugger that holds a process it attached to gets longer:
    /// it has to lift its breakpoints first.
    pub(super) fn grace(&self) -> Duration {
        match self.kind {
            StartKind::Launch => Duration::from_secs(2),
            StartKind::Attach => Duration::from_secs(5),
        }
    }
}
