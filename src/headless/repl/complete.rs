//! What Tab offers: commands, topics, places, breakpoints' numbers, files, and expressions as the adapter knows them.
//!
//! Runs on the editor's thread and asks the core from there; an adapter that does not answer soon offers nothing.

use dap::types::CompletionItem;
use debugger::workspace;
use rustyline::{
    Context, Result,
    completion::{Completer, Pair},
    highlight::Highlighter,
    hint::Hinter,
    validate::Validator,
};
use tokio::runtime::Handle;

use super::{
    parse::Line,
    prelude::*,
    source::{frames, known},
    table::{COMMANDS, Completes, TOPICS, operations},
};

/// How long the adapter may take over completions.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many are offered at most.
const OFFERED: usize = 200;

/// What the line editor asks.
pub struct Helper {
    /// Who knows.
    pub core: CoreHandle,
    /// The runtime that the core lives on.
    pub runtime: Handle,
    /// Where relative paths begin.
    pub cwd: PathBuf,
    pub program: Option<PathBuf>,
}

impl rustyline::Helper for Helper {}
impl Highlighter for Helper {}
impl Validator for Helper {}
impl Hinter for Helper {
    type Hint = String;
}

impl Completer for Helper {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> Result<(usize, Vec<Pair>)> {
        let before = line.get(..pos).unwrap_or_default();
        let (start, mut words) = self.offers(line, before);
        words.truncate(OFFERED);
        let pairs = words
            .into_iter()
            .map(|word| Pair {
                display: sanitise(&word).into_owned(),
                replacement: word,
            })
            .collect();
        Ok((start, pairs))
    }
}

impl Helper {
    fn offers(&self, line: &str, before: &str) -> (usize, Vec<String>) {
        let lead = before.len() - before.trim_start().len();
        let word = before.trim_start();
        if word.starts_with('!') {
            return self.expressions(line, before, 0);
        }
        if !word.contains([' ', '\t', '/']) {
            let commands = COMMANDS.iter().map(|r| r.name);
            let names = commands.chain(operations().map(|row| row.name));
            let fitting = names.filter(|n| n.starts_with(word)).map(str::to_owned);
            return (lead, fitting.collect());
        }
        let typed = match parse::line(before) {
            Ok(Line::Command(typed)) => typed,
            Ok(Line::Operation(row, rest)) => {
                let last = rest.rsplit(char::is_whitespace).next().unwrap_or_default();
                let last = if before.ends_with(char::is_whitespace) {
                    ""
                } else {
                    last
                };
                let names = row.parameters().map(|name| format!("{name}="));
                let fitting = names.filter(|name| name.starts_with(last));
                return (before.len() - last.len(), fitting.collect());
            }
            _ => return (before.len(), Vec::new()),
        };
        // Where the argument begins: behind the command's word and what is glued to it.
        let argument = word.split_once(char::is_whitespace);
        let argument = argument.map_or("", |(_, argument)| argument.trim_start());
        let from = before.len() - argument.len();
        let last = argument.rsplit(char::is_whitespace).next();
        let last = last.unwrap_or_default();
        let last_from = before.len() - last.len();
        let names: Vec<String> = match typed.row.completes {
            Completes::Nothing => return (before.len(), Vec::new()),
            Completes::Command => COMMANDS.iter().map(|r| r.name.to_owned()).collect(),
            Completes::Topic => TOPICS.iter().map(|(t, _)| (*t).to_owned()).collect(),
            Completes::Breakpoint => self.state().map_or_else(Vec::new, |s| {
                s.breakpoints.iter().map(|b| b.id.0.to_string()).collect()
            }),
            Completes::File => return (from, self.files(argument, |_| true)),
            Completes::Place if argument.contains([' ', '?']) => {
                return self.expressions(line, before, last_from);
            }
            Completes::Place => {
                let mut names = self.places();
                names.retain(|n| n.starts_with(argument));
                names.extend(self.files(argument, workspace::is_source));
                names.sort();
                names.dedup();
                return (from, names);
            }
            Completes::Expression => return self.expressions(line, before, from),
        };
        let fitting = names.into_iter().filter(|n| n.starts_with(last));
        (last_from, fitting.collect())
    }

    fn state(&self) -> Option<State> {
        self.runtime
            .block_on(async { tokio::time::timeout(PATIENCE, self.core.subscribe()).await })
            .ok()?
            .map(|(state, _)| state)
    }

    /// Files of breakpoints and frames, and functions of breakpoints and frames.
    fn places(&self) -> Vec<String> {
        let Some(state) = self.state() else {
            return Vec::new();
        };
        let known = known(&state, self.program.as_deref());
        let files = known.iter().filter_map(|path| path.file_name());
        let files = files.map(|name| format!("{}:", name.to_string_lossy()));
        let functions = state.breakpoints.iter().filter_map(|b| match &b.site {
            BreakpointSite::Function { name } => Some(name.clone()),
            _ => None,
        });
        let callers = frames(&state).map(|frame| frame.name.clone());
        files.chain(functions).chain(callers).collect()
    }

    fn files(&self, typed: &str, wanted: impl Fn(&Path) -> bool) -> Vec<String> {
        let (folder, name) = match typed.rsplit_once('/') {
            Some((folder, name)) => (format!("{folder}/"), name),
            None => (String::new(), typed),
        };
        let Ok(entries) = std::fs::read_dir(self.cwd.join(&folder)) else {
            return Vec::new();
        };
        let mut found: Vec<String> = entries
            .flatten()
            .filter_map(|entry| {
                let own = entry.file_name().into_string().ok()?;
                let is_folder = entry.path().is_dir();
                let fits = own.starts_with(name)
                    && (!own.starts_with('.') || name.starts_with('.'))
                    && (is_folder || wanted(&entry.path()));
                fits.then(|| format!("{folder}{own}{}", if is_folder { "/" } else { "" }))
            })
            .take(OFFERED)
            .collect();
        found.sort();
        found
    }

    /// What the adapter offers for the text from `from` on.
    fn expressions(&self, line: &str, before: &str, from: usize) -> (usize, Vec<String>) {
        let nothing = (before.len(), Vec::new());
        let (Some(text), Some(typed)) = (line.get(from..), before.get(from..)) else {
            return nothing;
        };
        let asked = self.core.request(Command::Completions {
            session: None,
            frame_id: None,
            text: text.to_owned(),
            column: typed.chars().count(),
        });
        let answer = self
            .runtime
            .block_on(async { tokio::time::timeout(PATIENCE, asked).await });
        let Ok(Ok(Reply::Completions { items })) = answer else {
            return nothing;
        };
        let mut words = typed.rsplit(|c: char| !(c.is_alphanumeric() || c == '_'));
        let word = words.next().unwrap_or_default();
        let start = before.len() - word.len();
        let mut words: Vec<String> = items
            .iter()
            .filter_map(|item| fitting(item, typed, word))
            .collect();
        words.sort();
        words.dedup();
        (start, words)
    }
}

/// What takes the place of `word`, the end of `typed`. Adapters replace more than the word, or less: what they leave
/// standing in front is cut off again.
fn fitting(item: &CompletionItem, typed: &str, word: &str) -> Option<String> {
    let text = item
        .text
        .as_ref()
        .filter(|t| !t.is_empty())
        .unwrap_or(&item.label);
    if text.starts_with(word) {
        return Some(text.clone());
    }
    let front = typed.strip_suffix(word)?;
    let (at, _) = front
        .char_indices()
        .find(|(at, _)| front.get(*at..).is_some_and(|tail| text.starts_with(tail)))?;
    let rest = text.strip_prefix(front.get(at..)?)?;
    rest.starts_with(word).then(|| rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> CompletionItem {
        CompletionItem {
            label: text.into(),
            ..CompletionItem::default()
        }
    }

    #[test]
    fn adapters_that_replace_more_than_the_word_are_understood() {
        assert_eq!(
            fitting(&item("total"), "x + to", "to").as_deref(),
            Some("total")
        );
        assert_eq!(
            fitting(&item("shop.total"), "shop.to", "to").as_deref(),
            Some("total")
        );
        assert_eq!(fitting(&item("other"), "x + to", "to"), None);
        assert_eq!(fitting(&item("é"), "", ""), Some("é".into()));
    }
}
