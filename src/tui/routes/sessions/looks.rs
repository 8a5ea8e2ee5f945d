//! How sessions and their entries look in a row.

use diagnostics::sessions::{Entry, Kind, Status};

use crate::prelude::*;

/// From this width on there are columns for status, size and project.
pub const WIDE: u16 = 96;

/// From this width on a text in full stands beside the list.
pub const BESIDE: u16 = 150;

pub fn one_line(text: &str) -> String {
    clean(paint::head(text, 400))
}

pub fn status_style(status: &Status, view: &View) -> Style {
    match status {
        Status::Failed(_) | Status::Killed(_) => view.theme.error,
        Status::Aborted | Status::Cut | Status::Interrupted | Status::Pending => view.theme.warning,
        Status::Complete | Status::Ended(_) | Status::Unknown => view.theme.muted,
    }
}

pub fn kind_style(entry: Kind, failed: bool, view: &View) -> Style {
    match entry {
        _ if failed => view.theme.error,
        Kind::User | Kind::Shell => view.theme.accent,
        Kind::Assistant => view.theme.success,
        Kind::Result => view.theme.function,
        Kind::Unknown => view.theme.warning,
        Kind::Summary | Kind::Init => view.theme.info,
        _ => view.theme.muted,
    }
}

/// What stands in the column of who said it.
pub fn who(entry: &Entry) -> String {
    match entry.kind {
        Kind::User => "person".to_owned(),
        Kind::Assistant => "model".to_owned(),
        Kind::Result => {
            let tool = entry.call.as_deref().map_or("?", |call| &call.name);
            format!("= {}", one_line(tool))
        }
        Kind::Exit => "end".to_owned(),
        Kind::Init => "task".to_owned(),
        _ => one_line(&entry.name),
    }
}
