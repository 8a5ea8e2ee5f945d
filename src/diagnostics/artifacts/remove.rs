//! Empties a tree by descriptor, session files excepted: into another one, or for good; and the steps that all moves are made of.

use std::ffi::CStr;

use rustix::fs::{AtFlags, FileType, Mode, RenameFlags, Stat, Timespec, Timestamps};

use super::walk::{self, DEEPEST};
use crate::prelude::*;

/// Moves what is in a folder into another one, or deletes it; session files and the folders around them stay. True when nothing is left
/// in it. `each` is called after every file.
pub fn contents(
    dir: BorrowedFd<'_>,
    to: Option<BorrowedFd<'_>>,
    depth: usize,
    each: &dyn Fn(),
    cancel: &Cancel,
) -> Result<bool, Errno> {
    if depth >= DEEPEST {
        return Err(Errno::NAMETOOLONG);
    }
    let before = to.map(|_| rustix::fs::fstat(dir)).transpose()?;
    let mut empty = true;
    for (name, kind) in folders::names(dir)? {
        if cancel.is_cancelled() {
            return Err(Errno::CANCELED);
        }
        let name: &CStr = &name;
        if walk::is_transcript(name.to_bytes()) {
            empty = false;
            continue;
        }
        if folders::kind_of(dir, name, kind)? == FileType::Directory {
            let inside = folders::open_inside(dir, name)?;
            let target = to.map(|to| make_like(&inside, to, name)).transpose()?;
            let target = target.as_ref().map(AsFd::as_fd);
            let emptied = contents(inside.as_fd(), target, depth + 1, each, cancel)?;
            empty &= emptied && folder(dir, name)?;
            continue;
        }
        match to {
            Some(to) => rename(dir, name, to, name)?,
            None => rustix::fs::unlinkat(dir, name, AtFlags::empty())?,
        }
        each();
    }
    if let (Some(to), Some(before)) = (to, before) {
        // Both are as old as before: that we moved something is no use of it.
        set_time(to, &before);
        set_time(dir, &before);
    }
    Ok(empty)
}

/// Deletes an empty folder; false when something came into it meanwhile.
pub fn folder(parent: impl AsFd, name: impl rustix::path::Arg) -> Result<bool, Errno> {
    match rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Ok(()) => Ok(true),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Moves one name from a folder into another, never over something.
pub fn rename(
    from: impl AsFd,
    name: impl rustix::path::Arg + Copy,
    to: impl AsFd,
    new: impl rustix::path::Arg + Copy,
) -> Result<(), Errno> {
    let (from, to) = (from.as_fd(), to.as_fd());
    match rustix::fs::renameat_with(from, name, to, new, RenameFlags::NOREPLACE) {
        // File systems that cannot promise it; what is in the way is looked for then.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match folders::look(to, new) {
            Err(Errno::NOENT) => rustix::fs::renameat(from, name, to, new),
            Ok(_) => Err(Errno::EXIST),
            Err(error) => Err(error),
        },
        other => other,
    }
}

/// Makes a folder like another one, and opens it.
pub fn make_like(
    like: impl AsFd,
    parent: impl AsFd,
    name: impl rustix::path::Arg + Copy,
) -> Result<OwnedFd, Errno> {
    let mode = Mode::from_raw_mode(rustix::fs::fstat(like)?.st_mode) | Mode::RWXU;
    let parent = parent.as_fd();
    match rustix::fs::mkdirat(parent, name, mode) {
        Ok(()) | Err(Errno::EXIST) => folders::open_inside(parent, name),
        Err(error) => Err(error),
    }
}

/// Gives a folder the time of another one: what comes back is as old as it was.
pub fn set_time(dir: impl AsFd, of: &Stat) {
    let time = Timespec {
        tv_sec: of.st_mtime as _,
        tv_nsec: of.st_mtime_nsec as _,
    };
    let times = Timestamps {
        last_access: time,
        last_modification: time,
    };
    // On a file system without times there is none to be kept.
    let _ = rustix::fs::futimens(dir, &times);
}
