//! What every screen is made of: one-line rows of actions ([`mod@rows`]), what keys and the wheel move ([`scroll`]), how effects are
//! asked for in few words ([`asks`]), lists of cells ([`list`]), how
//! room is parted ([`room`]), and [`prelude`], which a screen imports as a whole.
//!
//! Nothing here knows a route. What is drawn into cells is `widgets/`'s.

pub mod asks;
pub mod list;
pub mod prelude;
pub mod room;
pub mod rows;
pub mod scroll;
