//! Values as data: a page of a table, what its columns add up to, a line to plot, a text, bytes, a picture.
//!
//! Where the debugger's language allows it, a page is made in the program by a small expression that only reads ([`code`]); elsewhere
//! of the parts that the adapter tells ([`parts`]). Asking is the core's (`core::views`).

pub mod code;
pub mod compare;
mod content;
mod filter;
mod hide;
pub mod parts;
mod query;
#[cfg(test)]
mod tests;
mod told;

pub use content::{Column, Content, Data, Picture, Piece, Series, Stat, Table, shown};
pub use filter::{Comparison, Term};
pub(crate) use query::place;
pub use query::{Query, View};
