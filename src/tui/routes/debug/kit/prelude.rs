//! What nearly every pane and popup names: the prelude of all screens, and what the core, the protocol and the panes share.

pub use std::time::SystemTime;

pub use super::super::{layout::Pane, session_row};
pub use super::{
    able_to, common_prefix, evaluate,
    filter::Filter,
    flow,
    form::{Form, Item},
    last_part, not_stopped, panel,
    question::{Asking, prompt},
    relative, short, stop_of, through_matches, with_hint,
};
pub(crate) use super::{draws, filter::narrows_of, input_of, question::answers_of};
pub use crate::action::msg::Tag;
pub(crate) use crate::kit::scroll::rolls;
pub use crate::kit::{
    asked::{Asked, CoreAnswer},
    asks::ticket,
    cells::{cut_line, wrapped},
    mouse::Mouse,
    prelude::*,
    room::{badge, boxed, top},
};
pub use dap::types::{Capabilities, StackFrame, Variable};
pub use debugger::gate::Action as Gate;
pub use debugger::{
    Breakpoint, BreakpointSite, BreakpointSpec, Change, Command, DebuggerError, Event, EventKind,
    Phase, Reply, Session, SessionId, Severity, State, Stop, StopId,
};
