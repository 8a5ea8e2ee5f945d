//! omp-debug as a person has it before them: started in a terminal with a home of its own, driven by
//! keys, read from the screen.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::procs::{self, Mark, Watchdog};
use super::pty::{Builder, Pty, Screen};
use super::tools;

/// How long all that belongs to a session may take to go away with it.
pub const FAREWELL: Duration = Duration::from_secs(3);
/// How long a test may take before everything it started is killed.
const LIMIT: Duration = Duration::from_mins(2);

/// The signs of a breakpoint that the adapter has taken: plain, with a condition, a log point.
const TAKEN: [char; 3] = ['●', '◆', '◇'];

/// A folder that is everything omp-debug knows of a person: settings, state, data, demo. It goes with its last clone.
#[derive(Clone)]
pub struct Home(Arc<TempDir>);

impl Home {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        tools::keep_what_lldb_reads(folder.path());
        Self(Arc::new(folder))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// omp-debug in this home, with the test home's tools on PATH: wide enough for all panes.
    pub fn builder(&self, mark: &Mark) -> Builder {
        self.builder_of(tools::omp_debug(), mark)
    }

    /// Another program in this home, for example a shell.
    pub fn builder_of(&self, program: impl AsRef<OsStr>, mark: &Mark) -> Builder {
        let variables = self.variables(mark).into_iter();
        variables
            .fold(Builder::new(program), |builder, (name, value)| {
                builder.env(name, value)
            })
            .env_remove("XDG_RUNTIME_DIR")
            .env_remove("OMP_DEBUG_PLAIN_ADAPTER")
            .size(160, 50)
    }

    /// What tells a program of this home: its folders, the test home's tools on PATH, the mark.
    pub fn variables(&self, mark: &Mark) -> Vec<(&'static str, OsString)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [tools::test_home().join("venv/bin")].into_iter();
        let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap();
        let (name, value) = mark.env();
        let (no_names, so) = tools::NO_NAMES_IN_CRASHES;
        let folder = |name: &str| self.path().join(name).into();
        vec![
            (no_names, so.into()),
            ("HOME", self.path().into()),
            ("XDG_CONFIG_HOME", folder("config")),
            ("XDG_STATE_HOME", folder("state")),
            ("XDG_DATA_HOME", folder("data")),
            ("XDG_CACHE_HOME", folder("cache")),
            ("GOCACHE", tools::go_cache().into()),
            ("RUSTUP_HOME", tools::rustup_home().into()),
            ("PATH", path),
            (name, value.into()),
        ]
    }
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

/// A running omp-debug.
pub struct Desk {
    pub pty: Pty,
    pub mark: Mark,
    pub home: Home,
    _dog: Watchdog,
}

/// Arguments of different types as one list.
#[macro_export]
macro_rules! args {
    ($($word:expr),* $(,)?) => {
        [$(::std::ffi::OsString::from(&$word)),*]
    };
}

impl Desk {
    /// Starts it with these arguments.
    pub fn open<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Self {
        Self::with(|builder| builder.args(arguments))
    }

    /// Starts it as `settings` say.
    pub fn with(settings: impl FnOnce(Builder) -> Builder) -> Self {
        Self::at(Home::new(), settings)
    }

    /// Starts it for someone who is there already.
    pub fn at(home: Home, settings: impl FnOnce(Builder) -> Builder) -> Self {
        let mark = Mark::new();
        let pty = settings(home.builder(&mark)).spawn();
        Self::of(home, pty, mark)
    }

    /// Of a terminal in which something is running.
    pub fn of(home: Home, pty: Pty, mark: Mark) -> Self {
        Self {
            pty,
            mark,
            home,
            _dog: Watchdog::new("omp-debug", LIMIT),
        }
    }

    /// Waits until the program stands at a line: `prog.c:31 in price_of`.
    pub fn wait_at(&self, file: &str, line: u32) -> Screen {
        let place = format!(" {file}:{line} in ");
        self.pty
            .wait_until(&format!("a stop at {file}:{line}"), |screen| {
                screen.row(0).contains(&place)
            })
    }

    pub fn wait_header(&self, text: &str) -> Screen {
        self.pty
            .wait_until(&format!("{text:?} in the header"), |screen| {
                screen.row(0).contains(text)
            })
    }

    /// Moves the source cursor to a line.
    pub fn go_to_line(&self, line: u32) {
        let there = format!("─ {line}:");
        // Without text there is no line to go to.
        self.pty
            .wait_until("the source's text", |screen| screen.row(1).contains(" of "));
        self.pty
            .key("1")
            .key("g")
            .type_text(&line.to_string())
            .key("Enter");
        self.pty
            .wait_until(&format!("the cursor at line {line}"), |screen| {
                screen.row(1).contains(&there)
            });
    }

    /// Sets a breakpoint with keys, and waits for the adapter to take it.
    pub fn break_at(&self, file: &str, line: u32) {
        self.go_to_line(line);
        self.pty.key("F9");
        self.wait_breakpoint(file, line);
    }

    /// Waits until the breakpoints pane shows one that is set and taken.
    pub fn wait_breakpoint(&self, file: &str, line: u32) {
        let place = format!("{file}:{line}");
        self.pty
            .wait_until(&format!("a breakpoint taken at {file}:{line}"), |screen| {
                let rows = pane(screen, "Breakpoints");
                rows.iter().any(|row| {
                    row.split_once(&place).is_some_and(|(before, after)| {
                        TAKEN
                            .iter()
                            .any(|sign| before.contains(&format!("{sign} [x]")))
                            && !after.starts_with(|c: char| c.is_ascii_digit())
                    })
                })
            });
    }

    /// Waits until a pane shows `name` with this value.
    pub fn wait_value(&self, title: &str, name: &str, value: &str) -> Screen {
        self.pty
            .wait_until(&format!("{name} = {value} in {title}"), |screen| {
                value_in(screen, title, name).is_some_and(|found| found.starts_with(value))
            })
    }

    /// Selects a value of the scopes pane by keys, one row after the other.
    pub fn select_scope(&self, name: &str) {
        self.pty.key("3").key("g");
        let mut at = 0;
        loop {
            let screen = self.pty.wait_until(
                &format!("row {at} of the scopes to be selected"),
                |screen| selected_row(screen, "Scopes") == Some(at),
            );
            let rows = pane(&screen, "Scopes");
            let row = rows.get(at).map(String::as_str).unwrap_or_default();
            if first_word(row) == Some(name) {
                return;
            }
            at += 1;
            assert!(at < rows.len(), "{name} is not in\n{}", rows.join("\n"));
            self.pty.key("Down");
        }
    }

    /// Fills the prompt that is open, whatever stands in it.
    pub fn answer(&self, title: &str, text: &str) {
        self.pty.wait_for(title);
        self.pty.key("C-u").type_text(text).key("Enter");
        self.pty.wait_gone(title);
    }

    /// Shows the output pane and waits for a line in it.
    pub fn wait_output(&self, text: &str) -> Screen {
        self.pty
            .wait_until(&format!("{text:?} in the output"), |screen| {
                pane(screen, "Output").iter().any(|row| row.contains(text))
            })
    }

    /// Leaves while nothing is live: the terminal is as it was, nothing is left.
    pub fn leave(mut self) {
        self.pty.key("q");
        self.expect_gone(0);
    }

    /// Leaves a live session by its quit question; `answer` is its key.
    pub fn leave_live(mut self, answer: &str) {
        self.pty.key("q").wait_for("Quit?");
        self.pty.key(answer);
        self.expect_gone(0);
    }

    /// Waits for the exit, the terminal as it was, and nobody left.
    pub fn expect_gone(&mut self, code: i32) {
        self.pty.expect_exit(code);
        self.pty.wait_restored();
        self.mark.assert_none_left(FAREWELL);
    }
}

/// The rows of the pane with this title, its frame left out.
pub fn pane(screen: &Screen, title: &str) -> Vec<String> {
    let Some(place) = place(screen, title) else {
        return Vec::new();
    };
    let rows = place.rows.map(|row| screen.cells(row));
    rows.map(|row| row[place.columns.clone()].iter().collect())
        .collect()
}

/// Which row of a pane that has the keyboard is selected: it is reversed.
pub fn selected_row(screen: &Screen, title: &str) -> Option<usize> {
    let place = place(screen, title)?;
    let column = u16::try_from(place.columns.start).unwrap();
    let mut rows = place.rows;
    rows.position(|row| screen.style(column, row).reverse)
}

/// What is inside a pane's frame.
struct Place {
    rows: std::ops::Range<u16>,
    columns: std::ops::Range<usize>,
}

fn place(screen: &Screen, title: &str) -> Option<Place> {
    let (columns, rows) = screen.size();
    let grid: Vec<Vec<char>> = (0..rows).map(|row| screen.cells(row)).collect();
    let corner = |top: u16| {
        let row = &grid[usize::from(top)];
        let text: String = row.iter().collect();
        let at = text.find(&format!(" {title} "))?;
        let before = text[..at].chars().count();
        let left = (0..=before)
            .rev()
            .find(|&c| matches!(row[c], '┌' | '╭' | '┏'))?;
        let right = (before..usize::from(columns)).find(|&c| matches!(row[c], '┐' | '╮' | '┓'));
        Some((top, left, right.unwrap_or_else(|| usize::from(columns))))
    };
    let (top, left, right) = (0..rows).find_map(corner)?;
    let ends = |row: &u16| matches!(grid[usize::from(*row)][left], '└' | '╰' | '┗');
    let bottom = (top + 1..rows).find(ends).unwrap_or(rows);
    Some(Place {
        rows: top + 1..bottom,
        columns: left + 1..right,
    })
}

/// A row of a tree without the signs that say whether it is open and whether it has changed.
fn words(row: &str) -> impl Iterator<Item = &str> {
    row.split_whitespace()
        .filter(|word| !matches!(*word, "▸" | "▾" | "*"))
}

fn first_word(row: &str) -> Option<&str> {
    words(row).next()
}

/// The value that a pane shows for `name`, with what follows it in the row.
pub fn value_in(screen: &Screen, title: &str, name: &str) -> Option<String> {
    pane(screen, title).iter().find_map(|row| {
        let row = words(row).collect::<Vec<_>>().join(" ");
        row.strip_prefix(name)?.strip_prefix(' ').map(str::to_owned)
    })
}

/// A sample program that counts in a file, to be attached to.
pub struct Counter {
    child: std::process::Child,
    file: PathBuf,
    mark: Mark,
    _folder: TempDir,
}

impl Counter {
    /// Starts `program arguments… count FILE` and waits until it counts.
    pub fn start(program: &Path, arguments: &[OsString]) -> Self {
        let counter = Self::begin(program, arguments);
        counter.wait_more(0);
        counter
    }

    /// As [`Self::start`], under a debug server that may keep it from counting.
    pub fn begin(program: &Path, arguments: &[OsString]) -> Self {
        let (folder, mark) = (tempfile::tempdir().unwrap(), Mark::new());
        let file = folder.path().join("counter");
        let (name, value) = mark.env();
        let child = Command::new(program)
            .args(arguments)
            .arg("count")
            .arg(&file)
            .env(name, value)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            child,
            file,
            mark,
            _folder: folder,
        }
    }

    /// The number of what was started: the program, or its server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn number(&self) -> u64 {
        count_in(&self.file)
    }

    /// Waits until it has counted past `number`.
    pub fn wait_more(&self, number: u64) {
        wait_more(self.pid(), &self.file, number);
    }

    /// Runs on, and nobody traces it.
    pub fn assert_free(&self) {
        self.wait_more(self.number() + 2);
        assert_eq!(
            procs::status(self.pid(), "TracerPid").as_deref(),
            Some("0"),
            "someone still traces the program"
        );
    }

    pub fn is_traced(&self) -> bool {
        procs::status(self.pid(), "TracerPid").is_some_and(|tracer| tracer != "0")
    }

    pub fn is_alive(&self) -> bool {
        procs::is_alive(self.pid())
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.mark.kill_all();
        let _ = self.child.wait();
    }
}

/// A port of this machine that nobody listens on; `wait_listening` takes nobody else for who is waited for.
pub fn free_port() -> u16 {
    omp_debug::peers::free_port().unwrap()
}

/// Waits until someone listens on a port, without connecting: some servers take one client only.
pub fn wait_listening(port: u16) {
    wait_port(port, "nobody listens", || has_socket(port, LISTENS));
}

/// Waits until what `debugpy --listen` started can be attached to: the program has come to it. Who attaches before that ends it now and
/// then.
pub fn wait_debugpy(port: u16) {
    wait_port(port, "no program came to what listens", || {
        let listeners = omp_debug::peers::listeners((Ipv4Addr::LOCALHOST, port).into());
        let ports = listeners
            .iter()
            .flat_map(|(pid, _)| omp_debug::peers::listening(*pid));
        ports
            .map(|at| at.port())
            .any(|of_it| of_it != port && has_socket(of_it, ESTABLISHED))
    });
}

/// States of sockets, as the kernel numbers them (proc(5)).
const LISTENS: &str = "0A";
const ESTABLISHED: &str = "01";

fn has_socket(port: u16, state: &str) -> bool {
    // Local address, remote address, state.
    let wanted = format!(":{port:04X}");
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    table.lines().any(|line| {
        let fields: Vec<_> = line.split_whitespace().collect();
        fields.get(1).is_some_and(|a| a.ends_with(&wanted)) && fields.get(3) == Some(&state)
    })
}

fn wait_port(port: u16, why: &str, is_so: impl Fn() -> bool) {
    // As long as anything else may take that a program has to begin for.
    let deadline = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < deadline, "{why} on port {port}");
        // The table does not say when it changes.
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// The number in a counter's file.
pub fn count_in(file: &Path) -> u64 {
    // The program may be about to write it.
    let text = fs::read_to_string(file).unwrap_or_default();
    text.parse().unwrap_or(0)
}

/// Waits until the program with this number has counted past `number`.
pub fn wait_more(pid: u32, file: &Path, number: u64) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while count_in(file) <= number {
        assert!(
            Instant::now() < deadline,
            "the program does not run on: {:?}",
            procs::look_up(pid)
        );
        // The file says nothing when it changes; the program's end would be a change as well.
        let ended = procs::wait_exit(pid, Duration::from_millis(20));
        assert!(!ended, "the program has died");
    }
}
