//! A file that is there as a whole or not at all, and that only its owner can read.
//!
//! It is written beside its place, brought to the disk, and then put there. Leaves to others what is in it.

use std::io::BufWriter;

use base::files;

use crate::prelude::*;

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum NotWritten {
    /// Something has that name.
    #[error("{0:?} is there already; choose another name, or say --force to replace it")]
    Exists(PathBuf),
    /// What has that name is not to be replaced.
    #[error("{0:?} is {1}, which is not replaced")]
    NotReplaced(PathBuf, &'static str),
    /// The file system refused.
    #[error("{0:?} cannot be written: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// There is nothing to write; a sentence.
    #[error("{0}")]
    Nothing(String),
}

/// What hinders a writer.
#[derive(Debug, thiserror::Error)]
pub enum Hindrance {
    /// The file system.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// A sentence about what was to be written.
    #[error("{0}")]
    Other(String),
}

impl NotWritten {
    /// Whether the name that was given is to blame.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Exists(_) | Self::NotReplaced(..))
    }
}

/// Writes `path` with mode 0600 by way of a temporary file beside it, which `fill` writes; gives what that gave, and the file's
/// size in bytes. A file that has the name stays unless `force`; only a file is ever replaced: no folder, no link, no device.
pub fn write<T, E: Into<Hindrance>>(
    path: &Path,
    force: bool,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> Result<T, E>,
) -> Result<(T, u64), NotWritten> {
    let failed = |error| NotWritten::Io(path.to_path_buf(), error);
    let exists = || NotWritten::Exists(path.to_path_buf());
    // Said before long work, and seen to again at the end.
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
        Ok(metadata) if metadata.is_dir() => {
            return Err(NotWritten::NotReplaced(path.to_path_buf(), "a folder"));
        }
        Ok(_) if !force => return Err(exists()),
        Ok(metadata) if !metadata.is_file() => {
            let what = "a link or a device";
            return Err(NotWritten::NotReplaced(path.to_path_buf(), what));
        }
        Ok(_) => {}
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Temporary files have mode 0600, and are gone when they are not kept.
    let mut beside = files::beside(folder).map_err(failed)?;
    let mut out = BufWriter::new(beside.as_file_mut());
    let done = fill(&mut out).map_err(|error| match error.into() {
        Hindrance::Io(error) => failed(error),
        Hindrance::Other(why) => NotWritten::Nothing(why),
    })?;
    out.flush().map_err(failed)?;
    drop(out);
    beside.as_file().sync_all().map_err(failed)?;
    let size = beside.as_file().metadata().map_err(failed)?.len();
    let kept = if force {
        beside.persist(path)
    } else {
        beside.persist_noclobber(path)
    };
    match kept {
        Ok(_) => {
            files::settle(folder);
            Ok((done, size))
        }
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
        Err(error) => Err(failed(error.error)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn save(path: &Path, force: bool, text: &str) -> Result<u64, NotWritten> {
        write(path, force, |out| out.write_all(text.as_bytes())).map(|((), size)| size)
    }

    #[test]
    fn a_file_of_ones_own_takes_the_place_of_one_that_may_go() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        assert_eq!(save(&path, false, "one").unwrap(), 3);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let unasked = save(&path, false, "two").unwrap_err();
        assert!(unasked.is_usage() && unasked.to_string().contains("--force"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
        save(&path, true, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
    }

    #[test]
    fn links_and_folders_stay_and_what_failed_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        std::fs::write(&target, "kept").unwrap();
        symlink(&target, &link).unwrap();
        let refused = save(&link, true, "x").unwrap_err().to_string();
        assert!(refused.contains("a link or a device"), "{refused}");
        let folder = save(dir.path(), true, "x").unwrap_err();
        assert!(folder.to_string().contains("a folder"), "{folder}");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "kept");
        let broken: Result<((), u64), NotWritten> = write(&dir.path().join("b"), false, |out| {
            out.write_all(b"half").unwrap();
            Err(Hindrance::Other("nothing".to_owned()))
        });
        assert!(broken.is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
        let nowhere = save(&dir.path().join("no/such/a"), false, "x");
        assert!(
            nowhere
                .unwrap_err()
                .to_string()
                .contains("cannot be written")
        );
    }
}
