//! What most files of this room name: `use crate::prelude::*`.

pub use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

pub use base::{tasks, text::sanitise::sanitise};
pub use debugger::{
    Breakpoint, BreakpointId, BreakpointSite, Command, CoreHandle, DebuggerError, Event, Kind,
    Phase, Reply, Session, SessionId, State, StepKind, StopId,
};
pub use serde_json::{Map, Value, json};
