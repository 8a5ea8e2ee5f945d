//! What lies over the workspace and needs an answer. Each popup has an `open` that puts it on top and asks for what it shows.

pub mod approval;
pub mod attach_picker;
pub mod breakpoint_editor;
pub mod configuration_values;
pub mod configurations;
pub mod exception;
pub mod file_picker;
pub mod hang;
pub mod inspect;
pub mod launch_form;
pub mod progress;
pub mod sessions;
pub mod timings;
