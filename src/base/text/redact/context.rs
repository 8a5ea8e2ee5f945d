//! Secrets that are known by what stands before them: a name and `=` or `:`, a header, an option, a URL.
//!
//! Which names are meant is decided in [`super::names`], which values in [`super::judge`].

use super::{
    judge::{self, is_bare_secret, is_secret, tag_at},
    kind::SecretKind,
    names::{self, Sensitivity},
    span::{
        Span, Stop, begins_word, byte, byte_before, cut, ends_colour, ends_token, run, run_before,
    },
};

/// Wrappers that programs print around a value: `Some("…")`.
const WRAPPERS: &[&str] = &[
    "Some(",
    "Ok(",
    "Just(",
    "Secret(",
    "SecretString(",
    "String(",
    "Cow(",
    "Password(",
    "Token(",
];

/// How far is looked for a URL's `@`, and back for the quote that a header stands in.
const FAR: usize = 1024;

/// Every value that a name before `=`, `:` or, in a pair, `,` makes a secret.
pub fn find(text: &str, spans: &mut Vec<Span>) {
    let mut done = 0;
    for at in memchr::memchr3_iter(b'=', b':', b',', text.as_bytes()) {
        if at < done {
            continue;
        }
        let found = match byte(text, at) {
            b',' => paired(text, at),
            _ => assigned(text, at),
        };
        if let Some(span) = found {
            done = span.end;
            spans.push(span);
        }
    }
}

/// A name that was found before a separator.
struct Name<'a> {
    text: &'a str,
    start: usize,
    /// Whether quotes stand around the name.
    quoted: bool,
}

/// Reads backwards from a separator: white space, an optional quote, the name.
fn name_before(text: &str, separator: usize) -> Option<Name<'_>> {
    let mut end = separator;
    let back = |end: usize| byte_before(text, end);
    for _ in 0..4 {
        match back(end) {
            b' ' | b'\t' | b'?' => end -= 1,
            b':' if byte(text, separator) == b'=' => end -= 1,
            _ => break,
        }
    }
    if back(end) == b']' {
        end -= 1;
    }
    let quoted = matches!(back(end), b'"' | b'\'' | b'`');
    if quoted {
        end -= 1;
        while back(end) == b'\\' {
            end -= 1;
        }
    }
    let length = run_before(text, end, names::LONGEST, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')
    });
    let mut start = end - length;
    // The end of an escape is no part of the name: `\n`, `%20`, a colour.
    let escape = match (back(start), byte(text, start)) {
        (b'\\', b'n' | b'r' | b't') => 1,
        (b'%', _) if length > 2 => 2,
        (b'[' | b';', b'0'..=b'9') => cut(text, start, end)
            .find('m')
            .filter(|m| ends_colour(text, start + m))
            .map_or(0, |m| m + 1),
        _ => 0,
    };
    start += escape;
    let name = cut(text, start, end);
    (!name.is_empty()).then_some(Name {
        text: name,
        start,
        quoted,
    })
}

fn assigned(text: &str, separator: usize) -> Option<Span> {
    let sign = byte(text, separator);
    let next = byte(text, separator + 1);
    // `std::path`, and `:=`, which is read at its `=`.
    if sign == b':' && (next == b':' || next == b'=') {
        return None;
    }
    let name = name_before(text, separator)?;
    let before = byte_before(text, name.start);
    let in_query = sign == b'=' && matches!(before, b'?' | b'&');
    let in_connection = sign == b'=' && before == b';' && name.text.eq_ignore_ascii_case("pwd");
    let sensitivity = if in_connection {
        Sensitivity::Strong
    } else if in_query {
        names::query_sensitivity(name.text)
    } else {
        names::sensitivity(name.text)
    };
    if sensitivity == Sensitivity::None {
        return None;
    }
    // A URL's user; its password is found by its place.
    if sign == b':' && cut(text, name.start.saturating_sub(2), name.start) == "//" {
        return None;
    }
    let (start, mut end, stop, bare) = value_after(text, separator, &name);
    if in_query && let Some(fragment) = cut(text, start, end).find('#') {
        end = start + fragment;
    }
    // A test's result, and what a shell or a template fills in.
    if bare && (name.text.eq_ignore_ascii_case("pass") && !in_query || is_template(text, start)) {
        return None;
    }
    let value = cut(text, start, end);
    let secret = if bare && !in_query {
        is_bare_secret(value, sensitivity)
    } else {
        is_secret(value, sensitivity)
    };
    let kind = match (in_query, stop) {
        (true, _) => SecretKind::Url,
        (_, Stop::Line) => SecretKind::Header,
        _ if sign == b':' && names::is_line_header(name.text) => SecretKind::Header,
        _ => SecretKind::Name,
    };
    secret.then_some(Span {
        from: name.start,
        start,
        end,
        kind,
        stop,
    })
}

/// `("password", "…")`, as pairs are printed, and `"--password", "…"`, as arguments are.
fn paired(text: &str, comma: usize) -> Option<Span> {
    if !matches!(byte_before(text, comma), b'"' | b'\'') {
        return None;
    }
    let name = name_before(text, comma)?;
    let mut open = name.start.checked_sub(1)?;
    open -= run_before(text, open, 8, |b| b == b'\\');
    let option = name.text.strip_prefix("--");
    if option.is_none() && !matches!(byte_before(text, open), b'(' | b'[') {
        return None;
    }
    let sensitivity = names::sensitivity(option.unwrap_or(name.text));
    let (start, end, stop, bare) = value_after(text, comma, &name);
    let value = cut(text, start, end);
    // Names of columns stand beside each other as well.
    let secret = !bare && is_secret(value, sensitivity.min(Sensitivity::Weak));
    secret.then_some(Span {
        from: name.start,
        start,
        end,
        kind: SecretKind::Name,
        stop,
    })
}

fn is_template(text: &str, start: usize) -> bool {
    matches!(cut(text, start, start + 2), "${" | "{{" | "$(")
}

/// Where the value behind a separator begins and ends, what ends it, and whether it has no quotes.
fn value_after(text: &str, separator: usize, name: &Name<'_>) -> (usize, usize, Stop, bool) {
    let mut start = separator + 1;
    while matches!(byte(text, start), b'=' | b'>' | b'~') {
        start += 1;
    }
    let blank = |from: usize| from + run(text, from, 8, |b| matches!(b, b' ' | b'\t'));
    start = blank(start);
    // The first of a list.
    if byte(text, start) == b'[' && matches!(byte(text, blank(start + 1)), b'"' | b'\'' | b'\\') {
        start = blank(start + 1);
    }
    let rest = cut(text, start, text.len());
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| rest.starts_with(**wrapper))
        && matches!(byte(text, start + wrapper.len()), b'"' | b'\'' | b'\\')
    {
        start += wrapper.len();
    }
    if matches!(byte(text, start), b'b' | b'r' | b'u' | b'f' | b'B')
        && matches!(byte(text, start + 1), b'"' | b'\'')
    {
        start += 1;
    }
    let escapes = run(text, start, 8, |b| b == b'\\');
    let quote = byte(text, start + escapes);
    if matches!(quote, b'"' | b'\'' | b'`') {
        let from = start + escapes + 1;
        let end = closing_quote(text, from, quote, escapes);
        return (from, end, Stop::Quote(quote), false);
    }
    let outer = byte_before(text, name.start);
    if byte(text, separator) == b':' && !name.quoted && names::is_line_header(name.text) {
        let end = header_end(text, start, name.start, outer);
        return (start, end, Stop::Line, false);
    }
    (start, bare_end(text, start), Stop::Token, true)
}

/// A value without quotes ends at white space and separators; a replacement inside belongs to it.
fn bare_end(text: &str, start: usize) -> usize {
    let mut end = start;
    while end < text.len() {
        let here = byte(text, end);
        if here == b'[' && tag_at(text, end) {
            end += judge::TAG_LENGTH;
        } else if ends_token(here)
            || (here == b'\\'
                && matches!(
                    byte(text, end + 1),
                    b'n' | b'r' | b't' | b'"' | b'\'' | b'\\'
                ))
        {
            break;
        } else {
            end += 1;
        }
    }
    end
}

/// The quote that closes a value which was opened with `escapes` backslashes before its quote, or the text's end.
fn closing_quote(text: &str, from: usize, quote: u8, escapes: usize) -> usize {
    let mut backslashes = 0;
    for (offset, byte) in cut(text, from, text.len()).bytes().enumerate() {
        if byte == b'\\' {
            backslashes += 1;
            continue;
        }
        let closes = if escapes == 0 {
            backslashes % 2 == 0
        } else {
            backslashes <= escapes
        };
        if byte == quote && closes {
            return from + offset - if escapes == 0 { 0 } else { backslashes };
        }
        backslashes = 0;
    }
    text.len()
}

/// A header's value ends with its line: at the quote that was opened before its name, or where the text says `\n`.
fn header_end(text: &str, start: usize, name: usize, outer: u8) -> usize {
    let quotes = text
        .as_bytes()
        .iter()
        .take(name)
        .rev()
        .take(FAR)
        .filter(|b| **b == b'"')
        .count();
    let stop = match outer {
        b'"' | b'\'' | b'`' => Some(outer),
        _ if quotes % 2 == 1 => Some(b'"'),
        _ => None,
    };
    let rest = cut(text, start, text.len());
    let mut end = rest.len();
    if let Some(quote) = stop {
        let mut previous = b' ';
        for (offset, byte) in rest.bytes().enumerate() {
            let escape = previous == b'\\' && matches!(byte, b'n' | b'r' | b'"' | b'\'');
            if byte == quote || escape {
                end = offset - usize::from(previous == b'\\');
                break;
            }
            previous = byte;
        }
    }
    start + cut(rest, 0, end).trim_end().len()
}

/// `scheme://user:password@host`, and a token in the place of the user.
pub fn userinfo(text: &str, scheme_end: usize, after: usize) -> Option<Span> {
    let ends =
        |b: u8| ends_token(b) && !matches!(b, b',' | b';' | b'&' | b')' | b']' | b'}' | b'|');
    let length = run(text, after, FAR, |b| !ends(b) && b != b'\\');
    let rest = cut(text, after, after + length);
    let authority = rest
        .find(['/', '?', '#'])
        .map_or(rest, |end| cut(rest, 0, end));
    let at = authority.rfind('@').or_else(|| {
        // A password with a slash: what follows the colon is no port.
        let (_, port) = authority.split_once(':')?;
        let is_port = port.bytes().all(|b| b.is_ascii_digit());
        (!is_port).then(|| rest.find('@')).flatten()
    })?;
    let info = cut(rest, 0, at);
    let scheme = scheme_end.saturating_sub(8);
    // The colon of a replacement separates nothing.
    let known = if tag_at(info, 0) {
        judge::TAG_LENGTH
    } else {
        0
    };
    let (start, secret) = match cut(info, known, info.len()).split_once(':') {
        Some((user, password)) => (known + user.len() + 1, is_password(password)),
        None => (
            0,
            known == 0 && info.len() >= 16 && info.bytes().any(|b| b.is_ascii_digit()),
        ),
    };
    secret.then(|| Span::token(scheme, after + start, after + at, SecretKind::Url))
}

fn is_password(password: &str) -> bool {
    let replaced = judge::is_tag(password);
    let masked = password.bytes().all(|b| matches!(b, b'*' | b'x'));
    let wrapped = |open: char, close: char| password.starts_with(open) && password.ends_with(close);
    let filled_in = password.starts_with("${") || wrapped('<', '>') || wrapped('{', '}');
    !(password.is_empty() || replaced || masked || filled_in)
}

/// `--password VALUE`; with `=` it is found by its name.
pub fn option(text: &str, after: usize) -> Option<Span> {
    let length = run(text, after, names::LONGEST, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')
    });
    let name = cut(text, after, after + length);
    if name.is_empty() {
        return None;
    }
    let gap = run(text, after + length, 4, |b| b == b' ');
    if gap == 0 {
        return None;
    }
    let start = after + length + gap;
    let sensitivity = match name {
        // curl's: user and password.
        "user" | "proxy-user" => return user_option(text, after - 2, start),
        "pass" => Sensitivity::Strong,
        _ => names::sensitivity(name),
    };
    let quote = byte(text, start);
    let (from, end, stop) = if matches!(quote, b'"' | b'\'') {
        (
            start + 1,
            closing_quote(text, start + 1, quote, 0),
            Stop::Quote(quote),
        )
    } else {
        (start, bare_end(text, start), Stop::Token)
    };
    let value = cut(text, from, end);
    (!value.starts_with('-') && is_secret(value, sensitivity)).then_some(Span {
        from: after - 2,
        start: from,
        end,
        kind: SecretKind::Name,
        stop,
    })
}

/// `-u user:password`.
pub fn user_option(text: &str, start: usize, after: usize) -> Option<Span> {
    if !begins_word(text, start) || byte_before(text, start) == b'-' {
        return None;
    }
    let quote = byte(text, after);
    let from = after + usize::from(matches!(quote, b'"' | b'\''));
    let end = bare_end(text, from);
    let (user, password) = cut(text, from, end).split_once(':')?;
    // Numbers of a user and a group are none.
    let numbers = password.len() < 6 && password.bytes().all(|b| b.is_ascii_digit());
    (!user.is_empty()
        && !numbers
        && !user.contains('/')
        && is_password(password)
        && !password.starts_with('/'))
    .then(|| Span::token(start, from + user.len() + 1, end, SecretKind::Name))
}

/// `machine HOST login NAME password VALUE`.
pub fn netrc(text: &str, start: usize, after: usize) -> Option<Span> {
    let line = cut(text, start.saturating_sub(256), start);
    let mut words = line.split_whitespace().rev();
    let is_login = words.nth(1) == Some("login");
    let end = bare_end(text, after);
    (is_login && is_secret(cut(text, after, end), Sensitivity::Strong))
        .then(|| Span::token(start, after, end, SecretKind::Name))
}
