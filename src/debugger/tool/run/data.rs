//! A value as data: rows, columns in numbers, a line, a text.

use super::prelude::*;

rows! {
    ROW "data" data EvalSafe "Look at a value as data, a page at a time: rows of a table (lists of records, frames, arrays, maps), what its columns add up to, a line of numbers, a text. Programs in Python and JavaScript make the page themselves, by code that only reads."
        needs ["expression"] takes ["as" "rows" "columns" "sort" "filter" "column" "compare" "frame_id"] asks "evaluate";
    ALWAYS "records" data "What breakpoints recorded instead of stopping: rows of a table, what its columns add up to, a line of numbers."
        takes ["as" "rows" "columns" "sort" "filter" "column"];
}

/// Points of a line that are told.
const POINTS: u32 = 200;

async fn data(turn: &mut Turn, arguments: &Arguments) -> Result<ActionOutput> {
    let session = Some(turn.session()?.id);
    let expression = arguments.needed("expression");
    let view = arguments.text("as").and_then(View::named);
    let mut query = Query {
        view,
        sort: arguments.owned("sort"),
        filter: arguments.owned("filter"),
        column: arguments.owned("column"),
        compare: arguments.owned("compare"),
        points: POINTS,
        ..Query::default()
    };
    if matches!(view, Some(View::Text | View::Bytes)) {
        query.rows = (0, 10_000);
    }
    for (name, range) in [("rows", &mut query.rows), ("columns", &mut query.columns)] {
        if let Some(written) = arguments.text(name) {
            *range = Query::range(written).ok_or_else(|| {
                let what = format!("{name} must be a range, not {}", one_line(written));
                DebuggerError::usage(what).hint("0..50 is the first fifty")
            })?;
        }
    }
    let is_compared = query.compare.is_some();
    let command = if turn.row.name == "records" {
        Command::Records { session, query }
    } else {
        Command::Data {
            session,
            frame_id: arguments.integer("frame_id"),
            expression: expression.clone(),
            query,
        }
    };
    match turn.ask(command).await? {
        Reply::Data { mut data } => {
            data.hide(&expression, is_compared, cleaner(&turn.discretion));
            Ok(ActionOutput::new(data.told()).with("data", data))
        }
        other => Err(other.unexpected()),
    }
}

/// Takes the secrets out of a text, with what it is called where it has a name.
fn cleaner(discretion: &Discretion) -> impl Fn(Option<&str>, String) -> String {
    move |name, text| match name {
        Some(name) => discretion.value(name, text),
        None => discretion.text(text),
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, prelude::BASE64_STANDARD};

    use super::*;
    use crate::data::{Column, Content, Data, Piece, Table, compare::compare};

    fn hidden(content: Content, expression: &str) -> Data {
        let mut data = Data {
            content,
            ..Data::default()
        };
        data.hide(expression, false, cleaner(&Discretion::default()));
        data
    }

    #[test]
    fn secrets_are_hidden_by_the_names_of_columns_and_of_rows_and_in_bytes() {
        let table = |column: &str, label: &str| {
            Content::Table(Table {
                columns: vec![Column {
                    name: column.to_owned(),
                    ..Column::default()
                }],
                labels: vec![label.to_owned()],
                rows: vec![vec!["wolf-hound-77".into()]],
                ..Table::default()
            })
        };
        let one = |value: &str| {
            let mut table = table("value", "password");
            if let Content::Table(table) = &mut table {
                table.rows = vec![vec![value.into()]];
            }
            Data {
                content: table,
                ..Data::default()
            }
        };
        let query = Query {
            rows: (0, 10),
            ..Query::default()
        };
        let mut both = compare(&one("wolf-hound-77"), &one("sheep-in-99"), "stop 1", &query);
        both.hide("user", true, cleaner(&Discretion::default()));
        let told = format!("{both:?}");
        assert!(
            !told.contains("wolf") && !told.contains("sheep") && told.contains("~ password"),
            "{told}"
        );
        let bytes = Content::Bytes(Piece {
            data: BASE64_STANDARD.encode("user=ada password=wolf-hound-77\n"),
            ..Piece::default()
        });
        for (content, hides) in [
            (table("password", "0"), true),
            (table("value", "password"), true),
            (table("name", "0"), false),
        ] {
            let told = format!("{:?}", hidden(content, "rows"));
            assert_eq!(!told.contains("wolf"), hides, "{told}");
        }
        let Content::Bytes(piece) = hidden(bytes, "body").content else {
            panic!("they are bytes");
        };
        let told = BASE64_STANDARD.decode(piece.data).unwrap();
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains("ada") && !told.contains("wolf"), "{told}");
    }
}
