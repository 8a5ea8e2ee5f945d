//! The process that we started: what it prints, and how it ends.

use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use crate::dap::process::{Ender, Exit};
use crate::dap::transport::debuggee::Debuggee;
use crate::dap::transport::{command_line::Behind, whole_characters};
use crate::tasks;

/// Pieces of output that may wait for whoever passes them on; the program waits then.
const QUEUE: usize = 64;
/// Bytes read at a time.
const CHUNK: usize = 64 << 10;
/// How long after the end of the process what it printed may take to arrive.
const REST: Duration = Duration::from_secs(1);

/// The process behind a root.
#[derive(Debug)]
pub(super) struct Root {
    printed: mpsc::Receiver<(&'static str, String)>,
    ender: Ender,
    exit: Option<(i64, Instant)>,
}

/// What becomes known of it.
#[derive(Debug)]
pub(super) enum News {
    /// It printed this, on the stream of this name.
    Printed(&'static str, String),
    /// It ended with this code, and this is the last that is heard of it.
    Exited(i64),
}

impl Root {
    /// Reads its streams.
    pub(super) fn of(debuggee: Debuggee) -> (Self, Behind) {
        let (sender, printed) = mpsc::channel(QUEUE);
        tasks::spawn(read(debuggee.stdout, "stdout", sender.clone()));
        tasks::spawn(read(debuggee.stderr, "stderr", sender));
        let root = Self {
            printed,
            ender: debuggee.behind.ender(),
            exit: None,
        };
        (root, debuggee.behind)
    }

    /// Asks it to end, and all that came out of it.
    pub(super) fn end(&self) {
        self.ender.end();
    }

    /// Resolves when it has ended.
    pub(super) async fn ended(&mut self) -> Exit {
        self.ender.ended().await
    }

    /// What it printed that nobody was told of.
    pub(super) async fn last_words(&mut self) -> String {
        let until = Instant::now() + REST;
        let mut text = String::new();
        while let Ok(Some((_, more))) = timeout_at(until, self.printed.recv()).await {
            text.push_str(&more);
        }
        text.trim().to_owned()
    }

    /// The next news; not to be asked for after its end.
    pub(super) async fn next(&mut self) -> News {
        if self.exit.is_none() {
            tokio::select! {
                biased;
                Some((name, text)) = self.printed.recv() => return News::Printed(name, text),
                exit = self.ender.ended() => self.exit = Some((code(&exit), Instant::now() + REST)),
            }
        }
        let (code, until) = self.exit.unwrap_or_else(|| (0, Instant::now()));
        match timeout_at(until, self.printed.recv()).await {
            Ok(Some((name, text))) => News::Printed(name, text),
            // Both streams have ended, or somebody else holds them.
            Ok(None) | Err(_) => News::Exited(code),
        }
    }
}

/// As a shell has it.
fn code(exit: &Exit) -> i64 {
    match (exit.code, exit.signal) {
        (Some(code), _) => code.into(),
        (None, Some(signal)) => 128 + i64::from(signal),
        (None, None) => 0,
    }
}

async fn read(
    mut pipe: impl AsyncRead + Unpin,
    name: &'static str,
    to: mpsc::Sender<(&'static str, String)>,
) {
    let mut buffer = BytesMut::new();
    loop {
        buffer.reserve(CHUNK);
        let ended = !matches!(pipe.read_buf(&mut buffer).await, Ok(1..));
        let whole = if ended {
            buffer.len()
        } else {
            whole_characters(&buffer)
        };
        if whole > 0 {
            let text = String::from_utf8_lossy(&buffer.split_to(whole)).into_owned();
            // With nobody to tell, the program must still not wait for us to read.
            let _ = to.send((name, text)).await;
        }
        if ended {
            return;
        }
    }
}
