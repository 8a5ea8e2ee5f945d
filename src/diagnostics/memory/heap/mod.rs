//! Heap files that runtimes write: what is in them by constructor, the largest objects, and what changed between two of them.
//!
//! [`open()`] tells by the content what a file is. A snapshot of V8 (node, Chromium; Bun writes the same format) is
//! read as a stream into flat arrays ([`v8`]; [`graph`]), who holds what is worked out in [`dominators`], and what people want to see in [`classes`]; then the
//! arrays are given back.
//! [`mod@compare`] sets two results side by side, [`text`] writes them.
//!
//! What a heap holds may be secret: names are cut here, and whoever shows them takes secrets out.

mod classes;
pub mod compare;
mod dominators;
mod graph;
mod once;
pub mod text;
mod v8;

#[cfg(test)]
mod tests;

use crate::{
    cancel::Progress,
    prelude::*,
    profile::import::{self, FileError, ImportError},
};

/// What a snapshot is called.
const TITLE: &str = "V8 heap snapshot";

/// What a file turned out to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// A heap snapshot in V8's format.
    #[default]
    V8Snapshot,
}

/// Objects of one constructor, or of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Class {
    /// The constructor's name, or the kind in parentheses: `(string)`. Foreign text.
    pub name: String,
    pub count: u64,
    /// Their own bytes.
    pub shallow: u64,
    /// Bytes that would be free without them: what only they hold is in it, and what one holds through another is counted once.
    pub retained: u64,
}

/// A single object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Object {
    /// Its number, as the runtime's own tools show it behind an `@`.
    pub id: u64,
    /// Its constructor or kind.
    pub class: String,
    /// Its name or, of a string, how it begins. Foreign text.
    pub name: String,
    /// Its own bytes.
    pub shallow: u64,
    /// Bytes that would be free without it.
    pub retained: u64,
    /// What holds it alone (its dominators), the nearest first.
    pub held_by: Vec<String>,
}

/// What is in a heap file. Sizes are in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Heap {
    /// What the file is.
    pub format: Format,
    pub path: PathBuf,
    /// Its size.
    pub file_bytes: u64,
    /// Objects in it.
    pub objects: u64,
    /// References between them.
    pub references: u64,
    /// All of their own bytes.
    pub total: u64,
    /// Bytes of objects that nothing holds: garbage that was not collected yet.
    pub unreachable: u64,
    /// By constructor, the one that retains most first; the roots are left out.
    pub classes: Vec<Class>,
    /// The largest objects, by what they retain and by themselves; the one that retains most first.
    pub largest: Vec<Object>,
    /// What is to be known about how this was found out.
    pub notes: Vec<String>,
}

impl Heap {
    /// Takes secrets out of all names.
    pub fn redact(&mut self, redactor: &Redactor) {
        let clean = |text: &mut String| redactor.hide(text);
        let classes = self.classes.iter_mut();
        classes.for_each(|class| clean(&mut class.name));
        self.notes.iter_mut().for_each(clean);
        for object in &mut self.largest {
            clean(&mut object.class);
            clean(&mut object.name);
            object.held_by.iter_mut().for_each(clean);
        }
    }
}

/// Reads a heap file of any known kind.
pub fn open(path: &Path, cancel: &Cancel, progress: Progress<'_>) -> Result<Heap, FileError> {
    let unfit = |why: &str| FileError {
        path: path.to_path_buf(),
        error: ImportError::unfit(why),
    };
    // A pipe would be waited for before it can be said that it is none.
    let size = match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(unfit("it is no file")),
        Ok(metadata) if metadata.len() == 0 => {
            return Err(unfit(
                "it is empty (0 bytes): whatever wrote it did not get to the end; take the snapshot again",
            ));
        }
        // Opening it says why there is none.
        metadata => metadata.map_or(0, |metadata| metadata.len()),
    };
    let heap = import::open(path, cancel, progress, |head, input| {
        if v8::is_one(head) {
            return v8::read(input, size, cancel);
        }
        let shown = head.get(..40).unwrap_or(head);
        Err(ImportError::Unfit(format!(
            "it is none of the heap files that are known here (a .heapsnapshot of node, Chromium or Bun in V8's format); it begins with {:?}",
            lossy(shown)
        )))
    })?;
    Ok(Heap {
        path: path.to_path_buf(),
        file_bytes: size,
        ..heap
    })
}
