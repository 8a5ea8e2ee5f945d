//! Draws the route: the list of sessions, what a search found, and the frame of one session, whose tabs `opened` fills.

use base::text::{
    amount::size,
    width::{truncate, truncate_start},
};
use diagnostics::sessions::{Summary, lines_not_understood, search::Hit, summary::id_of};

use super::{
    SessionsRoute,
    looks::{WIDE, kind_style, one_line, status_style},
    open::{Open, Tab},
    opened::{draw_agents, draw_artifacts, draw_detail, draw_entries},
};
use crate::prelude::*;

fn minute(time: i64) -> String {
    let text = format_time(time);
    text.get(..16).unwrap_or(&text).to_owned()
}

impl DrawRows for SessionsRoute {
    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        self.tabs.clear();
        let (title, badge, right) = self.title();
        let mut inner = framed(canvas, area, (title, &badge, &right));
        if inner.height > 1 && self.has_foot() {
            let (rest, foot) = over_last(inner);
            inner = rest;
            self.draw_foot(canvas, foot);
        }
        if let Some(mut open) = self.open.pop() {
            self.draw_open(canvas, inner, &mut open);
            self.open.push(open);
        } else if self.found.is_some() {
            self.draw_found(canvas, inner);
        } else {
            self.draw_list(canvas, inner);
        }
    }
}

impl SessionsRoute {
    fn title(&self) -> (&'static str, String, String) {
        if let Some(open) = self.open.last() {
            let (read, all) = open.read;
            let state = if open.failed.is_some() {
                "cannot be read".to_owned()
            } else if !open.done {
                format!("reading {} %", read * 100 / all.max(1))
            } else {
                let usage = &open.session.totals.usage;
                let money = match usage.cost {
                    cost if cost > 0.0 => format!(", ${cost:.4}"),
                    _ => String::new(),
                };
                let live = if open.summary.live {
                    ", live: new entries are shown as they come"
                } else {
                    ""
                };
                format!("{}{money}{live}", open.summary.status.word())
            };
            let depth = self.open.len();
            let title = if depth > 1 { "Subagent" } else { "Session" };
            let about = &open.session.about;
            let name = about
                .title
                .as_deref()
                .unwrap_or_else(|| open.summary.name());
            return (title, one_line(name), state);
        }
        if let Some(found) = &self.found {
            let (done, all) = found.files;
            let state = match (found.done, done == all) {
                (true, true) => amount::count(all as u64, "session searched", "sessions searched"),
                (true, false) => format!("stopped after {done} of {}", counted(all, "session")),
                (false, _) => format!("searching {done} of {all}, Esc stops"),
            };
            let more = if found.more { "+" } else { "" };
            let badge = match found.hits.len() {
                1 if more.is_empty() => "1 entry".to_owned(),
                hits => format!("{hits}{more} entries"),
            };
            return ("Found", badge, state);
        }
        let listing = &self.listing;
        let badge = match (listing.filter.is_empty(), listing.done) {
            (true, true) => listing.all.len().to_string(),
            (true, false) => format!("{} of {}", listing.all.len(), listing.files),
            (false, _) => format!("{} of {}", listing.visible.len(), listing.all.len()),
        };
        let state = if listing.done {
            String::new()
        } else {
            "reading…".to_owned()
        };
        ("Sessions", badge, state)
    }

    fn has_foot(&self) -> bool {
        let searches = self.open.last().is_some_and(|open| open.search.is_some());
        self.line.is_some()
            || searches
            || (self.open.is_empty() && (self.found.is_some() || !self.listing.filter.is_empty()))
    }

    fn draw_foot(&mut self, canvas: &Canvas, row: Rect) {
        if let Some(line) = &mut self.line {
            return line.draw(canvas, row, "");
        }
        let mut cells = canvas.cells_at(row);
        if let Some(open) = self.open.last() {
            let text = open.search.as_ref().map(|search| search.text.clone());
            cells.muted("/ ");
            cells.accent(&one_line(&text.unwrap_or_default()));
            cells.skip(2).muted(&open.search_status());
            cells.remark("n next, N previous");
        } else if let Some(found) = &self.found {
            cells.muted("/ ").accent(&one_line(&found.text));
            if found.unreadable > 0 {
                let text = amount::count(
                    found.unreadable as u64,
                    "file cannot be read",
                    "files cannot be read",
                );
                cells.skip(2).warning(&text);
            }
            cells.remark("Esc: all sessions");
        } else {
            cells.muted("Only ").accent(&one_line(&self.listing.filter));
            cells.remark("Esc shows all");
        }
        cells.draw(canvas, row);
    }

    fn draw_list(&mut self, canvas: &Canvas, area: Rect) {
        if self.listing.visible.is_empty() {
            let place = canvas.omp.sessions.first();
            let place = place.map_or_else(String::new, |p| one_line(&p.display().to_string()));
            let notes = self.listing.notes.iter().take(4).chain(&self.trouble);
            let notes: Vec<String> = notes.map(|note| one_line(note)).collect();
            let mut lines: Vec<&str> = match (self.listing.done, self.listing.all.is_empty()) {
                (false, _) => vec!["Reading…"],
                (true, true) => vec![
                    "omp has no sessions here",
                    &place,
                    "omp-debug sessions FILE opens one from elsewhere",
                ],
                (true, false) => vec![
                    "No session has that in its title or project",
                    "/ searches what was said",
                ],
            };
            lines.extend(notes.iter().map(String::as_str));
            return empty(canvas, area, &lines);
        }
        let mut rows = area;
        if area.height > 3 && area.width >= WIDE {
            let (row, rest) = split(area, 1);
            rows = rest;
            let mut cells = Cells::new(row.width.saturating_sub(1), canvas);
            cells.remark("size").column("", 2, canvas.theme.muted);
            for (title, wide) in [("changed", 18), ("state", 13), ("project", 28)] {
                cells.column(title, wide, canvas.theme.muted);
            }
            cells
                .muted("title, or the first question")
                .draw(canvas, row);
        }
        let mut list = mem::take(&mut self.listing.list);
        let listing = &self.listing;
        list_of(canvas, listing.visible.len()).cells(canvas, rows, &mut list, |at, line| {
            if let Some(summary) = listing.at(at) {
                line_of(summary, line);
            }
        });
        self.listing.list = list;
    }

    fn draw_found(&mut self, canvas: &Canvas, area: Rect) {
        let Some(found) = &mut self.found else {
            return;
        };
        let lines: &[&str] = if found.done {
            &[
                "No entry of these sessions says so",
                "/ searches for something else, Ctrl-R for an expression",
            ]
        } else {
            &["Searching…"]
        };
        if found.hits.is_empty() {
            empty(canvas, area, lines);
        }
        let listing = &self.listing;
        let hits = &found.hits;
        list_of(canvas, hits.len()).each(canvas, area, &mut found.list, hits, |hit, line| {
            let known = listing.all.iter().find(|s| s.path == hit.path);
            hit_line(hit, known, line);
        });
    }

    fn draw_open(&mut self, canvas: &Canvas, area: Rect, open: &mut Open) {
        let mut inner = area;
        if inner.height > 4 {
            let beside = open.beside.as_ref();
            let agents = beside.map_or(0, |b| b.agents.len());
            let artifacts = beside.map_or(0, |b| b.artifacts.len());
            let entries = format!("Entries {}", open.session.tree.entries.len());
            let agents = format!("Subagents {agents}");
            let artifacts = format!("Artifacts {artifacts}");
            let names = [&*entries, "Overview", &agents, &artifacts];
            let row = inner.row(0);
            self.tabs = canvas.tabs(row, &names, open.tab as usize);
            inner = inner.below(1);
            if open.session.malformed > 0 && inner.height > 4 {
                let text = format!(
                    "{}: see the overview",
                    lines_not_understood(open.session.malformed)
                );
                canvas.cut(inner.row(0), &text, canvas.theme.warning);
                inner = inner.below(1);
            }
        }
        if let Some(why) = &open.failed
            && open.rows.is_empty()
        {
            return empty(
                canvas,
                inner,
                &[&one_line(why), "r reads it again, Esc goes back"],
            );
        }
        let list = draw_detail(canvas, inner, open);
        match open.tab {
            Tab::Overview if open.detail.is_none() => {
                open.overview.show(canvas, list.after(1));
            }
            Tab::Overview => {}
            Tab::Entries => draw_entries(canvas, list, open),
            Tab::Agents => draw_agents(canvas, list, open),
            Tab::Artifacts => draw_artifacts(canvas, list, open),
        }
    }
}

fn line_of(summary: &Summary, line: &mut Cells) {
    let view = line.view.clone();
    let theme = &view.theme;
    let cells = line.room();
    let (mark, style) = match (summary.live, summary.here) {
        (true, _) => (view.symbols.running, theme.success),
        (false, true) => (view.symbols.prompt, theme.accent),
        (false, false) => (" ", theme.muted),
    };
    let wide = cells >= usize::from(WIDE) - 2;
    if wide {
        line.remark(&size(summary.size));
    }
    line.column(mark, 2, style);
    let changed = minute(summary.changed);
    if wide {
        line.column(&changed, 18, theme.muted);
        let (word, style) = match (&summary.trouble, summary.live, summary.archived) {
            (Some(_), _, _) => ("unreadable", theme.error),
            (None, true, _) => ("live", theme.success),
            (None, false, true) => ("archived", theme.muted),
            (None, false, false) => (summary.status.word(), status_style(&summary.status, &view)),
        };
        line.column(word, 13, style);
        let cwd = one_line(summary.cwd.as_deref().unwrap_or("?"));
        let (cwd, _) = truncate_start(&cwd, 26);
        line.column(&cwd, 28, theme.name_text);
    } else {
        line.column(changed.get(5..).unwrap_or_default(), 13, theme.muted);
    }
    if summary.here {
        line.accent("this terminal: ");
    }
    let name = summary.trouble.as_deref().unwrap_or_else(|| summary.name());
    let style = summary.trouble.as_ref().map_or(theme.text, |_| theme.error);
    line.put(&one_line(name), style);
}

fn hit_line(hit: &Hit, known: Option<&Summary>, line: &mut Cells) {
    let view = line.view.clone();
    let theme = &view.theme;
    let cells = line.room();
    let time = hit.time.map(minute).unwrap_or_default();
    line.skip(1);
    if cells >= usize::from(WIDE) - 2 {
        line.column(&time, 18, theme.muted);
        let name = one_line(known.map_or_else(|| id_of(&hit.path), Summary::name));
        line.column(&truncate(&name, 26).0, 28, theme.name_text);
    }
    line.column(&one_line(&hit.name), 12, kind_style(hit.kind, false, &view))
        .skip(1);
    let part = |from: usize, to: usize| one_line(hit.excerpt.get(from..to).unwrap_or_default());
    let (from, to) = hit.found;
    line.text(&part(0, from));
    line.put(&part(from, to), theme.text.patch(theme.search_match));
    line.text(&part(to, hit.excerpt.len()));
}
