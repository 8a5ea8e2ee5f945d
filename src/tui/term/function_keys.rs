//! The numbers and letters by which terminals name keys and modifiers, those of the kitty keyboard protocol included.

use crossterm::event::{KeyCode, KeyEventState, KeyModifiers, MediaKeyCode, ModifierKeyCode};

/// `ESC [ A`, `ESC O P`.
pub(super) fn by_letter(letter: u8) -> Option<KeyCode> {
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
pub(super) fn by_number(number: u32) -> Option<KeyCode> {
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

/// `ESC [ 97 u`.
pub(super) fn by_codepoint(number: u32) -> Option<(KeyCode, KeyEventState)> {
    let plain = |code| Some((code, KeyEventState::NONE));
    let keypad = |code| Some((code, KeyEventState::KEYPAD));
    let nth = |first: u32| (number - first) as usize;
    match number {
        27 => plain(KeyCode::Esc),
        13 | 10 => plain(KeyCode::Enter),
        9 => plain(KeyCode::Tab),
        127 => plain(KeyCode::Backspace),
        57358 => plain(KeyCode::CapsLock),
        57359 => plain(KeyCode::ScrollLock),
        57360 => plain(KeyCode::NumLock),
        57361 => plain(KeyCode::PrintScreen),
        57362 => plain(KeyCode::Pause),
        57363 => plain(KeyCode::Menu),
        57376..=57398 => plain(KeyCode::F(13 + nth(57376) as u8)),
        57399..=57408 => keypad(KeyCode::Char(char::from(b'0' + nth(57399) as u8))),
        57409..=57427 => keypad(*KEYPAD.get(nth(57409))?),
        57428..=57440 => plain(KeyCode::Media(*MEDIA.get(nth(57428))?)),
        57441..=57454 => plain(KeyCode::Modifier(*MODIFIERS.get(nth(57441))?)),
        _ => plain(KeyCode::Char(char::from_u32(number)?)),
    }
}

const KEYPAD: [KeyCode; 19] = [
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
    KeyCode::KeypadBegin,
];
const MEDIA: [MediaKeyCode; 13] = [
    MediaKeyCode::Play,
    MediaKeyCode::Pause,
    MediaKeyCode::PlayPause,
    MediaKeyCode::Reverse,
    MediaKeyCode::Stop,
    MediaKeyCode::FastForward,
    MediaKeyCode::Rewind,
    MediaKeyCode::TrackNext,
    MediaKeyCode::TrackPrevious,
    MediaKeyCode::Record,
    MediaKeyCode::LowerVolume,
    MediaKeyCode::RaiseVolume,
    MediaKeyCode::MuteVolume,
];
const MODIFIERS: [ModifierKeyCode; 14] = [
    ModifierKeyCode::LeftShift,
    ModifierKeyCode::LeftControl,
    ModifierKeyCode::LeftAlt,
    ModifierKeyCode::LeftSuper,
    ModifierKeyCode::LeftHyper,
    ModifierKeyCode::LeftMeta,
    ModifierKeyCode::RightShift,
    ModifierKeyCode::RightControl,
    ModifierKeyCode::RightAlt,
    ModifierKeyCode::RightSuper,
    ModifierKeyCode::RightHyper,
    ModifierKeyCode::RightMeta,
    ModifierKeyCode::IsoLevel3Shift,
    ModifierKeyCode::IsoLevel5Shift,
];

/// The second parameter: one more than the sum of what is held.
pub(super) fn modifiers(mask: u32) -> (KeyModifiers, KeyEventState) {
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
    let mut state = KeyEventState::NONE;
    state.set(KeyEventState::CAPS_LOCK, bits & 64 != 0);
    state.set(KeyEventState::NUM_LOCK, bits & 128 != 0);
    (held, state)
}
