//! What most files of the line debugger name: `use super::prelude::*`.

pub(super) use super::{
    parse::{self, Typed},
    table::Verb,
};
pub use super::{
    session::{Done, Repl},
    style::Role,
};
pub use crate::prelude::*;
