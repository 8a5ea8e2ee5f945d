//! What can be read whole: what programs printed, where one stands, long answers.

use rmcp::model::{
    ErrorData, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};

use super::{
    answer::{self, marked},
    seat::Seat,
};
use crate::prelude::*;

/// Where the program stands.
pub(super) const SNAPSHOT: &str = "omp-debug://snapshot";
const OUTPUT: &str = "omp-debug://output/";

/// What a session printed.
pub(super) fn output(session: SessionId) -> String {
    format!("{OUTPUT}{session}")
}

pub(super) fn all(state: &State) -> Vec<Resource> {
    let text = |uri: String, name: String| Resource::new(uri, name).with_mime_type("text/plain");
    let outputs = state.sessions.iter().map(|session| {
        let made = text(output(session.id), format!("What {} printed", session.id));
        made.with_size(session.output.total_bytes)
    });
    let snapshot = text(SNAPSHOT.to_owned(), "Where the program stands".to_owned());
    std::iter::once(snapshot).chain(outputs).collect()
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    [
        (format!("{OUTPUT}{{session}}"), "What a session printed"),
        (
            format!("{}{{number}}", answer::ADDRESS),
            "A long answer, whole",
        ),
    ]
    .into_iter()
    .map(|(uri, name)| ResourceTemplate::new(uri, name).with_mime_type("text/plain"))
    .collect()
}

pub(super) async fn read(seat: &Seat, uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let absent =
        || ErrorData::resource_not_found(format!("there is no resource {:?}", sanitise(uri)), None);
    let text = if uri == SNAPSHOT {
        let told = seat
            .tool
            .call(&seat.caller, "snapshot", &Map::new(), None)
            .await;
        told.map_err(|error| ErrorData::internal_error(error.error, None))?
            .text
    } else if let Some(session) = uri.strip_prefix(OUTPUT) {
        let arguments = Map::from_iter([("session".to_owned(), session.into())]);
        let told = seat
            .tool
            .call(&seat.caller, "output", &arguments, None)
            .await;
        told.ok().ok_or_else(absent)?.text
    } else {
        let number = uri
            .strip_prefix(answer::ADDRESS)
            .and_then(|number| number.parse().ok());
        number
            .and_then(|number| seat.kept(number))
            .ok_or_else(absent)?
            .to_string()
    };
    let contents = ResourceContents::text(marked(&text), uri).with_mime_type("text/plain");
    Ok(ReadResourceResult::new(vec![contents]).into())
}
