//! Draws the route: what is shown and what is hidden, the entries, one of them in full, the field being typed in.

use base::text::width::truncate_start;
use diagnostics::logs::{Entry, Level, name_of};

use super::{
    Dialog, LogsRoute,
    model::{Item, Row},
};
use crate::prelude::*;

/// From this width on there is a column for the process, and all of the time.
const WIDE: u16 = 64;
/// From this width on an entry in full stands beside the list.
const BESIDE: u16 = 150;

/// With less room than this behind the message its fields are not begun.
const FIELDS: usize = 8;
/// Bytes of an entry of which the fields are read for its row.
const READ_FOR_ROW: usize = 8 * 1024;

/// Cells for the name of an entry's file, at most.
const NAME: usize = 14;

/// The colour of a process.
pub fn pid_style(pid: u32, view: &View) -> Style {
    // Yellow and red are of warnings and errors.
    const CALM: [usize; 4] = [4, 1, 3, 0];
    // Numbers of processes that were started by the same program often differ by the same.
    let mixed = pid.wrapping_mul(0x9E37_79B1) >> 16;
    let place = CALM.get(mixed as usize % CALM.len()).copied();
    view.theme.series(place.unwrap_or_default())
}

pub fn level_style(level: Option<Level>, view: &View) -> Style {
    match level {
        Some(Level::Fatal | Level::Error) => view.theme.error,
        Some(Level::Warn) => view.theme.warning,
        Some(Level::Info) => view.theme.info,
        _ => view.theme.muted,
    }
}

impl DrawRows for LogsRoute {
    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        if let Some((name, text)) = &mut self.file {
            let inner = panel(canvas, area, "Logs", name, "Esc closes");
            return text.show(canvas, inner.after(1));
        }
        let mut inner = framed(canvas, area, ("Logs", &self.badge(), &self.state()));
        if !self.conditions.is_empty() && inner.height > 3 {
            self.draw_conditions(canvas, inner.row(0));
            inner = inner.below(1);
        }
        if inner.height > 1 && self.has_foot() {
            let (rest, foot) = over_last(inner);
            inner = rest;
            self.draw_foot(canvas, foot);
        }
        let strip = self.draw_strip(canvas, inner);
        let inner = inner.below(strip);
        let list = match &mut self.detail {
            None => inner,
            Some((_, text)) => {
                let words = ("Entry", "", "[ and ] others, Esc closes");
                room::with_text(canvas, inner, text, words, (BESIDE, [(2, 5), (3, 5)]))
            }
        };
        self.draw_list(canvas, list);
        if let Some(Dialog::Pids(pids, counted)) = &mut self.dialog {
            let right = if *counted { "" } else { "counting…" };
            let words = (38, "Processes", right, "No entry names a process.");
            pids.draw(canvas, area, words, |pid, entries| {
                let entries = entries.map(|n| amount::count(n, "entry", "entries"));
                let style = pid_style(*pid, canvas);
                (entries.unwrap_or_default(), pid.to_string(), style)
            });
        }
        self.draw_terms(canvas, area);
    }
}

impl LogsRoute {
    fn badge(&self) -> String {
        // Rows tell the time of day alone, and the rule with their day scrolls away.
        let day = self.current().map_or("", Item::day);
        let loaded = self.loaded();
        match (day, &*loaded) {
            ("", _) => loaded,
            (day, "") => day.to_owned(),
            (day, loaded) => format!("{day}  {loaded}"),
        }
    }

    fn loaded(&self) -> String {
        match (self.model.items.len(), self.model.files.len()) {
            (_, 0) => String::new(),
            (entries, 1) => {
                let name = self.model.files.first().map(|file| name_of(file));
                format!(
                    "{entries} loaded of {}",
                    sanitise(&name.unwrap_or_default())
                )
            }
            (entries, files) => format!("{entries} loaded of {}", counted(files, "file")),
        }
    }

    fn state(&self) -> String {
        if let Some(seek) = &self.seek {
            return format!("looking for a {}… Esc stops", seek.what);
        }
        if let Some((from, to)) = self.range() {
            let marked = (from..=to).filter(|row| self.model.at(*row).is_some());
            return format!("{} marked, y copies", marked.count());
        }
        if self.reading {
            return "reading…".to_owned();
        }
        following(self.paused, self.fresh)
    }

    fn has_foot(&self) -> bool {
        self.line.is_some()
            || self.search.is_some()
            || self.failed.is_some()
            || (!self.notes.is_empty() && !self.model.items.is_empty())
    }

    fn draw_foot(&mut self, canvas: &Canvas, foot: Rect) {
        let matches = self.matches();
        if let Some(line) = &mut self.line {
            return line.draw(canvas, foot, &matches);
        }
        let mut cells = canvas.cells_at(foot);
        if let Some(failed) = &self.failed {
            cells.put(failed, canvas.theme.error);
        } else if let Some(search) = &self.search {
            cells.remark("n next  N previous  Esc done");
            cells.accent(&format!("/{} ", search.needle.text));
            cells.muted(&matches);
        } else if let Some(note) = self.notes.first() {
            cells.remark(&match self.notes.len() {
                1 => String::new(),
                n => format!("and {} more", n - 1),
            });
            cells.warning(note);
        }
        cells.draw(canvas, foot);
    }

    /// How many entries have what is searched.
    fn matches(&self) -> String {
        let Some(search) = &self.search else {
            return String::new();
        };
        if let Some(all) = search.count {
            return match all {
                0 => "not found".to_owned(),
                n => amount::count(n, "entry", "entries"),
            };
        }
        let held = self.model.items.iter();
        let held = held.filter(|item| search.wanted.takes(&item.entry)).count();
        let more = if self.model.at_start && self.model.at_end {
            ""
        } else {
            "+"
        };
        format!("{held}{more} entries")
    }

    fn draw_list(&mut self, canvas: &Canvas, area: Rect) {
        if self.model.items.is_empty() {
            if area.height > 0 {
                self.draw_nothing(canvas, area);
            }
            return;
        }
        let range = self.range();
        let mut list = mem::take(&mut self.list);
        let route = &*self;
        List::new(canvas.look(), route.model.row_count())
            .focused(canvas.focused && route.detail.is_none())
            .calm(canvas, area, &mut list, |row| {
                let marked = range.is_some_and(|(from, to)| (from..=to).contains(&row.index));
                route.line(row.index, row.width, marked, canvas)
            });
        self.list = list;
    }

    /// No entry is a state like any other: what it is, why, and what to do.
    fn draw_nothing(&self, canvas: &Canvas, area: Rect) {
        let mut lines: Vec<&str> = Vec::new();
        if let Some(failed) = &self.failed {
            lines.extend([failed.as_str(), "r reads it again"]);
        } else if self.reading || !self.opened {
            lines.push("Reading…");
        } else if !self.conditions.is_empty() {
            lines.extend(["No entry passes the filters", "x shows all"]);
        } else {
            lines.push("No entries yet");
            lines.extend(self.notes.iter().take(8).map(String::as_str));
            lines.push("What is written from now on is shown here");
            lines.push("O opens another log");
        }
        empty(canvas, area, &lines);
    }

    fn line(&self, row: usize, cells: u16, marked: bool, view: &View) -> Line<'static> {
        let theme = &view.theme;
        let mut line = Cells::new(cells, view);
        match self.model.rows.get(row) {
            Some(Row::Older) => {
                let text = if self.reading {
                    "reading older entries…"
                } else if self.model.before.is_some() {
                    "older entries: Ctrl-O"
                } else {
                    "older entries were let go: Ctrl-O reads the log anew"
                };
                line.accent(view.symbols.more).skip(1).muted(text);
            }
            Some(Row::Newer) => {
                line.accent(view.symbols.more)
                    .skip(1)
                    .muted("newer entries: go down, or End for the newest");
            }
            Some(Row::Gap(gap)) => {
                rule(
                    &mut line,
                    &format!("{} without an entry", amount::span(*gap)),
                );
            }
            Some(Row::Border(index)) => {
                if let Some(item) = self.model.items.get(*index) {
                    rule(&mut line, &self.border(item));
                }
            }
            Some(Row::Entry(index)) => {
                if let Some(item) = self.model.items.get(*index) {
                    self.entry(&mut line, item, cells, marked);
                }
            }
            None => {}
        }
        let line = line.line();
        if marked {
            line.patch_style(theme.selection_unfocused)
        } else {
            line
        }
    }

    /// What begins with an entry: a file (of a process), or a day.
    fn border(&self, item: &Item) -> String {
        let mut parts = vec![item.day().to_owned()];
        if item.entry.offset == 0 {
            parts.push(
                match (self.model.files.get(item.entry.source), item.entry.pid) {
                    (Some(file), _) => format!("{} begins", name_of(file)),
                    (None, Some(pid)) => format!("process {pid} begins a new log"),
                    (None, None) => "a new log begins".to_owned(),
                },
            );
        }
        parts.retain(|part| !part.is_empty());
        parts.join("  ")
    }

    fn entry(&self, line: &mut Cells, item: &Item, cells: u16, marked: bool) {
        let view = line.view.clone();
        let theme = &view.theme;
        let entry = &item.entry;
        let level = level_style(entry.level, &view);
        let name = entry
            .level
            .map(|l| l.name().to_ascii_uppercase())
            .unwrap_or_default();
        let mark = if marked { view.symbols.vertical } else { " " };
        line.accent(mark);
        if cells >= WIDE {
            line.column(item.stamp.get(11..).unwrap_or_default(), 13, theme.muted);
            // Blanks have no look of their own: an underlined level must not look like a longer one.
            line.put(&name, level)
                .skip(6_usize.saturating_sub(name.len()));
            self.writer(line, entry);
        } else {
            line.column(item.stamp.get(11..19).unwrap_or_default(), 9, theme.muted);
            line.column(name.get(..1).unwrap_or_default(), 2, level);
        }
        let further = entry.text.trim_end().lines().count().saturating_sub(1);
        if further > 0 {
            line.remark(&format!("+{further}"));
        }
        let first = entry.said().lines().next().unwrap_or_default();
        // A line of a message may be a megabyte; what is far beyond the width is not looked at.
        let text = sanitise(paint::head(first, usize::from(cells)));
        let style = match entry.level {
            Some(Level::Error | Level::Fatal) => level,
            Some(Level::Trace | Level::Debug) => theme.muted,
            _ => theme.text,
        };
        let sought = self.search.as_ref().map(|search| &search.regex);
        line.marked(&text, style, sought);
        if line.room() > FIELDS && entry.text.len() <= READ_FOR_ROW {
            let fields = entry.fields();
            line.marked(
                paint::head(&fields, usize::from(cells)),
                theme.muted,
                sought,
            );
        }
    }

    /// Who wrote an entry: the file's name where several have to be told apart, and the process where one is known.
    fn writer(&self, line: &mut Cells, entry: &Entry) {
        let view = line.view.clone();
        let names = &self.model.names;
        if let Some(name) = names.get(entry.source) {
            let widest = names.iter().map(|name| width(&sanitise(name))).max();
            let cells = widest.unwrap_or(0).min(NAME);
            let name = sanitise(name);
            let (name, used) = truncate_start(&name, cells);
            line.put(&name, pid_style(entry.source as u32, &view))
                .skip(cells.saturating_sub(used) + 2);
            if !self.model.has_pids {
                return;
            }
        }
        let pid = entry.pid.map(|pid| pid.to_string()).unwrap_or_default();
        let style = entry
            .pid
            .map(|pid| pid_style(pid, &view))
            .unwrap_or_default();
        line.skip(7_usize.saturating_sub(pid.len()))
            .put(&pid, style)
            .skip(1);
    }
}

fn rule(line: &mut Cells, text: &str) {
    line.rule(2).skip(1).muted(text).skip(1);
    line.rule(line.room());
}
