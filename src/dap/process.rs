//! The adapter's process: its birth, its last words, its end.
//!
//! Every adapter leads a process group of its own, and usually runs under a supervisor (the program that
//! [`crate::supervise`] is) which ends the whole tree when our end of the control socket closes, even if we are
//! killed. The polite order of an end is: close our half and wait, tell the supervisor, `SIGTERM`, `SIGKILL`. A debugger
//! that works by ptrace is sent no signal while it is attached: the breakpoints it left in the debuggee would kill that
//! too, so it is left alone and its pid reported.

mod supervisor;

use std::{
    ffi::OsString,
    io,
    os::fd::OwnedFd,
    path::PathBuf,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use base::{stat::Stat, tasks};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use supervisor::Supervisor;
use tokio::{
    process::{Child, ChildStdout, Command},
    sync::{oneshot, watch},
    time::timeout,
};

pub use super::exit::Exit;
use super::{
    client::Shared,
    supervise::{self, Word, control_pair},
    transport::{AdapterSpec, ConnectError},
};

/// How long an adapter has for a polite end when its handle is simply dropped.
const DROP_GRACE: Duration = Duration::from_secs(2);
/// How long each harder step has before the next.
const STEP: Duration = Duration::from_secs(2);
/// What the supervisor needs to end a tree: `SIGTERM`, two seconds, `SIGKILL`, at most two more, and some air.
const SUPERVISOR_STEP: Duration = Duration::from_secs(5);

/// What has become of a process that was shut down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Departure {
    /// It is gone.
    Exited(Exit),
    /// It was left running, as killing it would kill what it is attached to.
    LeftRunning {
        /// Its process id, to be told to the user.
        pid: u32,
    },
}

/// A running adapter. Dropping it ends the adapter in the background; [`Self::shutdown`] says how that went.
#[derive(Debug)]
pub struct AdapterProcess {
    pid: u32,
    attached: Arc<AtomicBool>,
    ender: Ender,
    end: Option<oneshot::Sender<EndOrder>>,
    connection: Option<Arc<Shared>>,
    /// Holds its socket, and goes with it.
    pub(super) folder: Option<tempfile::TempDir>,
}

/// Which standard streams of a process are ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Streams {
    /// It is only listened to.
    Silent,
    /// The same, of the program itself: what it started may outlive it.
    Program,
    /// It is talked to on its standard input and output.
    Talks,
    /// The same, with its standard error in the pipe of its standard output.
    Merged,
}

/// Both output streams into one pipe, whose reading end this is.
fn merge_output(command: &mut Command) -> io::Result<ChildStdout> {
    let (reading, writing) = io::pipe()?;
    command.stdout(writing.try_clone()?).stderr(writing);
    ChildStdout::from_std(OwnedFd::from(reading).into())
}

/// The pipes of a process that has just started.
pub(super) struct Pipes {
    pub stdin: Option<tokio::process::ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<tokio::process::ChildStderr>,
}

/// Resolves when a process has ended, and how.
async fn ended(mut exit: watch::Receiver<Option<Exit>>) -> Exit {
    let seen = exit.wait_for(Option::is_some).await;
    seen.ok().and_then(|exit| *exit).unwrap_or_default()
}

/// Ends a process, and sees it end, for somebody who does not own it.
#[derive(Clone, Debug)]
pub struct Ender {
    group: Option<Pid>,
    supervisor: Option<Arc<Supervisor>>,
    exit: watch::Receiver<Option<Exit>>,
}

impl Ender {
    /// Of a process that leads its group and that somebody else reaps, and tells of.
    pub fn of_group(group: Pid, exit: watch::Receiver<Option<Exit>>) -> Self {
        Self {
            group: Some(group),
            supervisor: None,
            exit,
        }
    }

    /// Whether the process itself runs, and is neither gone nor only waits to be reaped.
    pub(super) fn runs(&self) -> bool {
        let started = self.supervisor.as_ref().and_then(|supervisor| {
            supervisor.hear();
            let pid = supervisor.started.load(Ordering::Relaxed);
            (pid != 0).then_some(pid)
        });
        let group = || self.group?.as_raw_nonzero().get().try_into().ok();
        let stat = started.or_else(group).and_then(Stat::of);
        stat.is_some_and(|stat| !matches!(stat.state, 'Z' | 'X'))
    }

    /// How it ended, once that is known.
    pub(super) fn watch(&self) -> watch::Receiver<Option<Exit>> {
        self.exit.clone()
    }

    /// Asks the process and all below it to end; a supervisor insists after two seconds. Does not wait.
    pub fn end(&self) {
        match (&self.supervisor, self.group) {
            (Some(supervisor), _) => supervisor.tell(Word::Terminate),
            // One that was reaped may have given its number to another.
            (None, Some(group)) if self.exit.borrow().is_none() => {
                kill_process_group(group, Signal::TERM).ok();
            }
            (None, _) => {}
        }
    }

    /// Resolves when the process has ended, whether or not others are left that came out of it.
    pub async fn ended(&mut self) -> Exit {
        let told = async {
            match &self.supervisor {
                Some(supervisor) => supervisor.told_end().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            exit = told => exit,
            exit = ended(self.exit.clone()) => exit,
        }
    }
}

/// The order to end, and whom to tell how it went.
#[derive(Debug)]
struct EndOrder {
    grace: Duration,
    done: oneshot::Sender<Departure>,
}

impl AdapterProcess {
    /// Starts `argv` as the specification says.
    pub(super) fn spawn(
        spec: &AdapterSpec,
        argv: &[String],
        streams: Streams,
    ) -> Result<(Self, Pipes), ConnectError> {
        let program = argv.first().ok_or_else(|| {
            let name = &spec.name;
            ConnectError::Other(format!(
                "DAP adapter {name} has no command; give one in its adapter entry"
            ))
        })?;
        if !spec.cwd.is_dir() {
            return Err(ConnectError::Other(format!(
                "cannot start `{program}`: its working directory `{}` does not exist; choose another one",
                spec.cwd.display()
            )));
        }
        let cannot_start = |error: io::Error| {
            ConnectError::Other(format!(
                "cannot start `{program}`: {error}; check that it is installed and executable"
            ))
        };
        let (mut command, supervisor) = if let Some(supervisor) = &spec.supervisor {
            find_program(program, spec).map_err(cannot_start)?;
            let (control, theirs) = control_pair().map_err(cannot_start)?;
            let stays = streams == Streams::Program;
            let options = [
                (supervise::STAYS, stays),
                (supervise::PTRACE, spec.ptrace && !stays),
                (supervise::ATTACHES, spec.attaches && !stays),
            ];
            let options = options.iter().filter(|(_, is_set)| *is_set);
            let command =
                supervise::command(supervisor, theirs, options.map(|(option, _)| *option), argv);
            let supervisor = Arc::new(Supervisor::new(control));
            (Command::from(command), Some(supervisor))
        } else {
            let mut command = Command::new(program);
            command.args(argv.get(1..).unwrap_or_default());
            (command, None)
        };
        command.current_dir(&spec.cwd).process_group(0);
        command.stdin(if matches!(streams, Streams::Silent | Streams::Program) {
            Stdio::null()
        } else {
            Stdio::piped()
        });
        let merged = match streams {
            Streams::Merged => {
                let merged = merge_output(&mut command);
                Some(merged.map_err(cannot_start)?)
            }
            Streams::Silent | Streams::Program | Streams::Talks => {
                command.stdout(Stdio::piped()).stderr(Stdio::piped());
                None
            }
        };
        for (name, value) in &spec.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let mut child = command.spawn().map_err(cannot_start)?;
        // It holds the writing end of a merged pipe, which would never end.
        drop(command);
        let pipes = Pipes {
            stdin: child.stdin.take(),
            stdout: merged.or_else(|| child.stdout.take()),
            stderr: child.stderr.take(),
        };
        let pid = child.id().unwrap_or_default();
        let attached = Arc::new(AtomicBool::new(false));
        let (exit_sender, exit) = watch::channel(None);
        let (end, end_order) = oneshot::channel();
        let group = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let guard = Guard {
            group,
            ptrace: spec.ptrace,
            attached: Arc::clone(&attached),
            reaped: false,
            supervised: supervisor.is_some(),
        };
        let keeper = Keeper {
            child,
            guard,
            exit: exit_sender,
            supervisor: supervisor.clone(),
        };
        tasks::spawn(keeper.run(end_order));
        Ok((
            Self {
                pid,
                attached,
                ender: Ender {
                    group,
                    supervisor,
                    exit,
                },
                end: Some(end),
                connection: None,
                folder: None,
            },
            pipes,
        ))
    }

    /// The adapter's process id; in the first moments its supervisor's.
    pub fn pid(&self) -> u32 {
        self.ender
            .supervisor
            .as_ref()
            .map(|supervisor| {
                supervisor.hear();
                supervisor.started.load(Ordering::Relaxed)
            })
            .filter(|pid| *pid != 0)
            .unwrap_or(self.pid)
    }

    /// What the program has left that has ended: processes that run on, with their names.
    pub fn left(&self) -> impl Future<Output = Vec<(Pid, String)>> + Send + use<> {
        let adapter = self.ender.supervisor.is_some().then(|| self.pid());
        async move {
            let Some(adapter) = adapter else {
                return Vec::new();
            };
            let left = tasks::blocking(move || supervise::left_beside(adapter));
            left.await.unwrap_or_default()
        }
    }

    /// Says whether the adapter is attached to a program that is not ours to end; the supervisor is told.
    pub fn set_attached(&self, attached: bool) {
        self.attached.store(attached, Ordering::Relaxed);
        self.tell(if attached {
            Word::Attached
        } else {
            Word::Launched
        });
    }

    /// Says that the program the adapter started is let go, and must outlive both; the supervisor is told.
    pub fn set_detached(&self) {
        self.attached.store(true, Ordering::Relaxed);
        self.tell(Word::Detached);
    }

    /// Says that the program goes on and may start others; the supervisor is told.
    pub fn look(&self) {
        self.tell(Word::Look);
    }

    fn tell(&self, word: Word) {
        if let Some(supervisor) = &self.ender.supervisor {
            supervisor.tell(word);
        }
    }

    /// Resolves when the process has ended.
    pub fn exited(&self) -> impl Future<Output = Exit> + Send + use<> {
        ended(self.ender.watch())
    }

    /// What ends this process from elsewhere.
    pub(super) fn ender(&self) -> Ender {
        self.ender.clone()
    }

    /// How the process ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        *self.ender.exit.borrow()
    }

    /// Ends the adapter: closes our half, gives it `grace` to leave, then insists.
    pub async fn shutdown(mut self, grace: Duration) -> Departure {
        let (done, departure) = oneshot::channel();
        if let Some(connection) = self.connection.take() {
            connection.close();
        }
        if let Some(end) = self.end.take() {
            drop(end.send(EndOrder { grace, done }));
        }
        match departure.await {
            Ok(departure) => departure,
            Err(_) => self
                .exit()
                .map_or(Departure::LeftRunning { pid: self.pid }, Departure::Exited),
        }
    }

    /// Ties our half of the connection to this process, so that ending the one closes the other.
    pub(super) fn tie(&mut self, connection: Arc<Shared>) {
        self.connection = Some(connection);
    }
}

impl Drop for AdapterProcess {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.close();
        }
    }
}

/// Checks that a program can be started, as the supervisor that starts it could only say so on standard error.
fn find_program(program: &str, spec: &AdapterSpec) -> io::Result<()> {
    let runs = |path: PathBuf| -> io::Result<()> {
        if path.is_dir() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(rustix::fs::access(path, rustix::fs::Access::EXEC_OK)?)
    };
    if program.contains('/') {
        return runs(spec.cwd.join(program));
    }
    let changed = spec.env.iter().rev().find(|(name, _)| name == "PATH");
    let path = match changed {
        Some((_, path)) => path.clone().map(OsString::from),
        None => std::env::var_os("PATH"),
    };
    let path = path.unwrap_or_else(|| "/usr/local/bin:/bin:/usr/bin".into());
    let found = std::env::split_paths(&path)
        .any(|directory| runs(spec.cwd.join(directory).join(program)).is_ok());
    if found {
        Ok(())
    } else {
        Err(rustix::io::Errno::NOENT.into())
    }
}

/// Sends signals to the adapter's group, and does not leave it behind when the runtime goes away.
struct Guard {
    group: Option<Pid>,
    ptrace: bool,
    attached: Arc<AtomicBool>,
    reaped: bool,
    /// Then the supervisor sees to everything as soon as its control connection closes.
    supervised: bool,
}

impl Guard {
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // A group without members is what is wanted.
            kill_process_group(group, signal).ok();
        }
    }

    fn has_members(&self) -> bool {
        self.group
            .is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    fn is_attached(&self) -> bool {
        self.attached.load(Ordering::Relaxed)
    }

    fn may_kill(&self) -> bool {
        !(self.ptrace && self.is_attached())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.reaped && !self.supervised && self.may_kill() {
            self.signal(Signal::KILL);
        }
    }
}

/// Waits for the process on its own task, so that it is reaped whoever still cares, and ends it on order.
struct Keeper {
    child: Child,
    guard: Guard,
    exit: watch::Sender<Option<Exit>>,
    supervisor: Option<Arc<Supervisor>>,
}

impl Keeper {
    async fn run(mut self, mut order: oneshot::Receiver<EndOrder>) {
        let order = tokio::select! {
            () = self.reap() => {
                // What the adapter left behind is dealt with when the session says that it is over. A group that is
                // empty now is never touched again: its number may be given to others.
                if !self.guard.has_members() {
                    self.guard.group = None;
                }
                order.await.ok()
            }
            order = &mut order => order.ok(),
        };
        let (grace, done) =
            order.map_or((DROP_GRACE, None), |order| (order.grace, Some(order.done)));
        let departure = self.end(grace).await;
        if let Some(done) = done {
            drop(done.send(departure));
        }
    }

    async fn reap(&mut self) {
        let exit = match self.child.wait().await {
            Ok(status) => Exit::from(status),
            Err(error) => {
                tracing::warn!(%error, "the adapter's exit code is lost");
                Exit::default()
            }
        };
        self.guard.reaped = true;
        self.exit.send_replace(Some(exit));
    }

    /// Whether the process has ended, waiting for it a while.
    async fn ends_within(&mut self, limit: Duration) -> bool {
        self.guard.reaped || timeout(limit, self.reap()).await.is_ok()
    }

    async fn end(mut self, grace: Duration) -> Departure {
        let gone = self.ends_within(grace).await || self.insist().await;
        if !gone {
            let pid = self.child.id().unwrap_or_default();
            tracing::warn!(
                pid,
                "an attached debugger does not leave; it is left running"
            );
            let exit = self.exit;
            // Reaping goes on, so that it does not become a zombie when it leaves after all.
            let mut child = self.child;
            self.guard.reaped = true;
            tasks::spawn(async move {
                if let Ok(status) = child.wait().await {
                    exit.send_replace(Some(status.into()));
                }
            });
            return Departure::LeftRunning { pid };
        }
        if !self.guard.is_attached() && self.guard.has_members() {
            self.guard.signal(Signal::TERM);
            self.guard.signal(Signal::KILL);
        }
        if let Some(supervisor) = &self.supervisor {
            supervisor.hear();
            let pid = supervisor.left.load(Ordering::Relaxed);
            if pid != 0 {
                return Departure::LeftRunning { pid };
            }
        }
        let exit = *self.exit.borrow();
        Departure::Exited(exit.unwrap_or_default())
    }

    /// The harder steps, each with its time.
    async fn insist(&mut self) -> bool {
        if let Some(supervisor) = self.supervisor.clone() {
            supervisor.tell(Word::Terminate);
            if self.ends_within(SUPERVISOR_STEP).await {
                return true;
            }
        }
        if !self.guard.may_kill() {
            return false;
        }
        self.guard.signal(Signal::TERM);
        if self.ends_within(STEP).await {
            return true;
        }
        self.guard.signal(Signal::KILL);
        self.reap().await;
        true
    }
}
