//! Deletes a tree by descriptor, session files excepted.

use rustix::fs::{AtFlags, FileType};

use super::walk::{self, DEEPEST};
use crate::prelude::*;

/// Deletes what is in a folder. True when nothing is left in it. `each` is called after every file.
pub fn contents(
    dir: BorrowedFd<'_>,
    depth: usize,
    each: &dyn Fn(),
    cancel: &Cancel,
) -> Result<bool, Errno> {
    if depth >= DEEPEST {
        return Err(Errno::NAMETOOLONG);
    }
    let mut empty = true;
    for (name, kind) in walk::names(dir)? {
        if cancel.is_cancelled() {
            return Err(Errno::CANCELED);
        }
        if walk::is_transcript(name.as_bytes()) {
            empty = false;
            continue;
        }
        if walk::kind_of(dir, &name, kind)? == FileType::Directory {
            let inside = walk::open_inside(dir, name.as_c_str())?;
            let emptied = contents(inside.as_fd(), depth + 1, each, cancel)?;
            empty &= emptied && folder(dir, name.as_c_str())?;
        } else {
            rustix::fs::unlinkat(dir, name.as_c_str(), AtFlags::empty())?;
            each();
        }
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
