//! What nearly every screen names: `use crate::prelude::*`.

pub use super::asks::{
    Saving, clean, clean_path, file_name, following, joined, needed, path_of, percent, time_of_day,
};
pub(crate) use super::browser::tabs_in;
pub use super::browser::{Browser, DrawRows};
pub use super::cells::{Cells, cut, empty};
pub use super::chooser::{self, Choice};
pub use super::field::Field;
pub use super::list::list_of;
pub use super::mouse::{CLICK, wheel};
pub use super::needle::Needle;
pub use super::picker::Picker;
pub use super::prompt::Question;
pub use super::room::{self, dialog, foot, framed, over_last, panel, split};
pub use super::rows::OrWhy;
pub(crate) use super::rows::{gates, rows, table};
pub use super::scroll::{SEARCHING, Scrolled, Scrolls, Step, around, beside, is_control, leaves};
pub(crate) use super::scroll::{moves, rolls};
pub use super::switches::{Switched, Switches, closes, shown_rows};
pub(crate) use super::typing::types_in;
pub use super::typing::{TypedLine, Typing};
pub use crate::action::prelude::*;
