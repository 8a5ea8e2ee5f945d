//! Which files of a repository may name commands that we start.
//!
//! Trust is given by a person to one content of one file: the canonical path and the SHA-256 of its bytes. Any
//! change asks again. What such a file would run is shown first; asking is left to the front ends, and nothing
//! but [`grant`] writes the store.

use std::io::Write as _;

use base::text::hex::hexadecimal;
use sha2::{Digest as _, Sha256};

use crate::prelude::*;

/// Files larger than this are never read: no hand-written description comes near it.
const MAX_FILE: u64 = 1 << 20;

/// A file that names commands and that nobody has trusted with this content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Untrusted {
    /// Its canonical path.
    pub path: PathBuf,
    /// SHA-256 of its content, lower-case hexadecimal.
    pub sha256: String,
    /// What it would start.
    pub commands: Vec<CommandLine>,
}

/// One command a file would start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandLine {
    /// The adapter that the file calls so.
    pub name: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Variables that are set for it.
    pub env: BTreeMap<String, String>,
}

impl CommandLine {
    /// One without variables of its own.
    pub(crate) fn new(
        name: impl Into<String>,
        argv: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            name: name.into(),
            argv: argv.into_iter().map(Into::into).collect(),
            env: BTreeMap::new(),
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Store {
    version: u32,
    /// Canonical path to the SHA-256 that was trusted.
    files: BTreeMap<String, String>,
}

/// A file as it is now, and whether a person trusted just that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// Its canonical path.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
    /// SHA-256 of its content.
    pub sha256: String,
    /// This content was trusted.
    pub trusted: bool,
}

/// Reads a file that may name commands, once, so that what is used is what was trusted.
pub fn look(context: &Context, path: &Path) -> io::Result<FileState> {
    let (text, sha256) = read_small(path)?;
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let trusted = read_store(context).files.remove(&*path.to_string_lossy());
    Ok(FileState {
        trusted: trusted.as_ref() == Some(&sha256),
        path,
        text,
        sha256,
    })
}

/// Trusts exactly the content that was shown. A file that has changed since stays untrusted.
///
/// # Errors
///
/// The store of decisions could not be written.
pub fn grant(context: &Context, shown: &Untrusted) -> Result<(), String> {
    let path = store_path(context);
    let mut store = read_store(context);
    store.version = 1;
    let file = shown.path.lossy();
    store.files.insert(file, shown.sha256.clone());
    let written = files::replace(&path, |out| {
        serde_json::to_writer_pretty(&mut *out, &store)?;
        out.write_all(b"\n")
    });
    written.map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// SHA-256 as lower-case hexadecimal.
pub fn digest(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}

/// A small text file and its digest, read once so that both are of the same content.
pub(crate) fn read_small(path: &Path) -> io::Result<(String, String)> {
    let (file, _) = files::open_regular(path)?;
    let bytes = files::read_at_most(file, MAX_FILE + 1)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    let sha256 = digest(&bytes);
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok((text, sha256))
}

fn store_path(context: &Context) -> PathBuf {
    context.state_dir.join("trust.json")
}

/// A store that cannot be read trusts nothing.
fn read_store(context: &Context) -> Store {
    let path = store_path(context);
    match read_small(&path) {
        Ok((text, _)) => serde_json::from_slice(text.as_bytes()).unwrap_or_else(|error| {
            tracing::warn!(path = %path.display(), %error, "the trust store is not readable");
            Store::default()
        }),
        Err(_) => Store::default(),
    }
}
