//! Where an artifact folder is, in steps that can be walked without following a link.

use std::ffi::OsStr;

use super::{exact, walk::Tally};
use crate::{SafeText, prelude::*, sessions::summary::NO_TITLE};

/// A place with sessions, a project's folder in it (a flat place has none), and a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ArtifactLocation {
    /// The place, as omp's settings have it: what leads to it may be a link.
    #[serde(with = "exact")]
    pub place: PathBuf,
    /// The project's folder.
    #[serde(with = "exact::maybe")]
    pub bucket: Option<OsString>,
    /// The session's name, which is the artifact folder's.
    #[serde(with = "exact")]
    pub name: OsString,
}

impl ArtifactLocation {
    /// The folder.
    pub fn path(&self) -> PathBuf {
        self.parent().join(&self.name)
    }

    /// The session file beside it.
    pub fn session(&self) -> PathBuf {
        self.parent().join(self.session_name())
    }

    /// The folder in which both are.
    pub fn parent(&self) -> PathBuf {
        match &self.bucket {
            Some(bucket) => self.place.join(bucket),
            None => self.place.clone(),
        }
    }

    pub(super) fn session_name(&self) -> OsString {
        let mut name = self.name.clone();
        name.push(".jsonl");
        name
    }

    /// Opens the folder in which both are.
    pub(super) fn open_parent(&self) -> Result<OwnedFd, Errno> {
        // A list in the trash is a file like any other: a name in it is one name and leads nowhere else.
        if !is_name(&self.name) || !self.bucket.as_deref().is_none_or(is_name) {
            return Err(Errno::INVAL);
        }
        let place = folders::open_place(&self.place)?;
        match &self.bucket {
            Some(bucket) => folders::open_inside(&place, bucket.as_os_str()),
            None => Ok(place),
        }
    }
}

fn is_name(name: &OsStr) -> bool {
    !name.is_empty()
        && name != "."
        && name != ".."
        && Path::new(name).components().count() == 1
        && !name.as_encoded_bytes().contains(&b'/')
}

/// An artifact folder.
#[derive(Clone, Debug)]
pub struct ArtifactFolder {
    pub spot: ArtifactLocation,
    pub tally: Tally,
    /// The session's title.
    pub title: Option<SafeText>,
    /// Without a title: what was asked first, if that is near the file's beginning.
    pub prompt: Option<SafeText>,
    /// The session's project.
    pub cwd: Option<PathBuf>,
    /// When the session file was written last, in nanoseconds since 1970.
    pub used: i64,
    /// Why its session counts as live.
    pub live: Option<String>,
    /// Whether it is of this terminal's session.
    pub own: bool,
}

impl ArtifactFolder {
    /// What its session is called.
    pub fn name(&self) -> &str {
        let name = self.title.as_deref().or(self.prompt.as_deref());
        name.unwrap_or(NO_TITLE)
    }
}
