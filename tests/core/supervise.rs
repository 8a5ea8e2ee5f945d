//! Supervisors with real processes: trees that resist, parents that are killed, terminals that are
//! left raw.

use crate::support;

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use omp_debug::dap::supervise::{Control, PTRACE, Report, Word, command, control_pair};
use rustix::process::Signal;
use support::procs::{self, Mark, Watchdog};
use support::{pty, tools};

const LIMIT: Duration = Duration::from_mins(1);
const PATIENCE: Duration = Duration::from_secs(10);

/// An adapter with a family: a child that ignores TERM, a daemon that forked away twice, and
/// itself deaf to the end of its input. It prints `up` when all of them are there.
const FAMILY: &str = r#"
import os, signal, sys, time
ready, tell = os.pipe()
def become(name):
    os.write(tell, b"x")
    while True: signal.pause()
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    become("stubborn")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: become("daemon")
    os._exit(0)
os.read(ready, 1); os.read(ready, 1)
print("up", flush=True)
if "leave" in sys.argv: os._exit(5)
if "stop" in sys.argv: os.kill(os.getpid(), signal.SIGSTOP)
while True: signal.pause()
"#;

/// A tracing adapter that has its own idea of TERM.
const TRACER: &str = r#"
import os, signal, sys
if "handles" in sys.argv: signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
print("up", flush=True)
while True: signal.pause()
"#;

/// Plays omp-debug: starts a supervisor, says that it did, and waits to be killed.
const PARENT: &str = r#"
import signal, socket, subprocess, sys
ours, theirs = socket.socketpair()
supervisor, order, argv = sys.argv[1], sys.argv[2], sys.argv[3:]
subprocess.Popen([supervisor, "--supervise", "--control-fd", str(theirs.fileno()), "--", *argv],
                 stdin=subprocess.PIPE, pass_fds=[theirs.fileno()])
theirs.close()
ours.send(order.encode())
while True: signal.pause()
"#;

/// Traces a process by a server below it, as LLDB does; the server ends at TERM, by a handler of its own.
const TRACED_BELOW: &str = r#"
import ctypes, os, signal, sys
server = os.fork()
if server == 0:
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(3))
    libc = ctypes.CDLL(None, use_errno=True)
    PTRACE_SEIZE = 0x4206
    if libc.ptrace(PTRACE_SEIZE, int(sys.argv[1]), None, None) != 0: sys.exit(os.strerror(ctypes.get_errno()))
    print("up\n%d" % os.getpid(), flush=True)
while True: signal.pause()
"#;

struct Supervised {
    child: Child,
    control: Option<Control>,
    mark: Mark,
    started: u32,
    /// Reports that came with the first one.
    heard: Vec<Report>,
}

impl Supervised {
    fn start(ptrace: bool, argv: &[&str]) -> Self {
        let mark = Mark::new();
        let (mut control, theirs) = control_pair().unwrap();
        let mut command = command(&tools::supervisor(), theirs, ptrace.then_some(PTRACE), argv);
        let (name, value) = mark.env();
        let child = command
            .env(name, value)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(command);
        let began = Instant::now();
        let mut heard = control.reports();
        while heard.is_empty() && began.elapsed() < PATIENCE {
            procs::wait_readable(&control.watched().unwrap(), PATIENCE);
            heard = control.reports();
        }
        let started = match heard.first() {
            Some(Report::Started(pid)) => *pid,
            other => panic!("the supervisor says {other:?}"),
        };
        heard.remove(0);
        Self {
            child,
            control: Some(control),
            mark,
            started,
            heard,
        }
    }

    fn python(ptrace: bool, script: &str, arguments: &[&str]) -> Self {
        let python = tools::python().expect("python3");
        let mut argv = vec![python.to_str().unwrap(), "-c", script];
        argv.extend(arguments);
        let mut supervised = Self::start(ptrace, &argv);
        assert_eq!(supervised.line(), "up\n");
        supervised
    }

    fn control(&mut self) -> &mut Control {
        self.control.as_mut().unwrap()
    }

    /// Every report after the first.
    fn reports(&mut self) -> Vec<Report> {
        let newer = self.control().reports();
        self.heard.extend(newer);
        std::mem::take(&mut self.heard)
    }

    /// One line of the adapter's output.
    fn line(&mut self) -> String {
        let mut line = String::new();
        let stdout = self.child.stdout.as_mut().unwrap();
        BufReader::with_capacity(1, stdout)
            .read_line(&mut line)
            .unwrap();
        line
    }

    /// Waits for the supervisor itself.
    fn wait(&mut self) -> std::process::ExitStatus {
        assert!(
            procs::wait_exit(self.child.id(), PATIENCE),
            "the supervisor has not ended"
        );
        self.child.wait().unwrap()
    }

    fn assert_all_gone(&mut self) {
        self.wait();
        self.mark.assert_none_left(Duration::ZERO);
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.mark.kill_all();
        let _ = self.child.wait();
    }
}

#[test]
fn a_supervisor_ends_as_its_adapter_ended() {
    let _dog = Watchdog::new("ends as its adapter", LIMIT);
    for code in [0, 3, 255] {
        let mut run = Supervised::start(false, &["sh", "-c", &format!("exit {code}")]);
        assert_eq!(run.wait().code(), Some(code));
        assert_eq!(run.reports(), [Report::Exited(code)]);
    }
    for signal in [libc::SIGSEGV, libc::SIGKILL, libc::SIGINT] {
        let mut run = Supervised::start(false, &["sh", "-c", &format!("kill -{signal} $$")]);
        assert_eq!(run.wait().signal(), Some(signal));
        assert_eq!(run.reports(), [Report::Signalled(signal)]);
    }
}

#[test]
fn a_missing_adapter_is_named() {
    let (mut control, theirs) = control_pair().unwrap();
    let output = command(&tools::supervisor(), theirs, [], ["/nowhere/adapter"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(127));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("/nowhere/adapter") && text.contains("No such file"),
        "{text}"
    );
    assert_eq!(control.reports(), [Report::Failed(libc::ENOENT)]);
}

#[test]
fn the_adapter_gets_clean_signals_and_the_end_of_its_streams_is_seen() {
    let _dog = Watchdog::new("clean signals", LIMIT);
    let script = "import os, signal, sys, time
print(os.getsid(0) != os.getsid(os.getppid()) and os.getsid(0) == os.getpid(), flush=True)
print(int(open('/proc/self/status').read().split('SigIgn:')[1].split()[0], 16) & 0x600003, flush=True)
print(int(open('/proc/self/status').read().split('SigBlk:')[1].split()[0], 16), flush=True)
for fd in os.listdir('/proc/self/fd'):
    if int(fd) > 2 and os.path.exists('/proc/self/fd/' + fd): print(os.readlink('/proc/self/fd/' + fd), flush=True)
os.close(0); os.close(1); os.close(2)
while True: signal.pause()";
    let python = tools::python().unwrap();
    let mut run = Supervised::start(false, &[python.to_str().unwrap(), "-c", script]);
    let mut text = String::new();
    // Ends although the adapter and its supervisor live on.
    run.child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("True"), "a session of its own");
    assert_eq!(
        (lines.next(), lines.next()),
        (Some("0"), Some("0")),
        "ignored, blocked"
    );
    // Sockets are passed on by nobody here but us: the control descriptor would be one.
    let own = own_files();
    let passed_on: Vec<_> = lines.filter(|file| file.starts_with("socket:")).collect();
    assert!(
        passed_on
            .iter()
            .all(|file| own.contains(&(*file).to_owned())),
        "{passed_on:?}"
    );
    assert!(procs::is_alive(run.started));
}

fn own_files() -> Vec<String> {
    let entries = std::fs::read_dir("/proc/self/fd").unwrap();
    let links = entries.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    links
        .map(|link| link.to_string_lossy().into_owned())
        .collect()
}

/// One who plays omp-debug, with an adapter's family below, and the supervisor between.
fn parent_of_family(order: &str) -> (Child, u32, Mark) {
    let python = tools::python().unwrap();
    let mark = Mark::new();
    let (name, value) = mark.env();
    let mut parent = Command::new(&python)
        .args(["-c", PARENT])
        .arg(tools::supervisor())
        .arg(order)
        .arg(&python)
        .args(["-c", FAMILY])
        .env(name, value)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(parent.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    assert!(mark.processes().len() >= 5, "{:#?}", mark.processes());
    let supervisor = procs::supervisors(parent.id()).remove(0).pid;
    (parent, supervisor, mark)
}

#[test]
fn nothing_of_a_launched_family_outlives_a_killed_parent() {
    let _dog = Watchdog::new("killed parent", LIMIT);
    for order in ["L", "A"] {
        let (mut parent, _, mark) = parent_of_family(order);
        parent.kill().unwrap();
        parent.wait().unwrap();
        mark.assert_none_left(PATIENCE);
    }
}

/// The case in which nobody is left to clean up.
#[test]
fn nothing_of_a_launched_family_outlives_us_all() {
    let _dog = Watchdog::new("all of us", LIMIT);
    for supervisor_first in [true, false] {
        let (mut parent, supervisor, mark) = parent_of_family("L");
        procs::wait_armed(supervisor, PATIENCE);
        let mut ours = [supervisor, parent.id()];
        if !supervisor_first {
            ours.reverse();
        }
        for pid in ours {
            procs::signal(pid, Signal::KILL);
        }
        parent.wait().unwrap();
        mark.assert_none_left(PATIENCE);
    }
}

/// Killed or not, a supervisor ends nothing of what it was told to leave.
#[test]
fn what_was_attached_to_outlives_us_all() {
    let _dog = Watchdog::new("all of us", LIMIT);
    for order in ["A", "D"] {
        let (mut parent, supervisor, mark) = parent_of_family(order);
        let family = procs::descendants(supervisor);
        let stubborn = family.iter().find(|process| {
            // It ignores TERM, which the adapter gets from the kernel.
            process.parent != supervisor
        });
        let stubborn = stubborn.unwrap().pid;
        procs::wait_until("still armed", supervisor, PATIENCE, || {
            procs::armed(supervisor) == 0
        });
        procs::signal(supervisor, Signal::KILL);
        procs::signal(parent.id(), Signal::KILL);
        parent.wait().unwrap();
        assert!(
            !procs::wait_exit(stubborn, Duration::from_millis(300)),
            "{order}: it ended with us"
        );
        mark.kill_all();
    }
}

#[test]
fn what_an_adapter_leaves_behind_is_ended_with_it() {
    let _dog = Watchdog::new("leaves behind", LIMIT);
    let mut run = Supervised::python(false, FAMILY, &["leave"]);
    assert_eq!(run.wait().code(), Some(5));
    run.mark.assert_none_left(Duration::ZERO);
}

#[test]
fn an_order_ends_the_tree_even_when_it_is_stopped() {
    let _dog = Watchdog::new("order", LIMIT);
    for arguments in [&[][..], &["stop"]] {
        let mut run = Supervised::python(false, FAMILY, arguments);
        let begin = Instant::now();
        run.control().say(Word::Terminate).unwrap();
        run.assert_all_gone();
        // The stubborn child was given its two seconds, and not more than that and a bit.
        let took = begin.elapsed();
        assert!(
            took >= Duration::from_secs(2) && took < Duration::from_secs(8),
            "{took:?}"
        );
    }
}

#[test]
fn a_term_to_the_supervisor_ends_the_tree() {
    let _dog = Watchdog::new("term", LIMIT);
    let mut run = Supervised::python(false, FAMILY, &[]);
    procs::signal(run.child.id(), Signal::INT);
    procs::signal(run.child.id(), Signal::HUP);
    procs::signal(run.child.id(), Signal::TERM);
    run.assert_all_gone();
}

#[test]
fn letting_go_gives_an_adapter_the_time_to_end_by_itself() {
    let _dog = Watchdog::new("letting go", LIMIT);
    let mut run = Supervised::start(true, &["sh", "-c", "read line; exit 7"]);
    run.control = None;
    drop(run.child.stdin.take());
    assert_eq!(run.wait().code(), Some(7));
}

#[test]
fn a_tracing_adapter_is_never_killed_while_attached() {
    let _dog = Watchdog::new("tracing", LIMIT);
    for arguments in [&[][..], &["handles"]] {
        let mut run = Supervised::python(true, TRACER, arguments);
        run.control().say(Word::Attached).unwrap();
        run.control().say(Word::Terminate).unwrap();
        assert_eq!(run.wait().code(), Some(75));
        let pid = run.started;
        assert_eq!(run.reports(), [Report::Left(pid)]);
        assert!(procs::is_alive(pid), "TERM is as hard as KILL");
    }
}

#[test]
fn what_an_adapter_traces_with_is_not_ended_while_attached() {
    let _dog = Watchdog::new("tracing below", LIMIT);
    let mut stranger = Command::new("sleep").arg("600").spawn().unwrap();
    let mut run = Supervised::python(true, TRACED_BELOW, &[&stranger.id().to_string()]);
    let server: u32 = run.line().trim().parse().unwrap();
    run.control().say(Word::Attached).unwrap();
    run.control().say(Word::Terminate).unwrap();
    assert_eq!(run.wait().code(), Some(75));
    let tracer = procs::status(stranger.id(), "TracerPid");
    assert_eq!(tracer, Some(server.to_string()), "TERM was sent to it");
    run.mark.kill_all();
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn a_tracing_adapter_of_a_launched_program_is_ended() {
    let _dog = Watchdog::new("tracing launched", LIMIT);
    let mut run = Supervised::python(true, FAMILY, &[]);
    run.control().say(Word::Attached).unwrap();
    run.control().say(Word::Launched).unwrap();
    run.control().say(Word::Terminate).unwrap();
    run.assert_all_gone();
}

#[test]
fn a_killed_supervisor_takes_its_adapter_along() {
    let _dog = Watchdog::new("killed supervisor", LIMIT);
    let mut run = Supervised::start(false, &["sleep", "600"]);
    procs::signal(run.child.id(), Signal::KILL);
    run.wait();
    run.mark.assert_none_left(PATIENCE);
}

#[test]
fn a_supervisor_is_small() {
    let mut run = Supervised::start(false, &["cat"]);
    let anonymous = procs::status(run.child.id(), "RssAnon").unwrap();
    let resident = procs::status(run.child.id(), "VmRSS").unwrap();
    eprintln!("supervisor: {resident} resident, {anonymous} of it its own");
    let kib: u32 = anonymous.trim_end_matches(" kB").parse().unwrap();
    assert!(kib < 2048, "{anonymous}");
    drop(run.child.stdin.take());
    assert_eq!(run.wait().code(), Some(0));
}

/// Plays a shell, whose end would hang up the terminal, and under it a screen: saves the modes,
/// starts a keeper, makes the terminal raw, and waits.
const SCREEN: &str = r#"
import os, signal, socket, subprocess, sys, termios, tty
supervisor, words = sys.argv[1], sys.argv[2:]
if os.fork():
    while True: signal.pause()
saved = termios.tcgetattr(0)
codes = b"".join(c if isinstance(c, bytes) else bytes([c]) for c in saved[6])
order = [termios.VINTR, termios.VQUIT, termios.VERASE, termios.VKILL, termios.VEOF, termios.VTIME, termios.VMIN,
    termios.VSTART, termios.VSTOP, termios.VSUSP, termios.VEOL, termios.VREPRINT, termios.VDISCARD,
    termios.VWERASE, termios.VLNEXT, termios.VEOL2]
text = ":".join("%x" % number for number in saved[:4] + [codes[i] for i in order])
ours, theirs = socket.socketpair()
keeper = subprocess.Popen([supervisor, "--supervise-terminal", "--control-fd", str(theirs.fileno()), "--termios", text],
                 pass_fds=[theirs.fileno()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
theirs.close()
tty.setraw(0)
os.write(1, b"\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1004h\x1b[>1u")
if "line-editor" in words:
    # As a shell's line editor sets them.
    modes = termios.tcgetattr(0)
    modes[1] |= termios.OPOST; modes[3] |= termios.ISIG
    termios.tcsetattr(0, termios.TCSANOW, modes)
for word in words:
    if len(word) == 1: ours.send(word.encode())
if "Q" in words: keeper.wait()
os.write(1, b"screen %d keeper %d READY" % (os.getpid(), keeper.pid))
while True: signal.pause()
"#;

struct Screen {
    pty: pty::Pty,
    process: u32,
    keeper: u32,
    _mark: Mark,
}

impl Screen {
    fn start(words: &[&str]) -> Self {
        let mark = Mark::new();
        let (name, value) = mark.env();
        let pty = pty::Builder::new(tools::python().unwrap())
            .args(["-c", SCREEN])
            .args([tools::supervisor()])
            .args(words)
            .env(name, value)
            .spawn();
        let text = pty.wait_for("READY").text();
        let number = |name: &str| {
            let mut words = text.split_whitespace().skip_while(|word| *word != name);
            words.nth(1).unwrap().parse().unwrap()
        };
        Self {
            process: number("screen"),
            keeper: number("keeper"),
            pty,
            _mark: mark,
        }
    }

    /// Kills the screen, and waits until its keeper has done what it does.
    fn kill(&self) {
        procs::signal(self.process, Signal::KILL);
        assert!(
            procs::wait_exit(self.keeper, PATIENCE),
            "the keeper has not ended"
        );
    }
}

#[test]
fn a_keeper_restores_the_terminal_of_a_killed_screen() {
    let _dog = Watchdog::new("keeper", LIMIT);
    let screen = Screen::start(&[]);
    let problems = screen.pty.not_restored();
    assert!(problems.len() > 8, "{problems:#?}");
    screen.kill();
    screen.pty.wait_restored();
}

#[test]
fn a_keeper_that_was_told_to_quit_leaves_the_terminal_alone() {
    let _dog = Watchdog::new("keeper quit", LIMIT);
    let screen = Screen::start(&["Q"]);
    screen.kill();
    assert!(screen.pty.screen().is_alternate());
}

#[test]
fn a_paused_keeper_leaves_the_terminal_to_whoever_has_it() {
    let _dog = Watchdog::new("keeper paused", LIMIT);
    let screen = Screen::start(&["P"]);
    let before = screen.pty.line_discipline();
    screen.kill();
    assert!(screen.pty.screen().is_alternate());
    assert_eq!(screen.pty.line_discipline(), before);

    let screen = Screen::start(&["P", "R"]);
    screen.kill();
    screen.pty.wait_restored();
}

#[test]
fn a_keeper_does_not_undo_what_a_shell_has_set_already() {
    let _dog = Watchdog::new("keeper and shell", LIMIT);
    let screen = Screen::start(&["line-editor"]);
    let before = screen.pty.line_discipline();
    screen.kill();
    assert_eq!(screen.pty.line_discipline(), before);
    screen
        .pty
        .wait_until("the main screen", |screen| !screen.is_alternate());
}

/// What our own tests wait by: a process that takes too long ends with all below it, and what it had said is told.
#[test]
fn a_process_of_a_test_that_takes_too_long_is_ended_and_read() {
    let mut command = Command::new("sh");
    command.args(["-c", "echo said; sleep 1000 & wait"]);
    let output = procs::output(&mut command, Duration::from_secs(2));
    assert_eq!(output.status.signal(), Some(Signal::KILL.as_raw()));
    assert_eq!(output.stdout, b"said\n");
}
