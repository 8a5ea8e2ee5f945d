//! Brings a batch back from the trash, never over what is there now.

use std::ffi::CStr;

use super::{
    clear::Note,
    lock, remove,
    root::{ArtifactRoot, ArtifactsError},
    trash::{self, Batch, Trashed},
    walk::{self, DEEPEST, Totals},
};
use crate::prelude::*;

/// What came of it.
#[derive(Debug, Default)]
pub struct Restored {
    /// The batch.
    pub id: String,
    /// What is back, as it was listed when it was cleared.
    pub restored: Totals,
    /// What stays in the trash, and why.
    pub failed: Vec<Note>,
}

/// Brings back one batch: the one with this name, or the newest.
pub fn undo(
    ground: &ArtifactRoot,
    id: Option<&str>,
    cancel: &Cancel,
) -> Result<Restored, ArtifactsError> {
    let _lock = lock::take(ground, cancel)?;
    let mut wrong = None;
    let all = trash::batches(ground, &mut |why| wrong = Some(why));
    let names = || {
        let names: Vec<_> = all.iter().map(|batch| batch.id.as_str()).collect();
        match names.len() {
            0 => "it is empty".to_owned(),
            _ => format!("there are {}", names.join(", ")),
        }
    };
    let batch = match id {
        Some(id) => all
            .iter()
            .find(|batch| batch.id == id)
            .ok_or_else(|| ArtifactsError::NoBatch(id.to_owned(), names()))?,
        None => all.first().ok_or_else(|| match wrong {
            Some(why) => ArtifactsError::Manifest {
                path: trash::folder(ground),
                why,
            },
            None => ArtifactsError::NoTrash,
        })?,
    };
    let mut restored = Restored {
        id: batch.id.clone(),
        ..Restored::default()
    };
    let mut rest = Batch {
        held: Vec::new(),
        ..batch.clone()
    };
    for held in &batch.held {
        let path = held.spot.path();
        let why = if cancel.is_cancelled() {
            "was not come to".to_owned()
        } else {
            match bring_back(held) {
                Ok(0) => {
                    restored.restored.add_trashed(held);
                    continue;
                }
                Ok(left) => format!(
                    "has other contents now: {} in the trash",
                    amount::count(left, "file stays", "files stay")
                ),
                // Nothing of it was ever moved.
                Err(Errno::NOENT) if held.at.symlink_metadata().is_err() => continue,
                Err(error) => walk::why(error),
            }
        };
        restored.failed.push(Note { path, why });
        rest.held.push(held.clone());
    }
    if rest.held.is_empty() {
        batch.forget(ground);
    } else {
        rest.write(ground)?;
    }
    Ok(restored)
}

/// How many files could not go back, because there is another one.
fn bring_back(held: &Trashed) -> Result<u64, Errno> {
    let (home, number) = trash::open_listed(&held.at)?;
    let dir = folders::open_inside(&home, number)?;
    let parent = parent_of(held)?;
    let name = held.spot.name.as_os_str();
    match remove::rename(&home, number, &parent, name) {
        Err(Errno::EXIST | Errno::NOTEMPTY) => {}
        other => return other.map(|()| 0),
    }
    let target = folders::open_inside(&parent, name)?;
    let left = merge(dir.as_fd(), target.as_fd(), 0)?;
    if left == 0 {
        remove::folder(&home, number)?;
    }
    Ok(left)
}

/// The folder it was in, made anew if it is gone.
fn parent_of(held: &Trashed) -> Result<OwnedFd, Errno> {
    match (held.spot.open_parent(), &held.spot.bucket) {
        (Err(Errno::NOENT), Some(bucket)) => {
            let place = folders::open_place(&held.spot.place)?;
            remove::make_like(&place, &place, bucket.as_os_str())
        }
        (opened, _) => opened,
    }
}

fn merge(from: BorrowedFd<'_>, to: BorrowedFd<'_>, depth: usize) -> Result<u64, Errno> {
    if depth >= DEEPEST {
        return Err(Errno::NAMETOOLONG);
    }
    let before = rustix::fs::fstat(from)?;
    let there = rustix::fs::fstat(to)?;
    let mut left = 0;
    for (name, kind) in folders::names(from)? {
        let name: &CStr = &name;
        match remove::rename(from, name, to, name) {
            Ok(()) => {}
            Err(Errno::EXIST | Errno::NOTEMPTY) => {
                let inside = if folders::kind_of(from, name, kind)?.is_dir() {
                    folders::open_inside(to, name).ok()
                } else {
                    None
                };
                left += match inside {
                    Some(target) => {
                        let dir = folders::open_inside(from, name)?;
                        let left = merge(dir.as_fd(), target.as_fd(), depth + 1)?;
                        if left == 0 {
                            remove::folder(from, name)?;
                        }
                        left
                    }
                    None => 1,
                };
            }
            Err(error) => return Err(error),
        }
    }
    // As old as it was; one that was used since is younger.
    let newest = if folders::modified(&there) > folders::modified(&before) {
        there
    } else {
        before
    };
    remove::set_time(to, &newest);
    Ok(left)
}
