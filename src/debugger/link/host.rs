//! The socket of a core: made, listened on, and taken away again.

use std::os::unix::fs::PermissionsExt as _;

use tokio::{
    net::{UnixListener, UnixStream},
    task::JoinSet,
};
use tokio_util::task::AbortOnDropHandle;

use super::{
    find,
    note::Note,
    peer::{self, Offer},
    place::{self, SocketFolder},
};
use crate::prelude::*;

/// Clients at a time; one more is told so.
const MOST_CLIENTS: usize = 64;
/// How long we wait after the system could not give us a client (no descriptors left) before we ask again.
const BREATHER: Duration = Duration::from_secs(1);
/// How long a client may take nothing of what it is sent, and how long it may take to say hello.
const PATIENCE: Duration = Duration::from_mins(1);

/// How a core is shared.
#[derive(Clone, Debug)]
pub struct Hosting {
    /// Where the socket is made.
    pub place: SocketFolder,
    pub note: Note,
    /// How its tool is offered.
    pub offer: Offer,
    /// How long a client may take nothing of what it is sent, or not say hello, before its connection is closed.
    pub patience: Duration,
}

impl Hosting {
    /// With the usual patience and the usual tool.
    pub fn new(place: SocketFolder, note: Note) -> Self {
        Self {
            place,
            note,
            offer: Offer::default(),
            patience: PATIENCE,
        }
    }
}

/// A socket that is open. Dropping it closes all connections and removes the socket.
#[derive(Debug)]
pub struct Host {
    files: Files,
    _listening: AbortOnDropHandle<()>,
}

impl Host {
    /// The socket.
    pub fn path(&self) -> &Path {
        &self.files.socket
    }
}

/// Removed with the value.
#[derive(Debug)]
struct Files {
    socket: PathBuf,
    note: PathBuf,
}

impl Drop for Files {
    fn drop(&mut self) {
        place::remove(&self.socket);
        place::remove(&self.note);
    }
}

/// Opens the socket of a core.
pub async fn serve(core: CoreHandle, hosting: Hosting) -> Result<Host> {
    let Hosting {
        place,
        note,
        offer,
        patience,
    } = hosting;
    // Those that were killed cannot take theirs away.
    find::in_place(&place).await;
    let socket = place.socket(note.pid);
    let files = Files {
        note: note.write(&place)?,
        socket,
    };
    // Nobody can connect before the mode is right: the socket gets the name that clients look for last.
    let unfinished = place.unfinished_socket(note.pid);
    place::remove(&unfinished);
    let failed = |what| {
        let path = unfinished.clone();
        move |error| place::failed(&path, what, &error)
    };
    let listener = UnixListener::bind(&unfinished).map_err(failed("cannot be listened at"))?;
    fs::set_permissions(&unfinished, fs::Permissions::from_mode(0o600))
        .and_then(|()| fs::rename(&unfinished, &files.socket))
        .map_err(|error| {
            place::remove(&unfinished);
            failed("cannot be made private")(error)
        })?;
    let shared = Arc::new(peer::Shared::new(core, offer, patience));
    Ok(Host {
        files,
        _listening: AbortOnDropHandle::new(tasks::spawn(listen(listener, shared))),
    })
}

async fn listen(listener: UnixListener, shared: Arc<peer::Shared>) {
    let own = rustix::process::geteuid().as_raw();
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => match admit(&stream, own, clients.len()) {
                    Ok(()) => {
                        clients.spawn(peer::attend(stream, Arc::clone(&shared)));
                    }
                    Err(why) => {
                        tracing::warn!(%why, "a client was refused");
                        clients.spawn(peer::refuse(stream, why));
                    }
                },
                Err(error) => {
                    tracing::warn!(%error, "no client could be taken");
                    time::sleep(BREATHER).await;
                }
            },
            Some(_) = clients.join_next() => {}
        }
    }
}

/// Why a client is not served.
fn admit(stream: &UnixStream, own: u32, clients: usize) -> Result<(), String> {
    match stream.peer_cred() {
        Ok(peer) => place::allow(peer.uid(), own)?,
        Err(error) => return Err(format!("The system does not say who you are: {error}.")),
    }
    if clients >= MOST_CLIENTS {
        return Err(format!(
            "{clients} clients are connected, which is as many as are served at a time."
        ));
    }
    Ok(())
}
