//! Another shelf for all rooms: what is written to disk and to standard output, so that nothing goes where somebody else wanted it, nothing is left
//! half, and nothing is lost without a word.
//!
//! Temporary files and folders carry their owner's process in their names. Those of an owner that is gone are removed when the next one
//! is made beside them.

use std::{
    fs::{DirBuilder, File, Metadata, Permissions},
    io::{self, BufWriter, Read, Write},
    os::{
        fd::AsFd as _,
        unix::fs::{
            DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _,
            PermissionsExt as _,
        },
    },
    path::{Path, PathBuf},
    sync::Mutex,
};

use rustix::{
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    process::{Pid, test_kill_process},
};
use tempfile::{NamedTempFile, TempDir};

use crate::{locks::lock, stat::Stat};

/// How names of temporary things begin; of files a dot stands before it, and in all the process and its start behind it.
const MARK: &str = "omp-debug-";

/// Something that was to be written and is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// What, and why.
    pub text: String,
    /// Whether that is a failure of what the program was started for.
    pub fails: bool,
}

static LOSSES: Mutex<Vec<Loss>> = Mutex::new(Vec::new());

/// Remembers a loss, for the end of the program to tell.
pub fn lose(text: String, fails: bool) {
    lock(&LOSSES).push(Loss { text, fails });
}

/// What was lost since this was asked the last time.
pub fn losses() -> Vec<Loss> {
    std::mem::take(&mut *lock(&LOSSES))
}

/// Writes through, and remembers the first error as a loss. A reader that does not want more is none.
#[derive(Debug)]
pub struct Watched<W> {
    to: W,
    name: String,
    is_lost: bool,
}

impl<W> Watched<W> {
    /// `name`: what is written to, for people.
    pub fn new(to: W, name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            to,
            name,
            is_lost: false,
        }
    }

    fn note<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &done
            && !self.is_lost
            && !matches!(
                error.kind(),
                io::ErrorKind::BrokenPipe | io::ErrorKind::Interrupted
            )
        {
            self.is_lost = true;
            let text = format!(
                "{} cannot be written any more: {error}; what came last is missing",
                self.name
            );
            lose(text, true);
        }
        done
    }
}

impl Watched<io::Stdout> {
    /// Standard output.
    pub fn stdout() -> Self {
        Self::new(io::stdout(), "standard output")
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.to.write(bytes);
        self.note(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.to.flush();
        self.note(done)
    }
}

/// Standard output for a thread that may be held up while it writes: without a buffer, and without the lock that the end of the
/// program takes.
pub fn unlocked_output() -> io::Result<File> {
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

/// Our standard input, by a name under which other programs can open it as well, where the system has one.
pub fn own_input() -> PathBuf {
    let of_all = PathBuf::from(format!("/proc/{}/fd/0", std::process::id()));
    if of_all.exists() {
        of_all
    } else {
        "/dev/fd/0".into()
    }
}

/// Whether this is a name of the system's own: of a device, or of a descriptor that is open already.
fn is_of_the_system(path: &Path) -> bool {
    path.parent().is_some_and(|folder| {
        ["/dev", "/dev/fd"].map(Path::new).contains(&folder) || folder.starts_with("/proc")
    })
}

/// Opens what a person named to write to: a file is for its owner alone from now on, and a link is not followed, as somebody else
/// may have put it there; those in `/dev` and `/proc` are the system's. `append`: what is in a file stays.
pub fn open(path: &Path, append: bool) -> io::Result<File> {
    let file = open_as_it_is(path, append)?;
    // What a shell opened for us is as it made it, and so is another user's file.
    if !is_of_the_system(path) {
        let _ = close_to_others(&file);
    }
    Ok(file)
}

/// Takes from a file what rights others have.
pub fn close_to_others(file: &File) -> io::Result<()> {
    let found = file.metadata()?;
    if found.is_file() && found.mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(())
}

/// As [`open`]; a file that is there is as open to others as it was.
pub fn open_as_it_is(path: &Path, append: bool) -> io::Result<File> {
    File::options()
        .create(true)
        .write(true)
        .append(append)
        .truncate(!append)
        .mode(0o600)
        .custom_flags(if is_of_the_system(path) {
            0
        } else {
            libc::O_NOFOLLOW
        })
        .open(path)
        .map_err(|error| match error.raw_os_error() {
            Some(libc::ELOOP) => io::Error::other(
                "it is a symbolic link, which is not followed: name the file that it leads to",
            ),
            _ => error,
        })
}

/// Opens a regular file to be read. A pipe of that name would hold us for ever, and a device may have no end.
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    opened(path, Metadata::is_file)
}

/// The same for one that a person named, which may as well be a pipe that is open already: `/dev/fd/63`, as a shell writes `<(…)`, or
/// `/dev/stdin`.
pub fn open_named(path: &Path) -> io::Result<(File, Metadata)> {
    let is_given = is_of_the_system(path);
    let (file, metadata) = opened(path, |metadata| {
        metadata.is_file() || is_given && metadata.file_type().is_fifo()
    })?;
    // Opening it does not wait, reading does.
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok((file, metadata))
}

fn opened(path: &Path, fits: impl Fn(&Metadata) -> bool) -> io::Result<(File, Metadata)> {
    let file = File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !fits(&metadata) {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok((file, metadata))
}

/// Makes what is written here fail rather than wait: for a terminal that is stopped, for a pipe that nobody reads.
pub fn never_wait(file: &File) -> io::Result<()> {
    let flags = fcntl_getfl(file)? | OFlags::NONBLOCK;
    Ok(fcntl_setfl(file, flags)?)
}

/// What can be read, and no more of it than this.
pub fn read_at_most(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The beginning of a text file. What is no file (a pipe would hold us for ever) or no text has none.
pub fn text_at_most(path: &Path, most: u64) -> Option<String> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let bytes = read_at_most(File::open(path).ok()?, most).ok()?;
    String::from_utf8(bytes).ok()
}

/// A temporary file in this folder, for its owner alone, gone when it is not kept. Those of processes that were killed go first.
pub fn beside(folder: &Path) -> io::Result<NamedTempFile> {
    sweep(folder);
    tempfile::Builder::new()
        .prefix(&format!(".{}", mark()))
        .tempfile_in(folder)
}

/// Puts a file of ours in its place as a whole, or leaves what is there. Its folder is made when it is missing.
pub fn replace(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    make_folder(folder)?;
    let mut written = beside(folder)?;
    let mut out = BufWriter::new(written.as_file_mut());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    written.as_file().sync_all()?;
    written.persist(path).map_err(|error| error.error)?;
    settle(folder);
    Ok(())
}

/// Makes a folder, and those that it is in, for their owner alone. One that is there stays as it is.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Takes from a folder that is ours alone what rights others have: it may have been made by somebody who did not care.
pub fn keep_folder_private(folder: &Path) {
    let own = rustix::process::geteuid().as_raw();
    let is_open = folder
        .symlink_metadata()
        .is_ok_and(|found| found.is_dir() && found.uid() == own && found.mode() & 0o077 != 0);
    if is_open && let Err(error) = std::fs::set_permissions(folder, Permissions::from_mode(0o700)) {
        tracing::warn!(%error, ?folder, "it stays open to others");
    }
}

/// Brings names to the disk as well as contents; a file system that cannot do that has done its best.
pub fn settle(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A folder only we can enter, where sockets belong or else where temporary files do.
pub fn private_directory() -> io::Result<TempDir> {
    let mark = mark();
    let mut builder = tempfile::Builder::new();
    builder
        .prefix(&mark)
        .permissions(Permissions::from_mode(0o700));
    let made = |folder: PathBuf| {
        sweep(&folder);
        builder.tempdir_in(folder)
    };
    let runtime = std::env::var_os("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute());
    runtime
        .and_then(|folder| made(folder).ok())
        .map_or_else(|| made(std::env::temp_dir()), Ok)
}

/// How the names of what this process makes for a time begin.
fn mark() -> String {
    let pid = std::process::id();
    format!("{MARK}{pid}-{}-", start_time(pid).unwrap_or_default())
}

/// Removes the temporary files and folders in a folder whose owners are gone. Only what is ours is touched, and no link is followed.
pub fn sweep(folder: &Path) {
    let own = rustix::process::geteuid().as_raw();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(owner);
        if owner.is_none_or(|(pid, start)| is_alive(pid, start)) {
            continue;
        }
        let removed = match entry.metadata() {
            Ok(found) if found.uid() != own => continue,
            Ok(found) if found.is_dir() => std::fs::remove_dir_all(entry.path()),
            _ => std::fs::remove_file(entry.path()),
        };
        if let Err(error) = removed {
            tracing::debug!(%error, ?name, "not removed");
        }
    }
}

/// The process that a name speaks of, and its start where that was known.
fn owner(name: &str) -> Option<(u32, Option<u64>)> {
    let name = name.strip_prefix('.').unwrap_or(name);
    let mut parts = name.strip_prefix(MARK)?.splitn(3, '-');
    let (pid, start) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next()?;
    Some((pid, Some(start).filter(|start| *start != 0)))
}

/// Whether a process still runs, and is not another one with its number.
pub fn is_alive(pid: u32, start: Option<u64>) -> bool {
    match (start, start_time(pid)) {
        (Some(then), Some(now)) => then == now,
        _ => i32::try_from(pid)
            .ok()
            .and_then(Pid::from_raw)
            .is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH)),
    }
}

/// When a process started, in the system's ticks since boot, where the system tells.
pub fn start_time(pid: u32) -> Option<u64> {
    Some(Stat::of(pid)?.started)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_is_not_followed_and_a_new_file_is_its_owners() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        std::fs::write(&target, "kept").unwrap();
        symlink(&target, &link).unwrap();
        for append in [false, true] {
            let refused = open(&link, append).unwrap_err().to_string();
            assert!(refused.contains("symbolic link"), "{refused}");
        }
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "kept");
        let new = dir.path().join("new");
        open(&new, false).unwrap().write_all(b"one").unwrap();
        assert_eq!(new.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        open(&new, true).unwrap().write_all(b"two").unwrap();
        assert_eq!(std::fs::read_to_string(&new).unwrap(), "onetwo");
        open(&new, false).unwrap();
        assert_eq!(std::fs::read_to_string(&new).unwrap(), "");
        for append in [false, true] {
            std::fs::set_permissions(&new, Permissions::from_mode(0o644)).unwrap();
            open(&new, append).unwrap();
            assert_eq!(new.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        // Those are the system's own, and links as well.
        let own = File::open(&new).unwrap();
        let own = format!("/proc/self/fd/{}", own.as_raw_fd());
        std::fs::set_permissions(&new, Permissions::from_mode(0o644)).unwrap();
        for device in ["/dev/null", &own] {
            open(Path::new(device), true).unwrap();
        }
        assert_eq!(new.metadata().unwrap().permissions().mode() & 0o777, 0o644);
    }

    #[test]
    fn what_would_hold_us_is_no_file_unless_it_is_open_already() {
        let dir = tempfile::tempdir().unwrap();
        let (pipe, file) = (dir.path().join("pipe"), dir.path().join("file"));
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        std::fs::write(&file, "text").unwrap();
        for path in [&pipe, Path::new("/dev/zero")] {
            for open in [open_regular, open_named] {
                let refused = open(path).unwrap_err().to_string();
                assert_eq!(refused, "it is not a regular file", "{path:?}");
            }
        }
        let folder = open_named(dir.path()).unwrap_err();
        assert_eq!(folder.kind(), io::ErrorKind::IsADirectory);
        let (mut opened, metadata) = open_named(&file).unwrap();
        assert_eq!(
            (
                io::read_to_string(&mut opened).unwrap().as_str(),
                metadata.len()
            ),
            ("text", 4)
        );
        let (ours, theirs) = io::pipe().unwrap();
        let given = PathBuf::from(format!("/proc/self/fd/{}", ours.as_raw_fd()));
        assert!(open_regular(&given).is_err());
        let (mut opened, _) = open_named(&given).unwrap();
        // Who reads waits for who writes.
        let reading = std::thread::spawn(move || io::read_to_string(&mut opened).unwrap());
        (&theirs).write_all(b"given").unwrap();
        drop(theirs);
        assert_eq!(reading.join().unwrap(), "given");
    }

    #[test]
    fn a_folder_of_ours_is_closed_to_others() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |folder: &Path| folder.metadata().unwrap().permissions().mode() & 0o777;
        let (outer, inner) = (dir.path().join("a"), dir.path().join("a/b"));
        make_folder(&inner).unwrap();
        assert_eq!((mode(&outer), mode(&inner)), (0o700, 0o700));
        std::fs::set_permissions(&outer, Permissions::from_mode(0o755)).unwrap();
        make_folder(&inner).unwrap();
        assert_eq!(mode(&outer), 0o755);
        keep_folder_private(&outer);
        assert_eq!(mode(&outer), 0o700);
        keep_folder_private(&dir.path().join("none"));
    }

    #[test]
    fn only_what_the_dead_left_is_swept() {
        let dir = tempfile::tempdir().unwrap();
        let own = std::process::id();
        let mut over = std::process::Command::new("true").spawn().unwrap();
        let dead = over.id();
        over.wait().unwrap();
        let start = start_time(own).unwrap_or_default();
        let left = [
            format!(".omp-debug-{dead}-7-abc"),
            format!("omp-debug-{dead}-0-folder"),
            // Another process has its number now.
            format!(".omp-debug-{own}-{}-abc", start + 1),
        ];
        let stays = [
            format!(".omp-debug-{own}-{start}-abc"),
            format!("omp-debug-{dead}"),
            format!("omp-debug-{dead}-7"),
            ".omp-debug-notes".to_owned(),
        ];
        for name in left.iter().chain(&stays) {
            if name.ends_with("folder") {
                std::fs::create_dir_all(dir.path().join(name).join("in")).unwrap();
            } else {
                std::fs::write(dir.path().join(name), "").unwrap();
            }
        }
        sweep(dir.path());
        for name in &left {
            assert!(!dir.path().join(name).exists(), "{name}");
        }
        for name in &stays {
            assert!(dir.path().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn what_fails_is_a_loss_and_a_reader_that_left_is_none() {
        struct Full(io::ErrorKind);
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for (kind, lost) in [
            (io::ErrorKind::StorageFull, 1),
            (io::ErrorKind::BrokenPipe, 0),
        ] {
            let name = format!("place {kind}");
            let mut out = Watched::new(Full(kind), name.clone());
            assert!(out.write_all(b"x").is_err() && out.write_all(b"y").is_err());
            // Other tests of this process may lose something, too.
            let mine = losses();
            let mine = mine.iter().filter(|loss| loss.text.starts_with(&name));
            assert_eq!(mine.count(), lost, "{kind}");
        }
    }
}
