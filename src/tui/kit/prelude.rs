//! What nearly every screen names: `use crate::kit::prelude::*`.

pub use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    mem,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

pub use crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
pub use ratatui::Frame;
pub use ratatui::buffer::Buffer;
pub use ratatui::layout::{Position, Rect};
pub use ratatui::style::{Modifier, Style};
pub use ratatui::text::{Line, Span};

pub use super::asks::{
    Saving, clean, clean_path, file_name, following, joined, needed, path_of, percent,
};
pub use super::browser::{Browser, Drawn};
pub use super::cells::{Cells, cut, empty};
pub use super::chooser::{self, Choice};
pub use super::field::Field;
pub use super::list::list_of;
pub use super::mouse::wheel;
pub use super::needle::Needle;
pub use super::picker::Picker;
pub use super::prompt::Question;
pub use super::room::{self, dialog, foot, framed, over_last, panel, split};
pub use super::rows::OrWhy;
pub(crate) use super::rows::{gates, rows};
pub(crate) use super::scroll::rolls;
pub use super::scroll::{SEARCHING, Scrolled, Scrolls, Step, around, beside, is_control, leaves};
pub use super::switches::{Switched, Switches, closes, shown_rows};
pub(crate) use super::typing::types_in;
pub use super::typing::{TypedLine, Typing};
pub use crate::action::effect::{Effect, RouteId};
pub use crate::action::msg::Msg;
pub use crate::action::view::View;
pub use crate::action::work::Teller;
pub use crate::action::{Action, Cx, Enabled, Show, Surface, TypingKeys};
pub use crate::widgets::list::{List, ListState};
pub use crate::widgets::text_view::TextView;
pub use crate::widgets::{chart, paint, tabs};
pub use base::text::amount::{self, counted, thousands};
pub use base::text::redact::Redactor;
pub use base::text::sanitise::{sanitise, sanitise_block};
pub use base::text::width::{width, wrap};
pub use diagnostics::{Cancel, logs::format_time};
pub use regex::Regex;
