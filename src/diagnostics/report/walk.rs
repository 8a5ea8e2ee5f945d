//! The files below a folder: no link is followed, nothing special is opened, and every folder is opened from the one above it, so
//! that a path cannot be led elsewhere while it is walked.

use std::{
    ffi::{CString, OsStr},
    os::unix::ffi::OsStrExt as _,
};

use rustix::{
    fs::{CWD, FileType},
    path::Arg,
};

use crate::{
    folders::{look, names, open_folder},
    prelude::*,
};

/// Deeper folders are left out.
const DEEPEST: usize = 32;

/// A file that was found.
#[derive(Debug)]
pub struct WalkedFile {
    /// Below the folder.
    pub path: PathBuf,
    /// Bytes, when it was found.
    pub size: u64,
}

/// What was found, and what was passed by.
#[derive(Debug, Default)]
pub struct Walk {
    /// In the order of their paths.
    pub files: Vec<WalkedFile>,
    /// Path below the folder, and why it is not among the files.
    pub left_out: Vec<(PathBuf, String)>,
    most: usize,
}

/// Finds the files below `root`, at most `most`.
pub fn walk(root: &Path, most: usize, cancel: &Cancel) -> io::Result<Walk> {
    let mut walk = Walk {
        most,
        ..Walk::default()
    };
    let folder = open_folder(CWD, root)?;
    walk.folder(&folder, Path::new(""), 0, cancel);
    walk.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(walk)
}

impl Walk {
    fn folder(&mut self, folder: &OwnedFd, path: &Path, depth: usize, cancel: &Cancel) {
        let mut names = match names(folder.as_fd()) {
            Ok(names) => names,
            Err(error) => return self.leave_out(path.to_path_buf(), error.to_string()),
        };
        // Which ones are left out when there are too many does not depend on the disk's order.
        names.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut folders: Vec<(CString, PathBuf)> = Vec::new();
        for (name, _) in names {
            if cancel.is_cancelled() {
                return;
            }
            let here = path.join(OsStr::from_bytes(name.to_bytes()));
            let stat = match look(folder, &*name) {
                Ok(stat) => stat,
                Err(error) => {
                    self.leave_out(here, error.to_string());
                    continue;
                }
            };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile if self.files.len() >= self.most => {
                    self.leave_out(here, format!("there are more than {} files", self.most));
                }
                FileType::RegularFile => self.files.push(WalkedFile {
                    path: here,
                    size: u64::try_from(stat.st_size).unwrap_or(0),
                }),
                FileType::Directory => folders.push((name, here)),
                FileType::Symlink => {
                    self.leave_out(here, "a link, which is not followed".to_owned());
                }
                other => self.leave_out(here, format!("no file but a {}", kind(other))),
            }
        }
        for (name, here) in folders {
            if depth + 1 >= DEEPEST {
                self.leave_out(here, format!("more than {DEEPEST} folders deep"));
                continue;
            }
            match open_folder(folder, &*name) {
                Ok(folder) => self.folder(&folder, &here, depth + 1, cancel),
                Err(error) => self.leave_out(here, error.to_string()),
            }
        }
    }

    fn leave_out(&mut self, path: PathBuf, why: String) {
        // A hostile folder must not fill the memory with names.
        if self.left_out.len() < self.most {
            self.left_out.push((path, why));
        }
    }
}

fn kind(kind: FileType) -> &'static str {
    match kind {
        FileType::Fifo => "pipe",
        FileType::Socket => "socket",
        FileType::CharacterDevice | FileType::BlockDevice => "device",
        _ => "special file",
    }
}

/// Opens a plain file. A pipe is not waited for, and no link is followed anywhere below `root`.
pub fn open_below(root: &Path, path: &Path) -> io::Result<File> {
    let mut folder = open_folder(CWD, root)?;
    let mut names = path.iter().peekable();
    while let Some(name) = names.next() {
        if names.peek().is_none() {
            return open_plain(folder, name);
        }
        folder = open_folder(folder, name)?;
    }
    Err(io::Error::other("it has no name"))
}

/// Opens a plain file that is no link itself.
pub fn open_file(path: &Path) -> io::Result<File> {
    open_plain(CWD, path)
}

/// The end of a file, and how much is before it.
pub fn tail(path: &Path, most: u64) -> io::Result<(Vec<u8>, u64)> {
    let mut file = open_file(path)?;
    let from = file.metadata()?.len().saturating_sub(most);
    file.seek(SeekFrom::Start(from))?;
    Ok((read_at_most(file, most)?, from))
}

fn open_plain(at: impl AsFd, name: impl Arg) -> io::Result<File> {
    let opened = folders::open_file(at, name)?;
    let file = opened.map(|(file, _)| file);
    file.ok_or_else(|| io::Error::other("it is no plain file"))
}

/// A path as a member's name: readable on every system, and nothing a terminal could take for an order.
pub fn member_name(path: &Path) -> String {
    let mut name = String::new();
    for part in path {
        if !name.is_empty() {
            name.push('/');
        }
        for chunk in part.as_bytes().utf8_chunks() {
            for character in chunk.valid().chars() {
                let mut room = [0; 4];
                let text: &str = character.encode_utf8(&mut room);
                if character == '\\' || sanitise(text) != text {
                    text.bytes().for_each(|byte| escape(byte, &mut name));
                } else {
                    name.push(character);
                }
            }
            chunk.invalid().iter().for_each(|b| escape(*b, &mut name));
        }
    }
    name
}

fn escape(byte: u8, name: &mut String) {
    use std::fmt::Write as _;
    let _ = write!(name, "%{byte:02X}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_plain_files_and_nothing_outside() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("a");
        std::fs::create_dir_all(root.join("b/c")).unwrap();
        std::fs::write(root.join("b/c/deep.log"), "x").unwrap();
        std::fs::write(root.join("1.log"), "xyz").unwrap();
        symlink("/etc/passwd", root.join("link")).unwrap();
        symlink("..", root.join("b/loop")).unwrap();
        rustix::fs::mkfifoat(
            CWD,
            root.join("pipe"),
            rustix::fs::Mode::from_raw_mode(0o600),
        )
        .unwrap();
        let found = walk(&root, 10, &Cancel::default()).unwrap();
        let names: Vec<_> = found.files.iter().map(|f| member_name(&f.path)).collect();
        assert_eq!(names, ["1.log", "b/c/deep.log"]);
        assert_eq!(found.left_out.len(), 3, "{:?}", found.left_out);
        assert!(open_below(&root, Path::new("b/c/deep.log")).is_ok());
        for bad in ["link", "b/loop/1.log", "pipe", "b"] {
            assert!(open_below(&root, Path::new(bad)).is_err(), "{bad}");
        }
        assert_eq!(
            walk(&root, 1, &Cancel::default()).unwrap().files.len(),
            1,
            "the number is bounded"
        );
    }

    #[test]
    fn names_are_safe() {
        let name = OsStr::from_bytes(b"a\nb\x1b[2J\xff\\");
        assert_eq!(
            member_name(&Path::new("x").join(name)),
            "x/a%0Ab%1B[2J%FF%5C"
        );
    }
}
