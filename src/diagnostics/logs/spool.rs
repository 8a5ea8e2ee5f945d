//! Standard input as a file that grows: what reads logs reads at any place.

use std::{
    os::fd::AsRawFd as _,
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread::{self, JoinHandle},
};

use super::source::is_plain;
use crate::prelude::*;

/// What stands for standard input among the names of files.
const NAME: &str = "-";

/// What comes in, kept in a file without a name while this lives.
#[derive(Debug)]
pub struct Spool {
    file: File,
    copying: JoinHandle<io::Result<()>>,
    /// Something came; nobody tells any more once all did.
    news: Receiver<()>,
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
        let (tell, news) = sync_channel(1);
        let copying = thread::spawn(move || {
            loop {
                let piece = match from.fill_buf() {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    piece => piece?,
                };
                let length = piece.len();
                if length == 0 {
                    return Ok(());
                }
                to.write_all(piece)?;
                from.consume(length);
                // One that was not taken yet tells of this, too.
                let _ = tell.try_send(());
            }
        });
        Ok(Self {
            file,
            copying,
            news,
        })
    }

    /// Where it can be opened, again and again.
    fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/fd/{}", self.file.as_raw_fd()))
    }

    /// Waits until more came in, at most so long. It is `Disconnected` when all did.
    pub fn wait_for_more(&self, most: Option<Duration>) -> Result<(), RecvTimeoutError> {
        match most {
            Some(most) => self.news.recv_timeout(most),
            None => Ok(self.news.recv()?),
        }
    }

    /// Waits for its beginning: whether that is text which can be read before the rest is here.
    pub fn begins_as_text(&self) -> bool {
        let length = || self.file.metadata().map_or(0, |found| found.len());
        // As many as it takes to know what is packed.
        while length() < crate::GZIP.len() as u64 && self.wait_for_more(None).is_ok() {}
        is_plain(&self.path())
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
