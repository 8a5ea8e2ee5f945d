//! `runInTerminal`: an adapter, or what speaks for one, asks us to start the debuggee, and its standard streams are ours.
//!
//! On a pipe output comes fastest, but the program sees no terminal; on a pseudo-terminal it behaves as at a prompt. Either
//! way what it prints joins the session's output, and of a terminal it is kept as it came, for a screen that shows it. In a
//! window of its own it is the business of the terminal program that opens one. The debuggee dies with us (`PR_SET_PDEATHSIG`; the runtime's workers live as
//! long as the process does).

use std::{
    fs::File,
    io::{Read, Write},
    process::Child,
    sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
};

use dap::{
    message::Request as DapRequest,
    process::{Ender, Exit},
    requests::reverse::RunInTerminalArguments,
    transport::take_text,
};
use rustix::process::Pid;
use tokio::sync::{oneshot, watch};

use self::{
    debuggee::PendingInput,
    starting::{Started, needs_program, set_size, start, start_outside},
};
use super::{config::WhileStopped, prelude::*, printed::printed};

mod debuggee;
mod starting;

pub(super) use self::{
    debuggee::Debuggee,
    starting::{Opened, SIZE, TERM, open_terminal, tie},
};

/// Bytes read from the debuggee at a time.
const CHUNK: usize = 256 * 1024;

/// Pieces of input that may wait for a program that does not read.
const WAITING_INPUT: usize = 1024;
/// How long after a program's end what it printed may take to be read.
const LAST_OUTPUT: Duration = Duration::from_millis(500);
/// Cells that a terminal may have in one direction.
const SIZES: std::ops::RangeInclusive<u16> = 1..=2000;

impl Owner {
    pub fn run_in_terminal(&mut self, id: SessionId, request: &DapRequest) {
        let Some(client) = self.client(id) else {
            return;
        };
        let request = request.clone();
        let wanted = request.arguments.parse();
        self.with_input(id, move |owner, input| {
            let begun = wanted.and_then(|wanted| owner.begin_in_terminal(id, &wanted, input?));
            owner.begun_in_terminal(id, &client, &request, begun);
        });
    }

    fn begun_in_terminal(
        &mut self,
        id: SessionId,
        client: &Client,
        request: &DapRequest,
        begun: Result<Begun, String>,
    ) {
        match begun {
            // The process that was started is the window's.
            Ok(begun) if begun.outside => client.respond(request, Ok(json!({}))),
            // Its end is told by the adapter.
            Ok(begun) => client.respond(request, Ok(json!({ "processId": begun.pid }))),
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

    /// Opens what the program is to read, and goes on with it. A pipe that nobody writes to yet keeps whoever opens it waiting, as it keeps
    /// a shell, and that must not be us. Who waits for a session that is over is forgotten.
    pub fn with_input(
        &mut self,
        id: SessionId,
        go_on: impl FnOnce(&mut Self, Result<Option<File>, String>) + Send + 'static,
    ) {
        let Some(live) = self.live(id) else {
            return;
        };
        let path = match &live.origin {
            Origin::Launch(spec) => spec.stdin.clone(),
            Origin::Attach(_) | Origin::Replay(_) | Origin::Child(_) => None,
        };
        let Some(path) = path else {
            return go_on(self, Ok(None));
        };
        let (generation, over) = (live.generation, live.over.clone());
        let (tell, opened) = oneshot::channel();
        // Not one of the runtime's threads, whose end is waited for.
        std::thread::spawn(move || {
            let file = File::open(&path);
            let file = file.map_err(|e| format!("its standard input {}: {e}", path.display()));
            let _ = tell.send(file);
        });
        let opened = over.run_until_cancelled_owned(opened);
        self.spawn(opened, move |owner, file| {
            let is_same = owner
                .live(id)
                .is_some_and(|live| live.generation == generation);
            if let Some(Ok(file)) = file.filter(|_| is_same) {
                go_on(owner, file.map(Some));
            }
        });
    }

    /// Starts a program as the arguments of `runInTerminal` say, on a file, a pipe, a terminal of ours or in a window of its own.
    pub fn begin_in_terminal(
        &mut self,
        id: SessionId,
        wanted: &RunInTerminalArguments,
        input: Option<File>,
    ) -> Result<Begun, String> {
        needs_program(wanted)?;
        let live = self.live(id).filter(|live| !live.ending);
        let live = live.ok_or("the session has ended")?;
        let console = match &live.origin {
            Origin::Launch(spec) => spec.console,
            Origin::Attach(_) | Origin::Replay(_) | Origin::Child(_) => Console::Internal,
        };
        let generation = live.generation;
        let outside = console == Console::External || wanted.kind.as_deref() == Some("external");
        let size = self.terminal_size;
        let Started {
            child,
            streams,
            stdin,
            terminal,
        } = if outside && input.is_none() {
            start_outside(wanted, self.config.context.var("TERMINAL"))
        } else {
            start(wanted, console, input, size, self.config.echo)
        }?;
        let pid = child.id();
        let group = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let group = group.ok_or_else(|| format!("{pid} is no process"))?;
        let takes_input = stdin.is_some();
        if let Some(live) = self.live_mut(id) {
            live.debuggee = Some(Debuggee {
                group: Some(group),
                stdin: stdin.map(writer),
                terminal: terminal.clone(),
                _theirs: None,
                answered: 0,
            });
        }
        if !outside {
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
        let (reading, all_read) = std::sync::mpsc::channel();
        for (stderr, stream) in streams {
            let printer = self.printer(id, generation, stderr, terminal.is_some());
            let reading = reading.clone();
            std::thread::spawn(move || {
                drain(stream, &printer);
                drop(reading);
            });
        }
        drop(reading);
        let (tell, exit) = watch::channel(None);
        std::thread::spawn(move || reap(child, &all_read, &tell));
        Ok(Begun {
            pid,
            outside,
            ender: Ender::of_group(group, exit),
        })
    }

    fn printer(
        &self,
        session: SessionId,
        generation: u32,
        stderr: bool,
        terminal: bool,
    ) -> Printer {
        Printer {
            stderr,
            terminal,
            session,
            generation,
            noise: self
                .personality(session)
                .filter(|personality| personality.runtime_noise),
            adapters: self.adapters.clone(),
        }
    }

    /// Takes over the terminal that the debugger gives to the program.
    pub fn hold_terminal(&mut self, id: SessionId, opened: Opened) -> io::Result<()> {
        let size = self.terminal_size;
        let Some(generation) = self.live(id).map(|live| live.generation) else {
            return Ok(());
        };
        let Opened { ours, theirs, .. } = opened;
        set_size(&theirs, size)?;
        let (stdin, terminal) = (File::from(ours.try_clone()?), ours.try_clone()?);
        let printer = self.printer(id, generation, false, true);
        std::thread::spawn(move || drain(File::from(ours), &printer));
        if let Some(live) = self.live_mut(id) {
            live.debuggee = Some(Debuggee {
                group: None,
                stdin: Some(writer(stdin)),
                terminal: Some(Arc::new(terminal)),
                _theirs: Some(theirs),
                answered: 0,
            });
        }
        self.change(id, Change::TakesInput);
        let (rows, columns) = size;
        self.change(id, Change::Terminal { rows, columns });
        Ok(())
    }

    pub fn write_stdin(&mut self, session: Option<SessionId>, text: String) -> Handled {
        self.check_typing(session)?;
        let id = self.checked(session, Action::Input)?.id;
        let debuggee = self.live(id).and_then(|l| l.debuggee.as_ref());
        let stdin = debuggee.and_then(|debuggee| debuggee.stdin.clone());
        let stdin = stdin.ok_or_else(|| {
            DebuggerError::capability("The program's standard input is not ours.")
                .hint("start it with --console pty, or give a file with --stdin")
        })?;
        held(move |_, reply| {
            if let Err(TrySendError::Full((_, reply)) | TrySendError::Disconnected((_, reply))) =
                stdin.try_send((text, Some(reply)))
            {
                answer(reply, Err(unread("too much waits for it already")));
            }
        })
    }

    /// Where a program that we started found its input at its end, and nobody gave it any.
    pub fn tell_of_no_input(&mut self, id: SessionId) {
        let is_empty = self.live(id).is_some_and(|live| {
            let given = live.debuggee.as_ref().is_some_and(|it| it.stdin.is_some());
            matches!(&live.origin, Origin::Launch(spec) if spec.stdin.is_none()) && !given
        });
        if is_empty {
            self.inform(id, "No input: --console pty (F4) to type, or --stdin FILE.");
        }
    }

    /// What is typed into the terminal of a program that stands still is read by nobody until it goes on: said once a stop, or refused.
    fn check_typing(&mut self, session: Option<SessionId>) -> Result<()> {
        const WHY: &str = "The program stands still: it reads what is typed when it goes on.";
        let state = &self.hub.state;
        let stands = self.meant(session).ok().and_then(|s| {
            let terminal = state.terminal_of(s.id)?;
            Some((terminal.0, s.stop_id()?))
        });
        let Some((id, stop)) = stands else {
            return Ok(());
        };
        match self.config.settings.typed_while_stopped {
            WhileStopped::Off => Ok(()),
            WhileStopped::Error => Err(DebuggerError::state(WHY)),
            WhileStopped::Warn => {
                let live = self.live_mut(id);
                if live.is_some_and(|live| live.warned.replace(stop) != Some(stop)) {
                    self.inform(id, WHY);
                }
                Ok(())
            }
        }
    }

    /// Gives the debuggee's terminal another size; those of later debuggees begin with it.
    pub fn resize_terminal(
        &mut self,
        session: Option<SessionId>,
        rows: u16,
        columns: u16,
    ) -> Result<Reply> {
        let (rows, columns) = (
            rows.clamp(*SIZES.start(), *SIZES.end()),
            columns.clamp(*SIZES.start(), *SIZES.end()),
        );
        self.terminal_size = (rows, columns);
        let Some(id) = session else {
            return Ok(Reply::Done);
        };
        let debuggee = self.live(id).and_then(|live| live.debuggee.as_ref());
        if let Some(terminal) = debuggee.and_then(|debuggee| debuggee.terminal.clone()) {
            // The kernel tells the program by SIGWINCH.
            set_size(&terminal, (rows, columns)).map_err(|error| {
                let what = format!("The terminal keeps its size: {error}.");
                DebuggerError::program(what)
            })?;
            self.change(id, Change::Terminal { rows, columns });
        }
        Ok(Reply::Done)
    }

    /// What a screen answers for the terminal: the first one that does.
    pub fn answer_terminal(&mut self, id: SessionId, at: u64, text: String) -> Result<Reply> {
        let live = self.live_mut(id);
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

fn answer(reply: Option<Answer>, answer: Result<Reply>) {
    if let Some(reply) = reply {
        let _ = reply.send(answer);
    }
}

fn unread(why: impl fmt::Display) -> DebuggerError {
    DebuggerError::program(format!("The program does not read: {why}."))
}

/// Writes input in the order in which it was typed. The program may not read for a long time, so this is a thread; it ends with
/// the debuggee.
fn writer(mut stdin: File) -> SyncSender<PendingInput> {
    let (sender, typed) = sync_channel::<PendingInput>(WAITING_INPUT);
    std::thread::spawn(move || {
        for (text, reply) in typed {
            let written = stdin.write_all(text.as_bytes());
            answer(reply, written.map(|()| Reply::Done).map_err(unread));
        }
    });
    sender
}

/// Waits for a program's end, and tells of it when what it printed has been read. What came out of it may hold its streams for
/// ever; nobody waits for that.
fn reap(mut child: Child, all_read: &Receiver<()>, tell: &watch::Sender<Option<Exit>>) {
    let exit = child.wait().map_or(
        Exit {
            code: None,
            signal: None,
        },
        Exit::from,
    );
    // Nothing is ever sent: it ends with the last of those who read.
    let _ = all_read.recv_timeout(LAST_OUTPUT);
    tell.send_replace(Some(exit));
}

/// A program that was started in a terminal.
pub struct Begun {
    pid: u32,
    /// In a window of its own: the process is the window's.
    outside: bool,
    /// Ends it, and sees it end.
    pub ender: Ender,
}

/// Where a stream of the debuggee's goes.
struct Printer {
    stderr: bool,
    terminal: bool,
    session: SessionId,
    generation: u32,
    /// Who knows the lines of the program's runtime.
    noise: Option<Arc<Personality>>,
    adapters: mpsc::Sender<FromAdapter>,
}

/// Hands on what the debuggee prints, in pieces that are whole characters.
fn drain(mut stream: File, printer: &Printer) {
    let mut buffer = vec![0; CHUNK];
    let mut held = BytesMut::new();
    loop {
        // A terminal whose last user is gone reads as an error: that is its end.
        let n = stream.read(&mut buffer).unwrap_or(0);
        held.extend_from_slice(buffer.get(..n).unwrap_or_default());
        let text = take_text(&mut held, n == 0);
        let is_heard = text.is_empty() || printer.deliver(text);
        if n == 0 || !is_heard {
            return;
        }
    }
}

impl Printer {
    fn deliver(&self, raw: String) -> bool {
        let raw = match &self.noise {
            Some(noise) => noise.without_noise(&raw),
            None => raw,
        };
        if raw.is_empty() {
            return true;
        }
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
