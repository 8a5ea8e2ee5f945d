//! Standard input as a file that grows: what reads logs reads at any place.

use std::{
    os::fd::AsRawFd as _,
    thread::{self, JoinHandle},
};

use crate::prelude::*;

/// What stands for standard input among the names of files.
const NAME: &str = "-";

/// What comes in, kept in a file without a name while this lives.
#[derive(Debug)]
pub struct Spool {
    file: File,
    copying: JoinHandle<io::Result<u64>>,
}

impl Spool {
    /// Puts a file that takes in standard input into the place of `-`, if it is there. The error is that no file could be made.
    pub fn take(paths: &mut [PathBuf]) -> io::Result<Option<Self>> {
        if paths.iter().all(|path| path != Path::new(NAME)) {
            return Ok(None);
        }
        let spool = Self::copy(io::stdin())?;
        for path in paths.iter_mut().filter(|path| *path == Path::new(NAME)) {
            *path = spool.path();
        }
        Ok(Some(spool))
    }

    fn copy(from: impl Read + Send + 'static) -> io::Result<Self> {
        let file = tempfile::tempfile()?;
        let mut to = file.try_clone()?;
        let mut from = BufReader::with_capacity(64 << 10, from);
        let copying = thread::spawn(move || io::copy(&mut from, &mut to));
        Ok(Self { file, copying })
    }

    /// Where it can be opened, again and again.
    fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/fd/{}", self.file.as_raw_fd()))
    }

    /// Whether all came in.
    pub fn is_done(&self) -> bool {
        self.copying.is_finished()
    }

    /// Waits until all came in. The error is of reading, or of the disk that is full.
    pub fn wait(self) -> io::Result<File> {
        self.copying
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the reader broke down")))?;
        Ok(self.file)
    }
}

/// What a log's file is called before people.
pub fn name_of(path: &Path) -> String {
    if path.starts_with("/dev/fd") {
        return "standard input".to_owned();
    }
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
