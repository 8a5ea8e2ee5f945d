//! The debug servers of one program and of all that came out of it: who listens for them, and who belongs to whom.
//!
//! The first server that shows the secret is the root, all others are below it: under the session of the process that
//! made them, and where that is not debugged, under the root. A server is kept from its connection to the end of its
//! process; the core coming and leaving only begins and ends a session with it.

use std::{
    net::SocketAddr,
    sync::{
        MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use base::peers::{self, Peer};
use tokio::{
    io::DuplexStream,
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};

use super::{
    relay::Relay,
    root::Root,
    server::{Identity, Server},
};
use crate::{adapters::Servers, prelude::*};

/// Connections that may be asked who they are at a time; anybody on this machine can make one.
const STRANGERS: usize = 256;

/// How long we wait after the system could not give us a connection (no descriptors left): nothing tells when it can again, and the
/// program that wants it stands still meanwhile.
const BREATHER: Duration = Duration::from_millis(20);

/// What is asked of the keeper of a server.
#[derive(Debug)]
pub enum Order {
    /// The core begins a session on this stream.
    Session(DuplexStream),
    /// A server came whose process was made by this one.
    Child { pid: i64 },
    /// Nobody debugs the process: it is to run.
    LetRun,
    /// Another user's program came to our port.
    Foreign,
}

/// Servers that belong together.
pub struct ServerTree {
    servers: Servers,
    token: String,
    address: SocketAddr,
    members: Mutex<Members>,
    closed: CancellationToken,
    /// A program of another user came; it is told once.
    foreign: AtomicBool,
}

#[derive(Default)]
struct Members {
    by_pid: HashMap<i64, Member>,
    root: Option<i64>,
    /// Who waits for the root.
    first: Option<oneshot::Sender<(Server, Identity)>>,
    /// Tells a process from the one that it replaced.
    came: u64,
}

struct Member {
    came: u64,
    orders: mpsc::UnboundedSender<Order>,
    in_session: bool,
    /// It is about to become another program.
    replaced: bool,
    /// Its server is gone.
    left: bool,
}

impl fmt::Debug for ServerTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Family")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Drop for ServerTree {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}

impl ServerTree {
    /// Begins to listen on this machine; the first server that comes is told to the other end.
    pub(super) async fn listen(
        servers: Servers,
        token: String,
    ) -> io::Result<(Arc<Self>, oneshot::Receiver<(Server, Identity)>)> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let (first, root) = oneshot::channel();
        let family = Arc::new(Self {
            servers,
            token,
            address: listener.local_addr()?,
            members: Mutex::new(Members {
                first: Some(first),
                ..Members::default()
            }),
            closed: CancellationToken::new(),
            foreign: AtomicBool::new(false),
        });
        tasks::spawn(accept(
            listener,
            Arc::downgrade(&family),
            family.closed.clone(),
        ));
        Ok((family, root))
    }

    pub(super) fn servers(&self) -> &Servers {
        &self.servers
    }

    /// Where servers come to.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Nobody is let in any more.
    pub(super) fn close(&self) {
        self.closed.cancel();
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        lock(&self.members)
    }

    /// Takes the root in: its session has begun.
    pub(super) fn adopt(
        self: &Arc<Self>,
        server: Server,
        who: Identity,
        core: DuplexStream,
        root: Root,
    ) {
        let mut members = self.members();
        members.root = Some(who.pid);
        self.keep(members, server, who, Some((root, core)));
    }

    /// Gives a server its place, and a task that keeps it there. The one of the program itself begins with a session.
    fn keep(
        self: &Arc<Self>,
        mut members: MutexGuard<'_, Members>,
        server: Server,
        who: Identity,
        root: Option<(Root, DuplexStream)>,
    ) -> mpsc::UnboundedSender<Order> {
        members.came += 1;
        let came = members.came;
        let (orders, queue) = mpsc::unbounded_channel();
        let member = Member {
            came,
            orders: orders.clone(),
            in_session: false,
            replaced: false,
            left: false,
        };
        members.by_pid.insert(who.pid, member);
        drop(members);
        let (root, core) = root.unzip();
        if let Some(core) = core {
            let _ = orders.send(Order::Session(core));
        }
        let keeper = Keeper {
            family: Arc::clone(self),
            server,
            pid: who.pid,
            came,
            root,
            orders: orders.clone(),
        };
        tasks::spawn(keeper.run(queue));
        orders
    }

    /// Begins a session with the server of a process. Of one that is gone, the stream speaks for nobody: it ends at once.
    pub(super) fn join(self: &Arc<Self>, pid: i64, core: DuplexStream) {
        let refused = match self.members().by_pid.get(&pid) {
            Some(member) => match member.orders.send(Order::Session(core)) {
                Err(mpsc::error::SendError(Order::Session(core))) => Some(core),
                Ok(()) | Err(_) => None,
            },
            None => Some(core),
        };
        if let Some(core) = refused {
            self.speak_for_nobody(pid, core);
        }
    }

    /// A session with what is gone: it begins, and is over.
    fn speak_for_nobody(self: &Arc<Self>, pid: i64, core: DuplexStream) {
        let family = Arc::clone(self);
        tasks::spawn(async move {
            let mut nobody = Server::gone();
            let (_held, mut orders) = mpsc::unbounded_channel();
            Relay::new(&family, &mut nobody, pid, core, None)
                .run(&mut orders)
                .await;
        });
    }

    /// The process of a server is about to become another program.
    pub(super) fn is_replaced(&self, pid: i64) {
        if let Some(member) = self.members().by_pid.get_mut(&pid) {
            member.replaced = true;
        }
    }

    /// The server of a process is gone.
    pub(super) fn has_left(&self, pid: i64) {
        if let Some(member) = self.members().by_pid.get_mut(&pid) {
            member.left = true;
        }
    }

    /// Nobody comes for a process.
    pub(super) fn let_run(&self, pid: i64) {
        if let Some(member) = self.members().by_pid.get(&pid) {
            let _ = member.orders.send(Order::LetRun);
        }
    }

    /// A program of another user came, and was turned away.
    fn refuse(&self) {
        let members = self.members();
        let root = members.root.and_then(|pid| members.by_pid.get(&pid));
        if let Some(root) = root
            && !self.foreign.swap(true, Ordering::Relaxed)
        {
            let _ = root.orders.send(Order::Foreign);
        }
        tracing::warn!("a program of another user was turned away");
    }

    /// A server has shown that it is ours: it gets its place.
    fn came(self: &Arc<Self>, server: Server, who: Identity) {
        let mut members = self.members();
        if let Some(first) = members.first.take() {
            // Who waited for it may have given up, and ends the process then.
            let _ = first.send((server, who));
            return;
        }
        let before = members.by_pid.get(&who.pid);
        if before.is_some_and(|before| !before.replaced && !before.left) {
            tracing::warn!(pid = who.pid, "a process has a debug server already");
            return;
        }
        // A process that has become another program is told of by what it was.
        let parents = [Some(who.pid), who.parent, members.root];
        let parent = parents.into_iter().flatten().find_map(|pid| {
            let parent = members.by_pid.get(&pid)?;
            let lives = if pid == who.pid {
                parent.replaced
            } else {
                !parent.left || Some(pid) == members.root
            };
            let fits = parent.in_session && lives;
            fits.then(|| parent.orders.clone())
        });
        let orders = self.keep(members, server, who, None);
        let told = parent.is_some_and(|parent| parent.send(Order::Child { pid: who.pid }).is_ok());
        if !told {
            let _ = orders.send(Order::LetRun);
        }
    }
}

/// What the person is told of a program of another user that came.
pub fn foreign() -> Value {
    let text =
        "A program of another user connected to the port of this session, and was turned away.\n";
    json!({ "category": "important", "output": text })
}

async fn accept(
    listener: TcpListener,
    family: std::sync::Weak<ServerTree>,
    closed: CancellationToken,
) {
    let strangers = Arc::new(Semaphore::new(STRANGERS));
    loop {
        // One that has to wait is let in later: to be turned away would let its process run undebugged.
        let accepted = tokio::select! {
            accepted = async {
                let room = Arc::clone(&strangers).acquire_owned().await;
                (listener.accept().await, room)
            } => accepted,
            () = closed.cancelled() => return,
        };
        let (stream, room) = match accepted {
            (Ok((stream, _)), room) => (stream, room),
            (Err(error), _) => {
                // Out of descriptors, mostly; not to be met by trying at full speed.
                tracing::warn!(%error, "a debug server could not be let in");
                time::sleep(BREATHER).await;
                continue;
            }
        };
        let Some(family) = family.upgrade() else {
            return;
        };
        // The secret alone does not do: debug servers hand it to their children in arguments, which all users can read.
        match peers::who(&stream) {
            Peer::Ours => {}
            Peer::Foreign => {
                family.refuse();
                continue;
            }
            Peer::Gone => continue,
        }
        tasks::spawn(async move {
            greet(&family, stream).await;
            drop(room);
        });
    }
}

async fn greet(family: &Arc<ServerTree>, stream: TcpStream) {
    let mut server = Server::over(stream);
    let greeted = server.greet(&family.servers, &family.token);
    match family.closed.run_until_cancelled(greeted).await {
        None => {}
        Some(Ok(who)) => family.came(server, who),
        Some(Err(error)) => {
            tracing::warn!(%error, "a connection to our listener is no debug server of ours");
        }
    }
}

/// Keeps one server.
struct Keeper {
    family: Arc<ServerTree>,
    server: Server,
    pid: i64,
    came: u64,
    root: Option<Root>,
    /// So that there may always be more orders: its place may be taken by a process that replaces this one.
    orders: mpsc::UnboundedSender<Order>,
}

impl Keeper {
    async fn run(mut self, mut orders: mpsc::UnboundedReceiver<Order>) {
        loop {
            let order = tokio::select! {
                order = orders.recv() => order,
                frame = self.server.next() => match frame {
                    // What happens while nobody debugs it is nobody's business.
                    Some(_) => continue,
                    None => None,
                },
                () = self.family.closed.cancelled() => None,
            };
            match order {
                None => break,
                Some(Order::Session(core)) => {
                    self.session(true);
                    let relay = Relay::new(
                        &self.family,
                        &mut self.server,
                        self.pid,
                        core,
                        self.root.as_mut(),
                    );
                    if let Some(next) = relay.run(&mut orders).await {
                        let _ = self.orders.send(Order::Session(next));
                    }
                    self.session(false);
                    if self.root.is_some() {
                        // With the root's session all ends.
                        self.family.close();
                    }
                }
                Some(Order::Foreign) => {}
                Some(Order::LetRun) => self.server.let_run(&self.family.servers, self.pid).await,
                Some(Order::Child { pid }) => self.family.let_run(pid),
            }
            if self.server.is_closed() {
                break;
            }
        }
        self.forget();
        // What was asked in the meantime is asked of nobody.
        while let Ok(order) = orders.try_recv() {
            match order {
                Order::Session(core) => self.family.speak_for_nobody(self.pid, core),
                Order::Child { pid } => self.family.let_run(pid),
                Order::LetRun | Order::Foreign => {}
            }
        }
    }

    fn forget(&self) {
        let mut members = self.family.members();
        let known = members.by_pid.get(&self.pid);
        if known.is_some_and(|known| known.came == self.came) {
            members.by_pid.remove(&self.pid);
        }
    }

    fn session(&self, begun: bool) {
        if let Some(member) = self.family.members().by_pid.get_mut(&self.pid)
            && member.came == self.came
        {
            member.in_session = begun;
        }
    }
}
