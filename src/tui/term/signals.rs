//! Signals as values.
//!
//! Handlers only wake a task; everything a signal means happens in the loop, where the terminal can be given back in order.
//! A change of the window's size is not here: the input source reports it.

use std::{future::poll_fn, io, task::Poll};

use futures_util::FutureExt as _;
use tokio::signal::unix::{self, SignalKind};

/// What the system told us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// SIGTERM: end in order.
    Terminate,
    /// SIGHUP: the terminal is gone; end in order without it.
    HangUp,
    /// SIGINT from outside; in raw mode Ctrl-C is a key.
    Interrupt,
    /// SIGQUIT from outside.
    Quit,
    /// SIGTSTP from outside; in raw mode Ctrl-Z is a key.
    Suspend,
    /// SIGCONT: someone may have changed the terminal while we were stopped.
    Continue,
    /// SIGUSR1.
    User1,
    /// SIGUSR2.
    User2,
}

impl Signal {
    /// The exit status a shell gives a program that this signal ended, where it is meant to end one.
    pub const fn exit_code(self) -> Option<u8> {
        match self {
            Self::HangUp => Some(128 + 1),
            Self::Interrupt => Some(128 + 2),
            Self::Quit => Some(128 + 3),
            Self::Terminate => Some(128 + 15),
            Self::Suspend | Self::Continue | Self::User1 | Self::User2 => None,
        }
    }
}

/// All of them by their numbers; those that end us come first.
const ALL: [(Signal, i32); 8] = [
    (Signal::Terminate, libc::SIGTERM),
    (Signal::HangUp, libc::SIGHUP),
    (Signal::Quit, libc::SIGQUIT),
    (Signal::Interrupt, libc::SIGINT),
    (Signal::Continue, libc::SIGCONT),
    (Signal::Suspend, libc::SIGTSTP),
    (Signal::User1, libc::SIGUSR1),
    (Signal::User2, libc::SIGUSR2),
];

/// All signals in one stream, in the order of [`ALL`].
#[derive(Debug)]
pub struct Signals(Vec<(Signal, unix::Signal)>);

impl Signals {
    /// Takes the signals over from the system's defaults, for the rest of the process's life. Needs a tokio runtime.
    pub fn take() -> io::Result<Self> {
        let taken = ALL.into_iter().map(|(signal, number)| {
            let stream = unix::signal(SignalKind::from_raw(number))?;
            Ok((signal, stream))
        });
        taken.collect::<io::Result<_>>().map(Self)
    }

    /// The next signal. Several of one kind that arrive together are one.
    pub async fn next(&mut self) -> Signal {
        poll_fn(|cx| {
            for (signal, stream) in &mut self.0 {
                // A stream that has ended, while the runtime is shutting down, will not tell us anything again.
                if let Poll::Ready(Some(())) = stream.poll_recv(cx) {
                    return Poll::Ready(*signal);
                }
            }
            Poll::Pending
        })
        .await
    }

    /// Forgets signals of the keyboard that were meant for a program we had lent the terminal to.
    pub fn forget_keyboard(&mut self) {
        for (signal, stream) in &mut self.0 {
            if let Signal::Interrupt | Signal::Quit | Signal::Suspend | Signal::Continue = signal {
                while stream.recv().now_or_never().flatten().is_some() {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{self, Signal as Raw};

    #[tokio::test]
    async fn signals_arrive_and_can_be_forgotten() {
        let mut signals = Signals::take().unwrap();
        process::kill_process(process::getpid(), Raw::USR1).unwrap();
        assert_eq!(signals.next().await, Signal::User1);
        process::kill_process(process::getpid(), Raw::TSTP).unwrap();
        assert_eq!(signals.next().await, Signal::Suspend);
        process::kill_process(process::getpid(), Raw::CONT).unwrap();
        process::kill_process(process::getpid(), Raw::USR2).unwrap();
        // Signals are delivered to the runtime in one go, so the second one proves that the first is there as well.
        let (last, stream) = signals.0.last_mut().unwrap();
        assert_eq!((*last, stream.recv().await), (Signal::User2, Some(())));
        signals.forget_keyboard();
        process::kill_process(process::getpid(), Raw::USR1).unwrap();
        assert_eq!(signals.next().await, Signal::User1);
        assert_eq!(Signal::Terminate.exit_code(), Some(143));
    }
}
