//! A host, as its client sees it: connect, look who is there, ask.

use futures_util::StreamExt as _;
use tokio::{
    io::AsyncWriteExt as _,
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    time::Timeout,
};
use tokio_util::codec::{AnyDelimiterCodec, FramedRead};

use super::{
    place,
    wire::{self, Call, Guest, Hello, HostLine, LONGEST_ANSWER, PROTOCOL, RequestLine},
};
use crate::prelude::*;

/// How long a host may take to say who it is. One that runs does so at once.
const GREETING: Duration = Duration::from_secs(5);

/// A connection to a host.
#[derive(Debug)]
pub struct Connection {
    hello: Hello,
    pub(super) incoming: Incoming,
    pub(super) write: OwnedWriteHalf,
    calls: u64,
}

/// What a host says.
#[derive(Debug)]
pub struct Incoming {
    path: PathBuf,
    lines: FramedRead<OwnedReadHalf, AnyDelimiterCodec>,
}

impl Connection {
    /// As [`Self::open_as`], as a script.
    pub async fn open(path: &Path) -> Result<Self> {
        Self::open_as(path, Guest::script(None)).await
    }

    /// Connects to a socket, if someone of the same user listens there and speaks as we do.
    pub async fn open_as(path: &Path, guest: Guest) -> Result<Self> {
        let stream = connect(path).await?;
        let own = rustix::process::geteuid().as_raw();
        let uid = stream
            .peer_cred()
            .map_err(|error| place::failed(path, "does not tell whose it is", &error))?
            .uid();
        if place::allow(uid, own).is_err() {
            let what = format!(
                "the process at {at:?} belongs to user {uid}, not to you ({own}): it is not asked anything",
                at = path.to_string_lossy()
            );
            return Err(DebuggerError::adapter(what));
        }
        let (read, write) = stream.into_split();
        let mut connection = Self {
            hello: Hello::default(),
            incoming: Incoming {
                path: path.to_path_buf(),
                lines: FramedRead::new(read, wire::codec(LONGEST_ANSWER)),
            },
            write,
            calls: 0,
        };
        let greeting = connection.greet(guest);
        timeout(GREETING, greeting)
            .await
            .map_err(|_elapsed| silent(path))??;
        Ok(connection)
    }

    /// Who is there.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    async fn greet(&mut self, guest: Guest) -> Result<()> {
        let line = RequestLine {
            hello: Some(Hello {
                guest,
                ..Hello::own()
            }),
            ..RequestLine::default()
        };
        self.send(&line).await?;
        let why = match self.incoming.next().await.map(|line| line.hello) {
            Ok(Some(hello)) if hello.protocol == PROTOCOL => {
                self.hello = hello;
                return Ok(());
            }
            Ok(Some(hello)) => format!(
                "it is omp-debug {} and speaks protocol {}, this one speaks {PROTOCOL}; use the same omp-debug for both",
                hello.version, hello.protocol
            ),
            Ok(None) => "its first line is no `hello`".to_owned(),
            Err(why) => why,
        };
        let at = self.incoming.path.to_string_lossy();
        let what =
            format!("the process at {at:?} is not a core this omp-debug can speak with: {why}");
        Err(DebuggerError::adapter(what))
    }

    /// Runs one action of the debug tool in the host.
    pub async fn call(&mut self, call: Call) -> Result<Result<Value>> {
        self.calls += 1;
        let id = self.calls;
        let line = RequestLine {
            id: Some(id),
            call: Some(call),
            ..RequestLine::default()
        };
        self.send(&line).await?;
        loop {
            let line = self.next().await?;
            if line.id == Some(id) {
                return match (line.result, line.error) {
                    (_, Some(error)) => Ok(Err(error)),
                    (Some(result), None) => Ok(Ok(result)),
                    (None, None) => Err(self
                        .incoming
                        .lost("its answer holds neither result nor error")),
                };
            }
        }
    }

    /// The next line; an error when there will be none.
    pub(super) async fn next(&mut self) -> Result<HostLine> {
        let line = self.incoming.next().await;
        line.map_err(|why| self.incoming.lost(why))
    }

    pub(super) async fn send(&mut self, line: &RequestLine) -> Result<()> {
        let bytes = wire::line(line).map_err(|error| {
            self.incoming
                .lost(format!("a request cannot be written: {error}"))
        })?;
        self.write
            .write_all(&bytes)
            .await
            .map_err(|error| self.incoming.lost(error))
    }
}

impl Incoming {
    /// The next line, or why there will be none.
    pub async fn next(&mut self) -> Result<HostLine, String> {
        let line = match self.lines.next().await {
            Some(Ok(line)) => line,
            Some(Err(error)) => return Err(wire::unreadable(&error, LONGEST_ANSWER)),
            None => return Err("it has ended".to_owned()),
        };
        match serde_json::from_slice::<HostLine>(&line) {
            Ok(HostLine {
                ended: Some(why), ..
            }) => Err(why),
            Ok(line) => Ok(line),
            Err(error) => Err(format!(
                "it said something that cannot be read ({error}): {}",
                wire::quote(&line)
            )),
        }
    }

    pub fn lost(&self, why: impl fmt::Display) -> DebuggerError {
        let at = self.path.to_string_lossy();
        let what = format!("the connection to the debugger at {at:?} was lost: {why}");
        DebuggerError::adapter(what)
    }
}

/// Connects. A host that is suspended takes no more connections than its queue holds, and does not refuse them either.
async fn connect(path: &Path) -> Result<UnixStream> {
    match dial(path).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) if error.kind() != io::ErrorKind::WouldBlock => {
            Err(DebuggerError::usage(format!(
                "no omp-debug listens at {:?} ({error}): `omp-debug serve` starts one",
                path.to_string_lossy()
            )))
        }
        _ => Err(silent(path)),
    }
}

/// Tries to connect for a while.
pub fn dial(path: &Path) -> Timeout<impl Future<Output = io::Result<UnixStream>>> {
    timeout(GREETING, UnixStream::connect(path))
}

fn silent(path: &Path) -> DebuggerError {
    let at = path.to_string_lossy();
    let what = format!("the omp-debug at {at:?} does not answer: is it suspended?");
    DebuggerError::timeout(what)
}
