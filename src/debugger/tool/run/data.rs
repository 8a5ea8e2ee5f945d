//! A value as data: rows, columns in numbers, a line, a text.

use super::{Done, odd};
use crate::{
    data::{Content, Data, Query, View, shown},
    prelude::*,
    tool::{arguments::Arguments, discretion::Discretion, text, turn::Turn},
};

/// Points of a line that are told.
const POINTS: u32 = 200;

pub(super) async fn data(turn: &mut Turn, arguments: &Arguments) -> Result<Done, DebuggerError> {
    let session = Some(turn.session()?.id);
    let expression = arguments.owned("expression").unwrap_or_default();
    let view = arguments.text("as").and_then(View::named);
    let mut query = Query {
        view,
        sort: arguments.owned("sort"),
        filter: arguments.owned("filter"),
        column: arguments.owned("column"),
        points: POINTS,
        ..Query::default()
    };
    if matches!(view, Some(View::Text | View::Bytes)) {
        query.rows = (0, 10_000);
    }
    for (name, range) in [("rows", &mut query.rows), ("columns", &mut query.columns)] {
        if let Some(written) = arguments.text(name) {
            *range = Query::range(written).ok_or_else(|| {
                let what = format!("{name} must be a range, not {}", text::one_line(written));
                DebuggerError::new(Kind::Usage, what).hint("0..50 is the first fifty")
            })?;
        }
    }
    let command = Command::Data {
        session,
        frame_id: arguments.integer("frame_id"),
        expression: expression.clone(),
        query,
    };
    match turn.ask(command).await? {
        Reply::Data { mut data } => {
            hide(&mut data, &expression, &turn.discretion);
            Ok(Done::new(data.told()).with("data", data))
        }
        other => Err(odd(&other)),
    }
}

/// Leaves out the secrets, which are known by the names of their columns.
fn hide(data: &mut Data, expression: &str, discretion: &Discretion) {
    let cell = |name: &str, cell: &mut Value| {
        let own = shown(cell).into_owned();
        let clean = discretion.value(name, own.clone());
        if clean != own {
            *cell = clean.into();
        }
    };
    match &mut data.content {
        Content::Table(table) => {
            for row in &mut table.rows {
                for (column, value) in table.columns.iter().zip(row) {
                    cell(&column.name, value);
                }
            }
        }
        Content::Stats(stats) => {
            for stat in stats {
                cell(&stat.name, &mut stat.min);
                cell(&stat.name, &mut stat.max);
            }
        }
        Content::Text(piece) => {
            piece.data = discretion.value(expression, std::mem::take(&mut piece.data));
        }
        _ => {}
    }
}
