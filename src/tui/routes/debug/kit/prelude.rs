//! What nearly every pane and popup names: the prelude of all screens, and what the core, the protocol and the panes share.

pub use std::time::SystemTime;

pub use super::super::kit;
pub use super::super::{
    layout::Pane,
    popups::chooser::{self, Choice},
    session_row,
};
pub use super::{
    Asked, Asking, CoreAnswer, Filter, Form, Item, Mouse, Scrolls, Step, Walks, able_to, badge,
    boxed, common_prefix, cut_line, evaluate, flow, last_part, not_stopped, panel, prompt,
    relative, short, stop_of, through_matches, with_hint, wrapped,
};
pub(crate) use super::{answers_of, draws, input_of, narrows_of, rolls};
pub use crate::app::effect::Tag;
pub use crate::kit::asks::ticket;
pub use crate::kit::prelude::*;
pub use crate::kit::room::top;
pub use dap::types::{Capabilities, StackFrame, Variable};
pub use debugger::gate::Action as Gate;
pub use debugger::{
    Breakpoint, BreakpointSite, BreakpointSpec, Change, Command, DebuggerError, Event, EventKind,
    Phase, Reply, Session, SessionId, Severity, State, Stop, StopId,
};
