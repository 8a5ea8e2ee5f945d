//! Texts without the sequences that colour them.

use std::borrow::Cow;

use memchr::memchr;

/// A text without the sequences that only colour it. Others stay, to be made visible.
pub fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains('\x1b') {
        return Cow::Borrowed(text);
    }
    match bytes_without_colours(text.as_bytes()) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

pub fn bytes_without_colours(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr(0x1b, text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(escape) = memchr(0x1b, rest) {
        let (before, sequence) = rest.split_at(escape);
        plain.extend_from_slice(before);
        let length = colour(sequence);
        if length == 0 {
            plain.push(0x1b);
        }
        rest = sequence.get(length.max(1)..).unwrap_or_default();
    }
    plain.extend_from_slice(rest);
    Cow::Owned(plain)
}

/// How long the colour at the beginning is: `ESC [ … m`.
fn colour(text: &[u8]) -> usize {
    let Some(parameters) = text.strip_prefix(b"\x1b[") else {
        return 0;
    };
    let end = parameters
        .iter()
        .position(|b| !matches!(b, b'0'..=b'9' | b';' | b':'));
    match end {
        Some(end) if parameters.get(end) == Some(&b'm') => end + 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_are_left_out() {
        assert_eq!(without_colours("\x1b[1;31mred\x1b[m text"), "red text");
        assert_eq!(
            without_colours("\x1b[2J\x1b]0;x\x07"),
            "\x1b[2J\x1b]0;x\x07"
        );
        assert_eq!(without_colours("a\x1b"), "a\x1b");
    }
}
