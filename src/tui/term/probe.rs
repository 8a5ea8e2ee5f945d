//! Asking a terminal what it can do, and what follows from its answers.
//!
//! The questions are written in one piece, the one that every terminal answers last: once its answer is there, what is not answered
//! never will be. [`Findings`] collects answers as they come, however late; [`Findings::rows`] says what we make of them. Leaves to
//! others: writing the questions and waiting ([`crate::routes::terminal`]).

use std::{collections::BTreeMap, fmt::Write as _};

use base::text::redact::Redactor;

use super::{
    capabilities::{Capabilities, ColourDepth, Multiplexer, Wishes, background_in},
    decode::Answer,
};

/// The picture that is asked about.
const PICTURE: u32 = 31;
/// The capability "the clipboard can be set" (`Ms`) in hexadecimal.
const CLIPBOARD: &str = "4d73";

/// Modes that are asked about: number, what it is, what we do with it.
const MODES: [(u16, &str, &str); 7] = [
    (
        2026,
        "Synchronised output",
        "every frame is one piece: no flicker",
    ),
    (2004, "Bracketed paste", "pastes are data, never keys"),
    (1006, "Mouse, any column", "clicks, drags and the wheel"),
    (1004, "Focus reports", "known when the window is left"),
    (
        2027,
        "Grapheme clusters",
        "families of emoji are as wide as they look",
    ),
    (
        2031,
        "Theme changes",
        "not used: Ctrl-L after a change of theme is enough",
    ),
    (
        2048,
        "Resize reports",
        "not used: the kernel tells the new size",
    ),
];

/// What the environment and the kernel say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The variables that matter.
    pub variables: BTreeMap<String, String>,
    /// Columns and rows.
    pub cells: (u16, u16),
    /// Width and height in pixels; 0 where the kernel does not know.
    pub pixels: (u16, u16),
}

/// Variables that say something of the terminal.
pub const VARIABLES: [&str; 27] = [
    "TERM",
    "COLORTERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "COLORFGBG",
    "NO_COLOR",
    "TMUX",
    "STY",
    "ZELLIJ",
    "SSH_TTY",
    "SSH_CONNECTION",
    "SSH_CLIENT",
    "LC_ALL",
    "LC_CTYPE",
    "LANG",
    "KITTY_WINDOW_ID",
    "GHOSTTY_RESOURCES_DIR",
    "WEZTERM_PANE",
    "ITERM_SESSION_ID",
    "VSCODE_PID",
    "ALACRITTY_WINDOW_ID",
    "PI_FORCE_IMAGE_PROTOCOL",
    "PI_NO_HYPERLINKS",
    "PI_FORCE_HYPERLINKS",
    "PI_NO_SYNC_OUTPUT",
    "PI_NOTIFICATIONS",
    "WT_SESSION",
];

/// How pictures can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pictures {
    /// The protocol of kitty.
    Kitty,
    /// That of iTerm2.
    Iterm,
    /// Six pixels at a time.
    Sixel,
}

impl Surroundings {
    /// By these variables, and what the kernel says.
    pub fn of(env: &BTreeMap<String, String>) -> Self {
        let redactor = Redactor::new().with_secrets(env.iter());
        let variable = |name: &&str| {
            let value = redactor.redact_env(name, env.get(*name)?);
            Some(((*name).to_owned(), value.into_owned()))
        };
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
        Self {
            variables: VARIABLES.iter().filter_map(variable).collect(),
            cells: size.map_or((0, 0), |size| (size.ws_col, size.ws_row)),
            pixels: size.map_or((0, 0), |size| (size.ws_xpixel, size.ws_ypixel)),
        }
    }

    /// A variable that is set to something.
    pub fn set(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Which terminal it is by its variables, in the order in which omp looks at them.
    pub fn detected(&self) -> &'static str {
        const BY_VARIABLE: [(&str, &str); 6] = [
            ("KITTY_WINDOW_ID", "kitty"),
            ("GHOSTTY_RESOURCES_DIR", "ghostty"),
            ("WEZTERM_PANE", "wezterm"),
            ("ITERM_SESSION_ID", "iterm2"),
            ("VSCODE_PID", "vscode"),
            ("ALACRITTY_WINDOW_ID", "alacritty"),
        ];
        let by_variable = BY_VARIABLE
            .iter()
            .find(|(name, _)| self.set(name).is_some());
        if let Some((_, id)) = by_variable {
            return id;
        }
        let program = self
            .set("TERM_PROGRAM")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let by_program = [
            ("kitty", "kitty"),
            ("ghostty", "ghostty"),
            ("wezterm", "wezterm"),
            ("iterm", "iterm2"),
            ("vscode", "vscode"),
            ("alacritty", "alacritty"),
            ("warp", "warp"),
            ("apple_terminal", "apple terminal"),
        ];
        if let Some((_, id)) = by_program
            .iter()
            .find(|(name, _)| program.starts_with(name))
        {
            return id;
        }
        match self.set("TERM") {
            Some(term) if term.contains("ghostty") => "ghostty",
            Some(term) if term.contains("kitty") => "kitty",
            Some("linux") => "the Linux console",
            _ if self.set("COLORTERM").is_some() => "a terminal with true colour",
            _ => "a terminal",
        }
    }

    /// What sits in between.
    pub fn multiplexer(&self) -> Option<&'static str> {
        let term = self.set("TERM").unwrap_or_default();
        if self.set("TMUX").is_some() || term.starts_with("tmux") {
            Some("tmux")
        } else if self.set("ZELLIJ").is_some() {
            Some("Zellij")
        } else if self.set("STY").is_some() || term.starts_with("screen") {
            Some("GNU screen")
        } else {
            None
        }
    }

    /// What we take from the environment alone.
    pub fn capabilities(&self) -> Capabilities {
        let variable = |name: &str| self.variables.get(name).cloned();
        Capabilities::detect(Wishes::default(), variable)
    }

    /// The questions, or why none is asked.
    pub fn questions(&self) -> Result<String, &'static str> {
        let term = self.set("TERM").unwrap_or_default();
        if matches!(term, "" | "dumb") {
            return Err("TERM says that this terminal answers nothing, so it is asked nothing.");
        }
        let mut questions = String::new();
        // Terminals that do not know strings would print them.
        let knows_strings = term != "linux" && !term.starts_with("vt") && term != "ansi";
        if knows_strings {
            questions.push_str("\x1b[>0q\x1b]10;?\x1b\\\x1b]11;?\x1b\\");
            let _ = write!(questions, "\x1bP+q{CLIPBOARD}\x1b\\");
            let _ = write!(
                questions,
                "\x1b_Gi={PICTURE},s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
            );
        }
        for (mode, ..) in MODES {
            let _ = write!(questions, "\x1b[?{mode}$p");
        }
        questions.push_str("\x1b[?u\x1b[14t\x1b[16t\x1b[c");
        Ok(questions)
    }
}

/// How a row is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verdict {
    /// A fact.
    #[default]
    Fact,
    /// It can.
    Yes,
    /// It cannot.
    No,
    /// It has not said yet.
    Waiting,
    /// It did not say.
    Silent,
}

/// A row: what was asked, what was answered, what follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// What it is about.
    pub what: String,
    pub answer: String,
    /// What we do because of it.
    pub used: String,
    /// How it is meant.
    pub verdict: Verdict,
}

/// What the terminal has answered until now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    attributes: Option<Vec<u16>>,
    version: Option<String>,
    text: Option<String>,
    background: Option<String>,
    modes: BTreeMap<u16, u16>,
    keyboard: Option<u16>,
    graphics: Option<String>,
    clipboard: Option<bool>,
    area: Option<(u16, u16)>,
    cell: Option<(u16, u16)>,
    /// The time for answers is over.
    given_up: bool,
}

impl Findings {
    /// Takes in an answer.
    pub fn take(&mut self, answer: &Answer) {
        match answer {
            Answer::Attributes(numbers) => self.attributes = Some(numbers.clone()),
            Answer::Mode(mode, setting) => {
                self.modes.insert(*mode, *setting);
            }
            Answer::KeyboardFlags(flags) => self.keyboard = Some(*flags),
            Answer::Version(version) => self.version = Some(version.clone()),
            Answer::Colour(10, value) => self.text = Some(value.clone()),
            Answer::Colour(_, value) => self.background = Some(value.clone()),
            Answer::Graphics(PICTURE, said) => self.graphics = Some(said.clone()),
            Answer::Capability(name, has) if name == CLIPBOARD => self.clipboard = Some(*has),
            Answer::Graphics(..) | Answer::Capability(..) => {}
            Answer::Pixels(4, height, width) => self.area = Some((*width, *height)),
            Answer::Pixels(_, height, width) => self.cell = Some((*width, *height)),
        }
    }

    /// Nothing more is waited for.
    pub fn give_up(&mut self) {
        self.given_up = true;
    }

    /// Whether all that will be answered has been.
    pub fn is_complete(&self) -> bool {
        self.attributes.is_some()
    }

    /// Whether the last question was answered, or the time is over.
    pub fn is_over(&self) -> bool {
        self.is_complete() || self.given_up
    }

    /// How pictures can be shown, the best way first.
    pub fn pictures(&self, around: &Surroundings) -> Option<Pictures> {
        if self.graphics.as_deref() == Some("OK") {
            Some(Pictures::Kitty)
        } else if matches!(around.detected(), "iterm2" | "wezterm")
            && around.multiplexer().is_none()
        {
            Some(Pictures::Iterm)
        } else if self.has(4) {
            Some(Pictures::Sixel)
        } else {
            None
        }
    }

    fn has(&self, attribute: u16) -> bool {
        self.attributes
            .as_ref()
            .is_some_and(|list| list.iter().skip(1).any(|n| *n == attribute))
    }

    /// Without an answer: not yet, or never.
    fn silence(&self, what: &str, otherwise: &str) -> Row {
        let (answer, verdict) = match (self.is_over(), self.is_complete()) {
            (false, _) => ("asked, not answered yet", Verdict::Waiting),
            (true, true) => ("no answer: it does not know the question", Verdict::Silent),
            (true, false) => ("no answer within a second", Verdict::Silent),
        };
        row(what, answer, otherwise, verdict)
    }

    /// Everything, under headings.
    pub fn rows(&self, around: &Surroundings) -> Vec<(&'static str, Vec<Row>)> {
        vec![
            ("What it is", self.terminal(around)),
            ("Size", self.size(around)),
            ("Colours", self.colours(around)),
            ("Protocols", self.protocols(around)),
        ]
    }

    fn terminal(&self, around: &Surroundings) -> Vec<Row> {
        let variable = |name: &str| fact(name, around.set(name).unwrap_or("(unset)"), "");
        vec![
            match &self.version {
                Some(version) => row("Name (XTVERSION)", version, "", Verdict::Yes),
                None => self.silence("Name (XTVERSION)", "known by its variables only"),
            },
            fact("Detected", around.detected(), "by its variables"),
            variable("TERM"),
            variable("TERM_PROGRAM"),
            variable("TERM_PROGRAM_VERSION"),
            variable("COLORTERM"),
            match around.multiplexer() {
                Some(name) => fact(
                    "Multiplexer",
                    name,
                    "it answers for itself, not for the terminal around it",
                ),
                None => fact("Multiplexer", "none", ""),
            },
            if around.capabilities().ssh {
                fact("SSH", "yes", "copies go through the terminal (OSC 52)")
            } else {
                fact(
                    "SSH",
                    "no",
                    "copies go to this desktop first, then through the terminal",
                )
            },
            match &self.attributes {
                Some(numbers) => {
                    let list: Vec<String> = numbers.iter().map(u16::to_string).collect();
                    row("Attributes (DA1)", &list.join(" "), "", Verdict::Yes)
                }
                None => self.silence("Attributes (DA1)", "late answers are still understood"),
            },
        ]
    }

    fn size(&self, around: &Surroundings) -> Vec<Row> {
        let (columns, lines) = around.cells;
        let area = Some(around.pixels)
            .filter(|(w, h)| *w > 0 && *h > 0)
            .or(self.area);
        let derived = area
            .filter(|_| columns > 0 && lines > 0)
            .map(|(w, h)| (w / columns, h / lines));
        vec![
            fact("Cells", &format!("{columns}x{lines}"), ""),
            match area {
                Some((w, h)) => fact("Pixels", &format!("{w}x{h}"), ""),
                None => self.silence("Pixels (XTWINOPS 14)", "pictures are sized in cells"),
            },
            match self.cell.or(derived) {
                Some((w, h)) => fact("Cell", &format!("{w}x{h}px"), ""),
                None => self.silence("Cell (XTWINOPS 16)", "taken for 9x18px"),
            },
        ]
    }

    fn colours(&self, around: &Surroundings) -> Vec<Row> {
        let depth = around.capabilities().colour;
        let (answer, verdict) = match depth {
            ColourDepth::None => ("none", Verdict::No),
            ColourDepth::Ansi16 => ("16", Verdict::Yes),
            ColourDepth::Indexed256 => ("256", Verdict::Yes),
            ColourDepth::True => ("24 bits", Verdict::Yes),
        };
        let used = match depth {
            ColourDepth::None => "NO_COLOR or TERM: bold, dim, underline and reverse",
            _ => "from TERM and COLORTERM; the test page shows whether it is true",
        };
        let mut rows = vec![row("Colours", answer, used, verdict)];
        rows.push(match &self.background {
            Some(value) => {
                let told = background_in(&Answer::Colour(11, value.clone()));
                let used = told.map_or_else(
                    || "not understood: taken for dark".to_owned(),
                    |told| {
                        format!(
                            "the {} theme, unless --theme says otherwise",
                            format!("{told:?}").to_lowercase()
                        )
                    },
                );
                row("Background (OSC 11)", value, &used, Verdict::Yes)
            }
            None => self.silence(
                "Background (OSC 11)",
                "taken for dark; --theme light says otherwise",
            ),
        });
        rows.push(match &self.text {
            Some(value) => row("Text (OSC 10)", value, "", Verdict::Yes),
            None => self.silence("Text (OSC 10)", ""),
        });
        rows
    }

    fn protocols(&self, around: &Surroundings) -> Vec<Row> {
        let mut rows: Vec<Row> = MODES
            .iter()
            .map(|(mode, what, use_of_it)| {
                let what = format!("{what} ({mode})");
                match self.modes.get(mode) {
                    None => self.silence(&what, "sent anyway; who does not know it ignores it"),
                    Some(0) => row(&what, "unknown to it", "ignored by it", Verdict::No),
                    Some(1) => row(&what, "yes, on", use_of_it, Verdict::Yes),
                    Some(2) => row(&what, "yes, off", use_of_it, Verdict::Yes),
                    Some(3) => row(&what, "yes, always on", use_of_it, Verdict::Yes),
                    Some(_) => row(&what, "always off", "ignored by it", Verdict::No),
                }
            })
            .collect();
        rows.push(match self.keyboard {
            Some(flags) => {
                let used = if around.capabilities().kitty_keyboard {
                    "in use: Esc is told from Alt, Tab from Ctrl-I"
                } else {
                    "not in use: switched on by the terminal's name only"
                };
                row(
                    "Kitty keyboard",
                    &format!("yes, flags {flags}"),
                    used,
                    Verdict::Yes,
                )
            }
            None => self.silence("Kitty keyboard", "keys as ever: Ctrl-I is Tab"),
        });
        rows.push(match self.graphics.as_deref() {
            Some("OK") => row(
                "Kitty graphics",
                "yes",
                "pictures on the test page",
                Verdict::Yes,
            ),
            Some(said) => row("Kitty graphics", said, "no pictures this way", Verdict::No),
            None => self.silence("Kitty graphics", "no pictures this way"),
        });
        rows.push(match (&self.attributes, self.has(4)) {
            (None, _) => self.silence("Sixel graphics", "no pictures this way"),
            (_, true) => row(
                "Sixel graphics",
                "yes (DA1 4)",
                "pictures on the test page",
                Verdict::Yes,
            ),
            (_, false) => row(
                "Sixel graphics",
                "no (DA1 lacks 4)",
                "no pictures this way",
                Verdict::No,
            ),
        });
        let clipboard = "copies over SSH, and where the desktop's own clipboard fails";
        rows.push(match (self.clipboard, self.has(52)) {
            (Some(true), _) | (_, true) => {
                row("Clipboard (OSC 52)", "yes", clipboard, Verdict::Yes)
            }
            (Some(false), _) => row(
                "Clipboard (OSC 52)",
                "not announced",
                "tried anyway, without a promise",
                Verdict::No,
            ),
            (None, _) => self.silence("Clipboard (OSC 52)", "tried anyway, without a promise"),
        });
        let knows_links = !matches!(
            around.detected(),
            "the Linux console" | "warp" | "apple terminal"
        ) && around.capabilities().multiplexer != Some(Multiplexer::Screen);
        rows.push(if knows_links {
            fact(
                "Hyperlinks (OSC 8)",
                "cannot be asked; likely",
                "see the test page",
            )
        } else {
            fact(
                "Hyperlinks (OSC 8)",
                "cannot be asked; unlikely",
                "not used",
            )
        });
        rows
    }
}

fn fact(what: &str, answer: &str, used: &str) -> Row {
    row(what, answer, used, Verdict::Fact)
}

fn row(what: &str, answer: &str, used: &str, verdict: Verdict) -> Row {
    Row {
        what: what.to_owned(),
        answer: answer.to_owned(),
        used: used.to_owned(),
        verdict,
    }
}

#[cfg(test)]
mod tests;
