//! A program in a real pseudo terminal, seen through an emulator.
//!
//! The emulator (vt100) draws what the program writes; a reader thread feeds it and answers the
//! questions a terminal is asked (colours, device, cursor, keyboard flags). Tests type, and wait for what
//! they expect on the screen.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};

mod emulator;
mod keys;
mod modes;
mod screen;

use super::procs;
use emulator::Emulator;
use keys::encode_key;
use modes::{dec_modes, keyboard_depth, switches};
use screen::framed;

pub use emulator::Background;
pub use screen::{Screen, Style};

/// How long a wait may take before the test fails, unless told otherwise.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// How to start a program in a terminal.
pub struct Builder {
    command: Command,
    columns: u16,
    rows: u16,
    background: Background,
    patience: Duration,
}

impl Builder {
    /// 120 columns by 40 rows, dark, true colour, UTF-8.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(program);
        command
            .env("TERM", "xterm-256color")
            .env("COLORTERM", "truecolor")
            .env("LANG", "C.UTF-8")
            .env_remove("LC_ALL")
            .env_remove("NO_COLOR")
            .env_remove("TMUX")
            .env_remove("SSH_CONNECTION")
            .env_remove("SSH_TTY");
        Self {
            command,
            columns: 120,
            rows: 40,
            background: Background::Dark,
            patience: PATIENCE,
        }
    }

    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.command.args(arguments);
        self
    }

    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn env_remove(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub fn cwd(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn size(mut self, columns: u16, rows: u16) -> Self {
        (self.columns, self.rows) = (columns, rows);
        self
    }

    pub fn background(mut self, background: Background) -> Self {
        self.background = background;
        self
    }

    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    pub fn spawn(mut self) -> Pty {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).expect("open a pseudo terminal");
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        tcsetwinsize(&master, winsize(self.columns, self.rows)).unwrap();
        let before = modes_of(&master);
        let terminal = ioctl_tiocgptpeer(&master, flags).unwrap();
        self.command
            .stdin(terminal.try_clone().unwrap())
            .stdout(terminal.try_clone().unwrap())
            .stderr(terminal);
        let own_terminal = || {
            rustix::process::setsid()?;
            rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
            Ok(())
        };
        #[expect(unsafe_code, reason = "a session is made between fork and exec")]
        // SAFETY: two system calls that are async-signal-safe, and no memory is touched.
        unsafe {
            self.command.pre_exec(own_terminal);
        }
        let child = self
            .command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {:?}: {error}", self.command));
        let emulator = Emulator {
            background: self.background,
            answers: Vec::new(),
            answered: 0,
            titles: Vec::new(),
            clipboard: Vec::new(),
            is_drawing: false,
        };
        let state = State {
            parser: vt100::Parser::new_with_callbacks(self.rows, self.columns, 0, emulator),
            raw: Vec::new(),
            hung_up: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let name = self.command.get_program().to_string_lossy().into_owned();
        // The command holds our copies of the terminal; with them open it would never hang up.
        drop(self.command);
        let master = Arc::new(master);
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).unwrap());
        let (read, stopped, seen) = (Arc::clone(&master), Arc::clone(&stop), Arc::clone(&shared));
        let reader = std::thread::spawn(move || read_all(&read, &stopped, &seen));
        Pty {
            name,
            master,
            reader: Some(reader),
            stop,
            child,
            shared,
            before,
            patience: self.patience,
        }
    }
}

/// A running program and its terminal. Dropping it kills the program.
pub struct Pty {
    name: String,
    master: Arc<OwnedFd>,
    reader: Option<JoinHandle<()>>,
    /// Written to, the reader lets go of the terminal.
    stop: Arc<OwnedFd>,
    child: Child,
    shared: Arc<Shared>,
    before: String,
    patience: Duration,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    parser: vt100::Parser<Emulator>,
    raw: Vec<u8>,
    hung_up: bool,
}

fn read_all(master: &OwnedFd, stop: &OwnedFd, shared: &Shared) {
    let mut buffer = vec![0; 65_536];
    loop {
        let mut fds = [master, stop].map(|fd| PollFd::new(fd, PollFlags::IN));
        let _ = poll(&mut fds, None);
        if !fds[1].revents().is_empty() {
            break;
        }
        let count = match rustix::io::read(master, &mut buffer) {
            Err(rustix::io::Errno::INTR) => continue,
            // EIO: nobody has the terminal open any more.
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        let answers = {
            let mut state = shared.state.lock().unwrap();
            state.raw.extend(&buffer[..count]);
            state.parser.process(&buffer[..count]);
            std::mem::take(&mut state.parser.callbacks_mut().answers)
        };
        shared.changed.notify_all();
        write_all(master, &answers);
    }
    shared.state.lock().unwrap().hung_up = true;
    shared.changed.notify_all();
}

fn write_all(master: &OwnedFd, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match rustix::io::write(master, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(rustix::io::Errno::INTR) => {}
            // The program is gone; the next wait says so with the screen.
            Err(_) => return,
        }
    }
}

fn winsize(columns: u16, rows: u16) -> Winsize {
    Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

/// The line discipline's modes, comparable and readable in a failure.
fn modes_of(master: &OwnedFd) -> String {
    // Asked through the master, Linux answers for the terminal.
    format!("{:#?}", tcgetattr(master).unwrap())
}

impl Pty {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What is shown now: the last whole frame.
    pub fn screen(&self) -> Screen {
        self.wait_until("a whole frame", |_| true)
    }

    /// Every byte the program wrote.
    pub fn raw(&self) -> Vec<u8> {
        self.lock().raw.clone()
    }

    /// Window titles the program set, oldest first.
    pub fn titles(&self) -> Vec<String> {
        self.lock().parser.callbacks().titles.clone()
    }

    /// What the program put into the clipboard by OSC 52 (base64), oldest first.
    pub fn clipboard(&self) -> Vec<Vec<u8>> {
        self.lock().parser.callbacks().clipboard.clone()
    }

    /// How often the terminal has answered a question.
    pub fn answered(&self) -> usize {
        self.lock().parser.callbacks().answered
    }

    /// Waits until more than so many texts were copied; the last one.
    pub fn wait_copied(&self, more_than: usize) -> Vec<u8> {
        let copied = self.wait_state(|state| {
            let clipboard = &state.parser.callbacks().clipboard;
            (clipboard.len() > more_than)
                .then(|| clipboard.last().cloned())
                .flatten()
        });
        copied.unwrap_or_else(|why| panic!("{}: waited for a copy, {why}", self.name))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap()
    }

    pub fn wait_for(&self, text: &str) -> Screen {
        self.wait_until(&format!("{text:?}"), |screen| screen.contains(text))
    }

    pub fn wait_gone(&self, text: &str) -> Screen {
        self.wait_until(&format!("{text:?} to go"), |screen| !screen.contains(text))
    }

    /// Waits until the screen is as `wanted`; `what` says so in the failure.
    pub fn wait_until(&self, what: &str, mut wanted: impl FnMut(&Screen) -> bool) -> Screen {
        let found = self.wait_state(|state| {
            // The rest of a frame is on its way, unless nobody is there any more to send it.
            if state.parser.callbacks().is_drawing && !state.hung_up {
                return None;
            }
            let screen = Screen(state.parser.screen().clone());
            wanted(&screen).then_some(screen)
        });
        found.unwrap_or_else(|why| panic!("{}: waited for {what}, {why}", self.name))
    }

    /// Waits until the bytes written so far are as `wanted`.
    pub fn wait_raw(&self, what: &str, mut wanted: impl FnMut(&[u8]) -> bool) {
        self.wait_state(|state| wanted(&state.raw).then_some(()))
            .unwrap_or_else(|why| panic!("{}: waited for {what}, {why}", self.name));
    }

    fn wait_state<T>(&self, mut check: impl FnMut(&State) -> Option<T>) -> Result<T, String> {
        let deadline = Instant::now() + self.patience;
        let mut state = self.lock();
        loop {
            if let Some(found) = check(&state) {
                return Ok(found);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let why = if state.hung_up {
                "but the program closed the terminal"
            } else if left.is_zero() {
                "in vain"
            } else {
                (state, _) = self.shared.changed.wait_timeout(state, left).unwrap();
                continue;
            };
            return Err(format!(
                "{why}; the screen:\n{}",
                framed(state.parser.screen())
            ));
        }
    }

    /// Presses a key: a character, or `Enter`, `F10`, `S-F11`, `C-c`, `M-x`, `C-Up`, …
    pub fn key(&self, name: &str) -> &Self {
        self.send(&encode_key(name));
        self
    }

    /// Agrees to the question on the screen, once it takes keys.
    pub fn agree(&self) -> &Self {
        self.wait_for("Enter answers");
        self.key("Left").wait_for("▸ Yes");
        self.key("Enter")
    }

    /// Answers a question with no, once it listens.
    pub fn decline(&self) -> &Self {
        self.wait_for("Enter answers");
        self.key("n")
    }

    pub fn keys(&self, names: &[&str]) -> &Self {
        for name in names {
            self.key(name);
        }
        self
    }

    /// Types text as single characters.
    pub fn type_text(&self, text: &str) -> &Self {
        self.send(text.as_bytes());
        self
    }

    /// Pastes, in brackets when the program asked for them.
    pub fn paste(&self, text: &str) -> &Self {
        let bracketed = self.lock().parser.screen().bracketed_paste();
        if bracketed {
            self.send(format!("\x1b[200~{text}\x1b[201~").as_bytes());
        } else {
            self.send(text.as_bytes());
        }
        self
    }

    /// Presses and releases the left button on a cell, counted from 0.
    pub fn click(&self, column: u16, row: u16) -> &Self {
        let (x, y) = (column + 1, row + 1);
        self.send(format!("\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m").as_bytes());
        self
    }

    /// Clicks on the first cell of `text`, once it is there.
    pub fn click_on(&self, text: &str) -> &Self {
        let (column, row) = self.wait_for(text).find(text).unwrap();
        self.click(column, row)
    }

    /// Turns the wheel: down by `lines`, or up when it is negative.
    pub fn wheel(&self, column: u16, row: u16, lines: i32) -> &Self {
        let button = if lines < 0 { 64 } else { 65 };
        for _ in 0..lines.abs() {
            self.send(format!("\x1b[<{button};{};{}M", column + 1, row + 1).as_bytes());
        }
        self
    }

    pub fn focus(&self, gained: bool) -> &Self {
        self.send(if gained { b"\x1b[I" } else { b"\x1b[O" });
        self
    }

    pub fn send(&self, bytes: &[u8]) -> &Self {
        write_all(&self.master, bytes);
        self
    }

    pub fn resize(&self, columns: u16, rows: u16) -> &Self {
        self.lock().parser.screen_mut().set_size(rows, columns);
        tcsetwinsize(&*self.master, winsize(columns, rows)).unwrap();
        self
    }

    pub fn signal(&self, signal: Signal) -> &Self {
        procs::signal(self.pid(), signal);
        self
    }

    /// Waits for the program itself to end (its keepers may hold the terminal a moment longer).
    pub fn wait_exit(&mut self) -> ExitStatus {
        if !procs::wait_exit(self.pid(), self.patience) {
            let screen = framed(self.lock().parser.screen());
            panic!("{} has not ended; the screen:\n{screen}", self.name);
        }
        self.child.wait().unwrap()
    }

    /// Waits for an exit with this code.
    pub fn expect_exit(&mut self, code: i32) {
        let status = self.wait_exit();
        assert!(
            status.code() == Some(code),
            "{}: exit code {:?}, signal {:?}, expected {code}; the screen:\n{}",
            self.name,
            status.code(),
            status.signal(),
            framed(self.lock().parser.screen()),
        );
    }

    /// Closes the terminal, as closing its window does. Nothing can be seen or typed afterwards.
    pub fn hang_up(&mut self) {
        rustix::io::write(&self.stop, &1_u64.to_ne_bytes()).unwrap();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null");
        self.master = Arc::new(nowhere.unwrap().into());
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// DEC private modes the program has switched, as they are now.
    pub fn dec_modes(&self) -> BTreeMap<u16, bool> {
        dec_modes(&self.lock().raw)
    }

    /// Whether the program has ever switched this mode on.
    pub fn ever_set(&self, mode: u16) -> bool {
        switches(&self.lock().raw).contains(&(mode, true))
    }

    /// The line discipline's modes as they are now, for comparing.
    pub fn line_discipline(&self) -> String {
        modes_of(&self.master)
    }

    /// Waits until the line discipline's modes are these again.
    pub fn wait_line_discipline(&self, wanted: &str) {
        let deadline = Instant::now() + self.patience;
        loop {
            let now = self.line_discipline();
            if now == wanted {
                return;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "{}: the line discipline is {now}, not {wanted}",
                self.name
            );
            // It changes without a byte: look again now and then.
            let pause = left.min(Duration::from_millis(20));
            let state = self.lock();
            drop(self.shared.changed.wait_timeout(state, pause).unwrap());
        }
    }

    /// Waits until the terminal is as the program found it: line discipline, main screen, cursor,
    /// and every mode it switched.
    pub fn wait_restored(&self) {
        let deadline = Instant::now() + self.patience;
        loop {
            let problems = self.not_restored();
            if problems.is_empty() {
                return;
            }
            let state = self.lock();
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "{}: the terminal is not as it was: {problems:#?}",
                self.name
            );
            // Modes of the line discipline change without a byte: look again now and then.
            let pause = left.min(Duration::from_millis(20));
            drop(self.shared.changed.wait_timeout(state, pause).unwrap());
        }
    }

    /// What is not as the program found it.
    pub fn not_restored(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let now = modes_of(&self.master);
        if now != self.before {
            let changed = self.before.lines().zip(now.lines());
            let changed = changed.filter(|(before, now)| before != now);
            problems.extend(changed.map(|(before, now)| format!("{before} became {now}")));
        }
        let state = self.lock();
        let screen = state.parser.screen();
        if screen.alternate_screen() {
            problems.push("the alternate screen is shown".to_owned());
        }
        if screen.hide_cursor() {
            problems.push("the cursor is hidden".to_owned());
        }
        for (mode, on) in dec_modes(&state.raw) {
            // The cursor and line wrap are on in a fresh terminal, all others off.
            let fresh = matches!(mode, 7 | 25);
            if on != fresh {
                let word = if on { "on" } else { "off" };
                problems.push(format!("mode ?{mode} is {word}"));
            }
        }
        let depth = keyboard_depth(&state.raw);
        if depth > 0 {
            problems.push(format!("{depth} set(s) of keyboard flags are still pushed"));
        }
        problems
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        self.kill();
    }
}
