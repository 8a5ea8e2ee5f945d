//! What most files of this room name: `use crate::prelude::*`.

pub use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    ffi::OsString,
    fmt::{Display, Write as _},
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::Ordering},
    time::{Duration, Instant, SystemTime},
};

pub use rustix::io::Errno;
pub use serde::{Deserialize, Serialize};
pub use serde_json::{Value, json};

pub use crate::{cancel::Cancel, process::ProcessError};
pub(crate) use crate::{folders, slots};
pub use base::{
    files::read_at_most,
    locks::lock,
    text::{
        amount, beginning,
        redact::Redactor,
        sanitise::{lossy, sanitise},
    },
};
