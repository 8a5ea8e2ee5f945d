//! Redacting bytes that are mostly text: what is no UTF-8 stays as it is, byte by byte, and does not hide what is beside it.

use base::text::redact::{Redactor, Stream};

/// So many bytes without a zero are text.
const SNIFF: usize = 8 * 1024;
/// A byte that is no UTF-8 is shown to the redactor as a character of the last private plane.
const FIRST: u32 = 0x10_f700;

/// Whether a file that begins like this is text, so that secrets are looked for in it.
pub fn is_text(begin: &[u8]) -> bool {
    let begin = begin.get(..SNIFF).unwrap_or(begin);
    memchr::memchr(0, begin).is_none()
}

/// Takes secrets out of bytes that come in pieces.
pub struct ByteStream {
    stream: Stream,
    /// The beginning of a character whose rest is in the next piece.
    carry: Vec<u8>,
    text: String,
    clean: String,
}

impl ByteStream {
    pub fn new(redactor: &Redactor) -> Self {
        Self {
            stream: redactor.stream(),
            carry: Vec::new(),
            text: String::new(),
            clean: String::new(),
        }
    }

    /// Takes a piece; appends what is decided.
    pub fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        let mut joined = std::mem::take(&mut self.carry);
        let piece = if joined.is_empty() {
            piece
        } else {
            joined.extend_from_slice(piece);
            &joined
        };
        let held = unfinished(piece);
        let (now, later) = piece.split_at(piece.len() - held);
        self.take(now, out);
        self.carry = later.to_vec();
    }

    /// There is no more.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let rest = std::mem::take(&mut self.carry);
        self.take(&rest, out);
        self.clean.clear();
        self.stream.finish_into(&mut self.clean);
        put_back(&self.clean, out);
    }

    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.clean.clear();
        if let Ok(text) = std::str::from_utf8(bytes)
            && !has_stand_in(text)
        {
            self.stream.push_into(text, &mut self.clean);
        } else {
            self.text.clear();
            for chunk in bytes.utf8_chunks() {
                for character in chunk.valid().chars() {
                    // A character that stands for a byte is spelled by its own bytes.
                    if is_stand_in(character) {
                        let mut room = [0; 4];
                        self.text
                            .extend(character.encode_utf8(&mut room).bytes().map(stand_in));
                    } else {
                        self.text.push(character);
                    }
                }
                self.text
                    .extend(chunk.invalid().iter().copied().map(stand_in));
            }
            self.stream.push_into(&self.text, &mut self.clean);
        }
        put_back(&self.clean, out);
    }
}

/// Redacts bytes that are here as a whole.
pub fn redact(redactor: &Redactor, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut stream = ByteStream::new(redactor);
    stream.push(bytes, &mut out);
    stream.finish(&mut out);
    out
}

fn stand_in(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn is_stand_in(character: char) -> bool {
    (FIRST..FIRST + 256).contains(&u32::from(character))
}

/// All of them begin with the same two bytes.
fn has_stand_in(text: &str) -> bool {
    memchr::memchr(0xf4, text.as_bytes()).is_some() && text.chars().any(is_stand_in)
}

fn put_back(text: &str, out: &mut Vec<u8>) {
    if !has_stand_in(text) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let mut room = [0; 4];
    for character in text.chars() {
        if is_stand_in(character) {
            out.push((u32::from(character) - FIRST) as u8);
        } else {
            out.extend_from_slice(character.encode_utf8(&mut room).as_bytes());
        }
    }
}

/// How many bytes at the end are the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.get(bytes.len().saturating_sub(3)..).unwrap_or(bytes);
    for (back, byte) in last.iter().rev().enumerate() {
        let wanted = match byte {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            0x80..=0xbf => continue,
            _ => return 0,
        };
        return if wanted > back + 1 { back + 1 } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_text_stays_and_hides_nothing() {
        let redactor = Redactor::new();
        let mut text = b"caf\xe9 password=hunter22x \xff\xfe \xf4\x8f\x9f\x80 end\n".to_vec();
        let out = redact(&redactor, &text);
        assert!(out.starts_with(b"caf\xe9 password=[redacted:"));
        assert!(out.ends_with(b" \xff\xfe \xf4\x8f\x9f\x80 end\n"));
        assert_eq!(redactor.report().total(), 1);
        text.insert(3, 0);
        assert!(!is_text(&text));
    }

    proptest! {
        #[test]
        fn bytes_without_secrets_come_out_as_they_went_in(bytes in proptest::collection::vec(any::<u8>(), 0..300), at in 0_usize..300) {
            let redactor = Redactor::new();
            let (first, second) = bytes.split_at(at.min(bytes.len()));
            let mut out = Vec::new();
            let mut stream = ByteStream::new(&redactor);
            stream.push(first, &mut out);
            stream.push(second, &mut out);
            stream.finish(&mut out);
            if redactor.report().total() == 0 {
                prop_assert_eq!(out, bytes);
            }
        }
    }
}
