//! Drawing the source pane. Only the lines and columns in view are looked at.

use std::{iter::Peekable, ops::Range};

use base::text::width::truncate_with;
use debugger::{OUTDATED, state::StartKind};

use super::{
    Areas, SourceContent, SourcePane,
    document::{Content, Document},
    marks::{Marks, zero_based},
    page::{no_source, nothing_open},
    places::Places,
    search::Prompt,
    text::{self, SourceText, column_of, stretches},
};
use crate::{
    routes::debug::{
        inline::{InlineValue, comment_mark},
        prelude::*,
        problems,
    },
    theme::{Look, Theme},
    widgets::{
        gutter::{self, Cell, Here, Mark},
        panel::Panel,
        scrollbar::{self, Extent},
        syntax::Piece,
    },
};

/// Cells between a line's end and the values beside it.
const GAP: u16 = 3;
/// Fewest cells in which a value is worth showing.
const LEAST_VALUE: u16 = 8;

impl SourcePane {
    pub(super) fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let look = canvas.look();
        self.areas = Areas::default();
        let document = self.document();
        let title = document.map_or_else(|| "Source".to_owned(), |d| d.title(&canvas.project));
        let right = document.map_or_else(String::new, |d| place(d, self.documents.count()));
        let inner = Panel::new(look, &title)
            .key("1")
            .right(&right)
            .focused(canvas.focused)
            .draw(&mut canvas.cells(), area);
        if inner.is_empty() {
            return;
        }
        let instead = match self.shown {
            SourceContent::Nothing => nothing_open(canvas),
            SourceContent::Frame => no_source(canvas),
            SourceContent::Document => match self.documents.current().map(|d| &d.content) {
                Some(Content::Ready(_)) => return self.draw_document(canvas, inner),
                Some(Content::Failed(error)) => {
                    let mut lines = vec![error.what.clone()];
                    lines.extend(error.hint.clone());
                    lines.push("r tries again, o opens another file".into());
                    lines
                }
                _ => vec!["loading…".into()],
            },
        };
        let lines: Vec<&str> = instead.iter().map(String::as_str).collect();
        empty(canvas, inner, &lines);
    }

    fn draw_document(&mut self, canvas: &Canvas, inner: Rect) {
        let look = canvas.look();
        let Some(document) = self.documents.current_mut() else {
            return;
        };
        let Some(text) = document.text().cloned() else {
            return;
        };
        let mut area = inner;
        let is_newer = document.is_newer();
        if let Some(note) = &document.note {
            let session = canvas.session().filter(|s| s.phase.is_live());
            // What was attached to is not ours to start again.
            let session = session.filter(|s| s.kind == StartKind::Launch);
            let note = match session {
                Some(_) => note.replace(OUTDATED, "changed since the start: R starts it again"),
                None => note.clone(),
            };
            let counts = if is_newer {
                "; line numbers are those of the older text"
            } else {
                ""
            };
            let line = format!("{} {note}{counts}", look.symbols.warning);
            canvas.cut(area.row(0), &line, canvas.theme.warning);
            area = area.below(1);
        }
        if self.prompt.is_open() && area.height > 1 {
            let (above, row) = over_last(area);
            draw_prompt(canvas, row, &mut self.prompt, document);
            area = above;
        }
        let gutter_width = gutter::width(text.len() as u64).min(area.width);
        let scrolls = text.len() > usize::from(area.height) && area.width > gutter_width + 1;
        let columns = area.width - gutter_width - u16::from(scrolls);
        document.settle(usize::from(area.height), usize::from(columns));
        self.areas = Areas {
            gutter: area.first(gutter_width),
            text: area.after(gutter_width).first(columns),
        };
        let marks = Marks::of(document, &canvas.state);
        let values = match marks.frame.or(marks.current) {
            Some(line) if !self.hide_values && !is_newer => {
                self.locals
                    .place(&text, line, comment_mark(&document.title(&canvas.project)))
            }
            _ => BTreeMap::new(),
        };
        let errors = problems::errors(canvas)
            .filter(|one| Some(one.file.as_path()) == document.path())
            .filter_map(|one| Some((zero_based(one.line)?, one.text.as_str())))
            .collect();
        let shown = document.top..(document.top + usize::from(area.height)).min(text.len());
        let file = document.version();
        self.colours.request(&file, &text.content, shown.clone());
        let row = LineView {
            document,
            text: &text,
            marks: &marks,
            places: &self.places,
            values: &values,
            errors,
            focused: canvas.focused
                && !matches!(self.prompt, Prompt::Search(..) | Prompt::Goto(..)),
            look,
        };
        let pieces = self.colours.pieces(&file, shown.clone());
        for ((offset, line), pieces) in (0..area.height).zip(shown).zip(&pieces) {
            let place = area.row(offset);
            let columns = place.after(gutter_width).first(columns);
            let pieces = pieces.as_deref().unwrap_or_default();
            row.draw(
                &mut canvas.cells(),
                place,
                gutter_width,
                columns,
                line,
                pieces,
            );
        }
        if scrolls {
            let extent = Extent {
                top: document.top,
                height: usize::from(area.height),
                len: text.len(),
            };
            let stops = marks
                .breakpoints
                .keys()
                .map(|line| (*line, canvas.theme.breakpoint));
            let here = [marks.frame, marks.current].into_iter().flatten();
            let rows = stops.chain(here.map(|line| (line, canvas.theme.arrow)));
            scrollbar::draw(
                &mut canvas.cells(),
                area,
                extent,
                rows.collect::<Vec<_>>(),
                look,
            );
        }
    }
}

/// What one line needs to be drawn.
struct LineView<'a> {
    document: &'a Document,
    text: &'a SourceText,
    marks: &'a Marks,
    places: &'a Places,
    values: &'a BTreeMap<usize, Vec<InlineValue>>,
    /// What the compiler says.
    errors: BTreeMap<usize, &'a str>,
    focused: bool,
    look: Look<'a>,
}

impl LineView<'_> {
    fn draw(
        &self,
        buffer: &mut Buffer,
        row: Rect,
        gutter_width: u16,
        place: Rect,
        line: usize,
        pieces: &[Piece],
    ) {
        let theme = self.look.theme;
        let here = self.marks.here(line);
        match here {
            Some(Here::Current) => paint::style(buffer, row, theme.current_line),
            Some(Here::Frame) => paint::style(buffer, row, theme.selected_frame_line),
            None => {}
        }
        let breakpoint = self.marks.breakpoints.get(&line);
        let possible = self.places.contains(line).then_some(Mark::Possible);
        let cell = Cell {
            line: Some(line as u64 + 1),
            mark: breakpoint.map(|(mark, ..)| *mark).or(possible),
            hit: breakpoint.is_some_and(|(_, hit, _)| *hit),
            foreign: breakpoint.is_some_and(|(.., foreign)| *foreign),
            here,
        };
        let own = self.document.line == line;
        gutter::draw(buffer, row.first(gutter_width), cell, self.look);
        if own {
            let number = row.after(2).first(gutter_width.saturating_sub(5));
            paint::style(buffer, number, theme.accent);
        }
        let content = self.text.line(line);
        let used = self.draw_text(buffer, place, line, content, pieces);
        if let Some(values) = self.values.get(&line) {
            let room = place.after(used.saturating_add(GAP));
            draw_values(buffer, room, values, self.look);
        }
        if let Some(error) = self.errors.get(&line) {
            let room = place.after(used.saturating_add(GAP));
            let text = format!("{} {}", self.look.symbols.error, sanitise(error));
            self.look.cut(buffer, room, &text, theme.error);
        }
        if own && self.focused {
            let column = column_of(content, self.document.offset);
            if let Some(x) = column
                .checked_sub(self.document.left)
                .filter(|x| *x < usize::from(place.width))
            {
                let cell = place.after(x as u16).first(1);
                paint::style(buffer, cell, Style::new().add_modifier(Modifier::REVERSED));
            }
        }
    }

    /// Draws the columns in view and returns how many cells they took.
    fn draw_text(
        &self,
        buffer: &mut Buffer,
        place: Rect,
        line: usize,
        content: &str,
        pieces: &[Piece],
    ) -> u16 {
        let theme = self.look.theme;
        let (left, wide) = (self.document.left, usize::from(place.width));
        let is_here = self.focused && self.document.line == line;
        let word = is_here.then(|| self.document.word()).flatten();
        let start = self.text.offset(line, 0);
        let found = self.document.search.iter();
        let mut looks = Looks {
            pieces: pieces.iter().peekable(),
            word,
            found: found
                .flat_map(|s| s.within(start..start + content.len()))
                .map(|(range, current)| (range.start - start..range.end - start, current))
                .collect(),
            theme,
        };
        let mut used = 0;
        let mut cut = false;
        for cell in stretches(content, left, wide) {
            let from = cell.column.saturating_sub(left);
            let to = cell.column + cell.width - left;
            let room = place.after(from as u16);
            if cell.column < left {
                // Cut by the left edge: blanks keep every column in its place.
                let (style, _) = looks.at(cell.bytes.start);
                paint::text(buffer, room, &" ".repeat(to), style);
            } else {
                looks.draw(buffer, room, &cell);
            }
            used = to.min(wide);
            cut = to > wide || (to == wide && cell.bytes.end < content.len());
        }
        let ellipsis = self.look.symbols.ellipsis;
        if cut && wide > 0 {
            paint::glyph(buffer, place.right() - 1, place.y, ellipsis, theme.muted);
        }
        if left > 0 && !content.is_empty() && wide > 0 {
            paint::glyph(buffer, place.x, place.y, ellipsis, theme.muted);
            used = used.max(1);
        }
        used as u16
    }
}

/// How the bytes of a line look, from its beginning to its end.
struct Looks<'a> {
    pieces: Peekable<std::slice::Iter<'a, Piece>>,
    /// The name under the cursor.
    word: Option<Range<usize>>,
    /// What was searched, and whether it is the match gone to.
    found: Vec<(Range<usize>, bool)>,
    theme: &'a Theme,
}

impl Looks<'_> {
    /// The look of a byte, and where the next one may begin. Bytes are asked for in order.
    fn at(&mut self, byte: usize) -> (Style, usize) {
        let mut next = usize::MAX;
        // Where `range` begins or ends behind the byte another look may begin.
        let mut covers = |range: &Range<usize>| {
            for edge in [range.start, range.end] {
                if edge > byte {
                    next = next.min(edge);
                }
            }
            range.contains(&byte)
        };
        while self.pieces.next_if(|p| p.range.end <= byte).is_some() {}
        let mut style = match self.pieces.peek() {
            Some(piece) if covers(&piece.range) => piece.token.style(self.theme),
            _ => self.theme.text,
        };
        if self.word.as_ref().is_some_and(&mut covers) {
            style = style.add_modifier(Modifier::UNDERLINED);
        }
        let mut match_style = None;
        for (range, current) in &self.found {
            if covers(range) && match_style.is_none() {
                match_style = Some(if *current {
                    self.theme.search_current
                } else {
                    self.theme.search_match
                });
            }
        }
        (match_style.map_or(style, |found| style.patch(found)), next)
    }

    /// Draws a cell, or a stretch of them, piece by piece.
    fn draw(&mut self, buffer: &mut Buffer, room: Rect, cell: &text::Cell<'_>) {
        let start = cell.bytes.start;
        let mut at = start;
        while at < cell.bytes.end {
            let (style, next) = self.at(at);
            let end = next.min(cell.bytes.end);
            let place = room.after((at - start) as u16);
            match cell.text.get(at - start..end - start) {
                Some(part) if cell.is_plain() => {
                    paint::text(buffer, place, part, style);
                    at = end;
                }
                _ => {
                    paint::text(buffer, room, &cell.text, style);
                    return;
                }
            }
        }
    }
}

/// Draws what fits; where not all of it does, short values come first, for most of them to be read whole.
fn draw_values(buffer: &mut Buffer, room: Rect, values: &[InlineValue], look: Look<'_>) {
    let (theme, ellipsis) = (look.theme, look.symbols.ellipsis);
    let all = usize::from(room.width);
    let mut texts: Vec<_> = values
        .iter()
        .map(|value| {
            // A value of megabytes is not looked at to its end.
            let near: String = value.value.chars().take(all).collect();
            let clean = clean(&near);
            let mark = if value.changed {
                look.symbols.changed
            } else {
                ""
            };
            let around = width(&value.name) + " = ".len() + width(mark);
            (around + width(&clean), around, clean, mark, value)
        })
        .collect();
    let wanted: usize = texts.iter().map(|(cells, ..)| cells + 2).sum();
    if wanted > all + 2 {
        texts.sort_by_key(|(cells, ..)| *cells);
    }
    let (mut used, last, mut is_all) = (0, texts.len().saturating_sub(1), true);
    for (index, (_, around, text, mark, value)) in texts.into_iter().enumerate() {
        let place = room.after(used);
        // Behind one that is not the last, there is room to say that there are more.
        let most = usize::from(place.width).saturating_sub(if index < last { 3 } else { 0 });
        let most = most.saturating_sub(around);
        if place.width < LEAST_VALUE || most < width(&text).min(2) {
            is_all = false;
            continue;
        }
        let style = if value.changed {
            theme.changed_value
        } else {
            theme.inline_value
        };
        let (short, _) = truncate_with(&text, most, ellipsis);
        let text = format!("{} = {short}{mark}", value.name);
        used += paint::text_cut(buffer, place, &text, ellipsis, style) + 2;
    }
    if !is_all && used > 0 {
        paint::text_cut(buffer, room.after(used), ellipsis, "", theme.inline_value);
    }
}

fn draw_prompt(canvas: &Canvas, row: Rect, prompt: &mut Prompt, document: &Document) {
    let search = document.search.as_ref();
    let count = search.map(super::Search::count).unwrap_or_default();
    let is_typed = !matches!(prompt, Prompt::Browse(_));
    let (label, field, found) = match prompt {
        Prompt::None => return,
        Prompt::Search(field, _) | Prompt::Browse(field) => ("/", field, count),
        Prompt::Goto(field, _) => ("line ", field, "number or %, g first".to_owned()),
    };
    let used = canvas.text(row, label, canvas.theme.accent);
    field.draw_finding(canvas, row.after(used), is_typed, "", &found);
}

/// What stands at the right of the title.
fn place(document: &Document, open: usize) -> String {
    let Some(text) = document.text() else {
        return String::new();
    };
    let column = column_of(document.line_text(), document.offset) + 1;
    let made = document.path().map_or("from the adapter · ", |_| "");
    let files = match open {
        0 | 1 => String::new(),
        open => format!("{open} files · "),
    };
    format!(
        "{made}{files}{}:{column} of {}",
        document.line + 1,
        text.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::{Symbols, Theme};

    fn drawn(cells: u16, values: &[(&str, &str, bool)]) -> String {
        let values: Vec<_> = values
            .iter()
            .map(|(name, value, changed)| InlineValue {
                name: (*name).to_owned(),
                value: (*value).to_owned(),
                changed: *changed,
            })
            .collect();
        let room = Rect::new(0, 0, cells, 1);
        let mut buffer = Buffer::empty(room);
        let look = Look {
            theme: &Theme::mono(),
            symbols: &Symbols::ASCII,
        };
        draw_values(&mut buffer, room, &values, look);
        let symbols = buffer.content.iter().map(ratatui::buffer::Cell::symbol);
        symbols.collect::<String>().trim_end().to_owned()
    }

    #[test]
    fn values_take_the_room_that_there_is_and_short_ones_come_first() {
        let long = "a".repeat(100);
        assert_eq!(drawn(120, &[("s", &long, false)]), format!("s = {long}"));
        let values = [
            ("s", long.as_str(), true),
            ("n", "1", false),
            ("total", "17.5", true),
        ];
        let marked = Symbols::ASCII.changed;
        let text = drawn(60, &values);
        assert!(
            text.starts_with(&format!("n = 1  total = 17.5{marked}  s = aaaa")),
            "{text}"
        );
        // The sign of a change is not what is cut.
        assert!(
            text.ends_with(&format!("a{}{marked}", Symbols::ASCII.ellipsis)),
            "{text}"
        );
        assert_eq!(width(&text), 60, "{text}");
        // In their own order where all fit.
        assert!(drawn(160, &values).starts_with("s = aaaa"));
        assert_eq!(
            drawn(12, &values),
            format!("n = 1  {}", Symbols::ASCII.ellipsis)
        );
        assert_eq!(drawn(7, &values), "");
    }
}
