//! The file of the audit: one line of JSON for each thing that was asked, decided or done by others than the person. Lines are only added;
//! a file that is full is set aside, and the one before it goes.
//!
//! Several cores write into one file, each line in one piece.

use std::{
    fs::File,
    io::{self, Write as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use base::files;
use rustix::fs::{FlockOperation, flock};

use super::AuditEntry;

/// Bytes after which a file is set aside.
pub const FULL: u64 = 8 * 1024 * 1024;
/// The file that is written, and the one that was set aside.
pub const NAMES: [&str; 2] = ["audit.jsonl", "audit.1.jsonl"];

/// A place to keep the audit.
#[derive(Debug)]
pub struct Audit {
    folder: Option<PathBuf>,
    file: Option<File>,
    told: bool,
}

impl Audit {
    /// In this folder; none keeps nothing.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self {
            folder,
            file: None,
            told: false,
        }
    }

    /// Adds a line. What goes wrong is given back the first time.
    pub fn add(&mut self, entry: &AuditEntry) -> Option<String> {
        let folder = self.folder.clone()?;
        let error = self.write(&folder, entry).err()?;
        self.file = None;
        if std::mem::replace(&mut self.told, true) {
            return None;
        }
        Some(format!(
            "The audit cannot be written into {}: {error}.",
            folder.display()
        ))
    }

    fn write(&mut self, folder: &Path, entry: &AuditEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let path = folder.join(NAMES[0]);
        // Twice: another core may have set the file aside while we waited for it.
        for _ in 0..3 {
            let file = match self.file.take() {
                Some(file) => file,
                None => open(folder, &path)?,
            };
            flock(&file, FlockOperation::LockExclusive)?;
            let here = file.metadata()?;
            let named = std::fs::metadata(&path).ok();
            if named.is_none_or(|named| (named.dev(), named.ino()) != (here.dev(), here.ino())) {
                continue;
            }
            if here.len() + line.len() as u64 > FULL && here.len() > 0 {
                std::fs::rename(&path, folder.join(NAMES[1]))?;
                continue;
            }
            let written = (&file).write_all(&line);
            flock(&file, FlockOperation::Unlock)?;
            self.file = Some(file);
            return written;
        }
        Err(io::Error::other("others keep setting it aside"))
    }
}

fn open(folder: &Path, path: &Path) -> io::Result<File> {
    files::make_folder(folder)?;
    files::open(path, true)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::permission::{Actor, ActorKind, Tier};

    fn entry(subject: &str) -> AuditEntry {
        AuditEntry {
            time_ms: 1,
            actor: Actor::new(ActorKind::Agent, "x"),
            action: "evaluate".to_owned(),
            tier: Tier::Exec,
            subject: subject.to_owned(),
            session: None,
            decision: "allowed".to_owned(),
            note: String::new(),
            hash: String::new(),
        }
    }

    fn lines(path: &Path) -> Vec<AuditEntry> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect()
    }

    #[test]
    fn lines_are_added_for_the_owner_alone_and_a_full_file_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("audit");
        let path = folder.join(NAMES[0]);
        let mut first = Audit::new(Some(folder.clone()));
        let mut second = Audit::new(Some(folder.clone()));
        assert_eq!(first.add(&entry("a\nb")), None);
        assert_eq!(second.add(&entry("c")), None);
        let subjects: Vec<_> = lines(&path).into_iter().map(|e| e.subject).collect();
        assert_eq!(subjects, ["a\nb", "c"]);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
        // A sparse file is full, too.
        let full = File::options().write(true).open(&path).unwrap();
        full.set_len(FULL).unwrap();
        assert_eq!(second.add(&entry("d")), None);
        assert_eq!(first.add(&entry("e")), None);
        let subjects: Vec<_> = lines(&path).into_iter().map(|e| e.subject).collect();
        assert_eq!(subjects, ["d", "e"]);
        assert_eq!(
            std::fs::metadata(folder.join(NAMES[1])).unwrap().len(),
            FULL
        );
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    }

    #[test]
    fn trouble_is_said_once() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        std::fs::write(&taken, "").unwrap();
        let mut audit = Audit::new(Some(taken.clone()));
        let said = audit.add(&entry("a")).unwrap();
        assert!(said.contains("taken"), "{said}");
        assert_eq!(audit.add(&entry("b")), None);
        assert_eq!(Audit::new(None).add(&entry("a")), None);
    }
}
