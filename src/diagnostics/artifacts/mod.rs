//! Artifacts of omp's sessions: what there is, what is old, and how it goes away without anything being lost.
//!
//! An artifact folder is a folder beside the session file of the same name. Only such folders are looked at, and of what is in them
//! never a session file (`.jsonl`): subagents keep theirs there. [`scan()`] measures, [`Plan`] decides what is old, [`clear()`] moves it
//! into a trash of ours or deletes it, [`undo()`] brings it back. Below the places where omp keeps sessions every folder is opened by
//! its name in the folder that is open already, and never through a symbolic link.
//!
//! Left to others: where sessions are ([`super::omp`]), how lists are printed or drawn.

pub mod age;
mod clear;
mod exact;
mod list;
mod live;
mod lock;
mod plan;
mod remove;
mod root;
mod scan;
mod spot;
mod trash;
mod undo;
mod walk;

pub use clear::{DeleteMode, Note, Outcome, Progress, clear};
pub use list::{Entry, ItemKind, Listing, head_of, list, text_of};
pub use plan::{KeepReason, KeptFolder, Plan};
pub use root::{ArtifactRoot, ArtifactsError};
pub use scan::{Scan, scan};
pub use spot::{ArtifactFolder, ArtifactLocation};
pub use trash::{Batch, batches, empty_trash};
pub use undo::{Restored, undo};
pub use walk::{Tally, Totals};

/// Artifacts are kept for so long after their last change, in days, unless another age is asked for.
pub const DAYS: u64 = 30;
