//! Frames in and out, and every way of damaging them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::event::{PollFd, PollFlags, poll};
use serde_json::{Value, json};

use crate::options::Options;

/// Writes that were taken by the client.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// How many writes the client has taken so far.
pub fn written() -> u64 {
    WRITTEN.load(Ordering::SeqCst)
}

pub struct Reader<R>(BufReader<R>);

impl<R: Read> Reader<R> {
    pub fn new(input: R) -> Self {
        Self(BufReader::new(input))
    }

    /// The next frame; `None` at the end. Strict: the client under test has no excuse.
    pub fn next_frame(&mut self) -> Result<Option<Value>, String> {
        let mut length = None;
        loop {
            let mut line = Vec::new();
            let count = self.0.read_until(b'\n', &mut line).unwrap_or(0);
            if count == 0 {
                return match length {
                    None => Ok(None),
                    Some(_) => Err("the input ended inside a header".to_owned()),
                };
            }
            let text = String::from_utf8(line).map_err(|error| format!("a header: {error}"))?;
            let Some(text) = text.strip_suffix("\r\n") else {
                return Err(format!("a header line does not end in CR LF: {text:?}"));
            };
            if text.is_empty() {
                break;
            }
            match text.strip_prefix("Content-Length: ") {
                Some(digits) if length.is_none() => {
                    let number = digits.parse::<usize>();
                    length = Some(number.map_err(|error| format!("length {digits:?}: {error}"))?);
                }
                _ => return Err(format!("an unexpected header: {text:?}")),
            }
        }
        let length = length.ok_or("a header without Content-Length")?;
        let mut body = vec![0; length];
        self.0
            .read_exact(&mut body)
            .map_err(|error| format!("the input ended inside a body: {error}"))?;
        let value = serde_json::from_slice(&body).map_err(|error| format!("not JSON: {error}"))?;
        Ok(Some(value))
    }
}

pub trait Closable {
    fn close(&self, how: Shutdown);
}
impl Closable for TcpStream {
    fn close(&self, how: Shutdown) {
        let _ = self.shutdown(how);
    }
}
impl Closable for UnixStream {
    fn close(&self, how: Shutdown) {
        let _ = self.shutdown(how);
    }
}

/// Where frames go, numbered as they leave.
pub struct Output {
    sink: Option<Box<dyn Write + Send>>,
    socket: Option<Box<dyn Closable + Send>>,
    deaf: Deafness,
    seq: i64,
    seq_zero: bool,
}

impl Output {
    pub fn stdio(options: &Options, deaf: Deafness) -> Self {
        Self {
            sink: Some(Box::new(Stdout)),
            socket: None,
            deaf,
            seq: 0,
            seq_zero: options.seq_zero,
        }
    }

    pub fn socket(
        options: &Options,
        stream: impl Write + Send + 'static,
        handle: impl Closable + Send + 'static,
        deaf: Arc<AtomicBool>,
    ) -> Self {
        Self {
            sink: Some(Box::new(stream)),
            socket: Some(Box::new(handle)),
            deaf: Deafness::Socket(deaf),
            seq: 0,
            seq_zero: options.seq_zero,
        }
    }

    /// Bytes as they are. A client that is gone ends this process; of several on sockets, only what is said to that one.
    pub fn raw(&mut self, bytes: &[u8]) {
        let Some(sink) = &mut self.sink else {
            return;
        };
        if sink.write_all(bytes).and_then(|()| sink.flush()).is_err() {
            if matches!(self.deaf, Deafness::Stdin(_)) {
                std::process::exit(0);
            }
            self.sink = None;
            return;
        }
        WRITTEN.fetch_add(1, Ordering::SeqCst);
    }

    pub fn frame(&mut self, body: &str) {
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// A message; `seq` is filled in here.
    pub fn message(&mut self, mut message: Value) {
        self.seq += 1;
        message["seq"] = json!(if self.seq_zero { 0 } else { self.seq });
        self.frame(&message.to_string());
    }

    pub fn event(&mut self, event: &str, body: &Value) {
        self.message(json!({"type": "event", "event": event, "body": body}));
    }

    pub fn request(&mut self, command: &str, arguments: &Value) {
        self.message(json!({"type": "request", "command": command, "arguments": arguments}));
    }

    /// Closes what the client reads.
    pub fn close_write(&mut self) {
        self.sink = None;
        match &self.socket {
            Some(socket) => socket.close(Shutdown::Write),
            None => rustix::stdio::dup2_stdout(closed_pipe()).unwrap(),
        }
    }

    /// Stops listening for good. Standard input is closed, so that the client's next write fails;
    /// a socket is read on and not heeded, because TCP does not tell the other side.
    pub fn close_read(&self) {
        match &self.deaf {
            Deafness::Socket(deaf) => deaf.store(true, Ordering::SeqCst),
            Deafness::Stdin(wake) => {
                rustix::io::write(wake, b"x").unwrap();
                // An end of file cannot tell us that the client is gone any more.
                std::thread::spawn(|| {
                    let stdout = std::io::stdout();
                    let mut fds = [PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::empty())];
                    let _ = poll(&mut fds, None);
                    std::process::exit(0);
                });
            }
        }
    }
}

/// Standard output without the buffer that Rust puts before it, which writes what follows the last line break by itself: what is said at
/// once is one write.
struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(rustix::io::write(std::io::stdout(), bytes)?)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// How a session stops its reader.
pub enum Deafness {
    Stdin(OwnedFd),
    Socket(Arc<AtomicBool>),
}

/// Standard input that can be closed while a read waits for it.
pub struct Stdin {
    wake: OwnedFd,
}

impl Stdin {
    pub fn new() -> (Self, Deafness) {
        let (wake, waker) = rustix::pipe::pipe().unwrap();
        (Self { wake }, Deafness::Stdin(waker))
    }
}

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let stdin = std::io::stdin();
        let mut fds = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(&self.wake, PollFlags::IN),
        ];
        poll(&mut fds, None)?;
        if !fds[1].revents().is_empty() {
            rustix::stdio::dup2_stdin(closed_pipe())?;
            loop {
                std::thread::park();
            }
        }
        Ok(rustix::io::read(&stdin, buffer)?)
    }
}

/// Something harmless to put in the place of standard output.
fn closed_pipe() -> OwnedFd {
    let (_reader, writer) = rustix::pipe::pipe().unwrap();
    writer
}
