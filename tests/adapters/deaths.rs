//! Our death, in every way, with every adapter: a program that we launched goes with us, one that we attached to runs on, and nobody
//! traces it any more.
//!
//! A part of the cells belongs to every change, all of them run with `OMP_DEBUG_FULL_MATRIX=1`; `OMP_DEBUG_DEATH=NAME` runs those
//! whose name contains it.

// suite: T5 asked 198 present 220

use crate::support;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;
use support::desk::{Counter, Desk, Home};
use support::procs::{self, Mark, Watchdog};
use support::{line_of, program_source, tools};

/// How long everything may take to be gone, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long all cells of one adapter may take.
const LIMIT: Duration = Duration::from_mins(10);

/// How we die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Quit,
    Signal(Signal),
    Panic,
    /// The standard input of the line debugger ends.
    EndOfInput,
    /// Nobody reads any more what a run prints.
    ClosedPipe,
    /// The window of the terminal is closed.
    HangUp,
    /// As when memory runs out: all of us are killed at one moment, the supervisors with us.
    OutOfMemory,
}

const WAYS: [(&str, Way); 11] = [
    ("quit", Way::Quit),
    ("INT", Way::Signal(Signal::INT)),
    ("TERM", Way::Signal(Signal::TERM)),
    ("HUP", Way::Signal(Signal::HUP)),
    ("QUIT", Way::Signal(Signal::QUIT)),
    ("KILL", Way::Signal(Signal::KILL)),
    ("panic", Way::Panic),
    ("end of input", Way::EndOfInput),
    ("closed pipe", Way::ClosedPipe),
    ("hang-up", Way::HangUp),
    ("out of memory", Way::OutOfMemory),
];

/// With whom: the adapter's name, and whether it can attach to a process.
const REAL: [(&str, bool); 7] = [
    ("debugpy", true),
    ("lldb-dap", true),
    ("dlv", true),
    ("gdb", true),
    ("codelldb", true),
    ("js-debug-adapter", false),
    ("bash-dap", false),
];
/// How the fake adapter is reached, and what it starts.
const FAKE: [&str; 4] = ["stdio", "tcp", "runInTerminal", "children"];

/// The cells: each adapter's launches, and the attaches of those that can.
fn count() -> usize {
    let attaching = REAL.iter().filter(|(_, attaches)| *attaches).count();
    WAYS.len() * (REAL.len() + attaching + 2 * FAKE.len())
}

#[test]
fn cells() {
    support::assert_suite(include_str!("deaths.rs"), count());
}

/// A program to be debugged, by one adapter.
struct Subject {
    adapter: String,
    program: PathBuf,
    breakpoint: String,
    /// What a program that is attached to is started with; it counts.
    command: Vec<OsString>,
    /// It traces its program, which ends with it whoever kills it.
    traces: bool,
}

impl Subject {
    fn of(source: &Path, line: u32, adapter: &str, program: PathBuf) -> Self {
        Self {
            adapter: adapter.to_owned(),
            breakpoint: format!("{}:{line}", source.display()),
            command: args![program].into(),
            program,
            traces: true,
        }
    }

    fn c(adapter: &str) -> Self {
        let source = program_source("prog.c");
        Self::of(
            &source,
            line_of(&source, "count"),
            adapter,
            tools::c_program(),
        )
    }

    /// A script in the home that runs until it is ended, and comes past its third line again and again.
    fn script(home: &Home, name: &str, text: &str, adapter: &str) -> Self {
        let script = home.path().join(name);
        std::fs::write(&script, text).unwrap();
        Self {
            traces: false,
            ..Self::of(&script.clone(), 3, adapter, script)
        }
    }

    /// None when it is not installed and may be missing.
    fn real(home: &Home, adapter: &str) -> Option<Self> {
        let need = tools::required;
        Some(match adapter {
            "debugpy" => {
                let python = need("debugpy", tools::debugpy())?;
                // It comes into a running Python by gdb.
                need("gdb", tools::gdb())?;
                let program = tools::python_program();
                Self {
                    command: args![python, program].into(),
                    traces: false,
                    ..Self::of(
                        &program.clone(),
                        line_of(&program, "count"),
                        adapter,
                        program,
                    )
                }
            }
            "dlv" => {
                need("dlv", tools::dlv())?;
                let source = program_source("prog/main.go");
                let program = tools::go_program(&need("go", tools::go())?);
                Self::of(&source, line_of(&source, "count"), adapter, program)
            }
            "js-debug-adapter" => {
                need("js-debug", tools::js_debug())?;
                let text = "let turn = 0;\nsetInterval(() => {\n  turn += 1;\n}, 100);\n";
                Self::script(home, "loop.js", text, adapter)
            }
            "bash-dap" => {
                need("bash-dap", tools::bash_dap())?;
                let text = "turn=0\nwhile true; do\n  turn=$((turn + 1))\n  sleep 0.1\ndone\n";
                Self::script(home, "loop.sh", text, adapter)
            }
            "lldb-dap" => need("lldb-dap", tools::lldb_dap()).map(|_| Self::c(adapter))?,
            "gdb" => need("gdb", tools::gdb()).map(|_| Self::c(adapter))?,
            _ => need("codelldb", tools::codelldb()).map(|_| Self::c(adapter))?,
        })
    }

    /// The fake adapter, whose program is a process in a group of its own that nobody but we will end.
    fn fake(home: &Home, shape: &str, mark: &Mark) -> Self {
        let subject = Self::script(home, "program.fake", &"step()\n".repeat(10), "fake");
        let source = subject.program.to_str().unwrap();
        let real = json!(["sleep", "100000"]).to_string();
        let mut options = vec!["--endless", "--source", source, "--real", &real];
        let mut connect = "stdio";
        match shape {
            "tcp" => {
                connect = "tcp";
                options.extend(["--listen", "${port}"]);
            }
            "runInTerminal" => options.push("--run-in-terminal"),
            "children" => {
                connect = "tcp";
                options.extend(["--listen", "${port}", "--children", "2", "--child-endless"]);
            }
            _ => {}
        }
        let (name, value) = mark.env();
        let entry = json!({"command": tools::fake_adapter(), "args": options, "connectMode": connect,
            "env": {name: value}, "personality": {"children": {"start_debugging": true}}});
        let folder = home.path().join("config/omp-debug");
        std::fs::create_dir_all(&folder).unwrap();
        let text = json!({"adapters": {"fake": entry}}).to_string();
        std::fs::write(folder.join("dap.json"), text).unwrap();
        subject
    }

    fn words(&self, attach_to: Option<u32>) -> Vec<OsString> {
        let mut words = Vec::new();
        if attach_to.is_some() {
            words.extend(args!["attach"]);
        }
        words.extend(args!["--adapter", self.adapter, "-b", self.breakpoint]);
        words
    }
}

/// One death.
struct Cell {
    name: String,
    home: Home,
    mark: Mark,
    subject: Subject,
    way: Way,
}

impl Cell {
    fn launched(self) {
        let counter = self.home.path().join("counter");
        let program = args![self.subject.program, "--", "count", counter];
        self.die(None, &program);
    }

    /// The program that counts, or for a fake adapter just any.
    fn attached(self) {
        if self.subject.adapter == "fake" {
            let mut sleeper = Command::new("sleep").arg("100000").spawn().unwrap();
            let name = self.name.clone();
            self.die(Some(sleeper.id()), &[]);
            assert!(procs::is_alive(sleeper.id()), "{name}: it ended with us");
            sleeper.kill().unwrap();
            sleeper.wait().unwrap();
            return;
        }
        let counter = Counter::start(
            Path::new(&self.subject.command[0]),
            &self.subject.command[1..],
        );
        self.die(Some(counter.pid()), &[]);
        counter.assert_free();
    }

    /// Stands at the breakpoint, dies, and leaves nobody.
    fn die(self, attach_to: Option<u32>, program: &[OsString]) {
        match self.way {
            Way::EndOfInput | Way::ClosedPipe => self.without_screen(attach_to, program),
            _ => self.on_screen(attach_to, program),
        }
        self.mark.assert_none_left(PATIENCE);
    }

    fn on_screen(&self, attach_to: Option<u32>, program: &[OsString]) {
        let panic_if = self.home.path().join("panic");
        let mut words = self.subject.words(attach_to);
        if let Some(pid) = attach_to {
            words.extend(args!["--pid", pid.to_string()]);
        }
        words.extend_from_slice(program);
        let builder = self.home.builder(&self.mark);
        let pty = builder
            .args(words)
            .env("OMP_DEBUG_PANIC_IF", &panic_if)
            .env("XDG_DATA_HOME", tools::test_home().join("share"))
            .spawn();
        let mut desk = Desk::of(self.home.clone(), pty, Mark::new());
        desk.wait_header("stopped: breakpoint");
        match self.way {
            Way::Quit => {
                desk.pty.key("q").wait_for("Quit?");
                desk.pty.key("Enter");
            }
            Way::Signal(signal) => {
                desk.pty.signal(signal);
            }
            Way::Panic => {
                std::fs::write(&panic_if, "").unwrap();
                desk.pty.resize(150, 45);
            }
            Way::HangUp => desk.pty.hang_up(),
            _ => {
                for supervisor in procs::supervisors(desk.pty.pid()) {
                    // What traces ends by itself, and takes its program along.
                    if attach_to.is_none() && !self.subject.traces {
                        procs::wait_armed(supervisor.pid, PATIENCE);
                    }
                    procs::signal(supervisor.pid, Signal::KILL);
                }
                desk.pty.signal(Signal::KILL);
            }
        }
        desk.pty.wait_exit();
    }

    fn without_screen(&self, attach_to: Option<u32>, program: &[OsString]) {
        let front = if self.way == Way::EndOfInput {
            "repl"
        } else {
            "run"
        };
        let mut words: Vec<OsString> = args![front].into();
        if let Some(pid) = attach_to {
            let flag = (front == "run").then(|| OsString::from("--attach"));
            words.extend(flag);
            words.extend(args!["--pid", pid.to_string()]);
        }
        words.extend(args![
            "--adapter",
            self.subject.adapter,
            "-b",
            self.subject.breakpoint
        ]);
        words.extend_from_slice(program);
        let mut child = Command::new(tools::omp_debug())
            .args(&words)
            .current_dir(self.home.path())
            .envs(self.home.variables(&self.mark))
            .env("XDG_DATA_HOME", tools::test_home().join("share"))
            .env_remove("XDG_RUNTIME_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut seen = String::new();
        if attach_to.is_none() {
            // Its launch is a command, too; a run does not read.
            std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"run\n").unwrap();
        }
        let sign = if front == "repl" {
            "Breakpoint 1 hit"
        } else {
            "\"breakpoint_hit\""
        };
        while !seen.lines().last().unwrap_or_default().contains(sign) {
            let read = std::io::BufRead::read_line(&mut output, &mut seen).unwrap();
            assert!(read > 0, "{}: it ended: {seen}", self.name);
        }
        drop(child.stdin.take());
        if front == "run" {
            drop(output);
        } else {
            std::io::copy(&mut output, &mut std::io::sink()).unwrap();
        }
        wait(&mut child, &self.name);
    }
}

fn wait(child: &mut Child, name: &str) {
    assert!(
        procs::wait_exit(child.id(), PATIENCE),
        "{name}: it lives on"
    );
    child.wait().unwrap();
}

/// All cells of one adapter that are wanted; `row` spreads the smaller part of them.
fn run(adapter: &str, row: usize, attach: bool) {
    let _dog = Watchdog::new(adapter, LIMIT);
    let only = std::env::var("OMP_DEBUG_DEATH").ok();
    let is_fake = FAKE.contains(&adapter);
    let kinds: &[bool] = if attach { &[false, true] } else { &[false] };
    for (column, (way_name, way)) in WAYS.into_iter().enumerate() {
        for attaches in kinds {
            let kind = if *attaches { "attached" } else { "launched" };
            let name = format!("{way_name}, {kind}, {adapter}");
            let smoke = way == Way::OutOfMemory || (column + row).is_multiple_of(5);
            let wanted = only.as_ref().map_or_else(
                || smoke || support::full_matrix(),
                |only| name.contains(only),
            );
            if !wanted {
                continue;
            }
            let (home, mark) = (Home::new(), Mark::new());
            let subject = if is_fake {
                Some(Subject::fake(&home, adapter, &mark))
            } else {
                Subject::real(&home, adapter)
            };
            let Some(subject) = subject else {
                return;
            };
            // A cell that fails names itself.
            eprintln!("{name}");
            let cell = Cell {
                name,
                home,
                mark,
                subject,
                way,
            };
            if *attaches {
                cell.attached();
            } else {
                cell.launched();
            }
        }
    }
}

macro_rules! deaths {
    ($($test:ident = $adapter:literal,)*) => {
        $(#[test]
        fn $test() {
            let place = REAL.iter().position(|(name, _)| *name == $adapter);
            match place {
                Some(row) => run($adapter, row, REAL[row].1),
                None => {
                    let row = FAKE.iter().position(|name| *name == $adapter).unwrap();
                    run($adapter, row, true);
                }
            }
        })*

        #[test]
        fn every_adapter_has_its_test() {
            let named = [$($adapter),*];
            let all: Vec<_> = REAL.iter().map(|(name, _)| *name).chain(FAKE).collect();
            assert_eq!(named.as_slice(), all);
        }
    };
}

deaths! {
    of_debugpy = "debugpy",
    of_lldb_dap = "lldb-dap",
    of_dlv = "dlv",
    of_gdb = "gdb",
    of_codelldb = "codelldb",
    of_js_debug = "js-debug-adapter",
    of_bash_dap = "bash-dap",
    of_a_fake_on_streams = "stdio",
    of_a_fake_on_a_port = "tcp",
    of_a_fake_in_a_terminal = "runInTerminal",
    of_a_fake_with_children = "children",
}
