//! The exception that stopped the program, with all that lies behind it: message, type, cause after cause, their stack traces.

use dap::{
    requests::ExceptionInfoResponse,
    types::{ExceptionBreakMode, ExceptionDetails},
};

use crate::{debug_prelude::*, kit::sheet};

/// How deep causes are followed: an adapter may send a ring.
const MOST_CAUSES: usize = 32;
/// Characters of one text.
const MOST_TEXT: usize = 20_000;

/// Shows it.
pub fn open(cx: &Cx) {
    let Some(stop) = stop_of(&cx.view) else {
        return;
    };
    let mode = match stop.exception.as_ref().map(|told| &told.break_mode) {
        Some(ExceptionBreakMode::Unhandled) => "nothing handles it",
        Some(ExceptionBreakMode::UserUnhandled) => "your code does not handle it",
        _ => "",
    };
    let near = |text: String| -> String { text.trim_end().chars().take(MOST_TEXT).collect() };
    let text = joined(paragraphs(stop).into_iter().map(near), "\n");
    cx.emit(sheet::note("Exception", mode.to_owned(), &text));
}

/// Whether there is an exception to look at, and why not.
pub fn enabled(view: &View) -> Enabled {
    match stop_of(view) {
        Some(stop) if stop.exception.is_some() || stop.reason == "exception" => Ok(()),
        Some(_) => Err("The program did not stop for an exception."),
        None => Err("The program has not stopped."),
    }
}

/// All that is known of why it stopped, in order.
fn paragraphs(stop: &Stop) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(info) = &stop.exception {
        of(info, &mut out);
    } else {
        let heading = stop.description.as_ref().unwrap_or(&stop.reason);
        out.push(heading.clone());
    }
    // What came with the stop is in other words in what was told since, or says only that it stopped.
    let told = stop
        .exception
        .as_deref()
        .and_then(|info| info.description.as_ref());
    let is_told = told.is_some_and(|text| !text.is_empty());
    let said = |out: &[String], text: &str| out.iter().any(|told| told.contains(text));
    for text in [&stop.description, &stop.text].into_iter().flatten() {
        if !is_told && !text.trim().is_empty() && !said(&out, text.trim()) {
            out.push(text.clone());
        }
    }
    out
}

fn of(info: &ExceptionInfoResponse, out: &mut Vec<String>) {
    out.push(info.exception_id.clone());
    if let Some(text) = info.description.as_ref().filter(|t| !t.trim().is_empty()) {
        out.push(text.clone());
    }
    if let Some(details) = &info.details {
        let known = [
            Some(info.exception_id.as_str()),
            info.description.as_deref(),
        ];
        cause(details, &known, 0, out);
    }
}

fn cause(details: &ExceptionDetails, known: &[Option<&str>], depth: usize, out: &mut Vec<String>) {
    let name = details
        .full_type_name
        .as_deref()
        .or(details.type_name.as_deref());
    if depth > 0 {
        let name = name.unwrap_or("another exception");
        out.push(format!("caused by {name}"));
    } else if let Some(name) = name.filter(|n| !known.contains(&Some(*n))) {
        out.push(name.to_owned());
    }
    if let Some(message) = details.message.as_deref()
        && !message.trim().is_empty()
        && !known.contains(&Some(message))
    {
        out.push(message.to_owned());
    }
    if let Some(trace) = details
        .stack_trace
        .as_deref()
        .filter(|t| !t.trim().is_empty())
    {
        // Some end in the text, which is told above.
        let message = details.message.as_deref().or_else(|| *known.last()?);
        let told = message.map(str::trim).filter(|text| !text.is_empty());
        let end = told.and_then(|text| trace.trim_end().strip_suffix(text));
        let trace = end.map_or(trace, |before| {
            before.rsplit_once('\n').map_or("", |(head, _)| head)
        });
        if !trace.trim().is_empty() {
            out.push(trace.to_owned());
        }
    }
    if depth >= MOST_CAUSES {
        out.push("…and causes behind that".to_owned());
        return;
    }
    for inner in details.inner_exception.iter().flatten() {
        cause(inner, &[], depth + 1, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::debug::kit::test::{Stage, stopped_in_main};

    #[test]
    fn the_whole_chain_is_shown_once_and_can_be_copied() {
        let mut known = stopped_in_main(1, Vec::new());
        let stop = known.sessions[0].stop.as_mut().unwrap();
        stop.reason = "exception".into();
        stop.text = Some("no such shelf".into());
        let inner = ExceptionDetails {
            type_name: Some("KeyError".into()),
            message: Some("'shelf'\u{1b}[31m".into()),
            stack_trace: Some("File \"a.py\", line 3\n  x\n".into()),
            ..ExceptionDetails::default()
        };
        let details = ExceptionDetails {
            type_name: Some("ValueError".into()),
            message: Some("no such shelf".into()),
            stack_trace: Some("File \"a.py\", line 9\nValueError: no such shelf\n".into()),
            inner_exception: Some(vec![inner]),
            ..ExceptionDetails::default()
        };
        stop.exception = Some(Box::new(ExceptionInfoResponse {
            exception_id: "ValueError".into(),
            description: Some("no such shelf".into()),
            details: Some(details),
            ..ExceptionInfoResponse::default()
        }));
        let stage = Stage::new(known);
        let cx = stage.cx();
        open(&cx);
        let Some(Effect::Open(mut popup)) = cx.pop() else {
            panic!("nothing opened")
        };
        let screen = stage.draw(popup.as_mut(), 80, 24).join("\n");
        assert_eq!(screen.matches("no such shelf").count(), 1, "{screen}");
        assert!(
            screen.contains("caused by KeyError") && screen.contains("line 3"),
            "{screen}"
        );
        assert!(screen.contains("'shelf'␛[31m"), "{screen}");
        assert_eq!(enabled(&stage.view()), Ok(()));
        popup.invoke("message.copy", &cx);
        let Some(Effect::Copy { text, .. }) = cx.pop() else {
            panic!("nothing copied")
        };
        assert!(
            text.starts_with(
                "ValueError\nno such shelf\nFile \"a.py\", line 9\ncaused by KeyError"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_ring_of_causes_ends() {
        let mut details = ExceptionDetails::default();
        for _ in 0..100 {
            details = ExceptionDetails {
                type_name: Some("E".into()),
                inner_exception: Some(vec![details]),
                ..ExceptionDetails::default()
            };
        }
        let info = ExceptionInfoResponse {
            exception_id: "E".into(),
            details: Some(details),
            ..ExceptionInfoResponse::default()
        };
        let mut out = Vec::new();
        of(&info, &mut out);
        assert!(out.len() < 100, "{}", out.len());
    }

    #[test]
    fn it_is_offered_only_for_exceptions() {
        let stage = Stage::new(stopped_in_main(1, Vec::new()));
        assert_eq!(
            enabled(&stage.view()),
            Err("The program did not stop for an exception.")
        );
    }
}
