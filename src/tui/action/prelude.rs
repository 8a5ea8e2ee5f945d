//! What nearly every file from here up names: the words of the terminal, of surfaces and of texts. [`crate::kit::prelude`] has these
//! as well, and the kit.

pub use super::canvas::Canvas;
pub use super::effect::{Effect, RouteId};
pub use super::msg::Msg;
pub use super::view::View;
pub use super::work::Teller;
pub use super::{Action, Cx, Enabled, Show, Surface, TypingKeys};
pub use crate::widgets::list::{List, ListState};
pub use crate::widgets::paint::{self, Parts as _};
pub use crate::widgets::text_view::TextView;
pub use crate::widgets::{chart, tabs};
pub use base::text::amount::{self, counted, thousands};
pub use base::text::redact::Redactor;
pub use base::text::sanitise::{sanitise, sanitise_block};
pub use base::text::width::{width, wrap};
pub use crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
pub use diagnostics::{Cancel, logs::format_time};
pub use ratatui::Frame;
pub use ratatui::buffer::Buffer;
pub use ratatui::layout::{Position, Rect};
pub use ratatui::style::{Modifier, Style};
pub use ratatui::text::{Line, Span};
pub use regex::Regex;
pub use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    mem,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
