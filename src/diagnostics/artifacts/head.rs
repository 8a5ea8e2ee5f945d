//! What the beginning of a session file says: its title and its project.

use rustix::path::Arg;

use super::walk;
use crate::{Shown, prelude::*, sessions};

/// The title's line and the header behind it fit, unless a project has very many folders.
const HEAD: u64 = 4096;

/// The beginning of a session file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// As omp or the person called it.
    pub title: Option<Shown>,
    /// Without a title: what was asked first, if that stands in what is read.
    pub prompt: Option<Shown>,
    /// The project's folder.
    pub cwd: Option<PathBuf>,
    /// When the file was written last, in nanoseconds since 1970.
    pub modified: i64,
}

#[derive(Deserialize)]
struct Line {
    r#type: String,
    title: Option<String>,
    cwd: Option<PathBuf>,
}

/// Reads it; whatever cannot be read is unknown.
pub fn read(parent: impl AsFd, name: impl Arg + Copy) -> Head {
    let mut head = Head::default();
    // A pipe with this name must not hold us.
    let Ok(Some((file, stat))) = walk::open_file(parent, name) else {
        return head;
    };
    head.modified = walk::modified(&stat);
    let Ok(bytes) = read_at_most(file, HEAD) else {
        return head;
    };
    for line in bytes.split(|byte| *byte == b'\n').take(2) {
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            continue;
        };
        if line.r#type == "title" || line.r#type == "session" {
            let title = line.title.filter(|title| !title.trim().is_empty());
            head.title = head.title.or_else(|| title.as_deref().map(Shown::from));
            head.cwd = head.cwd.or(line.cwd);
        }
    }
    if head.title.is_none() {
        head.prompt = bytes.split(|byte| *byte == b'\n').find_map(|line| {
            let value = serde_json::from_slice(line).ok()?;
            let entry = sessions::Entry::read(&value, 0, 0);
            entry.first_question()
        });
    }
    head
}
