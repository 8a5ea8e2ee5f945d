//! A plot: numbers in their order as a line, or how they are distributed as bars.

use debugger::data::{Content, Query, Series, shown};
use ratatui::{
    style::Color,
    symbols::Marker,
    widgets::{
        Widget as _,
        canvas::{self, Canvas},
    },
};

use super::{Act, Shows, table::short_number};
use crate::routes::debug::prelude::*;

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

    fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View) {
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
        cut_line(buf, paint::row(area, 0), &about, view.theme.text, view);
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
        let (room, last) = split(paint::below(area, 1), area.height - 2);
        cut_line(buf, last, &foot, view.theme.muted, view);
        let scale = [series.high, series.low].map(short_number);
        let wide = scale.iter().map(|text| width(text)).max().unwrap_or(0) as u16 + 1;
        let plot = paint::from(room, wide);
        if plot.is_empty() {
            return;
        }
        if self.bars {
            histogram(buf, plot, &series.bins, view);
            let most = series.bins.iter().max().copied().unwrap_or_default();
            paint::text(buf, room, &thousands(most), view.theme.muted);
        } else {
            line(buf, plot, series, view);
            paint::text(buf, room, &scale[0], view.theme.muted);
            let low = paint::row(room, room.height - 1);
            paint::text(buf, low, &scale[1], view.theme.muted);
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
fn line(buf: &mut Buffer, area: Rect, series: &Series, view: &View) {
    let (low, high) = match (series.low, series.high) {
        (low, high) if low < high => (low, high),
        (low, _) => (low - 0.5, low + 0.5),
    };
    let colour = view.theme.info.fg.unwrap_or(Color::Reset);
    let is_ascii = !view.symbols.unicode;
    let marker = if is_ascii {
        Marker::Dot
    } else {
        Marker::Braille
    };
    let last = series.points.len().saturating_sub(1).max(1) as f64;
    let canvas = Canvas::default()
        .marker(marker)
        .x_bounds([0.0, last])
        .y_bounds([low, high])
        .paint(|canvas| {
            let mut before: Option<(f64, f64)> = None;
            for (point, x) in series.points.iter().zip(0_u32..) {
                let x = f64::from(x);
                let point = point.filter(|(least, most)| least.is_finite() && most.is_finite());
                if let Some((least, most)) = point {
                    canvas.draw(&canvas::Line::new(x, least, x, most, colour));
                    if let Some((_, end)) = before {
                        canvas.draw(&canvas::Line::new(x - 1.0, end, x, least, colour));
                    }
                }
                before = point;
            }
        });
    canvas.render(area, buf);
    for at in area.positions().filter(|_| is_ascii) {
        if let Some(cell) = buf.cell_mut(at).filter(|cell| cell.symbol() != " ") {
            cell.set_symbol("*");
        }
    }
}

/// Bars, as wide as there is room.
fn histogram(buf: &mut Buffer, area: Rect, bins: &[u64], view: &View) {
    let each = (usize::from(area.width) / bins.len().max(1)).max(1);
    let values: Vec<_> = bins
        .iter()
        .flat_map(|count| std::iter::repeat_n(*count, each))
        .collect();
    let most = bins.iter().max().copied().unwrap_or(1).max(1);
    let place = paint::first(area, values.len().min(usize::from(area.width)) as u16);
    chart::bars(buf, place, &values, most, view.look());
}
