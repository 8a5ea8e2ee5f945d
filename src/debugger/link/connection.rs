//! A host, as its client sees it: connect, look who is there, ask.

use std::io;

use futures_util::StreamExt as _;
use tokio::{
    io::AsyncWriteExt as _,
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    time::timeout,
};
use tokio_util::codec::{AnyDelimiterCodec, FramedRead};

use super::{
    LinkError,
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
pub(super) struct Incoming {
    path: PathBuf,
    lines: FramedRead<OwnedReadHalf, AnyDelimiterCodec>,
}

impl Connection {
    /// As [`Self::open_as`], as a script.
    pub async fn open(path: &Path) -> Result<Self, LinkError> {
        Self::open_as(path, Guest::script(None)).await
    }

    /// Connects to a socket, if someone of the same user listens there and speaks as we do.
    pub async fn open_as(path: &Path, guest: Guest) -> Result<Self, LinkError> {
        let stream = connect(path).await?;
        let own = rustix::process::geteuid().as_raw();
        let uid = stream
            .peer_cred()
            .map_err(|error| LinkError::Io {
                path: path.to_path_buf(),
                what: "does not tell whose it is",
                error,
            })?
            .uid();
        if super::host::allow(uid, own).is_err() {
            return Err(LinkError::Foreign {
                path: path.to_path_buf(),
                uid,
                own,
            });
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
            .map_err(|_elapsed| LinkError::Silent(path.to_path_buf()))??;
        Ok(connection)
    }

    /// Who is there.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    async fn greet(&mut self, guest: Guest) -> Result<(), LinkError> {
        let line = RequestLine {
            hello: Some(Hello {
                guest,
                ..Hello::own()
            }),
            ..RequestLine::default()
        };
        self.send(&line).await?;
        let path = self.incoming.path.clone();
        let stranger = |what| LinkError::Stranger { path, what };
        match self.incoming.next().await {
            Ok(HostLine {
                hello: Some(hello), ..
            }) if hello.protocol == PROTOCOL => {
                self.hello = hello;
                Ok(())
            }
            Ok(HostLine {
                hello: Some(hello), ..
            }) => Err(stranger(format!(
                "it is omp-debug {} and speaks protocol {}, this one speaks {PROTOCOL}; use the same omp-debug for both",
                hello.version, hello.protocol
            ))),
            Ok(_) => Err(stranger("its first line is no `hello`".to_owned())),
            Err(LinkError::Lost { why, .. }) => Err(stranger(why)),
            Err(error) => Err(error),
        }
    }

    /// Runs one action of the debug tool in the host.
    pub async fn call(&mut self, call: Call) -> Result<Result<Value>, LinkError> {
        self.calls += 1;
        let id = self.calls;
        let line = RequestLine {
            id: Some(id),
            call: Some(call),
            ..RequestLine::default()
        };
        self.send(&line).await?;
        loop {
            let line = self.incoming.next().await?;
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

    pub(super) async fn send(&mut self, line: &RequestLine) -> Result<(), LinkError> {
        let bytes = wire::line(line).map_err(|error| {
            self.incoming
                .lost(format!("a request cannot be written: {error}"))
        })?;
        self.write
            .write_all(&bytes)
            .await
            .map_err(|error| self.incoming.lost(error.to_string()))
    }
}

impl Incoming {
    /// The next line; [`LinkError::Lost`] when there will be none.
    pub(super) async fn next(&mut self) -> Result<HostLine, LinkError> {
        let line = match self.lines.next().await {
            Some(Ok(line)) => line,
            Some(Err(error)) => return Err(self.lost(wire::unreadable(&error, LONGEST_ANSWER))),
            None => return Err(self.lost("it has ended")),
        };
        match serde_json::from_slice::<HostLine>(&line) {
            Ok(HostLine {
                ended: Some(why), ..
            }) => Err(self.lost(why)),
            Ok(line) => Ok(line),
            Err(error) => Err(self.lost(format!(
                "it said something that cannot be read ({error}): {}",
                wire::quote(&line)
            ))),
        }
    }

    pub(super) fn lost(&self, why: impl Into<String>) -> LinkError {
        LinkError::Lost {
            path: self.path.clone(),
            why: why.into(),
        }
    }
}

/// Connects. A host that is suspended takes no more connections than its queue holds, and does not refuse them either.
pub(super) async fn connect(path: &Path) -> Result<UnixStream, LinkError> {
    match timeout(GREETING, UnixStream::connect(path)).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) if error.kind() == io::ErrorKind::WouldBlock => {
            Err(LinkError::Silent(path.to_path_buf()))
        }
        Ok(Err(error)) => Err(LinkError::Nobody {
            path: path.to_path_buf(),
            error,
        }),
        Err(_elapsed) => Err(LinkError::Silent(path.to_path_buf())),
    }
}
