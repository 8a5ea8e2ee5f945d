//! What comes over a route for a while: each is a surface like any other, gets keys first and closes with Esc.
//!
//! Questions that belong to one route only are that route's popups; these here are everybody's.

pub mod confirm;
pub mod help;
pub mod messages;
pub mod palette;
pub mod prompt;
pub mod quit;
pub mod trust;

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    action::{Section, View},
    widgets::{panel::Panel, popup},
};

/// The tables of all overlays.
pub fn sections() -> Vec<Section> {
    vec![
        Section::of::<help::Help>(),
        Section::of::<palette::Palette>(),
        Section::of::<messages::Messages>(),
        Section::of::<confirm::Confirm>(),
        Section::of::<prompt::Question>(),
        Section::of::<quit::QuitQuestion>(),
    ]
}

/// A large box in the middle, for lists and pages; returns what is left for the content.
fn page(buffer: &mut Buffer, area: Rect, view: &View<'_>, title: &str, right: &str) -> Rect {
    let width = area
        .width
        .saturating_sub(4)
        .min(100)
        .max(area.width.min(40));
    let height = area
        .height
        .saturating_sub(2)
        .min(36)
        .max(area.height.min(10));
    let look = view.look();
    popup::draw(
        buffer,
        popup::centred(area, width, height),
        Panel::new(look, title).right(right),
        look,
    )
}
