//! What is told of what a source gives, to a screen as well.

use base::text::redact::Redactor;

use super::super::{
    Response,
    item::Item,
    record::{Foreign, RecordKind},
    recorder::{Recorder, RecorderEvent, StoredRecord},
    ring::Limits,
};

/// What a screen is told of a response that was refused, for a reason with a secret in it.
fn refused(reason: &str) -> StoredRecord {
    let mut recorder = Recorder::for_screen(Redactor::new(), Limits::default());
    let response = Response {
        status: Some(429),
        number: 1,
        ..Response::default()
    };
    let body = Foreign::new("api_key=sk-ant-api03-abcdefghijklmnop", reason);
    for item in [Item::Response(response), Item::Foreign(body)] {
        recorder.item(item, None);
    }
    match recorder.take().pop() {
        Some(RecorderEvent::Record(record)) => record,
        other => panic!("no record: {other:?}"),
    }
}

fn body(what: &RecordKind) -> &Foreign {
    match what {
        RecordKind::Foreign(foreign) => foreign,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_status_is_told_once_even_if_a_recording_says_it() {
    for reason in ["it is no stream", "429: it is no stream"] {
        let kept = refused(reason);
        assert_eq!(body(&kept.record.what).reason, "429: it is no stream");
    }
}

#[test]
fn what_came_is_kept_for_a_screen_beside_what_may_be_shown() {
    let kept = refused("it is no stream");
    assert!(!body(&kept.record.what).text.contains("abcdefghijklmnop"));
    let plain = kept.plain.expect("what came");
    assert!(body(&plain.what).text.contains("abcdefghijklmnop"));
}
