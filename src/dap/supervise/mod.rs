//! The small process between us and what must not outlive us, or must be put back after us.
//!
//! `kill -9` gives no chance to clean up, so the cleaning is done by a second process of the same
//! program that holds one end of a socket pair: when the other end closes, we are gone.
//!
//! - [`adapter`]: `--supervise` runs one debug adapter as its child, and ends the whole tree
//!   below it when the adapter or omp-debug ends.
//! - [`keeper`]: `--supervise-terminal` restores the terminal when omp-debug died without doing so.
//! - [`follow`]: what a command runs in the end, found by tracing it.
//! - [`control`]: our end of both, used by the transport and the screen.
//! - [`switch`]: the kernel's part, when the supervisor itself is killed.
//! - [`tree`]: who descends from whom, read from `/proc`.
//!
//! Left to others: speaking with the adapter (the transport does, over the inherited streams) and
//! leaving the terminal in good order on every exit that can be caught (the terminal guard does).
//!
//! Both run before anything else in `main`: one thread, no runtime, and little memory (about
//! 2 MiB resident, of which 150 KiB are not shared with the program's file).

mod adapter;
mod control;
pub mod follow;
mod keeper;
mod signals;
mod switch;
mod tree;

use std::{
    ffi::{OsStr, OsString},
    io::{self, Write as _},
    os::{
        fd::{AsRawFd as _, FromRawFd as _, OwnedFd},
        unix::net::UnixStream,
    },
    process::ExitCode,
    time::Duration,
};

use rustix::termios::Termios;

pub use control::{Control, Report, SUPERVISE, SUPERVISE_TERMINAL, Word, command, control_pair};
pub use keeper::{TerminalKeeper, TerminalUse};
pub use tree::{has_own_group, is_own, kill_own};

/// The adapter traces its debuggee.
pub const PTRACE: &str = "--ptrace";
/// The debuggee was there before.
pub const ATTACHES: &str = "--attaches";
/// A person started it: it stays in our session and process group, so that it has our terminal with all its signals.
pub const IN_TERMINAL: &str = "--in-terminal";
/// A program that nobody debugs but by its own server: what it started may outlive it, until we say so.
pub const STAYS: &str = "--stays";

/// How long a tree is given between TERM and KILL.
pub const TERM_GRACE: Duration = Duration::from_secs(2);

/// The exit code for a command line that cannot be understood.
const EXIT_USAGE: u8 = 2;
/// The exit code when an adapter was left alone because ending it would kill its debuggee.
const EXIT_LEFT: u8 = 75;

/// Whether these arguments (without the program's own name) ask for a supervisor.
pub fn is_request(arguments: &[OsString]) -> bool {
    arguments
        .first()
        .is_some_and(|first| first == SUPERVISE || first == SUPERVISE_TERMINAL)
}

/// The whole life of a supervisor process; call it before any thread is started.
///
/// `arguments` are the program's own, without its name, and [`is_request`] holds for them.
pub fn main(arguments: &[OsString]) -> ExitCode {
    let request = match parse(arguments) {
        Ok(request) => request,
        Err(error) => {
            complain(&error);
            return ExitCode::from(EXIT_USAGE);
        }
    };
    match request {
        Request::Adapter(request) => adapter::run(&request),
        Request::Terminal {
            control,
            saved,
            what_for,
        } => keeper::run(&control, &saved, what_for),
    }
}

/// What a supervisor process was asked to do.
enum Request {
    Adapter(adapter::Request),
    Terminal {
        control: UnixStream,
        saved: Box<Termios>,
        what_for: TerminalUse,
    },
}

const NO_TERMIOS: &str = "--termios needs a value";
const NO_PROGRAM: &str = "no adapter to run: put its command line after `--`";

fn parse(arguments: &[OsString]) -> Result<Request, String> {
    let mut words = arguments.iter();
    let terminal = words
        .next()
        .is_some_and(|first| first == SUPERVISE_TERMINAL);
    let mut control = None;
    let mut termios = None;
    let (mut ptrace, mut attaches, mut in_terminal) = (false, false, false);
    let mut stays = false;
    let mut what_for = TerminalUse::Screen;
    let mut argv = Vec::new();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some(PTRACE) if !terminal => ptrace = true,
            Some(ATTACHES) if !terminal => attaches = true,
            Some(IN_TERMINAL) if !terminal => in_terminal = true,
            Some(STAYS) if !terminal => stays = true,
            Some("--control-fd") => {
                let given = words.next().ok_or("--control-fd needs a value")?;
                control = Some(adopt(given)?);
            }
            Some("--termios") if terminal => {
                termios = Some(words.next().ok_or(NO_TERMIOS)?);
            }
            Some(control::LINES) if terminal => what_for = TerminalUse::Lines,
            Some("--") if !terminal => {
                argv.extend(words.by_ref().cloned());
            }
            _ => {
                return Err(format!(
                    "unknown supervisor option {:?}; omp-debug starts this process itself",
                    word.to_string_lossy()
                ));
            }
        }
    }
    let control = control.ok_or("--control-fd is missing; omp-debug starts this process itself")?;
    if terminal {
        let given = termios.ok_or(NO_TERMIOS)?;
        let saved = keeper::decode(given).map_err(|why| {
            let given = given.to_string_lossy();
            format!("--termios {given:?} cannot be applied: {why}")
        })?;
        return Ok(Request::Terminal {
            control,
            saved: Box::new(saved),
            what_for,
        });
    }
    if argv.is_empty() {
        return Err(NO_PROGRAM.to_owned());
    }
    Ok(Request::Adapter(adapter::Request {
        control,
        ptrace,
        attaches,
        in_terminal,
        stays,
        argv,
    }))
}

/// Takes over the control descriptor we were started with, and keeps it from our own children.
fn adopt(given: &OsStr) -> Result<UnixStream, String> {
    let shown = given.to_string_lossy();
    let bad =
        |why: String| format!("--control-fd {shown:?} is not an open descriptor from 3 up: {why}");
    let number: i32 = given
        .to_str()
        .and_then(|text| text.parse().ok())
        .filter(|number| *number > 2)
        .ok_or_else(|| bad("not a number from 3 up".to_owned()))?;
    #[expect(
        unsafe_code,
        reason = "a descriptor inherited by number has no owner to borrow from"
    )]
    // SAFETY: F_GETFD reads one flag of a descriptor number; a closed number gives EBADF.
    let open = unsafe { libc::fcntl(number, libc::F_GETFD) } != -1;
    if !open {
        return Err(bad(io::Error::last_os_error().to_string()));
    }
    #[expect(
        unsafe_code,
        reason = "a descriptor inherited by number has no owner to borrow from"
    )]
    // SAFETY: the number is open (checked above), it is not one of the standard streams, and this
    // runs first in `main` with one thread, so nothing else in this process owns it.
    let owned = unsafe { OwnedFd::from_raw_fd(number) };
    rustix::io::fcntl_setfd(&owned, rustix::io::FdFlags::CLOEXEC)
        .map_err(|error| bad(error.to_string()))?;
    let stream = UnixStream::from(owned);
    stream
        .set_nonblocking(true)
        .map_err(|error| bad(error.to_string()))?;
    debug_assert!(stream.as_raw_fd() > 2);
    Ok(stream)
}

/// One line on standard error, where the transport's tail shows it to the user.
fn complain(what: &dyn std::fmt::Display) {
    // With stderr gone there is nobody left to tell.
    let _ = writeln!(io::stderr(), "omp-debug supervisor: {what}");
}

/// Points our own standard streams at `/dev/null`, so that those who wait for the end of the
/// adapter's streams see it when the adapter closes them.
fn let_go_of_streams() -> io::Result<()> {
    let null = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Vec<OsString> {
        list.iter().map(OsString::from).collect()
    }

    #[test]
    fn only_a_first_argument_asks_for_a_supervisor() {
        assert!(is_request(&words(&["--supervise"])));
        assert!(is_request(&words(&["--supervise-terminal"])));
        assert!(!is_request(&words(&["run", "--supervise"])));
        assert!(!is_request(&[]));
    }

    #[test]
    fn a_bad_command_line_is_refused_with_the_value_in_the_sentence() {
        let cases = [
            (
                &["--supervise", "--", "true"][..],
                "--control-fd is missing",
            ),
            (&["--supervise", "--control-fd"], "needs a value"),
            (&["--supervise", "--control-fd", "x"], "\"x\""),
            (&["--supervise", "--control-fd", "1"], "\"1\""),
            (&["--supervise", "--control-fd", "-7"], "\"-7\""),
            (&["--supervise", "--control-fd", "9999"], "\"9999\""),
            (&["--supervise", "--frobnicate"], "--frobnicate"),
            (&["--supervise-terminal", "--ptrace"], "--ptrace"),
            (&["--supervise", "--lines"], "--lines"),
        ];
        for (arguments, expected) in cases {
            let Err(error) = parse(&words(arguments)) else {
                panic!("{arguments:?} was accepted")
            };
            assert!(error.contains(expected), "{arguments:?}: {error}");
        }
    }

    #[test]
    fn a_control_descriptor_needs_a_program_beside_it() {
        use std::os::fd::IntoRawFd as _;
        let (theirs, _ours) = UnixStream::pair().unwrap();
        let number = theirs.into_raw_fd().to_string();
        let error = parse(&words(&["--supervise", "--control-fd", &number])).err();
        assert_eq!(error.as_deref(), Some(NO_PROGRAM));
    }
}
