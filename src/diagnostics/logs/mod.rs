//! Logs of any size and shape, read from their ends.
//!
//! [`Log`] is one or several files merged by time. A front end asks for a [`Page`] before or after a [`Cursor`], with a [`Filter`] and a
//! budget of bytes, so that the cost is that of what it shows, at any depth of a file of any size; [`Follow`] hands out what is
//! appended. An [`Entry`] is a line with the lines that belong to it, known by its file and offset.
//!
//! Files are read with `pread` in blocks: a mapping would kill us when a file is truncated. Everything here blocks and looks at a
//! [`Cancel`](super::Cancel); drawing, and making text safe to show, is left to the front ends.

mod colours;
mod count;
mod filter;
mod follow;
mod histogram;
mod lane;
mod names;
mod page;
mod plain;
mod quick;
mod record;
mod said;
mod shape;
mod shown;
mod source;
mod spool;
mod time;
mod unit;
mod window;

pub use count::{Effort, Summary, count, summary};
pub use filter::{Filter, FilterError};
pub use follow::{Batch, Ends, Follow};
pub use histogram::{Columns, Counts, Histogram};
pub use lane::JUMP;
pub use page::{Cursor, Log, Page};
pub use record::{Entry, Level};
pub use source::{LogPath, SourceError, is_log_name, refusal};
pub use spool::{Spool, name_of};
pub use time::{format_time, parse_since, stamp, utc};
pub use window::{BUDGET, PAGE, Window};

#[cfg(test)]
mod tests;
