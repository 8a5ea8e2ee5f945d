//! What is seen of a value, as text for people and models.

use base::text::{
    amount,
    sanitise::{sanitise, sanitise_block},
    width::{truncate, width},
};

use super::{Content, Data, Series, Stat, Table, shown};

/// Characters of a cell that are told.
const WIDEST: usize = 40;

/// Foreign text within a line.
fn one_line(text: &str) -> String {
    sanitise(text).into_owned()
}

impl Data {
    /// In lines.
    pub fn told(&self) -> String {
        let data = self;
        let shape = data.shape.as_deref().map(|shape| format!(" {shape}"));
        let mut lines = vec![one_line(&format!(
            "{}{}",
            data.kind,
            shape.unwrap_or_default()
        ))];
        match &data.content {
            Content::None => lines.push(
                "It is no table, text or bytes: evaluate shows the value, variables its parts."
                    .to_owned(),
            ),
            Content::Table(table) => lines.extend(rows(table)),
            Content::Stats(stats) => lines.extend(stats.iter().map(stat)),
            Content::Series(series) => lines.extend(line(series)),
            Content::Text(piece) => {
                lines.push(sanitise_block(&piece.data));
                let end = piece.end();
                if end < piece.total {
                    lines.push(format!(
                        "(characters {} to {end} of {})",
                        piece.first, piece.total
                    ));
                }
            }
            Content::Bytes(piece) => lines.push(piece.data.clone()),
            Content::Image(picture) => {
                lines.push(format!(
                    "(a picture of {} × {})",
                    picture.width, picture.height
                ));
            }
        }
        lines.extend(
            data.notes
                .iter()
                .map(|note| format!("({})", one_line(note))),
        );
        lines.join("\n")
    }
}

/// A page with its columns under each other.
fn rows(table: &Table) -> Vec<String> {
    let cut = |text: &str| truncate(&one_line(text), WIDEST).0.into_owned();
    let head = table.columns.iter().map(|column| cut(&column.name));
    let mut grid: Vec<Vec<String>> = vec![std::iter::once(String::new()).chain(head).collect()];
    for (label, row) in table.labels.iter().zip(&table.rows) {
        let cells = row.iter().map(|cell| cut(&shown(cell)));
        grid.push(std::iter::once(cut(label)).chain(cells).collect());
    }
    let wide = |at: usize| {
        grid.iter()
            .filter_map(|row| row.get(at))
            .map(|cell| width(cell))
            .max()
    };
    let widths: Vec<_> = (0..=table.columns.len()).filter_map(wide).collect();
    let line = |row: &Vec<String>| {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, wide)| format!("{cell}{}", " ".repeat(wide.saturating_sub(width(cell)))));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines: Vec<_> = grid.iter().map(line).collect();
    let end = table.first + table.rows.len() as u64;
    if end < table.total || table.first > 0 {
        lines.push(format!(
            "(rows {} to {end} of {}; ask with rows)",
            table.first, table.total
        ));
    }
    let right = table.first_column + table.columns.len() as u64;
    if right < table.width {
        lines.push(format!(
            "({} columns more; ask with columns)",
            table.width - right
        ));
    }
    lines
}

fn stat(stat: &Stat) -> String {
    let more = if stat.distinct_more { "at least " } else { "" };
    let number =
        |name: &str, value: Option<f64>| value.map(|v| format!(", {name} {v}")).unwrap_or_default();
    one_line(&format!(
        "- {} ({}): {} values, {} none, {more}{} distinct, min {}, max {}{}{}",
        stat.name,
        stat.type_name,
        stat.count,
        stat.none,
        stat.distinct,
        shown(&stat.min),
        shown(&stat.max),
        number("mean", stat.mean),
        number("standard deviation", stat.deviation),
    ))
}

fn line(series: &Series) -> Vec<String> {
    let points = series.points.iter().map(|point| match point {
        Some((low, high)) if low < high => format!("{low}..{high}"),
        Some((low, _)) => low.to_string(),
        None => "NaN".to_owned(),
    });
    vec![
        stat(&series.stat),
        format!(
            "Each point is {}: {}",
            amount::count(series.step, "value", "values"),
            points.collect::<Vec<_>>().join(" ")
        ),
    ]
}
