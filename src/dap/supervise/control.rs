//! Our end of a supervisor: starting one, and telling it what it must know.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Read as _, Write as _},
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::{net::UnixStream, process::CommandExt as _},
    },
    path::Path,
    process::Command,
};

use rustix::io::{FdFlags, fcntl_setfd};

/// Our end of an adapter's supervisor. Dropping it tells the supervisor that we are gone.
#[derive(Debug)]
pub struct Control {
    stream: UnixStream,
    /// The beginning of a report whose end has not arrived yet.
    partial: Vec<u8>,
    /// The supervisor was seen to be gone.
    closed: bool,
}

/// What a supervisor is told, as the byte that says it.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
pub enum Word {
    /// The session launched its debuggee: nothing of it may outlive us.
    Launched = b'L',
    /// The session attached to a program that was there before: it must live on.
    Attached = b'A',
    /// The program is let go, although the adapter started it: it must outlive the adapter.
    Detached = b'D',
    /// Ends the adapter and everything below it now: TERM, two seconds, KILL.
    Terminate = b'T',
    /// The program may have started others: they must end, too, should the supervisor be killed.
    Look = b'S',
}

impl Word {
    /// What a byte says, where that is known.
    pub fn read(byte: u8) -> Option<Self> {
        let all = [
            Self::Launched,
            Self::Attached,
            Self::Detached,
            Self::Terminate,
            Self::Look,
        ];
        all.into_iter().find(|word| *word as u8 == byte)
    }
}

/// What a supervisor says about its adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// The adapter runs under this process number (the child we spawned is its supervisor).
    Started(u32),
    /// The adapter could not be started, for this `errno`.
    Failed(i32),
    /// The adapter exited with this code.
    Exited(i32),
    /// The adapter was ended by this signal.
    Signalled(i32),
    /// The adapter was left running: ending it would have ended the program that it traces.
    Left(u32),
}

/// Both ends of a control connection: ours, and the one to give to [`command`].
pub fn control_pair() -> io::Result<(Control, OwnedFd)> {
    let (stream, theirs) = UnixStream::pair()?;
    stream.set_nonblocking(true)?;
    let control = Control {
        stream,
        partial: Vec::new(),
        closed: false,
    };
    Ok((control, theirs.into()))
}

/// A command that runs `argv` under a supervisor with these options: the streams, environment and working directory
/// set on it are the adapter's. `program` is this program, `theirs` comes from [`control_pair`]. Drop the command once it is
/// spawned: it holds the supervisor's end of the control connection.
pub fn command<A: AsRef<OsStr>>(
    program: &Path,
    theirs: OwnedFd,
    options: impl IntoIterator<Item = &'static str>,
    argv: impl IntoIterator<Item = A>,
) -> Command {
    let mut command = Command::new(program);
    command.arg(SUPERVISE).args(options);
    inherit(&mut command, theirs);
    command.arg("--").args(argv);
    command
}

/// Passes `fd` on by its number, and names it on the command line.
pub fn inherit(command: &mut Command, fd: OwnedFd) {
    let number = OsString::from(fd.as_raw_fd().to_string());
    command.arg("--control-fd").arg(number);
    let keep = move || Ok(fcntl_setfd(&fd, FdFlags::empty())?);
    #[expect(
        unsafe_code,
        reason = "a descriptor is made inheritable between fork and exec"
    )]
    // SAFETY: the closure makes one fcntl call and touches no memory that another thread of the
    // parent may have locked.
    unsafe {
        command.pre_exec(keep);
    }
}

impl Control {
    /// Tells the supervisor something.
    pub fn say(&self, word: Word) -> io::Result<()> {
        // One byte a state change: the buffer cannot fill unless the supervisor is stopped.
        (&self.stream).write_all(&[word as u8])
    }

    /// Whether the supervisor was seen to be gone, so that there will be no more reports.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The same connection once more, to wait on; reading is left to [`Self::reports`].
    pub fn watched(&self) -> io::Result<UnixStream> {
        self.stream.try_clone()
    }

    /// The reports that have arrived since the last call; never waits.
    pub fn reports(&mut self) -> Vec<Report> {
        let mut bytes = [0_u8; 256];
        while let Ok(count) = (&self.stream).read(&mut bytes) {
            if count == 0 {
                self.closed = true;
                break;
            }
            self.partial.extend(bytes.iter().take(count));
        }
        let Some(end) = self.partial.iter().rposition(|byte| *byte == b'\n') else {
            return Vec::new();
        };
        let whole: Vec<u8> = self.partial.drain(..=end).collect();
        String::from_utf8_lossy(&whole)
            .lines()
            .filter_map(Report::parse)
            .collect()
    }
}

impl Report {
    fn parse(line: &str) -> Option<Self> {
        let (kind, number) = line.rsplit_once(' ')?;
        match kind {
            "started" => number.parse().ok().map(Self::Started),
            "failed" => number.parse().ok().map(Self::Failed),
            "ended exit" => number.parse().ok().map(Self::Exited),
            "ended signal" => number.parse().ok().map(Self::Signalled),
            "left" => number.parse().ok().map(Self::Left),
            _ => None,
        }
    }
}

/// Runs an adapter: `--supervise [--ptrace] [--attaches] [--stays] [--in-terminal] --control-fd N -- PROGRAM [ARGUMENT]…`.
pub const SUPERVISE: &str = "--supervise";

/// Keeps a terminal: `--supervise-terminal --control-fd N --termios MODES [--lines]`.
pub const SUPERVISE_TERMINAL: &str = "--supervise-terminal";
/// Lines are edited on it, and no screen is drawn.
pub const LINES: &str = "--lines";

/// Reads the control bytes that are there. `None` means the other end is closed.
pub fn read_control(control: &UnixStream) -> Option<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = [0_u8; 64];
    let mut reader = control;
    loop {
        match reader.read(&mut bytes) {
            Ok(0) => return None,
            Ok(count) => return Some(bytes.iter().copied().take(count).collect()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Some(Vec::new()),
            // A reset means the same as an end: nobody is there any more.
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_come_whole_however_they_are_cut() {
        let (mut control, theirs) = control_pair().unwrap();
        let mut theirs = UnixStream::from(theirs);
        assert_eq!(control.reports(), []);
        theirs.write_all(b"started 41\nended sig").unwrap();
        assert_eq!(control.reports(), [Report::Started(41)]);
        theirs
            .write_all(b"nal 9\nnonsense\nleft x\nleft 7\n")
            .unwrap();
        assert_eq!(control.reports(), [Report::Signalled(9), Report::Left(7)]);
        drop(theirs);
        assert_eq!(control.reports(), []);
    }
}
