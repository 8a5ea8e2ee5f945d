//! The `raw-sse.txt` in bundles of reports: the only place where omp leaves its streams on disk.

use std::time::UNIX_EPOCH;

use flate2::bufread::MultiGzDecoder;

use crate::prelude::*;

/// The member of a bundle.
const NAME: &str = "raw-sse.txt";
/// Most bytes of it.
const MOST: u64 = 64 * 1024 * 1024;
/// Members that are looked at: it is among the first ones.
const MEMBERS: usize = 200;
/// Bundles that are looked into, the newest ones.
const BUNDLES: usize = 40;
/// Where a tar says what it is.
const MAGIC: std::ops::Range<usize> = 257..262;

/// A bundle with streams in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The bundle.
    pub path: PathBuf,
    /// When it was written, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Length of its `raw-sse.txt`, in bytes.
    pub bytes: u64,
}

/// The newest bundles in a folder that hold streams, newest first; what cannot be read is told.
pub fn recorded(folder: &Path, warn: &mut dyn FnMut(String)) -> Vec<Recorded> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            let name = folder.to_string_lossy();
            warn(format!("cannot read the folder {name:?}: {error}"));
            return Vec::new();
        }
    };
    let mut bundles: Vec<(PathBuf, Option<i64>)> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".tar.gz"))
        .filter_map(|path| {
            let meta = std::fs::metadata(&path)
                .ok()
                .filter(std::fs::Metadata::is_file)?;
            let time = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok();
            Some((path, time.and_then(|t| i64::try_from(t.as_millis()).ok())))
        })
        .collect();
    bundles.sort_by(|a, b| (b.1, &b.0).cmp(&(a.1, &a.0)));
    let mut found = Vec::new();
    for (path, time) in bundles.into_iter().take(BUNDLES) {
        match open(&path).and_then(|reader| in_tar(reader, &mut |_| Ok(()))) {
            Ok(Some(bytes)) => found.push(Recorded { path, time, bytes }),
            Ok(None) => {}
            Err(error) => {
                let name = path.to_string_lossy();
                warn(format!("cannot read the bundle {name:?}: {error}"));
            }
        }
    }
    found
}

/// Whether a file is compressed as bundles are.
pub fn is_compressed(path: &Path) -> io::Result<bool> {
    let mut magic = [0; 2];
    let mut file = File::open(path)?;
    Ok(file.read_exact(&mut magic).is_ok() && magic == crate::GZIP)
}

/// What a compressed file holds of streams: the member of a bundle, or all of it when it is no bundle.
pub fn content(path: &Path) -> io::Result<Vec<u8>> {
    let mut reader = open(path)?;
    if !is_tar(&mut reader)? {
        return read_at_most(reader, MOST);
    }
    let mut bytes = Vec::new();
    let found = in_tar(reader, &mut |member| {
        bytes = read_at_most(member, MOST)?;
        Ok(())
    })?;
    if found.is_none() {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!("the bundle has no {NAME}: nothing was streamed, or omp kept nothing of it"),
        ));
    }
    Ok(bytes)
}

type Unpacked = BufReader<MultiGzDecoder<BufReader<File>>>;

fn open(path: &Path) -> io::Result<Unpacked> {
    let file = BufReader::new(File::open(path)?);
    Ok(BufReader::new(MultiGzDecoder::new(file)))
}

/// Looks at the beginning and takes nothing.
fn is_tar(reader: &mut Unpacked) -> io::Result<bool> {
    Ok(reader.fill_buf()?.get(MAGIC) == Some(b"ustar"))
}

/// Gives the member to `take`; its length, if there is one.
fn in_tar(
    reader: Unpacked,
    take: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>,
) -> io::Result<Option<u64>> {
    let mut archive = tar::Archive::new(reader);
    for entry in archive.entries()?.take(MEMBERS) {
        let mut entry = entry?;
        let is_it = entry.path()?.file_name().is_some_and(|name| name == NAME);
        if is_it && entry.header().entry_type().is_file() {
            let bytes = entry.size();
            take(&mut entry)?;
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}
