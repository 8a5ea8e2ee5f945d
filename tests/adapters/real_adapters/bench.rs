//! A rig on a core of its own: what every scenario does with it, and waits for.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use omp_debug::dap::requests::DapRequest;
use omp_debug::dap::types::StackFrame;
use omp_debug::debugger::{
    BreakpointSpec, Change, Command, DebuggerError, Granularity, LaunchSpec, Page, Reply,
    SessionId, StepKind, Stop, VariablesFilter,
};

use super::rigs::Rig;
use crate::support::core::{Desk, Home, Outcome};
use crate::support::{line_of, procs, tools};

pub const PATIENCE: Duration = Duration::from_secs(15);

/// A rig, and a core that has no other.
pub struct Bench {
    /// Its column.
    pub name: &'static str,
    pub rig: Rig,
    pub home: Home,
    pub desk: Desk,
    /// The session that stopped last: with some adapters the program is not in the one that was launched.
    pub at: Option<SessionId>,
}

impl Bench {
    pub async fn open(name: &'static str, rig: Rig) -> Self {
        let home = Home::new();
        let mut config = home.config(Duration::from_secs(20));
        let env = Arc::make_mut(&mut config.context.env);
        if let Some(script) = tools::js_debug() {
            env.insert(
                "JS_DEBUG_DAP_SERVER".to_owned(),
                script.to_str().unwrap().to_owned(),
            );
        }
        if let Some(folder) = tools::codelldb().as_deref().and_then(Path::parent) {
            let path = env.get("PATH").cloned().unwrap_or_default();
            env.insert(
                "PATH".to_owned(),
                format!("{path}:{}", folder.to_str().unwrap()),
            );
        }
        let desk = Desk::open(config).await;
        Self {
            name,
            rig,
            home,
            desk,
            at: None,
        }
    }

    /// Ends what still lives; nothing may be left.
    pub async fn close(self) -> Outcome<()> {
        let Self { home, mut desk, .. } = self;
        desk.must("shutdown", PATIENCE, Command::Shutdown).await?;
        let check = omp_debug::tasks::blocking(move || {
            home.mark.assert_none_left(Duration::from_secs(10));
        });
        check.await.map_err(|error| desk.blame(error))
    }

    pub fn blame(&self, what: impl std::fmt::Display) -> String {
        self.desk.blame(what)
    }

    pub async fn ask(&self, what: &str, command: Command) -> Outcome<Result<Reply, DebuggerError>> {
        self.desk.ask(what, PATIENCE, command).await
    }

    pub async fn must(&mut self, what: &str, command: Command) -> Outcome<Reply> {
        self.desk.must(what, PATIENCE, command).await
    }

    /// What the adapter answers to a request that must succeed.
    pub async fn request<R: DapRequest>(
        &mut self,
        arguments: &R::Arguments,
    ) -> Outcome<R::Response> {
        let command = Command::request::<R>(self.at, arguments);
        let reply = self.must(R::COMMAND, command).await?;
        reply.answer::<R>().map_err(|error| error.to_string())
    }

    pub fn spec(&self, args: &[&str]) -> LaunchSpec {
        LaunchSpec {
            program: self.rig.program.clone(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            adapter: Some(self.rig.adapter.to_owned()),
            stop_on_entry: Some(false),
            ..LaunchSpec::default()
        }
    }

    pub async fn launch(&mut self, args: &[&str]) -> Outcome<SessionId> {
        let spec = self.spec(args);
        self.desk.launch(PATIENCE, spec).await
    }

    pub fn line(&self, mark: &str) -> i64 {
        i64::from(line_of(&self.rig.source, mark))
    }

    pub fn place(&self, mark: &str) -> BreakpointSpec {
        BreakpointSpec::line(&self.rig.source, self.line(mark))
    }

    pub async fn break_at(&mut self, mark: &str) -> Outcome<()> {
        let breakpoint = self.place(mark);
        self.set(breakpoint).await
    }

    pub async fn set(&mut self, breakpoint: BreakpointSpec) -> Outcome<()> {
        let command = Command::SetBreakpoint(breakpoint);
        self.must("a breakpoint", command).await.map(drop)
    }

    pub async fn no_breakpoints(&mut self) -> Outcome<()> {
        let command = Command::ClearBreakpoints;
        self.must("no breakpoints", command).await.map(drop)
    }

    /// Starts the program and waits for its stop at a mark.
    pub async fn launch_to(&mut self, mode: &str, mark: &str) -> Outcome<(SessionId, Stop)> {
        self.break_at(mark).await?;
        let session = self.launch(&[mode]).await?;
        let stop = self.stop(None).await?;
        self.stands_at(&stop, mark)?;
        Ok((session, stop))
    }

    /// Waits for the next stop after the given one, in whichever session, with its stack and scopes loaded.
    pub async fn stop(&mut self, after: Option<&Stop>) -> Outcome<Stop> {
        let after = after.map(|stop| stop.id);
        let found = self
            .desk
            .until("stop with a stack", PATIENCE, |desk| {
                desk.state.sessions.iter().find_map(|session| {
                    let stop = session
                        .current_stop()
                        .filter(|stop| Some(stop.id) > after)?;
                    let loaded = stop
                        .selected
                        .is_some_and(|at| stop.frames.contains_key(&at.frame_id));
                    (stop.trouble.is_some() || loaded).then(|| (session.id, stop.clone()))
                })
            })
            .await?;
        self.at = Some(found.0);
        Ok(found.1)
    }

    /// The frames of the thread that stopped, the innermost first.
    #[expect(clippy::unused_self, reason = "what a bench is asked of its stop")]
    pub fn frames<'s>(&self, stop: &'s Stop) -> &'s [StackFrame] {
        stop.selected
            .and_then(|at| stop.stacks.get(&at.thread_id))
            .map_or(&[], |stack| &stack.frames)
    }

    /// The line at which it stands.
    pub fn line_at(&self, stop: &Stop) -> Option<i64> {
        let at = stop.selected?;
        let mut frames = self.frames(stop).iter();
        frames
            .find(|frame| frame.id == at.frame_id)
            .map(|frame| frame.line)
    }

    /// It stands at the line with this mark.
    pub fn stands_at(&self, stop: &Stop, mark: &str) -> Outcome<()> {
        let (at, wanted) = (self.line_at(stop), self.line(mark));
        if at == Some(wanted) {
            return Ok(());
        }
        let why = format!("it stands at line {at:?}, not at {wanted} ({mark})");
        Err(self.blame(why))
    }

    pub fn stopped_for(&self, stop: &Stop, wanted: &str) -> Outcome<()> {
        if stop.reason.contains(wanted) {
            return Ok(());
        }
        let why = format!("it stopped for {:?}, not for {wanted:?}", stop.reason);
        Err(self.blame(why))
    }

    /// The innermost frame whose function has this word in its name.
    pub fn frame(&self, stop: &Stop, word: &str) -> Outcome<StackFrame> {
        let mut frames = self.frames(stop).iter();
        let found = frames.find(|frame| frame.name.to_lowercase().contains(word));
        found.cloned().ok_or_else(|| {
            let names: Vec<_> = self.frames(stop).iter().map(|f| &f.name).collect();
            self.blame(format!("no frame of {word:?} among {names:?}"))
        })
    }

    pub async fn resume(&mut self, how: Option<StepKind>) -> Outcome<()> {
        let (session, thread) = (self.at, None);
        let command = match how {
            None => Command::Continue { session, thread },
            Some(kind) => Command::Step {
                session,
                thread,
                kind,
                granularity: Granularity::Line,
            },
        };
        let what = format!("{command:?}");
        self.must(&what, command).await.map(drop)
    }

    /// Goes on, and waits for the next stop.
    pub async fn next(&mut self, stop: &Stop, how: Option<StepKind>) -> Outcome<Stop> {
        self.resume(how).await?;
        self.stop(Some(stop)).await
    }

    pub fn evaluation(&self, frame_id: Option<i64>, expression: &str) -> Command {
        Command::Evaluate {
            session: self.at,
            frame_id,
            expression: expression.to_owned(),
            context: "watch".to_owned(),
        }
    }

    pub async fn value_in(&mut self, frame: Option<i64>, expression: &str) -> Outcome<String> {
        let command = self.evaluation(frame, expression);
        match self.must(expression, command).await? {
            Reply::Value { value } => Ok(value.result),
            other => Err(format!("{expression} gave {other:?}")),
        }
    }

    pub async fn must_be(&mut self, expression: &str, wanted: &str) -> Outcome<()> {
        let value = self.value_in(None, expression).await?;
        if value == wanted {
            return Ok(());
        }
        let why = format!("{expression} is {value:?}, not {wanted:?}");
        Err(self.blame(why))
    }

    /// A page of the elements of something that was evaluated.
    pub async fn page(
        &mut self,
        stop: &Stop,
        reference: i64,
        page: Option<(i64, i64)>,
    ) -> Outcome<Vec<omp_debug::dap::types::Variable>> {
        let command = Command::Variables {
            session: self.at,
            stop: stop.id,
            reference,
            page: page.map(|(start, count)| Page {
                filter: VariablesFilter::Indexed,
                start,
                count,
            }),
        };
        match self.must("children", command).await? {
            Reply::Variables { variables } => Ok(variables),
            other => Err(format!("children are {other:?}")),
        }
    }

    pub async fn terminate(&mut self, session: SessionId) -> Outcome<()> {
        let command = Command::Terminate {
            session: Some(session),
        };
        self.must("terminate", command).await?;
        self.gone(session).await
    }

    /// No exit code is told of a program that was let go: with `ended` one that it was ended with may be, but no success.
    pub fn no_exit_code(&self, ended: bool) -> Outcome<()> {
        let mut codes = self.desk.state.sessions.iter().map(|s| s.exit_code);
        match codes.find(|code| code.is_some_and(|code| !ended || code == 0)) {
            Some(code) => Err(self.blame(format!("an exit code: {code:?}"))),
            None => Ok(()),
        }
    }

    /// The session is over, once.
    pub async fn gone(&mut self, session: SessionId) -> Outcome<()> {
        self.desk.gone(session, PATIENCE).await?;
        let ends = self
            .desk
            .count(session, |change| matches!(change, Change::Ended { .. }));
        let goings = self
            .desk
            .count(session, |change| matches!(change, Change::Gone));
        if (ends, goings) == (1, 1) {
            return Ok(());
        }
        Err(self.blame(format!("{ends} ends, {goings} goings")))
    }

    /// What the program printed, whichever of its sessions heard it.
    pub fn output(&self) -> String {
        output(&self.desk)
    }

    pub async fn printed(&mut self, wanted: &str) -> Outcome<()> {
        let what = format!("output {wanted:?}");
        let found = self
            .desk
            .until(&what, PATIENCE, |desk| {
                output(desk).contains(wanted).then_some(())
            })
            .await;
        found.map_err(|why| format!("printed was {:?}; {why}", self.output()))
    }

    /// The file in which the program counts.
    pub fn counter(&self) -> PathBuf {
        self.home.path().join("counter")
    }

    /// The program, to be started without a debugger.
    pub fn process(&self) -> std::process::Command {
        let mut command = match &self.rig.interpreter {
            Some(interpreter) => {
                let mut command = std::process::Command::new(interpreter);
                command.arg(&self.rig.program);
                command
            }
            None => std::process::Command::new(&self.rig.program),
        };
        let (mark, value) = self.home.mark.env();
        command.env(mark, value).stdin(Stdio::null());
        command
    }

    /// Starts the program by itself, counting.
    pub fn counting(&self) -> Child {
        let mut command = self.process();
        command.arg("count").arg(self.counter());
        // gdbserver halts a group, as a shell starts one.
        command.process_group(0).spawn().unwrap()
    }

    /// The program that counts, found by its mark: not every adapter tells its number.
    pub fn pid(&self) -> Outcome<u32> {
        let wanted = format!("count {}", self.counter().display());
        let marked = self.home.mark.processes();
        let name = self.rig.program.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        // An adapter may name it from where it runs. The last one: adapters have the program on their own command lines.
        let found = marked
            .iter()
            .filter(|process| process.command.contains(name) && process.command.ends_with(&wanted))
            .map(|process| process.pid)
            .max();
        found.ok_or_else(|| self.blame(format!("no process counts: {marked:#?}")))
    }
}

fn output(desk: &Desk) -> String {
    let sessions = desk.state.sessions.iter();
    sessions.map(|session| session.output.text()).collect()
}

/// Waits for the number in the file to change.
pub async fn counts(file: &Path) -> Outcome<()> {
    let file = file.to_owned();
    let waited = omp_debug::tasks::blocking(move || {
        let read = || std::fs::read_to_string(&file).unwrap_or_default();
        let (first, deadline) = (read(), Instant::now() + PATIENCE);
        loop {
            let now = read();
            if !now.is_empty() && now != first {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(format!("the program does not count on from {first:?}"));
            }
            // A file says nothing when it changes.
            std::thread::park_timeout(Duration::from_millis(2));
        }
    });
    waited.await.map_err(|error| error.to_string())?
}

/// The process counts on, and nobody traces it.
pub async fn lives_freed(pid: u32, counter: &Path) -> Outcome<()> {
    counts(counter)
        .await
        .map_err(|why| format!("{why}; {:?}", procs::look_up(pid)))?;
    match procs::status(pid, "TracerPid").as_deref() {
        Some("0") => Ok(()),
        other => Err(format!("the tracer of {pid} is {other:?}")),
    }
}
