//! A folder as a row: its size first, then how many files, how old, what it is called and whose it is.

use diagnostics::artifacts::{ArtifactFolder, Totals, age};

use crate::prelude::*;

/// From this width on there is room for the project.
const WITH_PROJECT: usize = 90;
/// From this width on there is room for the number of files.
const WITH_FILES: usize = 56;

/// `3 folders, 1,234 files, 4.2 MiB`.
pub fn sum(totals: &Totals) -> String {
    format!(
        "{}, {}, {}",
        counted(totals.folders, "folder"),
        counted(totals.files, "file"),
        amount::size(totals.bytes)
    )
}

/// The project's folder, or the one with its sessions.
pub fn project(found: &ArtifactFolder) -> String {
    let bucket = || {
        found
            .spot
            .bucket
            .as_ref()
            .map(|b| b.to_string_lossy().into_owned())
    };
    let cwd = found.cwd.as_ref().map(|cwd| cwd.display().to_string());
    cwd.or_else(bucket).unwrap_or_default()
}

fn right(text: &str, cells: usize) -> String {
    format!("{text:>cells$}")
}

/// The row. `mark` stands before it.
pub fn row(found: &ArtifactFolder, mark: &str, now: i64, line: &mut Cells) {
    let theme = line.view.theme.clone();
    let cells = line.room();
    line.accent(mark);
    line.text(&right(&amount::size(found.tally.bytes), 9))
        .skip(2);
    if cells >= WITH_FILES {
        let files = counted(found.tally.files, "file");
        line.muted(&right(&files, 12)).skip(2);
    }
    line.muted(&right(&age::ago(found.tally.newest, now), 6))
        .skip(2);
    if found.live.is_some() {
        line.right("in use", theme.success);
    } else if found.tally.trouble.is_some() {
        line.right("not readable", theme.warning);
    }
    if cells >= WITH_PROJECT {
        let room = line.room();
        let project = room * 2 / 5;
        line.column(found.name(), room - project, theme.text);
        line.muted(&self::project(found));
    } else {
        line.text(found.name());
    }
}
