//! How sessions and their entries look in a row.

use diagnostics::sessions::{Entry, LineKind, Status};

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

pub fn kind_style(entry: LineKind, failed: bool, view: &View) -> Style {
    match entry {
        _ if failed => view.theme.error,
        LineKind::User | LineKind::Shell => view.theme.accent,
        LineKind::Assistant => view.theme.success,
        LineKind::Result => view.theme.function,
        LineKind::Unknown => view.theme.warning,
        LineKind::Summary | LineKind::Init => view.theme.info,
        _ => view.theme.muted,
    }
}

/// What stands in the column of who said it.
pub fn who(entry: &Entry) -> String {
    match entry.kind {
        LineKind::User => "person".to_owned(),
        LineKind::Assistant => "model".to_owned(),
        LineKind::Result => {
            let tool = entry.call.as_deref().map_or("?", |call| &call.name);
            format!("= {}", one_line(tool))
        }
        LineKind::Exit => "end".to_owned(),
        LineKind::Init => "task".to_owned(),
        _ => one_line(&entry.name),
    }
}
