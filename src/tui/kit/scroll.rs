//! What keys, the wheel and clicks move: the rows of a list, or a text.

use super::mouse::CLICK;
use crate::action::prelude::*;

/// What is moved now.
pub enum Scrolled<'a> {
    /// A list, and how many rows it has.
    Rows(&'a mut ListState, usize),
    Text(&'a mut TextView),
    /// Nothing.
    Nothing,
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// By rows or lines; down is positive.
    Rows(isize),
    /// By pages: as many rows as are in sight, less one for the eye to hold on to.
    Pages(isize),
    First,
    Last,
}

impl Step {
    /// Rows to move by, of which `page` are a page; to the ends it is as far as one can go.
    pub fn rows(self, page: usize) -> isize {
        match self {
            Self::Rows(by) => by,
            Self::Pages(by) => page.saturating_sub(1).max(1) as isize * by,
            Self::First => isize::MIN,
            Self::Last => isize::MAX,
        }
    }

    /// Whether it is up by rows or pages.
    pub fn is_back(self) -> bool {
        matches!(self, Self::Rows(..0) | Self::Pages(..0))
    }
}

impl Scrolled<'_> {
    /// Moves the selection, or the text.
    pub fn walk(self, step: Step) {
        match (self, step) {
            (Self::Rows(list, len), Step::Rows(by)) => list.move_by(by, len),
            (Self::Rows(list, len), Step::Pages(by)) => list.page_by(by, len),
            (Self::Rows(list, len), Step::First) => list.home(len),
            (Self::Rows(list, len), Step::Last) => list.end(len),
            (Self::Text(text), Step::Rows(by)) => text.scroll_by(by),
            (Self::Text(text), Step::Pages(by)) => text.page_by(by),
            (Self::Text(text), Step::First) => text.home(),
            (Self::Text(text), Step::Last) => text.end(),
            (Self::Nothing, _) => {}
        }
    }

    /// As a wheel does: the selection stays.
    pub fn scroll_by(self, by: isize) {
        match self {
            Self::Rows(list, len) => list.scroll_by(by, len),
            Self::Text(text) => text.scroll_by(by),
            Self::Nothing => {}
        }
    }
}

/// A screen in which something is moved. What it says itself is [`Scrolls::scrolled`]; the rest follows, unless moving means
/// more than moving there.
pub trait Scrolls {
    /// What is moved now.
    fn scrolled(&mut self) -> Scrolled<'_> {
        Scrolled::Nothing
    }

    /// Whether there is a row to be at.
    fn can_walk(&self, _view: &View) -> Enabled {
        Ok(())
    }

    /// Moves.
    fn walk(&mut self, step: Step, _cx: &Cx) {
        self.scrolled().walk(step);
    }

    /// By the wheel, turned at a place.
    fn roll(&mut self, _at: (u16, u16), by: isize, _cx: &Cx) {
        self.scrolled().scroll_by(by);
    }

    /// The rows that can be clicked, also while keys move something else.
    fn listed(&mut self) -> Scrolled<'_> {
        self.scrolled()
    }

    /// A row was clicked; `again` = it was selected before.
    fn clicked(&mut self, _again: bool, _cx: &Cx) {}

    /// Something was clicked; false = nothing that is ours.
    fn click(&mut self, (column, row): (u16, u16), cx: &Cx) -> bool {
        let Scrolled::Rows(list, _) = self.listed() else {
            return false;
        };
        let Some(at) = list.row_at(column, row) else {
            return false;
        };
        let again = list.selected() == Some(at);
        list.select(Some(at));
        self.clicked(again, cx);
        true
    }

    /// Takes a mouse event; false = not ours.
    fn pointed(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let at = (event.column, event.row);
        match event.kind {
            MouseEventKind::ScrollUp => self.roll(at, -3, cx),
            MouseEventKind::ScrollDown => self.roll(at, 3, cx),
            CLICK if self.click(at, cx) => {}
            _ => return false,
        }
        cx.redraw();
        true
    }
}

/// What is moved: a list, of so many rows, or a text.
macro_rules! moves {
    (text $text:ident) => {
        fn scrolled(&mut self) -> $crate::kit::scroll::Scrolled<'_> {
            $crate::kit::scroll::Scrolled::Text(&mut self.$text)
        }
    };
    ($list:ident, $($len:tt)+) => {
        fn scrolled(&mut self) -> $crate::kit::scroll::Scrolled<'_> {
            $crate::kit::scroll::Scrolled::Rows(&mut self.$list, self.$($len)+)
        }
    };
}

/// The mouse moves what a popup's [`Scrolls`] says.
macro_rules! rolls {
    () => {
        fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
            self.pointed(event, cx)
        }
    };
}
pub(crate) use {moves, rolls};

impl ListState {
    /// Takes a key that moves, where no table of actions does: arrows, pages, and `j` and `k` where nothing is typed.
    pub fn key(&mut self, key: KeyEvent, len: usize) -> bool {
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => self.move_by(-1, len),
            KeyCode::Down | KeyCode::Char('j') => self.move_by(1, len),
            KeyCode::PageUp => self.page_by(-1, len),
            KeyCode::PageDown => self.page_by(1, len),
            _ => return false,
        }
        true
    }

    /// Selects what `is_it` says of rows that were listed anew, else the first.
    pub fn reselect<T>(&mut self, rows: &[T], is_it: impl FnMut(&T) -> bool) {
        let at = rows.iter().position(is_it).unwrap_or(0);
        self.select((!rows.is_empty()).then_some(at));
    }
}

/// The one that is `by` places behind `now` in a ring, or before it.
pub fn beside<T: Copy + PartialEq>(ring: &[T], now: T, by: isize) -> T {
    let at = ring.iter().position(|one| *one == now).unwrap_or(0);
    let next = (at as isize + by).rem_euclid(ring.len().max(1) as isize);
    ring.get(next as usize).copied().unwrap_or(now)
}

/// All rows once, from the one after `from` on (or, `back`, the one before it) and around the ends; `from` itself comes last.
pub fn around(len: usize, from: usize, back: bool) -> impl Iterator<Item = usize> {
    (1..=len).map(move |step| {
        let step = if back { len - step } else { step };
        (from + step) % len
    })
}

/// Whether a key leaves what is typed.
pub fn leaves(key: KeyEvent) -> bool {
    key.code == KeyCode::Esc || is_control(key, 'c')
}

/// Whether a key is this letter with Control.
pub fn is_control(key: KeyEvent, letter: char) -> bool {
    key.code == KeyCode::Char(letter) && key.modifiers.contains(KeyModifiers::CONTROL)
}

/// What the footer shows while a search is typed that may be an expression.
pub const SEARCHING: TypingKeys = &[
    ("Enter", "search"),
    ("Ctrl-R", "regex or text"),
    ("Esc", "leave"),
];
