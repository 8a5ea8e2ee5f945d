//! What is asked of a transcript, and what is said of one that was written.

use base::text::redact::Report as Secrets;

use crate::prelude::*;

base::kinds! {
    /// How it is written.
    #[derive(Default)]
    pub enum Format {
        /// Markdown.
        #[default]
        Markdown = ["md", "markdown"],
        /// Plain text.
        Text = ["txt", "text"],
    }
    fn row(self) -> [&'static str; 2];
}

impl Format {
    /// The ending of such a file.
    pub fn extension(self) -> &'static str {
        self.row()[0]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row()[1]
    }
}

/// What is written.
#[derive(Clone, Debug)]
pub struct Options {
    pub format: Format,
    /// What the model thought, too.
    pub thinking: bool,
    /// Entries of all branches, in the order in which they were written.
    pub all_branches: bool,
    /// Takes secrets out; without it they stay.
    pub redactor: Option<Redactor>,
    /// Where omp keeps pictures.
    pub blobs: PathBuf,
}

/// What was written, and what was not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Entries written.
    pub entries: u64,
    /// Entries of branches that are not in force.
    pub elsewhere: u64,
    /// Notes of when a tool began: they are in the results' times.
    pub starts: u64,
    /// Pieces of thought left out.
    pub thoughts: u64,
    /// Lines that are not understood.
    pub malformed: u64,
    /// Entries of types that are not known, by name: written as data.
    pub unknown: Vec<(String, u64)>,
    /// Secrets replaced.
    pub secrets: Secrets,
    /// Bytes written.
    pub bytes: u64,
}

impl Report {
    /// What a reader should know besides, one thing each.
    pub fn sentences(&self) -> Vec<String> {
        let mut said = vec![amount::count(self.entries, "entry", "entries")];
        let mut more = |number: u64, one: &str, many: &str| {
            if number > 0 {
                said.push(amount::count(number, one, many));
            }
        };
        more(
            self.secrets.total(),
            "secret is hidden",
            "secrets are hidden",
        );
        more(
            self.elsewhere,
            "entry of another branch is left out",
            "entries of other branches are left out",
        );
        more(
            self.thoughts,
            "thought is left out",
            "thoughts are left out",
        );
        more(
            self.malformed,
            "line is not understood and left out",
            "lines are not understood and left out",
        );
        for (name, count) in &self.unknown {
            said.push(format!(
                "{} of the unknown type {name:?}",
                amount::count(*count, "entry", "entries")
            ));
        }
        said
    }
}
