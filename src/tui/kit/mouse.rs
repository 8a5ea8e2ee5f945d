//! What a mouse does to a list.

use crate::action::prelude::*;

/// The left button goes down.
pub const CLICK: MouseEventKind = MouseEventKind::Down(MouseButton::Left);

/// Rows that a turn of the wheel moves by.
pub fn wheel(event: &MouseEvent) -> Option<isize> {
    match event.kind {
        MouseEventKind::ScrollUp => Some(-3),
        MouseEventKind::ScrollDown => Some(3),
        _ => None,
    }
}

/// What a mouse did to a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    /// Nothing.
    Ignored,
    /// Scrolled by so many rows.
    Scrolled(isize),
    /// Selected another row.
    Selected,
    /// Clicked the selected row.
    Again,
}

impl Mouse {
    /// Scrolls a list of `len` rows with the wheel, selects the row that is clicked.
    pub fn on(list: &mut ListState, len: usize, event: MouseEvent, cx: &Cx) -> Self {
        let did = if let Some(by) = wheel(&event) {
            list.scroll_by(by, len);
            Self::Scrolled(by)
        } else if event.kind == CLICK
            && let Some(row) = list.row_at(event.column, event.row)
        {
            if list.selected() == Some(row) {
                Self::Again
            } else {
                list.select(Some(row));
                Self::Selected
            }
        } else {
            return Self::Ignored;
        };
        cx.redraw();
        did
    }

    /// Whether a row was clicked.
    pub fn clicked(self) -> bool {
        matches!(self, Self::Selected | Self::Again)
    }

    /// Whether it was the list's.
    pub fn taken(self) -> bool {
        self != Self::Ignored
    }
}
