//! Moving through a pane that shows more than there is room for, by rows and by pages: the table's rows for that.

use crate::action::{Cx, Enabled};

/// A pane whose cursor moves by rows.
pub trait Walks {
    /// Whether there is a row to be at.
    fn can_walk(&self) -> Enabled;
    /// Moves the cursor by rows; down is positive.
    fn walk(&mut self, rows: isize, cx: &mut Cx<'_>);
    /// Rows of a page: as many as are in sight, less one for the eye to hold on to; at least 1.
    fn page(&self) -> isize;
}

/// A pane's rows with those of moving in between; `$what` is what a row is called.
macro_rules! with_walking_rows {
    ($pane:literal, $what:literal; [$($before:expr),* $(,)?], [$($after:expr),* $(,)?] $(,)?) => {
        &[
            $($before,)*
            $crate::routes::debug::kit::row(
                concat!($pane, ".up"),
                concat!($what, " up"),
                &["up", "k"],
                $crate::action::Show::HelpOnly,
                |s, _| $crate::routes::debug::kit::walking::Walks::can_walk(s),
                |s, cx| $crate::routes::debug::kit::walking::Walks::walk(s, -1, cx),
            ),
            $crate::routes::debug::kit::row(
                concat!($pane, ".down"),
                concat!($what, " down"),
                &["down", "j"],
                $crate::action::Show::HelpOnly,
                |s, _| $crate::routes::debug::kit::walking::Walks::can_walk(s),
                |s, cx| $crate::routes::debug::kit::walking::Walks::walk(s, 1, cx),
            ),
            $crate::routes::debug::kit::row(
                concat!($pane, ".page-up"),
                "page up",
                &["pageup"],
                $crate::action::Show::HelpOnly,
                |s, _| $crate::routes::debug::kit::walking::Walks::can_walk(s),
                |s, cx| {
                    let page = $crate::routes::debug::kit::walking::Walks::page(s);
                    $crate::routes::debug::kit::walking::Walks::walk(s, -page, cx);
                },
            ),
            $crate::routes::debug::kit::row(
                concat!($pane, ".page-down"),
                "page down",
                &["pagedown"],
                $crate::action::Show::HelpOnly,
                |s, _| $crate::routes::debug::kit::walking::Walks::can_walk(s),
                |s, cx| {
                    let page = $crate::routes::debug::kit::walking::Walks::page(s);
                    $crate::routes::debug::kit::walking::Walks::walk(s, page, cx);
                },
            ),
            $($after,)*
        ]
    };
}
pub(in crate::routes::debug) use with_walking_rows;
