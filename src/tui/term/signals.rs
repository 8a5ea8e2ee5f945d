//! Signals as values.
//!
//! Handlers only wake a task; everything a signal means happens in the loop, where the terminal can be given back in order.
//! A change of the window's size is not here: the input source reports it.

use std::io;

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

/// All signals in one stream; those that end us come first.
#[derive(Debug)]
pub struct Signals {
    terminate: unix::Signal,
    hang_up: unix::Signal,
    quit: unix::Signal,
    interrupt: unix::Signal,
    suspend: unix::Signal,
    continued: unix::Signal,
    user1: unix::Signal,
    user2: unix::Signal,
}

impl Signals {
    /// Takes the signals over from the system's defaults, for the rest of the process's life. Needs a tokio runtime.
    pub fn take() -> io::Result<Self> {
        Ok(Self {
            terminate: unix::signal(SignalKind::terminate())?,
            hang_up: unix::signal(SignalKind::hangup())?,
            quit: unix::signal(SignalKind::quit())?,
            interrupt: unix::signal(SignalKind::interrupt())?,
            suspend: unix::signal(SignalKind::from_raw(libc::SIGTSTP))?,
            continued: unix::signal(SignalKind::from_raw(libc::SIGCONT))?,
            user1: unix::signal(SignalKind::user_defined1())?,
            user2: unix::signal(SignalKind::user_defined2())?,
        })
    }

    /// The next signal. Several of one kind that arrive together are one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            biased;
            Some(()) = self.terminate.recv() => Signal::Terminate,
            Some(()) = self.hang_up.recv() => Signal::HangUp,
            Some(()) = self.quit.recv() => Signal::Quit,
            Some(()) = self.interrupt.recv() => Signal::Interrupt,
            Some(()) = self.continued.recv() => Signal::Continue,
            Some(()) = self.suspend.recv() => Signal::Suspend,
            Some(()) = self.user1.recv() => Signal::User1,
            Some(()) = self.user2.recv() => Signal::User2,
            // The runtime is shutting down and will not tell us anything again.
            else => std::future::pending().await,
        }
    }

    /// Forgets signals of the keyboard that were meant for a program we had lent the terminal to.
    pub fn forget_keyboard(&mut self) {
        use futures_util::FutureExt;
        for signal in [
            &mut self.interrupt,
            &mut self.quit,
            &mut self.suspend,
            &mut self.continued,
        ] {
            while signal.recv().now_or_never().flatten().is_some() {}
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
        assert_eq!(signals.user2.recv().await, Some(()));
        signals.forget_keyboard();
        process::kill_process(process::getpid(), Raw::USR1).unwrap();
        assert_eq!(signals.next().await, Signal::User1);
        assert_eq!(Signal::Terminate.exit_code(), Some(143));
    }
}
