//! Getting a connection: starting an adapter, finding its socket, connecting, or being connected to.
//!
//! What to start with which arguments is decided elsewhere; a [`AdapterSpec`] is complete. A socket of what we started is connected
//! to as soon as somebody listens, or, for adapters whose listener is not yet theirs when it is open, as soon as they say so.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use base::{
    files,
    peers::{self, Peer, Reached},
    tasks,
};
use output::{Announced, Banner, Drain, drain, spawn_drain};
use prompt::prompt;
use tokio::{
    net::{TcpListener, TcpStream, UnixStream},
    sync::{mpsc, watch},
    time::{Instant, sleep, timeout_at},
};

use super::{
    client::{
        self, Address, Connection, INCOMING_CAPACITY, Incoming, Tap, Wiring, ending::OutputTask,
    },
    exit::StderrTail,
    process::{AdapterProcess, Streams},
};

pub mod command_line;
mod error;
mod output;
pub mod prompt;
mod spec;
#[cfg(test)]
mod tests;

pub use error::{ConnectError, after_colon};
pub use output::{next_text, take_text};
pub use spec::{AdapterSpec, ConnectMode};

/// The longest path a unix socket can have, in bytes.
const MAX_SOCKET_PATH: usize = 107;
/// The first pause between two attempts to connect; it doubles up to [`LAST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(2);
/// The longest pause between two attempts to connect.
const LAST_PAUSE: Duration = Duration::from_millis(50);
/// How long one that has just begun to listen is left alone: who comes at once to `debugpy --listen` ends it now and then.
const SETTLING: Duration = Duration::from_millis(300);
/// How often the kernel is asked who listens before a port is tried all the same, and how long it is left alone in between.
const LOOKS: usize = 10;
const LOOK_PAUSE: Duration = Duration::from_millis(100);
/// How many ports an adapter is given that ends because its port is taken.
const PORT_TRIES: u32 = 3;
/// What stands for the port in the arguments of an adapter that listens on TCP.
const PORT: &str = "${port}";
/// What stands for the unix socket in the arguments of an adapter that listens on one, and whose child sessions come to it as well.
const SOCKET: &str = "${socket}";
/// Why somebody that is met on a port is not spoken to.
const FOREIGN: &str = "a program of another user is at the other end";

/// Reaches an adapter, starting it first unless it is remote.
pub async fn connect(spec: AdapterSpec) -> Result<Connection, ConnectError> {
    connect_tapped(spec, None).await
}

/// As [`connect`], with a tap that misses nothing, not even what an adapter says before it is asked.
pub async fn connect_tapped(
    spec: AdapterSpec,
    tap: Option<Tap>,
) -> Result<Connection, ConnectError> {
    let deadline = Instant::now() + spec.ready_timeout.min(Duration::from_hours(24));
    match &spec.connect {
        ConnectMode::Stdio | ConnectMode::LldbCommandLine => over_stdio(&spec, tap),
        ConnectMode::Tcp => {
            let mut tries = PORT_TRIES;
            loop {
                tries -= 1;
                match over_its_port(&spec, deadline, tap.clone()).await {
                    Err(ConnectError::Exited { stderr, .. }) if tries > 0 && is_taken(&stderr) => {}
                    other => return other,
                }
            }
        }
        ConnectMode::Socket => {
            let directory = files::private_directory()
                .map_err(|error| socket_error(&spec, "a private directory", error))?;
            let path = directory.path().join("dap.sock");
            if path.as_os_str().len() > MAX_SOCKET_PATH {
                let error = io::Error::other(format!(
                    "its path is longer than {MAX_SOCKET_PATH} bytes: {}",
                    path.display()
                ));
                return Err(socket_error(&spec, "a unix socket", error));
            }
            let mut argv = spec.argv.clone();
            let named = path.to_string_lossy();
            let takes_path = argv.iter().any(|word| word.contains(SOCKET));
            if takes_path {
                for word in &mut argv {
                    *word = word.replace(SOCKET, &named);
                }
            } else {
                argv.push(format!("--listen=unix:{named}"));
            }
            let mut started = Started::spawn(&spec, argv)?;
            let waited_for = format!("it does not listen on {}", path.display());
            let stream = started
                .reach(&spec, deadline, &waited_for, || {
                    UnixStream::connect(path.clone())
                })
                .await?;
            let (read, write) = stream.into_split();
            // The connection outlives the socket's name, where nobody else needs it.
            let address = takes_path.then_some(Address::Socket(path));
            started.process.folder = takes_path.then_some(directory);
            let wiring = started.wiring(tap, address);
            Ok(client::connect(read, write, &spec.name, wiring))
        }
        ConnectMode::ConnectBack => {
            let (listener, address) = listen()
                .await
                .map_err(|error| socket_error(&spec, "a listening socket", error))?;
            let mut argv = spec.argv.clone();
            argv.push(format!("--client-addr={address}"));
            let started = Started::spawn(&spec, argv)?;
            let accept = || async {
                let (stream, _) = listener.accept().await?;
                match peers::who(&stream) {
                    Peer::Ours => Ok(stream),
                    Peer::Foreign => {
                        started.warn(format!("{FOREIGN}; it was turned away"));
                        Err(io::Error::other(FOREIGN))
                    }
                    Peer::Gone => Err(io::Error::other("who connected had gone at once")),
                }
            };
            let stream = started
                .reach(
                    &spec,
                    deadline,
                    &format!("it did not connect to {address}"),
                    accept,
                )
                .await?;
            let (read, write) = prompt(stream);
            let wiring = started.wiring(tap, None);
            Ok(client::connect(read, write, &spec.name, wiring))
        }
        ConnectMode::At(address) => {
            let wiring = Wiring {
                tap,
                address: Some(address.clone()),
                ..Wiring::default()
            };
            already_listening(&spec, deadline, address, wiring).await
        }
    }
}

/// Connects to what nobody starts for this.
async fn already_listening(
    spec: &AdapterSpec,
    deadline: Instant,
    address: &Address,
    wiring: Wiring,
) -> Result<Connection, ConnectError> {
    match address {
        Address::Port(host, port) => {
            let mut came_before = false;
            let attempt = || {
                let again = std::mem::replace(&mut came_before, true);
                async move {
                    if again {
                        listened(host, *port).await;
                    }
                    TcpStream::connect((host.as_str(), *port)).await
                }
            };
            let stream = until(deadline, attempt, "no answer")
                .await
                .map_err(|error| {
                    let limit = spec.ready_timeout.as_millis();
                    ConnectError::Other(format!(
                        "cannot connect to {host}:{port} within {limit} ms: {error}"
                    ))
                })?;
            let (read, write) = prompt(stream);
            Ok(client::connect(read, write, &spec.name, wiring))
        }
        Address::Socket(path) => {
            let attempt = || UnixStream::connect(path);
            let stream = until(deadline, attempt, "no answer").await;
            let stream =
                stream.map_err(|error| socket_error(spec, "a child's connection", error))?;
            let (read, write) = stream.into_split();
            Ok(client::connect(read, write, &spec.name, wiring))
        }
    }
}

fn socket_error(spec: &AdapterSpec, what: &str, error: impl std::fmt::Display) -> ConnectError {
    let name = &spec.name;
    ConnectError::Other(format!(
        "cannot make {what} for DAP adapter {name}: {error}"
    ))
}

/// Starts an adapter that listens on a port, and connects.
async fn over_its_port(
    spec: &AdapterSpec,
    deadline: Instant,
    tap: Option<Tap>,
) -> Result<Connection, ConnectError> {
    let chosen = if spec.banner_names_port {
        0
    } else {
        // The adapter takes it a moment later, and ends if somebody was quicker.
        let free = listen().await;
        free.map_err(|error| socket_error(spec, "a TCP port", error))?
            .1
            .port()
    };
    let started = Started::spawn(spec, with_port(spec, chosen))?;
    let port = match started.announced(spec, deadline).await? {
        Announced::Port(port) => port,
        Announced::Ready | Announced::Nothing => chosen,
    };
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let waited_for = format!("it does not listen on {address}");
    let (stream, is_shared) = started
        .reach(spec, deadline, &waited_for, || tcp(address))
        .await?;
    // Adapters serve whoever comes first, and ask nobody who he is.
    if is_shared {
        let program = started.program;
        return Err(ConnectError::Other(format!(
            "a program of another user is connected to the port {address} of `{program}`, which was ended: it may have been told what to run; try again"
        )));
    }
    let told = Address::Port(address.ip().to_string(), port);
    let (read, write) = prompt(stream);
    let wiring = started.wiring(tap, Some(told));
    Ok(client::connect(read, write, &spec.name, wiring))
}

/// Whether an adapter ended because somebody else was quicker to take its port.
fn is_taken(last_words: &str) -> bool {
    last_words.contains("EADDRINUSE") || last_words.to_ascii_lowercase().contains("already in use")
}

fn with_port(spec: &AdapterSpec, port: u16) -> Vec<String> {
    let port = port.to_string();
    spec.argv
        .iter()
        .map(|argument| argument.replace(PORT, &port))
        .collect()
}

/// A socket on a port that is free, and its address.
async fn listen() -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Connects to a loopback port; whether another user did so too. A port of the ephemeral range that nobody listens on can connect to itself.
async fn tcp(address: SocketAddr) -> io::Result<(TcpStream, bool)> {
    let stream = TcpStream::connect(address).await?;
    if stream.local_addr()? == stream.peer_addr()? {
        return Err(io::ErrorKind::ConnectionRefused.into());
    }
    match peers::reached(&stream) {
        Reached::Foreign => Err(io::Error::other(FOREIGN)),
        reached => Ok((stream, reached == Reached::Shared)),
    }
}

/// Waits until a port on which nobody listened has somebody who is ready, or for a second: a container's may be handed on without a
/// listener that the kernel knows.
async fn listened(host: &str, port: u16) {
    for _ in 0..LOOKS {
        let of = host.to_owned();
        match tasks::blocking(move || peers::listens(&of, port)).await {
            Ok(Some(false)) => sleep(LOOK_PAUSE).await,
            Ok(Some(true)) => return sleep(SETTLING).await,
            _ => return,
        }
    }
}

/// Tries until it works or the time is up; then the last error, or `none_yet`, is the reason.
async fn until<T, F: Future<Output = io::Result<T>>>(
    deadline: Instant,
    mut attempt: impl FnMut() -> F,
    none_yet: &str,
) -> Result<T, String> {
    let mut pause = FIRST_PAUSE;
    let mut last = none_yet.to_owned();
    loop {
        match timeout_at(deadline, attempt()).await {
            Ok(Ok(reached)) => return Ok(reached),
            Ok(Err(error)) => last = error.to_string(),
            Err(_) => return Err(last),
        }
        if Instant::now() + pause >= deadline {
            return Err(last);
        }
        sleep(pause).await;
        pause = (pause * 2).min(LAST_PAUSE);
    }
}

fn over_stdio(spec: &AdapterSpec, tap: Option<Tap>) -> Result<Connection, ConnectError> {
    let (process, pipes) = AdapterProcess::spawn(spec, &spec.argv, Streams::Talks)?;
    let (Some(stdin), Some(stdout)) = (pipes.stdin, pipes.stdout) else {
        return Err(socket_error(spec, "pipes", io::ErrorKind::BrokenPipe));
    };
    let tail = StderrTail::default();
    if let Some(stderr) = pipes.stderr {
        tasks::spawn(drain(
            stderr,
            Drain {
                tail: Some(tail.clone()),
                ..Drain::default()
            },
        ));
    }
    let wiring = Wiring {
        tap,
        process: Some(process),
        stderr: tail,
        ends_with_process: true,
        ..Wiring::default()
    };
    Ok(client::connect(stdout, stdin, &spec.name, wiring))
}

/// An adapter that runs and whose socket is not reached yet.
struct Started {
    process: AdapterProcess,
    program: String,
    tail: StderrTail,
    printed: StderrTail,
    announced: watch::Receiver<Announced>,
    output: Vec<OutputTask>,
    incoming: mpsc::Sender<Incoming>,
    receiver: mpsc::Receiver<Incoming>,
}

impl Started {
    fn spawn(spec: &AdapterSpec, argv: Vec<String>) -> Result<Self, ConnectError> {
        let (process, pipes) = AdapterProcess::spawn(spec, &argv, Streams::Silent)?;
        let (incoming, receiver) = mpsc::channel(INCOMING_CAPACITY);
        let tail = StderrTail::default();
        let printed = StderrTail::default();
        let (seen, announced) = watch::channel(match spec.banner {
            Some(_) => Announced::Nothing,
            None => Announced::Ready,
        });
        let seen = Arc::new(seen);
        let watcher = || {
            let text = spec.banner.clone()?;
            Some(Banner::new(text, spec.banner_names_port, Arc::clone(&seen)))
        };
        let drain_to = |tail: &StderrTail, is_stderr| Drain {
            tail: Some(tail.clone()),
            incoming: Some((incoming.clone(), is_stderr)),
            banner: watcher(),
            ..Drain::default()
        };
        let stdout = pipes
            .stdout
            .map(|pipe| spawn_drain(pipe, drain_to(&printed, false)));
        let stderr = pipes
            .stderr
            .map(|pipe| spawn_drain(pipe, drain_to(&tail, true)));
        let output = stdout.into_iter().chain(stderr).collect();
        let program = argv.into_iter().next().unwrap_or_default();
        Ok(Self {
            process,
            program,
            tail,
            printed,
            announced,
            output,
            incoming,
            receiver,
        })
    }

    /// Has the person told, as if it had printed it.
    fn warn(&self, mut text: String) {
        tracing::warn!("{text}");
        text.push('\n');
        // Somebody who comes again and again is told of as often as there is room for.
        let _ = self
            .incoming
            .try_send(Incoming::AdapterOutput { stderr: true, text });
    }

    /// Waits until it says that it is ready, where it has a word for that.
    async fn announced(
        &self,
        spec: &AdapterSpec,
        deadline: Instant,
    ) -> Result<Announced, ConnectError> {
        let mut announced = self.announced.clone();
        let ready = async {
            let seen = timeout_at(
                deadline,
                announced.wait_for(|seen| *seen != Announced::Nothing),
            );
            if let Ok(Ok(seen)) = seen.await {
                return Ok(*seen);
            }
            let text = spec.banner.as_deref().unwrap_or_default();
            Err(format!("it did not print `{text}`"))
        };
        self.before_it_ends(spec, ready).await
    }

    /// Connects.
    async fn reach<T, F: Future<Output = io::Result<T>>>(
        &self,
        spec: &AdapterSpec,
        deadline: Instant,
        waited_for: &str,
        attempt: impl FnMut() -> F,
    ) -> Result<T, ConnectError> {
        let ready = async {
            until(deadline, attempt, waited_for).await.map_err(|error| {
                if error == waited_for {
                    error
                } else {
                    format!("{waited_for} ({error})")
                }
            })
        };
        self.before_it_ends(spec, ready).await
    }

    /// What comes of waiting, or else that the process has ended; the text of a failure says what was waited for.
    async fn before_it_ends<T>(
        &self,
        spec: &AdapterSpec,
        ready: impl Future<Output = Result<T, String>>,
    ) -> Result<T, ConnectError> {
        tokio::select! {
            biased;
            ready = ready => ready.map_err(|waited_for| {
                let (program, limit) = (&self.program, spec.ready_timeout.as_millis());
                let said = after_colon(&self.last_words());
                ConnectError::Other(format!("`{program}` was not ready after {limit} ms: {waited_for}{said}"))
            }),
            exit = self.process.exited() => {
                // The reason is usually in the last line, which may still be in the pipe.
                let complete = async { tokio::join!(self.tail.complete(), self.printed.complete()) };
                drop(timeout_at(Instant::now() + LAST_PAUSE * 4, complete).await);
                Err(ConnectError::Exited { program: self.program.clone(), exit, stderr: self.last_words() })
            }
        }
    }

    /// What it said before it failed; some (delve) say it on standard output.
    fn last_words(&self) -> String {
        let stderr = self.tail.text();
        if stderr.is_empty() {
            self.printed.text()
        } else {
            stderr
        }
    }

    fn wiring(self, tap: Option<Tap>, address: Option<Address>) -> Wiring {
        Wiring {
            tap,
            incoming: Some((self.incoming, self.receiver)),
            process: Some(self.process),
            stderr: self.tail,
            output: self.output,
            address,
            ..Wiring::default()
        }
    }
}
