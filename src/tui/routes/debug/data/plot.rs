//! A plot: numbers in their order as a line of dots, or how they are distributed as bars.

use debugger::data::{Content, Query, Series, shown};

use super::{Act, Shows, table::short_number};
use crate::{routes::debug::kit::prelude::*, widgets::chart};

/// Numbers to plot.
pub struct Plot {
    column: Option<String>,
    series: Option<Box<Series>>,
    bars: bool,
}

/// Points that are asked for: two for each dot of a wide screen.
const POINTS: u32 = 1_600;
/// Dots of a cell of braille, by column and row.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

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

    fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let Some(series) = self.series.as_deref().filter(|_| area.height > 3) else {
            return;
        };
        let stat = &series.stat;
        let number =
            |number: Option<f64>| number.map_or_else(|| "unknown".to_owned(), short_number);
        let line = format!(
            "{}: {} values, {} none or NaN, from {} to {}, mean {}, standard deviation {}",
            stat.name,
            amount::thousands(stat.count),
            amount::thousands(stat.none),
            shown(&stat.min),
            shown(&stat.max),
            number(stat.mean),
            number(stat.deviation),
        );
        Cells::new(area.width, view)
            .put(&line, view.theme.text)
            .draw(buf, paint::row(area, 0));
        let foot = if self.bars {
            format!(
                "from {} to {}, in {} parts",
                short_number(series.low),
                short_number(series.high),
                series.bins.len()
            )
        } else {
            format!(
                "each point is {}",
                amount::count(series.step, "value", "values")
            )
        };
        let last = paint::row(area, area.height - 1);
        Cells::new(area.width, view)
            .put(&foot, view.theme.muted)
            .draw(buf, last);
        let room = Rect {
            height: area.height - 2,
            ..paint::below(area, 1)
        };
        let scale = [series.high, series.low].map(short_number);
        let wide = scale.iter().map(|text| width(text)).max().unwrap_or(0) as u16 + 1;
        let plot = paint::from(room, wide);
        if plot.is_empty() {
            return;
        }
        if self.bars {
            histogram(buf, plot, &series.bins, view);
            let most = series.bins.iter().max().copied().unwrap_or_default();
            paint::text(
                buf,
                paint::row(room, 0),
                &amount::thousands(most),
                view.theme.muted,
            );
        } else {
            dots(buf, plot, series, view);
            paint::text(buf, paint::row(room, 0), &scale[0], view.theme.muted);
            paint::text(
                buf,
                paint::row(room, room.height - 1),
                &scale[1],
                view.theme.muted,
            );
        }
    }

    fn walk(&mut self, _: Step) {}

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

/// Each point as dots from its smallest number to its largest.
fn dots(buf: &mut Buffer, area: Rect, series: &Series, view: &View<'_>) {
    let (wide, high) = (usize::from(area.width), usize::from(area.height));
    // Two columns and four rows of dots a cell; without braille one of each.
    let (across, down) = if view.symbols.unicode { (2, 4) } else { (1, 1) };
    let (columns, rows) = (wide * across, high * down);
    let spread = if series.high > series.low {
        series.high - series.low
    } else {
        1.0
    };
    let place = |value: f64| {
        let part = ((value - series.low) / spread).clamp(0.0, 1.0);
        rows - 1 - (part * (rows - 1) as f64).round() as usize
    };
    let count = series.points.len();
    let mut cells = vec![0_u8; wide * high];
    let mut before: Option<(usize, usize)> = None;
    for column in 0..columns.min(count.max(1) * columns) {
        let from = column * count / columns;
        let to = ((column + 1) * count / columns).max(from + 1).min(count);
        let points = series
            .points
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .flatten();
        let range = points.fold(None, |range: Option<(f64, f64)>, (low, high)| {
            Some(range.map_or((*low, *high), |(l, h)| (l.min(*low), h.max(*high))))
        });
        let Some((low, high)) = range else {
            before = None;
            continue;
        };
        let (mut top, mut bottom) = (place(high), place(low));
        let own = (top, bottom);
        // What lies apart is joined.
        if let Some((above, below)) = before {
            if above > bottom {
                bottom = above - 1;
            }
            if below < top {
                top = below + 1;
            }
        }
        before = Some(own);
        for row in top..=bottom {
            let cell = cells.get_mut(row / down * wide + column / across);
            let dot = DOTS
                .get(column % across)
                .and_then(|dots| dots.get(row % down));
            if let Some((cell, dot)) = cell.zip(dot) {
                *cell |= dot;
            }
        }
    }
    for (at, dots) in cells.into_iter().enumerate().filter(|(_, dots)| *dots > 0) {
        let braille = char::from_u32(0x2800 + u32::from(dots))
            .unwrap_or('*')
            .to_string();
        let glyph = if view.symbols.unicode {
            braille.as_str()
        } else {
            "*"
        };
        let (x, y) = (area.x + (at % wide) as u16, area.y + (at / wide) as u16);
        paint::glyph(buf, x, y, glyph, view.theme.info);
    }
}

/// Bars, as wide as there is room.
fn histogram(buf: &mut Buffer, area: Rect, bins: &[u64], view: &View<'_>) {
    let each = (usize::from(area.width) / bins.len().max(1)).max(1);
    let values: Vec<_> = bins
        .iter()
        .flat_map(|count| std::iter::repeat_n(*count, each))
        .collect();
    let most = bins.iter().max().copied().unwrap_or(1).max(1);
    let place = paint::first(area, values.len().min(usize::from(area.width)) as u16);
    chart::bars(buf, place, &values, most, view.look());
}
