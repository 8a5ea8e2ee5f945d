//! A file that is being written: what is appended, across truncation and replacement.
//!
//! The kernel wakes us; where it has no words for that (all but Linux) a clock does.

use std::os::unix::fs::MetadataExt as _;

use rustix::event::{PollFd, PollFlags, poll};

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

/// Why waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// There may be something to read.
    Changed,
    /// Nobody reads what we write any more.
    Closed,
}

/// A file that is being written.
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    file: File,
    offset: u64,
    /// How long it was when it was opened.
    old: u64,
    watch: watch::Watch,
}

impl Follow {
    /// Begins at the beginning of the file.
    pub fn open(path: &Path) -> io::Result<Self> {
        // Watched before it is read: what is written in between wakes us.
        let watch = watch::Watch::new(path)?;
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
        self.watch.file(&self.path)?;
        self.file = file;
        (self.offset, self.old) = (0, 0);
        Ok(true)
    }

    /// Waits until the file may have changed, or until `out` is closed by its reader.
    pub fn wait(&mut self, out: Option<BorrowedFd<'_>>) -> io::Result<Woken> {
        let closed = {
            let mut watched = self.watch.polled();
            let own = watched.len();
            watched.extend(out.as_ref().map(|out| PollFd::new(out, PollFlags::empty())));
            loop {
                match poll(&mut watched, watch::Watch::TIMEOUT.as_ref()) {
                    Ok(_) => break,
                    Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            watched
                .get(own)
                .is_some_and(|out| out.revents().intersects(PollFlags::ERR | PollFlags::HUP))
        };
        self.watch.drain()?;
        Ok(if closed {
            Woken::Closed
        } else {
            Woken::Changed
        })
    }
}

#[cfg(target_os = "linux")]
mod watch {
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::event::{PollFd, PollFlags, Timespec};
    use rustix::fs::inotify::{self, CreateFlags, WatchFlags};

    /// The file, and the folder in which another may take its place.
    #[derive(Debug)]
    pub struct Watch(OwnedFd);

    impl Watch {
        pub fn new(path: &Path) -> io::Result<Self> {
            let watch = Self(inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?);
            watch.file(path)?;
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            inotify::add_watch(
                &watch.0,
                folder.unwrap_or_else(|| Path::new(".")),
                WatchFlags::CREATE | WatchFlags::MOVED_TO,
            )?;
            Ok(watch)
        }

        pub fn file(&self, path: &Path) -> io::Result<()> {
            inotify::add_watch(&self.0, path, WatchFlags::MODIFY | WatchFlags::MOVE_SELF)?;
            Ok(())
        }

        pub fn polled(&self) -> Vec<PollFd<'_>> {
            vec![PollFd::new(&self.0, PollFlags::IN)]
        }

        /// None is needed.
        pub const TIMEOUT: Option<Timespec> = None;

        pub fn drain(&self) -> io::Result<()> {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = inotify::Reader::new(&self.0, &mut buffer);
            loop {
                match events.next() {
                    Ok(_) => {}
                    Err(rustix::io::Errno::AGAIN) => return Ok(()),
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod watch {
    use std::io;
    use std::path::Path;

    use rustix::event::{PollFd, Timespec};

    /// A clock.
    #[derive(Debug)]
    pub struct Watch;

    impl Watch {
        pub fn new(_path: &Path) -> io::Result<Self> {
            Ok(Self)
        }

        pub fn file(&self, _path: &Path) -> io::Result<()> {
            Ok(())
        }

        pub fn polled(&self) -> Vec<PollFd<'_>> {
            Vec::new()
        }

        pub const TIMEOUT: Option<Timespec> = Some(Timespec {
            tv_sec: 0,
            tv_nsec: 250_000_000,
        });

        pub fn drain(&self) -> io::Result<()> {
            Ok(())
        }
    }
}
