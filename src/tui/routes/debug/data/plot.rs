//! A plot: numbers in their order as a line, or how they are distributed as bars.

use debugger::data::{Content, Query, Series, shown};
use ratatui::{
    style::Color,
    symbols::Marker,
    widgets::{
        Widget as _,
        canvas::{Canvas as Lines, Line as Stroke},
    },
};

use super::{Act, Shows, table::short_number};
use crate::debug_prelude::*;

/// Numbers to plot.
pub struct Plot {
    column: Option<String>,
    series: Option<Box<Series>>,
    bars: bool,
}

/// Points that are asked for: two for each dot of a wide screen.
const POINTS: u32 = 1_600;
impl Plot {
    /// Of a column; none = the first with numbers.
    pub fn of(column: Option<String>) -> Self {
        Self {
            column,
            series: None,
            bars: false,
        }
    }
}

impl Shows for Plot {
    fn wants(&mut self) -> Option<Query> {
        self.series.is_none().then(|| Query {
            column: self.column.clone(),
            points: POINTS,
            ..Query::default()
        })
    }

    fn take(&mut self, _: &Query, content: &Content) {
        if let Content::Series(series) = content {
            self.series = Some(series.clone());
        }
    }

    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let Some(series) = self.series.as_deref().filter(|_| area.height > 3) else {
            return;
        };
        let stat = &series.stat;
        let number =
            |number: Option<f64>| number.map_or_else(|| "unknown".to_owned(), short_number);
        let about = format!(
            "{}: {} values, {} none or NaN, from {} to {}, mean {}, standard deviation {}",
            stat.name,
            thousands(stat.count),
            thousands(stat.none),
            shown(&stat.min),
            shown(&stat.max),
            number(stat.mean),
            number(stat.deviation),
        );
        cut_line(canvas, area.row(0), &about, canvas.theme.text);
        let foot = if self.bars {
            format!(
                "from {} to {}, in {} parts",
                short_number(series.low),
                short_number(series.high),
                series.bins.len()
            )
        } else {
            format!("each point is {}", counted(series.step, "value"))
        };
        let (room, last) = split(area.below(1), area.height - 2);
        cut_line(canvas, last, &foot, canvas.theme.muted);
        let scale = [series.high, series.low].map(short_number);
        let wide = scale.iter().map(|text| width(text)).max().unwrap_or(0) as u16 + 1;
        let plot = room.after(wide);
        if plot.is_empty() {
            return;
        }
        if self.bars {
            histogram(canvas, plot, &series.bins);
            let most = series.bins.iter().max().copied().unwrap_or_default();
            canvas.text(room, &thousands(most), canvas.theme.muted);
        } else {
            line(canvas, plot, series);
            canvas.text(room, &scale[0], canvas.theme.muted);
            let low = room.row(room.height - 1);
            canvas.text(low, &scale[1], canvas.theme.muted);
        }
    }

    fn can(&self, act: Act) -> bool {
        act == Act::Other
    }

    fn act(&mut self, act: Act) {
        self.bars ^= act == Act::Other;
    }

    fn saved(&self) -> Option<(&'static str, Vec<u8>)> {
        let series = self.series.as_deref()?;
        Some(("json", serde_json::to_vec_pretty(series).ok()?))
    }
}

/// Each point from its smallest number to its largest, joined with the one before.
fn line(canvas: &Canvas, area: Rect, series: &Series) {
    let (low, high) = match (series.low, series.high) {
        (low, high) if low < high => (low, high),
        (low, _) => (low - 0.5, low + 0.5),
    };
    let colour = canvas.theme.info.fg.unwrap_or(Color::Reset);
    let is_ascii = !canvas.symbols.unicode;
    let marker = if is_ascii {
        Marker::Dot
    } else {
        Marker::Braille
    };
    let last = series.points.len().saturating_sub(1).max(1) as f64;
    let lines = Lines::default()
        .marker(marker)
        .x_bounds([0.0, last])
        .y_bounds([low, high])
        .paint(|lines| {
            let mut before: Option<(f64, f64)> = None;
            for (point, x) in series.points.iter().zip(0_u32..) {
                let x = f64::from(x);
                let point = point.filter(|(least, most)| least.is_finite() && most.is_finite());
                if let Some((least, most)) = point {
                    lines.draw(&Stroke::new(x, least, x, most, colour));
                    if let Some((_, end)) = before {
                        lines.draw(&Stroke::new(x - 1.0, end, x, least, colour));
                    }
                }
                before = point;
            }
        });
    let mut cells = canvas.cells();
    lines.render(area, &mut cells);
    for at in area.positions().filter(|_| is_ascii) {
        if let Some(cell) = cells.cell_mut(at).filter(|cell| cell.symbol() != " ") {
            cell.set_symbol("*");
        }
    }
}

/// Bars, as wide as there is room.
fn histogram(canvas: &Canvas, area: Rect, bins: &[u64]) {
    let each = (usize::from(area.width) / bins.len().max(1)).max(1);
    let values: Vec<_> = bins
        .iter()
        .flat_map(|count| std::iter::repeat_n(*count, each))
        .collect();
    let most = bins.iter().max().copied().unwrap_or(1).max(1);
    let place = area.first(values.len().min(usize::from(area.width)) as u16);
    canvas.bars(place, &values, most);
}
