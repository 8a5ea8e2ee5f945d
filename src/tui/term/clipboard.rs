//! Copies text out, by the way that works where we are, and says which way that was.
//!
//! [`copy_by`] is the policy: a function of the place and of the ways, tried in order. [`Clipboard`] brings the real ways and
//! keeps them off the drawing task. OSC 52 gives no answer, and only the drawing task may write to the terminal, so the sequence
//! is handed back to be written between two frames. Leaves to others: what to copy.

use std::{
    fmt,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use base::{
    surroundings::{on_path, variables},
    tasks,
    text::sanitise::sanitise_from,
};
use crossterm::{Command as _, clipboard::CopyToClipboard};
use rustix::process::{Pid, Signal, kill_process};

use super::capabilities::{Capabilities, Multiplexer};

/// The longest text that OSC 52 may carry, in bytes of base64. Terminals drop longer sequences without a word.
pub const OSC52_LIMIT: usize = 100_000;
/// How long a desktop or tmux may take. Both answer in milliseconds or hang.
const PATIENCE: Duration = Duration::from_secs(2);

/// Which way the text went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyMethod {
    /// Into the desktop's clipboard.
    Native,
    /// Into tmux's buffer, and by tmux to the terminal if that allows it.
    Tmux,
    /// To the terminal, which does not say whether it obeyed.
    Terminal,
    File(PathBuf),
}

/// A copy that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// Where it went.
    pub way: CopyMethod,
    /// Lines of the text.
    pub lines: usize,
    /// A sequence to write with [`super::screen::Screen::write_sequence`]; only then is the copy complete.
    pub sequence: Option<String>,
}

impl fmt::Display for Copied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lines {
            1 => write!(f, "copied ")?,
            lines => write!(f, "copied {lines} lines ")?,
        }
        match &self.way {
            CopyMethod::Native => write!(f, "to the clipboard"),
            CopyMethod::Tmux => write!(f, "to the tmux buffer"),
            CopyMethod::Terminal => write!(f, "by the terminal (OSC 52; it does not confirm)"),
            CopyMethod::File(path) => write!(f, "to {} (no clipboard took it)", path.display()),
        }
    }
}

/// No way took the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nothing was copied: {0}; export to a file instead")]
pub struct CopyError(pub String);

/// Where we are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CopyPlace {
    /// The person sits at another machine, so this one's desktop is not theirs.
    pub ssh: bool,
    /// What sits between us and the terminal.
    pub multiplexer: Option<Multiplexer>,
}

impl From<&Capabilities> for CopyPlace {
    fn from(capabilities: &Capabilities) -> Self {
        Self {
            ssh: capabilities.ssh,
            multiplexer: capabilities.multiplexer,
        }
    }
}

/// The ways a text can go; each says in a few words why it could not.
pub struct CopyMethods<'a> {
    /// The desktop's clipboard.
    pub native: &'a mut dyn FnMut(&str) -> Result<(), String>,
    /// tmux's own buffer.
    pub tmux: &'a mut dyn FnMut(&str) -> Result<(), String>,
    /// A new file that only its owner can read.
    pub save: &'a mut dyn FnMut(&str) -> Result<PathBuf, String>,
}

/// Copies `text`, made harmless first, by the first way that works in `place`.
pub fn copy_by(
    text: &str,
    place: CopyPlace,
    ways: &mut CopyMethods<'_>,
) -> Result<Copied, CopyError> {
    let text = harmless(text);
    let lines = text.lines().count().max(1);
    let copied = |way, sequence| {
        Ok(Copied {
            way,
            lines,
            sequence,
        })
    };
    let mut refusals = Vec::new();

    if !place.ssh {
        match (ways.native)(&text) {
            Ok(()) => return copied(CopyMethod::Native, None),
            Err(why) => refusals.push(why),
        }
    }
    if place.multiplexer == Some(Multiplexer::Tmux) {
        match (ways.tmux)(&text) {
            Ok(()) => return copied(CopyMethod::Tmux, None),
            Err(why) => refusals.push(why),
        }
    }
    let encoded = text.len().div_ceil(3) * 4;
    if encoded <= OSC52_LIMIT {
        return copied(CopyMethod::Terminal, Some(osc52(&text, place.multiplexer)));
    }
    refusals.push(format!(
        "{} KB are too much for the terminal",
        encoded / 1000
    ));
    match (ways.save)(&text) {
        Ok(path) => copied(CopyMethod::File(path), None),
        Err(why) => {
            refusals.push(why);
            Err(CopyError(refusals.join("; ")))
        }
    }
}

/// As text is shown, but with its tabs: pasted code must stay code.
fn harmless(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let parts = line.split('\t').map(|part| sanitise_from(part, 1, 0));
        parts.collect::<Vec<_>>().join("\t")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// "Set the clipboard", wrapped for what sits in between.
fn osc52(text: &str, multiplexer: Option<Multiplexer>) -> String {
    let mut plain = String::new();
    // Writing to a String cannot fail.
    let _ = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut plain);
    match multiplexer {
        None => plain,
        // Passed on by a tmux with allow-passthrough; the unwrapped form is for one with set-clipboard.
        Some(Multiplexer::Tmux) => format!(
            "{plain}\x1bPtmux;{}\x1b\\",
            plain.replace('\x1b', "\x1b\x1b")
        ),
        // screen passes strings of at most 768 bytes, and ends one at the first ESC backslash: BEL ends the inner one.
        Some(Multiplexer::Screen) => {
            let inner = plain.strip_suffix("\x1b\\").unwrap_or(&plain);
            let mut out = String::with_capacity(plain.len() + plain.len() / 64);
            for chunk in inner.as_bytes().chunks(700) {
                out.push_str("\x1bP");
                out.push_str(&String::from_utf8_lossy(chunk));
                out.push_str("\x1b\\");
            }
            out.push_str("\x1bP\x07\x1b\\");
            out
        }
    }
}

type Request = (String, mpsc::SyncSender<Result<(), String>>);

/// The real clipboard. Clones share one connection to the desktop, which lives as long as any of them: on X11 the text is gone
/// when its owner is.
#[derive(Debug, Clone)]
pub struct Clipboard {
    place: CopyPlace,
    state_dir: PathBuf,
    desktop: mpsc::Sender<Request>,
}

impl Clipboard {
    /// A clipboard that saves what is too long into `state_dir`.
    pub fn new(place: CopyPlace, state_dir: PathBuf) -> Self {
        let (desktop, requests) = mpsc::channel();
        // A failure to start the thread shows as "does not answer" at the first copy, which then goes another way.
        let _ = thread::Builder::new()
            .name("clipboard".to_owned())
            .spawn(move || serve_desktop(&requests));
        Self {
            place,
            state_dir,
            desktop,
        }
    }

    /// Copies `text` without holding up the drawing task.
    pub async fn copy(&self, text: String) -> Result<Copied, CopyError> {
        let this = self.clone();
        tasks::blocking(move || {
            copy_by(
                &text,
                this.place,
                &mut CopyMethods {
                    native: &mut |text| {
                        let ours = || this.to_desktop(text);
                        match on_wayland().then(|| to_wayland(text)) {
                            None => ours(),
                            Some(Err(_)) if cfg!(feature = "wayland-clipboard") => ours(),
                            Some(done) => done,
                        }
                    },
                    tmux: &mut to_tmux,
                    save: &mut |text| save(&this.state_dir, text),
                },
            )
        })
        .await
        .unwrap_or_else(|error| Err(CopyError(error.to_string())))
    }

    fn to_desktop(&self, text: &str) -> Result<(), String> {
        let (reply, answer) = mpsc::sync_channel(1);
        self.desktop
            .send((text.to_owned(), reply))
            .map_err(|_gone| "the desktop's clipboard is not available".to_owned())?;
        answer
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|_| Err("the desktop's clipboard does not answer".to_owned()))
    }
}

#[cfg(feature = "native-clipboard")]
fn serve_desktop(requests: &mpsc::Receiver<Request>) {
    // Opened at the first copy, so that a session that copies nothing never connects; kept, see above.
    let mut clipboard = None;
    while let Ok((text, reply)) = requests.recv() {
        let done = match &mut clipboard {
            Some(open) => Ok(open),
            None => arboard::Clipboard::new().map(|open| clipboard.insert(open)),
        }
        .and_then(|open| open.set_text(text))
        .map_err(|error| format!("the desktop's clipboard failed ({error})"));
        if done.is_err() {
            // A lost connection stays lost; the next copy tries a new one.
            clipboard = None;
        }
        let _ = reply.send(done);
    }
}

#[cfg(not(feature = "native-clipboard"))]
fn serve_desktop(requests: &mpsc::Receiver<Request>) {
    while let Ok((_, reply)) = requests.recv() {
        let _ = reply.send(Err("this build has no desktop clipboard".to_owned()));
    }
}

/// Whether the desktop is one of Wayland. `wl-copy` is asked then: the clipboard of X11 that such desktops have beside their own is handed
/// on only for a window that has the focus, and ours is the terminal's.
fn on_wayland() -> bool {
    variables()
        .get("WAYLAND_DISPLAY")
        .is_some_and(|name| !name.is_empty())
}

/// Gives the text to a program that knows where to keep it.
fn give_to(program: &str, arguments: &[&str], text: &str) -> Result<(), String> {
    let impossible = |error| format!("{program} could not be asked ({error})");
    let path = on_path(program, &variables()).ok_or(std::io::ErrorKind::NotFound);
    let mut child = Command::new(path.map_err(|kind| impossible(kind.into()))?)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(impossible)?;
    let pid = Pid::from_child(&child);
    let (reply, answer) = mpsc::sync_channel(1);
    let text = text.to_owned();
    thread::spawn(move || {
        let written = child
            .stdin
            .take()
            .map_or(Ok(()), |mut pipe| pipe.write_all(text.as_bytes()));
        let ended = child.wait().map(|status| status.success());
        let _ = reply.send(written.and(ended));
    });
    match answer.recv_timeout(PATIENCE) {
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => Err(format!("{program} refused the text")),
        Ok(Err(error)) => Err(impossible(error)),
        Err(_) => {
            // What it would do later nobody expects any more.
            let _ = kill_process(pid, Signal::KILL);
            Err(format!("{program} does not answer"))
        }
    }
}

/// Without the type it guesses one, and a text that it takes for something else cannot be pasted as text.
fn to_wayland(text: &str) -> Result<(), String> {
    give_to("wl-copy", &["--type", "text/plain"], text)
}

/// `-w` makes tmux pass the buffer on to the terminal.
fn to_tmux(text: &str) -> Result<(), String> {
    give_to("tmux", &["load-buffer", "-w", "-"], text)
}

fn save(state_dir: &Path, text: &str) -> Result<PathBuf, String> {
    let failed = |error: std::io::Error| {
        format!(
            "no file could be written in {} ({error})",
            state_dir.display()
        )
    };
    base::files::make_folder(state_dir).map_err(failed)?;
    let mut file = tempfile::Builder::new()
        .prefix("copied-")
        .suffix(".txt")
        .tempfile_in(state_dir)
        .map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    let (_, path) = file.keep().map_err(|error| failed(error.error))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the policy; returns what it did and which ways were asked, with what.
    fn run(
        text: &str,
        place: CopyPlace,
        native: bool,
        tmux: bool,
        save: bool,
    ) -> (Result<Copied, CopyError>, Vec<String>) {
        let asked = std::cell::RefCell::new(Vec::new());
        let try_it = |way: &str, text: &str, works: bool| {
            asked.borrow_mut().push(format!(
                "{way}:{}",
                &text.get(..text.len().min(20)).unwrap_or_default()
            ));
            if works {
                Ok(())
            } else {
                Err(format!("{way} failed"))
            }
        };
        let done = copy_by(
            text,
            place,
            &mut CopyMethods {
                native: &mut |text| try_it("native", text, native),
                tmux: &mut |text| try_it("tmux", text, tmux),
                save: &mut |text| {
                    try_it("save", text, save).map(|()| PathBuf::from("/state/copied.txt"))
                },
            },
        );
        (done, asked.into_inner())
    }

    const HERE: CopyPlace = CopyPlace {
        ssh: false,
        multiplexer: None,
    };
    const REMOTE: CopyPlace = CopyPlace {
        ssh: true,
        multiplexer: None,
    };
    const TMUX: CopyPlace = CopyPlace {
        ssh: true,
        multiplexer: Some(Multiplexer::Tmux),
    };

    #[test]
    fn locally_the_desktop_comes_first() {
        let (done, asked) = run("x", HERE, true, true, true);
        assert_eq!(done.unwrap().to_string(), "copied to the clipboard");
        assert_eq!(asked, ["native:x"]);
    }

    #[test]
    fn without_a_desktop_the_terminal_is_asked() {
        let (done, _) = run("hi", HERE, false, true, true);
        assert_eq!(
            done.unwrap().sequence.as_deref(),
            Some("\x1b]52;c;aGk=\x1b\\")
        );
    }

    #[test]
    fn over_ssh_the_remote_desktop_is_left_alone() {
        let (done, asked) = run("a\nb", REMOTE, true, true, true);
        let done = done.unwrap();
        assert_eq!(
            done.to_string(),
            "copied 2 lines by the terminal (OSC 52; it does not confirm)"
        );
        assert_eq!(done.way, CopyMethod::Terminal);
        assert!(asked.is_empty());
    }

    #[test]
    fn tmux_is_asked_and_otherwise_passed_through() {
        assert_eq!(
            run("x", TMUX, false, true, true).0.unwrap().way,
            CopyMethod::Tmux
        );
        let sequence = run("x", TMUX, false, false, true)
            .0
            .unwrap()
            .sequence
            .unwrap();
        assert!(
            sequence.ends_with("\x1bPtmux;\x1b\x1b]52;c;eA==\x1b\x1b\\\x1b\\"),
            "{sequence:?}"
        );
        let screen = CopyPlace {
            ssh: true,
            multiplexer: Some(Multiplexer::Screen),
        };
        let sequence = run("x", screen, false, false, true)
            .0
            .unwrap()
            .sequence
            .unwrap();
        assert_eq!(sequence, "\x1bP\x1b]52;c;eA==\x1b\\\x1bP\x07\x1b\\");
    }

    #[test]
    fn too_much_for_a_terminal_goes_to_a_file() {
        let fits = "x".repeat(OSC52_LIMIT / 4 * 3);
        assert_eq!(
            run(&fits, REMOTE, false, false, true).0.unwrap().way,
            CopyMethod::Terminal
        );
        let long = fits + "x";
        let done = run(&long, REMOTE, false, false, true).0.unwrap();
        assert_eq!(done.way, CopyMethod::File("/state/copied.txt".into()));
        assert!(done.to_string().contains("/state/copied.txt"));
        let refused = run(&long, HERE, false, false, false)
            .0
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("native failed") && refused.contains("save failed"),
            "{refused}"
        );
    }

    #[test]
    fn what_is_copied_is_harmless_and_keeps_its_tabs() {
        let (_, asked) = run("\tif x:\r\n\u{1b}[201~rm", HERE, true, true, true);
        assert_eq!(asked, ["native:\tif x:\n␛[201~rm"]);
    }

    #[test]
    fn a_saved_copy_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = save(&dir.path().join("new"), "text").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
