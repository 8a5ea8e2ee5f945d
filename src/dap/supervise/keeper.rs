//! The terminal, put back after us: `--supervise-terminal`.
//!
//! The terminal guard restores the terminal on every exit that can be caught. This process is for
//! the others: it holds the modes as they were before raw mode, and restores them when its control
//! descriptor closes without a word. `Q` says that the guard did it; `P` that the terminal is
//! someone else's for a while (an editor, the shell after Ctrl-Z), `R` that it is ours again.

use std::{
    ffi::OsStr,
    io::{self, Write as _},
    os::{
        fd::AsFd as _,
        unix::{net::UnixStream, process::CommandExt as _},
    },
    process::{Child, Command, ExitCode, Stdio},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{set_parent_process_death_signal, setsid},
    termios::{
        ControlModes, InputModes, LocalModes, OptionalActions, OutputModes, QueueSelector,
        SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
    },
};

use super::{
    control::{LINES, SUPERVISE_TERMINAL, inherit, read_control},
    signals,
};

/// Ends everything a screen may have switched on. The keyboard flags are popped first: terminals
/// keep one stack of them for each screen, and ours is the alternate one.
pub const RESTORE: &[u8] = b"\x1b[?2026l\x1b[<u\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\
\x1b[?1006l\x1b[?1015l\x1b[?2004l\x1b[?1004l\x1b[0m\x1b[?1049l\x1b[0 q\x1b[?25h\x1b[0m";

/// Ends what an editor of lines switches on. It stays on the shell's own screen, where leaving the other one would move the cursor.
const RESTORE_LINES: &[u8] = b"\x1b[?2004l\x1b[0m";

/// What we do with the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalUse {
    /// All of it is ours, until we say that it is not.
    Screen,
    /// Lines are edited on it now and then; it shows in its modes when.
    Lines,
}

/// The special characters, in the order of the text form.
const CODES: [SpecialCodeIndex; 16] = [
    SpecialCodeIndex::VINTR,
    SpecialCodeIndex::VQUIT,
    SpecialCodeIndex::VERASE,
    SpecialCodeIndex::VKILL,
    SpecialCodeIndex::VEOF,
    SpecialCodeIndex::VTIME,
    SpecialCodeIndex::VMIN,
    SpecialCodeIndex::VSTART,
    SpecialCodeIndex::VSTOP,
    SpecialCodeIndex::VSUSP,
    SpecialCodeIndex::VEOL,
    SpecialCodeIndex::VREPRINT,
    SpecialCodeIndex::VDISCARD,
    SpecialCodeIndex::VWERASE,
    SpecialCodeIndex::VLNEXT,
    SpecialCodeIndex::VEOL2,
];

/// A terminal's modes as text for a command line: hexadecimal numbers with colons between; the
/// input, output, control and local flags, then the special characters. The screen's terminal
/// guard writes the same form. Speeds are left out, nobody changes them.
pub fn encode(modes: &Termios) -> String {
    let words = [
        modes.input_modes.bits(),
        modes.output_modes.bits(),
        modes.control_modes.bits(),
        modes.local_modes.bits(),
    ];
    let codes = CODES.map(|index| u32::from(modes.special_codes[index]));
    let numbers = words.iter().chain(&codes);
    let texts: Vec<String> = numbers.map(|number| format!("{number:x}")).collect();
    texts.join(":")
}

/// The modes that `text` holds, over those of the terminal on standard input.
pub fn decode(text: &OsStr) -> Result<Termios, String> {
    let current = tcgetattr(io::stdin())
        .map_err(|error| format!("standard input is not a terminal ({error})"))?;
    apply(text, current)
}

fn apply(text: &OsStr, mut modes: Termios) -> Result<Termios, String> {
    let text = text.to_str().unwrap_or_default();
    let numbers: Result<Vec<u32>, _> = text
        .split(':')
        .map(|number| u32::from_str_radix(number, 16))
        .collect();
    let expected = || format!("{} hexadecimal numbers are expected", 4 + CODES.len());
    let numbers = numbers.map_err(|error| format!("{}: {error}", expected()))?;
    let [input, output, control, local, codes @ ..] = numbers.as_slice() else {
        return Err(expected());
    };
    if codes.len() != CODES.len() {
        return Err(expected());
    }
    modes.input_modes = InputModes::from_bits_retain(*input);
    modes.output_modes = OutputModes::from_bits_retain(*output);
    modes.control_modes = ControlModes::from_bits_retain(*control);
    modes.local_modes = LocalModes::from_bits_retain(*local);
    for (index, code) in CODES.into_iter().zip(codes) {
        modes.special_codes[index] =
            u8::try_from(*code).map_err(|error| format!("a character of {code:x}: {error}"))?;
    }
    Ok(modes)
}

/// Waits for the end of omp-debug and restores the terminal if nobody else did.
pub fn run(control: &UnixStream, saved: &Termios, what_for: TerminalUse) -> ExitCode {
    // Out of the terminal's session: neither its signals nor its hang-up reach us, and changing
    // its modes is not stopped by job control.
    let _ = setsid();
    let _ = set_parent_process_death_signal(None);
    signals::ignore_the_terminal();
    let _ = std::env::set_current_dir("/");
    let mut ours = true;
    loop {
        let mut fds = [PollFd::from_borrowed_fd(control.as_fd(), PollFlags::IN)];
        let _ = poll(&mut fds, None);
        let Some(bytes) = read_control(control) else {
            break;
        };
        for byte in bytes {
            match byte {
                b'Q' => return ExitCode::SUCCESS,
                b'P' => ours = false,
                b'R' => ours = true,
                _ => {}
            }
        }
    }
    match what_for {
        _ if !ours => {}
        TerminalUse::Screen => restore(saved),
        TerminalUse::Lines => restore_lines(saved),
    }
    ExitCode::SUCCESS
}

/// Each step on its own: a terminal that refuses one may still take the others.
fn restore(saved: &Termios) {
    let terminal = io::stdin();
    write_unless_stopped(RESTORE);
    let Ok(current) = tcgetattr(&terminal) else {
        return;
    };
    // A shell that woke before us has set the modes for its own line editor; those are cooked
    // enough to keep these two, and ours to leave alone.
    let raw = !current.local_modes.contains(LocalModes::ISIG)
        && !current.output_modes.contains(OutputModes::OPOST);
    if raw {
        let _ = tcsetattr(&terminal, OptionalActions::Now, saved);
    }
    // Mouse reports that nobody will read would be typed into the shell.
    let _ = tcflush(&terminal, QueueSelector::IFlush);
}

/// Between two lines, and once a shell has set its own modes, there is nothing to undo. What is typed ahead stays.
fn restore_lines(saved: &Termios) {
    let terminal = io::stdin();
    let is_edited = tcgetattr(&terminal).is_ok_and(|current| {
        let cooked = LocalModes::ISIG | LocalModes::ICANON;
        !current.local_modes.intersects(cooked)
    });
    if is_edited {
        write_unless_stopped(RESTORE_LINES);
        let _ = tcsetattr(&terminal, OptionalActions::Now, saved);
    }
}

/// A terminal stopped by Ctrl-S takes no bytes; waiting for it for ever would leave it raw as well.
fn write_unless_stopped(bytes: &[u8]) {
    let terminal = io::stdin();
    let mut fds = [PollFd::from_borrowed_fd(terminal.as_fd(), PollFlags::OUT)];
    let second = Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    };
    if !matches!(poll(&mut fds, Some(&second)), Ok(ready) if ready > 0) {
        return;
    }
    let mut rest = bytes;
    while !rest.is_empty() {
        match rustix::io::write(&terminal, rest) {
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// A process that restores the terminal should we die without doing it. Dropping this without
/// [`TerminalKeeper::quit`] counts as such a death: the keeper restores the terminal then, too.
#[derive(Debug)]
pub struct TerminalKeeper {
    control: UnixStream,
    child: Child,
}

impl TerminalKeeper {
    /// Starts a keeper of this process's terminal. `saved` are its modes from before raw mode:
    /// taking them later is a race with the first key.
    pub fn start(saved: &Termios, what_for: TerminalUse) -> io::Result<Self> {
        let (control, theirs) = UnixStream::pair()?;
        // Standard input may be open for reading only, or be no terminal at all.
        let terminal = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/tty")?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(SUPERVISE_TERMINAL);
        inherit(&mut command, theirs.into());
        command
            .arg("--termios")
            .arg(encode(saved))
            .stdin(Stdio::from(terminal))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if what_for == TerminalUse::Lines {
            command.arg(LINES);
        }
        #[expect(unsafe_code, reason = "a session is made between fork and exec")]
        // SAFETY: one system call that is async-signal-safe, and no memory is touched.
        unsafe {
            // From the beginning: should we lead the terminal's session, the kernel hangs up on all in front when we are killed.
            command.pre_exec(|| Ok(setsid().map(drop)?));
        }
        let child = command.spawn()?;
        Ok(Self { control, child })
    }

    /// The terminal is handed to someone else for a while: leave it alone whatever happens to us.
    pub fn pause(&self) {
        self.say(b"P");
    }

    /// The terminal is ours again.
    pub fn resume(&self) {
        self.say(b"R");
    }

    /// The terminal has been restored: the keeper ends at once, and is waited for.
    pub fn quit(mut self) {
        self.say(b"Q");
        // It may be gone already; there is nothing to restore then either.
        let _ = self.child.wait();
    }

    fn say(&self, word: &[u8]) {
        // A keeper that is gone cannot be told; the guard does its own work regardless.
        let _ = (&self.control).write_all(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};

    #[test]
    fn modes_survive_the_command_line() {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let terminal = ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        let mut modes = tcgetattr(&terminal).unwrap();
        modes.special_codes[SpecialCodeIndex::VERASE] = 8;
        let text = encode(&modes);
        let mut raw = modes.clone();
        raw.make_raw();
        raw.special_codes[SpecialCodeIndex::VINTR] = 0;
        let back = apply(OsStr::new(&text), raw).unwrap();
        assert_eq!(encode(&back), text);
        let bad = [
            String::new(),
            "0:1:2".to_owned(),
            format!("{text}:0"),
            text.replacen(':', ":x", 1),
            format!("{text}fff"),
        ];
        for text in bad {
            assert!(apply(OsStr::new(&text), back.clone()).is_err(), "{text}");
        }
    }
}
