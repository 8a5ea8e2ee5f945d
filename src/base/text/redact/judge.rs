//! Whether a value that a name points at can be a secret at all, and how far it reaches.
//!
//! Leaves which names point at secrets to [`super::names`].

use super::{
    names::Sensitivity,
    span::{byte, cut},
};

/// How the replacement of a secret begins; four hexadecimal digits and `]` follow.
pub const TAG: &str = "[redacted:";
/// Length of a whole replacement.
pub const TAG_LENGTH: usize = TAG.len() + 5;

/// Words that say that there is no secret.
const NOTHING: &[&str] = &[
    "null",
    "none",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "empty",
    "unset",
    "missing",
    "redacted",
    "[redacted]",
    "<redacted>",
    "(redacted)",
    "hidden",
    "<hidden>",
    "(hidden)",
    "masked",
    "required",
    "optional",
    "string",
    "str",
    "&str",
    "number",
    "boolean",
    "bool",
    "int",
    "integer",
    "any",
    "bytes",
    "object",
    "unknown",
    "password",
    "secret",
    "token",
    "passwd",
    "invalid",
    "expired",
    "not",
    "is",
    "was",
    "must",
    "the",
    "a",
];

/// Names that code begins with when it fetches a secret instead of holding it.
const CODE: &[&str] = &[
    "self.",
    "this.",
    "args.",
    "process.env",
    "os.",
    "env.",
    "config.",
    "settings.",
    "options.",
    "std::",
];

/// Whether the text from `at` begins with a replacement.
pub fn tag_at(text: &str, at: usize) -> bool {
    let tag = cut(text, at, at + TAG_LENGTH);
    tag.strip_prefix(TAG)
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether this is one, and nothing else.
pub fn is_tag(text: &str) -> bool {
    text.len() == TAG_LENGTH && tag_at(text, 0)
}

/// Whether a value, as it stands in text, is to be replaced.
pub fn is_secret(value: &str, sensitivity: Sensitivity) -> bool {
    let value = value.trim();
    if is_nothing(value) {
        return false;
    }
    match sensitivity {
        Sensitivity::None => false,
        Sensitivity::Strong => true,
        Sensitivity::Weak => looks_random(value),
    }
}

/// As [`is_secret`] for a value without quotes, which may be a type or an expression of a program's text.
pub fn is_bare_secret(value: &str, sensitivity: Sensitivity) -> bool {
    is_secret(value, sensitivity) && !is_code(value)
}

/// Empty, a placeholder, masked already, or a word for nothing.
fn is_nothing(value: &str) -> bool {
    value.len() < 3
        || is_tag(value)
        || NOTHING.iter().any(|word| value.eq_ignore_ascii_case(word))
        || value
            .chars()
            .all(|c| matches!(c, '*' | '.' | '-' | '…' | '•' | 'x' | 'X' | '_' | '?' | '#'))
        || is_placeholder(value)
}

fn is_placeholder(value: &str) -> bool {
    let wrapped = |open: &str, close: &str| {
        value
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .is_some_and(|inner| {
                !inner.is_empty()
                    && inner.len() < 64
                    && inner
                        .chars()
                        .all(|c| c.is_alphanumeric() || "_-. :".contains(c))
            })
    };
    let variable = value.strip_prefix('$').is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|b| b == b'_' || b.is_ascii_uppercase() || b.is_ascii_digit())
    });
    variable
        || wrapped("${", "}")
        || wrapped("{{", "}}")
        || wrapped("{", "}")
        || wrapped("<", ">")
        || wrapped("%", "%")
        || matches!(value, "%s" | "%d" | "%v" | "{}" | "{:?}")
}

/// Long enough, of one piece, and not a word.
fn looks_random(value: &str) -> bool {
    // A replacement inside must not make the rest look more random than it was.
    let without = without_tags(value);
    let has = |test: fn(&u8) -> bool| without.as_bytes().iter().any(test);
    !without.contains(char::is_whitespace)
        && has(u8::is_ascii_alphabetic)
        && ((without.len() >= 6 && has(u8::is_ascii_digit)) || without.len() >= 24)
}

fn without_tags(value: &str) -> std::borrow::Cow<'_, str> {
    if !value.contains(TAG) {
        return value.into();
    }
    let mut out = String::with_capacity(value.len());
    let mut at = 0;
    while let Some(character) = value.get(at..).and_then(|rest| rest.chars().next()) {
        if tag_at(value, at) {
            at += TAG_LENGTH;
        } else {
            out.push(character);
            at += character.len_utf8();
        }
    }
    out.into()
}

/// `String`, `get_password()`, `os.environ[`, `self.token`.
fn is_code(value: &str) -> bool {
    if CODE.iter().any(|root| value.starts_with(root)) {
        return true;
    }
    let word = value
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':'))
        .count();
    let begins_as_name = byte(value, 0).is_ascii_alphabetic() || byte(value, 0) == b'_';
    begins_as_name
        && word > 0
        && word < value.len()
        && matches!(byte(value, word), b'(' | b'<' | b'[')
        && !tag_at(value, word)
}
