//! A reader of JSON that is larger than memory: one pass, in blocks, nothing kept but what is asked for.
//!
//! It knows the few shapes that heap files are made of: objects whose keys are handed out, arrays of whole numbers (hundreds of
//! megabytes of them), arrays of strings. Everything else is passed over without being built, however deep it is.

use std::fmt::Display;

use super::Trouble;
use crate::prelude::*;

/// Bytes read at once.
const BLOCK: usize = 256 << 10;

/// The reader.
pub struct Json<'p, R> {
    input: R,
    block: Vec<u8>,
    /// Bytes of the block that were read.
    end: usize,
    at: usize,
    /// Bytes before the block.
    before: u64,
    size: u64,
    cancel: &'p Cancel,
    progress: &'p mut dyn FnMut(u64, u64),
    /// The part that is being read, for errors.
    pub within: &'static str,
}

impl<'p, R: Read> Json<'p, R> {
    /// Reads from `input`, whose first byte is byte `begin` of a file of `size` bytes.
    pub fn new(
        input: R,
        (begin, size): (u64, u64),
        cancel: &'p Cancel,
        progress: &'p mut dyn FnMut(u64, u64),
    ) -> Self {
        Self {
            input,
            block: vec![0; BLOCK],
            end: 0,
            at: 0,
            before: begin,
            size,
            cancel,
            progress,
            within: "beginning",
        }
    }

    /// Where we are.
    pub fn position(&self) -> u64 {
        self.before + self.at as u64
    }

    /// Damage here.
    pub fn odd(&self, what: impl Display) -> Trouble {
        let at = self.position();
        Trouble::Unfit(format!("is damaged near byte {at}: {what}"))
    }

    /// The rest of the block, or the next one; an error at the end of the file.
    fn block(&mut self) -> Result<&[u8], Trouble> {
        if self.at >= self.end {
            self.fill()?;
        }
        Ok(self.block.get(self.at..self.end).unwrap_or_default())
    }

    fn fill(&mut self) -> Result<(), Trouble> {
        if self.cancel.is_cancelled() {
            return Err(Trouble::Cancelled);
        }
        self.before += self.end as u64;
        (self.at, self.end) = (0, 0);
        let read = loop {
            match self.input.read(&mut self.block) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end = read;
        (self.progress)(self.before + read as u64, self.size);
        if read == 0 {
            return Err(Trouble::Unfit(format!(
                "is cut short: it ends at byte {}, within its {}",
                self.before, self.within
            )));
        }
        Ok(())
    }

    /// The next byte that is no blank, which stays there.
    fn peek(&mut self) -> Result<u8, Trouble> {
        loop {
            let block = self.block()?;
            let found = block
                .iter()
                .position(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t'));
            let byte = found.and_then(|at| block.get(at)).copied();
            let len = block.len();
            self.at += found.unwrap_or(len);
            if let Some(byte) = byte {
                return Ok(byte);
            }
        }
    }

    /// Takes this byte, or says what is there instead.
    pub fn expect(&mut self, wanted: u8) -> Result<(), Trouble> {
        let found = self.peek()?;
        if found != wanted {
            let (found, wanted) = (char::from(found), char::from(wanted));
            return Err(self.odd(format!("there is {found:?} where {wanted:?} should be")));
        }
        self.at += 1;
        Ok(())
    }

    /// The next key of an object, whose value comes next; nothing at its end. `first` = no key of it was read yet.
    pub fn key(&mut self, first: bool) -> Result<Option<String>, Trouble> {
        match self.peek()? {
            b'}' => {
                self.at += 1;
                return Ok(None);
            }
            b',' if !first => self.at += 1,
            _ => {}
        }
        let mut key = Vec::new();
        self.string(&mut key, 256)?;
        self.expect(b':')?;
        Ok(Some(String::from_utf8_lossy(&key).into_owned()))
    }

    /// An array of whole numbers, each handed to `each`. False from it ends the reading there.
    pub fn numbers(
        &mut self,
        mut each: impl FnMut(u64) -> Result<bool, String>,
    ) -> Result<(), Trouble> {
        self.expect(b'[')?;
        let (mut number, mut digits, mut over, mut any) = (0_u64, 0_u32, false, false);
        loop {
            let block = self.block()?;
            let len = block.len();
            let mut used = 0;
            let mut end = None;
            for &byte in block {
                used += 1;
                match byte {
                    b'0'..=b'9' if !over => {
                        number = number.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                        digits += 1;
                    }
                    b',' | b']' => {
                        // Nothing between the brackets is an empty array; anywhere else it is a hole.
                        let empty = byte == b']' && digits == 0 && !any;
                        if !empty {
                            if digits == 0 || digits > 19 {
                                end = Some(Err("a number is missing or too long".to_owned()));
                                break;
                            }
                            any = true;
                            match each(number) {
                                Ok(true) => {}
                                Ok(false) => end = Some(Ok(())),
                                Err(what) => end = Some(Err(what)),
                            }
                        }
                        (number, digits, over) = (0, 0, false);
                        if byte == b']' && end.is_none() {
                            end = Some(Ok(()));
                        }
                        if end.is_some() {
                            break;
                        }
                    }
                    b' ' | b'\n' | b'\r' | b'\t' => over = digits > 0,
                    other => {
                        let other = char::from(other);
                        end = Some(Err(format!("there is {other:?} among whole numbers")));
                        break;
                    }
                }
            }
            self.at += used.min(len);
            match end {
                Some(Ok(())) => return Ok(()),
                Some(Err(what)) => return Err(self.odd(what)),
                None => {}
            }
        }
    }

    /// An array of strings, each appended to what `each` is handed; the first `keep` bytes of each.
    pub fn strings(&mut self, keep: usize, mut each: impl FnMut(&[u8])) -> Result<(), Trouble> {
        self.expect(b'[')?;
        let mut text = Vec::new();
        let mut first = true;
        loop {
            match self.peek()? {
                b']' => {
                    self.at += 1;
                    return Ok(());
                }
                b',' if !first => self.at += 1,
                _ => {}
            }
            first = false;
            text.clear();
            self.string(&mut text, keep)?;
            each(&text);
        }
    }

    /// A string, decoded; bytes beyond `keep` are dropped, never within a character.
    fn string(&mut self, text: &mut Vec<u8>, keep: usize) -> Result<(), Trouble> {
        self.expect(b'"')?;
        let mut pending = None;
        loop {
            let room = keep.saturating_sub(text.len());
            let block = self.block()?;
            let end = memchr::memchr2(b'"', b'\\', block).unwrap_or(block.len());
            let (plain, rest) = block.split_at(end);
            if !plain.is_empty() {
                if pending.take().is_some() {
                    text.extend_from_slice("\u{fffd}".as_bytes());
                }
                text.extend_from_slice(plain.get(..room).unwrap_or(plain));
            }
            let closing = rest.first().copied();
            self.at += end;
            match closing {
                None => {}
                Some(b'"') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {
                    self.at += 1;
                    self.escape(text, keep, &mut pending)?;
                }
            }
        }
        if pending.is_some() {
            text.extend_from_slice("\u{fffd}".as_bytes());
        }
        // What was cut may end within a character.
        if text.len() >= keep
            && let Err(error) = std::str::from_utf8(text)
            && error.error_len().is_none()
        {
            text.truncate(error.valid_up_to());
        }
        Ok(())
    }

    /// What follows a backslash; `pending` is the first half of a pair of surrogates.
    fn escape(
        &mut self,
        text: &mut Vec<u8>,
        keep: usize,
        pending: &mut Option<u32>,
    ) -> Result<(), Trouble> {
        let byte = self.byte()?;
        let character = match byte {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => char::from(byte),
            b'u' => {
                let mut unit = 0;
                for _ in 0..4 {
                    let digit = char::from(self.byte()?).to_digit(16);
                    let digit =
                        digit.ok_or_else(|| self.odd("an escape \\u without four digits"))?;
                    unit = unit * 16 + digit;
                }
                match (unit, pending.take()) {
                    (0xd800..=0xdbff, before) => {
                        if before.is_some() {
                            push(text, keep, '\u{fffd}');
                        }
                        *pending = Some(unit);
                        return Ok(());
                    }
                    (0xdc00..=0xdfff, Some(high)) => {
                        let code = 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00);
                        push(text, keep, char::from_u32(code).unwrap_or('\u{fffd}'));
                        return Ok(());
                    }
                    (unit, before) => {
                        if before.is_some() {
                            push(text, keep, '\u{fffd}');
                        }
                        char::from_u32(unit).unwrap_or('\u{fffd}')
                    }
                }
            }
            other => {
                let other = char::from(other);
                return Err(self.odd(format!("an unknown escape \\{other}")));
            }
        };
        if pending.take().is_some() {
            push(text, keep, '\u{fffd}');
        }
        push(text, keep, character);
        Ok(())
    }

    fn byte(&mut self) -> Result<u8, Trouble> {
        let byte = self.block()?.first().copied();
        self.at += 1;
        byte.ok_or_else(|| self.odd("nothing"))
    }

    /// Passes over a value; its text is appended to `kept` as long as that stays below `most` bytes.
    pub fn value(&mut self, mut kept: Option<&mut Vec<u8>>, most: usize) -> Result<(), Trouble> {
        let mut depth = 0_u64;
        let mut keep = |bytes: &[u8]| match &mut kept {
            Some(kept) if kept.len() + bytes.len() > most => false,
            Some(kept) => {
                kept.extend_from_slice(bytes);
                true
            }
            None => true,
        };
        loop {
            let byte = self.peek()?;
            // A scalar ends before these; they belong to what it is in.
            if depth == 0 && matches!(byte, b',' | b'}' | b']') {
                return Ok(());
            }
            self.at += 1;
            let mut fits = keep(&[byte]);
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b'"' => loop {
                    let block = self.block()?;
                    let end = memchr::memchr2(b'"', b'\\', block);
                    let upto = end.map_or(block.len(), |end| end + 1);
                    let part = block.get(..upto).unwrap_or_default();
                    let last = end.and_then(|end| block.get(end)).copied();
                    fits &= keep(part);
                    self.at += upto;
                    match last {
                        None => {}
                        Some(b'"') => break,
                        Some(_) => {
                            let byte = self.byte()?;
                            fits &= keep(&[byte]);
                        }
                    }
                },
                _ => {}
            }
            if !fits {
                return Err(self.odd("its description is larger than any program writes it"));
            }
            if depth == 0 && matches!(byte, b'}' | b']' | b'"') {
                return Ok(());
            }
        }
    }
}

fn push(text: &mut Vec<u8>, keep: usize, character: char) {
    let mut bytes = [0; 4];
    let encoded = character.encode_utf8(&mut bytes).as_bytes();
    if text.len() + encoded.len() <= keep {
        text.extend_from_slice(encoded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Hands out one byte at a time: every border lies between two blocks.
    struct Drops<'t>(&'t [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else {
                return Ok(0);
            };
            into[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    fn with<T>(
        text: &str,
        read: impl Fn(&mut Json<'_, &mut dyn Read>) -> Result<T, Trouble>,
    ) -> Result<T, String> {
        let cancel = Cancel::default();
        let (mut whole, mut drops) = (text.as_bytes(), Drops(text.as_bytes()));
        let run = |input: &mut dyn Read| {
            let mut progress = |_, _| {};
            let mut json = Json::new(input, (0, text.len() as u64), &cancel, &mut progress);
            read(&mut json).map_err(|error| error.to_string())
        };
        let first = run(&mut whole);
        let second = run(&mut drops);
        assert_eq!(first.as_ref().err(), second.as_ref().err(), "{text}");
        first
    }

    fn numbers(text: &str) -> Result<Vec<u64>, String> {
        with(text, |json| {
            let mut found = Vec::new();
            json.numbers(|number| {
                found.push(number);
                Ok(true)
            })?;
            Ok(found)
        })
    }

    fn strings(text: &str, keep: usize) -> Result<Vec<String>, String> {
        with(text, |json| {
            let mut found = Vec::new();
            json.strings(keep, |text| {
                found.push(String::from_utf8_lossy(text).into_owned());
            })?;
            Ok(found)
        })
    }

    #[test]
    fn numbers_and_what_is_none() {
        assert_eq!(numbers(" [1, 22,\n333 ]").unwrap(), [1, 22, 333]);
        assert_eq!(numbers("[]").unwrap(), Vec::<u64>::new());
        for odd in [
            "[1,]",
            "[,1]",
            "[1 2]",
            "[-1]",
            "[1.5]",
            "[\"1\"]",
            "[123456789012345678901]",
            "{",
        ] {
            let error = numbers(odd).unwrap_err();
            assert!(error.contains("damaged"), "{odd}: {error}");
        }
        assert!(
            numbers("[1,2")
                .unwrap_err()
                .contains("cut short: it ends at byte 4")
        );
    }

    #[test]
    fn strings_are_decoded_and_cut_between_characters() {
        let found = strings(
            r#"["a\"\\\n\u00e9\ud83d\ude00", "\ud83d", "\ud83dx", "é"]"#,
            99,
        )
        .unwrap();
        assert_eq!(found, ["a\"\\\né😀", "\u{fffd}", "\u{fffd}x", "é"]);
        assert_eq!(strings("[\"ééé\"]", 3).unwrap(), ["é"]);
        assert_eq!(strings(r#"["\u00e9\u00e9"]"#, 3).unwrap(), ["é"]);
        assert!(strings(r#"["\q"]"#, 9).unwrap_err().contains("escape"));
        assert!(strings(r#"["abc"#, 9).unwrap_err().contains("cut short"));
    }

    #[test]
    fn what_is_not_wanted_is_passed_over() {
        let deep = format!(
            "{{\"a\":{}{},\"b\":[7]}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        let read = |json: &mut Json<'_, &mut dyn Read>| {
            json.expect(b'{')?;
            let mut found = Vec::new();
            let mut first = true;
            while let Some(key) = json.key(first)? {
                first = false;
                if key == "b" {
                    json.numbers(|n| {
                        found.push(n);
                        Ok(true)
                    })?;
                } else {
                    json.value(None, 0)?;
                }
            }
            Ok(found)
        };
        assert_eq!(with(&deep, read).unwrap(), [7]);
        let flat = r#"{"x": -1.5e3, "y": "a]\"}", "z": null, "b": [1]}"#;
        assert_eq!(with(flat, read).unwrap(), [1]);
        let kept = with(r#"{"a": [1, "b"]}, "#, |json| {
            let mut kept = Vec::new();
            json.value(Some(&mut kept), 100)?;
            Ok(String::from_utf8(kept).unwrap())
        });
        assert_eq!(kept.unwrap(), r#"{"a":[1,"b"]}"#);
        let large = with("[1,2,3,4]", |json| json.value(Some(&mut Vec::new()), 3));
        assert!(large.unwrap_err().contains("larger"));
    }

    proptest! {
        #[test]
        fn strings_mean_what_they_mean_elsewhere(texts in prop::collection::vec(any::<String>(), 0..5)) {
            let json = serde_json::to_string(&texts).unwrap();
            prop_assert_eq!(strings(&json, 1 << 20).unwrap(), texts);
        }

        #[test]
        fn no_bytes_break_it(text in "[\\[\\]{}\",:\\\\u0-9a-f -]{0,40}") {
            let _ = numbers(&text);
            let _ = strings(&text, 4);
            let _ = with(&text, |json| json.value(None, 0));
        }
    }
}
