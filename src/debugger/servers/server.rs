//! One debug server that came to us: who it is, and whether it is one of ours.
//!
//! It runs inside the program, so nothing it says is trusted: it shows the secret that it was started with before anything
//! else, its requests are refused (a client would start what they name), and its messages have a limit.

use dap::{
    codec::DapCodec,
    server::{Frames, Out},
    transport::prompt::{QuickAck, prompt},
};
use tokio::{net::TcpStream, time::timeout};

use super::frames::Head;
use crate::{adapters::Servers, prelude::*, random};

/// The largest message of a server, in bytes: 16 MiB - 1, as with the adapters that listen to them.
pub const MAX_BODY: usize = (16 << 20) - 1;
/// Our own requests are numbered from here, out of the way of those that are passed on.
const OURS: i64 = 1 << 40;
/// How long each answer may take until a server counts as none.
const PATIENCE: Duration = Duration::from_secs(10);

/// A process and the one it came out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub pid: i64,
    /// What a server does not tell is not known.
    pub parent: Option<i64>,
}

/// A connection to a server.
#[derive(Debug)]
pub struct Server {
    frames: Option<Frames<QuickAck>>,
    pub out: Out,
    next_seq: i64,
}

impl Server {
    pub fn over(stream: TcpStream) -> Self {
        let (read, write) = prompt(stream);
        Self {
            frames: Some(Frames::new(read, DapCodec::server().at_most(MAX_BODY))),
            out: Out::over(write),
            next_seq: OURS,
        }
    }

    /// One that is gone already.
    pub fn gone() -> Self {
        Self {
            frames: None,
            out: Out::over(tokio::io::sink()),
            next_seq: OURS,
        }
    }

    /// Asks for its secret, and who it is; says why it is none of ours.
    pub async fn greet(&mut self, servers: &Servers, token: &str) -> Result<Identity, String> {
        let unknown = |name: &str| format!("it does not know {name}");
        let authorize = &servers.authorize;
        let expected = json!({ authorize.ours.as_str(): null });
        let shown = self.ask(&authorize.request, expected).await?;
        let shown = shown.ok_or_else(|| unknown(&authorize.request))?;
        let theirs = shown.get(&authorize.theirs).and_then(Value::as_str);
        if !theirs.is_some_and(|theirs| random::is_same(theirs.as_bytes(), token.as_bytes())) {
            return Err(unknown("the secret that our programs are started with"));
        }
        for name in &servers.identify {
            if let Some(told) = self.ask(name, json!({})).await? {
                let number = |key| told.get("process")?.get(key)?.as_i64();
                let pid = number("pid").ok_or_else(|| unknown(name))?;
                let parent = number("ppid");
                return Ok(Identity { pid, parent });
            }
        }
        Err(unknown(&servers.identify.join(", ")))
    }

    /// Sends a request of our own; its answer has this number.
    pub async fn request(&mut self, command: &str, arguments: Value) -> i64 {
        self.next_seq += 1;
        self.out.request(self.next_seq, command, &arguments).await;
        self.next_seq
    }

    /// Asks, and waits for the answer, none where the server says no; for a server that is in no session.
    pub async fn ask(&mut self, command: &str, arguments: Value) -> Result<Option<Value>, String> {
        let seq = self.request(command, arguments).await;
        let answer = async {
            loop {
                let frame = self.next().await.ok_or("it closed the connection")?;
                let Some(head) = Head::of(&frame) else {
                    continue;
                };
                // What happens meanwhile is nobody's business yet.
                if head.kind == "response" && head.request_seq == seq {
                    if !head.success {
                        return Ok(None);
                    }
                    let mut whole: Value = serde_json::from_slice(&frame).unwrap_or_default();
                    let body = whole.get_mut("body").map(Value::take);
                    return Ok(Some(body.unwrap_or_default()));
                }
            }
        };
        timeout(PATIENCE, answer).await.unwrap_or_else(|_| {
            let limit = PATIENCE.as_secs();
            Err(format!("it did not answer {command} within {limit} s"))
        })
    }

    /// The next event or answer; none when it is gone. Waits for ever then, if it is asked again.
    pub async fn next(&mut self) -> Option<Bytes> {
        loop {
            let Some(frames) = &mut self.frames else {
                return std::future::pending().await;
            };
            let Some(frame) = frames.next().await else {
                self.close();
                return None;
            };
            match Head::of(&frame) {
                Some(head) if head.kind == "request" => {
                    let (seq, command) = (head.seq, head.command.into_owned());
                    tracing::warn!(command, "a debug server asked for something");
                    self.out
                        .answer(
                            seq,
                            &command,
                            Err("requests from a debug server to its client are not allowed"
                                .to_owned()),
                        )
                        .await;
                }
                Some(_) => return Some(frame),
                None => tracing::warn!("a debug server said something that is no message"),
            }
        }
    }

    /// Lets it go.
    pub fn close(&mut self) {
        self.frames = None;
        // A queue that nobody fills any more ends its writer, and the connection with it.
        self.out = Out::over(tokio::io::sink());
    }

    pub fn is_closed(&self) -> bool {
        self.frames.is_none()
    }

    /// Lets a process run for which nobody comes: it waits for a client otherwise.
    pub async fn let_run(&mut self, servers: &Servers, pid: i64) {
        let attach = json!({ servers.child.pid_key.as_str(): pid });
        let words = [
            ("initialize", json!({ "adapterID": "omp-debug" })),
            ("attach", attach),
            ("configurationDone", json!({})),
            ("disconnect", json!({ "terminateDebuggee": false })),
        ];
        for (command, arguments) in words {
            let answer = self.ask(command, arguments).await;
            if !matches!(answer, Ok(Some(_))) {
                tracing::debug!(?answer, command, "a process that nobody debugs");
                return self.close();
            }
        }
    }
}
