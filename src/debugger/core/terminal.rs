//! `runInTerminal`: the adapter asks us to start the debuggee, and its standard streams are ours.
//!
//! On a pipe output comes fastest, but the program sees no terminal; on a pseudo-terminal it behaves as at a prompt. Either
//! way what it prints joins the session's output, and of a terminal it is kept as it came, for a screen that shows it. In a
//! window of its own it is the business of the terminal program that opens one. The debuggee dies with us (`PR_SET_PDEATHSIG`; the runtime's workers live as
//! long as the process does).

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};

use rustix::process::{Pid, Signal, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::actor::{Actor, FromAdapter, Sent};
use super::live::{Answer, Origin};
use super::printed::printed;
use crate::dap::message::Request as DapRequest;
use crate::debugger::command::{Console, Reply};
use crate::debugger::error::{DebuggerError, Kind};
use crate::debugger::event::{Change, Severity};
use crate::debugger::gate::Action;
use crate::debugger::ids::SessionId;
use crate::debugger::output::OutputChunk;
use crate::text::words;

/// Bytes read from the debuggee at a time.
const CHUNK: usize = 256 * 1024;
/// Size of the pseudo-terminal until a pane is there to say better.
pub(super) const SIZE: (u16, u16) = (40, 120);

/// What the terminals are that understand what ours does.
const TERM: &str = "xterm-256color";
/// Pieces of input that may wait for a program that does not read.
const WAITING_INPUT: usize = 1024;
/// Cells that a terminal may have in one direction.
const SIZES: std::ops::RangeInclusive<u16> = 1..=2000;

/// A debuggee that we started for its adapter.
pub(super) struct Debuggee {
    group: Pid,
    stdin: Option<SyncSender<Typed>>,
    /// Our end of its terminal.
    terminal: Option<Arc<OwnedFd>>,
    /// Up to which byte of what it printed questions were answered.
    answered: u64,
}

/// Input on its way, and who waits for it to be taken.
type Typed = (String, Option<Answer>);

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
        let arguments = request.arguments.value();
        let outside = console == Console::External
            || arguments.get("kind").and_then(Value::as_str) == Some("external");
        let size = self.terminal_size;
        let started = wanted(&arguments).and_then(|wanted| match stdin {
            Some(path) => start_on_file(&wanted, &path),
            None if outside => start_outside(&wanted, self.config.context.var("TERMINAL")),
            None => start(&wanted, console, size),
        });
        match started {
            Ok(Started {
                child,
                streams,
                stdin,
                terminal,
            }) => {
                let pid = child.id();
                let Some(group) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
                    return;
                };
                let takes_input = stdin.is_some();
                if let Some(live) = self.live.get_mut(&id) {
                    live.debuggee = Some(Debuggee {
                        group,
                        stdin: stdin.map(writer),
                        terminal: terminal.clone(),
                        answered: 0,
                    });
                }
                if outside {
                    // The process that was started is the window's.
                    client.respond(request, Ok(json!({})));
                } else {
                    client.respond(request, Ok(json!({ "processId": pid })));
                    let pid = Some(i64::from(pid));
                    self.change(id, Change::Process { pid, name: None });
                }
                if takes_input {
                    self.change(id, Change::TakesInput);
                }
                if terminal.is_some() {
                    let (rows, columns) = size;
                    self.change(id, Change::Terminal { rows, columns });
                }
                for (stderr, stream) in streams {
                    let printer = Printer {
                        stderr,
                        terminal: terminal.is_some(),
                        session: id,
                        generation,
                        adapters: self.adapters.clone(),
                    };
                    std::thread::spawn(move || drain(stream, &printer));
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
            .and_then(|s| crate::debugger::gate::check(s, Action::Input).map(|()| s.id))
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
            Ok(stdin) => match stdin.try_send((text, Some(reply))) {
                Ok(()) => {}
                Err(TrySendError::Full((_, reply)) | TrySendError::Disconnected((_, reply))) => {
                    answer(reply, Err(unread("too much waits for it already")));
                }
            },
            Err(error) => answer(Some(reply), Err(error)),
        }
    }

    /// Gives the debuggee's terminal another size; those of later debuggees begin with it.
    pub(super) fn resize_terminal(
        &mut self,
        session: Option<SessionId>,
        rows: u16,
        columns: u16,
    ) -> Result<Reply, DebuggerError> {
        let (rows, columns) = (
            rows.clamp(*SIZES.start(), *SIZES.end()),
            columns.clamp(*SIZES.start(), *SIZES.end()),
        );
        self.terminal_size = (rows, columns);
        let Some(id) = session else {
            return Ok(Reply::Done);
        };
        let debuggee = self.live.get(&id).and_then(|live| live.debuggee.as_ref());
        if let Some(terminal) = debuggee.and_then(|debuggee| debuggee.terminal.clone()) {
            // The kernel tells the program by SIGWINCH.
            set_size(&terminal, (rows, columns)).map_err(|error| {
                let what = format!("The terminal keeps its size: {error}.");
                DebuggerError::new(Kind::Program, what)
            })?;
            self.change(id, Change::Terminal { rows, columns });
        }
        Ok(Reply::Done)
    }

    /// What a screen answers for the terminal: the first one that does.
    pub(super) fn answer_terminal(
        &mut self,
        id: SessionId,
        at: u64,
        text: String,
    ) -> Result<Reply, DebuggerError> {
        let live = self.live.get_mut(&id);
        if let Some(debuggee) = live.and_then(|live| live.debuggee.as_mut())
            && debuggee.answered < at
            && let Some(stdin) = &debuggee.stdin
        {
            debuggee.answered = at;
            stdin
                .try_send((text, None))
                .map_err(|_full| unread("too much waits for it already"))?;
        }
        Ok(Reply::Done)
    }
}

fn answer(reply: Option<Answer>, answer: Result<Reply, DebuggerError>) {
    if let Some(reply) = reply {
        let _ = reply.send(answer);
    }
}

fn unread(why: impl std::fmt::Display) -> DebuggerError {
    DebuggerError::new(Kind::Program, format!("The program does not read: {why}."))
}

/// Writes input in the order in which it was typed. The program may not read for a long time, so this is a thread; it ends with
/// the debuggee.
fn writer(mut stdin: File) -> SyncSender<Typed> {
    let (sender, typed) = sync_channel::<Typed>(WAITING_INPUT);
    std::thread::spawn(move || {
        for (text, reply) in typed {
            let written = stdin.write_all(text.as_bytes());
            answer(reply, written.map(|()| Reply::Done).map_err(unread));
        }
    });
    sender
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

struct Started {
    child: Child,
    /// What it prints; whether that is its standard error.
    streams: Vec<(bool, File)>,
    stdin: Option<File>,
    terminal: Option<Arc<OwnedFd>>,
}

/// Reads from a file and writes to pipes.
fn start_on_file(wanted: &Wanted, path: &Path) -> Result<Started, String> {
    let file =
        File::open(path).map_err(|e| format!("its standard input {}: {e}", path.display()))?;
    start_on_pipes(wanted, Stdio::from(file))
}

fn start(wanted: &Wanted, console: Console, size: (u16, u16)) -> Result<Started, String> {
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
fn start_outside(wanted: &Wanted, terminal: Option<&str>) -> Result<Started, String> {
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
    let outside = Wanted {
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
    Ok(Started {
        child,
        streams: out.into_iter().chain(err).collect(),
        stdin,
        terminal: None,
    })
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
pub(super) fn tie(command: &mut Command, terminal: bool) {
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

fn set_size(terminal: &OwnedFd, (rows, columns): (u16, u16)) -> std::io::Result<()> {
    let size = rustix::termios::Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    Ok(rustix::termios::tcsetwinsize(terminal.as_fd(), size)?)
}

/// Where a stream of the debuggee's goes.
struct Printer {
    stderr: bool,
    terminal: bool,
    session: SessionId,
    generation: u32,
    adapters: mpsc::Sender<FromAdapter>,
}

/// Hands on what the debuggee prints, in pieces that are whole characters.
fn drain(mut stream: File, printer: &Printer) {
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
        if !printer.deliver(text) {
            return;
        }
    }
    if !held.is_empty() {
        let text = String::from_utf8_lossy(&held).into_owned();
        printer.deliver(text);
    }
}

impl Printer {
    fn deliver(&self, raw: String) -> bool {
        // A terminal ends lines with CR LF.
        let (text, terminal) = if self.terminal {
            (raw.replace("\r\n", "\n"), Some(raw))
        } else if raw.contains('\r') {
            (raw.replace("\r\n", "\n"), None)
        } else {
            (raw, None)
        };
        let chunk = OutputChunk {
            terminal,
            ..printed(self.stderr, text)
        };
        self.adapters
            .blocking_send(FromAdapter {
                session: self.session,
                generation: self.generation,
                what: Sent::Printed(Box::new(chunk)),
            })
            .is_ok()
    }
}

/// How many bytes to take so that no character is cut at the end.
pub(super) fn whole_characters(bytes: &[u8]) -> usize {
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
