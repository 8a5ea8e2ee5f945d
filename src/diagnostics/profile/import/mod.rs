//! Profiles that other tools wrote, told apart by what is in them and never by their names.
//!
//! | file | tool | format |
//! |---|---|---|
//! | `cpuprofile` | V8: Node, Chrome, Bun, and the bundles of omp | <https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile> |
//! | `speedscope` | speedscope, py-spy, rbspy | <https://www.speedscope.app/file-format-schema.json> |
//! | `firefox` | profiler.firefox.com, samply | its processed profile |
//! | `pprof` | Go, and many more | <https://github.com/google/pprof/blob/main/proto/profile.proto> |
//! | `folded` | stackcollapse, py-spy's raw form | a line for each stack |
//! | `perf_script` | `perf script` | a paragraph for each sample |
//!
//! Each may be compressed with gzip or zstd. Files are read once, from front to back, in blocks; what is kept is what is shown. Nothing is
//! read by recursion, so no depth of a stack is too deep.

mod cpuprofile;
mod error;
mod firefox;
mod folded;
mod json;
mod lines;
mod packed;
mod perf_script;
mod pprof;
mod prelude;
mod speedscope;

use base::files;
use error::quote;
use prelude::*;

pub(crate) use error::of_json;
pub use error::{ImportError, Input};

use crate::{
    cancel::{Progress, Watched},
    texts::decoded,
};

/// Bytes that are looked at to tell what a file is.
const HEAD: u64 = 64 * 1024;
/// Bytes read at once.
pub(crate) const BLOCK: usize = 256 * 1024;

/// As [`ImportError`], with the file's name.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", sanitise(&path.to_string_lossy()))]
pub struct FileError {
    pub path: PathBuf,
    /// What is wrong with it.
    pub error: ImportError,
}

/// A format: whether a file that begins like this is of it, and what reads it. The first that fits is taken.
type Format = (fn(&[u8]) -> bool, fn(Input<'_>) -> Result<Profile>);

/// What can be read, as people call it: kept in step with the table below, and with the three formats of `json`.
pub const READABLE: &str = ".cpuprofile, pprof, speedscope, Firefox's, folded stacks, perf script";

/// More special ones first: any text may be folded stacks.
const FORMATS: &[Format] = &[
    (json::looks_like, json::read),
    (perf_script::looks_like, perf_script::read),
    (is_text, folded::read),
    (pprof::looks_like, pprof::read),
];

/// Reads the profile in a file; its name is the file's where it has none.
pub fn read(path: &Path, cancel: &Cancel, progress: Progress<'_>) -> Result<Profile, FileError> {
    let mut profile = open(path, cancel, progress, choose)?;
    if profile.name.is_empty() {
        let name = path.file_name().unwrap_or(path.as_os_str());
        profile.name = name.to_string_lossy().into_owned();
    }
    Ok(profile)
}

/// Opens a file and has it read: `read` is handed how it begins, and all of it, unpacked.
pub(crate) fn open<T>(
    path: &Path,
    cancel: &Cancel,
    progress: Progress<'_>,
    read: impl FnOnce(&[u8], Input<'_>) -> Result<T>,
) -> Result<T, FileError> {
    let opened = (|| {
        let (file, metadata) = files::open_named(path).map_err(|error| match error.kind() {
            io::ErrorKind::IsADirectory => ImportError::unfit("it is a folder: name a file in it"),
            _ => error.into(),
        })?;
        unpacked(file, metadata.len(), cancel, progress, read)
    })();
    opened.map_err(|error| FileError {
        path: path.to_path_buf(),
        error,
    })
}

/// Reads the profile that comes out of `input`, of which there are about `size` bytes.
pub fn read_from(
    input: impl Read,
    size: u64,
    cancel: &Cancel,
    progress: Progress<'_>,
) -> Result<Profile> {
    unpacked(input, size, cancel, progress, choose)
}

fn unpacked<T>(
    input: impl Read,
    size: u64,
    cancel: &Cancel,
    progress: Progress<'_>,
    read: impl FnOnce(&[u8], Input<'_>) -> Result<T>,
) -> Result<T> {
    let watched = Watched {
        input,
        cancel,
        progress,
        read: 0,
        size,
    };
    let input = BufReader::with_capacity(BLOCK, watched);
    match packed::read(input, read) {
        Err(_) if cancel.is_cancelled() => Err(ImportError::Cancelled),
        other => other,
    }
}

/// A profile of any format.
fn choose(head: &[u8], input: Input<'_>) -> Result<Profile> {
    if let Some(what) = stranger(head) {
        return Err(ImportError::unfit(what));
    }
    let format = FORMATS.iter().find(|(looks_like, _)| looks_like(head));
    let (_, read) = format.ok_or_else(|| {
        ImportError::Unfit(format!(
            "it is no profile that is known: it begins with {}; what can be read: {READABLE}",
            quote(head)
        ))
    })?;
    read(input)
}

/// Without a mark at the beginning, and blanks.
fn start(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start()
}

/// What is met often and cannot be read as it is.
fn stranger(head: &[u8]) -> Option<&'static str> {
    if start(head).starts_with(b"[") {
        return Some(
            "it is a list in JSON, which no profile format that is known is; traces of Chrome are not read",
        );
    }
    let known: [(&[u8], &str); 5] = [
        (
            b"PERFILE2",
            "it is what perf recorded: perf script -i FILE >profile.txt writes what can be read",
        ),
        (
            b"# callgrind format",
            "it is what callgrind counted, which is not read: callgrind_annotate FILE shows it",
        ),
        (b"\x1f\x8b", "it is compressed twice: gunzip it once"),
        (b"PK\x03\x04", "it is a zip archive: unpack it first"),
        (b"\x7fELF", "it is a program, not a profile"),
    ];
    let mut lines = head.split(|byte| *byte == b'\n');
    let version = lines.next().unwrap_or_default();
    if version.starts_with(b"v 1") && lines.next().is_some_and(|line| line.starts_with(b"X ")) {
        return Some(
            "it is a recording of heaptrack: heaptrack_print --flamegraph-cost-type peak -F stacks.txt FILE writes stacks that can be read",
        );
    }
    // A stack may begin with `<module>`.
    let pages: [&[u8]; 4] = [b"<?xml", b"<svg", b"<!DOCTYPE", b"<html"];
    if pages.iter().any(|page| head.starts_with(page)) {
        return Some(
            "it is XML or HTML, as pictures of profiles are; what can be read is the data they were made of",
        );
    }
    known
        .into_iter()
        .find_map(|(magic, what)| head.starts_with(magic).then_some(what))
}

/// Whether it is text of any encoding: a name may hold a control character, but a format of bytes is full of them.
fn is_text(head: &[u8]) -> bool {
    let controls = head
        .iter()
        .filter(|byte| matches!(byte, 1..=8 | 14..=31))
        .count();
    !head.contains(&0) && controls <= head.len() / 12
}

/// Equal strings, kept once.
#[derive(Debug, Default)]
struct Strings(HashSet<Arc<str>>);

impl Strings {
    fn get(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = Arc::from(text);
        self.0.insert(Arc::clone(&new));
        new
    }

    /// Nothing for an empty one.
    fn some(&mut self, text: &str) -> Option<Arc<str>> {
        (!text.is_empty()).then(|| self.get(text))
    }
}

/// A path out of a `file:` URL; everything else as it is.
fn plain_path(url: &str) -> Cow<'_, str> {
    match url.strip_prefix("file://") {
        Some(path) if path.starts_with('/') && !path.contains('%') => path.into(),
        Some(path) if path.starts_with('/') => {
            let path = decoded(path, b'%', 2, 16);
            String::from_utf8_lossy(&path).into_owned().into()
        }
        _ => url.into(),
    }
}

#[cfg(test)]
mod tests;
