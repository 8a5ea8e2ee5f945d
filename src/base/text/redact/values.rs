//! Secrets that are known by their value: what sensitive variables hold, wherever else it appears.

use std::collections::HashMap;

use regex::{Regex, RegexBuilder};

use super::{
    judge::{self, is_secret},
    kind::SecretKind,
    names::{Sensitivity, env_sensitivity},
    span::{Span, begins_word, byte, cut},
};

/// Shorter values appear in any text by chance.
const SHORTEST: usize = 6;
/// From here on a value is found inside a word, too.
pub const CERTAIN: usize = 8;
/// Longer values are known by their first bytes, so that the automaton stays small.
const LONGEST: usize = 512;
/// Fewer bytes are the beginning of too many other things.
const FEWEST: usize = 4;
/// More than an environment holds; bounds the automaton.
const MOST: usize = 1024;

/// Words that are settings, though someone gave them a secret's name.
const WORDS: &[&str] = &[
    "default",
    "development",
    "production",
    "staging",
    "testing",
    "localhost",
    "disabled",
    "enabled",
    "password",
    "changeme",
    "anonymous",
    "example",
    "username",
    "keyring",
    "keychain",
    "libsecret",
    "osxkeychain",
    "gnome-keyring",
    "required",
    "optional",
    "basic-auth",
    "oauth2",
    "bearer",
];

/// The known values, as one automaton.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// Every spelling, and the value it spells.
    spellings: HashMap<String, String>,
    finder: Option<Regex>,
    /// The automaton does not know all of them yet.
    stale: bool,
}

impl Values {
    /// Values of those variables whose names say that they are secret, and passwords in the URLs of all.
    pub fn of<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut values = Self::default();
        for (name, value) in variables {
            values.learn(name, value);
        }
        values.compile();
        values
    }

    fn learn(&mut self, name: &str, value: &str) {
        let mut spans = Vec::new();
        super::shapes::find(value, &mut spans);
        super::context::find(value, &mut spans);
        for span in spans {
            self.add(cut(value, span.start, span.end));
        }
        if env_sensitivity(name) != Sensitivity::Strong {
            return;
        }
        let is_path = value.contains('/')
            && std::path::Path::new(value).is_absolute()
            && !value.contains(['=', '+']);
        if !is_path || value.len() == 40 {
            // A key of several lines is found line by line.
            value
                .lines()
                .filter(|line| !line.starts_with("-----"))
                .for_each(|line| self.add(line));
        }
    }

    /// One value more; says whether it is one to look for. [`Self::compile`] must follow.
    pub fn meet(&mut self, value: &str) -> bool {
        let before = self.spellings.len();
        self.add(value);
        let is_new = self.spellings.len() > before;
        self.stale |= is_new;
        is_new
    }

    pub fn knows(&self, spelling: &str) -> bool {
        self.spellings.contains_key(spelling)
    }

    pub fn is_stale(&self) -> bool {
        self.stale
    }

    fn add(&mut self, value: &str) {
        let value = value.trim();
        let word = value.to_ascii_lowercase();
        let number = value.len() < CERTAIN && value.bytes().all(|b| b.is_ascii_digit());
        if value.len() < SHORTEST
            || number
            || value.contains(judge::TAG)
            || WORDS.contains(&word.as_str())
            || !is_secret(value, Sensitivity::Strong)
            || self.spellings.len() >= MOST
        {
            return;
        }
        let known = value
            .get(..value.floor_char_boundary(LONGEST))
            .unwrap_or(value);
        for spelling in [
            known.to_owned(),
            json_spelling(known),
            percent_spelling(known),
        ] {
            self.spellings
                .entry(spelling)
                .or_insert_with(|| known.to_owned());
        }
    }

    /// How many bytes at the end of a text are the beginning of a value, if not the whole of it.
    pub fn beginning_at_end(&self, text: &str) -> usize {
        let longest = |spelling: &String| {
            let most = spelling.len().saturating_sub(1).min(text.len());
            (FEWEST..=most).rev().find(|length| {
                spelling
                    .get(..*length)
                    .is_some_and(|begin| text.ends_with(begin))
            })
        };
        self.spellings.keys().filter_map(longest).max().unwrap_or(0)
    }

    pub fn compile(&mut self) {
        self.stale = false;
        let mut all: Vec<&str> = self.spellings.keys().map(String::as_str).collect();
        // The longest of several that begin at one place wins.
        all.sort_by_key(|text| (std::cmp::Reverse(text.len()), *text));
        let pattern = all
            .iter()
            .map(|text| regex::escape(text))
            .collect::<Vec<_>>()
            .join("|");
        self.finder = (!all.is_empty())
            .then(|| RegexBuilder::new(&pattern).size_limit(1 << 26).build().ok())
            .flatten();
    }

    /// What a spelling spells, so that one secret has one replacement.
    pub fn spelled<'a>(&'a self, text: &'a str) -> &'a str {
        self.spellings.get(text).map_or(text, String::as_str)
    }

    pub fn find(&self, text: &str, spans: &mut Vec<Span>) {
        let Some(finder) = &self.finder else { return };
        let mut from = 0;
        while let Some(found) = finder.find_at(text, from) {
            if is_certain(text, found.start(), found.end()) {
                let (start, end) = (found.start(), found.end());
                spans.push(Span::token(start, start, end, SecretKind::Value));
                from = end;
            } else {
                from = text.ceil_char_boundary(found.start() + 1);
            }
        }
    }
}

/// Short values and plain words count only when they stand alone.
fn is_certain(text: &str, start: usize, end: usize) -> bool {
    let value = cut(text, start, end);
    if value.len() >= CERTAIN && !value.bytes().all(|b| b.is_ascii_alphabetic()) {
        return true;
    }
    let after = byte(text, end);
    begins_word(text, start) && !after.is_ascii_alphanumeric() && after != b'_'
}

fn json_spelling(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(value)
        .to_owned()
}

fn percent_spelling(value: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
