//! What is read, written and put together without a program.

use super::{
    Table,
    parts::{Rows, cell},
    *,
};
use crate::prelude::*;

#[test]
fn ranges_are_written_as_people_do() {
    for (text, range) in [
        ("0..50", (0, 50)),
        (" ..3", (0, 3)),
        ("2..=4", (2, 5)),
        ("7..7", (7, 7)),
    ] {
        assert_eq!(Query::range(text), Some(range), "{text}");
    }
    for text in [
        "",
        "5",
        "5..",
        "3..2",
        "-1..2",
        "a..b",
        "0..=18446744073709551615",
    ] {
        assert_eq!(Query::range(text), None, "{text}");
    }
}

#[test]
fn what_stands_in_quotes_is_meant_without_them() {
    let line = "orders[0] --filter 'price > 90' --compare \"stop 1\" --rows 0..3";
    let (expression, query) = Query::written(line).unwrap();
    assert_eq!((&*expression, query.rows), ("orders[0]", (0, 3)));
    assert_eq!(query.filter.as_deref(), Some("price > 90"));
    assert_eq!(query.compare.as_deref(), Some("stop 1"));
}

#[test]
fn conditions_are_read_and_hold() {
    use Comparison::{Has, Is, Least, Less};
    let term =
        |name: Option<&str>, how, value: &str| Term(name.map(str::to_owned), how, value.to_owned());
    for (text, terms) in [
        (
            "price >= 10 and name ~ ada",
            vec![
                term(Some("price"), Least, "10"),
                term(Some("name"), Has, "ada"),
            ],
        ),
        ("a==\"x y\"", vec![term(Some("a"), Is, "x y")]),
        ("just text", vec![term(None, Has, "just text")]),
        ("<5", vec![term(None, Has, "<5")]),
        ("a<'1'", vec![term(Some("a"), Less, "1")]),
        ("", vec![]),
    ] {
        assert_eq!(Term::read(text), terms, "{text}");
    }
    let is_refused = |text: &str| {
        let filter = Some(text.to_owned());
        let query = Query {
            filter,
            ..Query::default()
        };
        query.check().is_err()
    };
    for text in [
        "price > 98 or qty = 0",
        "price >",
        "a = 1 and b =",
        "a = and b = \"x\"",
    ] {
        assert!(is_refused(text), "{text}");
    }
    for text in [
        "this or that",
        "name = now or never",
        "name = \"\"",
        "> 5",
        "",
    ] {
        assert!(!is_refused(text), "{text}");
    }
    let holds = |text: &str, cell: Value| Term::read(text)[0].holds(&cell);
    assert!(holds("a > 9", json!(10)) && !holds("a > 9", json!(9)) && holds("a != 1", Value::Null));
    assert!(
        holds("a ~ DA", json!("Ada"))
            && holds("a = true", json!(true))
            && !holds("a < 3", Value::Null)
    );
    assert!(holds("a = None", Value::Null) && !holds("a != nil", Value::Null));
    assert!(!holds("a = None", json!(0)) && holds("a = None", json!("None")));
    assert!(holds("a < b", json!("a")) && !holds("a < 3", json!({"shown": "NaN"})));
}

#[test]
fn cells_are_what_debuggers_write() {
    for (text, value) in [
        ("42", json!(42)),
        (" 1.5", json!(1.5)),
        ("\"a\\nb\"", json!("a\nb")),
        ("\"\\x41\"", json!("\\x41")),
        ("true", json!(true)),
        ("nil", Value::Null),
        ("NaN", json!({"shown": "NaN"})),
        ("0x55", json!({"shown": "0x55"})),
    ] {
        assert_eq!(cell(text), value, "{text}");
    }
}

#[test]
fn rows_are_sorted_filtered_and_summed_up() {
    let column = |name: &str| Column {
        name: name.to_owned(),
        type_name: String::new(),
    };
    let rows = || Rows {
        columns: vec![column("n"), column("t")],
        labels: (0..4).map(|at| at.to_string()).collect(),
        rows: vec![
            vec![json!(3), json!("c")],
            vec![Value::Null, json!("d")],
            vec![json!(1.5), json!("a")],
            vec![json!({"shown": "NaN"}), json!("b")],
        ],
        first: 0,
        total: 4,
    };
    let query = Query {
        sort: Some("-n".to_owned()),
        filter: Some("t != b".to_owned()),
        ..Query::default()
    };
    let ordered = rows().ordered(&query).unwrap();
    assert_eq!(
        (ordered.total, ordered.labels.join("")),
        (3, "021".to_owned())
    );
    let Ok(Content::Stats(stats)) = rows().seen(View::Stats, &query) else {
        panic!()
    };
    assert_eq!(
        (stats[0].count, stats[0].none, stats[0].mean),
        (4, 2, Some(2.25))
    );
    let Ok(Content::Series(series)) = rows().seen(View::Series, &query) else {
        panic!()
    };
    assert_eq!(
        series.points,
        [Some((3.0, 3.0)), None, Some((1.5, 1.5)), None]
    );
    assert_eq!(
        (series.bins.iter().sum::<u64>(), series.low, series.high),
        (2, 1.5, 3.0)
    );
    let unknown = Query {
        sort: Some("x".to_owned()),
        ..Query::default()
    };
    assert!(rows().ordered(&unknown).is_err());
}

#[test]
fn answers_of_programs_are_read_whatever_they_are() {
    let text = r#"{"kind": "list", "views": ["table"], "view": "table", "shape": "1", "content": {"columns": [{"name": "a", "type": "int"}], "rows": [[1]], "labels": ["0"], "total": 1}}"#;
    for quoted in [
        text.to_owned(),
        format!("'{text}'"),
        json!(text).to_string(),
    ] {
        let data = code::read(&quoted).unwrap();
        let Content::Table(table) = data.content else {
            panic!("{quoted}")
        };
        assert_eq!((table.total, table.rows[0][0].clone()), (1, json!(1)));
    }
    let refused = code::read(r#"{"kind": "int", "error": "It cannot."}"#).unwrap_err();
    assert_eq!(refused.what, "It cannot.");
    for odd in [
        "",
        "'",
        "{}",
        "[]",
        "NameError('x')",
        r#"{"view": "table"}"#,
        r#"{"view": "table", "content": 5}"#,
        r#"{"view": "none such", "content": {}}"#,
    ] {
        let _ = code::read(odd);
    }
    assert!(code::read("nonsense").is_err());
}

#[test]
fn an_expression_of_a_person_stays_one() {
    let query = Query::default();
    let text = code::expression(code::Language::Python, "a[\"é\"] # x\n", &query, 4.0, "1");
    assert!(
        text.is_ascii() && text.contains(r#"eval("a[\"\u00e9\"] # x", globals(), locals())"#),
        "{text}"
    );
    assert!(!text.contains('\n'));
}

/// A table of one column, as it was asked for.
fn one_column(labels: &[&str], cells: &[i64]) -> Data {
    let total = cells.len() as u64;
    let content = Content::Table(Table {
        columns: vec![Column {
            name: "n".to_owned(),
            ..Column::default()
        }],
        total,
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        rows: cells.iter().map(|n| vec![json!(n)]).collect(),
        ..Table::default()
    });
    Data {
        content,
        ..Data::default()
    }
}

fn beside(was: &Data, now: &Data, query: &Query) -> (Vec<String>, Vec<String>) {
    let data = compare::compare(was, now, "before", query);
    let Content::Table(table) = data.content else {
        panic!("a comparison is a table")
    };
    let cells = table.rows.iter().map(|row| shown(&row[0]).into_owned());
    let rows = table.labels.iter().zip(cells);
    (
        rows.map(|(label, cell)| format!("{label}: {cell}"))
            .collect(),
        data.notes,
    )
}

#[test]
fn what_was_put_in_between_moves_what_is_behind_it() {
    let positions = ["0", "1", "2", "3"];
    let (was, now) = (
        one_column(&positions, &[1, 2, 3]),
        one_column(&positions, &[1, 9, 2, 4]),
    );
    let (rows, notes) = beside(&was, &now, &Query::default());
    assert_eq!(rows, ["  0: 1", "+ 1: 9", "  2: 2", "~ 3: 3 → 4"]);
    assert_eq!(notes, ["2 of 4 rows differ from before."]);
    // Of the rows of a page no more is told.
    let query = Query {
        rows: (1, 3),
        ..Query::default()
    };
    assert_eq!(beside(&was, &now, &query).0, ["+ 1: 9", "  2: 2"]);
    // Keys are not what they are at another place.
    let (was, now) = (
        one_column(&["a", "b"], &[1, 2]),
        one_column(&["a", "c"], &[1, 2]),
    );
    assert_eq!(
        beside(&was, &now, &Query::default()).0,
        ["  a: 1", "- b: 2", "+ c: 2"]
    );
    // Of a table whose rows keep their names, the one that was taken out is gone, and no other is another one.
    let (was, now) = (
        one_column(&positions, &[1, 2, 3, 4]),
        one_column(&["0", "2", "3"], &[1, 3, 5]),
    );
    let (rows, notes) = beside(&was, &now, &Query::default());
    assert_eq!(rows, ["  0: 1", "- 1: 2", "  2: 3", "~ 3: 4 → 5"]);
    assert_eq!(notes, ["2 of 4 rows differ from before."]);
}

#[test]
fn tables_are_compared_in_the_columns_that_both_have() {
    let was = one_column(&["0", "1"], &[1, 2]);
    let mut now = one_column(&["0", "1"], &[1, 3]);
    let Content::Table(table) = &mut now.content else {
        unreachable!()
    };
    table.columns.insert(
        0,
        Column {
            name: "new".to_owned(),
            ..Column::default()
        },
    );
    table.width = 2;
    for row in &mut table.rows {
        row.insert(0, json!("added"));
    }
    let (rows, notes) = beside(&was, &now, &Query::default());
    assert_eq!(rows, ["  0: 1", "~ 1: 2 → 3"]);
    let told = [
        "1 of 2 rows differ from before.",
        "Columns only here: `new`.",
    ];
    assert_eq!(notes, told);
}

#[test]
fn rows_of_a_page_are_compared_by_their_numbers() {
    let mut was = one_column(&["100", "101", "102"], &[5, 6, 7]);
    let mut now = one_column(&["100", "101"], &[5, 8]);
    for data in [&mut was, &mut now] {
        if let Content::Table(table) = &mut data.content {
            (table.first, table.total) = (100, 5_000);
        }
    }
    let query = Query {
        rows: (100, 103),
        ..Query::default()
    };
    let (rows, notes) = beside(&was, &now, &query);
    assert_eq!(rows, ["  100: 5", "~ 101: 6 → 8", "- 102: 7"]);
    assert_eq!(notes, ["2 of the rows 100..103 differ from before."]);
}

#[test]
fn what_a_value_is_compared_with_is_read() {
    let read = compare::Other::read;
    let other = read(" stop 3 ");
    assert_eq!((other.stop, other.expression), (Some(3), None));
    let other = read("thread -1 frame 2 stop + 1");
    assert_eq!(
        (other.thread, other.frame, other.stop),
        (Some(-1), Some(2), None)
    );
    assert_eq!(other.expression.as_deref(), Some("stop + 1"));
    assert_eq!(read("frame").expression.as_deref(), Some("frame"));
    assert_eq!(read(""), compare::Other::default());
}

/// A program may say anything of where a piece ends: one that does not go on ends the reading.
#[test]
fn a_piece_follows_only_where_it_goes_on() {
    let piece = |first, end| Piece {
        first,
        end,
        total: 100,
        data: "abc".to_owned(),
    };
    for (piece, known, follows) in [
        (piece(5, None), 5, true),
        (piece(5, Some(9)), 5, true),
        (piece(5, Some(5)), 5, false),
        (piece(5, Some(2)), 5, false),
        (piece(4, Some(9)), 5, false),
        (piece(u64::MAX, None), u64::MAX, false),
    ] {
        assert_eq!(piece.follows(known), follows, "{piece:?}");
    }
}

#[test]
fn a_part_is_split_from_what_holds_it() {
    for (expression, split) in [
        ("a.b[0]", Some(("a.b", "[0]"))),
        ("m[\"k.v\"].name", Some(("m[\"k.v\"]", "name"))),
        ("name", None),
        ("[0]", None),
        ("", None),
    ] {
        assert_eq!(code::last_step(expression), split, "{expression}");
    }
}
