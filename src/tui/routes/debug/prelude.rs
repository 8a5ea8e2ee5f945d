//! What nearly every pane and popup names: the prelude of all screens, and what the core, the protocol and the panes share.

pub use std::time::SystemTime;

pub(crate) use super::kit::draws;
pub use super::kit::{
    able_to, answer_of, evaluate, last_part, not_stopped, panel, relative, short, standing,
    stop_of, with_hint,
};
pub use super::{layout::Pane, session_row};
pub use crate::action::msg::Tag;
pub use crate::kit::{
    asks::ticket,
    cells::{cut_line, flow, wrapped},
    filter::Filter,
    form::{Form, Item},
    mouse::Mouse,
    needle::{BROWSING_KEYS, SEARCHING_KEYS, common_prefix, through_matches},
    pending_answer::{CoreAnswer, PendingAnswer},
    prelude::*,
    prompt::prompt,
    question::OpenQuestion,
    room::{badge, boxed, top},
};
pub(crate) use crate::kit::{filter::narrows_of, form::input_of, question::answers_of};
pub use dap::types::{Capabilities, StackFrame, Variable};
pub use debugger::gate::Action as Gate;
pub use debugger::{
    Breakpoint, BreakpointSite, BreakpointSpec, Change, Command, DebuggerError, Event, EventKind,
    Phase, Reply, Session, SessionId, Severity, State, Stop, StopId,
};
