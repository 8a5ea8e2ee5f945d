//! One client at the counter: who it is, what it was told last, what of its answers is kept.

use std::sync::{Mutex, atomic::AtomicU64};

use debugger::{
    CoreHandle,
    core::Presence,
    ids::ApprovalId,
    link::{self, Guest, HostKind, Offer},
    permission::{Actor, ActorKind, Caller, Mode},
    tool::Tool,
};
use rmcp::model::CallToolResult;
use tokio::sync::OnceCell;
use tokio_util::task::AbortOnDropHandle;

use super::tool_set::ToolSet;
use crate::prelude::*;

/// Clients that are told apart; the one that was here longest goes first.
const MOST_SEATS: usize = 64;
/// Answers of which the rest is kept, for each client.
const KEPT: usize = 8;

/// Whose core it is.
#[derive(Debug)]
pub enum CoreOwner {
    /// One of this process.
    Own(CoreHandle),
    /// One behind this socket.
    Joined(PathBuf),
}

/// What all clients share.
pub struct Counter {
    /// The core.
    pub held: CoreOwner,
    /// The most that agents may do; none = what the core's mode says.
    pub mode: Option<Mode>,
    /// The tools that are offered.
    pub tools: ToolSet,
    /// How the debug tool is offered.
    pub offer: Offer,
    /// Surroundings.
    pub context: Context,
    /// This program, for the commands of the desk.
    pub program: PathBuf,
    /// Those who came.
    pub clients: Clients,
}

/// Clients, and how many there were.
#[derive(Default)]
pub struct Clients {
    seats: Mutex<VecDeque<(Key, SeatResult)>>,
    connections: AtomicU64,
}

/// Name, and whether the client can ask a person.
type Key = (String, bool);
/// A seat, once it could be opened.
type SeatResult = Arc<OnceCell<Arc<Seat>>>;

impl Counter {
    /// The core, for who only listens.
    pub(super) async fn core(&self) -> Option<CoreHandle> {
        match &self.held {
            CoreOwner::Own(core) => Some(core.clone()),
            CoreOwner::Joined(path) => {
                let guest = Guest::script(Some(Mode::Observe));
                link::join_as(path, guest)
                    .await
                    .ok()
                    .map(|joined| joined.core)
            }
        }
    }

    /// The seat of a client with this name.
    pub(super) async fn seat(&self, name: &str, can_ask: bool) -> Result<Arc<Seat>, ToolError> {
        let key = (name.to_owned(), can_ask);
        let cell = {
            let mut seats = lock(&self.clients.seats);
            let known = seats.iter().find(|(known, _)| *known == key);
            let cell = known.map(|(_, cell)| Arc::clone(cell));
            cell.unwrap_or_else(|| {
                if seats.len() == MOST_SEATS {
                    seats.pop_front();
                }
                let cell = Arc::default();
                seats.push_back((key, Arc::clone(&cell)));
                cell
            })
        };
        let seat = cell.get_or_try_init(|| self.open(name, can_ask));
        Ok(Arc::clone(seat.await?))
    }

    async fn open(&self, name: &str, can_ask: bool) -> Result<Arc<Seat>, ToolError> {
        let failed = |what: String| ToolError::usage("mcp", what);
        let mut person = None;
        let (caller, core, told) = match &self.held {
            CoreOwner::Own(core) => {
                let actor = Actor {
                    connection: self.clients.connections.fetch_add(1, Ordering::Relaxed) + 1,
                    ..Actor::new(ActorKind::Agent, name)
                };
                let caller = Caller {
                    mode: self.mode,
                    ..actor.into()
                };
                if can_ask {
                    person = Some(core.clone());
                }
                (
                    caller.clone(),
                    core.acting_as(caller),
                    self.offer.discretion.clone(),
                )
            }
            CoreOwner::Joined(path) => {
                let guest = Guest::agent(name, self.mode);
                let caller = Caller {
                    mode: self.mode,
                    ..guest.actor.clone().into()
                };
                let joined = link::join_as(path, guest).await;
                let joined = joined.map_err(|error| failed(error.to_string()))?;
                // Where a screen is, the person there is asked.
                if can_ask
                    && joined
                        .note
                        .as_ref()
                        .is_some_and(|note| note.kind == HostKind::Serve)
                {
                    let asking = link::join(path).await;
                    person = Some(asking.map_err(|error| failed(error.to_string()))?.core);
                }
                let told = joined.discretion(&self.context);
                (caller, joined.core, told)
            }
        };
        let presence = core.present(false);
        let asks = person.as_ref().map(|person| person.present(true));
        let tool = Tool::open(core.clone()).await;
        let tool = tool.ok_or_else(|| failed("the debugger has ended".to_owned()))?;
        Ok(Arc::new(Seat {
            tool: tool.telling(told),
            caller,
            core,
            person,
            seq: AtomicU64::new(0),
            kept: Mutex::default(),
            pending: Mutex::default(),
            claimed: AtomicU64::new(0),
            _presence: (presence, asks),
        }))
    }
}

/// Long answers, and the number of the last.
#[derive(Default)]
struct LongAnswers {
    last: u64,
    texts: VecDeque<(u64, Arc<str>)>,
}

/// A call at work.
pub(super) type Work = AbortOnDropHandle<CallToolResult>;

/// A call that waits for the client's second one.
pub(super) struct Pending {
    pub(super) work: Work,
    pub(super) approval: ApprovalId,
    pub(super) name: String,
    pub(super) arguments: Option<Map<String, Value>>,
}

/// One client.
pub struct Seat {
    pub(super) caller: Caller,
    pub(super) core: CoreHandle,
    pub(super) tool: Tool,
    /// The core, as the person that the client can ask has it.
    pub(super) person: Option<CoreHandle>,
    /// Number of the last event that it was told of; 0 = of none.
    pub(super) seq: AtomicU64,
    kept: Mutex<LongAnswers>,
    /// Calls that wait for a person whom the client asks.
    pub(super) pending: Mutex<HashMap<String, Pending>>,
    /// The last that the client's person was asked about: calls, and so approvals, come one after the other.
    pub(super) claimed: AtomicU64,
    _presence: (Presence, Option<Presence>),
}

impl Seat {
    /// The state as of now.
    pub(super) async fn state(&self) -> Option<State> {
        self.core.subscribe().await.map(|(state, _)| state)
    }

    /// Keeps a text of which only a part was told; gives its number.
    pub(super) fn keep(&self, text: String) -> u64 {
        let mut kept = lock(&self.kept);
        kept.last += 1;
        let number = kept.last;
        kept.texts.push_back((number, text.into()));
        if kept.texts.len() > KEPT {
            kept.texts.pop_front();
        }
        number
    }

    /// A text that was kept.
    pub(super) fn kept(&self, number: u64) -> Option<Arc<str>> {
        let kept = lock(&self.kept);
        let mut all = kept.texts.iter();
        all.find(|(known, _)| *known == number)
            .map(|(_, text)| Arc::clone(text))
    }
}
