//! Keys as xterm sends them.

/// The bytes that xterm sends for a key.
pub(super) fn encode_key(name: &str) -> Vec<u8> {
    let (mut rest, mut shift, mut alt, mut control) = (name, false, false, false);
    while let Some((modifier, key)) = rest.split_once('-').filter(|(_, key)| !key.is_empty()) {
        match modifier {
            "S" => shift = true,
            "M" | "A" => alt = true,
            "C" => control = true,
            _ => panic!("unknown modifier in key {name:?}"),
        }
        rest = key;
    }
    let modifiers = 1 + u8::from(shift) + 2 * u8::from(alt) + 4 * u8::from(control);
    let with_modifiers = |number: &str, last: char| match (modifiers, number) {
        (1, "1") => format!("\x1b[{last}"),
        (1, _) => format!("\x1b[{number}{last}"),
        _ => format!("\x1b[{number};{modifiers}{last}"),
    };
    let sequence = match rest {
        "Up" => with_modifiers("1", 'A'),
        "Down" => with_modifiers("1", 'B'),
        "Right" => with_modifiers("1", 'C'),
        "Left" => with_modifiers("1", 'D'),
        "Home" => with_modifiers("1", 'H'),
        "End" => with_modifiers("1", 'F'),
        "Insert" => with_modifiers("2", '~'),
        "Delete" => with_modifiers("3", '~'),
        "PageUp" => with_modifiers("5", '~'),
        "PageDown" => with_modifiers("6", '~'),
        "F1" | "F2" | "F3" | "F4" => {
            let last = char::from(b'P' + rest.as_bytes()[1] - b'1');
            if modifiers == 1 {
                format!("\x1bO{last}")
            } else {
                with_modifiers("1", last)
            }
        }
        "F5" => with_modifiers("15", '~'),
        "F6" => with_modifiers("17", '~'),
        "F7" => with_modifiers("18", '~'),
        "F8" => with_modifiers("19", '~'),
        "F9" => with_modifiers("20", '~'),
        "F10" => with_modifiers("21", '~'),
        "F11" => with_modifiers("23", '~'),
        "F12" => with_modifiers("24", '~'),
        "Tab" if shift => "\x1b[Z".to_owned(),
        _ => {
            let character = match rest {
                "Enter" => '\r',
                "Esc" => '\x1b',
                "Tab" => '\t',
                "Space" => ' ',
                "Backspace" => '\x7f',
                _ => {
                    let mut characters = rest.chars();
                    match (characters.next(), characters.next()) {
                        (Some(character), None) => character,
                        _ => panic!("unknown key {name:?}"),
                    }
                }
            };
            let character = match character {
                ' ' if control => '\0',
                character if control => char::from(character.to_ascii_lowercase() as u8 & 0x1f),
                character if shift => character.to_ascii_uppercase(),
                character => character,
            };
            let escape = if alt { "\x1b" } else { "" };
            format!("{escape}{character}")
        }
    };
    sequence.into_bytes()
}
