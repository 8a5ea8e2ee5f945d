//! Which output is a logpoint's: what adapters print for one carries no mark, but it reads as its text was written.

use debugger::{Breakpoint, BreakpointSite, OutputChunk, records::Template};

use super::events::Logpoint;

/// A logpoint, and how its output reads.
pub struct Pattern {
    /// What is told of it, but for its words.
    told: Logpoint,
    reads: Template,
}

impl Pattern {
    /// Of a breakpoint with a text to print.
    pub fn of(breakpoint: &Breakpoint) -> Option<Self> {
        let message = breakpoint.log_message.as_deref()?;
        let (file, line) = place(&breakpoint.site).unzip();
        Some(Self {
            told: Logpoint {
                id: breakpoint.id.0,
                file,
                line,
                ..Logpoint::default()
            },
            reads: Template::of(message)?,
        })
    }

    /// The event for a piece of output, if this logpoint printed it.
    pub fn take(&self, chunk: &OutputChunk) -> Option<Logpoint> {
        let message = self.reads.printed(chunk, self.told.line)?.to_owned();
        Some(Logpoint {
            message,
            ..self.told.clone()
        })
    }
}

/// File and line of a breakpoint that is at one.
pub fn place(site: &BreakpointSite) -> Option<(String, i64)> {
    match site {
        BreakpointSite::Source { path, line, .. } => {
            Some((path.to_string_lossy().into_owned(), *line))
        }
        _ => None,
    }
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
