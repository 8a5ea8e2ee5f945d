//! The process that we started: what it prints, and how it ends.

use dap::{
    process::{Ender, Exit},
    transport::next_text,
};
use tokio::{
    process::{ChildStderr, ChildStdout},
    time::{Instant, timeout_at},
};

use crate::prelude::*;

/// Pieces of output that may wait for whoever passes them on; the program waits then.
const QUEUE: usize = 64;
/// How long after the end of the process what it printed may take to arrive.
const REST: Duration = Duration::from_secs(1);

/// The process behind a root.
#[derive(Debug)]
pub(super) struct Root {
    printed: mpsc::Receiver<(&'static str, String)>,
    /// Both streams have ended.
    silent: bool,
    ender: Ender,
    exited: Option<oneshot::Receiver<Exit>>,
}

/// What becomes known of it.
#[derive(Debug)]
pub(super) enum RootEvent {
    /// It printed this, on the stream of this name.
    Printed(&'static str, String),
    /// It ended with this code; what came out of it may go on, and print.
    Exited(i64),
    /// Nobody prints any more.
    Silent,
}

impl Root {
    /// Reads its streams.
    pub(super) fn of(ender: Ender, (stdout, stderr): (ChildStdout, ChildStderr)) -> Self {
        let (sender, printed) = mpsc::channel(QUEUE);
        tasks::spawn(read(stdout, "stdout", sender.clone()));
        tasks::spawn(read(stderr, "stderr", sender));
        Self::watching(printed, ender)
    }

    /// What it prints, its terminal tells.
    pub(super) fn in_terminal(ender: Ender) -> Self {
        let (_, printed) = mpsc::channel(1);
        Self::watching(printed, ender)
    }

    fn watching(printed: mpsc::Receiver<(&'static str, String)>, ender: Ender) -> Self {
        let (tell, exited) = oneshot::channel();
        let mut watching = ender.clone();
        tasks::spawn(async move {
            // Nobody who wants to know any more needs not be told.
            let _ = tell.send(watching.ended().await);
        });
        Self {
            printed,
            silent: false,
            ender,
            exited: Some(exited),
        }
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

    /// The next news; after the last one there is none to wait for.
    pub(super) async fn next(&mut self) -> RootEvent {
        let exited = async {
            match &mut self.exited {
                Some(exited) => exited.await,
                None => std::future::pending().await,
            }
        };
        // What is known to have been printed is told first.
        tokio::select! {
            biased;
            printed = self.printed.recv(), if !self.silent => {
                self.silent = printed.is_none();
                printed.map_or(RootEvent::Silent, |(name, text)| RootEvent::Printed(name, text))
            }
            exit = exited => {
                self.exited = None;
                RootEvent::Exited(exit.map_or(0, |exit| code(&exit)))
            }
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
    while let Some(text) = next_text(&mut pipe, &mut buffer).await {
        // With nobody to tell, the program must still not wait for us to read.
        let _ = to.send((name, text)).await;
    }
}
