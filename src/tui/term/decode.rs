//! What a terminal sends, taken apart: keys, mouse, pastes, focus, and answers to what it was asked.
//!
//! Answers and keys come on one line. Decoding both in one place is what keeps a late answer from being taken for keys, and a key
//! typed before an answer from being lost with it. Bytes come in pieces of any size; what is incomplete waits. A sequence that
//! nobody knows is dropped whole. Leaves to others: reading the bytes ([`super::tty_events`]) and asking ([`super::probe`]).

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use super::function_keys;

/// A paste may be long; beyond this it is cut, and the rest thrown away until its end.
const LONGEST_PASTE: usize = 16 << 20;
/// No answer is longer; one that does not end is given up.
const LONGEST_ANSWER: usize = 64 << 10;
const PASTE_BEGIN: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// An answer of the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// What it is, in numbers (DA1). Every terminal answers this one.
    Attributes(Vec<u16>),
    /// Whether a mode is known: 0 no, 1 on, 2 off, 3 always on, 4 always off (DECRPM).
    Mode(u16, u16),
    /// It speaks the kitty keyboard protocol, with these flags on.
    KeyboardFlags(u16),
    /// Its name and version (XTVERSION).
    Version(String),
    /// A colour of its own, by the number of the question: 10 text, 11 background.
    Colour(u16, String),
    /// What it says of a picture: an identifier and a message.
    Graphics(u32, String),
    /// A capability by its name in hexadecimal, and whether it has it (XTGETTCAP).
    Capability(String, bool),
    /// A size in pixels, height first: 4 of the text area, 6 of a cell.
    Pixels(u16, u16, u16),
}

/// What was decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decoded {
    /// Something a person did.
    Event(Event),
    Answer(Answer),
}

impl From<Event> for Decoded {
    fn from(event: Event) -> Self {
        Self::Event(event)
    }
}

/// How far a piece of the buffer was understood.
enum Step {
    /// So many bytes mean this; nothing = they mean nothing.
    Done(usize, Option<Decoded>),
    /// More bytes are needed.
    More,
}

/// Takes bytes apart.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    /// Inside a paste, and what of it is there.
    paste: Option<Vec<u8>>,
}

impl Decoder {
    /// Takes in bytes. `more` says that further ones are there already: only without them is a lone escape the key of that name.
    pub fn push(&mut self, bytes: &[u8], more: bool, out: &mut impl Extend<Decoded>) {
        self.buffer.extend_from_slice(bytes);
        loop {
            if self.paste.is_some() {
                if !self.take_paste(out) {
                    return;
                }
                continue;
            }
            match step(&self.buffer, more) {
                Step::Done(used, what) => {
                    let is_paste = self.buffer.starts_with(PASTE_BEGIN);
                    self.buffer.drain(..used.max(1).min(self.buffer.len()));
                    out.extend(what);
                    if is_paste {
                        self.paste = Some(Vec::new());
                    }
                }
                Step::More if self.buffer.len() > LONGEST_ANSWER => self.buffer.clear(),
                Step::More => return,
            }
        }
    }

    /// Whether something incomplete waits that could be keys as well.
    pub fn is_doubtful(&self) -> bool {
        self.paste.is_none() && !self.buffer.is_empty()
    }

    /// Nothing more came for a while: two bytes were Alt and a key. What is longer is an answer on a slow line, and goes on waiting.
    pub fn flush(&mut self, out: &mut impl Extend<Decoded>) {
        match self.buffer.as_slice() {
            [0x1b] => out.extend([key(KeyCode::Esc, KeyModifiers::NONE)]),
            [0x1b, byte] => out.extend([alt(char::from(*byte))]),
            _ => return,
        }
        self.buffer.clear();
    }

    /// Moves what there is of the paste over; true when it has ended.
    fn take_paste(&mut self, out: &mut impl Extend<Decoded>) -> bool {
        let Some(paste) = &mut self.paste else {
            return true;
        };
        let end = memchr::memmem::find(&self.buffer, PASTE_END);
        // The end may be cut in two: so much may be its beginning.
        let taken = end.unwrap_or_else(|| self.buffer.len().saturating_sub(PASTE_END.len() - 1));
        let room = LONGEST_PASTE.saturating_sub(paste.len()).min(taken);
        paste.extend_from_slice(self.buffer.get(..room).unwrap_or_default());
        let used = taken + end.map_or(0, |_| PASTE_END.len());
        self.buffer.drain(..used);
        if end.is_some() {
            let text = String::from_utf8_lossy(paste).into_owned();
            out.extend([Decoded::Event(Event::Paste(text))]);
            self.paste = None;
        }
        end.is_some()
    }
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Decoded {
    Decoded::Event(Event::Key(KeyEvent::new(code, modifiers)))
}

fn alt(c: char) -> Decoded {
    key(KeyCode::Char(c), KeyModifiers::ALT | shift(c))
}

fn step(bytes: &[u8], more: bool) -> Step {
    match bytes {
        [] => Step::More,
        [0x1b] if more => Step::More,
        [0x1b] | [0x1b, 0x1b, ..] => Step::Done(1, Some(key(KeyCode::Esc, KeyModifiers::NONE))),
        [0x1b, b'[', rest @ ..] => csi(rest),
        [0x1b, b'O', rest @ ..] => ss3(rest),
        // Of a string's beginning alone nobody can say yet whether it is one.
        [0x1b, b']' | b'P' | b'_' | b'^' | b'X', rest @ ..] => string(bytes, rest),
        [0x1b, rest @ ..] => match plain(rest) {
            Step::Done(used, Some(Decoded::Event(Event::Key(mut pressed)))) => {
                pressed.modifiers |= KeyModifiers::ALT;
                Step::Done(used + 1, Some(Decoded::Event(Event::Key(pressed))))
            }
            Step::Done(used, what) => Step::Done(used + 1, what),
            Step::More => Step::More,
        },
        _ => plain(bytes),
    }
}

/// A key that is no sequence.
fn plain(bytes: &[u8]) -> Step {
    let Some(first) = bytes.first().copied() else {
        return Step::More;
    };
    let control = |c: u8| key(KeyCode::Char(char::from(c)), KeyModifiers::CONTROL);
    let one = |what| Step::Done(1, Some(what));
    match first {
        b'\r' | b'\n' => one(key(KeyCode::Enter, KeyModifiers::NONE)),
        b'\t' => one(key(KeyCode::Tab, KeyModifiers::NONE)),
        0x7f => one(key(KeyCode::Backspace, KeyModifiers::NONE)),
        0 => one(control(b' ')),
        0x1b => one(key(KeyCode::Esc, KeyModifiers::NONE)),
        c @ 0x01..=0x1a => one(control(c - 1 + b'a')),
        c @ 0x1c..=0x1f => one(control(c - 0x1c + b'4')),
        c @ 0x20..=0x7e => one(typed(char::from(c))),
        _ => utf8(bytes),
    }
}

fn typed(c: char) -> Decoded {
    key(KeyCode::Char(c), shift(c))
}

/// What has to be held for a letter.
fn shift(c: char) -> KeyModifiers {
    if c.is_uppercase() {
        KeyModifiers::SHIFT
    } else {
        KeyModifiers::NONE
    }
}

fn utf8(bytes: &[u8]) -> Step {
    let head = bytes.get(..bytes.len().min(4)).unwrap_or_default();
    let (good, bad) = match std::str::from_utf8(head) {
        Ok(text) => (text, None),
        Err(error) => {
            let good = head.get(..error.valid_up_to()).unwrap_or_default();
            let good = std::str::from_utf8(good).unwrap_or_default();
            (good, Some(error.error_len()))
        }
    };
    match (good.chars().next(), bad) {
        (Some(c), _) => Step::Done(c.len_utf8(), Some(typed(c))),
        // Cut in two.
        (None, Some(None)) => Step::More,
        (None, Some(Some(length))) => Step::Done(length, None),
        (None, None) => Step::Done(1, None),
    }
}

/// Keys of the application keypad.
fn ss3(rest: &[u8]) -> Step {
    let Some(last) = rest.first() else {
        return Step::More;
    };
    let code = function_keys::by_letter(*last);
    Step::Done(3, code.map(|code| key(code, KeyModifiers::NONE)))
}

/// What follows `ESC [`.
fn csi(rest: &[u8]) -> Step {
    // The Linux console's own function keys.
    if let [b'[', then @ ..] = rest {
        return match then.first() {
            None => Step::More,
            Some(c @ b'A'..=b'E') => {
                Step::Done(4, Some(key(KeyCode::F(c - b'A' + 1), KeyModifiers::NONE)))
            }
            Some(_) => Step::Done(4, None),
        };
    }
    // The oldest form of mouse reports: three bytes that may be anything. We never ask for it.
    if rest.first() == Some(&b'M') {
        return if rest.len() < 4 {
            Step::More
        } else {
            Step::Done(6, None)
        };
    }
    let Some(end) = rest.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else {
        return Step::More;
    };
    let last = rest.get(end).copied().unwrap_or_default();
    let body = rest.get(..end).unwrap_or_default();
    if !(0x40..=0x7e).contains(&last) {
        // Something else begins inside: what was there is no sequence.
        return Step::Done(end + 2, None);
    }
    // These bytes are ASCII.
    let body = std::str::from_utf8(body).unwrap_or_default();
    Step::Done(end + 3, sequence(body, last))
}

fn sequence(body: &str, last: u8) -> Option<Decoded> {
    if let Some(body) = body.strip_prefix('?') {
        return answer(body, last).map(Decoded::Answer);
    }
    if let Some(body) = body.strip_prefix('<') {
        return mouse(body, last);
    }
    let (numbers, marks) = parameters(body)?;
    let first = numbers.first().copied().unwrap_or(1);
    let mask = numbers.get(1).copied().unwrap_or(1);
    let mut modifiers = function_keys::modifiers(mask);
    let kind = match marks.second {
        2 => KeyEventKind::Repeat,
        3 => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    let with = |code, modifiers| {
        let event = KeyEvent::new_with_kind(code, modifiers, kind);
        Some(Decoded::Event(Event::Key(event)))
    };
    match last {
        b'I' if body.is_empty() => Some(Decoded::Event(Event::FocusGained)),
        b'O' if body.is_empty() => Some(Decoded::Event(Event::FocusLost)),
        b'Z' => Some(key(KeyCode::BackTab, KeyModifiers::SHIFT)),
        b'~' => with(function_keys::by_number(first)?, modifiers),
        b'u' => {
            let mut code = function_keys::by_codepoint(first)?;
            let shifted = marks.shifted.and_then(char::from_u32);
            match (code, shifted) {
                (KeyCode::Tab, _) if modifiers.contains(KeyModifiers::SHIFT) => {
                    code = KeyCode::BackTab;
                }
                (KeyCode::Char(_), Some(c)) if modifiers.contains(KeyModifiers::SHIFT) => {
                    code = KeyCode::Char(c);
                    modifiers.remove(KeyModifiers::SHIFT);
                }
                _ => {}
            }
            with(code, modifiers)
        }
        b't' => match numbers.as_slice() {
            [what @ (4 | 6), height, across] => {
                let size = |n: u32| u16::try_from(n).ok();
                let (height, across) = (size(*height)?, size(*across)?);
                Some(Decoded::Answer(Answer::Pixels(
                    *what as u16,
                    height,
                    across,
                )))
            }
            _ => None,
        },
        // A place of the cursor, which nobody asks for, or F3 with modifiers.
        b'R' if first != 1 || !(2..=8).contains(&mask) => None,
        _ => with(function_keys::by_letter(last)?, modifiers),
    }
}

/// Numbers behind colons, where they mean something.
#[derive(Default)]
struct Marks {
    /// Of the first parameter: the key with Shift.
    shifted: Option<u32>,
    /// Of the second: press, repeat, release.
    second: u32,
}

/// Numbers between semicolons; an empty one counts as 1.
fn parameters(body: &str) -> Option<(Vec<u32>, Marks)> {
    let mut marks = Marks::default();
    let mut numbers = Vec::new();
    if body.is_empty() {
        return Some((numbers, marks));
    }
    for (index, part) in body.split(';').enumerate() {
        let mut parts = part.split(':');
        let number = parts.next().unwrap_or_default();
        numbers.push(if number.is_empty() {
            1
        } else {
            number.parse().ok()?
        });
        let sub = parts.next().and_then(|text| text.parse().ok());
        match index {
            0 => marks.shifted = sub,
            1 => marks.second = sub.unwrap_or(1),
            _ => {}
        }
    }
    Some((numbers, marks))
}

/// What follows `ESC [ ?`.
fn answer(body: &str, last: u8) -> Option<Answer> {
    let numbers = |text: &str| -> Option<Vec<u16>> {
        let parts = text.split(';').filter(|part| !part.is_empty());
        parts.map(|part| part.parse().ok()).collect()
    };
    match last {
        b'c' => numbers(body).map(Answer::Attributes),
        b'u' => Some(Answer::KeyboardFlags(body.parse().ok()?)),
        b'y' => match numbers(body.strip_suffix('$')?)?.as_slice() {
            [mode, setting] => Some(Answer::Mode(*mode, *setting)),
            _ => None,
        },
        _ => None,
    }
}

/// Mouse reports in the form without a column limit.
fn mouse(body: &str, last: u8) -> Option<Decoded> {
    let mut numbers = body.split(';').map(|part| part.parse::<u16>().ok());
    let (bits, column, row) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let button = match bits & 0b11 {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        _ => MouseButton::Right,
    };
    let kind = match (bits & 0b1110_0011, last) {
        (64, _) => MouseEventKind::ScrollUp,
        (65, _) => MouseEventKind::ScrollDown,
        (66, _) => MouseEventKind::ScrollLeft,
        (67, _) => MouseEventKind::ScrollRight,
        (0..=2, b'M') => MouseEventKind::Down(button),
        (0..=2, b'm') => MouseEventKind::Up(button),
        (32..=34, _) => MouseEventKind::Drag(button),
        (35, _) => MouseEventKind::Moved,
        _ => return None,
    };
    let mut modifiers = KeyModifiers::NONE;
    modifiers.set(KeyModifiers::SHIFT, bits & 4 != 0);
    modifiers.set(KeyModifiers::ALT, bits & 8 != 0);
    modifiers.set(KeyModifiers::CONTROL, bits & 16 != 0);
    Some(Decoded::Event(Event::Mouse(MouseEvent {
        kind,
        column: column.checked_sub(1)?,
        row: row.checked_sub(1)?,
        modifiers,
    })))
}

/// A string of the terminal: until `ESC \` or a bell.
fn string(bytes: &[u8], rest: &[u8]) -> Step {
    let Some(end) = rest.iter().position(|byte| matches!(byte, 0x1b | 7)) else {
        return Step::More;
    };
    let body = rest.get(..end).unwrap_or_default();
    let length = match rest.get(end..).unwrap_or_default() {
        [7, ..] => 1,
        [0x1b, b'\\', ..] => 2,
        [0x1b] => return Step::More,
        // Another sequence begins: this one never ended.
        _ => return Step::Done(end + 2, None),
    };
    let body = String::from_utf8_lossy(body);
    let what = match bytes.get(1) {
        Some(b']') => colour(&body),
        Some(b'P') => device_string(&body),
        Some(b'_') => graphics(&body),
        _ => None,
    };
    Step::Done(2 + end + length, what.map(Decoded::Answer))
}

fn colour(body: &str) -> Option<Answer> {
    let (number, value) = body.split_once(';')?;
    let number = number.parse().ok().filter(|n| matches!(n, 10 | 11))?;
    Some(Answer::Colour(number, value.to_owned()))
}

fn device_string(body: &str) -> Option<Answer> {
    if let Some(version) = body.strip_prefix(">|") {
        return Some(Answer::Version(version.to_owned()));
    }
    let (has, said) = body.split_once("+r")?;
    let name = said.split('=').next().unwrap_or_default();
    Some(Answer::Capability(name.to_ascii_lowercase(), has == "1"))
}

fn graphics(body: &str) -> Option<Answer> {
    let (control, message) = body.strip_prefix('G')?.split_once(';')?;
    let mut members = control.split(',');
    let id = members.find_map(|member| member.strip_prefix("i="))?;
    Some(Answer::Graphics(id.parse().ok()?, message.to_owned()))
}

#[cfg(test)]
mod tests;
