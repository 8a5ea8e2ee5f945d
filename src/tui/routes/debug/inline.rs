//! Values of locals at the ends of the source lines that name them, and which of them is meant where nobody points at one.
//!
//! Taken from what the core loaded at the stop anyway: this asks for nothing. Each variable is shown once, at its last
//! mention at or above the line the program is at, within the function. Drawing is the source pane's.

mod shadows;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use debugger::state::FrameScopes;
use shadows::{Shadows, is_label};

use crate::routes::debug::{
    prelude::*,
    source::text::{SourceText, first_value, is_in_string, is_word},
    variables::{changes::LastValue, panel::function_of},
};

/// What languages call the value that a method belongs to. Its name stands on most lines, and its value says little there.
const RECEIVERS: [&str; 2] = ["self", "this"];
/// Lines above the current one that are looked at.
const FARTHEST: usize = 400;
/// Bytes of a line that are looked at.
const WIDEST: usize = 2_000;

/// A value at the end of a line.
#[derive(Debug)]
pub struct InlineValue {
    /// The variable.
    pub name: String,
    /// Its value as the adapter wrote it.
    pub value: String,
    /// Whether it differs from the last stop in this function.
    pub changed: bool,
}

/// The locals of the present stop, and which of them changed since the stop before.
#[derive(Debug, Default)]
pub struct Locals {
    frame: Option<(SessionId, StopId, i64)>,
    function: String,
    values: Values,
    /// Those that have parts.
    structured: BTreeSet<String>,
    changed: BTreeSet<String>,
    /// Values by function: at this stop, and at the one before.
    seen: BTreeMap<String, Values>,
    before: BTreeMap<String, Values>,
    /// The stop of `seen`.
    at: (SessionId, StopId),
}

type Values = BTreeMap<String, LastValue>;

impl Locals {
    /// Takes in what the session shows now. Comparing needs the same function at both stops.
    pub fn update(&mut self, session: Option<&Session>) {
        let Some((session, stop, frame)) =
            session.and_then(|s| Some((s, s.current_stop()?, s.current_frame()?)))
        else {
            self.frame = None;
            return;
        };
        let Some(scopes) = session.current_scopes() else {
            // Still being loaded: no values are better than those of another frame.
            self.frame = None;
            return;
        };
        let key = (session.id, stop.id, frame.id);
        let value = |v: &Variable| LastValue {
            value: v.value.clone(),
            preview: v.preview.clone(),
        };
        let values: Values = locals(scopes).map(|v| (v.name.clone(), value(v))).collect();
        if self.frame == Some(key) && self.values == values {
            return;
        }
        let structured = locals(scopes).filter(|v| v.variables_reference > 0);
        self.structured = structured.map(|v| v.name.clone()).collect();
        if self.at.0 != session.id {
            // What another session's variables were says nothing about this one's.
            self.seen.clear();
            self.before.clear();
        } else if self.at.1 != stop.id {
            self.before = mem::take(&mut self.seen);
        }
        self.at = (session.id, stop.id);
        // Another thread in the same function has variables of its own.
        let thread = session.current_thread().unwrap_or_default();
        let place = format!("{thread} {}", function_of(frame));
        self.changed = self.before.get(&place).map_or_else(BTreeSet::new, |was| {
            values
                .iter()
                .filter(|(name, now)| {
                    let was = was.get(*name);
                    was.is_none_or(|was| was.differs(&now.value, now.preview.as_deref()))
                })
                .map(|(name, _)| name.clone())
                .collect()
        });
        self.seen.insert(place, values.clone());
        (self.frame, self.values) = (Some(key), values);
        self.function.clone_from(&frame.name);
    }

    /// Whether there is anything to show.
    pub fn is_empty(&self) -> bool {
        self.frame.is_none() || self.values.is_empty()
    }

    /// What to show at which line (0-based) when the program is at line `current`.
    pub fn place(
        &self,
        text: &SourceText,
        current: usize,
        comment: &str,
    ) -> BTreeMap<usize, Vec<InlineValue>> {
        let mut placed: BTreeMap<usize, Vec<InlineValue>> = BTreeMap::new();
        if self.is_empty() || current >= text.len() {
            return placed;
        }
        let is_receiver = |name: &&String| RECEIVERS.contains(&name.as_str());
        let mut left = self.values.len() - self.values.keys().filter(is_receiver).count();
        let mut seen = BTreeSet::new();
        // Nearly all words of a text are none of the variables: most are told apart without looking them up.
        let known = self.values.keys().fold(0, |all, name| all | mark(name));
        let lines = function_start(text, current, &self.function)..=current;
        let nameless = !self.function.ends_with(|c| is_word(c) || c == ')');
        let shadows = Shadows::of(text, &lines, comment, nameless);
        let header = shadows::header(text, &lines);
        for index in lines.rev() {
            let line = head(text.line(index));
            for (at, name) in names(line, comment) {
                if known & mark(name) != 0
                    && !RECEIVERS.contains(&name)
                    && let Some((name, value)) = self.values.get_key_value(name)
                    && !is_in_string(line, at, comment)
                    && !shadows.hide(index, name)
                    && (index <= header || !is_label(line, at, name, comment))
                    && seen.insert(name)
                {
                    left -= 1;
                    placed.entry(index).or_default().push(InlineValue {
                        name: name.clone(),
                        value: value.preview.as_ref().unwrap_or(&value.value).clone(),
                        changed: self.changed.contains(name),
                    });
                }
            }
            if left == 0 {
                break;
            }
        }
        placed
    }

    /// The variable that is meant when the program stops at a line, and where in it its name stands; one from above where the
    /// line has no name that could be meant. What has parts comes first, of that what changed, of that what was named last: a
    /// name that is not above is about to get its value.
    pub fn meant(&self, text: &SourceText, line: usize, comment: &str) -> Option<Meant> {
        if self.is_empty() || line >= text.len() {
            return None;
        }
        let mut above = BTreeMap::new();
        for index in function_start(text, line, &self.function)..line {
            let names = names(head(text.line(index)), comment).map(|(_, name)| name);
            above.extend(names.map(|name| (name, index)));
        }
        let rank = |name: &str| {
            let is_receiver = RECEIVERS.contains(&name);
            (
                above.contains_key(name),
                self.structured.contains(name) && !is_receiver,
                self.changed.contains(name),
                above.get(name),
                !is_receiver,
            )
        };
        let own = head(text.line(line));
        let here = names(own, comment).filter(|(_, name)| self.values.contains_key(*name));
        // Of equals, the first on the line.
        let here = here.max_by_key(|(at, name)| (rank(name), Reverse(*at)));
        if let Some((at, name)) = here {
            let field = RECEIVERS
                .contains(&name)
                .then(|| field(own, at + name.len()));
            return Some(Meant::Here(field.flatten().unwrap_or(at)));
        }
        if first_value(own, 0).is_some() {
            return None;
        }
        let known = above.keys().filter(|name| self.values.contains_key(**name));
        let name = known.max_by_key(|name| rank(name))?;
        Some(Meant::Above((*name).to_owned()))
    }
}

/// Which variable is meant.
#[derive(Debug)]
pub enum Meant {
    /// The one at this byte of the line.
    Here(usize),
    /// This one, which the line does not name.
    Above(String),
}

/// Variables of the scopes that are the frame's own: those that came with it.
fn locals(scopes: &FrameScopes) -> impl Iterator<Item = &Variable> {
    let variables = scopes.scopes.iter().filter_map(|s| s.variables.as_ref());
    variables
        .flatten()
        .filter(|v| !v.shown().is_empty() && v.name.chars().all(is_word) && !is_code(v))
}

/// Whether a variable is a module, a function or a class: those say nothing beside a line that names them.
fn is_code(variable: &Variable) -> bool {
    let kind = variable
        .presentation_hint
        .as_ref()
        .and_then(|h| h.kind.as_deref());
    matches!(kind, Some("method" | "class" | "innerClass"))
        || matches!(
            variable.type_.as_deref(),
            Some("module" | "function" | "type" | "method" | "builtin_function_or_method")
        )
        || [
            "<module ",
            "<function ",
            "<class ",
            "<built-in ",
            "<bound method ",
            "ƒ",
            "async ƒ",
            "class ",
        ]
        .iter()
        .any(|begin| variable.value.starts_with(begin))
}

/// What starts a comment, by a file's extension.
pub fn comment_mark(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("py" | "rb" | "pl" | "pm" | "sh" | "r" | "jl" | "ex" | "exs" | "nim" | "tcl") => "#",
        Some("lua" | "hs" | "sql" | "adb" | "elm") => "--",
        _ => "//",
    }
}

/// The line where the function that contains `current` begins: the nearest one above that names it and is indented less
/// than the current one, else the nearest one without indentation.
fn function_start(text: &SourceText, current: usize, function: &str) -> usize {
    let lowest = current.saturating_sub(FARTHEST);
    let bare = function
        .split(['(', '<'])
        .next()
        .and_then(|f| f.rsplit([':', '.', '!', ' ']).next())
        .filter(|f| !f.is_empty());
    let depth = indent(text.line(current));
    if function.starts_with('<') || bare.is_none() {
        // Code outside any function: `<module>`, `<main>`.
        return lowest;
    }
    let finder = bare.map(memchr::memmem::Finder::new);
    let names_it = |line: &str| {
        let line = head(line);
        // Few lines name it at all; only those are read word by word.
        finder.as_ref().zip(bare).is_some_and(|(finder, bare)| {
            finder.find(line.as_bytes()).is_some() && names(line, "").any(|(_, name)| name == bare)
        })
    };
    if let Some(found) = (lowest..=current)
        .rev()
        .find(|i| names_it(text.line(*i)) && (*i == current || indent(text.line(*i)) < depth))
        && (found < current || depth == 0)
    {
        return found;
    }
    (lowest..current)
        .rev()
        .find(|i| {
            let line = text.line(*i);
            indent(line) == 0 && line.starts_with(is_word)
        })
        .unwrap_or(lowest)
}

fn indent(line: &str) -> usize {
    let head = head(line);
    if head.trim().is_empty() {
        return usize::MAX;
    }
    head.len() - head.trim_start().len()
}

fn head(line: &str) -> &str {
    line.get(..line.floor_char_boundary(WIDEST))
        .unwrap_or_default()
}

/// One bit of 64, which another name has seldom.
fn mark(name: &str) -> u64 {
    let ends = match name.as_bytes() {
        [first, .., last] => usize::from(*first) + 7 * usize::from(*last),
        [only] => usize::from(*only),
        [] => 0,
    };
    1 << ((ends + 31 * name.len()) % 64)
}

/// Where the field begins whose joint stands at `end`, unless it is called.
fn field(line: &str, end: usize) -> Option<usize> {
    let rest = line.get(end..)?;
    let name = rest.strip_prefix("->").or_else(|| rest.strip_prefix('.'))?;
    let after = name.trim_start_matches(is_word);
    (after.len() < name.len() && !after.starts_with('(')).then(|| line.len() - name.len())
}

/// Names in a line up to a comment, with where they begin; fields (`.name`, `->name`) are not variables and are left out.
fn names<'a>(line: &'a str, comment: &str) -> impl Iterator<Item = (usize, &'a str)> {
    let line = match line.find(comment) {
        Some(at) if !comment.is_empty() => line.get(..at).unwrap_or_default(),
        _ => line,
    };
    let length = line.len();
    let mut rest = line;
    let mut field = false;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(is_word)?;
            if start > 0 {
                let before = rest.get(..start).unwrap_or_default();
                field = before.ends_with('.') && !before.ends_with("..") || before.ends_with("->");
            }
            let tail = rest.get(start..).unwrap_or_default();
            let end = tail.find(|c| !is_word(c)).unwrap_or(tail.len());
            let (word, next) = tail.split_at_checked(end)?;
            rest = next;
            let is_literal =
                word.starts_with(|c: char| c.is_numeric()) || rest.starts_with(['"', '\'']);
            let skipped = mem::take(&mut field) || is_literal;
            if !skipped {
                return Some((length - rest.len() - word.len(), word));
            }
        }
    })
}
