//! One clear or undo at a time.

use rustix::fs::FlockOperation;

use super::{ArtifactRoot, ArtifactsError};
use crate::prelude::*;

/// How long another one may take before we give up.
const PATIENCE: Duration = Duration::from_secs(10);
/// The kernel does not say when a lock becomes free to those that may be cancelled meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

/// Held while it lives; a process that dies lets go of it.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for its turn, but not for long.
    pub fn take(ground: &ArtifactRoot, cancel: &Cancel) -> Result<Self, ArtifactsError> {
        let dir = &ground.state_dir;
        super::trash::make_private(dir)?;
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
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self { _file: file }),
                Err(Errno::WOULDBLOCK) => {}
                Err(error) => return Err(failed(error.into())),
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
}
