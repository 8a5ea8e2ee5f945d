//! What most files of the line debugger name: `use super::prelude::*`.

pub(super) use super::{
    parse::{self, ParsedCommand},
    table::Verb,
};
pub use super::{
    session::{CommandResult, Repl},
    style::Role,
};
pub use crate::prelude::*;
