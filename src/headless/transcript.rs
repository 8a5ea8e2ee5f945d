//! `omp-debug transcript`: a session as Markdown or text, to a file or to standard output.
//!
//! What is written is decided in `diagnostics::transcript`; parsing the command line is left to `cli`.

use std::io::{BufWriter, Write};
use std::path::Path;

use base::text::sanitise::sanitise;
use diagnostics::Cancel;
use diagnostics::transcript::{self, Options, Report, SaveError, TranscriptError};

/// Why the command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Into a file.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// To standard output.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
}

impl RunError {
    /// Whether the command line is to blame.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Save(SaveError::File(file)) if file.is_usage())
    }
}

/// Writes the transcript of `session` into `target`, or else to `out`; gives a sentence about what was written.
pub fn run(
    session: &Path,
    options: &Options,
    target: Option<&Path>,
    force: bool,
    out: &mut dyn Write,
) -> Result<String, RunError> {
    let cancel = Cancel::default();
    let write =
        |out: &mut dyn Write| transcript::write(session, options, out, &cancel, &mut |_, _| {});
    let report = match target {
        Some(target) => transcript::save(target, session, force, write)?,
        None => match write(&mut BufWriter::new(out)) {
            // The reader has seen enough.
            Err(TranscriptError::Write(error))
                if error.kind() == std::io::ErrorKind::BrokenPipe =>
            {
                Report::default()
            }
            other => other?,
        },
    };
    let place = match target {
        Some(target) => format!("{}: ", target.display()),
        None => String::new(),
    };
    let said = format!("{place}{}", report.sentences().join("; "));
    Ok(sanitise(&said).into_owned())
}
