//! Where a feed comes from, why it ended before its time, and how it is stopped.

use std::io::{PipeReader, PipeWriter};

use crate::prelude::*;

/// Where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// A file that may be written still, a named pipe, or a report bundle.
    File(PathBuf),
    /// Standard input.
    #[default]
    Input,
    /// What passes while this program runs, under this name.
    Live(String),
}

impl Origin {
    /// What a person calls it.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path
                .file_name()
                .unwrap_or(path.as_os_str())
                .to_string_lossy()
                .into_owned(),
            Self::Input => "standard input".to_owned(),
            Self::Live(name) => name.clone(),
        }
    }

    /// What reading it ran into.
    pub(super) fn failed(&self, error: &io::Error) -> String {
        let name = match self {
            Self::File(path) => format!("{:?}", path.to_string_lossy()),
            Self::Input => "standard input".to_owned(),
            Self::Live(name) => format!("{name:?}"),
        };
        format!("cannot read {name}: {error}")
    }
}

/// Ends a run of a feed when it is dropped.
#[derive(Debug)]
pub struct Stop(#[expect(dead_code, reason = "its end is what it says")] PipeWriter);

/// Knows when the [`Stop`] was dropped.
#[derive(Debug)]
pub struct Stopped(PipeReader);

impl Stop {
    /// A stop and who sees it.
    pub fn pair() -> io::Result<(Self, Stopped)> {
        let (reader, writer) = io::pipe()?;
        Ok((Self(writer), Stopped(reader)))
    }
}

impl AsFd for Stopped {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
