//! Every type of protocol 1.71 that a client needs, split by noun.
//!
//! Fields carry the protocol's names in snake case. What the protocol calls optional is an `Option` and is left out
//! when it is `None`. Reading never fails because of a shape: see [`crate::tolerant`] for what is forgiven.
//! Values that the protocol enumerates under a name of their own are open enums with an `Other`; those it enumerates
//! in passing are strings, with the usual values in the field's documentation.

mod breakpoints;
mod capabilities;
mod data;
mod events;
mod execution;
mod source;
#[cfg(test)]
mod tests;

pub use super::tolerant::Id;
pub use breakpoints::*;
pub use capabilities::*;
pub use data::*;
pub use events::*;
pub use execution::*;
pub use source::*;
