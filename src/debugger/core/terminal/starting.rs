//! How a debuggee is started for `runInTerminal`: on a file, on pipes, on a terminal of ours, in a window of its own.

use std::{
    fs::File,
    os::{
        fd::{AsFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Child, Command, Stdio},
};

use base::text::words;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::{command::Console, prelude::*};

/// What the terminals are that understand what ours does.
pub(in crate::core) const TERM: &str = "xterm-256color";

/// What is to be started.
pub(super) struct TerminalRequest {
    program: String,
    args: Vec<String>,
    cwd: Option<PathBuf>,
    env: Vec<(String, Option<String>)>,
}

/// Reads the request's arguments; what is odd is said.
pub(super) fn wanted(arguments: &Value) -> Result<TerminalRequest, String> {
    let words: Vec<String> = arguments
        .get("args")
        .and_then(Value::as_array)
        .map(|a| {
            a.iter()
                .filter_map(|w| w.as_str().map(str::to_owned))
                .collect()
        })
        .unwrap_or_default();
    let mut words = words.into_iter();
    let program = words
        .next()
        .ok_or_else(|| format!("runInTerminal needs `args` with a program, got {arguments}"))?;
    let env = arguments
        .get("env")
        .and_then(Value::as_object)
        .map(|env| {
            env.iter()
                .map(|(name, value)| (name.clone(), value.as_str().map(str::to_owned)))
                .collect()
        })
        .unwrap_or_default();
    Ok(TerminalRequest {
        program,
        args: words.collect(),
        cwd: arguments
            .get("cwd")
            .and_then(Value::as_str)
            .filter(|c| !c.is_empty())
            .map(PathBuf::from),
        env,
    })
}

/// What was started.
pub(super) struct Started {
    pub(super) child: Child,
    /// What it prints; whether that is its standard error.
    pub(super) streams: Vec<(bool, File)>,
    pub(super) stdin: Option<File>,
    pub(super) terminal: Option<Arc<OwnedFd>>,
}

/// Reads from a file and writes to pipes.
pub(super) fn start_on_file(wanted: &TerminalRequest, path: &Path) -> Result<Started, String> {
    let file =
        File::open(path).map_err(|e| format!("its standard input {}: {e}", path.display()))?;
    start_on_pipes(wanted, Stdio::from(file))
}

pub(super) fn start(
    wanted: &TerminalRequest,
    console: Console,
    size: (u16, u16),
) -> Result<Started, String> {
    if console == Console::Pipe {
        return start_on_pipes(wanted, Stdio::piped());
    }
    let mut command = command(wanted);
    if !wanted.env.iter().any(|(name, _)| name == "TERM") {
        command.env("TERM", TERM);
    }
    // They tell of the terminal that we are in.
    command.env_remove("LINES").env_remove("COLUMNS");
    let (master, slave) = pseudo_terminal(size).map_err(|e| format!("no pseudo-terminal: {e}"))?;
    let clone = |fd: &OwnedFd| {
        fd.try_clone()
            .map_err(|e| format!("no pseudo-terminal: {e}"))
    };
    command
        .stdin(Stdio::from(clone(&slave)?))
        .stdout(Stdio::from(clone(&slave)?))
        .stderr(Stdio::from(slave));
    tie(&mut command, true);
    let child = command.spawn().map_err(|e| failed(wanted, &e))?;
    Ok(Started {
        child,
        stdin: Some(File::from(clone(&master)?)),
        terminal: Some(Arc::new(clone(&master)?)),
        streams: vec![(false, File::from(master))],
    })
}

/// In a window of its own. `terminal` is the command line of a program that opens one and runs what is behind `-e` in it.
pub(super) fn start_outside(
    wanted: &TerminalRequest,
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
    words.push(wanted.program.clone());
    words.extend(wanted.args.iter().cloned());
    let mut words = words.into_iter();
    let outside = TerminalRequest {
        program: words.next().unwrap_or_default(),
        args: words.collect(),
        cwd: wanted.cwd.clone(),
        env: wanted.env.clone(),
    };
    let mut command = command(&outside);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    tie(&mut command, false);
    Ok(Started {
        child: command.spawn().map_err(|e| failed(&outside, &e))?,
        streams: Vec::new(),
        stdin: None,
        terminal: None,
    })
}

fn start_on_pipes(wanted: &TerminalRequest, stdin: Stdio) -> Result<Started, String> {
    let mut command = command(wanted);
    command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    tie(&mut command, false);
    let mut child = command.spawn().map_err(|e| failed(wanted, &e))?;
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

fn failed(wanted: &TerminalRequest, error: &std::io::Error) -> String {
    format!("{}: {error}", wanted.program)
}

fn command(wanted: &TerminalRequest) -> Command {
    let mut command = Command::new(&wanted.program);
    command.args(&wanted.args);
    if let Some(cwd) = &wanted.cwd {
        command.current_dir(cwd);
    }
    for (name, value) in &wanted.env {
        match value {
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
                if libc::ioctl(0, libc::TIOCSCTTY, 0) != 0 {
                    return Err(std::io::Error::last_os_error());
                }
            } else {
                rustix::process::setpgid(None, None)?;
            }
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
}

/// A terminal for a program that somebody else starts.
pub(in crate::core) struct Opened {
    /// Its name, for whoever gives it to the program.
    pub(in crate::core) name: String,
    pub(super) ours: OwnedFd,
    /// Held, so that it does not end before the program comes.
    pub(super) theirs: OwnedFd,
}

pub(in crate::core) fn open_terminal(size: (u16, u16)) -> std::io::Result<Opened> {
    let (ours, theirs) = pseudo_terminal(size)?;
    Ok(Opened {
        name: ptsname(&ours, Vec::new())?.to_string_lossy().into_owned(),
        ours,
        theirs,
    })
}

fn pseudo_terminal(size: (u16, u16)) -> std::io::Result<(OwnedFd, OwnedFd)> {
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
    Ok((master, slave))
}

pub(super) fn set_size(terminal: &OwnedFd, (rows, columns): (u16, u16)) -> std::io::Result<()> {
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
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_without_a_program_is_refused_with_its_text() {
        let why = wanted(&json!({"args": []})).map(|_| ()).unwrap_err();
        assert!(why.contains(r#"{"args":[]}"#), "{why}");
    }
}
