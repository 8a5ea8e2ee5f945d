//! What a typed line means: a command with its arguments, a line for the adapter's own command line, or nothing.
//!
//! Pure text in, plain data out. Nothing here may panic, whatever is typed or piped in.

use debugger::{spec, tool::ActionRow};

use super::{
    habits,
    table::{self, Row},
};
use crate::prelude::*;

/// A line as it was meant.
#[derive(Clone, Debug)]
pub enum Line {
    /// Nothing, or blanks.
    Empty,
    /// `# …`.
    Comment,
    /// `!…`: for the adapter's own command line.
    Raw(String),
    Command(ParsedCommand),
    /// An operation of the debug tool that no command stands for, with what is behind it.
    Operation(&'static ActionRow, String),
}

/// A command as typed.
#[derive(Clone, Debug)]
pub struct ParsedCommand {
    pub row: &'static Row,
    /// What stood behind a `/` right after it: `8xb` of `x/8xb`.
    pub modifier: String,
    /// What follows, without blanks around it.
    pub rest: String,
    /// `&` stood at its end.
    pub background: bool,
}

impl ParsedCommand {
    /// What must stand behind it.
    pub fn needed(&self, what: &str) -> Result<&str, String> {
        self.said(&self.rest, what)
    }

    /// A part of what the command was given, which must not be empty.
    pub fn said<'t>(&self, part: &'t str, what: &str) -> Result<&'t str, String> {
        if part.is_empty() {
            let Row { name, args, .. } = self.row;
            return Err(format!("it does not say {what}: write {name} {args}"));
        }
        Ok(part)
    }
}

/// Takes a line apart.
pub fn line(text: &str) -> Result<Line, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Line::Empty);
    }
    if text.starts_with('#') {
        return Ok(Line::Comment);
    }
    if let Some(raw) = text.strip_prefix('!') {
        return Ok(Line::Raw(raw.trim().to_owned()));
    }
    let end = text
        .find(|c: char| c.is_whitespace() || c == '/')
        .unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    if let Some(instead) = habits::told(text) {
        return Err(instead.to_owned());
    }
    if table::exact(word).is_none()
        && let Some(row) = table::operation(word)
    {
        return Ok(Line::Operation(row, after.trim().to_owned()));
    }
    // `?` alone is help; glued to something it is no word.
    let row = table::find(if word.is_empty() { text } else { word })?;
    // A format may stand apart where nothing else can begin with a `/`; elsewhere that is a path.
    let formats = matches!(
        row.verb,
        table::Verb::Examine | table::Verb::Print | table::Verb::Disassemble
    );
    let glued = after.starts_with('/');
    let after = after.trim_start();
    let (modifier, rest) = match after.strip_prefix('/') {
        Some(behind) if glued || formats => {
            let end = behind.find(char::is_whitespace).unwrap_or(behind.len());
            let (modifier, rest) = behind.split_at(end);
            // A word that stands apart is a debugger's own for how an expression is to be read.
            let is_word = modifier.len() > 1 && modifier.bytes().all(|b| b.is_ascii_alphabetic());
            if is_word && !glued && matches!(row.verb, table::Verb::Print) {
                (String::new(), after)
            } else {
                (modifier.to_owned(), rest.trim())
            }
        }
        _ => (String::new(), after),
    };
    let goes_on = matches!(row.group, table::Group::Going)
        || matches!(
            row.verb,
            table::Verb::Run | table::Verb::Start | table::Verb::Restart
        );
    let (rest, background) = match rest.strip_suffix('&') {
        Some(rest) if goes_on => (rest.trim_end(), true),
        _ => (rest, false),
    };
    let takes_nothing = matches!(row.args, "" | "[&]") && row.verb != table::Verb::Quit;
    if takes_nothing && !rest.is_empty() {
        let name = row.name;
        return Err(format!(
            "{name} takes nothing behind it, and {rest:?} stands there: help {name}"
        ));
    }
    Ok(Line::Command(ParsedCommand {
        row,
        modifier,
        rest: rest.to_owned(),
        background,
    }))
}

/// A count behind a command: 1 without one.
pub fn count(rest: &str) -> Result<u32, String> {
    if rest.is_empty() {
        return Ok(1);
    }
    rest.parse::<u32>()
        .ok()
        .filter(|n| *n > 0)
        .ok_or_else(|| format!("{rest:?} is not a count: write a number from 1"))
}

/// Where one is, for places that are meant from there.
#[derive(Clone, Debug, Default)]
pub struct Here {
    /// Where relative paths begin.
    pub cwd: PathBuf,
    /// The present file.
    pub file: Option<PathBuf>,
    /// The present line in it.
    pub line: Option<i64>,
    /// Files that are known by more than their name: the program, sources of frames and breakpoints.
    pub known: Vec<PathBuf>,
}

/// A breakpoint: the grammar of [`spec`], a line of the present file, `+N`, `-N`, `*ADDRESS`, a function's name, each with
/// `mode MODE` and `if CONDITION` behind it.
pub fn breakpoint(text: &str, here: &Here) -> Result<BreakpointSpec, String> {
    let (place, condition) = cut_condition(text);
    let (place, mode) = cut_mode(place)?;
    if condition.as_deref() == Some("") {
        return Err("`if` has no condition behind it: write if x > 3, or leave it out".to_owned());
    }
    let mut out = site(place, here)?;
    if condition.is_some() {
        if out.condition.is_some() {
            return Err(format!(
                "{text:?} has two conditions: one behind `?`, one behind `if`"
            ));
        }
        out.condition = condition;
    }
    out.mode = mode;
    Ok(out)
}

/// A log point: the grammar of [`spec`], or `LINE|TEXT` in the present file.
pub fn logpoint(text: &str, here: &Here) -> Result<BreakpointSpec, String> {
    let full = match text.split_once('|') {
        Some((line, message)) if number(line).is_some() => {
            format!("{}:{}|{message}", this_file(here)?, line.trim())
        }
        _ => text.to_owned(),
    };
    let mut out = spec::logpoint(&full, &here.cwd)?;
    settle(&mut out, here);
    Ok(out)
}

/// What stands before `mode MODE` at the end of a text, and the mode.
pub fn cut_mode(text: &str) -> Result<(&str, Option<String>), String> {
    let text = text.trim();
    let Some((before, last)) = text.rsplit_once(char::is_whitespace) else {
        return Ok((text, None));
    };
    let apart = |t: &str| t.is_empty() || t.ends_with(char::is_whitespace);
    if last == "mode" && !before.trim().is_empty() {
        return Err(
            "`mode` has no mode behind it: write mode hardware, or leave it out".to_owned(),
        );
    }
    match before.trim_end().strip_suffix("mode") {
        Some(before) if apart(before) => Ok((before.trim_end(), Some(last.to_owned()))),
        _ => Ok((text, None)),
    }
}

fn cut_condition(text: &str) -> (&str, Option<String>) {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("if")
        && (rest.is_empty() || rest.starts_with(char::is_whitespace))
    {
        return ("", Some(rest.trim().to_owned()));
    }
    for (at, _) in text.match_indices("if") {
        let (before, after) = text.split_at(at);
        let after = after.strip_prefix("if").unwrap_or(after);
        let apart = before.ends_with(char::is_whitespace)
            && (after.is_empty() || after.starts_with(char::is_whitespace));
        // What follows a `?` is a condition already, in a language that may know `if`.
        if apart && !before.contains('?') {
            return (before.trim_end(), Some(after.trim().to_owned()));
        }
    }
    (text, None)
}

fn site(place: &str, here: &Here) -> Result<BreakpointSpec, String> {
    if place.is_empty() {
        let line = here.line.ok_or_else(|| {
            "there is no present line: write break file:line or break FUNCTION".to_owned()
        })?;
        return Ok(BreakpointSpec::line(this_path(here)?, line));
    }
    // gdb's quotes are no part of a name.
    for quote in ['\'', '"'] {
        let inside = place
            .strip_prefix(quote)
            .and_then(|p| p.strip_suffix(quote));
        if let Some(name) = inside.filter(|name| !name.trim().is_empty()) {
            return site(name, here)
                .or_else(|_| spec::breakpoint(&format!("fn:{name}"), &here.cwd));
        }
    }
    if let Some(address) = place.strip_prefix('*') {
        let address = address.trim();
        if address.is_empty() {
            return Err("`*` has no address behind it: write break *0x401000".to_owned());
        }
        return Ok(BreakpointSpec::at(BreakpointSite::Instruction {
            reference: address.to_owned(),
            offset: None,
        }));
    }
    if let Some((sign, by)) = place
        .strip_prefix('+')
        .map(|by| (1, by))
        .or_else(|| place.strip_prefix('-').map(|by| (-1, by)))
        && let Some(by) = number(by)
    {
        let line = here
            .line
            .ok_or_else(|| "there is no present line to count from".to_owned())?;
        let line = line.saturating_add(by.saturating_mul(sign));
        return Ok(BreakpointSpec::line(this_path(here)?, line));
    }
    let digits = place
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(place.len());
    let (line, refinements) = place.split_at(digits);
    if !line.is_empty()
        && (refinements.is_empty()
            || refinements.trim_start().starts_with(['?', '#'])
            || refinements.trim_start().starts_with("=>"))
    {
        let full = format!("{}:{line}{}", this_file(here)?, refinements.trim_start());
        return spec::breakpoint(&full, &here.cwd);
    }
    let mut out = spec::breakpoint(place, &here.cwd)?;
    settle(&mut out, here);
    Ok(out)
}

/// A file that is not where it was said to be, but is known by that name, is that one.
fn settle(spec: &mut BreakpointSpec, here: &Here) {
    if let BreakpointSite::Source { path, .. } = &mut spec.site
        && !path.exists()
        && let Ok(told) = path.strip_prefix(&here.cwd)
        && let Some(known) = here.known.iter().find(|k| k.ends_with(told))
    {
        path.clone_from(known);
    }
}

/// A place to show: a file (the present one) and a line.
pub fn place(text: &str, here: &Here) -> Result<(PathBuf, i64), String> {
    match site(text.trim(), here)?.site {
        BreakpointSite::Source { path, line, .. } => Ok((path, line)),
        site => Err(format!(
            "{site} is no line: write file:line; break FUNCTION stops in a function"
        )),
    }
}

fn this_path(here: &Here) -> Result<PathBuf, String> {
    here.file
        .clone()
        .ok_or_else(|| "there is no present file: write file:line".to_owned())
}

fn this_file(here: &Here) -> Result<String, String> {
    this_path(here).map(|p| p.display().to_string())
}

fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

/// How `x` shows memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Units.
    pub count: u16,
    /// `x d u o t c s i`.
    pub letter: char,
    /// Bytes in a unit.
    pub size: u8,
}

impl Default for Format {
    fn default() -> Self {
        Self {
            count: 16,
            letter: 'x',
            size: 1,
        }
    }
}

/// `8xb`, `4dw`, `s`, `3i`: what is left out is as `last` had it, but a count is one unit again.
pub fn format(text: &str, last: Format) -> Result<Format, String> {
    if text.is_empty() {
        return Ok(last);
    }
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (count, letters) = text.split_at(digits);
    let mut out = Format {
        count: if count.is_empty() {
            1
        } else {
            count
                .parse::<u16>()
                .ok()
                .filter(|n| (1..=4096).contains(n))
                .ok_or_else(|| format!("{count:?} is not a count from 1 to 4096"))?
        },
        ..last
    };
    for letter in letters.chars() {
        match letter {
            'x' | 'd' | 'u' | 'o' | 't' | 'c' | 's' | 'i' => out.letter = letter,
            'b' => out.size = 1,
            'h' => out.size = 2,
            'w' => out.size = 4,
            'g' => out.size = 8,
            other => {
                return Err(format!(
                    "{other:?} in /{text} is neither a format (x d u o t c s i) nor a size (b h w g)"
                ));
            }
        }
    }
    if matches!(out.letter, 'c' | 's') {
        out.size = 1;
    }
    Ok(out)
}

/// `NAME = VALUE`, with gdb's `var` before it: what is assigned to, and what.
pub fn assignment(rest: &str) -> Result<(String, String), String> {
    let rest = match rest
        .strip_prefix("var")
        .or_else(|| rest.strip_prefix("variable"))
    {
        Some(behind) if behind.starts_with(char::is_whitespace) => behind.trim_start(),
        _ => rest,
    };
    let wrong = || format!("{rest:?} is no assignment: write set NAME = VALUE");
    let bytes = rest.as_bytes();
    let at = (0..bytes.len())
        .find(|at| {
            let near = |i: usize| bytes.get(i).copied().unwrap_or(b' ');
            near(*at) == b'='
                && near(at + 1) != b'='
                && !matches!(near(at.wrapping_sub(1)), b'=' | b'<' | b'>' | b'!' | b':')
        })
        .ok_or_else(wrong)?;
    let (name, value) = rest.split_at(at);
    let value = value.strip_prefix('=').unwrap_or(value).trim();
    if name.trim().is_empty() || value.is_empty() {
        return Err(wrong());
    }
    Ok((name.trim().to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests;
