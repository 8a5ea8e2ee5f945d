//! What every screen is made of: one-line rows of actions ([`mod@rows`]), what keys and the wheel move ([`scroll`]), how effects are
//! asked for in few words ([`asks`]), lines of cells ([`cells`]), lists of them ([`list`]) and the mouse in those ([`mouse`]), how room
//! is parted ([`room`]), what is typed ([`field`], [`typing`]), picked from ([`picker`]) and switched ([`switches`]), what every screen of
//! the desk does ([`browser`]), and [`prelude`], which a screen imports as a whole. Files in here import what they use instead of the prelude, which
//! re-exports them.
//!
//! Nothing here knows a route. What is drawn into cells is `widgets/`'s.

pub mod asks;
pub mod browser;
pub mod cells;
pub mod confirm;
pub mod field;
mod fuzzy;
pub mod list;
pub mod mouse;
pub mod needle;
pub mod picker;
pub mod prelude;
pub mod prompt;
pub mod room;
pub mod rows;
pub mod scroll;
pub mod switches;
pub mod typing;
