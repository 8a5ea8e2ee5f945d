//! Moving through what shows more than there is room for: what the table's lines `walk` and `list` do.

use super::prelude::*;

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// By rows; down is positive.
    Rows(isize),
    /// By pages: as many rows as are in sight, less one for the eye to hold on to.
    Pages(isize),
    /// To the first row.
    First,
    /// To the last row.
    Last,
}

/// A pane whose cursor moves by rows.
pub trait Walks {
    /// Whether there is a row to be at.
    fn can_walk(&self, _view: &View<'_>) -> Enabled {
        Ok(())
    }

    /// Moves the cursor.
    fn walk(&mut self, step: Step, cx: &mut Cx<'_>);
}

impl Step {
    /// Moves the selection of a list of `len` rows.
    pub fn within(self, list: &mut ListState, len: usize) {
        self.of(Scrolled::Rows(list, len));
    }

    /// Moves what there is to be moved.
    pub fn of(self, moved: Scrolled<'_>) {
        match self {
            Self::Rows(by) => moved.move_by(by),
            Self::Pages(by) => moved.page_by(by),
            Self::First => moved.edge(false),
            Self::Last => moved.edge(true),
        }
    }

    /// Rows to move by, of which `page` are a page; to the ends it is as far as one can go.
    pub fn rows(self, page: usize) -> isize {
        match self {
            Self::Rows(by) => by,
            Self::Pages(by) => page.saturating_sub(1).max(1) as isize * by,
            Self::First => isize::MIN,
            Self::Last => isize::MAX,
        }
    }
}

/// What a key means while one goes through matches: to the next one, or (false) to the one before; any other ends the search, and
/// then means what it always means.
pub fn through_matches(key: KeyEvent) -> Option<bool> {
    let changed = KeyModifiers::CONTROL | KeyModifiers::ALT;
    match key.code {
        _ if key.modifiers.intersects(changed) => None,
        KeyCode::Char('n') | KeyCode::Enter => Some(true),
        KeyCode::Char('N') => Some(false),
        _ => None,
    }
}
