//! The report: one archive with what a person who is to find a fault needs, and without the secrets of the one who sends it.
//!
//! [`Plan`] finds what there is (omp's logs, a session with its artifacts, the machine, what the caller adds), [`pack()`] reads it,
//! takes the secrets out of all text, and counts them; with a [`Target`] it writes what is left, in the same pass. So the
//! counts that a person sees before anything is written come from the code that writes. [`write()`] does that beside the
//! file that is wanted, and puts it there as a whole or not at all. [`Bundle`] reads archives, of omp and of others as well,
//! without ever unpacking one.
//!
//! | file | what is in it |
//! |---|---|
//! | `plan` | what goes in, in which order, and what is left out |
//! | `facts` | the small members that are made: machine, variables, settings of the session |
//! | `session`, `logs`, `walk` | which session, which logs, which artifacts |
//! | `pack`, `feed`, `squeeze` | reading, redacting and compressing, on all processors, in bounded memory |
//! | `bytes` | redacting bytes that need not be text |
//! | `archive` | the archive's format |
//! | `outcome` | what came of packing, member by member |
//! | `manifest` | what was packed, member by member |
//! | `write` | the file: as a whole or not at all |
//! | `bundle` | reading archives |
//!
//! Which text is a secret is decided in [`base::text::redact`].

mod archive;
mod bundle;
mod bytes;
mod facts;
mod feed;
mod logs;
mod manifest;
mod outcome;
mod pack;
mod plan;
mod session;
mod squeeze;
mod walk;
mod write;

pub use bundle::{
    Bundle, BundleError, Content, Entry, EntryKind, Verdict, looks_like_bundle, reports_in,
};
pub use feed::beginning;
pub use manifest::{FORMAT, Manifest, ManifestMember};
pub use outcome::{Note, Outcome, Packed};
pub use pack::{PackError, Step, Target, pack};
pub use plan::{Extra, Limits, Part, Plan, Planned, Request, name_of_report};
pub use session::{ChoiceReason, ChosenSession, find as find_session};
pub use squeeze::Level;
pub use write::{ReportError, WrittenReport, write};

#[cfg(test)]
mod tests;
