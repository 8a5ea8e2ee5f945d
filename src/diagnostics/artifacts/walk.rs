//! Measuring a tree of folders.

use std::ffi::CStr;

use rustix::fs::{FileType, Stat};

use crate::{
    folders::{changed, each, look, modified, open_inside},
    prelude::*,
};

/// Folders inside each other that are followed down; each of them is an open descriptor.
pub const DEEPEST: usize = 64;

/// A tree in numbers. Two that are equal are of a tree that did not change in between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Everything that is no folder and no session file: files, links, pipes.
    pub files: u64,
    /// Folders below the first one.
    pub folders: u64,
    /// The files' length.
    pub bytes: u64,
    /// What the files take of the disk, in bytes.
    pub disk: u64,
    /// Session files, which stay.
    pub transcripts: u64,
    /// Their length.
    pub transcript_bytes: u64,
    /// The newest change of a content, in nanoseconds since 1970; the first folder's counts as well.
    pub newest: i64,
    /// The newest change of anything inside, names and owners included. It cannot be set back.
    changed: i64,
    /// Which folder it is: device and number.
    identity: (u64, u64),
    /// What could not be looked at, the first of it in a sentence.
    pub trouble: Option<String>,
    /// How much could not be.
    pub troubles: u64,
}

impl Tally {
    /// The folder's device.
    pub(super) fn device(&self) -> u64 {
        self.identity.0
    }

    fn take_trouble(&mut self, name: &CStr, why: &str) {
        self.troubles += 1;
        if self.trouble.is_none() {
            self.trouble = Some(format!("{:?} in it {why}", name.to_string_lossy()));
        }
    }

    fn take(&mut self, name: &CStr, stat: &Stat) {
        self.newest = self.newest.max(modified(stat));
        self.changed = self.changed.max(changed(stat));
        let kind = FileType::from_raw_mode(stat.st_mode);
        let length = if kind == FileType::RegularFile {
            u64::try_from(stat.st_size).unwrap_or_default()
        } else {
            0
        };
        if is_transcript(name.to_bytes()) {
            self.transcripts += 1;
            self.transcript_bytes += length;
        } else if kind == FileType::Directory {
            self.folders += 1;
        } else {
            self.files += 1;
            self.bytes += length;
            self.disk += u64::try_from(stat.st_blocks).unwrap_or_default() * 512;
        }
    }
}

/// Session files, their backups and archives: nothing with such a name is ever moved or deleted.
pub fn is_transcript(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(b".jsonl") || memchr::memmem::find(&name, b".jsonl.").is_some()
}

/// Measures a tree. What cannot be looked at is counted as trouble; the error is of the folder itself.
pub fn measure(dir: BorrowedFd<'_>, cancel: &Cancel) -> Result<Tally, Errno> {
    let stat = rustix::fs::fstat(dir)?;
    let mut tally = Tally {
        newest: modified(&stat),
        identity: (stat.st_dev, stat.st_ino),
        ..Tally::default()
    };
    below(dir, 0, &mut tally, cancel)?;
    Ok(tally)
}

fn below(
    dir: BorrowedFd<'_>,
    depth: usize,
    tally: &mut Tally,
    cancel: &Cancel,
) -> Result<(), Errno> {
    let mut folders = Vec::new();
    each(dir, |name, _| {
        if cancel.is_cancelled() {
            return Err(Errno::CANCELED);
        }
        match look(dir, name) {
            Ok(stat) => {
                tally.take(name, &stat);
                if FileType::from_raw_mode(stat.st_mode) == FileType::Directory
                    && !is_transcript(name.to_bytes())
                {
                    folders.push(name.to_owned());
                }
            }
            Err(error) => tally.take_trouble(name, &why(error)),
        }
        Ok(())
    })?;
    for name in folders {
        if depth + 1 >= DEEPEST {
            tally.take_trouble(&name, "is deeper than anybody looks");
            continue;
        }
        let inside = open_inside(dir, name.as_c_str())
            .and_then(|inside| below(inside.as_fd(), depth + 1, tally, cancel));
        match inside {
            Ok(()) => {}
            Err(Errno::CANCELED) => return Err(Errno::CANCELED),
            Err(error) => tally.take_trouble(&name, &why(error)),
        }
    }
    Ok(())
}

/// An error as the end of a sentence that begins with what it happened to.
pub fn why(error: Errno) -> String {
    match error {
        Errno::NOENT => "is gone: it is in use".to_owned(),
        Errno::XDEV => "is on another file system".to_owned(),
        Errno::LOOP | Errno::NOTDIR => "is not a folder any more".to_owned(),
        Errno::ACCESS | Errno::PERM => "may not be read or changed by this user".to_owned(),
        other => format!("cannot be used: {}", io::Error::from(other)),
    }
}

/// What is wrong with something, as a sentence.
pub fn trouble(path: &Path, error: Errno) -> String {
    format!("{:?} {}", path.to_string_lossy(), why(error))
}

/// A plan in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Artifact folders.
    pub folders: u64,
    /// Files in them that go.
    pub files: u64,
    /// Their length.
    pub bytes: u64,
    /// What they take of the disk, in bytes.
    pub disk: u64,
    /// Session files in them, which stay.
    pub transcripts: u64,
}

impl Totals {
    /// One more folder.
    pub(super) fn add(&mut self, tally: &Tally) {
        self.folders += 1;
        self.files += tally.files;
        self.bytes += tally.bytes;
        self.disk += tally.disk;
        self.transcripts += tally.transcripts;
    }
}
