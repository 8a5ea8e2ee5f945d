//! Pure functions on foreign text.
//!
//! [`sanitise`] makes control and invisible characters visible, so that nothing a debuggee, an adapter, a log or a file
//! name contains can drive the terminal, the clipboard or a reader of NDJSON. [`width`] measures and cuts text in terminal
//! cells. [`ansi`] reads the colours a program asked for and throws every other escape sequence away. [`redact`] takes
//! secrets out. [`nearest`] finds what a mistyped word was meant to be, [`missing`] says which file is not there. [`jsonc`] reads
//! JSON as people write it for editors, and [`dotenv`] files of variables. [`amount`] says sizes and counts, [`hex`] bytes; [`beginning`]
//! cuts what is too long to be told.
//!
//! Every room may use this one; it uses none of them, does no I/O and knows no screen library.

pub mod amount;
pub mod ansi;
pub mod dotenv;
#[cfg(test)]
mod foreign;
pub mod hex;
pub mod json;
pub mod jsonc;
pub mod missing;
pub mod nearest;
pub mod redact;
pub mod sanitise;
pub mod width;
pub mod words;

/// No more than so many characters of a text; `…` stands for the rest.
pub fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
