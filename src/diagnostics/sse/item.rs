//! What a source of events yields: responses, frames, notes.

use crate::sse::prelude::*;

/// What a source hands out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A response begins.
    Response(Response),
    /// What follows belongs to the response that a recording gave this number, until another is told.
    Of(u64),
    /// A frame, and when it came.
    Event(Event, Option<i64>),
    /// What is none.
    Foreign(Foreign),
    /// A recording tells what it does not hold.
    Dropped(Dropped),
    /// A word about what happened besides.
    Note(String),
    /// A recording tells what its events spell, which whoever reads them finds out anew.
    Assembled,
}

impl Item {
    /// Whether a source that hands this out is a stream, a recording of one, or an answer in place of one. Any text falls into
    /// frames at its empty lines; without a field or a comment they say nothing.
    pub fn is_telling(&self) -> bool {
        let Self::Event(event, _) = self else {
            return true;
        };
        let has_field = event.data.is_some()
            || event.event.is_some()
            || event.id.is_some()
            || event.retry.is_some();
        // Data may have any byte in it, but no frame begins with a NUL in its first line.
        let first = event.raw.split(|byte| *byte == b'\n').next();
        let is_text = memchr::memchr(0, first.unwrap_or_default()).is_none();
        is_text && (has_field || event.raw.starts_with(b":"))
    }
}
