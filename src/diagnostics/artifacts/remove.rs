//! Empties a tree by descriptor, session files excepted: into another one, or for good.

use std::ffi::CStr;

use rustix::fs::{AtFlags, FileType};

use super::{
    trash,
    walk::{self, DEEPEST},
};
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
    for (name, kind) in walk::names(dir)? {
        if cancel.is_cancelled() {
            return Err(Errno::CANCELED);
        }
        let name: &CStr = &name;
        if walk::is_transcript(name.to_bytes()) {
            empty = false;
            continue;
        }
        if walk::kind_of(dir, name, kind)? == FileType::Directory {
            let inside = walk::open_inside(dir, name)?;
            let target = to
                .map(|to| trash::make_like(&inside, to, name))
                .transpose()?;
            let target = target.as_ref().map(AsFd::as_fd);
            let emptied = contents(inside.as_fd(), target, depth + 1, each, cancel)?;
            empty &= emptied && folder(dir, name)?;
            continue;
        }
        match to {
            Some(to) => trash::rename(dir, name, to, name)?,
            None => rustix::fs::unlinkat(dir, name, AtFlags::empty())?,
        }
        each();
    }
    if let (Some(to), Some(before)) = (to, before) {
        // Both are as old as before: that we moved something is no use of it.
        trash::set_time(to, &before);
        trash::set_time(dir, &before);
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
