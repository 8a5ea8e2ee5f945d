//! The one writer: typed commands in, numbered events out.
//!
//! [`Core::start`] spawns one task that owns everything about sessions. Nothing else changes [`State`]; slow work (starting
//! an adapter, awaiting a reply) runs in tasks of its own that hand a closure back to the owner when they are done. Commands
//! and such closures go before what adapters send, so a flood of output never delays a key.
//!
//! | file | what is in it |
//! |---|---|
//! | `hub` | subscriptions and the numbering of events |
//! | `owner` | the owner's loop, and what all that it does goes through |
//! | `commands` | which command goes where |
//! | `handled` | what a command comes to: a refusal, or who answers it and when |
//! | `terms` | deadlines of whoever gave a command |
//! | `permission` | what others than the person may do: judged, asked about, audited |
//! | `approvals` | what waits for a person's consent |
//! | `driver` | who alone makes the program go on |
//! | `live` | what the owner knows of a running session |
//! | `session_tasks` | what is run before a session and after it, and sessions that belong together |
//! | `start` | from a command to a session on its way |
//! | `plan` | which adapter is started, and what is said to it |
//! | `handshake` | from a connection to a debuggee that runs |
//! | `incoming` | what adapters send unasked: events and reverse requests |
//! | `printed` | output |
//! | `stops` | stops, and which of them a person sees |
//! | `load` | what everyone sees of a stop: stack, locals, watches |
//! | `past_stops` | stops of the past: what was seen at them |
//! | `control` | continue, pause, steps, run to a line |
//! | `children` | sessions of child processes: announced, counted, forgotten |
//! | `end` | how a session ends by itself, and begins again |
//! | `shutdown` | terminate, detach, shutdown: the goodbye to adapters, children first |
//! | `idle` | when a session was last used, and the end of those that nobody uses |
//! | `housekeeping` | small commands that the owner does at once |
//! | `breakpoints` | the user's wishes |
//! | `lists` | wishes to adapters |
//! | `answers` | what adapters say to them |
//! | `refine` | conditions, hit counts and messages that an adapter does not know |
//! | `unhit`, `pending_breakpoints` | breakpoints that nothing stopped at, and why |
//! | `rules` | what hit conditions, log messages and values mean |
//! | `inspect` | the commands that look: stacks, frames, scopes, variables |
//! | `evaluate` | expressions: evaluated, completed, assigned to |
//! | `evaluations` | their turn, their time, and what an adapter says meanwhile |
//! | `views` | values as tables, lines to plot, texts, pictures |
//! | `walk` | expressions that name parts of what is shown |
//! | `complete` | what is asked and told of completions, in characters |
//! | `source` | texts of sources |
//! | `jumps` | restarting frames, one thread alone, execution recorded so that it can be run backwards |
//! | `machine` | instructions, writing memory, modules, and requests of the adapter's own |
//! | `terminal` | `runInTerminal`: the debuggee on a pipe or pseudo-terminal of ours |
//! | `taps` | what listens to every connection: the log of the protocol, and a recording |
//! | `remote` | a handle to a core of another process |
//! | `spill` | the file that keeps all output |

mod answers;
mod approvals;
mod breakpoints;
mod children;
mod commands;
mod compare;
mod complete;
mod control;
mod data;
mod driver;
mod end;
mod evaluate;
mod evaluations;
mod handled;
mod handshake;
mod hooks;
mod housekeeping;
mod hub;
mod idle;
mod incoming;
mod inspect;
mod jumps;
mod lists;
mod live;
mod load;
mod machine;
mod overdue;
mod own_steps;
mod owner;
mod past_stops;
mod pending_breakpoints;
mod permission;
mod plan;
mod previews;
mod printed;
mod reasons;
mod recorded;
mod references;
mod refine;
mod remote;
mod replayed;
mod rules;
mod session_tasks;
mod shared;
mod shutdown;
mod source;
mod spill;
mod start;
mod stops;
mod taps;
mod terminal;
mod terms;
mod typed;
mod unhit;
mod views;
mod walk;

use std::sync::atomic::AtomicBool;

use dap::client::Terms;
use owner::{Control, Owner};

use super::{
    adapters,
    hang::Samples,
    permission::{Actor, Caller, Mode, rules::Rules},
    recording::Recorder,
};
use crate::prelude::*;

pub use hooks::{HOOK_EVENTS, Hook};
pub use hub::Subscription;
pub(crate) use load::is_own;
pub use remote::{Remote, RemoteRequest};
pub(crate) use rules::{Part, pieces};

/// How long an expression may take, unless somebody says otherwise.
const EVAL_TIMEOUT: Duration = Duration::from_secs(5);

/// What a person can set of a core; how it is written is the settings file's.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How long an expression may take.
    pub eval_timeout: Duration,
    /// Never use what makes an adapter faster.
    pub plain_adapter: bool,
    /// Folders here and on the machine where the program runs.
    pub path_mappings: Vec<adapters::PathMapping>,
    /// What is said to someone who types for a program that stands still.
    pub typed_while_stopped: WhileStopped,
    /// What is run when something happens.
    pub hooks: Vec<Hook>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            eval_timeout: EVAL_TIMEOUT,
            plain_adapter: false,
            path_mappings: Vec::new(),
            typed_while_stopped: WhileStopped::default(),
            hooks: Vec::new(),
        }
    }
}

/// How a core behaves.
#[derive(Clone, Debug)]
pub struct CoreConfig {
    /// Where adapters are looked for, with which environment.
    pub context: adapters::Context,
    /// The project whose breakpoints, watches and histories are kept; `None` keeps nothing.
    pub project: Option<PathBuf>,
    /// Program that holds adapters and debuggees so that they never outlive us (`omp-debug` itself); `None` = no such program.
    pub supervisor: Option<PathBuf>,
    /// Root sessions that may live at a time.
    pub max_sessions: usize,
    /// How long an adapter may take over one request.
    pub request_timeout: Duration,
    /// How long a request may wait before everyone is told that it does.
    pub overdue: Duration,
    /// Sessions of which nobody asks anything for this long are ended; `None` = they may wait for ever, as they do for a
    /// person.
    pub idle_limit: Option<Duration>,
    /// Whether steps keep to the person's own code.
    pub own_code: Arc<AtomicBool>,
    /// Whether every stop asks for the list of threads; without it they are asked for when somebody wants them.
    pub threads_at_stops: bool,
    /// When processes were looked at for what their threads do.
    pub samples: Samples,
    /// Writes down every protocol message of adapters that are started.
    pub recorder: Option<Arc<Recorder>>,
    /// What actors that are not people may do.
    pub permission: Mode,
    /// The person's rules.
    pub rules: Rules,
    /// How long something waits for a person's consent before that is a refusal.
    pub consent_limit: Duration,
    /// How long an agent that says nothing stays the driver.
    pub lease: Duration,
    /// What the person has set.
    pub settings: Settings,
    /// Folder for the audit; `None` keeps none beyond the state.
    pub audit_dir: Option<PathBuf>,
    /// Folder for output files; `None` keeps no output beyond the ring.
    pub output_dir: Option<PathBuf>,
}

impl CoreConfig {
    /// The defaults, for a context.
    pub fn new(context: adapters::Context) -> Self {
        Self {
            output_dir: Some(context.state_dir.join("output")),
            audit_dir: Some(context.state_dir.join("audit")),
            permission: Mode::default(),
            rules: Rules::default(),
            settings: Settings::default(),
            consent_limit: Duration::from_mins(5),
            lease: Duration::from_mins(10),
            context,
            recorder: None,
            project: None,
            supervisor: None,
            max_sessions: 1,
            request_timeout: Duration::from_secs(30),
            overdue: overdue::PATIENCE,
            idle_limit: None,
            own_code: Arc::new(AtomicBool::new(true)),
            threads_at_stops: true,
            samples: Samples::default(),
        }
    }
}

/// What becomes of what is typed for a program that stands still.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhileStopped {
    /// It waits.
    Off,
    /// It waits, and that is said.
    #[default]
    Warn,
    /// It is refused.
    Error,
}

/// Who gave a command, and the action of the tool that it is a part of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asker {
    pub(crate) caller: Caller,
    pub(crate) action: Option<&'static str>,
}

/// The core. Only its handle is ever held.
pub struct Core;

impl Core {
    /// Starts the core on the current runtime. It ends on [`Command::Shutdown`], or when the last handle is gone.
    pub fn start(config: CoreConfig) -> CoreHandle {
        let (control, control_rx) = mpsc::unbounded_channel();
        let handle = CoreHandle {
            control: control.clone(),
            by: None,
        };
        tasks::spawn(Owner::new(config, control.downgrade()).run(control_rx));
        handle
    }
}

/// A way to talk to a core.
#[derive(Clone, Debug)]
pub struct CoreHandle {
    control: mpsc::UnboundedSender<Control>,
    /// Who acts through it; none = the person.
    by: Option<Arc<Asker>>,
}

/// Someone who is there. Dropping it says that they have gone: what waited for consent of theirs waits no longer, and whoever they
/// drove for is without a driver.
#[derive(Debug)]
pub struct Presence {
    control: mpsc::WeakUnboundedSender<Control>,
    actor: Actor,
    answers: bool,
}

impl Drop for Presence {
    fn drop(&mut self) {
        if let Some(control) = self.control.upgrade() {
            let _ = control.send(Control::Gone {
                actor: std::mem::take(&mut self.actor),
                answers: self.answers,
            });
        }
    }
}

impl CoreHandle {
    /// The same core for someone else: whatever is asked through it is theirs.
    #[must_use]
    pub fn acting_as(&self, caller: impl Into<Caller>) -> Self {
        let caller = caller.into();
        let by = (!caller.is_the_person()).then_some(Asker {
            caller,
            action: None,
        });
        Self {
            control: self.control.clone(),
            by: by.map(Arc::new),
        }
    }

    /// The same for what an action of the tool asks.
    pub(crate) fn doing(&self, action: &'static str) -> Self {
        let by = self.by.as_deref().map(|by| Asker {
            caller: by.caller.clone(),
            action: Some(action),
        });
        Self {
            control: self.control.clone(),
            by: by.map(Arc::new),
        }
    }

    /// Who acts through it.
    pub fn actor(&self) -> Actor {
        let by = self.by.as_ref();
        by.map(|by| by.caller.actor.clone()).unwrap_or_default()
    }

    /// Says that whoever acts through it is there, and whether a person sits there who can answer what waits for consent: without
    /// any such person, what would have to be asked about is refused.
    pub fn present(&self, answers: bool) -> Presence {
        let actor = self.actor();
        let _ = self.control.send(Control::Here {
            actor: actor.clone(),
            answers,
        });
        Presence {
            control: self.control.downgrade(),
            actor,
            answers,
        }
    }

    /// Whether an action that only looks may be done.
    pub async fn may(&self, action: &'static str) -> Result<()> {
        let Some(by) = self.by.clone() else {
            return Ok(());
        };
        let (reply, answer) = oneshot::channel();
        self.put(Control::May { by, action, reply }, answer).await
    }

    /// Asks for something. Commands are taken in the order in which this is called, not in which the answers are awaited;
    /// dropping the answer does not take the command back.
    pub fn request(
        &self,
        command: Command,
    ) -> impl Future<Output = Result<Reply>> + Send + 'static {
        self.ask(command, None)
    }

    /// As [`Self::request`], for someone with a deadline: each request to the adapter that the command leads to may take
    /// `timeout`. When the answer is dropped before it is there, the adapter is told that the request under way is taken back,
    /// where it understands; nothing else changes, and a session that is starting starts.
    pub fn request_within(
        &self,
        command: Command,
        timeout: Duration,
    ) -> impl Future<Output = Result<Reply>> + Send + 'static {
        let taken_back = CancellationToken::new();
        let guard = taken_back.clone().drop_guard();
        let terms = Terms {
            timeout,
            taken_back,
        };
        let answer = self.ask(command, Some(terms));
        async move {
            let answer = answer.await;
            guard.disarm();
            answer
        }
    }

    fn ask(
        &self,
        command: Command,
        terms: Option<Terms>,
    ) -> impl Future<Output = Result<Reply>> + Send + 'static {
        let (reply, answer) = oneshot::channel();
        let question = Control::Command {
            command: Box::new(command),
            terms,
            by: self.by.clone(),
            reply,
        };
        self.put(question, answer)
    }

    fn put<T: Send + 'static>(
        &self,
        question: Control,
        answer: oneshot::Receiver<Result<T>>,
    ) -> impl Future<Output = Result<T>> + Send + use<T> {
        let sent = self.control.send(question);
        async move {
            sent.map_err(|_closed| gone())?;
            answer.await.unwrap_or_else(|_closed| Err(gone()))
        }
    }

    /// The state as of now, and every event after it.
    pub async fn subscribe(&self) -> Option<(State, Subscription)> {
        let (reply, answer) = oneshot::channel();
        self.control.send(Control::Subscribe { reply }).ok()?;
        answer.await.ok()
    }
}

fn gone() -> DebuggerError {
    DebuggerError::state("The debugger core has ended.")
}
