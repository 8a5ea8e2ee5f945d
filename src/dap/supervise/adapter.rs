//! One adapter, watched: `--supervise`.
//!
//! The adapter gets our standard streams and its own session. We wait for three things at once:
//! its end, an order or an end of file on the control descriptor, and a deadline. As the
//! sub-reaper of everything below, we see daemons that forked away from their adapter too.
//!
//! What happens when (D is the grace the adapter has to end by itself):
//!
//! | event | what we do |
//! |---|---|
//! | adapter ended | TERM what it left, 2 s, KILL; exit as the adapter did. With `--stays` what it left goes on until we are told, or alone |
//! | control closed | D, then TERM everything, 2 s, KILL |
//! | `T`, or SIGTERM | TERM everything, 2 s, KILL |
//! | `A` / `L` | the session is attached / launched (launched until told, or `--attaches`) |
//! | `D` | the program is let go: as `A`, and only the adapter itself is ever ended |
//! | `S`, or any other word | who is below us is looked up soon, see [`Watch::arm`] |
//! | we are killed | the kernel kills what was launched ([`Switch`]) |
//!
//! An adapter that traces (`--ptrace`) a program that it did not start (`A`) gets no signal, and
//! nor does a process below any adapter that traces such a program: the breakpoint bytes that they
//! left in it, or the call that they make in it (gdb, which brings debugpy into a Python), would
//! kill it; with the latter the adapter is spared, too, which that call waits for. TERM is as hard
//! as KILL there, handled or not: LLDB's handler and that of Go's runtime end the process on the
//! spot. After the grace it is left alone and reported.

use std::{
    collections::HashSet,
    ffi::OsString,
    io::{self, Write as _},
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::{net::UnixStream, process::CommandExt as _},
    },
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{
        Pid, Signal, WaitOptions, WaitStatus, kill_process_group, set_child_subreaper,
        set_parent_process_death_signal, setsid,
    },
};

use super::{
    EXIT_LEFT, TERM_GRACE, Word, complain,
    control::read_control,
    let_go_of_streams,
    signals::{self, Signals},
    switch::Switch,
    tree::{self, Process},
};

/// What `--supervise` was given.
pub struct Request {
    pub control: UnixStream,
    /// The adapter traces its debuggee with ptrace, and cleans up when its input closes.
    pub ptrace: bool,
    /// The session attaches: its debuggee must outlive the adapter.
    pub attaches: bool,
    /// No adapter but what a person started in a terminal: it stays in the session, and in the group that gets Ctrl-C.
    pub in_terminal: bool,
    /// No adapter but the program itself, whose processes may outlive their first.
    pub stays: bool,
    /// The adapter's command line; never empty.
    pub argv: Vec<OsString>,
}

/// How long an adapter may take to end by itself once nobody holds its input.
fn grace(ptrace: bool, attached: bool) -> Duration {
    match (ptrace, attached) {
        (false, false) => Duration::from_millis(400),
        (true, false) => Duration::from_secs(2),
        // Lifting breakpoints from a busy program takes its time, and so does coming out of it: it must not be cut short.
        (_, true) => Duration::from_secs(5),
    }
}

/// How soon, and how rarely at last, it is looked up who has come in below us.
const FIRST_LOOK: Duration = Duration::from_millis(50);
const LAST_LOOK: Duration = Duration::from_millis(6400);
/// From this pause on, a program that stands still is looked for as rarely as can be.
const SETTLED: Duration = Duration::from_millis(800);

/// Starts the adapter and stays until nothing below us is left.
pub fn run(request: &Request) -> ExitCode {
    // A transport that led its own group already gave us one: then there is nothing to detach.
    if !request.in_terminal {
        let _ = setsid();
    }
    // Inherited from a careful parent, it would fire when the parent's THREAD ends.
    let _ = set_parent_process_death_signal(None);
    signals::ignore_the_terminal();
    let started = set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(io::Error::from)
        .and_then(|()| Signals::new());
    let signals = match started {
        Ok(signals) => signals,
        Err(error) => {
            complain(&format_args!("cannot watch over processes: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let Some(first) = read_control(&request.control) else {
        // Whoever asked for the adapter is gone before it was started.
        return ExitCode::SUCCESS;
    };
    let held = if request.attaches {
        held_pipes()
    } else {
        Vec::new()
    };
    let adapter = match spawn(request) {
        Ok(pid) => pid,
        Err(error) => {
            let program = request.argv.first().cloned().unwrap_or_default();
            complain(&format_args!("cannot start {}: {error}", program.display()));
            let errno = error.raw_os_error().unwrap_or(0);
            report(&request.control, &format!("failed {errno}"));
            let missing = error.kind() == io::ErrorKind::NotFound;
            return ExitCode::from(if missing { 127 } else { 126 });
        }
    };
    report(
        &request.control,
        &format!("started {}", adapter.as_raw_nonzero()),
    );
    let let_go = let_go_of_streams();
    // Not to pin whatever directory or mount the adapter was started in.
    let _ = std::env::set_current_dir("/");
    let mut watch = Watch {
        adapter,
        ended: None,
        ptrace: request.ptrace,
        attached: request.attaches,
        detached: false,
        stays: request.stays,
        phase: Phase::Running,
        told: HashSet::new(),
        // What a person started gets TERM alone, as it may have a terminal to restore.
        switch: (!request.in_terminal)
            .then(Switch::new)
            .and_then(Result::ok),
        look: Instant::now(),
        pause: FIRST_LOOK,
    };
    watch.obey(Some(first));
    if let_go.is_err() {
        // Holding its streams open would make every wait for their end hang.
        watch.end_tree();
    }
    watch.until_alone(&request.control, &signals);
    // Whatever is there now may stay.
    watch.switch = None;
    if watch.ended.is_none() {
        report(
            &request.control,
            &format!("left {}", adapter.as_raw_nonzero()),
        );
    }
    drop(held);
    watch.exit()
}

/// The reading ends of the pipes that the adapter writes to, opened once more and never read, for us and for the adapter itself.
///
/// When omp-debug dies, or we with it, a last word of the adapter must not meet a closed pipe: that would end it (some runtimes insist on
/// it, however the signal is disposed) before it has lifted its breakpoints, and the program it holds would die of them.
fn held_pipes() -> Vec<OwnedFd> {
    use rustix::fs::{FileType, Mode, OFlags, fstat, open};
    ["/proc/self/fd/1", "/proc/self/fd/2"]
        .into_iter()
        .filter_map(|path| {
            open(
                path,
                // Inherited by the adapter.
                OFlags::RDONLY | OFlags::NONBLOCK,
                Mode::empty(),
            )
            .ok()
        })
        .filter(|fd| {
            fstat(fd).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Fifo)
        })
        .collect()
}

fn spawn(request: &Request) -> io::Result<Pid> {
    let (ptrace, in_terminal) = (request.ptrace, request.in_terminal);
    let (program, arguments) = request
        .argv
        .split_first()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let supervisor = rustix::process::getpid();
    let mut command = Command::new(program);
    command.args(arguments);
    let prepare = move || {
        if !in_terminal {
            setsid()?;
        }
        if !ptrace {
            // Should we be killed, the adapter ends too. Not one that traces: TERM without a
            // handler is as hard as KILL for the program it traces, and it notices that its input
            // closed anyway.
            set_parent_process_death_signal(Some(Signal::TERM))?;
            if rustix::process::getppid() != Some(supervisor) {
                return Err(io::Error::from(io::ErrorKind::BrokenPipe));
            }
        }
        signals::reset_in_child();
        Ok(())
    };
    #[expect(
        unsafe_code,
        reason = "sessions and death signals are set between fork and exec"
    )]
    // SAFETY: the closure only makes system calls that are async-signal-safe, allocates nothing,
    // and this process has one thread, so no lock can be held across the fork.
    unsafe {
        command.pre_exec(prepare);
    }
    let child = command.spawn()?;
    // `Child` neither kills nor waits when dropped: waiting is done for all children at once.
    Pid::from_raw(child.id().cast_signed()).ok_or_else(|| io::Error::other("process number 0"))
}

enum Phase {
    /// The adapter runs, and omp-debug is there.
    Running,
    /// Nobody holds the adapter's input any more: it may end by itself until then.
    Letting(Instant),
    /// Everything has been sent TERM.
    Ending(Instant),
    /// Everything is sent KILL, as often as something new appears.
    Killing(Instant),
}

struct Watch {
    adapter: Pid,
    ended: Option<WaitStatus>,
    ptrace: bool,
    attached: bool,
    /// What the adapter started lives on without it.
    detached: bool,
    /// What the adapter started goes on when it has ended.
    stays: bool,
    phase: Phase,
    /// Who was sent TERM already.
    told: HashSet<Process>,
    /// Ends what was launched when we are killed; `None` where the system has no such thing.
    switch: Option<Switch>,
    /// When it is armed anew, and after what time again.
    look: Instant,
    pause: Duration,
}

impl Watch {
    /// Waits until no child is left, or only what must be left alone.
    fn until_alone(&mut self, control: &UnixStream, signals: &Signals) {
        let mut listening = true;
        loop {
            let had_ended = self.ended.is_some();
            let alone = self.reap();
            self.report_end(control, had_ended);
            if alone || (self.detached && self.ended.is_some()) {
                return;
            }
            match self.phase {
                Phase::Running if self.stays => {}
                Phase::Running | Phase::Letting(_) if self.ended.is_some() => self.end_tree(),
                Phase::Letting(until) if Instant::now() >= until => self.end_tree(),
                Phase::Ending(until) if Instant::now() >= until => {
                    self.phase = Phase::Killing(Instant::now() + TERM_GRACE);
                    if !self.kill_rest() {
                        return;
                    }
                }
                // Processes forked by a child that was ended meanwhile.
                Phase::Ending(_) => self.terminate_rest(),
                Phase::Killing(until) => {
                    if Instant::now() >= until || !self.kill_rest() {
                        return;
                    }
                }
                Phase::Running | Phase::Letting(_) => {}
            }
            self.arm();
            self.wait(listening.then_some(control), signals);
            if signals.take() {
                self.end_tree();
            }
            if listening {
                listening = self.obey(read_control(control));
            }
        }
    }

    /// Sleeps until a signal, a control byte, or the phase's deadline.
    fn wait(&self, control: Option<&UnixStream>, signals: &Signals) {
        let timeout = match self.phase {
            Phase::Running if self.attached || self.switch.is_none() => None,
            Phase::Running => left_until(self.look),
            Phase::Letting(until) | Phase::Ending(until) | Phase::Killing(until) => {
                left_until(until)
            }
        };
        let mut fds = vec![PollFd::from_borrowed_fd(signals.fd(), PollFlags::IN)];
        if let Some(control) = control {
            fds.push(PollFd::from_borrowed_fd(control.as_fd(), PollFlags::IN));
        }
        // An error here is an interruption, and the caller looks at everything anyway.
        let _ = poll(&mut fds, timeout.as_ref());
    }

    /// Sees to it that what was launched ends with us even if we are killed. Who joins or founds a group is found by looking:
    /// soon after something has happened, ever more rarely when nothing does.
    fn arm(&mut self) {
        let Some(switch) = &mut self.switch else {
            return;
        };
        if self.attached {
            return switch.disarm();
        }
        if Instant::now() < self.look {
            return;
        }
        let began = Instant::now();
        let mut stands = false;
        if let Ok(mut tree) = tree::descendants(own_pid()) {
            // A debugger that traces ends by itself when its input closes, and takes its program along; ended hard it might
            // let go of a program that is not known here yet.
            tree.retain(|process| !self.ptrace || process.is_traced());
            switch.arm(&tree);
            stands = !tree.is_empty() && tree.iter().all(|process| process.is_stopped());
        }
        // A program that has stood still for a while starts nobody; we are told when it goes on, but not of each step.
        if stands && self.pause >= SETTLED {
            self.pause = LAST_LOOK;
        }
        // At most a hundredth of the time is spent on it, however many processes there are.
        self.pause = (self.pause * 2).min(LAST_LOOK).max(began.elapsed() * 100);
        self.look = Instant::now() + self.pause;
    }

    /// Follows control bytes; false when there will be no more.
    fn obey(&mut self, bytes: Option<Vec<u8>>) -> bool {
        let Some(bytes) = bytes else {
            if matches!(self.phase, Phase::Running) {
                let until = Instant::now() + grace(self.ptrace, self.attached);
                self.phase = Phase::Letting(until);
            }
            return false;
        };
        if !bytes.is_empty() {
            self.pause = FIRST_LOOK;
            self.look = self.look.min(Instant::now() + self.pause);
        }
        for byte in bytes {
            match Word::read(byte) {
                Some(Word::Launched) => self.attached = false,
                Some(Word::Attached) => self.attached = true,
                Some(Word::Detached) => (self.attached, self.detached) = (true, true),
                Some(Word::Terminate) => self.end_tree(),
                // A newer omp-debug may know more words; none of them may end anything.
                Some(Word::Look) | None => {}
            }
        }
        true
    }

    /// Takes the remains of every child that ended; true when there is no child any more.
    fn reap(&mut self) -> bool {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.adapter => self.ended = Some(status),
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => return false,
                // ECHILD: nobody is left.
                Err(_) => return true,
            }
        }
    }

    fn report_end(&self, control: &UnixStream, had_ended: bool) {
        let Some(status) = self.ended.filter(|_| !had_ended) else {
            return;
        };
        let line = if let Some(signal) = status.terminating_signal() {
            format!("ended signal {signal}")
        } else {
            format!("ended exit {}", status.exit_status().unwrap_or(0))
        };
        report(control, &line);
    }

    /// Asks everything below us to end, once; what is being ended already goes on.
    fn end_tree(&mut self) {
        if matches!(self.phase, Phase::Running | Phase::Letting(_)) {
            self.phase = Phase::Ending(Instant::now() + TERM_GRACE);
            self.terminate_rest();
        }
    }

    fn terminate_rest(&mut self) {
        let Ok(tree) = tree::descendants(own_pid()) else {
            self.signal_group(Signal::TERM);
            return;
        };
        let spared = self.spared(&tree);
        for process in self.ours(tree) {
            if !spared.contains(&process.pid) && self.told.insert(process) {
                process.signal(Signal::TERM);
                // A stopped process sees TERM only once it runs again.
                process.signal(Signal::CONT);
            }
        }
    }

    /// Ends hard whoever may be ended; false when only the spared are left.
    fn kill_rest(&self) -> bool {
        let Ok(tree) = tree::descendants(own_pid()) else {
            self.signal_group(Signal::KILL);
            return !self.spares_adapter();
        };
        let spared = self.spared(&tree);
        let mut someone = false;
        for process in self.ours(tree) {
            if !spared.contains(&process.pid) {
                someone = true;
                process.signal(Signal::KILL);
            }
        }
        someone
    }

    /// Which processes of the tree may be ended at all.
    fn ours(&self, mut tree: Vec<Process>) -> Vec<Process> {
        let adapter = self.adapter.as_raw_nonzero().get();
        tree.retain(|process| !self.detached || process.pid == adapter);
        tree
    }

    fn spares_adapter(&self) -> bool {
        self.ptrace && self.attached && self.ended.is_none()
    }

    /// Who gets no signal: see the module's comment.
    fn spared(&self, tree: &[Process]) -> HashSet<i32> {
        if !self.attached {
            return HashSet::new();
        }
        let mut spared = tree::tracers_of_strangers(tree);
        // Whoever brings an adapter's part into a program waits for the adapter.
        if self.spares_adapter() || !spared.is_empty() {
            spared.insert(self.adapter.as_raw_nonzero().get());
        }
        spared
    }

    /// Without `/proc` the adapter's own process group is all that is known.
    fn signal_group(&self, signal: Signal) {
        if !self.spares_adapter() && !self.detached {
            let _ = kill_process_group(self.adapter, signal);
        }
    }

    /// Ends this process as the adapter ended.
    fn exit(&self) -> ExitCode {
        let Some(status) = self.ended else {
            return ExitCode::from(EXIT_LEFT);
        };
        if let Some(signal) = status.terminating_signal() {
            signals::die_by(signal);
        }
        let code = status.exit_status().unwrap_or(1);
        ExitCode::from(u8::try_from(code).unwrap_or(1))
    }
}

/// Tells omp-debug, in one write, so that a line is never seen in halves.
fn report(mut control: &UnixStream, line: &str) {
    // A courtesy: a transport that is gone or does not read loses nothing that it needs.
    let _ = control.write_all(format!("{line}\n").as_bytes());
}

/// A millisecond more, so that the moment has passed when poll returns.
fn left_until(moment: Instant) -> Option<Timespec> {
    let left = moment.saturating_duration_since(Instant::now());
    Timespec::try_from(left + Duration::from_millis(1)).ok()
}

fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}
