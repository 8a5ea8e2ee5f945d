//! A [`CoreHandle`] to a core of another process: commands go over the socket, answers and events come back.

use tokio::{
    io::AsyncWriteExt as _,
    net::unix::OwnedWriteHalf,
    task::{AbortHandle, JoinSet},
};

use super::{
    connection::Connection,
    note::{HostKind, Note},
    wire::{self, Guest, Hello, HostLine, RequestLine, Subscribe},
};
use crate::{
    core::{Remote, RemoteRequest},
    prelude::*,
};

/// A core of another process.
#[derive(Debug)]
pub struct Joined {
    /// It, to be used as any other. [`Command::Shutdown`] ends the connection, not the core.
    pub core: CoreHandle,
    pub host: Hello,
    /// What is known of that process.
    pub note: Option<Note>,
}

impl Joined {
    /// The process, in words for a sentence.
    pub fn name(&self) -> String {
        let pid = self.host.pid;
        match self.note.as_ref().map(|note| note.kind) {
            Some(HostKind::Serve) => format!("serve (pid {pid})"),
            Some(HostKind::Tui) => format!("a screen (pid {pid})"),
            None => format!("process {pid}"),
        }
    }

    /// What may be told of its programs.
    pub fn discretion(&self, context: &Context) -> Discretion {
        if self.host.tells_secrets {
            Discretion::none()
        } else {
            Discretion::knowing(context.env.iter())
        }
    }
}

/// Joins the core behind a socket, as a person at a screen.
pub async fn join(path: &Path) -> Result<Joined> {
    join_as(path, Guest::person()).await
}

/// Joins the core behind a socket. All that is asked through its handle is asked by this guest.
pub async fn join_as(path: &Path, guest: Guest) -> Result<Joined> {
    let connection = Connection::open_as(path, guest).await?;
    let (core, remote) = Remote::new();
    let host = connection.hello().clone();
    tasks::spawn(carry(connection, remote));
    let note = Note::read(&path.with_extension("json"));
    Ok(Joined { core, host, note })
}

/// Who waits for an answer.
struct Waiter {
    reply: oneshot::Sender<Result<Reply>>,
    /// Waits for the request to be taken back.
    taken_back: Option<AbortHandle>,
}

/// Carries requests over and answers back until one of the two sides has ended.
async fn carry(connection: Connection, mut remote: Remote) {
    let Connection {
        mut incoming,
        write,
        ..
    } = connection;
    // Writing must never keep us from reading: the host stops reading while its own writing is stuck.
    let (lines, outgoing) = mpsc::unbounded_channel();
    let writer = tasks::spawn(write_all(write, outgoing));
    let mut waiting: HashMap<u64, Waiter> = HashMap::new();
    let mut taken_back: JoinSet<u64> = JoinSet::new();
    let mut requests = 0;
    let why = loop {
        tokio::select! {
            asked = remote.next() => match asked {
                None => break None,
                Some(RemoteRequest::Follow) => {
                    say(&lines, &RequestLine { subscribe: Some(Subscribe {}), ..RequestLine::default() });
                }
                Some(RemoteRequest::Command { command, reply, .. }) if *command == Command::Shutdown => {
                    // Whoever asked may have gone.
                    let _ = reply.send(Ok(Reply::Done));
                    break None;
                }
                Some(RemoteRequest::Command { command, terms, expected_stop, reply }) => {
                    requests += 1;
                    let line = RequestLine {
                        id: Some(requests),
                        command: Some(command),
                        expected_stop,
                        within_ms: terms.as_ref().map(|terms| {
                            u64::try_from(terms.timeout.as_millis()).unwrap_or(u64::MAX)
                        }),
                        ..RequestLine::default()
                    };
                    if say(&lines, &line) {
                        let taken_back = terms.map(|terms| {
                            let id = requests;
                            taken_back.spawn(async move {
                                terms.taken_back.cancelled().await;
                                id
                            })
                        });
                        waiting.insert(requests, Waiter { reply, taken_back });
                    } else {
                        let _ = reply.send(Err(DebuggerError::usage("The request holds a path that is not UTF-8, and cannot be sent to another process.",
                        )));
                    }
                }
            },
            Some(ended) = taken_back.join_next() => {
                // One that ended otherwise has been answered.
                if let Ok(id) = ended && waiting.remove(&id).is_some() {
                    say(&lines, &RequestLine { cancel: Some(id), ..RequestLine::default() });
                }
            }
            line = incoming.next() => match line {
                Ok(line) => take(line, &mut remote, &mut waiting),
                Err(why) => break Some(incoming.lost(why).what),
            },
        }
    };
    writer.abort();
    if let Some(why) = why {
        tracing::warn!(%why, "the joined core is gone");
        for waiter in waiting.into_values() {
            let _ = waiter.reply.send(Err(DebuggerError::state(sentence(&why))));
        }
    }
    remote.close();
}

fn take(line: HostLine, remote: &mut Remote, waiting: &mut HashMap<u64, Waiter>) {
    if let Some(event) = line.event {
        remote.relay(&event);
    } else if let Some(state) = line.state {
        remote.begin(*state);
    } else if let Some(waiter) = line.id.and_then(|id| waiting.remove(&id)) {
        if let Some(taken_back) = waiter.taken_back {
            taken_back.abort();
        }
        let answer = match (line.error, line.reply) {
            (Some(error), _) => Err(error),
            (None, Some(answer)) => Ok(answer),
            (None, None) => Err(DebuggerError::state(
                "The debugger's answer holds neither reply nor error.",
            )),
        };
        // Whoever asked may have gone.
        let _ = waiter.reply.send(answer);
    } else if let Some(error) = line.error {
        tracing::warn!(%error, "the host did not understand us");
    }
}

/// Whether it could be written at all; whether it arrives is told by the reading side.
fn say(lines: &mpsc::UnboundedSender<Vec<u8>>, line: &RequestLine) -> bool {
    match wire::line(line) {
        Ok(bytes) => {
            let _ = lines.send(bytes);
            true
        }
        Err(error) => {
            tracing::warn!(%error, "a request cannot be written");
            false
        }
    }
}

async fn write_all(mut write: OwnedWriteHalf, mut lines: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if write.write_all(&line).await.is_err() {
            return;
        }
    }
}
