//! `omp-debug artifacts`: what sessions left, as lines or as JSON.
//!
//! Measuring is done in `diagnostics::artifacts`; clearing is `headless::cache`'s.

use std::io::{BufWriter, Write};

use serde_json::{Value, json};

use base::text::amount;
use base::text::json::printable;
use base::text::sanitise::sanitise;
use base::text::width::pad;
use diagnostics::Cancel;
use diagnostics::artifacts::{self, ArtifactsError, Found, Ground, Totals, age};

/// Why the command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// Looking at the folders.
    #[error(transparent)]
    Artifacts(#[from] ArtifactsError),
    /// Writing failed.
    #[error("cannot write the answer: {0}")]
    Write(#[from] std::io::Error),
}

/// Writes all artifact folders to `out`, the one changed last first, and what a person should know besides to `warn`.
pub fn run(
    ground: &Ground,
    json: bool,
    out: &mut dyn Write,
    warn: &mut dyn FnMut(&str),
) -> Result<(), ListError> {
    let scan = artifacts::scan(ground, &|_, _| (), &Cancel::default())?;
    for note in &scan.notes {
        warn(&sanitise(note));
    }
    let totals = Totals::of(&scan.found);
    let mut out = BufWriter::new(out);
    let written = (|| {
        if json {
            let all = json!({
                "artifacts": scan.found.iter().map(record).collect::<Vec<_>>(),
                "totals": totals_record(&totals),
                "other_folders": scan.others,
            });
            write!(out, "{}", printable(&all.to_string()))?;
            writeln!(out)?;
        } else {
            let now = age::now();
            for found in &scan.found {
                let remark = found.live.as_deref().unwrap_or_default();
                writeln!(out, "{}", line(found, now, remark))?;
            }
            if scan.found.is_empty() {
                let places: Vec<_> = ground
                    .layout
                    .sessions
                    .iter()
                    .map(|p| p.display().to_string())
                    .collect();
                warn(&format!(
                    "there are no artifacts in {}",
                    sanitise(&places.join(", "))
                ));
            } else {
                writeln!(out, "{}", sum(&totals))?;
            }
        }
        out.flush()
    })();
    match written {
        // The reader has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// `3 folders, 1,234 files, 4.2 MiB`.
pub fn sum(totals: &Totals) -> String {
    format!(
        "{}, {}, {}",
        amount::count(totals.folders, "folder", "folders"),
        amount::count(totals.files, "file", "files"),
        amount::size(totals.bytes)
    )
}

/// A folder in one line: its size first.
pub(super) fn line(found: &Found, now: i64, remark: &str) -> String {
    let title = found.name();
    let remark = if remark.is_empty() {
        String::new()
    } else {
        format!("  ({})", sanitise(remark))
    };
    format!(
        "{:>9}  {:>13}  {:>8}  {}  {}{remark}",
        amount::size(found.tally.bytes),
        amount::count(found.tally.files, "file", "files"),
        age::ago(found.tally.newest, now),
        pad(&sanitise(title), 24),
        sanitise(&found.spot.path().to_string_lossy()),
    )
}

/// A folder for scripts.
pub(super) fn record(found: &Found) -> Value {
    let tally = &found.tally;
    json!({
        "path": &found.spot.path().to_string_lossy(),
        "session": &found.spot.session().to_string_lossy(),
        "title": found.title,
        "cwd": found.cwd.as_deref().map(|cwd| cwd.to_string_lossy()),
        "files": tally.files,
        "bytes": tally.bytes,
        "disk_bytes": tally.disk,
        "session_files": tally.transcripts,
        "newest": age::stamp(tally.newest),
        "session_used": age::stamp(found.used),
        "live": found.live,
        "trouble": tally.trouble,
    })
}

pub(super) fn totals_record(totals: &Totals) -> Value {
    json!({
        "folders": totals.folders,
        "files": totals.files,
        "bytes": totals.bytes,
        "disk_bytes": totals.disk,
    })
}
