//! Searches what sessions say, one after the other, and tells of each entry that has it.

use regex::{Regex, RegexBuilder};

use super::{
    body::Body,
    entry::{Entry, LineKind},
    reader::{ReadError, Reader},
};
use crate::prelude::*;

/// Bytes an expression may compile to.
const EXPRESSION_LIMIT: usize = 1 << 20;
/// Characters before a match that are shown with it.
const BEFORE: usize = 40;
/// Characters of an excerpt.
const EXCERPT: usize = 240;

/// What is searched for.
#[derive(Clone, Debug)]
pub struct Needle {
    expression: Regex,
    /// What a line must have to be looked at closely: the text as JSON spells it.
    spelled: Option<regex::bytes::Regex>,
}

impl Needle {
    /// Text, or a regular expression. Small letters match both cases. The error is a sentence.
    pub fn new(text: &str, is_expression: bool) -> Result<Self, String> {
        if text.is_empty() {
            return Err("there is nothing to search for".to_owned());
        }
        let insensitive = !text.chars().any(char::is_uppercase);
        let pattern = if is_expression {
            text.to_owned()
        } else {
            regex::escape(text)
        };
        let expression = RegexBuilder::new(&pattern)
            .case_insensitive(insensitive)
            .multi_line(true)
            .size_limit(EXPRESSION_LIMIT)
            .build()
            .map_err(|error| {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default();
                format!("{text:?} is no regular expression: {}", why.trim())
            })?;
        // Other writers of JSON may spell a letter in another way; letters of ASCII alone are spelled as they are.
        let plain = !is_expression
            && text
                .chars()
                .all(|c| matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '/'));
        let spelled = plain
            .then(|| {
                regex::bytes::RegexBuilder::new(&pattern)
                    .case_insensitive(insensitive)
                    .build()
                    .ok()
            })
            .flatten();
        Ok(Self {
            expression,
            spelled,
        })
    }

    /// Where it is found in a text.
    pub fn find(&self, text: &str) -> Option<(usize, usize)> {
        self.expression.find(text).map(|m| (m.start(), m.end()))
    }

    /// Whether a line of JSON may have it.
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        self.spelled
            .as_ref()
            .is_none_or(|spelled| spelled.is_match(line))
    }
}

/// An entry that has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The session.
    pub path: PathBuf,
    /// Where the entry begins.
    pub offset: u64,
    pub id: Option<String>,
    pub kind: LineKind,
    /// As the file calls it.
    pub name: String,
    /// When, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The line around the match; foreign text.
    pub excerpt: String,
    /// Where the match is in it.
    pub found: (usize, usize),
}

/// Looks through one file. `tell` says whether to go on.
pub fn one(
    path: &Path,
    needle: &Needle,
    cancel: &Cancel,
    tell: &mut dyn FnMut(Hit) -> bool,
) -> Result<bool, ReadError> {
    let mut reader = Reader::open(path, 0)?;
    let mut look = |_, line: &[u8]| needle.may_be_in(line);
    while let Some(raw) = reader.next_raw_if(&mut look)? {
        if cancel.is_cancelled() {
            return Ok(false);
        }
        let Some(Ok(value)) = raw.json else {
            continue;
        };
        let (offset, length) = (raw.offset, raw.length);
        let entry = Entry::read(&value, offset, length);
        // It repeats what the call says.
        if entry.kind == LineKind::Start {
            continue;
        }
        let text = Body::read(&value, entry.kind).plain();
        if let Some((from, to)) = needle.find(&text) {
            let (excerpt, found) = excerpt(&text, from, to);
            let hit = Hit {
                path: path.to_path_buf(),
                offset,
                id: entry.id,
                kind: entry.kind,
                name: entry.name,
                time: entry.time,
                excerpt,
                found,
            };
            if !tell(hit) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The line around a match, cut to what can be read at a glance.
fn excerpt(text: &str, from: usize, to: usize) -> (String, (usize, usize)) {
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let line = part(0, from).rfind('\n').map_or(0, |at| at + 1);
    let near = text.floor_char_boundary(from.saturating_sub(BEFORE));
    let begin = line.max(near);
    let end = part(from, text.len())
        .find('\n')
        .map_or(text.len(), |at| from + at);
    let end = text.floor_char_boundary(end.min(begin + EXCERPT).max(from));
    let shown = part(begin, end);
    let before = from - begin;
    (
        shown.to_owned(),
        (before, (to - begin).min(shown.len()).max(before)),
    )
}
