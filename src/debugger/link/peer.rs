//! One client, as its host serves it: a task that reads requests, and writes answers and events.
//!
//! Commands reach the core in the order in which they are read. While a client does not take what it is sent, nothing more is read
//! from it, its events wait where those of every slow listener do (merged, old output dropped and counted), and after a while its
//! connection is closed. The core notices nothing of it.

use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::{FutureExt as _, StreamExt as _};
use tokio::{
    io::AsyncWriteExt as _,
    net::{UnixStream, unix::OwnedWriteHalf},
    sync::OnceCell,
    task::{AbortHandle, JoinSet},
    time::timeout,
};
use tokio_util::codec::FramedRead;

use super::wire::{
    self, Answer, Call, Guest, Hello, HostMessage, LONGEST_REQUEST, Outcome, PROTOCOL, Refused,
    RequestLine,
};
use crate::{core::Subscription, permission::Caller, prelude::*, tool::Tool};

/// Requests of one client that may be under way.
const MOST_REQUESTS: usize = 256;
/// A longer one is taken for this one.
const LONGEST_DEADLINE: Duration = Duration::from_hours(1);

/// How a host offers the debug tool.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Whether it does.
    pub enabled: bool,
    /// What is told of values.
    pub discretion: Discretion,
}

impl Default for Offer {
    /// It is there, and hides secrets.
    fn default() -> Self {
        Self {
            enabled: true,
            discretion: Discretion::default(),
        }
    }
}

/// What all clients of a host share.
pub struct Shared {
    core: CoreHandle,
    /// Begins with the first call: who only joins pays nothing for it.
    tool: OnceCell<Tool>,
    offer: Offer,
    patience: Duration,
    /// Clients so far.
    connections: AtomicU64,
}

impl Shared {
    pub fn new(core: CoreHandle, offer: Offer, patience: Duration) -> Self {
        Self {
            core,
            tool: OnceCell::new(),
            offer,
            patience,
            connections: AtomicU64::new(0),
        }
    }

    /// Does an action of the tool; calls of all clients are done one after the other.
    async fn call(&self, caller: Caller, call: Call) -> Result<Value> {
        let ended = || DebuggerError::state("The debugger has ended.");
        if !self.offer.enabled {
            return Err(DebuggerError::usage(
                "The debug tool is switched off in this debugger: its settings say debug.enabled = false.",
            ));
        }
        let open = || async {
            let tool = Tool::open(self.core.clone()).await.ok_or_else(ended)?;
            Ok::<_, DebuggerError>(tool.telling(self.offer.discretion.clone()))
        };
        let tool = self.tool.get_or_try_init(open).await?;
        let caller = Caller {
            expected_stop: call.expected_stop,
            ..caller
        };
        let result = tool.call(&caller, &call.action, &call.arguments, call.since);
        let result = result.await.map_err(|error| DebuggerError {
            hint: error.hint,
            snapshot: error.snapshot.map(Box::new),
            ..DebuggerError::new(error.kind, error.error)
        })?;
        serde_json::to_value(result).map_err(|error| {
            DebuggerError::state(format!("The result cannot be written: {error}."))
        })
    }
}

/// Why a connection ends.
enum EndReason {
    /// The client is gone, or cannot be reached: nothing can be said any more.
    Silent,
    /// This is the last that it is told.
    Told(String),
}

/// Tells a client that it is not served.
pub async fn refuse(stream: UnixStream, why: String) {
    let (_read, write) = stream.into_split();
    let mut out = Out {
        write,
        patience: Duration::from_secs(1),
    };
    // It may not even wait for the reason.
    let _ = out.say(&HostMessage::Ended(&why)).await;
}

/// Serves a client until it goes.
pub async fn attend(stream: UnixStream, shared: Arc<Shared>) {
    let (read, write) = stream.into_split();
    let mut peer = Peer {
        lines: FramedRead::new(read, wire::codec(LONGEST_REQUEST)),
        out: Out {
            write,
            patience: shared.patience,
        },
        subscription: None,
        requests: JoinSet::new(),
        handles: HashMap::new(),
        core: shared.core.clone(),
        caller: Caller::default(),
        shared,
    };
    if let Err(EndReason::Told(why)) = peer.serve().await {
        let _ = peer.out.say(&HostMessage::Ended(&why)).await;
    }
}

struct Peer {
    lines: FramedRead<tokio::net::unix::OwnedReadHalf, tokio_util::codec::AnyDelimiterCodec>,
    out: Out,
    subscription: Option<Subscription>,
    requests: JoinSet<(u64, Outcome)>,
    /// By the client's numbers, to take requests back.
    handles: HashMap<u64, AbortHandle>,
    /// The core, as this client has it.
    core: CoreHandle,
    caller: Caller,
    shared: Arc<Shared>,
}

impl Peer {
    async fn serve(&mut self) -> Result<(), EndReason> {
        self.out
            .say(&HostMessage::Hello(&Hello {
                tells_secrets: self.shared.offer.discretion.is_none(),
                ..Hello::own()
            }))
            .await?;
        let guest = self.greet().await?;
        let connection = self.shared.connections.fetch_add(1, Ordering::Relaxed) + 1;
        self.caller = guest.taken_in(connection);
        self.core = self.shared.core.acting_as(self.caller.clone());
        let answers = guest.answers && self.caller.actor.is_human();
        let here = self.core.present(answers);
        let end = self.follow().await;
        // What is still under way must not ask the core for anything once that knows that its asker has gone.
        self.requests.shutdown().await;
        drop(here);
        end
    }

    async fn follow(&mut self) -> Result<(), EndReason> {
        loop {
            tokio::select! {
                biased;
                events = next_events(&mut self.subscription) => match events {
                    Some(events) => self.out.events(&events).await?,
                    None => return Err(EndReason::Told("The debugger has ended.".to_owned())),
                },
                Some(done) = self.requests.join_next() => {
                    // One that was taken back has been answered.
                    if let Ok((id, outcome)) = done {
                        self.answer(id, outcome).await?;
                    }
                }
                line = self.lines.next() => match line {
                    None => return Ok(()),
                    Some(Err(error)) => {
                        return Err(EndReason::Told(wire::unreadable(&error, LONGEST_REQUEST)));
                    }
                    Some(Ok(line)) => match RequestLine::read(&line) {
                        Ok(request) => self.take(request).await?,
                        Err(refused) => self.refuse(refused).await?,
                    },
                },
            }
        }
    }

    /// Nothing is done for someone who does not say what they speak, and their place is kept only so long.
    async fn greet(&mut self) -> Result<Guest, EndReason> {
        let line = match timeout(self.out.patience, self.lines.next()).await {
            Err(_elapsed) => return Err(EndReason::Told("You never said a `hello`.".to_owned())),
            Ok(None) => return Err(EndReason::Silent),
            Ok(Some(Err(error))) => {
                return Err(EndReason::Told(wire::unreadable(&error, LONGEST_REQUEST)));
            }
            Ok(Some(Ok(line))) => line,
        };
        match RequestLine::read(&line).map(|request| request.hello) {
            Ok(Some(hello)) if hello.protocol == PROTOCOL => Ok(hello.guest),
            Ok(Some(hello)) => Err(EndReason::Told(format!(
                "This is omp-debug {} with protocol {PROTOCOL}, and you speak protocol {}: use the same omp-debug.",
                env!("CARGO_PKG_VERSION"),
                hello.protocol
            ))),
            Ok(None) => Err(EndReason::Told(format!(
                "The first line must be a `hello`. It was: {}",
                wire::quote(&line)
            ))),
            Err(refused) => Err(EndReason::Told(refused.error.what)),
        }
    }

    async fn take(&mut self, request: RequestLine) -> Result<(), EndReason> {
        match request {
            RequestLine { hello: Some(_), .. } => self.refused("One `hello` is enough.").await,
            RequestLine {
                cancel: Some(id), ..
            } => match self.handles.remove(&id) {
                Some(handle) => {
                    handle.abort();
                    let error = DebuggerError::new(ErrorKind::Cancelled, "It was taken back.");
                    self.out.answer(id, Outcome::Error(error)).await
                }
                // Its answer is on its way.
                None => Ok(()),
            },
            RequestLine {
                id: Some(id),
                command: Some(command),
                within_ms,
                expected_stop,
                ..
            } => {
                self.check(id)?;
                if *command == Command::Shutdown {
                    let error = DebuggerError::usage("A core ends with the process that hosts it.")
                        .hint(format!("end process {} instead", std::process::id()));
                    return self.out.answer(id, Outcome::Error(error)).await;
                }
                let core = match expected_stop {
                    None => self.core.clone(),
                    Some(_) => self.shared.core.acting_as(Caller {
                        expected_stop,
                        ..self.caller.clone()
                    }),
                };
                if let Some(within) = within_ms {
                    let within = Duration::from_millis(within).min(LONGEST_DEADLINE);
                    self.start(id, core.request_within(*command, within), Outcome::Reply);
                } else {
                    self.start(id, core.request(*command), Outcome::Reply);
                }
                Ok(())
            }
            RequestLine {
                id: Some(id),
                call: Some(call),
                ..
            } => {
                self.check(id)?;
                let (shared, caller) = (Arc::clone(&self.shared), self.caller.clone());
                let work = async move { shared.call(caller, call).await };
                self.start(id, work, Outcome::Result);
                Ok(())
            }
            RequestLine {
                subscribe: Some(_), ..
            } if self.subscription.is_some() => {
                self.refused("You follow the events already.").await
            }
            RequestLine {
                subscribe: Some(_), ..
            } => {
                let Some((state, subscription)) = self.shared.core.subscribe().await else {
                    return Err(EndReason::Told("The debugger has ended.".to_owned()));
                };
                self.subscription = Some(subscription);
                self.out.say(&HostMessage::State(&state)).await
            }
            // Nothing else is read as a request.
            _ => Ok(()),
        }
    }

    fn start<T: 'static>(
        &mut self,
        id: u64,
        work: impl Future<Output = Result<T>> + Send + 'static,
        told: fn(T) -> Outcome,
    ) {
        let work = async move { (id, work.await.map_or_else(Outcome::Error, told)) };
        self.handles.insert(id, self.requests.spawn(work));
    }

    /// Numbers tell answers apart, and there is an end to what may wait.
    fn check(&self, id: u64) -> Result<(), EndReason> {
        if self.handles.contains_key(&id) {
            return Err(EndReason::Told(format!(
                "Request {id} is still under way: each needs a number of its own."
            )));
        }
        if self.handles.len() >= MOST_REQUESTS {
            return Err(EndReason::Told(format!(
                "{MOST_REQUESTS} requests wait for an answer, which is as many as may."
            )));
        }
        Ok(())
    }

    async fn refused(&mut self, why: &str) -> Result<(), EndReason> {
        let error = DebuggerError::usage(why);
        self.out.say(&HostMessage::Error(&error)).await
    }

    async fn refuse(&mut self, refused: Refused) -> Result<(), EndReason> {
        match refused.id {
            Some(id) => self.out.answer(id, Outcome::Error(refused.error)).await,
            None => self.out.say(&HostMessage::Error(&refused.error)).await,
        }
    }

    async fn answer(&mut self, id: u64, outcome: Outcome) -> Result<(), EndReason> {
        if self.handles.remove(&id).is_none() {
            return Ok(());
        }
        // What the answer is about is told before it.
        if let Some(Some(events)) = next_events(&mut self.subscription).now_or_never() {
            self.out.events(&events).await?;
        }
        self.out.answer(id, outcome).await
    }
}

/// Pending for ever without a subscription.
async fn next_events(subscription: &mut Option<Subscription>) -> Option<Vec<Event>> {
    match subscription {
        Some(subscription) => subscription.next().await,
        None => std::future::pending().await,
    }
}

/// The way to the client.
struct Out {
    write: OwnedWriteHalf,
    patience: Duration,
}

impl Out {
    async fn say(&mut self, what: &HostMessage<'_>) -> Result<(), EndReason> {
        self.line(what).await
    }

    async fn answer(&mut self, id: u64, outcome: Outcome) -> Result<(), EndReason> {
        self.line(&Answer { id, outcome }).await
    }

    /// Many events are one write.
    async fn events(&mut self, events: &[Event]) -> Result<(), EndReason> {
        let mut bytes = Vec::new();
        for event in events {
            bytes
                .extend(wire::line(&HostMessage::Event(event)).map_err(|error| unsayable(&error))?);
            if bytes.len() > 256 * 1024 {
                self.write(&bytes).await?;
                bytes.clear();
            }
        }
        self.write(&bytes).await
    }

    async fn line(&mut self, what: &impl Serialize) -> Result<(), EndReason> {
        let bytes = wire::line(what).map_err(|error| unsayable(&error))?;
        self.write(&bytes).await
    }

    /// A client that takes a part of it has not stopped reading.
    async fn write(&mut self, mut bytes: &[u8]) -> Result<(), EndReason> {
        while !bytes.is_empty() {
            match timeout(self.patience, self.write.write_buf(&mut bytes)).await {
                Ok(Ok(written)) if written > 0 => {}
                Ok(_) => return Err(EndReason::Silent),
                Err(_elapsed) => {
                    tracing::warn!("a client that stopped reading was let go");
                    return Err(EndReason::Silent);
                }
            }
        }
        Ok(())
    }
}

/// A path that is not UTF-8, for example: better no connection than one with a hole in it.
fn unsayable(error: &serde_json::Error) -> EndReason {
    EndReason::Told(format!("What happened cannot be written as JSON: {error}."))
}
