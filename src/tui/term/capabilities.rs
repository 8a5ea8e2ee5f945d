//! What this terminal can show, from its environment and, for the background, by asking it.
//!
//! The environment is passed in, so every rule here is a plain function of it. Answers of the terminal come among the keys, from
//! [`super::input`]. Leaves to others: choosing looks ([`crate::theme`]).

use super::decode::Answer;

/// Colours a terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColourDepth {
    /// None, or none wanted.
    None,
    /// The sixteen names.
    Ansi16,
    /// The palette of 256.
    Indexed256,
    /// 24 bits.
    True,
}

/// Whether text is light on dark or dark on light.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// Light on dark; assumed when nobody knows.
    Dark,
    /// Dark on light.
    Light,
}

/// What a person asked for on the command line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColourChoice {
    /// By the environment.
    #[default]
    Auto,
    /// Even with `NO_COLOR`.
    Always,
    Never,
}

/// Programs that sit between us and the real terminal and want sequences for it wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplexer {
    Tmux,
    /// GNU screen.
    Screen,
}

/// What this terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Colours that may be used.
    pub colour: ColourDepth,
    /// Whether glyphs beyond ASCII may be used.
    pub unicode: bool,
    pub background: Background,
    /// Whether the terminal is on another machine.
    pub ssh: bool,
    /// What sits in between.
    pub multiplexer: Option<Multiplexer>,
    /// Whether the terminal is known to speak the kitty keyboard protocol, which tells Esc from Alt and Tab from Ctrl-I.
    pub kitty_keyboard: bool,
}

/// What a person decided already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wishes {
    /// `--color`.
    pub colour: ColourChoice,
    /// `--ascii`: `Some(true)` forces ASCII, `Some(false)` forces Unicode.
    pub ascii: Option<bool>,
    /// A background that follows from a theme given by name; the terminal is not asked then.
    pub background: Option<Background>,
}

impl Capabilities {
    /// Reads the environment through `variable`; the terminal itself is asked later, if [`may_ask_background`].
    pub fn detect(wishes: Wishes, variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        let colour = match wishes.colour {
            ColourChoice::Never => ColourDepth::None,
            ColourChoice::Auto if set("NO_COLOR").is_some() => ColourDepth::None,
            ColourChoice::Auto => depth(&term, &set),
            ColourChoice::Always => depth(&term, &set).max(ColourDepth::Ansi16),
        };
        let background = match (wishes.background, colour, term.as_str()) {
            (Some(background), ..) => background,
            // Without colour there is nothing to choose, and the bare console is black.
            (None, ColourDepth::None, _) | (None, _, "linux" | "dumb") => Background::Dark,
            (None, ..) => by_colorfgbg(&set).unwrap_or(Background::Dark),
        };
        let multiplexer = if set("TMUX").is_some() {
            Some(Multiplexer::Tmux)
        } else {
            set("STY").map(|_| Multiplexer::Screen)
        };
        Self {
            colour,
            unicode: wishes
                .ascii
                .map_or_else(|| is_unicode(&term, &set), |ascii| !ascii),
            background,
            ssh: ["SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT"]
                .iter()
                .any(|name| set(name).is_some()),
            multiplexer,
            // A multiplexer answers for itself, and those that pass the protocol on need it configured.
            kitty_keyboard: multiplexer.is_none() && speaks_kitty(&term, &set),
        }
    }
}

/// Asks the terminal for its background.
pub const ASK_BACKGROUND: &str = "\x1b]11;?\x1b\\";

/// Whether the background matters, and the terminal is none of those that would print the question.
pub fn may_ask_background(looks: Capabilities, variable: impl Fn(&str) -> Option<String>) -> bool {
    let term = variable("TERM").unwrap_or_default();
    let is_old = matches!(term.as_str(), "" | "linux" | "dumb" | "ansi")
        || term.starts_with("vt")
        || term.to_ascii_lowercase().starts_with("eterm");
    looks.colour != ColourDepth::None && !is_old && looks.multiplexer != Some(Multiplexer::Screen)
}

/// The background that an answer tells, if it is one to that question.
pub fn background_in(answer: &Answer) -> Option<Background> {
    let Answer::Colour(11, value) = answer else {
        return None;
    };
    let [red, green, blue] = colour_in(value)?;
    // Where the eye sees half of white is at a fifth of its light.
    let light = 0.2126 * red.powf(2.2) + 0.7152 * green.powf(2.2) + 0.0722 * blue.powf(2.2);
    Some(if light >= 0.184 {
        Background::Light
    } else {
        Background::Dark
    })
}

/// A colour as X11 writes it, `rgb:1e1e/1e1e/1e1e` with one to four digits each or `#1e1e1e`, from 0 to 1.
pub fn colour_in(value: &str) -> Option<[f64; 3]> {
    let part = |text: &str| {
        let digits = u32::try_from(text.len())
            .ok()
            .filter(|n| (1..=4).contains(n))?;
        let number = u32::from_str_radix(text, 16).ok()?;
        Some(f64::from(number) / f64::from(16_u32.pow(digits) - 1))
    };
    let mut parts: Box<dyn Iterator<Item = &str>> = if let Some(hex) = value.strip_prefix('#') {
        let third = hex.len() / 3;
        let piece = move |n: usize| hex.get(n * third..(n + 1) * third).unwrap_or_default();
        Box::new((0..3).map(piece))
    } else {
        let after = value.split_once(':')?.1;
        Box::new(after.split('/'))
    };
    Some([
        part(parts.next()?)?,
        part(parts.next()?)?,
        part(parts.next()?)?,
    ])
}

fn depth(term: &str, set: &impl Fn(&str) -> Option<String>) -> ColourDepth {
    let says_true =
        set("COLORTERM").is_some_and(|value| matches!(value.as_str(), "truecolor" | "24bit"));
    match term {
        "dumb" => ColourDepth::None,
        "linux" => ColourDepth::Ansi16,
        _ if says_true || term.ends_with("-direct") => ColourDepth::True,
        // The libraries below assume a colour terminal; those without 256 colours are museum pieces and say so in their name.
        _ if term.contains("16color")
            || term.starts_with("vt")
            || term == "ansi"
            || term.is_empty() =>
        {
            ColourDepth::Ansi16
        }
        _ => ColourDepth::Indexed256,
    }
}

fn is_unicode(term: &str, set: &impl Fn(&str) -> Option<String>) -> bool {
    if matches!(term, "linux" | "dumb") {
        return false;
    }
    // The first of the three that is set decides, as setlocale(3) has it.
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| set(name))
        .is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
}

/// `COLORFGBG` is "text;background" or "text;something;background" in palette numbers.
fn by_colorfgbg(set: &impl Fn(&str) -> Option<String>) -> Option<Background> {
    let value = set("COLORFGBG")?;
    match value.rsplit(';').next()?.parse::<u8>().ok()? {
        7 | 9..=15 => Some(Background::Light),
        _ => Some(Background::Dark),
    }
}

fn speaks_kitty(term: &str, set: &impl Fn(&str) -> Option<String>) -> bool {
    // By name and not by asking: the modes are switched on before the first key, and nothing waits for answers.
    [
        "xterm-kitty",
        "xterm-ghostty",
        "foot",
        "alacritty",
        "wezterm",
        "rio",
    ]
    .iter()
    .any(|name| term.starts_with(name))
        || set("TERM_PROGRAM").is_some_and(|name| {
            matches!(name.as_str(), "ghostty" | "WezTerm" | "iTerm.app" | "rio")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(wishes: Wishes, variables: &[(&str, &str)]) -> Capabilities {
        let look_up = |name: &str| {
            variables
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, value)| (*value).to_owned())
        };
        Capabilities::detect(wishes, look_up)
    }

    #[test]
    fn colours() {
        let auto = Wishes::default();
        for (variables, wanted) in [
            (&[("TERM", "xterm-256color")][..], ColourDepth::Indexed256),
            (
                &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")],
                ColourDepth::True,
            ),
            (
                &[("TERM", "xterm-256color"), ("NO_COLOR", "1")],
                ColourDepth::None,
            ),
            (
                &[("TERM", "xterm-256color"), ("NO_COLOR", "")],
                ColourDepth::Indexed256,
            ),
            (
                &[("TERM", "dumb"), ("COLORTERM", "truecolor")],
                ColourDepth::None,
            ),
            (&[("TERM", "linux")], ColourDepth::Ansi16),
            (&[], ColourDepth::Ansi16),
        ] {
            assert_eq!(detect(auto, variables).colour, wanted, "{variables:?}");
        }
        let never = Wishes {
            colour: ColourChoice::Never,
            ..auto
        };
        assert_eq!(
            detect(never, &[("TERM", "xterm")]).colour,
            ColourDepth::None
        );
        let always = Wishes {
            colour: ColourChoice::Always,
            ..auto
        };
        assert_eq!(
            detect(always, &[("TERM", "xterm"), ("NO_COLOR", "1")]).colour,
            ColourDepth::Indexed256
        );
    }

    #[test]
    fn glyphs_by_locale_and_flag() {
        let auto = Wishes::default();
        assert!(detect(auto, &[("TERM", "xterm"), ("LANG", "en_GB.UTF-8")]).unicode);
        assert!(
            !detect(
                auto,
                &[("TERM", "xterm"), ("LANG", "en_GB.UTF-8"), ("LC_ALL", "C")]
            )
            .unicode
        );
        assert!(!detect(auto, &[("TERM", "xterm")]).unicode);
        assert!(!detect(auto, &[("TERM", "linux"), ("LANG", "C.utf8")]).unicode);
        assert!(
            detect(
                Wishes {
                    ascii: Some(false),
                    ..auto
                },
                &[]
            )
            .unicode
        );
        assert!(
            !detect(
                Wishes {
                    ascii: Some(true),
                    ..auto
                },
                &[("LANG", "C.UTF-8")]
            )
            .unicode
        );
    }

    #[test]
    fn the_background_is_as_wished_or_as_the_environment_says() {
        let rxvt = &[("TERM", "rxvt"), ("COLORFGBG", "0;default;15")];
        let auto = Wishes::default();
        assert_eq!(detect(auto, rxvt).background, Background::Light);
        let given = Wishes {
            background: Some(Background::Light),
            ..auto
        };
        assert_eq!(
            detect(given, &[("TERM", "xterm")]).background,
            Background::Light
        );
        let colourless = Wishes {
            colour: ColourChoice::Never,
            ..auto
        };
        assert_eq!(detect(colourless, rxvt).background, Background::Dark);
    }

    #[test]
    fn backgrounds_as_terminals_tell_them() {
        let told = |value: &str| background_in(&Answer::Colour(11, value.to_owned()));
        for (value, wanted) in [
            ("rgb:1e1e/1e1e/1e1e", Some(Background::Dark)),
            ("rgb:ffff/ffff/ffff", Some(Background::Light)),
            ("rgb:fd/f6/e3", Some(Background::Light)),
            ("rgba:0000/0000/0000/ffff", Some(Background::Dark)),
            ("#fdf6e3", Some(Background::Light)),
            ("#00002b2b3636", Some(Background::Dark)),
            ("rgb:zz/00/00", None),
            ("#é", None),
            ("", None),
        ] {
            assert_eq!(told(value), wanted, "{value}");
        }
        assert_eq!(
            background_in(&Answer::Colour(10, "#ffffff".to_owned())),
            None
        );
    }

    #[test]
    fn what_is_in_between() {
        let inside = detect(
            Wishes::default(),
            &[
                ("TERM", "xterm-kitty"),
                ("TMUX", "/tmp/x"),
                ("SSH_TTY", "/dev/pts/1"),
            ],
        );
        assert_eq!(inside.multiplexer, Some(Multiplexer::Tmux));
        assert!(inside.ssh);
        assert!(!inside.kitty_keyboard);
        assert!(detect(Wishes::default(), &[("TERM", "xterm-kitty")]).kitty_keyboard);
    }
}
