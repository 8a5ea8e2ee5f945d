//! Keys as a program on a terminal reads them: xterm's sequences.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What is sent for a key; none for one that sends nothing. `application`: cursor keys are sent in their second form.
pub fn encode(key: KeyEvent, application: bool) -> Option<String> {
    let has = |modifier| key.modifiers.contains(modifier);
    let (shift, alt, control) = (
        has(KeyModifiers::SHIFT),
        has(KeyModifiers::ALT),
        has(KeyModifiers::CONTROL),
    );
    // As xterm counts them.
    let modified = 1 + u8::from(shift) + 2 * u8::from(alt) + 4 * u8::from(control);
    let plain = |text: &str| {
        let escape = if alt { "\x1b" } else { "" };
        Some(format!("{escape}{text}"))
    };
    let letter = |last: char, second: bool| {
        Some(match (modified, second) {
            (1, true) => format!("\x1bO{last}"),
            (1, false) => format!("\x1b[{last}"),
            _ => format!("\x1b[1;{modified}{last}"),
        })
    };
    let number = |n: u8| {
        Some(match modified {
            1 => format!("\x1b[{n}~"),
            _ => format!("\x1b[{n};{modified}~"),
        })
    };
    match key.code {
        KeyCode::Char(c) if control => plain(&controlled(c)?.to_string()),
        KeyCode::Char(c) => plain(&c.to_string()),
        KeyCode::Enter => plain("\r"),
        KeyCode::Tab => plain("\t"),
        KeyCode::BackTab => Some("\x1b[Z".to_owned()),
        KeyCode::Backspace if control => plain("\x08"),
        KeyCode::Backspace => plain("\x7f"),
        KeyCode::Esc => plain("\x1b"),
        KeyCode::Up => letter('A', application),
        KeyCode::Down => letter('B', application),
        KeyCode::Right => letter('C', application),
        KeyCode::Left => letter('D', application),
        KeyCode::Home => letter('H', application),
        KeyCode::End => letter('F', application),
        KeyCode::Insert => number(2),
        KeyCode::Delete => number(3),
        KeyCode::PageUp => number(5),
        KeyCode::PageDown => number(6),
        KeyCode::F(n @ 1..=4) => letter(char::from(b'O' + n), true),
        KeyCode::F(n @ 5..=12) => {
            const NUMBERS: [u8; 8] = [15, 17, 18, 19, 20, 21, 23, 24];
            number(*NUMBERS.get(usize::from(n - 5))?)
        }
        _ => None,
    }
}

/// The control character of a key, also where terminals write it as a digit.
fn controlled(c: char) -> Option<char> {
    Some(match c.to_ascii_lowercase() {
        c @ 'a'..='z' => char::from(c as u8 & 0x1f),
        ' ' | '@' | '2' => '\0',
        '[' | '3' => '\x1b',
        '\\' | '4' => '\x1c',
        ']' | '5' => '\x1d',
        '^' | '6' => '\x1e',
        '_' | '/' | '7' => '\x1f',
        '?' | '8' => '\x7f',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_xterm_sends() {
        let none = KeyModifiers::NONE;
        let cases = [
            (KeyCode::Char('é'), none, "é"),
            (KeyCode::Char('c'), KeyModifiers::CONTROL, "\x03"),
            (KeyCode::Char('D'), KeyModifiers::CONTROL, "\x04"),
            (KeyCode::Char('x'), KeyModifiers::ALT, "\x1bx"),
            (KeyCode::Enter, none, "\r"),
            (KeyCode::Backspace, none, "\x7f"),
            (KeyCode::Up, none, "\x1b[A"),
            (KeyCode::Left, KeyModifiers::CONTROL, "\x1b[1;5D"),
            (KeyCode::Delete, none, "\x1b[3~"),
            (KeyCode::PageUp, KeyModifiers::SHIFT, "\x1b[5;2~"),
            (KeyCode::F(1), none, "\x1bOP"),
            (KeyCode::F(4), KeyModifiers::SHIFT, "\x1b[1;2S"),
            (KeyCode::F(5), none, "\x1b[15~"),
            (KeyCode::F(12), none, "\x1b[24~"),
            (KeyCode::BackTab, KeyModifiers::SHIFT, "\x1b[Z"),
        ];
        for (code, modifiers, sent) in cases {
            let key = KeyEvent::new(code, modifiers);
            assert_eq!(encode(key, false).as_deref(), Some(sent), "{key:?}");
        }
        let up = KeyEvent::new(KeyCode::Up, none);
        assert_eq!(encode(up, true).as_deref(), Some("\x1bOA"));
        assert_eq!(encode(KeyEvent::new(KeyCode::CapsLock, none), false), None);
    }
}
