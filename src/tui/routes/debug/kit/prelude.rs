//! What nearly every pane and popup names: surfaces and their actions, effects, the core's commands, what is drawn with.

pub use crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
pub use ratatui::Frame;
pub use ratatui::buffer::Buffer;
pub use ratatui::layout::{Position, Rect};
pub use ratatui::style::Style;
pub use ratatui::text::{Line, Span};

pub use super::super::kit;
pub use super::{
    Asking, Cells, Field, Filter, Form, Item, Mouse, Scrolls, Step, Walks, able_to, badge, boxed,
    common_prefix, cut, cut_line, dialog, empty, evaluate, flow, last_part, not_stopped, panel,
    stop_of, wheel, with_hint, wrapped,
};
pub(in crate::routes::debug) use super::{answers_of, draws, input_of, narrows_of, rolls, rows};
pub use crate::action::{Action, Cx, Enabled, Surface, View};
pub use crate::app::effect::{Effect, Tag};
pub use crate::app::msg::Msg;
pub use crate::kit::asks::{OrWhy, clean, clean_path, ticket};
pub use crate::kit::list::list_of;
pub use crate::kit::room::{split, top};
pub(crate) use crate::kit::rows::gates;
pub use crate::widgets::list::{List, ListState};
pub use crate::widgets::paint;
pub use base::text::amount;
pub use base::text::sanitise::{sanitise, sanitise_block};
pub use base::text::width::{width, wrap};
pub use debugger::{Command, DebuggerError, Phase, Reply, Session, SessionId, State, StopId};
