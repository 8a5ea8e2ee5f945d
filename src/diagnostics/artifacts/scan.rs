//! Finds artifact folders and measures them, several at a time.

use std::{
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    sync::atomic::AtomicUsize,
};

use rustix::fs::FileType;

use super::{
    live,
    root::{ArtifactRoot, ArtifactsError},
    spot::{ArtifactFolder, ArtifactLocation},
    walk,
};
use crate::{prelude::*, sessions::Summary};

/// Of a session's file: the title's line and the header behind it fit, unless a project has very many folders.
const HEAD: u64 = 4096;
/// More threads wait for the file system without hurrying it.
const MOST_THREADS: usize = 8;

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The one changed last comes first.
    pub found: Vec<ArtifactFolder>,
    /// Folders without a session file beside them, which are left alone.
    pub others: u64,
    /// What could not be looked at.
    pub notes: Vec<String>,
    /// The places that were looked at.
    pub places: Vec<PathBuf>,
}

/// Looks at all places of the layout. `progress` is told how many folders of how many were measured, by several threads.
pub fn scan(
    ground: &ArtifactRoot,
    progress: &(dyn Fn(usize, usize) + Sync),
    cancel: &Cancel,
) -> Result<Scan, ArtifactsError> {
    let mut scan = Scan::default();
    let mut parents = Vec::new();
    for (number, place) in ground.layout.sessions.iter().enumerate() {
        let flat = number == 0 && ground.layout.flat_sessions;
        look_at(place, flat, &mut scan, &mut parents);
    }
    let candidates: Vec<(&Parent, &OsString)> = parents
        .iter()
        .flat_map(|parent| parent.names.iter().map(move |name| (parent, name)))
        .collect();
    let measured = side_by_side(
        &candidates,
        cancel,
        |(parent, name)| {
            let found = one(parent, name, cancel);
            (name.to_owned(), found)
        },
        progress,
    );
    if cancel.is_cancelled() {
        return Err(ArtifactsError::Cancelled);
    }
    for (name, found) in measured {
        match found {
            Ok(found) => scan.found.push(found),
            // Gone since its name was read.
            Err(Errno::NOENT) => {}
            Err(error) => {
                scan.notes.push(walk::trouble(Path::new(&name), error));
            }
        }
    }
    live::mark(ground, &mut scan.found);
    scan.found
        .sort_by(|a, b| (b.tally.newest, &a.spot.name).cmp(&(a.tally.newest, &b.spot.name)));
    Ok(scan)
}

/// A folder that holds session files and artifact folders.
struct Parent {
    place: PathBuf,
    bucket: Option<OsString>,
    dir: OwnedFd,
    /// Artifact folders in it.
    names: Vec<OsString>,
}

fn look_at(place: &Path, flat: bool, scan: &mut Scan, parents: &mut Vec<Parent>) {
    let opened = match folders::open_place(place) {
        Ok(dir) => dir,
        Err(Errno::NOENT) => return,
        Err(error) => {
            scan.notes.push(walk::trouble(place, error));
            return;
        }
    };
    scan.places.push(place.to_path_buf());
    let mut buckets = vec![None];
    if !flat {
        match folders::names(opened.as_fd()) {
            Ok(names) => {
                buckets = names
                    .into_iter()
                    .filter(|(name, kind)| {
                        folders::kind_of(opened.as_fd(), name, *kind) == Ok(FileType::Directory)
                    })
                    .map(|(name, _)| Some(OsString::from_vec(name.into_bytes())))
                    .collect();
            }
            Err(error) => {
                scan.notes.push(walk::trouble(place, error));
                return;
            }
        }
    }
    for bucket in buckets {
        let dir = match &bucket {
            Some(bucket) => folders::open_inside(&opened, bucket.as_os_str()),
            None => rustix::io::fcntl_dupfd_cloexec(&opened, 0),
        };
        let names = dir.and_then(|dir| {
            let (names, others) = artifact_folders(dir.as_fd())?;
            scan.others += others;
            Ok((dir, names))
        });
        match names {
            Ok((dir, names)) => parents.push(Parent {
                place: place.to_path_buf(),
                bucket,
                dir,
                names,
            }),
            Err(Errno::NOENT) => {}
            Err(error) => {
                let bucket = bucket.unwrap_or_default();
                scan.notes.push(walk::trouble(&place.join(bucket), error));
            }
        }
    }
}

/// Folders with a session file of their name beside them, and how many there are without one.
fn artifact_folders(dir: BorrowedFd<'_>) -> Result<(Vec<OsString>, u64), Errno> {
    let (mut folders, mut sessions) = (Vec::new(), HashSet::new());
    for (name, kind) in folders::names(dir)? {
        let bytes = name.as_bytes();
        match folders::kind_of(dir, &name, kind) {
            Ok(FileType::Directory) => folders.push(OsString::from_vec(name.into_bytes())),
            Ok(FileType::RegularFile) => {
                if let Some(stem) = bytes.strip_suffix(b".jsonl") {
                    sessions.insert(stem.to_vec());
                }
            }
            _ => {}
        }
    }
    let all = folders.len();
    folders
        .retain(|name| sessions.contains(name.as_bytes()) && !walk::is_transcript(name.as_bytes()));
    let others = (all - folders.len()) as u64;
    Ok((folders, others))
}

fn one(parent: &Parent, name: &OsString, cancel: &Cancel) -> Result<ArtifactFolder, Errno> {
    let dir = folders::open_inside(&parent.dir, name.as_os_str())?;
    let tally = walk::measure(dir.as_fd(), cancel)?;
    let spot = ArtifactLocation {
        place: parent.place.clone(),
        bucket: parent.bucket.clone(),
        name: name.clone(),
    };
    let (used, session) = session_of(&parent.dir, &spot).unwrap_or_default();
    Ok(ArtifactFolder {
        spot,
        tally,
        title: session.title,
        prompt: session.prompt,
        cwd: session.cwd.map(PathBuf::from),
        used,
        live: None,
        own: false,
    })
}

/// When the session's file was written last, and what its beginning says; nothing of one that cannot be read.
fn session_of(parent: &OwnedFd, spot: &ArtifactLocation) -> Option<(i64, Summary)> {
    // A pipe with this name must not hold us.
    let (file, stat) = folders::open_file(parent, spot.session_name().as_os_str()).ok()??;
    let head = read_at_most(file, HEAD).unwrap_or_default();
    Some((folders::modified(&stat), Summary::of_head(&head)))
}

/// Does the same to all items on as many threads as there are processors; what comes of them is in no order. Items that
/// nobody began when the work was cancelled are missing.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    cancel: &Cancel,
    work: impl Fn(&T) -> R + Sync,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = threads.min(MOST_THREADS).min(items.len()).max(1);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let run = || {
        let mut results = Vec::new();
        while !cancel.is_cancelled()
            && let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed))
        {
            results.push(work(item));
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, items.len());
        }
        results
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut results = run();
        for other in others {
            // A thread that panicked has nothing to give; the others' work counts.
            results.extend(other.join().unwrap_or_default());
        }
        results
    })
}
