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
use std::time::{Duration, Instant};

use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};

use super::procs;

/// How long a wait may take before the test fails, unless told otherwise.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What the terminal says its background is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    Dark,
    Light,
    /// A terminal that does not answer colour questions.
    Silent,
}

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
            titles: Vec::new(),
            clipboard: Vec::new(),
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
        let (reader, seen) = (Arc::clone(&master), Arc::clone(&shared));
        std::thread::spawn(move || read_all(&reader, &seen));
        Pty {
            name,
            master,
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

/// The side of a terminal that talks back.
struct Emulator {
    background: Background,
    answers: Vec<u8>,
    titles: Vec<String>,
    clipboard: Vec<Vec<u8>>,
}

impl vt100::Callbacks for Emulator {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.titles
            .push(String::from_utf8_lossy(title).into_owned());
    }

    fn copy_to_clipboard(&mut self, _: &mut vt100::Screen, _kind: &[u8], data: &[u8]) {
        self.clipboard.push(data.to_owned());
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        let (foreground, background) = match self.background {
            Background::Dark => ("d4d4/d4d4/d4d4", "1e1e/1e1e/1e1e"),
            Background::Light => ("1e1e/1e1e/1e1e", "ffff/ffff/ffff"),
            Background::Silent => return,
        };
        let colour = match params {
            [b"10", b"?"] => foreground,
            [b"11", b"?"] => background,
            _ => return,
        };
        let number = String::from_utf8_lossy(params[0]);
        self.answers
            .extend(format!("\x1b]{number};rgb:{colour}\x1b\\").bytes());
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        second: Option<u8>,
        params: &[&[u16]],
        last: char,
    ) {
        let number = params.first().and_then(|p| p.first()).copied().unwrap_or(0);
        let answer = match (first, second, last, number) {
            (None, None, 'c', 0) => "\x1b[?62;22c".to_owned(),
            (None, None, 'n', 5) => "\x1b[0n".to_owned(),
            (None, None, 'n', 6) => {
                let (row, column) = screen.cursor_position();
                format!("\x1b[{};{}R", row + 1, column + 1)
            }
            // Keyboard flags: known, none set.
            (Some(b'?'), None, 'u', _) => "\x1b[?0u".to_owned(),
            _ => return,
        };
        self.answers.extend(answer.bytes());
    }
}

fn read_all(master: &OwnedFd, shared: &Shared) {
    let mut buffer = vec![0; 65_536];
    loop {
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

/// A colour and its attributes, for tests of themes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub foreground: vt100::Color,
    pub background: vt100::Color,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub reverse: bool,
}

/// The screen as it was at one moment.
#[derive(Clone)]
pub struct Screen(vt100::Screen);

impl Screen {
    pub fn text(&self) -> String {
        self.0.contents()
    }

    /// One row's text, blanks at its end included.
    pub fn row(&self, row: u16) -> String {
        let (_, columns) = self.0.size();
        self.0
            .rows(0, columns)
            .nth(usize::from(row))
            .unwrap_or_default()
    }

    pub fn contains(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// (column, row) of the first cell of `text` within one row, from 0.
    pub fn find(&self, text: &str) -> Option<(u16, u16)> {
        let (rows, columns) = self.0.size();
        (0..rows).find_map(|row| {
            // Cells and not characters: a wide character fills two, a cluster only one.
            let mut starts = Vec::new();
            let mut line = String::new();
            for column in 0..columns {
                let cell = self.0.cell(row, column)?;
                if cell.is_wide_continuation() {
                    continue;
                }
                starts.push((line.len(), column));
                line.push_str(if cell.has_contents() {
                    cell.contents()
                } else {
                    " "
                });
            }
            let at = line.find(text)?;
            let (_, column) = starts.iter().rev().find(|(start, _)| *start <= at)?;
            Some((*column, row))
        })
    }

    pub fn style(&self, column: u16, row: u16) -> Style {
        let cell = self.0.cell(row, column).expect("a cell on the screen");
        Style {
            foreground: cell.fgcolor(),
            background: cell.bgcolor(),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
            reverse: cell.inverse(),
        }
    }

    /// The style of the first cell of `text`.
    pub fn style_of(&self, text: &str) -> Style {
        let (column, row) = self
            .find(text)
            .unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{}", self.text()));
        self.style(column, row)
    }

    /// (column, row), from 0; `None` while it is hidden.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        let (row, column) = self.0.cursor_position();
        (!self.0.hide_cursor()).then_some((column, row))
    }

    pub fn is_alternate(&self) -> bool {
        self.0.alternate_screen()
    }

    /// (columns, rows).
    pub fn size(&self) -> (u16, u16) {
        let (rows, columns) = self.0.size();
        (columns, rows)
    }
}

impl Pty {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn screen(&self) -> Screen {
        Screen(self.lock().parser.screen().clone())
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

fn framed(screen: &vt100::Screen) -> String {
    let (_, columns) = screen.size();
    let line = "─".repeat(usize::from(columns));
    let rows: Vec<_> = screen.rows(0, columns).collect();
    format!("┌{line}\n│{}\n└{line}", rows.join("\n│"))
}

/// Control sequences `ESC [ parameters final` in order.
fn sequences(raw: &[u8]) -> impl Iterator<Item = (&[u8], u8)> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let at = rest.windows(2).position(|pair| pair == b"\x1b[")?;
        rest = &rest[at + 2..];
        let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
        let found = (&rest[..end], rest[end]);
        rest = &rest[end + 1..];
        Some(found)
    })
}

fn switches(raw: &[u8]) -> Vec<(u16, bool)> {
    sequences(raw)
        .filter(|(parameters, last)| parameters.starts_with(b"?") && matches!(last, b'h' | b'l'))
        .flat_map(|(parameters, last)| {
            let text = String::from_utf8_lossy(&parameters[1..]).into_owned();
            let modes: Vec<_> = text
                .split(';')
                .filter_map(|mode| mode.parse().ok())
                .collect();
            modes.into_iter().map(move |mode| (mode, last == b'h'))
        })
        .collect()
}

fn dec_modes(raw: &[u8]) -> BTreeMap<u16, bool> {
    switches(raw).into_iter().collect()
}

/// How many sets of keyboard flags (`CSI > flags u`) are pushed.
fn keyboard_depth(raw: &[u8]) -> i32 {
    let mut depth = 0;
    for (parameters, last) in sequences(raw).filter(|(_, last)| *last == b'u') {
        match (parameters.first(), last) {
            (Some(b'>'), _) => depth += 1,
            (Some(b'<'), _) => {
                let text = String::from_utf8_lossy(&parameters[1..]);
                // Popping an empty stack is allowed and does nothing.
                depth = (depth - text.parse().unwrap_or(1)).max(0);
            }
            _ => {}
        }
    }
    depth
}

/// The bytes that xterm sends for a key.
fn encode_key(name: &str) -> Vec<u8> {
    let (mut rest, mut shift, mut alt, mut control) = (name, false, false, false);
    while let Some((modifier, key)) = rest.split_once('-').filter(|(_, key)| !key.is_empty()) {
        match modifier {
            "S" => shift = true,
            "M" | "A" => alt = true,
            "C" => control = true,
            _ => panic!("unknown modifier in key {name:?}"),
        }
        rest = key;
    }
    let modifiers = 1 + u8::from(shift) + 2 * u8::from(alt) + 4 * u8::from(control);
    let with_modifiers = |number: &str, last: char| match (modifiers, number) {
        (1, "1") => format!("\x1b[{last}"),
        (1, _) => format!("\x1b[{number}{last}"),
        _ => format!("\x1b[{number};{modifiers}{last}"),
    };
    let sequence = match rest {
        "Up" => with_modifiers("1", 'A'),
        "Down" => with_modifiers("1", 'B'),
        "Right" => with_modifiers("1", 'C'),
        "Left" => with_modifiers("1", 'D'),
        "Home" => with_modifiers("1", 'H'),
        "End" => with_modifiers("1", 'F'),
        "Insert" => with_modifiers("2", '~'),
        "Delete" => with_modifiers("3", '~'),
        "PageUp" => with_modifiers("5", '~'),
        "PageDown" => with_modifiers("6", '~'),
        "F1" | "F2" | "F3" | "F4" => {
            let last = char::from(b'P' + rest.as_bytes()[1] - b'1');
            if modifiers == 1 {
                format!("\x1bO{last}")
            } else {
                with_modifiers("1", last)
            }
        }
        "F5" => with_modifiers("15", '~'),
        "F6" => with_modifiers("17", '~'),
        "F7" => with_modifiers("18", '~'),
        "F8" => with_modifiers("19", '~'),
        "F9" => with_modifiers("20", '~'),
        "F10" => with_modifiers("21", '~'),
        "F11" => with_modifiers("23", '~'),
        "F12" => with_modifiers("24", '~'),
        "Tab" if shift => "\x1b[Z".to_owned(),
        _ => {
            let character = match rest {
                "Enter" => '\r',
                "Esc" => '\x1b',
                "Tab" => '\t',
                "Space" => ' ',
                "Backspace" => '\x7f',
                _ => {
                    let mut characters = rest.chars();
                    match (characters.next(), characters.next()) {
                        (Some(character), None) => character,
                        _ => panic!("unknown key {name:?}"),
                    }
                }
            };
            let character = match character {
                ' ' if control => '\0',
                character if control => char::from(character.to_ascii_lowercase() as u8 & 0x1f),
                character if shift => character.to_ascii_uppercase(),
                character => character,
            };
            let escape = if alt { "\x1b" } else { "" };
            format!("{escape}{character}")
        }
    };
    sequence.into_bytes()
}
