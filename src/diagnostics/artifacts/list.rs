//! Looks into an artifact folder, one level at a time, for people who browse.

use std::{ffi::OsStr, os::unix::ffi::OsStringExt as _};

use base::text::amount::size;
use rustix::fs::FileType;

use super::{spot::ArtifactLocation, walk};
use crate::{prelude::*, texts::leading_number};

/// Names of one folder that are shown at most.
const MOST: usize = 20_000;

/// What a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    Folder,
    File,
    /// A symbolic link, which is not followed.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: OsString,
    pub kind: ItemKind,
    /// A file's length in bytes.
    pub bytes: u64,
    /// When its content changed, in nanoseconds since 1970.
    pub modified: i64,
}

/// What is in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Folders first, then by name.
    pub entries: Vec<Entry>,
    /// Names beyond those that are shown.
    pub more: u64,
}

fn open(spot: &ArtifactLocation, below: &[OsString]) -> Result<OwnedFd, Errno> {
    let mut dir = folders::open_inside(spot.open_parent()?, spot.name.as_os_str())?;
    for name in below {
        dir = folders::open_inside(&dir, name.as_os_str())?;
    }
    Ok(dir)
}

/// Lists the folder that is reached by these names. The error is a sentence.
pub fn list(spot: &ArtifactLocation, below: &[OsString]) -> Result<Listing, String> {
    let told = |error: Errno| {
        let path = below.iter().fold(spot.path(), |path, name| path.join(name));
        walk::trouble(&path, error)
    };
    let dir = open(spot, below).map_err(told)?;
    let mut listing = Listing::default();
    folders::each(dir.as_fd(), |name, _| {
        if listing.entries.len() == MOST {
            listing.more += 1;
            return Ok(());
        }
        // What is gone again is not there.
        let Ok(stat) = folders::look(&dir, name) else {
            return Ok(());
        };
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => ItemKind::Folder,
            FileType::RegularFile => ItemKind::File,
            FileType::Symlink => ItemKind::Link,
            _ => ItemKind::Other,
        };
        listing.entries.push(Entry {
            name: OsString::from_vec(name.to_bytes().to_vec()),
            kind,
            bytes: if kind == ItemKind::File {
                u64::try_from(stat.st_size).unwrap_or_default()
            } else {
                0
            },
            modified: folders::modified(&stat),
        });
        Ok(())
    })
    .map_err(told)?;
    listing.entries.sort_by(|a, b| {
        let folders = (a.kind != ItemKind::Folder).cmp(&(b.kind != ItemKind::Folder));
        folders.then_with(|| natural(&a.name, &b.name))
    });
    Ok(listing)
}

/// `2.read.log` before `10.bash.log`: outputs are numbered.
fn natural(a: &OsStr, b: &OsStr) -> std::cmp::Ordering {
    let number = |name: &OsStr| leading_number(&name.to_string_lossy()).unwrap_or(u64::MAX);
    (number(a), a).cmp(&(number(b), b))
}

/// The beginning of a file of `whole` bytes as text, its lines as they are; if it is none, the sentence that says so.
pub fn text_of(bytes: &[u8], whole: u64) -> Result<String, String> {
    let start = bytes.get(..8192).unwrap_or(bytes);
    // A letter that is cut by the end of the piece has no length of an error.
    let is_data = std::str::from_utf8(start).is_err_and(|error| error.error_len().is_some());
    if is_data || start.contains(&0) {
        return Err(format!("This is no text: {} of data", size(whole)));
    }
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// The first `most` bytes of a file that is reached by these names, its own the last. The error is a sentence.
pub fn head_of(spot: &ArtifactLocation, below: &[OsString], most: u64) -> Result<Vec<u8>, String> {
    let Some((name, folders)) = below.split_last() else {
        return Err("it is a folder".to_owned());
    };
    let told = |error: Errno| walk::trouble(Path::new(name), error);
    let dir = open(spot, folders).map_err(told)?;
    // A pipe that took the file's name must not hold us.
    let opened = folders::open_file(&dir, name.as_os_str()).map_err(told)?;
    let Some((file, _)) = opened else {
        return Err("it is no file".to_owned());
    };
    read_at_most(file, most).map_err(|error| format!("it cannot be read: {error}"))
}
