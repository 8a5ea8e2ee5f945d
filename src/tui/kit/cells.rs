//! Lines built within a width, and what an empty place says. Foreign text goes through [`cut`] or [`Cells`], where it is made safe and kept to
//! the width it has.

use base::text::width::{is_plain, truncate_with};
use ratatui::widgets::Widget as _;

use crate::{action::prelude::*, widgets::paint::head};

/// One foreign line, made safe and cut to a width.
pub fn cut(text: &str, cells: usize, view: &View) -> String {
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
pub struct Cells {
    /// Where its looks come from.
    pub view: View,
    spans: Vec<Span<'static>>,
    room: usize,
    right: Option<Span<'static>>,
}

impl Cells {
    /// A line of `cells`.
    pub fn new(cells: impl Into<usize>, view: &View) -> Self {
        Self {
            view: view.clone(),
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
        let mut spans = mem::take(&mut self.spans);
        if let Some(right) = self.right.take() {
            spans.push(Span::raw(" ".repeat(self.room + 1)));
            spans.push(right);
        }
        Line::from(spans)
    }

    /// Draws the line; gives the cells that it took.
    pub fn draw(&mut self, canvas: &Canvas, place: Rect) -> u16 {
        canvas.line(place, &self.line(), 0)
    }
}

impl Canvas {
    /// A line of cells as wide as a place.
    pub fn cells_at(&self, place: Rect) -> Cells {
        Cells::new(place.width, self)
    }

    /// A rule from end to end of a place.
    pub fn rule(&self, place: Rect) {
        self.cells_at(place)
            .rule(place.width.into())
            .draw(self, place);
    }
}

/// One line, cut with an ellipsis where its place ends.
pub fn cut_line(canvas: &Canvas, place: Rect, text: &str, style: Style) {
    canvas.cells_at(place).put(text, style).draw(canvas, place);
}

/// Text of an empty pane: what is (not) here, and the next key to press; each line in the middle, in rows of its own where it is
/// too long for one.
pub fn empty(canvas: &Canvas, area: Rect, lines: &[&str]) {
    let area = area.intersection(canvas.screen());
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
        let style = canvas.theme.text_if(index == 0);
        let text = cut(text, width, canvas);
        let place = area.row(row as u16);
        Line::styled(text, style)
            .centered()
            .render(place, &mut canvas.cells());
    }
}

/// Text that is safe, over the rows of its place as far as they go.
pub fn flow(canvas: &Canvas, place: Rect, text: &str, style: Style) {
    let lines = wrap(text, usize::from(place.width).max(1));
    for (row, range) in (0..place.height).zip(lines) {
        canvas.text(place.row(row), text.get(range).unwrap_or_default(), style);
    }
}
