//! The one writer: typed commands in, numbered events out.
//!
//! [`Core::start`] spawns one task that owns everything about sessions. Nothing else changes [`State`]; slow work (starting
//! an adapter, awaiting a reply) runs in tasks of its own that hand a closure back to the owner when they are done. Commands
//! and such closures go before what adapters send, so a flood of output never delays a key.
//!
//! | file | what is in it |
//! |---|---|
//! | `hub` | subscriptions and the numbering of events |
//! | `actor` | the owner's loop, and the dispatch of commands |
//! | `live` | what the owner knows of a running session |
//! | `start` | from a launch or attach to a running debuggee: the handshake |
//! | `incoming` | what adapters send unasked: events and reverse requests |
//! | `control` | continue, pause, steps, run to a line |
//! | `end` | terminate, detach, restart, and what is left when an adapter goes |
//! | `breakpoints` | wishes to adapters, answers back |
//! | `inspect` | stacks, scopes, variables, evaluation |
//! | `terminal` | `runInTerminal`: the debuggee on a pipe or pseudo-terminal of ours |
//! | `spill` | the file that keeps all output |

mod actor;
mod breakpoints;
mod complete;
mod control;
mod end;
mod hub;
mod incoming;
mod inspect;
mod live;
mod spill;
mod start;
mod terminal;

use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

pub use hub::Subscription;

use super::adapters;
use super::command::{Command, Reply};
use super::error::{DebuggerError, Kind};
use super::state::State;
use crate::dap::client::Tap;
use actor::{Actor, Control};

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
    /// Never use what makes an adapter faster.
    pub plain_adapters: bool,
    /// Sees every protocol message of adapters that are started.
    pub tap: Option<CoreTap>,
    /// Folder for output files; `None` keeps no output beyond the ring.
    pub output_dir: Option<PathBuf>,
}

/// See [`CoreConfig::tap`].
#[derive(Clone)]
pub struct CoreTap(pub Tap);

impl std::fmt::Debug for CoreTap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CoreTap")
    }
}

impl CoreConfig {
    /// The defaults, for a context.
    pub fn new(context: adapters::Context) -> Self {
        Self {
            output_dir: Some(context.state_dir.join("output")),
            context,
            tap: None,
            project: None,
            supervisor: None,
            max_sessions: 1,
            request_timeout: Duration::from_secs(30),
            plain_adapters: false,
        }
    }
}

/// The core. Only its handle is ever held.
pub struct Core;

impl Core {
    /// Starts the core on the current runtime. It ends on [`Command::Shutdown`], or when the last handle is gone.
    pub fn start(config: CoreConfig) -> CoreHandle {
        let (control, control_rx) = mpsc::unbounded_channel();
        let handle = CoreHandle {
            control: control.clone(),
        };
        tokio::spawn(Actor::new(config, control.downgrade()).run(control_rx));
        handle
    }
}

/// A way to talk to a core.
#[derive(Clone, Debug)]
pub struct CoreHandle {
    control: mpsc::UnboundedSender<Control>,
}

impl CoreHandle {
    /// Asks for something. Commands are taken in the order in which this is called, not in which the answers are awaited;
    /// dropping the answer does not take the command back.
    pub fn request(
        &self,
        command: Command,
    ) -> impl Future<Output = Result<Reply, DebuggerError>> + Send + 'static {
        let (reply, answer) = oneshot::channel();
        let sent = self.control.send(Control::Command {
            command: Box::new(command),
            reply,
        });
        async move {
            let gone = || DebuggerError::new(Kind::State, "The debugger core has ended.");
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
