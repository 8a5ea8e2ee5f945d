//! What lies over the workspace and needs an answer. Each popup has an `open` that puts it on top and asks for what it shows.

pub mod breakpoint_editor;
pub mod exception_filters;
pub mod inspect;
pub mod prompts;
