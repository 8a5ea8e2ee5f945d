//! Rows of frames that come, go and are hidden.

use std::sync::Mutex;

use diagnostics::sse::{Assembly, Event, Foreign};

use super::*;

/// Frames of response 1 and 2 in turn, a second apart; every fifth is a ping.
pub fn batch(from: u64, to: u64) -> Batch {
    let responses: Vec<Arc<Response>> = (1..=2)
        .map(|number| {
            Arc::new(Response {
                number,
                started: Some(1_787_300_000_000),
                status: Some(200),
                ..Response::default()
            })
        })
        .collect();
    let records = (from..to).map(|n| StoredRecord {
        record: Arc::new(Record {
            sequence: n,
            time: Some(1_787_300_000_000 + n as i64 * 1000),
            response: Arc::clone(&responses[n as usize % 2]),
            what: RecordKind::Event(event(if n % 5 == 0 { "ping" } else { "delta" }, n)),
        }),
        plain: None,
    });
    let streams = responses.iter().map(|response| Streamed {
        response: Arc::clone(response),
        plain: None,
        message: Arc::new(Mutex::new(Assembly::default())),
    });
    Batch {
        records: records.collect(),
        streams: if from == 1 {
            streams.collect()
        } else {
            Vec::new()
        },
        first: 1,
        first_stream: 1,
        total_events: to - 1,
        ..Batch::default()
    }
}

fn event(kind: &str, n: u64) -> Event {
    let data = format!("{{\"n\":{n}}}");
    Event {
        raw: format!("event: {kind}\ndata: {data}\n").into_bytes(),
        event: Some(kind.to_owned()),
        data: Some(data),
        complete: true,
        ..Event::default()
    }
}

#[test]
fn rows_are_of_one_response_or_of_all_and_without_what_is_hidden() {
    let mut model = Model::default();
    let change = model.take(&batch(1, 21));
    assert_eq!(
        (change.added, model.rows(), model.streams.len()),
        (20, 20, 2)
    );
    model.set_filter(Filter {
        stream: Some(1),
        ..Filter::default()
    });
    assert_eq!(model.rows(), 10);
    assert!((0..10).all(|row| model.at(row).unwrap().stream() == 1));
    assert_eq!(model.kinds().get("ping"), Some(&2));
    model.set_filter(Filter {
        stream: Some(1),
        hidden: ["ping".to_owned()].into(),
    });
    assert_eq!((model.rows(), model.hidden()), (8, 2));
    let change = model.take(&batch(21, 31));
    assert_eq!((change.added, model.rows(), model.hidden()), (4, 12, 3));
}

#[test]
fn gaps_are_those_inside_of_a_response() {
    let mut model = Model::default();
    model.take(&batch(1, 5));
    let gaps: Vec<_> = (0..4).map(|row| model.at(row).unwrap().gap).collect();
    assert_eq!(gaps, [Some(1000), Some(2000), Some(2000), Some(2000)]);
}

#[test]
fn what_is_let_go_leaves_the_rows() {
    let mut model = Model::default();
    model.take(&batch(1, 21));
    model.set_filter(Filter {
        stream: Some(2),
        ..Filter::default()
    });
    let next = Batch {
        first: 11,
        ..batch(21, 23)
    };
    let change = model.take(&next);
    assert_eq!((change.gone, change.added), (5, 1));
    assert_eq!(model.at(0).map(Frame::sequence), Some(11));
    assert_eq!(model.frames.len(), 12);
    assert_eq!((model.is_row(13), model.is_row(12)), (Some(1), None));
    assert_eq!(model.row_of(12), Some(0));
}

#[test]
fn a_replay_shows_what_had_come_by_then() {
    let mut model = Model::default();
    model.take(&batch(1, 21));
    model.set_until(Some(3));
    assert_eq!(model.rows(), 3);
    model.set_until(Some(7));
    assert_eq!(model.rows(), 7);
    model.set_until(Some(6));
    assert_eq!(model.rows(), 6);
    // What comes meanwhile is kept, and waits.
    model.take(&batch(21, 31));
    assert_eq!(model.rows(), 6);
    model.set_until(None);
    assert_eq!(model.rows(), 30);
}

#[test]
fn trouble_and_pauses_are_remembered() {
    let mut model = Model::default();
    let mut batch = batch(1, 3);
    let response = Arc::clone(&batch.records[0].record.response);
    let record = |sequence, seconds: i64, what| StoredRecord {
        record: Arc::new(Record {
            sequence,
            time: Some(1_787_300_000_000 + seconds * 1000),
            response: Arc::clone(&response),
            what,
        }),
        plain: None,
    };
    batch
        .records
        .push(record(3, 60, RecordKind::Event(event("delta", 3))));
    let foreign = Foreign {
        text: "<html>".to_owned(),
        reason: "it is a page".to_owned(),
        original_chars: None,
    };
    batch
        .records
        .push(record(4, 61, RecordKind::Foreign(foreign)));
    model.take(&batch);
    let notable: Vec<_> = model.notable(9).collect();
    assert_eq!(notable, [(3, false), (2, true)]);
    assert_eq!(
        model.find(Some(0), false, |f| is_bad(&f.kept.record)),
        Some(3)
    );
}

#[test]
fn the_head_of_a_response_is_no_frame_and_has_no_number() {
    let mut model = Model::default();
    let mut first = batch(1, 8);
    let head = first.records.first_mut().unwrap();
    let record = Record {
        what: RecordKind::Response,
        ..(*head.record).clone()
    };
    head.record = Arc::new(record);
    model.take(&first);
    assert_eq!((model.rows(), model.counts()), (7, (6, 6)));
    let numbers: Vec<_> = model.frames.iter().map(|frame| frame.number).collect();
    let expected = [None, Some(1), Some(1), Some(2), Some(2), Some(3), Some(3)];
    assert_eq!(numbers, expected);
    model.set_filter(Filter {
        stream: Some(1),
        ..Filter::default()
    });
    assert_eq!(model.counts(), (6, 3));
    // What went by unseen is not made up.
    model.take(&batch(12, 13));
    assert_eq!(model.frames.back().unwrap().number, None);
}
