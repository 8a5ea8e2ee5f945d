//! One clear or undo at a time.

use std::fs::TryLockError;

use super::root::{ArtifactRoot, ArtifactsError};
use crate::prelude::*;

/// How long another one may take before we give up.
const PATIENCE: Duration = Duration::from_secs(10);
/// The kernel does not say when a lock becomes free to those that may be cancelled meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

/// Waits for its turn, but not for long. It is held as long as the file is open, so that a process that dies lets go of it.
pub fn take(ground: &ArtifactRoot, cancel: &Cancel) -> Result<File, ArtifactsError> {
    let dir = &ground.state_dir;
    make_private(dir)?;
    let path = dir.join("artifacts.lock");
    let failed = |source| ArtifactsError::State {
        what: "locking",
        path: path.clone(),
        source,
    };
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(failed)?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        if cancel.is_cancelled() {
            return Err(ArtifactsError::Cancelled);
        }
        if began.elapsed() > PATIENCE {
            return Err(ArtifactsError::Busy);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Makes a folder that only its owner may look into; one that is there is good.
pub fn make_private(dir: &Path) -> Result<(), ArtifactsError> {
    base::files::make_folder(dir).map_err(|source| ArtifactsError::State {
        what: "making the folder",
        path: dir.to_path_buf(),
        source,
    })
}
