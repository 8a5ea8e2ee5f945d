//! Popups that show more than there is room for: what the table's line `scroll` moves.

use crate::{routes::debug::kit::prelude::*, widgets::text_view::TextView};

/// What a popup scrolls.
pub trait Scrolls {
    /// By rows; down is positive.
    fn rows(&mut self, by: isize);
    /// By pages.
    fn pages(&mut self, by: isize);
    /// To the first row, or to the last.
    fn edge(&mut self, is_last: bool);
}

impl Scrolls for TextView {
    fn rows(&mut self, by: isize) {
        self.scroll_by(by);
    }

    fn pages(&mut self, by: isize) {
        self.page_by(by);
    }

    fn edge(&mut self, is_last: bool) {
        if is_last {
            self.end();
        } else {
            self.home();
        }
    }
}

/// How many rows there are is known when it is drawn: there the cursor is brought back to the last one.
impl Scrolls for ListState {
    fn rows(&mut self, by: isize) {
        self.move_by(by, usize::MAX);
    }

    fn pages(&mut self, by: isize) {
        self.page_by(by, usize::MAX);
    }

    fn edge(&mut self, is_last: bool) {
        if is_last {
            self.end(usize::MAX);
        } else {
            self.home(usize::MAX);
        }
    }
}
