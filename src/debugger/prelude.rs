//! What most files of the debugger name: `use crate::prelude::*`.

pub use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    fmt,
    fs::{self, File},
    io, iter, mem,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, LazyLock, Mutex, atomic::Ordering},
    time::{Duration, SystemTime},
};

pub use base::{
    files,
    locks::lock,
    tasks,
    text::{redact::Redactor, sanitise::sanitise, words},
};
pub use bytes::{Bytes, BytesMut};
pub use dap::types::{Capabilities, Source, StackFrame, Variable};
pub use regex::Regex;
pub use rustix::process::Pid;
pub use serde::{Deserialize, Serialize};
pub use serde_json::{Map, Value, json};
pub use tokio::{
    io::AsyncRead,
    sync::{mpsc, oneshot, watch},
    time::{self, Instant, timeout, timeout_at},
};
pub use tokio_util::sync::CancellationToken;

pub use crate::{
    adapters::{Adapter, AdapterError, Context, Resolved, Table},
    breakpoint::{Breakpoint, BreakpointSite, ExceptionFilter},
    command::{AttachSpec, BreakpointSpec, Command, LaunchSpec},
    core::CoreHandle,
    data::{Content, Data, Query, View},
    error::{DebuggerError, ErrorKind, Result},
    event::{Change, Event, EventKind, Severity},
    ext::{Fields, InWords, Joined, Lossy, Put, indent, sentence, tagged},
    gate,
    gate::Action,
    ids::{BreakpointId, SessionId, StopId, WatchId},
    output::OutputChunk,
    permission::{Operation, Tier},
    reply::Reply,
    state::{
        FrameScopes, Outcome, Phase, Session, Stack, StartKind, State, Stop, Thread, WatchValue,
    },
    tool::discretion::Discretion,
};
