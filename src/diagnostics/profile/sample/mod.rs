//! Where profiles come from: looking at a process many times a second, and counting what it does.
//!
//! A [`Target`] is checked first, then [`begin`] starts the source that sees most of it and says what the others lacked. A [`Sampler`]
//! hands what it saw into a [`Builder`](super::Builder) whenever it is asked, so that a view can show a profile that is still being
//! taken. How long, and who may end it sooner, is left to [`super::take`].
//!
//! | file | what is in it |
//! |---|---|
//! | `sampler` | what a source is asked for, and what it gives |
//! | `target` | the process, and why it cannot be looked at |
//! | `allowed` | what the kernel permits, and the command that permits more |
//! | `choose` | which source for which process |
//! | `native` | perf events read by ourselves (feature `profile-native`) |
//! | `symbols` | names for addresses, for the same |
//! | `own` | omp-debug itself, by a timer and signals |
//! | `py_spy` | the program `py-spy`: functions of Python |
//! | `inspector` | the inspector of a runtime: functions of JavaScript |
//! | `states` | `/proc` alone: who runs and who waits for what, but no functions |
//! | `waiting` | another source, with the threads that wait added from `/proc` |
//! | `prelude` | what most of these files name |
//! | `helper` | programs of others, which are never left behind |

mod allowed;
mod choose;
mod helper;
mod inspector;
#[cfg(feature = "profile-native")]
mod native;
mod own;
mod prelude;
mod py_spy;
mod sampler;
mod states;
#[cfg(feature = "profile-native")]
mod symbols;
mod target;
mod waiting;

pub use allowed::Allowed;
pub use choose::{Begun, begin, not_used};
pub use inspector::{has_to_be_opened, opening};
pub use sampler::{Clock, Options, RATE, RATES, SampleBatch, SampleError, Sampler, Source, Tools};
pub use target::{Runtime, Standing, Target, Tracer};
