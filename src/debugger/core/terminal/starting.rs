//! How a debuggee is started for `runInTerminal`: on a file, on pipes, on a terminal of ours, in a window of its own.

use std::{
    os::{
        fd::{AsFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Child, Command},
};

use dap::requests::reverse::RunInTerminalArguments;
use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr},
};

use crate::core::prelude::*;

/// What the terminals are that understand what ours does.
pub(in crate::core) const TERM: &str = "xterm-256color";

/// Size of the pseudo-terminal until a pane is there to say better.
pub(in crate::core) const SIZE: (u16, u16) = (40, 120);

/// What was started.
pub struct Started {
    pub child: Child,
    /// What it prints; whether that is its standard error.
    pub streams: Vec<(bool, File)>,
    pub stdin: Option<File>,
    pub terminal: Option<Arc<OwnedFd>>,
}

pub fn needs_program(wanted: &RunInTerminalArguments) -> Result<(), String> {
    if wanted.args.is_empty() {
        let got = json!(wanted);
        return Err(format!(
            "runInTerminal needs `args` with a program, got {got}"
        ));
    }
    Ok(())
}

/// On pipes or a terminal, and where a file is to be read, that in place of their input.
pub fn start(
    wanted: &RunInTerminalArguments,
    console: Console,
    file: Option<File>,
    size: (u16, u16),
    echo: bool,
) -> Result<Started, String> {
    if console == Console::Pipe || file.is_some() && console != Console::Pty {
        return start_on_pipes(wanted, file.map_or_else(Stdio::piped, Stdio::from));
    }
    let mut command = command(wanted);
    if !wanted.env.iter().any(|env| env.contains_key("TERM")) {
        command.env("TERM", TERM);
    }
    // They tell of the terminal that we are in.
    command.env_remove("LINES").env_remove("COLUMNS");
    let (master, slave) =
        pseudo_terminal(size, echo).map_err(|e| format!("no pseudo-terminal: {e}"))?;
    let clone = |fd: &OwnedFd| {
        fd.try_clone()
            .map_err(|e| format!("no pseudo-terminal: {e}"))
    };
    let input = match &file {
        Some(_) => None,
        None => Some(File::from(clone(&master)?)),
    };
    command
        .stdin(match file {
            Some(file) => Stdio::from(file),
            None => Stdio::from(clone(&slave)?),
        })
        .stdout(Stdio::from(clone(&slave)?))
        .stderr(Stdio::from(slave));
    tie(&mut command, true);
    let child = spawn(&mut command)?;
    Ok(Started {
        child,
        stdin: input,
        terminal: Some(Arc::new(clone(&master)?)),
        streams: vec![(false, File::from(master))],
    })
}

/// In a window of its own. `terminal` is the command line of a program that opens one and runs what is behind `-e` in it.
pub fn start_outside(
    wanted: &RunInTerminalArguments,
    terminal: Option<&str>,
) -> Result<Started, String> {
    let mut words = words::split(terminal.unwrap_or_default())?;
    if words.is_empty() {
        return Err("it asks for a window of its own, and $TERMINAL does not say which program opens one: set it (TERMINAL=xterm), or use the integrated terminal".to_owned());
    }
    if !words
        .last()
        .is_some_and(|last| last == "-e" || last == "--")
    {
        words.push("-e".to_owned());
    }
    words.extend(wanted.args.iter().cloned());
    let outside = RunInTerminalArguments {
        args: words,
        ..wanted.clone()
    };
    let mut command = command(&outside);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    tie(&mut command, false);
    Ok(Started {
        child: spawn(&mut command)?,
        streams: Vec::new(),
        stdin: None,
        terminal: None,
    })
}

fn start_on_pipes(wanted: &RunInTerminalArguments, stdin: Stdio) -> Result<Started, String> {
    let mut command = command(wanted);
    command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    tie(&mut command, false);
    let mut child = spawn(&mut command)?;
    let out = child
        .stdout
        .take()
        .map(|s| (false, File::from(OwnedFd::from(s))));
    let err = child
        .stderr
        .take()
        .map(|s| (true, File::from(OwnedFd::from(s))));
    let stdin = child.stdin.take().map(|s| File::from(OwnedFd::from(s)));
    Ok(Started {
        child,
        streams: out.into_iter().chain(err).collect(),
        stdin,
        terminal: None,
    })
}

fn spawn(command: &mut Command) -> Result<Child, String> {
    let spawned = command.spawn();
    spawned.map_err(|error| format!("{}: {error}", command.get_program().to_string_lossy()))
}

fn command(wanted: &RunInTerminalArguments) -> Command {
    let mut words = wanted.args.iter();
    let mut command = Command::new(words.next().map_or("", String::as_str));
    command.args(words);
    if !wanted.cwd.is_empty() {
        command.current_dir(&wanted.cwd);
    }
    for (name, value) in wanted.env.iter().flatten() {
        match value.as_str() {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// A session (or group) of its own, the terminal as its controlling one, and an end when ours comes.
pub(in crate::core) fn tie(command: &mut Command, terminal: bool) {
    #[expect(
        unsafe_code,
        reason = "what a child does between fork and exec cannot be said safely"
    )]
    // SAFETY: only async-signal-safe calls (setsid, setpgid, ioctl, prctl) without allocation.
    unsafe {
        command.pre_exec(move || {
            if terminal {
                rustix::process::setsid()?;
                // Its input may be a file.
                if libc::ioctl(1, libc::TIOCSCTTY, 0) != 0 {
                    return Err(io::Error::last_os_error());
                }
            } else {
                rustix::process::setpgid(None, None)?;
            }
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
}

/// A terminal for a program that somebody else starts.
pub(in crate::core) struct Opened {
    /// Its name, for whoever gives it to the program.
    pub name: String,
    pub ours: OwnedFd,
    /// Held, so that it does not end before the program comes.
    pub theirs: OwnedFd,
}

pub(in crate::core) fn open_terminal(size: (u16, u16), echo: bool) -> io::Result<Opened> {
    let (ours, theirs) = pseudo_terminal(size, echo)?;
    Ok(Opened {
        name: ptsname(&ours, Vec::new())?.to_string_lossy().into_owned(),
        ours,
        theirs,
    })
}

fn pseudo_terminal(size: (u16, u16), echo: bool) -> io::Result<(OwnedFd, OwnedFd)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let slave = rustix::fs::open(
        name.as_c_str(),
        rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC,
        rustix::fs::Mode::empty(),
    )?;
    set_size(&slave, size)?;
    if !echo {
        let mut modes = tcgetattr(&slave)?;
        modes.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&slave, OptionalActions::Now, &modes)?;
    }
    Ok((master, slave))
}

pub fn set_size(terminal: &OwnedFd, (rows, columns): (u16, u16)) -> io::Result<()> {
    let size = rustix::termios::Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    Ok(rustix::termios::tcsetwinsize(terminal.as_fd(), size)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_without_a_program_is_refused_with_its_text() {
        let wanted = serde_json::from_value(json!({"args": [], "title": "a"})).expect("arguments");
        let why = needs_program(&wanted).unwrap_err();
        assert!(
            why.contains(r#""args":[]"#) && why.contains(r#""title":"a""#),
            "{why}"
        );
    }
}
