//! The views without a program: what they ask for, and what they draw at every size.

use debugger::data::{Column, Picture, Piece, Series, Stat, Table};
use serde_json::json;

use super::*;
use crate::{
    action::Layer,
    routes::debug::kit::test::{Stage, stopped_in_main},
};

/// A program that has so many rows.
fn page(query: &Query, total: u64) -> Table {
    let rows = query.rows.0..query.rows.1.min(total);
    Table {
        columns: (0..3)
            .map(|at| Column {
                name: format!("c{at}"),
                type_name: "int".to_owned(),
            })
            .collect(),
        width: 3,
        first: query.rows.0,
        total,
        all: total,
        labels: rows.clone().map(|row| row.to_string()).collect(),
        rows: rows
            .map(|row| vec![json!(row), json!("te\u{1b}xt"), json!(null)])
            .collect(),
        ..Table::default()
    }
}

/// Answers all that is asked, and gives the pages that were.
fn answered(
    view: &mut DataView,
    stage: &Stage,
    effects: Vec<Effect>,
    content: &dyn Fn(&Query) -> Data,
) -> Vec<Query> {
    let mut asked = Vec::new();
    let mut waiting = effects;
    while let Some(effect) = waiting.pop() {
        let Effect::Core {
            command: Command::Data { query, .. } | Command::Records { query, .. },
            tag,
        } = effect
        else {
            continue;
        };
        let data = Box::new(content(&query));
        asked.push(query);
        assert!(asked.len() < 20, "it asks for ever: {asked:?}");
        let cx = stage.cx();
        let result = Ok(Reply::Data { data });
        view.message(&Msg::Reply { tag, result }, &cx);
        waiting.extend(cx.effects.take());
    }
    asked
}

fn data(way: ViewMode, content: Content) -> Data {
    Data {
        kind: "list".to_owned(),
        shape: Some("1000000".to_owned()),
        views: vec![
            ViewMode::Table,
            ViewMode::Stats,
            ViewMode::Series,
            ViewMode::Image,
            ViewMode::Bytes,
            ViewMode::Text,
        ],
        view: Some(way),
        content,
        ..Data::default()
    }
}

/// The program counts in UTF-16, as JavaScript does.
#[test]
fn a_text_is_read_on_where_the_last_piece_ended() {
    let stage = Stage::new(stopped_in_main(1, Vec::new()));
    let mut view = DataView::new("text", Memory::default(), &stage.view());
    let whole = "\u{1f600}".repeat(80);
    let units: Vec<u16> = whole.encode_utf16().collect();
    let content = |query: &Query| {
        let range = query.rows.0 as usize..units.len().min(query.rows.1 as usize);
        let piece = Piece {
            first: query.rows.0,
            end: Some(range.end as u64),
            total: units.len() as u64,
            data: String::from_utf16(&units[range]).unwrap(),
        };
        data(ViewMode::Text, Content::Text(piece))
    };
    let first = view.first().into_iter().collect();
    let asked = answered(&mut view, &stage, first, &content);
    let rows: Vec<_> = asked.iter().map(|query| query.rows).collect();
    assert_eq!(rows, [(0, 100), (100, 100_100)]);
    let saved = view.seen().and_then(Shows::saved);
    assert_eq!(saved, Some(("txt", whole.into_bytes())));
}

#[test]
fn of_a_million_rows_those_in_sight_are_asked_for() {
    let stage = Stage::new(stopped_in_main(1, Vec::new()));
    let mut view = DataView::new("rows", Memory::default(), &stage.view());
    let content = |query: &Query| data(ViewMode::Table, Content::Table(page(query, 1_000_000)));
    let first = view.first().into_iter().collect();
    let asked = answered(&mut view, &stage, first, &content);
    assert_eq!(asked.iter().map(|q| q.rows).collect::<Vec<_>>(), [(0, 100)]);
    let text = stage.draw(&mut view, 80, 20).join("\n");
    assert!(
        text.contains("te␛xt") && text.contains("row 1 of 1,000,000"),
        "{text}"
    );
    let cx = stage.cx();
    view.walk(Step::Last, &cx);
    assert!(stage.draw(&mut view, 80, 20).join("\n").contains('…'));
    let asked = answered(&mut view, &stage, cx.effects.take(), &content);
    assert_eq!(
        asked.iter().map(|q| q.rows).collect::<Vec<_>>(),
        [(999_900, 1_000_000)]
    );
    assert!(stage.draw(&mut view, 80, 20).join("\n").contains("999999"));
    // What is seen again is not asked for again.
    let cx = stage.cx();
    view.walk(Step::First, &cx);
    stage.draw(&mut view, 80, 20);
    assert!(answered(&mut view, &stage, cx.effects.take(), &content).is_empty());
    // Another order is another table.
    let cx = stage.cx();
    view.act(Act::Sort, &cx);
    let asked = answered(&mut view, &stage, cx.effects.take(), &content);
    assert_eq!(asked[0].sort.as_deref(), Some("c0"));
    let cx = stage.cx();
    view.narrow("c0 > 5");
    view.look(&cx);
    let asked = answered(&mut view, &stage, cx.effects.take(), &content);
    assert_eq!(asked[0].filter.as_deref(), Some("c0 > 5"));
    // One that is refused is taken back, with the reason beside the rows.
    let cx = stage.cx();
    view.narrow("none > 5");
    view.look(&cx);
    let Some(Effect::Core { tag, .. }) = cx.effects.take().pop() else {
        panic!("nothing is asked");
    };
    let result = Err("there is no column none".into());
    let cx = stage.cx();
    view.message(&Msg::Reply { tag, result }, &cx);
    let asked = answered(&mut view, &stage, cx.effects.take(), &content);
    assert_eq!(asked[0].filter.as_deref(), Some("c0 > 5"));
    let text = stage.draw(&mut view, 80, 20).join("\n");
    assert!(
        text.contains("there is no column none") && text.contains("te␛xt"),
        "{text}"
    );
}

#[test]
fn what_is_compared_is_opened_at_what_differs() {
    let stage = Stage::new(stopped_in_main(1, Vec::new()));
    let opened = |differing: Option<u64>| {
        let mut view = DataView::new("rows", Memory::default(), &stage.view());
        view.compared = Some("before".to_owned());
        let content = |query: &Query| {
            let mut table = page(query, 250);
            table.columns.truncate(2);
            table.width = 2;
            let begin = "the same for long, and then ".repeat(4);
            let line = |end: &str| json!(format!("{begin}{end}"));
            let rows = (query.rows.0..).zip(table.labels.iter_mut().zip(&mut table.rows));
            for (at, (label, cells)) in rows {
                let differs = Some(at) == differing;
                label.insert_str(0, if differs { "~ " } else { "  " });
                *cells = vec![line("one"), line(if differs { "two" } else { "one" })];
            }
            data(ViewMode::Table, Content::Table(table))
        };
        let first = view.first().into_iter().collect();
        answered(&mut view, &stage, first, &content);
        stage.draw(&mut view, 80, 20).join("\n")
    };
    for row in [3, 230] {
        let text = opened(Some(row));
        let at = format!("row {} of 250", row + 1);
        let seen = text.contains("…nd then one") && text.contains("…nd then two");
        assert!(seen && text.contains(&at), "{text}");
    }
    let text = opened(None);
    assert!(
        text.contains("row 1 of 250") && text.contains("the same for long"),
        "{text}"
    );
    let cell = json!({"was": "a long path/to/the/file/one", "now": "a long path/to/the/file/two"});
    assert_eq!(table::in_short(&cell), "…he/file/one → …he/file/two");
    let numbers = [
        json!(1.0 / 3.0),
        json!(0.25),
        json!(2.0),
        json!(123_456_789_012.5),
    ];
    let short = numbers.each_ref().map(table::in_short);
    assert_eq!(short, ["0.3333…", "0.25", "2", "1.235e11…"]);
}

#[test]
fn every_way_to_look_is_drawn_at_every_size() {
    let mut stage = Stage::new(stopped_in_main(1, Vec::new()));
    let stat = Stat {
        name: "c\u{1b}".to_owned(),
        count: 3,
        min: json!({"shown": "NaN"}),
        mean: Some(f64::NAN),
        ..Stat::default()
    };
    let series = Series {
        stat: stat.clone(),
        step: 1,
        points: vec![
            Some((1.0, 2.0)),
            None,
            Some((f64::NAN, -5.0)),
            Some((7.0, 7.0)),
        ],
        bins: vec![1, 0, 9],
        low: -5.0,
        high: 7.0,
    };
    let picture = Picture {
        width: 3,
        height: 2,
        w: 3,
        h: 2,
        rgb: "AAAA////AAAA////AAAA".to_owned(),
    };
    let piece = |data: &str| Piece {
        total: 400,
        data: data.to_owned(),
        ..Piece::default()
    };
    let contents = [
        Content::Table(page(&Query::default(), 7)),
        Content::Stats(vec![stat]),
        Content::Series(Box::new(series)),
        Content::Image(picture),
        Content::Bytes(piece("AAECAwQF")),
        Content::Text(piece("{\"a\": [1700000000, \"\\u001b\"]}")),
    ];
    let ways = data(ViewMode::Table, Content::None).views;
    for (way, content) in ways.into_iter().zip(contents) {
        let mut view = DataView::new("value", Memory::default(), &stage.view());
        let first = view.first().into_iter().collect();
        answered(&mut view, &stage, first, &|_: &Query| {
            data(way, content.clone())
        });
        assert_eq!(view.way, Some(way));
        stage.survives(&mut view);
        let cx = stage.cx();
        for act in [
            Act::Other,
            Act::Unfold,
            Act::Sort,
            Act::Widen(9),
            Act::Match(true),
        ] {
            view.act(act, &cx);
        }
        sideways(&mut view, 1, &cx);
        drop(cx);
        stage.survives(&mut view);
    }
}

#[test]
fn an_attached_program_is_asked_once_somebody_agreed() {
    let mut known = stopped_in_main(7, Vec::new());
    for session in &mut known.sessions {
        (session.kind, session.reads_by_code) = (StartKind::Attach, true);
    }
    let stage = Stage::new(known);
    let mut view = DataView::new("rows", Memory::default(), &stage.view());
    assert!(view.first().is_none());
    let text = stage.draw(&mut view, 100, 20).join("\n");
    assert!(text.contains("This program was attached to"), "{text}");
    let cx = stage.cx();
    assert_eq!(view.invoke("data.enter", &cx), Some(Ok(())));
    assert!(matches!(
        &cx.effects.borrow()[..],
        [
            Effect::Work(_),
            Effect::Core {
                command: Command::Data { .. },
                ..
            }
        ]
    ));
    // From then on it is: the workspace remembers.
    let memory = view.memory.clone();
    assert!(
        DataView::new("others", memory, &stage.view())
            .first()
            .is_some()
    );
}

#[test]
fn records_are_followed_while_the_cursor_is_at_their_end() {
    let mut stage = Stage::new(stopped_in_main(1, Vec::new()));
    let mut view = DataView::of_records(Memory::default(), &stage.view());
    let told = |total: u64| {
        move |query: &Query| {
            let mut table = page(query, total);
            for row in &mut table.rows {
                row[1] = json!({"shown": "pay shop.py:7", "frames": [{"function": "pay", "file": "/project/shop.py", "line": 7}]});
            }
            data(ViewMode::Table, Content::Table(table))
        }
    };
    let first = view.first().into_iter().collect();
    answered(&mut view, &stage, first, &told(0));
    let text = stage.draw(&mut view, 100, 20).join("\n");
    assert!(text.contains("Nothing is recorded yet"), "{text}");
    let more = |view: &mut DataView, stage: &Stage, total| {
        let cx = stage.cx();
        view.refresh(&cx);
        answered(view, stage, cx.effects.take(), &told(total));
    };
    let shows = |view: &mut DataView, stage: &mut Stage, at: u64, of: u64| {
        let text = stage.draw(view, 100, 20).join("\n");
        assert!(text.contains(&format!("row {at} of {of} ")), "{text}");
        assert!(
            text.contains(&format!(" {} ", at - 1)),
            "its row is there: {text}"
        );
    };
    for total in [40, 99, 101, 230] {
        more(&mut view, &stage, total);
        shows(&mut view, &mut stage, total, total);
    }
    let cx = stage.cx();
    Scrolls::walk(&mut view, Step::Rows(-3), &cx);
    drop(cx);
    more(&mut view, &stage, 231);
    shows(&mut view, &mut stage, 227, 231);
    let cx = stage.cx();
    assert!(matches!(view.invoke("data.beside", &cx), Some(Err(_))));
    assert_eq!(view.invoke("data.enter", &cx), Some(Ok(())));
    let Some(Effect::Open(mut popup)) = cx.pop() else {
        panic!("nothing was opened")
    };
    let text = stage.draw(popup.as_mut(), 80, 20).join("\n");
    assert!(
        text.contains("pay") && text.contains("/project/shop.py:7"),
        "{text}"
    );
}
