//! `omp-debug repl`: a debugger of lines, for hands that know gdb or pdb, and for scripts.
//!
//! A client of the core's commands and events like every other front. On a terminal lines are edited, with history (kept with
//! the project) and completion; through a pipe, or from a file, each command waits until its effect is over, so a script needs no
//! waiting of its own. Breakpoints and watches are the project's: the screen sees the same ones.
//!
//! | file | what is in it |
//! |---|---|
//! | `table` | the one table of commands, and who does each |
//! | `habits` | what users of other debuggers type out of habit and no command does, and what to write here |
//! | `parse` | from a line to a command and its arguments |
//! | `editor`, `complete` | the person's terminal: line editing, history, completion |
//! | `input` | where the next line comes from |
//! | `out`, `style` | what is printed, safe and in its look |
//! | `session` | events and answers: what everything else waits with |
//! | `announce` | what is said when the program stops or ends |
//! | `work` | a line's way to its command; help, `source`, `quit` |
//! | `execution`, `jumps`, `stops`, `frames`, `sessions`, `values`, `memory`, `source` | the handlers |

mod announce;
mod complete;
mod editor;
mod execution;
mod frames;
mod habits;
pub(super) mod input;
mod jumps;
mod memory;
mod out;
mod parse;
mod prelude;
mod session;
mod sessions;
mod source;
mod stops;
mod style;
mod table;
mod values;
mod work;

pub use session::Options;
use session::Repl;

use crate::prelude::*;

/// Talks until the person or the script is done, ends what was launched, and gives the exit code.
pub async fn run(options: Options, core: CoreHandle) -> Result<u8> {
    Ok(Repl::open(options, core).await?.talk().await)
}
