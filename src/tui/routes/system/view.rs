//! Draws the route: facts at the left, processes with their charts at the right; one of them where there is no room for both.

use diagnostics::system::text::{Row, Tone, bytes};

use super::{
    Focus, SystemRoute,
    model::{Line, Watched},
};
use crate::kit::prelude::*;

/// From this width on there is room for both halves.
const WIDE: u16 = 116;
/// Below this height there is no room for frames.
const FRAMED: u16 = 8;
/// Cells of the column with labels.
const LABEL: usize = 20;
/// Rows for what does not fit its line.
/// Rows of a chart.
const CHART: u16 = 4;

impl Drawn for SystemRoute {
    fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View) {
        self.tabs.clear();
        if area.is_empty() {
            return;
        }
        if area.width >= WIDE && area.height >= FRAMED {
            let left = paint::first(area, area.width / 5 * 3);
            let right = paint::from(area, left.width);
            self.draw_facts(buf, left, view);
            return self.draw_processes(buf, right, view);
        }
        let mut place = area;
        if area.height > 3 {
            let names = ["Facts", "Processes"];
            let active = usize::from(self.focus == Focus::Processes);
            self.tabs = tabs::draw(buf, paint::row(area, 0), &names, active, view.look());
            place = paint::below(area, 1);
        }
        match self.focus {
            Focus::Facts => self.draw_facts(buf, place, view),
            Focus::Processes => self.draw_processes(buf, place, view),
        }
    }
}

impl SystemRoute {
    fn focused(&self, focus: Focus, view: &View) -> View {
        view.with_focus(view.focused && self.focus == focus)
    }

    fn draw_facts(&mut self, buf: &mut Buffer, area: Rect, view: &View) {
        let state = match self.model.waiting.as_slice() {
            [] => String::new(),
            waiting => format!("asking for {}…", waiting.join(" and ")),
        };
        let view = &self.focused(Focus::Facts, view);
        let mut inner = framed(buf, area, ("System", "", &state), view);
        if self.model.lines().is_empty() {
            return empty(buf, inner, &["Reading…"], view);
        }
        inner = foot(buf, inner, self.remark(inner.width).as_deref(), view);
        let lines = self.model.lines();
        let list = list_of(view, lines.len()).lively();
        list.each(
            buf,
            inner,
            &mut self.facts,
            view,
            lines,
            |line, cells| match line {
                Line::Heading(title) => room::heading(title, cells),
                Line::Row(fact) => fact_line(fact, cells),
            },
        );
    }

    /// The selected fact, where its row has no room for it.
    fn remark(&self, cells: u16) -> Option<String> {
        let at = self.facts.selected().unwrap_or(0);
        let Some(Line::Row(row)) = self.model.lines().get(at) else {
            return None;
        };
        let room = usize::from(cells.saturating_sub(2));
        (width(&row.value) + width(&row.note) + LABEL + 8 > room).then(|| row.text())
    }
    fn draw_processes(&mut self, buf: &mut Buffer, area: Rect, view: &View) {
        let state = match (self.frozen, self.model.chosen().len()) {
            (true, _) => "frozen, f goes on".to_owned(),
            (_, 0) => "none watched".to_owned(),
            (_, n) => format!("{n} watched, every second"),
        };
        let count = self.model.processes.len().to_string();
        let view = &self.focused(Focus::Processes, view);
        let mut inner = framed(buf, area, ("Processes", &count, &state), view);
        if let Some(line) = &mut self.line
            && inner.height > 0
        {
            line.draw(buf, paint::row(inner, 0), "", view);
            inner = paint::below(inner, 1);
        }
        let processes = &self.model.processes;
        if processes.is_empty() {
            return empty(
                buf,
                inner,
                &["No process is listed.", "a adds one by its number"],
                view,
            );
        }
        let at = self
            .processes
            .selected()
            .unwrap_or(0)
            .min(processes.len() - 1);
        let charts = if inner.height >= 2 * CHART + 6 {
            2 * CHART + 3
        } else {
            0
        };
        let (list_area, place) = split(inner, inner.height - charts);
        let list = list_of(view, processes.len()).lively();
        list.each(
            buf,
            list_area,
            &mut self.processes,
            view,
            processes,
            process_line,
        );
        if charts > 0
            && let Some(process) = processes.get(at)
        {
            draw_charts(buf, place, process, view);
        }
    }
}

fn fact_line(row: &Row, line: &mut Cells) {
    let view = line.view.clone();
    let theme = &view.theme;
    let cells = line.room();
    let (sign, tone) = match row.tone {
        Tone::Plain => (" ", theme.text),
        Tone::Warning => (view.symbols.warning, theme.warning),
        Tone::Unknown => (" ", theme.muted),
    };
    let label = LABEL.min(cells / 3).max(width(&row.label).min(26));
    line.column(sign, 2, theme.warning)
        .column(&row.label, label, theme.muted)
        .skip(2)
        .put(&row.value, tone);
    if !row.note.is_empty() {
        if !row.value.is_empty() {
            line.skip(2);
        }
        line.muted(&row.note);
    }
}

fn process_line(process: &Watched, line: &mut Cells) {
    let theme = line.view.theme.clone();
    let cells = line.room();
    let mark = if process.chosen { "[x] " } else { "[ ] " };
    line.muted(mark)
        .column(&process.pid.to_string(), 8, theme.number)
        .column(&process.name, if cells > 60 { 16 } else { 11 }, theme.text)
        .skip(1);
    if process.ended {
        line.muted("ended");
        return;
    }
    let cpu = process.cpu.back().copied().flatten();
    let cpu = cpu.map_or_else(String::new, |cpu| format!("{cpu:.1}%"));
    let memory = process
        .memory
        .back()
        .copied()
        .map_or_else(String::new, bytes);
    line.text(&format!("{cpu:>7} {memory:>8} "));
    line.skip(1).muted(&process.about);
}

fn draw_charts(buf: &mut Buffer, area: Rect, process: &Watched, view: &View) {
    let rule = view.symbols.horizontal.repeat(usize::from(area.width));
    paint::text(buf, paint::row(area, 0), &rule, view.theme.border);
    let cpu: Vec<u64> = process
        .cpu
        .iter()
        // Tenths of a percent: a process that does little is not one that does nothing.
        .map(|cpu| cpu.map_or(0, |cpu| (cpu.max(0.0) * 10.0) as u64))
        .collect();
    let memory: Vec<u64> = process.memory.iter().copied().collect();
    if memory.is_empty() {
        let hint = if process.ended {
            "It has ended."
        } else if process.chosen {
            "The first sample is on its way."
        } else {
            "Space watches the selected one (Tab goes there): processor and memory, every second."
        };
        view.cut(buf, paint::row(area, 1), hint, view.theme.muted);
        return;
    }
    let most = cpu.iter().copied().max().unwrap_or(0);
    let title = format!(
        "CPU of {}, at most {:.1}%",
        process.name,
        most as f64 / 10.0
    );
    // The scale never shows less than a tenth of a processor, so that idling looks like idling.
    draw_chart(buf, area, 1, &title, &cpu, most.max(100), view);
    let most = memory.iter().copied().max().unwrap_or(0);
    let title = format!("Memory, at most {}", bytes(most));
    draw_chart(buf, area, 2 + CHART, &title, &memory, most.max(1), view);
}

fn draw_chart(
    buf: &mut Buffer,
    area: Rect,
    row: u16,
    title: &str,
    values: &[u64],
    most: u64,
    view: &View,
) {
    let title_row = paint::row(area, row);
    view.cut(buf, title_row, title, view.theme.muted);
    let place = room::top(paint::below(area, row + 1), CHART);
    chart::bars(buf, place, values, most, view.look());
}
