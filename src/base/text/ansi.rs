//! Reads the colours a program asked for, as plain data.
//!
//! Of everything a program may print only SGR ("select graphic rendition", `ESC [ ... m`) means something here; every other
//! escape sequence is dropped and counted, so that nothing is hidden silently. A sequence that never ends hides nothing: its
//! introducer is shown as a picture and its text as text. Blinking and concealed text are drawn as ordinary text.
//!
//! Knows no screen library; the screen turns [`Style`] into its own. The text of the runs is sanitised.

use std::borrow::Cow;

use super::{sanitise::sanitise_from, width::width};

/// A colour a program asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Of the 256-colour palette; 0 to 15 are the terminal's own sixteen.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// How a run of text should look; the default is the terminal's own look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// Text colour.
    pub fg: Option<Colour>,
    /// Background colour.
    pub bg: Option<Colour>,
    /// SGR 1.
    pub bold: bool,
    /// SGR 2.
    pub dim: bool,
    /// SGR 3.
    pub italic: bool,
    /// SGR 4 and 21.
    pub underline: bool,
    /// SGR 7.
    pub reverse: bool,
    /// SGR 9.
    pub strike: bool,
}

/// Text of one look, sanitised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledRun<'a> {
    /// Printable text.
    pub text: Cow<'a, str>,
    /// Its look.
    pub style: Style,
}

/// One line of program output, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed<'a> {
    /// The line's text, in order; no run is empty.
    pub runs: Vec<StyledRun<'a>>,
    /// The look the next line begins with.
    pub end: Style,
    /// Escape sequences that were thrown away.
    pub dropped: usize,
}

impl Parsed<'_> {
    /// The line without looks.
    pub fn plain(&self) -> String {
        self.runs.iter().map(|run| run.text.as_ref()).collect()
    }
}

/// Whether a text holds what begins a control sequence: without one it is as plain as the text before it.
pub fn may_style(text: &str) -> bool {
    // The one-byte form, U+009B, begins with this byte in UTF-8; so do a few letters and signs.
    let mut rest = text.as_bytes();
    while let Some(at) = memchr::memchr2(0x1b, 0xc2, rest) {
        let Some([first, second @ ..]) = rest.get(at..) else {
            return false;
        };
        if *first == 0x1b || second.first() == Some(&0x9b) {
            return true;
        }
        rest = second;
    }
    false
}

/// Reads one line that begins with the look `start`; tabs stop every `tab_width` columns.
pub fn parse(line: &str, start: Style, tab_width: usize) -> Parsed<'_> {
    // Programs in a terminal end their lines with CR LF; whoever split the text took only the LF.
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut parsed = Parsed {
        runs: Vec::new(),
        end: start,
        dropped: 0,
    };
    let mut column = 0;
    // Text from `shown` to `at` is not yet in a run.
    let (mut shown, mut at) = (0, 0);
    while let Some(rest) = line.get(at..) {
        let Some(found) = rest.find(is_introducer) else {
            break;
        };
        at += found;
        let Some(sequence) = line.get(at..).and_then(Sequence::read) else {
            // Not a sequence: the introducer stays in the text, where sanitising shows it.
            at += rest
                .get(found..)
                .and_then(|tail| tail.chars().next())
                .map_or(1, char::len_utf8);
            continue;
        };
        push(
            &mut parsed,
            line.get(shown..at).unwrap_or_default(),
            tab_width,
            &mut column,
        );
        match sequence.sgr {
            Some(parameters) => parsed.end.apply(parameters),
            None => parsed.dropped += 1,
        }
        at += sequence.len;
        shown = at;
    }
    push(
        &mut parsed,
        line.get(shown..).unwrap_or_default(),
        tab_width,
        &mut column,
    );
    parsed
}

fn push<'a>(parsed: &mut Parsed<'a>, text: &'a str, tab_width: usize, column: &mut usize) {
    if text.is_empty() {
        return;
    }
    let text = sanitise_from(text, tab_width, *column);
    *column += width(&text);
    match parsed.runs.last_mut() {
        Some(last) if last.style == parsed.end => last.text.to_mut().push_str(&text),
        _ => parsed.runs.push(StyledRun {
            text,
            style: parsed.end,
        }),
    }
}

fn is_introducer(character: char) -> bool {
    // ESC, and the C1 forms of DCS, SOS, CSI, OSC, PM and APC.
    matches!(
        character,
        '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}'
    )
}

/// A whole escape sequence at the beginning of some text.
struct Sequence<'a> {
    /// Bytes, introducer included.
    len: usize,
    /// The parameters, if it selects a look.
    sgr: Option<&'a str>,
}

impl<'a> Sequence<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let mut characters = text.chars();
        let kind = match characters.next()? {
            '\u{1b}' => characters.next()?,
            '\u{9b}' => '[',
            // Every other C1 introducer begins a string.
            _ => ']',
        };
        let body = characters.as_str();
        let head = text.len() - body.len();
        match kind {
            '[' => Self::control(body, head),
            ']' | 'P' | 'X' | '^' | '_' => Self::string(body, head),
            // Intermediate bytes announce one final byte, as in "ESC ( B".
            ' '..='/' => {
                let end = body.find(|c: char| !matches!(c, ' '..='/'))?;
                let last = body
                    .get(end..)?
                    .chars()
                    .next()
                    .filter(|c| matches!(c, '0'..='~'))?;
                Some(Self {
                    len: head + end + last.len_utf8(),
                    sgr: None,
                })
            }
            '0'..='~' => Some(Self {
                len: head,
                sgr: None,
            }),
            _ => None,
        }
    }

    /// `CSI parameters intermediates final`.
    fn control(body: &'a str, head: usize) -> Option<Self> {
        let parameters = body.find(|c: char| !matches!(c, '0'..='?'))?;
        let rest = body.get(parameters..)?;
        let intermediates = rest.find(|c: char| !matches!(c, ' '..='/'))?;
        let last = rest
            .get(intermediates..)?
            .chars()
            .next()
            .filter(|c| matches!(c, '@'..='~'))?;
        let text = body.get(..parameters).unwrap_or_default();
        // A private prefix such as "?" or ">" makes it another command: "CSI > 4 m" sets key reporting.
        let is_sgr = last == 'm' && intermediates == 0 && !text.starts_with(['<', '=', '>', '?']);
        Some(Self {
            len: head + parameters + intermediates + 1,
            sgr: is_sgr.then_some(text),
        })
    }

    /// A string up to BEL, ST or its C1 form; another ESC inside means that the first one never ended.
    fn string(body: &str, head: usize) -> Option<Self> {
        let end = body.find(['\u{7}', '\u{1b}', '\u{9c}'])?;
        let closing = match body.get(end..)? {
            tail if tail.starts_with("\u{1b}\\") || tail.starts_with('\u{9c}') => 2,
            tail if tail.starts_with('\u{7}') => 1,
            _ => return None,
        };
        Some(Self {
            len: head + end + closing,
            sgr: None,
        })
    }
}

impl Style {
    fn apply(&mut self, parameters: &str) {
        let mut codes = parameters.split(';');
        while let Some(code) = codes.next() {
            let (code, sub) = code
                .split_once(':')
                .map_or((code, None), |(code, sub)| (code, Some(sub)));
            // A missing number is 0, as in "ESC [ m".
            let Ok(code) = (if code.is_empty() {
                Ok(0)
            } else {
                code.parse::<u8>()
            }) else {
                continue;
            };
            match code {
                0 => *self = Self::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                3 => self.italic = true,
                4 => self.underline = sub != Some("0"),
                21 => self.underline = true,
                7 => self.reverse = true,
                9 => self.strike = true,
                22 => (self.bold, self.dim) = (false, false),
                23 => self.italic = false,
                24 => self.underline = false,
                27 => self.reverse = false,
                29 => self.strike = false,
                30..=37 => self.fg = Some(Colour::Indexed(code - 30)),
                90..=97 => self.fg = Some(Colour::Indexed(code - 90 + 8)),
                39 => self.fg = None,
                40..=47 => self.bg = Some(Colour::Indexed(code - 40)),
                100..=107 => self.bg = Some(Colour::Indexed(code - 100 + 8)),
                49 => self.bg = None,
                38 | 48 | 58 => {
                    let colour = match sub {
                        Some(sub) => extended_with_colons(sub),
                        None => extended(&mut codes),
                    };
                    match (code, colour) {
                        (38, Some(_)) => self.fg = colour,
                        (48, Some(_)) => self.bg = colour,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
}

/// `5;n` or `2;r;g;b` behind a 38 or 48.
fn extended<'a>(codes: &mut impl Iterator<Item = &'a str>) -> Option<Colour> {
    match codes.next()? {
        "5" => Some(Colour::Indexed(codes.next()?.parse().ok()?)),
        "2" => {
            let mut part = || codes.next()?.parse().ok();
            Some(Colour::Rgb(part()?, part()?, part()?))
        }
        _ => None,
    }
}

/// `5:n`, `2:r:g:b` or the standard's `2:colourspace:r:g:b`.
fn extended_with_colons(sub: &str) -> Option<Colour> {
    let parts: Vec<&str> = sub.split(':').collect();
    match parts.as_slice() {
        ["5", n, ..] => Some(Colour::Indexed(n.parse().ok()?)),
        ["2", r, g, b] | ["2", _, r, g, b, ..] => Some(Colour::Rgb(
            r.parse().ok()?,
            g.parse().ok()?,
            b.parse().ok()?,
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::foreign::foreign;
    use proptest::prelude::*;

    fn read(line: &str) -> Vec<(String, Style)> {
        parse(line, Style::default(), 4)
            .runs
            .into_iter()
            .map(|r| (r.text.into_owned(), r.style))
            .collect()
    }

    fn fg(colour: Colour) -> Style {
        Style {
            fg: Some(colour),
            ..Style::default()
        }
    }

    #[test]
    fn both_beginnings_of_a_sequence_are_seen() {
        for (text, expected) in [
            ("", false),
            ("plain", false),
            ("12 \u{b5}m, \u{a0}caf\u{e9}", false),
            ("\u{c2}\u{9a}", false),
            ("red\u{1b}[31m", true),
            ("\u{b5}\u{9b}1m", true),
            ("\u{9b}", true),
        ] {
            assert_eq!(may_style(text), expected, "{text:?}");
            assert_eq!(text.contains(['\u{1b}', '\u{9b}']), expected);
        }
    }

    #[test]
    fn looks() {
        let none = Style::default();
        assert_eq!(
            read("a\u{1b}[31mb\u{1b}[0mc"),
            [
                ("a".into(), none),
                ("b".into(), fg(Colour::Indexed(1))),
                ("c".into(), none)
            ]
        );
        assert_eq!(
            read("\u{1b}[1;4;97mx"),
            [(
                "x".into(),
                Style {
                    bold: true,
                    underline: true,
                    ..fg(Colour::Indexed(15))
                }
            )]
        );
        assert_eq!(
            read("\u{1b}[38;5;208mx"),
            [("x".into(), fg(Colour::Indexed(208)))]
        );
        assert_eq!(
            read("\u{1b}[38;2;1;2;3;3mx"),
            [(
                "x".into(),
                Style {
                    italic: true,
                    ..fg(Colour::Rgb(1, 2, 3))
                }
            )]
        );
        assert_eq!(
            read("\u{1b}[38:2::1:2:3mx"),
            [("x".into(), fg(Colour::Rgb(1, 2, 3)))]
        );
        assert_eq!(
            read("\u{9b}32mx\u{1b}[mz"),
            [("x".into(), fg(Colour::Indexed(2))), ("z".into(), none)]
        );
    }

    #[test]
    fn a_look_lasts_into_the_next_line() {
        let first = parse("\u{1b}[33mwarn", Style::default(), 4);
        assert_eq!(
            parse("more", first.end, 4).runs[0].style,
            fg(Colour::Indexed(3))
        );
    }

    #[test]
    fn other_sequences_are_dropped_and_counted() {
        let parsed = parse(
            "\u{1b}[2Ja\u{1b}]0;title\u{7}b\u{1b}]52;c;AAAA\u{1b}\\c\u{1b}(B\u{1b}7d\u{1b}[>4;2m\u{1b}Pq#0\u{9c}",
            Style::default(),
            4,
        );
        assert_eq!(parsed.plain(), "abcd");
        assert_eq!(parsed.dropped, 7);
        assert_eq!(parsed.runs.len(), 1);
    }

    #[test]
    fn what_never_ends_hides_nothing() {
        assert_eq!(
            parse("\u{1b}]0;rm -rf", Style::default(), 4).plain(),
            "␛]0;rm -rf"
        );
        assert_eq!(parse("a\u{1b}[12", Style::default(), 4).plain(), "a␛[12");
        assert_eq!(parse("\u{1b}", Style::default(), 4).plain(), "␛");
        assert_eq!(
            parse("\u{1b}]0;x\u{1b}[31mred", Style::default(), 4).plain(),
            "␛]0;xred"
        );
    }

    #[test]
    fn tabs_count_drawn_columns_only() {
        assert_eq!(
            parse("\u{1b}[31mab\u{1b}[0m\tc", Style::default(), 8).plain(),
            "ab      c"
        );
    }

    proptest! {
        #[test]
        fn nothing_but_looks_comes_out(text in foreign()) {
            let parsed = parse(&text, Style::default(), 4);
            prop_assert!(!parsed.plain().chars().any(char::is_control));
            prop_assert!(parsed.runs.iter().all(|run| !run.text.is_empty()));
        }

        #[test]
        fn text_without_sequences_is_just_sanitised(text in "[^\u{1b}\u{80}-\u{9f}]*") {
            let parsed = parse(&text, Style::default(), 4);
            // The line's end, with or without its CR, is not text.
            let line = text.strip_suffix('\n').unwrap_or(&text);
            let line = line.strip_suffix('\r').unwrap_or(line);
            prop_assert_eq!(parsed.plain(), sanitise_from(line, 4, 0).into_owned());
        }
    }
}
