//! What the data panes and popups share: table rows, lines built within a width, empty panes, a text field.
//!
//! Text that is not ours goes through [`cut`] or [`Cells`], where it is sanitised and kept to the width it has.

pub mod field;
pub mod filter;
pub mod form;
pub mod fuzzy;
pub mod navigation;
pub mod notes;
pub mod picker;
pub mod picking;
pub mod prelude;
pub mod question;

use base::text::{
    sanitise::{sanitise, sanitise_block},
    width::{is_plain, truncate_with, width, wrap},
};
use crossterm::event::{MouseEvent, MouseEventKind};
use dap::types::Capabilities;
use debugger::{Command, DebuggerError, Phase, SessionId, Stop};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    action::{Enabled, View},
    kit::asks::OrWhy,
    routes::debug::layout::Pane,
    widgets::{
        paint::{self, head},
        panel::Panel,
        popup,
    },
};

pub use super::variables::panel::HasTree;
pub use field::Field;
pub use filter::Filter;
pub(crate) use filter::narrows_of;
pub use form::{Form, Item};
pub(crate) use navigation::rolls;
pub use navigation::{Mouse, Scrolls, Step, Walks, through_matches};
pub use question::Asking;
pub(crate) use question::answers_of;

/// Whether the adapter of the focused session can do something; before it has said so, whether it may be hoped.
pub fn able_to(view: &View<'_>, has: fn(&Capabilities) -> bool, lack: &'static str) -> Enabled {
    let session = view.session();
    let told = session.filter(|s| s.phase.is_live() && s.phase != Phase::Initializing);
    told.is_none_or(|s| has(&s.capabilities)).or_why(lack)
}

/// What is typed, pasted and clicked in a surface goes to this part of it; what is typed takes away what went `$wrong` before.
macro_rules! input_of {
    ($part:ident $(, $wrong:ident)?) => {
        fn wants_text(&self) -> bool {
            self.$part.wants_text()
        }

        fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
            let mine = self.$part.on_text(key, cx);
            $(if mine {
                self.$wrong = None;
            })?
            mine
        }

        fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
            self.$part.on_paste(text, cx)
        }

        fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
            self.$part.on_mouse(event, cx)
        }
    };
}
pub(crate) use input_of;

/// A pane is drawn into cells alone, by its `draw`.
macro_rules! draws {
    () => {
        fn fill(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
            self.draw(buf, area, view);
        }
    };
}
pub(crate) use draws;

/// What the core says to a command.
pub type CoreAnswer = Result<debugger::Reply, DebuggerError>;

/// What went wrong, and what to do about it.
pub fn with_hint(error: &DebuggerError) -> String {
    match &error.hint {
        Some(hint) => format!("{} {hint}", error.what),
        None => error.what.clone(),
    }
}

/// Asks what an expression comes to in the selected frame.
pub fn evaluate(
    session: Option<SessionId>,
    expression: impl Into<String>,
    context: &str,
) -> Command {
    Command::Evaluate {
        session,
        frame_id: None,
        expression: expression.into(),
        context: context.to_owned(),
    }
}

/// What an empty pane says of a program that does not stand still; `none` before there was one.
pub fn not_stopped(
    phase: Option<Phase>,
    none: &'static str,
    running: &'static str,
) -> Option<[&'static str; 2]> {
    match phase {
        None | Some(Phase::NotStarted) => Some([none, "F5 starts a program"]),
        Some(Phase::Terminated) => Some(["The session has ended", "F5 starts it again"]),
        Some(Phase::Stopped) => None,
        Some(_) => Some(["The program is running", running]),
    }
}

/// A count beside a title; none is not said.
pub fn badge<N: Copy + Default + PartialEq + ToString>(count: N) -> String {
    if count == N::default() {
        return String::new();
    }
    count.to_string()
}

/// Draws the frame of a pane with a title, a count beside it and a remark at the right; gives what is inside. What is too
/// small for a frame is all inside.
pub fn panel(
    buf: &mut Buffer,
    area: Rect,
    title: &str,
    badge: &str,
    right: &str,
    view: &View<'_>,
) -> Rect {
    let area = area.intersection(buf.area);
    if area.width < 6 || area.height < 3 {
        return area;
    }
    let key = Pane::ALL
        .iter()
        .find(|p| p.name() == title)
        .map(|p| p.key());
    Panel::new(view.look(), title)
        .key(key.unwrap_or_default())
        .badge(badge)
        .right(right)
        .focused(view.focused)
        .draw(buf, area)
}

/// Clears a box in the middle of `area` for a popup with `size` cells of content and draws its frame; gives what is inside.
pub fn dialog(
    buf: &mut Buffer,
    area: Rect,
    size: (u16, u16),
    title: &str,
    right: &str,
    view: &View<'_>,
) -> Rect {
    let place = popup::centred(area, size.0.saturating_add(4), size.1.saturating_add(2));
    boxed(buf, place, title, right, view)
}

/// The same in a place of its own.
pub fn boxed(buf: &mut Buffer, place: Rect, title: &str, right: &str, view: &View<'_>) -> Rect {
    let panel = Panel::new(view.look(), title).right(right);
    let inner = popup::draw(buf, place, panel, view.look());
    // A blank cell at both sides lets the text breathe.
    Rect {
        x: inner.x + u16::from(inner.width > 2),
        width: inner.width.saturating_sub(2),
        ..inner
    }
}

/// What all of these begin with.
pub fn common_prefix<'a>(mut texts: impl Iterator<Item = &'a str>) -> &'a str {
    let first = texts.next().unwrap_or_default();
    texts.fold(first, |common, text| {
        let mut both = common.char_indices().zip(text.chars());
        let differs = both.find(|((_, a), b)| a != b);
        let least = common.len().min(text.len());
        let end = differs.map_or(least, |((at, _), _)| at);
        common.get(..end).unwrap_or_default()
    })
}

/// The last part of a path, as any system writes it.
pub fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The last stop of the session in focus.
pub fn stop_of<'a>(view: &View<'a>) -> Option<&'a Stop> {
    view.session()?.stop.as_ref()
}

/// One foreign line, made safe and cut to a width.
pub fn cut(text: &str, cells: usize, view: &View<'_>) -> String {
    if text.len() <= cells && is_plain(text) {
        return text.to_owned();
    }
    // A value may be megabytes: what is far beyond the width is not looked at.
    let safe = sanitise(head(text, cells));
    let (fits, _) = truncate_with(&safe, cells, view.symbols.ellipsis);
    fits.into_owned()
}

/// Foreign text, made safe, in lines of at most `cells`.
pub fn wrapped(text: &str, cells: usize) -> Vec<String> {
    let clean = sanitise_block(text);
    let pieces = clean.split('\n').flat_map(|line| {
        let pieces = wrap(line, cells.max(1)).into_iter();
        pieces.filter_map(move |piece| line.get(piece))
    });
    pieces.map(str::to_owned).collect()
}

/// Blanks as wide as gaps are.
const BLANKS: &str = "                                ";

/// Builds one line within a width: columns from the left, a remark at the right, never more cells than there are.
pub struct Cells<'v> {
    /// Where its looks come from.
    pub view: View<'v>,
    spans: Vec<Span<'static>>,
    room: usize,
    right: Option<Span<'static>>,
}

impl<'v> Cells<'v> {
    /// A line of `cells`.
    pub fn new(cells: impl Into<usize>, view: &View<'v>) -> Self {
        Self {
            view: *view,
            spans: Vec::new(),
            room: cells.into(),
            right: None,
        }
    }

    /// Cells left.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Text, cut with an ellipsis where the line ends.
    pub fn put(&mut self, text: &str, style: Style) -> &mut Self {
        let text = cut(text, self.room, &self.view);
        self.room -= width(&text).min(self.room);
        self.spans.push(Span::styled(text, style));
        self
    }

    /// Text in a column `cells` wide.
    pub fn column(&mut self, text: &str, cells: usize, style: Style) -> &mut Self {
        let cells = cells.min(self.room);
        let mut text = cut(text, cells, &self.view);
        let blank = cells.saturating_sub(width(&text));
        text.extend(std::iter::repeat_n(' ', blank));
        self.room -= cells;
        self.spans.push(Span::styled(text, style));
        self
    }

    /// Empty cells.
    pub fn skip(&mut self, cells: usize) -> &mut Self {
        match BLANKS.get(..cells.min(self.room)) {
            Some(blanks) => {
                self.room -= blanks.len();
                self.spans.push(Span::raw(blanks));
                self
            }
            None => self.column("", cells, Style::new()),
        }
    }

    /// Text at the end of the line, if it fits with two cells to spare; what is put later ends before it.
    pub fn right(&mut self, text: &str, style: Style) -> &mut Self {
        let text = cut(text, usize::MAX / 64, &self.view);
        let cells = width(&text);
        if cells > 0 && cells + 2 <= self.room && self.right.is_none() {
            self.room -= cells + 1;
            self.right = Some(Span::styled(text, style));
        }
        self
    }

    /// The line.
    pub fn line(&mut self) -> Line<'static> {
        let mut spans = std::mem::take(&mut self.spans);
        if let Some(right) = self.right.take() {
            spans.push(Span::raw(" ".repeat(self.room + 1)));
            spans.push(right);
        }
        Line::from(spans)
    }

    /// Draws the line; gives the cells that it took.
    pub fn draw(&mut self, buf: &mut Buffer, place: Rect) -> u16 {
        paint::line(buf, place, &self.line(), 0)
    }
}

/// Text that is safe, over the rows of its place as far as they go.
pub fn flow(buf: &mut Buffer, place: Rect, text: &str, style: Style) {
    let lines = wrap(text, usize::from(place.width).max(1));
    for (row, range) in (0..place.height).zip(lines) {
        paint::text(
            buf,
            paint::row(place, row),
            text.get(range).unwrap_or_default(),
            style,
        );
    }
}

/// One line, cut with an ellipsis where its place ends.
pub fn cut_line(buf: &mut Buffer, place: Rect, text: &str, style: Style, view: &View<'_>) {
    Cells::new(place.width, view)
        .put(text, style)
        .draw(buf, place);
}

/// Text of an empty pane: what is (not) here, and the next key to press; each line in the middle, in rows of its own where it is
/// too long for one.
pub fn empty(buf: &mut Buffer, area: Rect, lines: &[&str], view: &View<'_>) {
    let area = area.intersection(buf.area);
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let near = |line| {
        sanitise(head(
            line,
            width.saturating_mul(height).saturating_add(width),
        ))
    };
    let clean: Vec<_> = lines.iter().map(|line| near(line)).collect();
    let broken = clean.iter().enumerate().flat_map(|(index, line)| {
        let rows = wrap(line, width);
        rows.into_iter()
            .map(move |row| (index, line.get(row).unwrap_or_default().trim_end()))
    });
    // No more than can be shown is broken up; where that is too little, each line says as much as one row does.
    let mut rows: Vec<(usize, &str)> = broken.take(height + 1).collect();
    if rows.len() > height {
        rows = clean.iter().map(AsRef::as_ref).enumerate().collect();
    }
    let top = height.saturating_sub(rows.len()) / 2;
    for ((index, text), row) in rows.into_iter().zip(top..height) {
        let style = view.theme.text_if(index == 0);
        let text = cut(text, width, view);
        let place = paint::row(area, row as u16);
        Line::styled(text, style).centered().render(place, buf);
    }
}

/// Rows that a turn of the wheel moves by.
pub fn wheel(event: &MouseEvent) -> Option<isize> {
    match event.kind {
        MouseEventKind::ScrollUp => Some(-3),
        MouseEventKind::ScrollDown => Some(3),
        _ => None,
    }
}

#[cfg(test)]
pub mod test;
