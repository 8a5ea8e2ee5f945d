//! Draws the route: who it is, how it went lately, and one table.

use base::text::width::truncate_path;
use diagnostics::{
    memory::{
        Figures,
        heap::{Heap, text::headline},
        text::{change, grown, measures},
    },
    system::text::bytes,
};

use super::{
    MemoryRoute,
    model::{HeapFile, Process, Subject},
    table::{Cell, Tab},
};
use crate::kit::{notes, prelude::*};

/// Rows of a chart.
const CHART: u16 = 4;
/// From this height on there is room for charts.
const TALL: u16 = 20;
/// Cells that a name gets at least before columns are left out.
const NAME: usize = 22;
/// Cells that a name gets at most.
const WIDEST: usize = 100;
/// Rows that a sentence above the tables gets at most.
const ROWS: u16 = 2;
/// From this height on a sentence above the tables gets them.
const ROOMY: u16 = 14;

impl DrawRows for MemoryRoute {
    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        self.tabs.clear();
        if area.is_empty() {
            return;
        }
        let (badge, state) = self.standing();
        let inner = panel(canvas, area, "Memory", &badge, &state);
        let top = match &self.model.subject {
            Subject::Nothing => {
                let lines = [
                    "Nobody's memory is shown.",
                    "p chooses a process or a heap file",
                ];
                empty(canvas, inner, &lines);
                0
            }
            Subject::Reading(path, percent) => {
                let text = format!("Reading {}: {percent} %", path.display());
                empty(canvas, inner, &[&text, "p chooses something else"]);
                0
            }
            Subject::Process(process) => draw_process(canvas, inner, process),
            Subject::Heap(file) => draw_heap(canvas, inner, file),
        };
        if !self.model.tabs().is_empty() {
            self.draw_table(canvas, inner.below(top));
        }
    }
}

impl MemoryRoute {
    /// What stands in the frame: whose memory, and how it is looked at.
    fn standing(&self) -> (String, String) {
        let badge = match &self.model.subject {
            Subject::Process(process) => match &process.report {
                Some(report) => format!("{} {}", process.pid, report.process.name),
                None => process.pid.to_string(),
            },
            Subject::Reading(path, _) => file_name(path).into_owned(),
            Subject::Heap(file) => file_name(&file.heap.path).into_owned(),
            Subject::Nothing => String::new(),
        };
        let state = match (&self.busy, &self.model.subject) {
            (Some(busy), _) => busy.clone(),
            (None, Subject::Process(process)) if process.ended.is_some() => "ended".to_owned(),
            (None, Subject::Process(_)) if self.frozen => "frozen, f goes on".to_owned(),
            (None, Subject::Process(_)) => "every second".to_owned(),
            _ => String::new(),
        };
        (badge, state)
    }

    fn draw_table(&mut self, canvas: &Canvas, area: Rect) {
        let active = self.model.tab;
        let all = self.model.tabs();
        let names: Vec<&str> = all.iter().map(|tab| tab.title()).collect();
        let at = all.iter().position(|tab| *tab == active).unwrap_or(0);
        self.tabs = canvas.tabs(area.row(0), &names, at);
        let mut top = 1;
        let compared = match (&self.model.subject, active) {
            (Subject::Process(_), Tab::Growth) => Some(self.growth_line()),
            (Subject::Heap(file), Tab::Differences) => since_line(file),
            _ => None,
        };
        if let Some(text) = compared {
            let place = area.below(top);
            top += said(canvas, place, &text, ROWS, canvas.theme.text);
        }
        let mut place = area.below(top);
        if self.model.is_empty() {
            let lines = self.nothing();
            return empty(canvas, place, &lines);
        }
        place = foot(canvas, place, self.remark(place.width).as_deref());
        let top = place.row(0);
        let place = place.below(1);
        // The scroll bar takes a column from the rows; the heading stands over them.
        let scrolls = self.model.len() > usize::from(place.height);
        let cells = place.width.saturating_sub(u16::from(scrolls));
        let shown = shown(active, usize::from(cells));
        canvas.line(top, &self.heading(cells, &shown, canvas), 0);
        let Self { model, rows, .. } = self;
        let list = list_of(canvas, model.len()).lively();
        list.calm(canvas, place, rows, |row| {
            let (name, cells) = model.shown(row.index);
            let tone = |cell: &Cell<'_>| match cell {
                Cell::Change(n) | Cell::Plus(n) if *n > 0 => canvas.theme.warning,
                Cell::Text(_)
                | Cell::Address(_)
                | Cell::Bytes(0)
                | Cell::Count(0)
                | Cell::Change(0)
                | Cell::Plus(0) => canvas.theme.muted,
                _ => canvas.theme.number,
            };
            let cells: Vec<_> = cells.iter().map(|cell| (cell.text(), tone(cell))).collect();
            let name = (&*name, canvas.theme.text);
            table_line(row.width, &shown, active, name, &cells, canvas)
        });
    }

    fn heading(&self, cells: u16, shown: &[usize], view: &View) -> Line<'static> {
        let (title, columns) = self.model.tab.columns();
        let (order, reverse) = self.model.order();
        let down = if reverse { "^" } else { view.symbols.expanded };
        let mark = |at: usize, title: &str| match order {
            Some(order) if order == at => format!("{title}{down}"),
            _ => title.to_owned(),
        };
        let muted = view.theme.muted;
        let titles = (1..).zip(columns);
        let titles = titles.map(|(at, column)| (mark(at, column.title), muted));
        let (title, titles) = (mark(0, title), titles.collect::<Vec<_>>());
        table_line(cells, shown, self.model.tab, (&title, muted), &titles, view)
    }

    /// The selected row's name where it has no room in its column, and what holds it.
    fn remark(&self, cells: u16) -> Option<String> {
        let text = clean(&self.model.foot(self.rows.selected()?));
        let tab = self.model.tab;
        let is_held = tab == Tab::Largest;
        (is_held || width(&text) > name_cells(tab, usize::from(cells))).then_some(text)
    }
    fn growth_line(&self) -> String {
        let process = self.model.process();
        let known = process.and_then(|p| Some((p, p.from.as_ref()?, self.model.growth()?)));
        let Some((process, from, growth)) = known else {
            return String::new();
        };
        let clock = |time: jiff::Timestamp| time_of_day(time.as_millisecond());
        let to = match &process.to {
            Some(to) => format!("mark B {}", clock(to.taken)),
            None => "now".to_owned(),
        };
        let from = clock(from.taken);
        format!("From mark A {from} to {to}: {}", grown(growth))
    }

    fn nothing(&self) -> Vec<&str> {
        match (self.model.tab, &self.model.subject) {
            (Tab::Growth, Subject::Process(process)) if process.from.is_none() => vec![
                "No mark is set.",
                "m sets one; what grows from then on is listed here. m again sets a second one.",
            ],
            (Tab::Growth, _) => vec!["Nothing has changed since the mark."],
            (Tab::Differences, Subject::Heap(file)) if file.since.is_none() => vec![
                "No older file to compare with.",
                "c chooses one: what came and went since is listed here",
            ],
            (Tab::Differences, _) => vec!["Nothing is different."],
            (_, Subject::Process(process)) => {
                vec![process.ended.as_deref().unwrap_or("Reading…")]
            }
            _ => vec!["There is nothing."],
        }
    }
}

/// Cells of these columns.
fn used(tab: Tab, kept: &[usize]) -> usize {
    let (_, columns) = tab.columns();
    let kept = kept.iter().filter_map(|at| columns.get(*at));
    kept.map(|column| column.cells).sum()
}

/// Columns for which there is room beside the names: the less important ones go first.
fn shown(tab: Tab, width: usize) -> Vec<usize> {
    let (_, columns) = tab.columns();
    let mut kept: Vec<usize> = (0..columns.len()).collect();
    let cells = |kept: &[usize]| used(tab, kept);
    // In the order in which they can be missed.
    let droppable: &[&str] = &[
        "Address", "Maps", "Access", "PSS", "Swap", "Size", "Number", "State",
    ];
    for title in droppable {
        if cells(&kept) + NAME <= width {
            break;
        }
        kept.retain(|at| columns.get(*at).is_none_or(|c| c.title != *title));
    }
    while cells(&kept) + NAME > width && kept.len() > 1 {
        kept.remove(0);
    }
    kept
}

fn name_cells(tab: Tab, width: usize) -> usize {
    // Beyond that, numbers would stand far from their names.
    width
        .saturating_sub(used(tab, &shown(tab, width)) + 1)
        .min(WIDEST)
}

fn table_line(
    width_of_all: u16,
    shown: &[usize],
    tab: Tab,
    (name, name_style): (&str, Style),
    texts: &[(String, Style)],
    view: &View,
) -> Line<'static> {
    let (_, columns) = tab.columns();
    let mut line = Cells::new(width_of_all, view);
    let cells = name_cells(tab, usize::from(width_of_all));
    // Paths are told apart by their ends.
    let name = if name.starts_with('/') && name.len() > cells {
        truncate_path(
            &sanitise(name),
            cells.saturating_sub(1),
            view.symbols.ellipsis,
        )
        .into_owned()
    } else {
        name.to_owned()
    };
    line.column(&name, cells, name_style);
    for at in shown {
        let (Some(column), Some((text, style))) = (columns.get(*at), texts.get(*at)) else {
            continue;
        };
        let room = column.cells.saturating_sub(1);
        if column.is_number {
            let blank = column.cells.saturating_sub(width(text).min(room));
            line.skip(blank).column(text, column.cells - blank, *style);
        } else {
            line.skip(1).column(text, room, *style);
        }
    }
    line.line()
}

/// Draws a sentence in as many rows as it needs, up to `most`; gives how many it took.
fn said(canvas: &Canvas, area: Rect, text: &str, most: u16, style: Style) -> u16 {
    let text = [text.to_owned()];
    let (_, rows) = notes::draw(canvas, area, &text, most, style);
    rows.max(1)
}

/// What is in the file, and which one it is; gives the rows that were used.
fn draw_heap(canvas: &Canvas, area: Rect, file: &HeapFile) -> u16 {
    let heap = &file.heap;
    let most = if area.height >= ROOMY { ROWS } else { 1 };
    let top = said(canvas, area, &headline(heap), most, canvas.theme.text);
    let below = area.below(top);
    top + said(canvas, below, &file_line(heap), most, canvas.theme.muted)
}

/// Which file it is.
pub fn file_line(heap: &Heap) -> String {
    let path = format!("{} ({})", heap.path.display(), bytes(heap.file_bytes));
    match heap.unreachable {
        0 => path,
        held_by_nothing => format!("{path}, held by nothing: {}", bytes(held_by_nothing)),
    }
}

/// What it is compared with, and what came of it.
pub fn since_line(file: &HeapFile) -> Option<String> {
    let older = file.since.as_ref()?;
    let grown = i64::try_from(i128::from(file.heap.total) - i128::from(older.total));
    Some(format!(
        "Since {} ({}): {}",
        older.path.display(),
        bytes(older.file_bytes),
        change(grown.unwrap_or(i64::MAX))
    ))
}

/// A chart's title and what it shows.
type Chart = (&'static str, fn(&Figures) -> u64);

/// Who it is and how it went; gives the rows that were used.
fn draw_process(canvas: &Canvas, area: Rect, process: &Process) -> u16 {
    if let Some(report) = &process.report {
        canvas.cut(area.row(0), &report.process.command, canvas.theme.muted);
    }
    let mut top = 1;
    if let Some(why) = &process.ended {
        canvas.cut(area.row(top), why, canvas.theme.warning);
        top += 1;
    }
    let Some((_, newest)) = process.samples.back() else {
        return top;
    };
    let figures = newest.figures;
    if area.height < TALL || area.width < 60 {
        let mut line = canvas.cells_at(area);
        for (name, size) in measures(&figures) {
            line.muted(name)
                .skip(1)
                .put(&bytes(size), canvas.theme.number)
                .skip(2);
        }
        line.draw(canvas, area.row(top));
        return top + 1;
    }
    let charts: [Chart; 4] = [
        ("RSS", |f| f.rss),
        ("PSS", |f| f.pss),
        ("USS", |f| f.uss),
        ("Swap", |f| f.swap),
    ];
    let each = area.width / charts.len() as u16;
    for (at, (title, of)) in (0..).zip(charts) {
        let place = Rect {
            x: area.x + at * each,
            y: area.y + top,
            width: each.saturating_sub(1),
            height: CHART + 1,
        };
        let samples = process.samples.iter();
        let values: Vec<u64> = samples.map(|(_, s)| of(&s.figures)).collect();
        let most = values.iter().copied().max().unwrap_or(0);
        let mut line = canvas.cells_at(place);
        line.accent(title)
            .skip(1)
            .put(&bytes(of(&figures)), canvas.theme.number);
        if most > of(&figures) {
            line.muted(&format!(" of {}", bytes(most)));
        }
        line.draw(canvas, place.row(0));
        canvas.bars(place.below(1), &values, most.max(1));
    }
    top + CHART + 1
}
