//! What most files of the core, the tool and the adapters name: `use crate::prelude::*`. The files that define these do without.

pub use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

pub use base::{locks::lock, tasks};
pub use serde::{Deserialize, Serialize};
pub use serde_json::{Map, Value, json};
pub use tokio::sync::{mpsc, oneshot};
pub use tokio_util::sync::CancellationToken;

pub use crate::{
    breakpoint::{Breakpoint, BreakpointSite},
    command::{AttachSpec, BreakpointSpec, Command, LaunchSpec},
    error::{DebuggerError, Kind, Result},
    event::{Change, EventKind, Severity},
    gate::Action,
    ids::{BreakpointId, SessionId, StopId},
    output::OutputChunk,
    reply::Reply,
    state::{Phase, Session, StartKind, State},
};
