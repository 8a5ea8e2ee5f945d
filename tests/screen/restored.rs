//! The terminal after every way in which we can end: each mode that the screen switches is as it was, and nobody is left.

// suite: T6 asked 88 present 104

use crate::support;

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;

use rustix::process::Signal;
use support::desk::{Desk, FAREWELL, Home};
use support::procs;
use support::pty::Pty;

/// What we end by, on a screen with a live session or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Quit,
    QuitLive,
    Signal(Signal, i32),
    Panic,
    /// The keyboard's end of file, at the prompt of the line debugger.
    EndOfInput,
    /// At that prompt.
    KilledAtPrompt,
    /// Whoever reads what a run prints goes away.
    ClosedPipe,
    /// The shell has stopped us, and then we are killed.
    KilledWhileStopped,
    /// As when memory runs out: we and our supervisors at one moment.
    KilledWithSupervisors,
}

const EXITS: [(&str, Exit); 13] = [
    ("quit", Exit::Quit),
    ("quit live", Exit::QuitLive),
    ("INT", Exit::Signal(Signal::INT, 130)),
    ("TERM", Exit::Signal(Signal::TERM, 143)),
    ("HUP", Exit::Signal(Signal::HUP, 129)),
    ("QUIT", Exit::Signal(Signal::QUIT, 131)),
    ("KILL", Exit::Signal(Signal::KILL, 137)),
    ("panic", Exit::Panic),
    ("end of input", Exit::EndOfInput),
    ("killed at the prompt", Exit::KilledAtPrompt),
    ("closed pipe", Exit::ClosedPipe),
    ("killed while stopped", Exit::KilledWhileStopped),
    ("out of memory", Exit::KilledWithSupervisors),
];

/// A mode, and the words by which the emulator complains of it.
const MODES: [(&str, &[&str]); 8] = [
    ("line discipline", &[" became "]),
    ("alternate screen", &["alternate screen", "?1049 ", "?47 "]),
    ("cursor", &["cursor", "?25 ", "?12 "]),
    (
        "mouse",
        &["?1000 ", "?1002 ", "?1003 ", "?1005 ", "?1006 ", "?1015 "],
    ),
    ("bracketed paste", &["?2004 "]),
    ("focus events", &["?1004 "]),
    ("keyboard flags", &["keyboard flags"]),
    ("synchronised output", &["?2026 "]),
];

#[test]
fn cells() {
    support::assert_suite(include_str!("restored.rs"), EXITS.len() * MODES.len());
}

#[test]
fn every_mode_is_restored_by_every_exit() {
    let mut wrong = Vec::new();
    for (name, exit) in EXITS {
        // A cell that fails on its way names itself.
        eprintln!("{name}");
        let desk = exit.take();
        let problems = problems_after(&desk.pty);
        for (mode, words) in MODES {
            let of_mode: Vec<_> = problems
                .iter()
                .filter(|problem| words.iter().any(|word| problem.contains(word)))
                .collect();
            if !of_mode.is_empty() {
                wrong.push(format!("{name}, {mode}: {of_mode:?}"));
            }
        }
        let known = |problem: &String| {
            let mut words = MODES.iter().flat_map(|(_, words)| words.iter());
            words.any(|word| problem.contains(word))
        };
        wrong.extend(
            problems
                .iter()
                .filter(|problem| !known(problem))
                .map(|problem| format!("{name}: {problem}")),
        );
        desk.mark.assert_none_left(FAREWELL);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What is not restored once there was time for it.
fn problems_after(pty: &Pty) -> Vec<String> {
    let mut problems = pty.not_restored();
    let deadline = std::time::Instant::now() + FAREWELL;
    while !problems.is_empty() && std::time::Instant::now() < deadline {
        // Modes of the line discipline change without a byte: look again now and then.
        std::thread::park_timeout(std::time::Duration::from_millis(20));
        problems = pty.not_restored();
    }
    problems
}

/// A session that stands at a breakpoint, of a program that ends with nobody's help but ours.
fn live(home: &Home) -> Vec<OsString> {
    let program = home.path().join("program.sh");
    std::fs::write(&program, "step=1\nwhile true; do sleep 1; done\n").unwrap();
    args!["-b", format!("{}:1", program.display()), program].into()
}

fn screen(arguments: &[OsString], home: Home) -> Desk {
    let panic_if = home.path().join("panic");
    let desk = Desk::at(home, |builder| {
        builder
            .args(arguments)
            .env("OMP_DEBUG_PANIC_IF", panic_if)
            .env("XDG_DATA_HOME", support::tools::test_home().join("share"))
    });
    if arguments.is_empty() {
        desk.pty.wait_for("What would you like to look into?");
    } else {
        desk.wait_header("stopped: breakpoint");
    }
    // What was never switched on would be restored by doing nothing.
    for mode in [1049, 1006, 2004, 1004] {
        assert!(desk.pty.ever_set(mode), "?{mode} was never on");
    }
    desk
}

/// Waits for the end, by an exit code or by the signal that a shell would tell by it.
fn ended(desk: &mut Desk, code: i32) {
    let status = desk.pty.wait_exit();
    let signal = status.signal().map(|signal| 128 + signal);
    assert_eq!(status.code().or(signal), Some(code), "{status:?}");
}

impl Exit {
    /// Ends one of us in this way; it has ended when this returns.
    fn take(self) -> Desk {
        let home = Home::new();
        let session = live(&home);
        match self {
            Self::Quit => {
                let mut desk = screen(&[], home);
                desk.pty.key("q");
                desk.pty.expect_exit(0);
                desk
            }
            Self::QuitLive => {
                let mut desk = screen(&session, home);
                desk.pty.key("q").wait_for("Quit?");
                desk.pty.key("e");
                desk.pty.expect_exit(0);
                desk
            }
            Self::Signal(signal, code) => {
                let mut desk = screen(&session, home);
                desk.pty.signal(signal);
                ended(&mut desk, code);
                desk
            }
            Self::Panic => {
                let mut desk = screen(&[], home);
                std::fs::write(desk.home.path().join("panic"), "").unwrap();
                desk.pty.resize(150, 45);
                desk.pty.expect_exit(101);
                desk
            }
            Self::EndOfInput => {
                let mut desk = Desk::at(home, |builder| builder.args(["repl"]));
                desk.pty.wait_for("omp-debug>");
                desk.pty.key("C-d");
                desk.pty.expect_exit(0);
                desk
            }
            Self::KilledAtPrompt => {
                let mut desk = Desk::at(home, |builder| builder.args(["repl"]));
                desk.pty.wait_for("omp-debug>");
                assert!(desk.pty.ever_set(2004), "?2004 was never on");
                desk.pty.signal(Signal::KILL);
                ended(&mut desk, 137);
                desk
            }
            Self::ClosedPipe => {
                let script = format!(
                    "{} run --trust {} | true",
                    support::tools::omp_debug().display(),
                    session[2].display()
                );
                let mark = procs::Mark::new();
                let pty = home
                    .builder_of("bash", &mark)
                    .env("XDG_DATA_HOME", support::tools::test_home().join("share"))
                    .args(["-c", &script])
                    .spawn();
                let mut desk = Desk::of(home, pty, mark);
                desk.pty.expect_exit(0);
                desk
            }
            Self::KilledWhileStopped => {
                let mut desk = screen(&session, home);
                desk.pty.signal(Signal::STOP).signal(Signal::KILL);
                ended(&mut desk, 137);
                desk
            }
            Self::KilledWithSupervisors => {
                let mut desk = screen(&session, home);
                for supervisor in procs::supervisors(desk.pty.pid()) {
                    procs::wait_armed(supervisor.pid, support::pty::PATIENCE);
                    procs::signal(supervisor.pid, Signal::KILL);
                }
                desk.pty.signal(Signal::KILL);
                ended(&mut desk, 137);
                desk
            }
        }
    }
}
