//! The terminal: who owns it, what it can do, what comes out of it.
//!
//! [`guard`] takes the terminal and gives it back as it was; [`screen`] writes frames, [`cells`] what is in them; [`input`] reads keys and can stop
//! reading ([`tty_events`] reads the bytes, [`decode`] tells keys from answers; [`encode`] writes keys for another program); [`probe`] asks what the terminal can do; [`hand_over`] lends the terminal to another program; [`capabilities`] says what this terminal can show;
//! [`clipboard`] copies text out; [`signals`] turns signals into values. Nothing here knows the app.

pub mod capabilities;
pub mod cells;
pub mod clipboard;
pub mod decode;
pub mod encode;
mod function_keys;
pub mod guard;
pub mod hand_over;
pub mod input;
pub mod pictures;
pub mod probe;
pub mod screen;
pub mod signals;
pub mod tty_events;
