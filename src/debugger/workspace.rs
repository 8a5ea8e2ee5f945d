//! What is around: files that could be debugged, processes that could be attached to. Plain lists, read off the UI task.

use std::path::PathBuf;

/// A file or folder in a picker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Absolute path.
    pub path: PathBuf,
    /// Relative to the folder listed.
    pub name: String,
    /// Executable by us.
    pub executable: bool,
    /// Bytes.
    pub size: u64,
}

/// A process in a picker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Its parent's id.
    pub parent: Option<u32>,
    /// Its name.
    pub name: String,
    /// Its command line, arguments joined by spaces.
    pub command: String,
    /// Seconds since it started.
    pub age_secs: u64,
    /// The process already tracing it, which forbids attaching.
    pub tracer: Option<u32>,
}
