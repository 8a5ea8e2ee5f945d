//! What nearly every pane and popup names: the prelude of all screens, and what the core, the protocol and the panes share.

pub use std::time::SystemTime;

pub use super::super::{
    layout::Pane,
    popups::chooser::{self, Choice},
    session_row,
};
pub use super::{
    Asked, CoreAnswer, able_to, common_prefix, evaluate,
    filter::Filter,
    flow,
    form::{Form, Item},
    last_part,
    navigation::{Step, Walks, through_matches},
    not_stopped, panel,
    question::{Asking, prompt},
    relative, short, stop_of, with_hint, wrapped,
};
pub(crate) use super::{
    draws, filter::narrows_of, input_of, navigation::rolls, question::answers_of,
};
pub use crate::action::msg::Tag;
pub use crate::kit::{
    asks::ticket,
    cells::cut_line,
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
