//! Signals as a descriptor, so that one `poll` waits for children, orders and deadlines at once.

use std::{
    io,
    os::fd::{AsFd as _, FromRawFd as _, OwnedFd},
};

/// What wakes a supervisor: a child changed, or someone wants it to end.
const AWAITED: [i32; 2] = [libc::SIGCHLD, libc::SIGTERM];
/// What a terminal or a lost session may throw at us; our orders come by the control descriptor.
const IGNORED: [i32; 5] = [
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGHUP,
    libc::SIGTTOU,
    libc::SIGTTIN,
];

/// Pending awaited signals.
#[derive(Debug)]
pub struct Signals(OwnedFd);

impl Signals {
    /// Blocks the awaited signals for this thread (the only one) and opens a descriptor for them.
    pub fn new() -> io::Result<Self> {
        let set = set_of(&AWAITED);
        #[expect(
            unsafe_code,
            reason = "rustix has no sigprocmask and no signalfd in its stable interface"
        )]
        // SAFETY: `set` is initialised; sigprocmask writes nothing when the old set is null;
        // signalfd returns a fresh descriptor (checked below) that nothing else owns.
        let fd = unsafe {
            if libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) == -1 {
                return Err(io::Error::last_os_error());
            }
            let raw = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
            if raw == -1 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(raw)
        };
        Ok(Self(fd))
    }

    /// The descriptor that becomes readable when a signal is pending.
    pub fn fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Takes the pending signals; true when one of them asked us to end.
    pub fn take(&self) -> bool {
        const RECORD: usize = size_of::<libc::signalfd_siginfo>();
        let mut asked_to_end = false;
        let mut record = [0_u8; RECORD];
        while let Ok(count) = rustix::io::read(&self.0, &mut record) {
            if count != RECORD {
                break;
            }
            // `ssi_signo` is the record's first field.
            let number = record
                .first_chunk::<4>()
                .map_or(0, |bytes| u32::from_ne_bytes(*bytes));
            asked_to_end |= i32::try_from(number) == Ok(libc::SIGTERM);
        }
        asked_to_end
    }
}

/// Ignores one signal; see [`reset_in_child`].
pub fn ignore(signal: i32) {
    set_disposition(signal, libc::SIG_IGN);
}

/// Ignores what a terminal sends. Ignored signals are inherited by children: see [`reset_in_child`].
pub fn ignore_the_terminal() {
    IGNORED.into_iter().for_each(ignore);
}

/// Gives a forked child the signal dispositions that a program expects at its start.
pub fn reset_in_child() {
    for signal in IGNORED.iter().chain(&AWAITED) {
        set_disposition(*signal, libc::SIG_DFL);
    }
    unblock(&set_of(&AWAITED));
}

/// Ends this process by `signal`, so that whoever waits for us sees what ended the adapter.
/// Returns only when the signal's default action is not to end a process.
pub fn die_by(signal: i32) {
    // The adapter has left its core file already, if it was to leave one.
    let _ = rustix::process::setrlimit(
        rustix::process::Resource::Core,
        rustix::process::Rlimit {
            current: Some(0),
            maximum: Some(0),
        },
    );
    set_disposition(signal, libc::SIG_DFL);
    unblock(&set_of(&[signal]));
    #[expect(
        unsafe_code,
        reason = "rustix has no raise for a signal known by number"
    )]
    // SAFETY: raise takes no pointer; a bad number gives an error and does nothing.
    unsafe {
        libc::raise(signal);
    }
}

fn set_disposition(signal: i32, disposition: libc::sighandler_t) {
    #[expect(unsafe_code, reason = "rustix does not set signal dispositions")]
    // SAFETY: only SIG_IGN and SIG_DFL are passed, so no handler of ours is ever called; signal is
    // async-signal-safe and may be called between fork and exec.
    unsafe {
        libc::signal(signal, disposition);
    }
}

fn set_of(signals: &[i32]) -> libc::sigset_t {
    let mut set = std::mem::MaybeUninit::uninit();
    #[expect(unsafe_code, reason = "sigset_t is made by libc's own functions")]
    // SAFETY: sigemptyset initialises the set before anything reads it; sigaddset writes within it
    // and refuses numbers that are no signal.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), *signal);
        }
        set.assume_init()
    }
}

fn unblock(set: &libc::sigset_t) {
    #[expect(
        unsafe_code,
        reason = "rustix has no sigprocmask in its stable interface"
    )]
    // SAFETY: `set` is initialised; nothing is written when the old set is null.
    unsafe {
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const *set, std::ptr::null_mut());
    }
}
