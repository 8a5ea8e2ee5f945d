//! The terminal as a stream of what it sends, and of changes of its size.
//!
//! The terminal is read where it says that there is something, by the task that waits for it: no thread reads ahead, so that
//! dropping the stream leaves everything that was not read to whoever reads next.

use std::{
    collections::VecDeque,
    fs::File,
    io,
    os::fd::{AsFd, OwnedFd},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use crossterm::event::Event;
use futures_util::Stream;
use rustix::{
    event::{PollFd, PollFlags, Timespec},
    termios,
};
use tokio::{
    io::{Interest, unix::AsyncFd},
    signal::unix::{Signal, SignalKind, signal},
    time::{Instant, Sleep, sleep},
};

use super::decode::{Decoded, Decoder};

/// Bytes read at once.
const PIECE: usize = 4096;
/// How long the rest of a sequence may take before its beginning is taken for keys.
const PATIENCE: Duration = Duration::from_millis(50);

/// The stream.
pub struct TtyEvents(Result<Open, Option<io::Error>>);

struct Open {
    tty: AsyncFd<OwnedFd>,
    resized: Signal,
    decoder: Decoder,
    ready: VecDeque<Decoded>,
    /// Set while something doubtful waits.
    flush: Option<Pin<Box<Sleep>>>,
}

impl TtyEvents {
    /// Reads this process's terminal. What is wrong comes as the first item.
    pub fn open() -> Self {
        Self(Open::new().map_err(Some))
    }
}

impl Open {
    fn new() -> io::Result<Self> {
        let stdin = io::stdin();
        let tty: OwnedFd = if termios::isatty(&stdin) {
            stdin.as_fd().try_clone_to_owned()?
        } else {
            File::options()
                .read(true)
                .write(true)
                .open("/dev/tty")?
                .into()
        };
        #[expect(unsafe_code, reason = "the runtime has no safe form for a descriptor")]
        // SAFETY: an owned descriptor is open, and the same one, for as long as it is owned.
        let tty = unsafe { AsyncFd::register_with_interest(tty, Interest::READABLE) };
        Ok(Self {
            tty: tty.map_err(io::Error::from)?,
            resized: signal(SignalKind::window_change())?,
            decoder: Decoder::default(),
            ready: VecDeque::new(),
            flush: None,
        })
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Decoded>>> {
        let mut piece = [0; PIECE];
        loop {
            if let Some(decoded) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(decoded)));
            }
            if let Poll::Ready(Some(())) = self.resized.poll_recv(cx) {
                let size = termios::tcgetwinsize(self.tty.get_ref())?;
                let event = Event::Resize(size.ws_col, size.ws_row);
                return Poll::Ready(Some(Ok(Decoded::Event(event))));
            }
            match self.tty.poll_read_ready(cx) {
                Poll::Ready(guard) => {
                    let mut guard = guard?;
                    match read_now(self.tty.get_ref(), &mut piece)? {
                        None => guard.clear_ready(),
                        Some(0) => return Poll::Ready(None),
                        Some(length) => {
                            let bytes = piece.get(..length).unwrap_or_default();
                            self.decoder.push(bytes, length == PIECE, &mut self.ready);
                            self.doubt();
                        }
                    }
                }
                Poll::Pending => {
                    let Some(flush) = &mut self.flush else {
                        return Poll::Pending;
                    };
                    ready!(flush.as_mut().poll(cx));
                    self.flush = None;
                    self.decoder.flush(&mut self.ready);
                }
            }
        }
    }

    fn doubt(&mut self) {
        self.flush = match self.flush.take() {
            _ if !self.decoder.is_doubtful() => None,
            Some(mut flush) => {
                flush.as_mut().reset(Instant::now() + PATIENCE);
                Some(flush)
            }
            None => Some(Box::pin(sleep(PATIENCE))),
        };
    }
}

/// What is there, without waiting for it: the terminal is shared with the shell, so it must not be made non-blocking.
fn read_now(tty: &OwnedFd, piece: &mut [u8]) -> io::Result<Option<usize>> {
    let mut waiting = [PollFd::new(tty, PollFlags::IN)];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    match rustix::event::poll(&mut waiting, Some(&now)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    match rustix::io::read(tty, piece) {
        Ok(length) => Ok(Some(length)),
        Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Ok(None),
        // The terminal is gone.
        Err(rustix::io::Errno::IO) => Ok(Some(0)),
        Err(error) => Err(error.into()),
    }
}

impl Stream for TtyEvents {
    type Item = io::Result<Decoded>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match &mut self.0 {
            Ok(open) => open.poll(cx),
            Err(error) => Poll::Ready(error.take().map(Err)),
        }
    }
}
