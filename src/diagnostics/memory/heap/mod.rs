//! Heap files that runtimes write: what is in them by constructor, the largest objects, and what changed between two of them.
//!
//! [`open()`] tells by the content what a file is. A snapshot of V8 (node, Chromium; Bun writes the same format) is
//! read as a stream into flat arrays ([`v8`]; [`graph`]), who holds what is worked out in [`dominators`], and what people want to see in [`classes`]; then the
//! arrays are given back. A heap profile, which counts allocations by stack, is read by `profile::import` and summed up in [`allocated`].
//! [`mod@compare`] sets two results side by side, [`text`] writes them.
//!
//! What a heap holds may be secret: names are cut here, and whoever shows them takes secrets out.

mod allocated;
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
    profile::import::{
        self, FileError, ImportError,
        allocations::{self, heaptrack},
    },
};

/// What a file turned out to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// A heap snapshot in V8's format.
    #[default]
    V8Snapshot,
    /// A recording of heaptrack.
    Heaptrack,
}

impl Format {
    /// What it is called.
    pub fn title(self) -> &'static str {
        match self {
            Self::V8Snapshot => "V8 heap snapshot",
            Self::Heaptrack => allocations::TITLE,
        }
    }

    /// Whether it counts who allocated, and not objects and who holds them.
    pub fn is_of_allocations(self) -> bool {
        self != Self::V8Snapshot
    }
}

/// What else a heap profile says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct More {
    /// Bytes that were allocated from beginning to end.
    pub allocated: u64,
    /// How often something was allocated.
    pub calls: u64,
    /// Bytes that were never freed.
    pub leaked: u64,
    /// Blocks that were never freed.
    pub leaked_blocks: u64,
    /// How often something was freed right after it was allocated.
    pub temporary: u64,
    /// What was held was held at the peak.
    pub peak: bool,
}

/// Objects of one constructor, or of one kind; of a heap profile what one function allocated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Class {
    /// The constructor's name, or the kind in parentheses: `(string)`. Foreign text.
    pub name: String,
    pub count: u64,
    /// Their own bytes.
    pub shallow: u64,
    /// Bytes that would be free without them: what only they hold is in it, and what one holds through another is counted once.
    pub retained: u64,
    /// Of a heap profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<More>,
}

/// A single object; of a heap profile a stack that allocates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Object {
    /// Its number, as the runtime's own tools show it behind an `@`; of a heap profile how many blocks.
    pub id: u64,
    /// Its constructor or kind.
    pub class: String,
    /// Its name or, of a string, how it begins. Foreign text.
    pub name: String,
    /// Its own bytes.
    pub shallow: u64,
    /// Bytes that would be free without it.
    pub retained: u64,
    /// What holds it alone (its dominators), the nearest first; of a heap profile who called.
    pub held_by: Vec<String>,
    /// Of a heap profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<More>,
}

/// What is in a heap file. Sizes are in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Heap {
    /// What the file is.
    pub format: Format,
    pub path: PathBuf,
    /// Its size.
    pub file_bytes: u64,
    /// Objects in it; of a heap profile blocks that were held.
    pub objects: u64,
    /// References between them.
    pub references: u64,
    /// All of their own bytes.
    pub total: u64,
    /// Bytes of objects that nothing holds: garbage that was not collected yet.
    pub unreachable: u64,
    /// By constructor, the one that retains most first; the roots are left out.
    pub classes: Vec<Class>,
    /// Of a heap profile by source file, or by program and library where those are not known; the one that allocated most first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Class>,
    /// The largest objects, by what they retain and by themselves; the one that retains most first.
    pub largest: Vec<Object>,
    /// Of a heap profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<More>,
    /// What is to be known about how this was found out.
    pub notes: Vec<String>,
}

impl Heap {
    /// Takes secrets out of all names.
    pub fn redact(&mut self, redactor: &Redactor) {
        let clean = |text: &mut String| redactor.hide(text);
        let classes = self.classes.iter_mut().chain(&mut self.files);
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
            v8::read(input, size, cancel)
        } else if heaptrack::looks_like(head) {
            allocated::summarise(&heaptrack::read(input)?, cancel)
        } else {
            let shown = head.get(..40).unwrap_or(head);
            Err(ImportError::Unfit(format!(
                "it is none of the heap files that are known here (a .heapsnapshot of node, Chromium or Bun in V8's format, a heaptrack recording); it begins with {:?}",
                lossy(shown)
            )))
        }
    })?;
    Ok(Heap {
        path: path.to_path_buf(),
        file_bytes: size,
        ..heap
    })
}
