//! A debug session that is kept: written down while it happens, read again, and played back without its adapter.
//!
//! A recording is a text file (compressed ones are known by their first bytes), one JSON object a line:
//!
//! | line | what it says |
//! |---|---|
//! | first | `omp_debug_recording` (the format's version, 1), `adapter`, `program`, `started` (milliseconds since 1970, if known), `session` (the first one's number, by which its children name it) |
//! | message | `from` (`client` or `adapter`), `message` (as the protocol has it), `at` (milliseconds since the beginning), `session` (when it is not the first) |
//! | session | `session`, `adapter`, `program`, `parent` (of one that came out of another), `at`: another one began; its messages carry its number |
//! | note | `note`: what is missing from here on |
//!
//! | room | what is there |
//! |---|---|
//! | `write` | [`Recorder`]: takes messages down as they pass, without secrets, within bounds |
//! | `read` | [`Recording`]: a file as the sessions in it |
//! | `own` | stops that adapters made for themselves, which are none |
//! | `track` | one session in it |
//! | `timeline` | one time for all of them, and the clock that everybody goes by who plays one |
//! | `seen` | its stops as a debugger that looks back has them |
//! | `stops` | [`Stop`]: the stops, for scripts |
//! | `playback` | [`Playback`]: one session as it is played, and the way through its time |
//! | `play` | someone who speaks DAP and plays it, at speed or stop by stop: the screen cannot tell them from an adapter |

mod own;
mod play;
mod playback;
mod read;
mod seen;
mod stops;
mod timeline;
mod track;
mod write;

use crate::prelude::*;

pub use own::open;
pub use play::{CHILD, LIFE, PLAYED};
pub use playback::Playback;
pub use read::Recording;
pub use stops::{Ending, Session, Stop};
pub use timeline::{Like, Place};
pub use write::{Recorder, Written};

/// A note of which nothing is missing.
const ONCE_MORE: &str = "The adapter was started once more.";
/// The format's version.
const VERSION: u32 = 1;
/// Bytes of a recording that are written, and read, before compression.
const LIMIT: u64 = 64 * 1024 * 1024;
/// Requests that let the program go on, forwards or backwards.
const RESUMES: &[&str] = &[
    "continue",
    "next",
    "stepIn",
    "stepOut",
    "stepBack",
    "reverseContinue",
    "goto",
];
/// Those of them that go back.
const BACKWARDS: &[&str] = &["stepBack", "reverseContinue"];

/// First line of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// Version of the format.
    omp_debug_recording: u32,
    /// The adapter that was recorded.
    adapter: String,
    /// The program: an absolute path, or one in the folder that a reader names.
    program: String,
    /// When it began, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<u64>,
    /// The number of the first session, which its messages do not carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<u64>,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Recorded {
    /// Who said it.
    from: From,
    message: Value,
    /// When, in milliseconds since the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
    /// Whose it is; nothing for the first session.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum From {
    Client,
    Adapter,
}

fn is_event(message: &Value, name: &str) -> bool {
    message.get("event").and_then(Value::as_str) == Some(name)
}

/// How an answer is found again. Objects print with sorted keys, so equal arguments have equal keys.
fn key(command: &str, arguments: Option<&Value>) -> String {
    format!("{command} {}", arguments.unwrap_or(&Value::Null))
}
