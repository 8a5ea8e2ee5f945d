//! Popups that show more than there is room for: scrolling and closing, the table's rows for that.

use crate::widgets::list::ListState;
use crate::widgets::text_view::TextView;

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

/// A popup's rows, and behind them those of closing and scrolling; `$scrolled` is its field that implements [`Scrolls`].
macro_rules! with_scrolling_rows {
    ($popup:literal, $scrolled:ident; [$($before:expr),* $(,)?]) => {
        &[
            $($before,)*
            $crate::routes::debug::kit::row(
                concat!($popup, ".close"),
                "close",
                &["esc", "enter"],
                $crate::action::Show::Footer,
                $crate::action::always,
                |_, cx| cx.emit($crate::app::effect::Effect::Close),
            ),
            $crate::routes::debug::kit::scrolling::scrolling_row!(
                $popup, ".up", "up", ["up", "k"], $scrolled, rows(-1)
            ),
            $crate::routes::debug::kit::scrolling::scrolling_row!(
                $popup, ".down", "down", ["down", "j"], $scrolled, rows(1)
            ),
            $crate::routes::debug::kit::scrolling::scrolling_row!(
                $popup, ".page-up", "page up", ["pageup"], $scrolled, pages(-1)
            ),
            $crate::routes::debug::kit::scrolling::scrolling_row!(
                $popup, ".page-down", "page down", ["pagedown", "space"], $scrolled, pages(1)
            ),
            $crate::routes::debug::kit::scrolling::scrolling_row!(
                $popup, ".first", "beginning", ["home", "g"], $scrolled, edge(false)
            ),
            $crate::routes::debug::kit::scrolling::scrolling_row!(
                $popup, ".last", "end", ["end", "G"], $scrolled, edge(true)
            ),
        ]
    };
}

/// One of them.
macro_rules! scrolling_row {
    ($popup:literal, $id:literal, $title:literal, $keys:expr, $scrolled:ident, $way:ident($by:expr)) => {
        $crate::routes::debug::kit::row(
            concat!($popup, $id),
            $title,
            &$keys,
            $crate::action::Show::HelpOnly,
            $crate::action::always,
            |s, _| $crate::routes::debug::kit::scrolling::Scrolls::$way(&mut s.$scrolled, $by),
        )
    };
}
pub(in crate::routes::debug) use {scrolling_row, with_scrolling_rows};
