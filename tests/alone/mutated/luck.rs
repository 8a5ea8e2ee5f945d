//! Changes that files meet: bits that flip, parts that are missing, twice there or from elsewhere, numbers beyond every bound, words with
//! control characters. The same number always makes the same change.

use std::ops::Range;

use serde_json::Value;

/// What stands where a number stood.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1e308",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999999999",
    "0.5",
    "null",
];

/// What stands anywhere.
const WORDS: &[&str] = &[
    "\u{1b}]0;title\u{7}",
    "\\u001b[2J",
    "\u{0}",
    "\u{202e}",
    "\u{fffd}\u{301}\u{301}",
    "\"",
    "{",
    "}",
    "[",
    "]",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "{\"a\":",
    ";",
    "\n",
    "\r\n\r\n",
    "${workspaceFolder}",
    "${input:${input:x}}",
    "null",
    "true",
    "../../../../etc/passwd",
];

/// A source of numbers that are as good as any for this (xorshift64*).
pub struct Luck(u64);

impl Luck {
    pub fn new(number: u64) -> Self {
        let mut luck = Self(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        luck.next();
        luck
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// Below a bound; 0 when there is nothing below it.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap();
        usize::try_from(self.next() % bound).unwrap()
    }

    pub fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// A part of what has this length, seldom a long one.
    fn part(&mut self, length: usize) -> Range<usize> {
        let start = self.below(length + 1);
        let most = match self.below(4) {
            0 => length,
            1 => 256,
            _ => 16,
        };
        let end = (start + self.below(most + 1)).min(length);
        start..end
    }

    /// Changes bytes in one to eight places.
    pub fn change(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(8) {
            self.change_once(bytes);
        }
    }

    fn change_once(&mut self, bytes: &mut Vec<u8>) {
        let length = bytes.len();
        match self.below(10) {
            0 if length > 0 => {
                let at = self.below(length);
                bytes[at] ^= 1 << self.below(8);
            }
            1 if length > 0 => {
                let at = self.below(length);
                bytes[at] = [0, 0x1b, 0x7f, 0x80, 0xff, b'"', b'\\', b'9'][self.below(8)];
            }
            2 => drop(bytes.drain(self.part(length))),
            3 => {
                let twice = bytes[self.part(length)].to_vec();
                let at = self.below(length + 1);
                drop(bytes.splice(at..at, twice));
            }
            4 => bytes.truncate(self.below(length + 1)),
            5 => {
                let word = self.of(WORDS).as_bytes().to_vec();
                let at = self.below(length + 1);
                drop(bytes.splice(at..at, word));
            }
            6 => {
                let noise: Vec<u8> = (0..self.below(40)).map(|_| self.next() as u8).collect();
                let at = self.below(length + 1);
                drop(bytes.splice(at..at, noise));
            }
            _ => {
                let from = self.below(length + 1);
                let is_digit = |byte: &u8| byte.is_ascii_digit();
                let start = bytes[from..].iter().position(is_digit).map(|at| from + at);
                let Some(start) = start else { return };
                let end = bytes[start..].iter().position(|byte| !is_digit(byte));
                let end = end.map_or(length, |at| start + at);
                let number = self.of(NUMBERS).as_bytes().to_vec();
                drop(bytes.splice(start..end, number));
            }
        }
    }

    /// Changes lines that are JSON each, so that they stay JSON: values become others, fields are missing, lines are missing, twice there
    /// or in another order. The first line stays.
    pub fn change_lines(&mut self, bytes: &mut Vec<u8>) {
        let text = String::from_utf8(std::mem::take(bytes)).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..=self.below(6) {
            if lines.len() < 2 {
                break;
            }
            let at = 1 + self.below(lines.len() - 1);
            match self.below(12) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[at].clone()),
                2 => {
                    let to = 1 + self.below(lines.len() - 1);
                    lines.swap(at, to);
                }
                3 => lines.truncate(at + 1),
                _ => {
                    let mut value: Value = serde_json::from_str(&lines[at]).unwrap();
                    // What is around a message was not sent by anybody.
                    let inner = match value.get_mut("message") {
                        Some(message) => message,
                        None => &mut value,
                    };
                    let mut left = self.below(count(inner));
                    self.change_value(inner, &mut left);
                    lines[at] = value.to_string();
                }
            }
        }
        *bytes = lines.join("\n").into_bytes();
    }

    /// Changes the value that has `left` others before it; whether it was found.
    fn change_value(&mut self, value: &mut Value, left: &mut usize) -> bool {
        if *left == 0 {
            self.replace(value);
            return true;
        }
        *left -= 1;
        match value {
            Value::Array(items) => items.iter_mut().any(|item| self.change_value(item, left)),
            Value::Object(fields) => fields
                .values_mut()
                .any(|field| self.change_value(field, left)),
            _ => false,
        }
    }

    fn replace(&mut self, value: &mut Value) {
        match (self.below(5), &mut *value) {
            (0 | 1, Value::Object(fields)) if !fields.is_empty() => {
                let at = self.below(fields.len());
                let name = fields.keys().nth(at).unwrap().clone();
                let old = fields.remove(&name);
                if self.below(3) == 0 {
                    fields.insert(name.to_uppercase(), old.unwrap());
                }
            }
            (0 | 1, Value::Array(items)) if !items.is_empty() => {
                let at = self.below(items.len());
                let item = items[at].clone();
                items.extend(std::iter::repeat_n(item, self.below(400)));
            }
            (0, Value::Number(number)) => {
                let near = number.as_i64().unwrap_or(0).wrapping_add(1);
                *value = near.into();
            }
            (0, Value::Bool(is)) => *value = (!*is).into(),
            (0..=2, _) => *value = serde_json::from_str(self.of(NUMBERS)).unwrap(),
            (3, _) => *value = Value::from(self.of(WORDS)),
            (_, _) => *value = Value::Array(vec![value.take()]),
        }
    }
}

/// How many values there are, those within others too.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}
