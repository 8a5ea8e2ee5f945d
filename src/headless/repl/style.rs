//! The few looks of the line debugger, as ANSI sequences, or as nothing where colours are not wanted.
//!
//! Sixteen colours only, so that they follow the terminal's own theme. What is painted must be sanitised already.

use std::fmt::Write as _;

use base::text::ansi::{Colour, Style};

/// What a piece of text is.
#[derive(Clone, Copy, Debug)]
pub enum Role {
    Prompt,
    /// A function's or thread's name.
    Name,
    /// Why it stopped.
    Notice,
    /// The present line and frame.
    Current,
    /// Line numbers, addresses, types: read second.
    Muted,
    /// A breakpoint's sign.
    Breakpoint,
    /// Something did not work.
    Error,
    /// Something is not as asked.
    Warning,
    /// What the program wrote to standard error.
    Stderr,
}

/// Whether there are colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colours {
    pub colour: bool,
}

impl Colours {
    /// The text in its look.
    pub fn paint(self, role: Role, text: impl AsRef<str>) -> String {
        let text = text.as_ref();
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let code = match role {
            Role::Prompt => "1;34",
            Role::Name => "33",
            Role::Notice => "1",
            Role::Current => "1;32",
            Role::Muted => "2",
            Role::Breakpoint | Role::Stderr => "31",
            Role::Error => "1;31",
            Role::Warning => "35",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// What stands before the present line, frame, thread or session, and as wide before the others.
    pub fn arrow(self, is_present: bool) -> String {
        if is_present {
            self.paint(Role::Current, "->")
        } else {
            "  ".to_owned()
        }
    }

    /// Text in a look that the program itself asked for; `base` where it asked for nothing.
    pub fn program(self, style: Style, base: Option<Role>, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        if style == Style::default() {
            return match base {
                Some(role) => self.paint(role, text),
                None => text.to_owned(),
            };
        }
        let mut codes = String::from("0");
        for (on, code) in [
            (style.bold, 1),
            (style.dim, 2),
            (style.italic, 3),
            (style.underline, 4),
            (style.reverse, 7),
            (style.strike, 9),
        ] {
            if on {
                let _ = write!(codes, ";{code}");
            }
        }
        for (colour, layer) in [(style.fg, 38), (style.bg, 48)] {
            match colour {
                Some(Colour::Indexed(index)) => {
                    let _ = write!(codes, ";{layer};5;{index}");
                }
                Some(Colour::Rgb(r, g, b)) => {
                    let _ = write!(codes, ";{layer};2;{r};{g};{b}");
                }
                None => {}
            }
        }
        format!("\x1b[{codes}m{text}\x1b[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::text::ansi;

    #[test]
    fn what_is_painted_reads_the_same() {
        for colour in [false, true] {
            let look = Colours { colour };
            let painted = look.paint(Role::Error, "no such thing");
            assert_eq!(painted.contains('\x1b'), colour);
            let seen = ansi::parse(&painted, Style::default(), 8);
            assert_eq!((seen.plain().as_str(), seen.dropped), ("no such thing", 0));
        }
    }

    #[test]
    fn a_programs_own_look_comes_back() {
        let line = "\x1b[1;38;5;9;48;2;1;2;3mhot\x1b[0m";
        let look = Colours { colour: true };
        let run = &ansi::parse(line, Style::default(), 8).runs[0];
        let again = look.program(run.style, Some(Role::Stderr), &run.text);
        assert_eq!(
            ansi::parse(&again, Style::default(), 8).runs[0].style,
            run.style
        );
    }
}
