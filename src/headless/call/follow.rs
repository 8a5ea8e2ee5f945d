//! `call --follow`: the numbered events of a core, one JSON object a line, for scripts.
//!
//! The first line is the state as of event n, the others are what happened after it, so that nothing is missing and nothing is told
//! twice. Events are not kept: of those between an earlier one and the state a line before it has what the host noted.

use std::io::Write;

use debugger::{
    link::{self, Call, Connection},
    tool::feed::Feed,
};
use serde_json::Value;

use super::{CallError, print};
use crate::prelude::*;

/// Prints what happens until the host ends.
pub(super) async fn follow(
    path: &Path,
    context: &Context,
    since: Option<u64>,
    out: &mut dyn Write,
) -> Result<(), CallError> {
    let joined = link::join_as(path, link::Guest::script(None)).await?;
    let Some((state, mut events)) = joined.core.subscribe().await else {
        return Ok(());
    };
    let mut feed = Feed::new(joined.discretion(context));
    let seq = state.seq;
    let snapshot = feed.snapshot(state).map_err(std::io::Error::other)?;
    if let Some(since) = since.filter(|since| *since < seq) {
        let call = Call {
            action: "sessions".to_owned(),
            since: Some(since),
            ..Call::default()
        };
        let told = Connection::open(path).await?.call(call).await??;
        let mut line = json!({"type": "since"});
        let noted = told.get("events_since").and_then(Value::as_object);
        if let (Some(noted), Some(fields)) = (noted, line.as_object_mut()) {
            fields.extend(noted.clone());
        }
        print(out, &line, false)?;
    }
    if since != Some(seq) {
        let snapshot = json!({"type": "snapshot", "seq": seq, "state": snapshot});
        print(out, &snapshot, false)?;
    }
    out.flush()?;
    while let Some(batch) = events.next().await {
        for event in batch {
            for line in feed.lines(&event).map_err(std::io::Error::other)? {
                print(out, &line.into(), false)?;
            }
        }
        for line in feed.settled(None) {
            print(out, &line.into(), false)?;
        }
        out.flush()?;
    }
    Ok(())
}
