//! The numbers and letters by which terminals name keys and modifiers, those of the kitty keyboard protocol included.

use crossterm::event::{KeyCode, KeyModifiers};

/// `ESC [ A`, `ESC O P`.
pub fn by_letter(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P' => KeyCode::F(1),
        b'Q' => KeyCode::F(2),
        b'R' => KeyCode::F(3),
        b'S' => KeyCode::F(4),
        _ => return None,
    })
}

/// `ESC [ 15 ~`.
pub fn by_number(number: u32) -> Option<KeyCode> {
    let function = |n: u32| u8::try_from(n).ok().map(KeyCode::F);
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => function(number - 10),
        17..=21 => function(number - 11),
        23..=26 => function(number - 12),
        28..=29 => function(number - 15),
        31..=34 => function(number - 17),
        _ => None,
    }
}

/// A key by its number in the kitty keyboard protocol. Locks, modifiers and media keys mean nothing to anybody here.
pub fn by_codepoint(number: u32) -> Option<KeyCode> {
    let nth = |first: u32| (number - first) as usize;
    Some(match number {
        27 => KeyCode::Esc,
        13 | 10 => KeyCode::Enter,
        9 => KeyCode::Tab,
        127 => KeyCode::Backspace,
        57376..=57398 => KeyCode::F(13 + nth(57376) as u8),
        57399..=57408 => KeyCode::Char(char::from(b'0' + nth(57399) as u8)),
        57409..=57426 => *KEYPAD.get(nth(57409))?,
        // The rest of the area that Unicode leaves to private use.
        57344..=63743 => return None,
        _ => KeyCode::Char(char::from_u32(number)?),
    })
}

const KEYPAD: [KeyCode; 18] = [
    KeyCode::Char('.'),
    KeyCode::Char('/'),
    KeyCode::Char('*'),
    KeyCode::Char('-'),
    KeyCode::Char('+'),
    KeyCode::Enter,
    KeyCode::Char('='),
    KeyCode::Char(','),
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
    KeyCode::Insert,
    KeyCode::Delete,
];

/// The modifiers of a parameter.
pub fn modifiers(mask: u32) -> KeyModifiers {
    let bits = mask.saturating_sub(1);
    let mut held = KeyModifiers::NONE;
    for (bit, modifier) in [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
        (8, KeyModifiers::SUPER),
        (16, KeyModifiers::HYPER),
        (32, KeyModifiers::META),
    ] {
        held.set(modifier, bits & bit != 0);
    }
    held
}
