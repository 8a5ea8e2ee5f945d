//! What most files of a run name: `use super::prelude::*`.

pub(super) use super::{ending::Ending, runner::Runner};
pub use super::{
    events::{BreakpointState, Event, Halt, Location},
    fields::{Fields, ValueField},
};
pub use crate::prelude::*;
