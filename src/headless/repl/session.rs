//! The conversation: what is known, what is awaited, and the three things that can happen meanwhile (events, signals, typing).
//!
//! Every wait of the line debugger is one of three here: for a line, for an answer, for the program to stop or end. None of them
//! loses an event, and all of them can be cut short by a signal.

use std::pin::pin;

use base::{files::Watched, text::width::truncate};
use dap::requests::DapRequest;
use debugger::{AttachSpec, LaunchSpec, Moves, Severity, WatchId, tool::Tool};
use futures_util::FutureExt as _;

use super::{
    announce,
    complete::Helper,
    editor::{self, Editor, EditorInput},
    input::{Next, Pipe, read_file},
    memory,
    out::Out,
    prelude::*,
    style::Colours,
};
use crate::{codes, signals::Signals};

/// Key of the history kept with the project.
const MEMORY: &str = "repl_commands";

const NO_PROGRAM: &str = "No program is being debugged.";

/// What is to be debugged, and how it is talked about.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What `run` starts.
    pub launch: Option<LaunchSpec>,
    /// What is attached to at the beginning.
    pub attach: Option<AttachSpec>,
    /// What is started beside either: the other sessions of a compound.
    pub beside: Vec<Command>,
    /// Asked of the core before everything else: breakpoints.
    pub before: Vec<Command>,
    /// Where relative paths begin.
    pub cwd: PathBuf,
    /// Files of commands that are done first.
    pub files: Vec<PathBuf>,
    /// Commands that are done after those.
    pub commands: Vec<String>,
    /// End after those, and read nothing.
    pub batch: bool,
    /// A person sits at a terminal: both standard input and output are one.
    pub person: bool,
    /// The project's breakpoints and watches are there from the beginning, and stay.
    pub kept: bool,
    /// Colours.
    pub colour: bool,
}

/// What came of a command.
pub type CommandResult = Result<()>;

/// How we are to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplEnd {
    /// With this exit code.
    Code(u8),
    /// With that of what happened.
    AsItWent,
}

/// The whole conversation.
pub struct Repl {
    pub options: Options,
    pub core: CoreHandle,
    pub state: State,
    pub events: Subscription,
    pub out: Out,
    pub signals: Signals,
    pub editor: Option<Editor>,
    /// The debug tool, once one of its operations was typed.
    pub tool: Option<Tool>,
    pipe: Option<Pipe>,
    /// Lines that are done before anybody is asked for more.
    pub waiting: VecDeque<Next>,
    history: Vec<String>,
    /// Where the present line stands.
    pub origin: Option<String>,
    /// What an empty line does again.
    pub repeat: Option<ParsedCommand>,
    /// Blocks of another debugger's commands that the script's line is in.
    pub blocks: usize,
    /// The exit code of the first trouble.
    pub trouble: u8,
    /// The program's own exit code was not 0.
    pub failed: bool,
    pub ending: Option<ReplEnd>,
    /// Breakpoints that go when they are hit.
    pub once: Vec<BreakpointId>,
    /// Sessions whose adapters are gone.
    pub gone: BTreeSet<SessionId>,
    /// Breakpoints that adapters put elsewhere, and whether what was asked for says it anyway.
    pub moves: (Moves, bool),
    /// Whether a session has requests that wait long for their answers, which was told.
    pub late: BTreeMap<SessionId, bool>,
    pub told_ends: BTreeSet<SessionId>,
    /// A process of a debuggee has become known since this was looked at.
    pub begun: bool,
    /// We ended it: how it ended says nothing about it.
    pub ended_by_us: bool,
    pub told: announce::Announced,
    pub sources: HashMap<PathBuf, Arc<Vec<String>>>,
    /// Where `list` has come to; none = where the program stands.
    pub listing: Option<(PathBuf, i64)>,
    pub examined: memory::Examined,
    pub values: BTreeMap<WatchId, String>,
}

impl Repl {
    /// Gets everything ready.
    pub async fn open(options: Options, core: CoreHandle) -> Result<Self> {
        let look = Colours {
            colour: options.colour,
        };
        let out = Out::new(
            look,
            Box::new(Watched::stdout()),
            Box::new(std::io::stderr()),
        );
        let ended = || DebuggerError::new(ErrorKind::Adapter, "The debugger core has ended.");
        let (state, events) = core.subscribe().await.ok_or_else(ended)?;
        let events = events.whole();
        let mut waiting = VecDeque::new();
        for path in options.files.iter().rev() {
            let read = read_file(&mut waiting, &options.cwd.join(path));
            read.map_err(|why| format!("-x: {why}"))?;
        }
        for (at, command) in options.commands.iter().enumerate() {
            waiting.push_back(Next {
                text: command.clone(),
                origin: Some(format!("--ex {}", at + 1)),
            });
        }
        Ok(Self {
            history: Vec::new(),
            pipe: (!options.person && !options.batch).then(Pipe::new),
            editor: None,
            tool: None,
            options,
            core,
            state,
            events,
            out,
            signals: Signals::new()?,
            waiting,
            origin: None,
            repeat: None,
            blocks: 0,
            trouble: 0,
            failed: false,
            ending: None,
            once: Vec::new(),
            gone: BTreeSet::new(),
            late: BTreeMap::new(),
            moves: Default::default(),
            told_ends: BTreeSet::new(),
            begun: false,
            ended_by_us: false,
            told: announce::Announced::default(),
            sources: HashMap::new(),
            listing: None,
            examined: memory::Examined::default(),
            values: BTreeMap::new(),
        })
    }

    /// Line after line, to the end.
    pub async fn talk(mut self) -> u8 {
        self.begin().await;
        while self.ending.is_none() && !self.out.is_broken() {
            let Some(next) = self.next_line().await else {
                self.origin = None;
                if self.may_quit().await {
                    break;
                }
                continue;
            };
            // What is pasted may be several lines.
            for text in next.text.lines() {
                self.origin.clone_from(&next.origin);
                self.do_line(text).await;
                if self.ending.is_some() {
                    break;
                }
            }
        }
        self.end().await
    }

    async fn begin(&mut self) {
        if !self.options.person {
            self.say_what_is_kept();
        }
        for command in std::mem::take(&mut self.options.before) {
            self.origin = Some("--breakpoint".to_owned());
            if let Err(failure) = self.ask(command).await {
                self.tell(&failure);
            }
        }
        self.origin = None;
        self.drain();
        if self.options.person {
            self.history = self.state.memory.get(MEMORY).cloned().unwrap_or_default();
            let helper = Helper {
                core: self.core.clone(),
                runtime: tokio::runtime::Handle::current(),
                cwd: self.options.cwd.clone(),
                program: self.options.launch.as_ref().map(|l| l.program.clone()),
            };
            match Editor::start(self.out.look, &self.history, helper) {
                Ok(editor) => self.editor = Some(editor),
                Err(why) => {
                    // A terminal that cannot be edited on is still one that lines come from.
                    self.out.error(None, &why, None);
                    self.pipe = Some(Pipe::new());
                }
            }
            self.greet();
        }
        if let Some(spec) = self.options.attach.clone() {
            self.origin = (!self.options.person).then(|| "attach".to_owned());
            let beside = self.options.beside.clone();
            let done = self.attach_to(spec, beside).await;
            if let Err(failure) = done {
                self.tell(&failure);
            }
        }
    }

    fn greet(&mut self) {
        let what = match &self.options.launch {
            Some(launch) => {
                let (more, it) = match self.options.beside.len() {
                    0 => (String::new(), "it"),
                    n => (format!(" and {n} beside it"), "them"),
                };
                format!(
                    "{}{more}: run starts {it}, start stops at its first line, help lists the commands.",
                    sanitise(&launch.program.display().to_string())
                )
            }
            None if self.options.attach.is_some() => return,
            None => {
                "No program: attach PID, or begin again with omp-debug repl PROGRAM.".to_owned()
            }
        };
        self.out.line(&what);
        self.say_what_is_kept();
    }

    fn say_what_is_kept(&mut self) {
        let kept = self.state.breakpoints.len();
        if kept > 0 {
            let told = format!("{kept} breakpoint(s) are set: info breakpoints shows them.");
            self.out.say(Role::Muted, told);
        }
    }

    /// The next line of whoever is to say it; `None` at the end.
    async fn next_line(&mut self) -> Option<Next> {
        if let Some(next) = self.waiting.pop_front() {
            return Some(next);
        }
        if self.editor.is_some() {
            return self.typed_line().await;
        }
        self.out.flush();
        loop {
            let pipe = self.pipe.as_mut()?;
            tokio::select! {
                biased;
                code = self.signals.next() => {
                    self.ending = Some(ReplEnd::Code(code));
                    return None;
                }
                events = self.events.next() => {
                    self.take(events?);
                    self.announce(false).await;
                    self.out.flush();
                }
                line = pipe.next() => return line,
            }
        }
    }

    /// A line of the person's, and the history with it.
    async fn typed_line(&mut self) -> Option<Next> {
        loop {
            let prompt = self.prompt();
            match self.read_line(prompt).await? {
                EditorInput::Line(text) => {
                    if !text.trim().is_empty() && self.history.last() != Some(&text) {
                        self.history.push(text.clone());
                        let skip = self.history.len().saturating_sub(editor::KEPT);
                        self.history.drain(..skip);
                        drop(self.core.request(Command::Remember {
                            key: MEMORY.to_owned(),
                            values: self.history.clone(),
                        }));
                    }
                    // Also an empty one is a line.
                    let text = if text.is_empty() {
                        " ".to_owned()
                    } else {
                        text
                    };
                    return Some(Next { text, origin: None });
                }
                EditorInput::Interrupt => {
                    if self.is_running() {
                        let asked = self.pause().await;
                        if let Err(failure) = asked {
                            self.tell(&failure);
                        }
                    }
                }
                EditorInput::End => {
                    self.out.line("");
                    return None;
                }
                EditorInput::Failed(why) => {
                    self.out
                        .error(None, &format!("the terminal cannot be read: {why}"), None);
                    self.ending = Some(ReplEnd::AsItWent);
                    return None;
                }
                EditorInput::Program(_) => {}
            }
        }
    }

    /// What the person answers behind `prompt`; what happens meanwhile is printed above it.
    pub async fn read_line(&mut self, prompt: String) -> Option<EditorInput> {
        self.out.typing(true);
        self.editor.as_mut()?.line(prompt);
        let typed = loop {
            let Some(editor) = &mut self.editor else {
                break None;
            };
            if editor.can_print()
                && let Some(text) = self.out.take_above()
            {
                editor.print_above(text);
            }
            tokio::select! {
                biased;
                code = self.signals.next() => match code {
                    // Typed a moment before the terminal was raw, or sent by hand.
                    codes::INTERRUPTED => self.pause_behind(),
                    code => {
                        self.ending = Some(ReplEnd::Code(code));
                        break None;
                    }
                },
                typed = editor.next() => match typed {
                    // Printed, or read for a program that does not run any more.
                    None | Some(EditorInput::Program(_)) => {}
                    other => break other,
                },
                events = self.events.next() => {
                    let Some(events) = events else { break None };
                    self.take(events);
                    if self.announce(false).await
                        && let Some(editor) = &self.editor
                    {
                        editor.behind_stopped();
                    }
                }
            }
        };
        self.out.typing(false);
        typed
    }

    /// Where one is, as short as it can be said.
    fn prompt(&self) -> String {
        let Some(session) = self.state.focused() else {
            return "omp-debug> ".to_owned();
        };
        match session.phase {
            Phase::Running => editor::RUNNING.to_owned(),
            Phase::Stopped => {
                let place = session.current_frame().map(|frame| {
                    let at = announce::place(frame);
                    let name = sanitise(&frame.name).into_owned();
                    format!("{at} {}> ", truncate(&name, 30).0)
                });
                place.unwrap_or_else(|| "(stopped) ".to_owned())
            }
            Phase::Initializing | Phase::Configured => "(starting) ".to_owned(),
            Phase::NotStarted | Phase::Terminated => "omp-debug> ".to_owned(),
        }
    }

    pub fn is_running(&self) -> bool {
        self.state.focused().is_some_and(|s| {
            matches!(
                s.phase,
                Phase::Running | Phase::Configured | Phase::Initializing
            )
        })
    }

    /// The session that is meant, when it stands still.
    pub fn stopped(&self) -> Result<&Session> {
        self.state
            .focused()
            .filter(|s| s.current_stop().is_some())
            .ok_or_else(|| {
                let begun = self.state.focused().filter(|s| !s.start_failed);
                let (text, hint) = match begun.map(|s| s.phase) {
                    Some(Phase::Running) => ("The program is running.", "pause or Ctrl-C stops it"),
                    Some(Phase::Terminated) => ("The program has ended.", "run starts it again"),
                    _ if self.options.launch.is_some() => (NO_PROGRAM, "run starts it"),
                    _ => (
                        NO_PROGRAM,
                        "attach PID, or begin again with omp-debug repl PROGRAM",
                    ),
                };
                DebuggerError {
                    hint: Some(hint.to_owned()),
                    ..DebuggerError::from(text)
                }
            })
    }

    /// Where the session that is meant stands, if it does.
    pub fn stop(&self) -> Option<&Stop> {
        self.state.focused()?.current_stop()
    }

    /// The newest stop of all sessions.
    pub fn newest_stop(&self) -> StopId {
        let stops = self.state.sessions.iter().filter_map(|s| s.stop.as_ref());
        stops.map(|s| s.id).max().unwrap_or_default()
    }

    /// Asks the core, and takes in what happens meanwhile: afterwards everything that led to the answer is known.
    pub async fn ask(&mut self, command: Command) -> Result<Reply> {
        self.moves.1 = matches!(command, Command::SetBreakpoint(_));
        let answer = self.core.request(command);
        let reply = self.await_answer(answer).await?;
        self.moves.1 = false;
        reply
    }

    /// Waits for an answer, and takes in what happens meanwhile.
    pub(super) async fn await_answer<T>(&mut self, answer: impl Future<Output = T>) -> Result<T> {
        let mut answer = pin!(answer);
        let reply = loop {
            tokio::select! {
                biased;
                reply = &mut answer => break reply,
                code = self.signals.next() => {
                    if code != codes::INTERRUPTED || self.editor.is_none() {
                        self.ending = Some(ReplEnd::Code(code));
                    }
                    return Err("Interrupted.".into());
                }
                events = self.events.next() => match events {
                    Some(events) => self.take(events),
                    None => break answer.await,
                },
            }
        };
        self.drain();
        Ok(reply)
    }

    /// Asks the adapter for something that it alone knows.
    pub async fn request<R: DapRequest>(
        &mut self,
        arguments: &R::Arguments,
    ) -> Result<R::Response> {
        let command = Command::request::<R>(None, arguments);
        self.ask(command).await?.answer::<R>()
    }

    /// Takes in what has happened until now.
    pub fn drain(&mut self) {
        while let Some(Some(events)) = self.events.next().now_or_never() {
            self.take(events);
        }
    }

    /// Takes in events: the state follows, output is printed; stops and ends are told by `announce`.
    pub fn take(&mut self, events: Vec<Event>) {
        for event in events {
            self.state.apply(&event);
            match &event.kind {
                EventKind::Message {
                    severity,
                    text,
                    hint,
                    ..
                } => {
                    let role = match severity {
                        Severity::Info => Role::Muted,
                        Severity::Warning => Role::Warning,
                        Severity::Error => Role::Error,
                    };
                    let more = hint.iter().flat_map(|h| h.lines());
                    for line in text.lines().chain(more) {
                        self.out.say(role, sanitise(line));
                    }
                }
                EventKind::BreakpointAnswered { .. } => self.say_moved(),
                EventKind::BreakpointNeverHit {
                    breakpoint,
                    why,
                    untold: true,
                } => {
                    let known = self.state.breakpoint(*breakpoint);
                    let label = known.map(Breakpoint::label).unwrap_or_default();
                    let told = format!("The breakpoint {label} was {why}.");
                    self.out.say(Role::Warning, sanitise(&told));
                }
                EventKind::Session { session, change } => match change {
                    Change::Output { chunks } => self.out.program(chunks),
                    Change::OutputLost { bytes } => self.out.lost(*bytes),
                    Change::Process { .. } => self.begun = true,
                    Change::Pending { requests } => self.say_late(*session, requests),
                    Change::Gone => {
                        self.gone.insert(*session);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Whether the debugger may end: a person is asked when that ends a program.
    pub async fn may_quit(&mut self) -> bool {
        let launched = self.state.live().any(|s| s.kind == StartKind::Launch);
        if self.ending.is_some() || !launched || self.editor.is_none() || self.origin.is_some() {
            return true;
        }
        let question = "The program is still there. End it and quit? (y or n) ".to_owned();
        match self.read_line(question).await {
            Some(EditorInput::Line(text)) => matches!(text.trim(), "y" | "Y" | "yes"),
            // A second Ctrl-D means it.
            Some(EditorInput::End | EditorInput::Failed(_)) | None => true,
            Some(EditorInput::Interrupt | EditorInput::Program(_)) => false,
        }
    }

    /// Ends sessions and core; a second signal does not wait.
    async fn end(mut self) -> u8 {
        self.out.typing(false);
        self.failed = self.has_failed();
        self.ended_by_us = true;
        for id in std::mem::take(&mut self.once) {
            drop(self.core.request(Command::RemoveBreakpoint { id }));
        }
        let mut done = Box::pin(self.core.request(Command::Shutdown));
        loop {
            tokio::select! {
                biased;
                _ = &mut done => break,
                _ = self.signals.next() => break,
                events = self.events.next() => match events {
                    Some(events) => self.take(events),
                    None => break,
                },
            }
        }
        self.drain();
        self.out.finish();
        match self.ending {
            Some(ReplEnd::Code(code)) => code,
            // A person has read what went wrong.
            _ if self.options.person => 0,
            _ if self.trouble != 0 => self.trouble,
            _ if self.failed => codes::PROGRAM_FAILED,
            _ => 0,
        }
    }
}
