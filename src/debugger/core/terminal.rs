//! `runInTerminal`: the adapter asks us to start the debuggee, and its standard streams are ours.
//!
//! On a pipe output comes fastest, but the program sees no terminal; on a pseudo-terminal it behaves as at a prompt. Either
//! way what it prints joins the session's output. The debuggee dies with us (`PR_SET_PDEATHSIG`; the runtime's workers live as
//! long as the process does).

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::actor::{Actor, FromAdapter, Sent};
use super::live::{Answer, Origin};
use crate::dap::message::Request as DapRequest;
use crate::debugger::command::{Console, Reply};
use crate::debugger::error::{DebuggerError, Kind};
use crate::debugger::event::{Change, Severity};
use crate::debugger::gate::Action;
use crate::debugger::ids::SessionId;
use crate::tasks;

/// Bytes read from the debuggee at a time.
const CHUNK: usize = 256 * 1024;
/// Size of the pseudo-terminal until a pane is there to say better.
const SIZE: (u16, u16) = (40, 120);

/// A debuggee that we started for its adapter.
pub(super) struct Debuggee {
    group: Pid,
    stdin: Option<Arc<Mutex<File>>>,
}

impl Debuggee {
    /// Ends the process group: politely is what the adapter was for.
    pub(super) fn end(&self) {
        // Gone already is the usual case.
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

struct Wanted {
    program: String,
    args: Vec<String>,
    cwd: Option<PathBuf>,
    env: Vec<(String, Option<String>)>,
}

impl Actor {
    pub(super) fn run_in_terminal(&mut self, id: SessionId, request: &DapRequest) {
        let Some(live) = self.live.get(&id) else {
            return;
        };
        let Some(client) = live.client.clone() else {
            return;
        };
        let (console, stdin) = match &live.origin {
            Origin::Launch(spec) => (spec.console, spec.stdin.clone()),
            Origin::Attach(_) | Origin::Replay(_) | Origin::Child(_) => (Console::Internal, None),
        };
        let generation = live.generation;
        let started = wanted(&request.arguments.value()).and_then(|wanted| match stdin {
            Some(path) => start_on_file(&wanted, &path),
            None => start(&wanted, console),
        });
        match started {
            Ok((child, streams, stdin)) => {
                let pid = child.id();
                let Some(group) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
                    return;
                };
                if let Some(live) = self.live.get_mut(&id) {
                    live.debuggee = Some(Debuggee {
                        group,
                        stdin: stdin.map(|s| Arc::new(Mutex::new(s))),
                    });
                }
                client.respond(request, Ok(json!({ "processId": pid })));
                self.change(
                    id,
                    Change::Process {
                        pid: Some(i64::from(pid)),
                        name: None,
                    },
                );
                for (stderr, stream) in streams {
                    let adapters = self.adapters.clone();
                    std::thread::spawn(move || drain(stream, stderr, id, generation, &adapters));
                }
                // Reaped when it ends; its end is told by the adapter.
                std::thread::spawn(move || {
                    let mut child = child;
                    let _ = child.wait();
                });
            }
            Err(why) => {
                self.say(
                    Some(id),
                    Severity::Error,
                    format!("The program could not be started in a terminal: {why}"),
                    None,
                );
                client.respond(request, Err(why));
            }
        }
    }

    pub(super) fn write_stdin(&self, session: Option<SessionId>, text: String, reply: Answer) {
        let stdin = self
            .meant(session)
            .and_then(|s| crate::debugger::gate::check(s.phase, Action::Input).map(|()| s.id))
            .and_then(|id| {
                self.live
                    .get(&id)
                    .and_then(|l| l.debuggee.as_ref()?.stdin.clone())
                    .ok_or_else(|| {
                        DebuggerError::new(
                            Kind::Capability,
                            "The program's standard input is not ours.",
                        )
                        .hint("start it with --console pty, or give a file with --stdin")
                    })
            });
        match stdin {
            Ok(stdin) => {
                // The program may not read for a long time.
                tasks::blocking(move || {
                    let written = stdin
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .write_all(text.as_bytes());
                    let _ = reply.send(match written {
                        Ok(()) => Ok(Reply::Done),
                        Err(e) => Err(DebuggerError::new(
                            Kind::Program,
                            format!("The program does not read: {e}."),
                        )),
                    });
                });
            }
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }
}

/// Reads the request's arguments; what is odd is said.
fn wanted(arguments: &Value) -> Result<Wanted, String> {
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
    Ok(Wanted {
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

type Started = (Child, Vec<(bool, File)>, Option<File>);

/// Reads from a file and writes to pipes.
fn start_on_file(wanted: &Wanted, path: &Path) -> Result<Started, String> {
    let file =
        File::open(path).map_err(|e| format!("its standard input {}: {e}", path.display()))?;
    start_on_pipes(wanted, Stdio::from(file))
}

fn start(wanted: &Wanted, console: Console) -> Result<Started, String> {
    if console == Console::Pipe {
        return start_on_pipes(wanted, Stdio::piped());
    }
    let mut command = command(wanted);
    let (master, slave) = pseudo_terminal().map_err(|e| format!("no pseudo-terminal: {e}"))?;
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
    let stdin = File::from(clone(&master)?);
    Ok((child, vec![(false, File::from(master))], Some(stdin)))
}

fn start_on_pipes(wanted: &Wanted, stdin: Stdio) -> Result<Started, String> {
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
    Ok((child, out.into_iter().chain(err).collect(), stdin))
}

fn failed(wanted: &Wanted, error: &std::io::Error) -> String {
    format!("{}: {error}", wanted.program)
}

fn command(wanted: &Wanted) -> Command {
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
fn tie(command: &mut Command, terminal: bool) {
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

fn pseudo_terminal() -> std::io::Result<(OwnedFd, OwnedFd)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let slave = rustix::fs::open(
        name.as_c_str(),
        rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC,
        rustix::fs::Mode::empty(),
    )?;
    rustix::termios::tcsetwinsize(
        slave.as_fd(),
        rustix::termios::Winsize {
            ws_row: SIZE.0,
            ws_col: SIZE.1,
            ws_xpixel: 0,
            ws_ypixel: 0,
        },
    )?;
    Ok((master, slave))
}

/// Hands on what the debuggee prints, in pieces that are whole characters.
fn drain(
    mut stream: File,
    stderr: bool,
    session: SessionId,
    generation: u32,
    adapters: &mpsc::Sender<FromAdapter>,
) {
    let mut buffer = vec![0; CHUNK];
    let mut held: Vec<u8> = Vec::new();
    loop {
        // A terminal whose last user is gone reads as an error: that is its end.
        let n = match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(n) => n,
        };
        held.extend_from_slice(buffer.get(..n).unwrap_or_default());
        let whole = whole_characters(&held);
        let rest = held.split_off(whole);
        let text = match String::from_utf8(std::mem::replace(&mut held, rest)) {
            Ok(text) => text,
            Err(bad) => String::from_utf8_lossy(bad.as_bytes()).into_owned(),
        };
        if !deliver(text, stderr, session, generation, adapters) {
            return;
        }
    }
    if !held.is_empty() {
        let text = String::from_utf8_lossy(&held).into_owned();
        deliver(text, stderr, session, generation, adapters);
    }
}

fn deliver(
    text: String,
    stderr: bool,
    session: SessionId,
    generation: u32,
    adapters: &mpsc::Sender<FromAdapter>,
) -> bool {
    // A terminal ends lines with CR LF.
    let text = if text.contains('\r') {
        text.replace("\r\n", "\n")
    } else {
        text
    };
    adapters
        .blocking_send(FromAdapter {
            session,
            generation,
            what: Sent::Printed { stderr, text },
        })
        .is_ok()
}

/// How many bytes to take so that no character is cut at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        // Cut short at the end: wait for the rest. Anything else is not UTF-8 and stays as it is.
        Err(e) if e.error_len().is_none() => e.valid_up_to(),
        Err(_) => {
            let tail = bytes.len().saturating_sub(3);
            let lead = bytes
                .iter()
                .enumerate()
                .skip(tail)
                .rev()
                .find(|(_, b)| **b >= 0xc0)
                .map(|(i, b)| {
                    (
                        i,
                        if *b >= 0xf0 {
                            4
                        } else if *b >= 0xe0 {
                            3
                        } else {
                            2
                        },
                    )
                });
            match lead {
                Some((start, length)) if start + length > bytes.len() => start,
                _ => bytes.len(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_not_cut() {
        assert_eq!(whole_characters("añ".as_bytes()), 3);
        assert_eq!(whole_characters(&"añ".as_bytes()[..2]), 1);
        assert_eq!(whole_characters(&"€€".as_bytes()[..5]), 3);
        assert_eq!(whole_characters(b"\xff\xfe abc"), 6);
        assert_eq!(whole_characters(b"\xff abc\xe2\x82"), 5);
    }

    #[test]
    fn a_request_without_a_program_is_refused_with_its_text() {
        let why = wanted(&json!({"args": []})).map(|_| ()).unwrap_err();
        assert!(why.contains(r#"{"args":[]}"#), "{why}");
    }
}
