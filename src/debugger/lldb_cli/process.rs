//! One long-lived lldb, spoken to on its command line: one command after the other, each with its own end and its own time limit.
//!
//! Every command is followed by `script print("\n<marker>")` with a marker of 128 fresh random bits. Reading what comes back is
//! left to [`super::transcript`]; starting the process and ending it hard are left to the transport.

use base::text::beginning;
use dap::transport::after_colon;
use tokio::{
    io::{AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time::{Instant, timeout_at},
};

use super::transcript::{Transcript, complaint};
use crate::{prelude::*, random};

/// How long lldb may take until it answers for the first time.
pub const START_UP: Duration = Duration::from_secs(10);
/// How long a command may take unless its caller says otherwise.
pub const COMMAND: Duration = Duration::from_secs(30);
/// Characters of a command that people are told of it.
const SHOWN: usize = 60;
/// How much of what lldb said last is kept for whoever asks why it is gone, in bytes.
const LAST_WORDS: usize = 4 << 10;

/// Why a command has no output.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LldbError {
    /// lldb says no.
    #[error("{0}")]
    Refused(String),
    /// It did not answer.
    #[error("lldb did not answer `{command}` within {} ms", limit.as_millis())]
    TimedOut {
        command: String,
        /// How long it had.
        limit: Duration,
    },
    /// An earlier command that was given up still holds it.
    #[error("lldb is still busy with `{with}`, which was given up; `{command}` was not sent")]
    Busy {
        /// The command that was to be sent.
        command: String,
        /// The one before.
        with: String,
    },
    /// The process is gone.
    #[error("lldb has ended{}", after_colon(.0))]
    Ended(String),
    /// We ended it.
    #[error("this lldb was let go; start another session")]
    Disposed,
}

/// A command on its way.
struct Job {
    line: String,
    limit: Duration,
    deadline: Instant,
    answer: oneshot::Sender<Result<String, LldbError>>,
}

/// What lldb tells unasked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A reason to look at the program: it may have changed.
    Hint,
    /// lldb is gone; these were its last words.
    Ended(String),
}

/// A handle on a running lldb. Commands are done in the order in which they are asked for.
#[derive(Clone, Debug)]
pub struct Lldb {
    jobs: mpsc::UnboundedSender<Job>,
    disposed: CancellationToken,
}

impl Lldb {
    /// Speaks to an lldb over these streams, whoever started it, and waits until it has answered for the first time.
    pub async fn start<I, O>(
        output: I,
        input: O,
        prompt: &str,
        start_up: Duration,
    ) -> Result<(Self, mpsc::UnboundedReceiver<Note>), LldbError>
    where
        I: AsyncRead + Send + Unpin + 'static,
        O: AsyncWrite + Send + Unpin + 'static,
    {
        let (jobs, queue) = mpsc::unbounded_channel();
        let (notes, told) = mpsc::unbounded_channel();
        let (lines, to_write) = mpsc::unbounded_channel();
        let disposed = CancellationToken::new();
        tasks::spawn(write(input, to_write));
        let speaker = Speaker {
            output,
            buffer: BytesMut::with_capacity(16 << 10),
            transcript: Transcript::new(prompt),
            lines,
            notes,
            last_words: String::new(),
            given_up: String::new(),
        };
        tasks::spawn(speaker.run(queue, disposed.clone()));
        let lldb = Self { jobs, disposed };
        // The first marker: whatever lldb says of itself comes before it.
        let greeting = lldb.command_within("script import lldb", start_up).await?;
        match complaint(&greeting) {
            Some(why) => Err(LldbError::Refused(format!(
                "this lldb has no Python, which the backend needs: {why}"
            ))),
            None => Ok((lldb, told)),
        }
    }

    /// One command within the usual limit; what lldb refuses is an error.
    pub async fn command(&self, line: &str) -> Result<String, LldbError> {
        self.checked(line, COMMAND).await
    }

    /// The same within a limit of its own.
    pub async fn checked(&self, line: &str, limit: Duration) -> Result<String, LldbError> {
        let output = self.command_within(line, limit).await?;
        complaint(&output).map_or(Ok(output), |why| Err(LldbError::Refused(why)))
    }

    /// One command, whatever lldb says to it.
    pub async fn command_within(&self, line: &str, limit: Duration) -> Result<String, LldbError> {
        if self.disposed.is_cancelled() {
            return Err(LldbError::Disposed);
        }
        let (answer, answered) = oneshot::channel();
        let job = Job {
            line: line.to_owned(),
            limit,
            deadline: Instant::now() + limit,
            answer,
        };
        // A queue that nobody reads drops the answer, too.
        let _ = self.jobs.send(job);
        answered.await.unwrap_or_else(|_| {
            Err(if self.disposed.is_cancelled() {
                LldbError::Disposed
            } else {
                LldbError::Ended(String::new())
            })
        })
    }

    /// Lets it go: its input is closed, and what is asked from now on is refused at once.
    pub fn dispose(&self) {
        self.disposed.cancel();
    }
}

/// Writes line after line, so that reading never waits for writing.
async fn write(mut input: impl AsyncWrite + Unpin, mut lines: mpsc::UnboundedReceiver<String>) {
    while let Some(line) = lines.recv().await {
        // An lldb that reads no more is noticed where its output ends.
        if input.write_all(line.as_bytes()).await.is_err() || input.flush().await.is_err() {
            return;
        }
    }
}

/// The one who talks to lldb.
struct Speaker<I> {
    output: I,
    buffer: BytesMut,
    transcript: Transcript,
    lines: mpsc::UnboundedSender<String>,
    notes: mpsc::UnboundedSender<Note>,
    last_words: String,
    /// The command that holds the place of the next one.
    given_up: String,
}

impl<I: AsyncRead + Unpin> Speaker<I> {
    async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Job>, disposed: CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = disposed.cancelled() => return,
                job = queue.recv() => {
                    let Some(mut job) = job else { return };
                    tokio::select! {
                        biased;
                        () = disposed.cancelled() => {
                            let _ = job.answer.send(Err(LldbError::Disposed));
                            return;
                        }
                        // A caller that is gone leaves a command that was given up.
                        result = self.one(&job.line, job.limit, job.deadline) => {
                            let ended = matches!(result, Err(LldbError::Ended(_)));
                            let _ = job.answer.send(result);
                            if ended {
                                break;
                            }
                            continue;
                        }
                        () = job.answer.closed() => {}
                    }
                    self.give_up(&job.line);
                }
                read = self.read() => if read.is_err() { break },
            }
        }
        // Whoever still waits is told by the queue's end.
        queue.close();
        let _ = self.notes.send(Note::Ended(self.said()));
    }

    async fn one(
        &mut self,
        line: &str,
        limit: Duration,
        deadline: Instant,
    ) -> Result<String, LldbError> {
        while !self.transcript.is_free() {
            match timeout_at(deadline, self.read()).await {
                Ok(Ok(_)) => {}
                Ok(Err(_)) => return Err(LldbError::Ended(self.said())),
                Err(_) => {
                    return Err(LldbError::Busy {
                        command: beginning(line, SHOWN),
                        with: self.given_up.clone(),
                    });
                }
            }
        }
        let marker = random::word::<16>()
            .map_err(|error| LldbError::Ended(format!("there are no random numbers: {error}")))?;
        if !self.transcript.begin(&marker) {
            let busy = "another command of this lldb is still under way";
            return Err(LldbError::Refused(busy.to_owned()));
        }
        let _ = self
            .lines
            .send(format!("{line}\nscript print(\"\\n{marker}\")\n"));
        loop {
            match timeout_at(deadline, self.read()).await {
                Ok(Ok(Some(output))) => return Ok(output),
                Ok(Ok(None)) => {}
                Ok(Err(_)) => return Err(LldbError::Ended(self.said())),
                Err(_) => {
                    self.give_up(line);
                    return Err(LldbError::TimedOut {
                        command: beginning(line, SHOWN),
                        limit,
                    });
                }
            }
        }
    }

    fn give_up(&mut self, line: &str) {
        if !self.transcript.is_free() {
            self.given_up = beginning(line, SHOWN);
            self.transcript.give_up();
        }
    }

    /// Reads once; gives what the command under way printed when it is over.
    async fn read(&mut self) -> io::Result<Option<String>> {
        self.buffer.reserve(16 << 10);
        if self.output.read_buf(&mut self.buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let bytes = self.buffer.split();
        self.last_words.push_str(&String::from_utf8_lossy(&bytes));
        let surplus = self.last_words.len().saturating_sub(LAST_WORDS);
        let surplus = self.last_words.ceil_char_boundary(surplus);
        self.last_words.drain(..surplus);
        let found = self.transcript.feed(&bytes);
        for _ in 0..found.hints {
            // Nobody who listens any more needs no hint.
            let _ = self.notes.send(Note::Hint);
        }
        Ok(found.done)
    }

    /// The last lines lldb said, as they came.
    fn said(&self) -> String {
        let mut last: Vec<&str> = self
            .last_words
            .lines()
            .rev()
            .filter(|line| !line.trim().is_empty())
            .take(5)
            .collect();
        last.reverse();
        last.join("\n")
    }
}
