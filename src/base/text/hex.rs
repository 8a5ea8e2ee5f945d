//! Bytes as people read them.

use std::fmt::Write as _;

/// Two digits for each, with blanks between them.
pub fn digits(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 3);
    for byte in bytes {
        let _ = write!(text, "{byte:02x} ");
    }
    text.truncate(text.trim_end().len());
    text
}

/// Two digits for each, with nothing between them.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The character of a byte of ASCII, a dot for any other.
pub fn sign(byte: u8) -> char {
    match byte {
        b' '..=b'~' => char::from(byte),
        _ => '.',
    }
}

/// Those of all of them.
pub fn signs(bytes: &[u8]) -> String {
    bytes.iter().copied().map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_come_in_pairs() {
        assert_eq!(hexadecimal(b"\x00\n\xff"), "000aff");
    }
}
