//! A report that is looked into: its members, whether they are as they were written, and which one is read.

use diagnostics::report::{Bundle, Entry, EntryKind, Verdict};

use crate::prelude::*;

/// Cells of the columns at the right.
const SIZE: usize = 10;
const STATE: usize = 16;

/// The archive.
#[derive(Debug, Default)]
pub struct Browse {
    pub path: PathBuf,
    /// Once it is read.
    pub bundle: Option<Bundle>,
    /// Where the cursor is.
    pub list: ListState,
}

impl Browse {
    /// Waiting for what is in it.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            ..Self::default()
        }
    }

    /// The selected member.
    pub fn current(&self) -> Option<(usize, &Entry)> {
        let at = self.list.selected()?;
        Some((at, self.bundle.as_ref()?.entries.get(at)?))
    }

    /// Members.
    pub fn len(&self) -> usize {
        self.bundle.as_ref().map_or(0, |b| b.entries.len())
    }

    /// What is to be said of the whole.
    pub fn state(&self) -> String {
        let Some(bundle) = &self.bundle else {
            return "reading…".to_owned();
        };
        match bundle.is_whole() {
            Some(true) => "every hash matches".to_owned(),
            Some(false) if !bundle.missing.is_empty() => {
                format!("not as it was written: {} missing", bundle.missing.len())
            }
            Some(false) => "not as it was written".to_owned(),
            None if bundle.notes.is_empty() => "without a manifest".to_owned(),
            None => "damaged".to_owned(),
        }
    }

    /// Draws the members.
    pub fn draw(&mut self, canvas: &Canvas, area: Rect, focused: bool) {
        let entries = self.bundle.as_ref().map_or(&[][..], |b| &b.entries);
        List::new(canvas.look(), entries.len())
            .focused(focused)
            .empty("reading…")
            .each(canvas, area, &mut self.list, entries, |entry, cells| {
                line(entry, cells);
            });
    }
}

fn line(entry: &Entry, line: &mut Cells) {
    let theme = line.view.theme.clone();
    let (state, style) = match (&entry.kind, entry.verdict) {
        (EntryKind::Link(_), _) => ("link".to_owned(), theme.warning),
        (EntryKind::Folder, _) => ("folder".to_owned(), theme.muted),
        (EntryKind::Other, _) => ("special".to_owned(), theme.warning),
        (_, Some(Verdict::Differs)) => ("differs".to_owned(), theme.error),
        (_, Some(Verdict::Unlisted)) => ("not listed".to_owned(), theme.warning),
        (EntryKind::File { text: false }, _) => ("binary".to_owned(), theme.muted),
        _ => match entry.replaced {
            Some(0) | None => (String::new(), theme.muted),
            Some(1) => ("1 replaced".to_owned(), theme.info),
            Some(n) => (format!("{n} replaced"), theme.info),
        },
    };
    let cells = line.room();
    let columns = if cells < 50 { 0 } else { STATE };
    let name = cells.saturating_sub(SIZE + columns + 2);
    line.column(&entry.name, name, theme.text).skip(1);
    line.muted(&format!("{:>SIZE$}", amount::size(entry.size)));
    if columns > 0 {
        line.skip(1);
        line.put(&format!("{state:>STATE$}"), style);
    }
}
