//! What most files of the debugger name: `use crate::prelude::*`.

pub use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    fmt, fs, io, iter, mem,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};

pub use base::{locks::lock, tasks};
pub use regex::Regex;
pub use serde::{Deserialize, Serialize};
pub use serde_json::{Map, Value, json};
pub use tokio::sync::{mpsc, oneshot};
pub use tokio_util::sync::CancellationToken;

pub use crate::{
    adapters::Context,
    breakpoint::{Breakpoint, BreakpointSite, ExceptionFilter},
    command::{AttachSpec, BreakpointSpec, Command, LaunchSpec},
    error::{DebuggerError, Kind, Result},
    event::{Change, EventKind, Severity},
    gate::Action,
    ids::{BreakpointId, SessionId, StopId, WatchId},
    output::OutputChunk,
    reply::Reply,
    state::{Outcome, Phase, Session, StartKind, State, Stop},
    words::{Fields, Lossy},
};
