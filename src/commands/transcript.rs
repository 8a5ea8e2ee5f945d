//! `omp-debug transcript`: a session as Markdown or text, to a file or to standard output.
//!
//! What is written is decided in `diagnostics::transcript`; the screen is `tui::routes::transcript`.

use clap::ValueEnum;

use super::prelude::*;
use crate::{
    diagnostics::{
        sessions::Finder,
        transcript::{self, Format, Options, Report, TranscriptError},
    },
    tui::routes::transcript::{Choice, TranscriptTarget},
};

/// `transcript`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omp-debug transcript latest -o talk.md     the newest session as Markdown, into a file of your own
  omp-debug transcript 01997c --format text  a session by the beginning of its id

What looks like a secret is replaced, and how many were is said.")]
pub struct TranscriptArgs {
    /// A session's file, its id or how that begins, or `latest` [default: that of this terminal, else the newest]
    pub session: Option<String>,
    /// Into this file, readable for you alone; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file when it is there
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Markdown or plain text [default: by the name of FILE, else markdown]
    #[arg(long, value_enum)]
    pub format: Option<FormatArg>,
    /// Print it, also on a terminal
    #[arg(long, conflicts_with = "output")]
    pub print: bool,
    /// Leave out what the model thought
    #[arg(long)]
    no_thinking: bool,
    /// Branches that were left, too
    #[arg(long)]
    pub all_branches: bool,
    /// Leave keys and tokens as they are
    #[arg(long)]
    pub show_secrets: bool,
}

/// `--format`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FormatArg {
    /// Markdown
    Markdown,
    /// Plain text
    Text,
}

impl DeskCommand for TranscriptArgs {
    fn is_for_the_screen(&self) -> bool {
        !self.print && self.output.is_none()
    }

    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        let layout = desk.layout_with_warnings();
        let finder = Finder::of_terminal(&layout, &desk.context.env);
        let session = finder
            .find(self.session.as_deref())
            .map_err(Failure::usage)?;
        let options = Options {
            format: self.format(),
            thinking: !self.no_thinking,
            all_branches: self.all_branches,
            redactor: (!self.show_secrets).then(|| desk.redactor()),
            blobs: layout.blobs,
        };
        let cancel = Cancel::default();
        let write = |out: &mut dyn Write| {
            transcript::write(&session, &options, out, &cancel, &mut |_, _| {})
        };
        let target = self
            .output
            .as_deref()
            .filter(|file| *file != Path::new("-"));
        let (place, report) = match target {
            Some(target) => {
                let saved = transcript::save(target, &session, self.force, write);
                let saved = saved.map_err(|error| Failure::blaming(error.is_usage(), error))?;
                (format!("{}: ", target.display()), saved)
            }
            None => match write(&mut BufWriter::new(stdout())) {
                // The reader has seen enough.
                Err(TranscriptError::Write(error))
                    if error.kind() == std::io::ErrorKind::BrokenPipe =>
                {
                    (String::new(), Report::default())
                }
                other => (String::new(), other.map_err(Failure::failed)?),
            },
        };
        // The answer is on standard output when it goes there; what is said about it must not be.
        warn(&sanitise(&format!(
            "{place}{}",
            report.sentences().join("; ")
        )));
        Ok(0)
    }

    fn route(&self, _: &Desk<'_>) -> Result<Route> {
        Ok(Route::to(RouteId::TRANSCRIPT).begin(TranscriptTarget {
            session: self.session.clone(),
            choice: Choice {
                format: self.format(),
                thinking: !self.no_thinking,
                all_branches: self.all_branches,
                show_secrets: self.show_secrets,
            },
        }))
    }
}

impl TranscriptArgs {
    /// Markdown, unless the option or the file's name says otherwise.
    fn format(&self) -> Format {
        let file = self.output.as_ref();
        let is_text = file
            .and_then(|file| file.extension())
            .is_some_and(|e| e == "txt");
        match self.format {
            Some(FormatArg::Text) => Format::Text,
            None if is_text => Format::Text,
            Some(FormatArg::Markdown) | None => Format::Markdown,
        }
    }
}
