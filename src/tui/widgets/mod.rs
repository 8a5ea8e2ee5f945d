//! Building blocks of the screen. They know nothing of the app: data comes in as arguments, positions go out as rectangles.
//!
//! Everything is drawn through [`paint`], which sanitises and clips, so no widget can put a control character into a cell or draw
//! outside of its area, whatever the size of the terminal. State that survives a frame lives in a `...State` or `...View`
//! value that a route's model owns.
//!
//! | file | what it draws |
//! |---|---|
//! | `paint` | cells, for all others |
//! | `panel`, `popup`, `tabs`, `footer`, `scrollbar` | what stands around content |
//! | `list`, `gutter`, `chart` | rows, the columns left of source lines, bars |
//! | `text_view`, `toned`, `syntax` | text to read, lines whose parts mean something, colours of source text |
//! | `input` | a prompt of one line |

pub mod chart;
pub mod footer;
pub mod gutter;
pub mod input;
pub mod list;
pub mod paint;
pub mod panel;
pub mod popup;
pub mod scrollbar;
pub mod syntax;
pub mod tabs;
pub mod text_view;
pub mod toned;

#[cfg(test)]
mod tests;
