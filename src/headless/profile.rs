//! `omp-debug profile FILE`: a profile of another tool, read and written in another form.
//!
//! Formats are `diagnostics::profile`'s; parsing the command line is left to `cli`.

use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use base::text::amount;
use base::text::sanitise::sanitise;
use base::text::width::{pad, pad_start, truncate};
use diagnostics::Cancel;
use diagnostics::profile::export::{self, ExportError, Format, SaveError};
use diagnostics::profile::import::{self, FileError};
use diagnostics::profile::tree::{Options, Row, Tree};
use diagnostics::profile::{Profile, Unit, words};

/// Functions that a comparison shows.
const COMPARED: usize = 30;

/// Why the command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// Reading.
    #[error(transparent)]
    Read(#[from] FileError),
    /// Into a file.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// To standard output.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// What it is to be compared with is of something else.
    #[error("{0}")]
    Apart(String),
}

impl ProfileError {
    /// Whether the command line is to blame.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Save(SaveError::File(file)) => file.is_usage(),
            Self::Apart(_) => true,
            _ => false,
        }
    }
}

/// What is to be done with a profile.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Compare it with the profile in this file.
    pub diff: Option<PathBuf>,
    /// The form; none = by the output's name, else Markdown.
    pub format: Option<Format>,
    /// Where to; none = standard output.
    pub output: Option<PathBuf>,
    /// Replace what is there.
    pub force: bool,
}

/// Reads a profile; `-` is standard input.
pub fn read(file: &Path, input: &mut dyn Read, cancel: &Cancel) -> Result<Profile, ProfileError> {
    if file.as_os_str() == "-" {
        let profile = import::read_from(input, 0, cancel, &|_, _| ());
        return Ok(profile.map_err(|error| FileError {
            path: "standard input".into(),
            error,
        })?);
    }
    Ok(import::read(file, cancel, &|_, _| ())?)
}

/// Writes a profile; gives a sentence about what was written into a file.
pub fn write(
    profile: &Profile,
    wanted: &Wanted,
    out: &mut dyn Write,
    cancel: &Cancel,
) -> Result<Option<String>, ProfileError> {
    let named = wanted.output.as_deref().and_then(Format::of);
    let format = wanted.format.or(named).unwrap_or(Format::Markdown);
    if let Some(target) = &wanted.output {
        let size = export::save(profile, format, target, wanted.force, cancel)?;
        let text = format!(
            "{}: {}, {}",
            target.display(),
            format.name(),
            amount::size(size)
        );
        return Ok(Some(sanitise(&text).into_owned()));
    }
    let mut out = BufWriter::new(out);
    let done = match &wanted.diff {
        Some(base) => {
            let base = import::read(base, cancel, &|_, _| ())?;
            profile.comparable(&base).map_err(ProfileError::Apart)?;
            compare(profile, &base, &mut out, cancel).map_err(ExportError::from)
        }
        None => export::write(profile, format, &mut out, cancel),
    };
    match done.and_then(|()| Ok(out.flush()?)) {
        // The reader has seen enough.
        Err(ExportError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            Ok(None)
        }
        other => Ok(other.map(|()| None)?),
    }
}

/// What grew and what shrank, the largest change first: memory in bytes, all else in parts of each profile's own total, so that runs of
/// other lengths can be compared.
fn compare(
    profile: &Profile,
    base: &Profile,
    out: &mut dyn Write,
    cancel: &Cancel,
) -> std::io::Result<()> {
    let tree = Tree::build(profile, Some(base), &Options::default(), cancel);
    let (total, base_total) = (tree.total(), tree.base_total());
    writeln!(
        out,
        "{}: {}; before: {}",
        sanitise(&profile.name),
        words::weight(total, profile.unit),
        words::weight(base_total, base.unit)
    )?;
    if profile.unit != base.unit {
        writeln!(
            out,
            "The two count different things: only their parts of the whole can be compared."
        )?;
    }
    let in_bytes = profile.unit == Unit::Bytes && base.unit == Unit::Bytes;
    let change = |row: &Row| tree.change(row.weight.own, row.base.own);
    let columns = |row: &Row| {
        if in_bytes {
            let (now, before) = (row.weight.own, row.base.own);
            let sign = if now < before { "-" } else { "+" };
            let grown = words::brief(now.abs_diff(before), profile.unit);
            let [now, before] = [now, before].map(|bytes| words::brief(bytes, profile.unit));
            return (format!("{sign}{grown}"), now, before);
        }
        (
            format!("{:+.1}", change(row)),
            words::percent(row.weight.own, total),
            words::percent(row.base.own, base_total),
        )
    };
    let mut rows: Vec<&Row> = tree.rows().iter().collect();
    rows.sort_by(|a, b| change(b).abs().total_cmp(&change(a).abs()));
    writeln!(out, "  change     own   before   function")?;
    for row in rows.into_iter().take(COMPARED) {
        let Some(function) = tree.function(row.function) else {
            continue;
        };
        let place = function.place();
        let (name, _) = truncate(&function.name, 60);
        let (change, own, before) = columns(row);
        writeln!(
            out,
            "{}  {} {}   {} {}",
            pad_start(&change, 8),
            pad_start(&own, 7),
            pad_start(&before, 8),
            pad(&sanitise(&name), 32),
            sanitise(&place)
        )?;
    }
    Ok(())
}
