//! A strip above the entries: how many there are at which time, the bad ones in their colours, and where the cursor is.

use diagnostics::logs::{Columns, Counts};

use super::LogsRoute;
use crate::prelude::*;

/// From this height on there is room for it.
const HIGH: u16 = 14;
/// From this height on it has three rows.
const HIGHER: u16 = 36;
const NARROWEST: u16 = 50;
/// `08-21 14:03`.
const LABEL: u16 = 11;
/// Milliseconds below which the ends of the strip say seconds, and no day.
const SECONDS_TELL: i64 = 10 * 60_000;
/// Heights where there are no such signs.
const PLAIN_BARS: [&str; 8] = [".", ".", ":", ":", "|", "|", "#", "#"];

impl LogsRoute {
    /// Draws the strip where there is room; gives how many rows it took.
    pub(super) fn draw_strip(&mut self, canvas: &Canvas, area: Rect) -> u16 {
        self.strip = None;
        if area.height < HIGH || area.width < NARROWEST {
            return 0;
        }
        let rows = if area.height >= HIGHER { 3 } else { 1 };
        let bars = Rect {
            x: area.x + LABEL + 1,
            width: area.width - 2 * (LABEL + 1),
            height: rows,
            ..area
        };
        let count = usize::from(bars.width);
        let Some(columns) = self.columns(count) else {
            return 0;
        };
        let bottom = rows - 1;
        // Within minutes the seconds tell more than the day.
        let near = columns.end - columns.start < SECONDS_TELL;
        let label = |time: i64| {
            let stamp = format_time(time);
            let part = if near { 11..19 } else { 5..16 };
            stamp.get(part).unwrap_or_default().to_owned()
        };
        let left = area.row(bottom).first(LABEL);
        canvas.text(left, &label(columns.start), canvas.theme.muted);
        let right = area.row(bottom).last(LABEL);
        canvas.text(right, &label(columns.end - 1), canvas.theme.muted);
        let here = self.current().and_then(|item| item.entry.time);
        let here = here.and_then(|time| columns.column_of(time));
        let most = columns.counts.iter().map(|c| c.iter().sum()).max();
        let most: u64 = most.unwrap_or(1).max(1);
        let signs = if canvas.symbols.unicode {
            canvas.symbols.bars
        } else {
            PLAIN_BARS
        };
        for (number, counts) in columns.counts.iter().enumerate() {
            let Ok(x) = u16::try_from(number) else { break };
            let eighths = height(counts.iter().sum(), most, usize::from(rows) * 8);
            let bad = height(counts[0], most, usize::from(rows) * 8);
            let worse = bad + height(counts[1], most, usize::from(rows) * 8);
            for row in 0..rows {
                let below = usize::from(bottom - row) * 8;
                let filled = eighths.saturating_sub(below).min(8);
                let style = match below {
                    below if below < bad => canvas.theme.error,
                    below if below < worse => canvas.theme.warning,
                    _ if counts[2] > 0 => canvas.theme.info,
                    _ => canvas.theme.muted,
                };
                let sign = filled.checked_sub(1).and_then(|n| signs.get(n)).copied();
                let (x, y) = (bars.x + x, bars.y + row);
                canvas.glyph(x, y, sign.unwrap_or(" "), style);
                if here == Some(number) && row == bottom {
                    let mark = Style::new().add_modifier(Modifier::REVERSED);
                    let cell = Rect {
                        x,
                        y,
                        width: 1,
                        height: 1,
                    };
                    canvas.style(cell, mark);
                }
            }
        }
        self.strip = Some((bars, columns));
        rows
    }

    /// What is when: as counted in the background, which leaves archives alone, and with what is loaded of those. Until it is counted there
    /// is nothing to be seen that would not be another picture a moment later.
    fn columns(&mut self, count: usize) -> Option<Columns> {
        let start = self.times.start()?;
        let items = self.model.items.iter();
        let loaded = items.filter_map(|item| Some((item.entry.time?, item.entry.level)));
        let older = loaded.filter(|(time, _)| *time < start);
        self.times.columns(older, count)
    }

    /// A click on the strip goes to the time there; whether it was one.
    pub(super) fn click_strip(&mut self, column: u16, row: u16, cx: &Cx) -> bool {
        let time = self.strip.as_ref().and_then(|(place, columns)| {
            let is_inside = place.contains((column, row).into());
            is_inside.then(|| columns.time_of(usize::from(column - place.x)))
        });
        if let Some(time) = time {
            self.go_to(time, cx);
        }
        time.is_some()
    }
}

/// How high a bar is, in eighths. What is there at all is seen, and the few are not hidden by the many.
fn height(count: LevelCount, most: u64, room: usize) -> usize {
    if count == 0 {
        return 0;
    }
    let share = ((count as f64).sqrt() / (most as f64).sqrt()).min(1.0);
    ((share * room as f64).round() as usize).max(1)
}

type LevelCount = <Counts as IntoIterator>::Item;
