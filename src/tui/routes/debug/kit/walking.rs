//! Moving through a pane that shows more than there is room for, by rows and by pages: what the table's line `walk` does.

use crate::routes::debug::kit::prelude::*;

/// A pane whose cursor moves by rows.
pub trait Walks {
    /// Whether there is a row to be at.
    fn can_walk(&self) -> Enabled;
    /// Moves the cursor by rows; down is positive.
    fn walk(&mut self, rows: isize, cx: &mut Cx<'_>);
    /// Rows of a page: as many as are in sight, less one for the eye to hold on to; at least 1.
    fn page(&self) -> isize;
}

/// For `enabled`: there is a row to be at.
pub fn can_walk<S: Walks>(s: &S, _: &View<'_>) -> Enabled {
    s.can_walk()
}

/// Moves the cursor by pages.
pub fn page<S: Walks>(s: &mut S, by: isize, cx: &mut Cx<'_>) {
    s.walk(s.page() * by, cx);
}
