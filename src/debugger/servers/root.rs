//! The process that we started: what it prints, and how it ends.

use dap::{
    process::{Ender, Exit},
    transport::next_text,
};
use futures_util::FutureExt as _;
use tokio::process::{ChildStderr, ChildStdout};

use crate::prelude::*;

/// Pieces of output that may wait for whoever passes them on; the program waits then.
const QUEUE: usize = 64;
/// How long after the end of the process what it printed may take to arrive.
const REST: Duration = Duration::from_secs(1);
/// Bytes of one stream that may wait for the end of their line.
const LONGEST: usize = 64 << 10;

/// The process behind a root.
#[derive(Debug)]
pub struct Root {
    printed: mpsc::Receiver<(&'static str, String)>,
    /// Both streams have ended.
    silent: bool,
    ender: Ender,
    exited: Option<oneshot::Receiver<Exit>>,
}

/// What becomes known of it.
#[derive(Debug)]
pub enum RootEvent {
    /// It printed this, on the stream of this name.
    Printed(&'static str, String),
    /// It ended with this code; what came out of it may go on, and print.
    Exited(i64),
    /// Nobody prints any more.
    Silent,
}

impl Root {
    /// Reads its streams.
    pub fn of(ender: Ender, (stdout, stderr): (ChildStdout, ChildStderr)) -> Self {
        let (sender, printed) = mpsc::channel(QUEUE);
        tasks::spawn(read(stdout, stderr, sender));
        Self::watching(printed, ender)
    }

    /// What it prints, its terminal tells.
    pub fn in_terminal(ender: Ender) -> Self {
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
    pub fn end(&self) {
        self.ender.end();
    }

    /// Resolves when it has ended.
    pub async fn ended(&mut self) -> Exit {
        self.ender.ended().await
    }

    /// What it printed that nobody was told of.
    pub async fn last_words(&mut self) -> String {
        let until = Instant::now() + REST;
        let mut text = String::new();
        while let Ok(Some((_, more))) = timeout_at(until, self.printed.recv()).await {
            text.push_str(&more);
        }
        text.trim().to_owned()
    }

    /// The next news; after the last one there is none to wait for.
    pub async fn next(&mut self) -> RootEvent {
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
                RootEvent::Exited(exit.ok().and_then(|exit| exit.code_in_shell()).map_or(0, i64::from))
            }
        }
    }
}

/// One of its streams.
struct Stream<P> {
    pipe: P,
    name: &'static str,
    buffer: BytesMut,
    /// Read, and not passed on yet.
    held: String,
    /// A part of a line was passed on.
    is_within: bool,
    is_over: bool,
}

impl<P: AsyncRead + Unpin> Stream<P> {
    fn new(pipe: P, name: &'static str) -> Self {
        Self {
            pipe,
            name,
            buffer: BytesMut::new(),
            held: String::new(),
            is_within: false,
            is_over: false,
        }
    }

    async fn read(&mut self) {
        let text = next_text(&mut self.pipe, &mut self.buffer).await;
        self.is_over = text.is_none();
        self.held.extend(text);
    }

    /// Passes on what is held of whole lines, or all of it.
    async fn pass(&mut self, all: bool, to: &mpsc::Sender<(&'static str, String)>) {
        let lines = self.held.rfind('\n').map_or(0, |at| at + 1);
        let is_all = all || self.is_over || self.held.len() >= LONGEST;
        let rest = self
            .held
            .split_off(if is_all { self.held.len() } else { lines });
        let text = mem::replace(&mut self.held, rest);
        if !text.is_empty() {
            self.is_within = !text.ends_with('\n');
            // With nobody to tell, the program must still not wait for us to read.
            let _ = to.send((self.name, text)).await;
        }
    }
}

/// Reads both to their ends. Of what both have said it is not known which was first: whole lines go first, and before them the rest of one
/// that was passed on in part.
async fn read(
    stdout: impl AsyncRead + Unpin,
    stderr: impl AsyncRead + Unpin,
    to: mpsc::Sender<(&'static str, String)>,
) {
    let (mut out, mut err) = (Stream::new(stdout, "stdout"), Stream::new(stderr, "stderr"));
    while !(out.is_over && err.is_over) {
        either(&mut out, &mut err).await;
        let mut is_all = false;
        while !is_all && out.held.len().max(err.held.len()) < LONGEST {
            is_all =
                out.is_over && err.is_over || either(&mut out, &mut err).now_or_never().is_none();
        }
        if err.is_within {
            err.pass(false, &to).await;
        }
        for part in [false, is_all] {
            out.pass(part, &to).await;
            err.pass(part, &to).await;
        }
    }
}

async fn either(
    out: &mut Stream<impl AsyncRead + Unpin>,
    err: &mut Stream<impl AsyncRead + Unpin>,
) {
    tokio::select! {
        biased;
        () = out.read(), if !out.is_over => {}
        () = err.read(), if !err.is_over => {}
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn a_line_that_was_begun_goes_on_before_another_streams() {
        let ((mut out, stdout), (mut err, stderr)) = (duplex(64), duplex(64));
        let (to, mut printed) = mpsc::channel(QUEUE);
        tasks::spawn(read(stdout, stderr, to));
        let piece = |name, text: &str| Some((name, text.to_owned()));
        out.write_all(b"one").await.unwrap();
        assert_eq!(printed.recv().await, piece("stdout", "one"));
        err.write_all(b"two").await.unwrap();
        assert_eq!(printed.recv().await, piece("stderr", "two"));
        out.write_all(b" more\n").await.unwrap();
        err.write_all(b" more\n").await.unwrap();
        assert_eq!(printed.recv().await, piece("stderr", " more\n"));
        assert_eq!(printed.recv().await, piece("stdout", " more\n"));
        out.write_all(b"first\nthi").await.unwrap();
        err.write_all(b"second\n").await.unwrap();
        assert_eq!(printed.recv().await, piece("stdout", "first\n"));
        assert_eq!(printed.recv().await, piece("stderr", "second\n"));
        assert_eq!(printed.recv().await, piece("stdout", "thi"));
        drop((out, err));
        assert_eq!(printed.recv().await, None);
    }
}
