//! Our trash: what was cleared waits here until it is brought back or the trash is emptied.
//!
//! A batch is a folder with a list, `batch.json`, that is on the disk before anything is moved. What was moved is in numbered
//! folders: in the state folder when that is on the same file system, else beside the place with the sessions, because only
//! within a file system a folder moves in one step and whole.

use std::{ffi::OsStr, os::unix::fs::MetadataExt as _, sync::atomic::AtomicU64};

use base::files;

use super::{
    age, exact,
    lock::{self, make_private},
    remove,
    root::{ArtifactRoot, ArtifactsError},
    spot::ArtifactLocation,
    walk::{self, Totals},
};
use crate::prelude::*;

/// The list of a batch.
const LIST: &str = "batch.json";
/// A list is no larger than this.
const LARGEST: u64 = 64 * 1024 * 1024;

/// One folder that was moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trashed {
    pub spot: ArtifactLocation,
    /// Where it is.
    #[serde(with = "exact")]
    pub at: PathBuf,
    pub files: u64,
    /// Their length.
    pub bytes: u64,
}

/// What was cleared at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Its name: when it was cleared, and by which process.
    pub id: String,
    /// When, in nanoseconds since 1970.
    pub time: i64,
    pub(super) held: Vec<Trashed>,
}

impl Batch {
    /// What is in it, as it was when it was cleared.
    pub fn totals(&self) -> Totals {
        Self::totals_of(std::slice::from_ref(self))
    }

    /// What is in several.
    pub fn totals_of(batches: &[Self]) -> Totals {
        let mut totals = Totals::default();
        for held in batches.iter().flat_map(|batch| &batch.held) {
            totals.add_trashed(held);
        }
        totals
    }

    /// A batch of now, with nothing in it.
    pub(super) fn begin() -> Self {
        let time = age::now();
        let stamp = jiff::Timestamp::from_nanosecond(time.into()).unwrap_or_default();
        Self {
            id: format!(
                "{}-{}",
                stamp.strftime("%Y%m%dT%H%M%S%3fZ"),
                std::process::id()
            ),
            time,
            held: Vec::new(),
        }
    }

    /// Puts the list on the disk, all of it or nothing.
    pub(super) fn write(&self, ground: &ArtifactRoot) -> Result<(), ArtifactsError> {
        let path = folder(ground).join(&self.id).join(LIST);
        let written = files::replace(&path, |out| Ok(serde_json::to_writer(out, self)?));
        written.map_err(|source| ArtifactsError::State {
            what: "writing",
            path,
            source,
        })
    }

    /// Takes away the list and the folders, which are empty; what is not stays.
    pub(super) fn forget(&self, ground: &ArtifactRoot) {
        let dir = folder(ground).join(&self.id);
        let _ = std::fs::remove_file(dir.join(LIST));
        for held in &self.held {
            if let Some(parent) = held.at.parent() {
                let _ = std::fs::remove_dir(parent);
                let _ = parent.parent().map(std::fs::remove_dir);
            }
        }
        let _ = std::fs::remove_dir(dir);
    }
}

impl Totals {
    /// One more folder that is, or was, in the trash.
    pub(super) fn add_trashed(&mut self, held: &Trashed) {
        self.folders += 1;
        self.files += held.files;
        self.bytes += held.bytes;
    }
}

/// Where the lists are.
pub fn folder(ground: &ArtifactRoot) -> PathBuf {
    ground.state_dir.join("trash")
}

/// The folder for what comes from this place, on its file system; nothing if there can be none.
pub fn home(ground: &ArtifactRoot, batch: &Batch, place: &Path, device: u64) -> Option<PathBuf> {
    let ours = folder(ground).join(&batch.id);
    // Not inside of what is scanned: a trash would be taken for a project.
    let beside = place.parent()?.join(".omp-debug-trash").join(&batch.id);
    [ours, beside].into_iter().find(|dir| {
        let near = dir.ancestors().find_map(|dir| dir.metadata().ok());
        near.is_some_and(|near| near.dev() == device) && make_private(dir).is_ok()
    })
}

/// What is in the trash, the newest first. Lists that cannot be read are said.
pub fn batches(ground: &ArtifactRoot, warn: &mut dyn FnMut(String)) -> Vec<Batch> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder(ground))
        .into_iter()
        .flatten()
        .flatten()
    {
        let path = entry.path().join(LIST);
        match read(&path) {
            Ok(Some(batch)) => found.push(batch),
            Ok(None) => {}
            Err(error) => warn(error.to_string()),
        }
    }
    found.sort_by(|a: &Batch, b| (b.time, &b.id).cmp(&(a.time, &a.id)));
    found
}

fn read(path: &Path) -> Result<Option<Batch>, ArtifactsError> {
    let wrong = |why: String| ArtifactsError::Manifest {
        path: path.to_path_buf(),
        why,
    };
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(error.to_string())),
    };
    if !metadata.is_file() || metadata.len() > LARGEST {
        return Err(wrong("it is no file of ours".to_owned()));
    }
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let batch: Batch = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
    // The name leads to folders that are taken away.
    let named = path.parent().and_then(Path::file_name);
    if named != Some(batch.id.as_ref()) {
        return Err(wrong(format!("it says that it is {:?}", batch.id)));
    }
    Ok(Some(batch))
}

/// Deletes all that is in the trash for good; gives what was deleted and what could not be.
pub fn empty_trash(
    ground: &ArtifactRoot,
    progress: &(dyn Fn(u64, u64) + Sync),
    cancel: &Cancel,
) -> Result<(Totals, Vec<String>), ArtifactsError> {
    let mut failed = Vec::new();
    let _lock = lock::take(ground, cancel)?;
    let all = batches(ground, &mut |why| failed.push(why));
    let whole: u64 = all.iter().map(|batch| batch.totals().files).sum();
    let done = AtomicU64::new(0);
    let each = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(64) {
            progress(done, whole);
        }
    };
    let mut totals = Totals::default();
    for batch in all {
        let mut left = false;
        for held in &batch.held {
            match delete(&held.at, &each, cancel) {
                Ok(true) => totals.add_trashed(held),
                // Never moved, or brought back.
                Err(Errno::NOENT) => {}
                Ok(false) => {
                    left = true;
                    failed.push(format!(
                        "{:?} has session files in it and stays",
                        held.at.to_string_lossy()
                    ));
                }
                Err(Errno::CANCELED) => return Ok((totals, failed)),
                Err(error) => {
                    left = true;
                    failed.push(walk::trouble(&held.at, error));
                }
            }
        }
        if !left {
            batch.forget(ground);
        }
    }
    Ok((totals, failed))
}

fn delete(path: &Path, each: &dyn Fn(), cancel: &Cancel) -> Result<bool, Errno> {
    let (parent, name) = open_listed(path)?;
    let dir = folders::open_inside(&parent, name)?;
    Ok(remove::contents(dir.as_fd(), None, 0, each, cancel)? && remove::folder(&parent, name)?)
}

/// Opens what holds a place in a trash; gives the place's name in it, too.
pub fn open_home(path: &Path) -> Result<(OwnedFd, &OsStr), Errno> {
    let (home, number) = path.parent().zip(path.file_name()).ok_or(Errno::INVAL)?;
    Ok((folders::open_place(home)?, number))
}

/// As [`open_home`], for a place that a list names: a list is a file like any other, and what it names must look like a place in a
/// trash.
pub fn open_listed(path: &Path) -> Result<(OwnedFd, &OsStr), Errno> {
    if is_held(path) {
        open_home(path)
    } else {
        Err(Errno::INVAL)
    }
}

/// Whether a path is one of those that [`home`] gives, with a number in it.
fn is_held(path: &Path) -> bool {
    let number = path.file_name().and_then(|name| name.to_str());
    let trash = path.ancestors().nth(2).and_then(Path::file_name);
    number.is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
        && trash.is_some_and(|name| name == "trash" || name == ".omp-debug-trash")
        && !path
            .components()
            .any(|c| c == std::path::Component::ParentDir)
}
