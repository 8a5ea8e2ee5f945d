//! A table: rows and columns, of which only those in sight and a few around them are ever asked for.

use debugger::{
    data::{Column, Content, Query, Table, shown},
    records::RecordedFrame,
};
use serde_json::Value;

use super::{Act, Shows};
use crate::debug_prelude::*;

/// Rows that are asked for together.
pub const CHUNK: u64 = 100;
/// Pages of rows that are kept.
const KEPT: usize = 12;
/// Rows that a screen may have, as far as the width of columns goes.
const SCREEN: usize = 60;
/// Columns that are asked for together.
const WIDE: u64 = 40;
/// Cells of a column.
const WIDTHS: (usize, usize) = (4, 32);
/// Characters in which two texts begin alike before they are left out, and those that are not.
const ALIKE: (usize, usize) = (16, 8);
/// Cells between columns.
pub const GAP: usize = 2;

/// Some rows: what they are called, and their cells.
type Page = Vec<(String, Vec<Value>)>;

/// Rows of a value.
#[derive(Default)]
pub struct Grid {
    /// Rows come at its end: the cursor that is at the last one stays there.
    tail: bool,
    columns: Vec<Column>,
    /// The number of the first of these.
    first_column: u64,
    width: u64,
    total: u64,
    all: u64,
    /// Rows by the number of their page.
    pages: BTreeMap<u64, Page>,
    list: ListState,
    /// The column with the cursor, and the first in sight.
    column: u64,
    left: u64,
    /// What was made wider or narrower, by the number of the column.
    widths: BTreeMap<u64, usize>,
    sort: Option<String>,
    filter: String,
    /// The order and the filter of the rows that are known.
    known: Option<(Option<String>, Option<String>)>,
    /// Rows begin with a sign of what became of them; looking for the next one that differs, so many pages on at most.
    compares: bool,
    seeking: Option<(bool, usize, u64)>,
    /// It looks for the first one that differs, because it was opened.
    opening: bool,
    /// Cells that a column may have at most.
    most: usize,
}

/// Pages that are looked through for the next row that differs.
const SOUGHT: u64 = 50;

impl Grid {
    /// Of rows, or of rows beside others; `tail`: more rows come at its end.
    pub fn new(compares: bool, tail: bool) -> Self {
        Self {
            tail,
            compares,
            seeking: compares.then_some((true, 0, SOUGHT)),
            opening: compares,
            ..Self::default()
        }
    }

    /// Goes on to the next row that differs, as far as rows are known; the first that is not will be asked for.
    fn seek(&mut self) {
        while let Some((next, at, left)) = self.seeking.take() {
            if at >= self.total as usize {
                return self.found(false);
            }
            let differs = self.row(at).map(|(label, _)| !label.starts_with(' '));
            if differs != Some(false) {
                self.list.select(Some(at));
                let left = left.checked_sub(1).filter(|_| differs.is_none());
                self.seeking = left.map(|left| (next, at, left));
                if self.seeking.is_none() {
                    self.found(differs.is_some());
                }
                return;
            }
            let at = if next { at + 1 } else { at.wrapping_sub(1) };
            self.seeking = Some((next, at, left));
        }
    }

    /// It was looked through. One that was opened begins at its beginning, where nothing differs.
    fn found(&mut self, something: bool) {
        if mem::take(&mut self.opening) && !something {
            self.list.select(Some(0));
        }
    }

    /// Whether a page is there, with all rows that it has by now.
    fn has(&self, page: u64) -> bool {
        let most = self.total.saturating_sub(page * CHUNK).min(CHUNK);
        let rows = self.pages.get(&page);
        rows.is_some_and(|rows| !self.tail || rows.len() as u64 >= most)
    }

    fn len(&self) -> usize {
        usize::try_from(self.total).unwrap_or(usize::MAX)
    }

    fn row(&self, at: usize) -> Option<&(String, Vec<Value>)> {
        let at = at as u64;
        self.pages.get(&(at / CHUNK))?.get((at % CHUNK) as usize)
    }

    /// Rows that are in sight or will be.
    fn near(&self) -> impl Iterator<Item = &(String, Vec<Value>)> {
        let top = self.list.top();
        (top..top + SCREEN).filter_map(|row| self.row(row))
    }

    /// Columns that are known, from one on, with their numbers and their places in rows.
    fn columns_from(&self, from: u64) -> impl Iterator<Item = (u64, usize, &Column)> {
        let columns = self.columns.iter().enumerate();
        let numbered = columns.map(|(at, column)| (self.first_column + at as u64, at, column));
        numbered.filter(move |(number, ..)| *number >= from)
    }

    fn name(&self) -> Option<&str> {
        let mut columns = self.columns_from(self.column);
        columns.next().map(|(_, _, column)| column.name.as_str())
    }

    /// Cells of a column: what its title and the rows in sight need.
    fn wide(&self, number: u64, at: usize, column: &Column) -> usize {
        if let Some(own) = self.widths.get(&number) {
            return *own;
        }
        let rows = self.near();
        let cells = rows
            .filter_map(|(_, cells)| Some(width(&sanitise(&in_short(cells.get(at)?)))))
            .max();
        // Room for the sign of its order.
        let title = width(&column.name) + 2;
        cells
            .unwrap_or(0)
            .max(title)
            .clamp(WIDTHS.0, self.most.max(WIDTHS.1))
    }

    fn labels(&self) -> usize {
        let labels = self.near().map(|(label, _)| width(label));
        labels.max().unwrap_or(1).clamp(1, 20)
    }

    /// The columns in sight: numbers, places in rows and cells.
    fn in_sight(&self, cells: usize) -> Vec<(u64, usize, usize)> {
        let mut room = cells;
        let mut seen = Vec::new();
        for (number, at, column) in self.columns_from(self.left) {
            let wide = self.wide(number, at, column);
            if room == 0 || (!seen.is_empty() && wide + GAP > room) {
                break;
            }
            seen.push((number, at, wide.min(room)));
            room = room.saturating_sub(wide + GAP);
        }
        seen
    }

    fn draw_title(&self, canvas: &Canvas, row: Rect, sight: &[(u64, usize, usize)]) {
        let [up, down] = if canvas.symbols.unicode {
            [" ▲", " ▼"]
        } else {
            [" ^", " v"]
        };
        let mut cells = canvas.cells_at(row);
        cells.skip(self.labels() + GAP);
        for (number, at, wide) in sight {
            let Some(column) = self.columns.get(*at) else {
                continue;
            };
            let order = match self.sort.as_deref() {
                Some(name) if name == column.name => up,
                Some(name) if name.strip_prefix('-') == Some(&column.name) => down,
                _ => "",
            };
            let style = if *number == self.column {
                canvas.theme.selection
            } else {
                canvas.theme.title
            };
            let name = cut(&column.name, wide.saturating_sub(width(order)), canvas);
            cells
                .column(&format!("{name}{order}"), *wide, style)
                .skip(GAP);
        }
        cells.draw(canvas, row);
    }

    fn foot(&self) -> String {
        let column = self.columns_from(self.column).next();
        let column = column.map_or_else(String::new, |(_, _, c)| {
            format!("{} {}", c.name, c.type_name)
        });
        let at = thousands(self.list.selected().map_or(0, |row| row as u64 + 1));
        let rows = thousands(self.total);
        let hidden = match self.all.saturating_sub(self.total) {
            0 => String::new(),
            hidden => format!(", {} hidden", thousands(hidden)),
        };
        let number = self.column + 1;
        format!(
            "row {at} of {rows}{hidden}   column {number} of {}: {column}",
            self.width
        )
    }
}

impl Shows for Grid {
    fn wants(&mut self) -> Option<Query> {
        let order = self.order();
        if self.known.as_ref().is_some_and(|known| *known != order) {
            self.pages.clear();
        }
        let first = self.known.is_none();
        let columns = if self.columns.is_empty() {
            0
        } else {
            self.left
        };
        let start = columns.saturating_sub(WIDE / 4);
        let end = self.first_column + self.columns.len() as u64;
        let has = self.left >= self.first_column
            && (self.column.max(self.left + 1) < end || end >= self.width);
        if !first && !has {
            self.pages.clear();
        }
        let mut sight = self.list.visible();
        if let Some(row) = self.list.selected().filter(|row| !sight.contains(row)) {
            sight = row.saturating_sub(sight.len())..row + 1;
        }
        let pages = sight.start as u64 / CHUNK..=sight.end.saturating_sub(1) as u64 / CHUNK;
        let is_order = self.known.as_ref() == Some(&order);
        let wanted = pages.into_iter().find(|page| {
            let inside = !is_order || *page * CHUNK < self.total.max(1);
            inside && !self.has(*page)
        })?;
        Some(Query {
            rows: (wanted * CHUNK, (wanted + 1) * CHUNK),
            columns: (start, start + WIDE + WIDE / 4),
            sort: order.0,
            filter: order.1,
            ..Query::default()
        })
    }

    fn take(&mut self, asked: &Query, content: &Content) {
        let Content::Table(Table {
            columns,
            first_column,
            width,
            first,
            total,
            all,
            labels,
            rows,
        }) = content
        else {
            return;
        };
        let order = (asked.sort.clone(), asked.filter.clone());
        if order != self.order() {
            return;
        }
        if self.known.as_ref() != Some(&order)
            || self.first_column != *first_column
            || self.columns.len() != columns.len()
        {
            self.pages.clear();
        }
        let number = asked.rows.0.max(*first) / CHUNK;
        // Rows that went at the beginning, or came between others, move all.
        let was = self.pages.get(&number).and_then(|page| page.first());
        let moved = was.map(|(label, _)| label) != labels.first() || order != (None, None);
        if self.tail && self.total != 0 && moved && was.is_some() {
            self.pages.clear();
        }
        let at_end = self
            .list
            .selected()
            .is_none_or(|row| row as u64 + 1 >= self.total);
        self.known = Some(order);
        self.columns.clone_from(columns);
        (self.first_column, self.width, self.total, self.all) =
            (*first_column, *width, *total, *all);
        if self.tail && at_end {
            self.list.end(self.len());
        } else {
            self.list.begin();
        }
        let labels = labels.iter().map(|label| clean(label));
        let page = labels.zip(rows.iter().cloned()).collect();
        self.pages.insert(number, page);
        self.seek();
        // Those that are the farthest away are forgotten first.
        while self.pages.len() > KEPT {
            let ends = [self.pages.keys().next(), self.pages.keys().next_back()];
            let ends = ends.into_iter().flatten();
            let farthest = ends.max_by_key(|page| page.abs_diff(number)).copied();
            farthest.and_then(|page| self.pages.remove(&page));
        }
    }

    fn refused(&mut self) -> bool {
        let order = self.order();
        let Some((sort, filter)) = self.known.clone().filter(|known| *known != order) else {
            return false;
        };
        (self.sort, self.filter) = (sort, filter.unwrap_or_default());
        true
    }

    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let cells = usize::from(area.width).saturating_sub(self.labels() + GAP);
        self.most = (cells / self.columns.len().max(1)).saturating_sub(GAP);
        // The cursor stays in sight.
        let is_beyond = |s: &Self| {
            s.in_sight(cells)
                .last()
                .is_some_and(|(last, ..)| *last < s.column)
        };
        while self.column > self.left && is_beyond(self) {
            self.left += 1;
        }
        self.left = self.left.min(self.column);
        let sight = self.in_sight(cells);
        self.draw_title(canvas, area.row(0), &sight);
        let foot = area.height > 4;
        let rows = area.height.saturating_sub(1 + u16::from(foot));
        let rows = top(area.below(1), rows);
        let labels = self.labels();
        let mut list = mem::take(&mut self.list);
        list_of(canvas, self.len()).cells(canvas, rows, &mut list, |at, line| {
            let Some((label, row)) = self.row(at) else {
                line.muted(canvas.symbols.ellipsis);
                return;
            };
            let sign = label.bytes().next().filter(|_| self.compares);
            let whole = match sign {
                Some(b'~') => Some(canvas.theme.changed_value),
                Some(b'+') => Some(canvas.theme.success),
                Some(b'-') => Some(canvas.theme.error),
                _ => None,
            };
            let style = whole.unwrap_or(canvas.theme.line_number);
            line.column(label, labels, style).skip(GAP);
            // Lines of two texts, which may begin alike for longer than there is room.
            let same = match (sign, row.as_slice()) {
                (Some(b'~'), [Value::String(was), Value::String(now)]) => alike(was, now),
                _ => 0,
            };
            for (_, place, wide) in &sight {
                let Some(cell) = row.get(*place) else {
                    continue;
                };
                let mut text = in_short(cell);
                // Whole where the column was made wide enough.
                if cell.is_f64() && width(&shown(cell)) <= *wide && text.ends_with('…') {
                    text = shown(cell);
                }
                let rest = text
                    .get(same..)
                    .filter(|_| same > 0 && width(&text) > *wide);
                let rest = rest.map(|rest| format!("{}{rest}", canvas.symbols.ellipsis));
                let text = cut(rest.as_deref().unwrap_or(&text), *wide, canvas);
                let (style, right) = match cell {
                    Value::Object(fields) if fields.contains_key("was") => {
                        (canvas.theme.changed_value, false)
                    }
                    _ if sign.is_some_and(|sign| sign != b' ' && sign != b'~') => {
                        (whole.unwrap_or_default(), cell.is_number())
                    }
                    Value::Number(_) => (canvas.theme.number, true),
                    Value::String(_) => (canvas.theme.text, false),
                    Value::Bool(_) => (canvas.theme.info, false),
                    _ => (canvas.theme.muted, false),
                };
                let text = if cell.is_null() { "none" } else { &text };
                if right {
                    line.skip(wide.saturating_sub(width(text)));
                    line.put(text, style).skip(GAP);
                } else {
                    line.column(text, *wide, style).skip(GAP);
                }
            }
        });
        self.list = list;
        if foot {
            let row = area.row(area.height - 1);
            cut_line(canvas, row, &self.foot(), canvas.theme.muted);
        }
    }

    fn scrolled(&mut self) -> Scrolled<'_> {
        let len = self.len();
        Scrolled::Rows(&mut self.list, len)
    }

    fn sideways(&mut self, by: isize) {
        let last = self.width.saturating_sub(1);
        self.column = self.column.saturating_add_signed(by as i64).min(last);
        self.left = self.left.min(self.column);
    }

    fn can(&self, act: Act) -> bool {
        let can = match act {
            Act::Sort | Act::Widen(_) => true,
            Act::Match(_) => self.compares,
            _ => false,
        };
        can && !self.columns.is_empty()
    }

    fn act(&mut self, act: Act) {
        let Some(name) = self.name().map(str::to_owned) else {
            return;
        };
        match act {
            Act::Sort => {
                let down = format!("-{name}");
                self.sort = match self.sort.take() {
                    Some(old) if old == name => Some(down),
                    Some(old) if old == down => None,
                    _ => Some(name),
                };
                self.list.select(Some(0));
            }
            Act::Widen(by) => {
                let now = self.columns_from(self.column).next();
                let now = now.map_or(0, |(number, at, column)| self.wide(number, at, column));
                let wide = now.saturating_add_signed(by.into()).clamp(WIDTHS.0, 200);
                self.widths.insert(self.column, wide);
            }
            Act::Match(next) => {
                let at = self.list.selected().unwrap_or(0);
                let at = if next { at + 1 } else { at.wrapping_sub(1) };
                (self.seeking, self.opening) = (Some((next, at, SOUGHT)), false);
                self.seek();
            }
            _ => {}
        }
    }

    fn narrow(&mut self, text: &str) {
        text.clone_into(&mut self.filter);
        self.list.select(Some(0));
    }

    fn narrowed(&self) -> Option<&str> {
        Some(&self.filter)
    }

    fn order(&self) -> (Option<String>, Option<String>) {
        let filter = Some(self.filter.clone()).filter(|filter| !filter.is_empty());
        (self.sort.clone(), filter)
    }

    fn stack(&self) -> Option<Vec<RecordedFrame>> {
        let (_, cells) = self.row(self.list.selected()?)?;
        let frames = cells.iter().find_map(|cell| cell.get("frames"))?;
        serde_json::from_value(frames.clone()).ok()
    }

    fn column(&self) -> Option<String> {
        let number = self.columns_from(self.column).next().map(|(_, at, _)| at)?;
        let cells = self
            .pages
            .values()
            .flatten()
            .filter_map(|(_, row)| row.get(number));
        let is_numeric = cells.take(20).any(Value::is_number);
        self.name().filter(|_| is_numeric).map(str::to_owned)
    }
}

/// Bytes at the beginnings of two texts that are left out, so that what differs is seen: all but a little, where both begin alike for long.
fn alike(was: &str, now: &str) -> usize {
    let both = was.char_indices().zip(now.chars());
    let same = both.take_while(|((_, a), b)| a == b);
    let same: Vec<_> = same.map(|((at, _), _)| at).collect();
    let left_out = same
        .len()
        .checked_sub(ALIKE.1)
        .filter(|_| same.len() > ALIKE.0);
    left_out.and_then(|at| same.get(at)).copied().unwrap_or(0)
}

/// What a cell shows: of a number as much as a person compares, also of one beside another.
pub fn in_short(cell: &Value) -> Cow<'_, str> {
    if let Some((was, now)) = cell.get("was").zip(cell.get("now")) {
        let (was, now) = (in_short(was), in_short(now));
        let same = alike(&was, &now);
        let [was, now] = [&was, &now].map(|text| match text.get(same..).filter(|_| same > 0) {
            Some(rest) => format!("…{rest}"),
            None => text.to_string(),
        });
        return format!("{was} → {now}").into();
    }
    match cell.as_f64().filter(|_| cell.is_f64()) {
        Some(number) => {
            let mut short = short_number(number);
            if short.parse() != Ok(number) {
                short.push('…');
            }
            short.into()
        }
        None => shown(cell),
    }
}

/// A number in few characters.
pub fn short_number(number: f64) -> String {
    let size = number.abs();
    if number.fract() == 0.0 && size < 1e9 {
        format!("{number:.0}")
    } else if (1e-3..1e9).contains(&size) {
        let digits = format!("{number:.4}");
        let digits = digits.trim_end_matches('0');
        digits.trim_end_matches('.').to_owned()
    } else {
        format!("{number:.3e}")
    }
}
