//! Folders by descriptor: opening what is inside one, reading names, measuring a tree.

use std::ffi::{CStr, CString};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, RawDir, ResolveFlags, SeekFrom, Stat},
    path::Arg,
};

use crate::prelude::*;

/// Folders inside each other that are followed down; each of them is an open descriptor.
pub const DEEPEST: usize = 64;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

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
        self.changed = self.changed.max(nanos(stat.st_ctime, stat.st_ctime_nsec));
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

fn nanos(seconds: impl TryInto<i64>, nanoseconds: impl TryInto<i64>) -> i64 {
    let seconds = seconds.try_into().unwrap_or(i64::MAX);
    let nanoseconds = nanoseconds.try_into().unwrap_or_default();
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(nanoseconds)
}

/// When the content changed, in nanoseconds since 1970.
pub fn modified(stat: &Stat) -> i64 {
    nanos(stat.st_mtime, stat.st_mtime_nsec)
}

/// A place as settings have it: links on the way to it are the person's own.
pub fn open_place(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
}

/// A folder inside an open one: not through a link, and not into another file system.
pub fn open_inside(parent: impl AsFd, name: impl Arg + Copy) -> Result<OwnedFd, Errno> {
    let parent = parent.as_fd();
    let rules = ResolveFlags::BENEATH | ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS;
    match rustix::fs::openat2(parent, name, FOLDER, Mode::empty(), rules) {
        // Kernels before 5.6, and sandboxes that know no better.
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {
            let inside = rustix::fs::openat(parent, name, FOLDER, Mode::empty())?;
            let (here, there) = (rustix::fs::fstat(parent)?, rustix::fs::fstat(&inside)?);
            if here.st_dev == there.st_dev {
                Ok(inside)
            } else {
                Err(Errno::XDEV)
            }
        }
        other => other,
    }
}

/// Opens a plain file, with what there is to know about it; nothing for what is none. A pipe without a writer does not hold us.
pub fn open_file(parent: impl AsFd, name: impl Arg) -> Result<Option<(File, Stat)>, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(parent, name, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&file)?;
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    Ok(is_file.then(|| (file.into(), stat)))
}

/// What is at a name, without following a link.
pub fn look(parent: impl AsFd, name: impl Arg) -> Result<Stat, Errno> {
    rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)
}

/// Calls `each` with every name in a folder and what it is; `Unknown` where the file system does not say.
pub fn each(
    dir: BorrowedFd<'_>,
    mut each: impl FnMut(&CStr, FileType) -> Result<(), Errno>,
) -> Result<(), Errno> {
    rustix::fs::seek(dir, SeekFrom::Start(0))?;
    let mut buffer = Vec::with_capacity(32 * 1024);
    let mut entries = RawDir::new(dir, buffer.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            each(name, entry.file_type())?;
        }
    }
    Ok(())
}

/// All names in a folder, read before anything in it is touched.
pub fn names(dir: BorrowedFd<'_>) -> Result<Vec<(CString, FileType)>, Errno> {
    let mut names = Vec::new();
    each(dir, |name, kind| {
        names.push((name.to_owned(), kind));
        Ok(())
    })?;
    Ok(names)
}

/// What a name is, asked for where the folder did not say.
pub fn kind_of(dir: BorrowedFd<'_>, name: &CStr, told: FileType) -> Result<FileType, Errno> {
    if told == FileType::Unknown {
        Ok(FileType::from_raw_mode(look(dir, name)?.st_mode))
    } else {
        Ok(told)
    }
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
