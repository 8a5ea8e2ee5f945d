//! What an adapter prints: read to the end always, delivered where somebody wants it, searched for its banner.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use base::tasks;
use bytes::BytesMut;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    sync::{mpsc, watch},
};
use tokio_util::sync::CancellationToken;

use crate::{
    client::{Incoming, ending::OutputTask},
    exit::StderrTail,
};

/// Where the bytes of one pipe go.
#[derive(Default)]
pub struct Drain {
    /// What keeps the end of it.
    pub tail: Option<StderrTail>,
    /// Whom to tell, and whether this is standard error.
    pub incoming: Option<(mpsc::Sender<Incoming>, bool)>,
    /// What to look for.
    pub banner: Option<Banner>,
    /// Whether it waits for whom it tells.
    pub delivering: Arc<AtomicBool>,
    /// Asks it to tell nobody any more.
    pub mute: CancellationToken,
    /// Says that it tells nobody any more.
    pub silent: CancellationToken,
}

/// Looks for the adapter's "I am ready" in what it prints, however that is cut into pieces.
pub struct Banner {
    text: String,
    names_port: bool,
    window: String,
    seen: Arc<watch::Sender<Announced>>,
}

/// What an adapter has said of being ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announced {
    /// Nothing yet.
    Nothing,
    /// That it is; also where nobody waits for its word.
    Ready,
    /// The port it listens on, where it was left to choose one.
    Port(u16),
}

/// The longest line that is read for a port, in bytes.
const MAX_LINE: usize = 4 << 10;

impl Banner {
    pub fn new(text: String, names_port: bool, seen: Arc<watch::Sender<Announced>>) -> Self {
        Self {
            text,
            names_port,
            window: String::new(),
            seen,
        }
    }

    /// Whether to go on looking.
    fn look(&mut self, text: &str) -> bool {
        self.window.push_str(text);
        if let Some(at) = self.window.find(&self.text) {
            if !self.names_port {
                self.seen.send_replace(Announced::Ready);
                return false;
            }
            self.window.drain(..at);
            let Some((line, rest)) = self.window.split_once('\n') else {
                // The number may not be whole before its line is.
                return self.window.len() < MAX_LINE;
            };
            if let Some(port) = last_port(line) {
                self.seen.send_replace(Announced::Port(port));
                return false;
            }
            self.window = rest.to_owned();
        }
        let mut keep_from = self.window.len().saturating_sub(self.text.len());
        while !self.window.is_char_boundary(keep_from) {
            keep_from -= 1;
        }
        self.window.drain(..keep_from);
        true
    }
}

/// The last number of a line that can be a port: an address ends with it.
fn last_port(line: &str) -> Option<u16> {
    line.rsplit(|character: char| !character.is_ascii_digit())
        .find(|digits| !digits.is_empty())
        .and_then(|digits| digits.parse().ok())
        .filter(|port| *port != 0)
}

/// Reads a pipe on a task of its own.
pub fn spawn_drain(pipe: impl AsyncRead + Send + Unpin + 'static, to: Drain) -> OutputTask {
    let task = OutputTask {
        mute: to.mute.clone(),
        silent: to.silent.clone(),
        delivering: Arc::clone(&to.delivering),
    };
    tasks::spawn(drain(pipe, to));
    task
}

/// Reads a pipe to its end, so that the adapter never waits for us to read it, not even when nobody listens any more.
pub async fn drain(mut pipe: impl AsyncRead + Unpin, mut to: Drain) {
    let mut buffer = BytesMut::with_capacity(16 << 10);
    loop {
        buffer.reserve(4 << 10);
        let read = tokio::select! {
            biased;
            read = pipe.read_buf(&mut buffer) => read.unwrap_or(0),
            () = to.mute.cancelled(), if to.incoming.is_some() => {
                to.incoming = None;
                to.silent.cancel();
                continue;
            }
        };
        let fresh = buffer.get(buffer.len() - read..).unwrap_or_default();
        if let Some(tail) = &to.tail {
            tail.push(fresh);
        }
        let text = take_text(&mut buffer, read == 0);
        if to.banner.is_some() || to.incoming.is_some() {
            to.tell(text).await;
        }
        if read == 0 {
            break;
        }
    }
    to.incoming = None;
    to.silent.cancel();
    if let Some(tail) = &to.tail {
        tail.finish();
    }
}

impl Drain {
    async fn tell(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        self.banner = self
            .banner
            .take()
            .and_then(|mut banner| banner.look(&text).then_some(banner));
        let Some((incoming, stderr)) = &self.incoming else {
            return;
        };
        self.delivering.store(true, Ordering::Relaxed);
        let output = Incoming::AdapterOutput {
            stderr: *stderr,
            text,
        };
        // Without a consumer the pipe is still read to its end.
        drop(incoming.send(output).await);
        self.delivering.store(false, Ordering::Relaxed);
    }
}

/// What a stream says next, in whole characters; none at its end. May be given up and asked again.
pub async fn next_text(
    stream: &mut (impl AsyncRead + Unpin),
    buffer: &mut BytesMut,
) -> Option<String> {
    loop {
        buffer.reserve(16 << 10);
        let is_over = !matches!(stream.read_buf(buffer).await, Ok(1..));
        let text = take_text(buffer, is_over);
        if is_over || !text.is_empty() {
            return Some(text).filter(|text| !text.is_empty());
        }
    }
}

/// Takes the text out of what was read; the beginning of a character stays for its rest to come, unless the stream is over.
pub fn take_text(buffer: &mut BytesMut, is_over: bool) -> String {
    let whole = if is_over {
        buffer.len()
    } else {
        whole_characters(buffer)
    };
    String::from_utf8_lossy(&buffer.split_to(whole)).into_owned()
}

/// How many bytes there are before a character that is not complete yet.
pub fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        // An incomplete character is at most three bytes at the very end; anything else is simply wrong and passes.
        Err(_) => (1..=bytes.len().min(3))
            .map(|back| bytes.len() - back)
            .find(|at| {
                let rest = bytes.get(*at..).unwrap_or_default();
                matches!(std::str::from_utf8(rest), Err(error) if error.valid_up_to() == 0 && error.error_len().is_none())
            })
            .unwrap_or(bytes.len()),
    }
}
