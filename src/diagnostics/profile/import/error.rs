//! What every format reads from, and why it refuses.

use crate::profile::prelude::*;

/// Why a file was not read as a profile.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file system refused.
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
    /// A known format without anything in it.
    #[error("this {0} has no samples: nothing ran while it was taken, or it was ended too early")]
    NoSamples(&'static str),
    /// Nobody waits for it any more.
    #[error("reading was cancelled")]
    Cancelled,
    /// It is something else, broken, or cut short; a sentence.
    #[error("{0}")]
    Unfit(String),
}

impl ImportError {
    pub fn unfit(why: impl Into<String>) -> Self {
        Self::Unfit(why.into())
    }

    /// A known format that is broken: at a line or a byte, and what is wrong there.
    pub fn broken(format: &str, place: impl Display, why: impl Display) -> Self {
        Self::Unfit(format!("this {format} is broken at {place}: {why}"))
    }

    /// A known format that ends in the middle.
    pub fn cut_short(format: &str, place: impl Display) -> Self {
        Self::Unfit(format!(
            "this {format} ends in the middle, at {place}: it was cut short, take it anew"
        ))
    }
}

/// What is wrong with JSON of this format; `part` says more of the place, if there is more to say.
pub fn of_json(error: serde_json::Error, format: &str, part: &str) -> ImportError {
    let place = format!("line {} column {}{part}", error.line(), error.column());
    if error.is_io() {
        return ImportError::Read(error.into());
    }
    if error.is_eof() {
        return ImportError::cut_short(format, place);
    }
    let text = error.to_string();
    // The place is said already.
    let why = text.split(" at line ").next().unwrap_or(&text);
    ImportError::broken(format, place, why)
}

/// What reading a file gives.
pub type Result<T, E = ImportError> = std::result::Result<T, E>;

/// What comes out of a file, unpacked.
pub type Input<'a> = &'a mut dyn BufRead;

/// A profile that shows something.
pub fn some(profile: Profile, format: &'static str) -> Result<Profile> {
    if profile.samples.is_empty() {
        return Err(ImportError::NoSamples(format));
    }
    Ok(profile)
}

/// The beginning of something, for an error.
pub fn quote(bytes: &[u8]) -> String {
    let some = bytes.get(..48).unwrap_or(bytes);
    format!("{:?}", String::from_utf8_lossy(some))
}

/// A line of a file, from 1; what is no line is none.
pub fn line_number(line: i64) -> Option<u32> {
    u32::try_from(line).ok().filter(|line| *line > 0)
}
