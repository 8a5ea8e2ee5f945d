//! Carries a plan out: each folder is looked at again first, and one that is not as it was listed stays.

use std::sync::atomic::AtomicU64;

use super::{
    live, lock,
    plan::Plan,
    remove,
    root::{ArtifactRoot, ArtifactsError},
    scan::side_by_side,
    spot::ArtifactFolder,
    trash::{self, Batch, Trashed},
    walk::{self, Totals},
};
use crate::prelude::*;

/// How folders go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeleteMode {
    /// Into the trash, from where they can be brought back.
    #[default]
    Trash,
    /// For good.
    Delete,
}

/// A folder that stayed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub path: PathBuf,
    /// Why, as the end of a sentence that begins with it.
    pub why: String,
}

/// How far a clear is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files that are gone.
    pub files: u64,
    /// Files of the plan.
    pub of: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What is gone, as it was listed.
    pub cleared: Totals,
    /// What changed since it was listed, and stayed.
    pub skipped: Vec<Note>,
    /// What could not be cleared, or not all of it.
    pub failed: Vec<Note>,
    /// Folders that nobody came to, because the clear was cancelled.
    pub left: u64,
    /// The name of the batch in the trash, if something is there.
    pub batch: Option<String>,
    /// Where in the file system that is.
    pub trash: Vec<PathBuf>,
}

/// Why a folder is not cleared.
enum ClearRefusal {
    Skipped(String),
    Failed(String),
    Cancelled,
}

impl ClearRefusal {
    fn skipped(why: &str) -> Self {
        Self::Skipped(why.to_owned())
    }
}

impl From<Errno> for ClearRefusal {
    fn from(error: Errno) -> Self {
        match error {
            Errno::CANCELED => Self::Cancelled,
            error => Self::Failed(walk::why(error)),
        }
    }
}

/// Clears what a plan says. Waits for another one that clears; `progress` is told by several threads.
pub fn clear(
    plan: &Plan,
    ground: &ArtifactRoot,
    how: DeleteMode,
    progress: &(dyn Fn(Progress) + Sync),
    cancel: &Cancel,
) -> Result<Outcome, ArtifactsError> {
    let _lock = lock::take(ground, cancel)?;
    // A session may have been taken up again since.
    let mut all: Vec<ArtifactFolder> = plan.clear.clone();
    all.extend(plan.kept.iter().map(|kept| kept.found.clone()));
    live::mark(ground, &mut all);
    all.truncate(plan.clear.len());
    let batch = match how {
        DeleteMode::Trash if !all.is_empty() => Some(prepare(&all, ground)?),
        _ => None,
    };
    let of = plan.totals().files;
    let gone = AtomicU64::new(0);
    let tell = |more: u64| {
        let before = gone.fetch_add(more, Ordering::Relaxed);
        // A thousandth of a large job, and every step of a small one.
        let step = (of / 1000).max(1);
        if before / step != (before + more) / step {
            progress(Progress {
                files: before + more,
                of,
            });
        }
    };
    let items: Vec<(&ArtifactFolder, Option<&Trashed>)> = all
        .iter()
        .enumerate()
        .map(|(n, found)| (found, batch.as_ref().and_then(|batch| batch.held.get(n))))
        .collect();
    let ends = side_by_side(
        &items,
        cancel,
        |(found, held)| {
            let job = Job {
                found,
                tell: &tell,
                cancel,
            };
            let end = match (how, held) {
                (DeleteMode::Delete, _) => job.delete(),
                (DeleteMode::Trash, Some(held)) => job.move_to(held),
                (DeleteMode::Trash, None) => Err(Errno::INVAL.into()),
            };
            (found.spot.path(), found.tally.clone(), end)
        },
        &|_, _| (),
    );
    let mut outcome = Outcome {
        left: (all.len() - ends.len()) as u64,
        ..Outcome::default()
    };
    for (path, tally, end) in ends {
        match end {
            Ok(()) => outcome.cleared.add(&tally),
            Err(ClearRefusal::Skipped(why)) => outcome.skipped.push(Note { path, why }),
            Err(ClearRefusal::Failed(why)) => outcome.failed.push(Note { path, why }),
            Err(ClearRefusal::Cancelled) => outcome.left += 1,
        }
    }
    for notes in [&mut outcome.skipped, &mut outcome.failed] {
        notes.sort_by(|a, b| a.path.cmp(&b.path));
    }
    if let Some(mut batch) = batch {
        // What was never moved is in no trash.
        batch.held.retain(|held| held.at.symlink_metadata().is_ok());
        if batch.held.is_empty() {
            batch.held = all_held(&all, ground, &batch);
            batch.forget(ground);
        } else {
            batch.write(ground)?;
            outcome.trash = batch
                .held
                .iter()
                .filter_map(|h| Some(h.at.parent()?.to_path_buf()))
                .collect();
            outcome.trash.dedup();
            outcome.batch = Some(batch.id);
        }
    }
    Ok(outcome)
}

/// Writes down what is about to be moved, and where to.
fn prepare(all: &[ArtifactFolder], ground: &ArtifactRoot) -> Result<Batch, ArtifactsError> {
    let mut batch = Batch::begin();
    batch.held = all_held(all, ground, &batch);
    if let Some(elsewhere) = all.get(batch.held.len()) {
        return Err(ArtifactsError::State {
            what: "finding room for a trash on the file system of",
            path: elsewhere.spot.place.clone(),
            source: io::Error::other(
                "no folder there may be written to; --no-trash deletes without one",
            ),
        });
    }
    batch.write(ground)?;
    Ok(batch)
}

/// Where each folder goes; ends at the first one for which there is no trash.
fn all_held(all: &[ArtifactFolder], ground: &ArtifactRoot, batch: &Batch) -> Vec<Trashed> {
    let mut homes: Vec<(PathBuf, u64, PathBuf)> = Vec::new();
    let mut held = Vec::new();
    for (number, found) in all.iter().enumerate() {
        let (place, device) = (&found.spot.place, found.tally.device());
        let known = homes.iter().find(|(p, d, _)| p == place && *d == device);
        let home = match known {
            Some((_, _, home)) => home.clone(),
            None => match trash::home(ground, batch, place, device) {
                Some(home) => {
                    homes.push((place.clone(), device, home.clone()));
                    home
                }
                None => break,
            },
        };
        held.push(Trashed {
            spot: found.spot.clone(),
            at: home.join(number.to_string()),
            files: found.tally.files,
            bytes: found.tally.bytes,
        });
    }
    held
}

struct Job<'a> {
    found: &'a ArtifactFolder,
    tell: &'a dyn Fn(u64),
    cancel: &'a Cancel,
}

impl Job<'_> {
    /// Opens the folder and the one it is in, and says why it is not to be touched, if so.
    fn open(&self) -> Result<(OwnedFd, OwnedFd), ClearRefusal> {
        let spot = &self.found.spot;
        if let Some(live) = &self.found.live {
            return Err(ClearRefusal::Skipped(format!("is {live} now")));
        }
        let parent = spot.open_parent()?;
        let session = folders::look(&parent, spot.session_name().as_os_str());
        if !session.is_ok_and(|s| rustix::fs::FileType::from_raw_mode(s.st_mode).is_file()) {
            return Err(ClearRefusal::skipped(
                "has no session file beside it any more",
            ));
        }
        let dir = folders::open_inside(&parent, spot.name.as_os_str());
        let dir = dir.map_err(|error| match error {
            Errno::NOENT => ClearRefusal::skipped("is gone already"),
            Errno::LOOP | Errno::NOTDIR => ClearRefusal::skipped("is another thing now"),
            error => error.into(),
        })?;
        if !self.is_as_listed(dir.as_fd())? {
            return Err(ClearRefusal::skipped("changed since it was listed"));
        }
        Ok((parent, dir))
    }

    fn is_as_listed(&self, dir: BorrowedFd<'_>) -> Result<bool, Errno> {
        Ok(walk::measure(dir, self.cancel)? == self.found.tally)
    }

    fn delete(&self) -> Result<(), ClearRefusal> {
        let (parent, dir) = self.open()?;
        let emptied = self.contents(&dir, None)?;
        let gone = emptied && remove::folder(&parent, self.found.spot.name.as_os_str())?;
        self.judge(gone)
    }

    fn contents(&self, dir: &OwnedFd, to: Option<BorrowedFd<'_>>) -> Result<bool, Errno> {
        let each = || (self.tell)(1);
        remove::contents(dir.as_fd(), to, 0, &each, self.cancel)
    }

    /// Session files stay with their folder; anything else that is left came while we worked.
    fn judge(&self, gone: bool) -> Result<(), ClearRefusal> {
        if gone || self.found.tally.transcripts > 0 {
            return Ok(());
        }
        let why = "got something new while it was cleared; that stays";
        Err(ClearRefusal::Failed(why.to_owned()))
    }

    fn move_to(&self, held: &Trashed) -> Result<(), ClearRefusal> {
        let (parent, dir) = self.open()?;
        let (home, number) = trash::open_home(&held.at)?;
        let name = self.found.spot.name.as_os_str();
        if self.found.tally.transcripts == 0 {
            remove::rename(&parent, name, &home, number)?;
            // What came between looking and moving, a session file perhaps, goes back with all the rest.
            if !self.is_as_listed(dir.as_fd())? {
                remove::rename(&home, number, &parent, name)?;
                return Err(ClearRefusal::skipped(
                    "changed while it was moved, and is back",
                ));
            }
            (self.tell)(self.found.tally.files);
            return Ok(());
        }
        let target = remove::make_like(&dir, &home, number)?;
        let emptied = self.contents(&dir, Some(target.as_fd()))?;
        let gone = emptied && remove::folder(&parent, name)?;
        self.judge(gone)
    }
}
