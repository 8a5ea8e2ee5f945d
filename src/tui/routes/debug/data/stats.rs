//! Statistics of a table's columns: a row for each.

use debugger::data::{Content, Query, Stat};

use super::{
    Shows,
    table::{GAP, in_short, short_number},
};
use crate::debug_prelude::*;

/// What is in the columns.
#[derive(Default)]
pub struct Statistics {
    rows: Option<Vec<Stat>>,
    /// Characters of each column of the table that is shown.
    widths: [usize; COLUMNS.len()],
    list: ListState,
}

/// What is said of a column, each in so many characters at most.
const COLUMNS: [(&str, usize); 9] = [
    ("column", 20),
    ("type", 14),
    ("rows", 10),
    ("none", 8),
    ("distinct", 9),
    ("smallest", 16),
    ("largest", 16),
    ("mean", 12),
    ("deviation", 12),
];

fn cells(stat: &Stat) -> [String; COLUMNS.len()] {
    let number = |number: Option<f64>| number.map_or_else(String::new, short_number);
    let more = if stat.distinct_more { "+" } else { "" };
    [
        stat.name.clone(),
        stat.type_name.clone(),
        thousands(stat.count),
        thousands(stat.none),
        format!("{}{more}", stat.distinct),
        in_short(&stat.min).into_owned(),
        in_short(&stat.max).into_owned(),
        number(stat.mean),
        number(stat.deviation),
    ]
}

impl Shows for Statistics {
    fn wants(&mut self) -> Option<Query> {
        self.rows.is_none().then(|| Query {
            columns: (0, 200),
            ..Query::default()
        })
    }

    fn take(&mut self, _: &Query, content: &Content) {
        if let Content::Stats(stats) = content {
            self.widths = COLUMNS.map(|(title, _)| width(title));
            for cells in stats.iter().map(cells) {
                for ((wide, cell), (_, most)) in self.widths.iter_mut().zip(&cells).zip(COLUMNS) {
                    *wide = width(&sanitise(cell)).min(most).max(*wide);
                }
            }
            self.rows = Some(stats.clone());
        }
    }

    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let all = self.widths.iter().sum::<usize>() + GAP * COLUMNS.len();
        let gap = if all > usize::from(area.width) {
            1
        } else {
            GAP
        };
        let mut titles = canvas.cells_at(area);
        for ((title, _), wide) in COLUMNS.into_iter().zip(self.widths) {
            titles.column(title, wide, canvas.theme.title).skip(gap);
        }
        titles.draw(canvas, area.row(0));
        let rows = self.rows.as_deref().unwrap_or_default();
        list_of(canvas, rows.len()).cells(canvas, area.below(1), &mut self.list, |at, line| {
            let Some(stat) = rows.get(at) else { return };
            for ((text, wide), at) in cells(stat).iter().zip(self.widths).zip(0..) {
                let style = if at < 2 {
                    canvas.theme.text
                } else {
                    canvas.theme.number
                };
                line.column(text, wide, style).skip(gap);
            }
        });
    }

    fn scrolled(&mut self) -> Scrolled<'_> {
        let len = self.rows.as_ref().map_or(0, Vec::len);
        Scrolled::Rows(&mut self.list, len)
    }

    fn column(&self) -> Option<String> {
        let stat = self.rows.as_ref()?.get(self.list.selected()?)?;
        stat.mean.map(|_| stat.name.clone())
    }
}
