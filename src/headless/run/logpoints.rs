//! Which output is a logpoint's: what adapters print for one carries no mark, but it reads as its text was written.

use debugger::{Breakpoint, BreakpointSite, OutputChunk};
use regex::Regex;

use super::events::Logpoint;

/// A logpoint, and how its output reads.
pub struct Pattern {
    id: u64,
    file: Option<String>,
    line: Option<i64>,
    reads: Regex,
    /// It has words of its own, and not expressions only.
    has_words: bool,
}

impl Pattern {
    /// Of a breakpoint with a text to print.
    pub fn of(breakpoint: &Breakpoint) -> Option<Self> {
        let message = breakpoint.log_message.as_deref()?;
        let (file, line) = match &breakpoint.site {
            BreakpointSite::Source { path, line, .. } => {
                (Some(path.to_string_lossy().into_owned()), Some(*line))
            }
            _ => (None, None),
        };
        let (reads, has_words) = pattern(message);
        Some(Self {
            id: breakpoint.id.0,
            file,
            line,
            reads: Regex::new(&reads).ok()?,
            has_words,
        })
    }

    /// The event for a piece of output, if this logpoint printed it.
    pub fn take(&self, chunk: &OutputChunk) -> Option<Logpoint> {
        let text = chunk.text.trim_end_matches(['\r', '\n']);
        let from_here = chunk.line.is_some() && chunk.line == self.line;
        let from_program = matches!(chunk.category.as_str(), "stdout" | "stderr") && !from_here;
        if !self.has_words && !from_here && (from_program || text.is_empty()) {
            return None;
        }
        let message = self.reads.captures(text)?.get(1)?.as_str().to_owned();
        Some(Logpoint {
            id: self.id,
            file: self.file.clone(),
            line: self.line,
            message,
            session: None,
        })
    }
}

/// A regular expression for a text with `{expressions}`; adapters may put a heading before it.
fn pattern(message: &str) -> (String, bool) {
    let mut out = String::new();
    let mut words = String::new();
    let mut depth = 0;
    for c in message.chars() {
        match c {
            '{' => {
                if depth == 0 {
                    out.push_str(&regex::escape(&words));
                    words.clear();
                    out.push_str("(?s:.*?)");
                }
                depth += 1;
            }
            '}' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            c => words.push(c),
        }
    }
    let has_words = !words.trim().is_empty()
        || out
            .replace("(?s:.*?)", "")
            .chars()
            .any(|c| !c.is_whitespace());
    out.push_str(&regex::escape(&words));
    (format!("^(?:> [^\n]*?: )?({out})$"), has_words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use debugger::{BreakpointId, BreakpointSpec};

    fn logpoint(message: &str) -> Pattern {
        let mut breakpoint =
            Breakpoint::new(BreakpointId(3), BreakpointSpec::line("/w/a.py", 7).site);
        breakpoint.log_message = Some(message.into());
        Pattern::of(&breakpoint).unwrap()
    }

    fn printed(category: &str, text: &str, line: Option<i64>) -> OutputChunk {
        OutputChunk {
            category: category.into(),
            text: text.into(),
            line,
            ..OutputChunk::default()
        }
    }

    #[test]
    fn what_a_logpoint_prints_is_known_by_its_words() {
        let total = logpoint("total is {cart.total()} (of {d['{x}']})");
        let told = total
            .take(&printed("stdout", "total is 5 (of 7)\n", None))
            .unwrap();
        assert_eq!(
            (told.id, told.line, told.message.as_str()),
            (3, Some(7), "total is 5 (of 7)")
        );
        assert!(
            total
                .take(&printed("stdout", "the total is 5\n", None))
                .is_none()
        );
        let headed = printed("stdout", "> [Go 1]: total is 5 (of 7)\n", None);
        assert_eq!(total.take(&headed).unwrap().message, "total is 5 (of 7)");
    }

    #[test]
    fn one_without_words_takes_only_what_comes_from_its_line_or_no_program() {
        let bare = logpoint("{x}");
        assert!(bare.take(&printed("stdout", "anything\n", None)).is_none());
        assert!(bare.take(&printed("stdout", "5\n", Some(7))).is_some());
        assert!(bare.take(&printed("console", "5\n", None)).is_some());
    }
}
