//! A file that is being written: what is appended, across truncation and replacement.
//!
//! It waits for inotify; it does not poll.

use std::{mem::MaybeUninit, os::unix::fs::MetadataExt as _};

use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::inotify::{self, CreateFlags, WatchFlags},
};

use crate::prelude::*;

/// What is read at once.
const MOST: usize = 64 * 1024;

/// What reading gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// What was there when the file was opened; when it came is not known.
    Old(&'a [u8]),
    /// What came since.
    New(&'a [u8]),
    /// The file begins anew: it was truncated or another has taken its place.
    Anew,
}

/// A file that is being written.
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    file: File,
    offset: u64,
    /// How long it was when it was opened.
    old: u64,
    /// Of the file, and of the folder in which another may take its place.
    watch: OwnedFd,
}

impl Follow {
    /// Begins at the beginning of the file.
    pub fn open(path: &Path) -> io::Result<Self> {
        // Watched before it is read: what is written in between wakes us.
        let watch = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        watch_file(&watch, path)?;
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        inotify::add_watch(
            &watch,
            folder.unwrap_or_else(|| Path::new(".")),
            WatchFlags::CREATE | WatchFlags::MOVED_TO,
        )?;
        let file = File::open(path)?;
        Ok(Self {
            path: path.to_path_buf(),
            old: file.metadata()?.len(),
            file,
            offset: 0,
            watch,
        })
    }

    /// Reads up to the present end.
    pub fn read(&mut self, sink: &mut dyn FnMut(Piece<'_>) -> io::Result<()>) -> io::Result<()> {
        let mut buffer = vec![0; MOST];
        loop {
            if self.file.metadata()?.len() < self.offset {
                self.file.rewind()?;
                (self.offset, self.old) = (0, 0);
                sink(Piece::Anew)?;
            }
            // Old and new do not come in one piece.
            let old = usize::try_from(self.old.saturating_sub(self.offset)).unwrap_or(usize::MAX);
            let most = if old > 0 { old.min(MOST) } else { MOST };
            let read = self.file.read(buffer.get_mut(..most).unwrap_or_default())?;
            if read > 0 {
                self.offset += read as u64;
                let bytes = buffer.get(..read).unwrap_or_default();
                let piece = if old > 0 {
                    Piece::Old(bytes)
                } else {
                    Piece::New(bytes)
                };
                sink(piece)?;
            } else if self.reopen()? {
                sink(Piece::Anew)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Goes over to the file that has taken the place of ours, if there is one.
    fn reopen(&mut self) -> io::Result<bool> {
        let Ok(file) = File::open(&self.path) else {
            return Ok(false);
        };
        let (old, new) = (self.file.metadata()?, file.metadata()?);
        if (old.dev(), old.ino()) == (new.dev(), new.ino()) {
            return Ok(false);
        }
        watch_file(&self.watch, &self.path)?;
        self.file = file;
        (self.offset, self.old) = (0, 0);
        Ok(true)
    }

    /// Waits until the file may have changed, or until `out` is closed by its reader; gives whether it was.
    pub fn wait(&mut self, out: BorrowedFd<'_>) -> io::Result<bool> {
        let mut watched = [
            PollFd::new(&self.watch, PollFlags::IN),
            PollFd::new(&out, PollFlags::empty()),
        ];
        while let Err(error) = poll(&mut watched, None) {
            if error != Errno::INTR {
                return Err(error.into());
            }
        }
        let [_, out] = watched;
        let is_closed = out.revents().intersects(PollFlags::ERR | PollFlags::HUP);
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.watch, &mut buffer);
        loop {
            match events.next() {
                Ok(_) => {}
                Err(Errno::AGAIN) => return Ok(is_closed),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn watch_file(watch: &OwnedFd, path: &Path) -> io::Result<()> {
    inotify::add_watch(watch, path, WatchFlags::MODIFY | WatchFlags::MOVE_SELF)?;
    Ok(())
}
