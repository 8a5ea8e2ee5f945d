//! `omp-debug artifacts`: what sessions left, as lines or as JSON.
//!
//! Measuring is done in `diagnostics::artifacts`; clearing is `cache`'s.

use super::prelude::*;
use crate::diagnostics::artifacts::{self, ArtifactFolder, ArtifactRoot, Totals, age};

/// `artifacts`.
#[derive(Args, Debug)]
pub struct ArtifactsArgs {
    /// All of it as one JSON object
    #[arg(long, conflicts_with = "print")]
    pub json: bool,
    /// One line for each folder
    #[arg(long)]
    pub print: bool,
}

impl DeskCommand for ArtifactsArgs {
    fn is_for_the_screen(&self) -> bool {
        !(self.json || self.print)
    }

    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        let ground = ground(desk);
        let scan = artifacts::scan(&ground, &|_, _| (), &Cancel::default());
        let scan = scan.map_err(Failure::failed)?;
        warn_of(&scan.notes);
        let totals = Totals::of(&scan.found);
        let mut out = BufWriter::new(stdout());
        if self.json {
            let all = json!({
                "artifacts": scan.found.iter().map(record).collect::<Vec<_>>(),
                "totals": totals_record(&totals),
                "other_folders": scan.others,
            });
            write_line(&mut out, &all)?;
        } else if scan.found.is_empty() {
            let places = ground.layout.sessions.iter();
            let places: Vec<_> = places.map(|p| p.display().to_string()).collect();
            let places = places.join(", ");
            warn(&format!("there are no artifacts in {}", sanitise(&places)));
        } else {
            let now = age::now();
            for found in &scan.found {
                let remark = found.live.as_deref().unwrap_or_default();
                writeln!(out, "{}", line(found, now, remark))?;
            }
            writeln!(out, "{}", sum(&totals))?;
        }
        out.flush()?;
        Ok(0)
    }

    fn route(&self, _: &Desk<'_>) -> Result<Route> {
        Ok(Route::to(RouteId::ARTIFACTS))
    }
}

/// Where the artifacts are.
pub fn ground(desk: &Desk<'_>) -> ArtifactRoot {
    let context = desk.context;
    let layout = Arc::new(desk.layout_with_warnings());
    ArtifactRoot::here(layout, &context.state_dir, context.env.clone())
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
pub fn line(found: &ArtifactFolder, now: i64, remark: &str) -> String {
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
pub fn record(found: &ArtifactFolder) -> Value {
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

pub fn totals_record(totals: &Totals) -> Value {
    json!({
        "folders": totals.folders,
        "files": totals.files,
        "bytes": totals.bytes,
        "disk_bytes": totals.disk,
    })
}
