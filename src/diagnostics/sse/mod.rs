//! Event streams as providers of models send them, byte by byte and as the message they spell.
//!
//! Bytes of a pipe, a file or a recording go into a [`Source`], which finds out what they are and hands out [`Item`]s. A [`Ring`] keeps
//! the newest of them as [`Record`]s, each with the [`Response`] it came in; an [`Assembly`] puts together what the deltas of one
//! response say. A [`Recorder`] does all of that for any number of responses at once, and takes secrets out. The format's own rules are
//! in [`parser`]. All of this is plain data without a clock: who reads says when. Only [`Follow`] waits, for a file that is being
//! written, [`Feed`], which brings all of this to a screen, and [`live`], which speaks with servers. Making text safe to show is left to the front ends.

mod assemble;
mod bundle;
mod capture;
mod curl;
mod decode;
mod export;
mod feed;
mod follow;
mod import;
mod item;
pub mod live;
pub mod parser;
mod prelude;
mod record;
mod recorder;
mod redact;
mod replay;
mod ring;
mod save;
mod seam;
mod source;
mod trim;

pub use assemble::{Assembly, Part, PartKind, Shape, Stall, Timing, Usage};
pub use bundle::{Recorded, recorded};
pub use export::export;
pub use feed::{Batch, Feed, Origin, Stop, Stopped};
pub use follow::{Follow, Piece};
pub use item::Item;
pub use record::{Event, Foreign, Record, RecordKind, Response};
pub use recorder::{Recorder, RecorderEvent, StoredRecord, Streamed};
pub use replay::Replay;
pub use ring::{Dropped, Limits, Ring};
pub use save::create as create_capture;
pub use source::{Source, UNTELLING, may_be_stream};

#[cfg(test)]
mod tests;
