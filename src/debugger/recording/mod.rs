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
//! | `format` | the lines of a file |
//! | `write` | [`Recorder`]: takes messages down as they pass, without secrets, within bounds |
//! | `read` | [`Recording`]: a file as the sessions in it |
//! | `own` | stops that adapters made for themselves, which are none |
//! | `track` | one session in it |
//! | `timeline` | one time for all of them, and the clock that everybody goes by who plays one |
//! | `seen` | its stops as a debugger that looks back has them |
//! | `stops` | [`Stop`]: the stops, for scripts |
//! | `playback` | [`Playback`]: one session as it is played, and the way through its time |
//! | `play` | someone who speaks DAP and plays it, at speed or stop by stop: the screen cannot tell them from an adapter |

mod format;
mod own;
mod play;
mod playback;
mod read;
mod seen;
mod stops;
mod timeline;
mod track;
mod write;

pub use own::open;
pub use play::{CHILD, LIFE, PLAYED};
pub use playback::Playback;
pub use read::Recording;
pub use stops::{Ending, Session, Stop};
pub use timeline::{Like, StopPlace};
pub use write::{Recorder, WrittenCounts};
