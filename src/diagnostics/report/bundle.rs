//! Reads archives, ours and omp's, without ever unpacking one: members are listed, hashed and shown.
//!
//! An archive may come from anybody. Names are only shown, links are not followed, what is announced is not believed, and
//! there is an end to what is read, however small the file is that it comes out of.

use std::cell::RefCell;

use base::text::{hex, width::truncate};
use flate2::read::MultiGzDecoder;
use sha2::{Digest as _, Sha256};
use tar::EntryType;

use super::{
    bytes::is_text,
    manifest::{self, Manifest},
    walk::open_file,
};
use crate::prelude::*;

/// Members that are listed at most.
const MOST_ENTRIES: usize = 200_000;
/// Bytes that are read at most, out of whatever is compressed.
const MOST_BYTES: u64 = 32 << 30;
/// Longest name, and longest list of attributes.
const LONGEST_NAME: u64 = 64 * 1024;
/// Largest manifest.
const LARGEST_MANIFEST: u64 = 64 << 20;
const BLOCK: usize = 64 * 1024;
/// Cells of what is wrong with its bytes.
const QUOTED: usize = 80;
/// Rows of sixteen bytes that are shown of what is no text.
const HEX_ROWS: usize = 1024;

/// Why an archive cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The file.
    #[error("{0:?} cannot be read: {1}")]
    Open(PathBuf, io::Error),
    /// It is something else.
    #[error("{0:?} is no report: {1}")]
    NoArchive(PathBuf, String),
    /// There is no such member.
    #[error("there is no member {0:?} in it; without --show all are listed")]
    NoMember(String),
    /// It was asked to end.
    #[error("reading was cancelled")]
    Cancelled,
}

/// What a member is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A file, text or not by its beginning.
    File {
        /// Whether it begins as text does.
        text: bool,
    },
    Folder,
    /// A link, and where it would lead.
    Link(String),
    /// A device, a pipe, or what this version does not know.
    Other,
}

/// What the manifest says of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its content is what was packed.
    Same,
    /// Its content is another.
    Differs,
    /// It is not in the manifest.
    Unlisted,
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As it is written in the archive, bytes that are no text made readable.
    pub name: String,
    pub kind: EntryKind,
    /// Bytes.
    pub size: u64,
    /// Of its content; empty when it is no file.
    pub sha256: String,
    /// None without a manifest.
    pub verdict: Option<Verdict>,
    /// Secrets that were replaced in it, when the manifest says so.
    pub replaced: Option<u64>,
}

/// An archive that was listed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bundle {
    pub path: PathBuf,
    /// Its size.
    pub compressed: u64,
    /// Members in order.
    pub entries: Vec<Entry>,
    /// Ours have one.
    pub manifest: Option<Manifest>,
    /// What the manifest names and is not there.
    pub missing: Vec<String>,
    /// What is wrong with it.
    pub notes: Vec<String>,
}

/// The beginning of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// As much as was wanted.
    pub bytes: Vec<u8>,
    /// Of the whole member.
    pub size: u64,
}

/// Whether a file's name is that of an archive.
pub fn looks_like_bundle(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    [".tar.gz", ".tgz", ".tar"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// The archives of a folder with their sizes, the newest first, and one more that may be elsewhere; at most `most`.
pub fn reports_in(folder: &Path, more: Option<PathBuf>, most: usize) -> Vec<(PathBuf, u64)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let found = entries.map(|entry| entry.path()).chain(more);
    let mut found: Vec<_> = found
        .filter(|path| looks_like_bundle(path))
        .filter_map(|path| {
            let metadata = std::fs::metadata(&path).ok()?;
            let changed = metadata.modified().ok()?;
            metadata
                .is_file()
                .then_some((changed, path, metadata.len()))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.dedup_by(|a, b| a.1 == b.1);
    found.truncate(most);
    found
        .into_iter()
        .map(|(_, path, size)| (path, size))
        .collect()
}

impl Bundle {
    /// Lists an archive and hashes what is in it. What is damaged ends the list and is noted.
    pub fn open(path: &Path, cancel: &Cancel) -> Result<Self, BundleError> {
        let mut bundle = Self {
            path: path.to_path_buf(),
            ..Self::default()
        };
        let mut manifest = None;
        let end = each(
            path,
            cancel,
            &mut bundle.compressed,
            |mut entry, content| {
                if bundle.entries.len() >= MOST_ENTRIES {
                    return Err(format!("more than {MOST_ENTRIES} members are not listed"));
                }
                if let EntryKind::File { text } = &mut entry.kind {
                    let mut hasher = Sha256::new();
                    let mut kept = Vec::new();
                    let keeps = entry.name == manifest::NAME && entry.size <= LARGEST_MANIFEST;
                    let mut block = vec![0; BLOCK];
                    let mut seen = 0;
                    let end = loop {
                        let read = match content.read(&mut block) {
                            Ok(0) => break Ok(()),
                            Ok(read) => read,
                            Err(error) => break Err(error.to_string()),
                        };
                        let bytes = block.get(..read).unwrap_or_default();
                        if seen == 0 {
                            *text = is_text(bytes);
                        }
                        seen += read as u64;
                        hasher.update(bytes);
                        if keeps {
                            kept.extend_from_slice(bytes);
                        }
                    };
                    entry.sha256 = hex::hexadecimal(&hasher.finalize());
                    if keeps {
                        manifest = serde_json::from_slice::<Manifest>(&kept).ok();
                    }
                    let announced = std::mem::replace(&mut entry.size, seen);
                    bundle.entries.push(entry);
                    end?;
                    if announced != seen {
                        return Err(format!(
                            "its last member has {seen} of {announced} bytes: the file was cut off"
                        ));
                    }
                    return Ok(true);
                }
                bundle.entries.push(entry);
                Ok(true)
            },
        );
        match end {
            Err(BundleError::NoArchive(_, why)) if !bundle.entries.is_empty() => {
                bundle.notes.push(why);
            }
            end => end?,
        }
        if bundle.entries.is_empty() {
            return Err(BundleError::NoArchive(
                path.to_path_buf(),
                "there is nothing in it".to_owned(),
            ));
        }
        bundle.manifest = manifest.filter(|manifest| manifest.format == manifest::FORMAT);
        bundle.compare();
        Ok(bundle)
    }

    fn compare(&mut self) {
        let Some(manifest) = &self.manifest else {
            return;
        };
        let mut listed: BTreeMap<&str, &manifest::ManifestMember> = manifest
            .members
            .iter()
            .map(|member| (member.name.as_str(), member))
            .collect();
        for entry in &mut self.entries {
            if entry.name == manifest::NAME {
                continue;
            }
            let member = listed.remove(entry.name.as_str());
            entry.replaced = member.map(|member| member.secrets_replaced);
            entry.verdict = Some(match member {
                Some(member) if member.sha256 == entry.sha256 => Verdict::Same,
                Some(_) => Verdict::Differs,
                None => Verdict::Unlisted,
            });
        }
        self.missing = listed.keys().map(|name| (*name).to_owned()).collect();
    }

    /// Whether everything is as the manifest says; none without one.
    pub fn is_whole(&self) -> Option<bool> {
        self.manifest.as_ref()?;
        let same = self
            .entries
            .iter()
            .all(|entry| matches!(entry.verdict, None | Some(Verdict::Same)));
        Some(same && self.missing.is_empty() && self.notes.is_empty())
    }

    /// The first `most` bytes of the member with this number.
    pub fn read(
        path: &Path,
        number: usize,
        most: u64,
        cancel: &Cancel,
    ) -> Result<Content, BundleError> {
        let mut at = 0;
        let mut found = None;
        let end = each(path, cancel, &mut 0, |entry, content| {
            if at < number {
                at += 1;
                return Ok(true);
            }
            let mut bytes = Vec::new();
            let read = content.take(most).read_to_end(&mut bytes);
            found = Some(Content {
                bytes,
                size: entry.size,
            });
            read.map(|_| false).map_err(|error| error.to_string())
        });
        match (found, end) {
            (Some(content), _) => Ok(content),
            (None, Ok(())) => Err(BundleError::NoMember(number.to_string())),
            (None, Err(end)) => Err(end),
        }
    }
}

impl Content {
    /// As text for people; what is no text as hexadecimal rows. Control characters are still in it.
    pub fn text(&self) -> String {
        if is_text(&self.bytes) {
            return String::from_utf8_lossy(&self.bytes).into_owned();
        }
        let mut text = String::new();
        for (row, bytes) in self.bytes.chunks(16).take(HEX_ROWS).enumerate() {
            use std::fmt::Write as _;
            let (digits, signs) = (hex::digits(bytes), hex::signs(bytes));
            let _ = writeln!(text, "{:08x}  {digits:<48} {signs}", row * 16);
        }
        text
    }

    /// Whether the member goes on.
    pub fn is_cut(&self) -> bool {
        let shown = if is_text(&self.bytes) {
            self.bytes.len()
        } else {
            self.bytes.len().min(HEX_ROWS * 16)
        };
        (shown as u64) < self.size
    }
}

/// Stops at an end of what may be read, and when nobody waits any more.
struct Bounded<'a, R> {
    inner: R,
    left: u64,
    cancel: &'a Cancel,
    /// What was wrong with the bytes themselves: what the reader of archives says else is about what it took for heads, in its words.
    trouble: &'a RefCell<Option<String>>,
}

impl<R> Bounded<'_, R> {
    fn wrong(&self, error: io::Error) -> io::Error {
        *self.trouble.borrow_mut() = Some(error.to_string());
        error
    }
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        let read = self.inner.read(buffer);
        let read = read.map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ => self.wrong(error),
        })?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            let why = format!("it has more than {} GiB", MOST_BYTES >> 30);
            self.wrong(io::Error::other(why))
        })?;
        Ok(read)
    }
}

/// Calls `take` for each member, until it says that it has enough.
fn each(
    path: &Path,
    cancel: &Cancel,
    compressed: &mut u64,
    mut take: impl FnMut(Entry, &mut dyn Read) -> Result<bool, String>,
) -> Result<(), BundleError> {
    let unread = |error| BundleError::Open(path.to_path_buf(), error);
    let no_archive = |why| BundleError::NoArchive(path.to_path_buf(), why);
    let mut file = open_plain(path).map_err(unread)?;
    *compressed = file.metadata().map_err(unread)?.len();
    let mut magic = [0; 2];
    let is_gzip = file.read_exact(&mut magic).is_ok() && magic == crate::GZIP;
    let file = open_plain(path).map_err(unread)?;
    let file = BufReader::with_capacity(BLOCK, file);
    let inner: Box<dyn Read> = if is_gzip {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let trouble = RefCell::new(None);
    let mut archive = tar::Archive::new(Bounded {
        inner,
        left: MOST_BYTES,
        cancel,
        trouble: &trouble,
    });
    let damaged = |_: io::Error| {
        if cancel.is_cancelled() {
            return BundleError::Cancelled;
        }
        no_archive(match trouble.take() {
            Some(why) => {
                let why = sanitise(&why);
                let (why, _) = truncate(&why, QUOTED);
                format!("it is damaged or no archive: {why}")
            }
            None => "it is damaged or no archive (.tar.gz, .tar)".to_owned(),
        })
    };
    // Raw: names beside the head are read here, with an end to their length.
    let entries = archive.entries().map_err(&damaged)?;
    let mut long = LongNames::default();
    for entry in entries.raw(true) {
        let mut entry = entry.map_err(&damaged)?;
        let kind = entry.header().entry_type();
        let size = entry.header().size().map_err(&damaged)?;
        if LongNames::takes(kind) {
            if size > LONGEST_NAME {
                return Err(no_archive(format!("a name has {size} bytes")));
            }
            let bytes = read_at_most(&mut entry, LONGEST_NAME).map_err(&damaged)?;
            long.learn(kind, &bytes);
            continue;
        }
        let names = std::mem::take(&mut long);
        let name = names
            .name
            .unwrap_or_else(|| entry.header().path_bytes().into_owned());
        let target = names.link.or_else(|| {
            let link = entry.header().link_name_bytes();
            link.map(Cow::into_owned)
        });
        let kind = match kind {
            EntryType::Regular | EntryType::Continuous => EntryKind::File { text: true },
            EntryType::Directory => EntryKind::Folder,
            EntryType::Symlink | EntryType::Link => {
                EntryKind::Link(lossy(&target.unwrap_or_default()).into_owned())
            }
            _ => EntryKind::Other,
        };
        let listed = Entry {
            name: lossy(&name).into_owned(),
            kind,
            size,
            sha256: String::new(),
            verdict: None,
            replaced: None,
        };
        match take(listed, &mut entry) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(_) if cancel.is_cancelled() => return Err(BundleError::Cancelled),
            Err(why) => return Err(no_archive(why)),
        }
    }
    Ok(())
}

/// A link that a person names is meant; a pipe is not waited for.
fn open_plain(path: &Path) -> io::Result<File> {
    let path = std::fs::canonicalize(path)?;
    open_file(&path)
}

/// Names that stand beside a head, because they are too long for it.
#[derive(Default)]
struct LongNames {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
}

impl LongNames {
    fn takes(kind: EntryType) -> bool {
        matches!(
            kind,
            EntryType::GNULongName
                | EntryType::GNULongLink
                | EntryType::XHeader
                | EntryType::XGlobalHeader
        )
    }

    fn learn(&mut self, kind: EntryType, bytes: &[u8]) {
        let bare = || {
            let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
            Some(bytes.get(..end).unwrap_or_default().to_vec())
        };
        match kind {
            EntryType::GNULongName => self.name = bare(),
            EntryType::GNULongLink => self.link = bare(),
            EntryType::XHeader => {
                for extension in tar::PaxExtensions::new(bytes).flatten() {
                    match extension.key_bytes() {
                        b"path" => self.name = Some(extension.value_bytes().to_vec()),
                        b"linkpath" => self.link = Some(extension.value_bytes().to_vec()),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}
