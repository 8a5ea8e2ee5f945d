//! What every screen is made of.
//!
//! | file | what is in it |
//! |---|---|
//! | [`prelude`] | what a screen imports as a whole; files in here import [`crate::action::prelude`] and what else they use, which it re-exports |
//! | [`mod@rows`] | tables of actions, a line each |
//! | [`asks`], [`pending_answer`] | effects asked for in few words; questions to the core and their answers |
//! | [`cells`], [`list`], [`mouse`], [`scroll`] | lines of cells, lists of them, what the mouse, keys and the wheel do in those |
//! | [`room`], [`notes`] | how room is parted, what stands at its edges |
//! | [`field`], [`form`], [`typing`], [`filter`], [`question`], [`needle`], [`fuzzy`] | what is typed: in a line of a screen, in rows with labels, to narrow, to answer; what is looked for, exactly or by a few letters |
//! | [`picker`], [`picking`], [`chooser`] | a list narrowed by typing; a popup that is one; one of several choices |
//! | [`switches`] | things switched on and off |
//! | [`confirm`], [`prompt`], [`sheet`] | a question with a yes and a no, one for a line of text, a text over the screen |
//! | [`browser`] | what every screen of the desk does |
//!
//! Nothing here knows the app or a route. What is drawn into cells is `widgets/`'s.

pub mod asks;
pub mod browser;
pub mod cells;
pub mod chooser;
pub mod confirm;
pub mod field;
pub mod filter;
pub mod form;
pub mod fuzzy;
pub mod list;
pub mod mouse;
pub mod needle;
pub mod notes;
pub mod pending_answer;
pub mod picker;
pub mod picking;
pub mod prelude;
pub mod prompt;
pub mod question;
pub mod room;
pub mod rows;
pub mod scroll;
pub mod sheet;
pub mod switches;
#[cfg(test)]
pub mod test;
pub mod typing;
