//! Draws the route: facts at the left, processes with their charts at the right; one of them where there is no room for both.

use diagnostics::system::text::{Row, Tone, bytes};

use super::{
    Focus, SystemRoute,
    model::{Line, Watched},
};
use crate::{kit::cells::flow, prelude::*};

/// From this width on there is room for both halves.
const WIDE: u16 = 116;
/// Below this height there is no room for frames.
const FRAMED: u16 = 8;
/// Cells of the column with labels.
const LABEL: usize = 20;
/// Rows for what does not fit its line.
/// Rows of a chart.
const CHART: u16 = 4;

impl DrawRows for SystemRoute {
    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        self.tabs.clear();
        if area.is_empty() {
            return;
        }
        if area.width >= WIDE && area.height >= FRAMED {
            let left = area.first(area.width / 5 * 3);
            let right = area.after(left.width);
            self.draw_facts(canvas, left);
            return self.draw_processes(canvas, right);
        }
        let mut place = area;
        if area.height > 3 {
            let names = ["Facts", "Processes"];
            let active = usize::from(self.focus == Focus::Processes);
            self.tabs = canvas.tabs(area.row(0), &names, active);
            place = area.below(1);
        }
        match self.focus {
            Focus::Facts => self.draw_facts(canvas, place),
            Focus::Processes => self.draw_processes(canvas, place),
        }
    }
}

impl SystemRoute {
    fn focused(&self, focus: Focus, canvas: &Canvas) -> Canvas {
        canvas.with_focus(canvas.focused && self.focus == focus)
    }

    fn draw_facts(&mut self, canvas: &Canvas, area: Rect) {
        let state = match self.model.waiting.as_slice() {
            [] => String::new(),
            waiting => format!("asking for {}…", waiting.join(" and ")),
        };
        let canvas = &self.focused(Focus::Facts, canvas);
        let mut inner = framed(canvas, area, ("System", "", &state));
        if self.model.lines.is_empty() {
            return empty(canvas, inner, &["Reading…"]);
        }
        inner = foot(canvas, inner, self.remark(inner.width).as_deref());
        let lines = &self.model.lines;
        let list = list_of(canvas, lines.len()).lively();
        list.each(
            canvas,
            inner,
            &mut self.facts,
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
        let Some(Line::Row(row)) = self.model.lines.get(at) else {
            return None;
        };
        let room = usize::from(cells.saturating_sub(2));
        (width(&row.value) + width(&row.note) + LABEL + 8 > room).then(|| row.text())
    }
    fn draw_processes(&mut self, canvas: &Canvas, area: Rect) {
        let state = match (self.frozen, self.model.chosen().len()) {
            (true, _) => "frozen, f goes on".to_owned(),
            (_, 0) => "none watched".to_owned(),
            (_, n) => format!("{n} watched, every second"),
        };
        let count = self.model.processes.len().to_string();
        let canvas = &self.focused(Focus::Processes, canvas);
        let mut inner = framed(canvas, area, ("Processes", &count, &state));
        if let Some(line) = &mut self.line
            && inner.height > 0
        {
            line.draw(canvas, inner.row(0), "");
            inner = inner.below(1);
        }
        let processes = &self.model.processes;
        if processes.is_empty() {
            return empty(
                canvas,
                inner,
                &["No process is listed.", "a adds one by its number"],
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
        let list = list_of(canvas, processes.len()).lively();
        list.each(
            canvas,
            list_area,
            &mut self.processes,
            processes,
            process_line,
        );
        if charts > 0
            && let Some(process) = processes.get(at)
        {
            draw_charts(canvas, place, process);
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

fn draw_charts(canvas: &Canvas, area: Rect, process: &Watched) {
    canvas.rule(area.row(0));
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
        return flow(canvas, area.below(1), hint, canvas.theme.muted);
    }
    let most = cpu.iter().copied().max().unwrap_or(0);
    let title = format!(
        "CPU of {}, at most {:.1}%",
        process.name,
        most as f64 / 10.0
    );
    // The scale never shows less than a tenth of a processor, so that idling looks like idling.
    draw_chart(canvas, area, 1, &title, &cpu, most.max(100));
    let most = memory.iter().copied().max().unwrap_or(0);
    let title = format!("Memory, at most {}", bytes(most));
    draw_chart(canvas, area, 2 + CHART, &title, &memory, most.max(1));
}

fn draw_chart(canvas: &Canvas, area: Rect, row: u16, title: &str, values: &[u64], most: u64) {
    let title_row = area.row(row);
    canvas.cut(title_row, title, canvas.theme.muted);
    let place = room::top(area.below(row + 1), CHART);
    canvas.bars(place, values, most);
}
