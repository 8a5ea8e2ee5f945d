//! What adapters send in place of what the protocol says.

use serde_json::json;

use super::*;
use crate::requests::{
    SetBreakpointsArguments, SetExpressionResponse, StackTraceResponse, ThreadsResponse,
};

fn read<T: serde::de::DeserializeOwned>(value: &serde_json::Value) -> T {
    serde_json::from_str(&value.to_string()).unwrap()
}

#[test]
fn explicit_nulls_are_absent() {
    let stopped: StoppedEvent =
        read(&json!({"reason": "step", "threadId": null, "hitBreakpointIds": null, "text": null}));
    assert_eq!(
        stopped,
        StoppedEvent {
            reason: "step".into(),
            ..StoppedEvent::default()
        }
    );
    assert_eq!(
        serde_json::to_value(&stopped).unwrap(),
        json!({"reason": "step"})
    );
}

#[test]
fn numbers_come_in_any_clothes() {
    let frame: StackFrame =
        read(&json!({"id": "12", "line": 3.0, "column": 1e2, "endLine": "4.0", "endColumn": true}));
    assert_eq!(
        (
            frame.id,
            frame.line,
            frame.column,
            frame.end_line,
            frame.end_column
        ),
        (12, 3, 100, Some(4), None)
    );
    let huge: Thread = read(&json!({"id": u64::MAX, "name": 7}));
    assert_eq!(
        huge,
        Thread {
            id: 0,
            name: "7".into()
        }
    );
}

#[test]
fn one_bad_element_does_not_lose_the_list() {
    let threads: ThreadsResponse =
        read(&json!({"threads": [{"id": 1}, null, 5, "x", [[]], {"id": 2, "name": {}}]}));
    assert_eq!(
        threads
            .threads
            .iter()
            .map(|thread| thread.id)
            .collect::<Vec<_>>(),
        [1, 2]
    );
    let frames: StackTraceResponse =
        read(&json!({"stackFrames": {"not": "a list"}, "totalFrames": "9"}));
    assert_eq!(
        (frames.stack_frames.len(), frames.total_frames),
        (0, Some(9))
    );
}

#[test]
fn shapes_that_adapters_confuse() {
    let changed: SetExpressionResponse = read(&json!({"result": "7"}));
    assert_eq!(changed.value, "7");
    let variable: Variable =
        read(&json!({"name": "x", "presentationHint": "property", "memoryReference": 4096}));
    assert_eq!(
        variable.presentation_hint.unwrap().kind.as_deref(),
        Some("property")
    );
    assert_eq!(variable.memory_reference.as_deref(), Some("4096"));
    let source: Source = read(&json!({"path": "/a", "sourceReference": 0}));
    assert_eq!(source.reference(), None);
    assert_eq!(
        Source {
            source_reference: Some(3),
            ..Source::default()
        }
        .reference(),
        Some(3)
    );
    let module: Module = read(&json!({"id": "0x7f"}));
    assert_eq!(module.id, Id::Text("0x7f".into()));
    let frame: StackFrame = read(&json!({"moduleId": 1001, "presentationHint": {"odd": 1}}));
    assert_eq!(
        (frame.module_id, frame.presentation_hint),
        (Some(Id::Number(1001)), None)
    );
}

#[test]
fn a_huge_value_is_cut_once_and_says_how_long_it_was() {
    // Neither a character nor, when it is passed on, what is said of the length is cut.
    for (letter, bytes) in [("x", 3_000_000), ("世", 9_000_000), ("\n", 3_000_000)] {
        let whole = letter.repeat(3_000_000);
        let cut: Variable = read(&json!({"name": "big", "value": whole}));
        let end = format!("{letter}… ({} in all)", base::text::amount::size(bytes));
        assert!(cut.value.ends_with(&end), "{letter:?}");
        assert!(cut.value.len() <= 1 << 20 && crate::tolerant::is_cut(&cut.value));
        let again: Variable = read(&serde_json::to_value(&cut).unwrap());
        assert_eq!(again.value.len(), cut.value.len());
        assert!(again == cut, "{letter:?}");
    }
    let most: Variable = read(&json!({"value": "x".repeat(1 << 20)}));
    assert_eq!(most.value.len(), 1 << 20);
    assert!(!crate::tolerant::is_cut(&most.value));
}

#[test]
fn unknown_words_are_kept() {
    let item: CompletionItem = read(&json!({"label": "a", "type": "macro"}));
    assert_eq!(item.type_, Some(CompletionItemType::Other("macro".into())));
    assert_eq!(
        serde_json::to_value(item).unwrap(),
        json!({"label": "a", "type": "macro"})
    );
    assert_eq!(SteppingGranularity::from("line"), SteppingGranularity::Line);
}

#[test]
fn a_record_must_be_an_object_but_may_be_missing() {
    assert_eq!(
        serde_json::from_str::<ThreadsResponse>("null").unwrap(),
        ThreadsResponse::default()
    );
    let error = serde_json::from_str::<ThreadsResponse>("[1]")
        .unwrap_err()
        .to_string();
    assert!(error.contains("an object (ThreadsResponse)"), "{error}");
}

#[test]
fn an_empty_list_of_breakpoints_is_written() {
    let arguments = SetBreakpointsArguments {
        breakpoints: Some(Vec::new()),
        ..SetBreakpointsArguments::default()
    };
    assert_eq!(
        serde_json::to_value(arguments).unwrap(),
        json!({"source": {}, "breakpoints": []})
    );
}

#[test]
fn capabilities_merge_and_keep_what_nobody_knows() {
    let mut capabilities: Capabilities =
        read(&json!({"supportsStepBack": true, "supportsLogPoints": true, "$magic": 1}));
    assert!(capabilities.supports_step_back);
    let event: CapabilitiesEvent = read(
        &json!({"capabilities": {"supportsStepBack": false, "supportsGoto": [], "supportsCancelRequest": "true"}}),
    );
    capabilities.merge(&event.capabilities);
    assert!(
        !capabilities.supports_step_back
            && capabilities.supports_log_points
            && capabilities.supports_cancel_request
    );
    let written = serde_json::to_value(&capabilities).unwrap();
    assert_eq!(
        (&written["$magic"], &written["supportsLogPoints"]),
        (&json!(1), &json!(true))
    );
}
