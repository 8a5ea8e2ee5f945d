//! Folders by descriptor: opening what is inside one and reading names, so that no path can be led elsewhere meanwhile.

use std::ffi::{CStr, CString};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, RawDir, ResolveFlags, Stat},
    path::Arg,
};

use crate::prelude::*;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

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

/// When anything of it changed, its name and its owner included.
pub fn changed(stat: &Stat) -> i64 {
    nanos(stat.st_ctime, stat.st_ctime_nsec)
}

/// A place as settings have it: links on the way to it are the person's own.
pub fn open_place(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
}

/// A folder that is no link, in an open one.
pub fn open_folder(parent: impl AsFd, name: impl Arg) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(parent, name, FOLDER, Mode::empty())
}

/// A folder inside an open one: not through a link, and not into another file system.
pub fn open_inside(parent: impl AsFd, name: impl Arg + Copy) -> Result<OwnedFd, Errno> {
    let parent = parent.as_fd();
    let rules = ResolveFlags::BENEATH | ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS;
    match rustix::fs::openat2(parent, name, FOLDER, Mode::empty(), rules) {
        // Kernels before 5.6, and sandboxes that know no better.
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {
            let inside = open_folder(parent, name)?;
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
    rustix::fs::seek(dir, rustix::fs::SeekFrom::Start(0))?;
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
