//! What most files of this room name: `use crate::prelude::*`.

pub use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

pub use base::{locks::lock, tasks, text::sanitise::sanitise};
pub use dap::types::{StackFrame, Variable};
pub use debugger::{
    Breakpoint, BreakpointId, BreakpointSite, BreakpointSpec, Change, Command, CoreHandle,
    DebuggerError, ErrorKind, Event, EventKind, Granularity, Phase, Reply, Session, SessionId,
    StartKind, State, StepKind, Stop, StopId, Subscription, adapters::Context, error::Result,
    tool::ToolError,
};
pub use serde_json::{Map, Value, json};
