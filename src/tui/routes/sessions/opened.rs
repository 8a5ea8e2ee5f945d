//! Draws the tabs of one session: its entries, with one of them in full beside them, its subagents and its artifacts.

use base::text::amount::{size, span};
use diagnostics::sessions::{Entry, LineKind, Summary, tree::Row};

use super::{
    looks::{BESIDE, WIDE, kind_style, one_line, status_style, who},
    open::Open,
};
use crate::prelude::*;

pub fn draw_detail(canvas: &Canvas, area: Rect, open: &mut Open) -> Rect {
    let Some((title, text)) = &mut open.detail else {
        return area;
    };
    let (title, status) = (one_line(title), text.search_status());
    let words = (&*title, &*status, "[ and ] others, Esc closes");
    room::with_text(canvas, area, text, words, (BESIDE, [(1, 2), (3, 5)]))
}

pub fn draw_entries(canvas: &Canvas, area: Rect, open: &mut Open) {
    if open.rows.is_empty() && area.height > 0 {
        let lines: &[&str] = if open.done {
            &["This file has no entries", "Tab shows what is known of it"]
        } else {
            &["Reading…"]
        };
        return empty(canvas, area, lines);
    }
    let [list, ..] = &mut open.lists;
    let mut list = mem::take(list);
    let rows = open.rows.len();
    List::new(canvas.look(), rows)
        .focused(canvas.focused && open.detail.is_none())
        .calm(canvas, area, &mut list, |row| {
            let line = match open.rows.get(row.index) {
                Some(Row::Entry { depth, .. }) => open.entry(row.index).map(|entry| {
                    let search = open.search.as_ref();
                    let hit = search.is_some_and(|search| search.has(entry.offset));
                    entry_line(entry, *depth, hit, row.width, canvas)
                }),
                Some(Row::Branch {
                    first,
                    depth,
                    entries,
                    open: is_open,
                }) => {
                    let head = open
                        .session
                        .tree
                        .entries
                        .get(*first)
                        .map(|e| one_line(&e.head));
                    let mut line = Cells::new(row.width, canvas);
                    line.skip(1 + depth * 2);
                    line.accent(canvas.symbols.fold(*is_open)).skip(1);
                    line.accent(&format!(
                        "another branch, {}: ",
                        amount::count(*entries as u64, "entry", "entries")
                    ));
                    line.muted(&head.unwrap_or_default());
                    Some(line.line())
                }
                None => None,
            };
            line.unwrap_or_default()
        });
    let [entries, ..] = &mut open.lists;
    *entries = list;
}

fn entry_line(entry: &Entry, depth: usize, hit: bool, cells: u16, view: &View) -> Line<'static> {
    let theme = &view.theme;
    let mut line = Cells::new(cells, view);
    line.accent(if hit { view.symbols.changed } else { " " });
    if cells >= 64 {
        let time = entry.time.map(format_time).unwrap_or_default();
        line.column(time.get(11..19).unwrap_or_default(), 10, theme.muted);
    }
    let tokens = entry.usage.as_ref().map_or(0, |spent| spent.1.total);
    let right = match (entry.took, tokens) {
        (Some(took), _) if entry.kind == LineKind::Result => span(took),
        (_, 1..) if cells >= 64 => counted(tokens, "token"),
        _ => String::new(),
    };
    line.remark(&right);
    if depth > 0 {
        let depth = depth.min(8);
        line.column(
            &view.symbols.vertical.repeat(depth),
            depth + 1,
            theme.border,
        );
    }
    let column = if cells >= WIDE { 16 } else { 11 };
    let style = kind_style(entry.kind, entry.failed, view);
    line.column(&who(entry), column, style).skip(1);
    let style = match entry.kind {
        _ if entry.failed => theme.error,
        LineKind::User => theme.text,
        LineKind::Assistant if entry.stop.as_deref() != Some("toolUse") => theme.text,
        _ => theme.muted,
    };
    line.put(&one_line(&entry.head), style);
    line.line()
}

pub fn draw_agents(canvas: &Canvas, area: Rect, open: &mut Open) {
    let Some(beside) = &open.beside else {
        return empty(canvas, area, &["Looking…"]);
    };
    if beside.agents.is_empty() {
        return empty(canvas, area, &["This session has no subagents"]);
    }
    let [_, _, list, _] = &mut open.lists;
    List::new(canvas.look(), beside.agents.len())
        .focused(canvas.focused && open.detail.is_none())
        .each(canvas, area, list, &beside.agents, |agent, line| {
            let result = agent.result.as_ref().map_or("", |_| "has a result, ");
            line.remark(&format!("{result}{}", size(agent.summary.size)));
            line.skip(1 + agent.depth.min(12) * 2);
            line.column(&one_line(&agent.id), 24, canvas.theme.name_text)
                .skip(1);
            let Summary {
                status,
                trouble,
                prompt,
                ..
            } = &agent.summary;
            let word = if agent.advisor {
                "advisor"
            } else {
                status.word()
            };
            line.column(word, 13, status_style(status, canvas));
            let task = trouble.as_deref().or(prompt.as_deref());
            line.text(&one_line(task.unwrap_or_default()));
        });
}

pub fn draw_artifacts(canvas: &Canvas, area: Rect, open: &mut Open) {
    let Some(beside) = &open.beside else {
        return empty(canvas, area, &["Looking…"]);
    };
    if beside.artifacts.is_empty() {
        return empty(canvas, area, &["This session has no artifacts"]);
    }
    let [.., list] = &mut open.lists;
    List::new(canvas.look(), beside.artifacts.len())
        .focused(canvas.focused && open.detail.is_none())
        .each(canvas, area, list, &beside.artifacts, |artifact, line| {
            line.remark(&size(artifact.size)).skip(1);
            line.column(&one_line(&artifact.name), 36, canvas.theme.name_text)
                .skip(1);
            line.muted(&one_line(&artifact.sort));
        });
}
